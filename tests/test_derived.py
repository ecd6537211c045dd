"""Tests that every op gets from its own body: gradients, strides, in-place and out= forms, half types, empty tensors,
meta.
"""
import zlib

import numpy as np
import pytest
from sample_values import build

import weft
import weft.ops.lists.foreach  # noqa: F401  (loaded when used)
from weft.core.spec import Spec
from weft.ops.core.bind import bind
from weft.ops.core.infer import SAME, infer
from weft.ops.core.promotion import promote
from weft.ops.core.registry import ALL, OPS_BY_NAME, STEADY
from weft.ops.core.samples import Make
from weft.tensor.tensor import describe


def full_name(made):
    """The public name (`nn.functional.batch_norm`), which tells ops of one name apart."""
    return next((name for name, op in OPS_BY_NAME.items() if op is made), made.name)


OPS = {full_name(made): made for made in ALL if made.samples}
CASES = [(name, i) for name, made in sorted(OPS.items()) for i in range(len(made.samples))]
POINTWISE = [(name, i) for name, i in CASES if OPS[name].pointwise]


def arguments(name, i, dtype=np.float64, seed=""):
    """(positional, keywords) of a sample. A tuple of ints that a body means as a size stands after the first tensor, as
    in torch.
    """
    made = OPS[name]
    sample = made.samples[i]
    keywords = {}
    if isinstance(sample[-1], dict):
        *sample, keywords = sample
    rng = np.random.default_rng(zlib.crc32(f"{name}{i}{seed}".encode()))
    keywords = {key: build(value, rng, dtype) if isinstance(value, Make) else value for key, value in keywords.items()}
    names = made.names[:len(sample)]
    built = []
    for position, value in enumerate(sample):
        takes_sizes = position < len(names) and names[position] in SIZES and names[position] not in made.rule_names
        takes_sizes = takes_sizes and not isinstance(value, Make)
        takes_sizes = takes_sizes and (names[position] != "source" or "destination" in made.names)
        # attention's are tensors
        takes_sizes = takes_sizes and (names[position] != "key" or "query" not in made.names)
        built.append(value if takes_sizes else build(value, rng, dtype))
    return built, keywords


def fixed_places(name, i):
    """The arguments that a sample wants no gradient for."""
    return {k for k, value in enumerate(OPS[name].samples[i]) if isinstance(value, Make) and value.kind == "fixed"}


SIZES = {"size", "shape", "dim", "dims", "sizes", "shifts", "stride", "reps", "repeats", "pad",
         "split_size_or_sections", "index", "s", "indices_or_sections", "split_sizes", "sections", "strides",
         "normalized_shape", "tensor_indices_or_sections", "source", "destination", "storage_offset", "axes", "axis",
         "correction", "kernel_size", "like", "x_shape", "geometry", "steps", "key", "where", "spec", "ord"}


def tensors_of(args):
    found = []
    for a in args:
        found.extend(tensors_of(a) if isinstance(a, (list, tuple)) else [a] if isinstance(a, weft.Tensor) else [])
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
    fixed = fixed_places(name, i)
    inputs = [t for k, a in enumerate(args) if k not in fixed for t in tensors_of([a])
              if t.is_floating_point() or t.is_complex()]
    for t in inputs:
        t.requires_grad_()
    outs = first(call(name, args, keywords))
    wanted = [k for k, o in enumerate(outs) if o.requires_grad]
    if not inputs or not wanted or is_random(name, args, keywords):
        return      # a random result's gradient is zero by definition, not by differences

    def function(*given):
        it = iter(given)

        def put(a):
            if isinstance(a, (list, tuple)):
                return type(a)(put(e) for e in a)
            return next(it) if isinstance(a, weft.Tensor) and (a.is_floating_point() or a.is_complex()) else a
        made = first(call(name, [a if k in fixed else put(a) for k, a in enumerate(args)], keywords))
        return tuple(made[k] for k in wanted)
    assert weft.autograd.gradcheck(function, tuple(inputs))
    if name not in NO_SECOND:
        assert weft.autograd.gradgradcheck(function, tuple(inputs))


NO_SECOND = set()
# what they give, or whether they can, depends on the strides
STRIDE_DEPENDENT = {"as_strided", "as_strided_copy", "as_strided_scatter", "view_as", "view_copy",
                    "view_as_complex_copy"}


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


def to_meta(a):
    if isinstance(a, (list, tuple)):
        return type(a)(to_meta(e) for e in a)
    return a.to("meta") if isinstance(a, weft.Tensor) else a


def reads_values(name, args, keywords):
    """Whether an op looks at values, itself or by one of the ops that it is composed of."""
    found = []

    class Reads(weft.core.seam.Watcher):
        def read(self, tensor, how):
            found.append(how)
    with Reads():
        call(name, args, keywords)
    return bool(found)


@pytest.mark.parametrize("name,i", CASES)
def test_meta_gives_the_shape(name, i):
    """The same shapes, types and strides without values, and without any kernel being run."""
    args, keywords = arguments(name, i)
    if not tensors_of(args) or reads_values(name, args, keywords):
        return
    real = first(call(name, args, keywords))
    made = first(call(name, [to_meta(a) for a in args], {k: to_meta(v) for k, v in keywords.items()}))
    assert [(m.shape, m.dtype, m.is_meta, m.stride()) for m in made] == \
        [(r.shape, r.dtype, True, r.stride()) for r in real]


