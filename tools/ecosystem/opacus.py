"""opacus: training with differential privacy."""
# pip install opacus
import torch
from opacus import PrivacyEngine
from opacus.grad_sample import GradSampleModule
from opacus.validators import ModuleValidator


def training():
    """`make_private` of a CNN: an epoch with clipped, noisy gradients, and the privacy spent"""
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.GroupNorm(2, 4), torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.Linear(144, 3))
    data = torch.utils.data.TensorDataset(torch.randn(24, 1, 8, 8), torch.randint(0, 3, (24,)))
    engine = PrivacyEngine(accountant="rdp")
    net, optimizer, loader = engine.make_private(
        module=net, optimizer=torch.optim.SGD(net.parameters(), lr=0.1), noise_multiplier=1.1, max_grad_norm=1.0,
        data_loader=torch.utils.data.DataLoader(data, batch_size=6), poisson_sampling=False)
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses, list(net.parameters()), engine.get_epsilon(1e-5)


def samples():
    """gradients for each example of linear, conv, embedding, LayerNorm and LSTM layers"""
    got = []
    from opacus.layers import DPLSTM
    for layer, x in ((torch.nn.Linear(3, 2), torch.randn(4, 3)), (torch.nn.Conv1d(2, 3, 2), torch.randn(4, 2, 5)),
                     (torch.nn.Embedding(7, 2), torch.randint(0, 7, (4, 3))),
                     (torch.nn.LayerNorm(3), torch.randn(4, 3)),
                     (DPLSTM(3, 2, batch_first=True), torch.randn(4, 5, 3))):
        wrapped = GradSampleModule(layer)
        out = wrapped(x)
        (out[0] if isinstance(out, tuple) else out).pow(2).sum().backward()
        got.append([p.grad_sample for p in wrapped.parameters()])
    return got


def validators():
    """`ModuleValidator.fix` puts GroupNorm in the place of BatchNorm"""
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8))
    return len(ModuleValidator.validate(net)), str(ModuleValidator.fix(net))
