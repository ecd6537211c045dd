"""The thread pool and the memory cache as a program meets them: forks, Python threads, limits, ever new shapes."""
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import weft
from weft._pure import PURE
from weft.core import settings
from weft.kernels import fast
from weft.nn import functional as F

HOME = os.path.dirname(os.path.dirname(os.path.abspath(weft.__file__)))
SANITIZED = bool(os.environ.get("WEFT_SANITIZED"))        # under AddressSanitizer freed memory is kept for a while
native = pytest.mark.skipif(fast.lib is None, reason="there are no kernels here")


@pytest.fixture
def threads():
    """Sets the number of threads; the old one comes back."""
    had = weft.get_num_threads()
    yield weft.set_num_threads
    weft.set_num_threads(had)


def big(seed=0):
    return weft.from_numpy(np.random.default_rng(seed).standard_normal((4, 16, 64, 64)).astype(np.float32))


def work(x):
    """Threaded kernels, forwards and backwards, as bytes."""
    x = x.detach().requires_grad_()
    loss = (F.max_pool2d(x, 3, 2, 1) * 2).sum() + F.avg_pool2d(x, 2).sum() + F.adaptive_max_pool2d(x, 7).sum()
    return weft.autograd.grad(loss, x)[0].numpy().tobytes()


def run_python(code, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "WEFT_KERNELS")}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
                          env={**env, "PYTHONPATH": HOME, **environment})


# forks

