# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: how long a JVM's threads stand still for a packet.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   STOP_ROUNDS: JVMs for each row (default 3)
#   STOP_SECONDS: how long each is measured (default 3); four times as long with 40 busy threads

# stop_with TOOL JDK PARKED BUSY SECONDS UNTIL: one JVM under that load with TOOL (all, changed: the
# agent's walk; jcmd) and bench/agent/bare.c, each asking every 100 ms. Prints what bench/stops.c
# finds; UNTIL is its last argument. The log is written by a thread of its own, not by the one that
# does the walk.
stop_with() {
    local jdk=$2 until=$6 dir window
    dir=$(mktemp -d "$work/stop.XXXXXX")
    set -- "$1" "$jdk/bin/java" -Xlog:async \
        "-Xlog:safepoint,vmoperation=debug:file=$dir/safepoints:tn" \
        "-agentpath:$PWD/build/bench/libbare.so=$dir/bare,100,64,floor" -cp "$work/${jdk##*/}" \
        Load "$3" 30 "$4" 1000 $(($5 * 1000))
    if [ "$1" = jcmd ]; then
        "${@:2}" >"$dir/out" 2>&1 &
        dump_often "$jdk" $! 0.1 >"$dir/dumps"
        wait $!
        : >"$dir/snapshots"
    else
        run_logged env JAVA_TOOL_OPTIONS="-agentpath:$PWD/build/libixor.so=walk=$1" \
            build/ixor run --out "$dir/campaign" --timeout 300s -- "${@:2}"
        cp "$dir"/campaign/runs/*/output.txt "$dir/out"
        sql "$dir/campaign" 'select begin_mono_ns || " " || stop_ns from snapshot order by packet' \
            >"$dir/snapshots"
    fi
    read -r _ window < <(grep '^measured' "$dir/out")
    # shellcheck disable=SC2086 # the window's begin and end, and more
    set -- $window
    build/bench/stops "$dir/safepoints" "$dir/bare" "$dir/snapshots" "$1" "$2" "$until"
    rm -rf "$dir"
}

# stop_row LABEL NAME TARGET: a row of the table, from what stop_with printed in all rounds on
# stdin; NAME is stops.c's. The ratio is that of one JVM's medians; of these the median, least and
# greatest.
stop_row() {
    awk -v label="$1" -v name="$2" -v target="$3" '
    function sort(a, n, i, j, t) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
    }
    function mid(a, n) { sort(a, n); return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
    function us(a, n) { return sprintf("%.0f", mid(a, n) / 1000) }
    $1 == name { split($0, own) }
    $1 == "bare" { split($0, bare) }
    $1 == "dropped" { # ends a round
        dropped += $2
        if (!own[2] || !bare[2]) next
        n++; count += own[2]; full += own[7]; q[n] = own[5] / bare[5]; mean[n] = own[6] / bare[6]
        r[n] = own[3]; h[n] = own[4]; t[n] = own[5]; R[n] = bare[3]; H[n] = bare[4]; T[n] = bare[5]
    }
    END {
        if (!n) { printf "| %s | none | | | | | | %d |\n", label, dropped; exit }
        printf "| %s | %d, %d full | %s + %s, %s | %s + %s, %s |", label, count, full, us(r, n),
            us(h, n), us(t, n), us(R, n), us(H, n), us(T, n)
        middle = mid(q, n)
        printf " **%.3f** (%.3f to %.3f) | %s | %.3f | %d |\n", middle, q[1], q[n], target,
            mid(mean, n), dropped
    }'
}

# stop_shape JDK PARKED BUSY TARGET SECONDS UNTIL
stop_shape() {
    local tool round label
    label="$(version "$1") | $2 parked + $3 busy"
    for tool in changed all jcmd; do
        for ((round = 0; round < ${STOP_ROUNDS:-3}; round++)); do
            stop_with $tool "$1" "$2" "$3" "$5" "$6"
        done >"$work/$tool"
    done
    stop_row "$label | walk=changed" ixor "<= $4" <"$work/changed"
    stop_row "$label | walk=all" ixor "" <"$work/all"
    stop_row "$label | two sleeping threads only" floor "" <"$work/changed"
    stop_row "$label | jcmd Thread.print" jcmd "" <"$work/jcmd"
}

stop_table() {
    local jdk seconds=${STOP_SECONDS:-3}
    cat <<EOT

## Length of the stop, against a bare GetAllStackTraces in the same JVM

A stop lasts from the request for the safepoint until the threads are released (\`Total\` in
-Xlog:safepoint). Each JVM has two agents, and each agent asks for a stop every 100 ms: the agent in
the row, and one that only calls GetAllStackTraces ("bare").

- us: the time until all threads have stopped + the time they are held, and the total, in
  microseconds. Each figure is the median of $seconds s; the table shows the median of ${STOP_ROUNDS:-3} JVMs.
- stops: if a packet needs several stops, their times are added up. "full" counts full walks, which
  are included.
- ratio: this total to the bare total in the same JVM, median of the rounds (least to greatest);
  "means": the same for means.
- two sleeping threads only: what any stop costs the JVM. Calls GetThreadListStackTraces for two
  threads that sleep.
- jcmd: the two or three safepoints of one dump together, repeated as often as it completes.
- dropped: packets and calls without a stop.

With 40 busy threads, each JVM is measured for $((4 * seconds)) s, and times end when the walk is over: the
JVM's thread that logs the end of the safepoint has to wait for a core behind the threads that it has
released.

| JDK | threads | tool | stops | us: reach + held, total | bare | ratio | target | means | dropped |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh all); do
        "$jdk/bin/javac" -sourcepath bench/java -d "$work/${jdk##*/}" bench/java/Load.java
        stop_shape "$jdk" 100 2 0.2 "$seconds" released
        stop_shape "$jdk" 1000 2 0.05 "$seconds" released
        stop_shape "$jdk" 0 40 1.1 $((4 * seconds)) walked
    done
}
