"""jit.script: a script runs as the Python that it is, and its file holds the program as data."""
# ruff: noqa: UP006, UP035, UP045, UP030, UP032, C416, F841, PIE800, PIE804  (what TorchScript's programs write)
import copy
import enum
import io
import math
import pickle
import warnings
from typing import Dict, List, NamedTuple, Optional, Tuple

import pytest

import weft
import weft.nn.functional as F
from weft import nn

SCALE, PAIR = 2.5, (1, "two")


def through_file(script):
    file = io.BytesIO()
    weft.jit.save(script, file)
    file.seek(0)
    return weft.jit.load(file)


def same(a, b):
    if isinstance(a, weft.Tensor):
        return isinstance(b, weft.Tensor) and a.dtype == b.dtype and weft.equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a == b or a != a and b != b


# functions: each runs in Python, as a script, and from a file

class Point(NamedTuple):
    x: weft.Tensor
    n: int = 3


class Mode(enum.Enum):
    ONE = 1
    TWO = 2


@weft.jit.script
class Counter:
    def __init__(self, start: int):
        self.n = start

    def up(self, by: int = 1):
        self.n += by
        return self

    def __add__(self, other: int):
        return self.n + other

    @staticmethod
    def twice(x: int):
        return 2 * x

    @property
    def half(self):
        return self.n / 2


def helper(x, k: int = 2):
    return x * k + SCALE


@weft.jit.script
def scripted_helper(x):
    return helper(x, 3) if x.sum() > 0 else -x


def numbers(a: int, b: float):
    c = a // 2 + a % 3 - a ** 2
    return (c, abs(b), -b, not a, a & 3 | 8, a << 2, ~a, round(b), int(b), divmod(a, 2), max(a, 3), min([a, 2]),
            1 < a <= 7)


def texts(s: str):
    return (s.upper(), s[::-1], s.split("a"), "-".join(["x", s]), "{} {:>3} {k}".format(s, 4, k=1.5),
            f"{s!r:>8}|{3:03d}",
            "%s=%d" % (s, 3), s.replace("a", "o"), "an" in s, len(s), s * 2, s.find("n"), str(3) + s)


def containers(v: List[int]):
    w = [i * j for i in v for j in (1, 2) if i != j]
    w.append(9)
    w += [1, 2]
    d: Dict[str, int] = {"a": 1, **{"b": 2}}
    d["c"] = d.get("x", 7)
    for key, value in d.items():
        w.append(len(key) + value)
    first, *rest, last = w
    del d["a"]
    s = {x for x in v}
    t = tuple(v) + PAIR
    return w, d, first, rest, last, sorted(s), t, {k: v[k] for k in range(len(v))}, [*v, 0], list(zip(v, "abc")), any(v)


def flow(n: int):
    out = []
    i = 0
    while True:
        i += 1
        if i == 2:
            continue
        elif i > n:
            break
        for j in range(i):
            if j == 3:
                break
            out.append((i, j))
        else:
            out.append((i, -1))
    else:
        out.append((0, 0))
    return out if (m := len(out)) > 3 else [m]


def tensors(x):
    y = x.clone()
    y[0] = 5
    y[:, 1:] *= 2
    y[y > 4] = 0
    y += 1
    a, b = y.split(1)
    value, place = y.max(dim=1)
    z = weft.cat([a, b], dim=0).view(x.size(0), -1).to(weft.float64)
    z = z @ z.T
    return y, value, place, z[..., None].shape, z.max(1).values, weft.where(x > 0, x, -x), F.softmax(x, -1), \
        y.sum().item()


def constants(x):
    return (x * math.pi + math.sqrt(2.0), SCALE, PAIR, weft.float16, weft.zeros(2, dtype=weft.int64), float("inf"),
            weft.finfo(x.dtype).eps, x.dtype == weft.float32, x.device.type, weft.tensor([1.0, math.inf]))


def calls(x):
    return helper(x), helper(x, k=5), scripted_helper(x), weft.jit.annotate(List[int], []), *[helper(x)]


