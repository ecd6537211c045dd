"""`out=` beside PyTorch, for every op whose body has samples: of each type, empty, of other sizes, strided, expanded,
with a gradient; what it becomes, what is returned, what is refused and with which error, what warns.
"""
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import test_derived as derived  # noqa: E402
from test_strides_torch import in_torch, torch_function  # noqa: E402

import weft  # noqa: E402

TYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64", "complex128"]
NO_OUT = ("unexpected keyword", "invalid combination", "multiple values", "missing", "positional arguments")


def blank(lib, shape, dtype, kind):
    """An `out=` of a library: zeros that lie in memory as `kind` says."""
    dtype = getattr(lib, dtype)
    if kind == "turned":
        return lib.zeros(shape[::-1], dtype=dtype).permute(tuple(range(len(shape)))[::-1])
    if kind == "strided":
        return lib.zeros(tuple(2 * n for n in shape), dtype=dtype)[tuple(slice(None, None, 2) for _ in shape)]
    if kind == "expanded":
        return lib.zeros((1,) * len(shape), dtype=dtype).expand(shape)
    made = lib.zeros(shape, dtype=dtype)
    return made.requires_grad_() if kind == "grad" and (made.is_floating_point() or made.is_complex()) else made


def variants(results):
    """(what it is, [(shape, type, kind) of each out])"""
    own = [(tuple(r.shape), str(r.dtype)[6:]) for r in results]
    for t in TYPES:
        yield f"first {t}", [(own[0][0], t, ""), *[(s, d, "") for s, d in own[1:]]]
        if len(own) > 1:
            yield f"last {t}", [*[(s, d, "") for s, d in own[:-1]], (own[-1][0], t, "")]
    yield "empty", [((0,), d, "") for s, d in own]
    yield "larger", [((*s, 2), d, "") for s, d in own]
    yield "shorter", [((1,) * len(s), d, "") for s, d in own]
    for kind in ("turned", "strided", "expanded", "grad"):
        if kind != "expanded" or any(n > 1 for n in own[0][0]):
            yield kind, [(s, d, kind) for s, d in own]


def outcome(lib, function, args, keywords, wanted, several):
    """The error's kind, or (warned, returned the outs, their forms, their values)."""
    lib.manual_seed(0)
    outs = [blank(lib, *w) for w in wanted]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args, out=tuple(outs) if several else outs[0], **keywords)
        except Exception as error:
            return type(error), str(error)
    warned = any("was resized" in str(w.message) for w in caught)
    returned = list(result) if isinstance(result, (tuple, list)) else [result]
    same = len(returned) == len(outs) and all(a is b for a, b in zip(returned, outs))
    forms = [(tuple(o.shape), str(o.dtype), tuple(o.stride()) if o.numel() > 1 else ()) for o in outs]
    return warned, same, forms, [values_of(o) for o in outs]


def values_of(tensor):
    tensor = tensor.detach().double() if "bfloat16" in str(tensor.dtype) else tensor.detach()
    return np.asarray(tensor.numpy())


def differs(want, got, linalg):
    """What is other than PyTorch's, in a word, or None."""
    if isinstance(want[0], type) or isinstance(got[0], type):
        return None if want[0] is got[0] else f"{want[:2]} instead of {got[:2]}"
    if want[0] != got[0]:
        return f"warned: {got[0]}"
    if want[1] != got[1]:
        return f"returned: {got[1]}"
    if [f[:2] if linalg else f for f in want[2]] != [f[:2] if linalg else f for f in got[2]]:
        return f"form {got[2]} instead of {want[2]}"
    for (_, dtype, _), a, b in zip(want[2], want[3], got[3]):
        near = 2e-2 if "16" in dtype else 1e-3
        if not np.allclose(a.astype(complex), b.astype(complex), rtol=near, equal_nan=True,
                           atol=1 if a.dtype.kind in "iu" else near):
            return "values"
    return None


