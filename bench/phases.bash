# Sourced by bench/run.sh: how much slower one and the same JVM gets while it is sampled.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   PHASES_JVMS (default 2): JVMs a row.   PHASES_PAIRS (default 25): pairs of phases in each.
#   SLOWDOWN_SIZE, SLOWDOWN_JDKS, SLOWDOWN_OPTIONS: as in bench/slowdown.bash.

# phases_of FILE JDK EVERY_MS JAVA-ARG...: the pairs of PHASES_JVMS JVMs as runs for bench/pairs.
phases_of() {
    local file=$1 jdk=$2 every=$3 dir jvm
    shift 3
    for ((jvm = 0; jvm < ${PHASES_JVMS:-2}; jvm++)); do
        dir=$(mktemp -d "$work/phases.XXXXXX")
        mkdir "$dir/data"
        JAVA_TOOL_OPTIONS="-agentpath:$PWD/build/libixor.so=${SLOWDOWN_OPTIONS:-walk=changed}" \
            run_logged build/ixor run --every "${every}ms" --out "$dir/campaign" --timeout 600s \
            -- "$jdk/bin/java" "${@//@DATA@/$dir/data}"
        awk -v jvm=$jvm '/^pair/ {
            n++
            print jvm * 1000 + n, "none", $2, $2
            print jvm * 1000 + n, "ixor", $3, $3
        }' "$dir"/campaign/runs/*/output.txt
        rm -rf "$dir"
    done >"$file"
}

# phases_row LABEL EVERY_MS TARGET JDK JAVA-ARG...
phases_row() {
    local label=$1 every=$2 target=$3 jdk=$4
    shift 4
    phases_of "$work/phases" "$jdk" "$every" "$@"
    build/bench/pairs none <"$work/phases" | awk -v label="$label" -v every="$every" \
        -v target="$target" '
        $1 == "ixor" {
            verdict = $5 < target ? "yes" : $4 > target ? "no" : "undecided"
            if ($2 < 6) verdict = "too few pairs"
            printf "| %s | %s ms | %d | **%.2f** (%.2f to %.2f) | %s | %s |\n", label, every, $2,
                $3, $4, $5, "< " target, verdict
        }'
}

phases_jdk() {
    local classes jdk=$1 name pairs=${PHASES_PAIRS:-25} size=${SLOWDOWN_SIZE:-100}
    name=$(version "$jdk")
    java_programs "$jdk"
    phases_row "$name, 100 busy" 100 0.5 "$jdk" -cp "$classes" Load 0 30 100 1000 1000 "$pairs"
    phases_row "$name, 100 busy" 10 3 "$jdk" -cp "$classes" Load 0 30 100 1000 1000 "$pairs"
    phases_row "$name, 98 parked + 2 busy" 100 0.5 "$jdk" \
        -cp "$classes" Load 98 30 2 1000 500 "$pairs"
    phases_row "$name, 98 parked + 2 busy" 10 3 "$jdk" \
        -cp "$classes" Load 98 30 2 1000 500 "$pairs"
    phases_row "$name, javac, $size files" 100 0.5 "$jdk" \
        -cp "$classes" Compiler "$pairs" "$work/made.list" @DATA@
    [ ! -f "$JARS"/hsqldb.jar ] || phases_row "$name, HSQLDB" 100 0.5 "$jdk" \
        -cp "$classes:$JARS/hsqldb.jar" Database 4 $((60 * size)) "$pairs"
    [ ! -f "$JARS"/zookeeper.jar ] || phases_row "$name, ZooKeeper" 100 0.5 "$jdk" \
        -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((60 * size)) "$pairs"
}

phases_table() {
    local jdk
    cat <<EOT

## Slow-down, phases of one JVM

The same programs, each repeating its work in one JVM with the agent in it: in turns while ixor's
server asks, and while it is stopped (SIGSTOP) and neither asks nor works. JVMs differ among
each other by more than the effect, their phases by less. Percent of wall time for the same work,
server and all on the same cores; median of the pairs of ${PHASES_JVMS:-2} JVMs and its 95 %
interval. What it costs that the agent is there and is not asked is in the table above only.

| program | every | pairs | slow-down % | target | met |
| --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${SLOWDOWN_JDKS:-}"); do
        phases_jdk "$jdk"
    done
}
