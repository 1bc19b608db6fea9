# SPDX-License-Identifier: Apache-2.0
# long
# beside others
# A test as a run: JUnit's ConsoleLauncher with ixor-junit.jar, and calls that no launcher makes.
# EMPTY_TESTS (100): how many tests that do nothing.
. tests/support/lib.sh
. tests/support/server_lib.bash
jar=$PWD/build/ixor-junit.jar
jars=/usr/share/java

# have JAR...: all are among Debian's
have() {
    local name
    for name in "$@"; do [ -f "$jars/$name.jar" ] || return 1; done
}
platform='junit-platform-commons junit-platform-engine junit-platform-launcher opentest4j apiguardian-api'
console="$platform junit-jupiter-api junit-jupiter-engine junit-jupiter-params junit-platform-console \
    junit-platform-reporting picocli univocity-parsers junit-vintage-engine junit4 hamcrest"
# shellcheck disable=SC2086 # a list of words
have $console || { skip "tests as runs: JUnit is not installed"; exit; }
check "the jar is built" test -s "$jar" || exit
# shellcheck disable=SC2086
path=$(printf "$jars/%s.jar:" $console)
mkdir "$T/classes"
# javac's and JUnit's own classes are most of what the JVM would compile.
quick=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)
"$JAVA_HOME/bin/javac" "${quick[@]/#/-J}" -nowarn -d "$T/classes" -cp "$jar:$path" tests/junit/*/*.java \
    tests/junit/ixor/junit/*.java 2>"$T/javac" || not_ok "the tests compile"

camp=$T/camp
# calls NAME ARG...: a program that calls the agent; its output is in $T/NAME.out and .err
calls() {
    local name=$1
    shift
    timeout 120 "$JAVA" "$word" -Xcheck:jni -cp "$T/classes:$jar" ixor.junit.Calls "$@" \
        >"$T/$name.out" 2>"$T/$name.err"
}
# launch NAME [JVM-OPTION...] CLASS: JUnit runs the tests of a class
launch() {
    local name=$1
    shift
    timeout 120 "$JAVA" "${quick[@]}" "${@:1:$#-1}" -cp "$T/classes:$jar:$path" \
        org.junit.platform.console.ConsoleLauncher --disable-banner --details=none \
        --select-class "${*: -1}" >"$T/$name.out" 2>"$T/$name.err"
}
verdicts() { # of the runs whose name begins with this
    sql "select substr(name, ${#1} + 1), verdict from execution where name like '$1%' order by id" | xargs
}
# ended N PREFIX: waits until so many runs have ended
ended() { wait_for 60 is "$1" "select count(*) from execution where end_ns is not null and name like '$2%'"; }
quiet() { same "$1: says nothing" "" "$(cat "$T/$2.err")"; }

# ---- ixor run --tests ----

# build NAME [OPTION...] -- CLASS: the tests of a class by ixor run
build() {
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    timeout 120 "$IXOR" run --tests --agent "$AGENT" --out "$camp" "${options[@]}" -- "$JAVA" \
        "${quick[@]}" -cp "$T/classes:$path" org.junit.platform.console.ConsoleLauncher --disable-banner \
        --details=none --select-class "$2" >"$T/$name.out" 2>"$T/$name.err"
}
camp=$T/run
build run --every 10ms -- acme.LimitsTest
same "ixor run --tests: exit status of the command" 1 $?
same "a run for each test, with its verdict" "ends|passed times_out|failed" "$(verdicts acme.LimitsTest. |
    tr ' ' '\n' | LC_ALL=C sort | xargs)"
same "the command's output is shown" 1 "$(grep -c '1 tests failed' "$T/run.out")"
has "then the summary" "^$camp: 2 runs, 1 passed, 1 failed$" "$T/run.out"
has "which says the rate of each test" '^  acme.LimitsTest.times_out:$' "$T/run.out"
has "and what to type next" "roxi report $camp --test acme.LimitsTest.times_out\$" "$T/run.out"
same "no more is said" "Picked ixor: build 1/1: ended" "$(awk '{print $1, $2, $3, $4}' "$T/run.err" |
    sed 's/^Picked.*/Picked/' | xargs)"
