"""Gradients of tables that are kept as the few rows that were used (autograd/rows.py): no number may change by it."""
import contextlib
import copy
import io

import numpy as np
import pytest

import weft
from weft import nn
from weft.autograd import rows
from weft.autograd.rows import rows_behind

WORDS = 3000


def train(monkeypatch, kept, make=nn.Embedding, optimizer="SGD", clip=None, to_none=True, tied=False, backwards=1,
          dtype=weft.float32, options=None, **arguments):
    """(losses, norms and parameters of four steps, in how many of them the gradient was kept as rows)."""
    monkeypatch.setattr(rows, "SMALL", 1 << 16 if kept else 1 << 60)
    weft.manual_seed(0)
    table = make(WORDS, 16, dtype=dtype, **arguments)
    out = nn.Linear(16, WORDS if tied else 4, dtype=dtype)
    if tied:
        out.weight = table.weight
    params = list(dict.fromkeys([*table.parameters(), *out.parameters()]))
    optimizer = getattr(weft.optim, optimizer)(params, **{"lr": 0.1, **(options or {})})
    seen, count = [], 0
    for _ in range(4):
        for _ in range(backwards):
            loss = sum((out(table(weft.randint(0, 60, (5, 7))[:, :k])) ** 2).mean() for k in (1, 3, 7))
            loss.backward()
        count += rows_behind(table.weight.grad) is not None
        if clip == "norm":
            seen.append(nn.utils.clip_grad_norm_(params, 0.01))
        elif clip == "value":
            nn.utils.clip_grad_value_(params, 1e-3)
        optimizer.step()
        optimizer.zero_grad(set_to_none=to_none)
        seen.append(loss.detach())
    return seen + [p.detach() for p in params], count


CASES = [{}, {"optimizer": "Adagrad"}, {"optimizer": "Adam"}, {"options": {"momentum": 0.9}},
         {"options": {"weight_decay": 0.1}}, {"options": {"maximize": True}, "clip": "value"}, {"clip": "norm"},
         {"to_none": False, "backwards": 3}, {"padding_idx": 3}, {"dtype": weft.float64},
         {"optimizer": "Adagrad", "options": {"lr_decay": 0.1}, "to_none": False, "backwards": 2},
         {"optimizer": "Adagrad", "options": {"eps": 0.0, "initial_accumulator_value": 0.1}},
         {"make": nn.EmbeddingBag, "mode": "sum"}]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_training_gives_the_same_bits(case, monkeypatch):
    kept, count = train(monkeypatch, True, **case)
    dense, none = train(monkeypatch, False, **case)
    assert count == 4 and none == 0
    for a, b in zip(kept, dense, strict=True):
        assert weft.equal(a, b)


def test_tied_weights_add_their_rows_to_the_dense_gradient(monkeypatch):
    kept, _ = train(monkeypatch, True, tied=True, options={"lr": 0.01})
    dense, _ = train(monkeypatch, False, tied=True, options={"lr": 0.01})
    for a, b in zip(kept, dense, strict=True):
        assert weft.equal(a, b)


def test_means_of_bags(monkeypatch):
    kept, count = train(monkeypatch, True, make=nn.EmbeddingBag, mode="mean", backwards=2)
    dense, _ = train(monkeypatch, False, make=nn.EmbeddingBag, mode="mean", backwards=2)
    assert count == 4
    for a, b in zip(kept, dense, strict=True):
        assert weft.allclose(a, b, rtol=1e-6, atol=1e-7)


def with_gradient(numbers=(5, 7, 5), width=16):
    table = weft.ones(WORDS, width, requires_grad=True)
    picked = nn.functional.embedding(weft.tensor(numbers), table)
    (picked * weft.arange(1.0, len(numbers) + 1)[:, None]).sum().backward()
    assert rows_behind(table.grad) is not None
    expected = np.zeros((WORDS, width), np.float32)
    for i, number in enumerate(numbers):
        expected[number] += i + 1
    return table, expected


READS = [lambda g: g.numpy(), lambda g: g.detach().clone().numpy(), lambda g: g.data.numpy(), lambda g: (g + 0).numpy(),
         lambda g: copy.deepcopy(g).numpy(), lambda g: g.to_sparse().to_dense().numpy(), lambda g: np.asarray(g),
         lambda g: np.array(g.tolist(), np.float32), lambda g: g.t().contiguous().t().numpy(),
         lambda g: weft.stack([g])[0].numpy(), lambda g: g.double().float().numpy(), lambda g: g[:].numpy(),
         lambda g: g.view(-1).view(g.shape).numpy(), lambda g: np.from_dlpack(g)]


@pytest.mark.parametrize("number", range(len(READS)))
def test_whoever_reads_has_the_dense_values(number):
    table, expected = with_gradient()
    assert table.grad.shape == (WORDS, 16) and table.grad.is_contiguous() and not table.grad.is_sparse
    assert table.grad.stride() == (16, 1) and table.grad.dtype is weft.float32 and table.grad.grad_fn is None
    np.testing.assert_array_equal(READS[number](table.grad), expected)
    np.testing.assert_array_equal(table.grad.numpy(), expected)


