#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# --engine and --pruning with the real binary: byte-identical output from all, on a campaign in the
# original's layout. Nothing is cached: each computes everything.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

for run in 0 1 2 3 4 5; do
    random_vm "$T/in/run$run" 1 server "1$run" 8 9
    random_vm "$T/in/run$run" 2 client "2$run" 8 9
done
"$ROXI" import "$T/camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
matrix() { "$ROXI" matrix "$T/camp" --cache no "$@"; }

for strategy in levenshtein favor-end favor-end-squared favor-begin favor-begin-squared \
    call-stack-1 call-stack-2 call-stack-3 gap; do
    want=$(matrix -s $strategy --engine reference)
    check "$strategy: the runs differ" test "$(grep -c ',0$' <<<"$want")" = 1
    same "$strategy: fast" "$want" "$(matrix -s $strategy)"
    same "$strategy: portable" "$want" "$(matrix -s $strategy --engine portable)"
    same "$strategy: without pruning" "$want" "$(matrix -s $strategy --pruning no)"
    same "$strategy: one thread" "$want" \
        "$(OMP_NUM_THREADS=1 matrix -s $strategy --engine fast)"
done

# An instruction set that this processor lacks is an error; one that it has gives the same.
want=$(matrix -s gap --engine reference)
for isa in avx2 avx512; do
    flag=$([ $isa = avx2 ] && echo avx2 || echo avx512bw)
    if grep -qw "$flag" /proc/cpuinfo; then
        same "$isa" "$want" "$(matrix -s gap --engine $isa)"
    else
        matrix -s gap --engine $isa >"$T/out" 2>"$T/err"
        same "$isa is missing" 1 $?
    fi
done

same "a reward that only the reference can do" \
    "$(matrix -s call-stack-1 --match-reward 0.3 --engine reference)" \
    "$(matrix -s call-stack-1 --match-reward 0.3)"
same "cluster" "$("$ROXI" cluster "$T/camp" --cache no -k 3 --engine reference)" \
    "$("$ROXI" cluster "$T/camp" --cache no -k 3 --engine fast)"
check "an engine that does not exist" \
    sh -c "'$ROXI' matrix '$T/camp' --engine slow 2>'$T/err'; [ \$? = 2 ] && grep -q reference '$T/err'"
