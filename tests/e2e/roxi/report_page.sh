#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# long
# no JVM
# The report in a browser, as somebody uses it: a run, its time line, packets back and forth, threads,
# all JVMs at one packet, dragging, flame graphs, search, the address; with names that try to be markup.
. tests/support/lib.sh
. tests/support/roxi_lib.bash
. tests/support/webdriver.bash

if ! browser_there; then
    skip "chromium and chromium-driver are not installed (make deps-peers)"
    exit 0
fi

evil='<img src=x onerror=document.title=1>'
# run NAME WORK...: a server of three threads, one of which never moves; a client; and JVMs of one role
run() {
    crowd_vm "$T/in/$1" 1 server 3 60 "$evil"
    working_vm "$T/in/$1" 2 "$evil" "${@:2}"
}
for i in 1 2 3 4 5; do run run$i '40 p.Client.run p.Client.send' '20 p.Client.run'; done
run odd '20 p.Client.run p.Client.send' '40 p.Client.run p.Client.retry'
# From packet 31 on its client is blocked on a monitor (JVMTI's state 1025).
awk '/^system$/ { state = NR + 2 } NR == state && packet++ >= 30 { $0 = 1025 } { print }' \
    "$T/in/odd/2.log" >"$T/log" && mv "$T/log" "$T/in/odd/2.log"
"$ROXI" import "$T/camp" "$T"/in/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
for i in 1 2 3 4 5; do "$IXOR" label "$T/camp" run$i passed >"$T/out"; done
"$ROXI" report "$T/camp" -o "$T/page.html"
same "a page" 0 $?

browser_start 1000 900 || exit # not in a check, which is a subshell
ok "a browser"
page=file://$T/page.html
go "$page"
text() { js "return document.getElementById('$1').textContent" | jq -r .; }
same "a name is text" "0 true" "$(js "return document.images.length + ' ' +
    document.title.startsWith('Roxi: ')" | jq -r .)"
same "the unusual run is chosen" odd "$(js "return state.run.name" | jq -r .)"
check "where it departs" is "state.packet === state.run.findings[0][1] && state.packet > 20"
check "it fits the width" is "document.documentElement.scrollWidth <= 1000"
check "something is drawn" is "(() => { const c = document.getElementById('canvas');
    const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
    for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
    return seen.size > 8; })()"
same "rows: JVMs, threads that move or are in the application" \
    "$(jq -nc --arg e "$evil" '[$e, "main", "server", $e, "worker * (1)", "worker * (2)"] | sort')" \
    "$(js "return line.rows.map(r => r.thread ? r.thread.label : r.title).sort()")"

# Packets.
P=$(js "return state.packet")
click "//button[@id='back']"
same "one packet back" $((P - 1)) "$(js "return state.packet")"
key "$LEFT"
same "and another one, by key" $((P - 2)) "$(js "return state.packet")"
for _ in 1 2 3 4; do key "$RIGHT"; done
same "forth" $((P + 2)) "$(js "return state.packet")"
has "it is said" "^packet $((P + 2)) " <(text packet)
same "it is in the address" "#run=odd&packet=$((P + 2))" "$(js "return location.hash" | jq -r .)"

# All JVMs.
same "all JVMs at that packet" "[\"$evil\",\"server\"]" \
    "$(js "return [...document.querySelectorAll('.jvm h3')].map(h => h.textContent).sort()")"
check "their call stacks" is "document.getElementById('moment').textContent.includes(
    'p.Client.retry(S.java:1)')"
click "//details[@id='merged']/summary"
check "merged: two threads part where one calls another method" wait_for 10 is "[...document.querySelectorAll(
    '#merged-tree > li')].some(l => l.textContent.startsWith('Main.run 3 threads: server: ') &&
        l.querySelectorAll('li').length >= 1)"
go "$page#run=odd&packet=21"
check "an address of a packet" wait_for 20 is "state.packet === 21"
same "what has changed is marked" true "$(js "return [...document.querySelectorAll('.jvm .changed')].some(
    d => d.textContent.includes('p.Client.retry'))")"

same "its client runs, until it is blocked" '["running","running","blocked on a monitor"]' \
    "$(js "const t = state.run.rows.find(r => r.name === 'main' && state.run.roles[r.jvm] !== 'server');
        return [21, 30, 31].map(p => doingAt(t, p, stackAt(t, p)))")"
same "the parts of its second call stack" '[[21,30,"running"],[31,60,"blocked on a monitor"]]' \
    "$(js "const t = state.run.rows.find(r => r.name === 'main' && state.run.roles[r.jvm] !== 'server');
        return partsOfSpan(t, t.spans[1]).map(p => [p.first, p.last, p.doing])")"

# The keyboard in the time line.
js "document.getElementById('canvas').focus()" >/dev/null
key "$DOWN"
key "$DOWN"
check "down: a thread" is "state.thread >= 0"
has "its call stack is read" 'packet 21: running in p\.' <(text reading)
key +
check "+: closer" is "line.view[1] - line.view[0] === (state.run.last + 1 - state.run.first) / 2"
key 0
check "0: the whole run" is "line.view[1] - line.view[0] === state.run.last + 1 - state.run.first"

