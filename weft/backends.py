"""PyTorch's backend switches, as far as they concern a CPU."""
from types import SimpleNamespace

cudnn = SimpleNamespace(enabled=False, benchmark=False, deterministic=True, allow_tf32=False, is_available=lambda: False,
                        version=lambda: None)
cuda = SimpleNamespace(is_built=lambda: False, matmul=SimpleNamespace(allow_tf32=False))
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
mkl = SimpleNamespace(is_available=lambda: False)
mkldnn = SimpleNamespace(is_available=lambda: False, enabled=False)
openmp = SimpleNamespace(is_available=lambda: False)
