# SPDX-License-Identifier: Apache-2.0
# no JVM
# long
# Another program locks the catalogue longer than any timeout: ixor run and ixor serve continue to
# take packets, new JVMs can join, and all data is there at the end, or they report what is missing.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so # an instrumented one does not load into a JVM that is not
SIMULATE=$PWD/build/helpers/simulate
camp=$T/camp

# hold FILE: locks the catalogue until FILE is there
hold() {
    sqlite3 -batch -cmd '.timeout 5000' "$camp/campaign.db" 'begin immediate' \
        ".shell touch '$1.held'; until [ -e '$1' ]; do sleep 0.05; done" 'rollback'
}
reported() { sed -n 's/^reported //p' "$@" | awk '{ n += $1 } END { print n }'; }

# ixor run of two JVMs at a time, for three seconds and until it is said that the catalogue is locked by
# somebody else
cat >"$T/command.sh" <<END
sample() { # sample SECONDS FIRST
    "$SIMULATE" --server "\$IXOR_SERVER" --key "$camp/agent.key" --sessions 2 --seconds \$1 --first \$2 \
        >>"$T/sessions" 2>&1 || exit
}
sample 3 \$((first = 1))
until [ -e "$T/locked" ]; do sample 1 \$((first += 2)); done
echo "own work" >"$T/work"
END
run_locked() { # run_locked FILE OPTION...: as `hold`
    local file=$1
    shift
    rm -f "$T/sessions" "$T/work" "$T/locked"
    : >"$T/out"
    "$IXOR" run --agent "$AGENT" --out "$camp" --every 20ms "$@" -- sh "$T/command.sh" \
        >"$T/out" 2>"$T/err" &
    run=$!
    wait_for 20 grep -q join_ms "$T/sessions"
    hold "$file" &
    check "locked: it is said" wait_for 60 grep -q 'waits in memory' "$T/err"
    touch "$T/locked"
}

run_locked "$T/soon"
touch "$T/soon"
wait $run
same "locked for a while: ixor run succeeds" 0 $?
same "one line when it begins" 1 "$(grep -c "campaign.db': .*waits in memory (up to 128 MiB)" "$T/err")"
same "one when it is over" 1 "$(grep -c "campaign.db': written again after .*; nothing is missing" "$T/err")"
check "packets went on" test "$(reported "$T/sessions")" -gt 100
same "all that was reported is there" "$(reported "$T/sessions")" \
    "$(sql 'select count(*) from snapshot')"
same "the run as well" "passed|exit|0" "$(sql 'select verdict, verdict_by, exit_status from execution')"

# Until after the end: the command is not ended, and no success is reported.
run_locked "$T/never" --runs 2
wait $run
same "locked to the end: no success" 1 $?
has "the command has done its work" '^own work$' "$T/work"
touch "$T/never"
has "a last try is announced" 'trying for another 5 s' "$T/err"
has "what is missing" "^ixor run: run0002: [0-9]+ snapshots, [0-9]+ packets.* missing in the catalogue: .*locked" \
    "$T/err"
same "there is no third run" 0 "$(sql "select count(*) from execution where name = 'run0003'")"

# A server: newcomers get in meanwhile, also of executions that it did not know.
camp=$T/served
: >"$T/out"
"$IXOR" serve --agent "$AGENT" --out "$camp" --listen 127.0.0.1:0 --every 20ms >"$T/out" 2>"$T/err" &
server=$!
check "it serves" wait_for 20 grep -q 'with key=' "$T/out"
address=$(sed -n 's/^listening on //p' "$T/out")
hold "$T/open" &
check "its catalogue is locked" wait_for 20 test -e "$T/open.held"
join() { # join EXECUTION PID
    "$SIMULATE" --server "$address" --key "$camp/agent.key" --sessions 1 --seconds 2 --first "$2" \
        --execution "$1" >"$T/sessions.$2" 2>&1
}
join new 1 &
join newer 2 &
check "it says so" wait_for 20 grep -q 'waits in memory' "$T/err"
join serve0001 3
check "newcomers have got in" wait_for 20 eval '[ "$(cat "$T"/sessions.? | grep -c "^reported")" = 3 ]'
for i in 1 2 3; do
    check "JVM $i takes packets ($(reported "$T/sessions.$i"))" test "$(reported "$T/sessions.$i")" -gt 50
done
touch "$T/open"
check "it is over" wait_for 20 grep -q 'nothing is missing' "$T/err"
kill -TERM $server
wait $server
same "it ends well" 0 $?
same "executions" "new newer serve0001" "$(sql 'select name from execution where end_ns > 0 order by name' | xargs)"
same "all is there" "$(reported "$T"/sessions.?)" "$(sql 'select count(*) from snapshot')"
same "the catalogue is whole" ok "$(sql 'pragma integrity_check')"
