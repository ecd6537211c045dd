"""torchvision.datasets, as far as it is here."""
from weft.vision.datasets.mnist import MNIST as MNIST
