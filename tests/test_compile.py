"""`weft.compile`: the graph that a captured step becomes, its passes, `replay=True`, and when it turns itself off."""
import copy
import functools
import io
import pickle
import re
import warnings

import numpy as np
import pytest

import weft
from weft import nn
from weft.core.modes import GRAD_OFF
from weft.jit.captured import AT_ONCE, VARIANTS, Capture, Gauge
from weft.nn import functional as F
from weft.nn.edits import EDITS


def captured(function, *args, calls=3):
    """(the captured function, the graph that its last call ran)."""
    made = weft.jit.capture(function)
    for _ in range(calls):
        made(*args)
    return made, made.graphs()[-1]


def names(graph):
    return ["fused" if step.parts else "write" if step.op is None else step.op.name for step in graph.steps]


# the passes

def chain(x, y):
    with weft.no_grad():
        return ((x * 2 + y).tanh() - 1).sigmoid() * x


@pytest.mark.parametrize("y", [(40, 100), (100,), (40, 1), (), (1, 100)])
@pytest.mark.parametrize("dtype", [weft.float32, weft.float64])
def test_an_elementwise_chain_is_one_step_with_the_same_bits(y, dtype):
    x, y = weft.randn(40, 100, dtype=dtype), weft.randn(y, dtype=dtype)
    made, graph = captured(chain, x, y)
    assert names(graph) == ["fused"] and len(graph.steps[0].parts) == 6
    assert weft.equal(made(x, y), chain(x, y))


@pytest.mark.parametrize("x", [lambda: weft.randn(4, 30).t(), lambda: weft.randn(30, 8)[:, ::2],
                               lambda: weft.randn(1, 4).expand(30, 4), lambda: weft.randn(0, 4),
                               lambda: weft.randn(2, 3, 4, 5).to(memory_format=weft.channels_last)])
def test_chains_of_tensors_that_lie_oddly(x):
    x = x()
    made, _ = captured(chain, x, x)
    assert weft.equal(made(x, x), chain(x, x)) and made(x, x).stride() == chain(x, x).stride()


def test_chains_with_integers_halves_and_comparisons_stay_right():
    def f(x, n):
        with weft.no_grad():
            return (x * 2 + n) / 3, (x > 0) * x + (n < 2), x.half() * 2 + 1, n * 2 + n
    x, n = weft.randn(5, 70), weft.arange(70)
    made, _ = captured(f, x, n)
    for a, b in zip(made(x, n), f(x, n)):
        assert a.dtype == b.dtype and weft.equal(a, b)


def test_values_in_the_middle_of_a_chain_that_the_program_keeps():
    kept = []

    def f(x):
        with weft.no_grad():
            a = x + 1
            b = a * 2
            kept.append(b)
            return b.exp() + a
    made = weft.jit.capture(f)
    for _ in range(4):
        x = weft.randn(3, 80)
        assert weft.equal(made(x), f(x))
        assert weft.equal(kept[-2], kept[-1])


def test_what_nobody_reads_is_not_computed_but_random_numbers_are_drawn():
    def f(x):
        with weft.no_grad():
            x @ x
            weft.rand_like(x)
            return x + 1
    weft.manual_seed(0)
    x = weft.randn(4, 4)
    made, graph = captured(f, x)
    assert "matmul" not in names(graph) and "mm" not in names(graph) and len(graph.steps) == 2
    weft.manual_seed(1)
    made(x)
    after = weft.rand(1)
    weft.manual_seed(1)
    f(x)
    assert weft.equal(weft.rand(1), after)


def test_what_is_computed_twice_is_shared_but_memory_that_is_handed_out_is_not():
    def f(x):
        with weft.no_grad():
            return (x @ x).sum() + (x @ x).sum(), x.exp(), x.exp()
    x = weft.randn(4, 4)
    made, graph = captured(f, x)
    assert sum(name in ("matmul", "mm") for name in names(graph)) == 1
    _, a, b = made(x)
    a.zero_()
    assert weft.equal(b, x.exp())


