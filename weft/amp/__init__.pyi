"""torch.amp: mixed precision. On the CPU half types save no time, so autocast keeps float32; the scaler works as"""
# made by tools/stubs.py

from weft.amp.autocast_mode import autocast as autocast
from weft.amp.autocast_mode import custom_bwd as custom_bwd
from weft.amp.autocast_mode import custom_fwd as custom_fwd
from weft.amp.autocast_mode import is_autocast_available as is_autocast_available
from weft.amp.grad_scaler import GradScaler as GradScaler
