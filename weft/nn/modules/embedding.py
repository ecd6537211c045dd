"""Tables of vectors, looked up by number."""
import weft.nn.functional as F
from weft.core.modes import no_grad
from weft.nn import init
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.ops.core.samples import data, ints
from weft.ops.create.constants import empty

__all__ = ("Embedding", "EmbeddingBag",)


class _Table(Module):
    def _fill(self, shape, padding_idx, weight, freeze, device, dtype):
        n = shape[0]
        if padding_idx is not None:
            if not -n <= padding_idx < n:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= n
        self.padding_idx = padding_idx
        if weight is None:
            self.weight = Parameter(empty(shape, device=device, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != tuple(shape):
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self):
        """Standard normal numbers; the padding's vector is zero.

        >>> import weft
        >>> table = weft.nn.Embedding(3, 2, padding_idx=0)
        >>> table.reset_parameters()
        >>> table.weight[0].tolist()
        [0.0, 0.0]
        """
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """(num_embeddings, embedding_dim) vectors: an index tensor (...) gives (..., embedding_dim).

    Shape: indices (...) -> (..., embedding_dim).

    >>> import weft
    >>> from weft import nn
    >>> nn.Embedding(10, 4)(weft.tensor([[1, 2], [3, 4]])).shape
    torch.Size([2, 2, 4])
    """

    __constants__ = ["num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq",
                     "sparse"]

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = (
            max_norm, norm_type, scale_grad_by_freq, sparse)
        self._fill((num_embeddings, embedding_dim), padding_idx, _weight, _freeze, device, dtype)

    def forward(self, input):
        if self.max_norm is None and not self.scale_grad_by_freq and not self.sparse:
            return F.embedding(input, self.weight, self.padding_idx)
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)

    def extra_repr(self):
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0,
                        scale_grad_by_freq=False, sparse=False):
        """A table of given vectors, by default not trained.

        >>> import weft
        >>> weft.nn.Embedding.from_pretrained(weft.eye(3))(weft.tensor([1]))
        tensor([[0., 1., 0.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings,
                   _freeze=freeze)

    _samples = [((5, 3), {}, [ints(2, 3, below=5)]), ((5, 2), {"padding_idx": 1}, [data([[0, 2], [4, 3]])]),
                ((5, 3), {"padding_idx": -1, "_freeze": True}, [data([4, 0])]),
                ((4, 2), {"max_norm": 0.5, "norm_type": 1.0, "_freeze": True}, [ints(3, below=4)])]


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of vectors, without the vectors in between.

    Shape: indices (N, L), or (L,) with offsets (N,) -> (N, embedding_dim).

    >>> import weft
    >>> from weft import nn
    >>> nn.EmbeddingBag(10, 4)(weft.tensor([[1, 2], [3, 4]])).shape
    torch.Size([2, 4])
    """

    __constants__ = ["num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode",
                     "sparse", "include_last_offset", "padding_idx"]

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 mode="mean", sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None,
                 dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset
        self._fill((num_embeddings, embedding_dim), padding_idx, _weight, False, device, dtype)

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)

    def extra_repr(self):
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                        mode="mean", sparse=False, include_last_offset=False, padding_idx=None):
        """A table of given vectors, by default not trained.

        >>> import weft
        >>> weft.nn.EmbeddingBag.from_pretrained(weft.eye(3), mode='sum')(weft.tensor([[1, 2]]))
        tensor([[0., 1., 1.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
                   include_last_offset, padding_idx)
        made.weight.requires_grad = not freeze
        return made

    _samples = [((5, 3), {}, [ints(2, 3, below=5)]), ((5, 2), {"mode": "max"}, [ints(4, below=5), data([0, 1])]),
                ((5, 2), {"mode": "sum"}, [ints(2, 3, below=5), None, (2, 3)]),
                ((5, 2), {"padding_idx": 1, "include_last_offset": True}, [data([0, 1, 4, 3]), data([0, 3, 4])])]
