"""The functions of `torch.sparse`."""
import functools

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.ops.sparse import invariants, matrices
from weft.ops.sparse.bridge import made_of
from weft.ops.sparse.convert import convert, parts_of
from weft.ops.sparse.create import sparse_coo_tensor
from weft.ops.sparse.parts import COO, coo
from weft.ops.sparse.reduce import softmax_of, sum_along
from weft.ops.sparse.tensor import empty
from weft.tensor.names import FUNCTIONS, public
from weft.tensor.tensor import Tensor, wrap


def _need_sparse(t, who):
    if parts_of(t) is None:
        got = t.layout if isinstance(t, Tensor) else type(t).__name__
        fail(NotImplementedError, f"torch.sparse.{who}: expected a sparse tensor, got {got}", "give it x.to_sparse()")


def mm(mat1, mat2, reduce=None):
    """The product of two matrices, of which one or both are sparse; `reduce` ("sum", "mean", "amax", "amin") says how a
    row's terms are put together.

    >>> import weft
    >>> weft.sparse.mm(weft.eye(2).to_sparse(), weft.ones(2, 2))
    tensor([[1., 1.],
            [1., 1.]])
    """
    if reduce is not None:
        _need_sparse(mat1, "mm with reduce")
        return matrices.reduced_product(mat1, mat2, reduce)
    if parts_of(mat1) is None and parts_of(mat2) is None:
        return FUNCTIONS["mm"](mat1, mat2)
    return matrices.mm(mat1, mat2)


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """beta * mat + alpha * (mat1 @ mat2), where mat1 is sparse.

    >>> import weft
    >>> weft.sparse.addmm(weft.ones(2, 2), weft.eye(2).to_sparse(), weft.ones(2, 2), alpha=2)
    tensor([[3., 3.],
            [3., 3.]])
    """
    return FUNCTIONS["addmm"](mat, mat1, mat2, beta=beta, alpha=alpha)


def sspaddmm(input, mat1, mat2, beta, alpha):
    """torch.sspaddmm (ops/create/sparse.py)."""
    for name, t in (("input", input), ("mat1", mat1)):
        if parts_of(t) is None or t._owed.layout is not COO:
            fail(RuntimeError, f"sspaddmm: expected '{name}' to have sparse layout, got '{name}' with layout "
                 f"{getattr(t, 'layout', type(t).__name__)}", "give it x.to_sparse()")
    if parts_of(mat2) is not None:
        fail(RuntimeError, "sspaddmm: expected 'mat2' to have strided layout, got a sparse one", "give it to_dense()")
    kept = FUNCTIONS["unique"](mat1._indices()[0])
    product = (matrices.mm(mat1, mat2) * alpha)[kept]       # (rows, columns)
    n = product.shape[1]
    places = FUNCTIONS["stack"]([kept.repeat_interleave(n), FUNCTIONS["arange"](n).repeat(len(kept))])
    return sparse_coo_tensor(FUNCTIONS["cat"]([input._indices(), places], 1),
                             FUNCTIONS["cat"]([input._values() * beta, product.reshape(-1)]), input.shape)


def sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0, out=None):
    """beta * input + alpha * (mat1 @ mat2), only in the places that the sparse matrix `input` has.

    >>> import weft
    >>> weft.sparse.sampled_addmm(weft.eye(2).to_sparse_csr(), weft.ones(2, 3), weft.ones(3, 2)).to_dense()
    tensor([[4., 0.],
            [0., 4.]])
    """
    _need_sparse(input, "sampled_addmm")
    made = matrices.sampled_product(input, mat1, mat2, beta, alpha)
    return made if out is None else out.copy_(made)


def sum(input, dim=None, dtype=None):
    """The sum of a sparse tensor's elements, or along some dimensions; sparse where a sparse dimension is left.

    >>> import weft
    >>> weft.sparse.sum(weft.eye(3).to_sparse(), 0).to_dense()
    tensor([1., 1., 1.])
    """
    _need_sparse(input, "sum")
    if input._owed.layout is not COO:
        fail(RuntimeError, f"torch.sparse.sum: expected sparse coordinate tensor layout but got {input._owed.layout}",
             "use x.sum(), or convert it with to_sparse()")
    return sum_along(input, dim, False, dtype)


def softmax(input, dim, *, dtype=None):
    """softmax along a dimension over the elements that are there.

    >>> import weft
    >>> weft.sparse.softmax(weft.tensor([[0., 2., 2.]]).to_sparse(), 1).to_dense()
    tensor([[0.0000, 0.5000, 0.5000]])
    """
    _need_sparse(input, "softmax")
    return softmax_of(input, dim, dtype, False)


def log_softmax(input, dim, *, dtype=None):
    """The logarithm of `softmax` along a dimension over the elements that are there.

    >>> import weft
    >>> weft.sparse.log_softmax(weft.tensor([[0., 2., 2.]]).to_sparse(), 1).values()
    tensor([-0.6931, -0.6931])
    """
    _need_sparse(input, "log_softmax")
    return softmax_of(input, dim, dtype, True)


