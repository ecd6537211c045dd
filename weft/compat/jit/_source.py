"""From the user's Python to the language of saved programs (_language.py): the source of a function is read, and every
name in it that isn't a local variable is replaced by what it stands for: a number, one of weft's functions as
`torch.<name>`, another function or class of the program as `__torch__.<name>`.

What can't be said there is a `Refused`, with the node and so the user's line.
"""
import ast
import builtins
import cmath
import collections
import enum
import inspect
import math
import textwrap
import types
import typing
import warnings

import weft
from weft.jit import _allowed, _dataclass
from weft.jit._allowed import home
from weft.jit._language import NOT_SAID, assigned, dotted, root_of
from weft.jit._marks import is_dropped, is_exported, is_ignored, plain_function
from weft.jit._script import ScriptModule
from weft.jit._values import Refused
from weft.nn.module import Module
from weft.tensor.tensor import Tensor
from weft.utils.checkpoint import checkpoint

ROOT = "__torch__"
TYPES = {Tensor: "Tensor", int: "int", float: "float", bool: "bool", str: "str", complex: "complex", list: "List",
         dict: "Dict", tuple: "Tuple", set: "Set", type(None): "None", weft.device: "torch.device",
         weft.dtype: "torch.dtype", weft.Size: "Size", Module: "torch.nn.Module"}
_GENERIC = {typing.List: "List", typing.Dict: "Dict", typing.Tuple: "Tuple", typing.Optional: "Optional",  # noqa: UP006
            typing.Union: "Union", typing.Any: "Any", typing.Set: "Set", typing.Final: "Final"}  # noqa: UP006
_STATIC = {id(weft.jit.is_scripting): True, id(weft.jit.is_tracing): False, id(weft.compiler.is_compiling): False}
_JIT = {id(weft.jit.annotate): "torch.jit.annotate", id(weft.jit.isinstance): "torch.jit.isinstance",
        id(weft.jit.is_tracing): "torch.jit.is_tracing", id(weft.jit.fork): "torch.jit.fork",
        id(weft.jit.wait): "torch.jit.wait", id(weft.jit.is_scripting): "torch.jit.is_scripting",
        id(isinstance): "isinstance", id(getattr): "getattr", id(hasattr): "hasattr",
        id(warnings.warn): "warnings.warn", id(weft.jit._unwrap_optional): "torch.jit._unwrap_optional",
        id(checkpoint): "torch.utils.checkpoint.checkpoint"}
_NAMESPACES = (types.ModuleType, type)


def layer_base(cls):
    """The nearest class of weft.nn that a module's class is or comes from, or None if that is Module itself."""
    for one in cls.__mro__:
        if home(one).startswith("weft.nn.") and _allowed.layer(one.__name__) is one:
            return one
    return None


def is_layer(cls):
    """Whether a class is one of weft's own layers."""
    return layer_base(cls) is cls


class ClassForm:
    """A class as it is saved. kind: "module", "object", "tuple" or "enum"."""

    def __init__(self, name, kind, cls):
        self.name, self.kind, self.cls = name, kind, cls
        self.methods, self.properties, self.constants = {}, {}, {}
        self.kinds = {}             # name of a method -> "static" or "class"
        self.reads = set()          # names of attributes that its methods use


