# compiled
"""One call of a captured function: it follows the recorded paths, or records a new one, or does neither.

`Session` stands at the seam (core/seam.py). While it *follows*, ops go to `match.Run`, and what comes here are the
events that end the following for a moment (a value is read: what was matched runs) or for good (an op that no path
has, a write in place, a custom Function: what was matched runs as it would have without capture). While it *records*,
they go to `record.Recorder`.
"""
from weakref import ref

from weft.autograd import engine
from weft.autograd.api import first_grad
from weft.core.dtype import default
from weft.core.modes import GRAD_OFF, INFERENCE, MATCH, TAKE, WATCH, local
from weft.core.runtime import mode_bits, set_matcher, set_mode_bits
from weft.core.seam import Taker, tell_wrote
from weft.jit.execute import become, execute, held_outputs, write, write_directly
from weft.jit.kinds import BACKWARD, RENAME, SLOT, WRITE
from weft.jit.leaving import Leaving, rehearsed
from weft.jit.match import Run, is_alone, start
from weft.jit.path import is_seen_through, numbers_in, runs_anyway, swapped, tensors_in
from weft.jit.peek import peek
from weft.jit.record import Recorder
from weft.jit.replay import constants_in
from weft.kernels.native import only_here
from weft.ops.core.bind import bind
from weft.ops.core.inplace import as_it_was, bump, check_writable, keep_saved, store
from weft.tensor.tensor import OPS, is_plain, needs_grad

FOLLOWING, RECORDING, OFF = "following", "recording", "off"


