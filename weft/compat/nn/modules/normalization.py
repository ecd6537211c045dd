"""PyTorch's place for these."""
from weft.nn.modules.norm import CrossMapLRN2d as CrossMapLRN2d
from weft.nn.modules.norm import GroupNorm as GroupNorm
from weft.nn.modules.norm import LayerNorm as LayerNorm
from weft.nn.modules.norm import LocalResponseNorm as LocalResponseNorm
from weft.nn.modules.norm import RMSNorm as RMSNorm
