"""weft.check_numerics: what is made and what is passed on, every op of the table with a planted NaN and Inf, forward
and backward; anomaly mode.
"""
import math
import pickle
import re
import threading

import numpy as np
import pytest
import test_derived as derived

import weft
from weft import nn
from weft.autograd.numerics import NumericError, all_finite
from weft.core.modes import NUMERICS, local
from weft.core.runtime import mode_bits
from weft.core.seam import Watcher, title_of
from weft.nn import functional as F
from weft.ops.core.registry import OPS_BY_NAME
from weft.ops.lists.foreach import PUBLIC

INF = math.inf
LISTS = {name: function for name, function in PUBLIC.items() if name.endswith("_")}     # they give nothing new


@pytest.fixture(autouse=True)
def off_again():
    yield
    assert local.numerics is None and mode_bits() & NUMERICS == 0


def found(function, **options):
    """The error that a call raises under check_numerics, or None."""
    with weft.check_numerics(**options):
        try:
            function()
        except NumericError as error:
            return error
    return None


def t(*values, grad=False):
    return weft.tensor(list(values), requires_grad=grad)


# what is said

def test_the_message_names_op_line_inputs_and_place():
    class Ratio(nn.Module):
        def forward(self, x, y):
            return x / y
    model = Ratio()
    error = found(lambda: model(t(1.0, 0.0, 3.0), t(2.0, 0.0, -1.0)))
    text = re.sub(r"\.py:\d+", ".py:N", str(error))
    assert text == ("div made NaN: 1 of 3 values, first at [1]\n"
                    "  in  Ratio (Ratio()), test_check_numerics.py:N: return x / y\n"
                    "  input: input [3] float32, 0 .. 3; 0 there\n"
                    "         other [3] float32, -1 .. 2; 0 there\n"
                    "  fix: keep its inputs away from where it has no finite value (clamp, a small epsilon, a smaller "
                    "learning rate)")
    assert isinstance(error, RuntimeError) and isinstance(error, FloatingPointError)
    assert (error.op, error.kind, error.index, error.backward) == ("div", "NaN", (1,), False)


def test_the_error_can_be_pickled():
    error = found(lambda: t(0.0).log())
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.index == (0,) and type(again) is NumericError


def test_backward_names_the_forward_line():
    x = t(4.0, 0.0, 1.0, grad=True)
    root = x.sqrt()
    with weft.check_numerics(), pytest.raises(RuntimeError) as caught:
        root.sum().backward()
    text = re.sub(r"\.py:\d+", ".py:N", str(caught.value))
    assert text == ("SqrtBackward0's gradient made Inf: 1 of 3 values, first at [1]\n"
                    "  in  test_check_numerics.py:N: root = x.sqrt()\n"
                    "  gradient that came in: [3] float32, 1 .. 1\n"
                    "  saved: out [3] float32, 0 .. 2\n"
                    "  fix: look at that line's inputs: its derivative has no finite value there (sqrt or a norm at 0, "
                    "division by 0, log at 0)")
    assert caught.value.backward and x.grad is None


COMPOSED = sorted(name for name, op in derived.OPS.items() if op.compose is not None)


@pytest.mark.parametrize("name", COMPOSED)
def test_a_composition_is_named_with_its_part(name):
    op = derived.OPS[name]
    args, keywords = derived.arguments(name, 0)
    kept = op.compose

    def spoiled(*args, **keywords):
        made = kept(*args, **keywords)
        if not isinstance(made, (tuple, list)):
            return spoil(made)
        return type(made)(*map(spoil, made)) if hasattr(made, "_fields") else type(made)(map(spoil, made))
    op.compose = spoiled
    try:
        error = found(lambda: op.public(*args, **keywords))
        can_be_bad = not all_finite(op.public(*args, **keywords))
    finally:
        op.compose = kept
    if can_be_bad:      # not of integers, or of nothing
        assert error is not None and error.op == title_of(op)
        assert re.match(f"{re.escape(title_of(op))} made NaN in its div: 1 of 1 value, first at \\[\\]\n  in  "
                        f"test_check_numerics.py:", str(error))


def spoil(t):
    bad = isinstance(t, weft.Tensor) and (t.is_floating_point() or t.is_complex())
    return t + weft.zeros((), dtype=t.dtype) / 0 if bad else t


