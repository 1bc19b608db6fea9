# SPDX-License-Identifier: Apache-2.0
# beside others
# Threads parked at known depths and lines: the log agrees with Java's own stack traces, frame by
# frame and line by line, for each way of stopping the threads.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# java_side NAME: what Parked said, a line "thread <TAB> frames" each
java_side() { sed -n 's/^expect\t//p' "$T/$1.out" | sed -E 's/ [^ ]*\$\$Lambda[^ ]*//g'; }

# log_side NAME PACKET: the log's threads of the group Parkers in the same form: descriptors and the
# frames of hidden classes, which Java does not always show, left out
log_side() {
    awk -F'\t' -v packet="$2" '$1 == "thread" && $2 == packet && $5 == "Parkers" {
        print $3 "\t" $11 }' "$T/$1.txt" |
        sed -E -e 's/ [^ ]*\$\$Lambda[^ ]*//g' -e 's/\([^ ]*:(-?[0-9]+)( |$)/:\1\2/g'
}

# field NAME PACKET THREAD NUMBER: one field of a thread's line
field() {
    awk -F'\t' -v p="$2" -v t="$3" -v f="$4" '$1 == "thread" && $2 == p && $3 == t { print $f }' \
        "$T/$1.txt"
}

# taken_since NAME: the first packet taken with number $SINCE or above
taken_since() {
    awk -v since="$SINCE" '$1 == "taken" && $2 >= since { print $2; found = 1; exit }
        END { exit !found }' "$T/$1.beat"
}

# sample NAME OPTIONS: Parked under the agent and -Xcheck:jni; sets P to a packet number that was taken
# when all its threads stood still
sample() {
    local name=$1
    beat_start "$name" --every 25 --once --execution "run of $name"
    jvm_start "$name" "$2" -Xcheck:jni -XX:MaxJavaStackTraceDepth=10000 Parked
    check "$name: all threads are parked" wait_for 30 grep -q '^ready' "$T/$name.out"
    P=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/$name.beat" | tail -n 1)
    SINCE=$((${P:-0} + 15)) # reports come up to 250 ms late
    check "$name: packets are taken" wait_for 20 taken_since "$name"
    P=$(taken_since "$name")
    jvm_finish
    same "$name: the program's exit status" 0 $?
    wait "$BEAT_PID"
    quiet "$name: -Xcheck:jni is silent" "$T/$name.out" "$T/$name.err"
    same_packets "$name: the log has the packets that were reported" "$name" "$name"
}

for stop in safepoint suspend; do
    sample $stop "stop=$stop,role=parker"
    same "$stop: every frame and line is what Java says" "$(java_side $stop | sort)" \
        "$(log_side $stop $P | sort)"
    same "$stop: eleven threads were compared" 11 "$(log_side $stop $P | wc -l)"
    has "$stop: goodbye" '^goodbye 1 $' "$T/$stop.beat"
    [ $stop = safepoint ] && STILL=$P
done

# The first packet with all eleven threads in which "blocked" waits already: at the end of the run,
# "blocked" may be there when others are gone.
N=safepoint
P=$(awk -F'\t' -v still="$STILL" '
    $1 == "packet" { there = blocked = 0 }
    $1 == "thread" && $2 >= still && $5 == "Parkers" {
        there++
        if ($3 == "blocked" && $9 == 401) blocked = 1
        if (there == 11 && blocked && !first) first = $2
    }
    END { print first }' "$T/$N.txt")
same "overloads are told apart by descriptor" 1 "$(field $N $P overload 11 |
    grep -cF 'Parked$Shape.area([I[[Ljava/lang/String;D)J:')"
same "a constructor's descriptor" 1 "$(field $N $P constructor 11 |
    grep -cF 'Parked$Shape.<init>([ILjava/lang/String;)V:')"
same "a class initializer" 1 "$(field $N $P initializer 11 | grep -cF 'Parked$Holder.<clinit>()V:')"
same "native frames have line -3" 1 "$(field $N $P shallow 11 |
    grep -cE '^jdk\.internal\.misc\.Unsafe\.park\(ZJ\)V:-3 ')"
