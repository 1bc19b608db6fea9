#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the truth about a campaign next to a ranking of its runs.
set -u

usage() {
  cat <<'END'
usage: truth-beside.sh [--failed] [--without-silent BLAMEFILE] RANKFILE TRUTHFILE [K]
  RANKFILE    NAME<TAB>SCORE, most unusual first (roxi rank)
  TRUTHFILE   from campaign.sh or casestudy.sh
  BLAMEFILE   with columns fault and silent: runs with a fault that is silent are
              left out (SYSTEM/blame.tsv; they hardly touch call stacks)
Shows the first K runs (default 6), and how many of the runs that had a fault,
or with --failed of those that failed, came first; of these also the average
precision.
END
}

wanted=faulty blame=''
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --failed) wanted=failed; shift ;;
    --without-silent)
      [ $# -ge 2 ] || { usage >&2; exit 2; }
      blame=$2; shift 2 ;;
    *) break ;;
  esac
done
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  usage >&2
  exit 2
fi
for file in ${blame:+"$blame"} "$1" "$2"; do
  [ -r "$file" ] || { echo "truth-beside.sh: cannot read $file" >&2; exit 2; }
done

awk -F '\t' -v rows="${3:-6}" -v wanted="$wanted" -v file=$((${#blame} == 0)) -v without="${blame:+without silent faults: }" '
  FNR == 1 { file++ }
  FNR == 1 && file < 3 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
  file == 1 { if ($column["silent"] == "yes") silent[$column["fault"]]; next }
  file == 2 {
    name = $column["execution"]
    fault = $column["fault"]
    if (fault in silent) { left_out[name]; next }
    verdict[name] = $column["verdict"]
    what[name] = fault == "none" ? "-" : fault " x " $column["injected"]
    if (wanted == "failed" ? verdict[name] == "failed" : fault != "none") { sought[name] = 1; all++ }
    next
  }
  FNR == 1 && rows > 0 { printf "%4s  %-20s %12s  %-22s %s\n", "rank", "run", "score", "injected", "verdict" }
  $1 in left_out { next }
  {
    place++
    if ($1 in sought) {
      found++
      precision += found / place
      if (place <= all) first++
    }
    if (place <= rows)
      printf "%4d  %-20.20s %12.6g  %-22.22s %s\n", place, $1, $2, ($1 in what) ? what[$1] : "?",
        ($1 in verdict) ? verdict[$1] : "?"
  }
  END {
    if (all) printf "%s%d of %d %s runs among the first %d\n", without, first, all, wanted, all
    else printf "%sno %s run in the truth\n", without, wanted
    if (all && wanted == "failed") printf "%saverage precision %.3f of %d runs\n", without, precision / all, place
  }' ${blame:+"$blame"} "$2" "$1"
