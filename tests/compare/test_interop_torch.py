"""Tensors exchanged with PyTorch, and the same text, pickling rules, subclass rules and messages as PyTorch's."""
import copy
import pickle
import warnings

import numpy as np
import pytest

import weft
import weft.testing
import weft.utils.dlpack

torch = pytest.importorskip("torch")

NAMES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
         "uint64", "bool", "complex64", "complex128"]
SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 3), (2, 3, 4), (30, 40)]


def pair(name, shape, scale=1.0):
    """The same values as a tensor of weft and of PyTorch."""
    values = (np.arange(np.prod(shape, dtype=int)) - (3 if "u" not in name and name != "bool"
                                                      else 0)).reshape(shape) * scale
    if name == "bool":
        values = values % 2 == 1
    elif "complex" in name:
        values = values + 1j * values[..., ::-1] if values.ndim else values + 1j
    dtype = getattr(torch, name)
    kind = {"float": np.float64, "bfloa": np.float64, "compl": np.complex128}.get(name[:5], np.int64 if name != "bool"
                                                                                  else bool)
    array = np.ascontiguousarray(np.asarray(values, kind)).reshape(shape)
    return weft.tensor(array).to(getattr(weft, name)), torch.tensor(array).to(dtype)


def numbers(t):
    return t.float().numpy() if "bfloat16" in str(t.dtype) else t.numpy()


def same(a, b):
    return str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape) and np.array_equal(numbers(a), numbers(b))


# DLPack

@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", [lambda x: x, lambda x: x.t(), lambda x: x[:, 1:], lambda x: x[0, 0],
                                    lambda x: x[0, ::2]])
def test_dlpack_both_ways(name, layout):
    ours, theirs = (layout(x) for x in pair(name, (2, 3)))
    given, taken = torch.from_dlpack(ours), weft.from_dlpack(theirs)
    assert (same(ours, given) and given.data_ptr() == ours.data_ptr()
            and (ours.numel() == 1 or given.stride() == ours.stride()))
    assert (same(taken, theirs) and taken.data_ptr() == theirs.data_ptr()
            and (ours.numel() == 1 or taken.stride() == theirs.stride()))


@pytest.mark.parametrize("name", NAMES)
def test_capsules_both_ways(name):
    ours, theirs = pair(name, (2, 3))
    assert same(ours, torch.utils.dlpack.from_dlpack(weft.utils.dlpack.to_dlpack(ours)))
    assert same(weft.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(theirs)), theirs)


def test_writes_are_seen_on_both_sides():
    ours, theirs = weft.zeros(3), torch.zeros(3)
    torch.from_dlpack(ours).add_(2)
    weft.from_dlpack(theirs).add_(3)
    assert ours.tolist() == [2, 2, 2] and theirs.tolist() == [3, 3, 3]
    capsule = torch.utils.dlpack.to_dlpack(theirs)
    weft.from_dlpack(capsule).add_(1)
    assert theirs.tolist() == [4, 4, 4]


def test_memory_outlives_its_first_owner():
    assert weft.from_dlpack(torch.arange(1000.0)).sum().item() == 499500
    assert torch.from_dlpack(weft.arange(1000.0)).sum().item() == 499500


@pytest.mark.parametrize("make", [lambda t: t.ones(2, requires_grad=True).__dlpack__(),
                                  lambda t: t.ones(2, device="meta").__dlpack__(), lambda t: t.from_dlpack(3)])
def test_dlpack_errors_are_the_same(make):
    kinds = []
    for library in (weft, torch):
        with pytest.raises(Exception) as caught:
            make(library)
        kinds.append(caught.type)
    assert kinds[0] is kinds[1]


# text

LARGE = ("float32", "float64", "complex64", "int64")


@pytest.mark.parametrize("name, scale", [*((n, s) for n in NAMES for s in (1.0, 0.37)), *((n, 1e6) for n in LARGE)])
@pytest.mark.parametrize("shape", SHAPES)
def test_repr(name, shape, scale):
    ours, theirs = pair(name, shape, scale)
    assert repr(ours) == repr(theirs)
    assert f"{ours}" == f"{theirs}"


