"""autograd.Function: the same programs on weft and on PyTorch."""
import pytest
from test_autograd_torch import leaf, outcome, same

import weft

torch = pytest.importorskip("torch")

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def make(t, forward, backward, setup=None):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if setup is not None:
        body["setup_context"] = staticmethod(setup)
    return type("Mine", (t.autograd.Function,), body)


def exponential(t):
    def forward(ctx, x):
        y = t.exp(x)
        ctx.save_for_backward(x, y, None)
        return y

    def backward(ctx, g):
        x, y, nothing = ctx.saved_tensors
        return g * y
    return make(t, forward, backward)


@program
def saves_output(t):
    x = leaf(t, 3)
    y = exponential(t).apply(x)
    first, = t.autograd.grad(y.sum(), x, create_graph=True)
    second, = t.autograd.grad(first.sum(), x, create_graph=True)
    third, = t.autograd.grad(second.sum(), x)
    return y, first, second, third, y.grad_fn.name(), y.requires_grad


@program
def second_backward(t):
    y = exponential(t).apply(leaf(t, 3)).sum()
    y.backward()
    y.backward()


@program
def saved_read_after_backward(t):
    y = exponential(t).apply(leaf(t, 3))
    y.sum().backward()
    y.grad_fn.saved_tensors


@program
def saved_output_overwritten(t):
    y = exponential(t).apply(leaf(t, 3))
    y.add_(1)
    y.sum().backward()


@program
def saved_input_overwritten(t):
    h = leaf(t, 3) * 1
    F = make(t, lambda ctx, x: (ctx.save_for_backward(x), x * x)[1], lambda ctx, g: 2 * g * ctx.saved_tensors[0])
    y = F.apply(h)
    h.add_(1)
    y.sum().backward()


@program
def ctx_attributes(t):
    def forward(ctx, x, scale, name="a"):
        ctx.scale, ctx.op, ctx.module, ctx.saved, ctx.parents = scale, name, 1, 2, 3
        return x * scale

    def backward(ctx, g):
        return g * ctx.scale, None, None
    x = leaf(t, 3)
    y = make(t, forward, backward).apply(x, 4, "b")
    y.sum().backward()
    return x.grad, y.grad_fn.scale, y.grad_fn.needs_input_grad


@program
def keyword(t):
    F = make(t, lambda ctx, x, k=2: (setattr(ctx, "k", k), x * k)[1], lambda ctx, g: (g * ctx.k, None))
    x = leaf(t, 3)
    F.apply(x, k=5).sum().backward()
    return x.grad


@program
def needs(t):
    seen = []

    def backward(ctx, g):
        seen.append(list(ctx.needs_input_grad))
        return g, None, None
    F = make(t, lambda ctx, x, y, k: x * y * k, backward)
    F.apply(leaf(t, 3), t.ones(3), 2).sum().backward()
    return seen


@program
def two_steps(t):
    def setup(ctx, inputs, output):
        x, k = inputs
        ctx.k = k
        ctx.save_for_backward(x, output)
    F = make(t, lambda x, k=3: x * x * k, lambda ctx, g: (2 * g * ctx.saved_tensors[0] * ctx.k, None), setup)
    x = leaf(t, 3)
    g, = t.autograd.grad(F.apply(x, k=2).sum() + F.apply(x).sum(), x, create_graph=True)
    return g, t.autograd.grad(g.sum(), x)


@program
def several_outputs(t):
    def forward(ctx, x, y):
        return x * y, 3, x + y, "text", None

    def backward(ctx, g, a, h, b, c):
        return g * 2 + h, h * 3
    x, y = leaf(t, 3), leaf(t, 3)
    p, number, q, text, nothing = make(t, forward, backward).apply(x, y)
    (p.sum() + q.sum() * 5).backward()
    return x.grad, y.grad, number, text, nothing, q.output_nr


@program
def unused_outputs_are_zeros(t):
    seen = []

    def backward(ctx, g, h):
        seen.append([None if v is None else v for v in (g, h)])
        return g
    F = make(t, lambda ctx, x: (x * 2, x * 3), backward)
    F.apply(leaf(t, 3))[0].sum().backward()
    return seen


@program
def unused_outputs_are_none(t):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx, g, h):
        seen.append([g is None, h is None])
        return h
    x = leaf(t, 3)
    make(t, forward, backward).apply(x)[1].sum().backward()
    return seen, x.grad


