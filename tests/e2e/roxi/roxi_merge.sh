#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# roxi merge: shards rank as one campaign made at once; names, logs, verdicts and marks are kept; what is
# read does not change; bad input.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

sql() { sqlite3 -batch -noheader "$1/campaign.db" "$2"; }
merge() { "$ROXI" merge "$@" 2>"$T/err"; }
# Everything below a directory, with contents; SQLite makes two more files beside a catalogue that is read.
state_of() { (cd "$1" && find . -type f ! -name 'campaign.db-*' -exec sha256sum {} + | sort -k 2); }

# ---- 50 shards of 20 runs; 4 with sanitizers, which are slow ----

shards=50
[ "$B" != build/asan ] || shards=4

for run in {1..20}; do
    name=run$(printf %04d "$run")
    random_vm "$T/in/$name" 1 server $((run + 100)) 6 4
    random_vm "$T/in/$name" 2 client $((run % 7)) 6 4
done
working_vm "$T/in/run0020" 3 extra '9 p.Client.run p.Client.retry'
mkdir "$T/once"
for ((shard = 1; shard <= shards; shard++)); do
    dir=$T/shards/shard-$(printf %02d "$shard")
    "$ROXI" import "$dir" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
    tar -C "$T/in" -c . | tar -C "$T/once" -x --transform "s,^\./run,./${dir##*/}-run," # made at once
done
"$ROXI" import "$T/atonce" "$T"/once/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$IXOR" label "$T/shards/shard-03" run0003 failed >"$T/out"
"$IXOR" label "$T/atonce" shard-03-run0003 failed >"$T/out"
before=$(state_of "$T/shards")
check "$shards shards of 20 runs" merge "$T"/shards/* -o "$T/merged"
same "said" "merged into $T/merged: campaigns $shards, runs $((shards * 20)), JVMs $((shards * 41))
names that several campaigns share have their directory's name in front" "$(cat "$T/err")"
same "the shards have not changed" "$before" "$(state_of "$T/shards")"
same "nothing else was made" "" "$(find "$T" -maxdepth 1 -name '.roxi-*')"
scores() { "$ROXI" rank "$1" --json | jq -c '.executions[] | [.name, .score]'; }
scores "$T/atonce" >"$T/want"
same "as many runs as at once" $((shards * 20)) "$(wc -l <"$T/want")"
check "the ranking is that of one campaign, to the last bit" cmp "$T/want" <(scores "$T/merged")
check "and status" cmp <("$IXOR" status "$T/atonce") <("$IXOR" status "$T/merged")
rm -rf "$T/once" "$T/atonce" "$T/shards"

# ---- names ----

for c in a/campaign b/campaign other; do
    runs=(run0001 run0002)
    [ $c != other ] || runs=(nightly)
    for run in "${runs[@]}"; do small_vm "$T/n/$c/$run" 1 server 1 2; done
    "$ROXI" import "$T/c/$c" "$T/n/$c"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
done
names() { sql "$1" 'SELECT name FROM execution ORDER BY id' | xargs; }
merge "$T/c/a/campaign" "$T/c/other" -o "$T/m1"
same "names that differ stay" "run0001 run0002 nightly" "$(names "$T/m1")"
merge "$T/c/a/campaign" "$T/c/b/campaign/" -o "$T/m2"
same "the last directories that differ are put in front" \
    "a-run0001 a-run0002 b-run0001 b-run0002" "$(names "$T/m2")"
merge "$T/c/a/campaign" "$T/c/other" "$T/c/b/campaign" -o "$T/m3"
same "a campaign that shares no name keeps its own" \
    "a-campaign-run0001 a-campaign-run0002 nightly b-campaign-run0001 b-campaign-run0002" \
    "$(names "$T/m3")"
(cd "$T/c/a/campaign" && merge . -o ../../../m4)
same "one campaign alone" "run0001 run0002" "$(names "$T/m4")"

# ---- everything that a catalogue says ----

camp=$T/c/other
mkdir -p "$camp/runs/nightly/reports" "$T/outside"
echo hello >"$camp/runs/nightly/output.txt"
echo '<testsuite/>' >"$camp/runs/nightly/reports/TEST-a.xml"
log=$(find "$camp/runs" -name '*.ixl')
cp "$log" "$T/outside/away.ixl"
cp "$log" "$T/outside/parts.ixl.1"
cp "$log" "$T/outside/parts.ixl"
cp "$log" "$T/outside/cut.ixl" # of a JVM that has reported one packet more
head -c 100 "$log" >"$camp/runs/nightly/torn.ixl"
ln -s "$T/outside/away.ixl" "$camp/runs/nightly/link.ixl"
echo secret >"$T/outside/secret"
sql "$camp" "
    UPDATE execution SET verdict = 'failed', verdict_by = 'exit', command = 'make it', begin_ns = 5, end_ns = 6,
        exit_status = 7;
    INSERT INTO vm (execution, role, host, pid, jvm, started_ns, log, ended, log_state, log_whole, late) VALUES
        (1, 'away', 'h', 2, 'j', 3, '$T/outside/away.ixl', 'orderly', 'here', 1, 4),
        (1, 'parts', 'h', 3, 'j', 3, '$T/outside/parts.ixl', 'orderly', 'here', 1, 4),
        (1, 'torn', 'h', 4, 'j', 3, 'runs/nightly/torn.ixl', 'vanished', 'here', 0, 4),
        (1, 'gone', 'h', 5, 'j', 3, '/nowhere/gone.ixl', 'orderly', 'there', NULL, 4),
        (1, 'sly', 'h', 6, 'j', 3, '$T/outside/secret', 'orderly', 'there', NULL, 4),
        (1, 'dots', 'h', 7, 'j', 3, 'runs/nightly/../../../../outside/secret', 'orderly', 'there', NULL, 4),
        (1, 'cut', 'h', 8, 'j', 3, '$T/outside/cut.ixl', 'vanished', 'here', 1, 4);
    INSERT INTO snapshot (vm, packet, begin_ns, begin_mono_ns, stop_ns, threads, frames, missed)
        SELECT id, 3, 1, 2, 3, 4, 5, 0 FROM vm WHERE role = 'cut';
    INSERT INTO packet (execution, number, sent_ns, vms, lead_ns, asked, skew_ns) VALUES (1, 9, 10, 1, 11, 'burst', 12);
    INSERT INTO clock VALUES (1, 13, 14, 15, 16);
    INSERT INTO mark (execution, packet, at_ns, text) VALUES (1, 9, 17, 'JUnit: 1 of 2 tests failed'), (NULL, 0, 18, 'seed 3');"
check "logs that are outside, torn or gone" merge "$T/c/a/campaign" "$camp" -o "$T/m5"
same "what is said of them" \
    "cut: cut;dots: missing;gone: missing;sly: missing;torn: torn;" \
    "$(grep '^roxi: run nightly: ' "$T/err" | sort | sed -E 's/^roxi: run nightly: ([a-z]+): .*torn.ixl.*/\1: torn;/
        s/^roxi: run nightly: ([a-z]+): .* ends with packet 2, but its JVM has reported packets up to 3: the end of .*/\1: cut;/
        s/^roxi: run nightly: ([a-z]+): .*/\1: missing;/' | tr -d '\n')"
