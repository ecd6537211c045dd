"""Grids and triangles: tril, triu and their indices, meshgrid, combinations, Kronecker products, unravelled indices."""
import itertools
import operator
import warnings

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.layout import empty_as
from weft.core.spec import like
from weft.kernels import fast
from weft.ops.core.registry import INPLACE, KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import ints, size
from weft.ops.create.constants import finish
from weft.ops.shape.join import stack
from weft.ops.shape.view import EXPAND, array_of
from weft.tensor.tensor import Tensor, wrap

# triangles

def keep_triangle(x, diagonal, lower, who):
    """A copy of an array with zeros above (or below) a diagonal of its last two dimensions."""
    if x.ndim < 2:
        fail(RuntimeError, f"{who}: {who}: input tensor must have at least 2 dimensions, got {x.ndim}",
             "unsqueeze() it to a matrix first")
    rows, columns = x.shape[-2:]
    diagonal = operator.index(diagonal)
    made = fast.triangle(x, diagonal, lower)
    if made is not None:
        return made
    mask = np.tri(rows, columns, diagonal if lower else diagonal - 1, dtype=bool)
    made = x.copy()
    made[..., ~mask if lower else mask] = 0
    return made


@op
class tril:
    """The lower triangle, zeros above the diagonal."""
    tags = KEEP_HALF | INPLACE
    steady = True

    def forward(x, diagonal=0):
        return keep_triangle(x, diagonal, True, "tril")

    def shape(x, diagonal=0):
        return x.shape, x.dtype

    def grad_x(g, diagonal):
        return g.tril(diagonal)
    samples = [((3, 4),), ((2, 3, 3), -1)]


@op
class triu:
    """The upper triangle, zeros below the diagonal."""
    tags = KEEP_HALF | INPLACE
    steady = True

    def forward(x, diagonal=0):
        return keep_triangle(x, diagonal, False, "triu")

    def shape(x, diagonal=0):
        return x.shape, x.dtype

    def grad_x(g, diagonal):
        return g.triu(diagonal)
    samples = [((3, 4),), ((2, 3, 3), 1)]


@op
class _triangle:
    """The rows and columns of the lower or upper triangle of a matrix."""
    tags, method = NOGRAD, False

    def forward(row, col, offset, lower, dtype):
        rows, columns = np.arange(row)[:, None] + offset, np.arange(col)
        places = np.nonzero(columns <= rows if lower else columns >= rows)
        made = np.empty((2, len(places[0])), dtype.np)
        made[0], made[1] = places
        return made

    def shape(row, col, offset, lower, dtype):
        below = sum([min(max(i + (offset if lower else offset - 1) + 1, 0), col) for i in range(row)])
        return (2, below if lower else row * col - below), dtype.np
    samples = [(3, 4, 1, True, dtypes.int64), (3, 2, 0, False, dtypes.int32)]


def _triangle_indices(row, col, offset, lower, dtype, device, requires_grad, who):
    row, col, offset = operator.index(row), operator.index(col), operator.index(offset)
    if row < 0 or col < 0:
        fail(RuntimeError, f"{who}: {'row' if row < 0 else 'col'} must be non-negative, got {min(row, col)}",
             "give a size of 0 or more")
    return finish(_triangle(row, col, offset, lower, dtypes.int64 if dtype is None else dtype), device, requires_grad)


