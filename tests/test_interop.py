"""Tensors in and out: NumPy, DLPack, pickle, copy, text, and what a tensor says about itself."""
import copy
import doctest
import os
import pickle
import warnings

import numpy as np
import pytest

import weft
from weft.nn import parameter
from weft.tensor import methods, subclass
from weft.utils import dlpack

DTYPES = [weft.float32, weft.float64, weft.float16, weft.bfloat16, weft.int8, weft.int16, weft.int32, weft.int64,
          weft.uint8, weft.uint16, weft.uint32, weft.uint64, weft.bool, weft.complex64, weft.complex128]
NUMPY_DTYPES = [d for d in DTYPES if d is not weft.bfloat16]


def some(dtype, shape=(2, 3)):
    return (weft.arange(int(np.prod(shape))).reshape(shape) - 2).to(dtype) if dtype.is_signed else \
        weft.arange(int(np.prod(shape))).reshape(shape).to(dtype)


def same(a, b):
    return a.dtype is b.dtype and a.shape == b.shape and a.tolist() == b.tolist()


# NumPy

@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_numpy_shares_memory(dtype):
    x = some(dtype)
    array = x.numpy()
    assert array.dtype == dtype.np and type(array) is np.ndarray and np.shares_memory(array, x._array)
    array[0, 0] = 1
    assert x[0, 0].item() == 1
    assert same(weft.from_numpy(array), x)


def test_numpy_of_a_tensor_in_the_graph():
    x = weft.ones(2, requires_grad=True)
    for call in (x.numpy, (x * 2).numpy, lambda: np.asarray(x), lambda: np.sin(x)):
        with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
            call()
    assert x.numpy(force=True).tolist() == [1, 1] and np.shares_memory(x.numpy(force=True), x._array)
    assert x.detach().numpy().tolist() == [1, 1]


def test_numpy_of_what_numpy_lacks():
    with pytest.raises(TypeError, match="unsupported ScalarType BFloat16"):
        weft.ones(2).bfloat16().numpy()
    meta = weft.ones(2, device="meta")
    with pytest.raises(TypeError, match="can't convert meta"):
        meta.numpy()
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        meta.numpy(force=True)


def test_array_protocol_with_dtype_and_copy():
    x = weft.tensor([1.5, 2.5])
    assert np.asarray(x) is not x._array and np.shares_memory(np.asarray(x), x._array)
    assert not np.shares_memory(np.array(x), x._array)
    assert np.shares_memory(np.array(x, copy=False), x._array)
    assert np.asarray(x, dtype=np.int32).tolist() == [1, 2]
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(x, dtype=np.int32, copy=False)


def test_numpy_functions_give_tensors():
    x = weft.tensor([0.0, 1.0])
    assert isinstance(np.sin(x), weft.Tensor) and np.sin(x).dtype is weft.float32
    assert same(np.add(x, x), weft.tensor([0.0, 2.0]))
    assert same(np.greater(x, 0), weft.tensor([0, 1], dtype=weft.uint8))      # as in PyTorch
    zero_dim = np.exp(weft.tensor(0.0))
    assert isinstance(zero_dim, weft.Tensor) and zero_dim.item() == 1 and zero_dim.dim() == 0
    assert isinstance(np.concatenate([x, x]), np.ndarray)
    out = np.zeros(2)
    assert np.add(x, 1, out=out) is out and out.tolist() == [1, 2]
    assert same(np.float64(2) * x, weft.tensor([0.0, 2.0]))


def test_asking_for_unknown_attributes_is_no_array():
    assert not hasattr(weft.ones(2), "__array_interface__") and not hasattr(weft.ones(2), "__cuda_array_interface__")


# DLPack

@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("layout", [lambda x: x, lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[0, 0],
                                    lambda x: x[:0]])
def test_dlpack_with_numpy_both_ways(dtype, layout):
    x = layout(some(dtype))
    array = np.from_dlpack(x)
    assert array.dtype == dtype.np and array.tolist() == x.tolist()
    back = weft.from_dlpack(array)
    assert same(back, x) and (not x.numel() or back.data_ptr() == x.data_ptr())
    if x.numel() > 1:
        assert back.stride() == x.stride()


