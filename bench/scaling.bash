# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how time and memory grow with the number of runs, how much faster several
# MPI processes are, and how many call stacks occur again in other runs.
#   SCALING_SIZES: numbers of runs (default "2500 5000 10000 20000"); 20,000 need about 10 GiB of
#     memory and 6 GiB of disk
#   SCALING_STRATEGY: default favor-end
#   MPI_SIZE: runs in mpi_table (default 2500)
#   MPI_ROUNDS: default 3
#   REPEATS_RUNS: runs of examples/bully in repeats_table, beside MPI_SIZE generated ones (default
#     24)

# synthetic N: makes the campaign of N runs, with five call stacks for each; prints where
synthetic() {
    local dir=$work/synthetic-$1
    [ -d "$dir" ] || build/bench/campaign "$dir" "$1" 4 5 $(($1 * 5)) 25 60 1
    echo "$dir"
}

scaling_table() {
    local n dir sizes=${SCALING_SIZES:-2500 5000 10000 20000} strategy=${SCALING_STRATEGY:-favor-end}
    echo
    echo "## How a matrix grows: $strategy, synthetic campaigns"
    echo
    echo "bench/campaign.c: 4 roles x 5 threads, 5 call stacks per run, mean depth 25, 60 packets; $(nproc)" \
        "processors. Times are in seconds; the exponent of growth since the row above is in parentheses."
    echo
    echo "| runs | stacks | reading logs | distances | product | total | MiB |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    for n in $sizes; do
        dir=$(synthetic "$n")
        build/bench/scaling "$dir" "$strategy"
        rm -rf "$dir"
    done | awk 'function power(i) {
            return NR > 1 && was[i] > 0 && $i > 0 ? sprintf(" (%.2f)", log($i / was[i]) / log($1 / was[1])) : ""
        }
        {
            printf "| %d | %d", $1, $2
            for (i = 3; i <= 7; i++) printf " | %s%s", $i, power(i)
            print " |"
            fflush()
            for (i = 1; i <= 7; i++) was[i] = $i
        }'
}

# ranked RANKS THREADS COMMAND...: prints the seconds that it takes; what it says is in $work/log
ranked() {
    local TIMEFORMAT=%3R ranks=$1 threads=$2 launch=()
    shift 2
    [ "$ranks" = 1 ] || launch=(mpirun --oversubscribe --bind-to none -n "$ranks")
    { time OMP_NUM_THREADS=$threads OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        "${launch[@]}" "$@" >"$work/log" 2>&1 </dev/null; } 2>&1
}

# Every rank reads all logs; they share the comparing. With cached distances only the comparing is left
# out, which tells how long it took.
mpi_table() {
    local n=${MPI_SIZE:-2500} strategy=${SCALING_STRATEGY:-favor-end} dir ranks threads round all rest
    echo
    echo "## MPI processes against threads: $strategy, $n runs"
    echo
    if [ ! -x build/mpi/roxi ]; then
        echo "(build/mpi/roxi is not there: make MPI=1 build/mpi/roxi.)"
        return
    fi
    dir=$(synthetic "$n")
    build/mpi/roxi matrix "$dir" -s "$strategy" --format npy -o "$work/want"
    for ((round = 0; round < ${MPI_ROUNDS:-3}; round++)); do
        while read -r ranks threads; do
            all=$(ranked "$ranks" "$threads" build/mpi/roxi matrix "$dir" -s "$strategy" --cache no \
                --format npy -o "$work/got")
            cmp "$work/want" "$work/got" >&2 || return 1
            share=$(sed -n 's/.*other than 0 did \([0-9]*\) %.*/\1/p' "$work/log")
            rest=$(ranked "$ranks" "$threads" build/mpi/roxi matrix "$dir" -s "$strategy" \
                --format npy -o "$work/got")
            echo "$ranks $threads $all $rest ${share:-0}"
        done <<<$'1 1\n1 2\n2 1\n4 1'
    done >"$work/ranks"
    rm -rf "$dir"
    echo "Median of ${MPI_ROUNDS:-3} rounds on $(nproc) processors; the output has the same bytes each time." \
        "Without comparing: the same command when the distances are cached and only have to be read. By other" \
        "processes: the share of the work that was not done by process 0."
    echo
    echo "| runs | processes x threads | whole command | without comparing | by other processes |"
    echo "| --- | --- | --- | --- | --- |"
    while read -r ranks threads; do
        echo "$ranks $threads $(median_of 3 "$ranks" "$threads") $(median_of 4 "$ranks" "$threads")" \
            "$(median_of 5 "$ranks" "$threads")"
    done <<<$'1 1\n1 2\n2 1\n4 1' |
        awk -v n="$n" '{printf "| %d | %d x %d | %.2f s | %.2f s | %d %% |\n", n, $1, $2, $3, $4, $5}'
}

# median_of COLUMN RANKS THREADS: of the rows of $work/ranks
median_of() {
    awk -v c="$1" -v r="$2" -v t="$3" '$1 == r && $2 == t {print $c}' "$work/ranks" | sort -n |
        awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

repeats_table() {
    echo
    echo "## What campaigns repeat"
    echo
    echo "A member is a run's thread (of a role). Nearest neighbours are computed once for each distinct" \
        "set of call stacks in a thread; distinct rows are sets with their counts."
    echo
    echo "| campaign | runs | equal to another | members | distinct sets | distinct rows" \
        "| stacks | items | items of distinct rows |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    repeats_row "synthetic, 60 packets" "$(synthetic "${MPI_SIZE:-2500}")"
    build/bench/campaign "$work/short" "${MPI_SIZE:-2500}" 4 5 "$((${MPI_SIZE:-2500} * 5))" 25 6 1
    repeats_row "synthetic, 6 packets" "$work/short"
    build/ixor run --runs "${REPEATS_RUNS:-24}" --every 50ms --out "$work/repeats" -- \
        examples/bully/run.sh >"$work/log" 2>&1 || true # some runs may fail
    repeats_row "examples/bully" "$work/repeats"
}

# repeats_row LABEL CAMPAIGN
repeats_row() {
    build/bench/repeats "$2" | awk -v label="$1" '{
        printf "| %s | %d | %d | %d | %d (%.0f %%) | %d (%.0f %%) | %d | %d | %d (%.0f %%) |\n", label, \
            $1, $2, $3, $4, 100 * $4 / $3, $5, 100 * $5 / $3, $8, $6, $7, 100 * $7 / $6
    }'
}
