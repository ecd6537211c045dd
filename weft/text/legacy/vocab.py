"""torchtext.legacy.vocab: the vocabulary that is made of a Counter, and the vectors."""
from weft.text.vocab.classic import Vocab as Vocab
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
