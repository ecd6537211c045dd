"""Checkpoints against PyTorch: each reads what the other wrote, with weights_only=True."""
import io
import os
from collections import Counter, OrderedDict

import numpy as np
import pytest

import weft
from weft import nn, optim
from weft.io import safetensors as st

torch = pytest.importorskip("torch")

DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
          "uint64", "bool", "complex64", "complex128"]
WRITES = pytest.mark.parametrize("options", [{}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4},
                                             {"pickle_protocol": 5}],
                                 ids=["zip", "legacy", "protocol4", "protocol5"])
FORMATS = pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])


def to_weft(value, options=None, **load):
    file = io.BytesIO()
    torch.save(value, file, **(options or {}))
    file.seek(0)
    return weft.load(file, **load)


def to_torch(value, new=True, **load):
    file = io.BytesIO()
    weft.save(value, file, _use_new_zipfile_serialization=new)
    file.seek(0)
    return torch.load(file, weights_only=True, **load)


def bits(t):
    if isinstance(t, weft.Tensor):
        return np.ascontiguousarray(t._array).tobytes()
    t = t.detach().contiguous().resolve_conj().resolve_neg()
    return bytes(t.reshape(-1).view(torch.uint8).numpy()) if t.numel() else b""


def same(a, b):
    assert str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape) and a.requires_grad == b.requires_grad
    assert tuple(a.stride()) == tuple(b.stride()) and a.storage_offset() == b.storage_offset()
    assert bits(a) == bits(b)


VIEWS = [lambda x: x, lambda x: x.t(), lambda x: x[1:, ::2], lambda x: x[:, 1], lambda x: x[2, 3],
         lambda x: x.as_strided((2, 2), (1, 1), 3), lambda x: x[None].expand(3, -1, -1), lambda x: x.permute(1, 0)[1:]]


@WRITES
@pytest.mark.parametrize("name", DTYPES)
def test_types_from_torch(name, options):
    for make in VIEWS[:4]:
        x = make(torch.arange(-5, 15).view(4, 5).to(getattr(torch, name)))
        same(to_weft(x, options), x)


@FORMATS
@pytest.mark.parametrize("name", DTYPES)
def test_types_to_torch(name, new):
    for make in VIEWS[:4]:
        x = make(weft.arange(-5, 15).view(4, 5).to(getattr(weft, name)))
        same(to_torch(x, new), x)


@pytest.mark.parametrize("make", VIEWS)
def test_strides_both_ways(make):
    same(to_weft(make(torch.arange(20.).view(4, 5))), make(torch.arange(20.).view(4, 5)))
    same(to_torch(make(weft.arange(20.).view(4, 5))), make(weft.arange(20.).view(4, 5)))


def contents(lib, module):
    return {"none": None, "true": True, "ints": [0, 255, 256, 65536, -1, 2**31, 2**40, -2**62, 2**100], "float": 1.5,
            "text": "größe", "bytes": b"\0\xff", "empty": [(), [], {}, "", b""], "tuple": (1, (2, 3), (1, 2, 3, 4)),
            "set": {1, "a"}, "ordered": OrderedDict(b=1, a=2), "counter": Counter("aab"), "complex": 1 - 2j,
            "bytearray": bytearray(b"xy"), "size": lib.Size([1, 2]), "dtype": lib.float16, "device": lib.device("cpu"),
            "layout": lib.strided, "param": module.Parameter(lib.ones(2)),
            "frozen": module.Parameter(lib.ones(1), requires_grad=False), "empty_tensor": lib.empty(0),
            "scalar": lib.tensor(3.5), "grad": lib.ones(2, requires_grad=True), "many": list(range(2500)),
            "keys": {1: 2, None: 3, (1, "x"): 4}}


def check_contents(found, lib):
    expected = contents(lib, lib.nn)
    assert list(found) == list(expected)
    for key, value in expected.items():
        if isinstance(value, lib.Tensor):
            assert type(found[key]) is type(value)
            same(found[key], value)
        else:
            assert found[key] == value and type(found[key]) is type(value), key


