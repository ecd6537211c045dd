"""jit.trace: what a program did, run again, read and saved."""
import io
import typing
import warnings

import pytest

import weft
from weft import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(4 * 8 * 8, 10))
        self.register_buffer("shift", weft.ones(10))

    def forward(self, x, scale=None):
        h = weft.relu(self.norm(self.conv(x)))
        h = h[:, :, ::1] + weft.arange(8).float()
        out = self.head(h) + self.shift
        parts = out.split(5, dim=1)
        made = weft.cat([parts[1], parts[0].T.mT], 1)
        made[:, 0] = 0
        return (made if scale is None else made * scale), out.max(1).values


def through_file(traced):
    file = io.BytesIO()
    weft.jit.save(traced, file)
    file.seek(0)
    return weft.jit.load(file)


def test_a_network_traced_saved_and_loaded():
    weft.manual_seed(0)
    net, x = Net().eval(), weft.randn(2, 3, 8, 8)
    traced = weft.jit.trace(net, x)
    loaded = through_file(traced)
    other = weft.randn(5, 3, 8, 8)
    for module in (traced, loaded):
        for a, b in zip(module(other), net(other)):
            assert weft.equal(a, b)
        assert isinstance(module, weft.jit.ScriptModule) and not module.training
        assert list(module.state_dict()) and set(module.state_dict()) == set(net.state_dict())
        assert "conv2d" in module.code and "conv2d" in str(module.graph)
    traced(other)[0].sum().backward()
    assert net.conv.weight.grad is not None         # the same parameters


def test_functions_keywords_and_random_numbers():
    def f(x, y):
        return {"a": x + y, "b": [x * weft.rand(2)]}
    with pytest.warns(weft.jit.TracerWarning, match="nondeterministic nodes.*random in test_jit_trace.py"):
        traced = weft.jit.trace(f, (weft.ones(2), weft.ones(2)), strict=False)
    weft.manual_seed(3)
    expected = f(weft.ones(2), weft.zeros(2))
    weft.manual_seed(3)
    found = traced(weft.ones(2), y=weft.zeros(2))
    assert weft.equal(found["a"], expected["a"]) and weft.equal(found["b"][0], expected["b"][0])
    with pytest.raises(RuntimeError, match="dict at the output"):
        weft.jit.trace(f, (weft.ones(2), weft.ones(2)))


def test_a_branch_is_that_of_the_example_and_checked():
    calls = []

    def f(x):
        calls.append(weft.jit.is_tracing())
        return x * len(calls)
    with pytest.warns(weft.jit.TracerWarning, match="does not match"):
        weft.jit.trace(f, weft.ones(1))
    assert calls == [True, False] and not weft.jit.is_tracing()
    with pytest.warns(weft.jit.TracerWarning, match="Python boolean") as told:
        traced = weft.jit.trace(lambda x: x * 2 if x.sum() > 0 else x, weft.ones(1), check_trace=False)
    assert told[0].filename == __file__
    assert traced(weft.tensor([-3.])).item() == -6


def test_what_can_not_be_traced_or_saved():
    with pytest.raises(RuntimeError, match="no tensor"):
        weft.jit.trace(lambda x: 1, weft.ones(1))
    with pytest.raises(RuntimeError, match="no script and no trace"):
        weft.jit.save(nn.Linear(1, 1), io.BytesIO())
    with pytest.raises(RuntimeError, match="expected 1 arguments"):
        weft.jit.trace(lambda x: x + 1, weft.ones(1))(1, 2)
    file = io.BytesIO()
    weft.save({"a": 1}, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="no traced or scripted module"):
        weft.jit.load(file)


@pytest.mark.parametrize("target", [["function", "load"], ["method", "__reduce__"], ["own", "eval"], ["method", "tolist"],
                                    ["other", "add"], ["function", "set_num_threads"], ["method", "apply_"]])
def test_a_file_names_functions_of_tensors_only(target):
    """A file that names anything else is refused before anything runs."""
    traced, file = weft.jit.trace(lambda x: x + 1, weft.ones(1)), io.BytesIO()
    traced.save(file)
    file.seek(0)
    data = weft.load(file)
    data["graph"][1][2] = target
    file = io.BytesIO()
    weft.save(data, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="no function that a traced module calls"):
        weft.jit.load(file)


