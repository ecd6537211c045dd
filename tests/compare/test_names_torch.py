"""Names that came with the sweep of PyTorch's modules, beside PyTorch's own."""
import collections
import gc
import importlib
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
Point = collections.namedtuple("Point", "x y")


def outcome(call):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as error:
        return type(error)


def both(call):
    t, w = outcome(lambda: call(torch)), outcome(lambda: call(weft))
    assert t == w, (t, w)


def test_trees_with_paths():
    tree = {"a": [1, (2, Point(3, 4))], "b": collections.OrderedDict(c=5)}
    for call in (lambda p: [(p.keystr(path), leaf) for path, leaf in p.tree_flatten_with_path(tree)[0]],
                 lambda p: [(p.keystr(path), leaf) for path, leaf in p.tree_leaves_with_path(tree, lambda t: isinstance(t, list))],
                 lambda p: p.tree_map_with_path(lambda path, leaf, other: p.keystr(path) + str(leaf + other), tree, tree),
                 lambda p: [p.key_get(tree, path) for path, _ in p.tree_leaves_with_path(tree)],
                 lambda p: [repr(path) for path, _ in p.tree_leaves_with_path([1, 2])][:0],
                 lambda p: p.tree_all_only(int, lambda x: x > 0, tree), lambda p: p.tree_any_only(str, bool, tree)):
        both(lambda lib, call=call: call(lib.utils._pytree))


@pytest.mark.parametrize("kwargs", [None, {}, {"dtype": 1}, {"dtype": 1, "factory_kwargs": {"device": 2}}, {"x": 1},
                                    {"dtype": 1, "factory_kwargs": {"dtype": 2}}])
def test_factory_kwargs(kwargs):
    both(lambda lib: lib.nn.factory_kwargs(kwargs))


def test_cond_runs_one_branch():
    ran = []
    out = weft.cond(weft.tensor(False), lambda x: ran.append(1) or x, lambda x: x + 1, (weft.ones(2),))
    assert out.tolist() == [2.0, 2.0] and not ran
    both(lambda lib: lib.cond(lib.tensor(True), 1, 2, ()))


def test_checkpoint_helpers():
    def run(lib):
        x = lib.ones(2, requires_grad=True) * 2
        leaf, number = lib.utils.checkpoint.detach_variable((x, 3))
        return leaf.is_leaf, leaf.requires_grad, number, lib.utils.checkpoint.get_device_states(x)
    both(run)
    both(lambda lib: lib.utils.checkpoint.detach_variable([1]))
    for lib in (torch, weft):
        with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
            lib.utils.checkpoint.check_backward_validity([lib.ones(1)])


def test_dicts_by_identity_let_their_keys_go():
    for lib in (torch, weft):
        from importlib import import_module
        weak = import_module(f"{lib.__name__}.utils.weak")
        a, b = lib.ones(2), lib.ones(2)
        held = weak.WeakTensorKeyDictionary({a: 1})
        held[b] = 2
        assert held[a] == 1 and held[b] == 2 and len(held) == 2 and lib.ones(2) not in held
        ref = weak.TensorWeakRef(a)
        assert ref() is a and weak.WeakIdRef(a) == weak.WeakIdRef(a) and not weak.WeakIdRef(a) == weak.WeakIdRef(b)
        del a
        gc.collect()
        assert len(held) == 1 and ref() is None and [k is b for k in held] == [True]


@pytest.mark.parametrize("order", [None, "native", "little", "big", "other"])
def test_storages_from_bytes(order):
    given = np.array([1.0, 2.0], dtype=np.float32).tobytes()
    args = () if order is None else (order,)
    both(lambda lib: lib.FloatStorage.from_buffer(given, *args).tolist())
    both(lambda lib: lib.ByteStorage.from_buffer(given, *args).tolist() if order != "other" else 0)


def test_a_modules_compile_leaves_its_results():
    net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.ReLU())
    x = weft.rand(4, 2)
    before = net(x)
    assert net.compile(dynamic=True) is None and weft.equal(net(x), before)
    with pytest.raises(RuntimeError, match="mode or options"):
        net.compile(mode="default", options={})


