#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# explain of one run and of all failed ones, and diff, with the real binary, on runs with hand-written
# differences.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# run CAMPAIGN NAME SERVED WORK...: a server of so many packets, and a client that does this work
run() {
    local dir=$T/in/$1/$2
    working_vm "$dir" 1 server "$3 p.Server.serve"
    working_vm "$dir" 2 client "${@:4}"
}
usual() { run "$1" "$2" 60 "$((40 + $3 % 2)) p.Client.run p.Client.send" "$((20 - $3 % 2)) p.Client.run"; }
into() { "$ROXI" import "$T/$1" "$T/in/$1"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"; }
label() { "$IXOR" label "$camp" "$@" >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"; }
explain() {
    "$ROXI" explain "$camp" "$@" >"$T/text" 2>"$T/err" || not_ok "explain $*: $(cat "$T/err")"
    tr -s '\n ' ' ' <"$T/text" >"$T/flat" # where lines are broken does not matter
}
first() { "$ROXI" explain "$camp" "$1" --json | jq -c ".findings[0] | $2"; }

for i in 1 2 3 4 5 6; do
    usual camp run$i $i
    usual good good$i $i
done
# After 20 packets it waits, in a lock, for the rest of the run.
run camp stuck1 60 '20 p.Client.run' '40 p.Client.run p.Account.lock java.util.concurrent.locks.LockSupport.park jdk.internal.misc.Unsafe.park'
run camp stuck2 60 '25 p.Client.run' '35 p.Client.run p.Account.lock java.util.concurrent.locks.LockSupport.park jdk.internal.misc.Unsafe.park'
# The server is gone after 20 packets.
usual camp gone 1
: >"$T/in/camp/gone/files.list"
working_vm "$T/in/camp/gone" 1 server '20 p.Server.serve'
working_vm "$T/in/camp/gone" 2 client '20 p.Client.run p.Client.send' '40 p.Client.run p.Client.retry java.lang.Thread.sleep'
# Of a server that hangs at the end, and of one that does before its client begins.
for i in 1 2 3 4 5 6; do usual late run$i $i; done
working_vm "$T/in/late/hang" 2 client '40 p.Client.run p.Client.send' '20 p.Client.run'
working_vm "$T/in/late/hang" 1 server '60 p.Server.serve' '80 p.Server.stop p.Server.drain java.lang.Thread.sleep'
working_vm "$T/in/late/alone" 1 server '100 p.Boot.start p.Boot.bind java.lang.Thread.sleep'
into camp && into good && into late
camp=$T/camp
for i in 1 2 3 4 5 6; do label run$i passed; done
for i in stuck1 stuck2 gone; do label $i failed; done

# ---- a run ----

explain stuck1
has "its verdict and score" '^stuck1: failed; score [0-9.]+ \(above 1 is worth a look\)$' "$T/text"
has "the first sentence names the code" '^client: 40 packets in Client\.run calling Account\.lock, typically 0; |^client: 40 packets in Account\.lock calling LockSupport\.park, typically 0; ' "$T/text"
has "since when" '^ 1\. client, thread main, since packet 21 \([0-9.]+ s\)$' "$T/text"
has "what it does" 'mostly waiting for another thread: ' "$T/flat"
has "how sure" 'none of 6 normal runs has as many' "$T/flat"
has "the frame to look at is marked" '^     > p\.Account\.lock\(S\.java:1\)$' "$T/text"
check "fits a small screen" [ "$(wc -c <"$T/text")" -le 4700 ]
check "of 80 columns" [ "$(wc -L <"$T/text")" -le 80 ]
# on_terminal COLUMNS ARGUMENT...: what it prints on a terminal that is so wide
on_terminal() {
    TERM=xterm script -qec "stty cols $1; $(printf '%q ' "$ROXI" "${@:2}")" /dev/null </dev/null | tr -d '\r' >"$T/screen"
}
if command -v script >/dev/null; then
    "$ROXI" explain "$camp" stuck1 >"$T/text"
    on_terminal 200 explain "$camp" stuck1
    same "a wide terminal shows the same" "$(cat "$T/text")" "$(cat "$T/screen")"
    on_terminal 50 explain "$camp" stuck1
    same "a narrow one, too, but for the ends of lines" "$(tr -d '\n ' <"$T/text")" "$(tr -d '\n ' <"$T/screen")"
    check "in which nothing is wrapped" [ "$(wc -L <"$T/screen")" -le 50 ]
    COLUMNS=50 "$ROXI" explain "$camp" stuck1 >"$T/screen"
    same "a file is as wide as ever" "$(cat "$T/text")" "$(cat "$T/screen")"
    on_terminal 60 report "$camp"
    check "the report" [ "$(wc -L <"$T/screen")" -le 60 ]
else
    skip "script is not installed: no terminal"
fi
same "JSON: what, where, when" '["only-here","client",null,"main",21,40,0,6,0]' "$(first stuck1 \
    '[.kind, .role, .node, .thread, .packet, .here, .elsewhere, .normal_runs, .normal_runs_like_this]')"
same "JSON: the call stack, the executing frame first" \
    '["jdk.internal.misc.Unsafe.park(S.java:1)","java.util.concurrent.locks.LockSupport.park(S.java:1)","p.Account.lock(S.java:1)","p.Client.run(S.java:1)"]' \
    "$(first stuck1 .path)"
same "JSON: of the run" '["stuck1","failed",true,true]' "$("$ROXI" explain "$camp" stuck1 --json |
    jq -c '[.execution, .verdict, .score > 1, (.summary | startswith("client: 40 packets"))]')"
same "on any number of threads" "$("$ROXI" explain "$camp" stuck1 --json)" \
    "$(OMP_NUM_THREADS=3 "$ROXI" explain "$camp" stuck1 --json)"
same "a JVM that ended early" '["ended-early","server",20,40,[]]' \
    "$(first gone '[.kind, .role, .packet, .here, .path]')"
same "what it did not do afterwards follows from that" 0 "$("$ROXI" explain "$camp" gone --json |
    jq '[.findings[] | select(.role == "server" and .kind != "ended-early" and .kind != "answered")] | length')"
