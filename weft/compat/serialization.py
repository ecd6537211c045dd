"""torch.serialization: save, load, and what a checkpoint may name."""
from weft.core.layout import LAYOUTS
from weft.io.api import load as load
from weft.io.api import save as save
from weft.io.errors import CheckpointFileError as CheckpointFileError
from weft.io.options import LoadEndianness as LoadEndianness
from weft.io.options import get_crc32_options as get_crc32_options
from weft.io.options import get_default_load_endianness as get_default_load_endianness
from weft.io.options import get_default_mmap_options as get_default_mmap_options
from weft.io.options import set_crc32_options as set_crc32_options
from weft.io.options import set_default_load_endianness as set_default_load_endianness
from weft.io.options import set_default_mmap_options as set_default_mmap_options
from weft.io.safe import add_safe_globals as add_safe_globals
from weft.io.safe import clear_safe_globals as clear_safe_globals
from weft.io.safe import get_safe_globals as get_safe_globals
from weft.io.safe import safe_globals as safe_globals
from weft.io.scan import get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint

__all__ = ["CheckpointFileError", "LoadEndianness", "add_safe_globals", "clear_safe_globals", "get_crc32_options",
           "get_default_load_endianness", "get_default_mmap_options", "get_safe_globals",
           "get_unsafe_globals_in_checkpoint", "load", "safe_globals", "save", "set_crc32_options",
           "set_default_load_endianness", "set_default_mmap_options"]


class SourceChangeWarning(Warning):
    """Of files that hold a model's source, which none does that weft reads: a name for warnings' filters."""


DEFAULT_PROTOCOL = 2        # of the pickles in a checkpoint
MAP_LOCATION = "Callable | str | torch.device | dict | None"        # for annotations


def _get_layout(name):
    """The layout that a pickle names, "torch.strided"."""
    return LAYOUTS[name.removeprefix("torch.")]
