# compiled, -O2
"""Graphs that leave a captured function: `model = weft.compile(model)`, whose loss and `backward()` stand outside.

The stretch of events that the function ends with is gone through once with tensors that have no values (`Rehearsal`).
That gives the graph which the program would have built: nodes, what they save, who their parents are. From then on no
graph is built. The plan keeps what the nodes would have saved, and all that leaves has one node, a `Leaving`. A
backward through it is a plan, too, recorded when it is first asked for, by the rules of the rehearsed nodes.

Whatever looks at the graph, hooks into it, differentiates twice, or comes when something was freed or written to, finds
the nodes themselves: `Leaving.expand` makes them, with nothing computed again, since all that they save is there.
"""
import threading
from weakref import ref

from weft.autograd import engine
from weft.autograd.api import _Edge
from weft.autograd.graph import Node, reserve
from weft.core.modes import ANOMALY, AUTOCAST, GRAD_OFF, INFERENCE, MATCH, NUMERICS, SAVED_HOOKS, TAKE, WATCH, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Promise, Taker
from weft.core.spec import Spec
from weft.jit import path
from weft.jit.execute import explained
from weft.jit.graph import Graph, Lowering, spec_of
from weft.jit.graph import Step as GraphStep
from weft.jit.kinds import CONST, EXT, LIST, OP, REG, RENAME, SAME, SLOT, WRITE
from weft.jit.match import Run
from weft.jit.path import Unsupported, numbers_in
from weft.jit.plan import optimised_plan, run_plan
from weft.kernels.native import is_half
from weft.ops.core.apply import view_kind
from weft.ops.core.record import mask_of, record_many, record_one
from weft.tensor.tensor import Tensor, alias, describe, is_plain, lay_out, settle, without_values, wrap, wrap_view

LEAVINGS = 16           # for how many sets of outputs the end of a path has rehearsals
BODIES = 8              # for how many sets of gradients that come in a graph has plans
ELSEWHERE = ANOMALY | AUTOCAST | INFERENCE | NUMERICS | SAVED_HOOKS | TAKE | WATCH      # who wants to see each node


