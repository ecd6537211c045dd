"""what is installed and in use here: core, kernels, processor, threads, BLAS, memory

usage: weft info [--json]

  --json    the same as one JSON object, for scripts and bug reports
"""
import json
import os
import platform
import sys

import numpy as np

from weft import _pure, memory
from weft._version import __version__
from weft.core.settings import settings
from weft.core.units import bytes_text
from weft.kernels import fast

OPTIONS = ("--json", "--help")


def run(arguments):
    """Print a line for each fact, or all as JSON."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if arguments not in ([], ["--json"]):
        print(f"weft info: it takes no arguments but --json, got {' '.join(arguments)}", file=sys.stderr)
        return 2
    if arguments:
        print(json.dumps(figures(), indent=2))
        return 0
    for name, value in facts():
        print(f"{name:10s} {value}")
    return 0


def figures():
    """The facts as plain values: numbers stay numbers, and what has parts is taken apart."""
    return {"weft": __version__, "core": "plain Python" if _pure.PURE else "compiled",
            "kernels": {"used": fast.name, "usable": kernel_sets(),
                        "count": kernel_count() if fast.lib is not None else 0},
            "processor": processor(), "cores": os.cpu_count(), "threads": settings.threads,
            "blas": os.path.basename(fast.blas) if fast.blas else None,
            "memory": memory.stats() if fast.base is not None else None, "numpy": np.__version__,
            "python": platform.python_version(), "executable": sys.executable,
            "system": platform.system(), "release": platform.release(), "machine": platform.machine()}


def facts():
    """(name, text) of what there is to know."""
    use = memory.stats()
    return [
        ("weft", __version__),
        ("core", "plain Python" if _pure.PURE else "compiled"),
        ("kernels", f"{fast.name} (of {', '.join(kernel_sets())}" + (f", {kernel_count()} kernels)"
                                                                     if fast.lib is not None else ")")),
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("threads", str(settings.threads)),
        ("BLAS", os.path.basename(fast.blas) if fast.blas else "NumPy's own calls"),
        ("memory", f"{bytes_text(use['in_use'])} in use (peak {bytes_text(use['peak'])}), "
         f"{bytes_text(use['cached'])} kept for later, limit {bytes_text(use['limit'])}"
         if fast.base is not None else "NumPy's"),
        ("NumPy", np.__version__),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
    ]


def kernel_sets():
    """The sets of kernels that could be used here: built, and within what the processor can run."""
    if fast.base is None:
        return ["reference"]
    best = fast.base.instruction_set()
    can = ["arm64"] if best == "arm64" else list(fast.SETS[1:fast.SETS.index(best) + 1])
    home = os.path.dirname(os.path.abspath(fast.__file__))
    return ["reference", *(name for name in can if any(f.startswith(f"_{name}.") for f in os.listdir(home)))]


def kernel_count():
    return len([name for name in vars(fast.lib) if not name.startswith("_") and name != "start"])


def processor():
    """Its name, as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        found = []
    return found[0] if found else platform.processor() or platform.machine()
