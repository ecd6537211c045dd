"""Files that are damaged, or made to do harm: one clear error, nothing executed, no more memory than the file's size
allows.
"""
import doctest
import importlib
import importlib.util
import io
import json
import os
import pickle
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.io import safetensors as st
from weft.io.archive_write import ArchiveWriter
from weft.io.errors import CheckpointFileError, TruncatedFileError

FORMATS = pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])


def file_of(value, new=True):
    file = io.BytesIO()
    weft.save(value, file, _use_new_zipfile_serialization=new)
    return file.getvalue()


def archive(**members):
    """The bytes of an archive with these members; `data_0` is data/0."""
    file = io.BytesIO()
    writer = ArchiveWriter(file.write)
    for name, data in {"data_pkl": b"N.", "version": b"3\n", **members}.items():
        writer.add(name.replace("data_pkl", "data.pkl").replace("data_0", "data/0").replace("data_1", "data/1"), data)
    writer.finish()
    return file.getvalue()


def load(data, **options):
    return weft.load(io.BytesIO(data), **options)


def refuse(data, text, kind=CheckpointFileError, **options):
    with pytest.raises(kind, match=f"(?s){text}") as caught:
        load(data, **options)
    assert isinstance(caught.value, (pickle.UnpicklingError, RuntimeError)) and "fix: " in str(caught.value)
    return str(caught.value)


def run(stream, **members):
    return load(archive(data_pkl=stream, **members))


def refuse_pickle(stream, text, **members):
    return refuse(archive(data_pkl=stream, **members), text)


def text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(value):
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def named(module, name):
    return f"c{module}\n{name}\n".encode()


def tuple_of(*parts):
    return b"(" + b"".join(parts) + b"t"


# the marker that a hostile pickle would leave

@pytest.fixture
def trap(tmp_path, monkeypatch):
    """A file that appears if anything was executed, and the command which makes it."""
    mark = tmp_path / "executed"
    yield mark, f"touch {mark}"
    assert not mark.exists()


class Evil:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return (os.system, (self.command,))


@pytest.mark.parametrize("protocol", range(2, 6))
@pytest.mark.parametrize("weights_only", [None, True, False])
def test_a_pickle_that_calls_os_system(trap, protocol, weights_only):
    stream = pickle.dumps(Evil(trap[1]), protocol=protocol)
    refuse(archive(data_pkl=stream), "system.*blocked.*don't trust", weights_only=weights_only)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_a_plain_pickle_is_not_even_looked_at(trap, protocol):
    refuse(pickle.dumps(Evil(trap[1]), protocol=protocol), "is a pickle, but not a checkpoint")


def test_an_old_file_that_calls_os_system(trap):
    data = file_of({"a": 1}, new=False)
    body = data.index(b"X\x01\x00\x00\x00a")
    evil = pickle.dumps(Evil(trap[1]), protocol=2)
    refuse(data[:body - 5] + evil + data[body:], "system")
    refuse(evil + data, "is a pickle, but not a checkpoint")


@pytest.mark.parametrize("module, name", [
    ("os", "system"), ("posix", "system"), ("nt", "system"), ("subprocess", "Popen"), ("sys", "exit"),
    ("builtins", "eval"), ("builtins", "exec"), ("builtins", "__import__"), ("builtins", "getattr"),
    ("builtins", "open"), ("builtins", "type"), ("builtins", "object"), ("importlib", "import_module"),
    ("webbrowser", "open"), ("torch.hub", "load"), ("torch", "load"), ("torch", "save"),
    ("torch.serialization", "load"), ("weft", "load"), ("numpy", "load"),
    ("numpy.testing._private.utils", "runstring"), ("timeit", "timeit"), ("functools", "partial"),
    ("operator", "attrgetter"), ("copyreg", "_reconstructor"), ("collections", "namedtuple"),
    ("collections.OrderedDict", "__init__"), ("torch.nn.modules.module", "_addindent"),
    ("torch._utils", "_import_dotted_name"), ("torch.Tensor", "__init__"), ("numpy.core.multiarray", "fromfile"),
    ("_pickle", "loads"), ("code", "interact"), ("torch.jit", "script")])
