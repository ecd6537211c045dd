"""The same random numbers in programs: what is drawn depends on layouts and on small habits; losses from one seed
agree.
"""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

# each makes a tensor by drawing; many public models do exactly this
DRAWN = {
    "dropout of a transposed tensor": lambda m: m.nn.functional.dropout(m.ones(6, 8).t(), 0.5),
    "dropout of an expanded tensor": lambda m: m.nn.functional.dropout(m.ones(1, 5, 1).expand(3, 5, 4), 0.5),
    "dropout of a slice": lambda m: m.nn.functional.dropout(m.ones(6, 8).t()[::2], 0.5),
    "dropout in place": lambda m: m.nn.functional.dropout(m.ones(6, 8).t(), 0.5, True, True),
    "dropout of channels last": lambda m: m.nn.functional.dropout(m.ones(2, 3, 4,
                                                                         4).contiguous(memory_format=m.channels_last),
                                                                  0.5),
    "dropout2d of channels last": lambda m: m.nn.functional.dropout2d(m.ones(2, 30, 4,
                                                                             4).contiguous(memory_format=m.channels_last), 0.5),
    "alpha dropout": lambda m: m.nn.functional.alpha_dropout(m.ones(6, 8).t(), 0.5, True),
    "dropout of patches": lambda m: m.nn.functional.dropout(m.nn.Conv2d(3, 4, 2,
                                                                        2)(m.rand(2, 3, 8, 8)).flatten(2).transpose(1,
                                                                                                                    2), 0.4),
    "dropout of an einsum": lambda m: m.nn.functional.dropout(m.einsum("bid,bjd->bji", m.rand(3, 4, 6),
                                                                       m.rand(3, 5, 6)), 0.4),
    "dropout of attention": lambda m: m.nn.functional.dropout(m.einsum("bhid,bhjd->bhij", m.rand(3, 2, 4, 6),
                                                                       m.rand(3, 2, 5, 6)).softmax(-1), 0.4),
    "gumbel_softmax": lambda m: m.nn.functional.gumbel_softmax(m.ones(6, 8).t()),
    "rrelu": lambda m: m.nn.functional.rrelu(m.randn(6, 8), training=True),
    "rrelu of a transposed tensor": lambda m: m.nn.functional.rrelu(m.randn(6, 8).t(), training=True),
    "trunc_normal_": lambda m: m.nn.init.trunc_normal_(m.empty(40, 30), std=1.0),
    "trunc_normal_ of a small deviation": lambda m: m.nn.init.trunc_normal_(m.empty(40, 30), std=0.02),
    "trunc_normal_ narrow": lambda m: m.nn.init.trunc_normal_(m.empty(50, 3), a=-0.1, b=0.2),
    "trunc_normal_ far": lambda m: m.nn.init.trunc_normal_(m.empty(50, 3), a=1.5, b=3.0),
    "trunc_normal_ double": lambda m: m.nn.init.trunc_normal_(m.empty(500, dtype=m.float64)),
    "trunc_normal_ transposed": lambda m: m.nn.init.trunc_normal_(m.empty(30, 40).t()),
}


@pytest.mark.parametrize("name", DRAWN)
def test_drawn_alike(name):
    found = []
    for lib in (torch, weft):
        lib.manual_seed(0)
        # and the stream goes on from one place
        found.append((DRAWN[name](lib).detach().numpy(), lib.rand(3).numpy()))
    for t, w in zip(*found, strict=True):
        np.testing.assert_allclose(w, t, rtol=1e-5, atol=1e-6)


def trained(lib, make, steps=6):
    lib.manual_seed(1)
    loss_of, parameters = make(lib)
    optimizer = lib.optim.Adam(parameters, lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def reinforce(m):
    """A policy on a bandit with states."""
    net = m.nn.Sequential(m.nn.Linear(4, 16), m.nn.Dropout(0.6), m.nn.ReLU(), m.nn.Linear(16, 3))

    def loss():
        policy = m.distributions.Categorical(m.softmax(net(m.randn(8, 4)), dim=1))
        action = policy.sample()
        reward = (action == 1).float()
        returns = (reward - reward.mean()) / (reward.std() + 1e-6)
        return -(policy.log_prob(action) * returns).sum() - 0.01 * policy.entropy().mean()
    return loss, net.parameters()


def soft_actor(m):
    """A squashed normal with its density, as soft actor-critics use it."""
    net = m.nn.Linear(3, 4)

    def loss():
        mean, log_std = net(m.randn(16, 3)).chunk(2, -1)
        d = m.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        x = d.rsample()
        action = m.tanh(x)
        log_prob = d.log_prob(x) - m.log(1 - action.pow(2) + 1e-6)
        return (0.2 * log_prob.sum(1) - action.sum(1)).mean()
    return loss, net.parameters()


def patches(m):
    """An image transformer with a convolutional stem: transposed features, truncated normals, dropout."""
    stem, head = m.nn.Conv2d(3, 8, 4, 4), m.nn.Linear(8, 5)
    places = m.nn.Parameter(m.empty(1, 16, 8))
    m.nn.init.trunc_normal_(places, std=0.2)
    body = m.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)

    def loss():
        x = m.nn.functional.dropout(stem(m.rand(2, 3, 16, 16)).flatten(2).transpose(1, 2), 0.2)
        return m.nn.functional.cross_entropy(head(body(x + places).mean(1)), m.randint(0, 5, (2,)))
    return loss, [places, *stem.parameters(), *body.parameters(), *head.parameters()]


def flow(m):
    """Affine couplings under a normal."""
    nets = [m.nn.Sequential(m.nn.Linear(1, 8), m.nn.Tanh(), m.nn.Linear(8, 2)) for _ in range(2)]
    base = m.distributions.MultivariateNormal(m.zeros(2), m.eye(2))

    def loss():
        z, total = m.distributions.MixtureSameFamily(m.distributions.Categorical(m.ones(2)),
                                                     m.distributions.Independent(
            m.distributions.Normal(m.tensor([[-2.0, 0.0], [2.0, 0.0]]), 0.5), 1)).sample((32,)), 0.0
        for k, net in enumerate(nets):
            a, b = (z[:, :1], z[:, 1:]) if k % 2 else (z[:, 1:], z[:, :1])
            s, t = net(a).chunk(2, 1)
            b = b * s.exp() + t
            total = total + s.sum(1)
            z = m.cat((a, b) if k % 2 else (b, a), 1)
        return -(base.log_prob(z) + total).mean()
    return loss, [p for net in nets for p in net.parameters()]


def scaled(m):
    """A step with a gradient scaler, and a clipped norm between unscale_ and step."""
    net, scaler = m.nn.Linear(4, 2), m.amp.GradScaler("cpu", init_scale=1024.0)
    inner = m.optim.SGD(net.parameters(), lr=0.1)

    def loss():
        inner.zero_grad()
        value = net(m.randn(8, 4)).pow(2).mean()
        scaler.scale(value).backward()
        scaler.unscale_(inner)
        m.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        scaler.step(inner)
        scaler.update()
        return net(m.ones(2, 4)).sum()
    return loss, net.parameters()


@pytest.mark.parametrize("make", [reinforce, soft_actor, patches, flow, scaled])
def test_losses_agree(make):
    np.testing.assert_allclose(trained(weft, make), trained(torch, make), rtol=1e-4, atol=1e-5)
