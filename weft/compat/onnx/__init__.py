"""torch.onnx: weft exports nothing yet; packages import its names."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.onnx import errors as errors
from weft.onnx.errors import OnnxExporterError as OnnxExporterError
from weft.onnx.kinds import OperatorExportTypes as OperatorExportTypes
from weft.onnx.kinds import TensorProtoDataType as TensorProtoDataType
from weft.onnx.kinds import TrainingMode as TrainingMode
from weft.onnx.kinds import is_in_onnx_export as is_in_onnx_export
from weft.onnx.kinds import is_onnxrt_backend_supported as is_onnxrt_backend_supported
from weft.onnx.kinds import register_custom_op_symbolic as register_custom_op_symbolic
from weft.onnx.kinds import unregister_custom_op_symbolic as unregister_custom_op_symbolic

_FIX = "save the weights (torch.save, safetensors) and export them with PyTorch"
_classes("ExportOptions ONNXProgram", globals(), _FIX)
_functions("dynamo_export export", globals(), _FIX)
