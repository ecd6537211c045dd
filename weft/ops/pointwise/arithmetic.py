# compiled
"""Arithmetic, elementwise: what `+ - * / // % **` and their friends do."""
import cmath
import math

import numpy as np

from weft.autograd.faces import Face, kept
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.spec import Spec, broadcast
from weft.kernels import fast
from weft.kernels.native import BINARY, UNARY, binary, unary
from weft.ops.core.apply import conj_of
from weft.ops.core.registry import FLOATING, FUNCTIONS, MAYBE_VIEW, POINTWISE, op
from weft.ops.core.samples import fixed, ints
from weft.ops.pointwise.base import _keep, floating, quiet, refuse, zeros
from weft.tensor.names import method
from weft.tensor.tensor import OPS, Tensor

ADDCMUL, ADDCDIV = 0, 1     # the numbers of fast.ternary


def _scaled(y, alpha, who):
    """alpha * y in y's type; alpha must fit it."""
    if isinstance(alpha, bool) and y.dtype.kind != "b":
        fail(RuntimeError, f"{who}: Boolean alpha only supported for Boolean results, got {y.dtype.name}",
             "give alpha as a number")
    if isinstance(alpha, float) and y.dtype.kind in "biu":
        fail(RuntimeError, f"{who}: For integral input tensors, argument alpha must not be a floating point number, "
             f"got {alpha}",
             "convert a tensor to a floating type, or give an integer alpha")
    if isinstance(alpha, complex) and y.dtype.kind != "c":
        fail(RuntimeError, f"{who}: For non-complex input tensors, argument alpha must not be a complex number, got "
             f"{alpha}",
             "convert a tensor to a complex type first")
    return quiet(np.multiply, y, _value(alpha, y.dtype))


def _no_bool(x, y, name):
    n = _is_bool(x) + _is_bool(y)
    if n == 2:
        fail(RuntimeError, f"{name}: Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
             f"`^` or `logical_xor()` operator instead.")
    if n == 1:
        fail(RuntimeError, f"{name}: Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
             f"trying to invert a mask, use the `~` or `logical_not()` operator instead.",
             "or convert the mask first, for example with .float() or .long()")


def _is_bool(value):
    return value._form.dtype.kind == "b" if isinstance(value, Tensor) else isinstance(value, bool)


def one_each(values, outs):
    """One floating-point operation for each element of the result."""
    return math.prod(outs[0])


@op
class add:
    """x + alpha * y."""
    tensors = ""
    numbers_first = "alpha"
    tags, native = POINTWISE, "add"

    def forward(x, y, *, alpha=1):
        return quiet(np.add, x, y if alpha == 1 and type(alpha) is int else _scaled(y, alpha, "add"))

    def grad_x(g):
        return g

    def grad_y(g, alpha):
        return g if alpha == 1 else g * conj_of(alpha)

    def looks(node):
        return Face("AddBackward0", saved={"alpha": kept(node).get("alpha", 1)})
    samples, flops = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())], one_each


@op
class sub:
    """x - alpha * y."""
    tensors = ""
    numbers_first = "alpha"
    tags, native, names, node_name = POINTWISE, "sub", "sub subtract", "SubBackward0"

    def check(x, y, alpha):
        _no_bool(x, y, "sub")

    def forward(x, y, *, alpha=1):
        return quiet(np.subtract, x, y if alpha == 1 and type(alpha) is int else _scaled(y, alpha, "sub"))

    def grad_x(g):
        return g

    def grad_y(g, alpha):
        return -g if alpha == 1 else g * -conj_of(alpha)

    def looks(node):
        return Face("SubBackward0", saved={"alpha": kept(node).get("alpha", 1)})
    samples = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())]


@op
class rsub:
    """alpha-scaled reverse subtraction: y - alpha * x."""
    tensors = "x"
    tags, method, node_name = POINTWISE - {"inplace"}, False, "RsubBackward0"
    chain = "sub y x"

    def check(x, y, alpha):
        _no_bool(x, y, "rsub")

    def forward(x, y, *, alpha=1):
        return quiet(np.subtract, y, x if alpha == 1 and type(alpha) is int else _scaled(x, alpha, "rsub"))

    def shape(x, y, *, alpha):
        return broadcast([s for s in (y, x) if isinstance(s, Spec)], x.dtype)       # y comes first in it

    def grad_x(g, alpha):
        return -g if alpha == 1 else g * -conj_of(alpha)

    def grad_y(g):
        return g
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class mul:
    """x * y."""
    tensors = ""
    tags, native, names = POINTWISE, "mul", "mul multiply"

    def forward(x, y):
        return quiet(np.multiply, x, y)

    def grad_x(g, y):
        return g * conj_of(y)

    def grad_y(g, x):
        return g * conj_of(x)
    samples, flops = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())], one_each