@WRITES
def test_containers_from_torch(options):
    check_contents(to_weft(contents(torch, torch.nn), options), weft)


@FORMATS
def test_containers_to_torch(new):
    check_contents(to_torch(contents(weft, nn), new), torch)


@WRITES
def test_ties_from_torch(options):
    x = torch.arange(6.)
    a, b, c = to_weft([x, x[2:], x.view(2, 3).t()], options)
    a[3] = 100
    assert b[1] == 100 and c[0, 1] == 100 and a.untyped_storage().nbytes() == 24


@FORMATS
def test_ties_to_torch(new):
    x = weft.arange(6.)
    a, b, c, d = to_torch([x, x[2:], x.view(2, 3).t(), x.view(weft.int32)], new)
    a[3] = 1
    assert b[1] == 1 and c[0, 1] == 1 and d[3] == 0x3F800000 and a.untyped_storage().nbytes() == 24


def test_a_view_of_a_large_tensor_brings_its_storage_as_in_torch():
    for lib, move in ((torch, to_weft), (weft, to_torch)):
        assert move(lib.zeros(100)[10:12]).untyped_storage().nbytes() == 400


@WRITES
def test_lazy_conjugates(options):
    x = torch.tensor([1 + 2j, 3 - 4j])
    for make in (lambda: x.conj(), lambda: x.conj().imag, lambda: torch._neg_view(x)):
        assert bits(to_weft(make(), options)) == bits(make())


@WRITES
def test_attributes_and_meta(options):
    t, p = torch.ones(2), torch.nn.Parameter(torch.ones(2))
    t.note, p.note = "a", {"b": 1}
    a, b, c = to_weft([t, p, torch.ones(2, 3, device="meta")], options)
    assert a.note == "a" and b.note == {"b": 1} and isinstance(b,
                                                               nn.Parameter) and c.device.type == "meta" and c.shape == (2, 3)
    t, p = weft.ones(2), nn.Parameter(weft.ones(2))
    t.note, p.note = "a", {"b": 1}
    a, b, c = to_torch([t, p, weft.ones(2, 3, device="meta")])
    assert a.note == "a" and b.note == {"b": 1} and isinstance(b,
                                                               torch.nn.Parameter) and c.device.type == "meta" and c.shape == (2, 3)


@WRITES
def test_numpy_from_torch(options):
    value = [np.float64(1.5), np.arange(6).reshape(2, 3), np.ones((2, 3), order="F"), np.bool_(True),
             np.arange(3, dtype=">f4")]
    for a, b in zip(to_weft(value, options), value):
        np.testing.assert_array_equal(a, b)


def test_numpy_to_torch():
    value = [np.float64(1.5), np.arange(6).reshape(2, 3)]
    file = io.BytesIO()
    weft.save(value, file)
    file.seek(0)
    core = np._core.multiarray
    with torch.serialization.safe_globals([core.scalar, core._reconstruct, np.ndarray, np.dtype, type(np.dtype("f8")),
                                           type(np.dtype("i8"))]):
        found = torch.load(file, weights_only=True)
    assert found[0] == 1.5 and found[1].tolist() == value[1].tolist()


# models and optimizers

def models(lib):
    return lib.nn.Sequential(lib.nn.Conv2d(1, 2, 3), lib.nn.BatchNorm2d(2), lib.nn.Flatten(), lib.nn.Linear(8, 3))


@WRITES
def test_state_dicts_from_torch(options):
    torch.manual_seed(0)
    theirs, ours = models(torch), models(weft)
    found = to_weft(theirs.state_dict(), options)
    assert found._metadata == theirs.state_dict()._metadata
    ours.load_state_dict(found)
    x = np.random.default_rng(0).standard_normal((2, 1, 4, 4)).astype("f4")
    np.testing.assert_allclose(ours(weft.tensor(x)).detach().numpy(), theirs(torch.tensor(x)).detach().numpy(),
                               rtol=1e-5, atol=1e-6)


