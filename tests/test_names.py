"""Names that PyTorch's packages import: each works as on a CPU, or says in one sentence that weft doesn't have it."""
import importlib
import importlib.util
import os
import subprocess
import sys
import textwrap
import threading

import pytest

import weft
from weft.torch_version import TorchVersion

# what is refused, and how

@pytest.mark.parametrize("module, name", [
    ("onnx", "export"), ("export", "export"),
    ("distributed.checkpoint", "SavePlanner"), ("distributed.tensor.debug", "CommDebugMode"),
    ("utils.cpp_extension", "load"), ("distributed.optim", "PostLocalSGDOptimizer"), ("ao.quantization", "prepare")])
def test_what_weft_lacks_says_so_when_it_is_used(module, name):
    thing = getattr(importlib.import_module("weft." + module), name)
    with pytest.raises(NotImplementedError, match=f"weft has no torch.{module}.{name}"):
        thing(1)
    if isinstance(thing, type):
        assert not isinstance(weft.ones(1), thing)
        assert issubclass(type("Own", (thing,), {}), thing)


@pytest.mark.parametrize("name", ["Stream", "Event", "CUDAGraph"])
def test_things_of_a_gpu_can_be_named_and_not_made(name):
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        getattr(weft.cuda, name)()
    assert not isinstance(1, getattr(weft.cuda, name))


def test_distributed_is_available_to_one_of_several_and_one_process_always_has_a_group(monkeypatch):
    there = importlib.util.find_spec("mpi4py") is not None
    assert not weft.distributed.is_available() and weft.distributed.is_mpi_available() == there
    with monkeypatch.context() as patch:
        patch.setenv("RANK", "0")
        assert weft.distributed.is_available() == there
    assert weft.distributed.group.WORLD is None
    weft.distributed.init_process_group("gloo")
    try:
        assert isinstance(weft.distributed.group.WORLD, weft.distributed.ProcessGroup)
        assert weft.distributed.distributed_c10d._get_default_group().size() == 1
    finally:
        weft.distributed.destroy_process_group()


# compile and its kin

def test_compile_gives_what_the_function_gives():
    def f(x):
        return x + 1
    x = weft.ones(2)
    for compiled in (weft.compile(f), weft.compile(mode="max-autotune")(f), weft.compile(f, replay=True)):
        assert [compiled(x).tolist() for _ in range(12)] == [[2.0, 2.0]] * 12 and compiled.__name__ == "f"
    assert weft.compiler.disable(f) is f and weft.compile(f, disable=True) is f
    net = weft.nn.Linear(1, 1)
    assert weft.compile(net) is net and not isinstance(net, weft._dynamo.OptimizedModule)
    assert list(net.state_dict()) == ["weight", "bias"]
    assert not weft.compiler.is_compiling() and not weft._dynamo.is_compiling()
    with pytest.raises(TypeError, match="takes a function or a module"):
        weft.compile(3)
    with pytest.raises(RuntimeError, match="mode or options"):
        weft.compile(f, mode="default", options={})


# library and ops

def test_an_op_with_a_gradient():
    @weft.library.custom_op("test_names::cube", mutates_args=())
    def cube(x: weft.Tensor) -> weft.Tensor:
        return x ** 3

    x = weft.tensor([2.0], requires_grad=True)
    y = weft.ops.test_names.cube(x)
    with pytest.raises(RuntimeError, match="test_names::cube has no gradient"):
        y.backward()

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    cube.register_autograd(lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g, setup_context=setup)
    cube(x=x).backward()
    assert x.grad.item() == 12 and weft.ops.test_names.cube.default(x.detach()).item() == 8
    cube.register_fake(lambda x: weft.empty_like(x))
    assert cube(weft.ones(3, device="meta")).shape == (3,)


