"""torch.utils.hooks: the handle by which a hook is removed."""
# made by tools/stubs.py

from weft.autograd.graph import RemovableHandle as RemovableHandle
