"""Collation: a list of samples becomes a batch, of the same structure."""
import collections.abc
import copy

import numpy as np

from weft.core.errors import fail
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, wrap

__all__ = ["default_collate", "default_convert", "default_collate_fn_map", "collate"]

Mapping, MutableMapping = collections.abc.Mapping, collections.abc.MutableMapping
Sequence, MutableSequence = collections.abc.Sequence, collections.abc.MutableSequence
as_tensor = FUNCTIONS["as_tensor"]
default_collate_err_msg_format = ("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
                                  "found {}")


# containers of one kind with other contents

def _like_mapping(mapping, items):
    """A mapping of the same type; a plain dict if its type can't be made."""
    try:
        if not isinstance(mapping, MutableMapping):
            return type(mapping)(items)
        made = copy.copy(mapping)       # keeps what else it has, a default_factory for example
        made.update(items)
        return made
    except TypeError:
        return items


def _like_sequence(sequence, items):
    """A sequence of the same type; a plain list for a tuple, as in PyTorch, and if its type can't be made."""
    if isinstance(sequence, tuple):
        return type(sequence)(*items) if hasattr(sequence, "_fields") else items
    if type(sequence) is list:
        return items
    try:
        if not isinstance(sequence, MutableSequence):
            return type(sequence)(items)
        made = copy.copy(sequence)
        for i, item in enumerate(items):
            made[i] = item
        return made
    except TypeError:
        return items


# one sample

def _holds_objects(array):
    return array.dtype.kind in "SUO"


def default_convert(data):
    """NumPy arrays and numbers inside a structure, as tensors; everything else as it is.

    >>> import numpy as np
    >>> import weft
    >>> weft.utils.data.default_convert([np.array([0, 1]), "a"])
    [tensor([0, 1]), 'a']
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind is np.ndarray:
        return data if _holds_objects(data) else as_tensor(data)
    if isinstance(data, np.generic) and not isinstance(data, (np.str_, np.bytes_)):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(item) for item in data])
    return data


# many samples

def collate(batch, *, collate_fn_map=None):
    """One structure of batches from a batch of structures; `collate_fn_map` says what becomes of the leaves of each
    type.
    """
    first = batch[0]
    if collate_fn_map is not None:
        function = collate_fn_map.get(type(first))
        if function is None:
            function = next((f for kind, f in collate_fn_map.items() if isinstance(first, kind)), None)
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _like_mapping(first, {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map)
                                     for key in first})
    if not isinstance(first, Sequence):
        raise TypeError(default_collate_err_msg_format.format(type(first)))
    if not hasattr(first, "_fields") and any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("each element in list of batch should be of equal size: the samples have "
                           f"{', '.join(map(str, sorted({len(sample) for sample in batch})))} elements")
    return _like_sequence(first, [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)])


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Tensors of one shape, stacked."""
    first = batch[0]._form
    for other in batch:
        if other._form.shape != first.shape:
            i = next(i for i, other in enumerate(batch) if other._form.shape != first.shape)
            fail(RuntimeError, f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 "
                 f"and {list(batch[i]._form.shape)} at entry {i}", "bring the samples to one size, or give the "
                 "DataLoader a collate_fn (for sequences: nn.utils.rnn.pad_sequence)")
    return FUNCTIONS["stack"](batch if isinstance(batch, (list, tuple)) else list(batch), 0)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """Arrays of one shape and type, stacked."""
    first = batch[0]
    if _holds_objects(first):
        raise TypeError(default_collate_err_msg_format.format(first.dtype))
    stacks = collate_fn_map is None or collate_fn_map.get(Tensor) is collate_tensor_fn
    if (stacks and all(type(a) is np.ndarray and a.shape == first.shape and a.dtype == first.dtype for a in batch)
        and first.dtype.isnative):
        made = as_tensor(np.array(batch))       # one copy, not a tensor for each
        if made._form.ndim == first.ndim + 1:
            return made
    return collate([as_tensor(a) for a in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    return as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    return wrap(np.array(batch, np.float64))


def collate_int_fn(batch, *, collate_fn_map=None):
    return FUNCTIONS["tensor"](batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    return batch


default_collate_fn_map = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch):
    """The batch of a list of samples: tensors and arrays stacked, numbers as a tensor, strings as a list, structures
    kept.

    >>> import weft
    >>> weft.utils.data.default_collate([(0, "a"), (1, "b")])
    [tensor([0, 1]), ('a', 'b')]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
