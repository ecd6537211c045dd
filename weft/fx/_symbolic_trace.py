"""Tracing: a program runs on proxies, and what it does is written down."""
import builtins
import collections
import functools
import inspect
import math
import operator
import types
import warnings

import weft
from weft.core.errors import message
from weft.fx._compatibility import compatibility  # noqa: F401  (torch_geometric takes it from here)
from weft.fx._pytree import tree_flatten_spec
from weft.fx.codegen import _PyTreeCodeGen
from weft.fx.graph import Graph
from weft.fx.graph_module import GraphModule
from weft.fx.node import map_aggregate
from weft.fx.proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from weft.nn import Module, Parameter, Sequential
from weft.tensor.names import FUNCTIONS
from weft.utils._pytree import LeafSpec, TreeSpec, tree_flatten

__all__ = ["Tracer", "symbolic_trace", "wrap", "PH", "PHBase", "ProxyableClassMeta", "is_fx_tracing"]

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_wrapped = {}               # (id of a module's globals, name) -> those globals: calls that become single nodes
_tracing = [0]
_proxyable_classes = {}
_wrapped_methods_to_patch = []      # (class, name): methods whose calls with proxies become nodes


def is_fx_tracing():
    """Whether a program is being traced.

    >>> import weft
    >>> weft.fx._symbolic_trace.is_fx_tracing()
    False
    """
    return _tracing[0] > 0


_is_fx_tracing = is_fx_tracing


class PHBase:
    """In concrete_args: an input that stays one.

    >>> import weft
    >>> weft.fx.PH
    PH
    """

    def __repr__(self):
        return "PH"


class PHWithMeta(PHBase):
    """The same with a key, which its placeholder gets as the attribute `ph_key`.

    >>> import weft
    >>> weft.fx._symbolic_trace.PHWithMeta("users").ph_key
    'users'
    """

    def __init__(self, ph_key=None):
        self.ph_key = ph_key


PH = PHBase()


