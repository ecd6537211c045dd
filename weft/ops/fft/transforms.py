"""Fourier transforms. Three ops do the work (complex to complex, real to half-complex, half-complex to real); the rest
names them.
"""
import math
import operator

import numpy as np

from weft.core.size import wrap_dim
from weft.ops.core.failure import sizes_of
from weft.ops.core.registry import op
from weft.ops.core.samples import complexes, size
from weft.ops.create.constants import DEFAULT, finish, into, np_of, public
from weft.ops.create.data import from_outside
from weft.ops.index.arrays import contiguous
from weft.tensor.tensor import Tensor, wrap

REAL = "float16 bfloat16 float32 float64"       # the types of an out= whose values have no imaginary part


# the transforms themselves: `scale` times the plain sum, over the dimensions `dim`; forward is e**(-i...)

def _complex_of(np_dtype):
    return np.dtype(np.complex64 if np_dtype.itemsize <= 4 or np_dtype == np.complex64 else np.complex128)


def _scaled(made, scale):
    if scale != 1:
        parts = made.view(made.real.dtype) if made.flags.c_contiguous else made     # inf * (scale + 0j) has a NaN
        parts *= made.real.dtype.type(scale)
    return made


@op
class _fft_c2c:
    """The complex transform over `dim`; real input is taken as it is."""
    method, node_name = False, "FftC2CBackward0"

    def forward(x, dim, scale, forward):
        if not dim or x.size == 0:
            return contiguous(x.astype(_complex_of(x.dtype)) * x.real.dtype.type(scale))
        made = np.fft.fftn(x, axes=dim) if forward else np.fft.ifftn(x, axes=dim, norm="forward")
        return contiguous(_scaled(made, scale))

    def shape(x, dim, scale, forward):
        return x.shape, _complex_of(x.dtype)

    def grad_x(g, dim, scale, forward):
        return _fft_c2c(g, dim, scale, not forward)
    samples = [((4, 3), (0, 1), 1.0, True)]


@op
class _fft_r2c:
    """The transform of real input, of which the last of `dim` keeps the half that isn't redundant."""
    method, node_name = False, "FftR2CBackward0"

    def forward(x, dim, scale, forward):
        if x.size == 0:
            return np.zeros(_half_shape(x.shape, dim[-1]), _complex_of(x.dtype))
        made = contiguous(_scaled(np.fft.rfftn(x, axes=dim), scale))
        return made if forward else np.conj(made, out=made)

    def shape(x, dim, scale, forward):
        return _half_shape(x.shape, dim[-1]), _complex_of(x.dtype)

    def grad_x(g, x_shape, dim, scale, forward):
        whole = _fft_resize(g, dim[-1:], x_shape[dim[-1]:dim[-1] + 1])
        return _fft_c2c(whole, dim, scale, not forward).real
    samples = [((4, 3), (0, 1), 1.0, True)]


