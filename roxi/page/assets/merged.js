/* SPDX-License-Identifier: Apache-2.0 */
// The call stacks of all JVMs at one packet as one tree of common beginnings: where threads part.
// Threads outside the application's code are left out.

function mergedTree(run, packet) {
  const root = {methods: [], threads: [], children: new Map()};
  for (const thread of run.rows) {
    const stack = stackAt(thread, packet);
    if (!stack || !applicationOf(stack)) continue;
    let node = root;
    node.threads.push(thread);
    for (const frame of framesOf(stack).reverse()) {
      const method = methodText(frame);
      if (!node.children.has(method))
        node.children.set(method, {methods: [method], threads: [], children: new Map()});
      node = node.children.get(method);
      node.threads.push(thread);
    }
  }
  return root;
}

// "Client A: main, Worker; Client B: main"
function membersText(run, threads) {
  const byJvm = new Map();
  for (const t of threads) byJvm.set(t.jvm, [...(byJvm.get(t.jvm) || []), t]);
  return [...byJvm].map(([jvm, list]) => `${roleText(run, jvm)}: ${namesOf(list)}`).join('; ');
}

// A method with those it alone leads to, for as long as no thread parts from the others.
function chainOf(node) {
  const methods = [...node.methods];
  let at = node;
  while (at.children.size === 1) {
    const [next] = at.children.values();
    if (next.threads.length !== at.threads.length) break;
    methods.push(...next.methods);
    at = next;
  }
  return {methods, at};
}

function mergedElement(run, node) {
  const {methods, at} = chainOf(node), item = make('li'), path = make('span', 'path');
  const who = make('span', 'dim'), count = at.threads.length;
  const first = methods.length > 6 ? [...methods.slice(0, 2), '\u2026', ...methods.slice(-3)] : methods;
  setText(path, first.map(inShort).join(' \u203a '));
  path.title = methods.join('\n');
  setText(who, ` ${count} thread${count === 1 ? '' : 's'}: ${membersText(run, at.threads)}`);
  item.append(path, who);
  const list = make('ul');
  list.append(...[...at.children.values()].map(child => mergedElement(run, child)));
  if (list.children.length) item.append(list);
  return item;
}

function showMerged(run, state) {
  if (!$('merged').open) return;
  const root = mergedTree(run, state.packet);
  $('merged-tree').replaceChildren(...[...root.children.values()].map(c => mergedElement(run, c)));
}
