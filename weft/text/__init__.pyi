"""torchtext's names: data (the classic API and the newer helpers), vocab, transforms, functional, datasets, legacy; and"""
# made by tools/stubs.py

from weft.text import vocab as vocab
from weft.text import data as data
from weft.text import datasets as datasets
from weft.text import functional as functional
from weft.text import legacy as legacy
from weft.text import tokenizers as tokenizers
from weft.text import transforms as transforms
from weft.text import utils as utils
