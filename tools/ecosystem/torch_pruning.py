"""torch-pruning: channels taken out of a trained network, with all that depends on them."""
# pip install torch-pruning
import torch
import torch_pruning


def channels():
    """a third of a small residual network's channels are pruned by their size; shapes and outputs after that"""
    torch.manual_seed(0)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.norm = torch.nn.Conv2d(3, 12, 3, padding=1), torch.nn.BatchNorm2d(12)
            self.second, self.head = torch.nn.Conv2d(12, 12, 3, padding=1), torch.nn.Linear(12, 4)

        def forward(self, x):
            x = self.norm(self.first(x)).relu()
            return self.head((x + self.second(x)).mean((2, 3)))
    net, x = Net().eval(), torch.randn(2, 3, 8, 8)
    pruner = torch_pruning.pruner.MagnitudePruner(net, x, importance=torch_pruning.importance.MagnitudeImportance(p=2),
                                                  pruning_ratio=1 / 3, ignored_layers=[net.head])
    before = torch_pruning.utils.count_ops_and_params(net, x)
    pruner.step()
    return before, torch_pruning.utils.count_ops_and_params(net, x), net(x).detach(), \
        {name: list(p.shape) for name, p in net.named_parameters()}
