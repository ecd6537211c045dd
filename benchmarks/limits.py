"""The machine's limits, measured: GFLOP/s of multiply-adds in registers, GB/s of a = b + s * c on arrays of 4 M floats.
"""
import ctypes
import os
import shutil
import subprocess
import tempfile
import threading
import time

import numpy as np

FLOATS = 4 << 20
ADDS = 1_000_000        # rounds of multiply-adds in one measurement: some milliseconds


def _library():
    """limits.c, compiled for this processor; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits.c")
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        width = 64 if "avx512f" in file.read() else 32
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "limits.so")
        made = subprocess.run([compiler, "-O3", "-march=native", "-ffp-contract=fast", f"-DVECTOR={width}", "-shared",
                               "-fPIC", source, "-o", target],
                              capture_output=True)
        if made.returncode:
            return None
        library = ctypes.CDLL(target)
    pointer = ctypes.POINTER(ctypes.c_float)
    library.multiply_adds.argtypes, library.multiply_adds.restype = [ctypes.c_long, ctypes.c_float], ctypes.c_double
    library.triad.argtypes, library.triad.restype = [pointer, pointer, pointer, ctypes.c_float, ctypes.c_long], None
    return library


def _together(threads, body):
    """Seconds until body(k) is done on every thread."""
    workers = [threading.Thread(target=body, args=(k,)) for k in range(1, threads)]
    start = time.perf_counter()
    for w in workers:
        w.start()
    body(0)
    for w in workers:
        w.join()
    return time.perf_counter() - start


def measure(thread_counts, rounds=60):
    """{threads: {"gflops", "gbs"}}; by OpenBLAS and NumPy where there is no compiler."""
    library = _library()
    if library is None:
        return _by_numpy(thread_counts)
    arrays = [np.ones(FLOATS, np.float32) for _ in range(3)]
    a, b, c = (x.ctypes.data for x in arrays)
    at = lambda base, k: ctypes.cast(base + 4 * k, ctypes.POINTER(ctypes.c_float))
    found = {}
    for threads in thread_counts:
        piece = FLOATS // threads
        operations = library.multiply_adds(ADDS, 0.5)

        def adds(_):
            library.multiply_adds(ADDS, 0.5)

        def stream(k, piece=piece):
            library.triad(at(a, k * piece), at(b, k * piece), at(c, k * piece), 0.5, piece)
        flops = max(threads * operations / seconds for seconds in (_together(threads, adds) for _ in range(rounds)))
        bandwidth = max(12 * FLOATS / _together(threads, stream) for _ in range(2 * rounds))
        found[threads] = {"gflops": flops / 1e9, "gbs": bandwidth / 1e9}
    return found


def _by_numpy(thread_counts):
    a = np.ones((1024, 1024), np.float32)
    b, c = np.ones(FLOATS, np.float32), np.ones(FLOATS, np.float32)
    best = [float("inf")] * 2
    for _ in range(12):
        for k, f in enumerate((lambda: a @ a, lambda: np.copyto(b, c))):
            start = time.perf_counter()
            f()
            best[k] = min(best[k], time.perf_counter() - start)
    return {threads: {"gflops": 2 * 1024 ** 3 / best[0] / 1e9, "gbs": 8 * FLOATS / best[1] / 1e9}
            for threads in thread_counts}
