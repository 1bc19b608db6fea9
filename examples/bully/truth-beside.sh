#!/usr/bin/env bash
# Puts the truth of a campaign beside a ranking of its runs.
set -u

if [ "${1:-}" = --help ] || [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo 'usage: truth-beside.sh RANKFILE TRUTHFILE [K]'
  echo 'RANKFILE: NAME<TAB>SCORE, most unusual first (roxi rank); TRUTHFILE: from campaign.sh.'
  echo 'Shows the first K runs (default 6), and how many of the faulty ones came first.'
  [ "${1:-}" = --help ]
  exit $(($? * 2))
fi
for file in "$1" "$2"; do
  [ -r "$file" ] || { echo "truth-beside.sh: cannot read $file" >&2; exit 2; }
done

awk -F '\t' -v rows="${3:-6}" '
  FNR == 1 { file++ }
  file == 1 {
    if (FNR == 1 && $1 == "execution") next
    known[$1] = 1; fault[$1] = $2; injected[$1] = $3; verdict[$1] = $4
    if ($2 != "none") faulty++
    next
  }
  FNR == 1 { printf "%4s  %-20s %12s  %-22s %s\n", "rank", "execution", "score", "injected", "verdict" }
  {
    what = !($1 in known) ? "?" : fault[$1] == "none" ? "-" : fault[$1] " x " injected[$1]
    if (FNR <= faulty && ($1 in known) && fault[$1] != "none") found++
    if (FNR <= rows)
      printf "%4d  %-20.20s %12.6g  %-22.22s %s\n", FNR, $1, $2, what, ($1 in known) ? verdict[$1] : "?"
  }
  END {
    if (faulty) printf "%d of %d faulty runs among the first %d\n", found, faulty, faulty
    else print "no faulty run in the truth"
  }' "$2" "$1"
