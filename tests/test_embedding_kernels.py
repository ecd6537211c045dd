"""embedding, embedding_bag, one_hot, linear, padding, interpolation, unfold: their kernels against plain NumPy, and
their messages.
"""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
import weft.nn.functional as F
from weft.kernels import fast
from weft.ops.nn.resample import Mixing

NATIVE = fast.lib is not None
KINDS = [(np.float32, 1e-5), (np.float64, 1e-12)]


def numbers(shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def leaf(a):
    return weft.tensor(a, requires_grad=True)


def with_threads(n, run):
    before = weft.get_num_threads()
    weft.set_num_threads(n)
    try:
        return run()
    finally:
        weft.set_num_threads(before)


# embedding

@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64])
@pytest.mark.parametrize("kind", [np.int64, np.int32])
@pytest.mark.parametrize("shape,width", [((7,), 3), ((2, 3), 33), ((0,), 4), ((), 8), ((4, 1, 2), 1), ((300,), 0)])
def test_embedding_takes_rows(shape, width, kind, dtype):
    table = (numbers((9, width)) * 10).astype(dtype)
    at = np.random.default_rng(1).integers(0, 9, shape).astype(kind)
    got = F.embedding(weft.tensor(at), weft.tensor(table))
    assert got.shape == (*shape, width) and np.array_equal(got.numpy(), table[at])
    assert np.array_equal(F.embedding(weft.tensor(at), weft.tensor(np.repeat(table, 2, 0))[::2]).numpy(), table[at])


@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("width", [1, 3, 8, 33])
@pytest.mark.parametrize("padding", [None, 2, -1])
@pytest.mark.parametrize("by_freq", [False, True])
def test_embedding_gradient(width, padding, by_freq, dtype, limit):
    table, at = numbers((6, width), dtype), np.random.default_rng(1).integers(0, 6, (5, 40))
    g = numbers((5, 40, width), dtype, 2)
    weight = leaf(table)
    F.embedding(weft.tensor(at), weight, padding, scale_grad_by_freq=by_freq).backward(weft.tensor(g))
    expected = np.zeros((6, width))
    np.add.at(expected, at, g.astype(np.float64))
    if by_freq:
        expected /= np.maximum(np.bincount(at.ravel(), minlength=6), 1)[:, None]
    if padding is not None:
        expected[padding] = 0
    np.testing.assert_allclose(weight.grad.numpy(), expected, rtol=limit, atol=30 * limit)


def test_embedding_gradient_does_not_depend_on_threads():
    at, g = np.random.default_rng(1).integers(0, 50, 3000), numbers((3000, 64), np.float32)

    def run():
        weight = leaf(numbers((50, 64), np.float32))
        F.embedding(weft.tensor(at), weight).backward(weft.tensor(g))
        return weight.grad.numpy()
    assert np.array_equal(with_threads(1, run), with_threads(2, run))


def test_embedding_second_derivatives():
    at = weft.tensor([[0, 2, 2], [1, 0, 2]])
    for options in ({}, {"padding_idx": 2}, {"scale_grad_by_freq": True}):
        assert weft.autograd.gradgradcheck(lambda w, o=options: F.embedding(at, w * w, **o), [leaf(numbers((3, 2)))],
                                           )
    assert weft.autograd.gradcheck(lambda w: F.embedding(at, w), [leaf(numbers((3, 2)))])


def test_embedding_max_norm_shortens_the_rows_in_place():
    table = np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    weight = weft.tensor(table)
    got = F.embedding(weft.tensor([0, 1]), weight, max_norm=1.0).numpy()
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [0.3, 0.4], [6, 8]], rtol=1e-6)
    assert weight._version == 1
    np.testing.assert_allclose(weft.embedding_renorm_(weft.tensor(table), weft.tensor([2]), 7.0, 1.0).numpy()[2],
                               [3, 4], rtol=1e-6)


# bags

