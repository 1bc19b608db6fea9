#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a campaign of the case study: normal runs of a sample system, and runs with faults until
# enough of them have failed. `make casestudy` calls it. If it is interrupted, however that happens,
# the same command continues it.
set -u

usage() {
  cat <<'END'
usage: casestudy.sh --system SYSTEM [--runs N] [--failed K] [--seed S]
                    [--every TIME] [--out DIR] [--faults KIND,...]
                    [--probability P] [--harmless passed|unknown]
       casestudy.sh --relabel DIR --harmless passed|unknown
       casestudy.sh --pack DIR FILE
       casestudy.sh --unpack FILE DIR

  --system SYSTEM     bully, byzantine, ... (a directory beside this script, or
                      DIR/NAME with a run.sh in it)
  --runs N            normal runs: the injector is present, nothing is injected
  --failed K          runs with a fault go on until K of them failed, 4 x K are
                      done at most; their kinds take turns, and they come
                      spread over the whole campaign. Defaults of N and K:
                      bully 277 and 15, byzantine 122 and 6, others 100 and 8
  --seed S            decides order, seeds and so the faults of the runs (1)
  --every TIME        interval of the snapshots (50ms)
  --out DIR           where all of it goes (build/casestudy/SYSTEM)
  --faults KIND,...   only these (all that SYSTEM/run.sh --list-faults names,
                      but those that it marks apart)
  --probability P     of the kinds that have one (the system's)
  --harmless VERDICT  what runs count as that had a fault and passed the oracle:
                      passed (default), or unknown: left out
  --relabel DIR       changes that in a campaign that is there
  --pack DIR FILE     what is needed to repeat every table, as FILE (tar.xz)
  --unpack FILE DIR   the reverse; DIR is made. A SHA256SUMS beside FILE that
                      names it must agree

DIR/campaign is the campaign, for roxi; every run has its verdict from the
oracle. DIR/truth.tsv has a line a run (examples/common/truth.bash), DIR/facts
each run's outcome and the time and place of each fault, DIR/plan.tsv the order,
DIR/settings what it was begun with.
exit status: 0 done, 1 something failed, 2 wrong use, 130 and the like: interrupted
END
}

die() { printf 'casestudy.sh: %s\n' "$1" >&2; exit "${2:-1}"; }
say() { printf '%s\n' "$1" >&2; }

here=$PWD
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source-path=SCRIPTDIR source=common/plan.bash
. "$examples/common/plan.bash" || exit 1
# shellcheck source-path=SCRIPTDIR source=common/truth.bash
. "$examples/common/truth.bash" || exit 1
# shellcheck source-path=SCRIPTDIR source=common/casestudy_dir.bash
. "$examples/common/casestudy_dir.bash" || exit 1
ixor=$examples/../build/ixor

# in_tree PATH: relative to the tree's root, where this script works, as short as possible.
in_tree() {
  local path=$1
  case $path in /*) ;; *) path=$here/$path ;; esac
  path=$(realpath -m -- "$path")
  printf '%s' "${path#"$PWD"/}"
}

declare -A default_runs=([bully]=277 [byzantine]=122) default_failed=([bully]=15 [byzantine]=6)
system='' runs='' failed='' seed=1 every=50ms out='' faults='' probability='' harmless='' task=campaign
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --pack|--unpack)
      [ $# -eq 3 ] || die "$1 needs two names (see --help)" 2
      task=${1#--} from=$2 to=$3
      shift 3; continue ;;
    --relabel) task=relabel ;;
    --system|--runs|--failed|--seed|--every|--out|--faults|--probability|--harmless) ;;
    *) die "unknown option $1 (see --help)" 2 ;;
  esac
  [ $# -ge 2 ] || die "$1 needs a value" 2
  case $1 in --relabel) out=$2 ;; *) declare "${1#--}=$2" ;; esac
  shift 2
done
case $harmless in ''|passed|unknown) ;; *) die "--harmless: '$harmless' is not passed or unknown" 2 ;; esac
[ -x "$ixor" ] || die "no $ixor; run make first"
cd "$examples/.." || die "cannot enter $examples/.."

# ---- the campaign -----------------------------------------------------------------------------------------------

# The settings with which the campaign was begun; a later call must use the same.
begin() {
  local settings=$out/settings wanted
  wanted=$(printf '%s\n' "system=$system" "runs=$runs" "failed=$failed" "seed=$seed" "every=$every" \
    "faults=${kinds[*]}" "probabilities=${probabilities[*]}")
  if [ ! -f "$settings" ]; then
    { write_plan > "$out/plan.part" && mv "$out/plan.part" "$out/plan.tsv"; } || die "cannot write $out/plan.tsv"
    { printf '%s\n' "$wanted" > "$settings.part" && mv "$settings.part" "$settings"; } || die "cannot write $settings"
  fi
  [ "$(cat "$settings")" = "$wanted" ] ||
    die "$out was begun with other settings; say the same ones, or another --out:
$(diff "$settings" - <<< "$wanted" | grep '^[<>]')"
}

# Normal runs and candidates for faulty runs, four for each failure wanted, shuffled. Each has a
# unique seed. A candidate may be left out when its turn comes (see course).
write_plan() {
  local total=$((runs + 4 * failed)) kind=() i other drawn
  local -A used=()
  for ((i = 0; i < total; i++)); do
    kind[i]=normal
    [ $i -ge $((4 * failed)) ] || kind[i]=candidate
  done
  for ((i = total - 1; i > 0; i--)); do
    draw $((i + 1))
    other=${kind[drawn]} kind[drawn]=${kind[i]}
    kind[i]=$other
  done
  printf 'turn\tkind\tseed\n'
  for ((i = 0; i < total; i++)); do
    draw_from 1 1000000000
    while [ -n "${used[$drawn]:-}" ]; do draw_from 1 1000000000; done
    used[$drawn]=1
    printf '%d\t%s\t%d\n' $((i + 1)) "${kind[i]}" "$drawn"
  done
}

# The complete campaign, from the first run on. Runs done by an earlier call are only counted, so
# that every call decides alike. A candidate is taken when fewer runs have failed than the finished
# part of the plan requires; if there are too few failures at the end, the candidates left out are
# taken.
course() {
  local turn kind run_seed left=()
  while IFS=$'\t' read -r turn kind run_seed <&3; do
    if [ "$kind" = normal ]; then
      one none - "$run_seed"
    elif [ $((count[failed] * total)) -lt $((failed * turn)) ]; then
      faulty "$run_seed"
    else
      left+=("$run_seed")
    fi
  done 3< <(tail -n +2 "$out/plan.tsv")
  for run_seed in "${left[@]}"; do
    [ "${count[failed]}" -ge "$failed" ] || faulty "$run_seed"
  done
}

faulty() { # SEED
  local i=$((count[faulty] % ${#kinds[@]}))
  one "${kinds[i]}" "${probabilities[i]}" "$1"
}

# one FAULT PROBABILITY SEED: does this run unless it is already done, and counts it.
one() {
  local fault=$1 p=$2 run_seed=$3 n=${count[runs]} verdict
  if [ "$n" -lt "${#done_seed[@]}" ]; then
    [ "${done_seed[n]} ${done_fault[n]}" = "$run_seed $fault" ] ||
      die "line $((n + 2)) of $out/truth.tsv is not the run that plan.tsv has for this turn ($fault, seed $run_seed)"
    verdict=${done_verdict[n]}
  else
    [ -z "$interrupted" ] || leave_off "$interrupted"
    tell
    do_run "$fault" "$p" "$run_seed"
    [ -t 2 ] || say "$line_said"
  fi
  count[runs]=$((n + 1))
  if [ "$fault" = none ]; then
    count[normal]=$((count[normal] + 1))
    [ "$verdict" = passed ] || count[surprises]=$((count[surprises] + 1))
  else
    count[faulty]=$((count[faulty] + 1))
    [ "$verdict" = passed ] || count[failed]=$((count[failed] + 1))
  fi
}

# do_run FAULT PROBABILITY SEED: sets verdict. Tries three times, because a campaign takes hours.
# The line in truth.tsv is written last: it marks the run as done.
do_run() {
  local hand=$out/at-hand line name run_fault attempt
  for attempt in 1 2 3; do
    if try_run "$@"; then break; fi
    could_not_be_done "$attempt" "$1, seed $3"
  done
  IFS=$'\t' read -r name _ _ run_fault _ _ _ _ verdict _ <<< "$line"
  "$ixor" label "$out/campaign" "$name" "$(label_of "$run_fault" "$verdict")" || die "cannot label $name"
  { mkdir -p "$out/facts" && rm -rf "$out/facts/$name" && mv "$hand/facts/$name" "$out/facts/"; } ||
    die "cannot write $out/facts/$name"
  printf '%s\n' "$line" >> "$out/truth.tsv" || die "cannot write $out/truth.tsv"
  line_said=$(cut -f 1,3-9,11 <<< "$line")
}

# try_run FAULT PROBABILITY SEED: sets line. All processes of the run hold the lock, so that a later
# call can wait for what is left of a killed run.
try_run() {
  local status
  { rm -rf "$hand" && mkdir "$hand"; } || die "cannot make $hand"
  printf '1 %s %s %s\n' "$1" "$2" "$3" > "$hand/plan" || die "cannot write $hand/plan"
  (
    flock -n 9 || die "something still runs that holds $out/run.lock"
    exec "$ixor" run --runs 1 --every "$every" --timeout 300s --out "$out/campaign" -- \
      "${examples#"$PWD"/}/campaign.sh" --system "$system" --plan "$hand/plan" --truth "$hand/truth.tsv" \
      --facts "$hand/facts"
  ) >> "$out/ixor.log" 2>&1 3<&- 8>&- 9> "$out/run.lock"
  status=$?
  [ $status -le 128 ] || leave_off $status
  line=$(sed -n 2p "$hand/truth.tsv" 2> /dev/null)
  [ $status -eq 0 ] && [ -n "$line" ]
}

leave_off() { # STATUS
  [ ! -t 2 ] || say ''
  say "interrupted; the same command goes on with run $((count[runs] + 1))"
  exit "$1"
}

could_not_be_done() { # ATTEMPT RUN
  local outputs=("$out"/campaign/runs/*/output.txt)
  tail -n 3 "$out/ixor.log" >&2
  cat "${outputs[-1]}" >&2 2> /dev/null
  [ "$1" -lt 3 ] || die "a run ($2) could not be done, see above and $out/ixor.log; the same command tries again"
  say "a run ($2) could not be done, see above; again"
  put_in_order
}