same "a burst before JUnit interrupts a test" "10 1" "$(sql "select count(*),
    (select count(*) from mark where execution = e.id and text like 'a burst of packets%')
    from packet join execution e on e.id = execution where asked = 'burst' and name like '%.times_out'" |
    tr '|' ' ')"
same "and of no other" 10 "$(sql "select count(*) from packet where asked = 'burst'")"
"$ROXI" export "$camp" --execution acme.LimitsTest.times_out --format collapsed >"$T/stacks" 2>&1
has "its packets show where the test hangs" 'acme.LimitsTest.times_out' "$T/stacks"

build none -- acme.Main
check "no test: the command's exit status is kept" test $? -gt 0
has "and one line says so" '^ixor run: no test was recorded: ' "$T/none.err"
build twice --runs 2 --burst-after 1ms -- acme.EmptyTest
same "--runs 2: exit status" 0 $?
same "each is a run" "does_nothing|passed does_nothing#2|passed" "$(verdicts acme.EmptyTest.)"

build nodes -- acme.NodesTest
same "a test that starts JVMs: one run, of its own JVM" "starts_nodes|passed 1" \
    "$(verdicts acme.NodesTest.) $(sql "select count(*) from vm join execution e on e.id = execution
        where name like 'acme.NodesTest.%'")"
has "and one line says that they were not recorded" \
    "^ixor: 2 JVMs that tests started were not recorded; to record them, use 'ixor run -- COMMAND' " "$T/nodes.err"

# Of two tests that fail, the one that has passed, too, is flaky.
camp=$T/flaky
next_of() { sed -n '/^Next:/,$p' "$T/$1.out" | tr -d "'" | sed -n 's/.* --test acme\.KindsTest\.//p' | head -n 1; }
build first --every 10ms -- acme.KindsTest
case $(next_of first) in fails) other="takes\[2\]" ;; *) other=fails ;; esac
"$IXOR" label "$camp" "acme.KindsTest.${other//\\/}" passed >"$T/out" 2>&1
build second --every 10ms -- acme.KindsTest
has "the one to look at next is flaky" "^$other\$" <(next_of second)
camp=$T/run

# As Gradle does with tests that have passed.
timeout 120 "$IXOR" run --tests --runs 2 --agent "$AGENT" --out "$camp" -- sh -c '[ "$IXOR_RUN" = 2 ] || "$@"' - \
    "$JAVA" "${quick[@]}" -cp "$T/classes:$path" org.junit.platform.console.ConsoleLauncher --disable-banner \
    --select-class acme.EmptyTest >"$T/once.out" 2>"$T/once.err"
has "a build that runs no test again: one line says so" \
    '^ixor: build 2/2: .*; runs of tests: 0 \(Gradle: gradle cleanTest test\)$' "$T/once.err"

# ---- JUnit ----

camp=$T/camp
serve_on 127.0.0.1:0 --tests --every 10ms
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out" | sed "s,:[^=]*=,:$AGENT=,")
has "what to type has runs=tests" 'runs=tests' "$T/out"
same "and there is no run yet" 0 "$(sql 'select count(*) from execution')"

launch kinds "$word" acme.KindsTest
same "JUnit: the tests' own result" 1 $?
quiet "JUnit" kinds
ended 8 acme.KindsTest.
same "a run for each test, with its verdict" \
    "aborts|unknown fails|failed passes|passed repeats#2|passed repeats#3|passed repeats|passed takes[1]|passed takes[2]|failed" \
    "$(verdicts acme.KindsTest. | tr ' ' '\n' | LC_ALL=C sort | xargs)"
same "each with one JVM, which said goodbye" "1 tests orderly" "$(sql "select distinct
    (select count(*) from vm where execution = e.id) || ' ' || role || ' ' || ended
    from vm join execution e on e.id = execution")"
