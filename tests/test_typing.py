"""The program that mypy and pyright check (make types) does what its types say."""
import runpy
import warnings
from pathlib import Path

import pytest

TYPING = Path(__file__).parent / "typing"


def test_the_typed_program_runs():
    pytest.importorskip("typing_extensions")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(TYPING / "train.py"), run_name="__main__")


def test_every_wrong_line_is_marked():
    lines = [line for line in (TYPING / "wrong.py").read_text().splitlines() if line.startswith("    ")]
    marked = [line for line in lines if "# type: ignore" in line]
    assert len(marked) >= 50
    assert len(lines) - len(marked) <= 2      # what only sets the stage
