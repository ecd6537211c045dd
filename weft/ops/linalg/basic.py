"""Small linear algebra: cross products, traces, contractions, powers and chains of matrices."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes, wrap_dim, wrap_dims
from weft.kernels.linalg import dense
from weft.kernels.linalg import matrix_exp as exponential
from weft.ops.core.registry import DEFAULT, FUNCTIONS, op
from weft.ops.core.samples import ints
from weft.ops.linalg.checks import eye_beside, need_float, need_square, need_tensors, type_name
from weft.ops.pointwise.arithmetic import conj_of
from weft.tensor.tensor import Tensor, wrap

# vectors

@op
class _cross:
    """The cross product along a dimension of length 3."""
    tags, promotes, method, node_name = frozenset(("pointwise", DEFAULT)), "x y", False, "LinalgCrossBackward0"

    def forward(x, y, dim):
        (x0, x1, x2), (y0, y1, y2) = np.moveaxis(x, dim, 0), np.moveaxis(y, dim, 0)
        with np.errstate(all="ignore"):
            return dense(np.stack((x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0), axis=dim))

    def shape(x, y, dim):
        return broadcast_shapes(x.shape, y.shape), x.dtype

    def grad_x(g, y, dim):
        return _cross(conj_of(y), g, dim)

    def grad_y(g, x, dim):
        return _cross(g, conj_of(x), dim)
    samples = [((2, 3), (2, 3), -1), ((2, 3, 4), (2, 3, 4), -2)]


@op
class linalg_cross:
    """The cross product of 3-vectors along `dim`, other dimensions broadcast."""
    names = "linalg.cross"

    def compose(input, other, *, dim=-1):
        need_tensors("linalg.cross", input=input, other=other)
        a, b = input._form, other._form
        if a.ndim != b.ndim:
            fail(RuntimeError, f"linalg.cross: inputs must have the same number of dimensions. Got {list(a.shape)} and "
                 f"{list(b.shape)}",
                 "unsqueeze() the one with fewer")
        at = wrap_dim(dim, a.ndim)
        if a.ndim == 0 or a.shape[at] != 3 or b.shape[at] != 3:
            fail(RuntimeError, f"linalg.cross: inputs dimension {dim} must have length 3. Got "
                 f"{a.shape[at] if a.ndim else 1} and {b.shape[at] if b.ndim else 1}", "choose the dimension with dim=")
        broadcast_shapes(a.shape, b.shape)
        if a.dtype.kind == "b":
            fail(NotImplementedError, "\"cross\" not implemented for 'Bool'", "convert it first")
        if a.dtype != b.dtype:
            fail(RuntimeError, f"linalg.cross: expected scalar type {type_name(a)} but found {type_name(b)}",
                 "convert one of them with .to(other.dtype)")
        return _cross(input, other, at - a.ndim)
    samples = [((2, 3), (2, 3)), ((3, 2), (3, 1), {"dim": 0})]


@op
class cross:
    """The cross product of 3-vectors along `dim`, or the first dimension of length 3."""

    def compose(input, other, dim=None):
        need_tensors("cross", input=input, other=other)
        if dim is None:
            at = [i for i, n in enumerate(input._form.shape) if n == 3]
            if not at:
                fail(RuntimeError, f"cross: no dimension of size 3 in input of shape {list(input._form.shape)}")
            dim = at[0]
        return linalg_cross(input, other, dim=dim)
    samples = [((3, 2), (3, 2))]


@op
class vecdot:
    """The inner product along `dim`, the first argument conjugated."""
    autocast = "lower"
    names = "linalg.vecdot"

    def compose(x, y, *, dim=-1):
        need_tensors("linalg.vecdot", x=x, y=y)
        need_float(x._form, "linalg.vecdot", half=True)
        if x._form.ndim == 1 == y._form.ndim:
            return FUNCTIONS["vdot"](x, y)
        return (conj_of(x) * y).sum(dim)
    samples = [((2, 3), (2, 3)), ((3,), (3,))]


@op
class inner:
    """The sums of products over the last dimensions."""

    def compose(input, other):
        need_tensors("inner", input=input, other=other)
        a, b = input._form, other._form
        if a.ndim == 0 or b.ndim == 0:
            return input * other
        if a.shape[-1] != b.shape[-1]:
            fail(RuntimeError, f"inner() the last dimension must match on both input tensors but got shapes "
                 f"{list(a.shape)} and {list(b.shape)}", "use outer() or tensordot() for other contractions")
        if a.ndim == 1 and b.ndim == 1:
            return FUNCTIONS["dot"](input, other)
        return tensordot(input, other, dims=([-1], [-1]))
    samples = [((2, 3), (4, 3)), ((3,), (3,)), ((), (2,))]


@op
class linalg_vander:
    """The powers x**0, x**1, ... of each element, along a new last dimension."""
    names = "linalg.vander"

    def compose(x, *, N=None):
        need_tensors("linalg.vander", x=x)
        if x._form.dtype.kind == "b" or x.dtype.is_half:
            fail(RuntimeError, f"linalg.vander supports floating point, complex, and integer tensors, but got "
                 f"{type_name(x._form)}",
                 "convert it first with .float()")
        x = x if x._form.ndim else x.unsqueeze(0)
        count = x._form.shape[-1] if N is None else N
        if count <= 1:
            fail(RuntimeError, f"linalg.vander: N must be greater than 1, got {count}.")
        return _powers(x, count)
    samples = [((3,),), ((2, 3),)]


@op
class vander:
    """The powers of a vector's elements as columns, falling unless `increasing`."""
    method = False

    def compose(x, N=None, increasing=False):
        need_tensors("vander", x=x)
        if x._form.ndim != 1:
            fail(RuntimeError, f"vander: x must be a one-dimensional tensor, it has the shape {list(x._form.shape)}")
        count = x._form.shape[0] if N is None else N
        if count < 0:
            fail(RuntimeError, f"N must be non-negative, got {N}")
        made = _powers(x if x._form.dtype.kind != "b" else x.long(), count)
        return made if increasing else made.flip(1)
    samples = [((3,),), ((3,), 2, True)]


