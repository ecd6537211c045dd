"""`autobatch` beside state that changes under it: writes in place, other memory, NumPy, the default type, sparse
gradients. Each program gives what it gives without."""
import contextlib
import gc
import re
import threading

import numpy as np
import pytest
from cycles import leaves_cycles
from test_autobatch import both, same

import weft
from weft import autobatch, nn
from weft.batching import chain, schedule
from weft.batching.report import Report, Trial

F = nn.functional


@pytest.mark.parametrize("ends", ["norm", "mask", "branch", "read"])
def test_a_result_that_ran_is_written_to_after_its_use(ends):
    """The history that it had when it was used is its parent, not the one that the write gave it: the backward ended
    with `list index out of range`."""
    def f():
        w, norm, losses = weft.randn(4, 4, requires_grad=True), nn.BatchNorm1d(4), []
        for _ in range(5):
            x = weft.randn(3, 4) @ w
            if ends == "norm":
                x = norm(x)
            elif ends == "mask":
                losses.append(x[x > 0].sum())
            elif ends == "branch" and x.sum() > 0:
                x = x * 2
            elif ends == "read":
                x.tolist()
            losses.append(x.sum())
            losses.append((x * 2).sum())
            x.mul_(2)
            losses.append(x.tanh().sum())
        loss = sum(losses)
        loss.backward()
        return [loss, w.grad]
    both(f)


def test_a_parameter_gets_other_memory_between_its_uses():
    def f():
        w, losses = weft.randn(3, requires_grad=True), []
        for k in range(4):
            losses.append((w * (k + 1)).sum())
            w.data = w.data * 2
        sum(losses).backward()
        return [*losses, w, w.grad]
    both(f)


def test_one_tensor_of_numpy_memory_is_written_between_its_uses():
    """Every use has the values of its time; the first one's copy was taken for all."""
    def f():
        memory, w, found = np.ones(3, np.float32), weft.randn(3, requires_grad=True), []
        t = weft.from_numpy(memory)
        for k in range(4):
            found.append((w * t).sum())
            found.append(t * 2)
            found.append((t[1] + t[:2]).sum())
            memory[:] = k + 2
        return found
    both(f)


def test_the_default_type_changes_between_regions_and_inside():
    whole = weft.tensor([1, 2, 3])

    def f():
        found = [whole / 2, weft.sqrt(whole), whole * 0.5]
        weft.set_default_dtype(weft.float64)
        try:
            found += [whole / 2, weft.sqrt(whole), whole * 0.5]
        finally:
            weft.set_default_dtype(weft.float32)
        return [*found, whole / 2, weft.sqrt(whole), whole * 0.5]
    plain = f()
    with autobatch(always=True):
        batched = f()
    assert [t.dtype for t in batched] == [t.dtype for t in plain]
    assert plain[0].dtype is weft.float32 and plain[3].dtype is weft.float64
    for a, b in zip(plain, batched, strict=True):
        assert weft.equal(a, b)


@pytest.mark.parametrize("tied", [False, True])
def test_sparse_gradients(tied):
    """An embedding with sparse=True, alone and with its table also used as a matrix."""
    def f():
        table = nn.Embedding(10, 3, sparse=True, padding_idx=0)
        loss = sum(table(weft.tensor([k, 0])).square().sum() for k in (1, 1, 2, 5))
        if tied:
            loss = loss + sum((weft.ones(3) * k @ table.weight.t()).tanh().sum() for k in range(3))
        loss.backward()
        assert table.weight.grad.is_sparse == (not tied)
        return [loss, table.weight.grad.to_dense()]
    both(f)


def test_a_sparse_gradient_of_a_table_made_inside():
    def f():
        w = weft.randn(6, 3, requires_grad=True)
        loss = sum(F.embedding(weft.tensor([k, 2]), w * 2.0, sparse=False).square().sum() for k in range(3))
        loss.backward()
        return [loss, w.grad]
    both(f)