def test_dlpack_writes_are_seen():
    array = np.arange(3.0)
    x = weft.from_dlpack(array)
    x[0] = 7
    assert array[0] == 7
    np.from_dlpack(x)[1] = 8
    assert x.tolist() == [7, 8, 2]


def test_dlpack_of_read_only_memory():
    array = np.arange(3.0)
    array.flags.writeable = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = weft.from_dlpack(array)
    assert [str(w.message) for w in caught if "not writable" in str(w.message)]
    assert x.tolist() == [0, 1, 2] and x.data_ptr() == array.ctypes.data
    with pytest.raises(ValueError):
        x.add_(1)
    assert array.tolist() == [0, 1, 2]


def test_dlpack_capsules():
    x = weft.tensor([[True, False], [False, True]])
    capsule = dlpack.to_dlpack(x)
    back = dlpack.from_dlpack(capsule)
    assert same(back, x)
    back[0, 1] = True
    assert x[0, 1].item() is True
    with pytest.raises((RuntimeError, BufferError, ValueError)):
        dlpack.from_dlpack(capsule)     # used already
    assert x.__dlpack_device__() == (dlpack.DLDeviceType.kDLCPU, 0)


def test_dlpack_of_bfloat16():
    x = weft.tensor([1.5, -2.0]).bfloat16()
    for back in (weft.from_dlpack(x), weft.from_dlpack(dlpack.to_dlpack(x))):
        assert same(back, x) and back.data_ptr() == x.data_ptr()
    assert weft.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()


def test_dlpack_copies_when_asked():
    array = np.arange(3.0)
    assert weft.from_dlpack(array, copy=True).data_ptr() != array.ctypes.data
    assert weft.from_dlpack(array, device="cpu", copy=False).data_ptr() == array.ctypes.data


@pytest.mark.parametrize("make, kind, text", [
    (lambda: weft.ones(2, requires_grad=True).__dlpack__(), BufferError, "require gradient"),
    (lambda: weft.ones(2, device="meta").__dlpack__(), BufferError, "meta"),
    (lambda: weft.from_dlpack(3), RuntimeError, "invalid capsule"),
    (lambda: weft.from_dlpack(np.ones(2), device="meta"), BufferError, "device"),
    (lambda: weft.from_dlpack(np.arange(3)[::-1]), ValueError, "negative"),
    (lambda: dlpack.to_dlpack(3), TypeError, "must be a tensor"),
])
def test_dlpack_errors(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


# pickle and copy

@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pickle_keeps_values_and_types(dtype, protocol):
    x = some(dtype)
    assert same(pickle.loads(pickle.dumps(x, protocol)), x)


@pytest.mark.parametrize("layout", [lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[1], lambda x: x[0, 0],
                                    lambda x: x[:0], lambda x: x[:1].expand(3, 3), lambda x: x.unsqueeze(0),
                                    lambda x: x.detach()])
@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_copies_keep_strides(layout, again):
    x = layout(some(weft.float32))
    made = again(x)
    assert same(made, x) and (made.stride() == x.stride() or not x.numel())


def test_a_copy_can_be_written():
    x = weft.arange(4.0)
    made = pickle.loads(pickle.dumps(x))
    made.add_(1)
    assert made.tolist() == [1, 2, 3, 4] and x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_copies_of_views_still_share_memory(again):
    x = weft.arange(6.0).reshape(2, 3)
    made, row, column, detached = again([x, x[1], x[:, 0], x.detach()])
    made[1, 0] = 9
    assert row[0].item() == 9 and column[1].item() == 9 and detached[1, 0].item() == 9
    assert x[1, 0].item() == 3


def test_deepcopy_keeps_one_object_one():
    x = weft.ones(2)
    first, second = copy.deepcopy([x, x])
    assert first is second and first is not x


@pytest.mark.parametrize("again, keeps_grad", [(lambda x: pickle.loads(pickle.dumps(x)), False), (copy.deepcopy, True)])
def test_copies_of_leaves(again, keeps_grad):
    x = weft.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    x.note = ["kept"]
    made = again(x)
    assert made.requires_grad and made.is_leaf and made.note == ["kept"] and made.note is not x.note
    assert (made.grad is not None) == keeps_grad
    if keeps_grad:
        made.grad.zero_()
        assert x.grad.tolist() == [3, 3]


def test_pickle_of_a_computed_tensor_is_a_leaf():
    x = weft.ones(2, requires_grad=True) * 2
    made = pickle.loads(pickle.dumps(x))
    assert made.is_leaf and made.requires_grad and made.tolist() == [2, 2]


def test_deepcopy_of_a_computed_tensor():
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(weft.ones(2, requires_grad=True) * 2)


def test_copy_shares_memory_but_not_attributes():
    x = weft.arange(3.0)
    x.note = 1
    made = copy.copy(x)
    made.note = 2
    made[0] = 5
    assert x[0].item() == 5 and x.note == 1


def test_pickle_of_part_of_a_numpy_array_is_small():
    large = np.zeros(100_000)
    assert len(pickle.dumps(weft.from_numpy(large[:10]))) < 2000
    made = copy.copy(weft.from_numpy(large[:10]))
    made[0] = 1
    assert large[0] == 1


def test_pickle_of_meta_tensors():
    x = weft.ones(2, 3, device="meta")
    for made in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert made.is_meta and made.shape == (2, 3)


def test_pickle_warns_of_hooks():
    x = weft.ones(2, requires_grad=True)
    x.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="hooks"):
        pickle.dumps(x)


