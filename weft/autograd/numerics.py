"""`check_numerics`: a NaN or an infinity that an op makes, forward or backward, raises and names the line.

*Made* means: it is in the result and was not in what went in. An infinity that the user gives (masked_fill(mask, -inf),
full(..., inf), data with gaps) is passed on without a word; a NaN made of infinities (inf - inf, softmax of a row of
-inf) is made.
"""
import numpy as np

from weft.core.errors import where
from weft.core.modes import GRADIENTS, NUMERICS, Mode, local
from weft.core.place import here
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import title_of
from weft.tensor.tensor import Tensor


class NumericError(RuntimeError, FloatingPointError):
    """An op made a NaN or an infinity. op: its name; kind: "NaN" or "Inf"; index: the first bad place; backward: in
    which direction.
    """

    def __init__(self, op, kind, index, count, size, place, details, backward=False):
        self.op, self.kind, self.index, self.backward = op, kind, index, backward
        self._inner, self._place, self._details = None, place, details
        self._which = f"{count:,} of {size:,} value{'s' if size > 1 else ''}, first at {list(index)}"
        super().__init__(self._text())

    def __reduce__(self):
        return _restored, (self.__dict__, self.args)

    def within(self, op):
        """The op that failed is part of another one, which is what the user called."""
        self._inner = self._inner or self.op
        self.op = op
        self.args = (self._text(),)

    def _text(self):
        inner = f" in its {self._inner}" if self._inner and self._inner != self.op else ""
        lines = [f"{self.op} made {self.kind}{inner}: {self._which}"]
        if self._place:
            lines.append(f"  in  {self._place}")
        return "\n".join([*lines, *("  " + line for line in self._details)])


def _restored(fields, args):
    """An error that comes out of a pickle."""
    made = NumericError.__new__(NumericError, *args)
    made.__dict__.update(fields)
    return made