def test_a_recurrent_and_an_attention_layer():
    weft.manual_seed(0)
    for layer, x in ((nn.LSTM(3, 4, batch_first=True), weft.randn(2, 5, 3)),
                     (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), weft.randn(2, 5, 8))):
        loaded = through_file(weft.jit.trace(layer, x))
        found, expected = loaded(x), layer(x)
        found, expected = (v[0] if isinstance(v, tuple) else v for v in (found, expected))
        assert weft.allclose(found, expected, atol=1e-6)


def test_fork_gives_a_future_and_errors_come_at_once():
    future = weft.jit.fork(weft.add, weft.ones(2), other=weft.ones(2))
    assert future.done() and weft.jit.wait(future).tolist() == [2.0, 2.0] and future.then(lambda f: 5).wait() == 5
    with pytest.raises(ZeroDivisionError):
        weft.jit.fork(lambda: 1 / 0)


def test_switches_of_other_fusers_are_remembered():
    before = weft.jit.set_fusion_strategy([("STATIC", 1)])
    assert weft.jit.set_fusion_strategy(before) == [("STATIC", 1)]
    weft.jit.enable_onednn_fusion(True)
    assert weft.jit.onednn_fusion_enabled()
    weft.jit.enable_onednn_fusion(False)
    with weft.jit.fuser("fuser1"), weft.jit.optimized_execution(False), weft.jit.strict_fusion():
        assert weft.ones(1).item() == 1.0
    with pytest.raises(Exception, match="unrecognized fuser"):
        with weft.jit.fuser("none"):
            pass


# sizes and containers

def saved_and_loaded(traced):
    file = io.BytesIO()
    traced.save(file)
    file.seek(0)
    return weft.jit.load(file)


