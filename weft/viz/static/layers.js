// One level of the picture: nodes in layers from top to bottom, few crossings, lines as straight as can be.
//
// A place is {w, h, first, last, light, axis, order, x, y}: first is an entry at the top border, last an exit at the bottom border, light a
// parameter, axis the column of an open box; x and y are results.
// A link is {from, to, out, in, group} (out and in: where on the width of from and to the line starts and ends; lines of one group start as one).

const GAP_X = 22,
  GAP_LINE = 12,
  GAP_Y = 36;

// limit: a level that gets higher goes on in columns
function layers(places, links, limit = Infinity) {
  rank(places, links);
  const rows = makeRows(places, links);
  order(rows);
  const width = placeAcross(rows),
    spans = placeDown(rows),
    height = spans[spans.length - 1].bottom;
  const wrapped = height > limit * 1.1 ? wrapRows(rows, spans, limit) : null;
  for (const link of links) link.points = route(link, wrapped);
  return wrapped || { width, height };
}

// each place one layer below the lowest of those before it; sources just above their first user
function rank(places, links) {
  for (const place of places) Object.assign(place, { rank: 0, before: [], after: [], waits: 0 });
  for (const link of links) {
    link.from.after.push(link);
    link.to.before.push(link);
    link.to.waits++;
  }
  const sorted = [...places].sort((a, b) => a.order - b.order);
  const ready = sorted.filter(place => !place.waits);
  const entries = places.some(place => place.first) ? 1 : 0;
  const done = new Set();
  for (let at = 0; at < sorted.length; at++) {
    if (at >= ready.length) ready.push(sorted.find(place => !done.has(place))); // a circle: cut at its earliest member
    const place = ready[at];
    done.add(place);
    if (!place.first) place.rank = Math.max(place.rank, entries);
    for (const link of place.after) {
      if (done.has(link.to)) continue;
      link.to.rank = Math.max(link.to.rank, place.rank + 1);
      if (--link.to.waits === 0) ready.push(link.to);
    }
  }
  for (let at = ready.length - 1; at >= 0; at--) {
    const place = ready[at];
    if (place.first || place.before.length || !place.after.length) continue;
    place.rank = Math.max(entries, Math.min(...place.after.map(link => link.to.rank)) - 1);
  }
  const alone = places.filter(place => !place.before.length && !place.after.length && !place.first && !place.last);
  if (alone.length > 6) {
    const across = Math.ceil(Math.sqrt(alone.length * 1.5));
    alone.forEach((place, at) => {
      place.rank = entries + Math.floor(at / across);
    });
  }
  const last = Math.max(0, ...places.filter(place => !place.last).map(place => place.rank));
  for (const place of places) if (place.last) place.rank = last + 1;
}

// rows of slots: a slot is a place, or a point that a long line passes through; lines of one group share their points
function makeRows(places, links) {
  const rows = Array.from({ length: Math.max(0, ...places.map(place => place.rank)) + 1 }, () => []);
  for (const place of places) {
    place.slot = { place, w: place.w, up: [], down: [], row: place.rank, order: place.order };
    rows[place.rank].push(place.slot);
  }
  const trunks = new Map();
  for (const link of [...links].sort((a, b) => a.to.rank - b.to.rank)) {
    const key = link.from.slot.place.index + ":" + link.group;
    const trunk = trunks.get(key) || trunks.set(key, []).get(key);
    link.through = [];
    let above = link.from.slot,
      out = link.out;
    for (let row = link.from.rank + 1; row < link.to.rank; row++) {
      const at = row - link.from.rank - 1;
      if (!trunk[at]) {
        const slot = { place: null, w: 0, up: [], down: [], row, order: (link.from.order + link.to.order) / 2 };
        join(above, slot, out, 0);
        rows[row].push(slot);
        trunk[at] = slot;
      }
      link.through.push(trunk[at]);
      above = trunk[at];
      out = 0;
    }
    if (link.to.rank > link.from.rank) join(above, link.to.slot, out, link.in);
  }
  return rows;
}

// offsets are from the middle of a slot
function join(above, below, out, into) {
  const weight = !above.place ? (below.place ? 1 : 8) : below.place ? (above.place.light ? 0.5 : 4) : 3;
  // an open box has one axis for all its lines, whichever port they use: else a column of boxes would drift sideways
  const offset = (slot, at) => (slot.place ? (slot.place.axis ?? at) - slot.w / 2 : 0);
  const a = offset(above, out),
    b = offset(below, into);
  above.down.push({ slot: below, here: a, there: b, weight });
  below.up.push({ slot: above, here: b, there: a, weight });
}

