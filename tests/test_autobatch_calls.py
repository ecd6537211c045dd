"""Calls that `autobatch` answers as they were written, before an op binds its arguments (`Recorder.match_call`): also
where the op takes them in another order, gives more than the call, or meets a tensor for the first time.
"""
import weakref

import numpy as np
from test_autobatch import both

import weft
from weft import nn

F = nn.functional



def test_lookups_and_losses_of_new_tensors():
    def f():
        table, out = nn.Embedding(50, 8), nn.Linear(8, 5)
        losses = []
        for k in range(12):
            losses.append(F.cross_entropy(out(table(weft.tensor([k % 7]))), weft.tensor([k % 5])))
            losses.append(F.nll_loss(F.log_softmax(out(F.embedding(weft.tensor([k, k]), table.weight)), 1),
                                     weft.tensor([k % 5, k % 3])))
        total = weft.stack(losses).sum()
        total.backward()
        return [total, table.weight.grad, out.weight.grad]
    both(f)


def test_the_same_call_with_other_arguments():
    """What a call came down to last is not what it comes down to with other numbers, types or shapes."""
    def f():
        w, found = weft.randn(4, 3, requires_grad=True), []
        logits = [weft.randn(2, 3) @ w.T for _ in range(6)]
        for k, x in enumerate(logits):
            labels = weft.tensor([k % 4, 3])
            found.append(F.cross_entropy(x, labels))
            found.append(F.cross_entropy(x, labels, None))
            found.append(F.cross_entropy(x, labels, ignore_index=3))
            found.append(F.cross_entropy(x, labels, reduction="sum"))
            found.append(F.cross_entropy(x, x.detach().softmax(1)))
            found.append(F.cross_entropy(x, labels.to(weft.uint8)))
            found.append(F.cross_entropy(x[0], labels[0]))
            found.append(F.embedding(labels, w).sum())
            found.append(F.embedding(labels, w, 3).sum())
            found.append(F.embedding(labels.int(), w).sum())
            found.append(F.embedding(labels, w.detach()).sum())
            found.append(x.max(1)[0].sum())
            found.append(x.max(1).values.mean())
            found.append(x.max(1)[1].float().sum())
        total = weft.stack(found).sum()
        total.backward()
        return [*found, w.grad]
    both(f)


def test_without_gradients_and_with_them():
    def f():
        table, found = nn.Embedding(9, 4, padding_idx=2), []
        for k in range(6):
            with weft.set_grad_enabled(k % 2 == 0):
                found.append(table(weft.tensor([k, 2])).pow(2).sum())
        loss = sum(found[::2])
        loss.backward()
        return [*found, table.weight.grad, *(weft.tensor(t.requires_grad) for t in found)]
    both(f)


def test_new_tensors_of_another_layout():
    """Tensors that are seen for the first time are told apart by shape, type and strides, of dimensions of one, too."""
    def f():
        base, w, found = weft.arange(24).float().reshape(4, 6), weft.randn(3, 2, requires_grad=True), []
        for k in range(8):
            x = (base[k % 4:k % 4 + 1, ::2].clone() if k % 2 else base.T[:3, k % 4:k % 4 + 1].clone().T)
            found.append((x @ w).sum())
            found.append((x.double() @ w.double()).sum().float())
        loss = sum(found)
        loss.backward()
        return [*found, w.grad]
    both(f)


def test_new_tensors_that_share_memory():
    """NumPy's memory and views of what changes are still compared with what they were."""
    def f():
        memory, w, found = np.zeros((1, 3), np.float32), weft.randn(3, 2, requires_grad=True), []
        for k in range(5):
            memory[:] = k
            found.append((weft.from_numpy(memory) @ w).sum())
            x = weft.full((1, 3), float(k))
            found.append((x @ w.detach()).sum())
            x.add_(1)
            found.append((x @ w).sum())
        return [t.detach().clone() for t in found]
    both(f)


def test_what_a_call_does_not_give_is_not_kept():
    """The other outputs of such an op are nobody's: the table lets go of them."""
    with weft.autobatch(always=True):
        w = weft.randn(3, 3, requires_grad=True)
        losses = [F.cross_entropy(weft.ones(2, 3) @ w, weft.tensor([k % 3, 0])) for k in range(10)]
        refs = [weakref.ref(loss) for loss in losses]
        total = weft.stack(losses).mean()
        del losses
        total.backward()
    assert all(r() is None for r in refs) and w.grad is not None


def test_read_before_the_backward():
    """A loss whose value was read first: the backward goes through all that it comes from, and is free afterwards."""
    def f():
        lin, found = nn.Linear(4, 4), []
        for rounds in range(3):
            losses = []
            for k in range(6):
                x = weft.full((1, 4), float(k))
                for _ in range(k + 1):
                    x = lin(x).tanh()
                losses.append(x.sum())
            total = sum(losses)
            found.append(total.item())
            total.backward(retain_graph=rounds == 0)
            if rounds == 0:
                total.backward()
            found.append(losses[2].item())
        return [*(weft.tensor(v) for v in found), lin.weight.grad, lin.bias.grad]
    both(f)
