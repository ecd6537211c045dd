"""Plain pickles and whole saved modules go both ways between PyTorch and weft under the name torch, and classes say
PyTorch's places.
"""
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("torch")
HOME = Path(__file__).resolve().parents[2]
STAND_IN = HOME / "weft" / "compat" / "site-packages"
THINGS = '''
import collections, io, pickle, sys, warnings
import torch
warnings.simplefilter("ignore")
n = torch.nn


def layers():
    x, image = torch.ones(2, 4), torch.ones(2, 2, 6, 6)
    return {
        "linear": (n.Linear(4, 3), x), "conv": (n.Conv2d(2, 3, 3, padding=1), image), "lstm": (n.LSTM(4, 3, 2), x),
        "gru": (n.GRU(4, 3, bidirectional=True), x), "lstm projected": (n.LSTM(4, 3, proj_size=2), x),
        "rnn": (n.RNN(4, 3, bias=False), x), "cell": (n.LSTMCell(4, 3), x), "embedding": (n.Embedding(5, 2), torch.tensor([1, 2])),
        "bag": (n.EmbeddingBag(5, 2), torch.tensor([[1, 2]])), "layer norm": (n.LayerNorm(4), x), "rms": (n.RMSNorm(4), x),
        "batch norm": (n.BatchNorm2d(2), image), "group norm": (n.GroupNorm(2, 2), image),
        "instance norm": (n.InstanceNorm2d(2, affine=True), image), "encoder": (n.TransformerEncoder(
            n.TransformerEncoderLayer(4, 2, 8, dropout=0.0), 2), x), "dropout": (n.Dropout(0.0), x), "gelu": (n.GELU("tanh"), x),
        "leaky": (n.LeakyReLU(0.2), x), "prelu": (n.PReLU(), x), "softmax": (n.Softmax(-1), x), "pool": (n.MaxPool2d(2), image),
        "adaptive": (n.AdaptiveAvgPool2d(1), image), "up": (n.Upsample(scale_factor=2), image), "pad": (n.ReflectionPad2d(1), image),
        "flatten": (n.Flatten(), image), "unflatten": (n.Unflatten(1, (2, 2)), x), "fold": (n.Unfold(2), image),
        "shuffle": (n.ChannelShuffle(2), image), "transposed": (n.ConvTranspose2d(2, 3, 3), image),
        "identity": (n.Identity(), x), "suite": (n.Sequential(collections.OrderedDict(a=n.Linear(4, 4), b=n.ReLU())), x),
    }


def held():
    torch.manual_seed(0)
    base = torch.arange(10.0)
    with_attribute, parameter = torch.ones(2), n.Parameter(torch.ones(2), requires_grad=False)
    with_attribute.mark = parameter.mark = "x"
    generator = torch.Generator().manual_seed(3)
    torch.rand(3, generator=generator)
    net = n.Sequential(n.Linear(3, 4), n.BatchNorm1d(4))
    adam, sgd = torch.optim.AdamW(net.parameters(), 0.1), torch.optim.SGD(net.parameters(), 0.1, 0.9)
    net(torch.rand(2, 3)).sum().backward()
    adam.step(), sgd.step()
    return {
        "tensor": base.view(2, 5).t(), "slice": base[2:5], "wants grad": torch.ones(2, requires_grad=True),
        "types": [torch.ones(2, dtype=d) for d in (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.bool,
                                                   torch.complex64, torch.uint16, torch.float8_e5m2)],
        "empty": torch.empty(0, 3), "number": torch.tensor(3.5), "parameter": n.Parameter(torch.ones(3)),
        "attributes": [with_attribute, parameter], "buffer": n.Buffer(torch.ones(2)), "meta": torch.ones(2, 3, device="meta"),
        "size": torch.Size([2, 3]), "dtypes": [torch.float32, torch.int64, torch.bool, torch.bfloat16], "layout": torch.strided,
        "devices": [torch.device("cpu"), torch.device("cuda:1")], "formats": [torch.channels_last, torch.preserve_format],
        "generator": generator, "adam": adam.state_dict(), "state": net.state_dict(), "optimizer": sgd,
        "schedule": torch.optim.lr_scheduler.StepLR(sgd, 2).state_dict(), "functions": [n.functional.relu, torch.tanh],
        "data": torch.utils.data.TensorDataset(torch.ones(3)), "classes": [n.Linear, torch.Tensor, n.Parameter, n.Module],
        "distribution": torch.distributions.Normal(torch.zeros(2), torch.ones(2)), "lists": n.ModuleList([n.Linear(1, 1)]),
        "packed": n.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)]), "parameters": n.ParameterList([torch.ones(2)]),
        "loss": n.CrossEntropyLoss(weight=torch.ones(3)), "storage": torch.arange(3.0).storage(),
    }


def shown(thing):
    if isinstance(thing, torch.Generator):
        return torch.rand(3, generator=thing.clone_state()).tolist()
    if isinstance(thing, n.Module):
        return repr(thing), {k: v.tolist() for k, v in thing.state_dict().items()}, thing.training
    if isinstance(thing, torch.optim.Optimizer):
        return repr(thing), repr(thing.state_dict())
    if isinstance(thing, torch.Tensor):
        return repr(thing), type(thing).__name__, thing.stride(), thing.requires_grad, getattr(thing, "mark", None), thing.is_leaf
    if isinstance(thing, torch.utils.data.Dataset):
        return repr(thing[1])
    if type(thing).__name__ == "TypedStorage":
        return thing.tolist()
    if callable(thing):
        return thing.__name__
    return [shown(one) for one in thing] if type(thing) is list else repr(thing)


def answer(layer, x):
    out = layer.eval()(x)
    return out.tolist() if isinstance(out, torch.Tensor) else [part.tolist() for part in n.utils.parameters_to_vector(
        [p for p in (out[0], *(out[1] if isinstance(out[1], tuple) else out[1:]))]).split(1)]


def write(path):
    written = {}
    for name, thing in held().items():
        written[name] = pickle.dumps(thing), None, shown(thing)
    for name, (layer, x) in layers().items():
        file = io.BytesIO()
        torch.save(layer, file)
        written["layer " + name] = pickle.dumps(layer), file.getvalue(), answer(layer, x)
    base = torch.arange(6.0)
    pickle.dump((written, pickle.dumps([base, base[2:]])), open(path, "wb"))


def near(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    return a == b or isinstance(a, float) and abs(a - b) <= 1e-5


def read(path):
    written, together = pickle.load(open(path, "rb"))
    wrong = []
    for name, (pickled, saved, want) in written.items():
        try:
            if saved is None:
                got = [shown(pickle.loads(pickled))]
            else:
                x = layers()[name[6:]][1]
                got = [answer(pickle.loads(pickled), x), answer(torch.load(io.BytesIO(saved), weights_only=False), x)]
            wrong += [(name, one, want) for one in got if not (near(one, want) if saved else one == want)]
        except Exception as error:
            wrong.append((name, repr(error)))
    whole, part = pickle.loads(together)
    whole[3] = 9
    if part[1] != 9 and "shared" in sys.argv:          # of weft's: PyTorch's own pickles hold two copies
        wrong.append("memory isn't shared")
    print(wrong)
    sys.exit(bool(wrong))


{"write": write, "read": read}[sys.argv[1]](sys.argv[2])
'''


