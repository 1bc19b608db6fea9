/* SPDX-License-Identifier: Apache-2.0 */
// The viewer; schema/page/base.js comes before it.

const EVERY_MS = 1000;

const view = {
  state: null,    // the last api/state
  execution: 0,   // 0: the latest
  vm: 0,          // 0: none
  role: '',       // the JVM's, to find it again in the next run
  thread: 0,      // 0: none
  name: '',       // the thread's
  frozen: 0,      // the packet shown everywhere; 0: live
  moment: null,   // who took the frozen packet
  threads: null,  // the last list of threads
};

// ---- words ----

function share(part, whole) {
  if (!whole) return '-';
  const percent = 100 * part / whole;
  return `${part} (${percent === 0 ? '0' : percent < 0.1 ? '<0.1' : percent.toFixed(1)}%)`;
}

// A frame in short: "Client.run:65".
function shortPlace(frame) {
  if (!frame) return '-';
  const line = frame.line > 0 ? `:${frame.line}` : frame.line === -3 ? ' (native)' : '';
  return `${frame.class.slice(frame.class.lastIndexOf('.') + 1)}.${frame.method}${line}`;
}

// ---- elements ----

// Makes container's children match `items`, in order, reusing existing elements so that focus and
// scroll position stay. `fill` puts an item's data into its element.
function sync(container, items, key, create, fill) {
  const old = new Map(Array.from(container.children, c => [c.dataset.key, c]));
  let place = container.firstChild;
  for (const item of items) {
    const name = String(key(item));
    let element = old.get(name);
    if (element) {
      old.delete(name);
    } else {
      element = create(item);
      element.dataset.key = name;
    }
    if (element === place) place = place.nextSibling;
    else container.insertBefore(element, place);
    fill(element, item);
  }
  for (const element of old.values()) element.remove();
}

function row(cells) {
  return () => {
    const tr = make('tr');
    tr.setAttribute('role', 'row');
    for (const className of cells) tr.append(make('td', className));
    return tr;
  };
}

function fillCells(tr, texts) {
  texts.forEach((text, i) => {
    setText(tr.cells[i], text);
    tr.cells[i].title = String(text);
  });
}

// Tab reaches one row of a table: the chosen one or the first.
function markChosen(tbody, chosen) {
  const rows = Array.from(tbody.rows);
  const at = rows.find(r => r.dataset.key === String(chosen));
  rows.forEach(r => {
    r.setAttribute('aria-selected', r === at ? 'true' : 'false');
    r.tabIndex = r === (at || rows[0]) ? 0 : -1;
  });
}

// Bars from the left, one per value; null leaves a gap. `mark(i)` gives a class.
function bars(svg, values, width, height, mark, least) {
  const top = Math.max(least, ...values.map(v => v === null ? 0 : v));
  const step = width / Math.max(values.length, 30);
  svg.replaceChildren(...values.flatMap((value, i) => {
    if (value === null) return [];
    const bar = document.createElementNS(SVG, 'rect');
    const tall = Math.max(value > 0 ? 1 : 0, value / top * height);
    bar.setAttribute('x', (i * step).toFixed(2));
    bar.setAttribute('width', Math.max(0.5, step - 0.6).toFixed(2));
    bar.setAttribute('y', (height - tall).toFixed(2));
    bar.setAttribute('height', tall.toFixed(2));
    bar.setAttribute('class', mark(i));
    return [bar];
  }));
}

// ---- talking to the server ----

async function call(path, method) {
  const response = await fetch('api/' + path, {method: method || 'GET', cache: 'no-store'});
  const body = await response.json();
  if (response.ok) return body;
  const error = new Error(body.error || response.statusText);
  error.status = response.status;
  throw error;
}

function say(text, bad) {
  setText($('status'), text);
  $('status').className = bad ? 'bad' : '';
}

// ---- the run ----

function showExecutions(state) {
  const chosen = state.execution ? state.execution.execution : 0;
  const select = $('execution');
  sync(select, state.executions, e => e.execution, e => {
    const option = make('option');
    option.value = String(e.execution);
    return option;
  }, (option, e) => {
    const word = e.end_ns === null ? ' (running)' : e.verdict === 'unknown' ? '' : ` (${e.verdict})`;
    setText(option, e.name + word);
  });
  if (document.activeElement !== select) select.value = String(chosen);
}

