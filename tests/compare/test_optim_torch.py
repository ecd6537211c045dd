"""Optimizers beside PyTorch's: every option, type of parameter, state, and derivatives through the step."""
import copy
import importlib
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

COMMON = [dict(), dict(maximize=True)]
DECAY = [dict(weight_decay=0.1), dict(weight_decay=0.1, maximize=True)]
OPTIONS = {
    "SGD": [*COMMON, *DECAY, dict(momentum=0.9), dict(momentum=0.9, dampening=0.3, weight_decay=0.01),
            dict(momentum=0.9, nesterov=True), dict(momentum=0.9, nesterov=True, weight_decay=0.1, maximize=True)],
    "Adam": [*COMMON, *DECAY, dict(amsgrad=True), dict(betas=(0.5, 0.9), eps=1e-3),
             dict(weight_decay=0.1, decoupled_weight_decay=True), dict(amsgrad=True, weight_decay=0.1, maximize=True)],
    "AdamW": [*COMMON, *DECAY, dict(amsgrad=True), dict(weight_decay=0.0)],
    "Adadelta": [*COMMON, *DECAY, dict(rho=0.5, eps=1e-3), dict(lr=0.1)],
    "Adagrad": [*COMMON, *DECAY, dict(lr_decay=0.1), dict(initial_accumulator_value=0.3), dict(eps=0.01, lr=0.1)],
    "Adamax": [*COMMON, *DECAY, dict(betas=(0.8, 0.9), eps=1e-3)],
    "ASGD": [*COMMON, *DECAY, dict(t0=3), dict(lambd=0.1, alpha=0.5, t0=2)],
    "NAdam": [*COMMON, *DECAY, dict(momentum_decay=0.1), dict(weight_decay=0.1, decoupled_weight_decay=True)],
    "RAdam": [*COMMON, *DECAY, dict(betas=(0.9, 0.9)), dict(weight_decay=0.1, decoupled_weight_decay=True)],
    "RMSprop": [*COMMON, *DECAY, dict(momentum=0.9), dict(centered=True),
                dict(centered=True, momentum=0.5, weight_decay=0.1), dict(alpha=0.5, eps=0.01)],
    "Rprop": [*COMMON, dict(etas=(0.3, 1.5)), dict(step_sizes=(1e-3, 0.02)), dict(lr=0.1)],
    "Adafactor": [*COMMON, *DECAY, dict(d=2.0), dict(beta2_decay=-0.5, eps=(1e-3, 1e-2))],
    "Muon": [dict(), dict(nesterov=False), dict(momentum=0.5, weight_decay=0.0), dict(adjust_lr_fn="match_rms_adamw"),
             dict(ns_steps=3)],
}
CASES = [(name, options) for name, rows in OPTIONS.items() for options in rows]
case = pytest.mark.parametrize("name, options", CASES, ids=lambda v: v if isinstance(v, str)
                               else "-".join(f"{k}={x}" for k, x in v.items()))
DIFFERENTIABLE = ["SGD", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop"]


def array(rng, shape, dtype):
    if dtype.startswith("complex"):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype if dtype.startswith("float") and dtype != "float16" else "float32")


def params_of(lib, name, dtype):
    rng = np.random.default_rng(1)
    shapes = [(4, 3), (5, 2)] if name == "Muon" else [(4, 3), (5,), (2, 3, 2), ()]
    return [lib.tensor(array(rng, shape, dtype)).to(getattr(lib, dtype)).requires_grad_() for shape in shapes]


def numpy_of(t):
    t = t.detach()
    return np.asarray((t if t.is_complex() or str(t.dtype).endswith("64") else t.float()).numpy())


def run(lib, name, options, dtype="float32", steps=8, lr=None, change=None):
    params = params_of(lib, name, dtype)
    options = {**options, **({} if lr is None else {"lr": lr(lib)})}
    if lib is torch and name not in ("Muon",):
        options["foreach"] = False
    optimizer = getattr(lib.optim, name)(params, **options)
    rng = np.random.default_rng(2)
    for step in range(steps):
        for i, p in enumerate(params):
            grad = lib.tensor(array(rng, tuple(p.shape), dtype)).to(p.dtype)
            p.grad = None if i == 1 and step in (0, 3) else grad
        optimizer.step()
        if change is not None:
            change(optimizer, step)
    return params, optimizer


