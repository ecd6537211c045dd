"""What users hand over (tensors, arrays, numbers, PyTorch's own tensors) as NumPy arrays."""
import numpy as np

from weft.tensor.tensor import Tensor


def as_array(x):
    """An array of a tensor, an array or a number (as one element)."""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        if x._on_meta:
            raise NotImplementedError("a meta tensor has no values to write\n  fix: run the model on real data before "
                                      "logging from it")
        return x.detach()._array
    if hasattr(x, "detach") and hasattr(x, "numpy"):        # another library's tensor
        return x.detach().cpu().numpy()
    if isinstance(x, (list, tuple)) and x:
        return np.asarray([as_array(e).squeeze() if not np.isscalar(e) else e for e in x])
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


def as_number(x, what):
    """One number, as a Python float."""
    array = as_array(x).squeeze()
    if array.ndim:
        raise AssertionError(f"{what}: Tensor should contain one element (0 dimensions). Was given size: {array.size} "
                             f"and {array.ndim} dimensions.\n  fix: log .mean() or .sum() of it, or use add_histogram")
    return float(array)


def as_step(step):
    """A step number as an int; None stays None."""
    if step is None:
        return None
    try:
        return int(as_array(step).item()) if not isinstance(step, int) else step
    except (NotImplementedError, ValueError) as error:
        raise TypeError(f"global_step must be an integer, got {step!r}") from error
