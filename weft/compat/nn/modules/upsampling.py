"""PyTorch's place for these."""
from weft.nn.modules.shaping import Upsample as Upsample
from weft.nn.modules.shaping import UpsamplingBilinear2d as UpsamplingBilinear2d
from weft.nn.modules.shaping import UpsamplingNearest2d as UpsamplingNearest2d
