"""torch.amp: mixed precision. In a region of `autocast` products are computed in a half type, and the scaler keeps
small gradients from vanishing in it.
"""
from weft.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from weft.amp.grad_scaler import GradScaler

__all__ = ["autocast", "custom_fwd", "custom_bwd", "is_autocast_available", "GradScaler"]
