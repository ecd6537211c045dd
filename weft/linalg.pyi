"""torch.linalg's functions, from the op registry."""
# made by tools/stubs.py
from collections.abc import Sequence
from weft._typing import DType, Dim, Ints, LinalgCholeskyExResult as LinalgCholeskyExResult, LinalgEigResult as LinalgEigResult, LinalgEighResult as LinalgEighResult, LinalgInvExResult as LinalgInvExResult, LinalgLdlFactorExResult as LinalgLdlFactorExResult, LinalgLdlFactorResult as LinalgLdlFactorResult, LinalgLstsqResult as LinalgLstsqResult, LinalgLuFactorExResult as LinalgLuFactorExResult, LinalgLuFactorResult as LinalgLuFactorResult, LinalgLuResult as LinalgLuResult, LinalgQrResult as LinalgQrResult, LinalgSlogdetResult as LinalgSlogdetResult, LinalgSolveExResult as LinalgSolveExResult, LinalgSvdResult as LinalgSvdResult, Tensors
from weft.tensor.tensor import Tensor

def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1, out: Tensor | None = None) -> Tensor:
    """The view of the diagonals of the last two dimensions.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> weft.linalg.diagonal(weft.eye(2))
    tensor([1., 1.])
    """
from weft.kernels.linalg import LinAlgError as LinAlgError
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of 3-vectors along `dim`, other dimensions broadcast.

    Shape: (2, 3), (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])
    >>> weft.linalg.cross(x, y)
    tensor([[-0.1218,  0.2382, -0.1176],
            [-0.1152,  0.2394, -0.1230]])
    """
def vecdot(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The inner product along `dim`, the first argument conjugated.

    Shape: (2, 3), (2, 3) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])
    >>> weft.linalg.vecdot(x, y)
    tensor([0.8574, 1.0170])
    """
def vander(input: Tensor, *, N: int | None = None, out: Tensor | None = None) -> Tensor:
    """The powers input**0, input**1, ... of each element, along a new last dimension.

    Shape: (3,) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2, 3])
    >>> weft.linalg.vander(x)
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A matrix times itself n times; the inverse for n = -1.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> weft.linalg.matrix_power(x, 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices in the order that needs the fewest multiplications.

    Shape: (2, 3), (3, 4) -> (2, 4) in the example.

    >>> import weft
    >>> x = [weft.ones(2, 3), weft.ones(3, 4)]
    >>> weft.linalg.multi_dot(x)
    tensor([[3., 3., 3., 3.],
            [3., 3., 3., 3.]])
    """
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e**A of a square matrix.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.zeros(2, 2)
    >>> weft.linalg.matrix_exp(x)
    tensor([[1., 0.],
            [0., 1.]])
    """
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices.

    Shape: (2, 2) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.linalg.det(x)
    tensor(8.)
    """
def slogdet(input: Tensor, *, out: Tensors | None = None) -> LinalgSlogdetResult:
    """The sign and the logarithm of the absolute value of the determinant.

    Shape: (2, 2) -> (), () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.linalg.slogdet(x)
    torch.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(2.0794))
    """
def eigh(input: Tensor, UPLO: str = 'L', *, out: Tensors | None = None) -> LinalgEighResult:
    """The eigenvalues (ascending) and eigenvectors of a symmetric or hermitian matrix.

    Shape: (2, 2) -> (2,), (2, 2) in the example.

    >>> import weft
    >>> [t.shape for t in weft.linalg.eigh(weft.eye(2))]
    [torch.Size([2]), torch.Size([2, 2])]
    """
