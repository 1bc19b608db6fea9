# SPDX-License-Identifier: Apache-2.0
# ixor attach to a process that is no JVM, refuses, or belongs to another user: a clear message, and
# no harm to the process.
# It runs alone: it looks for what is left in /tmp, and has a JVM that is process 1.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# Where a JVM of another user, or in another mount namespace, can read and write.
open=$(mktemp -d "${TMPDIR:-/tmp}/ixor-attach.XXXXXX")
trap 'rm -rf "$open"' EXIT
chmod 777 "$open"
cp -r "$IXOR" "$AGENT" "$JAVA_CLASSES" "$open"
IXOR=$open/ixor JAVA_CLASSES=$open/${JAVA_CLASSES##*/} AGENT=$open/libixor.so
chmod -R a+rX "$open"
others() { ls -a /tmp | grep -E '^\.(ixor-|attach_pid)'; }
leftovers=$(others)
# nothing_left: of what attaching to other JVMs of this machine needs, too, it is there for a moment only
nothing_left() { [ -z "$(others | grep -vxF "$leftovers")" ]; }

# refuses DESCRIPTION PATTERN STATUS ARG...: attach fails and says so
refuses() {
    local what=$1 pattern=$2 want=$3 got
    shift 3
    "$IXOR" attach "$@" >"$T/out" 2>"$T/err"
    got=$?
    same "$what: exit status" "$want" $got
    has "$what: what it says" "$pattern" "$T/err"
}
# started NAME COMMAND...: in the background; sets PID
started() {
    local name=$1
    shift
    rm -f "$T/stop"
    "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null &
    PID=$!
    wait_for 20 grep -q '^ready' "$T/$name.out"
}
java=("$JAVA" -cp "$JAVA_CLASSES")
# unharmed NAME [OUTPUT]: the JVM ends as it would have, and has said nothing
unharmed() {
    touch "$T/stop"
    wait "$PID"
    same "$1: unharmed" "0 ready " "$? $(cat "$T/$1.out")"
    same "$1: nothing is said" "" "$(cat "$T/$1.err")"
}

refuses "no PID" 'expected \[DIR\] PID' 2
refuses "no number" "PID: 'x'" 2 x
refuses "unknown option" "unknown .*--rolle=x" 2 --rolle=x 1
refuses "no such process" 'there is no process 4194399' 1 4194399
refuses "not a campaign" 'is not being served' 1 "$T" $$
"$BASH" -c 'exec sleep 100' &
PID=$!
refuses "not a JVM" 'is not a HotSpot JVM' 1 $PID
check "not a JVM: it lives" kill -0 $PID
kill $PID
"$BASH" -c 'trap "echo quit >\"\$1\"; exit 7" QUIT; echo ready; while :; do read -r -t 0.05 _ <> <(:); done' \
    x "$T/quit" >"$T/trap.out" &
PID=$!
wait_for 10 grep -q ready "$T/trap.out"
refuses "not a JVM, but with a handler" 'is not a HotSpot JVM' 1 $PID
check "a handler that is not a JVM's gets no signal" [ ! -e "$T/quit" ]
kill -9 $PID
wait $PID 2>/dev/null
# A process that looks like a JVM, with libjvm.so mapped.
cp "$PWD/$B/helpers/deaf" "$T/libjvm.so"
"$T/libjvm.so" handler >"$T/deaf.out" &
PID=$!
wait_for 10 grep -q ready "$T/deaf.out"
refuses "no answer" 'does not answer' 1 --timeout 300ms $PID
has "no answer: it was asked" '^quit$' "$T/deaf.out"
"$IXOR" attach --timeout 60s $PID >"$T/out" 2>"$T/err" &
attaching=$!
wait_for 20 at_least 2 '^quit$' "$T/deaf.out"
kill -TERM $attaching
wait $attaching 2>/dev/null
same "ended while it waits: exit status" 143 $?
check "ended while it waits: nothing is left in /tmp" wait_for 5 nothing_left
check "no answer: it lives" kill -0 $PID
kill $PID
"$T/libjvm.so" none >"$T/deaf.out" &
PID=$!
wait_for 10 grep -q ready "$T/deaf.out"
refuses "a JVM without a handler" 'takes no SIGQUIT.*-Xrs' 1 --timeout 300ms $PID
check "a JVM without a handler: it lives" kill -0 $PID
kill $PID

started stopped "${java[@]}" Until 60000 "$T/stop"
kill -STOP "$PID"
wait_for 10 grep -q '^State:.T' "/proc/$PID/status"
refuses "stopped" "process $PID is stopped; 'kill -CONT" 1 "$PID"
kill -CONT "$PID"
refuses "not served" "is not being served; start 'ixor serve" 1 "$open" "$PID"
refuses "comma" 'has a comma' 1 --role a,b "$PID"
refuses "too long" 'more than the 1024 bytes' 1 --log "/$(printf 'a%.0s' {1..1100})" "$PID"
cp "$IXOR" "$open/program.so"
refuses "a program" 'did not load the agent: ' 1 --agent "$open/program.so" "$PID"
refuses "no agent there" 'nowhere.so' 1 --agent "$T/nowhere.so" "$PID"
refuses "not an agent" 'is not a shared library' 1 --agent "$JAVA_CLASSES/Until.class" "$PID"
unharmed stopped
started bad "${java[@]}" -XX:+EnableDynamicAgentLoading Until 60000 "$T/stop"
refuses "bad options" "option 'wlk': unknown; known ones are server, role," 1 --options wlk=all "$PID"
refuses "bad server" "option 'server': needs a port" 1 --server h:x "$PID"
same "a refused attach leaves no thread" 0 "$(cat /proc/"$PID"/task/*/comm | grep -c '^Ixor Agent')"
unharmed bad
started few prlimit --nofile=31:31 "${java[@]}" -XX:+EnableDynamicAgentLoading Until 60000 "$T/stop"
refuses "few files" "may open only 31 files" 1 "$PID"
unharmed few

started disabled "${java[@]}" -XX:+DisableAttachMechanism Until 60000 "$T/stop"
refuses "disabled" 'runs with -XX:\+DisableAttachMechanism' 1 "$PID"
unharmed disabled
started enabled env JAVA_TOOL_OPTIONS=-XX:-EnableDynamicAgentLoading "${java[@]}" Until 60000 "$T/stop"
refuses "no agents" 'start it with -agentpath' 1 "$PID"
sed -i '/^Picked up/d' "$T/enabled.err"
unharmed enabled

# Other users and namespaces need root.
if [ "$(id -u)" != 0 ]; then
    skip "without root: a JVM of another user, a JVM in another PID namespace"
    exit 0
fi
beat_start server --every 20
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if ! "${nobody[@]}" "$JAVA" -cp "$JAVA_CLASSES" Exit return >/dev/null 2>&1; then
    skip "setpriv is not permitted here: a JVM of another user"
else
    started other "${nobody[@]}" "$JAVA" -XX:+EnableDynamicAgentLoading -cp "$JAVA_CLASSES" \
        Until 60000 "$open/stop"
    cp "$AGENT" "$open/private.so" && chmod 700 "$open/private.so"
    refuses "an agent that the user cannot read" 'user of process [0-9]* cannot read' 1 \
        --agent "$open/private.so" "$PID"
    check "root attaches to another user's JVM" "$IXOR" attach --server "127.0.0.1:$PORT" \
        --log "$open/%r.ixl" --role Other "$PID"
    check "it is sampled" wait_for 20 at_least 3 '^taken' "$T/server.beat"
    same "with that user's rights" 65534 "$(stat -c %u "$open/Other.ixl")"
    "${nobody[@]}" "$IXOR" detach "$PID" >"$T/out" 2>&1
    same "that user detaches it" 0 $?
    touch "$open/stop"
    wait "$PID"
    same "other: unharmed" "0 ready " "$? $(cat "$T/other.out" "$T/other.err")"
    # It gets the key of a campaign that its user cannot read, without anybody seeing it.
    rm -f "$open/stop"
    "$IXOR" serve --out "$T/camp" --listen 127.0.0.1:0 --every 20ms >"$T/serve.out" 2>"$T/serve.err" &
    serving=$!
    wait_for 10 grep -q '^with key' "$T/serve.out"
    started keyless env -u IXOR_KEY "${nobody[@]}" "$JAVA" -XX:+EnableDynamicAgentLoading \
        -cp "$JAVA_CLASSES" Until 60000 "$open/stop"
    check "root attaches it to a campaign" "$IXOR" attach --log "$open/%r.ixl" --role Keyless \
        "$T/camp" "$PID"
    check "it is sampled" wait_for 20 grep -q 'JVM Keyless' "$T/serve.err"
    check "its file with the key is gone" wait_for 5 nothing_left
    check "the user cannot read the campaign's" eval '! "${nobody[@]}" cat "$T/camp/agent.key"'
    touch "$open/stop"
    wait "$PID"
    same "keyless: unharmed" "0 ready " "$? $(cat "$T/keyless.out" "$T/keyless.err")"
    kill -INT "$serving"
    wait "$serving"
    started root "${java[@]}" Until 60000 "$T/stop"
    "${nobody[@]}" "$IXOR" attach "$PID" >"$T/out" 2>"$T/err"
    same "nobody attaches to root's JVM: exit status" 1 $?
    has "and is told" 'not permitted: process [0-9]* belongs to user root' "$T/err"
    unharmed root
fi

if ! unshare -p -f -m --mount-proc true 2>/dev/null; then
    skip "unshare is not permitted here: a JVM in another PID namespace"
else
    rm -f "$open/stop"
    # Without perf data, whose file is named after the number of the process: other checks have a 1, too.
    unshare -p -f -m --mount-proc "$JAVA" -XX:-UsePerfData -XX:+EnableDynamicAgentLoading \
        -cp "$JAVA_CLASSES" Until 60000 "$open/stop" >"$T/inner.out" 2>"$T/inner.err" &
    outer=$!
    wait_for 20 grep -q '^ready' "$T/inner.out"
    PID=$(cat "/proc/$outer/task/$outer/children")
    PID=${PID% }
    check "attach into another PID namespace" "$IXOR" attach --server "127.0.0.1:$PORT" \
        --log "$open/%r-%p.ixl" --role Inner "$PID"
    check "it is sampled" wait_for 20 grep -q '^hello.*Inner' "$T/server.beat"
    check "as process 1" wait_for 20 test -s "$open/Inner-1.ixl"
    check "detach from another PID namespace" "$IXOR" detach "$PID"
    touch "$open/stop"
    wait $outer
    same "inner: unharmed" "0 ready " "$? $(cat "$T/inner.out" "$T/inner.err")"
fi
beat_stop
check "nothing is left in /tmp" wait_for 5 nothing_left
