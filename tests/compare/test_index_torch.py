"""Indexing against PyTorch: values, types, gradients, second gradients and errors."""
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64"]


def pair(array, dtype=None, grad=False):
    """The same tensor in both frameworks."""
    made = []
    for m in (weft, torch):
        t = m.tensor(np.array(array))
        if dtype is not None:
            t = t.to(getattr(m, dtype))
        made.append(t.requires_grad_(grad) if grad else t)
    return made


def values(t):
    if isinstance(t, (tuple, list)):
        return [values(e) for e in t]
    t = t.detach()
    if "bfloat16" in str(t.dtype):
        t = t.float()
    return str(t.dtype).split(".")[-1], np.asarray(t.numpy())


def assert_same(ours, theirs, tolerance=1e-6):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            assert_same(a, b, tolerance)
        return
    assert str(ours.dtype) == str(theirs.dtype)
    a, b = values(ours)[1], values(theirs)[1]
    assert a.shape == b.shape
    assert np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True), (a, b)


# random indices

def random_index(rng, shape):
    """A random index for a shape, NumPy arrays standing for tensors."""
    items, d = [], 0
    n_arrays = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    dots = False
    while d < len(shape):
        n = shape[d]
        kind = rng.integers(0, 11)
        if kind <= 1 and n:
            items.append(int(rng.integers(-n, n)))
        elif kind <= 4:
            a, b = (None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3)) for _ in range(2))
            items.append(slice(a, b, None if rng.random() < 0.5 else int(rng.integers(1, 4))))
        elif kind == 5:
            items.append(None)
            continue
        elif kind == 6 and not dots:
            items.append(...)
            dots = True
            d += int(rng.integers(0, 2))
            continue
        elif kind == 7:
            mask = rng.random(n) < 0.5      # as many as the other arrays have, so that they broadcast
            mask[:] = False
            mask[rng.permutation(n)[:n_arrays[0]]] = True
            if mask.sum() != n_arrays[0] and mask.sum() != 1:
                continue
            items.append(mask)
        elif kind == 8 and rng.random() < 0.3:
            items.append(bool(rng.random() < 0.7))
            continue
        elif n:
            lead = (n_arrays[1],) if rng.random() < 0.4 else ()
            items.append(rng.integers(-n, n, size=lead + ((n_arrays[0],) if rng.random() < 0.8 else (1,))))
        else:
            items.append(slice(None))
        d += 1
        if rng.random() < 0.1:
            break
    return tuple(items)


def in_framework(m, index):
    return tuple(m.tensor(i) if isinstance(i, np.ndarray) else i for i in index)


