"""torch.fft's functions, from the op registry."""
# made by tools/stubs.py
from collections.abc import Sequence
from weft._typing import DType, Device, Dim, Layout
from weft.tensor.tensor import Tensor

def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The discrete Fourier transform along `dim`.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.fft(x).shape
    torch.Size([4, 3])
    """
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse discrete Fourier transform along `dim`.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ifft(x).shape
    torch.Size([4, 3])
    """
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of real input, without its redundant half.

    Shape: (4, 3) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.rfft(x).shape
    torch.Size([4, 2])
    """
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of rfft: real output of `n` points.

    Shape: (4, 3) -> (4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.irfft(x).shape
    torch.Size([4, 4])
    """
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of a Hermitian signal given by its half: real output of `n` points.

    Shape: (4, 3) -> (4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.hfft(x).shape
    torch.Size([4, 4])
    """
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of hfft: real input, half-complex output.

    Shape: (4, 3) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ihfft(x).shape
    torch.Size([4, 2])
    """
def fftn(input: Tensor, s: Sequence[int] | None = None, dim: Dim = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform over several dimensions, all by default.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.fftn(x).shape
    torch.Size([4, 3])
    """
def ifftn(input: Tensor, s: Sequence[int] | None = None, dim: Dim = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse transform over several dimensions.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ifftn(x).shape
    torch.Size([4, 3])
    """
def rfftn(input: Tensor, s: Sequence[int] | None = None, dim: Dim = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of real input over several dimensions, the last one halved.

    Shape: (4, 3) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.rfftn(x).shape
    torch.Size([4, 2])
    """
def irfftn(input: Tensor, s: Sequence[int] | None = None, dim: Dim = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of rfftn.

    Shape: (4, 3) -> (4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.irfftn(x).shape
    torch.Size([4, 4])
    """
def hfftn(input: Tensor, s: Sequence[int] | None = None, dim: Dim = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of a Hermitian signal over several dimensions.

    Shape: (4, 3) -> (4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.hfftn(x).shape
    torch.Size([4, 4])
    """
def ihfftn(input: Tensor, s: Sequence[int] | None = None, dim: Dim = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of hfftn.

    Shape: (4, 3) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ihfftn(x).shape
    torch.Size([4, 2])
    """
def fft2(input: Tensor, s: Sequence[int] | None = None, dim: Dim = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform over two dimensions, the last by default.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.fft2(x).shape
    torch.Size([4, 3])
    """
def ifft2(input: Tensor, s: Sequence[int] | None = None, dim: Dim = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse transform over two dimensions.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ifft2(x).shape
    torch.Size([4, 3])
    """
def rfft2(input: Tensor, s: Sequence[int] | None = None, dim: Dim = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of real input over two dimensions.

    Shape: (4, 3) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.rfft2(x).shape
    torch.Size([4, 2])
    """
def irfft2(input: Tensor, s: Sequence[int] | None = None, dim: Dim = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of rfft2.

    Shape: (4, 3) -> (4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.irfft2(x).shape
    torch.Size([4, 4])
    """
def hfft2(input: Tensor, s: Sequence[int] | None = None, dim: Dim = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform of a Hermitian signal over two dimensions.

    Shape: (4, 3) -> (4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.hfft2(x).shape
    torch.Size([4, 4])
    """
def ihfft2(input: Tensor, s: Sequence[int] | None = None, dim: Dim = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of hfft2.

    Shape: (4, 3) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ihfft2(x).shape
    torch.Size([4, 2])
    """
def fftshift(input: Tensor, dim: Dim = None, *, out: Tensor | None = None) -> Tensor:
    """Move the zero frequency to the middle.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.fftshift(x).shape
    torch.Size([4, 3])
    """
def ifftshift(input: Tensor, dim: Dim = None, *, out: Tensor | None = None) -> Tensor:
    """Undo fftshift.

    Shape: (4, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.fft.ifftshift(x).shape
    torch.Size([4, 3])
    """
def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The frequencies of a transform of `n` points that are `d` apart.

    >>> import weft
    >>> weft.fft.fftfreq(4, d=0.5)
    tensor([ 0.0000,  0.5000, -1.0000, -0.5000])
    """
def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False) -> Tensor:
    """The frequencies of rfft.

    >>> import weft
    >>> weft.fft.rfftfreq(4, d=0.5)
    tensor([0.0000, 0.5000, 1.0000])
    """
