/* SPDX-License-Identifier: Apache-2.0 */
// The time line: packets across; a row for each JVM, node and thread. Only the visible part is
// drawn, on a canvas that stays in place while its container scrolls.

const ROW = 15;
const PRINTED = 3000; // pixels: what is printed of a time line at most
// Okabe and Ito's colours, for the methods in which a run spends most; then the same in pale.
const PALETTE = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442'];

// Rows: {title} of a JVM, a node or idle threads, or {thread}.
function rowsOf(run, showIdle) {
  const rows = [];
  let jvm = -1, node = '';
  for (const thread of run.rows) {
    if (thread.jvm !== jvm) {
      jvm = thread.jvm;
      node = '';
      rows.push({title: roleText(run, jvm), level: 0});
      const idle = run.rows.filter(t => t.jvm === jvm && t.idle).length;
      if (idle && !showIdle) rows.push({title: `${idle} idle thread${idle === 1 ? '' : 's'}`, level: 2});
    }
    if (thread.idle && !showIdle) continue;
    if (thread.node && thread.node !== node) rows.push({title: thread.node, level: 1});
    node = thread.node;
    rows.push({thread});
  }
  return rows;
}

// A colour for each method of the application in which threads were, by how long.
function coloursOf(run) {
  const packets = new Map();
  for (const thread of run.rows)
    for (const s of thread.spans) {
      const method = applicationOf(s.stack);
      if (method) packets.set(method, (packets.get(method) || 0) + s.last - s.first + 1);
    }
  const order = [...packets.keys()].sort((a, b) => packets.get(b) - packets.get(a));
  return new Map(order.map((m, i) => [m, PALETTE[i % PALETTE.length]]));
}

const line = {rows: [], colours: new Map(), view: [0, 1], width: 0, label: 0, height: 0, css: {},
  printing: false};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['fore', 'dim', 'line', 'part', 'mark', 'idle', 'new', 'blue'])
    line.css[name] = style.getPropertyValue(`--${name}`).trim();
}

const xOf = packet => line.label + (packet - line.view[0]) / (line.view[1] - line.view[0]) *
  (line.width - line.label);
const packetAt = x => Math.floor(line.view[0] + (x - line.label) / (line.width - line.label) *
  (line.view[1] - line.view[0]));

function resizeLines() {
  const box = $('lines'), canvas = $('canvas'), scale = window.devicePixelRatio || 1;
  line.width = box.clientWidth;
  line.label = Math.min(220, Math.round(line.width * .3));
  $('lines-height').style.height = `${(line.rows.length + 1) * ROW}px`;
  const most = line.printing ? PRINTED : Math.round(innerHeight * .6);
  line.height = Math.min((line.rows.length + 1) * ROW, most);
  canvas.width = line.width * scale;
  canvas.height = line.height * scale;
  canvas.style.width = `${line.width}px`;
  canvas.style.height = `${line.height}px`;
}

// How a thread that does not run is marked, at the lower edge: a thin line if it waits or sleeps,
// dashes if it is in the network or a file, a thick dark line if it is blocked.
function drawMarkOf(pen, doing, from, width, y) {
  if (doing === 'blocked on a monitor') {
    pen.fillStyle = line.css.fore;
    pen.fillRect(from, y + ROW - 6, width, 4);
    return;
  }
  pen.fillStyle = line.css.part;
  if (doing === 'waiting' || doing === 'sleeping' || width < 4) pen.fillRect(from, y + ROW - 5, width, 1.5);
  else for (let x = from; x < from + width; x += 6) pen.fillRect(x, y + ROW - 5, Math.min(3, from + width - x), 1.5);
}

function drawSpans(pen, thread, y) {
  for (const s of thread.spans) {
    if (xOf(s.last + 1) <= line.label || xOf(s.first) >= line.width) continue;
    const colour = line.colours.get(applicationOf(s.stack)) || line.css.idle;
    for (const part of partsOfSpan(thread, s)) {
      const from = Math.max(line.label, xOf(part.first)), to = Math.min(line.width, xOf(part.last + 1));
      if (to <= line.label || from >= line.width) continue;
      const width = Math.max(to - from, .7);
      pen.fillStyle = colour;
      pen.globalAlpha = part.doing === 'running' ? 1 : .55;
      pen.fillRect(from, y + 2, width, ROW - 3);
      pen.globalAlpha = 1;
      if (part.doing !== 'running') drawMarkOf(pen, part.doing, from, width, y);
    }
  }
}

