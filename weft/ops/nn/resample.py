# compiled, -Og
"""Padding and interpolation along one axis at a time: each result is a weighted sum of a few elements, and so is the
way back.
"""
import functools
from functools import partial

import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.registry import NOGRAD, op
from weft.ops.core.samples import ints
from weft.ops.index.arrays import contiguous
from weft.ops.nn.images import images, inner_channels, laid_out
from weft.ops.shape.flip import constant_pad_nd


class Mixing:
    """A sparse matrix for one axis: result o is the sum of weights * x[indices] over the entries starts[o] .. starts[o
    + 1].
    """

    def __init__(self, starts, indices, weights, length):
        self.starts, self.indices, self.weights = starts, indices, weights      # weights None: all are 1
        self.length = length        # of the axis before
        self._turned = None
        self._typed = {}
        self._whole = None

    def __eq__(self, other):
        return self is other or type(other) is Mixing and self.length == other.length and all(
            [(a is None) == (b is None) and np.array_equal(a, b) for a, b in
             ((self.starts, other.starts), (self.indices, other.indices), (self.weights, other.weights))])

    __hash__ = None

    @property
    def size(self):
        return len(self.starts) - 1

    def typed(self, dtype):
        """The weights in a type, made once."""
        if self.weights is None:
            return None
        found = self._typed.get(dtype)
        if found is None:
            found = self._typed[dtype] = self.weights.astype(dtype)
        return found

    def whole(self):
        """(bits, the same mixing with its weights times 2**bits as whole numbers of 16 bits); made once."""
        if self._whole is None:
            rows = np.repeat(np.arange(self.size), np.diff(self.starts))
            places, entry = np.unique(rows * self.length + self.indices, return_inverse=True)
            weights = np.bincount(entry, self.weights, len(places))         # one for each element that a row takes
            greatest = float(np.abs(weights).max(initial=0))
            bits = next((b for b in range(22) if int(0.5 + greatest * 2.0 ** (b + 1)) >= 1 << 15), 22)
            scaled = weights * 2.0 ** bits
            starts = np.searchsorted(places, np.arange(self.size + 1) * self.length)
            self._whole = bits, Mixing(starts, places % self.length, np.trunc(scaled + np.copysign(0.5, scaled)),
                                       self.length)
        return self._whole

    def turned(self):
        """The transposed matrix, which the gradients go through; made once."""
        if self._turned is None:
            rows = np.repeat(np.arange(self.size), np.diff(self.starts))
            order = np.argsort(self.indices, kind="stable")
            starts = np.concatenate(([0], np.cumsum(np.bincount(self.indices, minlength=self.length))))
            self._turned = Mixing(starts, rows[order], self.weights if self.weights is None else self.weights[order],
                                  self.size)
            self._turned._turned = self
        return self._turned

    def columns(self):
        """(indices, weights) of every row's first entry, then of every second one, ...; rows that are shorter have
        weight 0.
        """
        counts = np.diff(self.starts)
        for k in range(counts.max(initial=0)):
            there = counts > k
            at = np.where(there, self.starts[:-1] + k, 0)
            yield self.indices[at], np.where(there, 1.0 if self.weights is None else self.weights[at], 0.0)


class Later(Mixing):
    """A mixing that is worked out when its numbers are first asked for: tensors without values never do."""

    def __init__(self, make, size, length):
        self._make, self._size, self.length, self._made = make, size, length, None

    @property
    def size(self):
        return self._size

    def made(self):
        """The mixing itself."""
        if self._made is None:
            self._made = self._make()
        return self._made

    starts = property(lambda self: self.made().starts)
    indices = property(lambda self: self.made().indices)
    weights = property(lambda self: self.made().weights)

    def typed(self, dtype):
        return self.made().typed(dtype)

    def whole(self):
        return self.made().whole()

    def turned(self):
        return Later(lambda: self.made().turned(), self.length, self._size)


def picking(indices, length):
    """The mixing that takes elements as they are."""
    return Mixing(np.arange(len(indices) + 1), np.asarray(indices, np.int64), None, length)


def mixing(indices, weights, length):
    """The mixing whose rows all have as many entries: both of shape (size, entries)."""
    size, each = indices.shape
    return Mixing(np.arange(size + 1) * each, np.ascontiguousarray(indices.reshape(-1), np.int64),
                  np.ascontiguousarray(weights.reshape(-1)), length)


@op
class _mix_axis:
    """x with each element along `axis` replaced by weighted sums of elements along it; its gradient is the transposed
    mixing.
    """
    method, node_name = False, "MixAxisBackward0"

    def forward(x, axis, mix):
        if x.flags.c_contiguous:
            found = fast.mix_axis(x, axis, mix.starts, mix.indices, mix.typed(x.dtype))
            return contiguous(_mixed(x, axis, mix)) if found is None else found
        last = inner_channels(x)
        if last is not None and axis >= 2:
            found = fast.mix_axis(last, axis - 1, mix.starts, mix.indices, mix.typed(x.dtype))
            if found is not None:
                return np.moveaxis(found, -1, 1)
        found = fast.mix_axis(contiguous(x), axis, mix.starts, mix.indices, mix.typed(x.dtype))
        return laid_out(_mixed(x, axis, mix) if found is None else found, x)

    def shape(x, axis, mix):
        return images((*x.shape[:axis], mix.size, *x.shape[axis + 1:]), x.dtype, x)

    def grad_x(g, axis, mix):
        return MIX.compute([g, axis, mix.turned()])
    samples = [((2, 3, 4), 1, mixing(np.array([[0, 1], [1, 2]]), np.array([[0.3, 0.7], [0.5, 0.5]]), 3)),
               ((1, 2, 3, 2), 2, picking([2, 0, 0, 1], 3))]


