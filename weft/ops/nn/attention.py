# compiled
"""Scaled dot-product attention: softmax(q @ k^T * scale + mask) @ v, without the matrix of weights being kept."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.core.spec import ordered
from weft.kernels import fast
from weft.ops.core.registry import op
from weft.ops.core.samples import bools
from weft.ops.linalg.checks import need_tensors
from weft.ops.nn.dropout import _dropout_mask, _masked_scale
from weft.tensor.tensor import wrap

LOG2E = math.log2(math.e)
_C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
            "int64": "long int", "int32": "int", "bool": "bool"}


# the NumPy references, on arrays (B, H, L, E), (B, G, S, E), (B, G, S, V)

def _spread(x, heads):
    """Heads of k or v, one for each head of q."""
    return x if x.shape[1] == heads else np.repeat(x, heads // x.shape[1], 1)


def _gathered(x, groups):
    """The sum over the heads that share one of k or v."""
    return x if x.shape[1] == groups else x.reshape(x.shape[0], groups, -1, *x.shape[2:]).sum(2)


def _scores(q, k, mask, scale, causal):
    """Scores in base 2, -inf where a key isn't seen."""
    made = q @ np.swapaxes(_spread(k, q.shape[1]), 2, 3) * q.dtype.type(scale * LOG2E)      # (B, H, L, S)
    if mask is not None:
        made = np.where(mask, made, -np.inf) if mask.dtype == np.bool_ else made + mask * q.dtype.type(LOG2E)
    if causal:
        made = np.where(np.tri(made.shape[2], made.shape[3], dtype=bool), made, -np.inf)
    return made.astype(q.dtype, copy=False)


def _attention_reference(q, k, v, mask, scale, causal):
    scores = _scores(q, k, mask, scale, causal)
    top = np.max(scores, 3, keepdims=True, initial=-np.inf)
    weights = np.exp2(scores - np.where(np.isneginf(top), 0, top))
    total = weights.sum(3, keepdims=True)
    empty = total == 0
    weights /= np.where(empty, 1, total)
    logs = np.where(empty, np.inf, top + np.log2(np.where(empty, 1, total)))
    return weights @ _spread(v, q.shape[1]), np.asarray(logs[..., 0], q.dtype)


def _backward_reference(grad, q, k, v, result, logs, mask, scale, causal):
    weights = np.exp2(_scores(q, k, mask, scale, causal) - logs[..., None])
    slopes = weights * (grad @ np.swapaxes(_spread(v, q.shape[1]), 2, 3) - (grad * result).sum(3, keepdims=True))
    slopes *= q.dtype.type(scale)
    groups = k.shape[1]
    return (slopes @ _spread(k, q.shape[1]), _gathered(np.swapaxes(slopes, 2, 3) @ q, groups),
            _gathered(np.swapaxes(weights, 2, 3) @ grad, groups))


def _rows(x):
    """An array whose rows' elements lie side by side, as the kernels take it."""
    return x if _has_rows(x) else np.ascontiguousarray(x)


def _has_rows(x):
    return x.shape[-1] < 2 or x.strides[-1] == x.itemsize


def _heads_inside(x):
    """Whether the heads of one place lie side by side in memory, as a projection gives them; results then do too."""
    return _has_rows(x) and x.shape[1] > 1 and x.shape[2] > 1 and x.strides[1] < x.strides[2]


def _heads_spec(x, heads, rows, width):
    """The Spec of a result that lies in memory as x does."""
    return ordered((x.shape[0], heads, rows, width), x.dtype, (0, 2, 1, 3) if _heads_inside(x) else (0, 1, 2, 3))


def _as_heads(made, x):
    """A result of the NumPy reference as `_heads_spec` says it lies."""
    if not _heads_inside(x):
        return np.ascontiguousarray(made)
    return np.ascontiguousarray(made.swapaxes(1, 2)).swapaxes(1, 2)


