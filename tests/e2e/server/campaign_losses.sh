# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK
# long
# Losses during a campaign: its directory, its catalogue, logs, disk space. Each is reported, and
# none of them ends with status 0.
# also asan
. tests/support/lib.sh
AGENT=$PWD/build/libixor.so

camp=$T/camp
export camp
jvm="'$JAVA' -cp '$JAVA_CLASSES' Until"
run() { "$IXOR" run --agent "$AGENT" --out "$camp" --every 20ms "$@" >"$T/out" 2>"$T/err"; }
# said WHAT STATUS PATTERN: nonzero, one line that matches, and nothing that sounds like success
said() {
    same "$1: exit status" 1 "$2"
    same "$1: one line" 1 "$(grep -cE "$3" "$T/err")"
    check "$1: no summary" bash -c '! grep -q Next: "$1"' - "$T/out"
}

run --runs 2 -- sh -c "$jvm 500; rm -rf \"\$camp\"; touch '$T/went-on'; $jvm 1200; touch '$T/end'"
said "removed" $? "'$camp' (is gone .*removed|was replaced)"
check "removed: COMMAND was left to its work" test -e "$T/end"
same "removed: there is no second run" 0 "$(grep -c 'run 2/2' "$T/err")"
rm -rf "$camp" # a log of the second JVM has made it anew

# ixor is stopped meanwhile, so that it does not see that nothing is there.
run -- sh -c "$jvm 500; cp -r \"\$camp\" '$T/copy'; ixor=\$(cut -d ' ' -f 4 /proc/\$PPID/stat)
    cat /proc/\$ixor/comm >'$T/stopped'; kill -STOP \$ixor
    rm -rf \"\$camp\"; mv '$T/copy' \"\$camp\"; kill -CONT \$ixor"
said "replaced" $? "'$camp' was replaced"
same "replaced: meanwhile ixor was stopped" ixor "$(cat "$T/stopped")"
rm -rf "$camp"
run -- sh -c "$jvm 500; rm \"\$camp\"/campaign.db"
said "the catalogue removed" $? "'$camp/campaign.db' is gone"
rm -rf "$camp"
run -- sh -c "$jvm 500; rm \"\$camp\"/campaign.db-wal"
said "what SQLite has not put into it yet removed" $? "'$camp/campaign.db-wal' is gone"
rm -rf "$camp"

# Logs: the rest of the campaign is good.
run --runs 2 -- sh -c "$jvm 500; [ \$IXOR_RUN = 2 ] || rm -r \"\$IXOR_RUN_DIR\""
same "logs removed: exit status" 1 $?
has "logs removed: it is said" '^ixor: run0001: 1 of 1 trace logs are gone or empty, and with them [0-9]+ snapshots: /' "$T/err"
has "logs removed: and at the end" '^ixor run: data is missing: 1 trace log gone or empty, 0 JVMs' "$T/err"
has "logs removed: the second run is good" '^ixor: run 2/2: run0002 passed' "$T/err"
run -- sh -c "$jvm 500; for log in \"\$IXOR_RUN_DIR\"/*.ixl; do : >\"\$log\"; done"
same "a log emptied: exit status" 1 $?
has "a log emptied: it is said" ': 1 of 1 trace logs are gone or empty' "$T/err"
run -- sh -c "ulimit -f 8; '$JAVA' -XX:-UsePerfData -cp '$JAVA_CLASSES' Churn 1500; exit 0"
same "no room for a log: exit status" 1 $?
has "no room for a log: it is said" 'run0004: 1 of 1 JVMs stopped logging' "$T/err"
has "no room for a log: and at the end" 'data is missing: 0 trace logs gone or empty, 1 JVM stopped logging' "$T/err"
run -- true # on a busy machine even java -version takes a snapshot
same "nothing taken: exit status" 1 $?
has "nothing taken: it is said" 'no (JVM took a snapshot|run had a JVM)' "$T/err"
run -- sh -c "$jvm 500"
same "nothing lost: exit status" 0 $?

# An agent of `ixor serve` may have named an execution like a run of ours, with any number.
rm -rf "$camp"
run -- sh -c "$jvm 300"
sqlite3 -batch "$camp/campaign.db" "insert into execution (name) values
    ('run4294967294'), ('run4294967295'), ('run0004'), ('run+7'), ('run00000008')"
mkdir "$camp/runs/run0005"
run --runs 2 -- sh -c "$jvm 300"
same "names that others have are not used again" "run0001 run0006 run0007" "$(sqlite3 -batch "$camp/campaign.db" \
    "select name from execution where begin_ns is not null order by id" | xargs)"
same "nor their directories" "run0001 run0006 run0007" \
    "$(cd "$camp/runs" && for log in run*/*.ixl; do echo "${log%/*}"; done | sort -u | xargs)"
sqlite3 -batch "$camp/campaign.db" "insert into execution (name) values ('run999999999')"
run -- sh -c "$jvm 300"
same "after the greatest number comes the first free one" run0002 \
    "$(sqlite3 -batch "$camp/campaign.db" 'select name from execution order by id desc limit 1')"

# ixor serve
rm -rf "$camp"
: >"$T/out"
"$IXOR" serve --agent "$AGENT" --out "$camp" --listen 127.0.0.1:0 >"$T/out" 2>"$T/err" &
serve=$!
check "a server" wait_for 10 grep -q 'agent.key' "$T/out"
rm -rf "$camp"
wait $serve
same "serve, removed: exit status" 1 $?
has "serve, removed: it is said" "'$camp' is gone" "$T/err"