def test_what_a_composition_cuts_away_is_its_own_business():
    target = t(0.0, 0.5, 3.0)       # the term of log(target) is only taken where target > 1
    loss = found(lambda: F.poisson_nll_loss(t(0.1, 0.2, 0.3), target, full=True))
    assert loss is None
    assert found(lambda: F.poisson_nll_loss(t(0.1, 0.2, 500.0), target)).op == "poisson_nll_loss"


# made, or passed on

MADE = {
    "log(0)": lambda: t(1.0, 0.0).log(), "overflow": lambda: t(1e30) * 1e30, "exp": lambda: t(1000.0).exp(),
    "0/0": lambda: t(0.0) / 0, "1/0": lambda: 1 / t(0.0), "inf-inf": lambda: t(INF) - t(INF),
    "0*inf": lambda: t(0.0) * INF, "softmax of nothing": lambda: t(-INF, -INF).softmax(0),
    "sqrt(-1)": lambda: t(-1.0).sqrt(), "mean of nothing": lambda: weft.zeros(0).mean(),
    "std of one": lambda: t(1.0).std(), "half": lambda: t(1e6).half(), "in place": lambda: t(0.0).log_(),
    "in place, overflow": lambda: t(1e38).mul_(1e10), "new beside old": lambda: t(math.nan, 0.0).log(),
    "sum": lambda: t(3e38, 3e38).sum(), "matmul": lambda: weft.full((2, 2), 1e30) @ weft.full((2, 2), 1e30),
    "complex": lambda: weft.tensor([0j]) / 0, "without grad": lambda: weft.no_grad()(lambda: t(0.0).log())(),
    "out=": lambda: weft.log(t(0.0), out=t(1.0)), "double": lambda: weft.zeros(3, dtype=weft.float64).log(),
    "bfloat16": lambda: weft.zeros(3, dtype=weft.bfloat16).log(), "scalar": lambda: weft.tensor(0.0).log(),
    "strided": lambda: weft.ones(4, 4).sub(weft.eye(4)).t()[::2].log(),
    "large": lambda: weft.cat([weft.ones(300_000), weft.zeros(1)]).log(), "division, in place": lambda: t(1.0).div_(0),
    "pow": lambda: t(0.0) ** -1, "norm": lambda: t(3e38, 3e38).norm(),
}


@pytest.mark.parametrize("what", MADE)
def test_made(what):
    error = found(MADE[what])
    assert error is not None and "test_check_numerics.py" in str(error)
    assert MADE[what]() is not None      # and without the check nothing is raised


PASSED_ON = {
    "given": lambda: t(INF, math.nan), "full": lambda: weft.full((3,), -INF), "fill": lambda: weft.zeros(3).fill_(INF),
    "masked_fill": lambda: weft.zeros(3).masked_fill(weft.tensor([True, False, True]), -INF),
    "masked_fill_": lambda: weft.zeros(3).masked_fill_(weft.tensor([True, False, True]), -INF),
    "where": lambda: weft.where(weft.tensor([True, False]), t(-INF, -INF), 0.0),
    "cat": lambda: weft.cat([t(INF), t(1.0)]), "copy": lambda: t(INF).clone(),
    "copy_": lambda: weft.zeros(1).copy_(t(INF)), "index": lambda: t(INF, 1.0)[weft.tensor([0])],
    "setitem": lambda: weft.zeros(3).__setitem__(0, INF), "slice": lambda: t(INF, 1.0)[:1] + 0,
    "triu": lambda: weft.full((3, 3), -INF).triu(1), "mask in softmax": lambda: t(1.0, -INF).softmax(0),
    "max": lambda: t(-INF, 1.0).max(), "add": lambda: t(INF) + 1, "number": lambda: t(1.0) + INF,
    "clamp": lambda: t(1.0).clamp(max=INF), "nan passed on": lambda: (t(math.nan, 1.0) * 2).sum(),
    "exp of -inf": lambda: t(-INF).exp(), "nan_to_num": lambda: t(INF).nan_to_num(),
    "scatter": lambda: weft.zeros(3).scatter(0, weft.tensor([1]), t(INF)), "empty": lambda: weft.empty(1000) * 1,
    "to": lambda: t(INF).double(), "amax": lambda: weft.full((2, 2), -INF).amax(1),
    "logsumexp": lambda: t(-INF, -INF).logsumexp(0), "integers": lambda: weft.tensor([1, 2]) // 1,
    "comparison": lambda: t(INF) > 1, "pad": lambda: F.pad(weft.ones(2), (1, 1), value=-INF),
    "empty_like": lambda: weft.empty_like(weft.ones(1000)).mul(1),
    "new_full": lambda: weft.ones(1).new_full((2,), INF), "stack": lambda: weft.stack([t(INF), t(1.0)]),
    "causal": lambda: nn.Transformer.generate_square_subsequent_mask(4),
}


