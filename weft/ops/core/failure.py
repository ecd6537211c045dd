"""Why an op's forward was refused, in the user's terms."""
import contextlib
import re

import numpy as np

from weft.core.dtype import dtype
from weft.core.errors import message
from weft.core.size import broadcast_shapes
from weft.ops.core.body import MISSING
from weft.tensor.tensor import Tensor

# what an op's code raises where it meets arguments that it wasn't written for
EXPLAINED = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, AssertionError, MemoryError)

# what NumPy says of sizes that no memory has
TOO_LARGE = ("too big", "aximum allowed dimension", "maximum possible size", "negative dimensions",
             "maximum supported dimension", "aximum allowed size")


def is_too_large(error):
    """Whether an error says that there is no memory, or that no memory has such a size."""
    return isinstance(error, MemoryError) or (type(error) in (ValueError, OverflowError)
                                              and any(part in str(error) for part in TOO_LARGE))


def explain_too_large(name, error):
    """A result that doesn't fit into memory, or into any memory, is a RuntimeError, as PyTorch's is."""
    if isinstance(error, MemoryError):
        raise RuntimeError(message(f"{name}: not enough memory" + (f": {error}" if str(error) else ""),
                                   "use smaller tensors, or fewer at a time")) from None
    if is_too_large(error):
        raise RuntimeError(message(f"{name}: the result would be too large for any memory ({error})",
                                   "look at the sizes and numbers that it was given")) from None


@contextlib.contextmanager
def sizes_of(name):
    """Around what makes arrays of a size that the user gives, for functions that are no ops."""
    try:
        yield
    except (ValueError, OverflowError, MemoryError) as error:
        explain_too_large(name, error)
        raise


def explain_composition(op, args, kwargs, error):
    """The same for an op that is made of others."""
    if isinstance(error, IndexError):
        add_shape(args, error)
    if is_explained(error):
        return
    explain_too_large(op.name, error)
    values = [*args, *[kwargs.get(name) for name in op.names[len(args):]]]
    explain_no_tensor(op, values, error)
    explain_argument(op, values, error)


def is_explained(error):
    """Whether somebody inside has said already what is wrong, in more than one line."""
    return "\n" in str(error)


def explain_no_tensor(op, values, error):
    """An argument without a tensor's attributes, in a place where the samples have tensors, is said to be none."""
    told = re.match(r"'(\w+)' object has no attribute", str(error)) if isinstance(error, AttributeError) else None
    for i in tensor_places(op) if told else ():
        if i < len(values) and type(values[i]).__name__ == told.group(1) and not isinstance(values[i], Tensor):
            raise no_tensor(op, i, values[i]) from None


# arguments of other types than the op was written for

NUMBER = (int, float, complex, np.number, np.bool_)
TYPES = {"Tensor": Tensor, "bool": (bool, np.bool_), "int": (int, np.integer, Tensor), "float": (*NUMBER, Tensor),
         "complex": (*NUMBER, Tensor), "str": str, "dtype": dtype, "tuple of ints": (tuple, list),
         "list of Tensors": (tuple, list), "tuple": (tuple, list)}
BLIND = (TypeError, AttributeError, KeyError, AssertionError)       # they come of values that nobody looked at


def explain_argument(op, values, error):
    """Name the argument whose type is none that the op's samples and defaults have there."""
    text = str(error)
    if not isinstance(error, BLIND) or isinstance(error, TypeError) and "(): " in text:
        return
    wrong = [(i, kinds) for i, kinds in enumerate(map(expected, [op] * len(values), range(len(values))))
             if kinds and values[i] is not None and not isinstance(values[i], tuple(TYPES[k] for k in kinds))]
    told = [(i, kinds) for i, kinds in wrong if re.search(rf"\b{type(values[i]).__name__}\b", text)]
    for i, kinds in (told or wrong)[:1]:
        raise wrong_type(op, i, values[i], " or ".join(kinds)) from None
    asked = re.match(r"'(\w+)' object has no attribute '(\w+)'", text)
    for i, value in enumerate(values) if asked and hasattr(Tensor, asked.group(2)) else ():
        if type(value).__name__ == asked.group(1):
            raise no_tensor(op, i, value) from None
        for k, element in enumerate(value if isinstance(value, (list, tuple)) else ()):
            if type(element).__name__ == asked.group(1) and not isinstance(element, Tensor):
                raise TypeError(message(f"{op.name.lstrip('_')}(): argument '{public_name(op, i)}' (position {i + 1}) "
                                        f"must be tuple of Tensors, but found element of type "
                                        f"{type(element).__name__} at pos {k}",
                                        "make every element a tensor")) from None


