"""ViT: pictures as words of pixels (Dosovitskiy et al. 2020)."""
import functools
import math
from collections import OrderedDict
from typing import NamedTuple

import weft
from weft import nn
from weft.vision.models._registry import builder
from weft.vision.ops.misc import MLP, Conv2dNormActivation

__all__ = ["VisionTransformer", "ConvStemConfig", "vit_b_16", "vit_b_32", "vit_l_16", "vit_l_32", "vit_h_14"]


NORM = functools.partial(nn.LayerNorm, eps=1e-6)


class ConvStemConfig(NamedTuple):
    """A convolution before the patches.

    >>> from weft.vision.models.vision_transformer import ConvStemConfig
    >>> ConvStemConfig(64, 3, 2).out_channels
    64
    """
    out_channels: int
    kernel_size: int
    stride: int
    norm_layer: type = nn.BatchNorm2d
    activation_layer: type = nn.ReLU


class MLPBlock(MLP):
    """The two linear layers of a block."""

    def __init__(self, in_dim, mlp_dim, dropout):
        super().__init__(in_dim, [mlp_dim, in_dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.normal_(layer.bias, std=1e-6)


class EncoderBlock(nn.Module):
    """Attention and a small network, each after a norm and beside a short cut."""

    def __init__(self, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer):
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = norm_layer(hidden_dim)
        self.self_attention = nn.MultiheadAttention(hidden_dim, num_heads, dropout=attention_dropout, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.ln_2 = norm_layer(hidden_dim)
        self.mlp = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, input):
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x) + input
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    """Places added, then blocks, then a norm."""

    def __init__(self, seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer):
        super().__init__()
        self.pos_embedding = nn.Parameter(weft.empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.Sequential(OrderedDict(
            (f"encoder_layer_{i}", EncoderBlock(num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer))
            for i in range(num_layers)))
        self.ln = norm_layer(hidden_dim)

    def forward(self, input):
        return self.ln(self.layers(self.dropout(input + self.pos_embedding)))


class VisionTransformer(nn.Module):
    """Patches of a picture through a transformer: (N, 3, image_size, image_size) to (N, num_classes).

    >>> import weft
    >>> net = weft.vision.models.VisionTransformer(16, 8, 1, 2, 8, 16, num_classes=5)
    >>> net(weft.rand(2, 3, 16, 16)).shape
    torch.Size([2, 5])
    """

    def __init__(self, image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, dropout=0.0,
                 attention_dropout=0.0, num_classes=1000, representation_size=None,
                 norm_layer=NORM, conv_stem_configs=None):
        super().__init__()
        if image_size % patch_size:
            raise ValueError(f"image_size = {image_size} is no multiple of patch_size = {patch_size}")
        self.image_size, self.patch_size, self.hidden_dim, self.mlp_dim = image_size, patch_size, hidden_dim, mlp_dim
        self.attention_dropout, self.dropout, self.num_classes = attention_dropout, dropout, num_classes
        self.representation_size, self.norm_layer = representation_size, norm_layer
        if conv_stem_configs is None:
            self.conv_proj = nn.Conv2d(3, hidden_dim, patch_size, stride=patch_size)
        else:
            self.conv_proj = self._stem(conv_stem_configs, hidden_dim)
        self.class_token = nn.Parameter(weft.zeros(1, 1, hidden_dim))
        self.seq_length = (image_size // patch_size) ** 2 + 1
        self.encoder = Encoder(self.seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout,
                               norm_layer)
        if representation_size is None:
            heads = OrderedDict(head=nn.Linear(hidden_dim, num_classes))
        else:
            heads = OrderedDict(pre_logits=nn.Linear(hidden_dim, representation_size), act=nn.Tanh(),
                                head=nn.Linear(representation_size, num_classes))
        self.heads = nn.Sequential(heads)
        self._reset()

    @staticmethod
    def _stem(configs, hidden_dim):
        stem, channels = nn.Sequential(), 3
        for i, each in enumerate(configs):
            stem.add_module(f"conv_bn_relu_{i}", Conv2dNormActivation(
                channels, each.out_channels, each.kernel_size, each.stride, norm_layer=each.norm_layer,
                activation_layer=each.activation_layer))
            channels = each.out_channels
        stem.add_module("conv_last", nn.Conv2d(channels, hidden_dim, 1))
        return stem

    def _reset(self):
        if isinstance(self.conv_proj, nn.Conv2d):
            fan_in = self.conv_proj.in_channels * self.conv_proj.kernel_size[0] * self.conv_proj.kernel_size[1]
            nn.init.trunc_normal_(self.conv_proj.weight, std=math.sqrt(1 / fan_in))
            nn.init.zeros_(self.conv_proj.bias)
        else:
            last = self.conv_proj.conv_last
            nn.init.normal_(last.weight, mean=0.0, std=math.sqrt(2.0 / last.out_channels))
            nn.init.zeros_(last.bias)
        if hasattr(self.heads, "pre_logits"):
            nn.init.trunc_normal_(self.heads.pre_logits.weight, std=math.sqrt(1 / self.heads.pre_logits.in_features))
            nn.init.zeros_(self.heads.pre_logits.bias)
        nn.init.zeros_(self.heads.head.weight)
        nn.init.zeros_(self.heads.head.bias)

    def _process_input(self, x):
        n, _, height, width = x.shape
        if (height, width) != (self.image_size, self.image_size):
            raise RuntimeError(f"the pictures are {height} x {width}, this network takes {self.image_size} x "
                               f"{self.image_size}\n  fix: resize them")
        return self.conv_proj(x).reshape(n, self.hidden_dim, -1).permute(0, 2, 1)      # (N, patches, hidden)

    def forward(self, x):
        x = self._process_input(x)
        x = weft.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1)
        return self.heads(self.encoder(x)[:, 0])


def _make(patch, layers, heads, hidden, mlp, **kwargs):
    return VisionTransformer(kwargs.pop("image_size", 224), patch, layers, heads, hidden, mlp, **kwargs)


def _named(name, *setting, parameters):
    return builder(name, functools.partial(_make, *setting), f"ViT: patches of {setting[0]} x {setting[0]}, "
                   f"{setting[1]} blocks of width {setting[3]}.", parameters)


vit_b_16 = _named("vit_b_16", 16, 12, 12, 768, 3072, parameters=86567656)
vit_b_32 = _named("vit_b_32", 32, 12, 12, 768, 3072, parameters=88224232)
vit_l_16 = _named("vit_l_16", 16, 24, 16, 1024, 4096, parameters=304326632)
vit_l_32 = _named("vit_l_32", 32, 24, 16, 1024, 4096, parameters=306535400)
vit_h_14 = _named("vit_h_14", 14, 32, 16, 1280, 5120, parameters=632045800)
