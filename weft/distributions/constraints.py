"""Where values may lie: `constraint.check(value)` says for each event whether it does."""
import weft

__all__ = ["Constraint", "boolean", "cat", "dependent", "dependent_property", "greater_than", "greater_than_eq",
           "half_open_interval", "independent", "integer_interval", "interval", "is_dependent", "less_than",
           "lower_cholesky", "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot",
           "positive", "positive_definite", "positive_integer", "real", "real_vector", "simplex", "square",
           "symmetric", "unit_interval"]


class Constraint:
    """A region of values; `event_dim` dimensions of a value make one event.

    >>> import weft
    >>> weft.distributions.constraints.positive.check(weft.tensor([1.0, -1.0]))
    tensor([ True, False])
    """
    is_discrete = False
    event_dim = 0

    def check(self, value):
        """Whether each value meets the constraint, as a tensor of bools.

        >>> import weft
        >>> weft.distributions.constraints.positive.check(weft.tensor([1.0, -1.0]))
        tensor([ True, False])
        """
        raise NotImplementedError(f"{type(self).__name__} doesn't define check(value)")

    def __repr__(self):
        return type(self).__name__.lstrip("_") + "()"


class _Dependent(Constraint):
    """A region that depends on other values, which can't be checked on its own."""
    def __init__(self, *, is_discrete=False, event_dim=0):
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete=None, event_dim=None):
        return _Dependent(is_discrete=self.is_discrete if is_discrete is None else is_discrete,
                          event_dim=self.event_dim if event_dim is None else event_dim)

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint: ask the distribution's instance for its "
                         "support")


