# compiled, -O2
"""One recurrent layer, and one step of it, as ops: native forward and backward; second derivatives go through the plain
composition.
"""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.core.spec import Spec
from weft.kernels import fast
from weft.ops.core.registry import op
from weft.ops.index.arrays import contiguous
from weft.ops.nn import recurrent_plain as plain
from weft.ops.nn.recurrent_plain import GRU, LSTM, RELU, TANH
from weft.tensor.tensor import wrap

KEPT = (4, 4, 0, 0)         # what a step of each kind keeps for its gradient, in units of the hidden size


def _nothing(x):
    """An output that a kind of cell doesn't have."""
    return np.empty(0, x.dtype)


def _none(x):
    """Its Spec."""
    return Spec((0,), x.dtype)


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
        return fast.lstm_layer(contiguous(x), contiguous(h0), contiguous(c0), _flat_all(params), sizes, batch_first)
    if kind == GRU:
        found = fast.gru_layer(contiguous(x), contiguous(h0), _flat_all(params), sizes, batch_first)
        return None if found is None else (found[0], found[1], _nothing(x), found[2], _nothing(x))
    found = fast.rnn_layer(contiguous(x), contiguous(h0), _flat_all(params), sizes, batch_first, kind == RELU)
    return None if found is None else (found[0], found[1], _nothing(x), _nothing(x), _nothing(x))


def _backward(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x):
    d_out, d_h = None if d_out is None else contiguous(d_out), contiguous(d_h)
    x, h0, params = contiguous(x), contiguous(h0), _flat_all(params)
    if kind == LSTM:
        return fast.lstm_layer_backward(d_out, d_h, contiguous(d_c), x, h0, contiguous(c0), params, sizes, batch_first,
                                        output, gates, cells, want_x)
    if kind == GRU:
        return fast.gru_layer_backward(d_out, d_h, x, h0, params, sizes, batch_first, output, gates, want_x)
    return fast.rnn_layer_backward(d_out, d_h, x, h0, params, sizes, batch_first, kind == RELU, output, want_x)


@op
class _recurrent:
    """A layer over a whole sequence, x (T, B, I), (B, T, I) or packed (rows, I) with sizes.

    h0, c0 are (directions, B, H); params w_ih, w_hh(, b_ih, b_hh) of each direction.
    """
    method, outputs, nondiff, inputs, node_name = (False, "output h c gates cells", "gates cells", "x h0 c0 params",
                                                   "RecurrentBackward0")
    lists = "params"

    def forward(kind, x, h0, c0, params, sizes, batch_first):
        found = _forward(kind, x, h0, c0, params, sizes, batch_first)
        if found is not None:
            return found
        made = plain.layer(kind, wrap(x), wrap(h0), None if c0 is None else wrap(c0), [wrap(p) for p in params],
                           _counts(sizes), batch_first)
        output, h, c = [_nothing(x) if t is None else contiguous(t._array) for t in made]
        # what is kept for the native backward: the plain one makes it again
        return output, h, c, *[np.zeros(spec.shape, x.dtype) for spec in _kept(kind, x, h0)]

    def shape(kind, x, h0, c0, params, sizes, batch_first):
        state = Spec(h0.shape, x.dtype)
        output = Spec((*x.shape[:-1], h0.shape[0] * h0.shape[2]), x.dtype)
        return output, state, state if kind == LSTM else _none(x), *_kept(kind, x, h0)

    def flops(values, outs):
        return _products(values)

    def grads(grads, kind, x, h0, c0, params, sizes, batch_first, output, gates, cells, needs):
        found = _recurrent_grad(kind, grads[0], grads[1], grads[2] if kind == LSTM else None, x, h0, c0, params, sizes,
                                batch_first, output, gates, cells, needs[0])
        if kind == LSTM:
            return found if needs[0] else (None, *found[1:])
        return (found[0] if needs[0] else None, found[1], None, *found[2:])
    samples = [(LSTM, (3, 2, 3), (1, 2, 2), (1, 2, 2), [(8, 3), (8, 2), (8,), (8,)], None, False),
               (GRU, (2, 3, 3), (2, 2, 2), None, [(6, 3), (6, 2), (6, 3), (6, 2)], None, True),
               (TANH, (5, 3), (1, 3, 2), None, [(2, 3), (2, 2), (2,), (2,)], np.array([3, 2]), False)]


