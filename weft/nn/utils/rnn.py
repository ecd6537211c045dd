"""Sequences of different lengths in one tensor: packed one step after the other, or padded to one length."""
from collections import namedtuple
from collections.abc import Iterable

from weft.ops.create.constants import full
from weft.ops.create.data import tensor
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor

cat = FUNCTIONS["cat"]
_Fields = namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(_Fields):
    """The steps of several sequences, longest first: all first steps, all second ones, ...; `batch_sizes` says how many
    of each.

    >>> import weft
    >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(3), weft.ones(1)])
    >>> packed.data.shape, packed.batch_sizes.tolist()
    (torch.Size([4]), [2, 1, 1])
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None and isinstance(data, (tuple, list)):
            data, batch_sizes = data
        if unsorted_indices is None and sorted_indices is not None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """The same with its data moved or converted.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.to(weft.float64).data.dtype
        torch.float64
        """
        data = self.data.to(*args, **kwargs)
        return (self if data is self.data else type(self)(data, self.batch_sizes, self.sorted_indices,
                                                          self.unsorted_indices))

    def _converted(self, name):
        return type(self)(getattr(self.data, name)(), self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def float(self):
        """The sequences with elements of type float32.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.float().data.dtype
        torch.float32
        """
        return self._converted("float")

    def double(self):
        """The sequences with elements of type float64.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.double().data.dtype
        torch.float64
        """
        return self._converted("double")

    def half(self):
        """The sequences with elements of type float16.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.half().data.dtype
        torch.float16
        """
        return self._converted("half")

    def long(self):
        """The sequences with elements of type int64.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.long().data.dtype
        torch.int64
        """
        return self._converted("long")

    def int(self):
        """The sequences with elements of type int32.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.int().data.dtype
        torch.int32
        """
        return self._converted("int")

    def short(self):
        """The sequences with elements of type int16.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.short().data.dtype
        torch.int16
        """
        return self._converted("short")

    def char(self):
        """The sequences with elements of type int8.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.char().data.dtype
        torch.int8
        """
        return self._converted("char")

    def byte(self):
        """The sequences with elements of type uint8.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.byte().data.dtype
        torch.uint8
        """
        return self._converted("byte")

    def cpu(self, *args, **kwargs):
        """The same: everything is on the CPU.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.cpu().data.dtype
        torch.float32
        """
        return self

    def cuda(self, *args, **kwargs):
        """Raises as on a PyTorch without CUDA.

        >>> import weft
        >>> weft.nn.utils.rnn.pack_sequence([weft.ones(2)]).cuda()
        Traceback (most recent call last):
            ...
        AssertionError: ...
        """
        return self.to(*args, device="cuda", **kwargs)

    def pin_memory(self):
        """The sequences themselves: there is no other device to copy to.

        >>> import weft
        >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(2)])
        >>> packed.pin_memory() is packed
        True
        """
        return self

    def is_pinned(self):
        """Whether the memory is pinned.

        >>> import weft
        >>> weft.nn.utils.rnn.pack_sequence([weft.ones(2)]).is_pinned()
        False
        """
        return self.data.is_pinned()

    @property
    def is_cuda(self):
        """Whether the data lies on a GPU.

        >>> import weft
        >>> weft.nn.utils.rnn.pack_sequence([weft.ones(2)]).is_cuda
        False
        """
        return False


def invert_permutation(permutation):
    """Where each element went.

    >>> import weft
    >>> weft.nn.utils.rnn.invert_permutation(weft.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return None if permutation is None else permutation.argsort()


def _lengths(lengths):
    lengths = lengths.detach() if isinstance(lengths, Tensor) else tensor(list(map(int, lengths)))
    if lengths.dim() != 1 or lengths.numel() == 0:
        raise RuntimeError(f"lengths must be a 1D tensor of at least one length, got {list(lengths.shape)}")
    return lengths.long()


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack padded sequences (T, B, ...), or (B, T, ...) with batch_first, of these lengths.

    >>> import weft
    >>> weft.nn.utils.rnn.pack_padded_sequence(weft.ones(3, 2), [3, 1]).batch_sizes
    tensor([2, 1, 1])
    """
    lengths = _lengths(lengths)
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    input = input.transpose(0, 1) if batch_first else input
    counts = lengths.tolist()
    if input.size(1) != len(counts):
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} "
                           f"(batch_size={input.size(1)})")
    if any(a < b for a, b in zip(counts, counts[1:])):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True.\n"
                           "  fix: You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence, "
                           "or sort the sequences by length")
    if counts[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")
    if counts[0] > input.size(0):
        raise RuntimeError(f"Expected all lengths to be at most {input.size(0)}, the length of the padded input, got "
                           f"{counts[0]}")
    sizes = [sum(n > step for n in counts) for step in range(counts[0])]
    return PackedSequence(cat([input[step, :size] for step, size in enumerate(sizes)]), tensor(sizes), order)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """(padded, lengths) of a packed sequence, in the order in which it was packed.

    >>> import weft
    >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(3), weft.ones(1)])
    >>> weft.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1., 1., 1.],
            [1., 0., 0.]]), tensor([3, 1]))
    """
    sizes = sequence.batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None and total_length < longest:
        raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {longest}")
    steps = []
    for step in sequence.data.split(sizes):
        short = sizes[0] - step.size(0)
        steps.append(cat([step, full((short, *step.shape[1:]), padding_value, dtype=step.dtype)]) if short else step)
    padded = FUNCTIONS["stack"](steps, 1 if batch_first else 0)
    if total_length is not None and total_length > longest:
        shape = list(padded.shape)
        shape[1 if batch_first else 0] = total_length - longest
        padded = cat([padded, full(shape, padding_value, dtype=padded.dtype)], 1 if batch_first else 0)
    lengths = tensor([sum(size > i for size in sizes) for i in range(sizes[0])])
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences (L, ...) of different lengths as one tensor.

    >>> import weft
    >>> weft.nn.utils.rnn.pad_sequence([weft.ones(3), weft.ones(1)], batch_first=True)
    tensor([[1., 1., 1.],
            [1., 0., 0.]])
    """
    if padding_side not in ("right", "left"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: "
                           f"{type(sequences)}")
    sequences = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not sequences:
        raise RuntimeError("pad_sequence: received an empty list of sequences")
    longest = max(s.size(0) for s in sequences)
    made = []
    for s in sequences:
        if s.size(0) < longest:
            rest = full((longest - s.size(0), *s.shape[1:]), padding_value, dtype=s.dtype)
            s = cat([s, rest] if padding_side == "right" else [rest, s])
        made.append(s)
    return FUNCTIONS["stack"](made, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded tensor.

    >>> import weft
    >>> weft.nn.utils.rnn.unpad_sequence(weft.ones(3, 2), weft.tensor([3, 1]))
    [tensor([1., 1., 1.]), tensor([1.])]
    """
    padded = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [sequence[:int(n)] for sequence, n in zip(padded.unbind(0), lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack a list of sequences.

    >>> import weft
    >>> weft.nn.utils.rnn.pack_sequence([weft.ones(3), weft.ones(1)]).batch_sizes
    tensor([2, 1, 1])
    """
    lengths = tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a packed one.

    >>> import weft
    >>> packed = weft.nn.utils.rnn.pack_sequence([weft.ones(3), weft.ones(1)])
    >>> weft.nn.utils.rnn.unpack_sequence(packed)
    [tensor([1., 1., 1.]), tensor([1.])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