def _half_shape(shape, dim):
    return (*shape[:dim], shape[dim] // 2 + 1, *shape[dim + 1:])


@op
class _fft_c2r:
    """Real output of length `n` in the last of `dim`, from the half-complex form."""
    method, node_name = False, "FftC2RBackward0"

    def forward(x, dim, scale, n, forward):
        last = dim[-1]
        if x.size == 0:
            return np.zeros((*x.shape[:last], n, *x.shape[last + 1:]), x.real.dtype)
        if forward:
            x = np.conj(x)
        for axis in dim[:-1]:
            x = np.fft.ifft(x, axis=axis, norm="forward")
        return contiguous(_scaled(np.fft.irfft(x, n, axis=last, norm="forward"), scale))

    def shape(x, dim, scale, n, forward):
        return (*x.shape[:dim[-1]], n, *x.shape[dim[-1] + 1:]), np.float32 if x.itemsize == 8 else np.float64

    def grad_x(g, dim, scale, n, forward):
        made = _fft_r2c(g, dim, scale, not forward)
        # all but the first and, for even n, the middle one stand for two conjugate terms
        weight = np.ones(n // 2 + 1, g.dtype.to_real().np)
        weight[1:(n + 1) // 2] = 2
        return made * wrap(weight.reshape((-1,) + (1,) * (g._form.ndim - dim[-1] - 1)))
    samples = [(complexes(4, 3), size(0, 1), 1.0, 4, False), (complexes(3, 2), size(0), 0.5, 5, True)]


@op
class _fft_resize:
    """Cut off or fill up with zeros at the end of each of `dim`."""
    method = False

    def forward(x, dim, sizes):
        shape = list(x.shape)
        keep = [slice(None)] * x.ndim
        for d, n in zip(dim, sizes):
            keep[d], shape[d] = slice(0, min(n, shape[d])), n
        if all(n <= x.shape[d] for d, n in zip(dim, sizes)):
            return x[tuple(keep)].copy()
        made = np.zeros(shape, x.dtype)
        made[tuple(keep)] = x[tuple(keep)]
        return made

    def shape(x, dim, sizes):
        shape = list(x.shape)
        for d, n in zip(dim, sizes):
            shape[d] = n
        return shape, x.dtype

    def grad_x(g, x_shape, dim):
        return _fft_resize(g, dim, tuple([x_shape[d] for d in dim]))
    samples = [((4, 3), (0, 1), (2, 5))]


# arguments

def _take(x, who, want=None):
    """The input as a floating or complex tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"fft_{who}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    d = x.dtype
    if d.is_half:
        raise RuntimeError(f"fft.{who}: Unsupported dtype {d}\n  fix: convert it with .float()")
    if d.is_complex and want == "real":
        raise RuntimeError(f"{who} expects a real input tensor, but got {d}")
    if d.category < 2:
        x = x.to(DEFAULT.dtype)
    if want == "complex" and not d.is_complex:
        x = x.to(x.dtype.to_complex())
    return x


def _scale(norm, n, forward, who):
    """The factor that a normalization mode gives a transform of n points."""
    if norm is None or norm == "backward":
        return 1.0 if forward else 1.0 / n if n else 1.0
    if norm == "ortho":
        return 1.0 / math.sqrt(n) if n else 1.0
    if norm == "forward":
        return (1.0 / n if n else 1.0) if forward else 1.0
    raise RuntimeError(f"fft.{who}: Invalid normalization mode: \"{norm}\"\n  fix: use 'backward', 'ortho' or "
                       f"'forward'")


def _one(x, n, dim, who):
    """The wrapped dimension and the number of points of a one-dim transform."""
    if isinstance(n, Tensor):
        n = n.item()
    if x._form.ndim == 0:
        wrap_dim(dim, 0)
        raise IndexError(f"fft.{who}: Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, x._form.ndim)
    return dim, n


def _sized(x, dim, sizes):
    """The input cut or filled to `sizes` along `dim`."""
    if all(x._form.shape[d] == n for d, n in zip(dim, sizes)):
        return x
    return _fft_resize(x, tuple(dim), tuple(sizes))


def _points(n, who):
    if n < 1:
        raise RuntimeError(f"fft.{who}: Invalid number of data points ({n}) specified")
    return operator.index(n)


def _many(x, s, dim, who):
    """The dimensions and the numbers of points of a transform of several dimensions."""
    ndim = x._form.ndim
    if dim is not None:
        dim = [dim] if isinstance(dim, int) else dim
        if not ndim and len(dim):
            raise IndexError(f"fft.{who}: Dimension specified as {dim[0]} but tensor has no dimensions")
        dim = [wrap_dim(d, ndim) for d in dim]
        if len(set(dim)) != len(dim):
            raise RuntimeError(f"fft.{who}: FFT dims must be unique, got {dim}")
    if s is not None:
        s = [s] if isinstance(s, int) else list(s)
        if dim is None:
            if len(s) > ndim:
                raise RuntimeError(f"fft.{who}: Got shape with {len(s)} values but input tensor only has {ndim} "
                                   f"dimensions.")
            dim = list(range(ndim - len(s), ndim))
        elif len(s) != len(dim):
            raise RuntimeError(f"fft.{who}: When given, dim and shape arguments must have the same length, got "
                               f"{len(dim)} and {len(s)}")
    elif dim is None:
        dim = list(range(ndim))
    sizes = [x._form.shape[d] if s is None or s[i] == -1 else s[i] for i, d in enumerate(dim)]
    return tuple(dim), sizes


# one dimension

def _c2c1(x, n, dim, norm, who, forward):
    x = _take(x, who)
    dim, n = _one(x, n, dim, who)
    n = _points(x._form.shape[dim] if n is None else n, who)
    return _fft_c2c(_sized(x, (dim,), (n,)), (dim,), _scale(norm, n, forward, who), forward)


def _r2c1(x, n, dim, norm, who, forward):
    x = _take(x, who, "real")
    dim, n = _one(x, n, dim, who)
    n = _points(x._form.shape[dim] if n is None else n, who)
    return _fft_r2c(_sized(x, (dim,), (n,)), (dim,), _scale(norm, n, forward, who), forward)


def _c2r1(x, n, dim, norm, who, forward):
    x = _take(x, who, "complex")
    dim, n = _one(x, n, dim, who)
    n = _points(2 * (x._form.shape[dim] - 1) if n is None else n, who)
    return _fft_c2r(_sized(x, (dim,), (n // 2 + 1,)), (dim,), _scale(norm, n, forward, who), n, forward)


@op
class fft:
    """The discrete Fourier transform along `dim`."""
    autocast = "float32"
    names = "fft.fft"
    out_types = "castable"

    def compose(input, n=None, dim=-1, norm=None):
        return _c2c1(input, n, dim, norm, "fft", True)
    samples = [((4, 3),), ((4, 3), 5, 0, "ortho")]


@op
class ifft:
    """The inverse discrete Fourier transform along `dim`."""
    autocast = "float32"
    names = "fft.ifft"
    out_types = "castable"

    def compose(input, n=None, dim=-1, norm=None):
        return _c2c1(input, n, dim, norm, "ifft", False)
    samples = [((4, 3),), ((4, 3), 5, 0, "ortho")]


@op
class rfft:
    """The transform of real input, without its redundant half."""
    autocast = "float32"
    names = "fft.rfft"
    out_types = "castable"

    def compose(input, n=None, dim=-1, norm=None):
        return _r2c1(input, n, dim, norm, "rfft", True)
    samples = [((4, 3),), ((4, 3), 5, 0, "ortho")]


@op
class irfft:
    """The inverse of rfft: real output of `n` points."""
    autocast = "float32"
    names = "fft.irfft"
    out_types = REAL

    def compose(input, n=None, dim=-1, norm=None):
        return _c2r1(input, n, dim, norm, "irfft", False)
    samples = [((4, 3),), ((4, 3), 5, 0, "ortho")]


@op
class hfft:
    """The transform of a Hermitian signal given by its half: real output of `n` points."""
    autocast = "float32"
    names = "fft.hfft"
    out_types = REAL

    def compose(input, n=None, dim=-1, norm=None):
        return _c2r1(input, n, dim, norm, "hfft", True)
    samples = [((4, 3),), ((4, 3), 5, 0, "ortho")]


@op
class ihfft:
    """The inverse of hfft: real input, half-complex output."""
    autocast = "float32"
    names = "fft.ihfft"
    out_types = "castable"

    def compose(input, n=None, dim=-1, norm=None):
        return _r2c1(input, n, dim, norm, "ihfft", False)
    samples = [((4, 3),), ((4, 3), 5, 0, "ortho")]


# several dimensions

def _c2cn(x, s, dim, norm, who, forward):
    x = _take(x, who)
    dim, sizes = _many(x, s, dim, who)
    for n in sizes:
        _points(n, who)
    return _fft_c2c(_sized(x, dim, sizes), dim, _scale(norm, math.prod(sizes), forward, who), forward)


def _r2cn(x, s, dim, norm, who, forward):
    x = _take(x, who, "real")
    dim, sizes = _many(x, s, dim, who)
    if not dim:
        raise RuntimeError(f"{who} must transform at least one axis")
    for n in sizes:
        _points(n, who)
    return _fft_r2c(_sized(x, dim, sizes), dim, _scale(norm, math.prod(sizes), forward, who), forward)


def _c2rn(x, s, dim, norm, who, forward):
    x = _take(x, who, "complex")
    dim, sizes = _many(x, s, dim, who)
    if not dim:
        raise RuntimeError(f"{who} must transform at least one axis")
    if s is None or (s if isinstance(s, int) else s[-1]) == -1:
        sizes[-1] = 2 * (x._form.shape[dim[-1]] - 1)
    for n in sizes:
        _points(n, who)
    taken = _sized(x, dim, (*sizes[:-1], sizes[-1] // 2 + 1))
    return _fft_c2r(taken, dim, _scale(norm, math.prod(sizes), forward, who), sizes[-1], forward)


@op
class fftn:
    """The transform over several dimensions, all by default."""
    autocast = "float32"
    names = "fft.fftn"
    out_types = "castable"

    def compose(input, s=None, dim=None, norm=None):
        return _c2cn(input, s, dim, norm, "fftn", True)
    samples = [((4, 3),)]


@op
class ifftn:
    """The inverse transform over several dimensions."""
    autocast = "float32"
    names = "fft.ifftn"
    out_types = "castable"

    def compose(input, s=None, dim=None, norm=None):
        return _c2cn(input, s, dim, norm, "ifftn", False)
    samples = [((4, 3),)]


@op
class rfftn:
    """The transform of real input over several dimensions, the last one halved."""
    autocast = "float32"
    names = "fft.rfftn"
    out_types = "castable"

    def compose(input, s=None, dim=None, norm=None):
        return _r2cn(input, s, dim, norm, "rfftn", True)
    samples = [((4, 3),)]


@op
class irfftn:
    """The inverse of rfftn."""
    autocast = "float32"
    names = "fft.irfftn"
    out_types = REAL

    def compose(input, s=None, dim=None, norm=None):
        return _c2rn(input, s, dim, norm, "irfftn", False)
    samples = [((4, 3),)]


@op
class hfftn:
    """The transform of a Hermitian signal over several dimensions."""
    names = "fft.hfftn"
    out_types = REAL

    def compose(input, s=None, dim=None, norm=None):
        return _c2rn(input, s, dim, norm, "hfftn", True)
    samples = [((4, 3),)]


@op
class ihfftn:
    """The inverse of hfftn."""
    names = "fft.ihfftn"
    out_types = "castable"

    def compose(input, s=None, dim=None, norm=None):
        return _r2cn(input, s, dim, norm, "ihfftn", False)
    samples = [((4, 3),)]


# two dimensions

@op
class fft2:
    """The transform over two dimensions, the last by default."""
    autocast = "float32"
    names = "fft.fft2"
    out_types = "castable"

    def compose(input, s=None, dim=(-2, -1), norm=None):
        return _c2cn(input, s, dim, norm, "fft2", True)
    samples = [((4, 3),)]


@op
class ifft2:
    """The inverse transform over two dimensions."""
    autocast = "float32"
    names = "fft.ifft2"
    out_types = "castable"

    def compose(input, s=None, dim=(-2, -1), norm=None):
        return _c2cn(input, s, dim, norm, "ifft2", False)
    samples = [((4, 3),)]


@op
class rfft2:
    """The transform of real input over two dimensions."""
    autocast = "float32"
    names = "fft.rfft2"
    out_types = "castable"

    def compose(input, s=None, dim=(-2, -1), norm=None):
        return _r2cn(input, s, dim, norm, "rfft2", True)
    samples = [((4, 3),)]


@op
class irfft2:
    """The inverse of rfft2."""
    autocast = "float32"
    names = "fft.irfft2"
    out_types = REAL

    def compose(input, s=None, dim=(-2, -1), norm=None):
        return _c2rn(input, s, dim, norm, "irfft2", False)
    samples = [((4, 3),)]


@op
class hfft2:
    """The transform of a Hermitian signal over two dimensions."""
    names = "fft.hfft2"
    out_types = REAL

    def compose(input, s=None, dim=(-2, -1), norm=None):
        return _c2rn(input, s, dim, norm, "hfft2", True)
    samples = [((4, 3),)]


@op
class ihfft2:
    """The inverse of hfft2."""
    names = "fft.ihfft2"
    out_types = "castable"

    def compose(input, s=None, dim=(-2, -1), norm=None):
        return _r2cn(input, s, dim, norm, "ihfft2", False)
    samples = [((4, 3),)]


# frequencies

def _shifts(x, dim, back):
    dims = range(x._form.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = tuple(wrap_dim(d, x._form.ndim) for d in dims)
    return tuple((x._form.shape[d] + back) // 2 for d in dims), dims


@op
class fftshift:
    """Move the zero frequency to the middle."""
    names = "fft.fftshift"

    def compose(input, dim=None):
        return input.roll(*_shifts(input, dim, 0))
    samples = [((4, 3),)]


@op
class ifftshift:
    """Undo fftshift."""
    names = "fft.ifftshift"

    def compose(input, dim=None):
        return input.roll(*_shifts(input, dim, 1))
    samples = [((4, 3),)]


def _frequencies(values, n, d, out, dtype, device, requires_grad):
    np_dtype = (DEFAULT.dtype.np if out is None else out._form.dtype) if dtype is None else np_of(dtype)
    if np_dtype.kind not in "fVc":
        raise RuntimeError(f"fftfreq requires a floating point or complex dtype, got {np_dtype.name}")
    with np.errstate(all="ignore"):
        made = from_outside((values * (1.0 / (n * d) if n * d else np.inf)).astype(np_dtype), True)
    if out is None:
        return finish(made, device, requires_grad)
    return into(out, made, "fftfreq")


def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The frequencies of a transform of `n` points that are `d` apart.

    >>> import weft
    >>> weft.fft.fftfreq(4, d=0.5)
    tensor([ 0.0000,  0.5000, -1.0000, -0.5000])
    """
    with sizes_of("fftfreq"):
        steps = np.concatenate((np.arange((n + 1) // 2), np.arange(-(n // 2), 0)))
        return _frequencies(steps, n, d, out, dtype, device, requires_grad)


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The frequencies of rfft.

    >>> import weft
    >>> weft.fft.rfftfreq(4, d=0.5)
    tensor([0.0000, 0.5000, 1.0000])
    """
    with sizes_of("rfftfreq"):
        return _frequencies(np.arange(n // 2 + 1), n, d, out, dtype, device, requires_grad)


public(fftfreq, "fft.fftfreq")
public(rfftfreq, "fft.rfftfreq")
