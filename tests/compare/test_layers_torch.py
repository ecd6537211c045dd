"""Every layer beside PyTorch's of the same name, from the same state: repr, outputs and gradients, for all samples."""
import os
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from layer_samples import CASES, LAYERS, construct, inputs_of, layer_of, wanted_inputs  # noqa: E402

import weft  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
NOT_ON_THE_CPU = {"SyncBatchNorm"}          # of PyTorch
CASES = [(name, i) for name, i in CASES if hasattr(torch.nn, name) and name not in NOT_ON_THE_CPU]
CALLED = [(name, i) for name, i in CASES if LAYERS[name]._samples[i][2] is not None]
# PyTorch's CrossMapLRN2d sums over windows that lose a channel one step too late, and has the gradient of others:
# test_cross_map_lrn_of_pytorch_is_wrong. Weft's is what both mean, LocalResponseNorm.
STANDS_IN = {"CrossMapLRN2d": "LocalResponseNorm"}


def celu_slope(layer, x, rounded):
    """e**(x / alpha) below 0, of an alpha that PyTorch takes in float32 for the gradient."""
    scale = 1.0 / np.float64(rounded(layer.alpha))
    return np.where(x <= 0, layer.alpha * scale * np.exp(x * scale), 1.0)


def hardsigmoid_slope(layer, x, rounded):
    """1 / 6 between -3 and 3, which PyTorch writes as a float32."""
    return np.where(abs(x) < 3, np.float64(rounded(1 / 6)), 0.0)


# whose gradient in PyTorch has a constant in float32, for float64 too
ROUNDED_SLOPES = {"CELU": celu_slope, "Hardsigmoid": hardsigmoid_slope}


def tensors(value):
    """The tensors of either library in nested tuples, lists and dicts."""
    if isinstance(value, (weft.Tensor, torch.Tensor)):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [t for v in values for t in tensors(v)]


def twin(name, i, layer):
    """PyTorch's layer in the state of weft's, lazy ones after a first call: a state alone doesn't tell PyTorch's
    norms their num_features.
    """
    made = construct(name, i, torch, as_layer=STANDS_IN.get(name)).double()
    if isinstance(made, torch.nn.modules.lazy.LazyModuleMixin):
        made(*inputs_of(name, i, torch.float64, torch)[0])
    made.load_state_dict({key: torch.tensor(value.numpy()) for key, value in layer.state_dict().items()})
    for p, q in zip(made.parameters(), layer.parameters(), strict=True):
        assert p.requires_grad == q.requires_grad
    return made


def is_random(name, i, training):
    """Whether a call takes random numbers, of which PyTorch has its own."""
    layer, (args, keywords) = layer_of(name, i).train(training), inputs_of(name, i)
    weft.manual_seed(0)
    fresh = weft.get_rng_state()
    layer(*args, **keywords)
    return not weft.equal(weft.get_rng_state(), fresh)


def outputs_and_gradients(library, layer, name, i):
    """All outputs, then the gradients of inputs and parameters, as arrays."""
    args, keywords = inputs_of(name, i, library.float64, library)
    inputs = [t.requires_grad_() for t in tensors_wanted(name, i, args)]
    if any(getattr(m, "inplace", False) for m in layer.modules()):
        args = [a.clone() if isinstance(a, library.Tensor) else a for a in args]
    made = tensors(layer(*args, **keywords))
    rng = np.random.default_rng(0)
    parts = [(t * library.tensor(rng.uniform(0.5, 1.5, tuple(t.shape)))).sum() for t in made if t.requires_grad]
    leaves = [*inputs, *[p for p in layer.parameters() if p.requires_grad]]
    grads = library.autograd.grad(sum(parts), leaves, allow_unused=True) if parts else []
    return [t.detach().numpy() for t in made], [None if g is None else g.numpy() for g in grads]


def tensors_wanted(name, i, args):
    if not any(isinstance(t, torch.Tensor) for t in tensors(args)):
        return wanted_inputs(name, i, args)
    own = inputs_of(name, i)[0]
    chosen = {id(t) for t in wanted_inputs(name, i, own)}
    return [t for t, ours in zip(tensors(args), tensors(own), strict=True) if id(ours) in chosen]


