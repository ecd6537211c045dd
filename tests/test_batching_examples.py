"""The example programs that are batched automatically, in their short form; on data of a few lines where they read
some.
"""
import os
import pathlib
import re
import subprocess
import sys

import pytest

HOME = pathlib.Path(__file__).resolve().parent.parent
TREES = """(3 (2 It) (4 (2 's) (4 (3 really) (4 lovely))))
(1 (2 A) (1 (1 dull) (2 film)))
(4 (4 Great) (2 fun))
(0 (0 (1 Never) (2 again)) (2 .))
"""
TAGS = """Japan|I-LOC is|O old|O
Ada|I-PER Lovelace|I-PER wrote|O this|O in|O London|I-LOC
She|O sings|O
"""


def said(name, *options):
    """What a program prints."""
    return subprocess.run([sys.executable, str(HOME / "examples" / name), *options], capture_output=True, text=True,
                          check=True, env={**os.environ, "PYTHONPATH": str(HOME)}, timeout=300).stdout


def test_trees(tmp_path):
    for name in ("train.txt", "dev.txt"):
        (tmp_path / name).write_text(TREES * 4, encoding="utf-8")
    found = said("treelstm.py", "--data", str(tmp_path), "--quick", "--batch", "8")
    assert re.search(r"epoch 1: \d+ trees/s, \d+\.\d % of the unseen sentences right", found)
    assert "ops ran as" in found


def test_tags(tmp_path):
    (tmp_path / "tags.txt").write_text(TAGS * 50, encoding="utf-8")
    found = said("tagger.py", "--data", str(tmp_path), "--quick", "--letters", "--batch", "32")
    assert re.search(r"epoch 1: \d+ words/s, \d+\.\d % of the words of 22 unseen sentences right", found)


@pytest.mark.slow
def test_molecules_are_learned():
    found = said("molecules.py", "--quick", "--epochs", "3")
    middle = float(re.search(r"wrong by (\d\.\d+)", found)[1])
    assert min(map(float, re.findall(r"wrong by (\d\.\d+) for unseen", found))) < middle / 2


def test_episodes():
    found = said("episodes.py", "--rounds", "2", "--episodes", "16")
    assert re.search(r"\d+ % right at first, \d+ % at the end", found) and "ops ran as" in found


@pytest.mark.slow
def test_the_maze_is_learned():
    """Without autobatch: whether it pays is measured, and rounding differs between the two."""
    found = said("episodes.py", "--off")
    first, last = map(int, re.search(r"(\d+) % right at first, (\d+) % at the end", found).groups())
    assert last > 80 > first
