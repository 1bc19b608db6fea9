# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# ixor serve: JVMs started by others, a server that is killed and restarted, runs by name.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so

camp=$T/camp
# serve [OPTION...]: on $address, or on any free port
serve() { serve_on "${address:-127.0.0.1:0}" --every 20ms "$@"; }
# A copy of the program with the agent beside it, as `make` and `make install` leave them.
mkdir "$T/bin" && cp "$IXOR" "$AGENT" "$T/bin" && IXOR=$T/bin/ixor

# With a packet a minute and nobody there it has next to nothing to do.
serve --every 60s
woken() { awk '/^voluntary/ {print $2}' "/proc/$server/status"; }
before=$(woken) && pause 2
check "it does not keep a processor awake" test $(($(woken) - before)) -lt 50
kill $server && wait $server 2>/dev/null
rm -rf "$camp" && address=''

serve
has "it says where it listens" '^listening on 127.0.0.1:[0-9]+$' "$T/out"
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out")
same "and what to type" "-agentpath:$T/bin/libixor.so=server=$address,log=$camp/runs/serve0001/%r-%p-%t.ixl,locks=on,connections=on,process=on,exceptions=first,invocations=on,virtual=tracked:256" \
    "$word"
jvm() { # jvm ROLE OPTION...: a JVM as the server told us to start it; sets last
    local role=$1
    shift
    "$JAVA" "$word" -Dixor.role="$role" "$@" -cp "$JAVA_CLASSES" Until 60000 "$T/stop-$role" \
        >"$T/$role.out" 2>"$T/$role.err" &
    last=$!
}
jvm One && one=$last
jvm Two && two=$last
IXOR_EXECUTION=mine jvm Named && named=$last
check "they are sampled" wait_for 20 at_least 3 \
    "select count(*) from (select 1 from snapshot group by vm having count(*) >= 5)"
same "executions" "mine|Named serve0001|One serve0001|Two" "$(sql 'select name, role from vm
    join execution on execution = execution.id order by 1, 2' | xargs)"
check "common packets" wait_for 20 at_least 3 'select count(*) from (select 1 from snapshot join vm on vm = vm.id
    where role <> "Named" group by packet having count(*) = 2)'

# The server dies without a word, and comes back at the same address.
kill -9 $server
wait $server 2>/dev/null
before=$(sql 'select max(number) from packet')
same "kill -9: the catalogue is whole" "ok" "$(sql 'pragma integrity_check; pragma foreign_key_check')"
check "the JVMs go on" kill -0 $one $two $named
jvm Late && late=$last # there is no server: it comes in when there is one
serve
has "the execution is continued" 'continuing serve0001' "$T/err"
check "all are sampled again" wait_for 20 at_least 4 "select count(*) from (select 1 from snapshot
    where packet > $before group by vm having count(*) >= 5)"
same "under their old rows" "mine|Named serve0001|Late serve0001|One serve0001|Two" "$(sql \
    'select name, role from vm join execution on execution = execution.id order by 1, 2' | xargs)"
same "and run again" running "$(sql 'select distinct ended from vm')"
same "a number means one instant" 0 "$(sql 'select count(*) from (select 1 from snapshot
    join vm on vm = vm.id group by packet having max(begin_ns) - min(begin_ns) > 1000000000)')"

"$IXOR" status "$camp" >"$T/status"
has "status meanwhile" '^serve0001 +running +3 ' "$T/status"

# One ends on its own, the others stay when the server ends.
touch "$T/stop-One"
wait $one
check "its end is recorded" wait_for 10 at_least 1 "select count(*) from vm
    where role = 'One' and ended = 'orderly'"
kill -INT $server
wait $server
status=$?
same "SIGINT: exit status" 0 "$status$([ $status = 0 ] || tail -n 20 "$T/err")"
same "SIGINT: how they ended" "Late|server-stopped Named|server-stopped One|orderly Two|server-stopped" \
    "$(sql 'select role, ended from vm order by role' | xargs)"
same "SIGINT: the executions have an end" 0 "$(sql 'select count(*) from execution where end_ns is null')"
check "the JVMs go on" kill -0 $two $named $late

# A new server has a new execution for those that come new.
serve
same "the next run" "run serve0002" "$(grep '^run ' "$T/out")"
jvm New && new=$last
check "a new JVM goes there" wait_for 20 at_least 1 "select count(*) from vm
    join execution on execution = execution.id where role = 'New' and name = 'serve0002'"
check "and is sampled" wait_for 20 at_least 3 "select count(*) from snapshot join vm on vm = vm.id
    where role = 'New'"
for role in Two Named Late New; do touch "$T/stop-$role"; done
wait $two && wait $named && wait $late && wait $new
same "the JVMs end as they would have" 0 $?
for role in One Two Named Late New; do
    same "$role: nothing but one line of the agent's at most" 0 \
        "$(grep -cv -e '^Picked up' -e '^ixor' "$T/$role.err")"
done
check "the last one's end is recorded" wait_for 10 at_least 1 "select count(*) from vm
    where role = 'New' and ended = 'orderly'"
kill -TERM $server
wait $server
same "SIGTERM: exit status" 0 $?

# By name, in a directory whose name the agent's options cannot hold.
camp="$T/a, b" address=
serve --execution special
same "the environment helps" "  IXOR_RUN_DIR='$T/a, b/runs/special'" "$(sed -n 4p "$T/out")"
word=$(sed -n "s/^  -agentpath/-agentpath/p; s/^  '\(-agentpath.*\)'\$/\1/p" "$T/out")
IXOR_RUN_DIR="$T/a, b/runs/special" jvm Odd && odd=$last
check "it is sampled" wait_for 20 at_least 1 'select count(*) from snapshot'
touch "$T/stop-Odd"
wait $odd
kill -INT $server
wait $server
same "its execution, its log" "special|runs/special/Odd" "$(sql 'select name, substr(log, 1, 16)
    from vm join execution on execution = execution.id')"
: >"$T/out"
"$IXOR" serve --out "$camp" --listen 0.0.0.0:0 >"$T/out" 2>"$T/err" &
server=$!
check "listening to everybody: it has a key" wait_for 10 grep -q '^with key=FILE' "$T/out"
kill -INT $server
wait $server
same "the catalogue is whole" "ok" "$(sql 'pragma integrity_check; pragma foreign_key_check')"
