#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# shellcheck disable=SC2016
# A branch that one run of fourteen takes: it needs no time, no call stack shows it, and the answer that is wrong
# because of it is not checked. That run comes first all the same, and roxi explain names the line.
. tests/support/lib.sh
export B JAVA_HOME JAVA_CLASSES

# In run $WRONG the price of an item in the middle is wrong.
cat >"$T/run.sh" <<'EOS'
. tests/support/lib.sh
item=-1 T=$(mktemp -d "$1.XXXXXX")
[ "$IXOR_RUN" != "$WRONG" ] || item=25
"$JAVA" -cp "$JAVA_CLASSES" 'Priced$Server' "$T/port" $item &
server=$! # wait_for starts a process, too
wait_for 60 test -e "$T/port" || exit 2
"$JAVA" -cp "$JAVA_CLASSES" 'Priced$Client' "$T/port" || exit 2
wait $server
EOS

# campaign NAME RUNS WRONG [OPTION]...
campaign() {
    local name=$1 runs=$2
    export WRONG=$3
    shift 3
    "$IXOR" run --runs "$runs" --every 20ms --out "$T/$name" "$@" -- bash "$T/run.sh" "$T/$name.run" \
        >"$T/$name.out" 2>&1
}
campaign without 5 3 --no-coverage &
other=$!
campaign camp 14 9
wait $other
same "all runs passed" "14 5" "$(for name in camp without; do
    sqlite3 "$T/$name/campaign.db" "SELECT count(*) FROM execution WHERE verdict = 'passed'"
done | xargs)"
same "and the client got other prices in one of each" "1 1" "$(for name in camp without; do
    grep -L '^2380$' "$T/$name"/runs/*/output.txt | wc -l
done | xargs)"
for name in camp without; do
    sqlite3 "$T/$name/campaign.db" "UPDATE execution SET verdict = 'unknown', verdict_by = NULL"
done

# ---- what was recorded ----

line=$(sed -n '/\/\/ rare$/=' tests/java/Priced.java)
# executed CAMPAIGN RUN: the first packet after the branch was taken, if it was
executed() {
    for log in "$T/$1/runs/$2"/Server-*.ixl; do
        "$ROXI" dump "$log"
    done | awk -v at="executed: Priced\$Server.price:$line" '/^packet / { packet = $2 + 0 }
        $0 == at { print packet; exit }'
}
packet=$(executed camp run0009)
check "the branch was taken while the server served (packet ${packet:-none})" test "${packet:-0}" -gt 1
same "and in no other run" "" "$(for run in run0001 run0008 run0010 run0014; do
    executed camp $run
done)"

# ---- roxi ----

"$ROXI" rank "$T/camp" >"$T/rank" 2>"$T/err"
same "it comes first" run0009 "$(head -n 1 "$T/rank" | cut -f 1)"
"$ROXI" rank "$T/camp" --explain --json >"$T/rank.json" 2>"$T/err"
same "because of its code" "Server covered 16 0" "$(jq -r 'first(.. | objects | select(.name? == "run0009" or
    .execution? == "run0009")) | first(.. | objects | select(.kind? == "covered")) |
    "\(.role) \(.kind) \(.packets) \(.typical)"' "$T/rank.json")"

# told NAME FILE: what the first finding is
told() {
    same "$1: the server, the line and the packet" \
        "executed-here Server Priced\$Server.price(Priced.java:$line) $packet 1 13 0" "$(jq -r '.findings[0] |
        [.kind, .role, .path[], .packet, .here, .normal_runs, .normal_runs_like_this] | join(" ")' "$2")"
}
"$ROXI" explain "$T/camp" run0009 --all --json >"$T/json" 2>"$T/err"
told "roxi explain" "$T/json"
"$ROXI" explain "$T/camp" run0009 --all >"$T/text" 2>"$T/err"
has "in words" "^ 1\. Server, since packet $packet \(" "$T/text"
has "what" '^    executed code in Priced\$Server\.price that normal runs do not; none of 13$' "$T/text"
has "where" "^     > Priced\\\$Server\.price\(Priced\.java:$line\)\$" "$T/text"
same "of 80 columns at most" 0 "$(awk 'length > 80' "$T/text" | wc -l)"
same "nothing like it in another run" 0 "$("$ROXI" explain "$T/camp" run0004 --all --json 2>"$T/err" |
    jq '[.findings[] | select(.path[]? | startswith("Priced$Server.price"))] | length')"

# Of a run that failed, without asking for all.
sqlite3 "$T/camp/campaign.db" "UPDATE execution SET verdict = 'passed';
    UPDATE execution SET verdict = 'failed' WHERE name = 'run0009'"
"$ROXI" explain "$T/camp" run0009 --json >"$T/json" 2>"$T/err"
told "it failed" "$T/json"
"$ROXI" explain "$T/camp" --failed >"$T/text" 2>"$T/err"
has "it failed: what failed runs do" 'executed code in Priced\$Server\.price' "$T/text"

# ---- without ----

same "--no-coverage: nothing is known of it" "" "$(executed without run0003)"
"$ROXI" explain "$T/without" run0003 --all --json >"$T/json" 2>"$T/err"
same "nor told" 0 "$(jq '[.findings[] | select(.kind == "executed-here")] | length' "$T/json")"
same "nor ranked" 0 "$("$ROXI" rank "$T/without" --explain --json 2>"$T/err" |
    jq '[.. | objects | select(.kind? == "covered")] | length')"
