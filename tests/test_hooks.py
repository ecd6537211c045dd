"""Hooks on tensors, leaves, nodes, several gradients, and on what is saved."""
import numpy as np
import pytest

import weft
from weft.autograd import graph


def leaf(values=(1., 2., 3.)):
    return weft.tensor(list(values), requires_grad=True)


def test_order():
    seen = []
    x = leaf()
    y = x * 2
    x.register_hook(lambda g: seen.append("leaf"))
    y.register_hook(lambda g: seen.append("tensor"))
    y.grad_fn.register_hook(lambda grads, outs: seen.append("node after"))
    y.grad_fn.register_prehook(lambda outs: seen.append("node before"))
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_prehook(lambda outs: seen.append("accumulate before"))
    accumulate.register_hook(lambda grads, outs: seen.append("accumulate after"))
    x.register_post_accumulate_grad_hook(lambda p: seen.append("accumulated"))
    y.sum().backward()
    assert seen == ["tensor", "node before", "node after", "leaf", "accumulate before", "accumulated",
                    "accumulate after"]


def test_hooks_change_gradients_in_turn():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: -g)
    y.sum().backward()
    assert np.array_equal(x.grad._array, [-22, -22, -22])


def test_handle_takes_back():
    x = leaf()
    with x.register_hook(lambda g: g * 10):
        x.sum().backward()
    x.sum().backward()
    assert np.array_equal(x.grad._array, [11, 11, 11])


