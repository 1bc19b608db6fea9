#!/usr/bin/env bash
# `make bench`: the project's figures as tables, measured here and now. Everything that is compared
# runs side by side: ratios hold on noisy machines, absolute times only for this one.
#   BENCH_SECONDS (default 12): how long each load runs.
#   BENCH_LARGE=1: also the matrix of 10,000 executions, which needs some 3 GiB of disk and memory.
#   bench/run.sh TABLE...: only these: stop_table, size_table (after
#   stop_table), matrix_table, kernel_table, cluster_table, large_table.
set -eu
cd "$(dirname "$0")/.."
seconds=${BENCH_SECONDS:-12}
work=$(mktemp -d "${TMPDIR:-/tmp}/ixor-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

machine() {
    echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
        "$(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)," \
        "Linux $(uname -r | cut -d- -f1)"
    echo "Built with $(gcc --version | head -n 1); $(date -u +%Y-%m-%d)"
}

# percentile P: of the numbers on stdin
percentile() { sort -n | awk -v p="$1" '{a[NR] = $1} END {i = int(NR * p / 100 + 0.999999);
    if (i < 1) i = 1; print NR ? a[i] : "nan"}'; }
us() { awk -v ns="$1" 'BEGIN {printf "%.0f us", ns / 1000}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
sql() { sqlite3 -batch "file:$1/campaign.db?mode=ro" "$2"; }

# held OPERATION: how long the JVM's safepoints for it lasted
held() { sed -n "s/.*Safepoint \"$1\".*At safepoint: *\([0-9]*\) ns.*/\1/p" "$work/safepoints" |
    percentile 50; }

# One JVM, two agents: the product's, and one that does nothing but call GetAllStackTraces with
# just the frames that the load needs. Both walk the same threads in the same seconds.
stop_table() {
    local jdk shape walk
    echo
    echo "## Length of the stop, against a bare GetAllStackTraces in the same JVM"
    echo
    echo "Both every 100 ms for $seconds s; medians, and their ratio. \`ixor\` and \`bare\` are as the caller"
    echo "sees it: with busy threads on all cores that is mostly the wait for a core. \`held\` is the JVM's"
    echo "own figure (-Xlog:safepoint, At safepoint) for each of the two. walk=all is the default."
    echo
    echo "| JDK | threads | walk | snapshots | ixor | bare | ratio | p99 ratio | held ixor | held bare | ratio |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for jdk in $(make/jdk.sh all); do
        "$jdk/bin/javac" -d "$work/classes" bench/java/Load.java
        for shape in "100 30 0" "1000 30 0" "100 30 2" "1000 30 2" "0 30 8"; do
            for walk in all changed; do
                # shellcheck disable=SC2086
                stop_row "$jdk" $walk $shape
            done
        done
    done
}

# stop_row JDK WALK PARKED DEPTH BUSY. With walk=changed the agent's stops are an operation of their
# own in the JVM's log; a dash where it took full walks after all, and for walk=all.
stop_row() {
    local jdk=$1 walk=$2 parked=$3 depth=$4 busy=$5 a50 b50 held='- | - | -'
    local camp=$work/stop-$walk-$parked-$busy-${jdk##*/} bare=$work/bare-$walk-$parked-$busy-${jdk##*/}
    build/ixor run --out "$camp" --timeout 300s -- "$jdk/bin/java" \
        "-agentpath:$PWD/build/bench/libbare.so=$bare,100,64" \
        "-agentpath:$PWD/build/libixor.so=walk=$walk" \
        "-Xlog:safepoint:file=$work/safepoints" -cp "$work/classes" \
        Load "$parked" "$depth" "$busy" "$seconds" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    a50=$(sql "$camp" 'select stop_ns from snapshot' | percentile 50)
    b50=$(percentile 50 <"$bare")
    if [ "$(grep -c '"GetThreadListStackTraces"' "$work/safepoints")" -ge $((seconds * 5)) ]; then
        held="$(us "$(held GetThreadListStackTraces)") | $(us "$(held GetAllStackTraces)")"
        held="$held | $(ratio "$(held GetThreadListStackTraces)" "$(held GetAllStackTraces)")"
    fi
    echo "| $("$jdk/bin/java" -version 2>&1 | sed -n '1s/[^"]*"\([^"]*\)".*/\1/p')" \
        "| $parked parked + $busy busy | $walk | $(sql "$camp" 'select count(*) from snapshot')" \
        "| $(us "$a50") | $(us "$b50") | $(ratio "$a50" "$b50")" \
        "| $(ratio "$(sql "$camp" 'select stop_ns from snapshot' | percentile 99)" \
            "$(percentile 99 <"$bare")") | $held |"
}