def _mixed(x, axis, mix):
    """The NumPy reference."""
    if mix.weights is None and len(mix.indices) == mix.size and (np.diff(mix.starts) == 1).all():
        return np.take(x, mix.indices, axis=axis)
    shape = [1] * x.ndim
    shape[axis] = mix.size
    made = np.zeros((*x.shape[:axis], mix.size, *x.shape[axis + 1:]), x.dtype)
    with np.errstate(all="ignore"):
        for indices, weights in mix.columns() if x.size else ():
            there = weights != 0
            part = np.take(x, indices, axis=axis) * weights.astype(x.dtype).reshape(shape)
            made += part if there.all() else np.where(there.reshape(shape), part, 0)
    return made


@op
class _mix_bytes:
    """_mix_axis for bytes, in whole numbers: weights of 16 bits, and each axis rounded to bytes by itself."""
    method, tags = False, NOGRAD

    def forward(x, axis, mix):
        bits, mix = mix.whole()
        shape = [1] * x.ndim
        shape[axis] = mix.size
        total = np.full((*x.shape[:axis], mix.size, *x.shape[axis + 1:]), 1 << bits - 1, np.int32)
        for indices, weights in mix.columns():
            total += np.take(x, indices, axis=axis) * weights.astype(np.int32).reshape(shape)
        return laid_out(np.clip(total >> bits, 0, 255).astype(np.uint8), x)

    def shape(x, axis, mix):
        return images((*x.shape[:axis], mix.size, *x.shape[axis + 1:]), x.dtype, x)
    samples = [(ints(2, 3, 4, below=256, dtype="uint8"), 1,
                mixing(np.array([[0, 1], [1, 2]]), np.array([[0.3, 0.7], [0.5, 0.5]]), 3))]


MIX, MIX_BYTES = _mix_axis.op, _mix_bytes.op


def mix_axis(x, axis, mix):
    return MIX.compute([x, axis, mix])


# padding

@functools.lru_cache(256)
def _padded(mode, n, before, after):
    """The mixing that continues an axis beyond its ends, or cuts it (negative numbers)."""
    places = np.arange(-before, n + after)
    if mode == "replicate":
        places = np.clip(places, 0, n - 1)
    elif mode == "reflect":
        places = np.abs(places)
        places = np.where(places >= n, 2 * (n - 1) - places, places)
    else:       # what is left of it after cutting goes round
        kept = np.arange(max(0, -before), n - max(0, -after))
        places = kept[np.arange(-max(before, 0), len(kept) + max(after, 0)) % max(1, len(kept))]
    return picking(places, n)


def _check_pad(x, pad, mode):
    shape, k = x._form.shape, len(pad) // 2
    if mode not in ("reflect", "replicate", "circular"):
        fail(NotImplementedError, f"Unrecognised padding mode {mode}", "use constant, reflect, replicate or circular")
    if len(pad) % 2:
        fail(RuntimeError, f"Padding length must be divisible by 2, got {len(pad)} numbers",
             "give pairs: (before, after)")
    if not (1 <= k <= 3 and len(shape) in (k + 1, k + 2)):
        fail(NotImplementedError, f"Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: mode "
             f"{mode} with {k} pairs does not take an input of {len(shape)} dimensions",
             "pad the last one, two or three dimensions of (samples, channels, ...) or (channels, ...)")
    for i in range(k):
        n, before, after = shape[-1 - i], pad[2 * i], pad[2 * i + 1]
        most = n - 1 if mode == "reflect" else n if mode == "circular" else max(before, after)
        if max(before, after) > most:
            limit = "less than" if mode == "reflect" else "at most"
            fail(RuntimeError, f"Padding size should be {limit} the corresponding input dimension, but got: padding "
                 f"({before}, {after}) at dimension {len(shape) - 1 - i} of input {list(shape)}",
                 f"{mode} takes padding up to {most} here")
        if n + before + after < (1 if mode != "circular" else 0) or n == 0:
            fail(RuntimeError, f"input (size: {list(shape)}) and padding ({before}, {after}) give an empty output at "
                 f"dimension {len(shape) - 1 - i}",
                 "cut less")


@op
class _pad:
    """A margin around the last dimensions: constant, or a continuation by reflection, repetition of the border, or from
    the other end.
    """
    names, method = "nn.functional.pad", False

    def autocast(input, pad, mode="constant", value=None):
        return "float32" if mode == "replicate" or mode == "reflect" and len(pad) < 6 else None

    def compose(input, pad, mode="constant", value=None):
        if mode == "constant":
            return constant_pad_nd(input, pad, 0 if value is None else value)
        if value is not None and value != 0:
            fail(ValueError, f'Padding mode "{mode}" doesn\'t take in value argument', "leave value out")
        pad = [int(p) for p in pad]
        _check_pad(input, pad, mode)
        axis = input._form.ndim - 1
        for i in range(0, len(pad), 2):
            before, after = pad[i], pad[i + 1]
            if before or after:
                n = input._form.shape[axis]
                if input._on_meta:
                    table = Later(partial(_padded, mode, n, before, after), n + before + after, n)
                else:
                    table = _padded(mode, n, before, after)
                input = MIX.compute([input, axis, table])
            axis -= 1
        return input if any(pad) else input.clone()
    samples = [((1, 2, 4), [1, 2], "reflect"), ((1, 2, 4), [1, 2], "replicate"), ((1, 2, 4), [1, 2], "circular")]
