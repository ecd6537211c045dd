"""Views, joins and splits: what shares memory, what may be written, what a tensor says about its memory."""
import gc
import weakref

import numpy as np
import pytest

import weft


def arange(*shape, **kwargs):
    return weft.tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), **kwargs)


VIEWS = {
    "transpose": lambda x: x.transpose(0, 1), "permute": lambda x: x.permute(1, 0), "t": lambda x: x.t(),
    "T": lambda x: x.T, "mT": lambda x: x.mT, "view": lambda x: x.view(6), "reshape": lambda x: x.reshape(3, 2),
    "flatten": lambda x: x.flatten(), "unflatten": lambda x: x.unflatten(0, (1, 2)),
    "unsqueeze": lambda x: x.unsqueeze(1), "squeeze": lambda x: x.squeeze(), "select": lambda x: x.select(0, 1),
    "narrow": lambda x: x.narrow(1, 1, 2), "diagonal": lambda x: x.diagonal(),
    "as_strided": lambda x: x.as_strided((2, 2), (3, 1), 1), "unfold": lambda x: x.unfold(1, 2, 1)[:, 0],
    "movedim": lambda x: x.movedim(0, 1), "ravel": lambda x: x.ravel(), "tensor_split": lambda x: x.tensor_split(2)[1],
    "a view of a view": lambda x: x.t().unsqueeze(0).select(2, 1)[:, 1:],
}
MANY = {"split": lambda x: x.split(1), "chunk": lambda x: x.chunk(2), "unbind": lambda x: x.unbind(),
        "split_with_sizes": lambda x: x.split([1, 1])}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shares_memory_and_version(name):
    x = arange(2, 3)
    y = VIEWS[name](x)
    assert y._is_view() and y._base is x
    assert np.shares_memory(x.numpy(), y.numpy())
    before = x._version
    y.add_(100)
    assert x._version == y._version == before + 1
    assert (x.numpy() >= 100).sum() == y.numel()


@pytest.mark.parametrize("name", VIEWS)
def test_a_write_through_a_view_goes_into_the_bases_history(name):
    leaf = arange(2, 3, requires_grad=True)
    x = leaf * 1
    VIEWS[name](x).mul_(5)
    x.sum().backward()
    scaled = arange(2, 3) * 0 + 1
    VIEWS[name](scaled).mul_(5)
    np.testing.assert_array_equal(leaf.grad.numpy(), scaled.numpy())


@pytest.mark.parametrize("name", VIEWS)
def test_a_write_to_the_base_reaches_the_views_gradient(name):
    leaf = arange(2, 3, requires_grad=True)
    x = leaf * 2
    y = VIEWS[name](x)
    x.mul_(3)
    y.sum().backward()
    assert set(np.unique(leaf.grad.numpy())) <= {0, 6}


@pytest.mark.parametrize("name", VIEWS)
def test_a_later_write_to_the_source_does_not_forbid_the_views_backward(name):
    leaf = arange(2, 3, requires_grad=True)
    x = leaf * 2
    out = VIEWS[name](x) + 1
    x.zero_()
    out.sum().backward()
    assert leaf.grad.numpy().max() == 2


def test_reshape_copies_where_memory_forbids_a_view():
    x = arange(2, 3)
    y = x.t().reshape(6)
    assert not y._is_view() and not np.shares_memory(x.numpy(), y.numpy())
    with pytest.raises(RuntimeError, match=r"Use .reshape\(...\) instead"):
        x.t().view(6)


@pytest.mark.parametrize("name", MANY)
def test_several_views_at_once_may_not_be_written_with_a_graph(name):
    x = arange(2, 3)
    MANY[name](x)[1].mul_(2)                # no graph: allowed
    assert x[1].sum().item() == 24
    y = arange(2, 3, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match="multiple views"):
        MANY[name](y)[1].mul_(2)
    pieces = weft.unsafe_split(y, 1)
    pieces[0].mul_(2)


