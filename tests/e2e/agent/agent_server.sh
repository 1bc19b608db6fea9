# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: nothing of this depends on the JVM
# The agent and its server: malformed datagrams, a server that returns, one that refuses; options.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# sum NAME FIELD: a counter's last value
sum() {
    sed -n "s/^dropped .*$2=\([0-9]*\).*/\1/p" "$T/$1.beat" | tail -n 1
}

# counted NAME FIELD N SENT: the agent's reports say N of FIELD and have all SENT packets
counted() {
    TAKEN=$(count_of '^taken' "$T/$1.beat")
    [ $(($(sum "$1" "$2"))) -ge "$3" ] && [ $((TAKEN + $(sum "$1" superseded))) -ge "$4" ]
}

# odd SCRIPT PACKETS LAST FIELD N SENT: a program sampled while the server plays the script, until packet
# LAST is taken and all is `counted`
odd() {
    beat_start "$1" --script "$1" --packets "$2" --every 20
    jvm_start "$1" role=x Exit return wait
    wait_for 20 at_least 10 '^taken' "$T/$1.beat"
    wait_for 5 grep -q "^taken $3 " "$T/$1.beat"
    wait_for 20 counted "$1" "$4" "$5" "$6" # reports come up to 250 ms late
    jvm_finish
    same "$1: the program's exit status" 0 $?
    same "$1: nothing is said" "err return" "$(cat "$T/$1.err")"
    same_packets "$1: the log has what was reported" "$1" "$1"
    same "$1: no number twice" "" "$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/$1.beat" | uniq -d)"
    wait_for 5 grep -q '^gone' "$T/$1.beat"
    beat_stop
    TAKEN=$(count_of '^taken' "$T/$1.beat")
}

# A slow machine lets two requests meet in the socket: then one of them is superseded.
odd stale 30 30 stale 29 30
same "stale: each old one is counted" 29 $(($(sum stale stale) + 0))
same "stale: the others are taken or superseded" 30 $((TAKEN + $(sum stale superseded)))
odd duplicate 30 30 stale 30 30
same "duplicate: each second one is counted" 30 $(($(sum duplicate stale) + 0))
same "duplicate: the others are taken or superseded" 30 $((TAKEN + $(sum duplicate superseded)))
odd forged 30 30 foreign 240 30
same "forged: all are counted" 240 "$(sum forged foreign)"
same "forged: the true ones are taken or superseded" 30 $((TAKEN + $(sum forged superseded)))
AFTER=$((30 - 10)) # beats of the second session
odd recorded 30 30 foreign $((10 * AFTER)) 0
same "recorded: all are counted" $((10 * AFTER)) "$(sum recorded foreign)"
same "recorded: two sessions" 2 "$(count_of '^hello' "$T/recorded.beat")"
same "recorded: none of them is taken" 0 "$(count_of '^taken [0-9]{7}' "$T/recorded.beat")"
# Of 200 beats, because on a busy machine the agent sleeps through most of them.
odd flood 200 40000 stale 0 1000
check "flood: the newest of those that wait counts ($TAKEN taken)" [ "$TAKEN" -ge 10 ]
# The kernel drops what does not fit its buffer while the agent waits for a processor.
ALL=$((TAKEN + $(sum flood superseded)))
check "flood: nearly all others are superseded ($ALL counted)" [ "$ALL" -ge 1000 -a "$ALL" -le 40000 ]
same "flood: none is stale" 0 "$(sum flood stale)"

# Requests for a moment ahead. (That none is early, the link's unit test shows.)
beat_start lead --every 50 --lead 20
jvm_start lead role=x Exit return wait
check "target time: packets are taken" wait_for 20 at_least 10 '^taken' "$T/lead.beat"
jvm_finish
beat_stop

# The server is killed and comes back.
beat_start first --every 20
jvm_start again role=x Exit return wait
check "restart: packets are taken" wait_for 20 at_least 5 '^taken' "$T/first.beat"
kill -9 "$BEAT_PID"
wait "$BEAT_PID" 2>/dev/null
beat_start second --every 20 --port "$PORT" --first 100000
check "restart: packets are taken again" wait_for 20 at_least 5 '^taken 1000' "$T/second.beat"
jvm_finish
same "restart: the program's exit status" 0 $?
same "restart: nothing is said" "err return" "$(cat "$T/again.err")"
wait_for 5 grep -q '^gone' "$T/second.beat"
beat_stop
log_of again
taken=$(sed -n 's/^packet\t\([0-9]*\)\t.*/\1/; T; p' "$T/again.txt" | awk '$1 < 100000' | tail -n 1)
same "restart: the agent says where it was" "$taken" \
    "$(sed -n 's/^hello .* last=\([0-9]*\) .*/\1/p' "$T/second.beat")"
same "restart: one log has it all" "$(sed -n 's/^packet\t\([0-9]*\)\t.*/\1/p' "$T/again.txt" | sort -n)" \
    "$(sed -n 's/^packet\t\([0-9]*\)\t.*/\1/p' "$T/again.txt")"
has "restart: packets of before" $'^packet\t[1-9][0-9]?[0-9]?\t' "$T/again.txt"
has "restart: packets of after" $'^packet\t1000' "$T/again.txt"

# A server that does not want it.
beat_start refuse --script refuse
jvm refuse role=x Exit return 400
same "refused: exit status" 0 $?
same "refused: one line" "ixor: the server at 127.0.0.1, port $PORT refused this JVM: not?wanted" \
    "$(grep '^ixor' "$T/refuse.err")"
