#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own build
# beside others
# The instrumented agent (VARIANT=asan) in a real JVM: no address errors, no undefined behaviour.
#   ASAN_SECONDS (default 3): how long each load runs.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
AGENT=$PWD/build/asan/libixor.so
MILLIS=$((${ASAN_SECONDS:-3} * 1000))
# The runtime must be the process's first library; signals and leaks are the JVM's own affair.
RUNTIME=$(gcc -print-file-name=libasan.so)
OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0
OPTIONS=$OPTIONS:detect_leaks=0:use_sigaltstack=0:exitcode=99

# instrumented NAME AGENT-OPTIONS [JVM-OPTION|CLASS|ARG]...
instrumented() {
    local name=$1 status
    beat_start "$name" --every 5 --once
    LD_PRELOAD=$RUNTIME ASAN_OPTIONS=$OPTIONS UBSAN_OPTIONS=print_stacktrace=1 jvm "$@"
    status=$?
    same "$name: exit status" "${STATUS:-0}" $status
    # A JVM that did not start has no agent, and its server would wait for one.
    if [ $status = "${STATUS:-0}" ]; then wait "$BEAT_PID"; else beat_stop; fi
    same "$name: nothing is found" "" "$(grep -hE -A 20 'Sanitizer|runtime error' \
        "$T/$name.out" "$T/$name.err" | head -n 30)"
    same "$name: nothing is said" "" "$(grep -v '^err exit' "$T/$name.err" | head -n 5)"
    same_packets "$name: the log has what was reported" "$name" "$name"
    check "$name: packets were taken ($(count_of '^packet' "$T/$name.txt"))" \
        at_least $((MILLIS / 200)) '^packet' "$T/$name.txt"
}

instrumented mixed walk=changed Mixed "$MILLIS"
instrumented churn walk=all,depth=20 Churn "$MILLIS"
instrumented suspend stop=suspend Churn "$MILLIS"
MILLIS=500
instrumented coverage coverage=on Churn "$MILLIS"
check "coverage: blocks are told ($(count_of '^covered' "$T/coverage.txt"))" at_least 10 '^covered' "$T/coverage.txt"
STATUS=3 instrumented exit role=x Exit exit 500
