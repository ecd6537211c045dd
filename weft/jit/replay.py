# compiled, -O3
"""`replay=True`: a call whose path is known runs without the function's Python code.

Whoever asks for it states that a call does the same ops whenever its arguments have the same structure, shapes and
types, that nothing but their values changes (a learning rate that a scheduler changes is a change), and that the Python
code has no other effect that is wanted each time. So the code runs until a call has followed a known path from end to
end; from then on the path's plan runs, and gives the results and the gradients that the code would have given.
"""
from enum import Enum

import numpy as np

from weft.core.modes import GRAD_OFF, INFERENCE
from weft.core.pytree import filled, leaves, same_structure
from weft.core.runtime import mode_bits, set_mode_bits
from weft.jit.execute import explained, hand_over, tie_views
from weft.jit.kinds import BACKWARD, EXT, LIST, OP, RENAME, SAME, SLOT, WRITE
from weft.jit.match import Run, bring_in, same_number
from weft.jit.path import PLAIN, numbers_in, template
from weft.jit.plan import make_plan, run_plan
from weft.jit.shells import Shell, closed, opened
from weft.kernels.native import references, same_place
from weft.nn.edits import EDITS
from weft.tensor.tensor import Tensor, alias, is_plain

SAFE = (*PLAIN, Shell, Enum, np.generic, slice)     # what a result may have besides tensors, the same one each time


class Refused(Exception):
    """Why a path can't be replayed."""


class TooEarly(Exception):
    """A path may be replayed once another call has shown that what it made of numbers is the same each time."""

    def __init__(self, made):
        self.made = made        # number of a tensor from outside -> its array


