"""Writes the type stubs of weft's public modules, from the op bodies, the classes' signatures and stub_types.py.

    python tools/stubs.py            writes them, and removes those of modules that are gone
    python tools/stubs.py --check    exit code 1 if they are not what would be written
    python tools/stubs.py --count    how many parameters and results are Any
"""
import os

os.environ["WEFT_PURE"] = "1"       # the plain core: functions have their source and signature
import ast  # noqa: E402
import collections  # noqa: E402
import enum  # noqa: E402
import functools  # noqa: E402
import importlib  # noqa: E402
import inspect  # noqa: E402
import keyword  # noqa: E402
import pathlib  # noqa: E402
import re  # noqa: E402
import sys  # noqa: E402
import textwrap  # noqa: E402
import types  # noqa: E402

import stub_examples  # noqa: E402
import stub_types as table  # noqa: E402

import weft  # noqa: E402
from weft.ops.core.body import MISSING  # noqa: E402
from weft.ops.core.registry import FUNCTIONS  # noqa: E402

ROOT = pathlib.Path(weft.__file__).resolve().parent.parent
EMPTY = inspect.Parameter.empty
# whose names are stubs; what they import from is added
PUBLIC = """nn nn.functional nn.init nn.parameter nn.modules nn.utils nn.utils.rnn nn.utils.parametrize
    nn.utils.parametrizations nn.utils.prune nn.utils.stateless nn.utils.surgery nn.utils.clip_grad nn.utils.fusion
    nn.utils.convert_parameters nn.attention nn.parallel nn.grad optim optim.lr_scheduler optim.swa_utils
    utils utils.data utils.tensorboard utils.checkpoint utils.hooks utils.dlpack utils.deterministic autograd
    autograd.functional autograd.function autograd.graph autograd.gradcheck autograd.profiler autograd.grad_mode func
    linalg fft special masked sparse signal signal.windows random distributions distributions.constraints
    distributions.transforms distributions.kl distributions.utils quasirandom profiler testing viz io serialization amp
    memory inspect overrides types version cuda backends cpu accelerator distributed jit vision vision.datasets
    vision.datasets.utils vision.transforms vision.transforms.functional vision.transforms.v2
    vision.transforms.v2.functional vision.ops vision.models vision.models.segmentation vision.models.detection
    vision.io vision.utils vision.tv_tensors text text.data text.data.functional text.data.metrics text.data.utils
    text.datasets text.functional text.legacy text.legacy.data text.legacy.datasets text.legacy.vocab text.tokenizers
    text.transforms text.utils text.vocab storage""".split()
DUNDERS = """__init__ __new__ __call__ __len__ __getitem__ __setitem__ __delitem__ __iter__ __next__ __contains__
    __add__ __radd__ __iadd__ __mul__ __rmul__ __imul__ __enter__ __exit__ __getattr__ __reversed__ __eq__ __or__
    __ror__ __ior__ __bool__ __int__ __float__ __hash__""".split()
BUILTINS = ("int", "float", "bool", "complex", "range", "type", "str", "list", "tuple", "dict")


# types of parameters

def nearest(rules, place, name):
    """The entry for a name in the rules of the longest prefix of a place."""
    for prefix in sorted(rules, key=len, reverse=True):
        if (place == prefix or place.startswith(prefix + ".") or not prefix) and name in rules[prefix]:
            return rules[prefix][name]
    return None


def of_value(value):
    """The type of a default or a constant."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    for kind in (float, complex, str, bytes):
        if isinstance(value, kind):
            return kind.__name__
    if isinstance(value, weft.dtype):
        return "DType"
    if type(value) is tuple and value and all(isinstance(v, int) for v in value):
        return "Ints"
    if type(value) is tuple and value and all(isinstance(v, (int, float)) for v in value):
        return "tuple[float, ...]"
    return {list: "list[Any]", dict: "dict[str, Any]", set: "set[Any]", frozenset: "frozenset[Any]"}.get(type(value))


def annotated(annotation):
    """A source's own annotation, where it is plain."""
    if annotation is EMPTY:
        return None
    if isinstance(annotation, str):
        return annotation if re.fullmatch(r"[\w\[\], |]+", annotation) and "Optional" not in annotation else None
    if isinstance(annotation, type) and annotation.__module__ == "builtins":
        return annotation.__name__
    return None


def with_none(text, default):
    if default is None and text not in ("Any", "None", "Dim") and not re.search(r"\bNone$|^None\b", text):
        return text + " | None"
    return text


def parameter_type(place, name, default, annotation=EMPTY):
    """What a parameter takes; `place` is 'module.Class.method'."""
    said = annotated(annotation)
    if place.endswith(("__eq__", "__ne__", "__contains__")):
        return "object"
    for known in (f"{place}.{name}", f"{place.removeprefix('weft.')}.{name}"):
        if known in table.PLACES:
            return with_none(table.PLACES[known], default)
    if said:
        return with_none(said, default)
    ruled, shown = nearest(table.PARAMETERS, place, name), of_value(default)
    if ruled and takes(ruled, shown):
        return with_none(ruled, default)
    if shown == "int" and any(k in place for k in ("optim", "distributions")):
        return "float"
    return with_none(shown or "Any", default)