class ProxyableClassMeta(type):
    """Metaclass of objects that a traced program may make and change: they are rebuilt when the graph runs.

    >>> import weft
    >>> class Pair(metaclass=weft.fx.ProxyableClassMeta):
    ...     def __init__(self, a, b): self.a, self.b = a, b
    >>> weft.fx.symbolic_trace(lambda x: Pair(x, x + 1))(1).b
    2
    """

    def __init__(cls, name, bases, attrs):
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args, **kwargs):
        proxy = _find_proxy(args, kwargs) if is_fx_tracing() else None
        if proxy is None:
            return super().__call__(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", cls, args, kwargs)


# ---- patches, undone in reverse order ----

class _Patcher:
    """Attributes and globals exchanged inside `with`."""

    def __init__(self):
        self.undo, self.visited = [], set()

    def attribute(self, owner, name, value):
        self.undo.append((setattr, owner, name, vars(owner).get(name, _patches_absent)))
        setattr(owner, name, value)

    def patch_method(self, cls, name, new_fn, deduplicate=True):
        """The same of a method, for tracers that packages write; `deduplicate`: not one that is exchanged already."""
        new_fn.__fx_already_patched = deduplicate
        if not hasattr(getattr(cls, name), "__fx_already_patched") or not deduplicate:
            self.attribute(cls, name, new_fn)

    def patch(self, frame_dict, name, new_fn, deduplicate=True):
        """The same of a global."""
        self.item(frame_dict, name, new_fn)

    def item(self, where, name, value):
        self.undo.append((dict.__setitem__, where, name, where.get(name, _patches_absent)))
        where[name] = value

    def visit_once(self, where):
        fresh = id(where) not in self.visited
        self.visited.add(id(where))
        return fresh

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for put, owner, name, before in reversed(self.undo):
            if before is not _patches_absent:
                put(owner, name, before)
            elif put is setattr:
                delattr(owner, name)
            else:
                del owner[name]


_patches_absent = object()


def _find_proxy(*values):
    found = []
    map_aggregate(values, lambda v: found.append(v) if isinstance(v, Proxy) else None)
    return found[0] if found else None


def _recorded(function, is_wrapped=True):
    """A function whose calls on proxies become nodes."""
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        if is_wrapped:          # the generated code says so, for whoever traces it again
            made.node.meta["is_wrapped"] = True
        return made
    wrapped.__fx_already_patched = True
    return wrapped


# private in PyTorch, too, but torch_geometric and others write their tracers with these names

FunctionType = types.FunctionType
class ScriptObject:
    """An object of TorchScript, which weft doesn't have: nothing is one."""
_orig_module_call, _orig_module_getattr = Module.__call__, Module.__getattr__


def _patch_wrapped_functions(patcher):
    """Let calls of wrapped functions and methods make nodes."""
    for (_, name), where in list(_wrapped.items()):
        original = where.get(name, getattr(builtins, name, None))
        if original is not None and not hasattr(original, "__fx_already_patched"):
            patcher.item(where, name, _recorded(original))
    for owner, name in _wrapped_methods_to_patch:
        patcher.attribute(owner, name, _recorded_method(getattr(owner, name), name))
    # ops ask a proxy themselves; functions that only make tensors (zeros, arange) would look at its value
    for name, value in list(vars(weft).items()):
        if callable(value) and not isinstance(value, type) and value is FUNCTIONS.get(name) \
                and not hasattr(value, "__fx_already_patched") and type(value).__name__ != "OpFunction":
            patcher.item(vars(weft), name, _recorded(value, is_wrapped=False))


def _autowrap_check(patcher, frame_dict, function_ids):
    """Let calls of some functions, as a module's globals name them, make nodes; once for each module."""
    if not patcher.visit_once(frame_dict):
        return
    for name, value in list(frame_dict.items()):
        if id(value) in function_ids and not name.startswith("_") and callable(value):
            patcher.item(frame_dict, name, _recorded(value))


def _recorded_method(method, name):
    """A method whose calls with proxies become nodes."""
    @functools.wraps(method)
    def wrapped(*args, **kwargs):
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return method(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)
    return wrapped


def wrap(fn_or_name):
    """Calls of a function of this module are not traced through, but become one node. To be called where the module's
    functions are defined; also a decorator, or with a name (`wrap("len")`).

    >>> import weft
    >>> def branch(x): return x if x > 0 else -x
    >>> weft.fx.wrap(branch)
    <function branch at 0x...>
    """
    if not isinstance(fn_or_name, str) and not callable(fn_or_name):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError(message("wrap must be called at the top level of a module"))
    _wrapped[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


# ---- the tracer ----

class Tracer(TracerBase):
    """Runs a module's forward, or a function, on proxies, and gives its graph. A subclass says with `is_leaf_module`
    which modules stay single calls.

    >>> import weft
    >>> list(weft.fx.Tracer().trace(lambda x: x + 1).nodes)
    [x, add, output]
    """

    def __init__(self, autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False):
        super().__init__()
        self._autowrap_function_ids = {id(value) for module in autowrap_modules for name, value in vars(module).items()
                                       if not name.startswith("_") and callable(value)}
        self._autowrap_function_ids.update(map(id, autowrap_functions))
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls, self.node_name_to_scope = {}, {}
        self.tensor_attrs = {}

    def get_fresh_qualname(self, prefix):
        """A name that the root module has no attribute of yet.

        >>> import weft
        >>> tracer = weft.fx.Tracer()
        >>> tracer.root = weft.nn.Module()
        >>> tracer.get_fresh_qualname("_tensor_constant")
        '_tensor_constant0'
        """
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def create_arg(self, a):
        """A value as it stands among a node's arguments: parameters, buffers and other tensors are looked up in the
        root module, or kept there.

        >>> import weft
        >>> list(weft.fx.Tracer().trace(lambda x: x + weft.ones(2)).nodes)
        [x, _tensor_constant0, add, output]
        """
        if isinstance(a, Parameter):
            for name, value in self.root.named_parameters(remove_duplicate=False):
                if a is value:
                    return self.create_node("get_attr", name, (), {})
            return self._kept(a, "_param_constant")
        if isinstance(a, weft.Tensor):
            for name, value in self.root.named_buffers(remove_duplicate=False):
                if a is value:
                    return self.create_node("get_attr", name, (), {})
            return self._kept(a, "_tensor_constant")
        if isinstance(a, Module):
            for name, value in self.root.named_modules(remove_duplicate=False):
                if a is value:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(value) for value in a), {})
        if type(a) in _proxyable_classes:
            return self._proxyable(a)
        return super().create_arg(a)

    def _kept(self, a, prefix):
        """A tensor that is no attribute of the module becomes one."""
        name = self.tensor_attrs.get(a)
        if name is None:
            name = self.get_fresh_qualname(prefix)
            self.tensor_attrs[a] = name
            setattr(self.root, name, a)
        return self.create_node("get_attr", name, (), {})

    def _proxyable(self, a):
        name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
        setattr(self.root, name, a)
        return self.create_node("get_attr", name, (), {})

    def is_leaf_module(self, m, module_qualified_name):
        """Whether a module stays one call: weft's own layers do, but for Sequential.

        >>> import weft
        >>> weft.fx.Tracer().is_leaf_module(weft.nn.Linear(1, 1), "fc")
        True
        """
        return type(m).__module__.startswith(("weft.nn", "torch.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod):
        """The path of a module in the root.

        >>> import weft
        >>> tracer = weft.fx.Tracer()
        >>> net = weft.nn.Sequential(weft.nn.ReLU())
        >>> graph = tracer.trace(net)
        >>> tracer.path_of_module(net[0])
        '0'
        """
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError(message("module is not installed as a submodule",
                                        f"assign {type(mod).__name__} to an attribute of the module that is traced"))
            return path
        for name, value in self.root.named_modules(remove_duplicate=False):
            if mod is value:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m, forward, args, kwargs):
        """What happens when the program calls a module: one node for a leaf, else its forward is traced.

        >>> import weft
        >>> [node.op for node in weft.fx.Tracer().trace(weft.nn.Sequential(weft.nn.ReLU())).nodes]
        ['placeholder', 'call_module', 'output']
        """
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))):
            calls = self.num_calls.get(path, 0)
            self.num_calls[path] = calls + 1
            key = f"{path}@{calls}" if calls else path
            self.module_stack[key] = path, type(m)
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.popitem()

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        made = super().create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[made.name] = self.scope.module_path, self.scope.module_type
        return made

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """What the program gets for a module's attribute: a proxy for a parameter.

        >>> import weft
        >>> weft.fx.Tracer().getattr("n", 3, {})
        3
        """
        if isinstance(attr_val, Parameter):
            return self._attribute(attr_val, self.root.named_parameters(remove_duplicate=False), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, weft.Tensor):
            return self._attribute(attr_val, self.root.named_buffers(remove_duplicate=False), parameter_proxy_cache)
        return attr_val

    _module_getattr = getattr

    def _attribute(self, value, named, cache):
        for name, one in named:
            if value is one:
                if name not in cache:
                    shown = functools.partial(self._parameter_proxy, name, value)
                    cache[name] = self.create_proxy("get_attr", name, (), {},
                                                    proxy_factory_fn=shown if self.param_shapes_constant else None)
                return cache[name]
        return value

    def _parameter_proxy(self, name, value, node):
        return ParameterProxy(self, node, name, value)

    # ---- the program's arguments ----

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """(a function that takes proxies for all of the program's arguments, these proxies).

        >>> import weft
        >>> tracer = weft.fx.Tracer()
        >>> tracer.root, tracer.graph = weft.nn.Module(), weft.fx.Graph()
        >>> tracer.create_args_for_root(lambda x, y=1: x, False)[1]
        [Proxy(x), Proxy(y)]
        """
        plain = inspect.unwrap(root_fn)
        parameters = list(inspect.signature(plain).parameters.values())
        args, placed = [], parameters
        if is_module:
            if not parameters or parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args, placed = [self.root], parameters[1:]
        rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        if isinstance(concrete_args, tuple):
            concrete_args = _by_name([p.name for p in placed if p.kind not in rest], concrete_args,
                                     any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in placed))
        placed = sorted(placed, key=lambda p: p.kind in rest)
        concrete = Concrete(self, concrete_args or {})
        args += [concrete.argument(p, plain) for p in placed]
        if concrete.is_nested():
            self.graph._codegen = _PyTreeCodeGen(concrete)
            concrete.orig_args = (["self"] if is_module else []) + concrete.orig_args
        return _taking_all(root_fn, plain, parameters), args

    def trace(self, root, concrete_args=None):
        """The graph of a module or a function.

        >>> import weft
        >>> list(weft.fx.Tracer().trace(weft.nn.Linear(2, 1)).nodes)
        [input_1, weight, bias, linear, output]
        """
        if isinstance(root, Module):
            function = getattr(type(root), self.traced_func_name, None)
            if function is None:
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            self.root = root
            self.root_module_name = type(root).__name__
            self.submodule_paths = {mod: name for name, mod in root.named_modules()}
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is not None:        # where the program stands, for the name of the generated code
            self.graph._co_fields = {"co_name": code.co_name, "co_filename": code.co_filename,
                                     "co_firstlineno": code.co_firstlineno}
        self.tensor_attrs = dict(_tensor_attributes(self.root))
        _tracing[0] += 1
        try:
            with _Patcher() as patcher:
                call, args = self.create_args_for_root(function, isinstance(root, Module), concrete_args)
                self._patch(patcher, inspect.unwrap(function))
                result = call(*args)
            returned = getattr(inspect.unwrap(function), "__annotations__", {}).get("return")
            self._finish(result, returned)
        finally:
            _tracing[0] -= 1
            self.submodule_paths = None if not isinstance(root, Module) else self.submodule_paths
        return self.graph

    def _finish(self, result, returned):
        codegen = self.graph._codegen
        if isinstance(codegen, _PyTreeCodeGen):
            leaves, codegen.pytree_info.out_spec = tree_flatten(result)
            result = leaves
        self.create_node("output", "output", (self.create_arg(result),), {}, type_expr=returned)

    def _patch(self, patcher, function):
        """Modules' calls and attributes come here while the program runs, wrapped functions make nodes."""
        cache, call, get = {}, Module.__call__, Module.__getattr__

        @functools.wraps(call)
        def called(mod, *args, **kwargs):
            forward = getattr(type(mod), "forward", None)
            self._autowrap(patcher, getattr(forward, "__globals__", {}))
            return self.call_module(mod, lambda *a, **k: call(mod, *a, **k), args, kwargs)

        @functools.wraps(get)
        def got(mod, name):
            return self.getattr(name, get(mod, name), cache)

        patcher.attribute(Module, "__getattr__", got)
        patcher.attribute(Module, "__call__", called)
        _patch_wrapped_functions(patcher)
        self._autowrap(patcher, getattr(function, "__globals__", {}))
        for module in self._autowrap_search:
            self._autowrap(patcher, vars(module))

    def _autowrap(self, patcher, where):
        _autowrap_check(patcher, where, self._autowrap_function_ids)

    def __deepcopy__(self, memo):
        made = Tracer.__new__(type(self))
        made.__dict__.update({key: value for key, value in self.__dict__.items() if key != "_autowrap_search"})
        made._autowrap_search = list(self._autowrap_search)
        return made


