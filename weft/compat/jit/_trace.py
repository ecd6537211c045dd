"""`trace`: a program runs once on example inputs, and what it called becomes a graph that can be run again, read and
saved.

A TorchFunctionMode sees every public function and method. Those that give tensors, or write to one, become nodes of an
fx.Graph; numbers and branches are those of the example, as in PyTorch's traces. What the program takes from outside
(parameters, buffers, other tensors) becomes an attribute of the traced module.
"""
import dis
import inspect
import warnings

import weft
from weft.core.errors import fail, line_of, message, where
from weft.core.place import here
from weft.core.seam import Watcher, title_of
from weft.fx import Graph, Interpreter
from weft.jit import _allowed
from weft.jit._script import STATE, ScriptFunction, ScriptMethod, ScriptModule, TracerWarning, scripted_call
from weft.jit._sizes import changed, sizes_of
from weft.nn.module import Module
from weft.overrides import TorchFunctionMode, _pop_mode_temporarily
from weft.tensor.tensor import Tensor
from weft.utils._pytree import tree_leaves, tree_map

__all__ = ["trace", "trace_module", "TracedModule", "TopLevelTracedModule",
           "TracingCheckError", "Error"]


class Error(RuntimeError):
    """What PyTorch's scripted functions raise; here they raise what Python does.

    >>> import weft
    >>> issubclass(weft.jit.Error, RuntimeError)
    True
    """


class TracingCheckError(Exception):
    """Two traces of one function differ.

    >>> import weft
    >>> issubclass(weft.jit.TracingCheckError, Exception)
    True
    """


def attribute(tensor, name):
    """A property of a tensor that is a tensor itself, as a function: a node of a trace calls it."""
    if not isinstance(tensor, Tensor) or name not in _allowed.TENSOR_ATTRIBUTES:
        raise AttributeError(f"a trace reads no attribute {str(name)[:80]!r}")
    return getattr(tensor, name)


def set_attribute(tensor, name, value):
    """A property of a tensor, assigned."""
    if not isinstance(tensor, Tensor) or name not in ("data", "grad", "requires_grad", "real", "imag"):
        raise AttributeError(f"a trace sets no attribute {str(name)[:80]!r}")
    setattr(tensor, name, value)


READS = {"bool": "boolean", "float": "float", "int": "integer", "item": "number", "index": "index", "complex": "number",
         "tolist": "list", "numpy": "NumPy array"}
LENGTH = "Using len to get tensor shape might cause the trace to be incorrect: it is the number that the example has." \
         "\n  fix: use tensor.shape[0], which the trace keeps as a size"
STEPS = "Iterating over a tensor might cause the trace to be incorrect: it has as many steps as the example has " \
        "rows, whatever it is given later"
CALLS = ("CALL", "PRECALL")     # beginnings of the names of instructions that call a function


class _Readers(Watcher):
    """Warns where a traced program makes a Python value of a tensor that depends on its inputs, and remembers the ops
    that drew random numbers.
    """

    def __init__(self, recorder):
        self.recorder, self.told, self.drew = recorder, set(), []

    def read(self, tensor, how):
        if how in READS:
            self.tell(tensor, f"Converting a tensor to a Python {READS[how]} might cause the trace to be incorrect. We "
                              f"can't record the data flow of Python values, so this value will be treated as a "
                              f"constant in the future. This means that the trace might not generalize to other "
                              f"inputs!")

    def tell(self, tensor, text):
        """Warn once for each place of the program, if the tensor depends on its inputs."""
        place = here()
        known = self.recorder.nodes.get(id(tensor))
        if STATE.scripted or known is None or known.op == "get_attr" or place.code is None \
                or (place.code, place.lasti) in self.told:
            return
        self.told.add((place.code, place.lasti))
        warnings.warn_explicit(text, TracerWarning, place.code.co_filename, line_of(place.code, place.lasti))

    def called(self, name, tensor):
        """`len(x)`, and `unbind` where no call is written: a loop, or `a, b = x`."""
        if name == "__len__":
            self.tell(tensor, LENGTH)
        elif name == "unbind" and not written_as(here()).startswith(CALLS):
            self.tell(tensor, STEPS)

    def after(self, op, values, outputs):
        if op.random >= 0 and not STATE.scripted:
            self.drew.append(f"{title_of(op)} in {where(here())}")


