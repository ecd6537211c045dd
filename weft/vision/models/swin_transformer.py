"""Swin transformer, v1 and v2: attention within windows that are shifted every second time (Liu et al. 2021)."""
import functools
import math

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models._registry import builder
from weft.vision.ops.misc import MLP, Permute, StochasticDepth

__all__ = ["SwinTransformer", "swin_t", "swin_s", "swin_b", "swin_v2_t", "swin_v2_s", "swin_v2_b"]


def _quarters(x):
    """(..., H, W, C) -> (..., H / 2, W / 2, 4 C), zeros added where H or W is odd."""
    x = F.pad(x, (0, 0, 0, x.shape[-2] % 2, 0, x.shape[-3] % 2))
    return weft.cat([x[..., i::2, j::2, :] for j in (0, 1) for i in (0, 1)], -1)


class PatchMerging(nn.Module):
    """Half the size, twice the channels."""

    def __init__(self, dim, norm_layer=nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x):
        return self.reduction(self.norm(_quarters(x)))


class PatchMergingV2(nn.Module):
    """The same, with the norm at the end."""

    def __init__(self, dim, norm_layer=nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

    def forward(self, x):
        return self.norm(self.reduction(_quarters(x)))


def _windows(x, window):
    """(B, H, W, C) -> (B * windows, pixels of one, C)."""
    b, h, w, c = x.shape
    x = x.view(b, h // window[0], window[0], w // window[1], window[1], c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, window[0] * window[1], c)


def _masks(h, w, window, shift):
    """(windows, pixels, pixels): -100 for pixels that a shift has brought together from different sides."""
    side = weft.zeros(h, w)
    count = 0
    for rows in ((0, -window[0]), (-window[0], -shift[0]), (-shift[0], None)):
        for columns in ((0, -window[1]), (-window[1], -shift[1]), (-shift[1], None)):
            side[rows[0]:rows[1], columns[0]:columns[1]] = count
            count += 1
    side = side.view(h // window[0], window[0], w // window[1], window[1]).permute(0, 2, 1, 3)
    side = side.reshape(-1, window[0] * window[1])
    apart = side.unsqueeze(1) - side.unsqueeze(2)
    return weft.where(apart != 0, weft.full_like(apart, -100.0), weft.zeros_like(apart))


class ShiftedWindowAttention(nn.Module):
    """Attention within windows: (B, H, W, C) to the same shape."""

    def __init__(self, dim, window_size, shift_size, num_heads, qkv_bias=True, proj_bias=True, attention_dropout=0.0,
                 dropout=0.0):
        super().__init__()
        self.window_size, self.shift_size, self.num_heads = list(window_size), list(shift_size), num_heads
        self.attention_dropout, self.dropout = attention_dropout, dropout
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim, bias=proj_bias)
        self._make_bias()

    def _make_bias(self):
        h, w = self.window_size
        self.relative_position_bias_table = nn.Parameter(weft.zeros((2 * h - 1) * (2 * w - 1), self.num_heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)
        self._make_index()

    def _make_index(self):
        h, w = self.window_size
        places = weft.stack(weft.meshgrid(weft.arange(h), weft.arange(w), indexing="ij")).flatten(1)     # (2, pixels)
        apart = places[:, :, None] - places[:, None, :]
        index = (apart[0] + h - 1) * (2 * w - 1) + apart[1] + w - 1
        self.register_buffer("relative_position_index", index.flatten())

    def _table(self):
        return self.relative_position_bias_table

    def _bias(self):
        """(1, heads, pixels, pixels)."""
        pixels = self.window_size[0] * self.window_size[1]
        bias = self._table()[self.relative_position_index].view(pixels, pixels, -1)
        return bias.permute(2, 0, 1).unsqueeze(0)

    def _scores(self, q, k):
        return (q * (q.shape[-1] ** -0.5)) @ k.transpose(-2, -1)

    def _qkv(self, x):
        return self.qkv(x)

    def forward(self, x):
        b, height, width, c = x.shape
        window = self.window_size
        x = F.pad(x, (0, 0, 0, -width % window[1], 0, -height % window[0]))
        h, w = x.shape[1:3]
        shift = [0 if window[i] >= side else self.shift_size[i] for i, side in enumerate((h, w))]
        if sum(shift):
            x = weft.roll(x, (-shift[0], -shift[1]), (1, 2))
        n = (h // window[0]) * (w // window[1])
        x = _windows(x, window)
        qkv = self._qkv(x).reshape(x.shape[0], x.shape[1], 3, self.num_heads, c // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)                      # (B * windows, heads, pixels, C / heads)
        attention = self._scores(q, k) + self._bias()
        if sum(shift):
            masks = _masks(h, w, window, shift).to(attention.dtype)
            shape = attention.shape
            attention = attention.view(b, n, *shape[1:]) + masks.unsqueeze(1).unsqueeze(0)
            attention = attention.view(shape)
        attention = F.dropout(F.softmax(attention, dim=-1), self.attention_dropout, self.training)
        x = (attention @ v).transpose(1, 2).reshape(x.shape[0], x.shape[1], c)
        x = F.dropout(self.proj(x), self.dropout, self.training)
        x = x.view(b, h // window[0], w // window[1], window[0], window[1], c)
        x = x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        if sum(shift):
            x = weft.roll(x, (shift[0], shift[1]), (1, 2))
        return x[:, :height, :width, :].contiguous()


class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    """The same by cosines, with biases that a small network makes of the distances."""

    def _make_bias(self):
        h, w = self.window_size
        self.logit_scale = nn.Parameter(weft.log(10 * weft.ones((self.num_heads, 1, 1))))
        self.cpb_mlp = nn.Sequential(nn.Linear(2, 512, bias=True), nn.ReLU(inplace=True),
                                     nn.Linear(512, self.num_heads, bias=False))
        if self.qkv.bias is not None:
            with weft.no_grad():
                self.qkv.bias[self.qkv.bias.numel() // 3:2 * (self.qkv.bias.numel() // 3)].zero_()
        y = weft.arange(-(h - 1), h, dtype=weft.float32)
        x = weft.arange(-(w - 1), w, dtype=weft.float32)
        table = weft.stack(weft.meshgrid(y, x, indexing="ij")).permute(1, 2, 0).contiguous().unsqueeze(0)
        table = table / weft.tensor([h - 1.0, w - 1.0]) * 8
        table = weft.sign(table) * weft.log2(weft.abs(table) + 1.0) / 3.0
        self.register_buffer("relative_coords_table", table)
        self._make_index()

    def _table(self):
        return self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)

    def _bias(self):
        return 16 * weft.sigmoid(super()._bias())

    def _scores(self, q, k):
        scale = weft.clamp(self.logit_scale, max=math.log(100.0)).exp()
        return (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)) * scale

    def _qkv(self, x):
        if self.qkv.bias is None:
            return self.qkv(x)
        third = self.qkv.bias.numel() // 3          # keys have no bias
        bias = weft.cat((self.qkv.bias[:third], weft.zeros_like(self.qkv.bias[:third]), self.qkv.bias[2 * third:]))
        return F.linear(x, self.qkv.weight, bias)


class SwinTransformerBlock(nn.Module):
    """Attention and a small network, each after a norm and beside a short cut."""

    def __init__(self, dim, num_heads, window_size, shift_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.0, norm_layer=nn.LayerNorm, attn_layer=ShiftedWindowAttention):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = attn_layer(dim, window_size, shift_size, num_heads, attention_dropout=attention_dropout,
                               dropout=dropout)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.norm2 = norm_layer(dim)
        self.mlp = MLP(dim, [int(dim * mlp_ratio), dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        for layer in self.mlp.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.normal_(layer.bias, std=1e-6)

    def forward(self, x):
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformerBlockV2(SwinTransformerBlock):
    """The same with the norms at the end."""

    def __init__(self, *args, attn_layer=ShiftedWindowAttentionV2, **kwargs):
        super().__init__(*args, attn_layer=attn_layer, **kwargs)

    def forward(self, x):
        x = x + self.stochastic_depth(self.norm1(self.attn(x)))
        return x + self.stochastic_depth(self.norm2(self.mlp(x)))


class SwinTransformer(nn.Module):
    """Four stages of blocks: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> net = weft.vision.models.SwinTransformer([4, 4], 8, [2, 2], [2, 2], [4, 4], num_classes=5)
    >>> net(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, patch_size, embed_dim, depths, num_heads, window_size, mlp_ratio=4.0, dropout=0.0,
                 attention_dropout=0.0, stochastic_depth_prob=0.1, num_classes=1000, norm_layer=None, block=None,
                 downsample_layer=PatchMerging):
        super().__init__()
        self.num_classes = num_classes
        block = block or SwinTransformerBlock
        norm_layer = norm_layer or functools.partial(nn.LayerNorm, eps=1e-5)
        patch = tuple(patch_size)
        layers = [nn.Sequential(nn.Conv2d(3, embed_dim, patch, stride=patch), Permute([0, 2, 3, 1]),
                                norm_layer(embed_dim))]
        total, done = sum(depths), 0
        for i, depth in enumerate(depths):
            dim, stage = embed_dim * 2 ** i, []
            for j in range(depth):
                shift = [0 if j % 2 == 0 else w // 2 for w in window_size]
                stage.append(block(dim, num_heads[i], window_size=window_size, shift_size=shift, mlp_ratio=mlp_ratio,
                                   dropout=dropout, attention_dropout=attention_dropout,
                                   stochastic_depth_prob=stochastic_depth_prob * float(done) / (total - 1),
                                   norm_layer=norm_layer))
                done += 1
            layers.append(nn.Sequential(*stage))
            if i < len(depths) - 1:
                layers.append(downsample_layer(dim, norm_layer))
        self.features = nn.Sequential(*layers)
        last = embed_dim * 2 ** (len(depths) - 1)
        self.norm, self.permute = norm_layer(last), Permute([0, 3, 1, 2])
        self.avgpool, self.flatten = nn.AdaptiveAvgPool2d(1), nn.Flatten(1)
        self.head = nn.Linear(last, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.trunc_normal_(layer.weight, std=0.02)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(self, x):
        x = self.permute(self.norm(self.features(x)))
        return self.head(self.flatten(self.avgpool(x)))


def _make(second, dim, depths, heads, drop, **kwargs):
    if second:
        kwargs.update(block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2)
    window = kwargs.pop("window_size", [8, 8] if second else [7, 7])
    return SwinTransformer([4, 4], dim, depths, heads, window,
                           stochastic_depth_prob=kwargs.pop("stochastic_depth_prob", drop), **kwargs)


def _named(size, second, dim, depths, heads, drop, parameters):
    return builder(f"swin_{'v2_' * second}{size}", functools.partial(_make, second, dim, depths, heads, drop),
                   f"Swin transformer{' v2' * second}, { {'t': 'tiny', 's': 'small', 'b': 'base'}[size] }.", parameters)


TINY, SMALL = ([2, 2, 6, 2], [3, 6, 12, 24]), ([2, 2, 18, 2], [3, 6, 12, 24])
BASE = ([2, 2, 18, 2], [4, 8, 16, 32])
swin_t = _named("t", False, 96, *TINY, 0.2, 28288354)
swin_s = _named("s", False, 96, *SMALL, 0.3, 49606258)
swin_b = _named("b", False, 128, *BASE, 0.5, 87768224)
swin_v2_t = _named("t", True, 96, *TINY, 0.2, 28351570)
swin_v2_s = _named("s", True, 96, *SMALL, 0.3, 49737442)
swin_v2_b = _named("b", True, 128, *BASE, 0.5, 87930848)
