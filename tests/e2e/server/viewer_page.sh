# SPDX-License-Identifier: Apache-2.0
# long
# no JVM matters here but one: the viewer's page in a browser, as somebody uses it: a JVM, a thread, its
# stack, Pause, packets back and forth, filters, keys; with names that try to be markup.
. tests/support/lib.sh
. tests/support/webdriver.bash

if ! browser_there; then
    skip "chromium and chromium-driver are not installed (make deps-peers)"
    exit 0
fi
camp=$T/camp
: >"$T/out"
"$IXOR" serve --out "$camp" --listen 127.0.0.1:0 --http 0 --every 100ms --agent "$AGENT" \
    >"$T/out" 2>"$T/err" &
server=$!
check "it serves" wait_for 20 grep -q '^  ' "$T/out"
url=$(sed -n 's/^ixor: watch live at //p' "$T/err")
word=$(sed -n 's/^  -agentpath/-agentpath/p' "$T/out")
evil='<img src=x onerror=document.title=1>'
for role in Alpha "$evil"; do
    "$JAVA" "$word" -Dixor.role="$role" -cp "$JAVA_CLASSES" Until 120000 "$T/stop" >>"$T/jvm.out" 2>&1 &
done

browser_start 1000 760 || exit # not in a check, which is a subshell
ok "a browser"
go "$url"
text() { js "return document.getElementById('$1').textContent" | jq -r .; }
rows() { js "return [...document.querySelectorAll('#$1 tr')].map(r => r.cells[0].textContent)"; }
both() { [ "$(rows vms)" = "$(jq -nc --arg e "$evil" '[$e, "Alpha"]')" ]; }
check "both JVMs are shown, by their names" wait_for 40 both
check "they run" wait_for 40 is "[...document.querySelectorAll('#vms tr')].every(r =>
    r.cells[2].textContent === 'running' && Number(r.cells[4].textContent) > 3)"
same "a name is text" "0 Ixor" "$(js "return document.images.length + ' ' + document.title" | jq -r .)"
check "skew has a chart" wait_for 20 is "document.querySelectorAll('#skew-chart rect').length > 3"
check "stops have charts" is "document.querySelectorAll('#vms svg rect').length > 6"
check "it fits 1000 pixels" is \
    "document.documentElement.scrollWidth <= 1000 && document.documentElement.scrollHeight <= innerHeight"

# Who waits for whom, as the server would say it of JVMs that do.
check "nobody waits: it is not there" wait_for 20 is "document.getElementById('waits-part').hidden"
END="{role: '$evil', vm: 2, thread: 'end', state: 'BLOCKED', waited_for_by: 1}"
ONE="{role: 'Alpha', vm: 1, thread: 'one', why: 'read', via: 'x -> y'}"
TWO="{role: 'Alpha', vm: 1, thread: 'two', why: 'monitor', via: 'a.B'}"
same "a deadlock, and a chain" "deadlock: Alpha \"one\" → Alpha \"two\" → Alpha \"one\"
$evil \"end\": BLOCKED, waited for by 1
Alpha \"one\" → $evil \"end\"" "$(js "showWaits({packet: 9, chains: [[$ONE, $END]], deadlocks: [[$ONE, $TWO]],
    least_progressed: [$END], chains_left_out: 0, deadlocks_left_out: 0, least_progressed_count: 1,
    talks: []}, '');
    return [...document.querySelectorAll('#waits li')].map(l => l.textContent).join('\\n')" | jq -r .)"
check "nobody talks: it is not there" is "document.getElementById('talks-part').hidden"
A="{vm: 1, role: 'Alpha', address: null}"
E="{vm: 2, role: '$evil', address: null}"
TALKS="{from: $E, to: $A, connections: 2, waiting: 1},
    {from: $A, to: {vm: null, role: 'outside', address: '10.0.0.9:5432'}, connections: 3, waiting: 0},
    {from: $A, to: $E, connections: 0, waiting: 2}"
talks() { # TALKS: in words, the columns of the parties, and the arrows' labels
    js "showTalks({packet: 9, talks: [$1], talks_left_out: 0});
        const texts = at => [...document.querySelectorAll('#talks ' + at)];
        return [document.getElementById('talks').getAttribute('aria-label'),
            texts('.party').map(p => p.querySelector('title').textContent + ' at ' +
                p.querySelector('rect').getAttribute('x')).join(', '),
            texts('g:not(.party) text').map(t => t.textContent).join(', ')].join('\n')" | jq -r .
}
same "who talks to whom is drawn" "$evil → Alpha: 2 connections, 1 thread waiting; Alpha → outside \
10.0.0.9:5432: 3 connections; Alpha → $evil: 0 connections, 2 threads waiting
$evil at 1, Alpha at 153, outside 10.0.0.9:5432 at 305
1 wait, ×3, 2 wait" "$(talks "$TALKS")"
many=$(for i in {3..20}; do echo "{from: $A, to: {vm: $i, role: 'Peer', address: null}, connections: 1, waiting: 0},"; done)
same "of many JVMs, those of a role are one" "Alpha → Peer: 18 connections
Alpha at 1, Peer (18 JVMs) at 153
×18" "$(talks "$many")"
click "//tbody[@id='vms']/tr[td[1]='Alpha']"
check "click a JVM: its threads" wait_for 20 is \
    "[...document.querySelectorAll('#threads tr')].some(r => r.cells[0].textContent === 'main')"
