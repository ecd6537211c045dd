"""Writes the type stubs of what the op registry adds at run time: weft/__init__.pyi and weft/tensor/tensor.pyi.

    python tools/stubs.py            writes them
    python tools/stubs.py --check    exit code 1 if they are not what would be written
"""
import inspect
import keyword
import pathlib
import sys

import weft
from weft.ops.core.body import MISSING
from weft.ops.core.registry import FUNCTIONS

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOLS = {"keepdim", "largest", "sorted", "descending", "requires_grad", "upper", "unbiased"}
TENSOR_HEAD = '''class Tensor:
    array: np.ndarray[Any, Any]
    grad: Tensor | None
    data: Tensor
    requires_grad: builtins.bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def shape(self) -> Size: ...
    @property
    def dtype(self) -> dtype_: ...
    @property
    def device(self) -> device_: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def is_leaf(self) -> builtins.bool: ...
    @property
    def grad_fn(self) -> Any: ...
    @property
    def output_nr(self) -> builtins.int: ...
    def item(self) -> Any: ...
    def tolist(self) -> Any: ...
    def numpy(self, *, force: builtins.bool = ...) -> np.ndarray[Any, Any]: ...
    def __len__(self) -> builtins.int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __contains__(self, value: Any) -> builtins.bool: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __bool__(self) -> builtins.bool: ...
    def __float__(self) -> builtins.float: ...
    def __int__(self) -> builtins.int: ...
    def __index__(self) -> builtins.int: ...
    def __hash__(self) -> builtins.int: ...
    def __neg__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
'''
OPERATORS = ("add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv ifloordiv mod "
             "rmod imod pow rpow ipow matmul rmatmul and rand iand or ror ior xor rxor ixor lshift rlshift ilshift "
             "rshift rrshift irshift lt le gt ge").split()


def parameters(function):
    """The parameters of an op's function as stub text, without the first when it becomes `self`."""
    op = getattr(function, "op", None)
    if op is None or op.pack >= 0:
        return None
    found = []
    for i, (name, default) in enumerate(zip(op.names, op.defaults)):
        if i == op.n_positional:
            found.append("*")
        name = {"x": "input", "y": "other"}.get(name, name)
        text = f"{name}: {'builtins.bool' if name in BOOLS else 'Any'}"
        found.append(text if default is MISSING else f"{text} = ...")
    return found


def returns(function):
    """What a call gives, as the op's own samples show it."""
    op = getattr(function, "op", None)
    if op is None:
        return "Any"
    if op.outputs or op.multi_view:
        return "Any"
    if op.forward is not None or op.pointwise:
        return "Tensor"
    return "Any" if op.name in ("equal", "allclose", "is_nonzero") else "Tensor" if op.samples else "Any"


def signature(function, method):
    found = parameters(function)
    if found is None:
        return "(self, *args: Any, **kwargs: Any)" if method else "(*args: Any, **kwargs: Any)"
    if method:
        found = ["self", *found[1:]]
        if found[-1] == "*":
            found.pop()
    else:
        if not any(p.startswith("out:") for p in found):
            found = [*found, *([] if "*" in found else ["*"]), "out: Any = ..."]
    return f"({', '.join(found)})"


def tensor_stub():
    lines = ['"""Made by tools/stubs.py from the op registry."""', "import builtins",
             "from collections.abc import Iterator", "from typing import Any", "",
             "import numpy as np", "", "from weft.core.device import device as device_",
             "from weft.core.dtype import dtype as dtype_", "from weft.core.size import Size", "", "OPS: Any", "",
             "class Storage: ...", "class View: ...", "", TENSOR_HEAD.rstrip()]
    lines += [f"    def __{name}__(self, other: Any) -> Tensor: ..." for name in OPERATORS]
    said = TENSOR_HEAD
    for name in sorted(dir(weft.Tensor)):
        if name.startswith("_") or f"def {name}(" in said or f"    {name}:" in said or keyword.iskeyword(name):
            continue
        value = inspect.getattr_static(weft.Tensor, name)
        if isinstance(value, property) or type(value).__name__ in ("getset_descriptor", "member_descriptor"):
            lines += ["    @property", f"    def {name}(self) -> Any: ..."]
        else:
            lines.append(f"    def {name}{signature(value, True)} -> {returns(value)}: ...")
    lines += ["", "def wrap(array: np.ndarray[Any, Any]) -> Tensor: ...", "def alias(source: Tensor) -> Tensor: ...",
              "def wrap_view(*args: Any) -> Tensor: ...", "def replay(chain: Any, base: Tensor) -> Tensor: ..."]
    return "\n".join(lines) + "\n"


def package_stub():
    lines = ['"""Made by tools/stubs.py from the op registry."""', "import builtins", "from typing import Any", "",
             "from weft import autograd as autograd", "from weft.core.device import device as device",
             "from weft.core.dtype import dtype as dtype", "from weft.core.size import Size as Size",
             "from weft.io.api import load as load", "from weft.io.api import save as save",
             "from weft.tensor.tensor import Tensor as Tensor", "", "__version__: builtins.str"]
    for name in sorted(vars(weft)):
        value = vars(weft)[name]
        if (name.startswith("_") or name in ("autograd", "device", "dtype", "Size", "Tensor", "save", "load")
            or keyword.iskeyword(name)):
            continue
        if isinstance(value, weft.dtype):
            lines.append(f"{name}: dtype")
        elif name in FUNCTIONS:
            lines.append(f"def {name}{signature(value, False)} -> {returns(value)}: ...")
        elif inspect.ismodule(value):
            continue
        else:
            lines.append(f"{name}: Any")
    lines += [f"{name}: Any" for name in sorted({*weft._LAZY.split(), *weft._TOOLS}) if not name.startswith("_")]
    return "\n".join(lines) + "\n"


def main():
    wanted = {ROOT / "weft" / "__init__.pyi": package_stub(), ROOT / "weft" / "tensor" / "tensor.pyi": tensor_stub()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date\n  fix: python tools/stubs.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
