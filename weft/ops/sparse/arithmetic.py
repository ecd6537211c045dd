"""Rules of arithmetic: sums, products with sparse and dense tensors and numbers, and functions that keep zeros."""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import no_grad
from weft.ops.core.promotion import result_type
from weft.ops.sparse.bridge import made_of, values_at, values_of, with_values
from weft.ops.sparse.convert import coalesced, convert, in_graph, parts_of, to_coo, to_dense
from weft.ops.sparse.parts import COO, coo, index_of
from weft.ops.sparse.rules import EACH, IN_PLACE, refuse, rule
from weft.ops.sparse.tensor import SparseTensor, empty
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, wrap


def same_size(a, b, who):
    """Refuse operands of different sizes, which sparse tensors don't broadcast."""
    if a._form.shape != b._form.shape:
        fail(RuntimeError, f"{who}: expected sizes of 'self' and 'other' to match, but {list(a._form.shape)} != "
             f"{list(b._form.shape)}", "sparse tensors are not broadcast")


def is_number(x):
    """Whether an operand counts as one number: it is one, or a dense tensor without dimensions."""
    return not isinstance(x, Tensor) or x._form.ndim == 0 and parts_of(x) is None


# sums

@rule("add", "__add__", "__radd__")
def add(input, other, *, alpha=1, out=None):
    """Sums: sparse with sparse is sparse, dense with sparse is dense."""
    _no_out(out, "add")
    if is_number(input) or is_number(other):
        _refuse_dense("add")
    left, right = parts_of(input), parts_of(other)
    if left is None:
        return _dense_plus(input, other, alpha)
    if right is None:
        if left.layout is COO:
            _refuse_dense("add")
        return _dense_plus(other if alpha == 1 else other * alpha, input, 1)
    same_size(input, other, "add")
    if left.layout is not right.layout:
        fail(RuntimeError, f"add: operands of layouts {left.layout} and {right.layout}", "convert one of them first")
    if left.layout is COO:
        return _both(input, other, alpha)
    return convert(coalesced(_both(to_coo(input), to_coo(other), alpha)), left.layout, left.block or None)


def _refuse_dense(who):
    fail(RuntimeError, f"{who}(sparse, dense) is not supported. Use add(dense, sparse) instead.",
         "write dense + sparse, or take x.to_dense()")


def _no_out(out, who):
    if out is not None:
        fail(NotImplementedError, f"{who}: out= is not for sparse tensors", "take the result")


def _both(a, b, alpha):
    """The elements of two COO tensors together, in order where both were."""
    kind = result_type(a, b)
    a, b = in_graph(a), in_graph(b)
    left, right = a._owed, b._owed
    if left.sparse_dim != right.sparse_dim:
        fail(RuntimeError, f"add: operands have incompatible dense dimensions: {left.dense_dim} and {right.dense_dim}",
             "make both with as many sparse dimensions")
    first, second = values_of(a).to(kind), values_of(b).to(kind)
    if not (isinstance(alpha, (int, float)) and alpha == 1):
        second = second * alpha
    values = FUNCTIONS["cat"]([first, second.to(kind)])
    made = coo(np.concatenate([left.coordinates(), right.coordinates()], axis=1), values, left.shape, False)
    made = made_of(made, values)
    return coalesced(made) if left.coalesced and right.coalesced else made


def _dense_plus(dense, s, alpha):
    """dense + alpha * sparse, a dense tensor."""
    kind = result_type(dense, s)
    s = in_graph(s)
    parts, values = s._owed, values_of(s)
    shape = parts.shape
    if tuple(dense._form.shape) != shape:
        try:
            dense = dense.expand(shape)
        except RuntimeError:
            same_size(dense, s, "add")
    lead = len(shape) - parts.dense_dim
    rows = dense.to(kind).reshape(int(np.prod(shape[:lead])), *shape[lead:])
    values = parts.flat_values(values).to(kind)
    if not (isinstance(alpha, (int, float)) and alpha == 1):
        values = (values * alpha).to(kind)
    if kind.category == 0:      # bool: or
        return (rows | to_dense(s).reshape(rows._form.shape).to(kind)).reshape(shape)
    return rows.index_add(0, wrap(parts.keys()), values).reshape(shape)


@rule("sub", "__sub__", "subtract")
def sub(input, other, *, alpha=1, out=None):
    """Differences."""
    if is_number(input) or is_number(other) or parts_of(other) is None and parts_of(input).layout is COO:
        _refuse_dense("sub")
    return add(input, other, alpha=-alpha, out=out)


