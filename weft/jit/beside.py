"""`fork` and `wait`: calls that run beside the program, each on a thread of its own."""
import threading

from weft.core.modes import GRAD_OFF, INFERENCE
from weft.core.runtime import mode_bits, set_mode_bits


class Future:
    """What a forked call will give; `wait()` gives it when it is there.

    >>> import weft
    >>> future = weft.jit.fork(lambda x: x + 1, weft.ones(2))
    >>> weft.jit.wait(future)
    tensor([2., 2.])
    """

    def __init__(self, function, args, kwargs):
        self._value = self._error = None
        bits = mode_bits() & (GRAD_OFF | INFERENCE)     # the modes that a call's results depend on go with it

        def run():
            set_mode_bits(mode_bits() | bits)
            try:
                self._value = function(*args, **kwargs)
            except BaseException as error:      # the waiting thread gets it, whatever it is
                self._error = error
        self._thread = threading.Thread(target=run, name="weft.jit.fork", daemon=True)
        self._thread.start()

    def wait(self):
        """What the call gives; its error is raised here.

        >>> import weft
        >>> weft.jit.fork(max, 1, 2).wait()
        2
        """
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self):
        """The same as `wait()`.

        >>> import weft
        >>> weft.jit.fork(max, 1, 2).value()
        2
        """
        return self.wait()

    def done(self):
        """Whether the call has ended.

        >>> import weft
        >>> future = weft.jit.fork(max, 1, 2)
        >>> future.wait()
        2
        >>> future.done()
        True
        """
        return not self._thread.is_alive()

    def then(self, callback):
        """A Future of callback(this one), which runs when this one is done.

        >>> import weft
        >>> weft.jit.fork(max, 1, 2).then(lambda f: f.value() * 10).wait()
        20
        """
        def after():
            self._thread.join()
            return callback(self)
        return Future(after, (), {})


def fork(func, *args, **kwargs):
    """Start `func(*args, **kwargs)` on a thread of its own; gives a Future.

    Kernels release the interpreter's lock, so forked calls with large tensors run side by side. Grad mode is that of
    the caller, and gradients flow through what comes of it.

    >>> import weft
    >>> futures = [weft.jit.fork(weft.mm, weft.eye(2), weft.full((2, 2), float(i))) for i in range(3)]
    >>> [weft.jit.wait(f)[0, 0].item() for f in futures]
    [0.0, 1.0, 2.0]
    """
    if not callable(func):
        raise TypeError(f"fork() takes a function and its arguments, not a {type(func).__name__}")
    return Future(func, args, kwargs)


def wait(future):
    """What a forked call gives, when it is there.

    >>> import weft
    >>> weft.jit.wait(weft.jit.fork(weft.ones, 2))
    tensor([1., 1.])
    """
    return future.wait()
