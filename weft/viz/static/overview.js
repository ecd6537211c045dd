// The overview of a whole graph: figures, what is wrong, what changed, where time and memory go.

function overview(app, graph, change, act) {
  const ops = graph.nodes.filter(node => node.kind === "op"),
    root = graph.root;
  const spent = valueOf(root, "time"),
    failed = graph.nodes.find(node => node.failed);
  return [
    element(
      "header",
      { class: "what" },
      element(
        "div",
        {},
        element("h2", {}, graph.document.title || "Graph"),
        element("p", { class: "crumbs" }, whichOne(app.run, graph)),
      ),
    ),
    failed &&
      element(
        "div",
        { class: "failure" },
        element("b", {}, "This step failed"),
        failed.error && element("pre", {}, failed.error),
        element("button", { class: "button", onclick: () => act.goTo(failed) }, "Show where"),
      ),
    section(
      null,
      element(
        "div",
        { class: "figures" },
        figure(inCount(ops.length), "ops"),
        figure(inCount(root.parameters), "parameters"),
        figure(inBytes(root.bytes + root.saved_bytes), "of results"),
        spent !== null && figure(inTime(spent), "step time"),
      ),
    ),
    troubleSection(app, graph, act),
    change && changes(change, act),
    gradientFlow(graph.nodes, act),
    top("Where the time goes", ops, "time", inTime, act),
    top("What takes memory", ops, "memory", inBytes, act),
    links(
      "Modules",
      root.children.filter(child => !child.isNode),
      act,
    ),
    element(
      "p",
      { class: "hint" },
      "Click a node for its line, values and gradient; open a box with a double click. ",
      element("kbd", {}, "?"),
      " lists the keys.",
    ),
  ];
}

function whichOne(run, graph) {
  if (graph.iteration === null) return "The graph as it ran";
  return [`Iteration ${graph.iteration}`, recordedWords(run, true)].filter(Boolean).join(" · ");
}

const figure = (value, name) => element("div", { class: "figure" }, element("b", {}, value), element("span", {}, name));

function changes(change, act) {
  if (!change.added.length && !change.removed.length)
    return section("Since the iteration before", element("p", { class: "none" }, "The same structure."));
  return element(
    "div",
    {},
    section(
      "Since the iteration before",
      element(
        "p",
        { class: "delta" },
        element("span", { class: "plus" }, `+${change.added.length}`),
        " added  ",
        element("span", { class: "minus" }, `−${change.removed.length}`),
        " removed",
      ),
    ),
    links("Added", change.added, act),
    change.removed.length
      ? section(
          "Removed",
          element(
            "ul",
            { class: "links gone" },
            change.removed
              .slice(0, 30)
              .map(node =>
                element(
                  "li",
                  {},
                  element(
                    "span",
                    { class: "link" },
                    element("span", { class: `chip f-${node.family}` }),
                    element("span", { class: "text" }, node.title),
                    element("span", { class: "detail" }, place(node) || node.module),
                  ),
                ),
              ),
            change.removed.length > 30 && element("li", { class: "none" }, `and ${change.removed.length - 30} more`),
          ),
        )
      : null,
  );
}