def written_as(place):
    """The name of the instruction at a place of the program, whose caches may follow it."""
    if place.code is None:
        return ""
    ops, at = place.code.co_code, place.lasti
    while at > 0 and dis.opname[ops[at]] == "CACHE":
        at -= 2
    return dis.opname[ops[at]]


class _Recorder(TorchFunctionMode):
    """Writes down what is called, in a graph."""

    def __init__(self, root):
        self.graph, self.nodes, self.held = Graph(), {}, []
        self.paths = {}
        if root is not None:
            for name, value in (*root.named_parameters(remove_duplicate=False),
                                *root.named_buffers(remove_duplicate=False)):
                self.paths.setdefault(id(value), name)
        self.constants = {}         # path -> tensor that is no attribute of the module
        self.modules = {} if root is None else {id(m): name for name, m in root.named_modules() if name}
        self.scripts = {}           # path -> scripted module that the program calls
        self.readers = _Readers(self)

    def apart(self, inputs):
        """The inputs, with another tensor where one is a parameter, too, or is given twice: nodes go by identity."""
        seen = set(self.paths)

        def own(value):
            if not isinstance(value, Tensor) or id(value) not in seen:
                seen.add(id(value))
                return value
            return value.detach().requires_grad_(value.requires_grad)
        return tree_map(own, inputs)

    def know(self, value, node):
        """The node of a tensor, or those of the tensors in a tuple, a list or a dict."""
        if isinstance(value, Tensor):
            self.nodes[id(value)] = node
            self.held.append(value)         # ids are of living objects
        elif isinstance(value, (tuple, list, dict)):
            for i, part in value.items() if isinstance(value, dict) else enumerate(value):
                if any(isinstance(leaf, Tensor) for leaf in tree_leaves(part)):
                    self.know(part, self.graph.call_function(item, (node, i)))

    def node_of(self, value):
        """A value as it stands among a node's arguments."""
        if not isinstance(value, Tensor):
            return value
        found = self.nodes.get(id(value))
        if found is None:
            path = self.paths.get(id(value))
            if path is None:
                path = f"_constant{len(self.constants)}"
                self.constants[path] = value
            found = self.graph.get_attr(path)
            self.nodes[id(value)] = found
            self.held.append(value)
        return found

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*changed(args, int), **changed(kwargs, int))
        name = getattr(func, "__name__", "")
        if args and isinstance(args[0], Tensor):
            self.readers.called(name, args[0])
        if isinstance(result, weft.Size) and isinstance(args[0], Tensor):        # `x.shape`, `x.size()`
            return sizes_of(result, self.graph, self.node_of(args[0]))
        if name == "size" and type(result) is int:
            dim = int(args[1] if len(args) > 1 else kwargs["dim"])
            return sizes_of(args[0].shape, self.graph, self.node_of(args[0]))[dim]
        writes = name == "__setitem__" or name == "__set__" or name.endswith("_") and not name.endswith("__")
        tensors = any(isinstance(leaf, Tensor) for leaf in tree_leaves(result))
        if tensors or writes or kwargs.get("out") is not None:
            target, args = _as_function(func, name, args)
            given = changed(tree_map(self.node_of, (tuple(args), dict(kwargs))), lambda size: size.node)
            node = self.graph.call_function(target, *given)
            if tensors:
                self.know(result, node)
        return result

    def script(self, thing, run, args, kwargs):
        """A call of a script: one node, so that its branches stay branches."""
        with _pop_mode_temporarily():
            result = scripted_call(run, changed(args, int), changed(kwargs, int))
        given = changed(tree_map(self.node_of, (tuple(args), dict(kwargs))), lambda size: size.node)
        if isinstance(thing, ScriptMethod):
            path = self.modules.get(id(thing.owner)) or f"_script{len(self.scripts)}"
            self.modules[id(thing.owner)], self.scripts[path] = path, thing.owner
            node = self.graph.call_module(path, *given)
        else:
            node = self.graph.call_function(thing, *given)
        self.know(result, node)
        return result


