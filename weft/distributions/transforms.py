"""Invertible maps with the log of their derivative: what flows and transformed distributions are made of."""
import math
import weakref

import weft
from weft.distributions import constraints
from weft.distributions.utils import _sum_rightmost, broadcast_all
from weft.nn.functional import softplus
from weft.tensor.tensor import Tensor

__all__ = ["Transform", "ComposeTransform", "IndependentTransform", "ReshapeTransform", "identity_transform",
           "ExpTransform", "PowerTransform", "SigmoidTransform", "SoftplusTransform", "TanhTransform", "AbsTransform",
           "AffineTransform", "SoftmaxTransform", "StickBreakingTransform", "LowerCholeskyTransform"]


class Transform:
    """A map y = f(x); a subclass gives `_call`, `_inverse` and `log_abs_det_jacobian`.

    With cache_size=1 the last pair (x, y) is kept, so that f.inv(f(x)) is x itself.

    >>> import weft
    >>> t = weft.distributions.ExpTransform()
    >>> t.inv(t(weft.tensor(2.0)))
    tensor(2.)
    """
    bijective = False
    domain = codomain = constraints.real

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError(f"cache_size must be 0 or 1, not {cache_size}")
        self._cache_size, self._cached, self._inverse_of = cache_size, (None, None), None

    @property
    def event_dim(self):
        """How many of the last dimensions it maps together.

        >>> import weft
        >>> weft.distributions.StickBreakingTransform().event_dim
        1
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self):
        """The inverse map.

        >>> import weft
        >>> t = weft.distributions.ExpTransform()
        >>> t.inv(weft.tensor(1.0))
        tensor(0.)
        """
        found = self._inverse_of() if self._inverse_of is not None else None
        if found is None:
            found = _InverseTransform(self)
            self._inverse_of = weakref.ref(found)
        return found

    @property
    def sign(self):
        """1 where the map grows everywhere, -1 where it falls.

        >>> import weft
        >>> weft.distributions.ExpTransform().sign
        1
        """
        raise NotImplementedError(f"{type(self).__name__} has no sign")

    def with_cache(self, cache_size=1):
        """The same transform with a cache of 0 or 1 values.

        >>> import weft
        >>> t = weft.distributions.ExpTransform()
        >>> x = weft.tensor(2.0)
        >>> t = t.with_cache(1)
        >>> t.inv(t(x)) is x
        True
        """
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __call__(self, x):
        if not self._cache_size:
            return self._call(x)
        if x is self._cached[0]:
            return self._cached[1]
        y = self._call(x)
        self._cached = x, y
        return y

    def _inv_call(self, y):
        if not self._cache_size:
            return self._inverse(y)
        if y is self._cached[1]:
            return self._cached[0]
        x = self._inverse(y)
        self._cached = x, y
        return x

    def _call(self, x):
        raise NotImplementedError(f"{type(self).__name__} doesn't define _call(x)")

    def _inverse(self, y):
        raise NotImplementedError(f"{type(self).__name__} has no inverse")

    def log_abs_det_jacobian(self, x, y):
        """log |dy / dx|, summed over the event's dimensions.

        >>> import weft
        >>> t = weft.distributions.ExpTransform()
        >>> t.log_abs_det_jacobian(weft.tensor(2.0), t(weft.tensor(2.0)))
        tensor(2.)
        """
        raise NotImplementedError(f"{type(self).__name__} doesn't define log_abs_det_jacobian(x, y)")

    def forward_shape(self, shape):
        """The shape of the output for an input's.

        >>> import weft
        >>> t = weft.distributions.ExpTransform()
        >>> t.forward_shape((2, 3))
        (2, 3)
        """
        return shape

    def inverse_shape(self, shape):
        """The shape of the input for an output's.

        >>> import weft
        >>> t = weft.distributions.ExpTransform()
        >>> t.inverse_shape((2, 3))
        (2, 3)
        """
        return shape

    def __repr__(self):
        return type(self).__name__ + "()"


class _InverseTransform(Transform):
    """A transform the other way round."""
    def __init__(self, transform):
        super().__init__(transform._cache_size)
        self._inv = transform

    domain = property(lambda self: self._inv.codomain, doc="The constraint of inputs.")
    codomain = property(lambda self: self._inv.domain, doc="The constraint of outputs.")
    bijective = property(lambda self: self._inv.bijective, doc="Whether every output has one input.")
    sign = property(lambda self: self._inv.sign)
    inv = property(lambda self: self._inv)

    def with_cache(self, cache_size=1):
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = object.__hash__

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)

    def __repr__(self):
        return f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """Transforms one after the other.

    >>> import weft
    >>> from weft.distributions.transforms import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(1.0, 2.0), ExpTransform()])(weft.tensor(-0.5))
    tensor(1.)
    """
    def __init__(self, parts, cache_size=0):
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)
        super().__init__(cache_size)

    @property
    def domain(self):
        """The constraint of inputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.ComposeTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)]).domain
        Real()
        """
        if not self.parts:
            return constraints.real
        domain, dims = self.parts[0].domain, self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return constraints.independent(domain, dims - domain.event_dim) if dims > domain.event_dim else domain

    @property
    def codomain(self):
        """The constraint of outputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.ComposeTransform([d.AffineTransform(1.0, 2.0), d.ExpTransform()]).codomain
        greater_than(lower_bound=0.0)
        """
        if not self.parts:
            return constraints.real
        codomain, dims = self.parts[-1].codomain, self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return constraints.independent(codomain, dims - codomain.event_dim) if dims > codomain.event_dim else codomain

    @property
    def bijective(self):
        """Whether every output has one input.

        >>> import weft
        >>> d = weft.distributions
        >>> d.ComposeTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)]).bijective
        True
        """
        return all(p.bijective for p in self.parts)

    @property
    def sign(self):
        found = 1
        for part in self.parts:
            found = found * part.sign
        return found

    @property
    def inv(self):
        found = self._inverse_of() if self._inverse_of is not None else None
        if found is None:
            found = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inverse_of, found._inverse_of = weakref.ref(found), weakref.ref(self)
        return found

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return weft.zeros_like(x)
        steps = [x]
        for part in self.parts[:-1]:
            steps.append(part(steps[-1]))
        steps.append(y)
        total, dims = 0, self.domain.event_dim
        for part, before, after in zip(self.parts, steps, steps[1:], strict=False):
            total = total + _sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim)
            dims += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        return "ComposeTransform(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last batch dimensions count as part of the event.

    >>> import weft
    >>> d = weft.distributions
    >>> transform = d.IndependentTransform(d.ExpTransform(), 1)
    >>> x = weft.zeros(2, 3)
    >>> transform.log_abs_det_jacobian(x, transform(x)).shape
    torch.Size([2])
    """
    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = (
            base_transform.with_cache(cache_size), reinterpreted_batch_ndims)

    def with_cache(self, cache_size=1):
        return (self if self._cache_size == cache_size else IndependentTransform(self.base_transform,
                                                                                 self.reinterpreted_batch_ndims,
                                                                                 cache_size))

    @property
    def domain(self):
        """The constraint of inputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.IndependentTransform(d.ExpTransform(), 1).domain.event_dim
        1
        """
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self):
        """The constraint of outputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.IndependentTransform(d.ExpTransform(), 1).codomain.event_dim
        1
        """
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        """Whether every output has one input.

        >>> import weft
        >>> d = weft.distributions
        >>> d.IndependentTransform(d.AbsTransform(), 1).bijective
        False
        """
        return self.base_transform.bijective

    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x):
        return self.base_transform(x)

    def _inverse(self, y):
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """The event in another shape.

    >>> import weft
    >>> weft.distributions.ReshapeTransform((4,), (2, 2))(weft.zeros(4)).shape
    torch.Size([2, 2])
    """
    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = weft.Size(in_shape), weft.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)

    @property
    def domain(self):
        """The constraint of inputs.

        >>> import weft
        >>> weft.distributions.ReshapeTransform((4,), (2, 2)).domain.event_dim
        1
        """
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self):
        """The constraint of outputs.

        >>> import weft
        >>> weft.distributions.ReshapeTransform((4,), (2, 2)).codomain.event_dim
        2
        """
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else ReshapeTransform(self.in_shape, self.out_shape, cache_size)

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])

    def forward_shape(self, shape):
        return weft.Size(shape[:len(shape) - len(self.in_shape)]) + self.out_shape

    def inverse_shape(self, shape):
        return weft.Size(shape[:len(shape) - len(self.out_shape)]) + self.in_shape


