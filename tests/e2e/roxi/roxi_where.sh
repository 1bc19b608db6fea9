#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# evaluate --where, on runs with hand-written faults of which some are named and some are not.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# run NAME PACKETS-OF-SERVER-1 CLIENT'S-WORK...
run() {
    local dir=$T/in/$1
    working_vm "$dir" 1 'server 1' "$2 p.Server.serve"
    working_vm "$dir" 2 'server 2' '60 p.Server.serve'
    working_vm "$dir" 3 client "${@:3}"
}
camp=$T/camp
truth=$T/truth blame=$T/blame
printf 'execution\tfault\tfirst_ms\twhere\tverdict\n' >"$truth"
# known NAME VERDICT FAULT MS WHERE
known() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$3" "$4" "$5" "$2" >>"$truth"; }
for i in 1 2 3 4 5 6 7 8; do
    run run$i 60 "$((40 + i % 2)) p.Client.run p.Client.send" "$((20 - i % 2)) p.Client.run"
    known run$i passed none - -
done
# The imported moments are the packets' numbers, in nanoseconds: all of them are within 500 ms of 0.
run locks 60 '20 p.Client.run' '40 p.Client.run p.Account$1.lock jdk.internal.misc.Unsafe.park'
known locks failed lock 0 'client: account'
run late 60 '20 p.Client.run' '40 p.Client.run p.Account.lock jdk.internal.misc.Unsafe.park'
known late failed lock 900 'client: account'
run wrong 60 '20 p.Client.run' '40 p.Client.run p.Cache.fill'
known wrong failed leak - 'server 1: cache'
run peer 60 '60 p.Client.run p.Client.send'
: >"$T/in/peer/files.list"
working_vm "$T/in/peer" 1 'server 1' '60 p.Server.serve'
working_vm "$T/in/peer" 2 'server 2' '20 p.Server.serve' '40 p.Server.serve p.Disk.sync'
working_vm "$T/in/peer" 3 client '40 p.Client.run p.Client.send' '20 p.Client.run'
known peer failed disk 10 'server 1'
run quiet 60 '40 p.Client.run p.Client.send' '20 p.Client.run'
known quiet failed rounding 5 client
run lost 60 '20 p.Client.run' '40 p.Client.run p.Other.do'
known lost failed lock 5 -
run strange 60 '20 p.Client.run' '40 p.Client.run p.Third.do'
known strange failed unheard-of 5 'client: somewhere'
"$ROXI" import "$camp" "$T/in"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
for i in locks late wrong peer quiet lost strange; do
    "$IXOR" label "$camp" $i failed >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"
done
for i in 1 2 3 4 5 6 7 8; do
    "$IXOR" label "$camp" run$i passed >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"
done
printf 'fault\twhere\tclass\tsilent\twho\nlock\tnowhere\tp.No\tno\tnamed\nlock\tany\tp.No,p.Account\tno\tnamed
leak\tany\tp.Cache\tno\tnamed\ndisk\tany\t-\tno\tpeers\nrounding\tany\tp.Bill\tyes\tnamed\n' >"$blame"

where() { "$ROXI" evaluate "$camp" --where "$truth" --blame "$blame" "$@"; }
where --json >"$T/json" 2>"$T/err"
same "status" 0 $?
same "what is judged, and what is left out" '[4,3,1,1,1,8]' \
    "$(jq -c '[.failed, .with_class, .nowhere, .silent, .not_blamed, .passed]' "$T/json")"
same "what is claimed of runs that passed" "$("$ROXI" rank "$camp" 2>/dev/null |
    awk '$1 ~ /^run/ && $2 > 1' | wc -l)" "$(jq .claimed "$T/json")"