def test_a_recorded_backward_after_a_write_is_an_error():
    """The ops run again one by one then, so the values must still be there."""
    w = weft.randn(3, requires_grad=True)
    with autobatch(always=True):
        loss = sum((w * k).tanh().sum() for k in (1.0, 2.0, 3.0))
        loss.item()
    with weft.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match=r"modified by an inplace .* shape \[3\] at version 0.*at version 1"):
        weft.autograd.grad(loss, w, create_graph=True)
    with autobatch(always=True):
        loss = sum((w * k).tanh().sum() for k in (1.0, 2.0, 3.0))
        first, = weft.autograd.grad(loss, w, create_graph=True)
        second, = weft.autograd.grad(first.sum(), w)
    again = sum((w * k).tanh().sum() for k in (1.0, 2.0, 3.0))
    expected, = weft.autograd.grad(weft.autograd.grad(again, w, create_graph=True)[0].sum(), w)
    same(expected.numpy(), second.numpy())


def test_a_report_names_ops_as_users_do():
    w = weft.randn(4, requires_grad=True)
    with autobatch(always=True) as region:
        x = w * 2
        y = x[x > 0].sum() + (x * w).sum() + x.cumsum(0).sum()
        y.backward()
    text = str(region.report())
    assert "values needed by: index mask, once" in text and "not batched:      cumsum, once: no other like it" in text
    assert "mul, 2 times" in text and text.count(" mul, ") == 1 and " _" not in text


def test_a_report_says_slower_where_it_is():
    trial, report = Trial(), Report()
    for _ in range(5):
        inside = trial.wants()
        trial.ran(inside, 2.0 if inside else 1.0, 100, report)
    assert "gain:             none, 2.00 times slower" in str(report) and "faster" not in str(report)


WRITES = {
    "clamp, neg": lambda x, w: (x.clamp_(max=0.5), x.neg_()),
    "clamp, clamp": lambda x, w: (x.clamp_(max=0.5), x.clamp_(min=-0.5)),
    "relu, clamp, piece": lambda x, w: (x.relu_(), x.clamp_(max=0.5), x[1:].neg_()),
    "piece, mul, piece": lambda x, w: (x[1:].neg_(), x.mul_(w), x[1:].mul_(w[1:]), x[1:].mul_(w[1:])),
    "pow, sin, self": lambda x, w: (x.pow_(2), x.pow_(3), x.sin_(), x.mul_(x)),
    "owed operands": lambda x, w: (x.mul_(w * 2), x.div_(w.exp()), x.addcmul_(w * 3, w), x.lerp_(w * 2, 0.5)),
    "items": lambda x, w: (x.__setitem__(0, (w * x.clone()).sum()), x.__setitem__(slice(1, 3), w[:2] * 3), x.tanh_()),
    "numbered": lambda x, w: (x.index_add_(0, weft.tensor([1, 1]), w[:2] * 2), x.sigmoid_(),
                              x.masked_fill_(x.detach() > 0.6, 0.25), x.exp_()),
    "filled": lambda x, w: (x.mul_(w), x[:2].fill_(0.5), x[2:].copy_(w[:2] * x[:2].clone()), x.tanh_()),
    "no graph": lambda x, w: (x.detach().mul_(2), x.neg_()),
}


@pytest.mark.parametrize("first", ["read", "owed", "view"])
@pytest.mark.parametrize("name", WRITES)
def test_writes_one_after_the_other(name, first):
    """Recorded, an op would keep for its backward the memory that the next write goes to: that was an error of
    versions."""
    def f():
        w, losses = weft.randn(4, requires_grad=True), []
        for k in range(1, 4):
            x = w * k
            other = (x * 2).sum()
            if first == "read":
                x.tolist()
            y = x.view(2, 2) if first == "view" else x
            WRITES[name](x, w)
            losses += [(y * 1.5).sum(), x.square().sum(), other]
        loss = sum(losses)
        loss.backward()
        return [loss, w.grad]
    both(f)


# schedules that are kept

WEIGHT = (weft.arange(16.0).view(4, 4) / 20 - 0.4).requires_grad_()


def forest(w, sizes, kept=None):
    """The loss of trees that are left-deep, of so many leaves each; kept: a list for what is held of each."""
    losses = []
    for n in sizes:
        h = weft.ones(1, 4) * 0.1
        for _ in range(n):
            h = (h @ w + 0.1).tanh()
            h = h.sigmoid() * h
        if kept is not None:
            kept.append(h)
        losses.append(h.sum())
    return sum(losses)