class Rehearsal(Taker):
    """The graph behind a stretch of events. nodes: in order, those that can be reached from the outputs that leave;
    sources: what they save, ("ext", number) or ("slot", number); leaves: numbers of the tensors from outside that get
    gradients; bodies: the plans of backwards, by the gradients that come in; copies: (which source, the output that has
    the same memory) of writes in place. through: only to see what one backward looks at; others and writes may
    come before it.
    """

    def __init__(self, events, leaving, through=False):
        self.leaving, self.bodies, self.busy, self.through = leaving, {}, threading.Lock(), through
        self.ext, self.slots, self.origin, self.held = {}, {}, {}, []
        self.all_nodes, self.saved_by, self.copies, self.written = [], {}, [], []
        bits = set_mode_bits(mode_bits() & ~(ELSEWHERE | MATCH | GRAD_OFF))
        try:
            for event in events:
                if event.kind == OP:
                    self.op(event)
                elif event.kind == RENAME:
                    self.rename(event)
                elif event.kind == WRITE:
                    self.writes(numbers_in(event.args[:1], EXT))
                elif through:
                    for k in range(event.n_outs):
                        self.slots[event.first + k] = self.promised(spec_of(event, k), ("slot", event.first + k))
                else:
                    raise Unsupported("a backward inside, and a graph that leaves the function")
        finally:
            set_mode_bits(bits)
        self.collect()

    # the stretch once more

    def promised(self, spec, key):
        t = without_values(spec, Promise(self))
        return self.note(t, key)

    def note(self, t, key):
        """Remember that a tensor's values are those of key, ("ext", number) or ("slot", number)."""
        self.origin[id(t._owed)] = key
        self.held.append(t._owed)
        return t

    def value(self, a):
        """The tensor, or what else stands for an argument."""
        if a.kind == LIST:
            return a.value([self.value(item) for item in a.items])
        if a.kind == EXT:
            if a.index not in self.ext:
                form = a.value
                self.ext[a.index] = self.promised(Spec(form.shape, form.dtype, form.strides), ("ext", a.index))
            t = self.ext[a.index]
            if not a.wants and not a.graph:
                return alias(t)         # `w.detach()`, be it beside w
            t._wants_grad = True
            return t
        if a.kind != SLOT:
            return a.value
        if a.index not in self.slots:       # of a stretch that has run before
            if a.wants:
                raise Unsupported("a graph that leaves the function goes back to before a value was read")
            self.slots[a.index] = self.promised(Spec(a.value.shape, a.value.dtype, a.value.strides), ("slot", a.index))
        t = self.slots[a.index]
        if t._made_by is not None and not a.wants:
            t = alias(t)        # `detach()`
        return t

    def op(self, event):
        op = event.op
        written = [event.args[i] for i in op.writes]
        if not self.through and next(numbers_in(written, SLOT), None) is not None:
            raise Unsupported(f"{op.name} writes to what the step made")
        values = [self.value(a) for a in event.args]
        outs = []
        for k in range(event.n_outs):
            spec = spec_of(event, k)
            t = without_values(spec, Promise(self))
            if event.views[k]:
                t = wrap_view(t._form, values[0], op, values, k, view_kind(op, event.bits))
                t._owed = Promise(self)
                lay_out(t, spec)
            outs.append(self.note(t, ("slot", event.first + k)))
            self.slots[event.first + k] = t
        self.writes(numbers_in(written, EXT))
        if any(event.wants):
            self.record(event, values, outs)

    def record(self, event, values, outs):
        """The node of an event."""
        if event.many:
            record_many(event.op, mask_of(values), values, outs)
        else:
            record_one(event.op, mask_of(values), values, outs[0])
        if [t._made_by is not None for t in outs] != list(event.wants):
            raise Unsupported(f"{event.op.name}: another graph than before")
        node = next(t._made_by for t in outs if t._made_by is not None)
        node.code, node.lasti, node.module = event.place.code, event.place.lasti, event.place.module
        for key in self.keys_in(node.saved or ()):
            self.saved_by.setdefault(key, []).append(node)
        self.all_nodes.append(node)

    def rename(self, event):
        """A tensor that the stretch made stands for another output from now on."""
        before, made = [self.slots.get(a.index) for a in event.args]
        if before is None or made is None or made._made_by is None and before._made_by is not None \
                and not event.bits & GRAD_OFF:
            raise Unsupported("a write in place that ends a history")
        others = self.saved_by.get(("slot", event.args[0].index), ())
        if any([node is not made._made_by for node in others]):
            raise Unsupported("a value that a gradient needs is written to")
        t = self.promised(spec_of(event, 0), ("slot", event.first))
        t._made_by, t._made_nr = made._made_by, made._made_nr
        self.slots[event.first] = t
        self.copies.append((("slot", event.args[1].index), event.first))

    def writes(self, numbers):
        for k in numbers:
            if not self.through and ("ext", k) in self.saved_by:
                raise Unsupported("a tensor that a gradient needs is written to")
            self.written.append(k)

    def keys_in(self, values):
        """Where the tensors among saved values come from."""
        for t in path.tensors_in(values):
            if t._owed is None or id(t._owed) not in self.origin:
                raise Unsupported("a node saves what no op was given")
            yield self.origin[id(t._owed)]

    def collect(self):
        """What can be reached from the outputs that leave."""
        self.roots = [self.slots.get(k) for k in self.leaving]
        if any([t is None or t._made_by is None for t in self.roots]):
            raise Unsupported("a view of what was made before a value was read")
        stack, seen, leaves = [t._made_by for t in self.roots], set(), set()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            for p in node.parents:
                if isinstance(p, Node):
                    stack.append(p)
                elif p is not None:
                    leaves.add(self.origin[id(p._owed)][1])
        self.nodes = [node for node in self.all_nodes if node in seen]
        self.number = {node: i for i, node in enumerate(self.nodes)}
        self.leaves = sorted(leaves)
        self.sources = list(dict.fromkeys([key for node in self.nodes for key in self.keys_in(node.saved or ())]))
        self.place_of = {key: i for i, key in enumerate(self.sources)}
        self.copies = [(self.place_of[key], k) for key, k in self.copies if key in self.place_of]
        self.bases = [self.base_of(key) for key in self.sources]
        self.kept_slots = [(i, *self.bases[i]) for i, (kind, _) in enumerate(self.sources) if kind == "slot"]
        self.keeps = [k for kind, k in self.sources if kind == "slot"]
        # of each source, the nodes that save it; nodes that can't run again once they were freed
        self.savers = [{self.number[n] for n in self.saved_by[key] if n in self.number} for key in self.sources]
        self.heavy = set().union(*self.savers)
        self.specs = [describe(t) for t in self.roots]
        del self.all_nodes, self.saved_by

    def base_of(self, key):
        """Whose memory a value lies in."""
        kind, k = key
        t = self.ext[k] if kind == "ext" else self.slots[k]
        return key if t._view_of is None else self.origin[id(t._view_of.base()._owed)]

    def overwrites(self, ext):
        """Whether the stretch writes to memory of a tensor from outside that a node saves."""
        records = {id(ext[k]._memory_record) for k in self.written if ext[k]._memory_record is not None}
        return bool(records) and any([
            id(ext[k]._memory_record) in records and k not in self.written for kind, k in self.bases if kind == "ext"])

    # a backward through it

    def body(self, grads):
        """(the Plan of a backward, the nodes that it goes through that can't run twice); (None, why there is none).
        grads: those that come in, None where there is none.
        """
        key = tuple([None if g is None else g._form.strides for g in grads])
        found = self.bodies.get(key)
        if found is None:
            if len(self.bodies) >= BODIES:
                return None, "too many ways back"
            try:
                found = self.recorded(grads)
            except Exception as why:        # the nodes themselves will say it in their way
                found = None, str(why).split("\n")[0]
            self.bodies[key] = found
        return found

    def recorded(self, grads):
        """Run the engine through the rehearsed graph, with its ops owed."""
        self.steps, self.n_regs, self.reg_specs, self.regs, self.visited, self.args = [], 0, [], {}, set(), None
        self.constants = []
        roots, given = [], []
        for k, g in enumerate(grads):
            if g is not None:
                t = without_values(describe(g), Promise(self))
                self.regs[id(t._owed)] = path.arg(EXT, len(self.sources) + k, path.template(g))
                roots.append(_Edge(self.roots[k]._made_by, self.roots[k]._made_nr))
                given.append(t)
        before = local.watchers, local.taker, set_mode_bits(mode_bits() & ~(ELSEWHERE | MATCH) | WATCH | TAKE)
        local.watchers, local.taker = [self], self      # nobody else: it is no work of the program's
        try:
            found = engine.backward(roots, given, True, False, [self.ext[k] for k in self.leaves], False)
        finally:
            local.watchers, local.taker = before[:2]
            set_mode_bits(before[2])
        making = Lowering()
        regs = {}
        for step in self.steps:
            made = [making.value(self.reg_specs[step.first + k]) for k in range(step.n_outs)]
            making.steps.append(GraphStep(OP, step.op, [making.translate(a, regs) for a in step.args],
                                          [a.index for a in made], step.unusual, -1, None, step.n_outs != 1))
            regs.update({step.first + k: a for k, a in enumerate(made)})
        results = [(k, making.translate(self.tensor_arg(t), regs)) for k, t in enumerate(found) if t is not None]
        self.steps = self.regs = self.reg_specs = None
        return optimised_plan(Graph(making.steps, making.specs, results)), frozenset(self.visited & self.heavy)

    def takes(self, op, values):
        if op.writes or path.runs_anyway(op, values):
            return False
        self.args = path.args_of(op, values, self.tensor_arg, False, False)
        return True

    def tensor_arg(self, t):
        if t._owed is None:
            self.constants.append(t)
            return path.arg(CONST, value=t)     # made by a rule of nothing but shapes: all else has no values here
        key = id(t._owed)
        if key in self.regs:
            return self.regs[key]
        if key not in self.origin or self.origin[key] not in self.place_of:
            raise Unsupported("a gradient needs what no node saved")
        return path.arg(EXT, self.place_of[self.origin[key]], path.template(t))

    def take(self, op, values, outputs, many):
        unusual = any([is_half(t._form) for t in path.tensors_in(values)])
        self.steps.append(path.Step(op, self.args, self.n_regs, len(outputs), unusual))
        for t in outputs:
            self.regs[id(t._owed)] = path.arg(REG, self.n_regs)
            self.held.append(t._owed)
            self.reg_specs.append(describe(t))
            self.n_regs += 1

    def backward_before(self, node, grad):
        self.visited.add(self.number[node])

    def settle(self, promise):
        raise Unsupported("the rule of a gradient looks at values")


