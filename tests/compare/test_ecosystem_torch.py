"""What packages ask of torch beyond tensors and layers: a test for each class of fault that `make ecosystem` found."""
import copy
import importlib
import inspect

import numpy as np
import pytest
import torch

import weft

BOTH = pytest.mark.parametrize("T", [weft, torch], ids=["weft", "torch"])
# modules that packages import, with the names that they take from them
NAMES = [
    ("functional", torch.functional.__all__), ("futures", ["Future", "collect_all", "wait_all"]),
    ("_subclasses.fake_tensor", ["FakeTensor", "FakeTensorMode", "is_fake"]),
    ("fx.experimental.proxy_tensor", ["get_proxy_mode", "make_fx"]), ("amp.grad_scaler", ["GradScaler", "OptState"]),
    ("nn.parallel.scatter_gather", ["gather", "scatter", "scatter_kwargs"]),
    ("utils.checkpoint", ["get_device_states", "set_device_states"]),
    ("utils.data._utils.collate", ["np_str_obj_array_pattern"]), ("utils.data.dataloader", ["_collate_fn_t"]),
    ("fx.graph_module", ["_CodeOnlyModule", "_copy_attr", "_USER_PRESERVED_ATTRIBUTES_KEY"]),
    ("_tensor_str", ["PRINT_OPTS", "_tensor_str", "_add_suffixes", "_str", "_str_intern"]),
    ("jit", ["interface"]), ("distributed.optim", ["ZeroRedundancyOptimizer"]), ("distributed.rpc", ["is_available"]),
    ("distributed.fsdp", ["FSDPModule", "FullyShardedDataParallel", "MixedPrecisionPolicy", "fully_shard"]),
    ("distributed._composable.fsdp", ["FSDPModule"]), ("distributed.tensor.experimental", ["implicit_replication"]),
    ("_C._functorch", ["is_batchedtensor", "is_legacy_batchedtensor", "get_unwrapped", "maybe_get_level"]),
]


def module_of(T, path):
    return importlib.import_module(f"{T.__name__}.{path}") if path != "_C._functorch" or T is weft else T._C._functorch


@pytest.mark.parametrize("path, names", NAMES, ids=[path for path, _ in NAMES])
def test_names_that_packages_import(path, names):
    missing = {T.__name__: [n for n in names if not hasattr(module_of(T, path), n)] for T in (weft, torch)}
    assert missing == {"weft": [], "torch": []}


@pytest.mark.parametrize("name", "TensorType Future _shape_as_tensor _sample_dirichlet _standard_gamma _dirichlet_grad "
                         "complex32 chalf uint4".split())
def test_names_at_the_top(name):
    assert hasattr(weft, name) and hasattr(torch, name)


@BOTH
def test_future_can_be_subscripted(T):
    assert T.futures.Future[int] is not None


def test_types_that_are_only_names():
    for name in ("complex32", "chalf", "uint1", "uint7"):
        ours, theirs = getattr(weft, name), getattr(torch, name)
        assert repr(ours) == repr(theirs) and ours != weft.complex64
        assert (ours.is_complex, ours.is_floating_point, ours.itemsize, ours.is_signed) == (
            theirs.is_complex, theirs.is_floating_point, theirs.itemsize, theirs.is_signed)
        assert copy.deepcopy(ours) is ours
    with pytest.raises(TypeError, match="no tensors of type torch.complex32"):
        weft.zeros(2, dtype=weft.complex32)


@pytest.mark.parametrize("kind", ["cpu", "cuda", "mps", "xpu", "ipu", "mtia", "privateuseone", "hpu", "xla", "meta"])
def test_autocast_may_be_asked_of_any_device(kind):
    def ask(T):
        try:
            return T.is_autocast_enabled(kind), str(T.get_autocast_dtype(kind))
        except RuntimeError:
            return "refused"
    assert ask(weft) == ask(torch)


def test_private_draws_give_the_same_numbers():
    for draw, given in (("_sample_dirichlet", [[0.5, 1.0, 3.0]] * 4), ("_standard_gamma", [0.4, 1.0, 7.0])):
        weft.manual_seed(3), torch.manual_seed(3)
        ours, theirs = (getattr(T, draw)(T.tensor(given)) for T in (weft, torch))
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-6)


def test_sizes_as_a_tensor():
    ours, theirs = (T._shape_as_tensor(T.ones(2, 3, requires_grad=True)) for T in (weft, torch))
    assert ours.tolist() == theirs.tolist() and str(ours.dtype) == str(theirs.dtype) and not ours.requires_grad


# ops of aten that have no other name

def aten_calls(T):
    a, x = T.ops.aten, T.arange(24.0).reshape(2, 3, 4)
    return [a._to_copy.default(x, dtype=T.float64), a._to_copy.default(x.mT, memory_format=T.contiguous_format),
            a.alias.default(x), a.slice.Tensor(x, 1, 1, 3), a.slice.Tensor(x, -1, 0, 4, 2), a.slice.Tensor(x),
            a.index.Tensor(x, [None, T.tensor([2, 0])]), a._unsafe_view.default(x, [6, 4]),
            a._softmax.default(x, 1, False), a._log_softmax.default(x, -1, False), a.lift_fresh.default(x)]


def test_aten_names():
    for ours, theirs in zip(aten_calls(weft), aten_calls(torch), strict=True):
        assert ours.stride() == theirs.stride() and str(ours.dtype) == str(theirs.dtype)
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6)
    assert weft.ops.aten.alias(x := weft.ones(2)).data_ptr() == x.data_ptr()
    assert weft.ops.aten._to_copy(x).data_ptr() != x.data_ptr()


# what a node saved

