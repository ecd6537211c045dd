// Repeats: modules alike that follow each other, such as the blocks of a transformer, are one box, "Block × 6", which can be opened.

const FEW = 60, // a graph of so few nodes is shown as it is
  ALIKE = 3,
  LONGEST = 4; // so many alike make a repeat; so many children may be its unit

// what a box is made of, as a number: boxes with the same ops in the same order have the same
function signatures(root) {
  const known = new Map(),
    of = new Map();
  for (const box of [...boxesOf(root)].reverse()) {
    const text = box.kind + "(" + box.children.map(child => (child.isNode ? child.op : of.get(child))).join() + ")";
    if (!known.has(text)) known.set(text, known.size);
    of.set(box, known.get(text));
  }
  return of;
}

function foldRepeats(root) {
  const of = signatures(root);
  for (const box of [...boxesOf(root)]) {
    if (box.children.filter(child => !child.isNode).length < ALIKE) continue;
    const marks = box.children.map(child => (child.isNode ? child.op : of.get(child))),
      made = [];
    for (let at = 0; at < marks.length; ) {
      const found = repeatAt(box.children, marks, at);
      made.push(...(found ? [foldOf(box, at, found)] : [box.children[at]]));
      at += found ? found.unit * found.count : 1;
    }
    // a list of modules and nothing else is a repeat itself
    if (made.length === 1 && box.box && made[0].fold) box.repeat = made[0].repeat;
    else adoptFolds(box, made);
  }
}

function adoptFolds(box, children) {
  box.children = children;
  for (const fold of children) if (fold.fold) for (const child of fold.children) child.box = fold;
}

// {unit, count} of the longest repeat that begins here, or null
function repeatAt(children, marks, at) {
  let best = null;
  for (let unit = 1; unit <= LONGEST; unit++) {
    let count = 1;
    while (isAgain(marks, at, unit, count) && isFed(children, at + (count - 1) * unit, unit)) count++;
    const modules = children.slice(at, at + unit).filter(child => !child.isNode);
    if (count < ALIKE || !modules.length || (unit === 1 && modules[0].children.length < 2)) continue;
    if (isCalledElsewhere(children, at, unit * count)) continue;
    if (!best || unit * count > best.unit * best.count) best = { unit, count };
  }
  return best;
}

// a module that is also called outside of the repeat is no loop but a recursion, and shown as what it is
function isCalledElsewhere(children, at, length) {
  const within = new Set(children.slice(at, at + length).filter(child => !child.isNode).map(child => child.path));
  return children.some((child, i) => !child.isNode && (i < at || i >= at + length) && within.has(child.path));
}

const isAgain = (marks, at, unit, count) => {
  for (let i = 0; i < unit; i++) if (marks[at + i] === undefined || marks[at + i] !== marks[at + count * unit + i]) return false;
  return true;
};

// whether the next unit goes on with what this one gave: branches side by side are no repeat
function isFed(children, at, unit) {
  const next = new Set(children.slice(at + unit, at + 2 * unit));
  for (const child of children.slice(at, at + unit))
    for (const node of nodesOf(child))
      for (const user of node.outs) for (let item = user; item; item = item.box) if (next.has(item)) return true;
  return false;
}

function foldOf(box, at, { unit, count }) {
  const children = box.children.slice(at, at + unit * count),
    names = children.slice(0, unit).map(child => (child.isNode ? child.op : child.kind || child.name)),
    what = `${unit > 1 ? `(${names.join(", ")})` : names[0]} × ${count}`;
  const part = { unit, count, what };
  return {
    ...newBox({ modules: {} }, null, box.path, `×${children[0].isNode ? children[0].op : children[0].name}`),
    title: what,
    box,
    children,
    run: true,
    start: 0,
    fold: true,
    repeat: part,
  };
}
