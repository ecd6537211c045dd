"""Ops that do the same to every row, for examples with unequal numbers of rows: all rows below each other are one call.

The *rows* of an example are its first dimension that isn't 1: (n, features), (1, n, features) and (n, 1, features) have
n of them. `rows_rule` says of a call whether it is of this sort; a `Rows` runs it on the rows of many examples.
"""
from math import prod

import numpy as np

from weft.ops.lanes.rules import RULES, Unruled, by_name, reduction, rule_of
from weft.ops.nn.loss import MEAN, NONE
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import OPS, Tensor, wrap

FLOATS = ("<f4", "<f8")
HERE = object()         # where a tensor stands in an op's values
OWN = {}                # op's name -> a function (op, values, outputs) -> a Rows or None


class Rows:
    """How calls run together whose numbers of rows differ.

    key: what such calls share; trails: for each tensor the shape of a row, None where all examples must have the very
    same tensor; run(inputs, counts) -> the outputs for all rows, where counts has the numbers of rows of each example,
    an array of them for each such input; single: whether an output has one row for each example; always: calls whose
    numbers don't differ run so, too; gathered: calls may have any number of tensors, whose rows are one input.
    """

    __slots__ = ("key", "trails", "run", "single", "always", "gathered")

    def __init__(self, key, trails, run, single=False, always=False, gathered=False):
        self.key, self.trails, self.run, self.single = key, tuple(trails), run, single
        self.always, self.gathered = always, gathered


def rows_rule(op, values, outputs):
    """The Rows of a call that gave these outputs, None where it has no rows or does something else to them."""
    if not outputs or op.writes or op.reads or op.random >= 0:
        return None
    found = OWN.get(op.name)
    if found is None:
        if op.pointwise and op.name not in RULES:
            found = elementwise
        elif op.reduces and rule_of(op) is reduction:
            found = by_dim
        else:
            return None
    return found(op, values, outputs)


def rows(*names):
    """Make a function that gives the Rows of the ops called so."""
    def decorate(rule):
        for name in names:
            OWN[name] = rule
        return rule
    return decorate


def first_long(shape):
    """The number of the dimension that counts the rows, -1 where there are fewer than two."""
    return next((d for d, n in enumerate(shape) if n != 1), -1) if prod(shape) else -1


def tensors_of(values):
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from tensors_of(v)


def outline(values):
    """An op's values without its tensors."""
    return type(values)(HERE if isinstance(v, Tensor) else outline(v) if isinstance(v, (list, tuple)) else v
                        for v in values)


def filled(made, inputs):
    """An op's values with these tensors in the places of those that it had; inputs: an iterator."""
    return type(made)(next(inputs) if v is HERE else filled(v, inputs) if isinstance(v, (list, tuple)) else v
                      for v in made)


def key_of(op, values, trails):
    return (op, str(outline(values)), tuple(trails), tuple(t._form.dtype.str for t in tensors_of(values)),
            tuple(t._form.shape for t, trail in zip(tensors_of(values), trails) if trail is None))


def plain(op, values, trails):
    """The op itself on all rows."""
    made = outline(list(values))

    def run(inputs, counts):
        found = op.compute(filled(made, iter(inputs)))
        return list(found) if isinstance(found, (tuple, list)) else [found]
    return Rows(key_of(op, values, trails), trails, run)


@rows("_masked_fill")
def elementwise(op, values, outputs):
    """All tensors have the output's rows, or none and fewer dimensions."""
    shape, trails = outputs[0]._form.shape, []
    at = first_long(shape)
    if at < 0 or at + 1 >= len(shape) or any([t._form.shape != shape for t in outputs]):
        return None
    for t in tensors_of(values):
        own = t._form.shape
        if len(own) == len(shape) and own[:at + 1] == shape[:at + 1]:
            trails.append(own[at + 1:])
        elif len(own) < len(shape) - at:
            trails.append(None)
        else:
            return None
    return plain(op, values, trails)


