"""Scripts as data: a file has the source of a program's functions and classes in the language of _language.py, its
modules as records of tensors and attributes, and nothing that Python would run.
"""
import ast
import collections
import enum
import inspect
import keyword
import linecache
import os

import weft
from weft.core.errors import fail, message
from weft.jit import _allowed, _language, _source
from weft.jit._dialect import Python
from weft.jit._script import RecursiveScriptModule, ScriptFunction, ScriptMethod, original_class, scripted_class
from weft.jit._values import WALKS, Bound, EnumClass, FileClass, FileEnum, Instance, Native, Refused, TupleClass, run
from weft.nn import module_hooks as hooks
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

FORMAT = "weft scripted module"
MOST_NESTED = 100           # containers inside each other, in an attribute
INTERNAL = frozenset(vars(Module())) | {"_captures", "_original_name", "_compiled_call_impl", "_script_class",
                                        "_attributes", "_scripted"}
_NAMED = {"dtype": weft.dtype, "memory_format": weft.memory_format, "layout": weft.layout}


def refusal(error, what="jit.save"):
    """The error for a program that can't be said in the language: what, the user's line, what to do."""
    function = getattr(error, "function", None)
    at = None
    if hasattr(function, "__code__"):
        path = function.__code__.co_filename
        line = getattr(error.node, "lineno", function.__code__.co_firstlineno)
        at = f"{os.path.basename(path)}:{line}: {linecache.getline(path, line).strip()[:120]}"
    return RuntimeError(message(
        f"{what}: {error.what}", "say it otherwise, keep it from scripts (@torch.jit.unused, `if not "
        "torch.jit.is_scripting():`), or save a trace: torch.jit.trace(module, example_inputs)", at))


# from modules to data