def test_an_op_that_is_defined_first_and_given_its_kernel_later():
    lib = weft.library.Library("test_names2", "DEF")
    lib.define("plus(Tensor x, int n) -> Tensor")
    with pytest.raises(NotImplementedError, match="no kernel was registered"):
        weft.ops.test_names2.plus(weft.ones(1), 2)
    lib.impl("plus", lambda x, n: x + n, "CPU")
    assert weft.ops.test_names2.plus(weft.ones(1), 2).item() == 3
    with pytest.raises(AttributeError, match="no attribute 'minus'"):
        weft.ops.test_names2.minus


def test_ops_of_aten_are_wefts_functions():
    assert weft.ops.aten.add.Tensor(weft.ones(1), 2).item() == 3
    assert weft.equal(weft.ops.aten._softmax.default(weft.ones(2), 0, False) if hasattr(weft.ops.aten, "_softmax")
                      else weft.ops.aten.softmax(weft.ones(2), 0), weft.full((2,), 0.5))
    with pytest.raises(OSError, match="compiled for PyTorch"):
        weft.ops.load_library("x.so")


def test_ops_of_aten_that_only_files_name():
    aten, x = weft.ops.aten, weft.rand(1, 2, 4, 4)
    assert weft.equal(aten.linalg_inv.default(weft.eye(2) * 2), weft.eye(2) / 2)
    assert weft.equal(aten.fft_rfft(x), weft.fft.rfft(x)) and weft.equal(aten.special_erf(x), weft.special.erf(x))
    assert weft.equal(aten.upsample_bilinear2d(x, [8, 8], True),
                      weft.nn.functional.interpolate(x, (8, 8), mode="bilinear", align_corners=True))
    assert weft.equal(aten.reflection_pad2d.default(x, [1, 1, 0, 2]),
                      weft.nn.functional.pad(x, (1, 1, 0, 2), mode="reflect"))
    assert weft.equal(aten._adaptive_avg_pool2d(x, [2, 2]), weft.nn.functional.adaptive_avg_pool2d(x, 2))
    y = x.clone()
    assert aten.hardswish_(y) is y and weft.equal(y, weft.nn.functional.hardswish(x))
    for name in ("nothing", "nothing_", "linalg_nothing", "append", "_nothing"):
        assert not hasattr(aten, name)


# hub

def test_hub_loads_from_a_folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(textwrap.dedent('''
        dependencies = ["numpy"]
        import helper
        def net(n=1):
            """A layer."""
            return helper.make(n)
        def _hidden(): pass
        '''))
    (tmp_path / "helper.py").write_text("import weft\ndef make(n): return weft.nn.Linear(n, n)\n")
    assert weft.hub.list(str(tmp_path)) == ["net"]
    assert weft.hub.help(str(tmp_path), "net") == "A layer."
    assert weft.hub.load(str(tmp_path), "net", n=3, source="local").in_features == 3
    with pytest.raises(RuntimeError, match="Cannot find callable nothing"):
        weft.hub.load(str(tmp_path), "nothing", source="local")
    with pytest.raises(ValueError, match="Unknown source"):
        weft.hub.load(str(tmp_path), "net", source="web")


def test_hub_loads_a_checkpoint_once_and_checks_its_hash(tmp_path):
    weft.save({"a": weft.arange(3)}, tmp_path / "x.pt")
    address = (tmp_path / "x.pt").as_uri()
    found = weft.hub.load_state_dict_from_url(address, model_dir=str(tmp_path / "kept"))
    assert found["a"].tolist() == [0, 1, 2] and os.listdir(tmp_path / "kept") == ["x.pt"]
    with pytest.raises(RuntimeError, match="invalid hash value"):
        weft.hub.load_state_dict_from_url(address, model_dir=str(tmp_path / "kept"), file_name="y-0000.pt",
                                          check_hash=True)
    assert os.listdir(tmp_path / "kept") == ["x.pt"]


def archive_of(folder, files):
    """A zip as GitHub sends it: one folder on top."""
    import zipfile
    path = folder / "sent.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr("own-net-abc123/" + name, text)
    return path.read_bytes()


