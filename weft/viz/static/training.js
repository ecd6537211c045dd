// The training tab: metrics, throughput, memory, histograms over the steps.

function trainingPanel(run, graph) {
  const metrics = run.metrics || [],
    memory = run.memory || [],
    made = [];
  const names = [...new Set(metrics.flatMap(entry => Object.keys(entry.values || {})))];
  const mark = graph ? graph.iteration : null;
  for (const name of names)
    made.push(
      lineChart(
        name,
        metrics.filter(entry => name in entry.values).map(entry => [entry.step, number(entry.values[name])]),
        inDigits,
        { mark, smooth: true },
      ),
    );
  const speed = throughput(metrics.length > 1 ? metrics : memory);
  if (speed.length) made.push(lineChart("Throughput", speed, value => `${inDigits(value)} steps/s`, { mark, zero: true }));
  if (memory.some(entry => entry.bytes)) {
    made.push(
      lineChart(
        "Memory in use",
        memory.map(entry => [entry.step, entry.bytes]),
        inBytes,
        { mark, zero: true },
      ),
    );
    made.push(
      lineChart(
        "Peak of the memory",
        memory.map(entry => [entry.step, entry.peak]),
        inBytes,
        { mark, zero: true },
      ),
    );
  }
  if (!made.length) {
    made.push(
      element(
        "div",
        { class: "blank" },
        element("h2", {}, "Nothing logged yet"),
        element("p", {}, "Give the numbers of a step to the run, and they are drawn here:"),
        element("pre", {}, "with weft.viz.watch(model) as run:\n    ...\n    run.log(loss=loss, accuracy=right / seen)"),
      ),
    );
  }
  const rows = new Map();
  for (const entry of run.histograms || []) {
    const row = { ...entry, low: number(entry.low), high: number(entry.high) };
    if (Number.isFinite(row.low) && Number.isFinite(row.high)) (rows.get(entry.name) || rows.set(entry.name, []).get(entry.name)).push(row);
  }
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim() || "#5b6ee1";
  const drawn = [...rows].slice(0, 60).map(([name, list]) => history(name, list, ink));
  if (drawn.length) made.push(section("Values over the steps", drawn));
  return made;
}

// steps per second, over about a fiftieth of the run each
function throughput(entries) {
  const timed = entries.filter(entry => hasNumber(entry.time)),
    stride = Math.max(1, Math.floor(timed.length / 50)),
    made = [];
  for (let at = stride; at < timed.length; at += stride) {
    const a = timed[at - stride],
      b = timed[at];
    if (b.time > a.time && b.step > a.step) made.push([b.step, (b.step - a.step) / (b.time - a.time)]);
  }
  return made;
}
