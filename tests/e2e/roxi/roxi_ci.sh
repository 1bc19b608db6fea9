#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# roxi ci: the summary, GitHub's file for it, JUnit XML, the page, exit statuses; names that try to be markup.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

unset GITHUB_STEP_SUMMARY
sql() { sqlite3 -batch -noheader "$T/$1/campaign.db" "$2"; }
ci() { "$ROXI" ci "$@" 2>"$T/err"; }
# status STATUS ARGUMENT...: roxi ci exits with it
status() {
    local want=$1 got=0
    shift
    "$ROXI" ci "$@" >"$T/out" 2>"$T/err" || got=$?
    cat "$T/err"
    [ $got = "$want" ]
}
xpath() { xmllint --xpath "string($2)" "$1"; }

evil='</x>" ``` *b* <!--'
# run CAMPAIGN NAME WORK...: a server, and a client that does this work
run() {
    working_vm "$T/in/$1/$2" 1 server '60 p.Server.serve'
    working_vm "$T/in/$1/$2" 2 client "${@:3}"
}
into() { "$ROXI" import "$T/$1" "$T/in/$1"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"; }

for i in 1 2 3 4 5 6 7 8; do
    run camp run$i "$((40 + i % 2)) p.Client.run p.Client.send" "$((20 - i % 2)) p.Client.run"
done
run camp odd '20 p.Client.run p.Client.send' '40 p.Client.run p.Client.retry'
run camp "$(tr / '|' <<<"$evil")" '20 p.Client.run p.Client.send' '40 p.Client.run p.Client.again'
into camp
sql camp "UPDATE execution SET verdict = 'passed', verdict_by = 'exit', begin_ns = 1000000000, end_ns = 3500000000;
    UPDATE execution SET verdict = 'failed' WHERE name = 'odd'; UPDATE execution SET verdict = 'unknown' WHERE name = 'run8'"

# ---- the summary ----

ci "$T/camp" >"$T/summary"
same "a failed run: exit status" 3 $?
same "the heading" '### Ixor: 1 of 10 runs failed, 1 more is unusual' "$(head -n 1 "$T/summary")"
has "the rate" '^Failure rate: 11.1 % \(1 of 9; 95 % Clopper-Pearson interval: 0.3 to 48.2 %\). At this rate, 26 runs show another failure with 95 % probability\.$' \
    "$T/summary"
has "the failed run" '^ +[0-9.]+  failed   odd$' "$T/summary"
check "its first finding" grep -q 'client, since packet 21 .* packets in Client.run calling Client.retry, typically 0' \
    <(grep -A 3 'failed   odd' "$T/summary" | xargs)
# shellcheck disable=SC2016 # the fences are Markdown
same "names are in one block of code" 2 "$(grep -c '^```' "$T/summary")"
# shellcheck disable=SC2016
same "which ends the summary" '```' "$(tail -n 1 "$T/summary")"
check "4,700 bytes at most" test "$(wc -c <"$T/summary")" -le 4700

# Many failed runs, and a long path.
deep=$T/$(printf 'long%.0s' {1..50})/$(printf 'long%.0s' {1..50})
mkdir -p "$deep"
for i in {1..120}; do small_vm "$T/in/many/run$i" 1 server $i $((i % 9)); done
into many
sql many "UPDATE execution SET verdict = 'failed', verdict_by = 'exit'"
mv "$T/many" "$deep"
ci "$deep/many" >"$T/summary"
check "many runs: 4,700 bytes at most" test "$(wc -c <"$T/summary")" -le 4700
has "the rest is counted" '^and [0-9]+ more unusual (or failed )?runs?$' "$T/summary"
# shellcheck disable=SC2016
same "and the block ends" '```' "$(tail -n 1 "$T/summary")"

# What it was computed with can be long, too.
far=$T
for i in {1..15}; do far+=/$(printf 'deep%.0s' {1..60}); done
mkdir -p "$far"
"$ROXI" rules >"$far/rules"
check "a long path of rules: 4,700 bytes at most" eval '[ "$(ci "$deep/many" --rules "$far/rules" | wc -c)" -le 4700 ]'
# shellcheck disable=SC2016
same "and the block ends" '```' "$(ci "$deep/many" --rules "$far/rules" | tail -n 1)"

# ---- what JUnit's reports said ----

"$ROXI" merge "$T/camp" -o "$T/told" 2>"$T/null"
sql told "INSERT INTO mark (execution, packet, at_ns, text) VALUES (2, 0, 1, 'JUnit: 1 of 2 tests failed: a.B.\`c'),
    (NULL, 0, 2, 'JUnit: of no run'), (3, 0, 3, 'JUnits'), (1, 0, 4, 'JUnit: 1 of 2 tests passed after 1 failed try: a.B.d'),
    (3, 0, 5, 'JUnit: ' || replace(hex(zeroblob(150)), '00', 'ü') || 'üü')"
ci "$T/told" --fail-on never >"$T/summary"
same "with the run's name" "By JUnit's reports:
  $(sql told 'SELECT name FROM execution WHERE id = 2'): 1 of 2 tests failed: a.B.\`c
  $(sql told 'SELECT name FROM execution WHERE id = 1'): 1 of 2 tests passed after 1 failed try: a.B.d
  $(sql told 'SELECT name FROM execution WHERE id = 3'): $(printf 'ü%.0s' {1..150})..." \
    "$(sed -n "/^By JUnit's/,/^\$/p" "$T/summary")"
sql told "INSERT INTO mark (execution, packet, at_ns, text) SELECT 4, 0, 1, 'JUnit: ' || hex(zeroblob(200)) FROM snapshot LIMIT 10"
ci "$T/told" --fail-on never >"$T/summary"
has "the rest is counted" "^  and 8 more; 'ixor status' lists them\$" "$T/summary"
check "4,700 bytes at most" test "$(wc -c <"$T/summary")" -le 4700
# shellcheck disable=SC2016
same "and the block ends" '```' "$(tail -n 1 "$T/summary")"

# ---- GitHub's file ----

echo "before" >"$T/step"
GITHUB_STEP_SUMMARY=$T/step ci "$T/camp" -o "$T/summary"
same "GitHub's file gets it, after what is there" "$(printf 'before\n\n'; cat "$T/summary")" "$(cat "$T/step")"
export GITHUB_STEP_SUMMARY=$T/none/step
check "it cannot be written" fails 1 "cannot write to GITHUB_STEP_SUMMARY, '$T/none/step'" ci "$T/camp" -o "$T/new"
unset GITHUB_STEP_SUMMARY

# ---- JUnit XML and the page ----

ci "$T/camp" --junit-out "$T/j.xml" --report "$T/page.html" >"$T/summary"
check "the report is XML" xmllint --noout "$T/j.xml"
same "what it counts" "camp 10 1 0 1 25.000" "$(for a in name tests failures errors skipped time; do
    xpath "$T/j.xml" "/testsuite/@$a"; done | xargs)"
