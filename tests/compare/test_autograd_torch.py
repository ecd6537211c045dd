"""The same small programs on weft and on PyTorch: values, gradients, flags and error types must agree."""
import gc

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")


def plain(value):
    """A result without its library: arrays, numbers, names of errors."""
    if isinstance(value, (weft.Tensor, torch.Tensor)):
        value = value.detach()
        return ("tensor", str(value.dtype), np.array(value.resolve_conj().numpy() if isinstance(value, torch.Tensor)
                                                     else value._array))
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(type(value))


def same(a, b):
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, tuple):
        return (isinstance(b, tuple) and a[:2] == b[:2] and a[2].shape == b[2].shape
                and np.allclose(a[2], b[2], rtol=1e-5, atol=1e-6, equal_nan=True))
    return type(a) is type(b) and a == b


def outcome(program, t):
    try:
        return plain(program(t))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return f"raised {type(error).__name__}"


PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def leaf(t, *shape, start=1.0, dtype=None):
    n = int(np.prod(shape)) if shape else 1
    values = np.arange(n).reshape(shape) * 0.25 + start
    return t.tensor(values.tolist(), dtype=dtype or t.float32, requires_grad=True)


# leaves and accumulation

@program
def accumulates(t):
    x = leaf(t, 3)
    (x * x).sum().backward()
    (x * 2).sum().backward()
    return x.grad, x.is_leaf, x.requires_grad, (x * 2).is_leaf, x.grad.requires_grad


@program
def grad_does_not_touch_grad(t):
    x = leaf(t, 3)
    g, = t.autograd.grad((x * x).sum(), x)
    return g, x.grad


@program
def second_backward(t):
    x = leaf(t, 3)
    y = (x * x).sum()
    y.backward()
    y.backward()


@program
def second_backward_saving_nothing(t):
    x = leaf(t, 3)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x.grad


@program
def retained_graph(t):
    x = leaf(t, 3)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


@program
def third_order(t):
    x = leaf(t, 3)
    y = (x ** 4).sum()
    g1, = t.autograd.grad(y, x, create_graph=True)
    g2, = t.autograd.grad(g1.sum(), x, create_graph=True)
    g3, = t.autograd.grad(g2.sum(), x)
    return g1, g2, g3, g3.requires_grad, g2.requires_grad


@program
def third_order_mixed(t):
    x, w = leaf(t, 3), leaf(t, 3, start=0.3)
    y = (t.tanh(x * w) * t.exp(w)).sum()
    g = t.autograd.grad(y, (x, w), create_graph=True)
    h = t.autograd.grad((g[0] * g[1]).sum(), (x, w), create_graph=True)
    return g, h, t.autograd.grad((h[0] * h[1]).sum(), (x, w))


@program
def gradient_penalty(t):
    x, w = leaf(t, 2, 3), leaf(t, 3, 2, start=-0.5)
    y = t.sigmoid(x @ w).sum()
    g, = t.autograd.grad(y, x, create_graph=True)
    ((g * g).sum() + y).backward()
    return x.grad, w.grad


@program
def create_graph_backward(t):
    x = leaf(t, 3)
    (x ** 3).sum().backward(create_graph=True)
    first = x.grad
    x.grad = None
    first.sum().backward()
    return first, x.grad


@program
def unused_input(t):
    x, z = leaf(t, 3), leaf(t, 2)
    t.autograd.grad(x.sum(), [x, z])


@program
def unused_allowed(t):
    x, z = leaf(t, 3), leaf(t, 2)
    a = t.autograd.grad(x.sum(), [x, z], allow_unused=True)
    b = t.autograd.grad(x.sum(), [x, z], materialize_grads=True)
    return a, b


@program
def materialize_against_unused(t):
    x, z = leaf(t, 3), leaf(t, 2)
    t.autograd.grad(x.sum(), [x, z], materialize_grads=True, allow_unused=False)


@program
def no_graph(t):
    t.ones(3).sum().backward()


@program
def not_scalar(t):
    leaf(t, 3).mul(2).backward()


@program
def grad_output_shape(t):
    x = leaf(t, 3)
    t.autograd.grad(x * 2, x, t.ones(2))


