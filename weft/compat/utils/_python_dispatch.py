"""torch.utils._python_dispatch: programs that see, or answer, every op below autograd.

A TorchDispatchMode is told of weft's own ops as `torch.ops.aten` overloads (`aten.<name>.default`), on tensors outside
the graph, forward and backward. What `func(*args, **kwargs)` gives, or any other tensors of the same shapes and types,
become the op's results. weft's ops are not cut exactly as PyTorch's are: a write in place is shown as the op that
computes the new values, fused ops by weft's names (`aten._cross_entropy.default`), overloads all as `default`. Such
an op is equal to every overload of that name (`func == torch.ops.aten.add.Tensor`), and `linear` to `mm` and `addmm`,
by which PyTorch runs it.
"""
from weft.core.errors import fail
from weft.core.modes import GRAD_OFF, TAKE, WATCH, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Taker
from weft.library import BY_OTHERS, Overload, namespace
from weft.tensor.tensor import Tensor, detached

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type"]


class _Shown(Overload):
    """An op of weft's as a program sees it: aten.<name>.default, which is equal to any overload of that name."""

    _made = {}

    def __init__(self, op):
        packet = getattr(namespace("aten"), op.name, None)
        super().__init__(op.public if packet is None else packet, name=op.name)
        self.op = op

    @classmethod
    def of(cls, op):
        if op not in cls._made:
            cls._made[op] = cls(op)
        return cls._made[op]

    def __call__(self, *args, **kwargs):
        values = list(args)
        for name in self.op.names[len(args):]:
            values.append(kwargs[name] if name in kwargs else self.op.defaults[len(values)])
        return self.op.compute(values)

    def _stands_for(self, other):
        return other._opname == self._opname or other._opname in BY_OTHERS.get(self._opname, ())


class _Teller(Taker):
    """Hands every op to the mode, and its answer to the op's outputs."""

    def __init__(self, mode):
        self.mode = mode

    def takes(self, op, values):
        return True

    def take(self, op, values, outputs, many):
        given = [_plain(v) for v in values]
        before = local.watchers, local.taker, mode_bits()
        local.watchers = [w for w in local.watchers if w is not self]
        local.taker = self._outer
        bits = mode_bits() & ~(WATCH | TAKE) | GRAD_OFF
        bits |= WATCH if local.watchers else 0
        set_mode_bits(bits | TAKE if local.taker is not None else bits)
        try:
            n = op.n_positional
            result = self.mode.__torch_dispatch__(_Shown.of(op), (), tuple(given[:n]),
                                                  dict(zip(op.kw_names, given[n:])))
            self._answer(op, outputs, result)
        finally:
            local.watchers, local.taker, bits = before
            set_mode_bits(bits)

    def _answer(self, op, outputs, result):
        found = list(result) if isinstance(result, (tuple, list)) else [] if result is None else [result]
        if len(found) != len(outputs):
            fail(RuntimeError, f"__torch_dispatch__ gave {len(found)} results for {op.name}, which has {len(outputs)}",
                 "return what func(*args, **kwargs) returns, or tensors like it")
        for out, value in zip(outputs, found):
            if not isinstance(value, Tensor) or value.shape != out.shape or value.dtype != out.dtype:
                fail(RuntimeError, f"__torch_dispatch__ gave {type(value).__name__} "
                     f"{list(getattr(value, 'shape', ()))} for {op.name}, whose result is {out.dtype} "
                     f"{list(out.shape)}", "return tensors of the shape and type that the op has")
            out._owed.array = value._array
            out._array = value._array
            if out._view_of is None:        # who kept the answer sees what is written to the result
                out._memory_record = value._own_memory_record()


def _plain(value):
    """A tensor without its history; of a list, each."""
    if isinstance(value, Tensor):
        return detached(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        return [_plain(v) for v in value]
    return value


class TorchDispatchMode:
    """`with Mode():` hands every op of this thread, also those of a backward, to the mode's __torch_dispatch__.

    >>> import weft
    >>> from weft.utils._python_dispatch import TorchDispatchMode
    >>> class Log(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> x = weft.ones(2)
    >>> with Log():
    ...     y = x.exp() + 1
    aten.exp.default
    aten.add.default
    """

    def __init__(self, _dispatch_key=None):
        pass

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError(f"{type(self).__name__} has no __torch_dispatch__: write "
                                  f"__torch_dispatch__(self, func, types, args=(), kwargs=None)")

    def __enter__(self):
        self.__dict__.setdefault("_tellers", []).append(_Teller(self).start())
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self._tellers.pop().stop()


def is_traceable_wrapper_subclass(t):
    """Whether a tensor wraps others for PyTorch's tracer: none does."""
    return False


def is_traceable_wrapper_subclass_type(t):
    return False
