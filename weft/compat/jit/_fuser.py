"""Switches of PyTorch's own fusers. There is none of them here (`weft.compile` fuses), so they are remembered only."""
import contextlib

__all__ = ["fuser", "strict_fusion", "optimized_execution", "set_fusion_strategy", "enable_onednn_fusion",
           "onednn_fusion_enabled"]
_REMEMBERED = {"onednn": False, "strategy": [("STATIC", 2), ("DYNAMIC", 10)]}


@contextlib.contextmanager
def fuser(name):
    """A region for one of the fusers `fuser0` to `fuser3`; nothing changes in it.

    >>> import weft
    >>> with weft.jit.fuser("fuser1"):
    ...     weft.ones(2) * 2
    tensor([2., 2.])
    """
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


@contextlib.contextmanager
def optimized_execution(should_optimize):
    """A region in which scripts are optimised or not; nothing changes in it.

    >>> import weft
    >>> with weft.jit.optimized_execution(False):
    ...     weft.ones(2) * 2
    tensor([2., 2.])
    """
    yield


class strict_fusion:
    """A region in which everything should be fused; nothing changes in it.

    >>> import weft
    >>> with weft.jit.strict_fusion():
    ...     weft.ones(2) * 2
    tensor([2., 2.])
    """

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None


def set_fusion_strategy(strategy):
    """Remember how often a fuser may specialise, [(kind, depth), ...]; the strategy before.

    >>> import weft
    >>> old = weft.jit.set_fusion_strategy([("DYNAMIC", 3)])
    >>> weft.jit.set_fusion_strategy(old)
    [('DYNAMIC', 3)]
    """
    before, _REMEMBERED["strategy"] = _REMEMBERED["strategy"], list(strategy)
    return before


def enable_onednn_fusion(enabled):
    """Remember the switch.

    >>> import weft
    >>> weft.jit.enable_onednn_fusion(False)
    """
    _REMEMBERED["onednn"] = bool(enabled)


def onednn_fusion_enabled():
    """The switch.

    >>> import weft
    >>> weft.jit.onednn_fusion_enabled()
    False
    """
    return _REMEMBERED["onednn"]
