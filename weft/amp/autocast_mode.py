"""`autocast`: a region in which products are computed in a half type and what needs precision in float32; the op
bodies say which (`autocast = "lower"`).
"""
import functools
import warnings

from weft.core import dtype as dtypes
from weft.core.autocast import DTYPES, Region, is_on, state, switch
from weft.tensor.tensor import Tensor

__all__ = ["autocast", "custom_fwd", "custom_bwd", "is_autocast_available", "is_autocast_enabled", "get_autocast_dtype",
           "set_autocast_enabled", "set_autocast_dtype", "is_autocast_cpu_enabled", "set_autocast_cpu_enabled",
           "get_autocast_cpu_dtype", "set_autocast_cpu_dtype", "get_autocast_gpu_dtype", "set_autocast_gpu_dtype",
           "is_autocast_cache_enabled", "set_autocast_cache_enabled", "clear_autocast_cache",
           "autocast_increment_nesting", "autocast_decrement_nesting"]


def is_autocast_available(device_type):
    """Whether a device type has autocast at all.

    >>> import weft
    >>> weft.amp.is_autocast_available("cpu")
    True
    """
    return device_type in DTYPES


# other devices of PyTorch's that have autocast: one may ask, and it is off
ELSEWHERE = {**dict.fromkeys(("mps", "xpu", "ipu", "mtia", "privateuseone"), dtypes.float16),
             **dict.fromkeys(("hpu", "xla"), dtypes.bfloat16)}


def _need(device_type):
    if device_type not in DTYPES:
        raise RuntimeError(f"unsupported scalarType for autocast device_type '{device_type}': use 'cpu' or 'cuda'")


def is_autocast_enabled(device_type="cuda"):
    """Whether this thread is in an enabled region for the device type.

    >>> import weft
    >>> with weft.autocast("cpu"):
    ...     weft.is_autocast_enabled("cpu")
    True
    """
    if device_type in ELSEWHERE:
        return False
    _need(device_type)
    return is_on(device_type)


def set_autocast_enabled(device_type, enabled=None):
    """Switch autocast on or off for a device type; alone, the flag is that of "cuda". `autocast` puts it back.

    >>> import weft
    >>> weft.set_autocast_enabled("cpu", False)
    >>> weft.is_autocast_enabled("cpu")
    False
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    _need(device_type)
    switch(device_type, enabled)


def get_autocast_dtype(device_type):
    """The type that this thread's region computes in; outside, that of a region which is given none.

    >>> import weft
    >>> weft.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    if device_type in ELSEWHERE:
        return ELSEWHERE[device_type]
    _need(device_type)
    return state.dtypes[device_type]


def set_autocast_dtype(device_type, dtype):
    """The type that regions of this thread compute in. `autocast` puts it back.

    >>> import weft
    >>> weft.set_autocast_dtype("cpu", weft.bfloat16)
    """
    _need(device_type)
    state.dtypes[device_type] = dtype


