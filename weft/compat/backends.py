"""PyTorch's backend switches, as far as they concern a CPU."""
from weft.core.namespace import parts as _parts

__path__ = []       # its modules stand in the folder beside this file
fp32_precision = "none"
__getattr__, __dir__ = _parts(globals(), "cpu cuda cudnn mha mkl mkldnn mps nnpack openmp opt_einsum quantized xnnpack")


def disable_global_flags():
    """The flags stay what they are: they change nothing here."""


def flags_frozen():
    """Whether they may not be set any more: never."""
    return False
