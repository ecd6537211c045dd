"""torch.return_types: the classes of results with names."""
import sys

from weft.tensor.names import FUNCTIONS


def __getattr__(name):
    """The class of what a function gives, as its op's body says it."""
    op = getattr(FUNCTIONS.get(name) or FUNCTIONS.get("linalg." + name.removeprefix("linalg_")), "op", None)
    if op is None or op.returns is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    vars(sys.modules[__name__])[name] = op.returns
    return op.returns
