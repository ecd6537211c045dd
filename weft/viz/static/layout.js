// The whole picture: open boxes hold their own layered level, and lines go from level to level through ports on the boxes' borders.

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const TITLE_FONT = `600 12.5px ${FONT}`,
  SMALL_FONT = `11px ${FONT}`,
  HEAD_FONT = `600 12px ${FONT}`;
const PAD = 18,
  HEAD = 32,
  SHARED = 3; // a parameter that more than these use has no lines

// what is seen of each item when only the boxes in `open` are open
function shownAs(graph, open) {
  const shown = new Array(graph.items.length).fill(null);
  const visit = (box, cover) => {
    for (const child of box.children) {
      const over = cover || (!child.isNode && !open.has(child.key) ? child : null);
      shown[child.n] = over || child;
      if (!child.isNode) visit(child, over);
    }
  };
  visit(graph.root, null);
  return shown;
}

function sizeOf(item, uses) {
  if (item.isNode && item.kind !== "op") {
    return { w: clamp(textWidth(leafText(item, uses), SMALL_FONT) + 24, 44, 220), h: 24 };
  }
  if (item.isNode) {
    const width = Math.max(textWidth(item.title, TITLE_FONT), textWidth(subtitle(item), SMALL_FONT));
    return { w: clamp(width + 28, 84, 230), h: 42 };
  }
  const width = Math.max(textWidth(boxTitle(item), TITLE_FONT) + 22, textWidth(subtitle(item), SMALL_FONT));
  return { w: clamp(width + 32, 136, 280), h: 56 };
}

const isLight = item => item.isNode && item.kind !== "op" && item.kind !== "output";

// a leaf's name where it stands, and how many use it if it is not wired to them
const leafText = (node, uses) => shortName(node) + (uses ? ` · used ${uses}×` : "");

// a parameter's name within the box where it stands
function shortName(node) {
  if (node.kind !== "parameter" && node.kind !== "buffer") return node.title;
  const name = node.name || node.op,
    around = node.box && node.box.path.split(".").slice(1).join(".") + ".";
  return around && around.length > 1 && name.startsWith(around) ? name.slice(around.length) : name;
}

const boxTitle = box => box.title + (box.several ? ` · call ${box.ordinal}` : "");

function subtitle(item) {
  if (item.isNode) {
    if (item.failed) return "failed here";
    const more = item.outputs && item.outputs.length > 1 ? ` + ${item.outputs.length - 1} more` : "";
    return inShape(item.shape) + more;
  }
  const what = item.repeat && !item.fold ? item.repeat.what : item.kind && item.kind !== item.title ? item.kind : "";
  const kind = what && what + " · ";
  return kind + (item.ops === 1 ? inShape(resultOf(item)) || "1 op" : plural(item.ops, "op"));
}

// the shape of a module's only op
function resultOf(box) {
  for (const node of nodesOf(box)) if (node.kind === "op") return node.shape;
  return null;
}

function layoutGraph(graph, open, options = {}) {
  const shown = shownAs(graph, open);
  const hidden = item => options.plain && item.isNode && (item.kind === "parameter" || item.kind === "buffer");
  const lines = shownLines(graph, shown, hidden);
  const levels = new Map();
  const levelOf = box =>
    levels.get(box) || levels.set(box, { box, links: new Map(), entries: new Map(), exits: new Map(), places: new Map() }).get(box);
  const uses = loosen(lines);
  for (const line of lines) if (!line.loose) thread(line, levelOf);
  const root = arrange(graph.root, levelOf, open, hidden, { ...options, uses });
  const picture = { items: new Map(), lines, wires: [], width: root.width, height: root.height, shown, across: Boolean(options.across) };
  unfold(graph.root, levelOf(graph.root), 0, 0, picture, levelOf, open);
  return picture;
}

// lines between what is shown, each pair once
function shownLines(graph, shown, hidden) {
  const lines = [],
    seen = new Set(),
    size = graph.items.length;
  for (const node of graph.nodes) {
    const from = shown[node.n];
    if (hidden(from)) continue;
    for (const next of node.outs) {
      const to = shown[next.n];
      if (from === to || hidden(to) || seen.has(from.n * size + to.n)) continue;
      seen.add(from.n * size + to.n);
      lines.push({ from, to, parts: [] });
    }
  }
  return lines;
}

