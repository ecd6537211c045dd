// A box with very many children gets boxes of them: subtrees where they are a tree, as a recursion makes it, else runs side by side.

const MANY = 160,
  RUNS = 16; // more than MANY children become RUNS boxes

// runs of what is side by side in a box with very many children, such as a loop without modules
function makeRuns(box) {
  const children = box.children;
  if (children.length <= MANY) return;
  const trees = subtrees(box);
  if (trees) {
    adoptFolds(box, trees);
    return;
  }
  const length = Math.ceil(children.length / RUNS);
  box.children = [];
  for (let start = 0; start < children.length; start += length) {
    const part = children.slice(start, start + length);
    const last = part[part.length - 1],
      boxes = part.every(child => !child.isNode),
      same = boxes && part.every(child => child.path === part[0].path);
    const offset = start + (box.run ? box.start : 0),
      span = `${offset + 1}–${offset + part.length}`;
    const run = {
      isNode: false,
      path: box.path,
      name: span,
      start: offset,
      kind: same ? part[0].kind : "",
      repr: "",
      box,
      children: part,
      key: "",
      n: 0,
      run: true,
      title: same ? `${part[0].name}, calls ${span}` : boxes ? `${part[0].name} … ${last.name}` : `steps ${span}`,
    };
    for (const child of part) child.box = run;
    box.children.push(run);
  }
}

// who uses what on the level of a box: child -> the children that take its results; null stands for what is outside
function usersWithin(box) {
  const users = new Map(),
    top = item => {
      while (item && item.box !== box) item = item.box;
      return item;
    };
  for (const child of box.children) {
    const found = new Set();
    for (const node of nodesOf(child)) for (const user of node.outs) if (user.box) found.add(top(user));
    found.delete(child);
    users.set(child, found);
  }
  return users;
}

// the children of a box with its smaller subtrees gathered; null where they are no tree but a long way
function subtrees(box) {
  const users = usersWithin(box),
    size = new Map(),
    depth = new Map(),
    owner = new Map(),
    count = box.children.length;
  for (const child of box.children) {
    size.set(child, (size.get(child) || 0) + 1);
    depth.set(child, (depth.get(child) || 0) + 1);
    for (const user of users.get(child)) if (user) depth.set(user, Math.max(depth.get(user) || 0, depth.get(child)));
    const [only] = users.get(child);
    if (users.get(child).size !== 1 || !only) continue;
    owner.set(child, only);
    size.set(only, (size.get(only) || 0) + size.get(child));
  }
  if (Math.max(...depth.values()) > count / 5 || owner.size < 0.8 * count) return null;
  const most = Math.max(8, count / 12),
    rootOf = child => {
      while (owner.has(child) && size.get(owner.get(child)) <= most) child = owner.get(child);
      return child;
    };
  const parts = new Map();
  for (const child of box.children) {
    const root = rootOf(child);
    (parts.get(root) || parts.set(root, []).get(root)).push(child);
  }
  if (parts.size > 0.8 * count) return null;
  return [...parts].map(([root, children], at) => (children.length < 3 ? children : subtreeOf(box, root, children, at))).flat();
}

function subtreeOf(box, root, children, at) {
  return {
    ...newBox({ modules: {} }, null, box.path, `subtree ${at + 1}`),
    title: `subtree of ${root.isNode ? root.title : root.name}`,
    box,
    children,
    run: true,
    start: 0,
    fold: true,
  };
}
