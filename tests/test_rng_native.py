"""The native engine draws what the NumPy one does, bit for bit where no C library's logarithm is between."""
import threading

import numpy as np
import pytest
from test_random_stream import DRAWS, ROWS, weights

import weft
from weft.core import random as wr
from weft.core.random_engine import Engine as NumpyEngine
from weft.kernels import rng

native = pytest.mark.skipif(rng.Engine is None, reason="the plain-Python core has no native engine")
F32, F64 = np.float32, np.float64
# by name's start; float64 normals aside, whose logarithms and cosines are the processor's
EXACT = ("rand", "uniform", "randint", "random_", "bernoulli", "randperm", "randn", "normal")
SIZES = [1, 3, 15, 16, 17, 100, 623, 625, 5001]


def pair(seed):
    """A generator on the native engine, and one on NumPy's."""
    fast, slow = wr.Generator(), wr.Generator()
    slow.engine = NumpyEngine()
    return fast.manual_seed(seed), slow.manual_seed(seed)


def same_state(a, b):
    # all but the kept normal
    return wr.Generator.get_state(a)[:5016].tobytes() == wr.Generator.get_state(b)[:5016].tobytes()


@native
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_numpys(name, n):
    fast, slow = pair(n)
    assert type(fast.engine) is rng.Engine
    for _ in range(2):
        got, want = DRAWS[name][0](fast, n), DRAWS[name][0](slow, n)
        assert got.dtype == want.dtype and got.shape == want.shape
        tolerance = {2: 1e-3, 4: 2e-7}.get(got.real.dtype.itemsize, 1e-13)
        exact = name.startswith(EXACT[:6]) and name != "randn64"
        np.testing.assert_allclose(got, want, rtol=0 if exact else tolerance, atol=0)
        assert same_state(fast, slow)


@native
@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("name", ROWS)
def test_weighted_draws_are_numpys(name, dtype):
    fast, slow = pair(11)
    for n in (3, 200):
        got, want = ROWS[name][0](fast, weights(n, dtype)), ROWS[name][0](slow, weights(n, dtype))
        np.testing.assert_allclose(got, want, rtol=1e-6 if dtype == F32 else 1e-12)
    assert same_state(fast, slow)


@native
@pytest.mark.parametrize("n", [16, 64, 1000, 4096, 4111, 100003])
def test_float32_normals_have_numpys_bits(n):
    fast, slow = pair(n)
    for mean, std in ((0.0, 1.0), (0.0, 0.3), (1.7, 0.02)):
        got, want = wr.normal(fast, (n,), F32, mean, std), wr.normal(slow, (n,), F32, mean, std)
        assert np.array_equal(got.view(np.int32), want.view(np.int32))


@native
@pytest.mark.parametrize("n", [16, 17, 100, 1 << 16, (1 << 16) + 15, (1 << 17) + 1])
def test_half_normals_have_numpys_bits(n):
    """They are made in pieces of 65,536, and the last 16 anew where some are left over."""
    for dtype in (np.dtype(np.float16), weft.bfloat16.np):
        fast, slow = pair(n)
        for mean, std in ((0.0, 1.0), (1.7, 0.02)):
            got, want = wr.normal(fast, (n,), dtype, mean, std), wr.normal(slow, (n,), dtype, mean, std)
            into = np.empty(n, dtype)
            assert wr.normal(fast, None, dtype, mean, std, into) is into
            again = wr.normal(slow, (n,), dtype, mean, std)
            assert np.array_equal(got.view(np.uint16), want.view(np.uint16))
            assert np.array_equal(into.view(np.uint16), again.view(np.uint16))
        assert same_state(fast, slow)


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("engine", [NumpyEngine, rng.Engine or NumpyEngine])
def test_no_spread_gives_no_negative_zeros(engine, dtype):
    gen = wr.Generator()
    gen.engine = engine()
    for n in (7, 64):
        assert not np.signbit(wr.normal(gen.manual_seed(1), (n,), dtype, 0.0, 0.0)).any()


@native
@pytest.mark.parametrize("low, high", [(0, 10), (-5, 5), (0, 2**28), (0, 2**40), (-2**63, 2**63 - 1), (-2**62, 2**62)])
def test_integers_are_numpys(low, high):
    fast, slow = pair(3)
    for dtype in (np.int64, F64) if abs(low) < 2**50 > high else (np.int64,):
        got, want = wr.randint(fast, (700,), dtype, low, high), wr.randint(slow, (700,), dtype, low, high)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
    assert same_state(fast, slow)


@native
def test_a_state_travels_between_the_engines():
    fast, slow = pair(5)
    wr.normal(fast, (3,), F64)
    wr.rand(fast, (700,))
    slow.set_state(wr.Generator.get_state(fast))
    np.testing.assert_array_equal(wr.normal(fast, (1,), F64), wr.normal(slow, (1,), F64))      # the kept one
    np.testing.assert_array_equal(wr.rand(fast, (1000,)), wr.rand(slow, (1000,)))
    assert wr.Generator.get_state(fast).tobytes() == wr.Generator.get_state(slow).tobytes()


