# SPDX-License-Identifier: Apache-2.0
# long
# beside others
# roxi waits: JVMs that hang together. HANG_PACKETS (default 20): how many packets of each hang;
# HANG_PERCENT (80): in how many of them the answer must be there. It is in all of them on a machine that
# has nothing else to do; one that has holds up the agent now and then, which then leaves out facts.
. tests/support/lib.sh
. tests/support/waits_lib.bash

END_OF_CHAIN='(.least_progressed[0] | .role == "store" and .thread == "handler" and .waited_for_by >= 3)'

# The same while the run goes on.
NOW=".waits | $END_OF_CHAIN"' and ([.chains[] | map(.role) | join(" ")] | index("front edge middle store") != null)'

# ---- a chain of four with a slow end ----

for HOST in ::1 127.0.0.1; do
    if [ "$HOST" = ::1 ] && ! grep -q "^0*1 " /proc/net/if_inet6; then
        skip "no IPv6 here"
        continue
    fi
    name=chain-${HOST//:/v6-}
    TOP=$NOW SEEN=3 hang "$name" front:edge:ask edge:middle:serve middle:store:serve store:-:slow
    check "$name: ixor top shows the end, and the chain, while it hangs" jq -e "$NOW" "$T/$name.dir/top.json"
    same "$name: and on whose connections threads wait" "edge middle, front edge, middle store" \
        "$(jq -r '[.waits.talks[] | select(.waiting > 0) | .from.role + " " + .to.role] | sort | join(", ")' \
            "$T/$name.dir/top.json")"
    mostly "$name" "the end is named" "$END_OF_CHAIN"
    mostly "$name" "its state" '(.least_progressed[0].state | test("sleeping"))'
    mostly "$name" "the whole chain" '([.chains[] | map(.role) | join(" ")] |
        index("front edge middle store") != null)'
    never "$name" "a deadlock" '(.deadlocks | length > 0)'
done
PACKET=$(last_where "chain-$HOST" "$END_OF_CHAIN")
"$ROXI" waits "$T/chain-$HOST" run0001 --packet "$PACKET" >"$T/text"
has "text: the end" '^  store "handler": TIMED_WAITING [(]sleeping[)], waited for by 3 threads$' "$T/text"
has "text: who waits for it" '^ +<- front "main": read 127[.]0[.]0[.]1:[0-9]+ -> 127[.]0[.]0[.]1:[0-9]+$' "$T/text"
"$ROXI" waits "$T/chain-$HOST" run0001 --packet "$PACKET" --format dot >"$T/dot"
same "dot: three wait" 3 "$(grep -c -- '->' "$T/dot")"
"$ROXI" waits "$T/chain-$HOST" run0001 --format dot >"$T/dot" 2>"$T/err"
same "dot is of one packet" 2 $?
"$ROXI" waits "$T/chain-$HOST" run0001 --packet 999999 >"$T/none" 2>"$T/err"
same "a packet that is not there" 1 $?
has "which there are" 'has no packet 999999; its last one is [0-9]+$' "$T/err"
"$ROXI" waits "$T/chain-$HOST" run0009 >"$T/none" 2>"$T/err"
same "a run that is not there" 1 $?

# ---- who talks to whom ----

"$ROXI" waits "$T/chain-$HOST" --graph >"$T/graph"
same "graph: a chain of three connections" "edge middle 1 front edge 1 middle store 1" \
    "$(awk '$1 ~ /^(front|edge|middle|store)$/ { print $1, $2, $3 }' "$T/graph" | sort | xargs)"
same "graph: dot has three edges" 3 \
    "$("$ROXI" waits "$T/chain-$HOST" --graph --format dot | grep -c -- '-> p[0-9]* [[]label="1 connection')"
check "graph: what went over each connection" jq -e '[.edges[] | .messages.typical >= 1] | length == 3 and all' \
    <("$ROXI" waits "$T/chain-$HOST" --graph --json)
