"""Batch rules: how an op runs on all examples at once.

A rule gets a `Call`, whose values have the examples as their first dimension where `batched` says so, and gives the
op's outputs, all with the examples first. Most follow from what the op is: elementwise, a reduction, or with dimensions
that are counted from one later. The others are written with `@batch` in this folder, one file for each family.
"""
from weft.ops.core.registry import ALL, OPS_BY_NAME
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor

RULES = {}          # op's name -> rule
DIMS = frozenset(("dim", "dims", "dim0", "dim1", "dim2"))


class Unruled(Exception):
    """A rule doesn't take such a call: the op runs once for each example."""


def batch(*names):
    """Make a function the batch rule of the ops called so."""
    def decorate(rule):
        for name in names:
            RULES[name] = rule
        return rule
    return decorate


def rule_of(op):
    """The rule of an op, None where there is none."""
    found = RULES.get(op.name)
    if found is None:
        if op.pointwise:
            found = elementwise
        elif op.reduces:
            found = reduction
        elif DIMS.intersection(op.names):
            found = shifted
        elif op.kind == "linalg":
            found = leading
    return found


class Call:
    """One op on a batch. `given`: the values as one example has them; `values`: the batches behind them; `batched`:
    True, False, or for a list of tensors a list of both."""

    def __init__(self, size, op, values, outputs, whole):
        self.size, self.op, self.given, self.outputs = size, op, values, outputs
        self.values, self.batched = [], []
        for v in values:
            if isinstance(v, Tensor):
                value, flag = whole(v)
            elif isinstance(v, (list, tuple)) and any(isinstance(e, Tensor) for e in v):
                pairs = [whole(e) if isinstance(e, Tensor) else (e, False) for e in v]
                value, flag = [p[0] for p in pairs], [p[1] for p in pairs]
            else:
                value, flag = v, False
            self.values.append(value)
            self.batched.append(flag)
        self.any_batched = any(f if isinstance(f, bool) else any(f) for f in self.batched)
        self.names = op.names

    def __getattr__(self, name):
        """A parameter's value, by its name."""
        try:
            return self.values[self.names.index(name)]
        except ValueError:
            raise AttributeError(name) from None

    def has_batch(self, name):
        return self.batched[self.names.index(name)]

    def one(self, name):
        """A parameter as one example has it."""
        return self.given[self.names.index(name)]

    def run(self, values, op=None):
        """The op's outputs, a list."""
        made = (self.op if op is None else op).compute(list(values))
        return [] if made is None else list(made) if isinstance(made, (tuple, list)) else [made]

    def changed(self, **values):
        """The op's outputs with other values for some parameters; all tensors are spread over the batch first."""
        return self.run([values.get(name, self.spread_value(i)) for i, name in enumerate(self.names)])

    def rank(self, i=0):
        """How many dimensions a parameter has in one example."""
        return self.given[i]._form.ndim

    def spread(self, name):
        return self.spread_value(self.names.index(name))

    def spread_value(self, i):
        """A value with the examples first, repeated for all of them where it is the same."""
        value, flag = self.values[i], self.batched[i]
        if isinstance(flag, list):
            return [self._spread(e, f) for e, f in zip(value, flag)]
        return self._spread(value, flag)

    def _spread(self, value, flag):
        if flag or not isinstance(value, Tensor):
            return value
        return value.unsqueeze(0).expand((self.size, *value._form.shape))

    def aligned(self, i, rank):
        """A value that broadcasts with others of `rank` dimensions in one example."""
        value, flag = self.values[i], self.batched[i]
        return lifted(value, rank) if flag is True else value

    def fitted(self, made, out):
        """A result in the shape and type that the op's shape rule gave."""
        want = (self.size, *out._form.shape)
        if made._form.shape != want:
            made = made.reshape(want)
        return made if made._form.dtype == out._form.dtype else made.to(out.dtype)

    def run_each(self, same_numbers=False):
        """The op once for each example, stacked; with the same random numbers for all of them."""
        start, rows = FUNCTIONS["get_rng_state"]() if same_numbers else None, []
        for i in range(self.size):
            if same_numbers:
                FUNCTIONS["set_rng_state"](start)
            rows.append(self.run([_example(v, f, i) for v, f in zip(self.values, self.batched)]))
        if not rows:
            return [FUNCTIONS["zeros"]((0, *out._form.shape), dtype=out.dtype) for out in self.outputs]
        return [FUNCTIONS["stack"](column) for column in zip(*rows)]

    def draw(self):
        """Random numbers, other ones for each example."""
        if self.op.name == "_drawn" and self.values[self.names.index("strides")] is None:
            return self.run([(self.size, *v) if name == "size" else v for name, v in zip(self.names, self.values)])
        tensors = [i for i, v in enumerate(self.values) if isinstance(v, Tensor)]
        rank = max([self.rank(i) for i in tensors], default=0)
        shape = self.outputs[0]._form.shape
        plain = all(v is False for name, v in zip(self.names, self.values) if name in ("features", "turned"))
        if not tensors or not plain or len(self.outputs) > 1 or len(shape) != rank:
            return self.run_each()
        values = list(self.values)
        for i in tensors:
            values[i] = self.aligned(i, rank).expand((self.size, *shape))
        return self.run(values)


