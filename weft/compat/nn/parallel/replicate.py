"""torch.nn.parallel.replicate: copies of a module for threads that run side by side."""
from weft.core.modes import no_grad

__all__ = ["replicate"]


def replicate(network, devices, detach=False):
    """As many copies as devices: all have the module's own parameters, so that gradients meet there; the first has its
    own buffers, the others copies, so that one of them counts. What a forward writes to a copy's attributes is lost.

    >>> import weft
    >>> first, second = weft.nn.parallel.replicate(weft.nn.Linear(2, 1), [0, 1])
    >>> first is second, first.weight is second.weight
    (False, True)
    """
    return [replica_of(network, own, detach) for own in [True, *[False] * (len(devices) - 1)]]


def replica_of(network, own_buffers, detach):
    """One copy; a module that is there twice is one module in the copy too."""
    copies = {module: module._replicate_for_data_parallel() for module in network.modules()}
    for module, copy in copies.items():
        for name, child in module._modules.items():
            copy._modules[name] = None if child is None else copies[child]
        for name, p in module._parameters.items():
            copy._parameters[name] = p.detach() if detach and p is not None else p
        for name, buffer in module._buffers.items() if not own_buffers else ():
            with no_grad():
                copy._buffers[name] = None if buffer is None else buffer.detach().clone()
    return copies[network]
