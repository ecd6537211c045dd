"""Recurrent layers as compositions of small ops, step by step: the reference, what second derivatives go through, and
projections.
"""
from weft.autograd.api import grad
from weft.core.modes import enable_grad
from weft.ops.shape.join import cat

LSTM, GRU, TANH, RELU = range(4)        # kinds of cells
GATES = (4, 3, 1, 1)                    # rows of their weights, in units of the hidden size


def _times(x, weight, bias):
    made = x @ weight.mT
    return made if bias is None else made + bias


def step(kind, sums, h, c, w_hh, b_hh, w_hr=None):
    """(h, c) after one step, from what the input adds to the sums."""
    more = _times(h, w_hh, b_hh)
    if kind == LSTM:
        i, f, g, o = (sums + more).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return (h if w_hr is None else h @ w_hr.mT), c
    if kind == GRU:
        (r, z, n), (r_more, z_more, n_more) = sums.chunk(3, -1), more.chunk(3, -1)
        n = (n + (r + r_more).sigmoid() * n_more).tanh()
        return (h - n) * (z + z_more).sigmoid() + n, None
    return ((sums + more).tanh() if kind == TANH else (sums + more).relu()), None


def _joined(now, before):
    """The state of all sequences, of which only the first ones had this step."""
    n = now.shape[0]
    return now if n == before.shape[0] else _cat([now, before[n:]], 0)


def _cat(tensors, dim):
    return cat(tensors, dim)


def _direction(kind, steps, h, c, params, reverse):
    """(the results of each step, h, c) of one direction; steps holds a tensor (rows, inputs) for each step."""
    w_ih, w_hh = params[0], params[1]
    biased = len(params) >= 4
    b_ih, b_hh = (params[2], params[3]) if biased else (None, None)
    w_hr = params[-1] if len(params) in (3, 5) else None
    made = [None] * len(steps)
    for t in (range(len(steps) - 1, -1, -1) if reverse else range(len(steps))):
        n = steps[t].shape[0]
        now, inner = step(kind, _times(steps[t], w_ih, b_ih), h[:n], None if c is None else c[:n], w_hh, b_hh, w_hr)
        made[t] = now
        h = _joined(now, h)
        c = None if c is None else _joined(inner, c)
    return made, h, c


def layer(kind, x, h0, c0, params, sizes, batch_first):
    """(output, h, c) of one layer of one or two directions; sizes (a list) for packed sequences; a matrix x without
    them is one step.
    """
    if x.dim() == 2 and sizes is None:
        made, h, c = _direction(kind, [x], h0, c0, params, False)
        return made[0], h, c
    if sizes is not None:
        steps = list(x.split(sizes))
    else:
        steps = list(x.unbind(1 if batch_first else 0))
    directions = h0.shape[0]
    per = len(params) // directions
    ways, hs, cs = [], [], []
    for d in range(directions):
        made, h, c = _direction(kind, steps, h0[d], None if c0 is None else c0[d], params[d * per:(d + 1) * per],
                                d == 1)
        ways.append(made)
        hs.append(h.unsqueeze(0))
        cs.append(None if c is None else c.unsqueeze(0))
    rows = ways[0] if directions == 1 else [_cat([a, b], 1) for a, b in zip(*ways)]
    if sizes is not None:
        output = _cat(rows, 0)
    else:
        output = _cat([row.unsqueeze(1 if batch_first else 0) for row in rows], 1 if batch_first else 0)
    return output, _cat(hs, 0), None if c0 is None else _cat(cs, 0)


# derivatives through the composition

def _twin(t, connected):
    """A tensor that stands for t in an inner graph, tied to t's own history where that is wanted."""
    return t.view_as(t) if connected and t.requires_grad else t.detach().requires_grad_()


def _of_layer(kind, inputs, with_c, n_params, sizes, batch_first):
    """The results (those that exist) of a layer whose tensors stand in one list."""
    c0 = inputs[2] if with_c else None
    return [made for made in layer(kind, inputs[0], inputs[1], c0, inputs[len(inputs) - n_params:], sizes, batch_first)
            if made is not None]


def first(kind, grads, inputs, with_c, n_params, sizes, batch_first, create_graph=False):
    """The gradients of x, h0, (c0,) and the parameters; None for what has none."""
    results = _of_layer(kind, inputs, with_c, n_params, sizes, batch_first)
    pairs = [(made, g) for made, g in zip(results, grads) if g is not None]
    return grad([made for made, _ in pairs], inputs, [g for _, g in pairs], create_graph=create_graph,
                allow_unused=True)


def first_of_values(kind, grads, inputs, with_c, n_params, sizes, batch_first):
    """The same where no graph is wanted around it."""
    with enable_grad():
        found = first(kind, grads, [_twin(t, False) for t in inputs], with_c, n_params, sizes, batch_first)
    return [t.new_zeros(t.shape) if g is None else g for g, t in zip(found, inputs)]


def second(kind, upper, grads, inputs, with_c, n_params, sizes, batch_first, recorded):
    """The gradients of (grads, inputs) from those (`upper`) of what `first` gives."""
    with enable_grad():
        lower = [None if g is None else _twin(g, recorded) for g in grads]
        twins = [_twin(t, recorded) for t in inputs]
        found = first(kind, lower, twins, with_c, n_params, sizes, batch_first, create_graph=True)
        pairs = [(made, u) for made, u in zip(found, upper) if made is not None and u is not None
                 and made.requires_grad]
        wanted = [t for t in lower if t is not None] + twins
        given = grad([made for made, _ in pairs], wanted, [u for _, u in pairs], create_graph=recorded,
                     allow_unused=True)
    given = iter(given)
    return [None if t is None else next(given) for t in lower] + list(given)
