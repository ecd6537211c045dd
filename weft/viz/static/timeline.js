// The slider over the steps of a run: the loss behind it, a mark where the structure changed or NaN began, a button that plays the iterations.

function makeTimeline(act) {
  const timeline = { playing: null, bar: $("timeline"), at: [] };
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
  timeline.marks = element("div", { class: "marks" });
  timeline.of = element("span", { class: "of", "aria-hidden": "true" });
  timeline.range = element("input", {
    type: "range",
    min: 0,
    max: 0,
    value: 0,
    "aria-label": "Iteration",
    oninput: () => act.show(nearestGraph(timeline, Number(timeline.range.value))),
    onkeydown: event => turnSlider(event, timeline, act),
  });
  timeline.label = element("output", { class: "label" });
  timeline.loss = element("span", { class: "loss-now" });
  timeline.delta = element("span", { class: "delta" });
  timeline.count = element("span", { class: "count" });
  timeline.follow = element("button", { class: "follow", hidden: true, onclick: () => act.follow() }, "Follow");
  timeline.bar.append(
    timeline.play,
    element("div", { class: "track" }, timeline.back, timeline.of, timeline.range, timeline.marks),
    element("div", { class: "words" }, element("span", { class: "now" }, timeline.label, timeline.loss), timeline.delta, timeline.count),
    timeline.follow,
  );
  return timeline;
}

const hasSteps = run => run.graphs.every((graph, at) => Number.isFinite(graph.iteration) && (!at || graph.iteration > run.graphs[at - 1].iteration));

// where each graph is on the slider: at its step, between the first and the last that the run knows of
function placesOf(run, series) {
  const count = run.graphs.length;
  if (!hasSteps(run)) return { at: run.graphs.map((_, at) => at), low: 0, high: count - 1 };
  const at = run.graphs.map(graph => graph.iteration);
  const low = Math.min(at[0], series.length ? series[0][0] : at[0]);
  const high = Math.max(at[count - 1], series.length ? series[series.length - 1][0] : 0, (run.steps || 0) - 1);
  return { at, low, high };
}

const nearestGraph = (timeline, value) =>
  timeline.at.reduce((best, place, at) => (Math.abs(place - value) < Math.abs(timeline.at[best] - value) ? at : best), 0);

// keys go from graph to graph, however many steps lie between
function turnSlider(event, timeline, act) {
  const by = { ArrowRight: 1, ArrowUp: 1, PageUp: 5, ArrowLeft: -1, ArrowDown: -1, PageDown: -5, Home: -Infinity, End: Infinity }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  act.show(clamp(nearestGraph(timeline, Number(timeline.range.value)) + by, 0, timeline.at.length - 1));
}

function showTimeline(timeline, run, index, changes, following) {
  const count = run.graphs.length,
    { name: lossName, series } = lossSeries(run),
    { at, low, high } = count ? placesOf(run, series) : { at: [], low: 0, high: 0 };
  timeline.bar.hidden = !count || high <= low;
  document.body.classList.toggle("timed", !timeline.bar.hidden);
  if (timeline.bar.hidden) return;
  timeline.at = at;
  timeline.play.hidden = count < 2;
  put(timeline.range, "min", low);
  put(timeline.range, "max", high);
  timeline.range.value = at[index];
  const step = run.graphs[index].iteration,
    value = series.find(point => point[0] === step);
  const name = step === null || step === undefined ? `graph ${index + 1} of ${count}` : `iteration ${step}`;
  timeline.label.textContent = name;
  timeline.loss.textContent = value ? `${lossName} ${inDigits(value[1])}` : "";
  put(timeline.range, "aria-valuetext", value ? `${name}, ${lossName} ${inDigits(value[1])}` : name);
  timeline.range.style.setProperty("--share", `${((at[index] - low) / (high - low)) * 100}%`);
  showDelta(timeline, changes[index], index);
  timeline.count.textContent = recordedWords(run);
  put(timeline.count, "title", "weft view --every 1, or watch(every=1), records every step");
  timeline.follow.hidden = following !== false;
  const x = place => ((place - low) / (high - low)) * 1000;
  drawBehind(timeline, run, changes, { name: lossName, series }, x);
  drawMarks(timeline, run, x);
}

