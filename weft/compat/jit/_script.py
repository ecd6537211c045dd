"""`script` and what belongs to it.

A scripted function or module runs the user's Python, captured (docs/capture.md), so branches and loops are what they
say. What PyTorch programs ask of a script is made of its source, when it is asked for: `.code`, `.graph` and `.save`,
whose file holds the program as data (_saved.py).
"""
import builtins
import copy
import functools
import inspect
import pickle
import threading
import types
import weakref
from collections import OrderedDict

from weft.jit import _marks, _state
from weft.jit.captured import Capture
from weft.nn.module import Module
from weft.nn.parameter import is_lazy

__all__ = ["script", "script_if_tracing", "script_method", "ignore", "unused", "export", "is_scripting", "is_tracing",
           "interface", "ScriptModule", "RecursiveScriptModule", "ScriptFunction", "ScriptMethod", "TracerWarning"]


class _State(threading.local):
    """Of this thread: how many scripted calls are open, and the recorders of the traces that are being made."""

    def __init__(self):
        self.scripted, self.tracing = 0, []


STATE = _State()


def is_scripting():
    """Whether this runs inside of a scripted function or module.

    >>> import weft
    >>> @weft.jit.script
    ... def inside(x):
    ...     return weft.jit.is_scripting()
    >>> weft.jit.is_scripting(), inside(1)
    (False, True)
    """
    return STATE.scripted > 0


def is_tracing():
    """Whether a trace is being made.

    >>> import weft
    >>> weft.jit.is_tracing()
    False
    """
    return bool(STATE.tracing) and not STATE.scripted


def scripted_call(function, args, kwargs):
    """A call of what is scripted, from wherever."""
    STATE.scripted += 1
    try:
        return function(*args, **kwargs)
    finally:
        STATE.scripted -= 1


def called(thing, run, args, kwargs):
    """A call of a script: inside of another one as it is; while a trace is made, one node of it; captured otherwise."""
    if STATE.scripted:
        return run(*args, **kwargs)
    if STATE.tracing:
        return STATE.tracing[-1].script(thing, run, args, kwargs)
    return thing.captured(run)(*args, **kwargs)


class ScriptFunction:
    """A scripted function.

    >>> import weft
    >>> @weft.jit.script
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2)), isinstance(double, weft.jit.ScriptFunction)
    (tensor([2., 2.]), True)
    """

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.__name__ = self.name = getattr(function, "__name__", type(function).__name__)
        self._torchscript_function, self._captured = function, None

    @property
    def qualified_name(self):
        """`__torch__.name`.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.qualified_name
        '__torch__.double'
        """
        return f"__torch__.{self.name}"

    def captured(self, run):
        """What runs a call from outside of scripts.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.captured(double)(weft.ones(1))
        tensor([2.])
        """
        if self._captured is None:
            self._captured = Capture(functools.partial(_entered, run), measure=True)
        return self._captured

    def __call__(self, *args, **kwargs):
        return called(self, self._torchscript_function, args, kwargs)

    @property
    def code(self):
        """Its program, as it would be saved.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> print(double.code)
        def double(x):
            return x * 2
        <BLANKLINE>
        """
        return _saved().code_of_function(self)

    @property
    def code_with_constants(self):
        """(code, constants); the code has its constants in it.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.code_with_constants[1].const_mapping
        {}
        """
        return self.code, Constants()

    @property
    def graph(self):
        """Its program as a graph, to be printed.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.graph.findNode('aten::mul').inputs()[0]
        'x'
        """
        return _saved().graph_of_function(self)

    inlined_graph = graph

    def graph_for(self, *args, **kwargs):
        """The same as `graph`: nothing depends on the inputs.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.graph_for(weft.ones(1)).inputs()
        ['x']
        """
        return self.graph

    def save(self, f, _extra_files=None):
        """Write it to a file that `jit.load` reads: data only, no code.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> import io
        >>> file = io.BytesIO()
        >>> double.save(file)
        >>> _ = file.seek(0)
        >>> weft.jit.load(file)(weft.ones(1))
        tensor([2.])
        """
        _saved().save_function(self, f, _extra_files)

    def save_to_buffer(self, _extra_files=None):
        """The bytes of such a file.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.save_to_buffer()[:2]
        b'PK'
        """
        return _bytes_of(self, _extra_files)

    def get_debug_state(self):
        """None: what PyTorch's executor knows of its plans.

        >>> import weft
        >>> @weft.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double.get_debug_state()
        """
        return None

    def __repr__(self):
        return f"<torch.jit.ScriptFunction object {self.name}>"

    def __reduce__(self):
        raise pickle.PickleError("ScriptFunction cannot be pickled")

    def __deepcopy__(self, memo):
        return self


