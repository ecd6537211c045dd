"""Recurrent layers and cells: kernels against the plain composition, gradients, packed sequences, threads, errors."""
import itertools

import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.ops.nn import recurrent_plain as plain
from weft.ops.nn.recurrent_plain import GATES, GRU, LSTM, RELU, TANH

KINDS = (LSTM, GRU, TANH, RELU)
NAMES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
FUNCTIONS = (weft.lstm, weft.gru, weft.rnn_tanh, weft.rnn_relu)
needs_kernels = pytest.mark.skipif(fast.lib is None, reason="the plain composition would be compared with itself")
CELLS = (weft.lstm_cell, weft.gru_cell, weft.rnn_tanh_cell, weft.rnn_relu_cell)


def tensor(rng, *shape, dtype=np.float64, grad=True):
    return weft.tensor((rng.standard_normal(shape) * 0.5).astype(dtype), requires_grad=grad)


class Case:
    """The tensors of one layer."""

    def __init__(self, kind, steps, batch, inputs, hidden, directions=1, biased=True, batch_first=False, lengths=None,
                 dtype=np.float64, layers=1):
        rng = np.random.default_rng(0)
        self.kind, self.batch_first, self.layers, self.directions, self.biased = (
            kind, batch_first, layers, directions, biased)
        self.sizes = None if lengths is None else [sum(n > t for n in lengths) for t in range(max(lengths))]
        shape = (sum(self.sizes),) if lengths else (batch, steps) if batch_first else (steps, batch)
        self.x = tensor(rng, *shape, inputs, dtype=dtype)
        self.states = [tensor(rng, layers * directions, batch, hidden, dtype=dtype)
                       for _ in range(2 if kind == LSTM else 1)]
        wide = GATES[kind] * hidden
        self.params = []
        for k in range(layers):
            for _ in range(directions):
                self.params += [tensor(rng, wide, inputs if k == 0 else directions * hidden, dtype=dtype),
                                tensor(rng, wide, hidden, dtype=dtype)]
                self.params += [tensor(rng, wide, dtype=dtype), tensor(rng, wide, dtype=dtype)] if biased else []

    @property
    def tensors(self):
        return [self.x, *self.states, *self.params]

    def run(self, x, *rest, dropout=0.0):
        n = len(self.states)
        hx = tuple(rest[:n]) if self.kind == LSTM else rest[0]
        tail = (hx, list(rest[n:]), self.biased, self.layers, dropout, True, self.directions == 2)
        if self.sizes is not None:
            return FUNCTIONS[self.kind](x, weft.tensor(self.sizes), *tail)
        return FUNCTIONS[self.kind](x, *tail, self.batch_first)

    def plain(self, x, *rest):
        """The same of small ops, layer by layer."""
        n, d = len(self.states), self.directions
        per = len(self.params) // (self.layers * d)
        hs, cs = [], []
        for k in range(self.layers):
            states = [s[k * d:(k + 1) * d] for s in rest[:n]] + [None]
            x, h, c = plain.layer(self.kind, x, states[0], states[1], rest[n:][k * d * per:(k + 1) * d * per],
                                  self.sizes, self.batch_first)
            hs.append(h)
            cs.append(c)
        return [x, weft.cat(hs)] + ([weft.cat(cs)] if self.kind == LSTM else [])

    def compare(self, tolerance):
        """Results and gradients of both."""
        mine, theirs = self.run(*self.tensors), self.plain(*self.tensors)
        grads = [weft.cos(weft.arange(m.numel(), dtype=m.dtype)).view(m.shape) for m in theirs]
        mine = [*mine, *weft.autograd.grad(mine, self.tensors, grads)]
        theirs = [*theirs, *weft.autograd.grad(theirs, self.tensors, grads)]
        for a, b in zip(mine, theirs):
            assert a.shape == b.shape and np.allclose(a.detach().numpy(), b.detach().numpy(), tolerance,
                                                      tolerance * max(1.0, b.abs().max().item()))


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("directions, biased, batch_first",
                         list(itertools.product((1, 2), (True, False), (False, True))))
