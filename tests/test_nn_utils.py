"""nn.utils without PyTorch: what errors name, what stays untouched, what keeps its identity."""
import copy

import pytest

import weft
from weft import nn, optim
from weft.nn import utils
from weft.nn.utils import parametrize, prune


def net():
    weft.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))


def with_bad_gradients():
    model = net()
    for p in model.parameters():
        p.grad = weft.ones_like(p)
    model[0].weight.grad[0, 0] = float("nan")
    model[0].weight.grad[1, :2] = float("inf")
    model[3].bias.grad[1] = float("-inf")
    return model


# clipping

@pytest.mark.parametrize("given", [lambda m: m.parameters(), lambda m: m.named_parameters(),
                                   lambda m: list(m.parameters()), lambda m: (p for p in m.parameters())],
                         ids=["iterator", "named", "list", "generator"])
def test_clipping_names_the_parameters_that_are_not_finite(given):
    model = with_bad_gradients()
    before = [p.grad.clone() for p in model.parameters()]
    with pytest.raises(RuntimeError) as error:
        utils.clip_grad_norm_(given(model), 1.0, error_if_nonfinite=True)
    text = str(error.value)
    assert "non-finite" in text and "0.weight (4, 3): 1 NaN and 2 Inf of 12" in text and "3.bias (2,): 1 Inf of 2" in text
    assert "1.weight" not in text
    assert all(weft.equal(a.nan_to_num(), p.grad.nan_to_num()) for a, p in zip(before, model.parameters()))


def test_clipping_names_places_where_there_are_no_names():
    good, bad = weft.ones(2, requires_grad=True), weft.ones(2, requires_grad=True)
    good.grad, bad.grad = weft.ones(2), weft.tensor([1.0, float("nan")])
    with pytest.raises(RuntimeError, match=r"parameter 1 \(2,\): 1 NaN of 2"):
        utils.clip_grad_norm_([good, bad], 1.0, error_if_nonfinite=True)
    with pytest.raises(RuntimeError, match="tensor 1"):
        utils.get_total_norm([good.grad, bad.grad], error_if_nonfinite=True)


def test_a_norm_that_overflows_is_told_from_a_bad_gradient():
    p = weft.ones(2, requires_grad=True)
    p.grad = weft.full((2,), 3e38)
    with pytest.raises(RuntimeError, match="every gradient is finite"):
        utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)


def test_gradients_within_the_limit_are_untouched():
    model = net()
    model(weft.randn(5, 3)).sum().backward()
    before = [p.grad.clone() for p in model.parameters()]
    utils.clip_grad_norm_(model.parameters(), 1e6)
    assert all(weft.equal(a, p.grad) for a, p in zip(before, model.parameters()))
    with pytest.warns(UserWarning, match="empty generator"):
        assert utils.clip_grad_norm_(nn.ReLU().parameters(), 1.0) == 0
    with pytest.warns(FutureWarning):
        utils.clip_grad_norm(model.parameters(), 1.0)


# load_state_dict: all or nothing

def unchanged(model, state):
    return all(weft.equal(v, state[k]) for k, v in model.state_dict().items())


@pytest.mark.parametrize("strict", [True, False])
def test_a_size_mismatch_changes_nothing(strict):
    model, state = net(), net().state_dict()
    state = {k: v + 1 for k, v in state.items()}
    state["3.weight"], state["3.bias"] = weft.ones(9, 9), weft.ones(5)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(RuntimeError) as error:
        model.load_state_dict(state, strict=strict)
    assert "size mismatch for 3.weight" in str(error.value) and "size mismatch for 3.bias" in str(error.value) and "nothing was loaded" in str(error.value)
    assert unchanged(model, before)


def test_all_mismatches_are_told_at_once_and_change_nothing():
    model = net()
    state = {k.replace("0.", "first."): v + 1 for k, v in model.state_dict().items()}
    state["3.bias"] = weft.ones(7)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(RuntimeError) as error:
        model.load_state_dict(state)
    for part in ('Missing key(s) in state_dict: "0.weight", "0.bias"',
                 'Unexpected key(s) in state_dict: "first.weight"', "size mismatch for 3.bias",
                 "first.weight -> 0.weight?"):
        assert part in str(error.value)
    assert unchanged(model, before)
    del state["3.bias"]
    found = model.load_state_dict(state, strict=False)
    assert found.missing_keys == ["0.weight", "0.bias", "3.bias"] and weft.equal(model[3].weight, state["3.weight"])


