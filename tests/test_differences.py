"""docs/differences.md, row by row."""
import numpy as np
import pytest

import weft


def test_devices():
    assert not weft.cuda.is_available()
    with pytest.raises(AssertionError, match="weft runs on the CPU"):
        weft.zeros(1, device="cuda")
    assert weft.zeros(2, device="meta").is_meta


def test_conj_is_computed():
    z = weft.tensor([1 + 2j])
    assert z.conj()[0].item() == 1 - 2j and not z.conj().is_conj()


def test_no_complex32():
    half = weft.ones(2, dtype=weft.float16)
    assert weft.complex(half, half).dtype is weft.complex64


def test_inplace_keeps_what_backward_needs():
    x = weft.tensor([3.0], requires_grad=True)
    (x * 1).pow_(2).sum().backward()
    assert x.grad.item() == 6.0


def test_failed_backward_leaves_no_gradients():
    class Fails(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("on purpose")
    a, b = weft.ones(2, requires_grad=True), weft.ones(2, requires_grad=True)
    early = Fails.apply(b)
    with pytest.raises(ValueError, match="on purpose"):
        (early + a).sum().backward()
    assert a.grad is None and b.grad is None


def test_as_strided_scatter_gradient():
    x = weft.zeros(4, dtype=weft.float64, requires_grad=True)
    weft.as_strided_scatter(x, weft.ones(2, dtype=weft.float64), (2,), (1,), 1).sum().backward()
    assert x.grad.tolist() == [1, 0, 0, 1]


def test_negative_strides():
    assert weft.tensor(np.arange(3)[::-1]).tolist() == [2, 1, 0]


def test_setitem_takes_lists():
    x = weft.zeros(2, 2)
    x[0] = [1, 2]
    x[1] = np.array([3.0, 4.0])
    assert x.tolist() == [[1, 2], [3, 4]]


def test_empty_fft():
    assert weft.fft.fft(weft.zeros(0, 4)).shape == (0, 4)


def test_logcumsumexp_gradient():
    x = np.linspace(-30, 30, 50)
    grads = []
    for kind in (weft.float32, weft.float64):
        t = weft.tensor(x, dtype=kind, requires_grad=True)
        t.logcumsumexp(0).sum().backward()
        grads.append(t.grad.double().numpy())
    np.testing.assert_allclose(grads[0], grads[1], rtol=1e-5, atol=1e-6)
