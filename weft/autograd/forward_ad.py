"""Forward-mode differentiation: tensors that carry a tangent, which every op passes on while a level is open.

    with dual_level():
        y = f(make_dual(x, tangent))
        value, derivative = unpack_dual(y)

The derivative of an op in the direction of its inputs' tangents comes from its backward rules, which are linear in the
gradient that they are given: differentiated by it, they give the product the other way round. A view's tangent is the
same view of the tangent, and a write in place writes the tangent, too, so that both stay in step.
"""
from typing import NamedTuple

import numpy as np

from weft.autograd.api import grad
from weft.core.errors import fail
from weft.core.modes import GRAD_OFF, TAKE, WATCH, enable_grad, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Taker, tell_joined
from weft.tensor.tensor import Tensor, detached, replay

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, None where it has none.

    >>> import weft
    >>> weft.autograd.forward_ad.UnpackedDualTensor(weft.ones(1), None).tangent is None
    True
    """

    primal: Tensor
    tangent: Tensor | None


# levels

def _level():
    """This thread's open level, or None."""
    return next((w for w in local.watchers if isinstance(w, Level)), None)


def __getattr__(name):
    """`_current_level`, which packages ask for: 0 inside a level, -1 outside."""
    if name == "_current_level":
        return -1 if _level() is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def enter_dual_level():
    """Open a level; it comes back as a number for exit_dual_level.

    >>> import weft.autograd.forward_ad as fwAD
    >>> level = fwAD.enter_dual_level()
    >>> fwAD.exit_dual_level(level=level)
    """
    if _level() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    Level().start()
    return 0


def exit_dual_level(*, level=None):
    """Close the level: tensors have no tangents after it.

    >>> import weft.autograd.forward_ad as fwAD
    >>> fwAD.exit_dual_level(level=fwAD.enter_dual_level())
    """
    found = _level()
    if found is None or level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created: there is "
                           "no open level" if found is None else
                           f"Trying to exit a forward AD level that was not the last one that was created: {level}")
    found.stop()


class dual_level:
    """`with dual_level():` opens a level and closes it.

    >>> import weft, weft.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     y = fwAD.make_dual(weft.tensor(3.), weft.tensor(1.)) ** 2
    ...     fwAD.unpack_dual(y).tangent
    tensor(6.)
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, exc_type, exc_value, traceback):
        exit_dual_level(level=0)


def make_dual(tensor, tangent, *, level=None):
    """A view of a tensor that carries a tangent of the same shape and type.

    >>> import weft, weft.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     fwAD.unpack_dual(fwAD.make_dual(weft.ones(2), weft.zeros(2)))
    UnpackedDualTensor(primal=tensor([1., 1.]), tangent=tensor([0., 0.]))
    """
    found = _need_level(level, "make_dual")
    for value, name in ((tensor, "primal"), (tangent, "tangent")):
        if not isinstance(value, Tensor):
            raise TypeError(f"make_dual: the {name} must be a tensor, not {type(value).__name__}")
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype}")
    if tensor.shape != tangent.shape:
        fail(RuntimeError, f"Expected tensor and tangent to have the same shape, got {list(tensor.shape)} and "
             f"{list(tangent.shape)}", "the tangent is a direction in the space of the tensor")
    if tensor.dtype != tangent.dtype:
        fail(RuntimeError, f"Expected tensor and tangent to have the same type, got {tensor.dtype} and "
             f"{tangent.dtype}", f"convert the tangent to {tensor.dtype}")
    with found.paused():
        made = tensor.view_as(tensor)
    found.give(made, tangent)
    return made


def unpack_dual(tensor, *, level=None):
    """(a view of the tensor without tangent, its tangent or None).

    >>> import weft, weft.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     fwAD.unpack_dual(weft.ones(1)).tangent is None
    True
    """
    found = _level()
    if found is None:
        return UnpackedDualTensor(tensor, None)
    with found.paused():
        return UnpackedDualTensor(tensor.view_as(tensor), found.tangent(tensor))


def _need_level(level, who):
    found = _level()
    if found is None or level not in (None, 0):
        fail(RuntimeError, "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
             "enter_dual_level() first.", f"call {who} inside `with dual_level():`")
    return found


# what ops do

class _Paused:
    """A scope in which a level is told of nothing; others are."""

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        self.before = local.watchers, local.taker, mode_bits() & (WATCH | TAKE)
        local.watchers = [w for w in local.watchers if w is not self.level]
        if local.taker is self.level:
            local.taker = None
        bits = mode_bits() & ~(WATCH | TAKE)
        bits |= WATCH if local.watchers else 0
        set_mode_bits(bits | TAKE if local.taker is not None else bits)

    def __exit__(self, *exc):
        local.watchers, local.taker, seam = self.before
        set_mode_bits(mode_bits() & ~(WATCH | TAKE) | seam)


class Level(Taker):
    """Gives every op's outputs their tangents. It takes no op; as a taker it sees every write before it is done."""

    def __init__(self):
        self.inside = 0         # how many custom Functions are running, whose own jvp counts

    def start(self):
        tell_joined(self)
        self._is_taker = local.taker is None
        self._taker_before = local.taker
        if self._is_taker:
            local.taker = self
        local.watchers = [*local.watchers, self]
        set_mode_bits(mode_bits() | WATCH | TAKE)
        return self

    def stop(self):
        local.watchers = [w for w in local.watchers if w is not self]
        if self._is_taker:
            local.taker = None
        bits = mode_bits() & ~(WATCH | TAKE)
        bits |= WATCH if local.watchers else 0
        set_mode_bits(bits | TAKE if local.taker is not None else bits)

    def paused(self):
        return _Paused(self)

    def tangent(self, tensor):
        """The tangent of a tensor at this level, or None."""
        level, found = (tensor._seldom or {}).get("tangent", (None, None))
        return found if level is self else None

    def give(self, tensor, tangent):
        if tensor._seldom is None:
            tensor._seldom = {}
        tensor._seldom["tangent"] = self, tangent

    # the seam

    def enter(self, op, values):
        self.inside += 1

    def leave(self, op):
        self.inside -= 1

    def after(self, op, values, outputs):
        if self.inside or not hasattr(op, "compute"):
            return
        tangents = [self._of(v) for v in values]
        if not any(t is not None for t in tangents):
            for out in outputs:
                if self.tangent(out) is not None:       # written with what has none
                    with self.paused():
                        self.tangent(out).zero_()
            return
        with self.paused():
            found = _pushed(op, values, tangents, outputs)
        for out, tangent in zip(outputs, found):
            if tangent is not None and (op.is_view or op.maybe_view):
                self.give(out, tangent)
            elif tangent is not None:
                self._put(out, tangent)

    def _of(self, value):
        """The tangent of a value; of a list a list, None if none of it has one."""
        if isinstance(value, Tensor):
            return self.tangent(value)
        if isinstance(value, (list, tuple)):
            found = [self.tangent(v) if isinstance(v, Tensor) else None for v in value]
            return found if any(t is not None for t in found) else None
        return None

    def _put(self, tensor, tangent):
        """Give a tangent, or write it over the one that is there, so that views follow."""
        if self.tangent(tensor) is None and tensor._view_of is None:
            self.give(tensor, tangent)
            return
        with self.paused():
            self._own(tensor).copy_(tangent)

    def _own(self, tensor):
        """The tangent of a tensor that is written to, of zeros until now if it had none: a view's is one of its base's.
        """
        if self.tangent(tensor) is None and tensor._view_of is not None:
            base = tensor._view_of.base()
            if self.tangent(base) is None:
                self.give(base, base.detach().zeros_like())
            self.give(tensor, replay(tensor._view_of.chain(), self.tangent(base)))
        elif self.tangent(tensor) is None:
            self.give(tensor, tensor.detach().zeros_like())
        return self.tangent(tensor)

    def wrote(self, target, result):
        if target is result:
            return
        tangent = self.tangent(result)
        if tangent is None and self.tangent(target) is None:
            return
        with self.paused():
            own = self._own(target)
            own.copy_(tangent) if tangent is not None else own.zero_()

    def applied(self, function, ctx, args, outputs):
        """A custom Function ran: its jvp gives the tangents."""
        tangents = [self._of(a) for a in args]
        if not any(t is not None for t in tangents):
            return
        with self.paused():
            found = function.jvp(ctx, *tangents)
        for out, tangent in zip(outputs, found if isinstance(found, tuple) else (found,)):
            if tangent is not None:
                self.give(out, tangent)


