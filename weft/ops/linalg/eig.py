"""Eigenvalues and singular values, with their vectors."""
import numpy as np

from weft.core.errors import fail
from weft.kernels.linalg import dense
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, op
from weft.ops.core.samples import fixed
from weft.ops.linalg.checks import (
    complex_of,
    eye_beside,
    need_finite,
    need_float,
    need_matrix,
    need_square,
    need_tensors,
    no_convergence,
    not_finite,
    real_of,
)
from weft.ops.linalg.det import adjoint, beside
from weft.tensor.tensor import wrap


def unused(g):
    """Whether a gradient is the zeros that stand for an output nobody used."""
    return not g._on_meta and g._made_by is None and not g._wants_grad and not g._array.any()


def _pairwise(values, diagonal):
    """values_j - values_i for all pairs, with `diagonal` where i = j: (..., n) gives (..., n, n)."""
    n = values._form.shape[-1]
    return values.unsqueeze(-2) - values.unsqueeze(-1) + eye_beside(values, n, scale=diagonal)


def _diagonal_of(t):
    return t.diagonal(dim1=-2, dim2=-1)


# hermitian matrices

@op
class linalg_eigh:
    """The eigenvalues (ascending) and eigenvectors of a symmetric or hermitian matrix."""
    autocast = "float32"
    names = "linalg.eigh"
    outputs, tags, node_name = "eigenvalues eigenvectors", KEEP_HALF, "LinalgEighBackward0"
    aliases = {"A": "x"}

    def forward(x, UPLO="L"):
        _check_eigh(x, UPLO, "linalg.eigh")
        need_finite(x, "linalg.eigh", UPLO.upper())
        try:
            with np.errstate(all="ignore"):
                values, vectors = np.linalg.eigh(x, UPLO.upper())
        except np.linalg.LinAlgError:
            no_convergence("linalg.eigh", "the input matrix is ill-conditioned or has too many repeated eigenvalues")
        return dense(values), dense(vectors)

    def shape(x, UPLO):
        _check_eigh(x, UPLO, "linalg.eigh")
        return (x.shape[:-1], real_of(x)), (x.shape, x.dtype)

    def grad_x(g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
        v = eigenvectors
        if unused(g_eigenvectors):
            return (v * g_eigenvalues.unsqueeze(-2)) @ adjoint(v)
        off = eye_beside(v, v._form.shape[-1], None, eigenvalues._form.dtype, -1, 1)
        inner = (adjoint(v) @ g_eigenvectors) * off / _pairwise(eigenvalues, 1)
        return v @ (inner @ adjoint(v)) + (v * g_eigenvalues.unsqueeze(-2)) @ adjoint(v)
    samples = [(fixed(3, 3, matrix="symmetric"),), (fixed(2, 3, 2, 2, matrix="symmetric"), "U")]


def _check_eigh(x, uplo, name):
    need_square(x, name)
    need_float(x, name, kind=NotImplementedError)
    if str(uplo).upper() not in ("L", "U"):
        fail(RuntimeError, f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")


@op
class linalg_eigvalsh:
    """The eigenvalues (ascending) of a symmetric or hermitian matrix."""
    autocast = "float32"
    names = "linalg.eigvalsh"
    tags, node_name = KEEP_HALF, "LinalgEighBackward0"
    aliases = {"A": "x"}

    def forward(x, UPLO="L"):
        _check_eigh(x, UPLO, "linalg.eigvalsh")
        need_finite(x, "linalg.eigvalsh", UPLO.upper())
        try:
            with np.errstate(all="ignore"):
                return dense(np.linalg.eigvalsh(x, UPLO.upper()))
        except np.linalg.LinAlgError:
            no_convergence("linalg.eigvalsh",
                            "the input matrix is ill-conditioned or has too many repeated eigenvalues")

    def shape(x, UPLO):
        _check_eigh(x, UPLO, "linalg.eigvalsh")
        return x.shape[:-1], real_of(x)

    def grad_x(g, x, UPLO):
        v = linalg_eigh(x, UPLO).eigenvectors
        return (v * g.unsqueeze(-2)) @ adjoint(v)
    samples = [(fixed(3, 3, matrix="symmetric"),), (fixed(2, 3, 2, 2, matrix="symmetric"), "U")]


# general matrices

def _check_eig(x, name):
    need_square(x, name)
    need_float(x, name)


def _need_finite(x, name):
    if not np.isfinite(x).all():
        fail(RuntimeError, f"torch.{name}: input tensor should not contain infs or NaNs.")


def _complex(array):
    return dense(array.astype(complex_of(array), copy=False))


@op
class linalg_eig:
    """The eigenvalues and eigenvectors of a square matrix, complex always."""
    autocast = "float32"
    names = "linalg.eig"
    outputs, tags, node_name = "eigenvalues eigenvectors", KEEP_HALF, "LinalgEigBackward0"
    aliases = {"A": "x"}
    out_types = "castable"

    def forward(x):
        _check_eig(x, "linalg.eig")
        _need_finite(x, "linalg.eig")
        try:
            with np.errstate(all="ignore"):
                values, vectors = np.linalg.eig(x)
        except np.linalg.LinAlgError:
            no_convergence("linalg.eig", "the input matrix is ill-conditioned or has too many repeated eigenvalues")
        return _complex(values), _complex(vectors)

    def shape(x):
        _check_eig(x, "linalg.eig")
        return (x.shape[:-1], complex_of(x)), (x.shape, complex_of(x))

    def grad_x(g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
        v = eigenvectors
        if unused(g_eigenvectors):
            return _similar(v, g_eigenvalues.diag_embed())
        # the vectors have length 1, so what g has along them falls out (Boeddeker et al. 2017)
        seen = adjoint(v) @ g_eigenvectors
        if not seen._on_meta:
            _need_phase_free(seen._array)
        seen = seen - (adjoint(v) @ v) * _diagonal_of(seen).real.unsqueeze(-2)
        off = eye_beside(v, v._form.shape[-1], None, v._form.real.dtype, -1, 1)
        inner = seen * off / _pairwise(eigenvalues, 1).conj()
        return _similar(v, inner + g_eigenvalues.diag_embed())
    samples = [(fixed(3, 3),), (fixed(2, 3, 2, 2),)]        # the vectors' phases are free


def _need_phase_free(seen):
    """The loss must not change when an eigenvector is multiplied by e**(i phi): the vectors are only known up to that.
    """
    turns = np.einsum("...ii->...i", seen).imag
    if not np.allclose(turns, 0, atol=1e-3 if seen.dtype == np.complex64 else 1e-6):
        fail(RuntimeError, "linalg_eig_backward: The eigenvectors in the complex case are specified up to "
             "multiplication by e^{i phi}. The specified loss function depends on this quantity, so it is "
             "ill-defined.", "use abs() of the vectors, or the eigenvalues")


def _similar(v, inner):
    """V^-H inner V^H."""
    return FUNCTIONS["linalg.solve"](adjoint(v), inner @ adjoint(v))


@op
class linalg_eigvals:
    """The eigenvalues of a square matrix, complex always."""
    autocast = "float32"
    names = "linalg.eigvals"
    tags, node_name = KEEP_HALF, "LinalgEigvalsBackward0"
    aliases = {"A": "x"}
    out_types = "castable"

    def forward(x):
        _check_eig(x, "linalg.eigvals")
        _need_finite(x, "linalg.eigvals")
        try:
            with np.errstate(all="ignore"):
                return _complex(np.linalg.eigvals(x))
        except np.linalg.LinAlgError:
            no_convergence("linalg.eigvals",
                            "the input matrix is ill-conditioned or has too many repeated eigenvalues")

    def shape(x):
        _check_eig(x, "linalg.eigvals")
        return x.shape[:-1], complex_of(x)

    def grad_x(g, x):
        return _similar(linalg_eig(x).eigenvectors, g.diag_embed())
    samples = [((3, 3),), ((2, 3, 2, 2),)]


# singular values

def _svd_arrays(x, full, vectors, name):
    need_matrix(x, name)
    need_float(x, name)
    if vectors:
        need_finite(x, name)
    try:
        with np.errstate(all="ignore"):
            if vectors:
                return [dense(a) for a in np.linalg.svd(x, full_matrices=full)]
            return singular_values(x, name)
    except np.linalg.LinAlgError:
        no_convergence(name, "the input matrix is ill-conditioned or has too many repeated singular values")


def singular_values(x, name):
    """Descending; nan for a matrix with inf in it, an error for one with nan."""
    broken = not_finite(x)
    if not broken.any():
        return dense(np.linalg.svd(x, compute_uv=False))
    if np.isnan(x).any():
        need_finite(np.where(np.isnan(x), x, 0), name)
    found = np.linalg.svd(np.where(broken[..., None, None], 0, x), compute_uv=False)
    return dense(np.where(broken[..., None], np.nan, found).astype(found.dtype))


@op
class linalg_svd:
    """U, S, Vh of A = U diag(S) Vh, S descending."""
    autocast = "float32"
    names = "linalg.svd"
    outputs, tags, node_name = "U S Vh", KEEP_HALF, "LinalgSvdBackward0"
    aliases = {"A": "x"}

    def forward(x, full_matrices=True, *, driver=None):
        _no_driver(driver)
        u, s, vh = _svd_arrays(x, full_matrices, True, "linalg.svd")
        return u, s, vh

    def shape(x, full_matrices, *, driver):
        _no_driver(driver)
        need_matrix(x, "linalg.svd")
        need_float(x, "linalg.svd")
        *lead, m, n = x.shape
        k = min(m, n)
        return (((*lead, m, m if full_matrices else k), x.dtype), ((*lead, k), real_of(x)),
                ((*lead, n if full_matrices else k, n), x.dtype))

    def grad_x(g_U, g_S, g_Vh, U, S, Vh, full_matrices):
        k = S._form.shape[-1]
        if full_matrices:       # the columns beyond S have no gradient of their own
            U, g_U = U.narrow(-1, 0, k), g_U.narrow(-1, 0, k) if not unused(g_U) else g_U
            Vh, g_Vh = Vh.narrow(-2, 0, k), g_Vh.narrow(-2, 0, k) if not unused(g_Vh) else g_Vh
        if unused(g_U) and unused(g_Vh):
            return (U * g_S.unsqueeze(-2)) @ Vh
        if g_U._form.shape != U._form.shape:
            g_U = wrap(np.zeros(U._form.shape, U._form.dtype))
        if g_Vh._form.shape != Vh._form.shape:
            g_Vh = wrap(np.zeros(Vh._form.shape, Vh._form.dtype))
        return _svd_gradient(g_U, g_S, g_Vh, U, S, Vh)
    samples = [((3, 3),), ((4, 2), False), ((2, 4), False), (fixed(2, 3, 3, 2),)]


def _no_driver(driver):
    if driver is not None:
        fail(RuntimeError, "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs",
             "leave driver out")


def _svd_gradient(g_u, g_s, g_vh, u, s, vh):
    """Townsend 2016; for complex matrices with the phase that the diagonal leaves free (Wan and Zhang 2019)."""
    k = s._form.shape[-1]
    m, n = u._form.shape[-2], vh._form.shape[-1]
    g_v, v = adjoint(g_vh), adjoint(vh)
    seen_u, seen_v = adjoint(u) @ g_u, adjoint(v) @ g_v
    off = eye_beside(s, k, scale=-1, offset=1)
    gaps = _pairwise(s * s, 1)
    turn_u = (seen_u - adjoint(seen_u)) * off / gaps
    turn_v = (seen_v - adjoint(seen_v)) * off / gaps
    inner = turn_u * s.unsqueeze(-2) + s.unsqueeze(-1) * turn_v
    along = g_s
    if u._form.dtype.kind == "c":
        if not seen_u._on_meta:
            _check_phase(seen_u._array, seen_v._array)
        along = FUNCTIONS["complex"](g_s, _diagonal_of(seen_u).imag / s)
    made = u @ (inner + along.diag_embed()) @ vh
    if m > k:
        rest = g_u / s.unsqueeze(-2)
        made = made + (rest - u @ (adjoint(u) @ rest)) @ vh
    if n > k:
        rest = g_vh / s.unsqueeze(-1)
        made = made + u @ (rest - (rest @ v) @ vh)
    return made


def _check_phase(seen_u, seen_v):
    """A loss must not depend on the phase of the singular vectors, which is arbitrary."""
    with np.errstate(all="ignore"):
        off = np.abs(np.diagonal(seen_u + seen_v, axis1=-2, axis2=-1).imag)
    if off.size and off.max() > 1e-2 * max(1.0, np.abs(seen_u).max(), np.abs(seen_v).max()):
        fail(RuntimeError, "svd_backward: The singular vectors in the complex case are specified up to multiplication "
             "by e^{i phi}. The specified loss function depends on this phase term, making it ill-defined.",
             "make the loss independent of the phase, for example through abs() or products of U and Vh")


@op
class linalg_svdvals:
    """The singular values, descending."""
    autocast = "float32"
    names = "linalg.svdvals"
    tags, node_name = KEEP_HALF, "LinalgSvdBackward0"
    aliases = {"A": "x"}

    def forward(x, *, driver=None):
        return _svd_arrays(x, False, False, "linalg.svdvals")

    def shape(x, *, driver):
        need_matrix(x, "linalg.svdvals")
        need_float(x, "linalg.svdvals")
        return (*x.shape[:-2], min(x.shape[-2:])), real_of(x)

    def grad_x(g, x):
        u, _, vh = linalg_svd(x, False)
        return (u * g.unsqueeze(-2)) @ vh
    samples = [((3, 2),), ((2, 3),)]


@op
class svd:
    """U, S, V of A = U diag(S) V^H."""
    autocast = "float32"
    outputs = "U S V"

    def compose(input, some=True, compute_uv=True):
        need_tensors("svd", input=input)
        if compute_uv:
            u, s, vh = linalg_svd(input, not some)
            return svd.op.returns(u, s, adjoint(vh))
        a = input._form
        need_matrix(a, "linalg.svd")
        u, v = [beside(input, np.zeros((*a.shape[:-2], n, n), a.dtype)) for n in a.shape[-2:]]
        return svd.op.returns(u, linalg_svdvals(input), v)
    samples = [((3, 2),), ((3, 2), True, False)]
