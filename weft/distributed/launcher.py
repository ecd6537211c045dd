"""start a program in several processes, over mpiexec: weft launch -n 4 train.py

usage: weft launch [-n N | --nproc-per-node N] [--nnodes M --hostfile FILE] [--max-restarts K] [--log-dir DIR]
                   [--gpus N] [--keep-torch] PROGRAM.py [ARGUMENTS]
       weft launch -n 4 -m MODULE [ARGUMENTS]

torchrun's other options are taken too. Every process finds RANK, WORLD_SIZE, LOCAL_RANK and the like, and its share of
the cores (OMP_NUM_THREADS overrules that); `import torch` is weft in it, unless --keep-torch is given. A process that
fails ends all of them; --max-restarts starts them again so many times (TORCHELASTIC_RESTART_COUNT counts), to go on
from a checkpoint. With --log-dir only rank 0 writes to the terminal, the others to DIR/rank_1.log and so on. --gpus N
lets the CPU stand in for N GPUs. Without a launcher of ours, `mpiexec -n 4 python train.py` and `srun` work too.
"""
import contextlib
import glob
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time

from weft.core.settings import _threads_allowed
from weft.distributed import pulse

VALUED = """-n --nproc-per-node --nnodes --hostfile --max-restarts --log-dir --gpus --node-rank --master-addr
    --master-port --rdzv-backend --rdzv-endpoint --rdzv-id --rdzv-conf --monitor-interval --start-method --role
    --redirects --tee --local-addr --local-ranks-filter --logs-specs -r -t""".split()
FLAGS = "-m --module --standalone --keep-torch --no-python --run-path --use-env".split()

LOOK = 0.1          # seconds between two looks at the processes
PATIENCE = 2        # seconds from a signal to the next, stronger one
DESERTED = 4        # seconds that mpiexec may stay without processes
SHORT = {"-np": "-n", "--nproc": "-n", "--nproc-per-node": "-n", "-f": "--hostfile", "--module": "-m"}
OTHERS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")       # set by a launcher around us


class Refused(Exception):
    """Arguments that don't make sense: what to say."""


def parse(arguments):
    """(options, program and its arguments); options' names as with - for _."""
    options, rest = {}, list(arguments)
    while rest and rest[0].startswith("-"):
        name, given, value = rest.pop(0).partition("=")
        name = name[:2] + name[2:].replace("_", "-")
        name = SHORT.get(name, name)
        if name in FLAGS:
            options[name] = True
        elif name in VALUED:
            if not given and not rest:
                raise Refused(f"{name} needs a value")
            options[name] = value if given else rest.pop(0)
        else:
            raise Refused(f"there is no option {name}")
        if name == "-m":
            break
    if not rest:
        raise Refused("which program? give a .py file, or -m and a module")
    if "-m" not in options and "--no-python" not in options and not os.path.exists(rest[0]):
        raise Refused(f"there is no file {rest[0]}")
    return options, rest


def count(options, name, default):
    text = str(options.get(name, default))
    if text in ("auto", "cpu") and name == "-n":
        return _threads_allowed()
    if not text.isdigit() or int(text) < (name != "--max-restarts"):
        raise Refused(f"{name} takes a number, not {text!r}")
    return int(text)


def mpiexec():
    """The launcher that WEFT_MPIEXEC names, or that stands beside this Python, or else the machine's."""
    wanted = os.environ.get("WEFT_MPIEXEC")
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    found = shutil.which(wanted or (beside if os.access(beside, os.X_OK) else "mpiexec"))
    if found is None and wanted:
        raise Refused(f"there is no {wanted}, which WEFT_MPIEXEC names")
    if found is None:
        raise Refused("there is no mpiexec: pip install 'weft[mpi]', or load the machine's MPI")
    return found


def is_open_mpi(run):
    """Version 4 calls itself OpenRTE, version 5 Open MPI or PRRTE."""
    said = subprocess.run([run, "--version"], capture_output=True, text=True).stdout
    return any([name in said for name in ("Open MPI", "OpenRTE", "PRRTE")])


