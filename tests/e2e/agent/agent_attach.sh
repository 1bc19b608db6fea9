# SPDX-License-Identifier: Apache-2.0
# beside others
# ixor attach and detach: load the agent into a running JVM, change settings, remove it, load it
# again. ATTACH_CYCLES (20): how often, while threads start and end.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

camp=$T/camp
sql() { sqlite3 -batch "$camp/campaign.db" "$1" 2>/dev/null; }
sql_at_least() { [ "$(sql "$2")" -ge "$1" ]; }
snapshots() { sql "select count(*) from snapshot join vm on vm = vm.id where role = '$1'"; }
more_snapshots() { [ "$(snapshots "$1")" -gt "$2" ]; }
# The agent's threads in a process.
agent_threads() { cat "/proc/$1"/task/*/comm 2>/dev/null | grep -c '^Ixor Agent'; }
no_agent_thread() { [ "$(agent_threads "$1")" = 0 ]; }
# started NAME [JVM-OPTION]... CLASS ARG...: in the background; sets PID
started() {
    local name=$1
    shift
    "$JAVA" -cp "$JAVA_CLASSES" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null &
    PID=$!
    wait_for 20 grep -q '^ready' "$T/$name.out"
}
# silent DESCRIPTION NAME: no word but the JVM's own about an agent that comes later (JDK 21+)
silent() {
    same "$1" "" "$(grep -hv -e '^WARNING: A JVM TI agent has been loaded dynamically' \
        -e '^WARNING: If a serviceability tool is in use' -e '^WARNING: Dynamic loading of agents' \
        "$T/$2.err" | head -n 5)$(grep -hE 'ixor|WARNING|FATAL|JNI|Full thread dump' "$T/$2.out")"
}
# attach ARG...: its output goes to $T/attach.out, its words to $T/attach.err
attach() { "$IXOR" attach "$@" >"$T/attach.out" 2>"$T/attach.err"; }
detach() { "$IXOR" detach "$@" >"$T/attach.out" 2>"$T/attach.err"; }
log_said() { sed -n 's/^  log *//p' "$T/attach.out"; }

# A copy of the program with the agent beside it, as `make` and `make install` leave them.
mkdir "$T/bin" && cp "$IXOR" "$AGENT" "$T/bin" && IXOR=$T/bin/ixor AGENT=$T/bin/libixor.so
"$IXOR" serve --out "$camp" --listen 127.0.0.1:0 --every 20ms >"$T/serve.out" 2>"$T/serve.err" &
SERVER=$!
wait_for 10 grep -q '^  ' "$T/serve.out"
address=$(sed -n 's/^listening on //p' "$T/serve.out")
PORT=${address##*:}

started plain -Xcheck:jni Births "$T/stop-plain"
check "attach to a plain JVM" attach --role One "$camp" "$PID"
has "it says what it did" "^process $PID: the agent is attached" "$T/attach.out"
first=$(log_said)
same "the log is in the campaign" "$camp/runs/serve0001/One-$PID" "${first%-*}"
check "snapshots appear" wait_for 20 more_snapshots One 10
same "one agent" 1 "$(agent_threads "$PID")"
has "the server knows it" 'serve0001: JVM One' "$T/serve.err"

# The same log goes on with other settings that do not concern it.
rows=$(sql 'select count(*) from vm')
before=$(snapshots One)
check "other settings, same log" attach --options depth=4,stop=suspend "$PID"
has "it says that too" "^process $PID: new settings" "$T/attach.out"
same "the log goes on" "$first" "$(log_said)"
check "snapshots go on" wait_for 20 more_snapshots One $((before + 10))
same "in the same place" "$rows" "$(sql 'select count(*) from vm')"
same "one agent still" 1 "$(agent_threads "$PID")"

check "another role" attach --role Two --options stop=safepoint,walk=changed "$PID"
has "it says what less there is" '^  note    walk=changed: threads that ran before' "$T/attach.out"
check "snapshots of it appear" wait_for 20 more_snapshots Two 10
same "the first one's end was orderly" "orderly|new settings" \
    "$(sql "select ended, ended_text from vm where role = 'One'")"
same "one agent still" 1 "$(agent_threads "$PID")"

check "detach" detach "$PID"
has "it says so" "^process $PID: the agent is detached" "$T/attach.out"
check "the thread is gone" wait_for 10 no_agent_thread "$PID"
check "the server was told" wait_for 10 sql_at_least 1 \
    "select count(*) from vm where role = 'Two' and ended = 'orderly' and ended_text = 'detached'"
after=$(snapshots Two)
same "nothing of the agent is open" "" "$(ls -l "/proc/$PID/fd" | grep -E 'ixl|eventfd|schedstat')"
check "detached twice" eval '! detach $PID'
has "is said" 'there is no agent in this JVM' "$T/attach.err"

check "attach again" attach --role One "$camp" "$PID"
same "the new log does not disturb the old one" "${first%.ixl}-2.ixl" "$(log_said)"
check "snapshots appear again" wait_for 20 sql_at_least 10 \
    "select count(*) from snapshot join vm on vm = vm.id where log like '%-2.ixl'"
same "and none for the one that was detached" "$after" "$(snapshots Two)"
touch "$T/stop-plain"
wait "$PID"
same "the application ends as it would have" "0 whole" "$? $(tail -n 1 "$T/plain.out")"
silent "the JVM, with -Xcheck:jni, is silent" plain
logs=0
for log in "$camp"/runs/serve0001/*.ixl; do
    "$LOGCAT" "$log" >"$T/log.txt" 2>"$T/log.err"
    same "the log is whole: ${log##*/}" "" "$(cat "$T/log.err")$(grep '^torn' "$T/log.txt")"
    logs=$((logs + 1))
    if [ "$log" = "$first" ]; then
        check "its snapshots are all there" [ "$(count_of '^packet' "$T/log.txt")" = \
            "$(sql "select count(*) from snapshot join vm on vm = vm.id where role = 'One'
            and log not like '%-2.ixl'")" ]
    fi
done
same "three logs" 3 $logs

# In a JVM that has the agent from its start.
started loaded "-agentpath:$AGENT=server=$address,role=Early,log=$T/%r.ixl" Births "$T/stop-loaded"
check "sampled from its start" wait_for 20 more_snapshots Early 5
check "attach changes it" attach --role Late --options walk=changed "$PID"
check "to what was asked" wait_for 20 more_snapshots Late 5
same "one agent" 1 "$(agent_threads "$PID")"
check "with nothing to be noted" eval '! grep -q note $T/attach.out'
same "what was not said stays" "$T/Late.ixl" "$(log_said)"
check "detach" detach "$PID"
touch "$T/stop-loaded"
wait "$PID"
same "the application ends as it would have" "0 whole" "$? $(tail -n 1 "$T/loaded.out")"
quiet "and nothing is said" "$T/loaded.out" "$T/loaded.err"

# In and out, again and again, while threads start and end and are sampled.
descriptors() { ls "/proc/$PID/fd" | wc -l; }
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$PID/status"; }
# What is left in the arenas of threads that are gone is no leak, nor is what HotSpot compiles. This
# program grows by some MiB in its first half minute, attached or not.
export MALLOC_ARENA_MAX=1
started cycles -Xint -Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC -Xcheck:jni \
    Births "$T/stop-cycles"
unset MALLOC_ARENA_MAX
cycles() { # cycles FROM TO
    local i
    for ((i = $1; i <= $2; i++)); do
        attach --role "Cycle$i" --options walk=changed "$camp" "$PID" || return
        [ $((i % 4)) != 0 ] || wait_for 20 more_snapshots "Cycle$i" 2 || return
        detach "$PID" || return
    done
}
N=${ATTACH_CYCLES:-20}
check "the first $((N / 2)) times in and out" cycles 1 $((N / 2))
wait_for 10 no_agent_thread "$PID"
fds=$(descriptors) kib=$(resident)
check "$N times in and out" cycles $((N / 2 + 1)) "$N"
check "no thread is left" wait_for 10 no_agent_thread "$PID"
same "no descriptor is left" "$fds" "$(descriptors)"
kib=$(($(resident) - kib))
check "no memory is left ($kib KiB more)" [ $kib -lt $((4096 + 16 * N)) ]
touch "$T/stop-cycles"
wait "$PID"
same "the application ends as it would have" "0 whole" "$? $(tail -n 1 "$T/cycles.out")"
silent "and nothing is said" cycles

# The agent's thread ends by itself when a server refuses the JVM; then it can be sent elsewhere.
server_address=$address
beat_start refusing --script refuse
started turned -XX:+EnableDynamicAgentLoading Births "$T/stop-turned"
check "attach to a server that refuses" attach --server "127.0.0.1:$PORT" --role Turned "$PID"
check "the thread ends" wait_for 10 grep -q '^ixor: .*refused this JVM' "$T/turned.err"
check "and is gone" wait_for 10 no_agent_thread "$PID"
check "attach to one that does not" attach --server "$server_address" --log "$T/turned.ixl" "$PID"
check "snapshots appear" wait_for 20 more_snapshots Turned 2
check "attach to the other again" attach --server "127.0.0.1:$PORT" "$PID"
check "the thread is gone again" wait_for 10 no_agent_thread "$PID"
check "detach without a thread" detach "$PID"
check "attach anew" attach --server "$server_address" --log "$T/turned.ixl" --role New "$PID"
same "beside the old log" "$T/turned-2.ixl" "$(log_said)"
check "snapshots appear" wait_for 20 more_snapshots New 2
beat_stop
touch "$T/stop-turned"
wait "$PID"
same "the application ends as it would have" "0 whole" "$? $(tail -n 1 "$T/turned.out")"
same "the agent has said one line" 1 "$(wc -l <"$T/turned.err")"

# The JVM ends meanwhile, at any moment: its status and its words are what they would have been.
for wait in 0 50 100 200 300; do
    "$JAVA" -cp "$JAVA_CLASSES" Exit exit $wait >"$T/race.out" 2>"$T/race.err" &
    PID=$!
    while kill -0 $PID 2>/dev/null; do
        attach --timeout 5s --role Race "$camp" $PID && detach --timeout 5s $PID
    done
    wait $PID
    same "the end while attaching, after $wait ms" "3 out exit err exit" \
        "$? $(cat "$T/race.out") $(grep -v '^WARNING' "$T/race.err")"
done

kill -INT $SERVER
wait $SERVER
same "the catalogue is whole" ok "$(sql 'pragma integrity_check; pragma foreign_key_check')"
# Of processes that are gone; others may be attaching to theirs.
left_behind() {
    local file
    for file in /tmp/.attach_pid*; do
        [ ! -e "$file" ] || kill -0 "${file##*pid}" 2>/dev/null || echo "$file"
    done
}
same "nothing is left in /tmp" "" "$(left_behind)"
