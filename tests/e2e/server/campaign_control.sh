# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# Commands to a running server: snapshot, mark, pause, resume; with serve and with run. Jitter and
# bursts. A server that was stopped does not catch up on missed packets.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
last() { sql 'select ifnull(max(number), 0) from packet'; }

refused() { # refused DESCRIPTION STATUS PATTERN COMMAND...
    local what=$1 status=$2 pattern=$3
    shift 3
    "$IXOR" "$@" >"$T/refused" 2>&1
    same "$what: exit status" "$status" $?
    has "$what: says why" "$pattern" "$T/refused"
}
refused "no campaign" 1 'is not being served' snapshot "$T/none"
refused "no DIR" 2 'expected DIR' pause
refused "no text" 2 'expected DIR TEXT' mark "$T/none"
refused "an empty text" 2 'TEXT is empty' mark "$T/none" ''
refused "control characters" 2 'control characters' mark "$T/none" $'a\e[31m'
refused "too long a text" 2 'at most 1024' mark "$T/none" "$(printf '%01025d' 0)"
refused "not UTF-8" 2 'not UTF-8' mark "$T/none" $'\xff'
refused "an option of another" 2 'wait' pause --wait "$T/none"

# ---- serve ----
serve_on 127.0.0.1:0 --every 50ms --agent "$AGENT"
refused "nobody there" 1 'no JVM is being sampled' snapshot "$camp"
same "pause" "paused after packet 0" "$("$IXOR" pause "$camp")"
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out")
for role in One Two; do
    "$JAVA" "$word" -Dixor.role=$role -cp "$JAVA_CLASSES" Until 60000 "$T/stop" >"$T/$role.out" \
        2>"$T/$role.err" &
    eval "$role=\$!"
done
check "two JVMs join" wait_for 20 at_least 2 'select count(*) from vm'
pause 0.3
same "paused: no packet" 0 "$(last)"
same "a snapshot, waited for" "packet 1, to 2 JVMs, taken by 2" "$("$IXOR" snapshot --wait "$camp")"
same "as JSON" '{"packet":2,"vms":2,"taken":2}' "$("$IXOR" snapshot "$camp" --wait --json | jq -c .)"
same "without waiting" '{"packet":3,"vms":2}' "$("$IXOR" snapshot "$camp" --json | jq -c .)"
text="it's \"odd\"; drop table mark -- é"
same "a mark" "marked at packet 3 of serve0001" "$("$IXOR" mark "$camp" "$text")"
check "they are in the catalogue" wait_for 10 at_least 6 'select count(*) from snapshot'
same "as what they were" "1 user 2,2 user 2,3 user 2," \
    "$(sql "select number || ' ' || asked || ' ' || vms from packet" | tr '\n' ,)"
check "the mark comes there, too" wait_for 10 at_least 1 'select count(*) from mark'
same "as it was said" "serve0001|3|$text" \
    "$(sql 'select name, packet, text from mark join execution on execution = execution.id')"
"$IXOR" status "$camp" >"$T/status"
has "status shows it" "^serve0001 +3  it's \"odd\"; drop table mark -- é\$" "$T/status"
same "in JSON, too" "$text" "$("$IXOR" status --json "$camp" | jq -r '.marks[0].text')"
has "resume" '^resumed after packet 3$' <("$IXOR" resume "$camp")
check "packets come again" wait_for 10 at_least 5 "select count(*) from packet where asked = 'clock'"

# A server that stands still for two seconds has missed 40 packets.
kill -STOP $server
pause 2
kill -CONT $server
check "after a standstill they come again" wait_for 10 at_least 1 "select count(*) from packet
    where number >= (select max(number) from packet where sent_ns < $(date +%s%N)) + 5"
same "one by one, 50 ms apart" 0 "$(sql "select count(*) from (select sent_ns - lag(sent_ns, 3)
    over (order by number) as gap from packet where asked = 'clock') where gap < 60000000")"
check "the JVMs go on" kill -0 $One $Two
same "none has gone" running "$(sql 'select distinct ended from vm')"
touch "$T/stop"
wait $One && wait $Two
kill -INT $server
wait $server
same "exit status" 0 $?
refused "nobody serves any more" 1 'is not being served' snapshot "$camp"

# ---- run: bursts, and the same commands ----
camp=$T/run
rm -f "$T/stop"
cat >"$T/command" <<END
"$JAVA" -cp "$JAVA_CLASSES" Until 60000 "$T/stop"
END
"$IXOR" run --agent "$AGENT" --every 300ms --burst 3@10ms --jitter 10% --seed 5 --out "$camp" -- \
    sh "$T/command" >"$T/run.out" 2>"$T/run.err" &
run=$!
check "bursts come" wait_for 20 at_least 12 "select count(*) from packet where asked = 'burst'"
has "ixor attach knows that run takes nobody" 'takes no JVMs that others start' \
    <("$IXOR" attach "$camp" $$ 2>&1)
# A burst that comes before the JVM has taken it would make it too old.
"$IXOR" pause "$camp" >"$T/null"
has "a snapshot under run" '^packet [0-9]+, to 1 JVM, taken by 1$' <("$IXOR" snapshot --wait "$camp")
"$IXOR" resume "$camp" >"$T/null"
has "a mark under run" '^marked at packet [0-9]+ of run0001$' <("$IXOR" mark "$camp" "here")
touch "$T/stop"
wait $run
same "run: exit status" 0 $?
# A server that stands still sends two bursts close to each other; so most of them count.
same "three packets each time" 3 "$(sql "select n from (select count(*) as n from (select
    sum(gap > 150000000) over (order by number) as burst from (select number, ifnull(sent_ns -
    lag(sent_ns) over (order by number), 0) as gap from packet where asked = 'burst'))
    group by burst) group by n order by count(*) desc limit 1")"
same "the seed is kept" "|0|--seed 5 --every 300ms --jitter 30ms --burst 3@10ms" \
    "$(sql "select execution, packet, text from mark where text like '--seed%'")"
has "status shows it" "^- +0  --seed 5 --every 300ms" <("$IXOR" status "$camp")
same "the catalogue is whole" ok "$(sql 'pragma integrity_check; pragma foreign_key_check')"
refused "bad bursts" 2 'do not fit' run --burst 50@50ms -- true
refused "bad jitter" 2 'option --jitter' run --jitter 80% -- true
