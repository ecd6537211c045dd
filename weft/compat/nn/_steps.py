"""Steps of nn.functional's functions that PyTorch keeps in the same module under private names. Attention layers that
people write themselves call them.
"""
import math
import warnings

import weft
from weft.core.errors import fail
from weft.nn.modules.utils import _list_with_default, _pair, _single, _triple
from weft.ops.nn.attention_heads import _check_dims as _mha_shape_check
from weft.ops.nn.attention_heads import _projected
from weft.overrides import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)
from weft.tensor.tensor import Tensor

torch = weft
GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}
__all__ = ["GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "Tensor", "_list_with_default",
           "_mha_shape_check", "_pair", "_single", "_triple", "boolean_dispatch", "handle_torch_function",
           "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "torch"]


def _none_or_dtype(input):
    """The type of a tensor; None of None."""
    if input is None or isinstance(input, Tensor):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A mask as numbers to add: -inf where a bool mask is True. A floating one stays as it is."""
    if mask is None:
        return None
    if mask.dtype != torch.bool and not mask.is_floating_point():
        fail(AssertionError, f"only bool and floating types of {mask_name} are supported",
             "give True where a key must not be seen, or numbers to add")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both "
                      f"instead.", stacklevel=2)
    if mask.is_floating_point():
        return mask
    return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _in_projection_packed(q, k, v, w, b=None):
    """[query, key, value] behind their projections, whose weights (3 * features, features) lie in one tensor."""
    return _projected(q, k, v, w, b, None)


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """(query, key, value) behind a projection for each."""
    size, wide, deep = q.size(-1), k.size(-1), v.size(-1)
    for name, weight, shape in (("query", w_q, (size, size)), ("key", w_k, (size, wide)), ("value", w_v, (size, deep))):
        if tuple(weight.shape) != shape:
            fail(AssertionError, f"expecting {name} weights shape of {shape}, but got {weight.shape}")
    for name, bias in (("query", b_q), ("key", b_k), ("value", b_v)):
        if bias is not None and tuple(bias.shape) != (size,):
            fail(AssertionError, f"expecting {name} bias shape of {(size,)}, but got {bias.shape}")
    linear = torch.nn.functional.linear
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _get_softmax_dim(name, ndim, stacklevel):
    """The dimension that softmax takes if none is given."""
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
                  f"argument.", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def _verify_batch_size(size):
    """A norm over a batch needs more than one value for each channel: (N, C, ...)."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """A function that is `if_true` or `if_false`, as one of its arguments says."""
    def fn(*args, **kwargs):
        chosen = kwargs[arg_name] if arg_name in kwargs else args[arg_index] if arg_index < len(args) else default
        return (if_true if chosen else if_false)(*args, **kwargs)
    fn.__name__, fn.__module__ = func_name or fn.__name__, module_name or fn.__module__
    fn.__doc__ = if_true.__doc__ or if_false.__doc__
    return fn
