"""torch.utils.flop_counter: how many floating-point operations products, convolutions and attention take."""
from weft.core.seam import Watcher
from weft.profiler.flops import Shape, flops
from weft.tensor.tensor import Tensor

__all__ = ["FlopCounterMode"]


class _Counter(Watcher):
    def __init__(self, counts):
        self.counts = counts

    def after(self, op, values, outputs):
        if getattr(op, "flops", None) is None or op.pointwise:
            return
        found = flops(op, [_shapes(v) for v in values], [Shape(t.shape) for t in outputs])
        if found:
            self.counts[op.name] = self.counts.get(op.name, 0) + found


def _shapes(value):
    if isinstance(value, Tensor):
        return Shape(value.shape)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return [_shapes(v) for v in value]
    return value


class FlopCounterMode:
    """Counts inside `with`, forward and backward.

    >>> import weft
    >>> from weft.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = weft.ones(2, 3) @ weft.ones(3, 4)
    >>> counter.get_total_flops()
    48
    """

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        if custom_mapping:
            raise NotImplementedError("weft's FlopCounterMode takes no custom_mapping: an op's body says its flops")
        self.display, self.flop_counts = display, {"Global": {}}
        self._watcher = None

    def __enter__(self):
        self.flop_counts["Global"].clear()
        self._watcher = _Counter(self.flop_counts["Global"]).start()
        return self

    def __exit__(self, *exc):
        self._watcher.stop()
        if self.display:
            print(self.get_table())

    def get_total_flops(self):
        """The sum."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """{"Global": {op's name: operations}}."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth=None):
        """A line for each op."""
        counts = self.flop_counts["Global"]
        width = max([len("Global"), *map(len, counts)])
        lines = [f"{name:{width}s} {count:>15,d}" for name, count in sorted(counts.items())]
        return "\n".join([f"{'Global':{width}s} {self.get_total_flops():>15,d}", *lines])
