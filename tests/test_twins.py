"""Modules that exist twice, compiled (.pyx) and plain (.py): the same names, and the same answers wherever the plain
one gives one (None or False stands for a case that it doesn't take).
"""
import ast
import importlib
import importlib.util
import itertools
import os
import re

import ml_dtypes
import numpy as np
import pytest

import weft
from weft._pure import PURE

HOME = os.path.dirname(os.path.abspath(weft.__file__))
TWINS = ("core/runtime", "tensor/calls", "kernels/native", "kernels/rng")
compiled_only = pytest.mark.skipif(PURE, reason="needs the compiled twin beside the plain one")

rng = np.random.default_rng(0)
BASE = rng.standard_normal((2, 3, 4))
ARRAYS = [np.asarray(a) for kind in ("f4", "f8", "i8", "i4", "u1", "?", "c8", "c16", "f2", ml_dtypes.bfloat16)
          for x in (BASE.astype(kind),) for a in (x, x[0], x.T, x[:, ::2], x[:, :1], x[0, 0, 0], x[:1, :1, :1],
                                                  x[:0], np.broadcast_to(x[:, :1], (2, 3, 4)), x.copy(order="F"))]


def plain(name):
    spec = importlib.util.spec_from_file_location("plain_" + os.path.basename(name), os.path.join(HOME, name + ".py"))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def written(path):
    with open(os.path.join(HOME, path), encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("name", TWINS)
def test_functions_and_parameters_are_the_same(name):
    """Whatever the plain twin defines for others, the compiled one defines with parameters of the same names."""
    compiled = {}
    for found, params in re.findall(r"^(?:cpdef|def) (?:\w+ )?(\w+)\(([^)]*)\)", written(name + ".pyx"), re.M):
        compiled[found] = [p.split("=")[0].split()[-1].strip("*") for p in params.split(",") if p.strip()]
    for node in ast.parse(written(name + ".py")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            params = [a.arg for a in node.args.args] + ([node.args.kwarg.arg] if node.args.kwarg else [])
            assert compiled.get(node.name) == params, node.name


@pytest.fixture(scope="module")
def native():
    return importlib.import_module("weft.kernels.native"), plain("kernels/native")


def same(got, want):
    if isinstance(want, np.ndarray):
        assert got.shape == want.shape and got.dtype == want.dtype and (got == want).all() or want.size == 0
        assert want.size == 0 or np.shares_memory(got, want)
    else:
        assert got == want and type(got) is type(want)


@compiled_only
@pytest.mark.parametrize("name", ["is_inexact", "is_half", "is_complex", "overlaps", "shape"])
def test_questions_about_one_array(native, name):
    for a in ARRAYS:
        same(getattr(native[0], name)(a), getattr(native[1], name)(a))


@compiled_only
@pytest.mark.parametrize("name", ["same_layout", "same_type"])
def test_questions_about_two_arrays(native, name):
    for a, b in itertools.product(ARRAYS[::3], ARRAYS):
        same(getattr(native[0], name)(a, b), getattr(native[1], name)(a, b))


@compiled_only
def test_scalar(native):
    for a in ARRAYS:
        got, want = native[0].scalar(a), native[1].scalar(a)
        assert got is None or got == want and type(got) is type(want)
        assert got is not None or want is None or a.dtype not in ("f4", "f8", "i8", "?")


@compiled_only
def test_keeps_alone(native):
    for a, b in itertools.product(ARRAYS[:20], ARRAYS[:20]):
        if a.shape == b.shape:
            same(native[0].keeps_alone(a, b), native[1].keeps_alone(a, b))


@compiled_only
def test_views(native):
    compiled, python = native
    for a in ARRAYS:
        for i, j in itertools.product(range(a.ndim), repeat=2):
            same(compiled.transpose(a, i, j), python.transpose(a, i, j))
        if a.flags.writeable:
            same(compiled.strided(a, a.shape, a.strides, 0), python.strided(a, a.shape, a.strides, 0))
        for dim in range(a.ndim + 1):
            same(compiled.unsqueeze(a, dim), np.expand_dims(a, dim))
        same(compiled.expand(a, (5, *a.shape)), np.broadcast_to(a, (5, *a.shape)))
        if a.flags.c_contiguous and a.size:
            same(compiled.reshape(a, (-1,)), a.reshape(-1))
        else:
            assert compiled.reshape(a, (-1,)) is None
        assert python.unsqueeze(a, 0) is None and python.expand(a, (5, *a.shape)) is None
        assert python.reshape(a, (-1,)) is None


@compiled_only
def test_spread(native):
    for keepdim, dims in itertools.product((False, True), (None, (0,), (1,), (0, 2), (0, 1, 2))):
        a = BASE.sum(dims, keepdims=keepdim)
        a = np.asarray(a)
        same(native[0].spread(a, BASE.shape, dims, keepdim), native[1].spread(a, BASE.shape, dims, keepdim))


@compiled_only
def test_the_plain_twin_takes_no_arithmetic(native):
    a = BASE.astype("f4")
    for call in (lambda m: m.unary(1, a), lambda m: m.matmul(a, a.swapaxes(1, 2))):
        assert call(native[1]) is None
    assert not native[1].binary_into(1, a, a) and not native[1].copy_into(a, a)


@compiled_only
def test_runtime():
    compiled, python = importlib.import_module("weft.core.runtime"), plain("core/runtime")
    assert compiled.COMPILED and not python.COMPILED
    for module in (compiled, python):
        old = module.set_mode_bits(5)
        assert module.mode_bits() == 5 and module.set_mode_bits(old) == 5 and module.mode_bits() == old
        old = module.set_running("net.fc1")
        assert module.running() == "net.fc1" and module.set_running(old) == "net.fc1"
        assert module.running() is old
        assert module.user_code() is test_runtime.__code__ and module.user_offset() > 0
        owner = type("Owner", (), {})
        module.attach(owner, "value", 3)
        assert owner().value == 3