def same_states(ours, theirs, limit):
    mine, other = ours.state_dict(), theirs.state_dict()
    assert list(mine["state"]) == list(other["state"])
    for number, state in other["state"].items():
        assert sorted(mine["state"][number]) == sorted(state)
        for key, value in state.items():
            found = mine["state"][number][key]
            if isinstance(value, torch.Tensor):
                assert tuple(found.shape) == tuple(value.shape) and str(found.dtype).split(".")[-1] == str(value.dtype).split(".")[-1], key
                np.testing.assert_allclose(numpy_of(found), numpy_of(value), rtol=limit, atol=limit, err_msg=key)
            else:
                assert found == value
    for a, b in zip(mine["param_groups"], other["param_groups"]):
        assert {k: v for k, v in a.items() if k != "foreach"} == {k: v for k, v in b.items() if k != "foreach"}


LIMITS = {"float64": 1e-12, "float32": 2e-6, "complex64": 4e-6, "complex128": 1e-12, "bfloat16": 2e-2, "float16": 4e-3}


@case
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_option_steps_as_in_torch(name, options, dtype):
    (ours, our_optimizer), (theirs, their_optimizer) = run(weft, name, options, dtype), run(torch, name, options, dtype)
    limit = 2e-2 if name == "Muon" else LIMITS[dtype]       # Muon works in bfloat16
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(numpy_of(a), numpy_of(b), rtol=limit, atol=limit)
    same_states(our_optimizer, their_optimizer, limit)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "bfloat16", "float16"])
@pytest.mark.parametrize("name", [n for n in OPTIONS if n not in ("Muon", "Adafactor")])
def test_other_types_of_parameters(name, dtype):
    for options in OPTIONS[name][:1] + OPTIONS[name][-1:]:
        (ours, our_optimizer), (theirs, their_optimizer) = run(weft, name, options, dtype,
                                                               4), run(torch, name, options, dtype, 4)
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(numpy_of(a), numpy_of(b), rtol=LIMITS[dtype], atol=LIMITS[dtype])
        same_states(our_optimizer, their_optimizer, LIMITS[dtype] * 4)


@pytest.mark.parametrize("name", ["Muon", "Adafactor"])
def test_complex_parameters_are_refused_where_torch_does(name):
    for lib in (weft, torch):
        with pytest.raises(RuntimeError, match="does not support complex"):
            run(lib, name, {}, "complex64")


@pytest.mark.parametrize("shape", [(), (1,)])
@pytest.mark.parametrize("name", list(OPTIONS))
def test_rates_as_tensors(name, shape):
    lr = lambda lib: lib.full(shape, 0.02)      # noqa: E731
    (ours, _), (theirs, _) = run(weft, name, {}, lr=lr), run(torch, name, {}, lr=lr)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(numpy_of(a), numpy_of(b), rtol=2e-2 if name == "Muon" else 5e-6,
                                   atol=2e-2 if name == "Muon" else 5e-6)


@pytest.mark.parametrize("name", list(OPTIONS))
def test_a_checkpoint_of_torch_goes_on_here(name):
    """The state_dict of one library, turned into the other's tensors, gives the same next steps."""
    options = OPTIONS[name][-1]
    theirs, their_optimizer = run(torch, name, options, "float64", 5)
    ours, our_optimizer = run(weft, name, options, "float64", 0)
    with weft.no_grad():
        for a, b in zip(ours, theirs):
            a.copy_(weft.tensor(b.detach().numpy()))
    state = their_optimizer.state_dict()
    turned = {n: {k: weft.tensor(v.numpy()) if isinstance(v, torch.Tensor) else v for k, v in s.items()}
              for n, s in state["state"].items()}
    our_optimizer.load_state_dict({"state": turned, "param_groups": state["param_groups"]})
    rng = np.random.default_rng(7)
    for _ in range(4):
        for a, b in zip(ours, theirs):
            grad = rng.standard_normal(tuple(a.shape))
            a.grad, b.grad = weft.tensor(grad), torch.tensor(grad)
        our_optimizer.step()
        their_optimizer.step()
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(numpy_of(a), numpy_of(b), rtol=2e-2 if name == "Muon" else 1e-11,
                                   atol=2e-2 if name == "Muon" else 1e-11)


