"""QR, and the Householder reflectors it is made of."""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.core.spec import like
from weft.kernels import linalg as kernel
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import fixed
from weft.ops.linalg.checks import eye_beside, need_float, need_matrix, need_same_type, need_tensors
from weft.ops.linalg.det import adjoint
from weft.ops.linalg.factor import half_diagonal
from weft.ops.linalg.solve import triangular
from weft.tensor.tensor import needs_grad, wrap


@op
class linalg_qr:
    """Q (orthonormal columns) and R (upper triangular) with A = Q R."""
    autocast = "float32"
    names = "linalg.qr"
    outputs, tags, node_name = "Q R", KEEP_HALF, "LinalgQrBackward0"
    aliases = {"A": "x"}

    def forward(x, mode="reduced"):
        _check_qr(x, mode)
        if x.size == 0:
            return _empty_qr(x, mode)
        with np.errstate(all="ignore"):
            if mode == "r":
                return np.zeros(0, x.dtype), kernel.dense(np.linalg.qr(x, mode="r"))
            q, r = np.linalg.qr(x, mode=mode)
        return kernel.dense(q), kernel.dense(r)

    def shape(x, mode):
        _check_qr(x, mode)
        *lead, m, n = x.shape
        k = m if mode == "complete" else min(m, n)
        return ((0,) if mode == "r" else (*lead, m, k), x.dtype), ((*lead, k, n), x.dtype)

    def grad_x(g_Q, g_R, Q, R, x, mode):
        m, n = x._form.shape[-2:]
        if mode == "r":
            fail(RuntimeError, "The derivative of linalg.qr depends on Q, which is not computed when mode='r'.",
                 "use mode='reduced'")
        if mode == "complete" and m > n:
            fail(RuntimeError, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.",
                 "use mode='reduced'")
        if m >= n:
            return _square_gradient(g_Q, g_R, Q, R)
        # wide: the first columns carry Q, the others are A2 = Q R2
        g_first, g_rest = g_R.narrow(-1, 0, m), g_R.narrow(-1, m, n - m)
        g_Q = g_Q + x.narrow(-1, m, n - m) @ adjoint(g_rest)
        made = _square_gradient(g_Q, g_first, Q, R.narrow(-1, 0, m))
        return FUNCTIONS["cat"]([made, Q @ g_rest], -1)
    samples = [((3, 3),), ((4, 3),), ((3, 4),)]


def _check_qr(x, mode):
    need_matrix(x, "linalg.qr")
    need_float(x, "linalg.qr")
    if mode not in ("reduced", "complete", "r"):
        fail(RuntimeError, f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
             f"or 'complete'")


def _square_gradient(g_q, g_r, q, r):
    """(G_Q + Q sym(triu(G_R R^H - Q^H G_Q))) R^-H (Walter and Lehmann 2012, conjugated for complex)."""
    inner = half_diagonal((g_r @ adjoint(r) - adjoint(q) @ g_q).triu())
    made = g_q + q @ (inner + adjoint(inner))
    return adjoint(triangular(r, adjoint(made), True))


def _empty_qr(x, mode):
    m, n = x.shape[-2:]
    k = m if mode == "complete" else min(m, n)
    q = np.broadcast_to(np.eye(m, k, dtype=x.dtype), x.shape[:-2] + (m, k)).copy()
    return (np.zeros(0, x.dtype) if mode == "r" else q), np.zeros(x.shape[:-2] + (k, n), x.dtype)


@op
class qr:
    """Q and R of A = Q R; with some=False Q is square."""
    autocast = "float32"
    outputs = "Q R"

    def compose(input, some=True):
        return qr.op.returns(*linalg_qr(input, "reduced" if some else "complete"))
    samples = [((3, 3),)]


@op
class geqrf:
    """R on and above the diagonal, the reflectors below it, and their factors tau."""
    autocast = "float32"
    outputs, tags = "a tau", KEEP_HALF
    out_types = "castable"

    def forward(x):
        need_matrix(x, "torch.geqrf", "input")
        need_float(x, "torch.geqrf")
        return kernel.geqrf(x)

    def shape(x):
        need_matrix(x, "torch.geqrf", "input")
        need_float(x, "torch.geqrf")
        return (x.shape, x.dtype), ((*x.shape[:-2], min(x.shape[-2:])), x.dtype)
    samples = [(fixed(3, 3),), (fixed(2, 3, 4, 2),)]        # PyTorch has no derivative of it either


