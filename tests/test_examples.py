"""The examples reach the scores that they state: in their quick form here, in full under `slow`; and `weft examples`."""
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from weft.cli import examples
from weft.cli.main import main

HOME = Path(__file__).resolve().parent.parent
FOLDER = HOME / "examples"


def load(name):
    specification = importlib.util.spec_from_file_location("examples_" + name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


common = load("common")
PROGRAMS = {name: path for name, path in examples.programs().items() if "run(main, __doc__" in path.read_text("utf-8")}
MODELS = """linear_regression mlp cnn resnet inception tcn rnn seq2seq transformer bert gpt t5 autoencoder vae gan unet
    yolo faster_rcnn mask_rcnn dqn policy_gradient recommender physics molecules online adaptive clip""".split()
DATA = {"treelstm": "sst", "tagger": "wikiner"}           # what doesn't come with weft, in ../shared/data
DRAWING = "autoencoder vae gan unet yolo faster_rcnn mask_rcnn clip".split()


def start(name, *options, folder, progress="plain"):
    environment = {**os.environ, "PYTHONPATH": str(HOME), "WEFT_PROGRESS": progress, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, str(FOLDER / f"{name}.py"), *options], cwd=folder, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check(name, quick, folder):
    """Run it; its last line has the score, which is as good as its docstring says."""
    options = ["--quick"] * quick + (["--out", "pictures"] if name in DRAWING else [])
    if name in DATA:
        data = HOME.parent / "shared" / "data" / DATA[name]
        if not data.is_dir():
            pytest.skip(f"there is no {data}")
        options += ["--data", str(data)]
    run = start(name, *options, folder=folder)
    said = run.communicate(timeout=3600)[0]
    assert run.returncode == 0, said
    what, side, limit, unit = common.stated(examples.facts(PROGRAMS[name])["text"], quick)
    last = said.splitlines()[-1]
    score = re.fullmatch(rf"score: {re.escape(what)} ([\d.e-]+){unit} \(stated: .*\)", last)
    assert score, said
    value = float(score[1])
    assert (value >= limit if side == "at least" else value <= limit) and "missed" not in last, said
    if name in DRAWING:
        picture = weft.vision.io.read_image(folder / "pictures" / f"{name}.png")
        assert picture.shape[0] == 3 and picture.float().std() > 10


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_quick_form_reaches_its_score(name, tmp_path):
    check(name, True, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_full_form_reaches_its_score(name, tmp_path):
    check(name, False, tmp_path)


def test_every_model_of_the_articles_is_there():
    assert set(MODELS) <= set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_short_and_says_what_it_is(name):
    lines = PROGRAMS[name].read_text("utf-8").splitlines()
    assert len(lines) <= 150 and max(map(len, lines)) <= 120
    known = examples.facts(PROGRAMS[name])
    assert f"python examples/{name}.py [--quick] [--seed N]" in known["text"]
    assert re.fullmatch(r"\d+ s", known["time"]) and known["data"]
    found = common.SCORE.search(known["text"])
    for limit, seen in ((found["full"], found["seen"]), (found["quick"], found["quick_seen"])):
        assert float(seen) >= float(limit) if found["side"] == "at least" else float(seen) <= float(limit)


@pytest.mark.parametrize("name", DATA)
def test_data_that_are_not_there_are_told(name, tmp_path):
    run = start(name, "--data", "here", folder=tmp_path)
    said = run.communicate(timeout=100)[0]
    assert run.returncode == 1 and "there is no here/" in said and "with --data" in said and "Traceback" not in said


def test_ctrl_c_leaves_cleanly(tmp_path):
    run = start("online", folder=tmp_path, progress="live")
    assert run.stdout.read(1)                                               # the bar is there
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=100)[0]
    assert run.returncode == 130 and said.rstrip().endswith("stopped") and "Traceback" not in said


# the command

def test_the_list_fits_a_screen(capsys):
    assert main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.pop() == str(FOLDER)
    assert max(map(len, lines)) <= 100 and lines[0].split() == ["name", "data", "time", "score"]
    rows = {line.split()[0]: line for line in lines if line}
    assert set(examples.programs()) <= set(rows)
    for name, path in PROGRAMS.items():
        known = examples.facts(path)
        assert all(known[column] in rows[name] for column in ("data", "time", "score")), rows[name]


def test_one_is_run_by_its_name(tmp_path):
    run = subprocess.run([sys.executable, "-m", "weft", "examples", "linear_regression", "--quick"], cwd=tmp_path, text=True,
                         capture_output=True, timeout=100, env={**os.environ, "PYTHONPATH": str(HOME)})
    assert run.returncode == 0 and "score: largest error" in run.stdout


def test_an_unknown_name_is_told(capsys):
    assert main(["examples", "resent"]) == 2
    assert "Did you mean: resnet?" in capsys.readouterr().err
    assert main(["examples", "--help"]) == 0


def test_what_the_examples_share_is_no_example():
    assert not {"common", "shapes", "cartpole"} & set(examples.programs())


def test_an_installed_package_has_them(tmp_path):
    """setup.py copies the folder into the package, data too; the command then finds it there."""
    source = tmp_path / "source"
    shutil.copytree(HOME, source, ignore=shutil.ignore_patterns(".*", "build", "tests", "docs", "*.so", "benchmarks"))
    built = tmp_path / "built"
    subprocess.run([sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(built)], cwd=source, check=True,
                   capture_output=True, timeout=300, env={**os.environ, "WEFT_NO_BUILD": "1"})
    inside = built / "weft" / "examples"
    assert {path.name for path in FOLDER.glob("*.py")} | {"shakespeare.txt.xz"} <= {path.name for path in inside.iterdir()}
    script = "import weft.cli.examples as e; print(e.folder()); print(len(e.programs()))"
    said = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, text=True, capture_output=True, timeout=100,
                          env={**os.environ, "PYTHONPATH": str(built)}).stdout.splitlines()
    assert said == [str(inside), str(len(examples.programs()))]
