"""torchvision's names: transforms, ops, models, datasets, utils, io, tv_tensors; each is imported when first used."""
# made by tools/stubs.py

from weft.vision import transforms as transforms
from weft.vision import datasets as datasets
from weft.vision import tv_tensors as tv_tensors
from weft.vision import ops as ops
from weft.vision import models as models
from weft.vision import io as io
from weft.vision import utils as utils
