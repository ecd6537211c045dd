"""The names that a checkpoint may use, and what each stands for: data, or a function here that checks its arguments and
builds data.
"""
from collections import Counter, OrderedDict, defaultdict

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core.size import Size
from weft.io import numpy_parts, rebuild
from weft.io.errors import CheckpointFileError, bad
from weft.io.machine import LIST, NUMBERS, ORDERED
from weft.io.rebuild import ATTRIBUTE, attributes, set_attributes, tensor_in, whole
from weft.io.safe import BLOCKED, user_globals
from weft.nn.parameter import Parameter
from weft.tensor.pickling import retype
from weft.tensor.storage import TypedStorage
from weft.tensor.tensor import Tensor, wrap

# classes whose call builds data: (machine, arguments) -> object

def _pairs(m, items):
    """What a dict is made from: another dict, or pairs in a list."""
    m.spend(ORDERED * (len(items) + 1) if isinstance(items, (dict, list, tuple)) else ORDERED)
    if isinstance(items, dict):
        m.pay(len(items))
        for key in items:
            m.key(key)
        return items
    if type(items) not in (list, tuple):
        raise bad(f"it makes a dict from a {type(items).__name__}")
    m.pay(len(items))
    if any(type(pair) not in (list, tuple) or len(pair) != 2 for pair in items):
        raise bad("it makes a dict from something that isn't pairs")
    return {m.key(pair[0]): pair[1] for pair in items}


def _ordered(m, items=()):
    if items == () and type(items) is tuple:        # the hooks of every tensor
        m.spend(ORDERED)
        return OrderedDict()
    return OrderedDict(_pairs(m, items))


def _counter(m, items=()):
    found = Counter()
    dict.update(found, _pairs(m, items))
    return found


def _default_dict(m, factory=None, items=()):
    if factory is not None and not any(factory is one for one in FACTORIES):
        raise bad("it has a defaultdict with a factory other than a plain container or number")
    items = _pairs(m, items)
    m.chain(items.values() if isinstance(items, dict) else ())
    return defaultdict(factory, items)


def _collection(kind):
    def make(m, items=()):
        if type(items) not in (list, tuple, set, frozenset):
            raise bad(f"it makes a {kind.__name__} from a {type(items).__name__}")
        return m.make_set(kind, items)
    return make


def _sequence(kind):
    def make(m, items=()):
        if type(items) not in (list, tuple):
            raise bad(f"it makes a {kind.__name__} from a {type(items).__name__}")
        m.pay(len(items))
        m.spend(LIST)
        return kind(items)
    return make


def _size(m, items=()):
    if not isinstance(items, (list, tuple)):
        raise bad(f"it makes a Size from a {type(items).__name__}")
    m.pay(len(items))
    m.spend(LIST + 40 * len(items))
    return Size([whole(n, "a dimension of a Size") for n in items])


def _complex(m, real=0.0, imag=0.0):
    if type(real) not in (int, float) or type(imag) not in (int, float):
        raise bad("it makes a complex number from something that isn't numbers")
    m.spend(40)
    return complex(real, imag)


def _encode(m, text, encoding="utf-8", errors="strict"):
    if type(text) is not str or encoding not in ("latin1", "latin-1", "utf-8", "ascii") or errors != "strict":
        raise bad("it makes bytes in a way that isn't pickle's")
    m.spend(64)
    m.pay(len(text))
    return text.encode(encoding)


def _bytearray(m, data=b"", encoding=None):
    if type(data) not in (bytes, bytearray) and (type(data) is not str or encoding != "latin-1"):
        raise bad(f"it makes a bytearray from a {type(data).__name__}")
    m.spend(LIST)
    m.pay(len(data))
    if type(data) is str:
        data = data.encode("latin-1")
    return bytearray(data)


def _bytes(m):
    """No bytes: protocol 2 writes them as a call without arguments."""
    return b""


def _device(m, kind, index=None):
    if type(kind) is not str or len(kind) > 40 or index is not None and (type(index) is not int
                                                                         or not -1 <= index < 2**15):
        raise bad("it has a device without a name")
    m.spend(NUMBERS)
    try:
        return devices.device(kind, index)
    except RuntimeError:
        raise bad(f"it has a device {kind!r}, which there isn't") from None


