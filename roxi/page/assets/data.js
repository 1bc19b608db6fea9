/* SPDX-License-Identifier: Apache-2.0 */
// What the page holds (roxi/page/page_data.h), and how to ask it.

const data = JSON.parse($('data').textContent);

const DOING = ['running', 'sleeping', 'waiting', 'in the network', 'in a file', 'blocked on a monitor'];
const parentOf = stack => data.stacks[3 * stack];
const frameOf = stack => data.stacks[3 * stack + 1];
const doingOf = stack => DOING[data.stacks[3 * stack + 2]];
const frameText = frame => data.frames[frame][0];
const isPlatform = frame => data.frames[frame][1] === 1;
// "a.b.C.d(C.java:12)": "a.b.C.d".
const methodText = frame => frameText(frame).replace(/\([^()]*\)$/, '');
// "a.b.C.d": "C.d".
const inShort = method => method.split('.').slice(-2).join('.');

// The executing frame first.
function framesOf(stack) {
  const frames = [];
  for (let at = stack; at; at = parentOf(at)) frames.push(frameOf(at));
  return frames;
}

// The application's innermost method in a call stack; '' if there is none.
const innermost = new Map();
function applicationOf(stack) {
  if (!innermost.has(stack)) {
    const frame = framesOf(stack).find(f => !isPlatform(f));
    innermost.set(stack, frame === undefined ? '' : methodText(frame));
  }
  return innermost.get(stack);
}

// From [gap, packets, VALUE, ...] to objects with the value's name.
function unpackSpans(flat, name) {
  const spans = [];
  let at = 0;
  for (let k = 0; k < flat.length; k += 3) {
    const first = at + flat[k];
    at = first + flat[k + 1];
    spans.push({first, last: at - 1, [name]: flat[k + 2]});
  }
  return spans;
}

function unpackThread([jvm, node, name, outside, flat, states], i, counts) {
  const spans = unpackSpans(flat, 'stack');
  const key = `${jvm} ${node} ${name}`;
  counts.set(key, (counts.get(key) || 0) + 1);
  return {
    number: i, jvm, spans, states: unpackSpans(states, 'state'), node: data.strings[node], name: data.strings[name], key,
    nth: counts.get(key), idle: outside === 1 && spans.every(s => s.stack === spans[0].stack),
  };
}

// Several threads of one name are told apart by a number.
function nameThreads(threads, counts) {
  for (const t of threads) t.label = counts.get(t.key) > 1 ? `${t.name} (${t.nth})` : t.name;
}

// Unpacks a run's threads when it is first shown.
function unpack(run) {
  if (run.rows || !run.threads) return run;
  const counts = new Map();
  run.rows = run.threads.map((t, i) => unpackThread(t, i, counts));
  nameThreads(run.rows, counts);
  const all = run.rows.flatMap(t => t.spans);
  run.first = all.reduce((least, s) => Math.min(least, s.first), Infinity);
  run.last = all.reduce((most, s) => Math.max(most, s.last), 0);
  if (!all.length) run.first = 0;
  run.roles = run.jvms.map(r => data.strings[r]);
  return run;
}

function roleText(run, jvm) {
  const same = run.roles.filter(r => r === run.roles[jvm]).length;
  if (same < 2) return run.roles[jvm];
  return `${run.roles[jvm]} (${run.roles.slice(0, jvm + 1).filter(r => r === run.roles[jvm]).length})`;
}

// Since the run began, in seconds.
function secondsAt(run, packet) {
  let ms = 0;
  for (let i = 0; i < run.moments.length && run.moments[i] <= packet; i += 2) ms = run.moments[i + 1];
  return ms / 1000;
}

// The first of the spans that lasts until the packet or longer, by its place.
function placeAt(spans, packet) {
  let low = 0, high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].last < packet) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The stack of a thread at a packet; null: it is not there.
function stackAt(thread, packet) {
  const span = thread.spans[placeAt(thread.spans, packet)];
  return span && span.first <= packet ? span.stack : null;
}

// What a thread does at a packet: its recorded state, or else what its call stack tells.
function doingAt(thread, packet, stack) {
  const span = thread.states[placeAt(thread.states, packet)];
  return span && span.first <= packet ? DOING[span.state] : doingOf(stack);
}

// The parts of a span in which the thread does the same: [{first, last, doing}].
function partsOfSpan(thread, span) {
  const parts = [], own = doingOf(span.stack);
  let from = span.first;
  for (let i = placeAt(thread.states, from); i < thread.states.length; i++) {
    const s = thread.states[i], first = Math.max(s.first, span.first), last = Math.min(s.last, span.last);
    if (first > span.last) break;
    if (first > from) parts.push({first: from, last: first - 1, doing: own});
    parts.push({first, last, doing: DOING[s.state]});
    from = last + 1;
  }
  if (from <= span.last) parts.push({first: from, last: span.last, doing: own});
  return parts;
}
