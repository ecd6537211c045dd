"""`autobatch`: per-example programs run as batches and give what the loop gives."""
import gc
import itertools

import numpy as np
import pytest

import weft
from weft import autobatch, nn
from weft.batching.kinds import Kind
from weft.batching.report import Report, Trial
from weft.batching.schedule import groups_of
from weft.batching.table import Table

F = nn.functional


def grads_of(net):
    return [None if p.grad is None else p.grad.detach().numpy().copy() for p in net.parameters()]


def same(a, b, tolerance=1e-6):
    assert (a is None) == (b is None)
    if a is not None:
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance * max(1, abs(a).max(initial=0)))


def check(net, examples, loss_of, batched=2, backward=True):
    """The loss of each example and the gradients of their sum, looped and batched."""
    outcomes = []
    for inside in (False, True):
        weft.manual_seed(5)
        net.zero_grad()
        region = autobatch(always=True)

        def run():
            losses = [loss_of(net, example) for example in examples]
            if backward:
                sum(losses).backward()
            return losses
        if inside:
            with region:
                losses = run()
        else:
            losses = run()
        outcomes.append(([loss.item() for loss in losses], grads_of(net)))
    for a, b in zip(outcomes[0][0], outcomes[1][0], strict=True):
        same(a, b)
    for a, b in zip(outcomes[0][1], outcomes[1][1], strict=True):
        same(a, b)
    assert max(region.report().sizes) >= batched
    return region.report()


# programs

def tree(rng, leaves):
    if leaves == 1:
        return int(rng.integers(0, 30))
    left = int(rng.integers(1, leaves))
    return tree(rng, left), tree(rng, leaves - left)


class TreeLSTM(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.table, self.leaf, self.join, self.out = (nn.Embedding(30, size), nn.Linear(size, 3 * size),
                                                      nn.Linear(2 * size, 5 * size), nn.Linear(size, 4))

    def states(self, node):
        if isinstance(node, int):
            i, o, u = self.leaf(self.table(weft.tensor(node))).chunk(3)
            c = i.sigmoid() * u.tanh()
            return o.sigmoid() * c.tanh(), c
        (h1, c1), (h2, c2) = self.states(node[0]), self.states(node[1])
        i, f1, f2, o, u = self.join(weft.cat([h1, h2])).chunk(5)
        c = i.sigmoid() * u.tanh() + f1.sigmoid() * c1 + f2.sigmoid() * c2
        return o.sigmoid() * c.tanh(), c

    def forward(self, node):
        return self.out(self.states(node)[0])


def test_trees():
    forest = [tree(np.random.default_rng(k), 2 + k % 9) for k in range(20)]
    report = check(TreeLSTM(), forest, lambda net, t: F.cross_entropy(net(t), weft.tensor(len(str(t)) % 4)), 20)
    assert report.batched_share > 0.9


class Tagger(nn.Module):
    """A BiLSTM over words whose vectors are a table's, or for rare ones a BiLSTM's over their letters."""

    def __init__(self):
        super().__init__()
        self.table, self.letters = nn.Embedding(12, 6), nn.Embedding(9, 4)
        self.there, self.back = nn.LSTMCell(6, 5), nn.LSTMCell(6, 5)
        self.spell, self.out = nn.GRUCell(4, 6), nn.Linear(10, 3)

    def word(self, number):
        if number < 9:
            return self.table(weft.tensor([number]))
        h = weft.zeros(1, 6)
        for k in range(number - 7):
            h = self.spell(self.letters(weft.tensor([k + number % 3])), h)
        return h

    def walk(self, cell, xs):
        h = c = weft.zeros(1, 5)
        made = []
        for x in xs:
            h, c = cell(x, (h, c))
            made.append(h)
        return made

    def forward(self, words):
        xs = [self.word(w) for w in words]
        there, back = self.walk(self.there, xs), self.walk(self.back, xs[::-1])[::-1]
        return self.out(weft.cat([weft.cat(pair, 1) for pair in zip(there, back, strict=True)]))


def test_tagger():
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 12, n).tolist() for n in (3, 7, 5, 1, 4, 7, 6)]
    check(Tagger(), texts, lambda net, t: F.cross_entropy(net(t), weft.tensor([w % 3 for w in t])), 5)


