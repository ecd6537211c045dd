// The picture as a file: all of the graph as it is coloured now, with every colour written out, so that any program can show it.

const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "fill-opacity"],
  WRITTEN = ["font-family", "font-size", "font-weight", "text-anchor", "paint-order"];
const colours = new Map();

// a colour as #rrggbb: not every program knows oklch
function plainColour(text) {
  if (!/^(oklch|color|oklab|lab|lch)/.test(text)) return text;
  if (!colours.has(text)) {
    const pen = element("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    colours.set(text, `rgba(${red},${green},${blue},${Math.round((alpha / 255) * 100) / 100})`);
  }
  return colours.get(text);
}

// a copy of the drawing whose elements carry their own style; what is not shown is left out
function plainCopy(live) {
  const style = getComputedStyle(live);
  if (style.display === "none" || style.visibility === "hidden") return null;
  const made = live.cloneNode(false);
  for (const name of ["class", "style", "data-key", "data-state", "data-kind", "role", "aria-label", "aria-hidden"]) made.removeAttribute(name);
  const isText = live.tagName === "text";
  if (live.tagName !== "g")
    for (const name of isText ? [...DRAWN, ...WRITTEN] : DRAWN) {
      const value = style.getPropertyValue(name);
      if (value && !/^.?url\b/.test(value)) made.setAttribute(name, plainColour(value));
    }
  for (const child of live.childNodes) {
    const inner = child.nodeType === 1 ? plainCopy(child) : child.cloneNode();
    if (inner) made.append(inner);
  }
  return made;
}

// the whole graph as the text of an SVG file, and its size
function pictureText() {
  const { picture } = app,
    view = stage.view,
    margin = 20,
    width = Math.ceil(picture.width + 2 * margin),
    height = Math.ceil(picture.height + 2 * margin);
  stage.view = { x: 0, y: 0, k: 1 };
  redraw(stage, { ...context(), all: true });
  const world = plainCopy(stage.world),
    back = plainColour(getComputedStyle(document.body).backgroundColor);
  stage.view = view;
  redraw(stage, context());
  world.setAttribute("transform", `translate(${margin} ${margin})`);
  const svg = shape("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  svg.append(shape("title", {}, app.run.title || "graph"), shape("defs", {}, hatch()), shape("rect", { width, height, fill: back }), world);
  return { text: new XMLSerializer().serializeToString(svg), width, height };
}

function download(address, ending) {
  const name = (app.run.title || "graph").replace(/\.py$/, "").replace(/[^\w.-]+/g, "-"),
    at = app.graph.iteration === null ? "" : `-${app.graph.iteration}`;
  const link = element("a", { href: address, download: `${name}${at}.${ending}` });
  link.click();
  say(`saved as ${name}${at}.${ending}`);
}

const LARGEST_SIDE = 8000; // pixels that any browser can draw

async function asPng({ text, width, height }) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  const scale = Math.min(2, LARGEST_SIDE / Math.max(width, height)),
    canvas = element("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

act.save = async kind => {
  if (!app.picture) return;
  $("export").open = false;
  const made = pictureText();
  if (kind === "svg") download("data:image/svg+xml;charset=utf-8," + encodeURIComponent(made.text), "svg");
  else download(await asPng(made), "png");
};
