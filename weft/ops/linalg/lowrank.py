"""Large matrices by their leading parts: randomized SVD and PCA, the largest or smallest eigenpairs."""
import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import FUNCTIONS, op
from weft.ops.core.samples import fixed, matrix
from weft.ops.linalg.checks import need_float, need_matrix, need_square, need_tensors
from weft.ops.linalg.det import adjoint
from weft.tensor.tensor import wrap


def _range_of(a, q, niter, m):
    """Orthonormal columns that nearly span the range of A - M (Halko, Martinsson and Tropp 2011)."""
    qr = FUNCTIONS["linalg.qr"]
    seen = a if m is None else a - m
    made = qr(seen @ FUNCTIONS["randn"](a._form.shape[-1], q, dtype=a.dtype)).Q
    for _ in range(niter):
        made = qr(adjoint(seen) @ made).Q
        made = qr(seen @ made).Q
    return made, seen


@op
class svd_lowrank:
    """U, S, V of a rank-q approximation U diag(S) V^H of A (or A - M)."""
    method, outputs = False, "U S V"

    def compose(A, q=6, niter=2, M=None):
        need_tensors("svd_lowrank", A=A)
        need_matrix(A._form, "svd_lowrank")
        need_float(A._form, "svd_lowrank")
        basis, seen = _range_of(A, min(6 if q is None else q, *A._form.shape[-2:]), niter, M)
        u, s, vh = FUNCTIONS["linalg.svd"](adjoint(basis) @ seen, full_matrices=False)
        return svd_lowrank.op.returns(basis @ u, s, adjoint(vh))
    samples = [((4, 3), 2), ((4, 3), 3, 1, (4, 3))]


@op
class pca_lowrank:
    """U, S, V of a rank-q approximation of A, its columns centred unless `center` is False."""
    method, outputs = False, "U S V"

    def compose(A, q=None, center=True, niter=2):
        need_tensors("pca_lowrank", A=A)
        need_matrix(A._form, "pca_lowrank")
        m, n = A._form.shape[-2:]
        q = min(6, m, n) if q is None else q
        if not 0 <= q <= min(m, n):
            raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
        if niter < 0:
            raise ValueError(f"niter(={niter}) must be non-negative integer")
        return pca_lowrank.op.returns(*svd_lowrank(A, q, niter, A.mean(-2, True) if center else None))
    samples = [((4, 3), 2), ((4, 3), 3, False)]


@op
class lobpcg:
    """The k largest (or smallest) eigenvalues and vectors of a symmetric A, or of A x = lambda B x."""
    method = False

    def compose(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None,
                tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
        # dense matrices are solved exactly; what steers the iteration (X, iK, niter, tol, ...) isn't needed
        need_tensors("lobpcg", A=A)
        need_square(A._form, "lobpcg")
        count = k if k is not None else n if n is not None else X._form.shape[-1] if X is not None else 1
        size = A._form.shape[-1]
        if not 0 < count <= size:
            fail(ValueError, f"lobpcg: A has {size} eigenvalues, {count} were asked for")
        A = (A + adjoint(A)) / 2        # both triangles count, for the gradient too
        low = None
        if B is not None:
            B = (B + adjoint(B)) / 2
            low = FUNCTIONS["linalg.cholesky"](B)
            half = FUNCTIONS["linalg.solve_triangular"](low, A, upper=False)
            A = FUNCTIONS["linalg.solve_triangular"](low, adjoint(half), upper=False)
        values, vectors = FUNCTIONS["linalg.eigh"](A)
        if largest is None or largest:
            order = wrap(np.arange(size - 1, size - 1 - count, -1))
            values, vectors = values.index_select(-1, order), vectors.index_select(-1, order)
        else:
            values, vectors = (t.narrow(-1, 0, count).contiguous() for t in (values, vectors))
        if low is not None:
            vectors = FUNCTIONS["linalg.solve_triangular"](adjoint(low), vectors, upper=True)
        return values, vectors
    samples = [(matrix(3, "symmetric"), 2), (matrix(4, "positive", (2,)), 1, None, {"largest": False}),
               (fixed(3, 3, matrix="symmetric"), 1, fixed(3, 3, matrix="positive"), {"largest": False})]
