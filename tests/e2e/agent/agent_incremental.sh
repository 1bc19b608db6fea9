# SPDX-License-Identifier: Apache-2.0
# A stop that walks only the threads that may have run gives the same result as a full walk.
#   INCREMENTAL_PACKETS (default 400): how many full walks of the mixed load are compared.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
PACKETS=${INCREMENTAL_PACKETS:-400}

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
    check "$name: a quarter of the stacks and more are reused" [ "$reused" -gt $((threads / 4)) ]
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

# known NAME: from the first packet with all 48 parkers and interrupted threads to the last such one,
# each of them is in each packet; prints the share of those that are not, which is that of the unknown.
# After the last one the JVM ends, and threads go.
known() {
    awk -F'\t' '
        $1 == "packet" { judge(); there = 0 }
        $1 == "thread" && $3 ~ /^(parker|interrupted)-/ { there++ }
        function judge() {
            whole = whole || there == 48
            if (!whole) return
            packets++
            missing += 48 - there
            if (there == 48) { all = packets * 48; unknown = missing }
        }
        END {
            judge()
            printf "%d of %d unknown (%.4f %%)\n", unknown, all, (all > 0 ? unknown * 100 / all : 100)
            exit !(all >= 20 * 48 && unknown * 1000 < all)
        }' "$T/$1.txt"
}

verified mixed 4 "$PACKETS"
verified z 5 $((PACKETS / 2)) -XX:+UseZGC -Xmx128m
verified serial 3 $((PACKETS / 2)) -XX:+UseSerialGC -Xmx64m

walks mixed-changed walk=changed 3 Mixed 1000
check "mixed-changed: nobody is unknown at any instant: $(known mixed-changed)" known mixed-changed
walks changed walk=changed 20 Mixed 1500 calm
check "changed: stops are for some threads: $(operations changed GetThreadListStackTraces) of \
$(count_of '^taken' "$T/changed.beat") packets" \
    [ "$(operations changed GetThreadListStackTraces)" -gt \
        $(($(count_of '^taken' "$T/changed.beat") / 5)) ]
walks churn walk=changed 5 Churn 800
# Virtual threads would be walked by a list, with all others.
walks all walk=all,virtual=off 20 Mixed 600
same "all: no stop is for some threads" 0 "$(operations all GetThreadListStackTraces)"
check "all: one stop a packet" [ "$(operations all GetAllStackTraces)" -ge \
    "$(count_of '^taken' "$T/all.beat")" ]

# Few descriptors: the JVM keeps a quarter's limit, the rest of the threads is walked, nothing else.
ulimit -S -n 64
walks few walk=changed,log="$T/few.ixl" 20 -XX:-MaxFDLimit Mixed 800
# Once all threads have been there; while the JVM ends, some may have gone.
same "few descriptors: no stack is lost" "" "$(awk -F'\t' '
    $1 == "packet" { if (lost) print lost; lost = whole && $7 < 60 ? $0 : ""; whole = whole || $7 >= 60 }
    END { if (!whole) print "never 60 threads" }' "$T/few.txt")"