last() { "$ROXI" explain "$T/late" "$1" --json 2>>"$T/err" | jq -c ".findings[] | [.kind, .role, .packet, .here, .path[1]]"; }
same "what the last JVM does when the others have ended" \
    '["only-here","server",61,80,"p.Server.drain(S.java:1)"]' "$(last hang)"
has "what the only one does" '^\["only-here","server",1,100,"p.Boot.bind\(S.java:1\)"\]$' <(last alone)
explain run1
same "of a normal run nothing is claimed" $'run1: passed; score 0.00 (above 1 is worth a look)\nNothing is unusual.' \
    "$(cat "$T/text")"
"$ROXI" explain "$T/good" good1 2>"$T/err" | tr -s '\n ' ' ' >"$T/flat"
has "nor of one without a verdict; but it may have failed" \
    '^good1: no verdict; .* Nothing is unusual\. If this run failed all the same, --all lists what differs most\. $' "$T/flat"
explain stuck1 --format markdown
has "as Markdown" '^### .stuck1.: failed; score' "$T/text"
for i in 1 2 3; do working_vm "$T/in/ticks/r$i" 1 a '30 p.A.run'; done
# shellcheck disable=SC2016 # a backtick in a method's name
working_vm "$T/in/ticks/odd" 1 a '30 p.A.l`ck'
into ticks
"$ROXI" explain "$T/ticks" odd --format markdown --all >"$T/text" 2>"$T/err"
has "Markdown: a name does not end the code" "p\.A\.l'ck" "$T/text"
explain stuck1 --against passed
has "against the runs that passed" 'Account\.lock' "$T/text"

explain stuck1 --against run2
has "against one run: said" '^stuck1: failed; score [0-9.]+ compared with run2 alone$' "$T/text"
has "against one run: the finding" 'Account\.lock' "$T/text"
has "against one run: how sure" 'the other run has fewer' "$T/flat"
same "against one run: JSON" '["only-here",40,0,1,0]' "$("$ROXI" explain "$camp" stuck1 --against run2 --json |
    jq -c '.findings[] | select(.kind == "only-here") | [.kind, .here, .elsewhere, .normal_runs, .normal_runs_like_this]')"
same "against one that differs by no more than sampling explains" '[]' \
    "$("$ROXI" explain "$camp" stuck1 --against stuck2 --json | jq -c .findings)"
explain run1 --against run3
has "against one run: nothing" '^Nothing is unusual\.$' "$T/text"

