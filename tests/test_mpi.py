"""weft.distributed over a real mpiexec, with 2 to 4 processes. One run executes many checks: starting processes is what
costs here. The programs are in tests/mpi.
"""
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest

import weft

HERE = pathlib.Path(__file__).resolve().parent / "mpi"
BESIDE = pathlib.Path(sys.executable).with_name("mpiexec")
MPIEXEC = str(BESIDE) if BESIDE.exists() else shutil.which("mpiexec")
pytestmark = pytest.mark.skipif(MPIEXEC is None or importlib.util.find_spec("mpi4py") is None,
                                reason="mpi4py and mpiexec are not installed: pip install 'weft[mpi]'")
LAUNCH = [sys.executable, "-m", "weft", "launch"]


def clean():
    """The environment without what a launcher set; one thread per process."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "OMPI", "SLURM")) and k not in ("RANK", "WORLD_SIZE")}
    return {**kept, "OMP_NUM_THREADS": "1", "HWLOC_XMLFILE": ""}        # mpiexec leaves a file in /tmp without the latter


def run(command, timeout=120, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**clean(), **environment})


def mpi(n, *program, **options):
    return run([MPIEXEC, "-n", str(n), sys.executable, *map(str, program)], **options)


def right(made, said):
    assert made.returncode == 0 and said in made.stdout, made.stdout[-3000:] + made.stderr[-6000:]


PROGRAMS = ["collectives.py", "functional.py", "sharded.py"]


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_collectives_their_gradients_and_what_is_spread(n):
    made = mpi(n, HERE / "several.py", *PROGRAMS, n)
    right(made, f"all right {n}")
    assert made.stdout.count("all right") == len(PROGRAMS), made.stderr


@pytest.mark.parametrize("n", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 4))])
def test_data_parallel_equals_one_process(n):
    right(mpi(n, HERE / "data_parallel.py"), f"all right {n}")


@pytest.mark.parametrize("n, how", [(2, "some"), *(pytest.param(n, "all", marks=pytest.mark.slow) for n in (1, 3, 4))])
def test_dtensors_equal_one_process(n, how):
    right(mpi(n, HERE / "dtensor.py", how, timeout=900), f"all right {n}")


def test_a_checkpoint_of_two_ranks_loads_into_any_number(tmp_path):
    saved = mpi(2, HERE / "checkpoint.py", "save", tmp_path / "state")
    right(saved, "losses")
    for n in (1, 3):
        right(mpi(n, HERE / "checkpoint.py", "load", tmp_path / "state"), saved.stdout.splitlines()[-1])


def test_whole_values_are_let_go_after_a_forward():
    """fully_shard's reshard_after_forward, by the memory that is taken."""
    right(mpi(2, HERE / "resharding.py"), "all right 2")


def test_the_pace_of_all_ranks(tmp_path):
    right(mpi(2, HERE / "pace.py", tmp_path), "all right 2")
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {
        f"ranks_{what}_rank {rank}" for what in ("examples per second", "waiting %") for rank in range(2)}


@pytest.fixture
def spawning(tmp_path):
    """A program that starts its processes itself."""
    (tmp_path / "program.py").write_text(textwrap.dedent("""
        import os, socket, sys
        import weft as torch
        import weft.distributed as dist
        import weft.multiprocessing as mp

        def work(rank, size, port, how):
            os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
            dist.init_process_group("gloo", rank=rank, world_size=size)
            x = torch.ones(1000) * rank
            dist.all_reduce(x)
            assert x[0].item() == 1 and dist.get_rank() == rank
            if how == "fail" and rank == 1:
                raise ValueError("on purpose")
            dist.barrier()
            dist.destroy_process_group()
            print("done", rank)

        if __name__ == "__main__":
            with socket.create_server(("", 0)) as free:
                port = free.getsockname()[1]
            mp.spawn(work, args=(2, port, sys.argv[1]), nprocs=2, join=True)
        """))
    return str(tmp_path / "program.py")


def test_processes_that_no_mpiexec_started(spawning):
    """mp.spawn with MASTER_ADDR and MASTER_PORT."""
    made = run([sys.executable, spawning, "well"])
    assert made.returncode == 0 and made.stdout.count("done") == 2, made.stderr


