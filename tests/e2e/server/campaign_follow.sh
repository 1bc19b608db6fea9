# SPDX-License-Identifier: Apache-2.0
# beside others
# ixor attach --follow: from one JVM to those that it talks to; ixor detach --all. A chain of JVMs, one that
# connects later, processes that are no JVMs, one that ends while it is attached.
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
mkdir "$T/chain"
# member NAME NEXT: a JVM that serves, and is connected to NEXT; its process id is in PIDS[NAME]
declare -A PIDS
member() {
    "$JAVA" -Xcheck:jni -XX:+EnableDynamicAgentLoading -cp "$JAVA_CLASSES" Chain "$T/chain" 127.0.0.1 "$1" "$2" \
        serve platform >"$T/$1.jvm" 2>&1 </dev/null &
    PIDS[$1]=$!
    wait_for 60 [ -e "$T/chain/$1.ready" ]
}
port() { cat "$T/chain/$1.port"; }
# stranger NAME: a process with a connection to that JVM, which is none itself; sets STRANGER
stranger() {
    bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"; read -r -u 3 _' stranger "$(port "$1")" &
    STRANGER=$!
}
attached() { grep -q "^process ${PIDS[$1]}: the agent is attached" "$T/follow.out"; }
said() { grep -Eq -- "$1" "$T/follow.out"; }
agents() { cat "/proc/$1"/task/*/comm 2>/dev/null | grep -c '^Ixor Agent'; }
no_agent() { [ "$(agents "$1")" = 0 ]; }
# follow ARG...: in the background; sets FOLLOW
follow() {
    "$IXOR" attach --follow "$@" >"$T/follow.out" 2>"$T/follow.err" &
    FOLLOW=$!
}

serve_on 127.0.0.1:0 --every 20ms
member store -
member middle store
member edge middle
member alone -
stranger store

follow --role First "$camp" "${PIDS[middle]}"
check "the first JVM" wait_for 60 attached middle
check "the one that it has connected to" wait_for 60 attached store
check "the one that has connected to it" wait_for 60 attached edge
check "what is no JVM is said" wait_for 60 said "^not attached: process $STRANGER [(]bash[)]: .* not a HotSpot JVM"
member late edge
check "a connection that is made later" wait_for 60 attached late
check "roles: the first one's is given, the others have their main class" wait_for 60 is "Chain Chain Chain First" \
    "select group_concat(role, ' ') from (select role from vm order by role)"
check "snapshots of each" wait_for 60 at_least 4 \
    "select count(*) from (select vm from snapshot group by vm having count(*) > 5)"

# One that looks like a JVM, is asked to listen, and ends.
cp "$PWD/$B/helpers/deaf" "$T/libjvm.so"
bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"; exec "$2" handler' deaf "$(port late)" "$T/libjvm.so" >"$T/deaf.out" &
deaf=$!
check "one that ends: it is asked" wait_for 60 grep -q '^quit' "$T/deaf.out"
kill -9 $deaf
wait $deaf 2>>"$T/none"
check "its end is said" wait_for 60 said "^not attached: process $deaf [(]libjvm.so[)]: .*ended meanwhile"

# Two more looks, at a connection that is still there and at one that is new.
stranger edge
check "it goes on" wait_for 60 said "^not attached: process $STRANGER "
same "nothing is said twice" "" "$(grep -E '^(process|not attached)' "$T/follow.out" | sort | uniq -d)"
same "one that nobody talks to is left alone" 0 "$(agents "${PIDS[alone]}")"
kill -INT $FOLLOW
wait $FOLLOW
same "ends at SIGINT" 0 $?
has "says how to reverse it" "^4 JVMs attached; 'ixor detach --all $camp' takes" "$T/follow.out"
same "without complaints" "" "$(cat "$T/follow.err")"
for name in middle store edge late; do
    same "one agent in $name" 1 "$(agents "${PIDS[$name]}")"
done

# Again: nothing but the first one's settings changes; and it ends with the first JVM.
follow "$camp" "${PIDS[late]}"
check "again: the first JVM has new settings" wait_for 60 said "^process ${PIDS[late]}: new settings"
check "the next ones are left as they are" wait_for 60 said "^process ${PIDS[store]} [(].*[)]: has the agent already"
rows=$(sql "select count(*) from vm where role = 'First'")
same "no other session" 1 "$rows"
kill "${PIDS[late]}"
wait "${PIDS[late]}" 2>/dev/null
wait $FOLLOW
same "ends with the first JVM" 0 $?
has "and says so" "^process ${PIDS[late]} has ended" "$T/follow.out"

check "detach --all" "$IXOR" detach --all "$camp"
for name in middle store edge; do
    check "no agent in $name" wait_for 10 no_agent "${PIDS[$name]}"
done
"$IXOR" detach --all "$camp" >"$T/none" 2>"$T/detach.err"
same "nothing is left to detach" 1 $?
has "it says so" 'no JVM of this host has a log in' "$T/detach.err"

# Bounds: of JVMs, and of time.
follow --limit 2 "$camp" "${PIDS[edge]}"
check "--limit is said" wait_for 60 said '^no more than 2 JVMs are followed'
kill -INT $FOLLOW
wait $FOLLOW
same "--limit: two JVMs" 2 "$(grep -c 'the agent is attached' "$T/follow.out")"
follow --limit 1 --for 100ms "$camp" "${PIDS[edge]}"
wait $FOLLOW
same "--for: ends" 0 $?
check "detach --all" "$IXOR" detach --all "$camp"

# Wrong use.
"$IXOR" attach --follow "${PIDS[edge]}" >"$T/none" 2>&1
same "--follow needs the campaign" 2 $?
"$IXOR" attach --for 1s "$camp" "${PIDS[edge]}" >"$T/none" 2>&1
same "--for needs --follow" 2 $?
"$IXOR" attach --follow "$camp" $$ >"$T/none" 2>&1
same "the first one must be a JVM" 1 $?

touch "$T/chain/stop"
for name in middle store edge alone; do
    wait "${PIDS[$name]}"
    same "$name ends as it would have" "0 " "$? $(cat "$T/$name.jvm")"
done
kill "$server"
wait "$server" 2>/dev/null
