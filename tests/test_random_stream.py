"""The random numbers are PyTorch's: against stored values always, against PyTorch itself where it is installed."""
import copy
import json
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

from weft.core import random as wr

GOLDEN = Path(__file__).parent / "data" / "random_golden.json"
SIZES = [0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 100, 1000, 65536]
F32, F64 = np.float32, np.float64

# name: (weft, torch); both take a generator and a size, and draw the same numbers
DRAWS = {
    "rand": (lambda g, n: wr.rand(g, (n,)), lambda t, g, n: t.rand(n, generator=g)),
    "rand64": (lambda g, n: wr.rand(g, (n,), F64), lambda t, g, n: t.rand(n, generator=g, dtype=t.float64)),
    "rand16": (lambda g, n: wr.rand(g, (n,), np.float16), lambda t, g, n: t.rand(n, generator=g, dtype=t.float16)),
    "rand_complex": (lambda g, n: wr.rand(g, (n,), np.complex64), lambda t, g,
                     n: t.rand(n, generator=g, dtype=t.complex64)),
    "uniform": (lambda g, n: wr.uniform(g, (n,), F32, -0.1, 0.3), lambda t, g,
                n: t.empty(n).uniform_(-0.1, 0.3, generator=g)),
    "uniform64": (lambda g, n: wr.uniform(g, (n,), F64, -0.1, 0.3),
                  lambda t, g, n: t.empty(n, dtype=t.float64).uniform_(-0.1, 0.3, generator=g)),
    "randn": (lambda g, n: wr.normal(g, (n,)), lambda t, g, n: t.randn(n, generator=g)),
    "randn64": (lambda g, n: wr.normal(g, (n,), F64), lambda t, g, n: t.randn(n, generator=g, dtype=t.float64)),
    "randn16": (lambda g, n: wr.normal(g, (n,), np.float16), lambda t, g, n: t.randn(n, generator=g, dtype=t.float16)),
    "randn_complex": (lambda g, n: wr.normal(g, (n,), np.complex64), lambda t, g,
                      n: t.randn(n, generator=g, dtype=t.complex64)),
    "normal": (lambda g, n: wr.normal(g, (n,), F32, 1.7, 0.02), lambda t, g,
               n: t.empty(n).normal_(1.7, 0.02, generator=g)),
    "normal64": (lambda g, n: wr.normal(g, (n,), F64, 1.7, 0.02),
                 lambda t, g, n: t.empty(n, dtype=t.float64).normal_(1.7, 0.02, generator=g)),
    "normal_like": (lambda g, n: wr.normal_like(g, np.arange(n, dtype=F32), np.arange(n, dtype=F32)),
                    lambda t, g, n: t.normal(t.arange(n).float(), t.arange(n).float(), generator=g)),
    "randint": (lambda g, n: wr.randint(g, (n,), np.int64, -3, 1000), lambda t, g,
                n: t.randint(-3, 1000, (n,), generator=g)),
    "randint_wide": (lambda g, n: wr.randint(g, (n,), np.int64, 0, 2**40), lambda t, g,
                     n: t.randint(0, 2**40, (n,), generator=g)),
    "random_int32": (lambda g, n: wr.randint(g, (n,), np.int32), lambda t, g,
                     n: t.empty(n, dtype=t.int32).random_(generator=g)),
    "random_float32": (lambda g, n: wr.randint(g, (n,), F32), lambda t, g, n: t.empty(n).random_(generator=g)),
    "random_all64": (lambda g, n: wr.randint(g, (n,), np.int64, -2**63),
                     lambda t, g, n: t.empty(n, dtype=t.int64).random_(-2**63, None, generator=g)),
    "randperm": (lambda g, n: wr.randperm(g, n), lambda t, g, n: t.randperm(n, generator=g)),
    "bernoulli": (lambda g, n: wr.bernoulli(g, 0.3, (n,)), lambda t, g, n: t.empty(n).bernoulli_(0.3, generator=g)),
    "bernoulli_array": (lambda g, n: wr.bernoulli(g, np.linspace(0, 1, n, dtype=F32)),
                        lambda t, g, n: t.bernoulli(t.from_numpy(np.linspace(0, 1, n, dtype=F32)), generator=g)),
    "bernoulli_array64": (lambda g, n: wr.bernoulli(g, np.linspace(0, 1, n), dtype=F64),
                          lambda t, g, n: t.bernoulli(t.from_numpy(np.linspace(0, 1, n)), generator=g)),
    "exponential": (lambda g, n: wr.exponential(g, (n,), F32, 1.7), lambda t, g,
                    n: t.empty(n).exponential_(1.7, generator=g)),
    "cauchy": (lambda g, n: wr.cauchy(g, (n,), F32, 0.3, 1.7), lambda t, g,
               n: t.empty(n).cauchy_(0.3, 1.7, generator=g)),
    "geometric": (lambda g, n: wr.geometric(g, (n,), np.int64, 0.13),
                  lambda t, g, n: t.empty(n, dtype=t.int64).geometric_(0.13, generator=g)),
    "log_normal": (lambda g, n: wr.log_normal(g, (n,), F32, 0.3, 0.7), lambda t, g,
                   n: t.empty(n).log_normal_(0.3, 0.7, generator=g)),
    "transposed": (lambda g, n: wr.normal(g, out=np.empty((n, 3), F32).T), lambda t, g,
                   n: t.empty(n, 3).t().normal_(generator=g)),
}
ROWS = {  # these take weights per place, and are slower, so they run at fewer sizes
    "multinomial": (lambda g, x: wr.multinomial(g, x, 3, True), lambda t, g, x: t.multinomial(x, 3, True, generator=g)),
    "multinomial_one": (lambda g, x: wr.multinomial(g, x, 1, True), lambda t, g,
                        x: t.multinomial(x, 1, True, generator=g)),
    "multinomial_distinct": (lambda g, x: wr.multinomial(g, x, 3), lambda t, g, x: t.multinomial(x, 3, generator=g)),
    "poisson": (lambda g, x: wr.poisson(g, x), lambda t, g, x: t.poisson(x, generator=g)),
    "gamma": (lambda g, x: wr.standard_gamma(g, x / 10), lambda t, g, x: t._standard_gamma(x / 10, generator=g)),
    "dirichlet": (lambda g, x: wr.dirichlet(g, x), lambda t, g, x: t._sample_dirichlet(x, generator=g)),
    "binomial": (lambda g, x: wr.binomial(g, np.floor(x * 3), x / 30), lambda t, g,
                 x: t.binomial((x * 3).floor(), x / 30, generator=g)),
}


