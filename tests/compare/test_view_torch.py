"""Views, joins and splits against PyTorch: values, types, strides, gradients of first and second order, errors."""
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

# (name, shape of x, what to do with it); m is weft or torch
VIEWS = [
    ("transpose", (2, 3, 4), lambda m, x: x.transpose(0, -1)),
    ("swapaxes", (2, 3), lambda m, x: m.swapaxes(x, axis0=0, axis1=1)),
    ("transpose of a number", (), lambda m, x: x.transpose(0, -1)),
    ("permute", (2, 3, 4), lambda m, x: x.permute(2, 0, -2)),
    ("permute list", (2, 3), lambda m, x: m.permute(x, (1, 0))),
    ("t", (2, 3), lambda m, x: x.t()),
    ("t of a vector", (3,), lambda m, x: m.t(x)),
    ("T", (2, 3), lambda m, x: x.T),
    ("mT", (2, 3, 4), lambda m, x: x.mT),
    ("movedim", (2, 3, 4), lambda m, x: m.movedim(x, 0, 2)),
    ("moveaxis", (2, 3, 4), lambda m, x: x.moveaxis((0, -1), (1, 0))),
    ("unsqueeze", (2, 3), lambda m, x: x.unsqueeze(1)),
    ("unsqueeze last", (2, 3), lambda m, x: x.unsqueeze(-1)),
    ("unsqueeze number", (), lambda m, x: x.unsqueeze(0)),
    ("squeeze", (2, 1, 3, 1), lambda m, x: x.squeeze()),
    ("squeeze one", (2, 1, 3), lambda m, x: x.squeeze(1)),
    ("squeeze none", (2, 1, 3), lambda m, x: x.squeeze(0)),
    ("squeeze some", (1, 2, 1, 3), lambda m, x: x.squeeze((0, -2, 1))),
    ("expand", (3, 1), lambda m, x: x.expand(2, 3, 4)),
    ("expand -1", (3, 1), lambda m, x: x.expand(-1, 4)),
    ("expand new 1", (3,), lambda m, x: x.expand(1, 1, 3)),
    ("expand number", (), lambda m, x: x.expand(2, 3)),
    ("expand to nothing", (1, 3), lambda m, x: x.expand(0, 3)),
    ("broadcast_to", (3, 1), lambda m, x: m.broadcast_to(x, (3, 2))),
    ("select", (4, 3), lambda m, x: x.select(0, -1)),
    ("select inner", (4, 3), lambda m, x: m.select(x, 1, 2)),
    ("narrow", (4, 3), lambda m, x: x.narrow(0, 1, 2)),
    ("narrow from the end", (4, 3), lambda m, x: x.narrow(1, -2, 1)),
    ("narrow nothing", (4, 3), lambda m, x: x.narrow(0, 4, 0)),
    ("diagonal", (3, 4), lambda m, x: x.diagonal()),
    ("diagonal up", (3, 4), lambda m, x: x.diagonal(2)),
    ("diagonal of many", (2, 3, 4), lambda m, x: x.diagonal(-1, 0, 2)),
    ("diagonal away", (3, 4), lambda m, x: x.diagonal(9)),
    ("linalg.diagonal", (2, 3, 4), lambda m, x: m.linalg.diagonal(x, offset=1)),
    ("unfold", (6, 2), lambda m, x: x.unfold(0, 3, 1)),
    ("unfold wide", (7,), lambda m, x: x.unfold(0, 5, 2)),
    ("unflatten", (2, 6), lambda m, x: x.unflatten(1, (2, -1))),
]
DENSE_VIEWS = [   # they need memory without gaps
    ("view", (2, 6), lambda m, x: x.view(3, 4)),
    ("view -1", (2, 6), lambda m, x: x.view(-1, 2)),
    ("view tuple", (1,), lambda m, x: x.view(())),
    ("view_as", (2, 6), lambda m, x: x.view_as(x.t().contiguous())),
    ("as_strided", (12,), lambda m, x: x.as_strided((3, 2), (3, 1), 2)),
    ("as_strided that overlaps", (12,), lambda m, x: x.as_strided((4, 3), (1, 2))),
    ("as_strided of a part", (4, 3), lambda m, x: x[1:].as_strided((2, 2), (3, 1), 4)),
]
COPIES = [
    ("reshape", (2, 6), lambda m, x: x.reshape(3, -1)),
    ("reshape_as", (2, 6), lambda m, x: x.reshape_as(x.t())),
    ("flatten", (2, 3, 4), lambda m, x: x.flatten(1)),
    ("flatten number", (), lambda m, x: x.flatten()),
    ("ravel", (2, 3), lambda m, x: m.ravel(x)),
    ("contiguous", (2, 3), lambda m, x: x.contiguous()),
    ("channels_last", (2, 3, 4, 5), lambda m, x: x.contiguous(memory_format=m.channels_last)),
    ("diag", (3,), lambda m, x: m.diag(x, 1)),
    ("diag of a matrix", (3, 4), lambda m, x: m.diag(x, -1)),
    ("diag_embed", (2, 3), lambda m, x: m.diag_embed(x, 1, 0, 2)),
    ("diagflat", (2, 2), lambda m, x: m.diagflat(x, -1)),
    ("flip", (2, 3), lambda m, x: x.flip(0, -1)),
    ("flip tuple", (2, 3), lambda m, x: m.flip(x, (1,))),
    ("flip nothing", (2, 3), lambda m, x: m.flip(x, ())),
    ("fliplr", (2, 3), lambda m, x: m.fliplr(x)),
    ("flipud", (2, 3), lambda m, x: x.flipud()),
    ("roll", (2, 3), lambda m, x: x.roll(4)),
    ("roll dims", (2, 3), lambda m, x: m.roll(x, (1, -1), (0, 1))),
    ("rot90", (2, 3), lambda m, x: m.rot90(x)),
    ("rot90 back", (2, 3, 2), lambda m, x: x.rot90(-1, (0, 2))),
    ("rot90 twice", (2, 3), lambda m, x: x.rot90(2)),
    ("repeat", (2, 3), lambda m, x: x.repeat(2, 1, 3)),
    ("repeat never", (2, 3), lambda m, x: x.repeat(0, 1)),
    ("repeat number", (), lambda m, x: x.repeat(3)),
    ("tile", (2, 3), lambda m, x: x.tile(2)),
    ("tile more", (3,), lambda m, x: m.tile(x, (2, 2))),
    ("repeat_interleave", (2, 3), lambda m, x: x.repeat_interleave(2)),
    ("repeat_interleave dim", (2, 3), lambda m, x: x.repeat_interleave(2, dim=1)),
    ("repeat_interleave each", (2, 3), lambda m, x: x.repeat_interleave(m.tensor([2, 0, 1]), dim=1)),
    ("constant_pad_nd", (2, 3), lambda m, x: m.constant_pad_nd(x, (1, 2, 0, 1), 1)),
    ("constant_pad_nd cut", (4, 3), lambda m, x: m.constant_pad_nd(x, (-1, 1, 1, -2))),
    ("tril", (3, 4), lambda m, x: x.tril()),
    ("tril down", (2, 3, 3), lambda m, x: m.tril(x, -1)),
    ("triu", (3, 4), lambda m, x: x.triu(1)),
    ("cat", (2, 3), lambda m, x: m.cat([x, x, x[:1]])),
    ("cat columns", (2, 3), lambda m, x: m.concat((x, x[:, :1]), dim=-1)),
    ("cat with an old empty", (2, 3), lambda m, x: m.cat([x, x.new_zeros(0)], 1)),
    ("concatenate", (2, 3), lambda m, x: m.concatenate([x, x], axis=1)),
    ("stack", (2, 3), lambda m, x: m.stack([x, x], 1)),
    ("stack numbers", (), lambda m, x: m.stack([x, x, x])),
    ("hstack", (3,), lambda m, x: m.hstack([x, x])),
    ("hstack matrices", (2, 3), lambda m, x: m.hstack([x, x])),
    ("vstack", (3,), lambda m, x: m.vstack([x, x])),
    ("dstack", (2, 3), lambda m, x: m.dstack([x, x])),
    ("column_stack", (3,), lambda m, x: m.column_stack([x, x])),
    ("block_diag", (2, 3), lambda m, x: m.block_diag(x, x[0], x[0, 0])),
    ("combinations", (4,), lambda m, x: m.combinations(x)),
    ("combinations again", (3,), lambda m, x: m.combinations(x, 3, True)),
    ("cartesian_prod", (3,), lambda m, x: m.cartesian_prod(x, x[:2])),
    ("select_scatter", (4, 3), lambda m, x: x.select_scatter(x[1] , 0, 2)),
    ("slice_scatter", (4, 3), lambda m, x: m.slice_scatter(x, x[:2], 0, 1, None, 2)),
    ("diagonal_scatter", (3, 4), lambda m, x: m.diagonal_scatter(x, x[0, :2], -1)),
    ("narrow_copy", (4, 3), lambda m, x: x.narrow_copy(0, 1, 2)),
    ("permute_copy", (2, 3), lambda m, x: m.permute_copy(x, (1, 0))),
    ("view_copy", (2, 3), lambda m, x: m.view_copy(x.contiguous(), (6,))),
]
WRONG_GRADIENT_IN_TORCH = [      # its own gradcheck fails there (it keeps the gradient inside the window, not outside)
    ("as_strided_scatter", (6,), lambda m, x: m.as_strided_scatter(x, x[:4].view(2, 2), (2, 2), (2, 1), 1)),
]
TUPLES = [
    ("split", (5, 2), lambda m, x: x.split(2)),
    ("split sizes", (5, 2), lambda m, x: m.split(x, [1, 0, 4])),
    ("split columns", (2, 5), lambda m, x: x.split(split_size=3, dim=1)),
    ("split_with_sizes", (5,), lambda m, x: m.split_with_sizes(x, [2, 3])),
    ("chunk", (5, 2), lambda m, x: x.chunk(3)),
    ("chunk of nothing", (0, 2), lambda m, x: x.chunk(3)),
    ("unbind", (3, 2), lambda m, x: x.unbind()),
    ("unbind columns", (3, 2), lambda m, x: m.unbind(x, -1)),
    ("unbind nothing", (0, 2), lambda m, x: x.unbind()),
    ("tensor_split", (5, 2), lambda m, x: x.tensor_split(3)),
    ("tensor_split at", (5, 2), lambda m, x: x.tensor_split((1, 7, 3))),
    ("tensor_split by tensor", (5, 2), lambda m, x: m.tensor_split(x, m.tensor([1, 3]))),
    ("hsplit", (2, 4), lambda m, x: m.hsplit(x, 2)),
    ("vsplit", (4, 2), lambda m, x: x.vsplit([1])),
    ("dsplit", (1, 2, 4), lambda m, x: x.dsplit(2)),
    ("unsafe_split", (5, 2), lambda m, x: m.unsafe_split(x, 2)),
    ("unsafe_chunk", (5, 2), lambda m, x: m.unsafe_chunk(x, 2)),
    ("broadcast_tensors", (2, 1), lambda m, x: m.broadcast_tensors(x, x[0], x.view(2))),
    ("meshgrid", (3,), lambda m, x: m.meshgrid(x, x[:2], indexing="xy")),
    ("meshgrid three", (2,), lambda m, x: m.meshgrid([x, x[0], x], indexing="ij")),
    ("atleast_2d", (3,), lambda m, x: m.atleast_2d(x, x[0])),
    ("atleast_3d", (3,), lambda m, x: m.atleast_3d([x, x.view(1, 3)])),
]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64"]
LAYOUTS = ["dense", "turned", "gaps"]


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    array = rng.integers(-9, 9, shape) if not shape else rng.permutation(int(np.prod(shape))).reshape(shape)
    if dtype == "bool":
        return array % 2 == 1
    if dtype == "complex64":
        return (array + 1j * (array % 3)).astype(np.complex64)
    return array.astype(np.float32 if dtype == "bfloat16" else np.uint8 if dtype == "uint8" else dtype)