@program
def grad_outputs_given(t):
    x = leaf(t, 3)
    y, z = x * 2, x * x
    return t.autograd.grad([y, z], x,
                           [t.tensor([1., 2., 3.]), t.tensor([0., 1., 0.])]), t.autograd.grad(x, x, t.ones(3))


@program
def batched_grads(t):
    x = leaf(t, 3)
    y = x * x
    return t.autograd.grad(y, x, t.eye(3), is_grads_batched=True)


@program
def input_not_requiring(t):
    x = leaf(t, 3)
    t.autograd.grad(x.sum(), t.ones(3))


@program
def empty_inputs(t):
    leaf(t, 3).sum().backward(inputs=[])


@program
def backward_inputs(t):
    x, w = leaf(t, 3), leaf(t, 3)
    h = x * w
    y = (h * h).sum()
    y.backward(inputs=[x, h])
    return x.grad, w.grad, h.grad


@program
def inner_inputs(t):
    x = leaf(t, 3)
    h = x * 2
    k = h * h
    y = (k + h).sum()
    return t.autograd.grad(y, [h, k, x])


@program
def same_input_twice(t):
    x = leaf(t, 3)
    return t.autograd.grad((x * x).sum(), [x, x])


@program
def several_roots(t):
    x = leaf(t, 3)
    t.autograd.backward([x.sum(), (x * x).sum()])
    return x.grad


@program
def one_leaf_many_ways(t):
    x = leaf(t, 3)
    y = x + x * x
    z = y * x + y
    (z + x).sum().backward()
    return x.grad


@program
def complex_chain(t):
    z = t.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    x = leaf(t, 2)
    y = (z * z.conj() * x).real.sum() + (z * z).imag.sum()
    y.backward()
    return z.grad, x.grad


@program
def complex_scalar_refused(t):
    z = t.tensor([1 + 2j], requires_grad=True)
    (z * z).sum().backward()


@program
def real_from_complex(t):
    x = leaf(t, 3)
    z = x * (2 + 3j)
    z.abs().sum().backward()
    return x.grad, x.grad.dtype == t.float32


# requires_grad, detach, data

@program
def integer_leaf(t):
    t.ones(3, dtype=t.int64).requires_grad_()


@program
def flag_of_computed(t):
    (leaf(t, 3) * 2).requires_grad_(False)


@program
def flag_of_computed_true(t):
    h = leaf(t, 3) * 2
    h.requires_grad_()
    h.requires_grad = True
    return h.requires_grad


@program
def flag_not_bool(t):
    t.ones(3).requires_grad = 1


@program
def flag_call_not_bool(t):
    t.ones(3).requires_grad_(1)


@program
def detach_cuts(t):
    x = leaf(t, 3)
    y = x * 2
    d = y.detach()
    (d * y).sum().backward()
    return x.grad, d.requires_grad, d.is_leaf


@program
def detach_shares_version(t):
    x = leaf(t, 3)
    y = t.exp(x)
    y.detach().add_(1)
    return y._version


@program
def detached_write_is_seen(t):
    x = leaf(t, 3)
    y = t.exp(x)
    y.detach().add_(1)
    y.sum().backward()


@program
def data_write_is_not_seen(t):
    x = leaf(t, 3)
    y = x * 2
    z = (y * y).sum()
    y.data.mul_(10)
    z.backward()
    return y._version, x.grad


@program
def data_assigned(t):
    x = leaf(t, 3)
    x.data = t.ones(2)
    (x * 3).sum().backward()
    return x, x.grad, x._version


@program
def data_not_tensor(t):
    leaf(t, 3).data = 3


@program
def data_integer(t):
    leaf(t, 3).data = t.ones(3, dtype=t.int64)


@program
def detach_in_place(t):
    x = leaf(t, 3)
    h = x * 2
    h.detach_()
    return h.requires_grad, h.is_leaf


@program
def detach_in_place_leaf(t):
    x = leaf(t, 3)
    x.detach_()
    return x.requires_grad


@program
def detach_view_in_place(t):
    (leaf(t, 3) * 2)[0].detach_()


@program
def grad_assigned_shape(t):
    leaf(t, 3).grad = t.ones(2)


@program
def grad_assigned_dtype(t):
    leaf(t, 3).grad = t.ones(3, dtype=t.float64)


@program
def grad_assigned_number(t):
    leaf(t, 3).grad = 3


