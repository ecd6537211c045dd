"""Checkpoints: what is saved comes back as it was, in each format, from files, buffers and memory maps."""
import contextlib
import io
import math
import os
import pickle
import stat
import struct
import zipfile
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path

import numpy as np
import pytest

import weft
from weft import nn, optim
from weft.io import safetensors as st
from weft.io.errors import CheckpointFileError

FORMATS = pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])
DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
          "uint64", "bool", "complex64", "complex128"]


def again(value, new=True, **options):
    file = io.BytesIO()
    weft.save(value, file, _use_new_zipfile_serialization=new)
    file.seek(0)
    return weft.load(file, **options)


def same(a, b):
    assert type(a) is type(b)
    assert (a.dtype, a.shape, a.stride(), a.requires_grad) == (b.dtype, b.shape, b.stride(), b.requires_grad)
    assert a._array.tobytes() == b._array.tobytes()


# values

@FORMATS
@pytest.mark.parametrize("name", DTYPES)
def test_every_type_keeps_its_bits(name, new):
    x = weft.arange(-3, 5).to(getattr(weft, name))
    same(again(x, new), x)
    same(again(x.view(2, 4).t(), new), x.view(2, 4).t())
    same(again(x[3], new), x[3])


@FORMATS
@pytest.mark.parametrize("make", [
    lambda x: x, lambda x: x.t(), lambda x: x[1:, ::2], lambda x: x[:, 1], lambda x: x[2, 3], lambda x: x[:0],
    lambda x: x.permute(1, 0), lambda x: x.as_strided((2, 2), (1, 1), 3), lambda x: x[None].expand(3, -1, -1),
    lambda x: x.flip(0), lambda x: x.clone().requires_grad_()])
def test_strides_and_views(make, new):
    x = make(weft.arange(20.).view(4, 5))
    same(again(x, new), x)


@FORMATS
def test_special_floats(new):
    x = weft.tensor([math.nan, math.inf, -math.inf, -0.0, 1e-45])
    same(again(x, new), x)


@FORMATS
@pytest.mark.parametrize("value", [
    None, True, False, 0, 1, 255, 256, 65535, 65536, -1, -2**31, 2**31, -2**63, 2**200, -2**2000, 2**3000, 0.0, 1.5,
    math.inf, "", "text", "größe", "\ud800", b"", b"\0\xff", (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1],
    [1, [2, [3]]], {}, {"a": {"b": ()}}, {1: 2, (1, "x"): 3, None: 4}, set(), {1, "a", (2, 3)}, frozenset([1, 2]),
    1 + 2j, bytearray(b"ab"), OrderedDict(b=1, a=2), Counter("aab"), defaultdict(list, {1: [2]}),
    defaultdict(None, {1: 2}), list(range(3000)), {i: str(i) for i in range(2500)}])
def test_containers(value, new):
    found = again(value, new)
    assert found == value and type(found) is type(value)
    if isinstance(value, defaultdict):
        assert found.default_factory is value.default_factory


def test_nan_as_a_number():
    assert math.isnan(again(math.nan))


@FORMATS
def test_weft_s_own_small_things(new):
    things = [weft.float32, weft.bfloat16, weft.Size([2, 3]), weft.device("cpu"), weft.device("cuda", 1), weft.strided,
              weft.channels_last, weft.Tensor, weft.Size([])]
    found = again(things, new)
    assert found == things and found[0] is weft.float32 and type(found[2]) is weft.Size and found[5] is weft.strided


@FORMATS
@pytest.mark.parametrize("value", [np.float64(1.5), np.float32(2), np.int64(-3), np.bool_(True), np.complex64(1j),
                                   np.str_("abc")])
def test_numpy_scalars(value, new):
    found = again(value, new)
    assert found == value and found.dtype == value.dtype


@FORMATS
@pytest.mark.parametrize("value", [np.arange(6).reshape(2, 3), np.ones((2, 3), order="F"), np.array(3.),
                                   np.zeros((0, 2)), np.array(["a", "bc"]), np.arange(3, dtype=">i4"),
                                   np.array([True])])
def test_numpy_arrays(value, new):
    found = again({"x": value, "again": value}, new)
    assert found["x"] is found["again"]
    np.testing.assert_array_equal(found["x"], value)
    assert found["x"].dtype == pickle.loads(pickle.dumps(value,
                                                         2)).dtype and found["x"].flags.f_contiguous == value.flags.f_contiguous


