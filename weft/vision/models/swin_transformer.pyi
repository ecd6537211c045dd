"""Swin transformer, v1 and v2: attention within windows that are shifted every second time (Liu et al. 2021)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class PatchMerging(Module):
    norm: Any
    reduction: Module
    dim: int
    def __init__(self, dim: int, norm_layer: Any = ...) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class PatchMergingV2(Module):
    norm: Any
    reduction: Module
    dim: int
    def __init__(self, dim: int, norm_layer: Any = ...) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class ShiftedWindowAttention(Module):
    proj: Module
    qkv: Module
    attention_dropout: float
    dropout: float
    window_size: list[Any]
    shift_size: list[Any]
    num_heads: int
    def __init__(self, dim: int, window_size: Any, shift_size: Any, num_heads: int, qkv_bias: bool = True, proj_bias: bool = True, attention_dropout: float = 0.0, dropout: float = 0.0) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    ...

class SwinTransformerBlock(Module):
    mlp: Any
    norm2: Any
    stochastic_depth: Any
    attn: Any
    norm1: Any
    def __init__(self, dim: int, num_heads: int, window_size: Any, shift_size: Any, mlp_ratio: float = 4.0, dropout: float = 0.0, attention_dropout: float = 0.0, stochastic_depth_prob: float = 0.0, norm_layer: Any = ..., attn_layer: Any = ...) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class SwinTransformerBlockV2(SwinTransformerBlock):
    def __init__(self, *args: Any, attn_layer: Any = ..., **kwargs: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class SwinTransformer(Module):
    head: Module
    avgpool: Any
    flatten: Any
    norm: Any
    permute: Any
    features: Module
    num_classes: int
    def __init__(self, patch_size: Any, embed_dim: Any, depths: Any, num_heads: int, window_size: Any, mlp_ratio: float = 4.0, dropout: float = 0.0, attention_dropout: float = 0.0, stochastic_depth_prob: float = 0.1, num_classes: int = 1000, norm_layer: Any = None, block: Any = None, downsample_layer: Any = ...) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def swin_t(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def swin_s(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def swin_b(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def swin_v2_t(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def swin_v2_s(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def swin_v2_b(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
