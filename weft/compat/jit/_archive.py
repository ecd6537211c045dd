"""`jit.save` and `jit.load` of what `trace` made. A file has the graph and the tensors as data: names of weft's own
functions, numbers, strings. Reading it runs no code, and a name that isn't one of weft's functions is refused.
"""
import weft
from weft.core.errors import fail
from weft.fx import Graph, Node
from weft.jit import _sizes, _trace
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
    table = {"own": _OWN, "function": FUNCTIONS, "method": vars(Tensor)}.get(kind, {})
    found = table.get(name)
    allowed = kind == "own" or hasattr(found, "op") or kind == "function" and name in SEEN \
        or kind == "method" and name in _METHODS
    if found is None or not allowed:
        fail(RuntimeError, f"jit.load: the file names {name!r}, which is no function that a traced module calls",
             "write it anew with jit.save")
    return found


# methods that are no ops and give, or change, nothing but tensors
_METHODS = frozenset("""__getitem__ __setitem__ __rsub__ __rtruediv__ __pow__ __rpow__ __floordiv__ __rfloordiv__
    __mod__ __rmod__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __xor__ __lshift__ __rlshift__ __rshift__
    __rrshift__ __invert__ __neg__ __abs__ __matmul__ new_zeros new_ones new_empty new_full new_empty_strided new_tensor
    float double half bfloat16 int long short char byte bool cfloat cdouble type_as cpu copy_ detach detach_
    requires_grad_ where fill_diagonal_ unsqueeze_ squeeze_ t_ transpose_ swapaxes_ swapdims_ polygamma to_dense
    zeros_like ones_like empty_like full_like""".split())


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
    if not isinstance(module, _trace.TracedModule):
        fail(RuntimeError, f"jit.save: a {type(m).__name__} is no trace; script() leaves a program as it is, Python "
             f"that no file holds", "trace it (weft.jit.trace(module, example_inputs)), or save its state_dict()")
    if module._others:
        fail(NotImplementedError, f"jit.save: a file has the graph of forward, not of {', '.join(module._others)}",
             "save the other methods as traces of their own: weft.jit.trace(module.method, inputs)")
    numbers, lines = {}, []
    for node in module.graph.nodes:
        target = node.target if isinstance(node.target, str) else list(_name_of(node.target))
        lines.append([node.op, node.name, target, _packed(tuple(node.args), numbers),
                      _packed(dict(node.kwargs), numbers)])
        numbers[node] = len(numbers)
    kept = set(module.state_dict(keep_vars=True))
    tensors = {name: [value.detach(), "parameter", value.requires_grad]
               for name, value in module.named_parameters(remove_duplicate=False)}
    tensors.update({name: [value.detach(), "buffer" if name in kept else "constant", False]
                    for name, value in module.named_buffers(remove_duplicate=False)})
    extra = {name: text.encode() if isinstance(text, str) else bytes(text)
             for name, text in (_extra_files or {}).items()}
    weft.save({"format": FORMAT, "version": 1, "graph": lines, "tensors": tensors, "inputs": list(module._names),
               "training": module.training, "name": module.original_name,
               "extra": extra}, f)


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """The traced module of a file that jit.save wrote; reading it runs no code.

    >>> import weft, io
    >>> file = io.BytesIO()
    >>> weft.jit.trace(lambda x: x + 1, weft.ones(1)).save(file)
    >>> _ = file.seek(0)
    >>> weft.jit.load(file)(weft.zeros(2))
    tensor([1., 1.])
    """
    data = weft.load(f, map_location, weights_only=True)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        fail(RuntimeError, "jit.load: this file is no traced module of weft's",
             "a state_dict or a whole object is read by weft.load")
    if data["version"] != 1:
        fail(RuntimeError, f"jit.load: the file is of version {data['version']}, this weft reads version 1",
             "take a newer weft")
    graph, nodes = Graph(), []
    for op, name, target, args, kwargs in data["graph"]:
        found = target if isinstance(target, str) else _function(*target)
        args, kwargs = _unpacked(args, nodes), _unpacked(kwargs, nodes)
        nodes.append(graph.output(args[0]) if op == "output" else
                     graph.create_node(op, found, args, kwargs, name))
    attributes = {path: (weft.nn.Parameter(value, needs) if kind == "parameter" else value, kind)
                  for path, (value, kind, needs) in data["tensors"].items()}
    if _extra_files is not None:
        for name in _extra_files:
            _extra_files[name] = data["extra"].get(name, b"")
    return _trace.TracedModule(graph, attributes, data["inputs"], data["name"]).train(data["training"])
