// The keyboard, and the overlay that lists its keys.

const KEYS = [
  ["↑ ↓", "to what a node comes from, and where it goes"],
  ["← →", "to the neighbour on the same level"],
  ["Enter", "open or close a module; read a node"],
  ["⇧ Enter", "close the module around"],
  ["[  ]", "close or open all modules by one level"],
  ["/", "search"],
  ["+ − 0", "zoom in, out, fit"],
  ["1 2 3 4", "colour by kind, time, memory, gradient"],
  [",  .", "one iteration back or on"],
  ["Space", "play the iterations"],
  ["p", "show or hide parameters"],
  ["h", "from left to right, or from top to bottom"],
  ["f", "to the failing node, or where NaN began"],
  ["Esc", "clear the selection, close"],
  ["?", "this help"],
];

function makeHelp() {
  const dialog = $("help");
  dialog.append(
    element(
      "header",
      {},
      element("h2", { id: "help-title" }, "Keys and pointer"),
      element("button", { class: "tool", "aria-label": "Close", onclick: () => dialog.close() }, "×"),
    ),
    element(
      "dl",
      {},
      KEYS.map(([key, what]) =>
        element(
          "div",
          {},
          element(
            "dt",
            {},
            key.split(/\s+/).map(k => element("kbd", {}, k)),
          ),
          element("dd", {}, what),
        ),
      ),
    ),
    element(
      "p",
      {},
      "Drag to move, turn the wheel or pinch to zoom. Click a node to read it, click it twice or its arrow to open or close a module. " +
        "The slider below goes through the iterations.",
    ),
  );
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  });
  return {
    open: () => {
      if (!dialog.open) dialog.showModal();
    },
  };
}

function listenToKeys(act) {
  document.addEventListener("keydown", event => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range";
    if (typing || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const inGraph = event.target === $("graph") || event.target === document.body;
    const slider = event.target.type === "range";
    const action = GLOBAL_KEYS[event.key] || (inGraph && GRAPH_KEYS[event.key]);
    if (!action || (slider && /^Arrow/.test(event.key)) || (event.key === " " && !inGraph) || (event.key === "Enter" && !inGraph)) return;
    event.preventDefault();
    action(act, event);
  });
}

const GLOBAL_KEYS = {
  "/": act => act.search(),
  "?": act => act.help(),
  Escape: act => act.escape(),
  "+": act => act.zoom(1.3),
  "=": act => act.zoom(1.3),
  "-": act => act.zoom(1 / 1.3),
  "−": act => act.zoom(1 / 1.3),
  0: act => act.fit(),
  1: act => act.colour("kind"),
  2: act => act.colour("time"),
  3: act => act.colour("memory"),
  4: act => act.colour("gradient"),
  "[": act => act.level(-1),
  "]": act => act.level(1),
  ",": act => act.step(-1),
  ".": act => act.step(1),
  f: act => act.toFailure(),
  p: act => act.parameters(),
  h: act => act.turn(),
};
const GRAPH_KEYS = {
  ArrowUp: act => act.move("up"),
  ArrowDown: act => act.move("down"),
  ArrowLeft: act => act.move("left"),
  ArrowRight: act => act.move("right"),
  Enter: (act, event) => (event.shiftKey ? act.closeAround() : act.enter()),
  " ": act => act.play(),
  Home: act => act.move("first"),
  End: act => act.move("last"),
};

// the item that an arrow leads to: along a line, or sideways to what is nearest on the same level
function neighbour(picture, selected, way) {
  const spots = [...picture.items.values()].filter(spot => !spot.open);
  if (!spots.length) return null;
  const byTop = picture.across ? (a, b) => a.x - b.x || a.y - b.y : (a, b) => a.y - b.y || a.x - b.x;
  const here = selected && picture.items.get(selected);
  if (!here || way === "first" || way === "last") return spots.sort(byTop)[way === "last" ? spots.length - 1 : 0].item;
  const centre = spot => [spot.x + spot.w / 2, spot.y + spot.h / 2],
    middle = picture.across ? spot => centre(spot).reverse() : centre,
    [x, y] = middle(here);
  if (way === "up" || way === "down") {
    if (here.open) return spots.filter(spot => inside(spot.item, here.item)).sort(byTop)[0].item;
    const ends = picture.lines
      .filter(line => (way === "up" ? line.to : line.from) === here.item)
      .map(line => picture.items.get((way === "up" ? line.from : line.to).key))
      .filter(Boolean);
    const near = spot =>
      Math.abs(middle(spot)[0] - x) + Math.abs(middle(spot)[1] - y) + (spot.item.isNode && spot.item.kind !== "op" ? 400 : 0);
    return ends.length ? ends.sort((a, b) => near(a) - near(b))[0].item : null;
  }
  const sideways = spots.filter(spot => spot !== here && (way === "left" ? middle(spot)[0] < x - 1 : middle(spot)[0] > x + 1));
  const cost = spot => Math.abs(middle(spot)[0] - x) + 4 * Math.abs(middle(spot)[1] - y) + (spot.level === here.level ? 0 : 200);
  return sideways.length ? sideways.reduce((a, b) => (cost(b) < cost(a) ? b : a)).item : null;
}

function inside(item, box) {
  for (let around = item.box; around; around = around.box) if (around === box) return true;
  return false;
}
