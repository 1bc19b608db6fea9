#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# Every command records the provenance of its output: in a separate file (--provenance), and inside
# the output where the format allows it.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

for run in 1 2 3 4; do
    small_vm "$T/in/run$run" 1 server $((run * run))
    small_vm "$T/in/run$run" 2 client $run
done
camp="$T/camp [1]" # a name that a comment in Newick cannot have as it is
"$ROXI" import "$camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
sqlite3 "$camp/campaign.db" "UPDATE execution SET verdict = CASE name WHEN 'run4' THEN 'failed'
    ELSE 'passed' END, verdict_by = 'user'"
version=$("$ROXI" --version)

# ---- in a file of its own ----

# said COMMAND OPTION...: the provenance of that, which must not change what is printed
said() {
    "$ROXI" "$@" "$camp" >"$T/plain" 2>"$T/err" || cat "$T/err"
    "$ROXI" "$@" "$camp" -o "$T/data" --provenance "$T/side" 2>>"$T/err" || cat "$T/err"
    cmp "$T/plain" "$T/data"
    jq -r --arg camp "$camp" '"\(.format) \(.version) \(.roxi) \(.command) \(.campaign == $camp) \(
        .inputs.executions) \([.inputs.each[].name] | join(","))"' "$T/side"
}
for command in 'matrix --format csv' 'matrix --format cluto' 'matrix --format npy' \
    'matrix --format phylip' 'matrix -s stack-count' 'cluster -k 2' 'cluster -k 2 --format csv' \
    'cluster -k 2 --format cluto' 'cluster -k 2 --format json' 'cluster --format newick' \
    'cluster --format linkage' 'cluster --format rhclust' 'medoids -k 2' 'medoids -k 2 --json' \
    'sample -k 2 -m one-per-cluster' 'sample -m random -n 2 --json' 'next' 'next --json' 'evaluate' \
    'evaluate --json' 'rank' 'rank --json' 'rank --format svg' 'cluster --format svg' \
    'evaluate --format svg' 'evaluate --inspection-effort --format svg'; do
    # shellcheck disable=SC2086 # $command is a list of words
    same "provenance of $command" \
        "roxi-provenance 1 ${version#roxi } ${command%% *} true 4 run1,run2,run3,run4" \
        "$(said $command)"
done
same "nothing is left" "data data.clabel data.rlabel data.tree" "$(cd "$T" && echo data*)"

# option JQ ARGUMENT...: what the provenance says of an option
option() {
    local query=$1
    shift
    "$ROXI" "$@" "$camp" -o "$T/data" --provenance "$T/side" 2>"$T/err" || cat "$T/err"
    jq -c ".options | $query" "$T/side"
}
same "options of matrix" '["gap",1,"all","method",null,"cost","computed"]' "$(option \
    '[.strategy, ."match-reward", ."min-vms", .granularity, .rules, .unmatched, .diagonal]' \
    matrix --min-vms all --granularity method --unmatched cost --diagonal computed)"
same "options of cluster" '["levenshtein","distance","ward",3,null]' \
    "$(option '[.strategy, .measure, .linkage, .clusters, .height]' \
        cluster -s levenshtein --measure distance --linkage ward -k 3)"
same "options of sample" '["random",2,7]' "$(option '[.method, .size, .seed]' \
    sample -m random -n 2 --seed 7)"
same "options of rank, which compares no call stacks" '["auto","method","no","all",null]' \
    "$(option '[."min-vms", .granularity, ."role-swap", .reference, .strategy]' \
        rank --granularity method --role-swap no)"
same "options of next" true "$(option '.["trust-exit-status"]' next --trust-exit-status)"
same "options of next, by rank: what a ranking uses" \
    "by granularity min-vms role-swap rules trust-exit-status" \
    "$(option keys next --strategy levenshtein | jq -r 'join(" ")')"
