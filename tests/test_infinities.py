"""Infinities and NaN are results like any others: nothing that is computed with them warns, in either core."""
import warnings

import numpy as np
import pytest

import weft
from weft.nn import functional as F

NUMBERS = [np.inf, -np.inf, 1.0, np.nan, -2.0, 1e38, -1e38]


def values(*shape):
    return weft.tensor(np.resize(NUMBERS, shape).astype(np.float32)).requires_grad_()


CASES = {
    "linear": lambda: F.linear(values(3, 4), values(5, 4), values(5)),
    "linear, three dimensions": lambda: F.linear(values(2, 3, 4), values(5, 4), values(5)),
    "bilinear": lambda: F.bilinear(values(3, 4), values(3, 2), values(5, 4, 2), values(5)),
    "conv1d": lambda: F.conv1d(values(1, 2, 5), values(3, 2, 3), values(3)),
    "conv2d": lambda: F.conv2d(values(1, 2, 5, 5), values(3, 2, 3, 3), values(3)),
    "conv_transpose2d": lambda: F.conv_transpose2d(values(1, 2, 5, 5), values(2, 3, 3, 3), values(3)),
    "avg_pool2d": lambda: F.avg_pool2d(values(1, 2, 4, 4), 2),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(values(1, 2, 5, 5), 3),
    "max_pool2d": lambda: F.max_pool2d(values(1, 2, 4, 4), 2),
    "layer_norm": lambda: F.layer_norm(values(3, 4), (4,), values(4), values(4)),
    "batch_norm": lambda: F.batch_norm(values(3, 4), None, None, values(4), values(4), True),
    "group_norm": lambda: F.group_norm(values(2, 4, 3), 2, values(4), values(4)),
    "softmax": lambda: F.softmax(values(3, 4), 1),
    "log_softmax": lambda: F.log_softmax(values(3, 4), 1),
    "attention": lambda: F.scaled_dot_product_attention(values(1, 2, 3, 4), values(1, 2, 3, 4), values(1, 2, 3, 4)),
    "cross_entropy": lambda: F.cross_entropy(values(3, 4), weft.tensor([0, 1, 2]), label_smoothing=0.1),
    "mse_loss": lambda: F.mse_loss(values(3, 4), values(3, 4)),
    "huber_loss": lambda: F.huber_loss(values(3, 4), values(3, 4)),
    "cosine_similarity": lambda: F.cosine_similarity(values(3, 4), values(3, 4)),
    "var": lambda: values(3, 4).var(),
    "cumprod": lambda: values(3, 4).cumprod(0),
    "matmul": lambda: values(3, 4) @ values(4, 2),
    "a power": lambda: values(3, 4) ** 2 + values(3, 4) ** 3 + values(3, 4) ** 0.5,
    "LSTM": lambda: weft.nn.LSTM(4, 3)(values(2, 1, 4))[0],
    "gelu": lambda: F.gelu(values(9)),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_warns(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        y = CASES[case]()
        grad = weft.tensor(np.resize([np.inf, -np.inf], tuple(y.shape)).astype(np.float32))
        y.backward(grad)
