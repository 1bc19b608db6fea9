#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own build
# long
# no JVM
# Out of memory: each of roxi's commands on a small campaign, with one allocation that fails, or
# that one and all later ones, including those of SQLite and zlib. The command ends with one line
# and status 1, or as usual; the output of -o is complete or absent, and the catalogue is unchanged.
# SCARCE_POINTS (default 12): about how many allocations of each command fail, in each of both ways.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

POINTS=${SCARCE_POINTS:-12}
SCARCE=$PWD/build/helpers/scarce
LIBRARY=$PWD/build/helpers/libscarce.so
for run in 1 2 3 4 5; do
    random_vm "$T/in/run$run" 1 server $run 3 4
    random_vm "$T/in/run$run" 2 client $run$run 2 3
    # In run5 two peers have exchanged their work; run2 has something to explain.
    working_vm "$T/in/run$run" 3 "peer $((1 + run / 5))" '20 p.Peer.lead'
    working_vm "$T/in/run$run" 4 "peer $((2 - run / 5))" '20 p.Peer.follow'
done
working_vm "$T/in/run2" 5 extra '20 p.Extra.run'
camp=$T/camp
"$ROXI" import "$camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
sqlite3 "$camp/campaign.db" "UPDATE execution SET verdict_by = 'exit',
    verdict = CASE name WHEN 'run4' THEN 'failed' ELSE 'passed' END" \
    "PRAGMA journal_mode = DELETE" >"$T/null"
log=$(find "$camp" -name '*.ixl' | sort | head -n 1)

# sweep NAME ARGUMENT-OF-SCARCE...: with every STEP-th allocation, so that there are about POINTS
sweep() {
    local name=$1 step=1 all out
    shift
    all=$("$SCARCE" -l "$LIBRARY" -n "$@" | sed -n 's/^ok 0 points, \([0-9]*\) .*/\1/p')
    step=$((${all:-40} / POINTS + 1))
    out=$("$SCARCE" -l "$LIBRARY" -s $step "$@" 2>&1)
    case $out in
    ok*) ok "$name: ${out#ok }" ;;
    *) not_ok "$name: $(tail -n 1 <<<"$out")" && printf '%s\n' "$out" >&2 ;;
    esac
}
# with_file NAME COMMAND...: what is made by -o
with_file() {
    local name=$1
    shift
    sweep "$name" -o "$T/made" -i "$camp/campaign.db" -- "$ROXI" "$@" -o "$T/made"
}

# It writes to the disk again and again, which takes its time.
POINTS=$((POINTS / 4 + 1))
# An import that failed has left a campaign that can be used, or none; nothing is left of half an execution.
mkdir "$T/new"
sweep import -r "rm -rf '$T/new/c'" -c "! [ -e '$T/new/c/campaign.db' ] ||
        [ \"\$(sqlite3 '$T/new/c/campaign.db' 'PRAGMA integrity_check')\" = ok ] &&
        '$ROXI' import '$T/new/c' '$T/in/run4' 2>'$T/null' || '$ROXI' rank '$T/new/c' >'$T/null' 2>&1" \
    -- "$ROXI" import "$T/new/c" "$T/in/run1" "$T/in/run2" "$T/in/run3"
POINTS=${SCARCE_POINTS:-12}
has "there is something to explain" 'run2	[0-9.]+ extra, since packet 1 [(]0.0 s[)]: answered 20 packets' <("$ROXI" rank "$camp" --explain |
    tr -s '\n ' ' ')
check "and a role swap" bash -c "! diff <('$ROXI' rank '$camp') <('$ROXI' rank '$camp' --role-swap no)"
with_file rank rank "$camp" --explain
with_file 'rank as JSON' rank "$camp" --explain --json
printf 'execution\tfault\tfirst_ms\twhere\tverdict\nrun2\tx\t-\textra: y\tfailed\nrun1\tz\t-\t-\tpassed\n' >"$T/truth"
printf 'fault\tclass\tsilent\nx\tp.Extra\tno\n' >"$T/blame"
with_file 'evaluate --where' evaluate "$camp" --where "$T/truth" --blame "$T/blame"
with_file 'explain as text' explain "$camp" run2 --against run1 --all
with_file 'explain as JSON' explain "$camp" run2 --all --json
with_file 'explain as Markdown' explain "$camp" run2 --all --format markdown
with_file 'explain --failed' explain "$camp" --failed --json
with_file report report "$camp"
with_file 'report as text' report "$camp" --format text
with_file matrix matrix "$camp" --cache no -s gap
with_file 'matrix of counts' matrix "$camp" -s frame-count
with_file cluster cluster "$camp" --cache no -k 2 --format json
with_file next next "$camp"
with_file sample sample "$camp" --cache no --method one-per-cluster -k 2
with_file evaluate evaluate "$camp"
with_file 'evaluate its effort' evaluate "$camp" --inspection-effort --format svg
for format in collapsed json speedscope pprof jstack dot; do
    with_file "export $format" export "$camp" --format $format
done
with_file dump dump "$log"
with_file 'dump --summary' dump "$log" --summary
sweep check -i "$camp/campaign.db" -- "$ROXI" check "$camp" --baseline "$camp"
mkdir "$T/held"
cp tests/fuzz/corpus/dumps/jdk8 "$T/held/keeper.txt" # two threads, one waits for the other's monitor
"$ROXI" import "$T/held" -o "$T/waits" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
has "there is a wait to tell" '"chains":\[\[\{' <("$ROXI" waits "$T/waits" held --json)
sweep 'waits as JSON' -o "$T/made" -i "$T/waits/campaign.db" -- "$ROXI" waits "$T/waits" held --json -o "$T/made"
sweep ci -r "rm -f '$T/junit' '$T/page'" -o "$T/made" -i "$camp/campaign.db" -- "$ROXI" ci "$camp" --fail-on never \
    --junit-out "$T/junit" --report "$T/page" -o "$T/made"
sweep 'export text' -r "rm -rf '$T/text'" -i "$camp/campaign.db" -- "$ROXI" export "$camp" -e run1 --format text \
    -o "$T/text"
# No campaign, or one that is whole.
"$ROXI" import "$T/other" "$T/in/run1" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
sweep merge -r "rm -rf '$T/merged'" -c "! [ -e '$T/merged' ] || '$ROXI' rank '$T/merged' | wc -l | grep -qx 6" \
    -i "$camp/campaign.db" -- "$ROXI" merge "$camp" "$T/other" -o "$T/merged"
POINTS=$((POINTS / 4 + 1)) # these write to the disk, too
# A baseline's file is whole, or there is none. Nothing remains of what was copied or unpacked for it, unless
# there was no memory for the removal either.
export TMPDIR=$T/room
mkdir "$TMPDIR"
gone="{ [ -n \"\$SCARCE_ON\" ] || [ -z \"\$(ls -A '$TMPDIR')\" ]; }"
"$ROXI" check "$camp" --baseline "$camp" --json 2>"$T/null" | jq -c .executions >"$T/want.check"
check "there is something to compare" test -s "$T/want.check"
sweep baseline -r "rm -rf '$T/file' '$TMPDIR'/.[!.]*" -i "$camp/campaign.db" \
    -c "$gone && { ! [ -e '$T/file' ] || '$ROXI' check '$camp' --baseline '$T/file' --json 2>'$T/null' |
        jq -c .executions | cmp -s - '$T/want.check'; }" \
    -- "$ROXI" baseline "$camp" -o "$T/file"
