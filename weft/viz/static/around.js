// Around the graph: trail, banner, panel, sheet, tip.

function drawTrail() {
  const item = app.selected && app.graph && app.graph.byKey.get(app.selected),
    path = [];
  for (let box = item && item.box; box && box.box; box = box.box) path.unshift(box);
  $("trail").replaceChildren(
    ...(item
      ? [
          ...path.map(box => element("button", { onclick: () => act.goTo(box) }, boxTitle(box))),
          element("span", { "aria-current": "true" }, item.isNode ? item.title : boxTitle(item)),
        ]
      : []),
  );
}

// what stands in the banner: an error, else where NaN began; {text, title, details, go}
function news() {
  const failed = app.graph && app.graph.nodes.find(node => node.failed),
    text = (failed && failed.error) || app.run.error;
  if (text) {
    const [first, ...rest] = text.trim().split("\n");
    const whole = rest.length ? element("details", {}, element("summary", {}, "The whole message"), element("pre", {}, text)) : null;
    return { text, title: failed && failed.error ? first : errorTitle(text), details: whole, go: failed && (() => act.goTo(failed)) };
  }
  const found = troubleNews(app, act);
  if (!found) return null;
  const more = [found.source && element("code", {}, found.source), found.more && element("span", {}, found.more)];
  return { text: found.title, title: found.title, details: element("p", {}, more), go: found.go, broken: true };
}

function drawAlert() {
  const box = $("alert"),
    found = news();
  box.hidden = !found || app.dismissed === found.text;
  if (box.hidden) return;
  box.classList.toggle("broken", Boolean(found.broken));
  box.replaceChildren(
    shape(
      "svg",
      { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" },
      shape("circle", { cx: 10, cy: 10, r: 7.5 }),
      shape("path", { d: "M10 6v5m0 2.8v.1" }),
    ),
    element("div", { class: "words" }, element("b", {}, found.title), found.details),
    found.go && element("button", { class: "button", onclick: found.go }, "Show where"),
    element(
      "button",
      {
        class: "tool",
        "aria-label": "Dismiss",
        onclick: () => {
          app.dismissed = found.text;
          box.hidden = true;
          measure();
        },
      },
      "×",
    ),
  );
}

// of a traceback the last line says what it was
function errorTitle(text) {
  const lines = text.trim().split("\n");
  return lines[0].startsWith("Traceback") ? lines.filter(line => /^\S/.test(line)).pop() : lines[0];
}

function showEmpty(on) {
  const box = $("empty");
  box.hidden = !on;
  if (!on) return;
  const live = app.live && (app.run.state || "live") === "live";
  box.replaceChildren(
    element("h2", {}, live ? "Waiting for the first graph" : "No graph here"),
    element(
      "p",
      {},
      live
        ? "It is drawn as soon as the program calls backward(). Numbers that are logged before appear under Training."
        : app.run.error
          ? "The program ended before any graph was recorded; its message is above."
          : "The run ended without a call of backward(), so there is nothing to draw. weft.graph(loss) takes a graph by hand.",
    ),
  );
}

function drawPanel(moved) {
  const tabs = [["graph", app.selected ? (app.graph && app.graph.byKey.get(app.selected).isNode ? "Node" : "Module") : "Graph"]];
  if (!app.run.single) tabs.push(["training", "Training"]);
  $("tabs").replaceChildren(
    ...tabs.map(([name, text]) =>
      element(
        "button",
        {
          role: "tab",
          id: `tab-${name}`,
          "aria-selected": String(app.tab === name),
          "aria-controls": "body",
          tabindex: app.tab === name ? 0 : -1,
          onclick: () => turnTo(name),
          onkeydown: event => turnByKey(event, tabs, name),
        },
        text,
      ),
    ),
  );
  if (app.selected && app.tab === "graph")
    $("tabs").append(
      element(
        "button",
        { class: "tool back", "aria-label": "Back to the overview", title: "Back to the overview (Esc)", onclick: () => select(null) },
        "×",
      ),
    );
  put($("body"), "aria-labelledby", `tab-${app.tab}`);
  const item = app.selected && app.graph.byKey.get(app.selected),
    top = $("body").scrollTop;
  const parts =
    app.tab === "training"
      ? trainingPanel(app.run, app.graph)
      : !app.graph
        ? [element("div", { class: "blank" }, element("h2", {}, "No graph yet"), element("p", {}, "Details of the graph are shown here."))]
        : item
          ? item.isNode
            ? nodePanel(item, app.graph, act)
            : boxPanel(item, app.graph, act, app.open.has(item.key))
          : overview(app, app.graph, app.change, act);
  $("body").replaceChildren(...parts.flat().filter(Boolean));
  $("body").scrollTop = moved ? 0 : top;
}

function turnTo(name) {
  app.tab = name;
  if (name === "graph" || narrow()) raiseSheet("half");
  drawPanel(true);
  $(`tab-${name}`).focus();
}

function turnByKey(event, tabs, name) {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  event.stopPropagation();
  const at = tabs.findIndex(tab => tab[0] === name),
    next = tabs[(at + 1) % tabs.length][0];
  if (next !== name) turnTo(next);
}

// the panel beside the graph, or as a sheet at the bottom of a narrow window

function raiseSheet(to) {
  if (!narrow()) {
    if (to !== "peek" && app.selected) showPanel(true);
    return;
  }
  const heights = ["peek", "half", "full"],
    now = heights.indexOf(document.body.dataset.sheet || "peek");
  if (to === "peek" || heights.indexOf(to) > now) document.body.dataset.sheet = to;
}

function showPanel(on) {
  document.body.classList.toggle("without-panel", !on);
  put($("panel-toggle"), "aria-expanded", String(on));
}

function listenToSheet() {
  const handle = $("handle");
  let start = null;
  handle.addEventListener("pointerdown", event => {
    start = event.clientY;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointerup", event => {
    if (start === null) return;
    const by = event.clientY - start,
      heights = ["peek", "half", "full"],
      now = heights.indexOf(document.body.dataset.sheet || "peek");
    start = null;
    document.body.dataset.sheet = Math.abs(by) < 8 ? heights[(now + 1) % 3] : heights[clamp(now + (by < 0 ? 1 : -1), 0, 2)];
    event.preventDefault();
  });
  handle.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const heights = ["peek", "half", "full"];
    document.body.dataset.sheet = heights[(heights.indexOf(document.body.dataset.sheet || "peek") + 1) % 3];
  });
}

