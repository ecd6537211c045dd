"""Arithmetic, elementwise: what `+ - * / **` and their friends do."""
import numpy as np

from weft.ops.registry import FLOATING, POINTWISE, op
from weft.tensor.tensor import OPS


def _no_bool(x, y, name):
    if x.dtype.kind == "b" and y.dtype.kind == "b":
        raise RuntimeError(f"{name}: subtraction with two bool tensors is not supported\n"
                           f"  fix: use ^ or logical_xor() instead")


@op
class add:
    """x + alpha * y."""
    tags, native = POINTWISE, "add"

    def forward(x, y, *, alpha=1):
        return np.add(x, y if alpha == 1 else y * np.asarray(alpha).astype(y.dtype))

    def grad_x(g):
        return g

    def grad_y(g, alpha):
        return g if alpha == 1 else g * alpha
    samples = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())]


@op
class sub:
    """x - alpha * y."""
    tags, native, names, node_name = POINTWISE, "sub", "sub subtract", "SubBackward0"

    def forward(x, y, *, alpha=1):
        _no_bool(x, y, "sub")
        return np.subtract(x, y if alpha == 1 else y * np.asarray(alpha).astype(y.dtype))

    def grad_x(g):
        return g

    def grad_y(g, alpha):
        return -g if alpha == 1 else g * -alpha
    samples = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())]


@op
class rsub:
    """alpha-scaled reverse subtraction: y - alpha * x."""
    tags, node_name = POINTWISE, "RsubBackward0"

    def forward(x, y, *, alpha=1):
        _no_bool(x, y, "rsub")
        return np.subtract(y, x if alpha == 1 else x * np.asarray(alpha).astype(x.dtype))

    def grad_x(g, alpha):
        return -g if alpha == 1 else g * -alpha

    def grad_y(g):
        return g
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class mul:
    """x * y."""
    tags, native, names = POINTWISE, "mul", "mul multiply"

    def forward(x, y):
        return np.multiply(x, y)

    def grad_x(g, y):
        return g * conj_of(y)

    def grad_y(g, x):
        return g * conj_of(x)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())]


def conj_of(value):
    """The conjugate of a tensor or number; real ones are their own."""
    if isinstance(value, complex):
        return value.conjugate()
    if isinstance(value, (int, float)) or value.array.dtype.kind != "c":
        return value
    return value.conj()


@op
class neg:
    """-x."""
    tags, native, names = POINTWISE, "neg", "neg negative"

    def forward(x):
        if x.dtype.kind == "b":
            raise RuntimeError("neg: negation of a bool tensor is not supported\n  fix: use ~ or logical_not() instead")
        return np.negative(x)

    def grad_x(g):
        return -g
    samples = [((3, 2),), ((),)]


@op
class exp:
    """e**x."""
    tags, native = FLOATING, "exp"

    def forward(x):
        with np.errstate(all="ignore"):
            return np.exp(x)

    def grad_x(g, out):
        return g * conj_of(out)
    samples = [((3, 2),), ((),)]


OPS.add, OPS.sub, OPS.rsub, OPS.mul, OPS.neg = add.op, sub.op, rsub.op, mul.op, neg.op