@program
def grad_assigned(t):
    x = leaf(t, 3)
    x.grad = t.ones(3)
    (x * 2).sum().backward()
    return x.grad


# hooks

@program
def hooks_in_order(t):
    seen = []
    x = leaf(t, 2)
    x.register_hook(lambda g: seen.append("leaf"))
    y = x * 2
    y.grad_fn.register_hook(lambda gi, go: seen.append("node post"))
    y.grad_fn.register_prehook(lambda go: seen.append("node pre"))
    y.register_hook(lambda g: seen.append("tensor"))
    y.retain_grad()
    y.register_hook(lambda g: g * 5)
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_hook(lambda gi, go: seen.append("accumulate post"))
    accumulate.register_prehook(lambda go: seen.append("accumulate pre"))
    x.register_post_accumulate_grad_hook(lambda p: seen.append("post accumulate"))
    y.sum().backward()
    return seen, x.grad, y.grad


@program
def hooks_with_grad(t):
    seen = []
    x = leaf(t, 2)
    x.register_hook(lambda g: seen.append("leaf"))
    accumulate = (x * 2).grad_fn.next_functions[0][0]
    accumulate.register_prehook(lambda go: seen.append("pre"))
    accumulate.register_hook(lambda gi, go: seen.append("post"))
    x.register_post_accumulate_grad_hook(lambda p: seen.append("post accumulate"))
    t.autograd.grad((x * 2).sum(), x)
    seen.append("then")
    (x * 2).sum().backward(inputs=[x])
    return seen


@program
def hook_changes(t):
    x = leaf(t, 3)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    h.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * -1)
    h.sum().backward()
    return x.grad


@program
def hook_removed(t):
    x = leaf(t, 3)
    h = x * 2
    handle = h.register_hook(lambda g: g * 10)
    handle.remove()
    other = x.register_hook(lambda g: g * 3)
    h.sum().backward(retain_graph=True)
    other.remove()
    h.sum().backward()
    return x.grad


@program
def hook_wrong_size(t):
    x = leaf(t, 3)
    h = x * 2
    h.register_hook(lambda g: t.ones(2))
    h.sum().backward()


@program
def hook_wrong_type(t):
    x = leaf(t, 3)
    h = x * 2
    h.register_hook(lambda g: g.double())
    h.sum().backward()


@program
def hook_not_tensor(t):
    x = leaf(t, 3)
    h = x * 2
    h.register_hook(lambda g: (g, g))
    h.sum().backward()


@program
def hook_on_constant(t):
    t.ones(3).register_hook(print)


@program
def post_hook_on_computed(t):
    (leaf(t, 3) * 2).register_post_accumulate_grad_hook(print)


@program
def node_hook_replaces(t):
    x, w = leaf(t, 3), leaf(t, 3)
    h = x * w
    h.grad_fn.register_hook(lambda gi, go: (gi[0] * 2, gi[1] * 3))
    h.grad_fn.register_prehook(lambda go: (go[0] * 7,))
    h.sum().backward()
    return x.grad, w.grad


@program
def node_hook_drops(t):
    x, w = leaf(t, 3), leaf(t, 3)
    h = x * w
    h.grad_fn.register_hook(lambda gi, go: (None, gi[1]))
    h.sum().backward()
    return x.grad, w.grad


@program
def node_hook_count(t):
    h = leaf(t, 3) * leaf(t, 3)
    h.grad_fn.register_hook(lambda gi, go: (gi[0],))
    h.sum().backward()


@program
def prehook_after_retain(t):
    x = leaf(t, 3)
    h = x * 2
    h.retain_grad()
    h.grad_fn.register_prehook(lambda go: (go[0] * 7,))
    h.sum().backward()
    return h.grad, x.grad


@program
def held_gradient_stays(t):
    held = []
    x = leaf(t, 3)
    h = x + 1
    h.register_hook(lambda g: held.append(g))
    (h * t.ones(3)).sum().backward()
    (x * 5).sum().backward()
    return held, x.grad


@program
def held_leaf_gradient_stays(t):
    held = []
    x = leaf(t, 3)
    x.register_hook(lambda g: held.append(g))
    (x * t.ones(3)).sum().backward()
    (x * 5).sum().backward()
    return held, x.grad


