#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the case study's tables, in Markdown, and its plots: which runs a campaign has, the thesis'
# figures beside those of `roxi evaluate`, and the ranking of `roxi rank`. `make casestudy-tables`
# calls it.
set -u

usage() {
  cat <<'END'
usage: tables.sh [--brief] DIR             of a campaign that casestudy.sh made
       tables.sh [--brief] --stored NAME   of casestudy/NAME.tar.xz
       tables.sh --write FILE              of each stored campaign NAME for which
           FILE has the lines <!-- tables NAME --> and <!-- end of tables -->, in
           between these; the plots as NAME-effort.svg and NAME-rank.svg into the
           directory FILE without its .md

  --brief   only runs looked at, and the ranking; in FILE by the line
            <!-- brief tables NAME -->

Plots are left in DIR as effort.svg and rank.svg.
Runs that had a fault and passed are left out of the thesis' tables, as they were
there, and count as passed below those.
exit status: 0 done, 1 something failed, 2 wrong use
END
}

die() { printf 'tables.sh: %s\n' "$1" >&2; exit "${2:-1}"; }

here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source-path=SCRIPTDIR source=common/stored.bash
. examples/common/stored.bash || exit 1
roxi=build/roxi thesis=casestudy/thesis
# Strategies are the thesis' method, which includes how it cut threads' names; the ranking is ours.
rules=(--rules examples/rules)
method=("${rules[@]}" --strategy-rules thesis)
[ -x "$roxi" ] || die "no $roxi; run make first"

# ---- tables -----------------------------------------------------------------------------------------------------

# composition TRUTH: prints a line for each kind of fault.
composition() {
  awk -F '\t' '
    function median(list,   part, n, i, j, t) {
      n = split(list, part, " ")
      for (i = 2; i <= n; i++)
        for (j = i; j > 1 && part[j] + 0 < part[j - 1] + 0; j--) {
          t = part[j]; part[j] = part[j - 1]; part[j - 1] = t
        }
      return n == 0 ? "-" : n % 2 ? part[(n + 1) / 2] : (part[n / 2] + part[n / 2 + 1]) / 2
    }
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
      fault = $column["fault"]
      if (!(fault in runs) && fault != "none") kind[++kinds] = fault
      runs[fault]++
      failed[fault] += $column["verdict"] == "failed"
      injected[fault] = injected[fault] " " $column["injected"]
      if ($column["first_ms"] != "-") first[fault] = first[fault] " " $column["first_ms"]
      long[fault] = long[fault] " " $column["milliseconds"]
      load[fault] += $column["load"]; busy[fault] += $column["busy"]
    }
    END {
      print "| fault | runs | failed | faults in a run | first after | length | load | machine |"
      print "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
      kind[0] = "none"
      for (i = !("none" in runs); i <= kinds; i++) {
        f = kind[i]
        when = median(first[f])
        printf "| %s | %d | %d | %s | %s | %.1f s | %.0f %% | %.0f %% |\n", f, runs[f], failed[f], median(injected[f]),
          when == "-" ? when : sprintf("%.1f s", when / 1000), median(long[f]) / 1000, 100 * load[f] / runs[f],
          100 * busy[f] / runs[f]
      }
    }' "$1"
}

# beside TABLE FORMAT SYSTEM CSV [THESIS]: a table of `roxi evaluate`, and the thesis' rows above its own.
beside() {
  awk -F , -v table="$1" -v format="$2" -v system_name="$3" '
    /^#/ { next }
    FILENAME == ARGV[1] && $1 == "application" { for (i = 4; i <= NF; i++) named[i] = $i; next }
    FILENAME == ARGV[1] { if ($1 == system_name) for (i = 4; i <= NF; i++) theirs[$3 + 0, named[i]] = $i; next }
    $1 == "table" {
      printf "| clusters | |"
      for (i = 4; i <= NF; i++) { strategy[i] = $i; printf " %s |", $i }
      printf "\n| --- | --- |"
      for (i = 4; i <= NF; i++) printf " ---: |"
      print ""
      next
    }
    $1 == table {
      label = $2 == "" ? $3 " %" : $2 " (" $3 " %)"
      row = ""
      for (i = 4; i <= NF; i++) {
        figure = theirs[$3 + 0, strategy[i]]
        row = row " " (figure == "" ? "" : sprintf(format, figure)) " |"
      }
      if (row ~ /[0-9]/) { print "| " label " | thesis |" row; label = "" }
      printf "| %s | here |", label
      for (i = 4; i <= NF; i++) printf " " format " |", $i
      print ""
    }' "${5:-/dev/null}" "$4"
}

