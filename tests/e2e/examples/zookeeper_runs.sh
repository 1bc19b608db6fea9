# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: the agent's tests have the others
# The ZooKeeper system: at the same time a normal run and one whose leader is killed; and its
# oracle, which must find faults written into the results of a good run.
. tests/support/lib.sh

run() { examples/zookeeper/run.sh --seed 5 --increments 8 "$@"; }
of() { sed -n "s/^$2=//p" "$T/$1/outcome.txt"; }

run --dir "$T/killed" --fault leader-kill >"$T/killed.out" 2>&1 &
check "a normal run passes" run --dir "$T/normal"
wait $!
same "a run whose leader is killed fails" 1 $?

same "the normal run's verdict" "passed, 0 faults, 144 holds" \
    "$(of normal verdict), $(of normal faults) faults, $(of normal holds) holds"
same "one of the servers leads" 1 "$(of normal leader | grep -c '^Server [123]$')"
leader=$(of killed leader)
check "the verdict says which server ended" grep -q "^reasons=.*$leader ended unasked (137)" "$T/killed/outcome.txt"
same "the fault is written down, with time and place" "$leader leader-kill process SIGKILL" \
    "$(sed -nE 's/^[0-9]{13}\t//; s/\t/ /gp' "$T/killed"/faults-*.log)"
same "no process is left" "" "$(pgrep -f "dir=$T|$T/.*/zoo-")"

# blamed CHECK SED-EXPRESSION: what the oracle's check says of the normal run after the expression changed a log.
blamed() (
    dir=$T/doctored
    rm -rf "$dir" && cp -r "$T/normal" "$dir"
    sed -i "$2" "$dir"/log-client-a.txt "$dir"/state-client-a.txt
    # shellcheck disable=SC2034 # the oracle's
    clients=('Client A' 'Client B' 'Client C') rounds=3 counters=3 increments=8
    . examples/common/run.bash
    . examples/zookeeper/oracle.sh
    $1
    printf '%s' "${reasons[*]}"
)
for way in check_sessions check_locks check_barriers check_counters; do
    same "$way finds nothing in the normal run" "" "$(blamed $way '')"
done
same "a second session is found" "Client A had 2 sessions" "$(blamed check_sessions 's/^sessions=.*/&,0x1/')"
check "a lock held too long is found" grep -q 'two held a lock' \
    <(blamed check_locks 's/^\(.*\theld\t[0-9]* [0-9]* [0-9]*\) [0-9]*/\1 9000000000000000/')
same "a barrier crossed too early is found" "1 barriers were crossed before all had come" \
    "$(blamed check_barriers 's/\(\tbarrier\t2-out\) [0-9]* [0-9]*/\1 1 2/')"
check "an addition that is lost is found" grep -q 'is not what its users added' \
    <(blamed check_counters 's/^believed_1=A1=/&1/')
