"""Every program of the articles (examples/seeds) runs, and prints what it should.

tests/data/seeds.txt has the outputs. Those of the articles' folders were printed by PyTorch 2.13.0 from the same files, but
for the few that need torchvision or torchtext; `python tests/test_seeds.py --write torch` writes them again. Numbers are
compared as numbers, the rest to the letter.
"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = HERE.parent / "examples" / "seeds"
EXPECTED = HERE / "data" / "seeds.txt"
FILES = sorted(path.relative_to(SEEDS).as_posix() for path in SEEDS.glob("*/*.py"))
ARTICLES = [name for name in FILES if not name.startswith("claims/")]
CLAIMS = [name for name in FILES if name.startswith("claims/")]
LONG = ("claims/13_adaptive_computation.py",)
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?|-?\d+(?:e[+-]?\d+)?|-?\binf\b|\bnan\b")


def outputs(names):
    """{name: what the program printed, or its error}; each runs as `python FILE` would, in this one process."""
    found = {}
    for name in names:
        printed, path = io.StringIO(), SEEDS / name
        sys.path.insert(0, str(path.parent))
        try:
            with contextlib.redirect_stdout(printed):
                runpy.run_path(str(path), run_name="__main__")
        except (Exception, SystemExit) as error:
            printed.write(f"{type(error).__name__}: {error}")
        sys.path.remove(str(path.parent))
        found[name] = printed.getvalue()
    return found


def in_child(how, names):
    made = subprocess.run([sys.executable, "-W", "error::UserWarning", __file__, how, *names], capture_output=True,
                          text=True, timeout=600, cwd=HERE, env={**os.environ, "WEFT_PROGRESS": "0"})
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def expected():
    parts = re.split(r"^== (\S+)\n", EXPECTED.read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def same(printed, wanted):
    """Equal words; numbers to 1e-3, for they are printed with four digits after some hundred steps."""
    if NUMBER.sub("#", printed).split() != NUMBER.sub("#", wanted).split():
        return False
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(wanted), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= 2e-4 + 1e-3 * abs(float(b)) for a, b in pairs)


@pytest.fixture(scope="module")
def as_torch():
    return in_child("as-torch", ARTICLES)


@pytest.fixture(scope="module")
def as_weft():
    return in_child("weft", [name for name in CLAIMS if name not in LONG])


def test_each_program_has_its_output_and_its_place_in_the_index():
    index = (SEEDS / "README.md").read_text()
    assert sorted(expected()) == FILES and len(ARTICLES) > 45 and len(CLAIMS) > 15
    assert not [name for name in FILES if f"({name})" not in index]


def test_every_article_is_there():
    index = (SEEDS / "README.md").read_text()
    assert all(f"## Article {number}" in index for number in range(5))


@pytest.mark.parametrize("name", ARTICLES)
def test_article(as_torch, name):
    if "torchvision.datasets" in (SEEDS / name).read_text() and importlib.util.find_spec("torchvision") is not None:
        pytest.skip("it takes weft's own digits, and here is a torchvision, which has none")
    assert same(as_torch[name], expected()[name]), as_torch[name]


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in LONG])
def test_claim(as_weft, name):
    assert same(as_weft[name], expected()[name]), as_weft[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_claim(name):
    printed = in_child("weft", [name])[name]
    assert same(printed, expected()[name]), printed


def test_other_numbers_and_words_are_noticed():
    assert same("loss 0.1234 ok", "loss 0.1235  ok") and same("a inf", "a inf")
    assert not same("loss 0.12", "loss 0.13") and not same("loss 0.12 ok", "loss 0.12 no")
    assert not same("1 2", "1") and not same("nan", "1.0")


def test_one_runs_by_the_command():
    path = SEEDS / "2_flexible" / "07_learning_rate.py"
    made = subprocess.run([sys.executable, "-m", "weft", "run", str(path)], capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    assert same(made.stdout, expected()["2_flexible/07_learning_rate.py"])


def write(how):
    """Write the outputs again: of PyTorch (`torch`, for what it can run) or of weft (`as-torch`, `weft`)."""
    names = CLAIMS if how == "weft" else ARTICLES
    found = {**(expected() if EXPECTED.exists() else {}),
             **{name: text for name, text in outputs(names).items() if "ModuleNotFoundError" not in text}}
    EXPECTED.write_text("".join(f"== {name}\n{found[name].rstrip()}\n" for name in sorted(found) if name in FILES))


if __name__ == "__main__":
    which = sys.argv[2] if sys.argv[1] == "--write" else sys.argv[1]
    if which == "as-torch":
        from weft.cli.run import be_torch
        be_torch()
    if sys.argv[1] == "--write":
        write(which)
    else:
        json.dump(outputs(sys.argv[2:]), sys.stdout)
