/* SPDX-License-Identifier: Apache-2.0 */
// The report: what is chosen, and what follows from it. It is in the address, so that a link shows
// the same: #run=NAME&packet=N&thread=N&view=FROM-TO&area=FROM-TO-TOP-BOTTOM&base=...

const state = {run: null, packet: 0, thread: -1, area: null, base: null, idle: false};

// ---- the address ----

const areaText = a => [a.from, a.to, a.top, a.bottom].join('-');

function areaOf(text) {
  const [from, to, top, bottom] = (text || '').split('-').map(Number);
  const last = line.rows.length - 1;
  if (![from, to, top, bottom].every(Number.isInteger) || from > to || top > bottom) return null;
  return {from, to, top: Math.min(top, last), bottom: Math.min(bottom, last)};
}

function addressOf(s) {
  const words = [`run=${encodeURIComponent(s.run.name)}`];
  if (s.packet) words.push(`packet=${s.packet}`);
  if (s.thread >= 0) words.push(`thread=${s.thread}`);
  if (s.view && (s.view[0] !== s.run.first || s.view[1] !== s.run.last + 1))
    words.push(`view=${s.view.map(Math.round).join('-')}`);
  if (s.idle) words.push('idle=1');
  if (s.area) words.push(`area=${areaText(s.area)}`);
  if (s.base) words.push(`base=${areaText(s.base)}`);
  return `#${words.join('&')}`;
}

function writeAddress() {
  const address = addressOf({...state, view: line.view});
  if (address !== location.hash) history.replaceState(null, '', address);
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const run = data.runs.find(r => r.name === words.get('run')) || data.runs[0];
  state.idle = words.get('idle') === '1';
  chooseRun(run);
  if (!run.rows) return;
  const thread = run.rows[Number(words.get('thread') || -1)];
  scrollToDeparture(run);
  if (thread) {
    state.thread = thread.number;
    if (thread.idle && !state.idle) showIdle(true);
  }
  const view = (words.get('view') || '').split('-').map(Number);
  if (view.length === 2 && view[0] < view[1]) setView(...view);
  state.area = areaOf(words.get('area'));
  state.base = areaOf(words.get('base'));
  choosePacket(Number(words.get('packet')) || departureOf(run) || run.first);
  if (state.area) showChosenFlame();
}

// ---- choosing ----

// When the run departs, by its first finding that says so.
function departureOf(run) {
  const found = run.findings.find(([, packet]) => packet);
  return found ? found[1] : 0;
}

function setView(from, to) {
  const {first, last} = state.run, least = Math.min(5, last + 1 - first);
  const size = Math.min(Math.max(to - from, least), last + 1 - first);
  const start = Math.min(Math.max(from, first), last + 1 - size);
  line.view = [start, start + size];
}

function showDepartures(run) {
  $('departures').replaceChildren(...run.findings.slice(0, 5).map(([text, packet]) => {
    const item = make('li'), link = make(packet ? 'a' : 'span');
    if (packet) link.href = addressOf({run, packet, thread: -1});
    setText(link, packet ? `packet ${packet}: ${text}` : text);
    item.append(link);
    return item;
  }));
}

function showRoles(run) {
  $('role').replaceChildren(...run.trees.map((tree, i) => {
    const option = make('option');
    option.value = i;
    setText(option, data.strings[tree.role]);
    return option;
  }));
  // The role in which the run departs, else the first one with threads in the application's code.
  const found = run.findings.length ? run.findings[0][3] : -1;
  const at = run.trees.findIndex(t => t.role === found);
  $('role').value = Math.max(0, at >= 0 ? at : run.trees.findIndex(t => t.nodes.length > 4));
}

function chooseRun(run) {
  unpack(run);
  Object.assign(state, {run, thread: -1, area: null, base: null});
  $('run').value = data.runs.indexOf(run);
  for (const section of document.querySelectorAll('section.run'))
    if (Number(section.dataset.run) === data.runs.indexOf(run))
      for (const fold of [...section.querySelectorAll('details')].slice(0, 1)) fold.open = true;
  for (const id of ['lines', 'moment', 'moment-title', 'merged', 'legend', 'keys']) $(id).hidden = !run.rows;
  $('no-lines').hidden = Boolean(run.rows);
  showDepartures(run);
  showRoles(run);
  if (run.rows) {
    line.colours = coloursOf(run);
    setView(run.first, run.last + 1);
    showLegend();
    showIdle(state.idle);
  }
  showChosenFlame();
}