@pytest.mark.parametrize("make", [nn.LSTM, nn.GRU, nn.RNN])
def test_layers_over_sequences_of_unequal_length(make):
    layer = make(4, 3, bidirectional=True)
    texts = [weft.randn(n, 1, 4) for n in (3, 5, 3, 2)]
    outcomes = check(layer, texts, lambda net, x: net(x)[0].square().sum(), 1)
    assert outcomes is not None


class Molecules(nn.Module):
    """Messages along the edges of graphs of different size."""

    def __init__(self):
        super().__init__()
        self.atom, self.message, self.update, self.out = (nn.Embedding(5, 6), nn.Linear(12, 6), nn.GRUCell(6, 6),
                                                          nn.Linear(6, 1))

    def forward(self, atoms, edges):
        h = [self.atom(weft.tensor([a])) for a in atoms]
        for _ in range(2):
            new = []
            for i in range(len(atoms)):
                m = weft.zeros(1, 6)
                for a, b in edges:
                    if b == i:
                        m = m + self.message(weft.cat([h[a], h[i]], 1)).relu()
                new.append(self.update(m, h[i]))
            h = new
        return self.out(weft.stack(h).sum(0)).squeeze()


def test_molecules():
    data = [([0, 1, 2], [(0, 1), (1, 0), (1, 2), (2, 1)]), ([3, 4], [(0, 1), (1, 0)]),
            ([1, 1, 2, 0], [(0, 1), (1, 2), (2, 3), (3, 0)])]
    check(Molecules(), data, lambda net, d: (net(*d) - 1) ** 2, 3)


@pytest.mark.parametrize("make", [
    lambda: nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 2)),
    lambda: nn.Sequential(nn.Conv2d(2, 4, 3), nn.GroupNorm(2, 4), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
    lambda: nn.Sequential(nn.Flatten(), nn.LayerNorm(72), nn.Linear(72, 3), nn.Softmax(-1)),
    lambda: nn.Sequential(nn.BatchNorm2d(2), nn.Flatten()),
    lambda: nn.Sequential(nn.Flatten(), nn.Dropout(0.4), nn.Linear(72, 3), nn.Tanh(), nn.Dropout(0.2))])
def test_layers_for_each_example(make):
    weft.manual_seed(0)
    net = make()
    pictures = [weft.randn(1, 2, 6, 6) for _ in range(4)]
    check(net, pictures, lambda net, x: net(x).square().mean(), 1)
    for name, buffer in net.named_buffers():
        assert buffer.isfinite().all(), name


def test_batch_norm_keeps_its_statistics():
    net, data = nn.BatchNorm1d(3), [weft.randn(4, 3) for _ in range(3)]
    again = nn.BatchNorm1d(3)
    for x in data:
        net(x)
    with autobatch(always=True):
        for x in data:
            again(x)
    same(net.running_mean, again.running_mean)
    same(net.running_var, again.running_var)
    assert again.num_batches_tracked.item() == 3


def test_attention_of_each_sentence():
    net = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    check(net, [weft.randn(1, n, 8) for n in (3, 4, 3, 4)], lambda net, x: net(x).square().mean(), 2)


# what runs when

def test_a_read_in_the_middle_runs_only_what_it_needs():
    w = weft.randn(3, 3, requires_grad=True)
    with autobatch(always=True) as region:
        a = [(weft.ones(3) * k) @ w for k in range(3)]
        b = [(weft.ones(3) * k + 1) @ w for k in range(3)]
        a[1].sum().item()
        assert b[0]._owed is not None and b[0]._owed.made is None and region._session.recorder.table.n > 5
        kept = [x.sum() for x in b]
        (a[0].sum() + sum(kept)).backward()
    same(w.grad.numpy(), np.full((3, 3), (1 + 2 + 3) * 1.0) + 0)


def test_what_leaves_the_region_still_comes():
    w = weft.randn(3, requires_grad=True)
    with autobatch(always=True):
        kept = [w * k for k in range(3)]
        cut = kept[2].detach()
    w0 = w.detach().clone()
    with weft.no_grad():
        w.zero_()
    for k in range(3):
        same(kept[k].detach().numpy(), w0.numpy() * k)
    same(cut.numpy(), w0.numpy() * 2)
    assert kept[1].grad_fn is not None and not cut.requires_grad


