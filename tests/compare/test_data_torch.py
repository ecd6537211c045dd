"""utils.data beside PyTorch's: orders, seeds, collation, errors."""
import collections
import inspect
import random
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import torch.utils.data as theirs  # noqa: E402

import weft  # noqa: E402
import weft.utils.data as ours  # noqa: E402

PAIRS = ((weft, ours), (torch, theirs))


def both(function, seed=7):
    """What function(T, its utils.data) gives with weft and with torch, from one seed."""
    found = []
    for T, data in PAIRS:
        T.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append((function(T, data), T.rand(2).tolist()))       # and both have drawn as much
    return found


def check(function, seed=7):
    first, second = both(function, seed)
    assert first == second
    return first


def lists(value):
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {k: lists(v) for k, v in value.items()}
    return [lists(v) for v in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("n", [1, 5, 100, 4999, 5001])
def test_random_sampler(n):
    check(lambda T, d: [list(d.RandomSampler(range(n))) for _ in range(2)])
    check(lambda T, d: list(d.RandomSampler(range(n), generator=T.Generator().manual_seed(3))))
    check(lambda T, d: list(d.RandomSampler(range(n), num_samples=2 * n + 1)))
    check(lambda T, d: list(d.RandomSampler(range(n), True, 70)))
    check(lambda T, d: list(d.RandomSampler(range(n), True, 64, T.Generator().manual_seed(9))))


def test_other_samplers():
    check(lambda T, d: list(d.SubsetRandomSampler([5, 3, 8, 1])))
    check(lambda T, d: list(d.WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 20)))
    check(lambda T, d: list(d.WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 3, replacement=False)))
    check(lambda T, d: list(d.BatchSampler(d.RandomSampler(range(11)), 3, False)))


@pytest.mark.parametrize("n", [1, 2, 7, 8, 10])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_distributed_sampler(n, drop_last, shuffle):
    if drop_last and n < 4:
        return      # PyTorch's count is off by its rounding of negative numbers

    def run(T, d):
        made = [d.DistributedSampler(range(n), 4, rank, shuffle=shuffle, seed=2, drop_last=drop_last)
                for rank in range(4)]
        for sampler in made:
            sampler.set_epoch(3)
        return [(len(sampler), list(sampler)) for sampler in made]
    check(run)


def test_random_split():
    check(lambda T, d: [list(p.indices) for p in d.random_split(range(10), [3, 7])])
    check(lambda T, d: [list(p.indices) for p in d.random_split(range(31), [0.3, 0.3, 0.4],
                                                                T.Generator().manual_seed(42))])


@pytest.mark.parametrize("options", [
    {}, dict(shuffle=True), dict(shuffle=True, batch_size=3), dict(shuffle=True, batch_size=3, drop_last=True),
    dict(batch_size=None), dict(shuffle=True, batch_size=None), dict(shuffle=True, batch_size=3, num_workers=2),
    dict(shuffle=True, batch_size=3, num_workers=2, persistent_workers=True)])
def test_orders_over_epochs(options):
    check(lambda T, d: [lists(list(loader)) for loader in [d.DataLoader(list(range(20)), **options)] for _ in range(3)])
    if options.get("shuffle"):
        check(lambda T, d: [lists(list(loader)) for loader in
                            [d.DataLoader(list(range(20)), generator=T.Generator().manual_seed(5), **options)]
                            for _ in range(3)])


class Noise:
    """Numbers of the global generators, of torch and weft by turns."""

    def __init__(self, T):
        self.T = T

    def __len__(self):
        return 10

    def __getitem__(self, i):
        return [self.T.rand(1).item(), self.T.randn(1).item(), random.random(), np.random.rand(), np.random.randn()]


def test_random_numbers_of_workers():
    check(lambda T, d: [list(d.DataLoader(Noise(T), batch_size=2, num_workers=2, collate_fn=list)) for _ in range(2)])
    check(lambda T, d: [list(d.DataLoader(Noise(T), batch_size=2, num_workers=2, collate_fn=list,
                                          generator=T.Generator().manual_seed(1)))])


def test_worker_info():
    class Seeds(Noise):
        def __getitem__(self, i):
            info = (ours if self.T is weft else theirs).get_worker_info()
            return info.id, info.num_workers, info.seed, self.T.initial_seed()
    check(lambda T, d: list(d.DataLoader(Seeds(T), batch_size=5, num_workers=2, collate_fn=list)))


@pytest.mark.parametrize("sizes", [(4, 4), (5, 1), (1, 6), (0, 3)])
def test_streams(sizes):
    def run(T, d):
        class Stream(d.IterableDataset):
            def __iter__(self):
                worker = d.get_worker_info().id
                return iter([10 * worker + k for k in range(sizes[worker])])
        return [lists(list(d.DataLoader(Stream(), batch_size=size, num_workers=2))) for size in (2, None)]
    check(run)


