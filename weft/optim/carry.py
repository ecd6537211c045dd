"""What becomes of an optimizer's state when a parameter is replaced by one that came from it.

Tensors of the state that lie along the parameter's dimensions (moments, and Adafactor's rows and columns) are taken
over index by index: those of `maps` where it is known how the new parameter came from the old one, otherwise the first
ones. New indices hold what a new parameter's state holds (zeros; an optimizer's own starting values where it has such).
Step counts and other numbers are copied.
"""
import numpy as np

from weft.core.modes import no_grad
from weft.nn.edits import first_ones
from weft.tensor.tensor import Tensor, wrap


def compose(newer, older):
    """The maps of two changes in a row as one; None stands for no change at all."""
    if newer is None or older is None:
        return newer if older is None else older
    both = []
    for a, b in zip(newer, older):
        both.append(a if b is None else b if a is None else [b[i] if i >= 0 else -1 for i in a])
    return tuple(both)


def moved(value, maps, made):
    """The array `made` with what is left of `value` written into it."""
    if all(m is None for m in maps):
        made[...] = value
        return made
    there, here = [], []
    for m, size in zip(maps, made.shape):
        m = np.arange(size) if m is None else np.asarray(m, np.int64)
        there.append(np.flatnonzero(m >= 0))
        here.append(m[m >= 0])
    made[np.ix_(*there)] = value[np.ix_(*here)]
    return made


def carry(state, old, new, maps=None, fresh=None):
    """The state of a parameter for the one that replaces it; empty when they have nothing in common."""
    if old.dim() != new.dim() or old.dtype != new.dtype:
        return {}
    maps = first_ones(old.shape, new.shape) if maps is None else maps
    with no_grad():
        return {key: _carried(value, old, new, maps, (fresh or {}).get(key)) for key, value in state.items()}


def _carried(value, old, new, maps, fresh):
    if not isinstance(value, Tensor):
        return value
    if value.dim() == 0 or value.dim() != old.dim() or any(a not in (b, 1) for a, b in zip(value.shape, old.shape)):
        return value.clone()
    if isinstance(fresh, Tensor) and fresh.dim() == value.dim():
        made = fresh._array.copy()
    else:
        made = np.zeros([n if v == o else 1 for v, o, n in zip(value.shape, old.shape, new.shape)], value._form.dtype)
    # a dimension that the state doesn't have (size 1 on both sides) is left alone
    own = tuple(None if size == kept and size != o or m is None else m
                for m, size, kept, o in zip(maps, made.shape, value.shape, old.shape))
    if any(m is None and a != b for m, a, b in zip(own, made.shape, value.shape)):
        return wrap(made)
    return wrap(moved(value._array, own, made))


# states that lie along all parameters at once (LBFGS)

FLAT = ("d", "prev_flat_grad")
FLAT_LISTS = ("old_dirs", "old_stps")


def carry_flat(state, before, after, origin):
    """The state of vectors over the parameters `before`, for the parameters `after`.

    `origin(p)` gives (old parameter, maps) of one that was not there before, or None for a clean one.
    """
    def rebuilt(vector):
        pieces, at = {}, 0
        for p in before:
            n = p.numel() * (2 if p.is_complex() else 1)
            pieces[id(p)] = vector[at:at + n]
            at += n
        return wrap(np.concatenate([_piece(p, pieces, origin, vector.dtype) for p in after]))

    made = dict(state)
    for key in FLAT:
        if isinstance(state.get(key), Tensor):
            made[key] = rebuilt(state[key]._array)
    for key in FLAT_LISTS:
        if key in state:
            made[key] = [rebuilt(v._array) for v in state[key]]
    if made.get("old_dirs") is not None and sorted(map(id, before)) != sorted(map(id, after)):
        _curvature(made)
    return made


def _piece(p, pieces, origin, kind):
    """The part of a flat vector that belongs to one parameter."""
    if id(p) in pieces:
        return pieces[id(p)]
    shape = tuple(p.shape) + ((2,) if p.is_complex() else ())
    made, found = np.zeros(shape, kind), origin(p)
    if found is not None and id(found[0]) in pieces:
        old, maps = found
        value = pieces[id(old)].reshape(tuple(old.shape) + ((2,) if old.is_complex() else ()))
        if value.ndim == made.ndim:
            maps = first_ones(old.shape, p.shape) if maps is None else maps
            moved(value, maps + ((None,) if p.is_complex() else ()), made)
    return made.reshape(-1)


def _curvature(state):
    """Recompute what follows from the kept pairs of steps and gradients; pairs that lost their curvature are dropped.
    """
    tensors = any(isinstance(r, Tensor) for r in state.get("ro", ()))

    def number(value):
        return value if tensors else value.item()
    kept = [(y, s, number(y.dot(s))) for y, s in zip(state["old_dirs"], state["old_stps"])]
    kept = [(y, s, ys) for y, s, ys in kept if ys > 1e-10]
    state["old_dirs"], state["old_stps"] = [y for y, _, _ in kept], [s for _, s, _ in kept]
    state["ro"] = [1.0 / ys for _, _, ys in kept]
    state["H_diag"] = kept[-1][2] / number(kept[-1][0].dot(kept[-1][0])) if kept else 1