// fewer crossings: sort each row by where its neighbours are, downwards and upwards in turn, and keep the best
function order(rows) {
  for (const row of rows) row.sort((a, b) => a.order - b.order);
  numberSlots(rows);
  const size = sum(rows.map(row => row.length));
  let best = crossings(rows),
    kept = rows.map(row => [...row]);
  for (let turn = 0; turn < (size > 3000 ? 4 : 10) && best > 0; turn++) {
    const down = turn % 2 === 0;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[down ? at : rows.length - 1 - at];
      for (const slot of row) {
        const near = down ? slot.up : slot.down;
        slot.wish = near.length ? sum(near.map(link => link.slot.at + link.there / (link.slot.w + 1))) / near.length : slot.at;
      }
      row.sort((a, b) => a.wish - b.wish || a.at - b.at);
      row.forEach((slot, i) => {
        slot.at = i;
      });
    }
    const now = crossings(rows);
    if (now < best) {
      best = now;
      kept = rows.map(row => [...row]);
    }
  }
  kept.forEach((row, at) => {
    rows[at] = row;
  });
  numberSlots(rows);
}

function numberSlots(rows) {
  for (const row of rows)
    row.forEach((slot, at) => {
      slot.at = at;
    });
}

function crossings(rows) {
  let count = 0;
  for (const row of rows) {
    const ends = [];
    for (const slot of row) ends.push(...slot.down.map(link => link.slot.at).sort((a, b) => a - b));
    if (ends.length > 1) count += inversions(ends);
  }
  return count;
}

// pairs in the wrong order, by a tree of counts
function inversions(values) {
  const size = Math.max(...values) + 2,
    tree = new Int32Array(size + 1);
  let count = 0;
  values.forEach((value, seen) => {
    let notAbove = 0;
    for (let i = value + 1; i > 0; i -= i & -i) notAbove += tree[i];
    count += seen - notAbove;
    for (let i = value + 1; i <= size; i += i & -i) tree[i]++;
  });
  return count;
}

// across: each slot wants to be where its neighbours are; a row gives the nearest positions that keep the distances
function placeAcross(rows) {
  for (const row of rows) {
    let x = 0;
    for (const slot of row) {
      slot.x = x + slot.w / 2;
      x += slot.w + GAP_X;
    }
    for (const slot of row) slot.x -= (x - GAP_X) / 2;
  }
  const turns = sum(rows.map(row => row.length)) > 3000 ? 3 : 8;
  for (let turn = 0; turn < turns; turn++) {
    for (let at = 1; at < rows.length; at++) settle(rows[at], slot => slot.up);
    for (let at = rows.length - 2; at >= 0; at--) settle(rows[at], slot => slot.down);
  }
  for (let at = 0; at < rows.length; at++) settle(rows[at], slot => slot.up.concat(slot.down));
  straighten(rows);
  let low = Infinity,
    high = -Infinity;
  for (const slot of rows.flat()) {
    low = Math.min(low, slot.x - slot.w / 2);
    high = Math.max(high, slot.x + slot.w / 2);
  }
  for (const slot of rows.flat()) {
    slot.x -= low;
    if (slot.place) slot.place.x = slot.x - slot.w / 2;
  }
  return rows.flat().length ? high - low : 0;
}

function apart(a, b) {
  return (a.w + b.w) / 2 + (a.place && b.place ? GAP_X : GAP_LINE);
}

// the positions nearest to the wishes, in order and with their distances: blocks of slots that would overlap are merged (pool adjacent violators);
// only the strongest of a slot's links count: what flows through goes straight down, parameters and branches stand beside it
function settle(row, near) {
  const blocks = [];
  let shift = 0;
  row.forEach((slot, at) => {
    if (at) shift += apart(row[at - 1], slot);
    let wish = 0,
      weight = 0;
    const links = near(slot),
      most = links.reduce((a, link) => Math.max(a, link.weight), 0);
    for (const link of links)
      if (link.weight === most) {
        wish += (link.slot.x + link.there - link.here) * link.weight;
        weight += link.weight;
      }
    if (!weight) {
      wish = slot.x * 0.1;
      weight = 0.1;
    }
    let block = { total: wish - shift * weight, weight, count: 1 };
    while (blocks.length && blocks[blocks.length - 1].total / blocks[blocks.length - 1].weight >= block.total / block.weight) {
      const last = blocks.pop();
      block = { total: last.total + block.total, weight: last.weight + block.weight, count: last.count + block.count };
    }
    blocks.push(block);
  });
  let at = 0;
  shift = 0;
  for (const block of blocks) {
    for (let i = 0; i < block.count; i++, at++) {
      if (at) shift += apart(row[at - 1], row[at]);
      row[at].x = block.total / block.weight + shift;
    }
  }
}