def bags_by_hand(table, at, starts, mode, scale=None, padding=-1):
    made = []
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        kept = [i for i in range(a, b) if at[i] != padding]
        rows = table[at[kept]] * (1 if scale is None else scale[kept][:, None])
        made.append(np.zeros(table.shape[1]) if not kept else {"sum": rows.sum, "mean": rows.mean,
                                                               "max": rows.max}[mode](0))
    return np.array(made)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 1])
@pytest.mark.parametrize("last", [False, True])
def test_embedding_bag(mode, padding, last):
    table, at = numbers((5, 9)), np.array([0, 1, 2, 2, 4, 1, 3, 1])
    starts = [0, 3, 3, 6, 7, 8]
    offsets = weft.tensor(starts if last else starts[:-1])

    def run(w):
        return F.embedding_bag(weft.tensor(at), w, offsets, mode=mode, include_last_offset=last, padding_idx=padding)
    expected = bags_by_hand(table, at, starts, mode, padding=-1 if padding is None else padding)
    np.testing.assert_allclose(run(weft.tensor(table)).numpy(), expected, rtol=1e-12, atol=1e-12)
    assert weft.autograd.gradcheck(run, [leaf(table)])
    assert weft.autograd.gradgradcheck(run, [leaf(table)])


def test_embedding_bag_of_rows_with_weights():
    table, at, scale = numbers((5, 3)), np.array([[0, 1, 4], [2, 2, 3]]), numbers((2, 3), seed=3)

    def run(w, s):
        return F.embedding_bag(weft.tensor(at), w, mode="sum", per_sample_weights=s)
    expected = bags_by_hand(table, at.ravel(), [0, 3, 6], "sum", scale.ravel())
    np.testing.assert_allclose(run(weft.tensor(table), weft.tensor(scale)).numpy(), expected, rtol=1e-12)
    assert weft.autograd.gradcheck(run, [leaf(table), leaf(scale)])
    assert weft.autograd.gradgradcheck(run, [leaf(table), leaf(scale)])
    out, bag, sizes, _ = weft.embedding_bag(weft.tensor(table), weft.tensor(at.ravel()), weft.tensor([0, 2]), mode=1)
    assert bag.tolist() == [0, 0, 1, 1, 1, 1] and sizes.tolist() == [2, 4] and out.shape == (2, 3)


def test_one_hot():
    assert F.one_hot(weft.tensor([[0, 2], [1, 0]])).tolist() == [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0]]]
    assert (F.one_hot(weft.tensor(1), 4).tolist() == [0, 1, 0, 0] and F.one_hot(weft.zeros(0, dtype=weft.int64),
                                                                                3).shape == (0, 3))


# linear

@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,), (2, 0), (70,)])
@pytest.mark.parametrize("bias", [False, True])
def test_linear(lead, bias, dtype, limit):
    x, weight = numbers((*lead, 9), dtype), numbers((7, 9), dtype, 1)
    b, g = numbers(7, dtype, 2) if bias else None, numbers((*lead, 7), dtype, 3)
    inputs = [leaf(x), leaf(weight), *([leaf(b)] if bias else [])]
    got = F.linear(*inputs)
    np.testing.assert_allclose(got.detach().numpy(), x @ weight.T + (b if bias else 0), rtol=limit, atol=10 * limit)
    got.backward(weft.tensor(g))
    rows = g.reshape(-1, 7)
    np.testing.assert_allclose(inputs[0].grad.numpy(), g @ weight, rtol=limit, atol=20 * limit)
    np.testing.assert_allclose(inputs[1].grad.numpy(), rows.T @ x.reshape(-1, 9), rtol=limit, atol=50 * limit)
    if bias:
        np.testing.assert_allclose(inputs[2].grad.numpy(), rows.sum(0), rtol=limit, atol=50 * limit)