@op
class _powers:
    """x**0 ... x**(count - 1)."""
    method, node_name = False, "CumprodBackward0"

    def forward(x, count):
        repeated = np.repeat(x[..., None], count, axis=-1)
        repeated[..., :1] = 1
        with np.errstate(all="ignore"):
            return np.cumprod(repeated, axis=-1, dtype=x.dtype if x.dtype.kind not in "biu" else np.int64)

    def shape(x, count):
        return (*x.shape, count), x.dtype if x.dtype.kind not in "biu" else np.int64

    def grad_x(g, x, count):
        if count < 2:
            return g.sum(-1) * 0
        factors = wrap(np.arange(1, count, dtype=g._form.real.dtype))
        return (g.narrow(-1, 1, count - 1) * factors * conj_of(_powers(x, count - 1))).sum(-1)
    samples = [((3,), 4), ((2, 3), 3), (ints(3, below=4), 3)]


# traces and contractions

@op
class trace:
    """The sum of a matrix's diagonal."""
    autocast = "float32"

    def compose(input):
        need_tensors("trace", input=input)
        if input._form.ndim != 2:
            fail(RuntimeError, f"trace: expected a matrix, but got tensor with dim {input._form.ndim}",
                 "for stacks use x.diagonal(dim1=-2, dim2=-1).sum(-1)")
        if input._form.dtype.kind == "b":
            fail(NotImplementedError, '"trace" not implemented for \'Bool\'')
        return input.diagonal().sum()
    samples = [((3, 3),), ((2, 4),)]


def _contracted(a, b, dims):
    """The two lists of dimensions to contract, counted from the front."""
    if isinstance(dims, Tensor):
        dims = int(dims) if dims._form.size == 1 else dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            fail(RuntimeError, f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            fail(RuntimeError, f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return tuple(range(a.ndim - dims, a.ndim)), tuple(range(dims))
    first, second = dims
    first = (first,) if isinstance(first, int) else tuple(int(d) for d in first)
    second = (second,) if isinstance(second, int) else tuple(int(d) for d in second)
    if len(first) != len(second):
        fail(RuntimeError, f"both dimension lists should have same length, got {list(first)} and {list(second)}")
    return wrap_dims(first, a.ndim), wrap_dims(second, b.ndim)


@op
class tensordot:
    """The sum of products over chosen dimensions of both tensors."""
    method = False

    def compose(a, b, dims=2):
        need_tensors("tensordot", a=a, b=b)
        first, second = _contracted(a._form, b._form, dims)
        shape_a, shape_b = a._form.shape, b._form.shape
        for i, j in zip(first, second):
            if shape_a[i] == shape_b[j]:
                continue
            if shape_a[i] == 1:         # a length of 1 broadcasts: sum the other one first
                b = b.sum(j, keepdim=True, dtype=b.dtype)
            elif shape_b[j] == 1:
                a = a.sum(i, keepdim=True, dtype=a.dtype)
            else:
                fail(RuntimeError, f"contracted dimensions need to match, but first has size {shape_a[i]} in dim "
                     f"{i - len(shape_a)} and second has size {shape_b[j]} in dim {j}",
                     "choose the dimensions with dims=([..], [..])")
        shape_a, shape_b = a._form.shape, b._form.shape
        free_a = [i for i in range(len(shape_a)) if i not in first]
        free_b = [j for j in range(len(shape_b)) if j not in second]
        length = math.prod(shape_a[i] for i in first)
        rows, columns = [shape_a[i] for i in free_a], [shape_b[j] for j in free_b]
        left = a.permute(*free_a, *first).reshape(math.prod(rows), length)
        right = b.permute(*second, *free_b).reshape(length, math.prod(columns))
        return (left @ right).reshape(*rows, *columns) if rows or columns else (left @ right).reshape(())

    def overridden(a, b, dims=2, out=None):
        return (a, b), {"dims": dims, "out": out}
    samples = [((2, 3), (3, 4), 1), ((2, 3, 4), (3, 4, 5))]


# powers and chains

@op
class matrix_power:
    """A matrix times itself n times; the inverse for n = -1."""
    names = "linalg.matrix_power matrix_power"
    method = True

    def compose(input, n):
        need_tensors("linalg.matrix_power", input=input)
        if not isinstance(n, (int, np.integer)) or isinstance(n, bool):
            raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
        need_square(input._form, "linalg.matrix_power")
        if n == 0:
            nothing = input.masked_fill(wrap(np.ones((), bool)), 0)
            return nothing + eye_beside(input, input._form.shape[-1])
        if n < 0:
            input, n = FUNCTIONS["linalg.inv"](input), -n
        made = None
        while True:
            if n & 1:
                made = input if made is None else made @ input
            n >>= 1
            if not n:
                return made if made is not input else input.clone()
            input = input @ input
    samples = [((3, 3), 3), ((3, 3), 0), ((3, 3), 1)]


def _cheapest(lengths):
    """For matrices lengths[i] x lengths[i+1]: where to split each stretch for the fewest multiplications."""
    n = len(lengths) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + lengths[i] * lengths[k + 1] * lengths[j + 1], k) for k in range(i, j))
    return split