def check_slope(name, i, layer, ours, theirs):
    """Weft's gradient is the exact one, PyTorch's that of the constant rounded to float32."""
    (x, *_), _ = inputs_of(name, i)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, tuple(x.shape))       # those of outputs_and_gradients
    for (found,), rounded in ((ours, np.float64), (theirs, np.float32)):
        wanted = weights * ROUNDED_SLOPES[name](layer, x.numpy(), rounded)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0)


def test_cross_map_lrn_of_pytorch_is_wrong():
    """Its last channel of 4 feels the first, outside of its 3 neighbours; its gradient is that of no window."""
    layer = torch.nn.CrossMapLRN2d(3, 0.5, 0.5, 2)
    x = torch.linspace(-1, 1, 8, dtype=torch.float64).reshape(1, 4, 2, 1)
    other = torch.cat([x[:, :1] + 1, x[:, 1:]], 1)
    assert not torch.equal(layer(x)[:, 3], layer(other)[:, 3])
    assert not torch.autograd.gradcheck(layer, x.requires_grad_(), raise_exception=False)
    right = torch.nn.LocalResponseNorm(3, 0.5, 0.5, 2)
    assert torch.equal(right(x)[:, 3], right(other)[:, 3])
    assert torch.autograd.gradcheck(right, x)


@pytest.mark.parametrize("name,i", CASES)
def test_repr_and_state_names(name, i):
    ours, theirs = construct(name, i), construct(name, i, torch)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())


@pytest.mark.parametrize("name,i", CALLED)
@pytest.mark.parametrize("training", [True, False])
def test_outputs_and_gradients(name, i, training):
    if is_random(name, i, training):
        return
    layer = layer_of(name, i).train(training)
    other = twin(name, i, layer).train(training)
    ours, theirs = outputs_and_gradients(weft, layer, name, i), outputs_and_gradients(torch, other, name, i)
    for mine, wanted in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-11)
    if name in ROUNDED_SLOPES:
        return check_slope(name, i, layer, ours[1], theirs[1])
    for mine, wanted in zip(ours[1], theirs[1], strict=True):
        mine = np.zeros_like(wanted) if mine is None and wanted is not None else mine
        wanted = np.zeros_like(mine) if wanted is None and mine is not None else wanted
        if wanted is not None:
            np.testing.assert_allclose(mine, wanted, rtol=1e-8, atol=1e-10)
    state = [(value.numpy(), other.state_dict()[key].numpy()) for key, value in layer.state_dict().items()]
    for mine, wanted in state:          # running statistics
        np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-11)


def test_layers_refuse_as_pytorchs_do():
    """PyTorch's own table of wrong arguments of layers: 36 of 90 raised another exception, or none."""
    common = pytest.importorskip("torch.testing._internal.common_modules")

    def converted(value):
        if isinstance(value, torch.Tensor):
            return weft.tensor(value.detach().numpy()).to(getattr(weft, str(value.dtype)[6:]))
        if isinstance(value, torch.dtype):
            return getattr(weft, str(value)[6:])
        if isinstance(value, (list, tuple)):
            return type(value)(converted(v) for v in value)
        return {key: converted(v) for key, v in value.items()} if isinstance(value, dict) else value

    def error_of(layer, case, convert):
        told, given = case.module_error_input.constructor_input, case.module_error_input.forward_input
        try:
            made = layer(*convert(told.args), **convert(told.kwargs))
            if case.error_on is common.ModuleErrorEnum.FORWARD_ERROR:
                made(*convert(given.args), **convert(given.kwargs))
        except Exception as error:
            return type(error)
        return None
    tried, wrong = 0, []
    for info in common.module_db:
        cases = info.module_error_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False,
                                              training=True) if info.module_error_inputs_func else ()
        for case in cases:
            want = error_of(info.module_cls, case, lambda v: v)
            got = error_of(getattr(weft.nn, info.module_cls.__name__), case, converted)
            tried += want is not None
            if want is not None and want is not got:
                wrong.append((info.module_cls.__name__, want, got, case.error_regex))
    assert tried > 80 and not wrong, wrong