def test_linear_of_strided_inputs_and_other_biases():
    x, weight = numbers((6, 8)), numbers((8, 10), seed=1)
    np.testing.assert_allclose(F.linear(weft.tensor(x)[::2, ::2], weft.tensor(weight)[::2].T).numpy(),
                               x[::2, ::2] @ weight[::2], rtol=1e-12)
    for shape in ((), (1,), (3, 10), (1, 10)):
        bias = leaf(numbers(shape, seed=2))
        out = F.linear(weft.tensor(x)[:3], weft.tensor(weight).T, bias)
        np.testing.assert_allclose(out.detach().numpy(), x[:3] @ weight + bias.detach().numpy(), rtol=1e-12)
        out.sum().backward()
        assert bias.grad.sum().item() == 30
    assert F.linear(weft.tensor(x), weft.tensor(x[0])).shape == (6,)
    assert F.linear(weft.tensor(x[0]), weft.tensor(x[0]), weft.tensor(1.0, dtype=weft.float64)).shape == ()


@pytest.mark.parametrize("shape", [(2, 3), (3,), (2, 1, 3)])
def test_linear_derivatives(shape):
    inputs = [leaf(numbers(shape)), leaf(numbers((4, 3), seed=1)), leaf(numbers(4, seed=2))]
    assert weft.autograd.gradcheck(F.linear, inputs) and weft.autograd.gradgradcheck(F.linear, inputs)


def test_linear_says_what_is_wrong():
    with pytest.raises(RuntimeError) as caught:
        F.linear(weft.ones(2, 5), weft.ones(4, 3))
    lines = str(caught.value).split("\n")
    assert lines[0] == "linear: the input has 5 features, the weight takes 3"
    assert "F.linear(weft.ones(2, 5)" in lines[1] and lines[2] == "  fix: make the layer Linear(5, 4), or give it 3 features"
    with pytest.raises(RuntimeError, match="the bias has 5 elements, the weight gives 4"):
        F.linear(weft.ones(2, 3), weft.ones(4, 3), weft.ones(5))
    with pytest.raises(RuntimeError, match="same dtype"):
        F.linear(weft.ones(2, 3).double(), weft.ones(4, 3))


def test_bilinear():
    x, y, weight, bias = numbers((2, 3, 4)), numbers((2, 3, 5), seed=1), numbers((6, 4, 5), seed=2), numbers(6, seed=3)
    got = F.bilinear(*(weft.tensor(a) for a in (x, y, weight, bias))).numpy()
    np.testing.assert_allclose(got, np.einsum("abi,oij,abj->abo", x, weight, y) + bias, rtol=1e-10)
    with pytest.raises(RuntimeError, match="input2 size does not match weight size: got 2 but expected 3"):
        F.bilinear(weft.ones(4, 3), weft.ones(4, 2), weft.ones(5, 3, 3))


# padding and interpolation

NUMPY_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(NUMPY_MODES)), st.integers(2, 9), st.integers(2, 40),
       st.tuples(*[st.integers(0, 8)] * 4), st.sampled_from(["f4", "f8", "i8"]))
def test_padding(mode, h, w, pad, kind):
    x = (numbers((2, 3, h, w)) * 9).astype(kind)
    most = h if mode == "circular" else h - 1
    pad = (min(pad[0], most, w - 1), min(pad[1], most, w - 1), min(pad[2], most), min(pad[3], most))
    got = F.pad(weft.tensor(x), pad, mode=mode).numpy()
    assert np.array_equal(got, np.pad(x, ((0, 0), (0, 0), pad[2:], pad[:2]), mode=NUMPY_MODES[mode]))


@pytest.mark.parametrize("mode", sorted(NUMPY_MODES))
@pytest.mark.parametrize("pad", [(1, 2), (2, 0, 1, 1), (-1, 2, 1, -1), (1, 1, 0, 2, 1, 0)])
def test_padding_gradient_is_the_transpose(mode, pad):
    k = len(pad) // 2
    x, shape = leaf(numbers((1, 2, *(4, 5, 6)[:k]))), None
    out = F.pad(x, pad, mode=mode)
    shape = out.shape
    g = numbers(tuple(shape), seed=1)
    out.backward(weft.tensor(g))
    direction = numbers(tuple(x.shape), seed=2)
    moved = F.pad(weft.tensor(direction), pad, mode=mode).numpy()
    np.testing.assert_allclose((x.grad.numpy() * direction).sum(), (moved * g).sum(), rtol=1e-10)


