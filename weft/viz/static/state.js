// What the page knows: the run, the graph that is shown, which boxes are open, what is selected; and the acts that change it.

const FIRST_SIGHT = 28; // of a large graph boxes are opened up to about so many items

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

// boxes that are open at first: all of a small graph, all but those of one op, all but repeats, or the outer ones; and those around
// what went wrong
function firstOpen(graph, style) {
  const open = new Set();
  if (style === "levels") openLevels(graph.root, open);
  else
    for (const box of boxesOf(graph.root))
      if (box.name !== "before" && (style === "all" || worth(box))) open.add(box.key);
  for (const node of graph.nodes)
    if (node.failed || node === originOf(graph)) for (let box = node.box; box && box.box; box = box.box) open.add(box.key);
  return open;
}

// modules of a single op, and what is repeated, stay closed
const worth = child =>
  !child.isNode && child.name !== "before" && !child.repeat && (child.ops > 1 || child.children.some(inner => !inner.isNode));

// how much may be open at first, the most first
function openings(graph) {
  if (graph.nodes.length > 2 * FEW) return ["levels"];
  return graph.nodes.length > FEW ? ["outer", "levels"] : ["all", "outer", "levels"];
}

// level by level while all of a level fits
function openLevels(root, open) {
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
  const open = firstOpen(app.graph, app.opening);
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
