"""The messages of an event file, as bytes; the numbers are the fields' numbers in TensorFlow's .proto files."""
import numpy as np

from weft.utils.tensorboard.wire import data, double, integer, single, text

FLOAT, DOUBLE, INT32, UINT8, INT16, INT8, STRING, COMPLEX64, INT64, BOOL = range(1, 11)
BFLOAT16, UINT16, COMPLEX128, HALF, UINT32, UINT64 = 14, 17, 18, 19, 22, 23
TYPES = {"float32": FLOAT, "float64": DOUBLE, "int32": INT32, "uint8": UINT8, "int16": INT16, "int8": INT8,
         "complex64": COMPLEX64, "int64": INT64, "bool": BOOL, "bfloat16": BFLOAT16, "uint16": UINT16,
         "complex128": COMPLEX128, "float16": HALF, "uint32": UINT32, "uint64": UINT64}


def as_bytes(message):
    """A message of ours (bytes already), or of the protobuf package."""
    if isinstance(message, (bytes, bytearray)):
        return bytes(message)
    if hasattr(message, "SerializeToString"):
        return message.SerializeToString()
    raise TypeError(f"expected an encoded message (bytes) or a protobuf message, got {type(message).__name__}")


def event(wall_time=None, step=None, version=None, graph=None, summary=None, started=False, run_metadata=None,
          writer=None):
    """An Event: when, at which step, and one thing that happened."""
    made = b"" if wall_time is None else double(1, wall_time)
    if step is not None:
        made += integer(2, step)
    if version is not None:
        made += text(3, version)
    if graph is not None:
        made += data(4, graph)
    if summary is not None:
        made += data(5, summary)
    if started:
        made += data(7, integer(1, 1))                      # SessionLog.START: what came at later steps is void
    if run_metadata is not None:
        made += data(8, text(1, run_metadata[0]) + data(2, run_metadata[1]))
    if writer is not None:
        made += data(10, text(1, writer))
    return made


def summary(*values):
    return b"".join(data(1, value) for value in values)


def metadata(plugin, content=b"", display_name=None, description=None):
    """Which plugin shows a value."""
    made = data(1, text(1, plugin) + (data(2, content) if content else b""))
    if display_name:
        made += text(2, display_name)
    return made + (text(3, description) if description else b"")


def value(tag, field, content, about=None):
    """A Summary.Value; field: 2 number, 4 image, 5 histogram, 6 audio, 8 tensor, None nothing."""
    made = text(1, tag)
    if field is not None:
        made += single(field, content) if field == NUMBER else data(field, content)
    return made + (data(9, about) if about is not None else b"")


NUMBER, IMAGE, HISTOGRAM, AUDIO, TENSOR = 2, 4, 5, 6, 8


def shape(sizes):
    """A TensorShapeProto."""
    return b"".join(data(2, integer(1, n)) for n in sizes)


def tensor(array):
    """A TensorProto of numbers, of any shape."""
    array = np.asarray(array)
    kind = TYPES[array.dtype.name]
    head = integer(1, kind) + data(2, shape(array.shape))
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    raw = np.ascontiguousarray(array).tobytes()
    # packed float_val, double_val; others as tensor_content
    return head + data({FLOAT: 5, DOUBLE: 6}.get(kind, 4), raw)


def strings(values, sizes):
    """A TensorProto of strings (bytes)."""
    return integer(1, STRING) + data(2, shape(sizes)) + b"".join(data(8, v) for v in values)


def image(png, height, width, channels):
    return integer(1, height) + integer(2, width) + integer(3, channels) + data(4, png)


def audio(wav, sample_rate, frames):
    return single(1, sample_rate) + integer(2, 1) + integer(3, frames) + data(4, wav) + text(5, "audio/wav")


# graphs

def node(name, op, inputs=(), sizes=None, note=""):
    """A NodeDef; `sizes` are the shapes of its outputs."""
    made = text(1, name) + text(2, op) + b"".join(text(3, i) for i in inputs)
    if note:
        made += _attribute("attr", text(2, note))
    if sizes is not None:
        made += _attribute("_output_shapes", data(1, b"".join(data(7, shape(s)) for s in sizes)))
    return made


def _attribute(key, content):
    return data(5, text(1, key) + data(2, content))


def graph(nodes):
    """A GraphDef."""
    return b"".join(data(1, n) for n in nodes) + data(4, integer(1, 22))


def cpu_run():
    """A RunMetadata that knows the CPU only."""
    return data(1, data(1, text(1, "/device:CPU:0")))


