# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# Disturbed runs: what is recorded, and that nothing stays behind, however they end. --until, and the
# failure rates.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so

camp=$T/camp
run() { "$IXOR" run --agent "$AGENT" --out "$camp" "$@" 2>"$T/err"; }
pauses() { sql "select count(*) from mark where text like 'paused %'"; }
paused() { [ "$(pauses)" -ge "$1" ]; }
# The JVMs of the test; whether one is stopped by a signal, and whether it goes on from that.
pids() { pgrep -f "^$JAVA .*$T/[n]ever"; }
stopped() { [ "$(ps -o stat= -p "$1" | cut -c 1)" = T ]; }
goes_on() { ! stopped "$1"; }
any_stopped() { for jvm in $(pids); do ! stopped "$jvm" || return 0; done; return 1; }
# hogs IXOR: busy processes that its keeper started
hogs() { pgrep -P "$(pgrep -P "$1" -x ixor-keeper)" -x ixor-hog; }
hogs_gone() { ! ps -o pid= -p "$(tr '\n' ',' <"$T/hogs" | sed 's/,$//')"; }
two="'$JAVA' -cp '$JAVA_CLASSES' Until 100000 '$T/never' & '$JAVA' -cp '$JAVA_CLASSES' Until 100000 \
'$T/never' & wait"
start() {
    "$IXOR" run --agent "$AGENT" --out "$camp" "$@" >"$T/out" 2>"$T/err" &
    ixor=$!
}

# Undisturbed and disturbed runs in turn. A disturbed one ends when there were three pauses.
cat >"$T/system.sh" <<END
. tests/support/lib.sh
. tests/support/server_lib.bash
camp=\$1
"$JAVA" -cp "$JAVA_CLASSES" Until 100000 "$T/never" &
jvm=\$!
enough() { [ "\$(sql "select count(*) from mark where text like 'paused %' and
    execution = \$IXOR_RUN")" -ge 3 ]; }
taken() { [ "\$(sql "select count(*) from vm join snapshot on vm = vm.id
    where execution = \$IXOR_RUN")" -ge 3 ]; }
wait_for 30 taken || exit 9
[ -z "\$(sql "select disturbed from execution where id = \$IXOR_RUN")" ] || wait_for 30 enough || exit 8
ps -o comm= --ppid \$PPID | grep -c ixor-hog >"\$IXOR_RUN_DIR/hogs"
kill \$jvm
wait \$jvm
exit \$((IXOR_RUN == 4))
END
run --runs 4 --every 20ms --disturb pause,hogs=2 --disturb-every 2 --seed 7 -- \
    bash "$T/system.sh" "$camp" >"$T/out"
same "disturbed and undisturbed runs in turn" 0 $?
same "which run was disturbed how, and how it ended" \
    "run0001||0 run0002|hogs=2,pause|0 run0003||0 run0004|hogs=2,pause|1" \
    "$(sql 'select name, disturbed, exit_status from execution' | xargs)"
same "busy processes beside disturbed ones only" "0 2 0 2" "$(cat "$camp"/runs/*/hogs | xargs)"
same "pauses are marks of disturbed runs" "2 4" \
    "$(sql "select distinct execution from mark where text like 'paused %'" | xargs)"
same "as are the seeds that repeat them" \
    "2|--disturb hogs=2,pause --seed 8 4|--disturb hogs=2,pause --seed 10" \
    "$(sql "select execution, text from mark where text like '%--seed%'" | xargs)"
same "each says whom and for how long" 0 "$(sql "select count(*) from mark
    where text like 'paused %' and text not glob 'paused Until (process [0-9]*) for [0-9.]*ms'")"
has "the lines say so" '^ixor: run 4/4: run0004 failed .*, disturbed$' "$T/err"
has "the summary: the rate of undisturbed runs" \
    '^  failure rate   0.0 % \(0 of 2; 95 % Clopper-Pearson interval: 0.0 to 84.2 %\)' "$T/out"
has "and of the others" '^  failure rate   50.0 % \(1 of 2; .* 1.3 to 98.7 %\)$' "$T/out"
"$IXOR" status "$camp" >"$T/status"
has "ixor status: rates" '^  failure rate   50.0 % \(1 of 2; ' "$T/status"
has "it counts the pauses" '^[0-9]+ pauses of JVMs; --json lists them$' "$T/status"
same "as JSON" 'null 0 2 hogs=2,pause 1 2' "$("$IXOR" status --json "$camp" |
    jq -r '.failure_rates[] | .disturbed, .failed, .judged' | xargs)"
check "no JVM is left" none_left

