"""Where a loader is in its dataset: what `state_dict()` keeps, counted by batches that the program has got."""
import copy
import itertools

import numpy as np

from weft.ops.random.generators import default_generator
from weft.tensor.tensor import Tensor, wrap
from weft.utils.data import seeding
from weft.utils.data.fetch import ITERABLE
from weft.utils.data.sampler import new_seed
from weft.utils.data.worker import is_stateful

VERSION = 1
DONE = object()


class WorkerPlace:
    """One worker: the batches it gave, the states of its generators after the last of them, its dataset's place."""

    def __init__(self, batches=0, ended=False, rng=None, place=None):
        self.batches, self.ended, self.rng, self.place = batches, ended, rng, place


class Position:
    """The place in an epoch."""

    def __init__(self, loader, epoch=0, num_workers=0):
        self.epoch, self.base_seed, self.num_workers = epoch, None, num_workers
        self.kind = loader._dataset_kind
        self.taken, self.yielded, self.ahead, self.turn = 0, 0, set(), 0
        self.finished = False
        self.workers = [WorkerPlace() for _ in range(num_workers)]
        self.place = None                   # of the dataset, without workers: a function that tells it, or what it told
        self.sampler_epoch = getattr(sampler_of(loader), "epoch", None)
        self.sampler, self.sampler_states = None, {}
        self.stateful = stateful_sampler(loader)
        self.start = {"global": seeding.global_state(),
                      "generators": [seeding.weft_state(g) for g in own_generators(loader)]}

    # as batches come

    def sampled(self, number):
        """The sampler gave the indices of task `number`."""
        if self.stateful is not None:
            self.sampler_states[number] = copy.deepcopy(self.stateful.state_dict())

    def took(self, number, in_order=True):
        """The program got the batch of a task."""
        if in_order:
            self.taken += 1
        else:
            self.ahead.add(number)
            while self.taken in self.ahead:
                self.ahead.remove(self.taken)
                self.taken += 1
        if self.stateful is not None:
            self.sampler = self.sampler_states.pop(number)

    def heard(self, worker, rng, place):
        """What a worker said about itself with a batch."""
        entry = self.workers[worker]
        entry.batches += 1
        if rng:
            entry.rng = {**(entry.rng or {}), **rng}
        entry.place = place

    def finish(self):
        self.finished, self.place = True, None

    # for workers that go on

    def resumed(self, entry, index):
        """What a worker has to know to go on."""
        return {"batches": entry.batches if self.kind == ITERABLE else 0, "index": index, "rng": entry.rng,
                "place": entry.place}

    # to and from plain values

    def state(self, loader):
        place = self.place() if callable(self.place) else self.place
        return {
            "version": VERSION, "kind": "iterable" if self.kind == ITERABLE else "map", "num_workers": self.num_workers,
            "epoch": self.epoch, "base_seed": self.base_seed, "taken": self.taken, "yielded": self.yielded,
            "ahead": sorted(self.ahead), "turn": self.turn, "finished": self.finished,
            "start": {"global": _tensors(self.start["global"]),
                      "generators": [_tensor(s) for s in self.start["generators"]]},
            "generators": [_tensor(seeding.weft_state(g)) for g in own_generators(loader)],
            "sampler": copy.deepcopy(self.sampler), "sampler_epoch": self.sampler_epoch, "place": place and list(place),
            "workers": [{"batches": w.batches, "ended": w.ended, "rng": w.rng and _tensors(w.rng), "place": w.place
                         and list(w.place)}
                        for w in self.workers]}

    @classmethod
    def from_state(cls, loader, state):
        """The position that a state tells; checked against the loader first."""
        _check(loader, state)
        made = cls(loader, state["epoch"], loader.num_workers)
        for name in ("base_seed", "taken", "yielded", "turn", "finished", "sampler", "sampler_epoch"):
            setattr(made, name, copy.deepcopy(state[name]))
        made.ahead = set(state["ahead"])
        made.place = state["place"] and tuple(copy.deepcopy(state["place"]))
        made.start = {"global": _bytes(state["start"]["global"]),
                      "generators": [_byte(s) for s in state["start"]["generators"]]}
        if state["num_workers"] == loader.num_workers:
            made.workers = [WorkerPlace(w["batches"], w["ended"], w["rng"] and _bytes(w["rng"]),
                                        w["place"] and tuple(copy.deepcopy(w["place"])))
                            for w in state["workers"]]
        else:
            made.turn = 0       # a map-style dataset: any workers can go on
        return made