def test_values_are_not_shared_across_a_write():
    state = weft.ones(3)

    def f(x):
        with weft.no_grad():
            before = (state * x).sum()
            state.add_(1)
            return before, (state * x).sum()
    made = weft.jit.capture(f)
    for n in range(1, 6):
        assert [v.item() for v in made(weft.ones(3))] == [3.0 * n, 3.0 * (n + 1)]


def test_a_graph_is_printed_counted_and_verified():
    made, graph = captured(lambda x, w: F.linear(x, w).relu() + 1, weft.randn(2, 3), weft.randn(4, 3))
    assert "linear(in0, in1, None)" in str(graph) and "# relu, add" in str(graph) and "return" in str(graph)
    assert graph.flops() == 2 * 2 * 3 * 4 + 8 and graph.bytes() == 2 * 2 * 4 * 4
    graph.verify()
    with pytest.raises(AssertionError, match="not there yet"):
        graph.having(graph.steps[::-1]).verify()
    with pytest.raises(AssertionError, match="there already"):
        graph.having([*graph.steps, graph.steps[-1]]).verify()
    with pytest.raises(AssertionError, match="nobody makes"):
        graph.having(graph.steps[:-1]).verify()


# replay

def training(optimizer=weft.optim.Adam, **options):
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Tanh(), nn.Linear(8, 2))
    opt = optimizer(net.parameters(), lr=0.01, **options)
    calls = []

    def step(x, y):
        calls.append(1)
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        return loss, {"norm": net[0].weight.detach().norm(), "n": 3}
    return net, step, calls


@pytest.mark.parametrize("optimizer", [weft.optim.SGD, weft.optim.Adam, weft.optim.AdamW, weft.optim.RMSprop])
def test_replayed_training_is_training(optimizer):
    plain, step, _ = training(optimizer)
    net, again, calls = training(optimizer)
    again = weft.compile(again, replay=True)
    data = [(weft.randn(6, 4), weft.randn(6, 2)) for _ in range(12)]
    weft.manual_seed(5)
    expected = [step(*batch) for batch in data]
    weft.manual_seed(5)
    for batch, (loss, more) in zip(data, expected):
        found, extra = again(*batch)
        assert weft.equal(found, loss) and found.requires_grad and weft.equal(extra["norm"], more["norm"])
        assert extra["n"] == 3
    assert len(calls) < 5 and "without the function's code" in again.explain()
    for a, b in zip(plain.parameters(), net.parameters()):
        assert weft.equal(a, b) and weft.equal(a.grad, b.grad) and a._version == b._version
    with pytest.raises(RuntimeError, match="backward"):
        found.backward()


def test_replay_notices_other_arguments_modes_and_edited_modules():
    net = nn.Linear(3, 2)
    calls = []

    @weft.compile(replay=True)
    def f(x, k=1.0):
        calls.append(1)
        with weft.no_grad():
            return net(x) * k
    x = weft.randn(5, 3)
    for _ in range(6):
        assert weft.equal(f(x), net(x).detach())
    known = len(calls)
    f(x)
    assert len(calls) == known
    y = weft.randn(4, 3)
    assert weft.equal(f(y), net(y).detach()) and weft.equal(f(x, k=2.0), net(x).detach() * 2)
    assert weft.equal(f(x.double().float().t().contiguous().t()), net(x).detach()) and len(calls) == known + 3
    net.weight = nn.Parameter(weft.zeros(2, 3))
    assert EDITS.count and weft.equal(f(x), net.bias.detach().expand(5, 2))


def test_replay_tells_one_tensor_twice_from_two():
    @weft.compile(replay=True)
    def f(x, y):
        with weft.no_grad():
            return x * 2 + y
    one, two = weft.ones(3), weft.full((3,), 5.0)
    for _ in range(4):
        assert f(one, one).tolist() == [3.0] * 3
    assert f(one, two).tolist() == [7.0] * 3 and f(two, one).tolist() == [11.0] * 3 and f(two, two).tolist() == [15.0] * 3


