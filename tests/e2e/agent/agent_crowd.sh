# SPDX-License-Identifier: Apache-2.0
# Very many threads: 10,000 a second that start and end, thousands that stay, with each collector.
# It runs alone: so many threads use up the process ids, and those of other tests may be given again.
#   CROWD_SECONDS (default: less than 1, and a part of the test): how long each case runs.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
MILLIS=$((${CROWD_SECONDS:-0} * 1000 + 700))

# Only its packets: thousands of threads in hundreds of packets are gigabytes of text.
log_of() { "$LOGCAT" "$T/$1.ixl" 2>"$T/$1.txt.err" | grep -v '^thread' >"$T/$1.txt"; }

rate() { sed -n 's/^\([0-9]*\) short threads a second$/\1/p' "$T/$1.out" 2>"$T/none"; }

# all_seen NAME LIVE: ten packets, and one with so many threads
all_seen() {
    sed -n 's/^taken.* threads=\([0-9]*\) .*/\1/p' "$T/$1.beat" |
        awk -v live="$2" '$1 >= live { all = 1 } END { exit !(all && NR >= 10) }'
}

# crowd NAME OPTIONS LIVE STARTERS [JVM-OPTION]...: without the agent in the long form, then with it
crowd() {
    local name=$1 options=$2 live=$3 starters=$4
    shift 4
    [ -z "${CROWD_SECONDS:-}" ] ||
        "$JAVA" -cp "$JAVA_CLASSES" "$@" Crowd "$live" "$starters" "$MILLIS" \
            >"$T/alone.out" 2>&1 </dev/null
    beat_start "$name" --every $((5 + live / 100)) --once
    jvm_start "$name" "$options" "$@" Crowd "$live" "$starters" "$MILLIS"
    check "$name: all are seen at once" wait_for 90 all_seen "$name" "$live"
    jvm_finish
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    same_packets "$name: the log has what was reported" "$name" "$name"
    same "$name: $(rate "$name") short threads a second, $(rate alone) without the agent, \
$(count_of '^packet' "$T/$name.txt") packets: output" \
        "$(rate "$name") short threads a second" "$(cat "$T/$name.out")"
    quiet "$name: nothing is said" "$T/$name.out" "$T/$name.err"
    same "$name: the log is valid" "" "$(cat "$T/$name.txt.err")"
}

for collector in Serial Parallel G1 Z; do
    crowd "short-$collector" role=x 20 4 -XX:+Use${collector}GC -Xmx256m
done
crowd live role=x 5000 0
[ -n "${CROWD_SECONDS:-}" ] || exit 0
crowd short-suspend stop=suspend 20 4
crowd short-all walk=all 20 4
crowd live-suspend stop=suspend 5000 0
crowd live-and-short role=x 5000 2
crowd live-and-short-z role=x 5000 2 -XX:+UseZGC
