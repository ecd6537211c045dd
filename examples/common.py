"""What the examples share: their arguments, the line with the score, and the data that come along.

Each example's docstring says what it shows, its data, its time and its score, in lines that `weft examples` lists, that
the program's last line repeats, and that tests/test_examples.py checks.
"""
import argparse
import lzma
import pathlib
import random
import re
import sys

import weft as torch
from weft.utils.progress import Progress
from weft.vision.datasets import MNIST

__all__ = ["Progress", "digits", "lines_of", "picture_path", "run", "shakespeare", "stated"]

HERE = pathlib.Path(__file__).resolve().parent
SCORE = re.compile(r"^Score: (?P<what>.+?) (?P<side>at least|at most) (?P<full>[\d.]+)(?P<unit>| %|\S*), "
                   r"seen (?P<seen>[\d.]+); --quick (?P<quick>[\d.]+), seen (?P<quick_seen>[\d.]+)$", re.MULTILINE)


def stated(doc, quick):
    """What a docstring promises: (what is measured, "at least" or "at most", the number, its unit)."""
    found = SCORE.search(doc)
    return found["what"], found["side"], float(found["quick" if quick else "full"]), found["unit"]


def run(main, doc, **options):
    """Read the arguments (options: more of them, with their defaults; False is a flag), set the seed, call main(given),
    and print the score that it returns.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a short form, in seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", help="a folder with the whole data set, instead of what comes with weft")
    parser.add_argument("--out", type=pathlib.Path, help="a folder for pictures, if the example makes some")
    for name, value in options.items():
        kind = {"action": "store_true"} if value is False else {"type": type(value), "default": value}
        parser.add_argument(f"--{name}", **kind)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    random.seed(given.seed)
    try:
        value = float(main(given))
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        sys.exit(130)
    what, side, limit, unit = stated(doc, given.quick)
    reached = value >= limit if side == "at least" else value <= limit
    print(f"score: {what} {value:.4g}{unit} (stated: {side} {limit:g}{unit}{'' if reached else ': missed'})")


def digits(folder=None, train=True, count=None):
    """MNIST: pictures (N, 1, 28, 28) from 0 to 1, and their digits (N,)."""
    data = MNIST(folder, train=train)
    pictures, labels = data.data[:count].numpy(), data.targets[:count].numpy()
    return torch.from_numpy(pictures).unsqueeze(1).float() / 255, torch.from_numpy(labels)


def shakespeare(folder=None):
    """A third of Shakespeare's plays, 370,000 letters, or the whole input.txt of a folder."""
    if folder is not None:
        path = pathlib.Path(folder) / "input.txt"
        if not path.is_file():
            sys.exit(f"there is no {path}\n  fix: give a folder with an input.txt, or leave --data out")
        return path.read_text("utf-8")
    return lzma.decompress((HERE / "shakespeare.txt.xz").read_bytes()).decode()


def lines_of(given, name):
    """The lines of a file in the folder --data, for the examples whose data don't come with weft."""
    path = pathlib.Path(given.data or ".") / name
    if given.data is None or not path.is_file():
        sys.exit(f"there is no {path}\n  fix: give the folder that has {name} with --data")
    return path.read_text("utf-8").strip().split("\n")


def picture_path(given, name):
    """Where a picture goes; the folder is made."""
    given.out.mkdir(parents=True, exist_ok=True)
    return given.out / name
