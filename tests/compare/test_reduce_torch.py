"""Reductions, sorting, cumulative and masked ops against PyTorch: values, types, exceptions, both derivatives."""
import math
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

DTYPES = "float32 float64 float16 bfloat16 int64 int32 uint8 bool complex64".split()
SHAPES = {"matrix": (4, 5), "zero-dim": (), "empty": (0, 3), "row": (1,), "cube": (2, 3, 4)}
INF = math.inf

# each line: a name and calls of it, as functions of the library and a tensor
CALLS = {
    "sum": ["m.sum(x)", "x.sum(0)", "x.sum(-1, True)", "x.sum((0, -1))", "x.sum(())",
            "m.sum(x, dim=None, keepdim=True)", "x.sum(dtype=m.float64)", "x.sum(0, dtype=m.float16)",
            "m.sum(x, axis=0, keepdims=True)", "x.sum(5)", "x.sum((0, 0))", "x.sum(0, dtype=m.int32)"],
    "mean": ["m.mean(x)", "x.mean(0)", "x.mean(-1, True)", "x.mean(())", "x.mean(dtype=m.float32)",
             "x.mean(0, dtype=m.bfloat16)"],
    "nan": ["m.nansum(x)", "x.nansum(0)", "m.nanmean(x)", "m.nanmean(x, 0, True)"],
    "spread": ["m.var(x)", "x.var(0)", "x.var(False)", "x.std(-1, False, True)", "m.std(x, dim=(0, -1), correction=0)",
               "m.var_mean(x, 0)", "m.std_mean(x, unbiased=False)", "x.var(0, correction=7)", "x.std(unbiased=True)",
               "x.var(correction=0.5)"],
    "prod": ["x.prod()", "x.prod(0)", "x.prod(-1, True)", "x.prod(dtype=m.float32)", "x.prod(0, dtype=m.int16)",
             "x.prod((0,))"],
    "truth": ["x.all()", "x.any()", "x.all(0)", "x.any(-1, True)", "x.all((0, -1))", "x.any(())", "x.count_nonzero()",
              "m.count_nonzero(x, 0)", "m.count_nonzero(x, (0, -1))"],
    "extreme": ["x.amax()", "x.amin(0)", "x.amax((0, -1), True)", "x.max()", "x.min()", "x.max(0)", "x.min(-1, True)",
                "m.max(x, dim=0, keepdim=True)", "m.max(x, x)", "m.min(x, other=x)", "x.aminmax()", "x.aminmax(dim=0)",
                "m.aminmax(x, dim=-1, keepdim=True)", "x.argmax()", "x.argmin(0)", "x.argmax(-1, True)",
                "x.argmax(keepdim=True)", "x.max(9)", "x.max((0,))"],
    "order": ["x.sort()", "x.sort(0, True)", "m.sort(x, stable=True)", "m.sort(x, dim=0, descending=True, stable=True)",
              "x.argsort()", "m.argsort(x, dim=0, descending=True, stable=True)", "m.msort(x)", "x.topk(1)",
              "x.topk(1, 0, False)", "x.topk(9)", "x.kthvalue(1)", "x.kthvalue(1, 0, True)", "x.kthvalue(0)",
              "x.mode()", "x.mode(0, True)"],
    "median": ["x.median()", "x.median(0)", "x.median(-1, True)", "x.nanmedian()", "x.nanmedian(0)"],
    "quantile": ["x.quantile(0.4)", "x.quantile(0.4, 0)",
                 "m.quantile(x, m.tensor([0.1, 0.9], dtype=x.dtype), -1, keepdim=True)",
                 "x.nanquantile(0.5, 0, interpolation='nearest')", "x.quantile(2.0)",
                 "x.quantile(0.3, interpolation='lower')", "x.quantile(0.3, interpolation='higher')",
                 "x.quantile(0.3, 0, interpolation='midpoint')"],
    "soft": ["m.softmax(x, 0)", "x.softmax(-1)", "x.softmax(0, dtype=m.float64)", "x.log_softmax(-1)",
             "x.log_softmax(0, m.float32)", "x.logsumexp(0)", "m.logsumexp(x, (0, -1), True)",
             "m.special.softmax(x, 0)", "x.softmax(7)"],
    "running": ["x.cumsum(0)", "x.cumsum(-1, dtype=m.float32)", "x.cumprod(0)", "x.cummax(0)", "x.cummin(-1)",
                "x.logcumsumexp(0)", "x.cumsum(4)", "m.cumsum(x, dim=0, dtype=m.int64)"],
    "norm": ["m.norm(x)", "x.norm(1)", "x.norm(INF)", "x.norm(-INF, 0)", "x.norm(0, 0)", "x.norm(3, -1, True)",
             "m.norm(x, 'fro', (0,))", "x.norm(2, 0, dtype=m.float64)", "x.norm(0.5)", "m.dist(x, x + 1)",
             "m.dist(x, x + 1, 1)", "x.norm('no')"],
    "rows": ["x.renorm(2, 0, 1.0)", "m.cdist(x, x + 1)", "m.cdist(x, x + 1, 1)", "m.cdist(x, x + 1, INF)",
             "m.cdist(x, x + 1, 0)", "m.cov(x)", "m.corrcoef(x)", "m.cov(x, correction=0)", "m.gradient(x)",
             "m.gradient(x, spacing=2., dim=0)", "m.diff(x)", "m.diff(x, 2, 0)", "m.trapezoid(x)",
             "m.trapezoid(x, dx=2., dim=0)", "m.cumulative_trapezoid(x, dim=0)"],
    "count": ["m.histc(x, 4)", "m.histc(x, bins=3, min=-1, max=1)", "m.histogram(x, 4)",
              "m.histogram(x, 3, range=(-1., 1.), density=True)", "m.bincount(x.reshape(-1))", "m.isin(x, x[:1])",
              "m.unique(x)", "m.unique(x, return_inverse=True, return_counts=True)", "m.unique(x, dim=0)",
              "m.unique_consecutive(x, return_inverse=True, return_counts=True)", "m.unique_consecutive(x, dim=0)",
              "m.bucketize(x, m.tensor([-1, 0, 2], dtype=x.dtype))",
              "m.searchsorted(m.tensor([-1, 0, 2], dtype=x.dtype), x, right=True, out_int32=True)"],
    "masked": [f"m.masked.{f}(x, {a}mask=x > 0)" for f, a in (
        ("sum", ""), ("sum", "dim=0, "), ("prod", "dim=0, "), ("amax", "dim=0, "), ("amin", ""), ("mean", "dim=-1, "),
        ("var", "dim=0, "), ("argmax", "dim=0, "), ("std", ""), ("softmax", "dim=0, "), ("log_softmax", "dim=-1, "),
        ("softmin", "dim=0, "), ("cumsum", "dim=0, "), ("cumprod", "dim=0, "), ("norm", "ord=2., dim=0, "),
        ("normalize", "ord=2., dim=0, "), ("logsumexp", "dim=0, "), ("median", "dim=0, "))],
    "size": ["x.sum_to_size(1)", "x.sum_to_size(x.shape)", "x.sum_to_size(4, 1)", "x.sum_to_size(3)",
             "x.sum_to_size(2, 9)"],
}
# (call, type or None) where weft's answer is another one on purpose: it takes more types, or is of one mind for empty
# tensors
DIFFERENT = {
    ("m.isin(x, x[:1])", "bool"), ("m.isin(x, x[:1])", "complex64"), ("m.masked.var(x, dim=0, mask=x > 0)", "bool"),
    ("m.masked.std(x, mask=x > 0)", "bool"), ("m.trapezoid(x)", "int32"), ("m.trapezoid(x)", "uint8"),
    ("m.trapezoid(x)", "bool"), ("m.trapezoid(x, dx=2., dim=0)", "bool"), ("m.gradient(x)", "bool"),
    ("m.gradient(x, spacing=2., dim=0)", "bool"), ("x.sum_to_size(x.shape)", "int32"),
    ("x.sum_to_size(x.shape)", "uint8"), ("x.sum_to_size(x.shape)", "bool"),
}
# what PyTorch leaves open
LEFT_OUT = {
    "x.mode()": "index of equals", "x.mode(0, True)": "index of equals", "x.kthvalue(1)": "index of equals",
    "x.kthvalue(1, 0, True)": "index of equals", "x.topk(1)": "index of equals",
    "x.topk(1, 0, False)": "index of equals", "x.median(0)": "index of equals",
    "x.median(-1, True)": "index of equals", "x.nanmedian(0)": "index of equals",
}


