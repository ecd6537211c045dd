"""nflows: normalizing flows."""
# pip install nflows
import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation


def autoregressive():
    """two masked affine layers with a reversal between: five steps of Adam, densities after that"""
    torch.manual_seed(0)
    flow = Flow(CompositeTransform([ReversePermutation(features=3),
                                    MaskedAffineAutoregressiveTransform(features=3, hidden_features=8),
                                    ReversePermutation(features=3),
                                    MaskedAffineAutoregressiveTransform(features=3, hidden_features=8)]),
                StandardNormal(shape=[3]))
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    x = torch.randn(64, 3)
    losses = []
    for _ in range(5):
        loss = -flow.log_prob(inputs=x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses, flow.log_prob(x[:5]).detach()
