#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# shellcheck disable=SC2016
# A test that hangs until its own time-out: roxi explain names the code that waits in its first finding,
# not the exception of the time-out; also in four runs of which two hang.
. tests/support/lib.sh

cat >"$T/run.sh" <<'EOF'
echo >>"$1.runs"
fault=0
[ $(($(wc -l <"$1.runs") % $2)) != 0 ] || fault=12
"$JAVA" -cp "$JAVA_CLASSES" Hang $fault
EOF
export JAVA JAVA_CLASSES

first() {
    "$ROXI" explain "$T/$1.camp" "$2" --json 2>"$T/err" |
        jq -r '[.findings[0].path[]? | select(startswith("Hang"))][0] // "" | sub("\\(.*"; "")'
}
# hangs NAME RUNS EVERY: every so many runs hang
hangs() {
    "$IXOR" run --runs "$2" --every 20ms --out "$T/$1.camp" -- bash "$T/run.sh" "$T/$1" "$3" >"$T/$1.out" 2>&1
    local run failed
    failed=$(sqlite3 "$T/$1.camp/campaign.db" "SELECT name FROM execution WHERE verdict = 'failed' ORDER BY name" | xargs)
    same "$1: so many runs failed" $(($2 / $3)) "$(wc -w <<<"$failed")"
    "$ROXI" rank "$T/$1.camp" >"$T/rank" 2>"$T/err"
    same "$1: they come first" "$failed" "$(head -n $(($2 / $3)) "$T/rank" | cut -f 1 | sort | xargs)"
    for run in $failed; do
        same "$1, $run: the code that waits" 'Hang$Gate.await' "$(first "$1" "$run")"
    done
}
hangs few 4 2
hangs many 12 4

# The report's page: the worker is stuck, not the reader beside it, which is idle in all runs.
"$ROXI" report "$T/many.camp" -o "$T/many.html" >"$T/out" 2>"$T/err"
stuck=$(tr -d '\n' <"$T/many.html" | grep -o 'Stuck threads.*' | sed 's/<[/]table>.*//; s/<[/]tr>/\n/g; s/<[^>]*>/ /g')
has "report: the worker is stuck" 'worker-1 .* waiting for another thread in Hang\$Gate\.await' <(echo "$stuck")
same "report: who reads the next request is not" "" "$(grep 'reader-1 ' <<<"$stuck")"
has "report: for whom the worker waits is not known" 'thread of Hang waits in Hang\$Gate\.await, for nobody known' "$T/many.html"

# Of threads in a deadlock nothing else that is unusual is the cause, even if it came before.
"$IXOR" run --runs 6 --every 50ms --out "$T/knot.camp" -- sh -c '
    [ "$IXOR_RUN" = 4 ] && knot=1 || knot=0; exec "$JAVA" -cp "$JAVA_CLASSES" Knot $knot' >"$T/knot.out" 2>&1
same "a run with a deadlock failed" run0004 "$(sqlite3 "$T/knot.camp/campaign.db" \
    "SELECT name FROM execution WHERE verdict = 'failed'" | xargs)"
"$ROXI" explain "$T/knot.camp" run0004 --all --json >"$T/knot.json" 2>"$T/err"
same "it comes first" "deadlock Knot.move" "$(jq -r '.findings[0] | .kind + " " + ([.path[]? | select(startswith("Knot.move"))][0] // "" |
    sub("[(].*"; ""))' "$T/knot.json")"
has "though something else was unusual before" 'Knot.Audit\.sum' <(jq -r '.findings[].path[]?' "$T/knot.json")