@pytest.mark.parametrize("layers", [True, False])
def test_names_that_are_not_data(trap, module, name, layers):
    for stream in (named(module, name) + b"(" + text("true") + b"tR.", b"\x80\4" + text(module) + text(name)
                   + b"\x93)R.", named(module, name) + b")\x81.", named(module, name) + b"."):
        refuse(archive(data_pkl=stream), f"{name}", weights_only=not layers)


def test_the_blocked_stay_blocked_though_the_user_says_otherwise(trap):
    with weft.serialization.safe_globals([os.system, (os.system, "posix.system")]):
        refuse(archive(data_pkl=named("os", "system") + b"(" + text(trap[1]) + b"tR."), "blocked")
        refuse(archive(data_pkl=named("posix", "system") + b"(" + text(trap[1]) + b"tR."), "blocked")


def test_functions_that_a_whole_model_may_name_are_not_called():
    """With weights_only=False nn.functional's functions are values of layers; a file can't call them."""
    refuse(archive(data_pkl=named("torch.nn.functional", "relu") + b"(K\1tR."),
           "relu, which is not a function that rebuilds", weights_only=False)
    refuse(archive(data_pkl=named("torch.nn.modules.linear", "Linear") + b"(K\1K\1tR."), "Linear", weights_only=False)
    refuse(archive(data_pkl=named("torch.nn.modules.linear", "Linear") + b")\x81}" + text("forward") + b"K\1sb."),
           "no dict of attributes", weights_only=False)


# pickles that are built to exhaust