of() { jq -c ".runs[] | select(.execution == \"$1\") | $2" "$T/json"; }
all='[.first, .three, .class_three, .class_five, .in_time]'
same "role, class (nested, the second of two) and moment are right" '[true,true,true,true,true]' "$(of locks ".findings | $all")"
same "too late" '[true,true,true,true,false]' "$(of late ".findings | $all")"
same "another role is named; no moment is known" '[false,false,false,false,null]' "$(of wrong ".findings | $all")"
same "a peer is right where the table says so; there is no class" '[true,true,null,null,true]' "$(of peer ".findings | $all")"
same "by evidence: no moments" '[true,true,true,true,null]' "$(of locks ".evidence | $all")"
same "the longest stay" '[true,true,true,true,true]' "$(of locks ".dwell | $all")"
same "missed" '["wrong"]' "$(jq -c '[.runs[] | select(.missed).execution]' "$T/json")"
same "what is named instead" '["client","p.Cache.fill(S.java:1)"]' "$(of wrong '.named | [.role, .path[0]]')"
same "sums" '[3,3,2,2,3,2]' "$(jq -c '.orders.findings | [.first, .three, .class_three, .class_five, .timed, .in_time]' "$T/json")"
same "findings are those of explain" "$("$ROXI" explain "$camp" locks --json 2>/dev/null | jq -c '.findings[0]')" "$(of locks .named)"
same "on any number of threads" "$(jq -c .runs "$T/json")" "$(OMP_NUM_THREADS=3 where --json | jq -c .runs)"

where >"$T/text" 2>"$T/err"
has "text: the counts" '^role or node first +3 of +4 +75 % ' "$T/text"
has "text: what is left out" '1 without a place, 1 with a silent fault, 1 with one that' "$T/text"
has "text: runs that passed" '^[0-9]+ of 8 runs that passed \([0-9.]+ %\) score above 1' "$T/text"
has "text: a miss" '^wrong: leak at server 1: cache; not in three; without p\.Cache; named: client,' "$T/text"
same "text: no other miss" 1 "$(grep -c '^[a-z0-9]*: [a-z]* at ' "$T/text")"
check "text: 80 columns" [ "$(wc -L <"$T/text")" -le 80 ]
where -o "$T/new" 2>"$T/err"
same "into a file" "$(cat "$T/text")" "$(cat "$T/new")"
rm "$T/new"
cut -f 1,3,4 "$blame" >"$T/short" # without where and who: the first line of a fault counts
same "columns that can be missing" '[2,0]' "$("$ROXI" evaluate "$camp" --where "$truth" --blame "$T/short" --json 2>/dev/null |
    jq -c '[.orders.findings.first, .orders.findings.class_five]')"

# ---- bad input ----

# refuses WHAT PATTERN TRUTH BLAME
refuses() { check "$1" fails 1 "$2" evaluate "$camp" --where "$3" --blame "$4"; }
check "no --blame" fails 2 'are given together' evaluate "$camp" --where "$truth"
check "no --where" fails 2 'are given together' evaluate "$camp" --blame "$blame"
check "with --inspection-effort" fails 2 'exclude each other' evaluate "$camp" --where "$truth" --blame "$blame" --inspection-effort
check "as a plot" fails 2 'not --format svg' evaluate "$camp" --where "$truth" --blame "$blame" --format svg
refuses "no such table" "cannot read '.*/nosuch'" "$T/nosuch" "$blame"
: >"$T/empty"
refuses "an empty table" "empty' is empty" "$T/empty" "$blame"
refuses "an empty table of blame" "empty' is empty" "$truth" "$T/empty"
cut -f 1-3,5 "$truth" >"$T/bad"
refuses "a column is missing" "line 1: no column 'where' among execution, fault, first_ms, verdict" "$T/bad" "$blame"
refuses "a column of blame is missing" "no column 'class'" "$truth" "$truth"
(cat "$truth" && printf 'run99\tlock\t5\tclient: x\tfailed\n') >"$T/bad"
refuses "a run that the campaign has not" "do not fit: '.*bad', line 17: no run 'run99'" "$T/bad" "$blame"
(cat "$truth" && printf 'run1\tnone\t-\t-\tpassed\n') >"$T/bad"
refuses "a run twice" "line 17: a second line of run 'run1'" "$T/bad" "$blame"
(cat "$truth" && printf 'run1\n') >"$T/bad"
refuses "a line that is too short" 'line 17: the number of fields is 1, not 5 as in line 1' "$T/bad" "$blame"
sed 's/900/soon/' "$truth" >"$T/bad"
refuses "a moment that is no number" "line 11: first_ms is 'soon'" "$T/bad" "$blame"
sed 's/peers/everybody/' "$blame" >"$T/bad"
refuses "roles that are nothing" "line 5: who is 'everybody', and not named, peers or any" "$truth" "$T/bad"
grep -v failed "$truth" >"$T/bad"
refuses "nothing failed" 'has no failed run to judge by: 0 have no place' "$T/bad" "$blame"
