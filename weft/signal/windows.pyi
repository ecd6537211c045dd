"""torch.signal.windows's functions, from the op registry."""
# made by tools/stubs.py
from collections.abc import Sequence
from weft._typing import DType, Device, Layout
from weft.tensor.tensor import Tensor

def bartlett(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """A triangle that starts at zero.

    >>> import weft
    >>> weft.signal.windows.bartlett(4).shape
    torch.Size([4])
    """
def blackman(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """Three cosines.

    >>> import weft
    >>> weft.signal.windows.blackman(4).shape
    torch.Size([4])
    """
def cosine(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The first half period of a sine.

    >>> import weft
    >>> weft.signal.windows.cosine(4).shape
    torch.Size([4])
    """
def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """Decay on both sides of the center.

    >>> import weft
    >>> weft.signal.windows.exponential(4).shape
    torch.Size([4])
    """
def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The normal density, one at the center.

    >>> import weft
    >>> weft.signal.windows.gaussian(4, std=1.0).shape
    torch.Size([4])
    """
def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """A sum of cosines with the weights `a`.

    >>> import weft
    >>> weft.signal.windows.general_cosine(4, a=[0.5, 0.5]).shape
    torch.Size([4])
    """
def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """alpha - (1 - alpha) cos t.

    >>> import weft
    >>> weft.signal.windows.general_hamming(4).shape
    torch.Size([4])
    """
def hamming(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The raised cosine of Hamming.

    >>> import weft
    >>> weft.signal.windows.hamming(4).shape
    torch.Size([4])
    """
def hann(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The raised cosine of von Hann.

    >>> import weft
    >>> weft.signal.windows.hann(4).shape
    torch.Size([4])
    """
def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The window of Kaiser, of Bessel functions.

    >>> import weft
    >>> weft.signal.windows.kaiser(4).shape
    torch.Size([4])
    """
def nuttall(M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """Four cosines, after Nuttall.

    >>> import weft
    >>> weft.signal.windows.nuttall(4).shape
    torch.Size([4])
    """
