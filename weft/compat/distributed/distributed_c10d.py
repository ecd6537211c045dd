"""torch.distributed.distributed_c10d: PyTorch's place for groups and collectives."""
from weft.distributed.absent import *  # noqa: F403
from weft.distributed.alone import *  # noqa: F403
from weft.distributed.alone import _get_default_group as _get_default_group


def is_xccl_available():
    return False


is_gloo_available = is_ucc_available = is_xccl_available
