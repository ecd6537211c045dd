"""The short-time Fourier transform and its inverse."""
import math
import warnings

import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import MAYBE_VIEW, op
from weft.ops.core.samples import complexes, data, fixed, given
from weft.ops.fft.transforms import _fft_c2c, _fft_c2r, _fft_r2c
from weft.ops.index.arrays import contiguous
from weft.ops.pointwise.complex import view_as_real


@op
class _pad_ends:
    """Put elements before and behind the last dimension; the gradient of each goes to where it was taken from."""
    method = False

    def forward(x, places):
        made = contiguous(x[..., places])
        made[..., places < 0] = 0
        return made

    def shape(x, places):
        return (*x.shape[:-1], len(places)), x.dtype

    def grad_x(g, x, places):
        return _gather_ends(g, places, x._form.shape[-1])
    samples = [((2, 3), given(np.array([-1, 0, 1, 2, 1])))]


@op
class _gather_ends:
    """Add up what goes to the same place of the last dimension: the adjoint of _pad_ends."""
    method = False

    def forward(x, places, n):
        rows = x.reshape(-1, x.shape[-1])
        made = np.zeros((len(rows), n), x.dtype)
        inside = places >= 0
        for start in range(len(rows)):
            np.add.at(made[start], places[inside], rows[start][inside])
        return made.reshape(*x.shape[:-1], n)

    def shape(x, places, n):
        return (*x.shape[:-1], n), x.dtype

    def grad_x(g, places):
        return _pad_ends(g, places)
    samples = [((2, 5), given(np.array([-1, 0, 1, 2, 1])), 3)]


def padded_places(n, left, right, mode):
    """For each element of a padded signal the index it comes from, -1 for a zero."""
    at = np.arange(-left, n + right)
    if mode == "constant":
        return np.where((at >= 0) & (at < n), at, -1)
    if mode == "replicate":
        return np.clip(at, 0, n - 1)
    if mode == "circular":
        return at % n
    if mode != "reflect":
        raise NotImplementedError(f"stft: unrecognised padding mode {mode}")
    if left >= n or right >= n:
        raise RuntimeError(f"stft: Padding size should be less than the corresponding input dimension, but got: "
                           f"padding ({left}, {right}) at dimension 2 of input of {n} samples")
    at = np.abs(at)
    return np.where(at >= n, 2 * (n - 1) - at, at)


