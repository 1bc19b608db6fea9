# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# A campaign is interrupted: by SIGINT, by a second one, by kill -9. The catalogue is intact, no
# process is left, and the next call continues.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so

camp=$T/camp
taken() { [ "$(sql "select count(*) from snapshot join vm on vm = vm.id
    join execution on execution.id = execution where name = '$1'")" -ge "$2" ]; }
# start RUNS SCRIPT: a campaign in the background, ours to interrupt
start() {
    : >"$T/out"
    "$IXOR" run --agent "$AGENT" --out "$camp" --runs "$1" --every 20ms -- bash -c "$2" \
        >"$T/out" 2>"$T/err" &
    ixor=$!
}

two="'$JAVA' -cp '$JAVA_CLASSES' Until 100000 '$T/never' & '$JAVA' -cp '$JAVA_CLASSES' Until 100000 \
'$T/never' & wait"
start 5 "$two"
check "the first run is sampled" wait_for 20 taken run0001 10
"$IXOR" status "$camp" >"$T/status"
has "status while it runs" '^run0001 +running +2 ' "$T/status"
kill -INT $ixor
wait $ixor
same "SIGINT: exit status" 130 $?
check "SIGINT: no JVM is left" none_left
same "SIGINT: no verdict, but an end" "run0001|unknown||1" \
    "$(sql 'select name, verdict, verdict_by, end_ns is not null from execution')"
same "SIGINT: the JVMs said goodbye" orderly "$(sql 'select distinct ended from vm')"
same "SIGINT: nothing else ran" 1 "$(sql 'select count(*) from execution')"
same "SIGINT: a mark says so" "run0001|interrupted" \
    "$(sql 'select name, text from mark join execution on execution.id = execution')"
has "SIGINT: status shows it" '^run0001 +[0-9]+ +interrupted$' <("$IXOR" status "$camp")
has "SIGINT: one line says that roles are the same" \
    '^ixor: 2 JVMs of a run have the role Until; unless they are equal workers, name them apart' "$T/err"
has "SIGINT: there is a summary" '1 run, 0 passed, 0 failed, 1 without a verdict' "$T/out"

# A command that does not want to end, and a second SIGINT.
start 1 "trap '' TERM INT; '$JAVA' -cp '$JAVA_CLASSES' Until 100000 '$T/never' &
while :; do wait; read -r -t 0.1 x <>'$T/fifo'; done"
mkfifo "$T/fifo"
check "the second run is sampled" wait_for 20 taken run0002 3
kill -INT $ixor
check "it says how to end it at once" wait_for 5 grep -q 'once more' "$T/err"
kill -INT $ixor
wait $ixor
same "SIGINT twice: exit status" 130 $?
check "SIGINT twice: nothing is left" none_left
same "SIGINT twice: the execution has an end" 1 \
    "$(sql 'select end_ns is not null from execution where id = 2')"

# SIGTERM is the same.
start 1 "$two"
check "the third run is sampled" wait_for 20 taken run0003 3
kill -TERM $ixor
wait $ixor
same "SIGTERM: exit status" 143 $?
check "SIGTERM: no JVM is left" none_left
same "SIGTERM: that roles are the same is not said again" 0 "$(grep -c 'the role Until' "$T/err")"

# kill -9: nobody records the JVMs' end, but they do not live on.
start 1 "$two"
check "the fourth run is sampled" wait_for 20 taken run0004 3
"$ROXI" rank "$camp" >"$T/rank" 2>"$T/rank.err"
has "roxi leaves it out meanwhile" '^roxi: run run0004 is left out: it is still going on$' "$T/rank.err"
kill -9 $ixor
wait $ixor 2>/dev/null
same "kill -9: the catalogue is whole" "ok" "$(sql 'pragma integrity_check; pragma foreign_key_check')"
same "kill -9: the JVMs are on record as running" running \
    "$(sql 'select distinct ended from vm where execution = 4')"
