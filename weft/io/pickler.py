"""Writes pickles of protocol 2 in the dialect of PyTorch's checkpoints, under PyTorch's names, without recursion over
what the user built.
"""
import copyreg
import struct
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core.errors import fail
from weft.core.modes import WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import tell_read
from weft.core.size import Size
from weft.kernels.native import address
from weft.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter, is_lazy
from weft.tensor.layout import dense_strides
from weft.tensor.pickling import Window, attributes_of, memory_of
from weft.tensor.storage import OLD_STORAGES, TypedStorage, UntypedStorage
from weft.tensor.tensor import Tensor

STORAGE_NAMES = {kind.of_dtype: name for name, kind in OLD_STORAGES.items()}
BATCH = 1000        # items between two marks, as Python's pickler has it


class Named:
    """A global to be written by its name."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class Stored:
    """A storage, written as an id; its bytes stand elsewhere."""

    def __init__(self, kind, key, numel):
        self.kind, self.key, self.numel = kind, key, numel


class Call:
    """A call that rebuilds an object when the file is read."""

    def __init__(self, function, *args):
        self.function, self.args = function, args


UTILS = {name: Named("torch._utils", name) for name in ("_rebuild_tensor_v2", "_rebuild_tensor_v3",
                                                        "_rebuild_parameter",
                                                       "_rebuild_parameter_with_state",
                                                        "_rebuild_meta_tensor_no_storage", "_rebuild_sparse_tensor")}
LAYOUT = Named("torch.serialization", "_get_layout")
FROM_TYPE, ENCODE = Named("torch._tensor", "_rebuild_from_type_v2"), Named("_codecs", "encode")
KINDS = {d: Named("torch", name) for d, name in STORAGE_NAMES.items()}
BYTES = Named("torch.storage", "UntypedStorage")
DTYPES = {d: Named("torch", d.name) for d in dtypes.ALL + dtypes.FLOAT8}
# weft's classes that have a name in PyTorch
PUBLIC = {Tensor: ("torch", "Tensor"), Parameter: ("torch.nn.parameter", "Parameter"), Size: ("torch", "Size"),
          devices.device: ("torch", "device"),
          UninitializedParameter: ("torch.nn.parameter", "UninitializedParameter"), dtypes.dtype: ("torch", "dtype"),
          UninitializedBuffer: ("torch.nn.parameter", "UninitializedBuffer")}


class Storages:
    """The storages that a file will hold: key -> bytes, one for all tensors in the same memory."""

    def __init__(self, keys_by_address=False):
        self.arrays, self._known, self._types, self.by_address = {}, {}, {}, keys_by_address

    def add(self, array):
        """The key of the memory that an array spans."""
        place = (address(array), array.nbytes) if array.nbytes else id(array)
        key = self._known.get(place)
        if key is None:
            key = self._known[place] = str(address(array) if self.by_address and array.nbytes else len(self._known))
            self.arrays[key] = UntypedStorage(root=array)._bytes
        return key

    def typed(self, array, dtype):
        """How a storage is written for a tensor of some type: once typed, later types see its bytes."""
        key = self.add(array)
        first = self._types.setdefault(key, dtype if dtype in KINDS else None)
        if first is not dtype or dtype not in KINDS:
            return Stored(BYTES, key, array.nbytes), False
        return Stored(KINDS[dtype], key, array.nbytes // dtype.itemsize), True


class Pickler:
    """One pickle; `persistent(stored)` is the tuple that stands for a storage."""

    def __init__(self, storages, persistent):
        self.out, self.storages, self.persistent = bytearray(), storages, persistent
        self.memo, self.kept, self.names = {}, [], {}

    def dump(self, value):
        """The bytes of a pickle of one object."""
        self.out += b"\x80\2"
        pending = [iter((value,))]
        while pending:
            for child in pending[-1]:
                parts = self.save(child)
                if parts is not None:
                    pending.append(parts)
                    break
            else:
                pending.pop()
        self.out += b"."
        return bytes(self.out)

    # memory of what was written

    def put(self, value):
        """Number what was just written, for later mentions."""
        index = len(self.kept)
        self.memo[id(value)] = index
        self.kept.append(value)         # alive, so that no other object gets its id
        self.out += b"q%c" % index if index < 256 else b"r" + struct.pack("<I", index)

    def get(self, index):
        self.out += b"h%c" % index if index < 256 else b"j" + struct.pack("<I", index)

    # one object: writes it, or gives its parts in the order in which they are to be written

    def save(self, value):
        index = self.memo.get(id(value))
        if index is not None:
            self.get(index)
            return None
        kind = type(value)
        leaf = LEAVES.get(kind)
        if leaf is not None:
            leaf(self, value)
            return None
        parts = PARTS.get(kind)
        if parts is not None:
            return parts(self, value)
        if isinstance(value, Tensor):
            return self.reduce(tensor_call(self.storages, value), value)
        if isinstance(value, (TypedStorage, UntypedStorage)):
            return self.stored(storage_id(self.storages, value))
        if isinstance(value, dtypes.dtype):
            return self.save(DTYPES[value])
        if isinstance(value, (type, FunctionType, BuiltinFunctionType)):
            self.named(*_place_of(value))
            return None
        return self.object(value)

    def named(self, module, name):
        """A global, by its name."""
        if (module, name) in self.names:
            self.get(self.names[module, name])
            return
        old = "__builtin__" if module == "builtins" else module
        self.out += f"c{old}\n{name}\n".encode()
        self.names[module, name] = len(self.kept)
        self.put(object())

    def reduce(self, call, value=None):
        yield call.function
        yield call.args
        self.out += b"R"
        if value is not None:
            self.put(value)

    def stored(self, value):
        yield self.persistent(value)
        self.out += b"Q"

    def object(self, value):
        """Anything else, by Python's own protocol."""
        reducer = copyreg.dispatch_table.get(type(value))
        try:
            made = reducer(value) if reducer is not None else value.__reduce_ex__(2)
        except TypeError as error:
            raise TypeError(f"save: a {type(value).__name__} can't be saved: {error}\n  fix: save what it consists of "
                            f"(state_dict(), numbers, "
                            "tensors) instead of the object") from None
        if isinstance(made, str):
            self.named(value.__module__, made)
            return
        function, args, state, items, pairs = (*made, None, None, None)[:5]
        if function is copyreg.__newobj__:
            yield args[0]
            yield tuple(args[1:])
            self.out += b"\x81"
        else:
            yield function
            yield args
            self.out += b"R"
        self.put(value)
        if items is not None:
            yield from self.batches(list(items), b"a", b"e", 1)
        if pairs is not None:
            yield from self.batches([part for pair in pairs for part in pair], b"s", b"u", 2)
        if state is not None:
            yield state
            self.out += b"b"

    def batches(self, parts, one, many, width):
        """Elements (width 1) or keys and values (2) of the container that was just written."""
        for start in range(0, len(parts), BATCH * width):
            batch = parts[start:start + BATCH * width]
            if len(batch) == width:
                yield from batch
                self.out += one
            else:
                self.out += b"("
                yield from batch
                self.out += many