@rule("rsub", "__rsub__")
def rsub(input, other, *, alpha=1):
    """other - input."""
    return sub(other, input, alpha=alpha)


# products

@rule("mul", "multiply", "__mul__", "__rmul__")
def mul(input, other, *, out=None):
    """Products: with a number, a dense or a sparse tensor, always sparse."""
    _no_out(out, "mul")
    if parts_of(input) is None:
        input, other = other, input
    if is_number(other):
        s = in_graph(input)
        return with_values(s._owed, values_of(s) * other)
    if parts_of(other) is None:
        return _times_dense(input, other)
    same_size(input, other, "mul")
    left, right = coalesced(to_coo(input)), coalesced(to_coo(other))
    if left._owed.sparse_dim != right._owed.sparse_dim:
        fail(NotImplementedError, "mul: operands of different numbers of sparse dimensions", "convert one of them")
    made = _overlap(left, right)
    parts = parts_of(input)
    return made if parts.layout is COO else convert(made, parts.layout, parts.block or None)


def _times_dense(s, dense):
    """The values of a sparse tensor, each times what the dense one has in its place."""
    shape = s._owed.shape
    if tuple(dense._form.shape) != shape:
        try:
            dense = dense.expand(shape)
        except RuntimeError:
            same_size(s, dense, "mul")
    s = in_graph(s)
    parts = s._owed
    return with_values(parts, values_of(s) * values_at(dense, parts))


def _overlap(a, b):
    """The products of the elements in places that both have."""
    _, left, right = np.intersect1d(a._owed.keys(), b._owed.keys(), assume_unique=True, return_indices=True)
    values = values_of(a).index_select(0, index_of(left)) * values_of(b).index_select(0, index_of(right))
    return made_of(coo(a._owed.coordinates()[:, left], values, a._owed.shape, True), values)


def _need_number(other, who):
    if not is_number(other):
        fail(RuntimeError, f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
             f"{list(other._form.shape)} for divisor)", "divide its values, or x.to_dense()")


@rule("_rdiv")
def rdiv(input, other, **_):
    """other / input: not for sparse tensors."""
    _need_number(input, "div")


@rule("div", "divide", "true_divide", "__truediv__")
def div(input, other, *, rounding_mode=None, out=None):
    """Quotients by a number."""
    _no_out(out, "div")
    _need_number(other, "div")
    s = in_graph(input) if rounding_mode is None else coalesced(input)
    return with_values(s._owed, FUNCTIONS["div"](values_of(s), other, rounding_mode=rounding_mode))


@rule("floor_divide", "__floordiv__")
def floor_divide(input, other, *, out=None):
    """Quotients by a number, rounded down."""
    return div(input, other, rounding_mode="floor", out=out)


@rule("pow", "__pow__")
def power(input, exponent, *, out=None):
    """Powers by a positive number, of which 0 stays 0."""
    _no_out(out, "pow")
    if parts_of(input) is None or not is_number(exponent):
        refuse("pow")
    if not float(exponent) > 0:
        fail(RuntimeError, f"pow: a sparse tensor to the power of {exponent} is no sparse tensor",
             "take a positive exponent, or x.to_dense()")
    s = coalesced(input)
    return with_values(s._owed, values_of(s) ** exponent)


# functions of each element

@rule(EACH)
def each(function, input, *args, **kwargs):
    """An elementwise op, of the elements that are there: one that gives 0 for 0, and has no other tensor to look at."""
    others = (*args, *kwargs.values())
    if parts_of(input) is None or any(isinstance(a, (Tensor, list, tuple)) for a in others) or "out" in kwargs:
        refuse(function.__name__)
    with no_grad():
        empty_place = function(input._owed.values.new_zeros(1), *args, **kwargs)
    if not isinstance(empty_place, Tensor) or bool(empty_place != 0):
        refuse(function.__name__)
    s = coalesced(input)
    return with_values(s._owed, function(values_of(s), *args, **kwargs))


@rule("relu")
def relu(input, inplace=False):
    """The elements, 0 for those below."""
    made = each(Tensor.relu, input)
    return input.become(made, "relu_") if inplace else made


@rule("neg", "negative")
def neg(input):
    """The elements turned round."""
    return mul(input, -1)


@rule("conj", "conj_physical", "resolve_conj")
def conj(input):
    """The elements conjugated."""
    return with_values(in_graph(input)._owed, values_of(in_graph(input)).conj()) if input.is_complex() else input


