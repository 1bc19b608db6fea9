#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command that `ixor run` repeats in a campaign of a sample system. Each call is one run; a plan
# says which runs get a fault. What was injected is written to a file that is kept apart from the
# campaign, so that whoever looks for the faulty runs does not see it.
set -u

usage() {
  cat <<'END'
usage: ixor run --runs N -- campaign.sh --system SYSTEM --plan PLAN
                                        --truth TRUTH [--facts DIR]
       campaign.sh --system SYSTEM --make-plan FILE [--runs N] [--faulty K]
                   [--faults KIND,...] [--probability P] [--seed S]

  --system SYSTEM   a sample system: bully, ... (a directory beside this script,
                    or DIR/NAME with a run.sh in it)
  --plan PLAN       a line a run: RUN FAULT PROBABILITY SEED
  --truth TRUTH     gets a line for this run; see examples/common/truth.bash
  --facts DIR       gets a directory for this run: its outcome.txt, and the
                    faults-*.log that have the time and place of each fault
  --classes DIR     passed on to run.sh

  --make-plan FILE  draws which K (default 3) of N (default 24) runs are faulty;
                    the same seed (default 1) makes the same plan
  --faults KIND,... the kinds, which take turns (default: all of the system
                    that are not marked apart)
  --probability P   of the kinds that have one (default: the system's)

The number of the run is taken from IXOR_RUN, its name from IXOR_EXECUTION.
exit status: 0 whatever the run's verdict, 2 the harness could not do its work
END
}

die() { printf 'campaign.sh: %s\n' "$1" >&2; exit 2; }

examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
# shellcheck source-path=SCRIPTDIR source=common/plan.bash
. "$examples/common/plan.bash" || exit 2
# shellcheck source-path=SCRIPTDIR source=common/truth.bash
. "$examples/common/truth.bash" || exit 2

system='' plan='' truth='' facts='' make_plan='' runs=24 faulty=3 faults='' probability='' seed=1
classes=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --system|--plan|--truth|--facts|--make-plan|--runs|--faulty|--faults|--probability|--seed|--classes)
      [ $# -ge 2 ] || die "$1 needs a value" ;;
    *) die "unknown option $1 (see --help)" ;;
  esac
  case $1 in
    --make-plan) make_plan=$2 ;;
    --classes) classes=(--classes "$2") ;;
    *) declare "${1#--}=$2" ;;
  esac
  shift 2
done
find_system "$system"

write_plan() {
  local fault=() run left=$faulty drawn k=0 p
  while [ "$left" -gt 0 ]; do
    draw "$runs"
    [ -z "${fault[drawn]:-}" ] || continue
    fault[drawn]=faulty
    left=$((left - 1))
  done
  for ((run = 0; run < runs; run++)); do
    p=-
    if [ -n "${fault[run]:-}" ]; then
      fault[run]=${kinds[k % ${#kinds[@]}]}
      p=${probabilities[k % ${#kinds[@]}]}
      k=$((k + 1))
    fi
    draw 30000
    printf '%d %s %s %d\n' $((run + 1)) "${fault[run]:-none}" "$p" $((drawn + 1))
  done
}

if [ -n "$make_plan" ]; then
  check_count --runs "$runs" 1
  check_count --faulty "$faulty" 0
  [ "$faulty" -le "$runs" ] || die "--faulty: $faulty is not in 0..$runs"
  check_seed "$seed"
  read_kinds
  write_plan > "$make_plan" || die "cannot write $make_plan"
  exit 0
fi

if [ -z "$plan" ] || [ -z "$truth" ]; then
  die '--plan and --truth are needed (see --help)'
fi
[ -r "$plan" ] || die "cannot read the plan $plan"
[ -n "${IXOR_RUN:-}" ] || die 'IXOR_RUN is not set: start this by ixor run, or set it by hand'
name=${IXOR_EXECUTION:-run$(printf '%04d' "$IXOR_RUN")}
read -r _ fault p run_seed < <(awk -v run="$IXOR_RUN" '$1 == run' "$plan") || die "$plan has no run $IXOR_RUN"

work=$(mktemp -d "${TMPDIR:-/tmp}/${system##*/}.XXXXXX") || die 'no temporary directory'
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

# Time of all processors since the machine started, in ticks: busy, and total.
machine_time() {
  local user nice system idle waiting irq soft steal
  read -r _ user nice system idle waiting irq soft steal _ < /proc/stat
  machine=($((user + nice + system + irq + soft + steal)) $((idle + waiting)))
  machine[1]=$((machine[0] + machine[1]))
}

arguments=("${classes[@]}" --dir "$work/run" --fault "$fault" --seed "$run_seed" --blind)
[ "$p" = - ] || arguments+=(--probability "$p")
machine_time
before=("${machine[@]}")
begun=${EPOCHREALTIME/[.,]/}
# In the background, because bash runs a trap between commands only, but at once during a wait.
"$system_dir/run.sh" "${arguments[@]}" > "$work/out" 2>&1 &
child=$!
wait "$child"
status=$?
child=''
took=$((${EPOCHREALTIME/[.,]/} - begun))
times > "$work/times"
machine_time
[ $status -eq 0 ] || die "$(cat "$work/out")"

value_of() { sed -n "s/^$1=//p" "$work/run/outcome.txt"; }

# The run's share of the processors, from the children's line of `times`: 0m1.234s 0m0.567s.
load() {
  awk -v us="$took" -v processors="$(nproc)" '
    NR == 2 {
      gsub(",", ".")
      for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); seconds += 60 * part[1] + part[2] }
      printf "%.3f", seconds * 1e6 / (us * processors)
    }' "$work/times"
}

busy() {
  awk -v busy=$((machine[0] - before[0])) -v all=$((machine[1] - before[1])) \
    'BEGIN { printf "%.3f", (all > 0) ? busy / all : 0 }'
}

# The first fault, of lines MS-SINCE-1970, ROLE, KIND, WHERE, DETAIL.
first_fault() {
  cat "$work"/run/faults-*.log 2> /dev/null | sort -n |
    awk -F '\t' -v begun=$((begun / 1000)) 'NR == 1 { printf "%d\t%s: %s\n", $1 - begun, $2, $4 }'
}

if [ -n "$facts" ]; then
  { mkdir -p "$facts/$name" && cp "$work/run/outcome.txt" "$facts/$name/"; } || die "cannot write $facts/$name"
  find "$work/run" -maxdepth 1 -name 'faults-*.log' -size +0 -exec cp -t "$facts/$name" {} + ||
    die "cannot write $facts/$name"
fi
IFS=$'\t' read -r first_ms where < <(first_fault)
begin_truth "$truth" || die "cannot write $truth"
truth_line "$name" "${system##*/}" "$run_seed" "$fault" "$p" "$(value_of faults)" "$first_ms" "$where" \
  "$(value_of verdict)" "$(value_of reasons)" "$(value_of milliseconds)" "$(load)" "$(busy)" >> "$truth" ||
  die "cannot write $truth"
