"""torch.nn.utils: gradients clipped, parameters reparametrized, sequences packed, models edited. Parts are imported
when first used.
"""
import importlib

from weft.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from weft.nn.utils.spectral_norm import spectral_norm as spectral_norm
from weft.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from weft.nn.utils.weight_norm import weight_norm as weight_norm

_HOME = {
    "clip_grad": ("clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"),
    "convert_parameters": ("parameters_to_vector", "vector_to_parameters"),
    "fusion": ("fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"),
    "init": ("skip_init",),
    "memory_format": ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"),
}
_PARTS = ("parametrizations", "parametrize", "prune", "rnn", "stateless", "surgery")
_WHERE = {name: part for part, names in _HOME.items() for name in names}

__all__ = sorted([*_WHERE, *_PARTS, "remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"])


def __getattr__(name):
    if name in _WHERE:
        found = getattr(importlib.import_module(f"weft.nn.utils.{_WHERE[name]}"), name)
        globals()[name] = found
        return found
    if name in _PARTS or name in _HOME:
        return importlib.import_module(f"weft.nn.utils.{name}")
    raise AttributeError(f"module 'weft.nn.utils' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__})
