"""PyTorch's backend switches, as far as they concern a CPU."""
from weft.core.namespace import parts as _parts

__path__ = []       # its modules stand in the folder beside this file
fp32_precision = "none"
__getattr__, __dir__ = _parts(globals(), "cpu cuda cudnn mha mkl mkldnn mps nnpack openmp opt_einsum quantized xnnpack")
