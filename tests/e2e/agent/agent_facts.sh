# SPDX-License-Identifier: Apache-2.0
# beside others
# What is recorded besides the stacks: locks=on, exceptions=on or first, process=on. FACTS_SECONDS (default
# 1): how long threads compete for monitors for each way of stopping, sampled every 5 ms.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# log_of NAME, instead of the library's: with names of threads for ids in the lines of locks and
# exceptions, "-" for none
log_of() {
    "$LOGCAT" "$T/$1.ixl" 2>"$T/$1.txt.err" | awk -F'\t' -v OFS='\t' '
        $1 == "thread" { name[$10] = $3 }
        $1 == "lock" || $1 == "exception" || $1 == "first" || $1 == "started" { $3 = $3 in name ? name[$3] : "-" }
        { print }' >"$T/$1.txt"
}

SITE=$(grep -n 'the throw site' tests/java/Facts.java | cut -d: -f1)

# facts_start NAME OPTIONS [JVM-OPTION]...: Facts, sampled every $EVERY ms
facts_start() {
    local name=$1 options=$2
    shift 2
    # shellcheck disable=SC2086 # nothing at all if it is to stay
    beat_start "$name" --every "${EVERY:-20}" ${ONCE---once}
    jvm_start "$name" "role=x,$options" -Xcheck:jni "$@" Facts
    check "$name: it runs" wait_for 30 grep -q '^ready' "$T/$name.out"
    check "$name: packets are taken" wait_for 30 packets_since "$name" 0 3
}

# tell NAME COMMAND...: has it done
tell() {
    local name=$1
    shift
    echo "$*" >&8
    check "$name: $*" wait_for $((60 + ${FACTS_SECONDS:-1})) grep -q "^done $*\$" "$T/$name.out"
}

facts_finish() {
    jvm_finish
    same "$1: exit status" 0 $?
    if [ -z "${ONCE-once}" ]; then
        wait_for 30 at_least 3 '^gone' "$T/$1.beat" # one for each change of settings
        kill "$BEAT_PID"
    fi
    wait "$BEAT_PID"
    quiet "$1: -Xcheck:jni is silent" "$T/$1.out" "$T/$1.err"
    same_packets "$1: the log has the packets that were reported" "$1" "$1"
    same "$1: the log is valid" "" "$(cat "$T/$1.txt.err")"
}

# last_packet NAME: the last one in the log
last_packet() {
    log_of "$1"
    awk -F'\t' '$1 == "packet" { p = $2 } END { print p + 0 }' "$T/$1.txt"
}

# packets_since NAME PACKET N: N packets after that one are in the log
packets_since() {
    log_of "$1"
    [ "$(awk -F'\t' -v p="$2" '$1 == "packet" && $2 > p' "$T/$1.txt" | wc -l)" -ge "$3" ]
}

# settle NAME: sets P to a packet that is taken after now
settle() {
    P=$(last_packet "$1")
    check "$1: packets go on" wait_for 30 packets_since "$1" "$P" 2
    P=$((P + 1))
}

