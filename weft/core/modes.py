"""What changes how an op runs, per thread: grad mode, inference mode, hooks on saved tensors, watchers,
autocast.

The bits are read once by every op; all of them zero is the common case.
"""
import functools
import inspect
import threading

from weft.core.cuts import note_off
from weft.core.errors import defined
from weft.core.place import here
from weft.core.runtime import mode_bits, set_mode_bits

GRAD_OFF = 1        # no_grad
INFERENCE = 2       # inference_mode: no versions, no views' history
SAVED_HOOKS = 4     # pack and unpack what nodes save
ANOMALY = 8         # look for NaN in backward, keep the forward line
WATCH = 16          # `local.watchers` are told of each op, each read of a value, each node of a backward (core/seam.py)
NO_OVERRIDE = 32    # __torch_function__ is switched off
NUMERICS = 64       # check_numerics: a result that is not finite goes to `local.numerics`
GRADIENTS = 128     # the same for what a backward's nodes make
TAKE = 256          # `local.taker` is asked whether it answers an op instead
AUTOCAST = 512      # ops take their inputs in the types that their bodies name (ops/core/autocast.py)
MATCH = 1024        # ops are compared with a recorded path first (core/matching.py); never without WATCH and TAKE
FUNCTION = 2048     # the innermost of `local.function_modes` is asked before every call (tensor/function_modes.py)
BATCHES = 4096      # the backward of a batch runs (batching/tape.py): gradients of matrices may be kept as factors
SLOW = INFERENCE | SAVED_HOOKS | WATCH | TAKE | AUTOCAST | FUNCTION   # what the short road of an op can't take


class _Local(threading.local):
    def __init__(self):
        self.saved_hooks = []   # (pack, unpack) pairs, innermost last
        self.watchers = []      # core.seam.Watcher
        self.taker = None       # core.seam.Taker, the innermost
        self.function_modes = ()    # TorchFunctionModes, the innermost last
        self.numerics = None    # what `check_numerics` looks for
        self.anomaly_check_nan = True
        self.run = None         # the backward that is running


local = _Local()


class Mode:
    """A scoped change of this thread's bits; also a decorator for functions and generators."""

    _set_bits = 0
    _clear_bits = 0

    def __enter__(self):
        bits = mode_bits()
        self._outer = [*getattr(self, "_outer", ()), bits]
        set_mode_bits((bits | self._set_bits) & ~self._clear_bits)
        return self

    def __exit__(self, *exc):
        *self._outer, bits = self._outer
        own = self._set_bits | self._clear_bits       # what others changed meanwhile stays
        set_mode_bits(mode_bits() & ~own | bits & own)

    def clone(self):
        """Another one like it, for a decorated function's next call.

        >>> import weft
        >>> mode = weft.enable_grad()
        >>> type(mode.clone()) is type(mode)
        True
        """
        return type(self)()

    def _around(self, function):
        """The mode that holds during a call of a decorated function."""
        return self.clone()

    def __call__(self, function):
        if inspect.isclass(function):
            function.__init__ = self(function.__init__)
            return function
        if inspect.isgeneratorfunction(function):
            return _around_steps(self.clone, function)

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self._around(function):
                return function(*args, **kwargs)
        return inside


def _around_steps(make, function):
    """A generator function with the context that `make` gives around each of its steps: it holds while the generator's
    own code runs, not while its consumer's does.
    """
    @functools.wraps(function)
    def inside(*args, **kwargs):
        generator = function(*args, **kwargs)
        send, value = generator.send, None
        while True:
            try:
                with make():
                    item = send(value)
            except StopIteration as stop:
                return stop.value
            try:
                send, value = generator.send, (yield item)
            except GeneratorExit:
                with make():
                    generator.close()
                raise
            except BaseException as error:
                send, value = generator.throw, error
    return inside


class no_grad(Mode):
    """Ops inside record no graph.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> with weft.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    _set_bits = GRAD_OFF

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        return mode if function is None else mode(function)

    origin = None       # where the function is defined that it decorates

    def _around(self, function):
        made = self.clone()
        made.origin = defined(function)
        return made

    def __enter__(self):
        note_off(here() if self.origin is None else self.origin)
        return super().__enter__()


class enable_grad(Mode):
    """Ops inside record the graph again.

    >>> import weft
    >>> with weft.no_grad(), weft.enable_grad():
    ...     print(weft.is_grad_enabled())
    True
    """

    _clear_bits = GRAD_OFF

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        return mode if function is None else mode(function)


class set_grad_enabled(Mode):
    """Record the graph or not: at once when called as a function, scoped as a context manager.

    >>> import weft
    >>> with weft.set_grad_enabled(False):
    ...     print(weft.is_grad_enabled())
    False
    """

    def __init__(self, mode):
        self.mode = bool(mode)
        self._first = mode_bits()
        self._set()

    def _set(self):
        bits = mode_bits()
        set_mode_bits(bits & ~GRAD_OFF if self.mode else bits | GRAD_OFF)

    def __enter__(self):
        self._set()
        return self

    def __exit__(self, *exc):
        bits = mode_bits()
        set_mode_bits((bits & ~GRAD_OFF) | (self._first & GRAD_OFF))

    def __call__(self, function):
        self.__exit__()     # as a decorator it must not change the code around the definition
        return super().__call__(function)

    def clone(self):
        """Another one with the same mode.

        >>> import weft
        >>> with weft.set_grad_enabled(True).clone():
        ...     weft.is_grad_enabled()
        True
        """
        return set_grad_enabled(self.mode)


class inference_mode(Mode):
    """Like no_grad, and the tensors made inside can never join a graph.

    >>> import weft
    >>> with weft.inference_mode():
    ...     print(weft.ones(1).is_inference())
    True
    """

    def __new__(cls, mode=True):
        made = super().__new__(cls)
        if callable(mode) and not isinstance(mode, bool):
            made.mode = True
            return made(mode)
        return made

    def __init__(self, mode=True):
        self.mode = bool(mode)

    @property
    def _set_bits(self):
        """The mode bits that it sets."""
        return GRAD_OFF | INFERENCE if self.mode else 0

    @property
    def _clear_bits(self):
        """The mode bits that it clears."""
        return 0 if self.mode else GRAD_OFF | INFERENCE

    def clone(self):
        """Another one with the same mode.

        >>> import weft
        >>> with weft.inference_mode().clone():
        ...     weft.is_inference_mode_enabled()
        True
        """
        return inference_mode(self.mode)


def is_grad_enabled():
    """Whether ops record a graph now.

    >>> import weft
    >>> with weft.no_grad():
    ...     print(weft.is_grad_enabled())
    False
    """
    return not mode_bits() & GRAD_OFF


def is_inference_mode_enabled():
    """Whether inference mode is on.

    >>> import weft
    >>> with weft.inference_mode():
    ...     weft.is_inference_mode_enabled()
    True
    """
    return bool(mode_bits() & INFERENCE)


class no_override(Mode):
    """Inside, tensor subclasses are taken as plain tensors (PyTorch's DisableTorchFunctionSubclass)."""

    _set_bits = NO_OVERRIDE


class no_function(no_override):
    """Inside, neither tensor subclasses nor function modes are asked (PyTorch's DisableTorchFunction)."""

    _clear_bits = FUNCTION