@pytest.mark.parametrize("make", [
    lambda t: t.ones(2, requires_grad=True), lambda t: t.ones(2, requires_grad=True) + 1,
    lambda t: t.ones(2, requires_grad=True).exp(), lambda t: t.ones(2, requires_grad=True).clone(),
    lambda t: t.ones(2, 3, requires_grad=True).t(), lambda t: t.ones(2, requires_grad=True).sum(),
    lambda t: t.ones(2, 2, requires_grad=True) @ t.ones(2, 2), lambda t: t.ones(3, device="meta"),
    lambda t: t.ones(2, 3, dtype=t.int32, device="meta"), lambda t: t.nn.Parameter(t.ones(2, 2)),
    lambda t: t.nn.Parameter(t.arange(3), requires_grad=False), lambda t: t.nn.Buffer(t.ones(2)),
    lambda t: t.ones(2).exp_().view(2, 1), lambda t: [t.ones(1), {"a": t.zeros(1)}], lambda t: t.ones(2).shape,
    lambda t: t.ones(2).dtype, lambda t: t.ones(2).device])
def test_repr_of_graphs_and_parameters(make):
    assert repr(make(weft)) == repr(make(torch))


def test_repr_with_another_default():
    try:
        texts = []
        for library in (weft, torch):
            library.set_default_dtype(library.float64)
            texts.append([repr(library.ones(2)), repr(library.ones(2, dtype=library.float32)),
                          repr(library.tensor([1 + 1j]))])
    finally:
        weft.set_default_dtype(weft.float32)
        torch.set_default_dtype(torch.float32)
    assert texts[0] == texts[1]


# copies

def facts(made):
    return (made.is_leaf, made.requires_grad, made.grad is None, made.tolist(), getattr(made, "note", None),
            made.stride(), type(made).__name__)


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
@pytest.mark.parametrize("kind", ["leaf", "computed", "view", "plain", "parameter", "transposed"])
def test_copies_follow_the_same_rules(again, kind):
    results = []
    for library in (weft, torch):
        x = library.ones(2, 3, requires_grad=kind != "plain")
        kinds = {"computed": x * 2, "view": x.detach()[1], "parameter": library.nn.Parameter(x.detach()),
                 "transposed": x.detach().t()}
        x = kinds.get(kind, x)
        x.note = 1
        if x.is_leaf and x.requires_grad:
            (x * 2).sum().backward()
        try:
            results.append(facts(again(x)))
        except RuntimeError as error:
            results.append(str(error)[:50])
    assert results[0] == results[1]


# functions

@pytest.mark.parametrize("call", [
    lambda t: t.result_type(t.ones(2), 1), lambda t: t.result_type(t.tensor(1), 1.5),
    lambda t: t.result_type(t.ones(2).half(), t.tensor(1.0)),
    lambda t: t.result_type(1, 2j), lambda t: t.result_type(t.ones(2, dtype=t.int8), t.ones(2, dtype=t.uint8)),
    lambda t: t.typename(t.ones(2)),
    lambda t: t.typename(3), lambda t: t.is_nonzero(t.tensor([0.5])), lambda t: format(t.tensor(1.25), ".1f"),
    lambda t: format(t.ones(2), ""),
    lambda t: t.arange(4).apply_(lambda v: v * 3), lambda t: t.ones(3).map_(t.arange(3.0), lambda a, b: a + b),
    lambda t: t.ones(2).get_device(),
    lambda t: reversed(t.arange(3)), lambda t: np.sin(t.ones(2)), lambda t: np.add(t.ones(2), np.ones(2)),
    lambda t: np.exp(t.tensor(1.0)), lambda t: np.asarray(t.ones(2)).dtype, lambda t: np.float64(2) * t.ones(2),
    lambda t: [t.can_cast(a, b) for a in dtypes(t) for b in dtypes(t)],
    lambda t: t.get_deterministic_debug_mode(), lambda t: t.ones(2).is_shared(), lambda t: t.ones(2).is_pinned()])
def test_functions_agree(call):
    assert repr(call(weft)) == repr(call(torch))


def dtypes(library):
    return [getattr(library, name) for name in NAMES]


@pytest.mark.parametrize("call", [
    lambda t: t.ones(2, requires_grad=True).numpy(), lambda t: t.ones(2).bfloat16().numpy(),
    lambda t: t.ones(2, device="meta").numpy(), lambda t: t.ones(2, device="meta").numpy(force=True),
    lambda t: t.is_nonzero(t.ones(2)), lambda t: t.is_floating_point(3), lambda t: t.numel(3),
    lambda t: format(t.ones(2), ".2f"), lambda t: t.can_cast(1, 2), lambda t: t.result_type("a", 1),
    lambda t: t.set_num_threads(0), lambda t: t.set_num_threads(1.5), lambda t: t.use_deterministic_algorithms(1),
    lambda t: t.ones(2).map_(t.arange(2), min), lambda t: t.ones(2, requires_grad=True).apply_(abs),
    lambda t: t.ones(2).as_subclass(int), lambda t: t.nn.Parameter(t.arange(2)),
    lambda t: copy.deepcopy(t.ones(2, requires_grad=True) * 2), lambda t: t.from_numpy(np.arange(3)[::-1]),
    lambda t: t.from_numpy([1])])
