"""What PyTorch's own tests of nn and optim found in weft: one test for each cause."""
import copy
import gc
import io
import pickle
import warnings
import weakref
from collections import OrderedDict

import pytest

import weft
from weft import nn
from weft.nn.parameter import Buffer, UninitializedBuffer, UninitializedParameter

# backward hooks of modules

def test_backward_hook_without_inputs_that_need_gradients():
    layer, seen = nn.Linear(2, 3), []
    layer.register_full_backward_pre_hook(lambda m, grad: seen.append(("pre", grad[0].shape)))
    layer.register_full_backward_hook(lambda m, grad_in, grad_out: seen.append((grad_in, grad_out[0].shape)))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        layer(weft.ones(1, 2)).sum().backward()
    assert seen == [("pre", (1, 3)), ((None,), (1, 3))]
    assert layer.weight.grad.tolist() == [[1.0, 1.0]] * 3
    layer.register_full_backward_hook(lambda m, grad_in, grad_out: weft.ones(1))
    with pytest.raises(RuntimeError, match="where no input requires gradient"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        layer(weft.ones(1, 2)).sum().backward()


def test_backward_hook_leaves_inputs_without_gradients_alone():
    class Sum(nn.Module):
        def forward(self, a, b, c):
            assert (a.requires_grad, b.requires_grad, c.requires_grad) == (True, False, True)
            return a.sum() + b.sum() + c.sum()
    module, found, x = Sum(), [], weft.ones(2, requires_grad=True)
    module.register_full_backward_hook(lambda m, grad_in,
                                       grad_out: found.append([None if g is None else g.tolist() for g in grad_in]))
    module(x, x.detach(), x).backward()
    assert found == [[[1.0, 1.0], None, [1.0, 1.0]]]


def test_backward_hook_says_that_a_dict_hides_the_outputs():
    class Named(nn.Module):
        def forward(self, x):
            return {"x": x * 2}
    module = Named()
    module.register_full_backward_hook(lambda *args: None)
    with pytest.warns(UserWarning, match="should be a Tensor or a tuple of Tensors"):
        module(weft.ones(2, requires_grad=True))


def test_old_global_backward_hooks_come_before_local_ones():
    order, layer = [], nn.Linear(2, 2)
    with nn.modules.module.register_module_backward_hook(lambda *args: order.append("all")):
        with pytest.raises(RuntimeError, match="Cannot use both"):
            nn.modules.module.register_module_full_backward_hook(lambda *args: None)
        layer.register_backward_hook(lambda *args: order.append("own"))
        layer(weft.ones(1, 2, requires_grad=True)).sum().backward()
    assert order == ["all", "own"]


def test_global_hooks_can_be_emptied_by_name():
    place, calls = nn.modules.module, []
    handle = place.register_module_forward_hook(lambda *args: calls.append(1), always_call=True)
    assert len(place._global_forward_hooks) == len(place._global_forward_hooks_always_called) == len(handle.hooks_dict_ref()) == 1
    nn.Linear(1, 1)(weft.ones(1, 1))
    place._global_forward_hooks = OrderedDict()
    nn.Linear(1, 1)(weft.ones(1, 1))
    handle.remove()
    assert len(calls) == 1 and not place._global_forward_hooks_always_called
    with pytest.raises(AttributeError):
        place._global_nothing


def take_note(module, state_dict, *rest):
    module.noted = len(state_dict)


def test_load_pre_hook_goes_with_its_module():
    layer = nn.Linear(1, 1)
    layer.register_load_state_dict_pre_hook(take_note)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        other.load_state_dict(layer.state_dict())
        assert other.noted == 2 and not hasattr(layer, "noted")
    known = weakref.ref(layer)
    del layer
    gc.collect()
    assert known() is None


# conversions

def test_conversion_with_new_parameters():
    layer = nn.Linear(1, 1)
    weight = layer.weight
    assert layer.double().weight is weight
    weft.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        assert layer.float().weight is not weight and weight.dtype == weft.float64
        weight = layer.weight
        weft.__future__.set_swap_module_params_on_conversion(True)      # goes before
        assert layer.double().weight is weight
        assert (weft.__future__.get_overwrite_module_params_on_conversion()
                and weft.__future__.get_swap_module_params_on_conversion())
    finally:
        weft.__future__.set_overwrite_module_params_on_conversion(False)
        weft.__future__.set_swap_module_params_on_conversion(False)


# parameters without a size

class Late(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def initialize_parameters(self, x):
        if self.has_uninitialized_params():
            self.scale.materialize(x.shape[-1])
            self.scale.data.fill_(2.0)

    def forward(self, x):
        return x * self.scale


def late():
    module = Late()
    module.scale, module.seen = UninitializedParameter(), UninitializedBuffer()
    return module


def test_own_lazy_module():
    module = late()
    del module.seen
    assert module(weft.ones(3)).tolist() == [2.0] * 3 and type(module.scale) is nn.Parameter
    assert not module.has_uninitialized_params()


def test_lazy_state():
    module = late()
    assert [*module._buffers] == ["seen"] and isinstance(module.seen, Buffer)
    state = module.state_dict()
    assert isinstance(state["scale"], UninitializedParameter) and isinstance(state["seen"], UninitializedBuffer)
    full = nn.Module()
    full.scale, full.seen = nn.Parameter(weft.ones(5)), Buffer(weft.zeros(4))
    with pytest.raises(RuntimeError, match="shape of an uninitialized"):
        full.load_state_dict(state)
    late().load_state_dict(state)
    module.load_state_dict(full.state_dict())
    assert module.scale.tolist() == [1.0] * 5 and module.seen.tolist() == [0.0] * 4
    assert repr(module.seen) == "tensor([0., 0., 0., 0.])"


def test_lazy_memory_is_not_shared():
    with pytest.raises(RuntimeError, match="share memory on an uninitialized"):
        late().share_memory()


# the rest

def test_trunc_normal_of_half_types_has_no_heap_at_the_bounds():
    weft.manual_seed(0)
    for dtype in (weft.bfloat16, weft.float16, weft.float32):
        x = nn.init.trunc_normal_(weft.empty(10000, dtype=dtype), std=0.1)
        assert x.abs().max().item() < 1
        narrow = nn.init.trunc_normal_(weft.empty(1000, dtype=dtype), mean=0.0, std=1.0, a=2.0, b=2.5)
        assert 2 <= narrow.min().item() and narrow.max().item() <= 2.5 and narrow.float().mean().item() < 2.25
    assert nn.init.trunc_normal_(weft.empty(3, device="meta")).device.type == "meta"


def test_scheduler_warning_begins_as_pytorchs():
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step"):
        weft.optim.lr_scheduler.StepLR(weft.optim.SGD([nn.Parameter(weft.ones(1))]), 1).step()


def test_small_messages():
    with pytest.raises(RuntimeError, match="Expected iterable for input sequences"):
        nn.utils.rnn.pad_sequence(5)
    with pytest.raises(RuntimeError, match="You can pass `enforce_sorted=False`"):
        nn.utils.rnn.pack_sequence([weft.ones(1), weft.ones(2)])
    with pytest.warns(UserWarning, match="channel-wise 1D dropout"):
        nn.Dropout2d()(weft.ones(1, 2, 2))


def test_pruning_helpers_by_their_names():
    prune = nn.utils.prune
    assert prune._compute_nparams_toprune(0.5, 15) == 8 and prune._compute_nparams_toprune(5, 4) == 5
    prune._validate_pruning_amount(0.5, 1)
    with pytest.raises(ValueError, match="smaller than the number of parameters"):
        prune._validate_pruning_amount(20, 19)
    with pytest.raises(TypeError):
        prune._validate_pruning_amount_init("no")


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_nll_loss_twice(reduction):
    x = weft.rand(5, 4, dtype=weft.float64, requires_grad=True)
    target, weight = weft.tensor([0, 1, 3, 2, 1]), weft.tensor([1.0, 2.0, 0.5, 3.0], dtype=weft.float64)
    assert weft.autograd.gradgradcheck(lambda x: nn.functional.nll_loss(x, target, weight, reduction=reduction), (x,))


def test_whole_transformer_layer_is_loaded():
    file = io.BytesIO()
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    weft.save(layer, file)
    file.seek(0)
    x = weft.rand(3, 1, 4)
    assert weft.load(file, weights_only=False)(x).equal(layer(x))


def test_buffers_change_how_they_are_saved():
    module = nn.Module()
    for persistent in (False, True, False):
        module.seen = Buffer(weft.ones(2), persistent=persistent)
        assert len([*module.buffers()]) == 1 and len(module.state_dict()) == persistent


def test_override_of_register_buffer_without_persistent():
    class Own(nn.Module):
        def register_buffer(self, name, value):
            super().register_buffer(name, value * 2, True)
    module = Own()
    module.seen = Buffer(weft.ones(1))
    assert module.seen.item() == 2


def test_cosine_similarity_of_an_integer_and_a_floating_tensor():
    x = weft.tensor([[1, 2, 3], [4, 5, 6]])
    found = nn.functional.cosine_similarity(x.to(weft.int8), x.float(), dim=-1)
    assert found.dtype == weft.float32 and (found - 1).abs().max().item() < 1e-6
    with pytest.raises(RuntimeError, match="common dtype to be floating point"):
        nn.functional.cosine_similarity(x, x)
    with pytest.raises(RuntimeError, match="non-negative"):
        nn.functional.cosine_similarity(x.float(), x.float(), eps=-1.0)


def test_multi_margin_loss_has_the_targets_shape():
    x = weft.tensor([0.1, 0.2, 0.7])
    for target in (weft.tensor([1]), weft.tensor(1)):
        assert nn.functional.multi_margin_loss(x, target, reduction="none").shape == target.shape


def test_embedding_bag_out_of_range():
    with pytest.raises(RuntimeError, match="Expected idx >= 0 && idx < num_embeddings"):
        nn.functional.embedding_bag(weft.tensor([[11]]), weft.ones(10, 2))


def test_functions_of_layers_are_pickled():
    for function in (nn.functional.relu, nn.functional.softsign, nn.functional.cross_entropy, weft.linalg.norm,
                     weft.tanh):
        assert pickle.loads(pickle.dumps(function)) is function
    layer = pickle.loads(pickle.dumps(nn.TransformerEncoderLayer(4, 2, 8, activation=nn.functional.gelu)))
    assert layer.activation is nn.functional.gelu


def test_what_a_module_is_converted_to():
    layer = nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="does not accept copy"):
        layer.to("cpu", copy=True)
    with pytest.raises(TypeError, match="invalid combination"):
        layer.to("cpu", True)
    with pytest.raises(TypeError, match="devcie"):
        layer.to(devcie="cpu")
    assert layer.to("cpu", weft.float64,
                    True).weight.dtype == layer.to(tensor=weft.ones(1).double()).weight.dtype == weft.float64


def test_modules_as_often_as_they_are_there():
    layer = nn.Linear(1, 1)
    twice = nn.Sequential(layer, layer)
    assert len([*twice.modules()]) == 2 and len([*twice.modules(remove_duplicate=False)]) == 3


def test_a_buffer_takes_no_attributes_place():
    module = nn.Module()
    module.seen = 5
    with pytest.raises(KeyError, match="already exists"):
        module.seen = Buffer(weft.ones(1))
    assert module.seen == 5


def test_switches_for_a_while():
    with weft.backends.cudnn.flags(enabled=False, benchmark=True):
        assert not weft.backends.cudnn.enabled and weft.backends.cudnn.benchmark
    assert weft.backends.cudnn.enabled and not weft.backends.cudnn.benchmark


def test_attention_of_an_empty_batch():
    layer = nn.TransformerDecoderLayer(8, 2, 16)
    assert layer(weft.rand(5, 0, 8), weft.rand(3, 0, 8)).shape == (5, 0, 8)
