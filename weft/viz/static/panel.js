// The panel: an overview of the graph, one node or module in detail.

function section(title, ...content) {
  return element("section", {}, title && element("h3", {}, title), content);
}

function facts(pairs) {
  return element(
    "dl",
    { class: "facts" },
    pairs
      .filter(pair => pair && pair[1] !== null && pair[1] !== undefined && pair[1] !== "")
      .map(([name, value, share]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value, share !== undefined && meter(share))),
      ),
  );
}

function itemLink(item, act, detail) {
  return element(
    "button",
    { class: "link", onclick: () => act.goTo(item) },
    element("span", { class: `chip ${item.isNode ? "f-" + item.family : "box"}` }),
    element("span", { class: "text" }, item.isNode ? item.title : boxTitle(item)),
    element("span", { class: "detail" }, detail === undefined ? (item.isNode ? inShape(item.shape) : plural(item.ops, "op")) : detail),
  );
}

function links(title, items, act, detail) {
  if (!items.length) return null;
  const shown = items.slice(0, 12),
    rest = items.length - shown.length;
  const list = element(
    "ul",
    { class: "links" },
    shown.map(item => element("li", {}, itemLink(item, act, detail && detail(item)))),
  );
  if (rest) {
    const more = element(
      "button",
      {
        class: "more",
        onclick: () => {
          more.remove();
          list.append(...items.slice(12, 500).map(item => element("li", {}, itemLink(item, act, detail && detail(item)))));
        },
      },
      `${rest} more`,
    );
    return section(title, list, more);
  }
  return section(title, list);
}

// a node

function nodePanel(node, graph, act) {
  const total = graph.root.time ? graph.root.time + (graph.root.time_backward || 0) : 0,
    spent = valueOf(node, "time");
  return [
    element(
      "header",
      { class: "what" },
      element("span", { class: `chip big f-${node.family}` }),
      element("div", {}, element("h2", {}, node.title), element("p", { class: "crumbs" }, crumbs(node, act))),
    ),
    node.failed && failure(node.error),
    originSection(graph, node),
    source(node),
    !node.failed &&
      section(
        "Result",
        facts([
          ["Shape", several(node) || inShape(node.shape) || "–"],
          ["Type", node.dtype],
          ["Size", node.bytes ? inBytes(node.bytes) : null, node.bytes && graph.root.bytes ? node.bytes / graph.root.bytes : undefined],
          ["Saved for backward", node.kind === "op" && node.saved_bytes ? inBytes(node.saved_bytes) : null],
          ["Forward", node.time === null ? null : inTime(node.time), total ? node.time / total : undefined],
          ["Backward", node.time_backward === null ? null : inTime(node.time_backward), total ? node.time_backward / total : undefined],
          ["Share of the step", spent !== null && total ? `${((spent / total) * 100).toPrecision(2)} %` : null],
        ]),
      ),
    node.attrs && Object.keys(node.attrs).length
      ? section("Arguments", facts(Object.entries(node.attrs).map(([name, value]) => [name, String(value)])))
      : null,
    node.values && section("Values", alarm(node.values), histogram(node.values, "values"), statFacts(node.values)),
    gradientSection(node),
    links("From", node.ins, act),
    links("To", node.outs, act),
    node.kind === "op" &&
      !node.values &&
      !node.grad &&
      !node.failed &&
      element("p", { class: "none" }, "No values or gradients were recorded for this node."),
  ];
}

const several = node => (node.outputs && node.outputs.length > 1 ? node.outputs.map(out => inShape(out.shape)).join(",  ") : null);

function crumbs(item, act) {
  const path = [];
  for (let box = item.box; box && box.box; box = box.box) path.unshift(box);
  if (!path.length) return "outside of any module";
  return path.flatMap((box, at) => [
    at ? element("span", { class: "slash", "aria-hidden": "true" }, "/") : null,
    element("button", { class: "crumb", onclick: () => act.goTo(box) }, boxTitle(box)),
  ]);
}

function source(node) {
  if (!node.file) return null;
  const where = `${node.file}:${node.line}`;
  const copy = element("button", { class: "copy", title: `Copy ${where}`, onclick: () => copyText(where, copy) }, "Copy");
  return element(
    "div",
    { class: "source" },
    element("div", { class: "where", title: where }, element("span", {}, place(node)), copy),
    node.source && element("code", {}, node.source.trim()),
  );
}

function copyText(text, button) {
  const done = word => {
    button.textContent = word;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1200);
  };
  if (!navigator.clipboard) {
    done("Can't copy");
    return;
  }
  navigator.clipboard.writeText(text).then(
    () => done("Copied"),
    () => done("Can't copy"),
  );
}

function failure(text) {
  return element("div", { class: "failure" }, element("b", {}, "The step failed here"), text && element("pre", {}, text));
}

function alarm(stats) {
  const parts = [stats.nan && `${plural(stats.nan, "value")} NaN`, stats.inf && `${plural(stats.inf, "value")} infinite`].filter(Boolean);
  return parts.length ? element("p", { class: "alarm" }, parts.join(", ")) : null;
}

function statFacts(stats) {
  return facts([
    ["Mean", inDigits(stats.mean)],
    ["Std", inDigits(stats.std)],
    ["Min", inDigits(stats.min)],
    ["Max", inDigits(stats.max)],
    ["Norm", inDigits(stats.norm)],
    stats.zero ? ["Zeros", `${Number((stats.zero * 100).toPrecision(3))} %`, stats.zero] : null,
  ]);
}

