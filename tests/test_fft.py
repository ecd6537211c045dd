"""Fourier transforms, windows, stft: values against the plain sum, first and second derivatives, errors."""
import numpy as np
import pytest

import weft
from weft.autograd import gradcheck, gradgradcheck

rng = np.random.default_rng(0)
START = rng.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers_each_time():
    """Whatever ran before in this process."""
    rng.bit_generator.state = START

NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


def real(*shape):
    return weft.tensor(rng.normal(size=shape), requires_grad=True)


def cplx(*shape):
    return weft.tensor(rng.normal(size=shape) + 1j * rng.normal(size=shape), requires_grad=True)


def source(name, *shape):
    return real(*shape) if name.startswith(("r", "ih")) else cplx(*shape)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_fft_is_the_sum_it_says(n):
    x = cplx(3, n)
    k = np.arange(n)
    waves = np.exp(-2j * np.pi * np.outer(k, k) / n)
    np.testing.assert_allclose(weft.fft.fft(x).detach().numpy(), x.detach().numpy() @ waves, atol=1e-12)
    np.testing.assert_allclose(weft.fft.ifft(x).detach().numpy(), x.detach().numpy() @ waves.conj() / n, atol=1e-12)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [5, 6])
def test_inverses_undo(norm, n):
    x = real(2, n).detach()
    for there, back in (("fft", "ifft"), ("rfft", "irfft"), ("ihfft", "hfft")):
        made = getattr(weft.fft, back)(getattr(weft.fft, there)(x, norm=norm), n=n, norm=norm)
        np.testing.assert_allclose(made.numpy(), x.numpy(), atol=1e-12)
    for there, back in (("fftn", "ifftn"), ("rfftn", "irfftn"), ("ihfftn", "hfftn"), ("rfft2", "irfft2")):
        made = getattr(weft.fft, back)(getattr(weft.fft, there)(x, norm=norm), s=(2, n), norm=norm)
        np.testing.assert_allclose(made.numpy(), x.numpy(), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [None, 3, 4, 6])
def test_derivatives_one_dimension(name, n):
    def run(x):
        return getattr(weft.fft, name)(x, n, 0, "ortho")
    x = source(name, 4, 2)
    assert gradcheck(run, (x,)) and gradgradcheck(run, (x,))


@pytest.mark.parametrize("name", [n + "n" for n in NAMES] + [n + "2" for n in NAMES])
@pytest.mark.parametrize("s", [None, (3, 3)])
def test_derivatives_several_dimensions(name, s):
    def run(x):
        return getattr(weft.fft, name)(x, s)
    x = source(name, 2, 4)
    assert gradcheck(run, (x,)) and gradgradcheck(run, (x,))


@pytest.mark.parametrize("given, made", [("float32", "complex64"), ("float64", "complex128"), ("int64", "complex64"),
                                         ("bool", "complex64"), ("complex64", "complex64"),
                                         ("complex128", "complex128")])
def test_types(given, made):
    x = weft.ones(4).to(getattr(weft, given))
    assert weft.fft.fft(x).dtype is getattr(weft, made)
    assert weft.fft.irfft(x).dtype is getattr(weft, made).to_real()


