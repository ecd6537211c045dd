"""TorchFunctionMode: a mode sees the same calls as in PyTorch, in the same order."""
import threading

import numpy as np
import pytest
import torch

import weft
from weft.overrides import TorchFunctionMode as WeftMode

LIBRARIES = {"weft": (weft, WeftMode), "torch": (torch, torch.overrides.TorchFunctionMode)}


def seen(library, program, **options):
    """The names of the functions, the number of arguments and the keywords that a mode sees."""
    lib, mode = LIBRARIES[library]

    class Log(mode):
        def __init__(self):
            self.calls = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.calls.append((func.__name__, len(args), sorted(kwargs or {}), [t.__name__ for t in types]))
            return func(*args, **(kwargs or {}))
    made = program(lib)
    with Log() as log:
        made()
    return log.calls




def operators(lib):
    x, y = lib.ones(2, 3), lib.ones(2, 3)
    return lambda: (x + y, 1 + x, x * 2, 3 * x, x - y, x / 2, x @ y.mT, x == 1, x < y, x[0], x[:, None], x > 2)


def functions(lib):
    x = lib.ones(2, 3)

    def run():
        lib.add(x, x)
        x.add(1)
        lib.cat([x, x], dim=1)
        lib.relu(input=x)
        lib.add(x, x, out=lib.empty(2, 3))
        x.view(3, 2)
        x.view((3, 2)).sum(dim=0, keepdim=True)
        x.to(lib.float64)
        x.size(), x.dim(), x.numel(), x.is_contiguous(), x.stride()
        x.sum().item(), x.tolist(), x.numpy()
        lib.allclose(x, x)
        x.add_(1)
        x[0] = 1.
        x[x > 1] = 0
        x.unbind()
        lib.where(x > 0, x, 1.)
    return run


def creation(lib):
    def run():
        x = lib.zeros(2, dtype=lib.int32)
        lib.ones(2), lib.full((2,), 1.), lib.arange(3), lib.tensor([1, 2]), lib.as_tensor([1.]), lib.eye(2)
        lib.randn(2), lib.rand(2), lib.randint(0, 3, (2,)), lib.randperm(3), lib.linspace(0, 1, 3), lib.empty(1)
        lib.zeros_like(x), lib.ones_like(x), lib.full_like(x, 2), x.new_zeros(2), lib.scalar_tensor(1.)
    return run


def layers(lib):
    net, x = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.LayerNorm(4)), lib.ones(2, 3)
    return lambda: net(x)


def not_seen(lib):
    x = lib.ones(2, 3)
    return lambda: (lib.is_tensor(x), lib.manual_seed(0), lib.get_default_dtype(), lib.is_grad_enabled(),
                    lib.from_numpy(np.ones(2)), lib.nn.Parameter(x))


@pytest.mark.parametrize("program", [operators, functions, creation, not_seen])
def test_a_mode_sees_the_same_calls(program):
    ours, theirs = seen("weft", program), seen("torch", program)
    strip = [(name, n, keys) for name, n, keys, _ in theirs]
    assert [(name, n, keys) for name, n, keys, _ in ours] == strip


def test_a_mode_sees_layers_functions():
    assert [c[0] for c in seen("weft", layers)] == ["linear", "layer_norm"]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_modes_nest_and_the_inner_one_is_asked_first(lib):
    library, mode = LIBRARIES[lib]
    calls = []

    class Named(mode):
        def __init__(self, name):
            self.name = name

        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(self.name)
            return func(*args, **(kwargs or {}))
    x = library.ones(2)
    with Named("outer"), Named("inner"):
        x.exp()
    assert calls == ["inner", "outer"]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_mode_answers_instead(lib):
    library, mode = LIBRARIES[lib]

    class Zero(mode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func is library.exp or func is library.Tensor.exp:
                return "answered"
            return func(*args, **(kwargs or {}))
    x = library.ones(2)
    with Zero():
        assert library.exp(x) == "answered" and x.exp() == "answered"
        assert library.zeros(2).sum() == 0
    assert x.exp()[0] > 2


@pytest.mark.parametrize("lib", LIBRARIES)
def test_subclasses_are_asked_after_the_mode(lib):
    library, mode = LIBRARIES[lib]
    order = []

    class Sub(library.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            order.append("class")
            return super().__torch_function__(func, types, args, kwargs or {})

    class Log(mode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            order.append(("mode", types))
            return func(*args, **(kwargs or {}))
    x = library.ones(2).as_subclass(Sub)
    with Log():
        assert type(library.add(x, 1)) is Sub
    assert order == [("mode", (Sub,)), "class"]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_notimplemented_and_errors(lib):
    library, mode = LIBRARIES[lib]

    class No(mode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented
    with pytest.raises(TypeError, match="all __torch_function__ handlers returned NotImplemented"), No():
        library.zeros(2)
    assert library.zeros(2).sum() == 0

    class Bare(mode):
        pass
    with pytest.raises(NotImplementedError), Bare():
        library.zeros(2)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_gradients_and_steps_inside_a_mode(lib):
    library, _ = LIBRARIES[lib]
    base = {"weft": weft.overrides, "torch": torch.overrides}[lib].BaseTorchFunctionMode
    net = library.nn.Sequential(library.nn.Linear(3, 4), library.nn.ReLU(), library.nn.Linear(4, 1))
    step = library.optim.SGD(net.parameters(), lr=0.1)
    with base():
        loss = (net(library.ones(5, 3)) ** 2).mean()
        loss.backward()
        step.step()
        x = library.ones(2, requires_grad=True)
        first, = library.autograd.grad((x ** 3).sum(), x, create_graph=True)
        second, = library.autograd.grad(first.sum(), x)
    assert second.tolist() == [6, 6] and net[0].weight.grad is not None


@pytest.mark.parametrize("lib", LIBRARIES)
def test_the_stack(lib):
    library, mode = LIBRARIES[lib]
    overrides = {"weft": weft.overrides, "torch": torch.overrides}[lib]
    calls = []

    class Log(mode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return func(*args, **(kwargs or {}))
    x = library.ones(2)
    with Log() as log:
        with overrides._pop_mode_temporarily() as mode_:
            assert mode_ is log
            x.exp()
        with library._C.DisableTorchFunction():
            x.exp()
        with library._C.DisableTorchFunctionSubclass():
            x.sin()
        assert overrides.has_torch_function((x,))
    assert not overrides.has_torch_function((x,))
    assert calls == ["sin"]


def test_another_threads_calls_are_its_own():
    calls = seen("weft", lambda lib: lambda: [t.start() or t.join() for t in [
        threading.Thread(target=lambda: lib.ones(2).exp().size())]])
    assert calls == []


def test_tensors_attributes_are_the_plain_ones_again():
    before = {name: vars(weft.Tensor)[name] for name in ("shape", "size", "item", "T")}
    seen("weft", functions)
    assert {name: vars(weft.Tensor)[name] for name in before} == before


def test_a_default_device_works_beside_a_mode():
    with weft.overrides.BaseTorchFunctionMode(), weft.device("meta"):
        assert weft.ones(2).is_meta
