#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# cluster, medoids, sample, next and evaluate with the real binary: formats, messages, a tester's
# loop; dendrograms compared with SciPy and R where they are installed (make deps-peers).
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# vm DIR PID ROLE SEED SHIFT: packets whose two threads go through stacks of up to 9 of 12 frames;
# a shift keeps to the upper frames
vm() {
    awk -v pid="$2" -v role="$3" -v seed="$4" -v shift="$5" 'BEGIN {
        srand(seed)
        for (p = 1; p <= 8; p++) {
            printf "%d\n%s\t\njvm\n%d\n%d\n2\n", pid, role, p, p
            for (t = 1; t <= 2; t++) {
                depth = 1 + int(rand() * 9)
                printf "%08X\nworker%d\nmain\nsystem\n1\n5\n%d\n", t, t, depth
                for (f = 0; f < depth; f++)
                    printf "%08X %d\n", 1 + shift + int(rand() * (4 - shift)), 1 + int(rand() * 3)
            }
            if (p > 1) { print "0\n0"; continue }
            print "4\n0000000A 00000001 f ()V\n0000000A 00000002 g ()V"
            print "0000000A 00000003 g (I)V\n0000000B 00000004 f ()V"
            print "2\n0000000A p.A A.java\n0000000B p.B B.java"
        }
    }' >"$(vm_files "$1" "$2")"
}

# Twenty runs; the last three are of another kind.
for run in $(seq 10 29); do
    vm "$T/in/run$run" 1 server "1$run" $((run > 26 ? 2 : 0))
    vm "$T/in/run$run" 2 client "2$run" $((run > 26 ? 2 : 0))
done
"$ROXI" import "$T/camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
camp=$T/camp
cluster() { "$ROXI" cluster "$camp" -s favor-end "$@"; }

# ---- how many clusters ----

cluster --clusters auto >"$T/auto" 2>"$T/err"
has "auto says how many" '^roxi: [0-9]+ clusters have the highest mean silhouette, 0\.[0-9]+$' "$T/err"
same "and makes so many" "$(grep -oE '[0-9]+ clusters' "$T/err")" \
    "$(cut -f 2 "$T/auto" | sort -u | wc -l) clusters"
height=$(cluster --format json | jq '.merges[-2].height')
same "up to the height of the last merge but one there are two" 2 \
    "$(cluster --height "$height" | cut -f 2 | sort -u | wc -l)"
same "all the same as two" "$(cluster -k 2)" "$(cluster --height "$height")"
same "height 2 is all" 1 "$(cluster --height 2 | cut -f 2 | sort -u | wc -l)"
same "a height below 0 is nothing" 20 "$(cluster --height=-1 | cut -f 2 | sort -u | wc -l)"
check "two ways to stop" fails 2 'give one of them' cluster -k 2 --height 1 "$camp"
check "no number" fails 2 "'many' is neither a number from 1 on nor 'auto'" cluster -k many "$camp"
check "no height" fails 2 "'nan' is not a number" cluster --height nan "$camp"
check "distances of counts" fails 2 'stack-count counts' \
    cluster -k 2 --measure distance -s stack-count "$camp"
check "scaled distances" fails 2 'are for --measure cosine' \
    cluster -k 2 --measure distance --scaling sqrt "$camp"
check "Ward's of negative distances" fails 1 'not defined where distances are negative' \
    cluster -k 2 --measure distance -s call-stack-1 --match-reward 1000 --linkage ward "$camp"
check "silhouettes of those" fails 1 'silhouettes are not defined' \
    cluster -k auto --measure distance -s call-stack-1 --match-reward 1000 "$camp"
for linkage in single complete average ward; do
    for on in cosine distance; do
        want=$(OMP_NUM_THREADS=1 cluster --linkage $linkage --measure $on --format json)
        same "$linkage on $on: one thread and three" "$want" \
            "$(OMP_NUM_THREADS=3 cluster --linkage $linkage --measure $on --format json)"
        same "$linkage on $on: heights ascend" true \
            "$(jq '[.merges[].height] | . == sort' <<<"$want")"
    done
