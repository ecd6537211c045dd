"""DistributedDataParallel in a group of one process: the module itself, under the name `module`."""
import contextlib

from weft.nn.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Calls its module; with one process there are no gradients to exchange.

    >>> import weft
    >>> net = weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2))
    >>> net(weft.ones(1, 3)).shape
    torch.Size([1, 2])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, **options):
        super().__init__()
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that "
                               "requires a gradient.")
        self.module, self.dim, self.device_ids, self.output_device = module, dim, None, None
        self.require_backward_grad_sync = True
        self.find_unused_parameters, self.broadcast_buffers = find_unused_parameters, broadcast_buffers

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self):
        """A region whose backwards exchange no gradients.

        >>> import weft
        >>> net = weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2))
        >>> with net.no_sync():
        ...     net(weft.ones(1, 3)).sum().backward()
        >>> net.module.bias.grad
        tensor([1., 1.])
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before