def is_autocast_cpu_enabled():
    """`is_autocast_enabled("cpu")`.

    >>> import weft
    >>> weft.is_autocast_cpu_enabled()
    False
    """
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled):
    """`set_autocast_enabled("cpu", enabled)`.

    >>> import weft
    >>> weft.set_autocast_cpu_enabled(False)
    """
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype():
    """`get_autocast_dtype("cpu")`.

    >>> import weft
    >>> weft.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype):
    """`set_autocast_dtype("cpu", dtype)`.

    >>> import weft
    >>> weft.set_autocast_cpu_dtype(weft.bfloat16)
    """
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype():
    """`get_autocast_dtype("cuda")`.

    >>> import weft
    >>> weft.get_autocast_gpu_dtype()
    torch.float16
    """
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype):
    """`set_autocast_dtype("cuda", dtype)`.

    >>> import weft
    >>> weft.set_autocast_gpu_dtype(weft.float16)
    """
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled():
    """Whether a parameter is cast once for all ops of the outermost region.

    >>> import weft
    >>> weft.is_autocast_cache_enabled()
    True
    """
    return state.keep


def set_autocast_cache_enabled(enabled):
    """Cast a parameter once for all ops of the outermost region, or for each op anew.

    >>> import weft
    >>> weft.set_autocast_cache_enabled(True)
    """
    state.keep = bool(enabled)


def clear_autocast_cache():
    """Let go of the casts of parameters; the outermost region does so at its end.

    >>> import weft
    >>> weft.clear_autocast_cache()
    """
    state.kept.clear()


def autocast_increment_nesting():
    """Note that a region opens; how many there are now.

    >>> import weft
    >>> weft.autocast_increment_nesting(), weft.autocast_decrement_nesting()
    (1, 0)
    """
    state.depth += 1
    return state.depth


def autocast_decrement_nesting():
    """Note that a region closes; how many there are still.

    >>> import weft
    >>> weft.autocast_increment_nesting(), weft.autocast_decrement_nesting()
    (1, 0)
    """
    state.depth -= 1
    return state.depth


class autocast(Region):
    """A context or decorator for regions in mixed precision: products of float32 tensors are computed in `dtype`
    (bfloat16 if none is given), and what needs precision in float32. A parameter is cast once for all that use it in
    the outermost region, and its gradient is float32 as it is.

    For "cuda" it is off, with PyTorch's warning.

    >>> import weft
    >>> with weft.amp.autocast('cpu'):
    ...     y = weft.ones(2, 2) @ weft.ones(2, 2)
    >>> y.dtype
    torch.bfloat16
    """
    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        super().__init__(device_type, enabled, get_autocast_dtype(device_type) if dtype is None else dtype,
                         state.keep if cache_enabled is None else cache_enabled)
        if enabled and device_type == "cuda":
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            self._enabled = False
        elif enabled and self.fast_dtype not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn("In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast "
                          "only supports dtypes of torch.bfloat16, torch.float16 currently.", stacklevel=2)
            self._enabled = False

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inside


def custom_fwd(fwd=None, *, device_type="cuda", cast_inputs=None):
    """Decorator for a Function's forward: in a region it gets its floating inputs as `cast_inputs`, and runs with
    autocast off; without `cast_inputs` it runs as the code around it does.

    >>> import weft
    >>> class Double(weft.autograd.Function):
    ...     @staticmethod
    ...     @weft.amp.custom_fwd(device_type="cpu", cast_inputs=weft.float32)
    ...     def forward(ctx, x):
    ...         return x * 2
    >>> with weft.autocast("cpu"):
    ...     Double.apply(weft.ones(2, dtype=weft.bfloat16)).dtype
    torch.float32
    """
    _need_name("custom_fwd", device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def inside(*args, **kwargs):
        ctx = args[0]
        ctx._dtype, enabled = get_autocast_dtype(device_type), is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, cast_inputs), **_cast(kwargs, cast_inputs))
    return inside


def _cast(value, dtype):
    """All floating tensors of nested values in a type, but for float64."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() and value.dtype is not dtypes.float64 else value
    if isinstance(value, dict):
        return {_cast(key, dtype): _cast(v, dtype) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(v, dtype) for v in value])
    return value


def _need_name(who, device_type):
    if not isinstance(device_type, str):
        raise ValueError(f"{who}: Expected `device_type` of type `str`, got: `{type(device_type)}`")
    _need(device_type)


def custom_bwd(bwd=None, *, device_type="cuda"):
    """Decorator for a Function's backward, which runs with autocast on or off as its forward did.

    >>> import weft
    >>> class Double(weft.autograd.Function):
    ...     @staticmethod
    ...     @weft.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     @weft.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         return g * 2
    >>> x = weft.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    _need_name("custom_bwd", device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def inside(*args, **kwargs):
        with autocast(device_type, args[0]._dtype, args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)
    return inside
