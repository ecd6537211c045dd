"""Forward mode beside PyTorch's: values and tangents of the same programs."""
import numpy as np
import pytest
import torch

import weft

RNG = np.random.default_rng(0)
X, T, W = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(3, 5))


def dropout(t, x, w):
    return t.nn.functional.dropout(x, 0.5, training=False)


def writes(t, x, w):
    y = x.clone()
    y[1:] = y[:-1] * 2
    y.mul_(x)
    y[:, 0] += 1
    y[0].zero_()
    return y


def written_view(t, x, w):
    base = t.zeros(4, 3, dtype=t.float64)
    base[1:3] = x[:2] * x[2:]
    base[0].copy_(x[0])
    return base


PROGRAMS = {
    "chain": lambda t, x, w: (x.sin() * x.exp()).sum(1), "product": lambda t, x, w: t.tanh(x @ w),
    "views": lambda t, x, w: x.T.reshape(-1)[2:].view(2, 5), "index": lambda t, x, w: x[[0, 2, 2]] * x[t.tensor([1, 1, 0])],
    "softmax": lambda t, x, w: t.nn.functional.log_softmax(x, -1), "norm": lambda t, x, w: t.nn.functional.layer_norm(x, (3,)),
    "cat": lambda t, x, w: t.cat([x, x * 2, t.ones(1, 3, dtype=t.float64)]).prod(0), "where": lambda t, x, w: t.where(x > 0, x, x ** 2),
    "max": lambda t, x, w: x.max(1).values, "sort": lambda t, x, w: x.sort(0)[0], "linear": lambda t, x, w: t.nn.functional.linear(x, w.T),
    "det": lambda t, x, w: t.linalg.det(x[:3]), "solve": lambda t, x, w: t.linalg.solve(x[:3] @ x[:3].T + t.eye(3, dtype=t.float64), w),
    "loss": lambda t, x, w: t.nn.functional.cross_entropy(x, t.tensor([0, 1, 2, 1])), "std": lambda t, x, w: x.std(0),
    "cumsum": lambda t, x, w: x.cumsum(0).cumprod(1), "conv": lambda t, x, w: t.nn.functional.conv1d(x[None], t.ones(2, 4, 2, dtype=t.float64)),
    "complex": lambda t, x, w: (t.complex(x, x * 2) * 1j).abs(), "split": lambda t, x, w: x.split(2)[1] * x.unbind(0)[0],
    "dropout": dropout, "writes": writes, "written view": written_view, "lerp": lambda t, x, w: t.lerp(x, x * 2, 0.3),
}


def run(t, program):
    fw = t.autograd.forward_ad
    with fw.dual_level():
        dual = fw.make_dual(t.tensor(X), t.tensor(T))
        return [None if v is None else v.numpy() for v in fw.unpack_dual(PROGRAMS[program](t, dual, t.tensor(W)))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_equal(program):
    for ours, theirs in zip(run(weft, program), run(torch, program)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
        assert ours.dtype == theirs.dtype


def function(t):
    class Cube(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x ** 3, x.clone()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g, h):
            x, = ctx.saved_tensors
            return 3 * g * x ** 2 + h

        @staticmethod
        def jvp(ctx, tangent):
            x, = ctx.saved_tensors
            return 5 * tangent * x ** 2, tangent.clone()       # not 3: to see that it is asked
    return Cube


@pytest.mark.parametrize("t", [weft, torch])
def test_a_functions_own_jvp_is_asked(t):
    fw = t.autograd.forward_ad
    with fw.dual_level():
        one, two = function(t).apply(fw.make_dual(t.tensor(X), t.tensor(T)))
        np.testing.assert_allclose(fw.unpack_dual(one).tangent.numpy(), 5 * T * X ** 2)
        np.testing.assert_allclose(fw.unpack_dual(two).tangent.numpy(), T)


@pytest.mark.parametrize("t", [weft, torch])
def test_levels(t):
    fw = t.autograd.forward_ad
    with pytest.raises(RuntimeError, match="no level exists"):
        fw.make_dual(t.ones(1), t.ones(1))
    with fw.dual_level():
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
            fw.enter_dual_level()
        dual = fw.make_dual(t.ones(2), t.ones(2))
        assert fw.unpack_dual(dual).tangent is not None and fw.unpack_dual(dual.detach()).tangent is None
        assert fw.unpack_dual(t.ones(1)).tangent is None
        with pytest.raises(ValueError):
            fw.make_dual(t.ones(2, dtype=t.int64), t.ones(2))
    with fw.dual_level():
        assert fw.unpack_dual(dual).tangent is None
    with pytest.raises(RuntimeError):
        fw.exit_dual_level()


@pytest.mark.parametrize("t", [weft, torch])
def test_reverse_over_forward(t):
    fw = t.autograd.forward_ad
    x, v = t.tensor(X, requires_grad=True), t.tensor(T)
    with fw.dual_level():
        tangent = fw.unpack_dual((fw.make_dual(x, v) ** 3).sum()).tangent
        second, = t.autograd.grad(tangent, x)
    np.testing.assert_allclose(second.numpy(), 6 * X * T)


def test_gradcheck_asks_forward_mode():
    x = weft.tensor(X, requires_grad=True)
    assert weft.autograd.gradcheck(lambda x: (x.sin() @ weft.tensor(W), x.sum()), x, check_forward_ad=True)
    assert weft.autograd.gradcheck(lambda x: x.exp(), x, check_forward_ad=True, fast_mode=True)
    Cube = function(weft)
    with pytest.raises(weft.autograd.GradcheckError, match="forward mode"):
        weft.autograd.gradcheck(Cube.apply, x, check_forward_ad=True)
    assert weft.autograd.gradcheck(Cube.apply, x)


def test_forward_mode_inside_vmap():
    fw = weft.autograd.forward_ad

    def push(x, v):
        with fw.dual_level():
            return fw.unpack_dual((fw.make_dual(x, v).sin() * x.sum()).cumsum(0)).tangent
    ours = weft.vmap(push)(weft.tensor(X), weft.tensor(T))
    theirs = torch.func.vmap(lambda x, v: torch.func.jvp(lambda a: (a.sin() * x.sum()).cumsum(0), (x,), (v,))[1])(
        torch.tensor(X), torch.tensor(T))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy())