check "and packets" at_least 8 "select count(distinct execution) from vm join snapshot on vm.id = vm"
same "what a failure was" "org.opentest4j.AssertionFailedError: two lines ==> expected: <1> but was: <2>" \
    "$(sql "select text from mark join execution e on e.id = execution where name like '%.fails'")"
same "and what was left" "left 5 threads: left-0, left-1, left-2, ..." \
    "$(sql "select text from mark join execution e on e.id = execution where name like '%.passes'")"
same "the status shows it" 1 "$("$IXOR" status "$camp" | grep -c 'left 5 threads')"
for log in "$camp"/runs/*/*.ixl; do "$ROXI" dump "$log"; done >"$T/dump" 2>&1
same "each has its own first exceptions: two tests fail in one JVM, whose class is prepared only once" 2 \
    "$(grep -cE '^first exception: org.opentest4j.AssertionFailedError at .* in "main"$' "$T/dump")"
# The stacks of a run are those of its test.
for name in fails passes; do
    "$ROXI" export "$camp" --execution acme.KindsTest.$name --format collapsed >"$T/$name.stacks" 2>&1
done
has "the stacks of a test" 'acme.KindsTest.fails' "$T/fails.stacks"
same "are not in another's run" 0 "$(grep -c 'acme.KindsTest.fails' "$T/passes.stacks")"

# Runs of one test are compared, not those of different ones.
"$ROXI" rank "$camp" >"$T/rank" 2>"$T/rank.err"
same "roxi rank wants a test: exit status" 1 $?
has "and lists them" "has runs of 6 tests.*--test: 'acme.KindsTest.repeats' \(3\), 'acme.KindsTest" "$T/rank.err"
same "roxi rank --test" "repeats repeats#2 repeats#3" \
    "$("$ROXI" rank "$camp" --test KindsTest.repeats 2>"$T/rank.err" | sed 's/.*Test\.\(.*\)\t.*/\1/' | sort | xargs)"
"$ROXI" rank "$camp" --test KindsTest.none >"$T/rank" 2>"$T/rank.err"
has "a test that is not there" "option --test: .* has no runs of a test 'KindsTest.none'" "$T/rank.err"
check "roxi explain takes the run's own test" "$ROXI" explain "$camp" 'acme.KindsTest.repeats#2'
check "roxi ci --test" "$ROXI" ci "$camp" --test acme.KindsTest.repeats
check "roxi report --test" "$ROXI" report "$camp" --test acme.KindsTest.repeats -o "$T/test.html"
has "counts the JVMs of that test's runs alone" '<td>[0-9]+ packets to 3 JVMs: ' "$T/test.html"

# Tests that share a method's name, or a parameter's number, and repetitions that are not plain to see.
launch names "$word" acme.NamesTest
same "JUnit: odd names" 0 $?
quiet "odd names" names
ended 12 acme.NamesTest
same "repetitions are runs of a test, all else is a test of its own" "composed composed#2 elsewhere()[1] \
groups[1][1] groups[2][1] helped inherited inherited#2 overloaded() overloaded(TestInfo)" \
    "$(sql "select replace(name, 'acme.NamesTest.', '') from execution where name like 'acme.NamesTest.%'" |
        LC_ALL=C sort | xargs)"
same "in a class within a class, too" "nested nested#2" \
    "$(sql "select replace(name, 'acme.NamesTest\$Inner.', '') from execution where name like '%Inner.%'" | xargs)"
launch old "$word" old.OldTest
same "JUnit 4" 0 $?
ended 2 old.
same "JUnit 4: parameters" "old.OldTest.takes[a] old.OldTest.takes[b_c]" \
    "$(sql "select name from execution where name like 'old.%'" | xargs)"

"$JAVA" "${quick[@]}" "$word" -cp "$T/classes:$jar:$path" rerun.Rerun >"$T/rerun.out" 2>"$T/rerun.err"
same "a failed test that is run once more" 0 $?
quiet "that" rerun
ended 3 rerun.
same "each try is a run of the test" "passes_at_last#2|passed passes_at_last|failed passes|passed" \
    "$(verdicts rerun.FlakyTest. | tr ' ' '\n' | LC_ALL=C sort | xargs)"

