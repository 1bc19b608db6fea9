# SPDX-License-Identifier: Apache-2.0
# beside others
# A malicious server with the right key (tests/helpers/hostile.c): the JVMs survive, print at most
# one line, continue their work, and end as usual. MUTANTS (20,000): how many mutated messages.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

build/helpers/hostile --mutants "${MUTANTS:-20000}" >"$T/server" 2>"$T/server.err" &
server=$!
trap 'kill $server $(jobs -p) 2>/dev/null' EXIT
wait_for 10 grep -q '^port' "$T/server" || not_ok "the server did not start"
PORT=$(sed -n 's/^port //p' "$T/server")

# tick NAME STATUS [JVM-OPTION]...: in the background; sets the variable NAME to its process id
tick() {
    local name=$1 status=$2
    shift 2
    mkdir "$T/$name"
    "$JAVA" "-XX:ErrorFile=$T/hs_err_pid%p.log" "$@" -cp "$JAVA_CLASSES" Tick "$T/stop" "$T/$name.figures" "$status" >"$T/$name.out" \
        2>"$T/$name.err" </dev/null &
    printf -v "$name" %s $!
}
# agent NAME: the option; the log has a directory of its own
agent() {
    echo "-agentpath:$AGENT=server=127.0.0.1:$PORT,role=$1,log=$T/$1/%p.ixl,uploadtime=1s,locks=on,\
process=on"
}
hastily() { LD_PRELOAD=$PWD/build/helpers/libhaste.so "$@"; }

tick Alone 3
tick Plain 4 "$(agent Plain)"
hastily tick Hasty 5 "$(agent Hasty)" -Xcheck:jni
hastily tick Refused 6 "$(agent Refused)"
all_sent() { grep -q '^seed' "$T/server"; }
all_live() { kill -0 "$Plain" && kill -0 "$Hasty" && kill -0 "$Refused"; }
sent_or_crashed() { all_sent || ! all_live; }
wait_for $((60 + ${MUTANTS:-20000} / 500)) sent_or_crashed
check "mutants are sent" all_sent
for name in Plain Hasty Refused; do check "$name: lives" kill -0 "${!name}"; done
began=$SECONDS
touch "$T/stop"
for name in Alone:3 Plain:4 Hasty:5 Refused:6; do
    status=${name#*:} name=${name%:*}
    wait "${!name}"
    same "$name: exit status" "$status" $?
    same "$name: stdout" "ready done" "$(tr '\n' ' ' <"$T/$name.out" | sed 's/ $//')"
    same "$name: nothing on stderr but the agent's line" "" "$(grep -v '^ixor: ' "$T/$name.err")"
    check "$name: which is one" [ "$(count_of '^ixor: ' "$T/$name.err")" -le 1 ]
    check "$name: its line has no control characters" \
        test -z "$(grep -a $'[\001-\010\016-\037\177]' "$T/$name.err")"
done
check "the end was not delayed ($((SECONDS - began)) s)" [ $((SECONDS - began)) -le 8 ]

figures=$(sed -n 's/^sent/sent/p' "$T/server")
seed=$(sed -n 's/^seed //p' "$T/server")
number() { sed -E "s/.*$1 ([0-9]*).*/\1/" <<<"${figures:-$1 0}"; }
check "packets were taken meanwhile ($figures, seed $seed)" [ "$(number taken)" -ge 50 ]
check "sessions began again and again" [ "$(number sessions)" -ge 30 ]
read -r ticks worst <"$T/Alone.figures"
for name in Plain Hasty Refused; do
    read -r its_ticks its_worst < <(cat "$T/$name.figures" 2>/dev/null || echo 0 999999)
    check "$name: $its_ticks ticks beside $ticks without the agent" [ "$its_ticks" -ge $((ticks / 2)) ]
    check "$name: the latest tick was $its_worst ms late, $worst without the agent" \
        [ "$its_worst" -le $((worst + 500)) ]
done
check "nothing crashed" test -z "$(compgen -G "$T/hs_err_pid*")"
kill $server
wait $server 2>/dev/null
same "the server has nothing to complain of" "" "$(cat "$T/server.err")"
