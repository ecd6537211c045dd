"""Gradients: how they pass between a sparse tensor and its values.

A sparse tensor takes part in the graph like any other, and its gradient is a tensor of its shape, sparse or dense. Two
nodes lead from the tensor to its values and back, and each one's rule is the other; everything else that is computed
with a sparse tensor is computed with its values by ordinary ops, so that their rules, of any order, serve.
"""
import numpy as np

from weft.ops.core.step import Step, recorded, tied
from weft.ops.sparse.parts import COO, Parts, index_of, sparse
from weft.tensor.tensor import alias, wrap


class ToValues(Step):
    """From a sparse tensor to its values: their gradient stands where they do."""

    def name(self):
        return "ValuesBackward0"

    def back(self, grad):
        return with_values(self.held, grad)


class FromValues(Step):
    """From values to the sparse tensor: their gradient is what the tensor's has in their places."""

    def name(self):
        return "SparseCompressedTensorBackward0" if self.held.layout is not COO else \
            "SparseCooTensorWithDimsAndTensorsBackward0"

    def back(self, grad):
        return values_at(grad, self.held)


class Same(Step):
    """From a sparse tensor to one of the same elements, in another order or layout."""

    def name(self):
        return "CoalesceBackward0"

    def back(self, grad):
        return grad


def values_of(s):
    """The values of a sparse tensor, in the graph where it is; of one that is not coalesced only outside of it."""
    values = alias(s._owed.values)
    if not recorded(s):
        return values
    return tied(values, ToValues(s, s._owed))


def with_values(parts, values, shape=None):
    """A sparse tensor of new values in the places of `parts`; in the graph where the values are."""
    made = sparse(Parts(parts.layout, parts.index, alias(values), parts.shape if shape is None else shape,
                        parts.coalesced))
    return tied(made, FromValues(values, made._owed)) if recorded(values) else made


def made_of(parts, values):
    """The sparse tensor of new parts, which were made with `values`."""
    return tied(sparse(parts), FromValues(values, parts)) if recorded(values) else sparse(parts)


def same_elements(s, parts):
    """A sparse tensor of the same elements as `s`, in its graph."""
    return tied(sparse(parts), Same(s, parts)) if recorded(s) else sparse(parts)


def values_at(t, parts):
    """The values that a tensor, dense or sparse, has in the places of `parts`, shaped like the values of those."""
    shape = parts.values._form.shape
    held = t._owed if isinstance(t._owed, Parts) else None
    if held is None:
        return rows_of(t, parts).index_select(0, wrap(parts.keys())).reshape(shape)
    if held.layout is parts.layout and held.coalesced and len(held.index) == len(parts.index) \
            and all(a is b for a, b in zip(held.index, parts.index)) and parts.coalesced:
        return values_of(t)
    from weft.ops.sparse.convert import to_coo  # which is made of this file
    t = to_coo(t).coalesce()
    known, wanted = t._owed.keys(), parts.keys()
    at = np.searchsorted(known, wanted)
    found = at < len(known)
    found[found] = known[at[found]] == wanted[found]
    if not found.any():
        return wrap(np.zeros(shape, parts.values._form.dtype))
    picked = values_of(t).index_select(0, index_of(np.where(found, at, 0)))
    gone = wrap(~found).reshape(-1, *(1,) * (picked.dim() - 1))
    return picked.masked_fill(gone, 0).reshape(shape)


def rows_of(t, parts):
    """A dense tensor as one row for each place of the batch and sparse dimensions of `parts`."""
    lead = len(parts.shape) - parts.dense_dim
    return t.reshape(int(np.prod(parts.shape[:lead])), *parts.shape[lead:])
