"""torch.storage: a tensor's memory as an object."""
# made by tools/stubs.py

from weft.tensor.storage import TypedStorage as TypedStorage
from weft.tensor.storage import UntypedStorage as UntypedStorage