def saved(T):
    x = T.tensor([[1.0, 2.0]], requires_grad=True)
    product = x * x.exp()
    nodes = [product.grad_fn, product.grad_fn.next_functions[1][0], x.tanh().grad_fn]
    return [sorted(n for n in dir(node) if n.startswith("_saved_")) for node in nodes]


def test_dir_lists_what_a_node_saved():
    assert saved(weft) == saved(torch)


@BOTH
def test_listed_names_can_be_read(T):
    x = T.tensor([[1.0, 2.0]], requires_grad=True)
    node = (x * x.exp()).grad_fn
    assert node._saved_self is x and node._saved_other.equal(x.exp())
    assert not [n for n in dir(node.next_functions[0][0]) if n.startswith("_saved_")]      # AccumulateGrad


# subclasses

@BOTH
def test_a_tensors_dict_can_be_assigned(T):
    class Noted(T.Tensor):
        pass
    first, second = (T.ones(2).as_subclass(Noted) for _ in range(2))
    first.note = "kept"
    second.__dict__ = dict(first.__dict__)
    assert second.note == "kept"
    with pytest.raises(TypeError):
        second.__dict__ = 3


def overrides(T):
    seen = []

    class Asked(T.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, [type(a).__name__ for a in args], sorted(kwargs or {})))
            return None
    a = T.ones(2, 2).as_subclass(Asked)
    seen.clear()
    T.einsum("ij,jk->ik", a, a), T.einsum("ij,jk->ik", [a, a]), T.tensordot(a, a, 1), T.tensordot(a, a, dims=1)
    return seen


def test_subclasses_are_given_the_same_arguments():
    assert overrides(weft) == overrides(torch)


# texts

def test_texts_of_tensors():
    for shape in ((), (3,), (2, 40), (2, 2, 3)):
        values = np.random.default_rng(0).normal(size=shape).astype("f4")
        texts = []
        for T in (weft, torch):
            t, text = T.tensor(values), T._tensor_str
            inside = text._tensor_str(t, 7)
            texts.append((inside, text._add_suffixes("Noted(" + inside, ["size=12", "more=" + "x" * 60], 6, False),
                          text._add_suffixes("Noted(" + inside, ["size=12"], 6, True), text._str(t),
                          text._str(t, tensor_contents="...")))
        assert texts[0] == texts[1]
    assert weft._tensor_str.PRINT_OPTS.threshold == torch._tensor_str.PRINT_OPTS.threshold
    with pytest.raises(AttributeError):
        weft._tensor_str.PRINT_OPTS.nothing


# torch.distributed, of which one compares values at import

def test_backends_and_reductions_have_names():
    for name in ("UNDEFINED", "GLOO", "NCCL", "UCC", "MPI", "XCCL"):
        assert getattr(weft.distributed.Backend, name) == getattr(torch.distributed.Backend, name)
    assert weft.distributed.Backend("GLOO") == torch.distributed.Backend("GLOO") == "gloo"
    for T in (weft, torch):
        with pytest.raises(ValueError):
            T.distributed.Backend(3)
        assert all(hasattr(T.distributed.ReduceOp, n) for n in ("BAND", "BOR", "BXOR", "PREMUL_SUM"))


def test_states_of_no_device():
    from torch.utils.checkpoint import get_device_states
    assert weft.utils.checkpoint.get_device_states(weft.ones(2)) == get_device_states(torch.ones(2)) == ([], [])
    weft.utils.checkpoint.set_device_states([], [])
    with pytest.raises(RuntimeError, match="no states of GPUs"):
        weft.utils.checkpoint.set_device_states([0], [weft.ones(1)])


def test_stages_of_an_optimizer():
    from torch.amp.grad_scaler import OptState
    assert {s.name: s.value for s in weft.amp.grad_scaler.OptState} == {s.name: s.value for s in OptState}


def test_absent_names_say_so():
    for use in (weft.package.is_from_package, weft.ops.aten._sparse_addmm):
        with pytest.raises(NotImplementedError, match="weft has no torch"):
            use()


# graph modules as torchvision copies them

@BOTH
def test_attributes_are_copied_along_a_path(T):
    copied = importlib.import_module(T.__name__ + ".fx.graph_module")._copy_attr
    source, target = T.nn.Module(), T.nn.Module()
    source.inner = T.nn.Linear(2, 2)
    source.inner.register_buffer("seen", T.ones(1))
    copied(source, target, "inner.seen"), copied(source, target, "inner.weight")
    assert target.inner.weight is source.inner.weight and dict(target.named_buffers()).keys() == {"inner.seen"}
    assert type(target.inner) is T.nn.Module


@BOTH
def test_an_iterator_takes_a_loader_like_fastais(T):
    from_loader = importlib.import_module(T.__name__ + ".utils.data.dataloader")

    class Like:
        _IterableDataset_len_called, _auto_collation, drop_last, in_order = None, False, False, True
        generator, prefetch_factor, timeout, num_workers, pin_memory, persistent_workers = None, 2, 0, 0, False, False
        pin_memory_device, multiprocessing_context, worker_init_fn = "", None, None
        _index_sampler, _dataset_kind = range(100), from_loader._DatasetKind.Iterable
        _get_shared_seed = staticmethod(lambda: 0)

        def __init__(self):
            self.dataset = self

        def collate_fn(self, x):
            return x

        def __iter__(self):
            return iter([1, 2, 3])
    assert list(from_loader._SingleProcessDataLoaderIter(Like())) == [1, 2, 3]


def test_signatures():
    for name in ("get_device_states", "set_device_states"):
        ours, theirs = (getattr(importlib.import_module(T.__name__ + ".utils.checkpoint"), name) for T in (weft, torch))
        assert [*inspect.signature(ours).parameters] == [*inspect.signature(theirs).parameters]
