"""Looking at a network in training: gradients and activations layer by layer, what is wrong with them, and what to try.

    loss.backward()
    print(weft.inspect.gradients(model, optimizer))
    print(weft.inspect.activations(model, x))
"""
import math

import numpy as np

from weft.core.modes import no_grad
from weft.tensor.tensor import Tensor
from weft.viz.stats import norm_of, plain

__all__ = ["Report", "activations", "gradients"]

# a layer's gradient beside the largest one's: below it vanishes; beside the median: above it explodes
TINY, HUGE = 1e-4, 1e4
SMALLEST, LARGEST = 1e-10, 1e3      # the same by itself (root mean square of its values)
SLOW, FAST = 1e-7, 1e-1             # what a step changes, beside the weights; about 1e-3 is usual
DEAD = 0.5                          # share of a layer's units without gradient from which on it is said

ADVICE = {
    "not finite": "{names}: NaN or Inf in the gradients. Run the step under weft.check_numerics(): it names the line "
    "that makes them.",
    "no gradient": "{names}: no gradient at all. The loss is not computed from them, or a detach(), no_grad() or "
    "item() stands between; "
                   "freeze them with requires_grad_(False) if that is meant.",
    "zero": "{names}: all gradients are exactly 0. Units behind them are dead, or a mask or a clamp cuts them off.",
    "vanishing": "{names}: gradients vanish. Try residual connections or normalisation (LayerNorm, BatchNorm), ReLU or "
    "GELU in place of sigmoid "
                 "and tanh, and He or Xavier initialisation (nn.init).",
    "exploding": "{names}: gradients explode. Clip them (nn.utils.clip_grad_norm_), lower the learning rate, or add "
    "normalisation.",
    "dead": "{names}: at least half of the units are dead (0 whatever goes in). Lower the learning rate, try LeakyReLU "
    "or GELU, or look at the "
            "bias and the inputs' scale.",
    "slow": "{names}: a step changes less than a ten-millionth of the weights. Raise the learning rate.",
    "fast": "{names}: a step changes more than a tenth of the weights. Lower the learning rate, or clip the gradients.",
    "saturated": "{names}: most values are at the ends of their range, where the slope is nearly 0. Normalise the "
    "inputs, or begin with smaller "
                 "weights.",
    "constant": "{names}: the same value for everything that goes in. Look at the layers before it.",
}


class Report:
    """A table by layers. rows: dicts; findings: {what: [layers]}; healthy: whether there are none. Prints as a table
    with advice.

    >>> import weft
    >>> net = weft.nn.Linear(3, 1)
    >>> (net(weft.ones(2, 3)) * float("inf")).sum().backward()
    >>> report = weft.inspect.gradients(net)
    >>> list(report.findings), len(report)
    (['not finite'], 1)
    """

    def __init__(self, title, columns, rows, findings):
        self.title, self.columns, self.rows, self.findings = title, columns, rows, {k: v for k, v in findings.items()
                                                                                    if v}

    @property
    def healthy(self):
        """Whether nothing was found.

        >>> import weft
        >>> net = weft.nn.Linear(3, 1)
        >>> net(weft.ones(2, 3)).sum().backward()
        >>> weft.inspect.gradients(net).healthy
        True
        """
        return not self.findings

    @property
    def advice(self):
        """A sentence for each kind of finding.

        >>> import weft
        >>> report = weft.inspect.gradients(weft.nn.Linear(3, 1))
        >>> len(report.advice)
        1
        """
        return [ADVICE[what].format(names=_listed(names)) for what, names in self.findings.items()]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, layer):
        """The row of a layer."""
        for row in self.rows:
            if row["layer"] == layer:
                return row
        raise KeyError(f"no layer '{layer}'; layers: {', '.join(row['layer'] for row in self.rows)}")

    def to_dict(self):
        """The report as plain data.

        >>> import weft
        >>> net = weft.nn.Linear(3, 1)
        >>> net(weft.ones(2, 3)).sum().backward()
        >>> sorted(weft.inspect.gradients(net).to_dict())
        ['advice', 'findings', 'rows', 'title']
        """
        return {"title": self.title, "rows": [{k: plain(v) if isinstance(v, float) else v for k, v in row.items()}
                                              for row in self.rows],
                "findings": self.findings, "advice": self.advice}

    def __str__(self):
        shown = [c for c in self.columns if c == "layer" or any(row.get(c) not in (None, "") for row in self.rows)]
        table = [shown] + [[_cell(row.get(c)) for c in shown] for row in self.rows]
        widths = [max(len(line[i]) for line in table) for i in range(len(shown))]
        left = {"layer", "kind", "verdict"}
        lines = ["  ".join(cell.ljust(w) if name in left else cell.rjust(w)
                           for cell, w, name in zip(line, widths, shown)).rstrip() for line in table]
        return "\n".join([self.title, *lines, *("! " + line for line in self.advice)] if self.advice
                         else [self.title, *lines, "nothing conspicuous"])

    def __repr__(self):
        return str(self)


