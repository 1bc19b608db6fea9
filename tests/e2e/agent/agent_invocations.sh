# SPDX-License-Identifier: Apache-2.0
# beside others
# invocations=on: how often methods were called, as the log has it and as the program knows it.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# called_start NAME OPTIONS [JVM-OPTION]...
called_start() { obedient_start Called "$@"; }

# times NAME PATTERN: how often methods were called whose class and name match
times() { awk -F'\t' -v what="$2" '$1 == "called" && $3 ~ what { n += $4 } END { print n + 0 }' "$T/$1.txt"; }
# methods NAME PATTERN: how many methods those are
methods() { awk -F'\t' -v what="$2" '$1 == "called" && $3 ~ what { print $3 }' "$T/$1.txt" | sort -u | wc -l; }
# before_end NAME PATTERN: those before the last packet
before_end() { awk -F'\t' -v what="$2" '$1 == "called" && $2 && $3 ~ what { n += $4 } END { print n + 0 }' "$T/$1.txt"; }

called_start few invocations=on
tell few few
tell few hidden
packets few 30
tell few "times 100"
packets few 30
tell few "times 50"
obedient_finish few
same "each method as often as it was called" "1 7 3 0" \
    "$(times few '^Called[.]once$') $(times few '^Called[.]seven$') $(times few '^Called[.]lambda') $(times few '^Called[.]never$')"
same "and so on" 150 "$(times few '^Called[.]times$')"
check "what came before it is told while the JVM runs" test "$(before_end few '^Called[.]times$')" -ge 100
same "nothing of the platform, nor of hidden classes" 0 "$(times few '^(java|jdk|sun|Hidden)')"
same "the log says that it was recorded" $'meta\tfacts\tinvocations' "$(grep '^meta.facts' "$T/few.txt")"

# What comes after the last packet.
EVERY=60000 called_start rest invocations=on
tell rest few
tell rest "times 30"
obedient_finish rest
same "rest: it is told at the end" "7 30 0" \
    "$(times rest '^Called[.]seven$') $(times rest '^Called[.]times$') $(before_end rest '^Called[.]times$')"

# Compiled without profiling, a method is counted up to 200 calls or so.
called_start quick invocations=on -XX:TieredStopAtLevel=1
tell quick "times 1000"
obedient_finish quick
has "quick: then it says that there may be more" $'^called.*Called[.]times\t[0-9]+[+]$' "$T/quick.txt"
check "quick: exact at first ($(times quick '^Called[.]times$'))" test "$(times quick '^Called[.]times$')" -ge 200

# A JVM that only interprets does not count.
called_start xint invocations=on -Xint
tell xint few
packets xint 20
obedient_finish xint
same "xint: nothing is invented" 0 "$(count_of '^called' "$T/xint.txt")"

# The agent comes later; then it is switched off and on again.
called_start later exceptions=off
tell later few
packets later 10
attach() {
    "$IXOR" attach --server "127.0.0.1:$PORT" --options "$1" "$JVM_PID" >"$T/attach" 2>&1
}
check "later: invocations=on" attach invocations=on
packets later 30
check "later: off" attach invocations=off
tell later "times 40"
packets later 10
check "later: on again" attach invocations=on
packets later 30
obedient_finish later
check "later: what was called before is told, each time it is switched on" \
    test "$(times later '^Called[.]seven$')" -eq 14
check "later: with what was called meanwhile" test "$(times later '^Called[.]times$')" -eq 40

# Classes that come and go, with each garbage collector that there is.
for gc in Serial G1 Z; do
    "$JAVA" -XX:+Use${gc}GC -version >/dev/null 2>&1 || continue
    called_start gone-$gc invocations=on -XX:+Use${gc}GC -Xmx128m
    for _ in 1 2 3 4 5 6; do
        tell gone-$gc "classes 200"
        packets gone-$gc 5
        tell gone-$gc collect
    done
    tell gone-$gc few
    obedient_finish gone-$gc
    same "gone-$gc: those that stay are counted right" 7 "$(times gone-$gc '^Called[.]seven$')"
    check "gone-$gc: and those that go ($(times gone-$gc '^c[.]C'))" test "$(times gone-$gc '^c[.]C')" -gt 0
    same "gone-$gc: none more than once" "" "$(awk -F'\t' '$1 == "called" && $3 ~ /^c[.]C/ { n[$3] += $4 }
        END { for (m in n) if (n[m] > 1) print m, n[m] }' "$T/gone-$gc.txt" | head -n 3)"
done

# More methods than are looked at: 1,500 classes of six each.
called_start many invocations=on
tell many "kept 1500"
packets many 40
tell many few
obedient_finish many
check "many: up to a bound ($(methods many '^c[.]C'))" test "$(methods many '^c[.]C')" -gt 5000 -a "$(methods many .)" -le 8192
same "many: those loaded first" 7 "$(times many '^Called[.]seven$')"
has "many: the log says what is left out" $'^meta\tinvocations-left-out\tin [0-9]+ classes or more$' "$T/many.txt"

# The log continues in parts, each with its own numbers.
called_start parts invocations=on,memory=64k
for _ in 1 2 3; do
    tell parts "kept 300"
    packets parts 30
    tell parts "times 20"
done
obedient_finish parts
check "parts: there are several" test "$(find "$T" -name 'parts.ixl.*' | wc -l)" -gt 1
same "parts: nothing is lost between them" 60 "$(times parts '^Called[.]times$')"

called_start off invocations=off
tell off few
packets off 10
obedient_finish off
same "off: nothing is recorded" 0 "$(count_of '^called' "$T/off.txt")"
