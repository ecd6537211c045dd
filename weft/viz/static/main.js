// The page as a whole: light and dark, printing, live, and the start.

// light and dark

function applyTheme() {
  const chosen = app.override || remembered("theme"),
    dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  app.theme = app.printing ? "light" : dark ? "dark" : "light";
  put(document.documentElement, "data-theme", app.theme);
  app.stamp++;
  if (app.graph) {
    drawLegend(app.graph, app.mode, app.theme, item => act.goTo(item));
    if (app.printing) redraw(stage, context());
    else draw();
    if (app.tab === "training") drawPanel();
  }
}

function remembered(name) {
  try {
    return localStorage.getItem(`weft.${name}`);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`weft.${name}`, value);
  } catch {
    /* a page from a file may not keep anything */
  }
}

// printing: all of the graph, in light colours, fitted to the page

function beforePrint() {
  if (!app.picture || app.printing) return;
  app.printing = true;
  applyTheme();
  stage.world.setAttribute("transform", "");
  put(stage.svg, "viewBox", `-8 -8 ${app.picture.width + 16} ${app.picture.height + 16}`);
}

function afterPrint() {
  if (!app.printing) return;
  app.printing = false;
  stage.svg.removeAttribute("viewBox");
  applyTheme();
  redraw(stage, context());
}

// live

act.state = name => {
  const words = { live: "live", ended: "finished", failed: "failed", lost: "not reachable" },
    pill = $("state");
  pill.hidden = !name;
  pill.className = `pill ${name}`;
  pill.textContent = words[name] || name || "";
};

act.grown = graphs => {
  $("title").textContent = app.run.title || "";
  act.state(app.run.state);
  if (graphs) {
    app.changes = [];
    const last = app.run.graphs.length - 1;
    if (app.following && !app.playing) {
      const now = performance.now(),
        pause = Math.max(1400, 4 * (app.took || 0)); // not more often than can be read, or drawn
      if (!app.graph || now - (app.arrived || 0) > pause || app.run.state !== "live") {
        app.arrived = now;
        show(last, { arrived: app.run.graphs[last] && app.run.graphs[last].failed });
      } else {
        clearTimeout(app.later);
        app.later = setTimeout(() => {
          app.arrived = performance.now();
          if (app.following) show(app.run.graphs.length - 1, { arrived: app.run.state === "failed" });
        }, pause);
      }
    } else
      showTimeline(
        $timeline,
        app.run,
        (app.index = Math.max(0, app.run.graphs.indexOf(app.graph && app.graph.document))),
        app.changes,
        app.following,
      );
  } else if (!app.graph) showEmpty(true);
  drawAlert();
  if (app.tab === "training" && !app.drawing)
    app.drawing = setTimeout(() => {
      app.drawing = 0;
      if (app.tab === "training") drawPanel();
    }, 250);
};

// the start

const $map = makeMap(stage, look),
  $timeline = makeTimeline(act),
  $find = makeSearch(act),
  $help = makeHelp();

function listen() {
  listenToPointer(stage, {
    look,
    hover: (item, event, line = null) => {
      const key = item && item.key;
      if (line) showLineTip(line, event);
      else if (item && event) showTip(item, event);
      else hideTip();
      if (key !== app.hovered || line !== app.line) {
        app.hovered = key;
        app.line = line;
        draw();
      }
    },
    click: (item, chevron) => {
      if (!item) {
        select(null);
        raiseSheet("peek");
        return;
      }
      if (chevron && !item.isNode) {
        act.toggle(item);
        return;
      }
      select(item.key);
      raiseSheet("half");
      if (narrow()) centre(item, 0);
    },
    double: item => act.toggle(item),
  });
  listenToKeys(act);
  listenToSheet();
  for (const [id, action] of [
    ["zoom-in", () => act.zoom(1.3)],
    ["zoom-out", () => act.zoom(1 / 1.3)],
    ["zoom-fit", act.fit],
    ["open-more", () => act.level(1)],
    ["open-less", () => act.level(-1)],
    ["turn", () => act.turn()],
    ["save-svg", () => act.save("svg")],
    ["save-png", () => act.save("png")],
    ["help-open", act.help],
    ["find", act.search],
    [
      "theme",
      () => {
        remember("theme", app.theme === "dark" ? "light" : "dark");
        app.override = app.theme === "dark" ? "light" : "dark";
        applyTheme();
      },
    ],
    ["panel-toggle", () => showPanel(document.body.classList.contains("without-panel"))],
  ])
    $(id).addEventListener("click", action);
  $("colours").append(
    ...Object.entries(MODES).map(([mode, text]) =>
      element(
        "button",
        {
          role: "radio",
          "data-mode": mode,
          "aria-checked": String(mode === app.mode),
          tabindex: mode === app.mode ? 0 : -1,
          onclick: () => act.colour(mode),
          onkeydown: turnColour,
        },
        text,
      ),
    ),
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  const slim = matchMedia("(max-width: 760px)"),
    move = () => {
      if (slim.matches) $("stage").append($("colours"));
      else document.querySelector(".tools").prepend($("colours"));
    };
  slim.addEventListener("change", move);
  move();
  addEventListener("beforeprint", beforePrint);
  addEventListener("afterprint", afterPrint);
  new ResizeObserver(() => {
    measure();
    if (app.picture && !app.printing) {
      if (app.moved) {
        draw();
        return;
      }
      relayout(null, false);
      const spot = app.selected && app.picture.items.get(app.selected);
      if (spot && !inSight(stage, spot)) centre(spot.item, READABLE_AT_FIRST, false);
    }
  }).observe($("stage"));
}

function turnColour(event) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const names = Object.keys(MODES),
    next = names[(names.indexOf(app.mode) + by + names.length) % names.length];
  act.colour(next);
  $("colours").querySelector(`[data-mode=${next}]`).focus();
}

function start() {
  $("title").textContent = app.run.title || "graph";
  app.live = data.live || null;
  listen();
  measure();
  applyTheme();
  document.body.classList.remove("starting");
  if (app.run.graphs.length)
    show(firstIndex());
  else {
    showEmpty(true);
    if (!app.run.single) app.tab = "training";
    drawPanel();
    drawAlert();
  }
  if (app.live) listenLive(app, app.live, act);
  else if (app.run.error) act.state("failed");
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      performance.mark("weft-first-picture");
      document.body.dataset.ready = "yes";
      if (!app.live)
        setTimeout(
          () =>
            workOutChanges(app, () => {
              if (app.graph) showTimeline($timeline, app.run, app.index, app.changes);
            }),
          50,
        );
    }),
  );
}

// a page opens where something went wrong, else at the end
function firstIndex() {
  const failed = app.run.graphs.findIndex(graph => (graph.nodes || []).some(node => node.failed));
  if (failed >= 0) return failed;
  return firstTrouble(app.run) >= 0 ? firstTrouble(app.run) : app.run.graphs.length - 1;
}

window.weftPage = { app, act, stage };
start();
