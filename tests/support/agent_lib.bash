# SPDX-License-Identifier: Apache-2.0
# Sourced by the agent's end-to-end tests, after lib.sh: a server to connect to, JVMs to sample.
BEAT=$PWD/$B/helpers/beat
LOGCAT=$PWD/$B/helpers/logcat
# Shared by server and JVMs.
IXOR_KEY=ixor-agent-$(printf '%064d' 7)
export IXOR_KEY

# beat_start NAME [OPTION...]: starts a server; its lines go to $T/NAME.beat, its port to $PORT,
# its process id to $BEAT_PID.
beat_start() {
    local name=$1
    shift
    # Descriptor 8 is a JVM's input, which must end when jvm_finish closes it.
    "$BEAT" "$@" >"$T/$name.beat" 2>"$T/$name.beat.err" 8>&- &
    BEAT_PID=$!
    wait_for 10 grep -q '^port' "$T/$name.beat" || not_ok "the test's server did not start"
    PORT=$(sed -n 's/^port //p' "$T/$name.beat")
}

beat_stop() {
    kill "$BEAT_PID" 2>/dev/null
    wait "$BEAT_PID" 2>/dev/null
    return 0
}

# jvm NAME AGENT-OPTIONS [JVM-OPTION|CLASS|ARG]...: runs a program; its output goes to $T/NAME.out
# and .err, its log to $T/NAME.ixl unless the options say otherwise. Returns the program's status.
jvm() {
    local name=$1 options=$2
    shift 2
    "$JAVA" "-agentpath:$AGENT=server=127.0.0.1:$PORT,log=$T/$name.ixl,$options" \
        -cp "$JAVA_CLASSES" "$@" >"$T/$name.out" 2>"$T/$name.err"
}

# jvm_start: like jvm, but in the background. Its input stays open until jvm_finish, which returns
# its status; its process id is $JVM_PID.
jvm_start() {
    rm -f "$T/in"
    mkfifo "$T/in"
    exec 8<>"$T/in"
    local name=$1 options=$2
    shift 2
    "$JAVA" "-agentpath:$AGENT=server=127.0.0.1:$PORT,log=$T/$name.ixl,$options" \
        -cp "$JAVA_CLASSES" "$@" >"$T/$name.out" 2>"$T/$name.err" <"$T/in" 8>&- &
    JVM_PID=$!
}

jvm_finish() {
    exec 8>&-
    wait "$JVM_PID"
}

# log_of NAME: writes the log as text to $T/NAME.txt
log_of() { "$LOGCAT" "$T/$1.ixl" >"$T/$1.txt" 2>"$T/$1.txt.err"; }

count_of() { grep -Ec -- "$1" "$2" || true; }
# at_least N PATTERN FILE
at_least() { [ "$(count_of "$2" "$3")" -ge "$1" ]; }

# same_packets DESCRIPTION NAME SERVER: the log contains what the agent reported.
same_packets() {
    log_of "$2"
    same "$1" "$(sed -n 's/^taken \([0-9]*\) threads=\([0-9]*\) .*missed=\([0-9]*\) .*/\1 \3 \2/p' \
        "$T/$3.beat")" "$(awk -F'\t' '$1 == "packet" { print $2, $6, $7 }' "$T/$2.txt")"
}

# quiet DESCRIPTION FILE...: neither the agent nor -Xcheck:jni has printed anything.
quiet() {
    local what=$1
    shift
    same "$what" "" "$(grep -hE 'ixor|WARNING|FATAL|JNI' "$@" | head -n 5)"
}

# obedient_start CLASS NAME OPTIONS [JVM-OPTION]...: a JVM that does what `tell` says, and a packet every ${EVERY:-10} ms
obedient_start() {
    local class=$1 name=$2 options=$3
    shift 3
    beat_start "$name" --every "${EVERY:-10}"
    jvm_start "$name" "role=x,$options" -Xcheck:jni "$@" "$class"
    check "$name: it runs" wait_for 30 grep -q '^ready' "$T/$name.out"
}

# tell NAME COMMAND: and waits until it is done
tell() {
    local before
    before=$(count_of '^done' "$T/$1.out")
    echo "$2" >&8
    check "$1: $2" wait_for 60 at_least $((before + 1)) '^done' "$T/$1.out"
}

# taken_from FIRST N FILE: so many packets have been taken whose numbers are not below FIRST
taken_from() { [ "$(awk -v first="$1" '$1 == "taken" && $2 + 0 >= first' "$3" | wc -l)" -ge "$2" ]; }
# packets NAME MORE: waits until so many packets are taken that nobody has asked for yet. What is reported meanwhile
# may be of others: reports come up to 250 ms late.
packets() {
    local asked next
    asked=$(count_of '^next' "$T/$1.beat")
    kill -USR1 "$BEAT_PID"
    check "$1: the server answers" wait_for 60 at_least $((asked + 1)) '^next' "$T/$1.beat"
    next=$(sed -n 's/^next //p' "$T/$1.beat" | tail -n 1)
    check "$1: $2 more packets" wait_for 60 taken_from "$next" "$2" "$T/$1.beat"
}

# obedient_finish NAME: ends it, and writes its log as text
obedient_finish() {
    jvm_finish
    same "$1: exit status" 0 $?
    beat_stop
    log_of "$1"
    quiet "$1: nothing is said" "$T/$1.out" "$T/$1.err"
    same "$1: the log is valid" "" "$(cat "$T/$1.txt.err")"
}

# operations NAME OPERATION: how often that JVM stopped for it
operations() { grep -c "\"$2\"" "$T/$1.safepoints"; }

# walks NAME OPTIONS EVERY PACKETS CLASS ARG...: a JVM whose log is checked. In $T/NAME.safepoints is
# each of its stops.
walks() {
    local name=$1 options=$2 every=$3 packets=$4
    shift 4
    beat_start "$name" --every "$every" --once
    jvm_start "$name" "$options" -Xcheck:jni "-Xlog:safepoint:file=$T/$name.safepoints" "$@"
    check "$name: $packets packets" wait_for $((60 + packets / 10)) \
        at_least "$packets" '^taken' "$T/$name.beat"
    jvm_finish
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    same_packets "$name: the log has what was reported" "$name" "$name"
    same "$name: the log is valid" "" "$(cat "$T/$name.txt.err")"
    quiet "$name: -Xcheck:jni is silent" "$T/$name.out" "$T/$name.err"
}
