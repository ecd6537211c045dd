"""`_foreach_*` beside PyTorch's: values, types, gradients, and what is refused."""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
UNARY = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal "
         "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()
BINARY = "add sub mul div maximum minimum clamp_min clamp_max pow".split()


def found(function, T):
    """What a call gives, as data: types, shapes and values; or the type of its error."""
    try:
        made = function(T)
    except Exception as error:
        return next(kind.__name__ for kind in (NotImplementedError, TypeError, RuntimeError, IndexError, ValueError,
                                               Exception) if isinstance(error, kind))
    return [(str(t.dtype).rpartition(".")[2], tuple(t.shape), t.detach()) for t in made]


def check(function, rtol=1e-5):
    ours, theirs = found(function, weft), found(function, torch)
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    assert [t[:2] for t in ours] == [t[:2] for t in theirs]
    for (kind, _, a), (_, _, b) in zip(ours, theirs):
        a, b = (t.float() if kind in ("float16", "bfloat16") else t for t in (a, b))
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-2 if kind in ("float16", "bfloat16") else rtol,
                                   atol=1e-6)


def numbers(T, kind, shape=(2, 3), low=1):
    made = np.arange(low, low + int(np.prod(shape))).reshape(shape)
    return T.tensor(made / 10 if "int" not in kind and kind != "bool" else made).to(getattr(T, kind))


KINDS = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64"]


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", KINDS)
def test_unary_of_all_types(name, kind):
    for ending in ("", "_"):
        check(lambda T, ending=ending: getattr(T, f"_foreach_{name}{ending}")([numbers(T, kind), numbers(T, "float32", (2,))]))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", ["float32", "int64", "float16", "bool", "number", "float", "tensor", "numbers"])
def test_binary_of_mixed_types(name, kind, other):
    def second(T):
        if other == "number":
            return 2
        if other == "float":
            return 1.5
        if other == "tensor":
            return T.tensor(2.0, dtype=T.float64)
        if other == "numbers":
            return [2, 1.5]
        return [numbers(T, other), numbers(T, other, (2,))]
    if name == "pow" and other in ("bool", "tensor"):
        return
    for ending in ("", "_"):
        check(lambda T, ending=ending: getattr(T, f"_foreach_{name}{ending}")([numbers(T, kind), numbers(T, kind, (2,))], second(T)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
@pytest.mark.parametrize("value", [1, -0.5, [2, 0.5], "tensor", "integers"])
def test_pointwise_of_types(kind, name, value):
    def factor(T):
        return (T.tensor([2.0, 0.5]) if value == "tensor" else T.tensor([2, 3]) if value == "integers" else value)
    if kind == "uint8" and value == -0.5:
        return      # PyTorch's addcmul refuses it, as no uint8; weft's rounds it to 0
    for ending in ("", "_"):
        check(lambda T, ending=ending: getattr(T, f"_foreach_{name}{ending}")(
            *[[numbers(T, kind), numbers(T, kind, (2,))] for _ in range(3)], factor(T)))


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "complex64", "int64"])
@pytest.mark.parametrize("weight", [0.25, 2, [0.25, 0.75], "tensors"])
def test_lerp_of_types(kind, weight):
    def share(T):
        return [numbers(T, kind), numbers(T, kind, (2,))] if weight == "tensors" else weight
    for ending in ("", "_"):
        check(lambda T, ending=ending: getattr(T, f"_foreach_lerp{ending}")(
            [numbers(T, kind), numbers(T, kind, (2,))], [numbers(T, kind, low=3), numbers(T, kind, (2,))], share(T)))


@pytest.mark.parametrize("kind", ["float32", "float16", "complex64", "int64"])
def test_the_rest_of_types(kind):
    def xs(T):
        return [numbers(T, kind), numbers(T, kind, (2,))]
    for function in (lambda T: T._foreach_norm(xs(T)), lambda T: T._foreach_norm(xs(T), 1),
                     lambda T: T._foreach_norm(xs(T), float("inf")), lambda T: T._foreach_norm(xs(T), dtype=T.float64),
                     lambda T: T._foreach_max(xs(T)), lambda T: T._foreach_clone(xs(T)),
                     lambda T: T._foreach_zero_(xs(T)), lambda T: T._foreach_copy_(xs(T), [T.ones(3), T.ones(())]),
                     lambda T: T._foreach_pow(2, xs(T)), lambda T: T._foreach_pow(2.5, xs(T)),
                     lambda T: T._foreach_mm([numbers(T, kind)], [numbers(T, kind, (3, 2))])):
        check(function)


