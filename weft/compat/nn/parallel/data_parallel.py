"""DataParallel: a batch in parts, each through a replica of the module in a thread of its own.

Without devices it is the module itself, as in PyTorch on a CPU: every kernel uses all threads already.
"""
from weft.core.device import device, stand_ins
from weft.core.settings import settings
from weft.nn.module import Module
from weft.nn.parallel.parallel_apply import parallel_apply
from weft.nn.parallel.replicate import replicate
from weft.nn.parallel.scatter_gather import gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]


def threads_for(device_ids):
    """The names of the replicas: `["cpu"] * 4` are four; GPUs count while the CPU stands in for them; else none."""
    if device_ids is None:
        return list(range(stand_ins()))
    named = [isinstance(one, (str, device)) and device(one).type == "cpu" for one in device_ids]
    return list(device_ids) if all(named) or stand_ins() else []


class DataParallel(Module):
    """Its module, or replicas of it in threads: `device_ids=["cpu"] * 4` runs the four parts of a batch (along `dim`)
    side by side and joins what they give; parameters are shared, and gradients add up in them. With one thread, or
    without devices, the module runs as it is.

    Shape: what its module takes and gives.

    >>> import weft
    >>> from weft import nn
    >>> nn.DataParallel(nn.Linear(3, 4))(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    >>> nn.DataParallel(nn.Linear(3, 4), ["cpu"] * 2)(weft.zeros(5, 3)).shape
    torch.Size([5, 4])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.dim = module, dim
        self.device_ids = threads_for(device_ids)
        self.output_device = self.device_ids[0] if self.device_ids and output_device is None else output_device

    def forward(self, *inputs, **kwargs):
        if len(self.device_ids) < 2 or settings.threads < 2:
            return self.module(*inputs, **kwargs)
        inputs, kwargs = self.scatter(inputs, kwargs, self.device_ids)
        if not inputs:              # a forward without arguments runs once
            return self.module()
        replicas = self.replicate(self.module, self.device_ids[:len(inputs)])
        return self.gather(self.parallel_apply(replicas, inputs, kwargs), self.output_device)

    def replicate(self, module, device_ids):
        """Copies of the module that share its parameters.

        >>> import weft
        >>> net = weft.nn.DataParallel(weft.nn.Linear(1, 1))
        >>> len(net.replicate(net.module, ["cpu"] * 3))
        3
        """
        return replicate(module, device_ids)

    def scatter(self, inputs, kwargs, device_ids):
        """The arguments' parts, one for each replica.

        >>> import weft
        >>> net = weft.nn.DataParallel(weft.nn.Linear(1, 1))
        >>> net.scatter((weft.arange(2),), {}, ["cpu"] * 2)
        (((tensor([0]),), (tensor([1]),)), ({}, {}))
        """
        return scatter_kwargs(inputs, kwargs, device_ids, self.dim)

    def parallel_apply(self, replicas, inputs, kwargs):
        """What the replicas make of their parts, each in a thread.

        >>> import weft
        >>> net = weft.nn.DataParallel(weft.nn.Linear(1, 1))
        >>> net.parallel_apply([abs], [(weft.tensor(-1),)], [{}])
        [tensor(1)]
        """
        return parallel_apply(replicas, inputs, kwargs, self.device_ids[:len(replicas)])

    def gather(self, outputs, output_device):
        """Their results, joined.

        >>> import weft
        >>> net = weft.nn.DataParallel(weft.nn.Linear(1, 1))
        >>> net.gather([weft.zeros(1), weft.ones(1)], "cpu")
        tensor([0., 1.])
        """
        return gather(outputs, output_device, self.dim)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """Call a module with inputs that could be spread over devices, or threads: see `DataParallel`.

    >>> import weft
    >>> weft.nn.parallel.data_parallel(weft.nn.Linear(2, 1), weft.ones(3, 2)).shape
    torch.Size([3, 1])
    """
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*inputs, **(module_kwargs or {}))
