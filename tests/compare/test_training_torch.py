"""From one seed, weft and torch train side by side: the losses of the first 20 steps lie on each other."""
import gzip
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import weft  # noqa: E402

HOME = Path(__file__).parents[2]
sys.path.insert(0, str(HOME / "benchmarks"))
import networks  # noqa: E402

STEPS = 20


def digits(count):
    """The first pictures that come with weft, normalised as PyTorch's example does, and their labels."""
    folder = HOME / "weft/vision/datasets/mnist_part"
    pictures = np.frombuffer(gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes()), np.uint8,
                             offset=16).reshape(-1, 1, 28, 28)
    labels = np.frombuffer(gzip.decompress((folder / "train-labels-idx1-ubyte.gz").read_bytes()), np.uint8, offset=8)
    return ((pictures[:count] / np.float32(255) - np.float32(0.1307))
            / np.float32(0.3081)), labels[:count].astype(np.int64)


def mnist_losses(T, make_optimizer, dropout, dtype="float32"):
    T.manual_seed(0)
    net = networks.mnist_cnn(T, dropout).to(getattr(T, dtype))
    optimizer, losses = make_optimizer(T, net.parameters()), []
    pictures, labels = digits(64 * STEPS)
    pictures = pictures.astype(dtype)
    for i in range(STEPS):
        part = slice(64 * i, 64 * i + 64)
        optimizer.zero_grad()
        loss = T.nn.functional.nll_loss(net(T.tensor(pictures[part])), T.tensor(labels[part]))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


def gpt_losses(T, make_optimizer):
    T.manual_seed(0)
    text = np.frombuffer((HOME / "LICENSE").read_bytes(), np.uint8) % 65
    net = networks.gpt(T, layers=4, width=128, heads=4, length=64)
    optimizer, losses = make_optimizer(T, net.parameters()), []
    for i in range(STEPS):
        starts = (np.arange(12) * 97 + i * 31) % (len(text) - 65)
        ids = T.tensor(np.stack([text[s:s + 65] for s in starts]).astype(np.int64))
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(net(ids[:, :-1]).reshape(-1, 65), ids[:, 1:].reshape(-1))
        loss.backward()
        T.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


OPTIMIZERS = {
    "Adadelta": lambda T, p: T.optim.Adadelta(p, lr=1.0),
    "Adam": lambda T, p: T.optim.Adam(p, lr=1e-3),
    # at 0.05 the loss climbs to 4.7 on the way: there the last bit decides (float64 runs agree to 5e-15)
    "SGD": lambda T, p: T.optim.SGD(p, lr=0.02, momentum=0.9),
}


@pytest.mark.parametrize("dropout", [True, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_mnist_network_learns_as_with_torch(name, dropout):
    ours, theirs = (mnist_losses(T, OPTIMIZERS[name], dropout, "float64") for T in (weft, torch))
    assert theirs[-1] < theirs[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    # later the last bit decides: PyTorch's own losses move by 1e-2 where its pictures move by 1e-7
    ours, theirs = (mnist_losses(T, OPTIMIZERS[name], dropout)[:STEPS // 2] for T in (weft, torch))
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_a_small_gpt_learns_as_with_torch():
    ours, theirs = (gpt_losses(T, lambda T, p: T.optim.AdamW(p, lr=1e-3)) for T in (weft, torch))
    assert theirs[-1] < 0.8 * theirs[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
