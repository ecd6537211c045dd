"""Factorizations: Cholesky, LU, QR, LDL, and systems solved with them."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.kernels import linalg as kernel
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import data, fixed, matrix
from weft.ops.linalg.checks import (
    eye_beside,
    first_failure,
    need_float,
    need_matrix,
    need_same_type,
    need_square,
    need_tensors,
)
from weft.ops.linalg.det import adjoint, beside
from weft.ops.linalg.solve import _broadcast, triangular


def half_diagonal(t):
    """A tensor with its matrices' diagonals halved."""
    n = t._form.shape[-1]
    return t * eye_beside(t, n, None, t._form.real.dtype, -0.5, 1)


# Cholesky

@op
class cholesky_ex:
    """The Cholesky factor, and for each matrix the order of its first minor that isn't positive (0 when all are)."""
    autocast = "float32"
    names = "linalg.cholesky_ex"
    outputs, tags, node_name = "L info", KEEP_HALF, "LinalgCholeskyExBackward0"
    aliases = {"A": "x"}

    def forward(x, *, upper=False, check_errors=False):
        need_square(x, "linalg.cholesky")
        need_float(x, "linalg.cholesky")
        made, info = kernel.cholesky(x, upper)
        if check_errors:
            _refuse_indefinite(info)
        return made, info

    def shape(x, *, upper, check_errors):
        need_square(x, "linalg.cholesky")
        need_float(x, "linalg.cholesky")
        return (x.shape, x.dtype), (x.shape[:-2], np.int32)

    def grad_x(g_L, L, upper):
        # Murray 2016: L^-H Phi(L^H G) L^-1, made hermitian; Phi takes the lower triangle and half the diagonal
        low, g = (adjoint(L), adjoint(g_L)) if upper else (L, g_L)
        inner = half_diagonal((adjoint(low) @ g).tril())
        inner = (inner + adjoint(inner)) * 0.5
        made = triangular(adjoint(low), inner, True)
        return adjoint(triangular(adjoint(low), adjoint(made), True))
    samples = [(fixed(3, 3, matrix="positive"),), (fixed(2, 3, 2, 2, matrix="positive"), {"upper": True})]


def _refuse_indefinite(info):
    failed = first_failure(info)
    if failed:
        fail(kernel.LinAlgError, f"linalg.cholesky: {failed[0]}The factorization could not be completed because the "
             f"input is not positive-definite (the leading minor of order {failed[1]} is not positive-definite).",
             "add a little to the diagonal, or see linalg.ldl_factor for indefinite matrices")


@op
class linalg_cholesky:
    """L of A = L L^H for a hermitian positive-definite A, or the upper factor."""
    autocast = "float32"
    names = "linalg.cholesky"

    def compose(input, *, upper=False):
        need_tensors("linalg.cholesky", input=input)
        made, info = cholesky_ex(input, upper=upper)
        if not input._on_meta:
            _refuse_indefinite(info._array)
        return made
    samples = [(fixed(3, 3, matrix="positive"),), (fixed(3, 3, matrix="positive"), {"upper": True})]


@op
class cholesky:
    """L of A = L L^H for a hermitian positive-definite A, or the upper factor."""
    autocast = "float32"
    out_types = "castable"

    def compose(input, upper=False):
        return linalg_cholesky(input, upper=upper)
    samples = [(fixed(3, 3, matrix="positive"),), (fixed(3, 3, matrix="positive"), True)]


@op
class _cholesky_solve:
    """X of L L^H X = B, of matrices with equal leading dimensions."""
    tags, method, node_name = KEEP_HALF, False, "CholeskySolveBackward0"

    def forward(x, y, upper):
        low = kernel.adjoint(y) if upper else y
        return kernel.solve_triangular(kernel.adjoint(low), kernel.solve_triangular(low, x, False, False), True, False)

    def shape(x, y, upper):
        return x.shape, x.dtype

    def grad_x(g, y, upper):
        return _cholesky_solve(g, y, upper)

    def grad_y(g, y, out, upper):
        # of L as a full matrix, as PyTorch gives it
        both = _cholesky_solve(g, y, upper) @ adjoint(out)
        both = both + adjoint(both)
        return -(y @ both) if upper else -(both @ y)
    samples = [((3, 2), fixed(3, 3, matrix="lower"), False), ((2, 3, 2, 2), fixed(2, 3, 2, 2, matrix="upper"), True)]


