"""What public PyTorch programs ask for beside tensors and layers: distributions, mixed precision, one process, trees,
questions about CUDA.
"""
import math
import pickle
import warnings
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import weft
from weft import nn
from weft.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Distribution,
    Gamma,
    Independent,
    MultivariateNormal,
    Normal,
    TanhTransform,
    TransformedDistribution,
    constraints,
    kl_divergence,
    register_kl,
)
from weft.utils import _pytree as pytree

# reinforcement learning and flows

def test_a_policy_gradient_step():
    weft.manual_seed(0)
    logits = weft.zeros(3, requires_grad=True)
    policy = Categorical(logits=logits)
    action = policy.sample()
    (-policy.log_prob(action) * 2.0).backward()
    want = 2.0 * (np.full(3, 1 / 3) - np.eye(3)[action.item()])
    np.testing.assert_allclose(logits.grad.numpy(), want, rtol=1e-6)
    assert policy.entropy().item() == pytest.approx(math.log(3))


def test_samples_of_a_normal():
    weft.manual_seed(1)
    loc = weft.tensor([1.0, -1.0], requires_grad=True)
    d = Normal(loc, weft.tensor([0.5, 2.0]))
    assert not d.sample((3,)).requires_grad and d.rsample((3,)).requires_grad
    many = d.sample((20000,))
    assert (many.mean(0) - loc).abs().max() < 0.06 and (many.std(0) - d.stddev).abs().max() < 0.06


def test_the_density_of_a_squashed_normal_is_one():
    d = TransformedDistribution(Normal(0.3, 0.7), TanhTransform())
    x = weft.linspace(-0.9999, 0.9999, 20001)
    assert weft.trapezoid(d.log_prob(x).exp(), x).item() == pytest.approx(1.0, abs=1e-3)


def test_independent_sums_over_the_event():
    d = Independent(Normal(weft.zeros(4, 3), 1.0), 1)
    assert d.batch_shape == (4,) and d.event_shape == (3,) and d.log_prob(weft.zeros(4, 3)).shape == (4,)


def test_gamma_samples_have_gradients():
    weft.manual_seed(0)
    a = weft.full((4000,), 2.5, requires_grad=True)
    Gamma(a, 1.0).rsample().mean().backward()
    assert a.grad.sum().item() == pytest.approx(1.0, abs=0.05)          # the mean of a gamma is its concentration
    assert Beta(2.0, 3.0).sample((2000,)).mean().item() == pytest.approx(0.4, abs=0.02)


def test_multivariate_normal_in_three_ways():
    cov = weft.tensor([[2.0, 0.5], [0.5, 1.0]])
    x = weft.tensor([[0.3, -0.2], [1.0, 2.0]])
    ways = [MultivariateNormal(weft.zeros(2), **{name: value}) for name, value in
            (("covariance_matrix", cov), ("precision_matrix", cov.inverse()),
             ("scale_tril", weft.linalg.cholesky(cov)))]
    for d in ways[1:]:
        assert (weft.allclose(d.log_prob(x), ways[0].log_prob(x), atol=1e-5)
                and weft.allclose(d.covariance_matrix, cov, atol=1e-5))


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="parameter scale.*to satisfy the constraint"):
        Normal(0.0, weft.tensor([-1.0]))
    Normal(0.0, weft.tensor([-1.0]), validate_args=False)
    with pytest.raises(ValueError, match="Either `probs` or `logits`"):
        Bernoulli()
    with pytest.raises(ValueError, match="within the support"):
        Bernoulli(0.5).log_prob(weft.tensor(0.5))


def test_a_distribution_of_ones_own():
    class Point(Distribution):
        arg_constraints = {"at": constraints.real}
        support = constraints.real

        def __init__(self, at, validate_args=None):
            self.at = at
            super().__init__(at.shape, validate_args=validate_args)

        def sample(self, sample_shape=()):
            return self.at.expand(self._extended_shape(sample_shape))

    @register_kl(Point, Normal)
    def _(p, q):
        return -q.log_prob(p.at)
    p = Point(weft.tensor([0.0]))
    assert (p.sample((2,)).shape == (2, 1)
            and kl_divergence(p, Normal(0.0, 1.0)).item() == pytest.approx(0.918938, abs=1e-5))
    with pytest.raises(NotImplementedError, match="register_kl"):
        kl_divergence(Normal(0.0, 1.0), p)


def test_modules_by_pytorchs_names():
    from weft.distributions.categorical import Categorical as Same
    from weft.distributions.normal import Normal as Other
    assert Same is Categorical and Other is Normal


# mixed precision

