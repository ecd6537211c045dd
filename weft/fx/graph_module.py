"""A module made of a graph: its forward is code that the graph writes."""
import copy
import itertools
import linecache
import os
import pickle
import sys
import traceback
import types

import weft
from weft.core.errors import message
from weft.fx.codegen import CodeGen, _PyTreeCodeGen, always_there
from weft.fx.graph import Graph
from weft.fx.paths import found_at, is_at, put_at
from weft.nn import Module

__all__ = ["GraphModule", "reduce_graph_module"]

_numbers = itertools.count()
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"    # an entry of meta: attributes that a copy keeps, too


class _Sources:
    """Generated sources by file name, so that tracebacks and inspect show their lines."""
    kept = {}

    @classmethod
    def add(cls, src, origin=None):
        key = f"<eval_with_key>.{next(_numbers)}"
        if origin is not None:
            key += f" from {origin['co_filename']}:{origin['co_firstlineno']} in {origin['co_name']}"
        linecache.cache[key] = len(src), None, src.splitlines(keepends=True), key
        cls.kept[key] = src
        return key


def _function(src, names, origin=None):
    """The function `forward` of a source; `origin` is the code of the program that was traced."""
    names = dict(names)
    exec(compile(src, _Sources.add(src, origin), "exec"), names)
    return names["forward"]


def _take_rest(made, body):
    """The attributes (of a __dict__), modules, parameters and buffers that the graph doesn't name."""
    for key, value in body.items():
        if key not in made.__dict__ and key not in ("_graph", "_code"):
            made.__dict__[key] = value
    for group in ("_modules", "_parameters", "_buffers"):
        for name, value in body.get(group, {}).items():
            made.__dict__[group].setdefault(name, value)


