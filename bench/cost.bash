# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: the processor time that a packet takes, by process and thread.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   COST_SECONDS: measure each row for at most this long (default 8)
#   COST_JDKS, SLOWDOWN_SIZE: see SLOWDOWN_JDKS and SLOWDOWN_SIZE in bench/slowdown.bash

# ran TASK-DIR...: nanoseconds that these threads have run on a processor, and waited for one
ran() {
    local dir run wait _ sum=0
    for dir in "$@"; do
        read -r run wait _ <"$dir/schedstat" && sum=$((sum + run))
    done 2>/dev/null
    echo $sum
}

# task PID NAME: the directory of the thread with this name in the kernel
task() { grep -lx "$2" /proc/"$1"/task/*/comm 2>/dev/null | head -n 1 | sed 's/comm$//'; }

# packets_sent CAMPAIGN
packets_sent() { sql "$1" 'select count(*) from packet'; }

# watch_cost CAMPAIGN SERVER-PID: waits until packets are taken and the load is warm, then for
# COST_SECONDS, or until the JVM ends. Prints nanoseconds of agent, JVM and server, and packets.
watch_cost() {
    local dir=$1 server=$2 java agent vm now last first='' end
    until [ -n "$(sql "$dir" 'select 1 from snapshot limit 1' 2>/dev/null)" ]; do sleep 0.1; done
    java=$(sql "$dir" 'select pid from vm limit 1')
    agent=$(task "$java" 'Ixor Agent') vm=$(task "$java" 'VM Thread')
    sleep 1.5
    end=$((SECONDS + ${COST_SECONDS:-8}))
    while [ $SECONDS -lt $end ]; do
        now="$(ran "$agent") $(ran "$vm") $(ran "/proc/$server"/task/*) $(packets_sent "$dir")"
        [ -d "$agent" ] || break
        last=$now first=${first:-$now}
        sleep 0.25
    done
    echo "$first $last" | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }'
}

# cost_row LABEL EVERY_MS JDK JAVA-ARG...
cost_row() {
    local label=$1 every=$2 jdk=$3 dir=$work/cost server ran
    shift 3
    rm -rf "$dir" "$work/cost-data"
    mkdir "$work/cost-data"
    JAVA_TOOL_OPTIONS="-agentpath:$PWD/build/libixor.so=walk=changed" build/ixor run --every "${every}ms" \
        --out "$dir" --timeout 600s -- "$jdk/bin/java" "${@//@DATA@/$work/cost-data}" >"$work/log" 2>&1 &
    server=$!
    ran=$(watch_cost "$dir" $server)
    wait $server || { echo "bench: failed: ixor run" >&2; cat "$work/log" >&2; exit 1; }
    echo "$ran" | awk -v label="$label" -v every="$every" -v cores="$(nproc)" \
        -v taken="$(sql "$dir" 'select count(*) from snapshot')" -v sent="$(packets_sent "$dir")" '{
        sum = ($1 + $2 + $3) / $4
        printf "| %s | %s ms | %.0f %% | %.0f | %.0f | %.0f | %.0f | **%.2f** |\n", label, every,
            100 * taken / sent, $1 / $4 / 1000, $2 / $4 / 1000, $3 / $4 / 1000, sum / 1000,
            sum / (every * 1e4) / cores
    }'
}

cost_jdk() {
    local jdk=$1 name every classes size=${SLOWDOWN_SIZE:-100} last=$((1000 * ${COST_SECONDS:-8} + 1500))
    name=$(version "$jdk")
    java_programs "$jdk"
    for every in 100 10; do
        cost_row "$name, 100 busy" $every "$jdk" -cp "$classes" Load 0 30 100 1500 "$last"
        cost_row "$name, 98 parked + 2 busy" $every "$jdk" -cp "$classes" Load 98 30 2 1500 "$last"
    done
    cost_row "$name, javac, $size files" 100 "$jdk" -m jdk.compiler/com.sun.tools.javac.Main \
        -proc:none -nowarn -d @DATA@ "@$work/made.list"
    [ ! -f "$JARS"/hsqldb.jar ] || cost_row "$name, HSQLDB" 100 "$jdk" \
        -cp "$classes:$JARS/hsqldb.jar" Database 4 $((240 * size))
    [ ! -f "$JARS"/zookeeper.jar ] || cost_row "$name, ZooKeeper" 100 "$jdk" \
        -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((300 * size))
}

cost_table() {
    local jdk
    cat <<EOT

## Processor time of a packet

For each packet, the microseconds that the agent's thread, the JVM's VM thread (it stops the threads
and walks their stacks) and the server are on a processor, as the kernel counts them (schedstat). Other
work hardly changes these figures. Their sum is also given in percent of all processors: a saturated
machine loses at least that much. What \`ixor run\` records by default beside the call stacks is
included; the time in which all threads stand still while one is walked is not. Taken: packets that the agent took. With 100 busy threads, it often waits so long for a
processor that it skips packets.

| program | every | taken | agent | JVM | server | sum | % of the machine |
| --- | --- | --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${COST_JDKS:-all}"); do
        cost_jdk "$jdk"
    done
}
