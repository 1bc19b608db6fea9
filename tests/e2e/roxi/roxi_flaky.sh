#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# shellcheck disable=SC2016
# What flaky tests mostly fail for, with real JVMs: roxi explain names the JVM and the code in its first
# finding. The server cannot bind its port; the client is refused; the server does not end when its client
# has.
. tests/support/lib.sh
export JAVA JAVA_CLASSES T

# Every third run has the fault. The server is up before its client starts.
cat >"$T/run.sh" <<'EOF'
#!/usr/bin/env bash
port=$(mktemp -u "$T/port.XXXXXX") fault=none
echo >>"$T/$1.runs"
[ $(($(wc -l <"$T/$1.runs") % 3)) != 0 ] || fault=$1
"$JAVA" -cp "$JAVA_CLASSES" 'Flaky$Server' "$port" $fault &
server=$!
until [ -e "$port" ]; do
    kill -0 $server 2>/dev/null || exit 1
    sleep 0.02
done
"$JAVA" -cp "$JAVA_CLASSES" 'Flaky$Client' "$port" $fault || { kill $server; exit 1; }
[ $fault != hang ] || { sleep 3; kill $server; exit 1; }
wait $server
EOF
chmod +x "$T/run.sh"

# first FAULT RUN: role, kind and the application's method of the first finding
first() {
    "$ROXI" explain "$T/$1.camp" "$2" --json 2>"$T/err" | jq -r '.findings[0] |
        [.role, .kind, ([.path[]? | select(startswith("Flaky"))][0] // "" | sub("\\(.*"; ""))] | join(" ")'
}
for fault in bind refused hang; do
    "$IXOR" run --runs 6 --every 50ms --out "$T/$fault.camp" -- "$T/run.sh" $fault >"$T/$fault.out" 2>&1
    same "$fault: two runs failed" "run0003 run0006" "$(sqlite3 "$T/$fault.camp/campaign.db" \
        "SELECT name FROM execution WHERE verdict = 'failed' ORDER BY name" | xargs)"
    "$ROXI" rank "$T/$fault.camp" >"$T/rank" 2>"$T/err"
    same "$fault: they come first" "run0003 run0006" "$(head -n 2 "$T/rank" | cut -f 1 | sort | xargs)"
done
for run in run0003 run0006; do
    same "$run: a port that is taken" 'Server first-exception Flaky$Server.open' "$(first bind $run)"
    same "$run: a connection that is refused" 'Client first-exception Flaky$Client.connect' "$(first refused $run)"
    same "$run: a server that does not end" 'Server only-here Flaky$Server.drain' "$(first hang $run)"
done
