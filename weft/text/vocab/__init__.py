"""torchtext.vocab: vocabularies and pretrained vectors."""
from weft.core.namespace import parts as _parts
from weft.text.vocab.vectors import (
    CharNGram as CharNGram,
)
from weft.text.vocab.vectors import (
    FastText as FastText,
)
from weft.text.vocab.vectors import (
    GloVe as GloVe,
)
from weft.text.vocab.vectors import (
    Vectors as Vectors,
)
from weft.text.vocab.vectors import (
    pretrained_aliases as pretrained_aliases,
)
from weft.text.vocab.vocab import (
    Vocab as Vocab,
)
from weft.text.vocab.vocab import (
    build_vocab_from_iterator as build_vocab_from_iterator,
)
from weft.text.vocab.vocab import (
    vocab as vocab,
)

__all__ = ["Vocab", "vocab", "build_vocab_from_iterator", "Vectors", "GloVe", "FastText", "CharNGram",
           "pretrained_aliases"]
__getattr__, __dir__ = _parts(globals(), "classic vectors")
