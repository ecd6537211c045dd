"""Datasets, samplers, collation, and the loader without workers."""
import collections
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

import weft
from weft.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    ShardedIterableDataset,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)
from weft.utils.data.collate import collate, collate_tensor_fn, default_collate_fn_map


class Numbers(Dataset):
    def __init__(self, n=10):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if not -self.n <= i < self.n:
            raise IndexError(i)
        return i


class Count(IterableDataset):
    def __init__(self, n=10):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        return self.n


class Counter(IterableDataset):
    """A stream that keeps its own place."""

    def __init__(self, n=20):
        self.n, self.at = n, 0

    def __iter__(self):
        while self.at < self.n:
            self.at += 1
            yield self.at - 1
        self.at = 0

    def state_dict(self):
        return {"at": self.at}

    def load_state_dict(self, state):
        self.at = state["at"]


def values(loader):
    return [batch.tolist() for batch in loader]


# datasets

def test_tensor_dataset():
    data = TensorDataset(weft.arange(6), weft.arange(12).view(6, 2))
    assert len(data) == 6 and data[2][1].tolist() == [4, 5]
    with pytest.raises(AssertionError, match="Size mismatch"):
        TensorDataset(weft.arange(6), weft.arange(5))


def test_whole_batches_of_a_tensor_dataset_equal_collated_samples():
    x, y = weft.randn(10, 3).to(weft.bfloat16), weft.randn(10, requires_grad=True)
    data = TensorDataset(weft.arange(10), x, y)
    for indices in ([3, 1, 9], [0], [-1, 2]):
        ours, plain = DataLoader(data, batch_sampler=[indices]), default_collate([data[i] for i in indices])
        for a, b in zip(next(iter(ours)), plain):
            assert a.dtype == b.dtype and a.requires_grad == b.requires_grad and (a == b).all()
    with pytest.raises(IndexError):
        next(iter(DataLoader(data, batch_sampler=[[10]])))


def test_whole_batches_respect_overriding():
    class Doubled(TensorDataset):
        def __getitem__(self, i):
            return self.tensors[0][i] * 2
    assert values(DataLoader(Doubled(weft.arange(4)), batch_size=2)) == [[0, 2], [4, 6]]
    assert values(DataLoader(Subset(Doubled(weft.arange(4)), [3, 1]), batch_size=2)) == [[6, 2]]


def test_batches_do_not_share_memory_with_the_dataset():
    x = weft.arange(4)
    next(iter(DataLoader(TensorDataset(x), batch_size=4)))[0].zero_()
    assert x.tolist() == [0, 1, 2, 3]


def test_stack_dataset():
    assert StackDataset(Numbers(3), "abc")[1] == (1, "b")
    named = StackDataset(number=Numbers(3), letter="abc")
    assert named[2] == {"number": 2, "letter": "c"} and len(named) == 3
    assert named.__getitems__([0, 2]) == [{"number": 0, "letter": "a"}, {"number": 2, "letter": "c"}]
    for args, kwargs in (((), {}), (("ab",), {"x": "ab"}), (("ab", "abc"), {}), ((), {"x": "ab", "y": "a"})):
        with pytest.raises(ValueError):
            StackDataset(*args, **kwargs)


def test_stack_dataset_checks_batched_access():
    class Short(Numbers):
        def __getitems__(self, indices):
            return [0]
    with pytest.raises(ValueError, match="output size mismatch. Expected 2, got 1"):
        StackDataset(Short(), Numbers()).__getitems__([0, 1])


def test_concat_dataset():
    both = Numbers(3) + Numbers(2)
    assert isinstance(both, ConcatDataset) and [both[i] for i in range(5)] == [0, 1, 2, 0, 1]
    assert both[-1] == 1 and both[-5] == 0 and both.cumulative_sizes == [3, 5]
    with pytest.raises(ValueError, match="absolute value of index"):
        both[-6]
    with pytest.raises(AssertionError, match="empty"):
        ConcatDataset([])
    with pytest.raises(AssertionError, match="IterableDataset"):
        ConcatDataset([Count()])
    with pytest.warns(FutureWarning):
        both.cummulative_sizes


def test_chain_dataset():
    chained = Count(2) + Count(3)
    assert isinstance(chained, ChainDataset) and list(chained) == [0, 1, 0, 1, 2] and len(chained) == 5
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(ChainDataset([Numbers()]))