class Writer:
    """Collects what a file needs."""

    def __init__(self):
        self.sources, self.records, self.tensors = _source.Sources(), [], []
        self._numbers, self._places, self._held = {}, {}, []
        self._waiting = []          # (record, module, form): attributes are packed when it is known which are used
        self.loaded = None          # the program of modules that came from a file themselves
        self.values = {}            # full name -> number of a module that functions call
        self._takes_objects = False     # of the user's own classes: only where the program reads the attribute

    def function(self, function):
        """A scripted function's name in the file."""
        known = getattr(function, "_file_function", None)
        if known is not None:
            self._adopt(known.program)
            return known.name
        return self.sources.function(function)

    def _adopt(self, program):
        """Take over the functions and classes of a program that came from a file."""
        if self.loaded is not None and self.loaded is not program:
            raise Refused("modules of two different files are in it; save them one by one")
        if self.loaded is None:
            self.loaded = program
            self.sources.reserve((*program.functions, *program.classes, *program.values))
            self.values.update({name: self.module(module) for name, module in program.values.items()})

    def module(self, module):
        """The number of a module's record."""
        found = self._numbers.get(id(module))
        if found is not None:
            return found
        number = self._numbers[id(module)] = len(self.records)
        self._held.append(module)
        cls = original_class(module)
        _check_module(module, cls)
        record = {"class": None, "layer": None, "name": getattr(module, "original_name", cls.__name__),
                  "training": module.training}
        self.records.append(record)
        form = None
        if "_frozen" in vars(module):
            record.update(frozen=self.module(module._frozen), preserved=list(module._preserved))
        elif hasattr(module, "_graph"):
            record.update(_trace_data(module, self))
        elif isinstance(module, Loaded):
            self._adopt(module._script_class.program)
            record["class"] = module._script_class.full_name
            layer = _source.layer_base(type(module))
            record["layer"] = layer.__name__ if layer is not None else None
        else:
            layer = _source.layer_base(cls)
            record["layer"] = layer.__name__ if layer is not None else None
            if layer is not cls:
                form = self._form(module, cls)
                record["class"] = form.name
        record["parameters"] = {n: self._tensor(p, "parameter") for n, p in module._parameters.items()}
        record["buffers"] = {n: self._tensor(b, "constant" if n in module._non_persistent_buffers_set else "buffer")
                             for n, b in module._buffers.items()}
        record["modules"] = {n: None if m is None else self.module(m) for n, m in module._modules.items()}
        self._waiting.append((record, module, form))
        return number

    def _form(self, module, cls):
        """The form of a user's class, with the methods that a file has of themselves."""
        form = self.sources.cls(cls)
        for name in _source.methods_of(cls):
            self.sources.method(form, name)
        return form

    def _tensor(self, value, kind):
        if value is None:
            return None
        found = self._places.get(id(value))
        if found is None:
            found = self._places[id(value)] = len(self.tensors)
            self._held.append(value)
            self.tensors.append([value.detach(), kind, value.requires_grad])
        return found

    def finish(self):
        """All the sources, and then the attributes that they use."""
        try:
            self._finish_sources()
            done = 0
            while done < len(self._waiting):        # an attribute may be a module, and a function may call one
                record, module, form = self._waiting[done]
                record["attributes"] = self._attributes(module, form)
                done += 1
                self._finish_sources()
        except Refused as error:
            raise refusal(error) from None
        return self

    def _finish_sources(self):
        """Read all sources, and take in the modules that functions call."""
        self.sources.finish()
        while new := [name for name in self.sources.values if name not in self.values]:
            for name in new:
                self.values[name] = self.module(self.sources.values[name])
            self.sources.finish()

    def _attributes(self, module, form):
        found, own = {}, {n: v for n, v in vars(module).items() if n not in INTERNAL}
        if hasattr(module, "_graph") or "_frozen" in vars(module):
            return found
        if isinstance(module, Loaded):
            return {name: self.pack(value) for name, value in module._attributes.items()}
        if form is not None:
            for name in form.reads:
                if name not in own and name not in INTERNAL and name not in WALKS and hasattr(form.cls, name):
                    own[name] = getattr(form.cls, name)
        for name, value in own.items():
            self._takes_objects = form is not None and name in form.reads
            try:
                found[name] = self.pack(value)
            except Refused as error:
                if form is None or name in form.reads:
                    raise Refused(f"the attribute {name!r} of a {original_class(module).__name__} {error.what}"
                                  ) from None
        return found

    def pack(self, value, depth=0):
        """A value as data."""
        if depth > MOST_NESTED:
            raise Refused("has too many containers inside each other")
        if type(value) in _allowed.PLAIN:
            return value
        if isinstance(value, Tensor):
            return {"tensor": self._tensor(value, "constant")}
        if isinstance(value, Module):
            return {"module": self.module(value)}
        if isinstance(value, enum.Enum):
            return {"enum": [self._class_name(type(value)), value.name]}
        inside = [self.pack(v, depth + 1) for v in value] if isinstance(value, (list, tuple, set, frozenset)) else None
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"record": [self._class_name(type(value)), inside]}
        if inside is not None:
            kind = "list" if isinstance(value, list) else "tuple" if isinstance(value, tuple) else "set"
            return {kind: inside}
        if isinstance(value, dict):
            return {"dict": [[self.pack(k, depth + 1), self.pack(v, depth + 1)] for k, v in value.items()]}
        if isinstance(value, weft.device):
            return {"device": str(value)}
        for kind, cls in _NAMED.items():
            if isinstance(value, cls):
                return {kind: str(value).removeprefix("torch.")}
        return self._packed_function(value, depth)

    def _class_name(self, cls):
        """The full name of an enum or NamedTuple: of the file that it came from, or of the user's own."""
        known = {} if self.loaded is None else self.loaded.classes
        found = next((name for name, one in known.items() if getattr(one, "kind", None) is cls), None)
        return self.sources.cls(cls).name if found is None else found

    def _packed_function(self, value, depth):
        name = _allowed.name_of(value)
        if name is not None or isinstance(value, Native):
            return {"function": value.name if name is None else f"torch.{name}"}
        if isinstance(value, _language.Function):
            return {"function": value.name}
        if isinstance(value, Instance):
            self._adopt(value.cls.program)
            return {"object": [value.cls.full_name, self.pack(value.fields)]}
        function = _source.plain_function(value)
        if isinstance(function, type(lambda: None)) and not isinstance(value, type):
            return {"function": self.sources.function(function)}
        if self._takes_objects and type(type(value)) is type and hasattr(value, "__dict__"):
            form = self.sources.cls(type(value))
            return {"object": [form.name, self.pack(dict(vars(value)), depth + 1)]}
        raise Refused(f"is a {type(value).__name__}, which can't be written as data")

    def data(self):
        """The file's content."""
        classes = {}
        for form in self.sources.classes.values():
            classes[form.name] = {
                "kind": form.kind, "methods": {n: ast.unparse(t) for n, t in form.methods.items()},
                "properties": {n: ast.unparse(t) for n, t in form.properties.items()}, "kinds": form.kinds,
                "constants": form.constants, **_class_data(form.cls, self)}
        functions = {n: ast.unparse(t) for n, t in self.sources.functions.items()}
        more = {} if self.loaded is None else self._loaded_data(classes, functions)
        return {"format": FORMAT, "version": 1, "modules": self.records, "tensors": self.tensors, "classes": classes,
                "functions": functions, "values": self.values, **more}

    def _loaded_data(self, classes, functions):
        """Add what the adopted program has; PyTorch's programs speak another dialect, in which all must be."""
        aten = not isinstance(self.loaded.dialect, Python)
        if aten and (classes or functions):
            raise refusal(Refused("a module from a file of PyTorch's stands beside modules of this program"))
        functions.update({name: f.code for name, f in self.loaded.functions.items()})
        for name, cls in self.loaded.classes.items():
            classes[name] = {
                "kind": {TupleClass: "tuple", EnumClass: "enum"}.get(type(cls), "object"),
                "methods": {n: f.code for n, f in cls.methods.items()},
                "properties": {n: f.code for n, f in cls.properties.items()}, "kinds": cls.kinds,
                "constants": {n: self.pack(v) for n, v in cls.constants.items() if not isinstance(cls, EnumClass)},
                **_class_data(getattr(cls, "kind", None), self)}
        if not aten:
            return {}
        return {"dialect": "aten", "constants": [self.pack(value) for value in self.loaded.dialect.constants]}

    def checked(self):
        """Let the language check everything, so that what can't be loaded is refused here, with the user's line."""
        program = _language.Program(Python())
        for form in self.sources.classes.values():
            program.classes[form.name] = FileClass(form.name, constants=_members(form))
        trees = [(n, t) for n, t in self.sources.functions.items()]
        for form in self.sources.classes.values():
            trees += [(n, t) for n, t in (*form.methods.items(), *form.properties.items())]
        program.functions = dict.fromkeys(self.sources.functions, True)
        program.values = dict.fromkeys(self.values, True)
        if self.loaded is not None:
            program.functions.update(self.loaded.functions)
            program.classes.update(self.loaded.classes)
        for name, tree in trees:
            try:
                _language.Function(name, tree, program).build()
            except Refused as error:
                error.function = self.sources.origins.get(id(tree))
                raise refusal(error) from None
        return self