class _Growing(Transform):
    """A bijective map of single numbers that grows, without parameters."""
    bijective = True
    sign = 1

    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = object.__hash__


class ExpTransform(_Growing):
    """y = e**x.

    >>> import weft
    >>> weft.distributions.ExpTransform()(weft.tensor(0.0))
    tensor(1.)
    """
    codomain = constraints.positive
    def _call(self, x): return x.exp()
    def _inverse(self, y): return y.log()
    def log_abs_det_jacobian(self, x, y): return x


class SigmoidTransform(_Growing):
    """y = 1 / (1 + e**-x).

    >>> import weft
    >>> weft.distributions.SigmoidTransform()(weft.tensor(0.0))
    tensor(0.5000)
    """
    codomain = constraints.unit_interval

    def _call(self, x):
        info = weft.finfo(x.dtype)
        return x.sigmoid().clamp(min=info.tiny, max=1 - info.eps)

    def _inverse(self, y):
        info = weft.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_Growing):
    """y = log(1 + e**x).

    >>> import weft
    >>> weft.distributions.SoftplusTransform()(weft.tensor(0.0))
    tensor(0.6931)
    """
    codomain = constraints.positive
    def _call(self, x): return softplus(x)
    def _inverse(self, y): return (-y).expm1().neg().log() + y
    def log_abs_det_jacobian(self, x, y): return -softplus(-x)


