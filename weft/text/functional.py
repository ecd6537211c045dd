"""torchtext.functional: lists of tokens cut, lengthened, made numbers and tensors."""
import weft

__all__ = ["to_tensor", "truncate", "add_token", "str_to_int"]


def _is_batch(values):
    return bool(values) and isinstance(values[0], (list, tuple))


def to_tensor(input, padding_value=None, dtype=weft.long):
    """A tensor of a list of numbers, or (batch, time) of several, padded if a padding_value is given.

    >>> from weft.text.functional import to_tensor
    >>> to_tensor([[1, 2], [3]], padding_value=0)
    tensor([[1, 2],
            [3, 0]])
    """
    if not _is_batch(input) or padding_value is None:
        return weft.tensor(input, dtype=dtype)
    longest = max(map(len, input))
    return weft.tensor([[*row, *[padding_value] * (longest - len(row))] for row in input], dtype=dtype)


def truncate(input, max_seq_len):
    """The first max_seq_len of a list, or of each list of a batch.

    >>> from weft.text.functional import truncate
    >>> truncate([[1, 2, 3], [4]], 2)
    [[1, 2], [4]]
    """
    return [row[:max_seq_len] for row in input] if _is_batch(input) else input[:max_seq_len]


def add_token(input, token_id, begin=True):
    """A token before a list (or behind it), or each list of a batch.

    >>> from weft.text.functional import add_token
    >>> add_token([[1, 2], [3]], 0)
    [[0, 1, 2], [0, 3]]
    """
    if _is_batch(input):
        return [add_token(row, token_id, begin) for row in input]
    return [token_id, *input] if begin else [*input, token_id]


def str_to_int(input):
    """Numbers of text, in a list or a batch of lists.

    >>> from weft.text.functional import str_to_int
    >>> str_to_int([["1", "2"], ["3"]])
    [[1, 2], [3]]
    """
    return [str_to_int(row) for row in input] if _is_batch(input) else [int(value) for value in input]
