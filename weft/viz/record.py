"""Recording a computation as it runs: every op, with or without gradient, its values and times, also up to an error.

    with weft.viz.record() as r:
        loss = criterion(model(x), y)
        loss.backward()
    print(r.graph)
"""
import linecache
import re
import time
import weakref

import numpy as np

from weft.core.cells import shown_file
from weft.core.modes import local
from weft.core.place import here
from weft.core.seam import Watcher, title_of
from weft.ops.core.registry import OPS_BY_NAME
from weft.tensor.nested import tensors_in
from weft.tensor.tensor import Tensor
from weft.viz.graph import Graph, Node, link
from weft.viz.history import adopt, attributes, become, count_saved, dtype_of, family_of, fill_leaf, leaf_kind
from weft.viz.names import name_of_variable
from weft.viz.places import Places, name_within
from weft.viz.stats import stats


def is_empty(op, values):
    """Whether an op only took memory (`empty`): what fills it, or the parameter that it becomes, is what is shown."""
    return getattr(op, "kind", None) == "create" and op.names[1:2] == ("value",) and values[1] is None


def broke(before, grads):
    """Whether a rule that was given a gradient with these statistics made NaN or infinity of it."""
    if before is not None and (before.nan or before.inf):
        return False
    return any(not np.isfinite(g._array).all() for g in grads
               if isinstance(g, Tensor) and not g._on_meta and g._form.dtype.kind in "fc")