class Replay:
    """One path of a function, ready to run on other values. run: the call that followed it; result: what it gave;
    fresh: ids of tensors that it made of nothing but numbers, by no op of the path; before: what `TooEarly` told of
    an earlier call.
    """

    def __init__(self, run, bits, given, result, fresh=(), before=None, budget=None):
        self.bits, self.edits, self.ways = bits, EDITS.count, EDITS.ways
        self.events = events = path_to(run.at)
        inputs = leaves(given)
        self.simple = all_tensors(given)
        self.forms = [template(v) if isinstance(v, Tensor) else None for v in inputs]
        self.wants = [isinstance(v, Tensor) and v._wants_grad for v in inputs]
        place = {id(v._form): i for i, v in enumerate(inputs) if isinstance(v, Tensor)}
        self.ext = list(run.ext)
        # a tensor from outside -> the argument that it is
        self.place_of = {k: place[id(t._form)] for k, t in enumerate(self.ext) if id(t._form) in place}
        for k in self.place_of:
            self.ext[k] = None
        self.alike = first_places(inputs)
        self.own = [t for t in self.ext if t is not None]       # parameters, states, constants
        self.own_forms = [template(t) for t in self.own]
        self.own_ids = {id(t) for t in self.own}
        self.own_wants = [t._wants_grad for t in self.own]
        self.of_leaves = self.gradients_of(run.zeroed or {})
        self.find_results(run, result, {id(v) for v in inputs})
        self.find_grads(run)
        self.check_writes()
        self.check_lasting(fresh, before)
        held = sorted({*self.slots.values(), *[slot for _, slot in self.grads if slot is not None]})
        self.plan = make_plan(events, held, budget)
        filled_in = {slot for slot, _ in self.plan.graph.results}
        # what a plain tensor is not enough for: it has a graph that was used up, is a view, or lies in its own way
        self.kept = [(event, k) for event in events for k in range(event.n_outs) if event.first + k in filled_in
                     and (event.wants[k] or event.views[k] or event.notes[k] is not None or event.bits & INFERENCE)]
        self.handed = [i for i, event in enumerate(events) if any([e is event for e, _ in self.kept])]
        self.waiting = [self.known_arguments(event, known) for event, known in zip(events, run.constants)]
        self.open = [(i, k) for i, event in enumerate(events) if self.waiting[i] is not None
                     for k, a in enumerate(event.args) if not self.is_known(a)]
        self.opened = sorted({i for i, _ in self.open})
        self.plain = [None if isinstance(v, Tensor) else v for v in inputs]
        self.marks = [(event.args[0].index, event.place) for event in events if event.kind == WRITE]
        self.marks += viewed_writes(events)
        made = {event.first + k for event, k in self.kept}      # tensors when an op writes to them, which counts that
        self.counts = [(slot, place) for slot, place, by_op in write_counts(events) if not (by_op and slot in made)]
        self.given = filled(given, self.plain)

    def find_results(self, run, result, known):
        """Which of the path's outputs, or of the inputs, the result's tensors are; known: ids of the arguments."""
        result = opened(result)
        slot_of = {id(t): k for k, t in enumerate(run.outs) if t is not None}
        ext_of = {id(t): k for k, t in enumerate(run.ext)}
        promised = {id(p()): k for k, p in enumerate(run.promised) if p is not None and p() is not None}
        self.slots, self.passed, self.aliases, made = {}, {}, set(), []
        for i, v in enumerate(leaves(result)):
            if not isinstance(v, Tensor):
                if not (isinstance(v, SAFE) or callable(v) or id(v) in known or is_size(v)):
                    raise Refused(f"it gives a {type(v).__name__}, in which there may be tensors")
                made.append(v)
                continue
            made.append(None)
            if id(v) in slot_of:
                self.slots[i] = slot_of[id(v)]
            elif id(v) in ext_of:
                self.passed[i] = ext_of[id(v)]
            elif id(v._owed) in promised and is_plain(v) and not v._wants_grad and v._made_by is None:
                self.slots[i] = promised[id(v._owed)]       # `loss.detach()`
                self.aliases.add(i)
            else:
                raise Refused("it gives a tensor that no recorded op made")
        self.result, self.one = filled(result, made), isinstance(result, Tensor)
        self.bare = isinstance(result, PLAIN)       # nothing that must be made for each call
        self.shells = any([type(v) is Shell for v in made])

    def find_grads(self, run):
        """The gradients that leaves have at the end: (number among `ext`, output or None)."""
        slot_of = {id(t): k for k, t in enumerate(run.outs) if t is not None}
        own = {id(t): k for k, t in enumerate(self.ext) if t is not None}
        self.grads, self.fresh = [], []         # fresh: leaves that must have no gradient when a call begins
        self.grown = []                         # (leaf, its gradient, which is added to): numbers among `ext`
        for k in sorted({leaf for event in self.events if event.kind == BACKWARD for leaf, _ in event.body.leaves}):
            grad = run.ext[k]._grad
            if grad is not None and id(grad) in own:
                self.grown.append((k, own[id(grad)]))
                continue
            if grad is not None and id(grad) not in slot_of:
                raise Refused("a gradient was replaced")
            self.grads.append((k, None if grad is None else slot_of[id(grad)]))
            if run.zeroed is None or id(run.ext[k]) not in run.zeroed:
                self.fresh.append(k)

    def check_lasting(self, fresh, before):
        """A tensor that the function finds outside must be there the next time, too; one that nobody has any more when
        it ends was a state that it has replaced, or made inside: the same each time, then.
        """
        gone = {}
        for k in range(len(self.ext)):
            t = self.ext[k]
            if t is not None and id(t) not in fresh:
                form = t._form
                # t is held by `ext`, `own`, `run.ext` and here, its array by t, `run.arrays` and here
                if references(t) <= 4 and references(form) <= 3:
                    gone[k] = form
        if before is None and gone:
            raise TooEarly(gone)
        if any([k not in before or before[k].tobytes() != form.tobytes() for k, form in gone.items()]):
            raise Refused("it reads a tensor that nobody has when it ends")

    def gradients_of(self, zeroed):
        """(leaf, its gradient) of what the function finds outside: it must be that gradient the next time, too."""
        pairs = [(t, zeroed.get(id(t), t._grad)) for t in self.own]
        return [(t, grad) for t, grad in pairs if grad is not None and id(grad) in self.own_ids]

    def check_writes(self):
        """A tensor that is written to must live outside: one that the function makes would be new each time."""
        for event in self.events:
            if event.kind == WRITE:
                written = [event.args[0]]
            elif event.kind == OP and event.op.writes:
                written = [event.args[i] for i in event.op.writes]
            else:
                continue
            for k in numbers_in(written, EXT):
                t = self.ext[k]
                if t is None:
                    continue
                form = t._form
                # t is held by `ext`, `own`, `run.ext` and here, its array by t, `run.arrays` and here; by more, if
                # the program has it, or another tensor of that array (an op in place is given another one)
                if references(t) <= 4 and references(form) <= 3:
                    raise Refused("it writes to a tensor that it makes itself")

    def is_outdated(self):
        """Whether modules were edited since."""
        return EDITS.count != self.edits or EDITS.ways != self.ways

    def fits(self, given, bits):
        """Whether a call with these arguments is this one."""
        if bits != self.bits or self.is_outdated():
            return False
        if self.simple != all_tensors(given) or not self.simple and not same_structure(self.given, given):
            return False
        values = flat(given, self.simple)
        if len(values) != len(self.forms):
            return False
        for i, v in enumerate(values):
            form = self.forms[i]
            if form is None:
                kept = self.plain[i]
                if v is not kept and not (type(v) is type(kept) and (isinstance(v, PLAIN) or is_size(v))
                                          and same_number(v, kept)):
                    return False
                continue
            if isinstance(v, Tensor) and v._owed is not None:
                bring_in(v)
            if not is_plain(v) or v._owed is not None or v._made_by is not None or v._wants_grad != self.wants[i] \
                    or v._on_meta or v._inference or id(v) in self.own_ids or not same_place(v._form, form):
                return False
        return self.alike == first_places(values) and self.finds_its_own(values)

    def finds_its_own(self, values):
        """Whether what the function has besides its arguments is as it was, and gradients aren't there already."""
        for i in range(len(self.own)):
            t = self.own[i]
            if not same_place(t._form, self.own_forms[i]) or t._wants_grad != self.own_wants[i]:
                return False
        for leaf, grad in self.of_leaves:
            if leaf._grad is not grad:
                return False
        for k in self.fresh:
            t = values[self.place_of[k]] if k in self.place_of else self.ext[k]
            if t._grad is not None:
                return False
        for k, grad in self.grown:
            t = values[self.place_of[k]] if k in self.place_of else self.ext[k]
            if t._grad is not self.ext[grad]:
                return False
        return True

    def __call__(self, given):
        """What the function would give for these arguments."""
        run = Run.__new__(Run)
        values = flat(given, self.simple)
        run.ext = list(self.ext)
        for k, i in self.place_of.items():
            run.ext[k] = values[i]
        last = self.events[-1]
        run.outs = [None] * (last.first + last.n_outs)
        run.uses = [0] * len(run.outs)
        for event, k in self.kept:
            run.outs[event.first + k] = run.owe(event, k)
        waiting = list(self.waiting)
        for i in self.opened:
            waiting[i] = list(waiting[i])
        for i, k in self.open:
            event = self.events[i]
            waiting[i][k] = given_tensor(event.args[k], waiting[i][k], run)
        for k, _ in self.grads:
            run.ext[k]._grad = None         # its memory serves the new one
        bits = set_mode_bits(mode_bits() | GRAD_OFF)
        try:
            failed = run_plan(self.plan, run, waiting)
        finally:
            set_mode_bits(bits)
        if failed is not None:
            raise explained(failed[1], failed[0])
        for k, place in self.marks:
            run.ext[k]._own_memory_record().mark_at(place)
        for slot, place in self.counts:
            if run.outs[slot] is not None:
                run.outs[slot]._own_memory_record().mark_at(place)
        for k, slot in self.grads:
            t = run.ext[k]
            t._grad = None if slot is None else run.outs[slot]
        result = [None] if self.one or self.bare else leaves(self.result)
        for i, slot in self.slots.items():
            result[i] = alias(run.outs[slot]) if i in self.aliases else run.outs[slot]
        for i, k in self.passed.items():
            result[i] = run.ext[k]
        for i, k in self.open:
            if i in self.handed:        # its arguments are there now
                event = self.events[i]
                waiting[i][k] = given_tensor(event.args[k], waiting[i][k], run)
        for i in reversed(self.handed):
            hand_over(run, self.events[i])
        for i in self.handed:
            tie_views(run, self.events[i], waiting[i])
        if self.one:
            return result[0]
        if self.bare:
            return self.result
        whole = filled(self.result, result)
        return closed(whole) if self.shells else whole

    def is_known(self, a):
        """Whether an argument is the same in every call: a constant, or a tensor that the function has itself."""
        if a.kind == LIST:
            return all([self.is_known(item) for item in a.items])
        return a.kind != SLOT and not (a.kind == EXT and a.index in self.place_of)

    def known_arguments(self, event, known):
        """The tensors that an event takes on its whole road, what is another each time left open; None for an event
        that is called with arrays.
        """
        if event.kind in (BACKWARD, RENAME) or event.kind == OP and not event.whole and not any(event.views):
            return None
        return [self.known_argument(a, v) for a, v in zip(event.args, known)]

    def known_argument(self, a, value):
        if not self.is_known(a):
            return value
        if a.kind == LIST:
            made = [self.known_argument(item, v) for item, v in zip(a.items, value)]
            return made if a.value is list else tuple(made)
        return self.ext[a.index] if a.kind == EXT else value


