"""weft.memory: the memory that kernels take their results from, and keep for the next ones.

    >>> import weft
    >>> sorted(weft.memory.stats())
    ['cached', 'hits', 'in_use', 'limit', 'peak', 'requests']

Without the native kernels (WEFT_PURE=1, or no compiler when weft was built) NumPy's memory is used: all figures are 0,
and the functions do nothing.
"""
from weft.kernels.fast import base as _base


def stats():
    """Bytes in use, cached, the peak of those in use, and the cache's limit; how many requests there were, and how many
    the cache met.

    >>> import weft
    >>> sorted(weft.memory.stats())[:1] != []
    True
    """
    if _base is None:
        return dict.fromkeys(("in_use", "cached", "peak", "limit", "requests", "hits"), 0)
    return _base.memory_stats()


def empty_cache():
    """Give the memory that is kept for later back to the system.

    >>> import weft
    >>> weft.memory.empty_cache()
    >>> weft.memory.stats()["cached"]
    0
    """
    if _base is not None:
        _base.empty_cache()


def set_limit(bytes):
    """Keep at most so many bytes for later; 0 keeps none.

    >>> import weft
    >>> before = weft.memory.stats()["limit"]
    >>> weft.memory.set_limit(0)                # frees what is kept, too
    >>> weft.memory.stats()["cached"]
    0
    >>> weft.memory.set_limit(before)
    """
    if isinstance(bytes, bool) or not isinstance(bytes, int):
        raise TypeError(f"set_limit(): the limit is a number of bytes, not {type(bytes).__name__}\n  fix: give an int, "
                        f"such as 256 * 2**20")
    if bytes < 0:
        raise ValueError(f"set_limit(): the limit can't be negative, got {bytes}\n  fix: give 0 to keep no memory")
    if _base is not None:
        _base.set_cache_limit(min(bytes, 2**63 - 1))        # what C can count


def reset_peak():
    """Count the peak from what is in use now.

    >>> import weft
    >>> weft.memory.reset_peak()
    >>> found = weft.memory.stats()
    >>> found["peak"] >= found["in_use"]
    True
    """
    if _base is not None:
        _base.reset_peak()
