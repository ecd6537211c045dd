"""What is known of symbols in types."""


class Equality:
    """Two dimensions are the same."""

    def __init__(self, lhs, rhs):
        self.lhs, self.rhs = lhs, rhs

    def __eq__(self, other):
        return isinstance(other, Equality) and (self.lhs, self.rhs) == (other.lhs, other.rhs)

    def __hash__(self):
        return hash((self.lhs, self.rhs))

    def __repr__(self):
        return f"{self.lhs} = {self.rhs}"
