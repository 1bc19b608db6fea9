# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: what the facts that are on by default cost beside the call stacks.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   FACTS_PAIRS: pairs of phases of each program (default 80; of the real programs half as many)
#   FACTS_SETTLE: seconds between new settings and the phase that is measured (default 0.4)
#   FACTS_STARTS: pairs of JVMs of each program that are started with and without the facts (default 3)
#   COST_SECONDS: how long each of these is measured (default 8)
#   FACTS: which facts, of "locks process connections invocations" (the default); the others are off
#   SLOWDOWN_SIZE (0: only the saturating load), SLOWDOWN_JDKS: see bench/slowdown.bash

export FACTS=${FACTS:-locks process connections invocations}

# facts_now JVM SERVER: nanoseconds: the time, and what the agent's thread, the JVM's and the server have run
facts_now() {
    local us=${EPOCHREALTIME//[.,]/}
    echo "${us}000 $(ran "$(task "$1" 'Ixor Agent')") $(ran "$(task "$1" 'VM Thread')")" \
        "$(ran "/proc/$2"/task/*)"
}

# What a JVM's Phases call before each phase: ends the phase before, with a line "on|off" and facts_now at
# its begin and at its end in DIR/phases, gives the agent its new settings, and begins the next phase.
#   facts_turn DIR SERVER JVM on|off
facts_turn() {
    local dir=$1 server=$2 jvm=$3 mode=$4 fact options=walk=changed
    [ ! -e "$dir/begin" ] || echo "$(cat "$dir/begin") $(facts_now "$jvm" "$server")" >>"$dir/phases"
    for fact in locks process connections invocations; do
        if [[ " $FACTS " == *" $fact "* ]]; then options+=,$fact=$mode; else options+=,$fact=off; fi
    done
    build/ixor attach --options "$options" "$dir/campaign" "$jvm" >>"$dir/attach" 2>&1 || return
    sleep "${FACTS_SETTLE:-0.4}"
    echo "$mode $(facts_now "$jvm" "$server")" >"$dir/begin"
}

# facts_serve DIR: a server; sets `server` and `word`, the agent's option for java's command line
facts_serve() {
    : >"$1/serve"
    build/ixor serve --out "$1/campaign" --listen 127.0.0.1:0 --every 100ms >"$1/serve" 2>&1 &
    server=$!
    until word=$(sed -n 's/^  -agentpath/-agentpath/p' "$1/serve") && [ -n "$word" ]; do
        kill -0 $server || { cat "$1/serve" >&2; exit 1; }
        sleep 0.1
    done
}

# facts_phases DIR JDK JAVA-ARG...: one JVM whose phases have the facts in turns: DIR/out, its output, and
# DIR/phases; DIR/stops has a line "NANOSECONDS BEGIN" for each stop, the shortest first
facts_phases() {
    local dir=$1 jdk=$2 server word
    shift 2
    facts_serve "$dir"
    cat >"$dir/turn" <<EOT
#!/usr/bin/env bash
. bench/lib.bash
. bench/cost.bash
. bench/facts.bash
facts_turn "$dir" $server \$PPID "\$1"
EOT
    chmod +x "$dir/turn"
    "$jdk/bin/java" "$word,process=on,walk=changed" -XX:+EnableDynamicAgentLoading \
        "-Dphases.turn=$dir/turn" "$@" >"$dir/out" 2>&1 || { cat "$dir/out" "$dir/attach" >&2; exit 1; }
    kill $server
    wait $server || true
    if grep 'continuing without' "$dir/out" >&2; then exit 1; fi
    sql "$dir/campaign" 'select stop_ns, begin_ns from snapshot order by 1' | tr '|' ' ' >"$dir/stops"
}

# facts_figures DIR: "off|on STOPS P50 P99 AGENT JVM SERVER", a line each; microseconds, the last three a stop
facts_figures() {
    awk '
        function rank(q, n) { return n * q == int(n * q) ? n * q : int(n * q) + 1 }
        FILENAME ~ /phases$/ {
            mode[++phases] = $1; begin[phases] = $2; end[phases] = $6
            for (i = 3; i <= 5; i++) ran[$1, i] += $(i + 4) - $i
            next
        }
        {
            for (i = 1; i <= phases; i++)
                if ($2 >= begin[i] && $2 < end[i]) stop[mode[i], ++stops[mode[i]]] = $1
        }
        END {
            split("off on", both)
            for (m = 1; m <= 2; m++) {
                b = both[m]; n = stops[b]
                print b, n, stop[b, rank(0.5, n)] / 1000, stop[b, rank(0.99, n)] / 1000,
                    ran[b, 3] / n / 1000, ran[b, 4] / n / 1000, ran[b, 5] / n / 1000
            }
        }' "$1/phases" "$1/stops"
}

# facts_row LABEL JDK JAVA-ARG...; `@DATA@` is a new directory
facts_row() {
    local label=$1 dir
    dir=$(mktemp -d "$work/facts.XXXXXX")
    mkdir "$dir/data"
    shift
    facts_phases "$dir" "${@//@DATA@/$dir/data}"
    facts_figures "$dir" >"$dir/figures"
    awk '/^pair/ { n++; print n, "off", $2, $2; print n, "on", $3, $3 }' "$dir/out" |
        build/bench/pairs off | cat "$dir/figures" - | awk -v label="$label" -v cores="$(nproc)" '
        $1 == "off" && NF == 7 { split($0, off) }
        $1 == "on" && NF == 7 { split($0, on) }
        $1 == "on" && NF == 8 {
            verdict = $5 < 0.3 ? "yes" : $4 > 0.3 ? "no" : "undecided"
            if ($2 < 6) verdict = "too few pairs"
            printf "| %s | %d | **%.2f** (%.2f to %.2f) | %s |", label, $2, $3, $4, $5, verdict
            printf " %d, %d | %.0f, %.0f | %.0f, %.0f |", off[2], on[2], off[3], on[3], off[4], on[4]
            for (i = 5; i <= 7; i++) {
                more += on[i] - off[i]
                printf " %.0f, %.0f |", off[i], on[i]
            }
            printf " **%.2f** |\n", more / 1000 / cores
        }'
    rm -rf "$dir"
}

facts_jdk() {
    local classes jdk=$1 name pairs=${FACTS_PAIRS:-80} size=${SLOWDOWN_SIZE:-100}
    name=$(version "$jdk")
    java_programs "$jdk"
    facts_row "$name, 31 that wait + 68 parked + 2 busy" "$jdk" -cp "$classes" Waiting 10 68 30 2 1000 1000 \
        "$pairs"
    [ "$size" != 0 ] || return 0
    [ ! -f "$JARS"/hsqldb.jar ] || facts_row "$name, HSQLDB" "$jdk" \
        -cp "$classes:$JARS/hsqldb.jar" Database 4 $((60 * size)) $(((pairs + 1) / 2))
    [ ! -f "$JARS"/zookeeper.jar ] || facts_row "$name, ZooKeeper" "$jdk" \
        -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((60 * size)) $(((pairs + 1) / 2))
}

# ---- JVMs that are started with the facts, or without ----

# facts_started MODE JDK JAVA-ARG...: one JVM: microseconds of agent, JVM and server a packet
facts_started() {
    local mode=$1 jdk=$2 dir server word java fact options=walk=changed,exceptions=off
    shift 2
    dir=$(mktemp -d "$work/facts.XXXXXX")
    mkdir "$dir/data"
    for fact in locks process connections invocations; do
        if [[ " $FACTS " == *" $fact "* ]]; then options+=,$fact=$mode; else options+=,$fact=off; fi
    done
    facts_serve "$dir"
    "$jdk/bin/java" "$word,$options" "${@//@DATA@/$dir/data}" >"$dir/out" 2>&1 &
    java=$!
    watch_cost "$dir/campaign" $server | awk '$4 { print $1 / $4 / 1000, $2 / $4 / 1000, $3 / $4 / 1000 }'
    kill $java 2>/dev/null || true # the program would go on
    wait $java || true
    kill $server
    wait $server || true
    rm -rf "$dir"
}

# facts_started_row LABEL JDK JAVA-ARG...
facts_started_row() {
    local label=$1 i mode
    shift
    for ((i = 0; i < ${FACTS_STARTS:-3}; i++)); do
        for mode in off on; do echo "$mode $(facts_started $mode "$@")"; done
    done | awk -v label="$label" -v cores="$(nproc)" '
        function median(mode, field,    i, j, n, v, x) {
            n = count[mode]
            for (i = 1; i <= n; i++) {
                x = us[mode, field, i]
                for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
                v[j + 1] = x
            }
            return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
        }
        NF == 4 { count[$1]++; for (i = 2; i <= 4; i++) us[$1, i, count[$1]] = $i }
        END {
            printf "| %s | %d |", label, count["on"]
            for (i = 2; i <= 4; i++) {
                more += median("on", i) - median("off", i)
                printf " %.0f, %.0f |", median("off", i), median("on", i)
            }
            printf " **%.2f** |\n", more / 1000 / cores
        }'
}

facts_started_jdk() {
    local classes jdk=$1 name size=${SLOWDOWN_SIZE:-100}
    name=$(version "$jdk")
    java_programs "$jdk"
    facts_started_row "$name, 31 that wait + 68 parked + 2 busy" "$jdk" -cp "$classes" Waiting 10 68 30 2 1000 60000
    [ "$size" != 0 ] || return 0
    [ ! -f "$JARS"/hsqldb.jar ] || facts_started_row "$name, HSQLDB" "$jdk" \
        -cp "$classes:$JARS/hsqldb.jar" Database 4 $((60000 * size))
    [ -f "$JARS"/zookeeper.jar ] || return 0
    facts_started_row "$name, ZooKeeper, the same clients" "$jdk" \
        -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((60000 * size))
    facts_started_row "$name, ZooKeeper, new clients each second" "$jdk" -Dphases.turn=/bin/true \
        -cp "$classes:$JARS/zookeeper.jar" Keeper @DATA@ 8 $((60 * size)) 1000
}

facts_started_table() {
    local jdk
    cat <<EOT

The same for JVMs that are started with these facts, or without, in turn: what a program pays that is not attached to
anew. "agent, JVM, server" and "more" as above, medians of the JVMs; each is measured for ${COST_SECONDS:-8} s, from 1.5 s after
its first packet on. The phases above begin with new settings, after which the agent has to get to know all threads
again.

| program | JVMs | agent us | JVM us | server us | more % |
| --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${SLOWDOWN_JDKS:-}"); do
        facts_started_jdk "$jdk"
    done
}

facts_table() {
    local jdk
    cat <<EOT

## What facts cost beside the call stacks

A packet every 100 ms. Phases of one JVM with ${FACTS// /, } alternate with phases without them: before
each phase its agent gets new settings (\`ixor attach\`).

- slow-down: of the phases with facts against those without, in percent of wall time for the same work,
  with the server on the same cores: the median of the pairs and its 95 % interval. The interval decides
  whether the target, less than 0.3, is met, is not met, or is undecided.
- stops, p50, p99: as the agent reports them. All pairs of figures are "without facts, with facts".
- agent, JVM, server: the processor time of the agent's thread, the JVM's VM thread and the server for each
  packet that was taken, as the kernel counts it.
- more: what facts add to these three, in percent of all processors.
- 31 that wait: 10 threads each that read from a socket, enter a monitor and wait for a lock, and the one
  that owns both.

| program | pairs | slow-down % | < 0.3 | stops | p50 us | p99 us | agent us | JVM us | server us | more % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
EOT
    for jdk in $(make/jdk.sh "${SLOWDOWN_JDKS:-}"); do
        facts_jdk "$jdk"
    done
    facts_started_table
}
