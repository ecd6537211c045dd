"""Tokenizers from files: GPT-2's vocab.json and merges.txt, and Hugging Face's tokenizer.json (BPE, WordPiece, Unigram,
words), without the packages that wrote them."""
from weft.core.namespace import parts as _parts
from weft.text.tokenizers.models import (
    BPE as BPE,
    Unigram as Unigram,
    WordLevel as WordLevel,
    WordPiece as WordPiece,
)
from weft.text.tokenizers.tokenizer import Encoding as Encoding, Tokenizer as Tokenizer

__all__ = ["Tokenizer", "Encoding", "BPE", "WordPiece", "Unigram", "WordLevel"]
__getattr__, __dir__ = _parts(globals(), "models patterns steps tokenizer")
