# compiled, -O3
"""Following a recorded path while the program runs again.

A captured step's Python code runs on every call. Its ops are answered with promises, each compared with the next
`Event` of a recorded path: the op, its arguments, whose outputs they are, shapes, types, strides, grad mode. Nothing is
computed until a value is needed or the step ends; then all that was matched runs at once (`weft.jit.execute`). What
differs from every path ends the matching: what was matched so far runs as it would have without capture, and from there
on the program is recorded as a new branch of the tree of paths. So nothing about the program is taken on trust.
"""
from itertools import count

from numpy import array_equal, ndarray

from weft.autograd.graph import Node
from weft.core.matching import NOTHING, Matcher
from weft.core.modes import INFERENCE
from weft.core.runtime import mode_bits, pointer_hash, pure_fields
from weft.core.seam import Promise
from weft.jit.kinds import CONST, EXT, FREE, LIST, OP, RENAME, SAME, SLOT, WRITE
from weft.kernels.native import held_once, references, same_place
from weft.ops.create.constants import empty_with
from weft.ops.create.convert import write_into
from weft.tensor.tensor import Tensor, is_plain, needs_grad, settle, wrap

HOOKS = ("hooks", "post_accumulate", "node_hooks", "node_prehooks")     # of a leaf
LAID = {"strides", "offset"}      # notes of a tensor without values, where it lies
STAMPS = count(1)
GHOST = GHOST_NODE = Node.__new__(Node)       # the node of a tensor whose graph is owed, too


def copy_of(form):
    """A copy of an array that lies as it does: a plan's views are strides that were seen once."""
    if form.flags.c_contiguous:
        return form.copy()
    made = empty_with(form.shape, form.strides, form.dtype)
    write_into(made, form)
    return made


class Arg:
    """One argument of a recorded op. `value`: the constant, or the array that says how a tensor must lie; seen, stamp:
    which array stood here, and in which call (`Run.is_bound`). wants: it is a leaf that wants a gradient, or an output
    with a graph; graph: a tensor from outside that has one.
    """


class Event:
    """One op of a path, and what may come after it (`children`).

    first: the number of its first output among the path's; forms: a stand-in array for each output; wants: whether it
    takes part in the graph; views: whether it is a view of the first argument; notes: where it would lie, if not
    densely; whole: it must run on its whole road (it writes, or it is `checked`: its check reads values); body: a
    backward's own ops; reason: why a path ends here for good; plans: what runs a stretch that ends here
    (`execute.plan_for`); leaving: the graphs that leave the function there (`weft.jit.leaving`);
    used: the last call that came to its end here; written: outputs of the path that the op writes to, or None.
    """


class Owed:
    """The promise of one output."""

    readable = True
    with_graph = False

    def value(self):
        """The values; the run is asked for them where they aren't there yet."""
        if self.array is None:
            self.owner.settle(self)
        return self.array