// chains of slots that are each other's only strongest neighbour come to stand in one line, the longest first; what is placed already is an obstacle,
// and room is left for what is not
function straighten(rows) {
  const left = chainsOf(rows).sort((a, b) => b.length - a.length),
    placed = [];
  while (left.length) {
    const chain = left.shift();
    let low = -Infinity,
      high = Infinity,
      total = 0;
    for (const [slot, offset] of chain) {
      low = Math.max(low, bound(rows[slot.row], slot, -1) - offset);
      high = Math.min(high, bound(rows[slot.row], slot, 1) - offset);
      total += slot.x - offset;
    }
    if (low > high + 1e-6 && chain.length > 1) {
      const half = chain.length >> 1;
      left.unshift(chain.slice(0, half), chain.slice(half));
      continue;
    }
    const x = clamp(total / chain.length, low, Math.max(low, high));
    for (const [slot, offset] of chain) {
      slot.x = x + offset;
      slot.fixed = true;
    }
    placed.push(chain);
  }
  for (let turn = 0; turn < (placed.length > 3000 ? 2 : 8); turn++) {
    placed.sort((a, b) => (a[0][0].x - b[0][0].x) * (turn % 2 ? -1 : 1));
    for (const chain of placed) pull(chain, rows);
  }
}

// move a chain as a whole towards what it is tied to, as far as its neighbours allow
function pull(chain, rows) {
  let low = -Infinity,
    high = Infinity,
    wish = 0,
    weight = 0;
  for (const [slot, offset] of chain) {
    low = Math.max(low, bound(rows[slot.row], slot, -1) - offset);
    high = Math.min(high, bound(rows[slot.row], slot, 1) - offset);
    for (const link of slot.up)
      if (slot === chain[0][0] || !link.slot.place) {
        wish += (link.slot.x + link.there - link.here - offset) * link.weight;
        weight += link.weight;
      }
    for (const link of slot.down)
      if (slot === chain[chain.length - 1][0]) {
        wish += (link.slot.x + link.there - link.here - offset) * link.weight;
        weight += link.weight;
      }
  }
  if (!weight || low > high) return;
  const x = clamp(wish / weight, low, high);
  for (const [slot, offset] of chain) slot.x = x + offset;
}

// how far a slot may go to one side: up to the next one that is placed, less the room of those between
function bound(row, slot, side) {
  let room = 0;
  for (let at = slot.at + side, before = slot; at >= 0 && at < row.length; before = row[at], at += side) {
    room += apart(before, row[at]);
    if (row[at].fixed) return row[at].x - side * room;
  }
  return side * Infinity;
}

// [[slot, offset to the first]] of each chain, single slots too
function chainsOf(rows) {
  const strongest = links => {
    let best = null,
      tie = false;
    for (const link of links)
      if (!best || link.weight > best.weight) {
        best = link;
        tie = false;
      } else if (link.weight === best.weight) tie = true;
    return tie ? null : best;
  };
  const chains = [],
    seen = new Set();
  for (const slot of rows.flat()) {
    if (seen.has(slot)) continue;
    const chain = [[slot, 0]];
    seen.add(slot);
    for (let at = slot, offset = 0; ;) {
      const link = strongest(at.down),
        back = link && strongest(link.slot.up);
      if (!link || !back || back.slot !== at || seen.has(link.slot)) break;
      offset += link.here - link.there;
      at = link.slot;
      seen.add(at);
      chain.push([at, offset]);
    }
    chains.push(chain);
  }
  return chains;
}

// down: a row is as high as its highest place; the gap grows where lines go far sideways; {top, bottom} of each row
function placeDown(rows) {
  let y = 0;
  return rows.map((row, at) => {
    const height = Math.max(0, ...row.map(slot => (slot.place ? slot.place.h : 0)));
    for (const slot of row) {
      slot.top = y;
      slot.bottom = y + height;
      if (slot.place) {
        slot.place.y = slot.place.first ? y : slot.place.last ? y + height : y + (height - slot.place.h) / 2;
      }
    }
    let far = 0;
    for (const slot of row) for (const link of slot.down) far = Math.max(far, Math.abs(slot.x + link.here - link.slot.x - link.there));
    const border =
      (row.every(slot => !slot.place || slot.place.first) && height === 0) ||
      (at + 1 < rows.length && rows[at + 1].every(slot => !slot.place || slot.place.last));
    const span = { top: y, bottom: y + height };
    y += height + (at + 1 < rows.length ? (border ? 14 : GAP_Y) + Math.min(48, far / 14) : 0);
    return span;
  });
}

// the corners of a link: from the bottom of one place, past the rows between, to the top of the other
function route(link, wrapped) {
  const points = [[link.from.x + link.out, link.from.y + link.from.h]];
  if (link.from.slot.bottom > points[0][1]) points.push([points[0][0], link.from.slot.bottom]);
  let column = link.from.slot.column;
  const turn = (slot, x) => {
    if (wrapped && slot.column === column + 1)
      turnRound(points, wrapped, slot.column, `${link.from.index}:${link.group}`, x, slot.top);
    column = slot.column;
  };
  for (const slot of link.through) {
    turn(slot, slot.x);
    points.push([slot.x, slot.top], [slot.x, slot.bottom]);
  }
  const end = [link.to.x + link.in, link.to.y];
  turn(link.to.slot, end[0]);
  if (link.to.slot.top < end[1]) points.push([end[0], link.to.slot.top]);
  points.push(end);
  return points;
}