@op
class cholesky_solve:
    """X of A X = B, given the Cholesky factor of A."""
    autocast = "float32"
    out_types = "castable"

    def compose(input, input2, upper=False):
        need_tensors("cholesky_solve", input=input, input2=input2)
        input2, input = _broadcast(input2, input, "cholesky_solve", True)
        return _cholesky_solve(input, input2, bool(upper))
    samples = [((3, 2), fixed(3, 3, matrix="lower")), ((3, 2), fixed(2, 3, 3, matrix="upper"), True)]


@op
class cholesky_inverse:
    """The inverse of A, given its Cholesky factor."""
    autocast = "float32"
    tags = KEEP_HALF
    out_types = "castable"

    def forward(x, upper=False):
        need_square(x, "cholesky_inverse")
        need_float(x, "cholesky_inverse")
        eye = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
        made = kernel.solve_triangular(x, eye, upper, False)
        with np.errstate(all="ignore"):
            return kernel.dense(made @ kernel.adjoint(made) if upper else kernel.adjoint(made) @ made)

    def shape(x, upper):
        need_square(x, "cholesky_inverse")
        need_float(x, "cholesky_inverse")
        return x.shape, x.dtype

    def grad_x(g, x, out, upper):
        both = out @ (g + adjoint(g)) @ out
        return -(x @ both) if upper else -(both @ x)
    samples = [(fixed(3, 3, matrix="lower"),), (fixed(2, 3, 2, 2, matrix="upper"), True)]


# LU

@op
class lu_factor_ex:
    """L and U of A = P L U in one matrix, the row exchanges, and the number of the first zero pivot."""
    names = "linalg.lu_factor_ex"
    outputs, tags, node_name = "LU pivots info", KEEP_HALF, "LinalgLuFactorExBackward0"
    aliases = {"A": "x"}

    def forward(x, *, pivot=True, check_errors=False):
        _check_lu(x, pivot)
        made = kernel.lu(x)
        if check_errors:
            _refuse_zero_pivot(made[2])
        return made

    def shape(x, *, pivot, check_errors):
        _check_lu(x, pivot)
        return (x.shape, x.dtype), ((*x.shape[:-2], min(x.shape[-2:])), np.int32), (x.shape[:-2], np.int32)

    def grad_x(g_LU, LU, pivots):
        return lu_gradient(g_LU, LU, pivots)
    samples = [((3, 3),), ((4, 3),), ((3, 4),)]


def _check_lu(x, pivot):
    need_matrix(x, "linalg.lu_factor")
    need_float(x, "linalg.lu_factor", kind=NotImplementedError)
    if not pivot:
        fail(RuntimeError, "linalg.lu_factor: LU without pivoting is not implemented on the CPU",
             "leave pivot=True")


@op
class _row_exchanges:
    """P of A = P L U, from the row exchanges, in the type of A and as large as it has rows."""
    tags, method = NOGRAD, False

    def forward(x, pivots):
        return kernel.permutation_matrix(pivots, x.shape[-2], x.dtype)

    def shape(x, pivots):
        return (*pivots.shape[:-1], x.shape[-2], x.shape[-2]), x.dtype
    samples = [((3, 2), data([2, 2], "int32")), ((2, 2, 2), data([[1, 2], [2, 2]], "int32"))]


