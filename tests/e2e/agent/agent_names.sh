# SPDX-License-Identifier: Apache-2.0
# beside others
# Every kind of name that the JVM allows is correct in the log, in roxi's output and in the text
# layout.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# missing NAME PACKET: what Java expects and the log has not
missing() {
    awk -F'\t' -v packet="$2" '
        FNR == NR && $1 == "thread" && $2 == packet { stack[$3] = " " $11 " "; here[$3] = 1 }
        FNR != NR && $1 == "expect" {
            wanted++
            if (!($2 in here)) print "no thread " substr($2, 1, 60)
            else if ($3 != "" && !index(stack[$2], " " $3 " ")) print substr($2, 1, 60) ": " $3
        }
        END { if (wanted < 25) print "only " wanted + 0 " threads" }' "$T/$1.txt" "$T/$1.out" |
        cut -c 1-400
}

# harmless FILE: nothing in it drives a terminal
harmless() {
    [ "$(tr -dc '\001-\011\013-\037\177' <"$1" | wc -c)" = 0 ] &&
        ! LC_ALL=C grep -q $'\xc2[\x80-\x9f]\|\xe2\x80\xae' "$1"
}

beat_start names --every 20 --once
jvm_start names role=x -Xcheck:jni Names
check "all threads stand" wait_for 60 grep -q '^ready' "$T/names.out"
packets names 10
P=$(sed -n 's/^taken \([0-9]*\) .*/\1/p' "$T/names.beat" | tail -n 1)
jvm_finish
same "exit status" 0 $?
wait "$BEAT_PID"
quiet "nothing is said" "$T/names.out" "$T/names.err"
same_packets "the log has the packets that were reported" names names
same "the log is valid" "" "$(cat "$T/names.txt.err")"
same "every name is what Java says" "" "$(missing names "$P")"
check "frames of a method handle" awk -F'\t' -v p="$P" '$1 == "thread" && $2 == p &&
    $3 == "method handle" && $11 ~ /java\.lang\.invoke\.[A-Za-z]+\$/ { found = 1 }
    END { exit !found }' "$T/names.txt"
has "native frames" 'jdk\.internal\.misc\.Unsafe\.park\(ZJ\)V:-3 ' "$T/names.txt"
same "nothing was taken for unloaded" 0 "$(grep -c '<unloaded>' "$T/names.txt")"

check "roxi dump" "$ROXI" dump --packet "$P" -o "$T/dump" "$T/names.ixl"
check "it prints nothing that drives a terminal" harmless "$T/dump"
has "a thread's name" '^"\\x1Bcred\\x1B\]2title\\x07" #' "$T/dump"
has "a thread without a name" '^"" #' "$T/dump"
has "a method's name" '^    at Methods\.new\\x0Aline\\x0D\(Unknown Source\)$' "$T/dump"
has "one with blanks" '^    at Methods\.should do this, and that!\(Unknown Source\)$' "$T/dump"
has "a class's name" '^    at x\.\\x1Bcred\\x1B\]2title\\x07\.m\(Unknown Source\)$' "$T/dump"
has "a source's name and line" '^    at Source\.second\(bö \\x1B\[1m🎈\.kt:65001\)$' "$T/dump"
has "a hidden class" '^    at Not shown/0x[0-9a-f]+\.in it\(Unknown Source\)$' "$T/dump"

# Two runs of it: the text that is exported can be imported, and gives the same matrices.
check "a campaign" "$IXOR" run --runs 2 --every 50ms --timeout 60s --out "$T/camp" \
    --agent "$AGENT" -- "$JAVA" -cp "$JAVA_CLASSES" Names 1000
for run in run0001 run0002; do
    check "export of $run" "$ROXI" export "$T/camp" --execution $run --format text -o "$T/text/$run"
done
has "the text has the thread's name" '^two\\nlines\\r\\n$' "$T"/text/run0001/logs/*
has "the class's" '^[0-9A-F]+ odd\\spkg\.Kotlin\\sClass \\e$' "$T"/text/run0001/logs/*
has "the method's" '^[0-9A-F]+ [0-9A-F]+ should\\sdo\\sthis,\\sand\\sthat! \(\)V$' \
    "$T"/text/run0001/logs/*
check "import of all" "$ROXI" import "$T/again" "$T/text/run0001" "$T/text/run0002"
for strategy in levenshtein call-stack-2 frame-count; do
    check "$strategy: a matrix" "$ROXI" matrix "$T/camp" --min-vms 1 --strategy $strategy \
        -o "$T/a.csv"
    "$ROXI" matrix "$T/again" --min-vms 1 --strategy $strategy -o "$T/b.csv"
    check "$strategy: the same one" cmp "$T/a.csv" "$T/b.csv"
done
