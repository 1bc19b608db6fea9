# SPDX-License-Identifier: Apache-2.0
# beside others
# locks=on: who is parked on which synchronizer of java.util.concurrent, and who owns it. LOCKS_SECONDS
# (default 3): how long threads compete for locks at least, for each way of stopping, sampled every 5 ms;
# what the log has of it is compared with what the threads wrote down themselves.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# log_of NAME, instead of the library's: with names of threads for ids in the lines of locks
log_of() {
    "$LOGCAT" "$T/$1.ixl" 2>"$T/$1.txt.err" | awk -F'\t' -v OFS='\t' '
        $1 == "thread" { name[$10] = $3 }
        $1 == "lock" { $3 = $3 in name ? name[$3] : "-" }
        { print }' >"$T/$1.txt"
}

# locks_start NAME OPTIONS [JVM-OPTION]...: Locks, sampled every $EVERY ms
locks_start() {
    local name=$1 options=$2
    shift 2
    beat_start "$name" --every "${EVERY:-20}" --once
    jvm_start "$name" "role=x,locks=on,$options" -Xcheck:jni "$@" Locks
    check "$name: it runs" wait_for 30 grep -q '^ready' "$T/$name.out"
}

# tell NAME COMMAND...: has it done
tell() {
    local name=$1
    shift
    echo "$*" >&8
    check "$name: $1" wait_for $((60 + ${LOCKS_SECONDS:-3})) grep -q "^done $1\$" "$T/$name.out"
}

locks_finish() {
    jvm_finish
    same "$1: exit status" 0 $?
    wait "$BEAT_PID"
    quiet "$1: -Xcheck:jni is silent" "$T/$1.out" "$T/$1.err"
    same_packets "$1: the log has the packets that were reported" "$1" "$1"
    same "$1: the log is valid" "" "$(cat "$T/$1.txt.err")"
}

# relations NAME: "WAITER|CLASS|OWNER" for each thread of ours that is parked, each once
relations() {
    awk -F'\t' '
        function flush(i) {
            for (i = 0; i < n; i++)
                print who[i] "|" class[i] "|" ((object[i] in owner) ? owner[object[i]] : "")
            n = 0
            split("", owner)
        }
        $1 == "packet" { flush() }
        $1 == "lock" && $4 == "parked" && $3 ~ /^(left|right|behind|waits for|second|on|idle|locked)/ {
            who[n] = $3; object[n] = $5; class[n] = $6; n++ }
        $1 == "lock" && $4 == "owns-synchronizer" { owner[$5] = $3 }
        END { flush() }' "$T/$1.txt" | sed 's/java.util.concurrent.//;s/locks[.]//' | sort -u
}

standing='behind|ReentrantLock$NonfairSync|left
left|ReentrantLock$FairSync|right
on condition|AbstractQueuedSynchronizer$ConditionObject|
on latch|CountDownLatch$Sync|
on semaphore|Semaphore$NonfairSync|
right|ReentrantLock$NonfairSync|left
second after sleeper|ReentrantLock$NonfairSync|sleeper
waits for computer|ReentrantLock$NonfairSync|computer
waits for reader|ReentrantLock$NonfairSync|reader
waits for sharer|ReentrantReadWriteLock$NonfairSync|
waits for sleeper|ReentrantLock$NonfairSync|sleeper
waits for writer|ReentrantReadWriteLock$NonfairSync|writer'

