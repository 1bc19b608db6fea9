# SPDX-License-Identifier: Apache-2.0
# long
# beside others
# one JDK: the agent's tests have the others
# The complete path with the sample system: from real JVMs to matrices, and back through the
# original's text layout.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
cat >"$T/bully.sh" <<END
exec examples/bully/run.sh --numbers 200 --dir "$T/\$IXOR_EXECUTION"
END
check "three runs of Bully" "$IXOR" run --runs 3 --every 50ms --out "$camp" --agent "$AGENT" -- \
    bash "$T/bully.sh"

same "all passed" passed "$(sql 'select distinct verdict from execution')"
same "four roles in each" "Client A,Client B,Client C,Message Server 3" \
    "$(sql "select group_concat(role), 3 from (select distinct role from vm order by role)" |
        tr '|' ' ')"
same "every JVM ended in order" orderly "$(sql 'select distinct ended from vm')"
same "the catalogue is whole" ok "$(sql 'pragma integrity_check')"
common=$(sql 'select count(*) from (select packet from snapshot join vm on vm.id = vm
    where execution = 1 group by packet having count(*) = 4)')
check "many packets were taken by all four JVMs ($common)" test "$common" -ge 10
same "no packet number in two executions" 0 "$(sql 'select count(*) from (select number from packet
    group by number having count(distinct execution) > 1)')"

# What the logs hold is what the agents reported.
for log in "$camp"/runs/run0001/*.ixl; do
    pid=${log##*-} pid=${pid%.ixl}
    same "log and catalogue agree on ${log##*/}" \
        "$(sql "select count(*) from snapshot join vm on vm.id = vm where pid = $pid")" \
        "$("$ROXI" dump "$log" | grep -c '^packet ')"
done
"$ROXI" dump "$camp"/runs/run0001/Client_A-*.ixl >"$T/dump"
has "the worker's call stack is there" '^    at bully.client.Worker\.[a-zA-Z]+\(Worker.java:[0-9]+\)' "$T/dump"
check "the agent's own thread is not" bash -c "! grep -q '^\"Ixor' '$T/dump'"

packet=$(sql 'select packet from snapshot join vm on vm.id = vm where execution = 1
    group by packet having count(*) = 4 limit 1')
"$ROXI" dump --packet "$packet" "$camp"/runs/run0001/*.ixl >"$T/instant"
same "all four JVMs at packet $packet" "4 4" \
    "$(grep -c "^packet $packet:" "$T/instant") $(grep -cE '^"main"' "$T/instant")"
late=$(sql 'select max(packet) from snapshot where packet not in (select packet from snapshot
    join vm on vm.id = vm where execution = 1 group by packet having count(*) = 4)
    and vm in (select id from vm where execution = 1)')
check "a packet that only some have" "$ROXI" dump --packet "$late" "$camp"/runs/run0001/*.ixl
"$ROXI" dump --packet 99999999 "$camp"/runs/run0001/*.ixl >"$T/none" 2>"$T/err"
same "a packet that none has is an error" "1 0" "$? $(wc -c <"$T/none")"
has "which says so" 'none of the logs has packet 99999999' "$T/err"

# Out into the original's layout and in again: nothing that the matrices see is lost.
for run in run0001 run0002 run0003; do
    check "export of $run" "$ROXI" export "$camp" --execution $run --format text -o "$T/text/$run"
done
check "import of all" "$ROXI" import "$T/again" "$T/text/run0001" "$T/text/run0002" "$T/text/run0003"
strategies='levenshtein favor-end favor-end-squared favor-begin favor-begin-squared
    call-stack-1 call-stack-2 call-stack-3 gap frame-count stack-count'
[ "$B" = build ] || strategies='levenshtein gap stack-count' # instrumented: what differs is the layout
for strategy in $strategies; do
    "$ROXI" matrix "$camp" --strategy $strategy -o "$T/a.csv" &&
        "$ROXI" matrix "$T/again" --strategy $strategy -o "$T/b.csv"
    check "$strategy: the same matrix" cmp "$T/a.csv" "$T/b.csv"
done
same "the matrix names the executions" execution,run0001,run0002,run0003 \
    "$("$ROXI" matrix "$camp" --strategy gap | head -n 1)"
same "cluster lists each execution" "run0001 run0002 run0003" \
    "$("$ROXI" cluster "$camp" --strategy gap --linkage average --scaling none --clusters 2 |
        cut -f 1 | xargs)"
same "rank lists each execution" "run0001 run0002 run0003" \
    "$("$ROXI" rank "$camp" | cut -f 1 | sort | xargs)"

# A log that was cut within a record is read up to there, with a warning.
log=$(ls "$camp"/runs/run0002/Client_B-*.ixl)
truncate -s $(($(stat -c %s "$log") * 2 / 3)) "$log"
"$ROXI" dump --summary "$log" 2>&1 | grep -q 'ends in the middle' || truncate -s -1 "$log" # it was between two
"$ROXI" rank "$camp" >"$T/rank" 2>"$T/err"
same "rank with a torn log succeeds" 0 $?
same "it still lists each execution" 3 "$(wc -l <"$T/rank")"
has "and says where the log is torn" "Client_B-.*ixl" "$T/err"

# One that was cut between two records looks whole, but ends before what its JVM has reported.
truncate -s "$("$ROXI" dump --summary "$log" 2>&1 | sed -n 's/.* at byte \([0-9]*\) of .*/\1/p' | head -n 1)" "$log"
"$ROXI" dump "$log" >"$T/cut" 2>"$T/err"
same "a log that is cut between two records looks whole" "0 " "$? $(cat "$T/err")"
last=$(sed -n 's/^packet \([0-9]*\):.*/\1/p' "$T/cut" | tail -n 1)
pid=${log##*-} pid=${pid%.ixl}
reported=$(sql "select max(packet) from snapshot join vm on vm.id = vm where pid = $pid")
for command in rank report waits export merge; do
    case $command in
    rank) "$ROXI" rank "$camp" ;;
    report) "$ROXI" report "$camp" --format text ;;
    waits) "$ROXI" waits "$camp" run0002 --json ;;
    export) "$ROXI" export "$camp" --format collapsed ;;
    merge) "$ROXI" merge "$camp" -o "$T/merged" ;;
    esac >"$T/result" 2>"$T/err"
    same "$command succeeds with it" 0 $?
    same "and says once where it ends" 1 "$(grep -Fc "${log##*/}' ends with packet $last, but its JVM has \
reported packets up to $reported: the end of the log is missing" "$T/err")"
    [ $command != report ] || has "the report counts it" 'In 1 run a JVM did not end in an orderly way, or its log is not' \
        <(xargs <"$T/result")
done
rm "$log"
"$ROXI" rank "$camp" >"$T/rank" 2>"$T/err"
same "rank with a lost log succeeds" 0 $?
has "and says which JVM is left out" "Client B" "$T/err"