def make(m, array, dtype, layout):
    """The same tensor of either library: contiguous, with its memory in reverse order of dimensions, or every second
    element.
    """
    x = m.tensor(array).to(getattr(m, dtype)) if dtype == "bfloat16" else m.tensor(array)
    if layout == "turned":
        order = tuple(range(x.ndim))[::-1]
        return x.permute(order).contiguous().permute(order)
    if layout == "gaps" and x.numel() > 1:
        wide = m.zeros((*x.shape[:-1], 2 * x.shape[-1]), dtype=x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return x


def plain(t):
    t = t.detach()
    return (t.float() if str(t.dtype).endswith("bfloat16") else t).numpy()


def check(got, expected, strides=True):
    if isinstance(expected, (tuple, list)):
        assert type(got) is type(expected) and len(got) == len(expected)
        for g, e in zip(got, expected):
            check(g, e, strides)
        return
    assert tuple(got.shape) == tuple(expected.shape)
    assert str(got.dtype) == str(expected.dtype)
    np.testing.assert_array_equal(plain(got), plain(expected))
    if strides and expected.numel():
        assert got.stride() == expected.stride()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def cases(*tables):
    return [pytest.param(shape, do, id=name) for table in tables for name, shape, do in table]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape, do", cases(VIEWS))
def test_views_have_torchs_values_strides_and_memory(shape, do, layout):
    for dtype in DTYPES:
        array = values(shape, dtype)
        x, y = make(weft, array, dtype, layout), make(torch, array, dtype, layout)
        got, expected = do(weft, x), do(torch, y)
        check(got, expected)
        assert got._is_view() and (got.storage_offset() == expected.storage_offset() or not expected.numel())
        if expected.numel():
            assert got.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


@pytest.mark.parametrize("shape, do", cases(DENSE_VIEWS))
def test_dense_views(shape, do):
    for dtype in DTYPES:
        array = values(shape, dtype)
        got, expected = do(weft, weft.tensor(array)), do(torch, torch.tensor(array))
        check(got, expected)
        assert got.storage_offset() == expected.storage_offset()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape, do", cases(COPIES, WRONG_GRADIENT_IN_TORCH))
def test_copies(shape, do, layout):
    for dtype in DTYPES:
        array = values(shape, dtype)
        got, expected = do(weft, make(weft, array, dtype, layout)), do(torch, make(torch, array, dtype, layout))
        check(got, expected, strides=layout != "gaps")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape, do", cases(TUPLES))
def test_tuples(shape, do, layout):
    for dtype in DTYPES:
        array = values(shape, dtype)
        if layout == "gaps" and "view" in do.__code__.co_names:
            continue
        check(do(weft, make(weft, array, dtype, layout)), do(torch, make(torch, array, dtype, layout)))


def two_gradients(m, array, do):
    x = m.tensor(array, requires_grad=True)
    out = do(m, x * x)
    outs = [out] if not isinstance(out, (tuple, list)) else list(out)
    loss = 0
    for k, o in enumerate(outs):
        loss = loss + (o * o * o * (k + 1)).sum()
    if not loss.requires_grad:
        return None, None
    first, = m.autograd.grad(loss, x, create_graph=True)
    second, = m.autograd.grad((first * first).sum(), x)
    return plain(first), plain(second)


@pytest.mark.parametrize("shape, do", cases(VIEWS, DENSE_VIEWS, COPIES, TUPLES))
def test_gradients_of_both_orders(shape, do):
    array = np.random.default_rng(1).standard_normal(shape)
    if 0 in shape:
        return
    got, expected = two_gradients(weft, array, do), two_gradients(torch, array, do)
    for g, e in zip(got, expected):
        if e is not None:
            np.testing.assert_allclose(g, e, rtol=1e-9, atol=1e-12)


# what torch refuses, weft refuses with the same kind of error
REFUSED = [
    lambda m, z: m.cat([]),
    lambda m, z: m.cat([z(()), z(2)]),
    lambda m, z: m.cat([z(2, 3), z(2, 4)]),
    lambda m, z: m.cat([z(2, 3), z(4)]),
    lambda m, z: m.cat([z(2)], 3),
    lambda m, z: m.cat(z(3, 2)),
    lambda m, z: m.cat([z(2), 3]),
    lambda m, z: m.stack([]),
    lambda m, z: m.stack([z(2), z(3)]),
    lambda m, z: m.meshgrid(z(2, 2), indexing="ij"),
    lambda m, z: m.meshgrid(z(2), indexing="kk"),
    lambda m, z: z(2, 3).view(7),
    lambda m, z: z(2, 3).t().view(6),
    lambda m, z: z(2, 3).view(-1, -1),
    lambda m, z: z(2, 3).view(-2, 3),
    lambda m, z: z(0).view(-1, 0),
    lambda m, z: z(2, 3).view(),
    lambda m, z: z(2, 3).reshape(7),
    lambda m, z: z(2, 3).permute(0, 0),
    lambda m, z: z(2, 3).permute(0),
    lambda m, z: z(2, 3).permute(0, 2),
    lambda m, z: z(2, 3).transpose(0, 2),
    lambda m, z: z(2, 3, 4).t(),
    lambda m, z: z(2, 3).expand(3, 3),
    lambda m, z: z(2, 3).expand(-1, 2, 3),
    lambda m, z: z(2, 3).expand(3),
    lambda m, z: z(2, 3).expand(-2, 3),
    lambda m, z: z(2, 3).select(0, 2),
    lambda m, z: z(()).select(0, 0),
    lambda m, z: z(2, 3).select(2, 0),
    lambda m, z: z(2, 3).narrow(0, 1, 2),
    lambda m, z: z(2, 3).narrow(0, 3, 0),
    lambda m, z: z(2, 3).narrow(0, 0, -1),
    lambda m, z: z(()).narrow(0, 0, 1),
    lambda m, z: z(2, 3).split(0),
    lambda m, z: z(2, 3).split(-1),
    lambda m, z: z(2, 3).split([1, 2]),
    lambda m, z: z(5).split([2, -1, 4]),
    lambda m, z: z(()).split(1),
    lambda m, z: z(()).chunk(1),
    lambda m, z: z(2).chunk(0),
    lambda m, z: z(()).unbind(),
    lambda m, z: z(5).tensor_split(0),
    lambda m, z: z(()).tensor_split(2),
    lambda m, z: z(5).hsplit(3),
    lambda m, z: z(()).hsplit(1),
    lambda m, z: z(5).vsplit(1),
    lambda m, z: z(5, 2).dsplit(1),
    lambda m, z: z(2, 3).unflatten(1, (2, 2)),
    lambda m, z: z(2, 6).unflatten(1, ()),
    lambda m, z: z(2, 6).flatten(1, 0),
    lambda m, z: z(6).as_strided((3, 3), (1, 3)),
    lambda m, z: z(6).as_strided((3,), (-1,)),
    lambda m, z: z(6).as_strided((3,), (1, 2)),
    lambda m, z: z(6).as_strided((3,), (1,), -1),
    lambda m, z: z(6).unfold(0, 7, 1),
    lambda m, z: z(6).unfold(0, 2, 0),
    lambda m, z: z(()).unfold(0, 2, 1),
    lambda m, z: z(6).unfold(0, -1, 1),
    lambda m, z: z(6).flip(0, 0),
    lambda m, z: z(6).flip(1),
    lambda m, z: z(6).fliplr(),
    lambda m, z: z(()).flipud(),
    lambda m, z: z(2, 3).roll((1, 2), (0,)),
    lambda m, z: z(2, 3).roll((1, 2)),
    lambda m, z: z(()).roll(1, 0),
    lambda m, z: z(2, 3).rot90(1, (0, 0)),
    lambda m, z: z(2, 3).rot90(1, (0,)),
    lambda m, z: z(2).rot90(),
    lambda m, z: z(2, 3).rot90(1, (0, 5)),
    lambda m, z: z(2, 3).repeat(2),
    lambda m, z: z(2, 3).repeat(2, -1),
    lambda m, z: z(2, 3).tile(-1),
    lambda m, z: z(2).repeat_interleave(-1),
    lambda m, z: z(2).repeat_interleave(m.tensor([1, 2, 3])),
    lambda m, z: m.repeat_interleave(m.tensor([1., 2])),
    lambda m, z: z(2).repeat_interleave(m.tensor([1, 2]), output_size=4),
    lambda m, z: z(2).tril(),
    lambda m, z: z(2, 3).diagonal(0, 0, 0),
    lambda m, z: z(2).diagonal(),
    lambda m, z: z(2, 3, 4).diag(),
    lambda m, z: z(()).diag(),
    lambda m, z: z(()).diag_embed(),
    lambda m, z: z(2).diag_embed(0, 0, 0),
    lambda m, z: m.triu_indices(-1, 2),
    lambda m, z: m.combinations(z(2, 2)),
    lambda m, z: m.combinations(z(3), -1),
    lambda m, z: m.cartesian_prod(z(3, 2)),
    lambda m, z: m.constant_pad_nd(z(3), (1,)),
    lambda m, z: m.constant_pad_nd(z(3), (1, 1, 1, 1)),
    lambda m, z: m.constant_pad_nd(z(3), (-2, -2)),
    lambda m, z: m.unravel_index(m.tensor([1.]), (2, 3)),
    lambda m, z: m.unravel_index(m.tensor([1]), (-1, 2)),
    lambda m, z: z(3).view(m.float64),
    lambda m, z: z(()).view(m.float64),
    lambda m, z: z(2, 4).t().view(m.int16),
    lambda m, z: m.block_diag(z(2, 3, 4)),
    lambda m, z: m.hstack([]),
    lambda m, z: z(2, 3).movedim((0, 1), (1,)),
    lambda m, z: z(2, 3).movedim((0, 0), (1, 0)),
    lambda m, z: z(2, 3).squeeze((0, 0)),
    lambda m, z: z(2, 3).squeeze(2),
    lambda m, z: z(()).squeeze(1),
    lambda m, z: z(2).unsqueeze(2),
    lambda m, z: z(2, 3).contiguous(memory_format=m.channels_last),
    lambda m, z: m.select_scatter(z(2, 3), z(2), 0, 1),
    lambda m, z: m.slice_scatter(z(4, 3), z(3), 0, 1, 3),
    lambda m, z: m.diagonal_scatter(z(4, 3), z(2)),
    lambda m, z: z(2, requires_grad=True).unsqueeze_(0),
    lambda m, z: z(2, requires_grad=True)[:1].unsqueeze_(0),
    lambda m, z: z(2, 3).size(2),
    lambda m, z: z(()).size(0),
    lambda m, z: z(2).stride(1),
    lambda m, z: z(2, requires_grad=True).resize_(3),
    lambda m, z: z(2, 3).resize_(-1),
    lambda m, z: z(2).H,
    lambda m, z: z(2).mT,
    lambda m, z: m.split_with_sizes(z(5), [2, 2]),
    lambda m, z: z(2).set_(z(2).double()),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refuses_what_torch_refuses(number):
    do = REFUSED[number]
    with pytest.raises(Exception) as expected:
        do(torch, torch.zeros)
    with pytest.raises(expected.type):
        do(weft, weft.zeros)


def test_dtype_views():
    pairs = [("float32", "int32"), ("float32", "float64"), ("float64", "int16"), ("uint8", "bfloat16"),
             ("complex64", "float32")]
    for source, target in pairs:
        array = values((4, 8), source)
        got = weft.tensor(array).view(getattr(weft, target))
        expected = torch.tensor(array).view(getattr(torch, target))
        check(got, expected)


def test_unravel_index_and_triangles():
    for offset in (-2, 0, 1, 5):
        check(weft.tril_indices(3, 4, offset), torch.tril_indices(3, 4, offset))
        check(weft.triu_indices(4, 3, offset, dtype=weft.int32), torch.triu_indices(4, 3, offset, dtype=torch.int32))
    index = np.array([[5, 1], [11, -1]])
    check(weft.unravel_index(weft.tensor(index), (2, 3, 2)), torch.unravel_index(torch.tensor(index), (2, 3, 2)),
          strides=False)
    got, expected = [m.kron(m.tensor([[1, 2]]), m.tensor([1., 3.])) for m in (weft, torch)]
    check(got, expected, strides=False)


def test_cat_promotes():
    for a in DTYPES:
        for b in DTYPES:
            got = weft.cat([weft.ones(2, dtype=getattr(weft, a)), weft.ones(2, dtype=getattr(weft, b))])
            expected = torch.cat([torch.ones(2, dtype=getattr(torch, a)), torch.ones(2, dtype=getattr(torch, b))])
            check(got, expected)


def test_regeometry_in_place():
    def run(m):
        x = m.arange(6.).reshape(2, 3).requires_grad_()
        y = (x * 2).transpose_(0, 1)
        y.unsqueeze_(1)
        y.mul_(y.detach().clone())
        z = y.squeeze_(1).t_()
        row = z[0]
        row.unsqueeze_(0).mul_(3)
        z.sum().backward()
        return [plain(z), plain(x.grad), z.stride(), row.shape]
    for g, e in zip(run(weft), run(torch)):
        np.testing.assert_array_equal(g, e)


WRITES = {
    "resize_ smaller": lambda lib, t: t.resize_(2, 2), "resize_ larger": lambda lib, t: t.resize_(20),
    "resize_ same": lambda lib, t: t.resize_(6), "resize_as_": lambda lib, t: t.resize_as_(lib.zeros(3)),
    "set_": lambda lib, t: t.set_(lib.zeros(6)), "set_()": lambda lib, t: t.set_(), "set_ itself": lambda lib, t: t.set_(t),
    "set_ storage": lambda lib, t: t.set_(lib.zeros(3).untyped_storage()),
    "set_ window": lambda lib, t: t.set_(lib.zeros(3).untyped_storage(), 0, (2,), (1,)),
    "data": lambda lib, t: setattr(t, "data", lib.zeros(6)), "data zeroed": lambda lib, t: t.data.zero_(),
    "detach zeroed": lambda lib, t: t.detach().zero_(), "unsqueeze_": lambda lib, t: t.unsqueeze_(0),
    "squeeze_": lambda lib, t: t.squeeze_(), "as_strided_": lambda lib, t: t.as_strided_((6,), (1,)),
    "detach_": lambda lib, t: t.detach_(), "requires_grad_": lambda lib, t: t.requires_grad_(False),
    "copy_": lambda lib, t: t.copy_(lib.zeros(6)), "item": lambda lib, t: t.__setitem__(0, 1.0),
    "out=": lambda lib, t: lib.add(lib.ones(6), 1, out=t), "out= drawn": lambda lib, t: lib.randn(6, out=t),
    "part": lambda lib, t: t[1:].zero_(), "init": lambda lib, t: lib.nn.init.zeros_(t),
    "put_": lambda lib, t: t.put_(lib.tensor([0]), lib.tensor([1.0])), "uniform_": lambda lib, t: t.uniform_(),
    "storage": lambda lib, t: t.untyped_storage().fill_(0), "numpy": lambda lib, t: t.numpy().fill(0)}


@pytest.mark.parametrize("name", WRITES)
def test_everything_that_changes_a_tensor_counts_as_a_write(name):
    """resize_ and set_ didn't: a tensor that was saved for backward was found with another size, or other values."""
    counted, refused = [], []
    for lib in (torch, weft):
        x, y = lib.arange(6.0), lib.ones(6, requires_grad=True)
        before, product = x._version, x * y
        WRITES[name](lib, x)
        counted.append(x._version - before)
        try:
            product.sum().backward()
            refused.append(None)
        except RuntimeError as error:
            refused.append("modified by an inplace operation" in str(error))
    assert counted[0] == counted[1] and refused[0] == refused[1], (counted, refused)


@pytest.mark.parametrize("kind", ["float32", "int32", "float16", "complex64", "float64", "bool"])
def test_a_view_as_another_type_has_no_history(kind):
    def found(m):
        x = m.ones(2, 4, dtype=m.uint8 if kind == "bool" else m.float32, requires_grad=kind != "bool")
        y = x.view(getattr(m, kind))
        return (y.requires_grad, y.is_leaf, y._is_view(), y._base is None, tuple(y.shape), tuple(y.stride()),
                y[0]._base is y, y._version)
    assert found(weft) == found(torch)


def test_a_view_as_a_larger_type_starts_at_a_multiple_of_it():
    for m in (torch, weft):
        assert tuple(m.ones(4, 4)[:, 2:].view(m.float64).shape) == (4, 1)
        with pytest.raises(RuntimeError, match="storage_offset"):
            m.ones(4, 4)[:, 1:3].view(m.float64)