@native
def test_install_goes_on_from_where_the_default_generator_stands():
    weft.manual_seed(3)
    weft.rand(5)
    before, old = weft.get_rng_state(), wr.engine_type
    want = weft.randn(20).numpy()
    try:
        weft.set_rng_state(before)
        wr.install(NumpyEngine)
        np.testing.assert_array_equal(weft.randn(20).numpy(), want)
    finally:
        wr.install(old)
    assert type(wr.default_generator.engine) is rng.Engine


@native
@pytest.mark.parametrize("key, at", [(np.zeros(3, np.uint32), 0), (np.zeros(624, np.uint32), 625),
                                     (np.zeros(624, np.uint32), -1)])
def test_a_broken_state_is_refused(key, at):
    with pytest.raises(ValueError, match="624"):
        rng.Engine().set(key, at)


@native
@pytest.mark.parametrize("call", [
    lambda e: e.uniform((2,), np.dtype(np.int64), 0.0, 1.0, None), lambda e: e.uniform((2,), F32, 1.0, 0.0, None),
    lambda e: e.uniform((2,), F32, 0.0, float("nan"), None), lambda e: e.uniform((2,), F32, 0.0, 1e39, None),
    lambda e: e.uniform((0,), F32, 0.0, 1.0, None), lambda e: e.uniform((-1,), F32, 0.0, 1.0, None),
    lambda e: e.uniform((1 << 30, 1 << 30), F32, 0.0, 1.0, None),
    lambda e: e.normal_fill((2,), np.float16, 0.0, 1.0, None), lambda e: e.normal_fill((2,), F32, 0.0, -1.0, None),
    lambda e: e.normal_fill(None, None, 0.0, 1.0, np.empty((4, 4), F32).T[:2]),
    lambda e: e.chances_by(np.full(3, 1.5, F32), np.empty(3, F32)),
    lambda e: e.integers((2,), np.uint16, 0, 3, False, None), lambda e: e.chances((2,), np.complex64, 3, None)])
def test_what_the_engine_does_not_take_leaves_it_alone(call):
    engine = rng.Engine()
    engine.seed(1)
    engine.bits32(3)
    key, at = engine.get()
    assert call(engine) is None
    assert engine.get()[1] == at and np.array_equal(engine.get()[0], key)


@native
def test_long_draws_of_threads_are_disjoint():
    gen, drawn = wr.Generator().manual_seed(0), []

    def work():
        for _ in range(4):
            drawn.append(wr.rand(gen, (50000,), F64))
            drawn.append(wr.rand(gen, (10,), F64))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = wr.rand(wr.Generator().manual_seed(0), (16 * 50010,), F64)
    np.testing.assert_array_equal(np.sort(np.concatenate(drawn)), np.sort(everything))


# the short road of the in-place forms keeps what the long one does

@pytest.mark.parametrize("name, args", [
    ("uniform_", ()), ("uniform_", (-1, 2)), ("normal_", ()), ("normal_", (3.0, 0.5)), ("bernoulli_", ()),
    ("bernoulli_", (0.3,)), ("exponential_", ()), ("exponential_", (2,))])
def test_both_roads_in_place_agree(name, args):
    x, y = weft.empty(5, 7), weft.empty(5, 7)
    weft.manual_seed(1)
    assert getattr(x, name)(*args) is x
    getattr(y, name)(*args, generator=weft.Generator().manual_seed(1))
    np.testing.assert_array_equal(x.numpy(), y.numpy())
    assert x._version == y._version == 1


@pytest.mark.parametrize("name", ["uniform_", "normal_", "bernoulli_", "exponential_"])
def test_history_and_refusals_stay(name):
    leaf = weft.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        getattr(leaf, name)()
    with weft.no_grad():
        getattr(leaf, name)()
    inner = leaf * 2
    getattr(inner, name)()
    inner.sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0, 0]
    base = leaf * 1
    getattr(base[1:3], name)()
    (grad,) = weft.autograd.grad(base.sum(), leaf)
    assert grad.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("call, error, words", [
    (lambda: weft.empty(3).uniform_(2, 1), RuntimeError, "from=2 > to=1"),
    (lambda: weft.empty(3).normal_(0, -1), RuntimeError, "std >= 0"),
    (lambda: weft.empty(3).bernoulli_(1.5), RuntimeError, "p to be in"),
    (lambda: weft.empty(3).exponential_(0.0), RuntimeError, "lambda"),
    (lambda: weft.empty(3, dtype=weft.int64).uniform_(), NotImplementedError, "int64"),
    (lambda: weft.empty(3, dtype=weft.int64).exponential_(), RuntimeError, "floating"),
    (lambda: weft.empty(1).expand(3).normal_(), RuntimeError, "memory location"),
    (lambda: weft.empty(3).uniform_(0, 1, 2), TypeError, "argument")])
def test_errors_in_place(call, error, words):
    with pytest.raises(error, match=words):
        call()
