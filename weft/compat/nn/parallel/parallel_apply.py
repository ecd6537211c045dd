"""torch.nn.parallel.parallel_apply: several modules at once, each in a thread of its own."""
import contextvars
import threading

from weft.core.modes import GRAD_OFF, INFERENCE
from weft.core.runtime import mode_bits, set_mode_bits

__all__ = ["parallel_apply"]


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """What each module makes of its inputs. One after the other while something watches this thread's ops (a capture,
    the graph page, autocast, hooks on saved tensors): those belong to a thread.

    >>> import weft
    >>> weft.nn.parallel.parallel_apply([abs, lambda x: -x], [weft.tensor(-3), weft.tensor(2)])
    [tensor(3), tensor(-2)]
    """
    calls = [(module, part if isinstance(part, (tuple, list)) else (part,), kwargs or {})
             for module, part, kwargs in zip(modules, inputs, kwargs_tup or [None] * len(modules), strict=True)]
    bits = mode_bits()
    if len(calls) == 1 or bits & ~(GRAD_OFF | INFERENCE):
        return [module(*part, **kwargs) for module, part, kwargs in calls]
    workers = [Worker(call, bits) for call in calls[1:]]
    for worker in workers:
        worker.start()
    first = Worker(calls[0], bits)
    first.run()                     # the caller's thread works too
    for worker in workers:
        worker.join()
    return [worker.result() for worker in (first, *workers)]


class Worker(threading.Thread):
    """One call, with the caller's modes; its result or its error."""

    def __init__(self, call, bits):
        super().__init__(daemon=True)
        self.call, self.bits, self.made, self.error = call, bits, None, None
        self.context = contextvars.copy_context()

    def run(self):
        module, part, kwargs = self.call
        before = set_mode_bits(self.bits)
        try:
            self.made = self.context.run(module, *part, **kwargs)
        except Exception as error:
            self.error = error
        finally:
            set_mode_bits(before)

    def result(self):
        if self.error is not None:
            raise self.error
        return self.made