def test_a_branch_on_a_value():
    def sign(net, x):
        y = net(x).sum()
        return y * 2 if y > 0 else y * y
    check(nn.Linear(4, 3), [weft.randn(4) for _ in range(6)], sign, 1)


def test_what_nobody_asks_for_does_not_run():
    with autobatch(always=True) as region:
        weft.ones(3, requires_grad=True) * 2
    assert not region.report().sizes


# the graph

def both(function):
    """What a function gives outside and inside."""
    weft.manual_seed(2)
    plain = function()
    weft.manual_seed(2)
    with autobatch(always=True):
        batched = function()
    for a, b in zip(plain, batched, strict=True):
        same(None if a is None else a.detach().numpy(), None if b is None else b.detach().numpy())


def test_gradients_of_what_is_in_the_middle():
    def f():
        w = weft.randn(3, 3, requires_grad=True)
        h = [(weft.randn(3) @ w).tanh() for _ in range(3)]
        loss = sum((x * x).sum() for x in h)
        return weft.autograd.grad(loss, [*h, w])
    both(f)


def test_gradients_of_what_is_in_the_middle_after_a_read():
    def f():
        w = weft.randn(3, 3, requires_grad=True)
        h = [(weft.randn(3) @ w).tanh() for _ in range(3)]
        loss = sum((x * x).sum() for x in h)
        loss.item()
        return weft.autograd.grad(loss, [*h, w])
    both(f)


def test_views_in_the_middle():
    def f():
        w = weft.randn(4, 3, requires_grad=True)
        h = [weft.randn(4).unsqueeze(0) @ w for _ in range(3)]
        parts = [x.view(3)[1:] for x in h]
        loss = sum((x.t() * x).sum() for x in parts)
        loss.item()
        return weft.autograd.grad(loss, [*parts, w])
    both(f)


def test_hooks_and_retained_gradients():
    def f():
        seen = []
        w = weft.randn(3, 3, requires_grad=True)
        h = [(weft.randn(3) @ w).tanh() for _ in range(3)]
        h[0].retain_grad()
        h[1].register_hook(lambda g: seen.append(g) or g * 2)
        sum((x * x).sum() for x in h).backward()
        return [h[0].grad, seen[0], w.grad]
    both(f)


def test_second_order():
    def f():
        w = weft.randn(3, 3, requires_grad=True)
        x = [weft.randn(3, requires_grad=True) for _ in range(3)]
        y = sum((a @ w).tanh().square().sum() for a in x)
        grads = weft.autograd.grad(y, [*x, w], create_graph=True)
        sum(g.square().sum() for g in grads).backward()
        return [w.grad, *[a.grad for a in x]]
    both(f)


def test_backward_twice():
    def f():
        w = weft.randn(3, requires_grad=True)
        y = [(w * k).exp().sum() for k in range(3)]
        total = sum(y)
        total.backward(retain_graph=True)
        total.backward()
        return [w.grad]
    both(f)
    w = weft.randn(3, requires_grad=True)
    with autobatch(always=True):
        y = (w * 2).exp().sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()


def test_losses_that_share_a_part_go_back_one_by_one():
    def f():
        w, v = weft.randn(3, requires_grad=True), weft.randn(3, requires_grad=True)
        h = [w + k for k in range(3)]
        for x in h:
            (x * v).sum().backward()
            (x * 2).sum().backward()
        return [w.grad, v.grad]
    both(f)


