"""Names that an exporter's options have."""
import enum


class TrainingMode(enum.IntEnum):
    """In which mode a model is exported."""
    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.IntEnum):
    """How operators are exported."""
    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TensorProtoDataType(enum.IntEnum):
    """ONNX's numbers for element types."""
    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16


def is_in_onnx_export():
    """Whether an export is running: never."""
    return False


def is_onnxrt_backend_supported():
    return False


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """What an exporter would write for an op; `export` says that there is none."""


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """Forget it."""
