"""Matrix algorithms that NumPy lacks, batched over leading dimensions: LU, LDL, triangular solves, reflectors, exp.

Arrays are (..., m, n); every function leaves its arguments as they are. Pivots count from 1, as LAPACK's do.
"""
import math

import numpy as np

BLOCK = 32      # columns treated one by one between two matrix products


class LinAlgError(RuntimeError):
    """A matrix that the asked-for factorization or inverse doesn't exist for.

    >>> import weft
    >>> try:
    ...     weft.linalg.inv(weft.zeros(2, 2))
    ... except weft.linalg.LinAlgError:
    ...     print("it has no inverse")
    it has no inverse
    """


def flat_batch(a, ndim=2):
    """A fresh contiguous copy with all leading dimensions in one: (b, m, n)."""
    lead = a.shape[:a.ndim - ndim]
    return np.array(a, order="C").reshape((math.prod(lead), *a.shape[a.ndim - ndim:]))


def dense(a):
    """The array in C order: NumPy lets a stack of results lie in memory as the stack of inputs does."""
    return np.asarray(a, order="C")


def adjoint(a):
    """The conjugate transpose."""
    a = a.swapaxes(-2, -1)
    return a.conj() if a.dtype.kind == "c" else a


def size_of(a):
    """|re| + |im|: what LAPACK compares pivots by."""
    return np.abs(a.real) + np.abs(a.imag) if a.dtype.kind == "c" else np.abs(a)


# least squares

def truncated_inverse(a, rcond):
    """(pseudo-inverse, rank) of a matrix of which only the columns stay that a pivoted QR takes first, as long as the
    condition of its triangle is within 1 / rcond; at least one stays.
    """
    u, values, vh = np.linalg.svd(a, full_matrices=False)
    if values[0] == 0 or not np.isfinite(values).all():
        return np.zeros((a.shape[1], a.shape[0]), a.dtype), 0
    if values[-1] > rcond * values[0] * 8 * math.sqrt(a.shape[1]) and values[-1] > 0:
        return (adjoint(vh) / values) @ adjoint(u), len(values)     # well inside: nothing is cut
    q, r, order = pivoted_qr(a)
    rank = 1
    for k in range(2, len(r) + 1):
        sizes = np.linalg.svd(r[:k, :k], compute_uv=False)
        if sizes[-1] == 0 or sizes[0] * rcond > sizes[-1] * (1 + 4 * np.finfo(a.dtype).eps):
            break
        rank = k
    made = np.empty((a.shape[1], a.shape[0]), a.dtype)
    made[order] = np.linalg.pinv(r[:rank], 0.0) @ adjoint(q[:, :rank])
    return made, rank


