# compiled
"""Chains of elementwise ops, which run for all examples of a group in one pass, and back in another (cpp/chain.cpp).

The schedule finds chains: entries that follow each other and need each other (schedule.pyx). For all chains of one key
a `Plan` is made once: a program for the forward, and one for the backward for each set of outputs that have a gradient.
What nobody outside the chain needs is not kept, unless the backward reads it.
"""
from collections import Counter
from math import prod

import numpy as np

from weft.batching.links import Cut, derivative
from weft.kernels import fast
from weft.kernels.codes import BINARY, UNARY
from weft.ops.create.constants import uninitialised

PLANS, MOST_PLANS = {}, 2000
ROWS, SHARED, NUMBER = 0, 1, 2          # how an array lies against the examples, see cpp/chain.cpp
COPY, ZERO = 0, -1
AGAIN = ("Trying to backward through the graph a second time (or directly access saved tensors after they have already "
         "been freed): these ops ran as one batch inside autobatch()\n"
         "  fix: call backward(retain_graph=True) the first time")
LARGEST = 1 << 16                       # elements of scratch memory for a row


class Root:
    """A row of an array, or of scratch memory. given: what is read there; out: whether it is an array to be made."""

    def __init__(self, width, given=None, mode=ROWS):
        self.width, self.given, self.mode, self.out = width, given, mode, False


class Register:
    """A piece of a Root."""

    def __init__(self, root, offset, width):
        self.root, self.offset, self.width = root, offset, width

    def is_whole(self):
        return self.width == self.root.width


class Program:
    """What the kernel reads. given: the names of the arrays that it is given, outs: how wide those are that it makes.
    """

    def __init__(self, numbers, given, outs):
        self.numbers, self.given, self.outs = numbers, given, outs


class Forward:
    """kept: (name, number of the array that is made, offset, width) each; wanted: for each far output whether a
    gradient goes through it; read: the inputs that the backward reads.
    """

    def __init__(self, program, kept, wanted, read):
        self.program, self.kept, self.wanted, self.read = program, kept, wanted, read


class Writer:
    """Writes a program. An expression is a Register, a value's name ("value", of), or (function, expression, ...)."""

    def __init__(self, register_of):
        self.steps, self.register_of = [], register_of

    def new(self, width):
        return Register(Root(width), 0, width)

    def emit(self, expression, target=None):
        """The register with an expression's value: the target, if there is one."""
        if isinstance(expression, tuple) and expression[0] == "value":
            expression = self.register_of(expression[1])
        if isinstance(expression, Register):
            if target is None:
                return expression
            self.steps.append((COPY, expression, None, target))
            return target
        given = [self.emit(e) for e in expression[1:]]
        if target is None:
            target = self.new(max([r.width for r in given]))
        codes = BINARY if len(given) == 2 else UNARY
        self.steps.append((codes[expression[0]], given[0], given[1] if len(given) == 2 else None, target))
        return target

    def total(self, expressions, target=None):
        """The register with the sum."""
        made = expressions[0]
        for e in expressions[1:]:
            made = ("add", made, e)
        return self.emit(made, target)

    def program(self):
        """The Program, None where it is too large; the roots that are made are numbered from 0."""
        given, outs, registers, scratch = [], [], {}, 0
        for _, *operands in self.steps:
            for r in operands:
                if r is None or r in registers:
                    continue
                registers[r] = len(registers)
                if r.root.given is not None and r.root not in given:
                    given.append(r.root)
                elif r.root.given is None and r.root.out and r.root not in outs:
                    outs.append(r.root)
        arrays, offsets = {root: i for i, root in enumerate([*given, *outs])}, {}
        for r in registers:
            if r.root not in arrays and r.root not in offsets:
                offsets[r.root] = scratch
                scratch += r.root.width
        if scratch > LARGEST or not self.steps or len(arrays) > 128 or len(registers) > 1024 or len(self.steps) > 1024:
            return None
        numbers = [len(arrays), len(registers), len(self.steps), scratch, len(given)]
        numbers += [root.mode for root in arrays]
        for r in registers:
            numbers += [arrays.get(r.root, -1), offsets.get(r.root, 0) + r.offset, r.width]
        for code, a, b, out in self.steps:
            numbers += [code, registers[a], -1 if b is None else registers[b], registers[out]]
        for i, root in enumerate(outs):
            root.number = i
        return Program(np.array(numbers, np.int64), [root.given for root in given], [root.width for root in outs])


