# SPDX-License-Identifier: Apache-2.0
# beside others
# coverage=on: which code was executed, and when, as the log has it and as the program knows it.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# covering_start NAME OPTIONS [JVM-OPTION]...
covering_start() { obedient_start Covering "$@"; }

# line COMMENT: the line of Covering.java that ends with it
line() { sed -n "/\/\/ $1\$/=" "$ROOT/tests/java/Covering.java"; }
# blocks NAME COMMENT: how many blocks of that line were executed
blocks() { awk -F'\t' -v line="$(line "$2")" '$1 == "covered" && $3 ~ /^Covering/ && $4 == line { n++ } END { print n + 0 }' "$T/$1.txt"; }
# since NAME COMMENT: since which packet; 0: after the last one
since() { awk -F'\t' -v line="$(line "$2")" '$1 == "covered" && $3 ~ /^Covering/ && $4 == line { print $2; exit }' "$T/$1.txt"; }
# classes NAME PATTERN: how many blocks, of classes whose names match
classes() { awk -F'\t' -v what="$2" '$1 == "covered" && $3 ~ what { n++ } END { print n + 0 }' "$T/$1.txt"; }
twice() { awk -F'\t' '$1 == "covered" && $3 !~ /^c[.]C/ { print $3, $4, $5 }' "$T/$1.txt" | sort | uniq -d | head -n 3; }

covering_start few coverage=on
tell few "branch 1"
packets few 5
tell few "branch 13"
packets few 5
tell few "branch 200"
obedient_finish few
same "each branch that was taken" "1 1 4" "$(blocks few usual) $(blocks few rare) $(blocks few either)"
check "and when ($(since few usual), $(since few rare))" test "$(since few usual)" -gt 0 -a \
    "$(since few rare)" -ge $(($(since few usual) + 5))
same "each once" "" "$(twice few)"
same "nothing else of it" "0 0" "$(blocks few early) $(blocks few caught)"
same "nothing of the platform" 0 "$(classes few '^(java|jdk|sun)')"
same "the log says that it was recorded" $'meta\tfacts\tcoverage' "$(grep '^meta.facts' "$T/few.txt")"

# A block that is executed, then not for eight packets and more, and then again.
# pauses NAME COMMENT: of the blocks of that line: packets, or 0 where one is over
pauses() { awk -F'\t' -v line="$(line "$2")" '$1 == "pause" && $3 ~ /^Covering/ && $4 == line { print $6 }' "$T/$1.txt"; }
covering_start pauses coverage=on
tell pauses "branch 1"
packets pauses 14
tell pauses "branch 1"
packets pauses 3
obedient_finish pauses
check "pauses: of eight packets or more, and its end ($(pauses pauses usual | xargs))" \
    awk 'NR % 2 ? $1 < 8 : $1 != 0 { wrong = 1 } END { exit wrong || NR < 2 }' <(pauses pauses usual)
same "pauses: none of what was not executed" "" "$(pauses pauses rare)"

# What comes after the last packet.
EVERY=60000 covering_start rest coverage=on
tell rest "branch 13"
obedient_finish rest
same "rest: it is told at the end" "1 0" "$(blocks rest rare) $(since rest rare)"

# Initializers that wait for methods of their class's objects on other threads, or fail.
covering_start early coverage=on
tell early early
tell early failed
obedient_finish early
same "early: as without probes, which those methods do not have" "0 1 1" \
    "$(blocks early early) $(blocks early static) $(blocks early caught)"

# With compilers, and with each garbage collector that there is: classes that come and go.
for gc in Serial G1 Z; do
    "$JAVA" -XX:+Use${gc}GC -version >/dev/null 2>&1 || continue
    covering_start gone-$gc coverage=on -XX:+Use${gc}GC -Xmx128m
    for _ in 1 2 3 4 5 6; do
        tell gone-$gc "classes 200"
        packets gone-$gc 5
        tell gone-$gc collect
    done
    tell gone-$gc "branch 13"
    obedient_finish gone-$gc
    same "gone-$gc: those that stay are told" 1 "$(blocks gone-$gc rare)"
    check "gone-$gc: and those that go ($(classes gone-$gc '^c[.]C'))" test "$(classes gone-$gc '^c[.]C')" -gt 0
done

# More code than is looked at: 15,000 classes of six blocks each.
covering_start many coverage=on -Xmx512m
tell many "kept 15000"
packets many 40
tell many "branch 13"
obedient_finish many
check "many: up to a bound ($(classes many '^c[.]C'))" test "$(classes many '^c[.]C')" -gt 40000 -a "$(classes many .)" -le 65536
same "many: those loaded first" 1 "$(blocks many rare)"
has "many: the log says what is left out" $'^meta\tcoverage-left-out\tin [0-9]+ classes or more$' "$T/many.txt"

# The log continues in parts, each with its own numbers.
covering_start parts coverage=on,memory=64k
for _ in 1 2 3; do
    tell parts "kept 300"
    packets parts 30
done
tell parts "branch 13"
obedient_finish parts
check "parts: there are several" test "$(find "$T" -name 'parts.ixl.*' | wc -l)" -gt 1
same "parts: each block is told once" "1" "$(blocks parts rare)"
same "parts: each block is told once, too" "" "$(twice parts)"

# The agent comes later: only what is loaded from then on has probes; off, and on again.
covering_start later exceptions=off
tell later "branch 1"
# attach OPTION: and waits until it holds. That ends the session, and packets of the next one have it.
attach() {
    local hellos
    hellos=$(count_of '^hello' "$T/later.beat")
    check "later: $1" "$IXOR" attach --server "127.0.0.1:$PORT" --options "$1" "$JVM_PID"
    check "later: a new session" wait_for 60 at_least $((hellos + 1)) '^hello' "$T/later.beat"
    packets later 1
}
# told N: so many blocks of these classes are in the log by now
told() { "$LOGCAT" "$T/later.ixl" 2>/dev/null | awk -F'\t' '$1 == "covered" && $3 ~ /^c[.]C/' | wc -l | grep -qx "$1"; }
attach coverage=on
tell later "classes 5"
check "later: they are told" wait_for 60 told 30
attach coverage=off
tell later "classes 5"
packets later 10
attach coverage=on
tell later "classes 5"
check "later: they are told, too" wait_for 60 told 60
obedient_finish later
same "later: of classes that were loaded while it was on" "10 0" \
    "$(awk -F'\t' '$1 == "covered" && $3 ~ /^c[.]C/ { sub(/[.][^.]*$/, "", $3); print $3 }' "$T/later.txt" | sort -u | wc -l) $(blocks later usual)"

covering_start off coverage=off
tell off "branch 13"
packets off 10
obedient_finish off
same "off: nothing is recorded" 0 "$(count_of '^covered' "$T/off.txt")"