has "and counted" 'torn logs 2, missing logs 3$' "$T/err"
has "a link is left out" 'link.ixl is left out: it is neither a file nor a directory' "$T/err"
check "it is not there" test ! -e "$T/m5/runs/nightly/link.ixl"
same "a file that is no log is not copied" "" "$(grep -rl secret "$T/m5/runs")"
check "what lies beside the logs" diff "$camp/runs/nightly/output.txt" "$T/m5/runs/nightly/output.txt"
check "in directories, too" diff -r "$camp/runs/nightly/reports" "$T/m5/runs/nightly/reports"
check "a log from outside" cmp "$T/outside/away.ixl" "$T/m5/runs/nightly/away.ixl"
check "with its parts" cmp "$T/outside/parts.ixl.1" "$T/m5/runs/nightly/parts.ixl.1"
same "whose paths follow" "away runs/nightly/away.ixl
cut runs/nightly/cut.ixl
dots runs/nightly/../../../../outside/secret
gone /nowhere/gone.ixl
parts runs/nightly/parts.ixl
sly $T/outside/secret
torn runs/nightly/torn.ixl" "$(sql "$T/m5" "SELECT role || ' ' || log FROM vm WHERE role NOT IN ('server', 'client') ORDER BY role")"
# Their own numbers begin behind those of the campaign before.
for t in "execution.name, verdict, verdict_by, command, begin_ns, end_ns, exit_status FROM execution" \
    "v.execution - e.id, role, pid, jvm, started_ns, ended, log_state, log_whole, late FROM vm v JOIN execution e ON e.id = v.execution" \
    "p.execution - e.id, number, sent_ns, p.vms, lead_ns, asked, skew_ns FROM packet p JOIN execution e ON e.id = p.execution" \
    "role, packet, begin_mono_ns, threads, frames, missed FROM snapshot s JOIN vm v ON v.id = s.vm JOIN execution e ON e.id = v.execution" \
    "role, mono_ns, offset_ns, error_ns, drift_ppb FROM clock c JOIN vm v ON v.id = c.vm JOIN execution e ON e.id = v.execution"; do
    same "rows of ${t##*FROM }" "$(sql "$camp" "SELECT $t WHERE name = 'nightly'")" \
        "$(sql "$T/m5" "SELECT $t WHERE name = 'nightly'")"
done
same "marks" "nightly|9|17|JUnit: 1 of 2 tests failed
|0|18|seed 3" "$(sql "$T/m5" "SELECT name, packet, at_ns, text FROM mark m LEFT JOIN execution e ON e.id = m.execution ORDER BY m.id")"
same "the catalogue is sound" ok "$(sql "$T/m5" 'PRAGMA integrity_check')"
check "runs can be added to it" "$ROXI" import "$T/m5" "$T/in/run0020"

# ---- bad input ----