@pytest.mark.parametrize("call, kind, text", [
    (lambda: weft.fft.fft(weft.ones(4), 0), RuntimeError, "Invalid number of data points (0) specified"),
    (lambda: weft.fft.fft(weft.ones(4), norm="x"), RuntimeError, "Invalid normalization mode"),
    (lambda: weft.fft.fft(weft.ones(4), dim=1), IndexError, "Dimension out of range"),
    (lambda: weft.fft.fft(weft.ones(4).half()), RuntimeError, "Unsupported dtype"),
    (lambda: weft.fft.rfft(weft.ones(4) * 1j), RuntimeError, "expects a real input tensor"),
    (lambda: weft.fft.fftn(weft.ones(2, 3), s=(2, 2, 2)), RuntimeError, "only has 2 dimensions"),
    (lambda: weft.fft.fftn(weft.ones(2, 3), s=(2,), dim=(0, 1)), RuntimeError, "must have the same length"),
    (lambda: weft.fft.fftn(weft.ones(2, 3), dim=(0, 0)), RuntimeError, "must be unique"),
    (lambda: weft.fft.rfftn(weft.ones(2, 3), dim=()), RuntimeError, "must transform at least one axis"),
    (lambda: weft.stft(weft.ones(20), 8), RuntimeError, "return_complex"),
    (lambda: weft.stft(weft.ones(20), 8, window=weft.ones(7), return_complex=True), RuntimeError, "1D window"),
    (lambda: weft.stft(weft.ones(20), 8, hop_length=0, return_complex=True), RuntimeError, "hop_length > 0"),
    (lambda: weft.stft(weft.ones(3), 8, return_complex=True), RuntimeError, "Padding size should be less"),
    (lambda: weft.istft(weft.ones(5, 6), 8), RuntimeError, "complex-valued"),
    (lambda: weft.istft(weft.ones(5, 6) + 0j, 8, window=weft.zeros(8)), RuntimeError, "window overlap add min"),
    (lambda: weft.signal.windows.hann(-1), ValueError, "non-negative"),
    (lambda: weft.signal.windows.gaussian(4, std=-1), ValueError, "must be positive"),
    (lambda: weft.hann_window(4, dtype=weft.int64), RuntimeError, "floating point"),
    (lambda: weft.hann_window(4.5), TypeError, "must be int, not float"),
    (lambda: weft.signal.windows.hann(4, layout=weft.sparse_coo), ValueError, "strided tensors only"),
    (lambda: weft.fft.fftn(weft.tensor(1.0), dim=(0,)), IndexError,
     "Dimension specified as 0 but tensor has no dimensions"),
])
def test_errors_say_what_is_wrong(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_frequencies_and_shifts():
    assert (weft.fft.fftfreq(4, 0.5).tolist() == [0, .5, -1, -.5]
            and weft.fft.rfftfreq(5).tolist() == pytest.approx([0, .2, .4]))
    x = weft.arange(15).reshape(3, 5)
    assert weft.fft.ifftshift(weft.fft.fftshift(x)).tolist() == x.tolist()
    assert weft.fft.fftshift(weft.arange(5)).tolist() == [3, 4, 0, 1, 2]


@pytest.mark.parametrize("center, window, hop", [(True, "hann", 2), (True, "ones", 3), (False, "ones", 4)])
def test_istft_undoes_stft(center, window, hop):
    x = weft.tensor(rng.normal(size=(2, 28)))
    w = weft.hann_window(8, dtype=weft.float64) if window == "hann" else weft.ones(8, dtype=weft.float64)
    made = weft.istft(weft.stft(x, 8, hop, window=w, center=center, return_complex=True), 8, hop, window=w,
                      center=center, length=24)
    np.testing.assert_allclose(made.numpy(), x.numpy()[:, :24], atol=1e-12)


@pytest.mark.parametrize("run, shape", [
    (lambda x: weft.stft(x, 6, 2, window=weft.hann_window(6, dtype=weft.float64), return_complex=True), (2, 12)),
    (lambda x: weft.stft(x, 6, 2, center=False, return_complex=False, normalized=True), (12,)),
    (lambda x: weft.stft(x, 6, 3, win_length=4, pad_mode="constant", return_complex=True, onesided=False), (12,)),
    (lambda x: weft.istft(weft.complex(x, x * x), 6, 2, window=weft.hann_window(6, dtype=weft.float64)), (4, 5)),
])
def test_stft_derivatives(run, shape):
    x = real(*shape)
    assert gradcheck(run, (x,)) and gradgradcheck(run, (x,))


@pytest.mark.parametrize("name", ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_hamming",
                                  "hamming", "hann", "kaiser", "nuttall"])
def test_symmetric_windows_are_symmetric(name):
    make = getattr(weft.signal.windows, name)
    for n in (0, 1, 2, 7, 8):
        w = make(n, dtype=weft.float64)
        assert w.shape == (n,)
        np.testing.assert_allclose(w.numpy(), w.numpy()[::-1], atol=1e-12)
    np.testing.assert_allclose(make(9, sym=True).numpy()[:8], make(8, sym=False).numpy(), atol=1e-6)


def test_rfft_keeps_only_the_shape_of_its_input():
    x = weft.ones(6, requires_grad=True)
    y = x * 1
    made = weft.fft.rfft(y, 8)
    y.detach().fill_(3)
    made.abs().sum().backward()
    assert x.grad._array.shape == (6,)