# products with Q, given by its reflectors

@op
class _reflect:
    """Q C and its kin, without a gradient."""
    tags, method = KEEP_HALF | NOGRAD, False

    def forward(h, tau, c, left, transpose):
        return kernel.reflect(h, tau, c, left, transpose)

    def shape(h, tau, c, left, transpose):
        return c.shape, c.dtype
    samples = [((4, 2), (2,), (4, 3), True, False), ((2, 3, 4, 2), (2, 3, 2), (2, 3, 3, 4), False, True)]


def reflect(h, tau, c, left, transpose):
    """Q C, Q^H C, C Q or C Q^H; step by step in tensor ops where a gradient is wanted."""
    if mode_bits() & GRAD_OFF or not (needs_grad(h) or needs_grad(tau) or needs_grad(c)):
        return _reflect(h, tau, c, left, transpose)
    m = h._form.shape[-2]
    for i in kernel.reflector_order(tau._form.shape[-1], left, transpose):
        below = wrap((np.arange(m) > i).astype(h._form.dtype)[:, None])
        first = wrap((np.arange(m) == i).astype(h._form.dtype)[:, None])
        v = h.narrow(-1, i, 1) * below + first          # (..., m, 1)
        t = tau.narrow(-1, i, 1).unsqueeze(-1)          # (..., 1, 1)
        t = t.conj() if transpose and t._form.dtype.kind == "c" else t
        c = c - (t * v) @ (adjoint(v) @ c) if left else c - (c @ v) @ (t * adjoint(v))
    return c if needs_grad(c) else _untouched(c, h, tau)


@op
class _untouched:
    """c, of which no reflector changed anything; h and tau get gradients of zero."""
    tags, method, inputs = KEEP_HALF, False, "h tau"

    def forward(c, h, tau):
        return c.copy("K")

    def shape(c, h, tau):
        return like(c)

    def grads(h, tau):
        return h.zeros_like(), tau.zeros_like()
    samples = [(fixed(3, 2), (3, 2), (2,))]


def _check_reflectors(h, tau, name):
    need_matrix(h, name, "input")
    need_float(h, name)
    if tau.ndim != h.ndim - 1 or tau.shape[:-1] != h.shape[:-2] or tau.shape[-1] > h.shape[-1]:
        fail(RuntimeError, f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2] and at most "
             f"{h.shape[-1]} factors, but got input {list(h.shape)} and tau {list(tau.shape)}",
             "give both as geqrf returned them")
    need_same_type(h, tau, name)


@op
class householder_product:
    """The first columns of Q, a product of reflectors."""
    autocast = "float32"
    names = "linalg.householder_product orgqr"
    method = True
    out_types = "castable"

    def compose(input, tau):
        name = "torch.linalg.householder_product"
        need_tensors(name, input=input, tau=tau)
        _check_reflectors(input._form, tau._form, name)
        if input._form.shape[-2] < input._form.shape[-1]:
            fail(RuntimeError, f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1], got "
                 f"{list(input._form.shape)}")
        eye = eye_beside(input, *input._form.shape[-2:]).expand(input._form.shape).clone()
        return reflect(input, tau, eye, True, False)
    samples = [((3, 2), (2,)), ((2, 3, 3), (2, 2))]


@op
class ormqr:
    """A matrix times Q (or Q^H), given by its reflectors."""
    autocast = "float32"

    def compose(input, input2, input3, left=True, transpose=False):
        need_tensors("torch.ormqr", input=input, input2=input2, input3=input3)
        need_matrix(input._form, "torch.ormqr", "input")
        need_matrix(input3._form, "torch.ormqr", "other")
        k = min(input3._form.shape[-2 if left else -1], input._form.shape[-1])
        if input2._form.ndim and input2._form.shape[-1] != k:
            fail(RuntimeError, f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{-2 if left else -1}], "
                 f"input.shape[-1]), got {input2._form.shape[-1]} and {k}", "give both as geqrf returned them")
        _check_reflectors(input._form, input2._form, "torch.ormqr")
        need_same_type(input._form, input3._form, "torch.ormqr")
        if input3._form.shape[-2 if left else -1] != input._form.shape[-2]:
            fail(RuntimeError, f"torch.ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2], got "
                 f"{list(input3._form.shape)} and {list(input._form.shape)}")
        return reflect(input, input2, input3, bool(left), bool(transpose))
    samples = [((3, 2), (2,), (3, 2)), ((3, 2), (2,), (2, 3), False, True)]
