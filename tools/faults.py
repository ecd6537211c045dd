"""Break a job in every way, many times, and see how it ends: python tools/faults.py [--times 20] [--only kill]

Each run starts 3 processes with `weft launch` and lets one of them fail while the others wait for it. Printed are the
exit codes, the longest time from the fault to the end of the job, and what was left: processes, files in /tmp and
/dev/shm.
"""
import argparse
import glob
import os
import signal
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
    os.kill(os.getpid(), signal.SIGSTOP if how == "stop" else signal.SIGKILL)

note(f"pid{rank}")
if how == "raise early" and rank == 1:
    failing()
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=4) if how == "stop" else None)
dist.barrier()
if how == "wait":
    note(f"ready{rank}")
    time.sleep(100)
if how == "wait busy":
    note(f"ready{rank}")
    while True:
        dist.all_reduce(torch.ones(1000))
if rank == (0 if how == "kill first" else 1) or how == "raise all":
    failing()
dist.all_reduce(torch.ones(1))
"""
# the fault, what the program is told to do, and a signal, if any: for the launcher, or (negative) for all processes
FAULTS = {"a rank raises": ("raise", None), "a rank raises before it has joined": ("raise early", None),
          "all ranks raise": ("raise all", None), "a rank exits with a code": ("exit", None),
          "a rank is killed (kill -9)": ("kill", None), "rank 0 is killed": ("kill first", None),
          "a rank stops answering (SIGSTOP, timeout of 4 s)": ("stop", None),
          "Ctrl-C in a terminal": ("wait", -signal.SIGINT), "SIGINT for the launcher": ("wait", signal.SIGINT),
          "Ctrl-C while ranks exchange": ("wait busy", -signal.SIGINT),
          "SIGTERM for the launcher": ("wait", signal.SIGTERM)}


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


def once(how, number):
    """(exit code, seconds from the fault to the job's end, processes left, what it wrote)"""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(PROGRAM)
        job = subprocess.Popen([sys.executable, "-m", "weft", "launch", "-n", "3", program, how, folder], text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
                               env={**os.environ, "OMP_NUM_THREADS": "1"})
        began, wanted = None, ("fault", 1) if number is None else ("ready*", 3)
        while len(glob.glob(os.path.join(folder, wanted[0]))) < wanted[1] and job.poll() is None:
            time.sleep(0.02)        # a busy machine takes its time to start
        if number is not None:
            began = time.time()
            job.send_signal(number) if number > 0 else os.killpg(job.pid, -number)
        try:
            said = job.communicate(timeout=90)[1]
        except subprocess.TimeoutExpired:
            left = alive(folder)
            os.killpg(job.pid, signal.SIGKILL)
            for path in alive(folder):
                with open(path) as file:
                    os.kill(int(file.read()), signal.SIGKILL)
            return "hangs", 90, left, ""
        began = began or os.path.getmtime(os.path.join(folder, "fault"))
        took, until = time.time() - began, time.time() + 5
        while alive(folder) and time.time() < until:
            time.sleep(0.02)
        return job.returncode, took, alive(folder), said


def table(times, only=""):
    """Rows (fault, exit codes, longest seconds, processes left, files left, tracebacks in all)."""
    for fault, (how, number) in FAULTS.items():
        if only not in fault:
            continue
        before = leftovers()
        runs = [once(how, number) for _ in range(times)]
        yield (fault, sorted({str(code) for code, *_ in runs}), max([took for _, took, *_ in runs]),
               sum([len(left) for *_, left, _ in runs]), len(leftovers() - before),
               sum([said.count("Traceback (most recent call last)") for *_, said in runs]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"| fault, {options.times} times | exit codes | longest end | processes left | files left | tracebacks |")
    print("| --- | --- | --- | --- | --- | --- |")
    for fault, codes, longest, left, files, traces in table(options.times, options.only):
        print(f"| {fault} | {', '.join(codes)} | {longest:.1f} s | {left} | {files} | {traces} |", flush=True)


if __name__ == "__main__":
    main()
