"""Recurrent layers and their cells."""
import math
import numbers
import warnings

from weft.core.errors import fail
from weft.core.modes import AUTOCAST
from weft.core.runtime import mode_bits
from weft.nn import init
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.nn.ragged import is_ragged, over_packed
from weft.nn.utils.rnn import PackedSequence
from weft.ops.core.samples import built
from weft.ops.create.constants import empty, zeros
from weft.tensor.names import FUNCTIONS

__all__ = ("GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase")
_packed = built(lambda torch: torch.nn.utils.rnn.pack_padded_sequence(
    torch.arange(12.0, dtype=torch.float64).sin().reshape(3, 2, 2), torch.tensor([2, 3]), enforce_sorted=False))
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


RENAMED = {"_names": "_flat_weights_names"}        # in older pickles
KEPT_BY_PYTORCH = ("_flat_weights", "_flat_weight_refs", "_all_weights")


class RNNBase(Module):
    """Several layers of one kind, in one or both directions.

    >>> import weft
    >>> issubclass(weft.nn.LSTM, weft.nn.RNNBase)
    True
    >>> rnn = weft.nn.GRU(3, 4, num_layers=2)
    >>> rnn.mode, rnn.num_layers
    ('GRU', 2)
    """

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                     "bidirectional", "proj_size"]

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        _check(mode, input_size, hidden_size, num_layers, dropout, proj_size, bias=bias, batch_first=batch_first)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional, self.proj_size = (
            bias, batch_first, float(dropout), bidirectional, proj_size)
        self._flat_weights_names = []
        self._make_weights(device, dtype)
        self.reset_parameters()

    def _make_weights(self, device, dtype):
        directions = 2 if self.bidirectional else 1
        rows, given = GATES[self.mode] * self.hidden_size, self.proj_size or self.hidden_size
        for layer in range(self.num_layers):
            for direction in range(directions):
                width = self.input_size if layer == 0 else given * directions
                shapes = {"weight_ih": (rows, width), "weight_hh": (rows, given)}
                if self.bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if self.proj_size:
                    shapes["weight_hr"] = (self.proj_size, self.hidden_size)
                for kind, shape in shapes.items():
                    name = f"{kind}_l{layer}" + ("_reverse" if direction else "")
                    setattr(self, name, Parameter(empty(shape, device=device, dtype=dtype)))
                    self._flat_weights_names.append(name)

    @property
    def _flat_weights(self):
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self):
        """The parameters, a list for each layer and direction.

        >>> import weft
        >>> rnn = weft.nn.GRU(3, 4, num_layers=2, bias=False)
        >>> [[tuple(w.shape) for w in layer] for layer in rnn.all_weights]
        [[(12, 3), (12, 4)], [(12, 4), (12, 4)]]
        """
        n = len(self._flat_weights_names) // (self.num_layers * (2 if self.bidirectional else 1))
        flat = self._flat_weights
        return [flat[i:i + n] for i in range(0, len(flat), n)]

    def __getstate__(self):
        """With the lists that PyTorch's layers keep and expect."""
        names = self._flat_weights_names
        n = len(names) // (self.num_layers * (2 if self.bidirectional else 1))
        return {**self.__dict__, "_flat_weights": self._flat_weights,
                "_all_weights": [names[i:i + n] for i in range(0, len(names), n)]}

    def __setstate__(self, values):
        values = {RENAMED.get(k, k): v for k, v in values.items() if k not in KEPT_BY_PYTORCH}
        values.setdefault("proj_size", 0)
        super().__setstate__(values)

    def flatten_parameters(self):
        """Nothing to do: the kernels take the weights where they lie.

        >>> import weft
        >>> rnn = weft.nn.LSTM(3, 4)
        >>> rnn.flatten_parameters()
        >>> rnn(weft.ones(5, 1, 3))[0].shape
        torch.Size([5, 1, 4])
        """

    def reset_parameters(self):
        """Uniform within 1 / sqrt(hidden_size).

        >>> import weft
        >>> rnn = weft.nn.GRU(3, 4)
        >>> rnn.reset_parameters()
        >>> bool(rnn.weight_ih_l0.abs().max() <= 0.5)
        True
        """
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input, batch_sizes):
        """Refuse an input of the wrong size.

        >>> import weft
        >>> weft.nn.GRU(3, 4).check_input(weft.ones(5, 1, 2), None)
        Traceback (most recent call last):
            ...
        RuntimeError: ...
        """
        kind = getattr(self, self._flat_weights_names[0]).dtype
        if input.dtype != kind and mode_bits() & AUTOCAST == 0:
            fail(ValueError, f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind})",
                 f"convert the input with .to({kind}), or the model with .to({input.dtype})")
        dims = 2 if batch_sizes is not None else 3
        if input.dim() != dims:
            fail(RuntimeError, f"input must have {dims} dimensions, got {input.dim()}",
                 "give (time, batch, features), or (batch, time, features) with batch_first=True")
        if self.input_size != input.size(-1):
            fail(RuntimeError, f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                 f"{input.size(-1)}",
                 f"make the layer {type(self).__name__}({input.size(-1)}, {self.hidden_size}), or give it "
                 f"{self.input_size} features")

    def _eval_differs(self):
        return self.dropout > 0 and self.num_layers > 1

    def _expected(self, batch, width):
        return (self.num_layers * (2 if self.bidirectional else 1), batch, width)

    def _check_state(self, state, expected, name="hidden"):
        if tuple(state.shape) != expected:
            raise RuntimeError(f"Expected {name} size {expected}, got {list(state.shape)}")

    def _prepared(self, input, hx):
        """(data, batch_sizes, state, batched?, order) of what forward was given."""
        if isinstance(input, PackedSequence):
            data, sizes, order, _ = input
            self.check_input(data, sizes)
            return data, sizes, hx, True, order
        if input.dim() not in (2, 3):
            order = "batch, time" if self.batch_first else "time, batch"
            fail(ValueError, f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead: its "
                 f"shape is {list(input.shape)}", f"give it ({order}, features), or (time, features) for one sequence")
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        self.check_input(input, None)
        return input, None, hx, batched, None

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, default in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
                              ("dropout", 0.0), ("bidirectional", False)):
            if getattr(self, name) != default:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)

    _why_no_samples = "says what all recurrent layers have; has no forward"