class Sources:
    """All functions and classes that a program needs, from those that were asked for."""

    def __init__(self):
        self.functions, self.classes = {}, {}       # full name -> tree; Python class -> ClassForm
        self._named, self._taken, self._pending = {}, set(), []
        self.called = set()                         # names of methods that are called on anything
        self.origins = {}                           # id of a tree -> the user's function
        self.values = {}                            # full name -> script or trace that functions call

    # names

    def _name(self, wanted):
        wanted = "".join([c if c.isalnum() or c == "_" else "_" for c in wanted]).lstrip("_") or "function"
        name, number = f"{ROOT}.{wanted}", 0
        while name in self._taken:
            name, number = f"{ROOT}.{wanted}_{number}", number + 1
        self._taken.add(name)
        return name

    def reserve(self, names):
        """Names that are taken."""
        self._taken.update(names)

    def function(self, function, node=None):
        """The full name of a function; its source is read when its turn comes."""
        found = self._named.get(function)
        if found is None:
            found = self._named[function] = self._name(function.__name__)
            self._pending.append((function, found, None))
        return found

    def value(self, module, name):
        """The full name of a script or trace that a function calls by the name of a variable."""
        found = next((n for n, m in self.values.items() if m is module), None)
        if found is None:
            found = self._name(name)
            self.values[found] = module
        return found

    def cls(self, cls, node=None):
        """The form of a class that isn't weft's."""
        found = self.classes.get(cls)
        if found is not None:
            return found
        if issubclass(cls, Module):
            kind = "module"
        elif issubclass(cls, enum.Enum):
            kind = "enum"
        elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
            kind = "tuple"
        elif cls.__module__ != "builtins" and cls.__bases__ == (object,) and not is_wefts(cls):
            kind = "object"
        else:
            raise Refused(f"the class {cls.__name__} can't be part of a saved program", node)
        found = self.classes[cls] = ClassForm(self._name(cls.__name__), kind, cls)
        if kind == "object":
            for name, value in vars(cls).items():
                function = plain_function(value.fget if isinstance(value, property) else value)
                if isinstance(function, types.FunctionType):
                    if not is_ignored(function) and not _dataclass.is_left_out(cls, function):
                        self.method(found, name)
                elif type(value) in _allowed.PLAIN and not name.startswith("_"):
                    found.constants[name] = value
        return found

    def method(self, form, name, node=None):
        """A method, property or static method of a class, by its name; False if the class has none."""
        if name in form.methods or name in form.properties:
            return True
        owner = next((c for c in form.cls.__mro__ if name in vars(c)), None)
        if owner is None or _is_base(owner):
            return False
        value = vars(owner)[name]
        place = form.properties if isinstance(value, property) else form.methods
        function = plain_function(value.fget if isinstance(value, property) else value)
        if not isinstance(function, types.FunctionType):
            return False
        place[name] = None
        if isinstance(value, (staticmethod, classmethod)):
            form.kinds[name] = "static" if isinstance(value, staticmethod) else "class"
        self._pending.append((function, (form, place, name, isinstance(value, staticmethod)), owner))
        return True

    def inherited(self, form, owner, name, node):
        """The method that super().name means in a class; what calls it."""
        mro = form.cls.__mro__
        base = next((c for c in mro[mro.index(owner) + 1:] if name in vars(c)), None)
        layer = layer_base(base) if base is not None else None
        if base is None or layer is None and _is_base(base):
            raise Refused(f"super().{name} is a method of every module", node)
        if layer is not None and home(base).startswith("weft.nn."):
            return f"torch.nn.{layer.__name__}.{name}", True
        own = f"_super_{base.__name__}_{name}"
        if own not in form.methods:
            form.methods[own] = None
            function = plain_function(vars(base)[name])
            self._pending.append((function, (form, form.methods, own, False), base))
        return own, False

    # work

    def finish(self):
        """Read sources until nothing is asked for any more."""
        while True:
            while self._pending:
                function, place, owner = self._pending.pop(0)
                if isinstance(place, str):
                    self.functions[place] = self._tree(function, place.rpartition(".")[2], None, None)
                else:
                    form, methods, name, static = place
                    methods[name] = self._tree(function, name, None if static else form, owner)
            if not self._called_methods():
                return self

    def _called_methods(self):
        """Methods of modules that are called on a variable: found by their names."""
        before = len(self._pending)
        for form in list(self.classes.values()):
            if form.kind == "module":
                for name in self.called:
                    found = getattr(form.cls, name, None)
                    if isinstance(found, types.FunctionType) and not _is_methods_name(name):
                        self.method(form, name)
        return len(self._pending) > before

    def _tree(self, function, name, form, owner):
        try:
            made = self._closed(function, name, form, owner)
        except Refused as error:
            error.function = getattr(error, "function", function)
            raise
        self.origins[id(made)] = function
        return made

    def _closed(self, function, name, form, owner):
        made = _dataclass.text_of(owner, function)
        tree = ast.parse(made).body[0] if made is not None else read_source(function)
        tree.name, tree.decorator_list, tree.returns = name, [], None
        if is_ignored(function):
            raise Refused(f"{function.__name__} is marked @jit.ignore: it stays Python, which no file holds", tree)
        if is_dropped(function):
            text = f"{function.__name__} was marked @jit.unused when this was saved"
            tree.body = ast.parse(f"raise RuntimeError({text!r})").body
            tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
            tree.args.vararg = tree.args.vararg or ast.arg("_args")
            tree.args.kwarg = tree.args.kwarg or ast.arg("_kwargs")
            return ast.fix_missing_locations(tree)
        closer = Closer(self, function, tree, form, owner)
        tree.args = closer.parameters(tree.args)
        tree.body = closer.statements(tree.body)
        return ast.fix_missing_locations(tree)


