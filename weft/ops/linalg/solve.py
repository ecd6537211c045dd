"""Inverses and linear systems: inv, solve, triangular systems, tensor systems."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.kernels import linalg as kernel
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.core.samples import matrix
from weft.ops.linalg.checks import first_failure, need_float, need_matrix, need_same_type, need_square, need_tensors
from weft.ops.linalg.det import adjoint

# inverses

@op
class inv_ex:
    """The inverse, and for each matrix the number of its first zero pivot (0 when there is none)."""
    autocast = "float32"
    names = "linalg.inv_ex"
    outputs, tags, node_name = "inverse info", KEEP_HALF, "LinalgInvExBackward0"
    aliases = {"A": "x"}

    def forward(x, *, check_errors=False):
        need_square(x, "linalg.inv")
        need_float(x, "linalg.inv")
        made, info = kernel.inverse(x)
        if check_errors:
            _refuse_singular(info, "linalg.inv_ex")
        return made, info

    def shape(x, *, check_errors):
        need_square(x, "linalg.inv")
        need_float(x, "linalg.inv")
        return (x.shape, x.dtype), (x.shape[:-2], np.int32)

    def grad_x(g_inverse, inverse):
        turned = adjoint(inverse)
        return -(turned @ g_inverse @ turned)
    samples = [((3, 3),), ((2, 3, 2, 2),)]


def _refuse_singular(info, name):
    failed = first_failure(info)
    if failed:
        fail(kernel.LinAlgError, f"{name}: {failed[0]}The diagonal element {failed[1]} is zero, the inversion could "
             f"not be completed because the input matrix is singular.",
             "use linalg.pinv, or add a little to the diagonal")


@op
class inv:
    """The inverse of square matrices."""
    autocast = "float32"
    names = "linalg.inv"

    def compose(A):
        need_tensors("linalg.inv", A=A)
        made, info = inv_ex(A)
        if not A._on_meta:
            _refuse_singular(info._array, "linalg.inv")
        return made
    samples = [((3, 3),), ((2, 3, 3),)]


@op
class inverse:
    """The inverse of square matrices."""
    autocast = "float32"

    def compose(input):
        return inv(input)
    samples = [((3, 3),)]


# general systems

@op
class _solve:
    """X of A X = B; B are matrices with A's leading dimensions."""
    outputs, tags, method, node_name = "result info", KEEP_HALF, False, "LinalgSolveExBackward0"

    def forward(x, y):
        return kernel.solve(x, y)

    def shape(x, y):
        return (y.shape, y.dtype), (x.shape[:-2], np.int32)

    def grad_x(g_result, x, result):
        return -(_solve(adjoint(x), g_result).result @ adjoint(result))

    def grad_y(g_result, x):
        return _solve(adjoint(x), g_result).result
    samples = [((3, 3), (3, 2)), ((2, 3, 2, 2), (2, 3, 2, 2))]


def is_vector(a, b):
    """Whether B of a system is to be read as vectors: one, or a stack with just A's leading dimensions."""
    return b.ndim == 1 or a.ndim - 1 == b.ndim and a.shape[:-1] == b.shape


def _broadcast(A, B, name, left):
    """A and B at common leading dimensions, checked."""
    a, b = A._form, B._form
    need_square(a, name)
    need_float(a, name)
    need_same_type(a, b, name)
    need_matrix(b, name, "B")
    side = b.shape[-2] if left else b.shape[-1]
    if side != a.shape[-1]:
        what = "AX = B" if left else "XA = B"
        fail(RuntimeError, f"{name}: Incompatible shapes of A and B for the equation {what} "
             f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})",
             f"B needs {a.shape[-1]} {'rows' if left else 'columns'}")
    if a.shape[:-2] != b.shape[:-2]:
        lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        A = A if a.shape[:-2] == lead else A.expand(*lead, *a.shape[-2:])
        B = B if b.shape[:-2] == lead else B.expand(*lead, *b.shape[-2:])
    return A, B


@op
class solve_ex:
    """X of A X = B (or X A = B), and for each A the number of its first zero pivot."""
    names = "linalg.solve_ex"
    outputs = "result info"

    def compose(A, B, *, left=True, check_errors=False):
        need_tensors("linalg.solve", A=A, B=B)
        vector = is_vector(A._form, B._form)
        if vector and not left:
            fail(RuntimeError, "linalg.solve: Vector broadcasting of the left hand side is not supported for "
                 "left=False",
                 "give B as a matrix")
        A, B = _broadcast(A, B.unsqueeze(-1) if vector else B, "linalg.solve", left)
        made, info = _solve(A, B) if left else _solve(A.transpose(-2, -1), B.transpose(-2, -1))
        if check_errors and not A._on_meta and info._array.any():
            where = first_failure(info._array)[0]
            fail(kernel.LinAlgError, f"torch.linalg.solve: {where}The solver failed because the input matrix is "
                 f"singular.",
                 "use linalg.lstsq, or add a little to the diagonal")
        made = made if left else made.transpose(-2, -1)
        return solve_ex.op.returns(made.squeeze(-1) if vector else made, info)
    samples = [((3, 3), (3, 2)), ((3, 3), (3,))]


