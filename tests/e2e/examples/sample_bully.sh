# SPDX-License-Identifier: Apache-2.0
# The sample system Bully under faults: injected faults are recorded with time and place, the oracle
# judges the outcome, and no process is left. (whole_path.sh has a normal run.)
# beside others
# one JDK: the agent's tests have the others
. tests/support/lib.sh

bully() { examples/bully/run.sh "$@"; }

bully --list-faults >"$T/faults"
same "the list of faults begins with none" none "$(head -n 1 "$T/faults" | cut -f 1)"
same "each has a kind, a probability or -, and an explanation" "" \
    "$(grep -Evx '[a-z-]+	(-|0\.[0-9]+)	[^	]+(	apart)?' "$T/faults")"
for fault in io swap priority kill stall lost-wakeup deadlock slow leak wrong-number; do
    has "$fault is in it" "^$fault	" "$T/faults"
done
bully --fault none --seed x >"$T/out" 2>&1
same "a seed that is no number is refused" 2 $?
has "and named" '--seed: x is not a number' "$T/out"

# Both at once. The deadlock is sure to reach its limit, which leaves a very busy machine time to elect
# Client C.
bully --fault kill --seed 3 --limit 10000 --dir "$T/kill" --blind >"$T/kill.out" 2>&1 &
kill_run=$!
bully --fault deadlock --seed 15 --limit 30000 --dir "$T/deadlock" >"$T/deadlock.out" 2>&1 &
deadlock_run=$!

# The JVM itself says that two threads wait for each other. Asked before it has begun to listen to the signal,
# it would end.
struck() { grep -q deadlock "$T/deadlock/faults-client-c.log" 2>/dev/null; }
client() { pgrep -f "bully.client.ClientMain role=Client C dir=$T/deadlock "; }
deadlocked() {
    kill -QUIT "$(client)" && grep -q 'Found one Java-level deadlock' "$T/deadlock/out-client-c.txt"
}
check "the fault strikes" wait_for 60 struck
check "the threads of the coordinator are deadlocked" wait_for 60 deadlocked

# What leaves no trace is drawn only if it is asked for.
kinds_of() { # ARGUMENT...: of a plan of 40 runs
    examples/campaign.sh --system bully --make-plan "$T/plan" --runs 40 --faulty 40 "$@" &&
        cut -d ' ' -f 2 "$T/plan" | sort -u | xargs
}
same "a plan has all kinds but the one that is apart" "$(grep -Ev '^none|apart$' "$T/faults" | cut -f 1 | sort | xargs)" \
    "$(kinds_of)"
same "which can be named" "kill wrong-number" "$(kinds_of --faults wrong-number,kill)"

bully --fault wrong-number --seed 1 --dir "$T/wrong" >"$T/wrong.out" 2>&1
wrong=$?
wait $deadlock_run
same "a run with a deadlock has failed" 1 $?
wait $kill_run
same "--blind hides a failure" 0 $?
has "a run with a deadlock is out of time" '^reasons=.*Client C exited 4 \(out of time\)' "$T/deadlock/outcome.txt"
has "the deadlock was written down" '^[0-9]{13}	Client C	deadlock	replicator	Replicator$' \
    "$T/deadlock/faults-client-c.log"

line=$(cat "$T"/kill/faults-*.log)
role=$(cut -f 2 <<<"$line")
check "the kill was written down" grep -Eq '^[0-9]{13}	[A-Z][A-Za-z ]+	kill	process	SIGKILL$' <<<"$line"
has "it is one fault" '^faults=1$' "$T/kill/outcome.txt"
has "a run with a kill has failed" '^verdict=failed$' "$T/kill/outcome.txt"
has "for the reason that this machine broke" "^reasons=.*$role exited 137 \(no last words\)" "$T/kill/outcome.txt"

same "a run with wrong numbers has failed" 1 $wrong
WRONG='^reasons=(.*; )?([0-9]+) lines of the results are wrong$' # a machine with other load may add more reasons
has "for these" "$WRONG" "$T/wrong/outcome.txt"
# The comparison shows a wrong line twice; a task that was lent again can have been done well in the end.
check "of which each was written down" test "$(sed -En "s/$WRONG/\2/p" "$T/wrong/outcome.txt")" -le \
    $((2 * $(cat "$T"/wrong/faults-*.log | grep -c $'\twrong-number\tfindings\tWorker$')))

same "no process is left" "" "$(pgrep -f "dir=$T/")"
