# compiled
"""Products that are added to something: addmm and its kin, and outer."""
from math import prod

import numpy as np

from weft.core.errors import fail
from weft.core.spec import Spec
from weft.kernels import fast
from weft.kernels.native import BINARY, binary, is_half
from weft.kernels.native import matmul as native_product
from weft.ops.core.registry import FUNCTIONS, INPLACE, KEEP_HALF, op
from weft.ops.core.unusual import run_half
from weft.ops.linalg.checks import need_tensors, type_name
from weft.ops.linalg.matmul import _check, _check_stacks, adjoint_times, need_number, product, times_adjoint
from weft.ops.pointwise.arithmetic import conj_of

ADD = BINARY["add"]


def _scaled(array, factor):
    """factor * array in the array's own type."""
    if factor == 1:
        return array
    if isinstance(factor, complex) and array.dtype.kind != "c" and factor.imag:
        fail(RuntimeError, f"value cannot be converted to type {array.dtype.name} without overflow: {factor} beside a "
             f"real product",
             "give real alpha= and beta=")
    return array * np.asarray(factor).astype(array.dtype)


def _add(x, made, beta, alpha):
    """beta * x + alpha * made; x is broadcast, and not read when beta is 0."""
    _fits(x, made)
    if alpha == 1 and beta == 1:
        found = binary(ADD, made, x)
        if found is not None:
            return found
    with np.errstate(all="ignore"):
        made = _scaled(made, alpha)
        return made if beta == 0 else made + _scaled(x, beta)


def _fits(x, made):
    """The product, to which x can be added."""
    need_number(made)
    if x.dtype != made.dtype:
        fail(RuntimeError, f"self and mat2 must have the same dtype, but got {type_name(x)} and {type_name(made)}",
             "convert one of them with .to(other.dtype)")
    if x.shape != made.shape and x.shape != made.shape[-1:]:
        _check_broadcast(x, made)
    return made


def _check_broadcast(x, made):
    lead = made.ndim - x.ndim
    for i in range(made.ndim):
        own = x.shape[i - lead] if lead <= i < made.ndim and i - lead < x.ndim else 1
        if lead < 0 or own != made.shape[i] and own != 1:
            fail(RuntimeError, f"The expanded size of the tensor ({made.shape[i]}) must match the existing size "
                 f"({own}) at non-singleton dimension {i}.  Target sizes: {list(made.shape)}.  Tensor sizes: "
                 f"{list(x.shape)}",
                 f"the product is {list(made.shape)}; what is added must broadcast to that")


def _to_shape(g, shape, beta):
    g = g if beta == 1 else g * conj_of(beta)
    return g if g._form.shape == shape else g.sum_to_size(shape)


@op
class addmm:
    """beta * x + alpha * (mat1 @ mat2)."""
    autocast = "lower"
    numbers_first = "beta alpha"
    tags = INPLACE | KEEP_HALF
    steady = True

    def forward(x, mat1, mat2, *, beta=1, alpha=1):
        if x.ndim == 1 and beta == 1 and alpha == 1:
            made = fast.matmul(mat1, mat2, False, False, x)
            if made is not None:
                return made
        if is_half(mat1):       # one rounding, of the sum
            _check(mat1, mat2)
            _fits(x, Spec((mat1.shape[0], mat2.shape[1]), mat1.dtype))
            return run_half(addmm.op, [x, mat1, mat2, beta, alpha])
        made = native_product(mat1, mat2)
        if made is None:
            _check(mat1, mat2)
            made = product(mat1, mat2)
        return _add(x, made, beta, alpha)

    def shape(x, mat1, mat2, *, beta, alpha):
        _check(mat1, mat2)
        return _fits(x, Spec((mat1.shape[0], mat2.shape[1]), mat1.dtype))

    def flops(values, outs):
        return 2 * prod(outs[0]) * values["mat1"][-1]

    def grad_x(g, x_shape, beta):
        return _to_shape(g, x_shape, beta)

    def grad_mat1(g, mat2, alpha):
        return times_adjoint(g if alpha == 1 else g * conj_of(alpha), mat2)

    def grad_mat2(g, mat1, alpha):
        return adjoint_times(mat1, g if alpha == 1 else g * conj_of(alpha))
    samples = [((4,), (3, 2), (2, 4)), ((3, 4), (3, 2), (2, 4))]


@op
class baddbmm:
    """beta * x + alpha * (batch1 @ batch2), of stacks of matrices."""
    autocast = "lower"
    numbers_first = "beta alpha"
    tags = INPLACE

    def forward(x, batch1, batch2, *, beta=1, alpha=1):
        _check_stacks(batch1, batch2)
        return _add(x, product(batch1, batch2), beta, alpha)

    def shape(x, batch1, batch2, *, beta, alpha):
        _check_stacks(batch1, batch2)
        return _fits(x, Spec((*batch1.shape[:2], batch2.shape[2]), batch1.dtype))

    def flops(values, outs):
        return 2 * prod(outs[0]) * values["batch1"][-1]

    def grad_x(g, x_shape, beta):
        return _to_shape(g, x_shape, beta)

    def grad_batch1(g, batch2, alpha):
        return times_adjoint(g if alpha == 1 else g * conj_of(alpha), batch2)

    def grad_batch2(g, batch1, alpha):
        return adjoint_times(batch1, g if alpha == 1 else g * conj_of(alpha))
    samples = [((2, 3, 4), (2, 3, 2), (2, 2, 4))]


