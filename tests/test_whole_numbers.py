"""A float where a whole number is needed is refused: nothing is cut off silently."""
import pytest

import weft

F = weft.nn.functional
CALLS = {
    "randint": lambda: weft.randint(2.7, (3,)),
    "randint low": lambda: weft.randint(0.5, 3, (3,)),
    "randint_like": lambda: weft.randint_like(weft.ones(3), 2.5),
    "random_": lambda: weft.ones(3).random_(2.5),
    "random_ from": lambda: weft.ones(3).random_(0.5, 2),
    "random_ to": lambda: weft.ones(3).random_(**{"from": 0, "to": 2.5}),
    "randperm": lambda: weft.randperm(3.5),
    "topk": lambda: weft.ones(4).topk(1.5),
    "kthvalue": lambda: weft.ones(4).kthvalue(1.5),
    "tril": lambda: weft.ones(4, 4).tril(0.5),
    "triu": lambda: weft.ones(4, 4).triu(1.0),
    "tril_indices": lambda: weft.tril_indices(2.5, 2),
    "triu_indices": lambda: weft.triu_indices(2, 2, 0.5),
    "rot90": lambda: weft.ones(4, 4).rot90(1.5),
    "unfold": lambda: weft.ones(4).unfold(0, 2.5, 1),
    "unfold step": lambda: weft.ones(4).unfold(0, 2, 1.5),
    "fft": lambda: weft.fft.fft(weft.ones(4), 3.5),
    "interpolate": lambda: F.interpolate(weft.ones(1, 1, 4), 2.5)}


@pytest.mark.parametrize("name", CALLS)
def test_a_float_is_refused(name):
    with pytest.raises(TypeError, match="int"):
        CALLS[name]()


def test_numbers_of_numpy_and_tensors_serve():
    import numpy as np
    assert weft.ones(4).topk(np.int64(2)).values.shape == (2,)
    assert weft.randint(weft.tensor(3), (2,)).max() < 3
    assert weft.randperm(np.int32(3)).shape == (3,) and weft.ones(3, 3).tril(np.int64(0)).sum() == 6


def test_weights_of_a_bag_have_the_tables_type():
    bag = weft.nn.EmbeddingBag(4, 3, mode="sum")
    with pytest.raises(RuntimeError, match="have the same type as weight"):
        bag(weft.tensor([0, 1]), weft.tensor([0]), per_sample_weights=weft.ones(2, dtype=weft.float64))


def test_a_sparse_table_of_nothing():
    table = weft.nn.Embedding(0, 0, sparse=True)
    table(weft.zeros(0, dtype=weft.int64)).sum().backward()
    assert table.weight.grad.shape == (0, 0) and table.weight.grad.is_sparse
