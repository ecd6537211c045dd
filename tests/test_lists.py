"""`_foreach_*`: each call is one op on the record, with lists in and lists out or written; one node in the graph."""
import numpy as np
import pytest
from later import Later
from sample_values import build

import weft
from weft.core.seam import Watcher
from weft.ops.core.registry import OPS_BY_NAME
from weft.ops.lists.foreach import PUBLIC

PLAIN = sorted(name for name in PUBLIC if name.startswith("_foreach_") and not name.endswith("_"))
WRITING = sorted(name for name in PUBLIC if name.startswith("_foreach_") and name.endswith("_"))
CASES = [(name, i) for name in PLAIN for i in range(len(OPS_BY_NAME[name].samples))]
WRITING_CASES = [(name, i) for name in WRITING for i in range(len(OPS_BY_NAME[name[:-1]].samples))]


def arguments(name, i, dtype=np.float32):
    """(positional, keywords) of a sample of the op that gives new tensors."""
    *sample, last = *OPS_BY_NAME[name].samples[i], {}
    if sample and isinstance(sample[-1], dict):
        last = sample.pop()
    rng = np.random.default_rng(i)
    return [build(value, rng, dtype) for value in sample], last


class Ops(Watcher):
    def __init__(self):
        self.seen = []

    def after(self, op, values, outputs):
        self.seen.append((op, values, outputs))


def fits(args, name):
    """Whether what comes out has the shapes of what is written to."""
    made = OPS_BY_NAME[name].call(tuple(args[0]), dict(args[1]))
    return [t.shape for t in made] == [t.shape for t in args[0][0]]


@pytest.mark.parametrize("name, i", CASES)
def test_one_op_with_lists_out(name, i):
    args, keywords = arguments(name, i)
    with Ops() as ops:
        made = PUBLIC[name](*args, **keywords)
    assert [op.name for op, _, _ in ops.seen] == [name]
    op, values, outputs = ops.seen[0]
    assert all(a is b for a, b in zip(outputs, made, strict=True)) and len(made) == len(args[0])
    assert list(values[0]) == list(args[0]) and op.writes == ()


@pytest.mark.parametrize("name, i", WRITING_CASES)
def test_one_op_with_lists_written(name, i):
    args, keywords = arguments(name[:-1], i)
    if not fits((args, keywords), name[:-1]):
        with pytest.raises(RuntimeError, match="shape"):
            PUBLIC[name](*args, **keywords)
        return
    expected = [t.numpy().copy() for t in OPS_BY_NAME[name[:-1]].call(tuple(args), dict(keywords))]
    with Ops() as ops:
        made = PUBLIC[name](*args, **keywords)
    assert made is args[0] and [op.name for op, _, _ in ops.seen] == [name]
    op, values, outputs = ops.seen[0]
    assert [op.names[k] for k in op.writes] == ["self"] and values[0] is args[0] and outputs == []
    for t, e in zip(made, expected, strict=True):
        np.testing.assert_array_equal(t.numpy(), e)
        assert t._version == 1


