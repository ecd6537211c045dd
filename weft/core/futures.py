"""A value that comes later."""
import threading
from typing import Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]
T = TypeVar("T")


class Future(Generic[T]):
    """A value that another thread sets; whoever waits gets it, or the error that was set instead.

    >>> import weft
    >>> future = weft.futures.Future()
    >>> future.set_result(3)
    >>> future.wait()
    3
    """

    def __init__(self, *, devices=None):
        self._ready, self._lock = threading.Event(), threading.Lock()
        self._value = self._error = None
        self._callbacks = []

    def done(self):
        """Whether there is a value or an error.

        >>> import weft
        >>> weft.futures.Future().done()
        False
        """
        return self._ready.is_set()

    def wait(self):
        """The value, once it is there.

        >>> import weft
        >>> weft.jit.fork(max, 1, 2).wait()
        2
        """
        self._ready.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self):
        """The value, which must be there.

        >>> import weft
        >>> weft.jit.fork(max, 1, 2).value()
        2
        """
        if not self.done():
            raise RuntimeError("this Future has no value yet\n  fix: wait() for it")
        return self.wait()

    def set_result(self, result):
        """Give the value.

        >>> import weft
        >>> future = weft.futures.Future()
        >>> future.set_result("there")
        >>> future.done()
        True
        """
        self._finish(result, None)

    def set_exception(self, result):
        """Give an error instead.

        >>> import weft
        >>> future = weft.futures.Future()
        >>> future.set_exception(ValueError("no"))
        >>> future.wait()
        Traceback (most recent call last):
        ValueError: no
        """
        if not isinstance(result, Exception):
            raise TypeError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, value, error):
        with self._lock:
            if self.done():
                raise RuntimeError("Future can only be set once")
            self._value, self._error = value, error
            self._ready.set()
            waiting, self._callbacks = self._callbacks, []
        for call in waiting:
            call()

    def _after(self, call):
        with self._lock:
            if not self.done():
                self._callbacks.append(call)
                return
        call()

    def add_done_callback(self, callback):
        """Call `callback(self)` when the value is there.

        >>> import weft
        >>> future = weft.futures.Future()
        >>> future.add_done_callback(lambda f: print("got", f.value()))
        >>> future.set_result(3)
        got 3
        """
        self._after(lambda: callback(self))

    def then(self, callback):
        """A Future of what `callback(self)` gives when the value is there.

        >>> import weft
        >>> weft.jit.fork(max, 1, 2).then(lambda f: f.value() * 10).wait()
        20
        """
        made = Future()

        def call():
            try:
                made.set_result(callback(self))
            except Exception as error:
                made.set_exception(error)
        self._after(call)
        return made


def wait_all(futures):
    """The values of all, in order."""
    return [future.wait() for future in futures]


def collect_all(futures):
    """A Future of the list of Futures, done when all are."""
    made, left, lock = Future(), [len(futures)], threading.Lock()

    def one(_):
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            made.set_result(futures)
    if not futures:
        made.set_result(futures)
    for future in futures:
        future.add_done_callback(one)
    return made
