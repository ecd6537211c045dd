"""Models edited while they train: the optimizer follows, frozen is frozen, widened computes the same."""
import copy

import numpy as np
import pytest

import weft
from weft import nn, optim
from weft.nn.utils import surgery

OPTIMIZERS = {
    "Adadelta": {}, "Adafactor": {}, "Adagrad": {"initial_accumulator_value": 0.5},
    "Adam": {"amsgrad": True, "weight_decay": 0.1}, "AdamW": {}, "Adamax": {}, "ASGD": {},
    "LBFGS": {"max_iter": 2, "lr": 0.1}, "Muon": {}, "NAdam": {}, "RAdam": {},
    "RMSprop": {"momentum": 0.9, "centered": True}, "Rprop": {}, "SparseAdam": {},
    "SGD": {"momentum": 0.9, "weight_decay": 0.1, "lr": 0.01},
}


def mlp(bias=True):
    weft.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4, bias=bias), nn.Tanh(), nn.Linear(4, 5, bias=bias), nn.Tanh(),
                         nn.Linear(5, 2, bias=bias))


def step(net, optimizer, x=None, seed=1):
    x = weft.randn(6, 3, generator=weft.Generator().manual_seed(seed)) if x is None else x

    def closure():
        optimizer.zero_grad()
        loss = net(x).square().sum()
        loss.backward()
        return loss
    if isinstance(optimizer, optim.LBFGS):
        return optimizer.step(closure)
    loss = closure()
    optimizer.step()
    return loss


def made(name, params):
    return getattr(optim, name)(params, **OPTIMIZERS[name])


def watch(optimizer):
    """The optimizer's states as they are after it has followed, before it steps."""
    seen = {}

    def look(opt, args, kwargs):
        seen.clear()
        seen.update({id(p): copy.deepcopy(dict(s)) for p, s in opt.state.items()})
        seen["params"] = [p for g in opt.param_groups for p in g["params"]]
    optimizer.register_step_pre_hook(look)
    return seen


def same(a, b):
    assert a.keys() == b.keys()
    for key, value in a.items():
        if isinstance(value, weft.Tensor):
            assert weft.equal(value, b[key]), key
        else:
            assert value == b[key] or value is b[key]


def snapshot(optimizer):
    return {id(p): copy.deepcopy(dict(s)) for p, s in optimizer.state.items()}


FORMS = {"iterator": lambda net: net.parameters(), "list": lambda net: list(net.parameters()),
         "named": lambda net: net.named_parameters(), "filter": lambda net: filter(lambda p: p.requires_grad,
                                                                                   net.parameters()),
         "groups": lambda net: [{"params": net[0].parameters()}, {"params": list(net[2].parameters())},
                                {"params": net[4].parameters(), "lr": 0.1}],
         "kinds": lambda net: [{"params": [p for p in net.parameters() if p.dim() > 1]},
                               {"params": [p for p in net.parameters() if p.dim() == 1], "lr": 0.1}]}


@pytest.mark.parametrize("name", [n for n in OPTIMIZERS if n != "LBFGS"])
@pytest.mark.parametrize("form", ["iterator", "list"])
def test_survivors_keep_their_state_bit_for_bit(name, form):
    net = mlp(bias=name != "Muon")
    optimizer = made(name, FORMS[form](net))
    for _ in range(3):
        step(net, optimizer)
    before, survivors = snapshot(optimizer), list(net.parameters())
    new = surgery.insert(net, "2", nn.Linear(4, 4, bias=name != "Muon"))
    seen = watch(optimizer)
    step(net, optimizer)
    for p in survivors:
        same(seen[id(p)], before[id(p)])
    assert id(new.weight) not in seen or not seen[id(new.weight)]
    assert list(map(id, seen["params"])) == list(map(id, net.parameters()))
    assert optimizer.state[new.weight]
    gone = surgery.remove(net, "2")
    assert gone is new and [*net._modules] == ["0", "1", "2", "3", "4"]
    before = snapshot(optimizer)
    step(net, optimizer)
    for p in survivors:
        same(seen[id(p)], before[id(p)])
    assert gone.weight not in optimizer.state and len(seen["params"]) == len(survivors)