def given_tensor(a, value, run):
    """What stands for an argument in this call; constants and free numbers are those of the recorded one."""
    if a.kind == EXT:
        return run.ext[a.index]
    if a.kind == SLOT:
        return run.outs[a.index]
    if a.kind == LIST:
        made = []
        for i in range(len(a.items)):
            made.append(given_tensor(a.items[i], value[i], run))
        return made if a.value is list else tuple(made)
    return value


def is_size(value):
    """Whether a value is a tuple of numbers."""
    return isinstance(value, tuple) and all([type(v) is int for v in value])


def all_tensors(given):
    """Whether the arguments are tensors one after the other, with no keywords."""
    args, kwargs = given
    if kwargs:
        return False
    for v in args:
        if not isinstance(v, Tensor):
            return False
    return True


def flat(given, simple):
    """The leaves of the arguments."""
    return given[0] if simple else leaves(given)


def first_places(values):
    """For each argument the place of the first one that is the same tensor: f(x, x) is not f(x, y)."""
    seen = {}
    return [seen.setdefault(id(v._form), i) if isinstance(v, Tensor) else -1 for i, v in enumerate(values)]


def path_to(event):
    """The events of a path from its beginning to `event`, those that do nothing left out."""
    events = []
    while event.before is not None:
        if event.kind != SAME:
            events.append(event)
        event = event.before
    return events[::-1]


def viewed_writes(events):
    """(number of a tensor from outside, place) of each write to a view of it by an op of many tensors."""
    views = {event.first + k: event.args[0] for event in events for k in range(event.n_outs) if event.views[k]}
    found = []
    for event in events:
        if event.written is not None:
            for k in event.written:
                whole = views.get(k)
                while whole is not None and whole.kind == SLOT:
                    whole = views.get(whole.index)
                if whole is not None and whole.kind == EXT:
                    found.append((whole.index, event.place))
    return found


def write_counts(events):
    """(output, place, whether an op of many tensors) of each write that the tensor of an output has seen."""
    found = {}
    for event in events:
        if event.kind == RENAME:
            found[event.first] = [*found.get(event.args[0].index, ()), (event.place, False)]
        elif event.kind == OP and event.op.writes:
            for k in numbers_in([event.args[i] for i in event.op.writes], SLOT):
                found[k] = [*found.get(k, ()), (event.place, True)]
    return [(slot, place, by_op) for slot, writes in found.items() for place, by_op in writes]


def constants_in(values):
    """Arguments without their tensors."""
    if isinstance(values, (list, tuple)):
        return [constants_in(v) for v in values]
    return None if isinstance(values, Tensor) else values