def eigvalsh(input: Tensor, UPLO: str = 'L', *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues (ascending) of a symmetric or hermitian matrix.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> weft.linalg.eigvalsh(weft.eye(2))
    tensor([1., 1.])
    """
def eig(input: Tensor, *, out: Tensors | None = None) -> LinalgEigResult:
    """The eigenvalues and eigenvectors of a square matrix, complex always.

    Shape: (2, 2) -> (2,), (2, 2) in the example.

    >>> import weft
    >>> [t.shape for t in weft.linalg.eig(weft.eye(2))]
    [torch.Size([2]), torch.Size([2, 2])]
    """
def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a square matrix, complex always.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> weft.linalg.eigvals(weft.eye(2)).shape
    torch.Size([2])
    """
def svd(input: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Tensors | None = None) -> LinalgSvdResult:
    """U, S, Vh of A = U diag(S) Vh, S descending.

    Shape: (3, 2) -> (3, 3), (2,), (2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(3, 2)
    >>> [t.shape for t in weft.linalg.svd(x)]
    [torch.Size([3, 3]), torch.Size([2]), torch.Size([2, 2])]
    """
def svdvals(input: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values, descending.

    Shape: (3, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.linalg.svdvals(x)
    tensor([1.5524, 0.0454])
    """
def inv_ex(input: Tensor, *, check_errors: bool = False, out: Tensors | None = None) -> LinalgInvExResult:
    """The inverse, and for each matrix the number of its first zero pivot (0 when there is none).

    Shape: (2, 2) -> (2, 2), () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.linalg.inv_ex(x)
    torch.return_types.linalg_inv_ex(
    inverse=tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]]),
    info=tensor(0, dtype=torch.int32))
    """
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.linalg.inv(x)
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Tensors | None = None) -> LinalgSolveExResult:
    """X of A X = B (or X A = B), and for each A the number of its first zero pivot.

    Shape: (2, 2), (2, 1) -> (2, 1), () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> y = weft.tensor([[2.0], [8.0]])
    >>> weft.linalg.solve_ex(x, y)
    torch.return_types.linalg_solve_ex(
    result=tensor([[1.],
            [2.]]),
    info=tensor(0, dtype=torch.int32))
    """
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """X of A X = B, or of X A = B with left=False.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> y = weft.tensor([[2.0], [8.0]])
    >>> weft.linalg.solve(x, y)
    tensor([[1.],
            [2.]])
    """
def solve_triangular(input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None) -> Tensor:
    """X of A X = B (or X A = B), reading only one triangle of A.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.eye(2) * 2
    >>> y = weft.ones(2, 1)
    >>> weft.linalg.solve_triangular(x, y, upper=True)
    tensor([[0.5000],
            [0.5000]])
    """
def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a tensor for tensordot with its first `ind` dimensions as rows.

    Shape: (2, 3, 6) -> (6, 2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 36).reshape(2, 3, 6)
    >>> weft.linalg.tensorinv(x).shape
    torch.Size([6, 2, 3])
    """