def _members(form):
    return dict(form.cls.__members__) if form.kind == "enum" else {}


def _class_data(cls, writer):
    if isinstance(cls, type) and issubclass(cls, tuple):
        return {"fields": list(cls._fields), "defaults": {n: writer.pack(v) for n, v in cls._field_defaults.items()}}
    if isinstance(cls, type) and issubclass(cls, enum.Enum):
        return {"members": {n: writer.pack(m.value) for n, m in cls.__members__.items()}}
    return {}


def _check_module(module, cls):
    if any([getattr(module, name, None) for name in hooks.DICTS if "forward" in name or "backward" in name]):
        raise refusal(Refused(f"the {cls.__name__} has hooks, which are Python, and no file holds them"))
    if "forward" in vars(module):
        raise refusal(Refused(f"forward of a {cls.__name__} was replaced by an attribute"))
    if "parametrizations" in module._modules:
        raise refusal(Refused(f"the {cls.__name__} has parametrizations (remove them first: "
                              f"torch.nn.utils.parametrize.remove_parametrizations)"))


def _trace_data(module, writer):
    from weft.jit._archive import graph_data  # which itself is made of what stands here
    methods = {name: writer.module(getattr(module, name)._module) for name in module._others}
    return {"traced": graph_data(module, writer), "methods": methods}


def save_module(module, f, extra):
    """Write a scripted module."""
    writer = Writer()
    try:
        writer.module(module)
    except Refused as error:
        raise refusal(error) from None
    _write(writer, f, extra)


