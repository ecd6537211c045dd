"""Functions that answer later."""
import functools

__all__ = ["async_execution"]


def async_execution(fn):
    """Mark a function that returns a Future: whoever called it from another process gets the Future's value, and no
    thread waits for it meanwhile.

    >>> import weft
    >>> from weft.distributed import rpc
    >>> @rpc.functions.async_execution
    ... def later(x):
    ...     return weft.jit.fork(abs, x)
    >>> later(-3).wait()
    3
    """
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    wrapper._wrapped_async_rpc_function = fn        # PyTorch's name for it
    return wrapper


def answers_later(function):
    return hasattr(function, "_wrapped_async_rpc_function")