# locks_of NAME FROM: all that packets from FROM on say of the test's threads, each once: who, what, the
# object's class, and the method that entered it
locks_of() {
    awk -F'\t' -v from="$2" '
        $2 < from { next }
        $1 == "thread" { stack[$3] = $11 }
        $1 == "lock" && $6 ~ /^Facts/ {
            n = split(stack[$3], frames, " ")
            where = ""
            if ($7 >= 0 && $7 < n) { where = frames[$7 + 1]; sub(/\(.*/, "", where) }
            print $3, $4, $6, where
        }' "$T/$1.txt" | sort -u
}

standing='behind enters Facts$First 
blocked 1 enters Facts$Held 
blocked 2 enters Facts$Held 
blocked 3 enters Facts$Slept 
blocked 4 enters Facts$Computed 
idle waits Facts$Idle 
left enters Facts$Second 
left owns Facts$First Facts.cross
nested owns Facts$Outer Facts.nest
nested owns Facts$Third Facts.nest
nested waits Facts$Waited 
owner owns Facts$Held Facts.holdAndWait
owner waits Facts$Waited 
right enters Facts$First 
right owns Facts$Second Facts.cross
sleeper owns Facts$Slept Facts.hold'
computing='computer owns Facts$Computed Facts.compute'

# stands NAME WANT: the locks of a packet are these at last (a packet may lack some)
stands() {
    log_of "$1"
    [ "$(locks_of "$1" "$P")" = "$2" ]
}

# circle NAME: of the two threads of the deadlock each enters the very object that the other one owns. On a
# busy machine the time for asking may run out before all is known of both.
circle() {
    awk -F'\t' '$1 == "lock" { at[$2, $3, $4] = $5; if ($3 == "left") packets[$2] }
        function known(p, who) { return (p, who, "enters") in at && (p, who, "owns") in at }
        END { for (p in packets) if (known(p, "left") && known(p, "right"))
            print (at[p, "left", "owns"] == at[p, "right", "enters"] &&
                at[p, "left", "enters"] == at[p, "right", "owns"] &&
                at[p, "left", "owns"] != at[p, "left", "enters"]) ? "circle" : "not" }' \
        "$T/$1.txt" | sort -u
}

# dumped NAME: how roxi dump shows the last packet that knows both ends of the deadlock
dumped() {
    local packet
    packet=$(awk -F'\t' '$1 == "lock" && $4 == "enters" { at[$2, $3] }
        $1 == "lock" && (($2, "left") in at) && (($2, "right") in at) { p = $2 }
        END { print p }' "$T/$1.txt")
    "$ROXI" dump --packet "$packet" "$T/$1.ixl" | sed 's/<0x[0-9a-f]*> //' >"$T/$1.dump"
    same "$1: roxi dump names the deadlock" '  "left" is blocked on Facts$Second, which is owned by "right"
  "right" is blocked on Facts$First, which is owned by "left"' \
        "$(grep -A 2 '^deadlock:' "$T/$1.dump" | grep '^  ' | sort)"
    same "$1: roxi dump shows monitors at their frames" 1 "$(grep -A 6 '^"left"' "$T/$1.dump" |
        tr '\n' '|' | grep -Ec 'blocked on Facts.Second[|].*Facts.cross[^|]*[|] *- owns Facts.First[|]')"
}

# monitors NAME OPTIONS WANT
monitors() {
    facts_start "$1" "locks=on,$2"
    tell "$1" locks
    settle "$1"
    check "$1: who owns, enters and waits on what" wait_for 30 stands "$1" "$3"
    facts_finish "$1"
    same "$1: nothing else is in any packet" "$3" "$(locks_of "$1" "$P")"
    same "$1: the deadlock closes" circle "$(circle "$1")"
    dumped "$1"
    has "$1: META names it" $'^meta\tfacts\tlocks$' "$T/$1.txt"
}

# consistent NAME OWNS ENTERS: there are so many relations at least of threads that never stand still.
# Each fits the thread's stack and state of the same packet, no monitor has two owners, and the log has
# all or nothing of a thread; what a waiting thread owns only if some thread is blocked
consistent() {
    awk -F'\t' -v owns_min="$2" -v enters_min="$3" '
        function bad(why) { print "packet " $2 ": " $3 " " $4 " " $6 " at " $7 ": " why; failed++ }
        $1 == "packet" { split("", stack); split("", owner); split("", owns); split("", side); blocked = 0 }
        $1 == "thread" { stack[$3] = $11; digit[$3] = substr($9, length($9) - 2, 1) }
        $1 == "thread" && digit[$3] == "4" { blocked = 1 }
        $1 == "lock" && $3 ~ /^racer/ {
            seen[$4]++
            n = split(stack[$3], frames, " ")
            at = $6 == "Facts$First" ? "Facts.one(" : "Facts.two("
            if ($6 == "java.lang.ThreadGroup") at = "java.lang.ThreadGroup." # as a thread ends (JDK 17)
            frame = $4 == "owns" ? frames[$7 + 1] : frames[1]
            rewait = $4 != "owns" && frame ~ /^java.lang.Object.wait/ && $6 == "Facts$Second"
            if ($7 >= n || (index(frame, at) != 1 && !rewait)) bad("the stack is " stack[$3])
            if ($4 == "enters" && digit[$3] != "4") bad("not blocked")
            if ($4 == "waits" && digit[$3] != "1") bad("not waiting")
            if ($4 == "owns" && ($5 in owner)) bad("owned by " owner[$5] " as well")
            if ($4 == "owns") { owner[$5] = $3; owns[$3] = owns[$3] " " $6 }
            if ($4 != "owns" && $6 == "Facts$Second" && blocked && owns[$3] != " Facts$First") \
                bad("owns" owns[$3])
            if ($6 == "Facts$First") {
                odd = substr($3, 7) % 2
                if ((odd in side) && side[odd] != $5) bad("another object")
                if ((!odd in side) && side[!odd] == $5) bad("the same object")
                side[odd] = $5
            }
        }
        END {
            print seen["owns"] + 0 " owns, " seen["enters"] + 0 " enters, " seen["waits"] + 0 " waits"
            exit failed || seen["owns"] < owns_min || seen["enters"] < enters_min
        }' "$T/$1.txt"
}

# met NAME: in some packet a racer owned a monitor, in some packet one entered it
met() {
    log_of "$1"
    at_least 1 $'^lock\t[0-9]*\tracer.*\towns\t' "$T/$1.txt" &&
        at_least 1 $'^lock\t[0-9]*\tracer.*\tenters\t' "$T/$1.txt"
}

# race NAME OPTIONS
race() {
    EVERY=5 facts_start "$1" "locks=on,$2"
    local millis=$((${FACTS_SECONDS:-1} * 1000)) end=$((SECONDS + 60))
    tell "$1" race $millis
    until met "$1" || [ $SECONDS -gt $end ]; do # a busy machine may take few packets in a second
        tell "$1" race $((++millis))
    done
    facts_finish "$1"
    check "$1: no relation is invented: $(consistent "$1" 1 1 | tail -n 1)" consistent "$1" 1 1
}

monitors safepoint walk=all "$standing"
monitors suspend stop=suspend "$(printf '%s\n' "$standing" "$computing" | sort)"
race race-safepoint walk=all
race race-changed walk=changed
race race-suspend stop=suspend

# ---- exceptions and the process ----

# thrown NAME PATTERN: how many exceptions of which the line fits
thrown() { awk -F'\t' -v what="$2" '$1 == "exception" && $0 ~ what { n += $6 } END { print n + 0 }' \
    "$T/$1.txt"; }
# figure NAME PACKET FIELD: of the process, at the first packet from that one on
figure() { awk -F'\t' -v p="$2" -v f="$3" '$1 == "process" && $2 >= p { print $f; exit }' \
    "$T/$1.txt"; }

N=thrown
facts_start $N exceptions=on,process=on
settle $N
tell $N throw 100
tell $N null 30
tell $N hidden 10
tell $N overflow
tell $N fatal
settle $N
KNOWN="Facts.Known	Facts.thrower..V:$SITE"
same "each exception is counted once, at its place, by its thread" 100 \
    "$(thrown $N "	main	$KNOWN")"
same "implicit ones" 30 "$(thrown $N '	main	java.lang.NullPointerException	Facts.nulls.I.V:')"
same "those of hidden classes" 10 \
    "$(thrown $N '	main	java.util.EmptyStackException	(Facts.Unit.0x.*[.]run|<unloaded>[.])')"
same "a stack overflow" 1 "$(thrown $N '	java.lang.StackOverflowError	Facts.deeper.I.I:')"
same "one that ends its thread" 1 "$(thrown $N "	(victim|-)	$KNOWN")"
same "none is dropped" 0 "$(count_of '^dropped' "$T/$N.txt")"
tell $N quick 20000
settle $N
DROPPED=$(awk -F'\t' '$1 == "dropped" { n += $3 } END { print n + 0 }' "$T/$N.txt")
LISTED=$(($(thrown $N "	$KNOWN") - 101))
TOOK_MS=$(($(sed -n 's/^took //p' "$T/$N.out") * 20000 / 1000000))
check "of a flood $LISTED are listed in $TOOK_MS ms, the rest is counted" test \
    "$LISTED" -le $((1100 + TOOK_MS)) -a "$LISTED" -ge 500 -a \
    $((LISTED + DROPPED)) -ge 20000 -a $((LISTED + DROPPED)) -le 20020
tell $N throw 7 # the limit is over after a while
settle $N

BEFORE=$P
tell $N gc 3
tell $N open 20
settle $N
collections=$(($(figure $N $P 6) - $(figure $N $BEFORE 6)))
files=$(($(figure $N $P 5) - $(figure $N $BEFORE 5)))
check "collections: $collections" test $collections -ge 3 -a $collections -le 20
check "they took time" test "$(figure $N $P 7)" -gt "$(figure $N $BEFORE 7)"
check "descriptors: $files" test $files -ge 20 -a $files -le 24
check "memory is plausible" test "$(figure $N $P 4)" -gt 10000000
check "processor time goes up" test "$(figure $N $P 3)" -gt "$(figure $N $BEFORE 3)"
same "each packet has the process's figures" "$(count_of '^packet' "$T/$N.txt")" \
    "$(count_of '^process' "$T/$N.txt")"
facts_finish $N
"$ROXI" dump "$T/$N.ixl" >"$T/$N.dump"
has "roxi dump shows exceptions" "^exception: [0-9]+ times Facts.Known at Facts.thrower:$SITE in \"main\"" \
    "$T/$N.dump"
has "roxi dump says how many are not listed" '^exceptions not listed: [0-9]+$' "$T/$N.dump"
has "roxi dump shows the process" '^process: .* [0-9]+ descriptors, [1-9][0-9]* garbage' "$T/$N.dump"
has "META names both" $'^meta\tfacts\texceptions process$' "$T/$N.txt"

# ---- who started threads ----

N=starters
facts_start $N process=on
tell $N locks
settle $N
facts_finish $N
same "each thread of the program has the call stack that started it, once" "$(printf '%s 1\n' behind left owner right)" \
    "$(awk -F'\t' '$1 == "started" && $4 ~ /Thread[.]start.* Facts[.]start.* Facts[.]locks.* Facts[.]main/ { n[$3]++ }
        END { for (t in n) print t, n[t] }' "$T/$N.txt" | grep -E '^(behind|left|owner|right) ' | sort)"
same "nobody started main" 0 "$(count_of $'^started\t[0-9]+\tmain\t' "$T/$N.txt")"
"$ROXI" dump "$T/$N.ixl" >"$T/$N.dump"
has "roxi dump shows who started a thread" '^started: "left" by Facts.start:[0-9]+$' "$T/$N.dump"

# ---- the first exceptions of each class ----

N=firsts
facts_start $N exceptions=first
settle $N
tell $N throw 100
tell $N hidden 10
tell $N fatal
tell $N null 10
tell $N overflow
tell $N slow
settle $N
tell $N go
tell $N null 10
facts_finish $N
same "the first of its class is told, once, with its call stack and thread" 1 "$(grep -cE \
    "^first	[0-9]+	main	Facts.Known	Facts.thrower..V:$SITE Facts[.].* Facts.main" "$T/$N.txt")"
same "no other of that class" 1 "$(count_of '^first.*	Facts.Known	' "$T/$N.txt")"
hidden=$(grep -cE '^first	[0-9]+	main	java.util.EmptyStackException	(Facts.Unit.0x[^ ]*|<unloaded>)[.]' "$T/$N.txt")
check "one of each hidden class: $hidden" test "$hidden" -ge 1 -a "$hidden" -le 10
same "an exception between whose class and itself a packet was taken is told once" 1 \
    "$(grep -cE '^first	[0-9]+	slow	Facts.Slow	Facts.slow..V' "$T/$N.txt")"
same "one of a class that the JVM has prepared itself, at its place" 1 "$(grep -cE \
    '^first	[0-9]+	main	java.lang.NullPointerException	Facts.nulls' "$T/$N.txt")"
same "throws are not counted" 0 "$(count_of $'^(exception|dropped|firsts-dropped)\t' "$T/$N.txt")"
has "META says what is recorded" $'^meta\tfacts\tfirst-exceptions exception-places$' "$T/$N.txt"
"$ROXI" dump "$T/$N.ixl" >"$T/$N.dump"
has "roxi dump shows first exceptions" "^first exception: Facts.Known at Facts.thrower:$SITE in \"main\"$" \
    "$T/$N.dump"

# ---- exceptions after the last packet ----

# rest_start NAME OPTIONS: Facts, when no more packets come
rest_start() {
    beat_start "$1" --every 20 --packets 50 --once
    jvm_start "$1" "role=x,$2" -Xcheck:jni Facts
    check "$1: it runs" wait_for 30 grep -q '^ready' "$T/$1.out"
    check "$1: packets are taken" wait_for 30 packets_since "$1" 0 1
    check "$1: all packets are sent" wait_for 30 grep -q '^sent all' "$T/$1.beat"
    tell "$1" gc 1 # by then those that are on their way have arrived
}

N=rest-firsts
rest_start $N exceptions=first
tell $N throw 2
tell $N fatal
tell $N null 1000
facts_finish $N
same "$N: of a class that is made again and again, 20 are looked at between two packets" \
    $'firsts-dropped\t0\t980' "$(grep '^firsts-dropped' "$T/$N.txt")"
same "$N: they are in the log, with call stack and thread" 1 "$(grep -cE \
    "^first	0	main	Facts.Known	Facts.thrower..V:$SITE Facts[.].* Facts.main" "$T/$N.txt")"
"$ROXI" dump "$T/$N.ixl" >"$T/$N.dump"
has "$N: roxi dump shows them" "^first exception: Facts.Known at Facts.thrower:$SITE in \"main\"$" \
    <(sed -n '/^after the last packet:$/,$p' "$T/$N.dump")

N=rest-thrown
rest_start $N exceptions=on
tell $N throw 3
facts_finish $N
same "$N: they are in the log" 3 "$(awk -F'\t' '$1 == "exception" && $2 == 0 && $4 ~ /Known$/ { n += $6 }
    END { print n + 0 }' "$T/$N.txt")"

# ---- the JVM ends in the midst of it ----

for options in walk=all stop=suspend; do
    N=storm-${options#*=}
    EVERY=5 facts_start $N locks=on,exceptions=on,process=on,$options
    tell $N storm $((${FACTS_SECONDS:-1} * 1000))
    facts_finish $N
    check "$N: no relation is invented: $(consistent $N 0 0 | tail -n 1)" consistent $N 0 0
    check "$N: exceptions are listed, and counted beyond" \
        test "$(thrown $N Facts)" -gt 100 -a "$(count_of '^dropped' "$T/$N.txt")" -gt 0
done

# ---- off ----

facts_start off locks=off
tell off locks
tell off throw 10
tell off gc 1
settle off
facts_finish off
same "nothing is recorded unless asked for" 0 \
    "$(count_of $'^(lock|exception|first|dropped|process|meta\tfacts)' "$T/off.txt")"

# ---- switched on and off while the JVM runs ----

# change N OPTIONS: the same agent, other settings, for the Nth time. It leaves and comes back with them.
change() {
    "$IXOR" attach --server "127.0.0.1:$PORT" --options "$2" "$JVM_PID" >"$T/attach" 2>&1 &&
        wait_for 30 at_least "$1" '^gone' "$T/$N.beat"
}

ONCE=
N=switched
facts_start switched exceptions=on
tell switched throw 10
settle switched
FIRST=$P # packets up to here had the settings of before, those from ON to LAST the new ones
check "process=on later" change 1 process=on,exceptions=first,connections=on
settle switched
ON=$P
tell switched throw 20
tell switched hidden 1
settle switched
LAST=$P
check "and off again, exceptions on" change 2 process=off,exceptions=on,connections=off
settle switched
OFF=$P
tell switched throw 30
settle switched
facts_finish switched
unset ONCE
same "exceptions are counted while they are on" 40 "$(thrown switched "	$KNOWN")"

# while_on KIND ALL: records of a kind are only in packets after FIRST and before OFF; with ALL = 1 in each
# from ON to LAST
while_on() {
    awk -F'\t' -v kind="$1" -v all="$2" -v first="$FIRST" -v on="$ON" -v last="$LAST" -v off="$OFF" '
        $1 == "packet" { packets[$2]; after += $2 >= off }
        $1 == kind { seen[$2]; n++; wrong += $2 <= first || $2 >= off }
        END {
            for (p in packets) lacks += all && p + 0 >= on && p + 0 <= last && !(p in seen)
            printf "%s: %d, %d outside, %d packets lack it, %d after\n", kind, n, wrong, lacks, after
            exit !(n && !wrong && !lacks && after)
        }' "$T/switched.txt"
}
check "the process's figures are there while they are on" while_on process 1
check "connections are told while they are on" while_on socket 0
check "first exceptions are told while they are on" while_on first 0

for key in locks exceptions process connections invocations; do
    "$JAVA" "-agentpath:$AGENT=$key=maybe" -cp "$JAVA_CLASSES" Facts </dev/null >"$T/bad" 2>&1
    has "$key=maybe is refused" "^ixor: option '$key': must be on(, first)? or off, not 'maybe'" "$T/bad"
done