def test_errors_are_of_the_same_type(call):
    with pytest.raises(Exception) as theirs:
        call(torch)
    with pytest.raises(theirs.type):
        call(weft)


# operators between tensors and arrays

@pytest.mark.parametrize("call", [lambda x, a: x + a, lambda x, a: x * a, lambda x, a: x - a, lambda x, a: x / a,
                                  lambda x, a: x == a, lambda x, a: a == x])
def test_operators_with_numpy_arrays(call):
    """The operators that PyTorch has between the two; it refuses x < a and a + x with a TypeError."""
    assert repr(call(weft.ones(2), np.ones(2))) == repr(call(torch.ones(2), np.ones(2)))


class Reflected:
    def __radd__(self, other):
        return "radd"

    def __gt__(self, other):
        return "gt"


@pytest.mark.parametrize("call", [lambda x: x + Reflected(), lambda x: x < Reflected()])
def test_operators_leave_room_for_the_other_operand(call):
    assert call(weft.ones(2)) == call(torch.ones(2))


# testing

def verdict(library, actual, expected, options):
    try:
        library.testing.assert_close(actual(library), expected(library), **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("weft.tensor.tensor.Tensor", "torch.Tensor")
    return "close"


@pytest.mark.parametrize("actual, expected, options", [
    (lambda t: t.tensor([1.0, 2.0]), lambda t: t.tensor([1.0, 3.0]), {}),
    (lambda t: t.tensor(1.0), lambda t: t.tensor(2.0), {}), (lambda t: 1.0, lambda t: 2.0, {}),
    (lambda t: [1], lambda t: [1, 2], {}), (lambda t: {"a": 1}, lambda t: {"b": 1}, {}),
    (lambda t: {"a": [t.ones(2)]}, lambda t: {"a": [t.zeros(2)]}, {}), (lambda t: t.ones(2), lambda t: t.ones(3), {}),
    (lambda t: t.ones(2), lambda t: t.ones(2).double(), {}), (lambda t: t.ones(1), lambda t: 1.0, {}),
    (lambda t: "a", lambda t: "a", {}), (lambda t: t.tensor([1, 2]), lambda t: t.tensor([2, 4]), dict(rtol=0, atol=1)),
    (lambda t: t.tensor([float("nan")]), lambda t: t.ones(1), {}),
    (lambda t: t.tensor([[1.0, 5.0], [0.0, 1.0]]), lambda t: t.tensor([[1.0, 4.0], [2.0, 1.0]]),
     dict(rtol=0.1, atol=0.1)), (lambda t: t.tensor([1 + 1j]), lambda t: t.tensor([1 + 2j]), {}),
    (lambda t: None, lambda t: 3, {}), (lambda t: True, lambda t: False, {}),
    (lambda t: t.tensor([True]), lambda t: t.tensor([False]), {}), (lambda t: 2, lambda t: 2.0, {}),
    (lambda t: np.ones(2), lambda t: np.zeros(2), {}),
    (lambda t: t.ones(2, 3).t(), lambda t: t.ones(3, 2), dict(check_stride=True)),
    (lambda t: t.tensor([]), lambda t: t.tensor([]), {})])
def test_assert_close_says_the_same(actual, expected, options):
    assert verdict(weft, actual, expected, options) == verdict(torch, actual, expected, options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [1e-9, 1e-7, 1e-6, 1e-5, 1e-3, 1e-2, 0.1])
def test_assert_close_has_the_same_tolerances(name, step):
    outcomes = [verdict(t, lambda t: t.tensor([1.0, 100.0]).to(getattr(t, name)),
                        lambda t: (t.tensor([1.0, 100.0], dtype=t.float64) * (1 + step)).to(getattr(t, name)),
                        {}) == "close"
                for t in (weft, torch)]
    assert outcomes[0] == outcomes[1]


def test_no_warning_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weft.from_dlpack(torch.ones(2))
        np.sin(weft.ones(2))
        pickle.loads(pickle.dumps(weft.ones(2)))