@program
def given_gradient_stays(t):
    x = leaf(t, 3)
    g = t.ones(3)
    x.mul(1).backward(g)
    (x + 0).backward(g)
    x.grad.mul_(5)
    return g, x.grad


@program
def leaves_dont_share(t):
    x, y = leaf(t, 3), leaf(t, 3)
    (x + y).backward(t.ones(3))
    x.grad.mul_(5)
    return x.grad, y.grad


@program
def retained(t):
    x = leaf(t, 3)
    h = x * 2
    h.retain_grad()
    (h * h).sum().backward(retain_graph=True)
    (h * h).sum().backward()
    return h.grad, h.retains_grad, x.retains_grad, x.grad


@program
def retained_constant(t):
    t.ones(3).retain_grad()


@program
def retained_follows_write(t):
    x = leaf(t, 4)
    h = x * 1
    h.retain_grad()
    hooked = []
    h.register_hook(lambda g: hooked.append(g))
    h.mul_(3)
    k = x * 1
    k.retain_grad()
    k[:2].mul_(3)
    (h.sum() + k.sum()).backward()
    return h.grad, hooked, h.retains_grad, k.grad, x.grad


@program
def retained_view_follows_base(t):
    h = leaf(t, 4) * 1
    v = h[:2]
    v.retain_grad()
    h.mul_(3)
    (v * 5).sum().backward()
    return v.grad


@program
def post_accumulate_frees(t):
    x = leaf(t, 3)
    seen = []

    def step(p):
        seen.append(p.grad.clone())
        p.grad = None
    handle = x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    handle.remove()
    (x * 3).sum().backward()
    return seen, x.grad


@program
def post_accumulate_comes_early(t):
    x, first, second = leaf(t, 3), leaf(t, 3), leaf(t, 3)
    seen = []
    for name, w in (("first", first), ("second", second)):
        def step(p, name=name):
            seen.append((name, p.grad.clone(), first.grad is None))
            with t.no_grad():
                p.sub_(p.grad)
            p.grad = None
        w.register_post_accumulate_grad_hook(step)
    h = x * first
    h.register_hook(lambda g: seen.append("h"))
    k = (h * second).exp() + second
    k.register_hook(lambda g: seen.append("k"))
    k.sum().backward()
    return seen, first, second, x.grad


@program
def multi_hook_all(t):
    x, y, z = leaf(t, 2), leaf(t, 2), leaf(t, 2)
    seen = []
    handle = t.autograd.graph.register_multi_grad_hook((x, y, z), lambda grads: seen.append([g is None for g in grads]))
    (x * y * z).sum().backward()
    (x * z).sum().backward()
    handle.remove()
    (x * z).sum().backward()
    return seen


@program
def multi_hook_any(t):
    x, y = leaf(t, 2), leaf(t, 2)
    seen = []
    t.autograd.graph.register_multi_grad_hook((x, y), lambda g: seen.append(g), mode="any")
    (x * 2 + y * 2).sum().backward()
    (y * 2).sum().backward()
    return seen


# saved tensors

@program
def saved_hooks(t):
    x = leaf(t, 3)
    count = []

    def pack(v):
        count.append("pack")
        return v.clone() * 2

    def unpack(v):
        count.append("unpack")
        return v / 2
    with t.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = t.exp(x * x)
    y.sum().backward()
    return x.grad, count


@program
def saved_hooks_second_order(t):
    x = leaf(t, 3)
    with t.autograd.graph.saved_tensors_hooks(lambda v: v.detach().numpy().copy(), lambda v: t.tensor(v)):
        y = t.exp(x * x)
        g, = t.autograd.grad(y.sum(), x, create_graph=True)
    g.sum().backward()
    return g, x.grad


@program
def saved_hooks_refused(t):
    with t.autograd.graph.disable_saved_tensors_hooks("not here"), t.autograd.graph.save_on_cpu():
        pass


@program
def mutation_allowed(t):
    x = leaf(t, 3)
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 2
        y = h * h
        h.add_(1)
        (y + h).sum().backward()
    return x.grad


@program
def version_incremented(t):
    x = leaf(t, 3)
    h = x * 2
    y = (h * h).sum()
    t.autograd.graph.increment_version(h)
    y.backward()