def item(values, number):
    """One of several results: a node of a trace calls it."""
    return values[number]


def _as_function(func, name, args):
    """A property's getter or setter as a function of its name."""
    if name in ("__get__", "__set__"):
        descriptor = func.__self__
        own = getattr(descriptor, "__name__", None) or descriptor.fget.__name__
        return (attribute if name == "__get__" else set_attribute), (args[0], own, *args[1:])
    return func, args


def _put(root, path, value, kind):
    """An attribute by its path; the modules on the way are made."""
    *way, last = path.split(".")
    for part in way:
        if part not in root._modules:
            root.add_module(part, Module())
        root = root._modules[part]
    if kind == "parameter":
        root.register_parameter(last, value)
    else:
        root.register_buffer(last, value, persistent=kind == "buffer")


class TracedModule(ScriptModule):
    """What `trace` gives: its graph runs when it is called; parameters and buffers have the names that they had.

    >>> import weft
    >>> traced = weft.jit.trace(weft.nn.Linear(2, 1), weft.ones(3, 2))
    >>> traced(weft.ones(5, 2)).shape, sorted(traced.state_dict())
    (torch.Size([5, 1]), ['bias', 'weight'])
    """

    def __init__(self, graph, attributes, parameters, original_name="Module"):
        super().__init__()
        self._graph, self._names, self._original_name = graph, parameters, original_name
        self._others = []           # names of methods besides forward (`trace_module`)
        for path, (value, kind) in attributes.items():
            _put(self, path, value, kind)

    @property
    def graph(self):
        """The graph, an fx.Graph: print it to read it.

        >>> import weft
        >>> [node.op for node in weft.jit.trace(weft.nn.ReLU(), weft.ones(1)).graph.nodes]
        ['placeholder', 'call_function', 'output']
        """
        return self._graph

    @property
    def inlined_graph(self):
        """The same as `graph`.

        >>> import weft
        >>> len(weft.jit.trace(weft.nn.ReLU(), weft.ones(1)).inlined_graph.nodes)
        3
        """
        return self._graph

    @property
    def code(self):
        """The graph as Python.

        >>> import weft
        >>> "relu" in weft.jit.trace(weft.nn.ReLU(), weft.ones(1)).code
        True
        """
        return self._graph.python_code("self").src

    def _hold_scripts(self, scripts):
        """Put the scripted modules that the graph calls to their places: path -> module."""
        for path, module in scripts.items():
            *way, last = path.split(".")
            place = self
            for part in way:
                if part not in place._modules:
                    place.add_module(part, Module())
                place = place._modules[part]
            place._modules[last] = module

    def _holds_scripts(self):
        """Whether the graph calls scripts, or there are other methods with graphs."""
        return bool(self._others) or any(
            [node.op == "call_module" or isinstance(node.target, ScriptFunction) for node in self._graph.nodes])

    def forward(self, *args, **kwargs):
        """Run the graph.

        >>> import weft
        >>> weft.jit.trace(weft.nn.ReLU(), weft.ones(1)).forward(weft.tensor([-1.]))
        tensor([0.])
        """
        if kwargs:
            names = self._names[len(args):]
            unknown = set(kwargs) - set(names)
            if unknown or len(names) > len(kwargs):
                raise TypeError(f"forward() takes {', '.join(self._names)}, got {len(args)} arguments and "
                                f"{', '.join(sorted(kwargs))}")
            args = (*args, *[kwargs[name] for name in names])
        if len(args) != len(self._names):
            raise RuntimeError(f"forward() expected {len(self._names)} arguments ({', '.join(self._names)}), got "
                               f"{len(args)}")
        return Interpreter(self, graph=self._graph).run(*args)

    def save(self, f, _extra_files=None):
        """Write it to a file that `jit.load` reads: data only, no code.

        >>> import weft, io
        >>> file = io.BytesIO()
        >>> weft.jit.trace(weft.nn.ReLU(), weft.ones(1)).save(file)
        >>> _ = file.seek(0)
        >>> weft.jit.load(file)(weft.tensor([-1.]))
        tensor([0.])
        """
        from weft.jit._archive import save  # which itself knows TracedModule
        save(self, f, _extra_files)

    def __copy__(self):
        return self