class Run(Matcher):
    """One call of a captured function that follows the tree of its paths.

    pending: the arguments of each event that was matched and has not run; outs: the tensors that were given out; uses:
    how often `pending` holds each of them; ext: the tensors from outside; arrays: theirs; binders: the Arg that each
    was first seen as; bound: an array's place -> its number, once there is need (`is_bound`); shared: a copy of those
    that NumPy or others may write to; done: the last event that has run; visited: outputs whose graph a matched
    backward has used up; zeroed: ids of tensors whose gradient the program took away before that, and for a replay the
    gradient; constants: what
    `pending` held besides tensors, where the path is to be replayed; renamed: an output whose tensor was written to ->
    the output that the tensor stands for since (`outs` has None for the former); saved: (output, a tensor that has its
    value), where a node needs what was overwritten; ahead: events that ran before others, as `weft.jit.peek` lets them
    (None: no value was read so); promised: the outputs' promises, where the path is to be replayed.
    """

    def match(self, op, values, bits):
        if self.closed:
            return None
        at = self.at
        n_ext = len(self.ext)
        for event in at.children:
            if event.op is op and event.bits == bits and event.kind != WRITE:
                if self.all_fit(event, values):
                    self.at = event
                    return self.answer(event, values, bits)
                if len(self.ext) > n_ext:
                    self.unbind(n_ext)
        return self.session.unmatched(op, values)

    def drops_grad(self, tensor):
        """Nothing more than that, but that a replay must do so too where no backward came before."""
        if self.closed:
            return False
        if self.visited is None:
            if self.zeroed is None:
                self.zeroed = {}
            self.zeroed[id(tensor)] = None if self.session.capture.replays is None else tensor._grad
        return True

    def fits_write(self, event, target, source):
        """Whether copying `source` into `target` is this event."""
        n_ext = len(self.ext)
        if self.all_fit(event, [target, source]):
            return True
        self.unbind(n_ext)
        return False

    def follow_write(self, op, values, bits):
        """Whether `values[0].op_(...)`, of a tensor from outside whose memory the op fills, is what comes next."""
        n_ext = len(self.ext)
        for event in self.at.children:
            if event.kind == WRITE and event.op is op and event.bits == bits:
                if self.all_fit(event, values) and not self.overlaps(values[0]):
                    self.at = event
                    self.answer(event, values, bits)
                    return True
                self.unbind(n_ext)
        return False

    def overlaps(self, target):
        """Whether a tensor from outside, which is written to, may share memory with another one that was seen."""
        if target._view_of is not None:
            return True
        for k in range(len(self.ext)):
            t = self.ext[k]
            if t._view_of is not None and t is not target and t._view_of.base() is target:
                return True
        return False

    def rename(self, op, values, bits):
        """Whether `x.op_(...)`, of a tensor x that is owed and that nobody else can see, is what comes next: another
        value, which x stands for from then on.
        """
        n_ext = len(self.ext)
        for event in self.at.children:
            if event.op is op and event.bits == bits and event.n_args == len(values):
                for then in event.children:
                    if then.kind == RENAME and then.bits == bits and self.all_fit(event, values):
                        self.at = event
                        self.follow_rename(then, values[0], self.answer(event, values, bits))
                        return True
                    self.unbind(n_ext)
        return False

    def follow_rename(self, event, t, made):
        """From now on t stands for the event's output, whose value is that of `made`."""
        before = event.args[0].index
        self.at = event
        self.pending.append([t, made])
        if self.renamed is None:
            self.renamed = {}
        self.renamed[before] = event.first
        self.uses[event.first - 1] += 1
        self.outs.append(t)
        self.uses.append(self.uses[before] + 1)     # all that `pending` has of it
        self.outs[before] = None
        t._form = event.forms[0]
        owed = Owed.__new__(Owed)
        owed.owner = self.session
        t._owed = owed
        if made._made_by is not None:
            t._made_by, t._made_nr = made._made_by, made._made_nr

    def unbind(self, n):
        """Forget what was bound for an event that didn't fit after all."""
        while len(self.ext) > n:
            self.ext.pop()
            self.binders.pop()
            form = self.arrays.pop()
            if self.bound is not None:
                del self.bound[pointer_hash(form)]
            if self.shared is not None:
                self.shared.pop(len(self.ext), None)

    def all_fit(self, event, values):
        n = event.n_args
        if len(values) != n:
            return False
        for i in range(n):
            arg = event.args[i]
            if not self.fits(arg, values[i], event.whole):
                return False
        return True

    def fits(self, arg, value, whole):
        if arg.kind == SLOT:
            if not isinstance(value, Tensor):
                return False
            t = value
            if t._form is not arg.value:
                out = self.outs[arg.index]
                if out is None or t._form is not out._form:
                    return False
            return (t._made_by is not None) == arg.wants and is_plain(t)
        if arg.kind == EXT:
            if not is_plain(value):
                return False
            t = value
            if t._owed is not None:
                bring_in(t)
            if t._owed is not None or t._wants_grad != arg.wants or (t._made_by is not None) != arg.graph \
                    or t._on_meta or t._inference:
                return False
            return self.binds(arg, t, whole)
        if arg.kind == LIST:
            if type(value) is not arg.value or len(value) != len(arg.items):
                return False
            items = arg.items
            for i in range(len(items)):
                if not self.fits(items[i], value[i], whole):
                    return False
            return True
        if arg.kind == FREE:
            return type(value) is float
        if value is arg.value:
            return True
        return type(value) is type(arg.value) and same_number(value, arg.value)

    def binds(self, arg, t, whole):
        """Whether a tensor from outside may stand for this one; the first time, it does from then on."""
        form = t._form
        n = len(self.ext)
        if arg.index < n:
            return self.arrays[arg.index] is form and (not (arg.wants or arg.graph) or self.ext[arg.index] is t)
        if arg.index > n or not same_place(form, arg.value) or self.is_bound(arg, form):
            return False
        if t._view_of is not None and (needs_grad(t) or t._view_of.base().requires_grad) != arg.graph:
            return False
        if t._memory_record is not None and t._memory_record.outside and not held_once(form):
            if arg.wants or arg.graph or whole:
                return False
            if self.shared is None:
                self.shared = {}
            self.shared[arg.index] = wrap(copy_of(form))    # another may write to it before this step's ops run
        if self.bound is not None:
            self.bound[pointer_hash(form)] = arg.index
        self.ext.append(t)
        self.arrays.append(form)
        self.binders.append(arg)
        return True

    def is_bound(self, arg, form):
        """Whether an array stands for another argument already.

        As long as each array is the one that stood there in one and the same call before, they are all different as
        they were then, and nothing is looked up: `Arg.seen` is that array's place, `Arg.stamp` the call's number.
        """
        place = pointer_hash(form)
        if self.bound is None:
            if not self.ext:
                self.chain = arg.stamp
            if arg.seen == place and arg.stamp == self.chain:
                return False
            self.chain = next(STAMPS)
            self.bound = {}
            for i in range(len(self.binders)):
                bound = self.binders[i]
                bound.stamp = self.chain
                self.bound[pointer_hash(self.arrays[i])] = i
        if place in self.bound:
            return True
        arg.seen, arg.stamp = place, self.chain
        return False

    def own_list(self, arg, value):
        """A copy of a list argument, so that each tensor in it is held once by `pending` and the list isn't changed."""
        made = list(value)
        for i in range(len(made)):
            item = arg.items[i]
            if item.kind == SLOT:
                if made[i] is self.outs[item.index]:
                    self.uses[item.index] += 1
            elif item.kind == LIST:
                made[i] = self.own_list(item, made[i])
            elif item.kind == EXT and self.shared is not None and item.index in self.shared:
                made[i] = self.shared[item.index]
        return made if arg.value is list else tuple(made)

    def promise(self, event, k):
        """The next output of the path, k of an event, as `owe` gives it."""
        t = self.owe(event, k)
        self.outs.append(t)
        self.uses.append(0)
        return t

    def owe(self, event, k):
        """A tensor for output k of an event, whose values (and graph) are owed."""
        t = wrap(event.forms[k])
        owed = Owed.__new__(Owed)
        owed.owner = self.session
        t._owed = owed
        if event.wants[k]:
            t._made_by = GHOST
            t._made_nr = k
        if event.notes[k] is not None:
            t._seldom = dict(event.notes[k])
        return t

    def share_record(self, t):
        """Give a view that is owed, and what it is a view of, one record of the writes to their memory."""
        views = []
        while t is not None and t._memory_record is None:
            views.append(t)
            t = self.source_of(t)
        if t is not None:
            for view in views:
                view._memory_record = t._memory_record
        elif len(views) > 1:
            for view in views:
                view._memory_record = views[-1]._own_memory_record()

    def source_of(self, t):
        """What a tensor that is owed is a view of, or None."""
        event = self.at
        if event is not self.done and event.first + event.n_outs > len(self.outs):
            event = event.before            # it is being answered
        while event is not self.done:
            for k in range(event.n_outs):
                if self.outs[event.first + k] is t:
                    if not event.views[k]:
                        return None
                    arg = event.args[0]
                    return self.outs[arg.index] if arg.kind == SLOT else self.ext[arg.index]
            event = event.before
        return None

    def open_outputs(self):
        """The outputs in the program's hands that still have a graph which a backward may go through."""
        found = []
        event = self.at
        while event is not self.done:
            for k in range(event.first, event.first + event.n_outs):
                if event.wants[k - event.first] and (self.visited is None or k not in self.visited):
                    t = self.outs[k]
                    # held by more than `outs`, this function and `pending`; None: it stands for a later output
                    if t is not None and references(t) > 2 + self.uses[k]:
                        found.append(k)
            event = event.before
        return found

    def owes(self, event, root):
        """Whether `root.backward()` is this event: the same loss, and leaves without hooks."""
        arg = event.args[0]
        if self.outs[arg.index] is not root:
            return False
        for leaf, _ in event.body.leaves:
            t = self.ext[leaf]
            if t._grad is not None and not is_plain(t._grad) or not t._wants_grad:
                return False
            if has_hooks(t):
                return False
        return True

    def follow_backward(self, event):
        """A matched backward: each leaf has the promise of its gradient. Gives those leaves that had one already, and
        that one.
        """
        self.at = event
        self.pending.append(None)
        self.visited = event.body.visited if self.visited is None else self.visited | event.body.visited
        k = 0
        before = []
        for leaf, _ in event.body.leaves:
            t = self.ext[leaf]
            if t._grad is not None:
                before.append((t, t._grad))
            t._grad = self.promise(event, k)
            k += 1
        return before

    def unrun(self):
        """The events that were matched and have not run, in order: one for each entry of `pending`."""
        events, event = [], self.at
        while event is not self.done:
            if event.kind != SAME and (self.ahead is None or event not in self.ahead):
                events.append(event)
            event = event.before
        events.reverse()
        return events

    def answer(self, event, values, bits):
        """Promises of what an event gives."""
        if event.kind == SAME:
            return values[0]
        for i in range(event.n_args):
            arg = event.args[i]
            if arg.kind == SLOT:
                if values[i] is self.outs[arg.index]:       # and not an alias of it
                    self.uses[arg.index] += 1
            elif arg.kind == LIST:
                values[i] = self.own_list(arg, values[i])
            elif arg.kind == EXT and self.shared is not None and arg.index in self.shared:
                values[i] = self.shared[arg.index]
        if event.written is not None:
            for index in event.written:
                self.share_record(self.outs[index])
        self.pending.append(values)
        n = event.n_outs
        if n == 0:
            return NOTHING
        made = None
        for k in range(n):
            t = self.promise(event, k)
            if bits & INFERENCE:
                t._inference = True
            if not event.many:
                return t
            if made is None:
                made = []
            made.append(t)
        return event.op.together(made)