def test_expanded_tensors_refuse_writes():
    x = weft.zeros(3, 1).expand(3, 4)
    assert x.stride() == (1, 0)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.add_(1)


def test_the_gradient_of_a_single_piece_is_zero_elsewhere():
    x = arange(4, 2, requires_grad=True)
    x.chunk(2)[1].sum().backward()
    assert x.grad.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]
    x.grad = None
    x.unbind(1)[0].sum().backward()
    assert x.grad.tolist() == [[1, 0]] * 4


def test_overlapping_windows_add_up():
    x = arange(5, requires_grad=True)
    x.unfold(0, 3, 1).sum().backward()
    assert x.grad.tolist() == [1, 2, 3, 2, 1]
    x.grad = None
    x.as_strided((3, 3), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1, 2, 3, 2, 1]


def test_as_strided_counts_from_the_storage():
    x = arange(10)
    y = x[4:]
    assert y.storage_offset() == 4
    assert y.as_strided((3,), (1,)).tolist() == [4, 5, 6]
    assert y.as_strided((3,), (1,), 0).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 40"):
        y.as_strided((3,), (4,), 2)


def test_as_strided_scatter_has_the_true_gradient():
    # PyTorch 2.13 keeps the gradient inside the window instead of outside it
    x, src = arange(6, requires_grad=True), weft.ones(2, 2, requires_grad=True)
    out = weft.as_strided_scatter(x, src, (2, 2), (2, 1), 1)
    (out * arange(6)).sum().backward()
    assert x.grad.tolist() == [0, 0, 0, 0, 0, 5]
    assert src.grad.tolist() == [[1, 2], [3, 4]]


# joins

def test_cat_of_mixed_types_gives_each_its_own_gradient():
    a, b = weft.ones(2, dtype=weft.float64, requires_grad=True), weft.ones(3, requires_grad=True)
    weft.cat([a, b]).sum().backward()
    assert a.grad.dtype is weft.float64 and b.grad.dtype is weft.float32


def test_cat_is_contiguous_and_keeps_channels_last():
    x = arange(3, 2).t()
    assert weft.cat([x, x]).is_contiguous()
    assert weft.stack([x, x], 1).is_contiguous()
    y = weft.zeros(2, 3, 4, 5).contiguous(memory_format=weft.channels_last)
    assert weft.cat([y, y], 1).is_contiguous(memory_format=weft.channels_last)


def test_cat_takes_out_and_old_empties():
    out = weft.empty(0)
    assert weft.cat([arange(2), weft.empty(0), arange(1)], out=out) is out
    assert out.tolist() == [0, 1, 0]
    assert weft.cat([weft.empty(0), arange(2, 2)], 1).shape == (2, 2)


def test_cat_does_not_keep_its_inputs_alive():
    x = arange(2, requires_grad=True) * 1
    ref = weakref.ref(x)
    y = weft.cat([x, x])
    del x
    gc.collect()
    assert ref() is None
    y.sum().backward()