done

# ---- formats ----

cluster -k 3 >"$T/tsv"
same "csv" "$(printf 'execution,cluster\n' && tr '\t' , <"$T/tsv")" "$(cluster -k 3 --format csv)"
check "cluto into a file" cluster -k 3 --format cluto -o "$T/k3"
same "cluto" "$(cut -f 2 "$T/tsv")" "$(cat "$T/k3")"
same "its tree" "39 lines, root -1" "$(awk 'END {print NR " lines, root " $1}' "$T/k3.tree")"
same "parents come later" "" "$(awk '$1 != -1 && $1 < NR' "$T/k3.tree")"
same "nothing else was made" "k3 k3.tree" "$(cd "$T" && echo k3*)"
cluster -k 3 --format json >"$T/json"
same "json has the same clusters" "$(cat "$T/tsv")" \
    "$(jq -r '.executions[] | "\(.name)\t\(.cluster)"' "$T/json")"
same "and where it comes from" "roxi-clusters 1 favor-end average cosine 3" "$(jq -r \
    '"\(.format) \(.version) \(.options | "\(.strategy) \(.linkage) \(.measure) \(.clusters)")"' "$T/json")"
same "without a number: only the tree" "null 19" \
    "$(cluster --format json | jq -r '"\(.clusters) \(.merges | length)"')"
same "newick names all" "$(cut -f 1 "$T/tsv")" \
    "$(cluster --format newick | grep -oE 'run[0-9]+' | sort)"
same "linkage: header" "'shape': (19, 4)" \
    "$(cluster --format linkage | head -c 128 | grep -aoE "'shape': [^)]*\)")"
same "linkage: numbers" "$(cluster --format json |
    jq -r '.merges[] | [([.a, .b] | sort[]), .size] | join(" ")')" \
    "$(cluster --format linkage | tail -c +129 | od -An -tf8 -v -w32 | awk '{print $1, $2, $4}')"
check "a device that is full" fails 1 'No space' cluster --format newick "$camp" -o /dev/full
check "a directory that is not there" fails 1 'cannot write' \
    cluster -k 2 --format cluto "$camp" -o "$T/none/k"
mkdir "$T/taken.tree"
check "a tree that cannot be written" fails 1 'cannot write' \
    cluster -k 2 --format cluto "$camp" -o "$T/taken"
same "leaves nothing" "$T/taken.tree" "$(echo "$T"/taken*)"

# ---- against others ----

cat >"$T/with_scipy.py" <<'END'
import csv, sys
import numpy as np
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
matrix, z, on, method = sys.argv[1:]
rows = np.array([[float(v) for v in r[1:]] for r in list(csv.reader(open(matrix)))[1:]])
unit = rows / np.linalg.norm(rows, axis=1)[:, None]
got = np.load(z)
assert is_valid_linkage(got, throw=True)
if on == 'distance':
    want = linkage(squareform(rows, checks=False), method)
elif method == 'ward':
    want = linkage(unit, 'ward')
else:
    want = linkage(pdist(rows, 'cosine'), method)
assert np.allclose(got[:, 2], want[:, 2], rtol=1e-8, atol=1e-9), 'heights'
assert np.allclose(cophenet(got), cophenet(want), rtol=1e-8, atol=1e-9), 'tree'
END

cat >"$T/hclust.R" <<'END'
a <- commandArgs(TRUE)
m <- as.matrix(read.csv(a[1], row.names = 1, check.names = FALSE))
unit <- m / sqrt(rowSums(m^2))
d <- if (a[3] == "distance") as.dist(m) else
     if (a[4] == "ward.D2") dist(unit) else as.dist(1 - unit %*% t(unit))
want <- hclust(d, a[4])
got <- list(merge = as.matrix(read.table(paste0(a[2], ".merge"))),
            height = scan(paste0(a[2], ".height"), quiet = TRUE),
            order = scan(paste0(a[2], ".order"), quiet = TRUE))
