"""Derivatives of functions: jacobian, hessian, and products with them."""
import numpy as np

from weft.autograd.api import grad as _grad
from weft.autograd.function import Function
from weft.core.modes import enable_grad, is_grad_enabled, set_grad_enabled
from weft.tensor.tensor import Tensor, wrap

__all__ = ["vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"]


class _Stack(Function):
    """Tensors of one shape as the rows of one tensor."""

    @staticmethod
    def forward(ctx, *rows):
        return wrap(np.stack([row._array for row in rows]))

    @staticmethod
    def backward(ctx, grad_out):
        return tuple(grad_out[i] if need else None for i, need in enumerate(ctx.needs_input_grad))


def stack(rows):
    """Tensors of one shape as the rows of one tensor."""
    return _Stack.apply(*rows)


# what goes in and comes out

def _as_tuple(values, what, who):
    if isinstance(values, Tensor):
        return False, (values,)
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"The {what} given to {who} must be either a Tensor or a tuple of Tensors but the given {what} "
                        f"has type {type(values).__name__}.")
    for i, t in enumerate(values):
        if not isinstance(t, Tensor):
            raise TypeError(f"The {what} given to {who} must be either a Tensor or a tuple of Tensors but the value at "
                            f"index {i} has type {type(t).__name__}.")
    return True, tuple(values)


def _own_inputs(inputs, create_graph):
    """Copies to differentiate by; tied to the originals when the result shall be differentiable itself."""
    if create_graph:
        return tuple(t.view_as(t) if t.requires_grad else t.detach().requires_grad_() for t in inputs)
    return tuple(t.detach().requires_grad_() for t in inputs)


def _result(values, is_tuple, create_graph):
    if not create_graph:
        values = tuple(_detached(v) for v in values)
    return tuple(values) if is_tuple else values[0]


def _detached(v):
    return tuple(_detached(e) for e in v) if isinstance(v, tuple) else v.detach()


def _zeros(t, like=None):
    like = t if like is None else like
    return wrap(np.zeros(like._form.shape, t._form.dtype))


def _check_v(v, like, is_tuple, who):
    """The vector, of the same shapes as what it is multiplied with; None is 1 for a single element."""
    if v is None:
        if len(like) != 1 or like[0]._form.size != 1:
            raise RuntimeError(f"The vector v can only be None if {who} has a single element.")
        return (wrap(np.ones(like[0]._form.shape, like[0]._form.dtype)),)
    _, v = _as_tuple(v, "v", who)
    if len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (given, t) in enumerate(zip(v, like)):
        if given._form.shape != t._form.shape:
            raise RuntimeError(f"Entry {i} of v has invalid size: should be {t.shape} but got {given.shape}.")
    return v


def _need_graph(outputs, strict, what):
    if not strict:
        return
    for i, t in enumerate(outputs):
        if not t.requires_grad:
            raise RuntimeError(f"{what} {i} of the user-provided function does not require gradients. The outputs must "
                               f"be computed in a differentiable manner from the input when running in strict mode.")