def test_subset():
    part = Subset(Numbers(10), [7, 3, 5])
    assert len(part) == 3 and part[1] == 3 and part.__getitems__([0, 2]) == [7, 5]

    class Half(Subset):
        def __getitem__(self, i):
            return 0
    with pytest.raises(NotImplementedError, match="__getitems__"):
        Half(Numbers(), [0])


def test_dataset_without_getitem():
    with pytest.raises(NotImplementedError):
        Dataset()[0]


def test_random_split():
    parts = random_split(range(10), [3, 7], weft.Generator().manual_seed(42))
    assert sorted(i for part in parts for i in part.indices) == list(range(10)) and [len(p) for p in parts] == [3, 7]
    assert [len(p) for p in random_split(range(30), [0.3, 0.3, 0.4])] == [9, 9, 12]
    assert [len(p) for p in random_split(range(11), [0.5, 0.5])] == [6, 5]
    with pytest.raises(ValueError, match="Sum of input lengths"):
        random_split(range(10), [3, 8])
    with pytest.raises(ValueError, match="Fraction at index"):
        random_split(range(10), [-0.5, 1.5])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split(range(1), [0.5, 0.5])


# samplers

def test_samplers():
    data = range(7)
    assert list(SequentialSampler(data)) == list(range(7))
    assert sorted(RandomSampler(data)) == list(range(7))
    assert len(list(RandomSampler(data, num_samples=16))) == 16
    assert len(list(RandomSampler(data, True, 40))) == 40
    assert sorted(SubsetRandomSampler([4, 2])) == [2, 4]
    assert list(WeightedRandomSampler([0, 1.0, 0], 4)) == [1] * 4
    assert sorted(WeightedRandomSampler([1.0, 1, 1], 3, replacement=False)) == [0, 1, 2]
    assert list(BatchSampler(data, 3, False)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(BatchSampler(data, 3, True)) == [[0, 1, 2], [3, 4, 5]]
    assert len(BatchSampler(data, 3, False)) == 3 and len(BatchSampler(data, 3, True)) == 2


@pytest.mark.parametrize("make, error", [
    (lambda: RandomSampler(range(3), replacement=1), TypeError), (lambda: RandomSampler([]), ValueError),
    (lambda: RandomSampler(range(3), num_samples=-1), ValueError), (lambda: RandomSampler(range(3), num_samples=1.5),
                                                                    ValueError),
    (lambda: WeightedRandomSampler([1.0], 0), ValueError), (lambda: WeightedRandomSampler([1.0], True), ValueError),
    (lambda: WeightedRandomSampler([1.0], 1, 1), ValueError), (lambda: WeightedRandomSampler([[1.0]], 1), ValueError),
    (lambda: BatchSampler(range(3), 0, False), ValueError), (lambda: BatchSampler(range(3), True, False), ValueError),
    (lambda: BatchSampler(range(3), 1.5, False), ValueError), (lambda: BatchSampler(range(3), 2, 1), ValueError),
    (lambda: DistributedSampler(range(3), 2, 2), ValueError), (lambda: list(Sampler()), NotImplementedError)])
def test_sampler_errors(make, error):
    with pytest.raises(error):
        make()


def test_random_sampler_repeats_from_a_seed():
    weft.manual_seed(5)
    first = list(RandomSampler(range(50)))
    assert list(RandomSampler(range(50))) != first
    weft.manual_seed(5)
    assert list(RandomSampler(range(50))) == first


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("n", [1, 7, 8, 10])
def test_distributed_sampler(n, drop_last):
    parts = [DistributedSampler(range(n), 4, rank, shuffle=True, seed=3, drop_last=drop_last) for rank in range(4)]
    orders = [list(p) for p in parts]
    assert {len(o) for o in orders} == {len(parts[0])} == {n // 4 if drop_last else -(-n // 4)}
    if not drop_last:
        assert {i for o in orders for i in o} == set(range(n))
    parts[0].set_epoch(1)
    assert n < 7 or list(parts[0]) != orders[0]
    alone = DistributedSampler(range(n), shuffle=False)
    assert list(alone) == list(range(n))


# collation

Point = collections.namedtuple("Point", "x y")


def test_default_collate_structures():
    batch = [{"a": (1, 2.0), "b": [np.ones(2), "s"], "c": Point(True, b"z")} for _ in range(3)]
    made = default_collate(batch)
    assert made["a"][0].tolist() == [1, 1, 1] and made["a"][1].dtype is weft.float64
    assert made["b"][0].shape == (3, 2) and made["b"][0].dtype is weft.float64 and tuple(made["b"][1]) == ("s",) * 3
    assert isinstance(made["c"], Point) and made["c"].x.dtype is weft.bool and tuple(made["c"].y) == (b"z",) * 3


def test_default_collate_keeps_container_types():
    made = default_collate([collections.OrderedDict(a=1), collections.OrderedDict(a=2)])
    assert type(made) is collections.OrderedDict and made["a"].tolist() == [1, 2]
    factory = collections.defaultdict(list, a=1)
    assert default_collate([factory, factory]).default_factory is list
    assert type(default_collate([collections.deque([1]), collections.deque([2])])) is collections.deque
    assert default_collate([range(2), range(2)])[1].tolist() == [1, 1]


def test_default_collate_arrays_and_numbers():
    assert default_collate([np.float32(1), np.float32(2)]).dtype is weft.float32
    assert default_collate([np.array(1), np.array(2)]).tolist() == [1, 2]
    assert default_collate([np.zeros((0, 2)), np.zeros((0, 2))]).shape == (2, 0, 2)
    assert default_collate((weft.zeros(2), weft.ones(2))).tolist() == [[0, 0], [1, 1]]
    assert default_collate([np.ones(2, np.float32), np.zeros(2, np.float32)]).dtype is weft.float32


@pytest.mark.parametrize("batch, error, text", [
    ([np.array(["a"])], TypeError, "found <U1"), ([object()], TypeError, "found <class 'object'>"),
    ([None], TypeError, "NoneType"), ([[1, 2], [1]], RuntimeError, "equal size"),
    ([weft.ones(2), weft.ones(3)], RuntimeError, "pad_sequence"), ([np.ones(2), np.ones(3)], RuntimeError,
                                                                   "at entry 1")])
def test_default_collate_errors(batch, error, text):
    with pytest.raises(error, match=text):
        default_collate(batch)


def test_own_collate_functions():
    class Own:
        pass
    made = collate([Own(), Own()], collate_fn_map={Own: lambda batch, *, collate_fn_map=None: len(batch)})
    assert made == 2
    with pytest.raises(TypeError):
        default_collate([Own()])


def test_a_changed_collate_map_reaches_tensor_datasets(monkeypatch):
    monkeypatch.setitem(default_collate_fn_map, weft.Tensor, lambda batch, *, collate_fn_map=None: "changed")
    assert next(iter(DataLoader(TensorDataset(weft.arange(4))))) == ["changed"]
    assert default_collate([np.ones(2)]) == "changed" and collate_tensor_fn([weft.ones(1)]).shape == (1, 1)


def test_default_convert():
    made = default_convert({"a": np.ones(2), "b": ["x", np.float32(3)], "c": Point(np.array(1), 2), "d": (np.ones(1),)})
    assert made["a"].tolist() == [1, 1] and made["b"][0] == "x" and made["b"][1].item() == 3
    assert isinstance(made["c"], Point) and made["c"].x.item() == 1 and isinstance(made["d"], list)
    strings = np.array(["a"])
    assert default_convert(strings) is strings and default_convert(3) == 3


# the loader

def test_batches():
    assert values(DataLoader(Numbers(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert values(DataLoader(Numbers(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(DataLoader(Numbers(3), batch_size=None)) == [0, 1, 2]
    assert values(DataLoader(Numbers(5), batch_sampler=[[4, 0], [1]])) == [[4, 0], [1]]
    assert values(DataLoader(Numbers(5), sampler=[3, 3])) == [[3], [3]]
    assert list(DataLoader(Numbers(4), 2, collate_fn=sum)) == [1, 5]
    assert values(DataLoader([1, 2, 3], batch_size=3)) == [[1, 2, 3]]


def test_lengths():
    assert (len(DataLoader(Numbers(5), batch_size=2)) == 3
            and len(DataLoader(Numbers(5), batch_size=2, drop_last=True)) == 2)
    assert len(DataLoader(Numbers(5), batch_size=None)) == 5 and len(DataLoader(Count(5), batch_size=2)) == 3
    assert len(DataLoader(Count(5), batch_size=None)) == 5 and len(iter(DataLoader(Numbers(5), 2))) == 3
    with pytest.raises(TypeError):
        len(DataLoader(iter_only()))


def iter_only():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(3))
    return Stream()


def test_iterating_twice_and_nested():
    loader = DataLoader(Numbers(4), 2)
    assert values(loader) == values(loader)
    assert [(a.tolist(), b.tolist()) for a in loader for b in loader][1] == ([0, 1], [2, 3])


def test_stream_batches():
    assert values(DataLoader(Count(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert values(DataLoader(Count(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(DataLoader(Count(3), batch_size=None)) == [0, 1, 2]


def test_wrong_stream_length_warns():
    class Liar(Count):
        def __len__(self):
            return 2
    loader = DataLoader(Liar(4), batch_size=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(loader)        # nobody asked for the length
    len(loader)
    with pytest.warns(UserWarning, match="was reported to be 2"):
        list(loader)


def test_batched_access():
    class Batched(Numbers):
        def __getitems__(self, indices):
            return [10 * i for i in indices]
    assert values(DataLoader(Batched(4), 2)) == [[0, 10], [20, 30]]


@pytest.mark.parametrize("options, error", [
    (dict(num_workers=-1), ValueError), (dict(timeout=-1), ValueError), (dict(prefetch_factor=2), ValueError),
    (dict(num_workers=1, prefetch_factor=-1), ValueError), (dict(persistent_workers=True), ValueError),
    (dict(sampler=[1], shuffle=True), ValueError), (dict(batch_sampler=[[1]], batch_size=2), ValueError),
    (dict(batch_sampler=[[1]], shuffle=True), ValueError), (dict(batch_sampler=[[1]], drop_last=True), ValueError),
    (dict(batch_size=None, drop_last=True), ValueError), (dict(batch_size=0), ValueError),
    (dict(batch_size="a"), ValueError), (dict(multiprocessing_context="fork"), ValueError),
    (dict(num_workers=1, multiprocessing_context="no"), ValueError),
    (dict(num_workers=1, multiprocessing_context=object()), TypeError), (dict(workers="fibers"), ValueError)])
def test_loader_errors(options, error):
    with pytest.raises(error):
        DataLoader(Numbers(), **options)


@pytest.mark.parametrize("options", [dict(shuffle=True), dict(sampler=[1]), dict(batch_sampler=[[1]])])
def test_streams_have_no_order(options):
    with pytest.raises(ValueError, match="IterableDataset: expected unspecified"):
        DataLoader(Count(), **options)


def test_fixed_attributes():
    loader = DataLoader(Numbers())
    for name in ("batch_size", "sampler", "batch_sampler", "drop_last", "dataset", "persistent_workers"):
        with pytest.raises(ValueError, match="should not be set after DataLoader is initialized"):
            setattr(loader, name, 1)
    loader.collate_fn = list
    assert next(iter(loader)) == [0]


def test_a_timeout_needs_workers():
    with pytest.raises(AssertionError, match="timeout needs workers"):
        iter(DataLoader(Numbers(), timeout=1))


def test_pinning_is_accepted():
    with pytest.warns(UserWarning, match="no accelerator is found"):
        assert len(list(DataLoader(Numbers(3), pin_memory=True))) == 3


def test_iterators_cannot_be_pickled():
    import pickle
    with pytest.raises(NotImplementedError):
        pickle.dumps(iter(DataLoader(Numbers())))


def test_an_error_does_not_end_the_iteration():
    class Fails(Numbers):
        def __getitem__(self, i):
            if i == 1:
                raise ValueError("one")
            return i
    it = iter(DataLoader(Fails(4)))
    next(it)
    with pytest.raises(ValueError, match="one"):
        next(it)
    assert next(it).tolist() == [2] and get_worker_info() is None


def test_old_addresses():
    from weft.utils.data import _utils, dataloader
    from weft.utils.data._utils.collate import default_collate as same
    assert dataloader.default_collate is default_collate is same and _utils.collate.default_collate is default_collate
    assert isinstance(iter(DataLoader(Numbers())), dataloader._BaseDataLoaderIter)


def test_loading_without_workers_imports_no_multiprocessing():
    code = "import sys, weft; list(weft.utils.data.DataLoader(range(3))); print('multiprocessing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout == "False\n"


# resuming without workers

def resumed(make, batches, between=lambda: None):
    """(what comes after some batches, what comes in a new loader from the state taken there), both to the end of
    another epoch
    """
    weft.manual_seed(11)
    random.seed(11)
    np.random.seed(11)
    loader = make()
    it = iter(loader)
    for _ in range(batches):
        next(it)
    state, rng = loader.state_dict(), weft.get_rng_state()
    rest = [list(it), list(loader)]
    between()
    weft.manual_seed(99)
    random.seed(99)
    again = make()
    again.load_state_dict(state)
    weft.set_rng_state(rng)
    return str(rest), str([list(again), list(again)])


@pytest.mark.parametrize("batches", [0, 1, 3, 5])
@pytest.mark.parametrize("make", [
    lambda: DataLoader(Numbers(10), 2), lambda: DataLoader(Numbers(10), 2, shuffle=True),
    lambda: DataLoader(Numbers(10), 2, shuffle=True, generator=weft.Generator().manual_seed(3)),
    lambda: DataLoader(Numbers(10), None, shuffle=True),
    lambda: DataLoader(Numbers(10), 2, sampler=RandomSampler(Numbers(10), True, 10, weft.Generator().manual_seed(2))),
    lambda: DataLoader(Numbers(10), 2, sampler=WeightedRandomSampler([1.0] * 10, 10)),
    lambda: DataLoader(Count(10), 2), lambda: DataLoader(Counter(10), 2)], ids=lambda make: "")
def test_resume(make, batches):
    rest, again = resumed(make, batches)
    assert rest == again


def test_resume_of_samplers_that_use_other_generators():
    class Shuffled(Sampler):
        def __iter__(self):
            order = list(range(8))
            random.shuffle(order)
            yield from order

        def __len__(self):
            return 8
    loader = DataLoader(Numbers(8), sampler=Shuffled())
    it = iter(loader)
    next(it)
    state = loader.state_dict()
    rest = values(it)
    before = random.getstate()
    loader.load_state_dict(state)
    assert values(loader) == rest and random.getstate() == before


def test_resume_of_a_sampler_with_its_own_state():
    class Own(Sampler):
        at = 0

        def __iter__(self):
            while self.at < 8:
                self.at += 1
                yield self.at - 1
            self.at = 0

        def state_dict(self):
            return {"at": self.at}

        def load_state_dict(self, state):
            self.at = state["at"]
    loader = DataLoader(Numbers(8), 2, sampler=Own())
    it = iter(loader)
    next(it)
    state = loader.state_dict()
    again = DataLoader(Numbers(8), 2, sampler=Own())
    again.load_state_dict(state)
    assert values(again) == values(it) == [[2, 3], [4, 5], [6, 7]]


def test_state_before_after_and_left():
    loader = DataLoader(Numbers(6), 2)
    fresh = loader.state_dict()
    for _ in loader:
        break
    left = loader.state_dict()
    list(loader)
    ended = loader.state_dict()
    for state, expected in ((fresh, 3), (left, 2), (ended, 3)):
        loader.load_state_dict(state)
        assert len(list(loader)) == expected
    loader.load_state_dict(left)
    assert loader.state_dict()["taken"] == 1


def test_states_are_plain():
    def check(value):
        if isinstance(value, dict):
            assert all(type(k) is str for k in value)
            value = list(value.values())
        if isinstance(value, list):
            return all(map(check, value))
        return value is None or type(value) in (int, str, bool, float) or isinstance(value, weft.Tensor)
    loader = DataLoader(Counter(6), 2, generator=weft.Generator())
    next(iter(loader))
    assert check(loader.state_dict())


def test_states_that_do_not_fit():
    loader = DataLoader(Numbers(6), 2)
    next(iter(loader))
    state = loader.state_dict()
    with pytest.raises(ValueError, match="not a state of a DataLoader"):
        loader.load_state_dict({"a": 1})
    with pytest.raises(ValueError, match="newer weft"):
        loader.load_state_dict({**state, "version": 99})
    with pytest.raises(ValueError, match="map-style"):
        DataLoader(Count(6)).load_state_dict(state)
    with pytest.raises(ValueError, match="generators"):
        DataLoader(Numbers(6), 2, generator=weft.Generator()).load_state_dict(state)
    stream = DataLoader(Count(6))
    next(iter(stream))
    with pytest.raises(ValueError, match="resume with num_workers=0"):
        DataLoader(Count(6), num_workers=1).load_state_dict(stream.state_dict())


@pytest.mark.parametrize("workers", [0, 1])
def test_a_distributed_sampler_goes_on_in_mid_epoch(workers):
    from weft.utils.data import DataLoader, DistributedSampler

    def loader():
        sampler = DistributedSampler(range(64), num_replicas=2, rank=1, seed=3)
        sampler.set_epoch(5)
        return DataLoader(range(64), batch_size=4, sampler=sampler, num_workers=workers)
    whole = [batch.tolist() for batch in loader()]
    first, batches = loader(), []
    for batch in first:
        batches.append(batch.tolist())
        if len(batches) == 3:
            state = first.state_dict()
            break
    second = loader()
    second.load_state_dict(state)
    assert batches + [batch.tolist() for batch in second] == whole


# several processes

class Counted(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("ranks, later", [(2, 2), (2, 3), (3, 1), (1, 4)])
def test_distributed_loaders_resume_with_any_number_of_ranks(ranks, later, drop_last):
    """What was given before and after is each sample once, but for those that fill the last round."""
    def loaders(n):
        return [DataLoader(range(37), batch_size=3, sampler=DistributedSampler(range(37), n, rank, seed=5, drop_last=drop_last))
                for rank in range(n)]
    seen, states = [], []
    for loader in loaders(ranks):
        loader.sampler.set_epoch(4)
        batches = iter(loader)
        seen += [i for _ in range(2) for i in next(batches).tolist()]
        states.append(loader.state_dict())
        rest = [b.tolist() for b in batches]
        again = loaders(ranks)[len(states) - 1]
        again.load_state_dict(states[-1])
        assert [b.tolist() for b in again] == rest
        assert sum(map(len, rest)) + 6 == len(loader.sampler)
    assert len(set(seen)) == len(seen) == 6 * ranks
    after = []
    for loader in loaders(later):
        loader.load_state_dict(states[0])
        after.append([i for batch in loader for i in batch.tolist()])
        assert loader.sampler.epoch == 4
        assert len(list(loader.sampler)) == len(loader.sampler)     # the next epoch is a whole one
    assert len({len(part) for part in after}) == 1
    everything = seen + [i for part in after for i in part]
    missing = set(range(37)) - set(everything)
    assert not set(seen) & {i for part in after for i in part} or not drop_last
    assert (len(missing) == (37 - 6 * ranks) % later if drop_last else not missing)
    assert len(everything) - 37 == (-len(missing) if drop_last else -(37 - 6 * ranks) % later)


def test_a_sampler_refuses_another_dataset():
    sampler = DistributedSampler(range(4), 1, 0)
    with pytest.raises(ValueError, match="state is of 5 samples, the dataset has 4"):
        sampler.load_state_dict({**sampler.state_dict(), "samples": 5})


@pytest.mark.parametrize("workers", [0, 2])
def test_sharded_streams(workers):
    parts = [[i for batch in DataLoader(ShardedIterableDataset(Counted(23), 3, rank), 2, num_workers=workers) for i in batch.tolist()]
             for rank in range(3)]
    assert {i for part in parts for i in part} == set(range(23)) and len({len(part) for part in parts}) == 1
    cut = [list(ShardedIterableDataset(Counted(23), 3, rank, drop_last=True)) for rank in range(3)]
    assert sorted(i for part in cut for i in part) == list(range(21))


def test_sharded_streams_resume():
    def loaders(n):
        return [DataLoader(ShardedIterableDataset(Counted(24), n, rank), 2) for rank in range(n)]
    seen, states = [], []
    for loader in loaders(3):
        seen += next(iter(loader)).tolist()
        states.append(loader.state_dict())
    for loader in loaders(2):
        loader.load_state_dict(states[0])
        seen += [i for batch in loader for i in batch.tolist()]
    assert sorted(seen) == list(range(24))
    worker = ShardedIterableDataset(Counted(24), 2, 0)
    worker._shard = lambda: (1, 4)
    with pytest.raises(ValueError, match="of 6 shards, here are 4"):
        worker.load_state_dict({"taken": 6, "shards": 6})
