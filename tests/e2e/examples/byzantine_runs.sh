#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Byzantine: a run with only loyal generals passes; one with a traitor and one with a killed general
# fail. Each records what was injected when.
# beside others
# one JDK: the agent's tests have the others
. tests/support/lib.sh

run() { # DIR ARGUMENT...
    examples/byzantine/run.sh --classes build/examples/byzantine --dir "$T/$1" "${@:2}"
}
outcome() { sed -n "s/^$2=//p" "$T/$1/outcome.txt"; }
no_machine_left() { ! pgrep -f "dir=$T/" >/dev/null; }

same "the first fault is none" none "$(examples/byzantine/run.sh --list-faults | sed -n '1s/\t.*//p')"
examples/byzantine/run.sh --list-faults >"$T/faults"
same "a table of faults: kind, probability or -, what" "" "$(grep -Ev $'^[a-z-]+\t(-|0.001)\t.' "$T/faults")"
same "an unknown fault is refused" 2 "$(run x --fault rain >"$T/out" 2>&1; echo $?)"
has "and says so" 'byzantine/run.sh: --fault: rain is no kind of fault' "$T/out"

# Seeds that strike early: in the first attack.
run lying --attacks 2 --seed 21 --fault disloyal-lying >/dev/null 2>&1 &
run killed --attacks 2 --seed 2 --fault kill >/dev/null 2>&1 &
wait
run loyal --attacks 2 --seed 3 >/dev/null 2>&1
same "all loyal: the status is 0" 0 $?

same "all loyal: passed" "passed, 0 faults, 2 targets" \
    "$(outcome loyal verdict), $(outcome loyal faults) faults, $(outcome loyal taken) targets"
same "a liar: failed" failed "$(outcome lying verdict)"
has "and what he said is known" '^reasons=.*round [123]: Lieutenant [ABC] told Lieutenant [ABC] ' \
    "$T/lying/outcome.txt"
cat "$T"/lying/faults-lieutenant-*.log >"$T/lies"
has "what was injected: when, who, what, where" \
    $'^[0-9]{13}\tLieutenant [ABC]\tdisloyal-lying\tcouncil\t' "$T/lies"
same "a killed general: failed" failed "$(outcome killed verdict)"
has "and who is known" '^reasons=(Commander|Lieutenant [ABC]) exited 137' "$T/killed/outcome.txt"
has "as is when" $'^[0-9]{13}\t(Commander|Lieutenant [ABC])\tkill\tprocess\tSIGKILL$' \
    "$T/killed/faults-harness.log"
check "no machine is left" no_machine_left