@pytest.mark.parametrize("what", PASSED_ON)
def test_passed_on(what):
    with weft.check_numerics():
        PASSED_ON[what]()


def test_healthy_networks_raise_nothing():
    weft.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                          nn.Dropout(0.5), nn.Linear(36, 3))
    attention = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    with weft.check_numerics():
        for optimizer in (weft.optim.SGD(model.parameters(), 0.1, momentum=0.9), weft.optim.Adam(model.parameters())):
            for _ in range(2):
                optimizer.zero_grad()
                F.cross_entropy(model(weft.rand(4, 1, 8, 8)), weft.tensor([0, 1, 2, 0])).backward()
                optimizer.step()
        attention(weft.rand(2, 5, 8), src_mask=mask, src_key_padding_mask=weft.zeros(2, 5)).sum().backward()
        F.ctc_loss(weft.rand(6, 2, 4, requires_grad=True).log_softmax(2), weft.tensor([[1, 2], [2, 3]]),
                   weft.tensor([6, 6]), weft.tensor([2, 2])).backward()
        F.binary_cross_entropy(weft.tensor([0.0, 1.0], requires_grad=True), t(0.0, 1.0)).backward()
        F.scaled_dot_product_attention(*(weft.rand(1, 2, 4, 8, requires_grad=True) for _ in range(3)),
                                       is_causal=True).sum().backward()
        F.max_unpool2d(*F.max_pool2d(weft.rand(1, 1, 4, 4), 2, return_indices=True), 2)
        nn.LSTM(3, 4)(weft.rand(5, 2, 3))[0].sum().backward()


def test_a_parameter_that_a_step_made_bad_names_the_step():
    model = nn.Linear(2, 1)
    optimizer = weft.optim.SGD(model.parameters(), lr=1e38)
    (model(weft.full((4, 2), 1e30)) * 1e3).sum().backward()
    optimizer.step()
    error = found(lambda: model(weft.ones(1, 2)))
    assert error is not None
    lines = str(error).split("\n")
    assert lines[0].startswith("a write made ") and lines[1].endswith("optimizer.step()") and "read by linear" in lines[2]


# backward

