"""Random numbers in workers: seeds that differ by worker and epoch, and states that can be kept and put back."""
import random
import struct
import sys
import threading
from array import array

import numpy as np

from weft.core import random as draw
from weft.ops.random.generators import Generator, default_generator

MASK = 0xFFFFFFFF
NUMPY_STATE = np.dtype([("key", "<u4", 624), ("at", "<i4"), ("has_normal", "<i4"), ("normal", "<f8")])


# seeds

def epoch_seed(base_seed, epoch):
    """The seed of a loader's workers in an epoch; that of the first is the loader's own, as in PyTorch."""
    if epoch == 0:
        return base_seed
    words = mixed([epoch & MASK, base_seed & MASK, base_seed >> 32, 1])
    return (words[0] | words[1] << 32) >> 1


def mixed(entropy):
    """Four 32-bit words from four, every bit of which moves all others: NumPy's SeedSequence, that of PyTorch's
    workers.
    """
    return np.random.SeedSequence(entropy).generate_state(4).tolist()


def numpy_seed(base_seed, worker_id):
    return mixed([worker_id, base_seed & MASK, base_seed >> 32, 0])


def seed_process(base_seed, worker_id):
    """Seed this process's global generators for a worker, with PyTorch's numbers; gives the worker's seed."""
    seed = base_seed + worker_id
    random.seed(seed)
    default_generator.manual_seed(seed)
    np.random.seed(numpy_seed(base_seed, worker_id))
    return seed


def renew_locks():
    """After a fork: another thread may have been drawing just then, and nobody would ever open its lock here."""
    default_generator.lock, default_generator.engine = threading.RLock(), draw.engine_type()
    lock = getattr(np.random.mtrand._rand._bit_generator, "lock", None)
    if hasattr(lock, "_at_fork_reinit"):
        lock._at_fork_reinit()


# states, as bytes

def python_state(generator):
    """What a random.Random remembers, or the module `random`."""
    _, words, normal = generator.getstate()
    return array("I", words).tobytes() + (b"" if normal is None else struct.pack("<d", normal))


def set_python_state(generator, saved):
    words = tuple(np.frombuffer(saved[:2500], "<u4").tolist())
    generator.setstate((3, words, struct.unpack("<d", saved[2500:])[0] if len(saved) > 2500 else None))


def numpy_state():
    """What NumPy's global generator remembers; nothing if it isn't a Mersenne Twister."""
    state = np.random.get_state(legacy=False)
    return _packed(state["state"], state["has_gauss"], state["gauss"]) if state["bit_generator"] == "MT19937" else b""


def _packed(words, has_normal=0, normal=0.0):
    record = np.zeros(1, NUMPY_STATE)
    record["key"], record["at"], record["has_normal"], record["normal"] = words["key"], words["pos"], has_normal, normal
    return record.tobytes()


def set_numpy_state(saved):
    if saved:
        record = np.frombuffer(saved, NUMPY_STATE)[0]
        np.random.set_state(("MT19937", record["key"], int(record["at"]), int(record["has_normal"]),
                             float(record["normal"])))


def weft_state(generator):
    return draw.Generator.get_state(_meant(generator)).tobytes()


def set_weft_state(generator, saved):
    draw.Generator.set_state(_meant(generator), np.frombuffer(saved, np.uint8).copy())


def _meant(generator):
    """The generator itself; the global one stands for what this thread draws from."""
    return draw.current() if generator is default_generator else generator


def global_state():
    """The states of weft's, Python's and NumPy's global generators, by name."""
    state = {"weft": weft_state(default_generator), "python": python_state(random)}
    if "numpy.random" in sys.modules:
        state["numpy"] = numpy_state()
    return state


def set_global_state(saved):
    """Continue from what global_state gave, or from some of it."""
    if "weft" in saved:
        set_weft_state(default_generator, saved["weft"])
    if "python" in saved:
        set_python_state(random, saved["python"])
    if "numpy" in saved:
        set_numpy_state(saved["numpy"])


class Watch:
    """Which of three generators were drawn from, seen much sooner than by reading their states in full."""

    def __init__(self, ours=default_generator, python=random, bits=None, read_numpy=numpy_state):
        self.ours, self.python, self.read_numpy = ours, python, read_numpy
        self.numpy = self._words(bits)
        self.signs, self.numpy_has_normal = {}, False

    def _words(self, bits):
        """A view of the words of NumPy's twister and its place in them; NumPy itself takes 40 us to tell them."""
        import ctypes  # heavy, only for loaders that keep their position
        saved = self.read_numpy()
        if not saved:
            return None
        bits = np.random.mtrand._rand._bit_generator if bits is None else bits
        words = np.frombuffer((ctypes.c_uint32 * 625).from_address(bits.ctypes.state_address), np.uint32)
        return words if words.tobytes() == saved[:2500] else None       # another layout: then it is always read in full

    def _new_signs(self):
        # a normal that was kept may have been given out without moving the twister; moving it past its end changes
        # every word
        engine = self.ours.engine
        key, at = engine.get()
        _, words, normal = self.python.getstate()
        return {"weft": (at, key[0], key[1], engine.normal, self.ours._float_normal),
                "python": (words[624], words[0], words[1], normal),
                "numpy": None if self.numpy is None else (self.numpy[624], self.numpy[0], self.numpy[1])}

    def changes(self):
        """The new states of those that were drawn from since the last call, by name."""
        old, new = self.signs, self._new_signs()
        self.signs, found = new, {}
        if new["weft"] != old.get("weft"):
            found["weft"] = weft_state(self.ours)
        if new["python"] != old.get("python"):
            found["python"] = python_state(self.python)
        if new["numpy"] is None or new["numpy"] != old.get("numpy") or self.numpy_has_normal:
            found["numpy"] = self.read_numpy()
            self.numpy_has_normal = (bool(found["numpy"])
                                     and bool(np.frombuffer(found["numpy"], NUMPY_STATE)["has_normal"][0]))
        return found


# generators of a worker thread: the global ones belong to all threads (core.random.draw_from)

class WorkerGenerators:
    """One worker thread's own generators, of each kind."""

    def __init__(self, base_seed, worker_id):
        seed = base_seed + worker_id
        self.random_generator = random.Random(seed)
        self.torch_generator = Generator().manual_seed(seed)
        self.numpy_generator = np.random.Generator(np.random.MT19937(numpy_seed(base_seed, worker_id)))
        self.watch = Watch(self.torch_generator, self.random_generator, self.numpy_generator.bit_generator,
                           self._numpy_state)

    def _numpy_state(self):
        return _packed(self.numpy_generator.bit_generator.state["state"])

    def set_state(self, saved):
        """Continue from states by name, as `watch.changes` gives them."""
        set_weft_state(self.torch_generator, saved["weft"])
        set_python_state(self.random_generator, saved["python"])
        words = np.frombuffer(saved["numpy"], NUMPY_STATE)[0]
        self.numpy_generator.bit_generator.state = {"bit_generator": "MT19937",
                                                    "state": {"key": words["key"], "pos": int(words["at"])}}
