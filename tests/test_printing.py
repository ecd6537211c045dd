"""Printing equals PyTorch's: stored goldens (no PyTorch needed), and random tensors against PyTorch where it is
installed.

`python tests/test_printing.py` writes the goldens anew, from PyTorch itself.
"""

from __future__ import annotations

import doctest
import json
import math
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from weft.tensor import printing
from weft.tensor.printing import array_str, format_tensor, get_printoptions, printoptions, set_printoptions

GOLDEN = Path(__file__).parent / "data" / "printing_golden.json"
NAN, INF = math.nan, math.inf


class Case(NamedTuple):
    """What is printed: the values, what `format_tensor` is told, and the options in force."""

    array: np.ndarray
    facts: dict[str, Any] = {}
    options: dict[str, Any] = {}


def f32(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def c64(*values: Any) -> np.ndarray:
    return np.array(values, np.complex64)


def ramp(*shape: int, dtype: Any = np.float32, scale: float = 1) -> np.ndarray:
    return (np.arange(math.prod(shape)) * scale).astype(dtype).reshape(shape)


ALONG = dict(grad_fn_name="CloneBackward0")
LEAF = dict(requires_grad=True)
META = dict(device="meta")
WIDE = dict(default_dtypes=("float64", "complex128"))

CASES: dict[str, Case] = {
    # integers and bool
    "int64": Case(ramp(2, 3, dtype=np.int64)),
    "int64 limits": Case(np.array([2**63 - 1, -2**63])),
    "uint64 limit": Case(np.array([2**64 - 1, 0], np.uint64)),
    "int8 negative": Case(np.array([[-128, 5], [127, 0]], np.int8)),
    "uint8": Case(np.array([0, 7, 255], np.uint8)),
    "bool": Case(np.array([[True, False], [True, True]])),
    "bool all true": Case(np.array([True, True])),
    # zero-dim
    **{f"scalar {value}": Case(np.array(value, np.float32)) for value in (0.0, -0.0, 3.0, 0.1, 1e-5, 1e8, 1e9, -1e-5,
                                                                          NAN, -INF)},
    "scalar int": Case(np.array(7)),
    "scalar bool": Case(np.array(True)),
    "scalar float64": Case(np.array(1 / 3)),
    "scalar complex": Case(np.array(1.5 - 2e-6j, np.complex64)),
    # floats: whole numbers, the notation, what isn't finite
    "whole": Case(f32(1, -2, 300)),
    "whole with nan and inf": Case(f32(1, NAN, -INF, 100)),
    "whole, -inf out of its column": Case(f32(1, -INF)),
    "mask": Case(f32([0, -INF], [0, 0])),
    "zeros": Case(f32(0, -0.0)),
    "many zeros: 24 a line, past the line width": Case(np.zeros(30, np.float32)),
    "only nan and inf": Case(f32(NAN, INF)),
    "fixed": Case(f32(0.5, -2.25, 100)),
    "fixed with nan, inf, -0": Case(f32(0.5, NAN, INF, -INF, -0.0)),
    "sci with nan, inf, 0": Case(f32(1e-5, 0, NAN, -INF)),
    "ratio 1000 is fixed": Case(np.array([0.5, 500.0])),
    "ratio above 1000 is sci": Case(np.array([0.5, 500.1])),
    "whole, ratio 1000": Case(f32(1, 1000)),
    "whole, ratio above 1000": Case(f32(1, 1001)),
    "1e8 is whole": Case(f32(1e8, 1e7)),
    "above 1e8 is sci": Case(np.array([1e8 + 1, 1e7])),
    "float64 1e-4 is fixed": Case(np.array([1e-4, 0.05])),
    "float32 1e-4 is sci": Case(f32(1e-4, 0.05)),
    "denormal": Case(np.array([1e-310, 5e-324])),
    "ratio overflows": Case(np.array([1e308, 1e-308])),
    "rounding half": Case(np.array([0.00005, 0.00015, 2.00025])),
    "float16": Case(np.array([0.1, 2, 1000], np.float16)),
    "float16 limit": Case(np.array([65504, 6e-8], np.float16)),
    "bfloat16": Case(f32(0.10009765625, 1.046875, 2), dict(dtype_name="bfloat16")),
    # complex
    "complex": Case(c64(1 + 2j, 1 - 2j)),
    "complex parts choose apart": Case(c64(1.5 + 2j, 1e-7j, 3 + 4j)),
    "complex imaginary part isn't padded": Case(c64(1.5 + 2j, -10 - 200j)),
    "complex nan and inf": Case(c64(complex(NAN, -0.0), complex(1, NAN), complex(0, -INF), 1e-7 + 1j)),
    "complex128 wrapped": Case(ramp(12, dtype=np.complex128, scale=0.37 - 0.11j)),
    "complex128 summarised": Case(ramp(30, 40, dtype=np.complex128, scale=0.37 - 0.11j)),
    # empty
    "empty": Case(np.zeros(0, np.float32)),
    "empty int64": Case(np.zeros(0, np.int64)),
    "empty bool": Case(np.zeros(0, bool)),
    "empty 2-d": Case(np.zeros((0, 3), np.float32)),
    "empty 3-d float64": Case(np.zeros((2, 0, 3))),
    "empty complex64": Case(np.zeros((0, 2), np.complex64)),
    "empty leaf": Case(np.zeros((0, 2), np.float32), LEAF),
    # nesting, wrapping, summary
    "3-d": Case(ramp(2, 2, 3, scale=0.25)),
    "4-d": Case(ramp(2, 1, 2, 2)),
    "wrapped": Case(ramp(30, scale=0.5)),
    "wrapped 2-d": Case(ramp(2, 25, dtype=np.int64, scale=1000)),
    "summary 1-d": Case(ramp(2000, dtype=np.int64)),
    "summary needs more than 1000": Case(ramp(1000, dtype=np.int64)),
    "summary 2-d": Case(ramp(50, 50, scale=0.5)),
    "summary 2-d, short rows": Case(ramp(1000, 2, scale=0.001)),
    "summary 3-d": Case(ramp(7, 3, 100)),
    "summary 4-d": Case(ramp(2, 8, 8, 9, dtype=np.int32)),
    "summary: the width comes from what is shown": Case(np.where(np.arange(3000) == 1500, 1e9, 1.5)),
    "not contiguous": Case(ramp(3, 4).T[::-1]),
    # what follows the values
    "grad_fn": Case(f32(1, 2), ALONG),
    "leaf": Case(f32(1, 2), LEAF),
    "leaf on a new line": Case(ramp(8, scale=0.1), LEAF),
    "dtype fits, grad_fn doesn't": Case(np.zeros(7), ALONG),
    "dtype and grad_fn on a new line": Case(np.zeros(18), ALONG),
    "leaf 2-d": Case(ramp(3, 7, scale=0.125), LEAF),
    "other defaults: float32": Case(f32(1.5), WIDE),
    "other defaults: float64": Case(np.array([1.5]), WIDE),
    "other defaults: complex64": Case(c64(1j), WIDE),
    "other defaults: empty": Case(np.zeros(0, np.float32), WIDE),
    "parameter": Case(ramp(2, 3, scale=0.1), dict(prefix="Parameter containing:\ntensor(", requires_grad=True)),
    "subclass": Case(ramp(2, 3, scale=0.1), dict(prefix="Picture(")),
    "meta": Case(ramp(2, 3), META),
    "meta 0-d int64": Case(np.array(1), META),
    "meta leaf float64": Case(np.zeros(3), {**META, **LEAF}),
    # options
    "precision 2": Case(f32(1 / 3, 20), {}, dict(precision=2)),
    "precision 0": Case(f32(1.5, 2.5, 3.5), {}, dict(precision=0)),
    "precision 0 sci": Case(np.array([1e-9, 1.5]), {}, dict(precision=0)),
    "sci_mode on": Case(f32(1, 2, 0, NAN), {}, dict(sci_mode=True)),
    "sci_mode on, zeros": Case(f32(0, 0), {}, dict(sci_mode=True)),
    "sci_mode off": Case(np.array([1e-9, 1e9]), {}, dict(sci_mode=False)),
    "sci_mode off, whole": Case(np.array([1e10, 3]), {}, dict(sci_mode=False)),
    "threshold 5": Case(ramp(7, 7, dtype=np.int64), {}, dict(threshold=5)),
    "threshold 0, 0-d": Case(np.array(2.5), {}, dict(threshold=0)),
    "edgeitems 1": Case(ramp(3, 3, dtype=np.int64), {}, dict(threshold=0, edgeitems=1)),
    "edgeitems 0": Case(ramp(5), {}, dict(edgeitems=0)),
    "edgeitems 0 summarised": Case(np.zeros((50, 50)), LEAF, dict(edgeitems=0)),
    "edgeitems 0 empty": Case(np.zeros(0), {}, dict(edgeitems=0)),
    "linewidth 20": Case(ramp(2, 2, 5, scale=0.1), LEAF, dict(linewidth=20)),
    "linewidth 5": Case(ramp(2, 2, dtype=np.float64), {}, dict(linewidth=5)),
    "linewidth 200": Case(ramp(40), ALONG, dict(linewidth=200)),
    "profile short": Case(ramp(2000, scale=0.5), {}, dict(profile="short")),
    "profile full": Case(ramp(1001, dtype=np.int64), {}, dict(profile="full")),
    "profile short, precision 7": Case(f32(1 / 3), {}, dict(profile="short", precision=7)),
}


def weft_text(case: Case) -> str:
    facts = {"dtype_name": case.array.dtype.name, **case.facts}
    with printoptions(**case.options):
        return format_tensor(case.array, **facts)


@contextmanager
def torch_settings(torch: Any, case: Case):
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, case.facts.get("default_dtypes", ("float32",))[0]))
    torch.set_printoptions(**{"profile": "default", **case.options})
    try:
        yield
    finally:
        torch.set_default_dtype(before)
        torch.set_printoptions(profile="default")


