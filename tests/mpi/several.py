"""Run under mpiexec: several of these programs, one after the other, in the same processes."""
import pathlib
import runpy
import sys

import weft.distributed as dist

programs, size = sys.argv[1:-1], sys.argv[-1]
sys.argv[:] = ["several.py", size]
for name in programs:
    runpy.run_path(str(pathlib.Path(__file__).with_name(name)), run_name="__main__")
    dist.destroy_process_group()
