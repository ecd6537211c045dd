"""`for step in loss.backward_steps()`: the same backward, one node at a time; breakpoints in backward rules."""
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import weft
from weft import nn
from weft.core.modes import local
from weft.core.runtime import mode_bits


def net(seed=0):
    weft.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 2))


def loss_of(model):
    x = weft.arange(12.0).reshape(4, 3) / 10
    out = model(x)
    parts = out.split(1, 1)
    return (parts[0] * parts[1]).exp().mean() + (out[1:] * out[:-1]).sum()


def gradients(model):
    return [p.grad.numpy().tobytes() for p in model.parameters()]


def test_equal_to_backward_bit_for_bit():
    one, other = net(), net()
    loss_of(one).backward()
    steps = list(loss_of(other).backward_steps())
    assert gradients(one) == gradients(other)
    assert steps[0].name() == "AddBackward0" and all(step.grad_in is not None for step in steps)
    seqs = [step.seq for step in steps]
    assert seqs == sorted(seqs, reverse=True)


def test_gradients_before_and_after_a_node():
    x = weft.tensor([1.0, 2.0], requires_grad=True)
    y = weft.tensor([3.0, 4.0], requires_grad=True)
    seen = []
    for step in (x * y).sum().backward_steps():
        assert step.grad_in is None and x.grad is None
        seen.append(step)
    total, product = seen
    assert (total.name(), total.op) == ("SumBackward0", "sum") and total.grad_out[0].item() == 1.0
    assert total.grad_in[0].tolist() == [1.0, 1.0]
    assert (product.grad_out[0].tolist() == [1.0, 1.0]
            and [g.tolist() for g in product.grad_in] == [[3.0, 4.0], [1.0, 2.0]])
    assert "for step in (x * y).sum().backward_steps()" in product.line and product.node.name() == "MulBackward0"
    assert x.grad.tolist() == [3.0, 4.0] and y.grad.tolist() == [1.0, 2.0]
    assert repr(product).startswith("<step MulBackward0, done: test_backward_steps.py:")


def test_several_outputs():
    x = weft.ones(4, requires_grad=True)
    first, second = x.split(2)
    step = next(iter(s for s in (second * 2).sum().backward_steps() if s.name() == "SplitBackward0"))
    assert step.grad_out[0] is None and step.grad_out[1].tolist() == [2.0, 2.0]


def test_what_the_user_keeps_is_not_changed_later():
    x = weft.ones(2, requires_grad=True)
    steps = list((x + 0).sum().backward_steps())
    x.grad.add_(100)
    assert steps[0].grad_in[0].tolist() == [1.0, 1.0] and steps[1].grad_in[0].tolist() == [1.0, 1.0]


def test_modes_between_the_steps_are_the_users():
    x = weft.ones(2, requires_grad=True)
    bits = mode_bits()
    for _ in (x * 2).sum().backward_steps():
        assert weft.is_grad_enabled() and mode_bits() == bits and local.run is None
        y = weft.ones(2, requires_grad=True)
        (y * 3).sum().backward()        # another backward in the meantime
        assert y.grad.tolist() == [3.0, 3.0]
    assert x.grad.tolist() == [2.0, 2.0]
    with weft.no_grad():
        loss = weft.enable_grad()(lambda: (x * 2).sum())()
        list(loss.backward_steps())
    assert x.grad.tolist() == [4.0, 4.0]


def test_leaving_early_gives_no_leaf_a_gradient():
    model = net()
    bits = mode_bits()
    loss = loss_of(model)
    for n, _ in enumerate(loss.backward_steps(retain_graph=True)):
        if n == 4:
            break
    assert all(p.grad is None for p in model.parameters())
    assert mode_bits() == bits and local.run is None
    loss.backward()     # the graph was kept, so it runs as if nothing had happened
    other = net()
    loss_of(other).backward()
    assert gradients(model) == gradients(other)


