"""torch.nn.attention.bias: causal masks for scaled_dot_product_attention, as tensors that know their kind."""
import warnings
from enum import IntEnum

import weft
from weft.nn import functional

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(IntEnum):
    """Where the triangle of a mask that isn't square begins.

    >>> from weft.nn.attention.bias import CausalVariant
    >>> [v.name for v in CausalVariant]
    ['UPPER_LEFT', 'LOWER_RIGHT']
    """
    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(weft.Tensor):
    """A triangular mask that is made when it is needed; scaled_dot_product_attention takes it as attn_mask.

    >>> import weft
    >>> from weft.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(2, 3)._materialize().int().tolist()
    [[1, 1, 0], [1, 1, 1]]
    """

    def __new__(cls, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        return weft.Tensor._make_subclass(cls, weft.empty(0))

    def __init__(self, variant, seq_len_q, seq_len_kv):
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                          stacklevel=2)

    def _materialize(self, device=None):
        """The mask of truth values."""
        shift = self.seq_len_kv - self.seq_len_q if self.variant is CausalVariant.LOWER_RIGHT else 0
        return weft.tril(weft.ones(self.seq_len_q, self.seq_len_kv, dtype=weft.bool, device=device), diagonal=shift)

    @staticmethod
    def _dispatch(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv
        if square or attn_mask.variant is CausalVariant.UPPER_LEFT:
            return functional.scaled_dot_product_attention(query, key, value, None, dropout_p, True, scale=scale,
                                                           enable_gqa=enable_gqa)
        return functional.scaled_dot_product_attention(query, key, value, attn_mask._materialize(), dropout_p, False,
                                                       scale=scale, enable_gqa=enable_gqa)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is functional.scaled_dot_product_attention:
            return cls._dispatch(*args, **(kwargs or {}))
        if func in (weft.Tensor.__repr__, weft.Tensor.shape.__get__):
            return super().__torch_function__(func, types, args, kwargs or {})
        raise NotImplementedError("CausalBias only supports scaled_dot_product_attention")

    def __repr__(self):
        return repr(self._materialize())


def causal_upper_left(*size):
    """The lower triangle from the upper left corner: query i sees the keys up to i.

    >>> from weft.nn.attention.bias import causal_upper_left
    >>> causal_upper_left(2, 3)._materialize().int().tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_two(size, "causal_upper_left"))


def causal_lower_right(*size):
    """The same from the lower right corner: the last query sees all keys.

    >>> from weft.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(1, 3)._materialize().tolist()
    [[True, True, True]]
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_two(size, "causal_lower_right"))


def _two(size, who):
    if len(size) != 2:
        raise RuntimeError(f"{who} only supports 2D tensors")
    return size
