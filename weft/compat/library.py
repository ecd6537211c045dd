"""torch.library: ops of a program's own, called as `torch.ops.namespace.name`.

>>> import weft
>>> @weft.library.custom_op("example::twice", mutates_args=())
... def twice(x: weft.Tensor) -> weft.Tensor:
...     return x * 2
>>> twice(weft.ones(2)), weft.ops.example.twice(weft.ones(1))
(tensor([2., 2.]), tensor([2.]))
"""
import functools
import inspect

from weft import _aten
from weft.autograd.function import Function
from weft.core.modes import no_grad
from weft.core.pytree import leaves
from weft.core.ranges import record_function
from weft.nn import functional as _functional
from weft.overrides import handle_torch_function, has_torch_function
from weft.tensor.names import FUNCTIONS
from weft.tensor.subclass import weft_is_torch
from weft.tensor.tensor import Tensor

__all__ = ["CustomOpDef", "Library", "custom_op", "define", "impl", "impl_abstract", "register_autograd",
           "register_fake", "register_kernel"]
_ops = {}           # "namespace::name" -> CustomOpDef


def _full(name):
    if not isinstance(name, str) or name.count("::") != 1:
        raise ValueError(f"an op is called namespace::name, not {name!r}")
    return name.partition(".")[0]       # without an overload's name


def _module(namespace):
    """Where a traced graph's code finds an op."""
    return f"{'torch' if weft_is_torch() else 'weft'}.ops.{namespace}"


class CustomOpDef:
    """An op of the program's: what runs, its gradient, and what comes out for tensors without values."""

    def __init__(self, name, function=None, mutates_args=(), schema=None):
        self._qualname, self._function, self._schema = name, function, schema
        self._mutates, self._fake, self._backward, self._setup = mutates_args, None, None, None
        self._composite = False
        self._namespace, _, self._name = name.partition("::")
        self.__name__ = self.__qualname__ = self._name
        self._opoverload = self.default = self
        self.__module__ = _module(self._namespace)
        if function is not None:
            functools.update_wrapper(self, function, ("__doc__",), ())

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def register_fake(self, fn, /):
        """What gives results of the right shapes, for tensors on the meta device."""
        self._fake = fn
        return fn

    def register_kernel(self, device_types, fn=None, /):
        """What runs on a device: weft takes the one for "cpu"."""
        def keep(fn):
            kinds = [device_types] if isinstance(device_types, str) or device_types is None else device_types
            if "cpu" in kinds or None in kinds:
                self._function = fn
            return fn
        return keep if fn is None else keep(fn)

    def register_autograd(self, backward, /, *, setup_context=None):
        """Its gradient: backward(ctx, *grads), and setup_context(ctx, inputs, output), which keeps what it needs."""
        self._backward, self._setup = backward, setup_context

    def register_vmap(self, func=None):
        """Not needed: vmap calls the op for each element."""
        return func if func is not None else self.register_vmap

    def __call__(self, *args, **kwargs):
        given = leaves([args, kwargs])
        if has_torch_function(given):
            return handle_torch_function(self, given, *args, **kwargs)
        if self._composite:
            return self._function(*args, **kwargs)
        if self._backward is None:
            return self._plain(args, kwargs)
        args = self._in_order(args, kwargs)
        return _Recorded.apply(self, *args)

    def _in_order(self, args, kwargs):
        if not kwargs:
            return args
        bound = inspect.signature(self._function).bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _run(self, args, kwargs):
        meta = any(isinstance(a, Tensor) and a.is_meta for a in leaves([args, kwargs]))
        function = self._fake if meta and self._fake is not None else self._function
        if function is None:
            raise NotImplementedError(f"{self._qualname}: no kernel was registered for the CPU\n  fix: "
                                      f'torch.library.impl("{self._qualname}", "cpu")')
        return function(*args, **kwargs)

    def _plain(self, args, kwargs):
        """Without a gradient rule: what comes out has no history, and asking it for a gradient says so."""
        tensors = [a for a in leaves([args, kwargs]) if isinstance(a, Tensor)]
        if not any(t.requires_grad for t in tensors):
            return self._run(args, kwargs)
        return _NoRule.apply(self, *self._in_order(args, kwargs))