def test_replay_notices_gradients_that_would_add_up_and_weights_of_another_type():
    net = nn.Linear(2, 1)

    @weft.compile(replay=True)
    def step(x):
        net(x).sum().backward()
    x = weft.ones(3, 2)
    for _ in range(5):
        net.zero_grad()
        step(x)
        assert net.weight.grad.tolist() == [[3.0, 3.0]]
    step(x)
    assert net.weight.grad.tolist() == [[6.0, 6.0]] and step.replayed > 0
    net.zero_grad()
    net.double()
    with pytest.raises(RuntimeError, match="dtype"):
        step(x)


def test_replay_refuses_what_it_can_not_know():
    @weft.compile(replay=True)
    def reads(x):
        with weft.no_grad():
            return x + 1 if x.sum().item() > 0 else x - 1
    for k in (1.0, 1.0, 1.0, -1.0, 1.0):
        assert reads(weft.full((3,), k)).tolist() == [k + np.sign(k)] * 3
    assert "not replayed: a value is read" in reads.explain()

    @weft.compile(replay=True)
    def writes(x):
        with weft.no_grad():
            total = weft.zeros(3)
            total += x
            return total * 2
    for _ in range(6):
        assert writes(weft.ones(3)).tolist() == [2.0] * 3


def test_replayed_views_inputs_and_nested_results():
    @weft.compile(replay=True)
    def f(pair, scale):
        with weft.no_grad():
            h = pair["a"] * scale
            return [h.view(2, 3), (pair["a"], h.sum())], None
    for k in range(6):
        a = weft.arange(6.0) + k
        (view, (same, total)), nothing = f({"a": a}, 2.0)
        assert view.tolist() == (a * 2).view(2, 3).tolist() and same is a and total == (a * 2).sum() and nothing is None


# when it doesn't pay

def test_the_gauge_compares_the_best_times():
    gauge = Gauge()
    gauge.followed, gauge.plain = [5.0, 1.04], [1.0, 3.0]
    assert gauge.verdict() is None
    gauge.followed = [1.2]
    assert "doesn't pay: 1200000 us a call, 1000000 us as it is" in gauge.verdict()


def test_the_making_of_plans_was_counted_as_the_time_of_calls():
    made = Capture(lambda x: (x * 2).exp(), measure=True)
    with weft.no_grad():
        for n in (2, 3, 4, 5):
            made(weft.ones(n)), made(weft.ones(n))
        gauge = made.gauges[GRAD_OFF]
        assert not gauge.followed and not gauge.plain and made.n_planned == 4
        made(weft.ones(2))
        assert len(gauge.followed) == 1


def test_a_function_that_is_slower_captured_runs_as_it_is():
    made = Capture(lambda x: x * 2, measure=True)
    made.gauges[0].followed, made.gauges[0].plain = [10.0] * 5, [1e-9] * (Gauge.TIMES - 1)
    x = weft.ones(3)
    for _ in range(3):
        assert made(x).tolist() == [2.0] * 3
    assert "turned off with gradients: it doesn't pay" in made.explain() and made.calls == 1


def test_a_hundred_lengths_give_a_handful_of_captures_and_when_they_come_again_some_more_and_one_warning():
    made = Capture(lambda x: (x * 2).sum())
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for turn in range(2):
            for n in range(1, 101):
                with weft.no_grad():
                    assert made(weft.ones(n)).item() == 2 * n
            if turn == 0:
                assert not seen and made.variants == AT_ONCE and "1 path of 2 ops" in made.explain()
    assert len(seen) == 1 and "1 different ways" in str(seen[0].message)
    assert "too many paths" in made.explain() and f"the same ops for {VARIANTS} other sizes" in made.explain()


def test_a_size_that_comes_again_is_captured_and_branches_are_counted_once_for_all_sizes():
    made = Capture(lambda x, flip: (x * 2).exp() if flip else (x * 2).sin())
    for turn in range(8):
        for n in (8, 7, 3):
            for flip in (False, True):
                with weft.no_grad():
                    x = weft.ones(n, 2)
                    assert weft.equal(made(x, flip), (x * 2).exp() if flip else (x * 2).sin())
        if turn == 3:
            before = dict(made.breaks)
    assert made.breaks == before and len(made.structures) == 2 and made.variants == 4
    assert "2 paths of 2, 2 ops" in made.explain() and "the same ops for 4 other sizes" in made.explain()


