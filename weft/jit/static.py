"""`weft.jit.optimize`: what a tensor was computed from, or what a function does, as a static graph.

The graph can be printed, optimised pass by pass, run on other values, counted and drawn (`weft.graph(static).svg()`).
Of a function everything is known: it runs once and is recorded. Behind a tensor there is what autograd kept, which is
made for the way back: arguments that no gradient needs are taken to be the defaults, and the graph is run and compared
with the tensor before it is given out.
"""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.place import at
from weft.core.pytree import filled, leaves
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Aside
from weft.jit.captured import Capture
from weft.jit.execute import explained
from weft.jit.graph import Graph, Step, lower
from weft.jit.kinds import CONST, EXT, OP, VALUE
from weft.jit.match import Run
from weft.jit.path import arg, template
from weft.jit.plan import PASSES, make_plan_of, run_plan
from weft.jit.session import RECORDING, Session
from weft.kernels.native import is_half
from weft.ops.core.body import MISSING
from weft.ops.core.infer import infer
from weft.ops.core.promotion import promote
from weft.tensor.tensor import Tensor, is_plain, settle, without_values, wrap


class StaticGraph:
    """Steps in a fixed order, from the tensors `inputs` to a result; `optimize()` gives a cheaper one, `run()` runs it.

    >>> import weft
    >>> x = weft.ones(3, requires_grad=True)
    >>> static = weft.jit.optimize((x * 2).exp())
    >>> print(static)
      %0 = mul(in0, 2)
      %1 = exp(%0)
      return %1
    >>> print(static.optimize())
      %1 = fused(in0, constant[])  # mul, exp
      return %1
    >>> static.run(weft.zeros(3))
    tensor([1., 1., 1.])
    """

    def __init__(self, graph, inputs, result, slots, stages=()):
        self.graph, self.inputs, self.result, self.slots = graph, inputs, result, slots
        self.stages = stages or [("recorded", graph)]       # (pass, the graph after it)
        self._plan = None

    def optimize(self):
        """The same computation after all passes; `stages` has the graph after each of them.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> names = [name for name, _ in weft.jit.optimize((x * 2).exp()).optimize().stages]
        >>> print(", ".join(names))
        recorded, without_dead, simplified, shared, layered, without_dead, opened, fused, folded, without_dead
        """
        graph, stages = self.graph, list(self.stages)
        for one in PASSES:
            graph = one(graph).verify()
            stages.append((one.__name__, graph))
        return StaticGraph(graph, self.inputs, self.result, self.slots, stages)

    def run(self, *inputs):
        """The result for other inputs of the same shapes and types, in the order of `inputs`; for its own without.

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> weft.jit.optimize((x * 2).exp()).run(weft.zeros(3))
        tensor([1., 1., 1.])
        """
        given = list(inputs) or self.inputs
        self._check(given)
        if self._plan is None:
            self._plan = make_plan_of(self.graph)
        run = Run.__new__(Run)
        run.ext, run.outs = given, [None] * (1 + max([slot for slot, _ in self.graph.results], default=-1))
        run.uses = [0] * len(run.outs)
        with Aside():
            bits = set_mode_bits(mode_bits() | GRAD_OFF)
            try:
                failed = run_plan(self._plan, run, [])
            finally:
                set_mode_bits(bits)
        if failed is not None:
            raise explained(failed[1], failed[0])
        made = list(leaves(self.result))
        for i, slot in self.slots.items():
            made[i] = run.outs[slot]
        return made[0] if self.result is None else filled(self.result, made)

    def _check(self, given):
        if len(given) != len(self.inputs):
            fail(TypeError, f"run() takes {len(self.inputs)} inputs, got {len(given)}", "`inputs` are the ones it has")
        for i, (now, was) in enumerate(zip(given, self.inputs)):
            if not is_plain(now) or now._on_meta or now.shape != was.shape or now.dtype != was.dtype \
                    or now.stride() != was.stride():
                shown = f"{list(now.shape)} {now.dtype}" if isinstance(now, Tensor) else type(now).__name__
                fail(ValueError, f"run(): input {i} is {shown}, recorded was {list(was.shape)} {was.dtype} with "
                     f"strides {list(was.stride())}",
                     "give inputs that lie as the recorded ones, or make the graph again")
            if now._owed is not None:
                settle(now)     # what is owed is there from now on

    def counts(self):
        """(steps, bytes of their results, floating-point operations of their products).

        >>> import weft
        >>> x = weft.ones(3, requires_grad=True)
        >>> weft.jit.optimize((x * 2).exp()).counts()
        (2, 24, 3)
        """
        return len(self.graph.steps), self.graph.bytes(), self.graph.flops()

    def __str__(self):
        return str(self.graph)

    def __repr__(self):
        steps, size, _ = self.counts()
        return f"<static graph of {steps} step{'s' * (steps != 1)}, {len(self.inputs)} inputs, {size} bytes>"


