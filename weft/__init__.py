"""weft: a dynamic-graph deep-learning framework with PyTorch's API."""
# first of all, since it decides between the compiled and the plain core
from weft._pure import made_to_stay as _made_to_stay  # noqa: I001
import importlib as _importlib
with _made_to_stay():
    import weft.ops  # noqa: F401
from weft import autograd as autograd
from weft._version import __version__ as __version__
from weft.core.device import (device as device, get_default_device as get_default_device,
                              set_default_device as set_default_device)
from weft.core.dtype import BY_NAME as _BY_NAME
from weft.core.dtype import (dtype as dtype, finfo as finfo, get_default_dtype as get_default_dtype, iinfo as iinfo,
                             promote_types as promote_types, set_default_dtype as set_default_dtype)
from weft.core.modes import (enable_grad as enable_grad, inference_mode as inference_mode,
                             is_grad_enabled as is_grad_enabled,
                             is_inference_mode_enabled as is_inference_mode_enabled, no_grad as no_grad,
                             set_grad_enabled as set_grad_enabled)
from weft.core.namespace import fill as _fill, later as _later, later_names as _later_names, parts as _parts
from weft.core.tracebacks import install as _install_tracebacks
from weft.core.size import Size as Size, broadcast_shapes as broadcast_shapes
from weft.tensor.names import FUNCTIONS as _FUNCTIONS
from weft.tensor.tensor import OPS as _OPS, Tensor as Tensor

_install_tracebacks()
globals().update(_BY_NAME)      # float32, long, ...
_fill(globals(), _FUNCTIONS, "")
_OPS.summary = _later("weft.profiler.summary", "summary")
# functions of parts that are imported when first used
_TOOLS = {"graph": "weft.viz.build", "check_numerics": "weft.autograd.numerics",
          "set_anomaly_enabled": "weft.autograd.anomaly", "is_anomaly_enabled": "weft.autograd.anomaly",
          "is_anomaly_check_nan_enabled": "weft.autograd.anomaly", "save": "weft.io.api", "load": "weft.io.api",
          **dict.fromkeys(("autocast", "autocast_decrement_nesting", "autocast_increment_nesting",
                           "clear_autocast_cache", "get_autocast_cpu_dtype", "get_autocast_dtype",
                           "get_autocast_gpu_dtype", "is_autocast_cache_enabled", "is_autocast_cpu_enabled",
                           "is_autocast_enabled", "set_autocast_cache_enabled", "set_autocast_cpu_dtype",
                           "set_autocast_cpu_enabled", "set_autocast_dtype", "set_autocast_enabled",
                           "set_autocast_gpu_dtype"), "weft.amp.autocast_mode"),
          "autobatch": "weft.batching.region", "compile": "weft.compiler", "vmap": "weft.func",
          **dict.fromkeys(("sparse_coo_tensor", "sparse_compressed_tensor", "sparse_csr_tensor", "sparse_csc_tensor",
                           "sparse_bsr_tensor", "sparse_bsc_tensor"), "weft.ops.sparse.create"),
          **dict.fromkeys(("_assert", "_check", "_check_index", "_check_is_size", "_check_not_implemented",
                           "_check_type", "_check_value"), "weft._checks")}
# imported when first used, so that `import weft` stays quick
_LAZY = ("fft linalg masked nn random signal special testing utils memory optim func io vision profiler viz inspect "
         "distributions amp distributed jit cuda backends overrides accelerator version types storage cpu "
         "serialization _C __future__ torch_version _torch compiler _dynamo hub library futures __config__ fx onnx "
         "export multiprocessing xpu mtia mps return_types _utils _names _absent _custom_ops _tensor ao quasirandom "
         "functional sparse nested package quantization _inductor _logging _functorch _ops _masked_tensor "
         "text _VF _older _lowrank _lobpcg _places _reexports functorch _pickles _subclasses _switches _tensor_str")
# names that only PyTorch's programs ask for: not listed by dir()
_RARE = {"ScriptModule": "weft.jit._script", "GradScaler": "weft.amp", "_scaled_mm": "weft.ops.linalg.scaled",
         "Future": "weft.futures",
         **dict.fromkeys("kl_div poisson_nll_loss binary_cross_entropy_with_logits rrelu_ conv_tbc segment_reduce "
                         "_softmax _log_softmax _weight_norm _unique2 _int_mm while_loop _cast_Byte _cast_Char "
                         "_cast_Short _cast_Int _cast_Long _cast_Half _cast_Float _cast_Double".split(), "weft._older"),
         **dict.fromkeys(("PyTorchFileReader", "PyTorchFileWriter"), "weft._C"),
         **dict.fromkeys(("SymInt SymFloat SymBool Stream Event OutOfMemoryError AcceleratorError sym_int sym_float "
                          "sym_max sym_min sym_not sym_ite sym_sum sym_sqrt cond torch get_device_module _assert_async "
                          "_disable_dynamo "
                          "legacy_contiguous_format _running_with_deploy compiled_with_cxx11_abi _shape_as_tensor "
                          "AggregationType AnyType AwaitType BoolType ClassType ComplexType ConcreteModuleType "
                          "DeviceObjType DictType EnumType FloatType FutureType InferredType IntType InterfaceType "
                          "qint8 quint8 qint32 quint4x2 quint2x4 per_tensor_affine per_channel_affine "
                          "per_tensor_symmetric per_channel_symmetric per_channel_affine_float_qparams dequantize "
                          "fake_quantize_per_channel_affine fake_quantize_per_tensor_affine quantize_per_channel "
                          "quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru_cell "
                          "quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d "
                          "ListType NoneType NumberType OptionalType PyObjectType RRefType StreamObjType StringType "
                          "SymBoolType SymIntType TensorType TupleType Type UnionType").split(),
                         "weft._names")}
_part, __dir__ = _parts(globals(), _LAZY, _TOOLS)
_rare_or_part = _later_names(globals(), _part, _RARE)
# functions on lists of tensors, and draws that have no public name, by what their names start with
_LISTS = {"_foreach_": "weft.ops.lists.foreach", "_amp_foreach_": "weft.ops.lists.foreach",
          "_fused_": "weft.optim.fused",
          **dict.fromkeys(("_standard_", "_sample_", "_dirichlet_"), "weft.ops.random.gamma")}


def __getattr__(name):
    for start, family in _LISTS.items() if name.startswith("_") else ():
        if name.startswith(start):
            globals().update(_importlib.import_module(family).PUBLIC)
            if name in globals():
                return globals()[name]
    return _rare_or_part(name)
