"""How much PyTorch would tell of its collectives; weft always compares what the ranks call."""
import os
from enum import Enum

from weft.distributed.stores import DistError as DistError
from weft.distributed.stores import DistStoreError


class DebugLevel(Enum):
    """What the variable TORCH_DISTRIBUTED_DEBUG says."""
    OFF, INFO, DETAIL = 0, 1, 2


class DistBackendError(DistError):
    """An error of the way in which processes talk."""


class DistNetworkError(DistError):
    """An error of the network."""


class QueueEmptyError(DistStoreError):
    """A queue of a store that has nothing."""


_chosen = []


def get_debug_level():
    """What was set, or what the environment says."""
    return _chosen[-1] if _chosen else DebugLevel[os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()]


def set_debug_level(level):
    """Say what get_debug_level answers; ranks' calls are always compared."""
    _chosen[:] = [DebugLevel(level)]


def set_debug_level_from_env():
    """Take what the environment says."""
    _chosen.clear()


def supports_complex(reduceOp):
    """Whether complex numbers can be reduced so."""
    return getattr(reduceOp, "name", str(reduceOp)) in ("SUM", "AVG", "PRODUCT", "PREMUL_SUM")


def get_default_backend_for_device(device):
    """"gloo", which MPI answers, for the CPU."""
    return "gloo"