class Leaving(Node):
    """The node of all that leaves one call. given: the values that the rehearsed nodes would have saved, by the
    rehearsal's `sources`; freed: numbers of nodes that a backward has freed; true: the nodes themselves, once
    somebody wanted them; because: why; visited: the numbers of nodes that the last backward went through.
    """

    def __init__(self, rehearsal, run, capture):
        self.rehearsal, self.freed, self.true, self.capture = rehearsal, set(), None, capture
        self.because, self.visited = "somebody looked at it", ()
        leaves = [run.ext[k] for k in rehearsal.leaves]
        self.parents = tuple([t if t._made_by is None else t._made_by for t in leaves])
        self.outs = tuple([0 if t._made_by is None else t._made_nr for t in leaves])
        self.n_outputs = len(rehearsal.leaving)
        self.first = reserve(len(rehearsal.nodes) + 1)
        self.seq = self.first + len(rehearsal.nodes)
        self.place()

    def take_over(self, run):
        """The plan has run: keep what is needed, and become the node of the tensors that leave."""
        self.given = [run.ext[k] if kind == "ext" else without_history(run.outs[k])
                      for kind, k in self.rehearsal.sources]
        self.outputs = []
        for nr, k in enumerate(self.rehearsal.leaving):
            t = run.outs[k]
            t._made_by, t._made_nr = self, nr
            self.outputs.append(ref(t))

    def share(self, run):
        """What the program holds, and views of it, can be written to: note whose memory it is, and its version."""
        for i, base_kind, base in self.rehearsal.kept_slots:
            held = run.ext[base] if base_kind == "ext" else run.outs[base]
            if held is not None:
                self.given[i]._memory_record = held._own_memory_record()
        for at in self.rehearsal.copied:            # a tensor that was written to since has the same array
            self.given[at] = wrap(self.given[at]._form.copy("K"))
        self.versions_then = [t._writes() for t in self.given]

    def name(self):
        return "CapturedBackward0"

    # as one node

    def run(self, grad):
        grads = [grad] if self.n_outputs == 1 else list(grad)
        if self.true is None and not self.must_expand(mode_bits() & GRAD_OFF == 0) and self.fits(grads) \
                and self.rehearsal.busy.acquire(blocking=False):
            try:
                plan, visited = self.rehearsal.body(grads)
                if plan is not None and not visited & self.freed:
                    self.visited = visited
                    return self.run_body(plan, grads)
                self.because = visited if plan is None else "a second time"
            finally:
                self.rehearsal.busy.release()
        self.expand()
        now = local.run
        if now is not None and now.needed is not None:      # the ways to the wanted inputs lead through other nodes now
            engine.reach(now, [node for node, _ in now.edges])
        return grads

    def fits(self, grads):
        """Whether gradients are plain, and of the shapes and types of what they belong to."""
        for g, spec in zip(grads, self.rehearsal.specs):
            if g is not None:
                if not is_plain(g) or g._form.shape != spec.shape or g._form.dtype != spec.dtype:
                    return False
                if g._owed is not None:
                    settle(g)
        return True

    def run_body(self, plan, grads):
        run = Run.__new__(Run)
        run.ext = [*self.given, *grads]
        run.outs = [None] * len(self.parents)
        run.uses = [0] * len(self.parents)
        failed = run_plan(plan, run, [])
        if failed is not None:
            raise explained(failed[1], failed[0])
        kept = {id(t._form) for t in self.given if t is not None}
        return [t if t is None or id(t._form) not in kept else wrap(t._form.copy()) for t in run.outs]

    def must_expand(self, create):
        """Whether the nodes themselves have to run."""
        if create or mode_bits() & ELSEWHERE:
            self.because = "differentiated twice" if create else "somebody looks on"
            return True
        for i in range(len(self.given)):
            t = self.given[i]
            if t is not None and t._writes() != self.versions_then[i]:
                self.because = "a value that it needs was written to"
                return True
        return False

    def free(self):
        if self.true is not None:
            return
        self.freed.update(self.visited)
        if len(self.freed) == len(self.rehearsal.heavy):        # as ever: all of them
            self.given = [None] * len(self.given)
            return
        for i, savers in enumerate(self.rehearsal.savers):
            if savers <= self.freed:
                self.given[i] = None

    # as the nodes that it stands for

    def behind(self, out):
        self.expand()
        return self.true[out]

    def expand(self):
        """Make the nodes that an eager call would have made, and let the tensors have them."""
        if self.true is not None:
            return
        self.capture.broke(f"a graph that left the function was made node by node: {self.because}")
        rehearsal, made = self.rehearsal, {}
        self.edges_of = dict(zip(rehearsal.leaves, zip(self.parents, self.outs)))
        for i, like in enumerate(rehearsal.nodes):
            node = Node.__new__(Node)
            node.op, node.plan, node.specs, node.out_specs = like.op, like.plan, like.specs, like.out_specs
            node.n_outputs, node.code, node.lasti, node.module = like.n_outputs, like.code, like.lasti, like.module
            node.seq = self.first + i
            edges = [self.true_edge(p, n, made) for p, n in zip(like.parents, like.outs or (0,) * len(like.parents))]
            node.parents = tuple([p for p, _ in edges])
            node.outs = tuple([n for _, n in edges]) if any([n for _, n in edges]) else None
            made[like] = node
            if like.saved is not None and not (i in self.freed and i in rehearsal.heavy):
                pairs = [self.true_saved(v, like.plan.keep[j] >= like.plan.n_params, made)
                         for j, v in enumerate(like.saved)]
                node.saved = [v for v, _ in pairs] if not like.plan.light else like.saved
                versions = tuple([version for _, version in pairs])
                node.versions = versions if any(versions) else None
        self.true = [(made[t._made_by], t._made_nr) for t in rehearsal.roots]
        for holder, (node, nr) in zip(self.outputs, self.true):
            t = holder()
            if t is not None and t._made_by is self:
                t._made_by, t._made_nr = node, nr
        self.given = []
        self.parents, self.outs = tuple([node for node, _ in self.true]), tuple([nr for _, nr in self.true])

    def true_edge(self, parent, out, made):
        if parent is None:
            return None, 0
        if isinstance(parent, Node):
            return made[parent], out
        return self.edges_of[self.rehearsal.origin[id(parent._owed)][1]]

    def true_saved(self, value, own, made):
        """(a saved value, its version): own outputs are saved without history."""
        if isinstance(value, Tensor):
            key = self.rehearsal.origin[id(value._owed)]
            at = self.rehearsal.place_of[key]
            t = self.given[at]
            if not own and value._made_by is not None:
                t = alias(t)
                t._made_by, t._made_nr = made[value._made_by], value._made_nr
            return t, self.versions_then[at]
        if isinstance(value, (list, tuple)):
            pairs = [self.true_saved(v, own, made) for v in value]
            versions = [version or 0 for _, version in pairs]
            return type(value)([v for v, _ in pairs]), versions if any(versions) else None
        return value, 0


