// Small tools: making elements, wording numbers, measuring text.

const SVG = "http://www.w3.org/2000/svg";
const $ = id => document.getElementById(id);
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const sum = values => values.reduce((a, b) => a + b, 0);
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const narrow = () => matchMedia("(max-width: 760px)").matches;

// element("p", {class: "x", onclick: f}, "text", child): text is always text, never markup
function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function shape(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

// a change made only if it is one: attributes are written thousands of times while panning
function put(made, name, value) {
  const text = String(value);
  if (made.getAttribute(name) !== text) made.setAttribute(name, text);
}

// numbers: the document writes what JSON can't as "nan", "inf", "-inf"
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const number = value => (typeof value === "string" ? WORDS[value] : value === undefined ? null : value);

function inDigits(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e5 || size < 1e-3
      ? scientific(value, digits)
      : String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size))))));
  return text.replace(/^-/, "−");
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const power = exponent => [...String(exponent)].map(c => RAISED[c]).join("");

function scientific(value, digits) {
  const [front, exponent] = value.toExponential(digits - 1).split("e");
  const lead = front.replace(/\.?0+$/, "");
  return (lead === "1" ? "10" : `${lead}·10`) + power(Number(exponent));
}

function inWords(value, units, base) {
  if (value === null || value === undefined) return "–";
  let at = 0;
  while (value >= base && at < units.length - 1) {
    value /= base;
    at++;
  }
  return `${value >= 100 ? Math.round(value) : Number(value.toPrecision(value < 10 ? 2 : 3))} ${units[at]}`;
}

const inBytes = value => inWords(value, ["B", "KB", "MB", "GB", "TB"], 1024);
const inCount = value =>
  value === null || value === undefined ? "–" : value < 10000 ? String(value) : inWords(value, ["", "k", "M", "G"], 1000).replace(" ", "");

function inTime(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${Number((seconds * 1e6).toPrecision(3))} µs`;
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const inShape = sizes => (!sizes ? "" : sizes.length ? sizes.join(" × ") : "scalar");
const shortFile = file => (file ? file.split(/[\\/]/).pop() : "");
const place = node => (node.file ? `${shortFile(node.file)}:${node.line}` : "");
const plural = (count, one, many) => `${inCount(count)} ${count === 1 ? one : many || one + "s"}`;

// widths of text, remembered: measuring is slow, and names repeat
const measuring = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, font) {
  const key = font + "|" + text;
  let width = widths.get(key);
  if (width === undefined) {
    measuring.font = font;
    width = measuring.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

// as much of a text as fits, with an ellipsis
function fitText(text, font, room) {
  if (textWidth(text, font) <= room) return text;
  let low = 0,
    high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(text.slice(0, middle) + "…", font) <= room) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low) + "…";
}

function say(text) {
  $("said").textContent = text;
}
