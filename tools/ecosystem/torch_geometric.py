"""torch_geometric: graph networks (without its compiled companions)."""
# pip install torch_geometric
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, TransformerConv, global_mean_pool, to_hetero
from torch_geometric.utils import add_self_loops, degree, scatter, softmax, to_dense_adj, to_undirected


def _graph(nodes=12, edges=30):
    links = to_undirected(torch.randint(0, nodes, (2, edges)))
    return Data(x=torch.randn(nodes, 5), edge_index=links, y=torch.randint(0, 3, (nodes,)))


class _Net(torch.nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.first, self.second = conv(5, 8), conv(8, 3)

    def forward(self, x, edges):
        return self.second(torch.nn.functional.dropout(self.first(x, edges).relu(), 0.2, self.training), edges)


def _train(net, graph):
    optimizer, losses = torch.optim.Adam(net.parameters(), lr=0.01), []
    for _ in range(4):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(graph.x, graph.edge_index), graph.y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


def gcn():
    """GCN classifies nodes: four training steps"""
    return _train(_Net(GCNConv), _graph())


def others():
    """GAT, SAGE, TransformerConv, GIN: four training steps each"""
    graph = _graph()
    gin = lambda a, b: GINConv(torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.ReLU(), torch.nn.Linear(b, b)))
    return [_train(_Net(conv), graph) for conv in (GATConv, SAGEConv, TransformerConv, gin)]


def batches():
    """`Batch`, `DataLoader`, `global_mean_pool`, back to single graphs"""
    graphs = [_graph(n, 3 * n) for n in (4, 6, 8, 5)]
    conv, got = GCNConv(5, 4), []
    for batch in DataLoader(graphs, batch_size=2, shuffle=True):
        got += [global_mean_pool(conv(batch.x, batch.edge_index), batch.batch), batch.ptr]
    return got, Batch.from_data_list(graphs).to_data_list()[2].x


def helpers():
    """`scatter` in five ways, `softmax`, `degree`, `to_dense_adj`, `add_self_loops`"""
    graph = _graph()
    row, col = graph.edge_index
    values = torch.randn(row.numel(), 2, requires_grad=True)
    made = [scatter(values, row, dim=0, dim_size=12, reduce=r) for r in ("sum", "mean", "max", "min", "mul")]
    sum(m.pow(2).sum() for m in made).backward()
    return (made, values.grad, softmax(values[:, 0], row, num_nodes=12), degree(col, 12),
            to_dense_adj(graph.edge_index), add_self_loops(graph.edge_index, num_nodes=12)[0])


def hetero():
    """`to_hetero` (torch.fx): a network for two kinds of nodes"""
    x = {"a": torch.randn(5, 4), "b": torch.randn(6, 4)}
    edges = {("a", "to", "b"): torch.randint(0, 5, (2, 9)), ("b", "to", "a"): torch.randint(0, 5, (2, 9))}

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = SAGEConv(4, 3)

        def forward(self, x, edges):
            return self.conv(x, edges).relu()
    return to_hetero(Net(), (["a", "b"], list(edges)))(x, edges)
