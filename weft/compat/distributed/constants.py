"""torch.distributed.constants: how long groups wait."""
from weft.distributed.groups import TIMEOUT as default_pg_timeout

__all__ = ["default_pg_timeout", "default_pg_nccl_timeout"]
default_pg_nccl_timeout = None
