"""The example programs that are batched automatically, on a few lines of data, and without autobatch; their scores are
in test_examples.py.
"""
import os
import pathlib
import re
import subprocess
import sys

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
    found = said("treelstm.py", "--data", str(tmp_path), "--quick")
    assert re.search(r"epoch 1: \d+ trees/s, \d+\.\d % of the unseen sentences and \d+\.\d % of their phrases right",
                     found)
    assert "ops ran as" in found


def test_tags(tmp_path):
    (tmp_path / "tags.txt").write_text(TAGS * 150, encoding="utf-8")
    found = said("tagger.py", "--data", str(tmp_path), "--quick", "--off")
    assert re.search(r"epoch 1: \d+ words/s, \d+\.\d % of the words of 50 unseen sentences right", found)


def test_episodes():
    found = said("episodes.py", "--rounds", "2", "--episodes", "16")
    assert re.search(r"\d+ % right at first, \d+ % at the end", found) and "ops ran as" in found
