"""Peak memory of a row's function, in a process of its own: how far the resident memory rises above what it was before.

    python benchmarks/peak.py ROW LIBRARY THREADS       prints the bytes (used by bench.py through `peak_of`)
"""
import importlib
import os
import subprocess
import sys


def resident(what):
    """VmRSS (now) or VmHWM (the most so far) of this process, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(what + ":"):
                return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {what}")


def rise(make, T, calls=3):
    """Bytes by which `make(T)` and some calls of what it gives raise the peak."""
    before = resident("VmRSS")
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")     # the peak counts from now
    except OSError:
        pass
    run = make(T)
    for _ in range(calls):
        run()
    return resident("VmHWM") - before


def peak_of(row_name, library, threads):
    """The same, in a new process; None if it can't be done there."""
    made = subprocess.run([sys.executable, os.path.abspath(__file__), row_name, library, str(threads)],
                          capture_output=True, text=True)
    return float(made.stdout) if made.returncode == 0 else None


def main():
    from rows import all_rows
    name, library, threads = sys.argv[1:]
    T = importlib.import_module(library)
    importlib.import_module(library + ".nn.functional")       # what is loaded when first used is not the row's
    T.set_num_threads(int(threads))
    (T.ones(64, 64, requires_grad=True) @ T.ones(64, 64)).sum().backward()      # nor are the pools and engines
    row = next(r for r in all_rows() if r.name == name)
    print(rise(row.make, T))


if __name__ == "__main__":
    main()
