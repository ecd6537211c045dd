"""`jit.save` and `jit.load` of what `trace` made. A file has the graph and the tensors as data: names of weft's own
functions, numbers, strings. Reading it runs no code, and a name that isn't one of weft's functions is refused.
"""
import io
import os

import weft
from weft.core.errors import fail
from weft.fx import Graph, Node
from weft.jit import _allowed, _saved, _sizes, _torchscript, _trace
from weft.jit._script import ScriptFunction, ScriptModule
from weft.tensor.names import FUNCTIONS, SEEN
from weft.tensor.tensor import Tensor

__all__ = ["save", "load"]
FORMAT = "weft traced module"
_OWN = {"item": _trace.item, "attribute": _trace.attribute, "set_attribute": _trace.set_attribute,
        "extent": _sizes.extent, "combined": _sizes.combined}
_LEAVES = (int, float, str, bool, complex, type(None))
_NAMED = {"dtype": weft.dtype, "memory_format": weft.memory_format, "layout": weft.layout}


# functions by name

def _name_of(target):
    for kind, table in (("own", _OWN), ("function", FUNCTIONS), ("method", vars(Tensor))):
        for name, value in table.items():
            if value is target:
                return kind, name
    fail(RuntimeError, f"jit.save: the graph calls {getattr(target, '__name__', target)!r}, which is no function of "
         f"weft's, and a file holds no code", "save the module's state_dict(), and make the module anew to load it")


def _function(kind, name):
    found = None
    if type(name) is str:
        found = _OWN.get(name) if kind == "own" else _allowed.traced_method(name) if kind == "method" else \
            _traced_function(name) if kind == "function" else None
    if found is None:
        fail(RuntimeError, f"jit.load: the file names {str(name)[:80]!r}, which is no function that a traced module "
             f"calls", "write it anew with jit.save")
    return found


def _traced_function(name):
    found = FUNCTIONS.get(name)
    return found if name not in _allowed.FILES and (hasattr(found, "op") or name in SEEN) else None


# values as data

def _packed(value, numbers):
    if isinstance(value, Node):
        return {"node": numbers[value]}
    if isinstance(value, weft.Size) or isinstance(value, tuple):
        return {"tuple": [_packed(v, numbers) for v in value]}
    if isinstance(value, list):
        return {"list": [_packed(v, numbers) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[_packed(k, numbers), _packed(v, numbers)] for k, v in value.items()]}
    if isinstance(value, slice):
        return {"slice": [_packed(v, numbers) for v in (value.start, value.stop, value.step)]}
    if value is ...:
        return {"dots": True}
    for kind, cls in _NAMED.items():
        if isinstance(value, cls):
            return {kind: str(value).removeprefix("torch.")}
    if isinstance(value, weft.device):
        return {"device": str(value)}
    if type(value) in _LEAVES:
        return value
    fail(RuntimeError, f"jit.save: the graph has a {type(value).__name__} among its arguments, which can't be written "
         f"as data", "give numbers, strings, types and tensors to the functions that are traced")


def _unpacked(value, nodes):
    if type(value) in _LEAVES:
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise RuntimeError("jit.load: the file is damaged: an argument is neither a value nor one of its kinds")
    (kind, inside), = value.items()
    if kind == "node":
        return nodes[inside]
    if kind in ("tuple", "list"):
        made = [_unpacked(v, nodes) for v in inside]
        return tuple(made) if kind == "tuple" else made
    if kind == "dict":
        return {_unpacked(k, nodes): _unpacked(v, nodes) for k, v in inside}
    if kind == "slice":
        return slice(*[_unpacked(v, nodes) for v in inside])
    if kind == "dots":
        return ...
    if kind == "device":
        return weft.device(inside)
    found = getattr(weft, inside, None) if kind in _NAMED else None
    if found is None or not isinstance(found, _NAMED[kind]):
        raise RuntimeError(f"jit.load: the file is damaged: {kind} {inside!r}")
    return found


# graphs

def graph_data(module, writer=None):
    """A traced module's graph as data; writer: of the file's scripts, for those that the graph calls."""
    numbers, lines = {}, []
    for node in module.graph.nodes:
        target = node.target
        if isinstance(target, ScriptFunction):
            target = ["script", writer.function(target._torchscript_function)]
        elif not isinstance(target, str):
            target = list(_name_of(target))
        lines.append([node.op, node.name, target, _packed(tuple(node.args), numbers),
                      _packed(dict(node.kwargs), numbers)])
        numbers[node] = len(numbers)
    return {"graph": lines, "inputs": list(module._names)}


def read_graph(module, data, reader):
    """Give a module the graph that a file has for it."""
    vars(module).update(_graph=_graph(data["graph"], reader), _names=[str(name) for name in data["inputs"]], _others=[])


