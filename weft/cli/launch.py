"""start a program in several processes, over mpiexec: weft launch -n 4 train.py"""
from weft.distributed.launcher import FLAGS, VALUED, launch

OPTIONS = tuple(name for name in (*VALUED[:7], *FLAGS[:4]) if name.startswith("-"))


def run(arguments):
    """Start the processes; the exit code."""
    return launch(arguments)
