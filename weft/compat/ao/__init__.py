"""torch.ao: weft has no quantized kernels; packages import its names to compare with."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "quantization")