# first_known FILE: of two relations that differ in the owner only, the one with an owner
first_known() { awk -F'|' -v OFS='|' '{ key = $1 OFS $2; if ($3 != "" || !(key in best)) best[key] = $3 }
    END { for (key in best) print key, best[key] }' | sort; }

stands() {
    log_of "$1"
    [ "$(relations "$1" | first_known)" = "$2" ]
}

# standing NAME OPTIONS
standing() {
    locks_start "$1" "$2"
    tell "$1" stand
    check "$1: who is parked on what, and who owns it" wait_for 30 stands "$1" "$standing"
    locks_finish "$1"
    # In the first packets the owner is not known yet; there is never another one.
    same "$1: nothing else is in any packet" "" \
        "$(relations "$1" | grep -vxF "$standing" | grep -v '|$')"
    packet=$(awk -F'\t' '$4 == "owns-synchronizer" && ($3 == "left" || $3 == "right") { n[$2]++ }
        END { for (p in n) if (n[p] == 2 && p > last) last = p; print last + 0 }' "$T/$1.txt")
    "$ROXI" dump --packet "$packet" "$T/$1.ixl" | sed 's/<0x[0-9a-f]*> //' >"$T/$1.dump"
    same "$1: roxi dump names the deadlock" \
        '  "left" is blocked on java.util.concurrent.locks.ReentrantLock$FairSync, which is owned by "right"
  "right" is blocked on java.util.concurrent.locks.ReentrantLock$NonfairSync, which is owned by "left"' \
        "$(grep -A 2 '^deadlock:' "$T/$1.dump" | grep '^  ' | sort)"
}

# enough NAME FROM: the churn since then was long enough, and the log has something to check
enough() {
    [ $((SECONDS - $2)) -ge "${LOCKS_SECONDS:-3}" ] || return 1
    log_of "$1"
    [ "$(count_of $'^lock\t.*\towns-synchronizer\t' "$T/$1.txt")" -ge 20 ]
}

# churn NAME OPTIONS
churn() {
    EVERY=5 locks_start "$1" "$2"
    tell "$1" churn
    local from=$SECONDS
    check "$1: owners are known" wait_for 60 enough "$1" "$from"
    tell "$1" settle
    log_of "$1"
    awk -F'\t' -v OFS='\t' '
        function flush(i) {
            for (i = 0; i < n; i++)
                print start, end, who[i], (object[i] in owner) ? owner[object[i]] : "-"
            n = 0
            split("", owner)
        }
        $1 == "packet" { flush(); start = $3; end = $3 + $5 }
        $1 == "lock" && $4 == "parked" && $3 ~ /^churner/ { who[n] = $3; object[n] = $5; n++ }
        $1 == "lock" && $4 == "owns-synchronizer" { owner[$5] = $3 }
        END { flush() }' OFMT=%.0f CONVFMT=%.0f "$T/$1.txt" >"$T/$1.relations"
    # They are suspended one after the other, at some moment of what counts as the stop.
    when=()
    [ "$2" != stop=suspend ] || when=(some)
    tell "$1" check "$T/$1.relations" "${when[@]}"
    locks_finish "$1"
    check "$1: $(grep '^checked' "$T/$1.out")" grep -q ', 0 wrong$' "$T/$1.out"
    grep '^wrong' "$T/$1.out" | head -n 20 >&2
    check "$1: there were owners to check" \
        grep -Eq 'checked [0-9]+ waits, [1-9][0-9]* owners' "$T/$1.out"
}

standing safepoint walk=all
standing changed walk=changed
standing suspend stop=suspend
churn churn-safepoint walk=all
churn churn-changed walk=changed
churn churn-suspend stop=suspend

# ---- virtual threads: not known, and never wrong ----

locks_start virtual walk=changed
tell virtual virtual
if grep -q '^none' "$T/virtual.out"; then
    skip "virtual: this JDK has no virtual threads"
    locks_finish virtual
else
    check "virtual: the platform threads are known" wait_for 30 stands virtual \
        "$(printf '%s\n' 'behind both|ReentrantLock$NonfairSync|' 'behind virtual|ReentrantLock$NonfairSync|')"
    locks_finish virtual
    same "virtual: nothing else is in any packet" "" "$(relations virtual |
        grep -vxE 'behind (both|virtual)[|]ReentrantLock.NonfairSync[|]')"
fi

# ---- off ----

beat_start off --every 20 --once
jvm_start off role=x,locks=off Locks
check "off: it runs" wait_for 30 grep -q '^ready' "$T/off.out"
tell off stand
check "off: packets are taken" wait_for 30 at_least 3 '^taken' "$T/off.beat"
jvm_finish
wait "$BEAT_PID"
log_of off
same "nothing is recorded unless asked for" 0 "$(count_of $'^lock' "$T/off.txt")"
