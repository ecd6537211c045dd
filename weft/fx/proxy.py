"""Proxies: what stands for a value while a program is traced, and writes down what is done to it."""
import collections
import copy
import dataclasses
import dis
import enum
import inspect
import operator
import traceback

import weft
from weft.core.errors import message
from weft.fx.node import Node, base_types, map_aggregate, writes_in_place

__all__ = ["Proxy", "Attribute", "ParameterProxy", "TracerBase", "GraphAppendingTracer", "TraceError", "Scope"]

OPERATORS = ("add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor getitem matmul eq ne lt gt le ge").split()
UNARY = "pos neg invert".split()
REFLECTED = "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul".split()


class TraceError(ValueError):
    """The program does something that its trace can't contain.

    >>> import weft
    >>> try: weft.fx.symbolic_trace(lambda x: 1 if x > 0 else 2)
    ... except weft.fx.proxy.TraceError as error: print(str(error).splitlines()[0])
    symbolically traced variables cannot be used as inputs to control flow
    """


@dataclasses.dataclass
class Scope:
    """Where a node was made: the path and the class of the module.

    >>> import weft
    >>> weft.fx.proxy.Scope("encoder", weft.nn.Linear).module_path
    'encoder'
    """
    module_path: str
    module_type: object


class ScopeContextManager:
    """Another scope inside `with`."""

    def __init__(self, scope, current_scope):
        self.scope, self.before = scope, copy.copy(scope)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self):
        return self.scope

    def __exit__(self, *error):
        self.scope.module_path, self.scope.module_type = self.before.module_path, self.before.module_type


class TracerBase:
    """What makes nodes and proxies; a Tracer also runs the program.

    >>> import weft
    >>> tracer = weft.fx.proxy.GraphAppendingTracer(weft.fx.Graph())
    >>> tracer.create_proxy("placeholder", "x", (), {})
    Proxy(x)
    """
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    module_stack = scope = None
    graph = None

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        """A node in the graph.

        >>> import weft
        >>> weft.fx.proxy.GraphAppendingTracer(weft.fx.Graph()).create_node("placeholder", "x", (), {})
        x
        """
        if kind == "call_function" and self.check_mutable_operations:
            _refuse_writes(target, kwargs)
        made = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if self.module_stack:
            made.meta["nn_module_stack"] = copy.copy(self.module_stack)
        return made

    def proxy(self, node):
        """The proxy of a node.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> weft.fx.proxy.GraphAppendingTracer(graph).proxy(graph.placeholder("x"))
        Proxy(x)
        """
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        """A node for a call, and its proxy.

        >>> import weft
        >>> weft.fx.proxy.GraphAppendingTracer(weft.fx.Graph()).create_proxy("placeholder", "x", (), {}).node.op
        'placeholder'
        """
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise AssertionError("args must be a tuple and kwargs a dict")
        node = self.create_node(kind, target, args, dict(kwargs), name, type_expr)
        made = proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = "".join(_user_lines()).strip()
        return made

    def create_arg(self, a):
        """A value as it stands among a node's arguments: nodes for proxies.

        >>> import weft
        >>> weft.fx.proxy.GraphAppendingTracer(weft.fx.Graph()).create_arg([1, "a"])
        [1, 'a']
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            made = [self.create_arg(value) for value in a]
            return type(a)(*made) if hasattr(a, "_fields") else type(a)(made) if type(a) is weft.Size else tuple(made)
        if isinstance(a, list):
            return [self.create_arg(value) for value in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(*map(self.create_arg, (a.start, a.stop, a.step)))
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), fields)
        if isinstance(a, (enum.Enum, *base_types)) or a is ... or isinstance(a, (type, Node)) or callable(a):
            return a
        raise NotImplementedError(message(f"argument of type: {type(a)}",
                                          "a traced program may pass numbers, strings, types, tensors, modules and "
                                          "containers of them"))

    def _key(self, key):
        made = self.create_arg(key)

        def refuse(node):
            if isinstance(node, Node):
                raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}")

        map_aggregate(made, refuse)
        return made

    def to_bool(self, obj):
        """What a branch on a proxy does: an error, unless a tracer knows better.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> tracer = weft.fx.proxy.GraphAppendingTracer(graph)
        >>> try: tracer.to_bool(tracer.proxy(graph.placeholder("x")))
        ... except ValueError as error: print(type(error).__name__)
        TraceError
        """
        raise TraceError(message("symbolically traced variables cannot be used as inputs to control flow",
                                 "make the branch a function of its own and weft.fx.wrap it, give the value in "
                                 "concrete_args, or compute both sides and use where"))

    def iter(self, obj):
        """What a loop over a proxy does: an error, unless a tracer knows better.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> tracer = weft.fx.proxy.GraphAppendingTracer(graph)
        >>> try: tracer.iter(tracer.proxy(graph.placeholder("x")))
        ... except ValueError as error: print(type(error).__name__)
        TraceError
        """
        raise TraceError(message("Proxy object cannot be iterated. This can be attempted when the Proxy is used in a "
                                 "loop or as a *args or **kwargs function argument",
                                 "loop over range(a known number) and index it"))

    def keys(self, obj):
        """The keys of a proxy, as `**proxy` asks for them.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> tracer = weft.fx.proxy.GraphAppendingTracer(graph)
        >>> tracer.keys(tracer.proxy(graph.placeholder("x")))
        Proxy(keys)
        """
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Appends to a graph what is done to its proxies.

    >>> import weft
    >>> graph = weft.fx.Graph()
    >>> x = weft.fx.Proxy(graph.placeholder("x"), weft.fx.proxy.GraphAppendingTracer(graph))
    >>> x + 1
    Proxy(add)
    """

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()


