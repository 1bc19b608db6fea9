#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# rank with its reasons, check with a baseline, next by ranking, and evaluate --inspection-effort
# with the real binary, on runs with hand-written differences.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# run CAMPAIGN NAME SERVED WORK...: a server of so many packets, and a client that does this work
run() {
    local dir=$T/in/$1/$2
    working_vm "$dir" 1 server "$3 p.Server.serve"
    working_vm "$dir" 2 client "${@:4}"
}
# usual CAMPAIGN NAME I [SERVED [MORE]]: a client that sends for 40 or 41 of its 60 packets
usual() {
    run "$1" "$2" "${4:-60}" "$((10 + ${5:-0})) p.Client.run" \
        "$((40 + $3 % 2)) p.Client.run p.Client.send" "$((10 - $3 % 2)) p.Client.run"
}
into() { "$ROXI" import "$T/$1" "$T/in/$1"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"; }

for i in 1 2 3 4 5 6 7 8 9; do
    case $i in
    2) usual camp run2 2 70 10 ;; # longer than all others
    4) usual camp run4 4 30 ;;    # the server is gone after half of it
    *) usual camp run$i $i ;;
    esac
    usual good good$i $i
done
run camp odd 60 '60 p.Client.run p.Client.retry'
usual fresh like 1
run fresh unlike 60 '12 a.A.run' '12 b.B.run' '12 c.C.run' '12 d.D.run' '12 e.E.run'
into camp && into good && into fresh
camp=$T/camp
label() { "$IXOR" label "$camp" "$@" >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"; }

# ---- rank ----

"$ROXI" rank "$camp" --explain >"$T/rank" 2>"$T/err"
# A place in which 60 packets are 2 sqrt(60) / 4 units from none: ln(1 + (3.873 - 1)^2).
same "the odd one is first" 'odd	2.225' "$(head -n 1 "$T/rank")"
has "and says where, since when and what" \
    '^    client, thread main, since packet 1 \([0-9.]+ s\): 60 packets in Client\.run$' <(sed -n 2p "$T/rank")
same "in a second line, if need be" '    calling Client.retry, typically 0' "$(sed -n 3p "$T/rank")"
same "then the JVM that vanished early" run4 "$(sed -n 4p "$T/rank" | cut -f 1)"
has "in words" '^    server, until packet 30 \([0-9.]+ s\): ended 30 packets early, typically 0$' \
    <(sed -n 5p "$T/rank")
same "the others are typical, in order, and there is nothing to explain" \
    "run1:0.000 run2:0.000 run3:0.000 run5:0.000 run6:0.000 run7:0.000 run8:0.000 run9:0.000" \
    "$(tail -n 8 "$T/rank" | tr '\t' : | xargs)"
check "80 columns" [ "$(expand "$T/rank" | wc -L)" -le 80 ]
"$ROXI" rank "$camp" --explain --json >"$T/json"
same "one place alone is the score" '["odd",1,true]' "$(jq -c '.executions[0] |
    [.name, (.why | length), (.why[0].part - .score | fabs < 1e-9)]' "$T/json")"
same "its place" '["call","client","p.Client","run","p.Client","retry",60,0]' "$(jq -c '.executions[0].why[0] |
    [.kind, .role, .class, .method, .["called-class"], .called, .packets, .typical]' "$T/json")"
same "its first finding, as explain prints it" "$("$ROXI" explain "$camp" odd --json | jq -c '.findings[0]')" \
    "$(jq -c '.executions[0].finding' "$T/json")"
same "a typical run has none" null "$(jq -c '.executions[-1].finding' "$T/json")"
same "of JVMs: no call" '["early","server",null,null,null,null,30,0]' "$(jq -c '.executions[1].why[0] |
    [.kind, .role, .class, .method, .["called-class"], .called, .packets, .typical]' "$T/json")"
same "on any number of threads" "$(jq -c .executions "$T/json")" \
    "$(OMP_NUM_THREADS=3 "$ROXI" rank "$camp" --json --explain | jq -c .executions)"
same "the options are stated" '["auto","method","no","all"]' "$("$ROXI" rank "$camp" --granularity method \
    --role-swap no --json | jq -c '.options | [.["min-vms"], .granularity, .["role-swap"], .reference]')"

# For people: a table, on a terminal only.
"$ROXI" rank "$camp" >"$T/rank"
"$ROXI" rank "$camp" --format table >"$T/table"
same "table: a heading" 'rank  run        score  verdict' "$(head -n 1 "$T/table")"
same "table: the odd one" '   1  odd        2.225  -' "$(sed -n 2p "$T/table")"
same "table: the runs and scores of the list" "$(cat "$T/rank")" "$(sed 1d "$T/table" | awk -v OFS='\t' '{ print $2, $3 }')"
# on_terminal ARGUMENT...: what it prints on one
on_terminal() { TERM=xterm script -qec "$(printf '%q ' "$ROXI" "$@")" /dev/null </dev/null 2>&1 | tr -d '\r'; }
if command -v script >/dev/null; then
    same "a terminal gets the table" "$(cat "$T/table")" "$(on_terminal rank "$camp")"
    same "or what it asks for" "$(cat "$T/rank")" "$(on_terminal rank "$camp" --format tsv)"
    on_terminal rank "$camp" -o "$T/rank.tsv" >"$T/out"
    same "a file is the same as ever" "$(cat "$T/rank")" "$(cat "$T/rank.tsv")"
else
    skip "script is not installed: no terminal"
fi

# ---- peers ----

# servers DIR WORK1 WORK2: what Server 1 and Server 2 do
servers() {
    working_vm "$1" 11 'Server 1' "$2"
    working_vm "$1" 12 'Server 2' "$3"
}
lead='60 q.Server.lead'
follow='60 q.Server.follow'
for i in 1 2 3 4 5 6 7 8 9; do
    if [ $i = 5 ]; then
        servers "$T/in/peers/run$i" "$lead" "$follow"
    else
        servers "$T/in/peers/run$i" "$follow" "$lead"
    fi
    usual peers run$i $i
done
into peers
same "another leader than usual is unusual by name" '["run5",["follow","lead"],["Server 1","Server 2"]]' \
    "$("$ROXI" rank "$T/peers" --explain --role-swap no --json |
        jq -c '.executions[0] | [.name, ([.why[].method] | unique), ([.why[].role] | unique)]')"