@pytest.mark.parametrize("seed", range(200))
def test_random_indices(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(0 if seed % 10 == 0 else 1, 5, size=rng.integers(1, 5)))
    index = random_index(rng, shape)
    ours, theirs = pair(rng.standard_normal(shape), grad=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = theirs[in_framework(torch, index)]
    except Exception as error:
        with pytest.raises(type(error)):
            ours[in_framework(weft, index)]
        return
    got = ours[in_framework(weft, index)]
    assert_same(got, expected)
    assert got.is_contiguous() or not expected.is_contiguous()
    assert got.requires_grad
    g = rng.standard_normal(expected.shape)
    assert_same(weft.autograd.grad(got, ours, weft.tensor(g))[0],
                torch.autograd.grad(expected, theirs, torch.tensor(g))[0])
    _check_setitem(rng, shape, index, expected.shape)


def _check_setitem(rng, shape, index, result):
    """Write a value that broadcasts; then compare both gradients. Duplicate places are left out: there any order is
    right.
    """
    value_shape = tuple(1 if rng.random() < 0.3 else n for n in result)[int(rng.integers(0, 2)) if len(result) else 0:]
    unique = np.arange(int(np.prod(shape))).reshape(shape)
    taken = torch.tensor(unique)[in_framework(torch, index)].numpy()
    if len(np.unique(taken)) != taken.size:
        return
    base, value = rng.standard_normal(shape), rng.standard_normal(value_shape)
    found = []
    for m in (weft, torch):
        x, v = m.tensor(base).requires_grad_(), m.tensor(value).requires_grad_()
        z = x * 2
        z[in_framework(m, index)] = v
        loss = (z * z * m.tensor(base)).sum()
        found.append((z, *m.autograd.grad(loss, [x, v])))
    assert_same(*found)
    plain = []
    for m in (weft, torch):
        x = m.tensor(base)
        x[in_framework(m, index)] = m.tensor(value)
        x[in_framework(m, index)] = x[in_framework(m, index)] + 1.5
        plain.append(x)
    assert_same(*plain)


# the ops: (m, x, y, i) -> result, where i are helpers of that framework

def helpers(m):
    return dict(rows=m.tensor([0, 2, 0]), cols=m.tensor([1, 3, 1]), two=m.tensor([2, 0]),
                mask=m.tensor(np.arange(12).reshape(3, 4) % 3 == 0), narrow=m.tensor(np.array([[3], [0]])),
                wide=m.tensor(np.array([[0, 2, 1, 0], [0, 2, 2, 1]])), flat=m.tensor([[0, 11], [-1, 5]]),
                none=m.tensor(np.zeros((0, 4), "i8")), col_mask=m.tensor([True, False, True, False]))


def add(name, function, numeric=True):
    OPS[name] = function
    if not numeric:
        MOVES_ONLY.add(name)


OPS, MOVES_ONLY = {}, set()
add("gather 0", lambda m, x, y, h: x.gather(0, h["wide"]))
add("gather 1", lambda m, x, y, h: m.gather(x, -1, index=h["narrow"]))
add("gather empty", lambda m, x, y, h: x.gather(0, h["none"]))
add("gather transposed", lambda m, x, y, h: x.t().gather(1, h["narrow"].t().fmod(3)))
add("index_select", lambda m, x, y, h: x.index_select(1, h["cols"]))
add("take", lambda m, x, y, h: x.take(h["flat"]))
add("take_along_dim", lambda m, x, y, h: x.take_along_dim(h["wide"][:1].t()[:3], dim=1))
add("index_add", lambda m, x, y, h: x.index_add(0, h["rows"], y))
add("index_add alpha", lambda m, x, y, h: x.index_add(1, h["two"], y[:, :2], alpha=2))
add("index_add_", lambda m, x, y, h: (x + 0 if x.dtype != m.bool else x.clone()).index_add_(0, h["rows"], y))
add("index_copy", lambda m, x, y, h: x.index_copy(0, h["two"], y[:2]))
add("index_copy_ view", lambda m, x, y, h: x.clone().t().index_copy_(1, h["two"], y[:2].t()))
add("index_fill", lambda m, x, y, h: x.index_fill(1, h["two"], 1))
add("index_fill tensor", lambda m, x, y, h: x.index_fill(1, h["two"], y[0, 0]))
add("index_put", lambda m, x, y, h: x.index_put((h["two"],), y[:2]))
add("index_put accumulate", lambda m, x, y, h: x.index_put((h["rows"], h["cols"]), y[:, 0], accumulate=True))
add("index_put rows accumulate", lambda m, x, y, h: x.index_put((h["rows"],), y[0], accumulate=True))
add("index_put_ mask", lambda m, x, y, h: x.clone().index_put_((h["mask"],), y[0, 0]))
add("put", lambda m, x, y, h: x.put(h["flat"], y[:2, :2]))
add("put accumulate", lambda m, x, y, h: x.put(h["wide"], y[:2], accumulate=True))
add("scatter", lambda m, x, y, h: x.scatter(0, h["wide"][:1], y))
add("scatter value", lambda m, x, y, h: x.scatter(1, h["narrow"], 1))
add("scatter_ value keyword", lambda m, x, y, h: x.clone().scatter_(1, h["narrow"], value=1))
add("scatter_add", lambda m, x, y, h: x.scatter_add(0, h["wide"], y[:2]))
add("scatter_add_", lambda m, x, y, h: x.clone().scatter_add_(0, h["wide"], y[:2]))
for _how in ("sum", "prod", "mean", "amax", "amin"):
    for _own in (True, False):
        add(f"scatter_reduce {_how} {_own}",
            lambda m, x, y, h, how=_how, own=_own: x.scatter_reduce(0, h["wide"], y[:2], how, include_self=own))
        if _how != "sum":
            add(f"index_reduce {_how} {_own}",
                lambda m, x, y, h, how=_how, own=_own: x.index_reduce(0, h["rows"], y, how, include_self=own))
add("masked_fill", lambda m, x, y, h: x.masked_fill(h["col_mask"], 1))
add("masked_fill grows", lambda m, x, y, h: x[0].masked_fill(h["mask"], 1))
add("masked_fill tensor", lambda m, x, y, h: x.masked_fill(h["mask"], y[1, 1]))
add("masked_fill_", lambda m, x, y, h: x.clone().masked_fill_(h["mask"], y[1, 1]))
add("masked_select", lambda m, x, y, h: x.masked_select(h["col_mask"]))
add("masked_select grows", lambda m, x, y, h: x[:1].masked_select(h["mask"]))
add("masked_scatter", lambda m, x, y, h: x.masked_scatter(h["mask"], y))
add("masked_scatter_", lambda m, x, y, h: x.clone().masked_scatter_(h["col_mask"], y))
add("where", lambda m, x, y, h: m.where(h["mask"], x, y))
add("where broadcast", lambda m, x, y, h: m.where(h["col_mask"], x[:1], y))
add("where number", lambda m, x, y, h: m.where(h["mask"], x, 1.5))
add("where int", lambda m, x, y, h: x.where(h["mask"], 1))
add("fill", lambda m, x, y, h: m.fill(x, 1))
add("fill_ tensor", lambda m, x, y, h: x.clone().fill_(y[0, 0]))
add("zero_", lambda m, x, y, h: x.clone().zero_())
add("nonzero", lambda m, x, y, h: x.nonzero())
add("nonzero tuple", lambda m, x, y, h: x.nonzero(as_tuple=True))
add("argwhere", lambda m, x, y, h: m.argwhere(x))


def operands(dtype, seed=0, grad=False):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, (3, 4)).astype("f8"), rng.integers(0, 5, (3, 4)).astype("f8")
    if grad:
        x, y = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
        x[0, 1] = y[0, 1] = 0       # a zero factor, and a tie
    return pair(x, dtype, grad), pair(y, dtype, grad)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPS)
