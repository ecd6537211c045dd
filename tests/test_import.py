"""`import weft` stays small: what it brings in besides NumPy, and what it must not."""
import json
import pathlib
import subprocess
import sys

import pytest

FORBIDDEN = ("torch", "scipy", "ml_dtypes", "asyncio", "unittest", "multiprocessing", "matplotlib", "onnx", "pandas",
             "mpi4py", "dataclasses")
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
    assert len(extra) <= 20, extra


def test_bfloat16_brings_ml_dtypes_in():
    assert "ml_dtypes" in modules_after("import weft; weft.ones(2).bfloat16()")


def test_lazy_namespaces_are_there():
    found = modules_after("import weft; weft.linalg; weft.nn.Parameter; weft.testing.assert_close; weft.utils.dlpack")
    assert {"weft.linalg", "weft.nn", "weft.testing", "weft.utils.dlpack"} <= found


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_the_import_leaves_the_collector_as_it_was(before):
    modules_after(f"import gc; gc.{before}(); on = gc.isenabled(); import weft; assert gc.isenabled() == on; "
                  "assert gc.get_freeze_count() == 0")


def test_the_import_keeps_what_the_program_froze():
    modules_after("import gc; gc.freeze(); n = gc.get_freeze_count(); import weft; "
                  "assert gc.get_freeze_count() > n // 2")


def test_named_results_are_made_when_used():
    """Each costs as much as importing a small file."""
    modules_after("import weft; from weft.ops.core.body import RETURNS; assert not RETURNS, RETURNS; "
                  "weft.ones(2, 2).max(0); assert list(RETURNS) == ['max']")


def test_a_pickled_named_result_is_read_where_none_was_made(tmp_path):
    path = tmp_path / "result.pickle"
    modules_after(f"import pickle, weft; pickle.dump(weft.eye(2).sort(), open({str(path)!r}, 'wb'))")
    modules_after(f"import pickle, weft; found = pickle.load(open({str(path)!r}, 'rb')); "
                  "assert type(found) is type(weft.eye(2).sort()) and found.indices.shape == (2, 2)")