"$ROXI" explain "$camp" run0004 >"$T/explain" 2>&1
has "kill -9: roxi treats it as interrupted at once" '^run0004: interrupted; score ' "$T/explain"
has "kill -9: status does not say that it runs" '^run0004 +unknown +2 ' <("$IXOR" status "$camp")
check "kill -9: no JVM is left" wait_for 15 none_left
last=$(sql 'select max(number) from packet')
start 1 "'$JAVA' -cp '$JAVA_CLASSES' Until 500+"
wait $ixor
same "the next call succeeds" 0 $?
same "it goes on counting" "run0005|passed" "$(sql 'select name, verdict from execution where id = 5')"
same "and ends the run that kill -9 left open, with its last packet" 1 \
    "$(sql 'select end_ns = (select max(sent_ns) from packet where execution = 4)
        from execution where id = 4')"
same "and marks it as interrupted, once" "1|1" \
    "$(sql "select count(*), packet = (select max(number) from packet where execution = 4)
        from mark where execution = 4")"
"$IXOR" label "$camp" run0002 failed >"$T/label"
"$ROXI" rank "$camp" >"$T/rank" 2>"$T/rank.err"
same "roxi compares no interrupted run unless it was given a verdict" "run0002 run0005" \
    "$(cut -f 1 "$T/rank" | sort | xargs)"
same "and says so of each" "run0001 run0003 run0004" \
    "$(sed -n 's/^roxi: run \(.*\) was interrupted and is left out$/\1/p' "$T/rank.err" | xargs)"
"$IXOR" label "$camp" run0002 unknown >"$T/label"
"$ROXI" explain "$camp" run0001 >"$T/explain" 2>"$T/rank.err"
has "roxi explains one that is named, and says what it is" '^run0001: interrupted; score ' "$T/explain"
same "and says how the older JVMs ended" server-stopped \
    "$(sql 'select distinct ended from vm where execution = 4')"
check "its packets have higher numbers" test \
    "$(sql 'select min(number) from packet where execution = 5')" -gt "$last"
same "the catalogue is whole" "ok" "$(sql 'pragma integrity_check; pragma foreign_key_check')"

# nohup: a terminal that is closed ends nothing.
: >"$T/out"
nohup "$IXOR" run --agent "$AGENT" --out "$camp" -- "$JAVA" -cp "$JAVA_CLASSES" Until 1500 \
    >"$T/out" 2>"$T/err" &
ixor=$!
check "the run under nohup is sampled" wait_for 20 taken run0006 3
kill -HUP $ixor
wait $ixor
same "nohup: SIGHUP does not end it" 0 $?

# Ctrl-Z: a command that ends meanwhile has not timed out.
"$IXOR" run --agent "$AGENT" --out "$camp" --timeout 4s -- bash -c "touch '$T/begun'
    until [ -e '$T/go' ]; do read -r -t 0.1 x <>'$T/fifo'; done; touch '$T/over'" >"$T/out" 2>"$T/err" &
ixor=$!
check "the command has begun" wait_for 20 test -e "$T/begun"
kill -STOP $ixor
touch "$T/go"
check "it ends while ixor is stopped" wait_for 20 test -e "$T/over"
pause 4 # until after the time-out
kill -CONT $ixor
wait $ixor
same "Ctrl-Z: the verdict and the time are the command's" "passed|exit|1" \
    "$(sql 'select verdict, verdict_by, end_ns - begin_ns < 4e9 from execution where id = 7')"

# A command that asks at the terminal would be stopped there, as it is in the background.
"$IXOR" run --agent "$AGENT" --out "$camp" -- bash -c "cut -d' ' -f6,7 /proc/self/stat
    exec '$JAVA' -cp '$JAVA_CLASSES' Until 500" >"$T/out" 2>"$T/err"
read -r session terminal <"$camp/runs/run0008/output.txt"
same "the command has no terminal" 0 "$terminal"
check "and a session of its own" test "$session" != "$(cut -d' ' -f6 /proc/self/stat)"

# JSON is all that is on standard output.
"$IXOR" run --agent "$AGENT" --out "$camp" --show-output --json -- bash -c "echo hello
    exec '$JAVA' -cp '$JAVA_CLASSES' Until 500" >"$T/out" 2>"$T/err"
same "--json --show-output: the JSON begins at once" "{" "$(head -n 1 "$T/out")"
has "and the output is on standard error" '^hello$' "$T/err"