"$ROXI" baseline "$camp" -o "$T/base" 2>"$T/err" || not_ok "baseline: $(cat "$T/err")"
sweep 'check with a file' -r "rm -rf '$TMPDIR'/.[!.]*" -i "$T/base" -c "$gone" -- "$ROXI" check "$camp" \
    --baseline "$T/base" --json
unset TMPDIR
# Thread dumps, each of another JVM: jstack's text, jcmd's JSON, and a recording, which a stand-in for the
# JDK's jfr prints. All are imported, or none.
mkdir -p "$T/dumps" "$T/jdk/bin"
"$ROXI" export "$camp" -e run1 --format jstack -o "$T/dumps/text.txt"
cp tests/fuzz/corpus/dumps/jdk21.json "$T/dumps/threads.json"
printf 'FLR\0' >"$T/dumps/recording.jfr"
jq -Rs '{recording: {events: [{type: "jdk.ThreadDump", values: {result: .}}]}}' tests/fuzz/corpus/dumps/jdk11 >"$T/jdk/printed"
printf '#!/bin/sh\ncat "%s"\n' "$T/jdk/printed" >"$T/jdk/bin/jfr"
chmod +x "$T/jdk/bin/jfr"
JAVA_HOME=$T/jdk "$ROXI" import "$T/dumps" -o "$T/imported" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$ROXI" export "$T/imported" --format json >"$T/want.dumps"
check "nor is this empty" grep -q threads "$T/want.dumps"
same "three kinds of dumps" "6 JVMs" "$(sqlite3 -batch "$T/imported/campaign.db" 'SELECT count(*) FROM vm') JVMs"
JAVA_HOME=$T/jdk sweep 'import of thread dumps' -r "rm -rf '$T/imported' '$T'/.roxi-*" \
    -c "{ [ -n \"\$SCARCE_ON\" ] || [ -z \"\$(find '$T' -maxdepth 1 -name '.roxi-*')\" ]; } && { ! [ -e '$T/imported' ] ||
        '$ROXI' export '$T/imported' --format json | cmp -s - '$T/want.dumps'; }" \
    -- "$ROXI" import "$T/dumps" -o "$T/imported"
POINTS=${SCARCE_POINTS:-12}
# What is kept of an interrupted or failed computation does not spoil the next one.
"$ROXI" matrix "$camp" -s gap --cache no >"$T/gap" 2>"$T/null"
sweep 'matrix that is kept' -r "rm -rf '$camp/cache'" -i "$camp/campaign.db" \
    -c "'$ROXI' matrix '$camp' -s gap | cmp -s - '$T/gap'" -- "$ROXI" matrix "$camp" -s gap