class Plan:
    """How all chains of one key run.

    links: what each op is; inputs: (number of the op, slot) of each tensor from outside the chain; operands: for each
    op what it reads, as names: ("in", k), ("constant", k) or ("made", op, output); far: the outputs that somebody
    outside needs, as (op, output).
    """

    def __init__(self, table, entries):
        self.kinds = [table.kind_of(e) for e in entries]
        self.links = [kind.link for kind in self.kinds]
        self.dtype, self.ops = self.links[0].dtype, Counter([kind.op for kind in self.kinds])
        self.inputs, self.operands, self.far, self.constants, names, made = [], [], [], [], {}, {}
        for j, (e, link) in enumerate(zip(entries, self.links)):
            sources, own = table.inputs_of(e), []
            for operand in link.operands:
                if not isinstance(operand, int):
                    own.append(("constant", len(self.constants)))
                    self.constants.append(operand)
                    continue
                number = sources[operand]
                if number not in made and number not in names:
                    names[number] = ("in", len(self.inputs))
                    self.inputs.append((j, operand))
                own.append(made[number] if number in made else names[number])
            self.operands.append(own)
            for k in range(len(link.shapes)):
                made[table.first_of(e) + k] = ("made", j, k)
                if table.is_far(table.first_of(e) + k):
                    self.far.append((j, k))
        self.forwards, self.backwards = {}, {}

    def width(self, j, k):
        return prod(self.links[j].shapes[k])

    def width_of(self, name):
        if name[0] == "constant":
            return 1
        if name[0] == "made":
            return self.width(name[1], name[2])
        j, slot = self.inputs[name[1]]
        return prod(self.kinds[j].slots[slot].like._form.shape)

    def reader(self, modes):
        """A function from a name to the register where it is read: arrays that were given or kept."""
        known = {}

        def register_of(name):
            found = known.get(name)
            if found is None:
                link = self.links[name[1]] if name[0] == "made" else None
                if isinstance(link, Cut):
                    parent = register_of(self.operands[name[1]][0])
                    found = Register(parent.root, parent.offset + link.offsets[name[2]], self.width_of(name))
                else:
                    mode = NUMBER if name[0] == "constant" else modes[name[1]] if name[0] == "in" else ROWS
                    width = self.width_of(name)
                    found = Register(Root(width, name, mode), 0, width)
                known[name] = found
            return found
        return register_of, known

    def wanting(self, wants):
        """The names of the values through which a gradient goes; wants: whether it is wanted, for each input."""
        found = {("in", k) for k, want in enumerate(wants) if want}
        for j, own in enumerate(self.operands):
            if not found.isdisjoint(own):
                found.update([("made", j, k) for k in range(len(self.links[j].shapes))])
        return found

    def forward(self, modes, wants):
        """The `Forward`, None where the kernel has no room for it; modes, wants: how each input lies, and whether its
        gradient is wanted.
        """
        key = modes, wants
        if key not in self.forwards:
            self.forwards[key] = self.write_forward(modes, wants)
        return self.forwards[key]

    def write_forward(self, modes, wants):
        saved, wanting = [], self.wanting(wants)
        if any(wants):
            back = self.backward(modes, wants, tuple([("made", j, k) in wanting for j, k in self.far]))
            if back is None:
                return None
            saved = back[0].given
        read, known = self.reader(modes)
        writer = Writer(read)
        for j, (link, own) in enumerate(zip(self.links, self.operands)):
            if isinstance(link, Cut):
                continue
            out = known["made", j, 0] = writer.new(self.width(j, 0))
            writer.emit((link.name, *[("value", name) for name in own]), out)
        kept = {}
        for name in [*[("made", j, k) for j, k in self.far], *[name for name in saved if name[0] == "made"]]:
            found = read(name)
            if found.root.given is not None:        # a piece of what was given
                found = writer.emit(found, writer.new(found.width))
            found.root.out = True
            kept[name] = found
        program = writer.program()
        if program is None:
            return None
        return Forward(program, [(name, r.root.number, r.offset, r.width) for name, r in kept.items()],
                       [("made", j, k) in wanting for j, k in self.far],
                       [name[1] for name in saved if name[0] == "in"])

    def backward(self, modes, wants, present):
        """(Program, where the gradient of each input is: None, a name that was given or the number of an array that is
        made); present: which of the far outputs have a gradient.
        """
        key = modes, wants, present
        if key not in self.backwards:
            self.backwards[key] = self.write_backward(modes, wants, present)
        return self.backwards[key]

    def write_backward(self, modes, wants, present):
        wanting, (read, _) = self.wanting(wants), self.reader(modes)
        writer, sums = Writer(read), {}             # sums: name -> the expressions whose sum its gradient is
        for (j, k), there in zip(self.far, present):
            if there:
                width = self.width(j, k)
                sums["made", j, k] = [Register(Root(width, ("grad", j, k)), 0, width)]
        for j in range(len(self.links) - 1, -1, -1):
            link, own = self.links[j], self.operands[j]
            if isinstance(link, Cut):
                self.join(writer, sums, wanting, j)
                continue
            parts = sums.pop(("made", j, 0), None)
            if parts is None or ("made", j, 0) not in wanting:
                continue
            g = writer.total(parts)
            grads = derivative(link.name)(g, [("value", name) for name in own], ("value", ("made", j, 0)))
            for name, grad in zip(own, grads):
                if name in wanting:
                    sums.setdefault(name, []).append(grad)
        found = []
        for k in range(len(self.inputs)):
            parts = sums.get(("in", k)) if wants[k] else None
            found.append(None if parts is None else writer.total(parts))
        for k, r in enumerate(found):
            if r is not None and not r.is_whole():
                found[k] = r = writer.emit(r, writer.new(r.width))
            if r is not None and r.root.given is None:
                r.root.out = True
        if not writer.steps:
            return Program(None, [], []), [None if r is None else r.root.given for r in found]
        program = writer.program()
        return None if program is None else (program, [None if r is None else r.root.given if r.root.given is not None
                                                       else r.root.number for r in found])

    def join(self, writer, sums, wanting, j):
        """The gradient of what was cut: those of its pieces, side by side."""
        link, source = self.links[j], self.operands[j][0]
        parts = [sums.pop(("made", j, k), None) for k in range(len(link.shapes))]
        if source not in wanting or not any(parts):
            return
        whole = writer.new(self.width_of(source))
        for k, own in enumerate(parts):
            target = Register(whole.root, link.offsets[k], self.width(j, k))
            if own is None:
                writer.steps.append((ZERO, target, None, target))
            else:
                writer.total(own, target)
        sums.setdefault(source, []).append(whole)