same "a stack of 5,000 is whole" "0 5001" "$(field $N $P 'deep 5000' 11 | grep -cF '[cut]') $(
    field $N $P 'deep 5000' 11 | tr ' ' '\n' | grep -c '^Parked.descend')"
same "states: parked" 291 "$(field $N $P shallow 9)" # alive waiting indefinitely parked
same "states: waiting" 191 "$(field $N $P waiting 9)" # ... in Object.wait
same "states: sleeping" e1 "$(field $N $P sleeping 9)" # alive waiting timed sleeping
same "states: blocked" 401 "$(field $N $P blocked 9)" # alive, blocked on a monitor
same "group and parent" "Parkers main" "$(field $N $P shallow 5) $(field $N $P shallow 6)"
same "priority" "7 5" "$(field $N $P constructor 8) $(field $N $P shallow 8)"
same "daemon flag" "daemon user" "$(field $N $P waiting 7) $(field $N $P shallow 7)"
same "a name beyond ASCII" 5 "$(field $N $P 'nämé 🎈' 8)"
same "the first thread is the main one" main \
    "$(awk -F'\t' '$1 == "thread" && $4 == 1 { print $3; exit }' "$T/$N.txt")"
same "the agent's own thread is left out" 0 "$(grep -c 'Ixor Agent' "$T/$N.txt")"
same "logical starts are all different" "" \
    "$(awk -F'\t' -v p="$P" '$1 == "thread" && $2 == p { print $4 }' "$T/$N.txt" | sort | uniq -d)"

has "META: role" $'^meta\trole\tparker$' "$T/$N.txt"
has "META: execution" $'^meta\texecution\trun of safepoint$' "$T/$N.txt"
has "META: host" "^meta	host	$(uname -n)\$" "$T/$N.txt"
has "META: jvm" $'^meta\tjvm\t.*VM [0-9].*Linux' "$T/$N.txt"
has "META: start" $'^meta\tstarted\t[0-9]{19}$' "$T/$N.txt"
same "META: process id" "$(sed -n 's/^hello .* pid=\([0-9]*\) .*/\1/p' "$T/$N.beat")" \
    "$(awk -F'\t' '$2 == "pid" { print $3 }' "$T/$N.txt")"

sample cut depth=100
same "a stack deeper than the limit is cut there, and says so" "101 [cut]" \
    "$(field cut $P 'deep 300' 11 | tr ' ' '\n' | wc -l) $(field cut $P 'deep 300' 11 |
        tr ' ' '\n' | tail -n 1)"
same "a stack within the limit is whole" 0 "$(field cut $P 'deep 40' 11 | grep -cF '[cut]')"

# A name is read again now and then: at most 64 snapshots later it is in the log.
beat_start renamed --every 5 --once
jvm_start renamed role=x Parked
check "renamed: all threads are parked" wait_for 30 grep -q '^ready' "$T/renamed.out"
check "renamed: packets are taken" wait_for 20 at_least 20 '^taken' "$T/renamed.beat"
echo >&8
packets renamed 200
jvm_finish
wait "$BEAT_PID"
log_of renamed
same "a new name, the same thread" "1 renamed" "$(awk -F'\t' '
    $1 == "thread" && ($3 == "shallow" || $3 == "renamed") { start[$4] = 1; name = $3 }
    END { for (s in start) n++; print n, name }' "$T/renamed.txt")"

# A first packet with many threads, one of them so deep that all are walked a second time: what JVMTI
# returned the first time is announced to -Xcheck:jni before it is given back.
for walk in all changed; do
    beat_start "taken-$walk"
    beat_stop
    jvm_start "late-$walk" "walk=$walk" -Xcheck:jni Parked 80
    check "walk=$walk, late: all threads are parked" wait_for 30 grep -q '^ready' "$T/late-$walk.out"
    beat_start "late-$walk" --every 25 --once --port "$PORT"
    check "walk=$walk, late: packets are taken" wait_for 40 at_least 5 '^taken' "$T/late-$walk.beat"
    jvm_finish
    wait "$BEAT_PID"
    sed -i '/^ixor: no server at .*, still trying$/d' "$T/late-$walk.err" # it began before the server
    quiet "walk=$walk, late: -Xcheck:jni is silent" "$T/late-$walk.out" "$T/late-$walk.err"
done