def _layout(m, name):
    found = layouts.LAYOUTS.get(name.removeprefix("torch.")) if type(name) is str else None
    if found is None:
        raise bad("it has a tensor layout that there isn't")
    return found


def _tensor_of(dtype):
    """A tensor class called without arguments, as very old files do; the memory comes as its state."""
    def make(m):
        m.spend(rebuild.TENSOR)
        return wrap(np.empty(0, dtype.np))
    return make


def _parameter(m, data, requires_grad=True, *hooks):
    return rebuild._rebuild_parameter(m, data, requires_grad)


def _from_type(m, function, cls, args, state):
    """A tensor of a class, with attributes."""
    if (not isinstance(cls, type) or not issubclass(cls, Tensor) or cls not in (Tensor, Parameter)
        and not m.allowed(cls)):
        raise bad("it makes a tensor of a class that isn't one")
    made = m.call(function, args)
    if not isinstance(made, Tensor):
        raise bad("it makes a tensor by something that doesn't")
    made = retype(made, cls)
    setter = getattr(cls, "__setstate__", None)
    if setter is not None and setter is not getattr(Tensor, "__setstate__", None):
        made.__setstate__(state)
    else:
        attributes(m, made, state)
    return made


# objects whose state comes later: (machine, object, state)

def _build_dict(m, thing, state):
    """A dict's attributes, such as the `_metadata` of a state dict."""
    if type(state) is not dict:
        raise bad(f"the attributes of a dict are a {type(state).__name__}")
    set_attributes(m, thing, state)


def _build_tensor(m, thing, state):
    """Where a very old file's tensor lies: (storage, offset, size, stride)."""
    if type(state) is not tuple or len(state) != 4 or not isinstance(state[0], TypedStorage):
        raise bad("a tensor's state is not its storage, offset, size and stride")
    made = tensor_in(m, *state, state[0].dtype)
    thing._array, thing._memory_record, thing._on_meta = made._array, made._memory_record, made._on_meta


GLOBALS = {
    "collections.OrderedDict": OrderedDict, "collections.Counter": Counter, "collections.defaultdict": defaultdict,
    "builtins.set": set, "builtins.frozenset": frozenset, "builtins.complex": complex, "builtins.bytearray": bytearray,
    "builtins.bytes": bytes, "builtins.list": list, "builtins.dict": dict, "builtins.tuple": tuple,
    "builtins.int": int, "builtins.float": float, "builtins.str": str, "builtins.bool": bool,
    "_codecs.encode": _encode, "torch.Size": Size, "torch.device": devices.device, "torch.Tensor": Tensor,
    "torch._tensor._rebuild_from_type_v2": _from_type, "torch.serialization._get_layout": _layout,
    "torch.nn.parameter.Parameter": Parameter, "torch.nn.parameter.Buffer": Tensor,
    **{"torch.nn.parameter." + cls.__name__: cls for cls in rebuild.UNINITIALIZED},
    **{f"torch.{name}": dtype for name, dtype in dtypes.BY_NAME.items()},
    **{f"torch.{name}": format for name, format in layouts.FORMATS.items()}, **rebuild.STORAGE_KINDS,
    **rebuild.FUNCTIONS, **numpy_parts.NAMES,
}
FACTORIES = (list, dict, set, int, float, str, tuple, bool, OrderedDict, Counter)
CALLS = {id(OrderedDict): _ordered, id(Counter): _counter, id(defaultdict): _default_dict, id(set): _collection(set),
         id(frozenset): _collection(frozenset), id(list): _sequence(list), id(tuple): _sequence(tuple),
         id(complex): _complex, id(bytearray): _bytearray, id(bytes): _bytes, id(Size): _size,
         id(devices.device): _device, id(Parameter): _parameter, id(Tensor): _tensor_of(dtypes.float32),
         **{id(f): f for f in (_encode, _from_type, _layout)},
         **{id(f): f for f in rebuild.FUNCTIONS.values()},
         **{id(cls): make for cls, make in rebuild.UNINITIALIZED.items()},
         **numpy_parts.CALLS}