def numbers(shape, dtype, kind):
    """The same array for both libraries."""
    rng = np.random.default_rng(len(shape) * 10 + len(dtype))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "uint8":
        return rng.integers(0, 9, shape).astype("u1")
    if dtype in ("int64", "int32"):
        return rng.permutation(int(np.prod(shape)) or 1)[:int(np.prod(shape))].reshape(shape).astype(dtype) - 5
    if dtype == "complex64":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("c8")
    return (np.round(rng.standard_normal(shape) * 16) / 16).astype("f8" if dtype == "float64" else "f4")


def both(array, dtype):
    """The array as a tensor of each library; a matrix is transposed, so that it is not contiguous."""
    made = []
    for m in (torch, weft):
        t = m.tensor(array).to(getattr(m, dtype))
        made.append(t.transpose(0, 1) if array.ndim == 2 else t)
    return made


def run(text, m, x):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if m is torch else "error")
            warnings.filterwarnings("ignore", ".*degrees of freedom")       # PyTorch warns of that too
            return eval(text, {"m": m, "x": x, "INF": INF})
    except Exception as error:
        return error


def flat(result, m):
    if isinstance(result, m.Tensor):
        return [result]
    return [t for r in result for t in flat(r, m)]


def same(expected, found, what, tolerance=None):
    a, b = flat(expected, torch), flat(found, weft)
    assert len(a) == len(b), what
    for e, f in zip(a, b):
        assert str(e.dtype) == str(f.dtype), f"{what}: {f.dtype}, PyTorch has {e.dtype}"
        low = str(e.dtype) in ("torch.float16", "torch.bfloat16")
        e = (e.detach().float() if low else e.detach()).resolve_conj().numpy(force=True)
        f = f.detach()._array.astype("f4") if low else f.detach()._array
        assert e.shape == f.shape, f"{what}: {f.shape}, PyTorch has {e.shape}"
        rtol = tolerance or (2e-2 if low else 1e-4)
        np.testing.assert_allclose(f, e, rtol=rtol, atol=rtol / 10, err_msg=what)


