"""torch.distributed.rpc: functions and objects in other processes, called as if they were here."""
from weft.distributed.rpc import functions as functions
from weft.distributed.rpc.api import *  # noqa: F403
from weft.distributed.rpc.options import *  # noqa: F403
from weft.distributed.rpc.references import *  # noqa: F403