def save_function(script, f, extra):
    """Write a scripted function."""
    writer = Writer()
    name = writer.function(script._torchscript_function)
    _write(writer, f, extra, {"function": name})


def _write(writer, f, extra, more=None):
    data = {**writer.finish().checked().data(), **(more or {})}
    data["extra"] = {name: text.encode() if isinstance(text, str) else bytes(text)
                     for name, text in (extra or {}).items()}
    weft.save(data, f)


# what a script says of its program

def _written(module):
    writer = Writer()
    try:
        writer.module(module)
        return writer.finish().checked()
    except Refused as error:
        raise refusal(error, "the program of this script") from None


def tree_of_method(module, name):
    """The tree of a method, in the language."""
    if isinstance(module, Loaded) and module._script_class is not None and name in module._script_class.methods:
        return module._script_class.methods[name].tree
    cls = original_class(module)
    layer = _source.layer_base(cls)
    form = None if layer is cls else _written(module).sources.classes[cls]
    if form is not None and name in form.methods:
        return form.methods[name]
    if layer is None:
        raise AttributeError(f"{cls.__name__} has no method {name!r}")
    return _layers_tree(layer, name)


def _layers_tree(layer, name):
    """What a method of one of weft's own layers looks like: a call of it."""
    if layer is weft.nn.Sequential:
        text = f"def {name}(self, input):\n    for module in self:\n        input = module(input)\n    return input"
        return ast.parse(text).body[0]
    given = [p for n, p in inspect.signature(getattr(layer, name)).parameters.items() if n != "self"]
    shown = [f"*{p.name}" if p.kind is p.VAR_POSITIONAL else f"**{p.name}" if p.kind is p.VAR_KEYWORD else p.name
             for p in given]
    taken = ", ".join(["self", *shown])
    return ast.parse(f"def {name}({taken}):\n    return torch.nn.{layer.__name__}.{name}({taken})").body[0]


def tree_of_function(script):
    """The tree of a scripted function."""
    writer = Writer()
    name = writer.function(script._torchscript_function)
    return writer.finish().checked().sources.functions[name]


def code_of_method(module, name):
    return ast.unparse(tree_of_method(module, name)) + "\n"


def code_of_function(script):
    return ast.unparse(tree_of_function(script)) + "\n"


def graph_of_method(module, name):
    from weft.jit._graph import ScriptGraph  # only who asks needs it
    return ScriptGraph(tree_of_method(module, name))


def graph_of_function(script):
    from weft.jit._graph import ScriptGraph  # only who asks needs it
    return ScriptGraph(tree_of_function(script))


# from data to modules

def damaged(what):
    return RuntimeError(message(f"jit.load: the file is damaged or was made to deceive: {what}",
                                "write it anew with jit.save; don't trust this one"))


class Loaded(RecursiveScriptModule):
    """A module of a user's class, from a file: its methods are run by the language."""

    _script_class, _attributes = None, {}

    def _script_get(self, name):
        own = self.__dict__
        for place in ("_parameters", "_buffers", "_modules", "_attributes"):
            if name in own[place]:
                return own[place][name]
        cls = own["_script_class"]
        if name in cls.properties:
            return cls.properties[name].run([self], {})
        if name == "training":
            return self.training
        if name in cls.methods:
            return Bound(cls.first(name, self), cls.methods[name])
        raise AttributeError(f"'{self.original_name}' object has no attribute '{name}'")

    def _script_set(self, name, value):
        own = self.__dict__
        if name == "training":
            own["training"] = bool(value)
        elif name in own["_parameters"] or name in own["_buffers"]:
            setattr(self, name, value)
        elif name in own["_modules"]:
            raise AttributeError(f"a saved program can't replace its module '{name}'")
        else:
            own["_attributes"][name] = value

    def _script_method(self, name):
        return self.__dict__["_script_class"].methods.get(name)

    def forward(self, *args, **kwargs):
        methods = self._script_class.methods
        found = methods.get("forward") or methods.get("forward__0")        # PyTorch's name where forward has overloads
        if found is None:
            return super().forward(*args, **kwargs)
        return _method(self, "forward", found)(*args, **kwargs)

    def __getattr__(self, name):
        own = self.__dict__
        if name in own.get("_attributes", ()):
            return own["_attributes"][name]
        cls = own.get("_script_class")
        if cls is not None and name in cls.methods:
            return _method(self, name, cls.methods[name])
        if cls is not None and name in cls.properties:
            return cls.properties[name].run([self], {})
        return super().__getattr__(name)

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_attributes", ()):
            self._attributes[name] = value
        else:
            super().__setattr__(name, value)

    def __deepcopy__(self, memo):
        memo[id(self._script_class)] = self._script_class       # a program isn't copied
        return super().__deepcopy__(memo)


