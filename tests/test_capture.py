"""A captured step gives what the step itself gives, bit for bit, whatever the program does around its ops."""
import threading

import numpy as np
import pytest

import weft
from weft import nn
from weft.nn import functional as F


def pair(make, **options):
    """(the step itself, the captured step), each with a world of its own, made from one seed."""
    weft.manual_seed(0)
    plain = make()
    weft.manual_seed(0)
    return plain, weft.jit.capture(make(), **options)


def same(a, b):
    if isinstance(a, weft.Tensor):
        assert a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride()
        assert a.requires_grad == b.requires_grad
        assert np.array_equal(a.detach().numpy(), b.detach().numpy(), equal_nan=a.is_floating_point())
    elif isinstance(a, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    else:
        assert a == b or a != a and b != b


def agree(make, calls=6, arguments=lambda i: (), **options):
    """The two give the same, call by call, and leave the same random stream behind."""
    plain, captured = pair(make, **options)
    weft.manual_seed(1)
    expected = [plain(*arguments(i)) for i in range(calls)]
    drawn = weft.rand(3)
    weft.manual_seed(1)
    same(expected, [captured(*arguments(i)) for i in range(calls)])
    same(drawn, weft.rand(3))
    return captured


def training(model, optimizer, loss=F.mse_loss, x=(8, 4), y=(8, 2), **options):
    def make():
        net = model()
        opt = optimizer(net.parameters(), **options)
        inputs, targets = weft.randn(*x), weft.randn(*y)

        def step():
            opt.zero_grad()
            value = loss(net(inputs), targets)
            value.backward()
            opt.step()
            return [value, *[p.detach().clone() for p in net.parameters()], *[b.clone() for b in net.buffers()]]
        return step
    return make


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


MODELS = {
    "mlp": mlp,
    "dropout": lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.GELU(), nn.Linear(8, 2)),
    "batch norm": lambda: nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2)),
    "layer norm": lambda: nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 2)),
}
OPTIMIZERS = {"sgd": (weft.optim.SGD, {"lr": 0.1}), "momentum": (weft.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
              "adam": (weft.optim.Adam, {}), "adamw": (weft.optim.AdamW, {"lr": 0.01}),
              "rmsprop": (weft.optim.RMSprop, {}), "adagrad": (weft.optim.Adagrad, {})}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_steps_end_with_the_very_same_weights(model, optimizer):
    kind, options = OPTIMIZERS[optimizer]
    captured = agree(training(MODELS[model], kind, **options))
    assert not captured.breaks, captured.explain()


def test_a_convolutional_net():
    def model():
        return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                             nn.Linear(36, 5))
    assert not agree(training(model, weft.optim.Adam, x=(2, 1, 8, 8), y=(2, 5))).breaks


def test_a_transformer_layer():
    def model():
        return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    agree(training(model, weft.optim.AdamW, x=(2, 5, 8), y=(2, 5, 8)))


def test_a_recurrent_cell_in_a_loop():
    def make():         # longer loops become a layer, whose sums are in another order: test_capture_passes.py
        cell, opt = nn.LSTMCell(3, 4), None
        opt = weft.optim.SGD(cell.parameters(), lr=0.1)
        xs = weft.randn(3, 2, 3)

        def step():
            opt.zero_grad()
            h = c = weft.zeros(2, 4)
            for x in xs:
                h, c = cell(x, (h, c))
            loss = h.square().sum()
            loss.backward()
            opt.step()
            return loss, [p.detach().clone() for p in cell.parameters()]
        return step
    assert not agree(make).breaks


def test_tied_weights_and_several_outputs():
    def make():
        table = nn.Embedding(7, 4)
        opt = weft.optim.Adam(table.parameters())
        words = weft.tensor([[1, 2, 3], [3, 4, 6]])

        def step():
            opt.zero_grad()
            scores = table(words).mean(1) @ table.weight.t()
            loss = F.cross_entropy(scores, words[:, 0])
            loss.backward()
            opt.step()
            return {"loss": loss, "scores": scores.detach(), "top": scores.topk(2)[1],
                    "weight": table.weight.detach().clone()}
        return step
    agree(make)


# what the program does around its ops

def test_branches_on_python_state_are_taken():
    def make():
        count = [0]

        def step(x):
            count[0] += 1
            return x * 2 if count[0] % 3 else x - 1
        return step
    captured = agree(make, 12, lambda i: (weft.ones(3),))
    assert "2 paths" in captured.explain()


