"""torch.optim.lr_scheduler: schedules of an optimizer's rates."""
# made by tools/stubs.py

from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.lr_scheduler.cosine import CosineAnnealingLR as CosineAnnealingLR
from weft.optim.lr_scheduler.cosine import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from weft.optim.lr_scheduler.cycles import CyclicLR as CyclicLR
from weft.optim.lr_scheduler.cycles import OneCycleLR as OneCycleLR
from weft.optim.lr_scheduler.factors import ConstantLR as ConstantLR
from weft.optim.lr_scheduler.factors import ExponentialLR as ExponentialLR
from weft.optim.lr_scheduler.factors import LinearLR as LinearLR
from weft.optim.lr_scheduler.factors import MultiStepLR as MultiStepLR
from weft.optim.lr_scheduler.factors import PolynomialLR as PolynomialLR
from weft.optim.lr_scheduler.factors import StepLR as StepLR
from weft.optim.lr_scheduler.functions import LambdaLR as LambdaLR
from weft.optim.lr_scheduler.functions import MultiplicativeLR as MultiplicativeLR
from weft.optim.lr_scheduler.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from weft.optim.lr_scheduler.together import ChainedScheduler as ChainedScheduler
from weft.optim.lr_scheduler.together import SequentialLR as SequentialLR