# Names that are long: many findings, each with a long call stack.
long=org.example.distributed.ledger.storage.replication.follower
deep() { printf "60 $long.Entry.run"; for i in 1 2 3 4 5 6 7 8 9; do printf " $long.Component$1Of$i.${2:-handleTheNextRequestOrWait}"; done; }
for i in 1 2 3 4 5; do
    for vm in 1 2 3 4 5 6 7; do working_vm "$T/in/long/r$i" $vm role$vm "60 java.lang.Thread.run"; done
done
for vm in 1 2 3 4 5 6 7; do working_vm "$T/in/long/odd" $vm role$vm "$(deep $vm)"; done
into long
"$ROXI" explain "$T/long" odd --all >"$T/all" 2>"$T/err"
check "there is more than a screen" [ "$(wc -c <"$T/all")" -gt 4700 ]
"$ROXI" explain "$T/long" odd >"$T/text" 2>"$T/err"
check "a screen has at most 4,700 bytes" [ "$(wc -c <"$T/text")" -le 4700 ]
check "what is left out is said" [ "$(grep -c '^ [0-9]\. ' "$T/text")" -eq \
    "$(($(grep -c '^ *[0-9]*\. ' "$T/all") - $(sed -n 's/^\([0-9]*\) more findings\{0,1\}: --all$/\1/p' "$T/text")))" ]
has "all frames that lead to the code are there" "^     > $long\.Component1Of9\.|^     > $long\.Component.Of" "$T/text"
same "only names are longer than 80 columns" "" "$(awk 'length > 80 && NF > 1 && $1 != ">"' "$T/text" "$T/all")"
has "a file is on a line of its own then" '^           \(S\.java:1\)$' "$T/text"

# ---- runs that end early, and late ----

for i in 1 2 3 4 5; do run ends ok$i 60 "$((40 + i % 2)) p.Client.run p.Client.send" "$((20 - i % 2)) p.Client.check"; done
run ends early 15 '10 p.Client.run p.Client.send' '5 p.Client.check'
run ends less 15 '1 p.Client.run p.Client.send' '14 p.Client.check'
run ends late 90 '70 p.Client.run p.Client.send' '20 p.Client.check'
into ends
on_ends() {
    "$ROXI" explain "$T/ends" "$@" --all >"$T/text" 2>"$T/err" || not_ok "explain: $(cat "$T/err")"
    tr -s '\n ' ' ' <"$T/text" >"$T/flat"
}
on_ends early
has "how long it lasted" 'a look\); lasted 15 packets \([0-9.]+ s\), typically 60 ' "$T/flat"
same "what it does less for that reason is left out" "" "$(grep -E 'packets in .*typically' "$T/flat")"
on_ends less
has "but not what it does still less" ' 1 packet in Client\.run calling Client\.send, typically 4' "$T/flat"
on_ends late
has "that it lasted longer" '; lasted 90 packets \([0-9.]+ s\), typically 60 ' "$T/flat"
on_ends early --against ok1
has "against one run" '; lasted 15 packets \([0-9.]+ s\), the other run 60 ' "$T/flat"
working_vm "$T/in/lone/r1" 1 a '30 p.A.run'
into lone
same "a run alone: not compared" "" "$("$ROXI" explain "$T/lone" r1 --all 2>"$T/err" | grep 'lasted')"
on_ends ok1
same "a usual run needs no such sentence" "" "$(grep 'lasted' "$T/flat")"

# ---- a run by a part of its name ----

for i in 1 2 3 4; do working_vm "$T/in/named/org.acme.ShopTest.sells#$i" 1 a "3$i p.A.run"; done
for i in 1 2; do working_vm "$T/in/named/org.acme.OtherTest.sells#$i" 1 a '30 p.A.run'; done
into named
named() { "$ROXI" "$1" "$T/named" "${@:2}" 2>"$T/err"; }
has "what follows a dot" '^org\.acme\.ShopTest\.sells#3: ' <(named explain 'ShopTest.sells#3')
has "or only a dot before a method" '^org\.acme\.ShopTest\.sells#4: ' <(named explain 'sells#4')
has "also after --against" 'compared with org\.acme\.ShopTest\.sells#3 alone' <(named explain 'sells#4' --against 'sells#3' | tr -s '\n ' ' ')
same "in roxi export" "a;main;p.A.run 33" "$(named export --execution 'sells#3' --format collapsed)"
named waits 'sells#3' >"$T/text" || true
has "in roxi waits" "run org\.acme\.ShopTest\.sells#3 was recorded without" "$T/err"
check "which fits two" fails 1 "2 runs of '.*' have names that end with '\.sells#1', such as 'org\.acme\.[A-Za-z]*\.sells#1'" \
    explain "$T/named" 'sells#1'
