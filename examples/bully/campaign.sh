#!/usr/bin/env bash
# The command of a campaign of Bully: each call is one run, normal or faulty as a plan says for the run's number.
# What was injected goes to a file that the one who looks for the faulty runs does not see.
set -u

usage() {
  cat <<'EOF'
usage: ixor run --runs N -- campaign.sh --plan PLAN --truth TRUTH
       campaign.sh --make-plan FILE [--runs N] [--faulty K] [--seed S]
                   [--probability P]

A plan has a line a run: RUN FAULT PROBABILITY SEED. --make-plan draws which K
(default 3) of N (default 24) runs are faulty; their faults are priority, io,
swap, priority, ... The same seed makes the same plan. P (default 0.01) is the
probability of io and swap.

The number of the run is taken from IXOR_RUN, its name from IXOR_EXECUTION.
TRUTH gets a line a run: name, fault, faults injected, verdict, seed.
--classes DIR is passed on to run.sh.
exit status: 0 whatever the run's verdict, 2 the harness could not do its work
EOF
}

die() { printf 'campaign.sh: %s\n' "$1" >&2; exit 2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
plan='' truth='' make_plan='' runs=24 faulty=3 seed=1 probability=0.01
classes=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --plan|--truth|--make-plan|--runs|--faulty|--seed|--probability|--classes) [ $# -ge 2 ] || die "$1 needs a value" ;;
    *) die "unknown option $1 (see --help)" ;;
  esac
  case $1 in
    --plan) plan=$2 ;;
    --truth) truth=$2 ;;
    --make-plan) make_plan=$2 ;;
    --runs) runs=$2 ;;
    --faulty) faulty=$2 ;;
    --seed) seed=$2 ;;
    --probability) probability=$2 ;;
    --classes) classes=(--classes "$2") ;;
  esac
  shift 2
done

# Numerical Recipes' linear congruential generator, of which the high half is used: unlike RANDOM and awk's rand it
# gives the same numbers everywhere. Sets $drawn to a number in 0..$1-1.
draw() {
  state=$(((state * 1664525 + 1013904223) & 0xffffffff))
  drawn=$(((state >> 16) % $1))
}

write_plan() {
  local kinds=(priority io swap) fault=() run left=$faulty drawn state=$seed k=0 p
  draw 1
  while [ "$left" -gt 0 ]; do
    draw "$runs"
    [ -z "${fault[drawn]:-}" ] || continue
    fault[drawn]=faulty
    left=$((left - 1))
  done
  for ((run = 0; run < runs; run++)); do
    if [ -n "${fault[run]:-}" ]; then
      fault[run]=${kinds[k++ % 3]}
    fi
    case ${fault[run]:=none} in io|swap) p=$probability ;; *) p=0 ;; esac
    draw 30000
    printf '%d %s %s %d\n' $((run + 1)) "${fault[run]}" "$p" $((drawn + 1))
  done
}

if [ -n "$make_plan" ]; then
  [[ $runs =~ ^[1-9][0-9]{0,3}$ ]] || die "--runs: $runs is not in 1..9999"
  [[ $faulty =~ ^(0|[1-9][0-9]{0,3})$ && $faulty -le $runs ]] || die "--faulty: $faulty is not in 0..$runs"
  [[ $seed =~ ^(0|[1-9][0-9]{0,8})$ ]] || die "--seed: $seed is not a number of at most 9 digits"
  write_plan > "$make_plan" || die "cannot write $make_plan"
  exit 0
fi

if [ -z "$plan" ] || [ -z "$truth" ]; then
  die "--plan and --truth are needed (see --help)"
fi
[ -r "$plan" ] || die "cannot read the plan $plan"
[ -n "${IXOR_RUN:-}" ] || die "IXOR_RUN is not set: start this by ixor run, or set it by hand"
name=${IXOR_EXECUTION:-run$(printf '%04d' "$IXOR_RUN")}
read -r _ fault p run_seed < <(awk -v run="$IXOR_RUN" '$1 == run' "$plan") || die "$plan has no run $IXOR_RUN"

work=$(mktemp -d "${TMPDIR:-/tmp}/bully.XXXXXX") || die "no temporary directory"
child=''
clean() {
  trap - EXIT
  if [ -n "$child" ]; then
    kill -TERM "$child" 2> /dev/null
    wait "$child"
  fi
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

# In the background, for bash runs a trap only between commands, and at once while it waits.
"$here/run.sh" "${classes[@]}" --dir "$work/run" --fault "$fault" --probability "$p" --seed "$run_seed" --blind \
  > "$work/out" 2>&1 &
child=$!
wait "$child"
status=$?
child=''
[ $status -eq 0 ] || die "$(cat "$work/out")"
value_of() { sed -n "s/^$1=//p" "$work/run/outcome.txt"; }
[ -s "$truth" ] || printf 'execution\tfault\tinjected\tverdict\tseed\n' > "$truth" || die "cannot write $truth"
printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$fault" "$(value_of faults)" "$(value_of verdict)" "$run_seed" >> "$truth" ||
  die "cannot write $truth"