@pytest.mark.parametrize("name", [n for n in OPTIMIZERS if n != "LBFGS"])
def test_pruned_units_take_their_rows_of_the_state_along(name):
    net = mlp(bias=name != "Muon")
    optimizer = made(name, net.parameters())
    for _ in range(2):
        step(net, optimizer)
    rows, columns = (copy.deepcopy(dict(optimizer.state[net[0].weight])),
                     copy.deepcopy(dict(optimizer.state[net[2].weight])))
    last = copy.deepcopy(dict(optimizer.state[net[4].weight]))
    assert surgery.prune_units(net, "0", [0, 2]) == [0, 2]
    assert (net[0].weight.shape == (2, 3) and net[2].weight.shape == (5, 2)
            and net[0].out_features == net[2].in_features == 2)
    seen = watch(optimizer)
    step(net, optimizer)
    for key, value in rows.items():
        now = seen[id(net[0].weight)][key]
        wanted = value[[1, 3]] if isinstance(value, weft.Tensor) and value.dim() == 2 and value.size(0) == 4 else value
        assert weft.equal(now, wanted) if isinstance(wanted, weft.Tensor) else now == wanted
    for key, value in columns.items():
        now = seen[id(net[2].weight)][key]
        wanted = (value[:, [1, 3]] if isinstance(value, weft.Tensor) and value.dim() == 2 and value.size(1) == 4
                  else value)
        assert weft.equal(now, wanted) if isinstance(wanted, weft.Tensor) else now == wanted
    same(seen[id(net[4].weight)], last)
    assert len(optimizer.state) == len(list(net.parameters()))


@pytest.mark.parametrize("name", [n for n in OPTIMIZERS if n != "LBFGS"])
def test_widened_layers_pad_their_state_as_new_ones_start(name):
    net = mlp(bias=name != "Muon")
    optimizer = made(name, net.parameters())
    step(net, optimizer)
    old = copy.deepcopy(dict(optimizer.state[net[0].weight]))
    surgery.widen(net, "0", 6)
    seen = watch(optimizer)
    step(net, optimizer)
    now = seen[id(net[0].weight)]
    for key, value in old.items():
        if isinstance(value, weft.Tensor) and value.dim() == 2 and value.size(0) == 4:
            assert weft.equal(now[key][:4], value)
            rest = {("Rprop", "step_size"): 1e-2, ("Adagrad", "sum"): 0.5}.get((name, key), 0)
            assert (now[key][4:] == rest).all()
        elif isinstance(value, weft.Tensor):
            assert weft.equal(now[key], value)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_giving_parameters_is_followed(form):
    net = mlp()
    optimizer = optim.Adam(FORMS[form](net), lr=0.01)
    for _ in range(2):
        step(net, optimizer)
    keep = optimizer.state[net[2].bias]["exp_avg"].clone()
    surgery.widen(net, "0", 7)
    surgery.prune_units(net, "0", [1])           # two edits before the optimizer looks
    surgery.prune_units(net, "2", amount=0.4)
    seen = watch(optimizer)
    loss = step(net, optimizer)
    assert loss.isfinite() and {id(p) for p in seen["params"]} == {id(p) for p in net.parameters()}
    assert seen[id(net[0].weight)]["exp_avg"].shape == (6, 3) and seen[id(net[0].weight)]["step"] == 2
    assert seen[id(net[2].bias)]["exp_avg"].shape == (3,) and all(v in keep for v in seen[id(net[2].bias)]["exp_avg"])
    for group in optimizer.param_groups:
        assert len(group.get("param_names", group["params"])) == len(group["params"])
    if form == "kinds":
        assert [p.dim() for p in optimizer.param_groups[0]["params"]] == [2] * 3 and optimizer.param_groups[1]["lr"] == 0.1
        surgery.insert(net, "0", nn.Linear(3, 3))
        step(net, optimizer)
        assert net[0].bias is optimizer.param_groups[1]["params"][0] and net[0].weight is optimizer.param_groups[0]["params"][0]