def differing():
    """{(op, variant): how} of all that is other than PyTorch's, and how many were tried."""
    found, tried, seen = {}, 0, set()
    for name, i in derived.CASES:
        theirs = torch_function(name)
        if theirs is None or name.startswith("_") or name in seen or name in UNSAFE:
            continue
        args, keywords = derived.arguments(name, i, np.float32)
        given, told = [in_torch(a) for a in args], {k: in_torch(v) for k, v in keywords.items()}
        try:
            results = theirs(*given, **told)
        except (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError):
            continue
        several = isinstance(results, (tuple, list))
        results = list(results) if several else [results]
        if not all(isinstance(r, torch.Tensor) for r in results):
            continue
        first = outcome(torch, theirs, given, told, [(tuple(r.shape), str(r.dtype)[6:], "") for r in results], several)
        if isinstance(first[0], type) and any(text in first[1] for text in NO_OUT):
            continue
        seen.add(name)
        for variant, wanted in variants(results):
            tried += 1
            want = outcome(torch, theirs, given, told, wanted, several)
            got = outcome(weft, derived.OPS[name].public, args, keywords, wanted, several)
            how = differs(want, got, name in COLUMNS)
            if how is not None:
                found[name, variant] = how
    return found, tried


UNSAFE = {"nn.functional.avg_pool3d"}       # PyTorch writes beyond an out= of another type
COLUMNS = set("""cholesky cholesky_inverse cholesky_solve geqrf inverse linalg.cholesky linalg.cholesky_ex linalg.eig
    linalg.eigh linalg.householder_product linalg.inv linalg.inv_ex linalg.ldl_factor linalg.ldl_factor_ex
    linalg.ldl_solve linalg.lstsq linalg.lu_factor linalg.lu_factor_ex linalg.lu_solve linalg.qr linalg.solve
    linalg.solve_ex linalg.solve_triangular linalg.svd lu_solve ormqr qr svd triangular_solve nonzero""".split())
# what is other than PyTorch's, and why: op, then the variants (how their names start)
KNOWN = {
    "elements that share a place are never written to, PyTorch looks only in most ops":
        """bmm:expanded cummax:expanded cummin:expanded histc:expanded linalg.vecdot:expanded mv:expanded
        narrow_copy:expanded prod:expanded sum:expanded threshold:expanded tril:expanded triu:expanded""",
    "PyTorch resizes these without a word":
        """addbmm:larger addbmm:shorter bernoulli:larger bernoulli:shorter lu:larger lu:shorter multinomial:larger
        multinomial:shorter narrow_copy:larger narrow_copy:shorter nn.functional.logsigmoid:larger
        nn.functional.logsigmoid:shorter""",
    "PyTorch leaves a strided out= as it was, or in another order":
        "narrow_copy:turned narrow_copy:strided nn.functional.gelu:turned nn.functional.gelu:strided",
    "PyTorch returns None where there are many outs, and broadcasts into some":
        "split_copy: split_with_sizes_copy: unbind_copy:",
    "refused by both, with another error":
        "bernoulli:first nanmean:first nansum:first normal:first",
    "PyTorch refuses the last step of a composition, with a type that its other transforms take":
        "fft.ifft:first fft.ihfft:first",
    "without a gradient in weft, so that there is nothing to lose":
        "linalg.ldl_factor:grad linalg.ldl_factor_ex:grad linalg.ldl_solve:grad",
}


@pytest.mark.filterwarnings("ignore")
def test_out_is_filled_as_pytorch_fills_it():
    """1,217 of 5,711 were other than PyTorch's."""
    known = {text: why for why, names in KNOWN.items() for text in names.split()}
    found, tried = differing()
    texts = {f"{name}:{variant}": how for (name, variant), how in found.items()}
    unknown = {text: how for text, how in texts.items() if not text.startswith(tuple(known))}
    assert tried > 5000 and not unknown, unknown
    assert not [text for text in known if not any(found.startswith(text) for found in texts)]


