"""vmap and its company beside PyTorch's: the same programs in both libraries."""
import numpy as np
import pytest
import torch

import weft
import weft.func

RNG = np.random.default_rng(0)
DATA = {name: RNG.normal(size=shape) for name, shape in {
    "x": (4, 3), "y": (4, 3), "m": (4, 3, 5), "w": (5, 3), "ws": (4, 5, 3), "b": (5,), "img": (4, 2, 3, 6, 6),
    "k": (4, 3, 3, 3), "ks": (4, 4, 3, 3, 3), "v": (3,), "big": (3, 4, 5)}.items()}


def plain(tree):
    if isinstance(tree, (tuple, list)):
        return [plain(t) for t in tree]
    if isinstance(tree, dict):
        return {k: plain(v) for k, v in tree.items()}
    return tree.detach().numpy()


def same(a, b):
    if isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            same(a[k], b[k])
    else:
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


def causal_mask(t, d):
    """As transformers builds attention masks: nested vmaps over indices, with comparisons and indexing."""
    padding = t.tensor([[True, True, False, True], [True, False, True, True]])

    def mask(batch, head, q, kv):
        return (kv <= q) & (q - kv < 3) & padding[batch, kv]
    for dims in [(None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)]:
        mask = t.vmap(mask, in_dims=dims, out_dims=0)
    return mask(t.arange(2), t.arange(3), t.arange(4), t.arange(4))


def per_sample(t, d):
    def loss(params, x, y):
        h = t.tanh(x @ params["w"].T + params["b"])
        return ((h.sum() - y.sum()) ** 2).mean()
    return t.func.vmap(t.func.grad(loss), in_dims=(None, 0, 0))({"w": d["w"], "b": d["b"]}, d["x"], d["y"])


def per_sample_convolution(t, d):
    def loss(k, img):
        h = t.nn.functional.max_pool2d(t.relu(t.nn.functional.conv2d(img.unsqueeze(0), k, padding=1)), 2)
        return t.nn.functional.cross_entropy(h.flatten(1), t.tensor([1]))
    return t.func.vmap(t.func.grad(loss), in_dims=(None, 0))(d["k"], d["img"][:, 0])


def ensemble(t, d):
    t.manual_seed(0)
    models = [t.nn.Sequential(t.nn.Linear(3, 4), t.nn.LayerNorm(4), t.nn.GELU(), t.nn.Linear(4, 2)).double()
              for _ in range(4)]
    with t.no_grad():
        for n, model in enumerate(models):
            for i, p in enumerate(model.parameters()):
                p.copy_((t.arange(p.numel(), dtype=t.float64).reshape(p.shape) * (n + 1) + i).sin())
    params, buffers = t.func.stack_module_state(models)
    base = models[0]

    def run(p, b, x):
        return t.func.functional_call(base, (p, b), (x,))
    return t.func.vmap(run, in_dims=(0, 0, None))(params, buffers, d["x"]), t.func.vmap(run)(params, buffers, d["x"])


def outer_gradient(t, d):
    """Through a vmap, with a detach inside."""
    x, w = d["x"].clone().requires_grad_(), d["w"].clone().requires_grad_()
    out = t.vmap(lambda a: (w @ a).sin() * a.detach().sum())(x)
    return t.autograd.grad((out ** 2).sum(), (x, w), create_graph=True)


def second_order(t, d):
    x = d["x"].clone().requires_grad_()
    inner = t.func.vmap(t.func.grad(lambda a: (a ** 3).sum() * a.prod()))(x)
    return inner, t.autograd.grad(inner.sum(), x)[0]


def writes(t, d):
    def run(a):
        made = a.new_zeros(3)
        made[1:] = a[:2]
        made[0] += 2
        made.mul_(a)
        return made.fill_diagonal_(1) if made.dim() == 2 else made.clamp_(max=1)
    return t.vmap(run)(d["x"])


