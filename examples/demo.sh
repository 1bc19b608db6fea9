#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make demo`: runs a distributed prime search on four JVMs (examples/bully) 24 times under Ixor and
# injects a fault into three runs chosen at random. Roxi, which is not told which, lists the most
# unusual runs; the injected faults are printed beside them, and Roxi explains the first run. Results
# stay in build/demo.
#   DEMO_RUNS: number of runs (default 24)
#   DEMO_FAULTY: how many of them get a fault (default 3)
#   DEMO_SEED: seed of the random choice (default: from the clock)
set -eu
cd "$(dirname "$0")/.."
runs=${DEMO_RUNS:-24} faulty=${DEMO_FAULTY:-3} seed=${DEMO_SEED:-$(($(date +%s) % 1000000))}
out=build/demo

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }
[ -t 1 ] || say() { printf '\n$ %s\n' "$*"; "$@"; }

rm -rf "$out"
mkdir -p "$out"
echo "$runs runs of examples/bully, $faulty of them with a fault (seed $seed)."
# Ten times the case study's rate of socket faults, because only three runs are faulty.
examples/campaign.sh --system bully --make-plan "$out/plan" --runs "$runs" --faulty "$faulty" --seed "$seed" \
    --faults priority,io,swap --probability 0.01

say build/ixor run --runs "$runs" --every 50ms --out "$out/campaign" -- \
    examples/campaign.sh --system bully --plan "$out/plan" --truth "$out/truth.tsv"
# What the injector does, no real failure has.
rules=(--rules examples/rules)
say build/roxi rank "$out/campaign" "${rules[@]}" -o "$out/rank.tsv"

printf '\nThe most unusual runs, the faults that were injected, and the verdicts of the checks of the\n'
printf 'system, of which Roxi is not told either:\n'
examples/truth-beside.sh "$out/rank.tsv" "$out/truth.tsv"
say build/roxi explain "$out/campaign" "${rules[@]}" "$(head -n 1 "$out/rank.tsv" | cut -f 1)"
cat <<END

Look closer:
    build/roxi explain $out/campaign --failed --rules examples/rules
    build/ixor status $out/campaign
    build/roxi cluster $out/campaign --strategy gap --linkage average \\
        --scaling none --clusters 4
    build/roxi dump $out/campaign/runs/run0001/*.ixl | less
END