"$ROXI" waits "$T/chain-$HOST" >"$T/none" 2>"$T/err"
same "a run is needed without --graph" 2 $?
"$ROXI" waits "$T/chain-$HOST" run0009 --graph >"$T/none" 2>"$T/err"
same "graph: a run that is not there" 1 $?

CALM_PACKETS=100 SEEN=1 members grown front:store:ask store:-:serve
rm -r "$T/grown.dir"
RUN=run0002 HANG_PACKETS=200 SEEN=1 hang grown front:store:ask store:-:slow
"$ROXI" waits "$T/grown" run0002 --graph >"$T/graph"
# On a quiet machine the normal run is never seen to wait.
has "graph: a wait has grown" \
    '^front waits for store( [0-9.]+ times as long|, as it does in no typical run), since packet [0-9]+$' "$T/graph"
same "graph: no line is wider than a terminal" "" "$(grep -E '.{81}' "$T/graph")"
"$ROXI" waits "$T/grown" run0002 --graph --json >"$T/graph.json"
# That takes 8 packets on a machine that has nothing else to do.
same "graph: since the first third of the hang" true \
    "$(jq --argjson from "$FROM" '[.edges[] | select(.from == "front" and .to == "store")] |
        length == 1 and .[0].grown and .[0].since > 0 and .[0].since <= $from + 60' "$T/graph.json")"

# ---- a lost reply ----

SEEN=3 hang lost front:edge:ask edge:middle:serve middle:store:serve store:-:lose
mostly lost "the thread that has not answered is named" "$END_OF_CHAIN"
mostly lost "it reads" '(.least_progressed[0].state == "in read")'
never lost "a deadlock" '(.deadlocks | length > 0)'

# ---- a request that is handed on, and forgotten ----

SEEN=1 hang handed front:store:ask store:-:hand
READS='(.least_progressed[0] | .role == "store" and .thread == "handler" and .state == "in read")'
mostly handed "the thread that reads the next request is the end" "$READS"
"$ROXI" waits "$T/handed" run0001 --packet "$(last_where handed "$READS")" >"$T/text"
has "text: nor is anybody known for whom the one that has the request waits" \
    '^  1 thread of store waits in Chain.never, for nobody known$' "$T/text"
"$ROXI" waits "$T/handed" run0001 >"$T/text"
has "also at the end of several packets" '^at packet [0-9]+:$' "$T/text"
"$ROXI" waits "$T/chain-$HOST" run0001 --packet "$PACKET" >"$T/text"
same "where the end is known to do something, that is not said" "" "$(grep 'nobody known' "$T/text")"

# ---- a deadlock of three JVMs ----

SEEN=3 hang deadlock one:two:lock two:three:lock three:one:lock
DEADLOCK='(.deadlocks | length == 1 and (.[0] | map(.role) | unique | length == 3) and
        (.[0] | length == 6) and (.[0] | map(.why) | unique == ["monitor", "read"]))'
mostly deadlock "it is named, with all three JVMs" "$DEADLOCK"
"$ROXI" waits "$T/deadlock" run0001 --packet "$(last_where deadlock "$DEADLOCK")" >"$T/text"
has "text: the deadlock" '^  deadlock of several JVMs' "$T/text"

# ---- of two, through locks of java.util.concurrent ----

SEEN=2 hang mutexes one:two:mutex two:one:mutex
DEADLOCK='(.deadlocks | length == 1 and (.[0] | map(.role) | unique | length == 2) and
        (.[0] | length == 4) and (.[0] | map(.why) | unique == ["lock", "read"]) and
        (.[0] | map(select(.why == "lock").via) | unique ==
            ["java.util.concurrent.locks.ReentrantLock$NonfairSync"]))'
mostly mutexes "it is named, with both JVMs" "$DEADLOCK"
"$ROXI" waits "$T/mutexes" run0001 --packet "$(last_where mutexes "$DEADLOCK")" >"$T/text"
has "text: the deadlock through locks" '^  deadlock of several JVMs' "$T/text"
tr -s ' \n' ' ' <"$T/text" >"$T/line" # long lines are broken
has "text: its locks" '"handler": lock java[.]util[.]concurrent[.]locks[.]ReentrantLock[$]NonfairSync, waits for (one|two) "main"' "$T/line"

