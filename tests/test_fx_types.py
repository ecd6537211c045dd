"""torch.fx.tensor_type: shapes of a graph's values from annotations, without running it."""
import pytest

import weft
from weft import fx, nn
from weft.fx.experimental.graph_gradual_typechecker import GraphTypeChecker, broadcast_types
from weft.fx.experimental.unify_refinements import infer_symbolic_types
from weft.fx.passes.shape_prop import ShapeProp
from weft.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise


class Net(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(3, 8, 3, **options), nn.BatchNorm2d(8), nn.ReLU()
        self.pool, self.one, self.fc = nn.MaxPool2d(3, 2, 1, ceil_mode=True), nn.AdaptiveAvgPool2d((None, 4)), \
            nn.Linear(4, 5)

    def forward(self, x):
        x = self.relu(self.norm(self.conv(x)))
        x = self.fc(self.one(self.pool(x + x)))
        return weft.flatten(weft.transpose(x, 1, 2), 1, -2)


def checked(net, kind):
    traced = fx.symbolic_trace(net)
    next(iter(traced.graph.nodes)).type = kind
    assert GraphTypeChecker({}, traced).type_check()
    return traced


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": 1}, {"dilation": (2, 1), "padding": (3, 0)},
                                     {"padding": "same"}, {"padding": "valid"}])
@pytest.mark.parametrize("size", [(9, 12), (10, 11), (16, 16)])
def test_the_types_are_the_shapes_of_a_run(options, size):
    net = Net(**options).eval()
    x = weft.zeros(2, 3, *size)
    ran = fx.symbolic_trace(net)
    ShapeProp(ran).propagate(x)
    wanted = [tuple(node.meta["tensor_meta"].shape) for node in ran.graph.nodes]
    assert [node.type.dims for node in checked(net, TensorType(x.shape)).graph.nodes] == wanted
    for known in (Dyn, TensorType((Dyn, 3, Dyn, size[1])), TensorType((2, Dyn, size[0], Dyn))):
        for node, shape in zip(checked(net, known).graph.nodes, wanted):
            assert is_consistent(node.type, TensorType(shape)), (node, node.type, shape)


@pytest.mark.parametrize("kind", [TensorType((2, 4, 9, 9)), TensorType((3, 9, 9)), int])
def test_what_can_t_be_right_is_an_error(kind):
    with pytest.raises(TypeError):
        checked(Net(), kind)


def test_relations_of_types():
    assert is_more_precise(TensorType((1, 2)), TensorType((1, Dyn))) and not is_more_precise(TensorType((1, Dyn)), Dyn) \
        == is_consistent(TensorType((1,)), TensorType((1, 2)))
    assert broadcast_types(TensorType((2, 1, Dyn)), TensorType((3, 4))) == (TensorType((2, 3, Dyn)),
                                                                          TensorType((2, 3, 4)))
    assert repr(TensorType[1, Dyn]) == "TensorType[1, Dyn]" and hash(TensorType((1,))) == hash(TensorType([1]))


def test_unknown_sizes_that_are_the_same_get_one_symbol():
    sympy = pytest.importorskip("sympy")
    traced = checked(Net(), Dyn)
    infer_symbolic_types(traced)
    types = [node.type for node in traced.graph.nodes]
    assert len({kind.dims[0] for kind in types}) == 1 and isinstance(types[0].dims[0], sympy.Symbol)
    assert types[1].dims[2] == sympy.floor(types[0].dims[2] - 2)
