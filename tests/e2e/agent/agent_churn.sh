# SPDX-License-Identifier: Apache-2.0
# beside others
# What could harm the host program: threads that end during the capture, classes that are unloaded,
# all garbage collectors, a debugger next to the agent.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# enough NAME: packets were taken, and short threads and classes are in the log
enough() {
    at_least "$PACKETS" '^taken' "$T/$1.beat" && log_of "$1" &&
        grep -q $'^thread\t[0-9]*\tchurn-' "$T/$1.txt" && grep -q 'Churn\$Unit\.step(I)J:' "$T/$1.txt"
}

# churn NAME OPTIONS [JVM-OPTION]...: Churn sampled every 5 ms until there are enough packets; the log
# must be valid
churn() {
    local name=$1 options=$2
    shift 2
    beat_start "$name" --every 5 --once
    jvm_start "$name" "$options" "$@" Churn 0
    check "$name: $PACKETS packets are taken, with short threads and classes" wait_for 60 enough "$name"
    jvm_finish
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    same "$name: the program's output" 1 "$(count_of '^started [0-9]+$' "$T/$name.out")"
    same_packets "$name: the log has what was reported" "$name" "$name"
    same "$name: the log is valid" "" "$(cat "$T/$name.txt.err")"
}

# Every thread (by its Java id) is in a snapshot or counted as missed: the two together are the highest
# logical start, but for those that came and went around the last snapshot.
accounted() {
    awk -F'\t' '
        $1 == "packet" { missed += $6; packets++ }
        $1 == "thread" { if (!($10 in seen)) n++; seen[$10] = 1; if ($4 > top) top = $4 }
        END {
            printf "%d seen, %d missed, highest start %d\n", n, missed, top
            difference = n + missed - top
            exit !(packets && difference <= 20 + top / 20 && difference >= -10)
        }' "$T/$1.txt"
}

PACKETS=300
churn safepoint role=x -Xcheck:jni
quiet "safepoint: -Xcheck:jni is silent" "$T/safepoint.out" "$T/safepoint.err"
check "safepoint: all threads are accounted for: $(accounted safepoint)" accounted safepoint
churn suspend stop=suspend -Xcheck:jni
quiet "suspend: -Xcheck:jni is silent" "$T/suspend.out" "$T/suspend.err"

PACKETS=100
for collector in Serial Parallel G1 Z; do
    churn $collector role=x -XX:+Use${collector}GC -Xmx128m
    quiet "$collector: nothing is said" "$T/$collector.err"
done

# With a debugger: it has can_suspend, so stop=suspend becomes stop=safepoint.
PACKETS=80
debugger=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0
churn jdwp role=x $debugger
quiet "jdwp: nothing is said" "$T/jdwp.err"
churn jdwp-suspend stop=suspend $debugger
same "jdwp and stop=suspend: one line" 1 "$(count_of '^ixor: stop=suspend is not possible' \
    "$T/jdwp-suspend.err")"
