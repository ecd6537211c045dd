"""jit.freeze: parameters and attributes are constants, dropout and batch norm are folded away; graphs of scripts."""
import io

import pytest

import weft
import weft.nn.functional as F
from weft import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2)
        self.conv2, self.norm2 = nn.Conv2d(2, 2, 1, bias=False), nn.BatchNorm2d(2)

    def forward(self, x):
        y = self.conv(x)
        y = self.norm(y)
        return F.relu(self.norm2(self.conv2(y))) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.version = Block(), 3
        self.tail = nn.Sequential(nn.ConvTranspose2d(2, 3, 2), nn.BatchNorm2d(3), nn.Dropout(), nn.Flatten(),
                                  nn.Linear(108, 4), nn.BatchNorm1d(4))

    def forward(self, x):
        return self.tail(self.block(x)) * self.version

    @weft.jit.export
    def release(self):
        return self.version


def trained(module, *shape):
    weft.manual_seed(0)
    for _ in range(3):
        module(weft.randn(4, *shape))
    return module.eval()


def kinds(module):
    return [m.original_name for m in module._frozen.modules()]


def through_file(script):
    file = io.BytesIO()
    script.save(file)
    file.seek(0)
    return weft.jit.load(file)


def test_norms_and_dropout_are_folded_away():
    net, x = trained(Net(), 2, 5, 5), weft.randn(2, 2, 5, 5)
    frozen = weft.jit.freeze(weft.jit.script(net), preserved_attrs=["release"])
    assert "Dropout" not in kinds(frozen) and not any("BatchNorm" in kind for kind in kinds(frozen))
    for one in (frozen, through_file(frozen), weft.jit.freeze(through_file(weft.jit.script(net)), ["release"])):
        assert weft.allclose(one(x), net(x), atol=1e-5)
        assert not list(one.parameters()) and not one.state_dict() and not list(one.children())
        assert one.release() == 3 and not hasattr(one, "block") and not hasattr(one, "version") and not one.training
        assert not one(x).requires_grad and one.train() is one and "self.tail" in one.code
    assert any("BatchNorm" in k for k in kinds(weft.jit.freeze(weft.jit.script(net), optimize_numerics=False)))
    before = frozen(x)
    with weft.no_grad():
        net.block.conv.weight.zero_()
    assert weft.equal(frozen(x), before) and net.block.norm2.weight.requires_grad
    with pytest.raises(AttributeError):
        weft.jit.freeze(weft.jit.script(net)).release
    with pytest.raises(RuntimeError, match="Unknown name: nothing"):
        weft.jit.freeze(weft.jit.script(net), ["nothing"])


def test_values_that_others_see_are_not_folded():
    class Looks(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2))
            self.conv, self.norm = nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2)
            self.blocks = nn.ModuleList([Block()])
            self.twice, self.after = nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2)

        def forward(self, x):
            seen = []
            for layer in self.features:
                x = layer(x)
                seen.append(x)
            y = self.conv(x)
            z = self.norm(y)
            w = self.blocks[0].conv(z)
            v = self.after(self.twice(z)) + self.twice.weight.sum()
            return seen, y, z, w, v, self.blocks[0](z)
    net, x = trained(Looks(), 2, 4, 4), weft.randn(1, 2, 4, 4)
    frozen = weft.jit.freeze(weft.jit.script(net))

    def flat(values):
        return [v for part in values for v in (part if isinstance(part, list) else [part])]
    for a, b in zip(flat(frozen(x)), flat(net(x))):
        assert weft.allclose(a, b, atol=1e-5)


def test_traces_are_frozen_too():
    net, x = trained(Net(), 2, 5, 5), weft.randn(2, 2, 5, 5)
    frozen = weft.jit.freeze(weft.jit.trace(net, x))
    assert weft.allclose(frozen(x), net(x), atol=1e-5) and not frozen.state_dict()
    assert weft.allclose(through_file(frozen)(x), net(x), atol=1e-5)
    best = weft.jit.optimize_for_inference(weft.jit.script(Net()))
    assert not best.training and weft.jit.run_frozen_optimizations(best) is None and best(x).shape == (2, 4)
    for bad in (weft.jit.script(Net()), Net()):
        with pytest.raises(RuntimeError, match="eval mode|ScriptModule"):
            weft.jit.freeze(bad)


def test_graphs_of_scripts():
    @weft.jit.script
    def f(x, n: int):
        y = x * 2
        for i in range(n):
            if y.sum() > 10:
                y = weft.relu(y) - i
            else:
                y += 1
        return y, [n]
    graph = f.graph
    text = str(graph)
    assert text.startswith("graph(%x, %n):") and "aten::mul" in text and graph.inputs() == ["x", "n"]
    assert [n.kind() for n in graph.nodes() if n.blocks()] == ["prim::Loop"]
    assert len(graph.findAllNodes("prim::If")) == 1 and graph.findNode("prim::If", recurse=False) is None
    assert len(graph.findNode("prim::If").blocks()) == 2 and graph.findNode("aten::relu").inputs() == ["y"]
    assert {"aten::relu", "aten::mul", "aten::gt"} <= set(weft.jit.export_opnames(f))
    assert "prim::CallMethod[name='forward']" in str(weft.jit.script(Net()).graph)
    assert weft.jit.export_opnames(weft.jit.trace(nn.ReLU(), weft.ones(1))) == ["aten::relu"]


def test_programs_that_are_given_as_text():
    unit = weft.jit.CompilationUnit("""
def double(x):
    return x * 2

def quadruple(x, again: bool = True):
    if again:
        x = double(x)
    return double(x)
""")
    assert unit.quadruple(weft.ones(1)).item() == 4 and unit.quadruple(weft.ones(1), again=False).item() == 2
    assert "def double(x)" in unit.double.code
    with pytest.raises(RuntimeError, match="open"):
        weft.jit.CompilationUnit("def f(x):\n    return open(x)")
    with pytest.raises(AttributeError):
        unit.nothing
    module = weft.jit.ScriptModule()
    module.weight = nn.Parameter(weft.ones(1))
    module.define("def forward(self, x):\n    return x * self.weight + self.more(x)\ndef more(self, x):\n    return x")
    assert module(weft.ones(1)).item() == 2


def test_scripts_are_turned_off():
    weft.jit._state.disable()
    try:
        assert weft.jit.script(len) is len
    finally:
        weft.jit._state.enable()