def test_a_custom_function():
    class Twice(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * x * 3

    def f():
        w = weft.randn(3, requires_grad=True)
        y = [Twice.apply(w * k) * w for k in range(3)]
        sum(a.sum() for a in y).backward()
        return [w.grad]
    both(f)


def test_detach_and_no_grad():
    def f():
        w = weft.randn(3, requires_grad=True)
        y = [w * k for k in range(3)]
        with weft.no_grad():
            z = [a * 2 for a in y]
        sum((a * b + a.detach() * c).sum() for a, b, c in zip(y, z, y, strict=True)).backward()
        return [w.grad, *z]
    both(f)


def test_hooks_of_parameters_and_accumulation():
    def f():
        seen = []
        w = weft.randn(3, requires_grad=True)
        w.grad = weft.ones(3)
        w.register_hook(lambda g: seen.append(g) or g * 3)
        sum((w * k).sum() for k in range(3)).backward()
        return [w.grad, *seen]
    both(f)


# writes

def test_writes_in_place():
    def f():
        w = weft.randn(3, 3, requires_grad=True)
        found = []
        for k in range(3):
            y = (weft.ones(3) * k) @ w
            y += w[0]
            y[0] = 0.0
            y[1:].mul_(2)
            z = y.view(3, 1)
            y.add_(1)
            found.append((z * z).sum())
        total = weft.zeros(())
        for x in found:
            total += x
        total.backward()
        return [total, w.grad]
    both(f)


def test_a_detached_view_shares_the_memory():
    def f():
        w = weft.randn(4, 3, requires_grad=True)
        found = []
        for k in range(3):
            y = w * k
            cut = y.t()[1:].detach()
            assert cut.stride() == (1, 3)
            with weft.no_grad():
                y.add_(1)
            found += [cut, y]
        return found
    both(f)


def test_a_buffer_is_written_between_its_uses():
    def f():
        w, buffer, found = weft.randn(3, requires_grad=True), weft.zeros(3), []
        for k in range(3):
            found.append((w + buffer).sum())
            buffer.fill_(k + 1.0)
        sum(found).backward()
        return [w.grad, *found]
    both(f)


def test_numpy_memory_is_written_between_its_uses():
    def f():
        memory, w, found = np.ones(3, np.float32), weft.randn(3, requires_grad=True), []
        for k in range(3):
            found.append((w * weft.from_numpy(memory)).sum())
            memory[:] = k + 2
        return found
    both(f)


def test_an_optimizer_inside_the_region():
    def f():
        weft.manual_seed(0)
        net = nn.Linear(3, 2)
        opt = weft.optim.Adam(net.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            sum(net(weft.randn(3)).square().sum() for _ in range(4)).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
        return list(net.parameters())
    both(f)


def test_adding_up_in_place_does_not_end_the_batch():
    w = weft.randn(4, 4, requires_grad=True)
    with autobatch(always=True) as region:
        total = 0
        for k in range(8):
            total += (weft.ones(4) * k @ w).tanh().sum()
        total.backward()
    assert region.report().sizes[8] >= 2


# errors

def test_an_error_names_the_line_of_its_op():
    table = nn.Embedding(4, 3)
    with pytest.raises(IndexError, match=r"row = table\(weft.tensor\(\[k\]\)\)"), autobatch(always=True):
        rows = []
        for k in range(6):
            row = table(weft.tensor([k]))
            rows.append(row)
        weft.cat(rows).sum().item()


def test_a_wrong_shape_is_an_error_at_once():
    with autobatch(always=True):
        net = nn.Linear(3, 2)
        net(weft.ones(3) * 1)
        with pytest.raises(RuntimeError, match="features"):
            net(weft.ones(4) * 1)


def test_an_index_out_of_range():
    with autobatch(always=True):
        x = weft.ones(3, requires_grad=True) * 2
        x[2]
        with pytest.raises(IndexError):
            x[3]


def test_an_error_in_the_program_leaves_everything_as_it_was():
    bits = weft.core.runtime.mode_bits()
    with pytest.raises(ZeroDivisionError), autobatch(always=True):
        weft.ones(3, requires_grad=True) * (1 / 0)
    assert weft.core.runtime.mode_bits() == bits
    assert (weft.ones(3) * 2)._owed is None


def test_nothing_is_left_behind():
    net = TreeLSTM()
    forest = [tree(np.random.default_rng(k), 5) for k in range(5)]

    def step():
        with autobatch(always=True):
            sum(net(t).sum() for t in forest).backward()
    step()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(3):
        step()
    gc.collect()
    assert len(gc.get_objects()) - before < 200


# whether it pays

def run_trial(batched, plain, ops=100):
    trial, report = Trial(), Report()
    for _ in range(5):
        inside = trial.wants()
        trial.ran(inside, batched if inside else plain, ops, report)
    return trial, report


def test_a_region_that_is_slower_stands_aside_and_says_so():
    trial, report = run_trial(1.1, 1.0)
    assert not trial.wants() and "1.10 times as long" in str(report)
    for _ in range(196):
        assert not trial.wants()
        trial.ran(False, 1.0, 100, report)
    assert trial.wants()        # tried again


def test_trials_take_less_than_a_hundredth_of_the_time():
    """A region that takes 30 times as long, mostly to learn kinds that never come again, and one that is 30 times
    faster: what is lost against the better of the two stays below 1 % in the long run, and both are tried again."""
    for batched, plain in ((30.0, 1.0), (1.0, 30.0)):
        trial, report = Trial(), Report()
        total, tried = 0.0, 0
        for k in range(40000):
            inside = trial.wants()
            tried += k > 5 and inside == (batched > plain)
            seconds = batched if inside else plain
            total += seconds
            trial.ran(inside, seconds, 100, report)
        assert 40000 < total <= 40000 * 1.01
        assert 2 <= tried <= 14


def test_a_region_that_pays_stays():
    trial, report = run_trial(0.5, 1.0)
    assert trial.wants() and report.gain == 2 and report.off is None
    assert run_trial(1.02, 1.0)[0].wants() and not run_trial(1.04, 1.0)[0].wants()


@pytest.mark.parametrize("times", [0.2, 0.9, 1.02, 1.04, 1.06, 1.5, 3.0, 10.0])
def test_a_region_is_never_five_percent_slower_than_none(times, monkeypatch):
    """1000 runs by a clock that only the program moves: with the region they take `times` what they take without."""
    now, inside = [0.0], []
    monkeypatch.setattr("weft.batching.region.TRIALS", {})
    monkeypatch.setattr("weft.batching.region.time.thread_time", lambda: now[0])
    w = weft.randn(3, requires_grad=True)
    for _ in range(1000):
        with autobatch() as region:
            inside.append((w * 2)._owed is not None)
            now[0] += times if inside[-1] else 1.0
    assert now[0] <= 1040 + 2 * times                   # the first two runs come before anything is known
    assert all(inside[10:190]) if times <= 1.03 else not any(inside[5:190])
    assert (region.report().off is None) == (times <= 1.03)
    # tried again, the later the more is between them
    assert len(set(inside[190:])) == (2 if 0.2 < times < 5 else 1)


def test_without_a_graph_batches_decide():
    trial, report = Trial(), Report()
    report.sizes[1], report.singly["add"] = 10, 10
    for _ in range(5):
        trial.ran(trial.wants(), 1.0, 0, report)
    assert not trial.wants()


def test_a_region_at_one_place_is_tried_with_and_without(monkeypatch):
    monkeypatch.setattr("weft.batching.region.time.thread_time", itertools.count().__next__)
    w, states = weft.randn(3, requires_grad=True), []
    for _ in range(5):
        with autobatch() as region:
            y = w * 2
            states.append(y._owed is not None)
    assert states == [True, True, False, True, False] and "gain" in str(region.report())


def test_a_decorator():
    @weft.autobatch
    def step(w):
        return [w * k for k in range(3)]

    @weft.autobatch(always=True)
    def again(w):
        return step(w)      # a region inside another one is part of it
    w = weft.ones(2, requires_grad=True)
    assert [t.tolist() for t in step(w)] == [t.tolist() for t in again(w)] == [[0, 0], [1, 1], [2, 2]]
    assert again.report().sizes[3] == 0 and again.report().sizes[1] == 3 and step.__name__ == "step"


def test_vmap_inside():
    w = weft.randn(3, 3, requires_grad=True)
    x = weft.randn(4, 3)
    with autobatch(always=True):
        y = weft.vmap(lambda a: (a @ w).tanh())(x * 1)
        y.sum().backward()
    same((x @ w).tanh().detach().numpy(), y.detach().numpy())


def test_inference_mode_and_check_numerics():
    w = weft.ones(3, requires_grad=True)
    with autobatch(always=True):
        y = w * 2
        with weft.inference_mode():
            assert (w * 2).tolist() == [2, 2, 2]
        with weft.check_numerics(), pytest.raises(RuntimeError):
            (y - 2).log()


# layers over whole sequences, and what runs together

@pytest.mark.parametrize("make", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2, "batch_first": True}])
def test_sequences_of_unequal_length_run_as_one(make, options):
    weft.manual_seed(0)
    layer, xs = make(4, 3, **options), [weft.randn(*shape) for shape in ((3, 1, 4), (5, 2, 4), (2, 1, 4), (7, 4))]

    def loss():
        found = [layer(x) for x in xs]
        return sum(out.square().sum() + (s[0].sum() + s[1].sin().sum() if make is nn.LSTM else s.sin().sum())
                   for out, s in found)
    wanted = weft.autograd.grad(loss(), layer.parameters())
    with autobatch(always=True) as region:
        found = weft.autograd.grad(loss(), layer.parameters())
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6)
    assert "_recurrent" in {op.name for op in region.report().together}
    assert "_recurrent" not in {op.name for op in region.report().singly}


