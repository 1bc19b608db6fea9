# SPDX-License-Identifier: Apache-2.0
# beside others
# Probes in bytecode (agent/coverage), with no agent: class files get them here, and the JVM verifies and runs
# them.
#   PROBES_SOURCES: more modules and jars whose classes are verified, java.xml (2,200 classes) say
. "$ROOT/tests/support/lib.sh"
PROBE=$PWD/$B/helpers/probe-class
# JVMs that run for a second or two, and verify all classes but the platform's own.
QUICK=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationRemote)
version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$JAVA_HOME/release")

# number NAME FILE: what probe-class said about many classes
number() { sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" "$2"; }

# ---- classes that others have compiled ----

# verified NAME N SOURCE...: the JVM takes each Nth of them as it takes it without probes
verified() {
    local name=$1 every=$2
    shift 2
    mkdir "$T/$name"
    "$JAVA" "${QUICK[@]}" -cp "$JAVA_CLASSES" Probes collect "$T/$name" "$@" >"$T/$name.list" 2>"$T/$name.err"
    same "$name: the classes are there" "" "$(cat "$T/$name.err")"
    awk -F'\t' -v every="$every" 'NR % every == 0 { print $2 "\t" $2 ".probed" }' "$T/$name.list" >"$T/$name.pairs"
    for when in before after; do
        "$JAVA" "${QUICK[@]}" "-Xlog:class+init=info:file=$T/$name.log" -cp "$JAVA_CLASSES" Probes link \
            "$T/$name.list" "$every" >"$T/$name.$when" 2>&1
        # Older classes may be verified without their stack maps, where these are wrong.
        grep -o 'Fail over.*' "$T/$name.log" >>"$T/$name.$when"
        [ $when = after ] || "$PROBE" --pairs "$T/$name.pairs" >"$T/$name.probed"
    done
    check "$name: $(cat "$T/$name.probed")" test "$(number probed "$T/$name.probed")" -ge 500
    check "$name: $(grep -c 'good$' "$T/$name.after") are verified, as many as without probes" \
        diff "$T/$name.before" "$T/$name.after"
    check "$name: nearly all of them" \
        test "$(grep -c 'good$' "$T/$name.after")" -ge $(($(wc -l <"$T/$name.pairs") * 8 / 10))
    rm -rf "${T:?}/$name"
}

# shellcheck disable=SC2086 # words
verified platform 1 jdk.jshell jdk.javadoc ${PROBES_SOURCES:-}
# Of another compiler and an older version.
jar=/usr/share/java/groovy.jar
if [ ! -f "$jar" ]; then
    skip "the classes of $jar, which is not installed"
elif first_jdk; then
    verified groovy 3 "$jar"
fi

# ---- a compiler with probes compiles the same ----

mkdir -p "$T/javac" "$T/plain" "$T/with"
check "javac's classes" "$JAVA_HOME/bin/jimage" -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 \
    extract --dir "$T/javac/before" --include 'regex:/jdk.compiler/.*' "$JAVA_HOME/lib/modules"
(cd "$T/javac/before/jdk.compiler" && find . -type d -exec mkdir -p "$T/javac/after/{}" \; &&
    find . -name '*.class' -printf "$PWD/%P\t$T/javac/after/%P\n") >"$T/javac.pairs"
"$PROBE" --pairs "$T/javac.pairs" >"$T/javac.probed"
check "javac with probes: $(cat "$T/javac.probed")" test "$(number probed "$T/javac.probed")" -ge 1000
"$JAVA_HOME/bin/javac" "${QUICK[@]/#/-J}" -g -nowarn -d "$T/plain" "$ROOT"/tests/java/*.java 2>"$T/plain.err"
"$JAVA_HOME/bin/javac" "${QUICK[@]/#/-J}" "-J--patch-module=jdk.compiler=$T/javac/after" -g -nowarn -d "$T/with" \
    "$ROOT"/tests/java/*.java 2>"$T/with.err"
check "it says the same" diff "$T/plain.err" "$T/with.err"
check "and compiles the same" diff -r "$T/plain" "$T/with"

# ---- code whose lines are known ----

# run_probed NAME: compiles $T/NAME.java, puts probes into all of its classes, runs it with and without
run_probed() {
    local name=$1 class names=()
    mkdir -p "$T/$name/plain" "$T/$name/probed"
    check "$name: it compiles" "$JAVA_HOME/bin/javac" "${QUICK[@]/#/-J}" -g -nowarn -d "$T/$name/plain" "$T/$name.java"
    for class in "$T/$name/plain"/*.class; do
        class=${class##*/}
        cp "$T/$name/plain/$class" "$T/$name/probed"
        "$PROBE" "$T/$name/plain/$class" "$T/$name/probed/$class" || continue
        [ "$class" = "$name.class" ] || names+=("${class%.class}")
        "$PROBE" --list "$T/$name/plain/$class" | sed "s/^/${class%.class}\t/"
    done >"$T/$name.blocks"
    "$JAVA" "${QUICK[@]}" -cp "$T/$name/plain:$JAVA_CLASSES" Probes run "$name" "${names[@]}" >"$T/$name.out" 2>&1
    "$JAVA" "${QUICK[@]}" -cp "$T/$name/probed:$JAVA_CLASSES" Probes run "$name" "${names[@]}" >"$T/$name.all" 2>&1
    check "$name: $(wc -l <"$T/$name.out") lines of output, as without probes" \
        diff "$T/$name.out" <(grep -v '^field' "$T/$name.all")
    same "$name: a field for each block" "$(wc -l <"$T/$name.blocks")" "$(grep -c '^field' "$T/$name.all")"
}

