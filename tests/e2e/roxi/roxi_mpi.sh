#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# long
# no JVM
# Several MPI processes compute the same bytes as one, however the work is divided. If one of
# them fails, all end soon, with one message, and leave nothing half done.
. tests/support/lib.sh
MPI=$PWD/build/mpi/roxi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset OMP_NUM_THREADS

if ! [ -x "$MPI" ] || ! command -v mpirun >/dev/null; then
    skip "Open MPI is not installed: several processes are not tested"
    exit 0
fi

# processes N ARGUMENT...: roxi as N processes, at most a minute; what roxi itself says is in $T/said
processes() {
    local n=$1 status
    shift
    timeout -k 5 120 mpirun --oversubscribe -n "$n" "$MPI" "$@" 2>"$T/err" </dev/null
    status=$?
    grep '^roxi' "$T/err" | grep -v 'of the work$' >"$T/said"
    return $status
}

# campaign DIR EXECUTIONS [STACKS DEPTH]: the same executions, more or fewer of them
campaign() { build/bench/campaign "$T/$1" "$2" 2 3 "${3:-900}" "${4:-20}" 20 7; }
# one CAMPAIGN OPTION...: the ordinary roxi's answer
one() { local dir=$1; shift; "$ROXI" matrix "$T/$dir" --cache no "$@"; }
others() { sed -n 's/^roxi: .*processes other than 0 did \([0-9]*\) % .*/\1/p' "$T/err"; }

campaign camp 24
n=1
format=csv
for strategy in levenshtein favor-end-squared call-stack-2 gap; do
    same "$strategy, $format, processes: $n" "$(one camp -s $strategy --format $format | cksum)" \
        "$(processes $n matrix "$T/camp" --cache no -s $strategy --format $format | cksum)"
    same "$strategy, $format, processes: $n: nothing to say" "" "$(cat "$T/said")"
    n=$((n % 4 + 1))
    format=$([ $format = csv ] && echo npy || echo csv)
done

# Work that takes long enough for all to have a part in it: the slow engine's, whose results are the fast one's.
campaign long 40 700 110
slow=(-s call-stack-1 --engine portable)
one long -s call-stack-1 --format npy >"$T/want"
for n in 2 4; do
    processes $n matrix "$T/long" "${slow[@]}" --cache no --format npy -o "$T/got"
    check "$n processes: the same bytes" cmp "$T/want" "$T/got"
    check "others took part: $(others) %" test "$(others)" -gt 5
done
for options in "--unmatched cost --diagonal computed -s call-stack-2" "--engine reference --min-vms 1" \
    "-s call-stack-1 --match-reward 0.3 --granularity class"; do
    # shellcheck disable=SC2086 # words
    same "3 processes, $options" "$(one camp $options | cksum)" \
        "$(processes 3 matrix "$T/camp" --cache no $options | cksum)"
done
same "counts" "$(one camp -s stack-count | cksum)" "$(processes 2 matrix "$T/camp" -s stack-count | cksum)"
for command in cluster medoids; do
    same "$command" "$("$ROXI" $command "$T/camp" -k 4 --cache no)" \
        "$(processes 2 $command "$T/camp" -k 4 --cache no)"
done

# ---- what is kept ----
want=$(one camp | cksum)
same "kept by processes" "$want" "$(processes 3 matrix "$T/camp" | cksum)"
check "a file is kept" test "$(find "$T/camp/cache" -name '*.distances' | wc -l)" = 1
same "and used by one" "$want" "$("$ROXI" matrix "$T/camp" | cksum)"
same "and by processes" "$want" "$(processes 3 matrix "$T/camp" | cksum)"
same "who then compare nothing" "" "$(others)"
campaign more 30
for who in one processes; do
    rm -rf "$T/camp/cache" "$T/more/cache"
    if [ $who = one ]; then "$ROXI" matrix "$T/camp" >"$T/out"; else processes 2 matrix "$T/camp" >"$T/out"; fi
    cp -r "$T/camp/cache" "$T/more"
    same "kept by $who, six executions more by processes" "$(one more | cksum)" \
        "$(processes 3 matrix "$T/more" | cksum)"
done

