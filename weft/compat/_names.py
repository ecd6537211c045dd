"""Names at the top of torch that only PyTorch's programs need."""
import builtins
import math

from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft._checks import _check
from weft._utils import _get_device_module
from weft.core.device import device as _device
from weft.core.dtype import int64 as _int64
from weft.core.layout import contiguous_format as legacy_contiguous_format  # noqa: F401  (an older name)

_classes("SymInt SymFloat SymBool", globals(), "sizes are plain numbers here")
_classes("""AggregationType AnyType AwaitType BoolType ClassType ComplexType ConcreteModuleType DeviceObjType DictType
    EnumType FloatType FutureType InferredType IntType InterfaceType ListType NoneType NumberType OptionalType
    PyObjectType RRefType StreamObjType StringType SymBoolType SymIntType TensorType TupleType Type UnionType""",
         globals(), "TorchScript's types have no use where Python runs the program")
_classes("Stream Event", globals(), "weft runs on the CPU, where work is done when a call returns")


_WITHOUT_QUANTIZED = ("weft computes in floating types only; model.bfloat16() or .half() halves a model's memory, "
                      "other tools can quantize a file that is exported")
_functions("""dequantize fake_quantize_per_channel_affine fake_quantize_per_tensor_affine quantize_per_channel
    quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru_cell quantized_lstm_cell
    quantized_max_pool1d quantized_max_pool2d""", globals(), _WITHOUT_QUANTIZED, place="torch")


class _Quantized:
    """A type, or a way, of quantized tensors: to compare with; no tensor has it."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


qint8, quint8, qint32, quint4x2, quint2x4 = map(_Quantized, "qint8 quint8 qint32 quint4x2 quint2x4".split())
per_tensor_affine, per_channel_affine, per_tensor_symmetric, per_channel_symmetric, per_channel_affine_float_qparams = \
    map(_Quantized, "per_tensor_affine per_channel_affine per_tensor_symmetric per_channel_symmetric "
        "per_channel_affine_float_qparams".split())


class OutOfMemoryError(RuntimeError):
    """A GPU's memory is full: never raised here, to be named in `except`."""


class AcceleratorError(RuntimeError):
    """A device failed: never raised here."""


def get_device_module(device=None):
    """torch.cpu, or the module of the device's type."""
    return _get_device_module("cpu" if device is None else _device(device).type)


def _disable_dynamo(fn=None, recursive=True):
    """The function as it is: nothing compiles it."""
    return fn if fn is not None else lambda fn: fn


def _assert_async(condition, message=""):
    """RuntimeError unless a tensor of one element is true."""
    _check(bool(condition), (lambda: message) if message else None)


# sizes, which PyTorch may not know while it traces, and which are plain numbers here

def sym_int(a):
    """The whole number towards 0."""
    return math.trunc(a)


def sym_float(a):
    return builtins.float(a)


def sym_max(a, b):
    """The greater one; a float if either is."""
    return builtins.float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a, b):
    """The smaller one; a float if either is."""
    return builtins.float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_not(a):
    return not a


def sym_ite(b, t, f):
    """`t` if b, else `f`."""
    return t if b else f


def sym_sum(args):
    return sum(args)


def _shape_as_tensor(self):
    """The sizes as a tensor of integers."""
    return self.new_tensor(list(self.shape), dtype=_int64, requires_grad=False)


# older questions

def _running_with_deploy():
    return False


def compiled_with_cxx11_abi():
    return True


def __getattr__(name):
    if name == "torch":         # torch.torch, which some programs write
        import weft  # this module is part of it
        return weft
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def sym_sqrt(a):
    """The square root of a number."""
    return a ** 0.5


def cond(pred, true_fn, false_fn, operands=()):
    """true_fn(*operands) where pred is true, else false_fn(*operands); only the chosen one runs."""
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    return true_fn(*operands) if pred else false_fn(*operands)
