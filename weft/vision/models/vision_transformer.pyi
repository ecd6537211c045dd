"""ViT: pictures as words of pixels (Dosovitskiy et al. 2020)."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self
from weft.nn.module import Module as Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor
from weft.vision.ops.misc import MLP as MLP

class ConvStemConfig(tuple[Any, ...]):
    out_channels: Any
    kernel_size: Any
    stride: Any
    norm_layer: Any
    activation_layer: Any
    def __new__(cls, out_channels: int, kernel_size: int, stride: int, norm_layer: type = ..., activation_layer: type = ...) -> Self: ...

class MLPBlock(MLP):
    def __init__(self, in_dim: Any, mlp_dim: Any, dropout: Any) -> None: ...

class EncoderBlock(Module):
    mlp: Any
    ln_2: Any
    dropout: Module
    self_attention: Module
    ln_1: Any
    num_heads: int
    def __init__(self, num_heads: int, hidden_dim: Any, mlp_dim: Any, dropout: Any, attention_dropout: Any, norm_layer: Any) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class Encoder(Module):
    ln: Any
    layers: Module
    dropout: Module
    pos_embedding: Parameter
    def __init__(self, seq_length: Any, num_layers: Any, num_heads: int, hidden_dim: Any, mlp_dim: Any, dropout: Any, attention_dropout: Any, norm_layer: Any) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class VisionTransformer(Module):
    heads: Module
    encoder: Any
    seq_length: Any
    class_token: Parameter
    conv_proj: Any
    representation_size: Any
    norm_layer: Any
    attention_dropout: float
    dropout: float
    num_classes: int
    image_size: Any
    patch_size: Any
    hidden_dim: Any
    mlp_dim: Any
    def __init__(self, image_size: Any, patch_size: Any, num_layers: Any, num_heads: int, hidden_dim: Any, mlp_dim: Any, dropout: float = 0.0, attention_dropout: float = 0.0, num_classes: int = 1000, representation_size: Any = None, norm_layer: Any = ..., conv_stem_configs: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def vit_b_16(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def vit_b_32(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def vit_l_16(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def vit_l_32(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def vit_h_14(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