RESIZES = [("nearest", (7,), None), ("linear", (9,), False), ("linear", (3,), True), ("bilinear", (9, 4), False),
           ("bilinear", (2, 13), True), ("bicubic", (11, 3), False), ("bicubic", (5, 12), True),
           ("trilinear", (3, 7, 2), False), ("area", (2, 5), None), ("nearest-exact", (9, 2), None)]


@pytest.mark.parametrize("mode,size,align", RESIZES)
def test_interpolation_keeps_constants_and_its_gradient_is_the_transpose(mode, size, align):
    shape = (2, 2, *(5, 6, 4)[:len(size)])
    np.testing.assert_allclose(F.interpolate(weft.full(shape, 3.0), size, mode=mode, align_corners=align).numpy(), 3.0,
                               rtol=1e-6)
    x = leaf(numbers(shape))
    out = F.interpolate(x, size, mode=mode, align_corners=align)
    assert out.shape == (2, 2, *size)
    g, direction = numbers(tuple(out.shape), seed=1), numbers(shape, seed=2)
    out.backward(weft.tensor(g))
    moved = F.interpolate(weft.tensor(direction), size, mode=mode, align_corners=align).numpy()
    np.testing.assert_allclose((x.grad.numpy() * direction).sum(), (moved * g).sum(), rtol=1e-10)
    if size == (9,) or mode == "bicubic":
        assert weft.autograd.gradgradcheck(lambda x: F.interpolate(x * x, size, mode=mode, align_corners=align),
                                           [leaf(numbers((1, 1, *shape[2:])))])


def test_interpolation_of_a_line():
    x = weft.tensor([[[0.0, 1.0, 2.0, 3.0]]])
    assert F.interpolate(x, scale_factor=2).tolist() == [[[0, 0, 1, 1, 2, 2, 3, 3]]]
    assert F.interpolate(x, 7, mode="linear", align_corners=True).tolist() == [[[0, 0.5, 1, 1.5, 2, 2.5, 3]]]
    assert F.interpolate(x, 2, mode="area").tolist() == [[[0.5, 2.5]]]
    for bad, kind in (((None, None), ValueError), ((3, 2.0), ValueError), ((0, None), RuntimeError),
                      (((2, 2), None), ValueError)):
        with pytest.raises(kind):
            F.interpolate(x, *bad)
    with pytest.raises(NotImplementedError):
        F.interpolate(x, 3, mode="bilinear")
    with pytest.raises(ValueError, match="align_corners"):
        F.interpolate(x, 3, align_corners=True)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([(), (1,), (3,), (40,)]), st.integers(0, 3),
       st.sampled_from([np.float32, np.float64]))
def test_mixing_against_a_dense_matrix(n, size, inner, most, dtype):
    rng = np.random.default_rng(n * size)
    counts = rng.integers(0, most + 1, size)
    starts = np.concatenate(([0], np.cumsum(counts)))
    indices, weights = rng.integers(0, n, starts[-1]), rng.standard_normal(starts[-1])
    matrix = np.zeros((size, n))
    np.add.at(matrix, (np.repeat(np.arange(size), counts), indices), weights)
    x = numbers((2, n, *inner), dtype)
    mix, flat = Mixing(starts, indices, weights, n), Mixing(starts, indices, None, n)
    forward = weft.ops.nn.resample._mix_axis.op.forward
    expected = np.moveaxis(np.tensordot(matrix, x.astype(np.float64), (1, 1)), 0, 1)
    np.testing.assert_allclose(forward(x, 1, mix), expected, rtol=1e-4, atol=1e-4)
    turned = np.moveaxis(np.tensordot(matrix.T, expected, (1, 1)), 0, 1)
    np.testing.assert_allclose(forward(expected.astype(dtype), 1, mix.turned()), turned, rtol=1e-3, atol=1e-3)
    ones = np.zeros((size, n))
    np.add.at(ones, (np.repeat(np.arange(size), counts), indices), 1)
    np.testing.assert_allclose(forward(x, 1, flat), np.moveaxis(np.tensordot(ones, x.astype(np.float64), (1, 1)), 0,
                                                                1), rtol=1e-4, atol=1e-4)