class Numerics:
    """What is looked for, and how a finding is judged; only called for results that are not all finite."""

    def __init__(self, nan=True, inf=True, in_forward=True, in_backward=True):
        self.nan, self.inf, self.in_forward, self.in_backward = nan, inf, in_forward, in_backward
        self.depth, self.first = 0, None        # compositions that are running, and the first finding inside them

    # forward

    def composed(self, op, args, kwargs):
        """A composition of ops: what it makes and cuts away again (log(0) under a mask) is its own business; what is
        left names it, too.
        """
        self.depth += 1
        try:
            result = op.compose(*args, **kwargs)
        finally:
            self.depth -= 1
            error = self.first
            if not self.depth:
                self.first = None
        if error is not None and not self.depth and not all_finite(result):
            error.within(title_of(op))
            raise error
        return result

    def forward(self, op, values, outputs):
        """Raise if this op made what is not finite in its outputs."""
        if op.name.startswith(UNINITIALISED):
            return
        names = getattr(op, "names", ())
        given = list(numbers_in([v for i, v in enumerate(values) if i >= len(names) or names[i] not in DEGREES]))
        aside = getattr(op, "nondiff", ())      # what an op keeps for its own backward may be as it likes
        for k, out in enumerate(outputs):
            if out._on_meta or out._form.dtype.kind not in "fcV" or k in aside:
                continue
            kind, bad = self.made(out._array, given, getattr(op, "pointwise", False))
            if bad is not None:
                return self.found(self.explain(op, values, out._array, kind, bad))
        self.look_at_leaves(op, values)

    def found(self, error):
        """Raise, or inside a composition wait for what comes out of it."""
        if not self.depth:
            raise error
        self.first = self.first or error

    def made(self, array, given, pointwise):
        """("NaN" or "Inf", mask of the places where it is new), or two times None. given: arrays and numbers that went
        in.
        """
        for kind, wanted, bad, excuse in (("NaN", self.nan, np.isnan, np.isnan),
                                          ("Inf", self.inf, np.isinf, not_finite)):
            if not wanted:
                continue
            found = bad(plain(array))
            if found.any():
                new = self.new(found, given, excuse, pointwise)
                if new is not None and new.any():
                    return kind, new
        return None, None

    def new(self, found, given, excuse, pointwise):
        """Where a bad value was not handed in; None when that can't be told apart, so that it counts as handed in."""
        for value in given:
            seen = excuse(plain(value)) if isinstance(value, np.ndarray) else excuse(np.asarray(value))
            if not seen.any():
                continue
            if not pointwise or seen.ndim > found.ndim:
                return None
            try:
                found = found & ~np.broadcast_to(seen, found.shape)
            except ValueError:
                return None
        return found

    def explain(self, op, values, array, kind, bad):
        index = first_index(bad)
        names = getattr(op, "names", ())
        shown = []
        for i, v in enumerate(values):
            name = PUBLIC.get(names[i], names[i]) if i < len(names) else f"argument {i}"
            for t in v if isinstance(v, (list, tuple)) else (v,):
                if isinstance(t, Tensor):
                    shown.append(describe(name, t._array, index, op, array.shape))
                elif isinstance(t, float):
                    shown.append(f"{name} = {t:g}")
        details = ["input: " + line if n == 0 else "       " + line for n, line in enumerate(shown[:8])]
        met = kind == "NaN" and any("Inf" in line for line in shown)
        details.append("fix: don't let infinities meet (inf - inf, 0 * inf, a softmax over nothing but -inf)" if met
                       else
                       "fix: keep its inputs away from where it has no finite value (clamp, a small epsilon, a smaller "
                       "learning rate)")
        return NumericError(title_of(op), kind, index, int(np.count_nonzero(bad)), bad.size, where(here()), details)

    def look_at_leaves(self, op, values):
        """What is passed on is no finding, except when a parameter was written so since: by an optimizer's step,
        mostly.
        """
        for t in values:
            if not isinstance(t, Tensor) or not t._wants_grad or t._memory_record is None \
                    or t._memory_record.written is None:
                continue
            kind, bad = self.made(t._array, (), False)
            if bad is not None:
                details = [f"read by {title_of(op)}, {where(here())}", describe("parameter", t._array),
                           "fix: look at the gradients of the step before (weft.inspect.gradients), clip them, or "
                           "lower the learning rate"]
                place = where(t._memory_record.written)
                return self.found(NumericError("a write", kind, first_index(bad), int(np.count_nonzero(bad)), bad.size,
                                               place, details))

    # backward

    def backward(self, node, grad, grads):
        """Raise if this node's rules made what is not finite of a gradient that was."""
        came = [g for g in (grad if isinstance(grad, list) else [grad]) if g is not None]
        given = [g._array for g in came if g._form.dtype.kind in "fcV"]
        for i, g in enumerate(grads):
            if g is None or g._on_meta or g._form.dtype.kind not in "fcV":
                continue
            kind, bad = self.made(g._array, given, False)
            if bad is None:
                continue
            details = ["gradient that came in: " + describe("", c._array).strip() for c in came]
            details += saved_lines(node)
            details.append("fix: look at that line's inputs: its derivative has no finite value there (sqrt or a norm "
                           "at 0, division by 0, log at 0)")
            which = f"{node.own_name()}'s gradient of input {i}" if len(grads) > 1 else f"{node.own_name()}'s gradient"
            raise NumericError(which, kind, first_index(bad), int(np.count_nonzero(bad)), bad.size, where(node),
                               details, True) from None
        if node.extra is None and self.all_given_finite(local.run):
            self.sums(f"the sum of the gradients of {node.own_name()}'s output", [g._array for g in came], where(node))

    def leaf(self, run, leaf, grad):
        """The same for the sum of what reaches a leaf."""
        if self.all_given_finite(run):
            self.sums(f"the sum of the gradients of a leaf of shape {list(leaf._form.shape)}", [grad._array], None)

    def all_given_finite(self, run):
        """Whether the backward began with finite gradients: every part is checked, so only a sum can be bad then."""
        return run is not None and all_finite(run.given)

    def sums(self, which, arrays, place):
        for array in arrays:
            kind, bad = self.made(array, (), False) if array.dtype.kind in "fcV" else (None, None)
            if bad is not None:
                details = ["fix: the parts are finite, their sum is too large: scale the loss down, or clip the parts"]
                raise NumericError(which, kind, first_index(bad), int(np.count_nonzero(bad)), bad.size, place, details,
                                   True) from None


def all_finite(result):
    """Whether no tensor of a result, which may be a tuple or list, holds a NaN or an infinity."""
    for t in result if isinstance(result, (tuple, list)) else (result,):
        if (isinstance(t, Tensor) and t._form.dtype.kind in "fcV" and not t._on_meta
            and not np.isfinite(plain(t._array)).all()):
            return False
    return True


