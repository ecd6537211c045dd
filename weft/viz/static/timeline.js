// The slider over iterations: a mark where the structure changed, the loss behind it, a button that plays them.

function makeTimeline(act) {
  const timeline = { playing: null, bar: $("timeline") };
  timeline.play = element("button", {
    class: "play",
    "aria-label": "Play the iterations",
    title: "Play (Space)",
    onclick: () => act.play(),
  });
  timeline.play.append(
    shape(
      "svg",
      { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" },
      shape("path", { class: "solid", d: "M6.5 4.5v11l9-5.5z" }),
    ),
  );
  timeline.back = shape("svg", { class: "behind", viewBox: "0 0 1000 40", preserveAspectRatio: "none", "aria-hidden": "true" });
  timeline.range = element("input", {
    type: "range",
    min: 0,
    max: 0,
    value: 0,
    "aria-label": "Iteration",
    oninput: () => act.show(Number(timeline.range.value)),
  });
  timeline.label = element("output", { class: "label" });
  timeline.delta = element("span", { class: "delta" });
  timeline.follow = element("button", { class: "follow", hidden: true, onclick: () => act.follow() }, "Follow");
  timeline.bar.append(
    timeline.play,
    element("div", { class: "track" }, timeline.back, timeline.range),
    element("div", { class: "words" }, timeline.label, timeline.delta),
    timeline.follow,
  );
  return timeline;
}

function showTimeline(timeline, run, index, changes, following) {
  const count = run.graphs.length;
  timeline.bar.hidden = count < 2;
  document.body.classList.toggle("timed", count > 1);
  if (count < 2) return;
  put(timeline.range, "max", count - 1);
  timeline.range.value = index;
  const step = run.graphs[index].iteration;
  const name = step === null || step === undefined ? `graph ${index + 1} of ${count}` : `iteration ${step}`;
  timeline.label.textContent = name;
  put(timeline.range, "aria-valuetext", name);
  timeline.range.style.setProperty("--share", `${(index / (count - 1)) * 100}%`);
  const change = changes[index];
  timeline.delta.replaceChildren(
    ...(change && (change[0] || change[1])
      ? [
          change[0] ? element("span", { class: "plus" }, `+${change[0]}`) : "",
          change[1] ? element("span", { class: "minus" }, `−${change[1]}`) : "",
        ]
      : [element("span", { class: "same" }, index ? "same structure" : "first")]),
  );
  timeline.follow.hidden = following !== false;
  drawBehind(timeline.back, run, changes);
}

function drawBehind(svg, run, changes) {
  const count = run.graphs.length,
    x = at => (at / (count - 1)) * 1000,
    made = [];
  const series = lossSeries(run);
  if (series.length > 1) {
    const low = Math.min(...series.map(p => p[1])),
      high = Math.max(...series.map(p => p[1])),
      span = high - low || 1;
    const place = step => {
      const next = run.graphs.findIndex(graph => graph.iteration >= step);
      if (next <= 0) return next === 0 ? 0 : 1000;
      const a = run.graphs[next - 1].iteration,
        b = run.graphs[next].iteration;
      return x(next - 1 + (b > a ? (step - a) / (b - a) : 1));
    };
    const path = thin(series, 300)
      .map(([step, value], i) => `${i ? "L" : "M"}${round(place(step))} ${round(32 - ((value - low) / span) * 28)}`)
      .join("");
    made.push(shape("path", { class: "loss", d: path }));
  }
  const isOther = at => (changes[at] ? changes[at][0] || changes[at][1] : run.graphs[at].shape !== run.graphs[at - 1].shape);
  for (let at = 1; at < count; at++) if (isOther(at)) made.push(shape("line", { class: "changed", x1: x(at), x2: x(at), y1: 33, y2: 39 }));
  svg.replaceChildren(...made);
}

function lossSeries(run) {
  const entries = run.metrics || [];
  const names = [...new Set(entries.flatMap(entry => Object.keys(entry.values || {})))];
  const name = names.find(n => /loss/i.test(n)) || names[0];
  return name
    ? entries
        .filter(entry => name in entry.values)
        .map(entry => [entry.step, number(entry.values[name])])
        .filter(([, value]) => Number.isFinite(value))
    : [];
}

function playing(timeline, on) {
  const path = timeline.play.querySelector("path");
  path.setAttribute("d", on ? "M6 4.5h3v11H6zM11 4.5h3v11h-3z" : "M6.5 4.5v11l9-5.5z");
  put(timeline.play, "aria-label", on ? "Stop playing" : "Play the iterations");
}
