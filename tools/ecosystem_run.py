"""Runs one program of tools/ecosystem in the environment that this Python belongs to, and keeps what comes out.

    python tools/ecosystem_run.py tools/ecosystem/timm.py FOLDER

Every public function of the program is a case: it is called twice with the same seed, its results go to
FOLDER/values.npz and FOLDER/said.json: seconds (of the faster call) or the error of each case, and the versions.
"""
import importlib.metadata
import importlib.util
import inspect
import json
import os
import random
import sys
import tempfile
import time
import traceback

import numpy as np

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONG = 20.0     # seconds: a case that takes longer is not called again


def load(path):
    """The program as a module; under a name of its own, since timm.py imports timm."""
    spec = importlib.util.spec_from_file_location("ecosystem_program", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["ecosystem_program"] = module       # pickles of its classes look here
    spec.loader.exec_module(module)
    return module


def declare_torchvision():
    """Lets torchvision be imported beside a CPU build of PyTorch: PyPI's is built for CUDA, and its ops don't load.

    It asks for the declaration of two of them whether its ops are there or not; calling one fails as it should.
    """
    import torch
    if importlib.util.find_spec("torchvision") is None or "weft" in torch.__version__:
        return None
    library = torch.library.Library("torchvision", "DEF")
    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library      # its declarations live as long as it does


def cases(module):
    """Its functions, in the order in which they stand there."""
    return [f for name, f in vars(module).items()
            if inspect.isfunction(f) and f.__module__ == module.__name__ and not name.startswith("_")]


def seeded(case):
    """(results, seconds) of a call after the seeds are set, as a user would."""
    import torch
    random.seed(0), np.random.seed(0), torch.manual_seed(0)
    began = time.perf_counter()
    results = case()
    return results, time.perf_counter() - began


def leaves(value, path=""):
    """(path, array or text) of everything in a result: tensors, arrays, numbers, texts, lists and dicts of them."""
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], f"{path}.{key}")
    elif isinstance(value, (list, tuple)) and not (value and all(isinstance(v, int) for v in value)):
        for i, v in enumerate(value):
            yield from leaves(v, f"{path}.{i}")
    elif isinstance(value, float):
        yield path, np.float32(value)       # mostly an item() of a float32 tensor: rounding is that of float32
    elif isinstance(value, str) or value is None:
        yield path, str(value)
    elif hasattr(value, "detach"):
        value = value.detach().cpu()
        yield path, (value.float() if str(value.dtype) in ("torch.bfloat16", "torch.float16") else value).numpy()
    else:
        yield path, np.asarray(value)


def reason(error):
    """An error in a line: its type, its first line, the last line of the package or program that it came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/weft/" not in f.filename.replace(
        "ecosystem/weft", "") and "/torch/" not in f.filename.replace("ecosystem/torch", "")]
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno}: {frames[-1].line})" if frames else ""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}{place}".replace(HOME + os.sep, "")


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "?"


def main(path, folder, packages):
    arrays, said = {}, {"cases": {}, "versions": {p: version(p) for p in packages}}

    def keep():
        np.savez(os.path.join(folder, "values.npz"), **arrays)
        with open(os.path.join(folder, "said.json"), "w", encoding="utf-8") as file:
            json.dump(said, file, indent=1)

    os.makedirs(folder, exist_ok=True)
    keep()
    try:
        library = declare_torchvision()     # noqa: F841
        module = load(path)
    except BaseException as error:      # a package may even call sys.exit
        traceback.print_exc()
        said["import"] = reason(error)
        return keep()
    for case in cases(module):
        entry = said["cases"][case.__name__] = {"texts": {}}
        entry["error"] = "the process ended here"
        keep()
        print(f"  {case.__name__} ...", end=" ", flush=True)
        try:
            results, seconds = seeded(case)
            for where, value in leaves(results):
                (entry["texts"] if isinstance(value, str) else arrays)[case.__name__ + where] = value
            if seconds < LONG:
                seconds = min(seconds, seeded(case)[1])
            entry["seconds"], entry["error"] = seconds, None
            print(f"{seconds:.2f} s", flush=True)
        except Exception as error:
            entry["error"] = reason(error)
            print(entry["error"], flush=True)
            traceback.print_exc()
        keep()


if __name__ == "__main__":
    program, out = (os.path.abspath(a) for a in sys.argv[1:3])
    sys.path.pop(0)     # this folder is nothing that a program should see
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        main(program, out, sys.argv[3:])
