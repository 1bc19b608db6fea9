# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: whether a test fails as often with the agent as without. FAILURES_RUNS: of each
# kind, 200 by default; FAILURES_EVERY: the time between packets, 20ms; FAILURES_WINDOW: how long a count can
# be lost, in ns (150000), which sets the rate: 12 % of 40 runs failed with 100000, 35 % with 300000.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh

failures_table() {
    local runs=${FAILURES_RUNS:-200} every=${FAILURES_EVERY:-20ms} window=${FAILURES_WINDOW:-150000} rounds=20
    local jdk seed
    jdk=$(make/jdk.sh)
    "$jdk/bin/javac" -d "$work/race" -sourcepath bench/java bench/java/Race.java
    local -a race=("$jdk/bin/java" -cp "$work/race" Race)
    echo
    echo "## A flaky test with and without the agent"
    echo
    echo "Runs that failed of a test whose two threads count $rounds times each, every 20 ms on average, in one" \
        "variable and without a lock (bench/java/Race.java): one JVM for half a second. By" \
        "\`ixor run --every $every\`, and the same command alone, in turn, so that both meet the same load of" \
        "the machine; both runs of a pair have the same seed, and every second pair begins with the one" \
        "without. OpenJDK $(version "$jdk"); a count can be lost for $((window / 1000)) us. Intervals: 95 %," \
        "Clopper and Pearson. Load of the machine at the start: $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc)" \
        "processors."
    echo
    echo "| runs | of | failed | rate | interval |"
    echo "| --- | --- | --- | --- | --- |"
    for ((seed = 1; seed <= runs; seed++)); do
        set -- "${race[@]}" $seed $rounds "$window"
        if ((seed % 2)); then
            race_sampled "$every" "$@"
            race_alone "$@"
        else
            race_alone "$@"
            race_sampled "$every" "$@"
        fi
        paste -d ' ' "$work/sampled" "$work/alone" >>"$work/pairs"
    done
    build/bench/failures "with the agent" "without" <"$work/pairs"
    echo
    echo "Packets in a run with the agent: $(sql "$work/failures" 'select round(avg(n), 1) from (select count(*) n
        from snapshot s join vm v on v.id = s.vm group by v.execution)') on average."
}

# What the command ended with, 0 or 1, into a file. Other numbers are no verdict, and end the bench.
race_sampled() { # race_sampled EVERY COMMAND...
    run_logged build/ixor run --every "$1" --out "$work/failures" -- "${@:2}"
    sql "$work/failures" 'select exit_status from execution order by id desc limit 1' >"$work/sampled"
}
race_alone() { # race_alone COMMAND...
    local status=0
    "$@" >"$work/log" 2>&1 || status=$?
    echo $status >"$work/alone"
}
