"""torchtext.legacy.vocab: the vocabulary that is made of a Counter, and the vectors."""
from weft.text.vocab.classic import Vocab as Vocab
from weft.text.vocab.vectors import (
    CharNGram as CharNGram,
    FastText as FastText,
    GloVe as GloVe,
    Vectors as Vectors,
    pretrained_aliases as pretrained_aliases,
)
