"""What must end: programs whose threads are in a kernel, sizes that no memory has, lists in themselves, numbers that
LAPACK never finishes with, names that aren't there. What could hang runs in a process of its own, with a time limit.
"""
import importlib
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import weft
from weft import _pure, nn
from weft.tensor import tensor as tensors

F = nn.functional
FOREVER = 120       # seconds; on an idle machine each of these takes one


def program(text, *, memory=None, environment=(), timeout=FOREVER):
    """Run a program; it ends by itself, or the test fails. `memory`: bytes of address space that it may have."""
    text = textwrap.dedent(text)
    if memory is not None and sys.platform != "win32":
        text = f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))\n" + text
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **dict(environment)})


# the end of the interpreter

BUSY = """
import atexit, os, sys, threading, time
import weft
from weft.utils.data import DataLoader, Dataset
a, b = weft.randn(400, 400), weft.randn(80, 80)
layer = weft.nn.Linear(200, 200)
started = []

def loop(work):
    started.append(1)
    while True:
        work()

def train():
    layer(weft.randn(300, 200)).square().mean().backward()

class Data(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, i):
        return a @ a

def busy(*works):
    for work in works:
        threading.Thread(target=loop, args=(work,), daemon=True).start()
    while len(started) < len(works):
        time.sleep(0.01)
    time.sleep(0.2)
"""
ENDS = {
    "products": ("busy(*[lambda: a @ a] * 3)", 0),
    "all kinds of kernels": ("busy(lambda: a.exp().sum(0).softmax(0), a.sort, lambda: weft.randn(300, 300))", 0),
    "training": ("busy(train, train, train)", 0),
    "factorizations": ("busy(*[lambda: weft.linalg.svd(b)] * 3)", 0),
    "an exception": ("busy(*[lambda: a @ a] * 3); raise ValueError('theirs')", 1),
    "sys.exit": ("busy(*[lambda: a @ a] * 3); sys.exit(7)", 7),
    "os._exit": ("busy(*[lambda: a @ a] * 3); os._exit(5)", 5),
    "atexit that computes": ("busy(*[lambda: a @ a] * 3); atexit.register(lambda: print((a @ a).shape))", 0),
    "an epoch left by sys.exit": (
        "[i == 3 and sys.exit(9) for i, _ in enumerate(DataLoader(Data(), 2, num_workers=3, workers='threads'))]", 9),
    "an epoch left by the end": (
        "walk = iter(DataLoader(Data(), 2, num_workers=3, workers='threads')); next(walk)", 0),
}


NATIVE = pytest.mark.skipif(_pure.PURE, reason="the plain core's products are NumPy's, whose OpenBLAS hangs by itself "
                            "at exit and in a fork while its threads work")


@NATIVE
@pytest.mark.parametrize("name", ENDS)
def test_the_interpreter_ends_while_daemon_threads_compute(name):
    """A thread that Python ends in a kernel aborted the process: "terminate called without an active exception"."""
    what, code = ENDS[name]
    for _ in range(2):
        found = program(f"{BUSY}\n{what}\n")
        assert found.returncode == code and "terminate" not in found.stderr, found.stderr


@NATIVE
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_while_other_threads_compute():
    found = program(BUSY + """
busy(*[lambda: a @ a] * 3)
for _ in range(10):
    child = os.fork()
    if not child:
        a @ a
        a.exp().sum()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
print("done")
""")
    assert found.returncode == 0 and "done" in found.stdout, found.stderr


# sizes that no memory has

