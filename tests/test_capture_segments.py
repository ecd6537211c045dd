"""A plan's kernel calls as segments (`weft.jit.segment`): the same bits, whoever runs them; errors at their lines."""
import numpy as np
import pytest

import weft
from weft.jit import kernels
from weft.jit.segment import Segment
from weft.kernels import fast
from weft.nn import functional as F

native = pytest.mark.skipif(Segment is None or fast.lib is None, reason="without kernels there are no segments")


class Network:
    """A small net with what segments have: kernels, loops, views, lists, fused chains, an optimizer's step."""

    def __init__(self):
        weft.manual_seed(0)
        nn = weft.nn
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                 nn.Linear(36, 8), nn.GELU(), nn.Linear(8, 2))
        self.optimizer = weft.optim.Adam(self.net.parameters(), lr=0.01)
        self.x = weft.randn(5, 1, 8, 8)

    def step(self):
        self.optimizer.zero_grad()
        y = self.net(self.x)
        halves = weft.cat([y[:, :1] * 2, y[:, 1:] + 1], 1)
        loss = (halves ** 2).mean() + (y.tanh() * 3 - 1).abs().sum() / 7
        loss.backward()
        self.optimizer.step()
        return loss

    def state(self):
        return [t.detach().numpy().copy() for t in (*self.net.parameters(), *self.net.buffers())]


def same(first, second):
    for a, b in zip(first.state(), second.state(), strict=True):
        np.testing.assert_array_equal(a, b)


class Refusing:
    """A segment in which no kernel takes anything."""

    def __init__(self, segment):
        self.segment = segment

    def run(self, cells, start):
        return start if start < len(self.segment) else -1

    def drop(self, cells, i):
        self.segment.drop(cells, i)


@native
@pytest.mark.parametrize("replay", [False, True])
@pytest.mark.parametrize("refuse", [False, True])
def test_segments_give_the_same_bits(replay, refuse):
    ours, plain = Network(), Network()
    captured = weft.jit.capture(ours.step, replay=replay)
    for i in range(8):
        assert captured().item() == plain.step().item()
        plan = captured.plans()[-1] if i > 1 else None
        if i == 4:
            assert any(part.segment is not None for part in plan.parts)
            assert sum(len(part.instructions) for part in plan.parts) == len(plan.instructions)
        if i == 4 and refuse:
            for part in plan.parts:
                if part.segment is not None:
                    part.segment = Refusing(part.segment)
    same(ours, plain)
    assert ours.net[1].num_batches_tracked.item() == 8


@native
def test_memory_is_let_go_after_its_last_reader():
    x = weft.randn(1000, 250)       # 1 MB

    def chain(x):
        for _ in range(12):
            x = weft.softmax(x.t(), 1)
        return x
    captured = weft.jit.capture(chain)
    with weft.no_grad():
        for _ in range(4):
            captured(x)
        weft.memory.reset_peak()
        before = weft.memory.stats()["in_use"]
        captured(x)
    assert weft.memory.stats()["peak"] - before < 3.5e6


@native
def test_an_error_inside_a_segment_names_the_line_and_keeps_what_ran(monkeypatch):
    held = []

    def step(x):
        first = weft.softmax(x, 1)
        held.append(first)
        return weft.log_softmax(first, 1)   # this line
    captured = weft.jit.capture(step)
    with weft.no_grad():
        for _ in range(4):
            captured(weft.randn(3, 4))
        part = captured.plans()[-1].parts[0]

        class Failing(Refusing):
            def run(self, cells, start):
                assert self.segment.run(cells, start) == -1
                cells[-1] = 1
                raise RuntimeError("out of luck")
        part.segment = Failing(part.segment)
        held.clear()
        x = weft.randn(3, 4)
        with pytest.raises(RuntimeError, match="out of luck\n  in the captured step, called in .*this line"):
            captured(x)
    np.testing.assert_array_equal(held[0].numpy(), weft.softmax(x, 1).numpy())


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int64", "complex64"])
def test_a_square_is_a_product(kind):
    x = (weft.randn(3, 5) * 4).to(getattr(weft, kind))

    def square(x):
        return x ** 2 + 1, x ** 2.0, x.pow(2)
    captured = weft.jit.capture(square)
    with weft.no_grad():
        for _ in range(4):
            for a, b in zip(captured(x), square(x), strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_array_equal(a.numpy(), b.numpy())
    names = {part.op.name for step in captured.graphs()[-1].steps for part in step.parts or (step,)}
    assert ("_power" in names) == (kind not in ("float32", "float64"))


def test_an_integer_to_the_power_of_a_float_is_a_float():
    captured = weft.jit.capture(lambda x: x ** 2.0)
    for _ in range(4):
        assert captured(weft.tensor([1, 2, 3])).dtype == weft.float32


@pytest.mark.parametrize("counter", ["global", "buffer"])
def test_a_replayed_step_counts_in_a_tensor_that_the_program_holds(counter):
    count = weft.tensor(0)
    norm = weft.nn.BatchNorm1d(3)

    def step(x):
        if counter == "global":
            count.add_(1)
            return x * 2
        return norm(x)
    captured = weft.jit.capture(step, replay=True)
    with weft.no_grad():
        for _ in range(6):
            captured(weft.randn(4, 3))
    assert "4 times without" in captured.explain()
    assert (count if counter == "global" else norm.num_batches_tracked).item() == 6


def test_a_replayed_step_may_not_write_to_what_it_makes():
    def step(x):
        made = weft.tensor([0.0, 0.0, 0.0])
        made.add_(x)
        return made * 2
    captured = weft.jit.capture(step, replay=True)
    for i in range(4):
        assert captured(weft.full((3,), float(i))).tolist() == [2.0 * i] * 3
    assert "it writes to a tensor that it makes itself" in captured.explain()


@native
def test_what_was_found_out_for_a_step_serves_those_that_are_like_it(monkeypatch):
    """And no others: sizes, strides, numbers and places of one array beside another one tell them apart."""
    seen = []
    real = kernels.watched
    monkeypatch.setattr(kernels, "watched", lambda function, args: (seen.append(args[0].name), real(function, args))[1])

    def step(x, w, pair):
        a = [F.softmax(x, -1), F.softmax(x + 1, -1), F.softmax(x.t(), -1), F.softmax(x, 0), F.softmax(x[:3] + 0, -1)]
        b = [F.linear(x, w), F.linear(x * 2, w), F.linear(pair[:4], pair[4:]), F.linear(pair[4:], pair[:4])]
        return [*a, *b]
    captured = weft.jit.capture(step)
    for k in range(5):
        weft.manual_seed(k)
        given = weft.randn(4, 6), weft.randn(4, 6), weft.randn(8, 6)
        for one, other in zip(captured(*given), step(*given), strict=True):
            assert one.numpy().tobytes() == other.numpy().tobytes()
    names = [name for name in seen if name in ("softmax", "linear")]
    assert sorted(names) == ["linear"] * 3 + ["softmax"] * 4
