# SPDX-License-Identifier: Apache-2.0
# beside others
# Other agents and limits: a full heap, a full stack, a Java agent that transforms classes, JVM
# options that change the JVM's structure. Output and status are the same as without the agent.
#   NEIGHBOURS_SECONDS (default: less than 1): how long each case runs.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
MILLIS=$((${NEIGHBOURS_SECONDS:-0} * 1000 + 400))

# reported_is_logged NAME: all packets that were reported are in the log
reported_is_logged() {
    comm -23 <(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/$1.beat" | sort) \
        <(awk -F'\t' '$1 == "packet" { print $2 }' "$T/$1.txt" | sort) >"$T/lost"
    [ ! -s "$T/lost" ]
}

# enough NAME: so many packets are in the log, and whatever $ENOUGH matches
enough() {
    log_of "$1"
    at_least 3 '^packet' "$T/$1.txt" && grep -q -- "${ENOUGH:-}" "$T/$1.txt"
}

# beside NAME AGENT-OPTIONS STATUS STDOUT [JVM-OPTION|CLASS|ARG]...: sampled, it is as expected
beside() {
    local name=$1 options=$2 status=$3 out=$4
    shift 4
    beat_start "$name" --every 5 --once
    (wait_for 60 enough "$name" && touch "$T/$name.enough") &
    local watcher=$!
    jvm "$name" "$options" "-Denough=$T/$name.enough" "$@" </dev/null
    same "$name: exit status" "$status" $?
    kill $watcher 2>/dev/null
    wait $watcher
    wait "$BEAT_PID"
    same "$name: stdout" "$out" "$(cat "$T/$name.out")"
    quiet "$name: nothing is said" "$T/$name.err"
    log_of "$name"
    same "$name: the log is whole" "" "$(cat "$T/$name.txt.err")$(grep '^torn' "$T/$name.txt")"
    check "$name: and has what was reported" reported_is_logged "$name"
    check "$name: packets were taken ($(count_of '^packet' "$T/$name.txt"))" \
        at_least 3 '^packet' "$T/$name.txt"
}

beside heap role=x 0 hit -Xmx24m Limits heap "$MILLIS"
beside heap-suspend stop=suspend 0 hit -Xmx24m Limits heap "$MILLIS"
ENOUGH='\[cut\]' beside stack role=x 0 hit Limits stack "$MILLIS"
has "stack: what does not fit is marked as cut" '\[cut\]' "$T/stack.txt"
# These end without a word to any agent: the first exits as it is, and with its heap full a JVM
# cannot make the thread in which it would end well.
beside exit-on-full role=x 3 "Terminating due to java.lang.OutOfMemoryError: Java heap space" \
    -Xmx24m -XX:+ExitOnOutOfMemoryError Limits full 300
beside out-of-memory role=x 1 "" -Xmx24m Limits full 300

echo "Premain-Class: Transformer
Can-Retransform-Classes: true
Can-Redefine-Classes: true" >"$T/manifest"
"$JAVA_HOME/bin/jar" --create --file "$T/transformer.jar" --manifest "$T/manifest" \
    -C "$JAVA_CLASSES" Transformer.class
for walk in all changed; do
    beside "transformer-$walk" walk=$walk 0 change "-javaagent:$T/transformer.jar" \
        Transformer "$MILLIS"
done

# covered NAME PATTERN: how many blocks of classes with such names were executed
covered() { awk -F'\t' -v what="$2" '$1 == "covered" && $3 ~ what { n++ } END { print n + 0 }' "$T/$1.txt"; }

# Ixor puts its probes in first. Classes are retransformed with them, again and again.
# (With -Xcheck:jni: agent_redefine.sh. JDK 17's java.lang.instrument is not silent then.)
beside probes coverage=on 0 change "-javaagent:$T/transformer.jar" Transformer "$MILLIS"
check "probes: of classes that are retransformed ($(covered probes '^(Mixed|Enough)'))" \
    test "$(covered probes '^(Mixed|Enough)')" -gt 5
same "probes: and of one that was changed" 1 "$(covered probes '^Transformer.Target[.]word')"

# JaCoCo itself, from Debian's parts: they are no agent until a manifest says where they are. It must
# not watch itself, and it is older than the class files of new JDKs.
JARS=/usr/share/java
if [ -f $JARS/org.jacoco.agent.rt.jar ]; then
    echo "Premain-Class: org.jacoco.agent.rt.internal.PreMain" >"$T/manifest"
    echo "Class-Path:" $JARS/org.jacoco.{agent.rt,core}.jar \
        $JARS/asm{,-tree,-commons,-analysis}.jar | sed 's/.\{60\}/&\n /g' >>"$T/manifest"
    "$JAVA_HOME/bin/jar" --create --file "$T/jacoco.jar" --manifest "$T/manifest"
    "$JAVA_HOME/bin/javac" --release 11 -d "$T/covered" \
        tests/java/{Covered,Enough}.java 2>"$T/javac.err"
    ENOUGH=Covered.count beside jacoco role=x 0 covered \
        "-javaagent:$T/jacoco.jar=destfile=$T/coverage,excludes=org.jacoco.*:org.objectweb.*" \
        -cp "$T/covered" Covered "$MILLIS"
    has "jacoco: it has covered" Covered "$T/coverage"
    has "jacoco: what it instrumented is in the log" Covered.count "$T/jacoco.txt"
    # Its field comes behind those of the probes.
    ENOUGH=Covered.count beside both coverage=on 0 covered -Xcheck:jni \
        "-javaagent:$T/jacoco.jar=destfile=$T/coverage2,excludes=org.jacoco.*:org.objectweb.*" \
        -cp "$T/covered" Covered "$MILLIS"
    has "both: it has covered" Covered "$T/coverage2"
    check "both: so has Ixor ($(covered both '^Covered[.]'))" test "$(covered both '^Covered[.]')" -gt 3
else
    skip "JaCoCo is not installed: not beside it"
fi

SHARED=-Xshare:on
"$JAVA" -Xshare:on -version >"$T/shared.out" 2>&1 || SHARED= # a JDK without an archive
# Large pages that are not there are warned of, in the log.
for option in $SHARED -Xshare:off "-XX:+UseLargePages -Xlog:disable" -XX:-UseLargePages -Xint \
    "-Xss256k -Xmx8m -XX:+UseSerialGC" "-Xcomp -XX:TieredStopAtLevel=1"; do
    name=${option//[^a-zA-Z0-9]/}
    # shellcheck disable=SC2086 # several options are several words
    beside "$name" role=x 0 "out return" $option Exit return "$MILLIS"
done
