"""What runs in chains: masks, clamps, dropout, reductions at their end, norms in evaluation. Captured is eager, to the bit."""
import numpy as np
import pytest

import weft
from weft import nn
from weft.jit.kinds import FUSED
from weft.kernels import fast
from weft.nn import functional as F

compiled = pytest.mark.skipif(fast.lib is None, reason="no kernels are called here")


@pytest.fixture(params=[1, 2], autouse=True)
def threads(request):
    before = weft.get_num_threads()
    weft.set_num_threads(request.param)
    yield
    weft.set_num_threads(before)


def chains(captured):
    """[the names of the ops in each chain] of a captured function's last graph."""
    return [[part.op.name for part in step.parts] for step in captured.plans()[-1].graph.steps if step.kind == FUSED]


def same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride()
    a, b = a.detach().clone().numpy(), b.detach().clone().numpy()
    known = a == a          # a NaN has a sign, but that is no value
    assert np.array_equal(a, b, equal_nan=True) and (a.dtype.kind != "f" or np.array_equal(np.signbit(a[known]), np.signbit(b[known])))


def special(shape, dtype=weft.float32, seed=0):
    """Random numbers, and the odd ones: infinities, NaN, zeros of both signs, numbers that are equal."""
    weft.manual_seed(seed)
    x = weft.randn(shape, dtype=dtype)
    flat = x.view(-1)
    for i, v in enumerate((0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5)):
        flat[i % max(1, flat.numel())::37] = v
    return x


def both_ways(function, inputs, calls=4):
    """Compare a function's values and gradients with those of its captured form; gives that."""
    captured = weft.jit.capture(lambda *given: function(*given))
    for with_grad in (False, True):
        for _ in range(calls):
            if not with_grad:
                with weft.no_grad():
                    same(function(*inputs), captured(*inputs))
                continue
            grads = []
            for run in (function, trained(function, captured)):
                leaves = [x.detach().clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
                made = run(*leaves)
                if run is function and made.requires_grad:
                    made.float().sum().backward()
                grads.append([made, *[x.grad for x in leaves if x.is_floating_point()]])
            for a, b in zip(*grads, strict=True):
                assert (a is None) == (b is None)
                if a is not None:
                    same(a, b)
    return captured


STEPS = {}


def trained(function, captured):
    """A captured step: forward and backward."""
    if captured not in STEPS:
        def step(*leaves):
            made = function(*leaves)
            if made.requires_grad:
                made.float().sum().backward()
            return made.detach()
        STEPS[captured] = weft.jit.capture(step)
    return STEPS[captured]


EXPRESSIONS = {
    "weft.where(x > 0, x, 0.1 * x) + y": {"gt", "mul", "_where_same", "add"},
    "weft.where(y < x, x * y, 0.0) * 2": {"lt", "mul", "_where"},
    "(x * y).masked_fill(x < -1, 0.0) + y": {"mul", "lt", "_masked_fill", "add"},
    "(x * y).masked_fill(y == 1, float('-inf')).exp()": {"mul", "eq", "_masked_fill", "exp"},
    "(x + y).clamp(-1, 1) * y": {"add", "clamp", "mul"},
    "(x * 2).clamp(0.5, -0.5) + y": {"mul", "clamp", "add"},
    "weft.min(x * y, y.clamp(-0.5, 0.5) * x)": {"mul", "clamp", "minimum"},
    "(1 - x) * y": {"rsub", "mul"},
    "F.leaky_relu(x * y, 0.2) + y": {"_leaky_relu", "mul", "add"},
    "F.relu6(x * y) + F.hardtanh(y)": {"_hardtanh", "mul", "add"},
    "(2.5 - x * y).exp()": {"rsub", "mul", "exp"},
    "((x > y) & (x < 1)).to(x.dtype) * y": {"gt", "lt", "bitwise_and", "_cast", "mul"},
    "weft.where((x > y).logical_or(~(x >= 0)), y, x).tanh()": {"gt", "ge", "bitwise_not", "logical_or", "_where_same", "tanh"},
    "(x > 0).logical_and(y > 0).logical_not().to(x.dtype) + x * y": {"gt", "logical_and", "logical_not", "_cast", "add", "mul"},
}
SHAPES = [((5,), (5,)), ((1,), (1,)), ((130,), (1,)), ((3, 70), (70,)), ((4, 5, 66), (5, 1)), ((2, 1500), (2, 1)), ((0, 3), (3,)), ((), ()),
          ((40, 3), (40, 3))]


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64])
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_masks_and_bounds_run_in_chains(text, dtype):
    function = eval(f"lambda x, y: {text}", {"weft": weft, "F": F})
    for shapes in SHAPES:
        captured = both_ways(function, [special(shape, dtype, i) for i, shape in enumerate(shapes)])
        if shapes[0] == shapes[1]:
            inside = set().union(*chains(captured))
            assert inside >= EXPRESSIONS[text]