# lines_are_right NAME: what the source says about its lines
lines_are_right() {
    awk -F'\t' '$1 == "field" { ran[$2, $3] = $4; next }
        FILENAME ~ /blocks$/ {
            blocks[$4]++
            if (ran[$1, $2] == "true") yes[$4]++
            next
        }
        {
            line = FNR
            want = /\/\/ not/ ? "none" : /\/\/ part/ ? "part" : "all"
            got = !yes[line] ? "none" : yes[line] < blocks[line] ? "part" : "all"
            if (blocks[line] ? got != want : want != "all") print line ": " got ": " $0
        }' "$T/$1.all" "$T/$1.blocks" "$T/$1.java" >"$T/$1.wrong"
    same "$1: lines are as executed as they should be" "" "$(cat "$T/$1.wrong")"
}

cp "$ROOT/tests/java/ProbedCode.java" "$T"
run_probed ProbedCode
lines_are_right ProbedCode

if [ "$version" -ge 25 ]; then
    cat >"$T/Newer.java" <<'END'
import java.util.List;

public class Newer { // not
    sealed interface Shape permits Circle, Square, Pair {}

    record Circle(double r) implements Shape {} // part

    record Square(double side) implements Shape {} // part

    record Pair(Shape a, Shape b) implements Shape {} // part

    static double area(Shape s) {
        return switch (s) { // part: accessors throw
            case Circle(double r) when r > 10 -> -1; // part
            case Circle(double r) -> r * 3;
            case Square q when q.side() < 0 -> 0; // part
            case Square q -> q.side() * q.side();
            case Pair(Circle(var r), Square _) -> r;
            case Pair(Shape a, Shape b) -> area(a) + area(b); // part
        };
    }

    static String kind(Object o) {
        switch (o) {
            case null:
                return "null"; // not
            case String s when s.isEmpty(): // part
                return "empty";
            case Integer i:
                return "int " + i;
            default:
                return "other"; // not
        }
    }

    static class Early extends Thread {
        final int size;

        Early(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i;
            }
            if (sum < 0) {
                throw new IllegalArgumentException("n"); // not
            }
            size = sum;
            super("early " + (sum > 3 ? "large" : "small"));
        }
    }

    public static void main(String[] args) {
        for (Shape s : List.of(new Circle(2), new Square(3), new Pair(new Circle(1), new Square(2)),
                new Pair(new Square(2), new Circle(1)))) {
            System.out.println(area(s));
        }
        System.out.println(kind("") + kind(5) + new Early(5).getName() + new Early(2).size);
    }
}
END
    run_probed Newer
    lines_are_right Newer
fi

# ---- methods so long that jumps just reach, or do not ----

# statements N: N of 9 bytes each
statements() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "x = x * 31 ^ " i % 7000 + 200 ";" }'
}
# branches N: N of 23 bytes and three blocks each
branches() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "if (x %% %d == 3) x += %d; else x ^= %d;\n", i % 90 + 7, i * 7 % 30000 + 200, i * 5 % 30000 + 200
    }'
}
{
    echo 'public class Long {'
    # In the last one jumps have four bytes. With probes it is too long, and jumps of the two before do not reach.
    for n in 100 900 1250 1400 2100; do
        printf 'static int m%d(int x) {\nfor (int i = 0; i < 9; i++) {\n' "$n"
        branches "$n"
        printf 'switch (x & 3) { case 0: x++; case 1: x += 3; break; case 3: x--; }\n}\nreturn x;\n}\n'
    done
    printf 'static int far(int x) {\nfor (int i = 0; i < 3; i++) {\nif (x == 5) continue;\n'
    statements 4000
    printf 'if (x == 6) return 7;\n}\nreturn x;\n}\n'
    # With its probe as long as a method can be.
    printf 'static int longest(int x) {\n'
    statements 7281
    printf 'return x;\n}\n'
    echo 'public static void main(String[] args) {'
    for m in m100 m900 m1250 m1400 m2100 far longest; do
        echo "System.out.println(\"$m \" + $m(12345));"
    done
    printf '}\n}\n'
} >"$T/Long.java"
run_probed Long
same "those get probes that are not too long then" \
    "<init>()V m100(I)I m900(I)I far(I)I longest(I)I main([Ljava/lang/String;)V" \
    "$(cut -f3 "$T/Long.blocks" | uniq | tr '\n' ' ' | sed 's/ $//')"

# ---- damage and no memory ----

check "memory that runs out" "$PWD/$B/helpers/scarce" -l "$PWD/$B/helpers/libscarce.so" -o "$T/scarce.class" \
    -i "$T/ProbedCode/plain/ProbedCode.class" -- \
    "$PROBE" "$T/ProbedCode/plain/ProbedCode.class" "$T/scarce.class"
