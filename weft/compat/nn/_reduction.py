"""Reductions of losses by number, and by their old arguments."""
import sys
import warnings

_Reduction = sys.modules[__name__]        # as nn.functional and the losses call it

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction):
    """PyTorch's number of a reduction."""
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that the old arguments meant."""
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    if emit_warning:
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.",
                      stacklevel=2)
    return found


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """The number of the reduction that the old arguments meant."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
