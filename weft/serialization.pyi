"""torch.serialization: save, load, and what a checkpoint may name."""
# made by tools/stubs.py

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
class SourceChangeWarning(Warning):
    ...

