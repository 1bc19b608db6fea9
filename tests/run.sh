#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests that are already built and counts their checks; `make check` calls this.
#   tests/run.sh [unit|fuzz|e2e|asan|docs]... [--only NAME]      default: all kinds
# --only takes a glob, which is matched with tests' names (test_protocol, campaign_run).
# A test prints "ok ...", "not ok ..." or "skip ..." for each check (cmocka: "# SKIP"). The last
# line is "N passed, N failed, N skipped"; the exit status is not 0 if a check failed, a test
# checked nothing, or no test ran.
#   TEST_SECONDS: time limit for one test (default 600)
#   TEST_BUILD: run only unit and end-to-end tests of this build (build/coverage), on the default
#     JDK, without tests that say "# own build"
#   TEST_SHOW: also print the checks that passed and match this regular expression
set -u
cd "$(dirname "$0")/.." || exit

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
passed=0 failed=0 skipped=0
limit=${TEST_SECONDS:-600}
mapfile -t jdks < <(make/jdk.sh all)

# What end-to-end tests need besides the programs; without it they would fail in odd ways.
for phase in "${phases[@]}"; do
    case $phase in e2e | asan) ;; *) continue ;; esac
    for jdk in "${jdks[@]}"; do
        [ -z "${TEST_BUILD:-}" ] || break
        [ -d "build/tests/java/${jdk##*/}" ] && [ -d build/helpers ] && continue
        echo "tests/run.sh: $phase: not built yet; run: make all helpers examples test-java" >&2
        exit 2
    done
done

# cmocka prints "not ok" for a test that skips itself, followed by SKIP.
skips='^skip |^(not )?ok .*# SKIP'

# count LABEL STATUS FILE: adds up the checks that a test printed. A test that exits with an error,
# or that neither checks nor skips anything, has failed.
count() {
    local good bad left
    left=$(grep -cE "$skips" "$3")
    good=$(grep '^ok' "$3" | grep -vcE "$skips")
    bad=$(grep '^not ok' "$3" | grep -vcE "$skips")
    if [ "$bad" = 0 ] && { [ "$2" != 0 ] || [ $((good + left)) = 0 ]; }; then
        bad=1
        echo "not ok $1 (exit status $2, $good checks)" >>"$3"
    fi
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
    printf '%-52s %4d passed%s%s %5ss\n' "$1" "$good" "$([ "$left" = 0 ] || echo ", $left skipped")" \
        "$([ "$bad" = 0 ] || echo ", $bad FAILED")" "$SECONDS"
    grep -E "$skips" "$3" | sed -E 's/^(skip|.*# SKIP) */    skip: /'
    [ -z "${TEST_SHOW:-}" ] || sed -nE "s/^ok (.*($TEST_SHOW).*)/    \1/p" "$3"
    if [ "$bad" != 0 ]; then
        grep '^not ok' "$3" | grep -vE "$skips" | sed 's/^/    /'
        tail -n 40 "$3.err" | sed 's/^/    | /'
    fi
}

# run LABEL COMMAND...: runs a test and counts its output.
run() {
    local label=$1 status
    shift
    SECONDS=0
    timeout -k 10 "$limit" "$@" >"$work/out" 2>"$work/out.err" </dev/null
    status=$?
    count "$label" $status "$work/out"
}

# beside OUT COMMAND...: runs it in parallel; stores its output, status and seconds for the count.
beside() {
    local out=$1
    shift
    SECONDS=0
    timeout -k 10 "$limit" "$@" >"$out" 2>"$out.err" </dev/null
    echo "$? $SECONDS" >"$out.status"
}

# Tests at the same time. Most of an end-to-end test is waiting, so that one for each processor would
# leave half of them idle.
slots=$((2 * $(nproc)))

# wait_for_room: waits until another test may start.
wait_for_room() {
    [ "$(jobs -rp | wc -l)" -lt "$slots" ] || wait -n
}

# They share only the machine.
phase_unit() {
    local dir test tests=() status
    mkdir -p "$work/unit"
    for dir in ${TEST_BUILD:-build build/asan build/tsan}; do
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

# Runs every interesting input that fuzzing has found once more.
phase_fuzz() {
    local target name
    for target in build/asan/fuzz/fuzz_*; do
        name=${target##*/fuzz_}
        # shellcheck disable=SC2053
        [[ -x $target && fuzz_$name == $only ]] || continue
        SECONDS=0
        if "$target" "tests/fuzz/corpus/$name" >"$work/out.err" 2>&1; then
            echo "ok corpus of $name" >"$work/out"
        else
            echo "not ok corpus of $name" >"$work/out"
        fi
        count "replay $name" 0 "$work/out"
    done
}

# An end-to-end test is "BUILD JDK SCRIPT", each one word.
label_of() {
    local name
    name=$(basename "$3" .sh)
    echo "$name [${2##*/}${1#build}]"
}

# start_e2e OUT BUILD JDK SCRIPT: runs it in its own directory, in parallel.
start_e2e() {
    local out=$1
    rm -rf "$out.t" && mkdir "$out.t"
    beside "$out" env B="$2" JAVA_HOME="$3" T="$out.t" AGENT_BUILD="${TEST_BUILD:-build}" \
        JAVA_CLASSES="$PWD/build/tests/java/${3##*/}" ROOT="$PWD" bash "$4"
}

# end_e2e OUT BUILD JDK SCRIPT: counts it.
end_e2e() {
    local out=$1 status
    shift
    read -r status SECONDS <"$out.status"
    count "$(label_of "$@")" "$status" "$out"
    rm -rf "$out.t"
}

# says SCRIPT WORDS: its head has a line with these words.
says() {
    head -n 8 "$1" | grep -q "^# $2"
}

# needs_machine SCRIPT: it measures time or uses all processors, so nothing may run in parallel.
needs_machine() {
    ! says "$1" 'no JVM' && ! says "$1" 'beside others'
}

# The chosen end-to-end tests; add_e2e BUILD JDK SCRIPT. Those that say "# long" come first: begun last,
# one of them would run alone at the end.
first=() rest=()
add_e2e() {
    if says "$3" long; then first+=("$*"); else rest+=("$*"); fi
}

# Runs those that allow it several at a time, the rest one by one.
run_e2e() {
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

# chosen SCRIPT: selected by --only.
chosen() {
    local name
    name=$(basename "$1" .sh)
    # shellcheck disable=SC2053
    [[ $name == $only ]]
}

# Scripts with "# no JVM" or "# one JDK" in their head run once, the others on every JDK. Those
# without a JVM and those with "# beside others" run several at a time.
phase_e2e() {
    local script jdk
    for script in tests/e2e/*/*.sh; do
        chosen "$script" || continue
        [ -z "${TEST_BUILD:-}" ] || ! says "$script" 'own build' || continue
        for jdk in "${jdks[@]}"; do
            add_e2e "${TEST_BUILD:-build}" "$jdk" "$script"
            [ -z "${TEST_BUILD:-}" ] || break
            ! says "$script" 'no JVM' || break
            ! says "$script" 'one JDK' || break
        done
    done
}

# Scripts with "# also asan" run once more with instrumented ixor and roxi.
phase_asan() {
    local script
    for script in $(grep -l '^# also asan' tests/e2e/*/*.sh); do
        ! chosen "$script" || add_e2e build/asan "${jdks[0]}" "$script"
    done
}

phase_docs() {
    run docs env B=build JAVA_HOME="${jdks[0]}" bash tests/docs.sh
}

for phase in "${phases[@]}"; do
    "phase_$phase"
done
run_e2e "${first[@]}" "${rest[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ $((passed + skipped)) -gt 0 ]
