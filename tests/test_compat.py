"""weft/compat: PyTorch's module names, each of which is one module, found by Python's own means."""
import importlib
import os
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import weft

HOME = Path(weft.__file__).resolve().parent
FILES = [p for p in sorted((HOME / "compat").rglob("*.py")) if p != HOME / "compat" / "__init__.py"
         and "site-packages" not in p.parts]        # what stands on a path so that `import torch` finds it


def name_of(path):
    parts = path.relative_to(HOME / "compat").with_suffix("").parts
    return ".".join(("weft", *(parts[:-1] if parts[-1] == "__init__" else parts)))


NAMES = [name_of(path) for path in FILES]
# parts of a package that nobody reaches as an attribute
UNLISTED = {"_flags", "alone", "decorators", "_trace_wrapped_higher_order_op", "symbolic_shapes", "graph_module", "kinds",
            "symbolic_helper", "symbolic_opset11", "observer", "fake_quantize", "placement_types", "join"}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_the_module_of_its_pytorch_name(name):
    found = importlib.import_module(name)
    assert found.__name__ == name
    assert Path(found.__file__).is_relative_to(HOME / "compat")
    parent, _, last = name.rpartition(".")
    if last not in ("data_parallel", "parallel_apply", "replicate", "spawn"):  # also a function, as in PyTorch
        assert getattr(sys.modules[parent], last) is found


@pytest.mark.parametrize("name", NAMES)
def test_it_has_no_second_name(name):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name.replace("weft.", "weft.compat.", 1))


@pytest.mark.parametrize("name", sorted({n.rpartition(".")[0] for n in NAMES}))
def test_packages_show_what_they_have_there(name):
    package = importlib.import_module(name)
    listed = [found.name for found in pkgutil.iter_modules(package.__path__)]
    assert len(listed) == len(set(listed))
    own = {n.rpartition(".")[2] for n in NAMES if n.rpartition(".")[0] == name}
    assert own <= set(listed)
    for part in own:            # a package has what was imported of it
        importlib.import_module(f"{name}.{part}")
    assert own - {"_checks"} - UNLISTED <= set(dir(package))


def test_what_stands_beside_a_package_comes_first():
    assert not [p for p in FILES if (HOME / p.relative_to(HOME / "compat")).exists()]


def test_a_module_can_be_reloaded():
    import weft.backends.cudnn
    weft.backends.cudnn.benchmark = True
    assert importlib.reload(weft.backends) is weft.backends is sys.modules["weft.backends"]
    assert importlib.reload(weft.backends.cudnn) is weft.backends.cudnn is sys.modules["weft.backends.cudnn"]
    assert weft.backends.cudnn.benchmark is False


def test_the_module_of_global_hooks_can_be_reloaded_and_written_to():
    import weft.nn.modules.module as before
    found = importlib.reload(before)
    assert found is sys.modules["weft.nn.modules.module"]
    seen = []
    handle = found.register_module_forward_hook(lambda *args: seen.append(1))
    try:
        weft.nn.Identity()(weft.ones(1))
        found._global_forward_hooks = type(found._global_forward_hooks)()
        weft.nn.Identity()(weft.ones(1))
    finally:
        handle.remove()
    assert seen == [1]


def test_pickles_by_name():
    from weft.nn.attention import SDPBackend
    assert SDPBackend.__module__ == "weft.nn.attention"
    assert pickle.loads(pickle.dumps(SDPBackend.MATH)) is SDPBackend.MATH


@pytest.mark.parametrize("pure", ["0", "1"])
def test_python_runs_a_module_by_its_name(pure):
    made = subprocess.run([sys.executable, "-m", "weft.version"], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "WEFT_PURE": pure})
    assert made.returncode == 0, made.stderr


def test_every_public_function_can_be_pickled():
    """F.relu_ said that it stood in a file of ops, where pickle didn't find it; so did torch.dropout, fft.fftfreq, ..."""
    spaces = [weft, weft.nn.functional, weft.linalg, weft.fft, weft.special, weft.nn.init, weft.autograd, weft.func]
    for space in spaces:
        for name in dir(space):
            value = getattr(space, name)
            if name.startswith("_") or not callable(value) or isinstance(value, type):
                continue
            assert pickle.loads(pickle.dumps(value)) is value, f"{space.__name__}.{name}"


def test_a_module_is_no_script_module():
    assert not isinstance(weft.nn.Linear(1, 1), weft.jit.ScriptModule)
    assert issubclass(weft.jit.ScriptModule, weft.nn.Module)


OLD = [("add", (1, 0.5, 2), 2.0), ("sub", (1, 0.5, 2), 0.0), ("addcmul", (1, 2, 3, 4), 25.0), ("addcdiv", (1, 2, 6, 3), 5.0)]


@pytest.mark.parametrize("name, numbers, expected", OLD)
def test_numbers_before_tensors_as_in_old_programs(name, numbers, expected):
    first, scale, *others = numbers
    x, others = weft.full((2,), float(first)), [weft.full((2,), float(n)) for n in others]
    with pytest.warns(UserWarning, match="deprecated"):
        assert getattr(weft, name)(x, scale, *others).tolist() == [expected] * 2
    with pytest.warns(UserWarning, match="deprecated"):
        assert getattr(x.clone(), name + "_")(scale, *others).tolist() == [expected] * 2


def test_products_with_their_factors_first():
    m, v = weft.ones(2, 2), weft.ones(2)
    with pytest.warns(UserWarning, match="deprecated"):
        assert weft.addmm(2, m, 3, m, m).tolist() == [[8.0] * 2] * 2
        assert weft.addr(2, m, 3, v, v).tolist() == [[5.0] * 2] * 2
        assert weft.addbmm(2, m, m[None], m[None]).tolist() == [[4.0] * 2] * 2
        assert m.clone().addr_(2, 3, v, v).tolist() == [[5.0] * 2] * 2
        assert weft.baddbmm(2, m[None], m[None], m[None]).tolist() == [[[4.0] * 2] * 2]