@pytest.mark.parametrize("call, words", [
    (lambda: weft.cat([weft.zeros(2, 3), weft.zeros(2, 4)]),
     "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4"),
    (lambda: weft.cat([weft.zeros(()), weft.zeros(2)]),
     r"zero-dimensional tensor \(at position 0\) cannot be concatenated"),
    (lambda: weft.stack([weft.zeros(2), weft.zeros(3)]),
     r"stack expects each tensor to be equal size, but got \[2\] at entry 0 and \[3\] at entry 1"),
    (lambda: weft.zeros(2, 3).view(7), r"shape '\[7\]' is invalid for input of size 6"),
    (lambda: weft.zeros(2, 3).expand(3, 3), r"must match the existing size \(2\) at non-singleton dimension 0"),
    (lambda: weft.zeros(2, 3).transpose(0, 2),
     r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"),
    (lambda: weft.zeros(2, 3).narrow(0, 1, 2), r"start \(1\) \+ length \(2\) exceeds dimension size \(2\)"),
    (lambda: weft.zeros(2, 3).split([1, 2]), "split_sizes to sum exactly to 2"),
])
def test_errors_say_what_is_wrong(call, words):
    with pytest.raises((RuntimeError, IndexError), match=words):
        call()


# shape and memory, as a tensor tells them

def test_what_a_tensor_says():
    x = weft.zeros(2, 3, dtype=weft.float64)
    assert x.size() == (2, 3) and x.size(-1) == 3 and x.stride() == (3, 1) and x.stride(0) == 3
    assert x.numel() == x.nelement() == 6 and x.dim() == x.ndimension() == x.ndim == 2
    assert x.element_size() == x.itemsize == 8 and x.nbytes == 48
    assert x.is_contiguous() and not x.t().is_contiguous()
    assert x.t().data_ptr() == x.data_ptr() and x[1].data_ptr() == x.data_ptr() + 24
    assert x[1].storage_offset() == 3 and x.layout is weft.strided and repr(x.layout) == "torch.strided"
    assert x._base is None and not x._is_view() and x.is_set_to(x.view(2, 3)) and not x.is_set_to(x.t())
    assert weft.empty(0).data_ptr() == 0
    assert repr(weft.channels_last) == "torch.channels_last"


def test_storages():
    x = arange(4)
    assert len(x.untyped_storage()) == 16 and x[2:].untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert x[2:].storage().tolist() == [0, 1, 2, 3] and x.storage()[3] == 3 and x.storage().dtype is weft.float32
    y = weft.empty(0).set_(x.untyped_storage(), 1, (3,), (1,))
    y.fill_(9)
    assert x.tolist() == [0, 9, 9, 9]
    with pytest.raises(RuntimeError, match="out of bounds"):
        weft.empty(0).set_(x.storage(), 2, (3,))


def test_resize():
    x = arange(2, 3)
    assert x.resize_(4).tolist() == [0, 1, 2, 3]
    assert x.resize_(3, 2).tolist() == [[0, 1], [2, 3], [4, 5]]         # the memory was still there
    assert x.resize_(2, 4).shape == (2, 4) and x.flatten()[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert x.resize_as_(weft.zeros(2, 2)).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(RuntimeError, match="require grad"):
        weft.zeros(2, requires_grad=True).resize_(3)


def test_in_place_changes_of_shape():
    leaf = arange(2, 3, requires_grad=True)
    x = leaf * 2
    assert x.t_() is x and x.shape == (3, 2)
    x.unsqueeze_(0).squeeze_(0).swapaxes_(0, 1)
    (x * arange(2, 3)).sum().backward()
    assert leaf.grad.tolist() == [[0, 2, 4], [6, 8, 10]]
    with pytest.raises(RuntimeError, match="leaf Variable"):
        leaf.t_()
    with weft.no_grad():
        leaf.t_()
    assert leaf.shape == (3, 2) and leaf._version == 1


def test_a_write_through_a_view_that_changed_its_shape():
    leaf = arange(2, 3, requires_grad=True)
    x = leaf * 1
    row = x[1]
    row.unsqueeze_(0)
    row.mul_(4)
    x.sum().backward()
    assert leaf.grad.tolist() == [[1, 1, 1], [4, 4, 4]]


def test_memory_formats():
    x = weft.zeros(2, 3, 4, 5)
    y = x.contiguous(memory_format=weft.channels_last)
    assert y.stride() == (60, 1, 15, 3) and y.is_contiguous(memory_format=weft.channels_last) and not y.is_contiguous()
    assert x.contiguous() is x and y.contiguous(memory_format=weft.channels_last) is y
    assert y.contiguous().stride() == x.stride()


def test_meta_views_have_shapes_only():
    x = weft.empty(2, 3, device="meta")
    for y, shape in [(x.t(), (3, 2)), (x.view(6), (6,)), (x.t().reshape(6), (6,)), (x.expand(4, 2, 3), (4, 2, 3)),
                     (x[0], (3,)), (weft.cat([x, x]), (4, 3)), (x.contiguous(), (2, 3)),
                     (x.as_strided((9, 9), (1, 1)), (9, 9)), (x.chunk(2)[0], (1, 3))]:
        assert y.device.type == "meta" and y.shape == shape
    assert x.stride() == (3, 1) and x.is_contiguous()


def test_views_under_inference_mode_and_no_grad():
    x = arange(2, 3, requires_grad=True)
    with weft.inference_mode():
        assert not x.t().requires_grad
    with weft.no_grad():
        y = x.view(6)
    assert not y.requires_grad and y._is_view()


def test_second_derivatives_of_a_window():
    x = weft.tensor([1., 2., 3.], dtype=weft.float64, requires_grad=True)
    y = x.as_strided((2, 2), (1, 1))            # x0 x1 / x1 x2
    first, = weft.autograd.grad((y ** 3).sum(), x, create_graph=True)
    assert first.tolist() == [3, 24, 27]
    second, = weft.autograd.grad(first.sum(), x)
    assert second.tolist() == [6, 24, 18]


# faults of old

def test_new_axes_have_the_stride_of_what_follows():
    x = arange(2, 3)
    assert x[None].stride() == (6, 3, 1) and x[:, None].stride() == (3, 3, 1) and x[..., None].stride() == (3, 1, 1)
    assert (x[None, 0].stride() == (6, 1) and x[0, None, ::2, None].stride() == (3, 2, 1)
            and x.t()[None].stride() == (3, 1, 3))
    assert weft.tensor(1.)[None, None].stride() == (1, 1)
    x[:, None].fill_(7)
    assert x.tolist() == [[7] * 3] * 2


def test_empty_tensors_have_dense_strides():
    assert weft.empty(5, 0, 3).stride() == (3, 3, 1) and weft.zeros(0, 2).clone().stride() == (2, 1)
    assert weft.zeros(2, 3, 4)[:, 1:1].stride() == (12, 4, 1)


def test_repeat_interleave_by_one_is_a_copy():
    x = arange(2, 2)
    for y in (x.repeat_interleave(1, 0), x[:1].repeat_interleave(2, 0), x.t().repeat_interleave(1, 1)):
        y.zero_()
        assert y.is_contiguous()
    assert x.tolist() == [[0, 1], [2, 3]]


def test_numbers_move_their_one_dimension():
    assert weft.tensor(5.).movedim(0, -1).shape == ()


def test_numpy_integers_are_dimensions():
    x, one = arange(2, 3), np.int64(1)
    assert x.squeeze(one).shape == (2, 3) and x.movedim(np.int64(0), one).shape == (3, 2)
    assert (x.flip(one).tolist() == [[2, 1, 0], [5, 4, 3]] and x.mean(one).tolist() == [1, 4]
            and x.view(np.int64(6)).shape == (6,))
    assert x.sum(np.uint8(1)).tolist() == [3, 12] and x.amax(one).tolist() == [2, 5]


@pytest.mark.parametrize(("do", "kind"), [
    (lambda x: x.flip(), TypeError), (lambda x: x.rot90(1, [0, 2]), IndexError),
    (lambda x: x.rot90(1, [0, -2]), RuntimeError), (lambda x: x.tensor_split(weft.tensor(1.5)), RuntimeError),
    (lambda x: x.tensor_split(weft.tensor([[1]])), RuntimeError), (lambda x: x.tensor_split(1.5), TypeError),
    (lambda x: x.resize_(2, 4, 2 ** 29, 2 ** 29), RuntimeError), (lambda x: weft.broadcast_shapes(1, -12), ValueError),
    (lambda x: weft.broadcast_shapes(2.0), RuntimeError), (lambda x: weft.view_as_complex(weft.tensor(2.)),
                                                           RuntimeError), (lambda x: x.copy_(weft.ones(1, 2, 3)),
                                                                           RuntimeError),
    (lambda x: x.__delitem__(0), TypeError), (lambda x: [3] + x.shape, TypeError),
    (lambda x: weft.meshgrid(weft.ones(2), weft.ones(2).int(), indexing="ij"), RuntimeError),
    (lambda x: weft.add(x, 1, out=weft.zeros(1).expand(2, 3)), RuntimeError)])
def test_refused_as_in_pytorch(do, kind):
    with pytest.raises(kind):
        do(arange(2, 3))


def test_one_value_fills_expanded_memory():
    x = weft.zeros(3).expand(2, 3)
    assert (x.fill_(2).tolist() == [[2] * 3] * 2 and x.masked_fill_(x == 2, 3)[0].tolist() == [3] * 3
            and x.zero_().sum() == 0)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.add_(1)


def test_view_as_complex_ignores_the_stride_of_single_elements():
    assert weft.view_as_complex(weft.ones(3, 2, 1).transpose(1, 2).contiguous()).shape == (3, 1)


def test_bytes_of_empty_tensors_are_viewed():
    assert (weft.zeros(0, 5, 64).view(weft.int64).shape == (0, 5, 32)
            and weft.zeros(0, 4).view(weft.int8).shape == (0, 16))


def test_cat_of_empty_vectors_ignores_dim():
    assert weft.cat([weft.empty(0), weft.empty(0)], dim=1).shape == (0,)


def test_cat_of_parts_of_channels_last_tensors_stays_channels_last():
    x = arange(2, 2, 3, 2).to(memory_format=weft.channels_last)
    y = weft.cat((x[:, :, :2], x[:, :, 1:]), -1)
    assert y.is_contiguous(memory_format=weft.channels_last)
    assert y.tolist() == weft.cat((x[:, :, :2].contiguous(), x[:, :, 1:].contiguous()), -1).tolist()


def test_resize_as_keeps_the_memory_format():
    x = weft.empty(3, 4, 5, 6).contiguous(memory_format=weft.channels_last)
    assert weft.zeros(360).resize_as_(x, memory_format=weft.preserve_format).stride() == x.stride()


def test_roll_without_dims():
    assert arange(4).roll(1, dims=None).tolist() == [3, 0, 1, 2]


WINDOWS = [(0, [4000], [-1]), (-1000, [4], [1]), (0, [-1, 3, 1], [1, 4]), (0, [-2], [1]), (1, [3, 3], []),
           (2**62, [1], [1]), (0, [1], [2**63]), (0, [2**62], [0]), (0, [5], [1]), (3, [2], [1]), (0, [2, 2], [2, 3]),
           (0, [2], [2**62])]


@pytest.mark.parametrize("offset, sizes, strides", WINDOWS, ids=str)
def test_no_window_outside_of_memory(offset, sizes, strides):
    """Every way to make a view out of numbers asks one check, `core.spec.window_fault`."""
    def kept():
        return weft.zeros(4)
    makers = [lambda: weft.empty(0).set_(kept().untyped_storage(), offset, sizes, strides),
              lambda: weft.empty(0).set_(kept(), offset, sizes, strides),
              lambda: kept().as_strided(sizes, strides, offset), lambda: kept().as_strided_(sizes, strides, offset),
              lambda: weft.as_strided_copy(kept(), sizes, strides, offset),
              lambda: weft.as_strided_scatter(kept(), weft.ones(2), sizes, strides, offset)]
    for make in makers:
        with pytest.raises((RuntimeError, ValueError)):
            make()


def test_a_window_at_the_end_of_memory_is_taken():
    x = weft.arange(4.0)
    assert weft.empty(0).set_(x.untyped_storage(), 3, [1], [7]).tolist() == [3.0]
    assert weft.empty(0).set_(x.untyped_storage(), 4, [0], [1]).tolist() == []
    assert x.as_strided((2, 2), (0, 3)).tolist() == [[0.0, 3.0], [0.0, 3.0]]


TURNS = {"t_": lambda b: b.t_(), "transpose_": lambda b: b.transpose_(0, 1), "swapaxes_": lambda b: b.swapaxes_(0, 1),
         "unsqueeze_": lambda b: b.unsqueeze_(0), "squeeze_": lambda b: b.squeeze_(),
         "as_strided_": lambda b: b.as_strided_((3, 2), (1, 3))}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_view_taken_before_its_base_was_turned_in_place(turn):
    def prepared():
        x = weft.arange(6.0).view(2, 3).requires_grad_()
        base = x * 2
        row = base[1:][0, 1:]
        turn(base)
        return x, base, row
    weights = weft.tensor([1.0, 2.0])
    x, base, row = prepared()
    (row * weights).sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 2, 4]]
    x, base, row = prepared()
    base.mul_(3)
    (row * weights).sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 6, 12]] and row.tolist() == [24, 30]
    x, base, row = prepared()
    row.mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [[2, 2, 2], [2, 6, 6]]


