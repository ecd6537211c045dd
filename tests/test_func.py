"""weft.func: modules as functions, derivatives of functions, vmap."""
import pytest

import weft
from weft import func, nn


def net():
    weft.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))


def test_functional_call_uses_what_is_given_and_restores():
    model = net()
    own = {k: v.clone() for k, v in model.state_dict().items()}
    given = {k: v.detach() * 0 + 1 for k, v in model.named_parameters()}
    x = weft.randn(4, 2)
    out = func.functional_call(model, given, (x,))
    other = net()
    other.load_state_dict(given, strict=False)
    weft.testing.assert_close(out, other(x))
    assert all(weft.equal(own[k], v) for k, v in model.named_parameters())
    assert isinstance(model[0].weight, nn.Parameter)


def test_functional_call_restores_after_an_error():
    model = net()
    own = model[0].weight
    with pytest.raises(RuntimeError):
        func.functional_call(model, {"0.weight": weft.ones(3, 7)}, (weft.ones(4, 2),))
    assert model[0].weight is own
    with pytest.raises(AttributeError):
        func.functional_call(model, {"0.weight": weft.ones(3, 2), "9.weight": own}, (weft.ones(4, 2),))
    assert model[0].weight is own


def test_buffers_written_in_place_are_seen_by_the_dict():
    model = net()
    buffers = {k: v.clone() for k, v in model.named_buffers()}
    func.functional_call(model, (dict(model.named_parameters()), buffers), (weft.randn(8, 2),))
    assert buffers["1.num_batches_tracked"] == 1 and buffers["1.running_mean"].abs().sum() > 0
    assert model[1].num_batches_tracked == 0 and model[1].running_mean.abs().sum() == 0


def test_buffers_that_are_replaced_are_seen_by_the_dict():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", weft.zeros(()))

        def forward(self, x):
            self.n = self.n + 1
            return x + self.n
    given = {"n": weft.tensor(5.0)}
    model = Counter()
    assert func.functional_call(model, given, weft.zeros(())) == 6 and given["n"] == 6 and model.n == 0


def test_tied_weights():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    x = weft.ones(1, 2)
    given = {"0.weight": weft.eye(2) * 3}
    assert func.functional_call(model, given, x).tolist() == [[9.0, 9.0]] and list(given) == ["0.weight"]
    loose = func.functional_call(model, given, x, tie_weights=False)
    weft.testing.assert_close(loose, (x * 3) @ model[0].weight.t())
    with pytest.raises(ValueError, match="tied"):
        func.functional_call(model, {"0.weight": weft.eye(2), "1.weight": weft.ones(2, 2)}, x)


def test_strict_and_repeated_names():
    model = nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match="Missing key.*bias"):
        func.functional_call(model, {"weight": weft.ones(1, 2)}, weft.ones(2), strict=True)
    with pytest.raises(RuntimeError, match="Unexpected key.*other"):
        func.functional_call(model, {**dict(model.named_parameters()), "other": weft.ones(1)}, weft.ones(2),
                             strict=True)
    with pytest.raises(ValueError, match="multiple dictionaries"):
        func.functional_call(model, ({"weight": weft.ones(1, 2)}, {"weight": weft.ones(1, 2)}), weft.ones(2))
    with pytest.raises(ValueError, match="to be a dict"):
        func.functional_call(model, 3, weft.ones(2))


def test_meta_learning_through_an_update():
    """MAML's inner step: the outer gradient goes through the inner one."""
    model = nn.Linear(1, 1, bias=False).double()
    params = {"weight": weft.tensor([[2.0]], dtype=weft.float64)}

    def loss(params, x):
        return func.functional_call(model, params, x).square().sum()

    def outer(params):
        grads = func.grad(loss)(params, weft.ones(1, dtype=weft.float64))
        return loss({k: params[k] - 0.1 * grads[k] for k in params}, weft.ones(1, dtype=weft.float64))
    # w -> (w - 0.2 w)^2 = 0.64 w^2
    assert func.grad(outer)(params)["weight"].item() == pytest.approx(1.28 * 2)


def test_vmap_randomness():
    x = weft.zeros(3, 2)
    with pytest.raises(RuntimeError, match="randomness"):
        func.vmap(lambda x: x + weft.rand(2))(x)
    same = func.vmap(lambda x: x + weft.rand(2), randomness="same")(x)
    assert weft.equal(same[0], same[1])
    different = func.vmap(lambda x: x + weft.rand(2), randomness="different")(x)
    assert not weft.equal(different[0], different[1])