@pytest.mark.parametrize("value", [weft.float32, weft.bfloat16, weft.Size([1, 2]), weft.device("cpu"), weft.strided,
                                   weft.channels_last])
def test_pickle_of_what_describes_tensors(value):
    assert pickle.loads(pickle.dumps(value)) == value and copy.deepcopy(value) == value


# text

@pytest.mark.parametrize("make, expected", [
    (lambda: weft.tensor([1.0, 2.0]), "tensor([1., 2.])"),
    (lambda: weft.tensor([1.5]).bfloat16(), "tensor([1.5000], dtype=torch.bfloat16)"),
    (lambda: weft.ones(1, requires_grad=True), "tensor([1.], requires_grad=True)"),
    (lambda: weft.ones(1, requires_grad=True) + 1, "tensor([2.], grad_fn=<AddBackward0>)"),
    (lambda: weft.ones(2, device="meta"), "tensor(..., device='meta', size=(2,))"),
    (lambda: weft.tensor(3), "tensor(3)"),
    (lambda: weft.empty(0, 3), "tensor([], size=(0, 3))"),
    (lambda: weft.nn.Parameter(weft.ones(1)), "Parameter containing:\ntensor([1.], requires_grad=True)"),
])
def test_repr(make, expected):
    assert repr(make()) == expected and str(make()) == expected


def test_printoptions_are_exported():
    with weft.printoptions(precision=1):
        assert repr(weft.tensor([0.25])) == "tensor([0.2])"
    assert weft.get_printoptions()["precision"] == 4


@pytest.mark.parametrize("make, spec, expected", [
    (lambda: weft.tensor(1.5), ".3f", "1.500"), (lambda: weft.tensor(7), "04d", "0007"),
    (lambda: weft.tensor(1.5), "", "1.5"), (lambda: weft.tensor(True), "", "True"),
    (lambda: weft.ones(2), "", "tensor([1., 1.])"), (lambda: weft.tensor(2.0, requires_grad=True), ".1f", "2.0")])
def test_format(make, spec, expected):
    assert format(make(), spec) == expected


def test_format_of_several_elements():
    with pytest.raises(TypeError, match="unsupported format string passed to Tensor.__format__"):
        format(weft.ones(2), ".2f")


# what a tensor says about itself

@pytest.mark.parametrize("name, expected", [
    ("is_cpu", True), ("is_cuda", False), ("is_sparse", False), ("is_quantized", False), ("is_mkldnn", False),
    ("is_meta", False), ("is_nested", False), ("is_mps", False), ("layout", weft.strided), ("name", None),
    ("itemsize", 4), ("nbytes", 8)])
def test_properties(name, expected):
    assert getattr(weft.ones(2), name) == expected