def test_a_size_that_is_not_used_any_more_makes_room(monkeypatch):
    monkeypatch.setattr("weft.jit.captured.STALE", 120)
    made = Capture(lambda x: (x * 2).sum())

    def is_left_alone(n, times=1):
        made.breaks.clear()
        with weft.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(times):
                assert made(weft.ones(n)).item() == 2 * n
        return "too many paths" in made.breaks
    known = [n for n in range(1, 40) if not is_left_alone(n, 2)]
    assert made.variants == VARIANTS == len(known) - 1 and made.given_up == 0
    assert is_left_alone(100, 2) and not is_left_alone(known[0], 130)       # all of them were used lately; now one is
    assert not is_left_alone(100, 3) and made.given_up == 1
    assert made.variants == VARIANTS and len(made.plans()) <= VARIANTS + 1 and "1 not used for 120 calls" in made.explain()
    for n in range(101, 101 + VARIANTS - 1):
        assert not is_left_alone(n, 3)
    assert made.given_up == VARIANTS == made.variants and len(made.plans()) <= VARIANTS + 1
    for n in (known[0], 110):
        assert not is_left_alone(n) and not made.breaks         # both are there
    assert is_left_alone(200, 2) and made.given_up == VARIANTS


def test_explain_counts_plans_and_what_they_hold():
    made = Capture(lambda x: x * weft.ones(1).expand(3).exp() if x.requires_grad else x * 2)
    assert made(weft.ones(3)).tolist() == [2.0] * 3 and "plan" not in made.explain()
    made(weft.ones(3))
    assert made.explain() == f"{made.__name__}: 2 calls, 1 path of 1 op, 1 plan of 1 step"
    w = weft.ones(3, requires_grad=True)
    for _ in range(3):
        made(w).sum().backward()
    assert re.search(r"3 plans of \d+ steps", made.explain()), made.explain()      # two of them forward, one backward


def test_a_counter_that_is_a_constant_is_not_recorded_each_time():
    made = Capture(lambda x, i: (x * i).exp())
    for i in range(50):
        assert made(weft.zeros(2), i).tolist() == [1.0, 1.0]
    assert made.variants == AT_ONCE and len(made.root.children) == AT_ONCE + 1


# modules

def test_a_compiled_module_is_the_module():
    net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    expected = copy.deepcopy(net)
    assert weft.compile(net) is net and list(net.state_dict()) == list(expected.state_dict())
    x = weft.randn(5, 4)
    with weft.no_grad():
        for _ in range(12):
            assert weft.equal(net(x), expected(x))
    net(x).sum().backward()
    expected(x).sum().backward()
    assert weft.equal(net[0].weight.grad, expected[0].weight.grad)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other._compiled_call_impl is None and weft.equal(other(x), net(x))
    file = io.BytesIO()
    weft.save(net.state_dict(), file)
    file.seek(0)
    expected.load_state_dict(weft.load(file))
    seen = []
    net.register_forward_hook(lambda module, args, result: seen.append(1))
    with weft.no_grad():
        net(x)
    assert seen == [1]


def test_methods_are_compiled_each_for_its_object():
    class Model:
        def __init__(self, k):
            self.k = k

        @weft.compile
        def double(self, x):
            with weft.no_grad():
                return x * self.k
    one, two = Model(2.0), Model(3.0)
    for _ in range(8):
        assert one.double(weft.ones(1)).item() == 2.0 and two.double(weft.ones(1)).item() == 3.0


def test_layers_of_a_function_call_it_with_their_settings():
    x = weft.randn(3, 4)
    leaky = nn.LeakyReLU(0.5)
    assert weft.equal(leaky(x), F.leaky_relu(x, 0.5))
    leaky.negative_slope = 0.1
    assert weft.equal(leaky(x), F.leaky_relu(x, 0.1))
    y = x.clone()
    assert nn.ReLU(inplace=True)(y) is y and weft.equal(y, x.relu())
    drop = nn.Dropout(0.5)
    assert not weft.equal(drop(weft.ones(100)), weft.ones(100)) and weft.equal(drop.eval()(x), x)
    assert "forward" in nn.ReLU.forward.__qualname__