def _multiply_chain(matrices):
    """The product of several matrices in the cheapest order."""
    if len(matrices) == 1:
        return matrices[0]
    split = _cheapest([matrices[0]._form.shape[0], *(m._form.shape[1] for m in matrices)])
    made = {}
    todo = [(0, len(matrices) - 1)]
    while todo:                         # a stack, since users may chain thousands
        i, j = todo[-1]
        k = split[i][j]
        if i == j:
            made[i, j] = matrices[i]
        elif (i, k) in made and (k + 1, j) in made:
            made[i, j] = made[i, k] @ made[k + 1, j]
        else:
            todo += [(i, k), (k + 1, j)]
            continue
        todo.pop()
    return made[0, len(matrices) - 1]


@op
class multi_dot:
    """The product of two or more matrices in the order that needs the fewest multiplications."""
    names = "linalg.multi_dot"

    def compose(tensors):
        if len(tensors) < 2:
            fail(RuntimeError, f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
        chain = list(tensors)
        for i, t in enumerate(chain):
            allowed = (1, 2) if i in (0, len(chain) - 1) else (2,)
            if t._form.ndim not in allowed:
                fail(RuntimeError, f"multi_dot(): tensor {i} must be {'1D or 2D' if 1 in allowed else '2D'} but got "
                     f"{t._form.ndim}D")
        first, last = chain[0]._form.ndim == 1, chain[-1]._form.ndim == 1
        if first:
            chain[0] = chain[0].unsqueeze(0)
        if last:
            chain[-1] = chain[-1].unsqueeze(1)
        for i in range(len(chain) - 1):
            a, b = chain[i]._form, chain[i + 1]._form
            if a.dtype != b.dtype:
                fail(RuntimeError, f"multi_dot(): all tensors must have be the same dtype but tensor {i} is "
                     f"{type_name(a)} and tensor {i + 1} {type_name(b)}")
            if a.shape[1] != b.shape[0]:
                fail(RuntimeError, f"multi_dot(): tensors {i} and {i + 1} with shapes {list(tensors[i]._form.shape)} "
                     f"and {list(tensors[i + 1]._form.shape)} cannot be multiplied", "transpose one of them (.T)")
        made = _multiply_chain(chain)
        made = made.squeeze(-1) if last else made
        return made.squeeze(0) if first else made
    samples = [([(2, 3), (3, 4), (4, 2)],)]


@op
class chain_matmul:
    """The product of matrices in the order that needs the fewest multiplications."""
    method = False

    def compose(*matrices):
        if len(matrices) == 1:
            return matrices[0]
        return multi_dot(list(matrices))
    samples = [((2, 3), (3, 4))]


@op
class matrix_exp:
    """e**A of a square matrix."""
    names = "linalg.matrix_exp matrix_exp"
    method, node_name = True, "LinalgMatrixExpBackward0"
    aliases = {"A": "x"}

    def forward(x):
        need_float(x, "linalg.matrix_exp", half=True)
        need_square(x, "linalg.matrix_exp")
        return exponential(x)

    def shape(x):
        need_float(x, "linalg.matrix_exp", half=True)
        need_square(x, "linalg.matrix_exp")
        return x.shape, x.dtype

    def grad_x(g, x):
        # the derivative stands in a corner: exp [[A^H, G], [0, A^H]] (Mathias 1996)
        n = x._form.shape[-1]
        cat, turned = FUNCTIONS["cat"], conj_of(x).transpose(-2, -1)
        nothing = wrap(np.zeros(x._form.shape, x._form.dtype))
        whole = cat([cat([turned, g], -1), cat([nothing, turned], -1)], -2)
        return matrix_exp(whole).narrow(-2, 0, n).narrow(-1, n, n)
    samples = [((3, 3),), ((2, 2, 2),)]
