# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# Verdicts from JUnit's XML reports: ixor run --junit, ixor label --junit.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so # an instrumented one does not load into a JVM that is not

camp=$T/camp
samples=$PWD/tests/fuzz/corpus/junit
mkdir -p "$T/module a/target/reports" "$T/b/target/reports"
cd "$T" || exit

# run STATUS [REPORT=SAMPLE...] -- OPTION...: one run of a command that writes these reports and ends
# with that status. Errors are in $T/err.
run() {
    local status=$1 script="'$JAVA' -cp '$JAVA_CLASSES' Until 300+"
    while shift && [ "$1" != -- ]; do
        script+="; cp '$samples/${1#*=}' '${1%%=*}'"
    done
    shift
    "$IXOR" run --agent "$AGENT" --out "$camp" "$@" -- sh -c "$script; exit $status" \
        >"$T/out" 2>"$T/err"
}
last() { sql 'select name, verdict, verdict_by, exit_status from execution order by id desc limit 1'; }
note() { sql "select text from mark join execution on execution = execution.id where name = '$1'"; }
by_exit='the verdict is by the exit status$'

run 0 'module a/target/reports/TEST-a.xml=surefire-passed' -- --junit '*/target/reports/TEST-*.xml'
same "reports without a failure" "run0001|passed|exit|0" "$(last)"
same "say nothing" "" "$(grep -v '^ixor: run 1/1' "$T/err")"
run 0 'b/target/reports/TEST-b.xml=surefire-failed' -- --junit '**/TEST-*.xml'
same "a failure in a report fails the run" "run0002|failed|exit|0" "$(last)"
same "which, and how many" \
    "JUnit: 2 of 4 tests failed, first shop.orders.OrderDeskTest.sellsEachItemOnce" "$(note run0002)"
has "the run's line says it" ' run0002 failed after' "$T/err"
has "the summary says why" "run0002 failed \(a test, by JUnit's reports\)" "$T/out"
same "the packet is the last one" "$(sql 'select max(number) from packet where execution = 2')" \
    "$(sql 'select packet from mark')"
run 0 'module a/target/reports/TEST-a.xml=surefire-passed' -- --junit '**/TEST-*.xml'
same "what the run before has written does not count" "run0003|passed|exit|0" "$(last)"
run 3 'b/target/reports/TEST-b.xml=gradle-failed' -- --junit '**/TEST-*.xml'
same "the exit status counts, too" "run0004|failed|exit|3" "$(last)"
same "and the test is named" "JUnit: 2 of 3 tests failed, first shop.stock.ShelfTest.holds(int)[2]" \
    "$(note run0004)"
run 3 'module a/target/reports/TEST-a.xml=surefire-passed' -- --junit '**/TEST-*.xml'
same "no failure in a report does not outweigh it" "run0005|failed|exit|3" "$(last)"
same "nothing is noted then" "" "$(note run0005)"

# Surefire has tried failed tests again. Its own attributes count each failed try.
run 0 'b/target/reports/TEST-b.xml=surefire-rerun-passed' -- --junit '**/TEST-*.xml'
same "a test that passed at last has passed" "run0006|passed|exit|0" "$(last)"
flaky='JUnit: 1 of 2 tests passed after 2 failed tries: shop.PayTest.paysAtOnce'
same "its failed tries are noted" "$flaky" "$(note run0006)"
has "and said" "^ixor: run0006: $flaky\$" "$T/err"

# Reports that are not there, or not readable.
run 0 -- --junit '*/none-*.xml'
same "no report: the exit status" "run0007|passed|exit|0" "$(last)"
has "and one line" "^ixor: run0007: no JUnit report matches '\*/none-\*.xml'; $by_exit" "$T/err"
run 0 -- --junit '**/TEST-*.xml'
same "only old ones: the exit status" "run0008|passed|exit|0" "$(last)"
has "and one line" "^ixor: run0008: no JUnit report was written during the run: what matches .* is \
older; $by_exit" "$T/err"
run 0 'TEST-x.xml=refused-doctype' -- --junit 'TEST-*.xml'
same "a report with entities is not read" "run0009|passed|exit|0" "$(last)"
has "and one line" "^ixor: run0009: cannot read the report 'TEST-x.xml': line 2: it has a DOCTYPE.*; \
$by_exit" "$T/err"
run 0 'TEST-x.xml=refused-cut' 'TEST-y.xml=console-failed' -- --junit 'TEST-*.xml'
same "beside one that has a failure" "run0010|failed|exit|0" "$(last)"
"$IXOR" run --agent "$AGENT" --out "$camp" --timeout 2s --junit 'TEST-*.xml' -- \
    sh -c "cp '$samples/console-failed' TEST-z.xml; '$JAVA' -cp '$JAVA_CLASSES' Until 100000 '$T/never'" \
    >"$T/out" 2>"$T/err"
same "a time-out stays one" "run0011|failed|timeout" "$(last | cut -d '|' -f 1-3)"
"$IXOR" run --out "$camp" --junit '**/a/**' -- true 2>"$T/err"
same "a pattern that is not understood is wrong use" 2 $?
has "and named" "option --junit: '\*\*/a/\*\*' has more than one \*\*" "$T/err"

# A run that is over.
check "label" "$IXOR" label "$camp" run0001 --junit "$samples/surefire-passed" \
    "$samples/console-failed"
same "is the user's" "failed|user" \
    "$(sql "select verdict, verdict_by from execution where name = 'run0001'")"
same "which test it was" "JUnit: 1 of 4 tests failed: curator.LeaderTest.leaves()" "$(note run0001)"
same "after the run's last packet" "$(sql 'select max(number) from packet where execution = 1')" \
    "$(sql 'select packet from mark where execution = 1')"
check "reports without a failure" "$IXOR" label --junit "$camp" run0002 "$samples/surefire-passed"
same "pass" "passed|user" "$(sql "select verdict, verdict_by from execution where name = 'run0002'")"
"$IXOR" label "$camp" run0003 --junit "$samples/console-failed" "$samples/refused-cut" 2>"$T/err"
same "a report that cannot be read" 1 $?
has "is named" "^ixor label: cannot read the report '.*/refused-cut': line 17: " "$T/err"
same "and nothing is labelled" "passed|exit" \
    "$(sql "select verdict, verdict_by from execution where name = 'run0003'")"
"$IXOR" label "$camp" run9 --junit "$samples/console-failed" 2>"$T/err"
same "a run that is not there" 1 $?
"$IXOR" label "$camp" run0001 passed failed 2>"$T/err"
same "two verdicts are wrong use" 2 $?
"$IXOR" status "$camp" >"$T/status"
has "status shows the tests" '^run0001 +[0-9]+  JUnit: 1 of 4 tests failed: curator.LeaderTest.leaves\(\)$' \
    "$T/status"
same "as JSON, too" 5 "$("$IXOR" status --json "$camp" | jq '[.marks[] | select(.text |
    startswith("JUnit: "))] | length')"
