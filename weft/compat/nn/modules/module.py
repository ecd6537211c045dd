"""PyTorch's place for these."""
import sys
from types import ModuleType

from weft.nn.module import Module as Module
from weft.nn.module_hooks import GLOBAL
from weft.nn.module_hooks import register_module_backward_hook as register_module_backward_hook
from weft.nn.module_hooks import register_module_buffer_registration_hook as register_module_buffer_registration_hook
from weft.nn.module_hooks import register_module_forward_hook as register_module_forward_hook
from weft.nn.module_hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from weft.nn.module_hooks import register_module_full_backward_hook as register_module_full_backward_hook
from weft.nn.module_hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from weft.nn.module_hooks import register_module_module_registration_hook as register_module_module_registration_hook
from weft.nn.module_hooks import (
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from weft.nn.module_loading import EXTRA as _EXTRA_STATE_KEY_SUFFIX  # noqa: F401
from weft.nn.module_loading import _IncompatibleKeys as _IncompatibleKeys
from weft.nn.parameter import Buffer as Buffer
from weft.nn.parameter import Parameter as Parameter

_GLOBAL_NAMES = {"_global_forward_pre_hooks": "forward_pre", "_global_forward_hooks": "forward",
                 "_global_backward_pre_hooks": "backward_pre", "_global_backward_hooks": "backward",
                 "_global_forward_hooks_with_kwargs": "forward_with_kwargs",
                 "_global_forward_hooks_always_called": "forward_always",
                 "_global_is_full_backward_hook": "full_backward",
                 "_global_module_registration_hooks": "module_registration",
                 "_global_buffer_registration_hooks": "buffer_registration",
                 "_global_parameter_registration_hooks": "parameter_registration"}


class _Here(ModuleType):
    """The hooks of all modules under PyTorch's names, to read and to replace: programs empty them so."""

    def __getattr__(self, name):
        if name in _GLOBAL_NAMES:
            return getattr(GLOBAL, _GLOBAL_NAMES[name])
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __setattr__(self, name, value):
        if name in _GLOBAL_NAMES:
            setattr(GLOBAL, _GLOBAL_NAMES[name], value)
            GLOBAL.look()
        else:
            super().__setattr__(name, value)


_here = _Here(__name__, __doc__)
vars(_here).update(globals())
sys.modules[__name__] = _here       # what `import` gives
