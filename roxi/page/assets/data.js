/* SPDX-License-Identifier: Apache-2.0 */
// What the page holds (roxi/page/page_data.h), and how to ask it.

const data = JSON.parse($('data').textContent);

const DOING = ['running', 'sleeping', 'waiting', 'in the network', 'in a file'];
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

function unpackThread([jvm, node, name, outside, flat], i, counts) {
  const spans = [];
  let at = 0;
  for (let k = 0; k < flat.length; k += 3) {
    const first = at + flat[k];
    at = first + flat[k + 1];
    spans.push({first, last: at - 1, stack: flat[k + 2]});
  }
  const key = `${jvm} ${node} ${name}`;
  counts.set(key, (counts.get(key) || 0) + 1);
  return {
    number: i, jvm, spans, node: data.strings[node], name: data.strings[name], key,
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

// The stack of a thread at a packet; null: it is not there.
function stackAt(thread, packet) {
  let low = 0, high = thread.spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thread.spans[middle].last < packet) low = middle + 1;
    else high = middle;
  }
  const span = thread.spans[low];
  return span && span.first <= packet ? span.stack : null;
}
