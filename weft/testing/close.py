"""`assert_close`: numbers, tensors and whatever holds them, compared with tolerances that fit their type."""
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from weft.core import dtype as dtypes
from weft.ops.core.promotion import cast
from weft.ops.create.data import as_tensor
from weft.tensor.tensor import Tensor

# dtype -> (rtol, atol); all others must be equal
TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
              "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}


class Options(NamedTuple):
    """How strictly to compare."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    allow_subclasses: bool

    def tolerances(self, *found):
        """The tolerances given, else the widest of these dtypes' own."""
        if self.rtol is not None:
            return self.rtol, self.atol
        pairs = [TOLERANCES.get(d.name, (0.0, 0.0)) for d in found]
        return max(p[0] for p in pairs), max(p[1] for p in pairs)


class Mismatch(Exception):
    """One pair differs."""


class Unsupported(Exception):
    """A pair of things that can't be compared."""


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raise AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere, also inside lists and
    dicts.

    >>> import weft
    >>> weft.testing.assert_close({"loss": weft.tensor(1.0)}, {"loss": weft.tensor(1.0 + 1e-7)})
    """
    if (rtol is None) != (atol is None):
        raise ValueError(f"rtol and atol must both be specified or both be unspecified, but got rtol={rtol}, "
                         f"atol={atol}")
    options = Options(rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses)
    for path, a, e in pairs_of(actual, expected):
        try:
            compare(a, e, options)
        except Unsupported as unsupported:
            raise TypeError(_with_place(str(unsupported), path)) from None
        except Mismatch as mismatch:
            text = _with_place(str(mismatch), path)
            raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg) from None


def _with_place(text, path):
    return text if not path else f"{text}\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in path)}"


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """The old name: types and devices may differ, and the values may be anything that makes a tensor.

    >>> import weft
    >>> weft.testing.assert_allclose(weft.ones(2), weft.ones(2, dtype=weft.float64))
    """
    warnings.warn("assert_allclose is deprecated, use assert_close", FutureWarning, stacklevel=2)
    actual, expected = (v if isinstance(v, Tensor) else as_tensor(v) for v in (actual, expected))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False,
                 check_stride=False, msg=msg or None)


# what is compared with what

def pairs_of(actual, expected):
    """All pairs (path, actual, expected) that are no containers, in order; the containers' shapes are checked before
    any value.
    """
    found, todo = [], [((), actual, expected)]
    while todo:
        path, a, e = todo.pop()
        if _is_sequence(a) and _is_sequence(e):
            if len(a) != len(e):
                yield path, _Failure(f"The length of the sequences mismatch: {len(a)} != {len(e)}"), None
            todo.extend(((*path, i), a[i], e[i]) for i in reversed(range(len(a))))
        elif isinstance(a, Mapping) and isinstance(e, Mapping):
            if set(a) != set(e):
                yield path, _Failure(f"The keys of the mappings do not match:\nMissing keys in the actual mapping: "
                                     f"{_listed(set(e) - set(a))}\nAdditional keys in the actual mapping: "
                                     f"{_listed(set(a) - set(e))}"), None
            todo.extend(((*path, key), a[key], e[key]) for key in reversed(list(a)))
        else:
            found.append((path, a, e))
    yield from found


def _is_sequence(value):
    return isinstance(value, Sequence) and not isinstance(value, str)


def _listed(keys):
    return sorted(keys, key=repr)


class _Failure(NamedTuple):
    """Stands for a pair of containers of different shapes; `compare` raises its text."""

    text: str


def compare(a, e, options):
    """One pair: Mismatch where they differ, Unsupported where they can't be compared."""
    if isinstance(a, _Failure):
        raise Mismatch(a.text)
    if a is None or e is None:
        if a is not e:
            raise Mismatch(f"None mismatch: {a} is not {e}")
    elif isinstance(a, (bool, np.bool_)) and isinstance(e, (bool, np.bool_)):
        if bool(a) is not bool(e):
            raise Mismatch(f"Booleans mismatch: {bool(a)} is not {bool(e)}")
    elif _is_number(a) and _is_number(e):
        _compare_numbers(a, e, options)
    elif _is_tensor_like(a, e, options):
        _compare_tensors(as_tensor(a), as_tensor(e), options)
    else:
        raise Unsupported(f"No comparison pair was able to handle inputs of type {type(a)} and {type(e)}.")


def _is_number(value):
    return isinstance(value, (int, float, complex, np.number))


def _is_tensor_like(a, e, options):
    if not isinstance(a, type(e)) and not isinstance(e, type(a)):
        return False
    if not options.allow_subclasses and type(a) is not type(e):
        return False
    return all(isinstance(v, Tensor) or hasattr(v, "__array__") or hasattr(v, "__dlpack__") for v in (a, e))


