"""torch.distributed.fsdp.wrap: which layers of a model to cut one by one."""
from weft._absent import absent_functions as _functions

_functions("enable_wrap wrap", globals(), "fully_shard(layer) for each layer, then fully_shard(model)")


def always_wrap_policy(*args, **kwargs):
    """Every layer."""
    return True


def lambda_auto_wrap_policy(module, recurse, nonwrapped_numel, lambda_fn):
    """The layers of which a function says so."""
    return True if recurse else bool(lambda_fn(module))


def transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls):
    """The layers of some classes."""
    return True if recurse else isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(module, recurse, nonwrapped_numel, min_num_params=int(1e8), force_leaf_modules=None,
                                exclude_wrap_modules=None):
    """The layers that have so many parameters that are not cut yet."""
    from weft.nn import ModuleDict, ModuleList, MultiheadAttention  # only here
    leaves = tuple(force_leaf_modules or (MultiheadAttention,))
    left_out = tuple(exclude_wrap_modules or (ModuleList, ModuleDict))
    large = nonwrapped_numel >= min_num_params
    return large and not isinstance(module, leaves if recurse else left_out)


class ModuleWrapPolicy:
    """The layers of some classes."""

    def __init__(self, module_classes):
        self._module_classes = frozenset(module_classes)

    def __call__(self, module, recurse, *args, **kwargs):
        return True if recurse else isinstance(module, tuple(self._module_classes))

    def __repr__(self):
        return f"ModuleWrapPolicy({set(self._module_classes)})"


class CustomPolicy:
    """The layers of which a function says so."""

    def __init__(self, lambda_fn):
        self._lambda_fn = lambda_fn

    def __call__(self, module, recurse, *args, **kwargs):
        return True if recurse else bool(self._lambda_fn(module))