same "a testcase for each run" 10 "$(xpath "$T/j.xml" 'count(//testcase[@classname="camp"])')"
same "with its time" 2.500 "$(xpath "$T/j.xml" '//testcase[@name="run1"]/@time')"
same "the failure" odd "$(xpath "$T/j.xml" '//testcase[failure[@type="failed"]]/@name')"
has "its reason" '^failed; score [0-9.]+: client, since packet 21 .*calling Client.retry' \
    <(xpath "$T/j.xml" '//failure/@message')
has "its call stack" '^ +> p.Client.retry\(S.java:1\)$' <(xpath "$T/j.xml" '//failure')
same "no verdict: skipped" run8 "$(xpath "$T/j.xml" '//testcase[skipped]/@name')"
same "an unusual run that passed has its reason as output" "$(tr / '|' <<<"$evil")" \
    "$(xpath "$T/j.xml" '//testcase[not(skipped)][system-out]/@name')"
ci "$T/camp" --junit-out "$T/j.xml" --fail-on unusual >"$T/summary"
same "with --fail-on unusual it is a failure" "2 unusual" \
    "$(xpath "$T/j.xml" '/testsuite/@failures') $(xpath "$T/j.xml" '//failure[not(@type="failed")]/@type')"
same "the page is that of roxi report" "$("$ROXI" report "$T/camp" --format html | grep -c '<')" \
    "$(grep -c '<' "$T/page.html")"

# A campaign of tests, of which the page's is not the first.
"$ROXI" merge "$T/camp" -o "$T/tests" 2>"$T/null"
sql tests "UPDATE execution SET command = 'junit:p.T.' || iif(name LIKE '%x%', 'other', 'this')"
check "of one test: exit status" status 3 "$T/tests" --test T.this --report "$T/this.html" --junit-out "$T/j.xml"
same "the times of its runs" "9 2.500 22.500" "$(xpath "$T/j.xml" 'count(//testcase)') $(xpath "$T/j.xml" \
    '//testcase[@name="run8"]/@time') $(xpath "$T/j.xml" '/testsuite/@time')"
has "its page has its failed run, and its call stack" 'Client.retry' "$T/this.html"
same "and no run of the other test" 0 "$(grep -c 'Client.again' "$T/this.html")"

# ---- when it fails ----

check "--fail-on failed" status 3 "$T/camp" --fail-on failed
check "--fail-on unusual" status 3 "$T/camp" --fail-on unusual
check "--fail-on never" status 0 "$T/camp" --fail-on never
sql camp "UPDATE execution SET verdict = 'passed' WHERE name = 'odd'"
check "nothing failed" status 0 "$T/camp"
has "it is said" '^### Ixor: none of 10 runs failed, 2 are unusual$' "$T/out"
has "with what would show" ' 5 more runs would show a failure rate of 20 % with 95 % probability\.$' "$T/out"
check "but something is unusual" status 3 "$T/camp" --fail-on unusual
sql camp "DELETE FROM execution WHERE name NOT LIKE 'run%'"
check "nothing is unusual" status 0 "$T/camp" --fail-on unusual
has "it is said" '^### Ixor: none of 8 runs failed$' "$T/out"
sql camp "UPDATE execution SET verdict = 'unknown'"
check "no verdict" status 0 "$T/camp" --fail-on unusual
has "it is said" '^No run has a verdict' "$T/out"
sql camp "DELETE FROM execution WHERE name NOT IN ('run1', 'run2')"
check "too few runs to compare" status 0 "$T/camp" --fail-on unusual --junit-out "$T/few.xml"
has "it is said" 'Too few to say what is unusual' "$T/out"
same "the report has both" 2 "$(xpath "$T/few.xml" 'count(//testcase)')"

# ---- bad input ----

check "no campaign" fails 1 'is not a campaign' ci "$T/in"
check "a policy that there is not" fails 2 "fail-on.*failed, unusual|failed\|unusual\|never" ci "$T/camp" --fail-on always
check "a file that cannot be written" fails 1 "cannot write '$T/none/x'" ci "$T/camp" --junit-out "$T/none/x"
check "nor the page" fails 1 "cannot write '$T/none/x'" ci "$T/camp" --report "$T/none/x"
check "one file for two" fails 2 "two options name the same file, '$T/x'" ci "$T/camp" --junit-out "$T/x" --report "$T/x"
