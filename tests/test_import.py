"""`import weft` stays small: what it brings in besides NumPy, and what it must not."""
import json
import pathlib
import subprocess
import sys

import pytest

FORBIDDEN = ("torch", "scipy", "ml_dtypes", "asyncio", "unittest", "multiprocessing", "matplotlib", "onnx", "pandas",
             "mpi4py")
# weft's parts that are imported when first used
LAZY = ("nn", "optim", "utils", "testing", "fft", "linalg", "special", "masked", "sparse", "ops.sparse", "signal", "jit", "io", "profiler", "viz",
        "distributions", "func", "amp", "distributed", "vision", "text", "random", "memory", "inspect", "compat")
COMPAT = pathlib.Path(__file__).resolve().parent.parent / "weft" / "compat"

LIST = "import json, sys; {}; print(json.dumps(sorted(sys.modules)))"


def modules_after(statement, **environment):
    import os
    made = subprocess.run([sys.executable, "-c", LIST.format(statement)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    assert made.returncode == 0, made.stderr
    return set(json.loads(made.stdout))


@pytest.fixture(scope="module", params=["0", "1"], ids=["compiled", "pure"])
def imported(request):
    return modules_after("import weft", WEFT_PURE=request.param)


def test_nothing_heavy_is_imported(imported):
    assert not [name for name in FORBIDDEN if name in imported]


def test_namespaces_are_imported_when_used(imported):
    assert not [name for name in LAZY if "weft." + name in imported]


def test_nothing_of_compat_is_imported(imported):
    names = [path.relative_to(COMPAT).with_suffix("").as_posix().replace("/", ".") for path in COMPAT.rglob("*.py")]
    assert len(names) > 50 and not [name for name in names if "weft." + name.removesuffix(".__init__") in imported]


def test_what_comes_besides_numpy_is_bounded(imported):
    alone = modules_after("import numpy")
    extra = sorted(name for name in imported - alone if not name.startswith("weft"))
    assert len(extra) <= 30, extra


def test_bfloat16_brings_ml_dtypes_in():
    assert "ml_dtypes" in modules_after("import weft; weft.ones(2).bfloat16()")


def test_lazy_namespaces_are_there():
    found = modules_after("import weft; weft.linalg; weft.nn.Parameter; weft.testing.assert_close; weft.utils.dlpack")
    assert {"weft.linalg", "weft.nn", "weft.testing", "weft.utils.dlpack"} <= found
