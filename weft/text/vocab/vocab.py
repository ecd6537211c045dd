"""The newer vocabulary: words to numbers and back, with a default for the unknown."""
from collections import Counter, OrderedDict

from weft.core.errors import fail
from weft.nn import Module
from weft.text.vocab.classic import Vocab as _Classic

__all__ = ["Vocab", "vocab", "build_vocab_from_iterator"]


class Vocab(Module):
    """Words and their numbers. It is made by `vocab` or `build_vocab_from_iterator`, or of a list of words; of a
    Counter it makes the older kind (weft.text.legacy.vocab.Vocab).

    >>> from weft.text.vocab import Vocab
    >>> words = Vocab(["<unk>", "a", "b"])
    >>> words.set_default_index(0)
    >>> words(["b", "zebra"]), len(words), "a" in words
    ([2, 0], 3, True)
    """

    def __new__(cls, vocab=(), *args, **kwargs):
        return _Classic(vocab, *args, **kwargs) if isinstance(vocab, Counter) else super().__new__(cls)

    def __init__(self, vocab=()):
        super().__init__()
        self._itos = list(vocab.get_itos() if isinstance(vocab, Vocab) else vocab)
        self._stoi = {token: i for i, token in enumerate(self._itos)}
        self._default = vocab.get_default_index() if isinstance(vocab, Vocab) else None
        if len(self._stoi) != len(self._itos):
            fail(RuntimeError, "a word stands twice in the list", fix="give each word once")

    @property
    def vocab(self):
        """What holds the words: here it is the vocabulary itself.

        >>> from weft.text.vocab import Vocab
        >>> words = Vocab(["a"])
        >>> words.vocab is words
        True
        """
        return self

    @property
    def is_jitable(self):
        """Always True: a script runs it as the Python that it is.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a"]).is_jitable
        True
        """
        return True

    def forward(self, tokens):
        """The numbers of a list of words.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"])(["b"])
        [1]
        """
        return self.lookup_indices(tokens)

    def __len__(self):
        return len(self._itos)

    def __contains__(self, token):
        return token in self._stoi

    def __iter__(self):
        return iter(self._itos)

    def __getitem__(self, token):
        found = self._stoi.get(token, self._default)
        if found is None:
            fail(RuntimeError, f"Token {token} not found and default index is not set",
                 fix="set_default_index(the number of the token for the unknown)")
        return found

    def set_default_index(self, index):
        """The number of words that aren't there; None makes them an error again.

        >>> from weft.text.vocab import Vocab
        >>> words = Vocab(["a"])
        >>> words.set_default_index(0)
        >>> words["z"]
        0
        """
        self._default = index

    def get_default_index(self):
        """The number of words that aren't there, or None.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a"]).get_default_index()
        """
        return self._default

    def insert_token(self, token, index):
        """Put a word at a number; those from there on move up by one.

        >>> from weft.text.vocab import Vocab
        >>> words = Vocab(["a", "b"])
        >>> words.insert_token("c", 1)
        >>> words.get_itos()
        ['a', 'c', 'b']
        """
        if not 0 <= index <= len(self):
            fail(RuntimeError, f"Specified index {index} is out of bounds for vocab of size {len(self)}",
                 fix=f"0 to {len(self)}")
        if token in self._stoi:
            fail(RuntimeError, f"Token {token} already exists in the Vocab with index: {self._stoi[token]}",
                 fix="leave it out")
        self._itos.insert(index, token)
        for i in range(index, len(self._itos)):
            self._stoi[self._itos[i]] = i

    def append_token(self, token):
        """Put a word at the end.

        >>> from weft.text.vocab import Vocab
        >>> words = Vocab(["a"])
        >>> words.append_token("b")
        >>> words["b"]
        1
        """
        self.insert_token(token, len(self))

    def lookup_token(self, index):
        """The word of a number.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"]).lookup_token(1)
        'b'
        """
        if not 0 <= index < len(self):
            fail(RuntimeError, f"Specified index {index} is out of bounds for vocab of size {len(self)}",
                 fix=f"0 to {len(self) - 1}")
        return self._itos[index]

    def lookup_tokens(self, indices):
        """The words of a list of numbers.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"]).lookup_tokens([1, 0])
        ['b', 'a']
        """
        return [self.lookup_token(index) for index in indices]

    def lookup_indices(self, tokens):
        """The numbers of a list of words.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"]).lookup_indices(["b", "a"])
        [1, 0]
        """
        return [self[token] for token in tokens]

    def get_stoi(self):
        """A dict of words and their numbers.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"]).get_stoi()
        {'a': 0, 'b': 1}
        """
        return dict(self._stoi)

    def get_itos(self):
        """The list of words.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"]).get_itos()
        ['a', 'b']
        """
        return list(self._itos)

    def extra_repr(self):
        """What its line in a model's picture says.

        >>> from weft.text.vocab import Vocab
        >>> Vocab(["a", "b"])
        Vocab(2 words)
        """
        return f"{len(self)} words"


def vocab(ordered_dict, min_freq=1, specials=None, special_first=True):
    """A vocabulary of {word: how often}, in its order, without what is rarer than min_freq.

    >>> from weft.text.vocab import vocab
    >>> vocab({"a": 3, "b": 1, "c": 2}, min_freq=2, specials=["<unk>"]).get_itos()
    ['<unk>', 'a', 'c']
    """
    specials = list(specials or ())
    words = [word for word, count in ordered_dict.items() if count >= min_freq and word not in specials]
    return Vocab(specials + words if special_first else words + specials)


def build_vocab_from_iterator(iterator, min_freq=1, specials=None, special_first=True, max_tokens=None):
    """A vocabulary of lists of words, the most frequent first, at most max_tokens with the specials.

    >>> from weft.text.vocab import build_vocab_from_iterator
    >>> build_vocab_from_iterator([["b", "a"], ["b", "c"]], specials=["<unk>"], max_tokens=3).get_itos()
    ['<unk>', 'b', 'a']
    """
    counter = Counter()
    for tokens in iterator:
        counter.update(tokens)
    specials = list(specials or ())
    words = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    if max_tokens is not None:
        if len(specials) >= max_tokens:
            fail(AssertionError, f"max_tokens={max_tokens} leaves no room beside {len(specials)} specials",
                 fix="make it greater")
        words = words[:max_tokens - len(specials)]
    return vocab(OrderedDict(words), min_freq, specials, special_first)