def weights(n, dtype=F32):
    """Positive numbers up to 30, of all magnitudes that matter to a sampler."""
    return (np.arange(1, n + 1) * 7.3 % 30).astype(dtype)


def assert_same(got, want):
    """Equal; what goes through a logarithm or sine of the C library may differ in the last bits on another machine."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    if got.dtype.kind in "iub":
        np.testing.assert_array_equal(got, want)
    else:
        tolerance = {8: 1e-13, 4: 2.5e-7, 2: 1e-3}[got.dtype.itemsize // (2 if got.dtype.kind == "c" else 1)]
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=0)


def golden_record():
    """What weft draws, in the form of the stored file, which PyTorch 2.13.0 drew."""
    def listed(values):
        return (np.ascontiguousarray(values).view(values.real.dtype).ravel().tolist() if values.dtype.kind == "c"
                else values.ravel().tolist())

    record = {}
    for name, (draw, _) in DRAWS.items():
        gen = wr.Generator().manual_seed(2024)
        record[name] = [listed(draw(gen, n)) for n in (3, 20)]
    for name, (draw, _) in ROWS.items():
        gen = wr.Generator().manual_seed(2024)
        record[name] = [listed(draw(gen, weights(9))) for _ in range(2)]
    return record


@pytest.mark.parametrize("name", [*DRAWS, *ROWS])
def test_stored_numbers(name):
    stored = json.loads(GOLDEN.read_text())[name]
    for got, want in zip(golden_record()[name], stored, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-3 if name.endswith("16") else 2.5e-7, atol=0)


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("n", SIZES)
def test_draws_are_pytorchs(name, n):
    torch = pytest.importorskip("torch")
    ours, theirs = DRAWS[name]
    gen, torch_gen = wr.Generator().manual_seed(n), torch.Generator().manual_seed(n)
    for _ in range(2):
        assert_same(ours(gen, n), theirs(torch, torch_gen, n).numpy())
        # all but the cached normal
        assert gen.get_state()[:5016].tobytes() == torch_gen.get_state().numpy()[:5016].tobytes()


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("n", [3, 40, 700])
def test_weighted_draws_are_pytorchs(name, dtype, n):
    torch = pytest.importorskip("torch")
    ours, theirs = ROWS[name]
    gen, torch_gen = wr.Generator().manual_seed(n), torch.Generator().manual_seed(n)
    for _ in range(3):
        assert_same(ours(gen, weights(n, dtype)), theirs(torch, torch_gen, torch.from_numpy(weights(n, dtype))).numpy())
    assert gen.get_state()[:5016].tobytes() == torch_gen.get_state().numpy()[:5016].tobytes()


@pytest.mark.parametrize("name", ["rand", "randn", "randint", "bernoulli", "exponential", "randperm"])
def test_a_million_numbers_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    ours, theirs = DRAWS[name]
    assert_same(ours(wr.Generator().manual_seed(1), 1000003), theirs(torch, torch.Generator().manual_seed(1),
                                                                     1000003).numpy())


@pytest.mark.parametrize("name", ["rand", "uniform", "randn", "randn16", "randint", "random_float32", "bernoulli"])
def test_bits_are_equal_where_no_c_library_is_involved(name):
    torch = pytest.importorskip("torch")
    ours, theirs = DRAWS[name]
    got, want = ours(wr.Generator().manual_seed(5), 4096), theirs(torch, torch.Generator().manual_seed(5), 4096).numpy()
    assert got.tobytes() == want.tobytes()


def test_bfloat16_is_pytorchs():
    torch, ml_dtypes = pytest.importorskip("torch"), pytest.importorskip("ml_dtypes")
    gen, torch_gen = wr.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    for n in (5, 16, 100):
        for ours, theirs in [(wr.uniform(gen, (n,), ml_dtypes.bfloat16, -1, 2),
                              torch.empty(n, dtype=torch.bfloat16).uniform_(-1, 2, generator=torch_gen)),
                             (wr.normal(gen, (n,), ml_dtypes.bfloat16),
                              torch.randn(n, generator=torch_gen, dtype=torch.bfloat16)),
                             (wr.randint(gen, (n,), ml_dtypes.bfloat16),
                              torch.empty(n, dtype=torch.bfloat16).random_(generator=torch_gen))]:
            np.testing.assert_array_equal(ours.astype(F32), theirs.float().numpy())


def test_a_mixed_sequence_keeps_the_cached_normal():
    torch = pytest.importorskip("torch")
    gen, torch_gen = wr.Generator().manual_seed(9), torch.Generator().manual_seed(9)
    order = np.random.default_rng(0)
    names = list(DRAWS)
    for _ in range(200):
        name, n = names[order.integers(len(names))], int(order.integers(0, 40))
        assert_same(DRAWS[name][0](gen, n), DRAWS[name][1](torch, torch_gen, n).numpy())


@pytest.mark.parametrize("draws", [0, 1, 623, 624, 625, 1248, 2000])
def test_state_bytes_travel_both_ways(draws):
    torch = pytest.importorskip("torch")
    gen, torch_gen = wr.Generator().manual_seed(-5), torch.Generator().manual_seed(-5)
    wr.rand(gen, (draws,)), torch.rand(draws, generator=torch_gen)
    assert gen.get_state().tobytes() == torch_gen.get_state().numpy().tobytes()
    wr.normal(gen, (3,))
    torch_gen.set_state(torch.from_numpy(gen.get_state()))
    fresh = wr.Generator()
    fresh.set_state(torch_gen.get_state().numpy())
    assert fresh.initial_seed() == torch_gen.initial_seed() == 2**64 - 5
    assert_same(wr.normal(fresh, (4,), F64), torch.randn(4, generator=torch_gen, dtype=torch.float64).numpy())


def test_memory_order_is_pytorchs():
    torch = pytest.importorskip("torch")
    gen, torch_gen = wr.Generator().manual_seed(4), torch.Generator().manual_seed(4)
    for shape, axes in [((2, 4, 5, 3), (0, 3, 1, 2)), ((6, 5), (1, 0)), ((3, 1, 4), (2, 1, 0))]:
        ours = wr.uniform(gen, out=np.empty(shape, F32).transpose(axes))
        assert_same(ours, torch.empty(shape).permute(axes).uniform_(generator=torch_gen).numpy())
        ours = wr.normal(gen, out=np.empty(shape, np.complex64).transpose(axes))
        assert_same(ours, torch.empty(shape, dtype=torch.complex64).permute(axes).normal_(generator=torch_gen).numpy())
    sliced = wr.normal(gen, out=np.zeros((6, 10), F32)[:, ::2])
    assert_same(sliced, torch.zeros(6, 10)[:, ::2].normal_(generator=torch_gen).numpy())


def test_dropout_and_rrelu_masks_are_pytorchs():
    torch = pytest.importorskip("torch")
    x = np.linspace(-2, 2, 100, dtype=F32)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(6)
        kept = torch.nn.functional.dropout(torch.ones(100), 0.3).numpy() != 0
        noise = torch.empty(100)
        torch.ops.aten.rrelu_with_noise(torch.from_numpy(x), noise, 0.1, 0.3, True)
    gen = wr.Generator().manual_seed(6)
    np.testing.assert_array_equal(wr.dropout_mask(gen, (100,), 0.3), kept)
    np.testing.assert_array_equal(wr.rrelu_noise(gen, x, 0.1, 0.3), noise.numpy())


def test_threads_draw_disjoint_numbers():
    gen = wr.Generator().manual_seed(0)
    drawn = []
    threads = [threading.Thread(target=lambda: drawn.extend(wr.rand(gen, (100000,), F64) for _ in range(3)))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = wr.rand(wr.Generator().manual_seed(0), (1200000,), F64)
    np.testing.assert_array_equal(np.sort(np.concatenate(drawn)), np.sort(everything))


def test_copies_continue_alike():
    gen = wr.Generator().manual_seed(8)
    wr.normal(gen, (3,))
    copies = [gen.clone_state(), copy.deepcopy(gen), pickle.loads(pickle.dumps(gen))]
    want = wr.normal(gen, (5,))
    for other in copies:
        np.testing.assert_array_equal(wr.normal(other, (5,)), want)


def test_large_permutations_swap_as_small_ones_do():
    for n in (2, 3, 10, 1000):
        partners = np.random.default_rng(n).integers(np.arange(n - 1), n)
        np.testing.assert_array_equal(wr.swapped_at_once(partners), wr.swapped(partners))


def test_nothing_drawn_leaves_the_state():
    gen = wr.Generator().manual_seed(1)
    before = gen.get_state().tobytes()
    for name, (draw, _) in DRAWS.items():
        draw(gen, 0)
        assert gen.get_state().tobytes() == before, name


@pytest.mark.parametrize("seed, kept", [(0, 0), (-1, 2**64 - 1), (-2**63, 2**63), (2**64 - 1, 2**64 - 1),
                                        (np.int32(7), 7)])
def test_seeds(seed, kept):
    assert wr.Generator().manual_seed(seed).initial_seed() == kept


def test_seed_is_new_each_time():
    gen = wr.Generator()
    assert gen.initial_seed() == 67280421310721
    assert gen.seed() != gen.seed()


@pytest.mark.parametrize("call, error, words", [
    (lambda g: g.manual_seed(2**64), ValueError, "Overflow"),
    (lambda g: g.manual_seed(-2**63 - 1), ValueError, "Overflow"),
    (lambda g: g.manual_seed(1.5), RuntimeError, "expected a long, but got float"),
    (lambda g: g.set_state(np.zeros(5, np.uint8)), RuntimeError, "size 5056"),
    (lambda g: g.set_state(np.zeros(5056, np.uint8)), RuntimeError, "Invalid mt19937 state"),
    (lambda g: g.set_state(np.zeros(5056)), TypeError, "ByteTensor"),
    (lambda g: wr.uniform(g, (2,), F32, 2, 1), RuntimeError, "from=2 > to=1"),
    (lambda g: wr.uniform(g, (2,), F32, 0, 1e39), RuntimeError, "to is out of bounds for float"),
    (lambda g: wr.uniform(g, (2,), np.int64), NotImplementedError, "not implemented for 'int64'"),
    (lambda g: wr.normal(g, (2,), F32, 0, -1), RuntimeError, "std >= 0.0, but found std -1"),
    (lambda g: wr.randint(g, (2,), np.int64, 3, 3), RuntimeError, "from=3 >= to=3"),
    (lambda g: wr.randint(g, (2,), np.uint8, 0, 300), RuntimeError, "to - 1 is out of bounds for unsigned char"),
    (lambda g: wr.randperm(g, 257, np.uint8), RuntimeError, "without overflow"),
    (lambda g: wr.bernoulli(g, 1.5, (2,)), RuntimeError, r"p to be in \[0, 1\]"),
    (lambda g: wr.exponential(g, (2,), F32, 0.0), RuntimeError, "lambda=0"),
    (lambda g: wr.cauchy(g, (2,), np.int64), RuntimeError, "must be a floating point"),
    (lambda g: wr.geometric(g, (2,), F32, 1.0), RuntimeError, "p=1"),
    (lambda g: wr.log_normal(g, (2,), F32, 0, 0), RuntimeError, "std=0"),
    (lambda g: wr.poisson(g, np.array([-1.0])), RuntimeError, "non-negative"),
    (lambda g: wr.multinomial(g, np.array([1.0, 2.0]), 3), RuntimeError, "without replacement"),
    (lambda g: wr.multinomial(g, np.array([0.0, 0.0]), 1), RuntimeError, "sum of probabilities <= 0"),
    (lambda g: wr.multinomial(g, np.array([-1.0, 2.0]), 2, True), RuntimeError, "entry < 0"),
])
def test_errors_are_pytorchs(call, error, words):
    with pytest.raises(error, match=words):
        call(wr.Generator())
