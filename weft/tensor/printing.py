"""A tensor's text, character for character as PyTorch prints it.

Works on NumPy arrays and a few plain facts; knows no Tensor. Only the elements that are shown are ever read,
so a huge array prints at once. The way from array to text:

    corners (what is shown) -> cells (each element's text, padded) -> brackets (rows, lines, blocks) -> suffixes

>>> import numpy as np
>>> print(format_tensor(np.eye(2), dtype_name="float64", grad_fn_name="AddBackward0"))
tensor([[1., 0.],
        [0., 1.]], dtype=torch.float64, grad_fn=<AddBackward0>)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

__all__ = ["array_str", "format_tensor", "get_printoptions", "printoptions", "set_printoptions"]


# ---------------------------------------------------------------- options

class PrintOptions(NamedTuple):
    """How tensors are printed; `sci_mode=None` lets the values decide."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


class _Settings:
    """The options in force: the process's own, unless a `printoptions` block of this thread or task covers them."""

    def __init__(self) -> None:
        self._process = PrintOptions()
        self._block: ContextVar[PrintOptions | None] = ContextVar("weft_printoptions", default=None)

    def current(self) -> PrintOptions:
        return self._block.get() or self._process

    def set(self, options: PrintOptions) -> None:
        """Change the innermost block if there is one, else the process."""
        if self._block.get() is None:
            self._process = options
        else:
            self._block.set(options)

    @contextmanager
    def block(self) -> Iterator[None]:
        token = self._block.set(self.current())
        try:
            yield
        finally:
            self._block.reset(token)


_settings = _Settings()


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Set how tensors are printed, from here on or until the enclosing `printoptions` block ends.

    `profile` ("default", "short" or "full") is applied first, the other values over it. What is None stays
    as it is, except `sci_mode`: as in PyTorch, every call sets it, and None means that the values decide.

    >>> import weft
    >>> with weft.printoptions():
    ...     weft.set_printoptions(precision=2)
    ...     print(weft.tensor([0.5, 2 / 3]))
    tensor([0.50, 0.67])
    """
    if profile is not None and profile not in PROFILES:
        warnings.warn(f"set_printoptions: there is no profile {profile!r}, so it changes nothing\n"
                      f"  fix: take one of {', '.join(map(repr, PROFILES))}", stacklevel=2)
    values: dict[str, Any] = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems,
                              "linewidth": linewidth}
    given = {name: value for name, value in values.items() if value is not None}
    changes = {**PROFILES.get(profile or "", {}), **given, "sci_mode": sci_mode}
    _settings.set(_settings.current()._replace(**changes))


def get_printoptions() -> dict[str, Any]:
    """The options in force, by name.

    >>> import weft
    >>> weft.get_printoptions()["edgeitems"]
    3
    """
    return _settings.current()._asdict()


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Print with these options inside the block, and as before after it.

    >>> import weft
    >>> with weft.printoptions(precision=1):
    ...     print(weft.tensor([0.25, 1.5]))
    tensor([0.2, 1.5])
    >>> print(weft.tensor([0.25, 1.5]))
    tensor([0.2500, 1.5000])
    """
    with _settings.block():
        set_printoptions(**options)
        yield


# ---------------------------------------------------------------- cells: the text of each element

class _Cells(NamedTuple):
    """Every shown element's text, as it stands in its column, and the column's width.

    The width is that of the ordinary values, so a rare `-inf` may stand out of its column, as in PyTorch."""

    texts: list[str]
    width: int


def _column(texts: list[str], width: int) -> _Cells:
    return _Cells([text.rjust(width) for text in texts], width)


def _cells(values: np.ndarray, options: PrintOptions) -> _Cells:
    """The cells of a 1-d array of any dtype."""
    if values.dtype.kind == "c":
        return _complex_cells(values, options)
    if values.dtype.kind in "biu":
        texts = [str(value) for value in values.tolist()]
        return _column(texts, max(map(len, texts)))
    return _float_cells(values.astype(np.float64), options)


def _float_cells(values: np.ndarray, options: PrintOptions) -> _Cells:
    ordinary = np.isfinite(values) & (values != 0)
    notation = _notation(np.abs(values[ordinary]), options)
    texts = [_number(value, notation, options.precision) for value in values.tolist()]
    return _column(texts, max((len(texts[i]) for i in ordinary.nonzero()[0]), default=1))


def _complex_cells(values: np.ndarray, options: PrintOptions) -> _Cells:
    """Real and imaginary parts choose their notation separately; only the real parts are padded."""
    real = _cells(values.real, options)
    imag = _cells(values.imag, options)
    unpadded = (text.lstrip() for text in imag.texts)
    texts = [f"{left}{'' if right[0] == '-' else '+'}{right}j" for left, right in zip(real.texts, unpadded)]
    return _Cells(texts, real.width + 1 + imag.width)


def _notation(sizes: np.ndarray, options: PrintOptions) -> str:
    """ "whole" (`3.`), "fixed" (`3.1416`) or "sci" (`3.1416e+00`), from the finite absolute values other than zero."""
    if not sizes.size:
        return "whole"
    whole = bool((sizes == np.floor(sizes)).all())
    sci = options.sci_mode
    if sci is None:
        least, most = float(sizes.min()), float(sizes.max())
        sci = most / least > 1000 or most > 1e8 or least < 1e-4
    return "sci" if sci else "whole" if whole else "fixed"


def _number(value: float, notation: str, precision: int) -> str:
    if not math.isfinite(value):
        return str(value)
    if notation == "whole":
        return f"{value:.0f}."
    return f"{value:.{precision}{'e' if notation == 'sci' else 'f'}}"