def peak(action):
    """The most memory that an action had allocated, in bytes."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BOMBS = {
    "bytearray of a terabyte": named("builtins", "bytearray") + number(10**12) + b"\x85R.",
    "bytes of a terabyte": named("builtins", "bytes") + number(10**12) + b"\x85R.",
    "text": b"X\xff\xff\xff\xffabc.", "long text": b"\x8d" + b"\xff" * 7 + b"\x7fabc.",
    "bytes": b"\x8e" + b"\xff" * 7 + b"\x7fabc.", "bytearray8": b"\x96" + b"\xff" * 7 + b"\x7fabc.",
    "integer": b"\x8b\xff\xff\xff\x7f1.", "negative integer": b"\x8b\xff\xff\xff\xff1.",
    "negative text": b"T\xff\xff\xff\xff1.", "frame": b"\x95" + b"\xff" * 8 + b".", "no name": b"c" + b"a" * 100_000,
    "memo": b"Nr\xff\xff\xff\xffj\xff\xff\xff\xfe.",
    # one list copied again and again
    "sets": b"](" + b"".join(b"J" + struct.pack("<i", i) for i in range(10_000)) + b"eq\0" + named("builtins", "set")
    + b"q\1]" + b"h\1h\0\x85Ra" * 10_000 + b".", "dicts": b"](" + (b"K\1K\2\x86" * 5000) + b"eq\0"
    + named("collections", "OrderedDict") + b"q\1]" + b"h\1h\0\x85Ra" * 10_000 + b".", "encoded": text("x" * 50_000)
    + b"q\0" + named("_codecs", "encode") + b"q\1]" + b"h\1h\0" + text("latin1") + b"q\2\x86Ra" + b"h\1h\0h\2\x86Ra"
    * 10_000 + b".", "sizes": b"(" + b"K\1" * 20_000 + b"tq\0" + named("torch", "Size") + b"q\1]" + b"h\1h\0\x85Ra"
    * 20_000 + b".", "numpy": b"(" + b"K\1tq\0" + named("numpy", "dtype") + text("U999999999") + b"\x85R.",
    "numpy array": named("numpy.core.multiarray", "_reconstruct") + named("numpy", "ndarray") + b"K\0\x85C\1b\x87R(K\1"
    + number(10**12) + b"\x85"
                   + named("numpy", "dtype") + text("f8") + b"\x85R\x89C\0tb.",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name):
    data = archive(data_pkl=BOMBS[name])
    assert peak(lambda: refuse(data, "fix")) < 200 * len(data) + 3_000_000


def test_keys_that_take_forever_to_hash():
    doubling = b")q\0" + b"".join(b"h%ch%c\x86q%c" % (i, i, i + 1) for i in range(200))
    refuse_pickle(doubling + b"0}h\xc8Ns.", "tuple of more than|takes more")
    refuse_pickle(b"}" + b")" + b"\x85" * 100_000 + b"Ns.", "tuple of more than")
    refuse_pickle(named("builtins", "set") + b"](" + b")" + b"\x85" * 100_000 + b"e\x85R.", "tuple of more than")
    wide = b"(" + b"K\1" * 900 + b"tq\0"
    refuse_pickle(wide + b"0}" + b"h\0Ns" * 100_000 + b".", "copied again and again")
    refuse_pickle(b"(" + b"".join(b"M" + struct.pack("<H", i) for i in range(5000)) + b"\x91q\0" + b"0}" + b"h\0Ns"
                  * 100_000 + b".", "copied again and again")
    refuse_pickle(b"(" + b"(" * 50 + b"\x91" * 51 + b".", "set of sets")


def test_deep_nesting_is_read_without_recursion():
    found, depth = run(b"]" * 200_000 + b"a" * 199_999 + b"."), 0
    while found:
        found, depth = found[0], depth + 1
    assert depth == 199_999
    refuse_pickle(b"(" * 200_000 + b".", "opens more than")
    refuse_pickle(b"(" * 10_000 + b".", "damaged")
    assert run(b"}" + (text("a") + b"}") * 50_000 + b"s" * 50_000 + b".")["a"]


def test_depth_of_every_kind():
    """Freeing what was loaded must not overflow the stack either."""
    deep = 100_000
    assert run(b")" + b"\x85" * deep + b".")
    for name in ("OrderedDict", "Counter"):
        assert run(named("collections", name) + b"q\0)R" + (text("a") + b"h\0)R") * deep + b"s" * deep + b".")
    assert run(named("collections", "OrderedDict") + b"q\0)R" + (b"}" + text("x") + b"h\0)R") * deep + b"sb" * deep
               + b".") == {}
    refuse_pickle(named("collections", "defaultdict") + b"q\0)R" + (text("a") + b"h\0)R") * deep + b"s" * deep + b".",
                  "too deep for Python")
    inner = tuple_of(storage(), b"K\0", b"K\2\x85", b"K\1\x85", b"\x89", ORDERED) + b"q\0"
    names = named("torch._tensor", "_rebuild_from_type_v2") + b"q\1" + named("torch._utils",
                                                                             "_rebuild_tensor_v2") + b"q\2" + named("torch", "Tensor") + b"q\3N"
    chain = (b"q\4h\1(h\2h\3h\0}" + text("x") + b"h\4stR") * deep
    assert run(inner + names + chain + b".", data_0=EIGHT).x.tolist() == [1, 2]


@pytest.mark.parametrize("stream", [
    b"", b".", b"(", b"0.", b"1.", b"2.", b"R.", b"NR.", b"b.", b"NNb.", b"Q.", b"NQ.", b"s.", b"NNNs.", b"a.",
    b"NNa.", b"e.", b"(e.", b"N(e.", b"u.", b"}(Nu.", b"t.", b"\x85.", b"\x86.", b"N\x86.", b"\x87.", b"h\0.",
    b"j\0\0\0\0.", b"\x93.", b"NN\x93.", b"\x81.", b"N)\x81.", b"\x92.", b"NNN\x92.", b"q\0.", b"\x94.", b"\x91.",
    b"N(N\x90.", b"}]Ns.", b"}}Ns.", b"(]\x91.", b"d.", b"(Nd.", b"K", b"M\1", b"J", b"G\0", b"X", b"Xa", b"U",
    b"\x8c", b"\x80", b"\x80\6N.", b"\x80\xff.", b"c", b"c\n", b"ca\n", b"c\n\n.", b"I1\n.", b"L1L\n.", b"S'a'\n.",
    b"F1\n.", b"P1\n.", b"i", b"o", b"(i__main__\nx\n.", b"\x82\1.", b"\x83\1\0.", b"\x84\1\0\0\0.", b"\x97.",
    b"\x98.", b"\0.", b"\xff.", b"X\1\0\0\0\xff.", b"U\1\xff."])
def test_streams_that_make_no_sense(stream):
    refuse_pickle(stream, "pickle|it ")


# tensors that aren't

def storage(kind="FloatStorage", key="0", count=b"K\2", location="cpu"):
    return tuple_of(text("storage"), named("torch", kind), text(key), text(location), count) + b"Q"


def rebuild(*args, function="_rebuild_tensor_v2"):
    return named("torch._utils", function) + tuple_of(*args) + b"R."


ORDERED = named("collections", "OrderedDict") + b")R"


def v2(offset=b"K\0", size=b"K\2\x85", stride=b"K\1\x85", grad=b"\x89", place=None, more=()):
    return rebuild(storage() if place is None else place, offset, size, stride, grad, ORDERED, *more)


EIGHT = struct.pack("<2f", 1, 2)


def test_the_honest_tensor_loads():
    assert run(v2(), data_0=EIGHT).tolist() == [1, 2]
    found = run(v2(place=storage(location="cuda:0")), data_0=EIGHT)        # saved from a GPU: there is only the CPU
    assert found.tolist() == [1, 2] and found.device.type == "cpu"


@pytest.mark.parametrize("stream, what", [
    (v2(size=b"K\3\x85"), "reaches element 2 of a storage of 2"), (v2(offset=b"K\1"), "reaches element 2"),
    (v2(stride=b"K\5\x85"), "reaches element 5"), (v2(size=number(10**15) + b"\x85", stride=number(10**15) + b"\x85"),
                                                   "reaches element"), (v2(offset=number(2**63)), "reaches element"),
    (v2(size=number(2**62) + b"\x85", stride=b"K\0\x85"), "more than any memory"),
    (v2(size=b"(" + b"K\1" * 65 + b"t", stride=b"(" + b"K\1" * 65 + b"t"), "at most 64"),
    (v2(size=b"(" + number(2**40) * 3 + b"t", stride=b"(K\0K\0K\0t"), "more than any memory"),
    (v2(size=b"J\xff\xff\xff\xff\x85"), "dimension is -1"), (v2(stride=b"J\xff\xff\xff\xff\x85"), "stride is -1"),
    (v2(offset=b"J\xff\xff\xff\xff"), "offset is -1"), (v2(size=b"\x88\x85"), "dimension is True"),
    (v2(size=b"G" + struct.pack(">d", 2) + b"\x85"), "dimension is 2.0"), (v2(size=b"N"), "size is no tuple"),
    (v2(stride=b")"), "not as many"), (v2(grad=b"K\1"), "requires_grad"), (v2(place=b"N"), "storage is a NoneType"),
    (v2(more=(b"K\1",)), "metadata"),
    (v2(place=storage(count=b"K\3")), "should have 12 bytes, but the archive holds 8"),
    (v2(place=storage(count=number(2**62))), "should have"),
    (v2(place=storage(count=b"J\xff\xff\xff\xff")), "length is -1"),
    (v2(place=storage(key="7")), "no member 'data/7'"), (v2(place=storage(key="../../etc/passwd")), "no member"),
    (v2(place=storage("LongTensor")), "without type"), (v2(place=b"K\1Q"), "no storage"),
    (v2(place=tuple_of(text("file"), text("/etc/passwd")) + b"Q"), "no storage"),
    (v2(place=storage("IntStorage"), grad=b"\x88"), "needs a gradient"), (rebuild(), "damaged"),
    (rebuild(b"N" * 20), "damaged"), (rebuild(b"N", b"\x89", b"N", function="_rebuild_parameter"), "parameter's data"),
    (rebuild(storage(), b"K\0", b"K\2\x85", b"K\1\x85", b"\x89", ORDERED, b"N", function="_rebuild_tensor_v3"),
     "dtype is no dtype"), (rebuild(named("torch", "float32"), number(2**62) + b"\x85", b"K\1\x85", b"\x89",
                                    function="_rebuild_meta_tensor_no_storage"), "more than any memory"),
    (named("torch", "Size") + b"]J\xff\xff\xff\xffa\x85R.", "dimension of a Size"),
    (named("torch", "device") + text("nowhere") + b"\x85R.", "device"),
    (named("torch", "Tensor") + number(10**12) + b"\x85R.", "damaged"),
    (named("torch", "Tensor") + b")R(NNNtb.", "state"),
    (named("collections", "defaultdict") + named("torch", "Tensor") + b"\x85R.", "factory"),
    (named("_codecs", "encode") + text("x") + text("zip") + b"\x86R.", "bytes"),
])
def test_tensors_that_can_t_be(stream, what):
    assert peak(lambda: refuse_pickle(stream, what, data_0=EIGHT)) < 3_000_000


def test_an_expanded_tensor_costs_nothing():
    stream = v2(size=number(2**30) + b"\x85", stride=b"K\0\x85")
    assert peak(lambda: run(stream, data_0=EIGHT)) < 1_000_000
    conj = v2(size=number(2**30) + b"\x85", stride=b"K\0\x85", place=storage("ComplexFloatStorage", count=b"K\1"),
              more=(b"}" + text("conj") + b"\x88s",))
    assert peak(lambda: refuse_pickle(conj, "expanded", data_0=EIGHT)) < 1_000_000


def state(name, value=b"K\1"):
    return b"}" + text(name) + value + b"s"


@pytest.mark.parametrize("name", ["_array", "_form", "_owed", "_memory_record", "data", "grad", "__class__", "__dict__", "__array_interface__",
                                  "__array__", "__torch_function__", "_on_meta", "sum", "__reduce_ex__", "_view_of"])
def test_attributes_that_would_change_a_tensor(name):
    inner = tuple_of(storage(), b"K\0", b"K\2\x85", b"K\1\x85", b"\x89", ORDERED)
    stream = named("torch._tensor", "_rebuild_from_type_v2") + tuple_of(named("torch._utils", "_rebuild_tensor_v2"),
                                                                        named("torch", "Tensor"), inner,
                                                                        state(name)) + b"R."
    refuse_pickle(stream, f"attribute '{name}'", data_0=EIGHT)
    data = named("torch._utils", "_rebuild_tensor_v2") + inner + b"R"
    refuse_pickle(rebuild(data, b"\x88", ORDERED, state(name), function="_rebuild_parameter_with_state"),
                  f"attribute '{name}'", data_0=EIGHT)


@pytest.mark.parametrize("name", ["__class__", "items", "__array_interface__", "__dict__", "keys"])
def test_attributes_that_would_change_a_dict(name):
    refuse_pickle(ORDERED + state(name) + b"b.", f"attribute '{name}'")
    assert run(ORDERED + state("_metadata") + b"b.")._metadata == 1


def test_numpy_objects_are_refused():
    for value in (np.array([print, "x"], dtype=object), np.zeros(2, dtype=[("a", "i4")]), np.datetime64("2020-01-01"),
                  np.ma.masked_array([1, 2])):
        refuse_pickle(pickle.dumps(value, 2), "NumPy|names")


def test_texts_of_python_2():
    stream = archive(data_pkl=b"\x80\2}U\1a" + b"U\2\xc3\xa4s.")
    assert load(stream) == {"a": "ä"} and load(stream,
                                               encoding="latin1") == {"a": "Ã¤"} and load(stream,
                                                                                          encoding="bytes") == {b"a": b"\xc3\xa4"}
    refuse(stream, "UnicodeDecodeError", encoding="ascii")


# archives

def packed(value, method=zipfile.ZIP_DEFLATED):
    source, file = zipfile.ZipFile(io.BytesIO(file_of(value))), io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return file.getvalue()


def test_compressed_members_are_refused():
    bomb = packed({"x": weft.zeros(5_000_000)})
    assert len(bomb) < 100_000
    assert peak(lambda: refuse(bomb, "compressed.*zip -0")) < 3_000_000
    assert load(packed({"x": weft.ones(2)}, zipfile.ZIP_STORED))["x"].tolist() == [1, 1]


@FORMATS
def test_every_truncation(new):
    data = file_of({"a": weft.arange(10.), "b": [1, "x"]}, new)
    for end in [*range(0, len(data), 23), len(data) - 1]:
        with pytest.raises(CheckpointFileError):
            load(data[:end])
    refuse(data[:len(data) // 2], "cut off|ends", TruncatedFileError)
    refuse(data[:0], "empty", EOFError)


def test_every_flipped_bit_of_the_data_is_noticed():
    data = bytearray(file_of({"a": weft.arange(100.)}))
    start = data.index(weft.arange(100.)._array.tobytes())
    for at in (start, start + 57, start + 399):
        data[at] ^= 4
        refuse(bytes(data), "data/0.*CRC-32")
        data[at] ^= 4
    at = data.index(b"_rebuild")
    data[at] ^= 1
    refuse(bytes(data), "data.pkl.*CRC-32")


def central(data, at=0):
    """Where the central directory's entry number `at` starts."""
    place = -1
    for _ in range(at + 1):
        place = data.index(b"PK\1\2", place + 1)
    return place


