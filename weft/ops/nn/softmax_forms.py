"""nn.functional's softmax, log_softmax, softmin and gumbel_softmax."""
import warnings

from weft.core.layout import contiguous_format
from weft.ops.core.registry import op
from weft.ops.nn.softmax import log_softmax as _log_softmax
from weft.ops.nn.softmax import softmax as _softmax


def _dim(name, input, dim, level):
    """The dimension; PyTorch's old guess where none is given."""
    if dim is not None:
        return dim
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
                  f"argument.",
                  stacklevel=level)
    return 0 if input._form.ndim in (0, 1, 3) else 1


@op
class softmax:
    """e**x over its sum along `dim`."""
    names, method = "nn.functional.softmax", False

    def compose(input, dim=None, _stacklevel=3, dtype=None):
        return _softmax(input, _dim("softmax", input, dim, _stacklevel), dtype)
    samples = [((3, 4), 1)]


@op
class log_softmax:
    """The logarithm of softmax."""
    names, method = "nn.functional.log_softmax", False

    def compose(input, dim=None, _stacklevel=3, dtype=None):
        return _log_softmax(input, _dim("log_softmax", input, dim, _stacklevel), dtype)
    samples = [((3, 4), 1)]


@op
class softmin:
    """softmax of -x."""
    names, method = "nn.functional.softmin", False

    def compose(input, dim=None, _stacklevel=3, dtype=None):
        return _softmax(-input, _dim("softmin", input, dim, _stacklevel), dtype)
    samples = [((3, 4), 1)]


@op
class gumbel_softmax:
    """A sample of the Gumbel-softmax distribution; `hard` gives a one-hot vector with the gradient of the soft one."""
    names, method = "nn.functional.gumbel_softmax", False

    def compose(logits, tau=1, hard=False, eps=1e-10, dim=-1):
        if eps != 1e-10:
            warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
        noise = -logits.detach().empty_like(memory_format=contiguous_format).exponential_().log()
        soft = _softmax((logits + noise) / tau, dim)
        if not hard:
            return soft
        place = soft.detach().argmax(dim, True)
        return logits.detach().zeros_like(memory_format=contiguous_format).scatter_(dim, place,
                                                                                    1.0) - soft.detach() + soft
    samples = [((3, 4),), ((3, 4), 0.5, True, 1e-10, 0)]
