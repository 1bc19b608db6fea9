#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# Which code a JUnit test executes: its own, and not that of tests before it in the same JVM. One of twenty repetitions takes
# a branch that an earlier test takes as well; all pass. roxi rank puts it first, and roxi explain names the line.
. tests/support/lib.sh
jars=/usr/share/java
path=$(printf "$jars/%s.jar:" junit-platform-commons junit-platform-engine junit-platform-launcher opentest4j \
    apiguardian-api junit-jupiter-api junit-jupiter-engine junit-platform-console junit-platform-reporting picocli)
for jar in ${path//:/ }; do
    [ -f "$jar" ] || { skip "tests as runs: JUnit is not installed ($jar)"; exit; }
done
mkdir "$T/classes"
"$JAVA_HOME/bin/javac" -nowarn -g -d "$T/classes" -cp "$path" tests/junit/acme/{Price,Account,Late,Dies}Test.java 2>"$T/javac" ||
    not_ok "the tests compile"

# build NAME CLASS [OPTION...]: the tests of the class by ixor run
build() {
    local name=$1 class=$2
    shift 2
    timeout 120 "$IXOR" run --tests --out "$T/$name" "$@" -- "$JAVA" -XX:TieredStopAtLevel=1 \
        -cp "$T/classes:$path" org.junit.platform.console.ConsoleLauncher --disable-banner --details=none \
        --select-class "acme.$class" >"$T/$name.out" 2>&1
}
build camp PriceTest --every 10ms
same "all tests passed" "21 0" "$(sqlite3 -separator ' ' "$T/camp/campaign.db" \
    "SELECT count(*), sum(verdict <> 'passed') FROM execution")"

line=$(sed -n '/\/\/ refund$/=' tests/junit/acme/PriceTest.java)
# executed RUN: how many blocks of that line
executed() {
    "$ROXI" export "$T/camp" --execution "acme.PriceTest.$1" --format json 2>"$T/err" | jq --argjson line "$line" '
        . as $all | [.executions[].vms[] | (.snapshots[]?.covered, .covered) // [] | .[][0] | $all.frames[.] |
        select(.[1] == $line) | $all.methods[.[0]][1] | select(. == "price")] | length'
}
check "the first test takes the branch" test "$(executed refunds)" -gt 0
check "so does the odd repetition" test "$(executed adds#12)" -gt 0
same "and no other" "0 0 0 0" "$(for run in adds adds#2 adds#11 adds#13; do executed "$run"; done | xargs)"

same "of Ixor's own classes in the tests' JVM nothing is recorded" 0 "$(for log in "$T"/camp/runs/*/*.ixl; do
    "$ROXI" dump "$log"
done | grep -c '^executed: ixor\.')"

"$ROXI" rank "$T/camp" --test PriceTest.adds >"$T/rank" 2>"$T/err"
same "it comes first" "acme.PriceTest.adds#12" "$(head -n 1 "$T/rank" | cut -f 1)"
"$ROXI" explain "$T/camp" 'acme.PriceTest.adds#12' --all --json >"$T/json" 2>"$T/err"
same "because of its code" "executed-here 19 0" "$(jq -r '.findings[0] |
    [.kind, .normal_runs, .normal_runs_like_this] | join(" ")' "$T/json")"
has "of that class" 'acme\.PriceTest\.(adds|price)\(PriceTest\.java:[0-9]+\)' "$T/json"
same "nothing is unusual of another one" 0 "$("$ROXI" explain "$T/camp" 'acme.PriceTest.adds#13' --all --json \
    2>"$T/err" |
    jq '[.findings[] | select(.kind == "executed-here")] | length')"

# Tests that are shorter than the time between two packets have no call stacks at all.
build short PriceTest --every 1m
same "a short test: no packets" 0 "$(sqlite3 "$T/short/campaign.db" "SELECT count(*) FROM snapshot")"
"$ROXI" rank "$T/short" --test PriceTest.adds >"$T/rank" 2>"$T/err"
same "a short test: the odd repetition is first" "acme.PriceTest.adds#12 0" "$(head -n 1 "$T/rank" | cut -f 1) $(wc -c <"$T/err")"
"$ROXI" explain "$T/short" 'acme.PriceTest.adds#12' --all >"$T/out" 2>"$T/err"
has "a short test: its code" '^tests: executed code in PriceTest\.' "$T/out"