def why_not_blind(event, root, grad):
    """Why it can't be shown that the backward of output `root` of the path up to an event looks at no values; None if
    it doesn't: it runs here without any.
    """
    events = []
    while event.before is not None:
        if event.kind != SAME:
            events.append(event)
        event = event.before
    try:
        Rehearsal(events[::-1], [root], True).recorded([grad])
    except Exception as why:
        return str(why).split("\n")[0]
    return None


def rehearsed(run, events, leaving, held):
    """The Rehearsal of the events that a run has matched last, made once; a text where there can be none. leaving: the
    outputs that go out with their graph; held: those that the program holds.
    """
    at = run.at
    if at.leaving is None:
        at.leaving = {}
    key = (run.done, tuple(leaving), tuple(held), frozenset(run.ahead or ()))
    found = at.leaving.get(key)
    if found is None:
        if len(at.leaving) >= LEAVINGS:
            return "too many sets of outputs that leave with a graph"
        leaving, held = with_sources(events, {*leaving}, {*leaving, *held})
        try:
            found = Rehearsal(events, sorted(leaving))
            found.held_then = sorted({*held, *found.keeps})
            found.copied = [at for at, k in found.copies if k in held]
        except Unsupported as why:
            found = str(why)
        at.leaving[key] = found
    return found


def without_history(t):
    """A tensor of the same array; aliases of the other one that were given out share their versions with it."""
    made = wrap(t._form)
    made._memory_record = t._memory_record
    return made


def with_sources(events, leaving, held):
    """The same outputs with those that they are views of: these have a graph, too."""
    for event in reversed(events):
        for k in range(event.n_outs):
            if event.first + k in held and event.views[k] and event.args[0].kind == SLOT:
                held.add(event.args[0].index)
                if event.args[0].wants:
                    leaving.add(event.args[0].index)
    return leaving, held
