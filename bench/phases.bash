# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how much slower a JVM runs in phases in which it
# is sampled than in those between.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   PHASES_JVMS: JVMs for each row (default 2)
#   PHASES_PAIRS: pairs of phases in each JVM (default 25)
#   SLOWDOWN_SIZE (0: only the saturating loads), SLOWDOWN_JDKS, SLOWDOWN_OPTIONS: see
#     bench/slowdown.bash

# phases_in DIR BY JDK EVERY_MS JAVA-ARG...: what one JVM prints, sampled by ixor; or stopped by an
# agent that does no more than that, whose parent is a shell that can be stopped like ixor.
phases_in() {
    local dir=$1 by=$2 jdk=$3 every=$4
    shift 4
    if [ "$by" = ixor ]; then
        JAVA_TOOL_OPTIONS="-agentpath:$PWD/build/libixor.so=${SLOWDOWN_OPTIONS:-walk=changed}" \
            run_logged build/ixor run --every "${every}ms" --out "$dir/campaign" --timeout 600s \
            -- "$jdk/bin/java" "$@"
        cat "$dir"/campaign/runs/*/output.txt
    else
        # shellcheck disable=SC2016 # the inner shell's
        bash -c '"$@"; exit $?' stops "$jdk/bin/java" \
            "-agentpath:$PWD/build/bench/libbare.so=$dir/bare,$every,64,two" "$@"
    fi
}

# phases_of FILE BY JDK EVERY_MS JAVA-ARG...: the pairs of PHASES_JVMS JVMs as runs for bench/pairs.
phases_of() {
    local file=$1 by=$2 jdk=$3 every=$4 dir jvm
    shift 4
    for ((jvm = 0; jvm < ${PHASES_JVMS:-2}; jvm++)); do
        dir=$(mktemp -d "$work/phases.XXXXXX")
        mkdir "$dir/data"
        phases_in "$dir" "$by" "$jdk" "$every" "${@//@DATA@/$dir/data}" | awk -v jvm=$jvm '/^pair/ {
            n++
            print jvm * 1000 + n, "none", $2, $2
            print jvm * 1000 + n, "sampled", $3, $3
        }'
        rm -rf "$dir"
    done >"$file"
}

# phases_row LABEL BY EVERY_MS TARGET JDK JAVA-ARG...: no verdict without a target
phases_row() {
    local label=$1 by=$2 every=$3 target=$4 jdk=$5
    shift 5
    phases_of "$work/phases" "$by" "$jdk" "$every" "$@"
    build/bench/pairs none <"$work/phases" | awk -v label="$label" -v by="$by" -v every="$every" \
        -v target="$target" '
        $1 == "sampled" {
            verdict = $5 < target ? "yes" : $4 > target ? "no" : "undecided"
            if ($2 < 6) verdict = "too few pairs"
            printf "| %s | %s | %s ms | %d | **%.2f** (%.2f to %.2f) | %s | %s |\n", label, by, every,
                $2, $3, $4, $5, target == "" ? "" : "< " target, target == "" ? "" : verdict
        }'
}

# phases_load LABEL JDK CLASSES LOAD-ARG...: also what the JVM takes for stopping its threads at all
phases_load() {
    local label=$1 jdk=$2 classes=$3 every
    shift 3
    for every in 100 10; do
        phases_row "$label" ixor $every "$([ $every = 100 ] && echo 0.5 || echo 3)" "$jdk" \
            -cp "$classes" Load "$@"
        phases_row "$label" "a stop" $every "" "$jdk" -cp "$classes" Load "$@"
    done
}

phases_jdk() {
    local classes jdk=$1 name pairs=${PHASES_PAIRS:-25} size=${SLOWDOWN_SIZE:-100}
    name=$(version "$jdk")
    java_programs "$jdk"
    phases_load "$name, 100 busy" "$jdk" "$classes" 0 30 100 1000 1000 "$pairs"
    phases_load "$name, 98 parked + 2 busy" "$jdk" "$classes" 98 30 2 1000 500 "$pairs"
    [ "$size" != 0 ] || return 0
    phases_row "$name, javac, $size files" ixor 100 0.5 "$jdk" \
        -cp "$classes" Compiler "$pairs" "$work/made.list" @DATA@
    [ ! -f "$JARS"/hsqldb.jar ] || phases_row "$name, HSQLDB" ixor 100 0.5 "$jdk" \
        -cp "$classes:$JARS/hsqldb.jar" Database 4 $((60 * size)) "$pairs"
    [ ! -f "$JARS"/zookeeper.jar ] || phases_row "$name, ZooKeeper" ixor 100 0.5 "$jdk" \
        -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((60 * size)) "$pairs"
}

phases_table() {
    local jdk
    cat <<EOT

## Slow-down, phases of one JVM

The same programs, each repeating its work in one JVM with the agent in it. Phases in which ixor's
server sends packets alternate with phases in which the server is stopped (SIGSTOP). JVMs differ from
each other by more than the effect; phases of one JVM differ by less. Figures are percent of wall
time for the same work, with the server on the same cores: the median of the pairs of ${PHASES_JVMS:-2} JVMs and
its 95 % interval. The cost of an agent that is loaded but idle is only in the table above.
"A stop": an agent that asks, equally often, only for the stacks of two threads that sleep. This is
what the JVM needs to stop all its threads and to release them.

| program | by | every | pairs | slow-down % | target | met |
| --- | --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${SLOWDOWN_JDKS:-}"); do
        phases_jdk "$jdk"
    done
}
