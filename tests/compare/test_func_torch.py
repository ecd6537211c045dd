"""torch.func beside weft.func: one body, run with both."""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

X = np.array([0.3, -1.2, 2.0])
M = np.arange(12.0).reshape(4, 3) / 7 - 0.6


def model(lib):
    net = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.Tanh(), lib.nn.Linear(4, 1)).double()
    for i, p in enumerate(net.parameters()):
        p.data = lib.tensor(np.sin(np.arange(p.numel()) * (i + 1.0)).reshape(tuple(p.shape)))
    return net


def per_sample(lib, T):
    net = model(lib)
    params = {k: v.detach() for k, v in net.named_parameters()}

    def loss(params, x, y):
        return (lib.func.functional_call(net, params, (x,)) - y).square().sum()
    return lib.func.vmap(lib.func.grad(loss), (None, 0, 0))(params, T(M), T(M[:, :1]))


def ensemble(lib, T):
    nets = []
    for k in range(3):
        nets.append(model(lib))
        for p in nets[-1].parameters():
            p.data = p.data * (k + 1)
    params, buffers = lib.func.stack_module_state(nets)
    return lib.func.vmap(lambda p, b, x: lib.func.functional_call(nets[0], (p, b), (x,)),
                         (0, 0, None))(params, buffers, T(M))


CASES = {
    "grad": lambda lib, T: lib.func.grad(lambda x: (x ** 3).sum())(T(X)),
    "second": lambda lib, T: lib.func.grad(lambda x: lib.func.grad(lambda y: (y ** 3).sum())(x).sin().sum())(T(X)),
    "third": lambda lib, T: lib.func.grad(lib.func.grad(lib.func.grad(lambda x: x.exp() * x)))(T(X)[0]),
    "argnums": lambda lib, T: lib.func.grad(lambda x, y: (x * y.sin()).sum(), argnums=(1, 0))(T(X), T(X)),
    "negative": lambda lib, T: lib.func.grad(lambda x, y: (x * y.sin()).sum(), argnums=-1)(T(X), T(X)),
    "aux": lambda lib, T: lib.func.grad(lambda x: ((x ** 2).sum(), {"seen": x * 2}), has_aux=True)(T(X)),
    "value": lambda lib, T: lib.func.grad_and_value(lambda x: (x ** 2).sum())(T(X)),
    "value and aux": lambda lib, T: lib.func.grad_and_value(lambda x: ((x ** 2).sum(), x * 2), has_aux=True)(T(X)),
    "trees": lambda lib, T: lib.func.grad(lambda d,
                                          k: (d["a"] * d["b"][0]).sum() * k)({"a": T(X), "b": [T(X) + 1, T(X)]}, 3.0),
    "unused": lambda lib, T: lib.func.grad(lambda x, y: x.sum(), argnums=1)(T(X), T(X)),
    "vjp": lambda lib, T: lib.func.vjp(lambda x: x.sin(), T(X))[1](T(X) + 1),
    "vjp two": lambda lib, T: lib.func.vjp(lambda x, y: (x * y, {"s": x.sum()}), T(X),
                                           T(X) + 2)[1]((T(X), {"s": T(X)[0]})),
    "vjp aux": lambda lib, T: lib.func.vjp(lambda x: (x.sin(), x * 3), T(X), has_aux=True)[2],
    "vjp output": lambda lib, T: lib.func.vjp(lambda x: x.sin(), T(X))[0],
    "vjp in grad": lambda lib, T: lib.func.grad(lambda x: lib.func.vjp(lambda y: y ** 3, x)[1](x)[0].sum())(T(X)),
    "jvp": lambda lib, T: lib.func.jvp(lambda x, y: (x.sin() * y, y ** 2), (T(X), T(X) + 2), (T(X) + 1, T(X))),
    "jvp aux": lambda lib, T: lib.func.jvp(lambda x: (x.sin(), x), (T(X),), (T(X),), has_aux=True),
    "jvp of vjp": lambda lib, T: lib.func.jvp(lib.func.grad(lambda x: (x ** 3).sum()), (T(X),), (T(X) + 1,)),
    "linearize": lambda lib, T: lib.func.linearize(lambda x: x.sin(), T(X))[1](T(X) + 1),
    "jacrev": lambda lib, T: lib.func.jacrev(lambda x: T(M) @ x.sin())(T(X)),
    "jacfwd": lambda lib, T: lib.func.jacfwd(lambda x: T(M) @ x.sin())(T(X)),
    "jacrev trees": lambda lib, T: lib.func.jacrev(lambda x, y: {"p": x * y, "s": x.sum()},
                                                   argnums=(0, 1))(T(X), T(X) + 1),
    "jacfwd trees": lambda lib, T: lib.func.jacfwd(lambda d: (d["x"] * d["y"],
                                                              d["x"].sum()))({"x": T(X), "y": T(X) + 1}),
    "jacrev aux": lambda lib, T: lib.func.jacrev(lambda x: (x ** 2, x + 1), has_aux=True)(T(X)),
    "jacfwd aux": lambda lib, T: lib.func.jacfwd(lambda x: (x ** 2, x + 1), has_aux=True)(T(X)),
    "jac of matrix": lambda lib, T: lib.func.jacrev(lambda x: x.t() @ x)(T(M)),
    "hessian": lambda lib, T: lib.func.hessian(lambda x: (x ** 3).prod())(T(X)),
    "hessian argnums": lambda lib, T: lib.func.hessian(lambda x, y: (x ** 2 * y).sum(), argnums=(0, 1))(T(X), T(X)),
    "jacfwd of jacrev": lambda lib, T: lib.func.jacfwd(lib.func.jacrev(lambda x: (x ** 3).prod()))(T(X)),
    "vmap": lambda lib, T: lib.func.vmap(lambda x, y: x * y.sum())(T(M), T(M)),
    "vmap dims": lambda lib, T: lib.func.vmap(lambda x, y: (x * y, x.sum()), in_dims=(1, None),
                                              out_dims=(1, 0))(T(M), T(M)[:, 0]),
    "vmap trees": lambda lib, T: lib.func.vmap(lambda d: d["a"] + d["b"][0], in_dims=({"a": 0, "b": [-1]},),
                                               out_dims=-1)(
        {"a": T(M), "b": [T(M).t()]}),
    "vmap nested": lambda lib, T: lib.func.vmap(lib.func.vmap(lambda x, y: x * y, (0, None)), (None, 0))(T(X), T(X)),
    "vmap none": lambda lib, T: lib.func.vmap(lambda x, y: x.sum(), in_dims=(0, None))(T(M), 3),
    "per sample": per_sample, "ensemble": ensemble,
    "grad of vmap": lambda lib, T: lib.func.grad(lambda x: lib.func.vmap(lambda row: (row ** 2).sum())(x).prod())(T(M)),
    "jac of grad of model": lambda lib,
    T: (lambda net: lib.func.jacrev(lib.func.grad(lambda x: net(x).sum()))(T(X)))(model(lib)),
}