@program
def constants_among_outputs(t):
    def forward(ctx, x):
        a, i, b = x * 2, (x > 1).long(), x * 3
        ctx.mark_non_differentiable(b)
        return a, i, b
    x = leaf(t, 3)
    a, i, b = make(t, forward, lambda ctx, g, h, k: g * 2).apply(x)
    a.sum().backward()
    return a.requires_grad, i.requires_grad, b.requires_grad, x.grad


@program
def list_output_is_not_tied(t):
    F = make(t, lambda ctx, x: [x * 2], lambda ctx, g: g)
    out = F.apply(leaf(t, 3))
    return isinstance(out, list), out[0].requires_grad


@program
def no_grad_inside(t):
    seen = []

    def forward(ctx, x):
        seen.append(t.is_grad_enabled())
        seen.append((x * 2).requires_grad)
        return x * 2

    def backward(ctx, g):
        seen.append(t.is_grad_enabled())
        return g
    x = leaf(t, 3)
    F = make(t, forward, backward)
    F.apply(x).sum().backward()
    t.autograd.grad(F.apply(x).sum(), x, create_graph=True)
    with t.no_grad():
        seen.append(F.apply(x).requires_grad)
    seen.append(F.apply(x.detach()).requires_grad)
    return seen


@program
def graph_inside(t):
    def forward(ctx, x):
        with t.enable_grad():
            own = x.detach().requires_grad_()
            out = (own * own).sum()
        ctx.own, ctx.out = own, out
        return out.detach()

    def backward(ctx, g):
        ctx.out.backward(g)
        return ctx.own.grad
    x = leaf(t, 3)
    (make(t, forward, backward).apply(x * 2) * 3).backward()
    return x.grad