const VERDICTS = { healthy: "healthy", vanishing: "vanishing", exploding: "exploding", broken: "not finite" };
const ADVICE = {
  vanishing:
    "So small a gradient hardly moves what lies before it. Look at saturating activations, at the initial scale, or add a norm or a skip connection.",
  exploding: "So large a gradient throws the weights about. Clip it, lower the learning rate, or look for a division by something small.",
  broken: "From here on backwards everything is lost. Find where values turn NaN or infinite: weft.check_numerics() names the line.",
};

function gradientSection(node) {
  if (!node.grad) return null;
  const health = healthOf(valueOf(node, "gradient"));
  return section(
    "Gradient",
    element("p", { class: `verdict ${health}` }, element("b", {}, inDigits(node.grad.norm)), element("span", {}, VERDICTS[health])),
    alarm(node.grad),
    ADVICE[health] && element("p", { class: "advice" }, ADVICE[health]),
    histogram(node.grad, "grad"),
    statFacts(node.grad),
  );
}

// a module

function boxPanel(box, graph, act, isOpen) {
  const inside = [...nodesOf(box)],
    ops = inside.filter(node => node.kind === "op"),
    total = graph.root.time ? graph.root.time + (graph.root.time_backward || 0) : 0;
  const spent = valueOf(box, "time");
  return [
    element(
      "header",
      { class: "what" },
      element("span", { class: "chip big box" }),
      element("div", {}, element("h2", {}, boxTitle(box)), element("p", { class: "crumbs" }, crumbs(box, act))),
    ),
    element(
      "div",
      { class: "actions" },
      element("button", { class: "button main", onclick: () => act.toggle(box) }, isOpen ? "Close" : "Open"),
      box.children.some(child => !child.isNode) &&
        element("button", { class: "button", onclick: () => act.openAll(box) }, "Open all inside"),
    ),
    box.failed && failure((inside.find(node => node.failed) || {}).error),
    box.repr && element("div", { class: "source" }, element("code", {}, box.repr)),
    section(
      "Inside",
      facts([
        ["Kind", box.kind],
        ["Ops", inCount(box.ops)],
        ["Parameters", box.parameters ? inCount(box.parameters) : null],
        ["Results", inBytes(box.bytes), graph.root.bytes ? box.bytes / graph.root.bytes : undefined],
        ["Saved for backward", box.saved_bytes ? inBytes(box.saved_bytes) : null],
        ["Forward", box.time === null ? null : inTime(box.time)],
        ["Backward", box.time_backward === null ? null : inTime(box.time_backward)],
        [
          "Share of the step",
          spent !== null && total ? `${((spent / total) * 100).toPrecision(2)} %` : null,
          spent !== null && total ? spent / total : undefined,
        ],
      ]),
    ),
    gradientFlow(inside, act),
    spent !== null && top("Where the time goes", ops, "time", inTime, act),
    links("Contents", box.children, act),
  ];
}

function top(title, nodes, mode, format, act) {
  const ranked = nodes
    .filter(node => valueOf(node, mode) > 0)
    .sort((a, b) => valueOf(b, mode) - valueOf(a, mode))
    .slice(0, 5);
  if (!ranked.length) return null;
  const most = valueOf(ranked[0], mode);
  return section(
    title,
    element(
      "ul",
      { class: "links ranked" },
      ranked.map(node => element("li", {}, itemLink(node, act, format(valueOf(node, mode))), meter(valueOf(node, mode) / most, mode))),
    ),
  );
}

const nameOf = node => node.name || `${node.title} ${inShape(node.shape)}`;

// the gradient norm of each parameter on a logarithmic scale, in the order of the model
function gradientFlow(nodes, act) {
  const found = nodes.filter(node => node.kind !== "op" && node.kind !== "output" && node.grad);
  if (found.length < 2) return null;
  const isIll = node => Number(healthOf(valueOf(node, "gradient")) !== "healthy");
  if (found.length > 16) found.sort((a, b) => isIll(b) - isIll(a)); // of a long list the ill ones come first
  const span = value => clamp((Math.log10(Math.max(value, 1e-12)) + 9) / 14, 0.015, 1);
  const row = node => {
    const norm = valueOf(node, "gradient"),
      health = healthOf(norm),
      bar = element("span", { class: `flow ${health}` });
    bar.style.width = `${(Number.isFinite(norm) ? span(norm) : 1) * 100}%`;
    return element(
      "li",
      {},
      element(
        "button",
        { class: "link flow-row", onclick: () => act.goTo(node), title: `${nameOf(node)}: ${inDigits(norm)}, ${VERDICTS[health]}` },
        element("span", { class: "text" }, nameOf(node)),
        element("span", { class: "track" }, bar),
        element("span", { class: "detail" }, inDigits(norm, 2)),
      ),
    );
  };
  const list = element("ul", { class: "links" }, found.slice(0, 16).map(row));
  const more =
    found.length > 16 &&
    element(
      "button",
      {
        class: "more",
        onclick: () => {
          more.remove();
          list.append(...found.slice(16, 400).map(row));
        },
      },
      `${found.length - 16} more`,
    );
  return section("Gradient by parameter", list, more);
}
