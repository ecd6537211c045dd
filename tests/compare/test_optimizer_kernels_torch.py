"""The fused updates and the `_foreach_*` functions beside PyTorch's."""
import itertools

import numpy as np
import pytest

import weft
from weft.optim.rmsprop import _rmsprop_update

torch = pytest.importorskip("torch")
SHAPES = [(3,), (), (7, 9), (1, 5), (130, 300), (0, 2)]
KINDS = {"float32": (np.float32, 3e-6), "float64": (np.float64, 1e-13)}


def lists(kind, count, seed=0, positive=False):
    rng = np.random.default_rng(seed)
    made = [[rng.standard_normal(s).astype(KINDS[kind][0]) for s in SHAPES] for _ in range(count)]
    return [[np.abs(a) if positive else a for a in one] for one in made]


def both(arrays):
    return [weft.tensor(a.copy()) for a in arrays], [torch.tensor(a.copy()) for a in arrays]


def check(ours, theirs, kind):
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=KINDS[kind][1], atol=KINDS[kind][1])


def train(make, step, kind, steps=4):
    """Run an optimizer of torch's and a fused step of weft's on the same gradients."""
    start, = lists(kind, 1)
    ours, theirs = [weft.tensor(a.copy()) for a in start], [torch.tensor(a.copy(), requires_grad=True) for a in start]
    other = make(theirs)
    for i in range(steps):
        grads, = lists(kind, 1, seed=i + 1)
        for p, g in zip(theirs, grads):
            p.grad = torch.tensor(g)
        other.step()
        step(i + 1, ours, [weft.tensor(g) for g in grads])
    check(ours, theirs, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight_decay, amsgrad, maximize, decoupled",
                         list(itertools.product((0.0, 0.1), (False, True), (False, True), (False, True))))