stopifnot(all(abs(want$height - got$height) < 1e-8 * pmax(1, want$height)),
          all(want$merge == got$merge), all(want$order == got$order))
END

# R's own rule for equal distances is another: the strategy's distances here are all different.
others() {
    local on linkage method python r
    "$ROXI" matrix "$camp" -s favor-end-squared >"$T/m.csv"
    python=$(python_with scipy) || skip "SciPy is not installed: not compared"
    r=$(command -v Rscript) || skip "R is not installed: not compared"
    [ "$B" != build/asan ] || python='' r='' # they have compared what is printed without sanitizers
    for on in cosine distance; do
        for linkage in single complete average ward; do
            "$ROXI" cluster "$camp" -s favor-end-squared --measure $on --linkage $linkage \
                --format linkage -o "$T/z.npy"
            [ -z "$python" ] || check "SciPy has the same: $linkage on $on" \
                "$python" "$T/with_scipy.py" "$T/m.csv" "$T/z.npy" $on $linkage
            "$ROXI" cluster "$camp" -s favor-end-squared --measure $on --linkage $linkage \
                --format rhclust -o "$T/r.json"
            jq -r '.merge[] | @tsv' "$T/r.json" >"$T/r.merge"
            jq -r '.height[]' "$T/r.json" >"$T/r.height"
            jq -r '.order[]' "$T/r.json" >"$T/r.order"
            method=$(jq -r .method "$T/r.json")
            [ -z "$r" ] || check "R has the same: $method on $on" \
                Rscript --vanilla "$T/hclust.R" "$T/m.csv" "$T/r" $on "$method"
        done
    done
}
others

# ---- medoids and samples ----

same "medoids: a line each, of their clusters" "$(cut -f 2 "$T/tsv" | sort | uniq -c | awk '{print $2, $1}')" \
    "$("$ROXI" medoids "$camp" -s favor-end -k 3 | awk '{print $1, $2}')"
same "medoids as JSON" "$("$ROXI" medoids "$camp" -s favor-end -k 3 | cut -f 3)" \
    "$("$ROXI" medoids "$camp" -s favor-end -k 3 --json | jq -r '.medoids[].name')"
check "no number for medoids" fails 2 'clusters K is missing' medoids "$camp"

sample() { "$ROXI" sample "$camp" -s favor-end "$@" 2>"$T/err"; }
same "random" "5 5" "$(sample -m random -n 5 | awk '{print $1}' | sort | uniq -c |
    awk '{n++; s += $1} END {print n, s}')"
same "nothing is known to have failed" "" "$(cat "$T/err")"
same "the same again" "$(sample -m random -n 5)" "$(sample -m random -n 5)"
check "another seed" test "$(sample -m random -n 9)" != "$(sample -m random -n 9 --seed 2)"
same "one per cluster" "0 1 2 3" "$(sample -m one-per-cluster -k 4 | cut -f 2 | sort | xargs)"
same "all of each cluster" 20 "$(sample -m n-per-cluster -n 20 -k 4 | sort -u | wc -l)"
same "small clusters first" "$(cut -f 2 "$T/tsv" | sort | uniq -c | sort -n | awk '{print $2; exit}')" \
    "$(sample -m small-clusters -k 3 -n 1 | cut -f 2)"
check "no method" fails 2 'method M is missing' sample -k 2 "$camp"
check "no size" fails 2 'size N is missing' sample -k 2 -m random "$camp"
check "a size that is of no use" fails 2 'clusters decide how many' \
    sample -k 2 -m adaptive -n 3 "$camp"
check "more than there are" fails 1 'there are only 20' sample -m random -n 21 "$camp"

# ---- what is known ----

check "nothing to evaluate" fails 1 "has the verdict failed; .*'ixor label'" evaluate "$camp"
sqlite3 "$camp/campaign.db" "update execution set verdict = 'passed', verdict_by = 'exit';
    update execution set verdict = 'failed', verdict_by = 'exit' where name = 'run27'"