def test_ops(name, dtype):
    (x, tx), (y, ty) = operands(dtype)
    try:
        expected = OPS[name](torch, tx, ty, helpers(torch))
    except Exception:
        pytest.skip("not in PyTorch for this type")
    assert_same(OPS[name](weft, x, y, helpers(weft)), expected, 1e-2 if "16" in dtype else 1e-5)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", [n for n in OPS if n not in ("nonzero", "nonzero tuple", "argwhere")])
def test_two_derivatives(name, dtype):
    (x, tx), (y, ty) = operands(dtype, 3, True)
    rng = np.random.default_rng(5)
    try:
        expected = OPS[name](torch, tx, ty, helpers(torch))
        g = [rng.standard_normal(expected.shape).astype(dtype), rng.standard_normal((3, 4)).astype(dtype)]
        want = _derivatives(torch, expected, tx, ty, g)
    except RuntimeError:
        pytest.skip("not in PyTorch for this type")
    got = _derivatives(weft, OPS[name](weft, x, y, helpers(weft)), x, y, g)
    for a, b in zip(got, want):
        if b is None or a is None:
            assert a is None and b is None or not np.any(values(b if a is None else a)[1])
        else:
            assert_same(a, b)


def _derivatives(m, out, x, y, g):
    first = m.autograd.grad(out, [x, y], m.tensor(g[0]) * out.detach() if out.requires_grad else None,
                            create_graph=True, allow_unused=True)
    loss = sum(((d * d * m.tensor(g[1])).sum() for d in first if d is not None), (out * out * out).sum())
    return [*first, *m.autograd.grad(loss, [x, y], m.ones_like(loss), allow_unused=True)]