def changed(data, place, layout, value):
    data = bytearray(data)
    struct.pack_into(layout, data, place, value)
    return bytes(data)


@pytest.mark.parametrize("offset, layout, value, what", [
    (20, "<L", 2**31, "doesn't lie in the file"), (42, "<L", 2**31, "doesn't lie in the file"),
    (8, "<H", 0x801, "encrypted"), (28, "<H", 60000, "damaged"), (24, "<L", 5, "compressed"),
    (10, "<H", 8, "doesn't lie in the file"), (0, "<L", 0, "damaged"), (46, "<B", ord("b"), "another name")])
def test_lists_of_members_that_lie(offset, layout, value, what):
    data = file_of({"a": weft.ones(4)})
    refuse(changed(data, central(data) + offset, layout, value), what)


def test_members_over_each_other():
    data = file_of([weft.ones(4), weft.zeros(4)])
    first, second = central(data, 4), central(data, 5)
    place = struct.unpack_from("<L", data, first + 42)[0]
    moved = bytearray(changed(data, second + 42, "<L", place))
    moved[second + 46:second + 60] = data[first + 46:first + 60]
    refuse(bytes(moved), "two members")
    wide = changed(changed(data, first + 20, "<L", 200), first + 24, "<L", 200)
    refuse(wide, "over each other")


