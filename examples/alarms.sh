#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures `roxi check` on a campaign whose faulty runs are known: how many normal runs it calls
# unusual, and how many faulty ones. Half of the normal runs are the baseline; all other runs are
# checked. `make casestudy-tables` calls it.
set -u

usage() {
  cat <<'TEXT'
usage: alarms.sh [OPTION...] DIR             of a campaign that casestudy.sh made
       alarms.sh [OPTION...] --stored NAME   of casestudy/NAME.tar.xz
       alarms.sh [OPTION...] --write FILE    of all stored ones, between the lines
                                             <!-- alarms --> and
                                             <!-- end of alarms --> of FILE

  --draws D          number of halves that are drawn at random (40); one more is not
                     drawn: the first half of the normal runs, in the order of time
  --seed S           decides the draws (1)
  --false-alarms RATE,...
                     what roxi check is asked for (1%,2%,5%,10%); rates that are
                     lower than so many good runs allow are left out

Prints a Markdown table, a line a rate:
  good          normal runs that were learnt from
  wanted        the rate that was asked for
  stated        the one that roxi check states, and the bounds between which it
                says that of this set of good runs is (90 %)
  false alarms  share of the other normal runs that were called unusual: mean over
                the draws, and two standard errors of that mean. The draws
                are of the same runs, so it says how far off the mean over all
                halves can be, and nothing about runs that were not made
  one draw      the same of single draws, from the 5th to the 95th percentile
  later runs    the same of the second half, when the first one was learnt from
  failed, harmless   share of the failed runs, and of those that had a fault and
                passed, that were called unusual; mean over the draws
exit status: 0 done, 1 something failed, 2 wrong use
TEXT
}

die() { printf 'alarms.sh: %s\n' "$1" >&2; exit "${2:-1}"; }

here=$PWD
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
cd "$examples/.." || exit 1
# shellcheck source-path=SCRIPTDIR source=common/chance.bash
. "$examples/common/chance.bash" || exit 1
# shellcheck source-path=SCRIPTDIR source=common/stored.bash
. "$examples/common/stored.bash" || exit 1
roxi=build/roxi
[ -x "$roxi" ] || die "no $roxi; run make first"

# ---- one half, learnt from ------------------------------------------------------------------------------------------

# sort_runs TRUTH: sets normal, failed and harmless to the names of these runs, in campaign order.
sort_runs() {
  local name fault verdict _
  normal=() failed=() harmless=()
  while IFS=$'\t' read -r name _ _ fault _ _ _ _ verdict _; do
    case $fault/$verdict in
      none/passed) normal+=("$name") ;;
      none/*) ;;
      */failed) failed+=("$name") ;;
      *) harmless+=("$name") ;;
    esac
  done < <(tail -n +2 "$1")
}

# shuffle: shuffles normal, as determined by the seed.
shuffle() {
  local i kept drawn
  for ((i = ${#normal[@]} - 1; i > 0; i--)); do
    draw $((i + 1))
    kept=${normal[i]} normal[i]=${normal[drawn]} normal[drawn]=$kept
  done
}

# part_of CAMPAIGN PART NAME...: a campaign of these executions only, whose logs are CAMPAIGN's own. What roxi keeps for
# CAMPAIGN it has not.
part_of() {
  local campaign=$1 part=$2 folder names
  shift 2
  names=$(printf "'%s'," "${@//\'/\'\'}")
  rm -rf "$part"
  { mkdir "$part" && cp "$work/whole.db" "$part/campaign.db"; } || die "cannot make $part"
  for folder in "$campaign"/*/; do
    folder=${folder%/}
    [ "${folder##*/}" = cache ] || ln -s "$(realpath "$folder")" "$part/" || die "cannot make $part"
  done
  sqlite3 -batch "$part/campaign.db" \
    "PRAGMA foreign_keys = ON; DELETE FROM execution WHERE name NOT IN (${names%,})" || die "cannot make $part"
}

# copy_catalogue CAMPAIGN: as $work/whole.db, without what is long and no matter to roxi check.
copy_catalogue() {
  rm -f "$work/whole.db"
  { sqlite3 -batch -cmd '.timeout 10000' "$1/campaign.db" "VACUUM INTO '$work/whole.db'" &&
    sqlite3 -batch "$work/whole.db" 'DELETE FROM snapshot; DELETE FROM clock; DELETE FROM packet; VACUUM'; } ||
    die "cannot copy $1/campaign.db"
}

# halve GOOD: the campaign's halves as $work/good and $work/new: the first GOOD of normal, and all others.
halve() {
  others=("${normal[@]:$1}")
  part_of "$dir/campaign" "$work/good" "${normal[@]:0:$1}"
  part_of "$dir/campaign" "$work/new" "${others[@]}" "${failed[@]}" "${harmless[@]}"
}

# check RATE: $work/check is what `roxi check` says, $work/p a line NAME<TAB>P-VALUE for each execution that it checked.
check() {
  "$roxi" check "$work/new" --rules examples/rules --baseline "$work/good" --false-alarms "$1" --json > "$work/check" 2> "$work/err"
  case $? in 0|3) ;; *) die "roxi check --false-alarms $1: $(cat "$work/err")" ;; esac
  jq -r '.executions[] | "\(.name)\t\(.["p-value"])"' "$work/check" > "$work/p" || die 'jq failed'
}