def plan_of(key, table, entries):
    """The Plan of all chains with this key. It holds their kinds, so that no other ones can get the key."""
    found = PLANS.get(key)
    if found is None:
        if len(PLANS) > MOST_PLANS:
            PLANS.clear()
        found = PLANS[key] = Plan(table, entries)
    return found


def run(program, n, np_dtype, given):
    """The arrays that a program makes for n rows; given: name -> (array, rows). None where the kernel refuses."""
    made = [uninitialised((n, width), np_dtype) for width in program.outs]
    args = []
    for name in program.given:
        args += given[name]
    for array in made:
        args += (array, None)
    return made if fast.chain(program.numbers, n, *args) else None


class ChainStep:
    """A group of chains that takes part in the graph: what its backward needs. mades: of the far outputs; given:
    (array, rows) of each name that a program reads; routes: of the inputs; ran: whether its backward has run.
    """

    def __init__(self, plan, n, modes, wants, mades, given, routes):
        self.plan, self.n, self.modes, self.wants = plan, n, modes, wants
        self.mades, self.given, self.routes, self.ran = mades, given, routes, False

    def back(self, parents):
        """Send the gradients of the inputs on their way."""
        plan, given = self.plan, self.given
        present = tuple([made.wants and made.grad is not None for made in self.mades])
        if not any(present):
            return
        if given is None:
            raise RuntimeError(AGAIN)
        self.ran, made = True, ()
        program, places = plan.backward(self.modes, self.wants, present)
        names = [("grad", j, k) for j, k in plan.far]
        given.update({name: (m.grad, None) for name, m, there in zip(names, self.mades, present) if there})
        if program.numbers is not None:
            made = run(program, self.n, plan.dtype, given)
            if made is None:        # a gradient that lies in another way
                given.update({name: (np.ascontiguousarray(m.grad, plan.dtype), None)
                              for name, m, there in zip(names, self.mades, present) if there})
                made = run(program, self.n, plan.dtype, given)
        for k, place in enumerate(places):
            if place is None:
                continue
            grad = given[place][0] if isinstance(place, tuple) else made[place]
            shape = given["in", k][0].shape
            grad = grad.sum(0).reshape(shape) if self.modes[k] == SHARED else grad.reshape(self.n, *shape[1:])
            self.routes[k].back(grad, parents)
        for name in names:
            given.pop(name, None)

    def free(self):
        """Let go of what was kept for a backward that has run."""
        if self.ran:
            self.given, self.routes = None, ()


class SumStep:
    """A sum that was added up one by one: each entry adds one more to what the last one gave. routes: of what it starts
    with, and of what is added.
    """

    def __init__(self, made, routes):
        self.mades, self.routes, self.ran = [made], routes, False

    def back(self, parents):
        grad = self.mades[0].grad
        if grad is None:
            return
        with np.errstate(all="ignore"):
            later = np.cumsum(grad[::-1], 0, dtype=grad.dtype)[::-1]    # what was added is in all sums from there on
        start, more = self.routes
        if start.wants():
            start.back(later[0, ...], parents)
        if more.wants():
            more.back(later.sum(0) if more.shared else np.ascontiguousarray(later), parents)

    def free(self):
        """There is nothing to let go of."""
