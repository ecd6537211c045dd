"""`fork` and `wait`. Where PyTorch runs a scripted function they are two threads; called from Python, there as here,
the function runs at once, and its kernels use all threads."""
from weft.futures import Future

__all__ = ["fork", "wait"]


def fork(func, *args, **kwargs):
    """Run `func` and give a Future of what it returns; an error is raised here, as PyTorch does outside of scripts.

    >>> import weft
    >>> weft.jit.wait(weft.jit.fork(weft.add, weft.ones(2), weft.ones(2)))
    tensor([2., 2.])
    """
    made = Future()
    made.set_result(func(*args, **kwargs))
    return made


def wait(future):
    """The value of a Future.

    >>> import weft
    >>> weft.jit.wait(weft.jit.fork(max, 1, 2))
    2
    """
    return future.wait()


_fork, _wait = fork, wait
