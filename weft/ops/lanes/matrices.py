"""Batch rules of matrix products and of ops on stacks of matrices."""
from weft.ops.lanes.rules import Unruled, batch, leading, lifted
from weft.tensor.names import FUNCTIONS

matmul = FUNCTIONS["matmul"]

batch("_stacked_mm", "baddbmm")(lambda call: product(call) if call.op.name == "_stacked_mm" else added(call))


@batch("mm", "bmm", "_matmul_operator", "_folded_mm")
def product(call):
    """A matrix that all examples share stays one, so that the product is one of long matrices."""
    return [matmul(call.values[0], call.aligned(1, call.rank(0)))]


@batch("_times_adjoint", "_folded_times_adjoint")
def times_adjoint(call):
    return [matmul(call.x, call.aligned(1, call.rank(0)).mH)]


@batch("_adjoint_times")
def adjoint_times(call):
    return [matmul(call.spread("x").mH, call.spread("y"))]


@batch("_folded_adjoint_times")
def folded_adjoint_times(call):
    x, y = call.spread("x"), call.spread("y")
    n = call.size
    return [matmul(x.reshape((n, -1, x.shape[-1])).mH, y.reshape((n, -1, y.shape[-1])))]


@batch("mv")
def times_vector(call):
    x, vec = call.values[0], call.values[1]
    if call.batched[1] is not True:
        return [matmul(x, vec)]
    if call.batched[0] is not True:
        return [matmul(vec, x.mT)]
    return [matmul(x, vec.unsqueeze(-1)).squeeze(-1)]


@batch("dot")
def dot(call):
    return [(call.x * call.y).sum(-1)]


@batch("addmm", "addmv")
def added(call):
    first, x, y = call.values[0], call.values[1], call.values[2]
    vector = call.op.name == "addmv"
    if vector and call.batched[2] is True:
        made = matmul(x, y.unsqueeze(-1)).squeeze(-1)
    else:
        made = matmul(x, y)
    rank = len(call.outputs[0]._form.shape)
    first = lifted(first, rank) if call.batched[0] is True else first
    made = made if call.alpha == 1 else made * call.alpha
    if call.beta == 0:
        return [made.expand((call.size, *call.outputs[0]._form.shape))]
    return [made + (first if call.beta == 1 else first * call.beta)]


@batch("linear")
def linear(call):
    """x (B, ..., in); a weight of each example (B, out, in)."""
    x, weight, bias = call.x, call.weight, call.bias
    if not call.has_batch("weight") and not call.has_batch("bias"):
        return call.run(call.values)
    if call.one("weight")._form.ndim == 1:
        raise Unruled
    if call.has_batch("weight"):
        inside = call.spread("x")
        made = matmul(inside.reshape((call.size, -1, inside.shape[-1])), weight.mT)
        made = made.reshape((*inside.shape[:-1], weight.shape[1]))
    else:
        made = FUNCTIONS["nn.functional.linear"](x, weight)
    if bias is None:
        return [made]
    rank = len(call.outputs[0]._form.shape)
    if not made._form.ndim == rank + 1:      # neither x nor the weight differ
        made = made.unsqueeze(0)
    return [made + (lifted(bias, rank) if call.has_batch("bias") else bias)]


@batch("_linear_grad")
def linear_grad(call):
    """x: the output's gradient (B, ..., out); input (B, ..., in)."""
    needs, n, made = call.needs, call.size, []
    g = call.spread("x")
    rows = g.reshape((n, -1, g.shape[-1]))
    if needs[0]:
        made.append(matmul(rows, call.weight).reshape((n, *call.one("input")._form.shape)))
    if needs[1]:
        inside = call.spread("input")
        made.append(matmul(rows.mT, inside.reshape((n, -1, inside.shape[-1]))))
    if needs[2]:
        shape = tuple(call.bias_shape)
        lead = g._form.ndim - 1 - len(shape)
        made.append(g.sum_to_size((n, *(1,) * lead, *shape)).reshape((n, *shape)))
    return made


batch("matrix_exp", "_inverse", "det", "_cofactor", "_cofactor_vjp", "slogdet", "_solve_triangular", "qr",
      "svd")(leading)