class _Recorded(Function):
    """The op in the graph."""

    @staticmethod
    def forward(ctx, op, *args):
        with no_grad():
            out = op._run(args, {})
        ctx.op, ctx.count = op, len(args)
        if op._setup is not None:
            if "keyword_only_inputs" in inspect.signature(op._setup).parameters:
                op._setup(ctx=ctx, inputs=args, keyword_only_inputs={}, output=out)
            else:
                op._setup(ctx, args, out)
        return out

    @staticmethod
    def backward(ctx, *grads):
        found = ctx.op._backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        return (None, *found, *[None] * (ctx.count - len(found)))


class _NoRule(Function):
    """An op without a gradient, on tensors that want one."""

    @staticmethod
    def forward(ctx, op, *args):
        with no_grad():
            out = op._run(args, {})
        ctx.op = op
        return out

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(f"{ctx.op._qualname} has no gradient\n  fix: torch.library.register_autograd"
                           f'("{ctx.op._qualname}", backward, setup_context=...)')


def _op(name):
    full = _full(name)
    if full not in _ops:
        raise RuntimeError(f"there is no op {full}\n  fix: define it first (torch.library.custom_op or define)")
    return _ops[full]


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Decorator: make a function an op, which is also torch.ops.namespace.name."""
    def make(fn):
        made = _ops[_full(name)] = CustomOpDef(_full(name), fn, mutates_args, schema)
        return made
    return make if fn is None else make(fn)


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """The same as custom_op: what it calls decides where it runs."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def define(qualname, schema, *, lib=None, tags=()):
    """Name an op; `impl` then says what runs."""
    if lib is not None and "::" not in qualname:
        qualname = f"{lib.ns}::{qualname}"
    _ops.setdefault(_full(qualname), CustomOpDef(_full(qualname), schema=schema))


def impl(qualname, types, func=None, *, lib=None):
    """What an op runs: for "cpu", "default" or a key such as "CompositeImplicitAutograd"."""
    if lib is not None and "::" not in qualname:
        qualname = f"{lib.ns}::{qualname}"

    def keep(func):
        kinds = [types] if isinstance(types, str) else list(types)
        op = _op(qualname)
        if {"cpu", "default", "CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"} & set(kinds):
            op._function, op._composite = func, "CompositeImplicitAutograd" in kinds
        if "Meta" in kinds:
            op._fake = func
        if {"Autograd", "AutogradCPU"} & set(kinds):
            raise NotImplementedError(f"{qualname}: an op's gradient is given by torch.library.register_autograd here, "
                                      f"not by a kernel for Autograd")
        return func
    return keep if func is None else keep(func)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """What gives results of the right shapes, for tensors on the meta device; the op itself may come later."""
    if not isinstance(op, CustomOpDef):
        op = _ops.setdefault(_full(op), CustomOpDef(_full(op)))
    found = op
    return found.register_fake if func is None else found.register_fake(func)


impl_abstract = register_fake


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """What an op runs on a device."""
    found = op if isinstance(op, CustomOpDef) else _op(op)
    return found.register_kernel(device_types, func) if func is not None else found.register_kernel(device_types)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """An op's gradient."""
    (op if isinstance(op, CustomOpDef) else _op(op)).register_autograd(backward, setup_context=setup_context)


class Library:
    """A namespace of ops: define(schema) names one, impl(name, function) says what runs."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema, alias_analysis="", *, tags=()):
        """Name an op by its schema, "name(Tensor x) -> Tensor"; the name comes back."""
        name = schema.partition("(")[0].strip()
        define(f"{self.ns}::{name}", schema)
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """What an op runs."""
        name = op_name if isinstance(op_name, str) else op_name._name
        impl(name if "::" in name else f"{self.ns}::{name}", dispatch_key or self.dispatch_key
             or "CompositeImplicitAutograd", fn)

    def _register_fake(self, op_name, fn, _stacklevel=1, *, allow_override=False):
        register_fake(f"{self.ns}::{op_name}", fn)

    def _destroy(self):
        for name in [n for n in _ops if n.startswith(self.ns + "::")]:
            del _ops[name]


# torch.ops

class Namespace:
    """torch.ops.example: the ops of a namespace; `aten` has weft's own."""

    def __init__(self, name):
        self.__name__ = f"torch.ops.{name}"
        self._name = name

    def __getattr__(self, name):
        found = _ops.get(f"{self._name}::{name}")
        if found is None and self._name in ("aten", "prims", "_c10d_functional"):
            found = _own(name)
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return found


