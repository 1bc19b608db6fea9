# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how well the ranking does on each system in casestudy/ with
# constants that were chosen on the others, and how much time and memory it takes.
#   RANKING_STRUCK=no: without the runs that passed though a fault had struck
#   RANKING_UNSEEN: names in casestudy/heldout (default: see below)
#   RANKING_SIZES: numbers of runs (default "300 1000 3000"); 10,000 need about 6 GiB of memory

# list_silent BLAME DIR: writes DIR/silent, runs whose fault hardly touches call stacks.
list_silent() {
    [ ! -e "$1" ] || awk -F'\t' '
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        NR == FNR { if ($column["silent"] == "yes") silent[$column["fault"]] = 1; next }
        $column["fault"] in silent { print $column["execution"] }' "$1" "$2/truth.tsv" >"$2/silent"
    [ "${RANKING_STRUCK:-}" != no ] || awk -F'\t' '
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["fault"] !~ /^(none|-)$/ && $column["verdict"] == "passed" { print $column["execution"] }' \
        "$2/truth.tsv" >>"$2/silent"
}

# precision_table TITLE DIR...
precision_table() {
    echo
    echo "## $1"
    echo
    [ "${RANKING_STRUCK:-}" != no ] || echo "Without runs that passed though a fault had struck."
    echo "Without runs whose fault hardly touches call stacks (\`silent\` in blame.tsv). Each system also has a" \
        "row that lists the longest runs first. 2 % to 33 %: the mean of eight draws."
    echo
    echo "| system | failed of | constants | all runs | 2 % failed | 5 % | 10 % | 20 % | 33 % |"
    echo "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    build/bench/ranking "${@:2}" | awk -F'\t' '
        $1 == "fit" { print "\nBest on all of them: " $4 "."; next }
        {
            printf "| %s | %d of %d | %s", $1, $2, $3, $4
            for (i = 5; i <= NF; i++) printf " | %s", $i
            print " |"
        }'
}

ranking_table() {
    local archive system dirs=()
    for archive in casestudy/*.tar.xz; do
        system=$(basename "$archive" .tar.xz)
        examples/casestudy.sh --unpack "$archive" "$work/$system" >"$work/log"
        list_silent "examples/$system/blame.tsv" "$work/$system"
        dirs+=("$work/$system")
    done
    precision_table "Average precision of the ranking, constants chosen on the other systems" "${dirs[@]}"
}

# Systems that nobody tuned for, recorded with today's defaults.
unseen_systems='seats parcels schedulers confd reels freight ring mail iot claims leases meters'
ranking_unseen_table() {
    local system dirs=()
    for system in ${RANKING_UNSEEN:-$unseen_systems}; do
        examples/casestudy.sh --unpack "casestudy/heldout/$system.tar.xz" "$work/$system" >"$work/log"
        list_silent "$work/$system/blame.tsv" "$work/$system"
        dirs+=("$work/$system")
    done
    precision_table "Average precision on systems that nobody tuned for, constants chosen on the others" "${dirs[@]}"
}

# ranking_cost DIR: "SECONDS MIB" of `roxi rank`
ranking_cost() {
    /usr/bin/time -f "cost %e %M" build/roxi rank "$1" 2>&1 >"$work/rank" |
        awk '$1 == "cost" { printf "%s %d\n", $2, $3 / 1024 }'
}

ranking_cost_table() {
    local n dir without judged
    echo
    echo "## What \`roxi rank\` costs"
    echo
    echo "Synthetic campaigns: 4 JVMs a run, 5 threads each, 60 packets; each run has call stacks that no other" \
        "has. Without verdicts, and with them, when one run in ten has failed; $(nproc) processors."
    echo
    echo "| runs | seconds | MiB | with verdicts, seconds | MiB |"
    echo "| ---: | ---: | ---: | ---: | ---: |"
    for n in ${RANKING_SIZES:-300 1000 3000}; do
        dir=$(synthetic "$n")
        read -ra without < <(ranking_cost "$dir")
        sqlite3 "$dir/campaign.db" \
            "update execution set verdict = case when id % 10 = 0 then 'failed' else 'passed' end"
        read -ra judged < <(ranking_cost "$dir")
        echo "| $n | ${without[0]} | ${without[1]} | ${judged[0]} | ${judged[1]} |"
        rm -rf "$dir"
    done
}

# Three copies of a stored campaign as one, in which 300 runs have failed, chosen evenly.
explain_cost_table() {
    local copy dir=$work/explain
    examples/casestudy.sh --unpack casestudy/bully.tar.xz "$dir/0" >"$work/log"
    for copy in 1 2 3; do # of different campaigns, as their dates tell
        cp -r "$dir/0/campaign" "$dir/$copy"
        sqlite3 "$dir/$copy/campaign.db" "update campaign set created_ns = created_ns + $copy"
    done
    run_logged build/roxi merge "$dir/1" "$dir/2" "$dir/3" -o "$dir/all"
    sqlite3 "$dir/all/campaign.db" "update execution set verdict =
        case when id * 300 % (select count(*) from execution) < 300 then 'failed' else 'passed' end"
    echo
    echo "## What \`roxi explain --failed\` costs, against \`roxi rank\`"
    echo
    echo "Three copies of the case study's runs of Bully as one campaign: $(sql "$dir/all" "select count(*) ||
        ' runs, of which ' || sum(verdict = 'failed') || ' count as failed' from execution"); $(nproc) processors." \
        "The medians of five, in turn."
    echo
    echo "| \`roxi\` | seconds | of processor time |"
    echo "| --- | ---: | ---: |"
    for _ in 1 2 3 4 5; do
        explain_cost rank "$dir/all"
        explain_cost explain "$dir/all" --failed
    done
    explain_cost_row rank rank
    explain_cost_row explain "explain --failed"
    printf '| ratio, the median of the pairs | %s | %s |\n' "$(explain_cost_ratio '$4 / $1')" \
        "$(explain_cost_ratio '($5 + $6) / ($2 + $3)')"
    rm -rf "$dir"
}
explain_cost() { # explain_cost COMMAND ARGUMENT...
    /usr/bin/time -a -o "$work/$1.cost" -f "%e %U %S" build/roxi "$@" >"$work/log" 2>&1
}
explain_cost_row() { # explain_cost_row COMMAND LABEL
    awk '{ print $1, $2 + $3 }' "$work/$1.cost" | sort -n | awk -v c="$2" '
        NR == 3 { printf "| %s | %.2f | %.2f |\n", c, $1, $2 }'
}
explain_cost_ratio() { # explain_cost_ratio EXPRESSION: of a pair's seconds, user and system time, rank first
    paste -d ' ' "$work/rank.cost" "$work/explain.cost" | awk "{ printf \"%.2f\\n\", $1 }" | sort -n | sed -n 3p
}
