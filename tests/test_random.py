"""Random tensors: seeds, generators, shapes, types; the streams themselves are in test_random_stream.py."""
import copy
import pickle
import threading

import numpy as np
import pytest

import weft

FILLS = [("uniform_", (1, 2)), ("normal_", (3, 2)), ("cauchy_", ()), ("exponential_", (2,)), ("geometric_", (0.3,)),
         ("log_normal_", ()), ("random_", (5,)), ("random_", (2, 5)), ("bernoulli_", (0.3,))]
MAKERS = [lambda **k: weft.rand(4, **k), lambda **k: weft.randn(20, **k), lambda **k: weft.randint(9, (4,), **k),
          lambda **k: weft.randperm(6, **k), lambda **k: weft.normal(1., 2., (4,), **k),
          lambda **k: weft.bernoulli(weft.full((9,), .5), **k), lambda **k: weft.multinomial(weft.ones(5), 3, **k),
          lambda **k: weft.poisson(weft.full((4,), 3.), **k), lambda **k: weft.rand_like(weft.ones(4), **k),
          lambda **k: weft.binomial(weft.full((4,), 9.), weft.full((4,), .5), **k)]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_numbers(make):
    weft.manual_seed(4)
    first, second = make().tolist(), make().tolist()
    weft.manual_seed(4)
    assert make().tolist() == first and make().tolist() == second
    assert make(generator=weft.Generator().manual_seed(4)).tolist() == first


def test_known_numbers():
    weft.manual_seed(0)
    np.testing.assert_allclose(weft.rand(3).numpy(), [0.49625658988952637, 0.7682217955589294, 0.08847743272781372],
                               rtol=0)
    assert weft.randperm(4, generator=weft.Generator().manual_seed(0)).tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize("name, args", FILLS)
def test_filling_counts_as_a_write_and_stops_the_gradient(name, args):
    x = weft.ones(3, requires_grad=True)
    y = x * 2
    version = y._version
    assert getattr(y, name)(*args) is y and y._version == version + 1
    (y * 3).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="leaf Variable"):
        getattr(x, name)(*args)


