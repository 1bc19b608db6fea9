/* SPDX-License-Identifier: Apache-2.0 */
// Who talks to whom, as a graph: the parties in columns, those that nobody has connected to first.

// Pixels; PARTIES: with more, JVMs of a role are one, and so are all parties outside.
const TALKS = {WIDTH: 100, HEIGHT: 20, GAP_X: 52, GAP_Y: 8, LETTERS: 15, PARTIES: 16, EDGES: 60};

function drawn(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function plural(number, word) {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

// fine: each JVM and each address by itself. label: what is drawn of the name.
function partyOf(p, fine) {
  const outside = p.vm === null;
  const role = p.role === null ? '?' : p.role;
  if (outside && fine) {
    const label = p.role === null ? `? ${p.address}` : p.address;
    return {key: `at ${p.address}`, name: `${role} ${p.address}`, label, outside};
  }
  const name = outside ? 'outside' : role;
  return {key: outside ? 'outside' : fine ? `vm ${p.vm}` : `role ${role}`, name, label: name, outside};
}

// {parties, edges, hidden}: as many edges as are drawn, and how many are not.
function talksGraph(talks, fine) {
  const parties = new Map(), edges = new Map();
  for (const talk of talks) {
    const [from, to] = [partyOf(talk.from, fine), partyOf(talk.to, fine)];
    const key = JSON.stringify([from.key, to.key]);
    const edge = edges.get(key) || {from: from.key, to: to.key, connections: 0, waiting: 0};
    edge.connections += talk.connections;
    edge.waiting += talk.waiting;
    edges.set(key, edge);
    for (const [party, p] of [[from, talk.from], [to, talk.to]]) {
      const known = parties.get(party.key) || {...party, vms: new Set(), column: -1};
      parties.set(party.key, known);
      known.vms.add(p.vm);
    }
  }
  if (fine && parties.size > TALKS.PARTIES) return talksGraph(talks, false);
  const all = [...edges.values()];
  return {parties, edges: all.slice(0, TALKS.EDGES), hidden: Math.max(0, all.length - TALKS.EDGES)};
}

// Breadth first, from parties that nobody has connected to; where there is none, from any.
function placeParties(graph) {
  const names = [...graph.parties.values()].sort((a, b) =>
    a.outside - b.outside || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.key < b.key ? -1 : 1));
  const calls = graph.edges.filter(e => e.connections && e.from !== e.to);
  const called = new Set(calls.map(e => e.to));
  let next = names.filter(p => !called.has(p.key));
  for (let left = names; left.length; left = names.filter(p => p.column < 0), next = left.slice(0, 1))
    for (let column = 0; next.length; column++) {
      for (const p of next) p.column = column;
      const reached = new Set(calls.filter(e => graph.parties.get(e.from).column === column).map(e => e.to));
      next = names.filter(p => p.column < 0 && reached.has(p.key));
    }
  const rows = [];
  for (const p of names) {
    rows[p.column] = (rows[p.column] || 0) + 1;
    p.x = 1 + p.column * (TALKS.WIDTH + TALKS.GAP_X);
    p.y = 1 + (rows[p.column] - 1) * (TALKS.HEIGHT + TALKS.GAP_Y);
  }
  return {width: rows.length * (TALKS.WIDTH + TALKS.GAP_X), // the last gap is for curves in a column
    height: 2 + Math.max(0, ...rows.filter(Boolean)) * (TALKS.HEIGHT + TALKS.GAP_Y)};
}

function talkWords(graph, e) {
  const [from, to] = [graph.parties.get(e.from), graph.parties.get(e.to)];
  return `${from.name} \u2192 ${to.name}: ${plural(e.connections, 'connection')}` +
    (e.waiting ? `, ${plural(e.waiting, 'thread')} waiting` : '');
}

// An arrow from the side that faces the other party; within a column both ends are on the right.
function drawTalk(graph, e) {
  const [from, to] = [graph.parties.get(e.from), graph.parties.get(e.to)];
  const back = from.column > to.column; // a little lower, for the way forth may be there too
  const leaves = back ? -1 : 1, enters = from.column < to.column ? 1 : -1;
  const x1 = from.x + (back ? 0 : TALKS.WIDTH), x2 = to.x + (enters > 0 ? 0 : TALKS.WIDTH);
  const y1 = from.y + TALKS.HEIGHT / 2 + (back ? 5 : from === to ? -5 : 0);
  const y2 = to.y + TALKS.HEIGHT / 2 + (enters < 0 ? 5 : 0);
  const bend = TALKS.GAP_X * 0.6;
  const group = drawn('g', {class: e.waiting ? 'waits' : ''});
  group.append(drawn('title', {}, talkWords(graph, e)),
    drawn('path', {class: 'way', d: `M${x1} ${y1}C${x1 + leaves * bend} ${y1} ${x2 - enters * bend} ${y2} ` +
      `${x2 - enters * 6} ${y2}`}),
    drawn('path', {class: 'head', d: `M${x2} ${y2}l${-7 * enters} -4v8z`}));
  const label = e.waiting ? `${e.waiting} wait` : e.connections > 1 ? `\u00d7${e.connections}` : '';
  const side = back || x1 < x2 ? 0 : bend * 0.7; // the middle of the curve
  if (label) group.append(drawn('text', {x: (x1 + x2) / 2 + side, y: (y1 + y2) / 2 + (back ? 11 : -3)}, label));
  return group;
}

function drawParty(p) {
  const more = p.vms.size > 1 ? ` (${p.vms.size} JVMs)` : '';
  const letters = Array.from(p.label + more);
  const group = drawn('g', {class: p.outside ? 'party outside' : 'party'});
  group.append(drawn('title', {}, p.name + more),
    drawn('rect', {x: p.x, y: p.y, width: TALKS.WIDTH, height: TALKS.HEIGHT, rx: 4}),
    drawn('text', {x: p.x + TALKS.WIDTH / 2, y: p.y + TALKS.HEIGHT - 6},
      letters.length > TALKS.LETTERS ? letters.slice(0, TALKS.LETTERS - 1).join('') + '\u2026' :
        letters.join('')));
  return group;
}

// answer: of api/waits; null: nothing is known.
function showTalks(answer) {
  const svg = $('talks');
  const talks = answer ? answer.talks : [];
  $('talks-part').hidden = !talks.length;
  if (!talks.length) return;
  const graph = talksGraph(talks, true);
  const size = placeParties(graph);
  svg.setAttribute('width', size.width);
  svg.setAttribute('height', size.height);
  svg.setAttribute('aria-label', graph.edges.map(e => talkWords(graph, e)).join('; '));
  svg.replaceChildren(...graph.edges.map(e => drawTalk(graph, e)),
    ...[...graph.parties.values()].map(drawParty));
  const more = graph.hidden + answer.talks_left_out;
  setText($('talks-count'), `at packet ${answer.packet}` + (more ? `, without ${more} more` : ''));
}