next() { "$ROXI" next "$camp" -s frame-count -k 2 "$@" 2>"$T/err"; }
same "first the nearest in the cluster of what failed by its exit status" "run28 or run29" \
    "$(next | sed 's/^run2[89]\tin a cluster of 3 with run27, which failed$/run28 or run29/')"
same "what is known" "roxi: 1 of 20 runs are settled, 1 of them failed" "$(cat "$T/err")"
same "exit status trusted: nothing to do" "" "$(next --trust-exit-status)"
same "says JSON, too" "null all-settled 20" \
    "$(next --trust-exit-status --json | jq -r '"\(.name) \(.reason) \(.settled)"')"
looked=
while e=$(next | cut -f 1) && [ -n "$e" ] && [ ${#looked} -lt 200 ]; do
    looked="$looked $e"
    "$IXOR" label "$camp" "$e" "$([ "${e#run}" -gt 26 ] && echo failed || echo passed)" \
        >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"
done
same "the loop meets each of the others once" "$(cut -f 1 "$T/tsv" | grep -v run27 | xargs)" \
    "$(tr ' ' '\n' <<<"$looked" | sort | xargs)"
same "the failures first" "run28 run29" "$(awk '{print $1; print $2}' <<<"$looked" | sort | xargs)"

# Three failures that are a cluster of their own: adaptive sampling finds all with two clusters.
"$ROXI" evaluate "$camp" >"$T/evaluate"
same "evaluate: head" "table,clusters,percent_of_runs,$("$ROXI" matrix --help |
    sed -n '/^Strategies/,$p' | awk 'NR > 1 {print $1}' | paste -sd,)" "$(head -n 1 "$T/evaluate")"
same "its tables" "8 checked 8 found 8 lone-executions 8 lone-failures 8 purity 5 smallest" \
    "$(tail -n +2 "$T/evaluate" | cut -d, -f 1 | sort | uniq -c | xargs)"
same "clusters" "1 1 1 2 3 4 5 6" "$(grep ^found "$T/evaluate" | cut -d, -f 2 | xargs)"
# one cluster: 3/20 of the picks fail, and then all three are found; 1 + 3/20 x 19 are looked at
same "found, one cluster" "15 15 15 15 15 15 15 15 15 15 15" \
    "$(grep ^found,1,1, "$T/evaluate" | cut -d, -f 4- | tr , ' ')"
same "checked, one cluster" "3.85" "$(grep ^checked,1,1, "$T/evaluate" | cut -d, -f 4)"
same "purity, one cluster" "0.85" "$(grep ^purity,1,1, "$T/evaluate" | cut -d, -f 4)"
want=0
for linkage in single complete average; do
    for scaling in none sqrt; do
        want="$want + $("$ROXI" sample "$camp" -m adaptive -k 4 -s gap --linkage $linkage \
            --scaling $scaling --json | jq .expected.found)"
    done
done
same "found, four clusters: the mean of six" "$(awk "BEGIN {printf \"%.6g\", 100 * ($want) / 6 / 3}")" \
    "$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "gap") c = i}
        $1 == "found" && $3 == 20 {print $c}' "$T/evaluate")"
"$ROXI" evaluate "$camp" --json >"$T/evaluate.json"
same "as JSON" "20 3 $(grep ^found,1,1, "$T/evaluate" | cut -d, -f 4)" \
    "$(jq -r '"\(.executions) \(.failures) \(.tables.found[0].gap | . * 1e6 | round | . / 1e6)"' "$T/evaluate.json")"
sqlite3 "$camp/campaign.db" "update execution set verdict = 'unknown', verdict_by = null
    where name in ('run10', 'run11')"
same "those without a verdict are left out" 18 \
    "$("$ROXI" evaluate "$camp" --json 2>"$T/err" | jq .executions)"
has "with a word" '2 runs without a verdict are left out' "$T/err"
