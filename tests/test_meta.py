"""Tensors without values know their shape, type and strides, and nothing computes on them."""
import copy
import io
import pickle
import tracemalloc

import pytest

import weft


def forms():
    x = weft.arange(24.0).view(2, 3, 4)
    image = weft.arange(48.0).view(2, 3, 4, 2)
    return {"contiguous": x, "turned": x.permute(2, 0, 1), "sliced": x[:, 1:, ::2], "expanded": x[:1].expand(5, 3, 4),
            "channels_last": image.contiguous(memory_format=weft.channels_last), "empty": x[:, :0],
            "number": x[0, 0, 0]}


@pytest.mark.parametrize("name", forms())
def test_to_meta_keeps_the_memory_order(name):
    x = forms()[name]
    made = x.to("meta")
    assert made.is_meta and (made.shape, made.dtype) == (x.shape, x.dtype)
    assert made.stride() == x.clone().stride()
    assert made.is_contiguous() == x.clone().is_contiguous()
    assert made.dim_order() == x.clone().dim_order()


VIEWS = [lambda x: x.t(), lambda x: x.permute(1, 0), lambda x: x[1:], lambda x: x[:, 1], lambda x: x[::2, None],
         lambda x: x.transpose(0, 1), lambda x: x.view(-1), lambda x: x.view(2, 2, 6), lambda x: x.t().reshape(-1),
         lambda x: x.t().flatten(), lambda x: x.as_strided((2, 3), (1, 2)), lambda x: x.as_strided((2, 3), (3, 1), 4),
         lambda x: x.unfold(1, 2, 1), lambda x: x.diagonal(), lambda x: x.expand(3, 4, 6), lambda x: x.detach().t(),
         lambda x: x.t().detach(), lambda x: x.t().data, lambda x: x.t().contiguous(), lambda x: x.t().clone(),
         lambda x: x.split(2)[1], lambda x: x.t().unbind(0)[2], lambda x: x.t() + 1, lambda x: x.t().zeros_like(),
         lambda x: weft.rand_like(x.t()), lambda x: x.t().double(), lambda x: x.t().flip(0), lambda x: x.t().tril(),
         lambda x: x.t()[weft.tensor([0, 2])], lambda x: x.view(weft.int32), lambda x: x.t().view(weft.int32),
         lambda x: x.view(weft.int16), lambda x: copy.deepcopy(x.t()), lambda x: copy.copy(x.t()),
         lambda x: pickle.loads(pickle.dumps(x.t())), lambda x: x.clone().t_(), lambda x: x.clone().unsqueeze_(1),
         lambda x: x.clone().transpose_(0, 1).add_(1), lambda x: x.clone().resize_(2, 5), lambda x: x.new_empty(2, 3),
         lambda x: x.new_empty_strided((2, 3), (1, 2)), lambda x: x.clone().resize_as_(x.t()),
         lambda x: x.clone().set_(x.t()), lambda x: x.squeeze().T, lambda x: weft.cat([x.t(), x.t()], 1),
         lambda x: x.repeat(2, 2), lambda x: x.mT, lambda x: x.view(weft.tensor(3), 8)]


@pytest.mark.parametrize("view", VIEWS)
def test_strides_are_those_of_a_real_tensor(view):
    real = view(weft.arange(24.0).view(4, 6).clone())
    made = view(weft.arange(24.0).view(4, 6).to("meta"))
    assert made.is_meta
    assert (made.shape, made.dtype, made.stride()) == (real.shape, real.dtype, real.stride())
    assert made.is_contiguous() == real.is_contiguous()


@pytest.mark.parametrize("format", [weft.channels_last, weft.contiguous_format])
def test_memory_formats(format):
    made = weft.empty(2, 3, 4, 5, device="meta", memory_format=format)
    real = weft.empty(2, 3, 4, 5, memory_format=format)
    assert made.stride() == real.stride()
    assert made.is_contiguous(memory_format=weft.channels_last) == (format is weft.channels_last)
    assert made.to(memory_format=weft.channels_last).stride() == real.to(memory_format=weft.channels_last).stride()
    assert (made + 1).stride() == (real + 1).stride()