@program
def gradient_edges(t):
    x = leaf(t, 3)
    h = x * 2
    y = (h * h).sum()
    edge = t.autograd.graph.get_gradient_edge(h)
    first = t.autograd.grad(t.autograd.graph.get_gradient_edge(y), edge, t.tensor(1.), retain_graph=True)
    return first, t.autograd.grad(y, t.autograd.graph.get_gradient_edge(x)), edge.output_nr


@program
def names_of_nodes(t):
    x = leaf(t, 3)
    h = x * 2
    return h.grad_fn.name(), isinstance(h.grad_fn, t.autograd.graph.Node), h.output_nr


# in place

@program
def leaf_in_place(t):
    leaf(t, 3).add_(1)


@program
def leaf_view_in_place(t):
    leaf(t, 3)[0].add_(1)


@program
def leaf_set_item(t):
    leaf(t, 3)[0] = 1.


@program
def leaf_in_place_no_grad(t):
    x = leaf(t, 3)
    with t.no_grad():
        x.add_(1)
    (x * x).sum().backward()
    return x.grad, x._version


@program
def saved_overwritten(t):
    x = leaf(t, 3)
    h = x * 2
    y = (h * h).sum()
    h.add_(1)
    y.backward()


@program
def saved_by_view_overwritten(t):
    x = leaf(t, 3)
    h = x * 2
    y = (h[1:] * h[1:]).sum()
    h[0] = 5.
    y.backward()


@program
def sum_then_write(t):
    x = leaf(t, 3)
    h = x * 2
    y = h.sum() + h.reshape(3, 1).expand(3, 2).sum() + h[None].sum()
    h.add_(1)
    y.backward()
    return x.grad


@program
def in_place_chain(t):
    x, w = leaf(t, 3), leaf(t, 3, start=2.)
    h = x * 1
    h.mul_(2).add_(w).mul_(w)
    h.sub_(x)
    h.sum().backward()
    return x.grad, w.grad, h._version


@program
def in_place_by_itself(t):
    x = leaf(t, 3)
    h = x * 1
    h.add_(h)
    h.sum().backward()
    return h, x.grad


@program
def augmented(t):
    x = leaf(t, 3)
    h = x * 1
    h += 1
    h *= 3
    h -= x
    h /= 2
    h.sum().backward()
    return h, x.grad


@program
def unary_in_place(t):
    x = leaf(t, 3)
    h = x * 1
    h.neg_()
    h.exp_()
    h.sum().backward()
    return h, x.grad


@program
def set_column(t):
    x, y = leaf(t, 3, 4), leaf(t, 3, start=-1.)
    h = x * 2
    h[:, 0] = y
    (h * h).sum().backward()
    return x.grad, y.grad


@program
def set_column_of_constant(t):
    y = leaf(t, 3, start=-1.)
    h = t.zeros(3, 4)
    before = h.requires_grad
    h[:, 1] = y * 2
    v = h[0]
    (v * v).sum().backward()
    return y.grad, before, h.requires_grad, h.is_leaf


@program
def view_then_base(t):
    x = leaf(t, 4)
    h = x * 1
    v = h[1:]
    v.mul_(2)
    (h * h).sum().backward()
    return x.grad, h, v


@program
def base_then_view(t):
    x = leaf(t, 4)
    h = x * 1
    v = h[1:]
    h.mul_(3)
    (v * v).sum().backward()
    return x.grad, v


@program
def chains_of_views(t):
    x = leaf(t, 2, 3, 2)
    h = x * 1
    a = h.transpose(0, 1)
    b = a[1]
    c = b.reshape(-1) if b.is_contiguous() else b[:, 0]
    c.mul_(x[0, 0, 0] * 2)
    b.add_(1)
    a[0].mul_(3)
    (h * h).sum().backward()
    return x.grad, h, a, b, c


@program
def two_views(t):
    x = leaf(t, 6)
    h = x * 1
    a, b = h[:4], h[2:]
    a.mul_(2)
    b.mul_(3)
    a.add_(x[0])
    ((a * a).sum() + (b * 2).sum() + h.sum()).backward()
    return x.grad, a, b, h


