"""Ops that run together on the rows of examples of unequal length (ops/lanes/rows.py), against the plain loop."""
import random

import numpy as np
import pytest

import weft
from weft import autobatch, nn
from weft.batching.region import TRIALS
from weft.nn import functional as F

LENGTHS = (4, 2, 7, 3, 5, 2)
WIDTH = 6


def programs(p):
    """name -> a program on (n, 6) that gives another (n, ...)."""
    turn = weft.arange(7)
    return {
        "linear": lambda x: F.linear(x, p["w"], p["b"]), "product": lambda x: x * p["b"] + p["b"][0],
        "gate": lambda x: x * x[:, :1].sigmoid(), "softmax": lambda x: x.softmax(-1), "where": lambda x: weft.where(x > 0, x, -x),
        "log_softmax": lambda x: F.log_softmax(x, 1), "norm": lambda x: F.layer_norm(x, (WIDTH,), p["b"], p["b"]),
        "rms": lambda x: F.rms_norm(x, (WIDTH,)), "heads": lambda x: x.view(len(x), 2, 3).transpose(1, 2).reshape(len(x), 6),
        "first": lambda x: (x.unsqueeze(0) * 2)[0], "middle": lambda x: F.linear(x.unsqueeze(1), p["w"]).squeeze(1),
        "cut": lambda x: weft.cat(x.chunk(2, -1)[::-1], 1), "stack": lambda x: weft.stack([x, x * 2], 1).amax(1),
        "mean": lambda x: x - x.mean(1, keepdim=True), "centre": lambda x: x - x.mean(0), "sums": lambda x: x / (x.sum(0, keepdim=True) + 9),
        "all": lambda x: x * x.mean(), "pick": lambda x: x[(turn[:len(x)] * 2) % len(x)] + x[-turn[1:len(x)]].sum(),
        "send": lambda x: x.index_add(0, (turn[:len(x)] * 3) % len(x), x * 0.5), "best": lambda x: x * x.argmax(1, keepdim=True),
        "mask": lambda x: x.masked_fill(x[:, :1] > 0, 0.5), "cumsum": lambda x: x.cumsum(1), "sort": lambda x: x.sort(1)[0],
        "gather": lambda x: x + x.gather(1, turn[:len(x), None] % WIDTH), "norms": lambda x: F.normalize(x, dim=1),
        "glu": lambda x: weft.cat([F.glu(x), F.glu(x)], 1), "table": lambda x: x + F.embedding(turn[:len(x)] % 5, p["table"]),
        "loss": lambda x: x * F.cross_entropy(x, turn[:len(x)] % WIDTH), "sum_loss": lambda x: x * F.nll_loss(
            x, turn[:len(x)] % WIDTH, p["b"].detach(), ignore_index=1, reduction="sum"),
        "one_by_one": lambda x: x + weft.cat([x[i:i + 1] * (i + 1) for i in range(len(x))]),
        "turned": lambda x: x * weft.cat([x[1:], x[:1]]),
        "stacked": lambda x: x - weft.stack([x[-i] for i in range(len(x))]),
        "twice": lambda x: weft.cat([x.reshape(-1), x.flatten() * 2]).view(2 * len(x), WIDTH)[1:len(x) + 1],
        "empty": lambda x: x + weft.cat([x[:, :0] * 2, x], 1) + x[:, :0].unsqueeze(1).exp().sum(),
        "beside": lambda x: x * weft.cat([x[i:i + 1, :2] for i in range(len(x))], 1).sum(),
        "long": lambda x: x + F.cross_entropy(x, turn[:len(x)] % WIDTH, label_smoothing=0.1, ignore_index=2),
    }


def parameters(seed=0):
    weft.manual_seed(seed)
    return {name: weft.randn(*shape, dtype=weft.float64).requires_grad_()
            for name, shape in (("w", (WIDTH, WIDTH)), ("b", (WIDTH,)), ("table", (5, WIDTH)))}


def outcome(run, inside, seed=0, lengths=LENGTHS):
    """Sums, what was made, gradients; run(p, x) for each example."""
    p = parameters(seed)
    xs = [weft.randn(n, WIDTH, dtype=weft.float64).requires_grad_() for n in lengths]
    region = autobatch(always=True)
    if inside:
        region.__enter__()
    try:
        made = [run(p, x * 1) for x in xs]
        total = sum((m * m).sum() for m in made)
        total.backward()
    finally:
        if inside:
            region.__exit__(None, None, None)
    return [total, *made, *[t.grad for t in (*p.values(), *xs)]], region


def compare(run, **keywords):
    plain, (batched, region) = outcome(run, False, **keywords)[0], outcome(run, True, **keywords)
    for a, b in zip(plain, batched, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert a.shape == b.shape and a.dtype == b.dtype
            np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=1e-9, atol=1e-12)
    return region.report()


@pytest.mark.parametrize("name", programs(parameters()))
def test_rows_of_unequal_examples(name):
    compare(lambda p, x: programs(p)[name](F.linear(x, p["w"]).tanh()))


@pytest.mark.parametrize("seed", range(12))
def test_rows_in_random_programs(seed):
    names = sorted(programs(parameters()))
    rng = random.Random(seed)
    chosen, lengths = [rng.choice(names) for _ in range(5)], [rng.randrange(1, 8) for _ in range(7)]

    def run(p, x):
        for name in chosen:
            x = programs(p)[name](x).tanh()
        return x
    compare(run, seed=seed, lengths=lengths)


def test_linear_on_other_numbers_of_rows_is_one_product():
    TRIALS.clear()          # a report is of all runs at its place
    report = compare(lambda p, x: F.linear(x, p["w"], p["b"]).softmax(-1))
    together = {op.name: n for op, n in report.together.items()}
    assert together["linear"] == together["softmax"] == len(LENGTHS)
    assert not {"linear", "softmax"} & {op.name for op in report.singly}