# ---- what the user sees ---------------------------------------------------------------------------------------------

# On a terminal: the progress, and the remaining time at the pace of this call.
tell() {
  [ -t 2 ] || return 0
  local mine=$((count[runs] - begun_with)) left estimate='' per_failure=2
  [ "${count[failed]}" -eq 0 ] || per_failure=$(((count[faulty] + count[failed] - 1) / count[failed]))
  left=$((runs - count[normal] + per_failure * (failed - count[failed])))
  [ $mine -eq 0 ] || estimate="; about $((SECONDS * left / mine / 60 + 1)) min left"
  printf '\r\033[K%s: %d of %d normal runs, %d of %d failures in %d with a fault%s' "$system_name" \
    "${count[normal]}" "$runs" "${count[failed]}" "$failed" "${count[faulty]}" "$estimate" >&2
}

summary() {
  [ ! -t 2 ] || printf '\r\033[K' >&2
  say "$system_name: ${count[normal]} normal runs, ${count[faulty]} with a fault of which ${count[failed]} failed: $out"
  [ "${count[failed]}" -ge "$failed" ] ||
    say "$failed failures were wanted, but 4 x as many runs with a fault are the most that are done"
  [ "${count[surprises]}" -eq 0 ] ||
    say "${count[surprises]} normal runs failed as well (grep none $out/truth.tsv)"
}