// what very many use, such as the weights of a recursion, is not wired to all of them: its lines are drawn when it is pointed at.
// Gives those items, and how many use each
function loosen(lines) {
  const uses = new Map();
  for (const { from } of lines) if (isLight(from)) uses.set(from, (uses.get(from) || 0) + 1);
  for (const { to } of lines) uses.delete(to);
  for (const [item, count] of uses) if (count <= SHARED) uses.delete(item);
  for (const line of lines) line.loose = uses.has(line.from);
  return uses;
}

// a line's parts: out of the boxes around its start, across, into the boxes around its end
function thread(line, levelOf) {
  const meeting = commonBox(line.from.box, line.to.box);
  let inner = line.from,
    outer = [];
  const ups = [];
  for (; inner.box !== meeting; inner = inner.box) ups.push([inner.box, inner]);
  for (const [box, child] of ups) {
    const level = levelOf(box);
    level.exits.set(line.from.n, line.from);
    line.parts.push(link(level, { item: child }, { exit: line.from }, line));
  }
  let target = line.to;
  for (; target.box !== meeting; target = target.box) outer.push([target.box, target]);
  line.parts.push(link(levelOf(meeting), { item: inner }, { item: target }, line));
  for (const [box, child] of outer.reverse()) {
    const level = levelOf(box);
    level.entries.set(line.from.n, line.from);
    line.parts.push(link(level, { entry: line.from }, { item: child }, line));
  }
}

function link(level, from, to, line) {
  const name = end => (end.item ? "i" + end.item.n : end.exit ? "x" + end.exit.n : "e" + end.entry.n);
  const key = `${line.from.n}:${name(from)}>${name(to)}`;
  let found = level.links.get(key);
  if (!found) {
    found = { from, to, source: line.from, ends: to.item === line.to, level, points: null };
    level.links.set(key, found);
  }
  if (to.item === line.to) found.ends = true;
  return found;
}

// sizes from the inside out; a picture that flows across is laid out as one that flows down, and turned
function arrange(box, levelOf, open, hidden, options) {
  const level = levelOf(box),
    { across } = options;
  const places = [],
    aside = [],
    light = box.children.filter(isLight);
  // parameters stand on both sides of what flows through
  const orderOf = (item, at) => (!isLight(item) ? at : light.length > 1 && light.indexOf(item) < light.length / 2 ? at - 1e5 : at + 1e5);
  box.children.forEach((item, at) => {
    if (hidden(item)) return;
    const inner = !item.isNode && open.has(item.key) ? arrange(item, levelOf, open, hidden, options) : null,
      { w, h } = inner ? { w: inner.width, h: inner.height } : sizeOf(item, options.uses.get(item));
    const place = {
      item,
      light: isLight(item),
      uses: options.uses.get(item),
      axis: inner ? axisOf(inner, across) : null,
      order: orderOf(item, at),
      index: places.length,
      w: across ? h : w,
      h: across ? w : h,
    };
    level.places.set(item, place);
    (place.uses ? aside : places).push(place);
  });
  const border = (map, which) => {
    for (const source of map.values()) {
      const place = { source, w: 6, h: 0, order: source.n / 1e6 - (which === "first" ? 1 : -1e6), index: places.length, [which]: true };
      level.places.set(which + source.n, place);
      places.push(place);
    }
  };
  border(level.entries, "first");
  border(level.exits, "last");
  const links = [...level.links.values()];
  for (const found of links) attach(found, level, levelOf, open, across);
  const wires = links.map(found => found.wire),
    flow = layers(places, wires, options.limit);
  if (across) turn(places, wires);
  const size = across ? { width: flow.height, height: flow.width } : flow;
  level.strip = stripOf(aside, size.width, across);
  frame(level, { width: Math.max(size.width, level.strip.width), height: size.height, inner: size.width }, places, links, across);
  for (const place of aside) {
    place.x += level.left + level.inset;
    place.y += level.top - level.strip.height;
  }
  return level;
}

