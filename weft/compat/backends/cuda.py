"""torch.backends.cuda: the switches can be set; without a GPU nothing depends on them."""
from contextlib import contextmanager
from types import SimpleNamespace


def is_built():
    return False


matmul = SimpleNamespace(allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                         allow_bf16_reduced_precision_reduction=True, fp32_precision="none")
cufft_plan_cache = SimpleNamespace(size=0, max_size=0, clear=lambda: None)
_enabled = dict.fromkeys(("flash", "math", "mem_efficient", "cudnn"), True)


@contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """The older form of nn.attention.sdpa_kernel: every kernel that it may ask for computes the same."""
    yield {}


def _switch(kind):
    def enable(enabled):
        _enabled[kind] = bool(enabled)
    enable.__doc__ = "Allow this kernel of scaled_dot_product_attention or not: weft has one, which computes the same."
    return enable, lambda: _enabled[kind]


enable_flash_sdp, flash_sdp_enabled = _switch("flash")
enable_math_sdp, math_sdp_enabled = _switch("math")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("mem_efficient")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("cudnn")


def is_flash_attention_available():
    """Whether there is a kernel of that name: no."""
    return False


def preferred_linalg_library(backend=None):
    """What computes on a GPU: nothing."""
    return "default"


preferred_blas_library = preferred_rocm_fa_library = preferred_linalg_library


def can_use_flash_attention(params, debug=False):
    """Whether a GPU's kernel could serve: there is none."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention
allow_fp16_bf16_reduction_math_sdp, fp16_bf16_reduction_math_sdp_allowed = _switch("reduction_math")
_enabled["reduction_math"] = False
is_ck_sdpa_available = is_flash_attention_available
