"""RemoteModule: a module that lives in another worker."""
from weft.core.errors import fail
from weft.distributed.rpc.api import remote
from weft.distributed.rpc.references import RRef
from weft.nn.module import Module

__all__ = ["RemoteModule"]


def build(kind, args, kwargs, device):
    made = kind(*args, **kwargs)
    if not isinstance(made, Module):
        raise ValueError(f"Expect `module_cls(*args, **kwargs)` returns an instance of <class nn.Module>, but it "
                         f"returns an instance of {type(made)}.")
    return made.to(device)


class Held:
    """What the owner has: the module, and what is asked of it."""

    def __init__(self, kind, args, kwargs, device):
        self.module = build(kind, args, kwargs, device)

    def forward(self, args, kwargs):
        return self.module(*args, **kwargs)

    def parameters(self, recurse):
        return [RRef(p) for p in self.module.parameters(recurse)]

    def itself(self):
        return self.module


class RemoteModule(Module):
    """A module made in another worker ("worker1/cpu", or its name or number alone): a call of it is a call there.

    Shape: what the module takes and gives.

    >>> import weft
    >>> from weft.distributed import rpc
    >>> from weft.distributed.nn import RemoteModule
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> net = RemoteModule("alone/cpu", weft.nn.Linear, args=(3, 2))
    >>> net(weft.ones(1, 3)).shape, len(net.remote_parameters())
    (torch.Size([1, 2]), 2)
    >>> rpc.shutdown()
    """

    def __init__(self, remote_device, module_cls, args=None, kwargs=None, _module_interface_cls=None):
        super().__init__()
        worker, _, device = str(remote_device).removeprefix("rank:").partition("/")
        self.on, self.device = int(worker) if worker.isdigit() else worker, device or "cpu"
        self.held = remote(self.on, Held, (module_cls, args or (), kwargs or {}, self.device))
        self.module_rref = self.held.remote().itself()
        self.is_scriptable = False

    def forward(self, *args, **kwargs):
        return self.held.rpc_sync().forward(args, kwargs)

    def forward_async(self, *args, **kwargs):
        """The same, as a Future.

        >>> import weft
        >>> from weft.distributed import rpc
        >>> from weft.distributed.nn import RemoteModule
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> RemoteModule("alone/cpu", weft.nn.ReLU).forward_async(weft.tensor(-1.0)).wait()
        tensor(0.)
        >>> rpc.shutdown()
        """
        return self.held.rpc_async().forward(args, kwargs)

    def remote_parameters(self, recurse=True):
        """RRefs to its parameters, for a DistributedOptimizer.

        >>> import weft
        >>> from weft.distributed import rpc
        >>> from weft.distributed.nn import RemoteModule
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> RemoteModule("alone/cpu", weft.nn.Linear, args=(3, 2)).remote_parameters()[0].to_here().shape
        torch.Size([2, 3])
        >>> rpc.shutdown()
        """
        return self.held.rpc_sync().parameters(recurse)

    def get_module_rref(self):
        """The RRef to the module itself.

        >>> import weft
        >>> from weft.distributed import rpc
        >>> from weft.distributed.nn import RemoteModule
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> RemoteModule("alone/cpu", weft.nn.ReLU).get_module_rref().to_here()
        ReLU()
        >>> rpc.shutdown()
        """
        return self.module_rref

    def _away(self, *args, **kwargs):
        fail(ValueError, "RemoteModule: its parameters and buffers live in another worker",
             "remote_parameters() refers to them, get_module_rref() to the module")

    parameters = named_parameters = buffers = named_buffers = state_dict = load_state_dict = _away
    to = cpu = float = double = half = bfloat16 = requires_grad_ = zero_grad = share_memory = _away
