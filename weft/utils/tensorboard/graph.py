"""The graph of one real call of a model, as TensorBoard draws it: ops in the scopes of the modules that ran them."""
import numpy as np

from weft.core.runtime import running as running_module
from weft.core.seam import Watcher, title_of
from weft.tensor.nested import tensors_in
from weft.tensor.tensor import Tensor
from weft.utils.tensorboard import messages as m


class Recorder(Watcher):
    """Watches ops: an encoded node for each."""

    def __init__(self, model, inputs):
        self.root = type(model).__name__
        self.nodes = []
        self.kept = []          # tensors seen, so that their ids stay theirs
        self.producers = {}     # id of a tensor, or of its autograd node and output -> name of the node that made it
        self.used = {}          # name -> how often
        self.waiting = {}       # id of a parameter or buffer -> (name, op, tensor), until first used
        for path, parameter in model.named_parameters():
            self.waiting[id(parameter)] = (f"{self.root}/{path.replace('.', '/')}", "Parameter", parameter)
        for path, buffer in model.named_buffers():
            self.waiting[id(buffer)] = (f"{self.root}/{path.replace('.', '/')}", "Buffer", buffer)
        for i, x in enumerate(tensors_in(inputs)):
            self.add(f"input/input_{i}", "Input", (), [x])

    def after(self, op, values, outputs):
        running = running_module()
        scope = running.path().replace(".", "/") if hasattr(running, "path") else self.root
        inputs = [name for name in map(self.source, tensors_in(values)) if name]
        note = ", ".join(f"{name}={shown(value)}" for name, value in zip(op.names, values) if is_setting(value))
        self.add(f"{scope}/{title_of(op)}", title_of(op), inputs, outputs, note)

    def add(self, name, op, inputs, outputs, note=""):
        n = self.used[name] = self.used.get(name, 0) + 1
        name = name if n == 1 else f"{name}_{n - 1}"
        self.nodes.append(m.node(name, op, inputs, [x._form.shape for x in outputs], note))
        for x in outputs:
            self.kept.append(x)
            self.producers[id(x)] = name
            if x._made_by is not None:
                self.kept.append(x._made_by)
                self.producers[id(x._made_by), x._made_nr] = name

    def source(self, x):
        """The name of the node that a tensor comes from: None for a constant, a parameter's own node when it is first
        used.
        """
        if x._made_by is not None and (id(x._made_by), x._made_nr) in self.producers:     # also after in-place writes
            return self.producers[id(x._made_by), x._made_nr]
        if id(x) not in self.producers and id(x) in self.waiting:
            name, op, x = self.waiting.pop(id(x))
            self.add(name, op, (), [x])
        return self.producers.get(id(x))


def is_setting(value):
    """What is told of an op besides its tensors."""
    return (value is not None and not isinstance(value, (Tensor, np.ndarray))
            and not any(True for _ in tensors_in(value)))


def shown(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def record(model, inputs):
    """The recorder of one call, with its outputs in place."""
    recorder = Recorder(model, inputs)
    with recorder:
        result = model(*inputs)
    for i, x in enumerate(tensors_in(result)):
        name = recorder.source(x)
        recorder.add(f"output/output_{i}", "Output", [name] if name else [], [x])
    return recorder


def graph(model, inputs=None, verbose=False):
    """(GraphDef, RunMetadata) of `model(*inputs)`; a single input needn't be a tuple."""
    if not callable(model) or not hasattr(model, "named_parameters"):
        raise TypeError(f"add_graph(): the model must be an nn.Module, got {type(model).__name__}")
    if inputs is None:
        raise ValueError("add_graph(): the graph is that of a real call, which needs an input\n"
                         "  fix: add_graph(model, input_to_model=batch)")
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    made = record(model, inputs).nodes
    if verbose:
        print(f"{type(model).__name__}: {len(made)} nodes")
    return m.graph(made), m.cpu_run()