def as_it_is(a):
    return a


def turned(a):
    """The same values, the first dimension innermost in memory."""
    order = list(range(a.dim()))[::-1]
    return a.permute(order).contiguous().permute(order)


def channels_last(a):
    """The same values, dimension 1 innermost in memory."""
    n = a.dim()
    return a.permute(0, *range(2, n), 1).contiguous().permute(0, n - 1, *range(1, n - 1)) if n > 2 else a


def laid_out(order, a):
    if isinstance(a, (list, tuple)):
        return type(a)(laid_out(order, e) for e in a)
    return order(a) if isinstance(a, weft.Tensor) else a


@pytest.mark.parametrize("name,i", [(n, i) for n, i in CASES if OPS[n].forward is not None])
def test_every_rule_says_what_forward_gives(name, i):
    """Shape, type and strides of the shape rule against the op itself, for several memory orders of the inputs."""
    made = OPS[name]
    args, keywords = arguments(name, i)
    if made.reads or not tensors_of(args):
        return
    for order in (as_it_is, turned, channels_last) if name not in STRIDE_DEPENDENT else [as_it_is]:
        values = bind(made, tuple(laid_out(order, a) for a in args), keywords)
        weft.manual_seed(0)
        try:
            real = made.compute(list(values))
        except RuntimeError:
            if order is as_it_is:
                raise
            continue        # a view that this memory order doesn't have
        specs = infer(made, values if made.promotion is None else promote(made, values))
        if specs is SAME:
            assert real is values[0]
            continue
        for spec, t in zip([specs] if isinstance(specs, Spec) else specs, first(real), strict=True):
            same = describe(t)
            assert (spec.shape, spec.dtype) == (same.shape, same.dtype), (spec, same)
            assert not spec.size or [s for s, n in zip(spec.strides, spec.shape) if n > 1] == \
                [s for s, n in zip(same.strides, same.shape) if n > 1], (spec, same)


FORWARDS = [made for made in ALL if made.forward is not None]


@pytest.mark.parametrize("made", FORWARDS, ids=lambda made: made.name)
def test_every_op_has_a_shape_rule_or_reads_values(made):
    assert made.shape_rule is not None or made.reads or made.pointwise or made.reduces or \
        made.is_view and not made.maybe_view, f"{made.name} has no `shape`"


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.name)
def test_every_op_has_samples_or_a_reason(made):
    assert made.samples or made.why_no_samples, f"{made.name} has no samples"


@pytest.mark.parametrize("name", sorted(OPS_BY_NAME))
def test_every_op_says_what_it_does(name):
    made = OPS_BY_NAME[name]
    assert made.doc and made.doc.rstrip().endswith((".", ")", "`")), f"{name} has no docstring sentence"


@pytest.mark.parametrize("name,i", [(name, i) for name, i in CASES if OPS[name] in STEADY])
def test_steady(name, i):
    """An op that says so calls the same kernels for other values: a plan that calls them gives what the op gives."""
    def call(given, keywords):
        with weft.no_grad():
            return [t.clone() for t in first(OPS[name].call(tuple(given), dict(keywords)))]
    captured = weft.jit.capture(call)
    for dtype in (np.float32, np.float64):
        for seed in "abcde":
            given, keywords = arguments(name, i, dtype, seed)
            for mine, theirs in zip(call(given, keywords), captured(given, keywords), strict=True):
                assert np.array_equal(mine.numpy(), theirs.numpy(), equal_nan=mine.is_floating_point())


@pytest.mark.parametrize("name,i", CASES)
def test_captured(name, i):
    """A captured call, with its backward, gives what the call itself gives: recorded, followed, followed again."""
    given, keywords = arguments(name, i)
    fixed = fixed_places(name, i)
    leaves = [t for k, a in enumerate(given) if k not in fixed for t in tensors_of([a])
              if (t.is_floating_point() or t.is_complex()) and not t.requires_grad]
    for t in leaves:
        t.requires_grad_()
    before = [t.detach().clone() for t in tensors_of(given)]

    def step():
        for t in leaves:
            t.grad = None
        made = first(OPS[name].call(tuple(given), dict(keywords)))
        loss = sum([(o.abs() if o.is_complex() else o).sum() for o in made if o.requires_grad])
        if isinstance(loss, weft.Tensor):
            loss.backward()
        return [o.detach().clone() for o in made], [t.grad for t in leaves]

    def run(function):
        with weft.no_grad():
            for t, old in zip(tensors_of(given), before, strict=True):
                t.copy_(old)
        weft.manual_seed(3)
        return function()
    expected, captured = run(step), weft.jit.capture(step)
    for _ in range(3):
        found = run(captured)
        for mine, theirs in zip(expected, found, strict=True):
            for a, b in zip(mine, theirs, strict=True):
                assert (a is None) == (b is None)
                if a is not None:
                    assert a.shape == b.shape and a.dtype == b.dtype
                    assert np.array_equal(a.detach().numpy(), b.detach().numpy(), equal_nan=a.is_floating_point()
                                          or a.is_complex()), captured.explain()