def _is_base(cls):
    """Whether a class is one of weft's own, whose methods no file holds."""
    return cls is Module or cls is object or home(cls).startswith(("weft.jit.", "weft.nn."))


def is_wefts(thing):
    """Whether a function or class is part of weft itself; models and the like are read as the user's own."""
    found = home(thing)
    return found.split(".")[0] == "weft" and not found.startswith(("weft.vision.", "weft.examples.", "weft.text."))


def _is_methods_name(name):
    """Whether tensors, lists and the like have a method of this name: then it says nothing of modules."""
    return _allowed.tensor_method(name) is not None or any([name in names for names in _allowed.METHODS.values()])


def read_source(function):
    """The tree of a function's definition, with the user's line numbers."""
    if function.__name__ == "<lambda>":
        raise Refused("a lambda can't be saved: only functions that have a name")
    if not isinstance(function, types.FunctionType):
        raise Refused(f"{function.__name__} isn't written in Python")
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError) as error:
        raise Refused(f"the source of {function.__name__} can't be read ({type(error).__name__}: {error})") from None
    ast.increment_lineno(tree, first - 1)
    if not isinstance(tree.body[0], ast.FunctionDef):
        raise Refused(f"{function.__name__} is no plain function", tree.body[0])
    return tree.body[0]