class Bad(weft.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return weft.tensor(np.full(g.shape, np.nan, np.float32))


class BadForward(weft.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return weft.tensor(np.full(x.shape, np.inf, np.float32))

    @staticmethod
    def backward(ctx, g):
        return g


def test_custom_functions():
    error = found(lambda: Bad.apply(weft.ones(2, requires_grad=True)).sum().backward())
    assert error.op == "BadBackward's gradient" and error.backward
    error = found(lambda: BadForward.apply(weft.ones(2, requires_grad=True)))
    assert error.op == "BadForward" and error.kind == "Inf"


def test_a_gradient_that_came_in_bad_is_passed_on():
    x = weft.ones(2, requires_grad=True)
    with weft.check_numerics():
        (x * 2).exp().backward(t(INF, 1.0))
    assert x.grad[0].item() == INF


def test_a_sum_of_gradients_that_overflows():
    x = weft.ones(1, requires_grad=True)
    h = x.exp()

    def through_a_node():
        (h * 3e38 + h * 3e38).sum().backward()

    def into_a_leaf():
        (x * 3e38 + x * 3e38).sum().backward()
    error = found(through_a_node, forward=False)
    assert error.op == "the sum of the gradients of ExpBackward0's output" and "h = x.exp()" in str(error) and error.backward
    error = found(into_a_leaf, forward=False)
    assert error.op == "the sum of the gradients of a leaf of shape [1]" and x.grad is None


def test_nothing_is_written_when_backward_fails():
    a, x = weft.ones(1, requires_grad=True), weft.zeros(1, requires_grad=True)
    assert found(lambda: (x.sqrt() * a).sum().backward()) is not None
    assert a.grad is None and x.grad is None


def test_second_order():
    x = t(0.0, grad=True)

    def step():
        g, = weft.autograd.grad((x * x.abs().pow(1.5)).sum(), x, create_graph=True)
        weft.autograd.grad(g.sum(), x)
    assert found(step) is None or found(step).backward


# how it is switched

def test_options():
    assert found(lambda: t(0.0).log(), inf=False) is None and found(lambda: t(0.0) / 0, inf=False).kind == "NaN"
    assert found(lambda: t(0.0) / 0, nan=False) is None and found(lambda: t(0.0).log(), nan=False).kind == "Inf"
    assert found(lambda: t(0.0).log(), forward=False) is None
    x = weft.zeros(1, requires_grad=True)
    assert found(lambda: x.sqrt().sum().backward(), forward=False) is not None
    assert found(lambda: x.sqrt().sum().backward(), backward=False) is None


def test_on_and_off_nested_and_decorated():
    weft.check_numerics()
    with pytest.raises(NumericError):
        t(0.0).log()
    with weft.check_numerics(False):
        t(0.0).log()
        with weft.check_numerics(inf=False):
            t(0.0).log()
            with pytest.raises(NumericError):
                t(-1.0).log()
        t(-1.0).log()
    with pytest.raises(NumericError):
        t(0.0).log()
    weft.check_numerics(False)
    t(0.0).log()

    @weft.check_numerics
    def plain():
        return t(0.0).log()

    @weft.check_numerics(inf=False)
    def only_nan():
        return t(0.0).log()
    with pytest.raises(NumericError):
        plain()
    assert only_nan()[0].item() == -INF
    t(0.0).log()


def test_it_is_this_threads_own():
    seen = []
    with weft.check_numerics():
        thread = threading.Thread(target=lambda: seen.append(t(0.0).log().item()))
        thread.start()
        thread.join()
    assert seen == [-INF]


def test_results_are_the_same_bits():
    def step():
        weft.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 2))
        model(weft.rand(4, 3)).pow(2).mean().backward()
        return [p.grad.numpy().tobytes() for p in model.parameters()]
    plain = step()
    with weft.check_numerics():
        assert step() == plain


# a planted NaN at every op of the table

def floats(*shape):
    return weft.tensor(np.random.default_rng(0).uniform(0.3, 0.9, shape), requires_grad=True)


def spd():
    return weft.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=weft.float64, requires_grad=True)


