"""weft beside PyTorch (and JAX, tinygrad where installed), measured by turns in one run.

    python benchmarks/bench.py [--only SUBSTRING] [--threads 1,2] [--quick] [--json PATH] [--svg PATH]

`ratio` is weft's time over PyTorch's, `goal` the most it may be (DESIGN.md section 10), OVER marks a missed one. A
whole run keeps benchmarks/results.json and draws benchmarks/speed.svg; a partial one does so only where --json and
--svg say.
"""
import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys

import busy
import limits as machine_limits
import numpy as np
import others
import packages
import picture
import table
import torch
from measure import by_turns
from peak import peak_of
from rows import all_rows

import weft

HOME = os.path.dirname(os.path.abspath(__file__))


# one row

def prepare(row, T):
    """(the function, its first results, what went wrong)"""
    try:
        run = row.make(T)
        return run, getattr(run, "first", None) or run(), None
    except (AttributeError, NotImplementedError) as error:
        return None, None, f"not there yet: {str(error).splitlines()[0][:90]}"
    except Exception as error:      # one row's fault must not end the run
        return None, None, f"fails: {type(error).__name__}: {str(error).splitlines()[0][:60] if str(error) else ''}"


def numbers(value):
    """The arrays in a result: a tensor, an array, or a list of such."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (list, tuple)):
        return [a for v in value for a in numbers(v)]
    return [value.detach().numpy()] if hasattr(value, "detach") else []


def agree(ours, theirs):
    """Whether two results are the same but for rounding."""
    first, second = numbers(ours), numbers(theirs)
    return len(first) == len(second) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-3, atol=2e-3 * (np.abs(b).max() if b.size else 0) + 1e-6,
                                           equal_nan=True)
        for a, b in zip(first, second))


def measure_row(row, threads, seconds, libraries):
    """The row's figures at one number of threads."""
    result = {"name": row.name, "group": row.group, "threads": threads, "unit": "s", "goal": row.goal, "weft": None,
              "torch": None, "ratio": None}
    ours, our_value, fault = prepare(row, weft)
    theirs, their_value, their_fault = prepare(row, torch)
    if fault or their_fault:
        result["status"] = fault or f"torch {their_fault}"
        if theirs is not None:
            result["torch"], = by_turns([theirs], seconds / 4, 3)
        return result
    if row.check and not agree(our_value, their_value):
        result["status"] = "RESULTS DIFFER"
    del our_value, their_value
    extra = {name: made for name in libraries if (made := others.make(name, row.name)) is not None}
    times = by_turns([ours, theirs, *extra.values()], seconds)
    result.update(weft=times[0], torch=times[1], ratio=times[0] / times[1])
    if extra:
        result["others"] = dict(zip(extra, times[2:]))
    if row.flops:
        result["gflops"] = row.flops / times[0] / 1e9
    elif row.bytes:
        result["gbs"] = row.bytes / times[0] / 1e9
    return result


def memory_row(row, threads):
    """Its peak memory."""
    ours, theirs = (peak_of(row.name, name, threads) for name in ("weft", "torch"))
    result = {"name": row.name + ", peak memory", "group": "memory", "threads": threads, "unit": "B", "goal": 0.8,
              "weft": ours, "torch": theirs, "ratio": ours / theirs if ours is not None and theirs else None}
    return result if ours is not None else {**result, "status": "not there yet"}


# what is not a row: the import, the size on disk

