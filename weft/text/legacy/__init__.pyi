"""torchtext.legacy: the classic API under the name that torchtext 0.9 to 0.11 gave it."""
# made by tools/stubs.py

from weft.text.legacy import data as data
from weft.text.legacy import datasets as datasets
from weft.text.legacy import vocab as vocab
