"""jit.script and files: classes of the user's own, dataclasses, enums, hooks; in weft's name and in torch's."""
# ruff: noqa: UP006, UP035, UP045  (what TorchScript's programs write)
import collections
import dataclasses
import enum
import io
import subprocess
import sys
from typing import Any, Dict, List

import pytest

import weft
from weft import nn


def through_file(thing):
    """What comes back from a file, and from a file of that."""
    for _ in range(2):
        file = io.BytesIO()
        weft.jit.save(weft.jit.script(thing), file)
        file.seek(0)
        thing = weft.jit.load(file)
    return thing


def agrees(thing, *args):
    """The same in Python and from a file; gives what came from the file."""
    script = weft.jit.script(thing)
    loaded, wanted = through_file(script), script(*args)
    found = loaded(*args)
    assert type(found) is type(wanted)
    assert weft.equal(found, wanted) if isinstance(wanted, weft.Tensor) else str(found) == str(wanted)
    return loaded


# layers

class Own(nn.Conv2d):
    """Nothing of its own: forward is that of a layer."""


class OwnDropout(nn.Dropout):
    def extra(self):
        return self.p


@pytest.mark.parametrize("layer", [Own(1, 2, 3), OwnDropout(0.0), nn.Sequential(Own(1, 1, 1), nn.ReLU())])
def test_a_subclass_of_a_layer_without_a_forward(layer):
    agrees(layer, weft.randn(1, 1, 4, 4))


# methods that belong to a class

class Belongs(nn.Module):
    @staticmethod
    def scaled(x: weft.Tensor, by: int) -> weft.Tensor:
        return x * by

    @classmethod
    def shifted(cls, x: weft.Tensor) -> weft.Tensor:
        return cls.scaled(x, 2) + 1

    def forward(self, x):
        return self.scaled(x, 3) + Belongs.scaled(x, 2) + self.shifted(x) + Belongs.shifted(x)


def test_static_and_class_methods_of_a_module():
    loaded = agrees(Belongs(), weft.ones(2))
    assert weft.equal(loaded.scaled(weft.ones(1), 4), weft.tensor([4.]))


class Kept:
    unit = 7

    def __init__(self, n: int):
        self.n, self.seen = n, [n]

    @staticmethod
    def of(n: int) -> "Kept":
        return Kept(n)

    @classmethod
    def double(cls, n: int) -> "Kept":
        return cls(2 * n)

    @property
    def twice(self) -> int:
        return 2 * self.n

    def add(self, n: int) -> int:
        self.n += n
        self.seen.append(n)
        return self.n + self.unit

    def __delitem__(self, at: int):
        del self.seen[at]

    def __bool__(self) -> bool:
        return self.n > 3

    def __len__(self) -> int:
        return len(self.seen)


def uses_kept(n: int) -> List[int]:
    a, b, c = Kept(n), Kept.of(n), Kept.double(n)
    del a[0]
    if b:
        n = 100
    return [a.add(1), b.twice, c.n, len(a), len(b), n, c.of(5).n]


@pytest.mark.parametrize("n", [1, 5])
def test_what_a_users_class_may_have(n):
    agrees(uses_kept, n)