class Packet:
    """One of weft's functions as an op of `aten`; whatever overload is asked for calls this function."""

    def __init__(self, name, function):
        self.__name__, self._function = name, function
        self.__module__ = _module("aten")
        self._overloads = {}

    def __call__(self, *args, **kwargs):
        given = leaves([args, kwargs])
        if has_torch_function(given):
            return handle_torch_function(self, given, *args, **kwargs)
        return self._function(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__") or name in ("op", "has_side_effect", "_overloads", "_function"):    # asked of others
            raise AttributeError(name)
        return self._overloads.setdefault(name, Overload(self, name))

    def __repr__(self):
        return f"<OpOverloadPacket(op='aten.{self.__name__}')>"


# ops that PyTorch runs by others: op of weft -> what a program that is shown it compares with, besides its own name
BY_OTHERS = {"linear": ("addmm", "mm"), "_attention": (
    "scaled_dot_product_attention", "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_attention_math")}
_FAMILY = {other: name for name, others in BY_OTHERS.items() for other in others}


class Overload:
    """torch.ops.aten.add.Tensor: an op of `aten` by the name of one of its overloads."""

    namespace = "aten"

    def __init__(self, packet, overload="default", name=None):
        self.overloadpacket, self._overloadname, self._opname = packet, overload, name or packet.__name__
        self.__name__, self.__module__ = f"{self._opname}.{overload}", _module("aten")

    def __call__(self, *args, **kwargs):
        given = leaves([args, kwargs])
        if has_torch_function(given):
            return handle_torch_function(self, given, *args, **kwargs)
        return self._function(*args, **kwargs)

    @property
    def _function(self):
        return self.overloadpacket._function

    def _stands_for(self, other):
        return self.__name__ == other.__name__

    def __eq__(self, other):
        return isinstance(other, Overload) and (self._stands_for(other) or other._stands_for(self))

    def __hash__(self):
        return hash(_FAMILY.get(self._opname, self._opname))

    def name(self):
        """`aten::add.Tensor`; the default overload has the op's name alone."""
        return f"aten::{self._opname if self._overloadname == 'default' else self.__name__}"

    def __str__(self):
        return f"aten.{self.__name__}"

    def __repr__(self):
        return f"<OpOverload(op='aten.{self._opname}', overload='{self._overloadname}')>"


@functools.cache
def _own(name):
    found = (vars(_aten).get(name) or FUNCTIONS.get(name) or getattr(_functional, name, None)
             or getattr(Tensor, name, None) or _of_files(name))
    return Packet(name, found) if callable(found) else None


def _of_files(name):
    """What TorchScript's files call by aten's own names: linalg_inv, upsample_bilinear2d, hardswish_."""
    from weft.jit._aten_dialect import tensor_op  # has a language behind it, only for such names
    return tensor_op(name)


@functools.cache
def namespace(name):
    """torch.ops.<name>."""
    return Namespace(name)


def load_library(path):
    """OSError: weft can't run ops that were compiled for PyTorch."""
    raise OSError(f"{path}: weft can't load a library of ops that was compiled for PyTorch")


loaded_libraries = set()


# the profiler's ranges as ops: a traced program can have them where `with record_function(...)` can't be seen

_ranges = {}        # the handle's number -> the range that it stands for


@custom_op("profiler::_record_function_enter", mutates_args=())
def _enter_range(name, args=None):
    begun = record_function(name, args).__enter__()
    _ranges[id(begun)] = begun
    return FUNCTIONS["tensor"](id(begun))


@custom_op("profiler::_record_function_exit", mutates_args=())
def _leave_range(handle):
    _ranges.pop(handle.item()).__exit__(None, None, None)
