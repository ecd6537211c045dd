"""Every public name says what it is: a sentence and a signature, shapes where tensors go in and out of layers, and an
example that runs. The counts of what is missing are printed, and may only fall.
"""
import doctest
import enum
import importlib
import importlib.util
import inspect
import re
import warnings

import pytest

import weft
from weft.core.seam import Watcher

MODULES = """nn nn.functional nn.init nn.parameter nn.utils nn.utils.rnn nn.utils.parametrize nn.utils.parametrizations
    nn.utils.prune nn.utils.stateless nn.utils.surgery nn.attention nn.parallel optim optim.lr_scheduler optim.swa_utils
    utils utils.data utils.tensorboard utils.checkpoint utils.hooks utils.dlpack autograd autograd.functional
    autograd.function autograd.graph autograd.gradcheck func linalg fft special masked sparse signal.windows random
    distributions distributions.constraints distributions.transforms distributions.kl quasirandom profiler testing viz io
    serialization amp memory inspect distributed distributed.functional distributed.zero distributed.mesh
    distributed.tensor_parallel distributed.pipelining distributed.sharded distributed.dtensor.make distributed.stores
    distributed.tcp_store distributed.saving.files distributed.saving.planner distributed.saving.states
    distributed.saving.models distributed.rpc distributed.rpc.api distributed.rpc.references distributed.rpc.options
    distributed.rpc.functions distributed.rpc.gradients distributed.rpc.optimizer distributed.rpc.remote_module
    fx fx.node fx.graph fx.proxy fx.interpreter fx.subgraph_rewriter fx.graph_module jit vision.datasets vision.datasets.utils vision.transforms
    vision.transforms.functional vision.transforms.v2 vision.transforms.v2.functional vision.ops
    vision.ops.feature_pyramid_network vision.models vision.models.segmentation vision.models.detection vision.io
    vision.utils vision.tv_tensors text.data text.data.functional text.data.metrics text.data.utils text.datasets
    text.functional text.legacy.data text.legacy.datasets text.legacy.vocab text.tokenizers text.tokenizers.patterns
    text.tokenizers.steps text.transforms text.utils text.vocab""".split()
# what is missing today: kind -> how many names at most
LIMITS = {"sentence": 0, "signature": 0, "shape": 0, "example": 0}
PARTS = {"start", "update", "update_rows", "many", "keeps_state", "leaves_alone", "takes"}      # of an optimizer's Rule
# what nobody calls: a watcher is told of ops by these, and a graph's node is run by these (its docstring names the others)
TOLD = {name for name in vars(Watcher) if name not in ("start", "stop")}
RUN = {"behind", "check_list", "explain_freed", "explain_overwritten", "free", "note", "place", "run", "run_for", "see_through",
       "unpack", "with_history"}
INSIDE = ((PARTS, weft.optim.Optimizer), (TOLD, Watcher), (RUN, weft.autograd.graph.Node))
CONTAINERS = {"ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "RNNBase", "RNNCellBase", "Module"}
DUNDER_BASES = (object, dict, list, tuple, BaseException, enum.Enum)
SHAPE = re.compile(r"\((\*|N|C|L|S|B|T|H|D|\.\.\.|batch|in_|out_|\d)[^()\n]*(,|\))|[Ss]hape|(the same|any) shape", re.M)


def modules():
    yield "weft", weft
    for name in MODULES:
        yield "weft." + name, importlib.import_module("weft." + name)


def is_ours(value):
    return (getattr(value, "__module__", None) or "").startswith("weft")


def names_of(module):
    return getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]


def unwrapped(value):
    """The function behind a property, a class or static method."""
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    return value


def is_routine(value):
    return inspect.isroutine(value) or type(value).__name__ == "OpFunction"


def is_compiled_property(value):
    return inspect.isgetsetdescriptor(value) and bool(value.__doc__)


def members(cls):
    """(name, definition) of the public methods and properties that weft's own classes define."""
    for name in dir(cls):
        if name.startswith("_") or any(name in names and issubclass(cls, kind) for names, kind in INSIDE):
            continue
        if issubclass(cls, weft.Tensor) and cls is not weft.Tensor and hasattr(weft.Tensor, name):
            continue        # every tensor has it, and it is told there
        home = next((base for base in cls.__mro__ if name in vars(base)), None)
        if home is None or not is_ours(home) or home in DUNDER_BASES:
            continue
        value = vars(home)[name]
        if isinstance(value, (property, staticmethod, classmethod)) or is_routine(value) or is_compiled_property(value):
            yield name, value, home


