"""Rules of matrix products with a sparse operand."""
import numpy as np

from weft.core.errors import fail
from weft.ops.sparse.arithmetic import add, mul
from weft.ops.sparse.bridge import made_of, values_of
from weft.ops.sparse.convert import coalesced, convert, in_graph, parts_of, to_coo, to_dense
from weft.ops.sparse.parts import COMPRESSED, COO, CSR, Parts, coo
from weft.ops.sparse.product import Pattern, order_of, product, sampled, starts_of
from weft.ops.sparse.rules import rule
from weft.ops.sparse.shapes import transpose
from weft.tensor.tensor import alias, wrap


def by_rows(s, who):
    """(pattern, values) of a sparse matrix, its elements sorted by rows; each place may have several."""
    parts = s._owed
    if len(parts.shape) != 2 or parts.dense_dim:
        fail(RuntimeError, f"{who}: Expected dim 0 and 1 of the sparse matrix to be its only ones, got one of size "
             f"{list(parts.shape)} with {parts.dense_dim} dense dimensions", "take a matrix of single elements")
    s = in_graph(s)
    parts = s._owed
    pattern, order = parts.keep("rows", lambda: _sorted_rows(parts))
    values = parts.flat_values(values_of(s))
    return pattern, values if order is None else values.index_select(0, wrap(order))


def _sorted_rows(parts):
    """(pattern, the order of its elements here or None)."""
    rows, columns = parts.coordinates()
    height, width = parts.shape
    order = None
    if parts.layout is CSR:
        starts = parts.index[0]._array
    else:
        starts = starts_of(rows, height)
        if not (parts.layout is COO and parts.coalesced) and (np.diff(rows) < 0).any():
            order = order_of(rows)
            columns = columns[order]
    return Pattern(np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(columns, np.int64), width), order


def _check_pair(a, b, who):
    if a._form.ndim != 2 or b._form.ndim != 2:
        fail(RuntimeError, f"{who}: expected two matrices, got {a._form.ndim}-D and {b._form.ndim}-D tensors",
             "use torch.mv for a vector, torch.bmm for batches")
    if a._form.shape[1] != b._form.shape[0]:
        fail(RuntimeError, f"{who}: mat1 and mat2 shapes cannot be multiplied ({a._form.shape[0]}x{a._form.shape[1]} "
             f"and {b._form.shape[0]}x{b._form.shape[1]})")
    if a.dtype is not b.dtype:
        fail(RuntimeError, f"{who}: expected both matrices to have the same dtype, but got {a.dtype} and {b.dtype}",
             f"convert one, for example with .to({b.dtype})")


@rule("mm", "spmm", "dsmm")
def mm(input, mat2, *, out=None):
    """sparse @ dense and dense @ sparse are dense, sparse @ sparse is sparse."""
    _check_pair(input, mat2, "mm")
    if parts_of(input) is None:
        made = _sparse_dense(transpose(mat2, 0, 1), input.t()).t()
    elif parts_of(mat2) is None:
        made = _sparse_dense(input, mat2)
    else:
        made = _sparse_sparse(input, mat2)
    return made if out is None else out.copy_(made)


def _sparse_dense(s, dense):
    pattern, values = by_rows(s, "mm")
    return product(pattern, values, dense)


def _sparse_sparse(a, b):
    """Each element of a with each element in that row of b, summed by place."""
    (left, first), (right, second) = by_rows(a, "mm"), by_rows(b, "mm")
    begin = right.starts[left.columns]
    count = right.starts[left.columns + 1] - begin
    one = np.repeat(np.arange(count.size), count)
    other = np.arange(one.size) - np.repeat(np.cumsum(count) - count, count) + np.repeat(begin, count)
    values = first.index_select(0, wrap(one)) * second.index_select(0, wrap(other))
    where = np.stack([left.rows()[one], right.columns[other]])
    shape = (a._form.shape[0], b._form.shape[1])
    made = made_of(coo(where, values, shape, False), values)
    layout = next((p.layout for p in (a._owed, b._owed) if p.layout in COMPRESSED), COO)
    return coalesced(made) if layout is COO else convert(coalesced(made), CSR)


@rule("mv")
def mv(input, vec, *, out=None):
    """A sparse matrix times a dense vector."""
    if vec._form.ndim != 1:
        fail(RuntimeError, f"mv: expected a vector, got a tensor of size {list(vec._form.shape)}", "use torch.mm")
    made = mm(input, vec.unsqueeze(1)).squeeze(1)
    return made if out is None else out.copy_(made)


@rule("matmul", "__matmul__", "__rmatmul__")
def matmul(input, other, *, out=None):
    """`input @ other` of matrices and vectors."""
    dims = input._form.ndim, other._form.ndim
    if dims == (2, 1) and parts_of(other) is None:
        return mv(input, other, out=out)
    if dims == (1, 2) and parts_of(input) is None:
        return mv(transpose(other, 0, 1), input, out=out)
    if dims == (2, 2):
        return mm(input, other, out=out)
    if dims == (3, 3):
        return bmm(input, other, out=out)
    if dims[1] == 2 and dims[0] > 2 and parts_of(input) is None:
        flat = input.reshape(-1, input._form.shape[-1])
        return mm(flat, other).reshape(*input._form.shape[:-1], other._form.shape[1])
    fail(RuntimeError, f"matmul: a sparse tensor among operands of {dims[0]} and {dims[1]} dimensions is not supported",
         "multiply matrices with vectors and matrices, or batches of the same length")