# zero-dim and empty tensors

ZERO_DIM = {
    "gather": lambda m, z: z.gather(0, m.tensor(0)),
    "gather row": lambda m, z: z.gather(0, m.tensor([0])),
    "index_select": lambda m, z: z.index_select(0, m.tensor([0])),
    "index_add": lambda m, z: z.index_add(0, m.tensor([0]), z),
    "index_add row": lambda m, z: z.index_add(0, m.tensor(0), z),
    "index_copy": lambda m, z: z.index_copy(0, m.tensor([0]), z * 2),
    "index_fill": lambda m, z: z.index_fill(0, m.tensor([0]), 2),
    "index_reduce": lambda m, z: z.index_reduce(0, m.tensor([0]), z, "prod"),
    "scatter": lambda m, z: z.scatter(0, m.tensor(0), z * 2),
    "scatter_add": lambda m, z: z.scatter_add(0, m.tensor(0), z),
    "scatter_reduce": lambda m, z: z.scatter_reduce(0, m.tensor(0), z, "amax"),
    "take": lambda m, z: z.take(m.tensor(0)),
    "put": lambda m, z: z.put(m.tensor(0), z * 2),
    "masked_fill": lambda m, z: z.masked_fill(m.tensor(True), 2),
    "masked_select": lambda m, z: z.masked_select(m.tensor(True)),
    "masked_scatter": lambda m, z: z.masked_scatter(m.tensor(True), z * 2),
    "where": lambda m, z: m.where(m.tensor(True), z, z * 2),
    "take_along_dim flat": lambda m, z: z.take_along_dim(m.tensor(0)),
    "nonzero": lambda m, z: z.nonzero(),
    "ellipsis": lambda m, z: z[..., None],
    "true": lambda m, z: z[True],
}


@pytest.mark.parametrize("name", ZERO_DIM)
def test_zero_dim(name):
    ours, theirs = pair(3.0, "float32", True)
    got, expected = ZERO_DIM[name](weft, ours), ZERO_DIM[name](torch, theirs)
    assert_same(got, expected)
    if expected.requires_grad:
        assert_same(weft.autograd.grad(got.sum(), ours)[0], torch.autograd.grad(expected.sum(), theirs)[0])