def lifted(whole, rank):
    """A batch of tensors with `rank` dimensions each, by dimensions of length 1 after the first."""
    form = whole._form
    missing = rank + 1 - form.ndim
    return whole.reshape((form.shape[0], *(1,) * missing, *form.shape[1:])) if missing > 0 else whole


def _example(value, flag, i):
    if isinstance(flag, list):
        return [e.select(0, i) if f else e for e, f in zip(value, flag)]
    return value.select(0, i) if flag else value


def by_name(name):
    """An op by its name."""
    found = OPS_BY_NAME.get(name)
    return found if found is not None else next(op for op in ALL if op.name == name)


# what follows from what an op is

def elementwise(call):
    """Broadcasting: everybody gets as many dimensions as the greatest has."""
    rank = max(call.rank(i) for i, v in enumerate(call.given) if isinstance(v, Tensor))
    return call.run([call.aligned(i, rank) for i in range(len(call.values))])


def reduction(call):
    """`dim` counted from one later; over all dimensions, each example is one row."""
    dim, rank = call.dim, call.rank()
    x = call.spread("x")
    if dim in ((), []) and call.outputs[0]._form.ndim == rank:     # over no dimension
        return call.changed(x=x)
    if dim is None or dim in ((), []) or not rank:
        x, shifted_dim = x.reshape((call.size, -1)), 1
    else:
        shifted_dim = tuple(d % rank + 1 for d in dim) if isinstance(dim, (tuple, list)) else dim % rank + 1
    values = dict(x=x, dim=shifted_dim)
    if x is not call.x and "keepdim" in call.names and call.rank() != x._form.ndim - 1:
        values["keepdim"] = False
    return call.changed(**values)


def moved(dim, rank):
    """A dimension's number behind the examples' one; that of a number is its only one."""
    return dim % rank + 1 if rank else 1


def shifted(call):
    """Dimensions counted from one later, all tensors spread over the batch. A number has one dimension meanwhile."""
    first = call.given[0]
    rank = (first[0] if isinstance(first, (list, tuple)) else first)._form.ndim
    values = {}
    for i, name in enumerate(call.names):
        v = call.values[i]
        if name in DIMS and v is not None:
            values[name] = [moved(d, rank) for d in v] if isinstance(v, (tuple, list)) else moved(v, rank)
        elif name in DIMS:
            raise Unruled
        elif not rank and isinstance(v, Tensor):
            whole = call.spread_value(i)
            values[name] = whole.reshape((call.size, 1)) if whole._form.ndim == 1 else whole
    return call.changed(**values)


def leading(call):
    """The op takes stacks of what it takes."""
    return call.changed()


def direct(call):
    """It does the same to every element, or to the last dimensions."""
    return call.run([call.spread_value(i) for i in range(len(call.values))])