def run_forest(sizes, kept=None):
    """(gradient, how often a schedule was found) of a run inside, whose gradient is that of one outside."""
    w, w.grad = WEIGHT, None
    forest(w, sizes).backward()
    expected, w.grad, before = w.grad, None, schedule.hits()
    with autobatch(always=True):
        forest(w, sizes, kept).backward()
    same(expected.numpy(), w.grad.numpy())
    return w.grad, schedule.hits() - before


def test_the_schedule_of_a_structure_that_was_seen_is_taken_over():
    schedule.KNOWN.clear()
    first, found = run_forest([9, 12, 5, 20])
    assert found == 0
    second, found = run_forest([9, 12, 5, 20])
    assert found == 1 and weft.equal(first, second)
    for other in ([9, 12, 20, 5], [9, 12, 5, 21], [9, 12, 5, 20, 1]):
        assert run_forest(other)[1] == 0
    assert run_forest([9, 12, 5, 20])[1] == 1


def test_a_schedule_is_another_one_where_values_are_held():
    """What the program holds must be kept; a schedule of a run that held nothing would leave it out."""
    schedule.KNOWN.clear()
    run_forest([9, 12, 5, 20])
    kept = []
    assert run_forest([9, 12, 5, 20], kept)[1] == 0
    again = []
    forest(WEIGHT, [9, 12, 5, 20], again)
    for a, b in zip(again, kept, strict=True):
        same(a.detach().numpy(), b.detach().numpy())


def test_a_plan_that_was_forgotten_is_made_again_for_a_known_schedule():
    """Plans of chains need to know which values are needed outside; a schedule that is taken over has kept it."""
    schedule.KNOWN.clear()
    first = run_forest([9, 12, 5, 20])[0]
    chain.PLANS.clear()
    second, found = run_forest([9, 12, 5, 20])
    assert found == 1 and weft.equal(first, second)


def test_schedules_that_are_kept_are_bounded(monkeypatch):
    monkeypatch.setattr(schedule, "MOST_WORDS", 20000)
    schedule.KNOWN.clear()
    for n in range(40):
        run_forest([40 + n, 3])
    assert 2 <= len(schedule.KNOWN) <= 20
    assert run_forest([40 + n, 3])[1] == 1          # the last ones are there
    assert run_forest([40, 3])[1] == 0


DATA_WRITES = {
    "a parameter's data": lambda w: w.data.mul_(3),
    "a parameter's data, by an operator": lambda w: w.data.__imul__(3),
    "data of data": lambda w: w.data.data.mul_(3),
    "data that were there before": None,
}


@pytest.mark.parametrize("write", DATA_WRITES.values(), ids=DATA_WRITES)
def test_a_write_to_data_is_one_to_the_tensor(write):
    w = weft.ones(3, requires_grad=True)
    data, kept = w.data, weft.zeros(3)
    with autobatch(always=True):
        before = (w * 2).sum()
        write(w) if write is not None else data.mul_(3)
        after = (w * 2).sum()
        made = w * 2
        made.data += 1
        other = kept.data
        kept += 1
        other *= 5
    assert (before.item(), after.item(), w.tolist(), data.tolist()) == (6, 18, [3] * 3, [3] * 3)
    assert made.tolist() == [7] * 3 and kept.tolist() == other.tolist() == [5] * 3


def test_answers_that_are_no_tensors():
    w = weft.ones(3, requires_grad=True)
    with autobatch(always=True):
        for _ in range(2):
            made = w * 2
            assert weft.equal(made, made) and weft.allclose(made, w + 1) and not made.equal(w)
            assert weft.is_nonzero(made.sum()) and not weft.allclose(made, w)


def test_words_are_counted_in_each_example():
    table = weft.nn.Embedding(5, 3, scale_grad_by_freq=True)
    texts = [weft.tensor(t) for t in ([0, 0, 1], [1, 0, 2], [2, 2, 2])]
    sum(table(text).square().sum() for text in texts).backward()
    plain, table.weight.grad = table.weight.grad, None
    with autobatch(always=True):
        sum(table(text).square().sum() for text in texts).backward()
    np.testing.assert_allclose(table.weight.grad.numpy(), plain.numpy(), rtol=1e-6)