def test_attributes_of_modules_are_found_in_the_order_of_python():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(weft.ones(1))
            self.register_buffer("mean", weft.zeros(1))

        @property
        def broken(self):
            return self.nothing

    class Own(Net):
        def __getattr__(self, name):
            return 7 if name == "nothing" else super().__getattr__(name)
    net, own = Net(), Own()
    assert net.weight is net._parameters["weight"] and net.mean is net._buffers["mean"]
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nothing'"):
        net.nothing
    with pytest.raises(AttributeError):
        net.broken
    assert own.nothing == 7 and own.broken == 7 and own.weight is own._parameters["weight"]
    object.__setattr__(net, "weight", 3)
    assert net.weight == 3
    Net.__getattr__ = lambda self, name: 5
    assert net.anything == 5 and not hasattr(nn.Linear(1, 1), "anything")


def test_what_has_no_name_can_be_captured_and_explained():
    class Doubled:
        def __call__(self, x):
            return x * 2
    for function, name in ((functools.partial(weft.add, other=1), "add"), (Doubled(), "Doubled")):
        captured = weft.compile(function)
        for _ in range(4):
            captured(weft.ones(2))
        assert captured.explain().startswith(f"{name}: 4 calls")


def test_a_detached_result_is_replayed():
    w = weft.ones(3, requires_grad=True)

    @weft.compile(replay=True)
    def step(x):
        w.grad = None
        loss = (w * x).sum()
        loss.backward()
        return loss.detach(), [x.detach() * 2, (w.detach() + x).detach()]
    for k in range(5):
        loss, (double, more) = step(weft.full((3,), float(k)))
        assert loss.item() == 3 * k and not loss.requires_grad and loss.grad_fn is None
        assert double.tolist() == [2 * k] * 3 and more.tolist() == [k + 1] * 3 and w.grad.tolist() == [k] * 3
    assert step.replayed == 3


# as PyTorch's programs call it

def test_a_compiled_module_has_the_module_that_pytorch_wraps():
    net = weft.compile(nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5)))
    bare = net._orig_mod
    while hasattr(bare, "_orig_mod"):           # as packages unwrap a model
        bare = bare._orig_mod
    assert type(bare) is nn.Sequential and bare is not net and bare[0] is net[0] and not hasattr(nn.ReLU(), "_orig_mod")
    assert list(bare.state_dict()) == list(net.state_dict()) == ["0.weight", "0.bias"]
    assert not net.eval()._orig_mod.training and bare._compiled_call_impl is None
    assert weft.equal(net(weft.ones(1, 2)), net._orig_mod(weft.ones(1, 2)))


@pytest.mark.parametrize("compiled", [True, False])
def test_the_keys_of_models_that_pytorch_compiled_load(compiled):
    def model():
        return nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2), nn.ReLU()))
    state = model().state_dict()
    keys = {"0.weight": "_orig_mod.0._orig_mod.weight", "0.bias": "_orig_mod.0._orig_mod.bias"}
    written = {keys.get(key, "_orig_mod." + key.replace("1.0.", "1._orig_mod.0.")): value
               for key, value in state.items()}
    assert not set(written) & set(state)
    net = weft.compile(model()) if compiled else model()
    assert str(net.load_state_dict(written)) == "<All keys matched successfully>"
    assert all(weft.equal(net.state_dict()[key], value) for key, value in state.items())
    with pytest.raises(RuntimeError, match="_orig_mod.0.weight"):       # unless there is a layer of that name
        nn.ModuleDict({"_orig_mod": nn.ModuleDict({"1": nn.Linear(2, 2)})}).load_state_dict(written)


def test_a_mode_that_there_is_not_and_a_backend_of_ones_own_are_told():
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast, should be one of: default"):
        weft.compile(len, mode="fast")
    with pytest.warns(UserWarning, match="the backend mine is not called"):
        def mine(module, inputs):
            raise AssertionError("called")
        twice = weft.compile(lambda x: x * 2, backend=mine)
    assert twice(weft.ones(1)).item() == 2
    assert "inductor" in weft.compiler.list_backends() and weft._dynamo.is_dynamo_supported()