def test_ends_that_lie():
    data = file_of({"a": 1})
    end = data.rindex(b"PK\5\6")
    for offset, layout, value in [(10, "<H", 60000), (12, "<L", 2**31), (16, "<L", 2**31), (20, "<H", 5), (4, "<H", 3)]:
        refuse(changed(data, end + offset, layout, value), "archive")
    refuse(data[:end], "no end")
    refuse(changed(data, end + 10, "<H", 0), "empty")


def test_archives_of_something_else():
    file = io.BytesIO()
    np.savez(file, a=np.ones(2))
    refuse(file.getvalue(), "NumPy arrays.*numpy.load")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("a/readme.txt", "x")
    refuse(file.getvalue(), "zip archive, but not a checkpoint")
    refuse(archive(**{"constants.pkl": b"N."}), "TorchScript")
    refuse(archive(byteorder=b"middle"), "byte order")
    refuse(archive(version=b"99\n"), "version '99'")
    refuse(archive(version=b"x"), "version")


def test_big_endian_files():
    file, big = file_of({"a": weft.arange(3.), "c": weft.tensor([1 + 2j]),
                         "b": weft.ones(2, dtype=weft.uint8)}), io.BytesIO()
    source, writer = zipfile.ZipFile(io.BytesIO(file)), ArchiveWriter(big.write)
    swapped = {"data/0": np.arange(3, dtype=">f4").tobytes(), "data/1": np.array([1, 2], ">f4").tobytes(),
               "byteorder": b"big"}
    for name in source.namelist():
        short = name.removeprefix("archive/")
        writer.add(short, swapped.get(short, source.read(name)))
    writer.finish()
    found = load(big.getvalue())
    assert found["a"].tolist() == [0, 1, 2] and found["c"].tolist() == [1 + 2j] and found["b"].tolist() == [1, 1]