same "by clusters: what clusters use" "clusters clusters column-model diagonal granularity height \
linkage match-reward measure min-vms rules scaling strategy trust-exit-status unmatched" \
    "$(option '[.by] + (keys - ["by"])' next --by clusters | jq -r 'join(" ")')"

# ---- the same inputs have the same fingerprint ----

print_of() { "$ROXI" matrix "$@" -o "$T/data" --provenance "$T/side" && jq -r .inputs.fingerprint "$T/side"; }
first=$(print_of "$camp")
same "a fingerprint" 32 "${#first}"
same "of another strategy" "$first" "$(print_of "$camp" -s favor-end --cache no)"
check "without lines: another" test "$first" != "$(print_of "$camp" --granularity method)"
each=$(jq -r '.inputs.each[0].fingerprint' "$T/side")
mkdir "$T/other" && cp -r "$T/in/run1" "$T/other/"
sed -i 's/^00000001 1$/00000001 9/' "$T/other/run1/1.log"
"$ROXI" import "$T/camp2" "$T/other/run1" "$T"/in/run[234] 2>"$T/err"
check "one execution changed: another" test "$first" != "$(print_of "$T/camp2")"
same "run2 has the same" "$(print_of "$camp" >/dev/null && jq -r '.inputs.each[1].fingerprint' "$T/side")" \
    "$(print_of "$T/camp2" >/dev/null && jq -r '.inputs.each[1].fingerprint' "$T/side")"
check "run1 has not" test "$each" != "$(jq -r '.inputs.each[0].fingerprint' "$T/side")"

# ---- inside ----

for command in 'cluster -k 2 --format json' 'cluster --format rhclust' 'medoids -k 2 --json' \
    'sample -k 2 -m adaptive --json' 'next --json' 'evaluate --json' 'rank --json'; do
    # shellcheck disable=SC2086
    same "inside $command" "1 ${version#roxi } $camp 4 $first" "$("$ROXI" $command "$camp" 2>"$T/err" |
        jq -r '"\(.version) \(.roxi) \(.campaign) \(.inputs.executions) \(.inputs.fingerprint)"')"
done
"$ROXI" cluster --format newick "$camp" >"$T/newick"
same "Newick: a comment, and the tree" 1 "$(grep -cE '^\[\{[^][]*\}\]\(.*\);$' "$T/newick")"
same "inside the comment" "${version#roxi } $camp average 4 $first" \
    "$(sed -E 's/^\[([^][]*)\].*/\1/' "$T/newick" |
        jq -r '"\(.roxi) \(.campaign) \(.options.linkage) \(.inputs.executions) \(.inputs.fingerprint)"')"

for command in 'rank' 'cluster' 'evaluate' 'evaluate --inspection-effort'; do
    # shellcheck disable=SC2086
    "$ROXI" $command --format svg "$camp" -o "$T/svg" 2>"$T/err"
    same "inside $command --format svg" "${version#roxi } $camp 4 $first" \
        "$(xmllint --xpath 'string(//*[local-name()="metadata"])' "$T/svg" |
            jq -r '"\(.roxi) \(.campaign) \(.inputs.executions) \(.inputs.fingerprint)"')"
done

# ---- what does not work ----

check "a directory that is not there" fails 1 'cannot write .*none/side' \
    matrix "$camp" -o "$T/new" --provenance "$T/none/side"
check "a full device" fails 1 'No space' matrix "$camp" -o "$T/new" --provenance /dev/full
check "no name" fails 2 'option --provenance: the value is empty' rank "$camp" --provenance ''
check "the same file" fails 2 'name the same file' rank "$camp" -o "$T/new" --provenance "$T/new"
check "standard output for both" fails 2 'name the same file' rank "$camp" --provenance -
check "a campaign that is none" fails 1 'none' matrix "$T/none" -o "$T/new" --provenance "$T/side2"
check "leaves no provenance either" test ! -e "$T/side2"
