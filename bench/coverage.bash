# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: what it costs to record which code is executed.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   COVERAGE_PAIRS: pairs of JVMs of each program (default 5)
#   COVERAGE_SOURCES: how many classes the compiler compiles (default 100)

# coverage_run JDK on|off REPEAT: "SECONDS PROCESSOR-SECONDS" of Eclipse's compiler, whose main class is a library's,
# so that its own code gets probes; the agent has no server
coverage_run() {
    local TIMEFORMAT='%R %U %S' path
    path=$(printf '%s:' "$JARS"/eclipse-*.jar "$JARS"/org.eclipse.*.jar "$JARS"/osgi*.jar)
    { time "$1/bin/java" "-agentpath:build/libixor.so=server=127.0.0.1:9,log=$work/coverage-%p.ixl,coverage=$2" \
        -Xmx512m -cp "$path" org.eclipse.jdt.internal.compiler.batch.Main -11 -nowarn -proc:none -d none \
        -repeat "$3" "@$work/made.list" >"$work/coverage.out" 2>&1; } 2>&1 | awk 'END { print $1, $2 + $3 }'
}

# coverage_row LABEL JDK REPEAT
coverage_row() {
    local label=$1 i
    shift
    for ((i = 0; i < ${COVERAGE_PAIRS:-5}; i++)); do
        echo "$(coverage_run "$1" off "$2") $(coverage_run "$1" on "$2")"
    done | awk -v label="$label" '
        function ratio(on, off) { return 100 * (on / off - 1) }
        function sorted(v, n,    i, j, x) {
            for (i = 2; i <= n; i++) {
                x = v[i]
                for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
                v[j + 1] = x
            }
        }
        { n++; wall[n] = ratio($3, $1); cpu[n] = ratio($4, $2); seconds[n] = $1 }
        END {
            sorted(wall, n); sorted(cpu, n); sorted(seconds, n)
            m = int((n + 1) / 2)
            printf "| %s | %d | %.1f | **%.1f** (%.1f to %.1f) | %.1f (%.1f to %.1f) |\n", label, n, seconds[m],
                cpu[m], cpu[1], cpu[n], wall[m], wall[1], wall[n]
        }'
    rm -f "$work"/coverage-*.ixl*
}

coverage_table() {
    local jdk name
    cat <<EOT

## What it costs to record which code is executed

Eclipse's compiler with \`coverage=on\` and \`coverage=off\`, in turn, in JVMs with an agent that takes no packet: how much more
processor time and wall time a JVM takes with it, in percent: the median of the pairs, the least and the most.

| program | pairs | seconds without | processor time % | wall time % |
| --- | --- | --- | --- | --- |
EOT
    if [ ! -f "$JARS"/eclipse-jdt-core.jar ]; then
        echo "| (eclipse-jdt-core.jar is not installed) | | | | |"
        return
    fi
    for jdk in $(make/jdk.sh all); do
        name=$(version "$jdk")
        SLOWDOWN_SIZE=${COVERAGE_SOURCES:-100} java_programs "$jdk"
        coverage_row "$name, once" "$jdk" 1
        coverage_row "$name, ten times" "$jdk" 10
    done
}
