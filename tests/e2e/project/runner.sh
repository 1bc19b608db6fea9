#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own build
# no JVM
# tests/run.sh counts the checks that tests print, and runs each test once: made-up tests in a
# project of their own.
. tests/support/lib.sh

unset TEST_BUILD TEST_SHOW
mkdir -p "$T/p/tests/e2e/group" "$T/p/build/tests"
cp -r make "$T/p/make"
cp tests/run.sh "$T/p/tests"
# made NAME: an end-to-end test of what is on standard input; it leaves a line for each time it ran
made() {
    { echo '# no JVM'; echo "echo x >>$T/$1.ran"; cat; } >"$T/p/tests/e2e/group/$1.sh"
}
made good <<<'echo "ok one"; echo "ok two"'
made left <<<'echo "skip no such library: not compared"'
made half <<<'echo "ok one"; echo "skip two"'
made flaky <<<'echo "ok one"; [ "$(wc -l <'"$T/flaky.ran"')" -gt 1 ] || echo "not ok two"'
made mute <<<':'
made other <<<$'# own build\necho "ok one"'
made ends <<<'echo "ok one"; exit 3'
printf '#!/bin/sh\nprintf "1..2\\nok 1 - one\\nnot ok 2 # SKIP two\\n# ok - tests\\n"\n' \
    >"$T/p/build/tests/test_tap"
chmod +x "$T/p/build/tests/test_tap"

# counted NAME WANT-STATUS WANT-LINE
counted() {
    bash "$T/p/tests/run.sh" "${4:-e2e}" --only "$1" >"$T/out" 2>&1
    same "$1: status" "$2" $?
    same "$1: count" "$3" "$(tail -n 1 "$T/out")"
}
bash "$T/p/tests/run.sh" e2e --only good >"$T/out" 2>&1
same "nothing built: status" 2 $?
has "what to build" 'not built yet; run: make all helpers' "$T/out"
check "and no test runs" test ! -e "$T/good.ran"
mkdir "$T/p/build/helpers"
make/jdk.sh all | while read -r jdk; do mkdir -p "$T/p/build/tests/java/${jdk##*/}"; done
counted good 0 "2 passed, 0 failed, 0 skipped"
counted left 0 "0 passed, 0 failed, 1 skipped"
has "the reason is shown" 'skip: no such library: not compared' "$T/out"
counted half 0 "1 passed, 0 failed, 1 skipped"
counted flaky 1 "1 passed, 1 failed, 0 skipped"
same "what failed is said again at the end" $'failed:\nflaky ['"$(basename "$(make/jdk.sh all | head -n 1)")"$']\n    not ok two' \
    "$(tail -n 4 "$T/out" | head -n 3)"
same "what failed is not run again" 1 "$(wc -l <"$T/flaky.ran")"
counted mute 1 "0 passed, 1 failed, 0 skipped"
counted ends 1 "1 passed, 1 failed, 0 skipped"
counted test_tap 0 "1 passed, 0 failed, 1 skipped" unit
counted nothing 1 "0 passed, 0 failed, 0 skipped"
counted other 0 "1 passed, 0 failed, 0 skipped"
TEST_BUILD=build counted other 1 "0 passed, 0 failed, 0 skipped"

# Two that wait for each other run at the same time; one that may not begins when they have ended.
there() {
    declare -f wait_for pause
    echo "touch $T/$1.on; wait_for 60 test -e $T/$2.on && [ ! -e $T/alone.on ] && echo 'ok $1'"
}
there beside_a beside_b | made beside_a
there beside_b beside_a | made beside_b
printf '# one JDK\ntouch %s\necho "ok alone"\n' "$T/alone.on" >"$T/p/tests/e2e/group/beside_alone.sh"
counted 'beside_*' 0 "3 passed, 0 failed, 0 skipped"