EMPTY = {
    "index": lambda m, e: e[:, m.tensor([0, 1])],
    "index nothing": lambda m, e: e[m.zeros(0, dtype=m.int64)],
    "mask": lambda m, e: e[e > 0],
    "gather": lambda m, e: e.gather(1, m.zeros((0, 2), dtype=m.int64)),
    "index_select": lambda m, e: e.index_select(1, m.tensor([0, 0])),
    "index_add": lambda m, e: e.index_add(1, m.tensor([0, 0]), e[:, :2]),
    "scatter_add": lambda m, e: e.scatter_add(1, m.zeros((0, 2), dtype=m.int64), e[:, :2]),
    "masked_fill": lambda m, e: e.masked_fill(e > 0, 1),
    "masked_select": lambda m, e: e.masked_select(e > 0),
    "where": lambda m, e: m.where(e > 0, e, 1),
    "take": lambda m, e: e.take(m.zeros(0, dtype=m.int64)),
    "nonzero": lambda m, e: e.nonzero(),
    "put": lambda m, e: e.put(m.zeros(0, dtype=m.int64), m.zeros(0)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty(name):
    ours, theirs = pair(np.zeros((0, 3), "f4"), None, True)
    got, expected = EMPTY[name](weft, ours), EMPTY[name](torch, theirs)
    assert_same(got, expected)
    if expected.requires_grad:
        assert_same(weft.autograd.grad(got.sum(), ours)[0], torch.autograd.grad(expected.sum(), theirs)[0])


# the exception types

CALLS = """x[5] | x[0, 0, 0] | x[::-1] | x[1.0] | x['a'] | x[m.tensor([0, 5])] | x[[0, 1], [0, 1, 2]] | x[m.tensor([True])] | x[x > 3, 0]
x.gather(0, m.tensor([[5]])) | x.gather(0, m.tensor([0])) | x.gather(1, m.zeros((4, 1), dtype=m.int64)) | x.index_select(0, m.tensor([5]))
x.index_fill(0, m.tensor([5]), 1) | x.index_fill(0, m.tensor([0]), 1j) | x.index_fill(0, m.tensor([0.]), 1)
x.index_copy(0, m.tensor([0]), x[:2]) | x.index_copy(0, m.tensor([0]), x[:1].double()) | x.index_copy(0, m.tensor([0.]), x[:1])
x.index_add(0, m.tensor([-1]), x[:1]) | x.index_add(0, m.tensor([0]), x[:1, :2]) | x.index_add(0, m.tensor([0]), x[:1].double())
x.index_reduce(0, m.tensor([0]), x[:1], 'sum') | x.index_reduce(0, m.tensor([7]), x[:1], 'prod') | x.scatter(0, m.tensor([[5]]), x)
x.scatter(0, m.tensor([[0]]), x.double()) | x.scatter(0, m.tensor([0]), x) | x.scatter(0, m.tensor([[0]]), x, reduce='foo')
x.scatter_reduce(0, m.tensor([[0]]), x, 'foo') | x.scatter_reduce(0, m.tensor([[0]]), x) | x.masked_fill(x, 1)
x.masked_fill(m.tensor([True, False]), 1) | x.masked_fill_(m.ones(2, 3, 4).bool(), 1) | x.masked_fill(x > 3, m.tensor([1.]))
x.masked_select(x) | x.masked_scatter(x > 3, x.double()) | x.masked_scatter(x > 3, x[0]) | x.take(m.tensor([15])) | x.take(m.tensor([0.]))
x.put(m.tensor([15]), m.tensor([1.])) | x.put(m.tensor([0]), m.tensor([1., 2.])) | x.take_along_dim(m.tensor([0]), 0) | m.where(x, x, x)
m.where(x > 3, x, m.ones(3)) | m.where(x > 3, x) | m.fill(x, m.tensor([1.])) | m.fill(x, 1j) | x.index_put((m.tensor([7]),), m.tensor(1.))
x.index_put((m.tensor([0]),), m.tensor(1)) | x.index_put((m.tensor([0, 1]),), m.tensor([1., 2., 3.]))
x.index_put([m.tensor([0.])], m.tensor(1.)) | x.fill_(1e300) | m.tensor([1], dtype=m.uint8).fill_(300) | x.half().masked_fill(x > 3, -1e9)
x.__setitem__(0, m.ones(2)) | x.__setitem__(0, m.ones(2, 4)) | x.__setitem__(x > 3, m.ones(7)) | x.__setitem__(0, 1j) | x.__setitem__(9, 1)
x.__setitem__(0, None) | x.__setitem__(m.tensor([0]), m.ones(4).double()) | iter(m.tensor(1.))
'a' in x | m.tensor(1.)[0] | m.tensor(1.)[:]"""


@pytest.mark.parametrize("call", [c.strip() for line in CALLS.splitlines() for c in line.split(" | ")])
def test_exception_types(call):
    kinds = []
    for m in (torch, weft):
        x = m.tensor(np.arange(12, dtype="f4").reshape(3, 4))
        with pytest.raises(Exception) as caught:
            eval(call, {"m": m, "x": x})  # noqa: S307
        kinds.append(caught.type)
    assert kinds[0] is kinds[1]