# blocks

@settings(max_examples=60, deadline=None)
@given(st.integers(3, 9), st.integers(3, 9), st.tuples(*[st.integers(1, 3)] * 2), st.tuples(*[st.integers(1, 2)] * 2),
       st.tuples(*[st.integers(0, 2)] * 2), st.tuples(*[st.integers(1, 3)] * 2))
def test_unfold_and_fold(h, w, kernel, dilation, padding, stride):
    if any(n + 2 * p < d * (k - 1) + 1 for n, k, d, p in zip((h, w), kernel, dilation, padding, strict=True)):
        return
    x = numbers((2, 3, h, w))
    wide = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip((h, w), kernel, dilation, padding,
                                                                              stride, strict=True)]
    expected = np.array([wide[:, :, i * dilation[0] + r * stride[0], j * dilation[1] + c * stride[1]]
                         for i in range(kernel[0]) for j in range(kernel[1]) for r in range(counts[0])
                         for c in range(counts[1])])
    expected = expected.reshape(kernel[0] * kernel[1], counts[0] * counts[1], 2,
                                3).transpose(2, 3, 0, 1).reshape(2, -1, counts[0] * counts[1])
    got = F.unfold(weft.tensor(x), kernel, dilation, padding, stride)
    assert np.array_equal(got.numpy(), expected)
    g = numbers(expected.shape, seed=1)
    back = F.fold(weft.tensor(g), (h, w), kernel, dilation, padding, stride).numpy()
    np.testing.assert_allclose((back * x).sum(), (g * expected).sum(), rtol=1e-9, atol=1e-9)


def test_blocks_of_one_image_and_their_messages():
    x = weft.randn(2, 4, 5)
    assert F.unfold(x, 2).shape == (8, 12) and F.fold(F.unfold(x, 2), (4, 5), 2).shape == (2, 4, 5)
    assert weft.autograd.gradgradcheck(lambda x: F.unfold(x * x, 2, padding=1), [leaf(numbers((1, 2, 3, 3)))])
    with pytest.raises(RuntimeError, match="at least one"):
        F.unfold(x, 9)
    with pytest.raises(RuntimeError, match="sliding blocks"):
        F.fold(weft.ones(1, 8, 5), (4, 5), 2)


def test_channels_change_places():
    x = weft.arange(32.0).view(1, 8, 2, 2)
    assert F.pixel_shuffle(x, 2).shape == (1, 2, 4, 4) and weft.equal(F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2), x)
    assert F.pixel_shuffle(x, 2)[0, 0, 0].tolist() == [0, 4, 1, 5]
    assert F.channel_shuffle(x, 2)[0, :, 0, 0].tolist() == [0, 16, 4, 20, 8, 24, 12, 28]


def test_similarity():
    x, y = numbers((4, 6)), numbers((4, 6), seed=1)
    lengths = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    np.testing.assert_allclose(F.cosine_similarity(weft.tensor(x), weft.tensor(y)).numpy(), (x * y).sum(1) / lengths,
                               rtol=1e-10)
    np.testing.assert_allclose(F.pairwise_distance(weft.tensor(x), weft.tensor(y)).numpy(),
                               np.linalg.norm(x - y + 1e-6, axis=1), rtol=1e-10)
    first, second = np.triu_indices(4, 1)
    np.testing.assert_allclose(F.pdist(weft.tensor(x)).numpy(), np.linalg.norm(x[first] - x[second], axis=1),
                               rtol=1e-10)
    np.testing.assert_allclose(F.normalize(weft.tensor(x)).numpy(), x / np.linalg.norm(x, axis=1, keepdims=True),
                               rtol=1e-10)


