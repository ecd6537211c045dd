// NaN and infinity: where they began in a graph and in the run, in words, as a banner and in the overview.

const originOf = graph => (graph && graph.document.trouble ? graph.byId.get(graph.document.trouble.node) || null : null);
const firstTrouble = run => run.graphs.findIndex(graph => graph.trouble);
const MADE = { NaN: "NaN", Inf: "Infinity" };

// who made what, and in which iteration: "Infinity began in iteration 1: log, train.py:10"
function whatHappened({ label, way, what, where }, iteration) {
  const when = iteration === null || iteration === undefined ? "" : ` in iteration ${iteration}`;
  if (way === "given") return `${label} held ${what === "NaN" ? "NaN" : "infinity"} when ${when ? `iteration ${iteration}` : "the step"} began`;
  return `${MADE[what]} began${when}: ${way === "backward" ? "the backward of " : ""}${label}${where ? ", " + where : ""}`;
}

// why a parameter may be broken before any op was: what came before was not recorded, or the update did it
function whatBefore(run, index) {
  const { trouble, iteration } = run.graphs[index];
  if (trouble.way !== "given" || iteration === null || iteration === undefined || iteration === 0) return "";
  const before = index ? run.graphs[index - 1].iteration : -1;
  if (before === iteration - 1) return `Iteration ${before} was finite: the optimizer's step after it made this.`;
  return `It was made in a step that was not recorded, ${before < 0 ? "" : `after iteration ${before} and `}before this one; --every 1 records all.`;
}

// the banner's part: [title, details, a button's text, its act], or null where all is well up to this iteration
function troubleNews(app, act) {
  const first = firstTrouble(app.run);
  if (first < 0) return null;
  const { trouble, iteration } = app.run.graphs[first],
    shown = app.run.graphs[app.index];
  const title = whatHappened(trouble, iteration);
  const go = () => act.toTrouble(first);
  const text = app.index < first ? "It comes later." : app.index > first && !shown.trouble ? "This iteration is finite." : "";
  return { title, source: trouble.source, more: [whatBefore(app.run, first), text].filter(Boolean).join(" "), go };
}

// of the overview: this graph's own origin, and the run's first if that is another one
function troubleSection(app, graph, act) {
  const origin = originOf(graph);
  if (!origin) return null;
  const { trouble } = graph.document,
    first = firstTrouble(app.run),
    earlier = first >= 0 && first < app.index ? app.run.graphs[first] : null;
  const found = graph.nodes.filter(hasNaN).length;
  return element(
    "div",
    { class: "failure broken" },
    element("b", {}, whatHappened(trouble, graph.iteration)),
    trouble.source && element("pre", {}, trouble.source),
    found ? element("p", {}, `NaN in ${plural(found, "result")}`) : null,
    !earlier && app.run.graphs[app.index] && whatBefore(app.run, app.index) ? element("p", {}, whatBefore(app.run, app.index)) : null,
    element("button", { class: "button", onclick: () => act.goTo(origin) }, "Show where"),
    earlier &&
      element(
        "p",
        {},
        `The first: ${whatHappened(earlier.trouble, earlier.iteration)}. `,
        element("button", { class: "more", onclick: () => act.toTrouble(first) }, "Go there"),
      ),
  );
}

// of a node that is the origin: that it is, and what that means
function originSection(graph, node) {
  if (node !== originOf(graph)) return null;
  const { way, what } = graph.document.trouble,
    word = what === "NaN" ? "NaN" : "infinity";
  const text = {
    forward: `Nothing that goes in holds ${word}, and its result does.`,
    backward: "Its result is finite, and so is the gradient that comes in; its rule makes one that is not.",
    given: `It held ${word} before the step began.`,
  }[way];
  return element("div", { class: "failure broken" }, element("b", {}, `${MADE[what]} began here`), element("p", {}, text));
}