@pytest.mark.parametrize("name", ["is_floating_point", "is_complex", "is_signed", "is_conj", "is_neg", "is_inference"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_questions_are_functions_and_methods(name, dtype):
    x = weft.ones(2).to(dtype)
    expected = {"is_floating_point": dtype.is_floating_point, "is_complex": dtype.is_complex,
                "is_signed": dtype.is_signed}.get(name, False)
    assert getattr(weft, name)(x) is expected and getattr(x, name)() is expected


@pytest.mark.parametrize("name", ["is_floating_point", "is_complex", "is_signed", "is_nonzero", "numel"])
def test_questions_about_what_is_no_tensor(name):
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        getattr(weft, name)(3)


def test_small_functions():
    assert weft.is_tensor(weft.ones(1)) and not weft.is_tensor(np.ones(1)) and weft.numel(weft.ones(2, 3)) == 6
    assert weft.is_storage(weft.ones(1).untyped_storage()) and not weft.is_storage(3)
    assert weft.is_nonzero(weft.tensor([2])) and not weft.is_nonzero(weft.tensor(0.0))
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        weft.is_nonzero(weft.ones(2))
    assert weft.typename(weft.ones(1)) == "torch.FloatTensor" and weft.typename(3) == "int" and weft.typename([]) == "list"
    assert (weft.ones(2).get_device() == -1 and not weft.ones(2).is_pinned()
            and weft.ones(2).pin_memory().tolist() == [1, 1])
    assert [int(v) for v in reversed(weft.arange(3))] == [2, 1, 0] and reversed(weft.tensor(3)).item() == 3


@pytest.mark.parametrize("a, b, expected", [
    (weft.ones(2), 1, weft.float32), (1, 2.0, weft.float32), (weft.tensor(1), 1.0, weft.float32),
    (weft.ones(2).int(), weft.ones(2).long(), weft.int64),
    (weft.ones(2).half(), weft.tensor(1.0).double(), weft.float16), (weft.ones(2), 1j, weft.complex64),
    (True, 1, weft.int64)])
def test_result_type(a, b, expected):
    assert weft.result_type(a, b) is expected


def test_can_cast():
    assert weft.can_cast(weft.int64, weft.float16) and not weft.can_cast(weft.float32, weft.int64)
    assert not weft.can_cast(weft.complex64, weft.float64) and weft.can_cast(weft.bool, weft.uint8)
    with pytest.raises(TypeError, match="must be torch.dtype"):
        weft.can_cast(1, weft.int64)


def test_settings():
    before = weft.get_num_threads()
    try:
        weft.set_num_threads(1)
        assert weft.get_num_threads() == 1
        for wrong in (0, -1, 1.5):
            with pytest.raises(RuntimeError, match="set_num_threads expects"):
                weft.set_num_threads(wrong)
    finally:
        weft.set_num_threads(before)
    try:
        weft.use_deterministic_algorithms(True, warn_only=True)
        assert weft.are_deterministic_algorithms_enabled() and weft.get_deterministic_debug_mode() == 1
        weft.set_deterministic_debug_mode("error")
        assert weft.get_deterministic_debug_mode() == 2 and not weft.is_deterministic_algorithms_warn_only_enabled()
    finally:
        weft.use_deterministic_algorithms(False)
    assert weft.get_float32_matmul_precision() == "highest"


def test_attributes_of_users():
    x = weft.ones(2)
    x.note = 3
    assert x.note == 3 and "note" in dir(x) and x.__dict__["note"] == 3
    del x.note
    assert not hasattr(x, "note")


def test_apply_and_map():
    assert weft.arange(3).apply_(lambda v: v / 2).tolist() == [0, 0, 1]
    assert weft.ones(2, 2).t().map_(weft.arange(2.0), lambda a, b: a - b).tolist() == [[1, 0], [1, 0]]
    assert weft.ones(2).map2_(weft.ones(2), weft.ones(2), lambda a, b, c: a + b + c).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="requires grad"):
        weft.ones(2, requires_grad=True).apply_(abs)
    with pytest.raises(TypeError, match=r"map_: expected torch.FloatTensor .*got torch.LongTensor"):
        weft.ones(2).map_(weft.arange(2), min)
    with pytest.raises(TypeError, match="must be real number, not NoneType"):
        weft.ones(2).apply_(lambda v: None)


def test_apply_counts_as_a_write():
    x = weft.ones(2, requires_grad=True) * 1
    y = x.detach()
    out = (x * x).sum()
    y.apply_(lambda v: v + 1)
    with pytest.raises(RuntimeError, match="modified"):
        out.backward()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_shared_memory_is_seen_by_children():
    x = weft.zeros(3, 2).t().contiguous()
    assert not x.is_shared()
    assert x.share_memory_() is x and x.is_shared() and x.share_memory_() is x
    child = os.fork()
    if child == 0:
        x[0, 0] = 5
        os._exit(0)
    os.waitpid(child, 0)
    assert x.tolist() == [[5, 0, 0], [0, 0, 0]]


def test_shared_memory_leaves_no_view_behind():
    x = weft.zeros(3)
    view = x[1:]
    x.share_memory_()
    view.fill_(2)
    assert view.is_shared() and x.tolist() == [0, 2, 2]


@pytest.mark.parametrize("module", [methods, subclass, parameter, dlpack])
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


# faults of old

def test_asarray_keeps_the_graph_unless_told_otherwise():
    x = weft.ones(2, requires_grad=True)
    y = x * 2
    assert weft.asarray(y).requires_grad and weft.asarray(y, copy=True).grad_fn is not None
    assert not weft.asarray(y, requires_grad=False).requires_grad


def test_asarray_and_tensor_take_dlpack():
    class Wrapped:
        def __init__(self, t):
            self.t = t

        def __dlpack__(self, **options):
            return self.t.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.t.__dlpack_device__()
    x = weft.arange(3)
    assert weft.asarray(weft.to_dlpack(x)).data_ptr() == x.data_ptr() and weft.asarray(Wrapped(x)).tolist() == [0, 1, 2]
    assert weft.tensor(Wrapped(x)).data_ptr() != x.data_ptr()


def test_dlpack_has_no_streams_on_the_cpu():
    with pytest.raises(TypeError):
        weft.ones(1).__dlpack__(stream=object())
    with pytest.raises(AssertionError):
        weft.ones(1).__dlpack__(stream=0)


def test_strides_between_elements_are_refused():
    odd = np.lib.stride_tricks.as_strided(np.arange(3.), (2,), (4,))
    with pytest.raises(ValueError, match="multiple of the element"):
        weft.from_numpy(odd)


def test_old_storages():
    s = weft.LongStorage([1, 2])
    assert s.tolist() == [1, 2] and isinstance(s, weft.LongStorage) and not isinstance(s, weft.FloatStorage)
    assert isinstance(weft.ones(2).storage(), weft.FloatStorage) and len(weft.FloatStorage(3)) == 3


def test_modules_that_programs_ask():
    assert (weft.version.cuda is None and not weft.accelerator.is_available()
            and weft.accelerator.current_accelerator() is None)
    assert weft.storage.UntypedStorage is weft.UntypedStorage and weft.cpu.device_count() == 1 and weft.types.Number
    assert weft.utils.deterministic.fill_uninitialized_memory in (True, False)


def test_dense_tensors_answer_as_sparse_ones_would():
    x = weft.ones(2, 3)
    assert x.to_dense() is x and x.sparse_dim() == 0 and x.dense_dim() == 2


def test_results_of_several_tensors_print_and_pickle():
    found = weft.tensor([[1., 3.], [2., 0.]]).max(0)
    assert repr(found) == "torch.return_types.max(\nvalues=tensor([2., 3.]),\nindices=tensor([1, 0]))"
    assert repr(weft.linalg.eigh(weft.eye(1))).startswith("torch.return_types.linalg_eigh(\neigenvalues=")
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found) and again.indices.tolist() == [1, 0]


def test_numbers_of_tensors_that_require_grad_warn():
    x = weft.tensor(2., requires_grad=True)
    with pytest.warns(UserWarning, match="requires_grad=True to a scalar"):
        assert float(x) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x.item() == 2 and bool(x)


def test_checks():
    weft._check(True)
    with pytest.raises(IndexError, match="why"):
        weft._check_index(False, lambda: "why")


def test_device_strings_are_parsed_strictly():
    for wrong in ("cuda:", "cuda:01", "cuda:-1"):
        with pytest.raises(RuntimeError):
            weft.device(wrong)