@op
class _attention:
    """Attention of 4-D q, k, v; `logs` is the base-2 logarithm of each row's sum of weights, inf for one that sees no
    key.
    """
    method, outputs, nondiff, inputs = False, "result logs", "logs", "q k v"
    node_name = "ScaledDotProductFlashAttentionForCpuBackward0"
    steady = True

    def forward(q, k, v, mask, scale, causal):
        found = fast.attention(_rows(q), _rows(k), _rows(v), mask, scale, causal)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            made, logs = _attention_reference(q, k, v, mask, scale, causal)
        return _as_heads(made, q), np.ascontiguousarray(logs)

    def shape(q, k, v, mask, scale, causal):
        return _heads_spec(q, q.shape[1], q.shape[2], v.shape[3]), (q.shape[:3], q.dtype)

    def flops(values, outs):
        *batch, length, size = values["q"]                          # scores q @ k.mT, then scores @ v
        return 2 * math.prod(batch) * length * values["k"][-2] * (size + values["v"][-1])

    def grads(g_result, q, k, v, mask, scale, causal, result, logs):
        return _attention_grad(g_result, q, k, v, result, logs, mask, scale, causal)
    samples = [((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 3), None, 0.5, False),
               ((2, 2, 3, 2), (2, 1, 3, 2), (2, 1, 3, 2), None, 0.7, True),
               ((1, 2, 3, 2), (1, 2, 4, 2), (1, 2, 4, 2), bools(3, 4), 0.7, False)]


@op
class _attention_grad:
    """The gradients of q, k and v, from that of the result; the weights are made again."""
    method, outputs, inputs, node_name = (False, "dq dk dv", "grad q k v",
                                          "ScaledDotProductFlashAttentionBackwardBackward0")
    steady = True

    def forward(grad, q, k, v, result, logs, mask, scale, causal):
        found = fast.attention_backward(_rows(grad), _rows(q), _rows(k), _rows(v), result, logs, mask, scale, causal)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            made = _backward_reference(grad, q, k, v, result, logs, mask, scale, causal)
        return [_as_heads(g, x) for g, x in zip(made, (q, k, v))]

    def shape(grad, q, k, v, result, logs, mask, scale, causal):
        return [_heads_spec(x, *x.shape[1:]) for x in (q, k, v)]

    def flops(values, outs):
        *batch, length, size = values["q"]                          # the scores again, two products for each of the two
        return 2 * math.prod(batch) * length * values["k"][-2] * (3 * size + 2 * values["v"][-1])

    def grads(g_dq, g_dk, g_dv, grad, q, k, v, mask, scale, causal):
        return _second(g_dq, g_dk, g_dv, grad, q, k, v, mask, scale, causal)
    why_no_samples = "its result and logs are what _attention made of the same q, k and v, whose samples go through it"


def _second(a, b, e, grad, q, k, v, mask, scale, causal):
    """The gradients of (grad, q, k, v) from those of dq, dk and dv (a, b, e), in plain ops: any order of derivative
    comes free.
    """
    shape, groups = q.shape, k.shape[1]
    shared = shape[1] != groups
    if shared:
        a, grad, q, b, e, k, v, mask = _in_groups(groups, (a, grad, q), (b, e, k, v), mask)
    p = _weights(q, k, mask, scale, causal)                                     # (B, H, L, S)
    dp = grad @ v.mT
    centred = dp - (dp * p).sum(-1, True)
    ds = p * centred
    u = (a @ k.mT + q @ b.mT) * scale                                           # the gradient of ds
    mean = (u * p).sum(-1, True)
    x = p * (u - mean)                                                          # of dp
    w = grad @ e.mT + u * centred - dp * mean                                   # of p
    y = p * (w - (w * p).sum(-1, True))                                         # of the scores
    found = p @ e + x @ v, (ds @ b + y @ k) * scale, (ds.mT @ a + y.mT @ q) * scale, x.mT @ grad
    if not shared:
        return found
    d_grad, dq, dk, dv = found
    return d_grad.flatten(1, 2), dq.flatten(1, 2), dk.sum(2), dv.sum(2)


