"""torch.distributed.distributed_c10d: PyTorch's place for groups and collectives."""
from weft.distributed import *  # noqa: F403
from weft.distributed import ReduceOp as ReduceOp
from weft.distributed import Work as Work
from weft.distributed import _get_default_group as _get_default_group
from weft.distributed import _make_nccl_premul_sum as _make_nccl_premul_sum
from weft.distributed.groups import group_or_world as _group_or_default_group  # noqa: F401
from weft.distributed.groups import is_initialized as _is_initialized  # noqa: F401
from weft.distributed.stores import *  # noqa: F403
from weft.distributed.tcp_store import TCPStore as TCPStore


def _rank_not_in_group(group):
    """Whether this process is outside of a group."""
    return group is GroupMember.NON_GROUP_MEMBER  # noqa: F405