EXTRA = {       # calls that reach ops without samples
    "floor_divide": lambda: floats(3).floor_divide(0.2), "heaviside": lambda: weft.heaviside(floats(3), floats(3)),
         "positive": lambda: floats(3).positive(),
    "cross_entropy": lambda: F.cross_entropy(floats(3, 4), weft.tensor([0, 1, 2])),
         "nll": lambda: F.nll_loss(floats(3, 4), weft.tensor([0, 1, 2])),
    "bce": lambda: F.binary_cross_entropy(floats(3), floats(3).detach()),
         "normal": lambda: weft.normal(floats(3), floats(3)), "randn": lambda: weft.randn(3),
    "bernoulli": lambda: weft.bernoulli(floats(3).detach()), "poisson": lambda: weft.poisson(floats(3).detach()),
         "uniform_": lambda: floats(3).detach().uniform_(),
    "binomial": lambda: weft.binomial(weft.full((3,), 5.0), weft.full((3,), 0.5)),
         "dropout": lambda: F.dropout(floats(50)),
    "det": lambda: weft.linalg.det(weft.zeros(2, 2, dtype=weft.float64, requires_grad=True)),
         "cholesky_ex": lambda: weft.linalg.cholesky_ex(spd()).L,
    "cholesky_solve": lambda: weft.cholesky_solve(floats(2, 1), spd()),
         "cholesky_inverse": lambda: weft.cholesky_inverse(spd()),
    "ldl_solve": lambda: weft.linalg.ldl_solve(*weft.linalg.ldl_factor(spd().detach()), floats(2, 1).detach()),
         "geqrf": lambda: weft.geqrf(floats(3, 2).detach())[0],
    "ormqr": lambda: weft.ormqr(*weft.geqrf(floats(3, 2).detach()), floats(3, 2).detach()),
         "householder": lambda: weft.linalg.householder_product(floats(3, 2), floats(2)),
    "eigh": lambda: weft.linalg.eigh(spd())[1], "eigvalsh": lambda: weft.linalg.eigvalsh(spd()),
         "eig": lambda: weft.linalg.eig(spd())[0].abs(),
    "eigvals": lambda: weft.linalg.eigvals(spd()).abs(),
         "embedding": lambda: F.embedding(weft.tensor([0, 1]), floats(3, 2)),
    "bag": lambda: F.embedding_bag(weft.tensor([[0, 1]]), floats(3, 2)),
         "bag max": lambda: F.embedding_bag(weft.tensor([[0, 1]]), floats(3, 2), mode="max"),
    "gamma": lambda: OPS_BY_NAME["_standard_gamma"].public(floats(3)),
         "dirichlet": lambda: OPS_BY_NAME["_sample_dirichlet"].public(floats(3)),
    "stft": lambda: weft.stft(floats(16), 8, window=weft.ones(8, dtype=weft.float64), return_complex=True).abs(),
    "istft": lambda: weft.istft(weft.stft(floats(16).detach(), 8, window=weft.ones(8, dtype=weft.float64),
                                          return_complex=True), 8,
                                window=weft.ones(8, dtype=weft.float64)),
    "lstm": lambda: nn.LSTM(2, 3)(weft.ones(4, 1, 2))[0], "gru": lambda: nn.GRU(2, 3)(weft.ones(4, 1, 2))[0],
    "fractional": lambda: F.fractional_max_pool2d(floats(1, 1, 6, 6), 2, output_size=3),
         "max_pool": lambda: F.max_pool2d(floats(1, 1, 4, 4).detach(), 2),
    "max_pool indices": lambda: F.max_pool2d(floats(1, 1, 4, 4), 2, return_indices=True)[0],
    "max_unpool": lambda: F.max_unpool2d(*F.max_pool2d(floats(1, 1, 4, 4), 2, return_indices=True), 2),
    "ctc": lambda: F.ctc_loss(floats(6, 1, 3).log_softmax(2), weft.tensor([[1, 2]]), weft.tensor([6]),
                              weft.tensor([2])), "@": lambda: floats(2, 2) @ floats(2, 2),
    "batch_norm": lambda: F.batch_norm(floats(3, 2), None, None, training=True),
         "group_norm": lambda: F.group_norm(floats(2, 4), 2),
    "svd": lambda: weft.linalg.svd(floats(3, 2))[1], "pinv": lambda: weft.linalg.pinv(floats(3, 2)),
         "grid": lambda: F.grid_sample(floats(1, 1, 3, 3), floats(1, 2, 2, 2)),
    "double": lambda: weft.autograd.grad(floats(3).pow(3).sum(), [], allow_unused=True) or floats(3).pow(3),
}


def sampled(name, i):
    def call():
        weft.manual_seed(0)
        args, keywords = derived.arguments(name, i)
        fixed = derived.fixed_places(name, i)
        for given in derived.tensors_of([a for k, a in enumerate(args) if k not in fixed]):
            if given.is_floating_point():
                given.requires_grad_()
        return derived.OPS[name].call(tuple(args), dict(keywords))
    return call


CALLS = [*((name, sampled(name, i)) for name, i in derived.CASES), *EXTRA.items()]


class Spy(Watcher):
    """Which ops a call runs, forward and backward, and whether their results can hold a NaN of their own."""

    def __init__(self):
        self.ops = {}

    def after(self, op, values, outputs):
        run = local.run
        if run is not None and run.create:
            return
        fresh = [o for o in outputs if o.is_floating_point() or o.is_complex()]
        shared = op.is_view or any(o._view_of is not None for o in fresh)
        if fresh and fresh[0].numel() and not shared and isinstance(op, type(OPS_BY_NAME["add"])):
            self.ops.setdefault(op.name, (op, "backward" if run is not None else "forward"))