def torch_text(torch: Any, case: Case) -> str:
    """What PyTorch prints for the tensor that the case describes."""
    facts = case.facts
    dtype = getattr(torch, facts.get("dtype_name", case.array.dtype.name))
    tensor = torch.from_numpy(case.array.copy()).to(dtype).to(facts.get("device") or "cpu")
    if facts.get("requires_grad") or "grad_fn_name" in facts:
        tensor.requires_grad_()
    name = facts.get("prefix", "tensor(").removesuffix("(")
    if name.startswith("Parameter"):
        tensor = torch.nn.Parameter(tensor)
    elif name != "tensor":
        tensor = tensor.detach().as_subclass(type(name, (torch.Tensor,), {})).requires_grad_(tensor.requires_grad)
    if "grad_fn_name" in facts:
        tensor = tensor.clone()
    with torch_settings(torch, case):
        return repr(tensor)


# ---------------------------------------------------------------- goldens

@pytest.mark.parametrize("name", CASES)
def test_golden(name):
    golden = json.loads(GOLDEN.read_text())
    assert weft_text(CASES[name]) == golden[name]


def test_goldens_are_what_torch_prints():
    torch = pytest.importorskip("torch")
    golden = json.loads(GOLDEN.read_text())
    assert {name: torch_text(torch, case) for name, case in CASES.items()} == golden