class GraphModule(Module):
    """A module whose forward is what a graph says. `graph` may be changed; `recompile()` then makes the code anew, and
    `code` shows it.

    >>> import weft
    >>> traced = weft.fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU()))
    >>> print(traced.code.strip())
    def forward(self, input):
        input_1 = input
        _0 = getattr(self, "0")(input_1);  input_1 = None
        return _0
    """

    def __new__(cls, *args, **kwargs):
        # each has a class of its own, since Python looks for forward there
        for base in cls.__mro__:
            if base.__qualname__ != "GraphModuleImpl":
                return super().__new__(type("GraphModuleImpl", (base,), {"__module__": base.__module__}))
        return super().__new__(cls)

    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and is_at(root, node.target):
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            self._take(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {type(root)} passed for root!")
        self._code = ""
        self._tracer_cls = graph._tracer_cls if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__ \
            else None
        self.meta = dict(getattr(root, "meta", {}) or {})
        self.graph = graph

    def _take(self, root, graph):
        wanted = []
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if node.target not in root:
                    raise RuntimeError(f"Node {node} referenced target {node.target} but that target was not provided "
                                       f"in ``root``!")
                wanted.append(node.target)
        for path in sorted(set(wanted), key=lambda p: p.count(".")):
            put_at(self, path, root[path])

    @property
    def graph(self):
        """The graph; assigning another one makes its code.

        >>> import weft
        >>> len(weft.fx.symbolic_trace(lambda x: x + 1).graph.nodes)
        3
        """
        return self._graph

    @graph.setter
    def graph(self, g):
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self):
        """The source of forward.

        >>> import weft
        >>> "x + 1" in weft.fx.symbolic_trace(lambda x: x + 1).code
        True
        """
        if not self._code:
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self):
        """Make forward anew, after the graph was changed.

        >>> import weft
        >>> traced = weft.fx.symbolic_trace(lambda x: x + 1)
        >>> list(traced.graph.nodes)[1].args = (list(traced.graph.nodes)[0], 5)
        >>> traced.recompile() is not None, traced(1)
        (True, 6)
        """
        made = self._graph.python_code(root_module="self")
        self._code = made.src
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            info = self._graph._codegen.pytree_info
            self._in_spec, self._out_spec = info.in_spec, info.out_spec
        cls = type(self)
        cls.forward = _function(made.src, made.globals, self._graph._co_fields)
        if "__call__" not in vars(cls):
            cls.__call__ = _calling(cls)
        return made

    # ---- its modules ----

    def add_submodule(self, target, m):
        """Put a module at a path, with plain modules on the way; says whether it could.

        >>> import weft
        >>> weft.fx.symbolic_trace(lambda x: x).add_submodule("a.b", weft.nn.ReLU())
        True
        """
        *way, name = target.split(".")
        module = self
        for part in way:
            if not hasattr(module, part):
                setattr(module, part, Module())
            module = getattr(module, part)
            if not isinstance(module, Module):
                return False
        module.add_module(name, m)
        return True

    def delete_submodule(self, target):
        """Remove the module at a path; says whether there was one.

        >>> import weft
        >>> weft.fx.symbolic_trace(lambda x: x).delete_submodule("a.b")
        False
        """
        *way, name = target.split(".")
        module = self
        for part in way:
            module = getattr(module, part, None)
            if not isinstance(module, Module):
                return False
        if not isinstance(getattr(module, name, None), Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self):
        """Remove the modules that the graph doesn't call.

        >>> import weft
        >>> traced = weft.fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU()))
        >>> traced.add_submodule("other", weft.nn.ReLU())
        True
        >>> traced.delete_all_unused_submodules(); [name for name, _ in traced.named_children()]
        ['0']
        """
        used = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[:i]) for i in range(1, len(parts) + 1))
                if node.op == "call_module" and isinstance(found := self.get_submodule(node.target), Module):
                    used.update(f"{node.target}.{name}" for name, _ in found.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # ---- copies and files ----

    def __reduce__(self):
        # the code is traced again when it is read, so it takes its inputs one by one
        codegen, self._graph._codegen = self._graph._codegen, CodeGen()
        try:
            made = self._graph.python_code(root_module="self")
        finally:
            self._graph._codegen = codegen
        body = {key: value for key, value in self.__dict__.items() if key != "_graph"}
        body["_code"] = made.src
        return reduce_graph_module, (body, _import_block(made.globals), type(self).__name__, codegen)

    def __deepcopy__(self, memo):
        holder = Module()
        memo[id(self)] = holder
        holder.__dict__ = copy.deepcopy({k: v for k, v in self.__dict__.items() if k not in ("_graph", "meta")}, memo)
        made = GraphModule(holder, copy.deepcopy(self._graph), type(self).__name__)
        memo[id(self)] = made
        _take_rest(made, holder.__dict__)
        made.meta = copy.deepcopy(self.meta, memo)
        made._graph._tracer_cls = self._graph._tracer_cls
        return made

    def __copy__(self):
        made = GraphModule(self, self.graph, type(self).__name__)
        made.meta = dict(self.meta)
        return made

    def to_folder(self, folder, module_name="FxModule"):
        """Write the code and the parameters into a folder that is a Python package.

        >>> import weft, tempfile, os
        >>> folder = tempfile.mkdtemp()
        >>> weft.fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU())).to_folder(folder)
        >>> sorted(os.listdir(folder))
        ['__init__.py', 'module.py', 'modules.pkl', 'state_dict.pt']
        """
        os.makedirs(folder, exist_ok=True)
        made = self.recompile()
        weft.save(self.state_dict(), os.path.join(folder, "state_dict.pt"))
        with open(os.path.join(folder, "modules.pkl"), "wb") as file:
            pickle.dump(dict(self.named_children()), file)
        body = "".join("    " + line for line in made.src.strip("\n").splitlines(keepends=True))
        own = {n: tuple(p.shape) for n, p in [*self._parameters.items(), *self._buffers.items()] if p is not None}
        lines = [_import_block(made.globals), "import os", "import pickle", "",
                 "HERE = os.path.dirname(os.path.abspath(__file__))", "", "",
                 f"class {module_name}(weft.nn.Module):", "    def __init__(self):",
                 "        super().__init__()", "        with open(os.path.join(HERE, 'modules.pkl'), 'rb') as file:",
                 "            for name, module in pickle.load(file).items():",
                 "                self.add_module(name, module)"]
        for name, shape in own.items():
            kind = "Parameter(" if name in self._parameters else "Buffer("
            lines.append(f"        self.{name} = weft.nn.{kind}weft.empty({shape}, dtype={getattr(self, name).dtype}))")
        lines += ["        self.load_state_dict(weft.load(os.path.join(HERE, 'state_dict.pt')))", "", body]
        with open(os.path.join(folder, "module.py"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        with open(os.path.join(folder, "__init__.py"), "w", encoding="utf-8") as file:
            file.write(f"from .module import {module_name}\n")

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False):
        """The code of this module and of the graph modules inside it, as one text.

        >>> import weft
        >>> print(weft.fx.symbolic_trace(lambda x: x).print_readable(print_output=False).split("(")[0])
        class <lambda>
        """
        head = f"class {type(self).__name__}({weft.__name__}.nn.Module):\n"
        text = head + "".join("    " + line for line in self._code.strip("\n").splitlines(keepends=True)) + "\n"
        for _, child in self.named_children():
            if isinstance(child, GraphModule):
                inside = child.print_readable(print_output=False)
                text += "\n" + "".join("    " + line for line in inside.splitlines(keepends=True))
        if print_output:
            print(text)
        return text

    def __str__(self):
        return "\n".join([super().__repr__(), self._code,
                          "# To see more debug info, please use `graph_module.print_readable()`"])

    def _replicate_for_data_parallel(self):
        return self.__copy__()


class _CodeOnlyModule(Module):
    """A module with the attributes of another, from which a copy of a graph module is made."""

    def __init__(self, body):
        super().__init__()
        self.__dict__ = body


def _copy_attr(from_module, to_module, target):
    """Let what stands at a path of one module stand there in the other, too."""
    value = found_at(from_module, target)
    if not is_at(to_module, target) or found_at(to_module, target) is not value:
        put_at(to_module, target, value)


def _calling(cls):
    """`__call__` of a graph module's own class: an error inside the generated code shows the line of that code."""
    def __call__(self, *args, **kwargs):
        try:
            return super(cls, self).__call__(*args, **kwargs)
        except Exception as error:
            frame = next((f for f in reversed(traceback.extract_tb(error.__traceback__))
                          if f.filename.startswith("<eval_with_key>")), None)
            if frame is not None:
                print(_where(frame), file=sys.stderr)
            raise
    return __call__


def _where(frame):
    """The lines around the one that failed, as a note before the traceback."""
    lines = linecache.cache[frame.filename][2]
    at = frame.lineno - 1
    failed = lines[at].rstrip("\n") + "  <--- HERE\n"
    around = "".join([*lines[max(0, at - 2):at], failed, *lines[at + 1:at + 3]])
    return f"Call using an FX-traced Module, line {frame.lineno} of the traced Module's generated forward function:\n" \
           f"{around}"


def _import_block(names):
    """Import statements for the globals of generated code."""
    lines = {"import weft", "import weft as torch", "from math import inf, nan", "NoneType = type(None)",
             "from weft import device"}
    for name, value in names.items():
        if name in always_there():
            continue
        if isinstance(value, types.ModuleType):
            lines.add(f"import {value.__name__} as {name}")
            continue
        where, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None) or \
            getattr(value, "__name__", None) or getattr(value, "_name", None)
        if where is None or own is None or "<" in own:
            raise RuntimeError(message(f"{value!r} can't be imported again, so this module can't be written down",
                                       "define it at the top level of a module"))
        first, *rest = own.split(".")
        lines.add(f"from {where} import {first} as {name}")
        if rest:
            lines.add(f"{name} = {name}.{'.'.join(rest)}")
    ordered = sorted(lines, key=lambda line: not line.startswith(("import", "from")))
    return "\n".join(ordered) + "\n"


def reduce_graph_module(body, import_block, class_name="GraphModule", codegen=None):
    """A GraphModule from what was pickled: its code is traced again.

    >>> import weft, pickle
    >>> traced = weft.fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU()))
    >>> pickle.loads(pickle.dumps(traced))(weft.tensor(-1.))
    tensor(0.)
    """
    from weft.fx._symbolic_trace import Tracer
    body = dict(body)
    forward = _function(import_block + body.pop("_code"), {})
    base = body.get("_tracer_cls") or Tracer

    class KeepModules(base):
        def is_leaf_module(self, m, module_qualified_name):
            return True

    holder = type("CodeOnly", (Module,), {"forward": forward})()
    holder.__dict__.update(body)
    graph = KeepModules().trace(holder)
    graph._tracer_cls = base
    if codegen is not None:
        graph._codegen = codegen
    made = GraphModule(holder, graph, class_name)
    _take_rest(made, body)
    return made