def spdiags(diagonals, offsets, shape, layout=None):
    """A sparse matrix of diagonals: row i of `diagonals` (count, columns) is the one `offsets[i]` above the main one.

    >>> import weft
    >>> weft.sparse.spdiags(weft.tensor([[1., 2., 3.]]), weft.tensor([1]), (3, 3)).to_dense()
    tensor([[0., 2., 0.],
            [0., 0., 3.],
            [0., 0., 0.]])
    """
    diagonals = diagonals.unsqueeze(0) if diagonals.dim() == 1 else diagonals
    offsets = offsets.unsqueeze(0) if offsets.dim() == 0 else offsets
    if diagonals.dim() != 2 or offsets.dim() != 1:
        fail(RuntimeError, "spdiags: Diagonals must be vector or matrix, offsets a scalar or vector")
    if offsets.dtype is not dtypes.int64:
        fail(RuntimeError, f"spdiags: Offset Tensor must have dtype Long but got {offsets.dtype}")
    below = [int(n) for n in offsets.tolist()]
    if len(below) != diagonals.shape[0]:
        fail(RuntimeError, f"spdiags: Number of diagonals ({diagonals.shape[0]}) does not match the number of offsets "
             f"({len(below)})")
    if len(set(below)) != len(below):
        fail(RuntimeError, "spdiags: Offset tensor contains duplicate values")
    if len(shape) != 2:
        fail(RuntimeError, f"spdiags: Output shape must be 2d, got {tuple(shape)}")
    height, width = shape
    where, at = [], []
    for i, offset in enumerate(below):
        columns = np.arange(max(0, offset), min(width, height + offset, diagonals.shape[1]))
        where.append(np.stack([columns - offset, columns]))
        at.append(i * diagonals.shape[1] + columns)
    values = diagonals.reshape(-1).index_select(0, wrap(np.concatenate(at).astype(np.int64)))
    made = made_of(coo(np.concatenate(where, axis=1), values, shape, False), values)
    return made if layout is None or layout is COO else convert(made, layout)


for _function in (mm, addmm, sampled_addmm, sum, softmax, log_softmax, spdiags):
    public(_function, "sparse." + _function.__name__)


class check_sparse_tensor_invariants:
    """Look at every new sparse tensor's indices in full: from here on (`enable`), in a block, or in a function.

    >>> import weft
    >>> with weft.sparse.check_sparse_tensor_invariants():
    ...     weft.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    def __init__(self, enable=True):
        self.state, self._before = bool(enable), None

    @staticmethod
    def is_enabled():
        """Whether all checks are on.

        >>> import weft
        >>> weft.sparse.check_sparse_tensor_invariants.is_enabled()
        False
        """
        return invariants.enabled()

    @staticmethod
    def enable():
        """Turn all checks on.

        >>> import weft
        >>> weft.sparse.check_sparse_tensor_invariants.enable()
        >>> weft.sparse.check_sparse_tensor_invariants.disable()
        """
        invariants.set_enabled(True)

    @staticmethod
    def disable():
        """Turn the checks of order off; sizes and ranges are always looked at.

        >>> import weft
        >>> weft.sparse.check_sparse_tensor_invariants.disable()
        """
        invariants.set_enabled(False)

    def __enter__(self):
        if self._before is not None:
            raise RuntimeError("This context manager instance is already activated. Use a different context manager "
                               "instance for context nesting.")
        self._before = invariants.set_enabled(self.state)

    def __exit__(self, *exc):
        invariants.set_enabled(self._before)
        self._before = None

    def __call__(self, function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            with type(self)(self.state):
                return function(*args, **kwargs)
        return checked


FUNCTIONS["sparse.check_sparse_tensor_invariants"] = check_sparse_tensor_invariants
check_sparse_tensor_invariants.__module__ = "weft.sparse"


class OldSparse(type):
    """The type of torch.sparse.FloatTensor and its like: `isinstance` asks for the element type."""

    def __instancecheck__(cls, value):
        return parts_of(value) is not None and value._owed.layout is COO and value.dtype is cls.tensor_dtype

    def __call__(cls, *args, **kwargs):
        if args and isinstance(args[0], Tensor):
            return sparse_coo_tensor(*args, dtype=cls.tensor_dtype, **kwargs)
        size = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        return empty(tuple(size), len(size), cls.tensor_dtype)

    def __repr__(cls):
        return f"<class 'torch.sparse.{cls.__name__}'>"

    @property
    def dtype(cls):
        return cls.tensor_dtype


for _name, _dtype in {"FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "HalfTensor": dtypes.float16,
                      "BFloat16Tensor": dtypes.bfloat16, "LongTensor": dtypes.int64, "IntTensor": dtypes.int32,
                      "ShortTensor": dtypes.int16, "ByteTensor": dtypes.uint8, "CharTensor": dtypes.int8}.items():
    _said = (f"The old constructor of sparse {_dtype} tensors.\n\n>>> import weft\n"
             f">>> weft.sparse.{_name}(2, 3).dtype\n{_dtype}")
    FUNCTIONS["sparse." + _name] = OldSparse(_name, (), {"tensor_dtype": _dtype, "__module__": "weft.sparse",
                                                         "__doc__": _said})
