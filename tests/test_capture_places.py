"""Planned memory of captured steps (`weft.jit.places`): the values' places, and that nobody ever sees them."""
import random
import threading

import numpy as np
import pytest

import weft
from weft import nn
from weft.jit.segment import Segment, lowest_places
from weft.kernels import fast, native

native_only = pytest.mark.skipif(Segment is None or fast.lib is None, reason="without kernels there are no segments")


def blocks(captured):
    return [plan.block for plan in captured.plans() if plan.block is not None]


@native_only
def test_pieces_that_are_there_together_lie_side_by_side():
    draw = random.Random(0)
    for n in (0, 1, 2, 40):
        sizes = [draw.choice([64, 128, 192, 1024]) for _ in range(n)]
        begins = [draw.randrange(20) for _ in range(n)]
        ends = [begin + draw.randrange(6) for begin in begins]
        places, end = lowest_places(sizes, begins, ends)
        assert end == max([p + s for p, s in zip(places, sizes)], default=0)
        for i in range(n):
            for j in range(i):
                if begins[i] <= ends[j] and begins[j] <= ends[i]:
                    assert places[i] + sizes[i] <= places[j] or places[j] + sizes[j] <= places[i]


@native_only
def test_a_chain_of_values_needs_two_places():
    places, end = lowest_places([64] * 5, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    assert end == 128


class Encoder:
    """A small transformer: views, copies, products, norms, attention, an optimizer."""

    def __init__(self):
        weft.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
        self.net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.optimizer = weft.optim.Adam(self.net.parameters(), lr=0.01)

    def step(self, x):
        self.optimizer.zero_grad()
        y = self.net(x)
        loss = (y - x).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss, y


@native_only
@pytest.mark.parametrize("replay", [False, True])
def test_what_the_program_has_stays_as_it_was(replay):
    ours, plain = Encoder(), Encoder()
    captured = weft.jit.capture(ours.step, replay=replay)
    kept = []
    for i in range(8):
        x = weft.randn(3, 5, 16, generator=weft.Generator().manual_seed(i))
        got, expected = captured(x), plain.step(x)
        grads = [p.grad for p in ours.net.parameters()]
        kept.append(([*got, *grads], [t.detach().numpy().copy() for t in (*expected, *[
            p.grad for p in plain.net.parameters()])]))
        for tensors, copies in kept:        # of all calls so far
            for t, copy in zip(tensors, copies, strict=True):
                np.testing.assert_array_equal(t.detach().numpy(), copy)
    block, = blocks(captured)[-1:]
    assert block.size > 0
    for tensors, _ in kept:
        assert not any(block.holds(t.detach().numpy()) for t in tensors)


@native_only
@pytest.mark.parametrize("n", [6, 33, 200])
def test_nothing_is_written_where_a_view_of_it_is_read(n):
    def chain(a):
        x = weft.softmax(a, 1)
        y = weft.softmax(x + x.t(), 0)                  # x and y are read for the last time together with their views
        z = weft.softmax(y * 2 - y.t() + 1, 1)
        u = weft.softmax(z - z.view(n, 1, n).expand(n, n, n)[0], 1)
        return weft.softmax(u.t() * u, 1), u
    captured = weft.jit.capture(chain)
    with weft.no_grad():
        for i in range(7):
            a = weft.randn(n, n, generator=weft.Generator().manual_seed(i))
            for found, expected in zip(captured(a), chain(a), strict=True):
                np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert blocks(captured)


@pytest.mark.parametrize("lay", [lambda x: x.t(), lambda x: x[:, ::2].t(), lambda x: x[:1].expand(6, 4), lambda x: x])
def test_memory_of_numpys_lies_as_what_was_recorded(lay):
    def views(x):
        return weft.softmax(x.t(), 1), x[1:].reshape(-1) * 2, x.unsqueeze(0).transpose(1, 2) + 1
    captured = weft.jit.capture(views)
    with weft.no_grad():
        for i in range(10):
            a = np.random.default_rng(i).standard_normal((6, 4)).astype(np.float32)
            x = lay(weft.tensor(a) if i < 5 else weft.from_numpy(a))
            for found, expected in zip(captured(x), views(x), strict=True):
                np.testing.assert_array_equal(found.numpy(), expected.numpy())


@native_only
def test_a_thousand_values_lie_in_one_place_after_the_other():
    def count(x):
        for _ in range(1500):
            x = x + 1           # of whole numbers: no chain
        return weft.softmax(x.float(), 0)
    captured = weft.jit.capture(count)
    for i in range(5):
        np.testing.assert_array_equal(captured(weft.arange(i, i + 4)).numpy(), count(weft.arange(i, i + 4)).numpy())


@native_only
def test_a_step_takes_hardly_any_memory_but_for_what_it_gives():
    ours = Encoder()
    captured = weft.jit.capture(ours.step, replay=True)
    x = weft.randn(3, 5, 16)
    for _ in range(6):
        captured(x)
    plan = captured.plans()[-1]
    made = sum(len(one.outs) for one in plan.instructions)
    before = weft.memory.stats()["requests"]
    captured(x)
    assert weft.memory.stats()["requests"] - before < made / 2


class Skipping:
    """A segment whose kernels refuse some of the instructions."""

    def __init__(self, segment, refused):
        self.segment, self.refused, self.notes = segment, refused, None

    def run(self, cells, start):
        at = start
        while at < len(self.segment):
            if at in self.refused:
                return at
            stop = min([k for k in self.refused if k > at], default=len(self.segment))
            found = self.segment.run_to(cells, at, stop)
            if found >= 0:
                return found
            at = stop
        return -1

    def drop(self, cells, i):
        self.segment.drop(cells, i)


@native_only
@pytest.mark.parametrize("seed", range(6))
def test_kernels_that_take_nothing_at_times_change_nothing(seed):
    ours, plain, draw = Encoder(), Encoder(), random.Random(seed)
    captured = weft.jit.capture(ours.step)
    for i in range(9):
        x = weft.randn(3, 5, 16, generator=weft.Generator().manual_seed(i))
        if i == 5:
            assert blocks(captured)
        for plan in captured.plans() if i >= 5 else ():
            for part in plan.parts or ():
                if part.segment is not None:
                    segment = getattr(part.segment, "segment", part.segment)
                    part.segment = Skipping(segment, set(draw.sample(range(len(segment)), len(segment) // 4)))
        for a, b in zip(captured(x), plain.step(x), strict=True):
            np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())
    for a, b in zip(ours.net.parameters(), plain.net.parameters(), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


@native_only
def test_an_error_leaves_whole_arrays_and_a_step_that_runs_again():
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))

    def loss(x, target):
        return weft.nn.functional.cross_entropy(net(x), target)
    captured = weft.jit.capture(loss)
    x = weft.randn(5, 6)
    good, bad = weft.tensor([0, 1, 2, 3, 0]), weft.tensor([0, 1, 2, 3, 9])
    with weft.no_grad():
        for _ in range(10):
            expected = loss(x, good).item()
            assert captured(x, good).item() == expected
            with pytest.raises(IndexError, match="Target 9 is out of bounds"):
                captured(x, bad)


@native_only
def test_two_threads_run_one_graph():
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
    captured = weft.jit.capture(lambda x: net(x).square().sum())
    xs = [weft.randn(32, 8, requires_grad=True) for _ in range(4)]
    expected = [weft.autograd.grad(net(x).square().sum(), x)[0] for x in xs]
    for x in xs[:1] * 6:
        weft.autograd.grad(captured(x), x)
    wrong = []

    def work(x, want):
        for _ in range(60):
            found, = weft.autograd.grad(captured(x), x)
            if not np.allclose(found.numpy(), want.numpy(), rtol=1e-5, atol=1e-6):
                wrong.append(found)
    threads = [threading.Thread(target=work, args=pair) for pair in zip(xs, expected)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(fast.lib is None, reason="the plain core asks NumPy")
def test_views_with_another_shape_are_those_of_numpy():
    draw = random.Random(0)
    found = 0
    for _ in range(4000):
        nd = draw.randint(0, 4)
        x = np.empty([draw.choice([1, 2, 3, 4]) for _ in range(nd)], np.float32).transpose(draw.sample(range(nd), nd))
        x = np.asarray(x[tuple([slice(None, None, draw.choice([1, 1, 2])) for _ in range(nd)])])
        if draw.random() < 0.2:
            x = np.broadcast_to(x, (2, *x.shape))
        shape, n = [], x.size
        while n > 1 or draw.random() < 0.3:
            length = draw.choice([d for d in range(1, n + 1) if n % d == 0])
            shape.insert(draw.randint(0, len(shape)), length)
            n //= length
        made = native.reshape(x, tuple(shape)) if len(shape) < 12 else None
        expected = x.reshape(shape)
        if made is None:
            assert not np.shares_memory(x, expected) or len(shape) >= 12
            continue
        found += 1
        assert made.shape == expected.shape and made.ctypes.data == expected.ctypes.data
        for length, ours, theirs in zip(made.shape, made.strides, expected.strides):
            assert length == 1 or ours == theirs
    assert found > 1000


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64, weft.bfloat16])
def test_linear_of_turned_stacks(dtype):
    weft.manual_seed(0)
    layer = nn.Linear(6, 5).to(dtype)
    turned = weft.randn(4, 3, 6, requires_grad=True)
    x = turned.to(dtype).transpose(0, 1)
    y, expected = layer(x), layer(x.contiguous())
    assert y.is_contiguous() and y.shape == (3, 4, 5)
    np.testing.assert_array_equal(y.detach().float().numpy(), expected.detach().float().numpy())
    y.float().square().sum().backward()
    first, turned.grad = turned.grad, None
    expected.float().square().sum().backward()
    np.testing.assert_array_equal(first.numpy(), turned.grad.numpy())


def test_a_result_that_takes_over_memory_shifts_no_other_into_the_block():
    """`y` takes over the memory of a clone that ran by itself, so one array less was made than was seen: `x` got the
    place of the next value, and the next call wrote over what the program had.
    """
    weft.manual_seed(0)
    w, state = weft.randn(3, 3, requires_grad=True), weft.zeros(3, 3)

    def step(x):
        w.grad = None
        y = x * 0.5 + state
        x = nn.functional.conv1d((x @ w)[None], w[:, :, None])[0]
        y = y.expand_as(x).clone() + state
        x = x / (1 + y.abs())
        loss = x.square().mean() + y.sigmoid().mean()
        loss.backward()
        return loss.detach(), w.grad, x.detach(), y.detach()
    captured, inputs = weft.jit.capture(step), [weft.randn(3, 3) for _ in range(8)]
    given = [captured(x) for x in inputs]
    for x, results in zip(inputs, given, strict=True):
        for one, other in zip(results, step(x), strict=True):
            assert np.array_equal(one.numpy(), other.numpy())