BAD = [
    (lambda g: weft.ones(2), RuntimeError, "has changed the size of value"),
    (lambda g: g.double(), RuntimeError, "has changed the type of value"),
    (lambda g: 3, TypeError, "expected Variable, but hook"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
@pytest.mark.parametrize("on_leaf", [True, False])
def test_bad_hooks(number, on_leaf):
    hook, kind, text = BAD[number]
    x = leaf()
    y = x * 2
    (x if on_leaf else y).register_hook(hook)
    with pytest.raises(kind, match=text):
        y.sum().backward()


def test_where_hooks_are_refused():
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        weft.ones(2).register_hook(print)
    with pytest.raises(RuntimeError, match="non-leaf"):
        (leaf() * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="retain_grad"):
        weft.ones(2).retain_grad()


def test_a_held_gradient_is_not_changed_later():
    held = []
    x = leaf()
    x.register_hook(held.append)
    (x * weft.ones(3)).sum().backward()
    (x * 5).sum().backward()
    assert np.array_equal(held[0]._array, [1, 1, 1]) and np.array_equal(x.grad._array, [6, 6, 6])


def test_retained_gradient():
    x = leaf()
    y = x * 2
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad
    (y * y).sum().backward(retain_graph=True)
    (y * y).sum().backward()
    assert np.allclose(y.grad._array, 4 * y._array)


def test_retained_gradient_follows_a_write():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    z = x * 1
    z.retain_grad()
    z[:2] = 0.
    (y + z).sum().backward()
    assert np.array_equal(y.grad._array, [1, 1, 1]) and np.array_equal(z.grad._array, [1, 1, 1])


def test_post_accumulate_may_free():
    x = leaf()

    def step(p):
        with weft.no_grad():
            p -= p.grad
        p.grad = None
    x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    assert x.grad is None and np.array_equal(x._array, [-1, 0, 1])


def test_multi_grad_hooks():
    x, y, z = leaf(), leaf(), leaf()
    all_seen, any_seen = [], []
    handle = graph.register_multi_grad_hook((x, y), lambda grads: all_seen.append([g is not None for g in grads]))
    graph.register_multi_grad_hook((x, y), lambda g: any_seen.append(g._array.tolist()), mode="any")
    (x * y * z).sum().backward()
    (y * 2).sum().backward()
    handle.remove()
    (x * y).sum().backward()
    assert all_seen == [[True, True], [False, True]] and len(any_seen) == 3
    with pytest.raises(ValueError, match="mode"):
        graph.register_multi_grad_hook((x,), print, mode="some")


def test_callbacks_run_at_the_end():
    seen = []
    x = leaf()
    queue = weft.autograd.Variable._execution_engine.queue_callback
    x.register_hook(lambda g: queue(lambda: seen.append(x.grad is not None)))
    (x * 2).sum().backward()
    assert seen == [True]
    with pytest.raises(RuntimeError, match="during backward"):
        queue(print)


# saved tensors

def test_saved_tensors_go_through_hooks():
    x = leaf()
    packed = []

    def pack(t):
        packed.append(t)
        return t._array.copy()
    with graph.saved_tensors_hooks(pack, lambda a: weft.tensor(a)):
        y = (x * x).exp()
    n = len(packed)
    g, = weft.autograd.grad(y.sum(), x, create_graph=True)
    second, = weft.autograd.grad(g.sum(), x)
    v = x._array
    assert (n and np.allclose(g._array, 2 * v * np.exp(v * v)) and np.allclose(second._array,
                                                                              (2 + 4 * v * v) * np.exp(v * v)))
    assert len(packed) == n


def test_innermost_hooks_win():
    x = leaf()
    seen = []
    with graph.saved_tensors_hooks(lambda t: seen.append("outer") or t, lambda t: t):
        with graph.saved_tensors_hooks(lambda t: seen.append("inner") or t, lambda t: t):
            x.exp()
        x.exp()
    x.exp()
    assert seen == ["inner", "outer"]


def test_hooks_refused():
    with graph.disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"), graph.save_on_cpu():
            pass
    with graph.save_on_cpu():
        y = leaf().exp()
    y.sum().backward()


def test_mutation_of_saved_tensors():
    x = leaf()
    with graph.allow_mutation_on_saved_tensors():
        h = x * 2
        y = h * h
        h.add_(1)
    y.sum().backward()
    assert np.allclose(x.grad._array, 8 * x._array)


def test_increment_version_is_seen():
    h = leaf() * 2
    y = (h * h).sum()
    graph.increment_version(h)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        y.backward()
    assert "graph.increment_version(h)" in str(error.value)


def test_a_failed_backward_leaves_no_gathered_gradients():
    """What a hook on several gradients had gathered went to the next backward if the first one failed."""
    seen, fail = [], [True]
    x, y = leaf(), leaf()

    def stop(g):
        if fail[0]:
            raise ValueError("stop")
    handle = graph.register_multi_grad_hook((x, y), lambda grads: seen.append(sum(g is not None for g in grads)))
    any_handle = graph.register_multi_grad_hook((x, y), lambda g: seen.append("any"), mode="any")
    for _ in range(20):
        h = x * 1
        h.register_hook(stop)
        with pytest.raises(ValueError, match="stop"):
            (h.sum() + y.sum()).backward()
    fail[0] = False
    seen.clear()
    (x * y).sum().backward()
    assert sorted(map(str, seen)) == ["2", "any"]
    handle.remove()
    any_handle.remove()


@pytest.mark.parametrize("name,function,wanted", [
    ("index", lambda x: x[weft.tensor([0, 1])], [(2,)]),
    ("index_put", lambda x: x.index_put((weft.tensor([0, 1]),), weft.ones(2, 3)), [(2,)]),
    ("foreach", lambda x: weft._foreach_mul([x, x], [x, x])[0], [(4, 3)] * 4),
    ("multi_dot", lambda x: weft.linalg.multi_dot([x, x.T.detach(), x]), None),
    ("lstm", lambda x: weft.nn.LSTM(3, 2)(x)[0], None)])
def test_hooks_see_the_tensors_of_saved_lists(name, function, wanted):
    """Those in lists (indices, foreach, a recurrent layer's weights) went past them."""
    def gradient(*hooks):
        weft.manual_seed(0)
        x = weft.arange(12.0).reshape(4, 3).requires_grad_()
        if not hooks:
            return weft.autograd.grad(function(x).sum(), x)[0]
        with weft.autograd.graph.saved_tensors_hooks(*hooks):
            loss = function(x).sum()
        return weft.autograd.grad(loss, x)[0]
    seen = []

    def pack(t):
        seen.append(t)
        return t.detach().numpy().copy()
    found = gradient(pack, weft.from_numpy)
    assert wanted is None or sorted(tuple(t.shape) for t in seen) == wanted
    assert seen and weft.equal(found, gradient())


def test_second_gradients_through_hooks_of_saved_lists():
    x = weft.tensor([2.0, 3.0], requires_grad=True)
    with weft.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = weft._foreach_mul([x], [x])[0]
    first = weft.autograd.grad(y.sum(), x, create_graph=True)[0]
    assert first.tolist() == [4.0, 6.0]
    assert weft.autograd.grad(first.sum(), x)[0].tolist() == [2.0, 2.0]


def test_the_retained_gradient_of_an_expanded_tensor_has_all_its_elements():
    x = weft.ones(1, requires_grad=True)
    y = x.expand(3)
    y.retain_grad()
    (y * weft.tensor([1., 2., 3.])).sum().backward()
    assert y.grad.tolist() == [1, 2, 3] and x.grad.tolist() == [6]


def test_a_leafs_hooks_run_in_order_on_one_gradient():
    """As in PyTorch: tensor hook, node's prehook, post-accumulate hook, node's hook: ((1 - 2) / 5 + 0.5) * 10."""
    x = weft.rand(3, requires_grad=True)
    node = x.view_as(x).grad_fn.next_functions[0][0]
    x.register_hook(lambda grad: grad - 2)
    node.register_prehook(lambda grads: (grads[0] / 5,))

    def add_half(t):
        t.grad.add_(0.5)

    def last(grad_in, grad_out):
        x.grad = grad_out[0] * 10
    x.register_post_accumulate_grad_hook(add_half)
    node.register_hook(last)
    x.sum().backward()
    assert weft.allclose(x.grad, weft.full((3,), 3.0))


def test_a_post_accumulate_hook_returns_nothing():
    x = weft.rand(3, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda t: t.grad)
    with pytest.raises(RuntimeError, match="should return None"):
        x.sum().backward()


def test_the_prehooks_of_a_node_that_is_named_as_an_input():
    x = weft.ones(2, requires_grad=True)
    y, seen = x * 2, []
    y.grad_fn.register_prehook(lambda grads: seen.append(grads[0].tolist()) or (grads[0] * 10,))
    (y * 3).sum().backward(inputs=[y])
    assert seen == [[3.0, 3.0]] and y.grad.tolist() == [3.0, 3.0] and x.grad is None


@pytest.mark.parametrize("saves", [lambda x: x.exp(), lambda x: x * weft.ones(2), lambda x: weft.cat([x, x]) ** 2])
def test_a_pack_hook_that_writes_to_what_it_is_given_is_refused(saves):
    with weft.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t), \
            pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
        saves(weft.ones(2, requires_grad=True))


def test_nothing_leads_through_set():
    x = weft.ones(2, requires_grad=True)
    y = x * 2
    y.set_(weft.ones(3))
    with pytest.raises(RuntimeError, match="derivative for 'set_' is not implemented"):
        y.sum().backward()
    z = weft.zeros(2)
    z.set_(x * 2)
    with pytest.raises(RuntimeError, match="derivative for 'set_' is not implemented"):
        z.sum().backward()
    with weft.no_grad():
        y = weft.zeros(2).set_(x * 2)
    assert not y.requires_grad


def test_a_preserved_version_counter():
    x = weft.ones(2)
    with weft.autograd._unsafe_preserve_version_counter(x):
        x.add_(1)
    assert x._version == 0 and x.tolist() == [2.0, 2.0]


def test_whether_a_backward_may_use_threads_is_remembered():
    asked = weft._C._is_multithreading_enabled
    with weft.autograd.set_multithreading_enabled(False):
        assert not asked()
    assert asked()
