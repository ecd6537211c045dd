"""weft.profiler.memory: what was alive at the peak, and which lines made it."""
import gc
import json
import xml.dom.minidom

import numpy as np
import pytest

import weft
import weft.nn.functional as F
from weft import nn, optim
from weft._pure import PURE
from weft.core.modes import local
from weft.kernels.blocks import block_bytes
from weft.kernels.fast import base as allocator
from weft.profiler import memory

MB = 1 << 20


def test_peak_and_its_lines():
    with memory() as m:
        big = weft.zeros(4 * MB // 4)           # a line of 4 MB
        small = weft.zeros(MB // 4)             # a line of 1 MB
        (big + 1).sum()                         # a line of 4 MB, gone at once
        del big
        small + 1
    assert m.peak >= 9 * MB and m.peak < 9.6 * MB
    source = open(__file__).readlines()
    lines = {source[b.place[1] - 1].split("#")[1].strip(): b for b in m.at_peak if b.place
             and "#" in source[b.place[1] - 1]}
    assert set(lines) == {"a line of 4 MB", "a line of 1 MB", "a line of 4 MB, gone at once"}
    assert lines["a line of 1 MB"].shape == (MB // 4,)
    assert m.timeline[-1][1] < 2.2 * MB


def test_what_ends_is_given_back_and_what_lives_is_not():
    kept = []
    with memory() as m:
        for _ in range(20):
            kept.append(weft.zeros(MB // 4))
            weft.zeros(MB // 4) * 2
    assert 20 * MB <= m.timeline[-1][1] <= 21 * MB
    assert 22 * MB <= m.peak <= 23 * MB
    assert len(kept) == 20


def test_views_and_in_place_writes_take_nothing():
    with memory() as m:
        x = weft.zeros(MB // 4)
        y = x.view(2, -1).t()[0]
        x += 1
        y.mul_(2)
    assert m.timeline[-1][1] < 1.1 * MB
    if not PURE:        # without kernels, the result is made first and copied then
        assert m.peak < 1.1 * MB and len([b for b in m.blocks if b.bytes > 1000]) == 1


def test_what_comes_from_outside():
    data, layer = weft.tensor(np.ones((64, 256), np.float32)), nn.Linear(256, 16)
    with memory() as m:
        layer(data)
    kinds = {b.op: b for b in m.blocks}
    assert kinds["given from outside"].bytes == 64 * 256 * 4 and kinds["parameter"].kind == "input"
    assert kinds["linear"].module == "Linear"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.head = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 64, 10))

    def forward(self, x):
        return self.head(self.conv(x))


def train(net, optimizer, steps=3):
    x, y = weft.zeros(64, 3, 16, 16), weft.zeros(64).long()
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()


def test_training_is_attributed():
    net = Net()
    optimizer = optim.Adam(net.parameters())
    with memory() as m:
        train(net, optimizer)
    kinds = {kind for _, _, kind in m.by("kind")}
    assert {"forward", "input"} <= kinds
    modules = {module for _, _, module in m.by("module")}
    assert "Net.head.0" in modules or "Net.conv" in modules
    assert any(b.op == "Adam.step: state" or b.kind == "optimizer"
               for b in m.blocks) or any(b.op == "filled" for b in m.blocks)
    assert sum(size for size, _, _ in m.by("op")) == m.peak == sum(b.bytes for b in m.at_peak)
    backward = [b for b in m.blocks if b.kind == "backward" and b.op == "ConvolutionBackward0"]
    assert backward and backward[0].module == "Net.conv" and backward[0].place[2] == "forward"


@pytest.fixture
def one_thread():
    """The kernels work on one thread: a worker that has its first task just then takes memory for its panels."""
    had = weft.get_num_threads()
    weft.set_num_threads(1)
    yield
    weft.set_num_threads(had)


@pytest.mark.skipif(allocator is None, reason="NumPy's memory is not counted")
@pytest.mark.parametrize("make", [lambda: Net(), lambda: nn.Sequential(nn.Flatten(), nn.Linear(768, 512), nn.GELU(),
                                                                       nn.LayerNorm(512), nn.Linear(512, 10))],
                         ids=["convolutions", "perceptron"])
def test_it_agrees_with_the_allocator(make, one_thread):
    net = make()
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    train(net, optimizer, 1)
    optimizer.zero_grad()           # what is freed while watching was made while watching
    gc.collect()
    weft.memory.empty_cache()       # a block that an earlier test left may be larger than what is asked for
    with memory() as m:
        train(net, optimizer)
    assert m.made_peak == pytest.approx(m.allocator_peak, rel=0.05)


@pytest.mark.skipif(allocator is None, reason="NumPy's memory is not counted")
@pytest.mark.parametrize("n", [1, 64, 65, 100, 1000, 4096, 4097, 399600, 4_000_000])
def test_sizes_as_the_allocator_takes_them(n):
    before = allocator.memory_stats()["in_use"]
    kept = weft.empty(n, dtype=weft.uint8)
    assert allocator.memory_stats()["in_use"] - before in (block_bytes(n), 0)
    assert kept.numel() == n


def test_report():
    with memory() as m:
        train(Net(), optim.Adam(Net().parameters()), 1)
    text = m.report()
    assert text.startswith("peak ") and "module" in text and "test_profiler_memory.py" in text and "%" in text
    assert str(m) == text
    assert "and " in m.report(limit=1)
    for by in ("line", "op", "module", "kind"):
        assert by in m.report(by=by).splitlines()[1] + m.report(by=by).splitlines()[2]
    with pytest.raises(ValueError, match="by is"):
        m.by("colour")


def test_exports(tmp_path):
    with memory() as m:
        train(Net(), optim.SGD(Net().parameters()), 2)
    for name in ("m.json", "m.svg", "m.html"):
        m.export(tmp_path / name)
    data = json.loads((tmp_path / "m.json").read_text())
    assert data == json.loads(json.dumps(m.to_dict()))
    assert data["peak"] == m.peak and max(n for _, n in data["timeline"]) == m.peak
    assert sum(b["bytes"] for b in data["at_peak"]) == m.peak
    drawing = xml.dom.minidom.parse(str(tmp_path / "m.svg"))
    assert drawing.getElementsByTagName("polygon") and "nan" not in (tmp_path / "m.svg").read_text()
    page = (tmp_path / "m.html").read_text()
    assert "<svg" in page and "test_profiler_memory.py" in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    with pytest.raises(ValueError, match="end in"):
        m.export(tmp_path / "m.png")


def test_nothing_seen_and_twice():
    m = memory()
    with m:
        pass
    assert m.report() == "memory: nothing was seen\n" and m.peak == 0 and m.at_peak == []
    m.start()
    with pytest.raises(RuntimeError, match="already"):
        m.start()
    weft.zeros(10)
    m.stop()
    m.stop()
    assert m.peak == pytest.approx(40, abs=30) and not local.watchers


def test_an_error_ends_the_watching():
    with pytest.raises(ZeroDivisionError):
        with memory():
            1 / 0
    assert not local.watchers


def test_it_keeps_nothing_alive():
    import weakref
    with memory() as m:
        x = weft.zeros(1000)
        gone = weakref.ref(x._array)
        del x
        assert gone() is None
    assert m.timeline[-1][1] == 0
