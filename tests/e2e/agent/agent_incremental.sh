# SPDX-License-Identifier: Apache-2.0
# A stop that walks only the threads that may have run would give the same result as a full walk. How many threads
# rest between two packets depends on the machine's load, so that it runs alone.
#   INCREMENTAL_PACKETS (default 250): how many full walks of the mixed load are compared.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
PACKETS=${INCREMENTAL_PACKETS:-250}

# total NAME WORDS: the figure before WORDS in what verify=on says at the end
total() { sed -n "s/^ixor: verify: .*[ ,]\([0-9]*\) $2.*/\1/p" "$T/$1.err"; }

# verified NAME EVERY PACKETS [JVM-OPTION]...: full walks, compared with what would have been reused
verified() {
    local name=$1 every=$2 packets=$3 threads reused
    shift 3
    beat_start "$name" --every "$every" --once
    jvm_start "$name" verify=on "$@" Mixed 0
    check "$name: $packets packets" wait_for $((60 + packets / 10)) \
        at_least "$packets" '^taken' "$T/$name.beat"
    jvm_finish
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    threads=$(total "$name" "thread states") reused=$(total "$name" reused)
    same "$name: $(total "$name" "packets,") packets, $threads stacks and states, of which $reused would \
be reused: differences" 0 "$(total "$name" mismatches)"
    grep '^ixor: verify: .*thread [0-9]*:\|^ixor: verify: a thread' "$T/$name.err" >&2
    check "$name: a quarter of the stacks and more are reused" [ "$reused" -gt $((threads / 4)) ]
    same "$name: nothing else is said" 1 "$(count_of . "$T/$name.err")"
}

verified mixed 4 "$PACKETS"
verified z 5 $((PACKETS / 2)) -XX:+UseZGC -Xmx128m
verified serial 3 $((PACKETS / 2)) -XX:+UseSerialGC -Xmx64m

walks changed walk=changed 20 70 Mixed 0 calm
check "changed: stops are for some threads: $(operations changed GetThreadListStackTraces) of \
$(count_of '^taken' "$T/changed.beat") packets" \
    [ "$(operations changed GetThreadListStackTraces)" -gt \
        $(($(count_of '^taken' "$T/changed.beat") / 5)) ]
