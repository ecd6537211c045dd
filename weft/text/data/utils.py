"""Tokenizers by name, n-grams, and small helpers."""
import csv
import random
from contextlib import contextmanager

from weft.core.errors import fail

__all__ = ["get_tokenizer", "ngrams_iterator", "interleave_keys", "RandomShuffler"]

LONGEST_CELL = 1 << 28
_FIRST = str.maketrans({"'": " '  ", '"': None, ".": " . "})
_THEN = str.maketrans({",": " , ", "(": " ( ", ")": " ) ", "!": " ! ", "?": " ? ", ";": " ", ":": " "})


def _basic_english_normalize(line):
    """Lower case, punctuation apart, quotation marks, colons and semicolons gone."""
    return line.lower().translate(_FIRST).replace("<br />", " ").translate(_THEN).split()


def _split(line):
    return line.split()


def _other_package(name, language):
    """A tokenizer of a package that weft doesn't bring."""
    try:
        if name == "spacy":
            import spacy
            model = spacy.load(language if "_" in language else f"{language}_core_web_sm")
            return lambda line: [token.text for token in model.tokenizer(line)]
        if name == "moses":
            from sacremoses import MosesTokenizer
            return MosesTokenizer(lang=language).tokenize
        if name == "toktok":
            from nltk.tokenize.toktok import ToktokTokenizer
            return ToktokTokenizer().tokenize
        if name in ("revtok", "subword"):
            import revtok
            return revtok.tokenize if name == "revtok" else lambda line: revtok.tokenize(line, decap=True)
    except (ImportError, OSError) as error:
        fail(ImportError, f"the tokenizer '{name}' needs a package or model that isn't installed: {error}",
             fix="install it, or use get_tokenizer('basic_english'), which needs nothing")
    fail(ValueError, f"there is no tokenizer '{name}'",
         fix="None (split at spaces), 'basic_english', 'spacy', 'moses', 'toktok', 'revtok', 'subword', or a function")


def get_tokenizer(tokenizer, language="en"):
    """A function from a line to a list of tokens; None splits at spaces, a function is given back as it is.

    >>> from weft.text.data import get_tokenizer
    >>> get_tokenizer("basic_english")("You can't read it all: try (a little).")
    ['you', 'can', "'", 't', 'read', 'it', 'all', 'try', '(', 'a', 'little', ')', '.']
    """
    if tokenizer is None:
        return _split
    if tokenizer == "basic_english":
        if language != "en":
            fail(ValueError, f"'basic_english' is for language='en', not '{language}'", fix="leave language out")
        return _basic_english_normalize
    return tokenizer if callable(tokenizer) else _other_package(tokenizer, language)


def ngrams_iterator(token_list, ngrams):
    """The tokens, then all pairs, then all triples, ... up to `ngrams` together, joined by spaces.

    >>> from weft.text.data.utils import ngrams_iterator
    >>> list(ngrams_iterator(["a", "b", "c"], 2))
    ['a', 'b', 'c', 'a b', 'b c']
    """
    yield from token_list
    for n in range(2, ngrams + 1):
        for start in range(len(token_list) - n + 1):
            yield " ".join(token_list[start:start + n])


def table_rows(lines, **options):
    """Rows of a table, with cells of any length: csv's limit is one for all, so it is lifted for each row only."""
    reader = csv.reader(lines, **options)
    while True:
        usual = csv.field_size_limit(LONGEST_CELL)
        try:
            row = next(reader)
        except StopIteration:
            return
        finally:
            csv.field_size_limit(usual)
        yield row


def interleave_keys(a, b):
    """One sort key of two numbers, bit by bit in turn, so that both are close for neighbours.

    >>> from weft.text.data import interleave_keys
    >>> interleave_keys(3, 0), interleave_keys(0, 3), interleave_keys(3, 3)
    (10, 5, 15)
    """
    bits = zip(*(format(number, "016b") for number in (a, b)))
    return int("".join(bit for pair in bits for bit in pair), 2)


class RandomShuffler:
    """Shuffles with a state of Python's `random` of its own, which can be kept and put back.

    >>> from weft.text.data.utils import RandomShuffler
    >>> shuffle = RandomShuffler()
    >>> state = shuffle.random_state
    >>> first = shuffle(range(10))
    >>> shuffle.random_state = state
    >>> shuffle(range(10)) == first
    True
    """

    def __init__(self, random_state=None):
        self._random_state = random.getstate() if random_state is None else random_state

    @contextmanager
    def use_internal_state(self):
        """A region in which `random` draws from this state.

        >>> from weft.text.data.utils import RandomShuffler
        >>> with RandomShuffler().use_internal_state():
        ...     pass
        """
        outside = random.getstate()
        random.setstate(self._random_state)
        try:
            yield
            self._random_state = random.getstate()
        finally:
            random.setstate(outside)

    @property
    def random_state(self):
        """The state, as random.getstate() gives it.

        >>> from weft.text.data.utils import RandomShuffler
        >>> len(RandomShuffler().random_state)
        3
        """
        return self._random_state

    @random_state.setter
    def random_state(self, state):
        self._random_state = state

    def __call__(self, data):
        """The data in a random order, as a list."""
        with self.use_internal_state():
            return random.sample(data, len(data))
