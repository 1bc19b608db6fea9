# SPDX-License-Identifier: Apache-2.0
# own build
# beside others
# The agent's memory does not grow: its allocations are counted (build/count); jcmd tells the
# JVM's memory for JVMTI and the JNI references.
#   SOAK_SECONDS (default 5): how long threads, classes and stacks come and go meanwhile.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
AGENT=$PWD/build/count/libixor.so
SOAK=${SOAK_SECONDS:-5}
# What memory may grow by from the soak's middle to its end, in percent: in a short run every other
# stack is still new, and a table that doubles does it at any time.
[ "$SOAK" -ge 300 ] && GROWTH=10 || GROWTH=60

# jvm_now NAME: how the JVM sees it after a collection: "GLOBAL WEAK KIB", references and the memory
# that JVMTI's Allocate is booked under.
jvm_now() {
    printf '%s\n' GC.run Thread.print 'VM.native_memory summary' >"$T/commands"
    "$JAVA_HOME/bin/jcmd" "$JVM_PID" -f "$T/commands" >"$T/$1.jcmd" 2>&1
    echo "$(sed -n 's/^JNI global refs: \([0-9]*\), weak refs: \([0-9]*\)$/\1 \2/p' "$T/$1.jcmd") \
$(sed -nE '/^- +(Internal|Serviceability) /s/.*committed=([0-9]+)KB.*/\1/p' "$T/$1.jcmd" |
        awk '{ sum += $1 } END { print sum }')"
}

# soaked SECONDS: time passes while the load runs
soaked() {
    local end=$((SECONDS + $1))
    wait_for $(($1 + 5)) eval "[ \$SECONDS -ge $end ]"
}

# counted NAME LINE: "BYTES BLOCKS" of a line of the counts
counted() { sed -n "$2s/.*bytes \(.*\) blocks \(.*\)/\1 \2/p" "$T/$1.count"; }

# soak NAME CLASS
soak() {
    local name=$1 packets most bytes blocks global weak kib
    local bytes_end blocks_end global_end weak_end kib_end status
    export IXOR_COUNT=$T/$name.count
    beat_start "$name" --every 5 --once
    jvm_start "$name" role=x -Xmx256m -XX:NativeMemoryTracking=summary "$2" 0
    check "$name: packets are counted" wait_for 60 at_least 1 '^packet' "$T/$name.count"
    soaked $((SOAK / 4))
    read -r bytes blocks <<<"$(counted "$name" \$)"
    read -r global weak kib <<<"$(jvm_now middle)"
    soaked $((SOAK / 4))
    check "$name: and again" wait_for 60 at_least 2 '^packet' "$T/$name.count"
    read -r bytes_end blocks_end <<<"$(counted "$name" \$)"
    read -r global_end weak_end kib_end <<<"$(jvm_now end)"
    jvm_finish
    status=$?
    same "$name: exit status" 0 $status
    # It ends when its JVM has gone, but not if there was none.
    if [ $status = 0 ]; then wait "$BEAT_PID"; else beat_stop; fi
    packets=$(sed -n 's/^end \([0-9]*\) .*/\1/p' "$T/$name.count")
    has "$name: what this JVM prints can be read" '^[0-9]+ [0-9]+ [0-9]+$' \
        <(echo "$global_end $weak_end $kib_end")
    # Each of Churn's threads has a name of its own, which the log's tables keep.
    [ "$2" = Churn ] && most=$((32 << 20)) || most=$((bytes + bytes * GROWTH / 100))
    check "$name: $packets packets: live bytes are flat: $bytes, $bytes_end at the end" \
        [ "$bytes_end" -le $most ]
    check "$name: live blocks are flat: $blocks, $blocks_end at the end" \
        [ "$blocks_end" -le $((blocks + blocks * GROWTH / 100 + 150)) ]
    check "$name: global references are flat: $global, $global_end at the end" \
        [ "$global_end" -le $((global + 3)) ]
    check "$name: weak ones, one for a class: $weak, $weak_end at the end" \
        [ "$weak_end" -le $((weak + weak * GROWTH / 100 + 200)) ]
    # JDK 17 keeps the method ids that it made for stacks when their class is unloaded: 250 bytes
    # each. Where classes come and go that is not flat, whoever asks.
    [ "$2" = Churn ] || check "$name: its share of the JVM's memory is flat: $kib KiB, then $kib_end" \
        [ "$kib_end" -le $((kib + 1024)) ]
    # OpenSSL keeps its tables for the process: as much, whatever the agent has done.
    read -r bytes_end LEFT <<<"$(sed -n 's/^end .*bytes \(.*\) blocks \(.*\)/\1 \2/p' "$T/$name.count")"
    check "$name: all is given back but OpenSSL's tables: $bytes_end bytes, $LEFT blocks" \
        [ "$bytes_end" -le $((512 << 10)) ]
    quiet "$name: nothing is said" "$T/$name.out" "$T/$name.err"
}

soak mixed Mixed
LEFT_MIXED=$LEFT
soak churn Churn
check "what is not given back does not depend on the work: $LEFT_MIXED blocks, $LEFT" \
    [ "$LEFT" -le $((LEFT_MIXED + 4)) -a "$LEFT_MIXED" -le $((LEFT + 4)) ]
