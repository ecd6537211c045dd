"""A node of a traced graph: one call, one input, one attribute, or the output."""
import builtins
import inspect
import operator
import types
import typing

from weft.core.device import device as _device
from weft.core.dtype import dtype as _dtype
from weft.core.layout import layout as _layout
from weft.core.layout import memory_format as _memory_format
from weft.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

OPS = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
base_types = (str, int, float, bool, complex, type(None), type(...), _dtype, _device, _layout, _memory_format, range,
              slice)
BaseArgumentTypes = base_types
Argument = Target = object      # for annotations: what may stand among a node's arguments, and what it calls
ArgumentT = typing.TypeVar("ArgumentT", bound=object)
_side_effectful_functions = set()


def has_side_effect(fn):
    """Say that a function does more than give a result, so that calls of it are kept though nobody uses them.

    >>> import weft
    >>> weft.fx.node.has_side_effect(print) is print
    True
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a, fn, listed=immutable_list, keyed=immutable_dict):
    """A copy of nested tuples, lists, dicts and slices with fn(leaf) for every leaf; `listed` and `keyed` are the types
    of its lists and dicts.

    >>> import weft
    >>> weft.fx.node.map_aggregate((1, [2]), lambda x: x + 1)
    (2, [3])
    """
    if isinstance(a, tuple):
        made = [map_aggregate(value, fn, listed, keyed) for value in a]
        return type(a)(*made) if hasattr(a, "_fields") else tuple(made)
    if isinstance(a, list):
        return listed([map_aggregate(value, fn, listed, keyed) for value in a])
    if isinstance(a, dict):
        return keyed({key: map_aggregate(value, fn, listed, keyed) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a, fn):
    """map_aggregate on the nodes among the leaves.

    >>> import weft
    >>> graph = weft.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> weft.fx.node.map_arg((x, 2), lambda node: node.name)
    ('x', 2)
    """
    if not callable(fn):
        raise TypeError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


# ---- names of functions ----

def is_builtin(thing):
    """Whether Python knows it by its name without an import."""
    return getattr(builtins, getattr(thing, "__name__", ""), None) is thing


def _qualified_name(func):
    """Where a function is found: 'weft.relu', '_operator.add', 'getattr'."""
    if is_builtin(func):
        return func.__name__
    if isinstance(func, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return f"{func.__objclass__.__module__}.{func.__objclass__.__qualname__}.{func.__name__}"
    name = getattr(func, "__name__", None) or type(func).__name__
    if name == "<lambda>":
        name = inspect.getsource(func).split("=")[0].strip()
        if not name.isidentifier():
            raise RuntimeError("Unable to represent lambda: give the function a name with def")
    module = getattr(func, "__module__", None)
    if getattr(operator, name, None) is func:
        module = "_operator"
    return f"{module}.{name}" if module else name


_get_qualified_name = _qualified_name


def _target_text(target):
    if isinstance(target, str):
        return target
    name = _qualified_name(target)
    if name.startswith("_operator."):
        return "operator." + name[10:]
    return name if "." in name else f"builtins.{name}"


def container_text(value, text, key_text=str):
    """A tuple, list, dict or slice written with text(what it holds); None for anything else."""
    if isinstance(value, tuple):
        return f"({', '.join(map(text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(key)}: {text(v)}" for key, v in value.items()) + "}"
    return f"slice({', '.join(map(text, (value.start, value.stop, value.step)))})" if isinstance(value, slice) else None


def _argument_text(value):
    """Arguments as the graph's listing shows them: nodes with a % before."""
    if isinstance(value, Node):
        return f"%{value.name}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        inside = ", ".join(f"{name}={_argument_text(part)}" for name, part in zip(value._fields, value))
        return f"{type(value).__name__}({inside})"
    return container_text(value, _argument_text) or str(value)


_format_arg = _argument_text


