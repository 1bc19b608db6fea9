# SPDX-License-Identifier: Apache-2.0
# own build
# What is behind the tables of stops, slow-downs and facts of `make bench`, on known figures.
# no JVM
. "$ROOT/tests/support/lib.sh"

# [late=NS] stop THREAD END OPERATION REACHING AT: the lines of -Xlog:safepoint,vmoperation=debug, as
# JDK 17 writes them; the JVM says so `late` after the operation has ended
stop() {
    echo "[$(($2 - ${late:-0}))ns] end VM_Operation (0x7f01): $3, mode: safepoint," \
        "requested by thread 0x7f00$1"
    echo "[$2ns] Safepoint \"$3\", Time since last: 1 ns, Reaching safepoint: $4 ns," \
        "Cleanup: 1 ns, At safepoint: $5 ns, Total: $(($4 + 1 + $5)) ns"
}

# Four packets: one torn (two stops), two with a full walk, the second of them while a bare call goes on,
# and one without a stop; a garbage collection; a dump of two operations; and what is before the time
# that counts. The bare agent's thread is b, ours a.
{
    stop b 900 GetAllStackTraces 9 9
    stop b 1100 GetAllStackTraces 10 90
    stop a 1210 GetThreadListStackTraces 1 2
    stop a 1220 GetThreadListStackTraces 2 3
    stop c 1300 G1CollectForAllocation 7 7
    stop b 1400 GetThreadListStackTraces 1 1
    late=40 stop a 1500 GetAllStackTraces 20 60
    stop d 1600 PrintThreads 5 50
    stop d 1610 FindDeadlocks 1 4
    stop b 1710 GetAllStackTraces 1 1
    stop a 1720 GetAllStackTraces 1 1
} >"$T/safepoints"
printf '%s\n' 'all 890 910' 'all 1050 1105' 'two 1380 1410' 'all 1690 1730' >"$T/bare"
printf '%s\n' '950 50' '1205 20' '1480 30' '1705 20' '1800 10' >"$T/packets"
stops() { build/bench/stops "$T/safepoints" "$T/bare" "$T/packets" 1000 2000 "$1"; }
same "stops: each is its caller's" "ixor 3 3 5 10 31 2
bare 2 1 1 3 52 2
floor 1 1 1 3 3 0
jcmd 1 6 54 62 62 0
dropped 1" "$(stops released)"
same "stops: until the walk was over" "ixor 3 3 5 10 18 2" "$(stops walked | head -n 1)"

# Rounds in any order; `slow` takes 10 % more wall and 20 % more CPU time each time.
printf '%s\n' '0 slow 110 240' '0 none 100 200' '1 none 200 400' '1 slow 220 480' '2 slow 55 120' \
    '2 none 50 100' '3 once 75 75' '3 none 50 50' | build/bench/pairs none >"$T/pairs"
same "pairs: the same slow-down in each pair" \
    "slow 3 10.000 10.000 10.000 20.000 20.000 20.000" "$(grep slow "$T/pairs")"
same "pairs: one pair" "once 1 50.000 50.000 50.000 50.000 50.000 50.000" "$(grep once "$T/pairs")"
same "pairs: the base against its next round" "none 3" "$(grep none "$T/pairs" | cut -d' ' -f1,2)"
echo '0 none 0 1' | build/bench/pairs none >"$T/none" 2>"$T/none.err"
same "pairs: a run without a time is refused" "1 pairs: round 0, none: no time" \
    "$? $(cat "$T/none.err")"

# Ten pairs: the test failed in both ways once, only in the first three times, only in the second once.
printf '%s\n' '1 1' '1 0' '1 0' '1 0' '0 1' '0 0' '0 0' '0 0' '0 0' '0 0' | build/bench/failures with without >"$T/failures"
same "failures: rates, and exact tests" "| with | 10 | 4 | 40.0 % | 12.2 to 73.8 % |
| without | 10 | 2 | 20.0 % | 2.5 to 55.6 % |

Fisher's exact test: p = 0.628. Only one of a pair failed in 3 and 1 pairs; McNemar's exact test: p = 0.625." \
    "$(cat "$T/failures")"
printf '1 0\n1 2\n' | build/bench/failures with without >"$T/none" 2>"$T/none.err"
same "failures: a run that neither passed nor failed is refused" "1 failures: pair 2: expected two numbers, 0 or 1" \
    "$? $(cat "$T/none.err")"

# Two phases without facts, one with; of the stops, the shortest first, the second lies in none of them. The
# agent's thread ran for 10 us a stop without and 16 with, the JVM's for 20 and 24, the server for 5 and 2.
printf '%s\n' 'off 1000 0 0 0 2000 10000 20000 5000' 'on 3000 50000 60000 70000 4000 82000 108000 74000' \
    'off 5000 100000 200000 300000 6000 110000 220000 305000' >"$T/phases"
printf '%s\n' '100000 1500' '200000 2500' '300000 3000' '400000 5999' '500000 3999' '600000 6000' >"$T/stops"
. bench/facts.bash
same "facts: stops and processor time of phases" "off 2 100 400 10 20 5
on 2 300 500 16 24 2" "$(facts_figures "$T")"
