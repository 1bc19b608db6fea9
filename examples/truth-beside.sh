#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the truth about a campaign next to a ranking of its runs.
set -u

usage() {
  cat <<'END'
usage: truth-beside.sh [--failed] RANKFILE TRUTHFILE [K]
  RANKFILE    NAME<TAB>SCORE, most unusual first (roxi rank)
  TRUTHFILE   from campaign.sh or casestudy.sh
Shows the first K runs (default 6), and how many of the runs that had a fault,
or with --failed of those that failed, came first.
END
}

wanted=faulty
case ${1:-} in
  --help) usage; exit 0 ;;
  --failed) wanted=failed; shift ;;
esac
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  usage >&2
  exit 2
fi
for file in "$1" "$2"; do
  [ -r "$file" ] || { echo "truth-beside.sh: cannot read $file" >&2; exit 2; }
done

awk -F '\t' -v rows="${3:-6}" -v wanted="$wanted" '
  FNR == 1 { file++ }
  file == 1 && FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  file == 1 {
    name = $column["execution"]
    fault = $column["fault"]
    verdict[name] = $column["verdict"]
    what[name] = fault == "none" ? "-" : fault " x " $column["injected"]
    if (wanted == "failed" ? verdict[name] == "failed" : fault != "none") { sought[name] = 1; all++ }
    next
  }
  FNR == 1 { printf "%4s  %-20s %12s  %-22s %s\n", "rank", "execution", "score", "injected", "verdict" }
  {
    if (FNR <= all && ($1 in sought)) first++
    if (FNR <= rows)
      printf "%4d  %-20.20s %12.6g  %-22.22s %s\n", FNR, $1, $2, ($1 in what) ? what[$1] : "?",
        ($1 in verdict) ? verdict[$1] : "?"
  }
  END {
    if (all) printf "%d of %d %s runs among the first %d\n", first, all, wanted, all
    else printf "no %s run in the truth\n", wanted
  }' "$2" "$1"