# ---- interrupted and resumed ----
# process_pid NUMBER: of the processes that are running
process_pid() {
    local pid
    for pid in $(pgrep -f -- "^$MPI .*$T/half"); do
        grep -qaz "^OMPI_COMM_WORLD_RANK=$1\$" "/proc/$pid/environ" 2>/dev/null && echo "$pid"
    done
}
# comparing: process 1 has read its logs and is at work: it has asked for signals to be told. It is
# stopped there, so that none can finish.
comparing() {
    worker=$(process_pid 1)
    [ -n "$worker" ] && grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$worker/status" && kill -STOP "$worker"
}
# start N: a comparison in the background that ends at $T/half; returns when it is comparing
start() {
    rm -rf "$T/half" "$T/big/cache"
    env --default-signal=INT timeout -k 5 120 mpirun --oversubscribe -n "$1" \
        "$MPI" matrix "$T/big" "${slow[@]}" --format npy -o "$T/half" 2>"$T/err" </dev/null &
    started=$!
    wait_for 60 comparing
}
campaign big 40 1100 170
one big -s call-stack-1 --format npy >"$T/want"
for case in "INT 0" "TERM 1"; do
    read -r signal process <<<"$case"
    if ! start 3; then
        not_ok "$case: it compares: $(cat "$T/err")"
        continue
    fi
    kill -"$signal" "$(process_pid "$process")"
    kill -CONT "$worker"
    wait $started
    same "SIG$signal to process $process: status" 130 $?
    has "and what to do" '^roxi matrix: interrupted; .*--resume' "$T/err"
    same "said once" 1 "$(grep -c interrupted "$T/err")"
    check "no output" test ! -e "$T/half"
    if [ "$process" = 0 ]; then
        "$ROXI" matrix "$T/big" -s call-stack-1 --format npy --resume >"$T/got"
    else
        processes 2 matrix "$T/big" -s call-stack-1 --format npy --resume >"$T/got"
    fi
    check "resumed after that by $([ "$process" = 0 ] && echo one || echo 'two processes')" cmp "$T/want" "$T/got"
    same "nothing unfinished is left" "" "$(ls "$T/big/cache" | grep unfinished)"
done

# ---- a process that dies ----
for process in 0 2; do
    if ! start 3; then
        not_ok "it compares: $(cat "$T/err")"
        continue
    fi
    SECONDS=0
    kill -KILL "$(process_pid $process)"
    wait $started
    check "process $process is killed: all end with a failure" test $? != 0
    check "and soon: $SECONDS s" test $SECONDS -lt 40
    has "and mpirun says so" 'signal 9' "$T/err"
    same "nothing is left of the output" "" "$(find "$T" -maxdepth 1 -name 'half*')"
    check "no process is left" wait_for 10 test -z "$(pgrep -f -- "^$MPI .*$T/half")"
done

# ---- processes that do not see the same ----
# apart DIR [ROXI]: two processes, the second one in DIR, perhaps with another program
apart() {
    timeout -k 5 120 mpirun --oversubscribe -n 1 -wdir "$T/here" "$MPI" matrix camp -o "$T/half" \
        : -n 1 -wdir "$T/$1" "${2:-$MPI}" matrix camp -o "$T/half" 2>"$T/err" </dev/null
    status=$?
    grep '^roxi' "$T/err" >"$T/said"
}
# refused WHAT PATTERN: that run ended with one message, and no output
refused() {
    same "$1: status" "${3:-1}" $status
    has "$1: message" "$2" "$T/said"
    same "$1: one message" 1 "$(wc -l <"$T/said")"
    check "$1: no output" test ! -e "$T/half"
}
mkdir "$T/here" "$T/there"
cp -r "$T/camp" "$T/here"
rm -rf "$T/here/camp/cache"
cp -r "$T/here/camp" "$T/there"
apart there
same "two directories with the same: status" 0 $status
same "the same bytes" "$(one camp | cksum)" "$(cksum <"$T/half")"
rm -rf "$T/half" "$T/here/camp/cache"

log=$(find "$T/there/camp/runs/run00003" -name 'role0.ixl')
cp "$T/there/camp/runs/run00004/role0.ixl" "$log"
apart there
refused "another log" 'MPI process 1, on .*, sees other call stacks .*written to'
printf 'no log' >"$log"
apart there
refused "a log that cannot be read, at process 1" 'MPI process 1, on .*, sees other call stacks .*not readable'
cp "$log" "$T/here/camp/runs/run00003/role0.ixl"
apart there
same "at both: status" 0 $status
same "what there is" "$(cd "$T/here" && "$ROXI" matrix camp --cache no 2>"$T/err2" | cksum)" "$(cksum <"$T/half")"
same "the warnings come once" "$(grep '^roxi' "$T/err2")" "$(grep -v 'of the work$' "$T/said")"
rm -rf "$T/half" "$T/here/camp/cache"
cp "$T/camp/runs/run00003/role0.ixl" "$log"
apart there
same "at process 0: status" 1 $status
has "at process 0: message" 'MPI process 1, on .*, sees other call stacks' "$T/said"
cp "$log" "$T/here/camp/runs/run00003/role0.ixl"
for who in there here; do
    mv "$T/$who/camp/campaign.db" "$T/db"
    echo 'this is no database, whatever its name says, and it is long enough' >"$T/$who/camp/campaign.db"
    apart there
    refused "no catalogue $who" "$([ $who = there ] && echo 'MPI process 1, on .*: .*')campaign.db"
    mv "$T/db" "$T/$who/camp/campaign.db"
