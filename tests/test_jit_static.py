"""`weft.jit.optimize`: static graphs of tensors and calls; `weft jit show`."""

import numpy as np
import pytest

import weft
from weft import nn
from weft.cli.main import main
from weft.nn import functional as F


def mlp():
    weft.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))


def test_the_graph_behind_a_tensor_runs_on_other_values():
    net, x = mlp(), weft.randn(5, 4)
    static = weft.jit.optimize(net(x).log_softmax(1).mean())
    assert [str(step).split(" = ")[-1].split("(")[0] for step in static.graph.steps] == [
        "linear", "gelu", "native_layer_norm", "linear", "log_softmax", "mean"]
    number = [t is x or t._form is x._form for t in static.inputs].index(True)
    other = weft.randn(5, 4)
    given = [other if i == number else t for i, t in enumerate(static.inputs)]
    for graph in (static, static.optimize(), static.optimize().optimize()):
        assert np.array_equal(graph.run(*given), net(other).log_softmax(1).mean().detach())
        assert np.array_equal(graph.run(), net(x).log_softmax(1).mean().detach())
    assert not static.run().requires_grad


def test_the_graph_of_a_call_has_everything():
    scale = weft.tensor([2.0, 3.0])

    def f(x, *, shift):
        a, b = ((x + shift) * scale).chunk(2)
        return {"sum": a + b, "cat": [weft.cat([b, a]), 7]}
    static = weft.jit.optimize(f, weft.ones(4, 2), shift=1)
    x = weft.randn(4, 2)
    number = [tuple(t.shape) for t in static.inputs].index((4, 2))
    found = static.optimize().run(*[x if i == number else t for i, t in enumerate(static.inputs)])
    expected = f(x, shift=1)
    assert found["cat"][1] == 7
    assert np.array_equal(found["sum"], expected["sum"]) and np.array_equal(found["cat"][0], expected["cat"][0])


def test_passes_are_kept_and_counted():
    x = weft.ones(1000)
    static = weft.jit.optimize(lambda x: ((x * 2).exp() + (x * 2).exp()).tanh(), x).optimize()
    steps = {name: len(graph.steps) for name, graph in static.stages}
    assert steps["recorded"] == 6 and steps["shared"] == 4 and steps["fused"] == 1
    assert static.counts()[0] == 1 and "fused" in str(static) and "1 step," in repr(static)
    assert static.counts()[1] == 4000


def test_a_static_graph_is_drawn():
    graph = weft.graph(weft.jit.optimize(mlp(), weft.ones(2, 4)).optimize())
    assert [node.op for node in graph.ops] == ["linear", "gelu", "native_layer_norm", "linear"]
    assert len(graph.inputs) + len(graph.parameters) == 7 and "<svg" in graph.svg()


def test_what_autograd_did_not_keep_is_refused():
    x = weft.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="argument `y` that no gradient needs"):
        weft.jit.optimize((x + 2).sum())
    with pytest.raises(RuntimeError, match="has no graph"):
        weft.jit.optimize(weft.ones(2))
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="let its values go"):
        weft.jit.optimize(y)
    with pytest.raises(TypeError, match="takes a tensor or a function"):
        weft.jit.optimize(3)
    with pytest.raises(RuntimeError, match="can't be one graph|writes to tensors"):
        weft.jit.optimize(lambda t: t.add_(1), weft.ones(2))


def test_other_inputs_than_the_recorded_ones_are_refused():
    static = weft.jit.optimize(lambda x: x * 2, weft.ones(2, 3))
    with pytest.raises(ValueError, match="input 0 is .3, 2."):
        static.run(weft.ones(3, 2))
    with pytest.raises(ValueError, match="float64"):
        static.run(weft.ones(2, 3, dtype=weft.float64))
    with pytest.raises(ValueError, match="strides"):
        static.run(weft.ones(3, 2).t())
    with pytest.raises(TypeError, match="takes 1 inputs, got 2"):
        static.run(weft.ones(2, 3), weft.ones(1))


def test_a_draw_is_drawn_anew():
    static = weft.jit.optimize(lambda x: F.dropout(x, 0.5), weft.ones(1000))
    weft.manual_seed(1)
    first, second = static.run(), static.run()
    assert not np.array_equal(first, second)
    weft.manual_seed(1)
    assert np.array_equal(first, F.dropout(weft.ones(1000), 0.5))


# the command

PROGRAM = """
import sys, weft
@weft.jit.capture
def step(x):
    y = (x * 2).exp() + (x * 2).exp()
    if sys.argv[1:]:
        y.data = y
    return y
for _ in range(3):
    with weft.no_grad():
        step(weft.ones(2))
"""


def test_weft_jit_show(tmp_path, capsys, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setattr("sys.argv", ["weft"])
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
    assert main(["jit", "show", str(program)]) == 0
    text = capsys.readouterr().out
    for line in ("step: 3 calls, 1 path of 5 ops", "recorded           5 steps", "shared             3 steps",
                 "fused              1 steps", "at a time"):
        assert line in text
    assert main(["jit", "show", "--graphs", str(program), "break"]) == 0
    text = capsys.readouterr().out
    assert "times as it is: a tensor was written to in place" in text


def test_weft_jit_says_what_is_wrong(capsys, tmp_path):
    for arguments in (["jit"], ["jit", "draw"], ["jit", "show"], ["jit", "show", "--deep"], ["jit", "show", "none.py"]):
        assert main(arguments) == 2
    assert "there is no file none.py" in capsys.readouterr().err
    assert main(["jit", "--help"]) == 0
