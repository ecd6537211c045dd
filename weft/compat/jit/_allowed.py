"""What a saved program may name: functions, methods and attributes of the values that it can have.

A program from a file runs in an interpreter (_language.py) whose only calls are those listed here and the functions of
the file itself. What isn't listed is refused when the file is read. Nothing here reads or writes files, gives out
Python's own objects, or takes a function to call.
"""
import builtins
import enum
import math
import operator
import string
import sys

import weft
from weft.core.size import Size
from weft.nn.module import Module
from weft.tensor.names import FUNCTIONS, SEEN
from weft.tensor.tensor import Tensor

FILES = frozenset(("from_file", "frombuffer"))      # they read what no program from a file should


def home(thing):
    """The module that a class or function says it is from, by weft's own name in `weft run`, too."""
    name = getattr(thing, "__module__", None) or ""
    stands_for_torch = name.startswith("torch.") and sys.modules.get("torch") is weft
    return f"weft{name[5:]}" if stands_for_torch else name


# functions

def function(name):
    """A function of weft by its public name behind `torch.`, or None if a program may not call it."""
    space, _, own = name.rpartition(".")
    if own.startswith("_"):
        return None
    found = FUNCTIONS.get(name)
    if found is None and space == "nn.functional":
        found = getattr(weft.nn.functional, own, None)
    if not callable(found) or isinstance(found, type) or own in FILES:
        return _OTHERS.get(name)
    if hasattr(found, "op") or name in SEEN or space in ("nn.functional", "signal.windows"):
        return found
    return _OTHERS.get(name)


def name_of(found):
    """The public name of one of weft's functions that a program may call, or None."""
    if not _NAMES:
        for name in (*FUNCTIONS, *[f"nn.functional.{n}" for n in dir(weft.nn.functional)], *_OTHERS):
            value = function(name)
            if value is not None:
                _NAMES.setdefault(id(value), name)
    return _NAMES.get(id(found))


_NAMES = {}         # id of a function -> its name
_INIT = {f"nn.init.{name}": getattr(weft.nn.init, name) for name in """uniform_ normal_ trunc_normal_ constant_ ones_
    zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ sparse_
    calculate_gain""".split()}
_LEGACY = {f"{name}Tensor": getattr(weft, f"{name}Tensor")
           for name in "Float Double Half Byte Char Short Int Long Bool".split()}
_OTHERS = {
    "is_tensor": FUNCTIONS["is_tensor"], "detach": FUNCTIONS["detach"], "finfo": weft.finfo, "iinfo": weft.iinfo,
    "device": weft.device, "Size": Size, "manual_seed": FUNCTIONS["manual_seed"],
    "is_grad_enabled": weft.is_grad_enabled, "get_default_dtype": weft.get_default_dtype,
    "jit.is_tracing": weft.jit.is_tracing, "jit.is_scripting": lambda: True, "compiler.is_compiling": lambda: False,
    "broadcast_shapes": weft.broadcast_shapes, "autograd.grad": weft.autograd.grad,
    "autograd.backward": weft.autograd.backward, **_INIT, **_LEGACY,
    "sparse.mm": weft.sparse.mm, "sparse.addmm": weft.sparse.addmm, "sparse.sum": weft.sparse.sum,
    **{f"nn.utils.rnn.{name}": getattr(weft.nn.utils.rnn, name) for name in """pad_sequence pack_sequence
       pack_padded_sequence pad_packed_sequence unpad_sequence""".split()}}

CONTEXTS = {"no_grad": weft.no_grad, "enable_grad": weft.enable_grad, "inference_mode": weft.inference_mode,
            "set_grad_enabled": weft.set_grad_enabled, "autocast": weft.autocast,
            "amp.autocast": weft.amp.autocast, "cpu.amp.autocast": weft.cpu.amp.autocast,
            "cuda.amp.autocast": weft.cuda.amp.autocast, "profiler.record_function": weft.profiler.record_function,
            "autograd.profiler.record_function": weft.profiler.record_function}

BUILTINS = {name: getattr(builtins, name) for name in """len range int float bool str complex abs min max sum round
    enumerate zip list tuple dict set sorted reversed any all divmod pow ord chr hex oct bin print repr
    hash slice""".split()}
MATH = {name: value for name, value in vars(math).items() if not name.startswith("_")}
EXCEPTIONS = {name: value for name, value in vars(builtins).items() if isinstance(value, type)
              and issubclass(value, Exception) and not issubclass(value, (Warning, OSError))}


