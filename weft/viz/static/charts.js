// Small charts of our own: histograms, lines over steps, a history of histograms.

function histogram(stats, kind) {
  const found = stats.histogram;
  if (!found || !sum(found.counts)) return element("p", { class: "none" }, "No finite values to count.");
  const W = 304,
    H = 84,
    base = H - 16,
    counts = found.counts,
    most = Math.max(...counts),
    step = W / counts.length;
  const { low, high } = found,
    across = value => (high > low ? ((value - low) / (high - low)) * W : W / 2);
  const bars = counts.map((count, at) =>
    count
      ? shape(
          "rect",
          {
            x: round(at * step + 0.5),
            width: round(step - 1),
            rx: 1.2,
            class: "bar",
            ...barHeight(count, most, base),
          },
          shape(
            "title",
            {},
            `${inDigits(low + ((high - low) * at) / counts.length)} to ${inDigits(low + ((high - low) * (at + 1)) / counts.length)}: ${count}`,
          ),
        )
      : null,
  );
  const marks = [];
  if (low < 0 && high > 0) marks.push(shape("line", { class: "zero", x1: across(0), x2: across(0), y1: 4, y2: base }));
  if (stats.mean !== null && Number.isFinite(stats.mean))
    marks.push(shape("path", { class: "mean", d: `M${round(clamp(across(stats.mean), 3, W - 3))} ${base + 1}l-3.5 5h7z` }));
  return shape(
    "svg",
    {
      class: `chart histogram ${kind}`,
      viewBox: `0 0 ${W} ${H}`,
      role: "img",
      "aria-label": `Histogram from ${inDigits(low)} to ${inDigits(high)}, mean ${inDigits(stats.mean)}`,
    },
    shape("line", { class: "axis", x1: 0, x2: W, y1: base + 0.5, y2: base + 0.5 }),
    bars,
    marks,
    shape("text", { class: "tick", x: 0, y: H - 2 }, inDigits(low)),
    shape("text", { class: "tick end", x: W, y: H - 2 }, inDigits(high)),
  );
}

// few large counts must not flatten the rest: the root of the share, at least a visible sliver
function barHeight(count, most, base) {
  const height = Math.max(1.5, Math.sqrt(count / most) * (base - 6));
  return { y: round(base - height), height: round(height) };
}

// [[step, value]] as a line, with the last value in words and a readout under the pointer
function lineChart(name, series, format, options = {}) {
  const W = 304,
    H = 92,
    left = 2,
    top = 8,
    base = H - 15,
    plot = W - 52;
  const finite = series.filter(([, value]) => Number.isFinite(value));
  const broken = series.filter(([, value]) => !Number.isFinite(value));
  const last = series.length ? series[series.length - 1][1] : null;
  const shown = element("b", { class: "now" }, format(last));
  const at = element("span", { class: "at" }, "");
  const figure = element("figure", { class: "metric" }, element("figcaption", {}, element("span", { class: "label" }, name), at, shown));
  if (!finite.length) {
    figure.append(element("p", { class: "none" }, broken.length ? "Not a finite number at any step." : "Nothing logged yet."));
    return figure;
  }
  const steps = series.map(([step]) => step),
    first = Math.min(...steps),
    final = Math.max(...steps);
  let low = Math.min(...finite.map(([, v]) => v)),
    high = Math.max(...finite.map(([, v]) => v));
  if (options.zero) low = Math.min(0, low);
  if (low === high) {
    low -= Math.abs(low) * 0.1 || 0.5;
    high += Math.abs(high) * 0.1 || 0.5;
  }
  const x = step => left + (final > first ? (step - first) / (final - first) : 0.5) * (plot - 2 * left),
    y = value => base - ((value - low) / (high - low)) * (base - top);
  const svg = shape("svg", {
    class: "chart line",
    viewBox: `0 0 ${W} ${H}`,
    role: "img",
    "aria-label": `${name}: ${format(finite[0][1])} at step ${first}, ${format(last)} at step ${final}`,
  });
  const thinned = thin(finite, 300),
    short = value => format(value).replace(" steps", "");
  const path = thinned.map(([step, value], i) => `${i ? "L" : "M"}${round(x(step))} ${round(y(value))}`).join("");
  svg.append(
    shape("line", { class: "axis", x1: 0, x2: plot, y1: base + 0.5, y2: base + 0.5 }),
    shape("line", { class: "grid", x1: 0, x2: plot, y1: top, y2: top }),
    shape("path", { class: "area", d: `${path}L${round(x(thinned[thinned.length - 1][0]))} ${base}L${round(x(thinned[0][0]))} ${base}z` }),
    shape("path", { class: "stroke", d: path }),
  );
  if (options.smooth && finite.length > 100) {
    svg.lastChild.classList.add("faint");
    svg.append(
      shape("path", {
        class: "stroke",
        d: thin(smoothed(finite), 300)
          .map(([step, value], i) => `${i ? "L" : "M"}${round(x(step))} ${round(y(value))}`)
          .join(""),
      }),
    );
  }
  for (const [step] of thin(broken, 60)) svg.append(shape("path", { class: "bad", d: `M${round(x(step))} ${base - 3}l-3.5 6h7z` }));
  if (thinned.length === 1) svg.append(shape("circle", { class: "dot", cx: x(thinned[0][0]), cy: y(thinned[0][1]), r: 3 }));
  if (options.mark !== null && options.mark !== undefined && options.mark >= first && options.mark <= final)
    svg.append(shape("line", { class: "when", x1: x(options.mark), x2: x(options.mark), y1: top - 4, y2: base }));
  svg.append(
    shape("text", { class: "tick", x: plot + 7, y: top + 4 }, short(high)),
    shape("text", { class: "tick", x: plot + 7, y: base + 1 }, short(low)),
    shape("text", { class: "tick", x: 0, y: H - 3 }, `step ${first}`),
    shape("text", { class: "tick end", x: plot, y: H - 3 }, String(final)),
  );
  const cursor = shape(
    "g",
    { class: "cursor", visibility: "hidden" },
    shape("line", { y1: top - 4, y2: base }),
    shape("circle", { r: 3.2 }),
  );
  svg.append(cursor);
  svg.addEventListener("pointermove", event => {
    const box = svg.getBoundingClientRect(),
      want = first + clamp((((event.clientX - box.left) / box.width) * W) / plot, 0, 1) * (final - first);
    const near = nearest(series, want);
    put(cursor, "visibility", "visible");
    cursor.setAttribute("transform", `translate(${round(x(near[0]))} 0)`);
    cursor.lastChild.setAttribute("cy", Number.isFinite(near[1]) ? y(near[1]) : base);
    at.textContent = `step ${near[0]}`;
    shown.textContent = format(near[1]);
  });
  svg.addEventListener("pointerleave", () => {
    put(cursor, "visibility", "hidden");
    at.textContent = "";
    shown.textContent = format(last);
  });
  figure.append(svg);
  return figure;
}