# ---- virtual threads: what is said is true ----

if "$JAVA" -version 2>&1 | grep -Eq '"(2[1-9]|[3-9][0-9])'; then
    THREADS=virtual hang virtual front:edge:ask edge:middle:serve middle:store:serve store:-:slow
    never virtual "a thread that is not on the way" '([.least_progressed[] |
        select(.thread == "stopper" or .thread == "acceptor")] | length > 0)'
    mostly virtual "front waits for edge" '([.chains[] | map(.role) | .[0:2] == ["front", "edge"]] | any)'
else
    skip "virtual threads need JDK 21"
fi

# ---- why: what others wait for ----

first_jdk || exit 0 # roxi's part, and an option

# member_run NUMBER HOW: a run of the chain in one campaign; HOW is what the store does. A hang lasts two seconds, because
# on a busy machine JVMs wait for each other for some packets anyway.
member_run() {
    mkdir -p "$T/why.$1"
    DIR=$T/why.$1 HOST=127.0.0.1 THREADS=platform OVER=socket SEEN=3 HANG_PACKETS=100 JVM_OPTIONS='' "$IXOR" run --agent "$AGENT" \
        --every 20ms --timeout 5m --out "$T/why" -- bash "$T/run.sh" front:edge:ask edge:middle:serve \
        middle:store:serve store:-:"$2" >>"$T/why.out" 2>&1 || not_ok "why: run $1: $(tail -n 3 "$T/why.out")"
}
for i in 1 2 3 4; do member_run "$i" serve; done
member_run 5 slow
"$IXOR" label "$T/why" run0005 failed >>"$T/why.out" 2>&1 # the report shows it, whatever other load does
check "why: all runs have come to their ends" test "$(ls "$T"/why.?/stop | wc -l)" = 5 -a -s "$T/why.5/to"
"$ROXI" explain "$T/why" run0005 --all --json >"$T/why.json" 2>"$T/err" || not_ok "why: $(cat "$T/err")"
# Other load can make something of another JVM odd, too.
check "why: the end of the chain is among the first three" jq -e '[.findings[:3][] |
    select(.role == "store" and .thread == "handler" and (.path | any(startswith("Chain."))))] | length >= 1' "$T/why.json"
check "why: the others wait for it" jq -e '[.findings[] | select(.role != "store" and
    (.text | contains("waits for store")))] | length >= 1' "$T/why.json"
"$ROXI" report "$T/why" -o "$T/why.html" 2>"$T/err" || not_ok "why: report: $(cat "$T/err")"
sed 's/<[^>]*>//g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g' "$T/why.html" >"$T/why.text"
has "why: the report has the tree" '^ *<- front "main": read .* -> ' "$T/why.text"
has "why: and the packet" '^Packet [0-9]+ .*, where most threads wait longest:' "$T/why.text"
has "why: and who talks to whom, beside the other runs" '^front +edge +1 +1 ' "$T/why.text"
has "why: of which there are four" '^run0005 beside the medians of 4 runs that passed$' "$T/why.text"
"$ROXI" report "$T/deadlock" -o "$T/deadlock.html" 2>"$T/err" || not_ok "deadlock: report: $(cat "$T/err")"
has "deadlock: the report of a single run has it" '(^|<pre>) *deadlock of several JVMs' "$T/deadlock.html"
has "why: stops" '^Stops of a JVMmedian [0-9.]+ (µs|ms|s), 99 % up to [0-9.]+ (µs|ms|s), at most ' "$T/why.text"
has "why: skew" "^Skew: from the first JVM's stop to the last one'smedian " "$T/why.text"

# ---- without the facts ----

JVM_OPTIONS="-agentpath:$AGENT=connections=off" SEEN=0 hang off front:edge:ask edge:-:slow
never off "a connection" '([.chains[][] | select(.why == "read")] | length > 0)'
