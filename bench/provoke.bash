# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how often a rare failure shows in quiet and in disturbed runs
# (docs/provoke.md), with three samples. PROVOKE_RUNS: of each sample and kind, 240 by default;
# PROVOKE_SAMPLES: 'lease order wakeup'.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh

provoke_table() {
    local runs=${PROVOKE_RUNS:-240} sample samples
    read -ra samples <<<"${PROVOKE_SAMPLES:-lease order wakeup}"
    samples=("${samples[@]/#/build/examples/}")
    make --no-print-directory "${samples[@]/%/.stamp}" >"$work/log" || return
    samples=("${samples[@]##*/}")
    echo
    echo "## Rare failures made frequent"
    echo
    echo "Failed runs of [lease](../examples/lease), [order](../examples/order) and [wakeup](../examples/wakeup)," \
        "two or three JVMs for a second. Undisturbed runs alternate with runs under \`--disturb pause\`, so that" \
        "both meet the same load; seed 1. Intervals: 95 %, Clopper and Pearson. Mended: the same program without" \
        "the defect. Load of the machine at the start: $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc)" \
        "processors, from other work."
    echo
    echo "| sample | program | runs | failed | of | rate | interval |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    for sample in "${samples[@]}"; do
        provoke_rows "$sample" defect $((2 * runs)) --disturb-every 2
        provoke_rows "$sample" mended $((runs / 2)) --disturb-every 1
    done
    for sample in "${samples[@]}"; do
        echo
        echo "By \`ixor status\`:"
        echo
        provoke_compare "$sample"
    done
}

# provoke_rows SAMPLE PROGRAM RUNS OPTION...
provoke_rows() {
    local sample=$1 program=$2 runs=$3 dir=$work/$1-$2
    shift 3
    run_logged build/ixor run --runs "$runs" --disturb pause --seed 1 "$@" --out "$dir" -- \
        "examples/$sample/run.sh" "$program"
    build/ixor status --json "$dir" | jq -r --arg sample "$sample" --arg program "$program" '.failure_rates[] |
        [$sample, $program, .disturbed // "undisturbed", .failed, .judged, 100 * .rate, 100 * .low,
        100 * .high] | @tsv' | while IFS=$'\t' read -r sample name kind failed judged rate low high; do
        printf '| %s | %s | %s | %s | %s | %.1f %% | %.1f to %.1f %% |\n' "$sample" "$name" "$kind" "$failed" \
            "$judged" "$rate" "$low" "$high"
    done
}

# provoke_compare SAMPLE: whether the mended program fails less often
provoke_compare() {
    (cd "$work" && "$OLDPWD/build/ixor" status "$1-defect" "$1-mended") | sed 's/^/    /'
}
