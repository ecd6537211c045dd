"""Tests that every layer gets from the `_samples` of its class: gradients, modes, states, copies, types, meta, hooks."""
import copy
import pickle
import warnings

import numpy as np
import pytest
from layer_samples import (
    CALLED,
    CASES,
    LAYERS,
    call,
    construct,
    converted,
    given_to,
    inputs_of,
    is_in_place,
    layer_of,
    takes_device,
    wanted_inputs,
)

import weft
from weft.autograd import gradcheck
from weft.tensor.nested import tensors_in

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
each = pytest.mark.parametrize("name,i", CASES)
each_called = pytest.mark.parametrize("name,i", CALLED)
SMALL = 120         # elements of inputs and parameters times elements of outputs: the whole Jacobian is looked at


def arrays(tensors):
    return [t.detach().numpy().copy() for t in tensors]


def assert_same(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(arrays(ours), arrays(theirs)):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_has_samples_or_a_reason(name):
    own = vars(LAYERS[name])
    assert own.get("_samples") or own.get("_why_no_samples"), f"{name} has no _samples of its own"


@each_called
def test_forward_is_finite(name, i):
    for layer in (layer_of(name, i), layer_of(name, i).eval()):
        made = call(layer, inputs_of(name, i))
        assert made
        for t in made:
            assert np.isfinite(t.detach().numpy()).all()


def marked(reasons):
    """All cases that can be called, those with a reason expected to fail."""
    return [pytest.param(*case, marks=pytest.mark.xfail(reason=reasons[case], strict=False)) if case in reasons
            else case for case in CALLED]


@each_called
def test_gradients_to_second_order(name, i):
    layer, (args, keywords) = layer_of(name, i), inputs_of(name, i)
    inputs = [t.requires_grad_() for t in wanted_inputs(name, i, args)]
    given = (*inputs, *[p for p in layer.parameters() if p.requires_grad])
    outputs = [t for t in call(layer, (args, keywords)) if t.requires_grad]
    assert bool(outputs) == bool(given)
    if not outputs:
        return      # whole numbers in, and nothing to train

    def function(*_):
        return tuple(call(layer, (args, keywords)))

    def gradients():
        return weft.autograd.grad(weighted(function()), given, create_graph=True, allow_unused=True)
    if sum(t.numel() for t in given) * sum(t.numel() for t in outputs) <= SMALL:
        assert gradcheck(function, given)
    else:
        check_along_a_direction(function, given)
    check_along_a_direction(gradients, given)
    if modes_differ(layer):
        layer.eval()
        check_along_a_direction(function, given)
        check_along_a_direction(gradients, given)


def modes_differ(layer):
    return any(m._eval_differs() for m in layer.modules() if hasattr(m, "_eval_differs"))


def weighted(outputs):
    """One number of all outputs that depend on something, each element with a weight of its own; None if none does."""
    rng = np.random.default_rng(1)
    parts = [(o * weft.tensor(rng.uniform(0.5, 1.5, tuple(o.shape)))).sum() for o in outputs
             if o is not None and o.is_floating_point() and o.requires_grad]
    return sum(parts) if parts else None


def check_along_a_direction(function, given, eps=1e-5):
    """The slope of all outputs along one direction of all inputs, by the backward and by differences."""
    rng = np.random.default_rng(0)
    directions = [rng.uniform(-1, 1, tuple(t.shape)) for t in given]
    value = weighted(function())
    if value is None:
        return      # the gradient of what is linear: gradcheck of the first order has seen that it is constant
    found = weft.autograd.grad(value, given, allow_unused=True)
    slope = sum(float((g.numpy() * u).sum()) for g, u in zip(found, directions) if g is not None)

    def moved(by):
        starts = [t._array.copy() for t in given]
        for t, u in zip(given, directions):
            t._array[...] += by * u
        value = weighted(function()).item()
        for t, start in zip(given, starts):
            t._array[...] = start
        return value
    difference = (moved(eps) - moved(-eps)) / (2 * eps)
    assert abs(slope - difference) <= 1e-6 * max(1.0, abs(difference)), (slope, difference)


@each_called
def test_eval_differs_only_where_it_should(name, i):
    layer, given = layer_of(name, i), inputs_of(name, i)
    assert layer.train() is layer and all(m.training for m in layer.modules())
    training = call(layer, given)
    assert layer.eval() is layer and not any(m.training for m in layer.modules())
    evaluated = call(layer, given)
    assert_same(call(layer.eval(), given), evaluated)
    assert_same(call(layer.train(), given), training)
    same = all(np.array_equal(a, b) for a, b in zip(arrays(training), arrays(evaluated)))
    assert same is not modes_differ(layer)


@each_called
def test_evaluation_leaves_the_state_alone(name, i):
    layer = layer_of(name, i).eval()
    args, keywords = inputs_of(name, i)
    layer(*args, **keywords)        # a table with max_norm is renormed once
    before = arrays(layer.state_dict().values())
    layer(*args, **keywords)
    for a, b in zip(before, arrays(layer.state_dict().values())):
        np.testing.assert_array_equal(a, b)


@each
def test_state_goes_into_a_fresh_layer(name, i):
    layer, given = layer_of(name, i), given_to(name, i)
    fresh = construct(name, i).double()
    assert list(fresh.state_dict()) == list(layer.state_dict())
    fresh.load_state_dict(layer.state_dict())
    for mode in (True, False):
        assert_same(call(fresh.train(mode), given), call(layer.train(mode), given))


@each
def test_a_state_that_does_not_fit_changes_nothing(name, i):
    layer = layer_of(name, i)
    before = arrays(layer.state_dict().values())
    for what in ("unknown", "shape", "missing") if before else ("unknown",):
        state = layer.state_dict()      # which also says the version that it is of
        for key in state:
            state[key] = state[key] + 1
        if what == "unknown":
            state["nobody.knows"] = weft.ones(1)
        elif what == "shape":
            state[key] = weft.ones((*state[key].shape, 2))
        else:
            del state[key]
        with pytest.raises(RuntimeError):
            layer.load_state_dict(state)
        for a, b in zip(before, arrays(layer.state_dict().values()), strict=True):
            np.testing.assert_array_equal(a, b)


@each
@pytest.mark.parametrize("way", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))],
                         ids=["deepcopy", "pickle"])
