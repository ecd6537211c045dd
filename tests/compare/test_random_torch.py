"""Random numbers against PyTorch's: bit for bit, in the same order, also into strided memory."""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

SHAPES = [(), (0, 3), (3,), (33,), (5, 7), (2, 3, 4)]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64"]
CALLS = {
    "rand": lambda m, s, d: m.rand(s, dtype=d), "randn": lambda m, s, d: m.randn(s, dtype=d),
    "randint": lambda m, s, d: m.randint(0, 2, s, dtype=d), "rand_like": lambda m, s,
    d: m.rand_like(m.zeros(s, dtype=d)), "randint_like": lambda m, s, d: m.randint_like(m.zeros(s, dtype=d), 1, 2),
    "bernoulli": lambda m, s, d: m.bernoulli(m.full(s, .5).to(d)), "bernoulli p": lambda m, s,
    d: m.bernoulli(m.zeros(s, dtype=d), .3), "poisson": lambda m, s, d: m.poisson(m.full(s, 3).to(d)),
    "normal": lambda m, s, d: m.normal(m.full(s, 3).to(d), m.full(s, 2.)), "normal std": lambda m, s,
    d: m.normal(1., m.full(s, 3).to(d)), "normal mean": lambda m, s, d: m.normal(m.full(s, 3).to(d), 2.),
    "binomial": lambda m, s, d: m.binomial(m.full(s, 10).to(d), m.full(s, .4).to(d)),
}
for _name, _args in (("uniform_", (1, 2)), ("normal_", (1, 2)), ("cauchy_", ()), ("exponential_", (2,)),
                     ("geometric_", (.3,)), ("log_normal_", ()), ("random_", ()), ("random_", (1,)),
                     ("random_", (0, 2)), ("bernoulli_", (.3,))):
    CALLS[f"{_name}{_args}"] = lambda m, s, d, n=_name, a=_args: getattr(m.zeros(s, dtype=d), n)(*a)
STRIDED = {
    "rand_like": lambda m, d: m.rand_like(m.zeros(5, 7, dtype=d).t()), "randn_like": lambda m,
    d: m.randn_like(m.zeros(2, 5, 3, dtype=d).transpose(0, 2)), "expanded": lambda m,
    d: m.randn_like(m.zeros(1, 7, dtype=d).expand(3, 7)), "uniform_": lambda m,
    d: m.zeros(5, 7, dtype=d).t().uniform_(), "normal_": lambda m, d: m.zeros(5, 7, dtype=d).t().normal_(),
    "sliced": lambda m, d: m.zeros(9, 8, dtype=d)[::2, ::2].normal_(), "bernoulli": lambda m,
    d: m.bernoulli(m.full((5, 7), .5, dtype=d).t()),
}


def outcome(m, call, *args):
    m.manual_seed(5)
    try:
        made = call(m, *args)
    except Exception as error:
        return type(error)
    return (made.float() if str(made.dtype).endswith("bfloat16") else made).numpy()


def check(call, dtype, *shape):
    expected, found = (outcome(m, call, *shape, getattr(m, dtype)) for m in (torch, weft))
    if isinstance(expected, type):
        assert found is expected
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_same_numbers(name, dtype):
    for shape in SHAPES:
        if 0 not in shape:      # of nothing, PyTorch doesn't always look at the type
            check(CALLS[name], dtype, shape)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", STRIDED)
def test_same_numbers_in_strided_memory(name, dtype):
    check(STRIDED[name], dtype)


def test_choosing():
    for call in (lambda m: m.randperm(9), lambda m: m.multinomial(m.arange(12.).reshape(3, 4) + 1, 2),
                 lambda m: m.multinomial(m.arange(12.).reshape(3, 4) + 1, 20, replacement=True),
                 lambda m: m.get_rng_state()):
        np.testing.assert_array_equal(outcome(weft, call), outcome(torch, call))


def test_states_go_from_one_to_the_other():
    torch.manual_seed(3)
    torch.randn(5)
    weft.set_rng_state(weft.from_numpy(torch.get_rng_state().numpy()))
    assert weft.rand(4).tolist() == torch.rand(4).tolist()


def test_gamma_and_dirichlet_slopes():
    """PyTorch's own are approximations, good to about 1e-3."""
    from weft.ops.random.gamma import _dirichlet_grad, _standard_gamma_grad
    rng = np.random.default_rng(0)
    for low, high in ((0.1, 3), (3, 20), (20, 200)):
        a, b = rng.uniform(low, high, (2, 200))
        x = rng.gamma(a)
        expected = torch._standard_gamma_grad(torch.tensor(a), torch.tensor(x)).numpy()
        np.testing.assert_allclose(_standard_gamma_grad(weft.tensor(a), weft.tensor(x)).numpy(), expected, rtol=2e-3,
                                   atol=1e-5)
        x = np.clip(rng.beta(a, b), 1e-9, 1 - 1e-9)
        expected = torch._dirichlet_grad(*map(torch.tensor, (x, a, a + b))).numpy()
        np.testing.assert_allclose(_dirichlet_grad(*map(weft.tensor, (x, a, a + b))).numpy(), expected, rtol=5e-3,
                                   atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"std": 0.02}, {"mean": 1.0, "a": 0.9, "b": 1.1},
                                      {"std": 0.5, "a": 2.0, "b": 3.0}], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.filterwarnings("ignore:mean is more")
