"""torch.amp: mixed precision. On the CPU half types save no time, so autocast keeps float32; the scaler works as
PyTorch's.
"""
from weft.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from weft.amp.grad_scaler import GradScaler

__all__ = ["autocast", "custom_fwd", "custom_bwd", "is_autocast_available", "GradScaler"]