// what is not wired stands in lines of its own above the rest
function stripOf(places, width, across) {
  const room = Math.max(width, 420);
  let x = 0,
    y = 0,
    most = 0;
  for (const place of places) {
    if (across) [place.w, place.h] = [place.h, place.w];
    if (x && x + place.w > room) [x, y] = [0, y + place.h + 8];
    Object.assign(place, { x, y, rank: 0 });
    x += place.w + 12;
    most = Math.max(most, x - 12);
  }
  return { width: most, height: places.length ? y + 24 + 20 : 0 };
}

// what flowed down flows across
function turn(places, wires) {
  for (const place of places) [place.x, place.y, place.w, place.h] = [place.y, place.x, place.h, place.w];
  for (const found of wires) found.points = found.points.map(([x, y]) => [y, x]);
}

// room for a box's name and border around its level; lines from outside begin and end at the border
function frame(level, { width, height, inner }, places, links, across) {
  const { box } = level,
    isRoot = !box.box;
  const name = isRoot ? 0 : textWidth(boxTitle(box) + "  " + (box.kind === box.title ? "" : box.kind), HEAD_FONT) + 56;
  level.width = isRoot ? width : Math.max(width + 2 * PAD, name);
  level.left = (level.width - inner) / 2;
  level.inset = (inner - level.strip.width) / 2;
  level.top = (isRoot ? 0 : HEAD) + level.strip.height;
  level.height = height + level.strip.height + (isRoot ? 0 : HEAD + PAD - 4);
  const along = across ? "x" : "y",
    end = across ? level.width : level.height,
    at = ([x, y], border) => (across ? [border, y] : [x, border]);
  for (const place of places) {
    place.x += level.left;
    place.y += level.top;
    if (place.first && !isRoot) place[along] = 0;
    if (place.last && !isRoot) place[along] = end;
  }
  for (const found of links) {
    found.points = found.wire.points.map(([x, y]) => [x + level.left, y + level.top]);
    if (found.from.entry && !isRoot) found.points.unshift(at(found.points[0], 0));
    if (found.to.exit && !isRoot) found.points.push(at(found.points[found.points.length - 1], end));
  }
}

const middleOf = (place, across) => (across ? place.y + place.h / 2 : place.x + place.w / 2);

// the column of an open box: where it gives its results, or else takes its inputs
function axisOf(level, across) {
  const ports = which => [...level.places.values()].filter(place => place[which]).map(place => middleOf(place, across));
  const found = ports("last").length ? ports("last") : ports("first");
  return found.length ? sum(found) / found.length : (across ? level.height : level.width) / 2;
}

// where a link starts and ends on its places: in the middle, or at the port of an open box
function attach(found, level, levelOf, open, across) {
  const port = (place, which, source) => {
    if (!place.item || place.item.isNode || !open.has(place.item.key)) return place.w / 2;
    const inner = levelOf(place.item).places.get(which + source.n);
    return inner ? middleOf(inner, across) : place.w / 2;
  };
  const from = found.from.item ? level.places.get(found.from.item) : level.places.get("first" + found.from.entry.n);
  const to = found.to.item ? level.places.get(found.to.item) : level.places.get("last" + found.to.exit.n);
  found.wire = { from, to, out: port(from, "last", found.source), in: port(to, "first", found.source), group: found.source.n };
}

// from levels to one picture: every item and every line where it is on the whole
function unfold(box, level, x, y, picture, levelOf, open) {
  const groups = new Map();
  for (const found of level.links.values()) {
    found.points = found.points.map(([px, py]) => [px + x, py + y]);
    const key = found.source.n;
    (groups.get(key) || groups.set(key, []).get(key)).push(found);
  }
  for (const [key, links] of groups) picture.wires.push(wire(`${box.key}|${key}`, links, picture.across));
  for (const [item, place] of level.places) {
    if (!place.item) continue;
    const isOpen = !item.isNode && open.has(item.key);
    picture.items.set(item.key, {
      item,
      x: x + place.x,
      y: y + place.y,
      w: place.w,
      h: place.h,
      open: isOpen,
      uses: place.uses,
      row: place.rank,
      level: box,
    });
    if (isOpen) unfold(item, levelOf(item), x + place.x, y + place.y, picture, levelOf, open);
  }
}
