"""The few names of PyTorch's compiled core that programs reach for."""
import enum

from weft._absent import absent_classes as _classes
from weft.core.modes import no_function, no_override
from weft.core.namespace import parts as _parts
from weft.kernels.linalg import LinAlgError as _LinAlgError
from weft.ops.random.generators import Generator
from weft.tensor.subclass import disabled
from weft.tensor.tensor import Tensor as TensorBase

__path__ = []       # its modules stand in the folder beside this file
DisableTorchFunctionSubclass, DisableTorchFunction = no_override, no_function
_TensorBase = TensorBase
_TensorMeta = type(TensorBase)
_disabled_torch_function_impl = classmethod(disabled)
__all__ = ["_LinAlgError", "DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "TensorBase",
           "_TensorBase", "_disabled_torch_function_impl"]
__getattr__, __dir__ = _parts(globals(), "_functorch _nn")
_classes("Graph Value Node ScriptFunction ScriptMethod ScriptDict ScriptList ScriptModule PyTorchFileReader "
         "PyTorchFileWriter", globals())


class _VariableFunctions:
    """The functions of `torch` by their names, as pickles find them: getattr(_VariableFunctionsClass, "tanh").
    """

    def __getattr__(self, name):
        import weft  # this module is part of it
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(weft, name)


_VariableFunctionsClass = _VariableFunctions = _VariableFunctions()
has_mkldnn = has_mkl = has_openmp = has_cuda = False
has_lapack = has_spectral = True        # linalg and fft are there
_GLIBCXX_USE_CXX11_ABI = True


def _are_functorch_transforms_active():
    """False: torch.func's transforms call the function with plain tensors."""
    return False


class DispatchKey(enum.Enum):
    """Where PyTorch looks for an op's kernel; weft has one place."""
    Undefined = 0
    CPU = 1
    CUDA = 2
    Meta = 3
    Autograd = 4
    AutogradCPU = 5
    AutogradCUDA = 6
    CompositeExplicitAutograd = 7
    CompositeImplicitAutograd = 8


    AutocastCPU = 9
    AutocastCUDA = 10
    AutocastXPU = 11
    Python = 12


class DispatchKeySet:
    """Some of them."""

    def __init__(self, key):
        self.keys = frozenset(key) if isinstance(key, (set, frozenset)) else frozenset([key])

    def __or__(self, other):
        return DispatchKeySet(self.keys | other.keys)

    def has(self, key):
        return key in self.keys


def _log_api_usage_once(event):
    """Nothing is logged."""


def _get_tracing_state():
    """None: nothing is traced."""
    return None


def _is_multithreading_enabled():
    """What `torch.autograd.set_multithreading_enabled` chose."""
    from weft.autograd.grad_mode import is_multithreading_enabled  # only for this question
    return is_multithreading_enabled()


def _len_torch_function_stack():
    """How many TorchFunctionModes are active in this thread."""
    from weft.overrides import _len_torch_function_stack  # only for this question
    return _len_torch_function_stack()


def _get_cpu_capability():
    """The instructions that the kernels use, by PyTorch's names: "DEFAULT", "AVX2", "AVX512"."""
    from weft.kernels import fast  # only for this question
    return {"v3": "AVX2", "v4": "AVX512"}.get(fast.name, "DEFAULT")


def _get_privateuse1_backend_name():
    return "privateuseone"


def _cuda_isInBadFork():
    return False


def _get_accelerator(check=None):
    """The device that computes."""
    from weft.core.device import device  # only for this question
    return device("cpu")


# switches of TorchScript's optimizer, which isn't there: nothing depends on them

def _switch(*args):
    """False: it is off, whatever is asked for."""
    return False


_jit_set_profiling_executor = _jit_set_profiling_mode = _jit_set_texpr_fuser_enabled = _switch
_jit_override_can_fuse_on_cpu = _jit_override_can_fuse_on_gpu = _jit_can_fuse_on_cpu = _jit_can_fuse_on_gpu = _switch
_jit_set_nvfuser_enabled = _jit_set_nvfuser_guard_mode = _switch