def command(options, program):
    """The command line for mpiexec."""
    each, machines = count(options, "-n", 1), count(options, "--nnodes", 1)
    run = mpiexec()
    line, open_mpi = [run, "-n", str(each * machines)], is_open_mpi(run)
    if open_mpi:            # it would pin each process to a core, and refuse more of them than there are cores
        line += ["--bind-to", "none", "--oversubscribe"]
    if "--hostfile" in options:
        hosts, share = ("--hostfile", "-npernode") if open_mpi else ("-f", "-ppn")
        line += [hosts, options["--hostfile"], share, str(each)]
    elif machines > 1:
        raise Refused("--nnodes above 1 needs --hostfile FILE, with a line for each machine")
    if "--no-python" in options:
        return [*line, *program]
    wanted = [word for name, word in (("--keep-torch", "--keep-torch"), ("-m", "-m")) if name in options]
    return [*line, sys.executable, "-m", "weft.cli._rank", *wanted, *program]


def environment(options):
    made = dict(os.environ)
    inside = "OMPI_COMM_WORLD_SIZE" in made
    for name in list(made):         # what a launcher around us set is not the processes' own; what the user set stays
        settings = ("OMPI_ALLOW_RUN_AS_ROOT",) if inside else ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_")
        if name.startswith(("PMI_", "OMPI_", "PMIX_")) and not name.startswith(settings) or name in OTHERS:
            del made[name]
    each = count(options, "-n", 1)
    made.setdefault("OMP_NUM_THREADS", str(max(1, _threads_allowed() // each)))
    made.setdefault("HWLOC_XMLFILE", "")        # else MPICH's mpiexec leaves files in /tmp when a job fails
    made["TORCHELASTIC_RUN_ID"] = options.get("--rdzv-id", secrets.token_hex(4))
    made["TORCHELASTIC_MAX_RESTARTS"] = str(count(options, "--max-restarts", 0))
    made["MASTER_ADDR"] = options.get("--master-addr", "127.0.0.1")
    made["MASTER_PORT"] = options.get("--master-port", "29500")
    if "--gpus" in options:
        made["WEFT_GPUS"] = str(count(options, "--gpus", 0))
    if "--log-dir" in options:
        made["WEFT_LOG_DIR"] = os.path.abspath(options["--log-dir"])
        os.makedirs(made["WEFT_LOG_DIR"], exist_ok=True)
    return made


def run_once(line, settings, local=True):
    """Run the job; its exit code, and whether it was interrupted. A terminal's Ctrl-C reaches mpiexec too, which ends
    the processes; a signal to us alone is passed on. local: the processes are all on this machine, see `Below`.
    """
    job, signals = subprocess.Popen(line, env=settings), []
    before = {n: signal.signal(n, lambda n, frame: signals.append(n)) for n in (signal.SIGINT, signal.SIGTERM)}
    below = Below(job.pid, local)
    try:
        while job.poll() is None and not signals and not below.stuck():
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.wait(LOOK)
        for end in (job.terminate, job.kill) if below.stopped else (lambda: None, job.terminate, job.kill):
            if job.poll() is None:
                end()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    job.wait(PATIENCE)
        job.wait()
    finally:
        below.end()
        for number, handler in before.items():
            signal.signal(number, handler)
    code = job.returncode
    return (128 + signals[0] if signals else 128 - code if code < 0 else code), bool(signals)


class Below:
    """The processes that a launcher of MPI's started on this machine, as the system tells (where it does). It looks
    every LOOK seconds whether they can still come to an end: a mpiexec may stay when they are gone, or a process is
    stopped before it has joined the others, who then wait for it inside MPI. What is left in the end is ended, too.
    """

    def __init__(self, pid, local):
        self.pid, self.local = pid, local and os.path.exists("/proc/self/task")
        self.seen, self.deserted, self.still, self.stopped = {}, 0, 0, None
        limit = pulse.limit()
        self.most = (limit + 1) / LOOK if limit else float("inf")       # after the processes' own way of noticing

    def stuck(self):
        if not self.local:
            return False
        found = self.processes()
        self.seen.update({pid: start for pid, start, _, _ in found})
        states = {pid: state for pid, _, name, state in found if not name.startswith("hydra") and state != "Z"}
        asleep = [pid for pid, state in states.items() if state == "T"]
        self.deserted = self.deserted + 1 if self.seen and not states else 0
        self.still = self.still + 1 if 0 < len(asleep) < len(states) else 0
        if self.still > self.most:
            self.stopped = asleep[0]
            print(f"weft launch: {rank_of(asleep[0])} has been stopped for {self.still * LOOK:.0f} s, and the others "
                  "wait for it: the job is ended", file=sys.stderr)
        return self.stopped is not None or self.deserted * LOOK > DESERTED

    def processes(self):
        """(number, when it started, name, state) of all."""
        waiting, found = [self.pid], []
        while waiting:
            above, numbers = waiting.pop(), []
            with contextlib.suppress(OSError), open(f"/proc/{above}/task/{above}/children") as file:
                numbers = [int(number) for number in file.read().split()]
            found.extend([(pid, *told[1:]) for pid in numbers if (told := status(pid))])
            waiting.extend(numbers)
        return found

    def end(self):
        """End what outlived mpiexec: a stopped process hears no other signal."""
        until = time.monotonic() + 1
        while (left := [pid for pid, start in self.seen.items() if running(pid, start)]) and time.monotonic() < until:
            time.sleep(LOOK / 4)
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def status(pid):
    """(number, when it started, name, state) of a process; None if there is none."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
        name, _, rest = file.read().partition(" (")[2].rpartition(") ")
        return pid, rest.split()[19], name, rest[:1]
    return None


def running(pid, start):
    found = status(pid)
    return found is not None and found[1] == start and found[3] != "Z"


def rank_of(pid):
    """How to call a process: by its rank, if it has one."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ") as file:
        for word in file.read().split("\0"):
            if word.startswith(("PMI_RANK=", "OMPI_COMM_WORLD_RANK=")):
                return f"rank {word.partition('=')[2]} (process {pid})"
    return f"process {pid}"


def sweep(since):
    """Remove the shared memory of processes that were killed while MPICH or a group started: it has a name for that
    long, and nobody uses it any more.
    """
    for _ in range(2):      # a job that starts just now has its own in use a moment later
        left = [path for path in glob.glob("/dev/shm/mpich_shm_*") + glob.glob("/dev/shm/weft_board_*")
                if unused(path, since)]
        if not left:
            return
        time.sleep(0.2)
    for path in left:
        with contextlib.suppress(OSError):
            os.unlink(path) if unused(path, since) else None


def unused(path, since):
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if found.st_uid == os.getuid() and found.st_mtime >= since:
            return not any([path in text for text in map(maps, glob.glob("/proc/[0-9]*/maps"))])
    return False


def maps(path):
    with contextlib.suppress(OSError), open(path) as file:
        return file.read()
    return ""


def launch(arguments):
    """Start a program's processes; the exit code."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    try:
        options, program = parse(arguments)
        line, settings, restarts = command(options, program), environment(options), count(options, "--max-restarts", 0)
    except Refused as refused:
        print(f"weft launch: {refused}\n  fix: `weft launch --help` shows how it is called", file=sys.stderr)
        return 2
    for attempt in range(restarts + 1):
        settings["TORCHELASTIC_RESTART_COUNT"], began = str(attempt), time.time()
        code, interrupted = run_once(line, settings, "--hostfile" not in options)
        if code:
            sweep(began - 1)
        if code == 0 or interrupted:
            break
        left = restarts - attempt
        print(f"weft launch: the job failed with exit code {code}" + (f"; started again, {left} of {restarts} left"
                                                                      if left else ""), file=sys.stderr)
    return code