def test_what_was_left_out_stays_out():
    net = mlp()
    first, second = optim.SGD([p for p in net.parameters() if p.dim() == 2],
                              lr=0.1), optim.SGD([p for p in net.parameters() if p.dim() == 1], lr=0.1)
    step(net, first)
    second.step()
    surgery.widen(net, "0", 6)
    surgery.append(net, "", nn.Linear(2, 2))
    step(net, first)
    second.step()
    assert [p.shape for p in first.param_groups[0]["params"]] == [(6, 3), (5, 6), (2, 5)]
    assert [p.shape for p in second.param_groups[0]["params"]] == [(6,), (5,), (2,)]
    frozen = mlp()
    frozen[0].requires_grad_(False)
    third = optim.SGD([p for p in frozen.parameters() if p.requires_grad], lr=0.1)
    new = surgery.append(frozen, "", nn.Linear(2, 2))
    step(frozen, third)
    ids = {id(p) for p in third.param_groups[0]["params"]}
    assert id(new.weight) in ids and id(frozen[0].weight) not in ids and len(ids) == 6


def test_parameters_added_by_hand_are_not_added_twice():
    net = mlp()
    optimizer = optim.Adam(net.parameters())
    net.append(nn.Linear(2, 2))
    optimizer.add_param_group({"params": net[5].parameters(), "lr": 0.5})
    step(net, optimizer)
    assert [len(g["params"]) for g in optimizer.param_groups] == [6, 2]
    net[5].weight = nn.Parameter(weft.eye(2))
    step(net, optimizer)
    assert [len(g["params"]) for g in optimizer.param_groups] == [6,
                                                                  2] and optimizer.param_groups[1]["params"][0] is net[5].weight
    assert optimizer.state[net[5].weight]["step"] == 2


def test_a_module_that_takes_a_dead_ones_address_starts_clean():
    net = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    optimizer = optim.Adam(net.parameters())
    (net["a"](weft.ones(2)) + net["b"](weft.ones(2))).sum().backward()
    optimizer.step()
    for i in range(20):
        del net[[*net][0]]
        net[f"c{i}"] = nn.Linear(2, 2)
    sum(m(weft.ones(2)) for m in net.values()).sum().backward()
    optimizer.step()
    assert all(optimizer.state[p]["step"] == 1 for p in net.parameters())


def test_lbfgs_vectors_follow():
    net = mlp()
    optimizer = made("LBFGS", net.parameters())
    for _ in range(3):
        step(net, optimizer)
    pairs = [v.clone() for v in optimizer.state[net[0].weight]["old_dirs"]]
    ro = list(optimizer.state[net[0].weight]["ro"])
    assert pairs
    surgery.insert(net, "0", nn.Linear(3, 3))
    seen = watch(optimizer)
    step(net, optimizer)
    now = seen[id(net[0].weight)]["old_dirs"]
    assert all(weft.equal(v[12:], old) and v[:12].abs().sum() == 0 for v, old in zip(now, pairs))
    assert np.allclose(seen[id(net[0].weight)]["ro"], ro)
    surgery.prune_units(net, "1", [1])
    assert step(net, optimizer).isfinite()
    fixed = net[1].weight.clone()
    surgery.freeze(net, "1")
    for _ in range(3):
        step(net, optimizer)
    assert weft.equal(net[1].weight, fixed)
    surgery.unfreeze(net, "1")
    step(net, optimizer)
    assert not weft.equal(net[1].weight, fixed)


# frozen

@pytest.mark.parametrize("name", OPTIMIZERS)
def test_frozen_is_bit_identical(name):
    weft.manual_seed(0)
    bias = name != "Muon"
    net = nn.Sequential(nn.Linear(3, 4, bias=bias), nn.BatchNorm1d(4, affine=bias), nn.Tanh(),
                        nn.Linear(4, 5, bias=bias), nn.BatchNorm1d(5, affine=bias), nn.Linear(5, 2, bias=bias))
    optimizer = made(name, net.parameters())
    for _ in range(2):
        step(net, optimizer)
    surgery.freeze(net, "0", "1")
    assert surgery.is_frozen(net, "0") and not surgery.is_frozen(net)
    net.train()
    before = copy.deepcopy(net.state_dict())
    for _ in range(3):
        step(net, optimizer)
    after = net.state_dict()
    for key, value in before.items():
        assert weft.equal(value, after[key]) is (key[0] in "012"), key
    surgery.unfreeze(net)
    assert net[1].training
    step(net, optimizer)
    assert not weft.equal(net[0].weight, before["0.weight"]) and not weft.equal(net[1].running_mean,
                                                                                before["1.running_mean"])


