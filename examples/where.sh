#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How often `roxi explain` names the place of a known fault.
#   examples/where.sh CAMPAIGN TRUTH BLAME
# For each failed run whose fault struck a place that TRUTH (common/truth.bash) names, and which is not
# silent by BLAME (fault, where, class, silent), it explains the run and compares. Prints a line for
# each run, then the counts:
#   runs, JVM first, JVM in three, runs with a class, class in three, class in five, moments, in 500 ms
# "JVM" is the role or node that TRUTH names; any server for a slow disk, any JVM for a power cut. A class
# counts if it is on the call stack of a finding of that role or node.
set -eu
[ $# = 3 ] || { sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 2; }
campaign=$1 truth=$2 blame=$3
ROXI=${ROXI:-"$(dirname "$0")/../build/roxi"}

# The failed runs, with what is known of them: name, fault, first_ms, role, what in it.
failed() {
    awk -F '\t' -v OFS='\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["verdict"] == "failed" && $at["where"] ~ /: / {
            role = what = $at["where"]
            sub(/: .*/, "", role)
            sub(/^[^:]*: /, "", what)
            print $at["execution"], $at["fault"], $at["first_ms"], role, what
        }' "$truth"
}

# classes FAULT WHAT: the classes to blame, separated by commas; "-" none, "silent": not to be found
classes() {
    awk -F '\t' -v fault="$1" -v what="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == fault && (!("where" in at) || $at["where"] == "any" || $at["where"] == what) {
            print $at["silent"] == "yes" ? "silent" : $at["class"]
            exit
        }' "$blame"
}

# The findings of a run, in lines: role, node, moment in ms, top-level classes on the call stack.
findings() {
    "$ROXI" explain "$campaign" "$1" --json 2>/dev/null | jq -r '.findings[:5][] | [.role, .node // "-",
        (if .since_ns == null then "-" else .since_ns / 1e6 end),
        ([.path[] | sub("\\(.*"; "") | sub("\\.[^.]*$"; "") | sub("(?<a>[.][^.$]+)[$].*"; .a)] | join(" "))] | @tsv'
}

# Judges one run's findings, from standard input.
judge() {
    awk -F '\t' -v OFS='\t' -v run="$1" -v fault="$2" -v first_ms="$3" -v role="$4" -v what="$5" -v blamed="$6" '
        function right() {
            if (fault == "power" || what == "all servers") return 1
            if (fault == "slow-disk" && role ~ /^Server/) return $1 ~ /^Server/
            return role == "Cluster" ? $2 == what : $1 == role
        }
        BEGIN { classes = split(blamed, class, ",") }
        {
            ok = right()
            if (ok && NR == 1) jvm1 = 1
            if (ok && NR <= 3) jvm3 = 1
            for (i = 1; ok && i <= classes; i++)
                if (index(" " $4 " ", " " class[i] " ")) {
                    if (NR <= 3) class3 = 1
                    class5 = 1
                }
            if (NR == 1 && $3 != "-" && first_ms != "-") {
                timed = 1
                late = $3 - first_ms
            }
        }
        END { print run, fault, 1, jvm1 + 0, jvm3 + 0, blamed != "-", class3 + 0, class5 + 0, timed + 0,
              (timed && late > -500 && late < 500) }'
}

failed | while IFS=$'\t' read -r run fault first_ms role what; do
    blamed=$(classes "$fault" "$what")
    case $blamed in silent | "") continue ;; esac
    findings "$run" | judge "$run" "$fault" "$first_ms" "$role" "$what" "$blamed"
done | awk -F '\t' -v OFS='\t' '{ print; for (i = 3; i <= NF; i++) sum[i] += $i }
    END { printf "all\t-"; for (i = 3; i <= 10; i++) printf "\t%d", sum[i]; print "" }'