def optimize(what, *args, **kwargs):
    """The static graph of what a tensor was computed from, or of a call: `optimize(function, *args)`.

    A call is run once and recorded as a whole. Of a tensor the graph that autograd kept is taken; where that doesn't
    have all arguments (a number that was added, a tensor without gradient), an error says so. The graph is as it was
    recorded: `.optimize()` gives the cheaper one.

    >>> import weft
    >>> model = weft.nn.Sequential(weft.nn.Linear(4, 8), weft.nn.ReLU(), weft.nn.Linear(8, 2))
    >>> static = weft.jit.optimize(model, weft.ones(3, 4))
    >>> print(static)
      %0 = linear(in0, in1, in2)
      %1 = relu(%0)
      %2 = linear(%1, in3, in4)
      return %2
    """
    if isinstance(what, Tensor) and not args and not kwargs:
        return of_tensor(what)
    if not callable(what):
        fail(TypeError, f"optimize() takes a tensor or a function and its arguments, not a {type(what).__name__}",
             "call weft.jit.optimize(loss) or weft.jit.optimize(model, x)")
    return of_call(what, args, kwargs)


# a call

def of_call(function, args, kwargs):
    """Record one call. It runs without gradients: what it computes is what the graph has."""
    bits = set_mode_bits(mode_bits() | GRAD_OFF)
    try:
        session = Session(Capture(function)).start()
        try:
            result = function(*args, **kwargs)
        finally:
            recording, recorder = session.state is RECORDING, session.recorder
            session.finish()
    finally:
        set_mode_bits(bits)
    if not recording or recorder.reason is not None:
        reason = recorder.reason or next(iter(session.capture.breaks), "it did what can't be recorded")
        fail(RuntimeError, f"optimize(): the call can't be one graph: {reason}",
             "take out what isn't an op on tensors, or use weft.compile, which goes on after it")
    events = []
    event = recorder.at
    while event.before is not None:
        events.append(event)
        event = event.before
    events = [e for e in reversed(events) if e.n_outs or e.op is not None and e.op.writes or e.op is None]
    if any([e.op is None or e.whole for e in events]):
        fail(RuntimeError, "optimize(): the call writes to tensors, or runs a backward",
             "weft.compile captures such steps; its graphs() are the static graphs")
    inputs = [None] * len(recorder.ext)
    for held in recorder.held:
        if isinstance(held, Tensor) and id(held._form) in recorder.ext:
            inputs[recorder.ext[id(held._form)]] = held
    slots, made = {}, []
    for i, value in enumerate(leaves(result)):
        key = id(value._array) if isinstance(value, Tensor) else None
        if key in recorder.slots:
            slots[i] = recorder.slots[key]
        made.append(None if i in slots else value)
    graph = lower(events, sorted(slots.values()))
    return StaticGraph(graph, inputs, None if isinstance(result, Tensor) else filled(result, made), slots)


# behind a tensor