def _check(mode, input_size, hidden_size, num_layers, dropout, proj_size, **flags):
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being "
                         "zeroed")
    if dropout > 0 and num_layers == 1:
        warnings.warn(f"dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                      f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}", stacklevel=4)
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in GATES:
        raise ValueError("Unrecognized RNN mode: " + mode)
    if proj_size and mode != "LSTM":
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class _OneState(RNNBase):
    """RNN and GRU: one state."""

    _function = None

    def forward(self, input, hx=None):
        if is_ragged(input):
            return over_packed(self, input, hx)
        data, sizes, hx, batched, order = self._prepared(input, hx)
        batch = int(sizes[0]) if sizes is not None else data.size(0 if self.batch_first else 1)
        expected = self._expected(batch, self.hidden_size)
        if hx is None:
            hx = zeros(expected, dtype=data.dtype, device=data.device)
        else:
            if not batched:
                if hx.dim() != 2:
                    raise RuntimeError(f"For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor")
                hx = hx.unsqueeze(1)
            hx = hx if order is None else hx.index_select(1, order)
            self._check_state(hx, expected)
        settings = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        function = self._op()
        if sizes is None:
            output, hidden = function(data, hx, self._flat_weights, *settings, self.batch_first)
        else:
            output, hidden = function(data, sizes, hx, self._flat_weights, *settings)
        return _given_back(input, output, (hidden,), batched, self.batch_first)