def test_freezing_by_pattern_and_single_parameters():
    net = mlp()
    surgery.freeze(net, "*.bias")
    assert [p.requires_grad for p in net.parameters()] == [True, False] * 3
    with pytest.raises(AttributeError, match="no module or parameter"):
        surgery.freeze(net, "nothing")


# tied

def test_tie_and_untie():
    net = nn.ModuleDict({"table": nn.Embedding(5, 3), "head": nn.Linear(3, 5)})
    optimizer = optim.Adam(net.parameters())

    def run():
        optimizer.zero_grad()
        net["head"](net["table"](weft.tensor([0, 1, 4]))).square().sum().backward()
        optimizer.step()
    run()
    surgery.tie(net, "table.weight", "head.weight")
    run()
    assert net["table"].weight is net["head"].weight and len(optimizer.param_groups[0]["params"]) == 2
    assert optimizer.state[net["head"].weight]["step"] == 2
    state = copy.deepcopy(dict(optimizer.state[net["head"].weight]))
    seen = watch(optimizer)
    surgery.untie(net, "head.weight")
    run()
    assert net["table"].weight is not net["head"].weight
    same(seen[id(net["head"].weight)], state)
    same(seen[id(net["table"].weight)], state)
    with pytest.raises(ValueError, match="not shared"):
        surgery.untie(net, "head.weight")
    with pytest.raises(ValueError, match="one shape"):
        surgery.tie(net, "table.weight", "head.bias")


# sizes

def conv_net():
    weft.manual_seed(0)
    return nn.Sequential(nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)),
                         nn.Sequential(nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.PReLU(4),
                                       nn.ConvTranspose2d(4, 6, 2)), nn.Flatten(), nn.Linear(6 * 25, 7),
                         nn.ReLU(), nn.Linear(7, 2))


@pytest.mark.parametrize("how", ["zeros", "copies"])
@pytest.mark.parametrize("path, features", [("0.0", 9), ("1.2", 11), ("3", 10)])
def test_widening_keeps_the_function(how, path, features):
    net = conv_net()
    x = weft.randn(4, 3, 8, 8)
    for _ in range(2):
        net(x)
    net.eval()
    before = net(x)
    surgery.widen(net, path, features, how=how)
    weft.testing.assert_close(net(x), before)
    assert net.get_submodule(path).weight.size(1 if path == "1.2" else 0) == features
    net.train()(x).sum().backward()


def test_widening_and_pruning_embeddings_and_recurrent_layers():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.lstm = nn.Embedding(5, 4, padding_idx=0), nn.LSTM(4, 3, bidirectional=True)

        def forward(self, x):
            return self.lstm(self.table(x))[0]
    net = Tagger()
    x = weft.tensor([1, 2, 4])
    before = net(x)
    surgery.widen(net, "table", 6, followers=["lstm"])
    weft.testing.assert_close(net(x), before)
    assert net.lstm.input_size == 6 and net.lstm.weight_ih_l0_reverse.shape == (12, 6)
    surgery.prune_units(net, "table", [0, 1], followers="lstm")
    assert net(x).shape == before.shape and net.table.embedding_dim == 4
    surgery.resize_embedding(net, "table", 9)
    assert net.table(weft.tensor([8])).shape == (1, 4)


def test_a_tied_output_layer_grows_with_the_vocabulary():
    net = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5))
    net[1].weight = net[0].weight
    optimizer = optim.Adam(net.parameters())
    net(weft.tensor([1, 2])).square().sum().backward()
    optimizer.step()
    old = optimizer.state[net[0].weight]["exp_avg"].clone()
    surgery.resize_embedding(net, "0", 8)
    assert net[1].weight is net[0].weight and net[1].bias.shape == (8,) and net(weft.tensor([7])).shape == (1, 8)
    optimizer.zero_grad()
    optimizer.step()
    assert weft.equal(optimizer.state[net[0].weight]["exp_avg"][:5], old)


def test_pruning_unit_by_norm_removes_the_smallest():
    net = mlp()
    with weft.no_grad():
        net[0].weight[2] = 0.001
    x = weft.randn(2, 3)
    hidden = net[1](net[0](x))
    assert surgery.prune_units(net, "0", amount=1) == [2]
    assert weft.equal(net[1](net[0](x)), hidden[:, [0, 1, 3]])


