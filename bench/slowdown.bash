# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how much slower programs run while they are sampled.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   SLOWDOWN_ROUNDS: rounds (default 10); each runs every variant once, in a new order
#   SLOWDOWN_MS: how long a saturating load is measured (default 2000)
#   SLOWDOWN_SIZE: how much work the real programs do, in percent (default 100)
#   SLOWDOWN_JDKS=all: measure every installed JDK, not only the default one
#   SLOWDOWN_OPTIONS: the agent's options (default walk=changed)

JARS=/usr/share/java

# timed FILE COMMAND...: its seconds of wall and processor time into FILE, its output into FILE.out
timed() {
    # shellcheck disable=SC2016 # the inner shell's
    bash -c 'TIMEFORMAT="%R %U %S"; { time "$@" >"$0.out" 2>&1; } 2>"$0"' "$@"
}

# The JVM that is this process or a descendant of it.
jvm_below() {
    local pid=$1
    until [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = java ]; do
        kill -0 "$1" 2>/dev/null || return
        pid=$(pgrep -o -P "$pid") || pid=$1
    done
    echo "$pid"
}

# sampled VARIANT DIR JDK JAVA-ARG...: runs the JVM so; VARIANT is none, or TOOL-EVERY_MS.
sampled() {
    local every=${1#*-} dir=$2 jdk=$3 tool=${1%-*}
    shift 3
    set -- "$jdk/bin/java" "$@"
    case $tool in
    none) timed "$dir/time" "$@" ;;
    bare) timed "$dir/time" "$1" "-agentpath:$PWD/build/bench/libbare.so=$dir/bare,$every,64" \
        "${@:2}" ;;
    ixor) export -f timed
        JAVA_TOOL_OPTIONS="-agentpath:$PWD/build/libixor.so=${SLOWDOWN_OPTIONS:-walk=changed}" \
            build/ixor run --every "${every}ms" --out "$dir/campaign" --timeout 600s -- \
            bash -c 'timed "$@"' timed "$dir/time" "$@" >/dev/null ;;
    jcmd) timed "$dir/time" "$@" &
        dump_often "$jdk" "$(jvm_below $!)" "$(ratio "$every" 1000)" >"$dir/dumps"
        wait $! ;;
    esac || { echo "bench: failed: $tool $*" >&2; cat "$dir"/time* >&2; exit 1; }
}

# run_of VARIANT JDK JAVA-ARG...: "WALL CPU" of a program, or of a round of Load, as it says itself
run_of() {
    local dir
    dir=$(mktemp -d "$work/run.XXXXXX")
    mkdir "$dir/data"
    set -- "${@//@DATA@/$dir/data}"
    sampled "$1" "$dir" "${@:2}"
    if grep -q ^measured "$dir/time.out"; then
        awk '/^measured/ {printf "%.9g %.9g\n", ($3 - $2) / $4, $5 / $4}' "$dir/time.out"
    else
        awk 'NF == 3 {print $1, $2 + $3}' "$dir/time"
    fi
    rm -rf "$dir"
}

# slowdown_rows LABEL TARGET-100 TARGET-10 VARIANTS SELDOM JDK JAVA-ARG...: rows for a program;
# SELDOM are variants for each third round, whose effect is plain. `@DATA@` is a new directory for
# each run.
slowdown_rows() {
    local label=$1 t100=$2 t10=$3 variants=$4 seldom=$5 round variant list took
    shift 5
    for ((round = 0; round < ${SLOWDOWN_ROUNDS:-10}; round++)); do
        list="none $variants"
        ((round % 3)) || list="$list $seldom"
        # shellcheck disable=SC2086
        for variant in $(shuf -e $list); do
            took=$(run_of "$variant" "$@")
            echo "$round $variant $took"
        done
    done >"$work/runs"
    for variant in none $variants $seldom; do
        grep " $variant " "$work/runs"
    done | build/bench/pairs none | awk -v label="$label" -v t100="$t100" -v t10="$t10" '
        function interval(m, lo, hi) { return sprintf("%.2f (%.2f to %.2f)", m, lo, hi) }
        {
            split($1, v, "-"); target = ""; verdict = ""
            if (v[1] == "ixor" && (v[2] == 100 ? t100 : t10) != "") {
                target = v[2] == 100 ? t100 : t10
                verdict = $5 < target ? "yes" : $4 > target ? "no" : "undecided"
                if ($2 < 6) verdict = "too few pairs"
                target = "< " target
            }
            if (v[1] == "none") { v[1] = "none, against itself"; v[2] = "-" } else v[2] = v[2] " ms"
            printf "| %s | %s | %s | %d | **%s** | %s | %s | %s |\n", label, v[1], v[2], $2,
                interval($3, $4, $5), interval($6, $7, $8), target, verdict
        }'
}

