"""pyro-ppl: probabilistic programs."""
# pip install pyro-ppl
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDiagonalNormal


def _regression(x, y=None):
    weight = pyro.sample("weight", dist.Normal(torch.zeros(2), 1.0).to_event(1))
    noise = pyro.sample("noise", dist.HalfNormal(1.0))
    with pyro.plate("data", x.size(0)):
        return pyro.sample("y", dist.Normal(x @ weight, noise), obs=y)


def svi():
    """`SVI` with `AutoDiagonalNormal`: ten steps, then `Predictive`"""
    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    x = torch.randn(20, 2)
    y = x @ torch.tensor([1.0, -2.0]) + 0.1 * torch.randn(20)
    guide = AutoDiagonalNormal(_regression)
    steps = SVI(_regression, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
    losses = [steps.step(x, y) for _ in range(10)]
    return losses, guide.median(), Predictive(_regression, guide=guide, num_samples=5)(x)["y"]


def enumerated():
    """a mixture with the discrete variable summed out (`TraceEnum_ELBO`): five steps"""
    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    data = torch.cat([torch.randn(10) - 3, torch.randn(10) + 3])

    @config_enumerate
    def model(data):
        weights = pyro.param("weights", torch.ones(2) / 2, constraint=dist.constraints.simplex)
        places = pyro.param("places", torch.tensor([-1.0, 1.0]))
        with pyro.plate("data", len(data)):
            which = pyro.sample("which", dist.Categorical(weights))
            pyro.sample("x", dist.Normal(places[which], 1.0), obs=data)
    steps = SVI(model, lambda data: None, pyro.optim.Adam({"lr": 0.1}), TraceEnum_ELBO(max_plate_nesting=1))
    return [steps.step(data) for _ in range(5)], dict(pyro.get_param_store().items())


def nuts():
    """`NUTS`: 15 samples after 10"""
    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    x = torch.randn(12, 2).double()
    y = x @ torch.tensor([1.0, -2.0]).double()

    def model():
        weight = pyro.sample("weight", dist.Normal(torch.zeros(2).double(), 1.0).to_event(1))
        with pyro.plate("data", 12):
            pyro.sample("y", dist.Normal(x @ weight, 0.5), obs=y)
    chain = MCMC(NUTS(model), num_samples=15, warmup_steps=10, disable_progbar=True)
    chain.run()
    return chain.get_samples()["weight"][:3], chain.get_samples()["weight"].shape[0]
