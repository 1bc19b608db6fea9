#!/usr/bin/env bash
# Runs the tests that have been built and counts them; `make check` builds first and calls this.
#   tests/run.sh [unit|fuzz|e2e|asan|docs]... [--only NAME]      default: all of them
# --only takes a glob for test names (test_protocol, campaign_run). Ends with "N passed, N failed"
# and a nonzero status if anything failed or a test ran nothing.
#   TEST_SECONDS (default 600): how long one test may run.
#   TEST_SHOW: a regular expression; checks that passed and match it are printed: their figures.
# An end-to-end test that fails runs once more, alone, and says so ("again"): other programs may have
# held the machine. Not where a JVM or a program crashed or a sanitizer spoke, and three times at
# most: more than that is no accident. TEST_AGAIN=0: never.
set -u
cd "$(dirname "$0")/.."

only='*'
phases=()
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=$2; shift ;;
    unit | fuzz | e2e | asan | docs) phases+=("$1") ;;
    *) echo "tests/run.sh: '$1': expected unit, fuzz, e2e, asan, docs or --only NAME" >&2; exit 2 ;;
    esac
    shift
done
[ ${#phases[@]} -gt 0 ] || phases=(docs unit fuzz asan e2e)

work=$(mktemp -d "${TMPDIR:-/tmp}/ixor-check.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 again=0
limit=${TEST_SECONDS:-600}
mapfile -t jdks < <(make/jdk.sh all)

# count LABEL STATUS FILE: adds up the "ok" and "not ok" lines that a test printed. A test that
# ends badly, or that checks nothing, has failed.
count() {
    local good bad
    good=$(grep -c '^ok' "$3")
    bad=$(grep -c '^not ok' "$3")
    if [ "$bad" = 0 ] && { [ "$2" != 0 ] || [ "$good" = 0 ]; }; then
        bad=1
        echo "not ok $1 (exit status $2, $good checks)" >>"$3"
    fi
    passed=$((passed + good)) failed=$((failed + bad))
    printf '%-52s %4d passed %s %5ss\n' "$1" "$good" "$([ "$bad" = 0 ] || echo ", $bad FAILED")" \
        "$SECONDS"
    [ -z "${TEST_SHOW:-}" ] || sed -nE "s/^ok (.*($TEST_SHOW).*)/    \1/p" "$3"
    if [ "$bad" != 0 ]; then
        grep '^not ok' "$3" | sed 's/^/    /'
        tail -n 40 "$3.err" | sed 's/^/    | /'
    fi
}

# run LABEL COMMAND...: the output is kept for the count.
run() {
    local label=$1 status
    shift
    SECONDS=0
    timeout -k 10 "$limit" "$@" >"$work/out" 2>"$work/out.err" </dev/null
    status=$?
    count "$label" $status "$work/out"
}

# beside OUT COMMAND...: runs it beside others; for the count, leaves its output, status and seconds.
beside() {
    local out=$1
    shift
    SECONDS=0
    timeout -k 10 "$limit" "$@" >"$out" 2>"$out.err" </dev/null
    echo "$? $SECONDS" >"$out.status"
}

# wait_for_room: until another one may begin.
wait_for_room() {
    [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
}

# Two at a time: they share nothing but the machine.
phase_unit() {
    local dir test tests=() status
    mkdir -p "$work/unit"
    for dir in build build/asan build/tsan; do
        for test in "$dir"/tests/test_*; do
            # shellcheck disable=SC2053
            [[ -x $test && -f $test && ${test##*/} == $only ]] || continue
            tests+=("$test")
            wait_for_room
            beside "$work/unit/${test//\//_}" env CMOCKA_MESSAGE_OUTPUT=TAP "$test" &
        done
    done
    wait
    for test in "${tests[@]}"; do
        read -r status SECONDS <"$work/unit/${test//\//_}.status"
        count "$test" "$status" "$work/unit/${test//\//_}"
    done
}

# Every input that fuzzing has found interesting, once more.
phase_fuzz() {
    local target name
    for target in build/fuzz/fuzz/fuzz_*; do
        name=${target##*/fuzz_}
        # shellcheck disable=SC2053
        [[ -x $target && fuzz_$name == $only ]] || continue
        SECONDS=0
        if "$target" -runs=0 "tests/fuzz/corpus/$name" >"$work/out.err" 2>&1; then
            echo "ok corpus of $name" >"$work/out"
        else
            echo "not ok corpus of $name" >"$work/out"
        fi
        count "replay $name" 0 "$work/out"
    done
}

# An end-to-end test is "BUILD JDK SCRIPT", in one word for each.
label_of() {
    local name
    name=$(basename "$3" .sh)
    echo "$name [${2##*/}${1#build}]"
}

# start_e2e OUT BUILD JDK SCRIPT: runs it in a directory of its own, beside OUT.
start_e2e() {
    local out=$1
    rm -rf "$out.t" && mkdir "$out.t"
    beside "$out" env B="$2" JAVA_HOME="$3" T="$out.t" \
        JAVA_CLASSES="$PWD/build/tests/java/${3##*/}" ROOT="$PWD" bash "$4"
}

# crashed OUT: what a failed test left behind shows a crash.
crashed() {
    grep -rqsaE 'AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error:|SIGSEGV|SIGBUS|SIGABRT|FATAL ERROR in native|core dumped' \
        "$1" "$1.err" "$1.t" || compgen -G 'hs_err_pid*' >/dev/null
}

# failed_e2e OUT: whether the one that ran there failed.
failed_e2e() {
    local status
    read -r status _ <"$1.status"
    [ "$status" != 0 ] || grep -q '^not ok' "$1"
}

# end_e2e OUT BUILD JDK SCRIPT: counts it; before that, once more if it failed.
end_e2e() {
    local out=$1 label status
    shift
    label=$(label_of "$@")
    if failed_e2e "$out" && [ "$again" -lt "${TEST_AGAIN:-3}" ] && ! crashed "$out"; then
        again=$((again + 1))
        printf '%-52s failed; again\n' "$label"
        grep '^not ok' "$out" | sed 's/^/    /'
        tail -n 40 "$out.err" | sed 's/^/    | /'
        start_e2e "$out" "$@"
        label="$label, again"
    fi
    read -r status SECONDS <"$out.status"
    count "$label" "$status" "$out"
    rm -rf "$out.t"
}

# says SCRIPT WORDS: a line in its head.
says() {
    head -n 8 "$1" | grep -q "^# $2"
}

# needs_machine SCRIPT: it looks at the time, or takes all processors, so nothing may run beside it.
needs_machine() {
    ! says "$1" 'no JVM' && ! says "$1" 'beside others'
}

# e2e "BUILD JDK SCRIPT"...: those that may run beside others two at a time, the rest one by one.
e2e() {
    local test build jdk script i=0
    mkdir -p "$work/e2e"
    for test in "$@"; do
        read -r build jdk script <<<"$test"
        i=$((i + 1))
        needs_machine "$script" && continue
        wait_for_room
        start_e2e "$work/e2e/$i" "$build" "$jdk" "$script" &
    done
    wait
    i=0
    for test in "$@"; do
        read -r build jdk script <<<"$test"
        i=$((i + 1))
        ! needs_machine "$script" || start_e2e "$work/e2e/$i" "$build" "$jdk" "$script"
        end_e2e "$work/e2e/$i" "$build" "$jdk" "$script"
    done
}

# chosen SCRIPT: --only wants it.
chosen() {
    local name
    name=$(basename "$1" .sh)
    # shellcheck disable=SC2053
    [[ $name != lib && $name == $only ]]
}

# Scripts that say "# no JVM" or "# one JDK" in their head run once, the others on every JDK. Those without a JVM
# and the ones that say "# beside others" run two at a time.
phase_e2e() {
    local script jdk tests=()
    for script in tests/e2e/*.sh; do
        chosen "$script" || continue
        for jdk in "${jdks[@]}"; do
            tests+=("build $jdk $script")
            ! says "$script" 'no JVM' || break
            ! says "$script" 'one JDK' || break
        done
    done
    e2e "${tests[@]}"
}

# Scripts that say "# also asan" run once more with instrumented ixor and roxi.
phase_asan() {
    local script tests=()
    for script in $(grep -l '^# also asan' tests/e2e/*.sh); do
        ! chosen "$script" || tests+=("build/asan ${jdks[0]} $script")
    done
    e2e "${tests[@]}"
}

phase_docs() {
    run docs env B=build JAVA_HOME="${jdks[0]}" bash tests/docs.sh
}

for phase in "${phases[@]}"; do
    "phase_$phase"
done
[ "$again" = 0 ] || echo "$again of these tests failed at first and ran again"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
