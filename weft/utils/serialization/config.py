"""The settings of save and load: `config.load.mmap`, ..."""
import sys


class load:
    """How files are read."""

    mmap = False
    endianness = None                                           # of a file that doesn't say; None is little
    mmap_flags = None if sys.platform == "win32" else 2         # MAP_PRIVATE
    calculate_storage_offsets = False                           # PyTorch's: weft always reads the archive's list


class save:
    """How files are written."""

    compute_crc32 = True
    use_pinned_memory_for_d2h = False
    storage_alignment = 64