@program
def input_returned(t):
    x = leaf(t, 3)
    y = make(t, lambda ctx, x: x, lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    return x.grad, y is x


@program
def input_returned_written(t):
    h = leaf(t, 3) * 1
    make(t, lambda ctx, x: x, lambda ctx, g: g * 2).apply(h).mul_(2)


@program
def view_returned(t):
    h = leaf(t, 3) * 1
    y = make(t, lambda ctx, x: x[:2], lambda ctx, g: t.cat([g * 3, g[:1] * 0])).apply(h)
    y.sum().backward()
    return y


@program
def view_returned_written(t):
    h = leaf(t, 3) * 1
    make(t, lambda ctx, x: x[:2], lambda ctx, g: g).apply(h).mul_(2)


@program
def view_of_view_returned_written(t):
    h = leaf(t, 3) * 1
    make(t, lambda ctx, x: x[:2], lambda ctx, g: g).apply(h)[:1].mul_(2)


@program
def view_returned_base_written(t):
    h = leaf(t, 3) * 1
    y = make(t, lambda ctx, x: x[:2], lambda ctx, g: g).apply(h)
    h.mul_(2)
    y.sum().backward()


def in_place(t):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x
    return make(t, forward, lambda ctx, g: g * 20)


@program
def dirty(t):
    x = leaf(t, 3)
    h = x * 1
    y = in_place(t).apply(h)
    (y * y).sum().backward()
    return x.grad, y is h, h, y.grad_fn.name()


@program
def dirty_leaf(t):
    in_place(t).apply(leaf(t, 3))


@program
def dirty_view_of_leaf(t):
    in_place(t).apply(leaf(t, 3)[:2])


@program
def dirty_view(t):
    x = leaf(t, 3)
    h = x * 1
    in_place(t).apply(h[:2])
    (h * h).sum().backward()
    return x.grad, h


@program
def dirty_constant(t):
    c = t.ones(3)
    y = in_place(t).apply(c)
    return y, y is c, y.requires_grad


@program
def dirty_not_returned(t):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2
    make(t, forward, lambda ctx, g: g).apply(leaf(t, 3) * 1)


@program
def too_many_gradients(t):
    make(t, lambda ctx, x: x * 2, lambda ctx, g: (g, g)).apply(leaf(t, 3)).sum().backward()


@program
def too_many_but_none(t):
    x = leaf(t, 3)
    make(t, lambda ctx, x: x * 2, lambda ctx, g: (g, None, None)).apply(x).sum().backward()
    return x.grad


@program
def too_few_gradients(t):
    make(t, lambda ctx, x, y: x * 2, lambda ctx, g: g).apply(leaf(t, 3), 2).sum().backward()


@program
def gradient_for_number(t):
    make(t, lambda ctx, x, y: x * 2, lambda ctx, g: (g, g)).apply(leaf(t, 3), 2).sum().backward()


@program
def gradient_for_constant(t):
    x = leaf(t, 3)
    make(t, lambda ctx, x, y: x * 2, lambda ctx, g: (g, g)).apply(x, t.ones(3)).sum().backward()
    return x.grad


@program
def wrong_shape(t):
    make(t, lambda ctx, x: x * 2, lambda ctx, g: t.ones(5)).apply(leaf(t, 3)).sum().backward()


@program
def broadcast_shape(t):
    x = leaf(t, 3)
    make(t, lambda ctx, x: x * 2, lambda ctx, g: t.ones(2, 3)).apply(x).sum().backward()
    return x.grad


@program
def too_small_shape(t):
    make(t, lambda ctx, x: x * 2, lambda ctx, g: t.ones(1)).apply(leaf(t, 3)).sum().backward()


@program
def other_dtype(t):
    x = leaf(t, 3)
    make(t, lambda ctx, x: x * 2, lambda ctx, g: g.double()).apply(x).sum().backward()
    return x.grad


@program
def not_a_tensor(t):
    make(t, lambda ctx, x: x * 2, lambda ctx, g: 3).apply(leaf(t, 3)).sum().backward()


@program
def none_gradient(t):
    x = leaf(t, 3)
    make(t, lambda ctx, x: x * 2, lambda ctx, g: None).apply(x).sum().backward()
    return x.grad


@program
def saves_number(t):
    make(t, lambda ctx, x: (ctx.save_for_backward(3), x)[1], lambda ctx, g: g).apply(leaf(t, 3))


@program
def no_backward(t):
    F = type("Mine", (t.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    F.apply(leaf(t, 3)).sum().backward()


@program
def no_forward(t):
    type("Mine", (t.autograd.Function,), {}).apply(leaf(t, 3))


@program
def called_like_a_module(t):
    exponential(t)()(leaf(t, 3))


@program
def held_gradient_stays(t):
    kept = t.ones(3)
    F = make(t, lambda ctx, x: x * 2, lambda ctx, g: kept)
    x = leaf(t, 3)
    F.apply(x).sum().backward()
    (x * 5).sum().backward()
    return kept, x.grad


@program
def two_leaves_one_gradient(t):
    F = make(t, lambda ctx, x, y: x + y, lambda ctx, g: (g, g))
    x, y = leaf(t, 3), leaf(t, 3)
    F.apply(x, y).backward(t.ones(3))
    x.grad.mul_(7)
    return x.grad, y.grad


@program
def once(t):
    from importlib import import_module
    once_differentiable = import_module(t.__name__ + ".autograd.function").once_differentiable
    F = make(t, lambda ctx, x: (ctx.save_for_backward(x), x * x)[1],
             once_differentiable(lambda ctx, g: 2 * g * ctx.saved_tensors[0]))
    x, w = leaf(t, 3), leaf(t, 3)
    g, = t.autograd.grad((F.apply(x) * w).sum(), x, create_graph=True)
    first = t.autograd.grad((g * 1).sum() + w.sum(), w, allow_unused=True) if not g.requires_grad else None
    return first, g


@program
def once_twice(t):
    from importlib import import_module
    once_differentiable = import_module(t.__name__ + ".autograd.function").once_differentiable
    F = make(t, lambda ctx, x: (ctx.save_for_backward(x), x * x)[1],
             once_differentiable(lambda ctx, g: 2 * g * ctx.saved_tensors[0]))
    x, w = leaf(t, 3), leaf(t, 3)
    g, = t.autograd.grad((F.apply(x) * w).sum(), x, create_graph=True)
    g.sum().backward()


@program
def saved_hooks(t):
    seen = []
    x = leaf(t, 3)
    with t.autograd.graph.saved_tensors_hooks(lambda v: (seen.append("pack"), v * 2)[1],
                                              lambda v: (seen.append("unpack"), v / 2)[1]):
        y = exponential(t).apply(x)
    g, = t.autograd.grad(y.sum(), x, create_graph=True)
    return seen, g, t.autograd.grad(g.sum(), x)


@program
def variable(t):
    v = t.autograd.Variable(t.ones(3), requires_grad=True)
    (v * 2).sum().backward()
    return v.grad, isinstance(v, t.autograd.Variable), isinstance(t.ones(1), t.autograd.Variable)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("p", PROGRAMS, ids=lambda p: p.__name__)
def test_function_like_torch(p):
    ours, theirs = outcome(p, weft), outcome(p, torch)
    assert same(ours, theirs), f"\nweft:  {ours}\ntorch: {theirs}"
