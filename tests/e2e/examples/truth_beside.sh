#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# examples/truth-beside.sh: figures of a ranking worked out by hand, with silent faults and without.
. tests/support/lib.sh

printf 'execution\tfault\tinjected\tverdict\n' >"$T/truth"
printf '%s\t%s\t1\t%s\n' loud kill failed normal none passed quiet rounding failed \
    borne stall passed late spin failed >>"$T/truth"
printf 'fault\tsilent\nkill\tno\nspin\tno\nrounding\tyes\nstall\tno\n' >"$T/blame"
printf '%s\t%s\n' loud 9 quiet 7 borne 5 normal 4 late 1 >"$T/rank"
beside() { examples/truth-beside.sh "$@" "$T/rank" "$T/truth" 3; }
column() { awk -v n="$1" 'NR > 1 && NF > 4 && $1 ~ /^[0-9]+$/ && $2 != "of" { print $n }' | xargs; }

beside >"$T/faulty"
same "the first runs" "loud quiet borne" "$(column 2 <"$T/faulty")"
same "all that had a fault" "4 runs: 3" "$(sed -nE 's/^([0-9]) of ([0-9]) faulty .*/\2 runs: \1/p' "$T/faulty")"
same "no precision unless asked for failed runs" 0 "$(grep -c precision "$T/faulty")"

# Places 1, 2 and 5 of five: (1/1 + 2/2 + 3/5) / 3.
beside --failed >"$T/failed"
has "failed ones" '^2 of 3 failed runs among the first 3$' "$T/failed"
has "their average precision" '^average precision 0.867 of 5 runs$' "$T/failed"

# Without the second: places 1 and 4 of four: (1/1 + 2/4) / 2.
beside --failed --without-silent "$T/blame" >"$T/heard"
same "silent ones are left out" "loud borne normal" "$(column 2 <"$T/heard")"
same "and places counted without them" "1 2 3" "$(column 1 <"$T/heard")"
has "failed ones" '^without silent faults: 1 of 2 failed runs among the first 2$' "$T/heard"
has "their average precision" '^without silent faults: average precision 0.750 of 4 runs$' "$T/heard"

beside --failed --without-silent "$T/none" >"$T/out" 2>"$T/err"
same "no table of blame" 2 $?
has "which says so" "cannot read $T/none" "$T/err"