def _entered(run, *args, **kwargs):
    return scripted_call(run, args, kwargs)


def _saved():
    from weft.jit import _saved  # which itself is made of what stands here
    return _saved


def _bytes_of(script, extra):
    import io
    file = io.BytesIO()
    script.save(file, extra)
    return file.getvalue()


class Constants:
    """What `code_with_constants` gives beside the code: none, since the code has its constants in it."""

    const_mapping = {}

    def __getattr__(self, name):
        raise AttributeError(f"the code has no constant {name}")


class ScriptMethod:
    """A method of a scripted module.

    >>> import weft
    >>> weft.jit.script(weft.nn.ReLU()).forward(weft.tensor([-1.]))
    tensor([0.])
    """

    def __init__(self, module, name, function):
        self.owner, self.name, self._torchscript_function = module, name, function
        self.__name__, self.__doc__ = name, getattr(function, "__doc__", None)
        self.__self__ = module

    def __call__(self, *args, **kwargs):
        return called(self, functools.partial(self._torchscript_function, self.owner), args, kwargs)

    def captured(self, run):
        """What runs a call from outside of scripts: one Capture for each method of a module.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.forward.captured(None)(weft.ones(1))
        tensor([2.])
        """
        kept = self.owner.__dict__.setdefault("_captures", {})
        found = kept.get(self.name)
        if found is None:
            owner, function = weakref.ref(self.owner), self._torchscript_function

            def method(*args, **kwargs):
                return scripted_call(function, (owner(), *args), kwargs)
            method.__name__ = self.name
            found = kept[self.name] = Capture(method, measure=True)
        return found

    def __getattr__(self, name):
        if name != "__signature__":         # for inspect, of the method without self
            raise AttributeError(f"'ScriptMethod' object has no attribute '{name}'")
        parameters = list(inspect.signature(self._torchscript_function).parameters.values())
        return inspect.Signature(parameters[1:])

    @property
    def code(self):
        """Its program, as it would be saved.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> print(twice.forward.code)
        def forward(self, x):
            return x * 2
        <BLANKLINE>
        """
        return _saved().code_of_method(self.owner, self.name)

    @property
    def graph(self):
        """Its program as a graph, to be printed.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.forward.graph.inputs()
        ['self', 'x']
        """
        return _saved().graph_of_method(self.owner, self.name)

    inlined_graph = graph

    def __repr__(self):
        return f"<torch.ScriptMethod object {self.name}>"


class _Method:
    """Stands in a scripted class for one of its methods."""

    def __init__(self, name, function):
        self.name, self._torchscript_function = name, function

    def __get__(self, module, cls):
        function = self._torchscript_function
        return function if module is None else ScriptMethod(module, self.name, function)


_REFUSED = ("ScriptModules cannot be deepcopied using copy.deepcopy or saved using torch.save. Mixed serialization of "
            "script and non-script modules is not supported. For purely script modules use "
            "my_script_module.save(<filename>) instead.")


class _Said:
    """What a script says of itself, like a property; what a module holds under the same name goes before it."""

    def __init__(self, function):
        self.function, self.name, self.__doc__ = function, function.__name__, function.__doc__

    def __get__(self, module, cls):
        if module is None:
            return self
        for place in ("_parameters", "_buffers", "_modules"):
            if self.name in module.__dict__.get(place, ()):
                return module.__dict__[place][self.name]
        return self.function(module)