@op
class div:
    """x / y; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
    integers.
    """
    tensors = ""
    tags, native, names = POINTWISE, "div", "div divide"

    def forward(x, y, *, rounding_mode=None):
        if rounding_mode is None:
            return quiet(np.true_divide, floating(x), floating(y))
        if rounding_mode == "floor":
            return _floored(x, y)
        if rounding_mode == "trunc":
            return _truncated(x, y)
        fail(RuntimeError, f"div: expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
             f"{rounding_mode!r}",
             "give one of these three")

    def grad_x(g, y, rounding_mode):
        return g / conj_of(y) if rounding_mode is None else zeros(g)

    def grad_y(g, y, out, rounding_mode):
        return -(g * conj_of(out)) / conj_of(y) if rounding_mode is None else zeros(g)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,)), ((), ())]


def _divisible(x, y, who):
    """Refuse what has no quotient: bools, and integers over zero."""
    refuse(who, x, "bc")
    if x.dtype.kind in "iu" and not np.all(y):
        fail(RuntimeError, f"ZeroDivisionError: {who}: an integer was divided by zero",
             "divide floating tensors, which gives inf or nan")


def _floored(x, y):
    _divisible(x, y, "div_floor_cpu")
    return quiet(np.floor_divide, x, y)


def _truncated(x, y):
    _divisible(x, y, "div_trunc_cpu")
    if x.dtype.kind == "f":
        return quiet(np.trunc, quiet(np.true_divide, x, y))
    return quiet(np.floor_divide, x - quiet(np.fmod, x, y), y)      # exact, so flooring is truncating


@op
class true_divide:
    """x / y; the same as div without a rounding mode."""
    tags = POINTWISE

    def compose(input, other):
        return div(input, other)
    samples = [((3, 2), (3, 2))]


@op
class floor_divide:
    """The quotient rounded down; it has no gradient."""
    tensors = ""
    tags, native, node_name = POINTWISE, "floor_divide", "NotImplemented"

    def forward(x, y):
        return _floored(x, y)
    samples = [(fixed(3, 2), fixed(3, 2)), (ints(3, 2, below=9), ints(2, below=4, start=1))]


@op
class remainder:
    """What floor division leaves: it has the sign of y."""
    tags, native = POINTWISE, "remainder"

    def forward(x, y):
        _divisible(x, y, "remainder_cpu")
        return quiet(np.remainder, x, y)

    def grad_x(g):
        return g

    def grad_y(g, x, y):
        return -g * div(x, y, rounding_mode="floor")
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class fmod:
    """What truncating division leaves: it has the sign of x."""
    tensors = "x"
    tags, native = POINTWISE, "fmod"

    def forward(x, y):
        _divisible(x, y, "fmod_cpu")
        return quiet(np.fmod, x, y)

    def grad_x(g):
        return g

    def grad_y(g, x, y):
        return -g * div(x, y, rounding_mode="trunc")
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class neg:
    """-x."""
    tags, native, names = POINTWISE, "neg", "neg negative"
    out_types = "exact"

    def forward(x):
        if x.dtype.kind == "b":
            fail(RuntimeError, "neg: Negation, the `-` operator, on a bool tensor is not supported",
                 "use ~ or logical_not() instead")
        return np.negative(x)

    def grad_x(g):
        return -g
    samples = [((3, 2),), ((),)]


@op
class positive:
    """x itself."""
    tags = MAYBE_VIEW

    def check(x):
        if x._form.dtype.kind == "b":
            fail(RuntimeError, "positive: The `+` operator, on a bool tensor is not supported", "leave it out")

    def forward(x):
        return x

    def shape(x):
        return x

    def grad_x(g):
        return g
    samples = [((3, 2),)]


@op
class abs_:
    """The size of each element; that of a complex one is real."""
    tags, native, names = POINTWISE, "abs", "abs absolute"
    out_types = "exact"

    def forward(x):
        refuse("abs_cpu", x, "b")
        return quiet(np.abs, x)

    def grad_x(g, x):
        return g * x.sgn()
    samples = [((3, 2),), ((),)]


