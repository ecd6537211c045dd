"""torch._tensor_str: the text of tensors, for classes that print themselves with tensors inside."""
from weft.tensor.interop import tensor_repr as _tensor_repr
from weft.tensor.printing import array_str as _array_str
from weft.tensor.printing import get_printoptions as _options


class _Options:
    """The options in force: PRINT_OPTS.threshold, ..."""

    def __getattr__(self, name):
        if name not in _options():
            raise AttributeError(f"there is no print option {name}")
        return _options()[name]


PRINT_OPTS = _Options()


def _tensor_str(self, indent):
    """The values alone, lines after the first indented."""
    plain = self.detach()
    return _array_str((plain.float() if plain.dtype.is_floating_point and plain.dtype.itemsize < 4 else plain).numpy(),
                      indent)


def _add_suffixes(tensor_str, suffixes, indent, force_newline):
    """Facts after the values, each on the last line if it fits there, and the closing bracket."""
    column = len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        fits = not force_newline and column + len(suffix) + 2 <= PRINT_OPTS.linewidth
        tensor_str += ", " + suffix if fits else ",\n" + " " * indent + suffix
        column, force_newline = (column + 2 if fits else indent) + len(suffix), False
    return tensor_str + ")"


def _str(self, *, tensor_contents=None):
    """The text of a tensor, as repr() gives it; `tensor_contents` in the place of the values."""
    return _tensor_repr(self, tensor_contents)


_str_intern = _str
