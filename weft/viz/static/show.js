// Showing a graph: drawing what is in sight, laying it out anew, going from iteration to iteration.

const data = JSON.parse($("data").textContent);
const app = {
  run: readRun(data),
  graph: null,
  index: 0,
  picture: null,
  choices: new Map(),
  mode: "kind",
  theme: "light",
  selected: null,
  hovered: null,
  found: null,
  change: null,
  changes: [],
  plain: false,
  tab: "graph",
  moved: false,
  following: true,
  open: new Set(),
  stamp: 0,
  playing: null,
  opening: null, // how much is open at first, chosen with the first graph
  limit: Infinity, // the height (or width) from which on a level goes on in a next column
  across: false,
};
const stage = makeStage($("graph"));
const act = {};
let waiting = 0;

// drawing

function context() {
  const added = new Set();
  if (app.change) {
    for (const key of app.change.keys) added.add(key);
    for (const key of app.change.boxes) if (!app.open.has(key)) added.add(key);
  }
  const found = foundShown();
  return {
    mode: app.mode,
    theme: app.theme,
    selected: app.selected,
    hovered: app.hovered,
    added,
    found,
    near: found && nearTo(found),
    lineKey: app.line ? `${app.line.from.n}>${app.line.to.n}` : "",
    graph: app.graph,
    origin: originOf(app.graph),
    over: linesOver(),
    all: app.printing,
    stamp: app.stamp,
  };
}

// what a search found, as the boxes that hide it
function foundShown() {
  if (!app.found || !app.picture) return null;
  const shown = new Set();
  for (const item of app.found) shown.add(app.picture.shown[item.n]);
  return shown;
}

// what a hit comes from and leads to stays visible with it
function nearTo(found) {
  const near = new Set();
  for (const { from, to } of app.picture.lines) {
    if (found.has(from)) near.add(to);
    if (found.has(to)) near.add(from);
  }
  return near;
}

// the lines of the selected and of the hovered item, drawn over the others
function linesOver() {
  const over = app.line && app.picture && app.picture.lines.includes(app.line) ? [[app.line, "hover out"]] : [];
  for (const [key, kind] of [
    [app.hovered, "hover"],
    [app.selected, "chosen"],
  ]) {
    const spot = key && app.picture && app.picture.items.get(key);
    if (!spot || spot.open) continue;
    for (const line of app.picture.lines) {
      if (line.from === spot.item) over.push([line, kind + " out"]);
      else if (line.to === spot.item) over.push([line, kind + " in"]);
    }
  }
  return over.slice(0, 400);
}

function draw() {
  if (waiting) return;
  waiting = requestAnimationFrame(() => {
    waiting = 0;
    if (stage.moving) return;
    const now = context();
    redraw(stage, now);
    drawMap($map, stage, now);
  });
}

function look(view, byHand = true) {
  stage.view = view;
  if (byHand) {
    app.moved = true;
    hideTip();
  }
  draw();
}

function measure() {
  const box = $("stage").getBoundingClientRect();
  // the sheet may still be on its way: where it will be counts
  const high = { half: 0.5, full: 0.86 }[document.body.dataset.sheet];
  const sheet = narrow() ? clamp(box.bottom - innerHeight + (high ? high * innerHeight : 62), 0, box.height - 160) : 0;
  stage.size = {
    width: box.width,
    height: box.height,
    top: narrow() ? 58 : 54,
    bottom: sheet + Math.max(narrow() ? 16 : 64, $("legend").offsetHeight + (narrow() ? 20 : 32)),
    side: narrow() ? 14 : 36,
  };
}

const READABLE_AT_FIRST = 0.8; // what does not fit so large is cut off: the map leads to the rest

const roomOf = ({ width, height, side, top, bottom }) => ({ w: width - 2 * side, h: height - top - bottom });

// the picture of what is open; `anew`: also how it is wrapped, and at the very first how much is open
function arrangeGraph(anew) {
  const options = { plain: app.plain, across: app.across },
    room = roomOf(stage.size);
  if (!app.opening) chooseOpening(options, room);
  app.open = openBoxes(app);
  if (anew) {
    const found = bestLayout(app.graph, app.open, options, room);
    app.limit = found.limit;
    app.picture = stage.picture = found.picture;
  } else app.picture = stage.picture = layoutGraph(app.graph, app.open, { ...options, limit: app.limit });
}

function chooseOpening(options, room) {
  for (const opening of openings(app.graph)) {
    app.opening = opening;
    if (bestLayout(app.graph, openBoxes(app), options, room).scale >= READABLE) return;
  }
}

