"""torch.distributed.nn: the collectives with gradients, and modules in other processes."""
from weft.distributed.functional import *  # noqa: F403
from weft.distributed.rpc.remote_module import RemoteModule as RemoteModule
