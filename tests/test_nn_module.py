"""nn.Module: attributes, tree, state, hooks, messages; the optimizers follow edits by name."""
import abc
import copy
import io
import pickle

import pytest

import weft
from weft import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2)
        self.register_buffer("seen", weft.zeros(1))

    def forward(self, x):
        return self.second(self.first(x).tanh())


def test_parameters_buffers_and_children_are_found():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["first.weight", "first.bias", "second.weight",
                                                            "second.bias"]
    assert list(net.state_dict()) == ["seen", "first.weight", "first.bias", "second.weight", "second.bias"]
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    assert net.get_submodule("second") is net.second and net.get_parameter("first.bias") is net.first.bias


def test_repr_shows_the_tree():
    assert repr(nn.Sequential(nn.Linear(2, 3), nn.ReLU())) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): ReLU()\n)")


def test_an_error_names_the_module_and_the_fix():
    with pytest.raises(RuntimeError) as caught:
        Net()(weft.ones(2, 5))
    first, where, fix = str(caught.value).split("\n")
    assert first == "linear: the input has 5 features, the weight takes 3"
    assert where.startswith("  in  Net.first (Linear(in_features=3, out_features=4, bias=True)), test_nn_module.py:")
    assert fix == "  fix: make the layer Linear(5, 4), or give it 3 features"


def test_loading_tells_all_that_does_not_fit_at_once():
    net = Net()
    state = net.state_dict()
    del state["first.bias"]
    state["second.weights"] = state.pop("second.weight")
    state["second.bias"] = weft.zeros(7)
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(state)
    text = str(caught.value)
    assert '"second.weights"' in text and '"first.bias"' in text and "second.weights -> second.weight?" in text
    assert "size mismatch for second.bias: copying a param with shape torch.Size([7]) from checkpoint" in text
    assert net.load_state_dict(Net().state_dict()).missing_keys == []


def test_hooks_before_after_and_backward():
    net, seen = Net(), []
    handles = [net.first.register_forward_pre_hook(lambda m, args: seen.append("before")),
               net.first.register_forward_hook(lambda m, args, out: out * 0),
               net.second.register_full_backward_hook(lambda m, gin, gout: seen.append((gin[0].shape, gout[0].shape)))]
    x = weft.ones(5, 3, requires_grad=True)
    net(x).sum().backward()
    assert seen == ["before", (weft.Size([5, 4]), weft.Size([5, 2]))]
    assert net.first.weight.grad.abs().sum() == 0
    for handle in handles:
        handle.remove()
    assert not net.first._hooked and not net.second._hooked


def test_copies_and_pickles_are_independent():
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert all(weft.equal(a, b) for a, b in zip(net.parameters(), other.parameters()))
        with weft.no_grad():
            other.first.weight.zero_()
        assert net.first.weight.abs().sum() > 0


@pytest.mark.parametrize("edit, kind", [
    (lambda m: setattr(m, "first", 3), TypeError), (lambda m: m.register_parameter("a.b", None), KeyError),
    (lambda m: m.register_parameter("forward", None), KeyError), (lambda m: m.get_submodule("third"), AttributeError),
    (lambda m: m.frist, AttributeError), (lambda m: m.train("yes"), ValueError)])
def test_wrong_edits_are_refused(edit, kind):
    with pytest.raises(kind):
        edit(Net())


def test_parameters_before_init_say_what_to_do():
    class Late(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(weft.ones(1))
    with pytest.raises(AttributeError, match="fix: call super"):
        Late()


def train(net, optimizer, steps=3):
    weft.manual_seed(1)
    x, y = weft.randn(8, 3), weft.randn(8, 2)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
                                  "ASGD", "Rprop", "Adafactor"])
def test_resumed_training_is_the_same_bit_for_bit(kind):
    def start():
        weft.manual_seed(3)
        net = Net()
        return net, getattr(optim, kind)(net.parameters(), lr=0.01)
    net, optimizer = start()
    train(net, optimizer, 4)
    again, other = start()
    train(again, other, 2)
    resumed, third = start()
    resumed.load_state_dict(copy.deepcopy(again.state_dict()))
    third.load_state_dict(copy.deepcopy(other.state_dict()))
    train(resumed, third, 2)
    assert all(weft.equal(a, b) for a, b in zip(net.parameters(), resumed.parameters()))


