# SPDX-License-Identifier: Apache-2.0
# beside others
# ixor run with several JVMs in each run: what is recorded, what the command gets, what remains.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so # an instrumented one does not load into a JVM that is not

camp=$T/camp
run() { "$IXOR" run --agent "$AGENT" --out "$camp" "$@" 2>"$T/err"; }

# Three JVMs with a role each; they go on until enough packets have been taken by all, however slow the
# machine is. One outlives its script in a session of its own.
cat >"$T/system.sh" <<END
. tests/support/lib.sh
. tests/support/server_lib.bash
env >"\$IXOR_RUN_DIR/environment"
echo "run \$IXOR_RUN of \$IXOR_EXECUTION"; echo "to stderr" >&2
IXOR_ROLE=Alpha "$JAVA" -cp "$JAVA_CLASSES" Until 100000 &
alpha=\$!
"$JAVA" -Dixor.role=Beta -cp "$JAVA_CLASSES" Until 100000 &
beta=\$!
setsid "$JAVA" -cp "$JAVA_CLASSES" Until 100000 "$T/never" </dev/null &
enough() {
    [ "\$(sqlite3 -batch -cmd '.timeout 5000' "$camp/campaign.db" "select count(*) from (select 1
        from snapshot join vm on vm = vm.id where execution = \$IXOR_RUN
        group by packet having count(*) = 3)")" -ge 10 ]
}
wait_for 30 enough
kill \$alpha \$beta
wait \$alpha \$beta
exit 0
END
JAVA_TOOL_OPTIONS='-Dkept=yes -Xmx64m' run --runs 2 --every 20ms -- bash "$T/system.sh" >"$T/out"
same "two runs succeed" 0 $?
same "executions" "run0001|passed|exit|0 run0002|passed|exit|0" \
    "$(sql 'select name, verdict, verdict_by, exit_status from execution' | xargs)"
same "roles: environment, property, main class" "1|Alpha 1|Beta 1|Until 2|Alpha 2|Beta 2|Until" \
    "$(sql 'select execution, role from vm order by 1, 2' | xargs)"
same "all ended in order, the left-over ones too" orderly "$(sql 'select distinct ended from vm')"
same "packets are sent to all" 3 "$(sql 'select max(vms) from packet')"
same "a packet number belongs to one execution" 0 "$(sql \
    'select count(*) from (select 1 from packet group by number having count(*) > 1)')"
for run in 1 2; do
    common=$(sql "select count(*) from (select 1 from snapshot join vm on vm = vm.id
        where execution = $run group by packet having count(*) = 3)")
    check "run $run: packets taken by all three JVMs ($common)" test "$common" -ge 10
    same "run $run: nothing was taken that was not sent" 0 "$(sql "select count(*) from snapshot
        join vm on vm = vm.id where execution = $run and packet not in
        (select number from packet where execution = $run)")"
    same "run $run: a request a packet and VM" \
        "$(sql "select sum(vms) from packet where execution = $run")" \
        "$(sql "select sum(requests) from vm where execution = $run")"
    has "run $run: output is kept" "^run $run of run000$run\$" "$camp/runs/run000$run/output.txt"
    has "run $run: errors too" '^to stderr$' "$camp/runs/run000$run/output.txt"
    has "run $run: older tool options come first" \
        '^JAVA_TOOL_OPTIONS=-Dkept=yes -Xmx64m -agentpath:' "$camp/runs/run000$run/environment"
    same "run $run: and work" 3 "$(grep -c '^ready yes$' "$camp/runs/run000$run/output.txt")"
    has "run $run: the server's address" '^IXOR_SERVER=127.0.0.1:[0-9]+$' \
        "$camp/runs/run000$run/environment"
    has "run $run: the directory" "^IXOR_RUN_DIR=$camp/runs/run000$run\$" \
        "$camp/runs/run000$run/environment"
done
(cd "$camp" && sql 'select log from vm' | xargs ls) >"$T/logs" 2>&1
same "logs are where the catalogue says" 6 "$(grep -c '^runs/run000[12]/.*ixl$' "$T/logs")"
check "no JVM is left" none_left
same "a line a run" 2 "$(grep -c '^ixor: run [12]/2: run000[12] passed after .* 3 JVMs' "$T/err")"
has "the summary counts" '^  JVMs +6$' "$T/out"
has "and says what to type; two runs are too few to rank" "^  roxi report $camp\$" "$T/out"
check "one JVM a run: what to type then" bash -c '"$1" run --agent "$2" --out "$3" -- "$4" -cp "$5" \
    Until 1000+ 2>/dev/null | grep -q "^  roxi report $3\$"' - "$IXOR" "$AGENT" "$T/single" "$JAVA" \
    "$JAVA_CLASSES"

