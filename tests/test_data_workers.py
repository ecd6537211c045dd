"""The loader's workers, processes and threads: order, seeds, memory, errors, ends, resuming."""
import ctypes
import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest

import weft
from weft.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset, get_worker_info
from weft.utils.data.crew import ProcessCrew
from weft.utils.data.errors import WorkerError, death
from weft.utils.data.fetch import MAP
from weft.utils.data.memory import Arena, Blocks, Reader, capacity_of
from weft.utils.data.packed_list import Packed, PackedList
from weft.utils.data.shared_list import LONG, SharedList, share_lists
from weft.utils.data.worker import Job, Start, Task

if not hasattr(os, "fork"):
    pytest.skip("needs fork", allow_module_level=True)
LINUX = sys.platform.startswith("linux")
BOTH = pytest.mark.parametrize("workers", ["processes", "threads"])


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork.*")
        yield


class Arrays(Dataset):
    """Some array, a number, and a name."""

    def __init__(self, n=20, shape=(3, 40, 40)):
        self.n, self.shape = n, shape

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return np.full(self.shape, i, np.float32), i, f"name {i}"


class Doing(Dataset):
    """Does something at one index."""

    def __init__(self, action, at=5, n=12):
        self.action, self.at, self.n = action, at, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i == self.at:
            self.action()
        return i


class Part(IterableDataset):
    """Each worker's share of some numbers."""

    def __init__(self, n=10):
        self.n = n

    def __iter__(self):
        info = get_worker_info()
        return iter(range(self.n) if info is None else range(info.id, self.n, info.num_workers))