campaign() {
  declare -gA count=([runs]=0 [normal]=0 [faulty]=0 [failed]=0 [surprises]=0)
  system_name=${system%/} system_name=${system_name##*/}
  runs=${runs:-${default_runs[$system_name]:-100}} failed=${failed:-${default_failed[$system_name]:-8}}
  total=$((runs + 4 * failed))
  out=$(in_tree "${out:-$PWD/build/casestudy/$system_name}")
  mkdir -p "$out" || die "cannot make $out"
  lock_dir
  begin
  put_in_order
  begun_with=${#done_seed[@]}
  trap 'interrupted=130' INT
  trap 'interrupted=143' TERM
  trap 'interrupted=129' HUP
  course
  put_in_order
  summary
}

interrupted='' line_said=''
case $task in
  campaign)
    case $system in */*) system=$(in_tree "$system") ;; esac
    find_system "$system"
    [ -z "$runs" ] || check_count --runs "$runs" 1
    [ -z "$failed" ] || check_count --failed "$failed" 0
    check_seed "$seed"
    read_kinds
    campaign ;;
  relabel)
    [ -n "$harmless" ] || die '--relabel needs --harmless passed or unknown' 2
    out=$(in_tree "$out")
    lock_dir
    put_in_order ;;
  pack)
    out=$(in_tree "$from")
    lock_dir
    pack "$(in_tree "$to")" ;;
  unpack)
    unpack "$(in_tree "$from")" "$(in_tree "$to")" ;;
esac
