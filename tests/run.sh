#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests that are already built and counts their checks; `make check` calls this.
#   tests/run.sh [unit|fuzz|e2e|asan|docs]... [--only NAME]      default: all kinds
# --only takes a glob, which is matched with tests' names (test_protocol, campaign_run).
# A test prints "ok ...", "not ok ..." or "skip ..." for each check (cmocka: "# SKIP"). The last
# line is "N passed, N failed, N skipped"; the exit status is not 0 if a check failed, a test
# checked nothing, or no test ran. What failed is listed again before it.
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

# count LABEL STATUS SECONDS FILE: adds up the checks that a test printed. A test that exits with an
# error, or that neither checks nor skips anything, has failed.
count() {
    local good bad left
    left=$(grep -cE "$skips" "$4")
    good=$(grep '^ok' "$4" | grep -vcE "$skips")
    bad=$(grep '^not ok' "$4" | grep -vcE "$skips")
    if [ "$bad" = 0 ] && { [ "$2" != 0 ] || [ $((good + left)) = 0 ]; }; then
        bad=1
        echo "not ok $1 (exit status $2, $good checks)" >>"$4"
    fi
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
    printf '%-52s %4d passed%s%s %5ss\n' "$1" "$good" "$([ "$left" = 0 ] || echo ", $left skipped")" \
        "$([ "$bad" = 0 ] || echo ", $bad FAILED")" "$3"
    grep -E "$skips" "$4" | sed -E 's/^(skip|.*# SKIP) */    skip: /'
    [ -z "${TEST_SHOW:-}" ] || sed -nE "s/^ok (.*($TEST_SHOW).*)/    \1/p" "$4"
    if [ "$bad" != 0 ]; then
        grep '^not ok' "$4" | grep -vE "$skips" | sed 's/^/    /' >"$work/bad"
        cat "$work/bad"
        { echo "$1" && head -n 10 "$work/bad"; } >>"$work/failures"
        tail -n 40 "$4.err" | sed 's/^/    | /'
    fi
}

# ---- one test: "unit PROGRAM", "fuzz PROGRAM" or "e2e BUILD JDK SCRIPT", each one word ----

label_of() {
    local name
    name=$(basename "${!#}" .sh)
    case $1 in
    unit) echo "$2" ;;
    fuzz) echo "replay ${name#fuzz_}" ;;
    e2e) echo "$name [${3##*/}${2#build}]" ;;
    esac
}

# broken FILE|DIRECTORY...: what bash could not run in the scripts that a test writes, such as the system of
# a campaign. They often go on all the same.
broken() {
    grep -rsIhE ': line [0-9]+: .*(command not found|unbound variable|syntax error)' "$@" |
        sort -u | sed 's/^/not ok a script: /'
}

# run OUT TEST: its output goes to OUT and OUT.err, its status and seconds to OUT.status. An
# end-to-end test has a directory of its own. Every interesting input that fuzzing has found is run
# once more.
run() {
    local out=$1 command
    shift
    case $1 in
    unit) command=(env CMOCKA_MESSAGE_OUTPUT=TAP "$2") ;;
    fuzz)
        # shellcheck disable=SC2016 # the inner shell's
        command=(bash -c '"$0" "tests/fuzz/corpus/$1" >&2 && echo "ok corpus of $1"' "$2" "${2##*/fuzz_}")
        ;;
    e2e)
        mkdir "$out.t"
        command=(env B="$2" JAVA_HOME="$3" FIRST_JDK="${jdks[0]}" T="$out.t" AGENT_BUILD="${TEST_BUILD:-build}"
            JAVA_CLASSES="$PWD/build/tests/java/${3##*/}" ROOT="$PWD" bash "$4")
        ;;
    esac
    SECONDS=0
    timeout -k 10 "$limit" "${command[@]}" >"$out" 2>"$out.err" </dev/null
    echo "$? $SECONDS" >"$out.status"
    [ "$1" != e2e ] || broken "$out.t" "$out.err" >>"$out"
    rm -rf "$out.t"
}

# ---- several at the same time ----

