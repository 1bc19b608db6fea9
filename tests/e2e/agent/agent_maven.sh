# SPDX-License-Identifier: Apache-2.0
# long
# beside others
# one JDK: Maven's
# Tests as runs with the real Maven and Surefire: by the command lines of docs/junit.md, and by a pom.
. tests/support/lib.sh
. tests/support/server_lib.bash
repository=/usr/share/maven-repo
command -v mvn >/dev/null && [ -d $repository/org/junit/jupiter ] || {
    skip "tests as runs in Maven: maven or junit5 is not installed"
    exit
}
for plugin in surefire compiler resources; do
    [ -d $repository/org/apache/maven/plugins/maven-$plugin-plugin ] || {
        skip "tests as runs in Maven: Debian's maven-$plugin-plugin is not installed"
        exit
    }
done
camp=$T/camp
jar=$PWD/build/ixor-junit.jar

# newest PATH: the newest version of an artifact in Debian's repository
newest() { find "$repository/$1" -mindepth 1 -maxdepth 1 -name '[0-9]*' -printf '%f\n' | sort -V | tail -n 1; }
plugin() { # plugin ARTIFACT [CONFIGURATION]
    echo "<plugin><artifactId>$1</artifactId>
        <version>$(newest "org/apache/maven/plugins/$1")</version>
        <configuration>${2:-}</configuration></plugin>"
}
# project CONFIGURATION: a Maven project with this configuration of Surefire
project() {
    mkdir -p "$T/project/src/test/java"
    cp -r tests/junit/acme "$T/project/src/test/java"
    cat >"$T/project/pom.xml" <<EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>acme</groupId> <artifactId>acme</artifactId> <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source> <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency>
    <groupId>org.junit.jupiter</groupId> <artifactId>junit-jupiter</artifactId>
    <version>$(newest org/junit/jupiter/junit-jupiter)</version> <scope>test</scope>
  </dependency></dependencies>
  <build><plugins>
    $(plugin maven-resources-plugin) $(plugin maven-compiler-plugin) $(plugin maven-surefire-plugin "$1")
  </plugins></build>
</project>
EOF
}
# These JVMs live for seconds: Maven's own, and Surefire's, in which the tests are.
export MAVEN_OPTS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto'
# maven ARG...: without the network
maven() {
    (cd "$T/project" && timeout 300 mvn -s "$T/settings.xml" -B -q "$@") >"$T/mvn.out" 2>&1
}
cat >"$T/settings.xml" <<EOF
<settings>
  <localRepository>$T/m2</localRepository>
  <mirrors><mirror><id>debian</id><mirrorOf>*</mirrorOf><url>file://$repository</url></mirror></mirrors>
</settings>
EOF
ended() { wait_for 60 is "$1" 'select count(*) from execution where end_ns is not null'; }
runs='aborts|unknown fails|failed passes|passed repeats#2|passed repeats#3|passed repeats|passed takes[1]|passed takes[2]|failed'
verdicts() {
    sql "select replace(name, 'acme.KindsTest.', ''), verdict from execution" | LC_ALL=C sort | xargs
}

serve_on 127.0.0.1:0 --tests --every 20ms
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out" | sed "s,:[^=]*=,:$AGENT=,")

# Nothing but the command line.
project ''
maven test -Dtest=KindsTest -DargLine="$word $MAVEN_OPTS" "-Dmaven.test.additionalClasspath=$jar"
has "Maven says what failed" 'Tests run: 8, Failures: 2, Errors: 0, Skipped: 1' "$T/mvn.out"
ended 8
same "a run for each test" "$runs" "$(verdicts)"
same "in one JVM, which is not Maven's" "1 tests" "$(sql "select count(distinct pid), role from vm" | tr '|' ' ')"
same "the agent says nothing" 0 "$(grep -ciE 'ixor(-junit)?: |picked up' "$T/mvn.out")"
same "Surefire's channel is not disturbed" 0 "$(cat "$T"/project/target/surefire-reports/*.dump* 2>/dev/null |
    grep -c Corrupted)"
kill "$server" && wait "$server"

# In the pom, with a JVM for each class, two at a time.
camp=$T/forks
serve_on 127.0.0.1:0 --tests --every 20ms
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out" | sed "s,:[^=]*=,:$AGENT=,")
project "<argLine>$word $MAVEN_OPTS</argLine>
    <additionalClasspathElements><additionalClasspathElement>$jar</additionalClasspathElement>
    </additionalClasspathElements>"
sed 's/KindsTest/OtherTest/' tests/junit/acme/KindsTest.java >"$T/project/src/test/java/acme/OtherTest.java"
maven test -Dtest='KindsTest,OtherTest' -DforkCount=2 -DreuseForks=false
has "the same by the pom" 'Tests run: 16, Failures: 4, Errors: 0, Skipped: 2' "$T/mvn.out"
ended 16
same "a run for each test of two JVMs" "$runs" "$(verdicts | tr ' ' '\n' | grep -v OtherTest | xargs)"
same "each in one of them" "2 16" "$(sql "select count(distinct pid), count(*) from vm" | tr '|' ' ')"
kill "$server" && wait "$server"

# Without any of that: ixor run --tests.
camp=$T/run
project ''
(cd "$T/project" && timeout 300 "$IXOR" run --tests --agent "$AGENT" --out "$camp" --every 20ms -- \
    mvn -s "$T/settings.xml" -B -q test -Dtest=KindsTest) >"$T/mvn.out" 2>"$T/mvn.err"
same "ixor run --tests: Maven's exit status" 1 $?
has "its output is shown" 'Tests run: 8, Failures: 2, Errors: 0, Skipped: 1' "$T/mvn.out"
same "a run for each test of the build" "$runs" "$(verdicts)"
same "in one JVM, which is not Maven's" "1 tests" "$(sql "select count(distinct pid), role from vm" | tr '|' ' ')"
same "ixor says how the build ended, and the agent nothing" "ixor: build 1/1: ended" \
    "$(cat "$T/mvn.out" "$T/mvn.err" | grep -ai 'ixor.*: ' | grep -av 'Picked up' | grep -ao 'ixor: build 1/1: ended')"
same "Surefire's channel is not disturbed" 0 "$(cat "$T"/project/target/surefire-reports/*.dump* 2>/dev/null |
    grep -c Corrupted)"
