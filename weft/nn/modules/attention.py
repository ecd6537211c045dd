"""Attention with several heads, and the transformer's layers."""
import copy
import math

import weft.nn.functional as F
from weft.core.errors import fail
from weft.nn import init
from weft.nn.module import Module
from weft.nn.modules.container import ModuleList
from weft.nn.modules.dropout import Dropout
from weft.nn.modules.linear import Linear, NonDynamicallyQuantizableLinear
from weft.nn.modules.norm import LayerNorm
from weft.nn.parameter import Parameter
from weft.nn.ragged import cut, is_ragged, padded
from weft.ops.core.samples import built, data
from weft.ops.create.constants import empty, full
from weft.tensor.names import FUNCTIONS

__all__ = ("MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
           "TransformerEncoderLayer")


class MultiheadAttention(Module):
    """Every query's mean of the values, weighted by how well the keys fit it, in several heads: (L, N, E), or (N, L, E)
    with batch_first.

    Shape: query (L, N, E), key and value (S, N, E) -> (L, N, E) and the weights (N, L, S).

    >>> import weft
    >>> from weft import nn
    >>> nn.MultiheadAttention(8, 2)(weft.zeros(5, 1, 8), weft.zeros(6, 1, 8), weft.zeros(6, 1, 8))[0].shape
    torch.Size([5, 1, 8])
    """

    __constants__ = ["batch_first"]

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first, self.add_zero_attn = (
            embed_dim, num_heads, dropout, batch_first, add_zero_attn)
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            fail(AssertionError, f"embed_dim must be divisible by num_heads, got embed_dim={embed_dim} and "
                 f"num_heads={num_heads}", f"an embed_dim of {(self.head_dim + 1) * num_heads} gives each of "
                 f"{num_heads} heads {self.head_dim + 1} features")

        def made(*shape):
            return Parameter(empty(shape, device=device, dtype=dtype))
        if self._qkv_same_embed_dim:
            self.in_proj_weight = made(3 * embed_dim, embed_dim)
            widths = {}
        else:
            widths = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
            self.register_parameter(name, made(embed_dim, widths[name]) if widths else None)
        if widths:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", made(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k, self.bias_v = (made(1, 1, embed_dim), made(1, 1, embed_dim)) if add_bias_kv else (None, None)
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def _eval_differs(self):
        return self.dropout > 0

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        """(outputs, weights or None).

        >>> import weft
        >>> attention = weft.nn.MultiheadAttention(4, 2, batch_first=True)
        >>> x = weft.ones(1, 3, 4)
        >>> out, weights = attention(x, x, x)
        >>> out.shape, weights.shape
        (torch.Size([1, 3, 4]), torch.Size([1, 3, 3]))
        """
        if is_ragged(query) or is_ragged(key):
            whole, _ = padded(query, self.batch_first, None)
            keys, key_padding_mask = padded(key, self.batch_first, key_padding_mask, attn_mask)
            values = keys if value is key else padded(value, self.batch_first, None)[0]
            out, weights = self.forward(whole, keys, values, key_padding_mask, need_weights, attn_mask,
                                        average_attn_weights, is_causal)
            return cut(out, self.batch_first, query) if is_ragged(query) else out, weights
        batched = query.dim() == 3
        if self.batch_first and batched:
            query, key, value = (t.transpose(0, 1) for t in (query, key, value))
        separate = {} if self._qkv_same_embed_dim else dict(
            use_separate_proj_weight=True, q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight)
        outputs, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **separate)
        return outputs.transpose(1, 0) if self.batch_first and batched else outputs, weights

    _samples = [((4, 2), {}, [(3, 2, 4), (3, 2, 4), (3, 2, 4)]),
                ((4, 2), {"batch_first": True, "bias": False},
                 [(2, 2, 4), (2, 3, 4), (2, 3, 4),
                  {"key_padding_mask": data([[False, False, True], [False, True, False]])}]),
                ((4, 2), {"kdim": 2, "vdim": 3}, [(2, 4), (3, 2), (3, 3), {"need_weights": False}]),
                ((2, 1), {"add_bias_kv": True, "add_zero_attn": True}, [(2, 1, 2), (2, 1, 2), (2, 1, 2)]),
                ((4, 2), {"dropout": 0.5}, [(3, 2, 4), (3, 2, 4), (3, 2, 4), {"average_attn_weights": False}])]