function nearest(series, want) {
  return series.reduce((best, point) => (Math.abs(point[0] - want) < Math.abs(best[0] - want) ? point : best));
}

// a running mean over about a thirtieth of the points, without delay at the start
function smoothed(series) {
  const keep = 1 - 30 / series.length;
  let mean = 0,
    weight = 0;
  return series.map(([step, value]) => {
    mean = mean * keep + value * (1 - keep);
    weight = weight * keep + (1 - keep);
    return [step, mean / weight];
  });
}

// at most so many points, the lowest and the highest of each stretch
function thin(series, most) {
  if (series.length <= most) return series;
  const kept = [],
    stretch = Math.ceil((series.length / most) * 2);
  for (let at = 0; at < series.length; at += stretch) {
    const part = series.slice(at, at + stretch);
    const low = part.reduce((a, b) => (b[1] < a[1] ? b : a)),
      high = part.reduce((a, b) => (b[1] > a[1] ? b : a));
    kept.push(...(low === high ? [low] : low[0] < high[0] ? [low, high] : [high, low]));
  }
  return kept;
}

// histograms of one name over the steps: a column each, darker where more values are
function history(name, rows, ink) {
  const low = Math.min(...rows.map(row => row.low)),
    high = Math.max(...rows.map(row => row.high));
  const shown = rows.length > 100 ? rows.filter((_, at) => at % Math.ceil(rows.length / 100) === 0 || at === rows.length - 1) : rows;
  const canvas = element("canvas", {
    width: 304,
    height: 56,
    role: "img",
    "aria-label": `${name}: histograms over steps ${rows[0].step} to ${rows[rows.length - 1].step}, from ${inDigits(low)} to ${inDigits(high)}`,
  });
  const pen = canvas.getContext("2d"),
    wide = canvas.width / shown.length,
    tall = canvas.height,
    span = high > low ? high - low : 1;
  pen.fillStyle = ink;
  shown.forEach((row, at) => {
    const most = Math.max(...row.counts, 1),
      step = (row.high - row.low || span) / row.counts.length;
    row.counts.forEach((count, bin) => {
      if (!count) return;
      const y = tall - ((row.low + step * (bin + 1) - low) / span) * tall;
      pen.globalAlpha = 0.12 + 0.88 * Math.sqrt(count / most);
      pen.fillRect(Math.floor(at * wide), y, Math.ceil(wide), Math.max(1, (step / span) * tall + 0.5));
    });
  });
  return element(
    "figure",
    { class: "history" },
    element(
      "figcaption",
      {},
      element("span", { class: "label", title: name }, name),
      element("span", { class: "at" }, `${inDigits(low, 2)} … ${inDigits(high, 2)}`),
    ),
    canvas,
  );
}

// a share of a whole as a thin bar
function meter(share, kind) {
  const made = element("span", { class: `meter ${kind || ""}`, "aria-hidden": "true" }, element("span", {}));
  made.firstChild.style.width = `${clamp(share, 0, 1) * 100}%`;
  return made;
}
