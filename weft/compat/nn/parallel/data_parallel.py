"""DataParallel on one device: the module itself, under the name `module`, as PyTorch has it without GPUs."""
from weft.nn.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls its module; the threads of the kernels are what works in parallel.

    Shape: what its module takes and gives.

    >>> import weft
    >>> from weft import nn
    >>> nn.DataParallel(nn.Linear(3, 4))(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.device_ids, self.output_device, self.dim = module, [], None, dim

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """Call a module with inputs that could be spread over devices.

    >>> import weft
    >>> weft.nn.parallel.data_parallel(weft.nn.Linear(2, 1), weft.ones(3, 2)).shape
    torch.Size([3, 1])
    """
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))