def test_copies_are_the_same_and_independent(name, i, way):
    layer, given = layer_of(name, i), given_to(name, i)
    made = way(layer)
    assert type(made) is type(layer) and repr(made) == repr(layer)
    before = call(layer, given)
    assert_same(call(made, given), before)
    with weft.no_grad():
        for t in [*made.parameters(), *made.buffers()]:
            t.fill_(7)
    assert_same(call(layer, given), before)


@pytest.mark.parametrize("name,i", [case for case in CALLED if issubclass(LAYERS[case[0]], weft.nn.LazyModuleMixin)])
def test_a_layer_that_waits_can_be_copied(name, i):
    layer = construct(name, i).double()
    for made in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        state = layer_of(name, i).state_dict()
        made.load_state_dict(state)
        assert_same(call(made, inputs_of(name, i)), call(layer_of(name, i), inputs_of(name, i)))


@each_called
def test_float32_is_near_float64(name, i):
    for mode in (True, False):
        layer, given = layer_of(name, i).train(mode), inputs_of(name, i)
        ours = call(layer_of(name, i, weft.float32).train(mode), inputs_of(name, i, weft.float32))
        exact, random = call(layer, given), is_random(layer, given)
        for a, b in zip(ours, exact, strict=True):
            assert a.shape == b.shape and a.dtype is (weft.float32 if b.dtype is weft.float64 else b.dtype)
            if not random:      # a type's random numbers are its own
                np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)


def is_random(layer, given):
    """Whether a call takes random numbers."""
    weft.manual_seed(0)
    fresh = weft.get_rng_state()
    call(layer, given)
    return not weft.equal(weft.get_rng_state(), fresh)


@each_called
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_is_near_float32(name, i, kind):
    dtype = getattr(weft, kind)
    layer, (args, keywords) = layer_of(name, i, dtype).eval(), inputs_of(name, i, dtype)
    if not getattr(layer, "_takes_half", True):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            call(layer, (args, keywords))
        return
    made, random = call(layer, (args, keywords)), is_random(layer, (args, keywords))
    keywords = {key: converted(value, weft.float32) for key, value in keywords.items()}
    exact = call(layer.float(), (converted(args, weft.float32), keywords))
    for a, b in zip(made, exact, strict=True):
        assert a.dtype is (dtype if b.is_floating_point() else b.dtype)
        assert a.shape == b.shape
        if b.is_floating_point() and not random:
            scale = float(b.detach().abs().max())
            limit = {"float16": 1e-2, "bfloat16": 6e-2}[kind]
            np.testing.assert_allclose(a.detach().float().numpy(), b.detach().numpy(), rtol=limit,
                                       atol=limit * max(scale, 1.0))


def on_meta(value):
    if type(value) in (list, tuple):
        return type(value)(on_meta(v) for v in value)
    if isinstance(value, dict):
        return {key: on_meta(v) for key, v in value.items()}
    return value.to("meta") if hasattr(value, "to") else value


def has_an_op_that_reads(layer, given):
    """Whether an op of a forward looks at values, which meta tensors don't have."""
    found = []

    class Reads(weft.core.seam.Watcher):
        def read(self, tensor, how):
            found.append(how)
    with Reads():
        call(layer, given)
    return bool(found)