def pivoted_qr(a):
    """(q, r, order) with a[:, order] = q r, the longest of the columns that are left taken first."""
    work, (m, n) = a.copy(), a.shape
    order, q = np.arange(n), np.eye(m, dtype=a.dtype)
    for k in range(min(m, n)):
        best = k + int(np.argmax(np.linalg.norm(work[k:, k:], axis=0)))
        order[[k, best]], work[:, [k, best]] = order[[best, k]], work[:, [best, k]]
        v = work[k:, k].copy()
        length = np.linalg.norm(v)
        if length == 0:
            break
        v[0] += length * (v[0] / abs(v[0]) if v[0] else 1)
        v /= np.linalg.norm(v)
        work[k:, k:] -= 2 * np.outer(v, v.conj() @ work[k:, k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v.conj())
        work[k + 1:, k] = 0
    return q, work[:min(m, n)], order


# LU

def lu(a):
    """(lu, pivots, info): P L U with partial pivoting; info is the first zero pivot's number, or 0."""
    lead, (m, n) = a.shape[:-2], a.shape[-2:]
    work, k = flat_batch(a), min(m, n)
    count = work.shape[0]
    pivots = np.empty((count, k), np.int32)
    info = np.zeros(count, np.int32)
    with np.errstate(all="ignore"):
        for lo in range(0, k, BLOCK):
            hi = min(lo + BLOCK, k)
            _lu_panel(work, lo, hi, pivots, info)
            if hi < n:
                work[:, lo:hi, hi:] = solve_triangular(work[:, lo:hi, lo:hi], work[:, lo:hi, hi:], False, True)
                if hi < m:
                    work[:, hi:, hi:] -= work[:, hi:, lo:hi] @ work[:, lo:hi, hi:]
    return work.reshape(a.shape), pivots.reshape(*lead, k), info.reshape(lead)


def _lu_panel(work, lo, hi, pivots, info):
    """Eliminate columns lo..hi one by one; rows are exchanged over the whole width."""
    every = np.arange(work.shape[0])
    for j in range(lo, hi):
        row = j + np.argmax(size_of(work[:, j:, j]), axis=1)
        pivots[:, j] = row + 1
        upper = work[every, j]
        work[every, j] = work[every, row]
        work[every, row] = upper
        pivot = work[:, j, j].copy()
        info[(pivot == 0) & (info == 0)] = j + 1
        pivot[pivot == 0] = 1
        work[:, j + 1:, j] /= pivot[:, None]
        work[:, j + 1:, j + 1:hi] -= work[:, j + 1:, j, None] * work[:, j, None, j + 1:hi]


def permutation_of(pivots, m):
    """The matrix P of A = P L U from row exchanges, as indices: row i of L U is row order[i] of A."""
    exchanges = flat_batch(pivots, 1)
    order = np.tile(np.arange(m), (exchanges.shape[0], 1))
    every = np.arange(exchanges.shape[0])
    for i in range(exchanges.shape[1]):
        other = exchanges[:, i] - 1
        kept = order[:, i].copy()
        order[:, i] = order[every, other]
        order[every, other] = kept
    return order.reshape(*pivots.shape[:-1], m)


def permutation_matrix(pivots, m, np_dtype):
    """P of A = P L U: P[order[i], i] = 1."""
    order = permutation_of(pivots, m)
    return (np.arange(m)[:, None] == order[..., None, :]).astype(np_dtype)


# triangular systems

def solve_triangular(a, b, upper, unit):
    """X of A X = B, reading one triangle of A; zeros on its diagonal give inf and nan, no error."""
    n = a.shape[-1]
    x = np.array(np.broadcast_to(b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:]), order="C")
    starts = range(0, n, BLOCK)
    with np.errstate(all="ignore"):
        for lo in (reversed(starts) if upper else starts):
            hi = min(lo + BLOCK, n)
            if upper and hi < n:
                x[..., lo:hi, :] -= a[..., lo:hi, hi:] @ x[..., hi:, :]
            elif not upper and lo:
                x[..., lo:hi, :] -= a[..., lo:hi, :lo] @ x[..., :lo, :]
            _solve_block(a, x, lo, hi, upper, unit)
    return x


def _solve_block(a, x, lo, hi, upper, unit):
    rows = range(hi - 1, lo - 1, -1) if upper else range(lo, hi)
    for i in rows:
        done = slice(i + 1, hi) if upper else slice(lo, i)
        if done.stop > done.start:
            x[..., i:i + 1, :] -= a[..., i:i + 1, done] @ x[..., done, :]
        if not unit:
            x[..., i, :] /= a[..., i, i, None]


# inverses, with the number of the pivot that fails instead of an error

def singular_info(a):
    """For each matrix the number of its first zero pivot, 0 for a regular one."""
    return lu(a)[2]


