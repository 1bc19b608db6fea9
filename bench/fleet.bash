# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: servers and thousands of simulated agents (tests/helpers/simulate.c).
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   FLEET_SIZES: numbers of agents, each with the ms between packets if that is not 100 (default
#     "100 1000 10000 19000@200 50000@500"). If one process may not open enough descriptors, the
#     agents are divided among several servers, each with its own campaign.
#   FLEET_SECONDS: how long to measure after all agents have joined (default 30)
#   FLEET_AGENTS: a command to start the agents' process with. The default gives it only processor
#     time that no server needs, because real agents run on other machines.
fleet_table() {
    local size every
    echo
    echo "## One server, many JVMs"
    echo
    echo "Simulated agents on loopback, in one process per server and on the same cores; real agents would" \
        "run elsewhere. 500 agents join per second, and packets begin when all have joined."
    echo
    echo "- CPU: of all servers, in percent of one core, while all agents are connected. \"Writers\" is the" \
        "part of it that the catalogues cost."
    echo "- ticks of due: packets sent, divided by packets due."
    echo "- spread: from the arrival of a packet's first datagram to that of the last one, by the kernel's" \
        "clock; with several servers, the worst. On loopback the sender's processor also does the" \
        "receiver's work."
    echo "- KiB: resident memory per session."
    echo "- reports lost: reports sent minus rows in the catalogues. Requests lost: datagrams that did not" \
        "arrive."
    echo
    echo "| sessions | servers | Hz | join, s | CPU % | writers | us a request | ticks of due |" \
        "spread p50, ms | p99 | KiB a session | reports lost | requests lost |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for size in ${FLEET_SIZES:-100 1000 10000 19000@200 50000@500}; do
        every=100
        [[ $size != *@* ]] || every=${size#*@}
        fleet_row "${size%@*}" "$every" "${FLEET_SECONDS:-30}"
    done
    echo
    echo "How much of the spread is sending alone: 200 packets to 10,000 agents on loopback, none of which" \
        "reads, with each number of threads in turn."
    echo
    echo "| datagrams | threads | least, ms | median, ms |"
    echo "| --- | --- | --- | --- |"
    build/bench/udp_batch
}

# Number of servers needed: each session takes a descriptor, a simulated one 1/64 more.
fleet_servers() {
    local room=$((($(ulimit -Hn) - 200) * 64 / 65))
    echo $((($1 + room - 1) / room))
}

# Processor time of all servers so far, in ticks: "all writers".
fleet_ticks() {
    local server
    for server in "${servers[@]}"; do cat /proc/"$server"/task/*/stat; done |
        awk '{all += $14 + $15} $2 == "(ixor-writer)" {writers += $14 + $15} END {print all + 0, writers + 0}'
}
fleet_resident() {
    local server
    for server in "${servers[@]}"; do cat /proc/"$server"/status; done |
        awk '/^VmRSS/ {kib += $2} END {print kib}'
}
# fleet_sum QUERY: over all catalogues
fleet_sum() {
    local i sum=0
    for i in "${!servers[@]}"; do sum=$((sum + $(sql "$work/fleet-$i" "$1"))); done
    echo $sum
}
# fleet_mark TEXT: the sum of the last packet numbers
fleet_mark() {
    local i sum=0
    for i in "${!servers[@]}"; do
        sum=$((sum + $(build/ixor mark --json "$work/fleet-$i" "$1" | jq .packet)))
    done
    echo $sum
}
# From simulate's output: the sum and the maximum.
fleet_total() { cat "$work"/fleet-*.agents | awk -v n="$1" '$1 == n {s += $2} END {print s + 0}'; }
fleet_most() { cat "$work"/fleet-*.agents | awk -v n="$1" '$1 == n && $2 > m {m = $2} END {print m + 0}'; }

# fleet_serve I MS: starts another server; adds it to servers and addresses
fleet_serve() {
    local dir=$work/fleet-$1
    build/ixor serve --out "$dir" --listen 127.0.0.1:0 --every "$2ms" \
        >"$dir.out" 2>"$dir.err" &
    servers+=($!)
    until grep -q '^listening on ' "$dir.out" 2>/dev/null; do
        kill -0 "${servers[-1]}" 2>/dev/null || { cat "$dir.err" >&2; exit 1; }
        sleep 0.1
    done
    addresses+=("$(sed -n 's/^listening on //p' "$dir.out")")
    build/ixor pause "$dir" >"$work/log"
}

# fleet_joined: true once all agents that will ever join have joined
fleet_joined() {
    local i
    for i in "${!servers[@]}"; do
        grep -q '^join_ms' "$work/fleet-$i.agents" || return 1
    done
}

# fleet_row SESSIONS MS SECONDS
fleet_row() {
    local servers=() addresses=() agents=() count i each began ended before after from to base rss
    count=$(fleet_servers "$1")
    each=$(($1 / count))
    for ((i = 0; i < count; i++)); do fleet_serve $i "$2"; done
    base=$(fleet_resident)
    for i in "${!servers[@]}"; do
        ${FLEET_AGENTS-chrt --idle 0} build/helpers/simulate --server "${addresses[i]}" \
            --key "$work/fleet-$i/agent.key" --sessions $each --seconds $(($3 + 15)) --wait 600 \
            --rate $((500 / count)) >"$work/fleet-$i.agents" &
        agents+=($!)
    done
    until fleet_joined; do
        kill -0 "${agents[@]}" || exit 1
        sleep 0.2
    done
    for ((i = 0; i < count; i++)); do build/ixor resume "$work/fleet-$i" >"$work/log"; done
    sleep 5 # what joining brings along is over
    from=$(fleet_mark from)
    read -ra before < <(fleet_ticks)
    began=$EPOCHREALTIME
    sleep "$3"
    to=$(fleet_mark to)
    read -ra after < <(fleet_ticks)
    ended=$EPOCHREALTIME
    rss=$(fleet_resident)
    wait "${agents[@]}"
    until [ "$(fleet_sum "select count(*) from vm where ended = 'running'")" = 0 ]; do sleep 0.2; done
    kill -INT "${servers[@]}"
    wait "${servers[@]}"
    awk -v n="$(fleet_total joined)" -v k="$count" -v ms="$2" -v s="$(fleet_most join_ms)" \
        -v a0="${before[0]}" -v a1="${after[0]}" -v w0="${before[1]}" -v w1="${after[1]}" \
        -v t0="$began" -v t1="$ended" -v p=$((to - from)) \
        -v p50="$(fleet_most spread_p50_us)" -v p99="$(fleet_most spread_p99_us)" \
        -v kib="$(((rss - base) / (each * count)))" \
        -v lost=$(($(fleet_total reported) - $(fleet_sum 'select count(*) from snapshot'))) \
        -v gone=$(($(fleet_sum 'select sum(requests) from vm') - $(fleet_total requests))) 'BEGIN {
            t = t1 - t0; all = a1 - a0; writers = w1 - w0
            printf "| %d | %d | %g | %.1f | %.0f | %.0f | %.1f | %.2f | %.1f | %.1f | %d | %d | %d |\n",
                n, k, 1000 / ms, s / 1000, all / t, writers / t, p ? all * 1e4 / (p * n / k) : 0,
                p / k / (t * 1000 / ms), p50 / 1000, p99 / 1000, kib, lost, gone
        }'
    rm -rf "$work"/fleet-*
}
