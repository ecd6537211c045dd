"""docs/training.md: its code runs, resumes bit for bit, and warns of nothing."""
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "training.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


@pytest.mark.filterwarnings("error")
def test_the_recipe_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2 and all(float(line.rsplit(" ", 1)[1]) > 0.6 for line in printed)
    assert names["optimizer"].param_groups[0]["lr"] < 0.02


def test_the_page_is_short():
    assert len(PAGE.read_text().splitlines()) < 130 and len(BLOCKS) == 6
