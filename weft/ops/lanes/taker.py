"""`vmap`'s taker: a tensor inside the function has one example's shape, and behind it stands the whole batch.

Every op that is given such a tensor is answered by its batch rule (`rules.py`), which runs on the whole batch outside,
where the next `vmap`, the profiler and the graph of the caller see it. The graph that is recorded inside, on one
example's shapes, serves `grad` and the like inside the function: the rules of a backward are ops, too. An op without a
rule runs once for each example. What needs a value (a branch, `item`) can't be answered for all at once: `NeedsLoop`.
"""
from weft.core.modes import AUTOCAST, FUNCTION, GRAD_OFF, MATCH, TAKE, WATCH, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Promise, Taker
from weft.core.spec import Spec
from weft.ops.core.promotion import promote
from weft.ops.lanes.rules import Call, Unruled, rule_of
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, detached, without_values

SEAM = WATCH | TAKE | MATCH


class NeedsLoop(BaseException):
    """A function read the value of one example: it has to run for each of them. No `except Exception` catches it."""

    def __init__(self, owner):
        self.owner = owner


class Lane(Promise):
    """The whole batch that one example's tensor stands for: `tensor`, with the examples as its first dimension, or the
    same for all of them (`batched` False).
    """

    __slots__ = ("tensor", "batched")
    readable = False

    def __init__(self, owner, tensor, batched):
        self.owner, self.array = owner, None
        self.tensor, self.batched = tensor, batched


class Outside:
    """The state of the thread around a vmap: who looks on, who answers, whether a graph is recorded."""

    def __init__(self, lanes):
        self.lanes = lanes

    def __enter__(self):
        lanes, bits = self.lanes, mode_bits()
        # a backward inside switches recording off for its own graph, not for the one outside
        off = lanes.bits_before & GRAD_OFF or (bits & GRAD_OFF if local.run is lanes.run_before else 0)
        self.inside = bits, local.taker, local.watchers
        local.taker, local.watchers = lanes.taker_before, lanes.watchers_before
        set_mode_bits(bits & ~(SEAM | GRAD_OFF | AUTOCAST | FUNCTION) | lanes.bits_before & SEAM | off)

    def __exit__(self, *exc):
        bits, local.taker, local.watchers = self.inside
        set_mode_bits(bits)


class Lanes(Taker):
    """A batch of `size` examples; `with` holds while the function runs."""

    def __init__(self, size, randomness):
        self.size, self.randomness = size, randomness

    def start(self):
        self.bits_before, self.run_before = mode_bits(), local.run
        self.taker_before, self.watchers_before = local.taker, local.watchers
        local.taker, local.watchers = self, [self]
        set_mode_bits(self.bits_before & ~MATCH | WATCH | TAKE)
        return self

    def stop(self):
        local.taker, local.watchers = self.taker_before, self.watchers_before
        set_mode_bits(mode_bits() & ~SEAM | self.bits_before & SEAM)

    # tensors in and out

    def lane(self, tensor, dim):
        """One example's tensor, for a batch that has the examples along `dim`."""
        whole = tensor if dim % tensor.dim() == 0 else FUNCTIONS["movedim"](tensor, dim, 0)
        return self._logical(whole, True)

    def _logical(self, whole, batched):
        form = whole._form
        return without_values(Spec(form.shape[1:] if batched else form.shape, form.dtype), Lane(self, whole, batched))

    def lifted(self, tensor):
        """A tensor from outside as one of the function's own, so that a graph which is recorded inside ends there."""
        owed = tensor._owed
        inside = type(owed) is Lane and owed.owner is self
        return tensor if inside else self._logical(tensor, False)

    def whole(self, tensor):
        """(the batch behind a tensor, whether it differs between the examples)."""
        owed = tensor._owed
        if owed is not None and type(owed) is Lane and owed.owner is self:
            return owed.tensor, owed.batched
        return tensor, False

    def alias(self, tensor):
        """Another one for the same examples, without the history that was recorded inside."""
        return detached(tensor)

    def detach(self, tensor):
        """The same without the history outside, too."""
        whole, batched = self.whole(tensor)
        with Outside(self):
            whole = whole.detach()
        return self._logical(whole, batched)

    # the seam

    def takes(self, op, values):
        if op.random >= 0:
            return True
        return any(_is_lane(v) or isinstance(v, (list, tuple)) and any(map(_is_lane, v)) for v in values)

    def take(self, op, values, outputs, many):
        with Outside(self):
            found = self._answer(op, values, outputs)
        for out, (whole, batched) in zip(outputs, found, strict=True):
            out._owed.tensor, out._owed.batched = whole, batched

    def promise(self):
        return Lane(self, None, False)

    def _answer(self, op, values, outputs):
        call = Call(self.size, op, values, outputs, self.whole)
        if op.random >= 0:
            return self._random(call)
        if not call.any_batched:
            return [(t, False) for t in call.run(call.values)]
        if any(values[i] is not None for i in op.writes):
            raise NeedsLoop(self)
        self._promote(call)
        rule = rule_of(op)
        try:
            made = call.run_each() if rule is None else rule(call)
        except Unruled:
            made = call.run_each()
        return [(call.fitted(t, out), True) for t, out in zip(made, outputs, strict=True)]

    def _promote(self, call):
        """A zero-dim tensor yields to others in type promotion, but the vector of all examples' ones would not."""
        op, given = call.op, call.given
        if op.promotion is None or not any(call.batched[i] is True and not given[i]._form.ndim for i in op.promoted):
            return
        ready = promote(op, given)
        for i in op.promoted:
            if isinstance(given[i], Tensor) and ready[i]._form.dtype != given[i]._form.dtype:
                call.values[i] = call.values[i].to(ready[i].dtype)

    def _random(self, call):
        if self.randomness == "error":
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                               "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
                               "of vmap")
        if self.randomness == "same":
            if not call.any_batched:
                return [(t, False) for t in call.run(call.values)]
            made = call.run_each(same_numbers=True)
        else:
            made = call.draw()
        return [(call.fitted(t, out), True) for t, out in zip(made, call.outputs, strict=True)]

    def takes_write(self, target, result):
        whole, batched = self.whole(target)
        values, differ = self.whole(result)
        if target._owed is None and result._owed is None:
            return False
        if differ and not batched:
            raise RuntimeError("vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a "
                               "Tensor `other` in extra_args that has more elements than `self`: it differs between "
                               "the examples, and `self` is the same for all of them.\n  fix: use the form without _, "
                               "or make `self` from a batched tensor, for example with new_zeros")
        with Outside(self):
            whole.copy_(values)
        return True

    def enter(self, op, values):
        """A custom Function: its own backward counts, which the graph outside would pass by."""
        wholes = [self.whole(v)[0] for v in values if isinstance(v, Tensor)]
        if not self.bits_before & GRAD_OFF and any(t.requires_grad for t in wholes):
            raise NeedsLoop(self)

    def settle(self, promise):
        raise NeedsLoop(self)


def _is_lane(value):
    return isinstance(value, Tensor) and value._owed is not None and not value._owed.readable
