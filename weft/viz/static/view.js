// Pan, zoom and pinch; which item is under the pointer.

const NEAREST = 3,
  FARTHEST = 0.02;

function listenToPointer(stage, actions) {
  const { svg } = stage,
    pointers = new Map();
  let start = null,
    pinch = null,
    dragged = false;
  svg.addEventListener("pointerdown", event => {
    if (event.button > 1) return;
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (pointers.size === 1) {
      start = { x: event.offsetX, y: event.offsetY, view: { ...stage.view } };
      dragged = false;
    }
    if (pointers.size === 2) {
      pinch = { ...spread(pointers), view: { ...stage.view } };
      dragged = true;
    }
  });
  svg.addEventListener("pointermove", event => {
    if (!pointers.has(event.pointerId)) {
      const item = itemAt(stage, event);
      actions.hover(item, event, item && !stage.picture.items.get(item.key).open ? null : lineUnder(stage, event));
      return;
    }
    const box = svg.getBoundingClientRect();
    pointers.set(event.pointerId, [event.clientX - box.left, event.clientY - box.top]);
    if (pinch && pointers.size === 2) {
      const now = spread(pointers),
        k = clamp((pinch.view.k * now.far) / pinch.far, FARTHEST, NEAREST),
        ratio = k / pinch.view.k;
      actions.look({ k, x: now.x - (pinch.x - pinch.view.x) * ratio, y: now.y - (pinch.y - pinch.view.y) * ratio });
    } else if (start && pointers.size === 1) {
      const dx = event.clientX - box.left - start.x,
        dy = event.clientY - box.top - start.y;
      if (!dragged && Math.hypot(dx, dy) < 4) return;
      if (!dragged) {
        dragged = true;
        svg.setPointerCapture(event.pointerId);
        svg.classList.add("dragging");
        actions.hover(null);
      }
      actions.look({ k: stage.view.k, x: start.view.x + dx, y: start.view.y + dy });
    }
  });
  const up = event => {
    if (!pointers.delete(event.pointerId)) return;
    if (pointers.size < 2) pinch = null;
    if (pointers.size === 1) {
      const [[x, y]] = pointers.values();
      start = { x, y, view: { ...stage.view } };
    }
    if (!pointers.size) {
      start = null;
      svg.classList.remove("dragging");
    }
  };
  svg.addEventListener("pointerup", event => {
    const click = pointers.size === 1 && !dragged;
    up(event);
    if (click) actions.click(itemAt(stage, event), onChevron(event), event);
  });
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("pointerleave", () => actions.hover(null));
  svg.addEventListener("dblclick", event => {
    event.preventDefault();
    actions.double(itemAt(stage, event));
  });
  svg.addEventListener(
    "wheel",
    event => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 300 : 1;
      if (event.shiftKey) {
        actions.look({ ...stage.view, x: stage.view.x - (event.deltaX || event.deltaY) * unit });
        return;
      }
      const strength = event.ctrlKey ? 0.012 : 0.0016;
      zoomAt(stage, actions, Math.exp(-clamp(event.deltaY * unit, -240, 240) * strength), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
}

function spread(pointers) {
  const [a, b] = [...pointers.values()];
  return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, far: Math.max(20, Math.hypot(a[0] - b[0], a[1] - b[1])) };
}

function zoomAt(stage, actions, factor, x, y) {
  const { view } = stage,
    k = clamp(view.k * factor, FARTHEST, NEAREST),
    ratio = k / view.k;
  actions.look({ k, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio });
}

const onChevron = event => Boolean(event.target.closest && event.target.closest(".chevron, .head"));

// the item under the pointer: by its element, or by its place where many are drawn as one
function itemAt(stage, event) {
  const group = event.target.closest && event.target.closest("g[data-key]");
  if (group) {
    const spot = stage.picture.items.get(group.dataset.key);
    return spot ? spot.item : null;
  }
  if (!stage.crowd.firstChild || !stage.picture) return null;
  const box = stage.svg.getBoundingClientRect(),
    { x, y, k } = stage.view;
  const px = (event.clientX - box.left - x) / k,
    py = (event.clientY - box.top - y) / k;
  for (const spot of stage.picture.items.values()) {
    if (spot.item.isNode && px >= spot.x && px <= spot.x + spot.w && py >= spot.y && py <= spot.y + spot.h) return spot.item;
  }
  return null;
}

// the line under the pointer, within a few pixels
function lineUnder(stage, event) {
  if (!stage.picture) return null;
  const box = stage.svg.getBoundingClientRect(),
    { x, y, k } = stage.view;
  return k < 0.2 ? null : lineAt(stage.picture, (event.clientX - box.left - x) / k, (event.clientY - box.top - y) / k, 6 / k);
}

// a smooth way from one view to another
function glide(stage, to, look) {
  cancelAnimationFrame(stage.gliding);
  if (calm()) {
    look(to);
    return;
  }
  const from = { ...stage.view },
    start = performance.now(),
    length = 260;
  const step = now => {
    const t = clamp((now - start) / length, 0, 1),
      share = 1 - Math.pow(1 - t, 3);
    const k = Math.exp(Math.log(from.k) + (Math.log(to.k) - Math.log(from.k)) * share);
    // the middle of the window goes straight
    const middle = view => [(stage.size.width / 2 - view.x) / view.k, (stage.size.height / 2 - view.y) / view.k];
    const [a, b] = [middle(from), middle(to)];
    look(
      t >= 1
        ? to
        : {
            k,
            x: stage.size.width / 2 - (a[0] + (b[0] - a[0]) * share) * k,
            y: stage.size.height / 2 - (a[1] + (b[1] - a[1]) * share) * k,
          },
    );
    if (t < 1) stage.gliding = requestAnimationFrame(step);
  };
  step(start);
}

// all of the picture, or as much of its top as stays readable
function fitView(stage, least) {
  const { picture, size } = stage,
    room = { w: size.width - 2 * size.side, h: size.height - size.top - size.bottom };
  const k = clamp(Math.max(fitScale(picture, room), least || 0), FARTHEST, NEAREST);
  // what is too high shows its top, what is too wide its middle; flowing across, its start
  const y = picture.height * k > room.h && !picture.across ? size.top : size.top + (room.h - picture.height * k) / 2;
  const x = picture.width * k > room.w && picture.across ? size.side : size.side + (room.w - picture.width * k) / 2;
  return { k, x, y };
}

const LARGEST = 1.15,
  READABLE = 0.78; // at this scale names have ten pixels

const fitScale = (picture, room) => Math.min(room.w / Math.max(picture.width, 1), room.h / Math.max(picture.height, 1), LARGEST);

// how well a picture suits a room: by its scale; one that must be moved to be read had better not be moved sideways
function suits(picture, room) {
  const scale = fitScale(picture, room);
  return scale < READABLE && !picture.across && picture.width * READABLE > room.w ? 0.6 * scale : scale;
}

// the picture that can be shown largest in a room: in one piece, or wrapped into columns; {picture, limit, scale}
function bestLayout(graph, open, options, room) {
  const start = performance.now(),
    picture = layoutGraph(graph, open, options),
    best = { picture, limit: Infinity, scale: suits(picture, room) };
  if (best.scale >= READABLE) return best;
  const [length, space] = options.across ? [picture.width, room.w] : [picture.height, room.h],
    even = Math.sqrt((room.w * room.h) / (picture.width * picture.height)); // if nothing were lost
  for (const share of [1, 0.75, 1.25, 0.6, 1.6]) {
    const limit = (0.88 * space) / Math.min(1.5, share * even);
    if (best.scale >= 1 || performance.now() - start > 600) break;
    if (limit > length) continue;
    const made = layoutGraph(graph, open, { ...options, limit }),
      found = suits(made, room);
    if (found > best.scale * 1.05) Object.assign(best, { picture: made, limit, scale: found });
  }
  return best;
}

function centreOn(stage, spot, scale) {
  const k = scale || stage.view.k,
    { size } = stage;
  const tall = spot.h * k > size.height - size.top - size.bottom;
  return {
    k,
    x: size.width / 2 - (spot.x + spot.w / 2) * k,
    y: tall ? size.top - spot.y * k : (size.top + size.height - size.bottom) / 2 - (spot.y + spot.h / 2) * k,
  };
}

function inSight(stage, spot) {
  const {
    view: { x, y, k },
    size,
  } = stage;
  return (
    spot.x * k + x > 8 &&
    spot.y * k + y > size.top - 20 &&
    (spot.x + spot.w) * k + x < size.width - 8 &&
    (spot.y + spot.h) * k + y < size.height - size.bottom + 20
  );
}
