// Drawing a picture: one SVG group per item in sight, one path per source of lines. What is out of sight is not in the page.

const CROWD = 900; // more items in sight than this, and they are drawn as plain shapes

function makeStage(svg) {
  const stage = { svg, drawn: new Map(), wires: new Map(), picture: null, view: { x: 0, y: 0, k: 1 }, moving: null };
  svg.append(shape("defs", {}, hatch()));
  stage.world = shape("g", { class: "world" });
  for (const name of ["boxes", "lines", "over", "crowd", "nodes"]) {
    stage[name] = shape("g", { class: name, "aria-hidden": name === "nodes" || name === "boxes" ? null : "true" });
    stage.world.append(stage[name]);
  }
  svg.append(stage.world);
  return stage;
}

function hatch() {
  return shape(
    "pattern",
    { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    shape("rect", { width: 2.4, height: 7, fill: "#fff", "fill-opacity": 0.38 }),
  );
}

function moveWorld(stage) {
  const { x, y, k } = stage.view;
  stage.world.setAttribute("transform", `translate(${round(x)} ${round(y)}) scale(${k.toFixed(4)})`);
  stage.svg.classList.toggle("far", k < 0.42);
  stage.svg.classList.toggle("farther", k < 0.2);
  stage.svg.style.setProperty("--grid", `${24 * k * (k < 0.4 ? 4 : 1)}px`);
  stage.svg.style.setProperty("--grid-x", `${x}px`);
  stage.svg.style.setProperty("--grid-y", `${y}px`);
}

// the part of the picture that is in sight, with a margin in pixels
function sight(stage, margin) {
  const { x, y, k } = stage.view,
    { width, height } = stage.size;
  return { x: (-x - margin) / k, y: (-y - margin) / k, w: (width + 2 * margin) / k, h: (height + 2 * margin) / k };
}

const holds = (outer, inner) =>
  outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.w >= inner.x + inner.w && outer.y + outer.h >= inner.y + inner.h;

// what is in sight, cut to the picture: beyond it there is nothing to draw
function needed(stage, margin) {
  const { x, y, w, h } = sight(stage, margin),
    { width, height } = stage.picture;
  const left = clamp(x, -20, width + 20),
    top = clamp(y, -20, height + 20);
  return { x: left, y: top, w: clamp(x + w, -20, width + 20) - left, h: clamp(y + h, -20, height + 20) - top };
}

const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

function redraw(stage, context) {
  const { picture } = stage;
  moveWorld(stage);
  if (!picture) return;
  const { stamp, mode, theme, selected, hovered, lineKey } = context,
    size = [Math.round(Math.log2(stage.view.k)), stage.view.k < 0.3];
  const state = [stamp, mode, theme, selected, hovered, lineKey, size].join();
  if (!context.all && !stage.moving && stage.state === state && holds(stage.frame, needed(stage, 0))) return;
  const frame = context.all ? null : sight(stage, 400);
  stage.frame = frame;
  stage.state = context.all || stage.moving ? "" : state;
  const seen = [];
  for (const spot of picture.items.values()) {
    const now = stage.moving ? moved(stage, spot) : spot;
    if (!frame || meet(frame, now)) seen.push([spot, now]);
  }
  const crowded = !context.all && seen.length > CROWD && stage.view.k < 0.3;
  keep(
    stage.drawn,
    crowded ? seen.filter(([spot, now]) => (spot.open ? inPixels(now, stage) > 10 || spot.item.key === selected : !spot.item.isNode)) : seen,
    (made, [spot, now]) => paint(made, spot, now, context),
    ([spot]) => spot.item.key,
    ([spot]) => stage[spot.open ? "boxes" : "nodes"].appendChild(begin(spot)),
    (made, [spot]) => made.parentNode === stage[spot.open ? "boxes" : "nodes"],
  );
  drawCrowd(stage, crowded ? seen.filter(([spot]) => spot.item.isNode) : [], context);
  if (!stage.moving) {
    keep(
      stage.wires,
      picture.wires.filter(
        wire => (!frame || meet(frame, { ...wire, w: wire.w + 1, h: wire.h + 1 })) && !(crowded && inPixels(wire, stage) < 2),
      ),
      (made, wire) => put(made, "d", wire.path),
      wire => wire.key,
      () => stage.lines.appendChild(shape("path", { class: "wire" })),
      () => true,
    );
    stage.over.replaceChildren(...context.over.map(([line, kind]) => shape("path", { class: `way ${kind}`, d: wayOf(line, picture) })));
  }
}

// how large a thing is on the screen; among very many, what is a few pixels large can't be told from its neighbours
const inPixels = (thing, stage) => Math.max(thing.w, thing.h) * stage.view.k;

// the elements for a list of things: those that stay are changed, the others made or removed
function keep(drawn, list, change, keyOf, make, fits) {
  const wanted = new Set();
  for (const thing of list) {
    const key = keyOf(thing);
    wanted.add(key);
    let made = drawn.get(key);
    if (made && !fits(made, thing)) {
      made.remove();
      made = null;
    }
    if (!made) {
      made = make(thing);
      drawn.set(key, made);
    }
    change(made, thing);
  }
  for (const [key, made] of drawn)
    if (!wanted.has(key)) {
      made.remove();
      drawn.delete(key);
    }
}

function begin(spot) {
  const made = shape("g", { "data-key": spot.item.key, role: "img" });
  made.append(shape("rect", { class: "plate" }));
  if (spot.open)
    made.append(
      shape("rect", { class: "head" }),
      shape("path", { class: "chevron" }),
      shape("text", { class: "name" }),
      shape("text", { class: "kind" }),
    );
  else if (!spot.item.isNode)
    made.append(
      shape("rect", { class: "pile" }),
      shape("path", { class: "chevron" }),
      shape("text", { class: "name" }),
      shape("text", { class: "sub" }),
      shape("g", { class: "strip" }),
    );
  else made.append(shape("rect", { class: "hatched" }), shape("text", { class: "name" }), shape("text", { class: "sub" }));
  made.append(shape("g", { class: "badge" }));
  if (!spot.open && !spot.item.isNode) made.insertBefore(made.querySelector(".pile"), made.querySelector(".plate"));
  return made;
}

// one item's element as it should be now
function paint(made, spot, now, context) {
  const { item } = spot;
  put(made, "transform", `translate(${round(now.x)} ${round(now.y)})`);
  if (now.seen !== undefined || made.style.opacity) made.style.opacity = now.seen === undefined ? "" : now.seen;
  const w = round(now.w),
    h = round(now.h);
  const key = [
    w,
    h,
    spot.open,
    context.mode,
    context.theme,
    context.selected === item.key,
    context.added.has(item.key),
    context.found && context.found.has(item),
    context.graph.document.iteration,
    context.stamp,
  ].join();
  if (made.dataset.state === key) return;
  made.dataset.state = key;
  put(made, "aria-label", describe(item));
  const plate = made.querySelector(".plate");
  const radius = spot.open ? 12 : item.isNode && item.kind !== "op" ? h / 2 : 9;
  for (const [name, value] of Object.entries({ width: w, height: h, rx: radius })) put(plate, name, value);
  const colour = spot.open ? null : colourOf(item, context.graph, context.mode, context.theme);
  put(made, "class", classes(spot, colour, context));
  made.style.setProperty("--fill", colour ? colour.fill : "");
  made.style.setProperty("--ink", colour ? colour.ink : "");
  if (spot.open) paintOpen(made, item, w);
  else if (item.isNode) paintNode(made, spot, w, h, colour);
  else paintClosed(made, item, w, h, context);
  paintBadge(made, spot, w, context);
}

function classes(spot, colour, context) {
  const { item } = spot,
    list = ["item", item.isNode ? `node k-${item.kind} f-${item.family}` : spot.open ? "open" : "closed"];
  if (context.mode !== "kind") list.push(colour ? "scaled" : spot.open ? "" : "unscaled");
  if (!item.isNode && spot.open) list.push(item.depth % 2 ? "odd" : "even");
  if (item.run) list.push("run");
  if (colour && colour.broken) list.push("broken");
  if (context.origin && !spot.open && (item === context.origin || inside(context.origin, item))) list.push("origin");
  if (item.failed && (item.isNode || !spot.open)) list.push("failed");
  if (context.selected === item.key) list.push("selected");
  if (context.added.has(item.key)) list.push("added");
  if (context.found && !spot.open) list.push(context.found.has(item) ? "found" : context.near.has(item) ? "near" : "dim");
  return list.join(" ");
}

function write(made, text, x, y) {
  if (made.textContent !== text) made.textContent = text;
  put(made, "x", x);
  put(made, "y", y);
}

function paintNode(made, { item, uses }, w, h, colour) {
  const hatched = made.querySelector(".hatched");
  for (const [name, value] of Object.entries({ width: w, height: h, rx: item.kind !== "op" ? h / 2 : 9 })) put(hatched, name, value);
  put(hatched, "fill", colour && colour.broken ? "url(#hatch)" : "none");
  const [name, sub] = made.querySelectorAll("text");
  if (item.kind !== "op") {
    write(name, fitText(leafText(item, uses), SMALL_FONT, w - 18), w / 2, h / 2 + 4);
    write(sub, "", 0, 0);
    return;
  }
  const below = subtitle(item);
  write(name, fitText(item.title, TITLE_FONT, w - 20), w / 2, below ? h / 2 - 2.5 : h / 2 + 4.5);
  write(sub, below && fitText(below, SMALL_FONT, w - 16), w / 2, h / 2 + 13);
}

function paintClosed(made, item, w, h, context) {
  const pile = made.querySelector(".pile");
  for (const [name, value] of Object.entries({ x: 5, y: 5, width: w - 10, height: h - 1, rx: 8 })) put(pile, name, value);
  const [name, sub] = made.querySelectorAll("text");
  write(name, fitText(boxTitle(item), TITLE_FONT, w - 42), 28, 21.5);
  write(sub, fitText(subtitle(item), SMALL_FONT, w - 26), 14, 37.5);
  put(made.querySelector(".chevron"), "d", "M14 13.5l4.5 4-4.5 4");
  paintStrip(made.querySelector(".strip"), item, w, h, context);
}

// a closed box shows the colours of what is inside, in the order in which it ran
function paintStrip(strip, item, w, h, context) {
  const inside = [...nodesOf(item)].filter(node => (context.mode === "gradient" ? node.grad : node.kind === "op"));
  const room = inside.length < 2 && context.mode !== "kind" ? 0 : Math.min(inside.length, Math.floor((w - 28) / 4));
  const cells = [];
  const width = room ? Math.min(12, (w - 28) / room) : 0;
  for (let at = 0; at < room; at++) {
    const from = Math.floor((at * inside.length) / room),
      to = Math.max(from + 1, Math.floor(((at + 1) * inside.length) / room));
    const node = strongest(inside.slice(from, to), context.mode);
    const colour = context.mode === "kind" ? null : colourOf(node, context.graph, context.mode, context.theme);
    const cell = shape("rect", {
      x: round(14 + at * width),
      y: h - 12,
      width: round(Math.max(width - 1, 1.5)),
      height: 5,
      rx: 1.5,
      class: colour ? "cell" : `cell f-${node.family}`,
    });
    if (colour) cell.style.fill = colour.fill;
    cells.push(cell);
  }
  const back =
    cells.length && context.mode !== "kind"
      ? [shape("rect", { class: "back", x: 12.5, y: h - 13.5, width: round(width * room + 2), height: 8, rx: 3 })]
      : [];
  strip.replaceChildren(...back, ...cells);
}

function strongest(nodes, mode) {
  if (mode === "kind" || nodes.length === 1) return nodes[0];
  const rate = node => {
    const value = valueOf(node, mode);
    return value === null ? -1 : mode === "gradient" ? badness(value) : value;
  };
  return nodes.reduce((best, node) => (rate(node) > rate(best) ? node : best));
}

function paintOpen(made, item, w) {
  const head = made.querySelector(".head"),
    [name, kind] = made.querySelectorAll("text");
  for (const [which, value] of Object.entries({ width: w, height: HEAD - 4, rx: 12 })) put(head, which, value);
  put(made.querySelector(".chevron"), "d", "M13 13l4.5 4.5 4.5-4.5");
  const title = fitText(boxTitle(item), HEAD_FONT, w - 44),
    wide = textWidth(title, HEAD_FONT);
  write(name, title, 30, 19.5);
  write(kind, item.kind && item.kind !== item.title ? fitText(item.kind, SMALL_FONT, Math.max(0, w - wide - 52)) : "", w - 12, 19.5);
}

function paintBadge(made, { item, open }, w, context) {
  const badge = made.lastChild;
  const isOrigin = context.origin && (item === context.origin || inside(context.origin, item));
  const kind = open ? "" : item.failed ? "failed" : isOrigin || hasNaN(item) ? "nan" : context.added.has(item.key) ? "added" : "";
  if (badge.dataset.kind === kind + w) return;
  badge.dataset.kind = kind + w;
  if (!kind) {
    badge.replaceChildren();
    return;
  }
  badge.replaceChildren(
    shape("circle", { cx: w - 4, cy: 4, r: 8, class: kind }),
    shape("path", { class: "sign", d: kind !== "added" ? `M${w - 4} 0v4.6m0 2.6v.2` : `M${w - 4} .6v6.8m-3.4-3.4h6.8` }),
  );
}

function describe(item) {
  if (item.isNode)
    return [
      item.title,
      inShape(item.shape),
      item.dtype,
      item.module,
      place(item),
      hasNaN(item) ? "has NaN" : "",
      item.failed ? "failed" : "",
    ]
      .filter(Boolean)
      .join(", ");
  return [boxTitle(item), item.kind, plural(item.ops, "op"), item.failed ? "failed inside" : ""].filter(Boolean).join(", ");
}

// very many nodes at once: one path for each colour
function drawCrowd(stage, seen, context) {
  const paths = new Map();
  for (const [spot, now] of seen) {
    const colour = colourOf(spot.item, context.graph, context.mode, context.theme);
    const style = spot.item.failed ? "failed" : colour ? colour.fill : context.mode === "kind" ? `f-${spot.item.family}` : "unscaled";
    paths.set(style, (paths.get(style) || "") + `M${round(now.x)} ${round(now.y)}h${round(now.w)}v${round(now.h)}h${-round(now.w)}z`);
  }
  stage.crowd.replaceChildren(
    ...[...paths].map(([style, path]) => {
      const made = shape("path", { d: path, class: style.startsWith("oklch") ? "mass" : `mass ${style}` });
      if (style.startsWith("oklch")) made.style.fill = style;
      return made;
    }),
  );
}

// moving from one picture to the next

function moved(stage, spot) {
  const { from, share } = stage.moving,
    before = from.get(spot.item.key);
  if (!before) return spot;
  const at = (a, b) => a + (b - a) * share;
  return {
    x: at(before.x, spot.x),
    y: at(before.y, spot.y),
    w: at(before.w, spot.w),
    h: at(before.h, spot.h),
    seen: before.fresh ? round(share * share * 10) / 10 : undefined,
  };
}

// new items grow out of the box that held them
function origins(before, after, shift) {
  const from = new Map();
  for (const [key, spot] of after.items) {
    let old = before.items.get(key);
    const fresh = !old;
    for (let box = spot.item.box; !old && box; box = box.box) {
      const around = before.items.get(box.key);
      if (around) old = { x: around.x + around.w / 2 - spot.w / 2, y: around.y + around.h / 2 - spot.h / 2, w: spot.w, h: spot.h };
    }
    if (old) from.set(key, { x: old.x + shift[0], y: old.y + shift[1], w: old.w, h: old.h, fresh });
  }
  return from;
}

function animate(stage, from, context, done) {
  if (stage.moving) cancelAnimationFrame(stage.moving.frame);
  stage.svg.classList.add("moving");
  const start = performance.now(),
    length = 280;
  stage.moving = { from, share: 0, frame: 0 };
  const step = now => {
    const t = clamp((now - start) / length, 0, 1);
    if (t >= 1) {
      stage.moving = null;
      stage.svg.classList.remove("moving");
      redraw(stage, context());
      if (done) done();
      return;
    }
    stage.moving.share = t < 0.5 ? 4 * t * t * t : 1 - Math.pow(-2 * t + 2, 3) / 2;
    redraw(stage, context());
    stage.moving.frame = requestAnimationFrame(step);
  };
  step(start);
}