@FORMATS
def test_parameters_and_attributes(new):
    p = nn.Parameter(weft.ones(2))
    frozen = nn.Parameter(weft.ones(2), requires_grad=False)
    noted, t = nn.Parameter(weft.ones(1)), weft.ones(2)
    noted.note, t.tag = "n", [1]
    a, b, c, d, e = again([p, frozen, noted, t, nn.parameter.UninitializedParameter()], new)
    assert type(a) is nn.Parameter and a.requires_grad and not b.requires_grad and type(b) is nn.Parameter
    assert c.note == "n" and type(c) is nn.Parameter and d.tag == [1] and type(d) is weft.Tensor
    assert type(e) is nn.parameter.UninitializedParameter


def test_a_computed_tensor_comes_back_as_a_leaf():
    x = weft.ones(2, requires_grad=True)
    found = again(x * 2)
    assert found.requires_grad and found.is_leaf


def test_meta_tensors():
    found = again(weft.ones(2, 3, device="meta"))
    assert found.device.type == "meta" and found.shape == (2, 3)


def test_hooks_are_not_saved():
    x = weft.ones(2, requires_grad=True)
    x.register_hook(lambda g: g)
    assert not again(x)._backward_hooks if hasattr(x, "_backward_hooks") else True


# what is shared stays shared

@FORMATS
def test_tied_storages(new):
    x = weft.arange(6.)
    a, b, c, d = again([x, x[2:], x.view(2, 3).t(), x], new)
    assert a is d
    a[3] = 100
    assert b[1] == 100 and c[0, 1] == 100
    assert a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() and b.storage_offset() == 2
    assert a.untyped_storage().nbytes() == 24


@FORMATS
def test_views_of_other_types_share_too(new):
    x = weft.arange(4.)
    a, b = again([x, x.view(weft.int32)], new)
    a[0] = 1
    assert b[0] == 0x3F800000


@FORMATS
def test_tied_weights_of_a_model(new):
    net = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False))
    net[1].weight = net[0].weight
    found = again(net.state_dict(), new)
    assert found["0.weight"].data_ptr() == found["1.weight"].data_ptr()


def test_a_shared_storage_is_written_once():
    x = weft.zeros(10_000)
    file = io.BytesIO()
    weft.save([x, x[:5000], x[5000:], x.view(100, 100)], file)
    assert len(file.getvalue()) < 45_000


def test_containers_that_contain_themselves():
    ring = [1]
    ring.append(ring)
    knot = ([],)
    knot[0].append(knot)
    wide = ([], 1, 2, 3)
    wide[0].append(wide)
    a, b, c = again([ring, knot, wide])
    assert a[1] is a and b[0][0] is b and c[0][0] is c


def test_depth_is_no_limit():
    deep = []
    for _ in range(50_000):
        deep = [deep]
    found, depth = again(deep), 0
    while found:
        found, depth = found[0], depth + 1
    assert depth == 50_000


def test_storages_alone():
    x = weft.arange(3.)
    typed, raw, t = again([x.storage(), x.untyped_storage(), x])
    assert (typed.tolist() == [0., 1., 2.] and typed.dtype is weft.float32 and raw.nbytes() == 12
            and raw.data_ptr() == t.data_ptr())


@FORMATS
def test_state_dict_keeps_its_metadata(new):
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    state = net.state_dict()
    found = again(state, new)
    assert type(found) is OrderedDict and list(found) == list(state) and found._metadata == state._metadata
    nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).load_state_dict(found)