check "which is no whole word" fails 1 "has no run 'ells#3'" explain "$T/named" 'ells#3'

# ---- several runs ----

explain --failed
has "how many" '^3 runs that failed, compared with 6 that passed\.$' "$T/text"
has "what they have in common, and the others have not" 'in 2 of 3 runs that failed, in none of 6 that passed;' "$T/text"
check "of 80 columns" [ "$(wc -L <"$T/text")" -le 80 ]
has "those of another cause are apart" 'They form groups that differ' "$T/text"
has "what tells a group from the other runs" '^    in all of them, not in the other one: client' "$T/text"
has "and a single run" '^    in none of the other 2: ' "$T/text"
same "groups, the largest first" '[["stuck1","stuck2"],["gone"]]' "$("$ROXI" explain "$camp" --failed --json |
    jq -c .groups)"
groups=$("$ROXI" explain "$camp" --failed --json | jq -c '.groups, .findings')

# The same mistake in one server of the first run that failed, and in the other one of the second.
for i in 1 2 3 4; do
    for vm in 1 2; do working_vm "$T/in/peers/ok$i" $vm "Server $vm" '60 p.Server.serve'; done
done
for i in 1 2; do
    working_vm "$T/in/peers/bad$i" $i "Server $i" '20 p.Server.serve' "$((38 + i)) p.Server.spin"
    working_vm "$T/in/peers/bad$i" $((3 - i)) "Server $((3 - i))" '60 p.Server.serve'
done
into peers
"$IXOR" label "$T/peers" bad1 failed >"$T/out" && "$IXOR" label "$T/peers" bad2 failed >"$T/out"
for i in 1 2 3 4; do "$IXOR" label "$T/peers" ok$i passed >"$T/out"; done
"$ROXI" explain "$T/peers" --failed >"$T/text" 2>"$T/err"
has "what peers do is one finding" '^ 1\. Server 2, thread main; also Server 1:$' "$T/text"
has "in the runs of both" '^    in 2 of 2 runs that failed, in none of 4 that passed;$' "$T/text"
same "in JSON, too" '[2,[["Server 1",null],["Server 2",null]]]' "$("$ROXI" explain "$T/peers" --failed --json |
    jq -c '.findings[0] | [.in, [.peers[] | [.role, .node]]]')"

# Runs of several tests in one campaign, those of another test first.
"$ROXI" merge "$T/good" "$camp" -o "$T/tests" 2>"$T/err"
tests() { sqlite3 -batch "$T/tests/campaign.db" "$1"; }
tests "UPDATE execution SET command = 'junit:p.T.' || iif(name LIKE 'good%', 'other', 'this')"
several() { "$ROXI" explain "$T/tests" --failed "$@"; }
same "--failed in a campaign of several tests: only runs of the test" "$groups" \
    "$(several --json | jq -c '.groups, .findings')"
same "with --test" "$groups" "$(several --json --test T.this | jq -c '.groups, .findings')"
check "a test of which no run failed" fails 1 "no run of '.*', test T.other, failed" explain "$T/tests" --failed --test T.other
tests "UPDATE execution SET verdict = 'failed' WHERE name = 'good1'"
check "runs of two tests failed" fails 1 "runs of several tests failed in '.*', such as 'p.T.other' and 'p.T.this'" explain "$T/tests" --failed
same "one of them is chosen" "$groups" "$(several --json --test T.this | jq -c '.groups, .findings')"
check "none of the other one passed" fails 1 "0 runs of '.*', test p.T.other, passed; .* 'roxi waits .* RUN' says who waits" explain "$T/tests" --failed --test T.other
"$ROXI" diff "$T/good" "$camp" >"$T/text" 2>"$T/err"
same "diff: status" 0 $?
has "diff: how many" '^9 runs of the second campaign, compared with 6 of the first\.$' "$T/text"
has "diff: in how many runs there is nothing" '^In 6 of them nothing is unusual\.$' "$T/text"
has "diff: in what they differ" 'in 2 of 9 runs of the second campaign, in none of 6 of the first;' "$T/text"
# The client has another name in the second campaign.
for i in 1 2 3 4 5 6; do
    run renamed run$i 60 "$((40 + i % 2)) p.Client.run p.Client.send" "$((20 - i % 2)) p.Client.run"
    sed -i 's/^client\t/caller\t/' "$T/in/renamed/run$i/2.log"