launch parallel "$word" -Djunit.jupiter.execution.parallel.enabled=true \
    -Djunit.jupiter.execution.parallel.mode.default=concurrent \
    -Djunit.jupiter.execution.parallel.config.strategy=fixed \
    -Djunit.jupiter.execution.parallel.config.fixed.parallelism=2 acme.MeetTest
same "parallel tests pass" 0 $?
same "that they are not recorded is said once" 1 "$(grep -c 'at the same time in one JVM are not recorded' "$T/parallel.err")"
same "and nothing else" 1 "$(wc -l <"$T/parallel.err")"
same "the first one's run, if it came to that, ended when the second began" 0 \
    "$(sql "select count(*) from execution where name like 'acme.MeetTest.%' and verdict <> 'unknown'")"

launch no_agent acme.KindsTest
same "the jar without the agent: the tests' own result" 1 $?
same "one line says so" "ixor-junit: tests are not recorded: the agent is not in this JVM (-agentpath:.../libixor.so=...,runs=tests)" \
    "$(cat "$T/no_agent.err")"
launch not_asked "${word/runs=tests,/}" acme.EmptyTest
same "without runs=tests one line says that" "ixor-junit: tests are not recorded: the agent's options lack runs=tests" \
    "$(grep ixor-junit "$T/not_asked.err")"

"$JAVA" "$word" -cp "$T/classes" acme.Main >"$T/no_jar.out" 2>"$T/no_jar.err"
same "the agent without the jar: the program's own end" "0 ran" "$? $(cat "$T/no_jar.out")"
same "one line says so" "ixor: runs=tests, but no test has begun in this JVM; is ixor-junit.jar on its class path?" \
    "$(cat "$T/no_jar.err")"

# ---- calls in an order that JUnit never has ----

calls twice twice
same "a test in a test: not recorded" "begin 0 begin 2 begin 2 begin 0 done" "$(xargs <"$T/twice.out")"
calls end end
same "an end without a beginning" "begin 0 done" "$(xargs <"$T/end.out")"
calls names names
same "any name" 9 "$(grep -c '^begin 0$' "$T/names.out")"
calls threads threads 4
same "beginnings on several threads: the one after them is recorded" "begin 0 done" "$(xargs <"$T/threads.out")"
calls exit exit
same "System.exit in a test: its status" 3 $?
calls halt halt
same "Runtime.halt in a test: its status" 3 $?
for name in twice end names threads exit halt; do quiet "$name" $name; done
ended 2 twice.
same "twice" "first|unknown after|passed" "$(verdicts twice.)"
ended 1 end.
same "end" "after|passed" "$(verdicts end.)"
ended 1 exit. && ended 1 halt.
same "a JVM that ends in a test: it failed" "failed|the JVM ended before the test failed|the JVM ended before the test" \
    "$(sql "select verdict, text from execution e join mark on e.id = execution
            where name in ('exit.test', 'halt.test')" | xargs)"
check "names are those of files" test -z "$(sql 'select name from execution' | grep -E '/|^\.|^$')"
same "and fit" 1 "$(sql 'select max(length(cast(name as blob))) <= 200 from execution')"

# The last of six runs is the only one that has a thread of another.
mkfifo "$T/next"
calls leave leave <"$T/next" &
leave=$!
exec 7>"$T/next"
for run in test 'test#2' 'test#3' 'test#4' 'test#5' 'test#6'; do
    [ $run != 'test#5' ] || echo -n '!' >&7
    wait_for 60 at_least 8 "select count(*) from snapshot join vm on vm.id = vm
        join execution e on e.id = execution where name = 'leave.$run'"
    [ $run = 'test#6' ] || echo -n . >&7
done
exec 7>&-
wait $leave
ended 6 leave.
for run in 5 6; do
    log=$camp/$(sql "select log from vm join execution e on e.id = execution where name = 'leave.test#$run'")
    "$ROXI" dump "$log" >"$T/dump.$run" 2>&1
