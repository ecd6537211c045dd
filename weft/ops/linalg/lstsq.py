"""Systems without an exact solution: pseudo-inverses, least squares, rank."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.kernels.linalg import dense, truncated_inverse
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import matrix
from weft.ops.linalg.checks import (
    need_finite,
    need_float,
    need_matrix,
    need_same_type,
    need_square,
    need_tensors,
    no_convergence,
    real_of,
    type_name,
)
from weft.ops.linalg.det import adjoint, beside
from weft.ops.linalg.eig import linalg_svdvals, singular_values
from weft.tensor.tensor import Tensor


def _tolerance(value, name, who):
    """A tolerance, which has no gradient; None stays None."""
    if not isinstance(value, Tensor):
        return value
    if value._form.dtype.kind == "c":
        fail(RuntimeError, f"torch.{who}: {name} tensor of complex type is not supported. Got "
             f"{type_name(value._form)}",
             "give a real one")
    return value.detach()


def _cutoff(largest, shape, atol, rtol, np_dtype):
    """Below which a singular value counts as zero: max(atol, rtol * largest), each (...)."""
    eps = np.finfo(np_dtype).eps
    if rtol is None:
        has_atol = atol is not None and (np.asarray(atol) > 0).any()
        rtol = np.where(np.asarray(atol) > 0, 0.0, eps * max(shape)) if has_atol else eps * max(shape)
    return np.maximum(0.0 if atol is None else atol, np.asarray(rtol) * largest)


def _singular_values(x, hermitian):
    """Descending for general matrices; absolute eigenvalues for hermitian ones."""
    if hermitian:
        need_finite(x, "linalg.matrix_rank", "L")
    try:
        with np.errstate(all="ignore"):
            return np.abs(np.linalg.eigvalsh(x)) if hermitian else singular_values(x, "linalg.matrix_rank")
    except np.linalg.LinAlgError:
        no_convergence("linalg.matrix_rank", ILL)


ILL = "the input matrix is ill-conditioned or has too many repeated singular values"


@op
class _pinv:
    """The pseudo-inverse with small singular values cut off."""
    tags, method, node_name = KEEP_HALF, False, "LinalgPinvBackward0"

    def forward(x, atol, rtol, hermitian):
        if x.size == 0:
            return np.zeros(x.shape[:-2] + (x.shape[-1], x.shape[-2]), x.dtype)
        need_finite(x, "linalg.pinv", "L" if hermitian else "")
        with np.errstate(all="ignore"):
            try:
                if hermitian:
                    values, v = np.linalg.eigh(x)
                    sizes, u = np.abs(values), v
                else:
                    u, values, vh = np.linalg.svd(x, full_matrices=False)
                    sizes, v = values, vh.swapaxes(-2, -1).conj()
            except np.linalg.LinAlgError:
                no_convergence("linalg.pinv", ILL)
            cut = _cutoff(sizes.max(-1, initial=0), x.shape[-2:], atol, rtol, x.dtype)[..., None]
            turned = np.where(sizes > cut, 1 / np.where(sizes > cut, values, 1), 0)
            return dense(((v * turned[..., None, :]) @ u.swapaxes(-2, -1).conj()).astype(x.dtype))

    def shape(x, atol, rtol, hermitian):
        return (*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype

    def grad_x(g, x, out):
        # Golub and Pereyra 1973: dP = -P dA P + P P^H dA^H (1 - A P) + (1 - P A) dA^H P^H P
        p, p_h, g_h = out, adjoint(out), adjoint(g)
        rest_rows = g_h @ p @ p_h               # (m, m) side
        rest_columns = p_h @ p @ g_h
        return (-(p_h @ g @ p_h) + rest_rows - x @ (p @ rest_rows) + rest_columns - (rest_columns @ p) @ x)
    samples = [((3, 2), None, None, False), (matrix(2, "symmetric", (2,)), None, None, False),
               ((2, 3, 2, 3), None, 1e-3, False)]


@op
class pinv:
    """The pseudo-inverse (Moore and Penrose)."""
    names = "linalg.pinv"
    out_types = "castable"

    def compose(input, rcond=None, hermitian=False, *, atol=None, rtol=None):
        need_tensors("linalg.pinv", input=input)
        need_matrix(input._form, "linalg.pinv")
        need_float(input._form, "linalg.pinv")
        if hermitian:
            need_square(input._form, "linalg.pinv")
        rtol = (_tolerance(rtol, "rtol", "linalg.pinv") if rcond is None or rtol is not None
                else _tolerance(rcond, "rcond", "linalg.pinv"))
        return _pinv(input, _tolerance(atol, "atol", "linalg.pinv"), rtol, bool(hermitian))
    samples = [((3, 2),), ((2, 3),)]


@op
class pinverse:
    """The pseudo-inverse (Moore and Penrose)."""
    autocast = "float32"

    def compose(input, rcond=1e-15):
        return pinv(input, rtol=rcond)
    samples = [((3, 2),)]


@op
class _matrix_rank:
    """How many singular values are above the cutoff."""
    tags, method = KEEP_HALF | NOGRAD, False

    def forward(x, atol, rtol, hermitian):
        if x.size == 0:
            return np.zeros(x.shape[:-2], np.int64)
        values = _singular_values(x, hermitian)
        cut = _cutoff(values.max(-1, initial=0), x.shape[-2:], atol, rtol, x.dtype)
        return dense((values > cut[..., None]).sum(-1, dtype=np.int64))

    def shape(x, atol, rtol, hermitian):
        return x.shape[:-2], np.int64
    samples = [((3, 2), None, None, False), ((2, 3, 2, 2), 0.1, 0.2, False), (matrix(3, "symmetric"), None, None, True)]


@op
class _pivoted_inverse:
    """(the pseudo-inverse of what is left of a matrix when a pivoted QR drops the columns after those whose condition
    is within 1 / rcond, how many stay): LAPACK's gelsy.
    """
    tags, method, outputs, node_name = KEEP_HALF, False, "inverse rank", "LinalgPinvBackward0"

    def forward(x, rcond):
        made = np.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
        rank = np.zeros(x.shape[:-2], np.int64)
        for at in np.ndindex(rank.shape) if x.size else ():
            made[at], rank[at] = truncated_inverse(x[at], rcond)
        return made, rank

    def shape(x, rcond):
        return [((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype), (x.shape[:-2], np.int64)]

    def grad_x(g_inverse, x, inverse):
        return _pinv.op.rules["x"](g_inverse, x, inverse)
    samples = [((3, 2), 1e-15), ((2, 2, 3), 1e-15)]


@op
class matrix_rank:
    """The rank of matrices: how many singular values exceed max(atol, rtol * largest)."""
    autocast = "float32"
    names = "linalg.matrix_rank"
    tags = NOGRAD
    out_types = "castable"

    def compose(input, tol=None, hermitian=False, *, atol=None, rtol=None):
        need_tensors("linalg.matrix_rank", input=input)
        need_matrix(input._form, "linalg.matrix_rank")
        need_float(input._form, "linalg.matrix_rank")
        if hermitian:
            need_square(input._form, "linalg.matrix_rank")
        if tol is not None:
            atol, rtol = tol, 0.0
        who = "linalg.matrix_rank"
        return _matrix_rank(input, _tolerance(atol, "atol", who), _tolerance(rtol, "rtol", who), bool(hermitian))
    samples = [((3, 2),)]


def _inverse(input, rcond, driver):
    """(the inverse that a driver solves by, the rank that it finds): each cuts off its own way."""
    if driver == "gelsy":
        return _pivoted_inverse(input, rcond)
    if driver == "gels":
        return _pinv(input, None, 0.0, False), beside(input, np.zeros(0, np.int64))
    if rcond < 0 or driver == "gelsd" and not 0 < rcond < 1:        # LAPACK takes these for the type's precision
        rcond = np.finfo(input._form.dtype).eps / 2
    return _pinv(input, None, rcond, False), _matrix_rank(input.detach(), None, rcond, False)


@op
class lstsq:
    """X for which A X is nearest to B; also residuals, rank and singular values where the driver has them."""
    autocast = "float32"
    names = "linalg.lstsq"
    outputs = "solution residuals rank singular_values"
    out_types = "castable"

    def compose(input, b, rcond=None, *, driver=None):
        need_tensors("linalg.lstsq", input=input, b=b)
        a = input._form
        need_matrix(a, "linalg.lstsq")
        need_float(a, "linalg.lstsq")
        need_same_type(a, b._form, "linalg.lstsq")
        driver = driver or "gelsy"
        if driver not in ("gels", "gelsy", "gelsd", "gelss"):
            fail(RuntimeError, f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), "
                 f"got {driver!r}")
        if not 0 <= a.ndim - b._form.ndim <= 1:
            fail(RuntimeError, f"torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and "
                 f"(input.dim() - other.dim()) <= 1, got {list(a.shape)} and {list(b._form.shape)}",
                 "expand() one of them")
        vector = a.ndim - b._form.ndim == 1
        right = b.unsqueeze(-1) if vector else b
        if right._form.shape[-2] != a.shape[-2]:
            fail(RuntimeError, f"torch.linalg.lstsq: input.size(-2) should match other.size(-2), got {list(a.shape)} "
                 f"and {list(b._form.shape)}",
                 "A and B need the same number of rows")
        lead = broadcast_shapes(a.shape[:-2], right._form.shape[:-2])
        right = right if right._form.shape[:-2] == lead else right.expand((*lead, *right._form.shape[-2:]))
        if not input._on_meta:
            need_finite(input._array, "linalg.lstsq")
        inverse, rank = _inverse(input, np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else float(rcond),
                                 driver)
        made = inverse @ right
        nothing = beside(input, np.zeros(0, real_of(a)))
        # in the graph, as torch's are
        residuals = made.reshape(-1).narrow(0, 0, 0).abs() if made.requires_grad else nothing
        if driver != "gelsy" and a.shape[-2] > a.shape[-1] and (driver == "gels" or bool((rank == a.shape[-1]).all())):
            miss = input @ made - right
            residuals = (miss.abs() ** 2).sum(-2)
        return lstsq.op.returns(made.squeeze(-1) if vector else made, residuals, rank,
                                linalg_svdvals(input.detach()) if driver in ("gelsd", "gelss") else nothing)
    samples = [((4, 3), (4, 2)), ((4, 3), (4, 2), {"driver": "gels"}), ((4, 3), (4, 2), {"driver": "gelsd"})]