TopLevelTracedModule = TracedModule


class TracedFunction(ScriptFunction):
    """The same of a function."""

    def __init__(self, module, function):
        self._module = module
        self.__name__ = self.name = getattr(function, "__name__", "forward")
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *args, **kwargs):
        return self._module(*args, **kwargs)

    graph = inlined_graph = property(lambda self: self._module.graph)
    code = property(lambda self: self._module.code)

    def save(self, f, _extra_files=None):
        """Write it to a file, as TracedModule does."""
        self._module.save(f, _extra_files)


def _example(inputs, keywords):
    if inputs is not None and keywords is not None:
        raise RuntimeError("example_kwarg_inputs and example_inputs can't be given together")
    if isinstance(inputs, Tensor) or isinstance(inputs, dict):
        inputs = (inputs,)
    return tuple(inputs or ()), dict(keywords or {})


def _parameter_names(function, args, kwargs):
    """The names of what a call gives."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return [f"input_{i}" for i in range(len(args))] + list(kwargs)
    names, places = [], inspect.signature(function).parameters
    for name, value in bound.arguments.items():
        if places[name].kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{name}_{i}" for i in range(len(value))]
        elif places[name].kind is inspect.Parameter.VAR_KEYWORD:
            names += list(value)
        else:
            names.append(name)
    return names


def trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-05,
          strict=True, _force_outplace=False, _module_class=None, _compilation_unit=None, example_kwarg_inputs=None,
          _store_inputs=True):
    """Run a function or module on example inputs and keep what it did, as a TracedModule (of a function: a function).

    Branches and numbers are those of the example. With `check_trace` the program runs once more and is compared with
    its trace, also on `check_inputs`; a difference beyond `check_tolerance` is a TracerWarning.

    >>> import weft
    >>> double = weft.jit.trace(lambda x: x * 2, weft.ones(1))
    >>> double(weft.tensor([3., 4.]))
    tensor([6., 8.])
    """
    if isinstance(func, (ScriptModule, ScriptFunction)):
        warnings.warn("The input to trace is already a ScriptModule, tracing it is a no-op. Returning the object as "
                      "is.", stacklevel=2)
        return func
    if not callable(func):
        raise TypeError(f"trace() takes a function or a module, not a {type(func).__name__}")
    args, kwargs = _example(example_inputs, example_kwarg_inputs)
    root = func if isinstance(func, Module) else getattr(func, "__self__", None)
    root = root if isinstance(root, Module) else None
    names = _parameter_names(func.forward if isinstance(func, Module) else func, args, kwargs)
    recorder = _Recorder(root)
    args, kwargs = recorder.apart((args, kwargs))
    for name, value in zip(names, (*args, *kwargs.values())):
        recorder.know(value, recorder.graph.placeholder(name))
    STATE.tracing.append(recorder)
    try:
        with recorder.readers, recorder:
            result = func(*args, **kwargs)
    finally:
        STATE.tracing.pop()
    if not any(isinstance(leaf, Tensor) for leaf in tree_leaves(result)):
        raise RuntimeError(message(f"Tracing a function whose result has no tensor ({type(result).__name__}): a trace "
                                   f"gives tensors, and tuples, lists and dicts of them"))
    if strict and any(isinstance(leaf, dict) for leaf in (result,)):
        raise RuntimeError("Encountering a dict at the output of the tracer might cause the trace to be incorrect, "
                           "this is only valid if the container structure does not change based on the module's "
                           "inputs. Consider using a constant container instead (e.g. for `list`, use a `tuple` "
                           "instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the "
                           "side effects, pass strict=False to trace() to allow this behavior.")
    recorder.graph.output(changed(tree_map(recorder.node_of, result), int))
    made = TracedModule(recorder.graph, _attributes(root, recorder), names,
                        type(root).__name__ if root is not None else "Module")
    made._hold_scripts(recorder.scripts)
    if root is not None:
        made.train(root.training)
    if check_trace:
        if recorder.readers.drew:
            warnings.warn(f"Trace had nondeterministic nodes. Did you forget call .eval() on your model? It draws "
                          f"random numbers anew each time: {', '.join(recorder.readers.drew[:5])}", TracerWarning,
                          stacklevel=2)
        for own in [(args, kwargs), *[_example(given, None) for given in check_inputs or ()]]:
            _compare(func, made, *own, check_tolerance)
    return made if root is not None and isinstance(func, Module) else TracedFunction(made, func)


def _attributes(root, recorder):
    found = {path: (value, "constant") for path, value in recorder.constants.items()}
    if root is not None:
        found.update({name: (value, "parameter") for name, value in root.named_parameters(remove_duplicate=False)})
        kept = set(root.state_dict(keep_vars=True))
        found.update({name: (value, "buffer" if name in kept else "constant")
                      for name, value in root.named_buffers(remove_duplicate=False)})
    return found


def _compare(func, traced, args, kwargs, tolerance):
    """Run both with the same random numbers; what differs is a warning."""
    state = weft.get_rng_state()
    with weft.no_grad():
        expected = tree_leaves(func(*_copies(args), **_copies(kwargs)))
        weft.set_rng_state(state)
        found = tree_leaves(traced(*_copies(args), **_copies(kwargs)))
    for i, (a, b) in enumerate(zip(found, expected)):
        if isinstance(b, Tensor) and (not isinstance(a, Tensor) or a.shape != b.shape or not weft.allclose(
                a.to(b.dtype), b, rtol=tolerance, atol=tolerance, equal_nan=True)):
            warnings.warn(f"Output nr {i + 1}. of the traced function does not match the corresponding output of the "
                          f"Python function: it may do something else each time, or keep a value of the example",
                          TracerWarning, stacklevel=3)


def _copies(tree):
    return tree_map(lambda v: v.detach().clone() if isinstance(v, Tensor) else v, tree)


def trace_module(mod, inputs, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-05, strict=True,
                 _force_outplace=False, _module_class=None, _compilation_unit=None, example_inputs_is_kwarg=False,
                 _store_inputs=True):
    """`trace` of a module whose example inputs are given as {"forward": inputs}, and of other methods of it.

    >>> import weft
    >>> weft.jit.trace_module(weft.nn.ReLU(), {"forward": weft.ones(1)})(weft.tensor([-2.]))
    tensor([0.])
    """
    if "forward" not in inputs:
        fail(NotImplementedError, f"trace_module: example inputs for {', '.join(sorted(inputs))}, and none for forward",
             "trace a method alone: weft.jit.trace(module.method, inputs)")
    made = {}
    for name, given in inputs.items():
        checked = check_inputs if name == "forward" else None
        made[name] = trace(mod if name == "forward" else getattr(mod, name), None if example_inputs_is_kwarg else given,
                           check_trace=check_trace, check_inputs=checked, check_tolerance=check_tolerance,
                           strict=strict, example_kwarg_inputs=given if example_inputs_is_kwarg else None)
    whole = made.pop("forward")
    for name, method in made.items():
        object.__setattr__(whole, name, method)
    whole._others = sorted(made)
    return whole