def public():
    """Path -> (object, how to document it) of every public function, class, method and property, each once."""
    found, seen = {}, set()
    for place, module in modules():
        for name in names_of(module):
            value = getattr(module, name, None)
            if not (inspect.isclass(value) or is_routine(value)) or not is_ours(value) or id(value) in seen:
                continue
            seen.add(id(value))
            found[f"{place}.{name}"] = (value, value)
            for member, definition, home in members(value) if inspect.isclass(value) else ():
                if (home, member) not in seen:
                    seen.add((home, member))
                    found[f"{place}.{name}.{member}"] = (definition, getattr(value, member, definition))
    return found


PUBLIC = public()


def text_of(path):
    definition, value = PUBLIC[path]
    return (inspect.getdoc(value if not isinstance(definition, property) else definition)
            or inherited(path, definition) or "")


def inherited(path, definition):
    """A property's docstring in a base class, which help() shows too."""
    owner, _, name = path.rpartition(".")
    cls = PUBLIC.get(owner, (None, None))[1]
    if not inspect.isclass(cls):
        return None
    for base in cls.__mro__:
        held = vars(base).get(name)
        if held is not None and hasattr(type(held), "__get__") and held.__doc__:
            return held.__doc__
    return None


def has_signature(path):
    definition, value = PUBLIC[path]
    if not callable(unwrapped(definition)) or isinstance(definition, property) or inspect.isclass(value) and issubclass(value, (enum.Enum, BaseException)):
        return True
    try:
        names = set(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return inspect.isclass(value) and value.__module__ == "weft.autograd.graph"     # nobody makes one by hand
    return not {"args", "kwargs"} <= names or not hasattr(unwrapped(definition), "op")


def is_layer(path):
    value = PUBLIC[path][1]
    return (path.startswith("weft.nn.") and path.count(".") == 2 and inspect.isclass(value)
            and issubclass(value, weft.nn.Module) and value.__name__ not in CONTAINERS)


def missing(kind):
    if kind == "sentence":
        return [path for path in PUBLIC if not text_of(path).strip()]
    if kind == "signature":
        return [path for path in PUBLIC if not has_signature(path)]
    if kind == "shape":
        return [path for path in PUBLIC if is_layer(path) and not SHAPE.search(text_of(path))]
    return [path for path in PUBLIC if ">>>" not in text_of(path)]


@pytest.mark.parametrize("kind", LIMITS)
def test_what_is_missing_does_not_grow(kind, capsys):
    found = missing(kind)
    with capsys.disabled():
        print(f"\n{len(found)} of {len(PUBLIC)} public names have no {kind}")
    assert len(found) <= LIMITS[kind], found[:40]


def examples():
    """Every example once: (path, text)."""
    texts = {}
    for path in PUBLIC:
        text = text_of(path)
        if ">>>" in text and ("import matplotlib" not in text or importlib.util.find_spec("matplotlib")):
            texts.setdefault(text, path)
    return [(path, text) for text, path in texts.items()]


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)         # some write files
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    parser, failed, found = doctest.DocTestParser(), [], examples()
    for path, text in found:
        made = parser.get_doctest(text, {}, path, None, 0)      # it needs nothing but what it imports
        said = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if runner.run(made, out=said.append).failed:
                failed.append("".join(said))
    assert len(found) > 900
    assert not failed, "\n".join(failed[:10])


def test_help_shows_what_is_called():
    assert str(inspect.signature(weft.add)) == "(input, other, *, alpha=1, out=None)"
    assert str(inspect.signature(weft.Tensor.add_)) == "(self, other, *, alpha=1)"
    assert list(inspect.signature(weft.nn.Linear).parameters)[:3] == ["in_features", "out_features", "bias"]
    assert inspect.getdoc(weft.add).startswith("input + alpha * other.\n\n")
    assert str(inspect.signature(weft.nn.functional.elu_)) == "(input, alpha=1.0)"
    assert ">>> weft.add(x, y)" in weft.add.__doc__
    assert "In place" in weft.Tensor.add_.__doc__ and ">>> x.add_(y)" in weft.Tensor.add_.__doc__
