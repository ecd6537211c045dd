"""Where everything goes in a picture: layers from top to bottom inside each box, boxes inside boxes, lanes for edges;
nothing overlaps.

Each box is laid out by itself, the innermost first, and is then one item of the box around it. An edge that crosses a
box's border gets a lane of its own from there to the item, so that it passes between the others.
"""

GAP, ROW, LANE = 22, 34, 10         # between items, between layers, the width of an edge's lane
PAD, TITLE = 14, 24                 # inside a box


class Item:
    """Something with a place: a node or a closed box (width and height given), or an open box (made of its items)."""

    def __init__(self, key, width=0, height=0, children=None, title_width=0):
        self.key, self.width, self.height = key, width, height
        self.children = children            # None for what is not open
        self.title_width = title_width
        self.parent = None
        # of the upper left corner; inside the parent at first, in the picture at last
        self.x = self.y = 0
        self.layer = self.order = 0
        self.ceiling = self.floor = 0       # of the layer that it stands in, like y
        self.lanes = {}                     # edge -> [(x, y)] of its lane through this box, inside it at first
        for child in children or ():
            child.parent = self

    @property
    def depth(self):
        depth, item = 0, self.parent
        while item is not None:
            depth, item = depth + 1, item.parent
        return depth


class _Lane:
    """The room of one edge in one layer."""

    def __init__(self, layer):
        self.layer, self.width, self.height, self.x, self.y, self.order = layer, LANE, 0, 0, 0, 0
        self.ceiling = self.floor = 0


def layout(root, edges):
    """Place all items; edges: (from, to) of items that are not open boxes. Gives for each edge the points that it
    passes.
    """
    for box in _innermost_first(root):
        _lay_out(box, [edge for edge in edges if _side(box, edge[0]) is not None or _side(box, edge[1]) is not None])
    _to_picture(root)
    return [_route(edge) for edge in edges]


def _innermost_first(root):
    found, stack = [], [root]
    while stack:
        item = stack.pop()
        if item.children is not None:
            found.append(item)
            stack.extend(item.children)
    return found[::-1]


def _side(box, item):
    """The child of a box that an item stands in, None when it is outside."""
    while item is not None and item.parent is not box:
        item = item.parent
    return item


def _lay_out(box, edges):
    items = box.children
    for i, item in enumerate(items):
        item.order = i
    inside, coming, going = {}, {}, {}      # (a, b) -> edges; child -> edges
    for edge in edges:
        a, b = _side(box, edge[0]), _side(box, edge[1])
        if a is b:
            continue
        if a is None:
            coming.setdefault(b, []).append(edge)
        elif b is None:
            going.setdefault(a, []).append(edge)
        else:
            inside.setdefault((a, b), []).append(edge)
    _assign_layers(items, inside)
    layers, links = _with_lanes(box, items, inside, coming, going)
    _order(layers, links)
    _place(layers, links)
    _close(box, layers)


def _assign_layers(items, inside):
    """Each item below all that it comes from; edges back to an earlier item don't count."""
    sources = {}
    for a, b in inside:
        if a.order < b.order:
            sources.setdefault(b, []).append(a)
    for item in items:
        item.layer = max((a.layer + 1 for a in sources.get(item, ())), default=0)
    targets = {}
    for a, b in inside:
        if a.order < b.order:
            targets.setdefault(a, []).append(b)
    for item in reversed(items):            # what has no source moves down to where it is used
        below = targets.get(item)
        if below and item not in sources:
            item.layer = min(b.layer for b in below) - 1


def _with_lanes(box, items, inside, coming, going):
    """(the layers, from top to bottom, items and lanes; pairs that are linked across neighbouring layers)."""
    depth = max((item.layer for item in items), default=0) + 1
    layers, links = [[] for _ in range(depth)], []
    for item in items:
        layers[item.layer].append(item)

    def chain(first, last, start, end, edges):
        lanes = [_Lane(layer) for layer in range(first, last)]
        for lane in lanes:
            layers[lane.layer].append(lane)
        stops = ([start] if start is not None else []) + lanes + ([end] if end is not None else [])
        links.extend(zip(stops, stops[1:]))
        for edge in edges:
            box.lanes[edge] = lanes
    for (a, b), edges in inside.items():
        if a.layer < b.layer:
            chain(a.layer + 1, b.layer, a, b, edges)
    for b, edges in coming.items():
        for source in dict.fromkeys(edge[0] for edge in edges):
            chain(0, b.layer, None, b, [edge for edge in edges if edge[0] is source])
    for a, edges in going.items():
        for source in dict.fromkeys(edge[0] for edge in edges):
            chain(a.layer + 1, depth, a, None, [edge for edge in edges if edge[0] is source])
    return layers, links