def test_a_reset_lets_functions_forget_but_not_those_that_run():
    inside = []

    @weft.jit.capture
    def running(x):
        y = x * 2
        if not inside:
            weft.compiler.reset()
            inside.append(1)
        return y + 1
    twice = weft._dynamo.optimize("inductor")(lambda x: x * 2)
    for _ in range(3):
        twice(weft.ones(1))
    running(weft.ones(1))
    assert twice.calls == 0 and not twice.root.children and running.calls == 1 and running.root.children
    twice.off[0] = "it didn't pay"
    weft._dynamo.reset()
    assert not twice.off and twice(weft.ones(1)).item() == 2 and twice.calls == 1


def test_dynamo_explains_a_call():
    w = weft.ones(3, requires_grad=True)

    def step(x):
        loss = (x * w).sum()
        loss.backward()
        x.numpy()[0] = 1
        return loss
    told = weft._dynamo.explain(step)(weft.ones(3))
    assert told.graph_count == 1 and told.op_count >= 3 and told.graph_break_count == len(told.break_reasons)
    assert "Graph Break Count" in str(told) and w.grad.tolist() == [1, 1, 1]
    assert weft._dynamo.explain(nn.ReLU())(weft.ones(1)).op_count == 1


def test_explain_names_the_lines():
    @weft.jit.capture
    def step(x, i):
        y = x * 2
        if i % 2:
            y = y.exp()                 # parts
        y[0] = i                        # breaks
        return y
    for i in range(6):
        step(weft.ones(3 if i < 4 else 4), i)
    text = step.explain()
    assert re.search(r"they part\n +in test_compile.py:\d+: y = y.exp\(\) +# parts", text), text
    assert re.search(r"other sizes? or constants\n +in test_compile.py:\d+: y = x \* 2", text), text
    assert re.search(r"as it is: [^\n]*written to in place\n +in test_compile.py:\d+: y\[0\] = i", text), text


def test_explain_names_a_module_and_calls_inside_of_others():
    net = weft.compile(nn.Linear(2, 1))
    outer = weft.jit.capture(lambda x: net(x) * 2)
    for _ in range(3):
        outer(weft.ones(1, 2))
    text = net._compiled_call_impl.explain()
    assert text.startswith("Linear.forward: 0 calls") and "3 times as a part of another captured function" in text


@pytest.mark.parametrize("replay", [False, True])
def test_a_path_had_the_default_type_of_the_call_that_was_recorded(replay):
    """Inside a captured function `(int / int).dtype` was the type that was the default once."""
    seen = []

    @weft.jit.capture
    def inside(a):
        b = a / 2
        seen.append(b.dtype)
        weft.set_default_dtype(weft.float64)
        c = a / 2
        weft.set_default_dtype(weft.float32)
        return b + c

    def halves(a):
        b = a / 2
        return b.to(b.dtype) * 3, b.mean()
    captured = weft.jit.capture(halves, replay=replay)
    a = weft.arange(6)
    try:
        for kind in (weft.float32, weft.float64, weft.float32, weft.float64):
            weft.set_default_dtype(kind)
            for _ in range(4):
                for found, expected in zip(captured(a), halves(a), strict=True):
                    assert found.dtype == expected.dtype == kind and weft.equal(found, expected)
        weft.set_default_dtype(weft.float32)
        for _ in range(4):
            assert inside(a).dtype == weft.float64 and weft.equal(inside(a), (a / 2).double() * 2)
    finally:
        weft.set_default_dtype(weft.float32)
    assert set(seen) == {weft.float32}


def test_constants_that_only_look_equal_are_not_shared():
    def f(x):
        return 1 / (x * 0.0) - 1 / (x * -0.0), (x.long() + True).sum() / (x.long() + 1).sum(), (x ** 2 + x ** 2.0).sum()
    captured, x = weft.jit.capture(f), weft.ones(3)
    for _ in range(4):
        for a, b in zip(captured(x), f(x)):
            assert weft.equal(a, b)
    assert captured(x)[0].tolist() == [float("inf")] * 3