@pytest.fixture
def github(tmp_path, monkeypatch):
    """A GitHub with one repository, own/net, whose hubconf.py imports a neighbour when its entry is called."""
    import io
    import json
    import urllib.error
    sent = archive_of(tmp_path, {"hubconf.py": "def net(n):\n    import neighbour\n    return neighbour.two * n\n",
                                 "neighbour.py": "two = 2\n"})
    asked = []

    class Answer(io.BytesIO):
        headers = {"Content-Length": str(len(sent))}

    def urlopen(request):
        address = getattr(request, "full_url", request)
        asked.append(address)
        if "api.github.com" in address:
            page = [{"name": "main", "commit": {"sha": "abc123"}}] if "branches" in address and address.endswith("&page=1") else []
            return Answer(json.dumps(page).encode())
        if "/tree/" in address or "/zipball/main" in address:
            return Answer(sent)
        raise urllib.error.HTTPError(address, 404, "nothing there", {}, None)
    monkeypatch.setattr(weft.hub, "urlopen", urlopen)
    monkeypatch.setattr(weft.hub, "_chosen", [str(tmp_path / "hub")])
    return asked


def test_hub_asks_before_the_code_of_a_downloaded_repository_runs(github, monkeypatch, capsys, tmp_path):
    """trust_repo=None and "check" ran any repository's hubconf.py without a word."""
    answers, replies = [], ["n", "", "perhaps", "y"]

    def answer(question):
        answers.append(question)
        return replies.pop(0)
    monkeypatch.setattr("builtins.input", answer)
    for error in ("Untrusted repository", "Untrusted repository", "Unrecognized response"):
        with pytest.raises(Exception, match=error):
            weft.hub.load("own/net", "net", 4)
    assert len(answers) == 3 and "own_net" in answers[0] and not os.path.isdir(tmp_path / "hub" / "own_net_main")

    def nobody(question):
        raise EOFError
    monkeypatch.setattr("builtins.input", nobody)
    for trust in ("check", None, False):
        with pytest.raises(RuntimeError, match="no terminal to ask at"):
            weft.hub.load("own/net", "net", 4, trust_repo=trust)
    monkeypatch.setattr("builtins.input", answer)
    assert weft.hub.load("own/net", "net", 4) == 8
    assert (tmp_path / "hub" / "trusted_list").read_text() == "own_net\n"
    monkeypatch.setattr("builtins.input", nobody)
    assert weft.hub.load("own/net:main", "net", 3) == 6             # downloaded and trusted by now
    assert "Using cache found in" in capsys.readouterr().err
    assert weft.hub.load("own/net:main", "net", 3, force_reload=True, skip_validation=True) == 6


def test_hub_refuses_a_ref_that_is_not_the_repositorys_own(github):
    with pytest.raises(ValueError, match="forked repo"):
        weft.hub.load("own/net:elsewhere", "net", 4, trust_repo=True)
    assert weft.hub.list("own/net:main", trust_repo=True) == ["net"]
    assert sum("api.github.com" in address for address in github) == 4


def test_hub_shows_how_far_a_download_is_unless_told_not_to(github, tmp_path, capsys):
    for progress in (True, False):
        weft.hub.download_url_to_file("https://github.com/own/net/zipball/main", tmp_path / "file.zip", progress=progress)
        shown = capsys.readouterr().err
        assert ("file.zip: 100%" in shown) == progress
    assert (tmp_path / "file.zip").stat().st_size > 100


# multiprocessing

