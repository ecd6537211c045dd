"""A graph out of what autograd recorded: walk from the results to the leaves, then put all in the order in which it
ran.
"""
import weakref

from weft.autograd.graph import Node as Recorded
from weft.autograd.graph import Packed
from weft.core import dtype as dtypes
from weft.core.seam import snake, title_of
from weft.tensor.tensor import Tensor
from weft.viz.graph import Graph, Node, link
from weft.viz.names import name_of_variable
from weft.viz.places import Places
from weft.viz.shapes import infer
from weft.viz.stats import stats


def from_history(named, title="", gradients=False, values=True):
    """The graph behind tensors; named: [(name, tensor)]. With `gradients`, the next backward's statistics are filled
    in.
    """
    roots = [t for _, t in named]
    recorded = reachable([t.grad_fn for t in roots if t.grad_fn is not None])
    specs = infer(recorded, roots)
    builder = _Builder()
    for node in recorded:
        builder.add(node, specs.get(node))
    for name, t in named:
        builder.output(name, t, values)
    builder.name_leaves()
    if gradients:
        watch_gradients(builder.made)
    return Graph(builder.nodes, builder.places.modules, title, saved_bytes=builder.saved_total())


def reachable(starts):
    """All nodes behind some, oldest first."""
    stack, seen = [n for n in starts if n is not None], set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            node.see_through()
            stack.extend(p for p in node.parents if isinstance(p, Recorded) and p not in seen)
    return sorted(seen, key=lambda node: node.seq)


class _Builder:
    def __init__(self):
        self.places, self.nodes, self.made, self.leaves = Places(), [], {}, {}
        self.saved = {}         # id of an array -> its bytes
        self.begun = set()

    def new(self, op, kind="op", **fields):
        node = Node(len(self.nodes), op, kind, **fields)
        self.nodes.append(node)
        return node

    def add(self, recorded, spec):
        """A node, after those of the leaves that it is the first to use."""
        parents = [self.leaf(p) if isinstance(p, Tensor) else self.made[p] for p in inputs_of(recorded)]
        box = self.places.box(recorded.module)
        file, line, source = self.places.line(recorded)
        node = self.new(name_of(recorded), family=family_of(recorded.op or recorded), module=box.path, calls=box.calls,
                        file=file, line=line, source=source, _ref=weakref.ref(recorded))
        describe(node, recorded, spec)
        node.saved_bytes = count_saved(recorded, self.saved)
        adopt(node, parents, self.begun)
        self.made[recorded] = node

    def leaf(self, t):
        found = self.leaves.get(id(t._array))
        if found is None:
            found = self.leaves[id(t._array)] = self.new("leaf", leaf_kind(t)), t
            fill_leaf(found[0], t)
            if found[0].kind == "input":
                found[0].name = name_of_variable(t)
        return found[0]

    def output(self, name, t, values):
        made = self.made[t.grad_fn] if t.grad_fn is not None else self.leaf(t)
        node = self.new("output", "output", name=name, shape=tuple(t._form.shape), dtype=dtype_of(t._form.dtype))
        node.values = stats(t._array) if values and not t._on_meta else None
        link(node, [made])

    def name_leaves(self):
        names = self.places.leaf_names()
        for node, t in self.leaves.values():
            if id(t._array) in names:
                become(node, *names[id(t._array)])
            node.op = node.kind

    def saved_total(self):
        return sum(self.saved.values())


def inputs_of(recorded):
    """What a node was computed from, in the order of the op's parameters: its parents, and inputs without gradient as
    far as they were saved.
    """
    parents = [p for p in recorded.parents if p is not None]
    plan = recorded.plan
    if (plan is None or not recorded.saved or recorded.packed or plan.lists
        or len(recorded.parents) != len(recorded.op.rule_slots)):
        return parents
    by_slot = {slot: p for slot, p in zip(recorded.op.rule_slots, recorded.parents) if p is not None}
    for slot, value in zip(plan.keep, recorded.saved):
        if slot < plan.n_params and isinstance(value, Tensor) and value._made_by is None and not value._wants_grad:
            by_slot.setdefault(slot, value)
    return [by_slot[slot] for slot in sorted(by_slot)]