@rows("softmax", "log_softmax", "_split", "transpose", "cumsum", "sort", "topk", "narrow", "_gather")
def by_dim(op, values, outputs):
    """Along dimensions behind the rows, counted from those."""
    shape = values[0]._form.shape if isinstance(values[0], Tensor) else None
    at = -1 if shape is None else first_long(shape)
    if at < 0:
        return None
    if op.reduces and op.name in ("sum", "mean"):
        return sums(op, values, at)
    rank, changed = len(shape), list(values)
    for i, name in enumerate(op.names):
        if name not in ("dim", "dims", "dim0", "dim1"):
            continue
        dims = values[i] if isinstance(values[i], (tuple, list)) else (values[i],)
        if not dims or any([type(d) is not int or not at < d % rank for d in dims]):
            return None
        dims = [d % rank - at for d in dims]
        changed[i] = type(values[i])(dims) if isinstance(values[i], (tuple, list)) else dims[0]
    trails = []
    for t in tensors_of(values):
        own = t._form.shape
        if len(own) != rank or own[:at + 1] != shape[:at + 1]:
            return None
        trails.append(own[at + 1:])
    return plain(op, changed, trails)


def sums(op, values, at):
    """A sum or a mean: of each row, of all rows of an example, or of all that it has."""
    x, dim, keepdim, dtype = values
    shape = x._form.shape
    rank, trail = len(shape), shape[at + 1:]
    if dim is None or dim in ((), []):
        dims = set(range(rank))
    else:
        dims = {d % rank for d in (dim if isinstance(dim, (tuple, list)) else (dim,))}
    if dtype is not None or x._form.dtype.str not in FLOATS or not dims:
        return None
    if all([d > at for d in dims]):
        over = tuple(sorted([d - at for d in dims]))
        return plain(op, [x, over, keepdim, dtype], [trail])
    if at not in dims:
        return None
    inside, mean = tuple(sorted([d - at for d in dims if d > at])), op.name == "mean"
    share = 1
    for d in inside:
        share *= shape[d + at]

    def run(inputs, counts):
        made = inputs[0].sum(inside) if inside else inputs[0]
        made = added_up(made, counts[0])
        if mean:
            sizes = np.array(counts[0], made._form.dtype) * share
            made = made / wrap(sizes.reshape((-1, *(1,) * (made._form.ndim - 1))))
        return [made]
    return Rows((op, "all", inside, trail, x._form.dtype.str, keepdim, at), [trail], run, True)


def added_up(x, counts):
    """The sum of each example's rows."""
    owners = wrap(np.repeat(np.arange(len(counts)), counts))
    start = FUNCTIONS["zeros"]((len(counts), *x._form.shape[1:]), dtype=x.dtype)
    return by_name("_index_add").compute([start, 0, owners, x, 1])


@rows("linear")
def linear(op, values, outputs):
    x, weight = values[0], values[1]
    if first_long(x._form.shape[:-1]) < 0 or weight._form.ndim != 2:
        return None
    return plain(op, values, [x._form.shape[-1:], *[None] * (len(list(tensors_of(values))) - 1)])


@rows("embedding")
def embedding(op, values, outputs):
    return None if first_long(values[1]._form.shape) < 0 else plain(op, values, [None, ()])


@rows("native_layer_norm", "_rms_norm")
def rows_normed(op, values, outputs):
    x, width = values[0]._form.shape, len(values[1])
    if width >= len(x) or first_long(x[:-width]) < 0:
        return None
    return plain(op, values, [x[-width:], *[None] * (len(list(tensors_of(values))) - 1)])


def same(inputs, counts):
    return [OPS.alias.compute([inputs[0]])]


@rows("view", "reshape", "flatten", "unsqueeze", "squeeze", "clone")
def as_it_lies(op, values, outputs):
    """The same elements in the same order, whatever the shape is."""
    x = values[0]
    at = first_long(x._form.shape)
    if at < 0 or x._form.ndim < 2 or op.name == "clone" and values[1] is not None:
        return None
    trail = x._form.shape[at + 1:]
    return Rows((as_it_lies, trail, x._form.dtype.str), [trail], same)


