"""Tracebacks show the user's frames: weft's own are left out, unless they are asked for."""
import os
import subprocess
import sys
import textwrap
import traceback

import pytest

import weft
from weft import nn
from weft._pure import PURE

HOME = os.path.dirname(os.path.abspath(weft.__file__))
compiled_only = pytest.mark.skipif(PURE, reason="a plain core shows all its frames")


@pytest.fixture(autouse=True)
def short():
    """Whatever the tests are run with."""
    before = weft.get_traceback()
    weft.set_traceback("short")
    yield
    weft.set_traceback(before)


def frames(function):
    """The names of the functions in the traceback of an error, without this one's."""
    try:
        function()
    except Exception as error:
        return [frame.name for frame in traceback.extract_tb(error.__traceback__)][1:]
    raise AssertionError("it raised nothing")


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x)


class BadForward(weft.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x @ x


class BadBackward(weft.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad @ grad


def matmul():
    weft.ones(2, 3) @ weft.ones(2, 3)


def broadcast():        # inside of a `with` of a compiled function
    weft.ones(2, 3) + weft.ones(2, 2)


def join():             # explained while another error is handled
    weft.cat([weft.ones(2, 3), weft.ones(3, 2)])


def modules():
    Outer()(weft.ones(2, 5))


def function():
    BadForward.apply(weft.ones(2, 3))


def backward():
    BadBackward.apply(weft.ones(2, 3, requires_grad=True)).sum().backward()


@compiled_only
@pytest.mark.parametrize("call, wanted", [
    (matmul, ["matmul"]), (broadcast, ["broadcast"]), (join, ["join"]), (modules, ["modules", "forward", "forward"]),
    (function, ["function", "apply", "forward"]), (backward, ["backward", "backward"])])
def test_only_the_users_frames_are_shown(call, wanted):
    assert frames(call) == wanted


@compiled_only
@pytest.mark.parametrize("call", [matmul, broadcast, join, modules, backward])
def test_full_tracebacks_can_be_asked_for(call):
    short = frames(call)
    weft.set_traceback("full")
    assert weft.get_traceback() == "full"
    assert len(frames(call)) > len(short) + 3


@pytest.mark.skipif(not PURE, reason="of the plain core")
def test_a_plain_core_keeps_its_frames():
    assert len(frames(matmul)) > 4 and weft.get_traceback() == "full"


def test_another_kind_of_traceback_is_refused():
    with pytest.raises(ValueError, match="'short' or 'full', not 'long'"):
        weft.set_traceback("long")


@compiled_only
def test_an_error_that_weft_handled_itself_is_not_shown_before():
    with pytest.raises(RuntimeError) as caught:
        join()
    shown = "".join(traceback.format_exception(caught.value))
    assert "During handling" not in shown and shown.count("Traceback") == 1


def test_an_error_that_the_user_was_handling_is_shown_before():
    with pytest.raises(RuntimeError) as caught:
        try:
            {}["key"]
        except KeyError:
            join()
    assert "KeyError: 'key'" in "".join(traceback.format_exception(caught.value))


@compiled_only
def test_a_deep_recursion_of_modules_ends_in_a_recursion_error():
    class Again(nn.Module):
        def forward(self, x):
            return self(x)
    found = frames(lambda: Again()(weft.ones(1)))
    assert found.count("forward") > 100 and len(set(found)) <= 3


def run(code, tmp_path, *command, name="train.py", **environment):
    """What a program prints, in a process of its own."""
    file = tmp_path / name
    file.write_text(textwrap.dedent(code))
    path = os.pathsep.join([os.path.dirname(HOME), os.environ.get("PYTHONPATH", "")])
    own = {k: v for k, v in os.environ.items() if k != "WEFT_TRACEBACK"}
    found = subprocess.run([sys.executable, *command, str(file)], capture_output=True, text=True, cwd=tmp_path,
                           env={**own, "PYTHONPATH": path, **environment}, check=False)
    return found.stdout + found.stderr


@compiled_only
def test_uncaught_errors_of_plain_functions_are_short_too(tmp_path):
    shown = run("import weft\nweft.tensor([[1, 2], [3]])\n", tmp_path)
    assert "ValueError: expected sequence of length 2" in shown and shown.count("File ") == 1
    assert run("import weft\nweft.tensor([[1, 2], [3]])\n", tmp_path, WEFT_TRACEBACK="full").count("File ") > 3


def test_a_hook_of_the_users_own_is_left_alone(tmp_path):
    shown = run("import sys\nsys.excepthook = lambda *error: print('mine')\nimport weft\n1 / 0\n", tmp_path)
    assert shown.strip() == "mine"


@compiled_only
def test_pytest_leaves_weft_out(tmp_path):
    code = """
        import weft
        def test_plain(): weft.tensor([[1, 2], [3]])
        def test_compiled(): weft.nn.Linear(3, 4)(weft.ones(2, 5))
    """
    shown = run(code, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", name="test_it.py")
    assert "2 failed" in shown and "expected sequence of length 2" in shown and "5 features" in shown
    assert HOME not in shown and "weft/ops" not in shown and "weft/nn" not in shown


@compiled_only
@pytest.mark.parametrize("code, told", [("weft.nn.Linear(3, 4)(weft.ones(2, 5))", "5 features"),
                                        ("weft.tensor([[1, 2], [3]])", "length 2")])
def test_ipython_leaves_weft_out(tmp_path, code, told):
    pytest.importorskip("IPython")
    shown = run(f"import weft\n{code}\n", tmp_path, "-m", "IPython", "--colors=NoColor", IPYTHONDIR=str(tmp_path))
    assert told in shown and "train.py" in shown and "weft/ops" not in shown and "weft/nn" not in shown


class Shell:
    """As much of IPython's as shows an error."""

    def showtraceback(self, exc_tuple=None, tb_offset=None):
        self.shown = [frame.name for frame in traceback.extract_tb(sys.exc_info()[2])]


@compiled_only
@pytest.mark.parametrize("kind, more", [("short", 0), ("full", 3)])
def test_a_shell_that_shows_errors_itself_shows_the_same(kind, more):
    from weft.core.tracebacks import install_in
    shell = Shell()
    install_in(shell)
    weft.set_traceback(kind)
    try:
        weft.tensor([[1, 2], [3]])
    except ValueError:
        shell.showtraceback()
    assert shell.shown[0] == "test_a_shell_that_shows_errors_itself_shows_the_same"
    assert len(shell.shown) == 1 if not more else len(shell.shown) > more


@pytest.mark.parametrize("code", ["weft.ranndn", "weft.nn.Lineer", "weft.nn.Linear(1, 1).weigth"])
def test_did_you_mean_is_said_once(tmp_path, code):
    shown = run(f"import weft\n{code}\n", tmp_path)
    assert shown.count("Did you mean") == 1, shown


@pytest.mark.parametrize("name", ["xla"])
def test_an_absent_part_gets_no_odd_suggestion(name):
    with pytest.raises(AttributeError) as caught:
        getattr(weft, name)
    assert "Did you mean" not in str(caught.value) and "\n  fix: " in str(caught.value)


@pytest.mark.parametrize("wrong, meant", [("ranndn", "randn"), ("zeroslike", "zeros_like"), ("Flaot", None),
                                          ("einsun", "einsum"), ("xyzzy", None), ("abc", "abs")])
def test_suggestions_are_near(wrong, meant):
    from weft.core.namespace import nearest
    names = ["randn", "zeros_like", "einsum", "abs", "sub", "complex", "fix"]
    assert nearest(wrong, names) == (f". Did you mean: '{meant}'?" if meant else "")
