#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own build
# beside others
# Out of memory: the Nth allocation of the agent fails (including OpenSSL's inside it), then all
# from the Nth on. The JVM runs as without the agent: same output and status, and at most one agent
# line.
#   ALLOCATION_POINTS (default 12, at least 2): how many N, spread over the agent's lifetime.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
AGENT=$PWD/build/count/libixor.so
points=${ALLOCATION_POINTS:-12}

beat_start server --every 10
# life FAIL: a JVM with a few packets, monitors and exceptions included, in turn the first ones and
# all; "wrong ..." if it minds
exceptions=first
life() {
    local status
    [ $exceptions = on ] && exceptions=first || exceptions=on
    rm -f "$T"/life.*
    IXOR_FAIL=$1 IXOR_COUNT=$T/count timeout -s ABRT 30 "$JAVA" \
        "-agentpath:$AGENT=server=127.0.0.1:$PORT,log=$T/life.ixl,locks=on,exceptions=$exceptions,process=on,connections=on,invocations=on,coverage=on" \
        -XX:-CreateCoredumpOnCrash -XX:ErrorFile="$T/hs_err_pid$1" -cp "$JAVA_CLASSES" Exit exit 150 \
        >"$T/life.out" 2>"$T/life.err"
    status=$?
    [ $status = 3 ] || echo "wrong $1: status $status"
    [ "$(cat "$T/life.out")" = "out exit" ] || echo "wrong $1: stdout"
    [ "$(grep -v '^ixor: ' "$T/life.err")" = "err exit" ] || echo "wrong $1: stderr"
    [ "$(count_of '^ixor: ' "$T/life.err")" -le 1 ] || echo "wrong $1: more than a line"
}

life 0 >"$T/wrong"
same "nothing fails: nothing is wrong" "" "$(cat "$T/wrong")"
all=$(sed -n 's/^allocations \([0-9]*\) failed 0$/\1/p' "$T/count")
check "nothing fails: packets were taken" grep -q '^taken' "$T/server.beat"
check "the agent allocates ($all times)" [ "${all:-0}" -ge 100 ]

# The first ones densely, for there the agent begins: in the cubes of even steps.
: >"$T/count" && : >"$T/wrong"
steps=$((points - 1))
for ((i = 0; i <= steps; i++)); do
    n=$((1 + i * i * i * (all - 1) / (steps * steps * steps)))
    life $n >>"$T/wrong"
    life $n+ >>"$T/wrong"
done
same "allocations fail at $((2 * points)) points: no JVM minds" "" "$(head -n 5 "$T/wrong")"
failed=$(grep -c 'failed [1-9]' "$T/count")
check "and they did fail ($failed of $((2 * points)) JVMs)" [ "$failed" -ge $((points * 4 / 3)) ]
same "no crash" "" "$(ls "$T"/hs_err* 2>/dev/null)"
check "the server goes on" kill -0 "$BEAT_PID"
beat_stop
