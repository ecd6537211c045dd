"""Batches on their way from a worker process: large arrays through shared memory, everything else pickled."""
import copyreg
import io
import pickle

import numpy as np

from weft.tensor.tensor import Tensor, wrap

SMALL = 1 << 14         # bytes of an array from which shared memory is cheaper than the pipe
DATA, END, ERROR = 0, 1, 2


def tensor_from(array, axes=None, dtype=None):
    """A tensor from what reduce_tensor kept."""
    if dtype is not None:
        array = array.view(dtype)
    return wrap(array if axes is None else array.transpose(axes))


def reduce_tensor(t):
    """A tensor as its array, in the order of its memory so that the array need not be copied; histories can't travel.
    """
    if not t.is_leaf:
        raise RuntimeError("a tensor that was computed from parameters cannot leave a worker process: its graph would "
                           "stay behind\n  fix: detach() it before it is returned from the dataset or the collate_fn")
    if t._wants_grad or t._on_meta or t.__dict__:
        return t.__reduce_ex__(5)
    array, axes = t._array, None
    if not array.flags.c_contiguous:
        order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
        ordered = array.transpose(order)
        if ordered.flags.c_contiguous:
            array, axes = ordered, tuple(np.argsort(order).tolist())
        else:
            array = np.ascontiguousarray(array)
    if array.dtype.kind == "V" or not array.dtype.isbuiltin:    # bfloat16 and its like
        return tensor_from, (array.view(f"u{array.itemsize}"), axes, array.dtype)
    return (tensor_from, (array,)) if axes is None else (tensor_from, (array, axes))


def process_reducers():
    """How things are pickled that can go to another process only."""
    from multiprocessing.reduction import ForkingPickler  # heavy, only with workers
    return {**copyreg.dispatch_table, **getattr(ForkingPickler, "_extra_reducers", {})}


class Outbox:
    """Encodes messages in a worker; `blocks` is None without shared memory."""

    def __init__(self, blocks):
        self.blocks, self.reducers = blocks, {**process_reducers(), Tensor: reduce_tensor}

    def encode(self, token, number, kind, data, rng=None, place=None):
        """The bytes of a message; `token` tells the epoch, `number` the task."""
        placed = []

        def keep_inside(buffer):
            raw = buffer.raw()
            offset = None if raw.nbytes < SMALL or self.blocks is None else self.blocks.put(raw)
            if offset is None:
                return True
            placed.append((offset, raw.nbytes))
            return False
        file = io.BytesIO()
        pickler = pickle.Pickler(file, 5, buffer_callback=keep_inside)
        pickler.dispatch_table = self.reducers
        try:
            pickler.dump((data, place))
        except BaseException:
            if placed:
                self.blocks.release([offset for offset, _ in placed])
            raise
        return pickle.dumps((token, number, kind, file.getvalue(), placed, rng), 5)


class Message:
    """A received message, whose data are unpacked when wanted."""

    def __init__(self, raw, reader):
        self.token, self.number, self.kind, self._body, self._placed, self.rng = pickle.loads(raw)
        self._reader = reader

    def open(self):
        """(the data, the dataset's place)"""
        take = self._reader.take if self._placed else None
        return pickle.loads(self._body, buffers=[take(offset, size) for offset, size in self._placed])

    def drop(self):
        if self._placed:
            self._reader.drop([offset for offset, _ in self._placed])
