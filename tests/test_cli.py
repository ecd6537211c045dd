"""`weft ...` and weft.memory."""
import os
import subprocess
import sys

import numpy as np
import pytest

import weft
from weft.cli.main import commands, main
from weft.kernels import fast


def weft_command(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "weft", *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


def test_help_lists_the_commands(capsys):
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert "usage: weft COMMAND" in printed and all(f"  {name} " in printed
                                                    for name in commands()) and "info" in commands()


def test_no_command_prints_the_help_and_fails(capsys):
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"weft {weft.__version__}"


@pytest.mark.parametrize("name, said", [("inof", "Did you mean: weft info?"), ("zzz", "there is no command 'zzz'")])
def test_unknown_command(name, said, capsys):
    assert main([name]) == 2
    assert said in capsys.readouterr().err


def test_info(capsys):
    assert main(["info"]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert lines["weft"] == weft.__version__ and lines["NumPy"] == np.__version__
    assert lines["core"] == ("plain Python" if weft._pure.PURE else "compiled")
    assert lines["kernels"].startswith(fast.name) and "reference" in lines["kernels"]
    assert lines["threads"] == str(weft.get_num_threads())
    assert {"processor", "BLAS", "memory", "Python", "system"} <= set(lines)


def test_info_takes_no_arguments(capsys):
    assert main(["info", "--all"]) == 2
    assert "takes no arguments" in capsys.readouterr().err
    assert main(["info", "--help"]) == 0


@pytest.mark.parametrize("environment", [{}, {"WEFT_PURE": "1"}, {"WEFT_KERNELS": "reference"}])
def test_as_a_module(environment):
    made = weft_command("info", **environment)
    assert made.returncode == 0, made.stderr
    assert "weft" in made.stdout
    if environment:
        assert "reference" in made.stdout
    assert weft_command("nothing").returncode == 2


# weft.memory

def test_memory_figures():
    before = weft.memory.stats()
    assert all(isinstance(v, int) and v >= 0 for v in before.values())
    weft.memory.empty_cache()
    weft.memory.reset_peak()
    after = weft.memory.stats()
    assert after["cached"] == 0 and after["peak"] == after["in_use"]


@pytest.mark.skipif(fast.base is None, reason="NumPy's memory is used")
def test_memory_is_kept_up_to_the_limit():
    limit = weft.memory.stats()["limit"]
    try:
        weft.memory.empty_cache()
        held = fast.base.empty((1 << 20,), np.dtype("f4").num)
        used = weft.memory.stats()["in_use"]
        assert used >= held.nbytes
        del held
        assert weft.memory.stats()["cached"] >= 4 << 20
        weft.memory.set_limit(0)
        assert weft.memory.stats() == {**weft.memory.stats(), "cached": 0, "limit": 0}
    finally:
        weft.memory.set_limit(limit)


def test_memory_limit_is_checked():
    with pytest.raises(TypeError, match="number of bytes, not float"):
        weft.memory.set_limit(1e9)
    with pytest.raises(ValueError, match="negative"):
        weft.memory.set_limit(-1)