function showFigures(e) {
  const pairs = [
    ['JVMs', `${e.running} of ${e.vm_count} running`], ['packets', e.packets],
    ['snapshots', e.taken], ['lost', share(e.lost, e.requests)],
  ];
  sync($('figures'), pairs.flatMap(p => [['dt', p[0], p[0]], ['dd', p[0], p[1]]]),
    p => p[0] + p[1], p => make(p[0]), (element, p) => setText(element, p[2]));
}

function showCharts(e) {
  const s = e.series;
  const now = i => s.packet[i] === view.frozen ? 'now' : 'bar';
  bars($('skew-chart'), s.skew_ns, 300, 44, now, 1000);
  setText($('skew-text'), s.skew_p50_ns === null ? '-' :
    `p50 ${duration(s.skew_p50_ns)}, p99 ${duration(s.skew_p99_ns)}`);
  const lost = i => s.taken[i] !== null && s.taken[i] < s.sent[i];
  // Packets below one that all JVMs have taken are lost; later ones may still be reported.
  const past = commonPacket(e);
  const open = i => s.open_from !== null && s.packet[i] >= s.open_from && s.packet[i] > past;
  bars($('taken-chart'), s.taken, 300, 44,
    i => now(i) === 'bar' && lost(i) ? (open(i) ? 'open' : 'bad') : now(i), 1);
  setText($('taken-text'), s.packet.length ? `of the last ${s.packet.length}` : '-');
}

// ---- the JVMs ----

function taker(vm) {
  return view.moment ? view.moment.vms.find(t => t.vm === vm.vm) : null;
}

function packetText(vm) {
  if (!view.frozen) return vm.last_packet || '-';
  const t = taker(vm);
  return !t ? '...' : !t.taken ? 'not taken' : t.after_ns ? `+${duration(t.after_ns)}` : 'first';
}

function showVm(tr, vm) {
  const t = taker(vm);
  fillCells(tr, [vm.role, `${vm.pid} on ${vm.host}`, vm.state_text, packetText(vm), vm.taken,
    share(vm.lost, vm.requests), view.frozen ? (t && t.taken ? t.threads : '-') : vm.threads,
    view.frozen ? (t && t.taken ? duration(t.stop_ns) : '-') : duration(vm.stops.p50_ns),
    view.frozen ? '' : duration(vm.stops.p99_ns)]);
  if (vm.ended_text) tr.cells[2].title = vm.ended_text;
  tr.cells[2].className = `state-${vm.state}`;
  tr.cells[3].className = t && !t.taken ? 'n lost' : 'n';
  tr.cells[5].className = vm.lost ? 'n lost' : 'n';
  tr.className = ['running', 'quiet', 'silent'].includes(vm.state) ? '' : 'over';
  let svg = tr.cells[9].firstChild;
  if (!svg) {
    svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 120 16');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('class', 'small');
    tr.cells[9].append(svg);
  }
  bars(svg, vm.stops.stop_ns, 120, 16, i => vm.stops.packet[i] === view.frozen ? 'now' : 'bar', 1000);
}

const VM_CELLS = ['', '', '', 'n', 'n', 'n', 'n', 'n', 'n', ''];

function showVms(e) {
  const wanted = $('vm-filter').value.toLowerCase();
  const shown = e.vms.filter(vm => vm.role.toLowerCase().includes(wanted));
  sync($('vms'), shown, vm => vm.vm, row(VM_CELLS), showVm);
  markChosen($('vms'), view.vm);
  setText($('col-packet'), view.frozen ? 'Stopped at' : 'Packet');
  setText($('col-stop'), view.frozen ? 'Stop' : 'Stop p50');
  setText($('col-p99'), view.frozen ? '' : 'p99');
  setText($('vm-count'), e.vm_count > e.vms.length ? `the first ${e.vms.length} of ${e.vm_count}` :
    shown.length < e.vms.length ? `${shown.length} of ${e.vms.length}` : String(e.vms.length));
}

// The view follows to the next run: to the JVM of the same role there.
function follow(e) {
  if (!view.vm || e.vms.some(vm => vm.vm === view.vm)) return;
  const same = e.vms.find(vm => vm.role === view.role);
  if (!same) return;
  view.vm = same.vm;
  view.thread = 0;
}