def test_several_objects_in_one_old_file():
    file = io.BytesIO()
    for value in (1, weft.ones(2), {"a": 3}):
        weft.save(value, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert weft.load(file) == 1 and weft.load(file).tolist() == [1, 1] and weft.load(file) == {"a": 3}


def test_an_archive_behind_other_bytes():
    file = io.BytesIO()
    file.write(b"header")
    weft.save(weft.ones(2), file)
    file.seek(6)
    assert weft.load(file).tolist() == [1, 1]


# files

def test_the_archive_is_laid_out_as_pytorch_s():
    file = io.BytesIO()
    weft.save({"a": weft.ones(3), "b": weft.empty(0), "c": weft.arange(100)}, file)
    data, archive = file.getvalue(), zipfile.ZipFile(file)
    assert archive.testzip() is None
    names = [m.filename for m in archive.infolist()]
    assert names == ["archive/data.pkl", "archive/.format_version", "archive/.storage_alignment", "archive/byteorder",
                     "archive/data/0", "archive/data/1", "archive/data/2", "archive/version",
                     "archive/.data/serialization_id"]
    for member in archive.infolist():
        name, extra = struct.unpack_from("<HH", data, member.header_offset + 26)
        assert (member.header_offset + 30 + name + extra) % 64 == 0 and member.compress_type == zipfile.ZIP_STORED
    assert archive.read("archive/version") == b"3\n" and archive.read("archive/byteorder") == b"little"


def test_the_same_data_gives_the_same_file(tmp_path):
    for name in ("a.pt", "b.pt"):
        weft.save({"x": weft.arange(5)}, tmp_path / name)
    assert (tmp_path / "a.pt").read_bytes() == (tmp_path / "b.pt").read_bytes()


@pytest.mark.parametrize("kind", [str, os.fspath, lambda p: p])
def test_paths(tmp_path, kind):
    path = kind(tmp_path / "x.pt")
    weft.save({"a": 1}, path)
    assert weft.load(path) == {"a": 1}
    assert os.listdir(tmp_path) == ["x.pt"]


def test_open_files(tmp_path):
    with open(tmp_path / "x.pt", "wb") as file:
        weft.save(weft.ones(2), file)
    with open(tmp_path / "x.pt", "rb") as file:
        assert weft.load(file).tolist() == [1, 1]
    with open(tmp_path / "x.pt", "rb", buffering=0) as file:
        assert weft.load(file).tolist() == [1, 1]
    import gzip
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        weft.save(weft.ones(2), file)
    with gzip.open(tmp_path / "x.gz", "rb") as file:
        assert weft.load(file).tolist() == [1, 1]


def test_a_raw_file_that_takes_a_part_at_a_time():
    class Slow(io.BytesIO):
        def write(self, data):
            return super().write(bytes(data)[:7])
    for new in (True, False):
        file = Slow()
        weft.save({"x": weft.arange(9)}, file, _use_new_zipfile_serialization=new)
        assert weft.load(io.BytesIO(file.getvalue()))["x"].tolist() == list(range(9))


def test_pytorch_s_other_arguments(tmp_path):
    weft.save({"a": 1}, tmp_path / "x.pt", pickle_module=pickle, pickle_protocol=4)
    assert weft.load(tmp_path / "x.pt", "cpu", weights_only=True, encoding="ascii") == {"a": 1}
    assert weft.load(tmp_path / "x.pt", pickle_module=pickle, weights_only=False) == {"a": 1}
    with pytest.raises(RuntimeError, match="pickle_module"):
        weft.load(tmp_path / "x.pt", pickle_module=pickle, weights_only=True)
    with pytest.raises(TypeError, match="pickle_protocol"):
        weft.save({}, tmp_path / "x.pt", pickle_protocol="2")
    with pytest.raises(AttributeError, match="'write'"):
        weft.save({}, 3)
    with pytest.raises(AttributeError, match="'read'"):
        weft.load(3)


# mmap and map_location

def test_mmap(tmp_path):
    path = tmp_path / "x.pt"
    x = weft.arange(1000.)
    weft.save({"a": x, "b": x[10:], "h": weft.ones(3).bfloat16()}, path)
    before = path.read_bytes()
    found = weft.load(path, mmap=True)
    same(found["a"], x)
    assert found["a"].untyped_storage().nbytes() == 4000 and found["h"].tolist() == [1, 1, 1]
    assert not found["a"]._array.flags.owndata
    found["a"][10] = -1
    assert found["b"][0] == -1 and path.read_bytes() == before
    weft.save(found, tmp_path / "y.pt")
    assert os.path.getsize(tmp_path / "y.pt") <= len(before) + 64
    with pytest.raises(ValueError, match="file path"):
        weft.load(io.BytesIO(before), mmap=True)
    weft.save(x, path, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used"):
        weft.load(path, mmap=True)


def test_mmap_shared(tmp_path):
    path = tmp_path / "x.pt"
    weft.save(weft.zeros(3), path)
    with weft.serialization.set_default_mmap_options(1):
        weft.load(path, mmap=True)[1] = 5
    assert weft.load(path, mmap=True).tolist() == [0, 5, 0]
    with pytest.raises(CheckpointFileError, match="(?s)CRC-32.*mmap=True"):
        weft.load(path)
    assert weft.serialization.get_default_mmap_options() == 2


def test_a_mapped_file_may_be_replaced(tmp_path):
    path = tmp_path / "x.pt"
    weft.save(weft.ones(100_000), path)
    old = weft.load(path, mmap=True)
    weft.save(weft.zeros(100_000), path)
    assert old.sum() == 100_000 and weft.load(path).sum() == 0


@FORMATS
@pytest.mark.parametrize("place", ["cpu", b"cpu", weft.device("cpu"), lambda s, l: s, lambda s, l: None,
                                   {"cpu": "cpu"}, {"cuda:0": "cpu"}, None])
def test_map_location(place, new):
    assert again(weft.ones(2), new, map_location=place).tolist() == [1, 1]


@FORMATS
@pytest.mark.parametrize("place", ["meta", weft.device("meta"), {"cpu": "meta"}])
def test_map_location_meta(place, new):
    found = again({"x": weft.ones(2, 3), "p": nn.Parameter(weft.ones(4))}, new, map_location=place)
    assert found["x"].device.type == "meta" and found["x"].shape == (2,
                                                                     3) and found["p"].requires_grad and found["p"].device.type == "meta"


def test_map_location_function_sees_each_storage_once():
    seen = []

    def place(storage, location):
        seen.append((storage.nbytes(), location))
        return storage.clone().fill_(0)
    x = weft.ones(2)
    a, b, c = again([x, x[1:], weft.ones(3)], map_location=place)
    assert seen == [(8, "cpu"), (12, "cpu")] and a.tolist() == [0,
                                                                0] and b.data_ptr() == a.data_ptr() + 4 and c.tolist() == [0, 0, 0]


def test_map_location_function_of_an_old_file():
    x = weft.ones(2)
    a, b = again([x, x[1:]], new=False, map_location=lambda storage, location: storage.clone())
    assert a.tolist() == [1, 1] and b.data_ptr() == a.data_ptr() + 4


def test_map_location_that_there_isn_t():
    with pytest.raises(AssertionError, match="no cuda device"):
        again(weft.ones(2), map_location="cuda")
    with pytest.raises(TypeError, match="map_location"):
        again(weft.ones(2), map_location=[1])


# whole or not at all

class Disk(Exception):
    pass


@contextlib.contextmanager
def failing(monkeypatch, after):
    """A disk that is full after some bytes."""
    from weft.io import archive_write
    plain, written = archive_write.ArchiveWriter.write, [0]

    def write(self, data):
        written[0] += len(data)
        if written[0] > after:
            raise OSError(28, "No space left on device")
        plain(self, data)
    with monkeypatch.context() as patch:
        patch.setattr(archive_write.ArchiveWriter, "write", write)
        yield


@pytest.mark.parametrize("after", [0, 100, 1000, 5000])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, after):
    path = tmp_path / "x.pt"
    weft.save({"old": 1}, path)
    with failing(monkeypatch, after), pytest.raises(OSError, match="No space"):
        weft.save({"x": weft.ones(10_000)}, path)
    assert weft.load(path) == {"old": 1} and os.listdir(tmp_path) == ["x.pt"]


def test_ctrl_c_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.pt"
    weft.save({"old": 1}, path)

    def interrupted(handle):
        raise KeyboardInterrupt
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            weft.save({"new": 1}, path)
        with pytest.raises(KeyboardInterrupt):
            st.save_file({"new": weft.ones(1)}, path)
    assert weft.load(path) == {"old": 1} and os.listdir(tmp_path) == ["x.pt"]


def test_what_can_t_be_saved_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.pt"
    weft.save({"old": 1}, path)
    for bad in (lambda: 0, open(os.devnull)):  # noqa: SIM115
        with pytest.raises((AttributeError, TypeError), match="save:"):
            weft.save({"w": weft.ones(2), "bad": bad}, path)
    assert weft.load(path) == {"old": 1} and os.listdir(tmp_path) == ["x.pt"]


def test_everything_is_on_the_disk_before_the_name_changes(tmp_path, monkeypatch):
    events = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync",
                        lambda handle: (events.append("dir" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"),
                                        sync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (events.append("replace"), replace(a, b)))
    weft.save({}, tmp_path / "x.pt")
    assert events == ["file", "replace", "dir"]


@pytest.mark.skipif(os.name == "nt", reason="rights")
def test_rights_are_kept(tmp_path):
    path = tmp_path / "x.pt"
    before = os.umask(0o027)
    try:
        weft.save({}, path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)
    path.chmod(0o604)
    weft.save({"a": 1}, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.skipif(os.name == "nt", reason="rights")
def test_a_write_protected_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "x.pt"
    weft.save({"old": 1}, path)
    with monkeypatch.context() as patch:        # root may write anywhere, so the answer is given here
        patch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(PermissionError, match="write-protected"):
            weft.save({"new": 1}, path)

    def refused(path, *more):
        raise PermissionError(13, "Permission denied", path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refused)
        with pytest.raises(PermissionError, match="open file instead of a path"):
            weft.save({"new": 1}, path)
    assert weft.load(path) == {"old": 1} and os.listdir(tmp_path) == ["x.pt"]


def test_long_names(tmp_path):
    path = tmp_path / ("名" * 80)
    weft.save({"a": 1}, path)
    assert weft.load(path) == {"a": 1}


def test_through_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.pt", tmp_path / "latest.pt"
    link.symlink_to(real)
    weft.save({"a": 1}, link)                   # a link to nowhere makes the file
    assert link.is_symlink() and weft.load(real) == {"a": 1}
    weft.save({"a": 2}, link)
    assert link.is_symlink() and weft.load(real) == {"a": 2} and os.listdir(real.parent) == ["real.pt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux")
def test_devices_are_written_to_not_replaced():
    weft.save({"a": 1}, "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match="No space"):
        weft.save({"a": weft.ones(100_000)}, "/dev/full")


def test_a_folder_that_there_isn_t(tmp_path):
    with pytest.raises(RuntimeError, match="Parent directory .* does not exist"):
        weft.save({}, tmp_path / "no" / "x.pt")


# classes of the user's

class Config:
    def __init__(self, width=3):
        self.width = width


class Slotted:
    __slots__ = ("a",)


class Listed(list):
    pass


class Named(dict):
    pass


def half(x):
    return x / 2


def test_a_class_must_be_allowed():
    with pytest.raises(pickle.UnpicklingError,
                       match=r"names .*test_io\.Config.*(?s:.)*add_safe_globals\(\[.*Config\]\)"):
        again({"config": Config()})
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        again({"config": Config()}, weights_only=False)
    with pytest.raises(pickle.UnpicklingError, match=r"All that it names and may not: .*Config, .*half"):
        again([Config(), half])


def test_allowed_classes():
    slotted = Slotted()
    slotted.a = 5
    with weft.serialization.safe_globals([Config, Slotted, Listed, Named, half]):
        assert set(weft.serialization.get_safe_globals()) == {Config, Slotted, Listed, Named, half}
        a, b, c, d, e = again([Config(7), slotted, Listed([1, 2]), Named(x=1), half])
        assert a.width == 7 and type(a) is Config and b.a == 5 and c == [1,
                                                                         2] and type(c) is Listed and d == {"x": 1} and e is half
    assert weft.serialization.get_safe_globals() == []
    with pytest.raises(pickle.UnpicklingError):
        again(Config())


def test_allowed_under_another_name():
    file = io.BytesIO()
    weft.save(Config(4), file)
    file.seek(0)
    with weft.serialization.safe_globals([(Named, f"{Config.__module__}.Config")]):
        assert type(weft.load(file)) is Named
    with pytest.raises(ValueError, match="length 2"):
        weft.serialization.add_safe_globals([(Config,)])
    with pytest.raises(TypeError, match="to be str"):
        weft.serialization.add_safe_globals([(Config, 3)])


def test_unsafe_globals_are_listed(tmp_path):
    for new in (True, False):
        weft.save({"c": Config(), "w": weft.ones(2)}, tmp_path / "x.pt", _use_new_zipfile_serialization=new)
        assert weft.serialization.get_unsafe_globals_in_checkpoint(tmp_path / "x.pt") == [f"{__name__}.Config"]
        with weft.serialization.safe_globals([Config]):
            assert weft.serialization.get_unsafe_globals_in_checkpoint(tmp_path / "x.pt") == []


class Boom:
    def __setstate__(self, state):
        raise LookupError("mine")

    def __getstate__(self):
        return {"a": 1}


def test_errors_of_allowed_classes_are_their_own():
    with weft.serialization.safe_globals([Boom]), pytest.raises(LookupError, match="mine"):
        again(Boom())


def test_whole_models():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LSTM(3, 2))
    with pytest.raises(pickle.UnpicklingError, match=r"(?s)Sequential.*weights_only=False.*state_dict"):
        again(net)
    found = again(net, weights_only=False)
    assert repr(found) == repr(net)
    for a, b in zip(found.parameters(), net.parameters(), strict=True):
        same(a, b)
    assert weft.equal(found(weft.ones(4, 2))[0], net(weft.ones(4, 2))[0])


def test_subclasses_of_tensors():
    class Local(weft.Tensor):
        pass
    Local.__qualname__ = "Local"
    globals()["Local"] = Local
    try:
        with weft.serialization.safe_globals([Local]):
            found = again(weft.ones(2).as_subclass(Local))
        assert type(found) is Local and found.as_subclass(weft.Tensor).tolist() == [1, 1]
    finally:
        del globals()["Local"]


# Python's own pickle, which multiprocessing uses

def test_python_s_pickle():
    x = weft.arange(4.)
    p = nn.Parameter(x)
    a, b, c = pickle.loads(pickle.dumps([x, x[1:], p]))
    a[1] = 9
    assert b[0] == 9 and type(c) is nn.Parameter
    net = nn.Linear(2, 2)
    opt = optim.Adam(net.parameters())
    net(weft.ones(1, 2)).sum().backward()
    opt.step()
    twin, opt2 = pickle.loads(pickle.dumps((net, opt)))
    assert opt2.param_groups[0]["params"][0] is twin.weight and weft.equal(twin.weight, net.weight)
    assert weft.equal(opt2.state[twin.weight]["exp_avg"], opt.state[net.weight]["exp_avg"])


# a step resumed is the same step

OPTIMIZERS = {
    "ASGD": {}, "Adadelta": {}, "Adafactor": {}, "Adagrad": {}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {},
    "LBFGS": {"lr": 0.1, "max_iter": 3, "history_size": 4}, "Muon": {}, "NAdam": {}, "RAdam": {},
    "RMSprop": {"centered": True, "momentum": 0.9}, "Rprop": {}, "SGD": {"lr": 0.01, "momentum": 0.9, "nesterov": True}}


def test_every_optimizer_is_resumed_below():
    base = optim.Optimizer
    found = {n for n in dir(optim) if isinstance(getattr(optim, n), type) and issubclass(getattr(optim, n), base)
             and getattr(optim, n) is not base}
    assert found - {"Rule"} == {*OPTIMIZERS, "SparseAdam"}


class Run:
    """A small training run: dropout and noise draw from the global generator."""

    def __init__(self, name):
        weft.manual_seed(3)
        bias = name != "Muon"
        self.net = nn.Sequential(nn.Linear(4, 8, bias=bias), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 2, bias=bias))
        self.opt = getattr(optim, name)(self.net.parameters(), **OPTIMIZERS[name])
        self.done = 0

    def steps(self, n):
        for _ in range(n):
            x, y = weft.randn(8, 4), weft.randn(8, 2)

            def closure(x=x, y=y):
                self.opt.zero_grad()
                loss = ((self.net(x) - y) ** 2).mean()
                loss.backward()
                return loss
            self.opt.step(closure)
            self.done += 1

    def state(self):
        return {"net": self.net.state_dict(), "opt": self.opt.state_dict(), "rng": weft.get_rng_state(),
                "done": self.done}

    def resume(self, state):
        self.net.load_state_dict(state["net"])
        self.opt.load_state_dict(state["opt"])
        weft.set_rng_state(state["rng"])
        self.done = state["done"]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_100_steps_are_50_and_50(name, tmp_path):
    whole = Run(name)
    whole.steps(100)
    first = Run(name)
    first.steps(50)
    weft.save(first.state(), tmp_path / "run.pt")
    weft.manual_seed(99)
    second = Run(name)
    second.steps(2)
    second.resume(weft.load(tmp_path / "run.pt"))
    second.steps(50)
    assert second.done == 100
    for (key, a), b in zip(whole.net.state_dict().items(), second.net.state_dict().values(), strict=True):
        assert a._array.tobytes() == b._array.tobytes(), f"{name}: {key}"


SCHEDULERS = {
    "StepLR": lambda s, o: s.StepLR(o, 7), "MultiStepLR": lambda s, o: s.MultiStepLR(o, [10, 60, 60]),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.5, 70), "LinearLR": lambda s, o: s.LinearLR(o, 0.1, total_iters=80),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.98), "PolynomialLR": lambda s, o: s.PolynomialLR(o, 90, 2),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 40), "CosineAnnealingWarmRestarts": lambda s,
    o: s.CosineAnnealingWarmRestarts(o, 8, 2), "CyclicLR": lambda s, o: s.CyclicLR(o, 1e-3, 1e-2, 9),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.05, total_steps=120), "LambdaLR": lambda s,
    o: s.LambdaLR(o, lambda n: 0.99 ** n), "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda n: 0.99),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=3), "SequentialLR": lambda s,
    o: s.SequentialLR(o, [s.ConstantLR(o, 0.1), s.ExponentialLR(o, 0.97)], [55]), "ChainedScheduler": lambda s,
    o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 60), s.ExponentialLR(o, 0.97)])}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_are_resumed(name, tmp_path):
    schedulers = pytest.importorskip("weft.optim.lr_scheduler")

    def begin():
        p = nn.Parameter(weft.ones(3))
        opt = optim.SGD([p], lr=0.01, momentum=0.9)
        return p, opt, SCHEDULERS[name](schedulers, opt)

    def steps(p, opt, scheduler, n):
        rates = []
        for _ in range(n):
            opt.zero_grad()
            loss = (p * p).sum()
            loss.backward()
            opt.step()
            scheduler.step(loss.item()) if name == "ReduceLROnPlateau" else scheduler.step()
            rates.append(opt.param_groups[0]["lr"])
        return rates
    whole, first, second = begin(), begin(), begin()
    rates = steps(*whole, 100)
    steps(*first, 50)
    weft.save({"p": first[0], "opt": first[1].state_dict(), "scheduler": first[2].state_dict()}, tmp_path / "x.pt")
    found = weft.load(tmp_path / "x.pt")
    with weft.no_grad():
        second[0].copy_(found["p"])
    second[1].load_state_dict(found["opt"])
    second[2].load_state_dict(found["scheduler"])
    assert steps(*second, 50) == rates[50:] and weft.equal(second[0], whole[0])