same "refused: asked once" 1 "$(count_of '^hello' "$T/refuse.beat")"
same "refused: no log" "" "$(ls "$T" | grep 'refuse.*ixl')"
beat_stop

# A server that has another key, or none, or is none.
other=ixor-agent-$(printf '%064d' 8)
beat_start stranger
IXOR_KEY=$other jvm stranger role=x Exit return 3000
same "another key: exit status" 0 $?
same "another key: one line" "ixor: the server at 127.0.0.1, port $PORT does not accept this JVM's key, \
which is another campaign's; the application goes on without sampling, still trying" \
    "$(grep '^ixor' "$T/stranger.err")"
same "another key: nobody is let in" 0 "$(count_of '^hello' "$T/stranger.beat")"
check "another key: it tried more than once" at_least 3 '^stranger' "$T/stranger.beat"
same "another key: no log" "" "$(ls "$T" | grep 'stranger.*ixl')"
IXOR_KEY='' jvm keyless role=x Exit return 3000
same "no key: exit status" 0 $?
has "no key: one line" "^ixor: the server at 127.0.0.1, port $PORT is there, but this JVM has no key" \
    "$T/keyless.err"
( umask 077 && echo "$IXOR_KEY" >"$T/agent.key" )
IXOR_KEY=$other jvm keyed "role=x,key=$T/agent.key" Exit return 300
has "a key file goes before the environment" '^hello role=x' "$T/stranger.beat"
quiet "and nothing is said" "$T/keyed.err"
beat_stop
beat_start mumble --script mumble
jvm plain role=x Exit return 3000
same "no TLS: exit status" 0 $?
has "no TLS: one line" "^ixor: the server at 127.0.0.1, port $PORT is not an Ixor server, or has another version" \
    "$T/plain.err"
beat_stop

# Options: both ways in, one agent, the later string wins key by key.
beat_start both --every 20 --once
JAVA_TOOL_OPTIONS="-agentpath:$AGENT=server=127.0.0.1:$PORT,role=early,execution=run-7,log=$T/%r-%p-%e.ixl" \
    "$JAVA" "-agentpath:$AGENT=role=late" -cp "$JAVA_CLASSES" Exit return 300 \
    >"$T/both.out" 2>"$T/both.err"
same "two mentions: exit status" 0 $?
wait "$BEAT_PID"
same "two mentions: one agent" 1 "$(count_of '^hello' "$T/both.beat")"
pid=$(sed -n 's/^hello .* pid=\([0-9]*\) .*/\1/p' "$T/both.beat")
has "two mentions: options of both" \
    "^hello role=late .* execution=run-7 .* log=$T/late-$pid-run-7.ixl " "$T/both.beat"
check "two mentions: the log is there" test -s "$T/late-$pid-run-7.ixl"

beat_start roles --every 20
for want in Exit property environment; do
    case $want in
    Exit) jvm role-$want stop=safepoint Exit return 100 ;;
    property) IXOR_ROLE=environment jvm role-$want stop=safepoint -Dixor.role=property Exit return 100 ;;
    environment) IXOR_ROLE=environment jvm role-$want stop=safepoint Exit return 100 ;;
    esac
    check "role: $want" wait_for 5 grep -q "^hello role=$want " "$T/roles.beat"
done
beat_stop

# bad OPTIONS MESSAGE: the JVM does not start, and one line says why
bad() {
    "$JAVA" "-agentpath:$AGENT=$1" -cp "$JAVA_CLASSES" Exit return >"$T/bad.out" 2>"$T/bad.err"
    check "bad option '$1': the start fails" [ $? -ne 0 ]
    same "bad option '$1': one line says why" "ixor: $2" "$(grep -h '^ixor' "$T/bad.err")"
    same "bad option '$1': nothing ran" 0 "$(count_of '^out' "$T/bad.out")"
}
bad sevrer=x "option 'sevrer': unknown; known ones are server, role, execution, log, key, cert, certkey, ca, stop, walk, virtual, depth, memory, maxlog, locks, exceptions, process, connections, invocations, coverage, runs, upload, uploadtime"
bad stop=now "option 'stop': must be safepoint or suspend, not 'now'"
# unsampled OPTIONS MESSAGE: what the options do not say themselves never stops the JVM
unsampled() {
    "$JAVA" "-agentpath:$AGENT=$1" -cp "$JAVA_CLASSES" Exit return >"$T/bad.out" 2>"$T/bad.err"
    same "'$1': the program runs" 0 $?
    same "'$1': one line says why it is not sampled" "ixor: $2; the application goes on without sampling" \
        "$(grep -h '^ixor' "$T/bad.err")"
}
unsampled 'log=%{IXOR_NO_SUCH}.ixl' \
    "option 'log': environment variable IXOR_NO_SUCH in '%{IXOR_NO_SUCH}' is not set"
unsampled "key=$T/none" "option 'key': the key '$T/none': No such file or directory"
echo "${other/agent/campaign}" >"$T/agent.key"
unsampled "key=$T/agent.key" "option 'key': the file '$T/agent.key': is the key of a whole campaign; a JVM \
gets that in the file agent.key beside it, which can do less"
chmod 640 "$T/agent.key"
unsampled "key=$T/agent.key" "option 'key': the key '$T/agent.key' is open to other users (mode 0640); close \
it with chmod 600; if somebody may have seen it, begin a new campaign"
IXOR_KEY=ixor-agent-12 unsampled role=x "environment variable IXOR_KEY: is not a valid agent key; expected \
ixor-agent- and 64 hexadecimal digits"