def test_adam(kind, weight_decay, amsgrad, maximize, decoupled):
    def make(params):
        return (torch.optim.AdamW if decoupled else torch.optim.Adam)(params, 0.01, (0.8, 0.95), 1e-7, weight_decay,
                                                                      amsgrad, maximize=maximize, foreach=False)
    state = [[weft.zeros(s, dtype=getattr(weft, kind)) for s in SHAPES] for _ in range(3)]

    def step(i, params, grads):
        f = weft._fused_adamw_ if decoupled else weft._fused_adam_
        f(params, grads, *state[:2], state[2] if amsgrad else [], [weft.tensor(float(i)) for _ in params], lr=0.01,
          beta1=0.8, beta2=0.95, weight_decay=weight_decay, eps=1e-7, amsgrad=amsgrad, maximize=maximize)
    train(make, step, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("momentum, dampening, nesterov", [(0.0, 0.0, False), (0.9, 0.0, False), (0.9, 0.3, False),
                                                           (0.9, 0.0, True)])
@pytest.mark.parametrize("weight_decay, maximize", [(0.0, False), (0.1, False), (0.1, True)])
def test_sgd(kind, momentum, dampening, nesterov, weight_decay, maximize):
    def make(params):
        return torch.optim.SGD(params, 0.1, momentum, dampening, weight_decay, nesterov, maximize=maximize,
                               foreach=False)
    buffers = [weft.full(s, float("nan"), dtype=getattr(weft, kind)) for s in SHAPES]

    def step(i, params, grads):
        weft._fused_sgd_(params, grads, buffers if momentum else [], weight_decay=weight_decay, momentum=momentum,
                         lr=0.1, dampening=dampening, nesterov=nesterov, maximize=maximize, is_first_step=i == 1)
    train(make, step, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("momentum, centered, weight_decay, maximize",
                         list(itertools.product((0.0, 0.9), (False, True), (0.0, 0.1), (False, True))))
def test_rmsprop(kind, momentum, centered, weight_decay, maximize):
    def make(params):       # eps: the centered spread is a difference, whose rounding 1e-8 would blow up
        return torch.optim.RMSprop(params, 0.01, 0.9, 1e-3, weight_decay, momentum, centered, maximize=maximize,
                                   foreach=False)
    state = [[weft.zeros(s, dtype=getattr(weft, kind)) for s in SHAPES] for _ in range(3)]

    def step(i, params, grads):
        squares, means, buffers = state
        _rmsprop_update.op.compute([params, grads, squares, means if centered else None, buffers if momentum else None,
                                    [weft.zeros(()) for _ in params], 0.01, 0.9, 1e-3, weight_decay, momentum, maximize])
    train(make, step, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lr_decay, weight_decay, maximize",
                         list(itertools.product((0.0, 0.1), (0.0, 0.1), (False, True))))
def test_adagrad(kind, lr_decay, weight_decay, maximize):
    def make(params):
        return torch.optim.Adagrad(params, 0.1, lr_decay, weight_decay, maximize=maximize, foreach=False)
    sums = [weft.zeros(s, dtype=getattr(weft, kind)) for s in SHAPES]

    def step(i, params, grads):
        weft._fused_adagrad_(params, grads, sums, [weft.tensor(float(i)) for _ in params], lr=0.1, lr_decay=lr_decay,
                             weight_decay=weight_decay, eps=1e-10, maximize=maximize)
    train(make, step, kind)


def test_complex_parameters():
    rng = np.random.default_rng(0)
    start, grad = (rng.standard_normal(5) + 1j * rng.standard_normal(5) for _ in range(2))
    p = torch.tensor(start, requires_grad=True)
    p.grad = torch.tensor(grad)
    torch.optim.Adam([p], 0.01).step()
    ours = weft.tensor(start)
    weft._fused_adam_([ours], [weft.tensor(grad)], [weft.zeros_like(ours)], [weft.zeros_like(ours)], [],
                      [weft.tensor(1.)], lr=0.01, beta1=0.9, beta2=0.999, weight_decay=0.0, eps=1e-8, amsgrad=False,
                      maximize=False)
    np.testing.assert_allclose(ours.numpy(), p.detach().numpy(), rtol=1e-12)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_parameters_like_torchs_fused(kind):
    rng = np.random.default_rng(0)
    start, grad = (rng.standard_normal(1000).astype(np.float32) for _ in range(2))
    made = []
    for T in (weft, torch):
        dtype = getattr(T, kind)
        p, g, m, v = (T.tensor(a).to(dtype) for a in (start, grad, 0 * start, 0 * start))
        for i in range(3):
            T._fused_adam_([p], [g], [m], [v], [], [T.tensor(i + 1.)], lr=0.01, beta1=0.9, beta2=0.999,
                           weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)
        made.append(p.float().numpy())
    step = 2 ** -10 if kind == "float16" else 2 ** -7
    np.testing.assert_allclose(made[0], made[1], rtol=2 * step, atol=step / 10)


def test_grad_scale_and_found_inf():
    for inf in (0., 1.):
        made = []
        for T in (weft, torch):
            p, g, m, v = T.ones(3), T.full((3,), 8.), T.zeros(3), T.zeros(3)
            T._fused_adam_([p], [g], [m], [v], [], [T.tensor(1.)], lr=0.1, beta1=0.9, beta2=0.999, weight_decay=0.0,
                           eps=1e-8, amsgrad=False, maximize=False, grad_scale=T.tensor(4.), found_inf=T.tensor(inf))
            made.append([t.numpy().tolist() for t in (p, g, m, v)])
        np.testing.assert_allclose(made[0], made[1], rtol=1e-6)


FUSED = [("Adam", {}), ("Adam", {"amsgrad": True, "weight_decay": 0.1}), ("AdamW", {"maximize": True}),
         ("SGD", {}), ("SGD", {"momentum": 0.9, "dampening": 0.3}), ("SGD", {"momentum": 0.9, "nesterov": True}),
         ("Adagrad", {"lr_decay": 0.1})]


@pytest.mark.parametrize("name, options", FUSED)
@pytest.mark.parametrize("unscaled", [False, True])
def test_grad_scaler_with_fused(name, options, unscaled):
    """Scaled gradients, one step of which is infinite: parameters, gradients, state and scale as PyTorch's."""
    told = []
    for T in (weft, torch):
        p = T.nn.Parameter(T.ones(2))
        optimizer = getattr(T.optim, name)([p], lr=0.1, fused=True, **options)
        scaler = T.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        calls = []
        optimizer.register_step_post_hook(lambda *_, calls=calls: calls.append(1))
        for i in range(5):
            optimizer.zero_grad()
            scaler.scale((p * T.tensor([1.0, float("inf") if i == 2 else 2.0])).sum()).backward()
            if unscaled:
                scaler.unscale_(optimizer)
            assert scaler.step(optimizer) is None
            scaler.update()
            assert not hasattr(optimizer, "found_inf") and not hasattr(optimizer, "grad_scale")
            state = {k: v.tolist() for k, v in optimizer.state[p].items() if v is not None}
            told.append([p.tolist(), p.grad.tolist(), sorted(state), *state.values(), scaler.get_scale(), len(calls)])
    for ours, theirs in zip(told[:5], told[5:], strict=True):
        assert ours[2] == theirs[2] and ours[-2:] == theirs[-2:]
        for a, b in zip(ours[:2] + ours[3:], theirs[:2] + theirs[3:], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("name, options", FUSED)
@pytest.mark.parametrize("inf, scale", [(0.0, None), (0.0, 4.0), (1.0, 4.0), (1.0, None)])
def test_found_inf_and_grad_scale_on_the_optimizer(name, options, inf, scale):
    told = []
    for T in (weft, torch):
        p = T.nn.Parameter(T.ones(3))
        optimizer = getattr(T.optim, name)([p], lr=0.1, fused=True, **options)
        p.grad = T.tensor([1.0, 2.0, 3.0])
        optimizer.step()
        p.grad = T.tensor([8.0, 4.0, 2.0])
        optimizer.found_inf, optimizer.grad_scale = T.tensor(inf), None if scale is None else T.tensor(scale)
        optimizer.step()
        state = {k: v.tolist() for k, v in optimizer.state[p].items() if v is not None}
        told.append([p.tolist(), p.grad.tolist(), *[state[k] for k in sorted(state)]])
    for a, b in zip(*told, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_found_inf_counts_for_fused_only():
    for T in (weft, torch):
        p = T.nn.Parameter(T.ones(1))
        optimizer = T.optim.SGD([p], lr=0.5)
        p.grad, optimizer.found_inf, optimizer.grad_scale = T.ones(1), T.tensor(1.0), T.tensor(4.0)
        with pytest.raises(AssertionError):
            optimizer.step()
        optimizer.found_inf = optimizer.grad_scale = None
        optimizer.step()
        assert p.tolist() == [0.5] and p.grad.tolist() == [1.0]


# _foreach_*

UNARY = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal "
         "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()


def call(name, T, values, in_place):
    """The results of `_foreach_<name>`, or of its in-place form."""
    if not in_place:
        return getattr(T, f"_foreach_{name}")(*values)
    made = getattr(T, f"_foreach_{name}_")(*values)
    assert made is values[0] or all(a is b for a, b in zip(made, values[0]))
    return values[0]


def compare(name, values, kind, in_place):
    ours, theirs = zip(*[both(v) if isinstance(v, list) and not isinstance(v[0], (int, float)) else (v, v)
                         for v in values])
    check(call(name, weft, ours, in_place), call(name, torch, theirs, in_place), kind)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("name", UNARY)
def test_foreach_unary(name, in_place):
    first, = lists("float32", 1, positive=True)
    compare(name, [[np.minimum(a, 0.9) for a in first]], "float32", in_place)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("name", "add sub mul div maximum minimum clamp_min clamp_max pow".split())
def test_foreach_binary(name, in_place):
    first, second = lists("float64", 2, positive=True)
    compare(name, [first, [a + 0.5 for a in second]], "float64", in_place)
    compare(name, [first, 1.5], "float64", in_place)
    compare(name, [first, [0.5, 2, 3.5, 1, 2.5, 3]], "float64", in_place)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("name", ["addcmul", "addcdiv", "lerp"])
def test_foreach_ternary(name, in_place):
    first, second, third = lists("float64", 3, positive=True)
    if name == "lerp":
        compare(name, [first, second, third], "float64", in_place)
        compare(name, [first, second, 0.3], "float64", in_place)
        compare(name, [first, second, 0.7], "float64", in_place)
        return
    third = [a + 0.5 for a in third]
    compare(name, [first, second, third], "float64", in_place)
    compare(name, [first, second, third, -0.3], "float64", in_place)
    compare(name, [first, second, third, [0.5, 2, 3.5, 1, 2.5, 3]], "float64", in_place)


def test_foreach_others():
    first, second = lists("float32", 2)
    filled = [a for a in first if a.size]
    compare("norm", [first], "float32", False)
    compare("norm", [filled, float("inf")], "float32", False)
    compare("norm", [first, 1], "float32", False)
    compare("powsum", lists("float64", 1) + [3], "float64", False)
    compare("max", [filled], "float32", False)
    compare("clone", [first], "float32", False)
    compare("zero", [first], "float32", True)
    compare("copy", [first, second], "float32", True)


@pytest.mark.parametrize("options", [{}, {"alpha": 2}])
def test_foreach_add_of_a_tensor_and_alpha(options):
    first, second = lists("float32", 2)
    (ours, other), (theirs, their_other) = zip(both(first), both(second))
    check(weft._foreach_add(ours, other, **options), torch._foreach_add(theirs, their_other, **options), "float32")
    check(weft._foreach_sub(ours, other, **options), torch._foreach_sub(theirs, their_other, **options), "float32")
    check(weft._foreach_add(ours, weft.tensor(3.), **options), torch._foreach_add(theirs, torch.tensor(3.), **options),
          "float32")


def test_foreach_mixed_types():
    for T, made in ((weft, ours := []), (torch, theirs := [])):
        ints, floats = [T.arange(3), T.ones(2, dtype=T.int64)], [T.tensor([0.5, 1, 2]), T.tensor(0.5)]
        for found in (T._foreach_add(ints, 1.5), T._foreach_mul(ints, 2), T._foreach_add(ints, floats),
                      T._foreach_div(ints, 2), T._foreach_add([T.ones(2).half()], [T.ones(2)]),
                      T._foreach_pow(2., floats)):
            made.append([(str(t.dtype).split(".")[-1], t.tolist()) for t in found])
    assert ours == theirs


def test_unscale():
    for values in ([1., 2.], [1., float("inf")], [float("nan"), 0.]):
        made = []
        for T in (weft, torch):
            grads, found = [T.tensor(values), T.ones(3)], T.tensor(0.)
            T._amp_foreach_non_finite_check_and_unscale_(grads, found, T.tensor(0.5))
            made.append(([g.tolist() for g in grads[1:]], found.item()))
        assert made[0] == made[1]