def test_leaving_early_without_keeping_the_graph_says_so_later():
    x = weft.ones(2, requires_grad=True)
    loss = x.exp().exp().sum()
    for n, _ in enumerate(loss.backward_steps()):
        if n == 2:
            break
    with pytest.raises(RuntimeError, match="a second time"):
        loss.backward()
    assert x.grad is None


def test_arguments_are_those_of_backward():
    x = weft.tensor([1.0, 2.0], requires_grad=True)
    y = weft.tensor([1.0, 1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        (x * 2).backward_steps()        # at once, not at the first step
    list((x * y).backward_steps(gradient=weft.tensor([1.0, 10.0]), inputs=[x]))
    assert x.grad.tolist() == [1.0, 10.0] and y.grad is None
    with pytest.raises(RuntimeError, match="cannot be empty"):
        (x * y).sum().backward_steps(inputs=[])
    x.grad = None
    with pytest.warns(UserWarning, match="reference cycle"):
        steps = list((x ** 3).sum().backward_steps(create_graph=True))
    assert steps[-1].grad_in[0].requires_grad
    assert weft.autograd.grad(x.grad.sum(), x)[0].tolist() == [6.0, 12.0]
    x.grad = None


def test_hooks_and_retained_gradients():
    x = weft.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.retain_grad()
    h.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    steps = list(h.sum().backward_steps())
    assert steps[1].grad_out[0].tolist() == [10.0, 10.0]        # what came in, after the hooks
    assert h.grad.tolist() == [10.0, 10.0] and x.grad.tolist() == [31.0, 31.0]


def test_an_error_in_a_rule_leaves_things_as_they_were():
    class Bad(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("no luck")
    x = weft.ones(2, requires_grad=True)
    bits = mode_bits()
    with pytest.raises(ValueError, match="no luck\n  in the backward of BadBackward, made by test_backward_steps.py"):
        for _ in Bad.apply(x).sum().backward_steps():
            pass
    assert x.grad is None and mode_bits() == bits and local.run is None


def test_a_long_chain():
    x = y = weft.ones(1, requires_grad=True)
    for _ in range(5000):
        y = y + 1
    assert sum(1 for _ in y.backward_steps()) == 5000 and np.array_equal(x.grad.numpy(), [1.0])


# breakpoints

DEBUGGED = """
    import bdb, inspect, weft
    from weft.ops.core.registry import OPS_BY_NAME

    class Stops(bdb.Bdb):
        stops = []
        def user_line(self, frame):
            if self.break_here(frame):
                self.stops.append((frame.f_code.co_name, {k: v.tolist() for k, v in frame.f_locals.items() if isinstance(v, weft.Tensor)}))

    class Double(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2
        @staticmethod
        def backward(ctx, g):
            return g * 2

    def lines(function):
        source, first = inspect.getsourcelines(function)
        return inspect.getsourcefile(function), first + len(source) - 1

    stops = Stops()
    stops.set_break(*lines(OPS_BY_NAME["tanh"].rules["x"]))
    stops.set_break(*lines(Double.backward))
    x = weft.zeros(2, requires_grad=True)
    loss = Double.apply(x).tanh().sum()
    stops.runcall(loss.backward)
    print(stops.stops)
"""


def test_a_debugger_stops_in_custom_and_built_in_rules(tmp_path):
    file = tmp_path / "debugged.py"
    file.write_text(textwrap.dedent(DEBUGGED))
    made = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "WEFT_PURE": "1"})
    assert made.stdout.strip() == ("[('grad_x', {'g': [1.0, 1.0], 'out': [0.0, 0.0]}), ('backward', {'g': [1.0, "
                                   "1.0]})]"), made.stderr


def test_breakpoint_in_a_custom_backward(monkeypatch):
    found = []

    class Double(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            breakpoint()        # noqa: T100
            return g * 2
    monkeypatch.setattr(sys, "breakpointhook", lambda: found.append(sys._getframe(1).f_locals["g"].tolist()))
    Double.apply(weft.ones(2, requires_grad=True)).sum().backward()
    assert found == [[1.0, 1.0]]
