"""weft.inspect: what is wrong with a network's gradients and activations, layer by layer."""
import json
import math

import pytest

import weft
from weft import nn
from weft.inspect import activations, gradients


def verdicts(report):
    return {row["layer"]: row["verdict"] for row in report}


@pytest.fixture(autouse=True)
def seeded():
    weft.manual_seed(0)


def healthy():
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    model(weft.randn(32, 8)).pow(2).mean().backward()
    return model


def test_a_healthy_network():
    model = healthy()
    report = gradients(model)
    assert verdicts(report) == {"0": "ok", "2": "ok"} and report.healthy and not report.advice
    row = report["0"]
    assert row["values"] == 144 and row["|grad|"] == pytest.approx(math.hypot(*(float(p.grad.norm())
                                                                                for p in model[0].parameters())),
                                                                   rel=1e-5)
    assert row["grad/weight"] == pytest.approx(row["|grad|"] / row["|weight|"])
    text = str(report)
    assert text.startswith("gradients of Sequential: 2 layers, 212 values, norm of all ") and text.endswith("nothing conspicuous")
    lines = text.split("\n")
    assert lines[1].split() == ["layer", "kind", "values", "|weight|", "|grad|", "grad/weight", "verdict"]
    assert len({len(line.rstrip("ok ")) for line in lines[2:4]}) == 1
    with pytest.raises(KeyError, match="no layer 'x'; layers: 0, 2"):
        report["x"]


def test_vanishing():
    model = nn.Sequential(*[layer for _ in range(7) for layer in (nn.Linear(16, 16), nn.Sigmoid())], nn.Linear(16, 2))
    model(weft.randn(8, 16)).pow(2).mean().backward()
    report = gradients(model)
    assert report["0"]["verdict"] == "vanishing" and report["14"]["verdict"] == "ok"
    assert "gradients vanish. Try residual connections" in str(report)


def test_exploding():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    (model(weft.randn(8, 4)) * 1e7).sum().backward()
    assert set(verdicts(gradients(model)).values()) == {"exploding"}
    assert "clip_grad_norm_" in gradients(model).advice[0]


def test_dead_units_and_zero_gradients():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    with weft.no_grad():
        model[0].bias[:5] = -100
    model(weft.randn(16, 4)).sum().backward()
    report = gradients(model)
    assert report["0"]["dead"] == "5 of 8" and report["0"]["verdict"] == "dead" and report.findings == {"dead": ["0"]}
    with weft.no_grad():
        model[0].bias.fill_(-100)
    model.zero_grad()
    model(weft.randn(16, 4)).sum().backward()
    assert gradients(model)["0"]["verdict"] == "zero"


def test_missing_frozen_and_not_finite():
    model = nn.ModuleDict({"used": nn.Linear(2, 2), "unused": nn.Linear(2, 2), "frozen": nn.Linear(2, 2),
                           "bad": nn.Linear(2, 2)})
    model["frozen"].requires_grad_(False)
    (model["bad"](model["frozen"](model["used"](weft.ones(1, 2)))) * math.inf).sum().backward()
    found = verdicts(gradients(model))
    assert found["unused"] == "no gradient" and found["frozen"] == "frozen" and found["bad"] == "not finite"
    text = str(gradients(model))
    assert "unused: no gradient at all." in text and "weft.check_numerics()" in text


@pytest.mark.parametrize("make", [lambda p: weft.optim.SGD(p, 0.01), lambda p: weft.optim.SGD(p, 0.01, momentum=0.9),
                                  lambda p: weft.optim.Adam(p, 0.01),
                                  lambda p: weft.optim.AdamW(p, 0.01, weight_decay=0)])
def test_the_update_is_what_the_step_does(make):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = make(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(weft.randn(32, 8)).pow(2).mean().backward()
        report = gradients(model, optimizer)
        before = [p.detach().clone() for p in model[0].parameters()]
        size = math.hypot(*(float(p.norm()) for p in before))
        optimizer.step()
        changed = math.hypot(*(float((p.detach() - b).norm()) for p, b in zip(model[0].parameters(), before)))
        assert report["0"]["update/weight"] == pytest.approx(changed / size, rel=1e-3)


def test_steps_that_are_too_long_or_too_short():
    model = healthy()
    assert set(verdicts(gradients(model, weft.optim.SGD(model.parameters(), 1e3))).values()) == {"fast"}
    assert set(verdicts(gradients(model, weft.optim.SGD(model.parameters(), 1e-12))).values()) == {"slow"}


def test_other_layers():
    model = nn.Sequential(nn.Embedding(5, 3), nn.Flatten(), nn.Unflatten(1, (3, 2)), nn.Conv1d(3, 4, 1),
                          nn.BatchNorm1d(4), nn.ConvTranspose1d(4, 2, 1))
    model(weft.tensor([[0, 1], [1, 2]])).pow(2).sum().backward()
    report = gradients(model)
    assert [row["layer"] for row in report] == ["0", "3", "4", "5"] and report["0"]["dead"] is None
    assert json.dumps(report.to_dict())
    assert str(gradients(nn.ReLU())).startswith("gradients of ReLU: it has no parameters")


def test_a_root_with_parameters_of_its_own():
    layer = nn.Linear(2, 2)
    layer(weft.ones(1, 2)).sum().backward()
    assert gradients(layer)["Linear"]["verdict"] == "ok"


def test_activations():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
    with weft.no_grad():
        model[0].bias[:6] = -100
        model[2].weight.mul_(1e3)
    report = activations(model, weft.randn(16, 4))
    assert report["1"]["dead"] == "6 of 8" and report["1"]["verdict"] == "dead" and report["1"]["zero"] >= 0.75
    assert report["3"]["verdict"] == "saturated" and report["0"]["verdict"] == "ok"
    assert not model[0]._forward_hooks and model[0].weight.grad is None
    assert "are dead" in str(report)
    with weft.no_grad():
        model[4].weight.fill_(math.inf)
    assert activations(model, weft.randn(16, 4))["4"]["verdict"] == "not finite"
    assert activations(nn.LSTM(3, 4), weft.randn(5, 2, 3))["LSTM"]["shape"] == "[5, 2, 4]"


def test_a_layer_called_twice_is_one_row():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.relu = nn.ReLU()

        def forward(self, x):
            return self.relu(x) + self.relu(-x)
    row = activations(Twice(), weft.tensor([[1.0, -1.0], [1.0, -1.0]]))["relu"]
    assert row["calls"] == 2 and row["dead"] is None and row["zero"] == 0.5 and row["mean"] == 0.5