@op
class _frames:
    """Overlapping pieces of the last dimension: (..., frame, sample)."""
    method = False

    def forward(x, size, hop):
        return np.lib.stride_tricks.sliding_window_view(x, size, axis=-1)[..., ::hop, :].copy()

    def shape(x, size, hop):
        return (*x.shape[:-1], (x.shape[-1] - size) // hop + 1, size), x.dtype

    def grad_x(g, x, size, hop):
        return _overlap_add(g, hop, x._form.shape[-1])
    samples = [((2, 9), 4, 2)]


@op
class _overlap_add:
    """Lay frames over each other and add: the adjoint of _frames. (..., frame, sample) to (..., n)."""
    method = False

    def forward(x, hop, n):
        made = np.zeros((*x.shape[:-2], n), x.dtype)
        size = x.shape[-1]
        for k in range(x.shape[-2]):
            made[..., k * hop:k * hop + size] += x[..., k, :]
        return made

    def shape(x, hop, n):
        return (*x.shape[:-2], n), x.dtype

    def grad_x(g, x, hop):
        return _frames(g, x._form.shape[-1], hop)
    samples = [((2, 3, 4), 2, 8)]


def _ones(n, like):
    """A window that weighs all alike, in the real type of a tensor."""
    return like.new_ones(n, dtype=like.dtype.to_real())


def _whole_window(window, win_length, n_fft, like):
    """The window in the middle of a frame; None when there is nothing to weigh."""
    if window is None:
        if win_length == n_fft:
            return None
        window = _ones(win_length, like)
    if win_length == n_fft:
        return window
    left = (n_fft - win_length) // 2
    return _pad_ends(window, padded_places(win_length, left, n_fft - win_length - left, "constant"))


def _check_window(who, window, win_length, n_fft, hop_length):
    if hop_length <= 0:
        fail(RuntimeError, f"{who}: expected hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        fail(RuntimeError, f"{who}: expected 0 < win_length <= n_fft, but got win_length={win_length}, n_fft={n_fft}")
    if window is not None and (window._form.ndim != 1 or window._form.shape[0] != win_length):
        fail(RuntimeError, f"{who}: expected a 1D window tensor of size equal to win_length={win_length}, but got "
             f"window with size {list(window._form.shape)}", "make the window win_length long, or give win_length=")


@op
class stft:
    """The Fourier transforms of overlapping, weighted pieces of a signal: (..., samples) to (..., frequency, frame)."""
    autocast = "float32"

    def compose(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
                normalized=False, onesided=None, return_complex=None, align_to_window=None):
        hop_length = n_fft // 4 if hop_length is None else hop_length
        win_length = n_fft if win_length is None else win_length
        complex_input = input.dtype.is_complex
        complex_window = window is not None and window.dtype.is_complex
        if not complex_input and not complex_window and return_complex is None:
            fail(RuntimeError, "stft requires the return_complex parameter be given for real inputs, and will further "
                 "require that return_complex=True in a future PyTorch release.", "give return_complex=True")
        if not input.dtype.is_floating_point and not complex_input:
            fail(RuntimeError, f"stft: expected a tensor of floating point or complex values, got {input.dtype}",
                 "convert it: x.float()")
        if input._form.ndim not in (1, 2):
            fail(RuntimeError, f"stft: expected a 1D or 2D tensor, but got {input._form.ndim} dimensions")
        single = input._form.ndim == 1
        x = input.unsqueeze(0) if single else input
        if center:
            x = _pad_ends(x, padded_places(x._form.shape[-1], n_fft // 2, n_fft // 2, pad_mode))
        n = x._form.shape[-1]
        if not 0 < n_fft <= n:
            fail(RuntimeError, f"stft: expected 0 < n_fft <= {n}, but got n_fft={n_fft}",
                 "use a smaller n_fft, or a longer signal")
        _check_window("stft", window, win_length, n_fft, hop_length)
        frames = _frames(x, n_fft, hop_length)
        weights = _whole_window(window, win_length, n_fft, x)
        if weights is not None:
            frames = frames * weights
        onesided = not (complex_input or complex_window) if onesided is None else onesided
        made = _transform(frames, n_fft, normalized, onesided)
        made = made.transpose(1, 2)
        made = made.squeeze(0) if single else made
        if return_complex or return_complex is None:
            return made
        return view_as_real(made)
    samples = [((9,), 4, {"return_complex": True}), ((2, 9), 4, 2, 3, {"window": fixed(3), "return_complex": True}),
               (complexes(8), 4, {"center": False})]


def _transform(frames, n_fft, normalized, onesided):
    scale = 1 / math.sqrt(n_fft) if normalized else 1.0
    if not onesided:
        return _fft_c2c(frames, (2,), scale, True)
    if frames.dtype.is_complex:
        fail(RuntimeError, "stft: Cannot have onesided output if window or input is complex", "give onesided=False")
    return _fft_r2c(frames, (2,), scale, True)


@op
class istft:
    """The signal whose stft is nearest to `input`: (..., frequency, frame) to (..., samples)."""

    def compose(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False,
                onesided=None, length=None, return_complex=False):
        hop_length = n_fft // 4 if hop_length is None else hop_length
        win_length = n_fft if win_length is None else win_length
        if not input.dtype.is_complex:
            fail(RuntimeError, f"istft: istft requires a complex-valued input tensor matching the output from stft "
                 f"with return_complex=True, got {input.dtype}", "use view_as_complex() on (..., 2) tensors")
        x = input.unsqueeze(0) if input._form.ndim == 2 else input
        if x._form.ndim != 3 or x._form.size == 0:
            fail(RuntimeError, f"istft: expected a tensor with 2 or 3 dimensions and elements, but got "
                 f"{list(input._form.shape)}")
        complex_window = window is not None and window.dtype.is_complex
        if onesided is None:
            onesided = x._form.shape[1] != n_fft
        _check_istft(x, n_fft, onesided, return_complex, complex_window)
        if hop_length > win_length:
            fail(RuntimeError, f"istft: expected hop_length <= win_length, but got hop_length={hop_length}, "
                 f"win_length={win_length}")
        _check_window("istft", window, win_length, n_fft, hop_length)
        weights = _whole_window(window, win_length, n_fft, x)
        if weights is None:
            weights = _ones(n_fft, x)
        frames = _back(x.transpose(1, 2), n_fft, normalized, onesided, return_complex)      # (batch, frame, sample)
        made = _weighted_mean(frames, weights, n_fft, hop_length, center, length)
        return made.squeeze(0) if input._form.ndim == 2 else made
    samples = [(complexes(3, 5), 4, {"window": data([0.5, 1.0, 0.8, 0.6], "float64")}),
               (complexes(2, 4, 3), 4, {"return_complex": True})]


def _check_istft(x, n_fft, onesided, return_complex, complex_window):
    rows, wanted = x._form.shape[1], n_fft // 2 + 1 if onesided else n_fft
    if rows != wanted:
        fail(RuntimeError, f"istft: expected the frequency dimension (3rd to the last) of the input tensor to match "
             f"n_fft / 2 + 1 when onesided=True, or n_fft: {wanted}, but got {rows}",
             "give the n_fft and onesided that stft was called with")
    if return_complex and onesided:
        fail(RuntimeError, "istft: cannot have onesided output if window or input is complex: complex output needs the "
             "whole spectrum",
             "give onesided=False")
    if complex_window and not return_complex:
        fail(RuntimeError, "istft: complex windows are incompatible with return_complex=False",
             "give return_complex=True")


def _back(x, n_fft, normalized, onesided, return_complex):
    scale = 1 / math.sqrt(n_fft) if normalized else 1 / n_fft
    if return_complex:
        return _fft_c2c(x, (2,), scale, False)
    if not onesided:
        x = x.narrow(2, 0, n_fft // 2 + 1)
    return _fft_c2r(x, (2,), scale, n_fft, False)


@op
class _reaching:
    """The sum of the windows itself, once it is known to be zero nowhere."""
    tags, method, node_name = MAYBE_VIEW, False, "AliasBackward0"

    def forward(x):
        if x.size == 0 or np.abs(x).min() <= 1e-11:
            fail(RuntimeError, "istft: window overlap add min: 1e-11 is not reached: some samples are weighed by zero "
                 "only",
                 "use a window without zeros at the ends, a smaller hop_length, or center=True")
        return x

    def shape(x):
        return x
    samples = [((4,),)]


def _weighted_mean(frames, weights, n_fft, hop, center, length):
    """Overlap-add with the window, over the sum of the squared windows."""
    count = frames._form.shape[1]
    n = n_fft + hop * (count - 1)
    made = _overlap_add(frames * weights, hop, n)
    envelope = _overlap_add((weights * weights).unsqueeze(0).expand((count, n_fft)), hop, n)
    start = n_fft // 2 if center else 0
    stop = start + length if length is not None else n - n_fft // 2 if center else n
    made, envelope = made[:, start:min(stop, n)], envelope[start:min(stop, n)]
    made = made / _reaching(envelope)
    missing = stop - start - made._form.shape[1]
    if missing > 0:
        warnings.warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in "
                      "the tail. Please check your center and hop_length settings.", stacklevel=4)
        made = _pad_ends(made, padded_places(made._form.shape[1], 0, missing, "constant"))
    return made