class ScriptModule(Module):
    """A module whose program can be read and saved: what `script`, `trace` and `load` give, and what may be subclassed,
    with methods marked `@script_method`.

    >>> import weft
    >>> weft.jit.script(weft.nn.Linear(1, 1)).original_name
    'Linear'
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    @_Said
    def original_name(self):
        """The name of the class that was scripted.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.original_name
        'Twice'
        """
        return self.__dict__.get("_original_name") or type(self).__name__

    @_Said
    def code(self):
        """The program of forward, as it would be saved.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> print(twice.code)
        def forward(self, x):
            return x * 2
        <BLANKLINE>
        """
        return _saved().code_of_method(self, "forward")

    @_Said
    def code_with_constants(self):
        """(code, constants); the code has its constants in it.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.code_with_constants[1].const_mapping
        {}
        """
        return self.code, Constants()

    @_Said
    def graph(self):
        """The program of forward as a graph, to be printed.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.graph.inputs()
        ['self', 'x']
        """
        return _saved().graph_of_method(self, "forward")

    @_Said
    def inlined_graph(self):
        """The same as `graph`.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.inlined_graph.inputs()
        ['self', 'x']
        """
        return self.graph

    def graph_for(self, *args, **kwargs):
        """The same as `graph`: nothing depends on the inputs.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.graph_for(weft.ones(1)).inputs()
        ['self', 'x']
        """
        return self.graph

    def save(self, f, _extra_files=None):
        """Write it to a file that `jit.load` reads: data only, no code.

        >>> import weft, io
        >>> file = io.BytesIO()
        >>> weft.jit.script(weft.nn.ReLU()).save(file)
        >>> _ = file.seek(0)
        >>> weft.jit.load(file)(weft.tensor([-1.]))
        tensor([0.])
        """
        from weft.jit._archive import save  # which itself knows ScriptModule
        save(self, f, _extra_files)

    def save_to_buffer(self, _extra_files=None):
        """The bytes of such a file.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.save_to_buffer()[:2]
        b'PK'
        """
        return _bytes_of(self, _extra_files)

    def define(self, src):
        """Add methods that are given as text; the first parameter is the module.

        >>> import weft
        >>> module = weft.jit.ScriptModule()
        >>> module.define("def forward(self, x):\\n    return x * 2")
        >>> module(weft.ones(1))
        tensor([2.])
        """
        from weft.jit._unit import functions_of  # which itself is made of what stands here
        made = functions_of(src)
        self.__dict__.setdefault("_defined", {}).update(made)
        for name, function in made.items():
            def call(own, *args, _function=function, **kwargs):
                return _function.run([own, *args], kwargs)
            object.__setattr__(self, name, ScriptMethod(self, name, call))

    def _script_method(self, name):
        return self.__dict__.get("_defined", {}).get(name)

    def get_debug_state(self):
        """None: what PyTorch's executor knows of its plans.

        >>> import weft
        >>> class Twice(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> twice = weft.jit.script(Twice())
        >>> twice.get_debug_state()
        """
        return None

    def _held(self):
        return {key: value for key, value in Module.__getstate__(self).items() if key != "_captures"}

    def __getstate__(self):
        raise pickle.PickleError(_REFUSED)

    def __deepcopy__(self, memo):
        made = memo[id(self)] = type(self).__new__(type(self))
        Module.__setstate__(made, copy.deepcopy(self._held(), memo))
        return made

    def __copy__(self):
        made = type(self).__new__(type(self))
        held = self._held()
        for name in ("_parameters", "_buffers", "_modules"):
            held[name] = dict(held[name])
        Module.__setstate__(made, held)
        return made

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name, value in list(vars(cls).items()):
            function = _marks.plain_function(value)
            if getattr(function, _marks.MARK, "") == "script_method":
                setattr(cls, name, _Method(name, function))


class RecursiveScriptModule(ScriptModule):
    """A module as `script` and `load` give it: parameters and buffers are those of the original.

    >>> import weft
    >>> isinstance(weft.jit.script(weft.nn.ReLU()), weft.jit.RecursiveScriptModule)
    True
    """

    def _get_name(self):
        return "RecursiveScriptModule"

    def extra_repr(self):
        """What stands between the brackets.

        >>> import weft
        >>> weft.jit.script(weft.nn.ReLU()).extra_repr()
        'original_name=ReLU'
        """
        return f"original_name={self.original_name}"


_CLASSES = weakref.WeakKeyDictionary()          # class of a module -> the class of its scripts


def scripted_class(cls):
    """The class of a module's script: the module's own methods, and what a script has."""
    found = _CLASSES.get(cls)
    if found is None:
        methods = {}
        for name in dir(cls):
            value = inspect.getattr_static(cls, name, None)
            function = _marks.plain_function(value)
            if name == "forward" or _marks.is_exported(function):
                methods[name] = _Method(name, function)
        found = type("RecursiveScriptModule", (RecursiveScriptModule, cls), {
            **methods, "__module__": RecursiveScriptModule.__module__, "_original": weakref.ref(cls)})
        _CLASSES[cls] = found
    return found


def scripted_module(module, made=None):
    """A module's script, with all that it holds; a script in it stays what it is."""
    made = {} if made is None else made
    if builtins.isinstance(module, ScriptModule):
        return module
    if id(module) in made:
        return made[id(module)]
    cls = scripted_class(type(module))
    new = made[id(module)] = cls.__new__(cls)
    state = {key: _own(value, module, new) for key, value in Module.__getstate__(module).items()}
    state["_modules"] = {name: None if child is None else scripted_module(child, made)
                         for name, child in module._modules.items()}
    state["_original_name"] = type(module).__name__
    Module.__setstate__(new, state)
    return new


def _own(value, old, new):
    """An attribute of a script: containers are its own, and so are methods."""
    if type(value) in (list, dict, set, OrderedDict):
        return value.copy()
    if builtins.isinstance(value, types.MethodType) and value.__self__ is old:
        return types.MethodType(value.__func__, new)
    return value


def original_class(module):
    """The user's class of a scripted module."""
    found = getattr(type(module), "_original", None)
    return type(module) if found is None else found()


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """A function as a ScriptFunction, a module as a ScriptModule with the same parameters; a class stays itself.

    Python runs it, so whatever it does is right; `.save()` writes the program as data and says if it can't.

    >>> import weft
    >>> @weft.jit.script
    ... def clipped(x: weft.Tensor) -> weft.Tensor:
    ...     if x.sum() > 1:
    ...         return x / x.sum()
    ...     return x
    >>> clipped(weft.tensor([2., 2.])), clipped(weft.tensor([0.25, 0.5]))
    (tensor([0.5000, 0.5000]), tensor([0.2500, 0.5000]))
    """
    if builtins.isinstance(obj, (ScriptModule, ScriptFunction, ScriptMethod)) or not _state._enabled:
        return obj
    if not (builtins.isinstance(obj, Module) or callable(obj)):
        if type(obj).__module__ != "builtins" or type(obj) in (dict, list):     # an object of a scripted class
            return obj
        raise TypeError(f"script() takes a function, a class or a module, not a {type(obj).__name__}")
    if inspect.isclass(obj):
        if issubclass(obj, Module):
            raise RuntimeError(f"Type '{obj.__name__}' cannot be compiled since it inherits from nn.Module, consider "
                               f"passing an instance instead")
        return obj
    if not builtins.isinstance(obj, Module):
        return ScriptFunction(obj)
    if any(is_lazy(t) for t in (*obj.parameters(), *obj.buffers())):
        raise RuntimeError(f"{obj._get_name()} has parameters or buffers whose size is not known yet, so it can't be "
                           f"compiled\n  fix: run a forward pass with an example first")
    return scripted_module(obj)


# decorators

def script_if_tracing(fn):
    """Decorator: a function that a trace keeps with its branches; Python otherwise.

    >>> import weft
    >>> @weft.jit.script_if_tracing
    ... def largest(x):
    ...     return x if x.sum() > 0 else -x
    >>> weft.jit.trace(lambda x: largest(x) * 2, weft.ones(1))(weft.tensor([-3.]))
    tensor([6.])
    """
    kept = ScriptFunction(fn)

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return kept(*args, **kwargs) if is_tracing() else fn(*args, **kwargs)
    wrapper.__original_fn = fn
    wrapper.__script_if_tracing_wrapper = True
    wrapper._torchscript_function = fn
    return wrapper


def script_method(fn):
    """Decorator: a method of a ScriptModule's subclass that is part of its program.

    >>> import weft
    >>> class Twice(weft.jit.ScriptModule):
    ...     @weft.jit.script_method
    ...     def forward(self, x):
    ...         return x * 2
    >>> Twice()(weft.ones(2))
    tensor([2., 2.])
    """
    return _marks.mark(fn, "script_method")


def export(fn):
    """Decorator: a method that is part of a scripted module besides forward.

    >>> import weft
    >>> @weft.jit.export
    ... def double(self, x):
    ...     return x * 2
    """
    return _marks.mark(fn, "export")


def interface(obj):
    """Decorator of a class that only says which methods modules have: the class itself.

    >>> import weft
    >>> @weft.jit.interface
    ... class OneInput:
    ...     def forward(self, x): ...
    >>> OneInput.__name__
    'OneInput'
    """
    if not inspect.isclass(obj):
        raise RuntimeError("interface must be applied to a class")
    obj.__torch_script_interface__ = True
    return obj


def ignore(drop=False, **kwargs):
    """Decorator, with or without arguments: a function that stays Python; what calls it can't be saved, unless `drop`.

    >>> import weft
    >>> @weft.jit.ignore
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    if callable(drop):
        return _marks.mark(drop, "ignore")
    dropped = drop or kwargs.get("drop_on_export", False)
    return functools.partial(_marks.mark, how="unused" if dropped else "ignore")


def unused(fn):
    """Decorator: a function that a saved module is left without; calling it there is an error.

    >>> import weft
    >>> @weft.jit.unused
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    if builtins.isinstance(fn, property):
        return property(_marks.mark(fn.fget, "unused"), _marks.mark(fn.fset, "unused") if fn.fset else None)
    return _marks.mark(fn, "unused")


def _overload(fn):
    """Decorator of signatures that say which types a function takes: the function itself."""
    return fn


_script_if_tracing, _overload_method = script_if_tracing, _overload


class TracerWarning(Warning):
    """A trace that doesn't do what its program does.

    >>> import weft
    >>> issubclass(weft.jit.TracerWarning, Warning)
    True
    """

    @staticmethod
    def ignore_lib_warnings():
        """Don't show those that weft's own code would cause: it causes none.

        >>> import weft
        >>> weft.jit.TracerWarning.ignore_lib_warnings()
        """