def import_seconds(name, rounds):
    """The best of some cold interpreters importing a module, less the interpreter itself. It has its bytecode, as
    after an installation: the first import writes it, also where the environment says that none is to be written.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c",
               f"import time; t = time.perf_counter(); import {name}; print(time.perf_counter() - t)"]
    times = [float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
             for _ in range(rounds + 1)]
    return min(times[1:])


def requirements(name, found=None):
    """A distribution and what it needs, as names."""
    found = {} if found is None else found
    try:
        made = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return found
    found[name] = made
    for line in made.requires or ():
        need = re.match(r"[A-Za-z0-9._-]+", line)[0].lower()
        if "extra ==" not in line and need not in found:
            requirements(need, found)
    return found


def distribution_bytes(made):
    """What a distribution's files take on disk, without Python's caches."""
    paths = (str(made.locate_file(f)) for f in made.files or () if "__pycache__" not in str(f))
    return sum(os.path.getsize(p) for p in paths if os.path.isfile(p))


def installed_bytes():
    """(weft with NumPy and ml_dtypes, torch with what it needs)"""
    own = sum(os.path.getsize(os.path.join(folder, f))
              for folder, _, files in os.walk(os.path.dirname(os.path.abspath(weft.__file__)))
              if "__pycache__" not in folder for f in files)
    needed = {**requirements("numpy"), **requirements("ml_dtypes")}
    return own + sum(map(distribution_bytes, needed.values())), sum(map(distribution_bytes,
                                                                        requirements("torch").values()))


def packaging_rows(threads, quick):
    figures = [("import", "s", import_seconds("weft", 2 if quick else 5), import_seconds("torch", 1 if quick else 3),
                0.13),
               ("installed size, with what is needed", "B", *installed_bytes(), 0.12)]
    return [{"name": name, "group": "package", "threads": threads, "unit": unit, "goal": goal, "weft": ours,
             "torch": theirs, "ratio": ours / theirs}
            for name, unit, ours, theirs, goal in figures]


# the run

def plan(only, thread_counts):
    """(row, threads) in order; small rows once, at the most threads."""
    rows = [r for r in all_rows() if only is None or only in r.name or only == r.group]
    return [(r, n) for r in rows for n in ((max(thread_counts),) if r.small else thread_counts)]


def facts(limits, libraries):
    from weft.kernels import fast
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": {"processor": _processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "versions": {"weft": weft.__version__, "torch": torch.__version__, "numpy": np.__version__,
                     "python": platform.python_version(), **libraries},
        "core": "plain" if weft._pure.PURE else "compiled", "kernels": fast.name,
        "limits": {str(n): found for n, found in limits.items()}}


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def keep(path, about, results):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**about, "rows": results}, file, indent=1)
        file.write("\n")


def draw(path, about, results, threads):
    versions = ", ".join(f"{name} {about['versions'][name]}" for name in ("weft", "torch"))
    machine = f"{about['machine']['processor']}, {about['machine']['cores']} cores, {about['date'][:10]}."
    with open(path, "w", encoding="utf-8") as file:
        file.write(picture.draw(results, threads, machine, versions))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only",
                        help="rows whose name contains this, or a group: 8x8, models, matmul, elementwise, layers, "
                        "conv, packages, busy, ...")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, such as 1,2")
    parser.add_argument("--quick", action="store_true", help="a third of the time, with less certain figures")
    parser.add_argument("--json", help="keep the figures in this file")
    parser.add_argument("--svg", help="draw the picture into this file")
    return parser.parse_args()


def main():
    given = options()
    thread_counts = [int(n) for n in given.threads.split(",")]
    whole = given.only is None and not given.quick
    libraries = others.installed()
    print(f"weft {weft.__version__}, torch {torch.__version__}; " + ", ".join(
        f"{name} {libraries[name]}" if name in libraries else f"{name} is not here" for name in others.NAMES))
    if packages.absent():
        print(f"rows of packages that are not installed are left out: {', '.join(packages.absent())}")
    limits = machine_limits.measure(thread_counts, 15 if given.quick else 60)
    for n, found in limits.items():
        print(f"the machine's limit at {n} thread{'s' if n > 1 else ''}: {found['gflops']:.0f} GFLOP/s, "
              f"{found['gbs']:.1f} GB/s")
    print("\n" + table.HEAD, flush=True)
    results = []

    def show(result):
        results.append(result)
        print(table.line(result, limits), flush=True)
    for row, threads in plan(given.only, thread_counts):
        weft.set_num_threads(threads)
        torch.set_num_threads(threads)
        show(measure_row(row, threads, 0.3 if given.quick else 0.4 if row.small else 0.9,
                         libraries if threads == max(thread_counts) else {}))
    for row, threads in plan(given.only, [max(thread_counts)]):
        if row.memory:
            show(memory_row(row, threads))
    if given.only is None or given.only == "busy":
        for result in busy.measure(max(thread_counts), 3 if given.quick else 8):
            show(result)
    if given.only is None or given.only in ("import", "package"):
        for result in packaging_rows(max(thread_counts), given.quick):
            show(result)
    print("\n" + table.summary(results))
    about = facts(limits, libraries)
    for path, default, write in ((given.json, "results.json", lambda p: keep(p, about, results)),
                                 (given.svg, "speed.svg", lambda p: draw(p, about, results, max(thread_counts)))):
        if path or whole:
            write(path or os.path.join(HOME, default))


if __name__ == "__main__":
    main()