def _place_of(thing):
    if thing in PUBLIC:
        return PUBLIC[thing]
    if "<" in thing.__qualname__:
        raise AttributeError(f"save: {thing.__qualname__} of {thing.__module__} has no name by which it could be found "
                             f"again\n"
                             "  fix: define it at the top of a module, or leave it out of what is saved")
    return thing.__module__, thing.__qualname__


# tensors and storages

def tensor_call(storages, t):
    """How a tensor is rebuilt."""
    if is_lazy(t):
        return Call(type(t), bool(t.requires_grad))
    if type(t) is UninitializedBuffer:      # has its size by now
        return plain_call(storages, t, bool(t.requires_grad))
    attributes = attributes_of(t)
    if t.layout is not layouts.strided:
        return sparse_call(t, attributes)
    if isinstance(t, Parameter) and type(t) is Parameter:
        plain, grad = plain_call(storages, t, False), bool(t.requires_grad)
        if attributes:
            return Call(UTILS["_rebuild_parameter_with_state"], plain, grad, Call(OrderedDict), attributes)
        return Call(UTILS["_rebuild_parameter"], plain, grad, Call(OrderedDict))
    plain = plain_call(storages, t, bool(t.requires_grad))
    if type(t) is Tensor and not attributes:
        return plain
    getstate = getattr(t, "__getstate__", None) if hasattr(type(t), "__setstate__") else None
    return Call(FROM_TYPE, plain.function, type(t), plain.args, attributes if getstate is None else getstate())


def sparse_call(t, attributes):
    """How a sparse tensor is rebuilt; as in PyTorch whether it wants a gradient is kept of a parameter only."""
    parts = t._owed
    data = (*parts.index, parts.values, t.shape)
    if parts.layout.name == "sparse_coo":
        data += (parts.coalesced,)
    made = Call(UTILS["_rebuild_sparse_tensor"], Call(LAYOUT, str(parts.layout)), data)
    attributes = {k: v for k, v in attributes.items() if k not in ("_is_param", "_is_buffer", "persistent")}
    if attributes:
        fail(NotImplementedError, f"the sparse tensor to save has attributes of its own: {', '.join(attributes)}",
             "keep them beside it in a dict")
    if not isinstance(t, Parameter):
        return made
    return Call(UTILS["_rebuild_parameter"], made, bool(t.requires_grad), Call(OrderedDict))


