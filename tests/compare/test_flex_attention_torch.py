"""flex_attention and its masks beside PyTorch's."""
import warnings

import numpy as np
import pytest
import torch
import torch.nn.attention.bias
import torch.nn.attention.flex_attention as theirs

import weft
import weft.nn.attention.bias
import weft.nn.attention.flex_attention as ours

RNG = np.random.default_rng(0)
Q, K, V = RNG.normal(size=(2, 4, 20, 8)), RNG.normal(size=(2, 4, 24, 8)), RNG.normal(size=(2, 4, 24, 6))
SLOPES, TABLE = RNG.normal(size=4), RNG.normal(size=64)


def causal(b, h, q, k):
    return q >= k


def window(b, h, q, k):
    return (q - k < 9) & (k - q < 9)


def by_batch(b, h, q, k):
    return (q + b * 3 >= k) & (h != k)


def score_mods(t):
    slopes, table = t.tensor(SLOPES), t.tensor(TABLE)
    return {"none": None, "alibi": lambda s, b, h, q, k: s + slopes[h] * (k - q), "relative": lambda s, b, h, q, k: s + table[q - k + 24],
            "softcap": lambda s, b, h, q, k: 5 * t.tanh(s / 5), "masked": lambda s, b, h, q, k: t.where(q >= k, s, -float("inf"))}


MASKS = {"none": None, "causal": causal, "window": window, "by batch": by_batch,
         "some rows empty": lambda b, h, q, k: (q > 3) & (k < 20)}


def run(t, flex, score, mask, **options):
    q, k, v = (t.tensor(a) for a in (Q, K, V))
    block = None if MASKS[mask] is None else flex.create_block_mask(MASKS[mask], 2, 4, 20, 24, device="cpu", BLOCK_SIZE=16)
    return flex.flex_attention(q, k, v, score_mods(t)[score], block, return_lse=True, **options)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("score", list(score_mods(weft)))
def test_equal(score, mask):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = run(weft, ours, score, mask), run(torch, theirs, score, mask)
    for a, b in zip(found, expected):
        assert a.shape == b.shape and str(a.dtype) == str(b.dtype)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-11)


def test_fewer_heads_of_keys_and_scale():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [flex.flex_attention(t.tensor(Q), t.tensor(K[:, :2]), t.tensor(V[:, :2]), scale=0.3, enable_gqa=True)
                for t, flex in ((weft, ours), (torch, theirs))]
    np.testing.assert_allclose(made[0].numpy(), made[1].numpy(), rtol=1e-9)


def test_gradients_are_those_of_plain_attention():
    """PyTorch has none on the CPU."""
    q, k, v = (weft.tensor(a, requires_grad=True) for a in (Q, K, V))
    bias = weft.tensor(SLOPES, requires_grad=True)
    block = ours.create_block_mask(causal, None, None, 20, 24, BLOCK_SIZE=16)
    found = ours.flex_attention(q, k, v, lambda s, b, h, i, j: s + bias[h] * (i - j), block)
    places = weft.arange(20)[:, None] - weft.arange(24)
    mask = (bias[:, None, None] * places).masked_fill(places < 0, -np.inf)
    plain = weft.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask.expand(2, 4, 20, 24))
    np.testing.assert_allclose(found.detach().numpy(), plain.detach().numpy(), rtol=1e-9)
    weights = weft.tensor(RNG.normal(size=found.shape))
    for a, b in zip(weft.autograd.grad((found * weights).sum(), (q, k, v, bias)),
                    weft.autograd.grad((plain * weights).sum(), (q, k, v, bias))):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("size", [16, (8, 16), 128])
@pytest.mark.parametrize("mask", [m for m in MASKS if m != "none"])
def test_block_masks(mask, size):
    a, b = (flex.create_block_mask(MASKS[mask], 2, 4, 70, 50, device="cpu", BLOCK_SIZE=size) for flex in (ours, theirs))

    def equal(one, other):
        for name in ours._TENSORS:
            x, y = getattr(one, name), getattr(other, name)
            assert x.dtype == weft.int32 and x.tolist() == y.tolist(), name
        assert one.shape == other.shape and one.numel() == other.numel() and one.sparsity() == other.sparsity()
        assert one.to_dense().tolist() == other.to_dense().tolist() and one.BLOCK_SIZE == other.BLOCK_SIZE
    equal(a, b)
    equal(a[0], b[0])
    equal(a[1, -1], b[1, -1])
    cut = a._adjust(40, 30)
    assert cut.shape == b._adjust(40, 30).shape
    rows, columns = cut.to_dense().shape[-2:]
    assert cut.to_dense().tolist() == a.to_dense()[..., :rows, :columns].tolist()
    assert repr(a) == repr(b) and str(a) == str(b)
    assert len(a.as_tuple()) == len(b.as_tuple()) and len(a.as_tuple(False)) == len(b.as_tuple(False))


def test_masks():
    for make in ("and_masks", "or_masks"):
        a, b = (flex.create_mask(getattr(flex, make)(causal, window), 2, 3, 20, 24, device="cpu").tolist()
                for flex in (ours, theirs))
        assert a == b


@pytest.mark.parametrize("program", [
    lambda t, f: f.flex_attention(t.ones(2, 3, 4), t.ones(2, 3, 4), t.ones(2, 3, 4)),
    lambda t, f: f.flex_attention(t.ones(1, 2, 3, 4), t.ones(1, 1, 3, 4), t.ones(1, 1, 3, 4)),
    lambda t, f: f.flex_attention(t.ones(1, 3, 3, 4), t.ones(1, 2, 3, 4), t.ones(1, 2, 3, 4), enable_gqa=True),
    lambda t, f: f.flex_attention(t.ones(2, 2, 3, 4), t.ones(1, 2, 3, 4), t.ones(1, 2, 3, 4)),
    lambda t, f: f.flex_attention(t.ones(1, 2, 3, 4), t.ones(1, 2, 3, 5), t.ones(1, 2, 3, 5)),
    lambda t, f: f.flex_attention(*[t.ones(1, 1, 9, 4)] * 3, block_mask=f.create_block_mask(causal, 1, 1, 8, 8, device="cpu")),
    lambda t, f: f.flex_attention(*[t.ones(1, 1, 8, 4)] * 3, block_mask=f.create_block_mask(causal, 1, 1, 8, 8, device="cpu")[0]),
    lambda t, f: f.and_masks(1), lambda t, f: f.create_block_mask(lambda a: a, 1, 1, 8, 8, device="cpu")])
def test_errors(program):
    kinds = []
    for t, f in ((weft, ours), (torch, theirs)):
        with pytest.raises(Exception) as caught:
            program(t, f)
        kinds.append(caught.type)
    assert kinds[0] is kinds[1]


@pytest.mark.parametrize("kind", ["causal_lower_right", "causal_upper_left"])
@pytest.mark.parametrize("length", [20, 24])
def test_causal_biases(kind, length):
    found = []
    for t in (weft, torch):
        bias = getattr(t.nn.attention.bias, kind)(length, 24)
        q = t.tensor(np.resize(Q, (2, 4, length, 8)))
        found.append(t.nn.functional.scaled_dot_product_attention(q, t.tensor(K), t.tensor(V), attn_mask=bias).numpy())
    np.testing.assert_allclose(*found, rtol=1e-9)