@op
class tril_indices:
    """The rows and columns of the lower triangle of a `row` by `col` matrix, as a (2, n) tensor."""
    method = False

    def compose(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
        return _triangle_indices(row, col, offset, True, dtype, device, requires_grad, "tril_indices")
    samples = [(3, 4), (3, 2, -1)]


@op
class triu_indices:
    """The rows and columns of the upper triangle of a `row` by `col` matrix, as a (2, n) tensor."""
    method = False

    def compose(row, col, offset=0, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
        return _triangle_indices(row, col, offset, False, dtype, device, requires_grad, "triu_indices")
    samples = [(3, 4), (3, 2, 1)]


# grids

@op
class meshgrid:
    """The coordinates of a grid: each vector spread over all combinations."""
    method = False

    def compose(*tensors, indexing=None):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tensors[0]
        if not tensors:
            fail(RuntimeError, "meshgrid: meshgrid expects a non-empty TensorList", "give it one vector or more")
        if indexing is None:
            warnings.warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
                          stacklevel=3)
        elif indexing not in ("ij", "xy"):
            fail(RuntimeError, f'meshgrid: torch.meshgrid: indexing must be one of "xy" or "ij", but received: '
                 f'{indexing}', 'use "ij"')
        return _grids(tensors, indexing == "xy" and len(tensors) > 1)
    samples = [((2,), (3,), {"indexing": "ij"}), ((2,), (3,), {"indexing": "xy"})]


def _grids(tensors, swapped):
    vectors = [_vector(x) for x in tensors]
    for x in vectors:
        if x._form.dtype != vectors[0]._form.dtype or x._on_meta != vectors[0]._on_meta:
            what, got = ("dtype", (vectors[0].dtype,
                                   x.dtype)) if x._on_meta == vectors[0]._on_meta else ("device",
                                                                                  (vectors[0].device, x.device))
            fail(RuntimeError, f"meshgrid: torch.meshgrid expects all tensors to have the same {what}, got {got[0]} "
                 f"and {got[1]}",
                 "convert them with .to()")
    if swapped:
        vectors[0], vectors[1] = vectors[1], vectors[0]
    full = tuple([x._form.size for x in vectors])
    grids = []
    for i, x in enumerate(vectors):
        own = (1,) * i + (full[i],) + (1,) * (len(full) - i - 1)
        grids.append(EXPAND.compute([x.view(own), full]))
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _vector(x):
    if array_of(x, "meshgrid").ndim > 1:
        fail(RuntimeError, f"meshgrid: torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape "
             f"{list(x._form.shape)}",
             "flatten() it first")
    return x.reshape(-1)


@op
class cartesian_prod:
    """All combinations of an element of each vector, one in each row."""
    method = False

    def compose(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tensors[0]
        for x in tensors:
            _check_vector(x, "cartesian_prod")
        if not tensors:
            fail(RuntimeError, "cartesian_prod: meshgrid expects a non-empty TensorList", "give it one vector or more")
        if len(tensors) == 1:
            return tensors[0]
        return stack([grid.flatten() for grid in _grids(tensors, False)], 1)
    samples = [((2,), (3,)), ((3,),)]


def _check_vector(x, who):
    if array_of(x, who).ndim != 1:
        fail(RuntimeError, f"{who}: Expect a 1D vector, but got shape {list(x._form.shape)}", "flatten() it first")


MOST_ELEMENTS = 2**40


def _choices(n, r):
    """In how many ways r of n things can be chosen; where they are very many, more than MOST_ELEMENTS."""
    count = int(r <= n)
    for k in range(min(r, n - r) if count else 0):
        count = count * (n - k) // (k + 1)
        if count > MOST_ELEMENTS:
            break
    return count


@op
class combinations:
    """All choices of `r` elements of a vector, one in each row."""
    method = False

    def compose(input, r=2, with_replacement=False):
        _check_vector(input, "combinations")
        if r < 0:
            fail(RuntimeError, f"combinations: Expect a non-negative number, but got {r}", "choose 0 elements or more")
        if r == 0:
            return input.new_empty(0)
        n = input._form.size
        rows = _choices(n + r - 1 if with_replacement and n else n, r)
        if rows == 0:       # in the graph, as the others are
            return input.narrow(0, 0, 0).unsqueeze(-1).expand(0, r)
        if rows * r > MOST_ELEMENTS:
            fail(RuntimeError, f"combinations: not enough memory: there are more than {MOST_ELEMENTS // r} ways to "
                 f"choose {r} of {n} elements", "choose fewer, or of fewer")
        choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
        places = np.fromiter(itertools.chain.from_iterable(choose(range(n), r)), np.int64, rows * r).reshape(rows, r)
        return input.index_select(0, wrap(places.reshape(-1))).view(places.shape)
    samples = [((4,),), ((3,), 2, True), ((3,), 3), ((2,), 3)]


@op
class kron:
    """The Kronecker product: every element of x times all of y."""
    out_types = "castable"
    def compose(input, other):
        a, b = array_of(input, "kron").shape, array_of(other, "kron").shape
        n = max(len(a), len(b))
        a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
        left, right = [], []
        for p, q in zip(a, b):
            left += [p, 1]
            right += [1, q]
        return (input.reshape(left) * other.reshape(right)).reshape([p * q for p, q in zip(a, b)])
    samples = [((2, 3), (3, 2)), ((2,), (2, 2)), ((), (2,))]


# indices

@op
class _unravelled:
    """Places in one row as an index for each dimension of `sizes`."""
    tags, method = NOGRAD, False

    def forward(x, sizes):
        found = []
        for n in reversed(sizes):
            with np.errstate(all="ignore"):
                found.append(np.remainder(x, n, out=empty_as(x)))
                x = x // n
        return found[::-1]

    def shape(x, sizes):
        return tuple([like(x) for _ in sizes])
    samples = [(ints(3, 2, below=6), size(2, 3))]


@op
class unravel_index:
    """Places in the flattened tensor as one index for each dimension of `shape`."""
    method = False

    def compose(indices, shape):
        if not isinstance(indices, Tensor):
            raise TypeError(f"unravel_index(): argument 'indices' must be Tensor, not {type(indices).__name__}")
        if indices._form.dtype.kind not in "iu":
            raise TypeError(f"unravel_index: expected 'indices' to be integer dtype, but got {indices.dtype}\n"
                            f"  fix: convert it with .long()")
        if isinstance(shape, Tensor):
            raise TypeError("unravel_index: expected 'shape' to be int or sequence of ints, but got a Tensor\n"
                            "  fix: use tuple(shape.tolist())")
        many = isinstance(shape, (tuple, list))
        for n in shape if many else (shape,):
            if not hasattr(n, "__index__"):
                raise TypeError("unravel_index: expected 'shape' " + ("sequence to only contain ints" if many else
                                "to be int or sequence of ints") + f", but got {type(n)}\n  fix: give whole numbers")
        sizes = tuple(map(operator.index, shape if many else (shape,)))
        if any(n < 0 for n in sizes):
            raise ValueError(f"unravel_index: 'shape' cannot have negative values, but got {sizes}")
        return _unravelled(indices.to(dtypes.int64), sizes) if sizes else ()
    samples = [(ints(3, 2, below=6), size(2, 3))]