def plain_call(storages, t, grad):
    """How a tensor is rebuilt without its class and attributes, as a leaf that wants a gradient or doesn't."""
    if t._on_meta:
        return Call(UTILS["_rebuild_meta_tensor_no_storage"], DTYPES[t.dtype], tuple(t.shape), t.stride(), grad)
    if mode_bits() & WATCH:
        tell_read(t, "save")
    array, memory, item = t._array, memory_of(t), t.dtype.itemsize
    offset = 0 if isinstance(memory, Window) else address(array) - address(memory)
    if isinstance(memory, Window) or offset % item or any(s % item or s < 0 for s in array.strides):
        array = memory = np.asarray(array.copy(order="K" if min(array.strides, default=0) >= 0 else "C"))
        offset = 0
    if not array.size:
        strides = dense_strides(array.shape)
    else:
        strides = tuple([s // item for s in array.strides])
    stored, is_typed = storages.typed(memory, t.dtype)
    place = (stored, offset // item, tuple(array.shape), strides, grad, Call(OrderedDict))
    if is_typed:
        return Call(UTILS["_rebuild_tensor_v2"], *place)
    return Call(UTILS["_rebuild_tensor_v3"], *place, DTYPES[t.dtype])


def storage_id(storages, storage):
    """A storage that is saved for itself."""
    if isinstance(storage, TypedStorage):
        return storages.typed(storage.untyped()._bytes, storage.dtype)[0]
    return storages.typed(storage._bytes, None)[0]


# leaves

def _int(p, value):
    if 0 <= value < 1 << 16:
        p.out += b"K%c" % value if value < 256 else struct.pack("<cH", b"M", value)
    elif -1 << 31 <= value < 1 << 31:
        p.out += struct.pack("<ci", b"J", value)
    else:
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        p.out += (struct.pack("<cB", b"\x8a", len(data)) if len(data) < 256
                  else struct.pack("<ci", b"\x8b", len(data))) + data


def _str(p, value):
    data = value.encode("utf-8", "surrogatepass")
    if len(data) < 1 << 32:
        p.out += struct.pack("<cI", b"X", len(data)) + data
    else:
        p.out += struct.pack("<cQ", b"\x8d", len(data)) + data
    p.put(value)


def _constant(code):
    def write(p, value):
        p.out += code
    return write


def _bool(p, value):
    p.out += b"\x88" if value else b"\x89"


def _float(p, value):
    p.out += struct.pack(">cd", b"G", value)


def _named(p, value):
    p.named(value.module, value.name)


LEAVES = {type(None): _constant(b"N"), bool: _bool, int: _int, float: _float, str: _str, Named: _named,
          layouts.memory_format: lambda p, v: p.named("torch", v.name)}


# what has parts

def _tuple(p, value):
    if not value:
        p.out += b")"
        return
    if len(value) > 3:
        p.out += b"("
    yield from value
    index = p.memo.get(id(value))
    if index is not None:           # it contains itself, by way of a list or dict, and stands there already
        p.out += b"0" * len(value) if len(value) <= 3 else b"1"
        p.get(index)
        return
    p.out += (b"\x85", b"\x86", b"\x87")[len(value) - 1] if len(value) <= 3 else b"t"
    p.put(value)


def _list(p, value):
    p.out += b"]"
    p.put(value)
    yield from p.batches(list(value), b"a", b"e", 1)


def _dict(p, value):
    p.out += b"}"
    p.put(value)
    yield from p.batches([part for pair in value.items() for part in pair], b"s", b"u", 2)


def _called(make):
    """Something that is written as a call of `make(value)`."""
    return lambda p, value: p.reduce(make(value), value)


def _bytes_call(value):
    return Call(ENCODE, value.decode("latin1"), "latin1") if value else Call(ENCODE, "", "latin1")


def _device_call(value):
    return Call(devices.device, value.type) if value.index is None else Call(devices.device, value.type, value.index)


PARTS = {tuple: _tuple, list: _list, dict: _dict, Stored: Pickler.stored, Call: Pickler.reduce,
         bytes: _called(_bytes_call), bytearray: _called(lambda v: Call(bytearray, bytes(v))),
         set: _called(lambda v: Call(set, list(v))), frozenset: _called(lambda v: Call(frozenset, list(v))),
         complex: _called(lambda v: Call(complex, v.real, v.imag)), Size: _called(lambda v: Call(Size, tuple(v))),
         devices.device: _called(_device_call),
         layouts.layout: _called(lambda v: Call(Named("torch.serialization", "_get_layout"), "torch." + v.name))}
