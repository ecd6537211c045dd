"""Types of one byte beside PyTorch's: every value there and back, rounding, limits, printing, and the one product."""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
NAMES = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
SOURCES = ["float32", "float64", "float16", "bfloat16", "int32", "bool"]


def numbers():
    rng = np.random.default_rng(0)
    edges = [0.0, -0.0, 1, -1.1, 448, 460, 464, 465, 1e5, -1e5, np.inf, -np.inf, np.nan, -np.nan, 57344, 61439, 61440, 240, 248,
             2.0 ** -9, 2.0 ** -10, 1.5 * 2.0 ** -10, 2.0 ** -16, 2.0 ** -17, 1e-38, 1e-40, 3.4e38, 1.5, 2.5, 0.75, 0.74]
    return np.concatenate([edges, rng.normal(size=500), rng.normal(size=500) * 2.0 ** rng.integers(-20, 18, 500)]).astype(np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_and_every_rounding(name):
    bytes_ = np.arange(256, dtype=np.uint8)
    for there in ("float32", "float64", "bfloat16"):
        t = torch.tensor(bytes_).view(getattr(torch, name)).to(getattr(torch, there))
        w = weft.tensor(bytes_).view(getattr(weft, name)).to(getattr(weft, there))
        np.testing.assert_array_equal(w.double().numpy(), t.double().numpy())
    with np.errstate(invalid="ignore"):
        for source in SOURCES:
            if source == "int32":
                given = np.arange(-500, 500)
            else:
                given = numbers()
            if source == "bfloat16":
                given = given[~np.isnan(given)]         # whose sign PyTorch's bfloat16 loses or not
            t, w = torch.tensor(given).to(getattr(torch, source)), weft.tensor(given).to(getattr(weft, source))
            want = t.to(getattr(torch, name)).view(torch.uint8).numpy()
            np.testing.assert_array_equal(w.to(getattr(weft, name)).view(weft.uint8).numpy(), want, err_msg=source)
            copied = weft.empty(len(given), dtype=getattr(weft, name)).copy_(w)
            np.testing.assert_array_equal(copied.view(weft.uint8).numpy(), want)


@pytest.mark.parametrize("name", NAMES)
def test_limits(name):
    t, w = torch.finfo(getattr(torch, name)), weft.finfo(getattr(weft, name))
    for what in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        assert getattr(t, what) == getattr(w, what), what
    assert repr(t) == repr(w)
    for what in ("is_floating_point", "is_signed", "is_complex", "itemsize"):
        assert getattr(getattr(torch, name), what) == getattr(getattr(weft, name), what), what
    for value in (1e9, 0.0, -1.0, 3.0):
        try:
            want = torch.full((2,), value, dtype=getattr(torch, name)).float().tolist()
        except RuntimeError:
            with pytest.raises(RuntimeError, match="without overflow"):
                weft.full((2,), value, dtype=getattr(weft, name))
            continue
        assert weft.full((2,), value, dtype=getattr(weft, name)).float().tolist() == want


@pytest.mark.parametrize("name", NAMES[:4])
def test_printing_and_python_numbers(name):
    for values in ([1.0, 2.5, -0.5], [0.1, 100.0], [[1.0], [3.0]], 2.0, []):
        t, w = torch.tensor(values).to(getattr(torch, name)), weft.tensor(values).to(getattr(weft, name))
        assert repr(t) == repr(w) and t.tolist() == w.tolist()


def test_ranges_are_refused():
    for lib in (torch, weft):
        with pytest.raises(NotImplementedError, match="arange_cpu"):
            lib.arange(3, dtype=lib.float8_e5m2)


@pytest.mark.parametrize("names", [NAMES[:1] * 2, NAMES[1:2] * 2, NAMES[:2]])
@pytest.mark.parametrize("out", [None, "float32", "bfloat16"])
def test_scaled_products(names, out):
    rng = np.random.default_rng(1)
    a, b, bias = rng.normal(size=(16, 32)), rng.normal(size=(32, 16)), rng.normal(size=16)
    found = []
    for lib in (torch, weft):
        x, y = (lib.tensor(v, dtype=lib.float32).to(getattr(lib, n)) for v, n in zip((a, b), names, strict=True))
        dtype = None if out is None else getattr(lib, out)
        rows = [lib.ones(16, 1) * 2, lib.ones(1, 16) * 0.25]
        one = [lib.tensor(0.5), lib.tensor(2.0)]
        scales = [one, rows] if out == "float32" else [one]
        found.append([lib._scaled_mm(x, y, *s, bias=added, out_dtype=dtype).float().numpy() for s in scales
                      for added in (None, *([lib.tensor(bias, dtype=dtype)] if out else []))])
    for t, w in zip(*found, strict=True):
        np.testing.assert_allclose(w, t, rtol=1e-2 if out != "float32" else 1e-5, atol=1e-5)
    for lib in (torch, weft):
        x, one = lib.ones(16, 16).to(getattr(lib, names[0])), lib.tensor(1.0)
        for call in (lambda: lib._scaled_mm(x.float(), x.float(), one, one), lambda: lib._scaled_mm(x, x, one.double(), one)):  # noqa: B023
            with pytest.raises(ValueError):
                call()
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            lib._scaled_mm(x[:, :8], x, one, one)
