"""What an RPC worker is called, and how the calls are made."""
from enum import Enum
from typing import NamedTuple

__all__ = ["BackendType", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo"]
TIMEOUT, UNSET = 60.0, -1.0     # seconds for a call; -1: the options'


class WorkerInfo(NamedTuple):
    """A process that takes calls: its number and its name.

    >>> from weft.distributed.rpc import WorkerInfo
    >>> WorkerInfo(name="trainer", id=1)
    WorkerInfo(id=1, name=trainer)
    """
    name: str
    id: int

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, name={self.name})"

    __str__ = __repr__


class BackendType(Enum):
    """PyTorch's only way of calling, by name; weft answers it with sockets between a job's processes.

    >>> from weft.distributed.rpc import BackendType
    >>> BackendType.TENSORPIPE
    BackendType.TENSORPIPE
    """
    TENSORPIPE = "TENSORPIPE"

    def __repr__(self):
        return f"BackendType.{self.name}"


class RpcBackendOptions:
    """How long a call may take (0: for ever), and where the processes meet: env://, tcp://host:port, file://path.

    >>> from weft.distributed.rpc import RpcBackendOptions
    >>> RpcBackendOptions(rpc_timeout=5).rpc_timeout
    5.0
    """

    def __init__(self, rpc_timeout=TIMEOUT, init_method="env://"):
        self.rpc_timeout, self.init_method = float(rpc_timeout), init_method


class TensorPipeRpcBackendOptions(RpcBackendOptions):
    """The same with PyTorch's other arguments. Threads are made as calls come, so their number is no limit; there are
    no devices to map.

    >>> from weft.distributed.rpc import TensorPipeRpcBackendOptions
    >>> TensorPipeRpcBackendOptions(num_worker_threads=8).init_method
    'env://'
    """

    def __init__(self, *, num_worker_threads=16, rpc_timeout=TIMEOUT, init_method="env://", device_maps=None,
                 devices=None, _transports=None, _channels=None):
        super().__init__(rpc_timeout, init_method)
        self.num_worker_threads = num_worker_threads
        self.device_maps, self.devices = dict(device_maps or {}), list(devices or [])

    def set_device_map(self, to, device_map):
        """Note which devices belong to which of another worker's; all are the CPU.

        >>> from weft.distributed.rpc import TensorPipeRpcBackendOptions
        >>> options = TensorPipeRpcBackendOptions()
        >>> options.set_device_map("worker1", {0: 1})
        >>> options.device_maps
        {'worker1': {0: 1}}
        """
        self.device_maps.setdefault(to, {}).update(device_map)

    def set_devices(self, devices):
        """Note which devices are used.

        >>> from weft.distributed.rpc import TensorPipeRpcBackendOptions
        >>> options = TensorPipeRpcBackendOptions()
        >>> options.set_devices(["cpu"])
        >>> options.devices
        ['cpu']
        """
        self.devices = list(devices)
