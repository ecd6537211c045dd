"""Linear algebra as data: functions of a library and its tensors, and the operands to try them on."""
import numpy as np


def matrices(rng, shape, complex_, kind):
    """`a`: any, `s`: symmetric, `p`: positive definite, `l`/`u`: triangular, `g`: singular of rank n - 1."""
    a = rng.standard_normal(shape)
    if complex_:
        a = a + 1j * rng.standard_normal(shape)
    turned = a.swapaxes(-2, -1).conj() if len(shape) > 1 else a
    if kind == "s":
        return a + turned
    if kind == "p":
        return a @ turned + shape[-1] * np.eye(shape[-1])
    if kind in "lu":
        one = np.eye(shape[-1])
        return (np.tril(a, -1) if kind == "l" else np.triu(a, 1)) + (a.real + 2) * one
    if kind == "g":
        u, s, vh = np.linalg.svd(a)
        s[..., -1] = 0
        return (u * s[..., None, :]) @ vh
    return a


def hermitian(f):
    """Let a function see only the hermitian part, which is all that it reads."""
    return lambda T, a, *rest: f(T, (a + a.mH) / 2, *rest)


# name: (function of the library and its tensors, the operands' kinds and shapes)
CASES = {
    "matmul 2-2": (lambda T, a, b: a @ b, "a3,4 a4,2"),
    "matmul 1-1": (lambda T, a, b: a @ b, "a4 a4"),
    "matmul 2-1": (lambda T, a, b: a @ b, "a3,4 a4"),
    "matmul 1-2": (lambda T, a, b: a @ b, "a4 a4,2"),
    "matmul 3-2": (lambda T, a, b: a @ b, "a2,3,4 a4,2"),
    "matmul 2-3": (lambda T, a, b: a @ b, "a3,4 a2,4,2"),
    "matmul 3-1": (lambda T, a, b: a @ b, "a2,3,4 a4"),
    "matmul 1-3": (lambda T, a, b: a @ b, "a4 a2,4,3"),
    "matmul 4-3": (lambda T, a, b: a @ b, "a2,1,3,4 a5,4,2"),
    "matmul transposed": (lambda T, a, b: a.mT @ b.mH, "a4,3 a2,4"),
    "addmm": (lambda T, a, b, c: T.addmm(a, b, c, beta=0.5, alpha=2), "a2 a3,4 a4,2"),
    "baddbmm": (lambda T, a, b, c: T.baddbmm(a, b, c, beta=0.5, alpha=2), "a2 a5,3,4 a5,4,2"),
    "addbmm": (lambda T, a, b, c: T.addbmm(a, b, c, beta=0.5, alpha=2), "a3,2 a5,3,4 a5,4,2"),
    "addmv": (lambda T, a, b, c: T.addmv(a, b, c, beta=0.5, alpha=2), "a3 a3,4 a4"),
    "addr": (lambda T, a, b, c: T.addr(a, b, c, beta=0.5, alpha=2), "a3,2 a3 a2"),
    "vdot": (lambda T, a, b: T.vdot(a, b), "a3 a3"),
    "inner": (lambda T, a, b: T.inner(a, b), "a2,3 a4,3"),
    "tensordot": (lambda T, a, b: T.tensordot(a, b, dims=([1, 0], [0, 2])), "a2,3,4 a3,5,2"),
    "cross": (lambda T, a, b: T.linalg.cross(a, b, dim=0), "a3,2 a3,1"),
    "vecdot": (lambda T, a, b: T.linalg.vecdot(a, b, dim=0), "a3,2 a3,2"),
    "vander": (lambda T, a: T.linalg.vander(a, N=4), "a3"),
    "multi_dot": (lambda T, a, b, c: T.linalg.multi_dot([a, b, c]), "a2,3 a3,4 a4"),
    "matrix_power": (lambda T, a: T.linalg.matrix_power(a, -3), "p3,3"),
    "matrix_exp": (lambda T, a: T.linalg.matrix_exp(a), "a2,3,3"),
    "det": (lambda T, a: T.linalg.det(a), "a2,3,3"),
    "det singular": (lambda T, a: T.linalg.det(a), "g4,4"),
    "slogdet": (lambda T, a: tuple(T.linalg.slogdet(a)), "a2,3,3"),
    "logdet": (lambda T, a: T.logdet(a), "p3,3"),
    "inv": (lambda T, a: T.linalg.inv(a), "a2,3,3"),
    "solve": (lambda T, a, b: T.linalg.solve(a, b), "a3,3 a2,3,4"),
    "solve vector": (lambda T, a, b: T.linalg.solve(a, b), "a2,3,3 a2,3"),
    "solve right": (lambda T, a, b: T.linalg.solve(a, b, left=False), "a3,3 a2,4,3"),
    "tensorinv": (lambda T, a: T.linalg.tensorinv(a, ind=1), "a6,2,3"),
    "tensorsolve": (lambda T, a, b: T.linalg.tensorsolve(a, b), "a2,3,6 a2,3"),
    "solve_triangular": (lambda T, a, b: T.linalg.solve_triangular(a, b, upper=False), "l2,3,3 a3,4"),
    "solve_triangular unit": (lambda T, a, b: T.linalg.solve_triangular(a, b, upper=True, left=False,
                                                                        unitriangular=True), "u3,3 a2,3"),
    "triangular_solve": (lambda T, a, b: T.triangular_solve(b, a, upper=False, transpose=True)[0], "l3,3 a3,4"),
    "cholesky": (hermitian(lambda T, a: T.linalg.cholesky(a)), "p2,3,3"),
    "cholesky upper": (hermitian(lambda T, a: T.linalg.cholesky(a, upper=True)), "p3,3"),
    "cholesky_solve": (lambda T, a, b: T.cholesky_solve(b, a), "l3,3 a3,2"),
    "cholesky_inverse": (lambda T, a: T.cholesky_inverse(a, upper=True), "u3,3"),
    "lu square": (lambda T, a: tuple(T.linalg.lu(a)), "a2,4,4"),
    "lu tall": (lambda T, a: tuple(T.linalg.lu(a)), "a5,3"),
    "lu wide": (lambda T, a: tuple(T.linalg.lu(a)), "a3,5"),
    "lu_factor": (lambda T, a: T.linalg.lu_factor(a)[0], "a4,4"),
    "lu_solve": (lambda T, a, b: T.linalg.lu_solve(*T.linalg.lu_factor(a), b, adjoint=True), "a4,4 a4,2"),
    "lu_solve right": (lambda T, a, b: T.linalg.lu_solve(*T.linalg.lu_factor(a), b, left=False), "a4,4 a2,4"),
    "qr square": (lambda T, a: tuple(T.linalg.qr(a)), "a2,3,3"),
    "qr tall": (lambda T, a: tuple(T.linalg.qr(a)), "a4,3"),
    "qr wide": (lambda T, a: tuple(T.linalg.qr(a)), "a3,4"),
    "householder_product": (lambda T, a, b: T.linalg.householder_product(a, b), "a4,3 a2"),
    "ormqr": (lambda T, a, b, c: T.ormqr(a, b, c, left=False, transpose=True), "a4,3 a3 a2,4"),
    "eigh": (hermitian(lambda T, a: (T.linalg.eigh(a)[0], T.linalg.eigh(a)[1].abs())), "s2,3,3"),
    "eigvalsh": (hermitian(lambda T, a: T.linalg.eigvalsh(a)), "s3,3"),
    "eig": (lambda T, a: (T.linalg.eig(a)[0], T.linalg.eig(a)[1].abs()), "a3,3"),
    "eigvals": (lambda T, a: T.linalg.eigvals(a), "a2,3,3"),
    "svd square": (lambda T, a: _svd(T, a, False), "a2,3,3"),
    "svd tall": (lambda T, a: _svd(T, a, False), "a4,3"),
    "svd wide": (lambda T, a: _svd(T, a, False), "a3,4"),
    "svd full": (lambda T, a: T.linalg.svd(a)[0].narrow(-1, 0, 3).abs(), "a4,3"),
    "svdvals": (lambda T, a: T.linalg.svdvals(a), "a2,3,4"),
    "pinv": (lambda T, a: T.linalg.pinv(a), "a4,3"),
    "pinv singular": (lambda T, a: T.linalg.pinv(a, rtol=1e-9), "g3,3"),
    "pinv hermitian": (hermitian(lambda T, a: T.linalg.pinv(a, hermitian=True)), "s3,3"),
    "lstsq": (lambda T, a, b: T.linalg.lstsq(a, b)[0], "a4,3 a4,2"),
    "matrix_norm nuc": (lambda T, a: T.linalg.matrix_norm(a, "nuc"), "a2,3,4"),
    "matrix_norm 2": (lambda T, a: T.linalg.matrix_norm(a, 2, (0, 2), True), "a3,2,4"),
    "matrix_norm 1": (lambda T, a: T.linalg.matrix_norm(a, 1), "a2,3,4"),
    "norm": (lambda T, a: T.linalg.norm(a), "a2,3,4"),
    "vector_norm 3": (lambda T, a: T.linalg.vector_norm(a, 3, 1), "a2,3,4"),
    "cond": (lambda T, a: T.linalg.cond(a), "a3,3"),
    "cond fro": (lambda T, a: T.linalg.cond(a, "fro"), "a3,3"),
    "einsum chain": (lambda T, a, b, c: T.einsum("ij,jk,kl->il", a, b, c), "a2,3 a3,4 a4,2"),
    "einsum attention": (lambda T, a, b: T.einsum("bthd,bshd->bhts", a, b), "a2,3,2,4 a2,5,2,4"),
    "einsum diagonal": (lambda T, a, b: T.einsum("bii,bi->b", a, b), "a2,3,3 a2,3"),
    "einsum ellipsis": (lambda T, a, b: T.einsum("...ij,...jk", a, b), "a2,1,3,4 a5,4,2"),
    "einsum broadcast": (lambda T, a, b: T.einsum("ij,ij->i", a, b), "a3,1 a3,4"),
    "einsum sublists": (lambda T, a, b: T.einsum(a, [0, 1], b, [1, 2], [2, 0]), "a2,3 a3,4"),
}


def _svd(T, a, full):
    u, s, vh = T.linalg.svd(a, full)
    return s, u.abs(), vh.abs(), u @ vh


def operands(spec, complex_):
    rng = np.random.default_rng(len(spec))
    return [matrices(rng, tuple(map(int, word[1:].split(","))), complex_, word[0]) for word in spec.split()]
