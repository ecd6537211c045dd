"""weft.distributed.rpc: calls between processes (tests/mpi/rpc.py, run by mpiexec and by mp.spawn), and alone."""
import sys
import threading
import time

import pytest
from test_mpi import HERE, free_port, mpi, pytestmark, run

import weft
import weft.distributed.autograd as dist_autograd
from weft.distributed import rpc
from weft.distributed.rpc.crew import Clock, Crew
from weft.distributed.rpc.references import Owned

several = pytestmark
del pytestmark


@several
def test_three_workers_that_mpiexec_started():
    made = mpi(3, HERE / "rpc.py")
    assert made.returncode == 0 and made.stdout.count("all right") == 3, made.stdout + made.stderr[-6000:]


@several
@pytest.mark.slow
@pytest.mark.parametrize("how", ["well", "leave"])
def test_three_workers_that_meet_at_an_address(how):
    made = run([sys.executable, str(HERE / "rpc.py"), "spawn", str(free_port()), how])
    assert made.returncode == 0 and made.stdout.count("all right") == 3, made.stdout + made.stderr[-6000:]


@several
@pytest.mark.slow
def test_calls_beside_a_process_group():
    made = run([sys.executable, str(HERE / "rpc_with_group.py"), str(free_port())])
    assert made.returncode == 0 and made.stdout.count("all right") == 4, made.stdout + made.stderr[-6000:]


@several
@pytest.mark.parametrize("how", [pytest.param("mpiexec", marks=pytest.mark.slow), "spawn"])
def test_a_worker_that_dies_ends_the_others(how):
    began = time.monotonic()
    made = mpi(3, HERE / "rpc.py", "kill") if how == "mpiexec" else run(
        [sys.executable, str(HERE / "rpc.py"), "spawn", str(free_port()), "kill"])
    assert made.returncode != 0 and "all right" not in made.stdout and time.monotonic() - began < 40, made.stderr


@pytest.fixture
def alone():
    rpc.init_rpc("alone", rank=0, world_size=1)
    yield
    if rpc.current.current.agent is not None:
        rpc.shutdown()


def test_a_worker_alone(alone):
    assert rpc.get_worker_info() == rpc.WorkerInfo("alone", 0) and rpc.get_rpc_timeout() == 60
    with pytest.raises(RuntimeError, match="already initialized"):
        rpc.init_rpc("again", rank=0, world_size=1)
    x = weft.ones(3)
    assert rpc.rpc_sync("alone", weft.Tensor.add_, (x, 1)).tolist() == [2, 2, 2] and x.tolist() == [1, 1, 1]    # a copy
    with pytest.raises(RuntimeError, match="could not find destination id 7.*\n.*\n.*fix"):
        rpc.rpc_sync(7, abs, (1,))
    with pytest.raises(TypeError, match="should be callable"):
        rpc.rpc_sync("alone", 3)
    with pytest.raises(RuntimeError, match="only be pickled when using RPC"):
        import pickle
        pickle.dumps(rpc.RRef(1))


def test_without_init_rpc():
    for call in (lambda: rpc.rpc_sync("a", abs, (1,)), rpc.shutdown, rpc.get_worker_info, lambda: rpc.RRef(1),
                 lambda: dist_autograd.context().__enter__()):
        with pytest.raises(RuntimeError, match="RPC has not been initialized"):
            call()
    with pytest.raises(ValueError, match="fix: give rank="):
        rpc.init_rpc("a")
    with pytest.raises(RuntimeError, match="letters, digits"):
        rpc.init_rpc("a b", rank=0, world_size=1)


def test_words_of_autograd(alone):
    x = weft.ones(2, requires_grad=True)
    with dist_autograd.context() as number:
        for roots, said in (([], "No tensors"), ([x], "not a scalar"), ([weft.ones(1)], "requires_grad not set")):
            with pytest.raises(RuntimeError, match=said):
                dist_autograd.backward(number, roots)
        with pytest.raises(RuntimeError, match="inside context"), dist_autograd.context():
            pass
        dist_autograd.backward(number, [x.sum()])
        dist_autograd.backward(number, [(x * 2).sum()])         # gradients of a context add up
        assert dist_autograd.get_gradients(number)[x].tolist() == [3, 3] and x.grad is None
    with pytest.raises(RuntimeError, match="Could not find autograd context"):
        dist_autograd.get_gradients(number)


def test_words_of_forks_in_any_order():
    """A value lives until the last holder lets go, whoever is heard first."""
    owned = Owned()
    entry = owned.adopt(1, 10, begun=True)          # made for fork 10
    owned.drop(1, 11)                               # 11 was passed on and dropped before 10's word of it comes
    assert owned.entries == {1: entry}
    owned.adopt(1, 11)
    owned.drop(1, 10)
    assert not owned.entries
    owned.drop(2, 20)                               # dropped before it was even begun
    owned.adopt(2, 21)
    owned.adopt(2, 20, begun=True)
    assert list(owned.entries) == [2]
    owned.drop(2, 21)
    assert not owned.entries


def test_a_crew_has_a_thread_for_everybody_who_waits():
    crew, meeting = Crew(), threading.Barrier(30, timeout=20)
    met = threading.Semaphore(0)

    def come():
        meeting.wait()
        met.release()
    for _ in range(30):
        crew.submit(come)
    assert all([met.acquire(timeout=20) for _ in range(30)])
    crew.dismiss()


def test_a_clock_rings_in_order():
    clock, rung, done = Clock(), [], threading.Event()
    clock.at(0.2, 2, lambda number: (rung.append(number), done.set()))
    clock.at(0.05, 1, rung.append)
    assert done.wait(20) and rung == [1, 2]
    clock.stop()


def test_a_function_that_needs_the_job_says_so():
    from weft.distributed.rpc import api
    with pytest.raises(RuntimeError, match="init_rpc first"):
        api._require_initialized(len)([])