# The same snapshots in both formats.
size_table() {
    echo
    echo "## Bytes per trace, against the original's text format"
    echo
    echo "A trace is one snapshot of one JVM; the text is \`roxi export --format text\` of the same log."
    echo
    echo "| system | traces | threads a trace | binary B/trace | text B/trace | text / binary |"
    echo "| --- | --- | --- | --- | --- | --- |"
    local name
    build/ixor run --runs 3 --every 50ms --out "$work/bully" -- \
        examples/bully/run.sh >"$work/log" 2>&1 || true
    for name in bully "stop-all-100-2-$(basename "$(make/jdk.sh)")" \
        "stop-all-0-8-$(basename "$(make/jdk.sh)")"; do
        size_row "$work/$name"
    done
}

size_row() {
    local execution binary=0 text=0 traces threads
    for execution in $(sql "$1" 'select name from execution order by id'); do
        build/roxi export "$1" --execution "$execution" --format text -o "$work/text-$execution"
        text=$((text + $(cat "$work/text-$execution"/logs/* | wc -c)))
        binary=$((binary + $(cat "$1/runs/$execution"/*.ixl | wc -c)))
        rm -rf "$work/text-$execution"
    done
    traces=$(sql "$1" 'select count(*) from snapshot')
    threads=$(sql "$1" 'select round(avg(threads), 1) from snapshot')
    echo "| $(basename "$1" | sed -E 's/stop-all-([0-9]+)-([0-9]+).*/\1 parked + \2 busy/') | $traces" \
        "| $threads | $((binary / traces)) | $((text / traces)) | $(ratio "$text" "$binary") |"
}

# seconds COMMAND...: the shortest wall time of three runs; the others had to share the machine
seconds() {
    local TIMEFORMAT=%3R
    for _ in 1 2 3; do
        { time "$@" >"$work/log" 2>&1; } 2>&1
    done | sort -n | head -n 1
}

# The thesis' size. The whole command reads binary logs, which is most of its time.
matrix_table() {
    echo
    echo "## Time of a matrix, against the plain reference implementation"
    echo
    echo "Synthetic campaign (bench/campaign.c): 292 executions, 4 roles x 5 threads, 4,000 stacks," \
        "mean depth 25, 60 packets."
    echo
    echo "| strategy | roxi matrix, from binary logs | comparing, fast | comparing, reference | ratio" \
        "| same bits |"
    echo "| --- | --- | --- | --- | --- | --- |"
    build/bench/campaign "$work/m292" 292 4 5 4000 25 60 1
    local strategy whole
    for strategy in levenshtein favor-end favor-end-squared favor-begin favor-begin-squared \
        call-stack-1 call-stack-2 call-stack-3 gap; do
        whole=$(seconds build/roxi matrix "$work/m292" -s $strategy -o "$work/matrix")
        # shellcheck disable=SC2046
        set -- $(build/bench/compare "$work/m292" $strategy)
        echo "| $strategy | $whole s | $1 s | $2 s | $(ratio "$2" "$1") | $3 |"
    done
}

kernel_table() {
    echo
    echo "## Speed of the distance kernels on one core, Gcells/s"
    echo
    echo "2,000 stacks of mean depth 25, all against all; shared prefixes count as computed."
    echo
    echo "| strategy | reference | portable | AVX2 | AVX-512 | best / reference |"
    echo "| --- | --- | --- | --- | --- | --- |"
    build/bench/kernel
}

# Ten thousand executions take minutes and gigabytes: only when asked for.
large_table() {
    echo
    echo "## 10,000 executions, 50,000 stacks"
    echo
    build/bench/campaign "$work/m10000" 10000 4 5 50000 25 60 1
    /usr/bin/time -f 'favor-end from binary logs: %e s, %U s of processor time, %M KiB' \
        build/roxi matrix "$work/m10000" -s favor-end --format cluto -o "$work/large" 2>&1
}

. bench/cluster.bash

report() {
    local table
    echo "# Results of \`make bench\`"
    echo
    machine
    for table in "${tables[@]}"; do
        "$table"
    done
}

tables=("$@")
if [ $# = 0 ]; then
    tables=(stop_table size_table matrix_table kernel_table cluster_table)
    [ -z "${BENCH_LARGE:-}" ] || tables+=(large_table)
fi
report | tee "$work/report"
mkdir -p build/bench && cp "$work/report" build/bench/RESULTS.md
echo >&2
echo "Written to build/bench/RESULTS.md; copy it to bench/RESULTS.md to keep it." >&2
