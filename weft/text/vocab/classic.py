"""The older vocabulary, made of a Counter, with vectors."""
from collections import Counter, defaultdict

import weft
from weft.core.errors import fail
from weft.text.vocab.vectors import Vectors, pretrained_aliases

__all__ = ["Vocab"]


class Vocab:
    """Words by frequency, then by the alphabet, behind the special ones. `itos` is the list, `stoi` the dict (an
    unknown word has <unk>'s number, if there is one), `freqs` the Counter, `vectors` a (words, dim) tensor if some
    were given.

    >>> from collections import Counter
    >>> from weft.text.legacy.vocab import Vocab
    >>> words = Vocab(Counter("a b b c".split()), max_size=2)
    >>> words.itos, words.stoi["zebra"], words["b"], len(words)
    (['<unk>', '<pad>', 'b', 'a'], 0, 2, 4)
    """

    UNK = "<unk>"

    def __init__(self, counter, max_size=None, min_freq=1, specials=("<unk>", "<pad>"), vectors=None, unk_init=None,
                 vectors_cache=None, specials_first=True):
        self.freqs = Counter(counter)
        specials = list(specials)
        kept = [word for word, count in sorted(self.freqs.items(), key=lambda pair: (-pair[1], pair[0]))
                if count >= max(min_freq, 1) and word not in specials]
        kept = kept if max_size is None else kept[:max_size]
        self.itos = specials + kept if specials_first else kept + specials
        self.unk_index = self.itos.index(self.UNK) if self.UNK in specials else None
        self.stoi = self._table({word: i for i, word in enumerate(self.itos)})
        self.vectors = None
        if vectors is not None:
            self.load_vectors(vectors, unk_init=unk_init, cache=vectors_cache)
        elif unk_init is not None or vectors_cache is not None:
            fail(ValueError, "unk_init and vectors_cache are for vectors, and there are none", fix="give vectors= too")

    def _table(self, pairs):
        return dict(pairs) if self.unk_index is None else defaultdict(self._unknown, pairs)

    def _unknown(self):
        return self.unk_index

    def __getitem__(self, token):
        return self.stoi.get(token, self.unk_index) if self.unk_index is not None else self.stoi[token]

    def __len__(self):
        return len(self.itos)

    def __contains__(self, token):
        return token in self.stoi

    def __eq__(self, other):
        if not isinstance(other, Vocab):
            return NotImplemented
        same = (self.freqs, self.itos, dict(self.stoi)) == (other.freqs, other.itos, dict(other.stoi))
        if self.vectors is None or other.vectors is None:
            return same and self.vectors is other.vectors
        return same and weft.equal(self.vectors, other.vectors)

    __hash__ = None

    def __getstate__(self):
        return {**self.__dict__, "stoi": dict(self.stoi)}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.stoi = self._table({word: i for i, word in enumerate(self.itos)})

    def lookup_indices(self, tokens):
        """The numbers of a list of words.

        >>> from weft.text.legacy.vocab import Vocab
        >>> Vocab({"a": 1}).lookup_indices(["a", "z"])
        [2, 0]
        """
        return [self[token] for token in tokens]

    def extend(self, v, sort=False):
        """Add the words of another vocabulary that aren't there, at the end.

        >>> from weft.text.legacy.vocab import Vocab
        >>> words = Vocab({"a": 1})
        >>> words.extend(Vocab({"b": 1}))
        >>> words.itos
        ['<unk>', '<pad>', 'a', 'b']
        """
        for word in sorted(v.itos) if sort else v.itos:
            if word not in self.stoi:
                self.stoi[word] = len(self.itos)
                self.itos.append(word)

    def load_vectors(self, vectors, unk_init=None, cache=None):
        """Take the words' rows of a Vectors, of several side by side, or of files by their names (such as
        "glove.6B.100d" in the folder `cache`); a word that isn't there has `unk_init(row)`, or zeros.

        >>> import os, tempfile
        >>> from weft.text.legacy.vocab import Vectors, Vocab
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = open(os.path.join(folder, "v.txt"), "w").write("a 1 2\\n")
        ...     vectors = Vectors("v.txt", cache=folder)
        >>> words = Vocab({"a": 1})
        >>> words.load_vectors(vectors)
        >>> words.vectors
        tensor([[0., 0.],
                [0., 0.],
                [1., 2.]])
        """
        several = vectors if isinstance(vectors, (list, tuple)) else [vectors]
        loaded = []
        for each in several:
            if isinstance(each, str):
                make = pretrained_aliases.get(each.lower())
                if make is None:
                    fail(ValueError, f"Got string input vector {each}, but allowed pretrained vectors are "
                                     f"{sorted(pretrained_aliases)}",
                         fix="one of them, or weft.text.vocab.Vectors(file)")
                each = make(unk_init=unk_init, cache=cache)
            if not isinstance(each, Vectors):
                fail(ValueError, f"vectors are a Vectors, a name, or a list of them, not a {type(each).__name__}",
                     fix="see weft.text.vocab.Vectors")
            loaded.append(each)
        self.vectors = weft.cat([each.get_vecs_by_tokens(self.itos).reshape(len(self), each.dim) for each in loaded], 1)

    def set_vectors(self, stoi, vectors, dim, unk_init=None):
        """Take the words' rows of a table: `stoi` says which row of `vectors` (rows, dim) a word has.

        >>> import weft
        >>> from weft.text.legacy.vocab import Vocab
        >>> words = Vocab({"a": 1}, specials=())
        >>> words.set_vectors({"a": 1}, weft.tensor([[1., 2.], [3., 4.]]), 2)
        >>> words.vectors
        tensor([[3., 4.]])
        """
        fill = weft.zeros_like if unk_init is None else unk_init
        rows = [vectors[stoi[word]] if stoi.get(word) is not None else fill(weft.zeros(dim)) for word in self.itos]
        self.vectors = weft.stack(rows) if rows else weft.empty(0, dim)
