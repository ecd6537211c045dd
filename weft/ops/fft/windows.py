"""Window functions, under both of PyTorch's names for them."""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.kernels.special import i0
from weft.ops.core.failure import sizes_of
from weft.ops.create.constants import DEFAULT, finish, np_of, public
from weft.ops.create.data import from_outside
from weft.tensor.tensor import Tensor


def _made(values, np_dtype, device, requires_grad):
    with np.errstate(all="ignore"):
        return finish(from_outside(np.asarray(values).astype(np_dtype), True), device, requires_grad)


def _cosines(n, sym, weights):
    """a0 - a1 cos(t) + a2 cos(2t) - ..., over one period."""
    span = n - 1 if sym else n
    t = 2 * math.pi * np.arange(n) / span if span else np.zeros(n)
    return sum((-1) ** k * a * np.cos(k * t) for k, a in enumerate(weights))


# torch.signal.windows

def _check(who, M, dtype, layout):
    """The number of points and the type of a window of torch.signal.windows."""
    if M < 0:
        fail(ValueError, f"{who} requires non-negative window length, got M={M}")
    if layout is not None and str(layout) != "torch.strided":
        fail(ValueError, f"{who} is implemented for strided tensors only, got: {layout}")
    d = DEFAULT.dtype if dtype is None else dtype
    if d not in (dtypes.float32, dtypes.float64):
        fail(ValueError, f"{who} expects float32 or float64 dtypes, got: {d}")
    return d.np


def _window(who, M, formula, sym, dtype, layout, device, requires_grad):
    np_dtype = _check(who, M, dtype, layout)
    with sizes_of(who):
        values = np.ones(M) if M < 2 else formula(M, sym)
    return _made(values, np_dtype, device, requires_grad)