def gradients(model, optimizer=None):
    """Norms of weights and gradients layer by layer after a backward; with the optimizer, also how much its next step
    changes.

    Call it between backward() and step(). A layer is a module with parameters of its own. `dead` counts the units (rows
    of a weight) whose gradient is exactly 0: behind a ReLU, those that nothing in the batch switched on.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.ReLU(), weft.nn.Linear(4, 1))
    >>> net(weft.ones(2, 3)).sum().backward()
    >>> report = weft.inspect.gradients(net)
    >>> [row["layer"] for row in report]
    ['0', '2']
    """
    rows, rates = [], _rates(optimizer)
    for path, module in model.named_modules():
        own = [(name, p) for name, p in module._parameters.items() if p is not None]
        if own:
            rows.append(_layer_row(path or type(model).__name__, module, own, rates))
    if not rows:
        return Report(f"gradients of {type(model).__name__}: it has no parameters", ("layer",), [], {})
    _judge(rows)
    found = _findings(rows, "not finite", "no gradient", "zero", "vanishing", "exploding", "dead", "slow", "fast")
    total = math.sqrt(sum(row["|grad|"] ** 2 for row in rows if row["|grad|"] is not None))
    title = (f"gradients of {type(model).__name__}: {len(rows)} layers, {sum(row['values'] for row in rows):,} values, "
             f"norm of all {total:.3g}")
    return Report(title, ("layer", "kind", "values", "|weight|", "|grad|", "grad/weight", "update/weight", "dead",
                          "verdict"), rows, found)


def _findings(rows, *kinds):
    return {what: [row["layer"] for row in rows if row["verdict"] == what] for what in kinds}


def _layer_row(path, module, own, rates):
    trained = [(name, p) for name, p in own if p.requires_grad]
    row = {"layer": path, "kind": f"{type(module).__name__}({module.extra_repr()})",
           "values": sum(p._form.size for _, p in own), "|weight|": _norm([p for _, p in own]), "|grad|": None,
           "grad/weight": None, "update/weight": None, "dead": None, "verdict": ""}
    row["kind"] = row["kind"] if len(row["kind"]) <= 40 else type(module).__name__
    if not trained:
        row["verdict"] = "frozen"
        return row
    with_grad = [p for _, p in trained if p._grad is not None]
    if not with_grad:
        row["verdict"] = "no gradient"
        return row
    grads = [p._grad for p in with_grad]
    row["|grad|"] = _norm(grads)
    row["rms"] = row["|grad|"] / math.sqrt(max(sum(g._form.size for g in grads), 1))
    if row["|weight|"]:
        row["grad/weight"] = row["|grad|"] / row["|weight|"]
        steps = [rates[id(p)](p) for p in with_grad if id(p) in rates]
        if steps:
            row["update/weight"] = math.sqrt(sum(s * s for s in steps)) / row["|weight|"]
    row["dead"] = _dead_units(module, dict(own))
    bad = sum(int(np.count_nonzero(~np.isfinite(_floats(g)))) for g in grads)
    if bad:
        row["verdict"], row["not finite"] = "not finite", bad
    elif row["|grad|"] == 0:
        row["verdict"] = "zero"
    return row