def _kept(kind, x, h0):
    """The Specs of the gates and cells: (directions, rows, ...)."""
    directions, _, size = h0.shape
    rows = math.prod(x.shape[:-1])
    gates = Spec((directions, rows, KEPT[kind] * size), x.dtype) if KEPT[kind] else _none(x)
    return gates, Spec((directions, rows, size), x.dtype) if kind == LSTM else _none(x)


def _products(values):
    """The operations of a layer's products: every row meets every weight."""
    rows = math.prod(values["x"][:-1])                              # time times batch
    return 2 * rows * sum([math.prod(p) for p in values["params"] if len(p) == 2])


@op
class _recurrent_grad:
    """The gradients of x, h0, c0 (of an LSTM) and the parameters, from those of output, h and c."""
    method, inputs, node_name = False, "d_out d_h d_c x h0 c0 params", "RecurrentBackwardBackward0"
    lists = "params"

    def forward(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x):
        found = _backward(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x)
        if found is not None:
            return _given(found, x)
        return _plainly(kind, (d_out, d_h, d_c), (x, h0, c0, *params), len(params), _counts(sizes), batch_first, want_x)

    def shape(kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, output, gates, cells, want_x):
        return _gradients(kind, want_x, x, h0, params)

    def flops(values, outs):
        inputs = [p for p in values["params"] if len(p) == 2 and p[1] == values["x"][-1]]
        unwanted = 0 if values["want_x"] or not inputs else 2 * math.prod(values["x"][:-1]) * math.prod(inputs[0])
        return 2 * _products(values) - unwanted

    def grads(grads, kind, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, want_x):
        return _second(kind, grads, (d_out, d_h, d_c), (x, h0, c0, *params), len(params), _counts(sizes), batch_first,
                       want_x)
    why_no_samples = "its output, gates and cells are what _recurrent made, whose samples go through it to second order"


def _gradients(kind, want_x, x, h, params):
    """The Specs of the gradients of x (if it is wanted), h, c and the parameters."""
    found = [x, h, h, *params] if kind == LSTM else [x, h, *params]
    made = [Spec(t.shape, x.dtype) for t in found]
    return made if want_x else [_none(x), *made[1:]]


def _given(found, x):
    """A kernel's gradients, with something in the place of one that wasn't wanted."""
    return found if found[0] is not None else (_nothing(x), *found[1:])


def _plainly(kind, grads, arrays, n_params, sizes, batch_first, want_x):
    """The gradients through the plain composition."""
    given = [None if g is None else wrap(g) for g in grads]
    made = plain.first_of_values(kind, given, [wrap(a) for a in arrays if a is not None], kind == LSTM, n_params,
                                 sizes, batch_first)
    found = [contiguous(t._array) for t in made]
    return found if want_x else [_nothing(found[0]), *found[1:]]


def _second(kind, upper, grads, tensors, n_params, sizes, batch_first, want_x):
    """The gradients of grads and tensors, None where one is None."""
    upper = list(upper) if want_x else [None, *upper[1:]]
    there = [t for t in tensors if t is not None]
    found = iter(plain.second(kind, upper, grads, there, kind == LSTM, n_params, sizes, batch_first,
                              mode_bits() & GRAD_OFF == 0))
    made = [next(found) for _ in grads]
    return made + [None if t is None else next(found) for t in tensors]


# one step

