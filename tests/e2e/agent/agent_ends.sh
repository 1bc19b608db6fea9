# SPDX-License-Identifier: Apache-2.0
# How a JVM ends, and what the agent must not change: output, exit status, time.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# alone NAME [ARG]...: the same program without the agent
alone() {
    local name=$1
    shift
    "$JAVA" -cp "$JAVA_CLASSES" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null
}

# unchanged NAME [ARG]...: with the agent, output and status are as without it
unchanged() {
    local name=$1 want got
    shift
    alone alone "$@"
    want=$?
    jvm "$name" role=x "$@" </dev/null
    got=$?
    same "$name: exit status" $want $got
    same "$name: stdout" "$(cat "$T/alone.out")" "$(cat "$T/$name.out")"
    same "$name: stderr" "$(cat "$T/alone.err")" "$(cat "$T/$name.err")"
}

for how in return exit halt throw thread; do
    beat_start $how --every 10 --once
    unchanged $how Exit $how 300
    wait "$BEAT_PID"
    has "$how: packets were taken" '^taken ' "$T/$how.beat"
    same "$how: the last words" "goodbye 1  gone" "$(tail -n 2 "$T/$how.beat" | tr '\n' ' ' |
        sed 's/ $//')"
    same_packets "$how: the log has what was reported" $how $how
    same "$how: the log is whole" 0 "$(grep -c '^torn' "$T/$how.txt")"
done

# kill -9: no goodbye, the log is good as far as it was written.
beat_start killed --every 5 --once
jvm_start killed role=x Exit return wait
check "kill -9: packets are taken" wait_for 20 at_least 20 '^taken' "$T/killed.beat"
{
    kill -9 "$JVM_PID"
    jvm_finish
} 2>/dev/null # the shell's own word about it
wait "$BEAT_PID"
same "kill -9: no goodbye" "0 1" "$(count_of '^goodbye' "$T/killed.beat") $(
    count_of '^gone' "$T/killed.beat")"
check "kill -9: the log can be read" log_of killed
last=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/killed.beat" | tail -n 1)
has "kill -9: the log has the last packet reported" "^packet	$last	" "$T/killed.txt"

# Nobody there: the program neither waits nor notices, and no log is left behind.
beat_start nobody
beat_stop # its port is free now
unchanged nobody Exit exit 0
same "no server: no log is made" "" "$(ls "$T" | grep 'nobody.*ixl')"
jvm late role=x Exit exit 3700
same "no server: the exit status after a while" 3 $?
same "no server: one line after a while" 1 "$(count_of '^ixor: no server at 127.0.0.1, port' \
    "$T/late.err")"
same "no server: and no other line" "err exit" "$(grep -v '^ixor: no server' "$T/late.err")"

# milliseconds COMMAND...: the fastest of four
milliseconds() {
    local best=999999 i start took
    for i in 1 2 3 4; do
        start=${EPOCHREALTIME//[.,]/}
        "$@"
        took=$(((${EPOCHREALTIME//[.,]/} - start) / 1000))
        [ $took -ge $best ] || best=$took
    done
    echo $best
}
plain=$(milliseconds alone plain Exit return)
sampled=$(milliseconds jvm nobody role=x Exit return)
check "no server: no delay (${plain} ms without the agent, ${sampled} ms with it)" \
    [ "$sampled" -le $((plain + plain / 2 + 150)) ]
BLACK_HOLE="-agentpath:$AGENT=server=192.0.2.1:9,log=$T/hole.ixl" # RFC 5737: nobody's address
hole=$(milliseconds alone hole "$BLACK_HOLE" Exit return)
check "a server that does not answer: no delay (${hole} ms)" \
    [ "$hole" -le $((plain + plain / 2 + 150)) ]
beat_start mute --script mute
mute=$(milliseconds jvm mute role=x Exit return)
check "a server that never says a word: no delay (${mute} ms)" \
    [ "$mute" -le $((plain + plain / 2 + 150)) ]
beat_stop

# The log cannot be written: one line, goodbye 2, the program goes on.
echo "not a directory" >"$T/file"
beat_start below --every 10
jvm below "log=$T/file/x.ixl" Exit exit 500
same "log below a file: exit status" 3 $?
same "log below a file: one line" 1 "$(count_of '^ixor: .*/file/x.ixl.*goes on' "$T/below.err")"
same "log below a file: nothing else" "err exit" "$(grep -v '^ixor' "$T/below.err")"
has "log below a file: the server is told" '^goodbye 2 .*x.ixl' "$T/below.beat"
jvm there "log=$T/file" Exit exit 500
same "log that exists: exit status" 3 $?
same "log that exists: one line" 1 "$(count_of '^ixor: ' "$T/there.err")"
same "log that exists: untouched" "not a directory" "$(cat "$T/file")"
beat_stop

beat_start full --every 5
(
    ulimit -f 8 # KiB
    jvm full role=x -XX:-UsePerfData Churn 1500
    echo $? >"$T/full.status"
)
same "full disk: exit status" 0 "$(cat "$T/full.status")"
same "full disk: one line" 1 "$(count_of '^ixor: .*goes on' "$T/full.err")"
has "full disk: the server is told" '^goodbye 2 ' "$T/full.beat"
check "full disk: the log can be read" log_of full
has "full disk: and has packets" '^packet' "$T/full.txt"
beat_stop
