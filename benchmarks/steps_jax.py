"""The training steps of `others.py` in JAX: whole steps under jax.jit, parameters and states handed from call to call.

    make(0) -> the function of the first of `others.STEPS`, which is timed; it waits for its result

Needs jax and NumPy, nothing of weft's: it may run in an environment of its own.
"""
import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

BETAS, EPS = (0.9, 0.999), 1e-8


def normal(rng, *shape, scale=1.0):
    return jnp.asarray((scale * rng.standard_normal(shape)).astype(np.float32))


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def each(function, *trees):
    return jax.tree_util.tree_map(function, *trees)


def adam(lr=1e-3, decay=0.0):
    """(the state of parameters, a function: parameters, gradients, state -> parameters, state)."""
    def state_of(params):
        return each(jnp.zeros_like, params), each(jnp.zeros_like, params), jnp.zeros(())

    def update(params, grads, state):
        means, squares, count = state
        count = count + 1
        means = each(lambda m, g: BETAS[0] * m + (1 - BETAS[0]) * g, means, grads)
        squares = each(lambda s, g: BETAS[1] * s + (1 - BETAS[1]) * g * g, squares, grads)
        step, root = lr / (1 - BETAS[0] ** count), jnp.sqrt(1 - BETAS[1] ** count)
        params = each(lambda p, m, s: p * (1 - lr * decay) - step * m / (jnp.sqrt(s) / root + EPS),
                      params, means, squares)
        return params, (means, squares, count)
    return state_of, update


def adadelta(lr=1.0, rho=0.9, eps=1e-6):
    """The same for Adadelta."""
    def state_of(params):
        return each(jnp.zeros_like, params), each(jnp.zeros_like, params)

    def update(params, grads, state):
        squares = each(lambda s, g: rho * s + (1 - rho) * g * g, state[0], grads)
        deltas = each(lambda s, d, g: jnp.sqrt(d + eps) / jnp.sqrt(s + eps) * g, squares, state[1], grads)
        sums = each(lambda d, delta: rho * d + (1 - rho) * delta * delta, state[1], deltas)
        return each(lambda p, delta: p - lr * delta, params, deltas), (squares, sums)
    return state_of, update


def step_of(params, loss_of, rule):
    """One training step; loss_of(params, key)."""
    state_of, update = rule

    @jax.jit
    def step(params, state, key):
        key, used = jax.random.split(key)
        loss, grads = jax.value_and_grad(loss_of)(params, used)
        return (*update(params, grads, state), key), loss

    held = [(params, state_of(params), jax.random.PRNGKey(0))]

    def run():
        held[0], loss = step(*held[0])
        jax.block_until_ready((held[0], loss))
        return loss
    return run


def mlp(rng):
    x, labels = normal(rng, 32, 4), jnp.asarray(rng.integers(0, 2, 32))
    sizes = (4, 64, 64, 2)
    params = [(normal(rng, b, a, scale=a ** -0.5), jnp.zeros(b)) for a, b in zip(sizes, sizes[1:])]

    def loss(params, _):
        h = x
        for w, b in params[:-1]:
            h = jax.nn.relu(h @ w.T + b)
        return cross_entropy(h @ params[-1][0].T + params[-1][1], labels)
    return step_of(params, loss, adam())


def cell_loop(rng):
    xs, zero = normal(rng, 64, 16, 32), jnp.zeros((16, 64))
    params = [normal(rng, 256, 32, scale=0.1), normal(rng, 256, 64, scale=0.1), jnp.zeros(256), jnp.zeros(256)]

    def loss(params, _):
        w_x, w_h, b_x, b_h = params

        def cell(state, x):
            h, c = state
            i, f, g, o = jnp.split(x @ w_x.T + b_x + h @ w_h.T + b_h, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
        (h, _), _ = lax.scan(cell, (zero, zero), xs)
        return jnp.mean(h * h)
    return step_of(params, loss, adam())


def gpt(rng, layers=4, width=128, heads=4, batch=12, length=64, vocabulary=65):
    ids, targets = (jnp.asarray(rng.integers(0, vocabulary, (batch, length))) for _ in range(2))
    norm = (jnp.ones(width), jnp.zeros(width))

    def linear(inputs, outputs):
        return normal(rng, outputs, inputs, scale=0.02), jnp.zeros(outputs)

    blocks = [dict(ln_1=norm, ln_2=norm, attend=linear(width, 3 * width), project=linear(width, width),
                   up=linear(width, 4 * width), down=linear(4 * width, width)) for _ in range(layers)]
    params = dict(tokens=normal(rng, vocabulary, width, scale=0.02), places=normal(rng, length, width, scale=0.02),
                  norm=norm, blocks=blocks)
    mask = jnp.tril(jnp.ones((length, length), bool))

    def normed(x, p):
        x = x - x.mean(-1, keepdims=True)
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[0] + p[1]

    def block(x, p):
        q, k, v = (part.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3) for part in
                   jnp.split(normed(x, p["ln_1"]) @ p["attend"][0].T + p["attend"][1], 3, 2))
        scores = jnp.where(mask, q @ k.transpose(0, 1, 3, 2) / (width // heads) ** 0.5, -jnp.inf)
        y = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = x + y @ p["project"][0].T + p["project"][1]
        up = jax.nn.gelu(normed(x, p["ln_2"]) @ p["up"][0].T + p["up"][1], approximate=False)
        return x + up @ p["down"][0].T + p["down"][1]

    def loss(params, _):
        x = params["tokens"][ids] + params["places"]
        for p in params["blocks"]:
            x = block(x, p)
        logits = normed(x, params["norm"]) @ params["tokens"].T
        return cross_entropy(logits.reshape(-1, vocabulary), targets.reshape(-1))
    return step_of(params, loss, adam(decay=0.01))


def mnist(rng, batch=64):
    x, labels = normal(rng, batch, 1, 28, 28), jnp.asarray(rng.integers(0, 10, batch))
    shapes = [(32, 1, 3, 3), (64, 32, 3, 3), (128, 9216), (10, 128)]
    params = [(normal(rng, *s, scale=float(np.prod(s[1:])) ** -0.5), jnp.zeros(s[0])) for s in shapes]

    def dropped(x, rate, key):
        return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0.0)

    def conv(x, p):
        return lax.conv_general_dilated(x, p[0], (1, 1), "VALID") + p[1][:, None, None]

    def loss(params, key):
        one, two = jax.random.split(key)
        y = jax.nn.relu(conv(jax.nn.relu(conv(x, params[0])), params[1]))
        y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        y = dropped(y, 0.25, one).reshape(batch, -1)
        y = dropped(jax.nn.relu(y @ params[2][0].T + params[2][1]), 0.5, two)
        return cross_entropy(y @ params[3][0].T + params[3][1], labels)
    return step_of(params, loss, adadelta())


MAKERS = (mlp, cell_loop, mnist, gpt)      # in the order of `others.STEPS`


def make(number):
    """The step of a row, by its place in `others.STEPS`."""
    return MAKERS[number](np.random.default_rng(0))
