"""The settings of save and load as PyTorch's functions give and take them."""
import enum

from weft.utils.serialization import config

SHARED, PRIVATE = 1, 2      # mmap.MAP_SHARED and MAP_PRIVATE


class LoadEndianness(enum.Enum):
    """The byte order of a file that doesn't say it.

    >>> import weft
    >>> weft.serialization.LoadEndianness.LITTLE.name
    'LITTLE'
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness():
    """The byte order that is taken for files which don't say it; None is little.

    >>> import weft
    >>> weft.serialization.get_default_load_endianness() is None
    True
    """
    return config.load.endianness


def set_default_load_endianness(endianness):
    """Set the byte order that is taken for files which don't say it.

    >>> import weft
    >>> serialization = weft.serialization
    >>> serialization.set_default_load_endianness(serialization.LoadEndianness.LITTLE)
    >>> serialization.get_default_load_endianness().name
    'LITTLE'
    >>> serialization.set_default_load_endianness(None)
    """
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    config.load.endianness = endianness


def get_crc32_options():
    """Whether the sums of members are written; here they always are.

    >>> import weft
    >>> weft.serialization.get_crc32_options()
    True
    """
    return config.save.compute_crc32


def set_crc32_options(compute_crc32):
    """Accepted; sums are always written, they cost a thousandth of the disk's time.

    >>> import weft
    >>> weft.serialization.set_crc32_options(True)
    >>> weft.serialization.get_crc32_options()
    True
    """
    config.save.compute_crc32 = compute_crc32


def get_default_mmap_options():
    """How files are mapped: MAP_PRIVATE, or MAP_SHARED, where writes to tensors change the file.

    >>> import weft
    >>> import mmap
    >>> weft.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return config.load.mmap_flags


class set_default_mmap_options:
    """Set how files are mapped, at once and until the end of a `with` block.

    >>> import weft
    >>> import mmap
    >>> with weft.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     weft.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags):
        if flags not in (PRIVATE, SHARED):
            raise ValueError(f"Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                             f"mmap.MAP_SHARED, got {flags}")
        self.before, config.load.mmap_flags = config.load.mmap_flags, flags

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        config.load.mmap_flags = self.before
