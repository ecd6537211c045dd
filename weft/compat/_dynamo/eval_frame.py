"""What torch.compile makes of modules in PyTorch; here modules stay as they are."""
from weft.nn.module import Module


class OptimizedModule(Module):
    """The class of PyTorch's compiled modules: no module of weft's is one."""


def is_dynamo_supported():
    """Whether functions can be compiled: no."""
    return False


def optimize(backend="inductor", *, nopython=False, guard_export_fn=None, guard_fail_fn=None, guard_filter_fn=None,
             disable=False, dynamic=None):
    """Decorator: the function itself, as it is; `weft.compile` captures one."""
    return _itself


def optimize_assert(backend, **options):
    """The same."""
    return _itself


def _itself(fn):
    return fn
