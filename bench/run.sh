#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make bench`: measures the project and prints the figures as tables. Things that are compared run
# side by side, so ratios are reliable on a noisy machine; absolute times are for this machine only.
#   bench/run.sh [TABLE...]    default: all but the last six. It builds nothing: after a change, first
#     `make all benches`
# Tables: stop_table, slowdown_table, phases_table, cost_table, facts_table, coverage_table, skew_table, size_table,
# matrix_table, load_table, import_table, kernel_table, peers_table, bounds_table, cluster_table,
# ranking_table, ranking_unseen_table, ranking_cost_table, explain_cost_table, secure_table, fleet_table; large_table,
# scaling_table, mpi_table, repeats_table, provoke_table, failures_table. The first three together take
# about 35 minutes, facts_table 15, skew_table, ranking_table and ranking_unseen_table 10 each.
#   BENCH_LARGE=1: also the last six; large_table (10,000 runs) needs about 3 GiB of disk and of
#     memory, provoke_table takes an hour, failures_table ten minutes
# The files bench/*.bash name variables that set sizes and how long to measure.
set -eu
cd "$(dirname "$0")/.."
. bench/lib.bash
. bench/stop.bash
. bench/slowdown.bash
. bench/phases.bash
. bench/cost.bash
. bench/skew.bash
. bench/facts.bash
. bench/coverage.bash
work=$(mktemp -d "${TMPDIR:-/tmp}/ixor-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The same snapshots in both formats.
size_table() {
    echo
    echo "## Bytes per trace, against the original's text format"
    echo
    echo "A trace is one snapshot of one JVM; the text is \`roxi export --format text\` of the same log."
    echo
    echo "| system | traces | threads a trace | binary B/trace | text B/trace | text / binary |"
    echo "| --- | --- | --- | --- | --- | --- |"
    run_bully
    size_row "$work/bully" bully
    size_load 100 2
    size_load 0 8
}

run_bully() {
    build/ixor run --runs 3 --every 50ms --out "$work/bully" -- \
        examples/bully/run.sh >"$work/log" 2>&1 || true
}

# size_load PARKED BUSY
size_load() {
    local jdk dir=$work/size-$1-$2
    jdk=$(make/jdk.sh)
    "$jdk/bin/javac" -d "$dir" -sourcepath bench/java bench/java/Load.java
    run_logged build/ixor run --out "$dir/campaign" -- \
        "$jdk/bin/java" -cp "$dir" Load "$1" 30 "$2" 0 5000
    size_row "$dir/campaign" "$1 parked + $2 busy"
}

# size_row CAMPAIGN LABEL
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
    echo "| $2 | $traces" \
        "| $threads | $((binary / traces)) | $((text / traces)) | $(ratio "$text" "$binary") |"
}

# seconds COMMAND...: the shortest wall time of three runs, because the machine may be shared
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
    echo "Synthetic campaign (bench/campaign.c): 292 runs, 4 roles x 5 threads, 4,000 stacks, mean depth" \
        "25, 60 packets. The reference computes each pair of a group's call stacks once. The thesis's" \
        "program computes it again for each pair of runs: its steps are counted, and \"as the thesis\" is" \
        "the time that the reference would take for so many steps. The last ratio compares this with the" \
        "fast engine."
    echo
    echo "| strategy | roxi matrix, from binary logs | comparing, fast | comparing, reference" \
        "| ratio | same bits | Gcells of all pairs | Gcells/s | as the thesis, h | ratio |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    build/bench/campaign "$work/m292" 292 4 5 4000 25 60 1
    local strategy whole
    for strategy in levenshtein favor-end favor-end-squared favor-begin favor-begin-squared \
        call-stack-1 call-stack-2 call-stack-3 gap; do
        whole=$(seconds build/roxi matrix "$work/m292" -s $strategy --cache no \
            -o "$work/matrix")
        # shellcheck disable=SC2046
        set -- $(build/bench/compare "$work/m292" $strategy)
        echo "| $strategy | $whole s | $1 s | $2 s | $(ratio "$2" "$1") | $3" \
            "| $(ratio "$4" 1e9) | $(ratio "$4" "$1"e9)" \
            "| $(awk "BEGIN {t = $5 / $4 * $2; printf \"%.2f | %.0f\", t / 3600, t / $1}") |"
    done
}