class record(Watcher):
    """Keeps the graph of what runs inside `with`; an error leaves it up to the failing op, which is marked.

    values: statistics of every result; gradients: also of every gradient, when a backward runs inside. An optimizer's
    own ops, and those of the backward's rules, are not part of the graph.

    >>> import weft
    >>> with weft.viz.record() as recording:
    ...     x = weft.ones(3).exp().sum()
    >>> [node.op for node in recording.graph.ops]
    ['full', 'exp', 'sum']
    """

    def __init__(self, title="", *, values=True, gradients=False, iteration=None):
        self.title, self.values, self.gradients, self.iteration = title, values, gradients, iteration
        self.own = 0.0          # seconds that recording itself took so far
        self.reset()

    def reset(self):
        """Begin anew.

        >>> import weft
        >>> with weft.viz.record() as recording:
        ...     y = weft.ones(3).exp()
        >>> recording.reset()
        >>> len(recording.graph)
        0
        """
        self.places, self.nodes = Places(), []
        self.made = {}          # id of an array -> (weak reference to it, the node that made or last wrote it)
        self.writers = {}       # id of a storage -> (it, the node that last wrote there)
        self.leaves = []        # (node, weak references to its array and its tensor)
        self.recorded = {}      # id of autograd's node -> (weak reference to it, the node)
        self.begun = set()      # outermost modules that have run an op
        self.given = set()      # id of a node that was named beforehand
        self.saved = {}
        self.pending = None     # (op, values, place, time) of what is running
        self.running = None     # (autograd's node, time) of what is running in a backward
        self.depth = self.pauses = 0
        self.broken = False     # a gradient was not finite; the first rule that made it so is marked
        self._closed = None

    def start(self):
        from weft.optim import optimizer  # heavy, and not needed before something is recorded
        self._hooks = [optimizer.register_optimizer_step_pre_hook(self._pause),
                       optimizer.register_optimizer_step_post_hook(self._go_on)]
        return super().start()

    def stop(self):
        super().stop()
        for handle in self._hooks:
            handle.remove()
        self._close()

    def __exit__(self, kind, error, trace):
        if error is not None and isinstance(error, Exception):
            self._mark_failure(error, trace)
        self.stop()

    def _pause(self, *_):
        self.pauses += 1

    def _go_on(self, *_):
        self.pauses = 0

    @property
    def graph(self):
        """What was recorded so far.

        >>> import weft
        >>> with weft.viz.record() as recording:
        ...     x = weft.ones(3).exp()
        >>> len(recording.graph.ops)
        2
        """
        if self._closed is None:
            self._name_leaves()
        return Graph(self.nodes, self.places.modules, self.title, self.iteration, sum(self.saved.values()))

    # forward

    def _outside(self):
        """Whether what runs now is not part of the graph: inside a Function or an optimizer, or a rule of a backward
        that records nothing.
        """
        run = local.run
        return self.depth or self.pauses or run is not None and not run.create

    def before(self, op, values):
        if not self._outside():
            self.pending = op, values, here(), time.perf_counter()

    def unchanged(self, op, values):
        self.pending = None

    def enter(self, op, values):
        self.before(op, values)
        self.depth += 1

    def leave(self, op):
        self.depth -= 1

    def after(self, op, values, outputs):
        if self._outside() or is_empty(op, values):
            return
        now = time.perf_counter()
        if self.pending is None or self.pending[0] is not op:       # a direct write in place, which has no `before`
            self._add(op, values, outputs, here(), None)
            return
        _, _, place, began = self.pending
        self.pending = None
        self._add(op, values, outputs, place, now - began)
        self.own += time.perf_counter() - now

    def reported(self, op, values, outputs, place, seconds):
        self._add(op, values, outputs, place, seconds)

    def _add(self, op, values, outputs, place, seconds):
        parents = self._parents(values)
        node = self._new(op, values, place)
        node.time = seconds
        made = [t for t in outputs if isinstance(t, Tensor)]
        node.outputs = [(tuple(t._form.shape), dtype_of(t._form.dtype)) for t in made]
        if made:
            node.shape, node.dtype = node.outputs[0]
            if not getattr(op, "is_view", False) and not made[0]._on_meta:
                node.bytes = sum(t._form.nbytes for t in made)
            if self.values and not made[0]._on_meta:
                node.values = stats(made[0]._array)
        adopt(node, parents, self.begun)
        for t in made:
            self._claim(t, node)
        return node

    def _new(self, op, values, place):
        box = self.places.box(place.module)
        file, line, source = self.places.line(place)
        node = Node(len(self.nodes), title_of(op), family=family_of(op), module=box.path, calls=box.calls,
                    file=file, line=line, source=source, attrs=attributes(op, enumerate(values)))
        self.nodes.append(node)
        return node

    def _claim(self, t, node):
        """A tensor is now what this node made; a write in place is seen by its other views too."""
        key, array = id(t._form), t._form
        known = self.made.get(key)
        if known is not None and known[0]() is array and t._memory_record is not None:
            self.writers[id(t._memory_record)] = t._memory_record, node
        self.made[key] = weakref.ref(array), node
        recorded = t._made_by
        if recorded is not None and id(recorded) not in self.recorded:
            node.saved_bytes += count_saved(recorded, self.saved)
            node._ref = weakref.ref(recorded)
            self.recorded[id(recorded)] = node._ref, node

    def wrote(self, target, result):
        if self._outside():
            return
        node = self._maker(result)
        if node is None or node.kind != "op":
            return
        self.made[id(target._form)] = weakref.ref(target._form), node
        self.writers[id(target._own_memory_record())] = target._own_memory_record(), node
        recorded = target._made_by
        if recorded is not None:
            self.recorded.setdefault(id(recorded), (weakref.ref(recorded), node))

    def _maker(self, t):
        found = self.made.get(id(t._form))
        return found[1] if found is not None and found[0]() is t._form else None

    def _parents(self, values):
        found = []
        for t in tensors_in(values):
            node = self._maker(t)
            writer = self.writers.get(id(t._memory_record)) if t._memory_record is not None else None
            if node is None:
                node = self._leaf(t)
            found.append(node)
            if writer is not None and writer[0] is t._memory_record and writer[1].id > node.id:
                found.append(writer[1])
        return found

    def _leaf(self, t):
        node = Node(len(self.nodes), "leaf", leaf_kind(t))
        self.nodes.append(node)
        fill_leaf(node, t)
        node.grad = None
        if node.kind == "input":
            node.name = name_of_variable(t)
        if self.values and not t._on_meta:
            node.values = stats(t._array)
        self.made[id(t._form)] = weakref.ref(t._form), node
        self.leaves.append((node, weakref.ref(t._form), node._ref))
        return node

    def name_inputs(self, named):
        """Give inputs their names before anything ran; named: [(name, tensor)].

        >>> import weft
        >>> x = weft.ones(3)
        >>> recording = weft.viz.record()
        >>> recording.name_inputs([("pixels", x)])
        >>> with recording:
        ...     y = x.exp()
        >>> [node.name for node in recording.graph.inputs]
        ['pixels']
        """
        for name, t in named:
            node = self._parents([t])[0]
            if id(node) not in self.given:
                node.name = name
                self.given.add(id(node))

    def add_outputs(self, named):
        """Mark results; named: [(name, tensor)].

        >>> import weft
        >>> with weft.viz.record() as recording:
        ...     y = weft.ones(3).exp()
        >>> recording.add_outputs([("result", y)])
        >>> [node.label for node in recording.graph.outputs]
        ['result']
        """
        for name, t in named:
            made = self._parents([t])
            node = Node(len(self.nodes), "output", "output", name=name, shape=tuple(t._form.shape),
                        dtype=dtype_of(t._form.dtype))
            node.values = stats(t._array) if self.values and not t._on_meta else None
            self.nodes.append(node)
            link(node, made)

    def _name_leaves(self):
        names = self.places.leaf_names()
        for node, of_array, of_tensor in self.leaves:
            array, t = of_array(), of_tensor()
            if array is not None and id(array) in names:
                become(node, *names[id(array)])
            elif node.name is not None and node.kind == "input" and id(node) in self.given:
                node.module, node.calls = "", ()        # named beforehand: it comes from outside
            if t is not None and node.grad is None and t._grad is not None and self.gradients:
                node.grad = stats(t._grad._array)
            node.op = node.kind

    def _close(self):
        """Let go of everything that is only needed while recording."""
        self._name_leaves()
        self._closed = True
        self.places.boxes, self.places.roots = {}, {}
        self.writers, self.pending, self.running = {}, None, None

    # backward

    def backward_before(self, node, grad):
        self.running = node, time.perf_counter()

    def backward_after(self, node, grad, grads):
        now = time.perf_counter()
        known = self.recorded.get(id(node))
        if known is not None and known[0]() is node:
            made = known[1]
            made.time_backward = (made.time_backward or 0.0) + now - (self.running[1] if self.running else now)
            if self.gradients:
                found = next((g for g in (grad if isinstance(grad, list) else [grad]) if g is not None), None)
                made.grad = None if found is None else stats(found._array)
                if not self.broken and broke(made.grad, grads):
                    made.broke = self.broken = True
        self.running = None
        self.own += time.perf_counter() - now

    def leaf(self, leaf, grad):
        if self.gradients:
            node = self._maker(leaf)
            if node is not None and node.kind != "op":
                node.grad = stats(grad._array)

    # failure

    def _mark_failure(self, error, trace):
        text = f"{type(error).__name__}: {error}"
        if self.running is not None:
            known = self.recorded.get(id(self.running[0]))
            node = known[1] if known is not None else None
        elif self.pending is not None:
            op, values, place, _ = self.pending
            parents = self._parents(values)
            node = self._new(op, values, place)
            adopt(node, parents, self.begun)
        else:
            node = None
        if node is None:
            # `cross_entropy: Expected ...`, refused before any op ran
            named = re.match(r"(\w+)(?:\(\))?: ", str(error))
            known = named and named[1] in {name.rpartition(".")[2] for name in OPS_BY_NAME}
            node = self._failed_in(named[1] if known else type(error).__name__, trace)
        node.failed, node.error = True, text

    def _failed_in(self, name, trace):
        """A node for an error outside of any op: at the user's last line, in the module whose forward it was."""
        code, module, outer, number = None, "", None, None
        while trace is not None:
            frame = trace.tb_frame
            # a compiled file's name says nothing about where it is
            if frame.f_globals.get("__name__", "").partition(".")[0] not in ("weft", "torch"):
                code, number = frame.f_code, trace.tb_lineno
                owner = frame.f_locals.get("self")
                if hasattr(owner, "_modules") and owner is not outer:
                    within = name_within(outer, owner)
                    module = f"{module}.{within}" if within else type(owner).__name__
                    outer = owner
            trace = trace.tb_next
        node = Node(len(self.nodes), name, module=module, calls=self._latest_calls(module))
        if code is not None:
            node.file, node.line = shown_file(code.co_filename), number
            node.source = linecache.getline(code.co_filename, number).strip() or None
        self.nodes.append(node)
        return node

    def _latest_calls(self, module):
        """The calls of a module path and its prefixes that ran last."""
        parts = module.split(".") if module else []
        return tuple(max(self.places.counts.get(".".join(parts[:i + 1]), 0), 0) for i in range(len(parts)))