# numbers

def _plain_number(value):
    return value.item() if isinstance(value, np.number) else value


def _compare_numbers(a, e, options):
    a, e = _plain_number(a), _plain_number(e)
    if options.check_dtype and type(a) is not type(e):
        raise Mismatch(f"The (d)types do not match: {type(a)} != {type(e)}.")
    kinds = {int: dtypes.int64, bool: dtypes.bool_, float: dtypes.float64, complex: dtypes.complex128}
    rtol, atol = options.tolerances(*(kinds[type(v)] for v in (a, e)))
    if a == e or options.equal_nan and a != a and e != e:
        return
    difference = abs(a - e)
    if not difference <= atol + rtol * abs(e) or difference == np.inf:
        raise Mismatch(_scalar_text(a, e, rtol, atol, "Scalars"))


def _scalar_text(a, e, rtol, atol, what):
    if rtol == 0 == atol:
        head = f"{what} are not equal!\n\nExpected {e} but got {a}.\n"
    else:
        head = f"{what} are not close!\n\nExpected {e} but got {a}.\n"
    difference = abs(a - e)
    relative = float("inf") if e == 0 else difference / abs(e)
    return (f"{head}Absolute difference: {difference}{_allowed(atol, rtol)}\nRelative difference: "
            f"{relative}{_allowed(rtol, atol)}")


def _allowed(tolerance, other):
    return "" if tolerance == 0 == other else f" (up to {tolerance} allowed)"


# tensors

def _compare_tensors(a, e, options):
    _compare_attributes(a, e, options)
    if a._on_meta or e._on_meta:
        return
    rtol, atol = options.tolerances(a.dtype, e.dtype)
    common = dtypes.promote_types(a.dtype, e.dtype)
    target = common.np
    if common.is_half:
        target = np.dtype(np.float32)
    elif common.category == 1 and common is not dtypes.uint64:
        target = np.dtype(np.int64)
    x, y = (v._array if v._form.dtype == target else cast(v._array, target) for v in (a, e))
    close = _close(x, y, rtol, atol, options.equal_nan)
    if close.all():
        return
    if not x.ndim:
        raise Mismatch(_scalar_text(x.item(), y.item(), rtol, atol, "Scalars"))
    raise Mismatch(_tensor_text(x, y, close, rtol, atol))


def _compare_attributes(a, e, options):
    checks = (("shape", True, a.shape, e.shape), ("layout", options.check_layout, a.layout, e.layout),
              ("device", options.check_device, a.device, e.device), ("dtype", options.check_dtype, a.dtype, e.dtype),
              ("stride()", options.check_stride, a.stride(), e.stride()))
    for name, wanted, mine, theirs in checks:
        if wanted and mine != theirs:
            raise Mismatch(f"The values for attribute '{name}' do not match: {mine} != {theirs}.")


def _close(x, y, rtol, atol, equal_nan):
    close = x == y
    if equal_nan and x.dtype.kind in "fc":
        close |= np.isnan(x) & np.isnan(y)
    if (rtol or atol) and x.dtype.kind != "b":
        with np.errstate(all="ignore"):
            near = _distance(x, y) <= atol + rtol * np.abs(y)
            close |= near & np.isfinite(x) & np.isfinite(y)
    return close


def _distance(x, y):
    """|x - y|, of integers and bools too."""
    if x.dtype.kind == "b":
        return (x != y).astype(np.int64)
    if x.dtype.kind == "u":
        return np.maximum(x, y) - np.minimum(x, y)
    return np.abs(x - y)


def _tensor_text(x, y, close, rtol, atol):
    wrong = int(close.size - np.count_nonzero(close))
    with np.errstate(all="ignore"):
        distance = _distance(x, y)
        relative = distance / np.abs(y.astype(np.int64) if y.dtype.kind == "b" else y)
    lines = [f"Tensor-likes are not {'equal' if rtol == 0 == atol else 'close'}!", "",
             f"Mismatched elements: {wrong} / {close.size} ({wrong / close.size:.1%})"]
    for name, values, tolerance, other in (("absolute", distance, atol, rtol), ("relative", relative, rtol, atol)):
        values = np.where(close, np.zeros((), values.dtype), values)
        at = int(np.argmax(values))     # NaN counts as the greatest
        index = tuple(int(i) for i in np.unravel_index(at, values.shape))
        lines.append(f"Greatest {name} difference: {values[index].item()} at index {index}{_allowed(tolerance, other)}")
    return "\n".join(lines)