def same_number(a, b):
    """Whether two Python values of one type are the same one to an op."""
    if type(a) is float:
        return a == b and (a != 0.0 or str(a) == str(b)) or a != a and b != b
    if type(a) is complex:
        return repr(a) == repr(b)
    if type(a) is ndarray:
        return a.dtype == b.dtype and array_equal(a, b)
    return a == b


def bring_in(t):
    """Let a `detach()` of what an earlier call gave have its values, which are there."""
    owed = t._owed
    if (type(owed) is Owed or type(owed) is Promise) and owed.array is not None:
        settle(t)


def has_hooks(t):
    """Whether a backward runs hooks of this leaf."""
    return t._seldom is not None and any(map(t._seldom.get, HOOKS))


def is_alone(x):
    """Whether no other tensor shares the memory of x, as far as x itself tells: views that are owed it doesn't know."""
    if not is_plain(x) or x._view_of is not None or x._on_meta or x._wants_grad \
            or x._inference and not mode_bits() & INFERENCE \
            or x._seldom is not None and not x._seldom.keys() <= LAID:
        return False
    memory = x._memory_record
    return memory is None or not memory.outside and references(memory) <= 2


def start(run, session, root):
    """Make a run ready to follow the paths from `root`."""
    run.session, run.at, run.done = session, root, root
    run.pending, run.outs, run.uses, run.ext, run.arrays, run.binders, run.saved = [], [], [], [], [], [], []
    run.bound = run.shared = run.constants = run.visited = run.zeroed = run.renamed = run.promised = run.ahead = None
    run.closed = False
    return run


pure_fields(Arg, kind=CONST, index=-1, wants=False, graph=False, value=None, items=None, seen=0, stamp=0)
pure_fields(Event, kind=OP, op=None, bits=0, args=None, n_args=0, first=0, n_outs=0, forms=None, notes=None, wants=None,
            views=None, many=False, unusual=False, whole=False, checked=False, place=None, body=None, children=None,
            before=None, reason=None, plans=None, leaving=None, used=0, written=None)
pure_fields(Owed, owner=None, array=None)
pure_fields(Run, session=None, at=None, done=None, pending=None, outs=None, uses=None, ext=None, arrays=None,
            bound=None, shared=None, visited=None, zeroed=None, constants=None, closed=False, binders=None,
            chain=0, renamed=None, saved=None, promised=None, ahead=None)
