// Live: the server tells what is new since we last asked, as server-sent events; graphs are fetched when they are looked at.

function listenLive(app, live, act) {
  let tries = 0;
  const connect = () => {
    const stream = new EventSource(`events?since=${live.seen}`);
    stream.addEventListener("more", event => {
      tries = 0;
      take(app, live, JSON.parse(event.data), act);
    });
    stream.addEventListener("end", () => {
      stream.close();
      act.state(app.run.state);
    });
    stream.onopen = () => act.state(app.run.state || "live");
    stream.onerror = () => {
      stream.close();
      tries++;
      act.state("lost");
      if (tries < 60 && app.run.state !== "ended") setTimeout(connect, Math.min(500 * tries, 4000));
    };
  };
  connect();
}

// new entries of the run; graphs come as {iteration, index, nodes} and are empty until fetched
function take(app, live, more, act) {
  const run = app.run;
  live.seen = more.seen;
  // a step that was told before comes again when more of its numbers are known
  const again = new Set((more.metrics || []).map(entry => entry.step));
  while (run.metrics.length && again.has(run.metrics[run.metrics.length - 1].step)) run.metrics.pop();
  for (const name of ["metrics", "memory", "histograms"]) {
    run[name] = (run[name] || []).concat(more[name] || []);
    if (run[name].length > 40000) run[name] = run[name].filter((_, at) => at % 2);
  }
  if (more.graphs) {
    const known = new Map(run.graphs.map(graph => [graph.number, graph]));
    run.graphs = more.graphs.map(entry => known.get(entry.number) || entry);
  }
  if (more.error !== undefined) run.error = more.error;
  if (more.title) run.title = more.title;
  run.steps = more.steps;
  run.recorded = more.recorded;
  run.state = more.state;
  act.grown(Boolean(more.graphs));
}

const HELD = 12,
  held = []; // graphs that were fetched; of older ones only the entry stays

async function fetchGraph(entry) {
  if (!entry || entry.nodes) return;
  const answer = await fetch(`graph/${entry.number}`, { cache: "no-store" });
  const found = answer.ok ? await answer.json() : null;
  if (!found) throw new Error(`the graph of iteration ${entry.iteration} is no longer kept`);
  Object.assign(entry, found, { number: entry.number });
  held.push(entry);
  if (held.length > HELD) {
    const oldest = held.shift();
    for (const name of ["nodes", "edges", "modules"]) delete oldest[name];
  }
}