function showTurn() {
  put($("turn"), "aria-pressed", String(app.across));
}

function hideTip() {
  $("tip").hidden = true;
}

function showTip(item, event) {
  const tip = $("tip");
  if (!item || event.pointerType === "touch") {
    tip.hidden = true;
    return;
  }
  const value = app.mode === "kind" ? null : valueOf(item, app.mode);
  const words =
    value === null ? "" : app.mode === "time" ? inTime(value) : app.mode === "memory" ? inBytes(value) : `gradient ${inDigits(value)}`;
  const details = [
    item.isNode ? inShape(item.shape) : [item.kind !== item.title && item.kind, plural(item.ops, "op")].filter(Boolean).join(" · "),
    item.isNode && item.dtype,
    item.isNode && place(item),
    words,
  ];
  placeTip(item.isNode ? item.title : boxTitle(item), details, event);
}

// what goes along a line: the shapes of the results that its end uses
function showLineTip({ from, to }, event) {
  if (event.pointerType === "touch") return;
  const name = item => (item.isNode ? item.title : boxTitle(item)),
    goes = [];
  for (const node of nodesOf(from)) if (node.outs.some(user => user === to || inside(user, to))) goes.push(node);
  const shapes = [...new Set(goes.map(node => [inShape(node.shape), node.dtype].filter(Boolean).join(" ")))].filter(Boolean);
  const more = shapes.length > 3 ? `and ${shapes.length - 3} more` : "";
  placeTip(`${name(from)} → ${name(to)}`, [...shapes.slice(0, 3), more], event);
}

function placeTip(title, details, event) {
  const tip = $("tip");
  tip.replaceChildren(element("b", {}, title), element("span", {}, details.filter(Boolean).join("  ·  ")));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${clamp(event.clientX + 14, 6, innerWidth - width - 6)}px`;
  tip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
}