class Override(nn.Module):
    """Its own loading looks at what super() loaded."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(weft.zeros(2))
        self.seen = None

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        if prefix + "old_weight" in state_dict:
            state_dict[prefix + "weight"] = state_dict.pop(prefix + "old_weight")
        super()._load_from_state_dict(state_dict, prefix, *rest)
        self.seen = self.weight.detach().clone()


def test_overrides_see_what_they_loaded_and_are_taken_back():
    model = nn.Sequential(Override(), nn.Linear(2, 1))
    good = {"0.old_weight": weft.tensor([1.0, 2.0]), "1.weight": weft.ones(1, 2), "1.bias": weft.ones(1)}
    assert str(model.load_state_dict(good)) == "<All keys matched successfully>" and model[0].seen.tolist() == [1.0,
                                                                                                                2.0]
    with pytest.raises(RuntimeError, match="size mismatch for 1.bias"):
        model.load_state_dict({**good, "0.old_weight": weft.tensor([5.0, 6.0]), "1.bias": weft.ones(3)})
    assert model[0].seen.tolist() == [5.0, 6.0] and model[0].weight.tolist() == [1.0, 2.0]


def test_post_hooks_see_the_values_and_may_forgive():
    model = nn.Linear(2, 1)
    seen = []

    def forgive(module, keys):
        seen.append(module.weight.tolist())
        keys.missing_keys.clear()
    handle = model.register_load_state_dict_post_hook(forgive)
    model.load_state_dict({"weight": weft.ones(1, 2)})
    assert seen == [[[1.0, 1.0]]]
    handle.remove()
    model.register_load_state_dict_post_hook(lambda module, keys: None)
    with pytest.raises(RuntimeError, match="Missing"):
        model.load_state_dict({"weight": weft.zeros(1, 2)})
    assert model.weight.tolist() == [[1.0, 1.0]]


def test_extra_state_waits_too():
    class Extra(nn.Linear):
        note = "new"

        def get_extra_state(self):
            return self.note

        def set_extra_state(self, state):
            self.note = state
    model = nn.Sequential(Extra(2, 1), nn.Linear(1, 1))
    state = model.state_dict()
    state["0._extra_state"], bias = "loaded", state.pop("1.bias")
    with pytest.raises(RuntimeError):
        model.load_state_dict(state)
    assert model[0].note == "new"
    model.load_state_dict({**state, "1.bias": bias})
    assert model[0].note == "loaded"


def test_lazy_layers_still_wait_after_a_failed_load():
    model = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 1))
    state = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 2)).state_dict()
    with pytest.raises(RuntimeError, match="size mismatch for 1.weight"):
        model.load_state_dict(state)
    assert model[0].has_uninitialized_params()
    model.load_state_dict(nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).state_dict())
    assert model(weft.ones(1, 2)).shape == (1, 1)


def test_assign_keeps_ties_and_the_optimizer_follows():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    optimizer = optim.Adam(model.parameters())
    model(weft.ones(1, 2)).sum().backward()
    optimizer.step()
    state = {k: v.clone() for k, v in model.state_dict().items()}
    state["1.weight"] = state["0.weight"]
    model.load_state_dict(state, assign=True)
    assert model[0].weight is model[1].weight and model[0].weight.data_ptr() == state["0.weight"].data_ptr()
    model(weft.ones(1, 2)).sum().backward()
    optimizer.step()
    assert optimizer.state[model[0].weight]["step"] == 2
    bad = {"0.weight": weft.ones(2, 2), "1.weight": weft.ones(3)}
    own = model[0].weight
    with pytest.raises(RuntimeError):
        model.load_state_dict(bad, assign=True)
    assert model[0].weight is own


def test_loading_into_tied_weights_keeps_them_tied():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    model.load_state_dict({k: weft.ones_like(v) for k, v in model.state_dict().items()})
    assert model[1].weight is model[0].weight and model[0].weight.sum() == 4


# parametrized

class Positive(nn.Module):
    def forward(self, x):
        return x.exp()

    def right_inverse(self, x):
        return x.log()


def test_parametrized_parameters_keep_their_identity_and_state():
    layer = nn.Linear(2, 2)
    with weft.no_grad():
        layer.weight.abs_()
    weight = layer.weight
    optimizer = optim.Adam(layer.parameters())
    layer(weft.ones(1, 2)).sum().backward()
    optimizer.step()
    value = layer.weight.detach().clone().abs()
    weight.data = value.clone()
    parametrize.register_parametrization(layer, "weight", Positive())
    assert layer.parametrizations.weight.original is weight
    weft.testing.assert_close(layer.weight, value)
    layer(weft.ones(1, 2)).sum().backward()
    optimizer.step()
    assert optimizer.state[weight]["step"] == 2
    parametrize.remove_parametrizations(layer, "weight")
    assert layer.weight is weight and type(layer) is nn.Linear


def test_copies_of_parametrized_modules_stand_alone():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "bias", Positive(), unsafe=True)
    other = copy.deepcopy(layer)
    parametrize.remove_parametrizations(other, "bias")
    assert isinstance(other.bias, nn.Parameter) and parametrize.is_parametrized(layer,
                                                                                "bias") and layer.bias.shape == (2,)
    import pickle
    with pytest.raises(RuntimeError, match="state_dict"):
        pickle.dumps(layer)


def test_a_refused_parametrization_changes_nothing():
    class Half(nn.Module):
        def forward(self, x):
            return x[:1]

        def right_inverse(self, x):
            return x * 0
    layer = nn.Linear(2, 2)
    weight, value = layer.weight, layer.weight.clone()
    with pytest.raises(ValueError, match="shape"):
        parametrize.register_parametrization(layer, "weight", Half())
    assert layer.weight is weight and weft.equal(weight, value) and type(layer) is nn.Linear


def test_orthogonal_stays_orthogonal_while_it_trains():
    layer = utils.parametrizations.orthogonal(nn.Linear(4, 4))
    optimizer = optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        layer(weft.ones(3, 4)).square().sum().backward()
        optimizer.step()
    weft.testing.assert_close(layer.weight @ layer.weight.mT, weft.eye(4), atol=1e-5, rtol=0)


# the rest

def test_pruned_entries_stay_zero_and_training_follows():
    layer = nn.Linear(4, 4)
    optimizer = optim.Adam(layer.parameters(), weight_decay=0.1)
    layer(weft.ones(1, 4)).sum().backward()
    optimizer.step()
    prune.l1_unstructured(layer, "weight", 0.5)
    for _ in range(3):
        optimizer.zero_grad()
        layer(weft.randn(3, 4)).square().sum().backward()
        optimizer.step()
    assert optimizer.state[layer.weight_orig]["step"] == 4
    prune.remove(layer, "weight")
    assert (layer.weight == 0).sum() == 8


def test_a_failed_pruning_changes_nothing():
    layer = nn.Linear(4, 4)
    prune.l1_unstructured(layer, "weight", 2)
    mask = layer.weight_mask.clone()
    with pytest.raises(ValueError):
        prune.l1_unstructured(layer, "weight", 99)
    assert weft.equal(layer.weight_mask, mask) and len(layer._forward_pre_hooks) == 1


def test_vectors_that_are_too_short_are_refused_before_writing():
    model = net()
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(RuntimeError, match="entries"):
        utils.vector_to_parameters(weft.ones(5), model.parameters())
    assert unchanged(model, before)


def test_names_that_programs_import():
    from weft.nn.modules.activation import MultiheadAttention
    from weft.nn.modules.batchnorm import _BatchNorm
    from weft.nn.modules.conv import _ConvNd, _size_2_t  # noqa: F401
    from weft.nn.modules.loss import _Loss, _WeightedLoss
    from weft.nn.modules.module import Module, _IncompatibleKeys  # noqa: F401
    from weft.nn.modules.transformer import _get_activation_fn, _get_clones
    from weft.nn.modules.utils import _pair, consume_prefix_in_state_dict_if_present
    assert (issubclass(nn.BatchNorm2d, _BatchNorm) and issubclass(nn.Conv2d, _ConvNd)
            and issubclass(nn.NLLLoss, _WeightedLoss))
    assert issubclass(nn.L1Loss, _Loss) and MultiheadAttention is nn.MultiheadAttention and Module is nn.Module
    assert _pair(3) == (3, 3) and len(_get_clones(nn.ReLU(),
                                                  2)) == 2 and _get_activation_fn("relu")(weft.tensor(-1.0)) == 0
    state = nn.DataParallel(nn.Linear(1, 1)).state_dict()
    consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["weight", "bias"] and "" in state._metadata
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
        pass
    x, w = weft.randn(1, 2, 5, 5), weft.randn(3, 2, 3, 3)
    out = nn.functional.conv2d(x, w)
    assert (nn.grad.conv2d_input(x.shape, w, out).shape == x.shape
            and nn.grad.conv2d_weight(x, w.shape, out).shape == w.shape)
    assert nn._reduction.get_enum("sum") == 2 and isinstance(nn.LazyLinear(1).weight,
                                                             nn.parameter.UninitializedTensorMixin)


def test_hasattr_does_not_look_for_the_nearest_name(monkeypatch):
    """Registering a parameter asks hasattr; looking for a similar name each time made a Linear thirty times as slow to
    build.
    """
    from weft.nn import module_state
    calls = []
    monkeypatch.setattr(module_state, "nearest", lambda *args: calls.append(args) or "")
    layer = nn.Linear(2, 2)
    assert not hasattr(layer, "weigth") and not calls
    with pytest.raises(AttributeError) as error:
        _ = layer.weigth
    assert "weigth" in str(error.value) and calls


@pytest.mark.parametrize("name", ["weft.nn.utils.clip_grad", "weft.nn.utils.parametrize", "weft.nn.utils.surgery",
                                  "weft.func", "weft.nn.module"])
def test_examples_in_the_documentation(name):
    import doctest
    import importlib
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0 and found.attempted > 0


# advice that helps when names don't fit

def advice(model, state):
    with pytest.raises(RuntimeError) as error:
        model.load_state_dict(state)
    return str(error.value).split("fix: ")[1]


@pytest.mark.parametrize("prefix", ["model.", "a.b.", "net.0."])
def test_a_prefix_of_a_state_is_named_with_the_call_that_takes_it_off(prefix):
    from weft.nn.modules.utils import consume_prefix_in_state_dict_if_present
    model = net()
    state = {prefix + name: value for name, value in model.state_dict().items()}
    told = advice(model, state)
    assert f'consume_prefix_in_state_dict_if_present(state_dict, "{prefix}")' in told and "strict=False" not in told
    consume_prefix_in_state_dict_if_present(state, prefix)
    model.load_state_dict(state)


def test_a_prefix_of_the_model_is_named_with_the_part_that_takes_the_state():
    inner = net()
    outer = nn.ModuleDict({"module": inner})
    assert "model.module.load_state_dict(state_dict)" in advice(outer, net().state_dict())
    outer.module.load_state_dict(net().state_dict())


def test_two_prefixes_are_exchanged():
    outer = nn.ModuleDict({"backbone": net()})
    state = {"encoder." + name: value for name, value in net().state_dict().items()}
    assert 'k.replace("encoder.", "backbone.", 1)' in advice(outer, state)
    outer.load_state_dict({k.replace("encoder.", "backbone.", 1): v for k, v in state.items()})


def test_a_checkpoint_around_a_state_is_recognised():
    checkpoint = {"epoch": 3, "model_state_dict": net().state_dict()}
    assert 'load_state_dict(checkpoint["model_state_dict"])' in advice(net(), checkpoint)


def test_strict_false_is_advised_only_where_something_fits():
    state = net().state_dict()
    del state["0.bias"]
    assert "strict=False" in advice(net(), state)
    assert "strict=False" not in advice(net(), {"quite.other": weft.ones(1)})
