"""Tables of vectors, looked up by number."""
# made by tools/stubs.py
from typing_extensions import Self
from weft._typing import DType, Device
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class _Table(Module):
    def reset_parameters(self) -> None: ...

class Embedding(_Table):
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    num_embeddings: int
    embedding_dim: int
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def extra_repr(self) -> str: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Self: ...

class EmbeddingBag(_Table):
    mode: str
    sparse: bool
    include_last_offset: bool
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    num_embeddings: int
    embedding_dim: int
    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor: ...
    def extra_repr(self) -> str: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, include_last_offset: bool = False, padding_idx: int | None = None) -> Self: ...