PROGRAMS = {
    "pointwise": lambda t, d: t.vmap(lambda a, b: a * 2 + b.exp() / (1 + a.abs()))(d["x"], d["y"]),
    "broadcast ranks": lambda t, d: t.vmap(lambda a, b: a + b, in_dims=(0, 1))(d["x"], d["m"].permute(1, 0, 2)[:, :, :3]),
    "dot": lambda t, d: t.vmap(t.dot)(d["x"], d["y"]),
    "in_dims -1": lambda t, d: t.vmap(lambda a: a.sum(0), in_dims=-1)(d["m"]),
    "out_dims": lambda t, d: t.vmap(lambda a: (a, a.sum()), out_dims=(1, 0))(d["x"]),
    "trees": lambda t, d: t.vmap(lambda p, c: {"s": p["a"] + c, "t": [p["b"][0]]}, in_dims=({"a": 0, "b": [None]}, 0))(
        {"a": d["x"], "b": [d["v"]]}, d["y"]),
    "unbatched result": lambda t, d: t.vmap(lambda a: d["v"] * 2)(d["x"]),
    "nested": lambda t, d: t.vmap(t.vmap(lambda a, b: a * b + a.sum(), (0, None)), (0, 0))(d["m"], d["m"][:, 0]),
    "nested matmul": lambda t, d: t.vmap(t.vmap(t.dot, (None, 1)), (0, None))(d["x"], d["w"].T @ d["ws"][0]),
    "matmul": lambda t, d: [t.vmap(t.matmul, (0, None))(d["x"], d["w"].T), t.vmap(t.matmul, (0, 0))(d["ws"], d["x"]),
                            t.vmap(t.matmul, (None, 0))(d["w"], d["m"]), t.vmap(t.matmul)(d["ws"], d["m"])],
    "linear": lambda t, d: [t.vmap(t.nn.functional.linear, i)(d[x], d[w], d["b"]) for i, x, w in (
        ((0, None, None), "x", "w"), ((0, 0, None), "x", "ws"), ((None, 0, None), "x", "ws"))],
    "conv": lambda t, d: [t.vmap(t.nn.functional.conv2d, i)(d["img"], d[k]) for i, k in (((0, None), "k"), ((0, 0), "ks"))],
    "softmax": lambda t, d: [t.vmap(lambda a, f=f, d_=d_: f(a, dim=d_))(d["m"]) for f in (t.softmax, t.log_softmax, t.cumsum)
                             for d_ in (0, -1)],
    "reductions": lambda t, d: [t.vmap(f)(d["m"]) for f in (
        t.sum, t.mean, t.amax, t.var, t.argmax, t.max, t.median, lambda a: a.std(0, keepdim=True), lambda a: a.max(0)[1],
        lambda a: a.sum((0, 1)), t.prod, lambda a: a.norm(), t.logsumexp if False else lambda a: t.logsumexp(a, 1))],
    "views": lambda t, d: [t.vmap(f)(d["m"]) for f in (
        lambda a: a.T, lambda a: a.reshape(-1), lambda a: a.view(5, 3), lambda a: a[1:, ::2], lambda a: a[..., None, 2],
        lambda a: a.unsqueeze(-1).squeeze(), lambda a: a.flip(0), lambda a: a.roll(1), lambda a: a.expand(2, 3, 5),
        lambda a: a.diagonal(), lambda a: a.unfold(1, 2, 1), lambda a: a.repeat(2, 1), lambda a: a.permute(1, 0),
        lambda a: t.stack([a, a], -1), lambda a: t.cat([a, d["v"][:, None]], 1), lambda a: a.chunk(2, 1),
        lambda a: t.nn.functional.pad(a, (1, 2)), lambda a: a.tril(), lambda a: a.movedim(0, 1).contiguous())],
    "indexing": lambda t, d: [t.vmap(f, i)(*a) for f, i, a in (
        (lambda a, k: a[k], (0, None), (d["m"], t.tensor([2, 0]))), (lambda a, k: a[k], (None, 0), (d["x"], t.tensor([3, 1, 0]))),
        (lambda a, k: a[:, k], (0, 0), (d["m"], t.tensor([0, 1, 2, 4]))), (lambda a, k: a[k, 1], (0, 0), (d["m"], t.tensor([0, 1, 2, 1]))),
        (lambda a, k: a[[0, 2], k], (0, 0), (d["m"], t.tensor([[0, 1], [1, 1], [2, 2], [4, 0]]))),
        (lambda a, k: a.gather(0, k), (0, 0), (d["x"], t.tensor([[0, 2]] * 4))), (lambda a, k: a.index_select(1, k), (0, None), (d["m"], t.tensor([0, 0]))),
        (lambda a, k: t.where(a > 0, a, k), (0, 0), (d["x"], d["y"])), (lambda a, k: a.masked_fill(k > 0, 7), (0, 0), (d["x"], d["y"])),
        (lambda a, k: a.scatter(0, k, 0.), (0, 0), (d["x"], t.tensor([[0, 2]] * 4))), (lambda a, k: a.take_along_dim(k, 0), (0, 0), (d["x"], t.tensor([[0]] * 4))))],
    "zero-dim promotion": lambda t, d: t.vmap(lambda a, s: a * s)(d["x"].float(), t.arange(4).double()),
    "losses": lambda t, d: [t.vmap(lambda a, b, r=r: t.nn.functional.mse_loss(a, b, reduction=r))(d["x"], d["y"]) for r in ("mean", "sum", "none")]
    + [t.vmap(lambda a, k, r=r: t.nn.functional.cross_entropy(a, k, reduction=r, ignore_index=1))(d["m"], t.tensor([[0, 1, 4]] * 4)) for r in ("mean", "sum", "none")],
    "norms": lambda t, d: [t.vmap(f)(d["img"]) for f in (
        lambda a: t.nn.functional.layer_norm(a, (6,)), lambda a: t.nn.functional.group_norm(a, 3), lambda a: t.nn.functional.batch_norm(a, None, None, training=True),
        lambda a: t.nn.functional.instance_norm(a), lambda a: t.nn.functional.avg_pool2d(a, 2), lambda a: t.nn.functional.interpolate(a, scale_factor=2))],
    "attention": lambda t, d: t.vmap(lambda q: t.nn.functional.scaled_dot_product_attention(q, q, q))(d["img"]),
    "linalg": lambda t, d: [t.vmap(f)(d["ws"][:, :3]) for f in (t.linalg.det, t.linalg.inv, lambda a: t.linalg.solve(a, d["v"]), t.linalg.svdvals)],
    "einsum": lambda t, d: t.vmap(lambda a, b: t.einsum("ij,kj->ik", a, b), (0, None))(d["ws"], d["w"]),
    "embedding": lambda t, d: [t.vmap(t.nn.functional.embedding, i)(k, w) for i, k, w in (
        ((0, None), t.tensor([[0, 1], [2, 4]]), d["w"]), ((0, 0), t.tensor([[0, 1], [2, 4], [0, 0], [1, 1]]), d["ws"]))],
    "mask": causal_mask, "per-sample": per_sample, "per-sample conv": per_sample_convolution, "ensemble": ensemble,
    "outer": outer_gradient, "second order": second_order, "writes": writes,
    "jacrev": lambda t, d: t.func.jacrev(lambda a: (d["w"] @ a).sin())(d["v"]),
    "jacfwd": lambda t, d: t.func.jacfwd(lambda a: (d["w"] @ a).sin())(d["v"]),
    "hessian": lambda t, d: t.func.hessian(lambda a: (d["w"] @ a).sin().prod())(d["v"]),
    "vmap jacrev": lambda t, d: t.vmap(t.func.jacrev(lambda a: (d["w"] @ a).exp()))(d["x"]),
    "vmap jacfwd": lambda t, d: t.vmap(t.func.jacfwd(lambda a: (d["w"] @ a).exp()))(d["x"]),
    "vmap hessian": lambda t, d: t.vmap(t.func.hessian(lambda a: (d["w"] @ a).tanh().sum()))(d["x"]),
    "vmap jvp": lambda t, d: t.vmap(lambda a, b: t.func.jvp(lambda c: c.sin() * c.sum(), (a,), (b,)))(d["x"], d["y"]),
    "vmap vjp": lambda t, d: t.vmap(lambda a, b: t.func.vjp(lambda c: c.sin() * c.sum(), a)[1](b))(d["x"], d["y"]),
    "grad of vmap": lambda t, d: t.func.grad(lambda w: t.vmap(lambda a: (w @ a).tanh().sum())(d["x"]).prod())(d["w"]),
    "jacrev of vmap": lambda t, d: t.func.jacrev(lambda a: t.vmap(lambda r: r.sin() * r.sum())(a))(d["x"]),
    "chunks": lambda t, d: t.vmap(lambda a: a.sin().sum(), chunk_size=3)(d["x"]),
    "sort": lambda t, d: [*t.vmap(lambda a: t.sort(a, descending=True))(d["x"]), *t.vmap(lambda a: t.topk(a, 2))(d["x"])],
    "same numbers": lambda t, d: (t.manual_seed(1), t.vmap(lambda a: a + t.rand(3, dtype=t.float64), randomness="same")(d["x"]))[1],
    "other numbers": lambda t, d: (t.manual_seed(1), t.vmap(lambda a: a + t.rand(3, dtype=t.float64), randomness="different")(d["x"]))[1],
    "grads batched": lambda t, d: t.autograd.grad((x := d["x"].clone().requires_grad_()).sin() * 2, x, d["big"][:, :, :3].clone().contiguous()
                                                  if False else t.stack([d["x"], d["y"]]), is_grads_batched=True),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal(name):
    same(plain(PROGRAMS[name](weft, {k: weft.tensor(v) for k, v in DATA.items()})),
         plain(PROGRAMS[name](torch, {k: torch.tensor(v) for k, v in DATA.items()})))


@pytest.mark.parametrize("name", ["mask", "per-sample", "per-sample conv", "ensemble", "conv", "matmul", "indexing",
                                  "norms", "losses", "views", "reductions", "vmap hessian"])
def test_no_loop_over_examples(name, monkeypatch):
    """These run at once: no op for each example, and no function either."""
    from weft.ops.lanes.rules import Call

    def looped(self, *args, **kwargs):
        raise AssertionError(f"{self.op.name} has no batch rule here")
    monkeypatch.setattr(Call, "run_each", looped)
    monkeypatch.setattr(weft.func, "_one_by_one", None)
    PROGRAMS[name](weft, {k: weft.tensor(v) for k, v in DATA.items()})


ERRORS = {
    "random": lambda t, x: t.vmap(lambda a: a + t.rand(3))(x),
    "write": lambda t, x: t.vmap(lambda a, b: a.add_(b), (None, 0))(t.zeros(3, dtype=t.float64), x),
    "result": lambda t, x: t.vmap(lambda a: 1)(x), "no inputs": lambda t, x: t.vmap(lambda: 1)(),
    "out_dims": lambda t, x: t.vmap(lambda a: a, out_dims=None)(x), "far": lambda t, x: t.vmap(lambda a: a, out_dims=3)(x),
    "chunk": lambda t, x: t.vmap(lambda a: a, chunk_size=0)(x), "shapes": lambda t, x: t.vmap(lambda a: a @ t.ones(7))(x),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    kinds = []
    for t in (weft, torch):
        with pytest.raises(Exception) as caught:
            ERRORS[name](t, t.ones(4, 3, dtype=t.float64))
        kinds.append(caught.type)
    assert kinds[0] is kinds[1]
