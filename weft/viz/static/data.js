// A graph document read into nodes with parents and children, and a tree of boxes: the calls of modules.
//
// An *item* is what can be drawn: a node (an op, a parameter, ...) or a box (a call of a module). Items have a `key`, which means the same thing
// in every iteration, `n`, a number within this graph, and `box`, the box around them.

const LEAVES = new Set(["parameter", "buffer", "input"]);
const FEW_BEFORE = 5; // ops before the first module that stay as they are

function readGraph(document) {
  const graph = { document, nodes: [], items: [], byId: new Map(), byKey: new Map(), modules: document.modules || {} };
  graph.iteration = document.iteration === undefined ? null : document.iteration;
  readNodes(graph);
  readEdges(graph);
  makeBoxes(graph);
  giveKeys(graph);
  numberCalls(graph);
  addUp(graph);
  return graph;
}

function readStats(stats) {
  if (!stats) return null;
  const read = {};
  for (const name of ["min", "max", "mean", "std", "norm", "zero"]) read[name] = number(stats[name]);
  read.nan = stats.nan || 0;
  read.inf = stats.inf || 0;
  const found = stats.histogram;
  read.histogram =
    found && found.counts && found.counts.length ? { low: number(found.low), high: number(found.high), counts: found.counts } : null;
  return read;
}

function readNodes(graph) {
  for (const given of [...(graph.document.nodes || [])].sort((a, b) => a.id - b.id)) {
    const node = {
      ...given,
      isNode: true,
      ins: [],
      outs: [],
      box: null,
      key: "",
      n: 0,
      kind: given.kind || "op",
      module: given.module || "",
      values: readStats(given.values),
      grad: readStats(given.grad),
      time: number(given.time),
      time_backward: number(given.time_backward),
      bytes: given.bytes || 0,
      saved_bytes: given.saved_bytes || 0,
    };
    node.family = familyOf(node);
    node.title = node.kind === "op" ? node.op : node.name || node.op || node.kind;
    graph.nodes.push(node);
    graph.byId.set(node.id, node);
  }
}

function readEdges(graph) {
  for (const [from, to] of graph.document.edges || []) {
    const a = graph.byId.get(from),
      b = graph.byId.get(to);
    if (!a || !b || a === b) continue;
    a.outs.push(b);
    b.ins.push(a);
  }
}

// the tree of boxes

function newBox(graph, parent, path, name) {
  const found = graph.modules[path] || {};
  const box = {
    isNode: false,
    path,
    name,
    title: name,
    kind: found.kind || "",
    repr: found.repr || "",
    box: parent,
    children: [],
    inner: null,
    key: "",
    n: 0,
    run: false,
  };
  if (parent) parent.children.push(box);
  return box;
}

// ops in the order in which they ran: a module's call is an unbroken run of them, so boxes never depend on each other in a circle
function makeBoxes(graph) {
  graph.root = newBox(graph, null, "", graph.document.title || "graph");
  for (const node of graph.nodes) {
    if (LEAVES.has(node.kind)) continue;
    node.box = boxOf(graph, node);
    node.box.children.push(node);
  }
  gatherFirst(graph.root);
  if (graph.nodes.length > FEW) foldRepeats(graph.root);
  for (const box of boxesOf(graph.root)) makeRuns(box);
  placeLeaves(graph);
}

// the box of the call that ran a node; `calls` says which call of each module on the way, `call` only of the last
function boxOf(graph, node) {
  const parts = node.module ? node.module.split(".") : [],
    calls = node.calls && node.calls.length === parts.length ? node.calls : null;
  let box = graph.root,
    path = "";
  parts.forEach((name, at) => {
    path = path ? path + "." + name : name;
    const key = name + "#" + (calls ? calls[at] : at === parts.length - 1 ? node.call || 0 : 0);
    box.inner = box.inner || new Map();
    if (!box.inner.has(key)) box.inner.set(key, newBox(graph, box, path, name));
    box = box.inner.get(key);
  });
  return box;
}

function* boxesOf(root) {
  const left = [root];
  while (left.length) {
    const box = left.pop();
    yield box;
    for (const child of box.children) if (!child.isNode) left.push(child);
  }
}

// what ran before the first module, such as the making of a batch, is one box if it is more than a few ops
function gatherFirst(root) {
  const first = root.children.findIndex(child => !child.isNode);
  if (first < FEW_BEFORE) return;
  const box = {
    ...newBox({ modules: {} }, null, "", "before"),
    title: "before the model",
    box: root,
    children: root.children.splice(0, first),
    start: 0,
    run: true,
  };
  for (const child of box.children) child.box = box;
  root.children.unshift(box);
}

