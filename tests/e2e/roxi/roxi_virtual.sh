#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# shellcheck disable=SC2016
# Systems of virtual threads: those that wait are recorded, too, and roxi explain says where they wait in the
# JVM at fault.
. tests/support/lib.sh
export B JAVA_HOME JAVA_CLASSES

"$JAVA" -version 2>&1 | grep -qE 'version "(2[1-9]|[3-9])' || {
    skip "this JDK has no virtual threads"
    exit 0
}

# Every third run has the fault, and fails in the end.
cat >"$T/run.sh" <<'EOS'
. tests/support/lib.sh
fault=none T=$(mktemp -d "$1.XXXXXX")
echo >>"$1.runs"
[ $(($(wc -l <"$1.runs") % 3)) != 0 ] || fault=permits
"$JAVA" -cp "$JAVA_CLASSES" 'Served$Server' "$T/port" $fault &
server=$!
wait_for 60 test -e "$T/port" || exit 2
"$JAVA" -cp "$JAVA_CLASSES" 'Served$Client' "$T/port" || exit 2
wait $server && [ $fault = none ]
EOS
"$IXOR" run --runs 9 --every 50ms --out "$T/camp" -- bash "$T/run.sh" "$T/run" >"$T/out" 2>&1
same "three runs failed" "run0003 run0006 run0009" "$(sqlite3 "$T/camp/campaign.db" \
    "SELECT name FROM execution WHERE verdict = 'failed' ORDER BY name" | xargs)"

for log in "$T"/camp/runs/run0001/*.ixl; do
    "$ROXI" dump "$log"
done >"$T/dump"
has "clients that wait are recorded" 'Served\$Client\.ask' "$T/dump"
has "and threads of the server that do" 'Served\$Server\.serve' "$T/dump"

"$ROXI" rank "$T/camp" >"$T/rank" 2>"$T/err"
same "they come first" "run0003 run0006 run0009" "$(head -n 3 "$T/rank" | cut -f 1 | sort | xargs)"
for run in run0003 run0006 run0009; do
    same "$run: the server, where it waits for a permit" 'Server Served$Server.answer' "$("$ROXI" explain \
        "$T/camp" $run --json 2>"$T/err" | jq -r '.findings[0] |
        [.role, ([.path[]? | select(startswith("Served"))][0] // "" | sub("\\(.*"; ""))] | join(" ")')"
    "$ROXI" explain "$T/camp" $run >"$T/text" 2>"$T/err"
    has "$run: its threads have no name" 'Server, thread without a name' "$T/text"
    has "$run: and wait" 'mostly waiting for$' "$T/text"
done