def specs(tensors):
    return [(tuple(t.shape), t.dtype) for t in tensors]


NO_BAG = "_bag_sum has no shape rule"
NOT_ON_META = {("EmbeddingBag", 0): NO_BAG, ("EmbeddingBag", 2): NO_BAG,
               ("CTCLoss", 3): "ctc_loss takes the stand-in of target_lengths for its values"}


@pytest.mark.parametrize("name,i", marked(NOT_ON_META))
def test_meta_gives_the_shapes(name, i):
    if has_an_op_that_reads(layer_of(name, i), inputs_of(name, i)):
        return
    real = call(layer_of(name, i), inputs_of(name, i))
    args, keywords = inputs_of(name, i)
    if any(m._reads_values() for m in layer_of(name, i).modules() if hasattr(m, "_reads_values")):
        with pytest.raises(RuntimeError, match="meta tensors"):
            call(layer_of(name, i).to("meta"), (on_meta(args), on_meta(keywords)))
        return
    layers = [layer_of(name, i).to("meta")]
    if takes_device(LAYERS[name]):
        layers.append(construct(name, i, device="meta").double())
    for layer in layers:
        made = call(layer, (on_meta(args), on_meta(keywords)))
        assert specs(made) == specs(real)
        assert all(t.is_meta for t in (*made, *layer.parameters()) if t.is_floating_point())


@each
def test_repr_says_what_it_is(name, i):
    layer = layer_of(name, i)
    text = repr(layer)
    assert text.startswith(f"{type(layer).__name__}(") and text.endswith(")")
    for line in layer.extra_repr().split("\n"):
        assert line.strip() in text
    if not list(layer.children()) and layer.extra_repr() and "\n" not in layer.extra_repr():
        assert text == f"{type(layer).__name__}({layer.extra_repr()})"
    try:
        again = eval(text, dict(vars(weft.nn)))
    except (SyntaxError, TypeError, NameError, ValueError):
        return      # PyTorch's form of this one is not an expression
    assert repr(again) == text


@each_called
def test_zero_grad_both_ways(name, i):
    layer = layer_of(name, i)
    outputs = [t for t in call(layer, inputs_of(name, i)) if t.requires_grad]
    if not outputs:
        assert not [p for p in layer.parameters() if p.requires_grad]
        return
    sum(t.sum() for t in outputs).backward()
    held = [(p, p.grad) for p in layer.parameters() if p.grad is not None]
    assert held
    layer.zero_grad(set_to_none=False)
    for p, grad in held:
        assert p.grad is grad and not grad.any()
    layer.zero_grad()
    assert all(p.grad is None for p in layer.parameters())


@each_called
def test_frozen_layers_get_no_gradient(name, i):
    layer = layer_of(name, i)
    assert layer.requires_grad_(False) is layer
    args, keywords = inputs_of(name, i)
    assert not any(t.requires_grad for t in call(layer, (args, keywords)))
    inputs = [t.requires_grad_() for t in wanted_inputs(name, i, args)]
    outputs = [t for t in call(layer, (args, keywords)) if t.requires_grad]
    assert bool(outputs) == bool(inputs)
    if outputs:
        sum(t.sum() for t in outputs).backward()
    assert all(p.grad is None for p in layer.parameters())
    assert all(t.grad is not None for t in inputs) or not all(reaches(t, outputs) for t in inputs)


def reaches(t, outputs):
    return weft.autograd.grad(sum(o.sum() for o in outputs), t, allow_unused=True)[0] is not None


@each_called
def test_hooks_fire_once(name, i):
    layer, (args, keywords), seen = layer_of(name, i), inputs_of(name, i), []
    layer.register_forward_pre_hook(lambda *_: seen.append("before"))
    layer.register_forward_hook(lambda *_: seen.append("after"))
    layer(*args, **keywords)
    assert seen == ["before", "after"]
    inputs = [] if is_in_place(layer) else [t.requires_grad_() for t in wanted_inputs(name, i, args)]
    layer.register_full_backward_hook(lambda *_: seen.append("backward"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = layer(*args, **keywords)
        outputs = [t for t in tensors_in(made) if t.requires_grad]
        if outputs:
            sum(t.sum() for t in outputs).backward()
    # as in PyTorch, tensors deeper than in a tuple are not looked for
    seen_outputs = [t for t in (made if isinstance(made, tuple) else (made,)) if any(t is o for o in outputs)]
    assert seen[2:] == ["before", "after"] + ["backward"] * bool(seen_outputs)
    assert all(t.grad is None or t.grad.shape == t.shape for t in inputs)