# A second call goes on where the first one ended; the system fails.
run --json -- sh -c "'$JAVA' -cp '$JAVA_CLASSES' Until 1000+; exit 3" >"$T/json"
same "a failing command is no failure of ixor" 0 $?
same "it is the third execution" "run0003|failed|exit|3" \
    "$(sql 'select name, verdict, verdict_by, exit_status from execution where id = 3')"
same "JSON summary" '1 0 1 run0003 failed 3 1' \
    "$(jq -r '.runs, .passed, .failed, (.executions[0] | .name, .verdict, .exit_status, .vms)' \
        "$T/json" | xargs)"
check "its figures add up" jq -e '.figures | .requests == .taken + .lost and .taken > 0' "$T/json"
check "numbers go on" test "$(sql 'select min(number) from packet where execution = 3')" -gt \
    "$(sql 'select max(number) from packet where execution = 2')"

# A signal, a time-out, output shown.
run --show-output -- sh -c "'$JAVA' -cp '$JAVA_CLASSES' Until 300+; kill -SEGV \$\$" >"$T/out"
same "a signal fails the run" "failed|exit||11" \
    "$(sql 'select verdict, verdict_by, exit_status, exit_signal from execution where id = 4')"
has "output is shown" '^ready' "$T/out"
check "and not kept" test ! -e "$camp/runs/run0004/output.txt"
begin=$SECONDS
run --timeout 4s -- sh -c "{ echo stand; exec sleep 1000; } |
    '$JAVA' -Dnever='$T/never' -cp '$JAVA_CLASSES' Locks" >"$T/out"
same "a run that times out has failed" "failed|timeout" \
    "$(sql 'select verdict, verdict_by from execution where id = 5')"
has "the summary counts the runs before" "^$camp: 1 run, 0 passed, 1 failed; 5 in the campaign\$" "$T/out"
has "and says how to rank them" "^  roxi rank $camp\$" "$T/out"
check "with too few that passed, failed ones have nothing to be compared with" bash -c '! grep -q -- --failed "$1"' - "$T/out"
has "and what shows who waited" "^  roxi waits $camp run0005\$" "$T/out"
check "soon" test $((SECONDS - begin)) -le 10
same "before that came a burst of packets, with a mark" "10 1" "$(sql "select count(*),
    (select count(*) from mark where execution = 5 and text like 'timed out: a burst%')
    from packet where execution = 5 and asked = 'burst'" | tr '|' ' ')"
check "which the JVM took" test "$(sql "select count(*) from snapshot join packet on packet = number
    where packet.execution = 5 and asked = 'burst'")" -ge 1
"$ROXI" dump "$camp/$(sql 'select log from vm where execution = 5')" --packet "$(sql "select max(number) from
    snapshot join packet on packet = number where packet.execution = 5 and asked = 'burst'")" >"$T/burst"
has "with the owners of locks" '"left" is blocked on .*, which is owned by "right"$' "$T/burst"
check "its JVM is ended" none_left
has "the summary names the output" "run0005 failed \(timed out\): $camp/runs/run0005/output.txt" \
    "$T/out"

# Three runs that pass, and one that fails: what failed ones have in common comes first.
"$IXOR" run --runs 4 --agent "$AGENT" --out "$T/mixed" -- sh -c "'$JAVA' -cp '$JAVA_CLASSES' Until 300+
    [ \$IXOR_EXECUTION != run0002 ]" >"$T/out" 2>"$T/err"
same "what to type if runs failed and enough passed" "roxi explain $T/mixed --failed roxi rank $T/mixed" \
    "$(sed -n '/^Next:/,$p' "$T/out" | sed -n 2,3p | xargs)"
check "which works" "$ROXI" explain "$T/mixed" --failed

# The command labels its run itself.
"$IXOR" run --json --agent "$AGENT" --out "$T/self" -- sh -c "'$IXOR' label '$T/self' \
    \$IXOR_EXECUTION failed; '$JAVA' -cp '$JAVA_CLASSES' Until 300+" >"$T/json" 2>"$T/err"
same "a verdict that the user gives meanwhile stays" "failed|user|0" "$(sqlite3 -batch \
    "$T/self/campaign.db" 'select verdict, verdict_by, exit_status from execution')"
has "the run's line says it" ' run0001 failed after' "$T/err"
same "the summary, too" "0 1" "$(jq -r '.passed, .failed' "$T/json" | xargs)"

