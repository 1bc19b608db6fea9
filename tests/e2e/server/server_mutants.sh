# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# Mutated messages, by TCP and UDP, to a server that is sampling JVMs: server, JVMs and packets are
# not affected. MUTANTS (20,000): how many.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
# udp_ports PID: of a process, in decimal
udp_ports() {
    local inode
    for inode in $(readlink /proc/"$1"/fd/* 2>/dev/null | sed -n 's/^socket:\[\([0-9]*\)\]$/\1/p'); do
        awk -v i="$inode" '$10 == i {split($2, a, ":"); print a[2]}' /proc/net/udp
    done | while read -r port; do echo $((16#$port)); done
}

serve_on 127.0.0.1:0 --every 100ms --agent "$AGENT"
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out")
for role in One Two; do
    "$JAVA" "$word" -Dixor.role=$role -cp "$JAVA_CLASSES" Until 600000 "$T/stop" >"$T/$role.out" \
        2>"$T/$role.err" &
    eval "$role=\$!"
done
check "two JVMs are sampled" wait_for 20 at_least 2 \
    'select count(*) from (select 1 from snapshot group by vm having count(*) >= 3)'
ports=
for port in $(udp_ports $server) $(udp_ports $One) $(udp_ports $Two); do ports="$ports --udp $port"; done
check "they have UDP ports" [ "$(wc -w <<<"$ports")" -ge 6 ]
before=$(sql 'select max(number) from packet')
# shellcheck disable=SC2086
check "mutants are sent" build/helpers/mutate --server "$address" --key "$camp/agent.key" \
    --count "${MUTANTS:-20000}" $ports
check "the server lives" kill -0 $server
check "packets went on" wait_for 20 at_least "$((before + 1))" 'select max(number) from packet'
after=$(sql 'select max(number) from packet')
check "and go on" wait_for 20 at_least 2 "select count(*) from (select 1 from snapshot
    join vm on vm = vm.id where role in ('One', 'Two') and packet > $after group by vm
    having count(*) >= 5)"
same "the JVMs are where they were" "One running,Two running," "$(sql "select role || ' ' || ended
    from vm where role in ('One', 'Two') order by 1" | tr '\n' ,)"
same "no packet came into being" 0 "$(sql "select count(*) from snapshot join vm on vm = vm.id
    where role in ('One', 'Two') and packet not in (select number from packet)")"
same "each number once" 0 "$(sql "select count(*) from snapshot where packet > (select max(number)
    from packet)")"
touch "$T/stop"
wait $One && wait $Two
same "the JVMs end as they would have" 0 $?
kill -INT $server
wait $server
same "the server, too" 0 $?
same "no JVM was lost to it" "orderly" "$(sql "select distinct ended from vm where role in ('One', 'Two')")"
# Mutants had the key, so they may join by any name; not as another process, and not by one that hurts.
same "the two are in the catalogue, once" "One $One,Two $Two," "$(sql "select role || ' ' || pid from vm
    where role in ('One', 'Two') order by 1" | tr '\n' ,)"
same "nothing else but what mutants said" 0 \
    "$(sql "select count(*) from vm where role not in ('One', 'Two') and host <> 'mutated'
        and role not like 'M%' and jvm <> 'mutate' and log not like '%mutated%'")"
same "no name there steers a terminal" 0 "$(sql "select count(*) from vm
    where role || host || jvm || log glob '*[' || char(1) || '-' || char(31) || char(127) || ']*'")"
same "the catalogue is whole" ok "$(sql 'pragma integrity_check; pragma foreign_key_check')"
same "warnings are few" 1 "$([ "$(grep -c 'connection from' "$T/err")" -le 400 ] && echo 1)"
same "nothing steers a terminal" 0 "$(grep -c $'[\001-\010\016-\037]' "$T/err")"
for role in One Two; do
    same "$role: nothing is said" 0 "$(grep -cv -e '^Picked up' -e '^ixor' "$T/$role.err")"
done
