// What the user can do: select, go, open and close, zoom, colour.

function select(key, announce = true) {
  app.selected = key;
  const item = key && app.graph.byKey.get(key);
  if (item) app.tab = "graph";
  if (item && announce)
    say(describe(item) + (item.isNode ? `. ${plural(item.ins.length, "input")}, ${plural(item.outs.length, "output")}` : ""));
  drawTrail();
  drawPanel(true);
  draw();
}

function centre(item, least, gently = true) {
  const spot = app.picture.items.get(item.key);
  if (!spot) return;
  measure();
  const view = centreOn(stage, spot, Math.max(stage.view.k, least || 0));
  if (gently) glide(stage, view, to => look(to));
  else look(view);
}

act.goTo = (item, quiet) => {
  if (app.graph.byKey.get(item.key) !== item) return;
  let hidden = false;
  for (let box = item.box; box && box.box; box = box.box)
    if (!app.open.has(box.key)) {
      app.choices.set(box.key, true);
      hidden = true;
    }
  if (item.isNode && app.plain && item.kind !== "op") {
    app.plain = false;
    hidden = true;
  }
  if (hidden) relayout(null, false);
  select(item.key);
  app.moved = true;
  raiseSheet("half");
  centre(item, 0.8);
  if (!quiet && !narrow()) $("graph").focus({ preventScroll: true });
};

act.toggle = box => {
  if (!box || box.isNode) return;
  const open = !app.open.has(box.key);
  app.choices.set(box.key, open);
  if (!open && app.selected && inside(app.graph.byKey.get(app.selected), box)) app.selected = box.key;
  app.hovered = null;
  const byHand = app.moved;
  app.moved = true;
  relayout(box.key);
  app.moved = byHand || true;
  say(`${boxTitle(box)} ${open ? "opened" : "closed"}`);
  drawTrail();
  drawPanel();
};

act.openAll = box => {
  let room = 600;
  for (const inner of boxesOf(box)) if ((room -= inner.children.length) > 0) app.choices.set(inner.key, true);
  app.moved = app.picture.items.has(box.key);
  relayout(box.key);
  drawPanel();
};

// all boxes of the outermost level that is not open yet, or the innermost that is
act.level = by => {
  if (!app.graph) return;
  const boxes = [...boxesOf(app.graph.root)].filter(box => box.box);
  if (by > 0) {
    let closed = boxes.filter(box => !app.open.has(box.key) && (!box.box.box || app.open.has(box.box.key)));
    const worth = closed.filter(box => box.ops > 1 && box.name !== "before");
    closed = worth.length ? worth : closed;
    const depth = Math.min(...closed.map(box => box.depth));
    for (const box of closed) if (box.depth === depth) app.choices.set(box.key, true);
  } else {
    const open = boxes.filter(box => app.open.has(box.key) && !box.children.some(child => !child.isNode && app.open.has(child.key)));
    const depth = Math.max(...open.map(box => box.depth));
    for (const box of open) if (box.depth === depth) app.choices.set(box.key, false);
  }
  app.moved = false;
  if (app.selected && !layoutHas(app.selected)) app.selected = null;
  relayout(null);
  drawAround();
};

const layoutHas = key => {
  const item = app.graph.byKey.get(key);
  return item && shownAs(app.graph, openBoxes(app))[item.n] === item;
};

act.turn = () => {
  if (!app.graph) return;
  app.across = !app.across;
  app.moved = false;
  showTurn();
  say(app.across ? "drawn from left to right" : "drawn from top to bottom");
  relayout(null);
};

const ACROSS_KEYS = { left: "up", right: "down", up: "left", down: "right" };

act.move = way => {
  if (!app.picture) return;
  if (app.picture.across) way = ACROSS_KEYS[way] || way;
  const next = neighbour(app.picture, app.selected, way);
  if (!next) return;
  select(next.key);
  if (!inSight(stage, app.picture.items.get(next.key))) centre(next, 0.5);
};
act.enter = () => {
  const item = app.selected && app.graph.byKey.get(app.selected);
  if (!item) act.move("first");
  else if (item.isNode) {
    raiseSheet("half");
    showPanel(true);
    $("body").focus();
  } else act.toggle(item);
};
act.closeAround = () => {
  const item = app.selected && app.graph.byKey.get(app.selected);
  const box = item && (!item.isNode && app.open.has(item.key) ? item : item.box);
  if (box && box.box) {
    app.selected = box.key;
    act.toggle(box);
  }
};
act.toFailure = () => {
  const failed = app.graph && app.graph.nodes.find(node => node.failed);
  if (failed) act.goTo(failed);
  else if (firstTrouble(app.run) >= 0) act.toTrouble(firstTrouble(app.run));
};
act.toTrouble = async index => {
  stopPlaying();
  if (index !== app.index) await show(index, { byHand: true });
  const origin = originOf(app.graph);
  if (origin) act.goTo(origin);
};
act.escape = () => {
  if ($find.isActive()) $find.clear();
  else if (app.selected) select(null);
  else raiseSheet("peek");
  document.body.classList.remove("searching");
};
act.zoom = factor => {
  if (!app.picture) return;
  measure();
  const { width, height } = stage.size,
    k = clamp(stage.view.k * factor, FARTHEST, NEAREST),
    r = k / stage.view.k;
  glide(stage, { k, x: width / 2 - (width / 2 - stage.view.x) * r, y: height / 2 - (height / 2 - stage.view.y) * r }, look);
};
// all of the picture, in the columns that suit what is open now
act.fit = () => {
  if (!app.picture) return;
  measure();
  const wrapped = app.limit;
  app.moved = false;
  if (bestLayout(app.graph, app.open, { plain: app.plain, across: app.across }, roomOf(stage.size)).limit !== wrapped) {
    relayout(null, false);
    look(fitView(stage), false);
  } else glide(stage, fitView(stage), view => look(view, false));
};
act.parameters = () => {
  if (!app.graph) return;
  app.plain = !app.plain;
  say(app.plain ? "parameters hidden" : "parameters shown");
  relayout(anchorFor(app.graph));
};
act.search = () => $find.focus();
act.help = () => $help.open();
act.graph = () => app.graph;
act.mark = found => {
  app.found = found;
  app.stamp++;
  draw();
};
act.colour = mode => {
  app.mode = mode;
  for (const button of $("colours").children) {
    put(button, "aria-checked", String(button.dataset.mode === mode));
    put(button, "tabindex", button.dataset.mode === mode ? 0 : -1);
  }
  drawLegend(app.graph, app.mode, app.theme, item => act.goTo(item));
  draw();
};