@program
def view_of_constant_written(t):
    x = leaf(t, 2)
    z = t.zeros(4)
    v = z[1:3]
    w = z.view(2, 2)
    v.copy_(x)
    (w * w).sum().backward()
    return x.grad, z.requires_grad, w.requires_grad


@program
def diagonal_written(t):
    x = leaf(t, 3)
    z = t.zeros(3, 3)
    z.diagonal().copy_(x)
    (z @ z).sum().backward()
    return x.grad


@program
def write_second_order(t):
    x, y = leaf(t, 4), leaf(t, 2)
    h = x * x
    h[1:3] = y * y * x[0]
    g = t.autograd.grad((h * h * h).sum(), (x, y), create_graph=True)
    return g, t.autograd.grad(g[0].sum() + (g[1] * g[1]).sum(), (x, y))


@program
def multi_view_written(t):
    h = leaf(t, 4) * 1
    a, b = h.chunk(2)
    a.mul_(2)


@program
def view_of_multi_view_written(t):
    h = leaf(t, 4) * 1
    a, b = h.chunk(2)
    a[0:1].mul_(2)


@program
def multi_view_without_grad_written(t):
    h = t.ones(4)
    a, b = h.chunk(2)
    a.mul_(2)
    return h


@program
def no_grad_view_written(t):
    h = leaf(t, 4) * 1
    with t.no_grad():
        v = h[:2]
    v.mul_(2)


@program
def expanded_written(t):
    t.ones(1).expand(3).add_(1)


@program
def zeroed(t):
    x = leaf(t, 4)
    h = x * 1
    h.zero_()
    k = x * 1
    k[:2].zero_()
    j = x * 1
    j.fill_(3)
    (h + k + j).sum().backward()
    return h.requires_grad, k.requires_grad, x.grad


@program
def random_written(t):
    x = leaf(t, 4)
    h = x * 1
    h[:2].normal_()
    h.sum().backward()
    return x.grad, h.requires_grad


@program
def masked_write(t):
    x = leaf(t, 4)
    h = x * 1
    h[h > 1.3] = 0.
    h.masked_fill_(x < 1.1, 2.)
    (h * x).sum().backward()
    return x.grad, h


@program
def in_place_type(t):
    t.ones(3, dtype=t.int64).add_(1.5)


@program
def in_place_shape(t):
    t.ones(3).add_(t.ones(2, 3))


@program
def in_place_promotes_grad(t):
    x = leaf(t, 3)
    h = t.zeros(3, dtype=t.float64)
    h.add_(x)
    h.sum().backward()
    return x.grad


@program
def leaf_view_requires(t):
    z = t.zeros(4)
    v = z[:2]
    v.requires_grad_()
    (v * 2).sum().backward()
    return v.grad, v.is_leaf, z.requires_grad


@program
def relu_in_place(t):
    x = leaf(t, 4, start=-0.6)
    h = x * 1
    t.relu_(h)
    h.sum().backward()
    return x.grad


# grad modes

@program
def modes(t):
    x = leaf(t, 3)
    flags = []
    with t.no_grad():
        flags.append((x * 2).requires_grad)
        with t.enable_grad():
            flags.append((x * 2).requires_grad)
        flags.append(t.is_grad_enabled())
    with t.set_grad_enabled(False):
        flags.append((x * 2).requires_grad)
    t.set_grad_enabled(False)
    flags.append((x * 2).requires_grad)
    t.set_grad_enabled(True)
    flags.append((x * 2).requires_grad)

    @t.no_grad()
    def f():
        return (x * 2).requires_grad

    @t.no_grad
    def g():
        return (x * 2).requires_grad

    @t.set_grad_enabled(False)
    def h():
        return (x * 2).requires_grad
    flags += [f(), g(), h(), t.is_grad_enabled()]
    return flags


@program
def generator_modes(t):
    x = leaf(t, 3)
    flags = []

    @t.no_grad()
    def numbers():
        got = yield (x * 2).requires_grad
        flags.append(got)
        try:
            yield (x * 2).requires_grad
        except ValueError:
            yield (x * 2).requires_grad
        return 5

    it = numbers()
    flags.append(next(it))
    flags.append(t.is_grad_enabled())
    flags.append(it.send("sent"))
    flags.append(it.throw(ValueError()))
    try:
        next(it)
    except StopIteration as stop:
        flags.append(stop.value)
    flags.append(t.is_grad_enabled())
    return flags


