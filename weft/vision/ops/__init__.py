"""torchvision.ops: boxes, regions, and layers of networks that find things in pictures."""
from weft.vision.ops import boxes as boxes
from weft.vision.ops import feature_pyramid_network as feature_pyramid_network
from weft.vision.ops import misc as misc
from weft.vision.ops import poolers as poolers
from weft.vision.ops.boxes import *  # noqa: F403
from weft.vision.ops.deform import DeformConv2d as DeformConv2d
from weft.vision.ops.deform import deform_conv2d as deform_conv2d
from weft.vision.ops.feature_pyramid_network import FeaturePyramidNetwork as FeaturePyramidNetwork
from weft.vision.ops.losses import *  # noqa: F403
from weft.vision.ops.misc import *  # noqa: F403
from weft.vision.ops.poolers import MultiScaleRoIAlign as MultiScaleRoIAlign
from weft.vision.ops.roi import *  # noqa: F403