def _neighbours(links):
    up, down = {}, {}
    for a, b in links:
        down.setdefault(a, []).append(b)
        up.setdefault(b, []).append(a)
    return up, down


def _order(layers, links):
    """Fewer crossings: every item near the middle of its neighbours, from above and from below in turn."""
    up, down = _neighbours(links)
    for layer in layers:
        for i, item in enumerate(layer):
            item.order = i
    for sweep in range(6):
        near = up if sweep % 2 == 0 else down
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wish = {item: sum(n.order for n in near[item]) / len(near[item]) if item in near else item.order
                    for item in layer}
            layer.sort(key=wish.get)
            for i, item in enumerate(layer):
                item.order = i


def _place(layers, links):
    """Corners: layers under each other, items side by side as near to their neighbours as the others let them."""
    top = 0
    for layer in layers:
        height = max((item.height for item in layer), default=0)
        for item in layer:
            item.y = top + (height - item.height) / 2
            item.ceiling, item.floor = top, top + height
        _spread(layer, [item.order * GAP for item in layer])
        top += height + ROW
    up, down = _neighbours(links)
    for sweep in range(8):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wishes = []
            for item in layer:
                near = ([*up.get(item, ()), *down.get(item, ())] if sweep > 3
                        else (up if sweep % 2 == 0 else down).get(item) or [item])
                near = near or [item]
                wishes.append(sum(n.x + n.width / 2 for n in near) / len(near) - item.width / 2)
            _spread(layer, wishes)


def _spread(layer, wishes):
    """Put items in their order as near to their wishes as the gaps allow: the mean of pushing right and pushing left.
    """
    right, edge = [], None
    for item, wish in zip(layer, wishes):
        at = wish if edge is None else max(wish, edge)
        right.append(at)
        edge = at + item.width + GAP
    left, edge = [], None
    for item, wish in zip(reversed(layer), reversed(wishes)):
        at = wish if edge is None else min(wish, edge - item.width - GAP)
        left.append(at)
        edge = at
    for item, a, b in zip(layer, right, reversed(left)):
        item.x = (a + b) / 2


def _close(box, layers):
    """Move everything inside its padding, and give the box its size."""
    all_items = [item for layer in layers for item in layer]
    low = min((item.x for item in all_items), default=0)
    width = max((item.x + item.width for item in all_items), default=0) - low
    height = max((item.y + item.height for item in all_items), default=0)
    extra = max(box.title_width - width, 0) / 2
    for item in all_items:
        item.x += PAD - low + extra
        item.y += PAD + TITLE
        item.ceiling += PAD + TITLE
        item.floor += PAD + TITLE
    box.width, box.height = width + 2 * extra + 2 * PAD, height + 2 * PAD + TITLE
    box.lanes = {edge: [(lane.x + lane.width / 2, y) for lane in lanes for y in (lane.ceiling, lane.floor)]
                 for edge, lanes in box.lanes.items()}


def _to_picture(root):
    """From places inside each box to places in the picture."""
    stack = [(root, 0, 0)]
    while stack:
        item, x, y = stack.pop()
        item.x, item.y, item.ceiling, item.floor = item.x + x, item.y + y, item.ceiling + y, item.floor + y
        item.lanes = {edge: [(px + item.x, py + item.y) for px, py in points] for edge, points in item.lanes.items()}
        stack.extend((child, item.x, item.y) for child in item.children or ())


def _route(edge):
    """The points of an edge from its start's lower side to its end's upper side; inside a layer it runs straight down.
    """
    start, end = edge
    common = _common(start, end)
    down, item = [(start.x + start.width / 2, start.y + start.height)], start
    while item is not common:
        down.append((down[-1][0], item.floor))
        item = item.parent
        down += item.lanes.get(edge, ())
        if item is not common:
            down.append((down[-1][0], item.y + item.height))
    up, item = [(end.x + end.width / 2, end.y)], end
    while item is not common:
        up.append((up[-1][0], item.ceiling))
        item = item.parent
        if item is not common:
            up += reversed(item.lanes.get(edge, ()))
            up.append((up[-1][0], item.y))
    points = [*down, *reversed(up)]
    return [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]


def _common(a, b):
    """The innermost box around two items."""
    above = set()
    while a is not None:
        a = a.parent
        above.add(a)
    b = b.parent
    while b not in above:
        b = b.parent
    return b
