"""`autocast`: a region in which PyTorch would compute products in a half type; weft's kernels take float32 there."""
import functools
import threading
import warnings

from weft.core import dtype as dtypes

__all__ = ["autocast", "custom_fwd", "custom_bwd", "is_autocast_available", "is_autocast_enabled", "get_autocast_dtype"]

_DTYPES = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}
_state = threading.local()
_told = set()


def is_autocast_available(device_type):
    """Whether a device type has autocast at all.

    >>> import weft
    >>> weft.amp.is_autocast_available("cpu")
    True
    """
    return device_type in _DTYPES


def is_autocast_enabled(device_type="cuda"):
    """Whether this thread is in an enabled region for the device type.

    >>> import weft
    >>> weft.is_autocast_enabled("cpu")
    False
    """
    return getattr(_state, "enabled", {}).get(device_type, False)


def get_autocast_dtype(device_type):
    """The type that a region would compute in if none is given.

    >>> import weft
    >>> weft.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    if device_type not in _DTYPES:
        raise RuntimeError(f"unsupported scalarType for autocast device_type '{device_type}': use 'cpu' or 'cuda'")
    return _DTYPES[device_type]


class autocast:
    """A context or decorator for regions in mixed precision.

    On the CPU everything in it is computed in the types that it has outside, which is exact and loses no time; a
    warning says so once. For "cuda" it is off, with PyTorch's warning.

    >>> import weft
    >>> with weft.amp.autocast('cpu'):
    ...     y = weft.ones(2, 2) @ weft.ones(2, 2)
    >>> y.dtype
    torch.float32
    """
    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device, self.fast_dtype = device_type, get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled, self._enabled, self._before = bool(cache_enabled), bool(enabled), []
        if enabled and device_type == "cuda":
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            self._enabled = False
        elif enabled and self.fast_dtype not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn("In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast "
                          "only supports dtypes of torch.bfloat16, torch.float16 currently.", stacklevel=2)
            self._enabled = False
        elif enabled and "cpu" not in _told:
            _told.add("cpu")
            warnings.warn("autocast on the CPU keeps the types of its inputs: results are more exact than PyTorch's, "
                          "and not in "
                          f"{self.fast_dtype}", stacklevel=2)

    def __enter__(self):
        enabled = _state.__dict__.setdefault("enabled", {})
        self._before.append(enabled.get(self.device, False))
        enabled[self.device] = self._enabled
        return self

    def __exit__(self, *error):
        _state.enabled[self.device] = self._before.pop()
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inside


def custom_fwd(fwd=None, *, device_type="cuda", cast_inputs=None):
    """Decorator for a Function's forward: in a region it would get its inputs as `cast_inputs`; types are kept here, so
    it is called as it is.

    >>> import weft
    >>> class Double(weft.autograd.Function):
    ...     @staticmethod
    ...     @weft.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return x * 2
    >>> Double.apply(weft.ones(2))
    tensor([2., 2.])
    """
    return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs) if fwd is None else fwd


def custom_bwd(bwd=None, *, device_type="cuda"):
    """Decorator for a Function's backward, which runs as its forward did.

    >>> import weft
    >>> class Double(weft.autograd.Function):
    ...     @staticmethod
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
    return functools.partial(custom_bwd, device_type=device_type) if bwd is None else bwd