def test_grad_scaler_leaves_out_infinite_steps():
    w = nn.Parameter(weft.tensor([1.0]))
    optimizer = weft.optim.SGD([w], lr=1.0)
    scaler = weft.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    for gradient in (1.0, math.inf, 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((w * gradient).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert w.item() == -2.0 and scaler.get_scale() == 8.0               # 8 -> (inf) 4 -> two good steps: 8
    fresh = weft.amp.GradScaler("cpu")
    fresh.load_state_dict(scaler.state_dict())
    assert fresh.get_scale() == 8.0 and pickle.loads(pickle.dumps(scaler)).get_scale() == 8.0


def test_grad_scaler_order_of_calls():
    w = nn.Parameter(weft.tensor([1.0]))
    optimizer, scaler = weft.optim.SGD([w], lr=1.0), weft.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    assert w.grad.item() == 1.0
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="step\\(\\) has already"):
        scaler.step(optimizer)


def test_mixed_precision_for_cuda_is_off():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        scaler = weft.cuda.amp.GradScaler()
        with weft.autocast("cuda"), weft.cuda.amp.autocast():
            assert (weft.ones(2, 2) @ weft.ones(2, 2)).dtype is weft.float32
            assert not weft.is_autocast_enabled()
    assert len(told) == 3 and not scaler.is_enabled() and scaler.get_scale() == 1.0 and scaler.state_dict() == {}
    with weft.autocast(device_type="cpu", enabled=False):
        pass
    with pytest.raises(RuntimeError, match="unsupported autocast"):
        weft.autocast("abacus")


def test_autocast_nests_and_decorates():
    @weft.autocast("cpu", dtype=weft.bfloat16)
    def inside():
        return weft.is_autocast_enabled("cpu")
    assert inside() and not weft.is_autocast_enabled("cpu")


# one process

def test_a_group_of_one_process(monkeypatch):
    import weft.distributed as dist
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(ValueError, match="init_process_group"):
        dist.get_rank()
    dist.init_process_group("gloo")
    try:
        t, box = weft.ones(2), [weft.zeros(2)]
        dist.all_reduce(t)
        dist.all_gather(box, t)
        assert dist.get_rank() == 0 and dist.get_world_size() == 1 and box[0].tolist() == t.tolist() == [1, 1]
        with pytest.raises(ValueError, match="twice"):
            dist.init_process_group()
    finally:
        dist.destroy_process_group()
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(ValueError, match="rank -1 of 4 processes"):
        dist.init_process_group()
    assert not dist.is_initialized()


def test_distributed_data_parallel_is_its_module():
    model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1))
    with model.no_sync():
        assert not model.require_backward_grad_sync
        model(weft.ones(1, 2)).sum().backward()
    assert model.require_backward_grad_sync and list(model.state_dict()) == ["module.weight", "module.bias"]
    assert model.module.weight.grad is not None


# trees, questions about CUDA, kernels for attention

def test_trees():
    Pair = namedtuple("Pair", "a b")
    tree = {"x": [1, (2, None)], "y": Pair(3, OrderedDict(z=4))}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, None, 3, 4] and pytree.tree_unflatten(leaves, spec) == tree and spec.num_leaves == 5
    assert pytree.tree_map(lambda a, b: a + b, {"a": 1, "b": 2}, {"b": 20, "a": 10}) == {"a": 11, "b": 22}
    assert pytree.tree_map_only(int, str, [1, "a", 2.0]) == ["1", "a", 2.0]
    assert pytree.tree_structure([1, 2]) == pytree.tree_structure([3, 4]) != pytree.tree_structure((1, 2))
    with pytest.raises(ValueError, match="has length 1"):
        pytree.tree_unflatten([1], spec)


def test_questions_about_cuda():
    assert weft.cuda.max_memory_allocated() == 0 and not weft.cuda.is_bf16_supported()
    assert not isinstance(weft.ones(1), weft.cuda.FloatTensor)
    with pytest.raises(TypeError, match="FloatTensor not available"):
        weft.cuda.FloatTensor(2)
    with pytest.raises(AssertionError, match="CUDA"):
        weft.cuda.current_device()
    with weft.backends.cuda.sdp_kernel(enable_flash=False):
        pass
    from weft.utils.hooks import RemovableHandle
    assert isinstance(nn.Linear(1, 1).register_forward_hook(print), RemovableHandle)


def test_truncated_normals_stay_inside():
    weft.manual_seed(0)
    # by normals, and by uniforms for narrow or far windows
    for a, b in ((-2.0, 2.0), (1.5, 3.0), (-0.1, 0.2)):
        x = nn.init.trunc_normal_(weft.empty(500), a=a, b=b)
        assert a <= x.min() and x.max() <= b and x.std() > 0


def test_scripted_functions_run_as_python():
    @weft.jit.script
    def gelu(x):
        return x * 0.5 * (1.0 + weft.erf(x / 1.41421))

    class Net(nn.Module):
        @weft.jit.ignore
        def helper(self, x):
            return x

        @weft.jit.export
        def forward(self, x):
            return self.helper(x) if not weft.jit.is_scripting() else x
    net = Net()
    assert gelu(weft.tensor(0.0)).item() == 0.0 and weft.jit.script(net)(3) == 3 == net(3)
    with pytest.raises(RuntimeError, match="passing an instance"):
        weft.jit.script(Net)


def test_a_sampler_without_an_end_needs_no_memory():
    import itertools
    import tracemalloc
    sampler = weft.utils.data.RandomSampler(range(10), replacement=True, num_samples=int(1e10))
    tracemalloc.start()
    assert all(0 <= i < 10 for i in itertools.islice(sampler, 100))
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
