"""The values that a saved program has while it runs, and what may be done with each.

An attribute or a method is looked up in a table for the value's type (_allowed.py), or, for objects that come from the
file, among what the file says of them: Python's own attributes are never reached.
"""
import enum

from weft.core.size import Size
from weft.jit import _allowed
from weft.nn.module import Module
from weft.nn.modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from weft.tensor.tensor import Tensor

MADE = " made"          # where a comprehension collects; no variable is called so
DUNDERS = frozenset("__init__ __len__ __getitem__ __setitem__ __contains__ __call__ __str__ __post_init__".split())


class Refused(Exception):
    """A program says what none from a file may say; `node`: where."""

    def __init__(self, what, node=None):
        super().__init__(what)
        self.what, self.node = what, node


class Native:
    """One of weft's functions as a value: it can be called, and nothing else."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def run(self, args, kwargs):
        return self.function(*args, **kwargs)


class FileClass:
    """A class of a file. Its objects are `Instance`s; methods and properties are functions of the program."""

    def __init__(self, name, methods=None, properties=None, constants=None, kinds=None):
        self.name, self.methods, self.properties = name, methods or {}, properties or {}
        self.constants, self.kinds = constants or {}, kinds or {}        # kinds: method -> "static" or "class"

    def run(self, args, kwargs):
        made = Instance(self)
        start = self.methods.get("__init__")
        if start is not None:
            start.run([made, *args], kwargs)
        elif args or kwargs:
            raise TypeError(f"{self.name}() takes no arguments")
        return made

    def _script_get(self, name):
        if name in self.constants:
            return self.constants[name]
        if name in self.methods:
            return Bound((self,), self.methods[name]) if self.kinds.get(name) == "class" else self.methods[name]
        raise AttributeError(f"type object '{self.name}' has no attribute '{name}'")


    def first(self, name, value):
        """What a method gets before the arguments of `value.name(...)`."""
        kind = self.kinds.get(name)
        return () if kind == "static" else (self,) if kind == "class" else (value,)


class Bound:
    """A method as a value: what it gets first, and what runs."""

    def __init__(self, given, function):
        self.given, self.function = given, function

    def run(self, args, kwargs):
        return self.function.run([*self.given, *args], kwargs)


class TupleClass(FileClass):
    """A NamedTuple of a file."""

    def __init__(self, name, kind, methods=None):
        super().__init__(name, methods)
        self.kind = kind

    def run(self, args, kwargs):
        return self.kind(*args, **kwargs)


class EnumClass(FileClass):
    """An Enum of a file: `Color.RED` is a member, `Color(1)` finds one."""

    def __init__(self, name, kind):
        super().__init__(name, constants=dict(kind.__members__))
        self.kind = kind

    def run(self, args, kwargs):
        return self.kind(*args)

    def __iter__(self):
        return iter(self.kind)


class FileEnum(enum.Enum):
    """What a file's enums come from: a member is equal to the user's own of the same name."""

    def __eq__(self, other):
        return isinstance(other, enum.Enum) and (type(self).__name__, self.name) == (type(other).__name__, other.name)

    def __hash__(self):         # as of any enum's member
        return hash(self._name_)


class Instance:
    """An object of a file's class: its fields are a dict of their own."""

    def __init__(self, cls):
        self.cls, self.fields = cls, {}

    def _script_get(self, name):
        if name in self.fields:
            return self.fields[name]
        found = self.cls.properties.get(name)
        if found is not None:
            return found.run([self], {})
        if name in self.cls.methods:
            return Bound(self.cls.first(name, self), self.cls.methods[name])
        return self.cls._script_get(name)

    def _script_set(self, name, value):
        self.fields[name] = value

    def _script_method(self, name):
        return self.cls.methods.get(name)

    def __repr__(self):
        found = self.cls.methods.get("__repr__") or self.cls.methods.get("__str__")
        return found.run([self], {}) if found is not None else f"<{self.cls.name} object>"

    def __getattr__(self, name):            # for the user of a loaded module
        if name.startswith("__") or name in ("cls", "fields"):
            raise AttributeError(name)
        found = self.cls.methods.get(name)
        if found is not None:
            return lambda *args, **kwargs: found.run([*self.cls.first(name, self), *args], kwargs)
        return self._script_get(name)


