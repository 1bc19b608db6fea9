# A stop that walks only the threads that may have run gives what a full walk gives.
#   INCREMENTAL_SECONDS (default 8): how long the mixed load is compared; some 300 packets a second.
. "$ROOT/tests/e2e/lib.sh"
. "$ROOT/tests/e2e/agent_lib.bash"
SECONDS_OF_LOAD=${INCREMENTAL_SECONDS:-8}

# total NAME WORD: the figure before WORD in what verify=on says at the end
total() { sed -n "s/^ixor: verify: .*[ ,]\([0-9]*\) $2.*/\1/p" "$T/$1.err"; }

# verified NAME EVERY SECONDS [JVM-OPTION]...: full walks, compared with what would have been reused
verified() {
    local name=$1 every=$2 seconds=$3
    shift 3
    beat_start "$name" --every "$every" --once
    jvm "$name" verify=on "$@" Mixed $((seconds * 1000))
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    same "$name: $(total "$name" packets) packets, $(total "$name" reused) reused stacks and states: \
differences" 0 "$(total "$name" mismatches)"
    check "$name: half of the stacks and more are reused" \
        [ "$(total "$name" reused)" -gt $(($(total "$name" thread) / 2)) ]
    check "$name: enough packets" [ "$(total "$name" packets)" -ge $((seconds * 5)) ]
    same "$name: nothing else is said" 1 "$(count_of . "$T/$name.err")"
}

# operations NAME: how often the JVM stopped for all threads, and for some
operations() { grep -c "\"$2\"" "$T/$1.safepoints"; }

# walks NAME OPTIONS EVERY CLASS ARG...
walks() {
    local name=$1 options=$2 every=$3
    shift 3
    beat_start "$name" --every "$every" --once
    jvm "$name" "$options" -Xcheck:jni "-Xlog:safepoint:file=$T/$name.safepoints" "$@"
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    same_packets "$name: the log has what was reported" "$name" "$name"
    same "$name: the log is valid" "" "$(cat "$T/$name.txt.err")"
    quiet "$name: -Xcheck:jni is silent" "$T/$name.out" "$T/$name.err"
}

verified mixed 3 "$SECONDS_OF_LOAD"
verified z 5 2 -XX:+UseZGC -Xmx128m
verified serial 2 2 -XX:+UseSerialGC -Xmx64m

walks mixed-changed walk=changed 3 Mixed 1500
walks changed walk=changed 20 Mixed 3000 calm
check "changed: most stops are for some threads: $(operations changed GetThreadListStackTraces) of \
$(count_of '^taken' "$T/changed.beat") packets" \
    [ "$(operations changed GetThreadListStackTraces)" -gt \
        $(($(count_of '^taken' "$T/changed.beat") / 2)) ]
walks churn walk=changed 5 Churn 1500
walks all walk=all 20 Mixed 1000
same "all: no stop is for some threads" 0 "$(operations all GetThreadListStackTraces)"
check "all: one stop a packet" [ "$(operations all GetAllStackTraces)" -ge \
    "$(count_of '^taken' "$T/all.beat")" ]

# Few descriptors: the JVM keeps a quarter's limit, the rest of the threads is walked, nothing else.
ulimit -S -n 64
walks few walk=changed,log="$T/few.ixl" 20 -XX:-MaxFDLimit Mixed 1500
same "few descriptors: no stack is lost" "" "$(awk -F'\t' '$1 == "packet" && $7 < 60' "$T/few.txt" |
    tail -n +20)"