def _refuse_writes(function, kwargs):
    out = kwargs.get("out") is not None
    if out or writes_in_place(function):
        name = f"aten::{function.__name__}{'.out' if out else ''}"
        raise RuntimeError(f"Tried to trace mutable operation {name}. FX only supports functional code, "
                           f"so operations that mutate operands in-place (e.g. via `out` arguments) are not "
                           f"supported")


def _user_lines():
    """The lines of the stack that are not in this folder."""
    own = __file__.rsplit("/", 1)[0]
    return traceback.StackSummary.from_list(
        [frame for frame in traceback.extract_stack()[:-1] if not frame.filename.startswith(own)]).format()


class Proxy:
    """Stands for a value that will be there when the graph runs; what is done to it becomes nodes.

    >>> import weft
    >>> graph = weft.fx.Graph()
    >>> x = weft.fx.Proxy(graph.placeholder("x"))
    >>> weft.relu(x + 1).sum(dim=0).node.args
    (relu,)
    """

    def __init__(self, node, tracer=None):
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        self.node = node

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, k):
        if k in ("tracer", "node", "__fx_create_arg__", "__array_interface__", "__array_struct__"):
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__ = state

    def __deepcopy__(self, memo):
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__ = copy.deepcopy(self.__dict__, memo)
        return copied

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        frame = inspect.currentframe().f_back
        wanted = _unpacked(frame)
        if wanted is not None:
            return (self[i] for i in range(wanted))
        return self.tracer.iter(self)

    def __bool__(self):
        return self.tracer.to_bool(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def keys(self):
        """What `**proxy` asks for.

        >>> import weft
        >>> weft.fx.Proxy(weft.fx.Graph().placeholder("x")).keys()
        Proxy(keys)
        """
        return self.tracer.keys(self)

    def __len__(self):
        raise RuntimeError(message("'len' is not supported in symbolic tracing by default. If you want this call to be "
                                   "recorded, please call torch.fx.wrap('len') at module scope"))

    @classmethod
    def __torch_function__(cls, orig_method, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tracers = {}

        def find(value):
            if isinstance(value, cls):
                tracers[value.tracer] = None
            return value

        map_aggregate(list(args), find)
        map_aggregate(dict(kwargs), find)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while trying to trace operations "
                               f"{orig_method}")
        tracer = next(iter(tracers))
        if is_method(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def is_method(function):
    """Whether a function is only a tensor's method, and no function of its own."""
    name = getattr(function, "__name__", "")
    return getattr(weft, name, None) is None and getattr(weft.Tensor, name, None) is function


def _unpacked(frame):
    """How many values `a, b = proxy` wants where a frame stands; None where it isn't that."""
    at = frame.f_lasti
    for step in dis.get_instructions(frame.f_code):
        if step.offset == at:
            return step.argval if step.opname == "UNPACK_SEQUENCE" else None
    return None


class Attribute(Proxy):
    """An attribute of a proxy; it becomes a node when it is used, or a method's call when it is called.

    >>> import weft
    >>> weft.fx.Proxy(weft.fx.Graph().placeholder("x")).shape.node.op
    'call_function'
    """

    def __init__(self, root, attr):
        self.root, self.attr, self.tracer, self._node = root, attr, root.tracer, None

    @property
    def node(self):
        """Its node: a call of getattr.

        >>> import weft
        >>> weft.fx.Proxy(weft.fx.Graph().placeholder("x")).shape.node.target
        <built-in function getattr>
        """
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """The proxy of a parameter whose shape may be looked at while tracing.

    >>> import weft
    >>> weft.fx.proxy.ParameterProxy.__mro__[1].__name__
    'Proxy'
    """

    def __init__(self, tracer, node, name, param):
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    @property
    def shape(self):
        """The parameter's own.

        >>> import weft
        >>> node = weft.fx.Graph().get_attr("w")
        >>> weft.fx.proxy.ParameterProxy(None, node, "w", weft.ones(2)).shape
        torch.Size([2])
        """
        return self.param.shape

    def size(self, *dim):
        """The parameter's own.

        >>> import weft
        >>> node = weft.fx.Graph().get_attr("w")
        >>> weft.fx.proxy.ParameterProxy(None, node, "w", weft.ones(2)).size()
        torch.Size([2])
        """
        return self.param.size(*dim)

    def dim(self):
        """The parameter's own.

        >>> import weft
        >>> node = weft.fx.Graph().get_attr("w")
        >>> weft.fx.proxy.ParameterProxy(None, node, "w", weft.ones(2)).dim()
        1
        """
        return self.param.dim()

    @property
    def ndim(self):
        """The parameter's own.

        >>> import weft
        >>> node = weft.fx.Graph().get_attr("w")
        >>> weft.fx.proxy.ParameterProxy(None, node, "w", weft.ones(2)).ndim
        1
        """
        return self.param.ndim

    def numel(self):
        """The parameter's own.

        >>> import weft
        >>> node = weft.fx.Graph().get_attr("w")
        >>> weft.fx.proxy.ParameterProxy(None, node, "w", weft.ones(2)).numel()
        2
        """
        return self.param.numel()

    nelement = numel


def _operator_method(name, reflected=False):
    function = getattr(operator, name)

    def method(self, *others):
        args = (*others, self) if reflected else (self, *others)
        return self.tracer.create_proxy("call_function", function, args, {})

    method.__name__ = f"__{'r' if reflected else ''}{name.strip('_')}__"
    setattr(Proxy, method.__name__, method)


for _name in (*OPERATORS, *UNARY):
    _operator_method(_name)
for _name in REFLECTED:
    _operator_method(_name, True)
Proxy.__hash__ = object.__hash__


