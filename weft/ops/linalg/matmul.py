# compiled
"""Matrix products: two vectors, matrices or stacks of them."""
from math import prod

import numpy as np

from weft.autograd.faces import product_face
from weft.autograd.factors import of_columns, of_rows
from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.kernels import fast
from weft.kernels.native import is_half, same_type
from weft.kernels.native import matmul as native_product
from weft.ops.core.promotion import FLOAT32, cast
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, op
from weft.ops.linalg.checks import need_tensors, sizes, type_name
from weft.ops.pointwise.arithmetic import conj_of
from weft.tensor.tensor import OPS, Tensor


def product(x, y):
    """x @ y of arrays whose shapes fit: the native product, or NumPy's, for which strides that BLAS doesn't take are
    copied away. Half types are summed in float32 and rounded once.
    """
    if x.ndim > 1 and y.ndim > 1:
        found = fast.matmul(x, y, False, False, None)
        if found is not None:
            return found
    elif x.ndim == 2 and y.ndim == 1:
        found = fast.matmul(y[None], x, False, True, None)
        if found is not None:
            return found[0]
    elif x.ndim == 1 and y.ndim == 1:
        found = fast.matmul(x[None], y[None], False, True, None)
        if found is not None:
            return found.reshape(())
    need_number(x)
    if is_half(x):
        return cast(np.asarray(product(cast(x, FLOAT32), cast(y, FLOAT32))), x.dtype)
    if x.size > 4096:
        x = _for_blas(x)
    if y.size > 4096:
        y = _for_blas(y)
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(x, y), order="C")       # a stack's members may lie in any order


def need_number(x):
    """Truth values have no product."""
    if x.dtype.kind == "b":
        fail(NotImplementedError, f"\"addmm_impl_cpu_\" not implemented for '{type_name(x)}'",
             "convert both with .float() or .int()")


def _for_blas(x):
    size = x.dtype.itemsize
    return x if x.strides[-1] == size or x.ndim > 1 and x.strides[-2] == size else np.ascontiguousarray(x)


def turned(x):
    """The conjugate transpose of an array."""
    x = x.swapaxes(-2, -1)
    return x.conj() if x.dtype.kind == "c" else x


def _check(x, y):
    """Explain why two matrices can't be multiplied, if they can't."""
    if x.ndim != 2 or y.ndim != 2:
        which, bad = ("self", x) if x.ndim != 2 else ("mat2", y)
        fail(RuntimeError, f"mm: {which} must be a matrix, it has the shape {list(bad.shape)}",
             "use matmul() or @ for other shapes")
    if x.dtype != y.dtype:
        _refuse_types(x, y)
    if x.shape[1] != y.shape[0]:
        hint = "transpose the second one (.T)" if x.shape[1] == y.shape[1] else \
            "transpose the first one (.T)" if x.shape[0] == y.shape[0] else f"the second one needs {x.shape[1]} rows"
        fail(RuntimeError, f"mat1 and mat2 shapes cannot be multiplied ({sizes(x)} and {sizes(y)})", hint)


def _refuse_types(x, y):
    fail(RuntimeError, f"expected m1 and m2 to have the same dtype, but got: {_c_name(x)} != {_c_name(y)}",
         "convert one of them with .to(other.dtype)")


def _c_name(x):
    return {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
            "int64": "long long", "int32": "int", "complex64": "c10::complex<float>",
            "complex128": "c10::complex<double>"}.get(x.dtype.name, x.dtype.name)


def product_flops(values, outs):
    """Of x @ y: a multiplication and an addition for each element of the result and each that is summed over."""
    return 2 * prod(outs[0]) * values["x"][-1]


@op
class mm:
    """The product of two matrices."""
    autocast = "lower"
    native, tags = "mm", KEEP_HALF

    def forward(x, mat2):
        found = native_product(x, mat2)
        if found is not None:
            return found
        _check(x, mat2)
        return product(x, mat2)

    def shape(x, mat2):
        _check(x, mat2)
        need_number(x)
        return (x.shape[0], mat2.shape[1]), x.dtype

    def grad_x(g, mat2):
        kept = of_columns(g, mat2)
        return times_adjoint(g, mat2) if kept is None else kept

    def grad_mat2(g, x):
        kept = of_rows(x, g)
        return adjoint_times(x, g) if kept is None else kept
    samples, flops, looks = [((3, 2), (2, 4)), ((1, 3), (3, 1))], product_flops, product_face


