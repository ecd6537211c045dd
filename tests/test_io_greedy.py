"""Files of which a few bytes ask for much: neither memory nor time is more than the file's size allows, whatever the
instruction.
"""
import os
import pickle
import struct
import subprocess
import sys
from collections import Counter, OrderedDict

import numpy as np
import pytest
from test_io_hostile import EIGHT, ORDERED, archive, file_of, load, named, number, peak, run, storage, text, tuple_of

import weft
from weft.io import legacy
from weft.io.errors import CheckpointFileError
from weft.io.scan import get_unsafe_globals_in_checkpoint  # noqa: F401, for PROGRAM

MANY, SOME = 200_000, 30_000
AGAIN = b"h\1h\0Ra" * SOME          # a call with arguments that are remembered
CONTAINERS = ("collections.OrderedDict", "collections.Counter", "collections.defaultdict", "builtins.set",
              "builtins.frozenset", "builtins.list", "builtins.bytearray", "torch.Size", "torch.Tensor",
              "torch.FloatTensor", "torch.nn.parameter.UninitializedParameter")


def long(length):
    """Bytes of some length."""
    return b"B" + struct.pack("<I", length) + b"c" * length


def array_of(data):
    """An array of int8."""
    return (named("numpy.core.multiarray", "_reconstruct") + named("numpy", "ndarray") + b"K\0\x85C\1b\x87R(K\1"
            + number(len(data)) + b"\x85" + named("numpy", "dtype") + text("i1") + b"\x85R\x89B"
            + struct.pack("<I", len(data)) + data + b"tb")


def calls(function, *args):
    """Its arguments remembered as 0, itself as 1."""
    return tuple_of(*args) + b"q\0" + named(*function.rsplit(".", 1)) + b"q\1"


TENSOR = calls("torch._utils._rebuild_tensor_v2", storage(), b"K\0K\2\x85K\1\x85\x89", ORDERED)
META = calls("torch._utils._rebuild_meta_tensor_no_storage", named("torch", "float32"), b"K\2\x85K\1\x85\x89")
MOVED = calls("torch._utils._rebuild_device_tensor_from_numpy", array_of(b"\1" * MANY), named("torch", "complex64"),
              text("cpu"), b"\x89")