# averages SYSTEM CSV: figures for which the thesis has only averages over everything.
averages() {
  awk -F , -v system_name="$1" '
    FNR == 1 { file++ }
    /^#/ { next }
    file == 1 { if ($1 == system_name) theirs[$2, $3] = $4; next }
    $1 == "smallest" { for (i = 4; i <= NF; i++) { sum["smallest", $3] += $i; n["smallest", $3]++ } }
    $1 ~ /^lone-/ { for (i = 4; i <= NF; i++) { sum[$1, ""] += $i; n[$1, ""]++ } }
    function line(text, table, percent) {
      if (n[table, percent])
        printf "| %s | %s | %.1f |\n", text,
          ((table, percent) in theirs) ? sprintf("%.1f", theirs[table, percent]) : "",
          sum[table, percent] / n[table, percent]
    }
    END {
      print "| average over strategies, clusterings, numbers of clusters, % | thesis | here |"
      print "| --- | ---: | ---: |"
      split("2 5 10 25 50", part, " ")
      for (i = 1; i <= 5; i++)
        line("failures in the smallest clusters with " part[i] " % of the runs", "smallest", part[i])
      line("failures alone in their clusters", "lone-failures", "")
      line("runs alone in their clusters", "lone-executions", "")
    }' "$thesis/averages.csv" "$2"
}

# effort CSV: of `roxi evaluate --inspection-effort`; a row for each order of all runs and for each strategy, of whose
# clusterings and numbers of clusters the best ones are taken.
effort() {
  awk -F , '
    function pair(all, ninety) { return all == "" ? "" : sprintf("%.1f / %.1f", all, ninety) }
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
      order = $column["order"]
      strategy = $column["strategy"]
      if (!(strategy in seen) && strategy != "") { seen[strategy] = 1; name[++names] = strategy }
      choice = $column["choice"]
      if (choice == "" || choice == "best-all") all[order, strategy] = $column["all"]
      if (choice == "" || choice == "best-ninety") ninety[order, strategy] = $column["ninety"]
      if (choice == "") precision[order, strategy] = $column["average_precision"]
    }
    function row(label, strategy, first,   i, p) {
      p = precision[first, strategy]
      printf "| %s | %s | %s |", label, pair(all[first, strategy], ninety[first, strategy]),
        p == "" ? "" : sprintf("%.3f", p)
      for (i = 1; i <= 3; i++)
        printf " %s |", pair(all[other[i], strategy], ninety[other[i], strategy])
      print ""
    }
    END {
      split("small-clusters adaptive adaptive-small", other, " ")
      print "| | as ranked | average precision | small clusters first | adaptive | adaptive, small first |"
      print "| --- | ---: | ---: | ---: | ---: | ---: |"
      row("random order", "", "random")
      row("**roxi rank**", "", "rank")
      row("longest runs first", "", "length")
      for (i = 1; i <= names; i++) row(name[i], name[i])
    }' "$1"
}

# ---- campaigns ----------------------------------------------------------------------------------------------------

# A campaign's labels, to be restored at the end, however the script ends.
relabelled='' was='' work=''
at_exit() {
  [ -z "$relabelled" ] || examples/casestudy.sh --relabel "$relabelled" --harmless "$was"
  [ -z "$work" ] || rm -rf "$work"
}

# inspect DIR HARMLESS: sets effort to the file with the table.
inspect() {
  effort=$1/effort-$2.csv
  examples/casestudy.sh --relabel "$1" --harmless "$2" || exit 1
  "$roxi" evaluate "${method[@]}" --inspection-effort "$1/campaign" -o "$effort" ||
    die "roxi evaluate --inspection-effort $1/campaign failed"
}

# evaluate DIR HARMLESS: sets csv and effort to the files with the tables.
evaluate() {
  inspect "$1" "$2"
  csv=$1/evaluate-$2.csv
  "$roxi" evaluate "${method[@]}" "$1/campaign" -o "$csv" || die "roxi evaluate $1/campaign failed"
}

# plots DIR: of the runs as they are labelled.
plots() {
  "$roxi" evaluate "${method[@]}" --inspection-effort --format svg "$1/campaign" -o "$1/effort.svg" ||
    die "roxi cannot draw $1/effort.svg"
  "$roxi" rank "${rules[@]}" --format svg "$1/campaign" -o "$1/rank.svg" || die "roxi cannot draw $1/rank.svg"
}

# effort_title TITLE [OF]: a heading.
effort_title() {
  printf '\n### %s: runs looked at until all / 90 %% of the failures are found%s\n\n' "$1" "${2:-}"
}

# has_harmless TRUTH: whether a run had a fault and passed.
has_harmless() { awk -F '\t' 'NR > 1 && $4 != "none" && $9 == "passed" { n = 1 } END { exit !n }' "$1"; }

# ranking ROWS: of the runs of $dir, beside the truth; and without silent faults where the system has a table of them.
ranking() {
  local blame=examples/$name/blame.tsv
  printf '\n### %s: roxi rank\n\n' "$title"
  "$roxi" rank "${rules[@]}" "$dir/campaign" -o "$dir/rank.tsv" || die "roxi rank $dir/campaign failed"
  printf '```\n'
  examples/truth-beside.sh --failed "$dir/rank.tsv" "$truth" "$1" || exit 1
  if [ -r "$blame" ]; then
    examples/truth-beside.sh --failed --without-silent "$blame" "$dir/rank.tsv" "$truth" 0 || exit 1
  fi
  printf '```\n'
}