@pytest.mark.parametrize("ends", ["by itself", "by an error of the program", "after the error was caught"])
def test_an_op_that_fails_takes_nothing_with_it(ends):
    """What doesn't need it has its values at the end of the region, whatever is written afterwards."""
    w, p = weft.ones(4, 4, requires_grad=True), weft.ones(2)
    error = {"by itself": IndexError, "by an error of the program": KeyError}.get(ends)
    with contextlib.nullcontext() if error is None else pytest.raises(error), autobatch(always=True):
        total, bad, other = w.sum() * 2, w[weft.tensor([9])] * 3, p * 2
        if ends == "after the error was caught":
            with pytest.raises(IndexError, match="called in .*bad, other"):
                bad.sum().item()
        if error is KeyError:
            raise KeyError
    p.zero_()
    total.backward()
    assert other.tolist() == [2, 2] and total.item() == 32 and (w.grad == 2).all()
    with pytest.raises(IndexError):
        bad.tolist()


def test_a_write_to_the_data_of_a_promised_view():
    w = weft.ones(1, 4, requires_grad=True)
    with autobatch(always=True):
        whole = weft.cat([w * 2, w], 1)
        view = whole[:, 2:6]
        view.data.mul_(3)
        view.data.data[:, 0] += 1
        after = view * 1
    assert view.tolist() == after.tolist() == [[7, 6, 3, 3]] and whole.tolist() == [[2, 2, 7, 6, 3, 3, 1, 1]]


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("strange", [False, True])
def test_losses_of_one_batch_go_back_one_by_one(n, strange):
    """The batch ran at the end of the region; each loss needs its part of it, and no other's infinities."""
    def f():
        w, table = weft.randn(3, 3, requires_grad=True), nn.Embedding(100, 3)
        xs = [weft.rand(3) * (float("inf") if strange and k == 1 else 1) for k in range(n)]
        middles = [(x + table(weft.tensor(k))) @ w for k, x in enumerate(xs)]
        losses = [h.exp().tanh().sum() * (k + 1) + h.sum() for k, h in enumerate(middles)]
        return w, table.weight, losses

    found = []
    for inside in (False, True):
        weft.manual_seed(0)
        with autobatch(always=True) if inside else contextlib.nullcontext():
            w, table, losses = f()
        grads = []
        for loss in losses:
            loss.backward()
            grads += [w.grad.clone(), table.grad.clone()]
        found.append(grads)
        with pytest.raises(RuntimeError, match="second time"):
            losses[0].backward()
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(theirs.numpy(), mine.numpy(), rtol=1e-5, atol=1e-6)


def test_a_part_that_went_back_is_let_go():
    """What no other loss needs is freed after the first backward, as without the region."""
    w = weft.randn(4, 4, requires_grad=True)
    with autobatch(always=True):
        first = (weft.ones(4) @ w).exp().sum()
        second = (weft.ones(2, 4) @ w).sin().sum()
    tape = first.grad_fn
    assert second.grad_fn is tape
    first.backward()
    assert any(made.array is None for step in tape.steps for made in step.mades)
    assert any(made.array is not None for step in tape.steps for made in step.mades)
    second.backward()
    assert tape.table is None