@FORMATS
def test_state_dicts_to_torch(new):
    weft.manual_seed(0)
    theirs, ours = models(torch), models(weft)
    found = to_torch(ours.state_dict(), new)
    assert found._metadata == ours.state_dict()._metadata
    theirs.load_state_dict(found)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        same(a, b)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "SGD", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
                                  "ASGD", "Rprop"])
def test_training_goes_on_in_the_other(name):
    x = np.random.default_rng(1).standard_normal((8, 4)).astype("f4")
    options = {"lr": 0.05, "momentum": 0.9} if name == "SGD" else {}

    def setup(lib):
        net = lib.nn.Linear(4, 2)
        return net, getattr(lib.optim, name)(net.parameters(), **options)

    def step(lib, net, opt):
        opt.zero_grad()
        (net(lib.tensor(x)) ** 2).sum().backward()
        opt.step()
    torch.manual_seed(0)
    theirs, opt = setup(torch)
    for _ in range(3):
        step(torch, theirs, opt)
    found = to_weft({"net": theirs.state_dict(), "opt": opt.state_dict(), "rng": torch.get_rng_state()})
    ours, own = setup(weft)
    ours.load_state_dict(found["net"])
    own.load_state_dict(found["opt"])
    weft.set_rng_state(found["rng"])
    assert weft.rand(3).tolist() == torch.rand(3).tolist()
    for _ in range(3):
        step(torch, theirs, opt), step(weft, ours, own)
    np.testing.assert_allclose(ours.weight.detach().numpy(), theirs.weight.detach().numpy(), rtol=1e-5, atol=1e-6)
    back = to_torch({"net": ours.state_dict(), "opt": own.state_dict(), "rng": weft.get_rng_state()})
    theirs.load_state_dict(back["net"])
    opt.load_state_dict(back["opt"])
    torch.set_rng_state(back["rng"])
    for _ in range(3):
        step(torch, theirs, opt), step(weft, ours, own)
    np.testing.assert_allclose(ours.weight.detach().numpy(), theirs.weight.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("make", [lambda n: n.Linear(3, 2), lambda n: n.Sequential(n.Linear(2, 3), n.ReLU(),
                                                                                   n.LayerNorm(3)), lambda n: n.LSTM(3,
                                                                                                                     2),
                                  lambda n: n.Conv2d(1, 2, 3, padding=1),
                                  lambda n: n.TransformerEncoderLayer(4, 2, 8, dropout=0.0)])
def test_whole_models_of_torch_s_layers(make):
    torch.manual_seed(0)
    theirs = make(torch.nn).eval()
    with pytest.raises(Exception, match="weights_only=False"):
        to_weft(theirs)
    ours = to_weft(theirs, weights_only=False)
    x = np.random.default_rng(0).standard_normal({"Conv2d": (1, 1, 4, 4), "TransformerEncoderLayer": (2, 1, 4),
                                                  "Sequential": (2, 2)}.get(
        type(theirs).__name__, (2, 3))).astype("f4")
    a, b = ours(weft.tensor(x)), theirs(torch.tensor(x))
    a, b = (a[0], b[0]) if isinstance(a, tuple) else (a, b)
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)


# the archive

def test_torch_finds_storages_where_it_computes_them(tmp_path, monkeypatch):
    """PyTorch can compute where storages lie instead of reading headers; its own check of that is switched on."""
    from torch.utils.serialization import config
    path = tmp_path / "x.pt"
    weft.save({"a": weft.arange(5.), "b": weft.empty(0), "c": weft.ones(3, dtype=weft.uint8), "d": weft.ones(1000)},
              path)
    monkeypatch.setenv("TORCH_SERIALIZATION_DEBUG", "1")
    with config.patch("load.calculate_storage_offsets", True):
        for options in ({}, {"mmap": True}):
            found = torch.load(path, weights_only=True, **options)
            assert found["a"].tolist() == [0, 1, 2, 3,
                                           4] and found["d"].sum() == 1000 and found["c"].tolist() == [1, 1, 1]