@op
class addbmm:
    """beta * x + alpha * (the sum of the products of two stacks of matrices)."""
    autocast = "lower"
    numbers_first = "beta alpha"
    tags = INPLACE

    def compose(input, batch1, batch2, *, beta=1, alpha=1):
        need_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
        a, b = batch1._form, batch2._form
        if a.ndim == 3 and b.ndim == 3 and len(a) != len(b):
            fail(RuntimeError, f"addbmm: batch1 and batch2 must have same number of batches, got {len(a)} and {len(b)}")
        _check_stacks(a, b)
        # side by side the stacks are one long product: (n, b m) @ (b m, p)
        wide = batch1.transpose(0, 1).reshape(a.shape[1], a.shape[0] * a.shape[2])
        return addmm(input, wide, batch2.reshape(b.shape[0] * b.shape[1], b.shape[2]), beta=beta, alpha=alpha)
    samples = [((3, 4), (2, 3, 2), (2, 2, 4))]


@op
class addmv:
    """beta * x + alpha * (mat @ vec)."""
    numbers_first = "beta alpha"
    tags = INPLACE

    def forward(x, mat, vec, *, beta=1, alpha=1):
        _check_addmv(x, mat, vec)
        return _add(x, product(mat, vec), beta, alpha)

    def shape(x, mat, vec, *, beta, alpha):
        _check_addmv(x, mat, vec)
        return _fits(x, Spec(mat.shape[:1], mat.dtype))

    def flops(values, outs):
        return 2 * prod(outs[0]) * values["mat"][-1]

    def grad_x(g, x_shape, beta):
        return _to_shape(g, x_shape, beta)

    def grad_mat(g, vec, alpha):
        return (g if alpha == 1 else g * conj_of(alpha)).unsqueeze(1) * conj_of(vec)

    def grad_vec(g, mat, alpha):
        return conj_of(mat).transpose(0, 1) @ (g if alpha == 1 else g * conj_of(alpha))
    samples = [((3,), (3, 2), (2,))]


def _check_addmv(x, mat, vec):
    if mat.ndim != 2 or vec.ndim != 1 or x.ndim > 1:
        fail(RuntimeError, f"addmv: vector + matrix @ vector expected, got {x.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or x.ndim and x.shape[0] not in (1, mat.shape[0]):
        fail(RuntimeError, f"size mismatch, got input ({x.shape[0] if x.ndim else 1}), mat "
             f"({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})",
             "the vector needs an element per column, what is added one per row")


def _check_factors(beta, alpha, dtype):
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and dtype.category > 0:
            fail(RuntimeError, f"Boolean {name} only supported for Boolean results.", f"give {name}= as a number")
        if isinstance(factor, (float, complex)) and not (dtype.is_floating_point or dtype.is_complex):
            fail(RuntimeError, f"For integral input tensors, argument {name} must not be a floating point number.",
                 f"give an integer {name}=")
        if isinstance(factor, complex) and not dtype.is_complex:
            fail(RuntimeError, f"value cannot be converted to type {dtype} without overflow: {name}={factor}",
                 f"give a real {name}=")


@op
class addr:
    """beta * x + alpha * outer(vec1, vec2)."""
    numbers_first = "beta alpha"
    tags = INPLACE
    out_types = "castable"

    def compose(input, vec1, vec2, *, beta=1, alpha=1):
        need_tensors("addr", input=input, vec1=vec1, vec2=vec2)
        made = outer(vec1, vec2)
        _check_factors(beta, alpha, FUNCTIONS["result_type"](made, input))
        if made._form.dtype.kind == "b" and input._form.dtype.kind == "b":
            made = made if alpha else made & False
            return made if not beta else made | input
        if alpha != 1:
            made = made * alpha
        if beta == 0:
            return made
        return made + (input if beta == 1 else input * beta)
    samples = [((3, 2), (3,), (2,))]


@op
class outer:
    """The products of all pairs of two vectors' elements."""
    names = "outer ger"
    out_types = "castable"

    def compose(input, vec2):
        need_tensors("outer", input=input, vec2=vec2)
        for which, t in (("self", input), ("vec2", vec2)):
            if t._form.ndim != 1:
                fail(RuntimeError, f"outer: Expected 1-D argument {which}, but got {t._form.ndim}-D",
                     "flatten() it first")
        return input.unsqueeze(1) * vec2
    samples = [((3,), (2,))]