def plain(tree):
    if isinstance(tree, (list, tuple)):
        return [plain(t) for t in tree]
    if isinstance(tree, dict):
        return {k: plain(v) for k, v in tree.items()}
    return tree.detach().numpy()


def check(a, b):
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            check(x, y)
    else:
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_equal(name):
    case = CASES[name]
    check(plain(case(weft, lambda a: weft.tensor(np.array(a)))),
          plain(case(torch, lambda a: torch.tensor(np.array(a)))))


@pytest.mark.parametrize("name", ["grad", "second", "vjp", "jacrev", "jvp", "per sample", "vjp output"])
def test_results_have_no_graph_unless_they_need_one(name):
    def requires(tree):
        if isinstance(tree, (list, tuple)):
            return [requires(t) for t in tree]
        if isinstance(tree, dict):
            return [requires(t) for t in tree.values()]
        return tree.requires_grad
    case = CASES[name]
    assert requires(case(weft, lambda a: weft.tensor(np.array(a)))) == requires(case(torch,
                                                                                     lambda a: torch.tensor(np.array(a))))


@pytest.mark.parametrize("lib", [weft, torch], ids=["weft", "torch"])
def test_results_are_part_of_an_outer_graph(lib):
    w = lib.tensor([2.0, 3.0], requires_grad=True)
    x = lib.tensor([1.0, 4.0])
    found = lib.func.grad(lambda x: (x ** 2 * w).sum())(x)          # 2 x w
    assert found.requires_grad
    found.sum().backward()
    assert w.grad.tolist() == [2.0, 8.0]
    own = lib.tensor([1.0, 4.0], requires_grad=True)
    lib.func.grad(lambda x: (x ** 3).sum())(own).sum().backward()
    assert own.grad.tolist() == [6.0, 24.0]
    with lib.no_grad():
        assert not lib.func.grad(lambda x: (x ** 3).sum())(own).requires_grad


@pytest.mark.parametrize("lib", [weft, torch], ids=["weft", "torch"])
@pytest.mark.parametrize("case, kind", [
    (lambda f, x: f.grad(lambda x: x * 2)(x), RuntimeError),
    (lambda f, x: f.grad(lambda x: 3)(x), RuntimeError),
    (lambda f, x: f.grad(lambda x: x.sum(), argnums=2)(x), RuntimeError),
    (lambda f, x: f.vmap(lambda x: x, in_dims=(0, 0))(x), ValueError),
    (lambda f, x: f.vmap(lambda x: x, in_dims=3)(x), ValueError),
    (lambda f, x: f.vmap(lambda x: 3)(x), ValueError),
    (lambda f, x: f.vmap(lambda x, y: x)(x, x[:1]), ValueError),
    (lambda f, x: f.vmap(lambda x: x, in_dims=None)(x), ValueError),
    (lambda f, x: f.jvp(lambda x: x, (x,), x), RuntimeError),
    (lambda f, x: f.vjp(lambda x: x, x)[1]((x, x)), RuntimeError)])
def test_the_same_errors(lib, case, kind):
    with pytest.raises(kind):
        case(lib.func, lib.ones(2))