def test_saved_and_loaded():
    table, expected = with_gradient()
    file = io.BytesIO()
    weft.save(table.grad, file)
    file.seek(0)
    np.testing.assert_array_equal(weft.load(file).numpy(), expected)


WRITES = [lambda g: g.mul_(2), lambda g: g.add_(1), lambda g: g.zero_(), lambda g: g.__setitem__(5, 9.0),
          lambda g: g.copy_(weft.ones(g.shape)), lambda g: g.data.mul_(3), lambda g: g[7].add_(4),
          lambda g: g.clamp_(max=1)]


@pytest.mark.parametrize("number", range(len(WRITES)))
def test_a_gradient_can_be_written_to(number):
    table, expected = with_gradient()
    held = table.grad.detach()      # shares the memory, as any detached tensor does
    WRITES[number](table.grad)
    plain = weft.tensor(expected)
    WRITES[number](plain)
    assert weft.equal(table.grad, plain) and weft.equal(held, plain)
    nn.functional.embedding(weft.tensor([5, 9]), table).sum().backward()
    plain[5] += 1
    plain[9] += 1
    assert weft.equal(table.grad, plain)


def test_an_alias_sees_what_is_added_later():
    table, expected = with_gradient()
    held = table.grad.detach()
    before = table.grad._version
    nn.functional.embedding(weft.tensor([8]), table).sum().backward()
    expected[8] += 1
    assert rows_behind(table.grad) is not None and table.grad._version > before
    np.testing.assert_array_equal(held.numpy(), expected)
    nn.functional.embedding(weft.tensor([8]), table).sum().backward()      # one of the two was read
    expected[8] += 1
    np.testing.assert_array_equal(table.grad.numpy(), expected)
    np.testing.assert_array_equal(held.numpy(), expected)


def test_hooks_see_the_gradient_and_may_replace_it():
    table = weft.ones(WORDS, 16, requires_grad=True)
    seen = []
    table.register_hook(seen.append)
    nn.functional.embedding(weft.tensor([1, 1]), table).sum().backward()
    nn.functional.embedding(weft.tensor([2]), table).sum().backward()
    assert seen[0].sum() == 32 and seen[0][1, 0] == 2 and seen[1].sum() == 16     # later backwards don't add to them
    assert table.grad.sum() == 48
    table.register_hook(lambda grad: grad * 2)
    table.grad = None
    nn.functional.embedding(weft.tensor([2]), table).sum().backward()
    assert table.grad.sum() == 32


def test_autograd_grad_and_second_order():
    table = weft.rand(WORDS, 16, requires_grad=True)
    loss = (nn.functional.embedding(weft.tensor([4, 4, 6]), table) ** 3).sum()
    first, = weft.autograd.grad(loss, table, create_graph=True)
    assert rows_behind(first) is None
    second, = weft.autograd.grad(first.sum(), table)
    expected = weft.zeros(WORDS, 16)
    expected[4], expected[6] = 12 * table.detach()[4], 6 * table.detach()[6]
    assert weft.allclose(second, expected)
    plain, = weft.autograd.grad((nn.functional.embedding(weft.tensor([4, 4, 6]), table) ** 3).sum(), table)
    assert weft.allclose(plain, first)


def test_computed_tables_and_other_memory_orders():
    base = weft.rand(16, WORDS, requires_grad=True)
    loss = (nn.functional.embedding(weft.tensor([3, 5]), base.t() * 2)
            + nn.functional.embedding(weft.tensor([5, 9]), base.t())).sum()
    loss.backward()
    expected = weft.zeros(16, WORDS)
    expected[:, 3], expected[:, 5], expected[:, 9] = 2, 3, 1
    assert weft.equal(base.grad, expected) and base.grad.stride() == base.stride()
    turned = weft.rand(16, WORDS).t().requires_grad_()
    nn.functional.embedding(weft.tensor([3]), turned).sum().backward()
    assert turned.grad.stride() == turned.stride() and turned.grad.sum() == 16


def test_many_lookups_become_dense(monkeypatch):
    table = weft.ones(WORDS, 16, requires_grad=True)
    loss = sum(nn.functional.embedding(weft.arange(k, k + 700), table).sum() for k in range(0, 2100, 700))
    loss.backward()
    assert rows_behind(table.grad) is None and table.grad.sum() == 2100 * 16


def test_empty_lookups_and_only_padding():
    table = weft.ones(WORDS, 16, requires_grad=True)
    optimizer = weft.optim.SGD([table], lr=1.0)
    nn.functional.embedding(weft.zeros(0, dtype=weft.int64), table).sum().backward()
    nn.functional.embedding(weft.tensor([3, 3]), table, padding_idx=3).sum().backward()
    assert nn.utils.clip_grad_norm_([table], 1.0) == 0
    optimizer.step()
    assert table.grad.sum() == 0 and weft.equal(table.detach(), weft.ones(WORDS, 16))


def test_a_norm_that_is_nan_reaches_every_value():
    table, _ = with_gradient()
    other = weft.ones(2, requires_grad=True)
    other.grad = weft.tensor([float("nan"), 1.0])
    nn.utils.clip_grad_norm_([table, other], 1.0)
    assert table.grad.isnan().all()