def _method(module, name, function):
    def call(own, *args, **kwargs):
        return function.run([*own._script_class.first(name, own), *args], kwargs)
    call.__doc__ = function.code
    return ScriptMethod(module, name, call)


class FileFunction(ScriptFunction):
    """A function from a file."""

    def __init__(self, function):
        def call(*args, **kwargs):
            return function.run(args, kwargs)
        call.__name__, call._file_function = function.name.rpartition(".")[2], function
        super().__init__(call)
        self._function = function

    @property
    def code(self):
        """Its program."""
        return self._function.code

    @property
    def graph(self):
        """Its program as a graph, to be printed."""
        from weft.jit._graph import ScriptGraph  # only who asks needs it
        return ScriptGraph(self._function.tree)


def _dialect_of(data, constants):
    if data.get("dialect") is None:
        return Python()
    if data["dialect"] != "aten":
        raise damaged(f"its dialect is {str(data['dialect'])[:40]!r}")
    from weft.jit._aten_dialect import Aten  # only for what came from PyTorch
    return Aten(constants)


class Reader:
    """Makes modules of a file's data; everything is checked before anything runs."""

    def __init__(self, data):
        self.data, self.constants = data, []
        self.program = _language.Program(_dialect_of(data, self.constants))
        self.tensors = [_tensor(*row) for row in _rows(data["tensors"], 3)]
        self.modules, self.raw = [], False

    def read(self):
        try:
            self._program()
            self.constants += [self.unpack(v) for v in _list(self.data.get("constants", []))]
            self.modules = [self._new(record) for record in _list(self.data["modules"])]
            for name, place in _dict(self.data.get("values", {})).items():
                self.program.values[_full_name(name)] = self.modules[place]
            for module, record in zip(self.modules, self.data["modules"]):
                self._fill(module, record)
            self.program.build()
            _check_tree(self.modules)
            for module in self.modules:
                if hasattr(module, "_graph"):
                    _check_paths(module)
        except Refused as error:
            raise damaged(error.what) from None
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise damaged(f"{type(error).__name__}: {str(error)[:200]}") from error
        if "function" in self.data:
            found = self.program.functions.get(str(self.data["function"]))
            if found is None:
                raise damaged("the function that it is of isn't there")
            return FileFunction(found)
        if not self.modules:
            raise damaged("it has no module")
        return self.modules[0]

    # functions and classes

    def _program(self):
        for name, text in _dict(self.data["functions"]).items():
            self.program.define(_definition(text), _full_name(name))
        for name, given in _dict(self.data["classes"]).items():
            self.program.add_class(_full_name(name), self._class(name, _dict(given)))

    def _class(self, name, given):
        short = name.rpartition(".")[2]
        made = [{n: _language.Function(f"{short}.{n}", _definition(t), self.program)
                 for n, t in _dict(given[place]).items()} for place in ("methods", "properties")]
        if given["kind"] == "enum":
            members = {_identifier(n): self.unpack(v) for n, v in _dict(given["members"]).items()}
            return EnumClass(short, FileEnum(_identifier(short), members))
        if given["kind"] == "tuple":
            fields = [_identifier(f) for f in _list(given["fields"])]
            defaults = _dict(given["defaults"])
            if list(defaults) != fields[len(fields) - len(defaults):]:
                raise Refused("the defaults of a tuple's fields aren't its last ones")
            kind = collections.namedtuple(_identifier(short), fields,
                                          defaults=[self.unpack(v) for v in defaults.values()])
            return TupleClass(short, kind)
        if given["kind"] not in ("module", "object"):
            raise Refused(f"a class is a {str(given['kind'])[:40]!r}")
        constants = {_attribute_name(n, ""): self.unpack(v) for n, v in _dict(given.get("constants", {})).items()}
        return FileClass(short, *made, constants, _dict(given.get("kinds", {})))

    # modules

    def _new(self, record):
        layer = None
        if record["layer"] is not None:
            layer = _allowed.layer(record["layer"])
            if layer is None:
                raise Refused(f"{str(record['layer'])[:80]!r} is no layer of weft's")
        if "traced" in record:
            from weft.jit._trace import TracedModule  # only for files that hold one
            return TracedModule.__new__(TracedModule)
        if "frozen" in record:
            from weft.jit._freeze import FrozenModule  # only for files that hold one
            return FrozenModule.__new__(FrozenModule)
        if record["class"] is None:
            if layer is None:
                raise Refused("a module has no class")
            cls = scripted_class(layer)
            return cls.__new__(cls)
        if not isinstance(self.program.classes.get(record["class"]), FileClass):
            raise Refused(f"there is no class {str(record['class'])[:80]!r}")
        cls = Loaded if layer is None else _loaded_class(layer)
        return cls.__new__(cls)

    def _fill(self, module, record):
        Module.__setstate__(module, {**vars(Module()), "training": record["training"] is True,
                                     "_original_name": str(record["name"])[:200]})
        own = vars(module)
        if "frozen" in record:
            if record["frozen"] == self.modules.index(module):
                raise Refused("a frozen module holds itself")
            own["_frozen"] = self.modules[record["frozen"]]
            own["_preserved"] = tuple([_attribute_name(str(n), "") for n in _list(record["preserved"])])
            return
        for name, place in _dict(record["parameters"]).items():
            value = None if place is None else self.tensors[place]
            if value is not None and not isinstance(value, Parameter):
                raise Refused(f"the parameter {name[:80]!r} is none")
            own["_parameters"][_attribute_name(name, "_parameters")] = value
        for name, place in _dict(record["buffers"]).items():
            own["_buffers"][_attribute_name(name, "_buffers")] = None if place is None else self.tensors[place]
            if place is not None and self.data["tensors"][place][1] == "constant":
                own["_non_persistent_buffers_set"].add(name)
        for name, place in _dict(record["modules"]).items():
            own["_modules"][_attribute_name(name, "_modules")] = None if place is None else self.modules[place]
        if "traced" in record:
            from weft.jit._archive import read_graph  # which itself is made of what stands here
            read_graph(module, record["traced"], self)
            self._traced_methods(module, _dict(record.get("methods", {})))
            return
        self.raw = record["class"] is None
        attributes = {name: self.unpack(v) for name, v in _dict(record["attributes"]).items()}
        if record["class"] is None:
            _set_layer_attributes(module, attributes)
        else:
            own["_script_class"], own["_attributes"] = self.program.classes[record["class"]], attributes

    def _traced_methods(self, module, methods):
        """Other methods of a traced module, each with a graph of its own."""
        from weft.jit._trace import TracedFunction, TracedModule  # only for files that hold one
        for name, place in methods.items():
            if hasattr(TracedModule, _identifier(name)) or type(self.modules[place]) is not TracedModule:
                raise Refused(f"{name[:80]!r} is no method of a trace")
            vars(module)[name] = made = TracedFunction(self.modules[place], None)
            made.__name__ = made.name = name
        module._others = sorted(methods)

    def unpack(self, value, depth=0):
        """A value from data."""
        if type(value) in _allowed.PLAIN:
            return value
        if depth > MOST_NESTED or type(value) is not dict or len(value) != 1:
            raise Refused("an attribute is neither a value nor one of its kinds")
        (kind, inside), = value.items()
        if kind in ("list", "tuple", "set"):
            return {"list": list, "tuple": tuple, "set": set}[kind]([self.unpack(v, depth + 1) for v in _list(inside)])
        if kind == "dict":
            return {self.unpack(k, depth + 1): self.unpack(v, depth + 1) for k, v in _rows(inside, 2)}
        if kind == "tensor":
            return self.tensors[inside]
        if kind == "module":
            return self.modules[inside]
        if kind == "device":
            return weft.device(str(inside))
        if kind in _NAMED:
            found = getattr(weft, str(inside), None)
            if not isinstance(found, _NAMED[kind]):
                raise Refused(f"{kind} {str(inside)[:80]!r}")
            return found
        if kind == "function":
            return self._function(str(inside))
        if kind == "enum":
            return self.program.classes[inside[0]].kind[inside[1]]
        if kind == "object":
            made = Instance(self.program.classes[inside[0]])
            made.fields.update(self.unpack(inside[1], depth + 1))
            return made
        if kind == "record":
            return self.program.classes[inside[0]].kind(*[self.unpack(v, depth + 1) for v in _list(inside[1])])
        raise Refused(f"an attribute is a {str(kind)[:40]!r}")

    def _function(self, name):
        found = self.program.functions.get(name)
        native = None if found is not None else Python().function(name)
        if found is None and native is None:
            raise Refused(f"{name[:80]!r} is no function that a saved program may call")
        value = found if found is not None else Native(name, native)
        if not self.raw:
            return value
        return native if native is not None else lambda *args, **kwargs: run(value, args, kwargs)