same "and not by what the servers did" "run5	0.000" "$("$ROXI" rank "$T/peers" | grep '^run5')"
# The same leader, which also falls silent.
servers "$T/in/odd/run10" "$lead" "30 ${follow#* }"
usual odd run10 10
"$ROXI" import "$T/peers" "$T/in/odd/run10" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$ROXI" rank "$T/peers" --explain >"$T/rank"
same "who is odd under another name is first" run10 "$(head -n 1 "$T/rank" | cut -f 1)"
"$ROXI" next "$T/peers" >"$T/next" 2>"$T/err"
has "it is called by its own" '(: |; )Server 2 \(compared with Server 1 of other runs\): 30 packets in q\.Server\.follow \(typically 60\)' "$T/next"
has "also where only it ever was" '(: |; )Server 2( \(compared with Server 1 of other runs\))?: 30 packets by which it ended early' "$T/next"
same "and once by the one that it is compared with" 1 "$(grep -o 'compared with' "$T/next" | wc -l)"
same "in JSON, too" '[["Server 2"],"Server 1"]' "$("$ROXI" rank "$T/peers" --explain --json | jq -c '.executions[0].why |
    [([.[].role] | unique), (.[] | select(.kind == "call") | .as)]')"
same "the choice is stated" '"yes" "no"' "$(for how in yes no; do
    "$ROXI" rank "$T/peers" --role-swap $how --json | jq -c '.options["role-swap"]' ; done | xargs -d '\n')"
check "no such choice" fails 2 "--role-swap: 'x' is none of yes" rank "$T/peers" --role-swap x

# ---- builds ----

# build DIR PACKETS [METHOD]: the JVM of a build, and one of its tests
build() {
    working_vm "$1" 1 Launcher "$2 org.codehaus.plexus.classworlds.launcher.Launcher.main org.apache.maven.cli.MavenCli.main ${3:-java.lang.Object.wait}"
    working_vm "$1" 2 surefirebooter '30 p.Shop.sell'
}
for i in 1 2 3 4 5; do build "$T/in/builds/run$i" 60; done
build "$T/in/builds/slow" 90
into builds
same "what a build tool does is not compared" "0.000" "$("$ROXI" rank "$T/builds" | grep '^slow' | cut -f 2)"
has "nor is it explained" "Nothing is unusual" <("$ROXI" explain "$T/builds" slow)
build "$T/in/inside/here" 90 p.Shop.test
"$ROXI" import "$T/builds" "$T/in/inside/here" 2>"$T/err" || not_ok "import: $(cat "$T/err")"
same "unless the tests are in its JVM" '["here","Launcher"]' \
    "$("$ROXI" rank "$T/builds" --explain --json | jq -c '.executions[0] | [.name, .why[0].role]')"
for i in 1 2 3 4 5; do working_vm "$T/in/maven/run$i" 1 Launcher "6$i org.codehaus.plexus.classworlds.launcher.Launcher.main"; done
into maven
same "or the run has no other one" 5 "$("$ROXI" rank "$T/maven" | wc -l)"

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