ONE, FOUR, IMAGE = "weft.ones(1)", "weft.ones(4)", "weft.ones(1, 1, 4, 4)"
HUGE = [
    f"weft.tensor_split({FOUR}, 2**32)", f"weft.tensor_split({FOUR}, 2**62)", "weft.chunk(weft.ones(0), 2**40)",
    f"weft.tensor_split({FOUR}, weft.tensor(2**40))",
    "rnn.pad_packed_sequence(rnn.pack_padded_sequence(weft.ones(3, 2, 1), [3, 2]), total_length=2**62)",
    "rnn.pad_packed_sequence(rnn.pack_padded_sequence(weft.ones(3, 2, 1), [3, 2]), total_length=2**40)",
    f"{FOUR}.repeat(2**62)", f"{FOUR}.repeat(2**31, 2**31)", f"{FOUR}.tile(2**62)", f"{ONE}.expand(2**62, 2**62)",
    f"{ONE}.expand(2**61).contiguous()", "F.one_hot(weft.tensor([1]), 2**62)", "F.one_hot(weft.tensor([1]), 2**40)",
    "F.one_hot(weft.tensor([2**60]))", "weft.bincount(weft.tensor([1]), minlength=2**62)",
    "weft.bincount(weft.tensor([2**62]))", "weft.bincount(weft.tensor([2**40]))", "weft.arange(2**62)",
    "weft.arange(0, 1, 1e-300)", "weft.arange(0, 1e300)", "weft.linspace(0, 1, 2**62)", "weft.logspace(0, 1, 2**62)",
    "weft.linspace(0, 1, 2**40)", "weft.zeros(2**62)", "weft.zeros(2**31, 2**31, 2**31)", "weft.empty(2**62)",
    "weft.full((2**62,), 1.0)", "weft.eye(2**32)", "weft.eye(2**62)", "weft.randn(2**62)", "weft.rand(2**40)",
    "weft.randperm(2**62)", "weft.randperm(2**40)", "weft.randint(0, 5, (2**62,))", f"{FOUR}.unfold(0, 2**62, 1)",
    "F.pad(weft.ones(2), (2**62, 2**62))", "F.pad(weft.ones(2), (2**40, 0))",
    "F.pad(weft.ones(1, 2, 2), (2**40, 0), mode='replicate')", "F.fold(weft.ones(1, 4, 1), 2**31, 2)",
    f"F.unfold({IMAGE}, 2, padding=2**31)", f"F.unfold({IMAGE}, 2, padding=2**20)",
    "F.embedding_bag(weft.tensor([0, 1]), weft.ones(2, 2), weft.tensor([0, 2**62]))",
    f"weft.repeat_interleave({FOUR}, 2**62)", "weft.repeat_interleave(weft.ones(2), weft.tensor([2**62, 2**62]))",
    "weft.repeat_interleave(weft.ones(2), weft.tensor([2**40, 1]))", "weft.combinations(weft.ones(1000), 500)",
    "weft.combinations(weft.ones(40), 20)", "weft.combinations(weft.ones(100_000), 3)",
    "weft.combinations(weft.ones(2), 2**40, with_replacement=True)", "weft.tril_indices(2**31, 2**31)",
    "weft.triu_indices(2**31, 2**31)", "weft.tril_indices(2**62, 2)", "weft.cartesian_prod(*[weft.ones(1000)] * 20)",
    "weft.meshgrid(*[weft.ones(1000)] * 20)", "weft.meshgrid(*[weft.ones(2)] * 100)",
    "weft.vander(weft.ones(2), 2**62)",
    "weft.histc(weft.ones(2), 2**40)", "weft.histogram(weft.ones(2), 2**40)",
    "weft.histogramdd(weft.ones(2, 5), 10_000)",
    "weft.bartlett_window(2**62)", "weft.hann_window(2**40)", "weft.kaiser_window(2**40)",
    "weft.fft.fft(weft.ones(2), 2**62)",
    "weft.fft.fft(weft.ones(2), 2**40)", "weft.fft.fftfreq(2**62)", "weft.fft.fftfreq(2**40)",
    "weft.stft(weft.ones(100), 2**40, return_complex=True)", "weft.kron(weft.ones(2**16), weft.ones(2**20))",
    "weft.diag_embed(weft.ones(2**20))", f"weft.diag({FOUR}, 2**62)", f"weft.diag({FOUR}, 2**40)",
    "weft.outer(weft.ones(2**20), weft.ones(2**20))", "weft.cdist(weft.ones(2**20, 1), weft.ones(2**20, 1))",
    f"{FOUR}.resize_(2**62)", "weft.mvlgamma(weft.ones(2) * 2**40, 2**31)",
    "weft.multinomial(weft.ones(3), 2**62, True)",
    "weft.multinomial(weft.ones(3), 2**40, True)", "F.interpolate(weft.ones(1, 1, 4), size=2**62)",
    "F.interpolate(weft.ones(1, 1, 4), scale_factor=1e18)",
    f"F.interpolate({IMAGE}, size=(2**40, 2**40), mode='bilinear')",
    f"F.adaptive_avg_pool2d({IMAGE}, 2**31)", f"F.adaptive_max_pool2d({IMAGE}, 2**31)",
    f"F.conv2d({IMAGE}, weft.ones(1, 1, 2, 2), padding=2**31)",
    f"F.conv_transpose2d({IMAGE}, weft.ones(1, 1, 2, 2), stride=2**31)", "nn.Linear(2**62, 1)",
    "nn.Embedding(2**62, 4)",
    "F.affine_grid(weft.ones(1, 2, 3), (1, 1, 2**31, 2**31))", f"{FOUR}.as_strided((2**62,), (1,))",
    f"weft.cumsum({ONE}.expand(2**40), 0)", f"weft.sort({ONE}.expand(2**40))", f"weft.bernoulli({ONE}.expand(2**40))",
    "weft.normal(0.0, 1.0, (2**40,))",
]


