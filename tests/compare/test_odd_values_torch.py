"""What tools/fuzz_ops.py found beside PyTorch: NaN and infinity, mixed types, defaults."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import weft  # noqa: E402

nan, inf = float("nan"), float("inf")
CALLS = {
    "ctc_loss": lambda T: T.ctc_loss(T.arange(24.).reshape(4, 2, 3).log_softmax(-1), T.tensor([[1, 2], [2, 0]]),
                                     T.tensor([4, 3]), T.tensor([2, 1])),
    "ctc_loss, mean": lambda T: T.ctc_loss(T.arange(24.).reshape(4, 2, 3).log_softmax(-1), T.tensor([[1, 2], [2, 0]]),
                                           T.tensor([4, 3]), T.tensor([2, 1]), 0, 1),
    "functional.ctc_loss": lambda T: T.nn.functional.ctc_loss(
        T.arange(24.).reshape(4, 2, 3).log_softmax(-1), T.tensor([[1, 2], [2, 0]]), T.tensor([4, 3]), T.tensor([2, 1])),
    "huber_loss of two types": lambda T: T.nn.functional.huber_loss(T.ones(2), T.zeros(2, dtype=T.float64), "sum"),
    "huber_loss of half": lambda T: T.nn.functional.huber_loss(T.ones(2).bfloat16(), T.zeros(2)),
    "huber_loss of integers": lambda T: T.nn.functional.huber_loss(T.ones(2).long(), T.zeros(2)),
    "block_diag, a number": lambda T: T.block_diag(T.ones(2, 2).bfloat16(), T.tensor(1.5)),
    "block_diag of integers, a number": lambda T: T.block_diag(T.ones(2, 2).int(), T.tensor(1.5)),
    "block_diag, numbers": lambda T: T.block_diag(T.tensor(1), T.tensor(1.5)),
    "unravel_index": lambda T: T.stack(T.unravel_index(T.tensor([1, 5], dtype=T.int32), (2, 3))),
    "renorm": lambda T: T.tensor([[1., nan, 3.], [2., 3., inf]]).renorm(2, 1, 1.),
    "slogdet, NaN": lambda T: T.stack(T.linalg.slogdet(T.tensor([[nan, 1.], [2., 3.]]))),
    "slogdet, inf": lambda T: T.linalg.slogdet(T.tensor([[inf, 1.], [2., 3.]]))[0],
    "gaussian_nll_loss": lambda T: T.nn.functional.gaussian_nll_loss(T.ones(3), T.zeros(3), inf),
    "ifft": lambda T: T.view_as_real(T.fft.ifft(T.tensor([1., inf, 2.])).resolve_conj()),
    "rfft": lambda T: T.view_as_real(T.fft.rfft(T.tensor([inf, 1., 2.]), norm="ortho")),
    "cumsum to bool": lambda T: T.ones(3).cumsum(0, dtype=T.bool),
    "batch_norm, eps 0": lambda T: T.nn.functional.batch_norm(T.ones(4, 3), None, None, training=True, eps=0.),
    "nll_loss, weights of another type":
        lambda T: T.nn.functional.nll_loss(T.ones(4, 3), T.tensor([0, 1, 2, 0]), weight=T.ones(3).double()),
    "nll_loss, too few places": lambda T: T.nn.functional.nll_loss(T.ones(2, 3, 5), T.zeros(2, 4, dtype=T.int64)),
    "unflatten by a number": lambda T: T.ones(4).unflatten(0, (4)),
    "roll of nothing": lambda T: T.ones(2, 0).roll(1, 5),
    "cummax of nothing": lambda T: T.ones(2, 0).cummax(5).indices,
    "cummin of nothing": lambda T: T.ones(0, 2).cummin(-7).values,
    "median of bools": lambda T: T.ones(3, dtype=T.bool).median(0).values,
    "view of a column": lambda T: T.ones(3, 4).t()[:, :1].view(T.int16),
    "view of a new dimension": lambda T: T.ones(4).unsqueeze(-1).view(T.int16),
    "set_ without strides": lambda T: T.empty(0).set_(T.ones(6).untyped_storage(), 0, (2, 3), ()),
    "clamp by a tensor and a number": lambda T: T.ones(3).clamp(T.zeros(3), 1.),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch_does(name):
    def found(T):
        try:
            made = CALLS[name](T)
        except Exception as error:
            return type(error)
        return str(made.dtype), made.double().numpy()
    want, got = found(torch), found(weft)
    if isinstance(want, type) or isinstance(got, type):
        assert got is want
    else:
        assert got[0] == want[0]
        np.testing.assert_allclose(got[1], want[1], rtol=1e-5, atol=1e-6)
