/* SPDX-License-Identifier: Apache-2.0 */
// Search across all runs: methods, threads, roles.

const HITS = 60;

// Is one of the stack's frames among those that match? By stack.
function matchingStacks(frames) {
  const known = new Map([[0, false]]);
  return stack => {
    const path = [];
    let at = stack;
    while (!known.has(at)) {
      path.push(at);
      at = frames.has(frameOf(at)) ? 0 : parentOf(at);
      if (at === 0) break;
    }
    const found = frames.has(frameOf(path.length ? path[path.length - 1] : stack)) || known.get(at);
    for (const s of path) known.set(s, Boolean(found));
    return known.get(stack);
  };
}

// The first packet of each thread that matches: by its name, its role's, or a method on its stack.
function search(text) {
  const wanted = text.toLowerCase(), hits = [];
  const frames = new Set(data.frames.map((f, i) => [f[0].toLowerCase(), i])
    .filter(([f, i]) => i && f.includes(wanted)).map(([, i]) => i));
  const matches = matchingStacks(frames);
  for (const run of data.runs) {
    unpack(run);
    for (const thread of run.rows || []) {
      const named = `${run.roles[thread.jvm]} ${thread.node} ${thread.name}`.toLowerCase();
      const span = named.includes(wanted) ? thread.spans[0] : thread.spans.find(s => matches(s.stack));
      if (span) hits.push({run, thread, packet: span.first});
      if (hits.length > HITS) return hits;
    }
  }
  return hits;
}

function showHits(text, choose) {
  const list = $('hits'), hits = text.length > 1 ? search(text) : [];
  list.hidden = text.length < 2;
  list.replaceChildren(...hits.slice(0, HITS).map(hit => {
    const item = make('li'), link = make('a');
    link.href = addressOf({run: hit.run, packet: hit.packet, thread: hit.thread.number});
    setText(link, `${hit.run.name}, ${roleText(hit.run, hit.thread.jvm)}, ${hit.thread.label}: ` +
      `from packet ${hit.packet}`);
    item.append(link);
    return item;
  }));
  if (hits.length !== 0 && hits.length <= HITS) return;
  const note = make('li', 'dim');
  setText(note, hits.length ? `only the first ${HITS} are shown` : 'nothing found');
  list.append(note);
}
