# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# The viewer's JSON with a real JVM: it agrees with the log; its actions work; ixor top shows the
# same in a terminal.
# also asan
. tests/support/lib.sh

camp=$T/camp
api() { curl -sf --max-time 20 "${url}api/$1"; } # api PATH
status() { curl -s --max-time 20 -o /dev/null -w '%{http_code}' "$@"; }
post() { curl -sf --max-time 20 -X POST "${url}api/$1"; }
says() { jq -e "$1" >/dev/null; } # FILTER, JSON on stdin
state_says() { api state | says "$1"; }
last_says() { api vm/1/packet/last | says "$1"; }

: >"$T/out"
"$IXOR" serve --out "$camp" --listen 127.0.0.1:0 --http 0 --every 20ms --agent "$AGENT" \
    >"$T/out" 2>"$T/err" &
server=$!
check "it serves" wait_for 20 grep -q '^  ' "$T/out"
url=$(sed -n 's/^ixor: watch live at //p' "$T/err")
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out")
check "it says where" grep -Exq 'http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/' <<<"$url"
same "nothing yet" '[0,null]' "$(api state | jq -c '[.execution.vm_count, .execution.series.skew_p50_ns]')"

"$JAVA" "$word" -Dixor.role='<b>"One"</b>' -cp "$JAVA_CLASSES" Until 120000 "$T/stop" \
    >"$T/jvm.out" 2>"$T/jvm.err" &
jvm=$!
check "it is shown" wait_for 40 state_says '.execution.taken >= 5 and .execution.running == 1'
same "by its name" '<b>"One"</b>' "$(api state | jq -r '.execution.vms[0].role')"
same "its process" $jvm "$(api state | jq -r '.execution.vms[0].pid')"
check "its threads" wait_for 40 last_says '.threads[] | select(.name == "main") | .group == "main"'

# The last packet, as the log has it.
api vm/1/packet/last >"$T/threads"
P=$(jq .packet "$T/threads")
thread=$(jq '.threads[] | select(.name == "main") | .thread' "$T/threads")
"$ROXI" dump --packet "$P" "$camp"/runs/serve0001/*.ixl >"$T/dump" 2>"$T/dump.err"
same "packet $P: the stack of main is that of roxi dump" \
    "$(awk '/^"/ { on = /^"main"/ } on && /^    at / { sub("^    at ", ""); print }' "$T/dump")" \
    "$(api "vm/1/packet/$P/thread/$thread" | jq -r '.frames[].text')"
same "and all threads" "$(grep -c '^"' "$T/dump")" "$(jq '.threads | length' "$T/threads")"
earlier=$(api vm/1/packets | jq '.packets[3].packet')
same "an earlier packet" "$earlier" "$(api "vm/1/packet/$earlier" | jq .packet)"
recorded() { api "execution/1/packet/$P" | says '.taken == 1 and .vms[0].taken'; }
check "who took it" wait_for 20 recorded
check "others follow" wait_for 20 state_says ".execution.last_packet > $P"
same "its neighbours" "$((P - 1)) $((P + 1))" \
    "$(api "execution/1/packet/$P" | jq -r '"\(.previous) \(.next)"')"
check "recent packets" wait_for 20 says '.packets[0].threads > 1' < <(api vm/1/packets)

waits_say() { api waits | says "$1"; }
check "who waits for whom, at a packet of its own" wait_for 20 waits_say \
    ".execution == 1 and .packet > $P and .jvms == 1 and .jvms_left_out == 0 and .talks_left_out == 0"
same "in no other run" 404 "$(status "${url}api/waits?execution=9")"

same "no token" 403 "$(status "${url%/*/}/api/state")"
same "a wrong one" 403 "$(status "${url%/*/}/0123456789abcdef0123456789abcdef/api/state")"
same "a name that leads here" 403 "$(status -H 'Host: evil.example' "${url}api/state")"
same "no such packet" 404 "$(status "${url}api/vm/1/packet/999999999")"

# Sampling stops, and one packet is taken on demand.
last() { api state | jq .execution.last_packet; }
settled() { local before; before=$(last) && pause 0.6 && [ "$(last)" = "$before" ]; }
same "pause" '{"paused":true}' "$(post pause)"
check "no packet comes" wait_for 20 settled
before=$(last)
same "a snapshot on demand" "$((before + 1)) 1" "$(post snapshot | jq -r '"\(.packet) \(.vms)"')"
check "it is taken" wait_for 20 last_says ".packet == $((before + 1))"
check "nothing follows" wait_for 20 settled
same "and it is the only one" $((before + 1)) "$(last)"
same "resume" '{"paused":false}' "$(post resume)"
check "packets come again" wait_for 20 state_says ".execution.last_packet > $((before + 3))"

# The same in a terminal.
"$IXOR" top --once "$camp" >"$T/top"
has "ixor top shows the JVM" "^<b>\"One\"</b> +$jvm running" "$T/top"
same "in 80 columns" 0 "$(awk 'length > 80' "$T/top" | wc -l)"
"$IXOR" top "$camp" | cat >"$T/piped"
has "once, where it is piped" "^<b>\"One\"</b>" "$T/piped"
same "as JSON" "$jvm" "$("$IXOR" top --json "$camp" | jq '.execution.vms[0].pid')"
# typed KEYS: what a terminal shows of it; its status and the terminal's settings before and after.
typed() {
    { pause 2.5 && printf '%b' "$1"; } | TERM=xterm timeout 60 script -qec "stty -a >$T/before
        $IXOR top $camp; echo status \$?; stty -a >$T/after" /dev/null >"$T/screen"
}
typed q
has "on the screen" "One" "$T/screen"
has "q ends it" "status 0" "$T/screen"
check "and leaves the screen" grep -q $'\033\[?25h\033\[?1049l' "$T/screen"
same "and the terminal as it was" "$(cat "$T/before")" "$(cat "$T/after")"
typed '\003'
check "Ctrl-C leaves the screen, too" grep -q $'\033\[?25h\033\[?1049l' "$T/screen"

touch "$T/stop"
wait $jvm
same "the JVM ends as it would have" 0 $?
check "its end is shown" wait_for 20 state_says '.execution.vms[0].state == "orderly"'
check "its last threads are there" last_says '.threads | length > 0'
rm "$camp"/runs/serve0001/*.ixl
same "a log that is not there" 404 "$(status "${url}api/vm/1/packet/last")"
kill -INT $server
wait $server
same "SIGINT: exit status" 0 $?
same "the address was printed once" 1 "$(grep -c "${url: -34}" "$T/err")"

"$IXOR" serve --out "$T/none" --http nonsense >"$T/out" 2>"$T/err"
same "a bad address: wrong use" 2 $?
has "it is named" 'option --http' "$T/err"
same "and nothing was made" 0 "$(ls -d "$T/none" 2>/dev/null | wc -l)"

# ixor run has it, too: the command looks at itself.
cat >"$T/look.sh" <<'END'
url=$(sed -n 's/^ixor: watch live at //p' "$1")
for _ in $(seq 100); do
    curl -s "${url}api/state" | jq -e '.execution.name == "run0001" and .execution.end_ns == null' &&
        exit 0
    sleep 0.1
done
exit 1
END
"$IXOR" run --http 127.0.0.1:0 --out "$T/run" --agent "$AGENT" -- bash "$T/look.sh" "$T/run.err" \
    >"$T/run.out" 2>"$T/run.err"
same "ixor run: the command was seen by itself" passed \
    "$("$IXOR" status --json "$T/run" | jq -r '.executions[0].verdict')"
