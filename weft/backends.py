"""PyTorch's backend switches, as far as they concern a CPU."""
from contextlib import contextmanager
from types import SimpleNamespace


def _flags(where):
    """`with flags(enabled=False):` sets switches for a while."""
    @contextmanager
    def flags(**wanted):
        before = dict(vars(where))
        vars(where).update({name: value for name, value in wanted.items() if value is not None})
        try:
            yield
        finally:
            vars(where).update(before)
    return flags


cudnn = SimpleNamespace(enabled=False, benchmark=False, deterministic=True, allow_tf32=False, is_available=lambda: False,
                        version=lambda: None)
cuda = SimpleNamespace(is_built=lambda: False, matmul=SimpleNamespace(allow_tf32=False))
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
mkl = SimpleNamespace(is_available=lambda: False)
mkldnn = SimpleNamespace(is_available=lambda: False, enabled=False)
openmp = SimpleNamespace(is_available=lambda: False)
for _where in (cudnn, mkldnn):
    _where.flags = _flags(_where)