@pytest.mark.parametrize("text", ["x.t()[:70, :70] * 2 + y", "x[::2, 1:71] * y[:1] + 1", "weft.where(x[:70, :70] > 0, y, 1.0) - x[:70, :70].t()",
                                  "x[:70, 3:73].exp() * y[:, :1] + y[1]", "x.expand(3, 80, 80)[:, :70, :70] * y + y.unsqueeze(0)[:, :, 5:6]",
                                  "x[:70, :70].chunk(2, 1)[1].sigmoid() * y.chunk(2, 1)[0] + 1", "x.flip(0)[:70, :70] * y - 1"])
def test_inputs_of_chains_lie_anywhere(text):
    both_ways(eval(f"lambda x, y: {text}", {"weft": weft}), [special((80, 80)), special((70, 70), seed=1)])


@compiled
def test_gates_that_are_parts_of_one_product_are_read_as_they_lie():
    weft.manual_seed(0)
    x, w = weft.randn(16, 64), weft.randn(64, 256)

    def step(x, w):
        i, f, g, o = (x @ w).chunk(4, 1)
        c = f.sigmoid() * x + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh()
    captured = both_ways(step, [x, w])
    assert len(chains(captured)) == 1


FOLDS = {"(x - y).square().mean()": "mean", "(x * y).sum(-1)": "sum", "(x - y).exp().sum(0)": "sum", "(x * y + 1).mean((0, 2), True)": "mean",
         "(x * y).sum(1)": "sum", "(x - y).abs().amax(-1, keepdim=True)": "amax", "(x * y).amin()": "amin", "(x - y).square().sum(dim=[])": "sum",
         "weft.where(x > y, x, y).mean(-1)": "mean", "(x * 2).sum(-2, True) + y": "sum", "(x - y).pow(2).mean(-1, keepdim=True).sqrt() * y": "mean",
         "(x * y).sum((0, 1))": "sum", "(x * y).mean(-1).mean()": "mean"}


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64])
@pytest.mark.parametrize("text", FOLDS)
def test_reductions_are_the_ends_of_chains(text, dtype):
    function = eval(f"lambda x, y: {text}", {"weft": weft})
    folded = 0
    for shape in [(2, 3, 65), (1, 1, 1), (7, 5, 130), (3, 40, 64), (2, 300, 1000), (65, 2, 3), (4, 1, 70)]:
        captured = both_ways(function, [special(shape, dtype), special(shape, dtype, 1)], 3)
        folded += any([FOLDS[text] == names[-1] and step.fold for names, step in
                       zip(chains(captured), [s for s in captured.plans()[-1].graph.steps if s.kind == FUSED])])
    assert folded == 7


def test_what_is_read_elsewhere_is_no_end_of_a_chain():
    def step(x):
        e = (x - 1).exp()
        return e / e.sum(-1, keepdim=True)
    captured = both_ways(step, [special((5, 70))])
    assert not any([s.fold for s in captured.plans()[-1].graph.steps])
    held = []

    def keeps(x):
        e = x.exp()
        held.append(e)
        return e.sum()
    captured = weft.jit.capture(keeps)
    x = weft.randn(5, 70)
    for _ in range(4):
        same(captured(x), x.exp().sum())
        same(held[-1], x.exp())


def test_sums_of_other_types_and_empty_ones_are_as_they_were():
    x = special((6, 70))
    for text in ("(x * 2).sum(dtype=weft.float64)", "(x > 0).sum()", "(x[:0] * 2).sum(0)", "(x.int() * 2).sum(1)", "(x.half() * 2).sum(1)",
                 "(x * 2).amax(1)[:0]", "(x.double() * 2).float().mean(0)"):
        function = eval(f"lambda x: {text}", {"weft": weft})
        captured = weft.jit.capture(lambda x, function=function: function(x))
        with weft.no_grad():
            for _ in range(3):
                same(captured(x.nan_to_num(0, 0, 0)), function(x.nan_to_num(0, 0, 0)))


