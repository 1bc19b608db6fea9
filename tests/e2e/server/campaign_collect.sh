# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# Log uploads from JVMs whose logs the server cannot read in place (machine=, a hidden option, makes
# it believe so): when they end, after they were killed, and with ixor collect.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp far=$T/far
mkdir "$far"
# serve [OPTION...]: on $address, or on any free port
serve() { serve_on "${address:-127.0.0.1:0}" --agent "$AGENT" --every 10ms "$@"; }
jvm() { # jvm ROLE OPTIONS CLASS [ARG...]: in the foreground; sets took, in ms. "Until MS+" awaits packets
    local role=$1 options=$2 begin status
    shift 2
    begin=$(date +%s%N)
    IXOR_RUN_DIR=$far "$JAVA" \
        "-agentpath:$AGENT=server=$address,role=$role,log=$far/%r-%p.ixl,machine=other$options" \
        -cp "$JAVA_CLASSES" "$@" >"$T/$role.out" 2>"$T/$role.err" </dev/null
    status=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    return $status
}
jvm_start() { # the same in the background; sets last
    local role=$1 options=$2
    shift 2
    "$JAVA" "-agentpath:$AGENT=server=$address,role=$role,log=$far/%r.ixl,machine=other$options" \
        -cp "$JAVA_CLASSES" "$@" >"$T/$role.out" 2>"$T/$role.err" </dev/null &
    last=$!
}
of() { sql "select $2 from vm where role = '$1' order by id desc limit 1"; }
sampled() { check "$1 is sampled" wait_for 20 at_least 3 "select count(*) from snapshot
    join vm on vm = vm.id where role = '$1'"; }
# same_copy DESCRIPTION ROLE LOG: the copy has the log's bytes
same_copy() { check "$1" cmp "$3" "$camp/$(of "$2" log_copy)"; }

serve
# ---- at the end ----
jvm Orderly "" Until 700+ "$T/none" 7
same "its exit status" 7 $?
check "its end is recorded" wait_for 10 is orderly "select ended from vm where role = 'Orderly'"
same "its log has come" collected "$(of Orderly log_state)"
same_copy "whole" Orderly "$(echo "$far"/Orderly-*.ixl)"
check "and the catalogue says so" wait_for 10 is 1 "select log_whole from vm where role = 'Orderly'"
jvm Halt "" Exit halt 300
same "Runtime.halt: its exit status" 4 $?
check "its log has come, too" wait_for 10 is collected "select log_state from vm where role = 'Halt'"
jvm Never ",upload=never" Until 500+
check "upload=never: its end is recorded" wait_for 10 is orderly "select ended from vm where role = 'Never'"
same "and nothing else" "there|" "$(of Never "log_state || '|' || ifnull(log_copy, '')")"
jvm Here ",machine=" Until 500+
check "on the server's machine nothing is sent" wait_for 10 is here "select log_state from vm where role = 'Here'"
same "in no copy" "" "$(of Here log_copy)"
jvm Parts ",memory=64k,maxlog=1m" Many 1200
check "a log of parts comes" wait_for 10 is collected "select log_state from vm where role = 'Parts'"
log=$(ls "$far"/Parts-*.ixl) copy=$camp/$(of Parts log_copy)
same "with all its parts" "$(cd "$far" && for f in "$log"*; do echo "${f#"$log"} $(cksum <"$f")"; done)" \
    "$(for f in "$copy"*; do echo "${f#"$copy"} $(cksum <"$f")"; done)"
for role in Orderly Halt Never Here Parts; do
    same "$role: the agent says nothing" "" "$(grep -v -e '^Picked up' -e '^err halt' "$T/$role.err")"
done

# ---- after their death ----
jvm_start Killed "" Until 60000
killed=$last
sampled Killed
kill -9 $killed
wait $killed 2>/dev/null
check "a JVM that is killed has vanished" wait_for 10 is vanished "select ended from vm where role = 'Killed'"
jvm Next "" Until 1500+
check "the next one on that host brings its log" wait_for 10 is collected \
    "select log_state from vm where role = 'Killed'"
same_copy "as it was" Killed "$far/Killed.ixl"
same "and that of one which did not send its own" collected "$(of Never log_state)"

jvm_start Left "" Until 60000
left=$last
jvm_start Gone "" Until 60000
gone=$last
sampled Left
sampled Gone
kill -9 $left $gone
wait $left $gone 2>/dev/null
check "two more are killed" wait_for 10 is 2 "select count(*) from vm where role in ('Left', 'Gone')
    and ended = 'vanished'"
rm "$far/Gone.ixl"
"$IXOR" status --execution serve0001 "$camp" >"$T/status"
has "status: how it ended" "^    vanished after packet [0-9]+: crash, kill -9" "$T/status"
has "status: an orderly end" "^    ended orderly; " "$T/status"
has "status: a log that is not here" "the log is not here; it was on" "$T/status"
check "ixor collect" "$IXOR" collect "$camp"
"$IXOR" collect "$camp" >"$T/collected"
same "what lay on this host is here now" "collected lost" "$(of Left log_state) $(of Gone log_state)"
same_copy "as it was" Left "$far/Left.ixl"
has "the other is named" "^Gone \(process $gone on .*\): cannot open '$far/Gone.ixl'" "$T/collected"
has "and counted" "torn; 1 not here$" "$T/collected"
same "all that are here are whole" "1" "$(sql "select group_concat(distinct log_whole) from vm
    where log_state in ('collected', 'here')")"
"$IXOR" status --json --execution serve0001 "$camp" >"$T/json"
same "JSON: in words" "vanished collected true" "$(jq -r '.virtual_machines[] | select(.role == "Left") |
    "\(.ended_words | split(" ")[0]) \(.log_state) \(.log_whole)"' "$T/json")"
same "JSON: the last packet" "$(sql "select max(packet) from snapshot join vm on vm = vm.id
    where role = 'Left'")" "$(jq '.virtual_machines[] | select(.role == "Left") | .last_packet' "$T/json")"

# ---- with little time, and a server that dies ----
kill -INT $server
wait $server
serve --upload-rate 64k --execution slow
jvm Slow ",uploadtime=500ms" Many 1500
same "its exit status" 0 $?
slow=$took
check "a part has come" wait_for 10 is "orderly partial" "select ended || ' ' || log_state from vm
    where role = 'Slow'"
log=$(echo "$far"/Slow-*.ixl) size=$(wc -c <"$log")
part=$(wc -c <"$camp/$(of Slow log_copy)")
check "of $size bytes $part" test "$part" -gt 1000 -a "$part" -lt "$size"
all=$((1500 + size * 1000 / 65536))
check "the JVM has not waited for all of it, which takes $all ms ($slow)" test "$slow" -lt $all
"$IXOR" status --execution slow "$camp" >"$T/status"
has "status says so" "a part of the log is here; all of it was on" "$T/status"
printf garbage >"$T/garbage"
"$IXOR" collect --server "$address" "$log" >"$T/sent" 2>&1 &
client=$!
grown() { [ "$(wc -c <"$camp/$(of Slow log_copy)")" -gt $((part + 4000)) ]; }
check "ixor collect --server goes on with it" wait_for 10 grown
kill -9 $server
wait $server 2>/dev/null
wait $client
same "the server is killed in the middle: exit status" 1 $?
has "and why" "^ixor collect: " "$T/sent"
part=$(wc -c <"$camp/$(of Slow log_copy)")
serve --upload-rate 256k --execution slow
begin=$(date +%s%N)
"$IXOR" collect --server "$address" --key "$camp/agent.key" "$log" "$T/garbage" >"$T/sent" 2>&1
same "garbage is not sent: exit status" 1 $?
took=$((($(date +%s%N) - begin) / 1000000)) least=$(((size - part) * 1000 / 262144))
has "the log is stored" "^$log: stored$" "$T/sent"
check "and has come" wait_for 10 is collected "select log_state from vm where role = 'Slow'"
same_copy "whole" Slow "$log"
check "no faster than allowed: $((size - part)) bytes in $took ms, $least ms at least" \
    test "$took" -ge $((least - 150))
"$IXOR" collect --server "$address" "$log" >"$T/sent"
has "once more is not needed" ": the server has it$" "$T/sent"

# ---- a server that was killed has written nothing of how its JVMs ended ----
jvm_start Orphan "" Until 100000 "$T/none" 7 && orphan=$last
sampled Orphan
kill -9 $server $orphan
wait $server $orphan 2>/dev/null
"$IXOR" collect "$camp" >"$T/collected"
same "the log of a JVM that it left as running" "running collected" "$(of Orphan "ended || ' ' || log_state")"
same_copy "whole, too" Orphan "$far/Orphan.ixl"

# ---- containers that share a directory: each JVM is process 1 ----
serve
jvm_start Orphan "" Until 100000 "$T/none" 7 && second=$last
check "a log whose name is taken: the next one" wait_for 20 test -s "$far/Orphan-2.ixl"
kill -9 $second
wait $second 2>/dev/null

# ---- who reads the logs ----
kill -INT $server
wait $server
rm -r "$far"
"$IXOR" label "$camp" serve0001 passed
check "roxi reads the copies" "$ROXI" dump "$camp/$(of Slow log_copy)"
"$ROXI" export "$camp" --execution slow --format collapsed >"$T/export" 2>"$T/export.err"
has "and finds them by the catalogue" "Many" "$T/export"
"$IXOR" collect "$camp" >"$T/collected"
has "without the originals: all but two that were lost" "torn; 2 not here$" "$T/collected"
same "no bits of uploads are left" "" "$(find "$camp/runs" -name '*.part')"
same "the catalogue is whole" "ok" "$(sql 'pragma integrity_check; pragma foreign_key_check')"