def test_a_view_of_a_view_that_was_turned_in_place():
    x = weft.arange(6.0).view(2, 3).requires_grad_()
    base = x * 2
    whole = base[:]
    row = whole[1]
    whole.t_()
    row.mul_(weft.tensor([1.0, 2.0, 3.0]))
    base.sum().backward()
    assert x.grad.tolist() == [[2, 2, 2], [2, 4, 6]] and whole.shape == (3, 2)


@pytest.mark.parametrize("name", ["float32", "int32", "float16", "uint8"])
def test_a_view_as_another_type_shares_memory_and_version_without_history(name):
    """As PyTorch's does; it was a view with a gradient of nothing."""
    leaf = arange(2, 4, dtype=weft.float32, requires_grad=True)
    x = leaf * 2
    y = x.view(getattr(weft, name))
    assert not y.requires_grad and y.is_leaf and not y._is_view() and y._base is None
    assert y.data_ptr() == x.data_ptr()
    y.zero_()
    assert x._version == y._version == 1 and x.abs().sum() == 0
    x.sum().backward()
    assert leaf.grad.tolist() == [[2.0] * 4] * 2


def bools():
    return weft.tensor([0, 1, 2, 255], dtype=weft.uint8).view(weft.bool)


TRUE = [False, True, True, True]


