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


cudnn = SimpleNamespace(enabled=False, benchmark=False, deterministic=True, allow_tf32=False,
                        is_available=lambda: False, version=lambda: None)


@contextmanager
def _sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """The older form of nn.attention.sdpa_kernel: every kernel that it may ask for computes the same."""
    yield {}


def _switch(enabled):
    """A kernel for GPUs, on or off: there is none to switch."""


cuda = SimpleNamespace(is_built=lambda: False, matmul=SimpleNamespace(allow_tf32=False,
                                                                      allow_fp16_reduced_precision_reduction=False,
                                                                      allow_bf16_reduced_precision_reduction=False),
                       sdp_kernel=_sdp_kernel, enable_flash_sdp=_switch, enable_math_sdp=_switch,
                       enable_mem_efficient_sdp=_switch, enable_cudnn_sdp=_switch, flash_sdp_enabled=lambda: False,
                       math_sdp_enabled=lambda: True, mem_efficient_sdp_enabled=lambda: False,
                       cudnn_sdp_enabled=lambda: False)
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
mkl = SimpleNamespace(is_available=lambda: False)
mkldnn = SimpleNamespace(is_available=lambda: False, enabled=False)
openmp = SimpleNamespace(is_available=lambda: False)
for _where in (cudnn, mkldnn):
    _where.flags = _flags(_where)