def agree(expected, found, kind):
    """Both refuse, with related types; PyTorch's chance to accept any type where nothing is computed is not copied."""
    if isinstance(found, NotImplementedError) and kind in ("empty", "zero-dim"):
        return True
    if isinstance(expected, NotImplementedError) and not isinstance(found, Exception):
        return True         # weft takes more types
    return isinstance(expected, type(found)) or isinstance(found, type(expected))


def brief(result):
    return (f"{type(result).__name__}: {result}"[:150].replace("\n", " ") if isinstance(result, Exception)
            else type(result).__name__)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("family", CALLS)
def test_forward_as_torch(family, dtype):
    """Every call on every type and shape gives PyTorch's result, or its exception's type."""
    wrong = []
    for kind, shape in SHAPES.items():
        expected_x, found_x = both(numbers(shape, dtype, kind), dtype)
        for text in CALLS[family]:
            if (text, dtype) in DIFFERENT or text in LEFT_OUT and dtype not in ("float32", "int64"):
                continue
            expected, found = run(text, torch, expected_x), run(text, weft, found_x)
            if isinstance(expected, Exception) or isinstance(found, Exception):
                if not agree(expected, found, kind):
                    wrong.append(f"{kind}: {text}: {brief(found)}, PyTorch: {brief(expected)}")
                continue
            try:
                same(expected, found, text)
            except AssertionError as error:
                wrong.append(f"{kind}: {text}: {str(error)[:220]}")
    assert not wrong, "\n" + "\n".join(wrong)


