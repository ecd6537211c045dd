"""How a tensor is spread over the ranks of a mesh."""


class Placement:
    """One of the three below."""

    def is_shard(self, dim=None):
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self):
        return isinstance(self, Replicate)

    def is_partial(self):
        return isinstance(self, Partial)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash((type(self), *vars(self).values()))


class Shard(Placement):
    """Every rank has a part, cut along a dimension."""

    def __init__(self, dim):
        self.dim = dim

    def __repr__(self):
        return f"Shard(dim={self.dim})"


class Replicate(Placement):
    """Every rank has all of it."""

    def __repr__(self):
        return "Replicate()"


class Partial(Placement):
    """Every rank has a summand."""

    def __init__(self, reduce_op="sum"):
        self.reduce_op = reduce_op

    def __repr__(self):
        return f"Partial({self.reduce_op})"
