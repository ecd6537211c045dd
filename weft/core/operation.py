# compiled, hot
"""What a tensor knows of an op: that it can be called. The ops themselves stand in weft/ops."""


class Operation:
    """The base of every op; `call2(x, y)` is the road of the operators, `call(args, kwargs)` that of everything else.
    """

    def call1(self, x):
        raise NotImplementedError

    def call2(self, x, y):
        raise NotImplementedError

    def call(self, args, kwargs):
        raise NotImplementedError

    def call_values(self, values):
        """The same with the arguments in the order of the parameters, none missing."""
        raise NotImplementedError

    def compute(self, values):
        """The same for values none of which has a __torch_function__ to ask."""
        raise NotImplementedError

    def fit(self, grad, spec):
        """Bring a gradient to its input's shape and type: undo broadcasting and promotion."""
        raise NotImplementedError