def constant(name):
    """A value of weft by its public name behind `torch.`: a dtype, a layout, inf; or None."""
    if name.startswith("_") or "." in name:
        return None
    found = getattr(weft, name, None)
    return found if isinstance(found, CONSTANTS) else None


CONSTANTS = (weft.dtype, weft.layout, weft.memory_format, float)


# values

NUMBERS = (int, float, bool, complex)
PLAIN = (*NUMBERS, str, type(None))
TENSOR_ATTRIBUTES = frozenset("""H T mH mT data device dtype grad imag is_cpu is_cuda is_leaf is_meta is_mkldnn is_mps
    is_nested is_quantized is_sparse is_xla is_xpu itemsize layout nbytes ndim real requires_grad shape""".split())
# methods that are no ops and give, or change, nothing but tensors and numbers
TENSOR_METHODS = frozenset("""__getitem__ __setitem__ __rsub__ __rtruediv__ __pow__ __rpow__ __floordiv__ __rfloordiv__
    __mod__ __rmod__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __xor__ __lshift__ __rlshift__ __rshift__
    __rrshift__ __invert__ __neg__ __abs__ __matmul__ new_zeros new_ones new_empty new_full new_empty_strided new_tensor
    float double half bfloat16 int long short char byte bool cfloat cdouble type_as cpu copy_ detach detach_ to_sparse
    requires_grad_ where fill_diagonal_ unsqueeze_ squeeze_ t_ transpose_ swapaxes_ swapdims_ polygamma to_dense
    zeros_like ones_like empty_like full_like abs_ absolute_ as_strided_ resize_as_ random_""".split())
TENSOR_READS = frozenset("""item tolist size dim ndimension stride numel nelement element_size is_contiguous
    is_floating_point is_complex is_signed storage_offset is_same_size is_nonzero is_pinned get_device backward
    retain_grad __len__ __contains__ float_power_ is_inference is_conj is_neg""".split())
_NEVER = frozenset("numpy apply_ map_ map2_ set_ resize_ share_memory_ register_hook".split())
METHODS = {
    list: frozenset("append extend insert pop remove clear index count reverse sort copy".split()),
    dict: frozenset("keys values items get pop popitem setdefault update clear copy".split()),
    tuple: frozenset("index count".split()), Size: frozenset("index count numel".split()),
    set: frozenset("add remove discard".split()), range: frozenset(),
    str: frozenset("""upper lower strip lstrip rstrip split rsplit splitlines join replace find rfind index rindex count
        startswith endswith isdigit isalpha isalnum isspace isupper islower istitle isdecimal isnumeric isidentifier
        isprintable capitalize title swapcase casefold center ljust rjust zfill expandtabs partition rpartition
        format""".split()),
    float: frozenset(("is_integer",)), weft.device: frozenset(), weft.dtype: frozenset()}
ATTRIBUTES = {
    weft.dtype: frozenset("is_floating_point is_complex is_signed itemsize".split()),
    weft.device: frozenset(("type", "index")), complex: frozenset(("real", "imag")),
    weft.finfo: frozenset("min max eps tiny bits smallest_normal resolution dtype".split()),
    weft.iinfo: frozenset("min max bits dtype".split())}


def tensor_method(name):
    """A method of tensors that a program may call, or None."""
    found = vars(Tensor).get(name)
    if found is None or name in _NEVER:
        return None
    own = name in TENSOR_METHODS or name in TENSOR_READS
    return found if own or hasattr(found, "op") and not name.startswith("_") else None


def traced_method(name):
    """A method of tensors that a traced program may call: an op, or what gives tensors."""
    found = vars(Tensor).get(name)
    return found if found is not None and (hasattr(found, "op") or name in TENSOR_METHODS) else None


# text

def formatted(text, values, named):
    """`text.format(...)` whose fields are places and names only: one with a dot would reach Python's own objects."""
    made, at = [], iter(range(len(values)))
    for literal, field, spec, conversion in _FORMATTER.parse(text):
        made.append(literal)
        if field is None:
            continue
        if field and not (field.isdigit() or field.isidentifier()) or spec and "{" in spec:
            raise ValueError(f"format: the field {{{field[:40]}}} is neither a number nor a name")
        value = named[field] if field and not field.isdigit() else values[int(field) if field else next(at)]
        made.append(format(_CONVERSIONS[conversion](value), spec))
    return "".join(made)