function showIdle(yes) {
  state.idle = $('idle').checked = yes;
  line.rows = rowsOf(state.run, yes);
  state.area = state.base = null;
  resizeLines();
}

function reading() {
  const {run, packet, thread} = state, chosen = run.rows[thread];
  if (!chosen) return '';
  const stack = stackAt(chosen, packet), own = stack === null ? '' : applicationOf(stack);
  const where = stack === null ? 'not there' :
    `${doingAt(chosen, packet, stack)}${own ? ` in ${own}` : stack ? `, ${frameText(frameOf(stack))}` : ''}`;
  return `${roleText(run, chosen.jvm)}, ${chosen.label}, packet ${packet}: ${where}`;
}

function draw() {
  if (!state.run.rows) return;
  drawLines(state.run, state);
  setText($('reading'), reading());
  $('canvas').setAttribute('aria-label', `Time line of ${state.run.name}. ${reading()}`);
}

function choosePacket(packet) {
  const {run} = state;
  if (!run.rows) return;
  state.packet = Math.min(Math.max(packet, run.first), run.last);
  const [from, to] = line.view;
  if (state.packet < from) setView(state.packet, state.packet + to - from);
  if (state.packet >= to) setView(state.packet + 1 - (to - from), state.packet + 1);
  setText($('packet'), `packet ${state.packet} (${secondsAt(run, state.packet).toFixed(1)} s)`);
  showMoment(run, state);
  showMerged(run, state);
  draw();
  writeAddress();
}

function moveThread(by) {
  const rows = line.rows.map((r, i) => [r.thread, i]).filter(([t]) => t);
  const at = rows.findIndex(([t]) => t.number === state.thread);
  const to = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  if (!to) return;
  state.thread = to[0].number;
  scrollToRow(to[1]);
  choosePacket(state.packet);
}

function scrollToRow(row) {
  const y = row * ROW, box = $('lines');
  if (y < box.scrollTop) box.scrollTop = y;
  if (y + 3 * ROW > box.scrollTop + line.height) box.scrollTop = y + 3 * ROW - line.height;
}

// To the thread of the first finding, in the call stack in which it departs if one has it.
function scrollToDeparture(run) {
  const [, packet, stack, role, , name] = run.findings[0] || [];
  const rows = line.rows.map((r, i) => [r.thread, i]).filter(([t]) => t && run.jvms[t.jvm] === role);
  const found = rows.find(([t]) => stack && stackAt(t, packet) === stack) ||
    rows.find(([t]) => t.name === data.strings[name]) || rows[0];
  if (found) $('lines').scrollTop = (found[1] + 1) * ROW - line.height / 2;
}

// "packets 30 to 49 of 3 threads of Client A"; of several JVMs or nodes without their names.
function areaInWords(run, area) {
  const threads = line.rows.slice(area.top, area.bottom + 1).map(r => r.thread).filter(t => t);
  const owners = new Set(threads.map(t => roleText(run, t.jvm) + (t.node ? `, ${t.node}` : '')));
  const count = `${threads.length} thread${threads.length === 1 ? '' : 's'}`;
  return `packets ${area.from} to ${area.to} of ${count}${owners.size === 1 ? ` of ${[...owners][0]}` : ''}`;
}

function showChosenFlame() {
  const {run, area, base} = state;
  if (area) {
    const against = base ? `; compared with ${areaInWords(run, base)}` : '';
    showFlame(treeOfAreas(area, base), `What was dragged over: ${areaInWords(run, area)}${against}.`);
    return;
  }
  const tree = run.trees[Number($('role').value)];
  showFlame(tree ? treeOfRole(tree.nodes) : newNode('all threads', null), 'Threads at a packet, on ' +
    'average, compared with the normal runs; without threads outside the application\u2019s code.');
}

// ---- input ----

function zoom(by, at) {
  const [from, to] = line.view, middle = at === undefined ? state.packet + .5 : at;
  const size = (to - from) * by;
  setView(middle - (middle - from) * by, middle - (middle - from) * by + size);
  draw();
  writeAddress();
}

function showWhole() {
  setView(state.run.first, state.run.last + 1);
  draw();
  writeAddress();
}

function pan(by) {
  const [from, to] = line.view;
  setView(from + by * (to - from), to + by * (to - from));
  draw();
}

function forget() {
  state.area = state.base = null;
  showChosenFlame();
  draw();
  writeAddress();
}