def turned(bit, kind="ComplexFloatStorage"):
    """Calls of a tensor with a conj or neg bit."""
    n = number(MANY // 8)
    return calls("torch._utils._rebuild_tensor_v2", storage(kind, count=n), b"K\0", n + b"\x85K\1\x85\x89", ORDERED,
                 b"}" + text(bit) + b"\x88s")


MEMORY = {
    "empty lists": b"]" * MANY, "empty dicts": b"}" * MANY, "empty sets": b"\x8f" * MANY, "marks": b"(" * MANY,
    "tuples": b")" + b"\x85" * MANY, "lists of one": b"]Na" * MANY, "dicts of one": b"}NNs" * SOME,
    "frozen sets": b"(\x91" * MANY, "sets of one": b"\x8f(N\x90" * SOME, "lists at once": b"(l" * MANY,
    "memo": b"N" + b"\x94" * MANY,
    "memo apart": b"N" + b"".join([b"r" + struct.pack("<I", 7 * i + 5) for i in range(SOME)]),
    "types": calls("numpy.dtype", text("f8")) + b"]" + AGAIN, "tensors": (TENSOR + b"]" + AGAIN, EIGHT),
    "meta tensors": META + b"]" + AGAIN, "moved arrays": MOVED + b"]" + AGAIN,
    "conjugated": (turned("conj") + b"]" + AGAIN, bytes(MANY)),
    "negated": (turned("neg") + b"]" + AGAIN, bytes(MANY)),
    "storages": (storage()[:-1] + b"q\0" + b"h\0Q" * SOME, EIGHT),
    **{f"calls of {name}": named(*name.rsplit(".", 1)) + b"q\0" + b"h\0)R" * SOME for name in CONTAINERS},
}


@pytest.mark.parametrize("name", MEMORY)
def test_small_instructions_take_no_more_memory_than_their_bytes_allow(name):
    stream, data = MEMORY[name] if isinstance(MEMORY[name], tuple) else (MEMORY[name], b"")
    file = archive(data_pkl=stream + b".", data_0=data)

    def attempt():
        try:
            load(file)
        except CheckpointFileError as error:
            assert "fix: " in str(error)
    attempt()
    assert peak(attempt) < 90 * len(file) + 8_000_000


# time

def large(size=60_000):
    """An integer of so many bytes."""
    return b"\x8b" + struct.pack("<i", size) + b"\7" * (size - 1) + b"\1"


def alike(count=80_000):
    """Integers whose hash is 0."""
    return [number(i * (2**61 - 1)) for i in range(1, count)]


def alike_pairs(count):
    """Pairs of integers below 2**60 with one hash: what a tuple does to its members' hashes can be undone."""
    one, two, five = 11400714785074694791, 14029467366897019727, 2870177450012600261
    back, found, first = pow(two, -1, 2**64), [], 0

    def turn(x, n):
        return (x << n | x >> 64 - n) % 2**64
    while len(found) < count:
        first += 1
        inner = turn((five + first * two) % 2**64, 31) * one % 2**64
        second = (turn(0x123456789abcdef, 33) - inner) * back % 2**64
        if second < 2**60:
            found.append((first, second))
    assert len({hash(pair) for pair in found}) == 1
    return found


def alike_complex(i):
    return (named("builtins", "complex") + b"G" + struct.pack(">d", i * 1000003.0) + b"G" + struct.pack(">d", -float(i))
            + b"\x86RN")


def state():
    return b"}(" + b"".join([text(f"a{i}") + b"N" for i in range(30_000)]) + b"uq\0"


def doubled():
    """A state of two states of two states of ..., as remembered things."""
    return (b"Nq\0" + b"".join([b"h%ch%c\x86q%c" % (i, i, i + 1) for i in range(100)]) + b"0" * 101
            + named("torch._tensor", "_rebuild_from_type_v2") + b"(" + named("torch._utils", "_rebuild_tensor_v2")
            + named("torch", "Tensor") + tuple_of(storage(), b"K\0K\2\x85K\1\x85\x89", ORDERED) + b"h\x64tR")


TWO_TEXTS = text("x" * 300_000) + b"q\0" + text("x" * 300_000) + b"q\1"
TIME = {
    "alike integers": lambda: b"}(" + b"N".join(alike()) + b"Nu",
    "alike members": lambda: b"\x8f(" + b"".join(alike()) + b"\x90",
    "alike members one by one": lambda: b"\x8f" + b"".join([b"(" + key + b"\x90" for key in alike()]),
    "alike in turn": lambda: b"}" + b"".join([key + b"Ns" for key in alike()]),
    "alike frozen": lambda: b"(" + b"".join(alike()) + b"\x91",
    "alike pairs": lambda: b"}(" + b"".join([number(a) + number(b) + b"\x86N" for a, b in alike_pairs(40_000)]) + b"u",
    "alike in OrderedDict": lambda: named("collections", "OrderedDict") + b"](" + b"".join(
        [key + b"N\x86" for key in alike()]) + b"e\x85R",
    "alike in set()": lambda: named("builtins", "set") + b"](" + b"".join(alike()) + b"e\x85R",
    "alike complex": lambda: b"}(" + b"".join(map(alike_complex, range(40_000))) + b"u",
    "large integers": lambda: large() + b"q\0}" + b"h\0Ns" * 300_000,
    "large integers in tuples": lambda: large() + b"\x85q\0}" + b"h\0Ns" * 300_000,
    "long texts compared": lambda: TWO_TEXTS + b"}h\0Ns" + b"h\1Ns" * 300_000,
    "long texts in tuples": lambda: TWO_TEXTS + b"}" + b"h\0\x85Nsh\1\x85Ns" * 100_000,
    "many arguments": lambda: TENSOR + b"h\1h\0Rq\2(h\2\x88" + b"N" * 500_000 + b"tq\0"
    + named("torch.nn.parameter", "Parameter") + b"q\1]" + AGAIN,
    "many options": lambda: state() + named("torch", "Size") + b"q\1]" + b"h\1)h\0\x92a" * SOME,
    "attributes again": lambda: state() + ORDERED + b"h\0b" * 200_000,
    "attributes doubled": doubled,
    "dicts copied": lambda: b"}" + b"(" + large() + b"\x85Nuq\0" + named("collections", "OrderedDict") + b"q\1]"
    + b"h\1h\0\x85Ra" * 200_000,
    "long places": lambda: tuple_of(text("storage"), named("torch", "FloatStorage"), text("0"), long(500_000), b"K\2")
    + b"q\0" + b"h\0Q" * 100_000,
    "long module names": lambda: text("x" * 500_000) + b"q\0" + b"h\0h\0\x93" * SOME,
}

PROGRAM = """
import io, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
sys.path.insert(0, {folder!r})
import test_io_greedy as t
file = t.archive(data_pkl=t.TIME[{name!r}]() + b".", data_0=t.EIGHT)
for action in (t.load, lambda data: t.get_unsafe_globals_in_checkpoint(io.BytesIO(data))):
    try:
        action(file)
    except t.CheckpointFileError as error:
        print(str(error).splitlines()[0])
# ru_maxrss would begin with the size of the process that this one was forked from
print("done", re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read()).group(1))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("name", TIME)
def test_a_file_is_read_in_a_time_that_its_size_allows(name):
    """Each would take minutes if every instruction were done as it stands."""
    program = PROGRAM.format(folder=os.path.dirname(os.path.abspath(__file__)), name=name)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0 and "done" in found.stdout, found.stdout + found.stderr
    assert int(found.stdout.split()[-1]) < 500_000      # kB


def test_a_long_list_of_names_in_an_old_file_is_not_copied():
    """The names of storages, read as bytes, are made text only if they can be names."""
    data = file_of({"a": weft.ones(2)}, new=False)
    keys = data.rindex(b"\x80\2]")
    assert legacy.text(b"x" * 2000) is None
    bomb = data[:keys] + b"\x80\2" + long(100_000) + b"q\0](" + b"h\0" * 100_000 + b"e."

    def attempt():
        with pytest.raises(CheckpointFileError, match="list of storages"):
            load(bomb)
    attempt()
    assert peak(attempt) < 90 * len(bomb)


def test_honest_files_are_far_from_the_bounds():
    """What people save, in every protocol: containers of all kinds, many and small."""
    values = [[[] for _ in range(30_000)], [{} for _ in range(30_000)], [{i} for i in range(30_000)],
              {i: (i, str(i)) for i in range(30_000)}, {(i, i + 1): i for i in range(30_000)},
              {(str(i), "b"): i for i in range(30_000)}, {i / 7: None for i in range(30_000)},
              {-i * 2**70: i for i in range(30_000)}, [OrderedDict(a=i) for i in range(30_000)],
              [Counter("abc") for _ in range(10_000)], [np.float32(i) for i in range(10_000)],
              {f"{'layer.' * 60}{i}": i for i in range(10_000)}]
    for value in values:
        for protocol in range(2, 6):
            assert run(pickle.dumps(value, protocol)) == value
    arrays = [np.arange(i % 7) for i in range(10_000)]
    for protocol in range(2, 5):
        assert all(map(np.array_equal, run(pickle.dumps(arrays, protocol)), arrays))