def test_an_optimizer_follows_the_model():
    net = Net()
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    train(net, optimizer)
    kept = optimizer.state[net.second.bias]["exp_avg"].clone()
    before = optimizer.state[net.first.weight]["exp_avg"].clone()
    wider = nn.Linear(3, 6)
    net.first, net.second_wide = wider, nn.Linear(6, 4)
    net.forward = lambda x: net.second(net.second_wide(net.first(x)).tanh())
    x = weft.ones(2, 3)
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.register_step_pre_hook(lambda opt, args, kwargs: checks(opt))

    def checks(opt):
        assert len(opt.param_groups[0]["params"]) == 6
        assert weft.equal(opt.state[net.second.bias]["exp_avg"], kept)
        moved = opt.state[wider.weight]["exp_avg"]
        assert moved.shape == (6, 3) and weft.equal(moved[:4], before) and moved[4:].abs().sum() == 0
        assert opt.state[wider.weight]["step"] == 3 and net.second_wide.weight not in opt.state
    optimizer.step()
    assert optimizer.state[net.second_wide.weight]["step"] == 1


def test_groups_and_options_are_checked():
    p = weft.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="Invalid learning rate"):
        optim.SGD([p], lr=-1)
    with pytest.raises(TypeError, match="iterable of Tensors"):
        optim.SGD(p)
    with pytest.raises(ValueError, match="empty parameter list"):
        optim.Adam([])
    with pytest.raises(ValueError, match="more than one parameter group"):
        optim.SGD([{"params": [p]}, {"params": [p]}])
    with pytest.raises(ValueError, match="non-leaf"):
        optim.SGD([p * 2])


def test_lbfgs_finds_a_minimum():
    x = weft.tensor([-1.5, 2.0], dtype=weft.float64, requires_grad=True)
    optimizer = optim.LBFGS([x], line_search_fn="strong_wolfe", max_iter=100)

    def closure():
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss
    optimizer.step(closure)
    assert (x - 1).abs().max() < 1e-5


def test_lazy_layers_become_ordinary_ones():
    net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
    assert repr(net[3].weight) == "<UninitializedParameter>"
    assert net(weft.ones(2, 3, 5, 5)).shape == (2, 2)
    assert [type(m) for m in net] == [nn.Conv2d, nn.BatchNorm2d, nn.Flatten, nn.Linear]
    assert net[0].weight.shape == (4, 3, 3, 3) and type(net[3].weight) is nn.Parameter
    waiting = nn.LazyLinear(4)
    waiting.load_state_dict(nn.Linear(7, 4).state_dict())
    assert waiting.weight.shape == (4, 7)


def test_packed_sequences_give_what_single_ones_give():
    weft.manual_seed(0)
    layer = nn.LSTM(3, 4, bidirectional=True)
    sequences = [weft.randn(n, 3) for n in (2, 5, 3)]
    packed = nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    padded, lengths = nn.utils.rnn.pad_packed_sequence(layer(packed)[0])
    assert lengths.tolist() == [2, 5, 3]
    for i, sequence in enumerate(sequences):
        assert weft.allclose(padded[:len(sequence), i], layer(sequence)[0], atol=1e-6)


def test_a_transformer_does_not_look_ahead():
    weft.manual_seed(0)
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2)
    mask = nn.Transformer.generate_square_subsequent_mask(6)
    x = weft.randn(1, 6, 8)
    y = x.clone()
    y[:, 4:] = 7
    assert weft.allclose(model(x, mask)[:, :4], model(y, mask)[:, :4], atol=1e-6)
    assert not weft.allclose(model(x)[:, :4], model(y)[:, :4], atol=1e-3)


def saved_and_loaded(thing):
    file = io.BytesIO()
    weft.save(thing, file)
    file.seek(0)
    return weft.load(file, weights_only=False)


LAZY = {"LazyLinear": ((4,), (2, 3)), "LazyConv1d": ((4, 3), (2, 4, 8)), "LazyConv2d": ((4, 3), (2, 4, 5, 5)),
        "LazyConv3d": ((4, 3), (2, 4, 4, 4, 4)), "LazyConvTranspose1d": ((4, 3), (2, 4, 8)),
        "LazyConvTranspose2d": ((4, 3), (2, 4, 5, 5)), "LazyConvTranspose3d": ((4, 3), (2, 4, 3, 3, 3)),
        "LazyBatchNorm1d": ((), (3, 4)), "LazyBatchNorm2d": ((), (3, 4, 2, 2)),
        "LazyBatchNorm3d": ((), (3, 4, 2, 2, 2)),
        "LazyInstanceNorm1d": ((), (3, 4, 5)), "LazyInstanceNorm2d": ((), (3, 4, 2, 2)),
        "LazyInstanceNorm3d": ((), (3, 4, 2, 2, 2))}