# Tests that have begun, and how many of them are running: all, and without those end to end.
begun=() running=0 computing=0
mkfifo "$work/ended"
exec 3<>"$work/ended" # a line for each test that has ended: its number

# begin TEST: in the background
begin() {
    local number=${#begun[@]}
    begun+=("$*")
    running=$((running + 1))
    [ "$1" = e2e ] || computing=$((computing + 1))
    { run "$work/$number" "$@" 3>&-; echo "$number" >&3; } &
}

# end_one: waits until a test has ended, and counts it
end_one() {
    local number status seconds test
    if ! read -r -t $((limit + 60)) -u 3 number; then
        echo "tests/run.sh: no test has ended in $((limit + 60)) s" >&2
        exit 1
    fi
    read -ra test <<<"${begun[number]}"
    running=$((running - 1))
    [ "${test[0]}" = e2e ] || computing=$((computing - 1))
    read -r status seconds <"$work/$number.status"
    count "$(label_of "${test[@]}")" "$status" "$seconds" "$work/$number"
}

# Tests that were chosen, in the order in which they begin. Long ones come first: begun last, one of them
# would run alone at the end.
short=() long=() middle=() alone=()

# Most of an end-to-end test is waiting, so that one for each processor would leave half of them idle.
slots=$((5 * $(nproc) / 2))

# By default OpenMP's threads compute without end while they wait for each other, on processors that other
# tests need.
export OMP_WAIT_POLICY=passive

# run_beside: all that allow it, `slots` of them at a time. As long as there are both, a quarter are
# short tests, which compute while the others wait.
run_beside() {
    local scripts=("${long[@]}" "${middle[@]}") e=0 s=0
    while [ $s -lt ${#short[@]} ] || [ $e -lt ${#scripts[@]} ]; do
        # shellcheck disable=SC2086 # words
        if [ $running = $slots ]; then
            end_one
        elif [ $s -lt ${#short[@]} ] &&
            { [ $computing -lt $(((slots + 3) / 4)) ] || [ $e = ${#scripts[@]} ]; }; then
            begin ${short[s++]}
        else
            begin ${scripts[e++]}
        fi
    done
    while [ $running -gt 0 ]; do end_one; done
}

run_alone() {
    local test
    for test in "${alone[@]}"; do
        # shellcheck disable=SC2086 # words
        begin $test
        end_one
    done
}

# ---- which tests ----

# says SCRIPT WORDS: its head has a line with these words.
says() {
    head -n 8 "$1" | grep -q "^# $2"
}

# chosen PROGRAM|SCRIPT: selected by --only
chosen() {
    local name
    name=$(basename "$1" .sh)
    # shellcheck disable=SC2053
    [[ $name == $only ]]
}

# add_e2e BUILD JDK SCRIPT. What measures time or uses all processors does not say "# beside others".
add_e2e() {
    if ! says "$3" 'no JVM' && ! says "$3" 'beside others'; then
        alone+=("e2e $*")
    elif says "$3" long; then
        long+=("e2e $*")
    else
        middle+=("e2e $*")
    fi
}

phase_unit() {
    local dir test
    for dir in ${TEST_BUILD:-build build/asan build/tsan}; do
        for test in "$dir"/tests/test_*; do
            [ ! -f "$test" ] || [ ! -x "$test" ] || ! chosen "$test" || short+=("unit $test")
        done
    done
}

phase_fuzz() {
    local test
    for test in build/asan/fuzz/fuzz_*; do
        [ ! -x "$test" ] || ! chosen "$test" || short+=("fuzz $test")
    done
}

# Scripts with "# no JVM" or "# one JDK" in their head run once, the others on every JDK.
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

# Reads the sources, the pages and --help.
phase_docs() {
    add_e2e build "${jdks[0]}" tests/docs.sh
}

for phase in "${phases[@]}"; do
    "phase_$phase"
done
run_beside
run_alone
# Again at the end, where a long output is read first.
[ ! -e "$work/failures" ] || { echo "failed:" && cat "$work/failures"; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ $((passed + skipped)) -gt 0 ]