def test_layers_agree_with_small_ops(kind, directions, biased, batch_first):
    Case(kind, 7, 3, 5, 9, directions, biased, batch_first).compare(1e-11)
    Case(kind, 4, 7, 3, 33, directions, biased, batch_first, dtype=np.float32).compare(2e-5)


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps, batch, inputs, hidden", [(1, 1, 1, 1), (1, 4, 3, 8), (40, 1, 8, 31), (20, 2, 5, 70),
                                                          (3, 33, 400, 17), (5, 8, 16, 340), (2, 13, 3, 7)])
def test_odd_sizes(kind, steps, batch, inputs, hidden):
    Case(kind, steps, batch, inputs, hidden).compare(1e-10)


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("directions", (1, 2))
@pytest.mark.parametrize("lengths", ([1], [3, 1], [7, 5, 5, 1], [30, 20, 20, 9, 9, 9, 2, 1, 1]))
def test_packed_sequences(kind, directions, lengths):
    Case(kind, 0, len(lengths), 5, 9, directions, lengths=lengths).compare(1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_stacks_of_layers(kind):
    Case(kind, 6, 3, 5, 9, 2, layers=3).compare(1e-11)


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_threads(kind):
    for options in (dict(steps=12, batch=21, inputs=30, hidden=65), dict(steps=30, batch=1, inputs=30, hidden=65,
                                                                         directions=2),
                    dict(steps=0, batch=9, inputs=20, hidden=65, directions=2, lengths=[30, 20, 20, 9, 9, 9, 2, 1, 1])):
        case, found = Case(kind, dtype=np.float32, **options), []
        before = weft.get_num_threads()
        try:
            for threads in (1, 2, 5):
                weft.set_num_threads(threads)
                made = case.run(*case.tensors)
                found.append([t.detach().numpy()
                              for t in (*made, *weft.autograd.grad([m.sum() for m in made], case.tensors))])
        finally:
            weft.set_num_threads(before)
        for other in found[1:]:
            assert all(np.array_equal(a, b) for a, b in zip(found[0], other))


@pytest.mark.parametrize("kind", (LSTM, GRU, TANH))
@pytest.mark.parametrize("lengths", (None, [2, 1]))
def test_first_and_second_gradients(kind, lengths):
    case = Case(kind, 2, 2, 1, 1 if kind == LSTM else 2, 2, lengths=lengths)
    assert weft.autograd.gradcheck(case.run, case.tensors)
    if fast.lib is not None:        # in plain Python it takes a minute
        assert weft.autograd.gradgradcheck(case.run, case.tensors)


def test_third_gradients():
    case = Case(TANH, 2, 1, 1, 1)
    out = case.run(*case.tensors)[0].sum()
    for _ in range(3):
        g, = weft.autograd.grad(out, case.params[:1], create_graph=True)
        out = g.sum()
    w = case.params[0]

    def second(v):
        made = case.run(case.x, *case.states, v, *case.params[1:])[0].sum()
        for _ in range(2):
            made = weft.autograd.grad(made, v, create_graph=True)[0].sum()
        return made.item()
    high, low = [second((w.detach() + d).requires_grad_()) for d in (1e-5, -1e-5)]
    assert abs((high - low) / 2e-5 - g.item()) < 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch, inputs, hidden, biased", [(1, 5, 7, True), (3, 5, 8, False), (17, 33, 40, True),
                                                           (1, 200, 100, True)])