kernel_table() {
    echo
    echo "## Speed of the distance kernels on one core, Gcells/s"
    echo
    echo "2,000 stacks of mean depth 25, all against all. Cells that are skipped because stacks share" \
        "frames count as computed."
    echo
    echo "| strategy | reference | portable | AVX2 | AVX-512 | best / reference |"
    echo "| --- | --- | --- | --- | --- | --- |"
    build/bench/kernel rates
    echo
    echo "The same with the widest instruction set: what pruning saves (\"whole\": \`--pruning no\`), and how" \
        "near the kernels come to the vector limit, which is their arithmetic alone, on registers, in the" \
        "same run (bench/limit.h). Cells computed include lanes without a query and columns behind a" \
        "query's end."
    echo
    echo "| strategy | Gcells of all pairs | whole: s | Gcells computed | pruned: s | Gcells computed" \
        "| whole / pruned, s | computed, Gcells/s | vector limit, Gcells/s | % of it |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    build/bench/kernel cells
}

# Other programs that compute the same distances.
peers_table() {
    echo
    echo "## Distances of pairs on one core, against other programs"
    echo
    echo "1,000 stacks of mean depth 24, all against all; every program computes the same pairs" \
        "(bench/peers.c). Times roxi: its time divided by roxi's. Same: every distance equals roxi's." \
        "\"Every pair whole\": with \`--pruning no\`."
    echo
    echo "| distance | by | million pairs/s | times roxi | same |"
    echo "| --- | --- | --- | --- | --- |"
    build/bench/peers
}

# Why targets are not abandoned early.
bounds_table() {
    local strategy
    echo
    echo "## What abandoning targets by lower bounds could save at most"
    echo
    echo "Rows of the trie on the way to a nearest neighbour that is known beforehand (bench/bounds.c)," \
        "for each query alone, and for the $(sed -n 's/^enum { ROXI_LANES = \([0-9]*\).*/\1/p' roxi/distance/kernel.h)" \
        "that a block computes together."
    echo
    echo "| campaign | strategy | thousand rows x queries | perfect bound: one query | block by depth" \
        "| block by trie | least of the row: one query | block by depth |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
    [ -d "$work/m292" ] || build/bench/campaign "$work/m292" 292 4 5 4000 25 60 1
    [ -d "$work/bully" ] || run_bully
    for strategy in levenshtein favor-end favor-begin call-stack-1 gap; do
        echo "| synthetic $(build/bench/bounds "$work/m292" $strategy)"
        echo "| bully $(build/bench/bounds "$work/bully" $strategy)"
    done
}

# Ten thousand runs take minutes and gigabytes, so only on request.
large_table() {
    echo
    echo "## 10,000 runs, 50,000 stacks"
    echo
    build/bench/campaign "$work/m10000" 10000 4 5 50000 25 60 1
    # shellcheck disable=SC2016 # Markdown
    /usr/bin/time -f '`roxi matrix` with favor-end, from binary logs: %e s, %U s of processor time, %M KiB' \
        build/roxi matrix "$work/m10000" -s favor-end --format cluto -o "$work/large" 2>&1
}

# Processor time of each side; nothing of it is in a JVM's stop.
secure_table() {
    echo
    echo "## What keys cost"
    echo
    echo "Processor time of a TLS handshake for each side, the least of five; the memory that TLS takes in" \
        "the server for each idle connection; the time to seal or open a datagram."
    echo
    echo "| agent, us | server, us | bytes a connection | ns to seal | ns to open |"
    echo "| --- | --- | --- | --- | --- |"
    for _ in 1 2 3 4 5; do
        build/bench/secure 1000
    done | sort -t '|' -k 2n | head -n 1
}

. bench/cluster.bash
. bench/load.bash
. bench/scaling.bash
. bench/ranking.bash
. bench/fleet.bash
. bench/provoke.bash
. bench/failures.bash

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
    tables=(stop_table slowdown_table phases_table cost_table facts_table coverage_table skew_table size_table
        matrix_table load_table import_table kernel_table peers_table bounds_table cluster_table
        ranking_table ranking_unseen_table ranking_cost_table explain_cost_table secure_table fleet_table)
    [ -z "${BENCH_LARGE:-}" ] || tables+=(large_table scaling_table mpi_table repeats_table provoke_table
        failures_table)
fi
report | tee "$work/report"
[ "${PIPESTATUS[0]}" = 0 ] || exit 1
mkdir -p build/bench && cp "$work/report" build/bench/RESULTS.md
echo >&2
echo "Written to build/bench/RESULTS.md; copy it to bench/RESULTS.md to keep it." >&2