# state: what roxi states for each of the rates, RATE LOW HIGH, into stated. Its alarms must be the p-values up to RATE,
# for the draws have these only.
state() {
  local rate
  stated=()
  for rate in "${rates[@]}"; do
    check "$rate"
    jq -e '.rate as $rate | all(.executions[]; .unusual == (.["p-value"] <= $rate * (1 + 1e-12)))' "$work/check" \
      > "$work/err" || die "roxi check --false-alarms $rate: alarms and p-values do not agree"
    stated+=("$(jq -r '"\(.rate) \(.["rate-low"]) \(.["rate-high"])"' "$work/check")")
  done
}

# alarms_for RATE NAME...: how many of these were called unusual, and how many these are.
alarms_for() {
  local rate=$1
  shift
  printf '%s ' "$(printf '%s\n' "$@" | awk -F '\t' -v rate="$rate" 'NR == FNR { p[$1] = $2; next }
    ($1 in p) && p[$1] <= rate * (1 + 1e-12) { n++ } END { print n + 0 }' "$work/p" -)" $#
}

# count_alarms DRAW: of the last check, a line a rate in $work/figures: DRAW, place of the rate, what roxi states for it,
# then called unusual and all, of the other normal runs, the failed and the harmless ones.
count_alarms() {
  local i rate
  for i in "${!rates[@]}"; do
    rate=${stated[i]%% *}
    echo "$1 $i ${stated[i]} $(alarms_for "$rate" "${others[@]}")" \
      "$(alarms_for "$rate" "${failed[@]}") $(alarms_for "$rate" "${harmless[@]}")" >> "$work/figures"
  done
}

# ---- a campaign -------------------------------------------------------------------------------------------------------

# share RATE: 1% as 0.01, as roxi reads it; nothing if it is no share.
share() { awk -v text="$1" 'BEGIN { if (text ~ /^[0-9.]+%?$/) print (text ~ /%$/) ? text / 100 : text + 0 }'; }

