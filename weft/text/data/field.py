"""What is done with a column: tokens, a vocabulary, padding, numbers."""
import itertools
from collections import Counter, OrderedDict

import weft
from weft.core.errors import fail
from weft.text.data.dataset import Dataset
from weft.text.data.utils import get_tokenizer
from weft.text.vocab.classic import Vocab

__all__ = ["RawField", "Field", "LabelField"]


class RawField:
    """A column that stays as it is: a batch of it is a list.

    >>> from weft.text.data import RawField
    >>> RawField(preprocessing=str.upper).preprocess("a")
    'A'
    """

    def __init__(self, preprocessing=None, postprocessing=None, is_target=False):
        self.preprocessing, self.postprocessing, self.is_target = preprocessing, postprocessing, is_target

    def preprocess(self, x):
        """What an example keeps of a value.

        >>> from weft.text.data import RawField
        >>> RawField().preprocess("a")
        'a'
        """
        return self.preprocessing(x) if self.preprocessing is not None else x

    def process(self, batch, *args, **kwargs):
        """What a batch holds.

        >>> from weft.text.data import RawField
        >>> RawField().process(["a", "b"])
        ['a', 'b']
        """
        return self.postprocessing(batch) if self.postprocessing is not None else batch


class Field(RawField):
    """A column of text: tokens, looked up in a vocabulary, padded to (time, batch), or (batch, time) with batch_first.

    >>> from weft.text.data import Field
    >>> text = Field(lower=True, init_token="<s>", batch_first=True)
    >>> lines = [text.preprocess(line) for line in ("The cat sat", "The dog")]
    >>> text.build_vocab(lines)
    >>> text.vocab.itos
    ['<unk>', '<pad>', '<s>', 'the', 'cat', 'dog', 'sat']
    >>> text.process(lines)
    tensor([[2, 3, 4, 6],
            [2, 3, 5, 1]])
    """

    vocab_cls = Vocab

    def __init__(self, sequential=True, use_vocab=True, init_token=None, eos_token=None, fix_length=None, dtype=None,
                 preprocessing=None, postprocessing=None, lower=False, tokenize=None, tokenizer_language="en",
                 include_lengths=False, batch_first=False, pad_token="<pad>", unk_token="<unk>", pad_first=False,
                 truncate_first=False, stop_words=None, is_target=False):
        super().__init__(preprocessing, postprocessing, is_target)
        self.sequential, self.use_vocab = sequential, use_vocab
        self.init_token, self.eos_token, self.pad_token = init_token, eos_token, pad_token if sequential else None
        self.unk_token, self.fix_length, self.dtype = unk_token, fix_length, weft.int64 if dtype is None else dtype
        self.lower, self.tokenize = lower, get_tokenizer(tokenize, tokenizer_language)
        self.include_lengths, self.batch_first = include_lengths, batch_first
        self.pad_first, self.truncate_first = pad_first, truncate_first
        try:
            self.stop_words = None if stop_words is None else set(stop_words)
        except TypeError:
            fail(ValueError, "stop_words must be convertible to a set", fix="give a list of words")

    def preprocess(self, x):
        """The tokens of a line (or the value itself, if it isn't sequential), as an example keeps them.

        >>> from weft.text.data import Field
        >>> Field(lower=True, stop_words=["the"]).preprocess("The cat")
        ['cat']
        """
        if self.sequential and isinstance(x, str):
            x = self.tokenize(x.rstrip("\n"))
        if self.lower:
            x = [token.lower() for token in x] if self.sequential else x.lower()
        if self.sequential and self.use_vocab and self.stop_words is not None:
            x = [token for token in x if token not in self.stop_words]
        return self.preprocessing(x) if self.preprocessing is not None else x

    def process(self, batch, device=None):
        """Pad and look up: a tensor of a list of examples' values.

        >>> from weft.text.data import Field
        >>> Field(sequential=False, use_vocab=False).process([1, 2])
        tensor([1, 2])
        """
        return self.numericalize(self.pad(batch), device=device)

    def pad(self, minibatch):
        """Lists of one length, with the first and last tokens; with include_lengths also the lengths.

        >>> from weft.text.data import Field
        >>> Field(eos_token="</s>", include_lengths=True).pad([["a", "b"], ["c"]])
        ([['a', 'b', '</s>'], ['c', '</s>', '<pad>']], [3, 2])
        """
        rows = [list(row) for row in minibatch] if self.sequential else minibatch
        if not self.sequential:
            return rows
        first = [] if self.init_token is None else [self.init_token]
        last = [] if self.eos_token is None else [self.eos_token]
        room = max(map(len, rows), default=0)
        if self.fix_length is not None:
            room = max(self.fix_length - len(first) - len(last), 0)
        made, lengths = [], []
        for row in rows:
            kept = row[max(len(row) - room, 0):] if self.truncate_first else row[:room]
            filling = [self.pad_token] * (room - len(kept))
            full = first + kept + last
            made.append(filling + full if self.pad_first else full + filling)
            lengths.append(len(full))
        return (made, lengths) if self.include_lengths else made

    def build_vocab(self, *args, **kwargs):
        """Make `self.vocab` of the columns that this field has in datasets, or of lists of token lists; the options are
        Vocab's (max_size, min_freq, vectors, specials, ...).

        >>> from weft.text.data import Field
        >>> text = Field()
        >>> text.build_vocab([["b", "a", "b"]], min_freq=2)
        >>> text.vocab.itos
        ['<unk>', '<pad>', 'b']
        """
        counter = Counter()
        for rows in self._columns(args):
            for value in rows:
                try:
                    counter.update(value if self.sequential else [value])
                except TypeError:       # not hashable: a RawField's list, say
                    counter.update(itertools.chain.from_iterable(value))
        own = (self.unk_token, self.pad_token, self.init_token, self.eos_token)
        specials = OrderedDict.fromkeys(token for token in (*own, *kwargs.pop("specials", ())) if token is not None)
        self.vocab = self.vocab_cls(counter, specials=list(specials), **kwargs)

    def _columns(self, sources):
        for source in sources:
            if isinstance(source, Dataset):
                yield from (getattr(source, name) for name, field in source.fields.items() if field is self)
            else:
                yield source

    def numericalize(self, arr, device=None):
        """A tensor of padded lists (or a pair of lists and lengths): (time, batch), or (batch, time) with batch_first.

        >>> from weft.text.data import Field
        >>> Field(use_vocab=False, batch_first=True).numericalize([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
        """
        lengths = None
        if self.include_lengths:
            if not isinstance(arr, tuple):
                fail(ValueError, "Field has include_lengths set to True, but input data is not a tuple of (data batch, "
                                 "batch lengths).", fix="give what pad() gives")
            arr, lengths = arr
            lengths = weft.tensor(lengths, dtype=self.dtype, device=device)
        made = weft.tensor(self._numbers(arr), dtype=self.dtype, device=device)
        if self.sequential and not self.batch_first:
            made = made.transpose(0, 1).contiguous()
        return (made, lengths) if self.include_lengths else made

    def _numbers(self, arr):
        if self.use_vocab:
            known = getattr(self, "vocab", None)
            if known is None:
                fail(AttributeError, f"'{type(self).__name__}' object has no attribute 'vocab': it isn't built yet",
                     fix="call build_vocab(the training data) first")
            index = known.stoi
            try:
                arr = [[index[t] for t in row] for row in arr] if self.sequential else [index[value] for value in arr]
            except KeyError as error:
                fail(KeyError, f"{error.args[0]!r} is not in the vocabulary, which has no token for the unknown",
                     fix="build the vocabulary of all data, or give the field an unk_token")
            return arr if self.postprocessing is None else self.postprocessing(arr, known)
        if not self.sequential:
            to_number = float if self.dtype.is_floating_point else int
            arr = [to_number(value) if isinstance(value, str) else value for value in arr]
        return arr if self.postprocessing is None else self.postprocessing(arr, None)


class LabelField(Field):
    """A column of classes: one token, none for the unknown, a target.

    >>> from weft.text.data import LabelField
    >>> label = LabelField()
    >>> label.build_vocab(["pos", "neg", "pos"])
    >>> label.process(["neg", "pos"])
    tensor([1, 0])
    """

    def __init__(self, **kwargs):
        super().__init__(**{**kwargs, "sequential": False, "unk_token": None, "is_target": True})