DERIVED = [
    "x.sum(0)", "x.mean(-1, True)", "x.nansum(0)", "m.nanmean(x, 0)", "x.var(0)", "x.std(1, False)",
    "m.var_mean(x)[0]", "x.prod()", "x.prod(0)", "x.amax(0)", "x.amin((0, 1))", "x.max()", "x.min(1)[0]",
    "m.max(x, x * x)", "m.aminmax(x, dim=0)[0]", "x.sort(0)[0]", "x.topk(2)[0]", "x.kthvalue(2)[0]", "x.median()",
    "x.median(0)[0]", "x.mode()[0]", "x.quantile(0.3, 0)", "m.quantile(x, 0.6)", "x.softmax(0)", "x.log_softmax(-1)",
    "x.logsumexp((0, 1))", "x.cumsum(0)", "x.cumprod(1)", "x.cummax(0)[0]", "x.cummin(1)[0]", "x.logcumsumexp(1)",
    "x.norm()", "x.norm(1, 0)", "x.norm(3)", "x.norm(1.5, 1)", "x.norm(INF)", "x.renorm(2, 0, 1.0)",
    "m.dist(x, x * x)", "m.cdist(x, x * x - 1)", "m.cdist(x, x * x - 1, 1.0)", "m.cov(x)", "m.corrcoef(x)",
    "m.diff(x)", "m.gradient(x)[0]", "m.trapezoid(x)", "m.cumulative_trapezoid(x, x * x)", "x.sum_to_size(4, 1)",
    "m.masked.var(x, 0, mask=x > -1)", "m.masked.softmax(x, 0, mask=x > -1)", "m.masked.norm(x, 2.0, 0, mask=x > -1)",
    "m.masked.prod(x, 0, mask=x > -1)",
]
SPECIAL = {
    "spread": lambda a: a,
    "ties": lambda a: np.round(a),
    "one zero": lambda a: np.where(np.arange(a.size).reshape(a.shape) == 6, 0, a),
    "zeros": lambda a: np.where(np.arange(a.size).reshape(a.shape) % 3 == 0, 0, a),
}
# ties and zeros where PyTorch's choice is open or its second derivative is not a number
OPEN = {
    "ties": ("kthvalue", "median(0)", "mode", "topk", "sort", "m.max", "cdist", "dist", "cummax", "cummin", "quantile",
             "norm(INF)", "norm(1.5", "masked.norm"),
    "zeros": ("norm(1.5", "masked.norm", "kthvalue", "median(0)", "mode", "topk", "sort", "m.max", "cdist", "cummax",
              "cummin", "quantile", "corrcoef", "renorm"),
    "one zero": ("norm(1.5",),
    "spread": (),
}


def derivatives(m, array, text):
    """The value, the gradient of a weighted sum of it, and the gradient of a weighted sum of that."""
    x = m.tensor(array).requires_grad_(True)
    out = eval(text, {"m": m, "x": x, "INF": INF})
    weights = m.tensor(np.cos(np.arange(array.size * array.size, dtype="f8"))[:max(1,
                                                                                   math.prod(out.shape))].reshape(tuple(out.shape)))
    first, = m.autograd.grad((out * weights).sum(), x, create_graph=True)
    if not first.requires_grad:
        return out, first, m.zeros_like(x)
    second, = m.autograd.grad((first * m.tensor(np.sin(np.arange(array.size, dtype="f8")).reshape(array.shape))).sum(),
                              x, allow_unused=True)
    return out, first, m.zeros_like(x) if second is None else second


@pytest.mark.parametrize("special", SPECIAL)
def test_derivatives_as_torch(special):
    """First and second derivatives in float64, at ordinary places, ties and zeros."""
    wrong = []
    array = SPECIAL[special](np.random.default_rng(3).standard_normal((4, 5)))
    for text in DERIVED:
        if any(part in text for part in OPEN[special]):
            continue
        try:
            expected = derivatives(torch, array, text)
        except RuntimeError:
            continue        # PyTorch has no second derivative there
        try:
            for e, f, which in zip(expected, derivatives(weft, array, text), ("value", "gradient", "second gradient")):
                same(e, f, f"{text}: {which}", 1e-6)
        except Exception as error:
            wrong.append(f"{text}: {type(error).__name__}: {str(error)[:500]}")
    assert not wrong, "\n" + "\n".join(wrong)