def test_vmap_takes_branches_on_values():
    assert func.vmap(lambda x: x * 2 if x > 0 else -x)(weft.tensor([1.0, -3.0])).tolist() == [2.0, 3.0]


def test_batch_norms_without_statistics():
    model = func.replace_all_batch_norm_modules_(net())
    assert model[1].running_mean is None and not model[1].track_running_stats
    assert func.vmap(func.grad(lambda p, x: func.functional_call(model, p, x).sum()),
                     (None, 0))(dict(model.named_parameters()),
                                                                                                weft.randn(2, 4, 2))["0.weight"].shape == (2, 3, 2)


def test_stacking_is_checked():
    with pytest.raises(RuntimeError, match="at least one"):
        func.stack_module_state([])
    with pytest.raises(RuntimeError, match="same class"):
        func.stack_module_state([nn.Linear(1, 1), nn.ReLU()])
    with pytest.raises(RuntimeError, match="training/eval"):
        func.stack_module_state([nn.ReLU(), nn.ReLU().eval()])


def test_it_is_imported_when_used():
    assert weft.func.grad is func.grad


def test_vmap_runs_once_also_with_writes_in_place():
    calls = []

    def plain(x):
        calls.append(x.shape)
        made = x.clone()
        made.zero_()
        made[1:].fill_(2)
        made[0] = x[1]
        made.masked_fill_(x > 1, 7)
        return made
    x = weft.tensor([[1., 2., 3.], [4., 0., 1.]])
    assert func.vmap(plain)(x).tolist() == [[2., 7., 7.], [7., 2., 2.]] and calls == [(3,)]


def test_vmap_of_a_custom_function_keeps_its_backward():
    class Odd(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 10
    x = weft.ones(3, 2, requires_grad=True)
    func.vmap(Odd.apply)(x).sum().backward()
    assert x.grad.tolist() == [[10, 10]] * 3
    inner = func.vmap(func.grad(lambda a: Odd.apply(a).sum()))(weft.ones(3, 2))
    assert inner.tolist() == [[10, 10]] * 3


def test_vmap_inside_a_loop_of_vmaps_that_read():
    """The inner function reads a value, so that it runs for each example; the outer one then, too."""
    x = weft.tensor([[1., -2.], [-3., 4.]])
    found = func.vmap(func.vmap(lambda a: a * 2 if a > 0 else a))(x)
    assert found.tolist() == [[2., -2.], [-3., 8.]]


def test_an_error_inside_vmap_leaves_no_state_behind():
    with pytest.raises(RuntimeError):
        func.vmap(lambda a: a @ weft.ones(7))(weft.ones(2, 3))
    assert (weft.ones(2) + 1).tolist() == [2, 2]
    assert weft.core.modes.local.taker is None and not weft.core.modes.local.watchers


@pytest.mark.parametrize("write", [lambda y, x: y[1:3].mul_(2), lambda y, x: y[1:3].copy_(x[:2]),
                                   lambda y, x: y[1:3].zero_(), lambda y, x: y.view(2, 2)[0].add_(x[2:])])
def test_gradients_through_writes_to_views_inside_vmap(write):
    """The layout of a tensor that stands for many examples was taken for real strides, all of them zero."""
    weights = weft.tensor([1., 10., 100., 1000.])

    def loss(x):
        y = x.clone()
        write(y, x)
        return (y * weights).sum()
    x = weft.tensor([[1., 2., 3., 4.], [5., 6., 7., 8.]])
    assert func.vmap(func.grad(loss))(x).tolist() == [func.grad(loss)(row).tolist() for row in x]


def test_functional_call_takes_tensors_only_and_new_parameters():
    layer = nn.Linear(2, 1)
    layer.scale = 3.0
    with pytest.raises(TypeError, match="7 is not an instance of torch.Tensor"):
        weft.func.functional_call(layer, {"weight": 7}, weft.ones(1, 2))
    with pytest.raises(TypeError, match="attribute `scale`: 3.0 is not an instance"):
        weft.func.functional_call(layer, {"scale": weft.ones(1)}, weft.ones(1, 2))
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'a', 'b'.\s+Missing key\(s\): 'bias', 'weight'"):
        weft.func.functional_call(layer, {"b": weft.ones(1), "a": weft.ones(1)}, weft.ones(1, 2), strict=True)
    seen = []
    layer.register_forward_hook(lambda module, *_: seen.append(dict(module.named_parameters())))
    extra = nn.Parameter(weft.ones(3))
    weft.func.functional_call(layer, {"extra": extra}, weft.ones(1, 2))
    assert seen[0]["extra"] is extra and not hasattr(layer, "extra") and layer.scale == 3.0