UNINITIALISED = ("empty", "_empty", "new_empty")        # their numbers are nobody's
DEGREES = ("ord", "p")      # an infinite one says which norm, it is no value
PUBLIC = {"x": "input", "y": "other"}


def plain(array):
    """As a type that NumPy's tests take."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def not_finite(array):
    return ~np.isfinite(array)


def numbers_in(values):
    """The arrays and the numbers that are not finite among bound values, those in lists too."""
    stack = list(values)
    while stack:
        v = stack.pop()
        if isinstance(v, Tensor):
            if v._form.dtype.kind in "fcV" and not v._on_meta:
                yield v._array
        elif isinstance(v, (float, complex, np.inexact)):
            if not np.isfinite(v):
                yield v
        elif isinstance(v, (list, tuple)):
            stack.extend(v)


def first_index(bad):
    """The first place that is True, in memory order."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))


def describe(name, array, index=None, op=None, shape=None):
    """`input [3, 4] float32, -1 .. 2`, with the value at the bad place for ops that work place by place."""
    text = f"{name} {list(array.shape)} {array.dtype}"
    if array.size and array.dtype.kind in "fcVbiu":
        values = plain(array)
        values = np.abs(values) if values.dtype.kind == "c" else values
        finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
        if finite.size:
            text += f", {number(finite.min())} .. {number(finite.max())}"
        if values.dtype.kind == "f" and finite.size < values.size:
            nan = int(np.count_nonzero(np.isnan(values)))
            text += f", {nan:,} NaN" * (nan
                                        > 0) + f", {values.size - finite.size - nan:,} Inf" * (values.size
                                                                                               - finite.size > nan)
        if index is not None and getattr(op, "pointwise", False) and array.ndim <= len(shape):
            try:
                text += f"; {number(np.broadcast_to(plain(array), shape)[index])} there"
            except ValueError:
                pass
    return text


def number(value):
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def saved_lines(node):
    """What a node saved, for the message: the forward's inputs or output."""
    if node.plan is None or not node.saved or node.packed:
        return []
    names, lines = node.op.slot_names(), []
    for slot, value in zip(node.plan.keep, node.saved):
        if slot < len(names) and isinstance(value, Tensor):
            lines.append(describe(PUBLIC.get(names[slot], names[slot]), value._array))
    return ["saved: " + line if n == 0 else "       " + line for n, line in enumerate(lines)]


class check_numerics(Mode):
    """Raise NumericError (a RuntimeError and a FloatingPointError) where a NaN or an infinity is made: its op, line and
    inputs.

    Switched on at once when called, off with check_numerics(False); as a context manager or decorator only for that
    long.

    >>> import weft
    >>> try:
    ...     with weft.check_numerics():
    ...         weft.tensor([1.0, 0.0]).log()
    ... except FloatingPointError as error:
    ...     print(str(error).splitlines()[0])
    log made Inf: 1 of 2 values, first at [1]
    """

    def __new__(cls, mode=True, **options):
        made = super().__new__(cls)
        if callable(mode):
            made.__init__(True, **options)
            return made(mode)
        return made

    def __init__(self, mode=True, *, nan=True, inf=True, forward=True, backward=True):
        self.options = dict(mode=bool(mode), nan=nan, inf=inf, forward=forward, backward=backward)
        self.made = Numerics(nan, inf, forward, backward) if mode and (nan or inf) and (forward or backward) else None
        self._first = local.numerics
        install(self.made)

    def __enter__(self):
        install(self.made)
        return self

    def __exit__(self, *exc):
        install(self._first)

    def __call__(self, function):
        self.__exit__()     # as a decorator it must not change the code around the definition
        return super().__call__(function)

    def clone(self):
        """Another one with the same options, for a decorated function's next call.

        >>> import weft
        >>> with weft.check_numerics(inf=False) as mode:
        ...     with mode.clone() as other:
        ...         print(other.options["inf"])
        False
        """
        return check_numerics(**self.options)


def install(numerics):
    """Let this thread's ops be checked, or with None no longer."""
    local.numerics = numerics
    bits = mode_bits() & ~(NUMERICS | GRADIENTS)
    if numerics is not None:
        bits |= (NUMERICS if numerics.in_forward else 0) | (GRADIENTS if numerics.in_backward else 0)
    set_mode_bits(bits)