def _graph(lines, reader=None):
    """The graph; a path leads to a tensor or a module of the file, nothing else is reached by name."""
    graph, nodes = Graph(), []
    for op, name, target, args, kwargs in lines:
        known = isinstance(target, str) if op in ("placeholder", "get_attr", "call_module", "output") else \
            op == "call_function" and isinstance(target, list)
        if not known or op in ("get_attr", "call_module") and any([p.startswith("__") for p in target.split(".")]):
            raise _saved.damaged(f"its graph has a step {str(op)[:40]!r} of {str(target)[:80]!r}")
        found = target
        if op == "call_function":
            found = _scripted(target, reader) if target[0] == "script" else _function(*target)
        args, kwargs = _unpacked(args, nodes), _unpacked(kwargs, nodes)
        nodes.append(graph.output(args[0]) if op == "output" else
                     graph.create_node(op, found, args, kwargs, name))
    return graph


def _scripted(target, reader):
    """A scripted function that a graph calls."""
    if reader is None or len(target) != 2 or target[1] not in reader.program.functions:
        raise _saved.damaged("a graph calls a script that isn't there")
    return _saved.FileFunction(reader.program.functions[target[1]])


def check_paths(module):
    """Refuse a graph whose paths lead to anything but the tensors and modules that the file has."""
    tensors = {name for name, _ in (*module.named_parameters(remove_duplicate=False),
                                    *module.named_buffers(remove_duplicate=False))}
    for node in module.graph.nodes:
        if node.op == "get_attr" and node.target not in tensors:
            raise _saved.damaged(f"its graph reads {str(node.target)[:80]!r}, which isn't there")
        if node.op == "call_module":
            module.get_submodule(node.target)
    return module


# files

def save(m, f, _extra_files=None):
    """Write a traced module or function to a file or buffer.

    >>> import weft, io
    >>> file = io.BytesIO()
    >>> weft.jit.save(weft.jit.trace(weft.nn.Linear(2, 1), weft.ones(1, 2)), file)
    >>> _ = file.seek(0)
    >>> sorted(weft.jit.load(file).state_dict())
    ['bias', 'weight']
    """
    module = getattr(m, "_module", m)
    if isinstance(module, ScriptFunction):
        module.save(f, _extra_files)
        return
    if not isinstance(module, ScriptModule):
        fail(RuntimeError, f"jit.save: a {type(m).__name__} is no script and no trace, but Python, which no file holds",
             "script it (weft.jit.script(module)), trace it (weft.jit.trace(module, example_inputs)), or save its "
             "state_dict()")
    if not isinstance(module, _trace.TracedModule) or module._holds_scripts():
        _saved.save_module(module, f, _extra_files)
        return
    kept = set(module.state_dict(keep_vars=True))
    tensors = {name: [value.detach(), "parameter", value.requires_grad]
               for name, value in module.named_parameters(remove_duplicate=False)}
    tensors.update({name: [value.detach(), "buffer" if name in kept else "constant", False]
                    for name, value in module.named_buffers(remove_duplicate=False)})
    extra = {name: text.encode() if isinstance(text, str) else bytes(text)
             for name, text in (_extra_files or {}).items()}
    weft.save({"format": FORMAT, "version": 1, **graph_data(module), "tensors": tensors,
               "training": module.training, "name": module.original_name,
               "extra": extra}, f)


def _twice(f):
    """Something that can be read twice: a path, or the bytes of an open file from where it stands."""
    if isinstance(f, (str, os.PathLike, io.BytesIO)) or not hasattr(f, "read"):
        return f
    data = f.read()
    if isinstance(data, str):
        raise TypeError("jit.load: the file is open as text\n  fix: open it with mode 'rb'")
    return io.BytesIO(data)


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """The traced module of a file that jit.save wrote; reading it runs no code.

    >>> import weft, io
    >>> file = io.BytesIO()
    >>> weft.jit.trace(lambda x: x + 1, weft.ones(1)).save(file)
    >>> _ = file.seek(0)
    >>> weft.jit.load(file)(weft.zeros(2))
    tensor([1., 1.])
    """
    if isinstance(f, (str, os.PathLike)) and not os.path.isfile(f):
        missing = not os.path.exists(f)
        raise ValueError(f"The provided filename {f} {'does not exist' if missing else 'is a directory'}")
    f = _twice(f)
    data = _torchscript.load(f, map_location, _extra_files)
    if data is not None:
        return data
    data = weft.load(f, map_location, weights_only=True)
    if not isinstance(data, dict) or data.get("format") not in (FORMAT, _saved.FORMAT):
        fail(RuntimeError, "jit.load: this file is no traced or scripted module",
             "a state_dict or a whole object is read by weft.load")
    if _extra_files is not None:
        for name in _extra_files:
            _extra_files[name] = data["extra"].get(name, b"")
    if data["format"] == _saved.FORMAT:
        return _saved.load_data(data)
    if data["version"] != 1:
        fail(RuntimeError, f"jit.load: the file is of version {data['version']}, this weft reads version 1",
             "take a newer weft")
    graph = _graph(data["graph"])
    attributes = {path: (weft.nn.Parameter(value, needs) if kind == "parameter" else value, kind)
                  for path, (value, kind, needs) in data["tensors"].items()}
    return check_paths(_trace.TracedModule(graph, attributes, data["inputs"], data["name"]).train(data["training"]))