def objects(n: int):
    c = Counter(n)
    c.up().up(by=3)
    p = Point(weft.ones(1), n)
    m = Mode.TWO
    return (c.n, c + 1, c.half, Counter.twice(4), p.n, p[1], Point(weft.ones(1)).n, m.name, m == Mode.ONE,
            Mode(1).value,
            isinstance(c, Counter))


def kinds(x):
    return (isinstance(x, weft.Tensor), isinstance(x, (int, str)), weft.jit.isinstance([1], List[int]),
            weft.jit.isinstance({"a": 1}, Dict[str, str]),
            weft.jit.isinstance(x, Optional[int]), weft.jit.isinstance((1, x), Tuple[int, weft.Tensor]))


def switches(x):
    with weft.no_grad():
        y = x * 2
    if not weft.jit.is_scripting():
        import os  # noqa: F401  (never part of a script)
    return y, y.requires_grad, weft.is_grad_enabled()


def many(*args: int, scale: float = 2.0, **more: int):
    return sum(args) * scale + len(more)


def starred(x):
    return many(1, 2, scale=3.0), many(*[1, 2], **{"a": 1}), weft.zeros(*x.shape).shape


@pytest.mark.parametrize("function, calls_of", [
    (numbers, [(7, -1.5), (-4, 2.5)]), (texts, [("banana",)]), (containers, [([3, 1, 2],)]), (flow, [(5,), (0,)]),
    (tensors, [(weft.tensor([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]]),)]), (constants, [(weft.ones(2),)]),
    (calls, [(weft.ones(2),), (-weft.ones(2),)]), (objects, [(3,)]), (kinds, [(weft.ones(1),)]),
    (switches, [(weft.ones(2, requires_grad=True),)]), (starred, [(weft.ones(2, 3),)])],
    ids=lambda v: getattr(v, "__name__", ""))
def test_functions(function, calls_of):
    script = weft.jit.script(function)
    found = through_file(script)
    assert isinstance(script, weft.jit.ScriptFunction) and isinstance(found, weft.jit.ScriptFunction)
    for args in calls_of:
        expected = function(*copy.deepcopy(args))
        assert same(script(*copy.deepcopy(args)), expected)
        assert same(script(*copy.deepcopy(args)), expected)         # captured
        assert same(found(*copy.deepcopy(args)), expected)
        assert same(found(*copy.deepcopy(args)), expected)
    assert f"def {function.__name__}(" in script.code and found.code.startswith(f"def {function.__name__}(")


# modules

class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


class Base(nn.Module):
    factor = 3

    def forward(self, x, flag: bool = True):
        return self.scaled(x) if flag else x

    def scaled(self, x):
        return x * self.factor


class Net(Base):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.gate = nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), Gate()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), nn.Tanh())])
        self.named = nn.ModuleDict({"a": nn.Linear(3, 2), "b": nn.Linear(3, 2)})
        self.lstm, self.drop = nn.LSTM(2, 2, batch_first=True), nn.Dropout(0.5)
        self.act, self.own, self.skip = F.relu, helper, None
        self.sizes, self.table, self._private = [1, 2], {"k": 2.0}, 4
        self.register_buffer("steps", weft.zeros((), dtype=weft.long))
        self.register_buffer("hidden", weft.ones(1), persistent=False)
        self.weight = nn.Parameter(weft.ones(2))
        self.tied = self.layers[0]

    def forward(self, x, flag: bool = True):
        self.steps += 1
        h = self.act(self.norm(self.conv(x))).mean((2, 3))
        for i, layer in enumerate(self.layers):
            h = layer(h) + i
        h = self.named["a"](h) if flag else self.named["b"](h)
        for name, layer in self.named.items():
            if name == "b" and self.skip is None:
                h = h + layer.bias
        if self.training:
            h = self.drop(h)
        y, _ = self.lstm(h[None])
        y = self.gate(self.own(y)) * self.table["k"] + self._private + self.hidden + self.tied.weight[0, 0]
        return super().forward(y[0] * self.weight), self.sizes, len(self.layers)

    @weft.jit.export
    def other(self, n: int):
        return self.scaled(weft.ones(n)), self.size_of(1)

    def size_of(self, i: int) -> int:
        return self.sizes[i]

    @weft.jit.unused
    def unused(self):
        return eval("1")

    @weft.jit.ignore
    def ignored(self):
        return [print]

    def never(self):
        return eval("1")