done
into renamed
"$ROXI" diff "$T/good" "$T/renamed" >"$T/text" 2>"$T/err"
same "diff: a renamed role" "6 runs of the second campaign, compared with 6 of the first. Role caller is only in runs of the \
second campaign, and client is only in those of the first; their other differences are left out. Nothing else is unusual." \
    "$(xargs <"$T/text")"
same "diff: in JSON" '[["caller"],["client"],[]]' "$("$ROXI" diff "$T/good" "$T/renamed" --json |
    jq -c '[.roles_only_in_runs, .roles_only_in_others, .findings]')"
"$ROXI" diff "$T/good" "$T/good" >"$T/text" 2>"$T/err"
has "diff: the same" '^Nothing is unusual\.$' "$T/text"

# ---- bad input ----

check "no such run: the nearest names" fails 1 "has no run 'nosuch'; the nearest names are " explain "$camp" nosuch
check "a misspelt run" fails 1 "has no run 'stuk1'; the nearest names are stuck1, stuck2, run1$" explain "$camp" stuk1
for other in "waits $camp stuk1" "waits $camp stuk1 --graph" "export $camp --execution stuk1 --format json" \
    "export $camp --execution stuk1 --format text -o $T/new"; do
    read -ra words <<<"$other"
    check "in ${words[0]}, too" fails 1 'nearest names are stuck1, ' "${words[@]}"
done
check "neither a run nor --failed" fails 2 'name a run, or use --failed' explain "$camp"
check "against no such run" fails 1 "--against is neither normal nor passed: .* has no run 'stuk2'; the nearest names are stuck2, stuck1, " explain "$camp" stuck1 --against stuk2
check "against a run of another test" fails 1 "run 'good2' of '.*' is not among those that are compared: it is of another test" \
    explain "$T/tests" stuck1 --against good2
check "against itself" fails 1 'that is the run itself' explain "$camp" stuck1 --against stuck1
check "failed runs against one" fails 2 'not --against run1' explain "$camp" --failed --against run1
check "both" fails 2 'RUN and --failed exclude each other' explain "$camp" stuck1 --failed
check "no failed runs" fails 1 'no run of .* failed' explain "$T/good" --failed
check "no runs that passed" fails 1 '0 runs of .* passed, and at least 3' explain "$T/good" good1 --against passed
usual two a 1 && usual two b 2 && into two
explain_two() { "$ROXI" explain "$T/two" a >"$T/text" 2>"$T/err"; }
check "two runs are compared" explain_two
mkdir -p "$T/in/camp2/nothing" && : >"$T/in/camp2/nothing/files.list"
for i in 1 2 3; do usual camp2 ok$i $i; done
into camp2
"$ROXI" explain "$T/camp2" nothing >"$T/text" 2>"$T/err"
same "a run without packets: status" 0 $?
has "a run without packets: said" 'nothing is empty|run nothing is empty' "$T/err"
has "and nothing else of it" '^Nothing can be said of it: it has no call stacks that count\.$' "$T/text"
mkdir -p "$T/camp2/runs/nothing" && echo 'java.net.BindException: Address already in use' >"$T/camp2/runs/nothing/output.txt"
printed() { "$ROXI" explain "$T/camp2" nothing 2>"$T/err" | tr '\n' ' ' | grep -c "What it printed is in $T/camp2/runs/nothing/output.txt\." ; }
same "but what it printed" 1 "$(printed)"
camp=$T/camp2
for i in ok1 ok2 ok3 nothing; do label $i passed; done
same "not if it passed" 0 "$(printed)"
camp=$T/camp
same "it is no normal run, even if it passed" 3 "$("$ROXI" explain "$T/camp2" ok1 --all --json 2>"$T/err" |
    jq '[.findings[].normal_runs] | max // 3')"
has "nor a good one" ' learned from 3)' <("$ROXI" check "$T/camp2" --baseline "$T/camp2" --false-alarms 30% 2>&1)
check "against a run without packets" fails 1 'nothing was counted in that run' explain "$T/camp2" ok1 --against nothing
check "no NaN" [ -z "$(grep -il nan "$T/text")" ]
usual one a 1 && into one
check "one run: nothing to compare with" fails 1 'nothing to compare' explain "$T/one" a