function showState() {
  const state = view.state;
  if (!state) return;
  showExecutions(state);
  $('sampling').setAttribute('aria-pressed', state.paused ? 'true' : 'false');
  setText($('sampling'), state.paused ? 'Resume sampling' : 'Stop sampling');
  const e = state.execution;
  if (!e) return;
  follow(e);
  setText($('verdict'), e.end_ns === null ? '' : `ended, ${e.verdict}`);
  showFigures(e);
  showCharts(e);
  showVms(e);
  setText($('packet'), view.frozen || e.last_packet || '-');
  $('freeze').setAttribute('aria-pressed', view.frozen ? 'true' : 'false');
  setText($('freeze'), view.frozen ? 'Resume' : 'Pause');
  $('back').disabled = !view.moment || view.moment.previous === null;
  $('forth').disabled = !view.moment || view.moment.next === null;
}

// ---- who waits for whom ----

function party(p) {
  const role = p.role === null ? '?' : p.role;
  return p.thread === null ? role : `${role} "${p.thread}"`;
}

function sameParty(a, b) {
  return a.vm === b.vm && a.role === b.role && a.thread === b.thread;
}

// A chain as a line; how each one waits is in its title.
function chainLine(chain, className) {
  return {
    className, text: chain.map(party).join(' \u2192 '),
    title: chain.map(p => party(p) + (p.why ? `: ${p.why} ${p.via || ''}` : '')).join('\n'),
  };
}

function waitsLines(w) {
  const lines = w.deadlocks.map(ring => {
    const line = chainLine([...ring, ring[0]], 'bad');
    line.text = 'deadlock: ' + line.text;
    return line;
  });
  const inRing = chain => w.deadlocks.some(r => r.some(p => sameParty(p, chain[chain.length - 1])));
  lines.push(...w.chains.filter(inRing).map(c => chainLine(c, 'chain')));
  for (const end of w.least_progressed) {
    const text = `${party(end)}: ${end.state}, waited for by ${end.waited_for_by}`;
    lines.push({className: '', text, title: text});
    lines.push(...w.chains.filter(c => sameParty(c[c.length - 1], end)).map(c => chainLine(c, 'chain')));
  }
  const more = w.chains_left_out + w.deadlocks_left_out + w.least_progressed_count -
    w.least_progressed.length;
  if (more) lines.push({className: '', text: `and ${more} more`, title: ''});
  return lines;
}

// note: said instead of the answer's packet; answer null: nothing is known, as the note says.
function showWaits(answer, note) {
  const lines = answer ? waitsLines(answer) : [];
  sync($('waits'), lines.map((line, i) => ({...line, i})), l => l.i, () => make('li'), (li, l) => {
    setText(li, l.text);
    li.title = l.title;
    li.className = l.className;
  });
  $('waits-part').hidden = !lines.length && !note;
  setText($('waits-count'), note || (answer ? `at packet ${answer.packet}` : ''));
  showTalks(answer);
}

// The last answers. The server knows only the newest packet, and the page asks about some packets only;
// so a frozen view shows the newest answer up to its packet, and says of which packet that is.
const KEPT_WAITS = 60;
let keptWaits = [];

function keepWaits(answer) {
  keptWaits = keptWaits.filter(a => a.execution === answer.execution && a.packet !== answer.packet)
    .slice(1 - KEPT_WAITS).concat(answer);
}

function showFrozenWaits() {
  const known = keptWaits.filter(a => a.execution === view.execution);
  const last = known.filter(a => a.packet <= view.frozen)
    .reduce((a, b) => a && a.packet > b.packet ? a : b, null);
  const exact = last && last.packet === view.frozen;
  const unknown = `not known at packet ${view.frozen}`;
  showWaits(last, exact || !known.length ? '' : last ? `at packet ${last.packet}; ${unknown}` : unknown);
}

async function loadWaits(turn) {
  const e = view.state && view.state.execution;
  if (!e) return;
  if (view.frozen) {
    showFrozenWaits();
    return;
  }
  try {
    const answer = await call(`waits?execution=${e.execution}`);
    keepWaits(answer);
    if (turn === turns) showWaits(answer, '');
  } catch (error) {
    if (!error.status) throw error;
    if (turn === turns) showWaits(null, error.status === 503 ? error.message : '');
  }
}