_FORMATTER = string.Formatter()
_CONVERSIONS = {None: lambda v: v, "s": str, "r": repr, "a": ascii}


# weft's own layers

def layer(name):
    """A class of weft.nn by its name, or None."""
    found = None if name.startswith("_") or not isinstance(name, str) else getattr(weft.nn, name, None)
    is_one = isinstance(found, type) and issubclass(found, Module) and found is not Module
    return found if is_one and home(found).startswith("weft.nn.") else None


def layer_method(module, name):
    """A public method of one of weft's own layers, which isn't one of every module's, or None."""
    for cls in type(module).__mro__:
        if cls is Module:
            break
        found = vars(cls).get(name)
        if found is not None:
            own = home(cls).startswith("weft.nn.") and layer(cls.__name__) is cls
            return getattr(module, name) if own and callable(found) and not name.startswith("_") else None
    return None


# what Python's own recursion and long numbers would do to the process

DEEPEST_KEY, MOST_BITS = 100, 1 << 20


def key(value):
    """A key of a dict or an element of a set. Python hashes tuples inside of tuples by calls of C inside of calls,
    whose stack ends with the process; so a deep one is an error.
    """
    layer = {id(value): value} if isinstance(value, tuple) else {}
    for _ in range(DEEPEST_KEY):
        if not layer:
            return value
        layer = {id(v): v for outer in layer.values() for v in outer if isinstance(v, tuple)}
    raise RecursionError(f"a key has more than {DEEPEST_KEY} tuples inside each other")


def keys_of(pairs):
    """What dict() and dict.update() are given, with each key looked at."""
    if not isinstance(pairs, dict):
        pairs = list(pairs)
        for pair in pairs:
            key(pair[0])
    return pairs


def contains(value, held):
    """`value in held`"""
    return operator.contains(held, key(value) if isinstance(held, (dict, set)) else value)


def power(a, b):
    """a ** b; whole numbers only as long as a computer has time for."""
    if type(a) in (int, bool) and type(b) in (int, bool) and b > 0 and a.bit_length() * b > MOST_BITS:
        raise OverflowError(f"a power of more than {MOST_BITS} bits")
    return operator.pow(a, b)


def power_modulo(a, b, modulo=None):
    """pow(a, b), or pow(a, b, modulo)."""
    return power(a, b) if modulo is None else pow(a, b, modulo)


def left_shift(a, b):
    """a << b, with the same bound."""
    if type(a) in (int, bool) and type(b) in (int, bool) and a.bit_length() + b > MOST_BITS:
        raise OverflowError(f"a shift by {b} bits, more than {MOST_BITS}")
    return operator.lshift(a, b)


def power_in_place(a, b):
    """a **= b"""
    return power(a, b) if type(a) is int else operator.ipow(a, b)


def left_shift_in_place(a, b):
    """a <<= b"""
    return left_shift(a, b) if type(a) is int else operator.ilshift(a, b)


def counted(function):
    """factorial, comb or perm of numbers that a computer has time for."""
    def call(*numbers):
        if any([type(n) is not int or n > MOST_BITS >> 4 for n in numbers]):
            raise OverflowError(f"math.{function.__name__} takes whole numbers up to {MOST_BITS >> 4}")
        return function(*numbers)
    return call


COUNTED = {f.__name__: counted(f) for f in (math.factorial, math.comb, math.perm)}
BINARY = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
          "FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": power, "MatMult": operator.matmul,
          "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor, "LShift": left_shift,
          "RShift": operator.rshift}
INPLACE = {"Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv,
           "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "Pow": power_in_place, "MatMult": operator.imatmul,
           "BitAnd": operator.iand, "BitOr": operator.ior, "BitXor": operator.ixor, "LShift": left_shift_in_place,
           "RShift": operator.irshift}
UNARY = {"USub": operator.neg, "UAdd": operator.pos, "Not": operator.not_, "Invert": operator.invert}


def is_same(a, b):
    """`a is b`; the members of a file's enum are those of the user's of the same name."""
    return a is b or isinstance(a, enum.Enum) and a == b


COMPARED = {"Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
            "GtE": operator.ge, "Is": is_same, "IsNot": lambda a, b: not is_same(a, b),
            "In": contains, "NotIn": lambda a, b: not contains(a, b)}