def _operator(name):
    def apply(self, *args):
        found = self.cls.methods.get(name)
        if found is None:
            return NotImplemented
        return found.run([self, *args], {})
    return apply


for _name in """add sub mul truediv floordiv mod pow matmul and or xor radd rsub rmul neg invert lt le gt ge iadd isub
        imul itruediv""".split():
    setattr(Instance, f"__{_name}__", _operator(f"__{_name}__"))


def _required(name):
    def apply(self, *args):
        found = self.cls.methods.get(name)
        if found is None:
            raise TypeError(f"a {self.cls.name} has no {name}")
        return found.run([self, *args], {})
    return apply


for _name in ("len", "getitem", "setitem", "delitem", "contains", "int", "float"):
    setattr(Instance, f"__{_name}__", _required(f"__{_name}__"))


def _equal(self, other):
    found = self.cls.methods.get("__eq__")
    return self is other if found is None else found.run([self, other], {})


Instance.__eq__, Instance.__hash__ = _equal, object.__hash__


def _true(self):
    found = self.cls.methods.get("__bool__") or self.cls.methods.get("__len__")
    return True if found is None else bool(found.run([self], {}))


Instance.__bool__ = _true
# methods of every module that only tell what it holds
WALKS = frozenset("""modules named_modules children named_children parameters named_parameters buffers named_buffers
    """.split())
_KEYED = frozenset("get pop setdefault update add remove discard __contains__ __getitem__".split())
CONTAINERS = (ModuleList, Sequential, ModuleDict, ParameterList, ParameterDict)


# reading and calling

def attribute(value, name):
    """value.name"""
    if isinstance(value, Tensor):
        if name in _allowed.TENSOR_ATTRIBUTES:
            return getattr(value, name)
    elif hasattr(type(value), "_script_get"):
        return value._script_get(name)
    elif isinstance(value, Module):
        return layer_attribute(value, name)
    elif isinstance(value, tuple) and name in getattr(type(value), "_fields", ()):
        return getattr(value, name)
    elif isinstance(value, enum.Enum):
        if name in ("name", "value"):
            return getattr(value, name)
    elif name in _allowed.ATTRIBUTES.get(type(value), ()):
        return getattr(value, name)
    raise AttributeError(f"'{type(value).__name__}' object has no attribute '{name}' that a saved program may read")


def layer_attribute(module, name):
    """What a layer of weft's holds under a name: a parameter, a buffer, a module, or data."""
    own = vars(module)
    for place in ("_parameters", "_buffers", "_modules"):
        if name in own[place]:
            return own[place][name]
    if not name.startswith("_") and name in own and not callable(own[name]):
        return own[name]
    raise AttributeError(f"'{type(module).__name__}' object has no attribute '{name}'")


def has_attribute(value, name):
    """hasattr(value, name), methods included."""
    try:
        attribute(value, name)
    except AttributeError:
        return method_of(value, name) is not None
    return True


def set_attribute(value, name, given):
    """value.name = given"""
    if hasattr(type(value), "_script_set"):
        value._script_set(name, given)
    elif isinstance(value, Tensor) and name in ("data", "grad", "requires_grad"):
        setattr(value, name, given)
    elif isinstance(value, Module) and (name in value._parameters or name in value._buffers):
        setattr(value, name, given)
    else:
        raise AttributeError(f"a saved program can't set '{name}' of a {type(value).__name__}")


