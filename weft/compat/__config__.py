"""torch.__config__: how weft was built."""
from weft._version import __version__
from weft.core.settings import settings
from weft.kernels import fast


def show():
    """A text about the build."""
    return f"weft {__version__}, as PyTorch built without CUDA\n  - kernels: {fast.name}\n"


def parallel_info():
    """A text about the threads."""
    return f"ATen/Parallel:\n\tat::get_num_threads() : {settings.threads}\n"
