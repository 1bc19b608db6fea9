#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# rank with its features, check with a baseline, next by ranking, and evaluate --inspection-effort
# with the real binary, on runs with hand-written differences.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# run CAMPAIGN NAME [LINE]...: a server, and a client whose one thread is at these lines
run() {
    local dir=$T/in/$1/$2
    shift 2
    small_vm "$dir" 1 server 1 2
    small_vm "$dir" 2 client "$@"
}
into() { "$ROXI" import "$T/$1" "$T/in/$1"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"; }

for i in 1 2 3 4 5 6 7 8 9; do
    run camp run$i 1 2 $((3 + i % 2))
    run good good$i 1 2 $((3 + i % 2))
done
run camp odd 7 8 9 10 11 12
run fresh like 1 2 3
run fresh unlike 7 8 9
into camp && into good && into fresh
camp=$T/camp
label() { "$IXOR" label "$camp" "$@" >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"; }

# ---- rank ----

"$ROXI" rank "$camp" --explain >"$T/rank" 2>"$T/err"
same "the odd one is first" odd "$(head -n 1 "$T/rank" | cut -f 1)"
has "and says why" '^odd	[0-9.]+	client, thread main: [0-9.]+ from call stacks$' "$T/rank"
same "parts add up to the score" true "$("$ROXI" rank "$camp" --explain --json | jq '.executions[0] |
    [.why[].part] as $parts | ($parts | add) - .score | fabs < 1e-9')"
same "three of them at most" true \
    "$("$ROXI" rank "$camp" --explain --json | jq '[.executions[].why | length <= 3] | all')"
sqlite3 "$camp/campaign.db" "UPDATE vm SET ended = 'vanished' WHERE role = 'server' AND execution =
    (SELECT id FROM execution WHERE name = 'run4')"
same "a VM that vanished is seen in the ends" run4 \
    "$("$ROXI" rank "$camp" --features ends | head -n 1 | cut -f 1)"
has "in words" '^run4	1.937	server: 1.9, vanished$' <("$ROXI" rank "$camp" --features ends --explain)
same "and by default" "odd run4" "$("$ROXI" rank "$camp" | head -n 2 | cut -f 1 | sort | xargs)"
same "call stacks alone do not tell" 0 \
    "$("$ROXI" rank "$camp" --features stacks | awk '$1 == "run4" && $2 > 1' | wc -l)"
same "engines agree" "$("$ROXI" rank "$camp" --json --explain | jq -c .executions)" \
    "$(OMP_NUM_THREADS=3 "$ROXI" rank "$camp" --json --explain --engine reference | jq -c .executions)"
check "a feature that is none" fails 2 "--features: 'end' is none of stacks, packets, ends" \
    rank "$camp" --features stacks,end
check "a strategy that counts" fails 2 'needs distances' rank "$camp" -s frame-count
same "but not where stacks do not matter" 10 \
    "$("$ROXI" rank "$camp" -s frame-count --features ends | wc -l)"
same "the options are stated" '"stacks,ends" "all"' "$("$ROXI" rank "$camp" --features ends,stacks --json |
    jq -c '.options | .features, .reference' | xargs -d '\n')"

# ---- peers ----

# server DIR PID ROLE THREAD: a server with one thread
server() {
    local log
    log=$(vm_files "$1" "$2")
    small_vm "$T/one" "$2" "$3" 1 2
    sed "s/^main$/$4/" "$T/one/$2.log" >"$log"
    rm -r "$T/one"
}
for i in 1 2 3 4 5 6 7 8 9; do
    work=(follow lead)
    [ $i != 5 ] || work=(lead follow)
    server "$T/in/peers/run$i" 11 'Server 1' ${work[0]}
    server "$T/in/peers/run$i" 12 'Server 2' ${work[1]}
    run peers run$i 1 2 $((3 + i % 2))
done
into peers
"$ROXI" rank "$T/peers" --explain --role-swap no >"$T/rank"
has "another leader than usual is unusual by name" \
    '^run5	[0-9.]+	Server [12], thread (lead|follow): ' <(head -n 1 "$T/rank")
same "and not by what the servers did" 0 "$("$ROXI" rank "$T/peers" | awk '$1 == "run5" && $2 > 1' | wc -l)"
same "whatever else is compared" 0 \
    "$("$ROXI" rank "$T/peers" --features stacks | awk '$1 == "run5" && $2 > 1' | wc -l)"
server "$T/in/odd/run10" 11 'Server 1' lead
server "$T/in/odd/run10" 12 'Server 2' follow
server "$T/in/odd/run10" 13 'Server 2' other
run odd run10 1 2 3
"$ROXI" import "$T/peers" "$T/in/odd/run10" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$ROXI" rank "$T/peers" --explain >"$T/rank"
has "who is odd under another name is called by its own" 'run10	[0-9.]+	.*Server 2 as Server 1, thread other: ' "$T/rank"
same "in JSON, too" '["Server 2","Server 1"]' "$("$ROXI" rank "$T/peers" --explain --json |
    jq -c '[.executions[] | select(.name == "run10") | .why[] | select(.thread == "other")][0] | [.role, .as]')"
same "the choice is stated" '"yes" "no"' "$(for how in yes no; do
    "$ROXI" rank "$T/peers" --role-swap $how --json | jq -c '.options["role-swap"]' ; done | xargs -d '\n')"
check "no such choice" fails 2 "--role-swap: 'x' is none of yes" rank "$T/peers" --role-swap x