def test_sparse_adam_resumes_too():
    opt = optim.SparseAdam([nn.Parameter(weft.ones(2))])
    found = again(opt.state_dict())
    opt.load_state_dict(found)


def test_the_recipe_of_the_documentation(tmp_path):
    text = (Path(__file__).resolve().parent.parent / "docs" / "checkpoints.md").read_text()
    model = nn.Linear(2, 2)
    place = {"torch": weft, "model": model, "optimizer": optim.Adam(model.parameters()),
             "scheduler": optim.SGD(model.parameters(), lr=0.1), "epoch": 3, "step": 40}
    exec(next(block.split("```")[0] for block in text.split("```python\n") if "def save_run" in block), place)
    place["save_run"](tmp_path / "run.pt")
    expected, weight = weft.rand(3), model.weight.detach().clone()
    with weft.no_grad():
        model.weight.zero_()
    assert place["load_run"](tmp_path / "run.pt") == (3, 40)
    assert weft.equal(weft.rand(3), expected) and weft.equal(model.weight, weight)


# safetensors

def test_safetensors_round_trip(tmp_path):
    path = tmp_path / "x.safetensors"
    tensors = {name: weft.arange(6).to(getattr(weft, name)).view(2, 3) for name in DTYPES if name != "complex128"}
    tensors |= {"scalar": weft.tensor(2.5), "empty": weft.empty(0, 3), "ünicode": weft.ones(1)}
    st.save_file(tensors, path, {"format": "pt"})
    for found in (st.load_file(path), st.load(path.read_bytes()), weft.load(path),
                  weft.load(io.BytesIO(path.read_bytes()))):
        assert set(found) == set(tensors)
        for name, t in tensors.items():
            same(found[name], t)
    assert st.save(tensors, {"format": "pt"}) == path.read_bytes()


