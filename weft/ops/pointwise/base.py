# compiled
"""What the elementwise ops share: silence, refusals, zeros, and the mask that gradients pass through."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.layout import empty_ordered
from weft.core.spec import Spec, broadcast, common_order
from weft.kernels import fast
from weft.kernels.native import BINARY, UNARY, binary, unary
from weft.ops.core.apply import conj_of as conj_of
from weft.ops.core.registry import op
from weft.ops.core.samples import bools
from weft.tensor.tensor import wrap

BROADCAST = frozenset(("pointwise",))                   # broadcasts, neither promotes nor has an in-place form
TEST = frozenset(("pointwise", "nograd"))               # one tensor in, bool out, no in-place form
NO_GRAD_FLOATING = frozenset(("pointwise", "inplace", "to_float", "nograd"))

TYPE_NAMES = {"bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
              "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "float16": "Half", "bfloat16": "BFloat16",
              "float32": "Float", "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble"}


LOOPS = {np.add: BINARY["add"], np.subtract: BINARY["sub"], np.multiply: BINARY["mul"], np.true_divide: BINARY["div"],
         np.maximum: BINARY["maximum"], np.minimum: BINARY["minimum"], np.power: BINARY["pow"],
         np.arctan2: BINARY["atan2"], np.hypot: BINARY["hypot"], np.logaddexp: BINARY["logaddexp"],
         np.fmod: BINARY["fmod"], np.remainder: BINARY["remainder"], np.floor_divide: BINARY["floor_divide"],
         np.bitwise_and: BINARY["bitwise_and"], np.bitwise_or: BINARY["bitwise_or"],
         np.bitwise_xor: BINARY["bitwise_xor"], np.logical_and: BINARY["logical_and"],
         np.logical_or: BINARY["logical_or"], np.logical_xor: BINARY["logical_xor"]}
LOOPS1 = {np.exp: UNARY["exp"], np.exp2: UNARY["exp2"], np.expm1: UNARY["expm1"], np.log: UNARY["log"],
          np.log1p: UNARY["log1p"], np.log2: UNARY["log2"], np.log10: UNARY["log10"], np.sqrt: UNARY["sqrt"],
          np.abs: UNARY["abs"], np.sin: UNARY["sin"], np.cos: UNARY["cos"], np.tan: UNARY["tan"],
          np.arctan: UNARY["atan"], np.arcsin: UNARY["asin"], np.arccos: UNARY["acos"], np.sinh: UNARY["sinh"],
          np.cosh: UNARY["cosh"], np.tanh: UNARY["tanh"], np.arcsinh: UNARY["asinh"], np.arccosh: UNARY["acosh"],
          np.arctanh: UNARY["atanh"], np.floor: UNARY["floor"], np.ceil: UNARY["ceil"], np.trunc: UNARY["trunc"],
          np.negative: UNARY["neg"]}


PROGRAMS = {}           # (code, operands, shape) -> a chain of one function, as cpp/fused.cpp reads it
MOST_PROGRAMS = 1024


def chained(code, first, *others):
    """The function `code` of a captured chain on arrays of one shape; None where its kernel doesn't take them."""
    key = code, len(others), first.shape
    program = PROGRAMS.get(key)
    if program is None:
        if len(PROGRAMS) >= MOST_PROGRAMS:
            PROGRAMS.clear()
        n = len(others) + 1
        places = [*range(n), *[-1] * (4 - n)]
        program = PROGRAMS[key] = np.array([n, 1, 0, 1, first.ndim, *first.shape, code, *places, n], np.int64)
    found = fast.fused(program, first, *others)
    return None if found is None else found[0]


def quiet(function, *arrays):
    """Call a NumPy function, by its native loop where there is one; overflow and NaN are results here, not warnings."""
    n = len(arrays)
    code = LOOPS.get(function, -1) if n == 2 else LOOPS1.get(function, -1) if n == 1 else -1
    if code >= 0:
        found = binary(code, arrays[0], arrays[1]) if n == 2 else unary(code, arrays[0])
        if found is not None:
            return found
    if n > 1 and not all([a.flags.c_contiguous for a in arrays if type(a) is np.ndarray]):
        return _ordered(function, arrays)
    with np.errstate(all="ignore"):
        return function(*arrays)


def _ordered(function, arrays):
    """Where the operands' memory orders differ PyTorch takes the first one's, NumPy C order: so let that be C order."""
    seen = [a for a in arrays if type(a) is np.ndarray]
    shape = np.broadcast_shapes(*[a.shape for a in seen])
    order = common_order(shape, seen)
    turned = [np.broadcast_to(a, shape).transpose(order) if type(a) is np.ndarray and a.ndim else a for a in arrays]
    with np.errstate(all="ignore"):
        made = function(*turned, order="C") if isinstance(function, np.ufunc) else function(*turned)
    return made.transpose(np.argsort(order))


def refuse(who, x, kinds, fix="convert the tensor first, for example with .float()"):
    """NotImplementedError for an array of one of these NumPy kinds ("b" bool, "iu" integer, "f" floating, "c" complex).
    """
    if x.dtype.kind in kinds:
        fail(NotImplementedError, f"\"{who}\" not implemented for '{TYPE_NAMES[x.dtype.name]}'", fix)


def floating(x):
    """Integers and bools in the default floating type."""
    return x.astype(dtypes.default.dtype.np) if x.dtype.kind in "biu" else x


def complex_type(np_dtype):
    """The complex NumPy type whose parts are of this real type."""
    return np.dtype(np.complex128 if np_dtype.itemsize == 8 else np.complex64)


def real_type(np_dtype):
    """The real NumPy type of a complex type's parts."""
    return np.dtype(np.float64 if np_dtype.itemsize == 16 else np.float32)


def empty_for(np_dtype, *arrays):
    """A new array with the shape and the memory order of what an elementwise op of these arrays gives."""
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    if all([a.flags.c_contiguous for a in arrays]):
        return np.empty(shape, np_dtype)
    return empty_ordered(shape, np_dtype, common_order(shape, arrays))


def choose(condition, x, y):
    """np.where for a condition of bools; x and y are of one type, y may be a number of it."""
    found = fast.where(condition, x, y if type(y) is np.ndarray else np.array(y, x.dtype))
    return quiet(np.where, condition, x, y) if found is None else found


def logistic(x):
    """1 / (1 + e**-x) of an array."""
    found = unary(UNARY["sigmoid"], x)
    if found is not None:
        return found
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    e = np.exp(-np.abs(x))          # never overflows
    return np.where(x >= 0, x.dtype.type(1), e) / (1 + e)


def zeros(g):
    """The gradient of what doesn't move: zeros like g."""
    made = wrap(np.zeros(g._form.shape, g._form.dtype))
    made._on_meta = g._on_meta
    return made


@op
class _keep:
    """x where the mask holds, 0 elsewhere, whatever x is there."""
    tags, method = BROADCAST, False

    def forward(x, mask):
        return choose(mask, x, x.dtype.type(0))

    def shape(x, mask):
        return broadcast([s for s in (mask, x) if isinstance(s, Spec)], x.dtype)

    def grad_x(g, mask):
        return _keep(g, mask)
    samples = [((3, 2), True), ((3, 2), bools(3, 2))]
