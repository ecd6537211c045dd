"""Memory that several processes see: tensors, their views, storages; what children write, the parent sees."""
import subprocess
import sys

import pytest

import weft

PROGRAM = """
import sys, torch, torch.multiprocessing as mp
import torch.nn as nn

def train(model, queue, counter):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        loss = (model(torch.ones(4, 3)) - 2).pow(2).mean()
        loss.backward()
        optimizer.step()
    with counter.get_lock():
        counter.value += 1
    queue.put(model.weight)         # back through a queue: the parent's own memory
    queue.put([torch.arange(3.0)[1:], torch.zeros(2).storage()])
    done.wait()

def begin(event):
    global done
    done = event

def child(model, queue, counter, event):
    begin(event)
    train(model, queue, counter)

if __name__ == "__main__":
    torch.manual_seed(0)
    context = mp.get_context(sys.argv[1])
    model = nn.Linear(3, 1)
    state = model.state_dict()          # other tensors in the same memory
    model.share_memory()
    assert all(p.is_shared() and state[n].is_shared() for n, p in model.named_parameters())
    before = (model(torch.ones(4, 3)) - 2).pow(2).mean().item()
    queue, counter, event = context.Queue(), context.Value("i", 0), context.Event()
    children = [context.Process(target=child, args=(model, queue, counter, event)) for _ in range(2)]
    for one in children:
        one.start()
    received = [queue.get() for _ in range(4)]
    event.set()
    for one in children:
        one.join()
    assert [one.exitcode for one in children] == [0, 0] and counter.value == 2
    after = (model(torch.ones(4, 3)) - 2).pow(2).mean().item()
    assert after < before / 10, (before, after)
    assert torch.equal(state["weight"], model.weight)
    weights = [r for r in received if isinstance(r, nn.Parameter)]
    with torch.no_grad():
        weights[0].fill_(7)
    assert model.weight.tolist() == [[7, 7, 7]] and len(weights) == 2
    others = [r for r in received if isinstance(r, list)]
    assert others[0][0].tolist() == [1, 2] and others[0][1].tolist() == [0, 0] and others[0][1].is_shared()
    print("fine")
"""


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_children_train_the_parents_parameters(tmp_path, how):
    (tmp_path / "program.py").write_text(PROGRAM)
    made = subprocess.run([sys.executable, "-m", "weft", "run", str(tmp_path / "program.py"), how], capture_output=True,
                          text=True, timeout=300)
    assert made.stdout == "fine\n", made.stderr


def test_views_and_aliases_move_along():
    x = weft.arange(6.0).reshape(2, 3).t()
    view, alias, numbers = x[1:], x.detach(), weft.ones(4, dtype=weft.bfloat16)
    part = numbers[1:3]
    assert x.share_memory_() is x and numbers.untyped_storage().share_memory_().is_shared()
    assert view.is_shared() and alias.is_shared() and part.is_shared()
    view.zero_()
    part.mul_(2)
    assert x.tolist() == [[0, 3], [0, 0], [0, 0]] == alias.tolist() and x.stride() == (1, 3)
    assert numbers.tolist() == [1, 2, 2, 1] and view.storage_offset() == 1 and x.untyped_storage().nbytes() == 24


def test_what_backward_needs_moves_along():
    x = weft.ones(3, requires_grad=True)
    y = (x * 2).pow(2)
    x.share_memory_()
    y.sum().backward()
    assert x.is_shared() and x.grad.tolist() == [8, 8, 8] and not x.grad.is_shared()


def test_memory_that_somebody_unknown_holds_stays():
    x = weft.ones(3)
    held = x._own_memory_record()
    with pytest.raises(RuntimeError, match="would stay behind"):
        x.share_memory_()
    assert not x.is_shared() and held is x._memory_record


def test_a_storage_of_its_own():
    storage = weft.UntypedStorage(4)
    assert not storage.is_shared() and storage.share_memory_().is_shared() and storage.tolist() == [0, 0, 0, 0]
    typed = weft.ones(2).storage()
    assert not typed.is_shared() and typed.share_memory_() is typed and typed.is_shared() and typed.tolist() == [1, 1]
