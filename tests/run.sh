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

# What a failed test left behind shows a crash.
crashed() {
    grep -rqsaE 'AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error:|SIGSEGV|SIGBUS|SIGABRT|FATAL ERROR in native|core dumped' \
        "$work/out" "$work/out.err" "$work/t" || compgen -G 'hs_err_pid*' >/dev/null
}

# run_again LABEL COMMAND...: as run, in the directory $work/t; a second time if the first one failed.
run_again() {
    local label=$1 status
    shift
    rm -rf "$work/t" && mkdir "$work/t"
    SECONDS=0
    timeout -k 10 "$limit" "$@" >"$work/out" 2>"$work/out.err" </dev/null
    status=$?
    if { [ $status != 0 ] || grep -q '^not ok' "$work/out"; } && [ "$again" -lt "${TEST_AGAIN:-3}" ] &&
        ! crashed; then
        again=$((again + 1))
        printf '%-52s failed; again\n' "$label"
        grep '^not ok' "$work/out" | sed 's/^/    /'
        tail -n 40 "$work/out.err" | sed 's/^/    | /'
        rm -rf "$work/t" && mkdir "$work/t"
        run "$label, again" "$@"
    else
        count "$label" $status "$work/out"
    fi
    rm -rf "$work/t"
}

# unit TEST: runs it beside others; for the count, leaves its output, status and seconds.
unit() {
    local out=$work/unit/${1//\//_}
    SECONDS=0
    CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$limit" "$1" >"$out" 2>"$out.err" </dev/null
    echo "$? $SECONDS" >"$out.status"
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
            [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
            unit "$test" &
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

# e2e BUILD JDK SCRIPT
e2e() {
    local name
    name=$(basename "$3" .sh)
    # shellcheck disable=SC2053
    [[ $name == $only ]] || return 0
    run_again "$name [${2##*/}${1#build}]" env B="$1" JAVA_HOME="$2" T="$work/t" \
        JAVA_CLASSES="$PWD/build/tests/java/${2##*/}" ROOT="$PWD" bash "$3"
}

# Scripts that say "# no JVM" in their head run once, the others on every JDK.
phase_e2e() {
    local script jdk
    for script in tests/e2e/*.sh; do
        [ "$(basename "$script")" != lib.sh ] || continue
        if head -n 5 "$script" | grep -q '^# no JVM'; then
            e2e build "${jdks[0]}" "$script"
            continue
        fi
        for jdk in "${jdks[@]}"; do
            e2e build "$jdk" "$script"
        done
    done
}

# Scripts that say "# also asan" run once more with instrumented ixor and roxi.
phase_asan() {
    local script
    for script in $(grep -l '^# also asan' tests/e2e/*.sh); do
        e2e build/asan "${jdks[0]}" "$script"
    done
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