def _step(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
    """(h, c, gates) of the native kernel, or None."""
    x, h, w_ih, w_hh = contiguous(x), contiguous(h), contiguous(w_ih), contiguous(w_hh)
    if b_ih is not None and b_hh is not None:
        b_ih, b_hh = contiguous(b_ih), contiguous(b_hh)
    if kind == LSTM:
        return fast.lstm_cell(x, h, contiguous(c), w_ih, w_hh, b_ih, b_hh)
    if kind == GRU:
        found = fast.gru_cell(x, h, w_ih, w_hh, b_ih, b_hh)
        return None if found is None else (found[0], _nothing(x), found[1])
    found = fast.rnn_cell(x, h, w_ih, w_hh, b_ih, b_hh, kind == RELU)
    return None if found is None else (found[0], _nothing(x), _nothing(x))


def _step_back(kind, d_h, d_c, x, h, c, w_ih, w_hh, b_ih, b_hh, h_now, c_now, gates, want_x):
    d_h, x, h, w_ih, w_hh = contiguous(d_h), contiguous(x), contiguous(h), contiguous(w_ih), contiguous(w_hh)
    if b_ih is not None:
        b_ih, b_hh = contiguous(b_ih), contiguous(b_hh)
    if kind == LSTM:
        return fast.lstm_cell_backward(d_h, contiguous(d_c), x, h, contiguous(c), w_ih, w_hh, b_ih, b_hh, h_now, c_now,
                                       gates, want_x)
    if kind == GRU:
        return fast.gru_cell_backward(d_h, x, h, w_ih, w_hh, b_ih, b_hh, h_now, gates, want_x)
    return fast.rnn_cell_backward(d_h, x, h, w_ih, w_hh, b_ih, b_hh, h_now, kind == RELU, want_x)


def _weights(w_ih, w_hh, b_ih, b_hh):
    return (w_ih, w_hh) if b_ih is None else (w_ih, w_hh, b_ih, b_hh)


@op
class _recurrent_cell:
    """One step: x (B, I), h and c (B, H); both biases or none."""
    method, outputs, nondiff, node_name = False, "h_now c_now gates", "gates", "RecurrentCellBackward0"
    inputs = "x h c w_ih w_hh b_ih b_hh"
    steady = True

    def forward(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
        found = _step(kind, x, h, c, w_ih, w_hh, b_ih, b_hh)
        if found is not None:
            return found
        check_cell(kind, x, h, c, w_ih, w_hh, b_ih, b_hh)
        weights = [wrap(w) for w in _weights(w_ih, w_hh, b_ih, b_hh)]
        made = plain.layer(kind, wrap(x), wrap(h), None if c is None else wrap(c), weights, None, False)
        return (contiguous(made[1]._array), _nothing(x) if made[2] is None else contiguous(made[2]._array),
                np.zeros(_gates(kind, x, h).shape, x.dtype))

    def shape(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
        check_cell(kind, x, h, c, w_ih, w_hh, b_ih, b_hh)
        state = Spec(h.shape, x.dtype)
        return state, state if kind == LSTM else _none(x), _gates(kind, x, h)

    def flops(values, outs):
        return _cell_products(values)

    def grads(grads, kind, x, h, c, w_ih, w_hh, b_ih, b_hh, h_now, c_now, gates, needs):
        found = _recurrent_cell_grad(kind, grads[0], grads[1] if kind == LSTM else None, x, h, c, w_ih, w_hh, b_ih,
                                     b_hh, h_now, c_now, gates, needs[0])
        return (found[0] if needs[0] else None, found[1], found[2] if kind == LSTM else None,
                *found[3 if kind == LSTM else 2:])
    samples = [(LSTM, (2, 3), (2, 2), (2, 2), (8, 3), (8, 2), (8,), (8,)),
               (GRU, (2, 3), (2, 2), None, (6, 3), (6, 2), None, None),
               (RELU, (2, 3), (2, 2), None, (2, 3), (2, 2), (2,), (2,))]


def _gates(kind, x, h):
    return Spec((h.shape[0], KEPT[kind] * h.shape[1]), x.dtype) if KEPT[kind] else _none(x)


def _cell_products(values):
    return 2 * math.prod(values["x"][:-1]) * (math.prod(values["w_ih"]) + math.prod(values["w_hh"]))


@op
class _recurrent_cell_grad:
    """The gradients of x, h, c (of an LSTM) and the parameters of one step, from those of its results."""
    method, inputs, node_name = False, "d_h d_c x h c w_ih w_hh b_ih b_hh", "RecurrentCellBackwardBackward0"
    steady = True

    def forward(kind, d_h, d_c, x, h, c, w_ih, w_hh, b_ih, b_hh, h_now, c_now, gates, want_x):
        found = _step_back(kind, d_h, d_c, x, h, c, w_ih, w_hh, b_ih, b_hh, h_now, c_now, gates, want_x)
        if found is not None:
            return _given(found, x)
        weights = _weights(w_ih, w_hh, b_ih, b_hh)
        return _plainly(kind, (None, d_h, d_c), (x, h, c, *weights), len(weights), None, False, want_x)

    def shape(kind, d_h, d_c, x, h, c, w_ih, w_hh, b_ih, b_hh, h_now, c_now, gates, want_x):
        return _gradients(kind, want_x, x, h, _weights(w_ih, w_hh, b_ih, b_hh))

    def flops(values, outs):
        unwanted = 0 if values["want_x"] else 2 * math.prod(values["x"][:-1]) * math.prod(values["w_ih"])
        return 2 * _cell_products(values) - unwanted

    def grads(grads, kind, d_h, d_c, x, h, c, w_ih, w_hh, b_ih, b_hh, want_x):
        weights = _weights(w_ih, w_hh, b_ih, b_hh)
        found = _second(kind, grads, (None, d_h, d_c), (x, h, c, *weights), len(weights), None, False, want_x)[1:]
        return found if b_ih is not None else [*found, None, None]
    why_no_samples = "its gates are what _recurrent_cell made, whose samples go through it to second order"


NAMES = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def check_cell(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
    """Say what doesn't fit in the arguments (arrays) of a cell."""
    name, gates = NAMES[kind] + "_cell", plain.GATES[kind]
    if w_ih.ndim != 2 or w_hh.ndim != 2 or x.ndim != 2 or h.ndim != 2:
        fail(RuntimeError, f"{name}: Expected input and hidden to be 1D or 2D, got {x.ndim}D and {h.ndim}D instead",
             "give (batch, features)")
    if x.shape[1] != w_ih.shape[1]:
        fail(RuntimeError, f"input has inconsistent input_size: got {x.shape[1]} expected {w_ih.shape[1]}",
             f"give {name} {w_ih.shape[1]} features")
    if x.shape[0] != h.shape[0]:
        fail(RuntimeError, f"Input batch size {x.shape[0]} doesn't match hidden0 batch size {h.shape[0]}",
             "give both the same batch")
    if h.shape[1] != w_hh.shape[1]:
        fail(RuntimeError, f"hidden0 has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}",
             f"give a state of {w_hh.shape[1]} features")
    if w_ih.shape[0] != gates * w_hh.shape[1] or w_hh.shape[0] != gates * w_hh.shape[1]:
        fail(RuntimeError, f"{name}: the weights {list(w_ih.shape)} and {list(w_hh.shape)} don't have {gates} times "
             f"the hidden size of rows")
    for b in (b_ih, b_hh):
        if b is not None and b.shape != (w_hh.shape[0],):
            fail(RuntimeError, f"{name}: a bias has the shape {list(b.shape)}, expected {[w_hh.shape[0]]}")
    if c is not None and (c.shape != h.shape or c.dtype != h.dtype):
        fail(RuntimeError, f"hidden1 {list(c.shape)} {c.dtype} doesn't match hidden0 {list(h.shape)} {h.dtype}",
             "give h and c alike")
    kinds = {a.dtype.name for a in (x, h, w_ih, w_hh, b_ih, b_hh) if a is not None}
    if len(kinds) > 1:
        fail(RuntimeError, f"{name}: expected all tensors to have one dtype, got {' and '.join(sorted(kinds))}",
             "convert them with .to(dtype)")
