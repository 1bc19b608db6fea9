#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The oracle of Byzantine on hand-written chronicles: what it must detect, and what not.
# no JVM
. tests/support/lib.sh

# A campaign of one attack and the retreat, all loyal: what each general wrote, GENERAL|WHAT|ROUND|....
chronicle() {
    local round order to from deed
    for round in 1 2; do
        case $round in
        1) order='attack 35' deed=$'attack 35\tfactor 5\t2' ;;
        2) order=retreat deed=retreat ;;
        esac
        line 0 ordered $round "$order"
        for to in 1 2 3; do
            line 0 sent $round 0 $to "$order"
            line $to got $round 0 "$order"
            for from in 1 2 3; do
                [ $from != $to ] || continue
                line $from sent $round 0$from $to "$order"
                line $to got $round 0$from "$order"
            done
        done
        for to in 0 1 2 3; do
            line $to decided $round "$order"
            line $to did $round "$deed"
        done
    done
}
line() { # GENERAL WHAT...
    local IFS=$'\t'
    printf '%s\t1000\t%s\n' "$1" "${*:2}"
}
judged() { awk -v attacks=1 -f examples/byzantine/oracle.awk "$@"; }

chronicle >"$T/good"
same "all loyal: no complaint" "" "$(judged "$T/good")"

# altered SED...: the complaints about the good chronicle after a change
altered() { sed "$@" "$T/good" | judged; }
same "a lie" "round 1: Lieutenant B told Lieutenant C 'retreat' instead of 'attack 35'" \
    "$(altered -e '/^3.*got\t1\t02/s/attack 35/retreat/' -e '/^2.*sent\t1\t02\t3/s/attack 35/retreat/')"
same "damage on the way" "round 1: 'attack 35' from Lieutenant B came to Lieutenant C as 'attack 53'" \
    "$(altered -e '/^3.*got\t1\t02/s/35/53/')"
same "silence" "round 2: Lieutenant A heard nothing from Lieutenant C" "$(altered '/^1.*got\t2\t03/d')"
same "what comes too late" "round 2: Lieutenant A heard nothing from Lieutenant C" \
    "$({ cat "$T/good"; line 1 missed 2 03; } | judged)"
same "a commander of two words, and who passes on what he got" \
    "round 2: Commander told Lieutenant A 'attack 21' instead of 'retreat'" \
    "$(altered -e '/^1.*got\t2\t0\t/s/retreat/attack 21/' -e '/^0.*sent\t2\t0\t1\t/s/retreat/attack 21/' \
        -e '/^1.*sent\t2\t01/s/retreat/attack 21/' -e '/^[23].*got\t2\t01/s/retreat/attack 21/')"
same "disagreement" "round 1: Lieutenant A and Lieutenant C decided differently
round 1: Lieutenant B and Lieutenant C decided differently
round 1: Lieutenant C decided 'retreat', ordered was 'attack 35'" \
    "$(altered -e '/^3.*\(decided\|did\)\t1/s/attack 35.*/retreat/' | grep -v Commander)"
same "a repulsed attack" "round 1: Lieutenant B was repulsed" \
    "$(altered -e '/^2.*did\t1/s/factor.*/repulsed/')"
same "another deed" "round 2: Commander did not do what he decided" "$(altered -e '/^0.*did\t2/s/retreat/attack 21/')"
same "one who is gone" "Lieutenant C went through 1 of 2 rounds" \
    "$(altered -e '/^3.*\t2\t/d' | grep -v heard)"
same "twice the same is one message" "" "$({ cat "$T/good"; line 1 got 1 0 'attack 35'; } | judged)"
same "twice another one is a contradiction" \
    "round 1: Lieutenant A got 'attack 35' and then 'attack 21' by way of 0" \
    "$({ cat "$T/good"; line 1 got 1 0 'attack 21'; } | judged)"