def test_huge_requests_are_refused_promptly():
    """Each is an error of PyTorch's kind that says what, where and what to do; nothing aborts or runs on."""
    found = program(f"""
        import signal
        import weft
        from weft import nn
        from weft.nn import functional as F
        from weft.nn.utils import rnn
        for code in {HUGE!r}:
            signal.alarm(20)        # ends the process
            print("try", code, flush=True)
            try:
                eval(code)
                print("NOT REFUSED", code)
            except RuntimeError as error:
                if type(error) is not RuntimeError or not str(error):
                    print("OTHERWISE", code, repr(error))
            except Exception as error:
                print("OTHERWISE", code, repr(error))
        print("done")
        """, memory=6 << 30, timeout=300)
    odd = [line for line in found.stdout.splitlines() if line.startswith(("NOT", "OTHER"))]
    assert found.stdout.endswith("done\n"), found.stdout.splitlines()[-1:] + [found.stderr]
    assert not odd, odd


def test_sizes_that_are_large_but_fit_still_work():
    assert [p.tolist() for p in weft.tensor_split(weft.arange(3), 5)] == [[0], [1], [2], [], []]
    assert len(weft.chunk(weft.ones(0), 5)) == 5 and len(weft.chunk(weft.ones(4), 2**62)) == 4
    assert weft.combinations(weft.ones(3), 5).shape == (0, 5)
    assert weft.combinations(weft.ones(0), 2, True).shape == (0, 2)
    assert weft.combinations(weft.arange(4), 2).tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert weft.combinations(weft.arange(2), 3, True).tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    packed = nn.utils.rnn.pack_padded_sequence(weft.arange(6.0).view(3, 2), [3, 2])
    for first in (True, False):
        padded, lengths = nn.utils.rnn.pad_packed_sequence(packed, first, -1.0, total_length=5)
        wanted = weft.tensor([[0, 2, 4, -1, -1], [1, 3, -1, -1, -1.0]])
        assert padded.tolist() == (wanted if first else wanted.T).tolist() and lengths.tolist() == [3, 2]


# lists in themselves

def test_a_list_in_itself_is_refused():
    found = program("""
        import weft
        a = []
        a.append(a)
        b = [[], None]
        b[1] = b
        c = [1]
        c.append(c)
        d, e = [1], [1]
        d.append(e)
        e.append(d)
        deep = 1
        for _ in range(100_000):
            deep = [deep]
        wide = 1
        for _ in range(60):
            wide = [wide, wide]
        for name, data in dict(a=a, b=b, c=c, d=d, deep=deep, wide=wide, second=[[], wide], ragged=[[1], wide]).items():
            for make in (weft.tensor, weft.as_tensor, weft.ones(2).new_tensor, weft.FloatTensor, weft.asarray,
                         lambda data: weft.tensor(data, dtype=weft.int64)):
                try:
                    make(data)
                    print("NOT REFUSED", name, make)
                except (ValueError, TypeError, RuntimeError) as error:
                    pass
        print("done")
        del deep
        """, memory=4 << 30)
    assert found.stdout == "done\n", found.stdout + found.stderr