def adopt(node, parents, begun):
    """Link a node to its parents; a leaf belongs to the module that first uses it, but what goes into an outermost
    module stands outside.

    begun: (path, call) of the outermost modules that have already run an op.
    """
    link(node, parents)
    outermost = (node.module.partition(".")[0], node.calls[0]) if node.module else None
    for parent in parents:
        if parent.kind != "op" and parent.children == [node] and (parent.kind != "input" or outermost in begun):
            parent.module, parent.calls = node.module, node.calls
    if outermost is not None:
        begun.add(outermost)


def become(node, kind, name):
    """A leaf turns out to be a parameter or buffer of this name."""
    node.kind, node.name = kind, name
    if not node.module and node.children:
        node.module, node.calls = node.children[0].module, node.children[0].calls


def name_of(recorded):
    """The op's name as users know it."""
    return title_of(recorded.op) if recorded.op is not None else snake(recorded.name())


def family_of(op):
    """The kind of an op, or of a node that no op made; "" where it has none, such as a custom Function."""
    return getattr(op, "kind", "")


def leaf_kind(t):
    return "parameter" if type(t).__name__ == "Parameter" or getattr(t, "_is_param", False) else "input"


def dtype_of(np_dtype):
    return dtypes.of_array(np_dtype).name


def fill_leaf(node, t):
    """What there is to say about a leaf now; its gradient when it has one."""
    node.op, node.shape, node.dtype, node.bytes = (node.kind, tuple(t._form.shape), dtype_of(t._form.dtype),
                                                   t._form.nbytes)
    node._ref = weakref.ref(t)
    if t._grad is not None and not t._on_meta:
        node.grad = stats(t._grad._array)


def describe(node, recorded, spec):
    """Shape, type and bytes of what a recorded node made."""
    specs = recorded.out_specs or (() if spec is None else (spec,))
    node.outputs = [(tuple(shape), dtype_of(np_dtype)) for shape, np_dtype in filter(None, specs)]
    if node.outputs:
        node.shape, node.dtype = node.outputs[0]
    if recorded.plan is not None and recorded.saved:
        node.attrs = attributes(recorded.op, zip(recorded.plan.keep, recorded.saved))
    if recorded.op is None or not recorded.op.is_view:
        node.bytes = sum(size_of(*spec) for spec in specs if spec is not None)


PUBLIC = {"x": "input", "y": "other"}       # parameters as PyTorch names them


def attributes(op, values):
    """The arguments that are not tensors and not their defaults: {"dim": 1}. values: (position, value) pairs."""
    found = {}
    names, defaults = getattr(op, "names", ()), getattr(op, "defaults", ())
    for i, value in values:
        default = defaults[i] if i < len(defaults) else None
        if i >= len(names) or value is None or value is default or type(value) is type(default) and value == default:
            continue
        plain = isinstance(value, (bool, int, float, str, slice))
        if (plain or isinstance(value, (list, tuple)) and len(value) <= 8
            and not any(isinstance(e, Tensor) for e in value)):
            found[PUBLIC.get(names[i], names[i])] = value
    return found


def size_of(shape, np_dtype):
    n = np_dtype.itemsize
    for length in shape:
        n *= length
    return n


def count_saved(recorded, seen):
    """Bytes that a recorded node keeps for its backward, leaves not counted; `seen` collects the arrays of all nodes.
    """
    total = 0
    for value in saved_by(recorded):
        for t in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(t, Packed):
                t = t.packed
            if isinstance(t, Tensor) and not t._wants_grad and not t._on_meta:
                total += t._form.nbytes
                owner = t._array if t._array.base is None else t._array.base
                seen[id(owner)] = max(seen.get(id(owner), 0), t._form.nbytes)
    return total


def saved_by(recorded):
    """What a node saved, a custom Function's too."""
    if recorded.plan is not None:
        return recorded.saved or ()
    ctx = recorded.__dict__.get("ctx") if hasattr(recorded, "__dict__") else None
    entries = () if ctx is None else ctx._saved or ()
    return [entry.tensor if entry.tensor is not None else entry.packed for entry in entries if entry is not None]


def watch_gradients(made):
    """Fill in the gradient statistics of nodes when the next backward runs them."""
    for recorded, node in made.items():
        recorded.register_prehook(_Gatherer(node))


class _Gatherer:
    """A prehook that keeps the statistics of the gradients that come by."""

    def __init__(self, node):
        self.node = node

    def __call__(self, grads):
        found = next((g for g in grads if g is not None), None)
        if found is not None:
            self.node.grad = stats(found._array)
