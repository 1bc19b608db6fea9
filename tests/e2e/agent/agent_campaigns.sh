# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# A JVM without a key of its own outlives its campaign and joins the next one on the same port.
. "$ROOT/tests/support/lib.sh"
AGENT=$PWD/build/libixor.so

unset IXOR_KEY
export XDG_RUNTIME_DIR=$T/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
# serve DIR ADDRESS: a server; sets server (its process) and address
serve() {
    : >"$T/out"
    : >"$T/out"
    "$IXOR" serve --out "$1" --listen "$2" --every 20ms >"$T/out" 2>"$T/err" &
    server=$!
    wait_for 10 grep -q '^with key=FILE' "$T/out"
    address=$(sed -n 's/^listening on //p' "$T/out")
}
stop() {
    kill -INT $server
    wait $server
}
sampled() { [ "$(sqlite3 -batch "$1/campaign.db" 'select count(*) from snapshot' 2>/dev/null)" -ge "$2" ]; }

serve "$T/first" 127.0.0.1:0
"$JAVA" "-agentpath:$AGENT=server=$address,role=Old,log=$T/old.ixl" -cp "$JAVA_CLASSES" \
    Until 60000 "$T/stop" >"$T/jvm.out" 2>"$T/jvm.err" &
jvm=$!
check "the first campaign has its packets" wait_for 20 sampled "$T/first" 20
stop
serve "$T/second" "$address"
check "so has the next one on that port" wait_for 20 sampled "$T/second" 5
touch "$T/stop"
wait $jvm
same "the application ends as it would have" 0 $?
same "nothing is logged" "" "$(cat "$T/jvm.err")"
stop
sql() { sqlite3 -batch "$T/$1/campaign.db" "$2"; }
# packets LOG: the numbers in a log
packets() { "$PWD/build/helpers/logcat" "$1" 2>"$T/dump.err" | sed -n 's/^packet\t\([0-9]*\)\t.*/\1/p'; }
same "the second campaign's packets begin at 1" 1 "$(sql second 'select min(number) from packet')"
same "each campaign has a log of its own" "$T/old.ixl $T/old-2.ixl" \
    "$(sql first 'select log from vm') $(sql second 'select log from vm')"
for campaign in first second; do # the last packets may be in the log alone: nobody asked for the report
    same "$campaign: the log has what was reported" "" \
        "$(sql $campaign 'select packet from snapshot' | grep -vxFf <(packets "$(sql $campaign 'select log from vm')"))"
done