# ---- one that passed, and looks like one that failed ----

for i in 1 2 3 4 5 6 7 8 9; do usual twins run$i $i; done
for i in 1 2; do run twins odd$i $((60 + i)) "$((60 + i)) p.Client.run p.Client.retry"; done
into twins
"$ROXI" rank "$T/twins" >"$T/rank" 2>"$T/err"
same "nothing is known of it without verdicts" "" "$(cat "$T/err")"
"$IXOR" label "$T/twins" odd1 failed >"$T/out" && "$IXOR" label "$T/twins" odd2 passed >"$T/out"
"$ROXI" rank "$T/twins" >"$T/rank" 2>"$T/err"
has "it is named" '^roxi: odd2 passed, but looks like odd1, which failed$' "$T/err"
same "and nobody else" 1 "$(wc -l <"$T/err")"
same "like, in JSON" '["odd2","odd1"]' "$("$ROXI" rank "$T/twins" --json 2>"$T/err" |
    jq -c '.executions[] | select(.like) | [.name, .like]')"

# ---- many that passed differ ----

for i in {1..12}; do usual varied run$i $i; done
for i in {1..6}; do run varied odd$i $((60 + i)) "$((60 + i)) p.Client.run p.Client.retry"; done
into varied
for i in {1..12}; do "$IXOR" label "$T/varied" run$i passed >>"$T/out"; done
for i in {1..5}; do "$IXOR" label "$T/varied" odd$i passed >>"$T/out"; done
"$ROXI" rank "$T/varied" >"$T/rank" 2>"$T/err"
same "5 of 17 that passed are no more than some" "" "$(cat "$T/err")"
"$IXOR" label "$T/varied" odd6 passed >>"$T/out"
"$ROXI" rank "$T/varied" >"$T/rank" 2>"$T/err"
same "6 of 18 neither" "" "$(cat "$T/err")"
"$IXOR" label "$T/varied" run1 unknown >>"$T/out"
"$ROXI" rank "$T/varied" >"$T/rank" 2>"$T/err"
has "6 of 17 are many" '^roxi: 6 of the 17 runs that passed score above 1: they differ much' "$T/err"

# ---- next ----

same "next: the most unusual one that nobody has looked at" run4 \
    "$("$ROXI" next "$camp" 2>"$T/err" | cut -f 1)"
has "why" 'score [0-9.]+: server: 30 packets by which it ended early' <("$ROXI" next "$camp" 2>"$T/err")
same "as JSON" '["run4","most-unusual",4,1,"early"]' "$("$ROXI" next "$camp" --json 2>"$T/err" |
    jq -c '[.name, .reason, .settled, .failed, .why[0].kind]')"
has "by clusters" 'cluster of [0-9]+' <("$ROXI" next "$camp" --by clusters 2>"$T/err")
for i in 4 5 6 7 8 9; do label run$i passed; done
same "nothing is left" "" "$("$ROXI" next "$camp" 2>"$T/err")"
same "nothing, as JSON" "null all-settled" \
    "$("$ROXI" next "$camp" --json 2>"$T/err" | jq -r '"\(.name) \(.reason)"')"

# ---- check ----

"$ROXI" check "$T/fresh" --baseline "$T/good" >"$T/check" 2>"$T/err"
same "check: some are unusual" 3 $?
same "which" unlike "$(cut -f 1 "$T/check")"
has "why" '^unlike	[0-9.]+	client: 0 packets in p\.Client\.run calling p\.Client\.send \(typically 41\); client: 12 ' \
    "$T/check"
has "classes, where methods are not compared" '^unlike	[0-9.]+	client: 0 packets in p\.Client \(typically 60\); client: 12 packets in a\.A \(typ' \
    <("$ROXI" check "$T/fresh" --baseline "$T/good" --granularity class 2>"$T/out")
"$ROXI" check "$T/fresh" --baseline "$T/good" --json >"$T/json" 2>"$T/out"
same "of six places the three that add most, in order" '[3,true,true]' "$(jq -c '.executions[0] | [.why[].part] as $parts |
    [($parts | length), ($parts == ($parts | sort | reverse)), ($parts | add) + $parts[2] < .score]' "$T/json")"
has "what nine runs allow" 'with 9 good runs the lowest rate of false alarms is 10 %.*needs 99' "$T/err"
has "how sure that is" '1 of 2 runs are unusual: .* 10 % of good ones \(0.57 to 28 %' "$T/err"
same "check of good ones: none is" 0 \
    "$("$ROXI" check "$T/good" --baseline "$T/good" --false-alarms 10% >"$T/out" 2>"$T/err"; echo $?)"