build without PriceTest --every 10ms --no-coverage
same "--no-coverage: nothing is known of it" 0 "$("$ROXI" export "$T/without" --format json 2>"$T/err" |
    grep -c '"covered"')"

# With what tests fail, numbers apart. What an exception leads to on its way out of the test is no finding.
build failing AccountTest
check "without --every: a packet each 20 ms" awk '$1 < 15 || $1 > 60 { exit 1 }' <(sqlite3 "$T/failing/campaign.db" \
    "SELECT avg(ms) FROM (SELECT (sent_ns - lag(sent_ns) OVER (PARTITION BY execution ORDER BY number)) / 1e6 AS ms FROM packet)")
"$ROXI" explain "$T/failing" --failed --json >"$T/json" 2>"$T/err"
same "how often with what" "2 org.opentest4j.AssertionFailedError: expected: <20> but was: <24>
1 java.lang.IllegalStateException: account 7; left the bank" "$(jq -r '.failures[] | [.runs, .text] | join(" ")' "$T/json")"
"$ROXI" explain "$T/failing" --failed >"$T/out" 2>"$T/err"
has "in words" '^  - 1 run: java\.lang\.IllegalStateException: account 7; left the bank$' "$T/out"
has "what all names have in common is said once" '^All names begin with acme\.AccountTest\.$' "$T/out"
has "and left out then" '^    in adds#(4|5|10), ' "$T/out"
"$ROXI" explain "$T/failing" 'adds#5' >"$T/out" 2>"$T/err"
has "of one run" '^Its test failed with org\.opentest4j\.AssertionFailedError: expected: <20> but$' "$T/out"
"$ROXI" explain "$T/failing" 'adds#4' --format markdown >"$T/out" 2>"$T/err"
has "in Markdown" '^Its test failed with `java\.lang\.IllegalStateException: account 7; left the bank`$' "$T/out"
"$ROXI" explain "$T/failing" 'adds#3' --json >"$T/json" 2>"$T/err"
same "one that passed did not fail with anything" "passed null" "$(jq -r '"\(.verdict) \(.failure)"' "$T/json")"
for run in 'adds#4' 'adds#5' 'adds#10'; do
    "$ROXI" explain "$T/failing" "$run" --all --json >"$T/json" 2>"$T/err"
    same "$run: its exception, and not what closes the account" "first-exception 0" "$(jq -r '[.findings[0].kind,
        ([.findings[] | select(.kind == "executed-here" and (.path[0] | test("AccountTest\\.adds")))] | length)] |
        join(" ")' "$T/json")"
done

"$ROXI" report "$T/failing" >"$T/out" 2>"$T/err"
same "of two kinds of failures each reason is said once" "2 1" "$(grep -c '^    tests, since packet .*: made its first' "$T/out") $(grep -cE \
    '^    as in adds#(5|10): tests(, since packet [0-9]+ \([0-9.]+ s\))?$' "$T/out")"

# What is known of a JVM that did not end in an orderly way is not what its test failed with.
build dies DiesTest
"$ROXI" explain "$T/dies" 'works#4' --json >"$T/json" 2>"$T/err"
same "a test that ends its JVM" "failed null" "$(jq -r '"\(.verdict) \(.failure)"' "$T/json")"

# A test of 0.6 s that waits for 2 s: the wait comes before the code that is no longer executed meanwhile.
build late LateTest --every 50ms
"$ROXI" rank "$T/late" >"$T/rank" 2>"$T/err"
same "the one that waits is first" "acme.LateTest.works#6" "$(head -n 1 "$T/rank" | cut -f 1)"
check "and worth a look ($(head -n 1 "$T/rank" | cut -f 2))" awk -F'\t' 'NR == 1 { exit !($2 > 1) }' "$T/rank"
"$ROXI" explain "$T/late" 'works#6' --json >"$T/json" 2>"$T/err"
same "it waits" "only-here acme.LateTest.late" "$(jq -r '.findings[0] | [.kind, (.path[1] | sub("\\(.*"; ""))] | join(" ")' "$T/json")"