FUNCTIONS["spmm"] = FUNCTIONS["dsmm"] = FUNCTIONS["mm"]     # older names, for a sparse first operand


@op
class _times_adjoint:
    """x @ y^H, of matrices or stacks of equal length: one side of a product's gradient, without a view in between."""
    method, node_name, native, tags = False, "MmBackward0", "mm_nt", KEEP_HALF

    def forward(x, y):
        return product(x, turned(y))

    def shape(x, y):
        need_number(x)
        return (*x.shape[:-1], y.shape[-2]), x.dtype

    def grad_x(g, y):
        return g @ y

    def grad_y(g, x):
        return adjoint_times(g, x)
    samples, flops = [((3, 2), (4, 2)), ((2, 3, 2), (2, 4, 2))], product_flops


@op
class _adjoint_times:
    """x^H @ y, of matrices or stacks of equal length: the other side of a product's gradient."""
    method, node_name, native, tags = False, "MmBackward0", "mm_tn", KEEP_HALF

    def forward(x, y):
        return product(turned(x), y)

    def shape(x, y):
        need_number(x)
        return (*x.shape[:-2], x.shape[-1], y.shape[-1]), x.dtype

    def grad_x(g, y):
        return times_adjoint(y, g)

    def grad_y(g, x):
        return x @ g
    samples = [((2, 3), (2, 4)), ((2, 2, 3), (2, 2, 4))]

    def flops(values, outs):
        return 2 * prod(outs[0]) * values["x"][-2]


PRODUCT = MM = mm.op
NT, TN = _times_adjoint.op, _adjoint_times.op


def times_adjoint(x, y):
    """x @ y.mH in one step."""
    return NT.call2(x, y)


def adjoint_times(x, y):
    """x.mH @ y in one step."""
    return TN.call2(x, y)


@op
class _stacked_mm:
    """The products of two stacks of matrices with the same leading dimensions."""
    method, node_name, tags = False, "BmmBackward0", KEEP_HALF
    steady = True

    def forward(x, y):
        return product(x, y)

    def shape(x, y):
        need_number(x)
        return (*x.shape[:-1], y.shape[-1]), x.dtype

    def grad_x(g, y):
        return times_adjoint(g, y)

    def grad_y(g, x):
        return adjoint_times(x, g)
    samples, flops = [((2, 3, 2), (2, 2, 4)), ((2, 3, 2, 2), (2, 3, 2, 2))], product_flops


def _rows(x):
    """All rows of a stack as one long matrix."""
    return x.reshape(-1, x.shape[-1]) if x.size else x.reshape(int(np.prod(x.shape[:-1])), x.shape[-1])


def _matrices(x, y):
    found = native_product(x, y)
    return found if found is not None else product(x, y)


@op
class _folded_mm:
    """A stack times one matrix: its rows go through as one long matrix."""
    method, node_name, tags = False, "MmBackward0", KEEP_HALF
    steady = True

    def forward(x, y):
        return _matrices(_rows(x), y).reshape(*x.shape[:-1], y.shape[1])

    def shape(x, y):
        need_number(x)
        return (*x.shape[:-1], y.shape[1]), x.dtype

    def grad_x(g, y):
        return FOLDED_NT.compute([g, y])

    def grad_y(g, x):
        kept = of_rows(x, g)
        return FOLDED_TN.compute([x, g]) if kept is None else kept
    samples, flops = [((2, 3, 2), (2, 4))], product_flops


@op
class _folded_times_adjoint:
    """A stack times y^H for one matrix y."""
    method, node_name, tags = False, "MmBackward0", KEEP_HALF
    steady = True

    def forward(x, y):
        return _matrices(_rows(x), turned(y)).reshape(*x.shape[:-1], y.shape[0])

    def shape(x, y):
        need_number(x)
        return (*x.shape[:-1], y.shape[0]), x.dtype

    def grad_x(g, y):
        return FOLDED.compute([g, y])

    def grad_y(g, x):
        return FOLDED_TN.compute([g, x])
    samples, flops = [((2, 3, 2), (4, 2))], product_flops


