"""What the matrix ops ask of their arguments; each check works on arrays and costs nothing when it passes."""
import numpy as np

from weft.core.errors import fail
from weft.core.spec import Spec
from weft.kernels.linalg import LinAlgError
from weft.ops.core.registry import FUNCTIONS
from weft.ops.pointwise.base import complex_type, real_type
from weft.tensor.tensor import Tensor, without_values, wrap

FUNCTIONS["linalg.LinAlgError"] = LinAlgError

_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
          "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
          "complex64": "ComplexFloat", "complex128": "ComplexDouble"}


def type_name(array):
    """`Float`, `Long`, ...: what PyTorch's messages call an element type."""
    return _NAMES.get(array.dtype.name, array.dtype.name)


def real_of(array):
    """The type of its numbers' sizes: real, also where they are complex."""
    return real_type(array.dtype) if array.dtype.kind == "c" else array.dtype


def complex_of(array):
    """The complex type of its numbers."""
    return array.dtype if array.dtype.kind == "c" else complex_type(array.dtype)


def sizes(array):
    """`3x4`: a matrix's sizes in a message."""
    return "x".join(map(str, array.shape))


def need_tensors(name, **values):
    """TypeError for the first argument that isn't a tensor."""
    for at, (key, value) in enumerate(values.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}(): argument '{key}' (position {at}) must be Tensor, not {type(value).__name__}")


def need_matrix(array, name, which="A"):
    """At least two dimensions."""
    if array.ndim < 2:
        fail(RuntimeError, f"{name}: The input tensor {which} must have at least 2 dimensions, it has {array.ndim}.",
             f"give {which} the shape (..., rows, columns), for example with unsqueeze(-1)")


def need_square(array, name, which="A"):
    """Square matrices."""
    need_matrix(array, name, which)
    if array.shape[-1] != array.shape[-2]:
        fail(RuntimeError, f"{name}: {which} must be batches of square matrices, but they are {array.shape[-2]} by "
             f"{array.shape[-1]} matrices", "for rectangular ones see linalg.lstsq, linalg.pinv and linalg.svd")


def need_float(array, name, half=False, kind=RuntimeError):
    """A floating or complex type, of at least 32 bits unless `half`."""
    if array.dtype.kind in "biu":
        fail(kind, f"{name}: Expected a floating point or complex tensor as input. Got {type_name(array)}",
             "convert it first with .float() or .double()")
    if not half and array.dtype.itemsize == 2:
        fail(NotImplementedError, f"{name}: Low precision dtypes not supported. Got {type_name(array)}",
             "convert it first with .float()")


def need_same_type(a, b, name):
    """One type for both sides of an equation."""
    if a.dtype != b.dtype:
        fail(RuntimeError, f"{name}: Expected A and B to have the same dtype, but found A of type {type_name(a)} and B "
             f"of type {type_name(b)} instead", "convert one of them with .to(other.dtype)")


def first_failure(info):
    """(where, number) of the first matrix that failed: where is '' or '(Batch element 2): '; None when all went well.
    """
    if not info.any():
        return None
    at = int((info.reshape(-1) != 0).argmax())
    return (f"(Batch element {at}): " if info.ndim else ""), int(info.reshape(-1)[at])


def eye_beside(t, m, n=None, dtype=None, scale=1, offset=0):
    """offset + scale * the identity (m, n), in t's type and on its device."""
    dtype = t._form.dtype if dtype is None else dtype
    if t._on_meta:
        return without_values(Spec((m, m if n is None else n), dtype))
    return wrap((np.eye(m, n) * scale + offset).astype(dtype))


def not_finite(array, part=""):
    """Which of the matrices have inf or nan in them: (...); of `part` "L" or "U" only that triangle is looked at."""
    seen = np.tril(array) if part == "L" else np.triu(array) if part == "U" else array
    return ~np.isfinite(seen).all((-2, -1))


def need_finite(array, name, part=""):
    """No inf or nan: LAPACK's iterations on them give anything, and some never end."""
    broken = not_finite(array, part)
    if broken.any():
        which = f"(Batch element {int(broken.reshape(-1).argmax())}): " if array.ndim > 2 else ""
        no_convergence(name, "the input matrix contained non-finite values", which)


def no_convergence(name, why, which=""):
    """The error of an iteration that doesn't end."""
    fail(LinAlgError, f"{name}: {which}The algorithm failed to converge because {why}.",
         "look for inf and nan in the input: weft.check_numerics() finds the op that made the first")
