# compiled, -O2
"""torch.lstm, gru, rnn_tanh, rnn_relu over whole sequences, and their cells: PyTorch's functions beneath the layers of
the same names.
"""
import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import op
from weft.ops.core.samples import data
from weft.ops.nn import recurrent_plain as plain
from weft.ops.nn.attention import dropped
from weft.ops.nn.reading import values_of
from weft.ops.nn.recurrent import NAMES, _recurrent, _recurrent_cell
from weft.ops.nn.recurrent_plain import GATES, GRU, LSTM, RELU, TANH
from weft.ops.shape.join import cat
from weft.tensor.tensor import Tensor

BATCHED = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")
PACKED = ("data", "batch_sizes", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")


def _bound(kind, args, kwargs):
    """The nine arguments of either form, and whether it is the packed one."""
    packed = "data" in kwargs or "batch_sizes" in kwargs or \
        len(args) > 2 and isinstance(args[2], Tensor) or kind == LSTM and len(args) > 1 and isinstance(args[1], Tensor)
    names = PACKED if packed else BATCHED
    if not kwargs and len(args) == 9:
        return args, packed
    values = dict(zip(names, args))
    unknown = [k for k in kwargs if k not in names or k in values]
    missing = [k for k in names if k not in values and k not in kwargs]
    if unknown or missing or len(args) > 9:
        raise TypeError(f"{NAMES[kind]}() received an invalid combination of arguments\n  fix: call it as "
                        f"{NAMES[kind]}({', '.join(names)})")
    values.update(kwargs)
    return [values[k] for k in names], packed


def _batch_sizes(sizes):
    """The sizes of the steps of packed sequences, as an array; checked, since they say where rows lie."""
    found = np.ascontiguousarray(values_of(sizes, "batch_sizes"), np.int64)
    if found.ndim != 1 or not found.size or found[-1] < 1 or (np.diff(found) > 0).any():
        fail(RuntimeError, "batch_sizes: expected a vector of positive numbers that don't grow",
             "make it with nn.utils.rnn.pack_padded_sequence")
    return found


def _check_layer(name, x, hidden, params, per, gates, layer, directions):
    """Explain why weights don't fit, before any kernel sees them."""
    w_ih, w_hh = params[0]._form, params[1]._form
    size = hidden._form.shape[-1]
    if w_ih.ndim != 2 or w_hh.ndim != 2 or w_ih.shape[1] != x._form.shape[-1]:
        fail(RuntimeError, f"{name}: layer {layer} takes {w_ih.shape[-1] if w_ih.ndim else 0} features, its input has "
             f"{x._form.shape[-1]}",
             f"input.size(-1) must be equal to input_size. Expected {w_ih.shape[-1] if w_ih.ndim else 0}, got "
             f"{x._form.shape[-1]}")
    if w_hh.shape[1] != size:
        fail(RuntimeError, f"{name}: the hidden state has {size} features, the weights of layer {layer} take "
             f"{w_hh.shape[1]}",
             f"give hx the last size {w_hh.shape[1]}")
    wide = w_hh.shape[0]
    for i in range(directions * per):
        p = params[i]._form
        if p.dtype != x._form.dtype:
            fail(RuntimeError, f"{name}: the input is {x.dtype}, a weight of layer {layer} is {params[i].dtype}",
                 "convert one of them with .to(other.dtype)")
        projection = per % 2 and i % per == per - 1
        if not projection and (p.shape[0] != wide or wide % gates or
                               i % per == 0 and p.shape != w_ih.shape or i % per == 1 and p.shape != w_hh.shape):
            fail(RuntimeError, f"{name}: the weights of layer {layer} don't fit together: "
                 f"{[list(q._form.shape) for q in params[:directions * per]]}",
                 f"each has {gates} times the hidden size of rows")


def _check_states(name, x, states, layers, batch):
    for which, h in zip(("hx", "cx"), states):
        if h._form.ndim != 3 or h._form.shape[0] != layers or h._form.shape[1] != batch:
            fail(RuntimeError, f"Expected hidden[{0 if which == 'hx' else 1}] size "
                 f"{(layers, batch, h._form.shape[-1] if h._form.ndim else 0)}, got {list(h._form.shape)}",
                 f"{name} takes a state (layers * directions, batch, features)")
        if h._form.dtype != x._form.dtype:
            fail(RuntimeError, f"{name}: the input is {x.dtype}, the hidden state {h.dtype}",
                 "convert one of them with .to(other.dtype)")


def _per_direction(name, params, has_biases, num_layers, directions, projected):
    per = (4 if has_biases else 2) + projected
    if len(params) != per * num_layers * directions:
        fail(RuntimeError, f"{name}: got an incorrect number of RNN parameters: {len(params)}, expected "
             f"{per * num_layers * directions}",
             f"{num_layers} layers of {directions} directions have {per} each")
    return per


def _run(kind, args, kwargs):
    """(output, h, c) of a stack of layers."""
    name = NAMES[kind]
    values, packed = _bound(kind, args, kwargs)
    if packed:
        x, sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional = values
        sizes, batch_first = _batch_sizes(sizes), False
    else:
        x, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = values
        sizes = None
    states = list(hx) if kind == LSTM else [hx]
    if kind == LSTM and len(states) != 2:
        fail(RuntimeError, "lstm expects two hidden states", "give hx as (h, c)")
    batch_first, directions, shape = bool(batch_first), 2 if bidirectional else 1, x._form.shape
    if len(shape) != (2 if packed else 3):
        fail(RuntimeError, f"{name}: Expected a {2 if packed else 3}-D input, got {len(shape)}-D",
             "give (steps, batch, features)")
    if sizes is None and shape[1 if batch_first else 0] == 0:
        fail(RuntimeError, "Expected sequence length to be larger than 0 in RNN")
    if sizes is not None and sizes.sum() != shape[0]:
        fail(RuntimeError, f"{name}: batch_sizes sum up to {sizes.sum()}, the data has {shape[0]} rows",
             "take both from one PackedSequence")
    batch = int(sizes[0]) if packed else shape[0 if batch_first else 1]
    projected = kind == LSTM and states[0]._form.shape[-1] != states[1]._form.shape[-1]
    per = _per_direction(name, params, has_biases, num_layers, directions, projected)
    _check_states(name, x, states, num_layers * directions, batch)
    made = []
    for k in range(num_layers):
        at = k * directions
        own = list(params[at * per:(at + directions) * per])
        h, c = [s if num_layers == 1 else s[at:at + directions] for s in states] if kind == LSTM else \
            (states[0] if num_layers == 1 else states[0][at:at + directions], None)
        _check_layer(name, x, h, own, per, GATES[kind], k, directions)
        if projected:
            counts = None if sizes is None else [int(n) for n in sizes]
            x, h, c = plain.layer(kind, x, h, c, own, counts, batch_first)
        else:
            x, h, c = _recurrent(kind, x, h, c, own, sizes, batch_first)[:3]
        made.append((h, c))
        if dropout > 0 and train and k < num_layers - 1:
            x = dropped(x, dropout, batch_first)        # drawn in the order (steps, batch, features)
    if num_layers == 1:
        return x, made[0][0], made[0][1]
    return x, _stacked([h for h, _ in made]), _stacked([c for _, c in made]) if kind == LSTM else None


def _stacked(states):
    return cat(states, 0)


ARGUMENTS = "input hx params has_biases num_layers dropout train bidirectional batch_first"


@op
class lstm:
    """A stack of LSTM layers: (output, h, c); hx is (h, c), params the weights and biases layer by layer. Packed:
    lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)."""
    method = False

    def autocast(*args, **kwargs):      # packed it keeps the types of its states, as PyTorch's
        return "lower" if isinstance(args[1], (list, tuple)) else None

    def compose(*args, **kwargs):
        return _run(LSTM, args, kwargs)
    compose.shown = ARGUMENTS
    samples = [((3, 2, 3), [(1, 2, 2), (1, 2, 2)], [(8, 3), (8, 2), (8,), (8,)], True, 1, 0.0, False, False, False),
               ((2, 3, 3), [(2, 2, 2), (2, 2, 2)], [(8, 3), (8, 2), (8, 2), (8, 2)], False, 2, 0.0, False, False, True),
               ((2, 2, 3), [(1, 2, 2), (1, 2, 3)], [(12, 3), (12, 2), (2, 3)], False, 1, 0.0, False, False, False),
               ((5, 3), data([3, 2]), [(2, 3, 1), (2, 3, 1)], [(4, 3), (4, 1), (4, 3), (4, 1)], False, 1, 0.0, False,
                True)]


@op
class gru:
    """A stack of GRU layers: (output, h); the arguments are lstm's, with one state."""
    method = False

    def compose(*args, **kwargs):
        return _run(GRU, args, kwargs)[:2]
    compose.shown = ARGUMENTS
    samples = [((3, 2, 3), (1, 2, 2), [(6, 3), (6, 2), (6,), (6,)], True, 1, 0.0, False, False, False)]


@op
class rnn_tanh:
    """A stack of recurrent layers with tanh: (output, h); the arguments are lstm's, with one state."""
    autocast = "lower"
    method = False

    def compose(*args, **kwargs):
        return _run(TANH, args, kwargs)[:2]
    compose.shown = ARGUMENTS
    samples = [((3, 2, 3), (2, 2, 2), [(2, 3), (2, 2), (2, 3), (2, 2)], False, 1, 0.0, False, True, False)]


@op
class rnn_relu:
    """A stack of recurrent layers with relu: (output, h); the arguments are lstm's, with one state."""
    autocast = "lower"
    method = False

    def compose(*args, **kwargs):
        return _run(RELU, args, kwargs)[:2]
    compose.shown = ARGUMENTS
    samples = [((3, 2, 3), (1, 2, 2), [(2, 3), (2, 2), (2,), (2,)], True, 1, 0.0, False, False, False)]


# single steps

def _cell(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
    """The results of one step."""
    if not (isinstance(x, Tensor) and isinstance(h, Tensor) and isinstance(w_ih, Tensor) and isinstance(w_hh, Tensor)):
        raise TypeError(f"{NAMES[kind]}_cell(): expected tensors, got "
                        f"{', '.join([type(t).__name__ for t in (x, h, w_ih, w_hh)])}")
    if x._form.ndim == 1 and h._form.ndim == 1:
        made = _cell(kind, x.unsqueeze(0), h.unsqueeze(0), None if c is None else c.unsqueeze(0), w_ih, w_hh, b_ih,
                     b_hh)
        return [t.squeeze(0) for t in made[:2 if kind == LSTM else 1]]
    if (b_ih is None) != (b_hh is None):
        zeros = (b_ih if b_hh is None else b_hh).new_zeros(w_hh.shape[0])
        b_ih, b_hh = zeros if b_ih is None else b_ih, zeros if b_hh is None else b_hh
    return _recurrent_cell(kind, x, h, c, w_ih, w_hh, b_ih, b_hh)


@op
class lstm_cell:
    """One step of an LSTM: (h, c)."""
    method = False

    def compose(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        if len(hx) != 2:
            fail(RuntimeError, "lstm_cell expects two hidden states", "give hx as (h, c)")
        made = _cell(LSTM, input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh)
        return made[0], made[1]
    samples = [((2, 3), [(2, 2), (2, 2)], (8, 3), (8, 2), (8,), (8,)), ((3,), [(2,), (2,)], (8, 3), (8, 2))]


@op
class gru_cell:
    """One step of a GRU: h."""
    method = False

    def compose(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        return _cell(GRU, input, hx, None, w_ih, w_hh, b_ih, b_hh)[0]
    samples = [((2, 3), (2, 4), (12, 3), (12, 4), (12,), (12,))]


@op
class rnn_tanh_cell:
    """One step of a plain recurrent layer: tanh of the sums."""
    autocast = "lower"
    method = False

    def compose(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        return _cell(TANH, input, hx, None, w_ih, w_hh, b_ih, b_hh)[0]
    samples = [((2, 3), (2, 4), (4, 3), (4, 4), (4,), (4,))]


@op
class rnn_relu_cell:
    """One step of a plain recurrent layer: relu of the sums."""
    autocast = "lower"
    method = False

    def compose(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        return _cell(RELU, input, hx, None, w_ih, w_hh, b_ih, b_hh)[0]
    samples = [((2, 3), (2, 4), (4, 3), (4, 4), (4,), (4,))]