const KEYS = {
  ArrowLeft: () => choosePacket(state.packet - 1),
  ArrowRight: () => choosePacket(state.packet + 1),
  PageUp: () => pan(-.5),
  PageDown: () => pan(.5),
  ArrowUp: () => moveThread(-1),
  ArrowDown: () => moveThread(1),
  '+': () => zoom(.5),
  '-': () => zoom(2),
  0: showWhole,
  Escape: forget,
  '/': () => $('search').focus(),
};
// These keys scroll, unless the time line has the focus.
const ONLY_IN_LINES = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown'];

function onKey(event) {
  const at = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || at.matches('select, input[type=search]')) return;
  if (ONLY_IN_LINES.includes(event.key) && at !== $('canvas')) return;
  const action = KEYS[event.key];
  if (!action || !state.run.rows) return;
  event.preventDefault();
  action();
}

// ---- dragging ----

let drag = null; // {x, y, shift}

function positionOf(event) {
  const box = $('canvas').getBoundingClientRect();
  return {x: event.clientX - box.left, y: event.clientY - box.top};
}

function areaBetween(a, b) {
  const within = x => Math.min(Math.max(packetAt(x), state.run.first), state.run.last);
  const rows = [Math.max(0, rowAt(a.y)), Math.max(0, rowAt(b.y))];
  return {from: within(Math.min(a.x, b.x)), to: within(Math.max(a.x, b.x)), top: Math.min(...rows),
          bottom: Math.max(...rows)};
}

function onMove(event) {
  const at = positionOf(event);
  if (drag && Math.abs(at.x - drag.x) > 4) {
    state[drag.shift ? 'base' : 'area'] = areaBetween(drag, at);
    draw();
  }
}

function onUp(event) {
  const at = positionOf(event), from = drag;
  drag = null;
  if (!from) return;
  if (Math.abs(at.x - from.x) > 4) {
    writeAddress();
    showChosenFlame();
    return;
  }
  const row = line.rows[rowAt(at.y)];
  if (row && row.thread) state.thread = row.thread.number;
  choosePacket(at.x > line.label ? packetAt(at.x) : state.packet);
}

function onWheel(event) {
  if (!event.ctrlKey && !event.shiftKey) return;
  event.preventDefault();
  const by = event.deltaY || event.deltaX;
  if (event.ctrlKey) zoom(by > 0 ? 1.25 : .8, packetAt(positionOf(event).x));
  else pan(by > 0 ? .1 : -.1);
}

function listenToLines() {
  const canvas = $('canvas');
  canvas.addEventListener('pointerdown', event => {
    drag = {...positionOf(event), shift: event.shiftKey};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', onMove);
  canvas.addEventListener('pointerup', onUp);
  canvas.addEventListener('pointercancel', () => { drag = null; });
  canvas.addEventListener('wheel', onWheel, {passive: false});
  $('lines').addEventListener('scroll', draw);
}

function listenToControls() {
  $('run').addEventListener('change', () => {
    location.hash = `run=${encodeURIComponent(data.runs[Number($('run').value)].name)}`;
  });
  for (const [id, key] of [['back', 'ArrowLeft'], ['forth', 'ArrowRight'], ['closer', '+'],
                           ['farther', '-'], ['whole', '0']])
    $(id).addEventListener('click', () => state.run.rows && KEYS[key]());
  $('idle').addEventListener('change', () => { showIdle($('idle').checked); choosePacket(state.packet); });
  $('role').addEventListener('change', () => { state.area = state.base = null; showChosenFlame(); draw(); });
  $('merged').addEventListener('toggle', () => state.run.rows && showMerged(state.run, state));
  $('search').addEventListener('input', () => showHits($('search').value.trim()));
  document.addEventListener('keydown', onKey);
}

function redraw() {
  readColours();
  if (state.run.rows) resizeLines();
  draw();
  drawFlame();
  drawHeat();
}

function start() {
  readColours();
  startHeat();
  if (!data.runs.length) return;
  $('explorer').hidden = false;
  $('run').replaceChildren(...data.runs.map((run, i) => {
    const option = make('option');
    option.value = i;
    setText(option, `${run.name}${run.typical ? ', typical' : ''}`);
    return option;
  }));
  listenToLines();
  listenToFlame();
  listenToControls();
  readAddress();
  addEventListener('hashchange', () => {
    readAddress();
    $('explorer').scrollIntoView();
  });
  addEventListener('resize', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('section.run details')) fold.open = true;
    line.printing = true;
    redraw();
  });
  addEventListener('afterprint', () => {
    line.printing = false;
    redraw();
  });
}
start();