# ---- known to be good ----

check "nobody has said which are" fails 1 'users labelled 0 runs .* at least 3' \
    rank "$camp" --reference labelled
for i in 1 2 3; do label run$i passed; done
label odd failed
same "good ones come last" "run1 run2 run3" \
    "$("$ROXI" rank "$camp" --reference labelled | tail -n 3 | cut -f 1 | sort | xargs)"
same "the odd one is first still" odd "$("$ROXI" rank "$camp" --reference labelled | head -n 1 | cut -f 1)"
same "they are marked" 3 "$("$ROXI" rank "$camp" --reference labelled --json |
    jq '[.executions[] | select(.good)] | length')"

# ---- next ----

same "next: the most unusual one that nobody has looked at" run4 \
    "$("$ROXI" next "$camp" 2>"$T/err" | cut -f 1)"
has "why" 'score [0-9.]+: server: [0-9.]+, vanished' <("$ROXI" next "$camp" 2>"$T/err")
same "as JSON" '["run4","most-unusual",4,1,"ends"]' "$("$ROXI" next "$camp" --json 2>"$T/err" |
    jq -c '[.name, .reason, .settled, .failed, .why[0].feature]')"
has "by clusters" 'cluster of [0-9]+' <("$ROXI" next "$camp" --by clusters 2>"$T/err")
for i in 4 5 6 7 8 9; do label run$i passed; done
same "nothing is left" "" "$("$ROXI" next "$camp" 2>"$T/err")"
same "nothing, as JSON" "null all-settled" \
    "$("$ROXI" next "$camp" --json 2>"$T/err" | jq -r '"\(.name) \(.reason)"')"

# ---- check ----

"$ROXI" check "$T/fresh" --baseline "$T/good" >"$T/check" 2>"$T/err"
same "check: some are unusual" 3 $?
same "which" unlike "$(cut -f 1 "$T/check")"
has "why" 'unlike	[0-9.]+	client, thread main: [0-9.]+ from call stacks' "$T/check"
has "what nine runs allow" '9 good runs allow no rate of false alarms below 10 %.*takes 99' "$T/err"
has "how sure that is" '1 of 2 runs are unusual: .* 10 % of good ones \(0.57 to 28 %' "$T/err"
same "check of good ones: none is" 0 \
    "$("$ROXI" check "$T/good" --baseline "$T/good" --false-alarms 10% >"$T/out" 2>"$T/err"; echo $?)"
same "and nothing is printed" "" "$(cat "$T/out")"
same "JSON lists all" '[9,1,0.1,[["unlike",true],["like",false]]]' \
    "$("$ROXI" check "$T/fresh" --baseline "$T/good" --json 2>"$T/err" |
        jq -c '[.good, .unusual, .rate, [.executions[] | [.name, .unusual]]]')"
same "p-values: one of ten, and all" '[["unlike",0.1],["like",1]]' \
    "$("$ROXI" check "$T/fresh" --baseline "$T/good" --json 2>"$T/err" |
        jq -c '[.executions[] | [.name, .["p-value"]]]')"
same "on any number of threads" "$(cat "$T/check")" \
    "$(OMP_NUM_THREADS=3 "$ROXI" check "$T/fresh" --baseline "$T/good" 2>"$T/err")"
"$ROXI" check "$camp" --baseline "$camp" >"$T/out" 2>"$T/err"
has "failed ones are no baseline" '1 failed runs of the baseline are left out' "$T/err"
check "no baseline" fails 2 '--baseline GOOD is missing' check "$T/fresh"
check "a baseline that is none" fails 1 'none' check "$T/fresh" --baseline "$T/none"
check "too few" fails 1 'has 2 good runs; at least 3' check "$T/good" --baseline "$T/fresh"
check "no rate" fails 2 "'2' is not a rate above 0" check "$T/fresh" --baseline "$T/good" --false-alarms 2

# ---- evaluate --inspection-effort ----

"$ROXI" evaluate "$camp" --inspection-effort >"$T/effort" 2>"$T/err"
same "effort: head" "order,strategy,choice,clustering,clusters,all,ninety,average_precision" \
    "$(head -n 1 "$T/effort")"
same "one of ten at random" "random,,,,,5.5,5.5,0.292897" "$(sed -n 2p "$T/effort")"
same "ranks" 10 "$(grep -c ^rank, "$T/effort")"
same "by call stacks it is the first" "rank,gap,,,,1,1,1" "$(grep ^rank,gap, "$T/effort")"
same "clusters: eight numbers and two best ones, of three orders and eleven strategies" 330 \
    "$(grep -cE '^(small-clusters|adaptive|adaptive-small),' "$T/effort")"
same "hindsight never is worse" "" "$(awk -F, '$3 == "best-all" {best[$1, $2] = $6}
    $3 ~ /%/ {all[$1, $2, $3] = $6}
    END {for (k in all) {split(k, p, SUBSEP); if (all[k] < best[p[1], p[2]] - 1e-9) print k}}' "$T/effort")"
same "one cluster: all at random" "5.5" "$(grep ^adaptive,gap,1%, "$T/effort" | cut -d, -f 6)"
same "as JSON" '[341,"random",5.5,"best-ninety"]' "$("$ROXI" evaluate "$camp" --inspection-effort --json |
    jq -c '[(.effort | length), .effort[0].order, .effort[0].all, .effort[-1].choice]')"