def of_tensor(x):
    """The graph of the nodes behind a tensor, in the order in which they ran."""
    if x.grad_fn is None:
        fail(RuntimeError, "optimize(): the tensor has no graph: nothing that it was computed from requires grad, or "
             "it was detached", "give the call instead: weft.jit.optimize(function, *args)")
    making = History()
    for node in making.nodes_of(x._made_by):
        making.add(node)
    root = making.values[id(x._made_by)][x._made_nr]
    static = StaticGraph(Graph(making.steps, making.specs, [(0, root)]).verify(), making.inputs, None, {0: 0})
    found, known = static.run()._array, x.detach()._array
    if found.dtype != known.dtype or found.shape != known.shape \
            or not np.array_equal(found, known, equal_nan=found.dtype.kind in "fc"):
        fail(RuntimeError, "optimize(): autograd didn't keep all arguments of the ops behind this tensor: what they "
             "give with the others at their defaults differs from it", ADVICE)
    return static


ADVICE = "give the call instead, of which all is recorded: weft.jit.optimize(function, *args)"


class History:
    """Makes steps of autograd's nodes."""

    def __init__(self):
        self.steps, self.specs, self.inputs, self.numbers, self.values = [], [], [], {}, {}

    def nodes_of(self, root):
        """The nodes from which one can be reached, oldest first."""
        found, waiting = {}, [root]
        while waiting:
            node = waiting.pop()
            if id(node) in found:
                continue
            found[id(node)] = node
            waiting += [p for p in node.parents or () if p is not None and not isinstance(p, Tensor)]
        return sorted(found.values(), key=lambda node: node.seq)

    def add(self, node):
        op = node.op
        if node.plan is None or getattr(op, "forward", None) is None or node.packed or node.plan.lists \
                or op.random >= 0 or len(node.parents) != len(op.rule_slots):
            self.refuse(node, "is no op that autograd keeps the arguments of")
        if node.saved is None and node.plan.keep:
            self.refuse(node, "was gone through by a backward, which let its values go")
        args = [None] * op.n_params
        for slot, (parent, k) in zip(op.rule_slots, node.edges()):
            if parent is not None:
                args[slot] = self.tensor(parent) if isinstance(parent, Tensor) else self.values[id(parent)][k]
        for slot, value in zip(node.plan.keep, node.unpack() if node.plan.keep else ()):
            if slot < op.n_params and args[slot] is None:
                args[slot] = self.tensor(value) if isinstance(value, Tensor) else arg(CONST, value=value)
        for slot in range(op.n_params):
            if args[slot] is None:
                if op.defaults[slot] is MISSING:
                    self.refuse(node, f"had an argument `{op.names[slot]}` that no gradient needs")
                args[slot] = arg(CONST, value=op.defaults[slot])
        stand_ins = [self.stand_in(a) for a in args]
        made = infer(op, promote(op, stand_ins) if op.promotion is not None else stand_ins)
        many = isinstance(made, (tuple, list))
        outs = []
        for spec in made if many else (made,):
            outs.append(arg(VALUE, len(self.specs)))
            self.specs.append(spec)
        half = any([isinstance(t, Tensor) and is_half(t._form) for t in stand_ins])
        self.values[id(node)] = outs
        self.steps.append(Step(OP, op, args, [a.index for a in outs], half, -1,
                               at(node.code, node.lasti, node.module), many))

    def stand_in(self, a):
        """A tensor without values for an argument."""
        if a.kind == VALUE:
            return without_values(self.specs[a.index])
        return wrap(a.value) if a.kind == EXT else a.value

    def tensor(self, t):
        """The Arg of a tensor that is there: an input of the graph."""
        if t._made_by is not None:
            return self.values[id(t._made_by)][t._made_nr]
        k = self.numbers.setdefault(id(t._form), len(self.inputs))
        if k == len(self.inputs):
            self.inputs.append(t)
        return arg(EXT, k, template(t), t._wants_grad)

    def refuse(self, node, why):
        where = f" ({node.line})" if node.line else ""
        fail(RuntimeError, f"optimize(): {node.own_name()}{where} {why}", ADVICE)