class Node:
    """One step of a Graph: what is called (`op`, `target`), on what (`args`, `kwargs`), and who uses it (`users`).

    `op` is 'placeholder' (an input; target is its name), 'get_attr' (target: path of an attribute), 'call_function'
    (target: the function), 'call_method' (target: its name; args[0] is the object), 'call_module' (target: path of the
    module), or 'output' (args[0] is what comes out). `meta` is a dict for whoever works on the graph.

    >>> import weft
    >>> graph = weft.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(weft.relu, (x,))
    >>> y.op, y.args, list(x.users)
    ('call_function', (x,), [relu])
    """

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        if op not in OPS:
            raise AssertionError(f"{op!r} is no kind of node; these are: {', '.join(OPS[:-1])}")
        if op == "call_function" and not callable(target):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a "
                             f"Callable is expected")
        if op != "call_function" and not isinstance(target, str):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a "
                             f"str is expected")
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users, self.meta = {}, {}
        self._inputs = {}               # the nodes among the arguments, in order
        self._args, self._kwargs = (), {}
        self._prev = self._next = self
        self._erased = False
        self._repr_fn = None
        self._set(args, kwargs)

    # ---- its place in the list ----

    @property
    def next(self):
        """The node after it.

        >>> import weft
        >>> weft.fx.Graph().placeholder("x").next.op
        'root'
        """
        return self._next

    @property
    def prev(self):
        """The node before it.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> graph.call_function(weft.relu, (x,)).prev
        x
        """
        return self._prev

    def prepend(self, x):
        """Move node x before this one.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x, y = graph.placeholder("x"), graph.placeholder("y")
        >>> x.prepend(y); list(graph.nodes)
        [y, x]
        """
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._unlink()
        before = self._prev
        before._next, x._prev, x._next, self._prev = x, before, self, x

    def append(self, x):
        """Move node x after this one.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x, y = graph.placeholder("x"), graph.placeholder("y")
        >>> y.append(x); list(graph.nodes)
        [y, x]
        """
        self._next.prepend(x)

    def _unlink(self):
        self._prev._next, self._next._prev = self._next, self._prev

    # ---- its arguments ----

    @property
    def args(self):
        """The positional arguments, nested tuples, lists and dicts of nodes and constants; assign to change them.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.call_function(weft.add, (graph.placeholder("x"), 1)).args
        (x, 1)
        """
        return self._args

    @args.setter
    def args(self, a):
        self._set(a, self._kwargs)

    @property
    def kwargs(self):
        """The keyword arguments; assign a new dict to change them.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.call_function(weft.sum, (graph.placeholder("x"),), {"dim": 0}).kwargs
        {'dim': 0}
        """
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k):
        self._set(self._args, k)

    def _set(self, args, kwargs):
        for old in self._inputs:
            old.users.pop(self, None)
        self._inputs = {}

        def note(value):
            if isinstance(value, Node):
                self._inputs.setdefault(value)
                value.users.setdefault(self)
            return value

        self._args, self._kwargs = map_aggregate(tuple(args), note), map_aggregate(dict(kwargs), note)

    @property
    def all_input_nodes(self):
        """The nodes among its arguments, each once.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> graph.call_function(weft.add, (x, x)).all_input_nodes
        [x]
        """
        return list(self._inputs)

    def update_arg(self, idx, arg):
        """Another value for the positional argument number idx.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> y = graph.call_function(weft.add, (graph.placeholder("x"), 1))
        >>> y.update_arg(1, 5); y.args
        (x, 5)
        """
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx, arg):
        """A positional argument more, before number idx.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> y = graph.call_function(weft.add, (graph.placeholder("x"),))
        >>> y.insert_arg(1, 5); y.args
        (x, 5)
        """
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key, arg):
        """Another value for a keyword argument.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> y = graph.call_function(weft.sum, (graph.placeholder("x"),), {"dim": 0})
        >>> y.update_kwarg("dim", 1); y.kwargs
        {'dim': 1}
        """
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input, new_input):
        """Use another node wherever old_input stands among its arguments.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x, z = graph.placeholder("x"), graph.placeholder("z")
        >>> y = graph.call_function(weft.add, (x, 1))
        >>> y.replace_input_with(x, z); y.args
        (z, 1)
        """
        def other(node):
            return new_input if node is old_input else node

        self._set(map_arg(self.args, other), map_arg(self.kwargs, other))

    def replace_all_uses_with(self, replace_with, delete_user_cb=lambda user: True, *, propagate_meta=False):
        """Let all who use this node (and for whom delete_user_cb is true) use another one; gives those that did.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x, z = graph.placeholder("x"), graph.placeholder("z")
        >>> y = graph.call_function(weft.add, (x, 1))
        >>> x.replace_all_uses_with(z), y.args
        ([add], (z, 1))
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                                     "replace_with already has .meta keys")
            replace_with.meta.update(self.meta)
        users = [user for user in self.users if delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    # ---- what it is ----

    @property
    def stack_trace(self):
        """The lines of the user's program that made it, where its tracer recorded them.

        >>> import weft
        >>> weft.fx.Graph().placeholder("x").stack_trace is None
        True
        """
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace):
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random=True):
        """Whether it does something besides giving its result: such a node is kept though nobody uses it.

        >>> import weft
        >>> weft.fx.Graph().placeholder("x").is_impure()
        True
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            return (self.target in _side_effectful_functions or getattr(self.target, "has_side_effect", False)
                    or writes_in_place(self.target) or self.kwargs.get("out") is not None
                    or impure_random and draws(self.target))
        if self.op == "call_method":
            return self.target.endswith("_") and not self.target.endswith("__")
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(owner.get_submodule(self.target), "_is_impure", False)
        return False

    def format_node(self, placeholder_names=None, maybe_return_typename=None, *, include_tensor_metadata=False):
        """The line of it in the graph's listing.

        >>> import weft
        >>> weft.fx.Graph().placeholder("x").format_node()
        '%x : [num_users=0] = placeholder[target=x]'
        """
        kind = f"{self.type!r} " if self.type else ""
        head = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={_target_text(self.target)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(self.target)
                return None
            return head + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return head
        if self.op == "output":
            return f"return {self.args[0] if self.args else None}"
        return f"{head}(args = {_argument_text(self.args)}, kwargs = {_argument_text(self.kwargs)})"

    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        """(args, kwargs) of a call with the arguments in the places that the signature gives them, or None.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> y = graph.call_function(weft.flatten, (graph.placeholder("x"), 1))
        >>> y.normalized_arguments(None, normalize_to_only_use_kwargs=True).kwargs["start_dim"]
        1
        """
        from weft.fx.operator_schemas import normalize_function, normalize_module
        if self.op == "call_function":
            return normalize_function(self.target, self.args, self.kwargs, arg_types, kwarg_types,
                                      normalize_to_only_use_kwargs)
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    def _rename(self, candidate):
        if candidate != self.name:
            self.name = self.graph._names.create_name(candidate, None)
            self.graph._names.associate_name_with_obj(self.name, self)

    def _pretty_print_target(self, target):
        return _target_text(target)

    def __repr__(self):
        return self._repr_fn(self) if self._repr_fn else self.name

    def __lt__(self, other):
        return self._place() < other._place()

    def __gt__(self, other):
        return self._place() > other._place()

    def __le__(self, other):
        return self is other or self < other

    def __ge__(self, other):
        return self is other or self > other

    def _place(self):
        return next(i for i, node in enumerate(self.graph.nodes) if node is self)


def writes_in_place(function):
    """Whether a function of weft writes to its arguments: relu_ does."""
    name = getattr(function, "__name__", "").partition(".")[0]      # aten.add_.Tensor
    ours = (getattr(function, "__module__", None) or "").split(".")[0] in ("weft", "torch")
    return ours and name.endswith("_") and not name.endswith("__")


def draws(function):
    """Whether a function of weft draws random numbers."""
    function = getattr(function, "_function", function)     # of an op of aten
    return getattr(getattr(function, "op", None), "random", -1) not in (-1, None)
