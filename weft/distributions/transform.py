"""What a transform is, and the transforms that are made of transforms."""
import weakref

import weft
from weft.distributions import constraints
from weft.distributions.utils import _sum_rightmost

__all__ = ["Transform", "ComposeTransform", "IndependentTransform", "ReshapeTransform", "identity_transform",
           "CatTransform", "StackTransform"]


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
        GreaterThan(lower_bound=0.0)
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


class _Several(Transform):
    """Transforms side by side along a dimension; `_parts(x)` gives each its piece, `_joined` puts them together."""

    def __init__(self, tseq, dim=0, cache_size=0):
        self.transforms, self.dim = list(tseq), dim
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise AssertionError("tseq must be a sequence of transforms, and one of it is not a Transform")
        if cache_size:
            self.transforms = [t.with_cache(cache_size) for t in self.transforms]
        super().__init__(cache_size=cache_size)

    @property
    def bijective(self):
        """Whether every output has one input.

        >>> import weft
        >>> d = weft.distributions
        >>> d.StackTransform([d.ExpTransform(), d.AbsTransform()]).bijective
        False
        """
        return all(t.bijective for t in self.transforms)

    def _check_length(self, x, length):
        if not -x.dim() <= self.dim < x.dim():
            raise AssertionError(f"{type(self).__name__} is along dimension {self.dim}, and the tensor has {x.dim()}")
        if x.shape[self.dim] != length:
            raise AssertionError(f"{type(self).__name__} takes a tensor of size {length} along dimension {self.dim}, "
                                 f"not {x.shape[self.dim]}")

    def _call(self, x):
        return self._joined([t(part) for t, part in zip(self.transforms, self._parts(x), strict=True)])

    def _inverse(self, y):
        return self._joined([t.inv(part) for t, part in zip(self.transforms, self._parts(y), strict=True)])


class CatTransform(_Several):
    """Several transforms, each for its part of one dimension, as `cat` joins them.

    >>> import weft
    >>> d = weft.distributions
    >>> d.CatTransform([d.ExpTransform(), d.identity_transform], lengths=[1, 2])(weft.zeros(3))
    tensor([1., 0., 0.])
    """
    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = list(lengths) if lengths is not None else [1] * len(self.transforms)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"there are {len(self.transforms)} transforms and {len(self.lengths)} lengths")

    event_dim = property(lambda self: max(t.event_dim for t in self.transforms))

    @property
    def length(self):
        """The size of the dimension that it maps.

        >>> import weft
        >>> d = weft.distributions
        >>> d.CatTransform([d.ExpTransform(), d.ExpTransform()], lengths=[1, 2]).length
        3
        """
        return sum(self.lengths)

    def with_cache(self, cache_size=1):
        return (self if self._cache_size == cache_size
                else CatTransform(self.transforms, self.dim, self.lengths, cache_size))

    def _parts(self, x):
        self._check_length(x, self.length)
        return x.split(self.lengths, self.dim)

    def _joined(self, parts):
        return weft.cat(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        logs = [_sum_rightmost(t.log_abs_det_jacobian(before, after), self.event_dim - t.event_dim)
                for t, before, after in zip(self.transforms, self._parts(x), self._parts(y), strict=True)]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return weft.cat(logs, dim=dim) if dim < 0 else sum(logs)

    @constraints.dependent_property
    def domain(self):
        """The constraint of inputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.CatTransform([d.ExpTransform(), d.ExpTransform()]).domain
        Cat()
        """
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        """The constraint of outputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.CatTransform([d.ExpTransform(), d.ExpTransform()]).codomain.cseq[0]
        GreaterThan(lower_bound=0.0)
        """
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Several):
    """Several transforms, one for each index of a dimension.

    >>> import weft
    >>> d = weft.distributions
    >>> d.StackTransform([d.ExpTransform(), d.identity_transform], dim=1)(weft.zeros(2, 2))
    tensor([[1., 0.],
            [1., 0.]])
    """
    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, x):
        self._check_length(x, len(self.transforms))
        return x.unbind(self.dim)

    def _joined(self, parts):
        return weft.stack(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        return self._joined([t.log_abs_det_jacobian(before, after) for t, before, after
                             in zip(self.transforms, self._parts(x), self._parts(y), strict=True)])

    @constraints.dependent_property
    def domain(self):
        """The constraint of inputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.StackTransform([d.ExpTransform(), d.ExpTransform()]).domain
        Stack()
        """
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        """The constraint of outputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.StackTransform([d.ExpTransform(), d.ExpTransform()]).codomain.cseq[0]
        GreaterThan(lower_bound=0.0)
        """
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