# The same seed, the same pauses: a run repeated by its own seed.
lengths() { sql "select text from mark where execution = $1 and text like 'paused %' order by id
    limit 3" | sed 's/.* for //' | xargs; }
camp=$T/again
run --disturb hogs=2,pause --seed 8 --every 20ms -- bash "$T/system.sh" "$camp" >"$T/out"
again=$(lengths 1) camp=$T/camp
same "a run's seed repeats its pauses" "$(lengths 2)" "$again"

# However ixor ends while JVMs are paused and processes hog: nothing is left, nothing is stopped.
camp=$T/ends
for sig in INT TERM KILL; do
    start --disturb pause,hogs=2 --timeout 100s -- bash -c "$two"
    before=$(pauses)
    check "$sig: JVMs are paused" wait_for 30 paused $((${before:-0} + 3))
    hogs $ixor >"$T/hogs"
    same "$sig: two processes hog" 2 "$(wc -l <"$T/hogs")"
    kill -$sig $ixor
    wait $ixor 2>/dev/null
    check "$sig: no JVM is left" wait_for 20 none_left
    check "$sig: no hog is left" wait_for 20 hogs_gone
done
start --disturb pause --timeout 2s -- bash -c "$two"
wait $ixor
same "a run that times out" "failed|timeout|pause" \
    "$(sql 'select verdict, verdict_by, disturbed from execution order by id desc limit 1')"
check "time-out: no JVM is left" none_left

# ixor itself is stopped, as by Ctrl-Z: the JVM that it has paused goes on.
start --disturb pause -- bash -c "$two"
before=$(pauses)
check "stopped ixor: JVMs were paused" wait_for 30 paused $((before + 3))
kill -STOP $ixor
same "stopped ixor: there are two JVMs" 2 "$(pids | wc -l)"
for jvm in $(pids); do
    check "stopped ixor: JVM $jvm goes on" wait_for 10 goes_on "$jvm"
done
kill -CONT $ixor
kill -INT $ixor
wait $ixor

# The keeper is killed while a JVM is stopped, and ixor lets it go on. In sessions of their own, the
# kernel does not do that.
start --disturb pause -- bash -c "${two//"'$JAVA'"/"setsid '$JAVA'"}"
# A pause can end before the keeper is stopped; then it is the next one's turn.
caught() {
    keeper=$(pgrep -P $ixor -x ixor-keeper)
    any_stopped && kill -STOP "$keeper" && any_stopped && return
    kill -CONT "$keeper"
    return 1
}
check "killed keeper: a JVM is stopped, and the keeper, too" wait_for 60 caught
kill -9 "$(pgrep -P $ixor -x ixor-keeper)"
wait $ixor
same "killed keeper: there are two JVMs" 2 "$(pids | wc -l)"
for jvm in $(pids); do
    check "killed keeper: JVM $jvm goes on" wait_for 10 goes_on "$jvm"
    kill -9 "$jvm"
done

# --until; the campaign before and after a change.
camp=$T/until
fails() { echo "'$JAVA' -cp '$JAVA_CLASSES' Until 200+; exit $1"; }
run --until 2-failed --every 20ms -- sh -c "$(fails '$((IXOR_RUN % 2))')" >"$T/out"
same "until two have failed" "failed passed failed" "$(sql 'select verdict from execution' | xargs)"
has "runs are not numbered against a limit" '^ixor: run 3: run0003 failed' "$T/err"
run --until failed --runs 2 --every 20ms -- sh -c "$(fails 0)" >"$T/out"
same "--runs is the limit" 5 "$(sql 'select count(*) from execution')"
has "and shown" '^ixor: run 2/2: ' "$T/err"
run --until 1ms --every 20ms -- sh -c "$(fails 0)" >"$T/out"
same "a time: the run that began before goes on" 6 "$(sql 'select count(*) from execution')"
"$IXOR" status "$T/until" "$T/camp" >"$T/status"
has "two campaigns: both rates" "'$T/until': 33.3 % \(2 of 6; " "$T/status"
has "and what the difference means" 'failed less often, which can be chance' "$T/status"
same "as JSON" '2 undisturbed 100' "$("$IXOR" status --json "$T/until" "$T/camp" |
    jq -r '(.campaigns | length), (.compared[] | .disturbed // "undisturbed", (.chance * 100 | round))' |
    xargs)"

# roxi compares like with like.
"$ROXI" rank "$T/camp" >"$T/out" 2>"$T/err"
has "roxi warns of runs disturbed in different ways" "'roxi rank --disturbed none'" "$T/err"
"$ROXI" rank --disturbed hogs=2,pause "$T/camp" >"$T/out" 2>"$T/err"
same "roxi rank --disturbed" "run0002 run0004" "$(cut -f 1 "$T/out" | sort | xargs)"
"$ROXI" rank --disturbed stop "$T/camp" >"$T/out" 2>"$T/err"
has "one that there is not" "there are 'none' and 'hogs=2,pause'" "$T/err"

# Refused before the first run.
refused() {
    local pattern=$1
    shift
    "$IXOR" run --agent "$AGENT" --out "$T/none" "$@" -- true >"$T/out" 2>"$T/err"
    same "refused: $*" "$?" "$status"
    has "it says why" "$pattern" "$T/err"
    check "and leaves nothing" test ! -e "$T/none"
}
status=2
refused 'none of cpu=N%, hogs=N and pause' --disturb stop
refused 'as in cpu=25%' --disturb cpu=25
refused 'give --disturb, too' --disturb-every 2
refused 'expected failed, N-failed' --until 3
"$IXOR" status --execution run0001 "$T/camp" "$T/until" >"$T/out" 2>"$T/err"
same "--execution of two campaigns" 2 $?

# Less processor: where a control group can be made, COMMAND is in it, and it goes with the run.
camp=$T/cpu
group='sed -n "s/^0:://p" /proc/self/cgroup'
if run --agent "$AGENT" --disturb cpu=25% -- sh -c "$group; $(fails 0)"; then
    has "COMMAND is in a control group" '/ixor-[0-9]+$' "$camp/runs/run0001/output.txt"
    same "which is gone" "" "$(find /sys/fs/cgroup -name 'ixor-*' 2>/dev/null)"
else
    skip "cpu=25% in a run: $(cat "$T/err")"
    status=1
    refused 'use hogs=N or pause, which need none' --disturb cpu=25%
fi
