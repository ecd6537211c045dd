"""multi_head_attention_forward: projections in, attention of each head, projection out."""
import math
import warnings

import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import FUNCTIONS, op
from weft.ops.nn.attention import dropped, scaled_dot_product_attention
from weft.ops.shape.join import cat
from weft.tensor.tensor import wrap


def _need(condition, what, fix=None):
    if not condition:
        fail(AssertionError, what, fix)


def _linear(x, weight, bias):
    native = FUNCTIONS.get("nn.functional.linear")
    if native is not None:
        return native(x, weight, bias)
    made = x @ weight.mT
    return made if bias is None else made + bias


def _check_dims(query, key, value, padding, mask, num_heads):
    """Whether the input is batched; raises when dimensions don't go together."""
    batched = query.dim() == 3
    _need(batched or query.dim() == 2,
          f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor",
          "give (length, batch, features) or (length, features)")
    form, n = ("batched (3-D)", 3) if batched else ("unbatched (2-D)", 2)
    _need(key.dim() == n and value.dim() == n, f"For {form} `query`, expected `key` and `value` to be {n}-D but found "
          f"{key.dim()}-D and {value.dim()}-D tensors respectively",
          "give all three (length, batch, features), or all three (length, features)")
    _need(padding is None or padding.dim() == n - 1,
          f"For {form} `query`, expected `key_padding_mask` to be `None` or {n - 1}-D but found "
          f"{0 if padding is None else padding.dim()}-D tensor instead",
          "a padding mask is (batch, keys)" if batched else "a padding mask is (keys) here")
    _need(mask is None or mask.dim() in (2, 3),
          f"For {form} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
          f"{0 if mask is None else mask.dim()}-D tensor instead",
          "a mask is (queries, keys), or (batch * heads, queries, keys)")
    if not batched and mask is not None and mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        _need(tuple(mask.shape) == expected, f"Expected `attn_mask` shape to be {expected} but got {tuple(mask.shape)}",
              "a mask is (queries, keys), or (heads, queries, keys) here")
    return batched


def _check_kinds(padding, mask):
    for name, m in (("key_padding_mask", padding), ("attn_mask", mask)):
        _need(m is None or m._form.dtype == np.bool_ or m.is_floating_point(),
              f"only bool and floating types of {name} are supported",
              "give True where a key must not be seen, or numbers to add")
    if padding is not None and mask is not None and padding.dtype != mask.dtype:
        warnings.warn("Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both "
                      "instead.", stacklevel=5)


def _projected(query, key, value, weight, bias, separate):
    """q, k, v (length, batch, features); one product for as many of them as have one input."""
    if separate is not None:
        b = (None, None, None) if bias is None else bias.chunk(3)
        return [_linear(x, w, c) for x, w, c in zip((query, key, value), separate, b)]
    size = query.shape[-1]
    if query is key and key is value:
        return list(_linear(query, weight, bias).chunk(3, -1))
    if key is value:
        (w_q, w_kv), (b_q, b_kv) = weight.split([size, 2 * size]), (None,
                                                                    None) if bias is None else bias.split([size,
                                                                                                           2 * size])
        return [_linear(query, w_q, b_q), *_linear(key, w_kv, b_kv).chunk(2, -1)]
    b = (None, None, None) if bias is None else bias.chunk(3)
    return [_linear(x, w, c) for x, w, c in zip((query, key, value), weight.chunk(3), b)]


def _check_projection(query, key, value, embed_dim_to_check, num_heads, weight, separate):
    size = query.shape[-1]
    _need(size == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}",
          f"give a query of {embed_dim_to_check} features, or make the layer for {size}")
    _need(size // num_heads * num_heads == size, f"embed_dim {size} not divisible by num_heads {num_heads}",
          "choose a number of heads that divides the features")
    if separate is not None:
        _need(key.shape[:2] == value.shape[:2],
              f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}",
              "each key needs a value: give both the same length and batch")
        for name, w in zip("qkv", separate):
            _need(w is not None, f"use_separate_proj_weight is True but {name}_proj_weight is None")
        return
    _need(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}",
          "each key needs a value of the same width; kdim and vdim make them differ")
    _need(weight is not None, "use_separate_proj_weight is False but in_proj_weight is None")


def _check_mask(mask, queries, keys, stack):
    """(the mask with a leading dimension of 1 or batch * heads)"""
    expected = (queries, keys) if mask.dim() == 2 else (stack, queries, keys)
    if tuple(mask.shape) != expected:
        fail(RuntimeError, f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}.",
             "a mask is (queries, keys), or (batch * heads, queries, keys)")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _one_more(mask):
    """Let a key more be seen by all."""
    if mask is None:
        return None
    return cat([mask, wrap(np.zeros((*mask._form.shape[:-1], 1), mask._form.dtype))], -1)


def _added(mask, dtype):
    """A mask as numbers to add."""
    if mask._form.dtype != np.bool_:
        return mask
    return wrap(np.zeros(mask._form.shape, np.float32)).to(dtype).masked_fill(mask, -math.inf)


