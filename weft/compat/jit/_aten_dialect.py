"""What names mean in PyTorch's TorchScript files: `torch.<name>` is an op of aten, on tensors, numbers, texts, lists
and dicts alike; `ops.prim.<name>` one of its interpreter; types and memory formats are numbers there.
"""
import inspect
import math
import operator
import warnings

import weft
from weft import _aten
from weft.jit import _allowed, _aten_layers, _dialect
from weft.jit._trace import Error
from weft.tensor.tensor import Tensor

# aten's numbers of types
DTYPES = {0: weft.uint8, 1: weft.int8, 2: weft.int16, 3: weft.int32, 4: weft.int64, 5: weft.float16, 6: weft.float32,
          7: weft.float64, 9: weft.complex64, 10: weft.complex128, 11: weft.bool, 15: weft.bfloat16}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
FORMATS = {0: weft.contiguous_format, 1: weft.preserve_format, 2: weft.channels_last, 3: weft.channels_last_3d}
REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}
OPTIONS = ("dtype", "layout", "device", "pin_memory", "memory_format", "generator", "out")


def dtype_of(number):
    """A type by aten's number."""
    if number is None or isinstance(number, weft.dtype):
        return number
    if number not in DTYPES:
        raise RuntimeError(f"the program uses a type that weft doesn't have (aten's number {number})")
    return DTYPES[number]


def options(given):
    """Keywords as weft takes them: numbers are types and formats, what is None is left out."""
    made = {}
    for name, value in given.items():
        if name in OPTIONS and value is None or name == "pin_memory" or name == "layout" and value in (0, None):
            continue
        if name == "dtype":
            value = dtype_of(value)
        elif name == "memory_format" and isinstance(value, int):
            value = FORMATS[value]
        made[name] = value
    return made


# ops whose arguments aten orders or writes otherwise

def _to(x, *args, **kwargs):
    dtype = device = other = None
    rest = list(args)
    while rest and not isinstance(rest[0], bool):
        first = rest.pop(0)
        if isinstance(first, Tensor):
            other = first
        elif isinstance(first, (weft.device, str)):
            device = first
        elif first is not None:
            dtype = dtype_of(first)
    named = options(kwargs)
    named.update(zip(("non_blocking", "copy"), rest))
    if other is not None:
        return x.to(other, **named)
    if dtype is not None:
        named["dtype"] = dtype
    if device is not None:
        named["device"] = device
    return x.to(**named)


def _view(x, size):
    return x.view(dtype_of(size) if isinstance(size, int) else size)


def _softmax(name):
    def call(x, dim, dtype=None):
        return getattr(x, name)(dim, dtype=dtype_of(dtype))
    return call


def _upsample(mode, given_align):
    """upsample_bilinear2d(x, output_size, align_corners, scale...) as interpolate."""
    def call(x, size, *rest, **kwargs):
        align = rest[0] if given_align and rest else None
        scales = rest[1:] if given_align else rest
        if size is None:
            found = next(s for s in scales if s is not None)
            scale = list(found) if isinstance(found, (list, tuple)) else [s for s in scales if s is not None]
            return weft.nn.functional.interpolate(x, scale_factor=scale, mode=mode, align_corners=align,
                                                  recompute_scale_factor=False)
        return weft.nn.functional.interpolate(x, size=list(size), mode=mode, align_corners=align)
    return call


def _loss(name):
    """A loss of nn.functional, called as aten does: what is older than `reduction` is left out, which is a number and
    stands before ignore_index and after pos_weight. None if there is no such loss.
    """
    function = _allowed.function(f"nn.functional.{name}")
    names = [] if function is None else [n for n in inspect.signature(function).parameters
                                         if n not in ("size_average", "reduce", "out")]
    if "reduction" not in names:
        return None
    for moved, behind in (("ignore_index", 1), ("pos_weight", 0)):
        if moved in names:
            names.remove(moved)
            names.insert(names.index("reduction") + behind, moved)

    def call(*args, **kwargs):
        given = {**dict(zip(names, args)), **kwargs}
        if isinstance(given.get("reduction"), int):
            given["reduction"] = REDUCTIONS[given["reduction"]]
        return function(**given)
    return call


def _slice(x, dim=0, start=None, end=None, step=1):
    if isinstance(x, Tensor):
        return _aten.slice(x, dim, start, end, step)
    start, end, step = dim, start, 1 if end is None else end         # of a list: (list, start, end, step)
    return x[slice(start, end, step)]


