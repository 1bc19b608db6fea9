# SPDX-License-Identifier: Apache-2.0
# Random numbers determined by a seed, the same everywhere. Sourced by run.bash and plan.bash.
# shellcheck shell=bash disable=SC2034,SC2154

# draw N: sets drawn to a number in 0..N-1 that $seed and the number of draws before decide (the finaliser of
# SplitMix64: Steele, Lea, Flood 2014, as in FaultPlan).
draws=0
draw() {
  local z=$((seed + 0x9E3779B97F4A7C15 * (++draws)))
  z=$(((z ^ ((z >> 30) & 0x3FFFFFFFF)) * 0xBF58476D1CE4E5B9))
  z=$(((z ^ ((z >> 27) & 0x1FFFFFFFFF)) * 0x94D049BB133111EB))
  drawn=$((((z ^ ((z >> 31) & 0x1FFFFFFFF)) & 0x7FFFFFFFFFFFFFFF) % $1))
}

# draw_from FROM TO: sets drawn to a number in FROM..TO-1.
draw_from() { draw $(($2 - $1)); drawn=$((drawn + $1)); }

# draw_one WORD...: sets drawn to one of them.
draw_one() { draw $#; shift "$drawn"; drawn=$1; }