def test_views_and_what_is_put_together_of_other_numbers_run_at_once():
    """Views of unequal length never did: the rule called a method that tensors don't have."""
    TRIALS.clear()

    def run(p, x):
        x = F.linear(x, p["w"]).unsqueeze(1).squeeze(1)
        rows = x.split(1)
        return weft.cat([row.tanh() for row in rows]) + weft.stack([row.sum() for row in rows])[:, None]
    report = compare(run, lengths=(4, 2, 7, 3, 5, 2))
    together = {op.name for op in report.together}
    assert {"unsqueeze", "squeeze", "cat", "stack"} <= together
    assert not {"unsqueeze", "squeeze", "cat", "stack"} & {op.name for op in report.singly}


def test_what_is_put_together_of_several_groups_parameters_and_one_and_the_same():
    def run(p, x):
        first, table = x[0] * 2, F.embedding(weft.arange(len(x)) % 5, p["table"])
        parts = [first, p["b"], *table.unbind(), first, *F.linear(x, p["w"]).unbind(), p["b"]]
        return weft.stack(parts) * weft.cat([t.reshape(1, WIDTH) for t in parts[::-1]])
    compare(run)
    compare(run, lengths=(3, 3, 1, 1, 2))


@pytest.mark.parametrize("make, options", [(nn.LSTM, {"bidirectional": True}), (nn.GRU, {}), (
    nn.RNN, {"num_layers": 2, "batch_first": True})])
@pytest.mark.parametrize("state", ["none", "shared", "own", "learned"])
def test_recurrent_layers_with_states(make, options, state):
    """Of unequal length and numbers of sequences; a state may be one for all, or of each call."""
    weft.manual_seed(0)
    layer = make(WIDTH, 4, dtype=weft.float64, **options)
    rows = layer.num_layers * (2 if layer.bidirectional else 1)
    widths = (4, 4) if make is nn.LSTM else (4,)
    given = [weft.randn(rows, 1, n, dtype=weft.float64).requires_grad_(state == "learned") for n in widths]
    xs = [weft.randn(*shape, WIDTH, dtype=weft.float64) for shape in ((3, 1), (2, 4), (1, 1), (4, 1), (2, 4), (5, 2))]
    xs = [x.requires_grad_() for x in xs]

    def run():
        losses = []
        for k, x in enumerate(xs):
            batch = x.shape[0 if layer.batch_first else 1]
            factor = k if state == "own" else 1
            own = [(t if batch == 1 else t.expand(rows, batch, t.shape[2])) * factor for t in given]
            if state == "shared" and batch == 1:
                own = given
            own = [t.contiguous() for t in own]
            out, last = layer(x * 1, None if state == "none" else tuple(own) if make is nn.LSTM else own[0])
            last = last if make is nn.LSTM else (last,)
            losses.append(out.square().sum() + sum(t.sin().sum() * (i + 1) for i, t in enumerate(last)))
        return weft.stack(losses), weft.autograd.grad(sum(losses), [*layer.parameters(), *xs, *(
            given if state == "learned" else [])])
    losses, wanted = run()
    TRIALS.clear()
    with autobatch(always=True) as region:
        found_losses, found = run()
    np.testing.assert_allclose(found_losses.detach().numpy(), losses.detach().numpy(), rtol=1e-10)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-12)
    assert "_recurrent" in {op.name for op in region.report().together}
    if state != "learned":      # some of those are ready before the others
        assert "_recurrent" not in {op.name for op in region.report().singly}


def test_an_index_of_another_example_is_an_error_and_not_a_row_of_it():
    xs = [weft.randn(n, WIDTH).requires_grad_() for n in (4, 3, 5)]
    with pytest.raises(IndexError), autobatch(always=True):
        made = [(x * 2)[weft.tensor([0, 3])] for x in xs]       # the second has rows 0 to 2
        weft.stack([m.sum() for m in made]).sum().backward()


def test_pieces_that_are_read_and_gone_back_through_one_by_one():
    p = parameters()
    layer = nn.Linear(WIDTH, 3, dtype=weft.float64)
    with autobatch(always=True):
        made = [layer(F.linear(weft.ones(n, WIDTH, dtype=weft.float64), p["w"])) for n in LENGTHS]
        assert made[2][1, 1].item() == pytest.approx(made[0][0, 1].item())
        for m in made:
            m.sum().backward()
    found = p["w"].grad.clone()
    p["w"].grad = None
    sum(layer(F.linear(weft.ones(n, WIDTH, dtype=weft.float64), p["w"])).sum() for n in LENGTHS).backward()
    np.testing.assert_allclose(found.numpy(), p["w"].grad.numpy(), rtol=1e-12)


def test_matrices_of_their_own_run_in_batches_of_one_shape():
    def run(p, x):
        own = p["w"] * x.sum()      # another one for each example
        return F.linear(x, own)
    assert compare(run, lengths=(3, 3, 4, 4, 5)).together.total()


def test_chains_of_other_lengths_are_not_one_chain():
    compare(lambda p, x: ((x.sigmoid() * x).tanh() + x).exp(), lengths=(3, 3, 3, 4, 4, 5))
    compare(lambda p, x: ((x.sigmoid() * x).tanh() + x).exp(), lengths=(3, 4, 5, 6, 7, 2, 3))


def test_second_derivatives_through_rows():
    def run(p, x):
        made = F.linear(x, p["w"]).tanh()
        g, = weft.autograd.grad((made * made).sum(), x, create_graph=True)
        return g * made
    compare(run)
