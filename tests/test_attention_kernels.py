"""Attention: kernels against their NumPy references, gradients, masks, strides, threads, memory."""
import math

import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.nn import functional as F
from weft.ops.nn.attention import _attention_reference, _backward_reference

TYPES = (np.float32, np.float64)
SHAPES = [(1, 1, 1, 1, 1, 1), (2, 3, 7, 9, 8, 5), (1, 2, 33, 31, 17, 33), (2, 2, 65, 130, 64, 16),
          (1, 1, 600, 530, 4, 3), (3, 1, 1, 1000, 3, 7), (1, 2, 97, 5, 24, 24)]


def arrays(rng, dtype, *shapes):
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def close(a, b, dtype):
    tolerance = 3e-5 if dtype == np.float32 else 1e-11
    return np.allclose(a, b, tolerance, tolerance)


def compare(q, k, v, mask, scale, causal):
    """The kernels against the references."""
    dtype = q.dtype
    found = fast.attention(q, k, v, mask, scale, causal)
    if found is None:
        assert fast.lib is None
        pytest.skip("no kernels here")
    result, logs = _attention_reference(q, k, v, mask, scale, causal)
    assert close(found[0], result, dtype) and close(found[1], logs, dtype)
    grad = np.cos(np.arange(result.size)).reshape(result.shape).astype(dtype)
    expected = _backward_reference(grad, q, k, v, result, logs, mask, scale, causal)
    for mine, theirs in zip(fast.attention_backward(grad, q, k, v, *found, mask, scale, causal), expected):
        assert mine.shape == theirs.shape and close(mine, theirs, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_agree_with_the_reference(shape, causal, dtype):
    b, h, n, s, e, w = shape
    q, k, v = arrays(np.random.default_rng(0), dtype, (b, h, n, e), (b, h, s, e), (b, h, s, w))
    compare(q, k, v, None, 0.3, causal)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("form", ((37, 70), (1, 70), (37, 1), (2, 1, 1, 70), (1, 4, 37, 70), (4, 37, 70), ()))
def test_masks_are_broadcast(form, dtype):
    rng = np.random.default_rng(1)
    q, k, v = arrays(rng, dtype, (2, 4, 37, 9), (2, 2, 70, 9), (2, 2, 70, 9))
    for mask in (rng.random(form) < 0.6, rng.standard_normal(form).astype(dtype)):
        compare(q, k, v, np.asarray(mask), 0.5, False)
        compare(q, k, v, np.asarray(mask), 0.5, True)


def test_strides_are_taken_as_they_come():
    x = np.random.default_rng(2).standard_normal((2, 19, 3, 4, 10))
    q, k, v = [x[:, :, i].transpose(0, 2, 1, 3) for i in range(3)]
    compare(q, k, v, None, 0.4, True)
    compare(q[..., :7], k[..., 3:], v[:, :, ::1, 1:6], None, 0.4, False)
    mask = np.random.default_rng(2).random((38, 38)) < 0.7
    compare(q, k, v, mask[::2, ::2], 0.4, False)
    compare(q, k, v, mask[:19, :19].T, 0.4, False)
    compare(q[:, ::2], k[:, ::2], v[:, ::2], None, 0.4, False)
    compare(np.broadcast_to(q[:1], q.shape), k, np.broadcast_to(v[:, :1], v.shape), None, 0.4, False)


def test_rows_that_see_nothing_are_zero_as_in_pytorch():
    q, k, v = [weft.randn(1, 2, 70, 8, dtype=weft.float64).requires_grad_() for _ in range(3)]
    mask = weft.ones(70, 70, dtype=weft.bool)
    mask[3] = False
    result = F.scaled_dot_product_attention(q, k, v, mask)
    grads = weft.autograd.grad(result.sum(), (q, k, v))
    assert (result[:, :, 3] == 0).all() and (grads[0][:, :, 3] == 0).all()
    assert all(g.isfinite().all() for g in grads)
    numbers = weft.zeros(70, 70, dtype=weft.float64).masked_fill(~mask, -math.inf)
    assert weft.allclose(F.scaled_dot_product_attention(q, k, v, numbers), result)


def test_nan_and_inf_go_through():
    q, k, v = [np.random.default_rng(3).standard_normal((1, 1, 40, 8)) for _ in range(3)]
    q[0, 0, 5, 2] = np.nan
    result = F.scaled_dot_product_attention(weft.tensor(q), weft.tensor(k), weft.tensor(v)).numpy()
    assert np.isnan(result[0, 0, 5]).all() and np.isfinite(np.delete(result, 5, 2)).all()
    v[0, 0, 7, 1] = np.inf
    result = F.scaled_dot_product_attention(weft.tensor(k), weft.tensor(k), weft.tensor(v), is_causal=True).numpy()
    assert np.isinf(result[0, 0, 7:, 1]).all() and np.isfinite(result[0, 0, :, 2:]).all()


def test_empty_and_short():
    x = weft.randn(2, 2, 4, 8)
    assert F.scaled_dot_product_attention(x[:, :, :0], x, x).shape == (2, 2, 0, 8)
    assert (F.scaled_dot_product_attention(x, x[:, :, :0], x[:, :, :0]) == 0).all()
    one = x[:, :, :1]
    assert weft.allclose(F.scaled_dot_product_attention(one, one, one), one)


@pytest.mark.parametrize("options", ({}, {"is_causal": True}, {"scale": 0.3}, {"scale": -0.3}, {"enable_gqa": True},
                                     {"mask": True}))
def test_first_and_second_gradients(options):
    options = dict(options)
    rng = np.random.default_rng(4)
    heads = 4 if "enable_gqa" in options else 2
    tensors = [weft.tensor(rng.standard_normal((1, h, n, 3)), requires_grad=True)
               for h, n in ((heads, 3), (2, 4), (2, 4))]
    if options.pop("mask", False):
        options["attn_mask"] = weft.tensor(rng.random((2, 3, 4)) < 0.7)

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, **options)
    assert weft.autograd.gradcheck(attend, tensors)
    assert weft.autograd.gradgradcheck(attend, tensors)