def test_trunc_normal_draws_the_same_numbers(settings, dtype):
    torch.manual_seed(3)
    weft.manual_seed(3)
    theirs = torch.nn.init.trunc_normal_(torch.empty(40, 7, dtype=getattr(torch, dtype)), **settings)
    ours = weft.nn.init.trunc_normal_(weft.empty(40, 7, dtype=getattr(weft, dtype)), **settings)
    assert ours.double().tolist() == theirs.double().tolist()


def laid_out(lib, shape, dtype):
    """A tensor in every memory order: (name, zeros)."""
    def zeros(shape):
        return lib.zeros(shape, dtype=dtype)
    n = len(shape)
    yield "plain", zeros(shape)
    if n in (4, 5):
        yield "channels last", zeros(shape).contiguous(memory_format=(lib.channels_last, lib.channels_last_3d)[n - 4])
    if n > 1:
        yield "reversed", zeros(shape[::-1]).permute(*range(n)[::-1])
        yield "swapped", zeros((*shape[:-2], shape[-1], shape[-2])).transpose(-1, -2)
        yield "first", zeros((shape[1], shape[0], *shape[2:])).transpose(0, 1)
    yield "every other", zeros((*shape[:-1], shape[-1] * 2))[..., ::2]
    yield "part", zeros((*shape[:-1], shape[-1] + 1))[..., 1:]


FILLS = {"uniform_": (-1, 2), "normal_": (1, 2), "random_": (2, 50), "exponential_": (2.0,), "cauchy_": (),
         "log_normal_": (), "geometric_": (0.3,), "bernoulli_": (0.3,)}
DRAWN = {"rand_like": lambda lib, t: lib.rand_like(t), "randn_like": lambda lib, t: lib.randn_like(t),
         "bernoulli": lambda lib, t: lib.bernoulli(t + 0.4), "poisson": lambda lib, t: lib.poisson(t + 3),
         "normal": lambda lib, t: lib.normal(t + 1, t + 2), "binomial": lambda lib, t: lib.binomial(t + 5, t + 0.3),
         "dropout": lambda lib, t: lib.nn.functional.dropout(t + 1, 0.4),
         "dropout2d": lambda lib, t: lib.nn.functional.dropout2d(t + 1, 0.4),
         "alpha_dropout": lambda lib, t: lib.nn.functional.alpha_dropout(t + 1, 0.4),
         "rrelu": lambda lib, t: lib.nn.functional.rrelu(t - 1, training=True),
         "gumbel": lambda lib, t: lib.nn.functional.gumbel_softmax(t)}
INITS = ["uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_",
         "kaiming_normal_", "orthogonal_"]
ALL_DRAWS = ({name: lambda lib, t, name=name: getattr(t, name)(*FILLS[name]) for name in FILLS} | DRAWN
             | {"init " + name: lambda lib, t, name=name: getattr(lib.nn.init, name)(t) for name in INITS})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL_DRAWS)
def test_draws_in_every_memory_order(name):
    """The n-th number goes where PyTorch puts it, whatever the strides, and as many are drawn."""
    for kind in ("float32", "float64"):
        for shape in ((3,), (20,), (4, 5), (2, 3, 3, 3), (1, 1, 4, 5), (2, 3, 2, 3, 3), (3, 1, 2, 2, 2)):
            for (order, t), (_, w) in zip(laid_out(torch, shape, getattr(torch, kind)),
                                          laid_out(weft, shape, getattr(weft, kind)), strict=True):
                for lib in (torch, weft):
                    lib.manual_seed(1)
                try:
                    want = ALL_DRAWS[name](torch, t).detach().numpy()
                except (ValueError, RuntimeError):
                    continue            # needs more dimensions
                made = ALL_DRAWS[name](weft, w).detach().numpy()
                np.testing.assert_allclose(made, want, rtol=1e-5, atol=1e-6, err_msg=f"{kind} {shape} {order}")
                assert torch.rand(1).item() == weft.rand(1).item(), (kind, shape, order)


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
def test_convolutions_draw_the_same_weights_in_every_memory_format(kind, dims):
    """Conv3d re-initialised in channels_last_3d drew in the order of its memory."""
    for channels, out, kernel in ((2, 4, 3), (4, 1, 2), (1, 4, 1)):
        found = []
        for lib in (torch, weft):
            layer = getattr(lib.nn, f"{kind}{dims}d")(channels, out, kernel)
            layer = layer.to(memory_format=(lib.channels_last, lib.channels_last_3d)[dims - 2])
            lib.manual_seed(5)
            layer.reset_parameters()
            found.append((layer.weight.detach().numpy(), layer.bias.detach().numpy()))
        for want, made in zip(*found, strict=True):
            np.testing.assert_allclose(made, want, rtol=1e-6)
