"""Stores of keys that processes share: they can be imported and compared with, and say that weft doesn't have them."""
from weft._absent import absent_classes

_NAMES = "FileStore HashStore PrefixStore Store TCPStore"
absent_classes(_NAMES, globals(), "init_process_group needs no store: MASTER_ADDR and MASTER_PORT, tcp:// or file://",
               "torch.distributed")
__all__ = _NAMES.split()