def test_compile_has_it_as_a_backend():
    w = weft.ones(3, requires_grad=True)

    @weft.compile(backend="autobatch")
    def total(xs):
        return sum((x * w).exp().sum() for x in xs)
    with weft.no_grad():
        assert total([weft.zeros(3) for _ in range(4)]).item() == 12
    net = weft.compile(nn.Sequential(nn.Linear(3, 2), nn.Tanh()), backend="autobatch")
    assert net(weft.ones(1, 3)).shape == (1, 2)
    assert weft.compile(total, backend="autobatch", disable=True) is total


def test_results_do_not_hold_the_graph_of_others():
    """An argmax that is kept lets go of all that led to it, also where gradients were recorded."""
    net = nn.Linear(1000, 3)
    with autobatch(always=True):
        xs = [weft.randn(1, 1000) for _ in range(4)]
        found = [net(x * 2).argmax() for x in xs]
    made = found[0]._owed.made if found[0]._owed is not None else None
    assert made is None or not made.graph
    assert all(0 <= k.item() < 3 for k in found)


def test_a_program_that_reads_all_the_time_keeps_little():
    """What has run is forgotten: the table holds what is left, with what it needs."""
    w = weft.ones(3, requires_grad=True)
    with autobatch(always=True) as region:
        total, x = 0.0, w * 1
        for _ in range(50):
            x = (x * 0.5).tanh()
            total = total + x.sum().detach()
            assert x.sum().item() < 3
        table = region._session.recorder.table
        assert table.n < 200 and len(table.outsides) < 120
        assert total.item() > 0


