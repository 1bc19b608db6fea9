# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how fast roxi loads trace logs and imports the original's text, compared
# with just reading the same bytes (cat).
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh

megabytes() { awk -v b="$1" -v s="$2" 'BEGIN {printf "%.0f", b / s / 1e6}'; }
millions() { awk -v n="$1" -v s="$2" 'BEGIN {printf "%.2f", n / s / 1e6}'; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.0f %%", 100 * a / b}'; }

# seconds_of DIR: of a plain read of all files in it; the shortest of five, finer than a millisecond
seconds_of() {
    local begin end
    for _ in 1 2 3 4 5; do
        begin=$(date +%s%N)
        find "$1" -type f -exec cat {} + >/dev/null
        end=$(date +%s%N)
        echo $((end - begin))
    done | sort -n | awk 'NR == 1 {printf "%.4f", $1 / 1e9}'
}

load_table() {
    echo
    echo "## From binary logs to profiles"
    echo
    echo "Time of roxi_load for synthetic campaigns (bench/campaign.c), with the packets that at least two" \
        "JVMs answered; the shortest of three. Thread-stacks: the threads' call stacks that were counted." \
        "From packet to packet a third of the threads moves, or (\"mostly still\") a thousandth. Share of" \
        "read: the time of \`cat\` of the same files, in percent of this time."
    echo
    echo "| campaign | MB | threads | s | MB/s | snapshots/s | thread-stacks/s | share of read |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
    load_rows "292 runs x 4 JVMs, 5 threads, 60 packets" 292 4 5 4000 25 60 1
    load_rows "8 runs x 4 JVMs, 50 threads, 10,000 packets" 8 4 50 4000 25 10000 1
    load_rows "the same, threads mostly still" 8 4 50 4000 25 10000 1 1000
}

# load_rows LABEL ARGUMENT...: for a campaign made with these arguments, on one thread and on two
load_rows() {
    local label=$1 read threads s snapshots stacks bytes
    shift
    build/bench/campaign "$work/load" "$@"
    read=$(seconds_of "$work/load/runs")
    for threads in 1 2; do
        read -r s snapshots stacks bytes < <(build/bench/load "$work/load" $threads)
        echo "| $label | $(megabytes "$bytes" 1) | $threads | $s | $(megabytes "$bytes" "$s")" \
            "| $(millions "$snapshots" "$s") M | $(millions "$stacks" "$s") M" \
            "| $(percent "$read" "$s") |"
    done
    rm -rf "$work/load"
}

import_table() {
    echo
    echo "## From the original's text to binary logs"
    echo
    echo "Time of \`roxi import\` for runs that \`roxi export --format text\` wrote, including the catalogue" \
        "and the trace logs; the shortest of three. Share of read: as above."
    echo
    echo "| text | MB | threads | s | MB/s | snapshots/s | thread-stacks/s | share of read |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
    import_rows "2 JVMs, 100 threads, 2,000 packets, a third moves" 1 2 100 4000 25 2000 1
    import_rows "2 JVMs, 100 threads, 2,000 packets, mostly still" 1 2 100 4000 25 2000 1 1000
    import_rows "2 JVMs, 5 threads, 20,000 packets, a third moves" 1 2 5 4000 25 20000 1
    import_rows "2 JVMs, 100 threads, 40 packets, all stacks new" 1 2 100 400000 25 40 1 1
}

# import_rows LABEL ARGUMENT...: the first run of a campaign made of them, as text
import_rows() {
    local label=$1 vms=$3 threads_each=$4 packets=$7 read bytes threads s snapshots
    shift
    build/bench/campaign "$work/source" "$@"
    build/roxi export "$work/source" --execution run00000 --format text -o "$work/text"
    bytes=$(cat "$work"/text/logs/* | wc -c)
    read=$(seconds_of "$work/text/logs")
    snapshots=$((vms * packets))
    for threads in 1 2; do
        s=$(import_seconds $threads)
        echo "| $label | $(megabytes "$bytes" 1) | $threads | $s | $(megabytes "$bytes" "$s")" \
            "| $(millions $snapshots "$s") M" \
            "| $(millions $((snapshots * threads_each)) "$s") M" \
            "| $(percent "$read" "$s") |"
    done
    rm -rf "$work/source" "$work/text"
}

# import_seconds THREADS: of importing the text into a new campaign
import_seconds() {
    local TIMEFORMAT=%3R
    for _ in 1 2 3; do
        { time OMP_NUM_THREADS=$1 build/roxi import "$work/imported" "$work/text" \
            >"$work/log" 2>&1; } 2>&1
        rm -rf "$work/imported"
    done | sort -n | head -n 1
}
