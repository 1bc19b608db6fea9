# SPDX-License-Identifier: Apache-2.0
# beside others
# A class is redefined while its methods run: from the first packet after that, lines are those of
# the code that is executing.
# shellcheck disable=SC2046 # lines become words
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# The second version of Changing: other code, 100 lines further down.
mkdir -p "$T/src" "$T/new" "$T/jar"
{
    yes '' | head -n 100
    sed -E 's|/\* NEW (.*) \*/|\1|' "$ROOT/tests/java/Changing.java"
} >"$T/src/Changing.java"
check "the second version compiles" "$JAVA_HOME/bin/javac" -g -cp "$JAVA_CLASSES" -d "$T/new" \
    "$T/src/Changing.java"
printf '%s\n' 'Premain-Class: Redefine' 'Can-Redefine-Classes: true' >"$T/manifest"
check "the redefining agent's jar" "$JAVA_HOME/bin/jar" --create --file "$T/redefine.jar" \
    --manifest "$T/manifest" -C "$JAVA_CLASSES" Redefine.class

NAME=redefine # of the JVM

# tell COMMAND: waits for its answer
tell() {
    local answers
    answers=$(count_of "^$1\$" "$T/$NAME.out")
    echo "$1" >&8
    wait_for 60 at_least $((answers + 1)) "^$1\$" "$T/$NAME.out" || not_ok "$NAME: $1 is answered"
}

# phase NAME [PACKETS]: a run of packets in which nothing changes
declare -A from to
phase() {
    packets "$NAME" 5
    from[$1]=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/redefine.beat" | tail -n 1)
    packets "$NAME" "${2:-40}"
    to[$1]=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/redefine.beat" | tail -n 1)
}

# lines PHASE THREAD METHOD: the lines of its frames in that phase where they call something, "NEW"
# those above 100
lines() {
    awk -F'\t' -v from="${from[$1]}" -v to="${to[$1]}" -v thread="$2" -v method="Changing.$3(" '
        $1 == "thread" && $2 > from && $2 <= to && $3 == thread {
            count = split($11, f, " ")
            for (i = 2; i <= count; i++)
                if (index(f[i], method) == 1) {
                    line = f[i]
                    sub(/.*:/, "", line)
                    line += 0
                    print (line > 100 ? "NEW " line - 100 : "OLD " line)
                }
        }' "$T/redefine.txt" | sort -u
}

beat_start redefine --every 5 --once
jvm_start redefine role=x -Xcheck:jni "-javaagent:$T/redefine.jar" Redefine \
    "$JAVA_CLASSES/Changing.class" "$T/new/Changing.class"
check "the threads are in the class" wait_for 30 grep -q '^ready' "$T/redefine.out"
phase first
tell stop
packets "$NAME" 5 # none that was taken before is still being resolved
tell new
tell go
START=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/redefine.beat" | tail -n 1)
phase second
from[second]=$START # from the redefinition on, not only some packets later
tell leave
phase left 10
tell toggle
phase toggled
tell stop
packets "$NAME" 5
tell old
tell go
phase last
jvm_finish
same "exit status" 0 $?
wait "$BEAT_PID"
quiet "nothing is said" "$T/redefine.out" "$T/redefine.err"
same_packets "the log has the packets that were reported" redefine redefine
same "the log is valid" "" "$(cat "$T/redefine.txt.err")"

other=$(grep -n -A2 ' other(' "$ROOT/tests/java/Changing.java" | sed -n 's/-.*moment.*//p')
same_line=$(grep -n -A1 ' same(' "$ROOT/tests/java/Changing.java" | sed -n 's/-.*moment.*//p')
stay=$(grep -n -A2 ' stay(' "$ROOT/tests/java/Changing.java" | sed -n 's/-.*await.*//p')
same "at first the old lines" "OLD $other OLD $same_line OLD $stay" \
    "$(echo $(lines first loop other) $(lines first loop same) $(lines first stays stay))"
same "after the redefinition the new lines, at once" "NEW $other" "$(lines second loop other)"
same "of a method with the same code, too" "NEW $same_line" "$(lines second loop same)"
same "old code that is still executed keeps its lines" "OLD $stay" "$(lines second stays stay)"
same "called again, it has the new ones" "NEW $stay" "$(lines left stays stay)"
same "after many redefinitions the lines of the last" "NEW $other NEW $same_line" \
    "$(echo $(lines toggled loop other) $(lines toggled loop same))"
same "and back again" "OLD $other OLD $same_line" \
    "$(echo $(lines last loop other) $(lines last loop same))"
same "nothing was taken for unloaded" 0 "$(grep -c '<unloaded>' "$T/redefine.txt")"

# ---- coverage=on ----

printf '%s\n' 'Premain-Class: Redefine' 'Can-Redefine-Classes: true' 'Can-Retransform-Classes: true' >"$T/manifest"
check "the retransforming agent's jar" "$JAVA_HOME/bin/jar" --create --file "$T/retransform.jar" \
    --manifest "$T/manifest" -C "$JAVA_CLASSES" Redefine.class

# redefined NAME OPTIONS: starts a JVM in which the class will be redefined
redefined() {
    NAME=$1
    beat_start "$NAME" --every 5
    jvm_start "$NAME" "role=x,$2" -Xcheck:jni "-javaagent:$T/retransform.jar" Redefine \
        "$JAVA_CLASSES/Changing.class" "$T/new/Changing.class"
    check "$NAME: the threads are in the class" wait_for 30 grep -q '^ready' "$T/$NAME.out"
    packets "$NAME" 5
}

attach() {
    check "$NAME: $1" "$IXOR" attach --server "127.0.0.1:$PORT" --options "$1" "$JVM_PID"
}

redefined_end() {
    jvm_finish
    same "$NAME: exit status" 0 $?
    beat_stop
    quiet "$NAME: nothing is said" "$T/$NAME.out" "$T/$NAME.err"
    log_of "$NAME"
    same "$NAME: the log is valid" "" "$(cat "$T/$NAME.txt.err")"
}

# covered PATTERN: how many blocks of methods with such names were executed
covered() { awk -F'\t' -v what="$1" '$1 == "covered" && $3 ~ what { n++ } END { print n + 0 }' "$T/$NAME.txt"; }

# With probes, and the same fields afterwards; also when they are no longer read, and are again.
redefined covered coverage=on
tell again
packets "$NAME" 5
tell new
tell again
tell toggle
tell leave
packets "$NAME" 5
tell old
attach coverage=off
tell new
tell toggle
tell again
attach coverage=on
tell old
packets "$NAME" 5
check "covered: detach" "$IXOR" detach "$JVM_PID"
tell new
tell again
attach "exceptions=off,log=$T/again.ixl"
tell old
attach "coverage=on,log=$T/again.ixl"
tell toggle
redefined_end
same "covered: its methods until then, each block once" "1 1 1" \
    "$(covered '^Changing[.]other$') $(covered '^Changing[.]same$') $(covered '^Changing[.]stay$')"
check "covered: and those of the class that redefines it" test "$(covered '^Redefine[.]redefine$')" -gt 0

# Loaded before there were probes: it gets none.
redefined before coverage=off
tell new
attach coverage=on
tell toggle
tell again
tell old
packets "$NAME" 5
redefined_end
same "before: it has no probes" 0 "$(covered '^(Changing|Redefine)[.]')"
