"""The house keeps its order: imports point down the list of DESIGN.md section 2, files stay short, and what is said of
ops is said in their bodies.
"""
import ast
import re
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parent.parent / "weft"
PYTHON = sorted(HOME.rglob("*.py"))
CYTHON = sorted([*HOME.rglob("*.pyx"), *HOME.rglob("*.pxd")])
NATIVE = sorted([*HOME.rglob("*.cpp"), *HOME.rglob("*.h")])
SCRIPTS = sorted((HOME / "viz" / "static").glob("*.js"))
COMPAT_FOLDER = HOME / "compat"

# from the bottom up; a part may import itself, what stands before it, and (in "the rest") its neighbours
ORDER = ("core", "kernels", "tensor", "autograd", "ops.core", "ops", "nn", "optim", "utils", "io", "jit", "batching",
         "the rest", "compat", "cli")
REST = {"amp", "compress", "distributed", "distributions", "fft", "func", "fx", "inspect", "linalg", "masked", "memory",
        "onnx", "online", "profiler", "quasirandom", "random", "serve", "signal", "sparse", "special", "testing", "text", "train", "vision",
        "viz"}
BASE = {"_pure", "_version"}        # what may be imported from anywhere


def place_of(module):
    """Where a module's file or folder stands, as a path without suffix below weft/; None for no module of weft."""
    parts = module.split(".")[1:]
    for folder in (HOME, COMPAT_FOLDER):
        place = folder.joinpath(*parts)
        # a folder of weft/ that holds stubs only belongs to a package of compat
        folders = folder == HOME and place.is_dir() and any(place.glob("*.py"))
        if folders or any(place.with_suffix(s).exists() for s in (".py", ".pyx")) or (place / "__init__.py").exists():
            return place.relative_to(HOME)
    return None


def level(module):
    """How high a module of weft stands, by where its file is; `weft` itself counts as the rest."""
    place = place_of(module)
    parts = place.parts if place is not None else ()
    if not parts:
        return ORDER.index("the rest")
    if parts[0] in BASE:
        return -1
    if parts[0] == "__main__":
        return ORDER.index("cli")
    if parts[0] in REST:
        return ORDER.index("the rest")
    return ORDER.index("ops.core" if parts[:2] == ("ops", "core") else parts[0])