# allowed GOOD: sets rates to those of $wanted that are possible with this many good runs.
allowed() {
  local rate
  local -a all
  IFS=, read -r -a all <<< "$wanted"
  rates=()
  for rate in "${all[@]}"; do
    ! awk -v rate="$(share "$rate")" -v least=$((1 + $1)) 'BEGIN { exit !(rate * least >= 1 - 1e-9) }' ||
      rates+=("$rate")
  done
  [ ${#rates[@]} -gt 0 ] || die "$1 good runs of $dir allow none of the rates $wanted"
}

table_head() {
  printf '| | good | wanted | stated | false alarms | one draw | later runs | failed | harmless |\n'
  printf '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n'
}

# rows NAME GOOD: of $work/figures.
rows() {
  sort -k 1,1n -k 2,2n "$work/figures" | awk -v name="$1" -v good="$2" -v wanted="${rates[*]}" '
    function percent(share,   text) { text = sprintf("%.1f", 100 * share); sub(/\.0$/, "", text); return text }
    function of(part, all) { return all ? percent(part / all) " %" : "-" }
    # The p-th quantile of the n draws of a rate, smallest first.
    function quantile(i, p,   a, b, t) {
      for (a = 1; a <= n; a++) sorted[a] = share[i, a]
      for (a = 2; a <= n; a++)
        for (b = a; b > 1 && sorted[b] < sorted[b - 1]; b--) { t = sorted[b]; sorted[b] = sorted[b - 1]; sorted[b - 1] = t }
      a = int(p * n + 0.999999)
      return sorted[a < 1 ? 1 : a]
    }
    { stated[$2] = of($3, 1) " (" percent($4) " to " percent($5) ")" }
    $1 == 0 { later[$2] = of($6, $7); next }
    {
      if ($1 > n) n = $1
      share[$2, $1] = $6 / $7
      sum[$2] += $6 / $7; squares[$2] += ($6 / $7) ^ 2
      failed[$2] += $8; all_failed[$2] += $9; harmless[$2] += $10; all_harmless[$2] += $11
    }
    END {
      rates = split(wanted, rate, " ")
      for (i = 0; i < rates; i++) {
        mean = sum[i] / n
        variance = n > 1 ? (squares[i] - n * mean ^ 2) / (n - 1) : 0
        error = n > 1 ? " ± " percent(2 * sqrt(variance > 0 ? variance / n : 0)) : ""
        printf "| %s | %s | %s | %s | %s%s %% | %s to %s %% | %s | %s | %s |\n", i ? "" : name, i ? "" : good,
          rate[i + 1] ~ /%$/ ? substr(rate[i + 1], 1, length(rate[i + 1]) - 1) " %" : rate[i + 1], stated[i],
          percent(mean), error, percent(quantile(i, 0.05)), percent(quantile(i, 0.95)), later[i],
          of(failed[i], all_failed[i]), of(harmless[i], all_harmless[i])
      }
    }'
}

# alarms [NAME]: of the campaign in $dir, which is called NAME, or as its system is.
alarms() {
  local truth=$dir/truth.tsv name=${1:-} good i
  local normal failed harmless others rates stated
  [ -s "$truth" ] || die "no $truth; is $dir a directory of casestudy.sh?"
  [ -n "$name" ] || name=$(awk -F '\t' 'NR == 2 { print $2 }' "$truth")
  sort_runs "$truth"
  good=$((${#normal[@]} / 2))
  [ $good -ge 3 ] || die "$dir has ${#normal[@]} normal runs that passed; 6 at least are needed"
  allowed $good
  copy_catalogue "$dir/campaign"
  : > "$work/figures"
  draws=0 # of chance.bash: each campaign's draws are its own
  halve $good
  state
  count_alarms 0
  for ((i = 1; i <= halves; i++)); do
    [ ! -t 2 ] || printf '\r\033[K%s: half %d of %d' "$name" "$i" "$halves" >&2
    shuffle
    halve $good
    check "${rates[0]}"
    count_alarms "$i"
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
  rows "${name^}" $good
}

write() { # FILE
  local file=$1 archive
  [ "$(grep -cxE '<!-- (end of )?alarms -->' "$file")" = 2 ] ||
    die "$file needs the lines <!-- alarms --> and <!-- end of alarms -->, once each"
  table_head > "$work/table"
  for archive in casestudy/*.tar.xz; do
    unpack_stored "$(basename "$archive" .tar.xz)"
    alarms "$(basename "$archive" .tar.xz)" >> "$work/table" || exit 1
  done
  { awk -v table="$work/table" '
    /^<!-- end of alarms -->$/ { inside = 0 }
    !inside { print }
    /^<!-- alarms -->$/ { print ""; while ((getline line < table) > 0) print line; print ""; inside = 1 }
    ' "$file" > "$work/all" && cat "$work/all" > "$file"; } || die "cannot write $file"
}

# ---- options ----------------------------------------------------------------------------------------------------------

halves=40 seed=1 wanted=1%,2%,5%,10% task=directory name=''
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --draws|--seed|--false-alarms|--stored|--write) [ $# -ge 2 ] || die "$1 needs a value (see --help)" 2 ;;
    -*) die "unknown option $1 (see --help)" 2 ;;
    *) set -- --directory "$@" ;;
  esac
  case $1 in
    --draws) halves=$2 ;;
    --false-alarms) wanted=$2 ;;
    --stored|--write|--directory)
      [ -z "$name" ] || die "$name or $2? (see --help)" 2
      task=${1#--} name=$2 ;;
    *) declare "${1#--}=$2" ;;
  esac
  shift 2
done
[ -n "$name" ] || die 'expected a directory (see --help)' 2
[[ $halves =~ ^[1-9][0-9]{0,3}$ ]] || die "--draws: $halves is not in 1..9999" 2
[[ $seed =~ ^(0|[1-9][0-9]{0,8})$ ]] || die "--seed: $seed is not a number of at most 9 digits" 2
for rate in ${wanted//,/ }; do
  [ -n "$(share "$rate")" ] || die "--false-alarms: '$rate' is no share; write 1% or 0.01" 2
done
for tool in jq sqlite3; do
  command -v $tool > /dev/null || die "$tool is needed; make casestudy-tables installs it"
done

work=$(mktemp -d "${TMPDIR:-/tmp}/alarms.XXXXXX") || die 'no temporary directory'
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
[[ $task = stored || $name = /* ]] || name=$here/$name
case $task in
  write) write "$name" ;;
  stored) unpack_stored "$name" ;;
  directory) dir=$name ;;
esac
if [ "$task" != write ]; then
  alarms "$([ "$task" != stored ] || printf '%s' "$name")" > "$work/rows"
  table_head
  cat "$work/rows"
fi