click "//tbody[@id='threads']/tr[td[1]='main']"
check "click a thread: its stack" wait_for 20 is \
    "document.getElementById('stack').textContent.includes('Until.main(Until.java:')"
first=$(js "return view.threads.packet")
check "it goes on" wait_for 20 is "view.threads.packet > $first"

# Paused at a packet that both have taken, as they have the two before it: on a busy machine one may be lost.
paused() {
    click "//button[@id='freeze']"
    wait_for 20 is "view.moment && view.moment.packet === view.frozen" || return 1
    [ "$(js "return Promise.all([0, 1, 2].map(n => call('execution/' + view.execution + '/packet/' +
        (view.frozen - n)))).then(all => all.every(moment =>
            moment.vms.length === 2 && moment.vms.every(vm => vm.taken)))")" = true ] && return
    click "//button[@id='freeze']"
    wait_for 20 is "!view.frozen"
    return 1
}
check "Pause" wait_for 60 paused
P=$(text packet)
check "everything shows packet $P" wait_for 20 is "view.threads.packet === $P &&
    document.getElementById('stack-name').textContent === 'main, packet $P' &&
    document.getElementById('status').textContent.startsWith('paused at packet $P ')"
check "all JVMs took it" is "[...document.querySelectorAll('#vms tr')].every(r =>
    /^(first|\\+)/.test(r.cells[3].textContent))"
pause 1.5
same "and nothing moves" "$P $P" "$(text packet) $(js "return view.threads.packet")"
at() { # PACKET: shown, or it is said that the JVM did not take it
    is "view.moment && view.moment.packet === $1 && (view.threads && view.threads.packet === $1 ||
        document.getElementById('threads-note').textContent.includes('not take'))"
}
js "keepWaits({execution: view.execution, packet: $P - 1, chains: [], deadlocks: [[$ONE, $TWO]],
    least_progressed: [], chains_left_out: 0, deadlocks_left_out: 0, least_progressed_count: 0,
    talks: [$TALKS], talks_left_out: 0})" >"$T/none"
waits_say() { is "document.getElementById('waits').textContent.startsWith('deadlock: Alpha ') &&
    document.getElementById('waits-count').textContent === '$1'"; }
click "//button[@id='back']"
check "one packet back" wait_for 20 at $((P - 1))
check "who waits for whom is that packet's" wait_for 20 waits_say "at packet $((P - 1))"
same "and who talks to whom" "at packet $((P - 1))" "$(text talks-count)"
key "$LEFT"
check "and another one, by key" wait_for 20 at $((P - 2))
key "$RIGHT"
check "forth" wait_for 20 at $((P - 1))
key "$RIGHT"
check "and forth" wait_for 20 is "document.getElementById('stack-name').textContent === 'main, packet $P'"
# The page may have asked about this very packet: then that answer is dropped.
js "keptWaits = keptWaits.filter(a => a.packet !== $P); showFrozenWaits()" >"$T/none"
check "of a packet that was not asked about it is said" waits_say "at packet $((P - 1)); not known at packet $P"
shown=$(js "return [...document.querySelectorAll('#stack li')].map(l => l.textContent)" | jq -r '.[]')
"$ROXI" dump --packet "$P" "$camp"/runs/serve0001/Alpha-*.ixl >"$T/dump"
same "the stack is the log's" \
    "$(awk '/^"/ { on = /^"main"/ } on && /^    at / { sub("^    at ", ""); print }' "$T/dump")" "$shown"
key ' '
check "Space: it goes on" wait_for 20 is "view.frozen === 0 && view.threads.packet > $P"

# Filters.
count() { js "return document.querySelectorAll('#threads tr').length"; }
all=$(count)
key i
check "idle threads are hidden" wait_for 10 is "document.querySelectorAll('#threads tr').length < $all &&
    !document.querySelector('#threads tr.idle')"
key i
key /
for k in f i n a l; do key $k; done
check "a filter for names" wait_for 10 is "document.querySelectorAll('#threads tr').length === 1 &&
    document.querySelector('#threads tr').cells[0].textContent === 'Finalizer'"
js "document.activeElement.blur()" >/dev/null

# The keyboard alone.
js "document.querySelector('#vms tr').focus()" >/dev/null
key "$DOWN"
key "$ENTER"
check "down and Enter choose" wait_for 10 is "view.role === 'Alpha'"
key p
check "P stops the sampling" wait_for 20 is "view.state.paused &&
    document.getElementById('sampling').textContent === 'Resume sampling'"
before=$(js "return view.state.execution.last_packet")
key s
check "S takes a snapshot" wait_for 20 is "view.state.execution.last_packet > $before"
key p
check "P goes on" wait_for 20 is "!view.state.paused"

touch "$T/stop"
check "their ends are shown" wait_for 40 is "[...document.querySelectorAll('#vms tr')].every(r =>
    r.cells[2].textContent === 'ended orderly')"
same "nothing was refused by the policy, nothing failed" "[]" "$(console |
    jq -c '[.[] | select(.source != "network") | .message]')"
kill -INT $server
wait $server
same "SIGINT: exit status" 0 $?
check "the page says that the server is gone" wait_for 20 is \
    "document.getElementById('status').textContent.includes('does not answer')"
browser_stop