same "and nothing is printed" "" "$(cat "$T/out")"
same "JSON lists all" '[9,1,0.1,[["unlike",true],["like",false]]]' \
    "$(jq -c '[.good, .unusual, .rate, [.executions[] | [.name, .unusual]]]' "$T/json")"
same "p-values: one of ten, and all" '[["unlike",0.1],["like",1]]' \
    "$(jq -c '[.executions[] | [.name, .["p-value"]]]' "$T/json")"
same "on any number of threads" "$(cat "$T/check")" \
    "$(OMP_NUM_THREADS=3 "$ROXI" check "$T/fresh" --baseline "$T/good" 2>"$T/err")"
"$ROXI" check "$camp" --baseline "$camp" >"$T/out" 2>"$T/err"
has "failed ones are no baseline" '1 failed run of the baseline is left out' "$T/err"
check "no baseline" fails 2 '--baseline GOOD is missing' check "$T/fresh"
check "a baseline that is none" fails 1 'none' check "$T/fresh" --baseline "$T/none"
check "too few" fails 1 'has 2 good runs; at least 3' check "$T/good" --baseline "$T/fresh"
check "no rate" fails 2 "'2' is not a rate above 0" check "$T/fresh" --baseline "$T/good" --false-alarms 2

# ---- evaluate --inspection-effort ----

"$ROXI" evaluate "$camp" --inspection-effort >"$T/effort" 2>"$T/err"
same "effort: head" "order,strategy,choice,clustering,clusters,all,ninety,average_precision" \
    "$(head -n 1 "$T/effort")"
same "one of ten at random" "random,,,,,5.5,5.5,0.292897" "$(sed -n 2p "$T/effort")"
same "by rank it is the first" "rank,,,,,1,1,1" "$(grep ^rank, "$T/effort")"
# run2, and then nine that are equally long: 1 + 5, and the mean of 1/2 to 1/10.
same "by length it is anywhere behind the longest one" "length,,,,,6,6,0.21433" "$(grep ^length, "$T/effort")"
same "clusters: eight numbers and two best ones, of three orders and eleven strategies" 330 \
    "$(grep -cE '^(small-clusters|adaptive|adaptive-small),' "$T/effort")"
same "hindsight never is worse" "" "$(awk -F, '$3 == "best-all" {best[$1, $2] = $6}
    $3 ~ /%/ {all[$1, $2, $3] = $6}
    END {for (k in all) {split(k, p, SUBSEP); if (all[k] < best[p[1], p[2]] - 1e-9) print k}}' "$T/effort")"
same "one cluster: all at random" "5.5" "$(grep ^adaptive,gap,1%, "$T/effort" | cut -d, -f 6)"
same "as JSON" '[333,"random",5.5,"best-ninety"]' "$("$ROXI" evaluate "$camp" --inspection-effort --json |
    jq -c '[(.effort | length), .effort[0].order, .effort[0].all, .effort[-1].choice]')"

# Strategies with rules of their own; one run has no verdict.
for run in 1 2 3 4 5 6 7 8; do
    random_vm "$T/odd/run$run" 1 server $run 6 4
    random_vm "$T/odd/run$run" 2 client 1$run 6 4
done
"$ROXI" import "$T/odd-camp" "$T"/odd/run* 2>"$T/err"
for run in 1 2 3 4 5 6 7; do
    "$IXOR" label "$T/odd-camp" run$run "$([ $run = 3 ] && echo failed || echo passed)"
done
echo 'skip-thread /worker1/' >"$T/one.rules"
# effort_of ORDERS OPTION...: the lines of these orders
effort_of() {
    local orders=$1
    shift
    "$ROXI" evaluate "$T/odd-camp" --inspection-effort "$@" 2>"$T/err" | grep -E "^($orders),"
}
clusters='small-clusters|adaptive|adaptive-small'
check "rules make a difference here" test "$(effort_of "$clusters" | cksum)" != \
    "$(effort_of "$clusters" --rules "$T/one.rules" | cksum)"
same "--strategy-rules: for the strategies" "$(effort_of "$clusters" --rules "$T/one.rules")" \
    "$(effort_of "$clusters" --strategy-rules "$T/one.rules")"
same "and not for the ranking" "$(effort_of 'rank|length')" \
    "$(effort_of 'rank|length' --strategy-rules "$T/one.rules")"
same "the tables as well" "$("$ROXI" evaluate "$T/odd-camp" --rules "$T/one.rules" 2>"$T/err")" \
    "$("$ROXI" evaluate "$T/odd-camp" --strategy-rules "$T/one.rules" 2>"$T/err")"
check "rules that are not there" fails 1 'none.rules' evaluate "$T/odd-camp" --strategy-rules \
    "$T/none.rules"
