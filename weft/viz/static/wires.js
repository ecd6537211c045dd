// Lines as paths: from corner to corner, straight or bent, with an arrow at the end; and which of them is under the pointer.

const round = value => Math.round(value * 10) / 10;

// all lines of one source on one level, as one path; what they share is drawn once
function wire(key, links, across) {
  const hops = new Set(),
    source = links[0].source;
  let path = "",
    low = [Infinity, Infinity],
    high = [-Infinity, -Infinity];
  for (const { points, ends } of links) {
    for (let at = 1; at < points.length; at++) {
      const text = hop(points[at - 1], points[at], across);
      if (!hops.has(text)) {
        hops.add(text);
        path += text;
      }
    }
    for (const [x, y] of points) {
      low = [Math.min(low[0], x), Math.min(low[1], y)];
      high = [Math.max(high[0], x), Math.max(high[1], y)];
    }
    if (ends) path += head(points[points.length - 1], across);
  }
  return { key, source, path, x: low[0], y: low[1], w: high[0] - low[0], h: high[1] - low[1] };
}

// how far a line bends on its way, along the flow; 0 where it goes straight: along the flow, or round a corner between columns
function bendOf([ax, ay], [bx, by], across) {
  const aside = across ? by - ay : bx - ax,
    along = across ? bx - ax : by - ay;
  return Math.abs(aside) < 0.6 || along < 8.5 ? 0 : clamp(along * 0.55, 8, 60);
}

function hop(from, to, across) {
  const [ax, ay, bx, by] = [...from, ...to].map(round),
    bend = bendOf(from, to, across);
  if (!bend) return `M${ax} ${ay}L${bx} ${by}`;
  const [dx, dy] = across ? [bend, 0] : [0, bend];
  return `M${ax} ${ay}C${round(ax + dx)} ${round(ay + dy)} ${round(bx - dx)} ${round(by - dy)} ${bx} ${by}`;
}

function head([x, y], across) {
  x = round(x);
  y = round(y);
  if (across) return `M${x - 5.5} ${round(y - 3.2)}L${x - 0.6} ${y}L${x - 5.5} ${round(y + 3.2)}`;
  return `M${round(x - 3.2)} ${y - 5.5}L${x} ${y - 0.6}L${round(x + 3.2)} ${y - 5.5}`;
}

// a line's whole way, for drawing it over the others; one that isn't drawn otherwise goes straight
function wayOf(line, picture) {
  const { across } = picture;
  if (!line.parts.length) {
    const from = picture.items.get(line.from.key),
      to = picture.items.get(line.to.key);
    if (!from || !to) return "";
    const end = across ? [to.x, to.y + to.h / 2] : [to.x + to.w / 2, to.y];
    return hop(across ? [from.x + from.w, from.y + from.h / 2] : [from.x + from.w / 2, from.y + from.h], end, across) + head(end, across);
  }
  let path = "";
  for (const part of line.parts)
    for (let at = 1; at < part.points.length; at++) path += hop(part.points[at - 1], part.points[at], across);
  const last = line.parts[line.parts.length - 1].points;
  return path + head(last[last.length - 1], across);
}

const FAR_TOO_MANY = 3000;

// the line nearest to a point, if it is within `reach`
function lineAt(picture, x, y, reach) {
  if (picture.lines.length > FAR_TOO_MANY) return null;
  let best = null,
    least = reach;
  for (const line of picture.lines)
    for (const { points } of line.parts)
      for (let at = 1; at < points.length; at++) {
        const far = farFrom(points[at - 1], points[at], x, y, picture.across, least);
        if (far < least) [best, least] = [line, far];
      }
  return best;
}

// how far a point is from one hop, along its bend
function farFrom(a, b, x, y, across, reach) {
  if (x < Math.min(a[0], b[0]) - reach || x > Math.max(a[0], b[0]) + reach) return Infinity;
  if (y < Math.min(a[1], b[1]) - reach || y > Math.max(a[1], b[1]) + reach) return Infinity;
  const bend = bendOf(a, b, across),
    pieces = bend ? 12 : 1,
    c = across ? [a[0] + bend, a[1]] : [a[0], a[1] + bend],
    d = across ? [b[0] - bend, b[1]] : [b[0], b[1] - bend];
  const on = t => [0, 1].map(k => (1 - t) ** 3 * a[k] + 3 * (1 - t) ** 2 * t * c[k] + 3 * (1 - t) * t ** 2 * d[k] + t ** 3 * b[k]);
  let least = Infinity,
    before = a;
  for (let piece = 1; piece <= pieces; piece++) {
    const now = piece === pieces ? b : on(piece / pieces);
    least = Math.min(least, farFromPiece(before, now, x, y));
    before = now;
  }
  return least;
}

function farFromPiece([ax, ay], [bx, by], x, y) {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const share = length ? clamp(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0, 1) : 0;
  return Math.hypot(ax + share * (bx - ax) - x, ay + share * (by - ay) - y);
}
