#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long forms of end-to-end tests, on each JDK found, and of unit tests with sanitizers; `make
# stress` builds first.
#   tests/stress/run.sh [SECONDS] [--only NAME]
# SECONDS (default 3000) is about how long all of it takes on two idle cores; the forms below are
# scaled with it. Ends with how long each ran and "N passed, N failed, N skipped"; nonzero if anything failed.
set -u
cd "$(dirname "$0")/../.." || exit

TOTAL=3000
only='*'
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=$2; shift ;;
    *[!0-9]* | '') echo "tests/stress/run.sh: '$1': expected SECONDS or --only NAME" >&2; exit 2 ;;
    *) TOTAL=$1 ;;
    esac
    shift
done

# A row: the test, the variable that makes it long, its value when all takes 3,000 s. The test's
# head says what the variable means.
forms='
agent_incremental  INCREMENTAL_PACKETS 100000
agent_memory       SOAK_SECONDS        600
agent_asan         ASAN_SECONDS        20
agent_neighbours   NEIGHBOURS_SECONDS  4
agent_crowd        CROWD_SECONDS       5
agent_virtual      VIRTUAL_PACKETS     2000
agent_classes      CLASSES_SECONDS     60
agent_facts        FACTS_SECONDS       30
agent_attach       ATTACH_CYCLES       100
agent_bounds       BOUNDS_PACKETS      2000
agent_redefine     -                   -
agent_names        -                   -
agent_churn        -                   -
agent_ends         -                   -
agent_loader       -                   -
agent_allocations  ALLOCATION_POINTS   400
agent_environment  -                   -
agent_short        SHORT_LIVES         600
agent_proc         -                   -
agent_hostile      MUTANTS             100000
environment_jvm    LIFETIMES           40
server_mutants     MUTANTS             1000000
server_crowd       CROWD               10000
agent_junit        EMPTY_TESTS         1000
roxi_ends          ENDS                20000
roxi_waits_over    HANG_PACKETS        300
roxi_scarce        SCARCE_POINTS       2000
store_faults       FAULTS              1000
server_strangers   STRANGERS           15000
'

figures='[0-9] (short threads|packets|unknown)|flat|given back' # checks that are shown

work=$(mktemp -d "${TMPDIR:-/tmp}/ixor-stress.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# form TEST VARIABLE VALUE: tests/run.sh counts; its limit is for the short forms.
form() {
    local value=1 began=$SECONDS good bad left
    [ "$2" = - ] || value=$(($3 * TOTAL / 3000))
    [ "$value" -gt 0 ] || value=1
    printf '== %s%s\n' "$1" "$([ "$2" = - ] || echo " $2=$value")"
    env "$([ "$2" = - ] && echo STRESS || echo "$2")=$value" TEST_SHOW="$figures" \
        TEST_SECONDS=$((TOTAL * 2 + 600)) tests/run.sh e2e --only "$1" | tee "$work/out"
    read -r good bad left <<<"$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$work/out")"
    good=${good:-0} bad=${bad:-0} left=${left:-0}
    # A test that is not run has not passed.
    [ $((good + left)) -gt 0 ] || bad=$((bad + 1))
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
    printf '%-20s %5d s   %4d passed, %d failed, %d skipped\n' "$1" $((SECONDS - began)) "$good" "$bad" \
        "$left" >>"$work/table"
}

while read -r test variable value; do
    # shellcheck disable=SC2053
    [[ -n $test && $test == $only ]] && form "$test" "$variable" "$value" </dev/null
done <<<"$forms"
# unit_form NAME TEST VARIABLE=VALUE: a unit test with a long form
unit_form() {
    local began=$SECONDS good=1
    # shellcheck disable=SC2053
    [[ $1 == $only ]] || return
    env "$3" "$2" || good=0
    passed=$((passed + good)) failed=$((failed + 1 - good))
    printf '%-20s %5d s   %4d passed, %d failed, 0 skipped\n' "$1" $((SECONDS - began)) $good \
        $((1 - good)) >>"$work/table"
}
# Every allocation of the server in turn.
unit_form server_allocation build/asan/tests/test_server_allocation \
    ALLOCATIONS=$((TOTAL >= 3000 ? 0 : TOTAL / 3))
# All the rounds that make check tries only without sanitizers.
unit_form roxi_engine_compare build/asan/tests/test_roxi_engine_compare ALL_ROUNDS=1
for sanitizer in asan tsan; do
    unit_form load_parallel_$sanitizer build/$sanitizer/tests/test_roxi_load_parallel ALL_ROUNDS=1
    unit_form writer_$sanitizer build/$sanitizer/tests/test_server_catalogue_writer ALL_ROUNDS=1
done
echo
[ -s "$work/table" ] || { echo "tests/stress/run.sh: '$only' is none of the tests" >&2; exit 2; }
cat "$work/table"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