# the old format

def test_old_files_that_lie():
    data = file_of({"a": weft.ones(4)}, new=False)
    refuse(changed(data, len(data) - 24, "<q", 5), "should have 16 bytes and has 20")
    refuse(data[:-1], "in the middle of storage", TruncatedFileError)
    refuse(data.replace(b"K\x04N", b"K\xffN"), "more than the file has|in the middle|should have")
    huge = data.replace(b"K\x04N", number(2**60) + b"N", 1)
    assert huge != data
    assert peak(lambda: refuse(huge, "more than the file")) < 3_000_000
    refuse(data.replace(b"\xe9\x03", b"\xea\x03", 1), "protocol")


# what is no checkpoint at all

@pytest.mark.parametrize("data, what", [
    (b"", "empty.*older checkpoint"), (b"<!DOCTYPE html><html>404</html>", "web page"), (b"  <html>", "web page"),
    (b"Not Found\n", "text file.*'Not Found'"), (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
                                                 "Git LFS.*git lfs pull"), (b"\x1f\x8b\x08\0\0", "gzip"),
    (b"{\"a\": 1}", "JSON"), (b"\0" * 5000, "nothing but zeros"), (b"\x89HDF\r\n", "HDF5"),
    (b"\x93NUMPY\1\0", "NumPy array"), (b"\x7fELF\2", "a program"), (b"%PDF-1.7", "PDF"),
    (bytes(range(128, 256)), "pickle"), (b"\x01\x02\x03\xff" * 20, "not a checkpoint"),
    (b"x" * 257 + b"ustar" + b"\0" * 300, "tar archive"), (b"GGUF\3\0\0\0", "GGUF"), ("größe\n".encode(), "text file"),
    (b"PK\3\4", "no end")])