_LOADED = {}        # layer -> the class of modules from files that come from it


def _loaded_class(layer):
    found = _LOADED.get(layer)
    if found is None:
        found = _LOADED[layer] = type("RecursiveScriptModule", (Loaded, layer), {})
    return found


def _set_layer_attributes(module, attributes):
    own = vars(module)
    for name, value in attributes.items():
        if type(name) is not str or name.startswith("__") or name in INTERNAL or callable(
                getattr(type(module), name, None)) or isinstance(getattr(type(module), name, None), property):
            raise Refused(f"a layer has no attribute {str(name)[:80]!r}")
        own[name] = value


def _check_tree(modules):
    """No module may hold itself: whatever walks over modules would never end, or go too deep."""
    depths = {}                     # id of a module -> how many stand inside each other from it on
    for first in modules:
        path, open_now = [(first, _children(first))], {id(first)}
        while path:
            module, rest = path[-1]
            child = next(rest, None)
            if child is None:
                path.pop()
                open_now.discard(id(module))
                depths[id(module)] = 1 + max([depths[id(m)] for m in _children(module)], default=0)
                if depths[id(module)] > MOST_NESTED:
                    raise damaged(f"more than {MOST_NESTED} modules stand inside each other")
            elif id(child) in open_now:
                raise damaged("a module holds itself")
            elif id(child) not in depths:
                open_now.add(id(child))
                path.append((child, _children(child)))