def test_nested_lists_are_walked_once():
    """Counted, not timed: how often a list's elements are asked for."""
    class Counted(list):
        asked = 0

        def __iter__(self):
            Counted.asked += 1
            return super().__iter__()
    from weft.ops.create.data import infer, kinds_of
    assert kinds_of([[[[[1.0]] * 10] * 10] * 10] * 10) == {float}
    shared = Counted([1.0])
    data = [shared] * 1000
    assert infer([data, data]) is weft.float32 and Counted.asked <= 2


# numbers that LAPACK never finishes with

BROKEN = {"svd": lambda a: weft.linalg.svd(a), "svd thin": lambda a: weft.linalg.svd(a, full_matrices=False),
          "eigh": lambda a: weft.linalg.eigh(a), "eigvalsh": lambda a: weft.linalg.eigvalsh(a),
          "pinv": lambda a: weft.linalg.pinv(a), "pinv hermitian": lambda a: weft.linalg.pinv(a, hermitian=True),
          "rank hermitian": lambda a: weft.linalg.matrix_rank(a, hermitian=True), "pinverse": lambda a: a.pinverse(),
          "lstsq": lambda a: weft.linalg.lstsq(a, weft.ones(*a.shape[:-1], 1, dtype=a.dtype))}
VALUES = {"svdvals": lambda a: weft.linalg.svdvals(a), "cond": lambda a: weft.linalg.cond(a),
          "rank": lambda a: weft.linalg.matrix_rank(a), "nuclear": lambda a: weft.linalg.matrix_norm(a, "nuc"),
          "two": lambda a: weft.linalg.matrix_norm(a, 2)}


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64, weft.complex64])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_factorizations_of_what_is_not_finite_end_with_one_kind_of_error(bad, dtype, monkeypatch):
    """None of them gets to LAPACK."""
    def guarded(real):
        return lambda a, *args, **options: (real(a, *args, **options) if np.isfinite(np.tril(a)).all()
                                            else pytest.fail("LAPACK"))
    for name in ("svd", "eigh", "eigvalsh"):
        monkeypatch.setattr(np.linalg, name, guarded(getattr(np.linalg, name)))
    for n in (2, 30):
        a = weft.eye(n, dtype=dtype)
        a[1, 0] = bad
        for factor in BROKEN.values():
            for given in (a, weft.stack([weft.eye(n, dtype=dtype), a])):
                with pytest.raises(weft.linalg.LinAlgError, match="non-finite values"):
                    factor(given)
        for name, values in VALUES.items():
            if bad != bad:
                with pytest.raises(weft.linalg.LinAlgError, match="non-finite values"):
                    values(a)
            else:
                assert name == "rank" or weft.isnan(values(a)).all()
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        weft.linalg.eigvals(a)
    upper = weft.eye(3)
    upper[0, 2] = bad
    assert weft.linalg.eigvalsh(upper).tolist() == [1, 1, 1]     # the other triangle is not looked at
    for op in (weft.linalg.qr, weft.linalg.det, weft.linalg.matrix_exp, weft.linalg.inv, weft.linalg.lu):
        op(upper)


# names that aren't there

MODULES = ["weft", "weft.nn", "weft.nn.functional", "weft.linalg", "weft.fft", "weft.special", "weft.masked",
           "weft.signal.windows", "weft.optim", "weft.utils", "weft.utils.data", "weft.autograd", "weft.distributions",
           "weft.nn.utils", "weft.nn.init", "weft.viz", "weft.io", "weft.random", "weft.cuda", "weft.backends"]


def no_search(monkeypatch):
    import difflib
    searches = []
    monkeypatch.setattr(difflib, "get_close_matches", lambda *args, **options: searches.append(args) or [])
    monkeypatch.setattr(difflib, "SequenceMatcher", None)
    return searches