# derivatives through a step

def unrolled(lib, name, options, steps=3, shift=None):
    """d(loss after some steps)/d(start, data, states): the step itself is differentiated."""
    rng = np.random.default_rng(3)
    inputs = []

    def leaf(values):
        if shift is not None and shift[0] == len(inputs):
            values[shift[1]] += shift[2]
        inputs.append(lib.tensor(values).requires_grad_())
        return inputs[-1]
    p, data = leaf(rng.standard_normal((3, 2))).clone(), leaf(rng.standard_normal((3, 2)))
    optimizer = getattr(lib.optim, name)([p], differentiable=True, **options)
    given = {"SGD": ("momentum_buffer",), "Adam": ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"),
             "Adadelta": ("square_avg", "acc_delta"), "Adagrad": ("sum",), "Adamax": ("exp_avg", "exp_inf"),
             "ASGD": ("ax",), "NAdam": ("exp_avg", "exp_avg_sq"), "RAdam": ("exp_avg", "exp_avg_sq"),
             "RMSprop": ("square_avg", "momentum_buffer", "grad_avg"), "Rprop": ("prev", "step_size")}
    made = {key: leaf((rng.random((3, 2)) + 0.5) * (0.1 if key == "grad_avg" else 1)).clone()
            for key in given["Adam" if name == "AdamW" else name]}
    scalars = {"ASGD": {"eta": 0.1, "mu": 1.0}, "NAdam": {"mu_product": 0.8}}.get(name, {})
    made.update({k: lib.tensor(v, dtype=lib.float64) for k, v in {**scalars, "step": 10.0}.items() if name != "SGD"})
    optimizer.state[p].update(made)
    for _ in range(steps):
        grad = 2 * (p.clone() - data) * data.sin() + 0.1
        p.grad = grad
        optimizer.step()
    loss = (p ** 2 * data).sum() + sum(v.sum() for v in optimizer.state[p].values() if v.dim())
    return [None if g is None else numpy_of(g) for g in lib.autograd.grad(loss, inputs,
                                                                          allow_unused=True)], numpy_of(loss)


def by_differences(name, options, steps, width=1e-6):
    """The same derivatives from differences of the loss."""
    found = []
    for i, g in enumerate(unrolled(weft, name, options, steps)[0]):
        slopes = np.zeros((3, 2))
        for place in np.ndindex(3, 2) if g is not None else ():
            up, down = (unrolled(weft, name, options, steps, shift=(i, place, sign * width))[1] for sign in (1, -1))
            slopes[place] = (up - down) / (2 * width)
        found.append(slopes)
    return found


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("name, options",
                         [(n, {**o, **({"amsgrad": True} if n.startswith("Adam") and n in ("Adam", "AdamW") else {})})
                                           for n in DIFFERENTIABLE for o in OPTIONS[n] if not o.get("nesterov")],
                         ids=lambda v: v if isinstance(v, str) else "-".join(f"{k}={x}" for k, x in v.items()))
def test_steps_are_differentiated_as_in_torch(name, options, steps):
    ours = unrolled(weft, name, options, steps)
    try:
        theirs = unrolled(torch, name, options, steps)
    except RuntimeError as error:       # several steps: PyTorch overwrites what it needs itself
        assert steps > 1 and "modified by an inplace operation" in str(error)
        theirs = by_differences(name, options, steps), ours[1]
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6)
    for a, b in zip(ours[0], theirs[0]):
        if b is None:
            assert a is None or not a.any()
        else:
            np.testing.assert_allclose(np.zeros_like(b) if a is None else a, b, rtol=1e-5, atol=1e-7)


