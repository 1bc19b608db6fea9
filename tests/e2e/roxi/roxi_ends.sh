# SPDX-License-Identifier: Apache-2.0
# beside others
# roxi waits: the ends of connections that it joins, checked against what programs know that ask each
# other all the time. ENDS (default 300): so many for each kind of connection, in runs of some thousand
# at most. WRONG_KEPT: a directory to which runs with wrong ends are copied.
. tests/support/lib.sh
. tests/support/waits_lib.bash

ENDS=${ENDS:-300}
ROLES='one two three four'
CLIENTS=4 PACKETS=60
[ "$ENDS" -le 1000 ] || CLIENTS=8 PACKETS=300
# mesh.sh: its members; ends when each has taken PACKETS
cat >"$T/mesh.sh" <<END
. tests/support/lib.sh
packets() { "$LOGCAT" "\$1" 2>/dev/null | grep -c '^packet'; }
taken() { for log in "\$IXOR_RUN_DIR"/*.ixl; do [ "\$(packets "\$log")" -ge \$1 ] || return 1; done; }
for role in $ROLES; do
    IXOR_ROLE=\$role "$JAVA" -Xmx64m -XX:+UseSerialGC -cp "$JAVA_CLASSES" Mesh "\$DIR" "\$HOST" "\$OVER" \
        "\$THREADS" $CLIENTS \$role \$(printf '%s\n' $ROLES | grep -vx \$role) &
done
ready() { for role in $ROLES; do [ -e "\$DIR/\$role.ready" ] || return 1; done; }
wait_for 60 ready
wait_for 120 taken $PACKETS
touch "\$DIR/stop"
wait
END

# ends NAME OVER THREADS HOST: runs until ENDS ends have been joined
ends() {
    local name=$1 threads=0 jvms=0 wrong=0 runs=0
    while [ $((threads + jvms)) -lt "$ENDS" ]; do
        runs=$((runs + 1))
        rm -rf "${T:?}/$name" "$T/$name.dir"
        mkdir "$T/$name.dir"
        OVER=$2 THREADS=$3 HOST=$4 DIR=$T/$name.dir "$IXOR" run --agent "$AGENT" --every 20ms \
            --timeout 300s --out "$T/$name" -- bash "$T/mesh.sh" >"$T/$name.out" 2>&1 ||
            not_ok "$name: run $runs: $(tail -n 5 "$T/$name.out")"
        "$ROXI" waits "$T/$name" run0001 --json >"$T/$name.json" 2>"$T/$name.err" ||
            not_ok "$name: roxi waits of run $runs: $(cat "$T/$name.err")"
        joined "$name"
        [ $((THREAD_ENDS + JVM_ENDS)) -gt 0 ] || { not_ok "$name: run $runs has no joined ends"; return; }
        threads=$((threads + THREAD_ENDS)) jvms=$((jvms + JVM_ENDS)) wrong=$((wrong + WRONG_ENDS))
        [ "$WRONG_ENDS" = 0 ] || [ -z "${WRONG_KEPT:-}" ] || cp -r "$T/$name" "$T/$name.dir" "$T/$name.json" "$WRONG_KEPT/"
    done
    same "$name: $threads ends with threads, $jvms with JVMs, in $runs runs, agree with the diaries; wrong are" \
        0 $wrong
}

ends socket socket platform 127.0.0.1
ends nio nio platform 127.0.0.1
if grep -q "^0*1 " /proc/net/if_inet6; then
    ends ipv6 socket platform ::1
else
    skip "no IPv6 here"
fi
if "$JAVA" -version 2>&1 | grep -Eq '"(2[1-9]|[3-9][0-9])'; then
    ends virtual socket virtual 127.0.0.1
else
    skip "virtual threads need JDK 21"
fi
