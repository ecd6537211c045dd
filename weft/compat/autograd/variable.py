"""`Variable`, from the time before tensors and variables became one."""
from weft.autograd import engine
from weft.core.modes import local
from weft.tensor.tensor import Tensor


class _Engine:
    """What old programs reach through `Variable._execution_engine`."""

    @staticmethod
    def queue_callback(callback):
        """Call back at the end of the backward that is running."""
        run = getattr(local, "run", None)
        if run is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        run.callbacks.append(callback)

    run_backward = staticmethod(engine.backward)


class _VariableMeta(type):
    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data=None, requires_grad=False, volatile=None):
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = data.detach()
        if requires_grad:
            made.requires_grad_()
        return made


class Variable(metaclass=_VariableMeta):
    """A tensor: `Variable(x, requires_grad=True)` is `x.detach().requires_grad_()`.

    >>> import weft
    >>> x = weft.autograd.Variable(weft.ones(2), requires_grad=True)
    >>> isinstance(x, weft.Tensor), x.requires_grad
    (True, True)
    """

    _execution_engine = _Engine()


VariableMeta = _VariableMeta