def _children(module):
    return iter([m for m in (*module._modules.values(), vars(module).get("_frozen")) if m is not None])


def _check_paths(module):
    from weft.jit._archive import check_paths  # which itself is made of what stands here
    check_paths(module)


# checks of data

def _tensor(value, kind, needs):
    if not isinstance(value, Tensor) or type(needs) is not bool:
        raise damaged("a tensor is none")
    return Parameter(value, needs) if kind == "parameter" else value


def _list(value):
    if type(value) is not list:
        raise Refused(f"there is a {type(value).__name__} where a list should be")
    return value


def _dict(value):
    if type(value) is not dict or any([type(k) is not str for k in value]):
        raise Refused(f"there is a {type(value).__name__} where a dict of names should be")
    return value


def _rows(value, length):
    rows = value if type(value) is list else None
    if rows is None or any([type(r) is not list or len(r) != length for r in rows]):
        raise damaged("a list of rows is none")
    return rows


def _identifier(name):
    if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise Refused(f"{str(name)[:80]!r} is no name")
    return name


def _attribute_name(name, place):
    if name.startswith("__") or "." in name or not name:
        raise Refused(f"{name[:80]!r} is no name of something in a module")
    return name


def _full_name(name):
    start, _, last = name.partition(".")
    if start != _source.ROOT or not all([part.isidentifier() for part in last.split(".")]):
        raise Refused(f"{name[:80]!r} is no name of a function or class")
    return name


def _definition(text):
    if type(text) is not str:
        raise Refused("a program's text is none")
    body = _language.parse(text).body
    if len(body) != 1 or type(body[0]) is not ast.FunctionDef or body[0].decorator_list:
        raise Refused("the text of a function is something else")
    return body[0]


def load_data(data):
    """What a file of a script holds: a module, or a function."""
    if data.get("version") != 1:
        fail(RuntimeError, f"jit.load: the file is of version {str(data.get('version'))[:20]}, this weft reads "
             f"version 1", "take a newer weft")
    return Reader(data).read()