def lu_gradient(g, compact, pivots):
    """The gradient of A = P L U from that of the compact L and U, square, tall or wide."""
    m, n = compact._form.shape[-2:]
    k = min(m, n)
    p = _row_exchanges(compact, pivots)
    square = compact.narrow(-2, 0, k).narrow(-1, 0, k)
    low, up = square.tril(-1) + eye_beside(compact, k), square.triu()
    g_square = g.narrow(-2, 0, k).narrow(-1, 0, k)
    g_low, g_up = g_square.tril(-1), g_square.triu()
    rest = None
    if n > k:       # U2 = L^-1 P^T A2
        rest = triangular(adjoint(low), g.narrow(-1, k, n - k), True, True)
        g_low = g_low - (rest @ adjoint(compact.narrow(-1, k, n - k)))
    elif m > k:     # L2 = A2 U^-1
        rest = adjoint(triangular(up, adjoint(g.narrow(-2, k, m - k)), True))
        g_up = g_up - adjoint(compact.narrow(-2, k, m - k)) @ rest
    inner = (adjoint(low) @ g_low).tril(-1) + (g_up @ adjoint(up)).triu()
    inner = triangular(adjoint(low), inner, True, True)
    made = adjoint(triangular(up, adjoint(inner), True))
    if rest is not None:
        made = FUNCTIONS["cat"]([made, rest], -1 if n > k else -2)
    return p @ made


def _refuse_zero_pivot(info):
    failed = first_failure(info)
    if failed:
        at = failed[1]
        fail(RuntimeError, f"torch.linalg.lu_factor: {failed[0]}U[{at},{at}] is zero and using it on lu_solve would "
             f"result in a division by zero.", "call linalg.lu_factor_ex(A) if you want the factors anyway")


@op
class lu_factor:
    """L and U of A = P L U in one matrix, and the row exchanges."""
    names = "linalg.lu_factor"
    outputs = "LU pivots"

    def compose(A, *, pivot=True):
        need_tensors("linalg.lu_factor", A=A)
        compact, pivots, info = lu_factor_ex(A, pivot=pivot)
        if not A._on_meta:
            _refuse_zero_pivot(info._array)
        return lu_factor.op.returns(compact, pivots)
    samples = [((3, 3),)]


@op
class lu:
    """L and U of A = P L U in one matrix, the row exchanges, and with get_infos the numbers of zero pivots."""
    autocast = "float32"
    out_types = "any"

    def compose(A, pivot=True, get_infos=False):
        need_tensors("lu", A=A)
        made = lu_factor_ex(A, pivot=pivot)
        return tuple(made) if get_infos else tuple(made[:2])
    samples = [((3, 3),)]


