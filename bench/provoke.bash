# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how often a rare failure shows in quiet and in disturbed runs
# (docs/provoke.md), with the sample examples/lease. PROVOKE_RUNS: of each kind, 240 by default.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh

provoke_table() {
    local runs=${PROVOKE_RUNS:-240}
    make --no-print-directory build/examples/lease.stamp >"$work/log" || return
    echo
    echo "## Rare failures made frequent"
    echo
    echo "Runs of [examples/lease](../examples/lease), two JVMs for a second, that failed. Undisturbed" \
        "runs and such with \`--disturb pause\` in turn, so that both meet the same load of the" \
        "machine; seed 1. Intervals: 95 %, Clopper and Pearson. Mended: the same program without the" \
        "defect. Load of the machine at the start: $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc)" \
        "processors, from other work."
    echo
    echo "| program | runs | failed | of | rate | interval |"
    echo "| --- | --- | --- | --- | --- | --- |"
    provoke_rows defect $((2 * runs)) --disturb-every 2
    provoke_rows mended $((runs / 2)) --disturb-every 1
    echo
    echo "By \`ixor status\`:"
    echo
    provoke_compare
}

# provoke_rows PROGRAM RUNS OPTION...
provoke_rows() {
    local program=$1 runs=$2 dir=$work/provoke-$1
    shift 2
    run_logged build/ixor run --runs "$runs" --disturb pause --seed 1 "$@" --out "$dir" -- \
        examples/lease/run.sh "$program"
    build/ixor status --json "$dir" | jq -r --arg program "$program" '.failure_rates[] |
        [$program, .disturbed // "undisturbed", .failed, .judged, 100 * .rate, 100 * .low,
        100 * .high] | @tsv' | while IFS=$'\t' read -r name kind failed judged rate low high; do
        printf '| %s | %s | %s | %s | %.1f %% | %.1f to %.1f %% |\n' "$name" "$kind" "$failed" \
            "$judged" "$rate" "$low" "$high"
    done
}

# Whether the mended program fails less often.
provoke_compare() {
    (cd "$work" && "$OLDPWD/build/ixor" status provoke-defect provoke-mended) | sed 's/^/    /'
}