def test_a_module_as_a_script_and_from_a_file():
    weft.manual_seed(0)
    net = Net().eval()
    script = weft.jit.script(net)
    found = through_file(script)
    x = weft.randn(2, 1, 5, 5)
    for flag in (True, False, True):
        expected = net(x, flag)
        for one in (script, found):
            assert same(one(x, flag), expected) and same(one(x, flag=flag), expected)
    assert found.steps.item() == 6 and script.steps is net.steps
    for one in (script, found):
        assert isinstance(one, weft.jit.RecursiveScriptModule) and one.original_name == "Net" and not one.training
        assert list(one.state_dict()) == list(net.state_dict()) and "hidden" not in one.state_dict()
        assert [n for n, _ in one.named_modules()] == [n for n, _ in net.named_modules()]
        assert same(one.other(2), net.other(2)) and one.sizes == [1, 2] and one.tied is one.layers[0]
        assert "RecursiveScriptModule(original_name=Conv2d)" in repr(one) and "def forward(self" in one.code
        assert "scaled" in one.other.code and one.code_with_constants[0] == one.code
    assert found.skip is None and found._private == 4 and found.lstm(weft.ones(1, 1, 2))[0].shape == (1, 1, 2)


def test_gradients_and_modes_of_a_script():
    net = Net()
    script, found = weft.jit.script(net), through_file(weft.jit.script(net))
    assert script.training and script.conv.weight is net.conv.weight
    script.eval()
    assert net.training and not script.gate.training and not script.drop.training
    x = weft.randn(2, 1, 5, 5)
    net.eval()
    net(x)[0].sum().backward()
    expected = {n: p.grad.clone() for n, p in net.named_parameters() if p.grad is not None}
    net.zero_grad()
    script(x)[0].sum().backward()
    found.eval()(x)[0].sum().backward()
    for module in (net, found):
        grads = dict(module.named_parameters())
        assert expected and all(weft.allclose(grads[n].grad, g, atol=1e-6) for n, g in expected.items())
    found.train()
    assert found.drop.training and found.layers[1].training
    double = found.double()(x.double())[0]
    assert double.dtype == weft.float64


def test_a_file_again_into_a_file():
    net = Net().eval()
    once = through_file(weft.jit.script(net))
    x = weft.randn(2, 1, 5, 5)
    twice = through_file(once)
    assert same(twice(x), net(x)) and same(twice.other(3), net.other(3)) and twice.original_name == "Net"
    function = through_file(through_file(weft.jit.script(objects)))
    assert same(function(3), objects(3))


def test_scripts_inside_plain_modules_and_the_other_way():
    outer = nn.Sequential(weft.jit.script(Gate()), nn.Linear(2, 2))
    x = -weft.ones(1, 2)
    assert same(outer(x), outer[1](-x)) and same(through_file(weft.jit.script(outer))(x), outer(x))

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.traced = weft.jit.trace(nn.Linear(2, 2), x)
            self.gate = Gate()

        def forward(self, x):
            return self.gate(self.traced(x))
    module = Outer()
    assert same(through_file(weft.jit.script(module))(x), module(x))


