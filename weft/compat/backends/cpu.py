"""torch.backends.cpu: which instructions the kernels use."""
from weft.kernels import fast


def get_cpu_capability():
    """PyTorch's word for the instruction set in use."""
    return {"v4": "AVX512", "v3": "AVX2"}.get(fast.name, "DEFAULT")