done
rm -r "$T/there/camp"
cp -r "$T/more" "$T/there/camp"
apart there
refused "more executions" 'MPI process 1, on .*, sees 30 runs, and process 0 sees 24: .*written to'
rm -r "$T/there/camp"
apart there
refused "no campaign at process 1" 'MPI process 1, on .*: .*camp'
cp -r "$T/here/camp" "$T/there/camp"
{ cat "$MPI"; echo; } >"$T/roxi"
chmod +x "$T/roxi"
apart there "$T/roxi"
refused "another build" 'MPI process 1, on .*, runs another build'
timeout -k 5 120 mpirun --oversubscribe -n 1 "$MPI" matrix "$T/camp" -o "$T/half" \
    : -n 1 "$MPI" matrix "$T/camp" -o "$T/half" -s gap 2>"$T/err" </dev/null
status=$?
grep '^roxi' "$T/err" >"$T/said"
refused "other arguments" 'MPI process 1, on .*, has other arguments'

# Whatever memory process 1 has, the matrix is right and all of it, or there is none and a message.
want=$(one long -s call-stack-1 | cksum)
for limit in 200000 400000; do
    rm -f "$T/half"
    SECONDS=0
    # shellcheck disable=SC2016 # the inner shell's
    timeout -k 5 120 mpirun --oversubscribe -n 1 "$MPI" matrix "$T/long" "${slow[@]}" --cache no -o "$T/half" \
        : -n 1 sh -c 'ulimit -v "$0"; exec "$@"' $limit "$MPI" matrix "$T/long" "${slow[@]}" --cache no \
        -o "$T/half" 2>"$T/err" </dev/null
    status=$?
    if [ $status = 0 ]; then
        same "process 1 has $limit KiB: done" "$want" "$(cksum <"$T/half")"
    else
        check "process 1 has $limit KiB: ends ($status) in $SECONDS s, says why" \
            test $status != 124 -a $SECONDS -lt 40 -a -s "$T/err" -a ! -e "$T/half"
    fi
done

# ---- what is no work for processes ----
status=0
processes 2 rank "$T/camp" || status=$?
rm -f "$T/half"
refused "rank" 'one process; start it without mpirun' 2
status=0
processes 2 matrix "$T/nowhere" || status=$?
refused "no campaign" 'nowhere'
status=0
processes 2 matrix "$T/camp" --strategy x || status=$?
refused "wrong use" "'x' is none of" 2
same "help comes once" "$("$ROXI" matrix --help)" "$(processes 3 matrix --help)"
same "the ordinary roxi's version" "$("$ROXI" --version)" "$(processes 3 --version)"
status=0
timeout 60 mpirun --oversubscribe -n 3 "$ROXI" matrix "$T/camp" >"$T/out" 2>"$T/err" </dev/null || status=$?
grep '^roxi' "$T/err" >"$T/said"
refused "a roxi without MPI, by mpirun" "started 3 times .*'make MPI=1'" 2
check "it computes nothing" test ! -s "$T/out"
same "one process of it works" "$(one camp | cksum)" \
    "$(mpirun -n 1 "$ROXI" matrix "$T/camp" --cache no </dev/null | cksum)"
SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$ROXI" matrix "$T/camp" >"$T/out" 2>"$T/err"
same "srun, too" 2 $?
same "in a batch script it works" "$(one camp | cksum)" \
    "$(SLURM_NTASKS=2 SLURM_PROCID=0 "$ROXI" matrix "$T/camp" --cache no | cksum)"
same "with MPI and without mpirun" "$("$ROXI" rank "$T/camp")" "$("$MPI" rank "$T/camp")"
same "matrix, too" "$(one camp | cksum)" "$("$MPI" matrix "$T/camp" --cache no | cksum)"
