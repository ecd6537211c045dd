"""From a constraint to a transform of all real numbers into it: `biject_to` one to one, `transform_to` as it suits
optimizers.
"""
from numbers import Number

from weft.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A table from classes of constraints to functions that make a transform of one.

    >>> import weft
    >>> from weft.distributions import constraints, transform_to
    >>> transform_to(constraints.positive)(weft.zeros(2))
    tensor([1., 1.])
    """

    def __init__(self):
        self._registry = {}

    def register(self, constraint, factory=None):
        """Use a function for a class of constraints, or for that of a constraint; also as a decorator.

        >>> import weft
        >>> from weft.distributions import constraint_registry, constraints, transforms
        >>> registry = constraint_registry.ConstraintRegistry()
        >>> @registry.register(constraints.positive)
        ... def positive(constraint):
        ...     return transforms.SoftplusTransform()
        >>> registry(constraints.positive)
        SoftplusTransform()
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, constraints.Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _for(registries, *kinds):
    """Decorator: the function serves these constraints in these registries."""
    def keep(factory):
        for registry in registries:
            for kind in kinds:
                registry.register(kind, factory)
        return factory
    return keep


_BOTH = (biject_to, transform_to)


@_for(_BOTH, constraints.real)
def _real(constraint):
    return transforms.identity_transform


@_for(_BOTH, constraints.greater_than, constraints.greater_than_eq)
def _above(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(),
                                        transforms.AffineTransform(constraint.lower_bound, 1)])


@_for(_BOTH, constraints.less_than)
def _below(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(),
                                        transforms.AffineTransform(constraint.upper_bound, -1)])


@_for(_BOTH, constraints.interval, constraints.half_open_interval)
def _between(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and isinstance(high, Number) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@_for(_BOTH, constraints.corr_cholesky)
def _corr_cholesky(constraint):
    return transforms.CorrCholeskyTransform()


biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())


@_for([transform_to], constraints.positive_definite, constraints.positive_semidefinite)
def _positive_definite(constraint):
    return transforms.PositiveDefiniteTransform()


def _made_of_others(registry):
    """The constraints that are made of constraints, by what the same registry says of those."""
    registry.register(constraints.independent, lambda c: transforms.IndependentTransform(
        registry(c.base_constraint), c.reinterpreted_batch_ndims))
    registry.register(constraints.cat, lambda c: transforms.CatTransform(
        [registry(part) for part in c.cseq], c.dim, c.lengths))
    registry.register(constraints.stack, lambda c: transforms.StackTransform(
        [registry(part) for part in c.cseq], c.dim))


for _registry in _BOTH:
    _made_of_others(_registry)