Point = collections.namedtuple("Point", "x y")


def samples():
    rng = np.random.default_rng(0)
    yield [1, 2, 3]
    yield [1.5, 2.5]
    yield [True, False]
    yield ["a", "b"]
    yield [b"a", b"b"]
    yield [(1, "a"), (2, "b")]
    yield [[1, 2.0], [3, 4.0]]
    yield [{"a": 1, "b": {"c": [1.0, 2]}}] * 3
    yield [Point(1, (2, 3)), Point(4, (5, 6))]
    for dtype in ("float32", "float64", "int8", "uint8", "int64", "bool", "complex64", "float16"):
        yield [rng.random((2, 3)).astype(dtype) for _ in range(4)]
        yield [np.dtype(dtype).type(1)] * 2
    yield [np.array(1), np.array(2)]
    yield [np.float32(1), np.float32(2)]
    yield [collections.OrderedDict(a=1), collections.OrderedDict(a=2)]
    yield [range(2), range(2)]
    yield [np.zeros((0, 3))] * 2


def described(value):
    """A result's structure, types and values."""
    if hasattr(value, "detach"):
        return str(value.dtype).removeprefix("torch."), list(value.shape), value.tolist()
    if isinstance(value, dict):
        return type(value).__name__, [(k, described(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [described(v) for v in value]
    return type(value).__name__, value


@pytest.mark.parametrize("k", range(len(list(samples()))))
def test_collation(k):
    batch = list(samples())[k]
    first, second = both(lambda T, d: described(d.default_collate(batch)))
    assert first == second
    first, second = both(lambda T, d: described(d.default_convert(batch)))
    assert first == second


@pytest.mark.parametrize("make", [
    lambda T, d: d.default_collate([object()]), lambda T, d: d.default_collate([np.array(["a"])]), lambda T,
    d: d.default_collate([None]), lambda T, d: d.default_collate([[1], [1, 2]]), lambda T,
    d: d.default_collate([T.ones(1), T.ones(2)]), lambda T, d: d.DataLoader([1], num_workers=-1), lambda T,
    d: d.DataLoader([1], timeout=-1), lambda T, d: d.DataLoader([1], prefetch_factor=1), lambda T,
    d: d.DataLoader([1], num_workers=1, prefetch_factor=-1), lambda T, d: d.DataLoader([1], persistent_workers=True),
    lambda T, d: d.DataLoader([1], sampler=[0], shuffle=True), lambda T,
    d: d.DataLoader([1], batch_sampler=[[0]], batch_size=2), lambda T,
    d: d.DataLoader([1], batch_size=None, drop_last=True), lambda T, d: d.DataLoader([1], batch_size=0), lambda T,
    d: d.DataLoader([], shuffle=True), lambda T, d: d.DataLoader([1], multiprocessing_context="fork"), lambda T,
    d: d.DataLoader([1], num_workers=1, multiprocessing_context=3), lambda T, d: iter(d.DataLoader([1], timeout=1)),
    lambda T, d: len(d.DataLoader(d.IterableDataset())), lambda T, d: d.DataLoader(d.IterableDataset(), shuffle=True),
    lambda T, d: d.TensorDataset(T.ones(1), T.ones(2)), lambda T, d: d.StackDataset(), lambda T,
    d: d.ConcatDataset([]), lambda T, d: d.random_split(range(3), [1, 1]), lambda T,
    d: d.random_split(range(3), [-0.5, 1.5]), lambda T, d: d.Dataset()[0], lambda T,
    d: d.DistributedSampler(range(3), 2, 2), lambda T, d: d.BatchSampler([1], 1, 2), lambda T,
    d: d.RandomSampler([1], "a")])
def test_errors_are_of_the_same_type(make):
    kinds = []
    for T, d in PAIRS:
        with pytest.raises(Exception) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make(T, d)
        kinds.append(caught.type)
    assert kinds[0] is kinds[1]


def test_signatures():
    for name in set(ours.__all__) - {"ShardedIterableDataset"}:         # weft's own
        mine, other = (getattr(d, name) for _, d in PAIRS)
        if isinstance(mine, type) and (mine.__init__ is object.__init__ or other.__init__ is object.__init__):
            continue
        a, b = (list(inspect.signature(f).parameters) for f in (mine, other))
        assert [p for p in a if p not in ("workers", "args", "kwargs")] == [p for p in b
                                                                            if p not in ("args", "kwargs")], name


def test_what_workers_raise():
    class Fails(Noise):
        def __getitem__(self, i):
            raise KeyError(f"number {i}")
    texts = []
    for T, d in PAIRS:
        with pytest.raises(KeyError) as caught:
            list(d.DataLoader(Fails(T), num_workers=1))
        texts.append(str(caught.value).splitlines())
    assert texts[0][:2] == texts[1][:2] and texts[0][-1] == texts[1][-1] == "KeyError: 'number 0'"
