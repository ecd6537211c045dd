"""TorchDispatchMode: ops below autograd, seen and answered."""
import pytest

import weft
from weft.utils._python_dispatch import TorchDispatchMode


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert not any(isinstance(a, weft.Tensor) and a.requires_grad for a in args)
        self.names.append(func.name())
        return func(*args, **(kwargs or {}))


def test_forward_and_backward_are_seen_and_equal():
    weft.manual_seed(0)
    net = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.ReLU(), weft.nn.Linear(4, 2))
    x, target = weft.randn(5, 3), weft.tensor([0, 1, 1, 0, 1])

    def step():
        net.zero_grad()
        loss = weft.nn.functional.cross_entropy(net(x), target)
        loss.backward()
        return loss, [p.grad.clone() for p in net.parameters()]
    expected, grads = step()
    with Log() as log:
        found, seen = step()
    assert weft.equal(found, expected) and all(weft.equal(a, b) for a, b in zip(seen, grads))
    assert log.names.count("aten::linear") == 2 and "aten::relu" in log.names and "aten::_linear_grad" in log.names


def test_views_and_writes_in_place():
    with Log() as log:
        x = weft.zeros(4)
        x[1:3].add_(2)
        y = x.view(2, 2)
        y[0, 0] = 7
    assert x.tolist() == [7, 2, 2, 0] and "aten::add" in log.names


def test_an_op_answered_otherwise():
    class Negate(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            return -out if func.name() == "aten::exp" else out
    x = weft.zeros(2, requires_grad=True)
    with Negate():
        y = x.exp()
    y.sum().backward()
    assert y.tolist() == [-1, -1] and x.grad.tolist() == [-1, -1]        # its rule uses the result


def test_modes_nest_and_wrong_answers_are_refused():
    with Log() as outer, Log() as inner:
        weft.ones(2).exp()
    assert outer.names == inner.names and inner.names[-1] == "aten::exp"

    class Wrong(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return weft.ones(7)
    x = weft.ones(2)
    with pytest.raises(RuntimeError, match="whose result is"), Wrong():
        x.exp()
    assert x.exp().shape == (2,)
    with pytest.raises(NotImplementedError), TorchDispatchMode():
        x.exp()


def test_an_op_is_equal_to_the_overloads_of_its_name():
    seen = []

    class Look(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x, aten = weft.ones(2, 2), weft.ops.aten
    with Look():
        x + x
        weft.nn.functional.linear(x, x)
    assert seen[0] == aten.add.Tensor and seen[0] in {aten.add.default} and seen[0] != aten.mul.Tensor
    assert seen[1] in {aten.mm.default} and seen[1] == aten.addmm.default and seen[1] != aten.bmm.default
    assert aten.add.Tensor != aten.add.Scalar and aten.add.Tensor is aten.add.Tensor and aten.add.Tensor != aten.add
    assert aten.add.Tensor.name() == "aten::add.Tensor" and str(aten.mm.default) == "aten.mm.default"
    assert isinstance(aten.add.Tensor, weft._ops.OpOverload) and not isinstance(aten.add, weft._ops.OpOverload)