TAKES = {"int": "int float Number TensorLike Ints Floats Dim Device Any", "float": "float Number TensorLike Floats Any",
         "str": "str Device Path File Literal Any", "bool": "bool Any", "Ints": "Ints Dim Floats Sequence tuple Any"}


def takes(ruled, shown):
    """Whether a default of a type is one of what a rule allows."""
    return shown not in TAKES or bool(set(re.findall(r"\w+", ruled)) & set(TAKES[shown].split()))


def op_parameter_type(op, place, i):
    """The same for an op, whose body says which parameters are tensors."""
    name, default = op.names[i], op.defaults[i]
    public = {"x": "input", "y": "other"}.get(name, name)
    bare = place.removeprefix("weft.")
    for known in (f"{bare}.{public}", f"{bare.removeprefix('Tensor.')}.{public}",
                  f"{bare.removeprefix('Tensor.').rstrip('_')}.{public}"):
        if known in table.PLACES:
            return with_none(table.PLACES[known], None if default is None else EMPTY)
    default = EMPTY if default is MISSING else default
    if i in op.lists:
        return "Tensors"
    if i in op.promoted:
        return with_none("Tensor" if i == 0 and len(op.promoted) == 1 else "TensorLike", default)
    if name in op.rules or name in op.rule_names:
        return with_none("Tensor", default)
    found = parameter_type(place, public, default)
    return sample_type(op, i) or found if found == "Any" else found


def sample_type(op, i):
    """What the samples give for a parameter, if they agree."""
    found = set()
    for sample in op.samples:
        if i < len(sample) and not isinstance(sample[-1], dict):
            value = sample[i]
            tensor = isinstance(value, tuple) and all(type(v) is int for v in value)
            found.add("Tensor" if tensor else of_value(value))
    return found.pop() if len(found) == 1 else None


def default_text(default):
    if default is EMPTY:
        return ""
    if type(default) in (bool, int, str, type(None)) or isinstance(default, float) and len(repr(default)) < 12:
        return f" = {default!r}" if repr(default) not in ("inf", "-inf", "nan") else " = ..."
    if type(default) is tuple and all(isinstance(v, (int, float)) for v in default):
        return f" = {default!r}"
    return " = ..."


# signatures of ops

def op_parameters(op, place, method):
    """The parameters as texts; `self` for the first of a method."""
    found, slots = [], {name: i for i, name in enumerate(op.names)}
    starred = False
    for k, p in enumerate(inspect.signature(op.forward or op.compose).parameters.values()):
        if method and k == 0:
            found.append("self")
            continue
        if p.kind is p.VAR_POSITIONAL:
            found.append(f"*{p.name}: {variadic(place, p.name)}")
        elif p.kind is p.VAR_KEYWORD:
            found.append(f"**{p.name}: Any")
        else:
            if p.kind is p.KEYWORD_ONLY and not starred:
                found.append("*")
            public = {"x": "input", "y": "other"}.get(p.name, p.name)
            found.append(f"{public}: {op_parameter_type(op, place, slots[p.name])}{default_text(p.default)}")
        starred = starred or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
    return found


def variadic(place, name):
    """The type of each of `*args`."""
    found = table.PLACES.get(f"{place.removeprefix('weft.').removeprefix('Tensor.')}.{name}")
    return found or {"tensors": "Tensor", "operands": "Tensor", "matrices": "Tensor", "sizes": "int", "size": "int",
                     "dims": "int"}.get(name, "Any")


def one_by_one(found):
    """flip(x, 0, 1) and flip(x, (0, 1)), zeros(2, 3) and zeros((2, 3)): parameters with `*args`, as two lists."""
    at = next((i for i, t in enumerate(found) if re.match(r"\*\w+:", t)), None)
    if at is None or at + 1 == len(found):
        return None
    name, _, rest = found[at + 1].partition(": ")
    kind = rest.removesuffix(" = None").removesuffix(" | None")
    if not rest.endswith(" = None") or kind not in ("Ints", "Tensor | Ints", "Sequence[int]"):
        return None
    after = found[at + 2:]
    return ([*found[:at], f"{name}: Sequence[int]", *(["*"] if after else []), *after],
            [*found[:at], f"*{name}: int", *after])


def op_signatures(op, place, method, in_place=False):
    """The signature of an op's function or method; two where sizes may be given one by one."""
    if place in table.SIGNATURES:
        given = table.SIGNATURES[place]
        return [given] if isinstance(given, str) else given
    result = "Tensor" if in_place else op_result(op)
    found = op_parameters(op, place, method)
    named = next((k for k, p in enumerate(found) if p.startswith("**")), len(found))
    if in_place:
        found = [p for p in found if not p.startswith("inplace:")]
    elif not method and not any(p.startswith("out:") for p in found):
        out = "Tensor | None" if result == "Tensor" else "Tensors | None"
        extra = [] if any(p.startswith("*") for p in found) else ["*"]
        found[named:named] = [*extra, f"out: {out} = None"]
    apart = one_by_one(found)
    if apart:
        return [f"({', '.join(texts)}) -> {result}" for texts in apart]
    made = [f"({', '.join(found)}) -> {result}"]
    if op.pack >= 0 and not (method and op.pack == 0):
        made.append(packed(found, op, result))
    return made