@rows("cat", "stack")
def joined(op, values, outputs):
    tensors, dim = values
    shape = tensors[0]._form.shape
    at, rank = first_long(shape), len(shape) + (op.name == "stack")
    lead, behind = dim % rank, dim % rank + (op.name == "cat")
    if all([prod(t._form.shape[:lead]) == 1 and t._form.size and t._form.dtype == tensors[0]._form.dtype
            and t._form.shape[behind:] == shape[behind:] for t in tensors]):
        trails = [shape[behind:]] * len(tensors)        # as many tensors as there are, whose rows lie below each other
        return Rows((joined, shape[behind:], tensors[0]._form.dtype.str), trails, same, gathered=True)
    if at < 0 or not at < dim % rank or any([t._form.ndim != len(shape) or t._form.shape[:at + 1] != shape[:at + 1]
                                             for t in tensors]):
        return None
    return plain(op, [tensors, dim % rank - at], [t._form.shape[at + 1:] for t in tensors])


def places(index, counts, of):
    """Numbers of rows within examples as numbers of all rows; counts: how many numbers, of: how many rows each has."""
    numbers, sizes = index._array, np.repeat(of, counts)
    if ((numbers < -sizes) | (numbers >= sizes)).any():
        raise Unruled           # the call itself says so
    return wrap(np.where(numbers < 0, numbers + sizes, numbers) + np.repeat(np.cumsum([0, *of[:-1]]), counts))


@rows("_index_dim", "_index_select")
def picked(op, values, outputs):
    """Other rows of the same example, or of a table that all examples share."""
    x, dim, index = values
    if x._form.ndim < 2 or x._form.shape[0] < 2 or dim != 0 or index._form.ndim != 1 or not index._form.size:
        return None
    if x._owed is None:
        return plain(op, values, [None, ()])
    trail = x._form.shape[1:]

    def run(inputs, counts):
        return [op.compute([inputs[0], 0, places(inputs[1], counts[1], counts[0])])]
    return Rows((op, trail, x._form.dtype.str, index._form.dtype.str), [trail, ()], run)


@rows("_index_add")
def sent(op, values, outputs):
    """Rows added to other ones of the same example."""
    x, dim, index, source, alpha = values
    if x._form.ndim < 2 or x._form.shape[0] < 2 or dim % x._form.ndim != 0 or not index._form.size \
            or source._form.shape != (index._form.size, *x._form.shape[1:]) or source._form.dtype != x._form.dtype:
        return None
    trail = x._form.shape[1:]

    def run(inputs, counts):
        at = places(inputs[1].reshape((-1,)), counts[1], counts[0])
        return [op.compute([inputs[0], 0, at, inputs[2], alpha])]
    return Rows((op, trail, x._form.dtype.str, index._form.dtype.str, str(alpha)), [trail, (), trail], run)


@rows("_cross_entropy", "_nll_loss")
def loss_of_each(op, values, outputs):
    """The losses of all rows from one call, added up for each example."""
    x, target, weight, ignored, *rest, code = values
    form = x._form
    if form.ndim != 2 or form.shape[0] < 2 or target._form.ndim != 1 or code == NONE or form.dtype.str not in FLOATS:
        return None
    trails = [form.shape[1:], (), *[None] * (weight is not None)]

    def run(inputs, counts):
        x, target, *weight = inputs
        weight = weight[0] if weight else None
        losses = op.compute([x, target, weight, ignored, *rest, NONE])[0]
        loss, kept = added_up(losses, counts[0]), target._array != ignored
        shares = kept.astype(form.dtype) if weight is None else \
            np.where(kept, weight._array[np.where(kept, target._array, 0)], 0)
        total = np.add.reduceat(shares, np.cumsum([0, *counts[0][:-1]])).astype(form.dtype)
        return [loss / wrap(total) if code == MEAN else loss]
    key = op, form.shape[1:], form.dtype.str, target._form.dtype.str, weight is None, ignored, str(rest), code
    return Rows(key, trails, run, True)