def name_of(path):
    """The name by which a file's module is imported; what stands in compat has its package's name."""
    parts = path.relative_to(HOME).with_suffix("").parts
    if parts[0] == "compat" and len(parts) > 1 and parts[1:] != ("__init__",):
        parts = parts[1:]
    return ".".join(("weft", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imports_of(source, package):
    """(line, full name) of every module that a file of a package imports, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            start = ".".join(parts[:len(parts) - node.level + 1]) if node.level else ""
            yield from _named(node.lineno, ".".join(filter(None, (start, node.module))), [a.name for a in node.names])


def cimports_of(source):
    """The same of a Cython file, which may also cimport."""
    for line, text in enumerate(source.splitlines(), 1):
        found = re.match(r"\s*from (weft[\w.]*) c?import \(?(.+)", text)
        if found:
            yield from _named(line, found[1], re.findall(r"\w+", found[2].partition("#")[0]))
        found = re.match(r"\s*c?import (weft[\w.]*)", text)
        if found:
            yield line, found[1]


def _named(line, module, names):
    for name in names:
        full = f"{module}.{name}"
        yield line, full if module.split(".")[0] == "weft" and place_of(full) is not None else module


def violations(path):
    name = name_of(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = imports_of(path.read_text(), package) if path.suffix == ".py" else cimports_of(path.read_text())
    own = level(name)
    for line, module in found if path != HOME / "__init__.py" else ():
        if module.split(".")[0] == "weft" and level(module) > own:
            yield f"{path.relative_to(HOME.parent)}:{line} imports {module}"


def test_imports_point_down():
    found = [v for path in (*PYTHON, *CYTHON) for v in violations(path)]
    assert not found, "\n".join(["imports that point up:", *found])


def test_every_part_has_its_place():
    parts = {p.name if p.is_dir() else p.stem for p in HOME.iterdir() if (p / "__init__.py").exists() or p.suffix == ".py"}
    unknown = parts - {"__init__", "__main__", "__pycache__", *BASE, *REST, *ORDER}
    assert not unknown, f"parts without a place in ORDER or REST: {sorted(unknown)}"


@pytest.mark.parametrize("module, expected", [
    ("weft.core.dtype", "core"), ("weft.tensor.tensor", "tensor"), ("weft.ops", "ops"), ("weft.linalg", "the rest"),
    ("weft", "the rest"), ("weft.cli.view", "cli"), ("weft.__main__", "cli"), ("weft.testing.close", "the rest"),
    ("weft.nn.parameter", "nn"), ("weft.ops.core.registry", "ops.core"), ("weft.ops.shape.view", "ops"),
    ("weft._C", "compat"), ("weft.nn.modules.batchnorm", "compat"), ("weft.autograd.variable", "compat"),
    ("weft.cuda.amp", "compat"), ("weft.kernels.native", "kernels")])
def test_levels(module, expected):
    assert ORDER[level(module)] == expected


def test_base_is_below_all():
    assert level("weft._pure") == level("weft._version") == -1


@pytest.mark.parametrize("source, expected", [
    ("import weft.nn.parameter", "weft.nn.parameter"), ("from weft.ops.core import registry", "weft.ops.core.registry"),
    ("from weft.ops.core.registry import op", "weft.ops.core.registry"), ("from weft import Tensor", "weft"),
    ("from weft import nn", "weft.nn"), ("def f():\n    from weft.ops.core import apply", "weft.ops.core.apply"),
    ("from .shape import view", "weft.ops.shape.view"), ("from ..core.dtype import dtype", "weft.core.dtype"),
    ("from weft.autograd import variable", "weft.autograd.variable"), ("import numpy as np", "numpy")])
def test_imports_are_found(source, expected):
    assert [module for _, module in imports_of(source, "weft.ops")] == [expected]


@pytest.mark.parametrize("source, expected", [
    ("from weft.core.runtime cimport mode_bits, running", ["weft.core.runtime"] * 2),
    ("cimport weft.tensor.tensor", ["weft.tensor.tensor"]), ("cimport cython", []),
    ("    from weft.kernels import fast  # here", ["weft.kernels.fast"])])
def test_cimports_are_found(source, expected):
    assert [module for _, module in cimports_of(source)] == expected


# size and form

def test_no_file_is_longer_than_800_lines():
    found = {str(p.relative_to(HOME)): n for p in (*PYTHON, *CYTHON, *NATIVE, *SCRIPTS)
             if (n := len(p.read_text().splitlines())) > 800}
    assert not found


def test_no_line_is_longer_than_120_columns():
    found = [f"{p.relative_to(HOME.parent)}:{i}" for p in (*PYTHON, *CYTHON, *NATIVE)
             for i, line in enumerate(p.read_text().splitlines(), 1) if len(line) > 120]
    assert not found, "\n".join(found)


def test_packages_only_re_export():
    """An __init__.py holds imports, names and at most the module's own __getattr__ and __dir__."""
    found = []
    for path in PYTHON:
        if path.name != "__init__.py":
            continue
        for node in ast.parse(path.read_text()).body:
            if (isinstance(node, ast.ClassDef) or isinstance(node, ast.FunctionDef)
                and node.name not in ("__getattr__", "__dir__")):
                found.append(f"{path.relative_to(HOME.parent)}:{node.lineno} defines {node.name}")
    assert not found, "\n".join(found)


# late binding: slots of OPS, `public` and `method` (tensor/names.py), nothing else

def test_methods_are_given_to_tensors_in_one_place():
    found = [str(p.relative_to(HOME)) for p in PYTHON if re.search(r"\battach\(Tensor|setattr\(Tensor\b", p.read_text())]
    assert found == ["tensor/names.py"]


# an object whose type really changes while it lives
CLASS_CHANGES = {"nn/modules/lazy.py": "a lazy layer becomes the layer", "nn/parameter.py": "as does its parameter",
                 "nn/utils/parametrize.py": "a parametrized module and back",
                 "distributed/sharded.py": "what fully_shard has cut is an FSDPModule too, as in PyTorch",
                 "tensor/swap.py": "two tensors change places",
                 "core/runtime.py": "a graph's node takes its op's class when somebody looks",
                 "compat/fx/experimental/rewriter.py": "a copy of a module gets its rewritten forward"}


def test_classes_are_exchanged_only_where_a_type_changes():
    found = {str(p.relative_to(HOME)) for p in PYTHON if re.search(r"\.__class__ *= ", p.read_text())}
    assert found == set(CLASS_CHANGES)


# what is said of ops is said in their bodies

# lists of op names that are no such thing; each with its reason
LISTS = {
    ("batching/links.py", "gelu"): "functions of kernels (kernels/codes.py), by what their gradient's kernel reads",
    ("batching/links.py", "add"): "derivatives of functions of kernels, as programs of such functions",
    ("compat/_masked_tensor.py", "sum"): "what PyTorch's prototype reduces",
    ("compat/_masked_tensor.py", "softmax"): "and normalises",
    ("compat/_older.py", "sum"): "what segment_reduce takes by name, and with what it begins",
    ("compat/nested.py", "softmax"): "of which functions PyTorch's nested tensors count the dimensions from the parts",
    ("io/known.py", "relu"): "what a file of a whole model may name by a short name: PyTorch's, bounded on purpose",
    ("nn/init.py", "linear"): "calculate_gain's argument, as PyTorch documents it",
}
# the same in weft/ops, outside of the bodies
LISTS_OF_OPS = {
    ("ops/index/rows.py", "prod"): "values of the argument `reduce`",
    ("ops/index/scatter.py", "sum"): "values of the argument `reduce`",
    ("ops/lists/foreach.py", "abs"): "PyTorch's _foreach_ functions, made from the ops of the same names",
    ("ops/lists/foreach.py", "add"): "PyTorch's _foreach_ functions, made from the ops of the same names",
    ("ops/nn/activation.py", "relu"): "functions that PyTorch has in place in nn.functional",
    ("ops/nn/recurrent.py", "lstm"): "the kinds of cells of one op",
    ("ops/sparse/matrices.py", "sum"): "values of the argument `reduce`",
    ("ops/pointwise/special_ortho.py", "airy_ai"): "ops that differ in nothing but their kernel, made in a loop",
    ("ops/pointwise/special_ortho.py", "chebyshev_polynomial_t"): "the same, of two operands",
    ("ops/random/draws.py", "uniform"): "names that PyTorch has as methods with _ only",
}


@pytest.fixture(scope="module")
def op_names():
    import weft
    import weft.ops.lists.foreach
    import weft.optim  # noqa: F401
    from weft.ops.core.registry import ALL, OPS_BY_NAME
    assert weft.add.op in ALL
    return {name.rpartition(".")[2] for name in OPS_BY_NAME} | {op.name for op in ALL}


def lists_of_names(source, names):
    """(line, names) of every literal, outside of op bodies, that holds four or more names of ops and nothing else."""
    tree = ast.parse(source)
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(getattr(d, "id", "") == "op" for d in node.decorator_list):
            skipped.update(map(id, ast.walk(node)))
        if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in node.targets):
            skipped.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        for found in _words(node) if id(node) not in skipped else ():
            if len(found) >= 4 and set(found) <= names:
                yield node.lineno, found


def _words(node):
    """The strings of a literal; None stands for what is no string."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        yield [getattr(e, "value", None) for e in node.elts]
    elif isinstance(node, ast.Dict):
        yield [getattr(e, "value", None) for e in node.keys]
        yield [e.value if isinstance(e, ast.Constant) else None for e in node.values]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        text = getattr(node.func.value, "value", None)
        yield text.split() if isinstance(text, str) else []


def lists_in_script(source, names):
    """The same of a JavaScript file: strings of words, and arrays of strings."""
    found = [text.split() for text in re.findall(r'"([\w$ ]+)"', source)]
    found += [re.findall(r'"(\w+)"', text) for text in re.findall(r"\[([^\[\]]*)\]", source)]
    return [words for words in found if len(words) >= 4 and sum(w.strip("$") in names for w in words) > len(words) / 2]


def found_lists(names, where):
    return {(str(p.relative_to(HOME)), words[0]): line for p in PYTHON if (p.relative_to(HOME).parts[0] == "ops") is where
            for line, words in lists_of_names(p.read_text(), names)}


@pytest.mark.parametrize("inside, allowed", [(False, LISTS), (True, LISTS_OF_OPS)], ids=["outside", "in ops"])
def test_no_list_of_op_names_outside_of_bodies(op_names, inside, allowed):
    found = found_lists(op_names, inside)
    new = [f"weft/{path}:{line} lists ops, from {first!r} on" for (path, first), line in found.items()
           if (path, first) not in allowed]
    assert not new, "\n".join([*new, "  fix: say it in the ops' bodies (ops/core/registry.py), and ask the op"])
    gone = set(allowed) - set(found)
    assert not gone, f"no longer there, so they need no reason: {sorted(gone)}"


def test_no_list_of_op_names_in_scripts(op_names):
    found = {(p.name, words[0]) for p in SCRIPTS for words in lists_in_script(p.read_text(), op_names)}
    assert found == {("data.js", "min")}        # the figures of a tensor's statistics


@pytest.mark.parametrize("source, expected", [
    ("A = ('add', 'mul', 'sub', 'div')", 1), ("A = ('add', 'mul', 'sub')", 0), ("A = ['add', 'mul', 'sub', 'x y']", 0),
    ("A = 'add mul sub div'.split()", 1), ("A = {'add': 1, 'mul': 2, 'sub': 3, 'div': f}", 1),
    ("A = {1: 'add', 2: 'mul', 3: 'sub', 4: 'div'}", 1), ("__all__ = ['add', 'mul', 'sub', 'div']", 0),
    ("@op\nclass f:\n    like = ('add', 'mul', 'sub', 'div')", 0), ("if x in {'add', 'mul', 'sub', 'div'}: pass", 1)])
def test_lists_are_found(op_names, source, expected):
    assert len(list(lists_of_names(source, op_names))) == expected


@pytest.mark.parametrize("source, expected", [
    ('const A = ["add", "mul", "sub", "div"];', 1), ('f("sum mean prod max$ cum")', 1), ('f("a b c d e")', 0)])
def test_lists_in_scripts_are_found(op_names, source, expected):
    assert len(lists_in_script(source, op_names)) == expected