class TanhTransform(_Growing):
    """y = tanh(x).

    >>> import weft
    >>> weft.distributions.TanhTransform()(weft.tensor(0.0))
    tensor(0.)
    """
    codomain = constraints.interval(-1.0, 1.0)
    def _call(self, x): return x.tanh()
    def _inverse(self, y): return weft.atanh(y)
    def log_abs_det_jacobian(self, x, y): return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|.

    >>> import weft
    >>> weft.distributions.AbsTransform()(weft.tensor(-2.0))
    tensor(2.)
    """
    codomain = constraints.nonnegative
    def __eq__(self, other): return isinstance(other, AbsTransform)
    __hash__ = object.__hash__
    def _call(self, x): return x.abs()
    def _inverse(self, y): return y


class PowerTransform(Transform):
    """y = x**exponent, for positive x.

    >>> import weft
    >>> weft.distributions.PowerTransform(weft.tensor(2.0))(weft.tensor(3.0))
    tensor(9.)
    """
    domain = codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent, = broadcast_all(exponent)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size)

    sign = property(lambda self: self.exponent.sign())

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = object.__hash__
    def _call(self, x): return x.pow(self.exponent)
    def _inverse(self, y): return y.pow(1 / self.exponent)
    def log_abs_det_jacobian(self, x, y): return (self.exponent * y / x).abs().log()
    def forward_shape(self, shape): return weft.broadcast_shapes(shape, self.exponent.shape)
    inverse_shape = forward_shape


class AffineTransform(Transform):
    """y = loc + scale * x; the last `event_dim` dimensions are one event.

    >>> import weft
    >>> weft.distributions.AffineTransform(1.0, 2.0)(weft.tensor(3.0))
    tensor(7.)
    """
    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)

    @property
    def domain(self):
        """The constraint of inputs, and of outputs.

        >>> import weft
        >>> weft.distributions.AffineTransform(0.0, 2.0).codomain
        Real()
        """
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    def with_cache(self, cache_size=1):
        return (self if self._cache_size == cache_size else AffineTransform(self.loc, self.scale, self._event_dim,
                                                                            cache_size))

    def __eq__(self, other):
        def same(a, b):
            return bool((weft.as_tensor(a) == weft.as_tensor(b)).all())
        return isinstance(other, AffineTransform) and same(self.loc, other.loc) and same(self.scale, other.scale)

    __hash__ = object.__hash__

    @property
    def sign(self):
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        logs = (self.scale.abs().log() if isinstance(self.scale, Tensor)
                else weft.full_like(x, math.log(abs(self.scale))))
        if self._event_dim:
            logs = (logs.expand(weft.broadcast_shapes(logs.shape, x.shape[x.dim() - self._event_dim:]))
                    if isinstance(self.scale, Tensor) else logs)
            logs = _sum_rightmost(logs, self._event_dim)
        return logs.expand(x.shape[:x.dim() - self._event_dim])

    def forward_shape(self, shape):
        return weft.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class SoftmaxTransform(Transform):
    """Real vectors to the simplex: e**x, scaled to sum to 1 (not one to one).

    >>> import weft
    >>> weft.distributions.SoftmaxTransform()(weft.zeros(2))
    tensor([0.5000, 0.5000])
    """
    domain, codomain = constraints.real_vector, constraints.simplex
    def __eq__(self, other): return isinstance(other, SoftmaxTransform)
    __hash__ = object.__hash__

    def _call(self, x):
        p = (x - x.max(-1, True)[0]).exp()
        return p / p.sum(-1, True)

    def _inverse(self, y):
        return y.log()


class StickBreakingTransform(_Growing):
    """Real vectors of length n to the simplex of n + 1: each takes its share of what is left of a stick.

    >>> import weft
    >>> weft.distributions.StickBreakingTransform()(weft.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])
    """
    domain, codomain = constraints.real_vector, constraints.simplex
    sign = property(lambda self: Transform.sign.fget(self))

    def _offset(self, x):
        return x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)

    def _call(self, x):
        z = _clipped(x - self._offset(x).log())
        rest = (1 - z).cumprod(-1)
        return weft.nn.functional.pad(z, [0, 1], value=1) * weft.nn.functional.pad(rest, [1, 0], value=1)

    def _inverse(self, y):
        cropped = y[..., :-1]
        rest = (1 - cropped.cumsum(-1)).clamp(min=weft.finfo(y.dtype).tiny)
        return cropped.log() - rest.log() + self._offset(cropped).log()

    def log_abs_det_jacobian(self, x, y):
        x = x - self._offset(x).log()
        return (-x + weft.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        return weft.Size(shape[:-1]) + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        return weft.Size(shape[:-1]) + (shape[-1] - 1,)


def _clipped(x):
    info = weft.finfo(x.dtype)
    return x.sigmoid().clamp(min=info.tiny, max=1 - info.eps)


class LowerCholeskyTransform(Transform):
    """Any matrix to a lower triangle with a positive diagonal.

    >>> import weft
    >>> weft.distributions.LowerCholeskyTransform()(weft.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    def __eq__(self, other): return isinstance(other, LowerCholeskyTransform)
    __hash__ = object.__hash__
    def _call(self, x): return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()
    def _inverse(self, y): return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()