def _check(loader, state):
    """Raise ValueError for a state that this loader can't go on from."""
    if not isinstance(state, dict) or "version" not in state:
        raise ValueError("this is not a state of a DataLoader\n  fix: give load_state_dict what state_dict() gave")
    if state["version"] > VERSION:
        raise ValueError(f"the state was written by a newer weft (version {state['version']}, this one reads "
                         f"{VERSION})\n  fix: update weft")
    kind = "iterable" if loader._dataset_kind == ITERABLE else "map"
    if state["kind"] != kind:
        raise ValueError(f"the state is of {state['kind']}-style data, the loader's dataset is {kind}-style")
    if kind == "iterable" and not state["finished"] and state["num_workers"] != loader.num_workers:
        raise ValueError(f"the state is of {state['num_workers']} workers, each in its own part of the stream; the "
                         f"loader has {loader.num_workers}\n  fix: resume with num_workers={state['num_workers']}, or "
                         f"at the start of an epoch")
    if len(state["generators"]) != len(own_generators(loader)):
        raise ValueError(f"the state has {len(state['generators'])} generators, the loader and its sampler "
                         f"{len(own_generators(loader))}\n"
                         "  fix: make the loader as it was, with generator= where there was one")


def _tensor(data):
    return wrap(np.frombuffer(data, np.uint8).copy())


def _tensors(states):
    return {name: _tensor(data) for name, data in states.items()}


def _byte(value):
    return (value._array if isinstance(value, Tensor) else np.asarray(value, np.uint8)).tobytes()


def _bytes(states):
    return {name: _byte(value) for name, value in states.items()}


# the sampler

def sampler_of(loader):
    """The loader's sampler, or None: fastai gives the iterators a loader of its own, which has none."""
    return getattr(loader, "sampler", None)


def own_generators(loader):
    """The generators that a loader and its samplers were given, each once."""
    found = []
    batches = getattr(loader, "batch_sampler", None)
    for holder in (loader, sampler_of(loader), batches, getattr(batches, "sampler", None)):
        generator = getattr(holder, "generator", None)
        if (hasattr(generator, "engine") and generator is not default_generator
            and not any(generator is g for g in found)):
            found.append(generator)
    return found


def stateful_sampler(loader):
    """The sampler that keeps its own place, if one does."""
    batches = getattr(loader, "batch_sampler", None)
    return next((s for s in (batches, sampler_of(loader), getattr(batches, "sampler", None)) if is_stateful(s)), None)


def replayed(loader, position):
    """The sampler's iterator, at the position. A sampler without a state of its own draws its order again, from the
    same numbers.
    """
    sampler = loader._index_sampler
    if loader._dataset_kind == ITERABLE:
        return iter(sampler)
    if position.sampler_epoch is not None and hasattr(loader.sampler, "set_epoch"):
        loader.sampler.set_epoch(position.sampler_epoch)
    if position.stateful is not None and position.sampler is not None:
        position.stateful.load_state_dict(copy.deepcopy(position.sampler))
        return iter(sampler)
    now = seeding.global_state()
    seeding.set_global_state(position.start["global"])
    for generator, state in zip(own_generators(loader), position.start["generators"]):
        seeding.set_weft_state(generator, state)
    try:
        indices = iter(sampler)
        if position.epoch == 0:
            new_seed(loader.generator)      # as when the epoch began
        if not position.taken:              # a generator that stands where the sampler had not drawn yet is drawn from
            here = seeding.global_state()
            now = {name: state for name, state in now.items() if state != here.get(name)}
        for _ in range(position.taken):
            next(indices, None)
        first = next(indices, DONE)         # it may draw all its numbers only now
    finally:
        seeding.set_global_state(now)
    return iter(()) if first is DONE else itertools.chain([first], indices)
