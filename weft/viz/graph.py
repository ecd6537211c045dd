"""The graph as an object: nodes in the order in which they ran, walking, search, sub-graphs, and its many forms.

    graph = weft.graph(loss)                # from what autograd recorded
    graph = weft.graph(model, x)            # runs the call: ops without gradient, values and times too
    for node in graph: print(node.op, node.line, node.shape)
"""
import fnmatch
import json
import os

from weft.viz.stats import Stats, plain

LEAVES = ("parameter", "buffer", "input")


class Node:
    """One op that ran, or a tensor that went in (kind parameter, buffer, input) or came out (kind output).

    >>> import weft
    >>> x = weft.ones(3, requires_grad=True)
    >>> node = weft.graph((x * 2).sum()).find(op="mul")[0]
    >>> node.op, node.shape, node.dtype
    ('mul', (3,), 'float32')
    """

    # family: which kind of op it is (Op.kind), "" for what is none; broke: its rule made NaN or infinity of a finite
    # gradient
    __slots__ = ("id", "op", "kind", "family", "name", "module", "calls", "file", "line", "source", "shape", "dtype",
                 "outputs", "bytes", "saved_bytes", "time", "time_backward", "values", "grad", "failed", "error",
                 "broke", "attrs", "parents", "children", "_ref", "__weakref__")

    def __init__(self, id, op, kind="op", **fields):
        self.id, self.op, self.kind = id, op, kind
        self.name = self.file = self.line = self.source = self.shape = self.dtype = self.time = self.time_backward = (
            None)
        self.values = self.grad = self.error = self._ref = None
        self.family, self.module, self.calls, self.bytes, self.saved_bytes, self.failed = "", "", (), 0, 0, False
        self.broke = False
        self.outputs, self.attrs, self.parents, self.children = [], {}, [], []
        for key, value in fields.items():
            setattr(self, key, value)

    @property
    def call(self):
        """Which call of its module this node belongs to, from 0.

        >>> import weft
        >>> graph = weft.graph(weft.nn.Linear(3, 4), weft.ones(2, 3))
        >>> graph.ops[0].call
        0
        """
        return self.calls[-1] if self.calls else 0

    @property
    def where(self):
        """`train.py:41`, or "" for what no line made.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> node = weft.graph((x * 2).sum()).find(op="mul")[0]
        >>> node.where.endswith(":1")
        True
        """
        return f"{os.path.basename(self.file)}:{self.line}" if self.file else ""

    @property
    def label(self):
        """What it is in a word: the op's name, or a leaf's own.

        >>> import weft
        >>> graph = weft.graph(weft.nn.Linear(3, 4), weft.ones(2, 3))
        >>> [node.label for node in graph.parameters]
        ['weight', 'bias']
        """
        return self.op if self.kind == "op" else self.name or self.kind

    def to_dict(self):
        """This node as it stands in a graph document.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> node = weft.graph((x * 2).sum()).find(op="mul")[0]
        >>> node.to_dict()["shape"]
        [3]
        """
        made = {name: getattr(self, name) for name in PLAIN}
        made.update(shape=None if self.shape is None else list(self.shape), call=self.call, calls=list(self.calls),
                    attrs={k: v if isinstance(v, str) else attribute_text(v) for k, v in self.attrs.items()},
                    values=None if self.values is None else self.values.to_dict(), grad=None if self.grad is None
                    else self.grad.to_dict())
        if len(self.outputs) > 1:
            made["outputs"] = [{"shape": list(shape), "dtype": dtype} for shape, dtype in self.outputs]
        return made

    @staticmethod
    def from_dict(made):
        """The reverse of to_dict; what is missing gets its default.

        >>> import weft
        >>> weft.viz.Node.from_dict({"id": 0, "op": "exp"}).op
        'exp'
        """
        node = Node(made["id"], made["op"], made.get("kind", "op"))
        for name in PLAIN:
            if name in made:
                setattr(node, name, made[name])
        node.shape = None if made.get("shape") is None else tuple(made["shape"])
        node.calls = tuple(made.get("calls") or ([0] * node.module.count(".") + [made.get("call", 0)] if node.module
                                                 else ()))
        node.attrs = dict(made.get("attrs") or {})
        node.outputs = [(tuple(o["shape"]), o["dtype"]) for o in made.get("outputs") or ()]
        node.values, node.grad = Stats.from_dict(made.get("values")), Stats.from_dict(made.get("grad"))
        return node

    def __repr__(self):
        shape = "" if self.shape is None else f" {list(self.shape)}"
        return (f"<{self.kind} %{self.id} "
                f"{self.label}{shape}{' FAILED' if self.failed else ''}{' at ' + self.where if self.file else ''}>")


