"""Fields of fields (words made of letters), and fields that can go back from numbers to text."""
import itertools

import weft
from weft.text.data.field import Field

__all__ = ["NestedField", "ReversibleField"]


class ReversibleField(Field):
    """A field whose `reverse` gives lines of text back from a batch of numbers.

    >>> from weft.text.data import ReversibleField
    >>> text = ReversibleField(eos_token="</s>")
    >>> lines = [text.preprocess(line) for line in ("a cat", "two cats here")]
    >>> text.build_vocab(lines)
    >>> text.reverse(text.process(lines))
    ['a cat', 'two cats here']
    """

    def reverse(self, batch):
        """Lines of text of a (time, batch) tensor, each up to its end; (batch, time) with batch_first.

        >>> from weft.text.data import ReversibleField
        >>> text = ReversibleField()
        >>> text.build_vocab([["a", "b"]])
        >>> text.reverse(text.process([["b", "a"]]))
        ['b a']
        """
        rows = (batch if self.batch_first else batch.transpose(0, 1)).tolist()
        left_out = {self.init_token, self.pad_token}
        lines = ([self.vocab.itos[number] for number in row] for row in rows)
        ended = (itertools.takewhile(lambda token: token != self.eos_token, line) for line in lines)
        return [" ".join(token for token in line if token not in left_out) for line in ended]


class NestedField(Field):
    """A field whose tokens are sequences themselves, treated by `nesting_field`: (batch, time, length of a token).

    >>> from weft.text.data import Field, NestedField
    >>> letters = NestedField(Field(tokenize=list))
    >>> lines = [letters.preprocess(line) for line in ("ab c", "a")]
    >>> letters.build_vocab(lines)
    >>> letters.process(lines).shape
    torch.Size([2, 2, 2])
    """

    def __init__(self, nesting_field, use_vocab=True, init_token=None, eos_token=None, fix_length=None, dtype=None,
                 preprocessing=None, postprocessing=None, tokenize=None, tokenizer_language="en", include_lengths=False,
                 pad_token="<pad>", pad_first=False, truncate_first=False):
        if isinstance(nesting_field, NestedField):
            raise ValueError("nesting field must not be another NestedField\n  fix: give a Field")
        if nesting_field.include_lengths:
            raise ValueError("nesting field cannot have include_lengths=True\n  fix: give it to the NestedField")
        if not nesting_field.sequential:
            raise ValueError("nesting field must be sequential\n  fix: give a Field(sequential=True)")
        super().__init__(use_vocab=use_vocab, init_token=init_token, eos_token=eos_token, fix_length=fix_length,
                         dtype=dtype, preprocessing=preprocessing, postprocessing=postprocessing,
                         lower=nesting_field.lower, tokenize=tokenize, tokenizer_language=tokenizer_language,
                         batch_first=True, pad_token=pad_token, unk_token=nesting_field.unk_token, pad_first=pad_first,
                         truncate_first=truncate_first, include_lengths=include_lengths)
        self.nesting_field = nesting_field

    def preprocess(self, x):
        """A list of lists: each token as the nesting field makes it.

        >>> from weft.text.data import Field, NestedField
        >>> NestedField(Field(tokenize=list)).preprocess("ab c")
        [['a', 'b'], ['c']]
        """
        return [self.nesting_field.preprocess(token) for token in super().preprocess(x)]

    def pad(self, minibatch):
        """Rows of one number of tokens, tokens of one length; with include_lengths also the numbers of tokens and the
        tokens' lengths.

        >>> from weft.text.data import Field, NestedField
        >>> NestedField(Field(tokenize=list)).pad([[["a", "b"], ["c"]], [["a"]]])
        [[['a', 'b'], ['c', '<pad>']], [['a', '<pad>'], ['<pad>', '<pad>']]]
        """
        inner = self.nesting_field
        ends = [token for token in (inner.init_token, inner.eos_token) if token is not None]
        length = inner.fix_length or max((len(token) for row in minibatch for token in row), default=0) + len(ends)
        outer = [token for token in (self.init_token, self.eos_token) if token is not None]
        most = self.fix_length or max(map(len, minibatch), default=0) + len(outer)
        kept_length, inner.fix_length = inner.fix_length, length
        try:
            made, numbers, lengths = [], [], []
            for row in minibatch:
                room = max(most - len(outer), 0)
                row = row[max(len(row) - room, 0):] if self.truncate_first else row[:room]
                padded = inner.pad(row) if row else []
                full = [*([[self.init_token]] if self.init_token is not None else []), *padded,
                        *([[self.eos_token]] if self.eos_token is not None else [])]
                full = [token + [inner.pad_token] * (length - len(token)) for token in full]
                filling = [[inner.pad_token] * length for _ in range(most - len(full))]
                made.append(filling + full if self.pad_first else full + filling)
                numbers.append(len(full))
                lengths.append([sum(part != inner.pad_token for part in token) for token in made[-1]])
        finally:
            inner.fix_length = kept_length
        return (made, numbers, lengths) if self.include_lengths else made

    def build_vocab(self, *args, **kwargs):
        """One vocabulary for this field and the one inside.

        >>> from weft.text.data import Field, NestedField
        >>> letters = NestedField(Field(tokenize=list))
        >>> letters.build_vocab([[["b", "a"], ["b"]]])
        >>> letters.vocab.itos
        ['<unk>', '<pad>', 'b', 'a']
        """
        inner = self.nesting_field
        tokens = [[part for token in row for part in token] for rows in self._columns(args) for row in rows]
        extra = [token for token in (inner.pad_token, inner.init_token, inner.eos_token) if token is not None]
        super().build_vocab(tokens, specials=[*extra, *kwargs.pop("specials", ())], **kwargs)
        inner.vocab = self.vocab

    def numericalize(self, arr, device=None):
        """A (batch, time, length) tensor of padded rows; with include_lengths also (batch,) and (batch, time).

        >>> from weft.text.data import Field, NestedField
        >>> letters = NestedField(Field(tokenize=list))
        >>> letters.build_vocab([[["a"]]])
        >>> letters.numericalize([[["a"]]])
        tensor([[[2]]])
        """
        rows, *sizes = arr if self.include_lengths else (arr,)
        inner = self.nesting_field
        numbers = [inner._numbers(row) for row in rows] if self.use_vocab else rows
        if self.postprocessing is not None:
            numbers = self.postprocessing(numbers, getattr(self, "vocab", None))
        made = weft.tensor(numbers, dtype=self.dtype, device=device)
        return (made, *(weft.tensor(size, device=device) for size in sizes)) if self.include_lengths else made
