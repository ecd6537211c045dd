"""`weft ...` and weft.memory."""
import json
import os
import shutil
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


def test_weft_alone_prints_its_help_and_is_no_error(capsys):
    assert main([]) == 0
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


def test_info_as_json_has_the_same_facts(capsys):
    assert main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["weft"] == weft.__version__ and found["numpy"] == np.__version__
    assert found["threads"] == weft.get_num_threads() and found["kernels"]["used"] == fast.name
    assert fast.base is None or found["memory"]["limit"] == weft.memory.stats()["limit"]


# shell completion

@pytest.mark.parametrize("arguments", [[], ["tcsh"], ["bash", "zsh"]])
def test_completion_names_the_shells(arguments, capsys):
    assert main(["completion", *arguments]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
    assert main(["completion", "--help"]) == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_all_commands_and_options(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in commands())
    assert all(option.lstrip("-") in script for option in ("--every", "--no-browser", "--json", "--save"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_valid(shell, capsys, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    main(["completion", shell])
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    made = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("typed, offered", [("weft ", "as-torch completion examples info jit launch run view --help --version"),
                                            ("weft vi", "view"),
                                            ("weft view --no", "--no-browser --no-wait"),
                                            ("weft completion z", "zsh"), ("weft info --j", "--json")])
def test_bash_completes(typed, offered, capsys, tmp_path):
    main(["completion", "bash"])
    script = tmp_path / "script"
    words = typed.split(" ")
    script.write_text(capsys.readouterr().out + f"""
COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}; _weft; echo "${{COMPREPLY[@]}}"
""")
    made = subprocess.run(["bash", str(script)], capture_output=True, text=True)
    assert made.stdout.split() == offered.split(), made.stderr


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
