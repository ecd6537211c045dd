"""Tokenizers from files: GPT-2's vocab.json and merges.txt, and Hugging Face's tokenizer.json (BPE, WordPiece, Unigram,"""
# made by tools/stubs.py

from weft.text.tokenizers.models import BPE as BPE
from weft.text.tokenizers.models import Unigram as Unigram
from weft.text.tokenizers.models import WordLevel as WordLevel
from weft.text.tokenizers.models import WordPiece as WordPiece
from weft.text.tokenizers.tokenizer import Encoding as Encoding
from weft.text.tokenizers.tokenizer import Tokenizer as Tokenizer
