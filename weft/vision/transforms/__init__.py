"""torchvision.transforms: what is done to pictures before a network sees them."""
from weft.vision.transforms import autoaugment as autoaugment
from weft.vision.transforms import functional as functional
from weft.vision.transforms import transforms as transforms
from weft.vision.transforms.autoaugment import AugMix as AugMix
from weft.vision.transforms.autoaugment import AutoAugment as AutoAugment
from weft.vision.transforms.autoaugment import AutoAugmentPolicy as AutoAugmentPolicy
from weft.vision.transforms.autoaugment import RandAugment as RandAugment
from weft.vision.transforms.autoaugment import TrivialAugmentWide as TrivialAugmentWide
from weft.vision.transforms.transforms import *  # noqa: F403