@program
def inference(t):
    x = leaf(t, 3)
    with t.inference_mode():
        y = x * 2
        flags = [y.requires_grad, y.is_inference(), t.is_inference_mode_enabled(), t.is_grad_enabled()]
    return flags, x.is_inference(), y.is_inference(), (y + 1).requires_grad


@program
def inference_tensor_written(t):
    with t.inference_mode():
        y = t.ones(3)
        y.add_(1)
    y.add_(1)


@program
def inference_tensor_flag(t):
    with t.inference_mode():
        y = t.ones(3)
    y.requires_grad_()


@program
def backward_inside_no_grad(t):
    x = leaf(t, 3)
    y = (x * x).sum()
    with t.no_grad():
        y.backward()
    return x.grad, x.grad.requires_grad


@program
def anomaly_names_node(t):
    x = t.tensor([0.], requires_grad=True)
    with t.autograd.set_detect_anomaly(True):
        (t.sqrt(x) * 0).sum().backward()


@program
def several_outputs(t):
    x = leaf(t, 3, 2)
    values, indices = x.max(0)
    a, b, c = x.unbind(0)
    (values.sum() * 2 + b.sum() * 3).backward()
    return x.grad, indices.requires_grad, values.requires_grad


@program
def unused_output(t):
    x = leaf(t, 4)
    values, indices = t.sort(x, descending=True)
    first, second = x.split(2)
    return t.autograd.grad((values * t.tensor([1., 2., 3., 4.])).sum() + second.sum(), x)


# functions of functions

@program
def jacobians(t):
    x, w = leaf(t, 2), leaf(t, 3)
    f = t.autograd.functional
    return (f.jacobian(lambda a: a * a, x.detach()), f.jacobian(lambda a, b: (a.sum() * b, a * 2),
                                                                (x.detach(), w.detach())),
            f.jacobian(lambda a, b: a * 3, (x.detach(), w.detach())), f.jacobian(lambda a: (a * a).sum(), x.detach(),
                                                                                 vectorize=True))


@program
def jacobian_graph(t):
    x = leaf(t, 2)
    j = t.autograd.functional.jacobian(lambda a: a * a * a, x, create_graph=True)
    j.sum().backward()
    return j, x.grad


@program
def hessians(t):
    x, w = leaf(t, 2), leaf(t, 2)
    f = t.autograd.functional
    return (f.hessian(lambda a: (a ** 3).sum(), x.detach()), f.hessian(lambda a, b: (a * a * b).sum(),
                                                                       (x.detach(), w.detach())),
            f.hessian(lambda a: (a * 2).sum(), x.detach()))


@program
def products(t):
    x = leaf(t, 3)
    v = t.tensor([1., 2., 3.])
    f = t.autograd.functional
    return (f.vjp(lambda a: a * a, x.detach(), v), f.jvp(lambda a: a * a, x.detach(), v),
            f.vhp(lambda a: (a ** 3).sum(), x.detach(), v), f.hvp(lambda a: (a ** 3).sum(), x.detach(), v),
            f.vjp(lambda a: a.sum(), x.detach()))


@program
def product_graph(t):
    x = leaf(t, 3)
    v = t.tensor([1., 2., 3.])
    out, j = t.autograd.functional.jvp(lambda a: a ** 3, x, v, create_graph=True)
    (j.sum() + out.sum()).backward()
    return x.grad


@program
def strict_independent(t):
    x, w = leaf(t, 2), leaf(t, 2)
    t.autograd.functional.jacobian(lambda a, b: a * 2, (x, w), strict=True)


@program
def vector_missing(t):
    t.autograd.functional.vjp(lambda a: a * 2, leaf(t, 2))


@program
def vector_shape(t):
    t.autograd.functional.vjp(lambda a: a * 2, leaf(t, 2), t.ones(3))


@program
def hessian_not_scalar(t):
    t.autograd.functional.hessian(lambda a: a * 2, leaf(t, 2))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("p", PROGRAMS, ids=lambda p: p.__name__)
def test_like_torch(p):
    ours, theirs = outcome(p, weft), outcome(p, torch)
    assert same(ours, theirs), f"\nweft:  {ours}\ntorch: {theirs}"
    gc.collect()