# A directory with blanks and commas, a relative one, an agent path with a blank.
mkdir "$T/a b" && cp "$AGENT" "$T/a b/"
(cd "$T" && "$IXOR" run --agent "a b/libixor.so" --out "c d, e" -- \
    "$JAVA" -cp "$JAVA_CLASSES" Until 400+) >"$T/out" 2>"$T/err"
same "odd paths succeed" 0 $?
has "what to type is quoted" "^  roxi report 'c d, e'\$" "$T/out"
same "and are recorded" "orderly|runs/run0001" \
    "$(sqlite3 "$T/c d, e/campaign.db" 'select ended, substr(log, 1, 12) from vm')"

# Reading and labelling.
"$IXOR" status "$camp" >"$T/status"
has "with the skew of all" '^  skew +p50 .*, p99 .*, max .* \(\+-0ns at most\)$' "$T/status"
has "late stops, and the lead" '^  late +[0-9]+ stops \(.*%\), more than 200us after their time; lead [0-9.]+' "$T/status"
has "a line of headings" '^RUN +VERDICT +JVMS PACKETS ' "$T/status"
sed -i '/^  /d' "$T/status"
same "status lists them" "run0001 passed 3 run0002 passed 3 run0003 failed 1 run0004 failed 1 \
run0005 failed 1 RUN PACKET MARK run0005 timed out:" "$(tail -n +2 "$T/status" |
    awk '{print $1, $2, $3} /timed out/ {print $3, $4}' | sed 's/^run0005 [0-9]* timed$/run0005/' | xargs)"
same "in 80 columns" "" "$(grep -E '^.{81}' "$T/status")"
"$IXOR" status --execution run0001 "$camp" >"$T/status"
same "status lists the VMs" "Alpha Beta Until" \
    "$(grep -oE '^(Alpha|Beta|Until)' "$T/status" | xargs)"
same "in 80 columns, too" "" "$(grep -E '^.{81}' "$T/status")"
"$IXOR" status --json "$camp" >"$T/json"
same "status in JSON" 5 "$(jq '.executions | length' "$T/json")"
same "taken, as the catalogue has it" "$(sql "select count(*) from snapshot join vm on vm = vm.id
    where execution = 1 and role = 'Alpha'")" "$("$IXOR" status --json --execution run0001 "$camp" |
    jq '.virtual_machines[] | select(.role == "Alpha") | .taken')"
# What the server stored while it ran is what the snapshots say.
spreads="(select packet, max(begin_mono_ns) - min(begin_mono_ns) as spread, count(*) as n from snapshot
    join vm on vm = vm.id where execution = 1 group by packet)"
same "skew, packet by packet" 0 "$(sql "select count(*) from packet join $spreads on packet = number
    where execution = 1 and (taken is not n or (n > 1 and skew_ns is not spread))")"
check "of most of them, known exactly" test 10 -le "$(sql 'select count(*) from packet
    where execution = 1 and skew_ns is not null and skew_error_ns = 0')"
same "greatest skew, as the catalogue has it" \
    "$(sql 'select max(skew_ns) from packet where execution = 1')" \
    "$(jq '.executions[0].skew_max_ns' "$T/json")"
same "late stops, too" "$(sql 'select sum(late) from vm where execution = 1')" \
    "$(jq '.executions[0].late' "$T/json")"
same "these JVMs have the server's clock" "0|0|0" \
    "$(sql 'select distinct clock_offset_ns, clock_error_ns, clock_drift_ppb from vm where execution = 1')"
check "label" "$IXOR" label "$camp" run0001 failed
same "is recorded" "failed|user" "$(sql 'select verdict, verdict_by from execution where id = 1')"
check "no verdict" "$IXOR" label "$camp" run0001 unknown
same "is nobody's" "unknown|" "$(sql 'select verdict, verdict_by from execution where id = 1')"
same "the catalogue is whole" "ok" "$(sql 'pragma integrity_check; pragma foreign_key_check')"

# Names come from JVMs, which others write.
sql "update vm set role = 'a' || char(0x9b) || '31mb' || char(0x202e) || 'c' where id = 1"
sql "update execution set name = 'x' || char(0x9b) where id = 1"
check "no name steers a terminal" bash -c '{ "$1" status "$2"; "$1" status --execution "$3" "$2"
    } >"$4" 2>&1; ! LC_ALL=C grep -qP "\xc2[\x80-\x9f]|\xe2\x80\xae" "$4" && grep -q "^a?31mb?c" "$4"' - \
    "$IXOR" "$camp" $'x\xc2\x9b' "$T/status"
