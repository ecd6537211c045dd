"""Where values may lie: `constraint.check(value)` says for each event whether it does."""
import weft

__all__ = ["Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
           "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
           "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky", "lower_triangular",
           "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite",
           "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square", "stack",
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
        return _title(self) + "()"


def _title(constraint):
    """The name of a constraint's class as PyTorch shows it: GreaterThan for greater_than."""
    return "".join(word[0].upper() + word[1:] for word in type(constraint).__name__.split("_") if word)


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


def _simple(name, check, is_discrete=False, event_dim=0):
    """The one constraint of a class of its own (registries go by the class), which has PyTorch's name for it."""
    kind = type(name, (Constraint,), {"__doc__": None, "__module__": __name__, "is_discrete": is_discrete,
                                      "event_dim": event_dim, "check": lambda self, value: check(value)})
    globals()[name] = kind              # where pickle finds it
    return kind()


class _Bounds(Constraint):
    """A constraint given by bounds; the fields are named in `fields`."""
    fields = ()

    def __init__(self, *bounds, **named):
        given = dict(zip(self.fields, bounds, strict=False), **named)
        for name in self.fields:
            setattr(self, name, given[name])

    def __repr__(self):
        shown = ", ".join(f"{f}={_short(getattr(self, f))}" for f in self.fields)
        return f"{_title(self)}({shown})"


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
    __repr__ = Constraint.__repr__
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
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The support of a mixture: a value is asked of every component, which are the last batch dimension.

    >>> import weft
    >>> constraints = weft.distributions.constraints
    >>> constraints.MixtureSameFamilyConstraint(constraints.positive).check(weft.tensor([1.0, -1.0]))
    tensor([ True, False])
    """
    def __init__(self, base_constraint):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, not a {type(base_constraint).__name__}")
        self.base_constraint = base_constraint
        self.is_discrete, self.event_dim = base_constraint.is_discrete, base_constraint.event_dim

    def check(self, value):
        found = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))     # room for the components
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return found.reshape(found.shape[:value.dim() - self.event_dim] + (-1,)).all(-1)

    def __repr__(self):
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


def _constraints(cseq):
    """A list of constraints, which it must be."""
    cseq = list(cseq)
    if not all(isinstance(c, Constraint) for c in cseq):
        raise AssertionError("cseq must be a sequence of constraints, and one of it is not a Constraint")
    return cseq


def _check_dim(dim, value):
    if not -value.dim() <= dim < value.dim():
        raise AssertionError(f"the constraint is along dimension {dim}, and the value has {value.dim()} dimensions")


class cat(Constraint):
    """Several constraints, each for its part of one dimension.

    >>> import weft
    >>> constraints = weft.distributions.constraints
    >>> both = constraints.cat([constraints.positive, constraints.unit_interval], dim=0, lengths=[1, 1])
    >>> both.check(weft.tensor([5.0, 0.5]))
    tensor([True, True])
    """
    def __init__(self, cseq, dim=0, lengths=None):
        self.cseq, self.dim = _constraints(cseq), dim
        self.lengths = list(lengths) if lengths is not None else [1] * len(self.cseq)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"there are {len(self.cseq)} constraints and {len(self.lengths)} lengths")
        self.is_discrete = any(c.is_discrete for c in self.cseq)
        self.event_dim = max(c.event_dim for c in self.cseq)

    def check(self, value):
        _check_dim(self.dim, value)
        checks, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths, strict=True):
            checks.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return weft.cat(checks, self.dim)


class stack(Constraint):
    """Several constraints, one for each index of a dimension.

    >>> import weft
    >>> constraints = weft.distributions.constraints
    >>> both = constraints.stack([constraints.positive, constraints.unit_interval], dim=1)
    >>> both.check(weft.tensor([[5.0, 0.5], [5.0, 5.0]]))
    tensor([[ True,  True],
            [ True, False]])
    """
    def __init__(self, cseq, dim=0):
        self.cseq, self.dim = _constraints(cseq), dim
        self.is_discrete = any(c.is_discrete for c in self.cseq)
        most = max(c.event_dim for c in self.cseq)
        self.event_dim = most + 1 if dim + most < 0 else most

    def check(self, value):
        _check_dim(self.dim, value)
        return weft.stack([c.check(part) for c, part in zip(self.cseq, value.unbind(self.dim), strict=False)], self.dim)


def _is_square(value):
    return weft.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=weft.bool)


def _is_symmetric(value):
    square_ones = _is_square(value)
    return square_ones if not square_ones.all() else weft.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


def _symmetric_and(check):
    """A check of symmetric matrices, which need not be asked of others."""
    def whole(value):
        symmetric_ones = _is_symmetric(value)
        return check(value) if symmetric_ones.all() else symmetric_ones
    return whole


def _tril(value):
    return (value.tril() == value).flatten(-2).all(-1)


def _is_lower_cholesky(value):
    return _tril(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


def _is_corr_cholesky(value):
    """A lower factor of a correlation matrix: its rows have length 1, up to ten roundings for each of their numbers."""
    most = weft.finfo(value.dtype).eps * value.shape[-1] * 10
    lengths = weft.linalg.norm(value.detach(), dim=-1)
    return _is_lower_cholesky(value) & ((lengths - 1.0).abs() <= most).all(-1)


dependent = _Dependent()
dependent_property = _DependentProperty
boolean = _simple("_Boolean", lambda v: (v == 0) | (v == 1), True)
one_hot = _simple("_OneHot", lambda v: ((v == 0) | (v == 1)).all(-1) & (v.sum(-1) == 1), True, 1)
real = _simple("_Real", lambda v: v == v)        # not NaN
real_vector = independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
nonnegative_integer = integer_greater_than(0)
positive_integer = integer_greater_than(1)
simplex = _simple("_Simplex", lambda v: (v >= 0).all(-1) & ((v.sum(-1) - 1).abs() < 1e-6), False, 1)
square = _simple("_Square", _is_square, False, 2)
symmetric = _simple("_Symmetric", _is_symmetric, False, 2)
lower_triangular = _simple("_LowerTriangular", _tril, False, 2)
lower_cholesky = _simple("_LowerCholesky", _is_lower_cholesky, False, 2)
corr_cholesky = _simple("_CorrCholesky", _is_corr_cholesky, False, 2)
positive_semidefinite = _simple("_PositiveSemidefinite",
                                _symmetric_and(lambda v: (weft.linalg.eigvalsh(v) >= 0).all(-1)), False, 2)
positive_definite = _simple("_PositiveDefinite", _symmetric_and(lambda v: weft.linalg.cholesky_ex(v).info == 0),
                            False, 2)

# PyTorch's names of the classes, which registries of other packages go by
_Interval, _HalfOpenInterval, _IntegerInterval = interval, half_open_interval, integer_interval
_GreaterThan, _GreaterThanEq, _LessThan = greater_than, greater_than_eq, less_than
_IntegerGreaterThan, _Multinomial = integer_greater_than, multinomial
_IndependentConstraint, _Cat, _Stack = independent, cat, stack