class Uneven(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter([(info.id, k) for k in range([5, 1, 3][info.id])])


class Stateful(IterableDataset):
    """A stream with its own place and its own count of what it did."""

    def __init__(self, n=12):
        self.n, self.at, self.made = n, 0, 0

    def __iter__(self):
        first = get_worker_info().id if get_worker_info() else 0
        while self.at < self.n:
            self.at += 1
            self.made += 1
            yield weft.tensor([100 * first + self.at - 1, self.made])
        self.at = 0

    def state_dict(self):
        return {"at": self.at}

    def load_state_dict(self, state):
        self.at = state["at"]


class Noise(Dataset):
    """Random numbers of every kind."""

    def __init__(self, n=12):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = get_worker_info().rng if get_worker_info() else None
        if rng is not None:
            assert weft.initial_seed() == rng.torch_generator.initial_seed()
            return [rng.torch_generator.initial_seed(),
                    weft.randn(1).item() + weft.nn.functional.dropout(weft.ones(9)).sum().item(),
                    rng.random_generator.random(), rng.numpy_generator.random()]
        return [get_worker_info().seed if get_worker_info() else 0, weft.randn(1).item(), random.gauss(0, 1),
                np.random.randn()]


def plain(batch):
    return batch


def same(batches, others):
    assert len(batches) == len(others)
    for ours, theirs in zip(batches, others):
        assert ours[0].dtype == theirs[0].dtype and (ours[0] == theirs[0]).all()
        assert ours[1].tolist() == theirs[1].tolist() and ours[2] == theirs[2]


def children():
    """Processes of this one, zombies too; none where that can't be seen."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc") if LINUX else ()):
        try:
            with open(f"/proc/{pid}/stat") as file:
                found |= {pid} if int(file.read().rsplit(")", 1)[1].split()[1]) == os.getpid() else set()
        except OSError:
            pass
    return found


def wait_until(check, seconds=10.0):
    until = time.monotonic() + seconds
    while not check() and time.monotonic() < until:
        time.sleep(0.01)
    return check()


# what comes

@pytest.mark.parametrize("options", [{}, {"workers": "threads"}, {"persistent_workers": True}, {"prefetch_factor": 5},
                                     {"workers": "threads", "persistent_workers": True}, {"num_workers": 3}])
def test_workers_give_what_one_process_gives(options):
    data = Arrays()
    loader = DataLoader(data, batch_size=3, **{"num_workers": 2, **options})
    expected = list(DataLoader(data, batch_size=3))
    same(list(loader), expected)
    same(list(loader), expected)
    assert len(loader) == len(expected)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_start_methods(method):
    data = TensorDataset(weft.arange(8), weft.randn(8, 5000))
    loader = DataLoader(data, batch_size=4, num_workers=1, multiprocessing_context=method)
    for ours, theirs in zip(loader, DataLoader(data, batch_size=4)):
        assert (ours[0] == theirs[0]).all() and (ours[1] == theirs[1]).all()


@BOTH
def test_small_and_large_and_odd_values(workers):
    made = [weft.ones(3), weft.ones(100, 100), weft.ones(4, 3, 64, 64).to(memory_format=weft.channels_last),
            weft.ones(9000).bfloat16(), np.zeros((200, 200), np.float32).T, {"a": None, "b": (1, "x")},
            weft.ones(0, 4), weft.ones(300, 300)[::2, ::3], weft.nn.Parameter(weft.ones(70, 70)), np.array(["a"]),
            np.bool_(True), weft.ones(20000).expand(2, 20000)]
    got, = DataLoader([made], batch_size=None, num_workers=1, collate_fn=plain, workers=workers)
    for a, b in zip(got, made):
        assert type(a) is type(b)
        if isinstance(b, weft.Tensor):
            assert a.dtype is b.dtype and a.shape == b.shape and (a == b).all() and a.requires_grad == b.requires_grad
        elif isinstance(b, np.ndarray):
            assert a.dtype == b.dtype and (a == b).all()
        else:
            assert a == b
    assert got[2].is_contiguous(memory_format=weft.channels_last)


def test_batches_can_be_written_to_and_kept():
    loader = DataLoader(Arrays(30), batch_size=2, num_workers=2)
    kept = []
    for batch in loader:
        batch[0].add_(1)
        kept.append(batch)
    for k, batch in enumerate(kept):
        assert batch[0][:, 0, 0, 0].tolist() == [2 * k + 1, 2 * k + 2]


def test_what_is_kept_of_a_batch_survives_the_workers():
    rows = [batch[0][1:, 0] for batch in DataLoader(Arrays(8), batch_size=2, num_workers=2)]
    gc.collect()
    assert [float(r.mean()) for r in rows] == [1, 3, 5, 7]


def test_shared_memory_is_used_again():
    loader = DataLoader(Arrays(400, (4000,)), batch_size=4, num_workers=1, persistent_workers=True)
    for _ in range(3):
        for batch in loader:
            assert batch[0][0, 0] == batch[1][0]
    crew = loader._iterator._crew
    # 400 batches of 64 kB went through; what lies there are those made ahead
    assert len(crew.readers[0].watched) <= 1
    assert not any(crew.readers[0].arena.map[(1 << 20) + (1 << 20):(1 << 20) + (1 << 21)])
    crew.close()


def test_computed_tensors_cannot_leave_a_process():
    leaf = weft.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        list(DataLoader([leaf * 2], batch_size=None, num_workers=1))


@BOTH
def test_long_index_lists_do_not_block(workers):
    data = Strings()
    loader = DataLoader(data, batch_size=30_000, num_workers=1, workers=workers, prefetch_factor=3, collate_fn=plain)
    assert [len(b) for b in loader] == [30_000] * 6


class Strings(Dataset):
    """So many and so long that neither indices nor results fit into a pipe."""

    def __len__(self):
        return 180_000

    def __getitem__(self, i):
        return f"{i:08d}"


@BOTH
def test_out_of_order(workers):
    def slow_first(batch):
        if 0 in batch:
            time.sleep(0.3)
        return batch
    loader = DataLoader(range(8), batch_size=2, num_workers=2, in_order=False, collate_fn=slow_first, workers=workers)
    got = list(loader)
    assert sorted(map(tuple, got)) == [(0, 1), (2, 3), (4, 5), (6, 7)] and got[0] != [0, 1]


# streams

@BOTH
def test_streams(workers):
    loader = DataLoader(Part(10), batch_size=2, num_workers=2, workers=workers)
    assert [b.tolist() for b in loader] == [[0, 2], [1, 3], [4, 6], [5, 7], [8], [9]]
    assert [b.tolist() for b in DataLoader(Part(10), batch_size=2, num_workers=2, workers=workers, drop_last=True)] == [
        [0, 2], [1, 3], [4, 6], [5, 7]]
    persistent = DataLoader(Part(6), batch_size=None, num_workers=2, persistent_workers=True, workers=workers)
    assert list(persistent) == list(persistent) == list(range(6))


@BOTH
def test_workers_with_less_to_give_are_left_out(workers):
    loader = DataLoader(Uneven(), batch_size=None, num_workers=3, workers=workers)
    for _ in range(2):
        assert [tuple(x) for x in loader] == [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2), (0, 3), (0, 4)]


@BOTH
def test_worker_init_fn_can_tell_copies_apart(workers):
    def own_part(worker_id):
        info = get_worker_info()
        assert info.id == worker_id and info.num_workers == 2
        info.dataset.n = 2 + worker_id

    class All(Part):
        def __iter__(self):
            return iter(range(self.n))
    data = All(9)
    assert list(DataLoader(data, batch_size=None, num_workers=2, worker_init_fn=own_part,
                           workers=workers)) == [0, 0, 1, 1, 2]
    assert data.n == 9


# random numbers

@BOTH
def test_seeds_differ_by_worker_and_epoch_and_repeat(workers):
    def epochs(persistent):
        weft.manual_seed(3)
        loader = DataLoader(Noise(), batch_size=3, num_workers=2, workers=workers, persistent_workers=persistent,
                            collate_fn=plain)
        return [[sample for batch in loader for sample in batch] for _ in range(3)]
    for persistent in (False, True):
        found = epochs(persistent)
        for column in range(1, 4):
            drawn = [sample[column] for epoch in found for sample in epoch]
            assert len(set(drawn)) == len(drawn)
        assert len({sample[0] for epoch in found for sample in epoch}) == 6
        assert found == epochs(persistent)


@BOTH
def test_the_main_process_draws_what_it_would_have_drawn(workers):
    weft.manual_seed(0)
    list(DataLoader(Noise(), batch_size=3, num_workers=2, collate_fn=plain, workers=workers))
    with_workers = weft.rand(1)
    weft.manual_seed(0)
    list(DataLoader(range(12), batch_size=3))
    assert with_workers == weft.rand(1)


def test_locks_that_were_held_while_forking():
    held, done = threading.Event(), threading.Event()

    def hold():
        with weft.default_generator.lock, np.random.mtrand._rand._bit_generator.lock:
            held.set()
            done.wait(60)
    threading.Thread(target=hold, daemon=True).start()
    held.wait()
    try:
        crew = ProcessCrew(Job(MAP, Noise(), True, plain, False, None, 1), 1, None)
        crew.send(0, Start(0, 0, 5))
        crew.send(0, Task(0, 0, [1, 2]))
        assert len(crew.receive(0, 30).open()[0]) == 2
        crew.close()
    finally:
        done.set()


def test_workers_compute_with_one_thread_after_the_pool_ran():
    weft.randn(400, 400) @ weft.randn(400, 400)     # the pool has started here

    class Product(Arrays):
        def __getitem__(self, i):
            a = weft.ones(300, 300)
            return (a @ a)[0, 0].item(), weft.get_num_threads()
    got, = DataLoader(Product(4), batch_size=4, num_workers=1, timeout=30)
    assert got[0].tolist() == [300.0] * 4 and got[1].tolist() == [1] * 4


# errors

class Odd(Exception):
    def __init__(self, first, second):
        super().__init__(first)
        self.second = second


def odd():
    raise Odd(1, 2)


def key():
    raise KeyError("missing")


def undecodable():
    b"\xff".decode()


def of_a_local_type():
    class Local(LookupError):
        pass
    raise Local("here")


@BOTH
@pytest.mark.parametrize("action, kind", [(odd, Odd), (key, KeyError), (undecodable, UnicodeDecodeError),
                                          (of_a_local_type, LookupError)])
def test_errors_keep_their_type_and_traceback(workers, action, kind):
    loader = DataLoader(Doing(action), batch_size=2, num_workers=2, workers=workers)
    with pytest.raises(kind) as caught:
        list(loader)
    text = str(caught.value)
    where = "process" if workers == "processes" else "thread"
    assert f"in DataLoader worker {where} 0.\nOriginal Traceback (most recent call last):\n" in text and text.startswith("Caught ")
    assert f"in {action.__name__}\n" in text and "\\n" not in text
    if kind is Odd:
        assert caught.value.second == 2


@BOTH
def test_after_an_error_the_next_batch_comes(workers):
    it = iter(DataLoader(Doing(key), batch_size=2, num_workers=2, workers=workers))
    got = []
    for _ in range(6):
        try:
            got.append(next(it).tolist())
        except KeyError:
            got.append("error")
    assert got == [[0, 1], [2, 3], "error", [6, 7], [8, 9], [10, 11]] and next(it, None) is None


@BOTH
def test_errors_of_init_collate_and_iter(workers):
    def fails(_):
        raise ZeroDivisionError("on purpose")

    class Broken(IterableDataset):
        def __iter__(self):
            raise ZeroDivisionError("on purpose")
    for data, options in ((range(4), {"worker_init_fn": fails}), (range(4), {"collate_fn": fails}), (Broken(), {})):
        with pytest.raises(ZeroDivisionError, match="on purpose"):
            next(iter(DataLoader(data, num_workers=2, workers=workers, **options)))


def test_what_cannot_be_pickled():
    with pytest.raises((AttributeError, TypeError, Exception), match="[Pp]ickle"):
        next(iter(DataLoader(range(4), num_workers=1, collate_fn=lambda batch: lambda: 0)))


def test_a_type_that_the_main_process_does_not_have():
    import pickle
    error = WorkerError(ValueError("x"), "in a test")
    state = error.__getstate__()
    state["kind"] = b"cnowhere_at_all\nThing\n."
    again = object.__new__(WorkerError)
    again.__setstate__(state)
    assert type(again.exception()) is RuntimeError and "ValueError: x" in str(again.exception())
    assert type(pickle.loads(pickle.dumps(error)).exception()) is ValueError


def crash():
    ctypes.string_at(0)


@pytest.mark.parametrize("action, text", [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "is killed by signal: Killed.*memory may have run out"),
    (lambda: os._exit(3), "exited unexpectedly with exit code 3"),
    (crash, "is killed by signal: Segmentation fault.*in crash.*in __getitem__")])
def test_a_dead_worker_is_reported_at_once(action, text):
    start = time.monotonic()
    loader = DataLoader(Doing(action), batch_size=2, num_workers=2)
    with pytest.raises(RuntimeError, match=r"(?s)DataLoader worker \(pid \d+\) " + text):
        list(loader)
    assert time.monotonic() - start < 5


def test_a_worker_that_dies_while_another_is_waited_for():
    def action():
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)

    class Slow(Doing):
        def __getitem__(self, i):
            if i == 0:
                time.sleep(60)
            return super().__getitem__(i)
    it = iter(DataLoader(Slow(action, at=1), num_workers=2))
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="SIGTERM"):
        next(it)
    assert time.monotonic() - start < 5
    with pytest.raises(RuntimeError, match="SIGTERM"):
        next(it)
    for process in it._crew.processes:
        process.kill()


def test_persistent_workers_are_replaced_after_one_died():
    loader = DataLoader(range(4), num_workers=2, persistent_workers=True)
    list(loader)
    os.kill(loader._iterator._crew.processes[0].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="SIGKILL"):
        for _ in range(3):
            list(loader)
            time.sleep(0.05)
    assert len(list(loader)) == 4


@BOTH
def test_timeout(workers):
    loader = DataLoader(Doing(lambda: time.sleep(3), at=0), num_workers=1, timeout=0.2, workers=workers)
    it = iter(loader)
    with pytest.raises(RuntimeError, match=r"timed out after 0\.2 seconds"):
        next(it)
    if workers == "processes":
        it._crew.processes[0].kill()


def test_messages_of_dead_workers():
    assert "fix: " in str(death(0, 1, -11)) and "signal 99" in str(death(0, 1,
                                                                         -99)) and "exit code 0" in str(death(0, 1, 0))


def test_prefetch_factor_of_nothing():
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0"):
        iter(DataLoader(range(3), num_workers=1, prefetch_factor=0))


def test_too_many_workers_warn():
    with pytest.warns(UserWarning, match="will create 1000 worker processes"):
        DataLoader(range(3), num_workers=1000)


# ends

def test_workers_end_with_the_epoch_or_an_early_break():
    before = children()
    list(DataLoader(range(8), num_workers=2))
    for _ in DataLoader(range(800), num_workers=2):
        break
    it = iter(DataLoader(range(8), num_workers=2))
    del it
    assert wait_until(lambda: children() <= before)


def test_busy_workers_do_not_hold_up_the_break():
    loader = DataLoader(Doing(lambda: time.sleep(1.5), at=3), num_workers=2)
    before, start = children(), time.monotonic()
    for _ in loader:
        break
    assert time.monotonic() - start < 1.2
    assert wait_until(lambda: children() <= before)


def test_nothing_is_left_in_shared_memory():
    before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    kept = list(DataLoader(Arrays(8), batch_size=2, num_workers=2))
    assert not os.path.isdir("/dev/shm") or set(os.listdir("/dev/shm")) <= before
    assert len(kept) == 4


def test_file_descriptors_are_closed():
    def count():
        gc.collect()
        return len(os.listdir("/proc/self/fd"))
    if not LINUX:
        pytest.skip("needs /proc")
    list(DataLoader(Arrays(4), num_workers=2))
    before = count()
    for _ in range(3):
        list(DataLoader(Arrays(4), num_workers=2))
        next(iter(DataLoader(Arrays(4), num_workers=2)))
    assert wait_until(lambda: count() <= before)


SCRIPT = """
import os, sys, time
from weft.utils.data import DataLoader
class Slow:
    def __len__(self): return 1000
    def __getitem__(self, i):
        if i > 20: time.sleep({sleep})
        return i
loader = DataLoader(Slow(), num_workers=2{options})
it = iter(loader)
for _ in range(4): next(it)
print(*[p.pid for p in it._crew.processes], flush=True)
{then}
"""


def run_script(then, sleep=0.01, options=""):
    code = textwrap.dedent(SCRIPT).format(then=then, sleep=sleep, options=options)
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    return process, [int(pid) for pid in process.stdout.readline().split()]


def alive(pids):
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                found += [pid] * (file.read().rsplit(")", 1)[1].split()[0] != "Z")
        except OSError:
            pass
    return found


@pytest.mark.skipif(not LINUX, reason="needs /proc")
def test_ctrl_c_ends_everything():
    process, pids = run_script("for _ in it: pass")
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode != 0 and errors.count("KeyboardInterrupt") == 1 and "worker" not in errors.split("KeyboardInterrupt")[1]
    assert wait_until(lambda: not alive(pids))


@pytest.mark.skipif(not LINUX, reason="needs /proc")
@pytest.mark.parametrize("sleep", [0.01, 60])
def test_workers_end_when_the_main_process_is_killed(sleep):
    process, pids = run_script("time.sleep(60)", sleep)
    assert len(alive(pids)) == 2
    process.kill()
    process.communicate(timeout=20)
    assert wait_until(lambda: not alive(pids))


@pytest.mark.skipif(not LINUX, reason="needs /proc")
@pytest.mark.parametrize("options",
                         ["", ", persistent_workers=True", ", multiprocessing_context='fork', prefetch_factor=8"])
def test_a_program_that_ends_in_the_middle(options):
    process, pids = run_script("", options=options)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0 and errors == ""
    assert wait_until(lambda: not alive(pids))


def test_a_handled_interrupt_does_not_disturb_the_workers():
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        it = iter(DataLoader(range(20), num_workers=2))
        first = next(it).tolist()
        for process in it._crew.processes:
            os.kill(process.pid, signal.SIGINT)
        assert first + [b.item() for b in it] == list(range(20))
    finally:
        signal.signal(signal.SIGINT, before)


@BOTH
def test_later_epochs_skip_what_was_left(workers):
    loader = DataLoader(Doing(lambda: time.sleep(0.05), at=0, n=100), num_workers=2, persistent_workers=True,
                        workers=workers, prefetch_factor=20)
    for _ in range(3):
        for batch in loader:
            assert batch.item() == 0
            break
    assert [b.item() for b in loader] == list(range(100))


def test_two_loaders_at_once():
    outer, inner = DataLoader(range(4), num_workers=2), DataLoader(range(3), num_workers=1)
    assert [(a.item(), b.item()) for a in outer for b in inner] == [(a, b) for a in range(4) for b in range(3)]


# memory

def test_blocks_are_used_again_and_kept_apart():
    arena = Arena()
    blocks, reader = Blocks(arena), Reader(arena)
    first = blocks.put(memoryview(bytes([1]) * 20_000))
    second = blocks.put(memoryview(bytes([2]) * 20_000))
    arrays = [reader.take(offset, 20_000) for offset in (first, second)]
    assert arrays[0][0] == 1 and arrays[1][-1] == 2
    view = arrays[0][10:20].view(np.int8)[::2]
    arrays[0] = None
    assert reader.take_freed() == []        # somebody still looks
    del view
    assert reader.take_freed() == [first]
    blocks.release([first])
    assert blocks.put(memoryview(bytes(19_000))) == first
    assert blocks.put(memoryview(bytes(60_000))) > second
    arena.close_file()


def test_blocks_without_room():
    arena = Arena()
    blocks = Blocks(arena)
    blocks.top = arena.size - 4096
    assert blocks.put(memoryview(bytes(5000))) is None
    arena.close_file()


def test_block_sizes():
    for size in (1, 4096, 5000, 2**20, 2**20 + 1, 10**9):
        assert size <= capacity_of(size) <= max(4096, size * 1.13) + 4096


def test_other_forks_pin_what_they_may_look_at():
    arena = Arena()
    blocks, reader = Blocks(arena), Reader(arena)
    array = reader.take(blocks.put(memoryview(bytes(20_000))), 20_000)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    del array
    assert reader.take_freed() == []
    arena.close_file()


ITEMS = ["a", "ü€", "\udcff", b"x\0y", 5, -2**62, 10**40, 1.5, True, None, ("path", 3, (1.0, b"")), ["inner"],
         {"k": 1}, frozenset([1])]


def test_shared_lists_read_like_lists():
    original = ITEMS * 3
    made = SharedList(original)
    assert (list(made) == original and made == original and original == made and len(made) == len(original)
            and made != original[:-1])
    assert made[-1] == original[-1] and made[2:7] == original[2:7] and made[::-3] == original[::-3] and made[np.int64(1)] == "ü€"
    assert isinstance(made, list) and "a" in made and made.index(5) == 4 and made.count("a") == 3
    assert (made + [1] == original + [1] and [1] + made == [1] + original and made * 2 == original * 2
            and repr(made) == repr(original))
    for index in (len(original), -len(original) - 1):
        with pytest.raises(IndexError):
            made[index]
    with pytest.raises(TypeError):
        made["a"]
    import copy
    import json
    import pickle
    assert type(pickle.loads(pickle.dumps(made))) is list and copy.deepcopy(made) == original == copy.copy(made)
    numbers = SharedList([3, 1, 2])
    assert np.array(numbers).tolist() == weft.tensor(numbers).tolist() == np.asarray(SharedList([3, 1,
                                                                                                 2])).tolist() == [3, 1, 2]
    assert ",".join(SharedList(["a",
                                "b"])) == "a,b" and sum(numbers) == 6 and max(numbers) == 3 and [*numbers] == [3, 1, 2]
    assert dict(zip(SharedList(["k"]),
                    numbers)) == {"k": 3} and list(reversed(numbers)) == [2, 1, 3] and random.choice(numbers) in numbers
    assert json.dumps(SharedList([1, "a"])[:]) == '[1, "a"]' and sorted(SharedList(["b", "a"])) == ["a", "b"]


def test_shared_lists_do_not_count_references():
    original = [f"string number {i}" for i in range(100)]
    made = SharedList(original)
    before = sys.getrefcount(original[7])
    kept = [made[7] for _ in range(50)]
    after = sys.getrefcount(original[7])
    assert after == before and kept[0] == original[7] and kept[0] is not original[7]


def test_shared_lists_become_lists_when_changed():
    original = [1, 2, 3]

    def changed(action):
        made = SharedList(original)
        action(made)
        return list(made)
    assert changed(lambda x: x.append(4)) == [1, 2, 3, 4] and changed(lambda x: x.__setitem__(0, 9)) == [9, 2, 3]
    assert changed(lambda x: x.sort(reverse=True)) == [3, 2, 1] == changed(lambda x: x.reverse())
    assert (changed(lambda x: x.pop()) == [1, 2] and changed(lambda x: x.clear()) == []
            and changed(lambda x: x.__delitem__(0)) == [2, 3])
    assert changed(lambda x: x.extend([7])) == [1, 2, 3, 7] and changed(lambda x: x.insert(0, 0)) == [0, 1, 2, 3]
    assert changed(lambda x: x.__iadd__([8])) == [1, 2, 3, 8] and changed(lambda x: x.__imul__(2)) == [1, 2, 3] * 2
    assert original == [1, 2, 3]


def test_where_long_lists_are_found():
    names = [str(i) for i in range(LONG)]
    data = Named(names)
    outer = share_lists(ConcatDataset([Subset(data, list(range(LONG))), Named(names[:5])]))
    assert type(data.names) is SharedList and type(outer.datasets[0].indices) is SharedList and type(data.more["x"]) is SharedList
    assert type(outer.datasets[1].names) is list and type(share_lists(names)) is SharedList and outer[3] == "3"
    slow = [[1]] * LONG
    assert share_lists(slow) is slow


class Named(Dataset):
    def __init__(self, names):
        self.names, self.more = names, {"x": names}

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return self.names[i]


class Lengths(Named):
    def __getitem__(self, i):
        return len(self.names[i])


def test_packed_lists():
    import pickle
    names, pairs = [f"ü {i} \udcff" for i in range(LONG)], [(str(i), i, None) for i in range(LONG)]
    data = Named(names)
    data.pairs, data.short, data.again = pairs, [1, 2], names
    made = Packed(data).unpack()
    assert type(made.names) is type(made.pairs) is PackedList and made.short == [1, 2] and made.again is made.names
    assert names[5] in made.names and made.names.index(names[5]) == 5 and made.pairs.count(pairs[1]) == 1
    assert made.names == names and made.pairs == pairs and made.names[-1] == names[-1] and made.pairs[3:5] == pairs[3:5]
    assert type(pickle.loads(pickle.dumps(made.names))) is list
    made.names.append("x")
    assert made.names[LONG] == "x" and len(names) == LONG


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="needs smaps_rollup")
def test_spawned_workers_share_lists():
    data = Lengths([f"/data/train/class_{i % 1000:04d}/image_{i:09d}.jpeg" for i in range(200_000)])     # 22 MB
    it = iter(DataLoader(data, batch_size=2000, num_workers=1, multiprocessing_context="forkserver"))
    first = next(it)
    small = iter(DataLoader(Lengths(["a"] * 10), num_workers=1, multiprocessing_context="forkserver"))
    next(small)
    for _ in range(90):
        next(it)
    assert first[0] == len(data.names[0])
    assert figure(it._crew.processes[0].pid, "Anonymous:") - figure(small._crew.processes[0].pid, "Anonymous:") < 4.0


def figure(pid, start):
    """MB of a process, of the lines of smaps_rollup that start so."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(start)) / 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="needs smaps_rollup")
def test_workers_do_not_copy_strings():
    data = Lengths([f"/data/train/class_{i % 1000:04d}/image_{i:09d}.jpeg" for i in range(200_000)])     # 22 MB
    loader = DataLoader(data, batch_size=2000, num_workers=2, shuffle=True)
    it = iter(loader)
    for _ in range(10):
        next(it)
    pids = [process.pid for process in it._crew.processes]
    before = [figure(pid, "Private_") for pid in pids]
    for _ in range(80):
        next(it)
    assert max(figure(pid, "Private_") - old for pid, old in zip(pids, before)) < 2.0


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="needs smaps_rollup")
def test_a_million_strings_and_eight_workers():
    """Promise 8: what the workers add because of the list is at most a tenth of it."""
    def added(count):
        data = Lengths([f"/data/train/class_{i % 1000:04d}/image_{i:09d}.jpeg" for i in range(count)])
        before = figure(os.getpid(), "Pss:")
        loader = DataLoader(data, batch_size=2000, num_workers=8)
        it = iter(loader)
        for _ in range(count // 2000 - 1):
            next(it)
        return before, sum(figure(pid, "Pss:") for pid in [os.getpid(), *(p.pid for p in it._crew.processes)]) - before
    small, fixed = added(50_000)
    large, total = added(1_000_000)
    assert total - fixed <= 0.1 * (large - small)


# resuming

def resumed(make, batches):
    """(the rest of an epoch and another one, the same from a new loader with the state); batches become lists"""
    weft.manual_seed(21)
    loader = make()
    it = iter(loader)
    for _ in range(batches):
        next(it)
    state, rng = loader.state_dict(), weft.get_rng_state()
    rest = [str(list(it)), str(list(loader))]
    again = make()
    again.load_state_dict(state)
    weft.set_rng_state(rng)
    return rest, [str(list(again)), str(list(again))]


@BOTH
@pytest.mark.parametrize("batches", [0, 1, 4, 6])
@pytest.mark.parametrize("persistent", [False, True])
def test_resume_is_exact_down_to_the_workers_random_numbers(workers, batches, persistent):
    rest, again = resumed(lambda: DataLoader(Noise(), 2, shuffle=True, num_workers=2, workers=workers,
                                             persistent_workers=persistent, collate_fn=plain), batches)
    assert rest == again


@BOTH
@pytest.mark.parametrize("data", [lambda: Part(22), lambda: Stateful()])
@pytest.mark.parametrize("batches", [1, 5, 8])
def test_resume_of_streams(workers, data, batches):
    def make():
        return DataLoader(data(), 2, num_workers=2, workers=workers, collate_fn=plain)
    rest, again = resumed(make, batches)
    if data().__class__ is Part:
        assert rest == again
    else:       # goes on by its state: what was made before is not made again
        first = [[s.tolist() for s in batch] for batch in eval(rest[0], {"tensor": weft.tensor})]
        second = [[s.tolist() for s in batch] for batch in eval(again[0], {"tensor": weft.tensor})]
        assert [[s[0] for s in b] for b in first] == [[s[0] for s in b] for b in second]
        assert not second or second[0][0][1] == 1


def test_resume_of_uneven_streams():
    rest, again = resumed(lambda: DataLoader(Uneven(), None, num_workers=3), 5)
    assert rest == again


def test_resume_in_a_later_epoch_of_persistent_workers():
    def make():
        return DataLoader(Noise(), 2, shuffle=True, num_workers=2, persistent_workers=True,
                          generator=weft.Generator().manual_seed(1), collate_fn=plain)
    loader = make()
    list(loader)
    it = iter(loader)
    next(it)
    state = loader.state_dict()
    rest = [str(list(it)), str(list(loader))]
    ended = loader.state_dict()
    third = str(list(loader))
    again = make()
    again.load_state_dict(state)
    assert [str(list(again)), str(list(again))] == rest
    other = make()
    other.load_state_dict(ended)
    assert str(list(other)) == third
    loader.load_state_dict(state)       # in the same loader, whose workers are there
    assert [str(list(loader)), str(list(loader))] == rest


def test_resume_with_other_workers():
    loader = DataLoader(range(12), 2, shuffle=True, num_workers=2, generator=weft.Generator())
    it = iter(loader)
    next(it), next(it)
    state = loader.state_dict()
    rest = [b.tolist() for b in it]
    for options in (dict(num_workers=0), dict(num_workers=3), dict(num_workers=2, workers="threads")):
        again = DataLoader(range(12), 2, shuffle=True, generator=weft.Generator(), **options)
        again.load_state_dict(state)
        assert [b.tolist() for b in again] == rest


def test_resume_out_of_order_gives_what_is_missing():
    loader = DataLoader(Doing(lambda: time.sleep(0.2), at=0), num_workers=2, in_order=False)
    it = iter(loader)
    got = [next(it).item() for _ in range(4)]
    state = loader.state_dict()
    again = DataLoader(range(12), num_workers=2, in_order=False)
    again.load_state_dict(state)
    assert sorted(got + [b.item() for b in again]) == list(range(12))


def test_the_state_counts_what_was_given_out():
    loader = DataLoader(range(100), num_workers=2, prefetch_factor=10)
    it = iter(loader)
    next(it), next(it), next(it)
    assert loader.state_dict()["taken"] == 3
    del it
    again = DataLoader(range(100), num_workers=2)
    again.load_state_dict(loader.state_dict())
    assert next(iter(again)).item() == 3


def test_states_can_be_saved_and_pickled():
    import pickle
    loader = DataLoader(Noise(), 2, num_workers=2, collate_fn=plain)
    it = iter(loader)
    next(it), next(it), next(it)
    state = pickle.loads(pickle.dumps(loader.state_dict()))
    rest = str(list(it))
    again = DataLoader(Noise(), 2, num_workers=2, collate_fn=plain)
    again.load_state_dict(state)
    assert str(list(again)) == rest


# errors that look like an end, or like nothing

class Stopping(Dataset):
    """Raises at one index."""

    def __init__(self, error):
        self.error = error

    def __len__(self):
        return 40

    def __getitem__(self, i):
        if i == 17:
            raise self.error        # the user's line
        return i


class StoppingStream(IterableDataset):
    """Raises in its iterator's __next__, before its end."""

    def __init__(self, error, where):
        self.error, self.where, self.count = error, where, 0

    def __iter__(self):
        if self.where == "iter":
            raise self.error
        return iter(range(40))


class Theirs(BaseException):
    """An error that `except Exception` doesn't catch."""


def stopping_collate(samples):
    if 17 in samples:
        next(iter(()))      # a StopIteration from code that is not theirs
    return samples


def stopping_start(worker):
    next(iter(()))


HANGS = """
import sys
sys.path.insert(0, {folder!r})
from test_data_workers import *
got = []
try:
    for batch in {loader}:
        got.append(batch)
    print("ENDED", len(got))
except BaseException as error:
    print(type(error).__name__, len(got), str(error).replace("\\n", " "))
"""


def walked(loader):
    """(the error's type, batches before it, its text) of a walk in a process of its own."""
    program = HANGS.format(folder=os.path.dirname(os.path.abspath(__file__)), loader=loader)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    return (found.stdout.rstrip("\n") + " ").split(" ", 2)


MODES = ["", ", num_workers=2, multiprocessing_context='fork'", ", num_workers=2, workers='threads'",
         ", num_workers=2, workers='threads', in_order=False"]


@pytest.mark.parametrize("mode", MODES)
def test_a_stop_iteration_of_the_dataset_is_no_end_of_the_epoch(mode):
    name, count, text = walked(f"DataLoader(Stopping(StopIteration()), batch_size=4{mode})")
    assert name == "RuntimeError" and int(count) <= 8 and "StopIteration" in text and "raise self.error" in text
    name, _, text = walked(f"DataLoader(range(40), batch_size=4, collate_fn=stopping_collate{mode})")
    assert name == "RuntimeError" and "next(iter(()))" in text and "fix: " in text
    name, _, text = walked(f"DataLoader(Stopping(StopIteration()), batch_size=None{mode})")
    assert name == "RuntimeError" and "raise self.error" in text
    stream = "StoppingStream(None, '')"
    name, _, text = walked(f"DataLoader({stream}, batch_size=4, collate_fn=stopping_collate{mode})")
    assert name == "RuntimeError" and "next(iter(()))" in text
    # what ends a stream still does
    assert walked(f"DataLoader({stream}, batch_size=8, collate_fn=list{mode})")[:2] == [
        "ENDED", "10" if "num_workers" in mode else "5"]
    assert walked(f"DataLoader({stream}, batch_size=None{mode})")[:2] == [
        "ENDED", "80" if "num_workers" in mode else "40"]


@pytest.mark.parametrize("mode", MODES[1:])
def test_a_stop_iteration_of_a_worker_s_start_is_no_end_of_the_epoch(mode):
    for loader in (f"DataLoader(range(40), worker_init_fn=stopping_start{mode})",
                   f"DataLoader(StoppingStream(StopIteration(), 'iter'){mode})"):
        name, count, text = walked(loader)
        assert (name, count) == ("RuntimeError", "0") and "StopIteration" in text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("error", ["SystemExit(3)", "KeyboardInterrupt()", "GeneratorExit()", "Theirs('x')"])
def test_errors_that_end_threads_are_brought_to_the_loop(mode, error):
    """`except Exception` doesn't catch them: the thread was gone, and the loop waited forever."""
    name, count, text = walked(f"DataLoader(Stopping({error}), batch_size=4{mode})")
    kind = error.split("(")[0]
    most = 9 if "in_order" in mode else 8       # of ten: in any order, all but the one that fails may come before
    assert name == ("RuntimeError" if kind == "SystemExit" and mode else kind) and int(count) <= most
    assert not mode or kind in text and "raise self.error" in text
    if mode:
        name, count, text = walked(f"DataLoader(StoppingStream({error}, 'iter'){mode})")
        assert count == "0" and kind in text


def test_a_dataset_that_can_t_be_copied_for_a_thread_is_an_error():
    name, count, text = walked("DataLoader(NoCopy(), num_workers=2, workers='threads')")
    assert (name, count) == ("ZeroDivisionError", "0") and "worker thread" in text


class NoCopy(IterableDataset):
    def __iter__(self):
        return iter(range(3))

    def __copy__(self):
        return 1 / 0


def test_more_prefetched_than_there_is():
    assert len(list(DataLoader(range(10), num_workers=2, prefetch_factor=10**12, workers="threads"))) == 10