class _DependentProperty(property, _Dependent):
    """A property of an instance that is a constraint, and stands for a dependent one on the class.

    >>> import weft
    >>> type(weft.distributions.Uniform(0.0, 2.0).support).__name__
    'interval'
    >>> weft.distributions.constraints.is_dependent(weft.distributions.Uniform.support)
    True
    """
    def __init__(self, fn=None, *, is_discrete=False, event_dim=0):
        property.__init__(self, fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn):
        return _DependentProperty(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint):
    """Whether a constraint depends on other values.

    >>> import weft
    >>> constraints = weft.distributions.constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.positive)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


class _Simple(Constraint):
    """A constraint given by its name and its check."""
    def __init__(self, name, check, is_discrete=False, event_dim=0):
        self.name, self.check, self.is_discrete, self.event_dim = name, check, is_discrete, event_dim

    def __repr__(self):
        return self.name


class _Bounds(Constraint):
    """A constraint given by bounds; the fields are named in `fields`."""
    fields = ()

    def __init__(self, *bounds, **named):
        given = dict(zip(self.fields, bounds, strict=False), **named)
        for name in self.fields:
            setattr(self, name, given[name])

    def __repr__(self):
        shown = ", ".join(f"{f}={_short(getattr(self, f))}" for f in self.fields)
        return f"{type(self).__name__}({shown})"


def _short(bound):
    """A bound in a message: long tensors by their shape."""
    return (bound if not isinstance(bound, weft.Tensor) or bound.numel() == 1
            else f"a tensor of shape {tuple(bound.shape)}")


class interval(_Bounds):
    """lower_bound <= x <= upper_bound.

    >>> import weft
    >>> weft.distributions.constraints.interval(0.0, 1.0).check(weft.tensor([0.5, 2.0]))
    tensor([ True, False])
    """
    fields = ("lower_bound", "upper_bound")
    def check(self, value): return (self.lower_bound <= value) & (value <= self.upper_bound)


class half_open_interval(interval):
    """lower_bound <= x < upper_bound.

    >>> import weft
    >>> weft.distributions.constraints.half_open_interval(0.0, 1.0).check(weft.tensor([0.5, 1.0]))
    tensor([ True, False])
    """
    def check(self, value): return (self.lower_bound <= value) & (value < self.upper_bound)


class integer_interval(interval):
    """Whole numbers from lower_bound to upper_bound.

    >>> import weft
    >>> weft.distributions.constraints.integer_interval(0, 3).check(weft.tensor([2.0, 2.5]))
    tensor([ True, False])
    """
    is_discrete = True
    def check(self, value): return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class greater_than(_Bounds):
    """x > lower_bound.

    >>> import weft
    >>> weft.distributions.constraints.greater_than(0.0).check(weft.tensor([0.5, -2.0]))
    tensor([ True, False])
    """
    fields = ("lower_bound",)
    def check(self, value): return self.lower_bound < value


class greater_than_eq(greater_than):
    """x >= lower_bound.

    >>> import weft
    >>> weft.distributions.constraints.greater_than_eq(0.0).check(weft.tensor([0.0, -2.0]))
    tensor([ True, False])
    """
    def check(self, value): return self.lower_bound <= value


class integer_greater_than(greater_than):
    """Whole numbers from lower_bound on."""
    is_discrete = True
    def check(self, value): return (value % 1 == 0) & (value >= self.lower_bound)


class less_than(_Bounds):
    """x < upper_bound.

    >>> import weft
    >>> weft.distributions.constraints.less_than(0.0).check(weft.tensor([0.5, -2.0]))
    tensor([False,  True])
    """
    fields = ("upper_bound",)
    def check(self, value): return value < self.upper_bound


class multinomial(_Bounds):
    """Counts of the categories that add up to at most upper_bound.

    >>> import weft
    >>> weft.distributions.constraints.multinomial(3).check(weft.tensor([[1.0, 2.0], [4.0, 0.0]]))
    tensor([ True, False])
    """
    fields = ("upper_bound",)
    is_discrete, event_dim = True, 1
    def check(self, value): return (value >= 0).all(dim=-1) & (value.sum(dim=-1) <= self.upper_bound)


class independent(Constraint):
    """A constraint whose last batch dimensions count as part of the event.

    >>> import weft
    >>> positive = weft.distributions.constraints.positive
    >>> weft.distributions.constraints.independent(positive, 1).check(weft.tensor([[1.0, 2.0], [1.0, -2.0]]))
    tensor([ True, False])
    """
    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return (result.flatten(result.dim() - self.reinterpreted_batch_ndims).all(-1) if self.reinterpreted_batch_ndims
                else result)

    def __repr__(self):
        return f"Independent({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class cat(Constraint):
    """Several constraints, each for its part of one dimension.

    >>> import weft
    >>> constraints = weft.distributions.constraints
    >>> both = constraints.cat([constraints.positive, constraints.unit_interval], dim=0, lengths=[1, 1])
    >>> both.check(weft.tensor([5.0, 0.5]))
    tensor([True, True])
    """
    def __init__(self, cseq, dim=0, lengths=None):
        self.cseq, self.dim = list(cseq), dim
        self.lengths = list(lengths) if lengths is not None else [1] * len(self.cseq)
        self.is_discrete = any(c.is_discrete for c in self.cseq)
        self.event_dim = max(c.event_dim for c in self.cseq)

    def check(self, value):
        parts = value.split(self.lengths, self.dim)
        return weft.cat([c.check(part) for c, part in zip(self.cseq, parts, strict=True)], self.dim)


def _symmetric(value):
    return weft.isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1)


def _tril(value):
    return (value.tril() == value).flatten(-2).all(-1)


dependent = _Dependent()
dependent_property = _DependentProperty
boolean = _Simple("Boolean()", lambda v: (v == 0) | (v == 1), True)
one_hot = _Simple("OneHot()", lambda v: ((v == 0) | (v == 1)).all(-1) & (v.sum(-1) == 1), True, 1)
real = _Simple("Real()", lambda v: v == v)        # not NaN
real_vector = independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
nonnegative_integer = integer_greater_than(0)
positive_integer = integer_greater_than(1)
simplex = _Simple("Simplex()", lambda v: (v >= 0).all(-1) & ((v.sum(-1) - 1).abs() < 1e-6), False, 1)
square = _Simple("Square()", lambda v: weft.full(v.shape[:-2], v.shape[-2] == v.shape[-1], dtype=weft.bool), False, 2)
symmetric = _Simple("Symmetric()", _symmetric, False, 2)
lower_triangular = _Simple("LowerTriangular()", _tril, False, 2)
lower_cholesky = _Simple("LowerCholesky()", lambda v: _tril(v) & (v.diagonal(dim1=-2, dim2=-1) > 0).all(-1), False, 2)
positive_definite = _Simple("PositiveDefinite()", lambda v: _symmetric(v) & (weft.linalg.cholesky_ex(v).info == 0),
                            False, 2)