@pytest.mark.parametrize("name,function,want", [
    ("==", lambda b: b == weft.tensor(TRUE), [True] * 4), ("== 1", lambda b: b == 1, TRUE),
    ("sum", lambda b: b.sum(), 3), ("float", lambda b: b.float(), [0.0, 1.0, 1.0, 1.0]),
    ("uint8", lambda b: b.to(weft.uint8), [0, 1, 1, 1]), ("+", lambda b: b + 1, [1, 2, 2, 2]),
    ("cumsum", lambda b: b.cumsum(0), [0, 1, 2, 3]), ("unique", lambda b: b.unique(), [False, True]),
    ("prod", lambda b: b[1:].prod(), 1), ("where", lambda b: weft.where(b, 1, 0), [0, 1, 1, 1]),
    ("index", lambda b: weft.arange(4)[b], [1, 2, 3]), ("not", lambda b: ~b, [True, False, False, False]),
    ("copy", lambda b: weft.zeros(4).copy_(b), [0.0, 1.0, 1.0, 1.0]), ("all", lambda b: b[1:].all(), True),
    ("matrix", lambda b: b.float() @ b.float(), 3.0), ("tolist", lambda b: b, TRUE)])
def test_bools_made_of_other_bytes_than_0_and_1_are_true_in_every_op(name, function, want):
    assert function(bools()).tolist() == want


def test_bools_of_a_buffer():
    assert weft.frombuffer(bytearray([0, 2, 1]), dtype=weft.bool).long().tolist() == [0, 1, 1]
    x = weft.tensor([0, 1], dtype=weft.uint8)
    x.view(weft.bool).fill_(True)
    assert x.tolist() == [1, 1]     # those that are 0 and 1 already are shared
