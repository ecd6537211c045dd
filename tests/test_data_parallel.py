"""nn.DataParallel: the plain module without devices, replicas in threads with them."""
import threading
from collections import namedtuple

import numpy as np
import pytest

import weft
from weft import nn
from weft.nn.parallel import gather, parallel_apply, replicate, scatter

Pair = namedtuple("Pair", "y scale")


@pytest.fixture(autouse=True)
def two_threads():
    had = weft.get_num_threads()
    weft.set_num_threads(2)
    yield
    weft.set_num_threads(had)


def network():
    weft.manual_seed(3)
    return nn.Sequential(nn.Conv2d(2, 4, 3), nn.GELU(), nn.Flatten(), nn.Linear(64, 5))


def step(call, model, x):
    model.zero_grad()
    x = x.clone().requires_grad_()
    out = call(x)
    out.square().mean().backward()
    return [out, x.grad, *[p.grad for p in model.parameters()]]


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_replicas_equal_the_plain_module(count):
    model, x = network(), weft.randn(7, 2, 6, 6)
    spread = nn.DataParallel(model, ["cpu"] * count)
    for plain, made in zip(step(model, model, x), step(spread, model, x)):
        np.testing.assert_allclose(made.detach().numpy(), plain.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert list(spread.state_dict()) == ["module." + name for name in model.state_dict()]


class Meeting(nn.Module):
    """Gives its part once all replicas are in their forwards; `seen` are the sizes of the parts."""

    def __init__(self, parties):
        super().__init__()
        self.together, self.seen = threading.Barrier(parties, timeout=20), []
        self.register_buffer("count", weft.zeros(1))

    def forward(self, x, add=0.0):
        self.together.wait()
        self.seen.append((len(x), weft.is_grad_enabled()))
        self.count += len(x)
        return Pair({"y": [x + add, None]}, x.sum())


def test_replicas_run_at_the_same_time_and_the_first_ones_buffers_stay():
    model = Meeting(2)
    with weft.no_grad():
        made = nn.DataParallel(model, ["cpu"] * 2)(weft.arange(5.0), add=weft.arange(5.0))
    assert made.y["y"][0].tolist() == [0, 2, 4, 6, 8] and made.y["y"][1] is None and made.scale.tolist() == [3, 7]
    assert sorted(model.seen) == [(2, False), (3, False)] and model.count.item() == 3


def test_without_devices_or_with_one_thread_it_is_the_module_itself():
    model, x = Meeting(1), weft.ones(4)
    for device_ids in (None, [0, 1], ["cpu"]):      # numbers are GPUs', and there is none
        nn.DataParallel(model, device_ids)(x)
    weft.set_num_threads(1)
    nn.DataParallel(model, ["cpu"] * 2)(x)
    assert model.seen == [(4, True)] * 4


def test_gpus_that_the_cpu_stands_in_for(monkeypatch):
    monkeypatch.setenv("WEFT_GPUS", "2")
    for device_ids in (None, [0, 1], ["cuda:0", "cuda:1"]):
        model = Meeting(2)
        nn.DataParallel(model, device_ids)(weft.ones(4))
        assert model.seen == [(2, True)] * 2


def test_an_error_of_a_replica_comes_back():
    def fails(x):
        raise ValueError(f"part {x}")
    with pytest.raises(ValueError, match="part 1"):
        parallel_apply([abs, fails], [-1, 1])


def test_who_records_sees_all_replicas():
    model = nn.Linear(3, 2)
    graph = weft.graph(nn.DataParallel(model, ["cpu"] * 2)(weft.ones(4, 3)))
    assert str(graph).count("linear") >= 2
    with weft.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        nn.DataParallel(model, ["cpu"] * 2)(weft.ones(4, 3)).sum().backward()
    assert model.weight.grad.tolist() == [[4.0] * 3] * 2


def test_parts_of_structures():
    x = weft.arange(4)
    assert [part["a"][0].tolist() for part in scatter({"a": [x], "b": 1}, [0, 1])] == [[0, 1], [2, 3]]
    assert scatter(Pair(x, 2), [0, 1])[1].y.tolist() == [2, 3] and scatter("word", [0, 1]) == ["word", "word"]
    with pytest.raises(ValueError, match="same number of keys"):
        gather([{}, {"a": x}], "cpu")


def test_a_module_that_is_there_twice_is_once_in_a_replica():
    layer = nn.Linear(2, 2)
    model = nn.ModuleDict({"a": layer, "b": layer})
    first, second = replicate(model, ["cpu"] * 2)
    assert second["a"] is second["b"] is not layer and second["a"].weight is layer.weight is first["a"].weight
    assert replicate(model, ["cpu"], detach=True)[0]["a"].weight.requires_grad is False
