"""`weft run`: PyTorch programs run as they are, and torch is weft for all that they import and start."""
import os
import subprocess
import sys
import textwrap

import pytest

from weft._torch import SITE


def weft_run(*arguments, cwd=None, **environment):
    return subprocess.run([sys.executable, "-m", "weft", "run", *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, cwd=cwd, env={**os.environ, **environment})


def program(folder, text, name="program.py"):
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


def output(folder, text, *arguments, **environment):
    made = weft_run(program(folder, text), *arguments, **environment)
    assert made.returncode == 0, made.stderr
    return made.stdout


@pytest.mark.parametrize("pure", ["0", "1"])
def test_torch_is_weft_by_every_name(tmp_path, pure):
    printed = output(tmp_path, """
        import sys
        import torch
        import torch.nn as nn
        import torch.nn.functional as F
        from torch.utils.data import DataLoader
        import weft
        x = torch.ones(2)
        assert torch is weft and torch.nn is weft.nn is nn and sys.modules["torch.nn.functional"] is F
        assert torch.__name__ == "torch" and nn.__name__ == "torch.nn"
        assert torch.Tensor.__module__ == "torch" and str(type(x)) == "<class 'torch.Tensor'>"
        assert repr(nn.Linear) == "<class 'torch.nn.modules.linear.Linear'>"
        assert nn.Parameter.__module__ == "torch.nn.parameter"
        assert repr(torch.Size) == "<class 'torch.Size'>" and repr(torch.dtype) == "<class 'torch.dtype'>"
        assert torch.relu.__module__ == "torch" and F.relu.__module__ == "torch.nn.functional"
        assert DataLoader.__module__.startswith("torch.utils.data")
        own = [n for n in sys.modules if n.split(".")[0] == "weft"]
        both = [n for n in own if sys.modules["torch" + n[4:]] is not sys.modules[n]]
        print(both, torch.__version__)
        """, WEFT_PURE=pure)
    assert printed == "[] 2.13.0+weft\n"


def test_the_version_can_be_read_as_packages_do(tmp_path):
    output(tmp_path, """
        import importlib.metadata, importlib.util, torch
        assert torch.__version__.split("+")[0] == torch.__version__.partition("+")[0] == "2.13.0"
        assert torch.__version__ >= "2.9" and torch.__version__ > (1, 13) and not torch.__version__ < "2.2.0"
        assert torch.__version__ == "2.13.0+weft" and isinstance(torch.__version__, str)
        assert torch.version.__version__ == torch.__version__
        assert importlib.metadata.version("torch") == "2.13.0+weft"
        assert importlib.util.find_spec("torch") is not None and importlib.util.find_spec("torch.nn") is not None
        assert importlib.util.find_spec("torch.nothing") is None
        """)


def test_pickled_names_are_torchs(tmp_path):
    output(tmp_path, """
        import pickle, pickletools, torch
        things = [torch.ones(2), torch.nn.Linear(1, 1), torch.float32, torch.relu, torch.device("cpu"), torch.Size([1]),
                  torch.nn.functional.relu, torch.Tensor, torch.nn.Parameter(torch.ones(1)), torch.Tensor.add_]
        for thing in things:
            data = pickle.dumps(thing)
            names = [a for _, a, _ in pickletools.genops(data) if isinstance(a, str)]
            assert any(n.split(".")[0] == "torch" for n in names), names
            assert not any(n.split(".")[0] == "weft" for n in names), names
            assert type(pickle.loads(data)) is type(thing)
        """)


def test_a_missing_module_is_named_as_torchs(tmp_path):
    printed = output(tmp_path, """
        import torch
        for name in ("torch.nothing", "torch.nn.nothing"):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                print(error.name, str(error).splitlines()[0])
        try:
            torch.nothing
        except AttributeError as error:
            print(str(error).partition(".")[0])
        """)
    assert printed.splitlines() == [
        "torch.nothing No module named 'torch.nothing': `torch` is weft here, which doesn't have it",
        "torch.nn.nothing No module named 'torch.nn.nothing': `torch` is weft here, which doesn't have it",
        "module 'torch' has no attribute 'nothing'"]


@pytest.mark.parametrize("how", ["spawn", "fork", "forkserver"])
def test_child_processes_have_the_same_torch(tmp_path, how):
    printed = output(tmp_path, """
        import multiprocessing, sys, torch
        def twice(x):
            assert type(x).__module__ == "torch", type(x)
            return x * 2
        if __name__ == "__main__":
            with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
                print(pool.map(twice, [torch.ones(2)]))
        """, how)
    assert printed == "[tensor([2., 2.])]\n"


def test_a_program_that_is_started_has_the_same_torch(tmp_path):
    printed = output(tmp_path, """
        import subprocess, sys
        code = "import torch, torch.nn; print(torch.__version__, torch.nn.Linear.__module__)"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout, end="")
        """)
    assert printed == "2.13.0+weft torch.nn.modules.linear\n"


def test_it_runs_as_python_runs_it(tmp_path):
    path = program(tmp_path, """
        import sys, os, neighbour
        print(__name__, __file__, sys.argv, sys.path[0], __spec__, sys.modules["__main__"].__dict__ is globals(),
              neighbour.x, sep="\\n")
        import atexit, pickle
        class Own: pass
        atexit.register(lambda: print(pickle.loads(pickle.dumps(Own())).__class__ is Own))
        sys.exit(7)
        """)
    program(tmp_path, "x = 5", "neighbour.py")
    ours = weft_run(path, "-a", "b c", "--help")
    pythons = subprocess.run([sys.executable, path, "-a", "b c", "--help"], capture_output=True, text=True)
    assert (ours.returncode, ours.stdout, ours.stderr) == (pythons.returncode, pythons.stdout, pythons.stderr)
    assert ours.returncode == 7


@pytest.mark.parametrize("text, code", [
    ("def f():\n    1 / 0\nf()", 1), ("x = (", 1), ("raise SystemExit('stop')", 1), ("import sys; sys.exit()", 0),
    ("raise KeyboardInterrupt", 130),
    ("import sys\nsys.excepthook = lambda *e: print('hooked', e[0].__name__)\n{}[1]", 1)])
def test_errors_and_exit_codes_are_pythons(tmp_path, text, code):
    path = program(tmp_path, text)
    ours = weft_run(path)
    pythons = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert (ours.returncode, ours.stdout, ours.stderr) == (code, pythons.stdout, pythons.stderr)


def test_a_module(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    program(package, "", "__init__.py")
    program(package, "import sys, torch\nfrom . import part\nprint(sys.argv[1:], __spec__.name, part.y)", "__main__.py")
    program(package, "import torch\ny = torch.ones(1)", "part.py")
    made = weft_run("-m", "package", "-x", cwd=tmp_path)
    assert made.stdout == "['-x'] package.__main__ tensor([1.])\n", made.stderr
    assert weft_run("-m", "no_such_module", cwd=tmp_path).returncode == 1
    made = weft_run(package, cwd=tmp_path)      # a folder with a __main__.py
    assert "attempted relative import" in made.stderr


@pytest.mark.parametrize("arguments, said", [
    ((), "which program?"), (("nothing.py",), "there is no file nothing.py"), (("--fast", "x.py"), "no option --fast"),
    (("-m",), "-m needs the name"), (("--check",), "--check needs"),
    (("--check", "no_such"), "no file, folder or package")])
def test_wrong_arguments(arguments, said):
    made = weft_run(*arguments)
    assert made.returncode == 2 and said in made.stderr


def test_a_real_torch_that_is_already_imported_is_not_exchanged(tmp_path):
    (tmp_path / "torch.py").write_text("real = True")
    program = "import torch; assert torch.real; import weft._torch as t; t.take_over()"
    made = subprocess.run([sys.executable, "-c", program],
                          capture_output=True, text=True, cwd=tmp_path, env={**os.environ})
    assert made.returncode == 1 and "PyTorch is already imported here" in made.stderr


def test_methods_can_be_added_to_tensors(tmp_path):
    """fastai writes torch.Tensor.my_method = f; Tensor was a type that took no attributes."""
    printed = output(tmp_path, """
        import torch
        torch.Tensor.twice = lambda self: self * 2
        torch.Tensor.named = property(lambda self: "p")
        x = torch.nn.Parameter(torch.ones(1))
        print(x.twice().item(), torch.ones(1).named)
        del torch.Tensor.twice
        print(hasattr(x, "twice"))
        """)
    assert printed == "2.0 p\nFalse\n"


# --check

def test_check_tells_what_is_missing_and_what_happens(tmp_path):
    path = program(tmp_path, """
        import torch
        import torch.nothing as n
        from torch import nn, absent
        from torch.nn import functional as F
        try:
            from torch.maybe import x
        except ImportError:
            x = None
        def f(a: torch.Tensor):
            return F.no_such(a) + torch.relu(a) + n.deep.deeper
        class Net(nn.NoLayer):
            pass
        if hasattr(torch, "later"):
            torch.later()
        print("not run")
        """)
    made = weft_run("--check", path, cwd=tmp_path)
    assert made.returncode == 1 and "not run" not in made.stdout
    lines = made.stdout.splitlines()
    for name, line, outcome in [
            ("torch.nothing", 3, "ImportError when the file is imported"),
            ("torch.nothing", 11, "AttributeError when this line runs"),
            ("torch.absent", 4, "ImportError when the file is imported"),
            ("torch.maybe", 7, "caught: the program goes on without it"),
            ("torch.nn.functional.no_such", 11, "AttributeError when this line runs"),
            ("torch.nn.NoLayer", 12, "AttributeError when the file is imported"),
            ("torch.later", 15, "not reached: the program asks hasattr first")]:
        below = lines[lines.index(name) + 1:]
        assert f"  program.py:{line}  {outcome}" in below
    assert "6 of them not in weft" in lines[-1]


def test_check_names_the_package_that_adds_a_device(tmp_path):
    (tmp_path / "device.py").write_text("import torch\n\n\ndef sync(d):\n    if d == 'npu':\n        torch.npu.synchronize()\n")
    made = weft_run("--check", tmp_path / "device.py", cwd=tmp_path)
    assert made.returncode == 0 and "device.py:6  only where torch_npu is: PyTorch doesn't have it either" in made.stdout
    (tmp_path / "device.py").write_text("import torch\ntorch.npu.synchronize()\n")
    assert weft_run("--check", tmp_path / "device.py", cwd=tmp_path).returncode == 1


def test_check_of_what_weft_has(tmp_path):
    program(tmp_path, "import torch\nfrom torch.optim import Adam\nprint(torch.ones(1).relu(), torch.ops.mine.op)")
    made = weft_run("--check", tmp_path)
    assert made.returncode == 0 and "all of them in weft" in made.stdout
    assert weft_run("--check", "email").returncode == 0      # a package that can be imported


def test_the_stand_in_is_part_of_the_package():
    assert os.path.isfile(os.path.join(SITE, "torch", "__init__.py"))
    assert any(name.endswith(".dist-info") for name in os.listdir(SITE))


@pytest.mark.parametrize("how", ["spawn", "forkserver"])
def test_a_tensor_with_views_goes_to_a_started_process(tmp_path, how):
    """Its copy in shared memory was freed before the process had it (mnist_hogwild)."""
    (tmp_path / "program.py").write_text("""
import sys, torch, torch.multiprocessing as mp
def child(viewed, view, counted):
    assert viewed.sum() == 7 and view.sum() == 145
    counted.add_(1)
if __name__ == "__main__":
    viewed, counted = torch.ones(7), torch.zeros(3).share_memory_()
    first = viewed[:2]
    p = mp.get_context(sys.argv[1]).Process(target=child, args=(viewed, torch.arange(100.0)[10:20], counted))
    p.start()
    p.join()
    print(p.exitcode, counted.tolist())
""")
    made = subprocess.run([sys.executable, "-m", "weft", "run", str(tmp_path / "program.py"), how], capture_output=True,
                          text=True, timeout=300)
    assert made.stdout == "0 [1.0, 1.0, 1.0]\n", made.stderr


def test_the_cpu_stands_in_for_gpus(tmp_path):
    path = program(tmp_path, """
        import subprocess, sys
        import torch
        assert torch.cuda.is_available() and torch.cuda.device_count() == 2 == torch.accelerator.device_count()
        acc = torch.accelerator.current_accelerator()
        torch.cuda.set_device(1)
        assert torch.cuda.current_device() == torch.accelerator.current_device_index() == 1
        with torch.cuda.device(0):
            assert torch.cuda.current_device() == 0
        assert torch.cuda.current_device() == 1
        net = torch.nn.Linear(3, 2).to(1).cuda()
        x = torch.ones(2, 3, device=f"{acc}:0").cuda(non_blocking=True).to("cuda:1")
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        with torch.cuda.stream(torch.cuda.Stream()):
            net(x).sum().backward()
        end.record()
        torch.cuda.synchronize()
        assert start.elapsed_time(end) >= 0 and net.weight.grad is not None
        torch.save(net.state_dict(), "net.pt")
        net.load_state_dict(torch.load("net.pt", map_location=lambda storage, place: storage))
        net.load_state_dict(torch.load("net.pt", map_location={"cuda:0": "cuda:1"}))
        for wrong in (lambda: torch.ones(1, device="cuda:2"), lambda: torch.device(2), lambda: torch.cuda.set_device(2)):
            try:
                wrong()
                raise SystemExit("taken")
            except (RuntimeError, AssertionError):
                pass
        if sys.argv[1:] != ["child"]:
            subprocess.run([sys.executable, __file__, "child"], check=True)
        print("well")
        """)
    made = weft_run("--gpus", "2", path, cwd=tmp_path)
    assert made.returncode == 0 and made.stdout.split() == ["well", "well"], made.stderr
    assert "--gpus needs a number" in weft_run("--gpus", path).stderr


def test_code_from_the_command_line(tmp_path):
    made = weft_run("-c", "import sys, torch, weft; print(torch is weft, sys.argv, __name__)", "a", "b", cwd=tmp_path)
    assert made.stdout.split() == ["True", "['-c',", "'a',", "'b']", "__main__"], made.stderr
    assert weft_run("-c", "1/0").stderr.splitlines()[1:2] == ['  File "<string>", line 1, in <module>']
    assert weft_run("-c").returncode == 2


def test_files_of_torch_have_what_they_import(tmp_path):
    """`from torch.nn.modules.conv import Module`: each name that _reexports lists is found, and no other."""
    program = tmp_path / "borrow.py"
    program.write_text(textwrap.dedent("""
        import importlib
        from torch._reexports import NAMES
        for module, names in NAMES.items():
            for name in names.split():
                getattr(importlib.import_module(module), name)
        import torch
        from torch.nn.modules.conv import F, Module, Tensor
        assert Module is torch.nn.Module and F is torch.nn.functional and Tensor is torch.Tensor
        assert torch.utils.data.dataloader.RandomSampler is torch.utils.data.RandomSampler
        assert not hasattr(torch.nn.modules.conv, "RandomSampler")
        print("all there")
    """))
    done = subprocess.run([sys.executable, "-m", "weft", "run", str(program)], capture_output=True, text=True,
                          timeout=120)
    assert done.stdout == "all there\n", done.stderr


def test_functorch_comes_with_torch(tmp_path):
    said = output(tmp_path, """
        import functorch
        import torch
        from functorch import combine_state_for_ensemble, grad, make_functional, make_functional_with_buffers, vmap
        layer, x = torch.nn.Linear(3, 2), torch.randn(5, 3)
        f, params = make_functional(layer)
        assert torch.equal(f(params, x), layer(x))
        rows = vmap(grad(lambda p, x: f(p, x).sum()), (None, 0))(params, x)
        assert torch.allclose(rows[0][:, 0], x)
        layers = [torch.nn.Linear(3, 2) for _ in range(3)]
        f, params, buffers = combine_state_for_ensemble(layers)
        assert torch.allclose(vmap(f, (0, 0, None))(params, buffers, x), torch.stack([each(x) for each in layers]))
        norm = torch.nn.BatchNorm1d(3).eval()
        f, params, buffers = make_functional_with_buffers(norm)
        assert torch.allclose(f(params, buffers, x), norm(x))
        try:
            make_functional(norm)
        except RuntimeError as error:
            print(functorch.__name__, str(error)[:40])
    """)
    assert said.strip() == "functorch make_functional(model): `model` has buff"