def wrong_type(op, i, value, wanted):
    """The error of an argument that must be something else, as PyTorch says it."""
    fix = "make it one with torch.tensor(...)" if wanted == "Tensor" else f"give it {with_article(wanted)}"
    return TypeError(message(f"{op.name.lstrip('_')}(): argument '{public_name(op, i)}' (position {i + 1}) must be "
                             f"{wanted}, not {type(value).__name__}", fix))


def with_article(noun):
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def public_name(op, i):
    """What PyTorch calls a parameter."""
    own = op.names[i] if i < len(op.names) else "input"
    return next((name for name in ("input", "other") if op.aliases.get(name) == i), own)


def expected(op, i):
    """The kinds of values that an op's samples and defaults have for a parameter, in words; none if one is unknown."""
    seen = [sample[i] for sample in op.samples or () if i < len(sample)]
    found = [kind_of(value) for value in seen if value is not None]
    if i < len(op.defaults) and op.defaults[i] is not None and op.defaults[i] is not MISSING:
        found.append(kind_of(op.defaults[i], is_tensor=False))
    return () if None in found else tuple(dict.fromkeys(found))


def kind_of(value, is_tensor=True):
    """The name in TYPES of what a sample stands for; a tuple of ints there is a tensor."""
    kind = getattr(value, "kind", None) if is_tensor else None
    if kind == "given":
        return kind_of(value.options["value"], is_tensor=False)
    if kind is not None:
        return {"size": "tuple of ints", "built": None}.get(kind, "Tensor")
    if isinstance(value, tuple):
        return "Tensor" if is_tensor else "tuple"
    if isinstance(value, list):
        return "list of Tensors" if is_tensor and not all(isinstance(e, int) for e in value) else "tuple of ints"
    for name in ("bool", "int", "float", "complex", "str", "dtype"):
        if isinstance(value, TYPES[name][0] if isinstance(TYPES[name], tuple) else TYPES[name]):
            return name
    return None


# dimensions

def add_shape(values, error):
    """A dimension that isn't there: `wrap_dim` knows how many there are, here is which tensor's."""
    first, _, rest = str(error).partition("\n")
    if not first.startswith("Dimension out of range") or not first.endswith(")"):
        return
    value = next((v for v in values if isinstance(v, (Tensor, list, tuple))), None)
    value = value[0] if isinstance(value, (list, tuple)) and value else value
    if isinstance(value, Tensor):
        error.args = (f"{first} for a tensor of shape {list(value._form.shape)}\n{rest}".rstrip(),)


def no_tensor(op, i, value):
    """The error of a parameter that must be a tensor, as PyTorch says it."""
    return wrong_type(op, i, value, "Tensor")


def not_a_tensor(op, values, given):
    """The same for the first such parameter; `given` has a bit for each value that is a tensor."""
    missing = op.tensor_slots & ~given or 1
    i = (missing & -missing).bit_length() - 1
    return no_tensor(op, i, values[i])


def tensor_places(op):
    """The numbers of the parameters for which one of the op's samples has a tensor."""
    found = {0}
    for sample in op.samples or ():
        for i, value in enumerate(sample):
            if isinstance(value, tuple) or getattr(value, "kind", "size") not in ("size", "given"):
                found.add(i)
    return sorted(found)


def explain_failure(op, values, error):
    """Say why NumPy refused: no memory, operands that aren't tensors, shapes that don't broadcast."""
    if isinstance(error, IndexError):
        add_shape(values, error)
    if is_explained(error):
        return
    explain_too_large(op.name, error)
    explain_no_tensor(op, values, error)
    for i in range(min(op.n_positional, len(values))):
        v = values[i]
        if (op.names[i] in ("x", "y")
                and not isinstance(v, (Tensor, bool, int, float, complex, np.number, np.bool_))):
            raise no_tensor(op, i, v) from None
    if type(error) is AttributeError and op.names and values and not isinstance(values[0], (Tensor, list, tuple)):
        raise no_tensor(op, 0, values[0]) from None
    explain_argument(op, values, error)
    if op.pointwise and type(error) is ValueError:
        try:
            broadcast_shapes(*[v._form.shape for v in values if isinstance(v, Tensor)])
        except RuntimeError as mismatch:
            raise RuntimeError(f"{op.name}: {mismatch}") from None
