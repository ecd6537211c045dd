"""torch.distributed.rpc: calls of functions in other processes; `is_available` says that there are none."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_FIX = "send and recv, or the collectives of objects; torch.distributed.rpc.is_available() says that there is none"
_classes("BackendType RpcBackendOptions RRef TensorPipeRpcBackendOptions WorkerInfo", globals(), _FIX)
_functions("get_worker_info init_rpc remote rpc_async rpc_sync shutdown", globals(), _FIX)


def is_available():
    """False: processes talk by messages and collectives."""
    return False