@pytest.mark.parametrize("name", MODULES)
def test_hasattr_looks_for_no_other_name(name, monkeypatch):
    """Hugging Face's generate() asks at every token; the nearest name is for those who read the message."""
    module = importlib.import_module(name)
    searches = no_search(monkeypatch)
    assert not hasattr(module, "no_such_name") and getattr(module, "no_such_name", 5) == 5
    assert not searches


def test_hasattr_of_objects_looks_for_no_other_name(monkeypatch):
    layer, t = nn.Linear(1, 1), weft.ones(1, requires_grad=True)
    searches = no_search(monkeypatch)
    for thing in (layer, t, t.exp().grad_fn, nn.Sequential(layer), weft.optim.SGD(layer.parameters(), 1.0),
                  weft.float32, weft.device("cpu"), weft.Tensor, nn.Linear, weft.finfo(weft.float32)):
        assert not hasattr(thing, "no_such_name")
    assert not searches


def test_the_nearest_name_is_still_said():
    import pickle
    import traceback
    text = "module 'weft' has no attribute 'rnadn'. Did you mean: 'randn'?"
    with pytest.raises(AttributeError, match=text) as caught:
        weft.rnadn  # noqa: B018
    assert "Did you mean: 'randn'" in "".join(traceback.format_exception(caught.value))
    assert caught.value.name == "rnadn" and type(caught.value).__name__ == "AttributeError"
    assert "randn" in str(pickle.loads(pickle.dumps(caught.value)))
    with pytest.raises(AttributeError, match="'weft.linalg'.*'svdvals'"):
        weft.linalg.svdvalss  # noqa: B018
    with pytest.raises(ImportError, match="rnadn"):
        from weft import rnadn  # noqa: F401


# numbers that are set

@pytest.mark.parametrize("setter", [weft.set_num_threads, weft.set_num_interop_threads])
def test_numbers_of_threads_are_bounded_as_in_pytorch(setter):
    before = weft.get_num_threads(), weft.get_num_interop_threads()
    for value, kind in ((2**31, ValueError), (2**33, ValueError), (2**64, ValueError), (10**5000, ValueError),
                        (0, RuntimeError), (-1, RuntimeError), (-10**5000, RuntimeError), (1.5, RuntimeError),
                        (True, RuntimeError), ("2", RuntimeError), (None, RuntimeError)):
        with pytest.raises(kind) as caught:
            setter(value)
        assert "fix: " in str(caught.value) and len(str(caught.value)) < 500
    assert (weft.get_num_threads(), weft.get_num_interop_threads()) == before
    setter(np.int64(before[0]))


@pytest.mark.parametrize("value", ["", "abc", "0", "-3", "2**40", "²", "٣", "9" * 30, "9" * 6000, "1.5", "4,2", " 3 "])
def test_odd_environments_are_no_obstacle(value):
    found = program("import weft; x = weft.ones(100, 100); print(weft.get_num_threads(), float(x.matmul(x).sum()))",
                    environment={"OMP_NUM_THREADS": value, "PYTHONUTF8": "1"}.items())
    assert found.returncode == 0 and found.stdout.endswith("1000000.0\n"), found.stderr
    wanted = {"4,2": 4, " 3 ": 3}.get(value)
    assert 1 <= int(found.stdout.split()[0]) <= 4096 and wanted in (None, int(found.stdout.split()[0]))


def test_a_limit_that_c_can_t_count_is_no_limit():
    before = weft.memory.stats()["limit"]
    try:
        weft.memory.set_limit(2**70)
        weft.ones(1000, 1000).exp()
        assert weft.memory.stats()["limit"] in (0, 2**63 - 1)
    finally:
        weft.memory.set_limit(before)


# files that a killed save left