def packed(found, op, result):
    """x.view(2, 3) beside x.view((2, 3))."""
    at = next(i for i, p in enumerate(found) if p.split(":")[0] in (op.names[op.pack],
                                                                   {"x": "input"}.get(op.names[op.pack])))
    name, rest = found[at].split(":")[0], [p for p in found[at + 1:] if p != "*"]
    return f"({', '.join([*found[:at], f'*{name}: int', *rest])}) -> {result}"


@functools.cache
def op_result(op):
    """What a call gives: what the body says, and else what the samples show."""
    full = stub_examples.full_name(op)
    for name in (full, op.name):
        if name in table.OP_RETURNS:
            return table.OP_RETURNS[name]
    if op.returns is not None:
        return result_name(op.returns.__name__)
    if op.multi_view:
        return "tuple[Tensor, ...]"
    if op.forward is not None or op.pointwise:
        return "Tensor"
    results = {result_type(value) for value in stub_examples.results(op)}
    if len(results) == 1:
        return results.pop()
    return "Any" if results else (by_code(op.compose, full) or "Tensor").replace("Self", "Tensor")


def result_type(value):
    if isinstance(value, weft.Tensor):
        return "Tensor"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return result_name(type(value).__name__)
    if isinstance(value, (tuple, list)) and all(isinstance(v, weft.Tensor) for v in value):
        kind = type(value).__name__
        return "tuple[Tensor, ...]" if kind == "tuple" else "list[Tensor]"
    if isinstance(value, weft.Size):
        return "Size"
    return of_value(value) or "Any"


# signatures of other functions

def code_of(function):
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return None


def own_nodes(code):
    """The statements of a function without those of functions inside it."""
    waiting = list(code.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def by_code(function, place=""):
    """The result's type as far as the code shows it: nothing, self, a bool, a number, a text."""
    code = code_of(function)
    if not isinstance(code, ast.FunctionDef):
        return None
    nodes = list(own_nodes(code))
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes):
        return "Iterator[Any]"
    values = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    if not values:
        raises = code.body and isinstance(code.body[-1], ast.Raise)
        return None if raises else "None"
    kinds = {of_expression(v) for v in values}
    return kinds.pop() if len(kinds) == 1 else None


