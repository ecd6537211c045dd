"""torchvision's names, as far as they are here: datasets."""
# made by tools/stubs.py

from weft.vision import datasets as datasets