BUILDS = {OrderedDict: _build_dict, Counter: _build_dict, Tensor: _build_tensor, **numpy_parts.BUILDS}
for _name, _kind in list(rebuild.STORAGE_KINDS.items()):
    if _kind.dtype is not None:         # torch.FloatTensor, called without arguments
        GLOBALS[_name.replace("Storage", "Tensor")] = _make = _tensor_of(_kind.dtype)
        CALLS[id(_make)] = _make


class UnknownGlobal(CheckpointFileError):
    """A file names what it may not."""


class Finder:
    """The table of one load: what is always known, what the user allows now, and with `layers` weft's own modules."""

    calls, builds = CALLS, BUILDS

    def __init__(self, layers=False):
        self.user, self.layers = user_globals(), layers

    def __call__(self, name):
        if name.split(".")[0] in BLOCKED:
            raise UnknownGlobal(f"it names {name}, whose module is blocked: nothing of it is ever taken from a file",
                                "don't trust this file: it was made to run commands")
        found = GLOBALS.get(name)
        if found is None:
            found = self.user.get(name)
        if found is None and self.layers:
            found = layer_of(name)
        if found is None:
            raise refused(name, self.layers)
        return found

    def is_layer(self, cls):
        """Whether a class is one of weft's own modules, which a file may fill if the user asked for whole objects."""
        return (self.layers and isinstance(cls, type)
                and cls.__module__.startswith(("weft.nn.modules.", "torch.nn.modules.")))

    def build_layer(self, m, thing, state):
        """A module's attributes."""
        m.pay(ATTRIBUTE * len(state) if type(state) is dict else 1)
        if (type(state) is not dict or any(type(k) is not str or k.startswith("__")
                                           or callable(getattr(type(thing), k, None)) for k in state)):
            raise bad("a module's state is no dict of attributes", "save its state_dict() instead")
        m.spend(LAYER)
        thing.__setstate__(state)


LAYER = 2048        # bytes that a module takes besides its attributes


ACTIVATIONS = ("relu", "gelu", "selu", "celu", "tanh", "sigmoid")     # of nn.functional, but known by their short names


def layer_of(name):
    """The module class, or the function of nn.functional, that a whole saved model names; None for anything else."""
    from weft import nn  # only for files that hold whole models
    place, _, last = name.rpartition(".")
    if place in ("torch.nn.functional", "weft.nn.functional") or place in ("torch", "weft") and last in ACTIVATIONS:
        return None if last.startswith("_") else getattr(nn.functional, last, None)
    if place.startswith(("torch.nn.modules.", "weft.nn.modules.")):
        found = getattr(nn, last, None)
        return found if isinstance(found, type) and issubclass(found, nn.Module) else None
    return None


OTHER_TYPES = ("float8", "float4", "qint", "quint", "bits", "complex32", "complexhalf", "int", "uint")


def refused(name, whole=False):
    """The error of a name that isn't in the table; `whole`: the user asked for whole objects (weights_only=False)."""
    if name in rebuild.WITHOUT:
        what, fix = rebuild.WITHOUT[name]
        return UnknownGlobal(f"it holds {what}, which weft doesn't have", f"in PyTorch, {fix}")
    if name.startswith("torch.") and name.split(".")[-1].lower().startswith(OTHER_TYPES):
        return UnknownGlobal(f"it holds tensors of {name}, a type that weft doesn't have",
                             "in PyTorch, convert them first, for example with "
                             ".to(torch.bfloat16) or dequantize()")
    short = name.removeprefix("builtins.").removeprefix("__main__.")
    return UnknownGlobal(
        f"Weights only load failed: it names {name} (GLOBAL {name}), which is not allowed by default, since a file "
        f"that may name anything can run anything"
        + ("; weights_only=False doesn't change that, since weft never runs a pickle" if whole else ""),
        f"if you trust the file and this class or function: weft.serialization.add_safe_globals([{short}]) before "
        f"loading. "
        + ("A whole model of PyTorch's own layers loads with weights_only=False; better, save" if ".nn." in name
           else "Of a whole model, save")
        + " model.state_dict() and load that into a model which your program makes")
