"""DistributedOptimizer: one optimizer on each worker that has some of the parameters."""
import threading
from collections import defaultdict

from weft.core.errors import fail
from weft.core.futures import wait_all
from weft.distributed.rpc.api import remote
from weft.distributed.rpc.gradients import get_gradients

__all__ = ["DistributedOptimizer"]


class LocalOptimizer:
    """One worker's part; it takes its gradients from an autograd context."""
    turn = threading.Lock()     # parameters may be in several optimizers, of several callers

    def __init__(self, kind, params, args, kwargs):
        self.params = [rref.local_value() for rref in params]
        self.inner = kind(self.params, *args, **kwargs)

    def ready(self):
        return True

    def step(self, context_id):
        found = get_gradients(context_id)
        with LocalOptimizer.turn:
            before = [p.grad for p in self.params]
            for p in self.params:
                p.grad = found.get(p)
            self.inner.step()
            for p, grad in zip(self.params, before):
                p.grad = grad


class DistributedOptimizer:
    """An optimizer of parameters that live in several workers (a list of RRefs): each owner has one of the given class
    for its own, and `step` runs them all with the gradients of an autograd context.

    >>> import weft
    >>> from weft.distributed import autograd, rpc
    >>> from weft.distributed.optim import DistributedOptimizer
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> x = weft.ones(2, requires_grad=True)
    >>> optimizer = DistributedOptimizer(weft.optim.SGD, [rpc.RRef(x)], lr=0.5)
    >>> with autograd.context() as number:
    ...     autograd.backward(number, [x.sum()])
    ...     optimizer.step(number)
    >>> x.detach()
    tensor([0.5000, 0.5000])
    >>> rpc.shutdown()
    """

    def __init__(self, optimizer_class, params_rref, *args, **kwargs):
        owners = defaultdict(list)
        for rref in params_rref:
            owners[rref.owner()].append(rref)
        if not owners:
            fail(ValueError, "optimizer got an empty parameter list", "a list of RRefs to parameters")
        self.parts = [remote(owner, LocalOptimizer, (optimizer_class, params, args, kwargs))
                      for owner, params in owners.items()]
        wait_all([part.rpc_async().ready() for part in self.parts])     # an error of a constructor is raised here

    def step(self, context_id):
        """Update all parameters from a context's gradients.

        >>> import weft
        >>> from weft.distributed import autograd, rpc
        >>> from weft.distributed.optim import DistributedOptimizer
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> optimizer = DistributedOptimizer(weft.optim.SGD, [rpc.RRef(weft.ones(1, requires_grad=True))], lr=0.5)
        >>> with autograd.context() as number:
        ...     optimizer.step(number)
        >>> rpc.shutdown()
        """
        wait_all([part.rpc_async().step(context_id) for part in self.parts])