def of_expression(node):
    if isinstance(node, ast.Name) and node.id == "self":
        return "Self"
    if isinstance(node, ast.Constant):
        return "None" if node.value is None else of_value(node.value)
    if isinstance(node, ast.JoinedStr):
        return "str"
    if isinstance(node, (ast.List, ast.ListComp)):
        return "list[Any]"
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return "dict[Any, Any]"
    if isinstance(node, ast.Compare):
        return "bool" if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "bool"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return {"isinstance": "bool", "bool": "bool", "len": "int", "int": "int", "float": "float", "str": "str",
                "hasattr": "bool", "all": "bool", "any": "bool", "callable": "bool", "wrap": "Tensor",
                "sorted": "list[Any]", "list": "list[Any]", "dict": "dict[Any, Any]",
                "Parameter": "Parameter"}.get(node.func.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
        return "str"
    return None


def function_result(place, name, function):
    said = annotated(inspect.signature(function).return_annotation) if callable(function) else None
    found = said or nearest(table.RETURNS, place.rpartition(".")[0], name)
    if found:
        return found
    inner = getattr(function, "__wrapped__", None)
    if inner is not None and inspect.isgeneratorfunction(inner):
        return "AbstractContextManager[Any]"
    found = by_code(function)
    if found:
        inside = place.count(".") >= 2 and place.split(".")[-2][:1].isupper()
        return found if inside or found != "Self" else "Tensor"
    if is_tensor_place(place):
        return "Tensor"
    return "Any"


TENSOR_PLACES = ("weft.nn.functional.", "weft.nn.init.", "weft.signal.windows.", "weft.linalg.", "weft.fft.",
                 "weft.special.", "weft.nn.grad.", "weft.masked.")


def is_tensor_place(place):
    """Whether functions here return a tensor unless their code says otherwise."""
    if place.startswith(TENSOR_PLACES):
        return True
    name = place.removeprefix("weft.Tensor.").removeprefix("weft.")
    if name in NOT_TENSORS:
        return False
    return name in FUNCTIONS or name in IN_PLACE or place.startswith("weft.Tensor.") and (
        name.startswith("new_") or name.endswith("_") or name in ("type_as", "to_dense", "new"))


IN_PLACE = {name + "_" for name in FUNCTIONS}
NOT_TENSORS = {"result_type", "typename", "get_rng_state", "initial_seed", "seed", "get_num_threads", "can_cast",
               "get_default_dtype", "to_dlpack", "is_storage", "manual_seed", "get_printoptions"}


def signatures(place, name, function, method):
    """The signature of a plain function or method, as a list of overloads."""
    if place in table.SIGNATURES:
        given = table.SIGNATURES[place]
        return [given] if isinstance(given, str) else given
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return [f"({'self, ' if method else ''}*args: Any, **kwargs: Any) -> Any"]
    texts, keywords = [], False
    for i, p in enumerate(found.parameters.values()):
        if method and i == 0:
            texts.append("cls" if p.name in ("cls", "_cls") else "self")
            if p.kind is p.VAR_POSITIONAL:
                texts.append("*args: Any")
            continue
        if p.kind is p.KEYWORD_ONLY and not keywords:
            texts.append("*")
        keywords = keywords or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        kind = parameter_type(place, p.name, p.default, p.annotation)
        if p.kind is p.VAR_POSITIONAL:
            texts.append(f"*{p.name}: {variadic(place, p.name)}")
        elif p.kind is p.VAR_KEYWORD:
            texts.append(f"**{p.name}: Any")
        else:
            texts.append(f"{p.name}: {kind}{default_text(p.default)}")
    result = function_result(place, name, function)
    return [f"({', '.join(t)}) -> {result}" for t in one_by_one(texts) or [texts]]


# writing

def definition(name, overloads, indent="", doc=None, decorator=None):
    """A function's stub, with its docstring where an editor finds none in the source."""
    lines = []
    for k, text in enumerate(overloads):
        text, _, note = text.partition("  #")
        note = f"  #{note}" if note else ""
        if len(overloads) > 1:
            lines.append(f"{indent}@overload")
        if decorator:
            lines.append(f"{indent}{decorator}")
        if doc and k == 0:
            lines += [f"{indent}def {name}{text}:", *docstring(doc, indent + "    ")]
        else:
            lines.append(f"{indent}def {name}{text}: ...{note}")
    return lines


def docstring(doc, indent):
    doc = doc.replace("\\", "\\\\").replace('"""', "'''")
    lines = inspect.cleandoc(doc).split("\n")
    if len(lines) == 1 and not lines[0].endswith('"'):
        return [f'{indent}"""{lines[0]}"""']
    return [f'{indent}"""{lines[0]}', *[indent + line if line else "" for line in lines[1:]], f'{indent}"""']


def shadow_safe(lines, shadowed):
    """`builtins.int` for int where the scope has its own `int`."""
    if not shadowed:
        return lines
    pattern = re.compile(r"(?<![\w.'\"])(" + "|".join(sorted(shadowed)) + r")(?=[\s\])|,\[:]|$)(?!: (?!\.\.\.))")
    made = []
    for line in lines:
        head = re.match(r"(\s*)(def \w+|\w+:)", line)
        if not head or line.lstrip().startswith((">", ".")):
            made.append(line)
            continue
        start = head.end()
        made.append(line[:start] + pattern.sub(r"builtins.\1", line[start:]))
    return made


class Stub:
    """The stub of one module while it is written."""

    def __init__(self, module):
        self.module, self.name = module, dotted(module)
        self.lines, self.imports, self.defined = [], {}, set()

    def refer(self, cls):
        """The name by which a class of weft is known in this stub; a private one by its public base."""
        home = dotted(sys.modules[cls.__module__])
        if cls.__name__.startswith("_") and home != self.name:
            cls = next((b for b in cls.__mro__ if is_ours(b) and not b.__name__.startswith("_")), cls)
            home = dotted(sys.modules[cls.__module__])
        if home != self.name and cls.__name__ in vars(self.module) and vars(self.module)[cls.__name__] is not cls:
            self.lines.append(f"from {home} import {cls.__name__} as _{cls.__name__}")
            need(home)
            return "_" + cls.__name__
        if home != self.name:
            self.imports[cls.__name__] = home
            need(home)
        return cls.__name__

    def text(self):
        body = "\n".join(self.lines)
        words = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w)(?!: (?!\.\.\.))", strip_docs(body)))
        late = [f"{v} = {text}" for v, text in table.TYPE_VARS.items() if v in words and v not in self.defined]
        words |= set(re.findall(r"[A-Za-z_]\w*", " ".join(late)))
        imports = collections.defaultdict(set)
        brought = set(re.findall(r"^from .* import .* as (\w+)$", body, flags=re.M))
        for word in sorted(words - self.defined - brought):
            if word in self.imports:
                imports[self.imports[word]].add(f"{word} as {word}")
            elif word in table.HOMES:
                imports[table.HOMES[word]].add(f"{word} as {word}" if word in REEXPORTED.get(self.name, ()) else word)
                need(table.HOMES[word])
        if "device_" in words:
            imports["weft.core.device"].add("device as device_")
        head = [f'"""{(self.module.__doc__ or "").strip().splitlines()[0] if self.module.__doc__ else self.name}"""',
                "# made by tools/stubs.py"]
        if "builtins." in body:
            head.append("import builtins")
        head += [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(imports.items())]
        return "\n".join([*head, "", *late, *([""] if late else []), *self.lines]) + "\n"


def strip_docs(text):
    return re.sub(r'""".*?"""', "", text, flags=re.S)


REEXPORTED = collections.defaultdict(set)       # module -> names that its stub only passes on
WAITING, NEEDED = [], set()


def need(name):
    """Ask for the stub of a module."""
    if name.startswith("weft.") and name not in NEEDED and name != "weft._typing":
        NEEDED.add(name)
        WAITING.append(name)