@pytest.mark.parametrize("name, args", FILLS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_filling_keeps_shape_and_type(name, args, dtype):
    x = weft.zeros(2, 9, dtype=getattr(weft, dtype))
    getattr(x.t(), name)(*args)
    assert x.dtype is getattr(weft, dtype) and np.isfinite(x.float().numpy()).all()
    assert getattr(weft.zeros(0, dtype=x.dtype), name)(*args).shape == (0,)


def test_a_transposed_tensor_is_filled_in_memory_order():
    weft.manual_seed(3)
    plain = weft.rand(2, 3)
    weft.manual_seed(3)
    assert weft.rand_like(weft.zeros(2, 3).t()).t().tolist() == plain.tolist()


def test_state_can_be_saved_and_restored():
    state = weft.get_rng_state()
    first = weft.randn(5).tolist()
    weft.set_rng_state(state)
    assert state.dtype is weft.uint8 and weft.randn(5).tolist() == first
    with weft.random.fork_rng():
        weft.rand(7)
        weft.manual_seed(1)
    weft.set_rng_state(state)
    assert weft.randn(5).tolist() == first


def test_generators_are_independent_and_can_be_pickled():
    a = weft.Generator().manual_seed(7)
    b = pickle.loads(pickle.dumps(a))
    weft.rand(3)
    assert weft.rand(3, generator=a).tolist() == weft.rand(3, generator=b).tolist()
    assert a.initial_seed() == 7 and a.device.type == "cpu"
    assert weft.rand(2, generator=a.clone_state()).tolist() == weft.rand(2, generator=a).tolist()


@pytest.mark.parametrize("make, kind, text", [
    (lambda: weft.rand(2, dtype=weft.int64), NotImplementedError, "not implemented"),
    (lambda: weft.randint(3, 3, (2,)), RuntimeError, "random_ expects 'from' to be less than 'to'"),
    (lambda: weft.randint(3, 5), TypeError, "must be tuple of ints"),
    (lambda: weft.randperm(-1), RuntimeError, "negative dimension"),
    (lambda: weft.multinomial(weft.ones(3), 5), RuntimeError, "without replacement"),
    (lambda: weft.bernoulli(weft.tensor([2.])), RuntimeError, "p_in"),
    (lambda: weft.zeros(3).uniform_(2, 1), RuntimeError, "uniform_ expects to return a [from, to) range"),
    (lambda: weft.zeros(3).exponential_(-1), RuntimeError, "lambda > 0"),
    (lambda: weft.zeros(3).normal_(0, -1), RuntimeError, "std >= 0"),
    (lambda: weft.zeros(3).expand(2, 3).uniform_(), RuntimeError, "more than one element"),
    (lambda: weft.normal(weft.zeros(3), weft.ones(2)), RuntimeError, "must match the size"),
    (lambda: weft.normal(0., 1.), TypeError, "size"),
    (lambda: weft.poisson(weft.tensor([-1.])), RuntimeError, "non-negative"),
    (lambda: weft.rand(2, generator=3), TypeError, "generator"),
])
def test_errors_say_what_is_wrong(make, kind, text):
    with pytest.raises(kind) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize("make", [lambda x: weft.normal(x, 1.), lambda x: weft.normal(0., x), weft.bernoulli,
                                  weft.poisson])
def test_parameters_get_zero_gradients(make):
    x = weft.full((3,), 0.5, requires_grad=True)
    make(x).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_gamma_samples_follow_their_shape():
    """The derivative at a fixed probability, against a difference quotient of the gamma distribution's own numbers."""
    from weft.ops.random.gamma import _standard_gamma_grad
    # shape 1 is the exponential distribution, shape 2 the sum of two: F = 1 - e**-x (1 + x)
    x, h = 1.3, 1e-4

    def probability(a):
        t = (np.arange(200000) + 0.5) / 200000 * x
        return (t ** (a - 1) * np.exp(-t)).sum() * x / 200000 / _gamma(a)
    slope = -(probability(2 + h) - probability(2 - h)) / (2 * h) / (x * np.exp(-x))
    found = _standard_gamma_grad(weft.tensor(2., dtype=weft.float64), weft.tensor(x, dtype=weft.float64)).item()
    assert abs(found - slope) < 1e-4


def _gamma(a):
    import math
    return math.gamma(a)


def test_a_thread_with_a_generator_of_its_own():
    """Whatever names no generator, or the global one, draws from it there; other threads don't notice."""
    from weft.core import random as draw

    def numbers():
        weft.default_generator.manual_seed(5)
        return [weft.rand(2).tolist(), weft.rand(2, generator=weft.default_generator).tolist(),
                weft.empty(2).uniform_().tolist(), weft.nn.functional.dropout(weft.ones(8)).tolist(),
                weft.get_rng_state().tolist(), weft.initial_seed()]
    expected = numbers()
    weft.manual_seed(1)
    before, found, own = weft.get_rng_state().tolist(), [], weft.Generator()

    def run():
        draw.draw_from(own)
        found.extend(numbers())
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == expected and own.get_state().tolist() == expected[4]
    assert weft.get_rng_state().tolist() == before and weft.initial_seed() == 1
    assert draw.current() is weft.default_generator


def test_a_copy_of_the_global_generator_is_its_own():
    weft.manual_seed(3)
    for made in (copy.deepcopy(weft.default_generator), pickle.loads(pickle.dumps(weft.default_generator)),
                 weft.default_generator.clone_state()):
        assert type(made) is weft.Generator and made.initial_seed() == 3
        state = weft.get_rng_state().tolist()
        weft.rand(2, generator=made)
        assert weft.get_rng_state().tolist() == state
