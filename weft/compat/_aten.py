"""Functions that PyTorch has as ops of `torch.ops.aten` only, for `weft.library`: nobody calls them by another name."""
import builtins

import weft as _weft
from weft._absent import absent_functions as _functions

_functions("_sparse_addmm _sparse_mm_reduce_impl", globals(), "use torch.sparse.mm or torch.sparse.addmm",
           "torch.ops.aten")
_all = builtins.slice(None)


def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    """A copy, perhaps of another type."""
    kept = {} if memory_format is None else {"memory_format": memory_format}
    return self.to(self.device if device is None else device, self.dtype if dtype is None else dtype, non_blocking,
                   copy=True, **kept)


def alias(self):
    """Another tensor on the same memory."""
    return self.view(self.shape)


def slice(self, dim=0, start=None, end=None, step=1):
    """self[start:end:step] along a dimension."""
    return self[(_all,) * (dim % self.dim()) + (builtins.slice(start, end, step),)]


def index(self, indices):
    """self[indices], where None takes all of a dimension."""
    return self[tuple(_all if i is None else i for i in indices)]


def _unsafe_view(self, size):
    """A view whose source nobody uses any more."""
    return self.view(size)


def _softmax(self, dim, half_to_float):
    """softmax, of float16 in float32 if asked for."""
    return (self.float() if half_to_float else self).softmax(dim)


def _log_softmax(self, dim, half_to_float):
    """log_softmax, of float16 in float32 if asked for."""
    return (self.float() if half_to_float else self).log_softmax(dim)


def _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark=False,
                 deterministic=False, cudnn_enabled=True, allow_tf32=True):
    """convolution, with switches that change nothing here."""
    return _weft.convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def lift_fresh(self):
    """The tensor itself."""
    return self


def _pin_memory(self, device=None):
    """pin_memory()."""
    return self.pin_memory()


def sym_size(self, dim):
    """The size of a dimension."""
    return self.size(dim)
