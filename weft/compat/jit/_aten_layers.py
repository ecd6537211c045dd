"""Ops of aten that run a whole layer at once, as PyTorch's scripts of transformers call them in evaluation."""
import weft
from weft.nn import functional as F


def native_multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias,
                                mask=None, need_weights=True, average_attn_weights=True, mask_type=None):
    """Attention of (batch, length, width) and its weights; mask_type 0: (length, length), 1: (batch, length)."""
    q, k, v = (t.transpose(0, 1) for t in (query, key, value))
    padding = mask if mask_type == 1 else None
    out, weights = F.multi_head_attention_forward(
        q, k, v, embed_dim, num_head, qkv_weight, qkv_bias, None, None, False, 0.0, proj_weight, proj_bias,
        training=False, key_padding_mask=padding, need_weights=need_weights,
        attn_mask=mask if mask_type != 1 else None, average_attn_weights=average_attn_weights)
    return out.transpose(0, 1), weights if weights is not None else weft.empty(0)


def transformer_encoder_layer_fwd(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu,
                                  norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1,
                                  ffn_bias_1, ffn_weight_2, ffn_bias_2, mask=None, mask_type=None):
    """nn.TransformerEncoderLayer in evaluation."""
    def norm(x, weight, bias):
        return F.layer_norm(x, [embed_dim], weight, bias, eps)

    def attend(x):
        return native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias,
                                           mask, False, True, mask_type)[0]

    def feed(x):
        h = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(h) if use_gelu else F.relu(h), ffn_weight_2, ffn_bias_2)
    if norm_first:
        src = src + attend(norm(src, norm_weight_1, norm_bias_1))
        return src + feed(norm(src, norm_weight_2, norm_bias_2))
    src = norm(src + attend(src), norm_weight_1, norm_bias_1)
    return norm(src + feed(src), norm_weight_2, norm_bias_2)
