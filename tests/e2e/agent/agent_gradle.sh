# SPDX-License-Identifier: Apache-2.0
# long
# beside others
# one JDK: Gradle's
# Tests as runs with the real Gradle: ixor run --tests, and the lines of docs/junit.md. Debian's Gradle,
# 4.4.1, knows only JUnit 4, which runs tests of JUnit 5 by a runner of its own.
. tests/support/lib.sh
. tests/support/server_lib.bash
jars=
for name in junit4 hamcrest junit-platform-{commons,engine,launcher,runner,suite-api,suite-commons} opentest4j \
    apiguardian-api junit-jupiter-{api,engine,params} univocity-parsers; do
    jars+="'/usr/share/java/$name.jar', "
    [ -f "/usr/share/java/$name.jar" ] || jars=none
done
command -v gradle >/dev/null && [ "${jars#none}" = "$jars" ] || {
    skip "tests as runs in Gradle: gradle or junit5 is not installed"
    exit
}
mkdir -p "$T/project/src/test/java"
for class in KindsTest OtherTest; do
    sed -e 's/^class/@org.junit.runner.RunWith(org.junit.platform.runner.JUnitPlatform.class)\npublic class/' \
        -e "s/KindsTest/$class/" tests/junit/acme/KindsTest.java >"$T/project/src/test/java/$class.java"
done
# build DEPENDENCY LINE...: build.gradle with these lines of the recipe
build() {
    cat >"$T/project/build.gradle" <<END
apply plugin: 'java'
dependencies {
    testCompile files(${jars%, })
    $1
}
test {
    jvmArgs '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'
    $(printf '    %s\n' "${@:2}")
}
END
}
# These JVMs live for seconds: Gradle's own, too.
export GRADLE_OPTS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto' GRADLE_USER_HOME=$T/home
gradle=(gradle --offline --no-daemon -q)
verdicts() { # of the runs of a class
    sql "select replace(name, 'acme.$1.', ''), verdict from execution where name like 'acme.$1.%'" |
        LC_ALL=C sort | xargs
}
runs='aborts|unknown fails|failed passes|passed repeats#2|passed repeats#3|passed repeats|passed takes[1]|passed takes[2]|failed'

# Nothing but the command; a JVM for each class, two at a time.
camp=$T/run
build '' 'maxParallelForks = 2' 'forkEvery = 1'
(cd "$T/project" && timeout 300 "$IXOR" run --tests --agent "$AGENT" --out "$camp" --every 20ms -- \
    "${gradle[@]}" cleanTest test) >"$T/out" 2>"$T/err"
same "ixor run --tests: Gradle's exit status" 1 $?
has "its output is shown" '^16 tests completed, 4 failed, 2 skipped' "$T/err"
for class in KindsTest OtherTest; do same "a run for each test: $class" "$runs" "$(verdicts $class)"; done
same "in two JVMs, which are not Gradle's" "2 tests" "$(sql "select count(distinct pid), role from vm" | tr '|' ' ')"
same "ixor says how the build ended, and the agent nothing" "ixor: build 1/1: ended" \
    "$(cat "$T/out" "$T/err" | grep -ai 'ixor.*: ' | grep -av 'Picked up' | grep -ao 'ixor: build 1/1: ended')"

# The lines of the recipe; Gradle's own JVM knows nothing.
camp=$T/serve
serve_on 127.0.0.1:0 --tests --every 20ms
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out" | sed "s,:[^=]*=,:$AGENT=,")
build "testRuntimeOnly files('$PWD/build/ixor-junit.jar')" "jvmArgs '$word'"
(cd "$T/project" && timeout 300 "${gradle[@]}" cleanTest test --tests '*KindsTest') >"$T/gradle.out" 2>&1
has "Gradle says what failed" '^8 tests completed, 2 failed, 1 skipped' "$T/gradle.out"
check "all runs end" wait_for 60 is 8 'select count(*) from execution where end_ns is not null'
same "a run for each test, by build.gradle" "$runs" "$(verdicts KindsTest)"
same "in one JVM" "1 tests" "$(sql "select count(distinct pid), role from vm" | tr '|' ' ')"
same "the agent says nothing" 0 "$(grep -ciE 'ixor(-junit)?: |picked up' "$T/gradle.out")"
kill "$server" && wait "$server"