def tensorsolve(input: Tensor, other: Tensor, dims: Dim = None, *, out: Tensor | None = None) -> Tensor:
    """X of tensordot(A, X) = B.

    Shape: (2, 2, 4), (2, 2) -> (4,) in the example.

    >>> import weft
    >>> x = weft.eye(4).reshape(2, 2, 4) * 2
    >>> y = weft.ones(2, 2)
    >>> weft.linalg.tensorsolve(x, y)
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Tensors | None = None) -> LinalgCholeskyExResult:
    """The Cholesky factor, and for each matrix the order of its first minor that isn't positive (0 when all are).

    Shape: (2, 2) -> (2, 2), () in the example.

    >>> import weft
    >>> x = weft.tensor([[4.0, 2.0], [2.0, 3.0]])
    >>> weft.linalg.cholesky_ex(x)
    torch.return_types.linalg_cholesky_ex(
    L=tensor([[2.0000, 0.0000],
            [1.0000, 1.4142]]),
    info=tensor(0, dtype=torch.int32))
    """
def cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """L of A = L L^H for a hermitian positive-definite A, or the upper factor.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[4.0, 2.0], [2.0, 3.0]])
    >>> weft.linalg.cholesky(x)
    tensor([[2.0000, 0.0000],
            [1.0000, 1.4142]])
    """
def lu_factor_ex(input: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Tensors | None = None) -> LinalgLuFactorExResult:
    """L and U of A = P L U in one matrix, the row exchanges, and the number of the first zero pivot.

    Shape: (3, 3) -> (3, 3), (3,), () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> [t.shape for t in weft.linalg.lu_factor_ex(x)]
    [torch.Size([3, 3]), torch.Size([3]), torch.Size([])]
    """
def lu_factor(A: Tensor, *, pivot: bool = True, out: Tensors | None = None) -> LinalgLuFactorResult:
    """L and U of A = P L U in one matrix, and the row exchanges.

    Shape: (3, 3) -> (3, 3), (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> [t.shape for t in weft.linalg.lu_factor(x)]
    [torch.Size([3, 3]), torch.Size([3])]
    """
def lu(A: Tensor, *, pivot: bool = True, out: Tensors | None = None) -> LinalgLuResult:
    """P, L and U of A = P L U.

    Shape: (3, 3) -> (3, 3), (3, 3), (3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> [t.shape for t in weft.linalg.lu(x)]
    [torch.Size([3, 3]), torch.Size([3, 3]), torch.Size([3, 3])]
    """
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None) -> Tensor:
    """X of A X = B (A^H X = B with adjoint, X A = B with left=False) from A's LU factors.

    Shape: (3, 3), (3,), (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.eye(3) + 0.5
    >>> y = weft.tensor([3, 2, 3], dtype=weft.int32)
    >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.linalg.lu_solve(x, y, z)
    tensor([[ 0.5111,  0.5733],
            [ 0.1367,  0.1700],
            [-0.1100, -0.0900]])
    """
def ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Tensors | None = None) -> LinalgLdlFactorExResult:
    """L and D of a symmetric (or hermitian) A = L D L^T in one matrix, the exchanges, and the number of the first zero
    pivot.

    Shape: (2, 2) -> (2, 2), (2,), () in the example.

    >>> import weft
    >>> x = weft.eye(2) * 2
    >>> [t.shape for t in weft.linalg.ldl_factor_ex(x)]
    [torch.Size([2, 2]), torch.Size([2]), torch.Size([])]
    """
def ldl_factor(input: Tensor, *, hermitian: bool = False, out: Tensors | None = None) -> LinalgLdlFactorResult:
    """L and D of a symmetric (or hermitian) A = L D L^T in one matrix, and the exchanges.

    Shape: (2, 2) -> (2, 2), (2,) in the example.

    >>> import weft
    >>> x = weft.eye(2) * 2
    >>> [t.shape for t in weft.linalg.ldl_factor(x)]
    [torch.Size([2, 2]), torch.Size([2])]
    """
def ldl_solve(input: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None) -> Tensor:
    """X of A X = B from A's LDL factors.

    Shape: (2, 2), (2,), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2], dtype=weft.int32)
    >>> y = weft.ones(2, 1)
    >>> weft.linalg.ldl_solve(weft.eye(2), x, y)
    tensor([[1.],
            [1.]])
    """
def pinv(input: Tensor, rcond: Tensor | float | None = None, hermitian: bool = False, *, atol: float | None = None, rtol: float | None = None, out: Tensor | None = None) -> Tensor:
    """The pseudo-inverse (Moore and Penrose).

    Shape: (3, 2) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.linalg.pinv(x)
    tensor([[-14.2361,  -2.7778,   8.6806],
            [ 12.1528,   2.7778,  -6.5972]])
    """
def matrix_rank(input: Tensor, tol: Tensor | float | None = None, hermitian: bool = False, *, atol: float | None = None, rtol: float | None = None, out: Tensor | None = None) -> Tensor:
    """The rank of matrices: how many singular values exceed max(atol, rtol * largest).

    Shape: (3, 2) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.linalg.matrix_rank(x)
    tensor(2)
    """
def lstsq(input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Tensors | None = None) -> LinalgLstsqResult:
    """X for which A X is nearest to B; also residuals, rank and singular values where the driver has them.

    Shape: (4, 3), (4, 2) -> (3, 2), (0,), (), (0,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(4, 2)
    >>> [t.shape for t in weft.linalg.lstsq(x, y)]
    [torch.Size([3, 2]), torch.Size([0]), torch.Size([]), torch.Size([0])]
    """
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of vectors, matrices or stacks of matrices; leading dimensions broadcast.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> y = weft.tensor([[1.0], [10.0]])
    >>> weft.matmul(x, y)
    tensor([[21.],
            [43.]])
    """
def vector_norm(input: Tensor, ord: int | float | str = 2, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The p-norm of vectors along `dim`, or of all elements.

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.linalg.vector_norm(x)
    tensor(2.1784)
    """
def matrix_norm(input: Tensor, ord: int | float | str = 'fro', dim: Ints = (-2, -1), keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The norm of matrices: 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2.

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.linalg.matrix_norm(x)
    tensor(2.1784)
    """
def norm(input: Tensor, ord: int | float | str | None = None, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The norm of vectors (one dimension, or ord left out) or matrices (two).

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.linalg.norm(x)
    tensor(2.1784)
    """
def cond(input: Tensor, p: int | float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number: the norm of a matrix times that of its inverse.

    Shape: (3, 3) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> weft.linalg.cond(x)
    tensor(95160536.)
    """
def qr(input: Tensor, mode: str = 'reduced', *, out: Tensors | None = None) -> LinalgQrResult:
    """Q (orthonormal columns) and R (upper triangular) with A = Q R.

    Shape: (3, 3) -> (3, 3), (3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> [t.shape for t in weft.linalg.qr(x)]
    [torch.Size([3, 3]), torch.Size([3, 3])]
    """
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of Q, a product of reflectors.

    Shape: (3, 2), (2,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([0.78, 0.36])
    >>> weft.linalg.householder_product(x, y).shape
    torch.Size([3, 2])
    """