def test_made_with_strides():
    made = weft.empty_strided((2, 3), (1, 2), device="meta")
    assert made.stride() == (1, 2) and not made.is_contiguous()
    assert weft.empty_permuted((2, 3), (1, 0), device="meta").stride() == (1, 2)


def test_a_view_that_needs_a_copy_is_refused():
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        weft.empty(4, 6, device="meta").t().view(24)


def test_data_of_another_order():
    t = weft.empty(2, 3, device="meta")
    t.data = weft.empty(3, 2, device="meta").t()
    assert t.stride() == (1, 2)
    t.data = weft.empty(2, 3, device="meta")
    assert t.stride() == (3, 1)


def test_saved_with_strides():
    file = io.BytesIO()
    weft.save(weft.empty(3, 2, device="meta").t(), file)
    file.seek(0)
    assert weft.load(file).stride() == (1, 2)


@pytest.mark.parametrize("act", [
    lambda x: x.nonzero(), lambda x: x.nonzero(as_tuple=True), lambda x: x[x > 0], lambda x: x.masked_select(x > 0),
    lambda x: weft.argwhere(x), lambda x: weft.where(x), lambda x: x.flatten().repeat_interleave(LONG),
    lambda x: x[x[:, 0] > 0, weft.tensor([0])]])
def test_a_shape_that_depends_on_values_is_refused(act):
    with pytest.raises(NotImplementedError, match="depends on values"):
        act(weft.empty(3, 1, device="meta"))


LONG = weft.empty(3, dtype=weft.int64, device="meta")


def test_repeats_of_a_known_total():
    assert weft.empty(3, device="meta").repeat_interleave(LONG, output_size=7).shape == (7,)


@pytest.mark.parametrize("act", [
    lambda x: x.uniform_(), lambda x: x.normal_(), lambda x: x.bernoulli_(), lambda x: weft.bernoulli(x),
    lambda x: weft.poisson(x), lambda x: x.multinomial(1), lambda x: weft.normal(x, 1.0), lambda x: weft.rand_like(x),
    lambda x: weft.binomial(x, x), lambda x: weft.rand(2, device="meta"), lambda x: weft.randperm(5, device="meta")])
def test_nothing_is_drawn_for_a_tensor_without_values(act):
    weft.manual_seed(1)
    state = weft.get_rng_state()
    assert act(weft.empty(3, 2, device="meta")).is_meta
    assert weft.equal(state, weft.get_rng_state())


def test_compositions_without_values_do_no_work():
    """interpolate worked out its tables (12 s, 2.7 GB), pdist its pairs, matrix functions an identity; and a leaf's
    gradient was copied in real memory.
    """
    F, n, m = weft.nn.functional, 2 ** 20, 2 ** 13
    cases = [lambda x: F.interpolate(x, size=(m + 1, m - 1), mode="bilinear", antialias=True),
             lambda x: F.interpolate(x, scale_factor=0.7, mode="bicubic"), lambda x: F.interpolate(x, 2 * m, mode="area"),
             lambda x: F.interpolate(x, 2 * m), lambda x: F.pad(x[0], (3, 4), mode="reflect"),
             lambda x: F.pad(x[0], (3, 4), mode="circular"), lambda x: F.adaptive_avg_pool2d(x, 1000),
             lambda x: F.pdist(x[0, 0]), lambda x: weft.linalg.lu(x)[1], lambda x: weft.linalg.matrix_power(x, 0) + x,
             lambda x: weft.linalg.cholesky(x),
             lambda x: F.unfold(x, 3), lambda x: F.max_pool2d(x, 2), lambda x: x.tril() + x.triu(),
             lambda x: F.one_hot(weft.empty(n, dtype=weft.int64, device="meta"), 3) * x.sum()]
    for i, case in enumerate(cases):
        x = weft.empty(1, 2, m, m, device="meta", requires_grad=True)
        case(x)                 # imports what it needs
        tracemalloc.start()
        case(x).sum().backward()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert x.grad.is_meta and x.grad.stride() == x.stride() and peak < 300_000, (i, peak)
