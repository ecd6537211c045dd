"""The static graph of a stretch of a path: forward, backward and updates as steps in one order, each value made once.

`lower` makes it of events; the passes turn a graph into a cheaper one with the same results; `plan` runs it.
"""
from weft.core.spec import Spec
from weft.jit.kinds import BACKWARD, EXT, FUSED, LIST, OP, REG, RENAME, SLOT, VALUE, WHOLE, WRITE
from weft.jit.path import arg, numbers_in


class Step:
    """One op. outs: the numbers of its values; waiting: which event of the stretch it is, or is a part of."""

    __slots__ = ("kind", "op", "args", "outs", "unusual", "waiting", "place", "program", "parts", "many",
                 "fold", "factors")

    def __init__(self, kind, op, args, outs, unusual=False, waiting=-1, place=None, many=False):
        self.kind, self.op, self.args, self.outs, self.unusual = kind, op, args, outs, unusual
        self.waiting, self.place, self.many = waiting, place, many
        self.program, self.parts = None, ()     # of a fused one: what its kernel reads, the steps that it stands for
        self.fold = None                        # and how its last result is reduced: (what, dim, keepdim)

        self.factors = None                     # of a norm that may run in a chain: its mean, scale and shift

    def having(self, kind, args):
        """The same step, of another kind or with other arguments."""
        return Step(kind, self.op, args, self.outs, self.unusual, self.waiting, self.place, self.many)

    def has_effect(self):
        """Whether it does more than make its values: it writes, or draws from a generator."""
        return self.kind in (WHOLE, WRITE) or self.op is not None and self.op.random >= 0

    def __repr__(self):
        name = {WRITE: "write", FUSED: "fused"}.get(self.kind) or self.op.name
        made = f"{', '.join([f'%{k}' for k in self.outs])} = " if self.outs else ""
        inside = f"  # {', '.join([part.op.name for part in self.parts])}" if self.parts else ""
        return f"{made}{name}({', '.join(map(shown, self.args))}){inside}"


class Graph:
    """steps: in the order in which they run; specs: of each value; results: (the path's output, its value's Arg)."""

    def __init__(self, steps, specs, results):
        self.steps, self.specs, self.results = steps, specs, results

    def having(self, steps):
        """The same with other steps."""
        return Graph(steps, self.specs, self.results)

    def kept(self):
        """The values that somebody outside has in the end."""
        return {a.index for _, a in self.results if a.kind == VALUE}

    def bytes(self):
        """How much memory its values take, if each has its own."""
        return sum([self.specs[k].nbytes for step in self.steps for k in step.outs
                    if step.op is None or not (step.op.is_view or step.op.maybe_view)])

    def flops(self):
        """Multiplications and additions of its products, where the ops say how many."""
        total = 0
        for step in self.steps:
            for part in step.parts or (step,):
                if part.op is not None and part.op.flops is not None and part.kind == OP:
                    shapes = {name: self.specs[a.index].shape if a.kind == VALUE else tuple(a.value.shape)
                              if hasattr(a.value, "shape") else a.value for name, a in zip(part.op.names, part.args)}
                    total += part.op.flops(shapes, [self.specs[k].shape for k in part.outs])
        return total

    def verify(self):
        """Raise if a value is used before it is made, or made twice."""
        made = set()
        for step in self.steps:
            for k in numbers_in(step.args, VALUE):
                if k not in made:
                    raise AssertionError(f"{step!r}: %{k} is not there yet")
            for k in step.outs:
                if k in made:
                    raise AssertionError(f"{step!r}: %{k} is there already")
                made.add(k)
        missing = self.kept() - made
        if missing:
            raise AssertionError(f"nobody makes {', '.join([f'%{k}' for k in sorted(missing)])}")
        return self

    def __str__(self):
        lines = [f"  {step!r}" for step in self.steps]
        return "\n".join([*lines, f"  return {', '.join([shown(a) for _, a in self.results])}"])


def shown(a):
    """An argument as text."""
    if a.kind == VALUE:
        return f"%{a.index}"
    if a.kind == EXT:
        return f"in{a.index}"
    if a.kind == SLOT:
        return f"before{a.index}"
    if a.kind == LIST:
        return f"[{', '.join(map(shown, a.items))}]"
    text = repr(a.value) if not hasattr(a.value, "shape") else f"constant{list(a.value.shape)}"
    return text if len(text) <= 40 else f"{text[:37]}..."


def wanted_slots(events, held):
    """The path's outputs that must be filled: those that the program holds, what views of them are views of, and what
    ops on their whole road write to. What such ops only read is given to them as values, and let go after its last
    reader (`plan.all_there`)."""
    wanted = set(held)
    for event in reversed(events):
        if event.kind == OP and event.whole:
            wanted.update(numbers_in([event.args[i] for i in event.op.writes], SLOT))
        for k in range(event.n_outs):
            if event.first + k in wanted and event.views[k]:
                wanted.update(numbers_in(event.args[:1], SLOT))
    return wanted


class Lowering:
    """Makes the steps of events, one after the other."""

    def __init__(self):
        self.steps, self.specs, self.slots = [], [], {}         # slots: the path's output -> the Arg of its value

    def value(self, spec):
        """The Arg of a new value."""
        self.specs.append(spec)
        return arg(VALUE, len(self.specs) - 1)

    def translate(self, a, regs):
        if a.kind == SLOT:
            return self.slots.get(a.index, a)                   # or one of a stretch that has run already
        if a.kind == REG:
            return regs[a.index]
        if a.kind == LIST:
            return arg(LIST, value=a.value, items=[self.translate(item, regs) for item in a.items])
        return a

    def op(self, event, waiting):
        made = [self.value(spec_of(event, k)) for k in range(event.n_outs)]
        self.steps.append(Step(WHOLE if event.whole else OP, event.op, [self.translate(a, None) for a in event.args],
                               [a.index for a in made], event.unusual, waiting, event.place, event.many))
        for k, a in enumerate(made):
            self.slots[event.first + k] = a

    def backward(self, event, waiting):
        body, regs = event.body, {}
        for step in body.steps:
            made = [self.value(body.specs[step.first + k]) for k in range(step.n_outs)]
            self.steps.append(Step(OP, step.op, [self.translate(a, regs) for a in step.args], [a.index for a in made],
                                   step.unusual, waiting, event.place, step.n_outs != 1))
            regs.update({step.first + k: a for k, a in enumerate(made)})
        for k, (_, source) in enumerate(body.leaves):
            self.slots[event.first + k] = self.translate(source, regs)

    def write(self, event, waiting):
        self.steps.append(Step(WRITE, None, [self.translate(a, None) for a in event.args], [], False, waiting,
                               event.place))


def spec_of(event, k):
    form, note = event.forms[k], event.notes[k]
    return Spec(form.shape, form.dtype, None if note is None else note.get("strides"))


def lower(events, held):
    """The graph of a stretch of events, for a program that holds the outputs `held`."""
    making = Lowering()
    for i, event in enumerate(events):
        if event.kind == BACKWARD:
            making.backward(event, i)
        elif event.kind == WRITE:
            making.write(event, i)
        elif event.kind == RENAME:
            making.slots[event.first] = making.translate(event.args[1], None)
        else:
            making.op(event, i)
    wanted = sorted(wanted_slots(events, held))
    return Graph(making.steps, making.specs, [(k, making.slots[k]) for k in wanted if k in making.slots])
