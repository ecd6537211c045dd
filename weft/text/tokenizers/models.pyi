"""From a word to pieces: byte-pair merges, WordPiece, Unigram, and whole words. Each keeps what it found of a word."""
# made by tools/stubs.py
from typing import Any

class _Model:
    vocab: Any
    unk_token: Any
    def __init__(self, vocab: Any, unk_token: Any) -> None: ...
    def encode(self, word: Any) -> Any: ...

class WordLevel(_Model):
    def __init__(self, vocab: Any, unk_token: Any = None) -> None: ...

class BPE(_Model):
    fuse_unk: bool
    byte_fallback: bool
    ignore_merges: bool
    prefix: Any
    suffix: Any
    def __init__(self, vocab: Any, merges: Any, unk_token: Any = None, continuing_subword_prefix: str = '', end_of_word_suffix: str = '', fuse_unk: bool = False, byte_fallback: bool = False, ignore_merges: bool = False) -> None: ...

class WordPiece(_Model):
    prefix: str
    most: int
    def __init__(self, vocab: Any, unk_token: str = '[UNK]', continuing_subword_prefix: str = '##', max_input_chars_per_word: int = 100) -> None: ...

class Unigram(_Model):
    unk_id: Any
    def __init__(self, scores: Any, unk_id: Any = None, byte_fallback: bool = False) -> None: ...