def _given_back(input, output, states, batched, batch_first):
    """Outputs and states in the form in which the input came."""
    if isinstance(input, PackedSequence):
        output = PackedSequence(output, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
        if input.unsorted_indices is not None:
            states = tuple(s.index_select(1, input.unsorted_indices) for s in states)
    elif not batched:
        output, states = output.squeeze(0 if batch_first else 1), tuple(s.squeeze(1) for s in states)
    return output, states[0] if len(states) == 1 else states


class RNN(_OneState):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or with relu.

    Shape: (L, N, input_size), or (N, L, input_size) with batch_first -> (L, N, D * hidden_size) and the last state
    (D * num_layers, N, hidden_size), D = 2 if bidirectional, else 1. A list of N sequences (length, input_size), or a
    nested tensor, -> the same of outputs (length, D * hidden_size), and the last states.

    >>> import weft
    >>> from weft import nn
    >>> nn.RNN(3, 4)(weft.zeros(5, 2, 3))[0].shape
    torch.Size([5, 2, 4])
    """

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None, proj_size=0):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        if proj_size:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, bias, batch_first,
                         dropout, bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity

    def _op(self):
        return FUNCTIONS["rnn_tanh" if self.mode == "RNN_TANH" else "rnn_relu"]

    _samples = [((2, 3), {}, [(3, 2, 2)]),
                ((2, 2), {"num_layers": 2, "bidirectional": True, "nonlinearity": "relu", "batch_first": True},
                 [(1, 2, 2)]), ((2, 3), {"bias": False}, [(2, 2), (1, 3)]),
                ((2, 3), {"num_layers": 2, "dropout": 0.5}, [(2, 2, 2)]), ((2, 2), {}, [_packed])]


class GRU(_OneState):
    """Gated recurrent units.

    Shape: (L, N, input_size), or (N, L, input_size) with batch_first -> (L, N, D * hidden_size) and the last state
    (D * num_layers, N, hidden_size), D = 2 if bidirectional, else 1. A list of N sequences (length, input_size), or a
    nested tensor, -> the same of outputs (length, D * hidden_size), and the last states.

    >>> import weft
    >>> from weft import nn
    >>> nn.GRU(3, 4)(weft.zeros(5, 2, 3))[0].shape
    torch.Size([5, 2, 4])
    """

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, device=None, dtype=None, proj_size=0):
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         proj_size, device, dtype)

    def _op(self):
        return FUNCTIONS["gru"]

    _samples = [((2, 3), {}, [(3, 2, 2)]),
                ((2, 2), {"num_layers": 2, "bidirectional": True, "batch_first": True}, [(1, 2, 2)]),
                ((2, 3), {"bias": False}, [(2, 2), (1, 3)]), ((2, 3), {"num_layers": 2, "dropout": 0.5}, [(2, 2, 2)]),
                ((2, 2), {}, [_packed])]


class LSTM(RNNBase):
    """Long short-term memory; the state is (h, c).

    Shape: (L, N, input_size), or (N, L, input_size) with batch_first -> (L, N, D * hidden_size) and the last (h,
    c), each (D * num_layers, N, hidden_size), D = 2 if bidirectional, else 1. A list of N sequences (length,
    input_size), or a nested tensor, -> the same of outputs (length, D * hidden_size), and the last states.

    >>> import weft
    >>> from weft import nn
    >>> nn.LSTM(3, 4)(weft.zeros(5, 2, 3))[0].shape
    torch.Size([5, 2, 4])
    >>> [out.shape for out in nn.LSTM(3, 4)([weft.zeros(5, 3), weft.zeros(2, 3)])[0]]
    [torch.Size([5, 4]), torch.Size([2, 4])]
    """

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         proj_size, device, dtype)

    def forward(self, input, hx=None):
        if is_ragged(input):
            return over_packed(self, input, hx)
        data, sizes, hx, batched, order = self._prepared(input, hx)
        batch = int(sizes[0]) if sizes is not None else data.size(0 if self.batch_first else 1)
        widths = (self.proj_size or self.hidden_size, self.hidden_size)
        if hx is None:
            h = zeros(self._expected(batch, widths[0]), dtype=data.dtype, device=data.device)
            hx = h, h if widths[0] == widths[1] else zeros(self._expected(batch, widths[1]), dtype=data.dtype,
                                                           device=data.device)
        else:
            hx = tuple(hx)
            if not batched:
                if hx[0].dim() != 2 or hx[1].dim() != 2:
                    raise RuntimeError(f"For unbatched 2-D input, hx and cx should also be 2-D but got "
                                       f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")
                hx = tuple(s.unsqueeze(1) for s in hx)
            hx = hx if order is None else tuple(s.index_select(1, order) for s in hx)
            for state, width, name in zip(hx, widths, ("hidden[0]", "hidden[1]")):
                self._check_state(state, self._expected(batch, width), name)
        settings = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if sizes is None:
            output, h, c = FUNCTIONS["lstm"](data, hx, self._flat_weights, *settings, self.batch_first)
        else:
            output, h, c = FUNCTIONS["lstm"](data, sizes, hx, self._flat_weights, *settings)
        return _given_back(input, output, (h, c), batched, self.batch_first)

    _samples = [((2, 3), {}, [(3, 2, 2)]),
                ((2, 2), {"num_layers": 2, "bidirectional": True, "batch_first": True}, [(1, 2, 2)]),
                ((2, 3), {"bias": False, "proj_size": 2}, [(2, 2), ((1, 2), (1, 3))]),
                ((2, 3), {"num_layers": 2, "dropout": 0.5}, [(2, 2, 2)]), ((2, 2), {}, [_packed])]


class RNNCellBase(Module):
    """One step of a recurrent layer.

    >>> import weft
    >>> cell = weft.nn.GRUCell(3, 4)
    >>> isinstance(cell, weft.nn.RNNCellBase), cell.hidden_size
    (True, 4)
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    reset_parameters = RNNBase.reset_parameters

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")

    def _step(self, function, input, states):
        """Run the op on a batch, which is made of one example where there is none."""
        kind = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{kind}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for state in states or ():
            if state.dim() not in (1, 2):
                raise ValueError(f"{kind}: Expected hidden to be 1D or 2D, got {state.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        n = 2 if kind == "LSTMCell" else 1
        if states is None:
            states = [zeros((x.size(0), self.hidden_size), dtype=x.dtype, device=x.device)] * n
        else:
            states = [s if s.dim() == 2 else s.unsqueeze(0) for s in states]
        made = function(x, tuple(states) if n == 2 else states[0], self.weight_ih, self.weight_hh, self.bias_ih,
                        self.bias_hh)
        if batched:
            return made
        return tuple(m.squeeze(0) for m in made) if n == 2 else made.squeeze(0)

    _why_no_samples = "says what all cells have; has no forward"


class RNNCell(RNNCellBase):
    """One step of an RNN.

    Shape: (N, input_size) and (N, hidden_size) -> (N, hidden_size).

    >>> import weft
    >>> from weft import nn
    >>> nn.RNNCell(3, 4)(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(FUNCTIONS[f"rnn_{self.nonlinearity}_cell"], input, None if hx is None else (hx,))

    def extra_repr(self):
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")

    _samples = [((2, 3), {}, [(2, 2)]), ((2, 3), {"bias": False, "nonlinearity": "relu"}, [(2,), (3,)])]


class LSTMCell(RNNCellBase):
    """One step of an LSTM: (h, c).

    Shape: (N, input_size) and (h, c), each (N, hidden_size) -> (h, c).

    >>> import weft
    >>> from weft import nn
    >>> nn.LSTMCell(3, 4)(weft.zeros(2, 3))[0].shape
    torch.Size([2, 4])
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        return self._step(FUNCTIONS["lstm_cell"], input, hx)

    _samples = [((2, 3), {}, [(2, 2)]), ((2, 3), {"bias": False}, [(2,), ((3,), (3,))])]


class GRUCell(RNNCellBase):
    """One step of a GRU.

    Shape: (N, input_size) and (N, hidden_size) -> (N, hidden_size).

    >>> import weft
    >>> from weft import nn
    >>> nn.GRUCell(3, 4)(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(FUNCTIONS["gru_cell"], input, None if hx is None else (hx,))

    _samples = [((2, 3), {}, [(2, 2)]), ((2, 3), {"bias": False}, [(2,), (3,)])]
