"""Values between workers: pickled, which is right only between processes of one job, since a pickle can run anything.

A tensor's values travel beside the pickle, as a field of their own. Inside an autograd context a tensor that requires
gradients is noted on both sides, so that its gradient finds the way back (see `gradients`).
"""
import contextlib
import io
import pickle
import threading

import numpy as np

from weft.core.layout import strided
from weft.core.modes import no_grad
from weft.tensor.tensor import Tensor, wrap


class _Reading(threading.local):
    def __init__(self):
        self.tensors = None     # of the message that this thread unpickles


reading = _Reading()


def tensor_at(number):
    """The tensor that stands there in a pickle."""
    return reading.tensors[number]


class Packer(pickle.Pickler):
    """A pickle in which tensors are numbers; `tensors` are they. share(rref): how a reference is written."""

    def __init__(self, file, share):
        super().__init__(file, 5)
        self.tensors, self.share = [], share

    def reducer_override(self, value):
        if type(value) is Tensor and is_plain(value):
            self.tensors.append(value)
            return tensor_at, (len(self.tensors) - 1,)
        return self.share(value)


def is_plain(t):
    """Whether an array is all there is to it: others are pickled in their own way."""
    return not t._on_meta and t.layout is strided and not t.is_nested


def pack(value, share, context=None):
    """A note for the head of a message, and its parts."""
    file = io.BytesIO()
    packer = Packer(file, share)
    packer.dump(value)
    wanting = [t for t in packer.tensors if t.requires_grad]
    sent = context.note_sent(wanting) if context is not None and wanting else None
    with no_grad():
        arrays = [np.ascontiguousarray(t._array) for t in packer.tensors]
    kinds = [(t.dtype, tuple(t.shape), t.requires_grad) for t in packer.tensors]
    copies = [bytearray(array.reshape(-1).view(np.uint8)) for array in arrays]      # the values of this moment
    return (None if context is None else context.id, sent, kinds), [file.getvalue(), *copies]


def unpack(note, parts, context, worker):
    """The value; what requires gradients leads back to the worker that sent it."""
    _, sent, kinds = note
    tensors = [wrap(np.frombuffer(part, dtype.np).reshape(shape)) for part, (dtype, shape, _) in zip(parts[1:], kinds)]
    wanting = [number for number, (_, _, wants) in enumerate(kinds) if wants]
    for number in wanting:
        tensors[number].requires_grad_()
    if sent is not None and context is not None:
        seen = context.note_received(sent, worker, [tensors[number] for number in wanting])
        for number, t in zip(wanting, seen):
            tensors[number] = t
    with read_from(tensors):
        return pickle.loads(parts[0])


@contextlib.contextmanager
def read_from(tensors):
    before, reading.tensors = reading.tensors, tensors
    try:
        yield
    finally:
        reading.tensors = before
