// The map: all of the picture, small, with a frame around what is in sight; shown when not all of it is.

const MAP_WIDTH = 150,
  MAP_HEIGHT = 190;

function makeMap(stage, look) {
  const map = { canvas: $("map"), base: document.createElement("canvas"), drawn: "", sx: 1, sy: 1 };
  const go = event => {
    const box = map.canvas.getBoundingClientRect(),
      { width, height } = stage.size,
      { k } = stage.view;
    look({ k, x: width / 2 - ((event.clientX - box.left) / map.sx) * k, y: height / 2 - ((event.clientY - box.top) / map.sy) * k });
  };
  map.canvas.addEventListener("pointerdown", event => {
    map.canvas.setPointerCapture(event.pointerId);
    go(event);
  });
  map.canvas.addEventListener("pointermove", event => {
    if (event.buttons) go(event);
  });
  return map;
}

function drawMap(map, stage, context) {
  const { picture, view, size } = stage,
    { canvas } = map;
  const whole = !picture || (picture.width * view.k < size.width * 1.05 && picture.height * view.k < size.height * 1.05);
  canvas.hidden = whole;
  if (whole || stage.moving) return;
  const drawn = [context.stamp, context.mode, context.theme].join();
  if (map.drawn !== drawn) {
    drawBase(map, picture, context);
    map.drawn = drawn;
  }
  const pen = canvas.getContext("2d"),
    ratio = canvas.width / parseFloat(canvas.style.width),
    sx = map.sx * ratio,
    sy = map.sy * ratio;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(map.base, 0, 0);
  const style = getComputedStyle(document.documentElement);
  const x = (-view.x / view.k) * sx,
    y = (-view.y / view.k) * sy,
    w = (size.width / view.k) * sx,
    h = (size.height / view.k) * sy;
  const left = clamp(x, 1, canvas.width - 3),
    top = clamp(y, 1, canvas.height - 3);
  pen.strokeStyle = style.getPropertyValue("--accent");
  pen.lineWidth = 1.5 * ratio;
  pen.strokeRect(left, top, Math.max(3, Math.min(x + w, canvas.width - 1) - left), Math.max(3, Math.min(y + h, canvas.height - 1) - top));
}

function drawBase(map, picture, context) {
  const { canvas, base } = map,
    ratio = devicePixelRatio || 1;
  const scale = Math.min(MAP_WIDTH / picture.width, MAP_HEIGHT / picture.height);
  // a long and narrow picture is drawn wider than it is
  const width = Math.max(44, Math.round(picture.width * scale)),
    height = Math.max(44, Math.round(picture.height * scale));
  map.sx = width / picture.width;
  map.sy = height / picture.height;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = base.width = width * ratio;
  canvas.height = base.height = height * ratio;
  const pen = base.getContext("2d"),
    style = getComputedStyle(document.documentElement),
    sx = map.sx * ratio,
    sy = map.sy * ratio;
  const colour = name => style.getPropertyValue(name).trim();
  const edge = colour("--box-edge"),
    closed = colour("--rule-strong"),
    families = {};
  for (const { item, x, y, w, h, open } of picture.items.values()) {
    if (open) {
      pen.strokeStyle = edge;
      pen.lineWidth = 1;
      pen.strokeRect(x * sx, y * sy, w * sx, h * sy);
      continue;
    }
    const found = colourOf(item, context.graph, context.mode, context.theme);
    pen.fillStyle = item.failed
      ? colour("--bad")
      : found
        ? found.fill
        : item.isNode && context.mode === "kind"
          ? families[item.family] || (families[item.family] = colour(`--${item.family}-edge`))
          : closed;
    pen.fillRect(x * sx, y * sy, Math.max(w * sx, 1), Math.max(h * sy, 1));
  }
}