function drawRow(pen, row, y, chosen) {
  const text = row.thread ? row.thread.label : row.title;
  if (chosen) {
    pen.fillStyle = line.css.mark;
    pen.fillRect(0, y, line.width, ROW);
  }
  if (row.thread) drawSpans(pen, row.thread, y);
  pen.save();
  pen.beginPath();
  pen.rect(0, y, row.thread ? line.label - 4 : line.width, ROW);
  pen.clip();
  pen.fillStyle = row.thread || row.level === 2 ? line.css.dim : line.css.fore;
  pen.font = `${row.level === 0 ? 'bold ' : ''}11px system-ui, sans-serif`;
  pen.fillText(text, row.thread ? 16 : 6 + 5 * row.level, y + ROW - 4);
  pen.restore();
}

function drawMark(pen, packet, colour, width, dash) {
  if (packet < line.view[0] || packet > line.view[1]) return;
  const x = xOf(packet + .5);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(x, 0);
  pen.lineTo(x, line.height);
  pen.stroke();
  pen.setLineDash([]);
}

function drawAxis(pen, run) {
  const [from, to] = line.view;
  const rough = (to - from) / Math.max(2, (line.width - line.label) / 110);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, [1, 2, 5, 10].find(f => f * power >= rough) * power);
  pen.fillStyle = line.css.part;
  pen.fillRect(0, 0, line.width, ROW);
  pen.fillStyle = line.css.dim;
  pen.font = '10px system-ui, sans-serif';
  for (let p = Math.ceil(from / step) * step; p < to; p += step)
    pen.fillText(`${p} (${secondsAt(run, p).toFixed(1)} s)`, xOf(p) + 2, 11);
}

function drawArea(pen, area, colour) {
  const top = ROW * (area.top + 1) - $('lines').scrollTop, rows = area.bottom - area.top + 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.strokeRect(xOf(area.from), top, xOf(area.to + 1) - xOf(area.from), rows * ROW);
}

function drawLines(run, state) {
  const canvas = $('canvas'), pen = canvas.getContext('2d'), scale = window.devicePixelRatio || 1;
  const scroll = $('lines').scrollTop;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = line.css.part;
  pen.fillRect(0, 0, line.width, line.height);
  const first = Math.max(0, Math.floor(scroll / ROW) - 1);
  for (let i = first; i < line.rows.length; i++) {
    const y = (i + 1) * ROW - scroll;
    if (y > line.height) break;
    const {thread} = line.rows[i];
    drawRow(pen, line.rows[i], y, thread && thread.number === state.thread);
  }
  if (state.area) drawArea(pen, state.area, line.css.fore);
  if (state.base) drawArea(pen, state.base, line.css.dim);
  drawAxis(pen, run);
  for (const [, packet] of run.findings.slice(0, 5))
    if (packet) drawMark(pen, packet, line.css.new, 1.5, [4, 3]);
  drawMark(pen, state.packet, line.css.fore, 1, []);
}

// The row at a position of the canvas; -1: the axis.
const rowAt = y => y < ROW ? -1 :
  Math.min(line.rows.length - 1, Math.floor((y + $('lines').scrollTop) / ROW) - 1);

function showLegend() {
  const shown = [...line.colours].slice(0, PALETTE.length).map(([method, colour]) => {
    const item = make('li');
    item.style.background = colour;
    item.style.color = colour === '#0072b2' ? '#fff' : '';
    setText(item, inShort(method));
    item.title = method;
    return item;
  });
  const rest = make('li');
  setText(rest, 'Pale: does not run. Thin line: waits or sleeps; dashes: network or file; thick line: blocked');
  rest.style.color = 'inherit';
  $('legend').replaceChildren(...shown, rest);
}
