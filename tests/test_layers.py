"""The house keeps its order: imports point down the list of DESIGN.md section 2, files stay short."""
import ast
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parent.parent / "weft"
FILES = sorted(HOME.rglob("*.py"))

# from the bottom up; a part may import itself, what stands before it, and (in "the rest") its neighbours
ORDER = ("core", "kernels", "tensor", "autograd", "ops", "nn", "optim", "utils", "io", "jit", "batching")
REST, CLI = len(ORDER), len(ORDER) + 1
BASE = {"_pure", "_version"}        # what may be imported from anywhere


def level(module):
    """How high a module of weft stands; `weft` itself and its namespace modules count as the rest."""
    part = module.split(".")[1] if "." in module else ""
    if part in BASE:
        return -1
    if part in ORDER:
        return ORDER.index(part)
    return CLI if part in ("cli", "__main__") else REST


def name_of(path):
    parts = path.relative_to(HOME.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name):
    place = HOME.parent.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").exists() or place.with_suffix(".pyx").exists()


def imports_of(source, package):
    """(line, full name) of every module that a file of a package imports, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            start = ".".join(parts[:len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (start, node.module)))
            for alias in node.names:
                full = f"{module}.{alias.name}"
                yield node.lineno, full if module.split(".")[0] == "weft" and is_module(full) else module


def violations(path):
    own, name = level(name_of(path)), name_of(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for line, module in imports_of(path.read_text(), package) if path != HOME / "__init__.py" else ():
        if module.split(".")[0] == "weft" and level(module) > own:
            yield f"{path.relative_to(HOME.parent)}:{line} imports {module}"


def test_imports_point_down():
    found = [v for path in FILES for v in violations(path)]
    assert not found, "\n".join(["imports that point up:", *found])


def test_no_file_is_longer_than_800_lines():
    found = {str(p.relative_to(HOME)): n for p in FILES if (n := len(p.read_text().splitlines())) > 800}
    assert not found


def test_packages_only_re_export():
    """An __init__.py holds imports, names and at most the module's own __getattr__ and __dir__."""
    found = []
    for path in FILES:
        if path.name != "__init__.py":
            continue
        for node in ast.parse(path.read_text()).body:
            if (isinstance(node, ast.ClassDef) or isinstance(node, ast.FunctionDef)
                and node.name not in ("__getattr__", "__dir__")):
                found.append(f"{path.relative_to(HOME.parent)}:{node.lineno} defines {node.name}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("module, expected", [
    ("weft.core.dtype", 0), ("weft.tensor.tensor", 2), ("weft.ops", 4), ("weft.linalg", REST), ("weft", REST),
    ("weft._pure", -1), ("weft.cli.run", CLI), ("weft.testing.close", REST), ("weft.nn.parameter", 5)])
def test_levels(module, expected):
    assert level(module) == expected


@pytest.mark.parametrize("source, expected", [
    ("import weft.nn.parameter", "weft.nn.parameter"), ("from weft.ops.core import registry", "weft.ops.core.registry"),
    ("from weft.ops.core.registry import op", "weft.ops.core.registry"), ("from weft import Tensor", "weft"),
    ("from weft import nn", "weft.nn"), ("def f():\n    from weft.ops.core import apply", "weft.ops.core.apply"),
    ("from .shape import view", "weft.ops.shape.view"), ("from ..core.dtype import dtype", "weft.core.dtype"),
    ("import numpy as np", "numpy")])
def test_imports_are_found(source, expected):
    assert [module for _, module in imports_of(source, "weft.ops")] == [expected]