def test_other_files_are_named(tmp_path, data, what):
    path = tmp_path / "model.pt"
    path.write_bytes(data)
    with pytest.raises(CheckpointFileError, match=f"(?s)model.pt: .*{what}"):
        weft.load(path)
    refuse(data, what)


def test_folders_and_missing_files(tmp_path):
    weft.save({}, tmp_path / "best.pt")
    with pytest.raises(IsADirectoryError, match="(?s)is a directory.*best.pt"):
        weft.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        weft.load(tmp_path / "no.pt")
    (tmp_path / "t.pt").write_text("a")
    with open(tmp_path / "t.pt") as file, pytest.raises(TypeError, match="'rb'"):
        weft.load(file)


# safetensors

def tensors_file(header, body=b"\0" * 8, length=None):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + body


def entry(dtype="F32", shape=(2,), places=(0, 8), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(places), **more}


@pytest.mark.parametrize("data, what", [
    (b"\1\2", "too few"), (tensors_file({}, b"", 2**62), "at most 100000000"),
    (tensors_file({}, b"", 1000), "ends after"), (tensors_file(b"[]"), "begin with {"),
    (tensors_file(b"{]"), "no JSON"), (tensors_file(b"{" * 50_000), "no JSON"),
    (tensors_file(b'{"a":' * 50_000), "no JSON"), (tensors_file(b'{"a":1,"a":2}'), "same name twice"),
    (tensors_file(b'{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}'), "same name twice"),
    (tensors_file(b'{"a":NaN}'), "number NaN"), (tensors_file(b'{"\xff":1}'), "no JSON"),
    (tensors_file({"a": 1}), "not described"), (tensors_file({"a": entry(x=1)}), "not described"),
    (tensors_file({"a": entry("F8_E4M3")}), "F8_E4M3"), (tensors_file({"a": entry(1)}), "type"),
    (tensors_file({"a": entry(shape=[-1])}), "shape"), (tensors_file({"a": entry(shape=["2"])}), "shape"),
    (tensors_file({"a": entry(shape=[True, 2])}), "shape"), (tensors_file({"a": entry(shape=[2.0])}), "shape"),
    (tensors_file({"a": entry(shape=[1] * 65)}), "shape"), (tensors_file({"a": entry(places=[0])}), "two places"),
    (tensors_file({"a": entry(places=[-8, 0])}), "two places"),
    (tensors_file({"a": entry(places=[0, 16])}), "the file has"),
    (tensors_file({"a": entry(places=[8, 0])}), "the file has"),
    (tensors_file({"a": entry(places=[0, 2**70])}), "the file has"),
    (tensors_file({"a": entry(shape=[3])}), "doesn't have the 8 bytes"),
    (tensors_file({"a": entry(shape=[2**40, 2**40, 2])}), "doesn't have"),
    (tensors_file({"a": entry("F64")}), "doesn't have"),
    (tensors_file({"a": entry(shape=[0, 2**63, 2**63], places=[0, 0])}), "doesn't have"),
    (tensors_file({"a": entry("U64", shape=[0, 2**62], places=[0, 0])}), "doesn't have"),       # found by the fuzzer
    (tensors_file({"a": entry(), "b": entry()}), "overlap"), (tensors_file({"a": entry(shape=[1], places=[4, 8])}),
                                                              "hole"), (tensors_file({"a": entry()}, b"\0" * 12),
                                                                        "appended"),
    (tensors_file({}, b"\0"), "appended"), (tensors_file({"__metadata__": {"a": 1}, "a": entry()}), "__metadata__"),
    (tensors_file({"__metadata__": []}, b""), "__metadata__")])
