/* SPDX-License-Identifier: Apache-2.0 */
// All JVMs at one packet, side by side: threads with equal call stacks together.

// The JVM's threads at a packet by their call stacks: Map of stack to threads.
function stacksAt(run, jvm, packet) {
  const groups = new Map();
  for (const thread of run.rows) {
    if (thread.jvm !== jvm) continue;
    const stack = stackAt(thread, packet);
    if (stack === null) continue;
    if (!groups.has(stack)) groups.set(stack, []);
    groups.get(stack).push(thread);
  }
  return groups;
}

function namesOf(threads) {
  const names = threads.slice(0, 6).map(t => t.label).join(', ');
  return threads.length > 6 ? `${names} and ${threads.length - 6} more` : names;
}

// More frames of the platform in a row than this are folded.
const PLATFORM_SHOWN = 3;

function frameElement(frame) {
  const item = make('li', isPlatform(frame) ? '' : 'app');
  setText(item, frameText(frame));
  return item;
}

function foldedFrames(frames) {
  const item = make('li'), fold = make('details'), summary = make('summary'), list = make('ol');
  setText(summary, `${frames.length} frames of the platform`);
  list.append(...frames.map(frameElement));
  fold.append(summary, list);
  item.append(fold);
  return item;
}

// Lists of one frame each; many of the platform in a row are one list. The executing frame stays.
function partsOf(frames) {
  const parts = frames.slice(0, 1).map(f => [f]);
  for (let i = 1, n; i < frames.length; i += n) {
    for (n = 0; i + n < frames.length && isPlatform(frames[i + n]); n++);
    if (n > PLATFORM_SHOWN) parts.push(frames.slice(i, i + n));
    else parts.push(...frames.slice(i, i + (n = Math.max(n, 1))).map(f => [f]));
  }
  return parts;
}

// "running", or "2 running, 1 blocked on a monitor".
function doingText(stack, threads, packet) {
  const counts = new Map();
  for (const t of threads) {
    const doing = doingAt(t, packet, stack);
    counts.set(doing, (counts.get(doing) || 0) + 1);
  }
  if (counts.size === 1) return [...counts.keys()][0];
  return [...counts].map(([doing, count]) => `${count} ${doing}`).join(', ');
}

function stackElement(stack, threads, changed, {packet, thread}) {
  const chosen = threads.some(t => t.number === thread);
  const box = make('div', [changed ? 'changed' : '', chosen ? 'chosen' : ''].join(' ').trim());
  const title = make('h4'), list = make('ol');
  setText(title, `${namesOf(threads)}: ${doingText(stack, threads, packet)}${changed ? ', new' : ''}`);
  for (const part of partsOf(framesOf(stack)))
    list.append(part.length > PLATFORM_SHOWN ? foldedFrames(part) : frameElement(part[0]));
  box.append(title, list);
  return box;
}

function jvmElement(run, jvm, state) {
  const box = make('div', 'jvm'), title = make('h3');
  const now = stacksAt(run, jvm, state.packet), before = stacksAt(run, jvm, state.packet - 1);
  setText(title, roleText(run, jvm));
  box.append(title);
  const elements = [...now].map(([stack, threads]) => [applicationOf(stack), stackElement(stack,
    threads, before.size && !before.has(stack), state)]);
  box.append(...elements.filter(([own]) => own).map(([, e]) => e));
  const others = elements.filter(([own]) => !own).map(([, e]) => e);
  if (others.length) {
    const fold = make('details'), summary = make('summary');
    const count = [...now].filter(([s]) => !applicationOf(s)).reduce((n, [, t]) => n + t.length, 0);
    setText(summary, `${count} thread${count === 1 ? '' : 's'} outside the application's code`);
    fold.append(summary, ...others);
    fold.open = others.some(e => e.classList.contains('chosen'));
    box.append(fold);
  }
  if (!now.size) {
    const note = make('p', 'dim');
    setText(note, 'No call stacks at this packet.');
    box.append(note);
  }
  return box;
}

function showMoment(run, state) {
  const jvms = run.jvms.map((_, i) => i).filter(i => run.roles[i]);
  setText($('moment-title'), `All JVMs at packet ${state.packet}`);
  $('moment').replaceChildren(...jvms.map(i => jvmElement(run, i, state)));
}
