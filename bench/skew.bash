# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: the skew of packets.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
#   SKEW_JVMS: numbers of JVMs (default "4 16 64")
#   SKEW_ROUNDS: rounds (default 3); in each round every lead gets one run with new JVMs
#   SKEW_PACKETS: packets of a run that are measured, 100 ms apart (default 100)
#   SKEW_SETTLE: packets before these, once all JVMs have joined, that are not measured (default 30)

# A run's command. Starts N JVMs, waits until all of them have got SETTLE packets, keeps all
# processors busy if STATE says so, and ends when PACKETS more have been sent.
#   skew_system CAMPAIGN N STATE SETTLE PACKETS JAVA CLASSES
skew_system() {
    local end=$IXOR_RUN_DIR/end busy=() i before
    # Packets of this run that were sent to all. A catalogue that is being created has none.
    sent() {
        sqlite3 -batch -cmd '.timeout 5000' "$1/campaign.db" "select count(*) from packet
            join execution on execution = id where name = '$IXOR_EXECUTION' and vms = $2" \
            2>/dev/null || echo 0
    }
    for ((i = 0; i < $2; i++)); do
        "$6" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx16m -cp "$7" Quiet "$end" &
    done
    until [ "$(sent "$1" "$2")" -ge "$4" ]; do sleep 0.2; done
    if [ "$3" = saturated ]; then
        for ((i = 0; i < $(nproc); i++)); do
            while :; do :; done &
            busy+=($!)
        done
        sleep 1
    fi
    before=$(sent "$1" "$2")
    echo "$before" >"$IXOR_RUN_DIR/before"
    until [ "$(sent "$1" "$2")" -ge $((before + $5)) ]; do sleep 0.2; done
    [ ${#busy[@]} = 0 ] || kill "${busy[@]}"
    touch "$end"
    wait
}

# skew_run N STATE LEAD JDK DIR: "packet SKEW LEAD INCOMPLETE STOPS LATE" of each packet that counts.
# A stop is late, as for the server, more than 200 us after its target; here all have one wall clock.
skew_run() {
    local settle=${SKEW_SETTLE:-30} packets=${SKEW_PACKETS:-100} before
    export -f skew_system
    # shellcheck disable=SC2016 # the inner shell's
    run_logged build/ixor run --timeout 600s --lead "$3" --out "$5" -- bash -c 'skew_system "$@"' \
        skew "$5" "$1" "$2" "$settle" "$packets" "$4/bin/java" "$work/skew-classes"
    before=$(cat "$5"/runs/*/before)
    sql "$5" "select 'packet', p.skew_ns, p.lead_ns, p.taken < p.vms, count(*),
            sum(p.lead_ns > 0 and s.begin_ns - p.sent_ns - p.lead_ns > 200000)
        from (select * from packet where vms = $1 order by number limit $packets offset $before) p
            join vm v on v.execution = p.execution
            join snapshot s on s.vm = v.id and s.packet = p.number
        where p.skew_ns is not null group by p.execution, p.number" |
        tr '|' ' '
    rm -rf "$5"
}

skew_row() {
    sort -n -k 2 | awk -v label="$1" '
        function us(ns) { return sprintf("%.0f", ns / 1000) }
        function rank(q, n) { n = q * NR; return n == int(n) ? n : int(n) + 1 }
        { v[NR] = $2; lead += $3; incomplete += $4; stops += $5; late += $6 }
        END {
            if (!NR) { printf "| %s | none | | | | | | |\n", label; exit }
            printf "| %s | %d | %s | %s | %s | %.1f | %s | %d |\n", label, NR, us(v[rank(0.5)]),
                us(v[rank(0.99)]), us(v[NR]), lead / NR / 1e6,
                lead ? sprintf("%.1f", 100 * late / stops) : "-", incomplete
        }'
}

skew_table() {
    local jdk n state lead round
    jdk=$(make/jdk.sh)
    "$jdk/bin/javac" -d "$work/skew-classes" bench/java/Quiet.java
    cat <<EOT

## Skew: from the first JVM's stop to the last one's in one packet

Idle JVMs on this host, a packet every 100 ms. Saturated: $(nproc) more processes that never rest. Lead auto:
all JVMs stop at a time named ahead; 0: each stops as soon as it is asked. Both are measured in turn,
each with new JVMs, in ${SKEW_ROUNDS:-3} rounds of ${SKEW_PACKETS:-100} packets after ${SKEW_SETTLE:-30} that all JVMs took.
All JVMs have the same clock, so the skew is known exactly. Late: share of the stops that were asked for
more than 200 us after the time that was named. Incomplete: packets that some JVM did not take.

| JVMs | machine | lead | packets | p50 us | p99 us | max us | mean lead ms | late % | incomplete |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
EOT
    for n in ${SKEW_JVMS:-4 16 64}; do
        for state in idle saturated; do
            for ((round = 0; round < ${SKEW_ROUNDS:-3}; round++)); do
                for lead in $( ((round % 2)) && echo 0 auto || echo auto 0); do
                    skew_run "$n" $state "$lead" "$jdk" "$work/skew" >>"$work/skew-$n-$state-$lead"
                done
            done
            for lead in auto 0; do
                skew_row "$n | $state | $lead" <"$work/skew-$n-$state-$lead"
            done
        done
    done
}
