"""torch.amp: mixed precision. In a region of `autocast` products are computed in a half type, and the scaler keeps"""
# made by tools/stubs.py

from weft.amp.autocast_mode import autocast as autocast
from weft.amp.autocast_mode import custom_bwd as custom_bwd
from weft.amp.autocast_mode import custom_fwd as custom_fwd
from weft.amp.autocast_mode import is_autocast_available as is_autocast_available
from weft.amp.grad_scaler import GradScaler as GradScaler