def test_safetensors_that_lie(tmp_path, data, what):
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    for action in (lambda: weft.load(path), lambda: st.load_file(path), lambda: st.load(data)):
        with pytest.raises(st.SafetensorError, match=f"(?s){what}"):
            assert peak(action) < 20 * len(data) + 3_000_000
    with pytest.raises(CheckpointFileError, match="x.safetensors: "):
        weft.load(path)


# at random

def test_a_few_thousand_random_files(capfd):
    path = Path(__file__).resolve().parent.parent / "tools" / "fuzz_io.py"
    spec = importlib.util.spec_from_file_location("fuzz_io", path)
    fuzz = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzz)
    tally, failures = fuzz.run(4000, seed=20, quiet=True)
    assert not failures, failures[:3]
    assert tally["loaded"] > 100 and tally["refused"] > 1000


@pytest.mark.parametrize("name", ["api", "safe", "safetensors"])
def test_examples(name):
    assert doctest.testmod(importlib.import_module("weft.io." + name)).failed == 0


def test_nothing_is_imported_by_loading():
    code = ("import io, sys, weft; b = io.BytesIO(); weft.save({'w': weft.ones(2)}, b); b.seek(0); weft.load(b); "
            "print([m for m in ('torch', 'safetensors', 'zipfile', 'ml_dtypes', 'tarfile', 'pickletools') if m in "
            "sys.modules])")
    import subprocess
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert made.stdout.strip() == "[]", made.stderr