def test_safetensors_are_mapped_and_private(tmp_path):
    path = tmp_path / "x.safetensors"
    weft.save({"a": weft.zeros(1000), "b": weft.ones(3)}, path)
    before = path.read_bytes()
    found = weft.load(path)
    found["a"].add_(1)
    assert path.read_bytes() == before and found["a"].sum() == 1000 and found["a"].untyped_storage().nbytes() == 4000
    assert weft.load(path, map_location="meta")["a"].device.type == "meta"


def test_safe_open(tmp_path):
    path = tmp_path / "x.safetensors"
    st.save_file({"b": weft.arange(6).view(2, 3), "a": weft.ones(2, dtype=weft.float64)}, path, {"k": "v"})
    with st.safe_open(path, framework="pt", device="cpu") as file:
        assert file.keys() == ["a", "b"] and file.metadata() == {"k": "v"} and file.offset_keys() == ["b", "a"]
        assert file.get_tensor("a").tolist() == [1, 1]
        part = file.get_slice("b")
        assert part.get_shape() == [2, 3] and part.get_dtype() == "I64" and part[:, 1:].tolist() == [[1, 2], [4, 5]]
        with pytest.raises(st.SafetensorError, match="does not contain tensor c"):
            file.get_tensor("c")
    with pytest.raises(st.SafetensorError, match="closed"):
        file.get_tensor("a")
    with st.safe_open(path, framework="np") as file:
        assert isinstance(file.get_tensor("a"), np.ndarray)


