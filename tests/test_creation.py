"""Tensors from data and of constants, conversions, and what goes wrong with them."""
import numpy as np
import pytest

import weft

SIZES = [(), (0,), (3,), (2, 3), (2, 0, 4)]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool", "complex64",
          "complex128"]


@pytest.mark.parametrize("data, dtype, shape", [
    (1.5, "float32", ()), (3, "int64", ()), (True, "bool", ()), (1j, "complex64", ()),
    ([1., 2], "float32", (2,)), ([1, 2], "int64", (2,)), ([True, 1], "int64", (2,)), ([True, 2.5], "float32", (2,)),
    ([1, 2j], "complex64", (2,)), ([], "float32", (0,)), ([[], []], "float32", (2, 0)),
    (((1., 2.), [3., 4.]), "float32", (2, 2)), (range(3), "int64", (3,)), (np.float64(2), "float64", ()),
    (np.int32(2), "int32", ()), ([np.float64(1)], "float64", (1,)), ([np.float32(1), 2.0], "float32", (2,)),
    ([np.array([1., 2.])], "float64", (1, 2)), (np.zeros((2, 3), np.float16), "float16", (2, 3)),
])
def test_tensor_infers_its_type(data, dtype, shape):
    t = weft.tensor(data)
    assert (t.dtype, t.shape) == (getattr(weft, dtype), shape)


def test_tensor_takes_lists_of_tensors():
    t = weft.tensor([weft.tensor(1., requires_grad=True), weft.tensor([2.], dtype=weft.float64)])
    assert t.tolist() == [1., 2.] and t.dtype is weft.float64 and not t.requires_grad


def test_tensor_copies_and_from_numpy_shares():
    array = np.arange(3.)
    copied, shared = weft.tensor(array), weft.from_numpy(array)
    array[0] = 9
    assert copied[0].item() == 0 and shared[0].item() == 9
    assert weft.as_tensor(shared) is shared and weft.as_tensor(array)[0].item() == 9


def test_tensor_keeps_the_memory_order_of_arrays():
    assert weft.tensor(np.asfortranarray(np.ones((2, 3)))).stride() == (1, 2)


