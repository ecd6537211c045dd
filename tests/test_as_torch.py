"""`weft as-torch`: an environment in which torch is weft, and one again in which it isn't."""
import os
import subprocess
import sys

import pytest

import weft.cli.as_torch  # noqa: F401  (before a test changes the path)
from weft.cli.main import main


def everything(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def python(folder, code):
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": path})


@pytest.fixture
def without_torch(monkeypatch):
    """This environment may have PyTorch itself: what is looked at is the given folder only."""
    monkeypatch.setattr(sys, "path", [p for p in sys.path if not os.path.exists(os.path.join(p, "torch"))])


def test_on_and_off_leave_no_trace(tmp_path, without_torch, capsys):
    (tmp_path / "other.py").write_text("")
    assert main(["as-torch", "status", "--target", str(tmp_path)]) == 1
    assert main(["as-torch", "on", "--target", str(tmp_path)]) == 0
    assert main(["as-torch", "status", "--target", str(tmp_path)]) == 0
    assert "torch is weft" in capsys.readouterr().out
    made = python(tmp_path, "import torch, weft; assert torch is weft; print(torch.__version__)")
    assert made.stdout == "2.13.0+weft\n", made.stderr
    assert main(["as-torch", "on", "--target", str(tmp_path)]) == 0         # once more changes nothing
    assert main(["as-torch", "off", "--target", str(tmp_path)]) == 0
    assert everything(tmp_path) == ["other.py"]
    assert main(["as-torch", "off", "--target", str(tmp_path)]) == 0        # nor does this


def test_the_metadata_is_that_of_a_distribution(tmp_path, without_torch):
    assert main(["as-torch", "on", "--target", str(tmp_path)]) == 0
    made = python(tmp_path, """
import importlib.metadata as m
d = m.distribution("torch")
assert d.version == m.version("torch") == "2.13.0+weft" and d.metadata["Name"] == "torch"
assert d.read_text("INSTALLER").strip() == "weft"
import hashlib, base64
for f in d.files:
    assert f.locate().exists(), f
    if f.hash:
        assert f.hash.value == base64.urlsafe_b64encode(hashlib.sha256(f.read_binary()).digest()).rstrip(b"=").decode()
        assert f.size == f.locate().stat().st_size
print(len(d.files))
""")
    assert made.returncode == 0, made.stderr
    assert int(made.stdout) == len([p for p in tmp_path.rglob("*") if p.is_file() and p.suffix != ".pyc"])


@pytest.mark.parametrize("how", ["spawn", "forkserver"])
def test_child_processes_agree(tmp_path, without_torch, how):
    assert main(["as-torch", "on", "--target", str(tmp_path)]) == 0
    (tmp_path / "program.py").write_text("""
import multiprocessing, sys, torch
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(torch.nn.Linear(2, 3), [torch.ones(2)])[0].shape)
""")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    made = subprocess.run([sys.executable, str(tmp_path / "program.py"), how], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONPATH": path})
    assert made.returncode == 0 and "torch.Size([3])" in made.stdout, made.stderr


@pytest.mark.parametrize("files", [["torch/__init__.py"], ["torch.py"], ["torch-2.1.0.dist-info/METADATA"]])
def test_a_real_torch_is_left_alone(tmp_path, without_torch, files, capsys):
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Name: torch\nVersion: 2.1.0\n" if name.endswith("METADATA") else "x = 1\n")
    before = everything(tmp_path)
    assert main(["as-torch", "on", "--target", str(tmp_path)]) == 1
    assert "PyTorch itself is installed here" in capsys.readouterr().err
    assert main(["as-torch", "status", "--target", str(tmp_path)]) == 1
    if files[0].endswith("METADATA"):
        assert main(["as-torch", "off", "--target", str(tmp_path)]) == 1
    assert everything(tmp_path) == before


def test_a_stand_in_without_weft_says_so(tmp_path, without_torch):
    assert main(["as-torch", "on", "--target", str(tmp_path)]) == 0
    program = f"import sys; sys.path = [p for p in sys.path if 'site' not in p] + [{str(tmp_path)!r}]\nimport torch"
    made = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert made.returncode == 1 and "weft is not installed" in made.stderr


@pytest.mark.parametrize("arguments", [[], ["maybe"], ["on", "x"], ["on", "--target"]])
def test_wrong_arguments(arguments, capsys):
    assert main(["as-torch", *arguments]) == 2
    assert "say on, off or status" in capsys.readouterr().err