def test_the_mask_can_have_a_gradient():
    rng = np.random.default_rng(5)
    tensors = [weft.tensor(rng.standard_normal(s), requires_grad=True) for s in ((1, 2, 3, 4), (1, 2, 5, 4),
                                                                                 (1, 2, 5, 4), (3, 5))]
    assert weft.autograd.gradcheck(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m), tensors)


@pytest.mark.parametrize("shape", ((2, 3, 200, 32), (1, 1, 1100, 16), (1, 5, 600, 8)))
@pytest.mark.parametrize("causal", (False, True))
def test_results_do_not_depend_on_threads(shape, causal):
    q, k, v, g = arrays(np.random.default_rng(6), np.float32, *[shape] * 4)
    found = []
    before = weft.get_num_threads()
    try:
        for threads in (1, 2, 3):
            weft.set_num_threads(threads)
            t = [weft.tensor(x, requires_grad=True) for x in (q, k, v)]
            result = F.scaled_dot_product_attention(*t, is_causal=causal)
            found.append([result.detach().numpy(), *[x.numpy() for x in weft.autograd.grad(result, t, weft.tensor(g))]])
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other))


@pytest.mark.skipif(fast.lib is None, reason="the reference keeps all weights")
def test_memory_is_linear_in_length():
    def peak(length):
        x = weft.randn(1, 2, length, 16).requires_grad_()
        fast.base.empty_cache()
        fast.base.reset_peak()
        start = fast.base.memory_stats()["peak"]
        F.scaled_dot_product_attention(x, x, x, is_causal=True).sum().backward()
        return fast.base.memory_stats()["peak"] - start
    peak(1024)
    assert peak(4096) < 6 * peak(1024)


def test_half_types_are_computed_in_float32():
    q, k, v = [weft.randn(2, 2, 33, 8) for _ in range(3)]
    half = [t.bfloat16().requires_grad_() for t in (q, k, v)]
    result = F.scaled_dot_product_attention(*half)
    assert result.dtype == weft.bfloat16
    result.sum().backward()
    assert half[0].grad.dtype == weft.bfloat16
    assert (result.float() - F.scaled_dot_product_attention(q, k, v)).abs().max() < 0.05


def test_other_dimensions():
    q, k, v = weft.randn(3, 4, 8), weft.randn(3, 5, 8), weft.randn(3, 5, 6)
    whole = F.scaled_dot_product_attention(q, k, v)
    assert whole.shape == (3, 4, 6)
    assert weft.allclose(F.scaled_dot_product_attention(q[1], k[1], v[1]), whole[1], atol=1e-6)
    assert weft.allclose(F.scaled_dot_product_attention(q.view(1, 1, 3, 1, 4, 8), k.view(3, 1, 5, 8),
                                                        v.view(3, 1, 5, 6)).view(3, 4, 6), whole, atol=1e-6)


