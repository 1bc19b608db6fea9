# SPDX-License-Identifier: Apache-2.0
# Building blocks of campaign plans. Sourced by campaign.sh and casestudy.sh, which have a function
# die and the variables examples (this directory's parent), faults and probability (options).
# shellcheck shell=bash disable=SC2034,SC2154

# shellcheck source-path=SCRIPTDIR source=chance.bash
. "$examples/common/chance.bash" || exit 2

# check_count OPTION TEXT LEAST: a number of at most four digits.
check_count() {
  [[ $2 =~ ^(0|[1-9][0-9]{0,3})$ && $2 -ge $3 ]] || die "$1: $2 is not in $3..9999"
}

check_seed() {
  [[ $1 =~ ^(0|[1-9][0-9]{0,8})$ ]] || die "--seed: $1 is not a number of at most 9 digits"
}

# read_kinds: what the system in $system_dir can have injected, from its run.sh --list-faults, or of that what the list
# $faults (KIND,KIND...) names, in its order. Sets kinds and, beside it, probabilities: $probability if that is given,
# else the system's own; - where a kind has none. A kind that is marked apart must be named.
read_kinds() {
  local list kind p i apart
  local -A default=()
  list=$("$system_dir/run.sh" --list-faults) || die "$system_dir/run.sh --list-faults failed"
  kinds=() probabilities=()
  while IFS=$'\t' read -r kind p _ apart; do
    default[$kind]=$p
    [ "$kind" = none ] || [ "$apart" = apart ] || kinds+=("$kind")
  done <<< "$list"
  [ -z "$faults" ] || IFS=, read -r -a kinds <<< "$faults"
  [ ${#kinds[@]} -gt 0 ] || die "$system_dir/run.sh --list-faults names no fault"
  for i in "${!kinds[@]}"; do
    kind=${kinds[i]}
    p=${default[$kind]:-}
    if [ -z "$p" ] || [ "$kind" = none ]; then
      die "--faults: $system_dir has no fault '$kind'; see $system_dir/run.sh --list-faults"
    fi
    if [ "$p" != - ] && [ -n "$probability" ]; then p=$probability; fi
    probabilities[i]=$p
  done
}

# find_system NAME: sets system_dir. A system is a directory beside common/, or, with a slash, any that has a run.sh.
find_system() {
  case $1 in
    '') die '--system is needed (see --help)' ;;
    */*) system_dir=$1 ;;
    *) system_dir=$examples/$1 ;;
  esac
  [ -x "$system_dir/run.sh" ] || die "--system: no $system_dir/run.sh"
}