// ---- threads and a stack ----

function showThreads() {
  const list = view.threads;
  const all = list ? list.threads : [];
  const wanted = $('thread-filter').value.toLowerCase();
  const shown = all.filter(t => !($('hide-idle').checked && t.idle) &&
    [t.name, t.group, t.top ? t.top.text : ''].some(s => s.toLowerCase().includes(wanted)));
  sync($('threads'), shown, t => t.thread, row(['', '', '', '']), (tr, t) => {
    const word = t.state.split(' ')[0];
    fillCells(tr, [t.name, t.state + (t.native ? ', native' : '') + (t.suspended ? ', suspended' : ''),
      t.group + (t.virtual ? ' (virtual)' : ''), shortPlace(t.top)]);
    tr.cells[3].title = t.top ? t.top.text : '';
    tr.className = t.idle ? 'idle' : '';
    tr.cells[1].className = t.idle ? '' : `state-${word}`;
  });
  markChosen($('threads'), view.thread);
  setText($('thread-count'), !list ? '' :
    `${shown.length} of ${list.thread_count} of ${view.role} in packet ${list.packet}`);
}

function showStack(answer) {
  setText($('stack-name'), answer ? `${answer.thread.name}, packet ${answer.packet}` : '');
  const lines = answer ? answer.frames.map(f => f.text) : [];
  if (answer && answer.left_out) lines.push(`... ${answer.left_out} more`);
  if (answer && answer.cut) lines.push('... callers cut off by the depth limit');
  sync($('stack'), lines.map((text, i) => ({text, i})), l => l.i, () => make('li'),
    (li, l) => setText(li, l.text));
  setText($('stack-note'), !view.thread ? 'Choose a thread.' :
    answer && !lines.length ? 'No Java frames.' : '');
}

async function loadThreads(turn) {
  let sought = false; // scroll to a thread that was found by name
  if (!view.vm) return;
  try {
    const list = await call(`vm/${view.vm}/packet/${view.frozen || 'last'}`);
    if (turn !== turns) return;
    view.threads = list;
    const same = view.name && !view.thread && list.threads.find(t => t.name === view.name);
    if (same) view.thread = same.thread;
    sought = Boolean(same);
    setText($('threads-note'), '');
  } catch (error) {
    if (turn !== turns) return;
    if (!error.status) throw error;
    if (error.status !== 503) view.threads = null;
    setText($('threads-note'), error.message);
  }
  showThreads();
  const chosen = $('threads').querySelector('[aria-selected=true]');
  if (sought && chosen) chosen.scrollIntoView({block: 'nearest'});
  await loadStack(turn);
}

async function loadStack(turn) {
  if (!view.thread || !view.threads) {
    showStack(null);
    return;
  }
  try {
    const answer = await call(`vm/${view.vm}/packet/${view.threads.packet}/thread/${view.thread}`);
    if (turn === turns) showStack(answer);
  } catch (error) {
    if (turn !== turns) return;
    if (!error.status) throw error;
    if (error.status !== 503) showStack(null);
    setText($('stack-note'), error.message);
  }
}

// ---- updates ----

let turns = 0; // replies to an older turn are discarded
let timer = 0;

async function turn() {
  const mine = ++turns;
  clearTimeout(timer);
  let next = EVERY_MS;
  try {
    if (view.frozen) {
      const moment = await call(`execution/${view.execution}/packet/${view.frozen}`);
      if (mine !== turns) return;
      view.moment = moment;
    } else {
      const state = await call('state' + (view.execution ? `?execution=${view.execution}` : ''));
      if (mine !== turns) return;
      view.state = state;
    }
    showState();
    await loadThreads(mine);
    if (mine !== turns) return;
    await loadWaits(mine);
    if (mine !== turns) return;
    say(view.frozen ? `paused at packet ${view.frozen} of all JVMs` :
      view.state.paused ? 'sampling is stopped' : 'live');
  } catch (error) {
    if (mine !== turns) return;
    say(error.status === 503 ? 'busy' : error.status ? error.message :
      'the server does not answer; it may have ended', error.status !== 503);
    if (error.status !== 503) next = 3 * EVERY_MS;
  }
  // A frozen view changes only while something is still missing.
  if (!view.frozen || $('threads-note').textContent || $('stack-note').textContent)
    timer = setTimeout(turn, next);
}