@pytest.mark.slow
def test_a_spawned_process_that_fails(spawning):
    made = run([sys.executable, spawning, "fail"])
    assert made.returncode == 1 and "Process 1 terminated with the following error" in made.stderr, made.stderr
    assert "ValueError: on purpose" in made.stderr


def by_hand(n, program, **variables):
    """Start n processes as srun or a shell would; their (exit code, output, errors). variables: f(rank)."""
    jobs = [subprocess.Popen([sys.executable, *map(str, program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**clean(), **{name: value(rank) for name, value in variables.items()}}) for rank in range(n)]
    ends = [job.communicate(timeout=60) for job in jobs]
    return [(job.returncode, *end) for job, end in zip(jobs, ends)]


SUMS = """
import os, signal, sys
import weft, weft.distributed as dist
how, store = sys.argv[1], None
rank = int(os.environ.get("MY_RANK", -1))
if how == "tcp":
    store = dist.TCPStore("127.0.0.1", int(sys.argv[2]), 2, rank == 0)
if how == "file":
    store = dist.FileStore(sys.argv[2], 2)
dist.init_process_group("gloo", store=store, **({} if store is None else {"rank": rank, "world_size": 2}))
x = weft.ones(1000) * (dist.get_rank() + 1)
dist.all_reduce(x)
print("sum", x[0].item(), dist.get_world_size(), os.environ.get("LOCAL_RANK"), os.environ.get("LOCAL_WORLD_SIZE"), flush=True)
if how == "kill" and dist.get_rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
dist.barrier()
"""


@pytest.fixture
def sums(tmp_path):
    (tmp_path / "sums.py").write_text(SUMS)
    return tmp_path / "sums.py"


def free_port():
    with socket.create_server(("", 0)) as free:
        return free.getsockname()[1]


@pytest.mark.parametrize("how", ["file", pytest.param("tcp", marks=pytest.mark.slow)])
def test_processes_that_share_a_store(sums, how):
    where = str(free_port()) if how == "tcp" else str(sums.parent / "store")
    for code, said, wrong in by_hand(2, [sums, how, where], MY_RANK=str):
        assert code == 0 and "sum 3.0 2" in said, wrong


def slurm(rank):
    """What srun tells a process, without MPI."""
    return {"SLURM_PROCID": str, "SLURM_STEP_NUM_TASKS": lambda rank: "2", "SLURM_LOCALID": str, "SLURM_NODEID": lambda rank: "0",
            "SLURM_STEP_TASKS_PER_NODE": lambda rank: "2", "SLURM_STEP_NODELIST": lambda rank: "localhost",
            "SLURM_JOB_ID": lambda _: str(rank)}


def test_srun_without_mpi(sums):
    for rank, (code, said, wrong) in enumerate(by_hand(2, [sums, "well"], **slurm(free_port() % 15000))):
        assert code == 0 and f"sum 3.0 2 {rank} 2" in said, wrong


@pytest.mark.slow
def test_a_killed_process_ends_those_that_nobody_watches(sums):
    began = time.monotonic()
    (code, _, wrong), (killed, *_) = by_hand(2, [sums, "kill"], **slurm(free_port() % 15000))
    assert (code, killed) == (1, -9) and "rank 0: rank 1 has ended without saying goodbye" in wrong
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("variables, found, address", [
    ({"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "7", "SLURM_LOCALID": "1", "SLURM_STEP_TASKS_PER_NODE": "2(x3),1", "SLURM_NODEID": "2",
      "SLURM_STEP_NODELIST": "node[03-05,9],other", "SLURM_JOB_ID": "70007", "SLURM_STEP_ID": "1"}, (5, 7, 1, 2), ("node03", 25008)),
    ({"SLURM_PROCID": "6", "SLURM_STEP_NUM_TASKS": "7", "SLURM_LOCALID": "0", "SLURM_STEP_TASKS_PER_NODE": "2(x3),1", "SLURM_NODEID": "3",
      "SLURM_STEP_NODELIST": "n1,n2,n3,n4"}, (6, 7, 0, 1), ("n1", 15000)),
    ({"PMI_RANK": "1", "PMI_SIZE": "4", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"},
     (1, 4, 1, 2), ("127.0.0.1", 15000)),
    ({"SLURM_PROCID": "0", "SLURM_JOB_ID": "5"}, None, ("127.0.0.1", 15005))])      # a batch script, not a step
def test_what_launchers_say(monkeypatch, variables, found, address):
    from weft.distributed import world
    for name in list(os.environ):
        if name.startswith(("PMI", "OMPI", "MPI_LOCAL", "SLURM")):
            monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert world.launched() == found and world.first_machine() == address


FAULTS = """
    import os, signal, sys, time
    import torch
    import torch.distributed as dist
    how, folder = sys.argv[1], sys.argv[2]
    rank = int(os.environ["RANK"])
    open(os.path.join(folder, f"pid{rank}"), "w").write(str(os.getpid()))
    if how == "early" and rank == 1:
        raise ValueError("on purpose")
    dist.init_process_group("gloo")
    assert torch.__version__ and dist.get_world_size() == 3 and os.environ["LOCAL_RANK"] == str(rank)
    print(f"rank {rank} of {dist.get_world_size()}\\n", end="", flush=True)      # in one piece
    dist.barrier()
    if rank == 1:
        if how == "raise":
            raise ValueError("on purpose")
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit":
            sys.exit(3)
        if how == "leave":
            sys.exit()
        if how == "once" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
            time.sleep(0.5)         # mpiexec loses what it has not passed on when a rank ends
            sys.exit(4)
    if how == "wait":
        open(os.path.join(folder, f"ready{rank}"), "w")
        time.sleep(100)
    x = torch.ones(1)
    dist.all_reduce(x)
    print("sum", x.item())
    """


@pytest.fixture
def faulty(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(FAULTS))
    return path


def alive(folder):
    """Processes of the job that still run."""
    found = []
    for path in folder.glob("pid*"):
        try:
            os.kill(int(path.read_text()), 0)
            found.append(path.name)
        except ProcessLookupError:
            pass
    return found


def gone(folder, seconds=10):
    until = time.monotonic() + seconds
    while alive(folder) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(folder)


@pytest.mark.parametrize("how, code, said", [
    ("raise", 1, "rank 1 failed:\nTraceback"), pytest.param("early", 1, "rank 1 failed:\nTraceback", marks=pytest.mark.slow),
    pytest.param("leave", 1, "rank 1: the end of the program", marks=pytest.mark.slow),
    pytest.param("exit", 3, "rank 1 ended with exit code 3", marks=pytest.mark.slow),
    pytest.param("kill", 9, "exit code 9", marks=pytest.mark.slow)])
def test_a_rank_that_fails_ends_the_job(faulty, how, code, said):
    made = run([*LAUNCH, "-n", "3", str(faulty), how, str(faulty.parent)], timeout=60)
    assert made.returncode == code and said in made.stderr and made.stderr.count("Traceback") <= 1, made.stderr
    assert how not in ("raise", "early") or "ValueError: on purpose" in made.stderr
    assert "sum" not in made.stdout and gone(faulty.parent)


def test_the_launcher_restarts_and_logs(faulty):
    logs = faulty.parent / "logs"
    made = run([*LAUNCH, "--nproc_per_node=3", "--max_restarts", "2", f"--log-dir={logs}", str(faulty), "once", str(faulty.parent)])
    assert made.returncode == 0 and made.stdout.count("rank 0 of 3") == 2 and "rank 1 of" not in made.stdout, made.stderr
    assert made.stdout.count("sum 3.0") == 1 and "started again, 2 of 2 left" in made.stderr
    assert (logs / "rank_2.log").read_text().count("rank 2 of 3") == 2


@pytest.mark.slow
def test_an_interrupt_ends_all(faulty):
    job = subprocess.Popen([*LAUNCH, "-n", "3", str(faulty), "wait", str(faulty.parent)], env=clean(),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(list(faulty.parent.glob("ready*"))) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    job.send_signal(signal.SIGINT)
    assert job.wait(30) == 130 and gone(faulty.parent)


@pytest.mark.slow
def test_faults_twenty_times():
    """tools/faults.py: a rank that raises, exits, is killed or stopped, and Ctrl-C."""
    spec = importlib.util.spec_from_file_location("faults", HERE.parent.parent / "tools" / "faults.py")
    faults = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(faults)
    for fault, codes, longest, left, files, traces, named in faults.table(20):
        assert not {"0", "hangs"} & set(codes) and longest < 30 and not left and not files, (fault, codes, longest, left, files)
        assert traces == (20 if "raise" in fault or "timeout" in fault else 0), (fault, traces)
        assert named == 20 or "timeout" in fault or "raise" not in fault and "stopped" not in fault, (fault, named)


@pytest.mark.parametrize("arguments, said", [
    ([], "which program?"), (["-n"], "needs a value"), (["-n", "x", __file__], "takes a number"), (["--odd", "x"], "no option --odd"),
    (["-n", "2", "nowhere.py"], "no file nowhere.py"), (["--nnodes", "2", __file__], "needs --hostfile")])
def test_the_launcher_refuses(arguments, said, capsys):
    from weft.distributed.launcher import launch
    assert launch(arguments) == 2
    text = capsys.readouterr().err
    assert said in text and "fix:" in text


def test_a_deserted_mpiexec_is_ended(monkeypatch):
    """One that doesn't notice that its processes are gone; one that still has some is waited for."""
    from weft.distributed import launcher
    monkeypatch.setattr(launcher, "DESERTED", 0.3)
    stays = "import subprocess, time; subprocess.run(['sleep', '0.5']); time.sleep(100)"
    assert launcher.run_once([sys.executable, "-c", stays], dict(os.environ)) == (128 + signal.SIGTERM, False)
    ends = "import subprocess; subprocess.run(['sleep', '1']); raise SystemExit(7)"
    assert launcher.run_once([sys.executable, "-c", ends], dict(os.environ)) == (7, False)


def test_mpiexec_command_lines(monkeypatch):
    from weft.distributed import launcher
    options, program = launcher.parse(["--nproc_per_node", "2", "--nnodes=3", "--hostfile", "hosts", "-m", "package.train", "-n", "5"])
    line = launcher.command(options, program)
    assert line[1:3] == ["-n", "6"] and line[-4:] == ["-m", "package.train", "-n", "5"] and "hosts" in line
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(launcher, "_threads_allowed", lambda: 8)
    assert launcher.environment(options)["OMP_NUM_THREADS"] == "4" and launcher.count({"-n": "auto"}, "-n", 1) == 8


# alone

class Never:
    """A request that is not answered."""

    def Test(self):
        return False


def test_waiting_is_told_and_ends(monkeypatch, capsys):
    from weft.distributed import work
    monkeypatch.setattr(work, "SPINS", 10)
    monkeypatch.setattr(work, "LONG", 0.01)
    call = work.Call(weft.distributed.ProcessGroup(), "all_reduce", "float32 [2] SUM")
    with pytest.raises(RuntimeError, match=r"all_reduce: rank 0 waited 0.1 s for the others\n  in  test_mpi.py:\d+"):
        work.finish(Never(), call, seconds=0.1)
    said = capsys.readouterr().err
    assert said.count("rank 0 has waited 0.01 s") == 1 and "all_reduce(float32 [2] SUM)  in  test_mpi.py:" in said


def test_one_process_needs_no_mpi(tmp_path):
    """The same script, without a launcher, doesn't import mpi4py."""
    program = "import sys, weft.distributed as d; d.init_process_group('gloo'); d.barrier(); print(d.get_world_size(), 'mpi4py' in sys.modules)"
    made = run([sys.executable, "-c", program])
    assert made.stdout.split() == ["1", "False"], made.stderr


def test_an_address_is_needed(monkeypatch):
    for name in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="MASTER_ADDR expected"):
        weft.distributed.init_process_group("gloo", rank=0, world_size=2)
    with pytest.raises(ValueError, match="rank -1 of 2"):
        weft.distributed.init_process_group("gloo", world_size=2)
    with pytest.raises(ValueError, match="init_method"):
        weft.distributed.init_process_group("gloo", init_method="http://here", rank=0, world_size=2)
    assert not weft.distributed.is_initialized()


# who still lives

class Fellows:
    """A server's Ward with connections of processes that the test plays."""

    def __init__(self, n, seconds):
        from weft.distributed import pulse
        self.ward, self.links = pulse.Ward(seconds, tick=0.05), []
        for rank in range(n):
            here, there = socket.socketpair()
            here.settimeout(10)
            self.ward.add(there, {"rank": str(rank)})
            self.links.append(here)

    def heard(self, rank, beating=(), seconds=5.0):
        """The first news that a rank gets, while others beat; None if there is none."""
        until, text = time.monotonic() + seconds, b""
        while time.monotonic() < until:
            for other in beating:
                self.links[other].sendall(b"cmd=beat\n")
            self.links[rank].settimeout(0.02)
            try:
                text += self.links[rank].recv(4096)
            except TimeoutError:
                continue
            for line in text.decode().split("\n")[:-1]:
                if line != "cmd=beat":
                    return line
        return None


def test_a_silent_rank_is_told_to_the_others():
    fellows = Fellows(3, seconds=0.5)
    assert fellows.heard(0, beating=(0, 2)) == "cmd=silent rank=1 seconds=0.5"
    assert fellows.heard(2) == "cmd=silent rank=1 seconds=0.5"


def test_a_job_that_is_stopped_as_a_whole_is_waited_for():
    fellows = Fellows(2, seconds=0.3)
    assert fellows.heard(0, seconds=1.2) is None
    assert fellows.heard(0, beating=(0, 1), seconds=0.5) is None        # it goes on
    assert fellows.heard(0, beating=(0,)) == "cmd=silent rank=1 seconds=0.3"


def test_a_rank_that_says_goodbye_may_be_silent_and_go():
    fellows = Fellows(3, seconds=0.3)
    fellows.links[1].sendall(b"cmd=bye\n")
    assert fellows.heard(0, beating=(0, 2), seconds=0.8) is None
    fellows.links[1].close()
    assert fellows.heard(0, beating=(0, 2), seconds=0.3) is None
    fellows.links[2].sendall(b"cmd=bye\ncmd=hello\n")
    fellows.links[2].close()
    assert fellows.heard(0, beating=(0,)) == "cmd=lost rank=2"


PULSE = """
import socket, sys, time
from weft.distributed import pulse
from weft.kernels import fast
pulse.GRACE = 0.2
link = pulse.connect("127.0.0.1", int(sys.argv[1]))
pulse.pulse.begin(link, 3, 1.5, [2], fast.base)
if sys.argv[2] == "stop":
    pulse.pulse.stop()
    print("stopped", flush=True)
time.sleep(4 if sys.argv[2] == "stop" else 60)
print("came to its end")
"""


@pytest.mark.parametrize("said, how, code, wanted", [
    ("cmd=lost rank=1\n", "", 1, "rank 3: rank 1 has ended without saying goodbye; this process ends too"),
    ("cmd=silent rank=0 seconds=6\n", "", 1, "rank 3: rank 0 has been silent for 6 s: stopped, or its machine or network is gone"),
    ("close", "", 1, "rank 3: the server of rank 0, where the processes meet, has gone"),
    ("", "", 1, "rank 3: nothing is heard of the server of rank 0"),
    ("cmd=silent rank=0 seconds=6\n", "stop", 0, "")])
@pytest.mark.parametrize("pure", ["0", "1"])
def test_what_a_process_does_with_bad_news(said, how, code, wanted, pure):
    """From the kernels' thread, and from a Python thread where there are none."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        job = subprocess.Popen([sys.executable, "-c", PULSE, str(server.getsockname()[1]), how], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**clean(), "WEFT_PURE": pure})
        link, _ = server.accept()
        with link, link.makefile("rb") as lines:
            assert lines.readline().startswith(b"cmd=watch rank=3 pid=") and (how or lines.readline() == b"cmd=beat\n")
            assert how != "stop" or job.stdout.readline() == "stopped\n"
            if said == "close":
                link.shutdown(socket.SHUT_RDWR)
            elif said:
                link.sendall(said.encode())
            out, wrong = job.communicate(timeout=60)
    assert job.returncode == code and wrong.startswith(wanted) and bool(wrong) == bool(wanted), wrong
    assert ("came to its end" in out) == (how == "stop")


@pytest.mark.slow
@pytest.mark.parametrize("where", ["joined", "early"])
def test_a_stopped_rank_ends_the_job_and_is_named(tmp_path, where):
    (tmp_path / "program.py").write_text(textwrap.dedent("""
        import os, signal, sys
        import weft, weft.distributed as dist
        rank = int(os.environ["RANK"])
        open(os.path.join(sys.argv[2], f"pid{rank}"), "w").write(str(os.getpid()))
        if sys.argv[1] == "joined":
            dist.init_process_group()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        if sys.argv[1] == "early":
            dist.init_process_group()
        dist.barrier()
        """))
    made = run([*LAUNCH, "-n", "3", str(tmp_path / "program.py"), where, str(tmp_path)], WEFT_HEARTBEAT="3")
    said = "rank 1 has been silent for 3 s" if where == "joined" else "weft launch: rank 1 (process"
    assert made.returncode not in (0, None) and said in made.stderr and gone(tmp_path), made.stderr


def test_the_heartbeats_limit_is_checked(monkeypatch):
    from weft.distributed import pulse
    assert pulse.limit() == pulse.LIMIT
    monkeypatch.setenv("WEFT_HEARTBEAT", "0")
    assert pulse.limit() == 0
    monkeypatch.setenv("WEFT_HEARTBEAT", "soon")
    with pytest.raises(ValueError, match="WEFT_HEARTBEAT=soon"):
        pulse.limit()


OPEN = {"MPI4PY_MPIABI": "openmpi", "WEFT_MPIEXEC": "mpiexec.openmpi", "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
open_mpi = pytest.mark.skipif(shutil.which("mpiexec.openmpi") is None, reason="Open MPI is not installed")


@open_mpi
@pytest.mark.slow
@pytest.mark.parametrize("program, arguments", [("several.py", [*PROGRAMS, 2]), ("data_parallel.py", []),
                                                ("resharding.py", [])])
def test_open_mpi(program, arguments):
    made = run([*LAUNCH, "-n", "2", str(HERE / program), *map(str, arguments)], timeout=600, **OPEN)
    right(made, "all right 2")


@open_mpi
@pytest.mark.slow
@pytest.mark.parametrize("how, code, said", [("raise", 1, "rank 1 failed:\nTraceback"), ("kill", None, ""),
                                             ("exit", None, "")])
def test_a_rank_that_fails_ends_a_job_of_open_mpi(faulty, how, code, said):
    made = run([*LAUNCH, "-n", "3", str(faulty), how, str(faulty.parent)], timeout=60, **OPEN)
    assert made.returncode and code in (None, made.returncode) and said in made.stderr, made.stderr
    assert "sum" not in made.stdout and gone(faulty.parent)


def test_a_launcher_of_choice(monkeypatch):
    from weft.distributed import launcher
    monkeypatch.setenv("WEFT_MPIEXEC", "no-such-mpiexec")
    with pytest.raises(launcher.Refused, match="WEFT_MPIEXEC"):
        launcher.mpiexec()
    monkeypatch.setenv("WEFT_MPIEXEC", sys.executable)
    monkeypatch.setattr(launcher, "is_open_mpi", lambda run: True)
    line = launcher.command(*launcher.parse(["-n", "4", __file__]))
    assert line[:6] == [sys.executable, "-n", "4", "--bind-to", "none", "--oversubscribe"]
    monkeypatch.setenv("OMPI_MCA_btl", "self,vader")
    monkeypatch.delenv("OMPI_COMM_WORLD_SIZE", raising=False)
    assert launcher.environment({})["OMPI_MCA_btl"] == "self,vader"      # what the user set stays
