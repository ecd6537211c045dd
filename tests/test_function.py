"""autograd.Function: saving, several outputs, in place, views, its errors, no cycles."""
import gc
import weakref

import numpy as np
import pytest
from cycles import leaves_cycles

import weft
from weft.autograd import Function, gradcheck, gradgradcheck
from weft.autograd.function import once_differentiable


def leaf(values=(1., 2., 3.)):
    return weft.tensor(list(values), dtype=weft.float64, requires_grad=True)


class Exp(Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * ctx.saved_tensors[0]


class Scale(Function):
    """Takes numbers, and keeps them under names that a node has too."""

    @staticmethod
    def forward(ctx, x, factor, *, note=None):
        ctx.op, ctx.module, ctx.parents, ctx.saved, ctx.extra, ctx.line = factor, 1, 2, 3, 4, 5
        return x * factor

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * ctx.op, None


class Double(Function):
    """In place."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * 2


class Two(Function):
    """The new style, two outputs and a constant one."""

    @staticmethod
    def forward(x, y, k=2):
        return x * y, x + y * k, (x > y).long()

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, ctx.k = inputs
        ctx.save_for_backward(x, y)
        ctx.mark_non_differentiable(output[2])

    @staticmethod
    def backward(ctx, g, h, unused):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h * ctx.k, None


def test_derivatives_of_all_orders():
    x = leaf()
    assert gradcheck(Exp.apply, (x,)) and gradgradcheck(Exp.apply, (x,))
    assert gradcheck(lambda x: Scale.apply(x, 3, note="a"), (x,))
    y = leaf([0.5, 5., 1.])
    assert (gradcheck(lambda x, y: Two.apply(x, y)[:2], (x, y)) and gradgradcheck(lambda x,
                                                                                  y: Two.apply(x, y, k=5)[:2], (x, y)))


def test_names_and_attributes():
    y = Exp.apply(leaf())
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "ExpBackward"
    assert len(y.grad_fn.saved_tensors) == 1 and y.grad_fn.needs_input_grad == (True,)
    assert "test_function.py" in y.grad_fn.line


def test_dirty_through_a_view():
    x = leaf()
    h = x * 1
    assert Double.apply(h) is h
    Double.apply(h[:2])
    (h * h).sum().backward()
    factor = np.array([4., 4., 2.])
    assert np.allclose(x.grad._array, 2 * factor ** 2 * x._array)


def test_input_that_comes_back_is_a_view_that_must_not_be_written():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad_out):
            return grad_out * 5
    h = leaf() * 1
    y = Same.apply(h)
    assert y is not h and y._array is h._array
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        y.mul_(2)
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        y[:1].mul_(2)
    g, = weft.autograd.grad(y.sum(), h)
    assert np.array_equal(g._array, [5, 5, 5])
    h.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        y.sum()


def test_view_of_an_intermediate_may_be_written():
    class Flat(Function):
        @staticmethod
        def forward(ctx, x):
            return (x * 2).reshape(-1)

        @staticmethod
        def backward(ctx, grad_out):
            return grad_out * 2
    x = leaf()
    y = Flat.apply(x)
    y.mul_(3)
    y.sum().backward()
    assert np.array_equal(x.grad._array, [6, 6, 6])


def make(backward, forward=lambda ctx, *args: args[0] * 2):
    return type("Mine", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


WRONG = [
    (lambda ctx, g: (g, g), (), "incorrect number of gradients .expected 1, got 2"),
    (lambda ctx, g: g, (2,), "incorrect number of gradients .expected 2, got 1"),
    (lambda ctx, g: (g, g), (2,), "position 2, but the corresponding forward input was not a Variable"),
    (lambda ctx, g: weft.ones(5), (),
     r"invalid gradient at index 0 - got \[5\] but expected shape compatible with \[3\]"),
    (lambda ctx, g: 3, (), "expected Variable or None .got int."),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_gradients(number):
    backward, more, text = WRONG[number]
    made = make(backward).apply(leaf(), *more)
    with pytest.raises(RuntimeError, match=text) as error:
        made.sum().backward()
    assert "made = make(backward).apply(leaf(), *more)" in str(error.value)


def test_wrong_use():
    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 0 is of type int"):
        make(None, lambda ctx, x: ctx.save_for_backward(3)).apply(leaf())
    with pytest.raises(RuntimeError, match="marked as dirty during the forward method were not returned"):
        make(None, lambda ctx, x: (ctx.mark_dirty(x), x * 2)[1]).apply(leaf() * 1)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Double.apply(leaf())
    with pytest.warns(DeprecationWarning, match="apply"), pytest.raises(RuntimeError, match="static"):
        Exp()(leaf())
    with pytest.raises(NotImplementedError, match="forward"):
        type("Mine", (Function,), {}).apply(leaf())
    with pytest.raises(NotImplementedError, match="backward"):
        type("Mine", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)}).apply(leaf()).sum().backward()


def test_saved_value_overwritten_names_both_lines():
    y = Exp.apply(leaf())
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        y.sum().backward()
    assert "y = Exp.apply(leaf())" in str(error.value) and "y.add_(1)" in str(error.value)


def test_second_backward():
    y = Exp.apply(leaf()).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def test_gradients_not_asked_for():
    seen = []
    F = make(lambda ctx, g, h: seen.append((g, h)) or h, lambda ctx,
             x: (ctx.set_materialize_grads(False), (x * 2, x * 3))[1])
    F.apply(leaf())[1].sum().backward()
    assert seen[0][0] is None
    x, y = leaf(), leaf()
    p, q, constant = Two.apply(x, y)
    assert not constant.requires_grad
    q.sum().backward()
    assert np.array_equal(y.grad._array, [2, 2, 2])


def test_once_differentiable_refuses_a_second_derivative():
    F = make(once_differentiable(lambda ctx, g: 2 * g * ctx.saved_tensors[0]),
             lambda ctx, x: (ctx.save_for_backward(x), x * x)[1])
    x, w = leaf(), leaf()
    g, = weft.autograd.grad((F.apply(x) * w).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        g.sum().backward()


def test_a_gradient_that_somebody_holds_is_not_changed():
    kept = weft.ones(3, dtype=weft.float64)
    F = make(lambda ctx, g: kept)
    x = leaf()
    F.apply(x).sum().backward()
    (x * 5).sum().backward()
    assert np.array_equal(kept._array, [1, 1, 1]) and np.array_equal(x.grad._array, [6, 6, 6])


@pytest.mark.parametrize("function", [Exp.apply, Double.apply, lambda x: Two.apply(x, x)[0],
                                      lambda x: Double.apply(x[:2])],
                         ids=["saves output", "dirty", "two", "dirty view"])
@pytest.mark.parametrize("backward", [True, False])
def test_no_reference_cycles(function, backward):
    x = leaf()

    def step():
        y = function(x * 1)
        gone = weakref.ref(y.grad_fn)
        if backward:
            y.sum().backward()
        del y
        return gone
    assert not leaves_cycles(step)
    gc.disable()
    try:
        assert step()() is None
    finally:
        gc.enable()


def test_a_long_chain_is_freed():
    y = leaf()
    for _ in range(20_000):
        y = Scale.apply(y, 1.0)
    y.sum().backward()
    del y


# faults that PyTorch's own tests found

class ScaledSum(Function):
    @staticmethod
    def forward(ctx, x, y, scale=1.0):
        ctx.scale = scale
        return x + y * scale

    @staticmethod
    def backward(ctx, g):
        return g, g * ctx.scale, None


def test_tensors_given_by_name_have_gradients():
    x, y = leaf(), leaf()
    ScaledSum.apply(y=y, x=x, scale=3.0).sum().backward()
    assert x.grad.tolist() == [1, 1, 1] and y.grad.tolist() == [3, 3, 3]


def test_an_output_returned_twice_is_one_tensor():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            return y, y

        @staticmethod
        def backward(ctx, g, h):
            return (g + h) * 2

    def both(x):
        a, b = Twice.apply(x)
        assert a is b
        return a + b
    assert gradcheck(both, (leaf(),)) and gradgradcheck(both, (leaf(),))


def test_boxed_gradients_come_as_one_list():
    class Boxed(Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, grads):
            g, h = grads
            grads.clear()
            return g * 2 + h * 3
    x = leaf()
    a, b = Boxed.apply(x)
    (a + b).sum().backward()
    assert x.grad.tolist() == [5, 5, 5]


def test_a_pack_hook_may_not_write():
    def spoil(t):
        t += 1
        return t
    with weft.autograd.graph.saved_tensors_hooks(spoil, lambda t: t), pytest.raises(RuntimeError,
                                                                                    match="modifying its input in "
                                                                                    "place"):
        Exp.apply(leaf())
