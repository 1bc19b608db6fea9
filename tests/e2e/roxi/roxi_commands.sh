#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# matrix, cluster, rank and distance with the real binary: exit statuses, messages, files.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# vm DIR PID ROLE METHOD...: a VM whose packets 1, 2, ... show main in one frame each
vm() {
    local dir=$1 pid=$2 role=$3 packet=0 method
    shift 3
    for method; do
        packet=$((packet + 1))
        printf '%d\n%s\t\njvm\n%d\n%d\n1\n' "$pid" "$role" $packet $packet
        printf '00000001\nmain\nmain\nsystem\n1\n5\n1\n%08X 1\n' "$method"
        if [ $packet = 1 ]; then
            printf '3\n0000000A 00000001 f ()V\n0000000A 00000002 g ()V\n0000000B 00000003 h ()V\n'
            printf '2\n0000000A p.A A.java\n0000000B p.B B.java\n'
        else
            printf '0\n0\n'
        fi
    done >"$(vm_files "$dir" "$pid")"
}

for run in 0 1 2 3 4; do
    vm "$T/in/run$run" 1 server 1 1 $((run == 3 ? 3 : 1))
    vm "$T/in/run$run" 2 client 1 $((run % 2 + 1)) $((run == 3 ? 3 : 2))
done
vm "$T/one/run0" 1 server 1 2
"$ROXI" import "$T/camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$ROXI" import "$T/alone" "$T/one/run0" 2>"$T/err" || not_ok "import: $(cat "$T/err")"

# Runs 0, 2, 4 show f f f and f f g; run 1 f f f and f g g; run 3 f f h and f g h. Two stacks differ by 1;
# a set's nearest is 0 unless h is asked for (runs 0 and 3: h h, and g).
same "matrix" "execution,run0,run1,run2,run3,run4
run0,0,0,0,2,0
run1,0,0,0,2,0
run2,0,0,0,2,0
run3,2,2,2,0,2
run4,0,0,0,2,0" "$("$ROXI" matrix "$T/camp" -s levenshtein)"
same "stack counts" "execution,p.A.f()V:1,p.A.g()V:1,p.B.h()V:1
run0,5,1,0
run1,4,2,0
run2,5,1,0
run3,3,1,2
run4,5,1,0" "$("$ROXI" matrix "$T/camp" -s stack-count)"
check "matrix as CLUTO files" "$ROXI" matrix -s frame-count "$T/camp" --format cluto -o "$T/m.mat"
same "sparse" "5 3 11
1 5 2 1
1 4 2 2
1 5 2 1
1 3 2 1 3 2
1 5 2 1" "$(cat "$T/m.mat")"
same "its rows" "run0 run1 run2 run3 run4" "$(paste -sd' ' "$T/m.mat.rlabel")"
same "its columns" "p.A.f()V:1 p.A.g()V:1 p.B.h()V:1" "$(paste -sd' ' "$T/m.mat.clabel")"
same "nothing else was made" "m.mat m.mat.clabel m.mat.rlabel" \
    "$(cd "$T" && echo m.mat*)"

# NumPy's file: 10 bytes and a header up to 128, then 5 x 3 doubles, little-endian.
"$ROXI" matrix "$T/camp" -s frame-count --format npy -o "$T/m.npy"
same "npy: magic and version" "93 4e 55 4d 50 59 01 00 76 00" "$(od -An -tx1 -N10 "$T/m.npy" | xargs)"
same "npy: header" "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }" \
    "$(head -c 127 "$T/m.npy" | tail -c 117 | sed 's/ *$//')"
same "npy: numbers" "$("$ROXI" matrix "$T/camp" -s frame-count | tail -n +2 | cut -d, -f2- |
    tr , '\n' | xargs)" "$(tail -c +129 "$T/m.npy" | od -An -tf8 -v -w8 | xargs)"
"$ROXI" matrix "$T/camp" -s gap --format npy -o "$T/g.npy"
same "npy of distances" "$("$ROXI" matrix "$T/camp" -s gap | tail -n +2 | cut -d, -f2- |
    tr , '\n' | xargs)" "$(tail -c +129 "$T/g.npy" | od -An -tf8 -v -w8 | xargs)"
same "PHYLIP" "5 $("$ROXI" matrix "$T/camp" -s gap | tail -n +2 | tr , ' ' | xargs)" \
    "$("$ROXI" matrix "$T/camp" -s gap --format phylip | xargs)"

same "clusters" $'run0\t0\nrun1\t0\nrun2\t0\nrun3\t1\nrun4\t0' \
    "$("$ROXI" cluster "$T/camp" -s stack-count -k 2)"
same "clusters as CLUTO's file" "0 1 0 2 0" \
    "$("$ROXI" cluster "$T/camp" -s frame-count --clusters 3 --linkage single --scaling sqrt \
        --format cluto | paste -sd' ')"