def method_of(value, name):
    """What `value.name(...)` runs, as a Python function, or None if no saved program may call it."""
    if isinstance(value, Tensor):
        return getattr(value, name) if _allowed.tensor_method(name) is not None else None
    if hasattr(type(value), "_script_method"):
        found = value._script_method(name)
        if found is not None:
            cls = value.cls if isinstance(value, Instance) else vars(value).get("_script_class")
            first = (value,) if cls is None else cls.first(name, value)
            return lambda *args, **kwargs: found.run([*first, *args], kwargs)
    if isinstance(value, Module):
        if name in WALKS:
            walk = getattr(Module, name)
            return lambda *args, **kwargs: list(walk(value, *args, **kwargs))
        if name == "forward" or name == "__call__":
            return value.forward if name == "forward" else value
        if name in ("keys", "values", "items", "__len__", "__getitem__") and isinstance(value, CONTAINERS):
            return getattr(value, name)
        return _allowed.layer_method(value, name)
    if isinstance(value, str) and name == "format":
        return lambda *args, **kwargs: _allowed.formatted(value, args, kwargs)
    if isinstance(value, (dict, set)) and name in _KEYED:
        own, look = getattr(value, name), _allowed.keys_of if name == "update" else _allowed.key
        return lambda *args, **kwargs: own(*[look(a) for a in args[:1]], *args[1:], **kwargs)
    for kind in type(value).__mro__:
        if name in _allowed.METHODS.get(kind, ()):
            return getattr(value, name)
    if isinstance(value, (list, tuple, dict, str, Size)) and name in ("__len__", "__getitem__", "__contains__"):
        return getattr(value, name)
    return None


def invoke(value, name, args, kwargs):
    """value.name(*args, **kwargs)"""
    found = method_of(value, name)
    if found is not None:
        return found(*args, **kwargs)
    try:
        held = attribute(value, name)       # self.activation(x): a function or module that an attribute holds
    except AttributeError:
        raise AttributeError(f"'{type(value).__name__}' object has no method '{name}' that a saved program may call"
                             ) from None
    return run(held, args, kwargs)


def run(value, args, kwargs):
    """value(*args, **kwargs)"""
    if isinstance(value, Module):
        return value(*args, **kwargs)
    if hasattr(type(value), "run") and not isinstance(value, (Tensor, Instance)):
        return value.run(args, kwargs)
    if isinstance(value, Instance) and "__call__" in value.cls.methods:
        return value.cls.methods["__call__"].run([value, *args], kwargs)
    raise TypeError(f"'{type(value).__name__}' object is not callable")


class entered:
    """`with` of an object whose class has __enter__ and __exit__."""

    def __init__(self, value):
        if not isinstance(value, Instance) or not {"__enter__", "__exit__"} <= set(value.cls.methods):
            raise TypeError(f"`with` of a {type(value).__name__}")
        self.value = value

    def __enter__(self):
        return self.value.cls.methods["__enter__"].run([self.value], {})

    def __exit__(self, *error):
        self.value.cls.methods["__exit__"].run([self.value, None, None, None], {})


_ITEMS = (Tensor, list, tuple, dict, str, range, Instance, *CONTAINERS)


def item(value, key):
    """value[key]"""
    if isinstance(value, EnumClass):
        return value._script_get(key)
    if not isinstance(value, _ITEMS):
        raise TypeError(f"'{type(value).__name__}' object is not subscriptable")
    return value[_allowed.key(key) if isinstance(value, dict) else key]


def set_item(value, key, given):
    """value[key] = given"""
    if not isinstance(value, (Tensor, list, dict, Instance)):
        raise TypeError(f"'{type(value).__name__}' object does not support item assignment")
    value[_allowed.key(key) if isinstance(value, dict) else key] = given


def remove_item(value, key):
    """del value[key]"""
    if not isinstance(value, (list, dict, Instance)):
        raise TypeError(f"'{type(value).__name__}' object doesn't support item deletion")
    del value[_allowed.key(key) if isinstance(value, dict) else key]