REFUSED = {
    "empty": lambda T, f: f([], 1), "empty and list": lambda T, f: f([], []), "no list": lambda T, f: f(T.ones(1), 1),
    "numbers": lambda T, f: f([1.0], 1), "unequal": lambda T, f: f([T.ones(1)], [T.ones(1), T.ones(1)]),
    "unequal numbers": lambda T, f: f([T.ones(1)], [1.0, 2.0]), "a string": lambda T, f: f([T.ones(1)], "a"),
    "None": lambda T, f: f([T.ones(1)], None), "nothing": lambda T, f: f([T.ones(1)]),
    "too much": lambda T, f: f([T.ones(1)], 1, 2), "a tensor of two": lambda T, f: f([T.ones(1)], T.ones(2)),
    "a tensor and a number": lambda T, f: f([T.ones(1), T.ones(1)], [T.ones(1), 2]),
    "a number and a tensor": lambda T, f: f([T.ones(1), T.ones(1)], [2, T.ones(2)]),
    "no number": lambda T, f: f([T.ones(1)], [None]), "a keyword": lambda T, f: f([T.ones(1)], beta=1),
    "alpha and a number": lambda T, f: f([T.ones(1)], 1.0, alpha=2),
    "alpha and a list": lambda T, f: f([T.ones(1)], [T.ones(1)], alpha=2),
    "shapes": lambda T, f: f([T.ones(2)], [T.ones(3)]), "an empty list": lambda T, f: f([T.ones(1)], []),
    "scalar": lambda T, f: f([T.ones(1)], scalar=2.0), "scalars": lambda T, f: f([T.ones(1)], scalars=[2.0]),
    "other": lambda T, f: f([T.ones(1)], other=[T.ones(1)])}


@pytest.mark.parametrize("ending", ["", "_"])
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("case", REFUSED)
def test_binary_refuses_what_pytorch_refuses(name, case, ending):
    check(lambda T: REFUSED[case](T, getattr(T, f"_foreach_{name}{ending}")))


@pytest.mark.parametrize("case", [
    lambda T: T._foreach_exp([]), lambda T: T._foreach_exp(T.ones(1)), lambda T: T._foreach_exp([1.0]),
    lambda T: T._foreach_exp_([T.arange(3)]), lambda T: T._foreach_copy_([T.ones(2)], [T.ones(2), T.ones(2)]),
    lambda T: T._foreach_copy_([T.ones(2)], [T.ones(3)]), lambda T: T._foreach_zero_([]),
    lambda T: T._foreach_lerp([T.ones(2)], [T.ones(2)]), lambda T: T._foreach_lerp([T.ones(2)], [], 0.5),
    lambda T: T._foreach_lerp([T.ones(2)], [T.ones(2)], [0.5, 0.5]),
    lambda T: T._foreach_lerp([T.ones(2)], [T.ones(2)], weight=0.5),
    lambda T: T._foreach_lerp([T.ones(2)], [T.ones(2)], weights=[T.ones(2)]),
    lambda T: T._foreach_addcmul([T.ones(2)], [T.ones(2)], [T.ones(2), T.ones(2)]),
    lambda T: T._foreach_addcmul([T.ones(2)], [T.ones(2)], [T.ones(2)], [1.0, 2.0]),
    lambda T: T._foreach_addcmul([T.ones(2)], [T.ones(2)], [T.ones(2)], T.ones(3)),
    lambda T: T._foreach_addcmul([T.ones(2)], [T.ones(2)], [T.ones(2)], scalars=[2.0]),
    lambda T: T._foreach_addcmul([T.ones(2)], [T.ones(2)], [T.ones(2)], value=2.0),
    lambda T: T._foreach_norm([]), lambda T: T._foreach_max([]), lambda T: T._foreach_clone([]),
    lambda T: T._foreach_max([T.ones(0)]), lambda T: T._foreach_norm([T.arange(3)])])
def test_others_refuse_what_pytorch_refuses(case):
    check(case)


# gradients

def gradients(T, function, arrays, second=False):
    leaves = [T.tensor(a, requires_grad=True) for a in arrays]
    made = function(T, leaves)
    total = sum((t * t * (k + 1)).sum() for k, t in enumerate(made))
    grads = T.autograd.grad(total, leaves, allow_unused=True, create_graph=second)
    if second:
        used = [g for g in grads if g is not None and g.requires_grad]
        grads = T.autograd.grad(sum((g * g).sum() for g in used), leaves, allow_unused=True) if used else grads
    return [None if g is None else (g.detach() + 0).numpy() for g in grads]