@op
class lu_unpack:
    """P, L and U from lu_factor's result."""
    outputs = "P L U"
    method = False

    def compose(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
        need_tensors("lu_unpack", LU_data=LU_data, LU_pivots=LU_pivots)
        a = LU_data._form
        need_matrix(a, "lu_unpack", "LU_data")
        if unpack_pivots and LU_pivots._form.dtype != np.int32:
            fail(RuntimeError, f"lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype, got "
                 f"{LU_pivots.dtype}",
                 "give the pivots as lu_factor returned them")
        m, n = a.shape[-2:]
        k = min(m, n)
        p = low = up = beside(LU_data, np.zeros(0, a.dtype))
        if unpack_pivots:
            p = _row_exchanges(LU_data.detach(), LU_pivots)
        if unpack_data:
            low = LU_data.narrow(-1, 0, k).tril(-1) + eye_beside(LU_data, m, k)
            up = LU_data.narrow(-2, 0, k).triu()
        return lu_unpack.op.returns(p, low, up)
    samples = [(matrix(3), data([3, 2, 3], "int32")), ((4, 3), data([3, 4, 3], "int32")),
               ((3, 4), data([3, 2, 3], "int32"))]


@op
class linalg_lu:
    """P, L and U of A = P L U."""
    names = "linalg.lu"
    outputs = "P L U"

    def compose(A, *, pivot=True):
        need_tensors("linalg.lu", A=A)
        compact, pivots, _ = lu_factor_ex(A, pivot=pivot)
        return linalg_lu.op.returns(*lu_unpack(compact, pivots))
    samples = [((3, 3),), ((4, 3),), ((3, 4),)]


@op
class linalg_lu_solve:
    """X of A X = B (A^H X = B with adjoint, X A = B with left=False) from A's LU factors."""
    names, autocast = "linalg.lu_solve", "same"

    def compose(LU, pivots, B, *, left=True, adjoint=False):
        need_tensors("linalg.lu_solve", LU=LU, pivots=pivots, B=B)
        if pivots._form.dtype != np.int32:
            fail(RuntimeError, f"linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32, got "
                 f"{pivots.dtype}",
                 "give them as linalg.lu_factor returned them")
        if not left:        # X A = B is A^H X^H = B^H
            return _turn(linalg_lu_solve(LU, pivots, _turn(B), adjoint=not adjoint))
        p = _row_exchanges(LU.detach(), pivots)
        LU, B = _broadcast(LU, B, "linalg.lu_solve", True)
        if adjoint:
            inner = triangular(_turn(LU), B, False)
            return p @ triangular(_turn(LU), inner, True, True)
        inner = triangular(LU, p.transpose(-2, -1) @ B, False, True)
        return triangular(LU, inner, True)
    samples = [(matrix(3), data([3, 2, 3], "int32"), (3, 2)),
               (matrix(3), data([3, 2, 3], "int32"), (2, 3), {"left": False})]


def _turn(t):
    return adjoint(t)


@op
class lu_solve:
    """X of A X = b from A's LU factors."""
    autocast = "float32"

    def compose(input, LU_data, LU_pivots):
        return linalg_lu_solve(LU_data, LU_pivots, input)
    samples = [((3, 2), matrix(3), data([3, 2, 3], "int32"))]


# LDL

@op
class ldl_factor_ex:
    """L and D of a symmetric (or hermitian) A = L D L^T in one matrix, the exchanges, and the number of the first zero
    pivot.
    """
    names = "linalg.ldl_factor_ex"
    outputs, tags = "LD pivots info", KEEP_HALF | NOGRAD
    aliases = {"A": "x"}

    def forward(x, *, hermitian=False, check_errors=False):
        need_square(x, "torch.linalg.ldl_factor_ex")
        need_float(x, "torch.linalg.ldl_factor_ex")
        made = kernel.ldl(x, hermitian)
        if check_errors:
            _refuse_zero_block(made[2])
        return made

    def shape(x, *, hermitian, check_errors):
        need_square(x, "torch.linalg.ldl_factor_ex")
        need_float(x, "torch.linalg.ldl_factor_ex")
        return (x.shape, x.dtype), (x.shape[:-1], np.int32), (x.shape[:-2], np.int32)
    samples = [((3, 3),)]


def _refuse_zero_block(info):
    failed = first_failure(info)
    if failed:
        fail(kernel.LinAlgError, f"torch.linalg.ldl_factor: {failed[0]}D[{failed[1]},{failed[1]}] is zero, the matrix "
             f"is singular",
             "call linalg.ldl_factor_ex(A) if you want the factors anyway")


@op
class ldl_factor:
    """L and D of a symmetric (or hermitian) A = L D L^T in one matrix, and the exchanges."""
    names = "linalg.ldl_factor"
    outputs, tags = "LD pivots", NOGRAD

    def compose(input, *, hermitian=False):
        need_tensors("linalg.ldl_factor", input=input)
        compact, pivots, info = ldl_factor_ex(input, hermitian=hermitian)
        if not input._on_meta:
            _refuse_zero_block(info._array)
        return ldl_factor.op.returns(compact, pivots)
    samples = [(matrix(3, "symmetric"),)]


@op
class ldl_solve:
    """X of A X = B from A's LDL factors."""
    names = "linalg.ldl_solve"
    tags = KEEP_HALF | NOGRAD
    aliases = {"LD": "x"}

    def forward(x, pivots, B, *, hermitian=False):
        _check_ldl(x, B)
        return kernel.ldl_solve(x, pivots, B, hermitian)

    def shape(x, pivots, B, *, hermitian):
        _check_ldl(x, B)
        return (*broadcast_shapes(x.shape[:-2], B.shape[:-2]), *B.shape[-2:]), B.dtype
    samples = [(matrix(3, "lower"), data([1, 2, 3], "int32"), (3, 2)),
               (matrix(2, "lower", (2, 3)), data([[[1, 2]] * 3] * 2, "int32"), (2, 3, 2, 2))]


def _check_ldl(x, B):
    need_square(x, "torch.linalg.ldl_solve", "LD")
    need_float(x, "torch.linalg.ldl_solve")
    need_same_type(x, B, "torch.linalg.ldl_solve")
    need_matrix(B, "torch.linalg.ldl_solve", "B")
