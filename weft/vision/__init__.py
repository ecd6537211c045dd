"""torchvision's names, as far as they are here: datasets."""
from weft.vision import datasets as datasets