SAVE = """
import os, signal, sys, weft
from weft.io.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there a file in use can't be removed anyway")
def test_the_next_save_removes_what_a_killed_one_left(tmp_path):
    path = tmp_path / "model.pt"
    killed = subprocess.run([sys.executable, "-c", SAVE, str(path), "die"], capture_output=True, timeout=FOREVER)
    assert killed.returncode == -signal.SIGKILL and len(left(tmp_path)) == 1
    living = subprocess.Popen([sys.executable, "-c", SAVE, str(path), "live"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    assert living.stdout.readline() == b"writing\n"       # it has removed the first one's, and has its own
    (mine,) = left(tmp_path)
    theirs = [tmp_path / name for name in (".model.pt.tmp", ".model.pt.123-0.tmp", "weft-00000000-1-0.tmp",
                                           ".other.weft-ffffffff-1-0.tmp", "model.weft-00000000-1-0.tmp")]
    for file in theirs:
        file.write_bytes(b"theirs")
    (tmp_path / ".x.weft-00000000-2-0.tmp").mkdir()
    os.mkfifo(tmp_path / ".y.weft-00000000-2-0.tmp")
    old = tmp_path / ".z.weft-ffffffff-77-3.tmp"           # of another machine, and old
    old.write_bytes(b"old")
    os.utime(old, (0, 0))
    weft.save({"a": 1}, tmp_path / "other.pt")
    assert os.path.exists(mine) and all(file.exists() for file in theirs) and not old.exists()
    living.stdin.close()
    assert living.wait(FOREVER) == 0 and path.read_bytes() == b"half" and not os.path.exists(mine)
    weft.save({"a": 1}, path)
    assert weft.load(path) == {"a": 1}


def left(folder):
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".tmp")]


def test_saving_at_once_from_many_processes(tmp_path):
    """Nobody takes another's file in progress for one that was left."""
    path = str(tmp_path / "model.pt")
    text = f"import weft\nfor i in range(30): weft.save({{'a': weft.ones(1000)}}, {path!r})\n"
    running = [subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.PIPE) for _ in range(3)]
    assert [(p.wait(FOREVER), p.stderr.read()) for p in running] == [(0, b"")] * 3
    assert weft.load(path)["a"].sum() == 1000 and not left(tmp_path)


@pytest.mark.parametrize("call", [
    lambda: weft.select_scatter(None, weft.ones(3), 0, 1), lambda: weft.slice_scatter(None, weft.ones(2, 3), 0, 1, 3),
    lambda: weft.diagonal_scatter(None, weft.ones(2), -1),
    lambda: weft.as_strided_scatter(None, weft.ones(2, 2), [2, 2], [2, 1])])
def test_none_for_a_tensor_is_an_error(call):
    """Compiled code once read the fields of None."""
    with pytest.raises(TypeError, match="argument 'input' .* must be Tensor, not NoneType"):
        call()


@pytest.mark.parametrize("function", [tensors.describe, tensors.detached, tensors.alias, tensors.needs_grad])
def test_functions_of_the_core_look_before_they_read(function):
    with pytest.raises(AttributeError, match="NoneType"):
        function(None)


# loops as long as an argument says

LONG = ["weft.special.laguerre_polynomial_l(weft.tensor(0.5), 2**31)",
        "weft.special.legendre_polynomial_p(weft.ones(2000) / 2, 2**31)",
        "weft.special.chebyshev_polynomial_u(weft.tensor(1 + 1e-15, dtype=weft.float64), 2**62)",
        "weft.pca_lowrank(weft.randn(4, 4), niter=2**64)"]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_ends_a_loop_as_long_as_an_argument_says(call):
    with subprocess.Popen([sys.executable, "-c", f"import weft\nprint('begins', flush=True)\n{call}"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            assert child.stdout.readline() == "begins\n"
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0.5)
            child.send_signal(signal.SIGINT)
            assert "KeyboardInterrupt" in child.communicate(timeout=FOREVER)[1]
        finally:
            child.kill()


@pytest.mark.parametrize("call", ["weft.ones(3).histc(2**31)", "weft.nn.functional.interpolate(weft.ones(1, 1, 4), 2**31)"])
def test_results_of_a_size_that_no_memory_has(call):
    made = program(f"import weft\n{call}", memory=4 << 30)
    assert made.returncode == 1 and "RuntimeError" in made.stderr and "not enough memory" in made.stderr