# ---------------------------------------------------------------- brackets: what is shown, and where it stands

def array_str(array: np.ndarray, indent: int = 0) -> str:
    """The part of a tensor's text between the parentheses; lines after the first start `indent` columns in.

    >>> print(array_str(np.arange(2000).reshape(2, 1000)))
    [[   0,    1,    2,  ...,  997,  998,  999],
     [1000, 1001, 1002,  ..., 1997, 1998, 1999]]
    """
    options = _settings.current()
    if not array.size:
        return "[]"
    edge = options.edgeitems
    summarised = array.size > options.threshold
    if summarised and array.ndim and not edge:
        return "[...]"
    cut = [summarised and size > 2 * edge for size in array.shape]  # per dim: is its middle left out?
    corners = _corners(array, cut, edge)
    cells = _cells(corners.reshape(-1), options)
    return _bracketed(cells, corners.shape, cut, indent, options)


def _corners(array: np.ndarray, cut: Sequence[bool], edge: int) -> np.ndarray:
    """The array without the middles that aren't shown; reads nothing else of it."""
    if not any(cut):
        return array
    ends = [*range(edge), *range(-edge, 0)]
    return array[np.ix_(*(ends if c else range(size) for c, size in zip(cut, array.shape)))]


def _bracketed(cells: _Cells, shape: Sequence[int], cut: Sequence[bool], indent: int, options: PrintOptions) -> str:
    """The nested brackets, folded from the innermost dim outwards: each round joins `shape[dim]` pieces into one."""
    pieces = cells.texts  # row-major
    last = len(shape) - 1
    for dim in reversed(range(len(shape))):
        margin = "\n" * (last - dim) + " " * (indent + dim + 1)  # blank lines between blocks
        groups = [pieces[i:i + shape[dim]] for i in range(0, len(pieces), shape[dim])]
        if cut[dim]:
            groups = [_elided(group, " ..." if dim == last else "...") for group in groups]
        if dim == last:
            per_line = max(1, (options.linewidth - indent - dim) // (cells.width + 2))
            margin = "\n" + margin
            groups = [_lines(group, per_line) for group in groups]
        pieces = ["[" + ("," + margin).join(group) + "]" for group in groups]
    return pieces[0]


def _elided(pieces: Sequence[str], dots: str) -> list[str]:
    half = len(pieces) // 2
    return [*pieces[:half], dots, *pieces[half:]]


def _lines(pieces: Sequence[str], per_line: int) -> list[str]:
    return [", ".join(pieces[i:i + per_line]) for i in range(0, len(pieces), per_line)]


# ---------------------------------------------------------------- the whole text

def format_tensor(array: Any, *, dtype_name: str, default_dtypes: tuple[str, str] = ("float32", "complex64"),
                  requires_grad: bool = False, grad_fn_name: str | None = None, device: str | None = None,
                  prefix: str = "tensor(", suffixes: Sequence[str] = (), tensor_contents: str | None = None) -> str:
    """The text of a tensor, as `repr` gives it.

    array            the values; bfloat16 and other types that NumPy lacks as float32 (or complex64); only `.shape`
                     counts on "meta"
    dtype_name       "float32", "bfloat16", ...: shown unless it is what the values would get by themselves
    default_dtypes   the default float and complex dtypes
    device           None is the cpu, which isn't shown
    prefix           what stands before the values; lines after the first are indented by the length of its last line
    suffixes         more facts, shown last
    tensor_contents  stands in the values' place

    >>> format_tensor(np.zeros((0, 3)), dtype_name="float32", requires_grad=True)
    'tensor([], size=(0, 3), requires_grad=True)'
    """
    indent = len(prefix) - (prefix.rfind("\n") + 1)
    if tensor_contents is None:
        tensor_contents = "..." if device == "meta" else array_str(array, indent)
    facts = [*_value_facts(array.shape, dtype_name, default_dtypes, device), *_grad_facts(requires_grad, grad_fn_name),
             *suffixes]
    return _with_facts(prefix + tensor_contents, facts, indent) + ")"


def _value_facts(shape: Sequence[int], dtype_name: str, default_dtypes: tuple[str, str],
                 device: str | None) -> Iterator[str]:
    if device is not None:
        yield f"device='{device}'"
    if _shows_size(shape, device):
        yield f"size={tuple(map(int, shape))}"
    hollow = device == "meta" or 0 in shape  # no values that tell an int64 from a float
    if dtype_name not in (default_dtypes[:1] if hollow else (*default_dtypes, "int64", "bool")):
        yield f"dtype=torch.{dtype_name}"


def _grad_facts(requires_grad: bool, grad_fn_name: str | None) -> Iterator[str]:
    if grad_fn_name is not None:
        yield f"grad_fn=<{grad_fn_name}>"
    elif requires_grad:
        yield "requires_grad=True"


def _shows_size(shape: Sequence[int], device: str | None) -> bool:
    """The size is given where the values don't show it; `[]` stands for (0,)."""
    if device == "meta":
        return True
    if 0 in shape:
        return len(shape) != 1
    return not _settings.current().edgeitems


def _with_facts(text: str, facts: Sequence[str], indent: int) -> str:
    """Append the facts, each on the last line if it fits there, else on a new one."""
    width = _settings.current().linewidth
    column = len(text) - (text.rfind("\n") + 1) + 2  # PyTorch starts two columns late, and only on the first line
    for fact in facts:
        fits = column + len(fact) + 2 <= width
        text += ", " + fact if fits else ",\n" + " " * indent + fact
        column = (column + 2 if fits else indent) + len(fact)
    return text