def test_cells_agree_with_small_ops(kind, batch, inputs, hidden, biased):
    rng, wide = np.random.default_rng(1), GATES[kind] * hidden
    x, h, c = (tensor(rng, batch, inputs), tensor(rng, batch, hidden), tensor(rng, batch, hidden) if kind == LSTM
               else None)
    params = [tensor(rng, *s) for s in ((wide, inputs), (wide, hidden), (wide,), (wide,))[:4 if biased else 2]]
    mine = CELLS[kind](x, (h, c) if kind == LSTM else h, *params)
    mine = list(mine) if kind == LSTM else [mine]
    theirs = [t for t in plain.layer(kind, x, h, c, params, None, False)[1:] if t is not None]
    tensors = [t for t in (x, h, c, *params) if t is not None]
    grads = [weft.cos(weft.arange(m.numel(), dtype=m.dtype)).view(m.shape) for m in theirs]
    for a, b in zip([*mine, *weft.autograd.grad(mine, tensors, grads)],
                    [*theirs, *weft.autograd.grad(theirs, tensors, grads)]):
        assert weft.allclose(a, b, 1e-10, 1e-10)


@pytest.mark.parametrize("kind", (LSTM, GRU, TANH))
def test_gradients_of_cells(kind):
    rng, wide = np.random.default_rng(2), GATES[kind] * 2
    tensors = [tensor(rng, *s) for s in ((2, 3), (2, 2), (2, 2), (wide, 3), (wide, 2), (wide,), (wide,))]

    def run(x, h, c, *params):
        return CELLS[kind](x, (h, c), *params) if kind == LSTM else CELLS[kind](x, h, *params) + 0 * c
    assert weft.autograd.gradcheck(run, tensors)
    if fast.lib is not None:
        assert weft.autograd.gradgradcheck(run, tensors)
    assert weft.autograd.gradcheck(lambda *t: run(*t[:5]), tensors[:5])


def test_cells_without_a_batch_and_with_one_bias():
    rng = np.random.default_rng(3)
    x, h, w, u, b = tensor(rng, 3), tensor(rng, 4), tensor(rng, 12, 3), tensor(rng, 12, 4), tensor(rng, 12)
    whole = weft.gru_cell(x[None], h[None], w, u, b, weft.zeros(12, dtype=weft.float64))
    assert weft.allclose(weft.gru_cell(x, h, w, u, b), whole[0])


def test_strides_are_copied_away():
    case = Case(LSTM, 5, 4, 6, 8)
    with weft.no_grad():
        expected = case.run(*case.tensors)
        wide = weft.randn(5, 4, 12, dtype=weft.float64)
        wide[..., ::2] = case.x
        params = [p.t().contiguous().t() if p.dim() == 2 else p for p in case.params]
        for a, b in zip(case.run(wide[..., ::2], *case.states, *params), expected):
            assert weft.equal(a, b)


def test_half_types():
    case = Case(GRU, 5, 4, 6, 8, dtype=np.float32)
    exact = case.run(*case.tensors)[0]
    half = [t.detach().bfloat16().requires_grad_() for t in case.tensors]
    made = case.run(*half)[0]
    made.sum().backward()
    assert made.dtype == weft.bfloat16 and half[0].grad.dtype == weft.bfloat16
    assert (made.float() - exact).abs().max() < 0.05


def test_projections():
    rng = np.random.default_rng(4)
    x, h, c = tensor(rng, 3, 2, 4), tensor(rng, 1, 2, 3), tensor(rng, 1, 2, 5)
    params = [tensor(rng, *s) for s in ((20, 4), (20, 3), (20,), (20,), (3, 5))]
    out, h_last, c_last = weft.lstm(x, (h, c), params, True, 1, 0.0, True, False, False)
    assert out.shape == (3, 2, 3) and h_last.shape == (1, 2, 3) and c_last.shape == (1, 2, 5)
    assert weft.autograd.gradcheck(lambda *t: weft.lstm(t[0], (t[1], t[2]), list(t[3:]), True, 1, 0.0, True, False,
                                                        False), [x, h, c, *params])


def test_dropout_is_between_layers_only():
    case = Case(LSTM, 4, 3, 5, 6, layers=2)
    weft.manual_seed(0)
    a = case.run(*case.tensors, dropout=0.5)[0]
    weft.manual_seed(0)
    b = case.run(*case.tensors, dropout=0.5)[0]
    assert weft.equal(a, b) and not weft.allclose(a, case.run(*case.tensors)[0])
    one = Case(LSTM, 4, 3, 5, 6)
    assert weft.equal(one.run(*one.tensors, dropout=0.5)[0], one.run(*one.tensors)[0])