def dotted(module):
    """The module's place by its file, which is where type checkers look."""
    file = getattr(module, "__file__", None)
    if file is None:
        return module.__name__
    path = pathlib.Path(file).resolve()
    if not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / "weft" / "compat"):
        return module.__name__      # what stands in compat is known by its PyTorch name only
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_ours(value):
    return (getattr(value, "__module__", None) or "").startswith("weft")


def public_names(module):
    """The names that a module offers, in the order in which it defines them."""
    here = vars(module)
    lazy = [*getattr(module, "_LAZY", ()), *getattr(module, "_TOOLS", ())]
    if "__all__" in here:
        chosen = list(here["__all__"])
    else:
        own = [n for n, v in here.items() if getattr(v, "__module__", None) == module.__name__]
        passed_on = is_package(module) or not own
        chosen = [n for n, v in here.items() if n in own or is_op_here(module, n)
                  or passed_on and is_weft(v) and not inspect.ismodule(v)
                  or isinstance(v, (bool, int, float, str)) and not passed_on and n.isupper()]
    bases = {b for n in chosen for v in [here.get(n)] if inspect.isclass(v) for b in v.__mro__}
    private = [n for n, v in here.items() if n.startswith("_") and inspect.isclass(v) and v in bases
               and v.__module__ == module.__name__ and v.__name__ == n]
    public_own = [n for n, v in here.items() if getattr(v, "__module__", None) == module.__name__
                  and (inspect.isclass(v) or inspect.isfunction(v))]
    names = dict.fromkeys([*private, *chosen, *public_own, *lazy, *submodules(module)])
    order = {n: i for i, n in enumerate(here)}
    return sorted((n for n in names if (n in private or not n.startswith("_")) and not keyword.iskeyword(n)),
                  key=lambda n: order.get(n, len(order)))


def submodules(module):
    """The public modules inside a package, imported or not."""
    inside = dotted(module).removeprefix("weft").lstrip(".")
    inside = inside + "." if inside else ""
    return [n.removeprefix(inside) for n in PUBLIC if n.startswith(inside) and "." not in n.removeprefix(inside)]


def is_package(module):
    return pathlib.Path(module.__file__).name.startswith("__init__")


def is_weft(value):
    return is_ours(value) or isinstance(value, weft.dtype)


def is_op_here(module, name):
    space = dotted(module).removeprefix("weft").lstrip(".")
    return (f"{space}.{name}" if space else name) in FUNCTIONS


def module_stub(module):
    stub = Stub(module)
    root = stub.name == "weft"
    names = public_names(module)
    stub.defined = {n for n in names if not passes_on(stub, module, n)}
    for name in names:
        if root and name == "Tensor":
            stub.imports["Tensor"] = "weft.tensor.tensor"
            need("weft.tensor.tensor")
            REEXPORTED["weft"].add("Tensor")
            stub.defined.discard("Tensor")
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        stub.lines += member(stub, module, name, value)
    return_types(stub)
    shadowed = {n for n in BUILTINS if n in stub.defined}
    stub.lines = shadow_safe(stub.lines, shadowed)
    if root:
        stub.lines = ["__version__: builtins.str", *stub.lines]
    return stub


def passes_on(stub, module, name):
    value = vars(module).get(name)
    return inspect.isclass(value) and is_ours(value) and dotted(sys.modules[value.__module__]) != stub.name


def member(stub, module, name, value):
    """The lines of one public name of a module."""
    place = f"{stub.name}.{name}"
    full = place.removeprefix("weft.")
    if inspect.ismodule(value):
        home = dotted(value)
        if not home.startswith("weft"):
            return []
        if not getattr(value, "__file__", None):        # made at run time: PyTorch's name for another module's parts
            return [f"{name}: Any"]
        need(home)
        parent, _, last = home.rpartition(".")
        return [f"from {parent} import {last} as {name}"]
    op = stub_examples.op_of(value)
    if op is not None:
        in_place = value is not op.public
        return definition(name, op_signatures(op, place, False, in_place), doc=stub_examples.document(op, value, full))
    if inspect.isclass(value) and is_ours(value):
        home = dotted(sys.modules[value.__module__])
        if home == stub.name and value.__name__ == name:
            return class_stub(stub, value)
        need(home)
        if home == stub.name:
            return [f"{name} = {value.__name__}"]
        return [f"from {home} import {value.__name__} as {name}"]
    if inspect.isfunction(value) or isinstance(value, functools.partial):
        return function_member(stub, module, name, value, place, full)
    if isinstance(value, weft.dtype):
        return [f"{name}: dtype"]
    if isinstance(value, types.UnionType) or str(type(value)).startswith("<class 'typing."):
        return [f"{name}: Any"]
    return [f"{name}: {instance_type(stub, value)}"]


def function_member(stub, module, name, value, place, full):
    home = dotted(sys.modules[value.__module__]) if is_ours(value) and value.__module__ in sys.modules else stub.name
    without_stub = value.__name__.startswith("_") or home.startswith(("weft.ops", "weft.core.settings"))
    if full in FUNCTIONS or home == stub.name or without_stub:
        doc = value.__doc__ if full in FUNCTIONS else None
        if full not in FUNCTIONS and FUNCTIONS.get(value.__name__) is value:
            place = "weft." + value.__name__
        return definition(name, signatures(place, value.__name__, value, False), doc=doc)
    need(home)
    return [f"from {home} import {value.__name__} as {name}"]