def test_resized_parameters_have_no_gradient():
    """zero_grad() comes before the optimizer has followed, so a gradient that was taken along would be counted twice.
    """
    net = mlp()
    net(weft.ones(1, 3)).sum().backward()
    surgery.prune_units(net, "0", [0])
    assert net[0].weight.grad is None and net[4].weight.grad is not None


@pytest.mark.parametrize("edit, message", [
    (lambda net: surgery.widen(net, "0", 2), "more than 2"),
    (lambda net: surgery.widen(net, "1", 9), "can't be widened"),
    (lambda net: surgery.widen(net, "4", 9), "takes its units"),
    (lambda net: surgery.widen(net, "0", 9, followers=["4"]), "not a multiple"),
    (lambda net: surgery.widen(net, "0", 9, how="magic"), "how must be"),
    (lambda net: surgery.prune_units(net, "0", [0, 1, 2, 3]), "nothing would be left"),
    (lambda net: surgery.prune_units(net, "0", [7]), "units 0 to 3"),
    (lambda net: surgery.prune_units(net, "0"), "either"),
    (lambda net: surgery.insert(net, "9", nn.ReLU()), "no position 9"),
    (lambda net: surgery.replace(net, "9", nn.ReLU()), "no position 9"),
    (lambda net: surgery.insert(net, "0", 3), "expected a module"),
    (lambda net: surgery.remove(net, "x"), "has no module 'x'"),
    (lambda net: surgery.append(net, "0", nn.ReLU()), "not a Sequential")])
def test_errors_leave_the_model_as_it_was(edit, message):
    net = mlp()
    state, shown = copy.deepcopy(net.state_dict()), repr(net)
    with pytest.raises(Exception, match=message):
        edit(net)
    assert repr(net) == shown
    assert all(weft.equal(a, b) for a, b in zip(state.values(), net.state_dict().values()))


def test_mixing_norms_and_other_modules_are_refused_with_advice():
    net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    with pytest.raises(ValueError, match="how='random'"):
        surgery.widen(net, "0", 6)
    surgery.widen(net, "0", 6, how="random")
    assert net(weft.ones(2, 3)).shape == (2, 2)
    surgery.prune_units(net, "0", [0])
    assert net[1].normalized_shape == (5,)
    other = nn.Sequential(nn.Linear(3, 4), nn.Softmax(-1), nn.Linear(4, 2))
    with pytest.raises(ValueError, match="followers="):
        surgery.widen(other, "0", 6)
    surgery.widen(other, "0", 6, followers=["2"])
    assert other(weft.ones(2, 3)).shape == (2, 2)


def test_replacing_follows_or_starts_clean():
    for state in ("follow", "clean"):
        net = mlp()
        optimizer = optim.Adam(net.parameters())
        step(net, optimizer)
        old = optimizer.state[net[0].weight]["exp_avg"].clone()
        new = nn.Linear(3, 4)
        surgery.replace(net, "0", new, state=state)
        seen = watch(optimizer)
        step(net, optimizer)
        if state == "follow":
            assert weft.equal(seen[id(new.weight)]["exp_avg"], old)
        else:
            assert not seen.get(id(new.weight))
        assert optimizer.state[new.weight]["step"] == (2 if state == "follow" else 1)


def test_a_custom_optimizer_is_followed_too():
    class Heavy(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.01})

        @weft.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    v = self.state[p].setdefault("v", weft.zeros_like(p))
                    v.mul_(0.9).add_(p.grad)
                    p.add_(v, alpha=-group["lr"])
    net = mlp()
    optimizer = Heavy(list(net.parameters()))
    step(net, optimizer)
    old = optimizer.state[net[0].weight]["v"].clone()
    surgery.prune_units(net, "0", [1])
    surgery.widen(net, "0", 5)
    seen = watch(optimizer)
    step(net, optimizer)
    assert weft.equal(seen[id(net[0].weight)]["v"][:3],
                      old[[0, 2, 3]]) and seen[id(net[0].weight)]["v"][3:].abs().sum() == 0


