"""torch.utils.cpp_extension: extensions are compiled against PyTorch's own library, which isn't there."""
from weft._absent import absent_classes, absent_functions

CUDA_HOME = ROCM_HOME = None
_FIX = "write the function in Python: torch.autograd.Function, or torch.library.custom_op"
absent_classes("BuildExtension", globals(), _FIX)
absent_functions("CppExtension CUDAExtension include_paths load load_inline", globals(), _FIX)


def is_ninja_available():
    return False
