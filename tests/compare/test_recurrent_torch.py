"""Attention and recurrent layers against PyTorch's own: values, gradients, random streams."""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
from torch.nn import functional as theirs  # noqa: E402

from weft.nn import functional as ours  # noqa: E402


def pairs(rng, *shapes):
    arrays = [rng.standard_normal(shape) for shape in shapes]
    return [weft.tensor(a, requires_grad=True) for a in arrays], [torch.tensor(a, requires_grad=True) for a in arrays]


def agree(mine, expected, tensors, others):
    """Results, and the gradients that they give."""
    rng = np.random.default_rng(9)
    grads = [rng.standard_normal(tuple(e.shape)) for e in expected]
    mine = [*mine, *weft.autograd.grad(mine, tensors, [weft.tensor(g) for g in grads])]
    expected = [*expected, *torch.autograd.grad(expected, others, [torch.tensor(g) for g in grads])]
    for a, b in zip(mine, expected):
        assert tuple(a.shape) == tuple(b.shape) and np.allclose(a.detach().numpy(), b.detach().numpy(), 1e-9, 1e-9)


@pytest.mark.parametrize("options", ({}, {"is_causal": True}, {"scale": 0.2}, {"mask": "bool"}, {"mask": "float"},
                                     {"enable_gqa": True}))
def test_attention(options):
    options, rng = dict(options), np.random.default_rng(0)
    kind = options.pop("mask", None)
    mine, other = pairs(rng, (2, 4, 70, 9), *[(2, 2 if options.get("enable_gqa") else 4, 75, 9)] * 2)
    mask = (None if kind is None else rng.random((70, 75)) < 0.5 if kind == "bool"
            else rng.standard_normal((2, 1, 70, 75)))
    if kind == "bool":
        mask[3] = False
    agree([ours.scaled_dot_product_attention(*mine, None if mask is None else weft.tensor(mask), **options)],
          [theirs.scaled_dot_product_attention(*other, None if mask is None else torch.tensor(mask), **options)], mine,
          other)


def test_dropout_draws_the_same_numbers():
    x = np.random.default_rng(1).standard_normal((1, 2, 9, 8)).astype(np.float32)
    weft.manual_seed(3)
    torch.manual_seed(3)
    mine = ours.scaled_dot_product_attention(*[weft.tensor(x)] * 3, dropout_p=0.4).numpy()
    assert np.allclose(mine, theirs.scaled_dot_product_attention(*[torch.tensor(x)] * 3, dropout_p=0.4).numpy(), 1e-5,
                       1e-6)


@pytest.mark.parametrize("kind", ("LSTM", "GRU", "RNN"))
@pytest.mark.parametrize("options", ({}, {"bidirectional": True, "num_layers": 2},
                                     {"batch_first": True, "bias": False}))
def test_layers(kind, options):
    layer = getattr(torch.nn, kind)(5, 9, dtype=torch.float64, **options)
    count = (2 if options.get("bidirectional") else 1) * options.get("num_layers", 1)
    mine, other = pairs(np.random.default_rng(2), (4, 4, 5), *[(count, 4, 9)] * (2 if kind == "LSTM" else 1))
    params = [weft.tensor(p.detach().numpy(), requires_grad=True) for p in layer.parameters()]
    hx = [tuple(t[1:]) if kind == "LSTM" else t[1] for t in (mine, other)]
    name = "rnn_tanh" if kind == "RNN" else kind.lower()
    made = getattr(weft, name)(mine[0], hx[0], params, layer.bias, layer.num_layers, 0.0, True, layer.bidirectional,
                               layer.batch_first)
    out, last = layer(other[0], hx[1])
    agree(made, [out, *(last if kind == "LSTM" else [last])], mine + params, other + list(layer.parameters()))


def test_dropout_between_layers_draws_the_same_numbers():
    layer = torch.nn.LSTM(3, 4, 2, dropout=0.5, batch_first=True)
    params = [weft.tensor(p.detach().numpy()) for p in layer.parameters()]
    x = np.random.default_rng(4).standard_normal((2, 5, 3)).astype(np.float32)
    torch.manual_seed(9)
    weft.manual_seed(9)
    zeros = weft.zeros(2, 2, 4)
    mine = weft.lstm(weft.tensor(x), (zeros, zeros), params, True, 2, 0.5, True, False, True)[0]
    assert np.allclose(mine.numpy(), layer(torch.tensor(x))[0].detach().numpy(), 1e-5, 1e-6)