# Flame graphs.
kinds() { js "return [...document.querySelectorAll('#flame g.$1')].map(g => g.node.name).sort()"; }
same "only here" '["p.Client.retry"]' "$(kinds f-new)"
same "less" '["p.Client.send"]' "$(kinds f-less)"
drag() { # FROM TO: packets, over all rows
    local at
    at=$(js "document.getElementById('lines').scrollIntoView(); const b = document.getElementById('canvas')
        .getBoundingClientRect(); return [$1, $2].map(p => Math.round(b.left + xOf(p + .5)))
        .concat([Math.round(b.top + ROW + 4), Math.round(b.top + line.height - 4)])")
    wd POST "$session/actions" "$(jq -nc --argjson a "$at" '{actions: [{type: "pointer", id: "mouse",
        parameters: {pointerType: "mouse"}, actions: [
            {type: "pointerMove", duration: 0, origin: "viewport", x: $a[0], y: $a[2]},
            {type: "pointerDown", button: 0},
            {type: "pointerMove", duration: 100, origin: "viewport", x: $a[1], y: $a[3]},
            {type: "pointerUp", button: 0}]}]}')" >/dev/null
}
shift_key() { # keyDown or keyUp
    wd POST "$session/actions" "{\"actions\": [{\"type\": \"key\", \"id\": \"keys\",
        \"actions\": [{\"type\": \"$1\", \"value\": \"\ue008\"}]}]}" >/dev/null
}
drag 30 49
check "dragged over packets" is "state.area && state.area.from === 30 && state.area.to === 49"
same "their flame graph: one thread was in retry" 1 \
    "$(js "return flame.root.children.flatMap(c => [c, ...c.children]).find(
        c => c.name === 'p.Client.retry').here")"
same "and what they are" 'What was dragged over: packets 30 to 49 of 4 threads.' "$(text flame-note)"
shift_key keyDown
drag 5 14
shift_key keyUp
check "with Shift: what it is compared with" is "state.base && state.base.from === 5 && state.base.to === 14"
same "gone" '["p.Client.send"]' "$(kinds f-gone)"
address=$(js "return location.hash" | jq -r .)
go about:blank
go "$page$address"
check "the address keeps it" wait_for 20 is "state.area && state.area.to === 49 && state.base.to === 14"
same "and shows it" '["p.Client.send"]' "$(kinds f-gone)"

# Search, runs, idle threads.
js "document.activeElement.blur()" >/dev/null
key /
for k in s e n d; do key $k; done
check "search: every run in which it was" wait_for 10 is \
    "document.querySelectorAll('#hits a').length === data.runs.length"
click "(//ol[@id='hits']//a)[2]"
check "a hit is shown" wait_for 10 is "state.run === data.runs[1] && state.thread >= 0 && state.packet === 1"
check "the typical run has no findings" is "!state.run.findings.length"
click "//input[@id='idle']"
check "idle threads" is "state.idle && line.rows.length >= 6"

# Printing: all rows, and all text.
js "dispatchEvent(new Event('beforeprint'))" >/dev/null
check "printed: all rows" is "line.height === (line.rows.length + 1) * ROW && line.rows.length > 5"
check "and what is folded" is "![...document.querySelectorAll('section.run details')].some(d => !d.open)"
js "dispatchEvent(new Event('afterprint'))" >/dev/null
check "and as before afterwards" is "line.height <= Math.round(innerHeight * .6)"

same "nothing failed" "[]" "$(console | jq -c '[.[] | .message]')"

# 2,000 threads: only what is visible is drawn.
for i in 1 2 3; do crowd_vm "$T/crowd/run$i" 1 server $((i * 2)) 40; done
crowd_vm "$T/crowd/run4" 1 server 2000 40
"$ROXI" import "$T/many" "$T"/crowd/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
"$IXOR" label "$T/many" run4 failed >"$T/out"
"$ROXI" report "$T/many" -o "$T/many.html"
go "file://$T/many.html"
check "2,000 threads" wait_for 20 is "state.run.name === 'run4' && line.rows.length === 2001"
check "a canvas no higher than the window" is "document.getElementById('canvas').height <= innerHeight"
js "document.getElementById('canvas').focus(); moveThread(1); moveThread(1999)" >/dev/null
check "the last one is visible" is "document.getElementById('lines').scrollTop > 20000 &&
    state.thread === line.rows[2000].thread.number"
check "equal call stacks are together" is "document.querySelectorAll('.jvm h4').length === 2"
same "nothing failed there" "[]" "$(console | jq -c '[.[] | .message]')"

# Narrow, and without scripts.
wd POST "$session/window/rect" '{"width": 500, "height": 800}' >/dev/null
check "it fits a narrow window" wait_for 10 is "document.documentElement.scrollWidth <= innerWidth"
browser_stop
same "no script, no explorer, all text" 1 "$(grep -c '<section id="explorer".* hidden>' "$T/page.html")"