def bartlett(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """A triangle that starts at zero.

    >>> import weft
    >>> weft.signal.windows.bartlett(4).shape
    torch.Size([4])
    """
    def formula(n, sym):
        return 1 - np.abs(2 * np.arange(n) / (n - 1 if sym else n) - 1)
    return _window("bartlett", M, formula, sym, dtype, layout, device, requires_grad)


def blackman(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Three cosines.

    >>> import weft
    >>> weft.signal.windows.blackman(4).shape
    torch.Size([4])
    """
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


def cosine(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The first half period of a sine.

    >>> import weft
    >>> weft.signal.windows.cosine(4).shape
    torch.Size([4])
    """
    def formula(n, sym):
        return np.sin(math.pi / (n if sym else n + 1) * (np.arange(n) + 0.5))
    return _window("cosine", M, formula, sym, dtype, layout, device, requires_grad)


def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Decay on both sides of the center.

    >>> import weft
    >>> weft.signal.windows.exponential(4).shape
    torch.Size([4])
    """
    if tau <= 0:
        fail(ValueError, f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        fail(ValueError, "Center must be None for symmetric windows")

    def formula(n, sym):
        middle = ((n if not sym and n > 1 else n - 1) / 2.0) if center is None else center
        return np.exp(-np.abs(np.arange(n) - middle) / tau)
    return _window("exponential", M, formula, sym, dtype, layout, device, requires_grad)


def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The normal density, one at the center.

    >>> import weft
    >>> weft.signal.windows.gaussian(4, std=1.0).shape
    torch.Size([4])
    """
    if std <= 0:
        fail(ValueError, f"Standard deviation must be positive, got: {std} instead.")

    def formula(n, sym):
        return np.exp(-(((np.arange(n) - (n if not sym and n > 1 else n - 1) / 2.0) / (std * math.sqrt(2))) ** 2))
    return _window("gaussian", M, formula, sym, dtype, layout, device, requires_grad)


def general_cosine(M, *, a, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """A sum of cosines with the weights `a`.

    >>> import weft
    >>> weft.signal.windows.general_cosine(4, a=[0.5, 0.5]).shape
    torch.Size([4])
    """
    np_dtype = _check("general_cosine", M, dtype, layout)
    if M == 0:
        return _made(np.empty(0), np_dtype, device, requires_grad)
    if not hasattr(a, "__iter__") or isinstance(a, str):
        raise TypeError("Coefficients must be a list/tuple")
    if not len(a):
        raise ValueError("Coefficients cannot be empty")
    values = np.ones(1) if M == 1 else _cosines(M, sym, [float(weight) for weight in a])
    return _made(values, np_dtype, device, requires_grad)


def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """alpha - (1 - alpha) cos t.

    >>> import weft
    >>> weft.signal.windows.general_hamming(4).shape
    torch.Size([4])
    """
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


def hamming(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The raised cosine of Hamming.

    >>> import weft
    >>> weft.signal.windows.hamming(4).shape
    torch.Size([4])
    """
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The raised cosine of von Hann.

    >>> import weft
    >>> weft.signal.windows.hann(4).shape
    torch.Size([4])
    """
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device,
                           requires_grad=requires_grad)


def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The window of Kaiser, of Bessel functions.

    >>> import weft
    >>> weft.signal.windows.kaiser(4).shape
    torch.Size([4])
    """
    if isinstance(beta, Tensor):
        beta = beta.item()
    if beta < 0:
        fail(ValueError, f"beta must be non-negative, got: {beta} instead.")

    def formula(n, sym):
        return _kaiser(n, sym, beta)
    return _window("kaiser", M, formula, sym, dtype, layout, device, requires_grad)


def _kaiser(n, sym, beta):
    span = n - 1 if sym else n
    x = 2 * np.arange(n) / span - 1
    return i0(beta * np.sqrt(np.maximum(1 - x * x, 0))) / i0(np.array(float(beta)))


def nuttall(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Four cosines, after Nuttall.

    >>> import weft
    >>> weft.signal.windows.nuttall(4).shape
    torch.Size([4])
    """
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype, layout=layout,
                          device=device, requires_grad=requires_grad)


for _function in (bartlett, blackman, cosine, exponential, gaussian, general_cosine, general_hamming, hamming, hann,
                  kaiser, nuttall):
    public(_function, "signal.windows." + _function.__name__)


# torch.hann_window and its like

def _plain(who, n, periodic, formula, dtype, device, requires_grad):
    if not isinstance(n, (int, np.integer)):
        raise TypeError(f"{who}(): argument 'window_length' (position 1) must be int, not {type(n).__name__}")
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    if np_dtype.kind not in "fV":
        raise RuntimeError(f"{who}(): expected a floating point dtype, got {np_dtype.name}\n  fix: use "
                           f"dtype=torch.float32")
    if n < 0:
        raise RuntimeError(f"{who} requires non-negative window_length, got window_length={n}")
    with sizes_of(who):
        return _made(np.ones(n) if n < 2 else formula(n, not periodic), np_dtype, device, requires_grad)


def hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                requires_grad=False):
    """The raised cosine of von Hann.

    >>> import weft
    >>> weft.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    def formula(n, sym):
        return _cosines(n, sym, (0.5, 0.5))
    return _plain("hann_window", window_length, periodic, formula, dtype, device, requires_grad)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None,
                   pin_memory=False, requires_grad=False):
    """alpha - beta cos t.

    >>> import weft
    >>> weft.hamming_window(4).shape
    torch.Size([4])
    """
    def formula(n, sym):
        return _cosines(n, sym, (alpha, beta))
    return _plain("hamming_window", window_length, periodic, formula, dtype, device, requires_grad)


def blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):
    """Three cosines.

    >>> import weft
    >>> weft.blackman_window(4).shape
    torch.Size([4])
    """
    def formula(n, sym):
        return _cosines(n, sym, (0.42, 0.5, 0.08))
    return _plain("blackman_window", window_length, periodic, formula, dtype, device, requires_grad)


def bartlett_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):
    """A triangle that starts at zero.

    >>> import weft
    >>> weft.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    def formula(n, sym):
        return 1 - np.abs(2 * np.arange(n) / (n - 1 if sym else n) - 1)
    return _plain("bartlett_window", window_length, periodic, formula, dtype, device, requires_grad)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, pin_memory=False,
                  requires_grad=False):
    """The window of Kaiser, of Bessel functions.

    >>> import weft
    >>> weft.kaiser_window(4).shape
    torch.Size([4])
    """
    def formula(n, sym):
        return _kaiser(n, sym, beta)
    return _plain("kaiser_window", window_length, periodic, formula, dtype, device, requires_grad)


for _function in (hann_window, hamming_window, blackman_window, bartlett_window, kaiser_window):
    public(_function)
