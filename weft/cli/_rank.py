"""One process of `weft launch`: runs the program, and ends the whole job if it fails."""
import os
import sys

from weft.cli import run as program
from weft.distributed import faults, world


def main(arguments):
    keep = arguments[:1] == ["--keep-torch"]
    arguments = arguments[keep:]
    world.tell_environment()
    rank = int(os.environ.get("RANK", 0))
    said = own_log(rank)
    if keep:
        program.be_torch = lambda: None
    faults.watch()
    try:
        code = program.run_module(arguments[1:]) if arguments[0] == "-m" else program.run_file(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) or end.code is None else 1
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    if code:
        said.write(f"rank {rank} ended with exit code {code}\n")
        said.flush()
        stop(code)
    return 0


def own_log(rank):
    """With --log-dir all ranks but the first write into a file; what comes back is the terminal."""
    said = os.fdopen(os.dup(2), "w")
    folder = os.environ.get("WEFT_LOG_DIR")
    if folder and rank:
        file = os.open(os.path.join(folder, f"rank_{rank}.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        sys.stdout.flush(), sys.stderr.flush()
        os.dup2(file, 1), os.dup2(file, 2)
        faults.tell(said)
    return said


def stop(code):
    faults.failing()
    sys.stdout.flush(), sys.stderr.flush()
    faults.abort(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