def test_the_optimizer_counts_its_writes():
    table, _ = with_gradient()
    loss = (nn.functional.embedding(weft.tensor([5]), table) * table[5]).sum()
    weft.optim.SGD([table], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_watched_and_checked_runs_see_dense_gradients():
    table = weft.ones(WORDS, 16, requires_grad=True)
    with weft.check_numerics(), pytest.raises(RuntimeError, match="NaN|nan"):
        (nn.functional.embedding(weft.tensor([5]), table) * 0 / 0).sum().backward()
    with weft.profiler.memory() as report:
        nn.functional.embedding(weft.tensor([5]), table).sum().backward()
    assert report.peak >= WORDS * 16 * 4 and rows_behind(table.grad) is None


def test_captured_steps_agree():
    def steps(wrap):
        weft.manual_seed(0)
        table, out = nn.Embedding(WORDS, 16), nn.Linear(16, 3)
        optimizer = weft.optim.SGD([*table.parameters(), *out.parameters()], lr=0.1)

        def step(words):
            optimizer.zero_grad()
            loss = out(table(words)).pow(2).sum()
            loss.backward()
            optimizer.step()
            return loss
        step = wrap(step)
        return [step(weft.tensor([1, 2, i])).item() for i in range(2, 8)], table.weight.detach()
    (a, table_a), (b, table_b) = steps(weft.compile), steps(lambda f: f)
    assert a == b and weft.equal(table_a, table_b)


def test_a_step_of_few_rows_makes_no_table():
    table = weft.ones(200_000, 64, requires_grad=True)
    optimizer = weft.optim.Adagrad([table], lr=0.1)
    nn.functional.embedding(weft.tensor([7, 9]), table).sum().backward()
    nn.utils.clip_grad_norm_([table], 1.0)
    optimizer.step()
    assert rows_behind(table.grad) is not None       # nobody read it
    assert table.detach()[7, 0] < 1 and table.detach()[8, 0] == 1


# rows that are read by an index, and inside autobatch

def lookups(table, how):
    """What three examples read of a table of 3000 rows, in one of the ways that programs have."""
    texts = [[5, 2999, 5], [-1, 0], [7]]
    if how == "number":
        return [[table[i].unsqueeze(0) for i in text] for text in texts]
    if how == "numbers":
        return [table[weft.tensor(text)].split(1) for text in texts]
    return [nn.functional.embedding(weft.tensor(text) % WORDS, table).split(1) for text in texts]


def gradient_of_lookups(how, batched, monkeypatch, kept=True):
    monkeypatch.setattr(rows, "SMALL", 1 << 16 if kept else 1 << 60)
    weft.manual_seed(0)
    table, w = weft.randn(WORDS, 16, requires_grad=True), weft.randn(16, 16, requires_grad=True)
    for _ in range(2):
        with weft.autobatch(always=True) if batched else contextlib.nullcontext():
            losses = []
            for parts in lookups(table, how):
                state = weft.zeros(1, 16)
                for part in parts:
                    state = (part @ w + state).tanh()
                losses.append(state.sum())
            sum(losses).backward()
    assert (rows_behind(table.grad) is not None) == kept
    return table.grad


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("how", ["number", "numbers", "embedding"])
def test_a_table_that_is_indexed_has_rows_for_a_gradient(how, batched, monkeypatch):
    found = gradient_of_lookups(how, batched, monkeypatch)
    expected = gradient_of_lookups(how, False, monkeypatch, kept=False)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)
    if not batched:
        assert weft.equal(found, expected)


@pytest.mark.parametrize("how", ["number", "numbers", "embedding"])
def test_rows_and_a_dense_gradient_of_one_table_inside_autobatch(how, monkeypatch):
    made = []
    for batched in (False, True):
        table = weft.ones(WORDS, 16, requires_grad=True)
        with weft.autobatch(always=True) if batched else contextlib.nullcontext():
            sum((part * k).sum() + (table * k).sum() for k, parts in enumerate(lookups(table, how))
                for part in parts).backward()
        made.append(table.grad)
    assert weft.equal(*made)


def test_so_many_rows_inside_autobatch_that_the_table_is_made():
    made = []
    for batched in (False, True):
        table = weft.ones(2000, 16, requires_grad=True)
        with weft.autobatch(always=True) if batched else contextlib.nullcontext():
            losses = [(table[weft.arange(start, start + 3 * k)] * k).sum()
                      for k, start in zip(range(2, 90), range(0, 1600, 18))]
            sum(losses).backward()
        made.append(table.grad)
    assert rows_behind(made[1]) is None and weft.equal(*made)


def test_a_gradient_of_an_indexed_table_can_be_derived_again():
    table = weft.randn(WORDS, 16, requires_grad=True)
    grad, = weft.autograd.grad((table[3] ** 3).sum(), table, create_graph=True)
    second, = weft.autograd.grad(grad.sum(), table)
    assert weft.allclose(second[3], 6 * table[3]) and second.count_nonzero() == 16
