"""The demo, at a small size: it trains, is stopped by Ctrl-C in mid-epoch, resumes to the very same weights."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import weft

HOME = Path(__file__).resolve().parent.parent


def start(*options, folder):
    environment = {**os.environ, "PYTHONPATH": str(HOME), "WEFT_PROGRESS": "plain"}
    return subprocess.Popen([sys.executable, str(HOME / "examples/demo.py"), *options], cwd=folder, env=environment,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.slow
def test_the_demo_learns_and_resumes_exactly(tmp_path):
    whole = start("--epochs", "2", "--file", "whole.pt", folder=tmp_path)
    said = whole.communicate(timeout=600)[0]
    assert whole.returncode == 0, said
    assert "after epoch 2: 9" in said and "a new network is built from the file" in said
    stopped = start("--epochs", "2", "--file", "part.pt", folder=tmp_path)
    time.sleep(6)
    stopped.send_signal(signal.SIGINT)
    said = stopped.communicate(timeout=600)[0]
    assert "stopped and saved; go on with" in said and stopped.returncode != 0, said
    resumed = start("--epochs", "2", "--file", "part.pt", "--resume", folder=tmp_path)
    said = resumed.communicate(timeout=600)[0]
    assert resumed.returncode == 0, said
    first, second = (weft.load(tmp_path / name) for name in ("whole.pt", "part.pt"))
    assert all(weft.equal(first["net"][key], second["net"][key]) for key in first["net"])


def test_nothing_to_resume(tmp_path):
    run = start("--resume", folder=tmp_path)
    said = run.communicate(timeout=100)[0]
    assert run.returncode != 0 and "there is no demo.pt to go on from" in said


def test_another_number_of_epochs_is_refused(tmp_path):
    weft.save({"epochs": 3}, tmp_path / "demo.pt")
    run = start("--resume", folder=tmp_path)
    said = run.communicate(timeout=100)[0]
    assert run.returncode != 0 and "is of a run of 3 epochs, this one has 6" in said and "Traceback" not in said
