"""Views of meta tensors beside PyTorch's: where they begin, how they step, whether they are views at all."""
import random

import pytest

import weft

torch = pytest.importorskip("torch")

STEPS = {
    "slice": lambda r, x: (lambda d, n: (f"[{':, ' * d}{n[0]}:{n[1]}:{n[2]}]"))(*sliced(r, x)) if x.dim() else None,
    "select": lambda r, x: with_dim(r, x, lambda d, n: f".select({d}, {r.randrange(-n, n)})" if n else None),
    "index": lambda r, x: f"[{r.randrange(x.shape[0])}]" if x.dim() and x.shape[0] else None,
    "ellipsis": lambda r, x: f"[..., {r.randrange(x.shape[-1])}]" if x.dim() and x.shape[-1] else None,
    "newaxis": lambda r, x: "[None]" if x.dim() < 5 else None,
    "narrow": lambda r, x: with_dim(r, x, lambda d, n: (lambda s: f".narrow({d}, {s}, {r.randint(0, n - s)})")(
        r.randint(0, n))),
    "transpose": lambda r, x: with_dim(r, x, lambda d, n: f".transpose({d}, {r.randrange(x.dim())})"),
    "permute": lambda r, x: f".permute({r.sample(range(x.dim()), x.dim())})" if x.dim() else None,
    "movedim": lambda r, x: with_dim(r, x, lambda d, n: f".movedim({d}, {r.randrange(x.dim())})"),
    "unsqueeze": lambda r, x: f".unsqueeze({r.randint(0, x.dim())})" if x.dim() < 5 else None,
    "squeeze": lambda r, x: ".squeeze()",
    "expand": lambda r, x: f".expand(2, {', '.join(['-1'] * x.dim()) or '-1'})" if 0 < x.dim() < 5 else None,
    "diagonal": lambda r, x: f".diagonal({r.randint(-1, 1)}, 0, 1)" if x.dim() > 1 else None,
    "unfold": lambda r, x: with_dim(r, x, lambda d, n: f".unfold({d}, {r.randint(1, n)}, {r.randint(1, 2)})" if n and
                                    x.dim() < 5 else None),
    "chunk": lambda r, x: with_dim(r, x, lambda d, n: f".chunk(2, {d})[-1]" if n else None),
    "split": lambda r, x: with_dim(r, x, lambda d, n: f".split({r.randint(1, 2)}, {d})[-1]" if n else None),
    "unbind": lambda r, x: with_dim(r, x, lambda d, n: f".unbind({d})[{r.randrange(n)}]" if n else None),
    "tensor_split": lambda r, x: with_dim(r, x, lambda d, n: f".tensor_split(3, {d})[1]"),
    "view_as_real": lambda r, x: None if not x.is_complex() else "T.view_as_real",
    "real": lambda r, x: ".real" if x.is_complex() else None,
    "imag": lambda r, x: ".imag" if x.is_complex() else None,
    "flatten": lambda r, x: ".view(-1)" if x.is_contiguous() else None,
    "unflatten": lambda r, x: with_dim(r, x, lambda d, n: f".unflatten({d}, (2, {n // 2}))" if n and n % 2 == 0 and
                                       x.dim() < 5 else None),
    "detach": lambda r, x: ".detach()",
    "as_strided": lambda r, x: f".as_strided((2, 2), (3, 1), {r.randint(0, 5)})" if x.untyped_storage().nbytes() >= 200
    else None,
    "as_strided here": lambda r, x: ".as_strided((2,), (1,))" if x.numel() > 4 and x.is_contiguous() else None,
    "view_dtype": lambda r, x: ".view(T.int32)" if x.dtype is torch.float32 else None,
    "swapaxes": lambda r, x: with_dim(r, x, lambda d, n: f".swapaxes({d}, -1)"),
    "t": lambda r, x: ".t()" if x.dim() < 3 else None,
    "mT": lambda r, x: ".mT" if x.dim() > 1 else None,
}


def with_dim(r, x, make):
    if not x.dim():
        return None
    d = r.randrange(x.dim())
    return make(d, x.shape[d])


def sliced(r, x):
    d = r.randrange(x.dim())
    n = x.shape[d]
    start = r.randint(0, n)
    return d, (start, r.randint(start, n), r.randint(1, 2))


def applied(T, x, step):
    return T.view_as_real(x) if step == "T.view_as_real" else eval("x" + step, {"x": x, "T": T})


def account(T, x):
    four = {"channels_last": x.is_contiguous(memory_format=T.channels_last)} if x.dim() == 4 else {}
    # an empty slice begins, for NumPy and so for weft, where what it is a slice of does, and steps by one
    place = {"stride": x.stride(), "offset": x.storage_offset()} if x.numel() else {}
    return {"shape": tuple(x.shape), **place,
            "view": x._is_view() if x.dtype is not T.int32 else None,   # PyTorch forgets a view of another kind
            "contiguous": x.is_contiguous(), "dtype": str(x.dtype).rpartition(".")[2], **four}


STARTS = [((4, 6), "float32"), ((2, 3, 4), "float32"), ((5,), "float64"), ((2, 1, 3, 4), "float32"),
          ((3, 4), "complex64"), ((2, 2, 5), "complex128"), ((7, 1), "int64"), ((2, 4, 3, 3), "float32")]


@pytest.mark.parametrize("seed", range(200))
def test_programs_of_views(seed):
    r = random.Random(seed)
    shape, dtype = r.choice(STARTS)
    theirs = torch.empty(shape, dtype=getattr(torch, dtype), device="meta")
    ours = weft.empty(shape, dtype=getattr(weft, dtype), device="meta")
    done = []
    for _ in range(6):
        step = STEPS[r.choice(list(STEPS))](r, theirs)
        if step is None:
            continue
        done.append(step)
        theirs, ours = applied(torch, theirs, step), applied(weft, ours, step)
        assert account(weft, ours) == account(torch, theirs), done


def test_offsets_survive_what_changes_no_place():
    for T in (weft, torch):
        x = T.empty(4, 5, device="meta")[1:, 2:]
        assert x.storage_offset() == 7 and x.detach().storage_offset() == 7 and x.data.storage_offset() == 7
        assert x.clone().storage_offset() == 0 and (x + 1).storage_offset() == 0
        assert x.contiguous().storage_offset() == 0 and x[0].contiguous().storage_offset() == 7
        assert x[1:, 1].as_strided((2,), (1,)).storage_offset() == 13
        y = T.empty(3, 3, device="meta")
        y.set_(x)
        assert y.storage_offset() == 7 and y.stride() == (5, 1)
        y.transpose_(0, 1)
        assert y.storage_offset() == 7 and y.stride() == (1, 5)