ERRORS = [
    (lambda w: F.embedding(weft.tensor([5]), w), IndexError, "index out of range in self: 5, and the table has 4 rows"),
    (lambda w: F.embedding(weft.tensor([-1]), w), IndexError, "index out of range"),
    (lambda w: F.embedding(weft.tensor([1.0]), w), RuntimeError, "scalar types: Long, Int"),
    (lambda w: F.embedding(weft.tensor([1]), w[0]), RuntimeError, "'weight' must be 2-D"),
    (lambda w: F.embedding(weft.tensor([1]), w, 4), AssertionError, "Padding_idx must be within num_embeddings"),
    (lambda w: F.embedding_bag(weft.tensor([1, 2, 0]), w, weft.tensor([1, 2])), RuntimeError,
     r"offsets\[0\] has to be 0"),
    (lambda w: F.embedding_bag(weft.tensor([1, 2, 0]), w, weft.tensor([0, 4])), RuntimeError,
     "can not be greater than input's length 3"),
    (lambda w: F.embedding_bag(weft.tensor([1, 2, 0]), w), ValueError, "offsets has to be a 1D Tensor"),
    (lambda w: F.embedding_bag(weft.tensor([[1, 2]]), w, weft.tensor([0])), ValueError,
     "if input is 2D, then offsets has to be None"),
    (lambda w: F.embedding_bag(weft.tensor([[1, 2]]), w, mode="foo"), ValueError,
     "mode has to be one of sum, mean or max"),
    (lambda w: F.embedding_bag(weft.tensor([[1, 2]]), w, per_sample_weights=weft.ones(1, 2)), NotImplementedError,
     "only supported for mode='sum'"),
    (lambda w: F.one_hot(weft.tensor([-1])), RuntimeError, "non-negative"),
    (lambda w: F.one_hot(weft.tensor([3]), 2), RuntimeError, "smaller than num_classes"),
    (lambda w: F.one_hot(weft.tensor([1.0])), RuntimeError, "LongTensor"),
    (lambda w: F.pad(w, (4, 0), mode="reflect"), RuntimeError, "Padding size should be less than"),
    (lambda w: F.pad(w, (1, 0), mode="other"), NotImplementedError, "Unrecognised padding mode"),
    (lambda w: F.pad(w[0], (1, 0), mode="reflect"), NotImplementedError, "Only 2D, 3D, 4D, 5D padding"),
]


@pytest.mark.parametrize("run,kind,text", ERRORS)
def test_errors(run, kind, text):
    with pytest.raises(kind, match=text):
        run(weft.ones(4, 3))


@pytest.mark.skipif(not NATIVE, reason="no native kernels here")
def test_kernels_refuse_what_does_not_fit():
    table, at, g = np.ones((4, 3), np.float32), np.array([0, 3]), np.ones((2, 3), np.float32)
    assert fast.embedding(table, np.array([4])) is None and fast.embedding(table[:, ::2], at) is None
    assert fast.embedding_backward(g, np.array([0, 4]), None, None, table, -1) is None
    assert fast.embedding_backward(g, at, np.array([0, 2]), None, table, -1) is None
    assert fast.embedding_bag(table, at, np.array([0, 3]), None, -1, False) is None
    assert fast.embedding_bag(table, at, np.array([1, 0]), None, -1, False) is None
    assert fast.mix_axis(table, 0, np.array([0, 1]), np.array([4]), None) is None
    assert fast.mix_axis(table, 0, np.array([0, 2]), np.array([0]), None) is None
    assert fast.mix_axis(table, 2, np.array([0, 1]), np.array([0]), None) is None
    assert fast.unfold_blocks(np.ones((1, 1, 2, 2), np.float32), (3, 3), (1, 1), (0, 0), (1, 1)) is None
    assert fast.fold_blocks(np.ones((1, 4, 3), np.float32), (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)) is None