def _gradients(outputs, inputs, vectors, create_graph, keep=None):
    """Gradients of those outputs that have a graph; None for inputs they don't depend on."""
    pairs = [(o, v) for o, v in zip(outputs, vectors) if o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return _grad([o for o, _ in pairs], inputs, [v for _, v in pairs], retain_graph=keep, create_graph=create_graph,
                 allow_unused=True)


def _filled(found, inputs, strict, what, create_graph=False):
    """Zeros where there is no dependence, which strict mode refuses."""
    filled = []
    for i, (g, t) in enumerate(zip(found, inputs)):
        if g is None and strict:
            raise RuntimeError(f"The {what} of the function is independent of input {i}. This is not allowed in strict "
                               f"mode.")
        if g is not None and strict and create_graph and not g.requires_grad:
            raise RuntimeError(f"The {what} of the user-provided function is independent of input {i}. This is not "
                               f"allowed in strict mode when create_graph=True.")
        filled.append(_zeros(t) if g is None else g)
    return tuple(filled)


# products

def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of `func`, and the product of `v` with its Jacobian.

    >>> import weft
    >>> weft.autograd.functional.vjp(lambda x: (x ** 2).sum(), weft.tensor([1.0, 2.0]))
    (tensor(5.), tensor([2., 4.]))
    """
    with enable_grad():
        in_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _own_inputs(inputs, create_graph)
        out_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        _need_graph(outputs, strict, "Output")
        v = _check_v(v, outputs, out_tuple, "the user-provided function returns a single Tensor that")
    with _mode(create_graph):
        found = _filled(_gradients(outputs, inputs, v, create_graph), inputs, strict, "vector Jacobian product",
                        create_graph)
    return _result(outputs, out_tuple, create_graph), _result(found, in_tuple, create_graph)


def _mode(create_graph):
    return set_grad_enabled(True if create_graph else is_grad_enabled())


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of `func`, and the product of its Jacobian with `v`, by differentiating a backward.

    >>> import weft
    >>> weft.autograd.functional.jvp(lambda x: x ** 2, weft.tensor([1.0, 2.0]), weft.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        in_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _own_inputs(inputs, create_graph)
        v = _check_v(v, inputs, in_tuple, "the input to the user-provided function is a single Tensor that")
        out_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        _need_graph(outputs, strict, "Output")
        weights = tuple(_zeros(o).requires_grad_() for o in outputs)     # the backward is linear in these
        first = _filled(_gradients(outputs, inputs, weights, True), inputs, strict, "Jacobian", True)
        found = _gradients(first, weights, v, create_graph)
        found = _filled(found, weights, strict, "Jacobian vector product", create_graph)
    return _result(outputs, out_tuple, create_graph), _result(found, out_tuple, create_graph)


def _scalar_output(func, inputs, who):
    out_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", who)
    if out_tuple or len(outputs) != 1:
        raise RuntimeError(f"The function given to {who} should return a single Tensor")
    if outputs[0]._form.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {who} should contain a single element")
    if outputs[0]._form.ndim:
        return outputs[0].reshape(())
    return outputs[0]


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of a scalar `func`, and the product of `v` with its Hessian.

    >>> import weft
    >>> weft.autograd.functional.vhp(lambda x: (x ** 3).sum(), weft.tensor([1.0, 2.0]), weft.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        in_tuple, inputs = _as_tuple(inputs, "inputs", "vhp")
        inputs = _own_inputs(inputs, create_graph)
        v = _check_v(v, inputs, in_tuple, "the input to the user-provided function is a single Tensor that")
        out = _scalar_output(func, inputs, "vhp")
        _need_graph((out,), strict, "Output")
        first = _filled(_gradients((out,), inputs, (wrap(np.ones((), out._form.dtype)),), True), inputs, strict,
                        "jacobian", True)
        found = _filled(_gradients(first, inputs, v, create_graph), inputs, strict, "vector Hessian product",
                        create_graph)
    return _result((out,), False, create_graph), _result(found, in_tuple, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of a scalar `func`, and the product of its Hessian with `v`; `vhp` is cheaper and, the Hessian being
    symmetric, equal.

    >>> import weft
    >>> weft.autograd.functional.hvp(lambda x: (x ** 3).sum(), weft.tensor([1.0, 2.0]), weft.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        in_tuple, inputs = _as_tuple(inputs, "inputs", "hvp")
        inputs = _own_inputs(inputs, create_graph)
        v = _check_v(v, inputs, in_tuple, "the input to the user-provided function is a single Tensor that")
        out = _scalar_output(func, inputs, "hvp")
        _need_graph((out,), strict, "Output")
        first = _filled(_gradients((out,), inputs, (wrap(np.ones((), out._form.dtype)),), True), inputs, strict,
                        "jacobian", True)
        weights = tuple(_zeros(t).requires_grad_() for t in inputs)
        second = _filled(_gradients(first, inputs, weights, True), inputs, strict, "Hessian", True)
        found = _filled(_gradients(second, weights, v, create_graph), weights, strict, "Hessian vector product",
                        create_graph)
    return _result((out,), False, create_graph), _result(found, in_tuple, create_graph)


# whole matrices

def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """All partial derivatives of `func`: of shape (output's shape + input's shape), nested in tuples like outputs and
    inputs.

    >>> import weft
    >>> weft.autograd.functional.jacobian(lambda x: x * x, weft.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ValueError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has '
                         'more outputs than inputs, "forward-mode" tends to be more performant.')
    with enable_grad():
        in_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _own_inputs(inputs, create_graph)
        out_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        _need_graph(outputs, strict, "Output")
        blocks = []
        for out in outputs:
            columns = _jacobian_of(out, inputs, create_graph, strict)
            blocks.append(columns if in_tuple else columns[0])
    return _result(tuple(blocks), out_tuple, create_graph)


def _jacobian_of(out, inputs, create_graph, strict):
    """The Jacobian of one output for each input."""
    rows = []
    for i in range(out._form.size):
        pick = np.zeros(out._form.shape, out._form.dtype)
        pick.reshape(-1)[i] = 1
        found = _gradients((out,), inputs, (wrap(pick),), create_graph, True)
        rows.append(_filled(found, inputs, strict, "output", create_graph))
    columns = []
    for k, t in enumerate(inputs):
        shape = tuple(out._form.shape) + tuple(t._form.shape)
        columns.append(stack([row[k] for row in rows]).reshape(shape) if rows else wrap(np.zeros(shape, t._form.dtype)))
    return tuple(columns)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """All second derivatives of a scalar `func`, nested in tuples like the inputs (twice).

    >>> import weft
    >>> weft.autograd.functional.hessian(lambda x: (x ** 3).sum(), weft.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise ValueError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    in_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")

    def gradient(*own):
        first = jacobian(lambda *x: _scalar_output(func, x, "hessian"), own, create_graph=True)
        _need_graph(first, strict, "Jacobian")
        return first

    found = jacobian(gradient, inputs, create_graph=create_graph, strict=strict)
    return found if in_tuple else found[0][0]