def test_a_branch_on_a_value_is_taken_anew_each_time():
    def make():
        def step(x):
            y = x * 2
            return y + 1 if y.sum().item() > 0 else y - 1
        return step
    agree(make, 9, lambda i: (weft.full((3,), float((-1) ** (i // 2))),))


def test_constants_that_change_are_the_new_ones():
    def make():
        def step(x, k, name):
            return x * k, x.sum(0 if name == "rows" else 1)
        return step
    agree(make, 9, lambda i: (weft.ones(2, 3), i * 0.5, ("rows", "columns")[i % 2]))


@pytest.mark.parametrize("k", [0.0, -0.0, float("nan"), float("inf"), 1, True])
def test_constants_that_only_look_equal_are_told_apart(k):
    def make():
        return lambda x, k: 1 / (x * k)
    with np.errstate(all="ignore"):
        agree(make, 6, lambda i: (weft.ones(2), (1.0, 0.0, k)[i % 3]))


def test_new_shapes_types_and_strides_are_new_paths():
    inputs = [weft.ones(2, 3), weft.ones(4, 3), weft.ones(3, 2).t(), weft.ones(2, 3, dtype=weft.float64),
              weft.ones(2, 3).int()]

    def make():
        return lambda x: (x * 2).sum(0)
    agree(make, 10, lambda i: (inputs[i % 5],))


def test_the_same_tensor_twice_is_not_two_tensors():
    x, y = weft.ones(3, requires_grad=True), weft.ones(3, requires_grad=True)

    def make():
        def step(a, b):
            a.grad = b.grad = None
            loss = (a * b * b).sum()
            loss.backward()
            return a.grad.clone(), b.grad.clone()
        return step
    agree(make, 6, lambda i: ((x, y), (x, x))[i % 2])


def test_a_learning_rate_that_changes_is_no_new_path():
    def make():
        net = mlp()
        opt = weft.optim.SGD(net.parameters(), lr=0.1)
        sched = weft.optim.lr_scheduler.ExponentialLR(opt, 0.9)
        x = weft.ones(2, 4)

        def step():
            opt.zero_grad()
            loss = net(x).sum()
            loss.backward()
            opt.step()
            sched.step()
            return loss, net[0].weight.detach().clone()
        return step
    assert "1 path " in agree(make).explain()


def test_side_effects_happen_every_time():
    seen = []

    @weft.jit.capture
    def step(x):
        y = x + 1
        seen.append(y)
        return y
    for i in range(4):
        step(weft.full((2,), float(i)))
    assert [t.tolist() for t in seen] == [[1, 1], [2, 2], [3, 3], [4, 4]]


def test_what_is_kept_is_not_overwritten_by_the_next_call():
    x = weft.ones(2, requires_grad=True)

    @weft.jit.capture
    def step(k):
        x.grad = None
        (x * k).sum().backward()
        return x.grad
    kept = [step(weft.tensor(float(k))) for k in range(5)]
    assert [g.tolist() for g in kept] == [[k, k] for k in range(5)]


def test_printing_reading_and_numpy_in_the_middle():
    def make():
        def step(x):
            y = x * 2
            text = f"{y} {y[0]:.1f}"
            a = y.numpy()
            a[0] = 7.0
            return y + 1, text, y.tolist()
        return step
    agree(make, 5, lambda i: (weft.full((2,), float(i)),))


def test_numpy_memory_that_changes_before_the_step_ends():
    def make():
        a = np.ones(3, np.float32)
        x = weft.from_numpy(a)

        def step(k):
            a[:] = k
            y = x * 2
            a[:] = 100
            return y
        return step
    agree(make, 5, float_arguments)


def float_arguments(i):
    return (float(i),)


def test_a_tensor_whose_numpy_array_lives_on():
    def make():
        p = weft.ones(2, requires_grad=True)
        shown = p.detach().numpy()

        def step(k):
            p.grad = None
            loss = (p * k).sum()
            shown[0] = k
            loss.backward()
            return loss.detach(), p.grad.clone(), p.detach().clone()
        return step
    agree(make, 5, lambda i: (weft.tensor(float(i)),))


def test_a_storage_that_is_written_to():
    def make():
        x = weft.ones(3)

        def step(k):
            y = x * 2
            x.untyped_storage()[3] = 64 + k        # the first number's highest byte
            return y, x.clone()
        return step
    agree(make, 5, lambda i: (i,))


def test_a_backward_that_is_refused():
    def make():
        w = weft.ones(3, requires_grad=True)

        def step(kind):
            y = {"vector": w * 2, "detached": (w * 2).sum().detach(), "complex": (w * 2j).sum()}[kind]
            try:
                y.backward()
            except RuntimeError as error:
                return str(error).split("\n")[0], w.grad
        return step
    agree(make, 9, lambda i: (("vector", "detached", "complex")[i // 3],))


def test_writes_in_place_views_and_index_assignment():
    def make():
        state = weft.zeros(4)

        def step(x):
            y = x + 1
            state.add_(y)
            view = y[1:3]
            view.mul_(10)
            y[0] = -1
            z = y.relu_()
            return z, state.clone(), view
        return step
    agree(make, 5, lambda i: (weft.full((4,), float(i)),))


def test_data_that_is_replaced_and_flags_that_change():
    def make():
        p = weft.ones(2, requires_grad=True)

        def step(i):
            y = p * 2
            p.data = weft.full((2,), float(i))
            p.requires_grad_(i % 2 == 0)
            z = p * 3
            return y.detach(), z.requires_grad, z.detach()
        return step
    agree(make, 6, lambda i: (i,))


def test_random_numbers_and_seeds_in_the_middle():
    def make():
        def step(i):
            a = F.dropout(weft.ones(8), 0.5)
            if i % 2:
                weft.manual_seed(i)
            b = weft.rand(3)
            state = weft.get_rng_state()
            c = weft.randn(2)
            return a, b, state.sum(), c
        return step
    agree(make, 6, lambda i: (i,))


def test_hooks_and_the_graph_itself():
    def make():
        w = weft.ones(3, requires_grad=True)
        calls = []

        def step(x):
            w.grad = None
            y = w * x
            y.register_hook(lambda g: calls.append(g.sum().item()) or g * 2)
            name = y.grad_fn.name()
            y.sum().backward()
            return w.grad.clone(), list(calls), name
        return step
    agree(make, 5, lambda i: (weft.full((3,), float(i)),))


def test_hooks_on_leaves_that_come_later():
    def make():
        w = weft.ones(3, requires_grad=True)

        def step(i):
            if i == 3:
                w.register_hook(lambda g: g * 10)
            w.grad = None
            (w * 2).sum().backward()
            return w.grad.clone()
        return step
    agree(make, 6, lambda i: (i,))


def test_gradients_that_accumulate():
    def make():
        w = weft.ones(3, requires_grad=True)

        def step(x):
            (w * x).sum().backward()
            return w.grad.clone()
        return step
    agree(make, 5, lambda i: (weft.full((3,), float(i)),))


def test_a_graph_that_leaves_the_function():
    w = weft.ones(3, requires_grad=True)

    @weft.jit.capture
    def forward(x):
        return (w * x).sum()
    for i in range(4):
        w.grad = None
        forward(weft.full((3,), float(i))).backward()
        assert w.grad.tolist() == [i] * 3


def test_a_second_backward_is_refused_as_always():
    w = weft.ones(3, requires_grad=True)

    @weft.jit.capture
    def step():
        w.grad = None
        loss = (w * w).sum()
        loss.backward()
        return loss
    for _ in range(4):
        loss = step()
        assert loss.requires_grad and loss.grad_fn.name() == "SumBackward0"
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()


def test_detach_inside():
    def make():
        w = weft.ones(3, requires_grad=True)

        def step(x, cut):
            w.grad = None
            y = w * x
            z = (y.detach() if cut else y) * w
            z.sum().backward()
            return w.grad.clone(), y.detach()
        return step
    agree(make, 8, lambda i: (weft.full((3,), i + 1.0), i % 4 == 1))


def test_custom_functions():
    class Double(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def make():
        w = weft.ones(3, requires_grad=True)

        def step(x):
            w.grad = None
            Double.apply(w * x).sum().backward()
            return w.grad.clone()
        return step
    captured = agree(make, 5, lambda i: (weft.full((3,), float(i)),))
    assert "a custom Function" in captured.explain()


def test_errors_leave_all_as_it_would_be():
    def make():
        w = weft.ones(3, requires_grad=True)
        done = []

        def step(x):
            y = w.detach() * x
            done.append(y)
            if x[0] > 2:
                raise ValueError("too much")
            return y
        def guarded(x):
            try:
                return step(x), len(done)
            except ValueError as error:
                return str(error), done[-1]
        return guarded
    agree(make, 6, lambda i: (weft.full((3,), float(i)),))


def test_an_op_that_fails_names_its_line():
    table = weft.ones(3, 2)

    @weft.jit.capture
    def look(i):
        rows = table.index_select(0, i)     # this line
        return rows * 2
    for _ in range(3):
        look(weft.tensor([1]))
    with pytest.raises((IndexError, RuntimeError), match="this line"):
        look(weft.tensor([5]))
    assert look(weft.tensor([2])).tolist() == [[2, 2]]


def test_modes_are_part_of_the_path():
    w = weft.ones(2, requires_grad=True)

    @weft.jit.capture
    def double(x):
        return w * x
    for i in range(6):
        with weft.set_grad_enabled(i % 2 == 0):
            assert double(weft.ones(2)).requires_grad == (i % 2 == 0)
    with weft.inference_mode():
        for _ in range(3):
            assert double(weft.ones(2)).is_inference()


def test_training_and_eval():
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.BatchNorm1d(3))
    captured = weft.jit.capture(lambda x: net(x))
    x = weft.randn(4, 3)
    for i in range(6):
        net.train(i % 2 == 0)
        with weft.no_grad():
            weft.manual_seed(i)
            expected, before = None, {k: v.clone() for k, v in net.state_dict().items()}
            expected = net(x)
            net.load_state_dict(before)
            weft.manual_seed(i)
            same(expected, captured(x))


def test_threads_and_recursion():
    @weft.jit.capture
    def deep(x, n):
        return x + 1 if n == 0 else deep(x * 2, n - 1)
    results = []
    work = [threading.Thread(target=lambda: results.append([deep(weft.ones(2), 3).tolist() for _ in range(50)]))
            for _ in range(4)]
    for t in work:
        t.start()
    for t in work:
        t.join()
    assert results == [[[9.0, 9.0]] * 50] * 4


def test_a_program_of_many_shapes_is_left_alone_after_a_while():
    @weft.jit.capture
    def total(x):
        return (x * 2).sum()
    for n in range(100):
        assert total(weft.ones(n)).item() == 2 * n
    assert "95 times as it is: sizes or constants that were seen for the first time" in total.explain()


def test_a_rule_that_makes_a_tensor_of_an_inputs_values_ends_the_path(monkeypatch):
    w = weft.ones(3, requires_grad=True)
    rule = weft.jit.capture(lambda: w.sin())().grad_fn.plan.rules[0]       # that of the general road
    monkeypatch.setattr(rule, "function", lambda g, x: g * weft.from_numpy(np.cos(x._array)))

    @weft.jit.capture
    def step():
        w.grad = None
        w.sin().sum().backward()
        return w.grad.clone()
    for i in range(4):
        with weft.no_grad():
            w.fill_(i)
        assert np.allclose(step().numpy(), np.cos(i))
    assert "may depend on values" in step.explain() or "looks at values" in step.explain()


def test_views_of_views_that_leave_share_one_memory():
    @weft.jit.capture
    def views(x):
        whole = x * 2
        part = whole[1:]
        return part, part.view(-1)
    for _ in range(4):
        part, flat = views(weft.ones(3, 2))
        part.add_(1)
        assert flat._version == part._version == 1 and flat.tolist() == [3.0] * 4


def test_methods_and_wrapped_names():
    class Net:
        k = 3

        @weft.jit.capture
        def run(self, x):
            """Times k."""
            return x * self.k
    net = Net()
    for k in (3, 3, 4, 3):
        net.k = k
        assert net.run(weft.ones(1)).item() == k
    assert Net.run.__doc__ == "Times k." and Net.run.__name__ == "run"
    with pytest.raises(TypeError, match="takes a function"):
        weft.jit.capture(3)


# generated programs

OPS = ["x = x * y", "y = x + 1", "x = x.relu()", "y = y.t().contiguous() if y.shape[0] == y.shape[1] else y",
       "x = x @ w", "y = x.sum(1, keepdim=True) + y", "x = x.view(-1).view(x.shape)", "y = y.detach() + x",
       "x = x / (1 + y.abs())", "y = y if y.sum().item() > 0 else -y", "x = weft.cat([x, y])[:x.shape[0]]",
       "x = x.sigmoid()", "y = y.clone(); y.mul_(2)", "y = weft.where(x > 0, x, y)", "x = x[0] + y",
       "y = x.softmax(-1)", "x = weft.dropout(x, 0.3, True)", "out.append(float(y.mean()))", "out.append(x)",
       "x = x.to(x.dtype)", "y = y.expand_as(x).clone()", "z = x[1:]; y = y + z.sum()"]


@pytest.mark.parametrize("seed", range(60))
def test_generated_programs(seed):
    rng = np.random.default_rng(seed)
    lines = [OPS[i] for i in rng.integers(len(OPS), size=rng.integers(3, 12))]
    flip = OPS[rng.integers(len(OPS))]
    source = ("def step(i, x):\n    out = []\n    w.grad = None\n    y = x * 0.5\n    x = x @ w\n    "
              + "\n    ".join(lines) + f"\n    if i % 3 == 2:\n        {flip}\n    loss = (x.sum() + y.sum())\n    loss.backward()\n"
              + "    return loss.detach(), w.grad.clone(), out, x.detach(), y.detach()\n")

    def make():
        scope = {"weft": weft, "w": weft.randn(3, 3, requires_grad=True)}
        exec(source, scope)
        return scope["step"]
    inputs = [weft.randn(3, 3) for _ in range(3)]
    agree(make, 7, lambda i: (i, inputs[i % 3]))


MORE = [*OPS, "x = F.layer_norm(x, (3,), g, b)", "x = F.softmax(x, 1)", "x = x + F.linear(x, w, b)", "y = y.log_softmax(0)",
        "x = x - x.mean(1, keepdim=True)", "x = weft.cat([x[1:], y[:1]])", "x = F.gelu(x) * y", "y = weft.where(x > 0, x, y)",
        "x = F.embedding(index, x)", "y = y + F.cross_entropy(x, index)", "x = x.t().contiguous()", "y = (x @ y.t()).clamp(-3, 3)",
        "x = F.dropout(x, 0.3)", "state.mul_(0.9).add_(x.detach())", "y = y + state", "x = x.reshape(1, 9).expand(2, 9).sum(0).view(3, 3)",
        "x = F.max_pool2d(x[None], 2, 1, 1)[0, :3, :3].contiguous()", "x = weft.baddbmm(y[None], x[None], x[None])[0]",
        "x = F.conv1d(x[None], w[:, :, None])[0]", "out.append(x.sum().item())"]


@pytest.mark.parametrize("block", [*range(6), *[pytest.param(k, marks=pytest.mark.slow) for k in range(6, 30)]])
def test_many_generated_programs(block):
    """Steps of more ops, with an optimizer, state, draws and a branch; each as it is, captured, and within a budget.
    All that a call gave is compared at the end: a later call must not have written over it.
    """
    for seed in range(100 * block, 100 * block + 100):
        rng = np.random.default_rng([7, seed])
        lines = [MORE[i] for i in rng.integers(len(MORE), size=rng.integers(4, 16))]
        flip = MORE[rng.integers(len(MORE))]
        optimizer = ["SGD([w, g, b], 0.01, momentum=0.9)", "Adam([w, g, b])", "AdamW([w, g, b])", "Adadelta([w, g, b])"][seed % 4]
        source = ("def step(i, x):\n    out = []\n    opt.zero_grad()\n    y = x * 0.5\n    x = F.linear(x, w, b) * g\n    "
                  + "\n    ".join(lines) + f"\n    if i % 3 == 2:\n        {flip}\n    loss = x.square().mean() + y.sigmoid().mean()\n"
                  + "    loss.backward()\n    opt.step()\n"
                  + "    return loss.detach(), w.detach().clone(), b.grad, out, x.detach(), y.detach(), state.clone()\n")

        def make(source=source, optimizer=optimizer):
            scope = {"weft": weft, "F": F, "w": weft.randn(3, 3, requires_grad=True), "g": weft.ones(3, requires_grad=True),
                     "b": weft.zeros(3, requires_grad=True), "index": weft.tensor([2, 0, 1]), "state": weft.zeros(3, 3)}
            scope["opt"] = eval("weft.optim." + optimizer, scope)
            exec(source, scope)
            return scope["step"]
        inputs = [weft.randn(3, 3) for _ in range(3)]
        agree(make, 7, lambda i, inputs=inputs: (i, inputs[i % 3]), memory_budget=[None, 0][seed % 2])
