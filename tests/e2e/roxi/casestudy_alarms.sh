#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# examples/alarms.sh on a campaign with hand-written runs: its figures equal those of roxi check on
# campaigns made without it.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

study=$T/study
mkdir "$study"

# run NAME FAULT VERDICT OFF: an execution and its line of the truth. For OFF of its 60 packets the client does what no
# typical one does; the server is always the same, but where a run failed.
run() {
    local dir=$T/in/$1
    working_vm "$dir" 1 server "60 p.Server.$([ "$2" = kill ] && echo fail || echo serve)"
    working_vm "$dir" 2 client "$((60 - $4)) p.Client.run" "$4 p.Other.run"
    printf '%s\tsmall\t1\t%s\t-\t0\t-\t-\t%s\t-\t1\t0.5\t0.5\n' "$1" "$2" "$3" >>"$study/truth.tsv"
    "$ROXI" import "$study/campaign" "$dir" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
}

# Of the normal runs two of the first half and three of the second are off, each by another amount.
printf 'execution\tsystem\tseed\tfault\tprobability\tinjected\tfirst_ms\twhere\tverdict\treasons\tmilliseconds\tload\tbusy\n' \
    >"$study/truth.tsv"
for i in 01 02 03 04 05; do run "n$i" none passed 0; done
run n06 none passed 4
run n07 none passed 6
run broken kill failed 60
for i in 08 09 10; do run "n$i" none passed 0; done
run borne stall passed 0
run n11 none passed 8
run n12 none passed 14
run n13 none passed 5
run n14 none passed 0
run surprise none failed 0

alarms=(examples/alarms.sh --draws 7)
check "a table" bash -c "${alarms[*]} --false-alarms 5%,0.2,50% '$study' >'$T/table'"
rows() { tail -n +3 "$T/table"; }
same "rates that seven runs do not allow are left out" "0.2 50 %" \
    "$(rows | awk -F ' *[|] *' '{ print $4 }' | xargs)"
same "of fourteen normal runs seven are learnt from" "Small|7" "$(rows | awk -F ' *[|] *' 'NR == 1 { print $2 "|" $3 }')"
column() { rows | awk -F ' *[|] *' -v n="$1" '{ print $n }' | xargs; }

# The same by hand, for the first half.
"$ROXI" import "$T/good" "$T"/in/n0[1-7] 2>"$T/err"
"$ROXI" import "$T/new" "$T"/in/n0[89] "$T"/in/n1? "$T"/in/broken "$T"/in/borne 2>"$T/err"
by_hand() { "$ROXI" check "$T/new" --baseline "$T/good" --false-alarms "$1" "${@:2}" 2>"$T/err"; }
later() {
    for rate in 0.2 50%; do
        by_hand $rate | awk -F '\t' '$1 ~ /^n/ { n++ } END { printf "%.1f %%\n", 100 * n / 7 }' | sed 's/\.0 / /'
    done | xargs
}
same "later runs: as roxi check finds them" "$(later)" "$(column 8)"
check "some are" grep -q '^n1' <(by_hand 0.2)
same "the rate is the one that it states" "$(for rate in 0.2 50%; do
    by_hand $rate --json | jq -r '.rate * 1000 | round / 10'; done | xargs)" \
    "$(rows | awk -F ' *[|] *' '{ split($5, part, " "); print part[1] }' | xargs)"
same "the failed one is found in every draw" "100 % 100 %" "$(column 9)"
same "false alarms are a mean of sevenths of sevenths, and lie between the extremes" "" \
    "$(rows | awk -F ' *[|] *' '{
        split($6, mean, " "); split($7, one, " ")
        if (mean[1] < one[1] || mean[1] > one[3] || one[1] == one[3]) print }')"
same "the same seed, the same table" "$(cat "$T/table")" "$("${alarms[@]}" --false-alarms 5%,0.2,50% "$study")"
check "another one, another" bash -c "! ${alarms[*]} --seed 2 --false-alarms 5%,0.2,50% '$study' | cmp -s - '$T/table'"
same "the campaign is as it was" "campaign.db" "$(cd "$study/campaign" && echo *.db*)"
same "and whole" 17 "$("$ROXI" rank "$study/campaign" 2>"$T/err" | wc -l)"

refused() { # STATUS PATTERN ARGUMENT...
    examples/alarms.sh "${@:3}" >"$T/out" 2>"$T/err"
    [ $? = "$1" ] && grep -Eq -- "$2" "$T/err"
}
check "no rate is allowed" refused 1 '7 good runs of .* allow none of the rates 1%' --false-alarms 1% "$study"
check "no directory" refused 2 'expected a directory'
check "no campaign" refused 1 'is .* a directory of casestudy.sh' "$T/none"
check "no number of draws" refused 2 "--draws: 0 is not in" --draws 0 "$study"
check "no share" refused 2 "'often' is no share" --false-alarms often "$study"
printf '<!-- alarms -->\n' >"$T/page"
check "a page without the lines" refused 1 'needs the lines' --write "$T/page"
