"""Lists of unequal sequences and nested tensors through recurrent layers, attention and losses: each sequence gets what
it gets alone.
"""
import numpy as np
import pytest

import weft
from weft import nested, nn

F = nn.functional
LENGTHS = (3, 5, 1, 5, 2)


def sequences(width):
    weft.manual_seed(1)
    return [weft.randn(n, width, dtype=weft.float64).requires_grad_() for n in LENGTHS]


def gradients(loss, tensors):
    return [loss.detach(), *weft.autograd.grad(loss, tensors, retain_graph=True)]


def same(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-12)


def forms(xs):
    return [("list", xs), ("nested", nested.as_nested_tensor(xs))]


@pytest.mark.parametrize("make", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2, "batch_first": True}])
def test_recurrent_layers(make, options):
    layer, xs = make(4, 3, dtype=weft.float64, **options), sequences(4)
    alone = [layer(x) for x in xs]
    states = [s if make is nn.LSTM else (s,) for _, s in alone]
    wanted = [weft.stack([s[k] for s in states], 1) for k in range(len(states[0]))]
    expected = gradients(sum(out.sin().sum() for out, _ in alone) + sum(s.cos().sum() for s in wanted),
                         [*xs, *layer.parameters()])
    for name, given in forms(xs):
        outs, found = layer(given)
        found = found if make is nn.LSTM else (found,)
        assert isinstance(outs, list) is (name == "list")
        same(list(outs), [out for out, _ in alone])
        same(found, wanted)
        same(gradients(sum(out.sin().sum() for out in outs) + sum(s.cos().sum() for s in found),
                       [*xs, *layer.parameters()]), expected)


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_transformer_encoders(batch_first, causal):
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=batch_first, dtype=weft.float64)
    xs = sequences(4)
    for net in (layer, nn.TransformerEncoder(layer, 2, nn.LayerNorm(4, dtype=weft.float64))):
        key = "src_mask" if net is layer else "mask"

        def run(x, length, net=net, key=key):
            mask = nn.Transformer.generate_square_subsequent_mask(length, dtype=weft.float64)
            return net(x, **{key: mask, "is_causal": True}) if causal else net(x)
        expected = [run(x, x.size(0)) for x in xs]
        wanted = gradients(sum(out.sin().sum() for out in expected), [*xs, *net.parameters()])
        for _, given in forms(xs):
            outs = list(run(given, max(LENGTHS)))
            same(outs, expected)
            same(gradients(sum(out.sin().sum() for out in outs), [*xs, *net.parameters()]), wanted)


def test_transformer_decoders_and_attention():
    xs, memories = sequences(4), [x.detach().flip(0)[:max(1, len(x) - 1)] for x in sequences(4)]
    layer = nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0, batch_first=True, dtype=weft.float64)
    for net in (layer, nn.TransformerDecoder(layer, 2)):
        same(net(xs, memories), [net(x, memory) for x, memory in zip(xs, memories)])
    attention = nn.MultiheadAttention(4, 2, batch_first=True, dtype=weft.float64)
    outs, weights = attention(xs, memories, memories)
    same(outs, [attention(x, memory, memory)[0] for x, memory in zip(xs, memories)])
    assert weights.shape == (5, 5, 4)


def test_a_padding_mask_beside_unequal_sequences_is_refused():
    layer = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, dtype=weft.float64)
    with pytest.raises(ValueError, match="need no padding mask"):
        layer(sequences(4), src_key_padding_mask=weft.zeros(5, 5, dtype=weft.bool))
    with pytest.raises(ValueError, match="at least one"):
        nn.LSTM(4, 3)([])
    with pytest.raises(ValueError, match=r"\(length, features\)"):
        nn.LSTM(4, 3)([weft.zeros(3, 1, 4)])


def test_losses_of_nested_tensors():
    xs = sequences(4)
    scores, labels = nested.as_nested_tensor(xs), nested.nested_tensor([weft.arange(n) % 4 for n in LENGTHS])
    whole, targets = weft.cat(xs), weft.cat(list(labels))
    for options in ({}, {"reduction": "sum"}, {"label_smoothing": 0.1}, {"ignore_index": 1}):
        same(gradients(F.cross_entropy(scores, labels, **options), xs),
             gradients(F.cross_entropy(whole, targets, **options), xs))
    each = F.cross_entropy(scores, labels, reduction="none")
    assert [len(part) for part in each] == list(LENGTHS)
    same([weft.cat(list(each))], [F.cross_entropy(whole, targets, reduction="none")])
    same([F.mse_loss(scores, scores.detach() * 2)], [F.mse_loss(whole, whole.detach() * 2)])
    same([nn.CrossEntropyLoss()(scores, labels)], [F.cross_entropy(whole, targets)])
    with pytest.raises(RuntimeError, match="lengths"):
        F.cross_entropy(scores, nested.nested_tensor([weft.arange(n) % 4 for n in LENGTHS[::-1]]))
    with pytest.raises(NotImplementedError, match="ctc_loss"):
        F.ctc_loss(scores, labels, [1], [1])