COPIES = {"pickle": lambda m: pickle.loads(pickle.dumps(m)), "deepcopy": copy.deepcopy, "file": saved_and_loaded}


@pytest.mark.parametrize("name", LAZY)
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("when", ["waiting", "loaded", "sized"])
def test_copies_of_lazy_layers_find_their_sizes_once(name, way, when):
    """A pickled LazyBatchNorm kept buffers of the class for those without a size; a saved one couldn't be read."""
    args, shape = LAZY[name]
    settings = {"track_running_stats": True, "affine": True} if "Norm" in name else {}
    layer, x = getattr(nn, name)(*args, **settings), weft.ones(shape)
    weft.manual_seed(0)
    if when != "waiting":
        full = getattr(nn, name)(*args, **settings)
        full(x)
        layer.load_state_dict(full.state_dict())
    if when == "sized":
        layer(x)
    made = COPIES[way](layer)
    assert type(made) is type(layer) and list(made._forward_pre_hooks) != [] or when == "sized"
    for each in (made, layer):
        weft.manual_seed(1)
        each(x)
        assert "Lazy" not in type(each).__name__
        assert not each._forward_pre_hooks and not each._load_state_dict_pre_hooks
        assert all(type(b) is weft.Tensor for b in each.buffers())
        assert all(type(p) is nn.Parameter for p in each.parameters())
    assert made.eval()(x).tolist() == layer.eval()(x).tolist()
    for a, b in zip(made.state_dict().values(), layer.state_dict().values(), strict=True):
        assert a.tolist() == b.tolist() and a.data_ptr() != b.data_ptr()


def test_a_modules_class_may_have_a_metaclass():
    class Abstract(nn.Module, abc.ABC):
        def __init__(self):
            super().__init__()
            self.layer, self.weight = nn.Linear(2, 1), nn.Parameter(weft.ones(1))

    class Meta(type):
        pass

    class Made(nn.Module, metaclass=Meta):
        pass
    assert Abstract().layer.in_features == 2 and Abstract().weight.item() == 1 and type(Made) is Meta and Made()
    with pytest.raises(AttributeError, match="nothing"):
        _ = Abstract().nothing


def test_an_optimizer_around_another_needs_no_init_of_the_base():
    class Around(optim.Optimizer):
        def __init__(self, inner):
            self.inner, self.param_groups, self.state = inner, inner.param_groups, inner.state
            self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = {}, {}

        def step(self, closure=None):
            return self.inner.step(closure)
    p = nn.Parameter(weft.ones(1))
    p.grad = weft.ones(1)
    Around(optim.SGD([p], lr=0.25)).step()
    assert p.item() == 0.75


@pytest.mark.parametrize("use", [lambda t: t + t, lambda t: t.sum(), lambda t: weft.stack([t, t]), lambda t: t[0], weft.empty_like,
                                 lambda t: t.add_(1), lambda t: weft.ones(2, 2) @ t, lambda t: weft.optim.Adagrad([t])])
@pytest.mark.parametrize("kind", [nn.UninitializedParameter, nn.UninitializedBuffer])
def test_what_has_no_size_yet_can_not_be_computed_with(use, kind):
    with weft.no_grad(), pytest.raises(ValueError, match="uninitialized parameter or buffer has no size"):
        use(kind())


def test_what_has_no_size_yet_has_no_shape_and_is_not_compiled():
    layer = nn.Sequential(nn.LazyLinear(3))
    with pytest.raises(RuntimeError, match="shape of an uninitialized"):
        layer[0].weight.shape
    with pytest.raises(RuntimeError, match="run a forward pass"):
        weft.jit.script(layer)
    held = weft.optim.SGD(layer.parameters(), 0.1)
    layer.double()
    assert layer[0].weight.dtype == weft.float64
    layer.float()(weft.ones(2, 5)).sum().backward()
    assert held.param_groups[0]["params"][0].shape == (3, 5) and weft.jit.script(layer)[0].weight is layer[0].weight


def test_loading_into_a_meta_module_warns_that_nothing_happens():
    with weft.device("meta"):
        empty = nn.Linear(2, 2)
    full = nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="for weight: copying from a non-meta parameter.*no-op"):
        assert empty.load_state_dict(full.state_dict()).missing_keys == []
    assert empty.weight.is_meta
    empty.load_state_dict(full.state_dict(), assign=True)
    assert weft.equal(empty.weight, full.weight)
