"""From a dataset to batches: in order, shuffled, by like length, or as one long text."""
import math
import random

from weft.core.errors import fail
from weft.text.data.batch import Batch
from weft.text.data.utils import RandomShuffler

__all__ = ["Iterator", "BucketIterator", "BPTTIterator", "batch", "pool"]


class Iterator:
    """Batches of a dataset; training data is shuffled, other data sorted by `sort_key`.

    >>> from weft.text.data import Dataset, Example, Iterator, RawField
    >>> fields = [("n", RawField())]
    >>> data = Dataset([Example.fromlist([n], fields) for n in range(5)], fields)
    >>> [each.n for each in Iterator(data, 2, train=False, sort=False)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, dataset, batch_size, sort_key=None, device=None, batch_size_fn=None, train=True, repeat=False,
                 shuffle=None, sort=None, sort_within_batch=None):
        if batch_size < 1:
            fail(ValueError, f"batch_size is {batch_size}", fix="at least 1")
        self.batch_size, self.train, self.dataset, self.batch_size_fn = batch_size, train, dataset, batch_size_fn
        self.iterations, self.repeat, self.device = 0, repeat, device
        self.shuffle = train if shuffle is None else shuffle
        self.sort = not train if sort is None else sort
        self.sort_within_batch = self.sort if sort_within_batch is None else sort_within_batch
        self.sort_key = dataset.sort_key if sort_key is None else sort_key
        if self.sort_key is None and (self.sort or self.sort_within_batch):
            fail(ValueError, "sorting needs a sort_key", fix="such as sort_key=lambda example: len(example.text), or "
                                                             "sort=False")
        self.random_shuffler = RandomShuffler()
        self._random_state_this_epoch, self._iterations_this_epoch, self._restored = None, 0, False

    @classmethod
    def splits(cls, datasets, batch_sizes=None, **kwargs):
        """An iterator for each dataset; the first one is the training data.

        >>> from weft.text.data import Dataset, Iterator
        >>> [each.train for each in Iterator.splits((Dataset([], []), Dataset([], [])), batch_size=2, sort=False)]
        [True, False]
        """
        sizes = [kwargs.pop("batch_size")] * len(datasets) if batch_sizes is None else batch_sizes
        return tuple(cls(data, batch_size=size, train=i == 0, **kwargs)
                     for i, (data, size) in enumerate(zip(datasets, sizes, strict=True)))

    def data(self):
        """The examples in the order in which they are batched.

        >>> from weft.text.data import Dataset, Iterator
        >>> Iterator(Dataset([], []), 2).data()
        []
        """
        if self.sort:
            return sorted(self.dataset, key=self.sort_key)
        if self.shuffle:
            return [self.dataset[i] for i in self.random_shuffler(range(len(self.dataset)))]
        return list(self.dataset)

    def create_batches(self):
        """Start an epoch's batches, as lists of examples.

        >>> from weft.text.data import Dataset, Iterator
        >>> Iterator(Dataset([], []), 2).create_batches()
        """
        self.batches = batch(self.data(), self.batch_size, self.batch_size_fn)

    def init_epoch(self):
        """Start an epoch; after load_state_dict the one that was saved, at its place.

        >>> from weft.text.data import Dataset, Iterator
        >>> Iterator(Dataset([], []), 2).init_epoch()
        """
        if self._restored:
            self.random_shuffler.random_state = self._random_state_this_epoch
        else:
            self._random_state_this_epoch = self.random_shuffler.random_state
        self.create_batches()
        if self._restored:
            self._restored = False
        else:
            self._iterations_this_epoch = 0
        if not self.repeat:
            self.iterations = 0

    @property
    def epoch(self):
        """How many epochs are behind it.

        >>> from weft.text.data import Dataset, Iterator
        >>> Iterator(Dataset([], []), 2).epoch
        0
        """
        return math.floor(self.iterations / max(len(self), 1))

    def __len__(self):
        if self.batch_size_fn is not None:
            fail(NotImplementedError, "how many batches there are is not known with a batch_size_fn",
                 fix="count them while iterating")
        return math.ceil(len(self.dataset) / self.batch_size)

    def __iter__(self):
        while True:
            self.init_epoch()
            for number, examples in enumerate(self.batches):
                if self._iterations_this_epoch > number:        # up to where it was restored
                    continue
                self.iterations += 1
                self._iterations_this_epoch += 1
                if self.sort_within_batch:      # the longest first, as pack_padded_sequence takes them
                    examples = examples[::-1] if self.sort else sorted(examples, key=self.sort_key, reverse=True)
                yield Batch(examples, self.dataset, self.device)
            if not self.repeat or not len(self.dataset):
                return

    def state_dict(self):
        """Where it is, to be put back by load_state_dict.

        >>> from weft.text.data import Dataset, Iterator
        >>> sorted(Iterator(Dataset([], []), 2).state_dict())
        ['iterations', 'iterations_this_epoch', 'random_state_this_epoch']
        """
        return {"iterations": self.iterations, "iterations_this_epoch": self._iterations_this_epoch,
                "random_state_this_epoch": self._random_state_this_epoch}

    def load_state_dict(self, state_dict):
        """Go on from where state_dict() was taken: the next iteration is the rest of that epoch.

        >>> from weft.text.data import Dataset, Iterator
        >>> iterator = Iterator(Dataset([], []), 2)
        >>> iterator.init_epoch()
        >>> iterator.load_state_dict(iterator.state_dict())
        """
        self.iterations = state_dict["iterations"]
        self._iterations_this_epoch = state_dict["iterations_this_epoch"]
        self._random_state_this_epoch = state_dict["random_state_this_epoch"]
        self._restored = True


class BucketIterator(Iterator):
    """Batches of examples of like length, so that little is padded: of a hundred batches' worth of examples, sorted,
    then the batches are shuffled.

    >>> from weft.text.data import BucketIterator, Dataset, Example, RawField
    >>> fields = [("n", RawField())]
    >>> data = Dataset([Example.fromlist([n], fields) for n in (5, 1, 4, 2, 6, 3)], fields)
    >>> sorted(sorted(each.n) for each in BucketIterator(data, 2, sort_key=lambda example: example.n))
    [[1, 2], [3, 4], [5, 6]]
    """

    def create_batches(self):
        """Start an epoch's batches, as lists of examples.

        >>> from weft.text.data import BucketIterator, Dataset
        >>> BucketIterator(Dataset([], []), 2, sort_key=len).create_batches()
        """
        if self.sort:
            self.batches = batch(self.data(), self.batch_size, self.batch_size_fn)
        else:
            self.batches = pool(self.data(), self.batch_size, self.sort_key, self.batch_size_fn,
                                random_shuffler=self.random_shuffler, shuffle=self.shuffle)


class BPTTIterator(Iterator):
    """One long text, cut into `batch_size` pieces side by side, `bptt_len` steps of each at a time: text (time, batch),
    and target, which is text one step later. The dataset has one example, with one field.

    >>> from weft.text.data import BPTTIterator, Dataset, Example, Field
    >>> text = Field()
    >>> data = Dataset([Example.fromlist(["a b c d e f g"], [("text", text)])], [("text", text)])
    >>> text.build_vocab(data)
    >>> [(each.text.tolist(), each.target.tolist()) for each in BPTTIterator(data, 2, 2)]
    [([[2, 6], [3, 7]], [[3, 7], [4, 8]]), ([[4, 8]], [[5, 1]])]
    """

    def __init__(self, dataset, batch_size, bptt_len, **kwargs):
        self.bptt_len = bptt_len
        super().__init__(dataset, batch_size, **{"sort": False, "shuffle": False, **kwargs})

    def _length(self):
        return math.ceil(len(self.dataset[0].text) / self.batch_size)

    def __len__(self):
        return math.ceil((self._length() - 1) / self.bptt_len)

    def __iter__(self):
        field = self.dataset.fields["text"]
        kept, field.eos_token = field.eos_token, None
        try:
            tokens = list(self.dataset[0].text)
            tokens += [field.pad_token] * (self._length() * self.batch_size - len(tokens))
            row = ([tokens], [len(tokens)]) if field.include_lengths else [tokens]
            rows = field.numericalize(row, device=self.device)
        finally:
            field.eos_token = kept
        columns = (rows[0] if field.include_lengths else rows).reshape(self.batch_size, -1).t().contiguous()
        while True:
            for start in range(0, len(columns) - 1, self.bptt_len):
                self.iterations += 1
                steps = min(self.bptt_len, len(columns) - start - 1)
                text, target = columns[start:start + steps], columns[start + 1:start + 1 + steps]
                if field.batch_first:
                    text, target = text.t().contiguous(), target.t().contiguous()
                yield Batch.fromvars(self.dataset, self.batch_size, text=text, target=target)
            if not self.repeat:
                return


def batch(data, batch_size, batch_size_fn=None):
    """Lists of `batch_size` examples; `batch_size_fn(example, how many so far, size so far)` may measure them
    otherwise.

    >>> from weft.text.data import batch
    >>> list(batch([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    measure = batch_size_fn or (lambda example, count, size: count)
    made, size = [], 0
    for example in data:
        made.append(example)
        size = measure(example, len(made), size)
        if size == batch_size:
            yield made
            made, size = [], 0
        elif size > batch_size:             # this one was too much: it begins the next
            if len(made) > 1:
                yield made[:-1]
                made = made[-1:]
                size = measure(example, 1, 0)
            if size >= batch_size:          # it is too large alone
                yield made
                made, size = [], 0
    if made:
        yield made


def pool(data, batch_size, key, batch_size_fn=None, random_shuffler=None, shuffle=False, sort_within_batch=False):
    """Batches of examples of like `key`: of a hundred batches' worth at a time, sorted.

    >>> from weft.text.data import pool
    >>> list(pool([3, 1, 2], 2, key=lambda x: x))
    [[1, 2], [3]]
    """
    mix = random_shuffler or (lambda batches: random.sample(batches, len(batches)))
    for many in batch(data, batch_size * 100, batch_size_fn):
        batches = list(batch(sorted(many, key=key) if key is not None else many, batch_size, batch_size_fn))
        yield from mix(batches) if shuffle else batches