// a parameter stands in the innermost box that holds all who use it
function placeLeaves(graph) {
  for (const node of graph.nodes) {
    if (!LEAVES.has(node.kind)) continue;
    let box = null;
    for (const user of node.outs) if (user.box) box = box ? commonBox(box, user.box) : user.box;
    if (node.kind === "input" && box && box.run) box = outermostRun(box);
    else if (node.kind === "input" || !box) box = node.kind === "input" && node.module && box ? lowestNamed(box, node.module) : graph.root;
    node.box = box;
  }
  for (let at = graph.nodes.length - 1; at >= 0; at--) {
    const node = graph.nodes[at];
    if (LEAVES.has(node.kind)) node.box.children.unshift(node);
  }
}

function outermostRun(box) {
  while (box.box.run) box = box.box;
  return box;
}

function lowestNamed(box, path) {
  while (box.box && box.path !== path) box = box.box;
  return box;
}

function depthOf(item) {
  let depth = 0;
  for (let box = item.box; box; box = box.box) depth++;
  return depth;
}

function commonBox(a, b) {
  let da = depthOf(a),
    db = depthOf(b);
  while (da > db) {
    a = a.box;
    da--;
  }
  while (db > da) {
    b = b.box;
    db--;
  }
  while (a !== b) {
    a = a.box;
    b = b.box;
  }
  return a;
}

// keys say what an item is, and which of those alike: they find it again in another iteration
function giveKeys(graph) {
  const counts = new Map();
  const give = (item, key) => {
    const count = (counts.get(key) || 0) + 1;
    counts.set(key, count);
    item.key = count > 1 ? `${key}*${count}` : key;
    item.n = graph.items.length;
    graph.items.push(item);
    graph.byKey.set(item.key, item);
  };
  const left = [graph.root];
  give(graph.root, "root");
  while (left.length) {
    const box = left.shift();
    for (const child of box.children) {
      if (child.isNode && child.kind !== "op" && child.name) give(child, `${child.kind} ${child.name}`);
      else if (child.isNode) give(child, `${box.key}/${child.op}@${child.file || ""}:${child.line || ""}`);
      else {
        give(child, `${box.key}/[${child.name}]`);
        left.push(child);
      }
    }
  }
}

// which of the calls of its module a box is, if there are several
function numberCalls(graph) {
  const calls = new Map();
  for (const item of graph.items) {
    if (item.isNode || item.run || !item.box) continue;
    const same = calls.get(item.path) || calls.set(item.path, []).get(item.path);
    same.push(item);
  }
  for (const same of calls.values()) {
    same.sort((a, b) => firstOf(a) - firstOf(b));
    same.forEach((box, at) => {
      box.several = same.length > 1;
      box.ordinal = at + 1;
    });
  }
}

function firstOf(box) {
  while (!box.isNode) box = box.children.find(child => !child.isNode || child.kind === "op") || box.children[0];
  return box.id;
}

// what a box holds, summed from the inside out
function addUp(graph) {
  const order = [...boxesOf(graph.root)];
  for (const box of order)
    Object.assign(box, {
      ops: 0,
      inside: 0,
      parameters: 0,
      time: null,
      time_backward: null,
      bytes: 0,
      saved_bytes: 0,
      failed: false,
      nan: false,
      depth: box.box ? box.box.depth + 1 : 0,
    });
  for (let at = order.length - 1; at >= 0; at--) {
    const box = order[at];
    for (const child of box.children) {
      box.inside += child.isNode ? 1 : child.inside;
      box.ops += child.isNode ? (child.kind === "op" ? 1 : 0) : child.ops;
      box.parameters += child.isNode ? (child.kind === "parameter" ? elements(child) : 0) : child.parameters;
      for (const name of ["time", "time_backward"])
        if (child[name] !== null && child[name] !== undefined) box[name] = (box[name] || 0) + child[name];
      box.bytes += child.isNode && child.kind !== "op" ? 0 : child.bytes;
      box.saved_bytes += child.saved_bytes;
      box.nan = box.nan || hasNaN(child);
      box.failed = box.failed || Boolean(child.failed);
    }
  }
}

const hasNaN = item => (item.isNode ? Boolean(item.values && item.values.nan) : item.nan);
const elements = node => (node.shape || []).reduce((a, b) => a * b, 1);

function* nodesOf(item) {
  if (item.isNode) {
    yield item;
    return;
  }
  for (const child of item.children) {
    if (child.isNode) yield child;
    else yield* nodesOf(child);
  }
}

// what came and what went between two iterations
function compare(before, after) {
  if (!before || before === after) return null;
  const added = after.nodes.filter(node => !before.byKey.has(node.key));
  const removed = before.nodes.filter(node => !after.byKey.has(node.key));
  const boxes = new Set();
  for (const node of added) for (let box = node.box; box; box = box.box) boxes.add(box.key);
  return { added, removed, keys: new Set(added.map(node => node.key)), boxes };
}
