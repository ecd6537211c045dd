"""torch.cuda.amp: the older names of weft.amp, for the device "cuda", where both are off."""
from weft.amp import GradScaler as _GradScaler
from weft.amp import autocast as _autocast
from weft.amp import custom_bwd, custom_fwd
from weft.core.dtype import float16

__all__ = ["GradScaler", "autocast", "custom_fwd", "custom_bwd"]


class autocast(_autocast):
    """`weft.amp.autocast("cuda", ...)`."""
    def __init__(self, enabled=True, dtype=float16, cache_enabled=True):
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(_GradScaler):
    """`weft.amp.GradScaler("cuda", ...)`."""
    def __init__(self, init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