# thesis_tables: of $dir, relabelled already; sets effort.
thesis_tables() {
  local csv
  evaluate "$dir" unknown
  printf '\n### %s: failures found by adaptive sampling, %%\n\n' "$title"
  beside found %.1f "$name" "$csv" "$thesis/adaptive-sampling-found.csv"
  printf '\n### %s: runs looked at for that\n\n' "$title"
  beside checked %.1f "$name" "$csv"
  printf '\n### %s: purity\n\n' "$title"
  beside purity %.3f "$name" "$csv" "$thesis/purity.csv"
  printf '\n### %s: small clusters\n\n' "$title"
  averages "$name" "$csv"
  effort_title "$title"
  effort "$effort"
}

# all_runs: the same of all runs, of what the thesis left out; sets effort.
all_runs() {
  local csv
  evaluate "$dir" passed
  printf '\n### %s: failures found, all runs, %%\n\n' "$title"
  beside found %.1f "$name" "$csv"
}

# about DIR TITLE: sets what the functions below need.
about() {
  dir=$1 truth=$1/truth.tsv
  [ -s "$truth" ] || die "no $truth; is $dir a directory of casestudy.sh?"
  name=$(awk -F '\t' 'NR == 2 { print $2 }' "$truth")
  title=${2:-$name} title=${title^}
  failures=$(awk -F '\t' 'NR > 1 && $9 == "failed"' "$truth" | wc -l)
  was=$(cat "$dir/harmless" 2> /dev/null || echo passed) relabelled=$dir
}

tables() { # DIR [TITLE]
  local dir truth name title failures effort
  about "$@"
  printf '### %s: runs\n\n' "$title"
  composition "$truth"
  if [ "$failures" -eq 0 ]; then
    printf '\nNo run has failed.\n'
    return
  fi
  thesis_tables
  plots "$dir"
  if has_harmless "$truth"; then
    all_runs
    effort_title "$title" ', all runs'
    effort "$effort"
  fi
  ranking $((failures * 13 / 10 + 2))
}

brief() { # DIR TITLE
  local dir truth name title failures effort
  about "$@"
  [ "$failures" -gt 0 ] || die "no run of $dir has failed"
  inspect "$dir" unknown
  plots "$dir"
  effort_title "$title" | tail -n +2 # without the empty line
  effort "$effort"
  if has_harmless "$truth"; then
    inspect "$dir" passed
    effort_title "$title" ', all runs'
    effort "$effort"
  fi
  ranking $((failures + 2))
}

stored() { # NAME
  local dir
  unpack_stored "$1"
  "$task" "$dir" "$1"
}

write() { # FILE
  local file=$1 brief name plot
  work=$(mktemp -d "${TMPDIR:-/tmp}/tables.XXXXXX") || die 'no temporary directory'
  mkdir "$work/plots"
  while IFS=: read -r brief name; do
    if [ ! -r "casestudy/$name.tar.xz" ]; then
      printf 'tables.sh: no casestudy/%s.tar.xz; its tables stay as they are\n' "$name" >&2
      continue
    fi
    examples/tables.sh ${brief:+--brief} --stored "$name" > "$work/$name" || exit 1
    for plot in effort rank; do
      cp "build/casestudy-stored/$name/$plot.svg" "$work/plots/$name-$plot.svg" || die "no plot of $name"
    done
  done < <(sed -nE 's/^<!-- (brief )?tables ([a-z0-9-]+) -->$/\1:\2/p' "$file")
  awk -v work="$work" '
    /^<!-- end of tables -->$/ { inside = 0 }
    !inside { print }
    /^<!-- (brief )?tables [a-z0-9-]+ -->$/ {
      name = work "/" $(NF - 1)
      while ((getline line < name) > 0) { if (!inside) print ""; inside = 1; print line }
      if (inside) print ""
    }' "$file" > "$work/all" || die "cannot read $file"
  cp -rT "$work/plots" "${file%.md}" || die "cannot write into ${file%.md}"
  cat "$work/all" > "$file" || die "cannot write $file"
}

trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
task=tables
if [ "${1:-}" = --brief ]; then
  task=brief
  shift
fi
case ${1:-} in
  --help) usage; exit 0 ;;
  --stored) [ $# -eq 2 ] || die '--stored needs a name (see --help)' 2; stored "$2" ;;
  --write) [ $# -eq 2 ] || die '--write needs a file (see --help)' 2; write "$2" ;;
  ''|-*) die 'expected a directory (see --help)' 2 ;;
  *)
    case $1 in /*) "$task" "$1" ;; *) "$task" "$(realpath -m -- "$here/$1" | sed "s|^$PWD/||")" ;; esac ;;
esac
