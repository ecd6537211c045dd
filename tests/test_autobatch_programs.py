"""Random programs, looped and inside `autobatch`: many small graphs with views, writes, reads and branches."""
import random

import numpy as np
import pytest

import weft
from weft import autobatch

WIDTH = 4


def pick(rng, pool):
    return pool[rng.randrange(len(pool))]


def unary(rng, p, x):
    return pick(rng, [lambda: x.tanh(), lambda: x.sigmoid() * 2, lambda: -x, lambda: x.relu() + 0.1, lambda: x * 0.5 - 1,
                      lambda: x.softmax(-1), lambda: x.clone(), lambda: x.abs().sqrt(), lambda: x.clamp(-1, 1)])()


def binary(rng, p, x, y):
    return pick(rng, [lambda: x + y, lambda: x * y, lambda: x - y, lambda: weft.maximum(x, y),
                      lambda: weft.where(x > y, x, y), lambda: weft.cat([x, y])[1:WIDTH + 1],
                      lambda: weft.stack([x, y]).mean(0), lambda: weft.stack([x, y])[pick(rng, [0, 1])],
                      lambda: (x @ y) * x])()


def shared(rng, p, x):
    return pick(rng, [lambda: x @ p["w"], lambda: weft.nn.functional.linear(x, p["w"], p["b"]), lambda: x + p["b"],
                      lambda: p["table"][rng.randrange(5)] * x, lambda: p["w"].t() @ x,
                      lambda: p["table"][weft.tensor([rng.randrange(5), 1])].sum(0) + x,
                      lambda: weft.nn.functional.layer_norm(x, (WIDTH,), p["b"])])()


def view(rng, p, x):
    return pick(rng, [lambda: x.view(2, 2).t().reshape(-1), lambda: x.unsqueeze(0).expand(3, WIDTH)[1],
                      lambda: weft.cat(x.chunk(2)[::-1]), lambda: x.flip(0), lambda: x[pick(rng, [0, 1, 2])].expand(WIDTH),
                      lambda: x.view(2, 2).transpose(0, 1).contiguous().view(-1)])()


def write(rng, p, x):
    y = x * 1
    kind = rng.randrange(5)
    if kind == 0:
        y += x
    elif kind == 1:
        y[1] = 0.5
    elif kind == 2:
        y[1:3].mul_(2)
    elif kind == 3:
        z = y.view(2, 2)
        y.add_(1)
        y = z.reshape(-1) * 1
    else:
        z = y.detach()
        y = y * 2 + z
    return y


def example(rng, p, length, reads):
    """One program of the given number of steps; what it does depends only on the generator."""
    pool = [weft.tensor([rng.uniform(-1, 1) for _ in range(WIDTH)]), p["b"] * 1]
    for _ in range(length):
        x, y = pick(rng, pool), pick(rng, pool)
        kind = rng.randrange(12)
        made = (unary(rng, p, x) if kind < 3 else binary(rng, p, x, y) if kind < 6 else shared(rng, p, x) if kind < 9
                else view(rng, p, x) if kind == 9 else write(rng, p, x) if kind == 10 else unary(rng, p, y))
        pool.append(made)
        if len(pool) > 4:
            pool.pop(rng.randrange(len(pool)))
        if reads and rng.random() < 0.1:
            what = rng.randrange(4)
            if what == 0:
                made.sum().item()
            elif what == 1:
                made.retain_grad() if made.requires_grad else None
            elif what == 2:
                with weft.no_grad():
                    pool.append(made * 2)
            elif made.sum().item() > 0:
                pool.append(made * 2)
    return sum(t.sum() for t in pool) + p["b"].sum(), pool


def outcome(seed, inside):
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    p = {name: weft.tensor(numbers.standard_normal(shape) * 0.5).requires_grad_()
         for name, shape in (("w", (WIDTH, WIDTH)), ("b", (WIDTH,)), ("table", (5, WIDTH)))}
    weft.set_default_dtype(weft.float64)
    try:
        starts, reads = rng.sample(range(10 ** 6), 3), rng.random() < 0.5
        order = [starts[rng.randrange(3)] for _ in range(5)]
        region = autobatch(always=True)
        if inside:
            region.__enter__()
        try:
            made = [example(random.Random(start), p, 4 + start % 20, reads) for start in order]
            if rng.random() < 0.5:
                total = sum(loss for loss, _ in made)
                total.backward()
            else:
                for k, (loss, _) in enumerate(made):
                    loss.backward(retain_graph=k < 4)
            kept = [t for _, pool in made for t in pool]
        finally:
            if inside:
                region.__exit__(None, None, None)
    finally:
        weft.set_default_dtype(weft.float32)
    grads = [t.grad for t in kept if t.is_leaf or t.retains_grad]
    return [loss for loss, _ in made], kept, [q.grad for q in p.values()], grads


def check(seed):
    plain, batched = outcome(seed, False), outcome(seed, True)
    for mine, theirs in zip(plain, batched, strict=True):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            assert (a is None) == (b is None), seed
            if a is not None:
                assert a.shape == b.shape and a.dtype == b.dtype and a.requires_grad == b.requires_grad, seed
                np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=1e-6, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_programs(start):
    for seed in range(start, start + 20):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 500))
def test_many_random_programs(start):
    for seed in range(start, start + 500):
        check(seed)
