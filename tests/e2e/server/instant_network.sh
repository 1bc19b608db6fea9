# SPDX-License-Identifier: Apache-2.0
# one JDK: what runs here is the server
# One instant across hosts: three network namespaces, bad links between them, JVMs with shifted
# clocks. Clocks are found within their bounds and packets are still taken at one instant; lost,
# late and repeated datagrams are noticed and have no other effect.
. tests/support/lib.sh
. tests/support/server_lib.bash
WIRE=$PWD/$B/helpers/wire
camp=$T/camp
tag=x$$

if [ "$(id -u)" != 0 ] || ! ip netns add $tag-s 2>/dev/null; then
    skip "network namespaces need root"
    exit 0
fi
trap 'kill $(jobs -p) 2>/dev/null
    for n in s a b m; do ip netns del $tag-$n 2>/dev/null; done; wait 2>/dev/null' EXIT

within() { ip netns exec "$tag-$1" "${@:2}"; }

# The server is on 10.9.1.1 and 10.9.2.1, the JVMs on 10.9.1.2 and 10.9.2.2; in namespace m the ends of
# a and b are wired to the server's.
for n in a b m; do ip netns add $tag-$n; done
within s ip link set lo up
for n in a b; do
    net=10.9.$([ $n = a ] && echo 1 || echo 2)
    within m ip link add to-$n type veth peer name eth0 netns $tag-$n
    within m ip link add s-$n type veth peer name eth-$n netns $tag-s
    within m ip link set to-$n up && within m ip link set s-$n up
    within $n ip addr add $net.2/24 dev eth0 && within $n ip link set eth0 up
    within $n ip link set lo up
    within s ip addr add $net.1/24 dev eth-$n && within s ip link set eth-$n up
done
# A's way is long, one way longer than the other, and bad; B's is short.
# In the background without `within`: a function would be a shell between kill and the program.
ip netns exec $tag-m "$WIRE" s-a to-a --forth 20 --back 8 --jitter 5 --loss 10 --twice 30 --echo 200 --seed $$ \
    >"$T/wire-a" 2>&1 &
wire=$!
ip netns exec $tag-m "$WIRE" s-b to-b --jitter 1 >"$T/wire-b" 2>&1 &
check "wires" wait_for 10 grep -q ready "$T/wire-a" "$T/wire-b"

ip netns exec $tag-s "$IXOR" serve --out "$camp" --listen 0.0.0.0:0 --every 60ms --agent "$AGENT" >"$T/serve" \
    2>"$T/serve.err" &
server=$!
check "the server listens" wait_for 20 grep -q '^listening' "$T/serve"
port=$(sed -n 's/^listening on .*://p' "$T/serve")

# jvm NAMESPACE ROLE SERVER CLOCK: its process is $!
jvm() {
    ip netns exec $tag-"$1" env IXOR_ROLE="$2" "$JAVA" \
        "-agentpath:$AGENT=server=$3:$port,key=$camp/agent.key,testclock=$4,log=$T/$2.ixl" -cp "$JAVA_CLASSES" Until 100000 \
        "$T/end" >"$T/$2.out" 2>&1 &
}
jvm a Alpha 10.9.1.1 +5s
alpha=$!
jvm b Beta 10.9.2.1 -300ms/+150ppm
beta=$!

# enough N: packets whose skew is known
enough() { [ "$(sql 'select count(*) from packet where skew_ns is not null')" -ge "$1" ]; }
check "packets are taken by both" wait_for 60 enough 50
echo end >"$T/end"
wait $alpha $beta
kill $server
wait $server
same "the server ends" 0 $?
same "so did the JVMs" orderly "$(sql 'select distinct ended from vm' | xargs)"
kill $wire
wait $wire
has "the wire lost and repeated" '^udp [0-9]+ lost [1-9][0-9]* twice [1-9]' "$T/wire-a"
sed 's/^/# wire A: /' "$T/wire-a" >&2

# What is true: the wall clock, which all share, tells how far each JVM's clock was ahead at each
# snapshot: A's by 5 s, always. B's relation to it follows, and its drift.
sql "select role, mono_ns, offset_ns, error_ns, drift_ppb from clock join vm on vm = vm.id
    order by role, mono_ns" | tr '|' ' ' >"$T/clocks"
sql "select role, begin_mono_ns, begin_ns - (select begin_ns from snapshot order by begin_ns limit 1)
    from snapshot join vm on vm = vm.id" | tr '|' ' ' >"$T/snapshots"
sed 's/^/# /' "$T/clocks" >&2
same "clocks are in the catalogue" "Alpha Beta" "$(cut -d ' ' -f 1 "$T/clocks" | uniq | xargs)"
same "A's offset is right within its bound, always" "" \
    "$(awk '$1 == "Alpha" && ($3 + 5e9 > $4 || -$3 - 5e9 > $4)' "$T/clocks")"
# With the wall clock w, B's clock v = (w - K)(1 + d) + c, and A's is w - K + 5 s: medians of K and c
# leave out the snapshots during which the JVM was not running between the two readings.
same "B's offset, too, within a tenth of a millisecond more" "" "$(awk -v d=150e-6 '
    function median(x, n, i, j, t) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && x[j - 1] > x[j]; j--) { t = x[j]; x[j] = x[j - 1]; x[j - 1] = t }
        return x[int((n + 1) / 2)]
    }
    FILENAME ~ /snapshots/ && $1 == "Alpha" { k[++ks] = $3 - $2 + 5e9 }
    FILENAME ~ /snapshots/ && $1 == "Beta" { v[++vs] = $2; w[vs] = $3 }
    FILENAME ~ /clocks/ && $1 == "Beta" {
        if (!c) {
            K = median(k, ks)
            for (i = 1; i <= vs; i++) cs[i] = v[i] - (w[i] - K) * (1 + d)
            c = median(cs, vs)
        }
        off = ($2 - c) / (1 + d) - $2 - $3
        if (off > $4 + 1e5 || -off > $4 + 1e5) print $0, "off by", off
    }' "$T/snapshots" "$T/clocks")"
check "bounds are useful: half of the way there and back" test \
    "$(sql "select clock_error_ns from vm where role = 'Alpha'")" -lt 30000000
# A JVM that is left alone at the end is asked at once.
check "the lead has found A's way" test \
    "$(sql 'select lead_ns from packet where lead_ns > 0 order by number desc limit 1')" -gt 15000000
sql "select skew_ns, skew_error_ns from packet where skew_ns is not null order by number
    limit -1 offset 20" | tr '|' ' ' >"$T/skews"
median=$(sort -n "$T/skews" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
check "one instant, though A hears of it 20 ms after B ($median ns)" test "$median" -lt 10000000
same "the bound is told with it" "" "$(awk '$2 <= 0' "$T/skews")"
check "stops before the lead was found were late" test \
    "$(sql "select late from vm where role = 'Alpha'")" -gt 0

lost=$(sql "select requests - (select count(*) from snapshot where vm = vm.id) from vm
    where role = 'Alpha'")
check "what was lost shows as lost ($lost)" test "$lost" -gt 0
"$IXOR" status --json "$camp" >"$T/json"
same "in the status as well" "$(sql 'select sum(requests) - (select count(*) from snapshot) from vm')" \
    "$(jq '.executions[0].lost' "$T/json")"
check "repeated and late requests were dropped" test \
    "$(sql "select stale from vm where role = 'Alpha'")" -gt 5
"$IXOR" status --execution "$(sql 'select name from execution')" "$camp" >"$T/status"
has "the VMs' clocks in words" '^    clock 5\.0.s ahead \(\+-.*, drift -?[0-9.]+ ppm$' "$T/status"
