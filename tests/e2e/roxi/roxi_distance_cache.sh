#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# Cached distances: the output is byte-identical to a full computation, whatever was cached before.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

run() {
    random_vm "$T/in/run$1" 1 server "1$1" 6 9
    random_vm "$T/in/run$1" 2 client "2$1" 6 9
    "$ROXI" import "$T/camp" "$T/in/run$1" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
}

# right WHAT OPTION...: what is kept changes nothing; twice, so that what was just kept is used
right() {
    local what=$1 want
    shift
    want=$("$ROXI" matrix "$T/camp" --cache no "$@" | cksum)
    same "$what" "$want" "$("$ROXI" matrix "$T/camp" "$@" 2>"$T/err" | cksum)"
    same "$what, once more" "$want" "$("$ROXI" matrix "$T/camp" "$@" 2>>"$T/err" | cksum)"
    same "$what, nothing to say" "" "$(cat "$T/err")"
}
kept() { find "$T/camp/cache" -type f -name "${1:-*}*.distances" | sort; }

for i in 0 1 2 3 4 5 6 7; do run $i; done
"$ROXI" matrix "$T/camp" --cache no >"$T/out"
check "nothing is kept unless wanted" test ! -e "$T/camp/cache"
right "first" -s gap
same "one file" 1 "$(kept gap | wc -l)"

# Every option that a distance depends on, with all that came before still there.
strategies='levenshtein favor-end favor-end-squared favor-begin favor-begin-squared
    call-stack-1 call-stack-2 call-stack-3'
[ "$B" != build/asan ] || strategies='levenshtein call-stack-1' # instrumented: what differs is the file's name
for strategy in $strategies; do
    right "$strategy" -s $strategy
done
right "match reward" -s call-stack-1 --match-reward 7
right "unmatched" -s gap --unmatched cost
right "diagonal" -s call-stack-1 --diagonal computed
right "min-vms" -s gap --min-vms 1
right "granularity" -s gap --granularity class
echo 'class /p.A/p.B/' >"$T/rules"
right "rules" -s gap --rules "$T/rules"
echo 'class /p.[AB]/q/' >"$T/rules"
right "the same file with other rules" -s gap --rules "$T/rules"
right "first again" -s gap

# More executions, and ones that are not what they were.
run 8
right "one more" -s gap
right "one more, call-stack-1" -s call-stack-1 --diagonal computed
for i in 10 11 12 13 14 15 16 17 18 19 20 21; do run $i; done
right "many more" -s gap
cp "$T/camp/runs/run3/h-1.ixl" "$T/kept.ixl"
cp "$T/camp/runs/run4/h-1.ixl" "$T/camp/runs/run3/h-1.ixl"
right "another log" -s gap
cp "$T/kept.ixl" "$T/camp/runs/run3/h-1.ixl"
right "the first log again" -s gap
cp -r "$T/camp" "$T/two"
sqlite3 "$T/two/campaign.db" "update execution set name = 'x' where name = 'run1';
    update execution set name = 'run1' where name = 'run2'; update execution set name = 'run2' where name = 'x'"
same "names that are exchanged" "$("$ROXI" matrix "$T/two" -s gap --cache no | cksum)" \
    "$("$ROXI" matrix "$T/two" -s gap | cksum)"

# Files that are not what they were.
rm -r "$T/camp/cache"
want=$("$ROXI" matrix "$T/camp" -s gap | cksum)
file=$(kept)
cp "$file" "$T/good"
for at in 0 8 16 24 40 300; do
    cp "$T/good" "$file"
    printf '\377' | dd of="$file" bs=1 seek=$at conv=notrunc 2>/dev/null
    same "a byte at $at" "$want" "$("$ROXI" matrix "$T/camp" -s gap 2>&1 | cksum)"
    same "and it is mended" "" "$(cmp "$T/good" "$file" 2>&1)"
done
for size in 0 10 31 1000; do
    truncate -s $size "$file"
    same "cut at $size" "$want" "$("$ROXI" matrix "$T/camp" -s gap 2>&1 | cksum)"
done
same "clusters, too" "$("$ROXI" cluster "$T/camp" -k 4 --cache no)" "$("$ROXI" cluster "$T/camp" -k 4)"
# Interrupted and resumed: in the middle of a comparison. (SIGTERM: a
# shell that is not interactive has its background jobs ignore SIGINT.) With sanitizers comparing
# takes 20 times longer.
packets=300
[ "$B" != build/asan ] || packets=130
for i in 1 2 3 4 5 6; do
    random_vm "$T/in/big$i" 1 server "3$i" $packets 14
    "$ROXI" import "$T/big" "$T/in/big$i" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
done
slow=("$ROXI" matrix "$T/big" --min-vms 1 -s call-stack-1 --engine portable)
want=$("${slow[@]}" --cache no | cksum)
interrupted=0
# comparing: it has asked for SIGTERM to be told, or is over already
comparing() { [ ! -d "/proc/$roxi" ] || grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$roxi/status"; }
for delay in 0 0.1 0.2 0.3 0.4; do
    [ $interrupted -lt 2 ] || break
    "${slow[@]}" -o "$T/half" 2>"$T/err" &
    roxi=$!
    wait_for 60 comparing
    pause $delay
    kill -TERM $roxi 2>/dev/null
    wait $roxi
    status=$?
    if [ $status = 130 ] && grep -q -- 'with --resume continues' "$T/err"; then
        interrupted=$((interrupted + 1))
        check "interrupted $delay s after it began: no output" test ! -e "$T/half"
        same "resumed" "$want" "$("${slow[@]}" --resume | cksum)"
        same "nothing unfinished is left" "" "$(ls "$T/big/cache" | grep unfinished)"
    fi
    rm -rf "$T/half" "$T/big/cache"
done
check "it was interrupted while it compared" test $interrupted -gt 0
same "resuming where nothing is" "$want" "$("${slow[@]}" --resume | cksum)"

rm -r "$T/camp/cache"
: >"$T/camp/cache"
"$ROXI" matrix "$T/camp" >"$T/out" 2>"$T/err"
same "where nothing can be kept, the matrix comes" 0 $?
has "with a warning" 'the distances are not cached: .*camp/cache' "$T/err"
status=0
"$ROXI" matrix "$T/camp" --memlimit 3x >"$T/out" 2>"$T/err" || status=$?
same "a limit that is none" 2 $status
has "is said to be" "memlimit: '3x' is not a size" "$T/err"
