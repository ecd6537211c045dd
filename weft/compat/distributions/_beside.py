"""What a module of torch.distributions has besides its classes: the names that PyTorch's own file imports."""
import importlib

PLACES = ("weft.distributions", "weft.distributions.utils", "weft")


def beside(name):
    """A name of torch.distributions or its tools: packages take `Distribution` from wherever they find it."""
    if not name.startswith("__"):
        for place in PLACES:
            found = getattr(importlib.import_module(place), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'torch.distributions' has no attribute '{name}'")