@rule("bmm")
def bmm(input, mat2, *, out=None):
    """A batch of sparse matrices, each times its dense one."""
    parts = parts_of(input)
    if parts is None or parts_of(mat2) is not None:
        fail(NotImplementedError, "bmm: only a sparse first operand with a dense second one is supported",
             "go through the matrices with torch.mm, or take to_dense()")
    if input._form.ndim != 3 or mat2._form.ndim != 3 or input._form.shape[0] != mat2._form.shape[0] \
            or input._form.shape[2] != mat2._form.shape[1]:
        fail(RuntimeError, f"bmm: batches of matrices of sizes {list(input._form.shape)} and {list(mat2._form.shape)} "
             f"don't fit")
    many, height, width = input._form.shape
    s = to_coo(in_graph(input))
    batch, rows, columns = s._owed.coordinates()
    values = values_of(s)
    # all of them stand on the diagonal of one matrix
    wide = coo(np.stack([batch * height + rows, batch * width + columns]), values, (many * height, many * width),
               s._owed.coalesced)
    made = mm(made_of(wide, values), mat2.reshape(many * width, mat2._form.shape[2]))
    made = made.reshape(many, height, mat2._form.shape[2])
    return made if out is None else out.copy_(made)


@rule("addmm")
def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat1 @ mat2)."""
    made = mm(mat1, mat2)
    made = made if alpha == 1 else mul(made, alpha) if parts_of(made) is not None else made * alpha
    if beta != 0:
        first = input if beta == 1 else mul(input, beta) if parts_of(input) is not None else input * beta
        if parts_of(first) is None and parts_of(made) is None:
            made = first + made
        elif parts_of(first) is not None and parts_of(made) is None:
            made = to_dense(first) + made
        else:
            made = add(first, made)
    return made if out is None else out.copy_(made)


@rule("linear")
def linear(input, weight, bias=None):
    """input @ weight.T + bias."""
    if bias is not None and parts_of(bias) is not None:
        fail(NotImplementedError, "linear: the bias must be dense", "take its to_dense()")
    made = matmul(input, transpose(weight, 0, 1) if parts_of(weight) is not None else weight.t())
    if bias is None:
        return made
    return (made if parts_of(made) is None else to_dense(made)) + bias


REDUCTIONS = ("sum", "mean", "amax", "amin")


def reduced_product(s, dense, reduce):
    """Like the product, but each row's terms are averaged, or the greatest or least of them is taken."""
    if s._owed.layout is not CSR or parts_of(dense) is not None:
        fail(NotImplementedError, "torch.sparse.mm with reduce takes a matrix of layout torch.sparse_csr and a dense "
             "one", "convert it with to_sparse_csr()")
    if reduce not in REDUCTIONS:
        fail(RuntimeError, f"torch.sparse.mm: reduce argument must be one of {', '.join(REDUCTIONS)}, got {reduce}")
    if reduce == "sum":
        return mm(s, dense)
    _check_pair(s, dense, "mm")
    pattern, values = by_rows(s, "mm")
    if reduce == "mean":
        counts = np.maximum(np.diff(pattern.starts), 1).astype(dense._form.dtype)
        return product(pattern, values, dense) / wrap(counts[:, None])
    terms = values.unsqueeze(1) * dense.index_select(0, wrap(pattern.columns))
    rows = wrap(pattern.rows()).unsqueeze(1).expand(terms._form.shape)
    made = terms.new_zeros(len(pattern.starts) - 1, dense._form.shape[1])
    return made.scatter_reduce(0, rows, terms, reduce, include_self=False)


def sampled_product(s, mat1, mat2, beta, alpha):
    """beta * s + alpha * (mat1 @ mat2) in the places of s."""
    parts = s._owed
    if parts.layout is not CSR or parts.batch:
        fail(NotImplementedError, f"sampled_addmm: expected a matrix of layout torch.sparse_csr, got {parts.layout}",
             "convert it with to_sparse_csr()")
    if mat1._form.shape[0] != parts.shape[0] or mat2._form.shape[1] != parts.shape[1] \
            or mat1._form.shape[1] != mat2._form.shape[0]:
        fail(RuntimeError, f"sampled_addmm: sizes {list(mat1._form.shape)} and {list(mat2._form.shape)} don't give "
             f"{list(parts.shape)}")
    pattern, values = by_rows(s, "sampled_addmm")
    values = beta * values + alpha * sampled(mat1, mat2.t(), pattern)
    return made_of(Parts(CSR, parts.index, alias(values), parts.shape), values)