class Closer(ast.NodeTransformer):
    """Replaces the names of one function; form: the class whose `self` it has, owner: the class that defines it."""

    def __init__(self, sources, function, tree, form, owner):
        self.sources, self.function, self.form, self.owner = sources, function, form, owner
        args = tree.args
        names = [*args.posonlyargs, *args.args, *args.kwonlyargs, *[a for a in (args.vararg, args.kwarg) if a]]
        self.locals = {a.arg for a in names} | assigned(tree)
        first = [*args.posonlyargs, *args.args][:1]
        self.self = first[0].arg if form is not None and first else None

    def parameters(self, args):
        """Parameters whose defaults are the values that they have."""
        places, named = self.function.__defaults__ or (), self.function.__kwdefaults__ or {}
        last = [a.arg for a in (*args.posonlyargs, *args.args)][-len(places):] if places else []
        args.defaults = [self.default(name, value, args) for name, value in zip(last, places)]
        args.kw_defaults = [self.default(a.arg, named[a.arg], args) if a.arg in named else None
                            for a in args.kwonlyargs]
        try:
            hints = typing.get_type_hints(self.function)
        except Exception:       # annotations of the user's that name what isn't there
            hints = {}
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            text = type_text(hints.get(arg.arg))
            arg.annotation = ast.parse(text, mode="eval").body if text else None
        for arg in (args.vararg, args.kwarg):
            if arg is not None:
                arg.annotation = None
        return args

    def default(self, name, value, node):
        made = _dataclass.default_of(self.owner, self.function, name)
        return self.value(value, node) if made is None else made

    def statements(self, body):
        made = []
        for node in body:
            found = self.visit(node)
            made += found if isinstance(found, list) else [] if found is None else [found]
        return made or [ast.Pass()]

    def visit(self, node):
        if type(node).__name__ in NOT_SAID:
            raise Refused(f"{NOT_SAID[type(node).__name__]} is no part of what can be saved", node)
        return super().visit(node)

    # values

    def look_up(self, name, node):
        """What a name means outside of the function."""
        code, cells = self.function.__code__, self.function.__closure__ or ()
        if name in code.co_freevars:
            try:
                return cells[code.co_freevars.index(name)].cell_contents
            except ValueError:
                raise Refused(f"the variable {name!r} has no value yet", node) from None
        space = self.function.__globals__
        if name in space:
            return space[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise Refused(f"the name {name!r} isn't defined", node)

    def chain(self, node):
        """(True, the value) of a name or of dots behind a module or class; (False, None) for anything else."""
        root = root_of(node)
        if root is None or root in self.locals:
            return False, None
        parts, at = [], node
        while isinstance(at, ast.Attribute):
            parts.append(at.attr)
            at = at.value
        value = self.look_up(root, node)
        for part in reversed(parts):
            if not isinstance(value, _NAMESPACES):
                return False, None
            value = getattr(value, part, _ABSENT)
            if value is _ABSENT:
                raise Refused(f"there is no {dotted(node)}", node)
        return True, value

    def value(self, value, node):
        """An expression for a value that isn't a local variable's."""
        kind = type(value)
        if kind is float and not math.isfinite(value):
            text = "math.nan" if value != value else "math.inf" if value > 0 else "-math.inf"
            return ast.parse(text, mode="eval").body
        if kind is complex and not cmath.isfinite(value):
            parts = [self.value(part, node) for part in (value.real, value.imag)]
            return ast.Call(ast.Name("complex", ast.Load()), parts, [])
        if kind in _allowed.PLAIN or value is ...:
            return ast.Constant(value)
        if kind in (tuple, list, weft.Size):
            made = ast.List if kind is list else ast.Tuple
            return made([self.value(v, node) for v in value], ast.Load())
        if kind is dict:
            return ast.Dict([self.value(k, node) for k in value], [self.value(v, node) for v in value.values()])
        if isinstance(value, (weft.dtype, weft.layout, weft.memory_format)):
            return ast.parse(str(value), mode="eval").body
        if kind is weft.device:
            return ast.parse(f"torch.device({str(value)!r})", mode="eval").body
        if isinstance(value, enum.Enum):
            return ast.parse(f"{self.sources.cls(kind, node).name}.{value.name}", mode="eval").body
        text = self.function_text(value, node)
        if text is None:
            raise Refused(f"{_shown(node)} is a {kind.__name__}, which isn't part of the program: give it as an "
                          f"argument, or make it an attribute of the module", node)
        return ast.parse(text, mode="eval").body

    def function_text(self, value, node):
        name = _allowed.name_of(value)
        if name is not None:
            return f"torch.{name}"
        if id(value) in _JIT:
            return _JIT[id(value)]
        for space, table in (("", _allowed.BUILTINS), ("math.", _allowed.MATH)):
            found = next((n for n, v in table.items() if v is value), None)
            if found is not None:
                return space + found
        module = getattr(value, "_module", value)       # of a traced function
        if isinstance(module, ScriptModule):
            return self.sources.value(module, module.original_name)
        if isinstance(value, types.MethodType) and isinstance(value.__self__, type) and not is_wefts(value.__self__):
            form = self.sources.cls(value.__self__, node)
            if self.sources.method(form, value.__name__, node):
                return f"{form.name}.{value.__name__}"
        function = plain_function(value)
        if isinstance(function, types.FunctionType):
            if is_wefts(function):
                raise Refused(f"{_shown(node)}: the function {function.__name__} of weft is none that a saved program "
                              f"may call", node)
            return self.sources.function(function, node)
        if value is collections.OrderedDict:        # as in PyTorch's scripts, whose dicts all keep their order
            return "dict"
        if isinstance(value, type) and not issubclass(value, (Module, Tensor, BaseException)):
            return self.sources.cls(value, node).name
        return None

    # expressions

    def visit_Name(self, node):
        if node.id in self.locals or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(self.value(self.look_up(node.id, node), node), node)

    def visit_Attribute(self, node):
        known, value = self.chain(node)
        if known:
            return ast.copy_location(self.value(value, node), node)
        if self.is_self(node.value):
            return self.of_self(node)
        return self.generic_visit(node)

    def is_self(self, node):
        return isinstance(node, ast.Name) and node.id == self.self

    def of_self(self, node):
        """self.name: a method, a class's constant, or what the module holds."""
        name = node.attr
        if name.startswith("__") and not name.endswith("__"):
            name = node.attr = f"_{self.owner.__name__.lstrip('_')}{name}"
        if name == "__class__":
            return node
        if isinstance(node.ctx, ast.Load) and not self.sources.method(self.form, name, node):
            self.form.reads.add(name)
        return node

    def visit_Call(self, node):
        known, value = self.chain(node.func) if dotted(node.func) else (False, None)
        if known and value is isinstance or known and value is weft.jit.isinstance:
            node.args = [self.visit(node.args[0]), self.type(node.args[1])]
            node.func = ast.Name("isinstance", ast.Load())
            return node
        if known and value in (weft.jit.annotate, typing.cast):
            return self.visit(node.args[1])
        if known and value is warnings.warn:
            node.args, node.keywords = node.args[:1], []
        if known and id(value) in _STATIC:
            return ast.copy_location(ast.Constant(_STATIC[id(value)]), node)
        if isinstance(node.func, ast.Attribute) and self.is_super(node.func.value):
            return self.of_super(node)
        if isinstance(node.func, ast.Attribute):
            self.sources.called.add(node.func.attr)
        return self.generic_visit(node)

    def is_super(self, node):
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"

    def of_super(self, node):
        if self.form is None:
            raise Refused("super() outside of a class", node)
        name, layer = self.sources.inherited(self.form, self.owner, node.func.attr, node)
        own = ast.Name(self.self, ast.Load())
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        if layer:
            node.func, node.args = ast.parse(name, mode="eval").body, [own, *node.args]
        else:
            node.func = ast.Attribute(own, name, ast.Load())
        return ast.copy_location(node, node)

    # what is decided while it is read

    def static(self, node):
        """True or False where the program is the same whenever it is scripted, else None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (bool, type(None))):
            return bool(node.value)
        if isinstance(node, ast.Call) and dotted(node.func):
            known, value = self.chain(node.func)
            return _STATIC.get(id(value)) if known else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found = self.static(node.operand)
            return None if found is None else not found
        if isinstance(node, ast.BoolOp):
            ends, found = isinstance(node.op, ast.Or), [self.static(v) for v in node.values]
            return ends if ends in found else None if None in found else not ends
        return None

    def visit_If(self, node):
        found = self.static(node.test)
        if found is not None:
            return self.statements(node.body if found else node.orelse)
        node.test, node.body = self.visit(node.test), self.statements(node.body)
        node.orelse = self.statements(node.orelse) if node.orelse else []
        return node

    def visit_IfExp(self, node):
        found = self.static(node.test)
        return self.generic_visit(node) if found is None else self.visit(node.body if found else node.orelse)

    # statements

    def visit_AnnAssign(self, node):
        if node.value is None:
            return None
        made = ast.Assign([self.visit(node.target)], self.visit(node.value))
        return ast.copy_location(made, node)

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return None
        return self.generic_visit(node)

    def visit_Raise(self, node):
        call = node.exc
        if call is None or node.cause is not None:
            raise Refused("`raise` without an exception, or with `from`, can't be saved", node)
        known, kind = self.chain(call.func if isinstance(call, ast.Call) else call)
        if not known or not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise Refused("only exceptions that are named can be raised", node)
        name = next((c.__name__ for c in kind.__mro__ if _allowed.EXCEPTIONS.get(c.__name__) is c), "RuntimeError")
        args = [self.visit(a) for a in call.args] if isinstance(call, ast.Call) else []
        node.exc = ast.Call(ast.Name(name, ast.Load()), args, [])
        return node

    def visit_With(self, node):
        for item in node.items:
            call = item.context_expr
            known, value = self.chain(call.func) if isinstance(call, ast.Call) else (False, None)
            name = next((n for n, c in _allowed.CONTEXTS.items() if known and c is value), None)
            if name is not None:
                call.func = ast.parse(f"torch.{name}", mode="eval").body
                call.args = [self.visit(a) for a in call.args]
                for given in call.keywords:
                    given.value = self.visit(given.value)
            elif known and (is_wefts(value) or not isinstance(value, type)):
                raise Refused(f"`with {_shown(call)}`: of weft's own only torch.no_grad(), torch.autocast() and their "
                              f"like can be saved", node)
            else:
                item.context_expr = self.visit(call)
            if item.optional_vars is not None:
                item.optional_vars = self.visit(item.optional_vars)
        node.body = self.statements(node.body)
        return node

    def visit_For(self, node):
        node.target, node.iter, node.body = self.visit(node.target), self.visit(node.iter), self.statements(node.body)
        node.orelse, node.type_comment = self.statements(node.orelse) if node.orelse else [], None
        return node

    def visit_While(self, node):
        node.test, node.body = self.visit(node.test), self.statements(node.body)
        node.orelse = self.statements(node.orelse) if node.orelse else []
        return node

    # types in expressions

    def type(self, node):
        """A type as the language writes it."""
        if isinstance(node, ast.Tuple):
            node.elts = [self.type(e) for e in node.elts]
            return node
        if isinstance(node, ast.Subscript):
            inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            inside = [e if isinstance(e, ast.Constant) else self.type(e) for e in inside]
            node.value = self.type(node.value)
            node.slice = inside[0] if len(inside) == 1 else ast.Tuple(inside, ast.Load())
            return node
        if isinstance(node, ast.BinOp):
            node.left, node.right = self.type(node.left), self.type(node.right)
            return node
        if isinstance(node, ast.Constant):
            return node
        known, value = self.chain(node)
        text = _GENERIC.get(value) if known and value in _GENERIC else type_text(value) if known else None
        if text is None and known and isinstance(value, type):
            layer = layer_base(value)
            text = f"torch.nn.{value.__name__}" if layer is value else self.sources.cls(value, node).name
        if text is None:
            raise Refused(f"{_shown(node)} is no type that a saved program may ask for", node)
        return ast.parse(text, mode="eval").body


_ABSENT = object()


def type_text(kind):
    """A type as PyTorch writes it: "List[int]"; None for one that has no such name."""
    if kind in (None, type(None)):
        return None if kind is None else "None"
    if kind is typing.Any:
        return "Any"
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return TYPES.get(kind) if isinstance(kind, type) else None
    if not inside and origin in (list, dict, set):
        return TYPES[origin]
    parts = ["..." if i is ... else type_text(i) for i in inside]
    if None in parts:
        return None
    if origin in (typing.Union, types.UnionType):
        others = [p for p in parts if p != "None"]
        if len(others) == 1:
            return f"Optional[{others[0]}]"
        return f"Union[{', '.join(parts)}]"
    return f"{TYPES[origin]}[{', '.join(parts)}]" if origin in TYPES else None


def _shown(node):
    try:
        return ast.unparse(node)[:80]
    except Exception:       # a node that is half changed
        return "this"


def methods_of(cls):
    """The names of a module class's methods that are saved of themselves: forward, and those marked @jit.export."""
    found = []
    for name in dir(cls):
        value = inspect.getattr_static(cls, name, None)
        if name == "forward" or is_exported(plain_function(value)):
            found.append(name)
    return found