def instance_type(stub, value):
    kind = type(value)
    if kind.__name__.startswith("_") and is_ours(kind):
        kind = next((b for b in kind.__mro__ if is_ours(b) and not b.__name__.startswith("_")), kind)
    if is_ours(kind) and kind.__name__.isidentifier() and vars(sys.modules[kind.__module__]).get(kind.__name__) is kind:
        return stub.refer(kind)
    return of_value(value) or "Any"


def return_types(stub):
    """Import the named tuples that this stub's functions return."""
    body = strip_docs("\n".join(stub.lines))
    for name in stub_examples.named_results():
        if re.search(rf"-> {result_name(name)}:", body):
            stub.imports[result_name(name)] = "weft._typing"


def result_name(name):
    """linalg_svd -> LinalgSvdResult."""
    return "".join(part.capitalize() for part in name.split("_")) + "Result"


# classes

def class_stub(stub, cls):
    place = f"{dotted(sys.modules[cls.__module__])}.{cls.__name__}"
    if place == "weft.tensor.tensor.Tensor":
        return tensor_stub(stub)
    lines = [f"class {cls.__name__}{bases(stub, cls, place)}:"]
    body = attributes(stub, cls, place) + methods(stub, cls, place)
    shadowed = {n for n in BUILTINS if n in vars(cls)}
    return [*lines, *shadow_safe(body or ["    ..."], shadowed), ""]


def bases(stub, cls, place):
    if place in table.BASES:
        return table.BASES[place]
    found = []
    for base in cls.__bases__:
        if base is object or base.__name__ in ("Generic", "FunctionMeta"):
            continue
        if hasattr(base, "_fields") and base.__bases__ == (tuple,):
            found.append("tuple[Any, ...]")
        elif is_ours(base) and base.__name__ == cls.__name__ and base.__module__ == cls.__module__:
            found += [stub.refer(b) for b in base.__bases__ if is_ours(b)]
        elif is_ours(base):
            found.append(stub.refer(base))
        elif base.__module__ == "builtins":
            found.append({"dict": "dict[str, Any]", "list": "list[Any]", "tuple": "tuple[Any, ...]"}
                         .get(base.__name__, base.__name__))
        elif base.__name__ in ("OrderedDict",):
            found.append("OrderedDict[str, Any]")
        elif base.__module__ == "enum":
            stub.imports[base.__name__] = "enum"
            found.append(base.__name__)
    return f"({', '.join(dict.fromkeys(found))})" if found else ""


def attributes(stub, cls, place):
    """Attributes that `__init__` and its like set, and those of the class."""
    found = dict(table.ATTRIBUTES.get(place, {}))
    if hasattr(cls, "_fields") and tuple in cls.__mro__:
        found = {**dict.fromkeys(cls._fields, "Any"), **found}
    for name, value in vars(cls).items():
        if name.startswith("_") or name in found or callable(value) or isinstance(value, (property, staticmethod,
                                                                                         classmethod)):
            continue
        if type(value).__name__ in ("member_descriptor", "getset_descriptor"):
            found[name] = assigned(cls, place).get(name) or nearest(table.PARAMETERS, place, name) or "Any"
            continue
        if isinstance(cls, enum.EnumMeta):
            continue
        if hasattr(type(value), "__get__"):
            continue
        found[name] = nearest(table.RETURNS, place, name) or instance_type(stub, value)
    for name in settings_of(cls):
        parameter = cls.__signature__.parameters[name]
        found.setdefault(name, parameter_type(place + ".__init__", name, parameter.default))
    for name, kind in assigned(cls, place).items():
        held = inspect.getattr_static(cls, name, None)
        if not name.startswith("_") and (not hasattr(type(held), "__get__") or inspect.isfunction(held)):
            found.setdefault(name, nearest(table.RETURNS, place, name) or kind if kind == "Any" else kind)
    for name in getattr(cls, "__annotations__", {}):
        if not name.startswith("_"):
            found.setdefault(name, annotated(cls.__annotations__[name]) or "Any")
    inherited = {n for b in cls.__mro__[1:] for n in vars(b)}
    members = [f"    {m.name} = {m.value!r}" if isinstance(m.value, (int, str)) else f"    {m.name} = ..."
               for m in cls] if isinstance(cls, enum.EnumMeta) else []
    return members + [f"    {name}: {kind}" for name, kind in found.items()
            if not (name in inherited and inspect.isfunction(inspect.getattr_static(cls, name, None))
                    and name not in table.ATTRIBUTES.get(place, {}))]


def settings_of(cls):
    made = vars(cls).get("__signature__") or inspect.getattr_static(cls, "__signature__", None)
    return list(made.parameters) if isinstance(made, inspect.Signature) else []