@pytest.mark.parametrize("seed", range(20))
def test_both_schedules_run_everything_once_and_in_order(seed):
    """Random graphs: every entry is in one group, after what it needs, with others of its key."""
    rng = np.random.default_rng(seed)
    kinds = [Kind() for _ in range(3)]
    for kind in kinds:
        kind.n_outs, kind.cost = 1, float(rng.random())
    kinds[2].single = "never" if seed % 2 else None
    table = Table()
    for e in range(200):
        sources = [int(s) for s in rng.integers(max(0, e - 30), e, min(e, int(rng.integers(0, 3))))]
        for s in sources:
            table.put(s)
        which = int(rng.integers(0, 3))
        table.note(kinds[which], -1, which, False, None, 0, None)
    assert table.select(list(range(200)), True) == 1
    groups, seen = groups_of(table, 0), {}
    for number, (start, stop) in enumerate(groups):
        members = table.group(start, stop)
        assert len({id(table.kind_of(e)) for e in members}) == 1
        assert table.kind_of(members[0]).single is None or len(members) == 1
        for e in members:
            assert e not in seen and all(seen.get(table.entry_of(s), number) < number for s in table.inputs_of(e))
        seen.update(dict.fromkeys(members, number))
    assert len(seen) == 200


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("held", [False, True])
def test_sums_that_are_added_up_one_by_one(shape, held):
    found = []
    for inside in (False, True):
        w = weft.tensor(np.random.default_rng(0).standard_normal(shape), requires_grad=True)
        region = autobatch(always=True)
        if inside:
            region.__enter__()
        total, totals = w * 2, []
        for k in range(6):
            total = total + (w * w).exp() * (k + 1)
            totals.append(total)
        total = total + w                   # a tensor from outside, and the same one again and again
        for _ in range(5):
            total = total + w
        once = total + total
        loss = (sum(totals[1:4]) * 3 + once if held else once).sum()
        loss.backward()
        if inside:
            region.__exit__(None, None, None)
        found.append([loss.detach().numpy(), w.grad.numpy(), *[t.detach().numpy() for t in totals if held]])
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-12)
    assert region.report().together.total() > 0


