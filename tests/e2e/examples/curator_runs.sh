# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: the agent's tests have the others
# The Curator system: a normal run passes; a run whose worker keeps a lock and one in which a node
# takes old fees fail, each by the clauses that it violates.
. tests/support/lib.sh

for jar in curator-test curator-recipes junit-platform-console; do
    [ -f /usr/share/java/$jar.jar ] || {
        skip "no $jar.jar; make deps-examples installs it"
        exit 0
    }
done

run() { examples/curator/run.sh --dir "$T/$1" "${@:2}" >"$T/$1.out" 2>&1; }
of() { sed -n "s/^$2=//p" "$T/$1/outcome.txt"; }

examples/curator/run.sh --list-faults >"$T/faults"
same "the table of blame has all kinds of faults" "$(sed 1d "$T/faults" | cut -f 1)" \
    "$(sed 1d examples/curator/blame.tsv | cut -f 1)"
same "and its classes are there, or ZooKeeper's" "" "$(sed 1d examples/curator/blame.tsv | cut -f 4 |
    while read -r class; do
        [ -f "examples/curator/src/${class//.//}.java" ] || grep -v '^org\.apache\.zookeeper\.' <<<"$class"
    done)"

# Seeds that strike early: in the first batch or soon after it.
run held --seed 48 --fault lock-held &
run normal --seed 3
same "a normal run passes" "0 passed " "$? $(of normal verdict) $(of normal reasons)"
same "JUnit reports all clauses" 11 "$(grep -c '^<testcase ' "$T/normal/reports/TEST-junit-jupiter.xml")"
run stale --seed 48 --fault stale-cache
same "an old fee: failed, for that reason alone" "1 eachFeeIsThatOfTheBatch" \
    "$? $(of stale reasons | tr ';' '\n' | sed 's/:.*//' | xargs)"
has "the fault is written down, with time and place" $'^[0-9]{13}\tCluster\tstale-cache\tNode-[1-4]\tNode-[1-4]-worker-' \
    "$T/stale/faults-cluster.log"
wait $!
same "a lock that is not released: failed" "1 failed" "$? $(of held verdict)"
has "because not all is booked" '^reasons=.*allBatchesAreDone' "$T/held/outcome.txt"
same "no process is left" "" "$(pgrep -f "bank.dir=$T")"