def hyper(lib, name, wrt):
    """d(loss after two steps)/d(options given as tensors)."""
    rng = np.random.default_rng(3)
    p = lib.tensor(rng.standard_normal((3, 2))).requires_grad_()
    leaves = {k: lib.tensor(v, dtype=lib.float64).requires_grad_() for k, v in wrt.items()}
    options = {"lr": 0.1, **{k: v.clone() for k, v in leaves.items()}}
    if "beta1" in options:
        options["betas"] = (options.pop("beta1"), options.pop("beta2"))
    q, state = p.clone(), None
    for _ in range(2):
        q = q.clone()
        q.grad = (q.detach().clone() * 2 + 1)
        optimizer = getattr(lib.optim, name)([q], differentiable=True, **options)
        if state is not None:
            optimizer.state[q].update({k: v.clone() for k, v in state.items()})
        optimizer.step()
        state = optimizer.state[q]
    return [numpy_of(g) for g in lib.autograd.grad((q ** 2).sum(), list(leaves.values()))]


@pytest.mark.parametrize("name, wrt", [("SGD", dict(lr=0.1)), ("SGD", dict(lr=0.1, weight_decay=0.2)),
                                       ("Adam", dict(lr=0.1)), ("Adam", dict(lr=0.1, weight_decay=0.2)),
                                       ("Adam", dict(lr=0.1, beta1=0.9, beta2=0.99)), ("AdamW", dict(lr=0.1)),
                                       ("RAdam", dict(lr=0.1)), ("NAdam", dict(lr=0.1))])
def test_derivatives_by_options(name, wrt):
    for a, b in zip(hyper(weft, name, wrt), hyper(torch, name, wrt)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-8)      # the step count is a float32


# LBFGS

@pytest.mark.parametrize("options", [dict(), dict(lr=0.1), dict(line_search_fn="strong_wolfe"),
                                     dict(history_size=3, max_iter=7), dict(max_eval=4, line_search_fn="strong_wolfe"),
                                     dict(tolerance_change=1e-3), dict(tolerance_grad=0.5)])
def test_lbfgs_in_double(options):
    def run(lib):
        rng = np.random.default_rng(1)
        ps = [lib.tensor(rng.standard_normal(s)).requires_grad_() for s in ((5, 4), (4, 3))]
        x, y = lib.tensor(rng.standard_normal((7, 5))), lib.tensor(rng.standard_normal((7, 3)))
        optimizer = lib.optim.LBFGS(ps, **options)
        losses = []

        def closure():
            optimizer.zero_grad()
            loss = ((lib.tanh(x @ ps[0]) @ ps[1] - y) ** 2).mean()
            loss.backward()
            losses.append(loss.item())
            return loss
        for _ in range(2):
            assert float(optimizer.step(closure)) > 0
        state = optimizer.state_dict()["state"][0]
        return losses, sorted(state), state["func_evals"], state["n_iter"]
    found = run(weft), run(torch)
    assert found[0][1:] == found[1][1:] and len(found[0][0]) == len(found[1][0])
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)