@pytest.mark.parametrize("make, kind, text", [
    (lambda: weft.tensor([[1, 2], [3]]), ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
    (lambda: weft.tensor([[1, 2], 3]), TypeError, "not a sequence"),
    (lambda: weft.tensor("a"), TypeError, "invalid data type 'str'"),
    (lambda: weft.tensor(["a"]), ValueError, "too many dimensions 'str'"),
    (lambda: weft.tensor([1., None]), RuntimeError, "Could not infer dtype of NoneType"),
    (lambda: weft.tensor(object()), RuntimeError, "Could not infer dtype of object"),
    (lambda: weft.tensor([2**63]), ValueError, "Overflow"),
    (lambda: weft.tensor(2**63), ValueError, "Overflow"),
    (lambda: weft.tensor([300], dtype=weft.uint8), RuntimeError, "without overflow"),
    (lambda: weft.tensor(float("nan"), dtype=weft.int64), RuntimeError, "without overflow"),
    (lambda: weft.tensor([1j], dtype=weft.float32), TypeError, "must be real number"),
    (lambda: weft.tensor(np.array(["a"])), TypeError, "can't convert np.ndarray of type numpy.str_"),
    (lambda: weft.tensor(np.array([1], ">i4")), ValueError, "byte order"),
    (lambda: weft.tensor([weft.ones(2), weft.ones(2)]), ValueError, "only one element tensors"),
    (lambda: weft.tensor(3, requires_grad=True), RuntimeError, "Only Tensors of floating point and complex dtype"),
    (lambda: weft.from_numpy([1]), TypeError, "expected np.ndarray"),
    (lambda: weft.from_numpy(np.arange(3)[::-1]), ValueError, "negative"),
    (lambda: weft.zeros(-1), RuntimeError, "negative dimension"),
    (lambda: weft.zeros(10**15), RuntimeError, "not enough memory: you tried to allocate 4000000000000000 bytes"),
    (lambda: weft.rand(2, -3), RuntimeError, "negative dimension"),
    (lambda: weft.zeros(2.0), TypeError, "must be tuple of ints"),
    (lambda: weft.zeros(True), TypeError, "must be tuple of ints"),
    (lambda: weft.zeros(), TypeError, "missing 1 required"),
    (lambda: weft.full(2, 3), TypeError, "must be tuple of ints"),
    (lambda: weft.full((2,), 300, dtype=weft.uint8), RuntimeError, "without overflow"),
    (lambda: weft.full((2,), 1e40), RuntimeError, "without overflow"),
    (lambda: weft.arange(0, 5, -1), RuntimeError, "inconsistent with step sign"),
    (lambda: weft.arange(0, 5, 0), RuntimeError, "step must be nonzero"),
    (lambda: weft.arange(float("nan")), RuntimeError, "unsupported range"),
    (lambda: weft.linspace(0, 1, -1), RuntimeError, "number of steps must be non-negative"),
    (lambda: weft.eye(-1), RuntimeError, "greater or equal to 0"),
    (lambda: weft.empty_strided((2, 3), (1,)), RuntimeError, "dimensionality"),
    (lambda: weft.Tensor(2.5), TypeError, "data must be a sequence"),
    (lambda: weft.ones(2).copy_(weft.ones(3)), RuntimeError, "must match the size"),
    (lambda: weft.ones(3).item(), RuntimeError, "a Tensor with 3 elements cannot be converted to Scalar"),
    (lambda: bool(weft.ones(3)), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    (lambda: bool(weft.ones(0)), RuntimeError, "no values"),
    (lambda: float(weft.ones(3)), ValueError, "only one element tensors"),
    (lambda: [1, 2][weft.tensor(1.)], TypeError, "only integer tensors"),
    (lambda: weft.ones(2, device="meta").item(), RuntimeError, "meta"),
    (lambda: weft.ones(2, device="meta").to("cpu"), NotImplementedError, "Cannot copy out of meta tensor"),
    (lambda: weft.ones(2).to("meta").tolist(), NotImplementedError, "Cannot copy out of meta tensor"),
    (lambda: weft.zeros(2, device="nowhere"), RuntimeError, "device"),
    (lambda: weft.frombuffer(bytearray(3), dtype=weft.int16), ValueError, "multiple of element size"),
])
def test_errors_say_what_is_wrong(make, kind, text):
    with pytest.raises(kind) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_constants(size, dtype):
    d = getattr(weft, dtype)
    for made, value in ((weft.zeros(size, dtype=d), 0), (weft.ones(*size, dtype=d) if size else weft.ones((), dtype=d),
                                                         1),
                        (weft.full(size, 1, dtype=d), 1), (weft.zeros(3).new_ones(size, dtype=d), 1)):
        assert (made.shape, made.dtype) == (size, d) and (made._array == made._array.dtype.type(value)).all()
    for like, value in ((weft.zeros_like, 0), (weft.ones_like, 1)):
        made = like(weft.empty(size), dtype=d)
        assert (made.shape, made.dtype) == (size, d) and (made._array == made._array.dtype.type(value)).all()


@pytest.mark.parametrize("make, strides", [
    (lambda x: x.t(), (1, 3)), (lambda x: x[:1].expand(4, 3), (3, 1)), (lambda x: x[:, ::2], (2, 1)),
    (lambda x: x.unsqueeze(0).transpose(0, 2), (1, 3, 6)),
])
def test_likes_and_clones_are_dense_in_the_order_of_their_source(make, strides):
    x = make(weft.arange(6.).reshape(2, 3))
    for made in (weft.zeros_like(x), weft.empty_like(x), x.clone(), x.to(weft.float64), weft.rand_like(x)):
        used = [(n, s) for n, s in zip(made.shape, made.stride()) if n > 1]
        assert used == [(n, s) for n, s in zip(x.shape, strides) if n > 1]
    assert x.clone(memory_format=weft.contiguous_format).is_contiguous()


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_every_type_converts_to_every_other(source, target):
    t = weft.tensor([0, 1, 3]).to(getattr(weft, source)).to(getattr(weft, target))
    expected = [0, 1, 1] if "bool" in (source, target) else [0, 1, 3]
    assert t.dtype is getattr(weft, target) and [complex(v).real for v in t.tolist()] == expected


def test_to_gives_the_tensor_itself_where_nothing_changes():
    x = weft.ones(2)
    assert x.to(weft.float32) is x and x.float() is x and x.to("cpu") is x and x.to(weft.zeros(1)) is x
    assert x.to(weft.float32, copy=True) is not x and x.clone() is not x


def test_to_carries_gradients_back_in_the_source_type():
    x = weft.ones(3, dtype=weft.float16, requires_grad=True)
    x.to(weft.float64).sum().backward()
    assert x.grad.dtype is weft.float16 and x.grad.tolist() == [1, 1, 1]
    z = weft.ones(2, requires_grad=True)
    (z.to(weft.complex64) * 2j).real.sum().backward()
    assert z.grad.tolist() == [0, 0]


def test_copy_carries_gradients_through_views():
    x = weft.tensor([1., 2., 3.], requires_grad=True)
    base = weft.zeros(3, 2).t()     # (2, 3), not contiguous
    base[1].copy_(x)
    (base * weft.tensor([[1., 2., 3.], [4., 5., 6.]])).sum().backward()
    assert x.grad.tolist() == [4, 5, 6]


def test_copy_counts_as_a_write():
    x = weft.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    with weft.no_grad():
        y.copy_(weft.zeros(2))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize("make", [
    lambda **k: weft.zeros(2, **k), lambda **k: weft.rand(2, **k), lambda **k: weft.arange(2, **k),
    lambda **k: weft.tensor([1, 2], **k), lambda **k: weft.full((2,), 3, **k), lambda **k: weft.eye(2, **k)[0],
    lambda **k: weft.randint(3, (2,), **k)])
def test_meta_tensors_have_a_shape_only(make):
    with weft.device("meta"):
        inside = make()
    for t in (make(device="meta"), inside):
        assert t.device.type == "meta" and t.shape == (2,)
    assert weft.zeros(10**9, 10**9, device="meta").shape == (10**9, 10**9)


def test_ranges():
    assert weft.arange(3).tolist() == [0, 1, 2] and weft.arange(1, 2, 0.5).tolist() == [1, 1.5]
    assert weft.arange(3).dtype is weft.int64 and weft.arange(3.).dtype is weft.float32
    assert weft.linspace(0, 1, 5).tolist() == [0, .25, .5, .75, 1] and weft.linspace(3, 9, 1).tolist() == [3]
    assert (weft.logspace(0, 2, 3).tolist() == [1, 10, 100] and weft.linspace(0, 7, 4,
                                                                              dtype=weft.int64).tolist() == [0, 2, 4,
                                                                                                             7])
    assert weft.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]


def test_old_constructors():
    assert (weft.Tensor(2, 3).shape == (2, 3) and weft.Tensor([1, 2]).dtype is weft.float32
            and weft.Tensor().shape == (0,))
    assert weft.LongTensor([1.5]).tolist() == [1] and weft.FloatTensor(3).shape == (3,)
    assert isinstance(weft.ones(1), weft.FloatTensor) and not isinstance(weft.ones(1), weft.LongTensor)
    assert weft.ones(1).type() == "torch.FloatTensor" and weft.ones(1).type(weft.LongTensor).dtype is weft.int64


def test_default_dtype_decides_for_python_numbers():
    weft.set_default_dtype(weft.float64)
    try:
        found = {t.dtype for t in (weft.tensor(1.), weft.zeros(1), weft.tensor([1., 2]), weft.arange(3.),
                                   weft.full((1,), 2.))}
        assert found == {weft.float64} and weft.tensor(1j).dtype is weft.complex128
    finally:
        weft.set_default_dtype(weft.float32)


def test_inference_mode_marks_what_it_makes():
    with weft.inference_mode():
        assert all(t.is_inference() for t in (weft.zeros(1), weft.tensor(1.), weft.rand(1), weft.arange(2),
                                              weft.ones(1).clone()))


def test_out_is_filled():
    out = weft.ones(2)
    assert weft.zeros(2, out=out) is out and out.tolist() == [0, 0]
    assert weft.arange(3, out=weft.empty(0)).tolist() == [0, 1, 2]


# faults of old

def test_constants_by_name():
    assert weft.inf > 1e308 and weft.nan != weft.nan and str(weft.pi)[:4] == "3.14" and str(weft.e)[:4] == "2.71" and weft.newaxis is None


def test_ranges_keep_the_shape_of_an_out_with_room_enough():
    for make in (lambda out: weft.arange(0, 4, out=out), lambda out: weft.linspace(0, 3, 4, out=out)):
        x = weft.zeros(2, 3)
        make(x[:, 1:])
        assert x.tolist() == [[0, 0, 1], [0, 2, 3]]


def test_integers_beyond_float64_stay_exact():
    assert weft.tensor([1, 2 ** 64 - 1], dtype=weft.uint64).tolist() == [1, 2 ** 64 - 1]
    assert weft.tensor(2 ** 64, dtype=weft.float64).item() == 2.0 ** 64


def test_an_out_that_is_resized_warns():
    with pytest.warns(UserWarning, match="resized"):
        assert weft.add(weft.ones(3), 1, out=weft.zeros(2)).shape == (3,)


def test_lists_in_themselves_are_refused():
    endless = [0]
    endless.append(endless)
    with pytest.raises(TypeError, match="self-referential"):
        weft.tensor(endless)


def test_what_only_looks_like_a_sequence_is_refused():
    class Broken:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            raise TypeError
    with pytest.raises(ValueError, match="shape of object"):
        weft.tensor(Broken())


@pytest.mark.parametrize(("make", "kind"), [
    (lambda: weft.FloatTensor(2, device="cuda"), RuntimeError), (lambda: weft.frombuffer([1, 2], dtype=weft.int32),
                                                                 ValueError),
    (lambda: weft.linspace(0, 1, 2.5), TypeError), (lambda: weft.range(3), TypeError)])
def test_refused_as_in_pytorch(make, kind):
    with pytest.raises(kind):
        make()


def test_from_file_shares_or_copies(tmp_path):
    path = str(tmp_path / "values")
    np.arange(4, dtype=np.float32).tofile(path)
    private, shared = weft.from_file(path, size=4), weft.from_file(path, shared=True, size=4)
    assert private.tolist() == [0, 1, 2, 3]
    assert shared.untyped_storage().filename == path and weft.zeros(1).untyped_storage().filename is None
    private.fill_(9)
    shared[0] = 5
    del shared
    assert np.fromfile(path, np.float32).tolist() == [5, 1, 2, 3]


def test_doubles_become_halves_by_way_of_float():
    """As PyTorch rounds them: first to float, which is half-way between two halves then."""
    value = 1 + 2.0 ** -11 + 2.0 ** -40
    for made in (weft.full((2,), value, dtype=weft.float16), weft.zeros(2, dtype=weft.float16).new_full((2,), value),
                 weft.tensor([value], dtype=weft.float16), weft.tensor([value], dtype=weft.float64).half(),
                 weft.zeros(2, dtype=weft.float16).fill_(value)):
        assert (made == 1).all()
