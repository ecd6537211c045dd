"""What only several processes need: it can be imported and compared with, and says that weft doesn't have it."""
from weft._absent import absent_classes, absent_functions
from weft.distributed.alone import MANY_CLASSES, MANY_FUNCTIONS

_FIX = "weft runs one process: ask torch.distributed.is_available() first"
absent_classes(" ".join(MANY_CLASSES), globals(), _FIX, "torch.distributed")
absent_functions(" ".join(MANY_FUNCTIONS), globals(), _FIX, "torch.distributed")
__all__ = [*MANY_CLASSES, *MANY_FUNCTIONS]
