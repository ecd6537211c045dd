"""torch.utils.hooks: the handle by which a hook is removed."""
from weft.autograd.graph import RemovableHandle

__all__ = ["RemovableHandle"]