class Holds(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept, self.list, self.named = Kept(2), [Kept(3), Kept(4)], {"a": Kept(5)}
        self.unread = open          # of no concern: the program doesn't read it

    def forward(self, x):
        for one in self.list:
            x = x + one.n
        return x * self.kept.add(1) + self.named["a"].twice


def test_objects_that_a_module_holds():
    file = io.BytesIO()
    script = weft.jit.script(Holds())
    script.save(file)
    file.seek(0)
    loaded = weft.jit.load(file)
    assert weft.equal(loaded(weft.ones(1)), script(weft.ones(1)))       # each call counts on
    assert weft.equal(loaded(weft.ones(1)), script(weft.ones(1)))
    assert loaded.kept.n == 4


class Region:
    def __init__(self, n: int):
        self.n = n

    def __enter__(self) -> int:
        self.n += 1
        return self.n

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.n = 100


def in_regions(x: weft.Tensor) -> weft.Tensor:
    one = Region(2)
    with one as n, Region(5) as m:
        x = x + n * m
    with one:
        x = x + one.n
    with weft.autocast("cpu", dtype=weft.bfloat16, enabled=False):
        x = x * 2
    return x + one.n


def test_with_as():
    agrees(in_regions, weft.ones(2))


# dataclasses

@dataclasses.dataclass(order=True)
class Size:
    high: int
    wide: int = 3
    names: List[str] = dataclasses.field(default_factory=list)
    area: int = dataclasses.field(init=False, default=0, compare=False)
    scale: dataclasses.InitVar[int] = 2
    deep: int = dataclasses.field(default=1, kw_only=True)

    def __post_init__(self, scale: int):
        self.area = self.high * self.wide * self.deep * scale


def sizes(n: int) -> List[int]:
    a, b, c = Size(n), Size(n, wide=4, deep=2), Size(3, 3, scale=5)
    a.names.append("x")
    return [a.area, b.area, c.area, len(a.names), len(b.names), int(a < b), int(a == c), int(b >= a), int(a != b),
            len(f"{c}"), sorted([b, c, a])[0].area]


def test_dataclasses():
    agrees(sizes, 3)


@dataclasses.dataclass
class Made:
    kept: Kept = dataclasses.field(default_factory=lambda: Kept(1))


def makes_one() -> int:
    return Made().kept.n


def test_a_default_that_a_function_makes_is_refused_with_its_field():
    with pytest.raises(RuntimeError, match="field 'kept' is made by a function"):
        weft.jit.script(makes_one).save_to_buffer()


# enums

class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Paints(nn.Module):
    def __init__(self):
        super().__init__()
        self.color, self.worth = Color.RED, {Color.RED: 10, Color.BLUE: 20}

    def forward(self, x, color: Color):
        if color is Color.BLUE:
            x = x * color.value
        if color == self.color:
            x = x + 100
        assert isinstance(color, Color)
        return x + self.worth[color]


@pytest.mark.parametrize("color", list(Color))
def test_the_users_own_enum_is_the_files(color):
    loaded = agrees(Paints(), weft.ones(1), color)
    assert loaded.color == Color.RED
    assert Color.RED == loaded.color != Color.BLUE


# functions of Python's and of weft's

def cuts(x: List[int]) -> List[int]:
    return x[slice(1, 3)] + x[slice(2)] + [int(hash(x[0]) == hash(1))]


def ordered(n: int) -> Dict[str, int]:
    made = collections.OrderedDict([("b", 1)])
    made["a"] = n
    return made


def gradient(x: weft.Tensor) -> weft.Tensor:
    found = weft.autograd.grad([(x * x).sum()], [x])[0]
    return found if found is not None else x


def packs(x: weft.Tensor, lengths: weft.Tensor) -> weft.Tensor:
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    back, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    return back + packed.data.sum()


def fills(x: weft.Tensor) -> weft.Tensor:
    return nn.init.constant_(x.clone(), 3.) + weft.LongTensor([1, 2]) + weft.sparse.mm(x.to_sparse(), x)


def complexes(x: complex) -> complex:
    return x * LARGE


LARGE = complex(float("inf"), 2)


def halves(x: weft.Tensor) -> weft.Tensor:
    return x.to(weft.bfloat16) + weft.ones(2, dtype=weft.float16)


@pytest.mark.parametrize(("function", "args"), [
    (cuts, ([1, 2, 3, 4],)), (gradient, (weft.ones(2, requires_grad=True),)), (halves, (weft.ones(2),)),
    (packs, (weft.ones(2, 3, 1), weft.tensor([3, 2]))), (fills, (weft.ones(2, 2),)), (complexes, (1j,))])
def test_functions_that_files_may_name(function, args):
    agrees(function, *args)


def test_an_ordered_dict_is_a_dict_in_a_file():
    assert list(through_file(ordered)(3).items()) == [("b", 1), ("a", 3)]


class Walks(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.list = nn.Linear(2, 2), nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])
        self.register_buffer("kept", weft.ones(1))

    def forward(self, x):
        names: List[str] = []
        for name, _ in self.named_modules():
            names.append(name)
        for name, _ in self.a.named_parameters():
            names.append(name)
        for p in self.parameters():
            x = x + p.sum()
        for _, b in self.named_buffers():
            x = x + b
        for _ in self.list.children():
            x = x * 2
        return x + len("".join(names))


def test_a_module_that_looks_at_what_it_holds():
    agrees(Walks(), weft.ones(2))


def complex_types(x: List, y: Dict, z: complex = complex("nan")):
    return len(x) + len(y)


def test_types_without_what_they_hold_and_numbers_without_a_text():
    assert through_file(complex_types)([1], {}) == 1


def test_texts_may_be_indented():
    unit = weft.jit.CompilationUnit("""
        def double(x):
            return x * 2
    """)
    assert unit.double(4) == 8


def test_what_is_no_function_of_python_is_refused():
    with pytest.raises(RuntimeError, match="isn't written in Python|source of relu can't be read"):
        weft.jit.script(weft.relu).save_to_buffer()


UNDER_TORCHS_NAME = """
import io, torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Dropout(0.5), nn.Flatten())
        self.list = nn.ModuleList([nn.Linear(8, 8), nn.LSTM(8, 8)])
        self.kind = torch.bfloat16
    def forward(self, x):
        x = self.parts(x)
        for part in self.list[:1]:
            x = part(x)
        return self.list[1](x[None])[0].to(self.kind)
net = Net().eval()
file = io.BytesIO()
torch.jit.script(net).save(file)
file.seek(0)
x = torch.ones(1, 1, 4, 4)
print(torch.equal(torch.jit.load(file)(x), net(x)), torch.jit.freeze(torch.jit.script(net))(x).shape)
"""


def test_layers_are_known_where_torch_is_weft(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(UNDER_TORCHS_NAME)
    found = subprocess.run([sys.executable, "-m", "weft", "run", str(program)], capture_output=True, text=True,
                           check=False)
    assert found.stdout == "True torch.Size([1, 1, 8])\n", found.stderr
