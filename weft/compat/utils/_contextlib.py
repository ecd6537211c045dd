"""torch.utils._contextlib: context managers that decorate functions, too."""
import functools
import inspect
import warnings

from weft.core.modes import _around_steps


def context_decorator(ctx, func):
    """`func` with a context around every call; of a generator, around every step. `ctx` is a context manager, or a
    function that makes one for each call.
    """
    is_context = hasattr(ctx, "__enter__") and hasattr(ctx, "__exit__")
    if is_context and callable(ctx) and not isinstance(ctx, _DecoratorContextManager):
        raise TypeError(f"Passed in {ctx} is both callable and also a valid context manager (has __enter__), making it "
                        f"ambiguous which interface to use. Pass lambda: ctx() or lambda: ctx.")
    make = (lambda: ctx) if is_context else ctx
    if inspect.isclass(func):
        raise RuntimeError("Cannot decorate classes; it is ambiguous whether or not only the constructor or all "
                           "methods should have the context manager applied; additionally, decorating a class at "
                           "definition-site will prevent use of the identifier as a conventional type. To specify "
                           "which methods to decorate, decorate each of them individually.")
    if inspect.isgeneratorfunction(func):
        return _around_steps(make, func)

    @functools.wraps(func)
    def inside(*args, **kwargs):
        with make():
            return func(*args, **kwargs)
    return inside


class _DecoratorContextManager:
    """A context manager that may stand above a function, as no_grad may."""

    def __call__(self, orig_func):
        if inspect.isclass(orig_func):
            warnings.warn("Decorating classes is deprecated and will be disabled in future versions. You should only "
                          "decorate functions or methods.", FutureWarning, stacklevel=2)
            orig_func.__init__ = self(orig_func.__init__)
            return orig_func
        return context_decorator(self.clone, orig_func)

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError

    def clone(self):
        """Another one like it, for each call."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One without arguments, which may stand above a function without brackets."""

    def __new__(cls, orig_func=None):
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
