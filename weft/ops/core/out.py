"""`out=`: results that go into a tensor that is there already."""
import warnings

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.ops.core.inference import check_inference
from weft.tensor.tensor import OPS, Tensor, needs_grad


def may_write(array):
    """Whether no dimension repeats its elements."""
    for n, stride in zip(array.shape, array.strides):
        if n > 1 and stride == 0:
            return False
    return True


def write_out(op, out, result):
    """Fill `out=`: resized where its shape differs, never silently narrowed."""
    targets, results = (out, result) if isinstance(out, (tuple, list)) else ((out,), (result,))
    for target, made in zip(targets, results):
        if not isinstance(target, Tensor):
            raise TypeError(f"{op.name}(): argument 'out' must be a tensor, not {type(target).__name__}")
        check_inference(target, op.name)
        if mode_bits() & GRAD_OFF == 0 and (needs_grad(made) or needs_grad(target)):
            fail(RuntimeError, f"{op.name}(): functions with out=... arguments don't support automatic "
                 f"differentiation, but one of the arguments requires grad",
                 "call it without out=, or inside no_grad()")
        if not dtypes.can_cast(made.dtype, target.dtype):
            fail(RuntimeError, f"{op.name}(): result type {made.dtype} can't be cast to the desired output type "
                 f"{target.dtype}",
                 f"make out= a tensor of {made.dtype}")
    for target, made in zip(targets, results):
        if target._form.shape != made._form.shape:
            if target._form.size:
                warnings.warn(f"An output with one or more elements was resized since it had shape "
                              f"{list(target._form.shape)}, which does not "
                              f"match the required output shape {list(made._form.shape)}. This behavior is deprecated, "
                              f"and in a future PyTorch release outputs will not be resized unless they have zero "
                              f"elements. Reuse an out tensor t by resizing it, inplace, to zero elements with "
                              f"t.resize_(0).", stacklevel=2)
            target.resize_(made._form.shape)
        elif 0 in target._form.strides and target._form.size and not may_write(target._form):
            fail(RuntimeError, f"{op.name}(): out=: unsupported operation: more than one element of the written-to "
                 f"tensor refers to a single memory location (it was expanded)", "clone() it first")
        OPS.write_values(target, made._array)
    return out if not isinstance(out, (tuple, list)) or op.returns is None else op.returns(*out)
