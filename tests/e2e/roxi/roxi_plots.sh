#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# Plots of rank, cluster and evaluate: valid XML whatever the runs are called, with their
# provenance, and showing what the same commands print.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

for i in 1 2 3 4 5 6 7 8 9; do
    working_vm "$T/in/run$i" 1 server "$((20 + (i == 5))) p.Server.serve"
    working_vm "$T/in/run$i" 2 client "$((10 + i % 2)) p.Client.run" "$((10 - i % 2)) p.Client.run p.Client.send"
done
for run in odd like; do working_vm "$T/in/$run" 1 server '20 p.Server.serve'; done
working_vm "$T/in/odd" 2 client '20 p.Client.run p.Client.retry p.Client.wait'
working_vm "$T/in/like" 2 client '5 p.Client.run' '15 p.Client.run p.Client.retry p.Client.wait'
camp=$T/some/camp
mkdir "$T/some"
"$ROXI" import "$camp" "$T"/in/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
sql() { sqlite3 "$1/campaign.db" "$2"; }

# plot FILE ARGUMENT...: the same twice, and XML
plot() {
    local file=$1
    shift
    "$ROXI" "$@" --format svg >"$file" 2>"$T/err" || cat "$T/err"
    xmllint --noout "$file" && "$ROXI" "$@" --format svg -o "$file.2" 2>"$T/err" && cmp "$file" "$file.2"
}
# at FILE XPATH: as a string; "//" in front of an element's name knows no namespace
query() { xmllint --xpath "$2($(sed -E 's,//([a-z]+),//*[local-name()="\1"],g' <<<"$3"))" "$1"; }
at() { query "$1" string "$2"; }
how_many() { query "$1" count "$2"; }
# each FILE XPATH: a line for each that there is
each() {
    local i
    for ((i = 1; i <= $(how_many "$1" "$2"); i++)); do at "$1" "($2)[$i]"; done
}
# value FILE x|y POSITION: what is there, by the axis' first two ticks
value() {
    local tick="//g[@class=\"$2-axis\"]//text" line="//g[@class=\"$2-axis\"]//line"
    awk -v at="$3" -v a="$(at "$1" "($line)[1]/@${2}1")" -v b="$(at "$1" "($line)[2]/@${2}1")" \
        -v from="$(at "$1" "($tick)[1]")" -v to="$(at "$1" "($tick)[2]")" \
        'BEGIN { print from + (at - a) / (b - a) * (to - from) }'
}
# last FILE CLASS x|y: of a curve's last point
last() {
    value "$1" "$3" "$(at "$1" "//polyline[@class=\"$2\"]/@points" | awk -v which="$3" '
        { split($NF, point, ","); print which == "x" ? point[1] : point[2] }')"
}
# near A B: as much as a drawing can say
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 < 0.01 ^ 2) }'; }

# ---- without verdicts ----

check "rank" plot "$T/rank.svg" rank "$camp"
same "a dot for each execution" 11 "$(how_many "$T/rank.svg" '//circle//title')"
same "no legend" 0 "$(how_many "$T/rank.svg" '//g[@class="legend"]/*')"
"$ROXI" rank "$camp" >"$T/rank"
same "it is not typical" "odd yes" "$(head -n 1 "$T/rank" | awk '{ print $1, ($2 > 0 ? "yes" : "no") }')"
same "the first is the first" "$(head -n 1 "$T/rank" | sed 's/^/1: /; s/\t/, /')" \
    "$(at "$T/rank.svg" '(//circle//title)[1]')"
check "its height is its score" near "$(head -n 1 "$T/rank" | cut -f 2)" \
    "$(value "$T/rank.svg" y "$(at "$T/rank.svg" '(//circle)[1]/@cy')")"
same "the ten most unusual ones are named" "$(head -n 10 "$T/rank" | cut -f 1)" \
    "$(each "$T/rank.svg" "//text[starts-with(.,'run') or .='odd' or .='like']")"
same "it says of which campaign" "some/camp: 11 runs" "$(at "$T/rank.svg" '(//text)[2]')"
check "evaluate has nothing to draw" fails 1 'has the verdict failed' evaluate "$camp" --format svg -o "$T/new"

check "cluster" plot "$T/tree.svg" cluster "$camp" -k 3
same "a leaf for each execution" 11 "$(how_many "$T/tree.svg" '//circle//title')"
same "a fork for each merge" 10 "$(how_many "$T/tree.svg" '//polyline[@class="merge"]')"
heights() { "$ROXI" cluster "$camp" "$@" --format json | jq '[.merges[].height] | max'; }
top() {
    value "$1" x "$(at "$1" '(//polyline[@class="merge"])[last()]/@points' | awk '{ print $2 + 0 }')"
}
check "as high as it is" near "$(heights -k 3)" "$(top "$T/tree.svg")"
same "where it is cut" "3 clusters" "$(at "$T/tree.svg" '//text[contains(.,"clusters")]')"
check "of distances" plot "$T/tree.svg" cluster "$camp" --measure distance -s levenshtein --linkage single
check "as high as these are" near "$(heights --measure distance -s levenshtein --linkage single)" \
    "$(top "$T/tree.svg")"
same "not cut" 0 "$(how_many "$T/tree.svg" '//text[contains(.,"cluster")]')"
same "names, each once" "$("$ROXI" rank "$camp" | cut -f 1 | sort | xargs)" \
    "$(each "$T/tree.svg" "//text[@text-anchor='end' and @font-size=11]" | sort | xargs)"

