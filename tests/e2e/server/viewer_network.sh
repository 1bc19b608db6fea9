# SPDX-License-Identifier: Apache-2.0
# no JVM: the viewer beyond this host, from another network namespace: by default it cannot be reached;
# where it was told to listen it can be by who has the token, and nobody else; and it is warned about.
. tests/support/lib.sh

camp=$T/camp
tag=v$$
if [ "$(id -u)" != 0 ] || ! ip netns add $tag-s 2>/dev/null; then
    skip "network namespaces need root"
    exit 0
fi
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null
    for n in s c; do ip netns del $tag-$n 2>/dev/null; done' EXIT
ip netns add $tag-c
ip -n $tag-s link add eth0 type veth peer name eth0 netns $tag-c
ip -n $tag-s addr add 10.9.3.1/24 dev eth0
ip -n $tag-c addr add 10.9.3.2/24 dev eth0
for n in s c; do
    ip -n $tag-$n link set lo up
    ip -n $tag-$n link set eth0 up
done

serve() { # serve HTTP: sets server and url; what it says is in $T/err
    : >"$T/err"
    ip netns exec $tag-s "$IXOR" serve --out "$camp" --listen 127.0.0.1:0 --http "$1" >"$T/out" \
        2>"$T/err" &
    server=$!
    check "--http $1: it serves" wait_for 20 grep -q 'watch live at' "$T/err"
    url=$(sed -n 's/^ixor: watch live at //p' "$T/err")
}
stop() {
    kill -INT $server
    wait $server
    same "$1: it ends well" 0 $?
}
# status NAMESPACE CURL-ARGUMENT...: what HTTP says; 000: nobody is there
status() { ip netns exec "$tag-$1" curl -s --max-time 20 -o /dev/null -w '%{http_code}' "${@:2}"; }

serve 0
same "by default: from this host" 200 "$(status s "${url}api/state")"
same "by default: not from another one" 000 "$(status c "${url/127.0.0.1/10.9.3.1}api/state")"
same "by default: no warning" 0 "$(grep -c 'warning' "$T/err")"
stop "by default"

serve 10.9.3.1:0
check "beyond: it says where" grep -Exq 'http://10\.9\.3\.1:[0-9]+/[0-9a-f]{32}/' <<<"$url"
has "beyond: and warns" 'ixor: warning: .*other hosts.*without encryption.*ssh -L' "$T/err"
same "beyond: with the token from another host" 200 "$(status c "${url}api/state")"
same "beyond: the page" 200 "$(status c "$url")"
same "beyond: an action" 200 "$(status c -X POST "${url}api/pause")"
same "beyond: without it" 403 "$(status c "${url%/*/}/api/state")"
same "beyond: with another one" 403 "$(status c "${url%/*/}/0123456789abcdef0123456789abcdef/api/state")"
same "beyond: no action without it" 403 "$(status c -X POST "${url%/*/}/api/resume")"
paused() { ip netns exec $tag-c curl -s --max-time 20 "${url}api/state" | jq -e .paused; }
check "beyond: it stays paused" paused
# Sessions are still for this host alone: the viewer's address is not theirs.
port=$(sed -n 's/^listening on .*://p' "$T/out")
same "beyond: sessions are not reached" 000 "$(status c "http://10.9.3.1:$port/")"
stop "beyond"