mkdir "$T/taken" "$T/empty"
A=$T/c/a/campaign
: >"$T/file"
check "no campaign given" fails 2 "expects|needs|at least|CAMPAIGN" merge -o "$T/new"
check "no target" fails 2 "a directory for the new campaign is needed: -o C" merge "$A"
check "the target is there" fails 1 "'$T/taken' exists; -o takes the name of a new directory" merge "$A" -o "$T/taken"
check "the target is a file" fails 1 "'$T/file' exists" merge "$A" -o "$T/file"
check "the target is a source" fails 1 "'$A' exists" merge "$A" "$camp" -o "$A"
check "inside a source" fails 1 "'$A/sub/new' would be inside the campaign '$A'" merge "$A" "$camp" -o "$A/sub/new"
check "twice the same" fails 1 "'$A' and '$A/../campaign' are the same campaign" merge "$A" "$A/../campaign" -o "$T/new"
cp -r "$A" "$T/copy"
check "a copy" fails 1 "'$A' and '$T/copy' are copies of the same campaign; leave one out" \
    merge "$A" "$T/copy" -o "$T/new"
check "no campaign" fails 1 "'$T/empty' is not a campaign" merge "$A" "$T/empty" -o "$T/new"
check "not there" fails 1 "'$T/none' is not a campaign: there is no such directory" merge "$A" "$T/none" -o "$T/new"
check "nor its catalogue" fails 1 "is not a campaign" merge "$T/n" "$A" -o "$T/new"
sql "$T/copy" 'DELETE FROM execution'
check "without runs" fails 1 "the campaign '$T/copy' has no runs yet" merge "$T/copy" "$A" -o "$T/new"
cp -r "$camp" "$T/crafted"
sql "$T/crafted" "UPDATE execution SET name = '../../x'"
check "a name that is a path" fails 1 "'$T/crafted': the run's name '../../x' cannot be used as a file name" \
    merge "$T/crafted" -o "$T/new"
sql "$T/crafted" "UPDATE execution SET name = 'nightly'; PRAGMA foreign_keys = OFF; UPDATE vm SET execution = 99 WHERE id = 2"
check "a row that refers to nothing" fails 1 "FOREIGN KEY constraint failed" merge "$T/crafted" -o "$T/new"
sql "$T/crafted" "PRAGMA foreign_keys = OFF; UPDATE vm SET execution = 9223372036854775807 WHERE id = 2"
check "a number out of range" fails 1 "is damaged: a row of its table vm has an impossible number" \
    merge "$A" "$T/crafted" -o "$T/new"
sql "$T/crafted" "PRAGMA user_version = 99"
check "of a later version" fails 1 "written by a newer release" merge "$A" "$T/crafted" -o "$T/new"
long=$T/$(printf 'd%.0s' {1..199})
cp -r "$A" "$long"
sql "$long" "UPDATE campaign SET created_ns = 3"
check "a directory's name that is too long" fails 1 "rename the directory: the run's name .* bytes" \
    merge "$A" "$long" -o "$T/new"

# A server that writes one of them. flock is a stand-in that says so when it holds the lock.
echo 4711 >"$A/server.lock"
exec 9<"$A/server.lock"
flock -x 9
check "a server writes it" fails 1 "an ixor \(process 4711\) is writing '$A'; wait for it" merge "$A" -o "$T/new"
exec 9<&-
check "no more" merge "$A" -o "$T/new"
rm -rf "$T/new"
if [ "$(id -u)" != 0 ]; then
    chmod 0 "$(find "$A/runs" -name '*.ixl' | head -n 1)"
    check "an unreadable file" fails 1 "cannot read" merge "$A" -o "$T/new"
else
    skip "an unreadable file: root reads everything"
fi
cp -r "$T/c/b/campaign" "$T/piped"
mkfifo "$T/piped/server.lock"
check "a lock that is a FIFO does not block" timeout -k 1 60 "$ROXI" merge "$T/piped" "$A" -o "$T/new"
rm -rf "$T/new"

# ---- it fails half-way ----

head -c 300000 /dev/zero >"$camp/runs/nightly/large"
limited() (ulimit -f 200 && fails 1 "cannot copy '$camp/runs/nightly/large' to '.*': File too large" merge "$A" "$camp" -o "$T/new")
check "a file that cannot be written" limited
# Warnings fill the pipe that nobody reads, so it cannot be done when the signal comes.
# shellcheck disable=SC2046 # several names
ln -s -t "$camp/runs/nightly" $(printf "/nowhere/$(printf 'name%.0s' {1..40})%d " {1..1000})
mkfifo "$T/pipe"
"$ROXI" merge "$A" "$camp" -o "$T/new" 2>"$T/pipe" &
merging=$!
exec 8<"$T/pipe"
read -r line <&8
kill -TERM $merging
cat <&8 >"$T/err"
exec 8<&-
wait $merging
same "interrupted: exit status" 130 $?
same "it is said" "roxi merge: interrupted" "$(tail -n 1 "$T/err")"
check "nothing is there" test ! -e "$T/new"
same "no temporary directory is left" "" "$(find "$T" -maxdepth 3 -name '.roxi-*')"