def test_a_group_for_every_parameter_is_followed():
    """As with rates by layer: too many groups to look for their models one by one, so that happens at the first step.
    """
    weft.manual_seed(0)
    net = nn.Sequential(*[nn.Linear(3, 3) for _ in range(8)])
    optimizer = optim.Adam([{"params": [p], "lr": 0.01 * (i + 1)} for i, p in enumerate(net.parameters())])
    step(net, optimizer)
    old = optimizer.state[net[2].weight]["exp_avg"].clone()
    surgery.widen(net, "2", 5)
    net[5] = nn.Linear(3, 3)
    surgery.append(net, "", nn.Linear(3, 3))
    seen = watch(optimizer)
    step(net, optimizer)
    assert {id(p) for p in seen["params"]} == {id(p) for p in net.parameters()}
    assert optimizer.param_groups[4]["params"][0] is net[2].weight and weft.equal(seen[id(net[2].weight)]["exp_avg"][:3], old)
    assert optimizer.param_groups[10]["params"][0] is net[5].weight and optimizer.state[net[5].weight]["step"] == 2


def test_two_models_in_one_optimizer():
    one, two = mlp(), mlp()
    optimizer = optim.Adam([{"params": list(one.parameters())}, {"params": list(two.parameters())}])
    surgery.insert(two, "0", nn.Linear(3, 3))
    optimizer.zero_grad()
    (one(weft.ones(1, 3)) + two(weft.ones(1, 3))).sum().backward()
    optimizer.step()
    assert [len(g["params"]) for g in optimizer.param_groups] == [6, 8]


def test_a_scheduler_keeps_its_groups():
    net = mlp()
    optimizer = optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    group = optimizer.param_groups[0]
    step(net, optimizer)
    group["lr"] = 0.25
    surgery.widen(net, "0", 8)
    step(net, optimizer)
    assert optimizer.param_groups[0] is group and group["lr"] == 0.25


def test_ordinary_edits_are_followed_too():
    """Without surgery: attributes, items, and parameters assigned by hand, after the modules were renumbered."""
    net = mlp()
    optimizer = optim.Adam(net.parameters())
    step(net, optimizer)
    moments = {id(m): optimizer.state[m.bias]["exp_avg"].clone() for m in (net[0], net[2], net[4])}
    first, last = net[0], net[4]
    net.insert(0, nn.Linear(3, 3))
    first.bias = nn.Parameter(weft.zeros(4))
    del net[2]
    seen = watch(optimizer)
    step(net, optimizer)
    assert weft.equal(seen[id(first.bias)]["exp_avg"],
                      moments[id(first)]) and weft.equal(seen[id(last.bias)]["exp_avg"], moments[id(last)])
    assert not seen.get(id(net[0].bias))


def test_computed_lazy_and_shared_layers_are_refused():
    normed = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(3, 4)), nn.ReLU(), nn.Linear(4, 2))
    with pytest.raises(ValueError, match="weight of ParametrizedLinear is computed"):
        surgery.widen(normed, "0", 5)
    with pytest.raises(ValueError, match="no size yet"):
        surgery.widen(nn.Sequential(nn.Linear(3, 4), nn.LazyLinear(2)), "0", 5)
    shared = nn.Linear(3, 3)
    with pytest.raises(ValueError, match="more than once"):
        surgery.prune_units(nn.Sequential(shared, nn.ReLU(), shared, nn.Linear(3, 2)), "0", [0])
    with pytest.raises(ValueError, match="groups"):
        surgery.widen(nn.Sequential(nn.Conv2d(4, 4, 3, groups=2), nn.Conv2d(4, 2, 1)), "0", 8)
    tied = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
    surgery.tie(tied, "0.weight", "2.weight")
    with pytest.raises(ValueError, match="untie"):
        surgery.widen(tied, "0", 5)


def test_frozen_survives_copies():
    net = surgery.freeze(nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1)), "0")
    other = copy.deepcopy(net).train()
    assert not other[0].training and other[1].training and surgery.is_frozen(other, "0")


def test_a_transformers_inner_layer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = weft.randn(2, 3, 8)
    before = layer(x)
    surgery.widen(layer, "linear1", 24, followers=["linear2"])
    weft.testing.assert_close(layer(x), before)
    surgery.prune_units(layer, "linear1", amount=0.5, followers=["linear2"])
    assert layer.linear1.out_features == 12 and layer(x).shape == x.shape
