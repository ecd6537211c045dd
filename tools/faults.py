"""Break a job in every way, many times, and see how it ends: python tools/faults.py [--times 20] [--only kill]

Each run starts 3 processes with `weft launch` (or by hand, without) and lets one of them fail while the others wait for
it. Printed are the exit codes, the longest time from the fault to the end of the job, and what was left:
processes, files in /tmp and /dev/shm. A run in which this program itself was stopped for a while (somebody measures on
this machine, and lets a stopped process go on afterwards, too) is done again.
"""
import argparse
import contextlib
import glob
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import datetime, os, signal, sys, time
import torch
import torch.distributed as dist
how, folder = sys.argv[1:3]
rank = int(os.environ["RANK"])

def note(name):
    with open(os.path.join(folder, name), "w") as file:
        file.write(str(os.getpid()))

def failing():
    note("fault")
    if "raise" in how:
        raise ValueError("on purpose")
    if how == "exit":
        sys.exit(3)
    os.kill(os.getpid(), signal.SIGSTOP if "stop" in how else signal.SIGKILL)

def work():
    note(f"pid{rank}")
    victim = 0 if how.endswith("first") else 1
    if how.endswith("early") and rank == victim:
        failing()
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=4) if how == "stop short" else None)
    dist.barrier()
    if how == "wait":
        note(f"ready{rank}")
        time.sleep(100)
    if how == "wait busy":
        note(f"ready{rank}")
        while True:
            dist.all_reduce(torch.ones(1000))
    if rank == victim or how == "raise all":
        failing()
    if how == "stop others work":
        until = time.monotonic() + 100
        while time.monotonic() < until:
            torch.ones(500, 500) @ torch.ones(500, 500)
    dist.all_reduce(torch.ones(1))

work()
"""
# the fault, what the program is told to do, and a signal, if any: for the launcher, or (negative) for all processes
FAULTS = {"a rank raises": ("raise", None), "a rank raises before it has joined": ("raise early", None),
          "all ranks raise": ("raise all", None), "a rank exits with a code": ("exit", None),
          "a rank is killed (kill -9)": ("kill", None), "rank 0 is killed": ("kill first", None),
          "a rank is stopped (SIGSTOP)": ("stop", None), "rank 0 is stopped": ("stop first", None),
          "a rank is stopped before it has joined": ("stop early", None),
          "a rank is stopped, the others work": ("stop others work", None),
          "a rank is stopped, timeout of 4 s": ("stop short", None),
          "a rank is killed, started by hand": ("by hand kill", None),
          "a rank is stopped, started by hand": ("by hand stop", None),
          "rank 0 is stopped, started by hand": ("by hand stop first", None),
          "Ctrl-C in a terminal": ("wait", -signal.SIGINT), "SIGINT for the launcher": ("wait", signal.SIGINT),
          "Ctrl-C while ranks exchange": ("wait busy", -signal.SIGINT),
          "SIGTERM for the launcher": ("wait", signal.SIGTERM)}
# starts the processes, as a shell would: the exit code is the first one's
BY_HAND = """
import os, subprocess, sys
settings = {**os.environ, "WORLD_SIZE": "3"}
jobs = [subprocess.Popen([sys.executable, *sys.argv[1:]], env={**settings, "RANK": str(i)}) for i in range(3)]
sys.exit(max([abs(job.wait()) for job in jobs]))
"""
LONGEST = 90        # seconds after which a job hangs
PAUSE = 1.5         # seconds between two looks that say that this program was stopped


def leftovers():
    return {*glob.glob("/tmp/hydra_hwloc*"), *glob.glob("/tmp/weft-job-*"), *glob.glob("/dev/shm/mpich*")}


def alive(folder):
    found = []
    for path in glob.glob(os.path.join(folder, "pid*")):
        try:
            with open(path) as file:
                os.kill(int(file.read()), 0)
            found.append(path)
        except (ProcessLookupError, ValueError):
            pass
    return found


class Clock:
    """Seconds that pass while this program runs, and whether it was stopped."""

    def __init__(self):
        self.seconds, self.paused, self.last = 0.0, False, time.monotonic()

    def wait(self, seconds=0.02):
        time.sleep(seconds)
        now = time.monotonic()
        self.paused = self.paused or now - self.last > PAUSE
        self.seconds, self.last = self.seconds + now - self.last, now


def once(how, number):
    """(exit code, seconds from the fault to the job's end, processes left, what it wrote)"""
    while True:
        clock = Clock()
        found = attempt(how, number, clock)
        if not clock.paused:
            return found


def command(how, folder):
    program = os.path.join(folder, "program.py")
    with open(program, "w") as file:
        file.write(PROGRAM)
    if not how.startswith("by hand"):
        return [sys.executable, "-m", "weft", "launch", "-n", "3", program, how, folder], {}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    line = [sys.executable, "-c", BY_HAND, "-m", "weft", "run", program, how, folder]
    return line, {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}


def attempt(how, number, clock):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as said:
        line, variables = command(how, folder)
        job = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True,
                               env={**os.environ, "OMP_NUM_THREADS": "1", **variables})
        wanted = ("fault", 1) if number is None else ("ready*", 3)
        while len(glob.glob(os.path.join(folder, wanted[0]))) < wanted[1] and job.poll() is None:
            clock.wait()        # a busy machine takes its time to start
        clock.seconds = 0.0
        if number is not None:
            job.send_signal(number) if number > 0 else os.killpg(job.pid, -number)
        while job.poll() is None and clock.seconds < LONGEST:
            clock.wait()
        took, code = clock.seconds, job.poll()
        while alive(folder) and clock.seconds < took + 5:
            clock.wait()
        left = alive(folder)
        if code is None or left:
            end(job, folder)
        said.seek(0)
        return "hangs" if code is None else code, took, left, said.read()


def end(job, folder):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    for path in alive(folder):
        with open(path) as file:
            os.kill(int(file.read()), signal.SIGKILL)


def table(times, only=""):
    """Rows (fault, exit codes, longest seconds, processes left, files left, tracebacks in all, how many runs named the
    rank that failed).
    """
    for fault, (how, number) in FAULTS.items():
        if only not in fault:
            continue
        before = leftovers()
        runs = [once(how, number) for _ in range(times)]
        yield (fault, sorted({str(code) for code, *_ in runs}), max([took for _, took, *_ in runs]),
               sum([len(left) for *_, left, _ in runs]), len(leftovers() - before),
               sum([said.count("Traceback (most recent call last)") for *_, said in runs]),
               sum([f"rank {0 if how.endswith('first') else 1} " in said for *_, said in runs]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"| fault, {options.times} times | exit codes | longest end | processes left | files left | tracebacks | "
          "rank named |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for fault, codes, longest, left, files, traces, named in table(options.times, options.only):
        print(f"| {fault} | {', '.join(codes)} | {longest:.1f} s | {left} | {files} | {traces} | {named} |",
              flush=True)


if __name__ == "__main__":
    main()
