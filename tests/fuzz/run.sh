#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every target in turn: tests/fuzz/run.sh SECONDS. New inputs go to build/fuzz/corpus/NAME,
# findings to build/fuzz/findings; the status is 1 if there is any. To keep what was learnt, copy
# the inputs to tests/fuzz/corpus/NAME.
set -u
cd "$(dirname "$0")/../.." || exit
seconds=${1:-60}
mkdir -p build/fuzz/findings
status=0
for target in build/fuzz/fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=${target##*/fuzz_}
    mkdir -p "build/fuzz/corpus/$name"
    echo "fuzz $name for $seconds s"
    if "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/findings/$name-" \
        "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1; then
        grep -E 'number_of_executed_units|cov:' "build/fuzz/$name.log" | tail -n 2
    else
        status=1
        echo "FINDING in $name; see build/fuzz/$name.log"
        tail -n 30 "build/fuzz/$name.log"
    fi
done
exit $status