def _size(x, dim=None):
    return list(x.shape) if dim is None else x.shape[dim]


def _tensor(data, dtype=None, device=None, requires_grad=False):
    return weft.tensor(data, dtype=dtype_of(dtype), requires_grad=requires_grad)


def _chunks(name):
    def call(x, *args, **kwargs):
        if isinstance(x, str):
            return getattr(x, name)(*args)
        return list(getattr(x, name)(*args, **options(kwargs)))
    return call


def _index_put(name):
    def call(x, indices, values, accumulate=False):
        every = slice(None)
        if any([i is None for i in indices]) and not accumulate:
            target = x if name == "index_put_" else x.clone()
            target[tuple([every if i is None else i for i in indices])] = values
            return target
        return getattr(x, name)(tuple(indices), values, accumulate)
    return call


def _einsum(equation, operands, path=None):
    return weft.einsum(equation, *operands)


def _arange(*args, **kwargs):
    return weft.arange(*args, **options(kwargs))


def _gelu(x, approximate="none"):
    return weft.nn.functional.gelu(x, approximate=approximate)


def _norm(x, p=2, dim=None, keepdim=False, dtype=None):
    return weft.norm(x, 2 if p is None else p, dim, keepdim, dtype=dtype_of(dtype))


def _max_pool(name):
    def call(x, *args):
        return getattr(weft.nn.functional, name)(x, *[a if a != [] else None for a in args])
    return call


def _with_indices(name):
    def call(x, *args):
        given = [a if a != [] else None for a in args]
        return getattr(weft.nn.functional, name)(x, *given, return_indices=True)
    return call


def _convolution_mode(x, weight, bias, stride, padding, dilation, groups):
    convolve = (weft.nn.functional.conv1d, weft.nn.functional.conv2d, weft.nn.functional.conv3d)[weight.dim() - 3]
    return convolve(x, weight, bias, stride, padding, dilation, groups)


def _pad(mode):
    return lambda x, sizes: weft.nn.functional.pad(x, sizes, mode=mode)


def _unique(x, sorted=True, return_inverse=False, return_counts=False):
    made = weft.unique(x, sorted, True, True)
    empty = x.new_empty(0, dtype=weft.int64)
    return made[0], made[1] if return_inverse else empty, made[2] if return_counts else empty


def _unique_dim(x, dim, sorted=True, return_inverse=False, return_counts=False):
    return weft.unique(x, sorted, True, True, dim)


