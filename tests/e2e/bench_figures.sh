# The programs behind the tables of stops and slow-downs of `make bench`, on figures that are known.
# no JVM
. "$ROOT/tests/e2e/lib.sh"

# stop END OPERATION REACHING AT TOTAL: a line of -Xlog:safepoint, as JDK 17 writes it
stop() {
    echo "[$1ns] Safepoint \"$2\", Time since last: 1 ns, Reaching safepoint: $3 ns," \
        "Cleanup: 1 ns, At safepoint: $4 ns, Total: $5 ns"
}

# Three packets: one torn (two stops), one with a full walk, one of which a bare call makes a riddle;
# a garbage collection; a dump of two operations; and all sorts before the time that counts.
{
    stop 900 GetAllStackTraces 9 9 9
    stop 1100 GetAllStackTraces 10 90 100
    stop 1210 GetThreadListStackTraces 1 2 3
    stop 1220 GetThreadListStackTraces 2 3 5
    stop 1300 G1CollectForAllocation 7 7 7
    stop 1400 GetThreadListStackTraces 1 1 2
    stop 1500 GetAllStackTraces 20 60 80
    stop 1600 PrintThreads 5 50 55
    stop 1610 FindDeadlocks 1 4 5
    stop 1710 GetAllStackTraces 1 1 1
    stop 1720 GetAllStackTraces 1 1 1
} >"$T/safepoints"
printf '%s\n' 'all 890 910' 'all 1050 1105' 'two 1380 1410' 'all 1690 1730' >"$T/bare"
printf '%s\n' '950 50' '1205 20' '1480 30' '1705 20' >"$T/packets"
build/bench/stops "$T/safepoints" "$T/bare" "$T/packets" 1000 2000 >"$T/stops"
same "stops: each is its caller's" "ixor 2 3 5 8 44 1
bare 1 10 90 100 100 1
floor 1 1 1 2 2 0
jcmd 1 6 54 60 60 0
dropped 2" "$(cat "$T/stops")"

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
