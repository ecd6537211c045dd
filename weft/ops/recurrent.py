"""One recurrent layer, or one step of it, as an op: native forward and backward; second derivatives go through the plain composition."""
import numpy as np

from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.kernels import fast
from weft.ops import recurrent_plain as plain
from weft.ops.recurrent_plain import GRU, LSTM, RELU
from weft.ops.registry import op
from weft.tensor.tensor import wrap

NOTHING = np.empty(0, np.float32)       # an output that a kind of cell doesn't have


def _flat(x):
    return x if x.flags.c_contiguous else np.ascontiguousarray(x)


def _flat_all(params):
    for p in params:
        if not p.flags.c_contiguous:
            return [np.ascontiguousarray(p) for p in params]
    return params


def _counts(sizes):
    """Batch sizes as the plain composition takes them."""
    return None if sizes is None else [int(n) for n in sizes]


def _forward(kind, x, h0, c0, params, sizes, batch_first):
    """(output, h, c, gates, cells) of the native kernel, None where there is none for this case."""
    if kind == LSTM:
        return fast.lstm_layer(_flat(x), _flat(h0), _flat(c0), _flat_all(params), sizes, batch_first)
    if kind == GRU:
        found = fast.gru_layer(_flat(x), _flat(h0), _flat_all(params), sizes, batch_first)
        return None if found is None else (found[0], found[1], NOTHING, found[2], NOTHING)
    found = fast.rnn_layer(_flat(x), _flat(h0), _flat_all(params), sizes, batch_first, kind == RELU)
    return None if found is None else (found[0], found[1], NOTHING, NOTHING, NOTHING)


def _backward(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x):
    d_out, d_h = None if d_out is None else _flat(d_out), _flat(d_h)
    x, h0, params = _flat(x), _flat(h0), _flat_all(params)
    if kind == LSTM:
        return fast.lstm_layer_backward(d_out, d_h, _flat(d_c), x, h0, _flat(c0), params, sizes, batch_first, output, gates, cells, want_x)
    if kind == GRU:
        return fast.gru_layer_backward(d_out, d_h, x, h0, params, sizes, batch_first, output, gates, want_x)
    return fast.rnn_layer_backward(d_out, d_h, x, h0, params, sizes, batch_first, kind == RELU, output, want_x)


@op
class _recurrent:
    """A layer over a whole sequence, x (T, B, I), (B, T, I) or packed (rows, I) with sizes; or, x (B, I) without them, one step.

    h0, c0 are (directions, B, H), for a step (B, H); params w_ih, w_hh(, b_ih, b_hh) of each direction. For a step `output` is empty.
    """
    method, outputs, nondiff, inputs, node_name = False, "output h c gates cells", "gates cells", "x h0 c0 params", "RecurrentBackward0"

    def forward(kind, x, h0, c0, params, sizes, batch_first):
        if x.ndim == 2 and sizes is None:
            found = _forward(kind, x[None], h0[None], None if c0 is None else c0[None], params, None, False)
            if found is not None:
                return NOTHING, found[0][0], found[4][0] if kind == LSTM else NOTHING, found[3], NOTHING
        else:
            found = _forward(kind, x, h0, c0, params, sizes, batch_first)
            if found is not None:
                return found
        made = plain.layer(kind, wrap(x), wrap(h0), None if c0 is None else wrap(c0), [wrap(p) for p in params], _counts(sizes), batch_first)
        output, h, c = [NOTHING if t is None else t.array for t in made]
        return (NOTHING if x.ndim == 2 and sizes is None else output), h, c, NOTHING, NOTHING

    def grads(grads, kind, x, h0, c0, params, sizes, batch_first, output, h, c, gates, cells, needs):
        single = x.array.ndim == 2 and sizes is None
        found = _recurrent_grad(kind, None if single else grads[0], grads[1], grads[2] if kind == LSTM else None, x, h0, c0, params, sizes, batch_first,
                                h if single else output, gates, c if single else cells, needs[0])
        if kind == LSTM:
            return found if needs[0] else (None, *found[1:])
        return (found[0] if needs[0] else None, found[1], None, *found[2:])


@op
class _recurrent_grad:
    """The gradients of x, h0, c0 (of an LSTM) and the parameters, from those of output, h and c."""
    method, inputs, node_name = False, "d_out d_h d_c x h0 c0 params", "RecurrentBackwardBackward0"

    def forward(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x):
        single = x.ndim == 2 and sizes is None
        if single:
            found = _backward(kind, None, d_h[None], None if d_c is None else d_c[None], x[None], h0[None], None if c0 is None else c0[None], params,
                              None, False, output[None], gates, cells[None] if kind == LSTM else None, want_x)
        else:
            found = _backward(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x)
        if found is None:
            tensors = [wrap(a) for a in (x, h0, c0, *params) if a is not None]
            given = [None if g is None else wrap(g) for g in (d_out, d_h, d_c)]
            made = plain.first_of_values(kind, given, tensors, c0 is not None, len(params), _counts(sizes), batch_first)
            return [t.array for t in made]
        found = list(found)
        if found[0] is None:
            found[0] = NOTHING
        if single:
            for i in range(3 if kind == LSTM else 2):
                if found[i] is not NOTHING:
                    found[i] = found[i][0]
        return found

    def grads(grads, kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, want_x):
        upper = [None, *grads[1:]] if not want_x else list(grads)
        tensors = [t for t in (x, h0, c0, *params) if t is not None]
        found = plain.second(kind, upper, [d_out, d_h, d_c], tensors, c0 is not None, len(params), _counts(sizes), batch_first,
                             mode_bits() & GRAD_OFF == 0)
        return found if c0 is not None else [*found[:5], None, *found[5:]]