def heads(x):
    b, t, c = x.shape
    return x.view(b, t, 2, c // 2).transpose(1, 2).reshape(b, -1, c)[:, :t - 1]


@pytest.mark.parametrize("function", [
    lambda x: x.view(x.size(0), -1) * 2, lambda x: x.reshape(x.shape[0] * x.shape[1], x.shape[-1]).sum(0), heads,
    lambda x: x.sum(0) / x.size(0), lambda x: x[:x.shape[0] // 2 + 1, 1:1 + x.size(dim=1)],
    lambda x: x.flatten().view(x.shape), lambda x: weft.ones(1, 3, 1).expand(x.shape[0], -1, x.size(-1)) + x,
    lambda x: x.new_zeros(x.size()[0], 2 * x.shape[0] % 5),
    lambda x: x.view(*x.shape[:2], 2, -(-x.shape[2] // 2))])
def test_sizes_that_a_traced_program_reads_were_those_of_the_example(function):
    traced = weft.jit.trace(function, weft.randn(2, 3, 4))
    for x in (weft.randn(5, 3, 4), weft.randn(2, 3, 4), weft.randn(1, 3, 4)):
        assert weft.equal(traced(x), function(x)) and weft.equal(saved_and_loaded(traced)(x), function(x))


def test_sizes_of_a_trace_are_ints():
    traced = weft.jit.trace(lambda x: (x * [1.0, 2.0][x.shape[0] - 1], x.shape[1], {"n": x.size(0)}), weft.ones(2, 3),
                            strict=False)
    assert traced(weft.ones(2, 3))[1:] == (3, {"n": 2}) and type(traced(weft.ones(2, 3))[1]) is int


def test_the_tensors_of_a_dict_that_was_given_were_constants_of_a_trace():
    traced = weft.jit.trace(lambda d: d["a"] + d["b"][0], ({"a": weft.ones(1), "b": (weft.ones(1),)},))
    for one in (traced, saved_and_loaded(traced)):
        assert one({"a": weft.zeros(1), "b": (weft.full((1,), 5.0),)}).item() == 5


def test_only_scripts_are_frozen():
    with pytest.raises(RuntimeError, match="expects a ScriptModule"):
        weft.jit.freeze(weft.nn.Linear(2, 1).eval())


def test_other_methods_of_a_module_are_traced_too():
    class Net(weft.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = weft.nn.Conv2d(1, 1, 3)

        def forward(self, x):
            return self.conv(x)

        def weighted(self, w):
            return w * self.conv.weight
    net = Net()
    x, w = weft.randn(1, 1, 5, 5), weft.randn(1, 1, 3, 3)
    traced = weft.jit.trace_module(net, {"forward": x, "weighted": w})
    assert weft.equal(traced(x * 2), net(x * 2)) and weft.equal(traced.weighted(w * 2), net.weighted(w * 2))
    assert sorted(traced.state_dict()) == ["conv.bias", "conv.weight"]
    loaded = through_file(traced)
    assert weft.equal(loaded(x), net(x)) and weft.equal(loaded.weighted(w), net.weighted(w))
    assert sorted(loaded.state_dict()) == ["conv.bias", "conv.weight"]
    with pytest.raises(NotImplementedError, match="forward"):
        weft.jit.trace_module(net, {"weighted": w})


def test_types_of_what_containers_hold_are_looked_at():
    found = weft.jit.isinstance
    assert found([1], list[int]) and not found([1.0], list[int]) and found([], list[int]) and not found((1,), list[int])
    assert found({"a": weft.ones(1)}, dict[str, weft.Tensor]) and not found({1: 2}, dict[str, int])
    assert found((1, "a"), tuple[int, str]) and not found((1,), tuple[int, str]) and found((1, 2), tuple[int, ...])
    assert found(None, int | None) and found(3, list[int] | None) is False and found(3, (str, int))
    assert found(None, typing.Optional[typing.List[int]]) and found([{"a": 1}], typing.List[typing.Dict[str, int]])  # noqa: UP006, UP045
    assert found([[1], [2]], list[list[int]]) and not found([[1], ["2"]], list[list[int]]) and found(1, int | str)


class Shifts(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(weft.tensor([1., 2.]))

    def forward(self, x):
        return self.shift + 10 * x


def test_an_input_that_is_a_parameter_too_stays_an_input():
    module = Shifts()
    traced = weft.jit.trace(module, module.shift)
    assert weft.equal(traced(weft.ones(2)), weft.tensor([11., 12.]))


def test_an_input_that_is_given_twice_is_two_inputs():
    x = weft.ones(2, requires_grad=True)
    traced = weft.jit.trace(lambda a, b: a + 10 * b, (x, x))
    assert weft.equal(traced(weft.ones(2), weft.zeros(2)), weft.ones(2))
    traced = weft.jit.trace(lambda d: d["a"] + 10 * d["b"], ({"a": x, "b": x},))
    assert weft.equal(traced({"a": weft.ones(2), "b": weft.zeros(2)}), weft.ones(2))


LOOKS = [("for row in x:\n        x = x + row", "Iterating"), ("a, b = x\n    x = x * a - b", "Iterating"),
         ("x = x + [*x][0]", "Iterating"), ("x = x * len(x)", "Using len"), ("x = x + list(x)[1]", "Using len"),
         ("a, b = x.unbind(0)\n    x = x * a - b", None), ("x = x + weft.unbind(x)[0]", None), ("x = x * x.shape[0]", None),
         ("x = x * x.size(0)", None), ("a, b = [x, x]\n    x = x * len((a, b))", None)]


@pytest.mark.parametrize("line,text", LOOKS)
def test_steps_and_lengths_of_the_example_were_kept_without_a_word(line, text):
    scope = {"weft": weft}
    exec(f"def f(x):\n    {line}\n    return x", scope)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        weft.jit.trace(scope["f"], weft.ones(2, 3))
    assert [str(w.message).split(" ")[0] for w in told] == ([] if text is None else [text.split(" ")[0]])


def test_a_traced_module_in_training_draws_anew_each_time():
    model = weft.nn.Sequential(weft.nn.Linear(2, 2), weft.nn.Dropout(0.5))
    with pytest.warns(weft.jit.TracerWarning, match=r"call .eval\(\) on your model.*dropout_mask in Sequential.1"):
        weft.jit.trace(model, weft.ones(2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weft.jit.trace(model, weft.ones(2, 2), check_trace=False)
        weft.jit.trace(model.eval(), weft.ones(2, 2))
