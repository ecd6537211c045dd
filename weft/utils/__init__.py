"""torch.utils: helpers around tensors."""
from weft.utils import deterministic as deterministic
from weft.utils import dlpack as dlpack


def __getattr__(name):      # imported when first used
    if name in ("checkpoint", "data", "serialization", "tensorboard", "_pytree", "hooks"):
        import importlib
        try:
            return importlib.import_module("weft.utils." + name)
        except ModuleNotFoundError as error:
            if error.name != "weft.utils." + name:
                raise
    raise AttributeError(f"module 'weft.utils' has no attribute '{name}'")
