# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how well the ranking does on each system in casestudy/ with
# constants that were chosen on the others, and how much time and memory it takes.
#   RANKING_SIZES: numbers of runs (default "300 1000 3000"); 10,000 need about 6 GiB of memory

# list_silent SYSTEM DIR: writes DIR/silent, runs whose fault hardly touches call stacks.
list_silent() {
    local blame=examples/$1/blame.tsv
    [ ! -e "$blame" ] || awk -F'\t' '
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        NR == FNR { if ($column["silent"] == "yes") silent[$column["fault"]] = 1; next }
        $column["fault"] in silent { print $column["execution"] }' "$blame" "$2/truth.tsv" >"$2/silent"
}

ranking_table() {
    local archive system dirs=()
    for archive in casestudy/*.tar.xz; do
        system=$(basename "$archive" .tar.xz)
        examples/casestudy.sh --unpack "$archive" "$work/$system" >"$work/log"
        list_silent "$system" "$work/$system"
        dirs+=("$work/$system")
    done
    echo
    echo "## Average precision of the ranking, constants chosen on the other systems"
    echo
    echo "Without runs whose fault hardly touches call stacks (\`silent\` in blame.tsv). Each system also has a" \
        "row that lists the longest runs first. 2 % to 33 %: the mean of eight draws."
    echo
    echo "| system | failed of | constants | all runs | 2 % failed | 5 % | 10 % | 20 % | 33 % |"
    echo "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    build/bench/ranking "${dirs[@]}" | awk -F'\t' '
        $1 == "fit" { print "\nBest on all of them: " $4 "."; next }
        {
            printf "| %s | %d of %d | %s", $1, $2, $3, $4
            for (i = 5; i <= NF; i++) printf " | %s", $i
            print " |"
        }'
}

ranking_cost_table() {
    local n dir
    echo
    echo "## What \`roxi rank\` costs"
    echo
    echo "Synthetic campaigns: 4 JVMs a run, 5 threads each, 60 packets; $(nproc) processors."
    echo
    echo "| runs | seconds | MiB |"
    echo "| ---: | ---: | ---: |"
    for n in ${RANKING_SIZES:-300 1000 3000}; do
        dir=$(synthetic "$n")
        /usr/bin/time -f "| $n | %e | %M |" build/roxi rank "$dir" 2>&1 >"$work/rank" |
            awk -F'|' '/^\|/ { printf "|%s|%s| %d |\n", $2, $3, $4 / 1024 }'
        rm -rf "$dir"
    done
}
