"""torch.quantization: PyTorch's old place for torch.ao.quantization."""
from weft.ao.quantization import *  # noqa: F403
from weft.ao.quantization import DeQuantStub as DeQuantStub
from weft.ao.quantization import QuantStub as QuantStub
