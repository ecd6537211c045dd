// Colour by kind, time, memory or gradient: scales, what a node's value on them is, and the legend.

const MODES = { kind: "Kind", time: "Time", memory: "Memory", gradient: "Gradient" };
const VANISHING = 1e-6,
  EXPLODING = 1e3;

// [position, lightness, chroma, hue] for light and dark pages
const RAMPS = {
  time: {
    light: [
      [0, 97, 0.02, 85],
      [0.5, 86, 0.12, 75],
      [0.8, 70, 0.16, 50],
      [1, 52, 0.17, 32],
    ],
    dark: [
      [0, 29, 0.015, 70],
      [0.5, 45, 0.08, 60],
      [0.8, 66, 0.14, 62],
      [1, 85, 0.15, 85],
    ],
  },
  memory: {
    light: [
      [0, 97, 0.015, 200],
      [0.5, 85, 0.08, 215],
      [0.8, 66, 0.12, 250],
      [1, 46, 0.16, 285],
    ],
    dark: [
      [0, 29, 0.015, 230],
      [0.5, 43, 0.08, 275],
      [0.8, 61, 0.12, 250],
      [1, 85, 0.09, 205],
    ],
  },
  gradient: {
    light: [
      [-9, 45, 0.16, 262],
      [-6, 66, 0.13, 255],
      [-4.2, 93, 0.025, 230],
      [-1.5, 96, 0.015, 160],
      [1, 94, 0.03, 110],
      [3, 72, 0.17, 52],
      [5, 50, 0.2, 27],
    ],
    dark: [
      [-9, 70, 0.15, 255],
      [-6, 52, 0.14, 258],
      [-4.2, 33, 0.03, 245],
      [-1.5, 29, 0.015, 180],
      [1, 33, 0.03, 110],
      [3, 62, 0.16, 50],
      [5, 72, 0.19, 28],
    ],
  },
};
const BROKEN = { light: [55, 0.25, 330], dark: [66, 0.25, 330] };

function mix(ramp, at) {
  if (at <= ramp[0][0]) return ramp[0].slice(1);
  for (let i = 1; i < ramp.length; i++) {
    if (at > ramp[i][0]) continue;
    const share = (at - ramp[i - 1][0]) / (ramp[i][0] - ramp[i - 1][0]);
    return [1, 2, 3].map(k => ramp[i - 1][k] + (ramp[i][k] - ramp[i - 1][k]) * share);
  }
  return ramp[ramp.length - 1].slice(1);
}

const css = ([light, chroma, hue]) => `oklch(${light.toFixed(1)}% ${chroma.toFixed(3)} ${hue.toFixed(0)})`;

// how bright a colour looks, 0 to 1, as the rules for contrast have it
function brightness([light, chroma, hue]) {
  const angle = (hue * Math.PI) / 180,
    a = chroma * Math.cos(angle),
    b = chroma * Math.sin(angle),
    L = light / 100;
  const [l, m, s] = [
    L + 0.3963377774 * a + 0.2158037573 * b,
    L - 0.1055613458 * a - 0.0638541728 * b,
    L - 0.0894841775 * a - 1.291485548 * b,
  ].map(v => v ** 3);
  const [red, green, blue] = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return 0.2126 * clamp(red, 0, 1) + 0.7152 * clamp(green, 0, 1) + 0.0722 * clamp(blue, 0, 1);
}

// dark or light letters, whichever reads better
const inkOn = colour => (brightness(colour) > 0.179 ? "#000000" : "#ffffff");

function isBroken(node) {
  const grad = node.grad;
  return Boolean(grad) && (grad.nan > 0 || grad.inf > 0 || !Number.isFinite(grad.norm === null ? 0 : grad.norm));
}

const hasNumber = value => value !== null && value !== undefined;

// the value of an item on a scale: null where there is none; of a box, the sum, or the gradient that is farthest from healthy
function valueOf(item, mode) {
  if (mode === "time") return hasNumber(item.time) || hasNumber(item.time_backward) ? (item.time || 0) + (item.time_backward || 0) : null;
  if (mode === "memory") return item.isNode && item.kind !== "op" ? item.bytes || null : item.bytes + item.saved_bytes || null;
  if (mode !== "gradient") return null;
  if (item.isNode) return item.grad ? (isBroken(item) ? NaN : item.grad.norm) : null;
  if (item.worst === undefined) item.worst = worstGradient(item);
  return item.worst;
}

function worstGradient(box) {
  let worst = null;
  for (const child of box.children) {
    const value = valueOf(child, "gradient");
    if (value === null) continue;
    if (worst === null || badness(value) > badness(worst)) worst = value;
  }
  return worst;
}

function badness(norm) {
  if (Number.isNaN(norm)) return Infinity;
  const at = norm > 0 ? Math.log10(norm) : -20;
  return at < -1.5 ? (-1.5 - at) / 4.5 : (at + 1.5) / 4.5;
}

function healthOf(norm) {
  if (norm === null) return null;
  if (!Number.isFinite(norm)) return "broken";
  return norm < VANISHING ? "vanishing" : norm >= EXPLODING ? "exploding" : "healthy";
}

