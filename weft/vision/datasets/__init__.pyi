"""torchvision.datasets, as far as it is here."""
# made by tools/stubs.py

from weft.vision.datasets.mnist import MNIST as MNIST