def test_mmap_both_ways(tmp_path):
    torch.save({"a": torch.arange(5.), "h": torch.ones(3).bfloat16()}, tmp_path / "t.pt")
    weft.save({"a": weft.arange(5.), "h": weft.ones(3).bfloat16()}, tmp_path / "w.pt")
    for path in ("t.pt", "w.pt"):
        for lib in (torch, weft):
            found = lib.load(tmp_path / path, mmap=True)
            assert found["a"].tolist() == [0, 1, 2, 3, 4] and found["h"].tolist() == [1, 1, 1]


def test_files_without_sums():
    before = torch.serialization.get_crc32_options()
    torch.serialization.set_crc32_options(False)
    try:
        assert to_weft({"a": torch.ones(2)})["a"].tolist() == [1, 1]
    finally:
        torch.serialization.set_crc32_options(before)


def test_map_location_both():
    assert to_weft(torch.ones(2), map_location="meta").device.type == "meta"
    assert to_torch(weft.ones(2), map_location="meta").device.type == "meta"


def test_float8_both():
    values = [0.0, 1.0, -1.5, 448.0, 0.015625]
    for name in ("float8_e4m3fn", "float8_e5m2"):
        theirs = torch.tensor(values).to(getattr(torch, name))
        ours = to_weft(theirs)
        assert ours.dtype is getattr(weft, name) and ours.float().tolist() == theirs.float().tolist()
        assert to_torch(ours).dtype is getattr(torch, name)
        assert to_torch(ours).float().tolist() == theirs.float().tolist()


def test_what_weft_has_no_tensor_for():
    for value, text in [(torch.quantize_per_tensor(torch.ones(2), 1., 0, torch.qint8), "quantized|qint8|QInt8")]:
        with pytest.raises(RuntimeError, match=text):
            to_weft(value)
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="TorchScript"):
        weft.load(file)


def test_the_same_names_are_unsafe():
    file = io.BytesIO()
    torch.save({"m": torch.nn.Linear(2, 2), "p": os.path.join}, file)
    file.seek(0)
    theirs = torch.serialization.get_unsafe_globals_in_checkpoint(file)
    file.seek(0)
    ours = weft.serialization.get_unsafe_globals_in_checkpoint(file)
    assert set(ours) == set(theirs)


# safetensors

def test_safetensors_byte_for_byte(tmp_path):
    upstream = pytest.importorskip("safetensors.torch")
    names = [n for n in DTYPES if n != "complex128"]
    ours = {n: weft.arange(6).to(getattr(weft, n)).view(2, 3) for n in names} | {"ünicode": weft.ones(1),
                                                                                 "a\"b": weft.empty(0, 2)}
    theirs = {n: torch.arange(6).to(getattr(torch, n)).view(2, 3) for n in names} | {"ünicode": torch.ones(1),
                                                                                     "a\"b": torch.empty(0, 2)}
    for metadata in (None, {"format": "pt"}):
        assert st.save(ours, metadata) == upstream.save(theirs, metadata)
    st.save_file(ours, tmp_path / "w.safetensors")
    upstream.save_file(theirs, str(tmp_path / "t.safetensors"))
    back, found = upstream.load_file(str(tmp_path / "w.safetensors")), weft.load(tmp_path / "t.safetensors")
    for name in theirs:
        assert bits(back[name]) == bits(ours[name]) and bits(found[name]) == bits(theirs[name])


def test_optim_is_all_there():
    assert {n for n in dir(torch.optim) if isinstance(getattr(torch.optim, n), type)} <= set(dir(optim)) | {"Optimizer"}
