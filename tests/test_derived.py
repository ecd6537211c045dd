"""Tests that every op gets from its own body: gradients, strides, in-place and out= forms, half types, empty tensors,
meta.
"""
import zlib

import numpy as np
import pytest

import weft
from weft.ops.core.registry import OPS_BY_NAME

OPS = {made.name: made for made in OPS_BY_NAME.values() if made.samples}
CASES = [(name, i) for name, made in sorted(OPS.items()) for i in range(len(made.samples))]
POINTWISE = [(name, i) for name, i in CASES if OPS[name].pointwise]
POSITIVE = {"log", "sqrt", "rsqrt", "pow", "xlogy", "lgamma", "digamma", "acosh", "log2", "log10", "reciprocal"}


def build(value, rng, dtype=np.float64, scale=1.0):
    """A sample's argument: a tuple of ints is a random tensor of that shape."""
    if isinstance(value, tuple) and all(isinstance(n, int) and not isinstance(n, bool) for n in value):
        return weft.tensor((rng.uniform(0.3, 0.9, size=value) * scale).astype(dtype))
    if isinstance(value, list) and value and all(isinstance(v, tuple) for v in value):
        return [build(v, rng, dtype, scale) for v in value]
    return value


def arguments(name, i, dtype=np.float64):
    """(positional, keywords) of a sample. A tuple of ints that a body means as a size stands after the first tensor, as
    in torch.
    """
    made = OPS[name]
    sample = made.samples[i]
    keywords = {}
    if isinstance(sample[-1], dict):
        *sample, keywords = sample
    rng = np.random.default_rng(zlib.crc32(f"{name}{i}".encode()))
    names = made.names[:len(sample)]
    built = []
    for position, value in enumerate(sample):
        takes_sizes = position < len(names) and names[position] in SIZES and names[position] not in made.rule_names
        takes_sizes = takes_sizes and (names[position] != "source" or "destination" in made.names)
        # attention's are tensors
        takes_sizes = takes_sizes and (names[position] != "key" or "query" not in made.names)
        built.append(value if takes_sizes else build(value, rng, dtype))
    return built, keywords


SIZES = {"size", "shape", "dim", "dims", "sizes", "shifts", "stride", "reps", "repeats", "pad",
         "split_size_or_sections", "index", "s", "indices_or_sections", "split_sizes", "sections", "strides",
         "normalized_shape", "tensor_indices_or_sections", "source", "destination", "storage_offset", "axes", "axis",
         "correction", "kernel_size", "like", "x_shape", "geometry", "steps", "key", "where", "spec", "ord"}


def tensors_of(args):
    found = []
    for a in args:
        found.extend(tensors_of(a) if isinstance(a, list) else [a] if isinstance(a, weft.Tensor) else [])
    return found


def call(name, args, keywords):
    weft.manual_seed(0)
    return OPS[name].call(tuple(args), dict(keywords))


def is_random(name, args, keywords):
    """Whether two calls one after the other differ."""
    one, other = (first(OPS[name].call(tuple(args), dict(keywords))) for _ in range(2))
    return any(not np.array_equal(a.detach().numpy(), b.detach().numpy(), equal_nan=True)
               for a, b in zip(one, other, strict=True) if a.is_floating_point())


def first(result):
    return [r for r in (result if isinstance(result, (tuple, list)) else (result,)) if isinstance(r, weft.Tensor)]


@pytest.mark.parametrize("name,i", CASES)
def test_gradients_to_second_order(name, i):
    args, keywords = arguments(name, i)
    inputs = [t for t in tensors_of(args) if t.is_floating_point()]
    for t in inputs:
        t.requires_grad_()
    outs = first(call(name, args, keywords))
    wanted = [k for k, o in enumerate(outs) if o.requires_grad]
    if not inputs or not wanted or is_random(name, args, keywords):
        return      # a random result's gradient is zero by definition, not by differences

    def function(*given):
        it = iter(given)

        def put(a):
            if isinstance(a, list):
                return [put(e) for e in a]
            return next(it) if isinstance(a, weft.Tensor) and a.is_floating_point() else a
        made = first(call(name, [put(a) for a in args], keywords))
        return tuple(made[k] for k in wanted)
    assert weft.autograd.gradcheck(function, tuple(inputs))
    if name not in NO_SECOND:
        assert weft.autograd.gradgradcheck(function, tuple(inputs))


