"""Ops that run together for examples of unequal length, where a batch rule has nothing to stack.

A rule gets the op and the values of each call, and gives the outputs of each; `alike` says which calls it takes
together. The tensors carry the graph, so a rule needs no backward.
"""
import numpy as np

from weft.ops.lanes.rules import Unruled
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, wrap

RULES = {}          # op's name -> (alike, rule)


def ragged(name, alike):
    """Make a function the rule of an op for unequal lengths; alike(values): a key that such calls share, or None."""
    def decorate(rule):
        RULES[name] = alike, rule
        return rule
    return decorate


def ragged_rule(op, values):
    """(key, rule) of a call, (None, None) where there is none."""
    alike, rule = RULES.get(op.name, (None, None))
    key = None if alike is None else alike(*values)
    return (None, None) if key is None else ((op, *key), rule)


def same_layer(kind, x, h0, c0, params, sizes, batch_first):
    """Sequences of any length and number; packed ones run by themselves."""
    if sizes is not None or x._form.ndim != 3 or not all(isinstance(p, Tensor) for p in params):
        return None
    return kind, x._form.dtype, x._form.shape[2], h0._form.shape[0], h0._form.shape[2], len(params), batch_first


@ragged("_recurrent", same_layer)
def recurrent(op, calls):
    """A layer over the sequences of all calls as one packed batch, the longest first."""
    kind, _, _, c0, params, _, batch_first = calls[0]
    if any([a is not b for values in calls for a, b in zip(values[4], params)]):
        raise Unruled           # weights of their own
    select, cat = FUNCTIONS["index_select"], FUNCTIONS["cat"]
    xs = [values[1].transpose(0, 1) if batch_first else values[1] for values in calls]      # (steps, batch, features)
    shapes = [x._form.shape[:2] for x in xs]
    lengths = np.concatenate([np.full(batch, steps) for steps, batch in shapes])
    order = np.argsort(-lengths, kind="stable")
    back = wrap(np.argsort(order))
    # the row in all sequences one below the other at which a column begins, and the step to its next one
    starts = np.cumsum([0, *[steps * batch for steps, batch in shapes]])
    first = np.concatenate([start + np.arange(batch) for start, (_, batch) in zip(starts, shapes)])[order]
    stride = np.concatenate([np.full(batch, batch) for _, batch in shapes])[order]
    sizes = np.array([(lengths > t).sum() for t in range(lengths.max())])
    rows = np.concatenate([first[:n] + t * stride[:n] for t, n in enumerate(sizes)])
    order = wrap(order)
    data = select(cat([x.reshape((-1, x._form.shape[2])) for x in xs]), 0, wrap(rows))
    h, c = (None if values is None else select(cat(values, 1), 1, order) for values in (
        [values[2] for values in calls], None if c0 is None else [values[3] for values in calls]))
    output, h, c, _, _ = op.compute([kind, data, h, c, params, sizes, False])
    columns = [batch for _, batch in shapes]
    outputs = select(output, 0, wrap(np.argsort(rows))).split([steps * batch for steps, batch in shapes])
    h = select(h, 1, back).split(columns, 1)
    c = [c] * len(calls) if c0 is None else select(c, 1, back).split(columns, 1)
    found = []
    for (steps, batch), out, h_one, c_one in zip(shapes, outputs, h, c):
        out = out.reshape((steps, batch, out._form.shape[1]))
        found.append([out.transpose(0, 1) if batch_first else out, h_one, c_one])
    return found