done
has "a thread in the test that starts it" '^"left" #[0-9]+ start [0-9]+ group main prio 5 daemon$' "$T/dump.5"
has "and in the next one, where it is left behind" \
    '^"left" #[0-9]+ start [0-9]+ group main prio 5 daemon, left behind by an earlier test$' "$T/dump.6"
# Java's Common-Cleaner starts when it is first needed (25), which may be in a test.
same "no other thread is" 'left' "$(sed -n 's/^"\(.*\)" #.*, left behind by .*/\1/p' "$T/dump.6" |
    grep -v '^Common-Cleaner$' | sort -u)"
# Not by their ranks, which other load on the machine changes.
"$ROXI" explain "$camp" 'leave.test#5' --all >"$T/explain" 2>&1
has "that thread makes its own run unusual" '"left"|thread left|Calls.stay' "$T/explain"
"$ROXI" explain "$camp" 'leave.test#6' --all >"$T/explain" 2>&1
same "and not the next one" 0 "$(grep -c '"left"\|thread left\|Calls.stay' "$T/explain")"
quiet leave leave

many=${EMPTY_TESTS:-100}
calls many many "$many"
same "$many tests that do nothing are as many runs" "begun $many" "$(grep -o 'begun [0-9]*' "$T/many.out")"
ended "$many" many.
same "with names of their own" "$many passed many.test#$many" "$(sql "select count(distinct name),
    min(verdict), (select name from execution order by id desc limit 1) from execution
    where name like 'many.%'" | tr '|' ' ')"
quiet many many

# ---- a server that goes, and comes back ----

mkfifo "$T/in"
calls stay stay <"$T/in" &
stay=$!
exec 7>"$T/in"
wait_for 30 at_least 1 "select count(*) from snapshot join vm on vm.id = vm
    join execution e on e.id = execution where name = 'stay.test'"
kill -9 "$server"
wait "$server" 2>/dev/null
exec 7>&-
wait $stay
same "the server dies in a test: the test ends" "0 done" "$? $(tail -n 1 "$T/stay.out")"
calls away many 200
same "no server: tests are not recorded" "begun 0" "$(grep -o 'begun [0-9]*' "$T/away.out")"
same "and one line says so" 1 "$(wc -l <"$T/away.err")"
has "which one" "^ixor: no server at 127.0.0.1, port [0-9]+; tests are not recorded while there is none" "$T/away.err"
check "only the first test waits" test "$(sed 's/.*us_each \([0-9]*\) .*/\1/;q' "$T/away.out")" -lt 100000

serve_on "$address" --tests --every 10ms
calls back one
same "a server that is back: tests are recorded" "begin 0 done" "$(xargs <"$T/back.out")"
kill "$server" && wait "$server"
same "a server that stops: exit status" 0 $?
same "the run whose end no server saw has not passed" unknown \
    "$(sql "select verdict from execution where name = 'stay.test'")"
same "and a run whose end it saw has" passed "$(sql "select verdict from execution where name = 'one.test'")"

# A server that does not want tests refuses each, and one with another key never answers.
address=
camp=$T/plain
serve_on 127.0.0.1:0
plain=${word/server=*,log=/server=$address,log=}
word=$plain calls refused many 3
has "a server without --tests: one line" '^ixor: the server at .* refused this JVM: tests get runs of their own only' "$T/refused.err"
same "and only one" 1 "$(wc -l <"$T/refused.err")"
has "no test is recorded" 'begun 0' "$T/refused.out"
kill "$server" && wait "$server"

. tests/support/agent_lib.bash
beat_start other
IXOR_KEY=ixor-agent-$(printf '%064d' 8)
word=${word/server=*,log=/server=127.0.0.1:$PORT,log=} calls key many 3
has "another key: one line" '^ixor: the server at .* does not accept this JVM.s key' "$T/key.err"
same "and only one for the key" 1 "$(wc -l <"$T/key.err")"
has "no test is recorded with it" 'begun 0' "$T/key.out"
beat_stop
