# SPDX-License-Identifier: Apache-2.0
# beside others
# How a JVM ends, and what the agent must not change: output, exit status, time.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# alone NAME [ARG]...: the same program without the agent
alone() {
    local name=$1
    shift
    "$JAVA" -cp "$JAVA_CLASSES" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null
}

# as_alone NAME STATUS STATUS: with the agent, output and status are as without it
as_alone() {
    same "$1: exit status" "$2" "$3"
    same "$1: stdout" "$(cat "$T/alone.out")" "$(cat "$T/$1.out")"
    same "$1: stderr" "$(cat "$T/alone.err")" "$(cat "$T/$1.err")"
}

for how in return exit halt throw thread; do
    alone alone Exit $how
    want=$?
    beat_start $how --every 10 --once
    jvm_start $how role=x Exit $how wait
    check "$how: packets are taken" wait_for 60 at_least 1 '^taken ' "$T/$how.beat"
    jvm_finish
    as_alone $how $want $?
    wait "$BEAT_PID"
    same "$how: the last words" "goodbye 1  gone" "$(tail -n 2 "$T/$how.beat" | tr '\n' ' ' |
        sed 's/ $//')"
    same_packets "$how: the log has what was reported" $how $how
    same "$how: the log is whole" 0 "$(grep -c '^torn' "$T/$how.txt")"
done

# kill -9: no goodbye, the log is good as far as it was written.
beat_start killed --every 5 --once
jvm_start killed role=x Exit return wait
check "kill -9: packets are taken" wait_for 60 at_least 20 '^taken' "$T/killed.beat"
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

# Nobody there: the program neither waits nor notices, and no log is left behind. Nobody listens at port 1, and
# no other program gets it.
PORT=1
alone alone Exit exit 0
want=$?
jvm nobody role=x Exit exit 0 </dev/null
as_alone nobody $want $?
same "no server: no log is made" "" "$(ls "$T" | grep 'nobody.*ixl')"
jvm_start late role=x Exit exit wait
check "no server: it is said after a while" wait_for 60 at_least 1 '^ixor: no server' "$T/late.err"
jvm_finish
same "no server: the exit status after a while" 3 $?
same "no server: one line after a while" 1 "$(count_of '^ixor: no server at 127.0.0.1, port' \
    "$T/late.err")"
same "no server: and no other line" "err exit" "$(grep -v '^ixor: no server' "$T/late.err")"

# took COMMAND...: how long it takes, in milliseconds
took() {
    local start=${EPOCHREALTIME//[.,]/}
    "$@"
    echo $(((${EPOCHREALTIME//[.,]/} - start) / 1000))
}
# no_delay DESCRIPTION COMMAND...: the fastest of some tries with the agent and without it, in turn because the load
# changes. What the agent waits for takes its time in each try; what other programs take does not.
no_delay() {
    local what=$1 tries=16 plain=999999 with=999999 most=0 ms
    shift
    while [ $((tries--)) -gt 0 ] && [ $with -gt $most ]; do
        ms=$(took alone plain Exit return)
        [ "$ms" -ge $plain ] || plain=$ms
        ms=$(took "$@")
        [ "$ms" -ge $with ] || with=$ms
        most=$((plain + plain / 2 + 150))
    done
    check "$what: no delay ($plain ms without the agent, $with ms with it)" [ $with -le $most ]
}
no_delay "no server" jvm nobody role=x Exit return
BLACK_HOLE="-agentpath:$AGENT=server=192.0.2.1:9,log=$T/hole.ixl" # RFC 5737: nobody's address
no_delay "a server that does not answer" alone hole "$BLACK_HOLE" Exit return
beat_start mute --script mute
no_delay "a server that never says a word" jvm mute role=x Exit return
beat_stop

# The log cannot be written: one line, goodbye 2, the program goes on.
echo "not a directory" >"$T/file"
beat_start below --every 10
jvm_start below "log=$T/file/x.ixl" Exit exit wait
check "log below a file: the server is told" wait_for 60 grep -q '^goodbye 2 .*x.ixl' "$T/below.beat"
jvm_finish
same "log below a file: exit status" 3 $?
same "log below a file: one line" 1 "$(count_of '^ixor: .*/file/x.ixl.*goes on' "$T/below.err")"
same "log below a file: nothing else" "err exit" "$(grep -v '^ixor' "$T/below.err")"
jvm_start there "log=$T/file" Exit exit wait
check "log that exists: another name" wait_for 60 test -s "$T/file-2"
jvm_finish
same "log that exists: exit status" 3 $?
same "log that exists: says nothing" 0 "$(count_of '^ixor: ' "$T/there.err")"
same "log that exists: untouched" "not a directory" "$(cat "$T/file")"
beat_stop

beat_start full --every 5
(
    ulimit -f 8 # KiB
    jvm_start full role=x -XX:-UsePerfData Churn 0
    check "full disk: the server is told" wait_for 60 grep -q '^goodbye 2 ' "$T/full.beat"
    jvm_finish
    echo $? >"$T/full.status"
)
same "full disk: exit status" 0 "$(cat "$T/full.status")"
same "full disk: one line" 1 "$(count_of '^ixor: .*goes on' "$T/full.err")"
check "full disk: the log can be read" log_of full
has "full disk: and has packets" '^packet' "$T/full.txt"
beat_stop