@op
class _folded_adjoint_times:
    """x^H y of two stacks read as long matrices: the sum of their members' products."""
    method, node_name, tags = False, "MmBackward0", KEEP_HALF
    steady = True

    def forward(x, y):
        return _matrices(turned(_rows(x)), _rows(y))

    def shape(x, y):
        need_number(x)
        return (x.shape[-1], y.shape[-1]), x.dtype

    def grad_x(g, y):
        return FOLDED_NT.compute([y, g])

    def grad_y(g, x):
        return FOLDED.compute([x, g])
    samples = [((2, 3, 2), (2, 3, 4))]

    def flops(values, outs):
        return 2 * prod(values["x"]) * outs[0][-1]


FOLDED_NT, FOLDED_TN = _folded_times_adjoint.op, _folded_adjoint_times.op
STACKED, FOLDED = _stacked_mm.op, _folded_mm.op


@op
class bmm:
    """The products of two stacks of matrices: (b, n, m) and (b, m, p) give (b, n, p)."""
    autocast, tags = "lower", KEEP_HALF
    steady = True

    def forward(x, mat2):
        _check_stacks(x, mat2)
        return product(x, mat2)

    def shape(x, mat2):
        _check_stacks(x, mat2)
        need_number(x)
        return (*x.shape[:2], mat2.shape[2]), x.dtype

    def grad_x(g, mat2):
        return times_adjoint(g, mat2)

    def grad_mat2(g, x):
        return adjoint_times(x, g)
    samples, flops = [((2, 3, 2), (2, 2, 4))], product_flops


def _check_stacks(x, y):
    for which, a in (("batch1", x), ("batch2", y)):
        if a.ndim != 3:
            fail(RuntimeError, f"bmm: {which} must be a 3D tensor, it has the shape {list(a.shape)}",
                 "use matmul() or @, which broadcasts")
    if x.dtype != y.dtype:
        _refuse_types(x, y)
    if (x.shape[0], x.shape[2]) != y.shape[:2]:
        fail(RuntimeError, f"bmm: Expected size for first two dimensions of batch2 tensor to be: [{x.shape[0]}, "
             f"{x.shape[2]}] but got: [{y.shape[0]}, {y.shape[1]}].",
             "transpose one with .mT, or broadcast the batches with @")


@op
class mv:
    """A matrix times a vector."""
    tags = KEEP_HALF

    def forward(x, vec):
        _check_vector(x, vec)
        return product(x, vec)

    def shape(x, vec):
        _check_vector(x, vec)
        need_number(x)
        return x.shape[:1], x.dtype

    def grad_x(g, vec):
        return g.unsqueeze(1) * conj_of(vec)

    def grad_vec(g, x):
        return conj_of(x).transpose(0, 1) @ g
    samples, flops = [((3, 2), (2,))], product_flops


def _check_vector(x, vec):
    if x.ndim != 2 or vec.ndim != 1:
        fail(RuntimeError, f"mv: vector + matrix @ vector expected, got 1, {x.ndim}, {vec.ndim}",
             "use matmul() or @ for other shapes")
    if x.dtype != vec.dtype:
        _refuse_types(x, vec)
    if x.shape[1] != vec.shape[0]:
        fail(RuntimeError, f"size mismatch, got input ({x.shape[0]}), mat ({sizes(x)}), vec ({vec.shape[0]})",
             f"the vector needs {x.shape[1]} elements")


@op
class dot:
    """The inner product of two vectors."""
    aliases = {"tensor": "y"}

    def forward(x, y):
        _check_vectors(x, y)
        return product(x, y)

    def shape(x, y):
        _check_vectors(x, y)
        need_number(x)
        return (), x.dtype

    def flops(values, outs):
        return 2 * prod(values["x"])

    def grad_x(g, y):
        return g * conj_of(y)

    def grad_y(g, x):
        return g * conj_of(x)
    samples = [((3,), (3,))]


