"""Attention with several heads, and the transformer's layers."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import DType, Device
from weft.nn.module import Module as Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

class MultiheadAttention(Module):
    bias_k: Any
    bias_v: Any
    out_proj: Any
    in_proj_bias: Parameter
    in_proj_weight: Parameter
    head_dim: Any
    kdim: Any
    vdim: Any
    embed_dim: int
    num_heads: int
    dropout: float
    batch_first: bool
    add_zero_attn: bool
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, query: Tensor, key: str, value: Tensor, key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False) -> Tensor: ...

class _Layer(Module):
    activation: Any
    norm_first: Any
    linear2: Module
    dropout: Module
    linear1: Module

class TransformerEncoderLayer(_Layer):
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = ..., layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor: ...

class TransformerDecoderLayer(_Layer):
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = ..., layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor: ...

class TransformerEncoder(Module):
    enable_nested_tensor: bool
    mask_check: bool
    layers: Any
    num_layers: int
    norm: Module | None
    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True, mask_check: bool = True) -> None: ...
    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool | None = None) -> Tensor: ...

class TransformerDecoder(Module):
    layers: Any
    num_layers: int
    norm: Module | None
    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None: ...
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor: ...

class Transformer(Module):
    d_model: int
    nhead: int
    batch_first: bool
    decoder: Any
    encoder: Any
    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = ..., custom_encoder: Module | None = None, custom_decoder: Module | None = None, layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor: ...
    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device | None = None, dtype: DType | None = None) -> Tensor: ...

