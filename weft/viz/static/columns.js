// A level that is far longer than the window goes on in a next column, as a text does; its lines turn round at the end of a column.

const GUTTER = 40,
  LANE = 7,
  TURN = 20,
  CORNER = 6;

// rows with their spans {top, bottom} into columns of about `limit`: places and slots are moved; null where one column will do
function wrapRows(rows, spans, limit) {
  const height = spans[spans.length - 1].bottom,
    count = Math.min(Math.ceil(height / limit), rows.length >> 1, 16);
  if (count < 2) return null;
  const cuts = cutsOf(rows, spans, height, count);
  if (!cuts.length) return null;
  const columns = [0, ...cuts].map((start, at) => ({ start, end: at < cuts.length ? cuts[at] : rows.length, lanes: new Map() }));
  for (let at = 1; at < columns.length; at++) columns[at].lines = crossingAt(rows, columns[at].start);
  const pad = TURN + LANE * Math.max(...columns.slice(1).map(column => column.lines));
  let right = 0,
    tallest = 0;
  columns.forEach((column, at) => {
    const slots = rows.slice(column.start, column.end).flat();
    const low = Math.min(...slots.map(slot => slot.x - slot.w / 2)),
      high = Math.max(...slots.map(slot => slot.x + slot.w / 2));
    column.gutter = right + GUTTER / 2;
    const left = at ? right + GUTTER + LANE * column.lines : 0;
    const down = pad - spans[column.start].top;
    for (const slot of slots) moveSlot(slot, left - low, down, at);
    right = left + high - low;
    column.top = pad;
    column.bottom = spans[column.end - 1].bottom + down;
    tallest = Math.max(tallest, column.bottom);
  });
  return { columns, width: right, height: tallest + pad };
}

function moveSlot(slot, right, down, column) {
  slot.x += right;
  slot.top += down;
  slot.bottom += down;
  slot.column = column;
  if (!slot.place) return;
  slot.place.x += right;
  slot.place.y += down;
}

const crossingAt = (rows, at) => new Set(rows[at - 1].flatMap(slot => slot.down.map(link => link.slot))).size || 1;

// the rows that begin a new column: the shortest columns that so many can have, cut where few lines pass
function cutsOf(rows, spans, height, count) {
  let low = height / count,
    high = height;
  for (let turn = 0; turn < 16; turn++) {
    const middle = (low + high) / 2;
    if (pack(rows, spans, middle, false).length < count) high = middle;
    else low = middle;
  }
  const kind = pack(rows, spans, high * 1.02, true);
  return kind.length < count ? kind : pack(rows, spans, high, false);
}

// columns filled one after the other up to a length; `kind` to lines: cut earlier where fewer of them pass.
// Never between a border and what comes next.
function pack(rows, spans, length, kind) {
  const border = row => row.every(slot => slot.place && (slot.place.first || slot.place.last)),
    least = border(rows[0]) ? 2 : 1,
    most = border(rows[rows.length - 1]) ? rows.length - 2 : rows.length - 1,
    cuts = [];
  for (let start = 0; ; ) {
    let next = start + 1;
    while (next < rows.length && spans[next].bottom - spans[start].top <= length) next++;
    if (next > most) return cuts;
    next = Math.max(next, start ? start + 1 : least);
    if (kind)
      for (let row = next - 1; row > start && row >= least && spans[row].top - spans[start].top > 0.7 * length; row--)
        if (crossingAt(rows, row) < crossingAt(rows, next)) next = row;
    cuts.push(next);
    start = next;
  }
}

// the corners of a line from one column to the next: down, through the gutter up, and into the next column from above
function turnRound(points, wrapped, column, group, x, top) {
  const { lanes, gutter } = wrapped.columns[column],
    before = wrapped.columns[column - 1];
  if (!lanes.has(group)) lanes.set(group, lanes.size);
  const lane = lanes.get(group) * LANE,
    from = points[points.length - 1][0],
    across = gutter + lane,
    low = before.bottom + TURN / 2 + lane,
    high = wrapped.columns[column].top - TURN / 2 - lane;
  points.push([from, low - CORNER], [from + CORNER, low], [across - CORNER, low], [across, low - CORNER], [across, high + CORNER]);
  points.push([across + CORNER, high], [x - CORNER, high], [x, high + CORNER], [x, top]);
}