def forward_and_backward(call):
    outs = derived.first(call())
    outs = [(o.abs() if o.is_complex() else o).sum() for o in outs if o.requires_grad]
    if outs:
        weft.autograd.backward(outs)


@pytest.fixture(scope="module")
def reached():
    """op -> (call, direction): the first call that runs it, preferably forward."""
    found_in = {}
    for name, call in CALLS:
        with Spy() as spy, np.errstate(all="ignore"):
            try:
                forward_and_backward(call)
            except (RuntimeError, NotImplementedError, TypeError):
                pass        # without derivative
        for op_name, (op, direction) in spy.ops.items():
            if (op_name not in found_in or op_name == name or direction == "forward"
                and found_in[op_name][2] == "backward"):
                found_in[op_name] = op, call, direction, name
    return found_in


class planted:
    """While open, an op's result has a bad value in its first place."""

    def __init__(self, op, value):
        self.op, self.value = op, value
        self.kept = op.forward, op.binary_code, op.unary_code

    def __enter__(self):
        forward = self.kept[0]

        def spoiled(*args, **keywords):
            made = forward(*args, **keywords)
            many = isinstance(made, (tuple, list))
            arrays = [np.array(a) for a in (made if many else (made,))]
            next(a for a in arrays if a.dtype.kind in "fc" and a.size).flat[0] = self.value
            return tuple(arrays) if many else arrays[0]
        self.op.forward, self.op.binary_code, self.op.unary_code = spoiled, -1, -1

    def __exit__(self, *exc):
        self.op.forward, self.op.binary_code, self.op.unary_code = self.kept


@pytest.mark.parametrize("value", [math.nan, INF], ids=["nan", "inf"])
def test_a_planted_value_at_every_op_is_found_at_its_line(reached, value):
    missed = []
    for name, (op, call, direction, _) in sorted(reached.items()):
        if name in WITHOUT:
            continue
        with planted(op, value), weft.check_numerics(), np.errstate(all="ignore"):
            try:
                forward_and_backward(call)
                text = "nothing raised"
            except NumericError as error:
                text = str(error)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
        lines = text.split("\n")
        where = "test_derived.py" if "test_derived.py" in text else "test_check_numerics.py"
        right_line = len(lines) > 1 and lines[1].startswith("  in  ") and re.search(where + r":\d+: ", lines[1])
        right_op = title_of(op) in lines[0] if direction == "forward" else "gradient" in lines[0] or "made" in lines[0]
        if not right_line or not right_op:
            missed.append(f"{name} ({direction}): {lines[0][:120]}")
    assert not missed, f"{len(missed)} of {len(reached)}:\n" + "\n".join(missed)


def test_the_table_is_covered(reached):
    """Every op whose result can hold a NaN of its own is among those planted; the others move data or give integers.
    What writes to lists is checked in test_lists.py.
    """
    plain = {op.name for op in OPS_BY_NAME.values() if op.forward is not None and not op.is_view
             and op.forward.__module__.startswith("weft.ops") and op.public not in LISTS.values()}
    left = sorted(plain - set(reached))
    missing = " ".join(name for name in left if name not in WITHOUT)
    assert len(reached) > 280 and not missing, missing


WITHOUT = set("""
    all any argmax argmin argsort bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor count_nonzero eq gcd
    ge gt isclose isfinite isin isinf isnan isneginf isposinf isreal lcm le logical_and logical_not logical_or logical_xor lt multinomial ne one_hot
    signbit _bag_borders _bag_numbers _bag_places _bag_sizes _classes_of _one_hot _padded_targets _nonzero _permutation _search _unique _unique_runs _matrix_rank
    copy flatten positive real resolve_conj resolve_neg _restride _untouched _to_meta _strided_copy
    _drawn _filled _dropout_mask normal random _mix_bytes
    _matmul_operator _cofactor_vjp _max_pool_collect _recurrent_grad
    _counted_round _data _identity _index_inside _nonzero_static _reaching _repeated_places _spread_evenly
    _spread_powers _stepped _stepped_once _triangle _unravelled _follow_instances _shorten_rows _unscale
    _sparse_product _sparse_sample
""".split())    # integers and truth values; those of sparse tensors, which tests/test_sparse.py plants; data that is only moved; constants and random numbers; the short road of @, rules of second order; what only writes
