"""`summary(model, *inputs)`: the layers of a model, with what they give out, hold and compute."""
from weft.core.modes import no_grad
from weft.core.runtime import running as running_module
from weft.core.seam import Watcher
from weft.core.units import bytes_text
from weft.nn.module import Module
from weft.profiler.flops import Shape, flops
from weft.profiler.log import snapshot
from weft.profiler.places import chain_of
from weft.tensor.nested import tensors_in
from weft.tensor.tensor import Tensor


class Row:
    """One module: its path, class, depth, output shape, own parameters, operations and bytes of its output."""

    def __init__(self, path, module, depth):
        self.path, self.kind, self.depth = path, type(module).__name__, depth
        self.own = [p for p in module._parameters.values() if p is not None]
        self.shape, self.calls, self.flops, self.bytes = None, 0, 0, 0
        self.parameters = sum(p.numel() for p in self.own)
        self.leaf = not any(True for _ in module.children())

    def __repr__(self):
        return f"<Row {self.path or self.kind} {self.shape} {self.parameters} parameters>"


class _Counter(Watcher):
    """Adds each op's operations to all the modules that are running."""

    def __init__(self, rows):
        self.rows, self.total = rows, 0

    def after(self, op, values, outputs):
        n = flops(op, snapshot(values), tuple([Shape(o._form.shape) for o in outputs]))
        self.total += n
        for running in chain_of(running_module()) if n else ():
            row = self.rows.get(id(running.module()))
            if row is not None:
                row.flops += n


class Summary:
    """The figures of a model: `rows`, totals, and the table when printed."""

    def __init__(self, rows, model, inputs, operations):
        self.rows, self.flops = rows, operations
        parameters = list(model.parameters())
        self.parameters = sum(p.numel() for p in parameters)
        self.trainable = sum(p.numel() for p in parameters if p.requires_grad)
        self.parameter_bytes = sum(p._form.nbytes for p in parameters)
        self.buffer_bytes = sum(b._form.nbytes for b in model.buffers())
        self.input_bytes = sum(t._form.nbytes for t in tensors_in(inputs))
        self.output_bytes = sum(row.bytes for row in rows if row.leaf)

    def __str__(self):
        cells = [("layer", "output shape", "parameters", "FLOPs", "output bytes")]
        for row in self.rows:
            name = row.path.rpartition(".")[2] or row.kind
            shown = f"{name} ({row.kind})" if row.path else row.kind
            times = f" x{row.calls}" if row.calls > 1 else ""
            cells.append(("  " * row.depth + shown + times, row.shape or "(not called)", f"{row.parameters:,}"
                          if row.parameters else "", short(row.flops) if row.flops else "", bytes_text(row.bytes)
                          if row.leaf and row.bytes else ""))
        widths = [max(len(row[i]) for row in cells) for i in range(5)]
        lines = ["  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()
                 for row in cells]
        rule = "-" * (sum(widths) + 8)
        frozen = f", {self.parameters - self.trainable:,} of them frozen" if self.parameters != self.trainable else ""
        held = (f"parameters: {self.parameters:,}{frozen} ({bytes_text(self.parameter_bytes)}), buffers: "
                f"{bytes_text(self.buffer_bytes)}")
        made = (f"one forward pass: {short(self.flops)}FLOPs, input {bytes_text(self.input_bytes)}, "
                f"layers' outputs {bytes_text(self.output_bytes)}")
        return "\n".join([lines[0], rule, *lines[1:], rule, held, made])

    __repr__ = __str__


def summary(model, *inputs, **kwargs):
    """Call `model(*inputs, **kwargs)` once, in evaluation mode and without a graph, and tell what its layers did.

    Also a method: `model.summary(x)`. FLOPs of a module include those of the modules inside it.

    >>> import weft
    >>> report = weft.profiler.summary(weft.nn.Linear(3, 2), weft.ones(1, 3))
    >>> [(row.kind, row.parameters) for row in report.rows]
    [('Linear', 8)]
    """
    if not isinstance(model, Module):
        raise TypeError(f"summary(): the model must be an nn.Module, got {type(model).__name__}")
    if not inputs and not kwargs:
        raise ValueError("summary(): the model is called once, with the inputs that you give\n  fix: model.summary(x), "
                         "x a batch as in training")
    rows = {}
    for path, module in model.named_modules():
        rows[id(module)] = Row(path, module, path.count(".") + 1 if path else 0)
    modes = [(module, module.training) for module in model.modules()]
    handles = [module.register_forward_hook(_note(rows[id(module)])) for module in model.modules()]
    counter = _Counter(rows)
    try:
        model.eval()
        with no_grad(), counter:
            model(*inputs, **kwargs)
    finally:
        for handle in handles:
            handle.remove()
        for module, training in modes:
            module.training = training
    return Summary(list(rows.values()), model, (inputs, kwargs), counter.total)


def _note(row):
    def hook(module, args, result):
        found = list(tensors_in(result))
        row.shape = shapes_of(result)
        row.calls += 1
        row.bytes += sum(t._form.nbytes for t in found)
    return hook


def shapes_of(value):
    """`[2, 8]`, or `([2, 8], [1, 8])` for several."""
    if isinstance(value, Tensor):
        return str(list(value._form.shape))
    found = [str(list(t._form.shape)) for t in tensors_in(value)]
    return "(" + ", ".join(found) + ")" if len(found) != 1 else found[0]


def short(n):
    """`1.2 M`."""
    for unit, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("K", 1e3)):
        if n >= scale:
            return f"{n / scale:.2f} {unit}"
    return f"{n} "