// a new picture for the same or another graph; the anchor stays where it is on the screen
function relayout(anchor, gently = true) {
  const before = app.picture,
    view = { ...stage.view };
  measure();
  arrangeGraph(!anchor && !app.moved);
  app.stamp++;
  const old = anchor && before && before.items.get(anchor),
    now = anchor && app.picture.items.get(anchor);
  if (old && now) stage.view = { k: view.k, x: view.x + (old.x - now.x) * view.k, y: view.y + (old.y - now.y) * view.k };
  else if (!app.moved || !before) stage.view = fitView(stage, READABLE_AT_FIRST);
  if (before && gently && !calm() && app.picture.items.size < 1500) {
    const shift = [(view.x - stage.view.x) / stage.view.k, (view.y - stage.view.y) / stage.view.k];
    animate(stage, origins(before, app.picture, stage.view.k === view.k ? shift : [0, 0]), context, draw);
  } else {
    if (stage.moving) cancelAnimationFrame(stage.moving.frame);
    stage.moving = null;
    stage.svg.classList.remove("moving");
    redraw(stage, context());
    draw();
  }
}

// which item near the middle of the window is also in another graph
function anchorFor(graph) {
  if (!app.picture) return null;
  if (app.selected && graph.byKey.has(app.selected) && app.picture.items.has(app.selected)) return app.selected;
  const x = (stage.size.width / 2 - stage.view.x) / stage.view.k,
    y = (stage.size.height / 2 - stage.view.y) / stage.view.k;
  let best = null,
    least = Infinity;
  for (const [key, spot] of app.picture.items) {
    const far = Math.hypot(spot.x + spot.w / 2 - x, spot.y + spot.h / 2 - y);
    if (!spot.open && far < least && graph.byKey.has(key)) {
      best = key;
      least = far;
    }
  }
  return best;
}

// iterations

async function show(index, options = {}) {
  index = clamp(index, 0, app.run.graphs.length - 1);
  const wanted = (app.wanted = {});
  if (index >= 0 && !app.run.graphs[index].nodes) {
    try {
      await Promise.all([fetchGraph(app.run.graphs[index]), fetchGraph(app.run.graphs[index - 1]).catch(() => null)]);
    } catch (problem) {
      say(problem.message);
      return;
    }
    if (wanted !== app.wanted) return;
  }
  const began = performance.now();
  const graph = graphAt(app.run, index);
  showEmpty(!graph);
  if (!graph) {
    drawPanel();
    return;
  }
  const anchor = app.moved ? anchorFor(graph) : null,
    first = !app.graph;
  if (options.byHand) app.following = index === app.run.graphs.length - 1;
  app.change = index ? compare(graphAt(app.run, index - 1), graph) : null;
  if (app.change) app.changes[index] = [app.change.added.length, app.change.removed.length];
  app.graph = graph;
  app.index = index;
  if (app.selected && !graph.byKey.has(app.selected)) app.selected = null;
  app.hovered = null;
  if (app.found) app.found = new Set(search(graph, $("query").value.trim()));
  drawLegend(graph, app.mode, app.theme, item => act.goTo(item));
  relayout(anchor, !first);
  drawAround();
  app.took = performance.now() - began;
  const failed = graph.nodes.find(node => node.failed),
    origin = !failed && !app.live && first && originOf(graph);
  if (failed && (first || options.arrived)) {
    select(failed.key, false);
    centre(failed, 0.95, false);
  }
  if (origin) {
    select(origin.key, false);
    if (!inSight(stage, app.picture.items.get(origin.key))) centre(origin, 0.95, false);
  }
}

function drawAround() {
  drawLegend(app.graph, app.mode, app.theme, item => act.goTo(item));
  showTimeline($timeline, app.run, app.index, app.changes, app.live ? app.following : undefined);
  drawAlert();
  drawTrail();
  drawPanel();
}

function stopPlaying() {
  clearInterval(app.playing);
  app.playing = null;
  playing($timeline, false);
}

act.play = () => {
  if (app.playing) {
    stopPlaying();
    return;
  }
  if (app.run.graphs.length < 2) return;
  if (app.index === app.run.graphs.length - 1) show(0, { byHand: true });
  playing($timeline, true);
  app.playing = setInterval(() => {
    if (app.index >= app.run.graphs.length - 1) stopPlaying();
    else show(app.index + 1, { byHand: true });
  }, 900);
};
act.show = index => {
  stopPlaying();
  show(index, { byHand: true });
};
act.step = by => {
  if (app.run.graphs.length > 1) act.show(app.index + by);
};
act.follow = () => {
  app.following = true;
  show(app.run.graphs.length - 1);
};
