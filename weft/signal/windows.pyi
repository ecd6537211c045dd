"""torch.signal.windows's functions, from the op registry."""
# made by tools/stubs.py
from collections.abc import Sequence
from weft._typing import DType, Device, Layout
from weft.tensor.tensor import Tensor

def bartlett(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """A triangle that starts at zero."""
def blackman(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """Three cosines."""
def cosine(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The first half period of a sine."""
def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """Decay on both sides of the center."""
def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The normal density, one at the center."""
def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """A sum of cosines with the weights `a`."""
def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """alpha - (1 - alpha) cos t."""
def hamming(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The raised cosine of Hamming."""
def hann(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The raised cosine of von Hann."""
def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The window of Kaiser, of Bessel functions."""
def nuttall(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """Four cosines, after Nuttall."""