# ---------------------------------------------------------------- random tensors against PyTorch

FLOATS = ["float32", "float64", "float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def random_floats(rng: np.random.Generator, count: int) -> np.ndarray:
    """Values of one of the kinds that are printed differently, sometimes with zeros and what isn't finite."""
    normal = rng.standard_normal(count)
    kinds = [
        lambda: normal * 10.0 ** rng.integers(-8, 10),
        lambda: normal * 10.0 ** rng.integers(-6, 6, count),
        lambda: np.round(normal * 10.0 ** rng.integers(0, 5)),
        lambda: np.round(10 ** rng.uniform(0, 8.3, count)),
        lambda: 10.0 ** rng.integers(-4, 4) * rng.choice([1, 1.5, 999, 1000, 1001, 1e-3], count),
        lambda: np.zeros(count),
    ]
    values = kinds[rng.integers(len(kinds))]()
    odd = rng.random(count) < rng.choice([0, 0, 0.2, 1])
    values[odd] = rng.choice([NAN, INF, -INF, 0.0, -0.0], odd.sum())
    return values


def random_values(rng: np.random.Generator, dtype_name: str, count: int) -> np.ndarray:
    if dtype_name == "bool":
        return rng.random(count) < rng.choice([0, 0.5, 1])
    if dtype_name in INTS:
        limits = np.iinfo(dtype_name)
        high = min(limits.max, 10 ** int(rng.integers(1, 20)))
        return rng.integers(max(limits.min, -high * int(rng.integers(2))), high, count, dtype_name, endpoint=True)
    values = random_floats(rng, count)
    if dtype_name in COMPLEX:
        both = values.astype(np.complex128)
        both.imag = random_floats(rng, count)
        values = both
    with np.errstate(over="ignore"):
        return values.astype("float32" if dtype_name == "bfloat16" else dtype_name)


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Finite values cut to bfloat16's 8 bits, kept as float32."""
    cut = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isfinite(values), cut, values)