def inverse(a):
    """(inverse, info); a singular matrix's inverse is inf."""
    with np.errstate(all="ignore"):
        try:
            return dense(np.linalg.inv(a)), np.zeros(a.shape[:-2], np.int32)
        except np.linalg.LinAlgError:
            info = singular_info(a)
            regular = np.where((info != 0)[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a)
            made = dense(np.linalg.inv(regular))
            made[info != 0] = np.inf
            return made, info


def solve(a, b):
    """(solution, info) of A X = B for matrices B with A's leading dimensions."""
    with np.errstate(all="ignore"):
        try:
            return dense(np.linalg.solve(a, b)), np.zeros(a.shape[:-2], np.int32)
        except np.linalg.LinAlgError:
            info = singular_info(a)
            regular = np.where((info != 0)[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a)
            made = dense(np.linalg.solve(regular, b))
            made[info != 0] = np.nan
            return made, info


def cholesky(a, upper):
    """(factor, info): L L^H or U^H U, reading one triangle; info is the order of the first minor that isn't positive.
    """
    a = adjoint(a) if upper else a
    with np.errstate(all="ignore"):
        try:
            made, info = np.linalg.cholesky(a), np.zeros(a.shape[:-2], np.int32)
            done = not np.isnan(np.einsum("...ii->...i", made)).any()      # LAPACK lets NaN pass
        except np.linalg.LinAlgError:
            done = False
        if not done:
            made, info = _cholesky_slowly(a)
    return dense(adjoint(made) if upper else made), info


def _cholesky_slowly(a):
    flat = np.tril(flat_batch(a))
    info = np.zeros(flat.shape[0], np.int32)
    for b, l in enumerate(flat):
        for j in range(l.shape[0]):
            d = l[j, j].real - np.vdot(l[j, :j], l[j, :j]).real
            if not d > 0:
                info[b] = j + 1
                break
            l[j, j] = math.sqrt(d)
            l[j + 1:, j] = (l[j + 1:, j] - l[j + 1:, :j] @ l[j, :j].conj()) / l[j, j]
    return flat.reshape(a.shape), info.reshape(a.shape[:-2])


# LDL^T, Bunch and Kaufman's pivoting (lower triangle; Golub and Van Loan, 4.4)

ALPHA = (1 + math.sqrt(17)) / 8


def ldl(a, hermitian):
    """(ld, pivots, info): negative pivots come in pairs and mark 2x2 blocks of D."""
    flat = np.tril(flat_batch(a))
    pivots = np.zeros(flat.shape[:2], np.int32)
    info = np.zeros(flat.shape[0], np.int32)
    with np.errstate(all="ignore"):
        for b in range(flat.shape[0]):
            info[b] = _ldl_one(flat[b], pivots[b], hermitian and a.dtype.kind == "c")
    return np.tril(flat).reshape(a.shape), pivots.reshape(a.shape[:-1]), info.reshape(a.shape[:-2])


def _ldl_one(a, pivots, hermitian):
    n, k, info = len(a), 0, 0
    while k < n:
        step, row = _ldl_pivot(a, k)
        if row < 0:                     # the whole column is zero
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        kk = k + step - 1
        if row != kk:
            _ldl_swap(a, k, kk, row, hermitian)
        below = a[k + step:, k:k + step]
        block = a[k:k + step, k:k + step].copy()
        if step == 2:
            block[0, 1] = block[1, 0].conj() if hermitian else block[1, 0]
        if hermitian:
            np.fill_diagonal(block, block.diagonal().real)
            a[k, k], a[kk, kk] = block[0, 0], block[-1, -1]
        if k + step < n:
            scaled = np.linalg.solve(block.T, below.T).T
            a[k + step:, k + step:] -= np.tril(scaled @ (below.conj() if hermitian else below).T)
            a[k + step:, k:k + step] = scaled
        pivots[k:k + step] = row + 1 if step == 1 else -(row + 1)
        k += step
    return info


def _size(x):
    """|x|, for complex numbers |real| + |imag|: LAPACK's measure of a pivot."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _ldl_pivot(a, k):
    """(1 or 2, the row to bring up); row -1 when the column is zero."""
    own = _size(a[k, k])
    if k + 1 == len(a):
        return 1, (k if own != 0 else -1)
    column = _size(a[k + 1:, k])
    row = k + 1 + int(np.argmax(column))
    largest = column.max()
    if max(own, largest) == 0:
        return 1, -1
    if own >= ALPHA * largest:
        return 1, k
    in_row = max(_size(a[row, k:row]).max(), _size(a[row + 1:, row]).max(initial=0))
    if own >= ALPHA * largest * (largest / in_row):
        return 1, k
    return (1, row) if _size(a[row, row]) >= ALPHA * in_row else (2, row)


def _ldl_swap(a, k, kk, row, hermitian):
    """Exchange rows and columns kk and row of the trailing symmetric part, in its lower triangle."""
    below = a[row + 1:, kk].copy()
    a[row + 1:, kk], a[row + 1:, row] = a[row + 1:, row], below
    between = a[kk + 1:row, kk].copy()
    turned = a[row, kk + 1:row].copy()
    a[kk + 1:row, kk] = turned.conj() if hermitian else turned
    a[row, kk + 1:row] = between.conj() if hermitian else between
    if hermitian:
        a[row, kk] = a[row, kk].conj()
    a[kk, kk], a[row, row] = a[row, row], a[kk, kk]
    if kk > k:
        a[kk, k], a[row, k] = a[row, k], a[kk, k]


def ldl_solve(ld, pivots, b, hermitian):
    """X of A X = B from ldl's factors."""
    lead = np.broadcast_shapes(ld.shape[:-2], b.shape[:-2])
    flat = flat_batch(np.broadcast_to(ld, lead + ld.shape[-2:]))
    order = flat_batch(np.broadcast_to(pivots, lead + pivots.shape[-1:]), 1)
    x = flat_batch(np.broadcast_to(b, lead + b.shape[-2:]))
    hermitian = hermitian and ld.dtype.kind == "c"
    with np.errstate(all="ignore"):
        for i in range(x.shape[0]):
            _ldl_solve_one(flat[i], order[i], x[i], hermitian)
    return x.reshape(lead + b.shape[-2:])


def _ldl_solve_one(a, pivots, x, hermitian):
    n, k, steps = len(a), 0, []
    while k < n:
        step = 1 if pivots[k] > 0 else 2
        steps.append((k, step))
        kk, row = k + step - 1, abs(int(pivots[k + step - 1])) - 1
        x[[kk, row]] = x[[row, kk]]
        x[k + step:] -= a[k + step:, k:k + step] @ x[k:k + step]
        block = a[k:k + step, k:k + step].copy()
        if step == 2:
            block[0, 1] = block[1, 0].conj() if hermitian else block[1, 0]
            x[k:k + 2] = np.linalg.solve(block, x[k:k + 2])
        else:
            x[k] /= block[0, 0]
        k += step
    for k, step in reversed(steps):
        below = a[k + step:, k:k + step]
        x[k:k + step] -= (below.conj() if hermitian else below).T @ x[k + step:]
        kk, row = k + step - 1, abs(int(pivots[k + step - 1])) - 1
        x[[kk, row]] = x[[row, kk]]


# Householder reflectors, (I - tau v v^H), v below the diagonal of h with a 1 on it

def geqrf(a):
    """(h, tau): R on and above the diagonal, the reflectors below."""
    k = min(a.shape[-2:])
    if a.size == 0:
        return a.copy(), np.zeros(a.shape[:-2] + (k,), a.dtype)
    h, tau = np.linalg.qr(a, mode="raw")
    return dense(h.swapaxes(-2, -1)), dense(tau)


def reflector_order(k, left, transpose):
    """Q = H0 H1 ...: which of the reflectors meets the matrix first."""
    return range(k - 1, -1, -1) if left != transpose else range(k)


def reflect(h, tau, c, left, transpose):
    """Q C, Q^H C, C Q or C Q^H for the Q of k reflectors."""
    made = np.array(c, order="C")
    k = tau.shape[-1]
    for i in reflector_order(k, left, transpose):
        v = h[..., :, i:i + 1].copy()       # (..., m, 1)
        v[..., :i, :] = 0
        v[..., i, :] = 1
        t = tau[..., i, None, None]
        t = t.conj() if transpose else t
        if left:
            made -= t * v @ (adjoint(v) @ made)
        else:
            made -= t * (made @ v) @ adjoint(v)
    return made


# exp, by scaling, Pade's [13/13] and squaring (Higham 2005)

PADE = (64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
        670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.)
THETA = 5.371920351148152


def matrix_exp(a):
    """e**A for square matrices."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    n = a.shape[-1]
    if a.size == 0:
        return a.copy()
    work = flat_batch(a).astype(wide)
    with np.errstate(all="ignore"):
        norm = np.abs(work).sum(-2).max(-1)         # (b,)
        finite = np.isfinite(norm)
        work[~finite] = 0
        halvings = np.where(finite & (norm > THETA), np.ceil(np.log2(np.where(finite & (norm > 0), norm, 1) / THETA)),
                            0)
        halvings = np.clip(halvings, 0, 1100).astype(int)
        made = _pade(np.ldexp(1.0, -halvings)[:, None, None] * work, np.eye(n))
        for i in range(halvings.max(initial=0)):
            chosen = halvings > i
            made[chosen] = made[chosen] @ made[chosen]
        made[~finite] = np.nan
        return made.reshape(a.shape).astype(a.dtype)


def _pade(a, eye):
    c = PADE
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * eye)
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * eye
    return np.linalg.solve(even - odd, even + odd)


# cofactors, also of singular matrices, through the SVD

def _products_without(s, n):
    """For each i, k the product of all s but s_i and s_k; on the diagonal of all but s_i."""
    keep = ~np.eye(n, dtype=bool)
    both = keep[:, None, :] & keep[None, :, :]      # (i, k, l)
    return np.where(both, s[..., None, None, :], 1).prod(-1)


def _turned(a):
    u, s, vh = np.linalg.svd(a)
    return u, s, vh, np.linalg.det(u) * np.linalg.det(vh)


def cofactor(a):
    """conj(d det / dA): det(A) A^-H where that exists."""
    u, s, vh, sign = _turned(a)
    diagonal = np.diagonal(_products_without(s, s.shape[-1]), axis1=-2, axis2=-1)
    return dense((np.conj(sign)[..., None, None] * ((u * diagonal[..., None, :]) @ vh)).astype(a.dtype))


def cofactor_vjp(g, a):
    """The gradient of <g, cofactor(A)>, second derivatives of det."""
    u, s, vh, sign = _turned(a)
    n = s.shape[-1]
    pairs = np.where(np.eye(n, dtype=bool), 0, _products_without(s, n))
    # cof(U (S + E) V^H) turned back moves by P diag(E) on the diagonal and by -P * E^T off it
    e = adjoint(u) @ (g * sign[..., None, None]) @ adjoint(vh)
    inner = -pairs * e.swapaxes(-2, -1).conj()
    along = (pairs @ np.diagonal(e, axis1=-2, axis2=-1).conj()[..., None])[..., 0]
    inner = np.where(np.eye(n, dtype=bool), along[..., None, :], inner)
    return dense((u @ inner @ vh).astype(a.dtype))