// The newest packet that all running JVMs have taken.
function commonPacket(e) {
  const last = e.vms.filter(vm => vm.state === 'running' && vm.last_packet).map(vm => vm.last_packet);
  return last.length ? Math.min(...last) : Math.max(0, ...e.vms.map(vm => vm.last_packet));
}

function freeze() {
  const e = view.state && view.state.execution;
  if (!e) return;
  view.moment = null;
  if (view.frozen) {
    view.frozen = 0;
    view.execution = followed;
  } else {
    view.frozen = commonPacket(e);
    followed = view.execution;
    view.execution = e.execution;
  }
  turn();
}
let followed = 0; // the chosen run before the view was frozen

function step(which) {
  const to = view.moment && view.moment[which];
  if (!view.frozen || !to) return;
  view.frozen = to;
  turn();
}

function chooseVm(id) {
  const vm = view.state.execution.vms.find(v => v.vm === Number(id));
  view.vm = Number(id);
  view.role = vm ? vm.role : '';
  view.thread = 0;
  view.name = '';
  view.threads = null;
  showThreads();
  showStack(null);
  markChosen($('vms'), view.vm);
  turn();
}

function chooseThread(id) {
  const thread = view.threads.threads.find(t => t.thread === Number(id));
  view.thread = Number(id);
  view.name = thread ? thread.name : '';
  markChosen($('threads'), view.thread);
  turn();
}

function chooseExecution() {
  const list = view.state ? view.state.executions : [];
  const id = Number($('execution').value);
  // If the latest run is chosen, the view follows to the next one.
  view.execution = followed = list.length && list[0].execution === id ? 0 : id;
  view.frozen = view.vm = view.thread = 0;
  view.role = view.name = '';
  view.moment = view.threads = null;
  $('execution').blur();
  setText($('threads-note'), 'Choose a JVM.');
  showThreads();
  showStack(null);
  turn();
}

async function act(path) {
  try {
    const done = await call(path, 'POST');
    if (view.state && 'paused' in done) view.state.paused = done.paused;
    if (!view.frozen) turn();
    else showState();
    if (done.packet) say(`packet ${done.packet} sent to ${done.vms} JVM${done.vms === 1 ? '' : 's'}`);
  } catch (error) {
    say(error.message, true);
  }
}

function listen(tbody, choose) {
  tbody.addEventListener('click', event => {
    const tr = event.target.closest('tr');
    if (tr) choose(tr.dataset.key);
  });
  tbody.addEventListener('keydown', event => {
    const tr = event.target.closest('tr');
    const to = event.key === 'ArrowDown' ? tr.nextElementSibling :
      event.key === 'ArrowUp' ? tr.previousElementSibling : null;
    if (to) {
      to.tabIndex = 0;
      to.focus();
      event.preventDefault();
    } else if (event.key === 'Enter') {
      choose(tr.dataset.key);
    }
  });
}

const KEYS = {
  ' ': freeze,
  ArrowLeft: () => step('previous'),
  ArrowRight: () => step('next'),
  s: () => $('snapshot').click(),
  p: () => $('sampling').click(),
  i: () => $('hide-idle').click(),
  '/': () => $('thread-filter').focus(),
};

document.addEventListener('keydown', event => {
  const at = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || at.matches('select, input[type=search]')) {
    if (event.key === 'Escape') at.blur();
    return;
  }
  // Space presses the focused button.
  if (event.key === ' ' && at.matches('button, input')) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// Space is for Pause, not for the last clicked button. (A click by key has detail 0.)
document.addEventListener('click', event => {
  const button = event.target.closest('button, input[type=checkbox]');
  if (button && event.detail > 0) button.blur();
});
$('freeze').addEventListener('click', freeze);
$('back').addEventListener('click', () => step('previous'));
$('forth').addEventListener('click', () => step('next'));
$('snapshot').addEventListener('click', () => act('snapshot'));
$('sampling').addEventListener('click', () => act(view.state && view.state.paused ? 'resume' : 'pause'));
$('execution').addEventListener('change', chooseExecution);
$('vm-filter').addEventListener('input', showState);
$('thread-filter').addEventListener('input', showThreads);
$('hide-idle').addEventListener('change', showThreads);
listen($('vms'), chooseVm);
listen($('threads'), chooseThread);
turn();