def _pushed(op, values, tangents, outputs):
    """The tangents of an op's outputs: None for those that have no derivative."""
    if (op.is_view or op.maybe_view) and isinstance(tangents[0], Tensor):
        made = op.compute([tangents[0], *values[1:]])
        return list(made) if isinstance(made, (tuple, list)) else [made]
    if not op.differentiable:
        return [None] * len(outputs)
    keep = not mode_bits() & GRAD_OFF
    with enable_grad():
        own, inputs, given = [], [], []
        for value, tangent in zip(values, tangents):
            if isinstance(value, Tensor):
                own.append(_own(value) if tangent is not None else value)
                if tangent is not None:
                    inputs.append(own[-1])
                    given.append(tangent)
            elif tangent is not None:
                made = [_own(v) if t is not None else v for v, t in zip(value, tangent)]
                own.append(made)
                inputs += [m for m, t in zip(made, tangent) if t is not None]
                given += [t for t in tangent if t is not None]
            else:
                own.append(value)
        made = op.compute(own)
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        return [_product(out, inputs, given, keep) if out.requires_grad else None for out in made]


def _own(tensor):
    return tensor.view_as(tensor) if tensor.requires_grad else detached(tensor).requires_grad_()


def _product(out, inputs, tangents, keep):
    """The derivative of one output along the tangents: its backward is linear in `weights`."""
    weights = detached(out).zeros_like().requires_grad_()
    back = grad(out, inputs, weights, create_graph=True, allow_unused=True)
    pairs = [(b, t.conj() if t.is_complex() else t) for b, t in zip(back, tangents)
             if b is not None and b.requires_grad]
    if not pairs:
        return detached(weights).zeros_like()
    keep = keep and (any(x.grad_fn is not None for x in inputs) or any(t.requires_grad for t in tangents))
    found, = grad([b for b, _ in pairs], [weights], [t for _, t in pairs], create_graph=keep, allow_unused=True)
    if found is None:
        return detached(weights).zeros_like()
    if any(np.may_share_memory(found._form, t._form) for t in tangents):
        found = found.clone()       # each tensor that can be written to has a tangent of its own
    return found.conj_physical() if found.is_complex() else found