function showDelta(timeline, change, index) {
  timeline.delta.replaceChildren(
    ...(change && (change[0] || change[1])
      ? [
          change[0] ? element("span", { class: "plus" }, `+${change[0]}`) : "",
          change[1] ? element("span", { class: "minus" }, `−${change[1]}`) : "",
        ]
      : [element("span", { class: "same" }, index ? "same structure" : "first")]),
  );
}

// "3 of 12 steps recorded", and how to have all; nothing where all are there
function recordedWords(run, long = false) {
  const steps = run.steps || 0,
    count = run.graphs.length;
  if (run.single || steps <= count) return "";
  const kept = run.recorded > count ? `${count} of ${steps} steps kept` : `${count} of ${steps} steps recorded`;
  if (!long) return kept;
  return run.recorded > count ? `${kept}; --keep ${Math.min(steps, 2000)} for more` : `${kept}; --every 1 for all`;
}

function drawBehind(timeline, run, changes, { name, series }, x) {
  const made = [],
    finite = series.filter(([, value]) => Number.isFinite(value));
  timeline.of.textContent = "";
  if (finite.length > 1 && hasSteps(run)) {
    const low = Math.min(...finite.map(p => p[1])),
      high = Math.max(...finite.map(p => p[1])),
      span = high - low || 1;
    const path = thin(finite, 300)
      .map(([step, value], i) => `${i ? "L" : "M"}${round(x(step))} ${round(32 - ((value - low) / span) * 28)}`)
      .join("");
    made.push(shape("path", { class: "loss", d: path }));
    timeline.of.textContent = `${name} ${inDigits(finite[0][1])} → ${inDigits(finite[finite.length - 1][1])}`;
  }
  const count = run.graphs.length;
  if (count < (run.steps || 0) && count < 200)
    for (const place of timeline.at) made.push(shape("line", { class: "kept", x1: x(place), x2: x(place), y1: 16, y2: 24 }));
  const isOther = at => (changes[at] ? changes[at][0] || changes[at][1] : run.graphs[at].shape !== run.graphs[at - 1].shape);
  for (let at = 1; at < count; at++)
    if (isOther(at)) made.push(shape("line", { class: "changed", x1: x(timeline.at[at]), x2: x(timeline.at[at]), y1: 33, y2: 39 }));
  run.graphs.forEach((graph, at) => {
    if (graph.trouble) made.push(shape("line", { class: "broken", x1: x(timeline.at[at]), x2: x(timeline.at[at]), y1: 12, y2: 28 }));
  });
  timeline.back.replaceChildren(...made);
}

// a flag where NaN began: a click goes there
function drawMarks(timeline, run, x) {
  const first = firstTrouble(run);
  if (first < 0) {
    timeline.marks.replaceChildren();
    return;
  }
  const { trouble, iteration } = run.graphs[first];
  const flag = element(
    "button",
    { class: "flag", title: whatHappened(trouble, iteration), onclick: () => act.toTrouble(first) },
    trouble.what,
  );
  flag.style.left = `${x(timeline.at[first]) / 10}%`;
  timeline.marks.replaceChildren(flag);
}

// the metric that is called loss, else the first: {name, series: [[step, value]]}
function lossSeries(run) {
  const entries = run.metrics || [];
  const names = [...new Set(entries.flatMap(entry => Object.keys(entry.values || {})))];
  const name = names.find(n => /loss/i.test(n)) || names[0];
  const series = name ? entries.filter(entry => name in entry.values).map(entry => [entry.step, number(entry.values[name])]) : [];
  return { name, series };
}

function playing(timeline, on) {
  const path = timeline.play.querySelector("path");
  path.setAttribute("d", on ? "M6 4.5h3v11H6zM11 4.5h3v11h-3z" : "M6.5 4.5v11l9-5.5z");
  put(timeline.play, "aria-label", on ? "Stop playing" : "Play the iterations");
}
