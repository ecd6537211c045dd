"""The multi-tensor kernels against formulas and references: optimizer updates, elementwise lists, sums of squares."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.core.seam import Watcher
from weft.kernels import fast
from weft.kernels import lists as list_kernels
from weft.optim import adadelta, adagrad, adam, rmsprop, sgd
from weft.optim.rule import update_all

SIZES = [(1,), (3,), (7,), (8,), (9,), (31,), (33,), (1000,), (4097,), (), (0,), (5, 0, 2), (17, 13), (2, 3, 4, 5)]
LOOSE = {"float32": 3e-6, "float64": 3e-14, "float16": 2e-3, "bfloat16": 2e-2}
# name -> (formula, number of lists, whether step counts follow)
RULES = {"adam": (adam.adam, 5, True), "sgd": (sgd.sgd, 3, False), "rmsprop": (rmsprop.rmsprop, 5, False),
         "adagrad": (adagrad.adagrad, 3, True), "adadelta": (adadelta.adadelta, 4, False)}


def update(name, *arguments, native=True):
    """One update of lists of arrays, by the kernel where it takes them or by the formula alone."""
    formula, n, counted = RULES[name]
    numbers = arguments[n + counted:]
    update_all(getattr(fast, name) if native else lambda *_: None, formula, arguments[:n], arguments[n] if counted
               else None, numbers, (None,) if name == "adadelta" else ())


def dtype_of(kind):
    if kind == "bfloat16":
        return weft.bfloat16.np
    return np.dtype(kind)


def make(shapes, kind, count, seed=0):
    """`count` lists of arrays; all but the first two are positive, as squares are."""
    rng = np.random.default_rng(seed)
    made = [[rng.standard_normal(s) for s in shapes] for _ in range(count)]
    return [[np.asarray(a if k < 2 else np.abs(a)).astype(dtype_of(kind)) for a in one] for k, one in enumerate(made)]


def copied(lists):
    return [None if one is None else [a.copy(order="K") for a in one] for one in lists]


def compare(name, lists, arguments, kind):
    """Run an update with and without its kernel."""
    ours, theirs = copied(lists), copied(lists)
    update(name, *ours, *arguments)
    update(name, *theirs, *arguments, native=False)
    for one, other in zip(ours, theirs):
        for a, b in zip(one or (), other or ()):
            np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=LOOSE[kind], atol=LOOSE[kind])
    return ours


FLAGS = [(wd, on, maximize) for wd in (0.0, 0.1) for on in (False, True) for maximize in (False, True)]


@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("weight_decay, amsgrad, maximize", FLAGS)
@pytest.mark.parametrize("decoupled", [False, True])
def test_adam(kind, weight_decay, amsgrad, maximize, decoupled):
    lists = make(SIZES, kind, 5)
    if not amsgrad:
        lists[4] = None
    steps = [float(i + 1) if i % 2 else np.array(i + 1, np.float32) for i in range(len(SIZES))]
    compare("adam", lists, (steps, 0.01, 0.4 if maximize else 0.9, 0.95, weight_decay, 1e-6, maximize,
                                         decoupled), kind)


@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("weight_decay, nesterov, maximize", FLAGS)
@pytest.mark.parametrize("momentum, first", [(0.0, False), (0.9, True), (0.9, False)])
def test_sgd(kind, weight_decay, nesterov, maximize, momentum, first):
    params, grads, buffers = make(SIZES, kind, 3)
    lists = [params, grads, buffers if momentum else None]
    compare("sgd", lists, (0.1, momentum, 0.0 if nesterov else 0.2, weight_decay, nesterov, maximize,
                                        first), kind)


@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
@pytest.mark.parametrize("weight_decay, centered, maximize", FLAGS)
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_rmsprop(kind, weight_decay, centered, maximize, momentum):
    params, grads, squares, means, buffers = make(SIZES, kind, 5)
    squares = [np.asarray(a * 9 + 9).astype(kind) for a in squares]     # above the mean's square
    lists = [params, grads, squares, means if centered else None, buffers if momentum else None]
    compare("rmsprop", lists, (0.01, 0.9, 1e-3, weight_decay, momentum, maximize), kind)


@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("weight_decay, decays, maximize", FLAGS)
def test_adagrad(kind, weight_decay, decays, maximize):
    lists = make(SIZES, kind, 3)
    steps = [np.array(i + 1, np.float32) for i in range(len(SIZES))]
    compare("adagrad", lists, (steps, 0.1, 0.1 if decays else 0.0, weight_decay, 1e-8, maximize), kind)


@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("maximize", [False, True])
def test_adadelta(kind, weight_decay, maximize):
    compare("adadelta", make(SIZES, kind, 4), (0.5, 0.9, 1e-3, weight_decay, maximize), kind)


def test_half_parameters_with_float32_states():
    for kind in ("float16", "bfloat16"):
        params, grads = make(SIZES, kind, 2)
        states = make(SIZES, "float32", 4)[2:]
        compare("adam", [params, grads, *states, None], ([1.0] * len(SIZES), 0.01, 0.9, 0.99, 0.0, 1e-6,
                                                                      False, False), kind)


LAYOUTS = {
    "transposed": lambda a: a.T, "fortran": np.asfortranarray, "sliced": lambda a: a[::2],
    "reversed": lambda a: a[::-1],
    "channels last": lambda a: np.ascontiguousarray(a.transpose(0, 2, 1)).transpose(0, 2, 1)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("only_gradient", [False, True])
def test_layouts(layout, only_gradient):
    """Arrays that lie otherwise in memory give what contiguous ones give, and are written where they are."""
    rng = np.random.default_rng(0)
    lists = [[np.abs(rng.standard_normal((6, 4, 10)))] for _ in range(4)]
    changed = [[LAYOUTS[layout](a[0].copy())] for a in lists]
    plain = [[np.ascontiguousarray(a[0])] for a in changed]
    if only_gradient:
        changed = [changed[1] if k == 1 else copied([plain[k]])[0] for k in range(4)]
    numbers = ([1.0], 0.01, 0.9, 0.99, 0.0, 1e-6, False, False)
    held = [one[0] for one in changed]
    update("adam", *plain, None, *numbers)
    update("adam", *changed, None, *numbers)
    for one, other in zip(plain, held):
        np.testing.assert_allclose(other, one[0], rtol=1e-14)


def test_odd_values_travel():
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, -1.0, 5.0], np.float32)
    lists = [[odd.copy(), odd[::-1].copy()], [odd.copy(), odd.copy()], [odd.copy(), odd.copy()],
             [np.abs(odd), np.abs(odd)], [np.abs(odd), np.abs(odd)]]
    compare("adam", lists, ([1.0, 2.0], 0.01, 0.9, 0.99, 0.1, 1e-6, False, False), "float32")
    compare("sgd", lists[:3], (0.1, 0.9, 0.0, 0.1, True, False, False), "float32")


@pytest.mark.skipif(fast.lib is None, reason="no native kernels")
@pytest.mark.parametrize("lists", [
    [[np.ones(3)], [np.ones(4)], [np.ones(3)]], [[np.ones(3)], [np.ones(3)], []],
    [[np.ones(3)], [np.ones(3, np.float32)], [np.ones(3)]], [[np.ones(3, np.int64)]] * 3,
    [[np.ones(3)], [None], [np.ones(3)]], [(1, 2), (1, 2), (1, 2)], [[np.ones(3)], None, [np.ones(3)]],
    [[np.broadcast_to(np.ones(1), (3,))]] * 3, [None, None, None], [[np.ones(3, ">f4")]] * 3])
def test_what_kernels_do_not_take(lists):
    before = [[np.array(a) for a in one or ()] for one in lists]
    assert fast.sgd(*lists, 0.1, 0.9, 0.0, 0.0, False, False, False) is None
    for one, was in zip(lists, before):
        for a, b in zip(one or (), was):
            assert np.array_equal(a, b)


@pytest.mark.skipif(fast.lib is None, reason="no native kernels")
def test_arguments_that_do_not_fit():
    x = [np.ones(3)]
    assert fast.adam() is None and fast.adam(x, x) is None and fast.foreach("add") is None
    assert fast.adam(x, x, x, x, None, [], 0.1, 0.9, 0.9, 0.0, 1e-8, False, False, False) is None
    assert fast.adam(x, x, x, x, None, ["1"], 0.1, 0.9, 0.9, 0.0, 1e-8, False, False, False) is None
    assert fast.foreach("nothing", x, x, None, None, 0.0) is None
    assert fast.foreach("add", x, x, None, None, 0.0) is None
    assert fast.foreach("mul_scalar", x, x, None, None, [1.0, 2.0]) is None
    shared = np.ones(10)
    assert fast.sgd([shared[:6]], [shared[3:9]], None, 0.1, 0.0, 0.0, 0.0, False, False, False) is None
    readonly = np.ones(3)
    readonly.flags.writeable = False
    assert fast.sgd([readonly], [np.ones(3)], None, 0.1, 0.0, 0.0, 0.0, False, False, False) is None


BIG = [(3, 5)] * 200 + [(300001,), (70000,)] + [(1,)] * 50


def with_threads(n, function):
    before = weft.get_num_threads()
    try:
        weft.set_num_threads(n)
        return function()
    finally:
        weft.set_num_threads(before)


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_threads_change_nothing(kind):
    def run():
        lists = make(BIG, kind, 5)
        update("adam", *lists, [2.0] * len(BIG), 0.01, 0.9, 0.99, 0.1, 1e-8, False, False)
        update("sgd", *lists[:3], 0.1, 0.9, 0.0, 0.0, False, False, False)
        return [a.tobytes() for one in lists for a in one], list_kernels.sums_of_squares(lists[0]).tolist()
    assert with_threads(1, run) == with_threads(2, run) == with_threads(3, run)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), max_size=4).map(tuple), min_size=1, max_size=6),
       st.sampled_from(["float32", "float64"]))
def test_any_shapes(shapes, kind):
    lists = make(shapes, kind, 4)
    ours, theirs = copied(lists), copied(lists)
    update("adam", *ours, None, [3] * len(shapes), 0.01, 0.9, 0.99, 0.0, 1e-8, False, True)
    update("adam", *theirs, None, [3] * len(shapes), 0.01, 0.9, 0.99, 0.0, 1e-8, False, True, native=False)
    for one, other in zip(ours, theirs):
        for a, b in zip(one, other):
            np.testing.assert_allclose(a, b, rtol=LOOSE[kind], atol=LOOSE[kind])


# sums of squares, unscale

@pytest.mark.parametrize("kind", LOOSE)
def test_sums_of_squares(kind):
    arrays, = make([*SIZES, (40000,), (65536,), (98305,)], kind, 1)
    wide = [a.astype(np.float64) for a in arrays]
    np.testing.assert_allclose(list_kernels.sums_of_squares(arrays), [np.sum(a * a) for a in wide], rtol=1e-13)


def test_sum_of_squares_is_accurate():
    """A float32 sum of a million equal squares is exact in double."""
    assert list_kernels.sums_of_squares([np.full(1 << 20, 0.1,
                                               np.float32)])[0] == pytest.approx((1 << 20)
                                                                                 * float(np.float32(0.1)) ** 2,
                                                                                 rel=1e-13)
    assert list_kernels.sums_of_squares([np.full(9, 1e30, np.float32)])[0] == pytest.approx(9e60, rel=1e-6)


@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
@pytest.mark.parametrize("odd", [None, np.inf, -np.inf, np.nan])
def test_unscale(kind, odd):
    arrays, = make(SIZES, kind, 1)
    if odd is not None:
        arrays[-1][-1, -1, -1, -1] = odd
    expected = [a * a.dtype.type(0.5) for a in arrays]
    assert list_kernels.unscale(arrays, 0.5) is (odd is not None)
    for a, b in zip(arrays, expected):
        np.testing.assert_array_equal(a, b)


# the functions on tensors

ADAM = dict(lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)


def test_writes_are_counted():
    """A backward that needs an overwritten parameter says so."""
    p = weft.ones(3, requires_grad=True)
    loss = (p * p).sum()
    weft._fused_sgd_([p], [weft.ones(3)], [], weight_decay=0., momentum=0., lr=0.1, dampening=0., nesterov=False,
                     maximize=False, is_first_step=False)
    assert p._version == 1 and p.tolist() == pytest.approx([0.9] * 3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_fused_errors():
    p, g = weft.ones(3), weft.ones(3)
    with pytest.raises(RuntimeError, match="exp_avgs"):
        weft._fused_adam_([p], [g], [], [weft.zeros(3)], [], [weft.tensor(1.)], **ADAM)
    with pytest.raises(RuntimeError, match="max_exp_avg_sqs"):
        weft._fused_adam_([p], [g], [p.clone()], [weft.zeros(3)], [], [weft.tensor(1.)], **{**ADAM, "amsgrad": True})
    with pytest.raises(RuntimeError, match=r"gradient of shape \[4\]"):
        weft._fused_adam_([p], [weft.ones(4)], [p.clone()], [weft.zeros(3)], [], [weft.tensor(1.)], **ADAM)
    with pytest.raises(RuntimeError, match="expected scalar type"):
        weft._fused_adam_([p], [g.double()], [p.clone()], [weft.zeros(3)], [], [weft.tensor(1.)], **ADAM)
    assert p.tolist() == [1, 1, 1] and p._version == 0


def test_a_learning_rate_may_be_a_tensor():
    made = []
    for lr in (0.1, weft.tensor(0.1, dtype=weft.float64)):
        p = weft.ones(3)
        weft._fused_adam_([p], [weft.ones(3)], [weft.zeros(3)], [weft.zeros(3)], [], [weft.tensor(1.)],
                          **{**ADAM, "lr": lr})
        made.append(p.tolist())
    assert made[0] == made[1]


def test_foreach_records_gradients():
    x, y = weft.ones(2, requires_grad=True), weft.ones(3, requires_grad=True)
    out = weft._foreach_mul([x, y], [2., 3.])
    (out[0].sum() + out[1].sum()).backward()
    assert x.grad.tolist() == [2, 2] and y.grad.tolist() == [3, 3, 3]
    with pytest.raises(RuntimeError, match="leaf Variable"):
        weft._foreach_add_([x], 1)
    with weft.no_grad():
        assert weft._foreach_add_([x], 1)[0] is x
    assert x.tolist() == [2, 2] and x._version == 1


def test_foreach_through_a_view_keeps_history():
    x = weft.ones(4, requires_grad=True)
    y = x * 1
    weft._foreach_mul_([y[:2]], 3.)
    y.sum().backward()
    assert x.grad.tolist() == [3, 3, 1, 1]


@pytest.mark.parametrize("name, arguments, message", [
    ("_foreach_add", ([], 1), "at least one tensor"), ("_foreach_add", (1, 1), "must be tuple of Tensors, not int"),
    ("_foreach_sqrt", ([1.0],), "holds a float"), ("_foreach_zero_", ((),), "at least one")])
def test_foreach_errors(name, arguments, message):
    with pytest.raises((RuntimeError, TypeError), match=message):
        getattr(weft, name)(*arguments)


def test_foreach_lengths():
    one, two = [weft.ones(2)], [weft.ones(2), weft.ones(2)]
    with pytest.raises(RuntimeError, match="same number of tensors, got 1 and 2"):
        weft._foreach_add(one, two)
    with pytest.raises(RuntimeError, match="as scalar list"):
        weft._foreach_mul(one, [1., 2.])
    with pytest.raises(RuntimeError, match="0 dim"):
        weft._foreach_mul(one, weft.ones(2))
    with pytest.raises(TypeError, match="unexpected keyword argument 'beta'"):
        weft._foreach_mul(one, beta=2)
    with pytest.raises(TypeError, match="'alpha'"):
        weft._foreach_mul(one, one, alpha=2)
    with pytest.raises(TypeError, match="'alpha'"):
        weft._foreach_add(one, 1., alpha=2)


CASES = [("add", 2, 0.5), ("mul", 2, 1.0), ("div", 2, 1.0), ("maximum", 2, 1.0), ("minimum", 2, 1.0),
         ("addcmul", 3, -0.3), ("addcdiv", 3, 0.7), ("lerp", 2, 0.3), ("lerp", 2, 0.8), ("sqrt", 1, 0), ("neg", 1, 0),
         ("abs", 1, 0), ("reciprocal", 1, 0), ("rsqrt", 1, 0), ("copy", 1, 0), ("add_scalar", 1, 2.5),
         ("mul_scalar", 1, 2.5), ("div_scalar", 1, 2.5), ("zero", 0, 0)]
BY_NUMPY = {
    "add": lambda x, y, z, s: x + y * s, "mul": lambda x, y, z, s: x * y, "div": lambda x, y, z, s: x / y,
    "maximum": lambda x, y, z, s: np.maximum(x, y), "minimum": lambda x, y, z, s: np.minimum(x, y),
    "addcmul": lambda x, y, z, s: x + s * y * z, "addcdiv": lambda x, y, z, s: x + s * y / z, "lerp": lambda x, y, z,
    s: x + s * (y - x), "sqrt": lambda x, y, z, s: np.sqrt(x), "neg": lambda x, y, z, s: -x, "abs": lambda x, y, z,
    s: np.abs(x), "reciprocal": lambda x, y, z, s: 1 / x, "rsqrt": lambda x, y, z, s: 1 / np.sqrt(x), "copy": lambda x,
    y, z, s: x, "add_scalar": lambda x, y, z, s: x + s, "mul_scalar": lambda x, y, z, s: x * s, "div_scalar": lambda x,
    y, z, s: x / s, "zero": lambda x, y, z, s: np.zeros_like(x)}


@pytest.mark.skipif(fast.lib is None, reason="no native kernels")
@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("name, reads, s", CASES)
def test_foreach_kernel(name, reads, s, kind):
    lists = make(SIZES, kind, 5)[2:]
    with np.errstate(all="ignore"):
        expected = [BY_NUMPY[name](*(one[i].astype(np.float64) for one in lists), s) for i in range(len(SIZES))]
    outs = [np.empty_like(a) for a in lists[0]]
    assert fast.foreach(name, outs, *[one if k < reads else None for k, one in enumerate(lists)], s) is True
    for a, b in zip(outs, expected):
        np.testing.assert_allclose(a.astype(np.float64), b, rtol=2 * LOOSE[kind], atol=2 * LOOSE[kind])


def test_a_scaled_fused_step_reads_nothing():
    """Division and step are two ops; whether the step is left out is decided in them."""
    class Account(Watcher):
        def __init__(self):
            self.ops, self.reads = [], []

        def after(self, op, values, outputs):
            self.ops.append((op.name, [op.names[i] for i in op.writes if values[i] is not None]))

        def read(self, tensor, how):
            self.reads.append(how)
    p = weft.nn.Parameter(weft.ones(2))
    optimizer = weft.optim.SGD([p], lr=0.5, fused=True)
    p.grad = weft.ones(2)
    optimizer.grad_scale, optimizer.found_inf = weft.tensor(4.0), weft.tensor(0.0)
    scale, found = weft.tensor(0.25), weft.tensor(1.0)
    with Account() as account:
        optimizer.step()
        weft._fused_sgd_([p], [p.grad], [], weight_decay=0.0, momentum=0.0, lr=0.5, dampening=0.0, nesterov=False,
                         maximize=False, is_first_step=False, grad_scale=scale, found_inf=found)
    assert account.reads == []
    assert account.ops == [("_unscale_grads", ["grads"]), ("_sgd_update", ["params"])] * 2
    assert p.tolist() == [0.875, 0.875] and p.grad.tolist() == [0.25, 0.25]


def test_momentum_that_starts_with_a_step_left_out():
    p = weft.nn.Parameter(weft.ones(2))
    optimizer = weft.optim.SGD([p], lr=0.5, momentum=0.9, fused=True)
    p.grad = weft.ones(2)
    optimizer.grad_scale, optimizer.found_inf = None, weft.tensor(1.0)
    optimizer.step()
    assert p.tolist() == [1, 1] and optimizer.state[p]["momentum_buffer"].tolist() == [0, 0]