class Concrete:
    """The arguments of a traced program, some of them given already: what codegen needs to take containers apart."""

    def __init__(self, tracer, given):
        self.tracer, self.given = tracer, given
        self.orig_args, self.specs, self.out_spec = [], [], None

    def is_nested(self):
        """Whether an argument is a container that the function takes apart."""
        return any(spec is not None and not spec.is_leaf() for spec in self.specs)

    def argument(self, parameter, function):
        """A proxy (or, for a given argument, its value with proxies in place of PH)."""
        name = parameter.name
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            name = "*" + name
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            name = "**" + name
        default = () if parameter.default is parameter.empty else (parameter.default,)
        annotation = getattr(function, "__annotations__", {}).get(parameter.name)
        if parameter.name not in self.given:
            self.orig_args.append(name + (f"={default[0]!r}" if default and _is_simple(default[0]) else ""))
            self.specs.append(None)
            proxy = self.tracer.create_proxy("placeholder", name, default, {}, type_expr=annotation)
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                proxy.node.meta["keyword_only"] = True
            return proxy
        self.orig_args.append(name)
        leaves, spec = tree_flatten(self.given[parameter.name])
        self.specs.append(spec)
        own = default if spec.is_leaf() else ()
        made = [self.leaf(f"{parameter.name}_{i + 1}", leaf, parameter.name, own) for i, leaf in enumerate(leaves)]
        return spec.unflatten(made)

    def leaf(self, name, value, argument, default):
        proxy = self.tracer.create_proxy("placeholder", name, default, {})
        if isinstance(value, PHBase):
            for key, told in vars(value).items():       # what a placeholder of one's own says goes to the node
                if not hasattr(proxy.node, key):
                    setattr(proxy.node, key, told)
            return proxy
        if isinstance(value, (int, float, str, bool)) or value is None:
            told = f"{argument} has been specialized to have value {value} but got another value"
            weft._assert(_is_none(proxy) if value is None else proxy == value, told)
        else:
            warnings.warn(f"Was not able to add assertion to guarantee correct input {argument} to specialized "
                          f"function. It is up to the user to make sure that your inputs match the inputs you "
                          f"specialized the function with.", stacklevel=2)
        return value

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key not in ("tracer", "given")}

    @property
    def in_spec(self):
        """The structure of a list of all arguments."""
        return TreeSpec(list, None, [LeafSpec() if spec is None else spec for spec in self.specs])

    def taken_apart(self, inputs):
        """The leaves of the arguments as the placeholders take them."""
        return tree_flatten_spec(list(inputs), self.in_spec)


