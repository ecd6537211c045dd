"""Modules without the work of initialising them."""
import inspect

from weft.nn.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters are not initialised: for those that are loaded at once.

    >>> import weft
    >>> weft.nn.utils.skip_init(weft.nn.Linear, 2, 3).weight.shape
    torch.Size([3, 2])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
