# SPDX-License-Identifier: Apache-2.0
# long
# no JVM: a crowd of simulated agents. All at once, slow, stuck and chatty ones, half-open connections,
# stopped processes, no descriptors left: the server and the others do not mind, and it is told.
# CROWD: how many come at once (1,000).
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
serve() { serve_on 127.0.0.1:0 --every 100ms; }
end() {
    kill -INT $server
    wait $server
    same "$1: the server ends well" 0 $?
    same "$1: the catalogue is whole" ok "$(sql 'pragma integrity_check; pragma foreign_key_check')"
}
# agents NAME OPTION...: in $T/NAME what they say
agents() {
    local name=$1
    shift
    build/helpers/simulate --server "$address" --key "$camp/agent.key" "$@" >"$T/$name" 2>&1
}
value() { sed -n "s/^$2 //p" "$T/$1"; }

# ---- all at once ----
crowd=${CROWD:-1000}
serve
empty=$(resident)
agents storm --sessions "$crowd" --storm --seconds 3 --wait 120
same "a storm: all are in" "$crowd" "$(value storm joined)"
same "a storm: nobody is thrown out" "0 0" "$(value storm refused) $(value storm dropped)"
check "a storm: they are sampled ($(value storm packets) packets)" [ "$(value storm packets)" -ge 3 ]
check "a storm: all ended well" wait_for 60 is "$crowd" \
    "select count(*) from vm where ended = 'orderly'"
same "a storm: no report is lost" "$(value storm reported)" "$(sql 'select count(*) from snapshot')"
kib=$((($(resident) - empty) / crowd))
check "a storm: $kib KiB a session" [ "$kib" -lt 64 ]

# ---- some of a crowd do as they please ----
agents odd --sessions 60 --half 10 --garbage 10 --mute 5 --chatty 5 --seconds 8 &
odd=$!
agents stopped --sessions 20 --first 105000 --seconds 8 &
stopped=$!
agents good --sessions 20 --first 108000 --seconds 7 &
good=$!
running="select count(*) from vm where pid >= 105000 and ended = 'running'"
check "odd ones: the others join" wait_for 20 is 40 "$running"
kill -STOP $stopped
before=$(sql 'select max(number) from packet')
pause 2
kill -CONT $stopped
check "stopped for a while: still there" is 40 "$running"
check "stopped for a while: the others went on" wait_for 20 at_least 20 "select count(*) from
    (select vm from snapshot join vm on vm = vm.id where pid >= 108000 and packet > $before + 3
    group by vm having count(*) >= 5)"
wait $odd $stopped $good
same "half-open and garbage: nobody stays" 0 "$(sql "select count(*) from vm where role = 'nobody'")"
has "half-open: it is told" 'did not finish the TLS handshake|did not continue the TLS handshake' "$T/err"
has "chatty: it is told" 'sends messages faster than any agent does' "$T/err"
same "chatty: they are out" 5 "$(sql "select count(*) from vm where ended = 'vanished'
    and ended_text like 'sends messages faster%'")"
check "the good ones ended well" wait_for 20 is 40 \
    "select count(*) from vm where pid >= 105000 and ended = 'orderly'"
same "no report of theirs is lost" "$(value good reported)" "$(sql 'select count(*) from snapshot
    join vm on vm = vm.id where pid >= 108000')"
"$IXOR" status "$camp" --execution serve0001 >"$T/status"
has "status tells of the chatty" 'sends messages faster' "$T/status"
end "odd ones"

# ---- no descriptors left ----
camp=$T/poor
: >"$T/out"
"$BASH" -c 'ulimit -n 64; exec "$@"' x "$IXOR" serve --out "$camp" --listen 127.0.0.1:0 \
    --every 50ms >"$T/out" 2>"$T/err" &
server=$!
wait_for 60 grep -q '^  ' "$T/out"
address=$(sed -n 's/^listening on //p' "$T/out")
agents few --sessions 100 --seconds 2 --wait 3 &
few=$!
check "no descriptors: it is told" wait_for 20 grep -q 'cannot accept.*ulimit -n' "$T/err"
check "no descriptors: who is in is sampled" wait_for 20 at_least 30 \
    'select count(*) from (select vm from snapshot group by vm having count(*) >= 5)'
check "no descriptors: told once, not a hundred times" [ "$(grep -c 'cannot accept' "$T/err")" -le 5 ]
wait $few
check "no descriptors: they leave" wait_for 20 is 0 "select count(*) from vm where ended = 'running'"
agents after --sessions 20 --first 109000 --seconds 1
same "no descriptors: afterwards others come in" 20 "$(value after joined)"
end "no descriptors"
