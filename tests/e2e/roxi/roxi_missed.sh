#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# A branch that one run of twelve does not take any more, because a number is wrong: no code of its own says so, nothing
# is slower, and nobody checks what it leads to. roxi explain names the line, and since when.
. tests/support/lib.sh
export B JAVA_HOME JAVA_CLASSES

cat >"$T/run.sh" <<'EOF'
item=1000
[ "$IXOR_RUN" != "$WRONG" ] || item=100
exec "$JAVA_HOME/bin/java" -Dixor.role=Till -cp "$JAVA_CLASSES" Discount $item
EOF
WRONG=7 "$IXOR" run --runs 12 --every 20ms --out "$T/camp" -- bash "$T/run.sh" >"$T/out" 2>&1
same "all runs passed" 12 "$(sqlite3 "$T/camp/campaign.db" "SELECT count(*) FROM execution WHERE verdict = 'passed'")"
same "and one added up to something else" 2 "$(grep -hx '[0-9]*' "$T/camp"/runs/*/output.txt | sort -u | wc -l)"

line=$(sed -n '/\/\/ cheaper$/=' tests/java/Discount.java)
# pauses RUN: of the branch, as the log tells it: packets; 0: it is over
pauses() {
    for log in "$T/camp/runs/$1"/*.ixl; do
        "$ROXI" dump "$log"
    done | awk -v place="Discount.price:$line" '$NF == place && /^not executed for/ { print $4 }
        $0 == "executed again: " place { print 0 }' | xargs
}
check "the log says that it was not executed any more ($(pauses run0007))" test -n "$(pauses run0007)"
same "and not that it was again" "" "$(pauses run0007 | tr ' ' '\n' | sed -n '$p' | grep -x 0)"

"$ROXI" explain "$T/camp" run0007 --all --json >"$T/json" 2>"$T/err"
jq '[.findings[] | select(.kind == "not-executed")]' "$T/json" >"$T/found"
same "one finding: the line" "1 Till Discount.price(Discount.java:$line) 11 0" "$(jq -r 'length as $n | .[0] |
    [$n, .role, .path[], .normal_runs, .normal_runs_like_this] | join(" ")' "$T/found")"
check "for how long ($(jq .[0].here "$T/found") packets of 75 or so)" \
    jq -e '.[0].here >= 20 and .[0].elsewhere < 8' "$T/found"
check "and since when ($(jq .[0].since_ns "$T/found") ns)" \
    jq -e '.[0].since_ns > 4e8 and .[0].packet > 1' "$T/found"
"$ROXI" explain "$T/camp" run0007 --all >"$T/text" 2>"$T/err"
has "in words" '^    did not reach a part of Discount\.price for [0-9]+ packets in which it executed$' "$T/text"
has "with the line" "^     > Discount\.price\(Discount\.java:$line\)\$" "$T/text"
same "of 80 columns at most" 0 "$(awk 'length > 80' "$T/text" | wc -l)"
same "nothing like it in another run" 0 "$("$ROXI" explain "$T/camp" run0004 --all --json 2>"$T/err" |
    jq '[.findings[] | select(.kind == "not-executed")] | length')"

# What failed runs have in common.
sqlite3 "$T/camp/campaign.db" "UPDATE execution SET verdict = 'failed' WHERE name = 'run0007'"
"$ROXI" explain "$T/camp" --failed --json >"$T/json" 2>"$T/err"
same "what failed runs do" "run0007 1 0 Discount.price(Discount.java:$line)" "$(jq -r '.findings[0] |
    [.execution, .in, .in_others, .path[]] | join(" ")' "$T/json")"

# Methods are compared, not lines: nothing is known of branches.
"$ROXI" explain "$T/camp" run0007 --all --granularity method --json >"$T/json" 2>"$T/err"
same "without lines there is none" 0 "$(jq '[.findings[] | select(.kind == "not-executed")] | length' "$T/json")"
