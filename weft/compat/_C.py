"""The few names of PyTorch's compiled core that programs reach for."""
from weft.core.modes import no_override
from weft.kernels.linalg import LinAlgError as _LinAlgError
from weft.tensor.subclass import disabled
from weft.tensor.tensor import Tensor as TensorBase

DisableTorchFunctionSubclass = DisableTorchFunction = no_override
_TensorBase = TensorBase
_disabled_torch_function_impl = classmethod(disabled)
__all__ = ["_LinAlgError", "DisableTorchFunction", "DisableTorchFunctionSubclass", "TensorBase", "_TensorBase",
           "_disabled_torch_function_impl"]
