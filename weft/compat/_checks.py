"""torch._check and its kin: an error, by its kind, where a condition does not hold."""
from weft.tensor.override import override
from weft.tensor.tensor import Tensor


def _make(name, kind):
    def check(cond, message=None):
        if not isinstance(cond, bool):
            raise TypeError(f"cond must be a bool, but got {type(cond)}")
        if cond:
            return
        if message is not None and not callable(message):
            raise TypeError("message must be a callable")
        raise kind(str(message()) if message is not None else
                   "Expected cond to be True, but got False. (Could this error message be improved? If so, please "
                   "report an enhancement request to PyTorch.)")
    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"{kind.__name__}, with the text that `message()` gives, unless `cond` is True."
    return check


_check = _make("_check", RuntimeError)
_check_index = _make("_check_index", IndexError)
_check_value = _make("_check_value", ValueError)
_check_type = _make("_check_type", TypeError)
_check_not_implemented = _make("_check_not_implemented", NotImplementedError)


def _check_is_size(i, message=None, *, max=None):
    """RuntimeError unless a number is 0 or more (and at most `max`)."""
    _check(i >= 0 and (max is None or i <= max), message)


def _assert(condition, message):
    """AssertionError with a message unless a condition holds; objects with a __torch_function__ are asked first."""
    if hasattr(type(condition), "__torch_function__") and not isinstance(condition, Tensor):
        return override(_assert, (condition, message), {})
    assert condition, message
    return None


_assert.__module__ = "weft"         # where programs find it
_assert.has_side_effect = True      # calls of it stay in graphs of weft.fx, though nobody uses their result