def test_lbfgs_in_double_from_a_state_of_torch():
    rng = np.random.default_rng(1)
    start, x, y = (rng.standard_normal(s) for s in ((5, 3), (7, 5), (7, 3)))

    def step(lib, p, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = ((lib.tanh(lib.tensor(x) @ p) - lib.tensor(y)) ** 2).mean()
            loss.backward()
            return loss
        return float(optimizer.step(closure))
    theirs = torch.tensor(start).requires_grad_()
    their_optimizer = torch.optim.LBFGS([theirs], max_iter=4)
    step(torch, theirs, their_optimizer)
    ours = weft.tensor(theirs.detach().numpy().copy()).requires_grad_()
    our_optimizer = weft.optim.LBFGS([ours], max_iter=4)

    def turn(value):
        if isinstance(value, torch.Tensor):
            return weft.tensor(value.numpy().copy())
        return [turn(v) for v in value] if isinstance(value, list) else value
    state = their_optimizer.state_dict()
    our_optimizer.load_state_dict({"state": {0: {k: turn(v) for k, v in state["state"][0].items()}},
                                   "param_groups": state["param_groups"]})
    for _ in range(3):
        assert step(weft, ours, our_optimizer) == pytest.approx(step(torch, theirs, their_optimizer), rel=1e-9)


def test_sparse_adam_by_dense_gradients():
    """PyTorch's takes sparse gradients; the same rows are moved here by dense ones."""
    rng = np.random.default_rng(5)
    table = rng.standard_normal((6, 3)).astype(np.float32)
    ours, theirs = weft.tensor(table.copy()).requires_grad_(), torch.tensor(table.copy()).requires_grad_()
    our_optimizer, their_optimizer = weft.optim.SparseAdam([ours], lr=0.1), torch.optim.SparseAdam([theirs], lr=0.1)
    for rows in ([0, 2], [2, 5], [1], [0, 1, 2]):
        grad = np.zeros((6, 3), np.float32)
        grad[rows] = rng.standard_normal((len(rows), 3))
        ours.grad, theirs.grad = weft.tensor(grad), torch.tensor(grad).to_sparse(1)
        our_optimizer.step()
        their_optimizer.step()
        np.testing.assert_allclose(numpy_of(ours), numpy_of(theirs), rtol=1e-6, atol=1e-6)
    assert our_optimizer.state_dict()["state"][0]["step"] == their_optimizer.state_dict()["state"][0]["step"] == 4


# what is refused

BAD = [("SGD", dict(lr=-1)), ("SGD", dict(momentum=-1)), ("SGD", dict(weight_decay=-1)), ("SGD", dict(nesterov=True)),
       ("SGD", dict(nesterov=True, momentum=0.9, dampening=0.1)), ("SGD", dict(fused=True, foreach=True)),
       ("SGD", dict(fused=True, differentiable=True)), ("Adam", dict(lr=-1)), ("Adam", dict(eps=-1)),
       ("Adam", dict(betas=(1.0, 0.5))), ("Adam", dict(betas=(0.5, -1.0))), ("Adam", dict(betas=(0, 0.5))),
       ("Adam", dict(weight_decay=-1)), ("Adam", dict(fused=True, foreach=True)),
       ("Adam", dict(fused=True, differentiable=True)), ("AdamW", dict(lr=-1)), ("AdamW", dict(betas=(0.5, 1.5))),
       ("Adadelta", dict(rho=1.1)), ("Adadelta", dict(eps=-1)), ("Adagrad", dict(lr_decay=-1)),
       ("Adagrad", dict(initial_accumulator_value=-1)), ("Adagrad", dict(fused=True, foreach=True)),
       ("Adamax", dict(betas=(0.1, 1.0))), ("ASGD", dict(weight_decay=-1)), ("NAdam", dict(momentum_decay=-1)),
       ("RAdam", dict(eps=-1)), ("RMSprop", dict(alpha=-1)), ("RMSprop", dict(momentum=-1)),
       ("Rprop", dict(etas=(1.5, 2.0))), ("Rprop", dict(lr=-1)), ("SparseAdam", dict(lr=0)),
       ("SparseAdam", dict(eps=0)), ("Adafactor", dict(lr=-1)), ("Adafactor", dict(d=0.5)),
       ("Adafactor", dict(beta2_decay=1)), ("Adafactor", dict(eps=(-1, 1))), ("Adafactor", dict(weight_decay=-1)),
       ("Muon", dict(lr=-1)), ("Muon", dict(momentum=-1)), ("Muon", dict(adjust_lr_fn="big")), ("LBFGS", dict(lr=-1))]


@pytest.mark.parametrize("name, options", BAD + [(n, "two rates") for n in [*OPTIONS, "SparseAdam", "LBFGS"]])
def test_the_same_options_are_refused_in_the_same_words(name, options):
    found = []
    for lib in (weft, torch):
        with pytest.raises(Exception) as error:
            getattr(lib.optim, name)([lib.ones(2, 2, requires_grad=True)],
                                     **(dict(lr=lib.tensor([0.1, 0.2])) if options == "two rates" else options))
        found.append((error.type, str(error.value).replace("tensor", "")))
    assert found[0] == found[1]


GROUPS = {
    "a tensor": lambda lib, p, q: lib.optim.SGD(p), "nothing": lambda lib, p, q: lib.optim.SGD([]),
    "numbers": lambda lib, p, q: lib.optim.SGD([1.0]), "a set": lambda lib, p, q: lib.optim.SGD([{"params": {p}}]),
    "no leaf": lambda lib, p, q: lib.optim.SGD([p * 2]), "no params": lambda lib, p, q: lib.optim.SGD([{"lr": 1}]),
    "one in two groups": lambda lib, p, q: lib.optim.SGD([{"params": [p]}, {"params": [q, p]}]),
    "some names": lambda lib, p, q: lib.optim.SGD([("p", p), q]), "names later": lambda lib, p,
    q: lib.optim.SGD([p]).add_param_group({"params": [("q", q)]}), "names before": lambda lib, p,
    q: lib.optim.SGD([("p", p)]).add_param_group({"params": [q]}), "a list as group": lambda lib, p,
    q: lib.optim.SGD([p]).add_param_group([q]), "groups for LBFGS": lambda lib, p,
    q: lib.optim.LBFGS([{"params": [p]}, {"params": [q]}]), "a vector for Muon": lambda lib, p, q: lib.optim.Muon([p]),
    "complex for SparseAdam": lambda lib, p, q: lib.optim.SparseAdam([p.detach().to(lib.complex64)]),
    "more groups saved": lambda lib, p,
    q: lib.optim.SGD([p]).load_state_dict(lib.optim.SGD([{"params": [p]}, {"params": [q]}]).state_dict()),
    "more params saved": lambda lib, p, q: lib.optim.SGD([p]).load_state_dict(lib.optim.SGD([p, q]).state_dict()),
    "no state": lambda lib, p, q: lib.optim.SGD([p]).load_state_dict({}),
}


@pytest.mark.parametrize("what", GROUPS)
def test_the_same_groups_are_refused(what):
    kinds = []
    for lib in (weft, torch):
        with pytest.raises(Exception) as error:
            GROUPS[what](lib, lib.ones(2, requires_grad=True), lib.ones(3, requires_grad=True))
        kinds.append(error.type)
    assert kinds[0] is kinds[1]


def test_the_same_tensor_twice_in_a_list_is_warned_of():
    for lib in (weft, torch):
        p = lib.ones(2, requires_grad=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lib.optim.SGD([p, p], lr=0.1)
        assert [w.category for w in caught] == [UserWarning] and "duplicate parameters" in str(caught[0].message)


def test_hooks_see_what_they_see_in_torch():
    def run(lib):
        everywhere = importlib.import_module(lib.__name__ + ".optim.optimizer")
        seen = []
        p = lib.ones(2, requires_grad=True)
        p.grad = lib.ones(2)
        optimizer = lib.optim.SGD([p], lr=0.1)
        handles = [everywhere.register_optimizer_step_pre_hook(lambda o, a,
                                                               k: seen.append(("global pre", a[0] is o, len(a),
                                                                               dict(k)))),
                   everywhere.register_optimizer_step_post_hook(lambda o, a, k: seen.append(("global post", len(a))))]
        optimizer.register_step_pre_hook(lambda o, a, k: ((o,), {"closure": lambda: seen.append("closure") or 3.0}))
        optimizer.register_step_post_hook(lambda o, a, k: seen.append(("post", len(a), sorted(k))))
        assert optimizer.step() == 3.0
        for handle in handles:
            handle.remove()
        optimizer.register_step_pre_hook(lambda o, a, k: 7)
        with pytest.raises(RuntimeError, match="must return None or a tuple"):
            optimizer.step()
        for register in (optimizer.register_state_dict_pre_hook, optimizer.register_load_state_dict_post_hook):
            register(lambda o: seen.append("first"))
            register(lambda o: seen.append("before it"), prepend=True)
        optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1})
        optimizer.register_load_state_dict_pre_hook(lambda o, s: seen.append(s.pop("more")))
        optimizer.load_state_dict(optimizer.state_dict())
        return seen
    assert run(weft) == run(torch)


@pytest.mark.parametrize("name", list(OPTIONS))
def test_defaults_groups_and_text_are_the_same(name):
    texts = []
    for lib in (weft, torch):
        layer = lib.nn.Linear(2, 2, bias=False)
        optimizer = getattr(lib.optim, name)([("weight", layer.weight)])
        texts.append((repr(optimizer), optimizer.defaults, [sorted(g) for g in optimizer.state_dict()["param_groups"]],
                      optimizer.state_dict()["param_groups"][0]["param_names"]))
        copied = copy.deepcopy(optimizer)
        assert type(copied) is type(optimizer) and copied.param_groups[0]["params"][0] is not layer.weight
    assert texts[0] == texts[1]