# ---- with verdicts ----

sql "$camp" "UPDATE execution SET verdict = CASE WHEN name IN ('odd', 'like', 'run3') THEN 'failed'
    WHEN name != 'run9' THEN 'passed' END, verdict_by = 'user' WHERE name != 'run9'"
check "rank by verdict" plot "$T/rank.svg" rank "$camp"
same "what there is" "failed passed no verdict" \
    "$(each "$T/rank.svg" "//g[@class='legend']//text" | xargs)"
failed=$(at "$T/rank.svg" '(//g[@class="legend"]//circle)[1]/@fill')
same "failed ones have one colour" "like odd run3" \
    "$(each "$T/rank.svg" "//circle[@fill='$failed']//title" | sed 's/^[0-9]*: \(.*\),.*/\1/' | sort | xargs)"
check "cluster by verdict" plot "$T/tree.svg" cluster "$camp"
same "failed ones stand out" "like odd run3" \
    "$(each "$T/tree.svg" "//text[@font-weight='bold' and @font-size=11]" | sort | xargs)"

check "effort" plot "$T/effort.svg" evaluate "$camp" --inspection-effort
"$ROXI" evaluate "$camp" --inspection-effort >"$T/effort" 2>"$T/err"
all() { awk -F, "$1" "$T/effort"; }
check "roxi rank ends where all are found" near "$(all '$1 == "rank" { print $6 }')" \
    "$(last "$T/effort.svg" rank x)"
for order in random length; do
    check "$order order, too" near "$(all '$1 == "'$order'" { print $6 }')" "$(last "$T/effort.svg" $order x)"
done
check "and the best strategy in hindsight" near \
    "$(all '$3 == "best-all" { print $6 }' | sort -g | head -n 1)" "$(last "$T/effort.svg" best x)"
for class in rank random length best; do
    check "$class ends at 100 %" near 100 "$(last "$T/effort.svg" $class y)"
    same "$class: nothing, one, two, all" 4 "$(at "$T/effort.svg" "//polyline[@class='$class']/@points" | wc -w)"
done
same "ten others" 10 "$(how_many "$T/effort.svg" '//polyline[@class="other"]')"
same "executions without a verdict are left out" "some/camp: 3 of 10 runs failed" \
    "$(at "$T/effort.svg" '(//text)[2]')"

check "found" plot "$T/found.svg" evaluate "$camp"
"$ROXI" evaluate "$camp" >"$T/found" 2>"$T/err"
column=3
for strategy in $(head -n 1 "$T/found" | cut -d, -f 4- | tr , ' '); do
    column=$((column + 1))
    check "$strategy ends at the table's number" near \
        "$(awk -F, -v c=$column '$1 == "found" && $3 == 30 { print $c }' "$T/found")" \
        "$(last "$T/found.svg" "$strategy" y)"
done
check "at 30 %" near 30 "$(last "$T/found.svg" gap x)"

# ---- names that are not meant well ----

bad="$T/a <b> & \"c\" 'd'"$'\x01\n'
name=$'</text><script>alert("1")</script>&amp; \xe2\x80\xae \xef\xbf\xbf ]]>' # what a catalogue takes
mkdir "$T/in2"
for i in 1 2 3; do cp -r "$T/in/run$i" "$T/in2/run$i"; done
"$ROXI" import "$bad" "$T"/in2/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
sql "$bad" "UPDATE execution SET verdict_by = 'user', verdict = CASE name WHEN 'run1' THEN 'failed' ELSE
    'passed' END"
sql "$bad" "UPDATE execution SET name = '$name' WHERE name = 'run1'"
sql "$bad" "UPDATE execution SET name = '$(printf 'long%.0s' {1..500})' WHERE name = 'run2'"
for command in rank cluster evaluate 'evaluate --inspection-effort'; do
    # shellcheck disable=SC2086 # $command is a list of words
    check "$command: XML still" plot "$T/bad.svg" $command "$bad"
    same "$command: without further elements" 0 "$(how_many "$T/bad.svg" '//script')"
    same "$command: says where it is from" "true 3" "$(at "$T/bad.svg" '//metadata' |
        jq -r --arg camp "$bad" '"\(.campaign == $camp) \(.inputs.executions)"')"
done
plot "$T/bad.svg" cluster "$bad"
has "the name is shown" '&lt;/text&gt;&lt;script&gt;alert\(&quot;1&quot;\)' "$T/bad.svg"

# ---- options ----

same "--format json is --json" "$("$ROXI" rank "$camp" --json)" "$("$ROXI" rank "$camp" --format json)"
same "for evaluate, too" "$("$ROXI" evaluate "$camp" --json 2>"$T/err")" \
    "$("$ROXI" evaluate "$camp" --format json 2>"$T/err")"
same "--format tsv is what there is without" "$(cat "$T/rank")" "$("$ROXI" rank "$camp" --format tsv)"
same "--format csv as well" "$(cat "$T/found")" "$("$ROXI" evaluate "$camp" --format csv 2>"$T/err")"
same "the last one counts" "$(cat "$T/rank")" "$("$ROXI" rank "$camp" --json --format tsv)"
check "no such format" fails 2 "--format: 'png' is none of tsv|json|svg" rank "$camp" --format png
check "none of evaluate's" fails 2 "'tsv' is none of csv|json|svg" evaluate "$camp" --format tsv
check "a full device" fails 1 'No space' rank "$camp" --format svg -o /dev/full