def _abs_in_place(self):
    """abs, written into the tensor; the size of a complex number is real, so that needs a new tensor.

    >>> import weft
    >>> weft.tensor([-1.0, 2.0]).abs_()
    tensor([1., 2.])
    """
    if self._form.dtype.kind == "c":
        fail(RuntimeError, "In-place abs is not supported for complex tensors.", "use abs(), and keep its result")
    return OPS.run_inplace(abs_.op, self, (), {})


for _name in ("abs_", "absolute_"):
    method(_abs_in_place, _name)
    FUNCTIONS[_name] = _abs_in_place


@op
class addcmul:
    """x + value * tensor1 * tensor2."""
    tensors = "x tensor1 tensor2"
    numbers_first = "value"
    tags = POINTWISE

    def forward(x, tensor1, tensor2, *, value=1):
        refuse("addcmul_cpu_out", x, "b")
        found = fast.ternary(ADDCMUL, x, tensor1, tensor2, value)
        if found is not None:
            return found
        product = quiet(np.multiply, tensor1, tensor2)
        return quiet(np.add, x, product if value == 1 else quiet(np.multiply, product, _value(value, x.dtype)))

    def grad_x(g):
        return g

    def grad_tensor1(g, tensor2, value):
        return g * conj_of(tensor2 if value == 1 else tensor2 * value)

    def grad_tensor2(g, tensor1, value):
        return g * conj_of(tensor1 if value == 1 else tensor1 * value)
    samples = [((3, 2), (3, 2), (3, 2)), ((3, 1), (2,), (3, 2))]


@op
class addcdiv:
    """x + value * tensor1 / tensor2."""
    tensors = "x tensor1 tensor2"
    numbers_first = "value"
    tags = POINTWISE

    def forward(x, tensor1, tensor2, *, value=1):
        if x.dtype.kind in "biu":
            fail(RuntimeError, "addcdiv: Integer division with addcdiv is no longer supported",
                 "x + value * (tensor1 / tensor2) divides truly; div(rounding_mode='trunc') divides integers")
        found = fast.ternary(ADDCDIV, x, tensor1, tensor2, value)
        if found is not None:
            return found
        quotient = quiet(np.true_divide, tensor1, tensor2)
        return quiet(np.add, x, quotient if value == 1 else quiet(np.multiply, quotient, _value(value, x.dtype)))

    def grad_x(g):
        return g

    def grad_tensor1(g, tensor2, value):
        return g * conj_of(value / tensor2)

    def grad_tensor2(g, tensor1, tensor2, value):
        return -g * conj_of(tensor1 * value / (tensor2 * tensor2))
    samples = [((3, 2), (3, 2), (3, 2)), ((3, 1), (2,), (3, 2))]


def _value(value, np_dtype):
    if np_dtype.kind == "f" and type(value) is float:
        return value            # a Python float takes the array's type
    value = value._array if isinstance(value, Tensor) else np.asarray(value)
    return value.astype(np_dtype)


# powers

@op
class _power:
    """x to the power of the exponent."""
    tags, method, node_name = POINTWISE - {"inplace"}, False, "PowBackward0"

    def forward(x, exponent):
        refuse("pow", x, "b")
        if x.dtype.kind in "iu":
            return _integer_power(x, exponent)
        return quiet(_power_of_number, x, exponent.item()) if exponent.ndim == 0 else quiet(np.power, x, exponent)

    def grad_x(g, x, exponent):
        if isinstance(exponent, Tensor):
            return _keep(g * conj_of(exponent * x ** (exponent - 1)), exponent != 0)
        if exponent == 2:
            return g * conj_of(x * 2)
        if exponent == 0:
            return zeros(g)
        return g if exponent == 1 else g * conj_of(x ** (exponent - 1) * exponent)

    def grad_exponent(g, x, exponent, out):
        grad = g * conj_of(out * _log(x, out))
        if isinstance(x, Tensor):
            return _keep(grad, (x != 0).logical_or(_at_least_0(exponent).logical_not()))
        return grad if x != 0 else _keep(grad, _at_least_0(exponent).logical_not())

    def looks(node):
        saved = kept(node)
        x, exponent = saved.get("x"), saved.get("exponent")
        if not isinstance(exponent, Tensor):
            return Face("PowBackward0", node.edges()[:1], {"exponent": exponent, "self": x})
        saved = {"exponent": exponent, "result": saved.get("out"), "self": x}
        if isinstance(x, Tensor) or x is None:
            return Face("PowBackward1", saved=saved)
        return Face("PowBackward2", node.edges()[1:], saved)
    samples = [((3, 2), 2), ((3, 2), 3.0), ((), 2)]