def test_safetensors_refuses_what_it_can_t_hold(tmp_path):
    path, x = tmp_path / "x.safetensors", weft.ones(4, 4)
    for value, kind, text in [
            ([1], ValueError, "expected a dict"), ({"a": 1}, ValueError, "holds tensors by name only"),
            ({"a": x.t()[1:]}, ValueError, "non contiguous"), ({"a": weft.ones(1, dtype=weft.complex128)}, ValueError,
                                                               "can't hold"), ({"a": x, "b": x[1:]}, RuntimeError,
                                                                               "share memory.*save_model"),
            ({"a": x, "b": x}, RuntimeError, "share memory"), ({"a": weft.ones(2, device="meta")}, ValueError,
                                                               "no data")]:
        with pytest.raises(kind, match=f"(?s){text}"):
            weft.save(value, path)
    with pytest.raises(TypeError, match="metadata"):
        st.save_file({}, path, {"a": 1})
    assert not path.exists() and not os.listdir(tmp_path)
    weft.save({"a": x[:2], "b": x[2:]}, path)       # parts that don't overlap are fine
    assert weft.load(path)["b"].shape == (2, 4)


def test_safetensors_of_models_with_tied_weights(tmp_path):
    def tied():
        net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        net[1].weight = net[0].weight
        return net
    path, net, other = tmp_path / "x.safetensors", tied(), tied()
    st.save_model(net, path)
    with st.safe_open(path) as file:
        assert "1.weight" not in file.keys() and file.metadata() == {"1.weight": "0.weight"}  # noqa: SIM118
    assert st.load_model(other, path) == ([], [])
    assert weft.equal(other[1].weight, net[0].weight) and other[1].weight is other[0].weight
    with pytest.raises(RuntimeError, match="missing"):
        st.load_model(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)), path)