@pytest.mark.parametrize("name, i", CASES)
def test_a_taker_answers_them(name, i):
    args, keywords = arguments(name, i)
    eager = PUBLIC[name](*args, **keywords)
    with Later() as later:
        made = PUBLIC[name](*args, **keywords)
        assert later.taken == [name] and all(t._owed is not None for t in made)
        assert [(t.shape, t.dtype, t.stride()) for t in made] == [(t.shape, t.dtype, t.stride()) for t in eager]
        for a, b in zip(made, eager, strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("name, i", WRITING_CASES)
def test_a_taker_runs_what_needs_the_old_values_first(name, i):
    args, keywords = arguments(name[:-1], i)
    if not fits((args, keywords), name[:-1]):
        return
    expected = [(x.numpy() + 1).copy() for x in args[0]]
    with Later() as later:
        sums = [x + 1 for x in args[0]]
        PUBLIC[name](*args, **keywords)
        assert later.pending == []
    for a, b in zip(sums, expected, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)


def test_a_taken_list_op_is_differentiated():
    def gradients(taker):
        x, y = weft.tensor([1., 2.], requires_grad=True), weft.tensor([3.], requires_grad=True)
        if taker is not None:
            taker.start()
        try:
            a, b = weft._foreach_mul([x, y], [y, x])
            (a.sum() * b.sum()).backward()
        finally:
            if taker is not None:
                taker.run()
                taker.stop()
        return x.grad.tolist(), y.grad.tolist()
    assert gradients(Later()) == gradients(None)


def test_one_node_with_an_output_for_each():
    x, y = weft.ones(2, requires_grad=True), weft.ones(3, requires_grad=True)
    a, b = weft._foreach_exp([x, y])
    assert a.grad_fn is b.grad_fn and a.grad_fn.name() == "ForeachExpBackward0" and b.output_nr == 1
    a.sum().backward()
    assert y.grad is None and x.grad is not None        # nothing used b


def test_what_the_gradient_does_not_need_may_be_overwritten():
    x, y = weft.ones(2, requires_grad=True), weft.ones(2)
    a, = weft._foreach_add([x], [y], alpha=3)
    y.zero_()
    a.sum().backward()
    assert x.grad.tolist() == [1, 1]
    b, = weft._foreach_mul([x], [y])
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        b.sum().backward()


def test_the_graph_keeps_a_list_of_its_own():
    x, y = [weft.ones(2, requires_grad=True)], [weft.full((2,), 3.)]
    a, = weft._foreach_mul(x, y)
    given = x[0]
    x.clear()
    y[0] = None
    a.sum().backward()
    assert given.grad.tolist() == [3, 3]


def test_in_place_with_history():
    x, y = weft.tensor([1., 2.], requires_grad=True), weft.tensor([3., 4.], requires_grad=True)
    a, b = x * 1, y * 1
    with Ops() as ops:
        weft._foreach_mul_([a, b], [b, a])
    assert [op.name for op, _, _ in ops.seen] == ["_foreach_mul"]       # then both are written, with their history
    (a.sum() + 2 * b.sum()).backward()
    expected_x, expected_y = weft.tensor([1., 2.], requires_grad=True), weft.tensor([3., 4.], requires_grad=True)
    product = expected_x * expected_y
    (product.sum() + 2 * product.sum()).backward()
    assert x.grad.tolist() == expected_x.grad.tolist() and y.grad.tolist() == expected_y.grad.tolist()


@pytest.mark.parametrize("values", [
    lambda: ([weft.ones(2, requires_grad=True), weft.ones(2, requires_grad=True)],
             [weft.ones(2), weft.ones(2, dtype=weft.float64)]),
    lambda: ([weft.ones(2, requires_grad=True), weft.ones(2, dtype=weft.float64, requires_grad=True)],
             weft.tensor(2., requires_grad=True)),
    lambda: ([weft.ones(2, requires_grad=True), weft.ones(2, requires_grad=True)], [2.0, 1j]),
    lambda: ([weft.ones(2, requires_grad=True), weft.ones(2, dtype=weft.half, requires_grad=True)],
             [weft.ones(2, dtype=weft.int64), weft.ones(2)])])
def test_gradients_have_the_types_of_their_tensors(values):
    xs, other = values()
    made = weft._foreach_mul(xs, other)
    assert len({t.grad_fn for t in made}) == 1
    sum(t.real.sum() if t.is_complex() else t.sum() for t in made).backward()
    for t in [*xs, *(other if isinstance(other, list) else [other])]:
        if isinstance(t, weft.Tensor) and t.requires_grad:
            assert t.grad.dtype is t.dtype and t.grad.shape == t.shape


def test_a_write_that_fails_is_counted():
    x, y = weft.ones(2), weft.ones(3)
    with pytest.raises(RuntimeError):
        weft._foreach_add_([x, y], [weft.ones(2, dtype=weft.float64), weft.ones(2)])
    assert x._version > 0


@pytest.mark.parametrize("given, error", [
    (lambda: weft.ones(1).expand(3), "single memory location"),
    (lambda: weft.ones(2, requires_grad=True), "leaf Variable"),
    (lambda: (weft.ones(4, requires_grad=True) * 1).chunk(2)[0], "multiple views")])
def test_what_must_not_be_written(given, error):
    with pytest.raises(RuntimeError, match=error):
        weft._foreach_mul_([given()], 2.0)


def test_meta_lists():
    xs = [weft.ones(2, 3, device="meta").t(), weft.ones((), device="meta")]
    made = weft._foreach_add(xs, [1.5, 2])
    assert [(t.shape, t.is_meta, t.stride()) for t in made] == [((3, 2), True, (1, 3)), ((), True, ())]
    assert weft._foreach_mul_(xs, 2.0) is xs and xs[0]._version == 1
    with pytest.raises(RuntimeError, match="shape"):
        weft._foreach_add_([weft.ones(2, device="meta")], [weft.ones(3, 2, device="meta")])


class Logged(weft.Tensor):
    names = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.names.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_subclasses_are_asked_once():
    Logged.names = []
    weft._foreach_add([weft.ones(2).as_subclass(Logged)], 1)
    weft._foreach_add_([weft.ones(2).as_subclass(Logged)], 1)
    assert [name for name in Logged.names if "foreach" in name] == ["_foreach_add", "_foreach_add_"]


@pytest.mark.parametrize("call", [
    lambda x: weft._foreach_log_([x[0], x[1]]), lambda x: weft._foreach_div_([x[0], x[1]], [1.0, 0.0]),
    lambda x: weft._foreach_pow_([x[0], x[1]], [1.0, 0.5]), lambda x: weft._foreach_sqrt_([x[0], x[1]]),
    lambda x: weft._foreach_pow([x[0], x[1]], 0.5), lambda x: weft._foreach_addcdiv_(x, x, [x[0], x[1] * 0])])
def test_what_is_not_finite_is_told_before_it_is_written(call):
    x = [weft.ones(2), weft.tensor([-1.0, -2.0])]
    with weft.check_numerics(), pytest.raises(RuntimeError, match="^foreach_.* made (NaN|Inf)"):
        call(x)
    assert [t.tolist() for t in x] == [[1, 1], [-1, -2]] and x[0]._version == 0
    with weft.check_numerics():
        weft._foreach_add_(x, 1)
    assert [t.tolist() for t in x] == [[2, 2], [0, -1]] and x[0]._version == 1