def test_no_gradient_for_what_needs_none():
    case = Case(LSTM, 4, 3, 5, 6)
    x = case.x.detach()
    made = case.run(x, *case.states, *case.params)
    grads = weft.autograd.grad(made[0].sum(), case.params)
    case.x.requires_grad_()
    for a, b in zip(grads, weft.autograd.grad(case.run(*case.tensors)[0].sum(), case.params)):
        assert weft.equal(a, b)


def test_saved_values_are_guarded():
    case = Case(GRU, 4, 3, 5, 6)
    made = case.run(*case.tensors)[0]
    with weft.no_grad():
        case.params[1].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        made.sum().backward()


@pytest.mark.parametrize("name, change, words", [
    ("input", lambda a: (a[0][..., :4], *a[1:]), "features"), ("hx", lambda a: (a[0], (a[1][0],), *a[2:]),
                                                               "two hidden states"),
    ("batch", lambda a: (a[0], (a[1][0][:, :1], a[1][1]), *a[2:]), "Expected hidden"),
    ("count", lambda a: (*a[:2], a[2][:3], *a[3:]), "number of RNN parameters"),
    ("rows", lambda a: (*a[:2], [a[2][0], a[2][1], a[2][2][:5], a[2][3]], *a[3:]), "don't fit"),
    ("empty", lambda a: (a[0][:0], *a[1:]), "larger than 0"), ("type", lambda a: (a[0].float(), *a[1:]), "float32"),
    ("dims", lambda a: (a[0][0], *a[1:]), "3-D")])
def test_errors(name, change, words):
    case = Case(LSTM, 4, 3, 5, 6)
    given = (case.x, tuple(case.states), case.params, True, 1, 0.0, True, False, False)
    with pytest.raises(RuntimeError, match=words):
        weft.lstm(*change(given))


def test_errors_of_packed_sequences_and_cells():
    case = Case(GRU, 0, 2, 5, 6, lengths=[3, 2])
    tail = (case.states[0], case.params, True, 1, 0.0, True, False)
    for sizes in ([2, 3], [2, 2, 2], [], [2, 2, 0]):
        with pytest.raises(RuntimeError, match="batch_sizes"):
            weft.gru(case.x, weft.tensor(sizes, dtype=weft.int64), *tail)
    with pytest.raises(TypeError, match="call it as"):
        weft.gru(case.x)
    w, u = case.params[0], case.params[1]
    for x, h, words in ((case.x[:, :4], weft.zeros(5, 6).double(), "input_size"),
                        (case.x, weft.zeros(4, 6).double(), "batch size"),
                        (case.x, weft.zeros(5, 7).double(), "hidden_size"), (case.x, weft.zeros(5, 6), "one dtype")):
        with pytest.raises(RuntimeError, match=words):
            weft.gru_cell(x, h, w, u)


def test_kernels_refuse_what_does_not_fit():
    x, h, w, u = np.zeros((3, 2, 4), np.float32), np.zeros((1, 2, 5),
                                                           np.float32), np.zeros((5, 4),
                                                                                 np.float32), np.zeros((5, 5),
                                                                                                       np.float32)
    sizes = np.array([2, 1])
    for bad in ((x, h[:, :1], [w, u], None, False), (x, h, [w], None, False), (x, h, [u, u], None, False),
                (x, h, [w, u], sizes, False), (x[0], h, [w, u], sizes + 1, False), (x[0], h, [w, u], None, False),
                (x, h, w, None, False), (x, h, [w, u.astype(float)], None, False)):
        assert fast.rnn_layer(*bad, False) is None
    assert fast.rnn_cell(x[0], h[0], w, u, np.zeros(5, np.float32), None, False) is None
    assert fast.lstm_layer(x, h, None, [w, u], None, False) is None