@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_threads_of_its_own(threads):
    threads(4)
    x = big()
    want = work(x)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os._exit(0 if work(x) == want and work(x) == want else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert work(x) == want


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_while_another_thread_works(threads):
    threads(4)
    x, stop = big(), threading.Event()
    want = work(x)

    def keep_busy():
        while not stop.is_set():
            work(x)
    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        for _ in range(4):
            child = os.fork()
            if child == 0:
                os._exit(0 if work(x) == want else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        busy.join()


# Python threads

def test_python_threads_get_right_results(threads):
    threads(3)
    inputs = [big(seed) for seed in range(5)]
    want = [work(x) for x in inputs]
    wrong = []

    def repeat(i):
        for _ in range(4):
            if work(inputs[i]) != want[i]:
                wrong.append(i)
    running = [threading.Thread(target=repeat, args=(i,)) for i in range(5)]
    for t in running:
        t.start()
    for n in (1, 2, 7, 3):
        weft.set_num_threads(n)
    for t in running:
        t.join()
    assert not wrong


# how many threads

def test_set_num_threads(threads):
    x = big()
    found = set()
    for n in (1, 2, 3, 8):
        threads(n)
        assert weft.get_num_threads() == n
        assert fast.base is None or fast.base.get_threads() == n
        found.add(work(x))
    assert len(found) == 1
    for wrong in (0, -1, 1.5, "2", True):
        with pytest.raises(RuntimeError, match="set_num_threads"):
            weft.set_num_threads(wrong)


@pytest.mark.parametrize("given, want", [("1", 1), ("3", 3), ("5,2", 5)])
def test_omp_num_threads(given, want):
    code = ("import weft; from weft.kernels import fast; print(weft.get_num_threads(), fast.base.get_threads() if "
            "fast.base else weft.get_num_threads())")
    made = run_python(code, OMP_NUM_THREADS=given)
    assert made.stdout.split() == [str(want)] * 2, made.stderr


@pytest.mark.parametrize("given", ["", "0", "-2", "many"])
def test_an_omp_num_threads_that_makes_no_sense_is_passed_over(given):
    made = run_python("import weft; print(weft.get_num_threads())", OMP_NUM_THREADS=given)
    assert 1 <= int(made.stdout) <= (os.cpu_count() or 1), made.stderr


@pytest.mark.parametrize("files, want", [
    ({"cpu.max": "200000 100000\n"}, 2), ({"cpu.max": "150000 100000\n"}, 1.5),
    ({"cpu.max": "max 100000\n"}, float("inf")), ({}, float("inf")), ({"cpu.max": "nonsense\n"}, float("inf")),
    ({"cpu.max": ""}, float("inf")), ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
    ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, float("inf")),
    ({"cpu.max": "50000 100000\n", "cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0.5)])
def test_the_containers_limit(files, want, tmp_path):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert settings._container_limit(str(tmp_path)) == want


@pytest.mark.parametrize("limit, want", [(0.5, 1), (1.5, 2), (float("inf"), None)])
def test_the_limit_is_honoured(limit, want, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(settings, "_container_limit", lambda: limit)
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert settings._threads_allowed() == (own if want is None else min(own, want))


# memory

def resident():
    """The bytes of memory that this process occupies."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@native
@pytest.mark.skipif(SANITIZED or not os.path.exists("/proc/self/statm"),
                    reason="memory is counted in /proc, and not under a sanitizer")
def test_ten_thousand_shapes_leave_memory_flat():
    draw = np.random.default_rng(0)
    sizes = draw.integers(20, 400, (10000, 2)).tolist()

    def step(height, width):
        x = weft.ones(1, height, width).requires_grad_()
        weft.autograd.grad(F.max_pool2d(x, 2).sum() + F.avg_pool2d(x, 2).sum(), x)
    for size in sizes[:1000]:
        step(*size)
    gc.collect()
    before, stats = resident(), fast.base.memory_stats()
    for size in sizes[1000:]:
        step(*size)
    gc.collect()
    after, now = resident(), fast.base.memory_stats()
    assert after - before < 32 << 20
    assert now["in_use"] <= stats["in_use"] + (1 << 20)
    assert now["cached"] <= stats["cached"] + (16 << 20) and now["cached"] <= now["limit"]


@native
def test_the_cache_keeps_its_limit():
    base = fast.base
    limit = base.memory_stats()["limit"]
    try:
        base.empty_cache()
        assert base.memory_stats()["cached"] == 0
        base.set_cache_limit(1 << 20)
        held = [base.empty((n,), np.dtype(np.float32).num) for n in range(1000, 100000, 3000)]
        assert base.memory_stats()["in_use"] >= sum(a.nbytes for a in held)
        held.clear()
        del held
        stats = base.memory_stats()
        assert 0 < stats["cached"] <= 1 << 20
        base.set_cache_limit(0)
        assert base.memory_stats()["cached"] == 0
        del stats
        base.empty((1000,), np.dtype(np.float32).num)
        assert base.memory_stats()["cached"] == 0
    finally:
        base.set_cache_limit(limit)


@native
def test_the_cache_is_used_and_emptied():
    base = fast.base
    base.empty_cache()
    x = big()
    with weft.no_grad():
        first = base.memory_stats()
        for _ in range(10):
            F.max_pool2d(x, 2)
        now = base.memory_stats()
    assert now["hits"] - first["hits"] >= 9
    assert now["cached"] > 0
    base.reset_peak()
    assert base.memory_stats()["peak"] == base.memory_stats()["in_use"]
    base.empty_cache()
    assert base.memory_stats()["cached"] == 0


@native
def test_arrays_outlive_the_cache():
    """What is in use stays whole when the cache is emptied, resized by NumPy, or given away in another thread."""
    made = fast.max_pool(np.arange(65536, dtype=np.float32).reshape(1, 256, 256), 2, (128, 128), (2, 2), (2, 2),
                         (0, 0), (1, 1), False, 0)
    copy = made.copy()
    fast.base.empty_cache()
    np.testing.assert_array_equal(made, copy)
    made.resize((2, 128, 128), refcheck=False)
    np.testing.assert_array_equal(made[0], copy[0])
    assert made.ctypes.data % 64 == 0
    box = [made]
    del made
    other = threading.Thread(target=box.clear)
    other.start()
    other.join()
    assert not box


# large blocks: cut and joined

MB = 1 << 20


def floats(bytes):
    return fast.base.empty((bytes // 4,), np.dtype(np.float32).num)


@native
def test_memory_of_one_size_serves_another():
    # in a process of its own: what other tests hold may lie between the blocks
    made = run_python("import numpy as np\n"
                      "from weft.kernels import fast\n"
                      "base, MB = fast.base, 1 << 20\n"
                      "floats = lambda bytes: base.empty((bytes // 4,), np.dtype(np.float32).num)\n"
                      "held = [floats(3 * MB) for _ in range(8)]\n"
                      "held.clear()\n"
                      "before = base.memory_stats()\n"
                      "held = [floats(11 * MB), floats(11 * MB)]\n"
                      "now = base.memory_stats()\n"
                      "held.clear()\n"
                      "then = base.memory_stats()\n"
                      "print(before['cached'] >= 24 * MB, now['hits'] - before['hits'],\n"
                      "      now['cached'] <= before['cached'] - 22 * MB, abs(then['cached'] - before['cached']) < MB)")
    assert made.stdout.split() == ["True", "2", "True", "True"], made.stderr


@native
def test_blocks_don_t_overlap_whatever_is_given_back():
    draw = np.random.default_rng(3)
    held, before = [], fast.base.memory_stats()["in_use"]
    for i in range(2000):
        if held and draw.random() < 0.5:
            array, value = held.pop(int(draw.integers(len(held))))
            assert array[0] == array[-1] == array[array.size // 2] == value
        else:
            array = floats(int(draw.integers(200, 3000)) * 1024 + int(draw.integers(0, 64)) * 4)
            assert array.ctypes.data % 64 == 0
            array[[0, array.size // 2, -1]] = i
            held.append((array, i))
        if i % 500 == 499:
            fast.base.empty_cache()
    del array
    held.clear()
    assert fast.base.memory_stats()["in_use"] <= before + MB


@native
@pytest.mark.skipif(SANITIZED or not os.path.exists("/proc/self/statm"),
                    reason="memory is counted in /proc, and not under a sanitizer")
def test_what_is_given_back_leaves_the_process():
    base, limit = fast.base, fast.base.memory_stats()["limit"]
    base.empty_cache()
    held = [floats(8 * MB) for _ in range(16)]
    for array in held:
        array.fill(1)
    full = resident()
    try:
        base.set_cache_limit(64 * MB)
        held[:] = held[::2]                 # holes, and then room between them
        assert base.memory_stats()["cached"] <= 64 * MB
        held.clear()
        del array
        assert base.memory_stats()["cached"] <= 64 * MB and resident() < full - 48 * MB
        base.empty_cache()
        assert resident() < full - 112 * MB
    finally:
        base.set_cache_limit(limit)


@native
@pytest.mark.skipif(SANITIZED, reason="a sanitizer needs all addresses")
def test_a_program_with_few_addresses():
    made = run_python("import resource, weft\n"
                      "size = int(open('/proc/self/statm').read().split()[0]) * 4096 + (1 << 30)\n"
                      "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
                      "weft.set_num_threads(1)\n"
                      "held = [weft.ones(25_000_000) for _ in range(5)]\n"
                      "print(sum(x[-1].item() for x in held))\n"
                      "try:\n    weft.ones(2_000_000_000)\n"
                      "except (MemoryError, RuntimeError):\n    print('none left')")
    assert made.stdout.split() == ["5.0", "none", "left"], made.stderr


# which kernels

CHOICE = ("import weft; from weft.kernels import fast; print(fast.name, "
          "weft.nn.functional.max_pool2d(weft.arange(16.).reshape(1, 4, 4), 2).tolist())")


@native
@pytest.mark.skipif(PURE, reason="the plain-Python core has no choice")
class TestChoice:
    def test_reference(self):
        made = run_python(CHOICE, WEFT_KERNELS="reference")
        assert made.stdout.strip() == "reference [[[5.0, 7.0], [13.0, 15.0]]]", made.stderr

    def test_best(self):
        made = run_python(CHOICE)
        assert made.stdout.split()[0] in (fast.base.instruction_set(), "reference"), made.stderr

    @pytest.mark.skipif(fast.base is None or not fast.base.instruction_set().startswith("v"),
                        reason="this is no x86-64")
    def test_an_older_set(self):
        """Also where it wasn't built: then the references run, and that is said."""
        made = run_python(CHOICE, WEFT_KERNELS="v2")
        assert made.stdout.split(" ", 1)[1].strip() == "[[[5.0, 7.0], [13.0, 15.0]]]", made.stderr
        assert made.stdout.split()[0] in ("v2", "reference")
        assert ("weft's kernels for this processor (v2) were not built" in made.stderr) \
            == (made.stdout.split()[0] == "reference")

    @pytest.mark.skipif(fast.base is None or not fast.base.instruction_set().startswith("v"),
                        reason="this is no x86-64")
    def test_the_best_that_was_built(self):
        """An installation that was moved to another processor."""
        hide = ("import sys; sys.modules['weft.kernels._v4'] = None; "
                "sys.modules['weft.kernels._v3'] = None; sys.modules['weft.kernels._v2'] = None; ")
        made = run_python(hide + CHOICE)
        assert made.stdout.split(" ", 1) == ["reference", "[[[5.0, 7.0], [13.0, 15.0]]]\n"]
        assert made.stderr.count("RuntimeWarning: weft's kernels for this processor") == 1, made.stderr
        assert "fix: install weft on this machine again" in made.stderr

    def test_no_such_set(self):
        made = run_python(CHOICE, WEFT_KERNELS="bogus")
        assert made.returncode and "ImportError: WEFT_KERNELS=bogus: there is no such set of kernels" in made.stderr
        assert "fix: set it to one of reference, v2, v3, v4" in made.stderr

    @pytest.mark.skipif(fast.base is None or fast.base.instruction_set() == "v4", reason="this processor can run v4")
    def test_a_set_that_the_processor_cannot_run(self):
        made = run_python(CHOICE, WEFT_KERNELS="v4")
        assert made.returncode and "ImportError: WEFT_KERNELS=v4: this processor can't run these kernels" in made.stderr
        assert f"fix: set it to one of reference, {'v2' if fast.base.instruction_set() != 'arm64' else 'arm64'}" in made.stderr