CALLS = {
    "a list of outs": lambda T, x, v, i: T.max(x, 0, out=[v, i]),
    "too few": lambda T, x, v, i: T.max(x, 0, out=(v,)),
    "one for two": lambda T, x, v, i: T.max(x, 0, out=v),
    "too many": lambda T, x, v, i: T.sort(x, 0, out=(v, i, i)),
    "two for one": lambda T, x, v, i: T.add(x, 1, out=(v,)),
    "no tensor": lambda T, x, v, i: T.max(x, 0, out=(v, 3)),
    "another type asked for": lambda T, x, v, i: T.sum(x, 0, dtype=T.float64, out=v),
    "the same type asked for": lambda T, x, v, i: T.sum(x, 0, dtype=T.float32, out=v),
    "cumsum, another type asked for": lambda T, x, v, i: T.cumsum(x, 0, dtype=T.float64, out=v),
    "mean, another type asked for": lambda T, x, v, i: T.mean(x, 0, dtype=T.float64, out=v),
    "max of all, castable": lambda T, x, v, i: T.max(x, out=v.double()),
    "max of two, castable": lambda T, x, v, i: T.max(x, x, out=v.double()),
    "max by dim, castable": lambda T, x, v, i: T.max(x, 0, out=(v.double(), i)),
    "meta": lambda T, x, v, i: T.add(x, 1, out=T.empty(0, device="meta")),
    "from meta": lambda T, x, v, i: T.add(T.empty(3, device="meta"), 1, out=v),
    "both meta": lambda T, x, v, i: T.add(T.empty(3, device="meta"), 1, out=T.empty(0, device="meta")),
    "the input itself": lambda T, x, v, i: T.exp(x, out=x),
    "a view of the input": lambda T, x, v, i: T.exp(x[1:], out=x[1:]),
    "an input that needs a gradient": lambda T, x, v, i: T.exp(x.requires_grad_(), out=v),
    "the same without grad": lambda T, x, v, i: T.no_grad()(T.exp)(x.requires_grad_(), out=v),
    "a product's own input": lambda T, x, v, i: T.mm(x[:, :3], x, out=v),
    "sum in out's type": lambda T, x, v, i: T.sum(x * 2, 0, out=i),
    "cumsum in out's type": lambda T, x, v, i: T.cumsum(x * 2, 0, out=i),
    "cumsum to bool": lambda T, x, v, i: T.cumsum(x, 0, out=i.bool()),
    "any to bytes": lambda T, x, v, i: T.any(x, 0, out=i.byte()),
    "any to float": lambda T, x, v, i: T.any(x, 0, out=v),
    "cat to int": lambda T, x, v, i: T.cat([x, x], out=i),
    "histogram": lambda T, x, v, i: T.histogram(x, 3, out=(v, T.empty(0))).hist,
    "svd": lambda T, x, v, i: T.linalg.svdvals(x, out=v),
    "slogdet": lambda T, x, v, i: T.linalg.slogdet(x[:, :3] + T.eye(3), out=(v, T.empty(0))).logabsdet,
    "topk": lambda T, x, v, i: T.topk(x, 2, 1, out=(v, i)).values,
    "kthvalue": lambda T, x, v, i: T.kthvalue(x, 2, 1, out=(v, i)).indices,
    "mode": lambda T, x, v, i: T.mode(x, 1, out=(v, i)).values,
    "unlike sizes": lambda T, x, v, i: T.sort(x, 0, out=(v.new_empty(7), i)).indices,
    "arange": lambda T, x, v, i: T.arange(3, out=v),
    "arange, another type": lambda T, x, v, i: T.arange(3, dtype=T.int64, out=v),
    "linspace": lambda T, x, v, i: T.linspace(0, 1, 3, out=v),
    "full": lambda T, x, v, i: T.full((2,), 1.5, out=v),
    "eye": lambda T, x, v, i: T.eye(2, out=v),
    "randn": lambda T, x, v, i: T.randn(2, out=v),
    "randperm": lambda T, x, v, i: T.randperm(4, out=i),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_calls_with_out(name):
    def found(T):
        T.manual_seed(0)
        x = T.arange(12.).reshape(3, 4) / 7
        try:
            made = CALLS[name](T, x, T.empty(0), T.empty(0, dtype=T.int64))
        except Exception as error:
            return type(error)
        made = made[0] if isinstance(made, tuple) else made
        return tuple(made.shape), str(made.dtype), [] if made.device.type == "meta" else made.detach().tolist()
    want, got = found(torch), found(weft)
    if isinstance(want, type) or isinstance(got, type):
        assert want == got
    else:
        assert got[:2] == want[:2]
        np.testing.assert_allclose(got[2], want[2], rtol=1e-5, atol=1e-6)
