"""Complex numbers: their parts, their conjugates, and their two ways to be stored."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.spec import Spec, like
from weft.ops.core.registry import FLOATING, FUNCTIONS, MAYBE_VIEW, POINTWISE, VIEW, op
from weft.ops.core.samples import complexes
from weft.ops.pointwise.base import BROADCAST, TYPE_NAMES, _keep, complex_type, empty_for, quiet, real_type, zeros
from weft.tensor.names import method
from weft.tensor.tensor import Tensor


@op
class conj:
    """The conjugate; a real tensor is its own."""
    tags = MAYBE_VIEW

    def forward(x):
        return np.conjugate(x) if x.dtype.kind == "c" else x

    def shape(x):
        return like(x) if x.dtype.kind == "c" else x

    def grad_x(g):
        return g.conj()
    samples = [((3, 2),), (complexes(3, 2),)]


@op
class conj_physical:
    """The conjugate, in memory of its own where the numbers are complex."""
    tags = POINTWISE
    out_types = "exact"

    def forward(x):
        return np.conjugate(x) if x.dtype.kind == "c" else x.copy("K")

    def grad_x(g):
        return g.conj()
    samples = [((3, 2),), (complexes(3, 2),)]


@op
class resolve_conj:
    """x itself: conjugates are never put off here."""
    tags = MAYBE_VIEW

    def forward(x):
        return x

    def shape(x):
        return x

    def grad_x(g):
        return g
    samples = [((3, 2),)]


@op
class resolve_neg:
    """x itself: negations are never put off here."""
    tags = MAYBE_VIEW

    def forward(x):
        return x

    def shape(x):
        return x

    def grad_x(g):
        return g
    samples = [((3, 2),)]


def is_conj(input):
    """Whether a conjugation is put off until later: never.

    >>> import weft
    >>> weft.ones(1, dtype=weft.complex64).conj().is_conj()
    False
    """
    return False


def is_neg(input):
    """Whether a negation is put off until later: never.

    >>> import weft
    >>> weft.ones(1).neg().is_neg()
    False
    """
    return False


# the parts

@op
class real:
    """The real part, a view; a real tensor is its own."""
    tags, method = MAYBE_VIEW, False

    def forward(x):
        return x.real if x.dtype.kind == "c" else x

    def shape(x):
        return Spec(x.shape, real_type(x.dtype), x.strides, x) if x.dtype.kind == "c" else x

    def grad_x(g):
        return g        # made complex again where x is, by its type
    samples = [((3, 2),), (complexes(3, 2),)]


@op
class imag:
    """The imaginary part of a complex tensor, a view."""
    tags, method = VIEW, False

    def forward(x):
        if x.dtype.kind != "c":
            fail(RuntimeError, "imag is not implemented for tensors with non-complex dtypes.",
                 "it is 0: use zeros_like(x)")
        return x.imag

    def grad_x(g):
        return complex_(zeros(g), g)
    samples = [(complexes(3, 2),)]


def _set_real(x, value):
    _fill(real(x), value)


def _set_imag(x, value):
    _fill(imag(x), value)


def _fill(part, value):
    part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)


_EXAMPLE = "\n\n>>> import weft\n>>> weft.tensor([1 + 2j, 3 - 4j]).{}\ntensor([{}])"
method(property(real, _set_real, doc=real.op.doc + _EXAMPLE.format("real", "1., 3.")), "real")
method(property(imag, _set_imag, doc=imag.op.doc + _EXAMPLE.format("imag", " 2., -4.")), "imag")
for _name, _function in (("is_conj", is_conj), ("is_neg", is_neg)):
    FUNCTIONS[_name] = _function
    method(_function, _name)


@op
class angle:
    """The angle in the complex plane, from -pi to pi; 0 or pi of a real number."""
    tags = FLOATING - {"inplace"}

    def forward(x):
        if x.dtype.kind == "c":
            return np.arctan2(x.imag, x.real)
        return np.where(x < 0, x.dtype.type(math.pi), np.where(x != x, x, x.dtype.type(0)))

    def grad_x(g, x):
        if x._form.dtype.kind != "c":
            return zeros(g)
        across = g / (x.real * x.real + x.imag * x.imag)
        return _keep(complex_(-x.imag * across, x.real * across), x != 0)
    samples = [((3, 2),), (complexes(3, 2),)]


# from parts

def _two_reals(first, second, who):
    for array in (first, second):
        if array.dtype.kind != "f":
            fail(RuntimeError, f"{who}: Expected both inputs to be Half, Float or Double tensors but got "
                 f"{TYPE_NAMES[first.dtype.name]} and {TYPE_NAMES[second.dtype.name]}", "convert them with .float()")
    if first.dtype != second.dtype:
        fail(RuntimeError, f"{who}: Expected object of scalar type {TYPE_NAMES[first.dtype.name]} but got scalar type "
             f"{TYPE_NAMES[second.dtype.name]} for second argument", "convert one of them")


def _paired(first, second):
    """The complex array of two real ones."""
    made = empty_for(complex_type(first.dtype), first, second)
    made.real, made.imag = first, second
    return made


@op
class complex_:
    """real + imag * 1j."""
    tensors = "real imag"
    tags, method = BROADCAST, False
    out_types = "exact"

    def forward(real, imag):
        _two_reals(real, imag, "complex")
        return _paired(real, imag)

    def grad_real(g):
        return g.real

    def grad_imag(g):
        return g.imag
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


def _turned(size, angle):
    return _paired(size * np.cos(angle), size * np.sin(angle))


@op
class polar:
    """abs * e**(1j * angle)."""
    autocast = "float32"
    tensors = "abs angle"
    tags, method = BROADCAST, False
    out_types = "exact"

    def forward(abs, angle):
        _two_reals(abs, angle, "polar")
        return quiet(_turned, abs, angle)

    def grad_abs(g, out):
        return (g.conj() * out.sgn()).real

    def grad_angle(g, out):
        return (g.conj() * (out * 1j)).real
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


# the same memory as pairs of reals

@op
class view_as_real:
    """The view of a complex tensor as a real one with a last dimension of 2: (...) -> (..., 2)."""
    tags, method = VIEW, False

    def forward(x):
        if x.dtype.kind != "c":
            fail(RuntimeError, f"view_as_real is only supported for complex tensors, got {x.dtype.name}",
                 "it is real already")
        return x[..., None].view(real_type(x.dtype))

    def grad_x(g):
        return view_as_complex(g.contiguous())
    samples = [(complexes(3, 2),)]


@op
class view_as_complex:
    """The view of a real tensor with a last dimension of 2 as a complex one: (..., 2) -> (...)."""
    autocast = "float32"
    tags, method = VIEW, False

    def forward(x):
        if x.dtype.kind != "f" or x.dtype.itemsize < 4:     # there is no complex type of two halves here
            fail(RuntimeError, f"view_as_complex is only supported for float and double tensors, but got a tensor of "
                 f"scalar type: {TYPE_NAMES[x.dtype.name]}", "convert it with .float()")
        if x.ndim == 0:
            fail(RuntimeError, "view_as_complex: Input tensor must have one or more dimensions, got a number",
                 "stack the real and the imaginary parts along dim -1")
        if x.shape[-1] != 2:
            fail(RuntimeError, f"Tensor must have a last dimension of size 2, got the shape {list(x.shape)}",
                 "stack the real and the imaginary parts along dim -1")
        if x.strides[-1] != x.itemsize and x.size:
            fail(RuntimeError, "Tensor must have a last dimension with stride 1", "call contiguous() first")
        if any(n > 1 and s % (2 * x.itemsize) for n, s in zip(x.shape, x.strides[:-1])) and x.size:
            fail(RuntimeError, "Tensor must have a stride divisible by 2 for all but last dimension",
                 "call contiguous() first")
        return x.view(complex_type(x.dtype))[..., 0]

    def grad_x(g):
        return view_as_real(g)
    samples = [((3, 2),)]
