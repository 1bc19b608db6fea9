/* SPDX-License-Identifier: Apache-2.0 */
// Flame graphs that compare: each box is as wide as the threads that were in the method at a packet,
// on average; its colour says how that compares. What is only in what is compared with is shown as
// wide as it was there.

const BOX = 17;
const flame = {root: null, zoomed: null};

const newNode = (name, parent) => ({name, parent, here: 0, elsewhere: 0, children: [], by: new Map()});

function childOf(node, name) {
  let child = node.by.get(name);
  if (!child) {
    child = newNode(name, node);
    node.by.set(name, child);
    node.children.push(child);
  }
  return child;
}

// From the page's data: a role's tree.
function treeOfRole(flat) {
  const nodes = [];
  for (let i = 0; i < flat.length; i += 4) {
    const parent = nodes[flat[i]];
    const node = i ? childOf(parent, data.methods[flat[i + 1]]) : newNode('all threads', null);
    node.here = flat[i + 2] / 1000;
    node.elsewhere = flat[i + 3] / 1000;
    nodes.push(node);
  }
  return nodes[0] || newNode('all threads', null);
}

// Adds what the threads in an area of the time line did, in threads at a packet, as `which`.
function addArea(root, area, which) {
  const packets = area.to - area.from + 1;
  for (const {thread} of line.rows.slice(area.top, area.bottom + 1)) {
    if (!thread) continue;
    for (const s of thread.spans) {
      const shared = Math.min(s.last, area.to) - Math.max(s.first, area.from) + 1;
      if (shared <= 0) continue;
      let node = root;
      node[which] += shared / packets;
      for (const frame of framesOf(s.stack).reverse()) {
        node = childOf(node, methodText(frame));
        node[which] += shared / packets;
      }
    }
  }
}

function treeOfAreas(area, base) {
  const root = newNode('all threads', null);
  addArea(root, area, 'here');
  if (base) addArea(root, base, 'elsewhere');
  root.alone = !base;
  return root;
}

// Children are wider together than their parent only if some of them are gone.
function measure(root) {
  const order = [root];
  for (let i = 0; i < order.length; i++) order.push(...order[i].children);
  for (const node of order.reverse()) {
    const inside = node.children.reduce((sum, c) => sum + c.width, 0);
    node.width = Math.max(node.here || node.elsewhere, inside);
    node.children.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function kindOf(node, alone) {
  if (alone) return 'f-same';
  if (!node.elsewhere) return 'f-new';
  if (!node.here) return 'f-gone';
  const ratio = node.here / node.elsewhere;
  return ratio > 1.5 ? 'f-more' : ratio < 1 / 1.5 ? 'f-less' : 'f-same';
}

const threadsText = x => x === 0 ? '0' : x < .01 ? '<0.01' : x.toFixed(2);

function describe(node, alone) {
  const here = `${node.name}: ${threadsText(node.here)} threads here`;
  return alone ? here : `${here}, ${threadsText(node.elsewhere)} in what it is compared with`;
}

function box(node, depth, x, width, alone) {
  const group = document.createElementNS(SVG, 'g'), title = document.createElementNS(SVG, 'title');
  const rect = document.createElementNS(SVG, 'rect');
  group.setAttribute('class', kindOf(node, alone));
  group.setAttribute('role', 'treeitem');
  group.setAttribute('aria-level', depth + 1);
  group.setAttribute('aria-label', describe(node, alone));
  group.setAttribute('tabindex', depth ? -1 : 0);
  setText(title, describe(node, alone));
  for (const [name, value] of [['x', x], ['y', depth * BOX], ['width', width], ['height', BOX - 1]])
    rect.setAttribute(name, value.toFixed ? value.toFixed(2) : value);
  group.append(title, rect);
  const letters = Math.floor((width - 6) / 6.9);
  if (letters > 3) {
    const text = document.createElementNS(SVG, 'text'), name = inShort(node.name);
    text.setAttribute('x', (x + 3).toFixed(2));
    text.setAttribute('y', depth * BOX + 12);
    setText(text, name.length > letters ? `${name.slice(0, letters - 1)}\u2026` : name);
    group.append(text);
  }
  node.element = group;
  group.node = node;
  return group;
}

function drawFlame() {
  const root = flame.zoomed || flame.root, width = $('flame').clientWidth;
  const svg = document.createElementNS(SVG, 'svg');
  let deepest = 0;
  svg.setAttribute('role', 'tree');
  svg.setAttribute('aria-label', 'Flame graph');
  const work = root.width ? [[root, 0, 0]] : [];
  while (work.length) {
    const [node, depth, x] = work.pop(), wide = node.width / root.width * width;
    if (wide < .5) continue;
    deepest = Math.max(deepest, depth);
    svg.append(box(node, depth, x, wide, flame.root.alone));
    let at = x;
    for (const child of node.children) {
      work.push([child, depth + 1, at]);
      at += child.width / root.width * width;
    }
  }
  svg.setAttribute('viewBox', `0 0 ${Math.max(1, width)} ${(deepest + 1) * BOX}`);
  $('flame').replaceChildren(svg);
  $('unzoom').disabled = !flame.zoomed;
}

function showFlame(root, note) {
  measure(root);
  flame.root = root;
  flame.zoomed = null;
  setText($('flame-note'), root.width ? note : 'No thread was in the application\u2019s code.');
  setText($('flame-reading'), '');
  drawFlame();
}

function zoomFlame(node) {
  flame.zoomed = node === flame.root ? null : node;
  drawFlame();
  if (node && node.element) node.element.focus();
}

function moveInFlame(event) {
  const node = event.target.node;
  if (!node) return;
  const beside = node.parent ? node.parent.children.filter(c => c.element) : [node];
  const at = beside.indexOf(node);
  const to = {
    ArrowUp: node.parent, ArrowDown: node.children.find(c => c.element && c.element.isConnected),
    ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1],
  }[event.key];
  if (event.key === 'Enter') zoomFlame(node);
  else if (!event.key.startsWith('Arrow')) return;
  if (to && to.element && to.element.isConnected) to.element.focus();
  event.preventDefault();
  event.stopPropagation();
}

function listenToFlame() {
  const read = event => {
    const group = event.target.closest('g');
    if (group && group.node) setText($('flame-reading'), describe(group.node, flame.root.alone));
  };
  $('flame').addEventListener('mouseover', read);
  $('flame').addEventListener('focusin', read);
  $('flame').addEventListener('click', event => {
    const group = event.target.closest('g');
    if (group && group.node) zoomFlame(group.node);
  });
  $('flame').addEventListener('keydown', moveInFlame);
  $('unzoom').addEventListener('click', () => zoomFlame(flame.root));
}