# f and g, which all have, weigh nothing then: all are at similarity 0, merged in order
same "with idf" "0 0 0 1 2" \
    "$("$ROXI" cluster "$T/camp" -s frame-count -k 3 --column-model idf --format cluto |
        paste -sd' ')"

# Five runs of two VMs; in run3 the client does something else, run4 has a role of its own besides.
for run in 0 1 2 3 4; do
    working_vm "$T/work/run$run" 1 server '20 p.A.f'
    working_vm "$T/work/run$run" 2 client "20 $([ $run = 3 ] && echo p.B.h || echo p.A.f)"
done
working_vm "$T/work/run4" 3 extra '10 p.A.f'
"$ROXI" import "$T/work-camp" "$T"/work/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$ROXI" rank "$T/work-camp" -o "$T/rank" 2>"$T/err"
same "the most unusual one" run3 "$(head -n 1 "$T/rank" | cut -f 1)"
same "then the one with a role of its own" run4 "$(sed -n 2p "$T/rank" | cut -f 1)"
same "the others are equal, in order" "run0 0.000 run1 0.000 run2 0.000" \
    "$(tail -n +3 "$T/rank" | tr '\t\n' '  ' | sed 's/ $//')"

# A pipe or device is written into, not replaced by a file.
mkfifo "$T/pipe"
cat "$T/pipe" >"$T/through" &
check "output to a pipe" "$ROXI" rank "$T/work-camp" -o "$T/pipe"
wait
check "the pipe is still there" test -p "$T/pipe"
check "and all came through" cmp "$T/rank" "$T/through"

# Three runs f f f in two VMs; a fourth has a role of its own besides.
for run in 0 1 2 3; do
    vm "$T/more/run$run" 1 server 1 1 1
    vm "$T/more/run$run" 2 client 1 1 1
done
vm "$T/more/run3" 3 extra 1 1 1
"$ROXI" import "$T/more-camp" "$T"/more/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
last_row() { "$ROXI" matrix "$T/more-camp" -s call-stack-1 "$@" | tail -n 1; }
same "a role of its own is ignored: three stacks of two VMs, -1 each, twice" "run3,-12,-12,-12,0" "$(last_row)"
same "or costs" "run3,2988,2988,2988,0" "$(last_row --unmatched cost)"
same "diagonal" "run3,-12,-12,-12,-18" "$(last_row --diagonal computed)"

# f x 16, g; f x 16, h; f x 9, g x 3: roots make the third more like the first than the second is.
many='1 1 1 1 1 1 1 1 1'
# shellcheck disable=SC2086
{
    vm "$T/roots/run0" 1 s $many 1 1 1 1 1 1 1 2
    vm "$T/roots/run1" 1 s $many 1 1 1 1 1 1 1 3
    vm "$T/roots/run2" 1 s $many 2 2 2
}
"$ROXI" import "$T/roots-camp" "$T"/roots/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
grouped() {
    "$ROXI" cluster "$T/roots-camp" --min-vms 1 -s stack-count -k 2 "$@" | cut -f 2 | paste -sd' '
}
same "no scaling" "0 0 1" "$(grouped --scaling none)"
same "square roots" "0 1 0" "$(grouped --scaling sqrt)"

same "distance" 4.5 "$("$ROXI" distance -s favor-end '1;2' 3)"
same "negative distance" -6000 \
    "$("$ROXI" distance --strategy call-stack-1 --match-reward 1000 '1;2;3' '1;2;3')"
same "to the empty stack" 5 "$("$ROXI" distance -s gap 'a.A.f(La/B;I)V:1;b;c' '')"

check "a stack that cannot be read" fails 2 'call stack B: column 7: the descriptor' distance a 'a.A.f('
check "no distance" fails 2 'measures no distance' distance -s frame-count a b
check "no campaign" fails 1 'roxi matrix: .*not a campaign' matrix "$T/in"
check "nothing given" fails 2 "try 'roxi matrix --help'" matrix
check "no such command" fails 2 "unknown command 'matrx'; did you mean 'matrix'[?] The commands are import, .*, rules; try 'roxi --help'$" matrx
check "nor one like it" fails 2 "unknown command 'status'; the commands are import, " status
check "no such option" fails 2 "unknown option '--strategi=gap'; did you mean '--strategy'[?]" matrix --strategi=gap "$T/camp"
check "an abbreviated one" fails 2 "unknown option '--strat'; did you mean '--strategy'[?]" matrix --strat gap "$T/camp"
check "no such strategy" fails 2 'levenshtein .* stack-count' matrix -s gab "$T/camp"
check "a reward beyond what doubles hold" fails 2 "'1e308' is not a number above 0" \
    matrix -s call-stack-1 --match-reward 1e308 "$T/camp"