def check_gradients(function, second=True):
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(0.2, 0.8, shape) for shape in ((2, 3), (4,), (2, 3), (4,), (2, 3), (4,))]
    for order in (False, True) if second else (False,):
        for a, b in zip(gradients(weft, function, arrays, order), gradients(torch, function, arrays, order)):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", UNARY)
def test_gradients_of_unary(name):
    flat = name in "ceil floor round sign trunc".split()        # PyTorch's are zeros without a graph
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2]), second=not flat)
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2])[:1], second=not flat)


@pytest.mark.parametrize("name", BINARY)
def test_gradients_of_binary(name):
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2], x[2:4]))
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2], [x[2][0], x[3]]))
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2], 0.5))
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2], [0.5, 2.0]))
    check_gradients(lambda T, x: getattr(T, f"_foreach_{name}")(x[:2], x[2:4])[1:])


@pytest.mark.parametrize("function", [
    lambda T, x: T._foreach_add(x[:2], x[2:4], alpha=-2), lambda T, x: T._foreach_sub(x[:2], x[2:4], alpha=3),
    lambda T, x: T._foreach_mul(x[:2], T.tensor(2.0)), lambda T, x: T._foreach_div(x[:2], T.tensor(2.0)),
    lambda T, x: T._foreach_addcmul(x[:2], x[2:4], x[4:]), lambda T, x: T._foreach_addcdiv(x[:2], x[2:4], x[4:]),
    lambda T, x: T._foreach_addcmul(x[:2], x[2:4], x[4:], [2.0, -1.0]),
    lambda T, x: T._foreach_addcdiv(x[:2], x[2:4], x[4:], 0.3), lambda T, x: T._foreach_lerp(x[:2], x[2:4], 0.3),
    lambda T, x: T._foreach_lerp(x[:2], x[2:4], x[4:]), lambda T, x: T._foreach_lerp(x[:2], x[2:4], [0.2, 0.7]),
    lambda T, x: T._foreach_norm(x[:2]), lambda T, x: T._foreach_norm(x[:2], 3), lambda T, x: T._foreach_max(x[:2]),
    lambda T, x: T._foreach_clone(x[:2]), lambda T, x: T._foreach_pow(2.0, x[:2]),
    lambda T, x: T._foreach_mm([x[0], x[2]], [x[2].t(), x[4].t()]), lambda T, x: T._foreach_mul([x[0]], [x[0]]),
    lambda T, x: T._foreach_zero_([x[0] * 2, x[1] * 2]),
    lambda T, x: T._foreach_mul_([x[0] * 2, x[1] * 2], x[2:4]), lambda T, x: T._foreach_exp_([x[0] * 2, x[1] * 2]),
    lambda T, x: T._foreach_addcdiv_([x[0] * 2, x[1] * 2], x[2:4], x[4:], [0.5, 2.0]),
    lambda T, x: T._foreach_lerp_([x[0] * 2, x[1] * 2], x[2:4], 0.3), lambda T, x: T._foreach_pow_([x[0] * 2], 3),
    lambda T, x: T._foreach_clamp_min_([x[0] * 2, x[1] * 2], 0.9)])
def test_gradients_of_others(function):
    check_gradients(function)


def test_gradients_at_ties_and_zeros():
    for function in (lambda T, x: T._foreach_maximum([x[0]], [x[1]]), lambda T, x: T._foreach_maximum([x[0]], 1.0),
                     lambda T, x: T._foreach_clamp_min([x[0]], 1.0), lambda T, x: T._foreach_clamp_max([x[0]], 1.0),
                     lambda T, x: T._foreach_abs([x[0] - 1]), lambda T, x: T._foreach_norm([x[0] * 0]),
                     lambda T, x: T._foreach_max([x[0]]), lambda T, x: T._foreach_pow([x[0] - 1], 0.0),
                     lambda T, x: T._foreach_pow([x[0] - 1], [x[1]])):
        made = [gradients(T, function, [np.ones(3), np.ones(3)]) for T in (weft, torch)]
        for a, b in zip(*made):
            assert (a is None) == (b is None)
            np.testing.assert_array_equal(a, b) if a is not None else None