def run(as_weft, folder, *args, program="things.py"):
    path = [str(HOME), str(STAND_IN)] if as_weft else [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep)
                                                     if "site-packages" not in p]
    made = subprocess.run([sys.executable, str(folder / program), *args], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(path)}, timeout=600)
    assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]
    return made.stdout


@pytest.mark.parametrize("writer, reader", [(False, True), (True, False), (True, True)],
                         ids=["PyTorch to weft", "weft to PyTorch", "weft to weft"])
def test_what_one_pickles_the_other_reads(tmp_path, writer, reader):
    """Under as-torch, weft's pickles named modules that PyTorch doesn't have, and PyTorch's named functions that weft
    didn't have."""
    (tmp_path / "things.py").write_text(THINGS)
    run(writer, tmp_path, "write", "pickles")
    run(reader, tmp_path, "read", "pickles", *["shared"] * writer)


PLACES = '''
import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")
import torch
found = {}
for name in ("torch.nn torch.nn.parameter torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.optim.swa_utils "
             "torch.utils.data torch.distributions torch.storage torch.quasirandom torch.nn.modules").split():
    module = importlib.import_module(name)
    for own in dir(module):
        thing = getattr(module, own)
        if isinstance(thing, type) and not own.startswith("_") and thing.__module__.startswith("torch"):
            try:
                there = getattr(importlib.import_module(thing.__module__), thing.__name__, None) is thing
            except ModuleNotFoundError:
                there = None
            found[f"{name}.{own}"] = [thing.__module__, there]
print(json.dumps(found))
'''


def test_classes_say_pytorchs_places(tmp_path):
    (tmp_path / "places.py").write_text(textwrap.dedent(PLACES))
    theirs, ours = (json.loads(run(weft, tmp_path, program="places.py")) for weft in (False, True))
    wrong = {name: (place, ours[name]) for name, place in theirs.items() if name in ours and place != ours[name]}
    assert not wrong, wrong
    assert len(set(theirs) & set(ours)) > 250
    assert ours["torch.nn.Module"] == ["torch.nn.modules.module", True]