NO_SECOND = set()
# what they give, or whether they can, depends on the strides
STRIDE_DEPENDENT = {"as_strided", "as_strided_copy", "as_strided_scatter", "view_as", "view_copy"}


@pytest.mark.parametrize("name,i", CASES)
def test_strided_inputs_give_the_same(name, i):
    args, keywords = arguments(name, i)
    if OPS[name].is_view or OPS[name].maybe_view or name in STRIDE_DEPENDENT:
        return
    if is_random(name, args, keywords):
        return      # the order in which numbers are drawn follows the memory

    def stretch(a):
        if isinstance(a, list):
            return [stretch(e) for e in a]
        if not isinstance(a, weft.Tensor):
            return a
        wide = np.empty(tuple(2 * n for n in a.shape), a.numpy().dtype)
        wide[...] = 7
        spot = tuple(slice(None, None, 2) for _ in a.shape)
        wide[spot] = a.numpy()
        return weft.from_numpy(wide)[spot] if a.dim() else a
    plain, strided = first(call(name, args, keywords)), first(call(name, [stretch(a) for a in args], keywords))
    for p, s in zip(plain, strided, strict=True):
        np.testing.assert_allclose(s.numpy(), p.numpy(), rtol=1e-10, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name,i", POINTWISE)
def test_pointwise_forms_agree(name, i):
    """`out=`, the in-place form, half precision, and empty tensors, against the plain call."""
    args, keywords = arguments(name, i)
    plain = call(name, args, keywords)
    if isinstance(plain, tuple):
        return
    out = weft.empty(0, dtype=plain.dtype)
    assert call(name, args, {**keywords, "out": out}) is out
    np.testing.assert_array_equal(out.numpy(), plain.numpy())
    x = args[0]
    in_place = getattr(x, name + "_", None)
    if isinstance(x, weft.Tensor) and in_place is not None and plain.shape == x.shape:
        written = x.clone()
        getattr(written, name + "_")(*args[1:], **keywords)
        np.testing.assert_allclose(written.numpy(), plain.to(x.dtype).numpy(), rtol=1e-12)


@pytest.mark.parametrize("name,i", POINTWISE)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_is_the_rounded_float32(name, i, dtype):
    args, keywords = arguments(name, i, np.float32)
    halves = [a.to(getattr(weft, dtype)) if isinstance(a, weft.Tensor) else a for a in args]
    singles = [a.float() if isinstance(a, weft.Tensor) else a for a in halves]
    try:
        exact = call(name, singles, keywords)
    except RuntimeError:
        return          # integers only
    made = call(name, halves, keywords)
    for h, s in zip(first(made), first(exact), strict=True):
        if s.is_floating_point():
            assert h.dtype is getattr(weft, dtype), name
            np.testing.assert_allclose(h.float().numpy(), s.to(h.dtype).float().numpy(), rtol=2e-2, equal_nan=True)


@pytest.mark.parametrize("name,i", CASES)
def test_meta_gives_the_shape(name, i):
    args, keywords = arguments(name, i)

    def to_meta(a):
        return [to_meta(e) for e in a] if isinstance(a, list) else a.to("meta") if isinstance(a, weft.Tensor) else a
    if not tensors_of(args):
        return
    real = first(call(name, args, keywords))
    if name.strip("_") in DATA_DEPENDENT:
        return
    made = first(call(name, [to_meta(a) for a in args], keywords))
    assert [(m.shape, m.dtype, m.is_meta) for m in made] == [(r.shape, r.dtype, True) for r in real]


# the result's shape depends on the values
DATA_DEPENDENT = {"nonzero", "unique", "masked_select", "unique_consecutive", "argwhere", "masked_place"}


@pytest.mark.parametrize("name", sorted(OPS_BY_NAME))
def test_every_op_says_what_it_does(name):
    made = OPS_BY_NAME[name]
    assert made.doc and made.doc.rstrip().endswith((".", ")", "`")), f"{name} has no docstring sentence"