# calls that are known

def recorded(function, *given):
    """What a function gives inside autobatch, called three times with the same arguments, and outside."""
    with autobatch(always=True) as region:
        inside = [function(*given) for _ in range(3)]
    return [outputs(made) for made in inside], outputs(function(*given)), region


def outputs(made):
    return [t.tolist() for t in (made if isinstance(made, tuple) else (made,))]


@pytest.mark.parametrize("function", [
    lambda x, w: x @ w, lambda x, w: x.chunk(2, 1), lambda x, w: x.chunk(2, -1), lambda x, w: x.split(1),
    lambda x, w: x.split(3, 1), lambda x, w: x * 2.0, lambda x, w: x * 3, lambda x, w: x.sigmoid(), lambda x, w: x + x,
    lambda x, w: x[1], lambda x, w: x.T, lambda x, w: x.matmul(w).relu(), lambda x, w: x.detach() * x])
def test_a_call_that_was_seen_before_gives_the_same(function):
    x, w = weft.randn(4, 6, requires_grad=True), weft.randn(6, 3, requires_grad=True)
    inside, outside, _ = recorded(lambda x, w: function(x.exp(), w), x, w)
    for made in inside:
        np.testing.assert_allclose(np.concatenate([np.ravel(m) for m in made]),
                                   np.concatenate([np.ravel(m) for m in outside]), rtol=1e-6)


def test_a_known_call_tells_numbers_and_sizes_apart():
    x = weft.randn(4, 6, requires_grad=True)
    with autobatch(always=True):
        y = x.exp()
        made = [[t.shape for t in y.chunk(k, dim)] for _ in range(2) for k in (2, 3) for dim in (0, 1)]
        products = [y * k for k in (2.0, 3.0, 2.0, 2, 3)]
    assert made[:4] == made[4:] and [len(m) for m in made[:4]] == [2, 2, 2, 3]
    np.testing.assert_allclose([(p.sum() / x.exp().sum()).item() for p in products], [2, 3, 2, 2, 3], rtol=1e-5)


def test_a_list_that_was_changed_is_another_argument():
    x, sizes = weft.randn(4, requires_grad=True), [1, 3]
    with autobatch(always=True):
        y = x.exp()
        first = [t.shape[0] for t in y.split(sizes)]
        sizes[:] = [2, 2]
        assert first == [1, 3] and [t.shape[0] for t in y.split(sizes)] == [2, 2]


def test_a_call_that_was_known_without_a_gradient_has_one():
    x, w = weft.randn(4, 6), weft.randn(6, 6, requires_grad=True)
    with autobatch(always=True):
        for _ in range(3):
            with weft.no_grad():
                ((x @ w).tanh() @ w).softmax(-1)
        ((x @ w).tanh() @ w).softmax(-1)[:, 0].sum().backward()
    found, w.grad = w.grad, None
    ((x @ w).tanh() @ w).softmax(-1)[:, 0].sum().backward()
    np.testing.assert_allclose(found.numpy(), w.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_pieces_of_a_known_call_are_views():
    x = weft.randn(2, 6, requires_grad=True)
    with autobatch(always=True):
        for _ in range(3):
            y = x * 1.0
            a, b = y.chunk(2, 1)
            assert a._base is y and a.storage_offset() == 0 and b.storage_offset() == 3 and b.stride() == (6, 1)
            with weft.no_grad():
                y[:, 3:] = 5.0
            assert b.tolist() == [[5.0] * 3] * 2
