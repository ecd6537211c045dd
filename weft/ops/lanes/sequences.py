"""Recurrent layers for examples of unequal length: the sequences of all calls are one packed batch, longest first."""
import numpy as np

from weft.ops.lanes.rows import Rows, key_of, rows
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, wrap


@rows("_recurrent")
def recurrent(op, values, outputs):
    """Sequences of any length and number; packed ones run by themselves."""
    kind, x, h0, c0, params, sizes, batch_first = values
    if sizes is not None or x._form.ndim != 3 or not x._form.size or not h0._form.size \
            or not all([isinstance(p, Tensor) for p in params]):
        return None
    states = [h0] if c0 is None else [h0, c0]
    trails, directions = [t._form.shape[2:] for t in (x, *states)], h0._form.shape[0]

    def run(inputs, counts):
        x, *own = inputs
        at = Columns(counts[0], counts[1] // directions, directions, batch_first)
        h, *c = [picked(t, at.states).reshape((directions, -1, *t._form.shape[1:])) for t in own[:len(states)]]
        data = picked(x, at.rows)
        made = op.compute([kind, data, h, c[0] if c else None, own[len(states):], at.sizes, False])
        found = [picked(made[0], inverse(at.rows))]
        for t in made[1:3]:
            found.append(picked(t.reshape((-1, t._form.shape[2])), inverse(at.states)) if t._form.ndim == 3 else t)
        return found
    trails += [None] * len(params)
    return Rows((*key_of(op, values, trails), directions), trails, run, always=True)


class Columns:
    """Where the sequences of all calls are, whose rows lie below each other. rows: the row that stands at each place of
    the packed batch, sizes: how many sequences have each step, states: the row of the initial states that each
    direction of each sequence has.
    """

    def __init__(self, counts, batches, directions, batch_first):
        steps, calls = counts // batches, np.arange(len(counts))
        of = np.repeat(calls, batches)                                      # the call of each sequence
        nth = np.arange(len(of)) - np.repeat(batches.cumsum() - batches, batches)
        order = np.argsort(-steps[of], kind="stable")
        of, nth = of[order], nth[order]
        lengths, batch = steps[of], batches[of]
        self.sizes = len(of) - np.searchsorted(lengths[::-1], np.arange(lengths[0]), "right")
        # the row in which a sequence begins, and the way from one step of it to the next
        first = (counts.cumsum() - counts)[of] + (nth * lengths if batch_first else nth)
        stride = np.ones_like(batch) if batch_first else batch
        step = np.repeat(np.arange(len(self.sizes)), self.sizes)
        place = np.arange(len(step)) - np.repeat(self.sizes.cumsum() - self.sizes, self.sizes)
        self.rows = first[place] + step * stride[place]
        begin = directions * (batches.cumsum() - batches)[of] + nth
        self.states = (begin + np.arange(directions)[:, None] * batch).reshape(-1)


def inverse(order):
    """The numbers by which what was put in an order gets back."""
    found = np.empty_like(order)
    found[order] = np.arange(len(order))
    return found


def picked(t, rows):
    return FUNCTIONS["index_select"](t, 0, wrap(rows))
