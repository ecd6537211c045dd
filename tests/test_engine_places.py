"""Where gradients wait for their nodes (autograd/engine.py): one run keeps them in the nodes, others that work at the
same time keep their own; none sees another's, and none leaves anything behind."""
import threading

import numpy as np
import pytest

import weft
from weft.autograd import engine


def chain(x, n=30):
    y = x
    for k in range(n):
        y = (y * 1.01 + x * 0.1).tanh() if k % 3 else y.sin() * y
    return y.sum()


def places_are_free():
    if not engine.PLACES.acquire(False):
        return False
    engine.PLACES.release()
    return True


def test_backward_inside_a_hook_through_the_same_graph():
    x = weft.tensor([0.3, 0.7], requires_grad=True)
    middle = chain(x, 9) * x
    y = chain(middle) + middle.sum()
    expected, = weft.autograd.grad(y, x, retain_graph=True)
    inner = []

    def hook(g):        # runs when half of the nodes have, and goes through all of them again
        if not inner:
            inner.append(None)
            inner[0] = weft.autograd.grad(y, x, retain_graph=True)[0]
    middle.register_hook(hook)
    found, = weft.autograd.grad(y, x, retain_graph=True)
    assert weft.equal(found, expected) and weft.equal(inner[0], expected) and places_are_free()


def test_nested_backward_that_shares_pending_nodes():
    """A node waits with a part of its gradient while another backward runs through it, and again with the rest."""
    x = weft.tensor([0.5], requires_grad=True)
    shared = x.exp()
    a, b = shared * 2, shared * 3
    seen = []

    def hook(g):
        if not seen:
            seen.append(None)
            seen[0] = weft.autograd.grad(a, x, retain_graph=True)[0].item()
    a.register_hook(hook)       # b, the newer one, has been delivered by then
    (a + b).backward()
    e = float(np.exp(0.5))
    assert seen[0] == pytest.approx(2 * e) and x.grad.item() == pytest.approx(5 * e)


def test_backward_that_fails_leaves_nothing_in_the_nodes():
    x = weft.tensor([0.5, 0.2], requires_grad=True)
    shared = x.exp()
    bad = shared * 2
    y = (bad + shared.sin() + shared).sum()

    def hook(g):
        raise ValueError("no")
    handle = bad.register_hook(hook)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            y.backward(retain_graph=True)
        assert places_are_free() and x.grad is None
    handle.remove()
    y.backward()
    e = np.exp([0.5, 0.2])
    np.testing.assert_allclose(x.grad.numpy(), e * (3 + np.cos(e)), rtol=1e-5)


def test_early_leaf_hook_that_fails_leaves_nothing_in_the_nodes():
    x, w = weft.tensor([0.5], requires_grad=True), weft.tensor([2.0], requires_grad=True)
    y = ((x.exp() * 2) * w).sum()

    def hook(p):
        raise ValueError("no")
    handle = w.register_post_accumulate_grad_hook(hook)
    with pytest.raises(ValueError, match="no"):
        y.backward(retain_graph=True)
    handle.remove()
    x.grad = w.grad = None
    y.backward()
    assert x.grad.item() == pytest.approx(4 * float(np.exp(0.5))) and places_are_free()


def test_steps_that_are_left_early_don_t_disturb_a_backward():
    x = weft.tensor([0.5], requires_grad=True)
    y = (x.exp() * x.sin()).sum()
    expected = weft.autograd.grad(y, x, retain_graph=True)[0].item()
    steps = y.backward_steps(retain_graph=True)
    next(steps), next(steps)
    assert weft.autograd.grad(y, x, retain_graph=True)[0].item() == expected
    for _ in steps:
        pass
    assert x.grad.item() == expected


def test_threads_run_through_one_graph():
    x = weft.tensor(np.linspace(0.1, 0.9, 64), requires_grad=True)
    y = chain(x, 60)
    expected, = weft.autograd.grad(y, x, retain_graph=True)
    wrong = []

    def work():
        for _ in range(40):
            if not weft.equal(weft.autograd.grad(y, x, retain_graph=True)[0], expected):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and places_are_free()


@pytest.mark.parametrize("shape,bias", [
    ((1, 5), (5,)), ((1, 1, 5), (1, 5)), ((1, 5), (1, 5)), ((5,), (1, 5)), ((3, 5), (5,)), ((1, 1), ()), ((1, 0), (0,)),
    ((2, 1, 5), (2, 1, 1)), ((5, 1), (5, 1))])
@pytest.mark.parametrize("dtype", [weft.float32, weft.float64])
def test_gradient_of_a_bias(shape, bias, dtype):
    """What only lacks dimensions of length 1 is copied, not summed up; to any order, and nobody else's memory."""
    x = weft.linspace(-1, 1, max(1, int(np.prod(shape))), dtype=dtype)[:int(np.prod(shape))].reshape(shape)
    x.requires_grad_()
    b = weft.full(bias, 0.5, dtype=dtype, requires_grad=True)

    def f(x, b):
        return ((x + b).tanh() * (x - b)).sum()
    f(x, b).backward()
    assert x.grad.shape == x.shape and b.grad.shape == b.shape
    assert not np.shares_memory(x.grad.numpy(), b.grad.numpy())
    recorded = weft.autograd.grad(f(x, b), (x, b), create_graph=True)
    for plain, other in zip((x.grad, b.grad), recorded):
        np.testing.assert_allclose(plain.numpy(), other.detach().numpy(), rtol=1e-5, atol=1e-6)
    if dtype == weft.float64 and x.numel():
        assert weft.autograd.gradcheck(f, (x, b)) and weft.autograd.gradgradcheck(f, (x, b))
    first = x.grad.clone()
    b.grad.zero_()
    assert weft.equal(x.grad, first)