def random_facts(rng: np.random.Generator, dtype_name: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"dtype_name": dtype_name}
    if dtype_name in FLOATS + COMPLEX:
        facts.update([{}, LEAF, ALONG][rng.integers(3)])
    if rng.random() < 0.2:
        facts.update(WIDE)
    if rng.random() < 0.3 and "grad_fn_name" not in facts:  # a subclass's grad_fn has another name in PyTorch
        facts["prefix"] = "T" * int(rng.integers(1, 20)) + "("
    elif rng.random() < 0.05 and "grad_fn_name" not in facts:
        facts.update(META)
    return facts


def random_options(rng: np.random.Generator) -> dict[str, Any]:
    some = {
        "precision": int(rng.integers(0, 9)),
        "threshold": [0, 5, 50, 1000][rng.integers(4)],
        "edgeitems": int(rng.integers(0, 5)),
        "linewidth": int(rng.integers(1, 140)),
        "sci_mode": bool(rng.integers(2)),
        "profile": ["default", "short", "full"][rng.integers(3)],
    }
    return {name: value for name, value in some.items() if rng.random() < 0.3}


def random_case(rng: np.random.Generator) -> Case:
    dtype_name = str(rng.choice([*FLOATS, *FLOATS, *COMPLEX, *INTS, "bool"]))
    sizes = [[1, 2, 3, 5, 6, 7, 9, 15], [1, 2, 7, 40], [0, 1, 2, 7]][rng.choice(3, p=[0.7, 0.2, 0.1])]
    shape = tuple(int(size) for size in rng.choice(sizes, rng.integers(0, 5)))
    values = random_values(rng, dtype_name, math.prod(shape)).reshape(shape)
    if dtype_name == "bfloat16":
        values = to_bfloat16(values)
    return Case(values.T if rng.random() < 0.3 else values, random_facts(rng, dtype_name), random_options(rng))


@pytest.mark.parametrize("seed", range(8))
def test_random_tensors_print_as_in_torch(seed):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    for _ in range(60):
        case = random_case(rng)
        assert weft_text(case) == torch_text(torch, case), (case.array.shape, case.facts, case.options)


# ---------------------------------------------------------------- the rest

def test_only_shown_elements_are_read():
    endless = np.broadcast_to(np.float32(1.5), (10**6, 10**6))  # 4 TB if anything copied it
    assert format_tensor(endless, dtype_name="float32").count("1.5000") == 36
    assert array_str(endless[0]) == "[1.5000, 1.5000, 1.5000,  ..., 1.5000, 1.5000, 1.5000]"


def test_suffixes_contents_and_device():
    text = format_tensor(f32(1), dtype_name="float32", device="cuda:0", requires_grad=True,
                         suffixes=["tangent=tensor([2.])"])
    assert text == "tensor([1.], device='cuda:0', requires_grad=True, tangent=tensor([2.]))"
    assert format_tensor(f32(1), dtype_name="float16",
                         tensor_contents="<lazy>") == "tensor(<lazy>, dtype=torch.float16)"


def test_array_str_indent():
    assert array_str(np.eye(2), indent=4) == "[[1., 0.],\n     [0., 1.]]"


def test_printoptions_are_restored_after_an_error():
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(precision=2, sci_mode=True):
        with printoptions(linewidth=30):
            set_printoptions(threshold=5)  # ends with the block around it
            assert get_printoptions() == dict(precision=2, threshold=5, edgeitems=3, linewidth=30, sci_mode=None)
        assert get_printoptions() == {**before, "precision": 2, "sci_mode": True}
        raise KeyError
    assert get_printoptions() == before


def test_wrong_option_leaves_everything_as_it_was():
    before = get_printoptions()
    with pytest.raises(TypeError), printoptions(digits=3):
        pass
    assert get_printoptions() == before


def test_set_printoptions_reaches_other_threads_but_a_block_does_not():
    seen = []
    look = lambda: seen.append(get_printoptions()["precision"])
    try:
        set_printoptions(precision=6)
        with printoptions(precision=1):
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
            look()
    finally:
        set_printoptions(profile="default")
    assert seen == [6, 1]


def test_unknown_profile_warns_and_changes_nothing():
    before = get_printoptions()
    with printoptions(), pytest.warns(UserWarning, match="no profile 'wide'.*\n.*'default', 'short', 'full'"):
        set_printoptions(profile="wide")
        assert get_printoptions() == before


def test_docstrings():
    assert doctest.testmod(printing).failed == 0


def write_goldens() -> None:
    import torch

    golden = {name: torch_text(torch, case) for name, case in CASES.items()}
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    write_goldens()
