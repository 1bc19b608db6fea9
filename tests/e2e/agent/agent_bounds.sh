# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: nothing of this depends on the JVM
# Memory and log stay within their budgets for a program whose call stacks and threads are always
# new. The log continues in parts, of which the oldest are removed; a full disk ends only the
# sampling. BOUNDS_PACKETS (150): how many packets each JVM takes at least; make stress takes more.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
packets=${BOUNDS_PACKETS:-150}

parts_of() { find "$T" -name "$1.ixl.*" | wc -l; }
sizes_of() { find "$T" -name "$1.ixl*" -printf '%s\n' | sort -n; }
largest_of() { sizes_of "$1" | tail -n 1; }
sum_of() { sizes_of "$1" | awk '{ sum += $1 } END { print sum }'; }
# below MAX N
below() { [ "$2" -gt 0 ] && [ "$2" -le "$1" ]; }

# many NAME OPTIONS [JVM-OPTION]...: Many until enough packets are taken
many() {
    local name=$1 options=$2
    shift 2
    beat_start "$name" --every 10 --once
    jvm_start "$name" "role=x,$options" -Xcheck:jni "$@" Many
    check "$name: packets are taken" \
        wait_for 120 at_least "$packets" '^taken' "$T/$name.beat"
    jvm_finish
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    same "$name: the program's output" done "$(cat "$T/$name.out")"
    quiet "$name: nothing is said" "$T/$name.out" "$T/$name.err"
}

# The same in one part: what it comes to without a budget.
many whole memory=1g
same "whole: one file" 0 "$(parts_of whole)"
same_packets "whole: the log has what was reported" whole whole

for walk in all changed; do
    many memory-$walk memory=256k,walk=$walk
    parts=$(parts_of memory-$walk)
    check "memory-$walk: several parts ($parts)" [ "$parts" -ge 3 ]
    same_packets "memory-$walk: the parts together have what was reported" memory-$walk memory-$walk
    same "memory-$walk: the log is valid" "" "$(cat "$T/memory-$walk.txt.err")"
    # The last one may have begun after the last packet.
    check "memory-$walk: as many parts are read" \
        [ $((parts + 1 - $(grep -c '^part' "$T/memory-$walk.txt"))) -le 1 ]
    has "memory-$walk: stacks are whole" \
        '^thread.*Thread\.sleep.*Many\.walk\(\)V:[0-9]+ .*Thread\.run\(\)V:[0-9]+[[:space:]]+platform$' \
        "$T/memory-$walk.txt"
    # A part holds what was kept in memory for it, written shorter.
    check "memory-$walk: no part is large ($(largest_of memory-$walk))" \
        below 262144 "$(largest_of memory-$walk)"
done

many maxlog maxlog=256k
check "maxlog: the files' size is bounded ($(sum_of maxlog))" below 262144 "$(sum_of maxlog)"
check "maxlog: half of it is kept" [ "$(sum_of maxlog)" -ge 131072 ]
check "maxlog: the first parts are gone" [ ! -e "$T/maxlog.ixl.1" ]
log_of maxlog
same "maxlog: the log is valid" "" "$(cat "$T/maxlog.txt.err")"
reported=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/maxlog.beat")
kept=$(sed -n 's/^packet\t\([0-9]*\)\t.*/\1/p' "$T/maxlog.txt")
same "maxlog: the newest packets are kept" \
    "$(tail -n "$(wc -l <<<"$kept")" <<<"$reported")" "$kept"
check "maxlog: roxi says that the first ones were removed" sh -c \
    "'$ROXI' dump --summary '$T/maxlog.ixl' |
     grep -E '^parts: [0-9]+ to [0-9]+; those before are not there'"

# A disk that is full: when a file may not grow, and when there is no room for a part.
beat_start limit --every 10 --once
(
    ulimit -f 64 # of 1,024 bytes each
    jvm limit role=x,memory=64m -Xcheck:jni -XX:-UsePerfData Many 3000
)
same "limit: exit status" 0 $?
wait "$BEAT_PID"
same "limit: the program's output" done "$(cat "$T/limit.out")"
same "limit: one line is said" 1 "$(count_of '^ixor:' "$T/limit.err")"
has "limit: it says why" '^ixor: .*File too large' "$T/limit.err"
same_packets "limit: the log has what was reported" limit limit

mkdir -p "$T/small"
if mount -t tmpfs -o size=128k none "$T/small" 2>"$T/mount.err"; then
    beat_start small --every 10 --once
    jvm small "role=x,memory=64k,log=$T/small/small.ixl" -Xcheck:jni Many 4000
    same "small disk: exit status" 0 $?
    wait "$BEAT_PID"
    same "small disk: the program's output" done "$(cat "$T/small.out")"
    same "small disk: one line is said" 1 "$(count_of '^ixor:' "$T/small.err")"
    has "small disk: it says why" '^ixor: .*No space left on device' "$T/small.err"
    cp "$T"/small/* "$T"
    same_packets "small disk: the log has what was reported" small small
    umount "$T/small"
fi

# A campaign whose logs have parts; what a command adds to JAVA_TOOL_OPTIONS are options of the agent.
check "campaign: recorded" "$IXOR" run --runs 2 --every 10ms --out "$T/campaign" -- sh -c \
    "JAVA_TOOL_OPTIONS=\$JAVA_TOOL_OPTIONS,memory=64k exec '$JAVA' -cp '$JAVA_CLASSES' Many 1000"
logs=$(find "$T/campaign" -name '*.ixl')
same "campaign: two logs" 2 "$(wc -l <<<"$logs")"
for log in $logs; do
    check "campaign: a log with parts" [ -e "$log.1" ]
    check "campaign: roxi dump reads it" "$ROXI" dump --summary -o "$T/summary" "$log"
    has "campaign: all parts are told" '^parts: 1 to [0-9]+$' "$T/summary"
    last=$(sed -n 's/^packets: [0-9]* to \([0-9]*\),.*/\1/p' "$T/summary")
    check "campaign: roxi dump shows the last packet" "$ROXI" dump -p "$last" -o "$T/last" "$log"
    check "campaign: roxi dump shows all" "$ROXI" dump -o "$T/all" "$log"
    has "campaign: stacks are there" 'at Many\.down\(Many.java:' "$T/all"
done
check "campaign: roxi matrix reads it" "$ROXI" matrix "$T/campaign" -s stack-count \
    --min-vms 1 -o "$T/matrix"
same "campaign: two executions" 3 "$(wc -l <"$T/matrix")"