@op
class solve:
    """X of A X = B, or of X A = B with left=False."""
    autocast = "float32"
    names = "linalg.solve"

    def compose(A, B, *, left=True):
        return solve_ex(A, B, left=left, check_errors=True).result
    samples = [((3, 3), (3, 2)), ((3, 3), (3,)), ((2, 3, 3), (3, 2))]


# triangular systems

@op
class _solve_triangular:
    """X of A X = B, reading one triangle of A; leading dimensions are equal."""
    tags, method, node_name = KEEP_HALF, False, "LinalgSolveTriangularBackward0"

    def forward(x, y, upper, unit):
        return kernel.solve_triangular(x, y, upper, unit)

    def shape(x, y, upper, unit):
        return y.shape, y.dtype

    def grad_x(g, x, out, upper, unit):
        made = -(_solve_triangular(adjoint(x), g, not upper, unit) @ adjoint(out))
        return made.triu(1 if unit else 0) if upper else made.tril(-1 if unit else 0)

    def grad_y(g, x, upper, unit):
        return _solve_triangular(adjoint(x), g, not upper, unit)
    samples = [((3, 3), (3, 2), True, True), (matrix(2, "lower", (2, 3)), (2, 3, 2, 2), False, False)]


def triangular(A, B, upper, unit=False):
    """The solution of a triangular system of tensors with equal leading dimensions."""
    return _solve_triangular(A, B, upper, unit)


@op
class solve_triangular:
    """X of A X = B (or X A = B), reading only one triangle of A."""
    names = "linalg.solve_triangular"

    def compose(input, B, *, upper, left=True, unitriangular=False):
        need_tensors("linalg.solve_triangular", input=input, B=B)
        input, B = _broadcast(input, B, "linalg.solve_triangular", left)
        if left:
            return triangular(input, B, upper, unitriangular)
        return triangular(input.transpose(-2, -1), B.transpose(-2, -1), not upper, unitriangular).transpose(-2, -1)
    samples = [(matrix(3, "upper"), (3, 2), {"upper": True}),
               (matrix(3, "lower"), (2, 3), {"upper": False, "left": False})]


@op
class triangular_solve:
    """X of A X = b for a triangular A, and a copy of A."""
    autocast = "float32"
    outputs = "solution cloned_coefficient"

    def compose(input, A, upper=True, transpose=False, unitriangular=False):
        need_tensors("triangular_solve", input=input, A=A)
        A, input = _broadcast(A, input, "triangular_solve", True)
        seen, up = (A.transpose(-2, -1), not upper) if transpose else (A, upper)
        return triangular_solve.op.returns(triangular(seen, input, up, unitriangular), A.clone())
    samples = [((3, 2), (3, 3))]


# tensors seen as matrices

@op
class tensorinv:
    """The inverse of a tensor for tensordot with its first `ind` dimensions as rows."""
    autocast = "float32"
    names = "linalg.tensorinv"
    out_types = "castable"

    def compose(input, ind=2):
        need_tensors("linalg.tensorinv", input=input)
        shape = input._form.shape
        if ind <= 0:
            fail(RuntimeError, f"Expected a strictly positive integer for 'ind', got {ind}")
        rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
        if rows != columns:
            fail(RuntimeError, f"Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                 f"prod(self.shape[:ind]), but got {columns} != {rows}", "choose where the columns start with ind=")
        return inv(input.reshape(rows, columns)).reshape(*shape[ind:], *shape[:ind])
    samples = [((2, 3, 6),)]


@op
class tensorsolve:
    """X of tensordot(A, X) = B."""
    autocast = "float32"
    names = "linalg.tensorsolve"
    out_types = "castable"

    def compose(input, other, dims=None):
        need_tensors("linalg.tensorsolve", input=input, other=other)
        if dims is not None:
            input = input.movedim(tuple(dims), tuple(range(input._form.ndim - len(dims), input._form.ndim)))
        shape = input._form.shape[other._form.ndim:]
        if math.prod(shape) != math.prod(other._form.shape):
            fail(RuntimeError, f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                 f"prod(self.shape[:other.ndim]), but got {math.prod(shape)} != "
                 f"{math.prod(input._form.shape[:other._form.ndim])}")
        n = math.prod(shape)
        return solve(input.reshape(n, n), other.reshape(n)).reshape(*shape)
    samples = [((2, 3, 6), (2, 3))]
