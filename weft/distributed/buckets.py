"""Gradients of several parameters in one flat array, which travels as one message."""
import sys

import numpy as np

from weft.distributed.reduce_op import ReduceOp, reduction
from weft.tensor.tensor import wrap

ALIGN = 16      # elements: where a parameter's gradient begins


class Bucket:
    """Some parameters of one type, in the order in which their gradients come; an array with a place for each.

    Behind them stands a number for each parameter, more than 0 when it was used: the sum tells all ranks whether
    anybody used it.
    """

    def __init__(self, index, params):
        self.index, self.params = index, params
        self.starts, end = [], 0
        for p in params:
            self.starts.append(end)
            end += -(-p.numel() // ALIGN) * ALIGN
        self.size, self.dtype = end, params[0]._form.dtype
        self.flat = self.work = None
        self.missing = set(range(len(params)))

    def prepare(self):
        """A fresh array: the last one's places are the gradients that the user holds."""
        self.flat = np.zeros(self.size + len(self.params), self.dtype)
        self.missing = set(range(len(self.params)))

    def slot(self, i):
        p, start = self.params[i], self.starts[i]
        return self.flat[start:start + p.numel()].reshape(p._form.shape)

    def put(self, i, grad, scale, used):
        """Copy a gradient to its place, and note whether the parameter was used."""
        if self.flat is None:
            self.prepare()
        if grad is not None:
            slot, array = self.slot(i), grad._array
            if scale == 1:
                slot[...] = array
            else:
                np.multiply(array, array.dtype.type(scale), out=slot)
        self.flat[self.size + i] = used
        self.missing.discard(i)

    def keep(self, values=None):
        """Give every parameter that somebody used its gradient."""
        flags = self.flat[self.size:]
        if values is not None:
            self.flat[:self.size] = values
        for i, p in enumerate(self.params):
            if flags[i] > 0:
                give(p, self.slot(i))
        self.flat = self.work = None


def give(p, values):
    """Set p.grad, in place where somebody else holds it or it is laid out otherwise."""
    if p._grad is None or sys.getrefcount(p._grad) <= HELD and p._grad._form.flags.c_contiguous:
        p.grad = wrap(values)
    else:
        p._grad.copy_(wrap(values))


class _Holder:
    grad = None


def _held_by_one():
    """What sys.getrefcount says of an object that only an attribute holds."""
    holder = _Holder()
    holder.grad = object()
    return sys.getrefcount(holder.grad)


HELD = _held_by_one()


def divide(params, first_cap, cap):
    """Parameters in buckets of one type and at most so many bytes each, in their order; the first one is small, so that
    the exchange begins early.
    """
    buckets, open_ones = [], {}
    for p in params:
        dtype = p._form.dtype
        members, size, limit = open_ones.get(dtype, ([], 0, first_cap))
        members.append(p)
        size += p.numel() * dtype.itemsize
        if size >= limit:
            buckets.append(members)
            open_ones[dtype] = ([], 0, cap)
        else:
            open_ones[dtype] = (members, size, limit)
    buckets += [members for members, _, _ in open_ones.values() if members]
    return [Bucket(i, members) for i, members in enumerate(buckets)]


def total(dtype, size):
    return reduction(ReduceOp.SUM, dtype, size)
