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


def computed_as(op, kwargs, out):
    """The arguments of an op that computes in the type of `out=`, where none was asked for."""
    if kwargs.get("dtype") is None and isinstance(out, Tensor):
        return {**kwargs, "dtype": out.dtype}
    return kwargs


def write_out(op, out, result):
    """Fill `out=`: resized where its shape differs, never silently narrowed."""
    targets, results = _paired(op, out, result)
    for target, made in zip(targets, results):
        check_inference(target, op.name)
        if target._on_meta != made._on_meta:
            fail(RuntimeError, f"{op.name}(): out= is on device {target.device}, its result on {made.device}",
                 f"make out= a tensor on {made.device}")
        if mode_bits() & GRAD_OFF == 0 and op.differentiable and (needs_grad(made) or needs_grad(target)):
            fail(RuntimeError, f"{op.name}(): functions with out=... arguments don't support automatic "
                 f"differentiation, but one of the arguments requires grad",
                 "call it without out=, or inside no_grad()")
        if target.dtype is not made.dtype:
            _check_type(op, target.dtype, made.dtype, len(results))
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
        elif 0 in target._form.strides and target._form.size and not may_write(target._array):
            fail(RuntimeError, f"{op.name}(): out=: unsupported operation: more than one element of the written-to "
                 f"tensor refers to a single memory location (it was expanded)", "clone() it first")
        OPS.write_values(target, made._array)
    if isinstance(out, Tensor):
        return out
    made = type(result) if hasattr(result, "_fields") else op.returns
    return out if made is None else made(*out)


def _paired(op, out, result):
    """(outs, results) of a call: as many of the one as of the other."""
    several = isinstance(result, (tuple, list))
    if several != isinstance(out, (tuple, list)):
        wanted = f"a tuple of {len(result)} tensors" if several else "Tensor"
        raise TypeError(f"{op.name}(): argument 'out' must be {wanted}, not {type(out).__name__}")
    targets, results = (out, result) if several else ((out,), (result,))
    if len(targets) != len(results):
        raise TypeError(f"{op.name}(): argument 'out' must be a tuple of {len(results)} tensors, "
                        f"but got {len(targets)}")
    for target in targets:
        if not isinstance(target, Tensor):
            raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type(target).__name__}")
    return targets, results


def _check_type(op, given, made, count):
    """Refuse an `out=` of a type that this op doesn't write (`out_types` in its body)."""
    rule = "exact" if count > 1 and op.outputs is None and op.out_types == "castable" else op.out_types     # max by dim
    if rule == "any":
        return
    if rule in ("castable", "joined"):
        if not dtypes.can_cast(made, given):
            fail(TypeError if rule == "joined" else RuntimeError,
                 f"{op.name}(): result type {made} can't be cast to the desired output type {given}",
                 f"make out= a tensor of {made}")
    elif str(given).removeprefix("torch.") not in rule.split():
        fail(RuntimeError, f"{op.name}(): Expected out tensor to have dtype {made}, but got {given} instead",
             f"make out= a tensor of {made}")
