"""what capture made of a program's compiled functions: graphs before and after each pass, and why calls broke off

usage: weft jit show [--graphs] PROGRAM.py [ARGUMENTS]

Runs the program as `python PROGRAM.py` does, and prints for every function that weft.compile or weft.jit.capture was
given: its paths, the reason of every break, and for each of its graphs a line before and after every pass, with the
number of its steps, the bytes of their results, how many of them are there at a time, and the floating-point operations
of their products.

  --graphs    the graphs themselves, too
"""
import os
import runpy
import sys

from weft.core.units import bytes_text
from weft.jit import captured
from weft.jit.passes.memory import peak_bytes

OPTIONS = ("show", "--graphs", "--help")


def run(arguments):
    """Run a program and show what was captured; the exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    command, *rest = arguments
    if command != "show":
        return refuse(f"there is no `weft jit {command}`")
    whole = rest[:1] == ["--graphs"]
    rest = rest[1:] if whole else rest
    if not rest:
        return refuse("which program? give a .py file")
    if rest[0].startswith("-"):
        return refuse(f"there is no option {rest[0]}")
    if not os.path.isfile(rest[0]):
        return refuse(f"there is no file {rest[0]}")
    sys.argv[:] = rest
    sys.path[0] = os.path.dirname(os.path.realpath(rest[0]))
    code = 0
    captured.CAPTURES = set()       # all that the program captures is there until it is shown
    try:
        runpy.run_path(rest[0], run_name="__main__")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    print(report(whole))
    return code


def refuse(problem):
    print(f"weft jit: {problem}\n  fix: `weft jit --help` shows how it is called", file=sys.stderr)
    return 2


def report(whole=False):
    """What all captured functions that are alive have become, as text."""
    found = sorted(captured.CAPTURES, key=lambda c: (c.__name__, c.calls))
    if not found:
        return "nothing was captured: no function was given to weft.compile or weft.jit.capture"
    return "\n\n".join([described(capture, whole) for capture in found])


def described(capture, whole):
    lines = [capture.explain()]
    for number, plan in enumerate(capture.plans(), 1):
        lines.append(f"  graph {number}: " + ("nothing to do" if not plan.graph.steps else ""))
        for name, graph in plan.stages if plan.graph.steps else ():
            lines.append(f"    {name:14s} {len(graph.steps):5d} steps  {bytes_text(graph.bytes()):>10s}  "
                         f"{bytes_text(peak_bytes(graph)):>10s} at a time  {graph.flops() / 1e6:10.3f} MFLOP")
            if whole:
                lines += ["    " + line for line in str(graph).splitlines()]
    return "\n".join(lines)