check "too many clusters" fails 1 '6 clusters of 5 runs' cluster -k 6 "$T/camp"
check "how many clusters" fails 2 '--clusters K is missing' cluster "$T/camp"
check "one VM" fails 1 '--min-vms asks for; leave it out' matrix --min-vms 2 "$T/alone"
check "PHYLIP of counts" fails 2 'is for distances' matrix -s stack-count --format phylip "$T/camp"
check "one execution" fails 1 'nothing to compare it with' rank "$T/alone"
same "but a matrix" $'execution,run0\nrun0,0' "$("$ROXI" matrix "$T/alone")"
check "a directory that is not there" fails 1 'cannot write' matrix "$T/camp" -o "$T/none/m"
status=0
"$ROXI" matrix "$T/camp" >/dev/full 2>"$T/err" || status=$?
same "a full disk" 1 "$status"
has "says so" 'roxi matrix: cannot write standard output: No space' "$T/err"

# Rules for names.
"$ROXI" rules >"$T/my.rules"
same "roxi rules prints the built-in rules" "" "$(cat roxi/campaign/common.rules roxi/campaign/learn.rules | diff "$T/my.rules" -)"
same "which are good rules" 0 "$("$ROXI" rules "$T/my.rules" >"$T/out"; echo $?)"
has "and counted" '^class +[1-9]' "$T/out"
same "they are the default" "" "$(diff <("$ROXI" matrix "$T/camp") \
    <("$ROXI" matrix "$T/camp" --rules "$T/my.rules"))"
echo 'class /p\.[AB]/p.AB/' >"$T/my.rules"
same "classes made one" "execution,p.AB.f()V:1,p.AB.g()V:1,p.AB.h()V:1" \
    "$("$ROXI" matrix "$T/camp" -s stack-count --rules "$T/my.rules" | head -n 1)"
same "explained" "$(printf 'class\tp.A\tp.AB\t1\nclass\tp.B\tp.AB\t1')" \
    "$("$ROXI" matrix "$T/camp" --rules "$T/my.rules" --explain-names 2>&1 >/dev/null)"
printf 'idle /h$/\nskip-thread /other/\n' >"$T/my.rules"
same "idle stacks are not counted" "run3,3,1" \
    "$("$ROXI" matrix "$T/camp" -s stack-count --rules "$T/my.rules" | grep run3)"
same "without lines" "execution,p.A.f()V,p.A.g()V,p.B.h()V" \
    "$("$ROXI" matrix "$T/camp" -s frame-count --granularity method | head -n 1)"
same "classes alone" "execution,p.A,p.B
run0,6,0" "$("$ROXI" matrix "$T/camp" -s frame-count --granularity class | head -n 2)"
echo 'class /(/x/' >"$T/my.rules"
check "a bad rule is named" fails 1 "rules .*my.rules, line 1, column 9: the pattern '\('" \
    matrix "$T/camp" --rules "$T/my.rules"
check "no such file" fails 1 "cannot read the rules '.*gone'" rank "$T/camp" --rules "$T/gone"
check "a bad granularity" fails 2 "granularity: 'file' is none of line" \
    matrix "$T/camp" --granularity file
"$ROXI" import "$T/lambda" "$T/in/run0" --explain-names >"$T/out" 2>"$T/err"
same "import explains, too" 0 $?

rm "$T"/camp/runs/run4/h-2.ixl
cp -r "$T/camp" "$T/evil"
sqlite3 "$T/evil/campaign.db" "update vm set role = char(27) || '[31mx' || char(10) where log like '%4/h-2%'"
"$ROXI" matrix "$T/evil" >"$T/out" 2>"$T/err"
has "what a catalogue says cannot drive a terminal" 'run run4: \\x1B\[31mx\\x0A is left' "$T/err"
sqlite3 "$T/evil/campaign.db" "update execution set name = 'a' || char(10) || 'b' where name = 'run4'"
check "a name that is two lines" fails 1 "name of run 'a.x0Ab' has control" matrix "$T/evil"
"$ROXI" matrix "$T/camp" --min-vms all >"$T/out" 2>"$T/err"
same "a log that is gone" 0 $?
has "is a warning" 'run run4: client is left out: .*h-2\.ixl' "$T/err"
same "once" 1 "$(wc -l <"$T/err")"
"$ROXI" export "$T/camp" --execution run4 --format text -o "$T/text4" 2>"$T/err"
same "exported without snapshots" 0 $?
has "is a warning, too" 'h-2\.ixl.* is missing' "$T/err"
same "and once" 1 "$(wc -l <"$T/err")"
size=$(stat -c %s "$T/camp/runs/run2/h-1.ixl")
truncate -s $((size - 1)) "$T/camp/runs/run2/h-1.ixl"
"$ROXI" matrix --min-vms 2 "$T/camp" >"$T/out" 2>"$T/err"
has "a torn log is a warning" 'run run2: .*h-1\.ixl' "$T/err"
has "an empty execution too" 'run4 is empty: none of its 3 packets .*as --min-vms asks for' "$T/err"