@pytest.mark.parametrize("name", ["seed", "seed_all", "initial_seed", "get_arch_list", "get_gencode_flags", "is_tf32_supported",
                                  "get_sync_debug_mode", "memory_stats_as_nested_dict", "cudart", "current_solver_handle",
                                  "get_per_process_memory_fraction"])
def test_cuda_without_a_gpu(name):
    both(lambda lib: getattr(lib.cuda, name)())


@pytest.mark.parametrize("name", ["memory_allocated", "current_device_idx", "memory_stats", "get_memory_info"])
def test_no_accelerator(name):
    both(lambda lib: getattr(lib.accelerator, name)())


def test_streams_of_the_cpu():
    def run(lib):
        mine = lib.cpu.Stream()
        with lib.cpu.stream(mine):
            inside = lib.cpu.current_stream() is mine
        mine.wait_stream(lib.cpu.current_stream())
        return inside, lib.cpu.current_stream() is mine, lib.cpu.Event().query(), lib.cpu.is_initialized()
    both(run)


@pytest.mark.parametrize("module, name", [("sparse", "spsolve"), ("nested", "narrow"), ("package", "PackageExporter"),
                                          ("quantization", "quantize_dynamic"), ("export", "draft_export")])
def test_what_is_out_of_reach_says_so(module, name):
    from importlib import import_module
    with pytest.raises(NotImplementedError, match=f"weft has no torch.*{name}"):
        getattr(import_module("weft." + module), name)(1)


def test_timer_measures():
    from weft.utils import benchmark
    made = benchmark.Timer("x + x", globals={"x": weft.ones(3)}, label="add", num_threads=1)
    threads = weft.get_num_threads()
    for found in (made.timeit(5), made.blocked_autorange(min_run_time=0.01), made.adaptive_autorange(max_run_time=0.05)):
        assert 0 < found.median < 1 and found.mean > 0 and found.iqr >= 0 and "add" in repr(found)
    assert weft.get_num_threads() == threads and "Times are in" in str(benchmark.Compare([found]))


def test_module_tracker():
    def run(lib):
        from importlib import import_module
        tracker, seen = import_module(f"{lib.__name__}.utils.module_tracker").ModuleTracker(), []
        net = lib.nn.Sequential(lib.nn.ReLU(), lib.nn.Sequential(lib.nn.Tanh()))
        net[1][0].register_forward_hook(lambda *_: seen.append(sorted(tracker.parents)))
        with tracker:
            net(lib.ones(1))
        return seen
    both(run)


@pytest.mark.parametrize("module", ["multivariate_normal", "normal", "beta", "gamma", "categorical"])
def test_modules_of_distributions_have_what_their_files_import(module):
    """botorch takes Distribution from torch.distributions.multivariate_normal."""
    mine, theirs = (importlib.import_module(f"{t}.distributions.{module}") for t in ("weft", "torch"))
    for name in ("Distribution", "ExponentialFamily", "constraints", "broadcast_all", "lazy_property", "Tensor"):
        if hasattr(theirs, name):
            assert hasattr(mine, name), name
    assert not hasattr(mine, "no_such_name")


def test_the_tools_of_multivariate_normal():
    import weft.distributions.multivariate_normal as mine
    theirs = importlib.import_module("torch.distributions.multivariate_normal")
    rng = np.random.default_rng(0)
    tril = np.tril(rng.standard_normal((4, 3, 3))) + 3 * np.eye(3)
    for name, arrays in (("_batch_mahalanobis", (tril, rng.standard_normal((5, 4, 3)))), ("_batch_mv", (tril, rng.standard_normal((4, 3)))),
                         ("_precision_to_scale_tril", (tril @ tril.swapaxes(1, 2),))):
        made = getattr(mine, name)(*map(weft.from_numpy, arrays))
        expected = getattr(theirs, name)(*map(torch.from_numpy, arrays))
        np.testing.assert_allclose(made.numpy(), expected.numpy(), rtol=1e-10)