@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_a_tensor_that_is_sent_shares_its_memory(tmp_path, how):
    """torch.multiprocessing was missing; with Python's own, what a child wrote stayed in the child."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent("""
        import sys
        import weft
        import weft.multiprocessing as mp
        def fill(i, x, net, queue, done):
            x[i] = i + 1
            with weft.no_grad():
                net.weight.fill_(7)
            queue.put(weft.full((2,), 5.0))
            done.wait()         # what is sent is fetched from the sender, as in PyTorch
        if __name__ == "__main__":
            x, net = weft.zeros(3), weft.nn.Linear(2, 2).share_memory()
            context = mp.get_context(sys.argv[1])
            queue, done = context.Queue(), context.Event()
            x.share_memory_()
            running = mp.start_processes(fill, (x, net, queue, done), nprocs=2, join=False, start_method=sys.argv[1])
            print([queue.get().tolist() for _ in range(2)])
            done.set()
            while not running.join():
                pass
            print(x.tolist(), net.weight.tolist())
        """))
    made = subprocess.run([sys.executable, str(path), how], capture_output=True, text=True, timeout=300)
    assert made.stdout == "[[5.0, 5.0], [5.0, 5.0]]\n[1.0, 2.0, 0.0] [[7.0, 7.0], [7.0, 7.0]]\n", made.stderr


def test_a_process_that_fails_is_named(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent("""
        import weft.multiprocessing as mp
        def work(i):
            if i == 1:
                raise ValueError("no luck")
        if __name__ == "__main__":
            try:
                mp.spawn(work, nprocs=2)
            except mp.ProcessRaisedException as error:
                print(error.error_index, "no luck" in str(error))
        """))
    made = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert made.stdout == "1 True\n", made.stderr


def test_a_tensor_with_a_history_is_not_sent():
    from multiprocessing.reduction import ForkingPickler

    import weft.multiprocessing  # noqa: F401
    with pytest.raises(RuntimeError, match="its graph would stay behind"):
        ForkingPickler.dumps(weft.ones(1, requires_grad=True) * 2)


# futures

def test_a_future():
    first = weft.futures.Future()
    second = first.then(lambda f: f.wait() + 1)
    seen = []
    second.add_done_callback(lambda f: seen.append(f.value()))
    threading.Timer(0.01, first.set_result, [1]).start()
    assert second.wait() == 2 and first.done()
    assert weft.futures.wait_all([first, second]) == [1, 2]
    with pytest.raises(RuntimeError, match="only be set once"):
        first.set_result(3)
    failed = weft.futures.Future()
    failed.set_exception(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        failed.then(lambda f: f.wait()).wait()
    assert weft.futures.collect_all([first]).wait() == [first]


# types, storages, versions

@pytest.mark.parametrize("name, greatest", [("float8_e4m3fn", 448), ("float8_e5m2", 57344), ("float8_e4m3fnuz", 240),
                                            ("float8_e5m2fnuz", 57344)])
def test_types_of_one_byte(name, greatest):
    kind = getattr(weft, name)
    assert repr(kind) == "torch." + name and kind.itemsize == 1 and kind.is_floating_point
    assert weft.finfo(kind).max == greatest and weft.finfo(kind).bits == 8
    x = weft.tensor([0.1, 1.0, -2.0]).to(kind)
    assert x.dtype is kind and x.element_size() == 1 and x.view(weft.uint8).dtype is weft.uint8
    assert weft.allclose(x.float(), weft.tensor([0.1, 1.0, -2.0]), atol=0.01)
    with pytest.raises(RuntimeError, match="Promotion for Float8 Types"):
        weft.promote_types(kind, weft.float32)


def test_a_number_beyond_float8_e4m3fn_becomes_its_greatest():
    x = weft.tensor([1000.0, -1e9, float("inf"), float("nan")]).to(weft.float8_e4m3fn).float()
    assert x[:3].tolist() == [448, -448, 448] and x[3].isnan()


def test_a_storage_from_a_file(tmp_path):
    """safetensors and from_pretrained map files so."""
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(8)))
    own = weft.UntypedStorage.from_file(str(path), nbytes=8)
    own[0] = 9
    assert own.tolist()[:2] == [9, 1] and path.read_bytes()[0] == 0
    shared = weft.UntypedStorage.from_file(str(path), shared=True, nbytes=12)
    shared[1] = 77
    shared._root.flush()
    assert path.read_bytes() == bytes([0, 77, *range(2, 8), 0, 0, 0, 0])


def test_versions_compare_as_versions():
    v = TorchVersion("2.13.0+weft")
    assert v > "2.9" and v >= "2.13" and v == "2.13.0" and v < (3,) and not v < (2, 2)
    assert v != "2.12" and v > "2.13.0a1"
    assert v == "2.13.0+weft" and hash(v) == hash("2.13.0+weft") and isinstance(v, str)


def test_flops_are_counted_forward_and_backward():
    from weft.utils.flop_counter import FlopCounterMode
    net = weft.nn.Linear(3, 4, bias=False)
    with FlopCounterMode(display=False) as counter:
        net(weft.ones(2, 3)).sum()
    assert counter.get_total_flops() == 2 * 2 * 3 * 4
    with FlopCounterMode(display=False) as counter:
        net(weft.ones(2, 3)).sum().backward()
    assert counter.get_total_flops() == 2 * (2 * 2 * 3 * 4)


def test_backends_are_modules_with_switches():
    import weft.backends.cudnn as cudnn
    assert cudnn is weft.backends.cudnn and not cudnn.is_available()
    with cudnn.flags(deterministic=True):
        assert cudnn.deterministic
    assert not cudnn.deterministic
    with pytest.raises(TypeError, match="unexpected keyword"), cudnn.flags(fast=True):
        pass
    for name in "cpu cuda mha mkl mkldnn mps nnpack openmp opt_einsum quantized xnnpack".split():
        assert importlib.import_module(f"weft.backends.{name}") is getattr(weft.backends, name)
    weft.backends.cuda.enable_flash_sdp(False)
    assert not weft.backends.cuda.flash_sdp_enabled()
    weft.backends.cuda.enable_flash_sdp(True)


def test_rare_names_of_torch():
    assert weft.torch is weft and weft.get_device_module("cpu") is weft.cpu
    assert weft.sym_max(1, 2.0) == 2.0 and weft.sym_int(-1.5) == -1 and weft.sym_ite(False, 1, 2) == 2
    assert weft.serialization.DEFAULT_PROTOCOL == 2
    assert weft.nn.modules.module._EXTRA_STATE_KEY_SUFFIX == "_extra_state"
    with pytest.raises(AssertionError, match="why"):
        weft._assert(weft.tensor(False), "why")
    assert weft._C._nn._parse_to("cpu", weft.float64) == (weft.device("cpu"), weft.float64, False, None)
    assert weft.return_types.topk is type(weft.ones(3).topk(1))


def test_switches_of_a_compiler_can_be_set_and_patched():
    import weft._dynamo.config as switches
    import weft._inductor.config as others
    with switches.patch("suppress_errors", True), others.patch({"max_autotune": True}, brand_new=3):
        assert weft._dynamo.config.suppress_errors and others.max_autotune and others.brand_new == 3
    assert not switches.suppress_errors and not others.max_autotune and not hasattr(others, "brand_new")
    weft._dynamo.config.cache_size_limit = 64
    assert switches.cache_size_limit == 64
    switches.cache_size_limit = 8
    assert weft._dynamo.disallow_in_graph(len) is len
    weft._logging.set_logs(graph_breaks=True)
    with weft._functorch.config.patch(donated_buffer=False):
        assert not weft._functorch.config.donated_buffer


def test_quantized_things_can_be_named_and_say_what_there_is_instead():
    assert repr(weft.qint8) == "torch.qint8" and weft.ones(1).dtype not in (weft.qint8, weft.quint8)
    for call in (lambda: weft.quantize_per_tensor(weft.ones(2), 1.0, 0, weft.quint8),
                 lambda: weft.ao.quantization.quantize_dynamic(weft.nn.Linear(1, 1), {weft.nn.Linear}, dtype=weft.qint8)):
        with pytest.raises(NotImplementedError, match="(?s)weft has no torch.*bfloat16"):
            call()
    assert isinstance(weft.ops.aten.add.Tensor, weft._ops.OpOverload) and not isinstance(len, weft._ops.OpOverload)
