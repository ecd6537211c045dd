"""Elementwise kernels, activations and dropout beside PyTorch."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import weft  # noqa: E402

UNARY = ("exp exp2 expm1 log log1p log2 log10 tanh sigmoid sin cos tan atan asin acos sinh cosh asinh erf erfc sqrt "
         "rsqrt abs neg relu reciprocal square floor ceil trunc round sign").split()
ACTIVATIONS = {"relu": {}, "leaky_relu": {"negative_slope": 0.2}, "gelu": {}, "silu": {}, "mish": {},
               "elu": {"alpha": 1.3}, "selu": {}, "celu": {"alpha": 0.7}, "softplus": {"beta": 1.5, "threshold": 4.0},
               "logsigmoid": {}, "hardtanh": {}, "relu6": {}, "hardswish": {}, "hardsigmoid": {}, "hardshrink": {},
               "softshrink": {}, "threshold": {"threshold": 0.1, "value": 3.0}}


def pair(shape, kind="f4", seed=0):
    a = np.random.default_rng(seed).standard_normal(shape).astype(kind) * 3
    return weft.tensor(a), torch.from_numpy(a.copy())


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, kind):
    x, theirs = pair((37, 53), kind)
    for a, b in ((x, theirs), (x.t(), theirs.t()), (x[::2, 1:], theirs[::2, 1:])):
        ours, other = getattr(a, name)(), getattr(b, name)()
        np.testing.assert_allclose(ours.numpy(), other.numpy(), rtol=3e-6 if kind == "f4" else 1e-13,
                                   atol=1e-6 if kind == "f4" else 1e-14)
        assert ours.stride() == other.stride()


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name, kind):
    x, theirs = pair((37, 53), kind)
    x.requires_grad_(), theirs.requires_grad_()
    ours = getattr(weft.nn.functional, name)(x, **ACTIVATIONS[name])
    other = getattr(torch.nn.functional, name)(theirs, **ACTIVATIONS[name])
    g, their_g = pair((37, 53), kind, 1)
    ours.backward(g), other.backward(their_g)
    rough = kind == "f4" or name in ("celu", "hardsigmoid")        # PyTorch has 1 / alpha and 1 / 6 in float
    close = {"rtol": 1e-5 if rough else 1e-12, "atol": 2e-6 if rough else 1e-13}
    np.testing.assert_allclose(ours.detach().numpy(), other.detach().numpy(), **close)
    np.testing.assert_allclose(x.grad.numpy(), theirs.grad.numpy(), **close)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_results_are_bit_equal(kind):
    x, theirs = pair((31, 40))
    y, other = pair((31, 40), seed=1)
    a, b = (t.to(getattr(weft, kind)) for t in (x, y))
    c, d = (t.to(getattr(torch, kind)) for t in (theirs, other))
    for ours, expected in ((a + b, c + d), (a * b, c * d), (a * 0.3, c * 0.3), (a - b.t().t(), c - d), (a < b, c < d),
                           (a.neg(), c.neg())):
        np.testing.assert_array_equal(ours.float().numpy(), expected.float().numpy())


@pytest.mark.parametrize("name, p", [("dropout", 0.3), ("dropout2d", 0.4), ("dropout3d", 0.4), ("alpha_dropout", 0.3),
                                     ("feature_alpha_dropout", 0.3)])
def test_dropout_draws_the_same_mask(name, p):
    x, theirs = pair((6, 5, 4, 3, 2))
    x.requires_grad_(), theirs.requires_grad_()
    weft.manual_seed(7), torch.manual_seed(7)
    ours = getattr(weft.nn.functional, name)(x, p, True)
    other = getattr(torch.nn.functional, name)(theirs, p, True)
    ours.sum().backward(), other.sum().backward()
    np.testing.assert_allclose(ours.detach().numpy(), other.detach().numpy(), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), theirs.grad.numpy(), rtol=1e-6)
    assert weft.rand(1).item() == torch.rand(1).item()