def test_threads_inside_one_region():
    """Each has a session of its own, and the garbage collector is as it was when the last one has left."""
    w, region, found, both_inside = weft.ones(3, requires_grad=True), autobatch(always=True), {}, threading.Barrier(2)

    def work(k):
        with region:
            both_inside.wait()
            made = (w * k).sum()
            found[k] = made.requires_grad, region._session
            both_inside.wait()
            if k == 2:
                both_inside.wait()      # the one who came first, or last, leaves last
        if k == 1:
            both_inside.wait()
        found[k] += made.item(),

    before = gc.get_threshold()
    threads = [threading.Thread(target=work, args=(k,)) for k in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == before
    assert found[1][1] is not found[2][1] and [found[k][2] for k in (1, 2)] == [3, 6]


def test_what_only_a_cut_leads_to_gets_no_gradient():
    """A parameter whose results go on without their history has no gradient, not one of zeros."""
    def f():
        w, other, v = weft.randn(3, 3, requires_grad=True), weft.randn(3, 3, requires_grad=True), weft.ones(3)
        losses = []
        for x in weft.randn(4, 3):
            cut, kept = (x @ w).tanh(), (x @ other).tanh()      # which run as one
            losses.append((cut.detach() * v + kept).sum())
        sum(losses).backward()
        assert w.grad is None
        return [other.grad]
    both(f)


@pytest.mark.parametrize("held", [False, True])
def test_a_parameter_that_numpy_has_seen_is_batched_again(held):
    """While somebody holds the array, it may be written to at any time; afterwards nobody can."""
    cell, xs = nn.LSTMCell(3, 3), weft.ones(8, 1, 3)
    wanted = cell(xs[0])[0].detach()
    array = cell.weight_ih.detach().numpy()
    if not held:
        del array
    with autobatch(always=True) as region:
        before = region.report().together.copy()
        made = [cell(x)[0] for x in xs]
        if held:
            array[...] = 0
        made += [cell(x)[0] for x in xs]
        sum(t.sum() for t in made).backward()
    cells = {op.name: n for op, n in (region.report().together - before).items() if "cell" in op.name}
    assert held or cells == {"_recurrent_cell": 16}
    for k, t in enumerate(made):
        assert weft.allclose(t, wanted) == (k < 8 or not held)


@pytest.mark.parametrize("kept", ["numpy", "from_numpy", "turned"])
def test_products_with_memory_that_numpy_holds_are_batched(kept):
    memory = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    w = weft.from_numpy(memory.copy() if kept == "numpy" else memory).requires_grad_()
    held = w.detach().numpy() if kept == "numpy" else memory
    xs = [weft.randn(1, 5 if kept != "turned" else 4) for _ in range(6)]

    def loss():
        w.grad = None
        total = sum(((x @ (w.T if kept == "turned" else w)).tanh() ** 2).sum() for x in xs)
        total.backward()
        return [total, w.grad]
    expected = loss()
    with weft.autobatch(always=True) as region:
        found = loss()
    for a, b in zip(expected, found):
        same(a.detach().numpy(), b.detach().numpy())
    if kept != "turned":        # a view of such memory is made at once, and is another tensor each time
        ops, groups = map(int, re.search(r"(\d+) ops ran as (\d+) groups", str(region.report())).groups())
        assert ops / groups == 29 / 5       # all but the one sum that begins with a number
    assert held is not None


def test_numpy_writes_to_a_weight_between_its_uses():
    """Each use has the values of its time, and so has a view from before the write."""
    def f():
        memory, found = np.ones((3, 3), np.float32), []
        w = weft.from_numpy(memory).requires_grad_()
        x = weft.full((1, 3), 2.0, requires_grad=True)
        turned = w.T
        for k in range(4):
            found += [(x @ w).sum(), (x @ turned).sum(), w[1].sum(), (w * -0.0)[0, 0], (x * w[0]).sum()]
            memory[:] = -0.0 if k == 2 else k + 2
        values = [t.detach().clone() for t in found]
        return values
    both(f)


def test_numpy_writes_after_the_backward():
    """A program's own steps through NumPy: every backward belongs to the values that its forward had."""
    def f():
        memory, losses = np.full((3, 2), 0.5, np.float32), []
        w = weft.from_numpy(memory).requires_grad_()
        for _ in range(4):
            w.grad = None
            loss = sum((weft.full((1, 3), float(k)) @ w).tanh().sum() for k in range(1, 4))
            loss.backward()
            memory -= 0.1 * w.grad.numpy()
            losses.append(loss.detach())
        return [*losses, w, w.grad]
    both(f)


@pytest.mark.parametrize("ends", ["backward", "no backward", "read", "middle", "two"])
def test_a_region_leaves_no_reference_cycles(ends):
    """A tape held the arrays that its groups made, and these the tape: the memory of whole steps waited for the garbage
    collector, which took a third of a tagger's time."""
    lstm, out = nn.LSTM(3, 4), nn.Linear(4, 2)

    def step():
        with autobatch(always=True):
            losses = []
            for n in (2, 3, 2, 5):
                h = lstm(weft.randn(n, 3))[0].tanh() * 2 + 1
                if ends == "read":
                    assert h.sum().item() < 100
                losses.append(F.cross_entropy(out(h), weft.zeros(n, dtype=weft.int64)))
                if ends == "middle":
                    h.sum().backward(retain_graph=True)
            total = sum(losses)
            if ends != "no backward":
                total.backward(retain_graph=ends == "two")
            if ends == "two":
                total.backward()
        assert total.item() > 0
    assert not leaves_cycles(step)