class Session(Taker):
    """One call. `capture`: the captured function's tree and its reports."""

    def __init__(self, capture):
        self.capture, self.state, self.recorder = capture, FOLLOWING, None
        self.run = start(Run.__new__(Run), self, capture.root)
        self.noted = None           # what is being written to, as an event of the path
        self.left = False           # whether a graph has left the function
        self.passing = False        # whether what this call did otherwise may be followed when it comes again
        self.drew = False           # whether the state of a random generator was set or read
        self.fresh = []             # tensors made of numbers while it followed, where the path is to be replayed
        self.behind = []            # (node, its array's weak reference, output) of outputs that were let go

    # around the call

    def start(self):
        # nobody looks on where a call is followed (captured.ELSEWHERE), but a call around it that stopped looking
        self._outer, self.outside = local.taker, local.watchers
        local.watchers, local.taker = [self], self
        if self.capture.root.children:
            self.outer = set_matcher(self.run)
            set_mode_bits(mode_bits() | WATCH | TAKE | MATCH)
        else:
            set_mode_bits(mode_bits() | WATCH | TAKE)
            self.record()
        return self

    def stop(self):
        if len(local.watchers) > 1:         # somebody came meanwhile, and stays
            super().stop()
            return
        local.watchers, local.taker = self.outside, self._outer
        set_mode_bits(mode_bits() & ~(WATCH | TAKE))

    def finish(self):
        """The function has returned, or raised: what is still owed runs."""
        try:
            if self.state is FOLLOWING:
                self.flush("the end of the function", True)
            elif self.state is RECORDING:
                self.recorder.work()
            self.run.at.used = self.capture.calls
            if self.recorder is not None:
                self.recorder.at.used = self.capture.calls
                if self.recorder.grew:
                    self.capture.has_grown(self.recorder.at)
        finally:
            self.stop_looking()
            self.stop()
            self.run.session = self.recorder = None         # they hold each other, and all that was made

    def stop_following(self):
        """No longer follow."""
        if mode_bits() & MATCH:
            set_mode_bits(mode_bits() & ~MATCH)
            set_matcher(self.outer)
        self.run.closed = True

    def record(self):
        """From here on record, after what the path has so far."""
        self.stop_following()
        self.state, self.recorder = RECORDING, Recorder(self.run, self.behind)
        self.run.outs, self.behind = [], []         # what the program dropped is gone

    def stop_looking(self, reason=None):
        """The rest of this call runs as it is: from here on no op asks or tells, but where a scope that was open brings
        the mode bits back.
        """
        self.stop_following()
        self.state, self.behind = OFF, []
        if len(local.watchers) == 1:
            set_mode_bits(mode_bits() & ~(WATCH | TAKE))
        if reason is not None:
            self.capture.broke(reason)

    # while following

    def unmatched(self, op, values):
        """An op that isn't the next one of any path: None, so that it runs (or the recorder takes it)."""
        if not runs_anyway(op, values):
            self.branch(op, values, mode_bits() | GRAD_OFF if mode_bits() & INFERENCE else mode_bits())
        return None

    def branch(self, op=None, values=(), bits=0):
        """Leave the known paths: what was matched runs for real, and what comes now is recorded."""
        outside = self.capture.why_not_grow(self.run.at, op, values, bits)
        self.materialise()
        ends = [e.reason for e in self.run.at.children if e.reason is not None and e.whole]
        if ends or outside is not None:
            self.passing = not ends
            self.stop_looking(ends[0] if ends else outside)
        else:
            self.record()

    def flush(self, why, ended=False, tensor=None, promise=None):
        """Run what was matched; ended: the function is done. tensor, promise: whose value is needed."""
        if not self.run.pending:
            return
        leaving = self.run.open_outputs()
        if leaving and not ended and peek(self.run, tensor, promise):
            return
        if leaving:
            why_not = self.let_out(leaving) if ended else f"{why}: a value is needed before backward"
            if why_not is not None:
                self.materialise()
                self.stop_looking(why_not)
            return
        if self.capture.replays is not None:
            self.run.constants = None if self.run.done is not self.capture.root or self.run.ahead is not None else [
                None if values is None else constants_in(values) for values in self.run.pending]
            self.run.promised = [None if t is None or t._owed is None else ref(t._owed) for t in self.run.outs]
        self.execute(None)

    def execute(self, node):
        bits = set_mode_bits(mode_bits() & ~(WATCH | TAKE))     # nobody looks on while the real work is done
        try:
            execute(self.run, node)
        finally:
            set_mode_bits(mode_bits() & ~(WATCH | TAKE) | bits & (WATCH | TAKE))

    def let_out(self, leaving):
        """Run what was matched, and let the outputs `leaving` go out with one node for the graph behind them. Gives
        the reason where that can't be.
        """
        run = self.run
        events = run.unrun()
        found = rehearsed(run, events, leaving, held_outputs(run, events))
        if type(found) is str:
            return found
        if found.written and found.overwrites(run.ext):
            return "a tensor that a gradient needs is written to"
        self.left = True
        self.execute(Leaving(found, run, self.capture))
        return None

    def materialise(self):
        """Run what was matched as it would have run without capture, its graph recorded."""
        run = self.run
        events = run.unrun()
        waiting, run.pending = run.pending, []
        run.done, run.ahead = run.at, None
        for event, values in zip(events, waiting, strict=True):
            if event.kind == RENAME or event.kind == WRITE:
                values[0]._memory_record.version -= 1       # it is written to now
        roots = {event.args[0].index for event in events if event.kind == BACKWARD}
        waiting.reverse()
        bits, before, values = mode_bits(), None, None
        try:
            for i, event in enumerate(events):
                if i:
                    self.let_go(events[i - 1], roots)
                values = waiting.pop()
                set_mode_bits(event.bits & ~MATCH & ~self.bits)
                if event.kind == BACKWARD:
                    self.backward_for_real(event)
                    continue
                if event.kind == WRITE:
                    if event.op is None:
                        write(*values)
                    else:
                        write_directly(event.op, values)
                    values[0]._memory_record.version += 1
                    continue
                if event.kind == RENAME:
                    t, made = values
                    keep_saved(before, made)
                    if before._form is not t._form:
                        run.saved.append((event.args[0].index, before))
                    store(t, made, event.before.op.name + "_")
                    continue
                if i + 1 < len(events) and events[i + 1].kind == RENAME:
                    t = values[0]
                    before = as_it_was(t)
                    values = swapped(values, t, before)
                made = event.op.compute(values)
                for k, real in enumerate(() if made is None else made if isinstance(made, tuple) else (made,)):
                    become(self.made(event.first + k), real)
                values = made = real = None
        finally:
            set_mode_bits(bits)

    def let_go(self, event, roots):
        """Forget what a step that ran was given, where nobody else holds it; roots: of backwards that come yet."""
        outs = self.run.outs
        for k in numbers_in(event.args, SLOT):
            t = outs[k]
            if t is not None and k not in roots and only_here(t):
                self.behind.append((t._made_by, ref(t._form), k))       # nodes may have saved the array
                outs[k] = None

    def made(self, k):
        """The tensor that was given out as output k: if it was written to since, it stands for a later one."""
        renamed = self.run.renamed
        while renamed is not None and k in renamed:
            k = renamed[k]
        return self.run.outs[k]

    def backward_for_real(self, event):
        """`backward()` as it is; the `.grad` tensors that were given out are filled."""
        run = self.run
        leaves = [run.ext[leaf] for leaf, _ in event.body.leaves]
        given = [self.made(event.first + k) for k in range(event.n_outs)]
        later = [leaf._grad for leaf in leaves]
        for leaf in leaves:
            leaf._grad = None
        root = run.outs[event.args[0].index]
        engine.backward([root], [first_grad(root, 0)], False, False, None, True)
        for leaf, promised, now in zip(leaves, given, later, strict=True):
            become(promised, leaf._grad)
            leaf._grad = now        # the program may have set another one since

    # what the seam tells

    def takes(self, op, values):
        return self.state is RECORDING and self.recorder.takes(op, values)

    def take(self, op, values, outputs, many):
        self.recorder.take(op, values, outputs, many)

    def joined(self, watcher):
        if watcher.sees_each:
            self.give_up("somebody looks on")

    def aliased(self, tensor):
        if self.state is FOLLOWING:
            self.run.share_record(tensor)

    def before(self, op, values):
        if self.state is RECORDING:
            self.recorder.before(op)

    def after(self, op, values, outputs):
        if self.state is RECORDING:
            self.recorder.after(op, values, outputs)
        elif self.capture.replays is not None:
            self.fresh += outputs

    def unchanged(self, op, values):
        if self.state is RECORDING:
            self.recorder.unchanged(op, values)

    def enter(self, op, values):
        self.give_up("a custom Function")

    def takes_inplace(self, op, x, args, kwargs):
        """`y.relu_()` of a tensor that the step made gives another value, which the tensor stands for from then on,
        where nobody else can see its memory.
        """
        if op.write is not None and x._owed is None and self.takes_filling(op, x, args, kwargs):
            return True
        if self.state is OFF or op.compose is not None or op.random >= 0 or op.reads or not is_alone(x):
            return False
        if self.state is FOLLOWING:
            if x._owed is None or x._owed.array is not None:
                return False
            bits = mode_bits() | GRAD_OFF if mode_bits() & INFERENCE else mode_bits()
            values = bind(op, (x, *args), kwargs)
            if self.run.rename(op, values, bits):
                return self.has_renamed(x)
            if self.is_seen_through(x):
                self.give_up("a tensor that shares memory with others was written to in place")
            else:
                self.branch(op, values, bits)
            check_writable(x, op.name + "_", op.fills)      # it has its history now
        if self.state is not RECORDING or not self.recorder.may_rename(x):
            return False
        return not self.recorder.rename(op, x, args, kwargs) or self.has_renamed(x)

    def takes_filling(self, op, x, args, kwargs):
        """`buffer.index_copy_(...)`, `buffer.zero_()`: an op that fills the memory of a tensor from outside."""
        values = [] if self.state is OFF else bind(op, (x, *args), kwargs)
        if self.state is OFF or op.random >= 0 or not may_fill(x, values):
            return False
        bits = mode_bits() | GRAD_OFF if mode_bits() & INFERENCE else mode_bits()
        if self.state is FOLLOWING:
            if self.run.follow_write(op, values, bits):
                return self.has_renamed(x)
            self.branch(op, values, bits)
        return self.state is RECORDING and len(local.watchers) == 1 and self.recorder.fill(op, values) \
            and self.has_renamed(x)

    def is_seen_through(self, x):
        """Whether a tensor that is owed is a view, or has views."""
        for k, t in enumerate(self.run.outs):
            if t is x:
                return is_seen_through(self.run.at, k)
        return True

    def has_renamed(self, x):
        """Tell that x has other values now."""
        bump(x)
        self.noted = x
        tell_wrote(x, x)
        return True

    def takes_write(self, target, result):
        if self.state is RECORDING:
            self.noted = target if self.recorder.write(target, result) else None
        elif self.state is FOLLOWING:
            for event in self.run.at.children:
                if event.kind == WRITE and event.bits == mode_bits() and self.run.fits_write(event, target, result) \
                        and not self.run.overlaps(target):
                    self.run.at, self.noted = event, target
                    if result is self.run.outs[event.args[1].index]:
                        self.run.uses[event.args[1].index] += 1
                    self.run.pending.append([target, result])
                    return True
        return False

    def wrote(self, target, result):
        if self.noted is not target:
            self.give_up("a tensor was written to in place")
        self.noted = None

    def assigned(self, tensor, what, value):
        if self.state is RECORDING:
            self.recorder.assigned(tensor, what, value)
        elif self.state is FOLLOWING and what != "grad":
            self.give_up(f"`.{what}` of a tensor was changed")

    def backward_before(self, node, grad):
        if self.state is RECORDING:
            self.recorder.backward_before(node)

    def writing(self, tensor):
        if self.state is RECORDING:
            self.recorder.work()
        elif self.state is FOLLOWING and self.run.pending:
            self.give_up("a tensor was written to in place")

    def inspected(self, tensor):
        if self.state is FOLLOWING:
            self.give_up("the graph behind a tensor was looked at")

    def handed_out(self, tensor):
        self.give_up("a tensor's memory was handed out")

    def drawing(self):
        self.drew = True
        self.read(None, "the state of a generator")

    def read(self, tensor, how):
        if self.state is RECORDING:
            self.recorder.work()
        elif self.state is FOLLOWING:
            self.flush(how, False, tensor, None if tensor is None else tensor._owed)

    def settle(self, promise):
        if self.state is RECORDING:
            self.recorder.settled()
        elif self.state is FOLLOWING:
            self.flush("a value", False, None, promise)

    def give_up(self, reason):
        """What can't be part of a path: the rest of this call runs as it is."""
        if self.state is FOLLOWING:
            self.materialise()
            self.stop_looking(reason)
        elif self.state is RECORDING:
            self.recorder.work()
            self.recorder.stop(reason, False)
            self.capture.broke(reason)
            self.state = OFF

    def takes_backward(self, root):
        if self.state is FOLLOWING:
            for event in self.run.at.children:
                if event.kind == BACKWARD and event.bits == mode_bits() and self.run.owes(event, root):
                    self.add_up(self.run.follow_backward(event))
                    return True
            self.branch()
        if self.state is RECORDING:
            self.add_up(self.recorder.backward(root))
            return True
        return False

    def add_up(self, before):
        """Leaves that had a gradient before a backward: what it gave is added to that one, in place."""
        bits = set_mode_bits(mode_bits() | GRAD_OFF)
        try:
            for leaf, grad in before:
                more, leaf._grad = leaf._grad, grad
                OPS.iadd(grad, more)
        finally:
            set_mode_bits(mode_bits() & ~GRAD_OFF | bits & GRAD_OFF)


def may_fill(x, values):
    """Whether a tensor from outside may be filled as a part of a path: no graph has to do with it, nobody else sees its
    memory as NumPy would.
    """
    if not is_plain(x) or x._made_by is not None or x._view_of is not None or x._on_meta or x._inference \
            or x._memory_record is not None and x._memory_record.outside:
        return False
    return bool(mode_bits() & GRAD_OFF) or not any([needs_grad(t) for t in tensors_in(values)])


def other_default():
    """What `int / int` gives is about to be another type: what was promised is kept, and the rest runs as it is."""
    if isinstance(local.taker, Session):
        local.taker.give_up("the default type is set to another one")


default.told.append(other_default)
