"""An ONNX file as a TensorFlow graph, read without the onnx package."""
from weft.utils.tensorboard import messages as m
from weft.utils.tensorboard.wire import read

GRAPH = 7                                                   # of ModelProto
NODE, INITIALIZER, INPUT, OUTPUT = 1, 5, 11, 12             # of GraphProto


def fields(message):
    """{field: [values]} of a message."""
    found = {}
    for field, value in read(message):
        found.setdefault(field, []).append(value)
    return found


def onnx_graph(path):
    """The GraphDef of the model in a file."""
    with open(path, "rb") as file:
        model = fields(file.read())
    if GRAPH not in model:
        raise ValueError(f"{path} holds no ONNX model")
    found = fields(model[GRAPH][0])
    nodes = [m.node(name, "Variable", sizes=[sizes]) for name, sizes in map(_value, found.get(INPUT, ()))]
    makers = {}                                             # name of a value -> name of the node that makes it
    ops = [fields(node) for node in found.get(NODE, ())]
    for i, op in enumerate(ops):
        kind = _text(op, 4) or "op"
        op["name"] = _text(op, 3) or f"{kind}_{i}"
        makers.update((out.decode(), op["name"]) for out in op.get(2, ()))
    for op in ops:
        inputs = [makers.get(name.decode(), name.decode()) for name in op.get(1, ()) if name]
        nodes.append(m.node(op["name"], _text(op, 4), inputs))
    known = {name for name, _ in map(_value, found.get(INPUT, ()))}
    for initializer in map(fields, found.get(INITIALIZER, ())):
        if _text(initializer, 8) not in known:
            nodes.append(m.node(_text(initializer, 8), "Initializer", sizes=[_sizes(initializer.get(1, ()))]))
    for name, sizes in map(_value, found.get(OUTPUT, ())):
        nodes.append(m.node("output/" + name, "Output", [makers[name]] if name in makers else (), [sizes]))
    return m.graph(nodes)


def _sizes(values):
    """Integers, packed or one by one."""
    found = []
    for value in values:
        found.extend([value] if isinstance(value, int)
                     else [v for _, v in read(b"".join(b"\x08" + part for part in _parts(value)))])
    return found


def _parts(packed):
    """The varints of a packed list, each as its bytes."""
    start = 0
    for i, byte in enumerate(packed):
        if byte < 0x80:
            yield packed[start:i + 1]
            start = i + 1


def _text(message, field):
    return message[field][0].decode() if field in message else ""


def _value(message):
    """(name, sizes) of a ValueInfoProto; a dimension without a number is -1."""
    info = fields(message)
    kind = fields(info[2][0]) if 2 in info else {}
    tensor = fields(kind[1][0]) if 1 in kind else {}
    dims = fields(tensor[2][0]).get(1, ()) if 2 in tensor else ()
    return _text(info, 1), [fields(d).get(1, [-1])[0] for d in dims]
