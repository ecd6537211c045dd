"""The seam: a Watcher's account of a step is complete, and a Taker that answers every op gives what eager gives."""
import numpy as np
import pytest
from later import Later

import weft
from weft import nn
from weft.core.seam import Watcher, title_of

F = nn.functional


def losses_of(build, steps=3, later=False):
    weft.manual_seed(0)
    net, data, loss_of = build()
    opt = weft.optim.Adam(net.parameters(), lr=0.01)
    found = []
    for _ in range(steps):
        taker = Later() if later else None
        if later:
            taker.start()
        try:
            opt.zero_grad()
            loss = loss_of(net, data)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            found.append(loss.item())
        finally:
            if later:
                taker.stop()
                assert len(taker.taken) > 5
    return found, [p.detach().numpy().copy() for p in net.parameters()], [b.numpy().copy() for b in net.buffers()]


def mlp():
    return (nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)), (weft.randn(5, 4), weft.tensor([0, 1, 2, 0, 1])),
            lambda net, d: F.cross_entropy(net(d[0]), d[1]))


def cnn():
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.3),
                        nn.Flatten(), nn.Linear(64, 3))
    return net, (weft.randn(6, 1, 8, 8), weft.tensor([0, 1, 2, 0, 1, 2])), lambda net, d: F.cross_entropy(net(d[0]), d[1])


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.cell, self.out = nn.Embedding(11, 6), nn.LSTMCell(6, 5), nn.Linear(5, 4)

    def forward(self, words):
        h = c = weft.zeros(words.shape[0], 5)
        found = []
        for t in range(words.shape[1]):
            h, c = self.cell(self.table(words[:, t]), (h, c))
            found.append(self.out(h))
        return weft.stack(found, 1)


def tagger():
    words = weft.randint(0, 11, (3, 4))
    return Tagger(), words, lambda net, w: F.cross_entropy(net(w).flatten(0, 1), (w % 4).flatten())


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(13, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.block(self.table(x), src_mask=mask) @ self.table.weight.t()


def gpt():
    words = weft.randint(0, 13, (2, 5))
    return Gpt(), words, lambda net, w: F.cross_entropy(net(w).view(-1, 13), w.view(-1))


def in_place():
    net = nn.Linear(3, 3)

    def loss_of(net, x):
        y = net(x)
        y = y.clone()
        y[0] = 0.0
        y[:, 1:].mul_(2)
        y += x
        z = y.t().reshape(-1)
        return (z * z.detach()).sum() + y.max()
    return net, weft.randn(4, 3), loss_of


@pytest.mark.parametrize("build", [mlp, cnn, tagger, gpt, in_place])
def test_answered_later_is_the_same(build):
    plain, late = losses_of(build), losses_of(build, later=True)
    assert plain[0] == late[0]
    for a, b in zip([*plain[1], *plain[2]], [*late[1], *late[2]], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_tensor_may_exist_before_its_value():
    with Later() as later:
        x = weft.ones(2, 3)
        y = (x + 1).t()
        assert y._owed.owner is later and y.shape == (3, 2) and y.stride() == (1, 3) and y.dtype is weft.float32
        assert later.flushes == 0
        assert y.sum().item() == 12 and later.flushes == 1
        assert y._owed is None
    z = y * 2
    assert z.tolist() == [[4, 4]] * 3


def test_what_leaves_the_scope_still_comes():
    with Later():
        x = weft.ones(3)
        y = x * 2
    assert y._owed.array is not None and (y + 1).tolist() == [3, 3, 3] and y._owed is None


def test_shape_errors_come_when_the_op_is_answered():
    with Later(), pytest.raises(RuntimeError, match="broadcast"):
        weft.ones(2) + weft.ones(3)


@pytest.mark.parametrize("how", [lambda t: t.item(), bool, float, int, lambda t: t.tolist(), lambda t: t.numpy(), repr,
                                 lambda t: np.asarray(t), lambda t: weft.equal(t, t), lambda t: t.clone().numpy()])
def test_every_read_asks_the_one_who_owes(how):
    with Later() as later:
        x = weft.full((1,), 2.0) + 1
        how(x)
        assert later.flushes == 1 and x._owed is None


class Account(Watcher):
    """One line for everything that a step does."""

    def __init__(self):
        self.lines = []

    def after(self, op, values, outputs):
        names = [op.names[i] for i in op.writes if values[i] is not None] if hasattr(op, "writes") else []
        line = title_of(op)
        line += f" writes {' '.join(names)}" if names else ""
        line += " draws" if getattr(op, "random", -1) >= 0 else ""
        self.lines.append(line)

    def wrote(self, target, result):
        self.lines.append("  written in place")

    def read(self, tensor, how):
        self.lines.append(f"read by {how}")

    def assigned(self, tensor, what, value):
        self.lines.append(f".{what} = {None if value is None else tuple(value.shape)}")

    def backward_before(self, node, grad):
        self.lines.append(f"backward of {node.name()}")


def step_with_everything(account):
    """Clipping, Adam, batch norm, dropout, and a branch on a value."""
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
    opt = weft.optim.Adam(net.parameters())
    x = weft.randn(5, 3)
    for parameter in net.parameters():
        parameter.grad = weft.zeros_like(parameter)
    with account:
        opt.zero_grad()
        loss = net(x).square().mean()
        if loss.item() > 0.01:
            loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1e-3)
        opt.step()
    return net, opt


def test_the_account_of_a_step_is_complete():
    account = Account()
    net, opt = step_with_everything(account)
    lines = account.lines
    n = len(list(net.parameters()))
    assert lines.count(".grad = None") == n
    assert sum(line.startswith(".grad = (") for line in lines) == n
    assert any("batch_norm writes running_mean running_var" in line for line in lines)
    assert any("draws" in line for line in lines)
    assert "read by item" in lines
    assert any(line.startswith("total_norm") for line in lines)
    assert any(line.startswith("scale_to_norm writes tensors") for line in lines)
    assert any(line.startswith("adam_update writes params exp_avgs exp_avg_sqs steps") for line in lines)


def versions_and_values(tensors):
    return [(t._version, t.detach().numpy().copy()) for t in tensors]


def test_nothing_changes_that_no_op_says_it_writes():
    """Every tensor whose values change in a step was named by an op's `writes`, by `wrote` or by `assigned`."""
    named = set()

    class Names(Watcher):
        def after(self, op, values, outputs):
            for i in getattr(op, "writes", ()):
                for t in values[i] if isinstance(values[i], list) else [values[i]]:
                    if t is not None:
                        named.add(id(t))

        def wrote(self, target, result):
            named.add(id(target))
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
    for make in (weft.optim.Adam, weft.optim.AdamW, weft.optim.SGD, weft.optim.RMSprop, weft.optim.Adagrad,
                 weft.optim.Adadelta, weft.optim.NAdam):
        opt = make(net.parameters())
        net(weft.randn(5, 3)).square().mean().backward()
        opt.step()
        state = [t for s in opt.state.values() for t in s.values() if isinstance(t, weft.Tensor)]
        watched = [*net.parameters(), *net.buffers(), *state]
        before = versions_and_values(watched)
        named.clear()
        with Names():
            net(weft.randn(5, 3)).square().mean().backward()
            opt.step()
        for t, (version, values) in zip(watched, before, strict=True):
            if not np.array_equal(values, t.detach().numpy()):
                assert id(t) in named and t._version > version, make
