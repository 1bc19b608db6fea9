#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests with the build of VARIANT=coverage and prints how many lines and branches of each
# folder they reached; `make coverage` builds and calls it. build/coverage/html has a page for each
# file. COVERAGE: which tests, as for tests/run.sh (default: unit e2e).
set -u
cd "$(dirname "$0")/.." || exit
out=build/coverage
find $out -name '*.gcda' -delete
mkdir -p $out/html
# shellcheck disable=SC2086 # several words
TEST_BUILD=$out tests/run.sh ${COVERAGE:-unit e2e} >$out/tests.log 2>&1 ||
    echo "coverage: tests failed, see $out/tests.log" >&2
tail -n 1 $out/tests.log
gcovr -r . --object-directory $out/obj --exclude-unreachable-branches --exclude-throw-branches \
    -e tests/ -e bench/ -e examples/ --json-summary $out/summary.json \
    --html-details $out/html/index.html $out/obj >/dev/null || exit
jq -r '
    def row(f): [f, ([.[].line_covered] | add), ([.[].line_total] | add),
                    ([.[].branch_covered] | add), ([.[].branch_total] | add)];
    .files | (group_by(.filename | sub("/[^/]*$"; "")) | .[] |
              row(.[0].filename | sub("/[^/]*$"; ""))), row("all") | @tsv' $out/summary.json |
    awk -F '\t' 'BEGIN { printf "%-24s %18s %20s\n", "folder", "lines", "branches" }
        { printf "%-24s %6d of %6d %3.0f%% %6d of %6d %3.0f%%\n", $1, $2, $3, 100 * $2 / ($3 ? $3 : 1),
                 $4, $5, 100 * $4 / ($5 ? $5 : 1) }'