def assigned(cls, place):
    """self.x = ... in the methods that set an object up."""
    code = code_of(cls)
    found = {}
    if not isinstance(code, ast.ClassDef):
        return found
    for method in code.body:
        if not isinstance(method, ast.FunctionDef) or method.name not in ("__init__", "_set_up", "__new__", "set_up"):
            continue
        function = inspect.getattr_static(cls, method.name, None)
        parameters = {a.arg: parameter_of(function, a.arg) for a in (*method.args.args, *method.args.kwonlyargs)}
        for node in own_nodes(method):
            for name, value in targets(node):
                kind = attribute_type(value, parameters, f"{place}.{method.name}")
                if name not in found or found[name] == "Any":
                    found[name] = kind
                elif kind != "Any" and kind != found[name]:
                    found[name] = merged(found[name], kind)
    return found


def merged(one, other):
    if "Parameter" in (one, other):
        return "Parameter"
    parts = dict.fromkeys([*one.split(" | "), *other.split(" | ")])
    if "[" in one + other:
        return "Any"
    return " | ".join([p for p in parts if p != "None"] + ["None"] * ("None" in parts))


def parameter_of(function, name):
    try:
        return inspect.signature(function).parameters.get(name)
    except (TypeError, ValueError):
        return None


def targets(node):
    """(attribute, expression) of assignments to self, and of registered parameters and buffers."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [None] * len(target.elts)
                for part, value in zip(target.elts, values):
                    if is_self(part):
                        yield part.attr, value
            elif is_self(target):
                yield target.attr, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        first = node.args[0]
        if node.func.attr in ("register_buffer", "register_parameter") and isinstance(first, ast.Constant):
            yield first.value, node.func.attr


def is_self(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def attribute_type(value, parameters, place):
    if value in ("register_buffer", "register_parameter"):
        return "Tensor" if value == "register_buffer" else "Parameter"
    if isinstance(value, ast.Name) and parameters.get(value.id) is not None:
        p = parameters[value.id]
        return parameter_type(place, p.name, p.default, p.annotation)
    if isinstance(value, ast.IfExp):
        one, other = (attribute_type(v, parameters, place) for v in (value.body, value.orelse))
        return one if one == other else "Any"
    if value is None:
        return "Any"
    found = of_expression(value)
    if found == "None":
        return "Any"
    if found:
        return found
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        if called in ("Linear", "Dropout", "LayerNorm", "ModuleList", "Sequential", "MultiheadAttention"):
            return "Module"
        if called in ("Parameter", "UninitializedParameter"):
            return "Parameter"
    return "Any"


def methods(stub, cls, place):
    lines = []
    if settings_of(cls) and ("__init__" not in vars(cls) or "__signature__" in vars(cls)):
        lines += [f"    def __init__{init_text(cls, place)}: ..."]
    for name, value in vars(cls).items():
        if name.startswith("_") and name not in DUNDERS or keyword.iskeyword(name):
            continue
        if (name in table.ATTRIBUTES.get(place, {}) or f"{place}.{name}" in table.HIDDEN
                or name == "__init__" and place.endswith("FunctionLayer")):
            continue
        lines += method_lines(stub, cls, f"{place}.{name}", name, value)
    for known in table.SIGNATURES:          # of methods that it has from a base, with other types
        owner, _, name = known.rpartition(".")
        if owner == place and name not in vars(cls) and name != "__getattr__":
            lines += definition(name, signatures(known, name, None, True), "    ")
    return lines


def init_text(cls, place):
    texts = ["self"]
    for p in cls.__signature__.parameters.values():
        texts.append(f"{p.name}: {parameter_type(place + '.__init__', p.name, p.default)}{default_text(p.default)}")
    return f"({', '.join(texts)}) -> None"


LAZY = ("lazy_property", "cached_property", "dependent_property")


def method_lines(stub, cls, place, name, value):
    if isinstance(value, property) or type(value).__name__ in LAZY:
        function = getattr(value, "fget", None) or getattr(value, "wrapped", None) or getattr(value, "func", None)
        kind = signature_result(place) or (function_result(place, name, function) if function else
                                           nearest(table.RETURNS, place, name) or "Any")
        lines = ["    @property", f"    def {name}(self) -> {kind}: ..."]
        if isinstance(value, property) and value.fset is not None:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: {kind}) -> None: ..."]
        return lines
    if name == "__new__":
        function = inspect.unwrap(getattr(value, "__func__", value))
        return [] if issubclass(cls, enum.Enum) else definition(name, signatures(place, name, function, True), "    ")
    if isinstance(value, staticmethod):
        texts = [re.sub(r"\bSelf\b", cls.__name__, t) for t in signatures(place, name, value.__func__, False)]
        return definition(name, texts, "    ", decorator="@staticmethod")
    if isinstance(value, classmethod):
        return definition(name, signatures(place, name, value.__func__, True), "    ", decorator="@classmethod")
    if inspect.isfunction(value):
        if not inspect.signature(value).parameters:
            return []
        return definition(name, signatures(place, name, value, True), "    ")
    return []


def signature_result(place):
    given = table.SIGNATURES.get(place)
    return given.split("-> ")[-1] if isinstance(given, str) else None


def tensor_stub(stub):
    """Tensor: what the table says, operators, and every method of the registry."""
    body = table.TENSOR.rstrip().split("\n")
    body += [f"    def __{name}__(self, other: TensorLike) -> Tensor: ..." for name in table.OPERATORS]
    body += [f"    def __{name}__(self, other: Tensor) -> Tensor: ..." for name in ("matmul", "rmatmul")]
    for name in sorted(dir(weft.Tensor)):
        if name.startswith("_") or keyword.iskeyword(name) or f"    {name}:" in table.TENSOR:
            continue
        body += tensor_member(name, inspect.getattr_static(weft.Tensor, name))
    shadowed = {n for n in BUILTINS if hasattr(weft.Tensor, n)}
    for word in ("device", "dtype", "layout", "size"):
        assert not re.search(rf"(: |\| |-> ){word}\b(?!_)", strip_docs("\n".join(body))), word
    return ["class Tensor:", *shadow_safe(body, shadowed), ""]


def tensor_member(name, value):
    place = f"weft.Tensor.{name}"
    if isinstance(value, property) or type(value).__name__ in ("getset_descriptor", "member_descriptor"):
        kind = table.TENSOR_PROPERTIES.get(name) or ("bool" if name.startswith("is_") else "Any")
        lines = ["    @property", f"    def {name}(self) -> {kind}: ..."]
        if getattr(value, "fset", None) is not None and kind != "Any":
            lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
        return lines
    if isinstance(value, (staticmethod, classmethod)):
        return [f"    def {name}(self, *args: Any, **kwargs: Any) -> Any: ..."]
    op = stub_examples.op_of(value)
    if op is None:
        return definition(name, signatures(place, name, value, True), "    ", doc=value.__doc__)
    in_place = value is not op.public
    return definition(name, op_signatures(op, place, True, in_place), "    ",
                      doc=stub_examples.document(op, value, name, method=True))


# all stubs

def typing_stub():
    """weft/_typing.pyi: the aliases, and the named tuples of ops."""
    lines = ['"""Names for types in weft\'s stubs; there is no such module at run time."""', "# made by tools/stubs.py",
             "import os", "from collections.abc import Callable, Iterable, Mapping, Sequence",
             "from types import EllipsisType", "from typing import IO, Any, Literal, NamedTuple", "",
             "import numpy as np", "from typing_extensions import TypeAlias", "",
             "from weft.core.device import device", "from weft.core.dtype import dtype",
             "from weft.core.layout import layout, memory_format", "from weft.tensor.tensor import Tensor", ""]
    lines += [f"{name}: TypeAlias = {text}" for name, text in table.ALIASES.items()]
    for name, fields in sorted(stub_examples.named_results().items()):
        lines += ["", f"class {result_name(name)}(NamedTuple):", *[f"    {f}: Tensor" for f in fields]]
    return "\n".join(lines) + "\n"