def test_a_trace_keeps_the_branches_of_scripts():
    class Cell(nn.Module):
        def __init__(self, gate):
            super().__init__()
            self.gate, self.linear = gate, nn.Linear(2, 2)

        def forward(self, x):
            return scripted_helper(self.gate(self.linear(x)))
    cell = Cell(weft.jit.script(Gate()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced = weft.jit.trace(cell, weft.ones(1, 2))
    for one in (traced, through_file(traced)):
        for x in (weft.ones(1, 2), -weft.ones(1, 2), weft.tensor([[5.0, -9.0]])):
            assert weft.allclose(one(x), cell(x))
        assert sorted(one.state_dict()) == ["linear.bias", "linear.weight"]


def test_the_older_way_of_writing_scripts():
    class Old(weft.jit.ScriptModule):
        __constants__ = ["n"]

        def __init__(self):
            super().__init__()
            self.n, self.weight = 3, nn.Parameter(weft.ones(2))
            self.count = weft.jit.Attribute(4, int)

        @weft.jit.script_method
        def forward(self, x):
            for _ in range(self.n):
                x = x * self.weight + self.count
            return x
    old = Old()
    assert isinstance(old, weft.jit.ScriptModule) and same(through_file(old)(weft.ones(2)), old(weft.ones(2)))
    assert "range(self.n)" in old.code and old.original_name == "Old"


def test_layers_alone_are_scripts():
    for layer, x in ((nn.Linear(2, 3), weft.ones(1, 2)), (nn.GRU(2, 2), weft.ones(3, 1, 2)),
                     (nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, activation="gelu").eval(),
                      weft.ones(1, 3, 4)),
                     (nn.Sequential(nn.Conv2d(1, 2, 3, padding_mode="circular", padding=1), nn.Flatten()),
                      weft.ones(1, 1, 4, 4)),
                     (nn.Embedding(4, 2, padding_idx=0), weft.tensor([0, 3]))):
        script = weft.jit.script(layer)
        assert same(script(x), layer(x)) and same(through_file(script)(x), layer(x))
        assert isinstance(script, type(layer)) and script.code


class Wider(nn.Linear):
    def forward(self, x):
        return super().forward(x) + self.in_features


def test_a_subclass_of_a_layer():
    layer = Wider(2, 3)
    found = through_file(weft.jit.script(layer))
    assert same(found(weft.ones(1, 2)), layer(weft.ones(1, 2))) and found.in_features == 2


def test_copies_and_pickles():
    script = weft.jit.script(Net().eval())
    x = weft.randn(1, 1, 5, 5)
    for one in (script, through_file(script)):
        again = copy.deepcopy(one)
        assert same(again(x)[0], one(x)[0]) and again.conv.weight is not one.conv.weight
        assert copy.copy(one).conv is one.conv
        with pytest.raises(pickle.PickleError, match="ScriptModules cannot be"):
            pickle.dumps(one)
    with pytest.raises(pickle.PickleError, match="cannot be pickled"):
        pickle.dumps(scripted_helper)


def test_is_scripting_inside_of_scripts_only():
    seen = []

    class Inner(nn.Module):
        def forward(self, x):
            seen.append(weft.jit.is_scripting())
            return x
    script = weft.jit.script(nn.Sequential(Inner()))
    script(weft.ones(1))
    assert seen == [True] and not weft.jit.is_scripting()
    Inner()(weft.ones(1))
    with pytest.raises(RuntimeError):
        weft.jit.script(lambda x: weft.ones(2) @ weft.ones(3))(1)
    assert seen[1:] == [False] and not weft.jit.is_scripting()


def test_names_of_a_script_do_not_hide_those_of_the_module():
    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.graph, self.code = nn.Linear(1, 1), 5

        def forward(self, x):
            return self.graph(x) + self.code
    module = Named()
    script = weft.jit.script(module)
    assert same(script(weft.ones(1)), module(weft.ones(1)))
    assert same(through_file(script)(weft.ones(1)), module(weft.ones(1)))


# what can't be saved

def uses_eval(x):
    y = x + 1
    return eval("y")


def uses_try(x):
    try:
        return x
    except ValueError:
        return -x


def uses_lambda(x):
    return (lambda y: y)(x)


def nested(x):
    def inner(y):
        return y
    return inner(x)


def uses_tensor(x):
    return x + TENSOR


def uses_import(x):
    import os
    return os.getcwd()


def uses_open(x):
    return open("/etc/passwd")


def uses_numpy(x):
    return x.numpy()


def uses_dunder(x):
    return x.__class__


def uses_format(x):
    return "{0.__class__}".format(x)


TENSOR = weft.ones(1)


@pytest.mark.parametrize("function, what, line", [
    (uses_eval, "eval", "return eval"), (uses_try, "`try`", "try:"), (uses_lambda, "lambda", "lambda"),
    (nested, "function inside", "def inner"), (uses_tensor, "TENSOR is a Tensor", "x + TENSOR"),
    (uses_import, "`import`", "import os"), (uses_open, "open", "open("), (uses_dunder, "__class__", "x.__class__")],
    ids=lambda v: getattr(v, "__name__", ""))
def test_what_can_not_be_saved_says_where(function, what, line):
    script = weft.jit.script(function)
    with pytest.raises(RuntimeError, match=what) as error:
        script.save(io.BytesIO())
    text = str(error.value)
    assert f"{__file__.rpartition('/')[2]}:" in text and line in text and "fix:" in text
    if function not in (uses_open, uses_dunder, uses_eval):
        script(weft.ones(1))        # it runs all the same


def test_what_is_refused_when_it_runs():
    found = through_file(weft.jit.script(uses_numpy))
    with pytest.raises(AttributeError, match="no method 'numpy'"):
        found(weft.ones(1))
    found = through_file(weft.jit.script(uses_format))
    with pytest.raises(ValueError, match="neither a number nor a name"):
        found(weft.ones(1))


def test_ignored_and_unused_methods():
    class Ignoring(nn.Module):
        @weft.jit.ignore
        def helper(self, x):
            return x

        def forward(self, x):
            return self.helper(x)

    class Unused(Ignoring):
        @weft.jit.unused
        def helper(self, x):
            return eval("x")

        def forward(self, x, use: bool = False):
            return self.helper(x) if use else x
    script = weft.jit.script(Ignoring())
    assert same(script(weft.ones(1)), weft.ones(1))
    with pytest.raises(RuntimeError, match="jit.ignore"):
        script.save(io.BytesIO())
    found = through_file(weft.jit.script(Unused()))
    assert same(found(weft.ones(1)), weft.ones(1))
    with pytest.raises(RuntimeError, match="jit.unused"):
        found(weft.ones(1), True)


def test_attributes_that_are_no_data():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.unused, self.used = object(), object()

        def forward(self, x):
            return x

    class Uses(Odd):
        def forward(self, x):
            return x if self.used is None else -x
    assert same(through_file(weft.jit.script(Odd()))(weft.ones(1)), weft.ones(1))
    with pytest.raises(RuntimeError, match="attribute 'used' of a Uses is a object"):
        weft.jit.script(Uses()).save(io.BytesIO())
    hooked = nn.Linear(1, 1)
    hooked.register_forward_hook(lambda *a: None)
    with pytest.raises(RuntimeError, match="hooks"):
        weft.jit.script(hooked).save(io.BytesIO())


def test_raised_errors_are_pythons_own():
    def refuse(x, n: int):
        if n > 3:
            raise ValueError(f"{n} is too much")
        assert n > 0, "not positive"
        raise NotImplementedError
    for one in (weft.jit.script(refuse), through_file(weft.jit.script(refuse))):
        with pytest.raises(ValueError, match="5 is too much"):
            one(weft.ones(1), 5)
        with pytest.raises(AssertionError, match="not positive"):
            one(weft.ones(1), 0)
        with pytest.raises(NotImplementedError):
            one(weft.ones(1), 1)
        with pytest.raises(TypeError, match="missing"):
            one(weft.ones(1))


def test_extra_files():
    file = io.BytesIO()
    weft.jit.script(nn.ReLU()).save(file, _extra_files={"note": "hello"})
    file.seek(0)
    extra = {"note": "", "other": ""}
    weft.jit.load(file, _extra_files=extra)
    assert extra == {"note": b"hello", "other": b""}
    assert weft.jit.script(nn.ReLU()).save_to_buffer()[:2] == b"PK"


# scripts among other things

def test_functions_that_call_traces_and_scripts():
    """As PyTorch's documentation mixes them."""
    double = weft.jit.trace(lambda x, y: 2 * x + y, (weft.rand(3), weft.rand(3)))
    linear, gate = weft.jit.trace(nn.Linear(2, 2), weft.ones(1, 2)), weft.jit.script(Gate())

    @weft.jit.script
    def mixed(x):
        if x.sum() > 0:
            return double(x, x)
        return gate(linear(x)) + helper(x)

    class Holder(nn.Module):
        def forward(self, x):
            return mixed(x) + double(x, x)
    for one in (mixed, weft.jit.script(Holder())):
        found = through_file(one)
        again = through_file(found)
        for x in (weft.ones(1, 2), -weft.ones(1, 2)):
            assert same(found(x), one(x)) and same(again(x), one(x))


def test_objects_of_scripted_classes():
    assert weft.jit.script(Counter(2)).up(3).n == 5
    with pytest.raises(TypeError, match="not a int"):
        weft.jit.script(3)



@weft.jit.script
def swish(x):
    return x * weft.sigmoid(x)


@weft.jit.script
def swish_backward(x, g):
    s = weft.sigmoid(x)
    return g * (s * (1 + x * (1 - s)))


class Swish(weft.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return swish(x)

    @staticmethod
    def backward(ctx, g):
        return swish_backward(ctx.saved_tensors[0], g)


def test_scripts_inside_of_functions_with_gradients():
    layer = nn.Linear(4, 4)
    for _ in range(8):          # recorded, followed, and run as it is
        x = weft.randn(3, 4, requires_grad=True)
        found, = weft.autograd.grad(Swish.apply(layer(x)).sum(), x)
        expected, = weft.autograd.grad(F.silu(layer(x)).sum(), x)
        assert weft.allclose(found, expected, atol=1e-6)
    for one in (swish, through_file(swish)):
        x = weft.randn(3, dtype=weft.float64, requires_grad=True)
        assert weft.autograd.gradcheck(one, (x,)) and weft.autograd.gradgradcheck(one, (x,))
        assert weft.allclose(weft.vmap(one)(weft.ones(2, 3)), one(weft.ones(2, 3)))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.n, self.seen = 0, []
        self.register_buffer("calls", weft.zeros(1))

    def forward(self, x):
        self.n += 1
        self.calls += 1
        self.seen.append(self.n)
        return x * self.n


def test_state_that_a_program_keeps():
    module = Counting()
    script = weft.jit.script(module)
    assert [script(weft.ones(1)).item() for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    found = through_file(script)
    assert [found(weft.ones(1)).item() for _ in range(6)] == [7, 8, 9, 10, 11, 12]
    assert found.seen == list(range(1, 13)) and found.calls.item() == 12 and script.n == 6
    assert module.n == 0 and module.seen == [] and module.calls.item() == 6         # tensors are shared, numbers aren't


def test_files_by_path_and_handle(tmp_path):
    path = tmp_path / "relu.pt"
    weft.jit.script(nn.ReLU()).save(path)
    weft.jit.save(weft.jit.script(nn.ReLU()), str(path))
    assert weft.jit.load(path)(-weft.ones(1)).item() == 0
    assert weft.jit.load(str(path), map_location="cpu")(-weft.ones(1)).item() == 0
    with open(path, "rb") as file:
        assert weft.jit.load(file)(-weft.ones(1)).item() == 0
    with open(path, "rb", buffering=0) as file:
        assert weft.jit.load(file)(-weft.ones(1)).item() == 0
    with pytest.raises(ValueError, match="does not exist"):
        weft.jit.load(tmp_path / "nothing.pt")
    with pytest.raises(ValueError, match="is a directory"):
        weft.jit.load(tmp_path)


def test_numbers_of_a_dropout_are_new_ones():
    class Drop(nn.Module):
        def forward(self, x):
            return F.dropout(x, 0.5, self.training)
    for one in (weft.jit.script(Drop()), through_file(weft.jit.script(Drop()))):
        weft.manual_seed(1)
        first, second = one(weft.ones(20)), one(weft.ones(20))
        weft.manual_seed(1)
        assert weft.equal(first, one(weft.ones(20))) and not weft.equal(first, second)
        assert weft.equal(one.eval()(weft.ones(3)), weft.ones(3))


@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v3_small", "densenet121", "googlenet"])
def test_models_of_vision(name):
    from weft.vision import models
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = getattr(models, name)(weights=None).eval()
    x = weft.rand(1, 3, 64, 64)
    with weft.no_grad():
        expected, found = model(x), through_file(weft.jit.script(model))(x)
    assert weft.equal(found, expected)