def _in_groups(groups, of_queries, of_keys, mask):
    """Heads that share k and v side by side: (B, G, H / G, L, E) and (B, G, 1, S, E)."""
    wide = [t.reshape(t.shape[0], groups, t.shape[1] // groups, *t.shape[2:]) for t in of_queries]
    if mask is not None and mask.dim() > 2:
        mask = (mask.reshape(*mask.shape[:-3], groups, -1, *mask.shape[-2:]) if mask.shape[-3] > 1
                else mask.unsqueeze(-3))
    return [*wide, *(t.unsqueeze(2) for t in of_keys), mask]


def _weights(q, k, mask, scale, causal):
    """The weights as plain ops make them; rows that see no key are 0."""
    scores = (q * scale) @ k.mT
    if causal:
        seen = wrap(np.tri(scores.shape[-2], scores.shape[-1], dtype=bool))
        scores = scores.masked_fill(~seen, -math.inf)
    if mask is None:                # a causal row sees at least the first key
        return scores.softmax(-1)
    scores = scores.masked_fill(~mask, -math.inf) if mask._form.dtype == np.bool_ else scores + mask
    empty = (scores.detach() == -math.inf).all(-1, True)
    return scores.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)


def dropped(x, p, turned=False):
    """Dropout with PyTorch's stream; `turned` draws for the first two dimensions in the other order."""
    return _masked_scale(x, _dropout_mask(x, p, False, turned), 1 / (1 - p) if p < 1 else 0.0)


def _composed(q, k, v, mask, dropout_p, causal, scale):
    """The same from plain ops: with dropout, and where the mask needs a gradient."""
    if q.shape[1] != k.shape[1]:
        times = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
    p = _weights(q, k, mask, scale, causal)
    if dropout_p > 0:
        p = dropped(p, dropout_p)
    return p @ v


# the public function

def _check(query, key, value, mask, dropout_p):
    q, k, v = query._form, key._form, value._form
    if q.dtype != k.dtype or q.dtype != v.dtype:
        kinds = [_C_NAMES.get(x.dtype.name, x.dtype.name) for x in (q, k, v)]
        fail(RuntimeError, f"Expected query, key, and value to have the same dtype, but got query.dtype: {kinds[0]} "
             f"key.dtype: {kinds[1]} and value.dtype: {kinds[2]} instead.",
             "convert them to one type with .to(query.dtype)")
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        fail(RuntimeError, f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
             f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead.",
             "give them the shape (..., length, features)")
    if q.dtype.kind not in "fV":
        fail(RuntimeError, f"scaled_dot_product_attention: expected floating point tensors, got {query.dtype}",
             "convert them with .float()")
    if q.shape[-1] != k.shape[-1]:
        fail(RuntimeError, f"scaled_dot_product_attention: query and key must have the same number of features, got "
             f"{q.shape[-1]} and {k.shape[-1]}",
             f"the shapes are {list(q.shape)} and {list(k.shape)}; the last sizes must be equal")
    if k.shape[-2] != v.shape[-2]:
        fail(RuntimeError, f"scaled_dot_product_attention: key and value must have the same length, got {k.shape[-2]} "
             f"and {v.shape[-2]}",
             f"the shapes are {list(k.shape)} and {list(v.shape)}")
    if mask is not None and mask._form.dtype not in (np.bool_, np.float32, q.dtype):
        _refuse_mask(mask, q)
    if not 0.0 <= dropout_p <= 1.0:
        fail(RuntimeError, f"dropout probability has to be between 0 and 1, but got {dropout_p}",
             "give dropout_p= between 0 and 1")


def _refuse_mask(mask, q):
    fail(RuntimeError, f"Expected attn_mask dtype to be bool or float or to match query dtype, but got "
         f"attn_mask.dtype: {_C_NAMES.get(mask._form.dtype.name, mask._form.dtype.name)} and  query.dtype: "
         f"{_C_NAMES.get(q.dtype.name, q.dtype.name)} instead.",
         "give a mask of bools, or convert it with .to(query.dtype)")


def _four(query, key, value, mask, gqa):
    """(q, k, v, mask) with four dimensions (B, H, L, E), and the shape of the result's leading ones."""
    lead = broadcast_shapes(query.shape[:-3], key.shape[:-3], value.shape[:-3])
    heads = [t.shape[-3] if t.dim() > 2 else 1 for t in (query, key, value)]
    if gqa:
        if heads[1] != heads[2] or heads[1] == 0 or heads[0] % heads[1]:
            fail(RuntimeError, f"Number of heads in key and value must divide the number of heads in query, got "
                 f"{heads[0]} for query, {heads[1]} for key and {heads[2]} for value",
                 "give key and value the same number of heads, a divisor of query's")
    else:
        heads = list(broadcast_shapes((heads[0],), (heads[1],), (heads[2],))) * 3
    made = [t.expand(*lead, n, *t.shape[-2:]).reshape(-1, n, *t.shape[-2:]) if t.dim() != 4
            or t.shape[:2] != (*lead, n) else t
            for t, n in zip((query, key, value), heads)]
    if mask is not None and mask.dim() > 3 and (mask.dim() > 4 or query.dim() != 4):
        mask = mask.expand(*lead, *mask.shape[-3:]).reshape(-1, *mask.shape[-3:])
    return made, mask, (*lead, heads[0]) if max(query.dim(), key.dim(), value.dim()) > 2 else ()


def _check_mask(mask, batch, heads, queries, keys):
    full = (batch, heads, queries, keys)
    shape = mask._form.shape
    for d in range(1, len(shape) + 1):
        if d > 4 or shape[-d] != 1 and shape[-d] != full[-d]:
            fail(RuntimeError, f"scaled_dot_product_attention: attn_mask of shape {list(shape)} can't be broadcast to "
                 f"the scores' {list(full)}",
                 f"its last two sizes must be {queries} (queries) and {keys} (keys), or 1")


@op
class scaled_dot_product_attention:
    """softmax(query @ key.mT * scale + mask) @ value; memory grows with the length, not its square.

    query (..., H, L, E), key (..., H, S, E), value (..., H, S, V); attn_mask broadcasts to (..., H, L, S).
    """
    autocast = "lower"
    names = "nn.functional.scaled_dot_product_attention"

    def compose(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
        need_tensors("scaled_dot_product_attention", query=query, key=key, value=value)
        _check(query, key, value, attn_mask, dropout_p)
        q, k, v, mask, lead = query, key, value, attn_mask, None
        if not (q._form.ndim == k._form.ndim == v._form.ndim == 4
                and q._form.shape[0] == k._form.shape[0] == v._form.shape[0]
                and q._form.shape[1] == k._form.shape[1] == v._form.shape[1]):
            (q, k, v), mask, lead = _four(query, key, value, attn_mask, enable_gqa)
        kind = q._form.dtype
        if mask is not None:
            _check_mask(mask, q._form.shape[0], q._form.shape[1], q._form.shape[2], k._form.shape[2])
        if kind.itemsize == 2:
            q, k, v = q.float(), k.float(), v.float()
        if mask is not None and mask._form.dtype != np.bool_ and mask._form.dtype != q._form.dtype:
            mask = mask.to(q.dtype)
        scale = 1.0 / math.sqrt(q._form.shape[3] or 1) if scale is None else float(scale)
        if dropout_p > 0 or mask is not None and mask.requires_grad:
            made = _composed(q, k, v, mask, dropout_p, bool(is_causal), scale)
        else:
            made = _attention(q, k, v, mask, scale, bool(is_causal))[0]
        if kind.itemsize == 2:
            made = made.to(query.dtype)
        return made if lead is None else made.reshape(*lead, *made.shape[-2:])
    samples = [((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4)), ((3, 4), (3, 4), (3, 2))]


