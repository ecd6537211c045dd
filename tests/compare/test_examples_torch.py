"""The examples are PyTorch programs: with torch in weft's place they run as they are, and reach the same scores."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

HOME = Path(__file__).resolve().parent.parent.parent
# all but those that use weft.vision's models (torchvision would be needed)
NAMES = """linear_regression mlp cnn resnet inception tcn rnn seq2seq transformer bert gpt t5 autoencoder vae gan unet dqn
    policy_gradient recommender physics online adaptive clip""".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The examples, with torch for weft; the data set, the progress bar and the pictures stay weft's."""
    made = tmp_path_factory.mktemp("examples")
    shutil.copy(HOME / "examples/shakespeare.txt.xz", made)
    for path in (HOME / "examples").glob("*.py"):
        text = path.read_text("utf-8").replace("import weft as torch", "import torch")
        (made / path.name).write_text(re.sub(r"^from weft(?= import|\.utils\.data|\.distributions)", "from torch", text,
                                             flags=re.MULTILINE), "utf-8")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_torch_reaches_the_score_too(name, folder):
    run = subprocess.run([sys.executable, str(folder / f"{name}.py"), "--quick"], cwd=folder, text=True, timeout=1000,
                         capture_output=True, env={**os.environ, "PYTHONPATH": str(HOME), "OMP_NUM_THREADS": "1"})
    assert run.returncode == 0, run.stderr
    last = run.stdout.splitlines()[-1]
    assert last.startswith("score: ") and "missed" not in last, last