def test_bounds_and_values_that_a_chain_does_not_have():
    x = special((4, 70))
    nan = float("nan")
    for text in ("(x * 2).clamp(nan, 1.0) + 1", "(x * 2).clamp(-1.0, nan) + 1", "(x * 2).clamp(min=0.0) + 1", "(x * 2).clamp(max=0.0) + 1",
                 "(x * 2).clamp(x - 1, x + 1) + 1", "(x * 2).clamp(weft.tensor(-1.0), weft.tensor(nan)) + 1",
                 "(x * 2).masked_fill(x > 0, nan) + 1", "(x * 2).masked_fill(x > 0, weft.tensor(3)) + 1", "weft.where(x > 0, x.double(), x) + 1",
                 "(x * (x > 0)) + 1", "(x > 0) * 2.0 + x", "(x.half() * 2).clamp(-1, 1) + 1", "(x.int() * 2).clamp(-1, 1) + 1"):
        both_ways(eval(f"lambda x: {text}", {"weft": weft, "nan": nan}), [x.nan_to_num(0, 0, 0) if "int" in text else x])
    captured = weft.jit.capture(lambda x: (x * 2).masked_fill(x > 0, 1e39) + 1)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="value cannot be converted"):
            captured(x)


@pytest.mark.parametrize("p", [0.25, 0.5])
def test_dropout_runs_in_chains_with_the_numbers_that_it_drew(p):
    x, y = weft.randn(50, 70), weft.randn(50, 70)

    def step(x, y):
        return F.dropout(x * 2, p) + y
    captured = weft.jit.capture(step)
    made = []
    for run in (step, captured):
        weft.manual_seed(3)
        with weft.no_grad():
            made.append([run(x, y) for _ in range(5)])
    for a, b in zip(*made, strict=True):
        same(a, b)
    assert {"_masked_scale", "add"} <= set().union(*chains(captured))


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64])
@pytest.mark.parametrize("shape", [(2, 5, 9, 9), (3, 4, 2, 2), (1, 3, 16, 70), (2, 3, 1, 64)])
@pytest.mark.parametrize("variant", ["", "plain", "channels_last", "alone"])
def test_norms_in_evaluation_run_in_chains(shape, variant, dtype):
    weft.manual_seed(0)
    norm = nn.BatchNorm2d(shape[1], affine=variant != "plain", dtype=dtype)
    for _ in range(2):
        norm(weft.randn(shape, dtype=dtype) * 3 + 1)
    if variant != "plain":
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
    norm.eval()
    x, y = special(shape, dtype), special(shape, dtype, 1)
    if variant == "channels_last":
        x = x.to(memory_format=weft.channels_last)

    def step(x, y):
        made = norm(x * 1.5)
        return made if variant == "alone" else F.relu(made + y)
    captured = weft.jit.capture(step)
    with weft.no_grad():
        for _ in range(4):
            same(step(x, y), captured(x, y))
        norm.running_mean.add_(1)
        for _ in range(2):
            same(step(x, y), captured(x, y))
    wide = shape[2] * shape[3] >= 64 and variant in ("", "plain")
    assert any(["_batch_norm" in names for names in chains(captured)]) == wide


def test_norms_in_evaluation_have_their_gradients():
    weft.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 3, 3, 1, 1), nn.BatchNorm2d(3), nn.ReLU())
    net(weft.randn(4, 2, 9, 9))
    net.eval()
    both_ways(lambda x: net(x), [weft.randn(2, 2, 9, 9)])


@pytest.mark.parametrize("dtype", [weft.float16, weft.bfloat16])
def test_chains_of_half_types_choose_bound_and_drop_to_the_bit(dtype):
    x, y = special((6, 70)).to(dtype), special((6, 70)).flip(1).to(dtype)
    texts = ["(x * y).clamp(-0.1, 0.3) + x", "weft.where(x > y, x * 2, 0.1) - y", "F.leaky_relu(x * y, 0.1) + y",
             "(x - y).masked_fill(y > 0.5, -0.7) * x", "weft.maximum(x * 3, y).neg().abs()",
             "(x > 0).to(x.dtype) * y + x", "(x.clamp(0, 1) + y).relu()"]
    for text in texts:
        function = eval(f"lambda x, y: {text}", {"weft": weft, "F": F})
        captured = weft.jit.capture(function)
        for _ in range(4):
            with weft.no_grad():
                same(captured(x, y).float(), function(x, y).float())
        assert captured.root.children[0].op is not None and "1 plan" in captured.explain()
    weft.manual_seed(3)
    dropped = weft.jit.capture(lambda x: F.dropout(x * 2, 0.5) + x)
    for turn in range(4):
        made = []
        for run in (dropped, dropped.function):
            weft.manual_seed(turn)
            with weft.no_grad():
                made.append(run(x).float())
        same(*made)


def test_what_repeats_in_a_half_operand_lies_as_in_float32():
    for dtype in (weft.float32, weft.float16, weft.bfloat16):
        x, row = weft.rand(3, 64).to(dtype).t(), weft.ones((), dtype=dtype).expand(64, 3)
        for made in (weft.atan2(row, x), weft.hypot(row, x), weft.copysign(row, x), weft.where(x > 0, row, x)):
            assert made.stride() == (1, 64)
        assert row.lgamma().stride() == (3, 1)
