"""Creation and conversion against PyTorch: the same expression in both, compared by value, type, shape, strides or
exception.
"""
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

TENSOR = """[np.float64(1)]; [np.int32(1)]; np.int32(1); np.float64(1); [np.float32(1), 2.0]; [np.array([1., 2.])]; [1, np.array(2.)]
[t(1.), t(2., dtype=m.float64)]; [t(1., requires_grad=True)]; [t([1.]), t([2.])]; [1, [2, 3]]; [[1, 2], [3]]; [[1, 2], 3]; ['a']; 'a'; [None]; None
[1., None]; [2**63]; [2**64]; 2**63; []; [[], []]; (); range(3); {1: 2}; object(); np.asfortranarray(np.ones((2, 3))); [True, 1]; [True, 2.5]
[1, 2j]; np.array(['a']); np.array([None]); np.array([1], dtype='>i4'); [1, 'a']; b'ab'; bytearray(b'ab'); np.uint16(3); [[1, 2], (3, 4)]
[np.array([1, 2]), [3, 4]]; [t(1), 2.5]; [slice(1)]; memoryview(b'ab'); np.bool_(True); [np.float16(1), np.float32(2)]; [t([1, 2]), t([3, 4])]"""
TYPED = """[300], m.uint8; -1, m.uint8; [-1], m.uint8; 1e40, m.float32; 1.7, m.int64; float('nan'), m.int64; [1j], m.float32; np.array([1j]), m.float32
1e5, m.float16; [[]], m.int64; True, m.float32; [2], m.bool; [0.5], m.bool; (1, 2), float; 1, int; [2**63], m.uint64; [1.1, 2.3], m.bfloat16"""
REST = """m.zeros(-1); m.zeros(2.0); m.zeros(size=(2,)); m.zeros(); m.zeros(t(2)); m.zeros((t(2), 3)); m.zeros(True); m.zeros(None); m.zeros(2, dtype=int)
m.full((2,), 3); m.full((2,), True); m.full((2,), 2.); m.full((2,), 1j); m.full(2, 3); m.full((2,), t(3.)); m.full((2,), t([3., 2])); m.full((2,), 1e40)
m.Tensor([1, 2]); m.Tensor(); m.Tensor((2, 3)); m.Tensor(np.array([1, 2])); m.Tensor(t([1, 2])); m.Tensor(2.5); m.LongTensor([1.5]); m.BoolTensor([1, 0])
m.arange(0, 5, -1); m.arange(0, 5, 0); m.arange(2.5, dtype=m.int64); m.arange(0, t(5.)); m.arange(end=3); m.arange(3, dtype=m.bool); m.arange(1j)
m.linspace(0, 7, 4, dtype=m.int64); m.linspace(-3, 8, 6, dtype=m.int32); m.linspace(0, 1j, 3); m.linspace(t([1.]), 2, 3); m.logspace(0, 3, 3, base=2, dtype=m.int64)
m.ones(3).to(m.float64, copy=True); m.ones(3).to('cpu', m.float64); m.ones(3).to(t(1)); m.ones(3).to(3); m.ones(3).type('torch.LongTensor'); m.ones(3).type('x')
t([1.5, -2.7]).long(); t([1 + 2j]).float(); t([1., 0., float('nan')]).bool(); t([70000.]).half(); t([1.5]).cfloat(); m.ones(2).copy_(t([1, 2, 3])); m.ones(2).copy_(3)
m.ones(2, dtype=m.int64).copy_(t([1.7, -2.5])); m.ones(2, 3).copy_(t([1, 2, 3])); m.frombuffer(bytearray(b'abcd'), dtype=m.int16); m.asarray([1], copy=False)
m.frombuffer(bytearray(b'abcd'), dtype=m.int16, offset=1); m.asarray(np.float64(2)); m.ones(3).new_tensor([1, 2]); m.ones(3).new_full((2,), 3.5); m.ones(3).new([1, 2])
m.eye(2, 3); m.eye(0, 3); m.zeros(1, 4).expand(3, 4).clone(); m.zeros(3, 4, 5)[:, ::2].transpose(0, 2).clone(); m.ones(2, 3).t().to(m.float64)
m.full_like(m.ones(2, dtype=m.int64), 1.5); m.ones_like([1]); m.zeros(3, dtype=complex); m.zeros(2, dtype=m.int64, out=m.ones(2)); m.scalar_tensor(3)"""


def split(block, form="{}"):
    return [form.format(part.strip()) for line in block.splitlines() for part in line.split(";") if part.strip()]


def outcome(m, expression):
    try:
        made = eval(expression, {"m": m, "np": np, "t": m.tensor})
    except Exception as error:
        return type(error)
    strides = None if 0 in made.shape or 1 in made.shape else tuple(made.stride())
    return str(made.dtype), tuple(made.shape), strides, str(made.tolist())


@pytest.mark.parametrize("expression",
                         split(TENSOR, "t({})") + split(TYPED.replace(", m.",
                                                                      ", dtype=m.").replace(", float", ", dtype=float")
                                                                  .replace("1, int", "1, dtype=int"), "t({})")
                         + split(REST))
def test_same_as_torch(expression):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(weft, expression) == outcome(torch, expression)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8"])
def test_ranges_to_the_last_bit(dtype):
    rng = np.random.default_rng(1)
    for _ in range(60):
        a, step, n = abs(rng.normal() * 10), abs(rng.normal()), int(rng.integers(2, 70))
        b = a + n * step
        calls = [("linspace", (a, b, n)), ("logspace", (a / 20, b / 20, n, 2.5) if dtype[0] == "f" else (0, 2, n, 2.5))]
        calls.append(("arange", (a, b, step) if dtype[0] == "f" else (int(a), int(b) + 1, 2)))
        for name, args in calls:
            expected = getattr(torch, name)(*args, dtype=getattr(torch, dtype)).numpy()
            found = getattr(weft, name)(*args, dtype=getattr(weft, dtype)).numpy()
            if name == "logspace" and dtype == "float64":       # the last bit of a power is the processor's
                np.testing.assert_array_max_ulp(found, expected, 1)
            else:
                np.testing.assert_array_equal(found, expected, err_msg=f"{name}{args}")


@pytest.mark.filterwarnings("ignore")
def test_tensors_of_storages_have_its_elements():
    """tensor(untyped_storage, dtype=float32) had one number for each byte."""
    found = []
    for lib in (torch, weft):
        floats, whole = lib.tensor([1.0, 2.0, 3.0]), lib.tensor([1, 2])
        made = [lib.tensor(floats.untyped_storage(), dtype=lib.float32), lib.tensor(floats.untyped_storage()),
                lib.tensor(whole.untyped_storage()), lib.tensor(whole.untyped_storage(), dtype=lib.int32),
                lib.tensor(floats.storage()), lib.tensor(floats.storage(), dtype=lib.float32),
                lib.as_tensor(floats.untyped_storage()), lib.tensor(floats.untyped_storage(), dtype=lib.uint8),
                lib.asarray(floats.storage()), floats.new_tensor(floats.storage())]
        found.append([(str(t.dtype), t.tolist()) for t in made])
        with pytest.raises(RuntimeError):
            lib.tensor(floats.storage(), dtype=lib.float64)
    assert found[0] == found[1]