def _interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                 antialias=False):
    return weft.nn.functional.interpolate(x, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def _scalar_tensor(value, **kwargs):
    return weft.tensor(value, **options(kwargs))


def _meshgrid(tensors, indexing="ij"):
    return list(weft.meshgrid(*tensors, indexing=indexing))


ADAPTED = {
    "to": _to, "view": _view, "softmax": _softmax("softmax"), "log_softmax": _softmax("log_softmax"), "slice": _slice,
    "size": _size, "tensor": _tensor, "chunk": _chunks("chunk"), "split": _chunks("split"), "unbind": _chunks("unbind"),
    "split_with_sizes": _chunks("split"), "tensor_split": _chunks("tensor_split"), "index": _aten.index, "gelu": _gelu,
    "index_put_": _index_put("index_put_"), "index_put": _index_put("index_put"), "einsum": _einsum, "norm": _norm,
    "_convolution": _aten._convolution, "numpy_T": operator.attrgetter("T"), "arange": _arange,
    "meshgrid": _meshgrid, "broadcast_tensors": lambda tensors: list(weft.broadcast_tensors(*tensors)),
    "max_pool1d": _max_pool("max_pool1d"), "max_pool2d": _max_pool("max_pool2d"),
    "max_pool3d": _max_pool("max_pool3d"), "avg_pool1d": _max_pool("avg_pool1d"),
    "avg_pool2d": _max_pool("avg_pool2d"), "avg_pool3d": _max_pool("avg_pool3d"), "scalar_tensor": _scalar_tensor,
    "cross_entropy_loss": _loss("cross_entropy"), "nll_loss_nd": _loss("nll_loss"),
    **{f"upsample_nearest{n}d": _upsample("nearest", False) for n in (1, 2, 3)},
    **{f"_upsample_nearest_exact{n}d": _upsample("nearest-exact", False) for n in (1, 2, 3)},
    **{f"upsample_{mode}{n}d": _upsample(mode, True)
       for mode, n in (("linear", 1), ("bilinear", 2), ("bicubic", 2), ("trilinear", 3))},
    **{f"adaptive_max_pool{n}d": _with_indices(f"adaptive_max_pool{n}d") for n in (1, 2, 3)},
    **{f"max_pool{n}d_with_indices": _with_indices(f"max_pool{n}d") for n in (1, 2, 3)},
    "log_sigmoid": weft.nn.functional.logsigmoid, "im2col": weft.nn.functional.unfold,
    "col2im": weft.nn.functional.fold,
    **{f"reflection_pad{n}d": _pad("reflect") for n in (1, 2, 3)},
    **{f"replication_pad{n}d": _pad("replicate") for n in (1, 2, 3)}, "_convolution_mode": _convolution_mode,
    "_adaptive_avg_pool2d": weft.nn.functional.adaptive_avg_pool2d, "_unique2": _unique, "unique_dim": _unique_dim,
    "_adaptive_avg_pool3d": weft.nn.functional.adaptive_avg_pool3d, "nll_loss2d": _loss("nll_loss"),
    "nonzero_numpy": lambda x: list(weft.nonzero(x, as_tuple=True)), "__interpolate": _interpolate,
    "_shape_as_tensor": lambda x: weft.tensor(list(x.shape)), "pin_memory": lambda x, device=None: x,
    "pad_sequence": weft.nn.utils.rnn.pad_sequence, "_stack": weft.stack, "_prelu_kernel": weft.prelu,
    "__iand__": operator.iand, "__ior__": operator.ior, "__ixor__": operator.ixor, "mT": operator.attrgetter("mT"),
    "mH": operator.attrgetter("mH"), "data": operator.attrgetter("data"), "is_leaf": operator.attrgetter("is_leaf"),
    "_transformer_encoder_layer_fwd": _aten_layers.transformer_encoder_layer_fwd,
    "_native_multi_head_attention": _aten_layers.native_multi_head_attention}


# what aten does with numbers, texts, lists and dicts

def _floordiv(a, b):
    return a // b


def _range_length(start, stop, step):
    return len(range(start, stop, step))


def _append(values, value):
    values.append(value)
    return values


def _set_item(values, key, value):
    values[_allowed.key(key)] = value
    return values


def _method(name):
    return lambda value, *args, **kwargs: getattr(value, name)(*args, **kwargs)


def _listed(name):
    return lambda value: list(getattr(value, name)())


def _percent(text, *values):
    return text % values


def _format(text, *values):
    return _allowed.formatted(text, values, {})


def _warn(text, stacklevel=2):
    warnings.warn(str(text), stacklevel=3)


def _round(x):
    return float(round(x))


def _delete(values, key):
    del values[key]


def _plain_div(a, b, rounding_mode=None):
    if rounding_mode == "floor":
        return float(a // b)
    return float(math.trunc(a / b)) if rounding_mode == "trunc" else a / b


def _number(kind):
    return lambda value=0: kind(value.item() if isinstance(value, Tensor) else value)


def _dict(pairs=None):
    return {} if pairs is None else dict(_allowed.keys_of(pairs))


PLAIN = {
    **{name: value for name, value in _allowed.MATH.items() if callable(value) and name not in ("pow", "dist", "prod")},
    **_allowed.COUNTED,
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": _plain_div, "floordiv": _floordiv,
    "floor_divide": _floordiv, "remainder": operator.mod, "fmod": math.fmod, "pow": _allowed.power, "neg": operator.neg,
    "rsub": lambda a, b, alpha=1: b - alpha * a, "mod": operator.mod, "pos": operator.pos,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "__and__": operator.and_, "__or__": operator.or_, "__xor__": operator.xor, "__not__": operator.not_,
    "__is__": operator.is_, "__isnot__": operator.is_not,
    "__contains__": lambda held, value: _allowed.contains(value, held), "len": len,
    "__lshift__": _allowed.left_shift, "__rshift__": operator.rshift, "bitwise_not": operator.invert,
    "add_": operator.iadd, "mul_": operator.imul, "append": _append, "extend": _method("extend"),
    "insert": _method("insert"), "pop": _method("pop"), "clear": _method("clear"), "reverse": _method("reverse"),
    "sort": _method("sort"), "sorted": sorted, "index": _method("index"), "count": _method("count"),
    "remove": _method("remove"), "copy": _method("copy"), "keys": _listed("keys"), "values": _listed("values"),
    "items": _listed("items"), "get": _method("get"), "setdefault": _method("setdefault"), "update": _method("update"),
    "popitem": _method("popitem"), "Delete": _delete, "_set_item": _set_item,
    "__getitem__": lambda held, key: held[_allowed.key(key)],
    "slice": _slice, "list": list, "dict": _dict, "str": str, "format": _format, "percentFormat": _percent,
    "join": _method("join"), "warn": _warn, "ord": ord, "chr": chr, "hex": hex, "oct": oct, "bin": bin,
    "abs": abs, "min": min, "max": max, "sum": sum, "any": any, "all": all, "round": _round, "divmod": divmod,
    "__range_length": _range_length, "__derive_index": lambda index, start, step: start + index * step,
    "Int": _number(int), "Float": _number(float), "Bool": _number(bool), "Complex": _number(complex),
    "IntImplicit": _number(int), "FloatImplicit": _number(float), "ScalarImplicit": lambda x: x.item(),
    "item": lambda x: x.item() if isinstance(x, Tensor) else x, "device": weft.device,
    "floor": math.floor, "ceil": math.ceil, "mathremainder": math.remainder, "is_grad_enabled": weft.is_grad_enabled,
    "is_autocast_enabled": weft.is_autocast_enabled, "is_autocast_cpu_enabled": weft.is_autocast_cpu_enabled,
    "set_grad_enabled": weft.set_grad_enabled, "wait": _dialect.wait, "is_scripting": lambda: True,
    "_unwrap_optional": weft.jit._unwrap_optional, "promote_types": lambda a, b: NUMBERS[
        weft.promote_types(dtype_of(a), dtype_of(b))],
    "zip": zip, "enumerate": enumerate, "get_device": lambda x: -1, "manual_seed": weft.manual_seed,
    **{name: _method(name) for name in """upper lower strip lstrip rstrip splitlines rsplit replace find rfind rindex
        startswith endswith isdigit isalpha isalnum isspace isupper islower istitle isdecimal isnumeric isidentifier
        isprintable capitalize title swapcase center ljust rjust zfill expandtabs partition rpartition""".split()}}
EITHER = frozenset("""add sub mul div floordiv floor_divide remainder fmod pow rsub eq ne lt le gt ge __and__ __or__
    __xor__ atan2""".split())       # a tensor may be their second argument


# the interpreter's own

def _raise(text, kind=None):
    name = str(kind).rpartition(".")[2] if kind is not None else "AssertionError" if str(text).startswith(
        "AssertionError: ") else "RuntimeError"
    found = _allowed.EXCEPTIONS.get(name, RuntimeError)
    own = Error if issubclass(Error, found) else type("Error", (Error, found), {"__module__": Error.__module__})
    raise own(str(text).removeprefix("AssertionError: "))


def _reader(name):
    return lambda x: getattr(x, name)


def _to_list(x, *types):
    return x.tolist()


PRIM = {
    "RaiseException": _raise, "NumToTensor": lambda number: weft.tensor(number), "dtype": lambda x: NUMBERS[x.dtype],
    "device": _reader("device"), "shape": lambda x: list(x.shape), "ndim": _reader("ndim"), "data": _reader("data"),
    "grad": _reader("grad"), "requires_grad": _reader("requires_grad"), "is_cuda": _reader("is_cuda"),
    "is_sparse": _reader("is_sparse"), "is_quantized": _reader("is_quantized"), "is_mkldnn": _reader("is_mkldnn"),
    "is_meta": _reader("is_meta"), "is_cpu": _reader("is_cpu"), "is_nested": _reader("is_nested"),
    "is_xla": _reader("is_xla"), "is_mps": _reader("is_mps"), "layout": lambda x: 0, "itemsize": _reader("itemsize"),
    "type": lambda device: device.type, "index": lambda device: device.index, "min": min, "max": max, "abs": abs,
    "tolist": _to_list, "unchecked_unwrap_optional": lambda x: x, "rangelist": lambda n: list(range(n)), "Print": print,
    "EnumName": lambda member: member.name, "EnumValue": lambda member: member.value,
    "is_leaf": _reader("is_leaf"), "nbytes": _reader("nbytes"), "T": _reader("T"), "mT": _reader("mT")}
BUILTINS = {"int": _number(int), "float": _number(float), "bool": _number(bool), "str": str, "complex": complex,
            "range": range, "print": print, "len": len, "fork": _dialect.fork, "list": list, "sorted": sorted,
            "min": min, "max": max, "abs": abs, "round": _round, "zip": zip, "enumerate": enumerate}


def tensor_op(name):
    """An op of aten on tensors, with its keywords as aten writes them; None if there is none."""
    found = ADAPTED.get(name) or _loss(name)
    if found is not None:
        return found
    found = _plain_op(name)
    if found is None and name.endswith("_") and not name.endswith("__"):
        found = _written(name[:-1])
    if found is None:
        return None

    def call(*args, **kwargs):
        return found(*args, **options(kwargs)) if kwargs else found(*args)
    return call


def _plain_op(name):
    public = _allowed.function(name) or _allowed.function(f"nn.functional.{name}") or _prefixed(name)
    if public is not None:
        return public
    own = vars(_aten).get(name)
    if callable(own) and getattr(own, "__module__", "") == _aten.__name__ and name != "absent_functions":
        return own
    if _allowed.tensor_method(name) is not None:
        return lambda tensor, *args, **kwargs: getattr(tensor, name)(*args, **kwargs)
    return None


def _prefixed(name):
    """fft_rfft, linalg_inv, special_erf: aten's names for fft.rfft and its like."""
    space, _, own = name.partition("_")
    return _allowed.function(f"{space}.{own}") if space in ("fft", "linalg", "special") else None


def _written(name):
    """relu6_ of relu6: what writes its result where its input lay."""
    found = _plain_op(name)
    if found is None:
        return None
    return lambda tensor, *args, **kwargs: tensor.copy_(found(tensor, *args, **kwargs))


def _custom(name):
    """An op that the user's program registered with torch.library, by ns.name."""
    from weft.library import _ops  # only for programs that have such
    return _ops.get(name.replace(".", "::", 1)) if name.count(".") == 1 else None


class Aten:
    """The dialect of PyTorch's files; constants: what `CONSTANTS.c0` and its like stand for."""

    def __init__(self, constants=()):
        self.constants, self.made = constants, {}

    def value(self, name):
        """(True, what a name stands for), or (False, None)."""
        if name.startswith("CONSTANTS.c") and name[11:].isdigit() and int(name[11:]) < len(self.constants):
            return True, self.constants[int(name[11:])]
        if name in ("inf", "nan", "infj", "nanj"):
            return True, complex(0, float(name[:3])) if name.endswith("j") else float(name)
        return _dialect.UNKNOWN

    def function(self, name):
        """What a call of a name runs, or None."""
        if name not in self.made:
            self.made[name] = self._function(name)
        return self.made[name]

    def _function(self, name):
        if name.startswith("ops.prim."):
            return PRIM.get(name[9:])
        if name.startswith("ops.aten."):
            return _either(name[9:]) or _missing(name)
        if name.startswith("ops."):
            return _custom(name[4:]) or _missing(name)
        if name.startswith("torch."):
            return _either(name[6:]) or _missing(name)
        return BUILTINS.get(name)

    def context(self, name):
        """None: what `with` enters are objects of the program's classes here."""
        return None

    def special(self, name):
        """For calls whose arguments aren't values."""
        return SPECIAL.get(name)


def _either(name):
    """An op on tensors or on other values, whichever it is given."""
    plain, tensors, either = PLAIN.get(name), tensor_op(name), name in EITHER
    if plain is None or tensors is None:
        return tensors if plain is None else plain

    def call(*args, **kwargs):
        of_tensors = not args or isinstance(args[0], Tensor) or either and isinstance(args[1], Tensor)
        return tensors(*args, **kwargs) if of_tensors else plain(*args, **kwargs)
    return call


def _missing(name):
    """An op that weft doesn't have: PyTorch's scripts name many in branches that nobody takes."""
    def call(*args, **kwargs):
        raise NotImplementedError(f"the program calls {name[:120]}, an op that weft doesn't have")
    return call


def _uninitialized(maker, node):
    return lambda env: None


SPECIAL = {"annotate": _dialect._annotate, "unchecked_cast": _dialect.of_type("a cast"),
           "uninitialized": _uninitialized, "isinstance": _dialect._isinstance, "getattr": _dialect._getattr,
           "hasattr": _dialect._hasattr}
