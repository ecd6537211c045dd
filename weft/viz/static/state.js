// What the page knows: the run, the graph that is shown, which boxes are open, what is selected; and the acts that change it.

const FEW = 60,
  FIRST_SIGHT = 28; // up to FEW nodes everything is open; else boxes are opened up to about FIRST_SIGHT items

function readRun(data) {
  if (data.format === "weft-run") return { metrics: [], memory: [], histograms: [], error: null, ...data, graphs: data.graphs || [] };
  return {
    format: "weft-run",
    title: data.title,
    graphs: data.nodes ? [data] : [],
    metrics: [],
    memory: [],
    histograms: [],
    error: null,
    single: true,
  };
}

// boxes that are open at first: all of a small graph, the outer ones of a large one, and those around a failure
function firstOpen(graph) {
  const open = new Set();
  if (graph.nodes.length > FEW) openLevels(graph.root, open);
  else for (const box of boxesOf(graph.root)) if (box.name !== "before") open.add(box.key);
  for (const node of graph.nodes) if (node.failed) for (let box = node.box; box && box.box; box = box.box) open.add(box.key);
  return open;
}

// level by level while all of a level fits; modules of a single op stay closed
function openLevels(root, open) {
  const worth = child => !child.isNode && child.name !== "before" && (child.ops > 1 || child.children.some(inner => !inner.isNode));
  let level = root.children.filter(worth),
    shown = root.children.length;
  while (level.length) {
    shown += sum(level.map(box => box.children.filter(child => !child.isNode || child.kind === "op").length - 1));
    if (shown > FIRST_SIGHT && (open.size || shown > 2 * FEW)) return;
    for (const box of level) open.add(box.key);
    level = level.flatMap(box => box.children.filter(worth));
  }
}

function openBoxes(app) {
  const open = firstOpen(app.graph);
  for (const [key, wanted] of app.choices)
    if (wanted) open.add(key);
    else open.delete(key);
  return open;
}

const cache = new WeakMap();

function graphAt(run, index) {
  const found = run.graphs[index];
  if (!found || !found.nodes) return null;
  if (!cache.has(found)) cache.set(found, readGraph(found));
  return cache.get(found);
}

// [added, removed] of each iteration against the one before; worked out when there is time
function workOutChanges(app, done) {
  const { run, changes } = app;
  let at = run.graphs.findIndex((_, i) => i > 0 && !changes[i] && run.graphs[i].nodes && run.graphs[i - 1].nodes);
  if (at < 0) {
    done();
    return;
  }
  const start = performance.now();
  for (; at < run.graphs.length && performance.now() - start < 30; at++) {
    if (changes[at] || !run.graphs[at].nodes || !run.graphs[at - 1].nodes || !at) continue;
    const change = compare(graphAt(run, at - 1), graphAt(run, at));
    changes[at] = [change.added.length, change.removed.length];
  }
  setTimeout(() => workOutChanges(app, done), 0);
}
