"""Gradients of matrices that are used for one row at a time (weft/autograd/factors.py): the dense ones, bit for bit."""
import numpy as np
import pytest

import weft
from weft.autograd import factors
from weft.kernels import fast
from weft.kernels.rows import joined

needs_kernel = pytest.mark.skipif(fast.lib is None, reason="the kernels are not built")


@pytest.fixture(autouse=True)
def small_matrices_too(monkeypatch):
    monkeypatch.setattr(factors, "SMALL", 2048)


def numbers(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def one_by_one(w, rows, grads):
    """The sum of the outer products, each rounded before it is added."""
    total = None
    for x, g in zip(rows, grads):
        product = x[:, None] * g
        total = product if total is None else total + product
    return total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k,m,n", [(1, 64, 64), (3, 64, 33), (7, 47, 100), (600, 50, 41), (1030, 3, 700)])
def test_sum_of_outer_products_has_the_bits_of_adding_them_up(k, m, n, dtype):
    w = weft.tensor(numbers(m, n, dtype=dtype), requires_grad=True)
    rows, grads = numbers(k, m, dtype=dtype, seed=1), numbers(k, n, dtype=dtype, seed=2)
    total = sum((weft.tensor(x[None]) @ w * weft.tensor(g)).sum() for x, g in zip(rows, grads))
    total.backward()
    np.testing.assert_array_equal(w.grad.numpy(), one_by_one(w, rows[::-1], grads[::-1]))


@needs_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k,m,n", [(1, 1, 1), (2, 5, 16), (5, 4, 48), (4, 9, 131), (3, 0, 5), (3, 5, 0), (9, 3, 200)])
@pytest.mark.parametrize("starts", [False, True])
def test_kernel_of_outer_sums(k, m, n, dtype, starts):
    rows = list(numbers(k, m + n, dtype=dtype))
    start = numbers(m, n, dtype=dtype, seed=2) if starts else None
    np.testing.assert_array_equal(fast.outer_sums(rows, m, start), factors.added_up(rows, m, start))


@needs_kernel
def test_kernel_of_outer_sums_takes_only_what_fits():
    a, b = numbers(9), numbers(9, seed=1)
    assert fast.outer_sums([a, b], 4, numbers(4, 5)).shape == (4, 5)
    assert fast.outer_sums([a, b.astype(np.float64)], 4, None) is None
    assert fast.outer_sums([a, b[:8]], 4, None) is None
    assert fast.outer_sums([a, numbers(18)[::2]], 4, None) is None
    assert fast.outer_sums([a, b[None]], 4, None) is None
    assert fast.outer_sums([a, None], 4, None) is None
    assert fast.outer_sums([a, b], 10, None) is None
    assert fast.outer_sums([a, b], -1, None) is None
    assert fast.outer_sums([], 4, numbers(4, 5)) is None
    assert fast.outer_sums((a, b), 4, None) is None
    assert fast.outer_sums([a, b], 4, numbers(5, 4)) is None
    assert fast.outer_sums([a.astype(np.int64), b.astype(np.int64)], 4, None) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_joined_from_wherever_they_lie(dtype):
    a, b = numbers(7, dtype=dtype), numbers(5, dtype=dtype, seed=1)
    both = np.concatenate([a, b])
    spread = np.repeat(a, 3)[::3]
    for left in (a, a[None], a[None, None], spread, spread[None], a[::-1][::-1]):
        np.testing.assert_array_equal(joined(left, b[None], 35), both)
    np.testing.assert_array_equal(joined(np.broadcast_to(a[:1], 4), b[:1], 1), [a[0]] * 4 + [b[0]])
    for left, right, least in ((a, b, 36), (a[:, None], b, 1), (a[:0], b, 0), (a.reshape(1, 7)[:0], b, 0),
                               (a[0], b, 0), (np.array(a[0]), b, 0), (a, b.astype(np.float16), 0),
                               (a, np.stack([b, b]), 0), (a.astype(int), b.astype(int), 0)):
        assert joined(np.asarray(left), right, least) is None


PROGRAMS = {
    "row @ w": lambda w, x: x[None] @ w,
    "w.T @ column": lambda w, x: w.T @ x[:, None],
    "w @ column": lambda w, x: w @ x[:80, None],
    "linear of a row": lambda w, x: weft.nn.functional.linear(x[None, :80], w),
    "linear of a vector": lambda w, x: weft.nn.functional.linear(x[:80], w, w[:, 0]),
    "a stack of one row": lambda w, x: x[None, None] @ w,
    "several rows": lambda w, x: x.expand(3, -1) @ w,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_as_factors_is_the_dense_one(name, monkeypatch):
    program, found = PROGRAMS[name], []
    for small in (factors.SMALL, 1 << 60):
        monkeypatch.setattr(factors, "SMALL", small)
        w = weft.tensor(numbers(90, 80), requires_grad=True)
        states = [weft.tensor(x, requires_grad=True) for x in numbers(5, 90, seed=1)]
        (sum((program(w, x).tanh() ** 2).sum() for x in states) + (w * w).sum()).backward()
        found.append([w.grad.numpy(), *[x.grad.numpy() for x in states]])
    for a, b in zip(*found):
        np.testing.assert_array_equal(a, b)


def loss_of(w, xs):
    return sum((x[None] @ w).tanh().sum() for x in xs)


def test_second_backward_adds_to_the_gradient():
    w, xs = weft.tensor(numbers(90, 80), requires_grad=True), [weft.tensor(x) for x in numbers(4, 90, seed=1)]
    loss_of(w, xs).backward()
    once = w.grad.clone()
    loss_of(w, xs).backward()
    np.testing.assert_array_equal(w.grad.numpy(), (once + once).numpy())


def test_second_derivatives_of_rows():
    w, x = weft.tensor(numbers(60, 50), requires_grad=True), weft.tensor(numbers(1, 60, seed=1), requires_grad=True)
    g, = weft.autograd.grad((x @ w).tanh().sum(), w, create_graph=True)
    again, = weft.autograd.grad((g * g).sum(), x)
    w2, x2 = w.detach().double().requires_grad_(), x.detach().double().requires_grad_()
    g2 = x2.T * (1 - (x2 @ w2).tanh() ** 2)
    np.testing.assert_allclose(again.numpy(), weft.autograd.grad((g2 * g2).sum(), x2)[0].numpy(), rtol=1e-4, atol=1e-4)


def test_hook_that_writes_to_what_was_multiplied_changes_nothing():
    found = []
    for writes in (False, True):
        w = weft.tensor(numbers(90, 80), requires_grad=True)
        a, b = (weft.tensor(x[None]) for x in numbers(2, 90, seed=1))
        first = (a @ w).tanh()
        second = (b @ w).tanh()
        if writes:
            first.register_hook(lambda g, b=b: [b.zero_()][1:] or None)     # the second product has been through by then
        (first.sum() + second.sum()).backward()
        assert not writes or not b.any()
        found.append(w.grad.numpy())
    np.testing.assert_array_equal(*found)


def test_gradient_that_a_hook_keeps_is_not_added_to():
    w, xs = weft.tensor(numbers(90, 80), requires_grad=True), [weft.tensor(x) for x in numbers(3, 90, seed=1)]
    seen = []
    w.register_hook(seen.append)
    loss_of(w, xs).backward()
    before = seen[0].numpy().copy()
    loss_of(w, xs).backward()
    np.testing.assert_array_equal(seen[0].numpy(), before)


def test_grad_of_a_matrix_in_the_middle():
    w, xs = weft.tensor(numbers(90, 80), requires_grad=True), [weft.tensor(x) for x in numbers(6, 90, seed=1)]
    wide = w * 2
    wide.retain_grad()
    loss_of(wide, xs).backward()
    np.testing.assert_array_equal((wide.grad * 2).numpy(), w.grad.numpy())
    other = (w.detach() * 2).requires_grad_()
    loss_of(other, xs).backward()
    np.testing.assert_array_equal(other.grad.numpy(), wide.grad.numpy())


def test_table_that_is_also_a_matrix():
    """A tied embedding: rows from the lookup, factors from the products."""
    table = weft.tensor(numbers(600, 80), requires_grad=True)
    (loss_of(table.T, [weft.tensor(x) for x in numbers(3, 80, seed=1)])
     + weft.nn.functional.embedding(weft.tensor([3]), table).sum()
     + sum(weft.nn.functional.linear(weft.tensor(x), table).sum() for x in numbers(3, 80, seed=2))).backward()
    dense = table.detach().double().requires_grad_()
    (loss_of(dense.T, [weft.tensor(x).double() for x in numbers(3, 80, seed=1)]) + dense[3].sum()
     + sum((dense * weft.tensor(x).double()).sum() for x in numbers(3, 80, seed=2))).backward()
    np.testing.assert_allclose(table.grad.numpy(), dense.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_batches_of_rows_are_multiplied_at_once():
    """Inside autobatch the gradient of a weight is one product for all groups that used it."""
    w, xs = weft.tensor(numbers(90, 90, dtype=np.float64), requires_grad=True), [weft.tensor(x[None]) for x in numbers(6, 90, dtype=np.float64, seed=1)]

    def loss():
        total = 0
        for k, x in enumerate(xs):
            for _ in range(1 + k % 3):
                x = (x @ w).tanh()
            total = total + x.sum()
        return total
    loss().backward()
    plain = w.grad.numpy()
    w.grad = None
    with weft.autobatch(always=True):
        loss().backward()
    np.testing.assert_allclose(w.grad.numpy(), plain, rtol=1e-9, atol=1e-12)