# java_programs JDK: compiles what runs on it; without Debian's jars that program is left out.
java_programs() {
    classes=$work/slow-${1##*/}
    "$1/bin/javac" -nowarn -d "$classes" bench/java/Load.java bench/java/Sources.java \
        bench/java/Phases.java bench/java/Waiting.java bench/java/Compiler.java bench/java/Database.java
    [ ! -f $JARS/zookeeper.jar ] || run_logged "$1/bin/javac" -d "$classes" \
        -cp "$classes:$JARS/zookeeper.jar:$JARS/zookeeper-jute.jar" bench/java/Keeper.java
    [ "${SLOWDOWN_SIZE:-100}" != 0 ] || return 0
    "$1/bin/java" -cp "$classes" Sources "$work/made" "${SLOWDOWN_SIZE:-100}"
    find "$work/made" -name '*.java' >"$work/made.list"
}

slowdown_jdk() {
    local classes jdk=$1 name size=${SLOWDOWN_SIZE:-100}
    local rates="ixor-100 bare-100 ixor-10 bare-10"
    name=$(version "$jdk")
    java_programs "$jdk"
    slowdown_rows "$name, 100 busy" 0.5 3 "$rates" jcmd-100 "$jdk" \
        -cp "$classes" Load 0 30 100 700 "${SLOWDOWN_MS:-2000}"
    slowdown_rows "$name, 98 parked + 2 busy" 0.5 3 "$rates" jcmd-100 "$jdk" \
        -cp "$classes" Load 98 30 2 300 "${SLOWDOWN_MS:-2000}"
    slowdown_rows "$name, javac, $size files" 0.5 "" "ixor-100 bare-100" jcmd-100 "$jdk" \
        -m jdk.compiler/com.sun.tools.javac.Main -proc:none -nowarn -d @DATA@ "@$work/made.list"
    [ ! -f $JARS/hsqldb.jar ] || slowdown_rows "$name, HSQLDB" 0.5 "" "ixor-100 bare-100" jcmd-100 \
        "$jdk" -cp "$classes:$JARS/hsqldb.jar" Database 4 $((120 * size))
    [ ! -f $JARS/zookeeper.jar ] || slowdown_rows "$name, ZooKeeper" 0.5 "" "ixor-100 bare-100" \
        jcmd-100 "$jdk" -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((150 * size))
}

slowdown_table() {
    local jdk
    cat <<EOT

## Slow-down, against no agent

Paired runs: each round runs every variant once, in random order, and compares it with the round's
run without an agent. Figures are percent: the median of the pairs and its 95 % interval
(bootstrap). The interval decides whether a target is met, is not met, or is undecided.

- wall: elapsed time for the same work, with ixor's server on the same cores. CPU: the JVM's
  processor time for it. javac, HSQLDB and ZooKeeper are measured from the JVM's start to its end.
- none, against itself: each run without an agent against that of the next round; this is the
  machine's noise.
- ixor: with ${SLOWDOWN_OPTIONS:-walk=changed}. bare: only calls GetAllStackTraces. jcmd: \`jcmd Thread.print\`,
  as often as it completes.

| program | agent | every | pairs | wall % | CPU % | target | met |
| --- | --- | --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${SLOWDOWN_JDKS:-}"); do
        slowdown_jdk "$jdk"
    done
}
