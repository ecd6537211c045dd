# compiled
"""An op over lists made from an op on tensors: what it computes, its shapes, its gradients, its form in place.

A *column* is what the list op has for one parameter: a list, or one value for all. A *row* is what the op on tensors
gets, one value of each column.
"""
import numpy as np

from weft.core.modes import GRAD_OFF, NUMERICS, TAKE, WATCH
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.spec import Spec
from weft.ops.core.inplace import as_it_was, store
from weft.ops.core.plan import parameters
from weft.ops.lists.tools import of_one_type
from weft.tensor.tensor import describe, without_values, wrap


def aside(function, *args):
    """A call that nobody looks on, records or checks: the list op itself is what is seen."""
    bits = set_mode_bits(mode_bits() & ~(WATCH | TAKE | NUMERICS) | GRAD_OFF)
    try:
        return function(*args)
    finally:
        set_mode_bits(bits)


def rows(columns, kind, make):
    """The rows; what is of type `kind` becomes a tensor by `make`."""
    n = max([len(c) for c in columns if isinstance(c, (list, tuple))])
    made = []
    for c in columns:
        if isinstance(c, (list, tuple)):
            made.append([make(v) if isinstance(v, kind) else v for v in c])
        else:
            made.append([make(c) if isinstance(c, kind) else c] * n)
    return zip(*made)


def each(one, *columns):
    """The arrays that a function of tensors gives for rows of arrays."""
    return aside(_each, one, columns)


def _each(one, columns):
    return [one(*row)._array for row in rows(columns, np.ndarray, wrap)]


def each_in_place(own, one, name, *columns):
    """Write the results into the arrays of the first column, by the function's own form in place if it has one."""
    aside(_written, own, one, name, rows(columns, np.ndarray, wrap))


def _written(own, one, name, rows):
    for row in rows:
        if own is not None:
            own(*row)
        else:
            store(row[0], one(*row), name)


def specs(one, *columns):
    """The Specs of the results for rows of Specs."""
    return aside(_specs, one, columns)


def _specs(one, columns):
    return tuple([describe(one(*row)) for row in rows(columns, Spec, without_values)])


def specs_in_place(own, one, name, *columns):
    """Nothing comes out, but what can't be written is refused."""
    aside(_written, own, one, name, rows(columns, Spec, without_values))
    return ()


# gradients

def rule(mine, op, names):
    """The gradient with respect to parameter `mine`, from the rule of an op on tensors; `names` are that op's
    parameters and, for each, the list op's.

    Only what that rule takes is saved. Where it takes the output, that is computed again: a list of saved outputs would
    be a circle of references.
    """
    function = op.rules[_theirs(names, mine)]
    wanted = [mine + "_shape"]
    for name in parameters(function)[0]:
        if name == "out":
            wanted += names.values()
        elif _ours(names, name) is not None:
            wanted.append(_ours(names, name))
    takes = ("used", *dict.fromkeys(wanted))

    def gradients(used, *saved):
        columns = dict(zip(takes[1:], saved))
        shapes, made = columns[mine + "_shape"], []
        for i, g in enumerate(used):
            if g is None:
                made.append(None)
                continue
            row = {name: c[i] if isinstance(c, list) else c for name, c in columns.items()}
            grad = function(*[g if p == "g" else _argument(op, names, row, p) for p in parameters(function)[0]])
            shape = shapes[i] if isinstance(shapes, list) else shapes
            made.append(grad if grad._form.shape == shape else grad.sum_to_size(shape))
        return made if isinstance(shapes, list) else _sum(made)
    gradients.takes = takes
    return gradients


def _theirs(names, mine):
    return next(theirs for theirs, ours in names.items() if ours == mine)


def _ours(names, name):
    """Our name of what a rule takes; None for a parameter that the list op doesn't have."""
    shape = "_shape" if name.endswith("_shape") else ""
    found = names.get(name.removesuffix(shape))
    return None if found is None else found + shape


def _argument(op, names, row, name):
    """A value for a rule: from the row, by default, or the output."""
    if name == "out":
        return op.call(tuple([_argument(op, names, row, p) for p in op.names[:op.n_positional]]), {})
    ours = _ours(names, name)
    return op.defaults[op.aliases[name]] if ours is None else row[ours]


def _sum(grads):
    """The gradient of one tensor that stands in every row."""
    total = None
    for grad in grads:
        total = grad if total is None or grad is None else total + grad
    return total


# in place

def carry(op, plain, values):
    """`op` in place, with history: the results of `plain` are written. What the graph keeps of the old values is copied
    first.
    """
    written = values[0]
    before = {id(x): as_it_was(x) for x in written}
    values = [[before.get(id(e), e) for e in v] if isinstance(v, (list, tuple)) else before.get(id(v), v)
              for v in values]
    outs = plain.compute(of_one_type(values))
    kept = {id(e) for out in outs[:1] if out._made_by is not None for saved in out._made_by.saved or ()
            for e in (saved if isinstance(saved, list) else (saved,))}
    for old in before.values():
        if id(old) in kept:
            old._form, old._memory_record = old._array.copy(), None
    for x, out in zip(written, outs):
        store(x, out, op.name)