def _merged(mask, padding, batch, heads, dtype):
    """One mask (1 or batch, 1 or heads, 1 or queries, keys): bool (what may not be seen) where both are, else numbers
    to add.
    """
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.reshape(batch, heads, *mask.shape[1:])
    if padding is None:
        return mask
    padding = padding.reshape(batch, 1, 1, padding.shape[-1])
    if mask is None:
        return padding
    if mask._form.dtype == np.bool_ and padding._form.dtype == np.bool_:
        return mask | padding
    return _added(mask, dtype) + _added(padding, dtype)


def _weighed(q, k, v, mask, dropout_p):
    """(result, weights), where the weights are asked for: a row that sees no key is NaN, as in PyTorch."""
    scores = (q * math.sqrt(1.0 / q.shape[-1])) @ k.mT
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf) if mask._form.dtype == np.bool_ else scores + mask
    weights = scores.softmax(-1)
    if dropout_p > 0:
        weights = dropped(weights, dropout_p)
    return weights @ v, weights


def _heads(x, batch, num_heads):
    """(length, batch, features) as (batch, heads, length, features of a head), without a copy."""
    return x.reshape(x.shape[0], batch, num_heads, x.shape[2] // num_heads).permute(1, 2, 0, 3)


def _static(x, name, batch, num_heads, size):
    _need(x.shape[0] == batch * num_heads, f"expecting {name}.size(0) of {batch * num_heads}, but got {x.shape[0]}")
    _need(x.shape[2] == size, f"expecting {name}.size(2) of {size}, but got {x.shape[2]}")
    return x.reshape(batch, num_heads, *x.shape[1:])


@op
class multi_head_attention_forward:
    """Attention of `num_heads` heads with projections before and after: (output (L, N, E), weights or None)."""
    names = "nn.functional.multi_head_attention_forward"

    def compose(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,
                k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                is_causal=False):
        padding, mask = key_padding_mask, attn_mask
        batched = _check_dims(query, key, value, padding, mask, num_heads)
        if not batched:
            same_key, same = key is query, value is key
            query = query.unsqueeze(1)
            key = query if same_key else key.unsqueeze(1)
            value = key if same else value.unsqueeze(1)
            padding = None if padding is None else padding.unsqueeze(0)
        queries, batch, size = query.shape
        _check_kinds(padding, mask)
        if is_causal and mask is None:
            fail(RuntimeError, "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
                 "method `generate_square_subsequent_mask` to create this mask.", "give attn_mask= too")
        is_causal = bool(is_causal) and padding is None and not need_weights
        separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
        _check_projection(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, separate)
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias, separate)
        mask = None if mask is None or is_causal else _check_mask(mask, queries, key.shape[0], batch * num_heads)
        if bias_k is not None and bias_v is not None:
            _need(static_k is None, "bias cannot be added to static key.")
            _need(static_v is None, "bias cannot be added to static value.")
            k, v = cat([k, bias_k.repeat(1, batch, 1)], 0), cat([v, bias_v.repeat(1, batch, 1)], 0)
            mask, padding = _one_more(mask), _one_more(padding)
        else:
            _need(bias_k is None, "bias_k is set but bias_v is None")
            _need(bias_v is None, "bias_v is set but bias_k is None")
        q = _heads(q, batch, num_heads)
        k = (_heads(k, batch, num_heads) if static_k is None else _static(static_k, "static_k", batch, num_heads,
                                                                          size // num_heads))
        v = (_heads(v, batch, num_heads) if static_v is None else _static(static_v, "static_v", batch, num_heads,
                                                                          size // num_heads))
        if add_zero_attn:
            zeros = k.new_zeros(batch, num_heads, 1, size // num_heads)
            k, v, mask, padding = cat([k, zeros], 2), cat([v, zeros], 2), _one_more(mask), _one_more(padding)
        if padding is not None:
            _need(padding.shape[0] == batch,
                  f"Expected key_padded_mask.shape[0] to be {batch}, but got {padding.shape[0]}",
                  "a padding mask is (batch, keys)")
            _need(padding.shape[1] == k.shape[2],
                  f"Expected key_padded_mask.shape[1] to be {k.shape[2]}, but got {padding.shape[1]}",
                  "a padding mask is (batch, keys)")
        mask = _merged(mask, padding, batch, num_heads, q.dtype)
        dropout_p = dropout_p if training else 0.0
        if need_weights:
            made, weights = _weighed(q, k, v, mask, dropout_p)
        else:
            allowed = ~mask if mask is not None and mask._form.dtype == np.bool_ else mask
            made, weights = scaled_dot_product_attention(q, k, v, allowed, dropout_p, is_causal), None
        made = made.permute(2, 0, 1, 3).reshape(queries * batch, size)
        made = _linear(made, out_proj_weight, out_proj_bias)
        made = made.reshape(queries, batch, made.shape[1])
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if batched:
            return made, weights
        return made.squeeze(1), None if weights is None else weights.squeeze(0)
    samples = [((3, 2, 4), (3, 2, 4), (3, 2, 4), 4, 2, (12, 4), (12,), None, None, False, 0.0, (4, 4), (4,)),
               ((3, 4), (5, 4), (5, 4), 4, 2, (12, 4), None, (1, 1, 4), (1, 1, 4), True, 0.0, (4, 4), None, True,
                None, False)]