@op
class vdot:
    """The inner product of two vectors, the first conjugated."""
    names = "vdot"

    def compose(input, other):
        need_tensors("vdot", input=input, other=other)
        _check_vectors(input._form, other._form)
        return dot(conj_of(input), other)
    samples = [((3,), (3,))]


def _check_vectors(x, y):
    if x.ndim != 1 or y.ndim != 1:
        fail(RuntimeError, f"dot: 1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors",
             "use matmul() or @ for other shapes")
    if x.dtype != y.dtype:
        fail(RuntimeError, f"dot : expected both vectors to have same dtype, but found {type_name(x)} and "
             f"{type_name(y)}",
             "convert one of them with .to(other.dtype)")
    if x.shape != y.shape:
        fail(RuntimeError, f"dot: inconsistent tensor size, expected tensor [{x.shape[0]}] and src [{y.shape[0]}] to "
             f"have the same number of elements, but got {x.shape[0]} and {y.shape[0]} elements respectively",
             "for the products of all pairs use outer()")


def of_matrices(x, y):
    """x @ y of two matrices of one type, None of others."""
    a, b = x._form, y._form
    return PRODUCT.compute([x, y]) if a.ndim == 2 and b.ndim == 2 and same_type(a, b) else None


@op
class matmul:
    """The product of vectors, matrices or stacks of matrices; leading dimensions broadcast."""
    autocast = "lower"
    names = "matmul linalg.matmul"

    def compose(input, other):
        if not isinstance(input, Tensor) or not isinstance(other, Tensor):
            need_tensors("matmul", input=input, other=other)
        made = of_matrices(input, other)
        if made is not None:
            return made
        a, b = input._form, other._form
        if a.dtype != b.dtype and (a.ndim > 1 or b.ndim > 1):
            _refuse_types(a, b)
        if a.ndim == 2 and b.ndim == 2:         # one type by two numbers
            return MM.compute([input, other])
        return _general(input, other, a, b)
    samples = [((3, 2), (2, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 1, 3, 4), (5, 4, 2)),
               ((2, 3, 4), (4, 2))]


def _general(x, y, a, b):
    if a.ndim == 0 or b.ndim == 0:
        fail(RuntimeError, f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D",
             "use * to multiply by a number")
    if b.ndim == 1:
        if a.ndim <= 2:
            return dot.op.compute([x, y]) if a.ndim == 1 else mv.op.compute([x, y])
        return matmul(x, y.unsqueeze(1)).squeeze(-1)
    if a.ndim == 1:
        return matmul(x.unsqueeze(0), y).squeeze(-2)
    if a.shape[-1] != b.shape[-2]:
        _refuse_stacks(a, b)
    if b.ndim == 2:
        return FOLDED.compute([x, y])
    if a.shape[:-2] != b.shape[:-2]:
        lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        x, y = x.expand(*lead, *a.shape[-2:]), y.expand(*lead, *b.shape[-2:])
    return STACKED.compute([x, y])


def _refuse_stacks(a, b):
    if b.ndim == 2:
        rows = int(np.prod(a.shape[:-1]))
        what = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a.shape[-1]} and {sizes(b)})"
    else:
        what = (f"matmul: Expected size for first two dimensions of batch2 tensor to have {a.shape[-1]} rows, got "
                f"{b.shape[-2]} (mat1 and mat2 shapes cannot be multiplied: {list(a.shape)} and {list(b.shape)})")
    fail(RuntimeError, what, "transpose one with .mT, or give the second one as many rows as the first has columns")


@op
class _matmul_operator:
    """`x @ y`: two small matrices at once, anything else by matmul."""
    method, node_name, native, tags = False, "MmBackward0", "mm", KEEP_HALF
    forward, grad_x, grad_mat2 = mm.op.forward, mm.op.rules["x"], mm.op.rules["mat2"]
    shape, flops, looks = mm.op.shape_rule, product_flops, product_face
    samples = [((3, 2), (2, 4))]


_matmul_operator.op.general = matmul.op
OPS.matmul = _matmul_operator.op
