#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# shellcheck disable=SC2016
# What flaky tests mostly fail for, with real JVMs: roxi explain names the JVM and the code in its first
# finding. The server cannot bind its port; the client is refused; the server does not end when its client
# has.
. tests/support/lib.sh
export B JAVA_HOME JAVA_CLASSES

# Every third run has the fault. A JVM begins when it has taken five packets, the client when the server
# is up; a server that hangs does so until it has taken 100.
cat >"$T/run.sh" <<'EOF'
. tests/support/lib.sh
fault=none linger=1 T=$(mktemp -d "$1.XXXXXX")
echo >>"$1.runs"
[ $(($(wc -l <"$1.runs") % 3)) != 0 ] || fault=${1##*/}
[ $fault != hang ] || linger=0 # no code of its own

# packets PID N: the JVM has taken at least so many in this run
packets() {
    [ "$(sqlite3 "$IXOR_RUN_DIR/../../campaign.db" "SELECT count(*) FROM snapshot
        WHERE vm = (SELECT max(id) FROM vm WHERE pid = $1)")" -ge "$2" ]
}
# jvm CLASS: starts it; its number is in $started
jvm() {
    mkfifo "$T/$1"
    "$JAVA" -Dlinger=$linger -cp "$JAVA_CLASSES" "Flaky\$$1" "$T/port" $fault <"$T/$1" &
    started=$!
    exec {begin}>"$T/$1"
    wait_for 60 packets $started 5 && echo >&$begin
}
jvm Server || exit 2
server=$started
wait_for 60 eval '[ -e "$T/port" ] || ! kill -0 $server' 2>/dev/null
[ -e "$T/port" ] || exit 1
jvm Client && wait $started || { kill $server; exit 1; }
[ $fault != hang ] || { wait_for 60 packets $server 100; kill $server; exit 1; }
wait $server
EOF

# How long a JVM waits for its beginning is chance.
{ "$ROXI" rules && echo 'idle /^java\.io\.FileInputStream\.read/'; } >"$T/rules"

# first FAULT RUN: role, kind and the application's method of the first finding
first() {
    "$ROXI" explain "$T/$1.camp" "$2" --rules "$T/rules" --json 2>"$T/err" | jq -r '.findings[0] |
        [.role, .kind, ([.path[]? | select(startswith("Flaky"))][0] // "" | sub("\\(.*"; ""))] | join(" ")'
}
for fault in bind refused hang; do
    "$IXOR" run --runs 6 --every 50ms --out "$T/$fault.camp" -- bash "$T/run.sh" "$T/$fault" >"$T/$fault.out" 2>&1
    same "$fault: two runs failed" "run0003 run0006" "$(sqlite3 "$T/$fault.camp/campaign.db" \
        "SELECT name FROM execution WHERE verdict = 'failed' ORDER BY name" | xargs)"
    "$ROXI" rank "$T/$fault.camp" --rules "$T/rules" >"$T/rank" 2>"$T/err"
    same "$fault: they come first" "run0003 run0006" "$(head -n 2 "$T/rank" | cut -f 1 | sort | xargs)"
done
for run in run0003 run0006; do
    same "$run: a port that is taken" 'Server first-exception Flaky$Server.open' "$(first bind $run)"
    same "$run: a connection that is refused" 'Client first-exception Flaky$Client.connect' "$(first refused $run)"
    same "$run: a server that does not end" 'Server Flaky$Server.drain' \
        "$(first hang $run | sed 's/ only-here / /; s/ longer / /')"
done