def test_dropout_keeps_the_mean():
    weft.manual_seed(0)
    ones = weft.ones(1, 2, 100, 8)
    result = F.scaled_dot_product_attention(ones, ones, ones, dropout_p=0.3)
    assert abs(result.mean().item() - 1) < 0.05 and result.std() > 0.01
    assert (F.scaled_dot_product_attention(ones, ones, ones, dropout_p=1.0) == 0).all()


@pytest.mark.parametrize("change, words", [
    (dict(v=weft.randn(1, 2, 5, 8).double()), "same dtype"), (dict(q=weft.randn(8)), "at least 2 dimensional"),
    (dict(k=weft.randn(1, 2, 5, 7)), "features"), (dict(v=weft.randn(1, 2, 4, 8)), "same length"),
    (dict(m=weft.ones(3, 6, dtype=weft.bool)), "attn_mask"), (dict(m=weft.ones(4, 5).long()), "attn_mask dtype"),
    (dict(p=1.5), "between 0 and 1"), (dict(q=weft.randn(1, 3, 4, 8), gqa=True), "must divide")])
def test_errors(change, words):
    given = dict(q=weft.randn(1, 2, 4, 8), k=weft.randn(1, 2, 5, 8), v=weft.randn(1, 2, 5, 8), m=None, p=0.0,
                 gqa=False) | change
    with pytest.raises(RuntimeError, match=words):
        F.scaled_dot_product_attention(given["q"], given["k"], given["v"], given["m"], given["p"],
                                       enable_gqa=given["gqa"])


def test_kernels_refuse_what_does_not_fit():
    q = np.zeros((1, 2, 3, 4), np.float32)
    for bad in ((q, q[..., :3], q), (q, q, q[:, :, :2]), (q, q.astype(np.float64), q), (q[0], q[0], q[0]),
                (q[..., ::2], q[..., ::2], q)):
        assert fast.attention(*bad, None, 1.0, False) is None
    assert fast.attention(q, q, q, np.zeros((2, 3), bool), 1.0, False) is None
    assert fast.attention(q, q) is None


# many heads

def heads_of(need_weights=False, **options):
    rng = np.random.default_rng(7)
    e, n = 8, 2
    t = {name: weft.tensor(rng.standard_normal(shape)) for name, shape in
         dict(q=(3, n, e), w=(3 * e, e), b=(3 * e,), o=(e, e), ob=(e,), bk=(1, 1, e), bv=(1, 1, e)).items()}
    bias = (t["bk"], t["bv"]) if options.pop("with_bias", False) else (None, None)
    return F.multi_head_attention_forward(t["q"], t["q"], t["q"], e, 2, t["w"], t["b"], *bias,
                                          options.pop("zero", False), 0.0, t["o"], t["ob"], need_weights=need_weights,
                                          **options)


@pytest.mark.parametrize("options", ({}, {"with_bias": True}, {"zero": True},
                                     {"attn_mask": weft.ones(3, 3).tril() == 0},
                                     {"key_padding_mask": weft.tensor([[False, True, False], [False, False, True]])},
                                     {"key_padding_mask": weft.tensor([[False, True, False], [False, False, True]]),
                                      "zero": True, "attn_mask": weft.ones(3, 3).tril() == 0, "with_bias": True}))
def test_weights_or_not_the_result_is_the_same(options):
    plain, nothing = heads_of(**options)
    result, weights = heads_of(True, **options)
    each = heads_of(True, average_attn_weights=False, **options)[1]
    assert nothing is None and weft.allclose(plain, result)
    assert weft.allclose(each.mean(1), weights) and weft.allclose(weights.sum(-1), weft.ones(2, 3, dtype=weft.float64))


def test_the_causal_hint_is_the_mask():
    mask = weft.ones(3, 3).tril() == 0
    assert weft.allclose(heads_of(attn_mask=mask, is_causal=True)[0], heads_of(attn_mask=mask)[0])
    with pytest.raises(RuntimeError, match="Need attn_mask"):
        heads_of(is_causal=True)
    with pytest.raises(AssertionError, match="only bool and floating"):
        heads_of(attn_mask=mask.long())
