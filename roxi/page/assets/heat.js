/* SPDX-License-Identifier: Apache-2.0 */
// The distances of all runs as a heat map in the order of the dendrogram, which is above it.

const HEAT = 620, TREE = 120, KIND = 8; // pixels: width, the dendrogram's height, the marks' height
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-';

// The distance of two runs, from 0 to 1.
function distanceOf(i, j) {
  if (i === j) return 0;
  const {cells, runs} = data.distances, [a, b] = i < j ? [i, j] : [j, i];
  return LETTERS.indexOf(cells[a * (2 * runs.length - a - 1) / 2 + b - a - 1]) / 63;
}

// Where each cluster is across and up, from its two parts.
function drawDendrogram(pen) {
  const {order, merges} = data.distances, n = order.length, step = HEAT / n;
  const at = [], high = new Array(n).fill(0);
  order.forEach((run, i) => { at[run] = (i + .5) * step; });
  const up = height => TREE - height / 1000 * (TREE - 4);
  pen.strokeStyle = line.css.fore;
  pen.lineWidth = 1;
  for (let i = 0; i < n - 1; i++) {
    const [a, b, height] = merges.slice(3 * i, 3 * i + 3);
    pen.beginPath();
    pen.moveTo(at[a], up(high[a]));
    pen.lineTo(at[a], up(height));
    pen.lineTo(at[b], up(height));
    pen.lineTo(at[b], up(high[b]));
    pen.stroke();
    at.push((at[a] + at[b]) / 2);
    high.push(height);
  }
}

function drawHeat() {
  const canvas = $('heat').querySelector('canvas');
  if (!canvas) return;
  const {order, runs} = data.distances, step = HEAT / order.length, pen = canvas.getContext('2d');
  const top = TREE + KIND + 2;
  canvas.width = HEAT;
  canvas.height = HEAT + top;
  pen.fillStyle = line.css.part;
  pen.fillRect(0, 0, HEAT, HEAT + top);
  drawDendrogram(pen);
  order.forEach((run, i) => {
    const kind = runs[run][1];
    pen.fillStyle = [line.css.part, '#e69f00', line.css.new][kind];
    pen.fillRect(i * step, TREE + 1, Math.max(step, kind ? 1.5 : 0), KIND);
    order.forEach((other, k) => {
      pen.fillStyle = `hsl(205 85% ${Math.round(96 - 78 * distanceOf(run, other))}%)`;
      pen.fillRect(k * step, top + i * step, step + .5, step + .5);
    });
  });
}

function heatAt(event) {
  const {order} = data.distances, canvas = event.target, box = canvas.getBoundingClientRect();
  const scale = HEAT / box.width, top = TREE + KIND + 2;
  const place = at => order[Math.min(order.length - 1, Math.max(0, Math.floor(at / HEAT * order.length)))];
  return [place((event.clientY - box.top) * scale - top), place((event.clientX - box.left) * scale)];
}

function startHeat() {
  if (!data.distances) return;
  const {runs, most} = data.distances, canvas = make('canvas'), caption = make('figcaption');
  const about = `Distances, dark is far (${most.toPrecision(2)}), in the order of the dendrogram`;
  setText(caption, about);
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `${about}; ${runs.length} runs`);
  $('heat').append(caption, canvas);
  $('heat').hidden = false;
  canvas.addEventListener('mousemove', event => {
    const [a, b] = heatAt(event);
    setText(caption, `${runs[a][0]} and ${runs[b][0]}: ${(distanceOf(a, b) * most).toPrecision(2)}`);
  });
  canvas.addEventListener('mouseleave', () => setText(caption, about));
  canvas.addEventListener('click', event => {
    const shown = heatAt(event).map(i => runs[i][0]).find(name => data.runs.some(r => r.name === name));
    if (shown) location.hash = `run=${encodeURIComponent(shown)}`;
  });
  drawHeat();
}
