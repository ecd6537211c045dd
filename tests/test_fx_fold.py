"""torch.fx.experimental.const_fold: what depends on no input is computed once."""
import weft
from weft import fx, nn
from weft.fx.experimental import const_fold


class Mixed(nn.Module):
    """Constants, some of which a call writes to, and numbers that are no tensors."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(weft.arange(4.0).reshape(2, 2))
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        written = self.a * 2
        written[0].add_(x)
        return written.sum() + self.drop(self.a * 3) + x * (self.a * 5).sin() * self.a.shape[0]


def test_the_results_are_those_of_the_module_in_every_call():
    net = Mixed()
    folded = const_fold.split_const_subgraphs(net)
    assert len(folded.const_subgraph_module.graph.nodes) == 7      # a, * 3, * 5, sin, shape, [0], output
    for seed in range(3):
        x = weft.randn(2)
        found = []
        for one in (net, folded):
            weft.manual_seed(seed)
            found.append(one(x))
        assert weft.equal(*found)


def test_one_result_is_a_parameter_and_several_are_a_list():
    class Net(nn.Module):
        def __init__(self, outputs):
            super().__init__()
            self.a, self.outputs = nn.Parameter(weft.ones(2)), outputs

        def forward(self, x):
            return [x + self.a * (i + 2) for i in range(self.outputs)]

    for outputs, kind in ((1, nn.Parameter), (2, nn.ParameterList)):
        folded = const_fold.split_const_subgraphs(Net(outputs))
        assert folded.has_folding_been_run is False
        assert [y.tolist() for y in folded(weft.zeros(2))] == [[2.0 + i] * 2 for i in range(outputs)]
        assert type(getattr(folded, folded.fx_const_folded_attrs_name)) is kind


def test_what_isn_t_folded():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Parameter(weft.ones(2))

        def forward(self, x):
            return x + self.a.exp()

    assert const_fold.split_const_subgraphs(Net(), lambda node: node.target == "exp").const_subgraph_module is None
    traced = fx.symbolic_trace(lambda x: x + weft.rand(2))
    assert const_fold.split_const_subgraphs(traced).const_subgraph_module is None