PLAIN = ("id", "op", "kind", "family", "name", "module", "file", "line", "source", "dtype", "bytes", "saved_bytes",
         "time", "time_backward", "failed", "error", "broke")


class Graph:
    """The nodes of a computation, in the order in which they ran (so parents come before children).

    >>> import weft
    >>> x = weft.ones(3, requires_grad=True)
    >>> graph = weft.graph((x * 2).sum())
    >>> [node.op for node in graph.ops]
    ['mul', 'sum']
    """

    def __init__(self, nodes=(), modules=None, title="", iteration=None, saved_bytes=None):
        self.nodes = list(nodes)
        self.modules = dict(modules or {})      # path -> {"kind", "repr"}
        self.title = title
        self.iteration = iteration
        self._saved = saved_bytes

    # walking

    def __iter__(self):
        return iter(self.nodes)

    def __len__(self):
        return len(self.nodes)

    def __getitem__(self, id):
        """The node of that number."""
        if not hasattr(self, "_by_id") or len(self._by_id) != len(self.nodes):
            self._by_id = {node.id: node for node in self.nodes}
        return self._by_id[id]

    def _of(self, *kinds):
        return [node for node in self.nodes if node.kind in kinds]

    @property
    def ops(self):
        """The nodes that ran.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> [node.op for node in weft.graph((x * 2).sum()).ops]
        ['mul', 'sum']
        """
        return self._of("op")

    @property
    def inputs(self):
        """The tensors that went in, other than parameters and buffers.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> [node.shape for node in weft.graph((x * 2).sum()).inputs]
        [(3,)]
        """
        return self._of("input")

    @property
    def parameters(self):
        """The nodes that are a module's parameters.

        >>> import weft
        >>> graph = weft.graph(weft.nn.Linear(3, 4), weft.ones(2, 3))
        >>> [(node.name, node.shape) for node in graph.parameters]
        [('weight', (4, 3)), ('bias', (4,))]
        """
        return self._of("parameter")

    @property
    def outputs(self):
        """The nodes that nothing else uses.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> [node.label for node in weft.graph((x * 2).sum()).outputs]
        ['output']
        """
        return self._of("output")

    @property
    def edges(self):
        """(from, to) of every edge, as node numbers.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> weft.graph((x * 2).sum()).edges
        [(0, 1), (1, 2), (2, 3)]
        """
        return [(parent.id, node.id) for node in self.nodes for parent in node.parents]

    @property
    def failed(self):
        """The node that failed, or None.

        >>> import weft
        >>> weft.graph(weft.ones(3, requires_grad=True).sum()).failed is None
        True
        """
        return next((node for node in reversed(self.nodes) if node.failed), None)

    @property
    def trouble(self):
        """Where the NaN or infinity began that broke the loss or a gradient: a dict with "node", "way" (forward,
        backward, or given with what went in), "what" and its name and line; None when all is well.

        >>> import weft
        >>> found = weft.graph(lambda x: x.log().sum(), weft.zeros(3)).trouble
        >>> found["label"], found["way"], found["what"]
        ('log', 'forward', 'Inf')
        """
        from weft.viz.trouble import trouble_of  # it is made of Graph
        return trouble_of(self)

    @property
    def saved_bytes(self):
        """What the graph keeps alive for its backward; a tensor that several nodes saved counts once.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> weft.graph(x.exp().sum()).saved_bytes
        12
        """
        return self._saved if self._saved is not None else sum(node.saved_bytes for node in self.nodes)

    @property
    def time(self):
        """Seconds of all ops together; None when nothing was timed.

        >>> import weft
        >>> graph = weft.graph(weft.nn.Linear(3, 4), weft.ones(2, 3))
        >>> graph.time > 0
        True
        """
        found = [node.time for node in self.nodes if node.time is not None]
        return sum(found) if found else None

    # search

    def find(self, op=None, module=None, line=None, *, name=None, kind=None, shape=None, dtype=None, where=None):
        """The nodes that fit all that is given: names with * and ?, a line as 41 or "train.py:41", `where` as a
        function of the node.

        A module path may be given with or without the outermost class's name.

        >>> import weft
        >>> net = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.ReLU())
        >>> graph = weft.graph(net, weft.ones(2, 3))
        >>> [(node.op, node.shape) for node in graph.find(module="1")]
        [('relu', (2, 4))]
        """
        found = []
        for node in self.nodes:
            if (op is not None and not fnmatch.fnmatchcase(node.op, op) or module is not None
                and not in_module(node.module, module)):
                continue
            if line is not None and not (node.where == line if isinstance(line, str) else node.line == line):
                continue
            if (name is not None and not fnmatch.fnmatchcase(node.name or "", name) or kind is not None
                and node.kind != kind):
                continue
            if (shape is not None and node.shape != tuple(shape) or dtype is not None
                and node.dtype != str(dtype).removeprefix("torch.")):
                continue
            if where is None or where(node):
                found.append(node)
        return found

    # sub-graphs

    def module(self, path):
        """The part that ran in a module (and those below it); what came in from outside stands as inputs.

        >>> import weft
        >>> net = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.ReLU())
        >>> [node.op for node in weft.graph(net, weft.ones(2, 3)).module("1").ops]
        ['relu']
        """
        inside = {node.id for node in self.nodes if node.kind == "op" and in_module(node.module, path, below=True)}
        if not inside:
            known = ", ".join(sorted(self.modules)) or "none"
            raise KeyError(f"no op ran in a module '{path}'; modules of this graph: {known}")
        wanted, stand_in = set(inside), {}
        for node in self.nodes:
            if node.id in inside:
                for parent in node.parents:
                    wanted.add(parent.id)
                    if parent.id not in inside and parent.kind not in LEAVES:
                        stand_in[parent.id] = "input"
        for node in self.nodes:
            if node.id in inside:
                for child in node.children:
                    if child.id not in inside and child.kind == "output":
                        wanted.add(child.id)
        return self._part(wanted, stand_in, f"{self.title}: {path}" if self.title else path)

    def above(self, node):
        """All that a node was computed from, and itself.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> graph = weft.graph((x * 2).exp().sum())
        >>> [node.label for node in graph.above(graph.find(op="exp")[0])]
        ['x', 'mul', 'exp']
        """
        return self._part(self._reach(node, "parents"), {}, f"above %{node.id} {node.label}")

    def below(self, node):
        """All that was computed from a node, and itself.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> graph = weft.graph((x * 2).exp().sum())
        >>> [node.label for node in graph.below(graph.find(op="exp")[0])]
        ['exp', 'sum', 'output']
        """
        return self._part(self._reach(node, "children"), {}, f"below %{node.id} {node.label}")

    def between(self, a, b):
        """The nodes on all ways from a to b, both included; empty when there is none.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> graph = weft.graph((x * 2).exp().sum())
        >>> [node.label for node in graph.between(graph.find(op="mul")[0], graph.find(op="sum")[0])]
        ['mul', 'exp', 'sum']
        """
        wanted = self._reach(a, "children") & self._reach(b, "parents")
        return self._part(wanted, {}, f"between %{a.id} {a.label} and %{b.id} {b.label}")

    def _reach(self, start, direction):
        start = self[start.id]
        seen, stack = {start.id}, [start]
        while stack:
            for other in getattr(stack.pop(), direction):
                if other.id not in seen:
                    seen.add(other.id)
                    stack.append(other)
        return seen

    def _part(self, wanted, stand_in, title):
        """A graph of copies of some nodes, which keep their numbers."""
        copies = {}
        for node in self.nodes:
            if node.id not in wanted:
                continue
            made = Node.from_dict(node.to_dict())
            made._ref = node._ref
            if node.id in stand_in:
                made.kind, made.name = stand_in[node.id], f"%{node.id} {node.label}"
            else:
                link(made, [copies[parent.id] for parent in node.parents if parent.id in copies])
            copies[node.id] = made
        paths = {node.module for node in copies.values()}
        kept = {path: what for path, what in self.modules.items() if any(p == path or p.startswith(path + ".")
                                                                         for p in paths)}
        return Graph(copies.values(), kept, title, self.iteration)

    def diff(self, other):
        """What changed from this graph to another one; see `viz.diff`.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> changes = weft.graph((x * 2).sum()).diff(weft.graph((x * 2).exp().sum()))
        >>> bool(changes)
        True
        """
        from weft.viz.diff import diff  # which, as the next ones, is made of Graph
        return diff(self, other)

    # forms

    def text(self, limit=60, width=None):
        """The tree of modules and ops as text; long graphs are shortened to about `limit` lines (None for all).

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> "sum" in weft.graph((x * 2).sum()).text()
        True
        """
        from weft.viz.text import text  # it is made of Graph
        return text(self, limit, width)

    def svg(self, limit=120):
        """A picture; modules are boxes, and those that would make it larger than `limit` nodes are drawn closed.

        >>> import weft
        >>> weft.graph(weft.ones(3, requires_grad=True).sum()).svg()[:4]
        '<svg'
        """
        from weft.viz.svg import svg  # heavy, only for who draws
        return svg(self, limit)

    def html(self):
        """One page that needs nothing else: boxes to open, pan, zoom, search.

        >>> import weft
        >>> weft.graph(weft.ones(3, requires_grad=True).sum()).html()[:15]
        '<!doctype html>'
        """
        from weft.viz import page  # heavy, only for who draws
        return page.html(self.to_dict())

    def show(self, **options):
        """Open the page in the browser.

        >>> import weft
        >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
        >>> path = graph.show(path="graph.html", browser=False)
        the graph page: file:///.../graph.html
        """
        from weft.viz import page  # heavy, only for who draws
        return page.show(self.to_dict(), **options)

    def to_dict(self):
        """The graph document: plain lists, dicts, numbers and strings.

        >>> import weft
        >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
        >>> graph.to_dict()["format"]
        'weft-graph'
        """
        made = {"format": "weft-graph", "version": 1, "title": self.title, "iteration": self.iteration,
                "saved_bytes": self.saved_bytes, "nodes": [node.to_dict() for node in self.nodes],
                "edges": [list(edge) for edge in self.edges],
                "modules": {path: dict(what) for path, what in self.modules.items()}}
        trouble = self.trouble
        return made if trouble is None else {**made, "trouble": trouble}

    @staticmethod
    def from_dict(made):
        """The graph of a document.

        >>> import weft
        >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
        >>> len(weft.viz.Graph.from_dict(graph.to_dict())) == len(graph)
        True
        """
        if made.get("format") != "weft-graph" or made.get("version") != 1:
            raise ValueError(f"this is no weft-graph of version 1: its format is {made.get('format')!r}, its version "
                             f"{made.get('version')!r}")
        nodes = {entry["id"]: Node.from_dict(entry) for entry in made["nodes"]}
        for start, end in made["edges"]:
            if start not in nodes or end not in nodes:
                raise ValueError(f"the edge {start} -> {end} names a node that is not in the document")
            link(nodes[end], [nodes[start]])
        return Graph([nodes[id] for id in sorted(nodes)], made.get("modules"), made.get("title", ""),
                     made.get("iteration"), made.get("saved_bytes"))

    def to_json(self, **options):
        """The document as JSON text.

        >>> import weft
        >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
        >>> graph.to_json()[:23]
        '{"format": "weft-graph"'
        """
        return json.dumps(self.to_dict(), allow_nan=False, default=_plain_value, **options)

    def save(self, path):
        """Write the graph: .json the document, .svg the picture, .html the page, .txt the text.

        >>> import weft
        >>> import os
        >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
        >>> graph.save("graph.svg")
        >>> os.path.exists("graph.svg")
        True
        """
        forms = {".json": self.to_json, ".svg": self.svg, ".html": self.html, ".txt": lambda: self.text(None)}
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending not in forms:
            raise ValueError(f"can't tell from '{path}' what to write\n  fix: let the name end in one of "
                             f"{', '.join(forms)}")
        made = forms[ending]()
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)

    @staticmethod
    def load(path):
        """A graph that `save` wrote as JSON.

        >>> import weft
        >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
        >>> graph.save("graph.json")
        >>> len(weft.viz.Graph.load("graph.json")) == len(graph)
        True
        """
        with open(path, encoding="utf-8") as file:
            return Graph.from_dict(json.load(file))

    def __reduce__(self):
        return Graph.from_dict, (self.to_dict(),)

    def __str__(self):
        return self.text()

    def __repr__(self):
        return f"<Graph {self.title + ': ' if self.title else ''}{len(self.ops)} ops, {len(self)} nodes>"

    # Jupyter

    def _repr_svg_(self):
        return self.svg()

    def _repr_html_(self):
        return f'<div style="max-height: 40em; overflow: auto">{self.svg()}</div>'

    def _repr_mimebundle_(self, include=None, exclude=None):
        made = {"text/plain": self.text(), "text/html": self._repr_html_(), "image/svg+xml": self.svg()}
        return {k: v for k, v in made.items() if (not include or k in include) and k not in (exclude or ())}


def attribute_text(value):
    """A value as one would write it: slices with a colon, tuples without the words around them."""
    if isinstance(value, slice):
        return ":".join("" if part is None else str(part) for part in (value.start, value.stop,
                                                                       value.step)[:2 if value.step is None else 3])
    if isinstance(value, tuple):
        return f"({', '.join(attribute_text(v) for v in value)}{',' * (len(value) == 1)})"
    return "..." if value is Ellipsis else str(value)


def link(node, parents):
    """Add edges from `parents` to a node; one edge for each pair, however often it is used."""
    known = {id(parent) for parent in node.parents}
    for parent in parents:
        if id(parent) not in known:
            known.add(id(parent))
            node.parents.append(parent)
            parent.children.append(node)


def in_module(path, pattern, below=False):
    """Whether a module path fits a pattern, with or without the outermost name; `below` lets the pattern be a prefix.
    """
    inner = path.partition(".")[2]
    for candidate in (path, inner):
        if fnmatch.fnmatchcase(candidate, pattern) or below and candidate.startswith(pattern + "."):
            return True
    return False


def _plain_value(value):
    return plain(float(value))
