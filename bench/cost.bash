# Sourced by bench/run.sh: how much processor time a packet takes, and whose.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   COST_SECONDS (default 8): how long each row is watched. COST_JDKS: as SLOWDOWN_JDKS.

# ran TASK-DIR...: nanoseconds that these threads have been on a processor, and waited for one
ran() {
    local dir run wait _ sum=0
    for dir in "$@"; do
        read -r run wait _ <"$dir/schedstat" && sum=$((sum + run))
    done 2>/dev/null
    echo $sum
}

# task PID NAME: the directory of the thread that the kernel knows by this name
task() { grep -lx "$2" /proc/"$1"/task/*/comm 2>/dev/null | head -n 1 | sed 's/comm$//'; }

# cost_row LABEL EVERY_MS JDK PARKED BUSY
cost_row() {
    local label=$1 every=$2 jdk=$3 parked=$4 busy=$5 seconds=${COST_SECONDS:-8}
    local dir=$work/cost server java agent vm i packets before=() after=()
    JAVA_TOOL_OPTIONS="-agentpath:$PWD/build/libixor.so=walk=changed" build/ixor run --every "${every}ms" \
        --out "$dir" --timeout 600s -- "$jdk/bin/java" -cp "$work/cost-java" \
        Load "$parked" 30 "$busy" 1500 "$((1000 * seconds + 1500))" >"$work/log" 2>&1 &
    server=$!
    until [ -n "$(sql "$dir" 'select 1 from snapshot limit 1' 2>/dev/null)" ]; do sleep 0.1; done
    java=$(sql "$dir" 'select pid from vm')
    agent=$(task "$java" 'Ixor Agent') vm=$(task "$java" 'VM Thread')
    sleep 1.5
    before=("$(ran "$agent")" "$(ran "$vm")" "$(ran /proc/$server/task/*)")
    sleep "$seconds"
    after=("$(ran "$agent")" "$(ran "$vm")" "$(ran /proc/$server/task/*)")
    packets=$((1000 * seconds / every))
    wait $server || { echo "bench: failed: ixor run" >&2; cat "$work/log" >&2; exit 1; }
    for i in 0 1 2; do echo $(((after[i] - before[i]) / packets)); done | xargs |
        awk -v label="$label" -v every="$every" -v cores="$(nproc)" \
            -v taken="$(sql "$dir" 'select count(*) from snapshot')" \
            -v sent="$(sql "$dir" 'select count(*) from packet')" '{
            sum = $1 + $2 + $3
            printf "| %s | %s ms | %.0f %% | %.0f | %.0f | %.0f | %.0f | **%.2f** |\n", label, every,
                100 * taken / sent, $1 / 1000, $2 / 1000, $3 / 1000, sum / 1000,
                sum / (every * 1e4) / cores
        }'
    rm -rf "$dir"
}

cost_table() {
    local jdk name every
    "$(make/jdk.sh)/bin/javac" -sourcepath bench/java -d "$work/cost-java" bench/java/Load.java
    cat <<EOT

## Processor time of a packet

Microseconds a packet that the agent's thread, the JVM's own (it stops the threads and walks) and the
server are on a processor, by the kernel's count (schedstat), which other work does not change much;
and their sum in percent of all processors: what a saturated machine loses at least. Not in it: the
moment in which all threads stand still while one is walked.

| program | every | taken | agent | JVM | server | sum | % of the machine |
| --- | --- | --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${COST_JDKS:-all}"); do
        name=$(version "$jdk")
        for every in 100 10; do
            cost_row "$name, 100 busy" $every "$jdk" 0 100
            cost_row "$name, 98 parked + 2 busy" $every "$jdk" 98 2
        done
    done
}
