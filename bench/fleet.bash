# Sourced by bench/run.sh: one server and thousands of simulated agents (tests/helpers/simulate.c).
# FLEET_SIZES: how many (100 1000 10000 50000); what descriptors do not allow is left out and said.
# FLEET_SECONDS: how long each is watched, after all have joined (30).
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
fleet_table() {
    local size
    echo
    echo "## One server, many JVMs"
    echo
    echo "Simulated agents at 10 Hz on loopback, in one process on the same cores (with real ones, that" \
        "work is done elsewhere). CPU: of the server, in percent of one core, while all are there;" \
        "loop and writer are its two threads. Spread: from the first datagram's arrival to the last" \
        "one's, by the kernel's clock; on loopback the sender's processor does the receiver's part," \
        "too. Ticks: packets sent, against those that were due. KiB: resident memory a session." \
        "Lost: reports sent, less rows in the catalogue; requests: datagrams that did not come."
    echo
    echo "| sessions | join, s | CPU % | loop | writer | us a request | ticks of due |" \
        "spread p50, ms | p99 | KiB a session | reports lost | requests lost |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for size in ${FLEET_SIZES:-100 1000 10000 50000}; do
        if [ $((size + size / 64 + 100)) -gt "$(ulimit -Hn)" ]; then
            echo "| $size | not run: the limit of descriptors here is $(ulimit -Hn) |" \
                "| | | | | | | | | |"
        else
            fleet_row "$size" "${FLEET_SECONDS:-30}"
        fi
    done
}

# Processor time of each thread of a process, in ticks: "loop writer".
fleet_ticks() { cat /proc/"$1"/task/*/stat | awk '{t[NR] = $14 + $15} END {print t[1], t[2]}'; }
fleet_value() { sed -n "s/^$1 //p" "$work/fleet.out"; }

# fleet_row SESSIONS SECONDS
fleet_row() {
    local dir=$work/fleet-$1 server agents address before after from to packets lost rows
    build/ixor serve --out "$dir" --listen 127.0.0.1:0 --every 100ms >"$work/serve.out" \
        2>"$work/serve.err" &
    server=$!
    until address=$(sed -n 's/^listening on //p' "$work/serve.out") && [ -n "$address" ]; do sleep 0.1; done
    local base
    base=$(awk '/^VmRSS/ {print $2}' /proc/$server/status)
    build/helpers/simulate --server "$address" --key "$dir/agent.key" --sessions "$1" \
        --seconds $(($2 + 10)) --wait 300 >"$work/fleet.out" &
    agents=$!
    until [ "$(grep -c ' connected$' "$work/serve.err")" -ge "$1" ]; do
        kill -0 $agents 2>/dev/null || break
        sleep 0.2
    done
    sleep 5 # what joining brings along is over
    from=$(build/ixor mark --json "$dir" from | jq .packet)
    read -ra before < <(fleet_ticks $server)
    local began=$EPOCHREALTIME
    sleep "$2"
    to=$(build/ixor mark --json "$dir" to | jq .packet)
    read -ra after < <(fleet_ticks $server)
    local ended=$EPOCHREALTIME rss
    rss=$(awk '/^VmRSS/ {print $2}' /proc/$server/status)
    wait $agents
    until [ "$(sql "$dir" "select count(*) from vm where ended = 'running'")" = 0 ]; do sleep 0.2; done
    kill -INT $server
    wait $server
    rows=$(sql "$dir" 'select count(*) from snapshot')
    lost=$(($(fleet_value reported) - rows))
    packets=$((to - from))
    awk -v n="$1" -v s="$(fleet_value join_ms)" -v l0="${before[0]}" -v l1="${after[0]}" \
        -v w0="${before[1]}" -v w1="${after[1]}" -v t0="$began" -v t1="$ended" -v p="$packets" \
        -v p50="$(fleet_value spread_p50_us)" -v p99="$(fleet_value spread_p99_us)" \
        -v kib="$(((rss - base) / $1))" -v lost="$lost" \
        -v gone=$(($(sql "$dir" 'select sum(requests) from vm') - $(fleet_value requests))) 'BEGIN {
            t = t1 - t0; loop = l1 - l0; writer = w1 - w0
            printf "| %d | %.1f | %.0f | %.0f | %.0f | %.1f | %.2f | %.1f | %.1f | %d | %d | %d |\n",
                n, s / 1000, (loop + writer) / t, loop / t, writer / t,
                p ? (loop + writer) * 1e4 / (p * n) : 0, p / (t * 10), p50 / 1000, p99 / 1000,
                kib, lost, gone
        }'
    rm -rf "$dir"
}
