"""torch.cpu.amp: the older names of weft.amp, for the CPU."""
from weft.amp import GradScaler as _GradScaler
from weft.amp import autocast as _autocast
from weft.core.dtype import bfloat16

__all__ = ["GradScaler", "autocast"]


class autocast(_autocast):
    """`weft.amp.autocast("cpu", ...)`."""
    def __init__(self, enabled=True, dtype=bfloat16, cache_enabled=True):
        super().__init__("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(_GradScaler):
    """`weft.amp.GradScaler("cpu", ...)`."""
    def __init__(self, init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