def place_of(module, path):
    """Where a module's stub stands: beside it, or for a module of compat where its PyTorch name says."""
    if not path.is_relative_to(ROOT / "weft" / "compat"):
        return path.with_suffix(".pyi")
    place = ROOT.joinpath(*module.__name__.split("."))
    return place / "__init__.pyi" if path.name == "__init__.py" else place.with_suffix(".pyi")


def wanted():
    """Path -> text of every stub, and of the examples that ops show in their docstrings."""
    NEEDED.clear()
    made = {}
    for name in ("core.layout", "tensor.tensor", *PUBLIC):
        try:
            need(dotted(importlib.import_module("weft." + name)))
        except ModuleNotFoundError:
            need(dotted(functools.reduce(getattr, name.split("."), weft)))
    made[ROOT / "weft" / "__init__.pyi"] = module_stub(weft).text()
    while WAITING:
        module = importlib.import_module(WAITING.pop())
        path = pathlib.Path(getattr(module, "__file__", None) or "")
        if path.suffix != ".py" or not path.is_relative_to(ROOT):
            continue
        made[place_of(module, path)] = module_stub(module).text()
    made[ROOT / "weft" / "_typing.pyi"] = typing_stub()
    made[ROOT / "weft" / "ops" / "core" / "examples.json"] = stub_examples.data_text()
    return made


def count(made):
    """(annotations, those that are Any) of all stubs."""
    every = unknown = 0
    for path, text in made.items():
        if path.suffix != ".pyi":
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef):
                continue
            a = node.args
            found = [p.annotation for p in (*a.posonlyargs, *a.args, *a.kwonlyargs) if p.arg not in ("self", "cls")]
            for annotation in (*found, node.returns):
                every += 1
                unknown += isinstance(annotation, ast.Name) and annotation.id == "Any"
    return every, unknown


def main():
    made = wanted()
    if "--count" in sys.argv:
        every, unknown = count(made)
        print(f"{sum(p.suffix == '.pyi' for p in made)} stubs: {every} parameters and results, {unknown} of them Any")
        return 0
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    gone = sorted(set((ROOT / "weft").rglob("*.pyi")) - set(made))
    if "--check" in sys.argv:
        for path in (*stale, *gone):
            print(f"{path.relative_to(ROOT)} is out of date\n  fix: python tools/stubs.py", file=sys.stderr)
        return 1 if stale or gone else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path])
    for path in gone:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