@rule("real")
def real(input):
    """The real parts of the elements."""
    return with_values(in_graph(input)._owed, values_of(in_graph(input)).real.clone()) if input.is_complex() else input


@rule("imag")
def imag(input):
    """The imaginary parts of the elements."""
    return with_values(in_graph(input)._owed, values_of(in_graph(input)).imag.clone())


@rule("resolve_neg", "positive")
def unchanged(input):
    """The tensor itself."""
    return input


# in place

@rule(IN_PLACE)
def in_place(name, function, self, *args, **kwargs):
    """`self.name(...)`, where `function` is the form that isn't in place."""
    if isinstance(self, SparseTensor):
        return self.become(function(self, *args, **kwargs), name)
    return _into_dense(self, name, function, args, kwargs)


def _into_dense(x, name, function, args, kwargs):
    """A dense tensor that is written to with a sparse one."""
    if name in ("add_", "sub_", "subtract_") and len(args) == 1 and x.is_contiguous() and x.dtype.category \
            and args[0]._form.shape == x._form.shape:
        s, alpha = in_graph(args[0]), kwargs.get("alpha", 1)
        values = s._owed.flat_values(values_of(s)).to(x.dtype)
        alpha = alpha if name == "add_" else -alpha
        lead = len(s._owed.shape) - s._owed.dense_dim
        rows = x if lead == 1 else x.view(int(np.prod(s._owed.shape[:lead])), *s._owed.shape[lead:])
        rows.index_add_(0, wrap(s._owed.keys()), values if alpha == 1 else values * alpha)
        return x
    made = function(x, *args, **kwargs)
    made = made if parts_of(made) is None else to_dense(made)
    if made.dtype is not x.dtype:
        made = made.to(x.dtype)
    return x.copy_(made)


@rule("zero_")
def zero_(self):
    """Take all elements out."""
    parts = self._owed
    if parts.layout is COO:
        return self.become(empty(parts.shape, parts.sparse_dim, self.dtype), "zero_")
    return self.become(with_values(parts, parts.values.new_zeros(parts.values.shape)), "zero_")


@rule("copy_")
def copy_(self, src, non_blocking=False):
    """Become a copy of another sparse tensor."""
    if not isinstance(self, SparseTensor) or parts_of(src) is None:
        fail(RuntimeError, f"copy_() between dense and sparse Tensors is not implemented! Found self type = "
             f"{self.type()} and src type = {src.type()}", "convert one of them first")
    if src._owed.layout is not self._owed.layout:
        fail(RuntimeError, f"copy_: from layout {src._owed.layout} to {self._owed.layout}", "convert it first")
    made = src.to(self.dtype)
    return self.become(made.clone() if made is src else made, "copy_")


@rule("zeros_like", "empty_like")
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
               pin_memory=False):
    """A sparse tensor of the same size without elements."""
    parts = input._owed
    kind = input.dtype if dtype is None else dtype
    if layout is not None and layout is not parts.layout:
        return FUNCTIONS["zeros"](*parts.shape, dtype=kind, layout=layout, requires_grad=requires_grad)
    if parts.layout is COO:
        made = empty(parts.shape, parts.sparse_dim, kind)
    else:
        made = with_values(parts, parts.values.detach().new_zeros(parts.values.shape, dtype=kind))
    return made.requires_grad_() if requires_grad else made


@rule("new_zeros", "new_empty")
def new_zeros(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A sparse tensor of another size without elements."""
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    made = empty(tuple(size), len(size), self.dtype if dtype is None else dtype)
    return made.requires_grad_() if requires_grad else made


@rule("new_tensor")
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, **_):
    """A dense tensor of this one's type."""
    return self._owed.values.new_tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)


@rule("norm")
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of all elements."""
    if dim is not None:
        refuse("norm with dim")
    return FUNCTIONS["norm"](values_of(coalesced(to_coo(input))), p, dtype=dtype)


@rule("any")
def any_of(input, dim=None, keepdim=False):
    """Whether an element is not 0."""
    if dim is not None:
        refuse("any with dim")
    return values_of(coalesced(to_coo(input))).any()


@rule("clone")
def clone(input, *, memory_format=None):
    """A copy."""
    return input.clone()


@rule("detach")
def detach(input):
    """The same parts outside the graph."""
    return input.detach()


@rule("alias")
def same(input):
    """The same tensor as another object."""
    return with_values(input._owed, values_of(in_graph(input)))
