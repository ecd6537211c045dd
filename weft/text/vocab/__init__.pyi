"""torchtext.vocab: vocabularies and pretrained vectors."""
# made by tools/stubs.py
from typing import Any

from weft.text.vocab.vectors import CharNGram as CharNGram
from weft.text.vocab.vectors import FastText as FastText
from weft.text.vocab.vectors import GloVe as GloVe
from weft.text.vocab.vectors import Vectors as Vectors
pretrained_aliases: dict[str, Any]
from weft.text.vocab.vocab import vocab as vocab
from weft.text.vocab.vocab import Vocab as Vocab
from weft.text.vocab.vocab import build_vocab_from_iterator as build_vocab_from_iterator
