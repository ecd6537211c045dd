"""Sequences of unequal length, as a list or a nested tensor, through layers that want one tensor.

Recurrent layers take them packed, attention padded and with a mask; both is done here, and what comes back has the
form that was given.
"""
import math

from weft.core.dtype import bool_
from weft.core.errors import fail
from weft.nn.utils.rnn import pack_sequence, pad_sequence, unpack_sequence
from weft.ops.create.constants import zeros
from weft.tensor.tensor import Tensor


def is_ragged(x):
    """Whether x is a list of sequences or a nested tensor."""
    return type(x) is list or isinstance(x, Tensor) and type(x) is not Tensor and x.is_nested


def parts_of(x):
    """The sequences, (length, features) each."""
    parts = x if type(x) is list else list(x.unbind())
    if not parts or not all([isinstance(part, Tensor) and part.dim() == 2 for part in parts]):
        fail(ValueError, "a list of sequences has at least one, each a tensor (length, features)",
             "give for example [x[:n] for x, n in zip(data, lengths)]")
    return parts


def formed(parts, like):
    """Sequences in the form that others came in."""
    return parts if type(like) is list else type(like)(parts, like.layout)


def over_packed(layer, input, hx):
    """A recurrent layer over unequal sequences: (outputs, states), the states in the order of the sequences."""
    output, states = layer.forward(pack_sequence(parts_of(input), enforce_sorted=False), hx)
    return formed(unpack_sequence(output), input), states


def padded(x, batch_first, mask, beside=None):
    """(one tensor, the mask of its padding) of sequences; what is a tensor stays as it is, with its own mask. beside:
    another mask, whose type it should have.
    """
    if not is_ragged(x):
        return x, mask
    if mask is not None:
        fail(ValueError, "sequences of unequal length need no padding mask: they have no padding",
             "leave the mask out, or give one padded tensor with it")
    parts = parts_of(x)
    longest = max([part.size(0) for part in parts])
    whole = pad_sequence(parts, batch_first=batch_first)
    if all([part.size(0) == longest for part in parts]):
        return whole, None
    added = beside is not None and beside.is_floating_point()
    mask = zeros(len(parts), longest, dtype=beside.dtype if added else bool_)
    for row, part in zip(mask, parts):
        row[part.size(0):] = -math.inf if added else True
    return whole, mask


def cut(whole, batch_first, like):
    """What belongs to each of the sequences that were padded."""
    rows = whole.unbind(0 if batch_first else 1)
    return formed([row[:part.size(0)] for row, part in zip(rows, parts_of(like))], like)
