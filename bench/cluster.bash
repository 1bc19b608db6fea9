# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: our clustering and SciPy's, each on one core with the same distances.
#   BENCH_CLUSTER: number of runs (default 10000)

# python_with_scipy: the first python3 that has it; Debian's package is for Debian's python3
python_with_scipy() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import scipy' 2>/dev/null && echo "$python" && return 0
    done
    return 1
}

cluster_table() {
    local n=${BENCH_CLUSTER:-10000} python what ours sum theirs their_sum same
    echo
    echo "## Clustering of $n runs"
    echo
    echo "A matrix of distances in groups (bench/cluster.c). The table gives the processor time, in seconds," \
        "to compute the tree of all merges from condensed distances. SciPy does not round, and treats equal" \
        "distances by a rule of its own. Same: the sums of all heights agree to 1e-9."
    echo
    build/bench/cluster "$n" "$work/condensed" >"$work/ours"
    if python=$(python_with_scipy); then
        "$python" bench/cluster.py "$work/condensed" >"$work/theirs"
    else
        : >"$work/theirs"
        echo "(SciPy is not installed.)"
        echo
    fi
    echo "| linkage | roxi | SciPy | SciPy / roxi | same |"
    echo "| --- | --- | --- | --- | --- |"
    while read -r what _ ours sum; do
        [ "$what" != cosine ] && [ "$what" != memory ] || continue
        same='-'
        read -r theirs their_sum < <(awk -v w="$what" '$1 == w {print $2, $3}' "$work/theirs") || true
        [ -z "$their_sum" ] || same=$(awk -v a="$sum" -v b="$their_sum" \
            'BEGIN {d = a / b - 1; print (d < 1e-9 && -d < 1e-9) ? "yes" : "NO"}')
        echo "| $what | $ours | ${theirs:--} |" \
            "$([ -z "$theirs" ] && echo - || ratio "$theirs" "$ours") | $same |"
    done <"$work/ours"
    echo
    awk '$1 == "cosine" {c = $2; p = $3} $1 == "average" {a = $2} $1 == "memory" {m = $2}
        END {printf "The cosines of all rows take %s s (%s s of processor time); with average linkage, %.1f s. " \
            "Memory, including the distances: %.2f GiB.\n", c, p, c + a, m / 1048576}' "$work/ours"
    rm -f "$work/condensed"
}