def test_safetensors_that_lie_oddly_are_copied(tmp_path):
    text = b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}}'
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"\7" + struct.pack("<2f", 1, 2))
    assert weft.load(path)["b"].tolist() == [1, 2] and weft.load(path)["b"].data_ptr() % 4 == 0


def test_names():
    assert (weft.serialization.save is weft.save and weft.io.load is weft.load
            and weft.serialization.CheckpointFileError is CheckpointFileError)
    assert weft.utils.serialization.config.load.mmap is False
    assert {"save", "load", "io", "serialization"} <= set(dir(weft))
    assert weft.serialization.get_default_load_endianness() is None and weft.serialization.get_crc32_options() is True


class Settings:
    def __init__(self, rate):
        self.rate = rate


def test_weights_only_false_says_that_it_changes_nothing_for_classes_of_the_user(tmp_path):
    import pickle
    file = tmp_path / "settings.pt"
    weft.save({"settings": Settings(3), "layer": weft.nn.Linear(1, 1)}, file)
    with pytest.raises(pickle.UnpicklingError, match=r"(?s)Settings.*weights_only=False doesn't change that, since weft "
                       r"never runs a pickle.*add_safe_globals") as caught:
        weft.load(file, weights_only=False)
    assert "All that it names" not in str(caught.value)         # layers of weft's own are allowed then
    with weft.serialization.safe_globals([Settings]):
        assert weft.load(file, weights_only=False)["settings"].rate == 3
    assert weft.serialization.get_safe_globals() == []