def _activation(given):
    if isinstance(given, str):
        if given not in ("relu", "gelu"):
            raise RuntimeError(f"activation should be relu/gelu, not {given}")
        return F.relu if given == "relu" else F.gelu
    return given


def _is_causal(mask, given, length):
    """Whether a mask is the causal one, where the caller didn't say."""
    if given is not None:
        return given
    if mask is None or tuple(mask.shape[-2:]) != (length, length):
        return False
    causal = Transformer.generate_square_subsequent_mask(length, dtype=mask.dtype if mask.is_floating_point() else None)
    return bool((mask == causal).all()) if mask.is_floating_point() else bool((mask == (causal != 0)).all())


def _length(x, batch_first):
    return x.size(0) if x.dim() == 2 else x.size(1 if batch_first else 0)


class _Layer(Module):
    """What encoder and decoder layers share."""

    __constants__ = ["norm_first"]

    def _set_up(self, attentions, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
                norm_first, bias, device, dtype):
        kind = dict(device=device, dtype=dtype)
        for name in attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first,
                                                   **kind))
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **kind)
        self.norm_first = norm_first
        parts = range(1, len(attentions) + 2)
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _attended(self, attention, x, keys, mask, padding, causal):
        return attention(x, keys, keys, attn_mask=mask, key_padding_mask=padding, is_causal=causal,
                         need_weights=False)[0]

    def _fed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _through(self, x, parts):
        """x plus each part's result, normalised before the part or after the sum."""
        for i, part in enumerate(parts, 1):
            norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
            x = x + dropout(part(norm(x))) if self.norm_first else norm(x + dropout(part(x)))
        return x


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two linear layers.

    Shape: (L, N, d_model), or (N, L, d_model) with batch_first; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.TransformerEncoderLayer(8, 2, 16)(weft.zeros(5, 1, 8)).shape
    torch.Size([5, 1, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self._set_up(("self_attn",), d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
                     norm_first, bias, device, dtype)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        if is_ragged(src):
            whole, padding = padded(src, self.self_attn.batch_first, src_key_padding_mask, src_mask)
            return cut(self.forward(whole, src_mask, padding, is_causal), self.self_attn.batch_first, src)
        return self._through(src, (lambda x: self._attended(self.self_attn, x, x, src_mask, src_key_padding_mask,
                                                            is_causal), self._fed_forward))

    _samples = [((4, 2, 3, 0.0), {}, [(3, 2, 4)]),
                ((4, 2, 3, 0.5), {"activation": "gelu", "batch_first": True, "norm_first": True, "bias": False},
                 [(2, 3, 4)])]


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to the encoder's result, then two linear layers.

    Shape: tgt (T, N, d_model) and memory (S, N, d_model), or N first with batch_first -> tgt's.

    >>> import weft
    >>> from weft import nn
    >>> nn.TransformerDecoderLayer(8, 2, 16)(weft.zeros(4, 1, 8), weft.zeros(5, 1, 8)).shape
    torch.Size([4, 1, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self._set_up(("self_attn", "multihead_attn"), d_model, nhead, dim_feedforward, dropout, activation,
                     layer_norm_eps, batch_first, norm_first, bias, device, dtype)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        if is_ragged(tgt) or is_ragged(memory):
            return _decoded(self, self.self_attn.batch_first, tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                            memory_key_padding_mask, tgt_is_causal, memory_is_causal)
        return self._through(tgt, (
            lambda x: self._attended(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal),
            lambda x: self._attended(self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask,
                                     memory_is_causal),
            self._fed_forward))

    _samples = [((4, 2, 3, 0.0), {}, [(3, 2, 4), (2, 2, 4)]),
                ((4, 2, 3, 0.5), {"activation": "gelu", "batch_first": True, "norm_first": True, "bias": False},
                 [(1, 3, 4), (1, 2, 4)])]


def _decoded(module, batch_first, tgt, memory, tgt_mask, memory_mask, tgt_padding, memory_padding, *causal):
    """A decoder on sequences of unequal length: padded, masked, and cut again."""
    whole, tgt_padding = padded(tgt, batch_first, tgt_padding, tgt_mask)
    read, memory_padding = padded(memory, batch_first, memory_padding, memory_mask)
    out = module.forward(whole, read, tgt_mask, memory_mask, tgt_padding, memory_padding, *causal)
    return cut(out, batch_first, tgt) if is_ragged(tgt) else out


def _copies(layer, n):
    return ModuleList([copy.deepcopy(layer) for _ in range(n)])


class TransformerEncoder(Module):
    """Several encoder layers, one after the other.

    Shape: (L, N, d_model), or (N, L, d_model) with batch_first; the result has the input's. A list of N sequences
    (length, d_model), or a nested tensor, -> the same, without padding and masks.

    >>> import weft
    >>> from weft import nn
    >>> nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)(weft.zeros(5, 1, 8)).shape
    torch.Size([5, 1, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers, self.num_layers, self.norm = _copies(encoder_layer, num_layers), num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        if is_ragged(src) and len(self.layers):
            batch_first = self.layers[0].self_attn.batch_first
            whole, padding = padded(src, batch_first, src_key_padding_mask, mask)
            return cut(self.forward(whole, mask, padding, is_causal), batch_first, src)
        causal = (_is_causal(mask, is_causal, _length(src, self.layers[0].self_attn.batch_first)) if len(self.layers)
                  else False)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)

    _samples = [((built(lambda torch: torch.nn.TransformerEncoderLayer(4, 2, 3, 0.0)), 2), {}, [(3, 2, 4)]),
                ((built(lambda torch: torch.nn.TransformerEncoderLayer(4, 2, 3, 0.5, batch_first=True)), 1),
                 {"norm": built(lambda torch: torch.nn.LayerNorm(4))}, [(1, 3, 4)])]


class TransformerDecoder(Module):
    """Several decoder layers, one after the other.

    Shape: tgt (T, N, d_model) and memory (S, N, d_model), or N first with batch_first -> tgt's.

    >>> import weft
    >>> from weft import nn
    >>> nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)(weft.zeros(4, 1, 8), weft.zeros(5, 1, 8)).shape
    torch.Size([4, 1, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers, self.num_layers, self.norm = _copies(decoder_layer, num_layers), num_layers, norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
        if (is_ragged(tgt) or is_ragged(memory)) and len(self.layers):
            return _decoded(self, self.layers[0].self_attn.batch_first, tgt, memory, tgt_mask, memory_mask,
                            tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal)
        causal = (_is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers[0].self_attn.batch_first))
                  if len(self.layers) else False)
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                        tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                        tgt_is_causal=causal, memory_is_causal=memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)

    _samples = [((built(lambda torch: torch.nn.TransformerDecoderLayer(4, 2, 3, 0.0)), 2), {}, [(3, 1, 4), (2, 1, 4)]),
                ((built(lambda torch: torch.nn.TransformerDecoderLayer(4, 2, 3, 0.5)), 1),
                 {"norm": built(lambda torch: torch.nn.LayerNorm(4))}, [(3, 1, 4), (2, 1, 4)])]


class Transformer(Module):
    """An encoder and a decoder.

    Shape: src (S, N, d_model) and tgt (T, N, d_model), or N first with batch_first -> tgt's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Transformer(8, 2, 1, 1, 16)(weft.zeros(5, 1, 8), weft.zeros(4, 1, 8)).shape
    torch.Size([4, 1, 8])
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048,
                 dropout=0.1, activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        kind = dict(device=device, dtype=dtype)
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                    bias, device, dtype)

        def norm():
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
        self.encoder = custom_encoder if custom_encoder is not None else \
            TransformerEncoder(TransformerEncoderLayer(*settings), num_encoder_layers, norm())
        self.decoder = custom_decoder if custom_decoder is not None else \
            TransformerDecoder(TransformerDecoderLayer(*settings), num_decoder_layers, norm())
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self):
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError(f"the batch number of src and tgt must be equal, got {src.size(batch)} and "
                               f"{tgt.size(batch)}")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError(f"the feature number of src and tgt must be equal to d_model ({self.d_model}), got "
                               f"{src.size(-1)} and {tgt.size(-1)}")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """-inf above the diagonal: nothing looks ahead.

        >>> import weft
        >>> weft.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return FUNCTIONS["triu"](full((sz, sz), -math.inf, device=device, dtype=dtype), 1)

    _samples = [((4, 2, 1, 1, 3, 0.0), {}, [(3, 2, 4), (2, 2, 4)]),
                ((4, 1, 1, 1, 3), {"batch_first": True, "norm_first": True}, [(2, 2, 4), (2, 3, 4)])]