@op
class pow_:
    """x to the power of the exponent."""
    tags = POINTWISE
    numbers = _power.op, {2: "square", 3: "cube", 0.5: "sqrt"}

    def compose(input, exponent):
        if type(exponent) is int and exponent < 0 and input._form.dtype.kind in "biu":
            fail(RuntimeError, f"pow: Integers to negative integer powers are not allowed, got the exponent {exponent}",
                 "convert the base to a floating type first")
        return _power(input, exponent)
    samples = [((3, 2), 2), ((3, 2), 3.0), ((), 2)]


def _power_of_number(x, e):
    """x to one power for all elements; the common ones without calling pow."""
    if e == 2:
        found = binary(BINARY["mul"], x, x)
        return quiet(np.multiply, x, x) if found is None else found
    if e == 1:
        return x.copy("K")
    if e == 3:
        found = unary(UNARY["cube"], x)
        return quiet(np.multiply, quiet(np.multiply, x, x), x) if found is None else found
    if e == 0.5:
        return quiet(np.sqrt, x)
    if e == -1:
        return quiet(np.true_divide, 1.0, x)
    if e == -0.5:
        return quiet(np.true_divide, 1.0, quiet(np.sqrt, x))
    if e == -2:
        return quiet(np.true_divide, 1.0, quiet(np.multiply, x, x))
    return quiet(np.power, x, np.asarray(e).astype(x.dtype))


def _integer_power(x, e):
    """Integers to integer powers; to a negative one only 1 and -1 give more than 0."""
    if np.all(e >= 0):
        return np.power(x, e)
    odd = np.where(e & 1, x, 1)                                       # of -1: -1 or 1; of 1: 1
    return np.where(e >= 0, np.power(x, np.maximum(e, 0)), np.where((x == 1) | (x == -1), odd, 0)).astype(x.dtype)


def _log(x, out):
    """log x for the exponent's gradient, of a tensor or a number."""
    if isinstance(x, Tensor):
        return x.log() if x._form.dtype.kind == "c" or out._form.dtype.kind != "c" else x.to(out.dtype).log()
    if isinstance(x, complex) or x < 0 and out._form.dtype.kind == "c":
        return cmath.log(x)
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _at_least_0(exponent):
    return (exponent.real if exponent._form.dtype.kind == "c" else exponent) >= 0


@op
class float_power:
    """x to the power of the exponent, computed in double precision."""

    def compose(input, exponent):
        if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
            raise TypeError(f"float_power(): expected a tensor, got {type(input).__name__} and "
                            f"{type(exponent).__name__}")
        wide = _double(input, exponent)
        return pow_(input.to(wide) if isinstance(input, Tensor) else input,
                    exponent.to(wide) if isinstance(exponent, Tensor) else exponent)
    samples = [((3, 2), 2)]


def _double(x, exponent):
    return dtypes.complex128 if _is_complex(x) or _is_complex(exponent) else dtypes.float64


def _float_power_in_place(self, exponent):
    """float_power, written into a tensor of double precision.

    >>> import weft
    >>> weft.tensor([2.0, 3.0], dtype=weft.float64).float_power_(2)
    tensor([4., 9.], dtype=torch.float64)
    """
    if self.dtype is not _double(self, exponent):
        fail(RuntimeError, f"float_power_: the base has dtype {self.dtype} but the operation's result requires dtype "
             f"{_double(self, exponent)}", "use the form without _, or convert the tensor with .double()")
    return OPS.run_inplace(pow_.op, self, (exponent,), {})


method(_float_power_in_place, "float_power_")


def _is_complex(value):
    return value._form.dtype.kind == "c" if isinstance(value, Tensor) else isinstance(value, complex)


@op
class square:
    """x * x."""
    tags, native = POINTWISE, "square"

    def forward(x):
        if x.dtype.kind == "b":
            x = x.astype(np.int64)
        return quiet(np.multiply, x, x)

    def grad_x(g, x):
        return g * conj_of(x * 2)

    def looks(node):
        return Face("PowBackward0", saved={"exponent": 2, "self": kept(node).get("x")})
    samples = [((3, 2),), ((),)]


@op
class reciprocal:
    """1 / x."""
    tags, native = FLOATING, "reciprocal"

    def forward(x):
        return quiet(np.true_divide, x.dtype.type(1), x)

    def grad_x(g, out):
        return -g * conj_of(out * out)
    samples = [((3, 2),), ((),)]