// the range of a scale over the ops of a graph, for a logarithmic axis
function rangeOf(graph, mode) {
  graph.ranges = graph.ranges || {};
  if (!graph.ranges[mode]) {
    let low = Infinity,
      high = 0;
    for (const item of graph.items) {
      if (!item.box) continue;
      const value = valueOf(item, mode);
      if (value > 0 && Number.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    graph.ranges[mode] = high ? { low: Math.min(low, high / 10), high } : null;
  }
  return graph.ranges[mode];
}

// {fill, ink, broken} of an item on a scale, or null where it has no value
function colourOf(item, graph, mode, theme) {
  const value = valueOf(item, mode);
  if (value === null) return null;
  if (mode === "gradient") {
    if (Number.isNaN(value)) return { fill: css(BROKEN[theme]), ink: inkOn(BROKEN[theme]), broken: true };
    const made = mix(RAMPS.gradient[theme], value > 0 ? Math.log10(value) : -20);
    return { fill: css(made), ink: inkOn(made), broken: false };
  }
  const range = rangeOf(graph, mode);
  if (!range) return null;
  const at = value > 0 ? (Math.log(value) - Math.log(range.low)) / (Math.log(range.high) - Math.log(range.low)) : 0;
  const made = mix(RAMPS[mode][theme], clamp(at, 0, 1));
  return { fill: css(made), ink: inkOn(made), broken: false };
}

// the legend: what the colours mean, and for gradients how many are ill, each a way to the next of them

function drawLegend(graph, mode, theme, goTo) {
  const legend = $("legend");
  legend.replaceChildren();
  if (!graph) return;
  if (mode === "kind") legend.append(kindLegend(graph));
  else legend.append(...scaleLegend(graph, mode, theme, goTo));
}

function kindLegend(graph) {
  const used = new Set(graph.nodes.map(node => node.family));
  return element(
    "ul",
    { class: "kinds", "aria-label": "Colours" },
    Object.keys(FAMILIES)
      .filter(name => used.has(name))
      .map(name => element("li", {}, element("span", { class: `chip f-${name}` }), FAMILIES[name])),
  );
}

function scaleLegend(graph, mode, theme, goTo) {
  const range = mode === "gradient" ? { low: -9, high: 5 } : rangeOf(graph, mode);
  const title = { time: "Time, forward and backward", memory: "Bytes, result and saved", gradient: "Norm of the gradient" }[mode];
  const some = mode === "gradient" ? graph.nodes.some(node => node.grad) : range;
  if (!some) return [element("p", { class: "none" }, element("b", {}, title), element("br"), missing(mode))];
  const stops = Array.from({ length: 25 }, (_, i) => {
    const at = range.low + ((range.high - range.low) * i) / 24;
    return css(mix(RAMPS[mode][theme], mode === "gradient" ? at : i / 24));
  });
  const bar = element("div", { class: "ramp", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(90deg, ${stops.join(",")})`;
  const unit = mode === "time" ? inTime : inBytes;
  const ticks =
    mode === "gradient"
      ? [-9, -6, -1.5, 3, 5].map(at => [(at + 9) / 14, at === -9 ? "0" : at === -1.5 ? "healthy" : "10" + power(at)])
      : [0, 0.5, 1].map(at => [at, unit(Math.exp(Math.log(range.low) + at * (Math.log(range.high) - Math.log(range.low))))]);
  const axis = element(
    "div",
    { class: "ticks" },
    ticks.map(([at, text]) => {
      const tick = element("span", { class: at < 0.02 ? "start" : at > 0.98 ? "end" : "" }, text);
      tick.style.left = `${at * 100}%`;
      return tick;
    }),
  );
  const made = [element("p", { class: "what" }, title), bar, axis];
  if (mode === "gradient") made.push(healthButtons(graph, goTo));
  return made;
}

function missing(mode) {
  return mode === "time"
    ? "No times in this graph. They come with weft.viz.watch(model), weft.graph(model, x) and weft view."
    : mode === "gradient"
      ? "No gradients in this graph: backward() had not run when it was taken."
      : "No sizes in this graph.";
}

function healthButtons(graph, goTo) {
  const ill = { vanishing: [], exploding: [], broken: [] };
  for (const node of graph.nodes) {
    const health = healthOf(valueOf(node, "gradient"));
    if (ill[health]) ill[health].push(node);
  }
  const words = { vanishing: "vanishing", exploding: "exploding", broken: "not finite" };
  const buttons = Object.keys(ill)
    .filter(name => ill[name].length)
    .map(name => {
      let at = -1;
      return element(
        "button",
        { class: `ill ${name}`, title: "Go to the next of them", onclick: () => goTo(ill[name][(at = (at + 1) % ill[name].length)]) },
        element("span", { class: "dot" }),
        `${ill[name].length} ${words[name]}`,
      );
    });
  return element("div", { class: "health" }, buttons.length ? buttons : element("span", { class: "well" }, "All gradients look healthy"));
}
