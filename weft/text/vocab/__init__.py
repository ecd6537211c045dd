"""torchtext.vocab: vocabularies and pretrained vectors."""
from weft.core.namespace import parts as _parts
from weft.text.vocab.vectors import (
    CharNGram as CharNGram,
    FastText as FastText,
    GloVe as GloVe,
    Vectors as Vectors,
    pretrained_aliases as pretrained_aliases,
)
from weft.text.vocab.vocab import (
    Vocab as Vocab,
    build_vocab_from_iterator as build_vocab_from_iterator,
    vocab as vocab,
)

__all__ = ["Vocab", "vocab", "build_vocab_from_iterator", "Vectors", "GloVe", "FastText", "CharNGram",
           "pretrained_aliases"]
__getattr__, __dir__ = _parts(globals(), "classic vectors")