def _by_name(names, given, has_rest):
    """Concrete arguments that were given in a tuple; those that `*args` takes stay inputs."""
    more = given[len(names):]
    if len(given) < len(names) or more and not (has_rest and all(isinstance(value, PHBase) for value in more)):
        raise RuntimeError(f"Tracing expected {len(names)} arguments but got {len(given)} concrete arguments")
    return dict(zip(names, given))


def _is_simple(value):
    return value is None or isinstance(value, (int, float, str, bool))


def _is_none(x):
    """Whether a value is None; a proxy writes the question down."""
    proxy = _find_proxy(x)
    return x is None if proxy is None else proxy.tracer.create_proxy("call_function", operator.is_, (x, None), {})


def _tensor_attributes(root):
    """(tensor, path) of plain tensors that modules have as attributes."""
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, weft.Tensor):
                yield value, f"{path}.{name}" if path else name


def _taking_all(root_fn, plain, parameters):
    """The function, made to take *args and **kwargs as single values, and keyword-only arguments by place."""
    kinds = {p.kind for p in parameters}
    rest = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    if not kinds & rest:
        only = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        count = len(parameters) - len(only)
        return lambda *args: root_fn(*args[:count], **dict(zip(only, args[count:])))
    code = plain.__code__
    if not isinstance(code, types.CodeType) or not isinstance(plain, types.FunctionType):
        raise TypeError(message(f"{plain.__name__} takes *args or **kwargs and is compiled: it can't be traced",
                                "WEFT_PURE=1 runs weft's own code as plain Python"))
    total = code.co_argcount + code.co_kwonlyargcount
    total += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    flat = code.replace(co_argcount=total, co_posonlyargcount=0, co_kwonlyargcount=0,
                        co_flags=code.co_flags & ~HAS_VARSTUFF)
    made = types.FunctionType(flat, plain.__globals__, plain.__name__, None, plain.__closure__)
    return made         # in the code's own order: keyword-only arguments before *args


def symbolic_trace(root, concrete_args=None):
    """A GraphModule that does what a module or a function does: its calls written down while it runs on proxies.

    concrete_args gives some arguments their values (`{"flag": True}`), so that the program may branch on them; PH
    inside a container stands for an input.

    >>> import weft
    >>> traced = weft.fx.symbolic_trace(lambda x: weft.relu(x) + 1)
    >>> traced(weft.tensor([-1., 1.]))
    tensor([1., 2.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", "function")
    return GraphModule(tracer.root, graph, name)


