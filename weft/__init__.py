"""weft: a dynamic-graph deep-learning framework with PyTorch's API."""
# first of all, since it decides between the compiled and the plain core
import weft._pure  # noqa: F401, I001
import weft.ops  # noqa: F401
from weft import autograd as autograd
from weft._checks import (_check as _check, _check_index as _check_index, _check_is_size as _check_is_size,
                          _check_not_implemented as _check_not_implemented, _check_type as _check_type,
                          _check_value as _check_value)
from weft._version import __version__ as __version__
from weft.core.device import (device as device, get_default_device as get_default_device,
                              set_default_device as set_default_device)
from weft.core.dtype import BY_NAME as _BY_NAME
from weft.core.dtype import (dtype as dtype, finfo as finfo, get_default_dtype as get_default_dtype, iinfo as iinfo,
                             promote_types as promote_types, set_default_dtype as set_default_dtype)
from weft.core.modes import (enable_grad as enable_grad, inference_mode as inference_mode,
                             is_grad_enabled as is_grad_enabled,
                             is_inference_mode_enabled as is_inference_mode_enabled, no_grad as no_grad,
                             set_grad_enabled as set_grad_enabled)
from weft.core.late import LATE as _LATE
from weft.core.namespace import fill as _fill, missing as _missing
from weft.core.size import Size as Size, broadcast_shapes as broadcast_shapes
from weft.ops.core.registry import FUNCTIONS as _FUNCTIONS
from weft.tensor.tensor import Tensor as Tensor

globals().update(_BY_NAME)      # float32, long, ...
_fill(globals(), _FUNCTIONS, "")
# imported when first used, so that `import weft` stays quick
_LAZY = ("fft", "linalg", "masked", "nn", "random", "signal", "special", "testing", "utils", "cuda", "backends",
         "overrides", "_C", "accelerator", "version", "types", "storage", "cpu", "memory", "optim", "func", "io",
         "serialization", "vision", "profiler", "viz", "inspect", "distributions", "amp", "distributed", "jit",
         "__future__")
_LATE["autograd.profiler"] = ("weft.profiler.legacy", None)
_LATE["Module.summary"] = ("weft.profiler.summary", "summary")
# functions of parts that are imported when first used
_TOOLS = {"graph": "weft.viz.build", "check_numerics": "weft.autograd.numerics",
          "set_anomaly_enabled": "weft.autograd.anomaly", "is_anomaly_enabled": "weft.autograd.anomaly",
          "is_anomaly_check_nan_enabled": "weft.autograd.anomaly", "save": "weft.io.api", "load": "weft.io.api",
          **dict.fromkeys(("autocast", "is_autocast_enabled", "get_autocast_dtype"), "weft.amp.autocast_mode")}
# functions on lists of tensors, by what their names start with
_LISTS = {"_foreach_": "weft.ops.lists.foreach", "_amp_foreach_": "weft.ops.lists.foreach",
          "_fused_": "weft.optim.fused"}


def __getattr__(name):
    if name in _LAZY:
        import importlib
        return importlib.import_module("weft." + name)
    if name in _TOOLS:
        import importlib
        return globals().setdefault(name, getattr(importlib.import_module(_TOOLS[name]), name))
    for start, family in _LISTS.items() if name.startswith("_") else ():
        if name.startswith(start):
            import importlib
            globals().update(importlib.import_module(family).PUBLIC)
            if name in globals():
                return globals()[name]
    raise AttributeError(_missing("weft", name, globals()))


def __dir__():
    return sorted({*globals(), *_LAZY, *_TOOLS})