def _dead_units(module, own):
    """`3 of 8`: rows of the weight (and of the bias) whose gradient is exactly 0; None for other kinds of layers."""
    weight, bias = own.get("weight"), own.get("bias")
    if weight is None or weight._grad is None or weight._form.ndim < 2 or hasattr(module, "num_embeddings"):
        return None
    g = _floats(weight._grad)
    g = np.moveaxis(g, 1, 0) if getattr(module, "transposed", False) else g
    silent = ~g.reshape(g.shape[0], -1).any(axis=1)
    if bias is not None and bias._grad is not None and bias._form.shape == silent.shape:
        silent &= _floats(bias._grad) == 0
    n = int(np.count_nonzero(silent))
    return f"{n} of {silent.size}" if n else None


def _judge(rows):
    """Vanishing and exploding are relative: beside the other layers that have gradients."""
    sizes = sorted(row["rms"] for row in rows if row.get("rms") and math.isfinite(row["rms"]))
    middle = sizes[len(sizes) // 2] if sizes else 0.0
    largest = max((size for size in sizes if size <= HUGE * middle), default=0.0)
    for row in rows:
        rms = row.get("rms")
        if row["verdict"] or rms is None:
            continue
        share = _share(row["dead"])
        change = row["update/weight"]
        if rms > LARGEST or middle and rms > HUGE * middle:
            row["verdict"] = "exploding"
        elif rms < SMALLEST or rms < TINY * largest:
            row["verdict"] = "vanishing"
        elif share >= DEAD:
            row["verdict"] = "dead"
        elif change is not None and change > FAST:
            row["verdict"] = "fast"
        elif change is not None and change < SLOW:
            row["verdict"] = "slow"
        else:
            row["verdict"] = "ok"


def _share(dead):
    if not dead:
        return 0.0
    n, _, total = dead.partition(" of ")
    return int(n) / max(int(total), 1)


def _rates(optimizer):
    """id of a parameter -> a function that gives the norm of what the next step adds to it, as far as it can be told
    beforehand.
    """
    found = {}
    for group in optimizer.param_groups if optimizer is not None else ():
        for p in group["params"]:
            found[id(p)] = _step_of(optimizer, group)
    return found


def _step_of(optimizer, group):
    rate = float(group["lr"])

    def step(p):
        g, state = _floats(p._grad), optimizer.state.get(p, {})
        if "betas" in group:                        # Adam and its kin: the mean over the root of the mean square
            first, second = group["betas"][:2]
            mean = _floats(state["exp_avg"]) if "exp_avg" in state else 0.0
            square = _floats(state["exp_avg_sq"]) if "exp_avg_sq" in state else None
            n = float(state["step"]) + 1 if "step" in state else 1.0
            mean = (first * mean + (1 - first) * g) / (1 - first ** n)
            if square is None and state:
                return rate * norm_of(np.ravel(mean))
            square = (second * (0.0 if square is None else square) + (1 - second) * g * g) / (1 - second ** n)
            return rate * norm_of(np.ravel(mean / (np.sqrt(square) + group.get("eps", 1e-8))))
        momentum = state.get("momentum_buffer")
        if momentum is not None:
            g = group.get("momentum", 0.0) * _floats(momentum) + (1 - group.get("dampening", 0.0)) * g
        return rate * norm_of(np.ravel(g))
    return step


def activations(model, *inputs, **kwargs):
    """Run the model and say of every layer's results: their range, share of zeros, dead units (0 for all examples),
    saturation.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.ReLU())
    >>> report = weft.inspect.activations(net, weft.rand(8, 3))
    >>> [row["layer"] for row in report]
    ['0', '1']
    """
    seen, handles = {}, []
    for path, module in model.named_modules():
        if not module._modules:
            handles.append(module.register_forward_hook(_Seen(path or type(model).__name__, seen)))
    try:
        with no_grad():
            model(*inputs, **kwargs)
    finally:
        for handle in handles:
            handle.remove()
    rows = [layer.row() for layer in seen.values()]
    found = _findings(rows, "not finite", "dead", "saturated", "constant")
    title = f"activations of {type(model).__name__}: {len(rows)} layers"
    return Report(title, ("layer", "kind", "calls", "shape", "min", "max", "mean", "std", "zero", "dead", "verdict"),
                  rows, found)


ENDS = {"Sigmoid": (0, 1), "Tanh": (-1, 1)}     # where they are nearly flat


class _Seen:
    """A hook that gathers what a layer gives, over all its calls."""

    def __init__(self, path, seen):
        self.path, self.seen = path, seen
        self.calls = self.size = self.finite = self.zeros = self.flat = 0
        self.low, self.high, self.sum, self.squares = math.inf, -math.inf, 0.0, 0.0
        self.active, self.examples = None, 0        # units that were not 0 at least once

    def __call__(self, module, args, output):
        t = next((v for v in (output if isinstance(output, (tuple, list)) else (output,)) if isinstance(v, Tensor)),
                 None)
        if t is None or t._on_meta or not t._form.size or t._form.dtype.kind not in "fV":
            return
        self.seen.setdefault(self.path, self)
        values = _floats(t)
        finite = values[np.isfinite(values)]
        self.kind, self.shape, self.calls = type(module).__name__, list(values.shape), self.calls + 1
        self.size, self.finite, self.zeros = (self.size + values.size, self.finite + finite.size,
                                              self.zeros + values.size - np.count_nonzero(values))
        if finite.size:
            self.low, self.high = min(self.low, float(finite.min())), max(self.high, float(finite.max()))
            self.sum, self.squares = (self.sum + float(finite.sum(dtype=np.float64)),
                                      self.squares + norm_of(finite.ravel()) ** 2)
        if self.kind in ENDS:
            low, high = ENDS[self.kind]
            self.flat += np.count_nonzero((values < low + 0.01) | (values > high - 0.01))
        axis = -1 if values.ndim in (1, 3) else 1       # (time, batch, features), else (batch, channels, ...)
        units = np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1)
        awake = units.any(axis=1)
        self.active = awake if self.active is None or self.active.shape != awake.shape else self.active | awake
        self.examples += units.shape[1]

    def row(self):
        """The row of the report."""
        n = max(self.finite, 1)
        mean = self.sum / n
        silent = int(np.count_nonzero(~self.active))
        row = {"layer": self.path, "kind": self.kind, "calls": self.calls if self.calls > 1 else None,
               "shape": str(self.shape), "min": self.low, "max": self.high, "mean": mean,
               "std": math.sqrt(max(self.squares / n - mean * mean, 0.0)), "zero": self.zeros / self.size,
               "dead": f"{silent} of {self.active.size}" if silent and self.examples > 1 else None, "verdict": "ok"}
        if self.finite < self.size:
            row["verdict"] = "not finite"
        elif self.examples > 1 and silent >= DEAD * self.active.size:
            row["verdict"] = "dead"
        elif self.flat > self.size / 2:
            row["verdict"] = "saturated"
        elif self.low == self.high and self.size > 1:
            row["verdict"] = "constant"
        return row


def _floats(t):
    """The values of a tensor as float32 or float64 numbers; magnitudes of complex ones."""
    array = t._array
    if array.dtype.kind == "c":
        return np.abs(array)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)


def _norm(tensors):
    return math.sqrt(sum(norm_of(np.ravel(_floats(t))) ** 2 for t in tensors))


def _cell(value):
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _listed(names):
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
