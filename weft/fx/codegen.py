"""From a graph to the source of a function."""
import dataclasses
import enum
import math
import types
import typing

import weft
from weft.fx.node import Node, _qualified_name, container_text, is_builtin
from weft.utils import _pytree as pytree

__all__ = ["CodeGen", "PythonCode"]

# functions that are written as operators
MAGIC = {"eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}",
         "pos": "+{}", "neg": "-{}", "invert": "~{}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}",
         "floordiv": "{} // {}", "truediv": "{} / {}", "div": "{} / {}", "mod": "{} % {}", "lshift": "{} << {}",
         "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}", "getitem": "{}[{}]",
         "matmul": "{} @ {}", "pow": "{} ** {}"}
INPLACE = {"iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}",
           "imod": "{} %= {}", "imul": "{} *= {}", "imatmul": "{} @= {}", "ior": "{} |= {}", "ipow": "{} **= {}",
           "irshift": "{} >>= {}", "isub": "{} -= {}", "itruediv": "{} /= {}", "ixor": "{} ^= {}",
           "setitem": "{}[{}] = {}"}


@dataclasses.dataclass
class PythonCode:
    """The source of a graph, and the globals that it needs.

    >>> import weft
    >>> code = weft.fx.symbolic_trace(lambda x: x + 1).graph.python_code("self")
    >>> "x + 1" in code.src
    True
    """
    src: str
    globals: dict
    _lineno_map: dict = None


def always_there():
    """The globals of all generated code: repr() of their values is written in these names."""
    return {"torch": weft, "weft": weft, "device": weft.device, "inf": math.inf, "nan": math.nan,
            "NoneType": type(None)}


class Globals:
    """What generated code refers to, under names of their own."""

    def __init__(self, names):
        self.names, self.found = names, {}

    def add(self, hint, obj):
        """The expression by which the code reaches an object."""
        if is_builtin(obj):
            return obj.__name__
        if _reached(hint) is obj:
            self.found[hint.split(".")[0]] = weft
            return hint
        name = self.names.create_name(hint.replace(".", "_"), obj if _hashable(obj) else None)
        self.found[name] = obj
        return name

    def type_text(self, kind):
        """A type as an annotation."""
        if kind is None or kind == () or isinstance(kind, str):
            return repr(kind)
        if kind is Ellipsis or kind is typing.Any:
            return "..." if kind is Ellipsis else self.add("typing_Any", typing.Any)
        origin = typing.get_origin(kind)
        if origin is not None:
            if origin in (typing.Union, getattr(types, "UnionType", None)):
                base = self.add("typing_Union", typing.Union)
            elif origin is typing.Literal:
                return f"{self.add('typing_Literal', typing.Literal)}[{', '.join(map(repr, typing.get_args(kind)))}]"
            else:
                base = self.type_text(origin)
            inside = [f"[{', '.join(map(self.type_text, a))}]" if isinstance(a, list) else self.type_text(a)
                      for a in typing.get_args(kind)]
            return f"{base}[{', '.join(inside)}]" if inside else base
        hint = f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', kind)}"
        if isinstance(kind, type) and vars(weft).get(kind.__name__) is kind:
            hint = f"{kind.__module__.split('.')[0]}.{kind.__name__}"
        return self.add(hint, kind)

    def value_text(self, value):
        """An argument as source."""
        if isinstance(value, Node):
            return repr(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self.add(_qualified_name(type(value)), type(value))}({', '.join(map(self.value_text, value))})"
        found = container_text(value, self.value_text, self.value_text)
        if found is not None:
            return found
        if isinstance(value, enum.Enum):
            return f"{self.add(_qualified_name(type(value)), type(value))}.{value.name}"
        if isinstance(value, type):
            return self.type_text(value)
        if callable(value) and hasattr(value, "__name__") and not isinstance(value, weft.dtype):
            return self.add(_qualified_name(value), value)
        return repr(value)


def _hashable(obj):
    try:
        hash(obj)
    except TypeError:
        return False
    return True


def _reached(path):
    """What a dotted name leads to, or None."""
    root, *rest = path.split(".")
    if root not in ("weft", "torch"):
        return None
    found = weft
    for part in rest:
        found = getattr(found, part, None)
    return found


def attribute_text(base, path):
    """`base.a.b`, with getattr where a part is no name: getattr(self.layers, "0")."""
    for part in path.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def last_uses(nodes):
    """{node: those that nobody uses after it}."""
    seen, found = set(), {}
    for node in reversed(nodes):
        for used in node.all_input_nodes:
            if used not in seen:
                seen.add(used)
                found.setdefault(node, []).append(used)
    return found


class CodeGen:
    """Writes the function of a graph; a subclass may give it other arguments and results.

    >>> import weft
    >>> weft.fx.CodeGen().gen_fn_def(["x"], "")
    'def forward(self, x):'
    """

    def __init__(self):
        self._body_transformer = None

    def gen_fn_def(self, free_vars, maybe_return_annotation):
        """The line of `def`.

        >>> import weft
        >>> weft.fx.CodeGen().gen_fn_def(["x"], " -> int")
        'def forward(self, x) -> int:'
        """
        first = ["self"] if not free_vars or free_vars[0] != "self" else []
        return f"def forward({', '.join(first + free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args, *, descs=None):
        """The line of `return`.

        >>> import weft
        >>> weft.fx.CodeGen().generate_output(1)
        'return 1'
        """
        return f"return {output_args!r}"

    def process_inputs(self, *args):
        """The arguments that an interpreter gives to the placeholders.

        >>> import weft
        >>> weft.fx.CodeGen().process_inputs(1, 2)
        (1, 2)
        """
        return args

    def process_outputs(self, outputs):
        """What an interpreter gives back.

        >>> import weft
        >>> weft.fx.CodeGen().process_outputs(1)
        1
        """
        return outputs

    def additional_globals(self):
        """(name, object) of what the generated lines need besides.

        >>> import weft
        >>> weft.fx.CodeGen().additional_globals()
        []
        """
        return []

    def _gen_python_code(self, nodes, root_module, namespace):
        names, made = Globals(namespace), Lines(self, root_module)
        made.globals = names
        for name, obj in self.additional_globals():
            names.found[name] = obj
            namespace.names.setdefault(name, obj)
        nodes = list(nodes)
        gone = last_uses(nodes)
        for node in nodes:
            made.write(node)
            if node.op not in ("placeholder", "output"):
                unused = gone.get(node, []) if node.users else [*gone.get(node, []), node]
                made.body[-1] += f";  {' = '.join([repr(n) for n in unused] + ['None'])}" if unused else ""
        body = [line + "\n" for line in made.body or ["pass"]]
        if self._body_transformer is not None:
            body = self._body_transformer(body)
        head = self.gen_fn_def(_ordered(made.inputs, made.named), made.returns)
        wraps = "".join(f'torch.fx._symbolic_trace.wrap("{name}")\n' for name in made.wrapped)
        src = "".join("    " + line for line in "".join(body).splitlines(keepends=True))
        return PythonCode(f"\n{wraps or chr(10)}\n{head}\n{src}", {**always_there(), **names.found})


def _ordered(inputs, named):
    """The inputs, those that only have a name after `*args` or `*`."""
    rest = [text for text in inputs if text.startswith("*") and not text.startswith("**")]
    packed = [text for text in inputs if text.startswith("**")]
    placed = [text for text in inputs if not text.startswith("*")]
    return placed + (rest or ["*"] if named else rest) + named + packed


class Lines:
    """The lines of a function's body, node by node."""

    def __init__(self, codegen, root):
        self.codegen, self.root = codegen, root
        self.body, self.inputs, self.named, self.returns, self.globals = [], [], [], "", None
        self.wrapped = {}           # names of functions that stay single nodes when the code is traced

    def write(self, node):
        getattr(self, node.op)(node)

    def typed(self, node):
        return f" : {self.globals.type_text(node.type)}" if node.type is not None else ""

    def call(self, node, function, args):
        text = self.globals.value_text
        inside = [*map(text, args), *(f"{key} = {text(value)}" for key, value in node.kwargs.items())]
        self.body.append(f"{node!r}{self.typed(node)} = {function}({', '.join(inside)})")

    def placeholder(self, node):
        default = f" = {self.globals.value_text(node.args[0])}" if node.args else ""
        inputs = self.named if node.meta.get("keyword_only") else self.inputs
        inputs.append(f"{node.target}{self.typed(node)}{default}")
        name = node.target.replace("*", "")
        if name != repr(node):
            self.body.append(f"{node!r} = {name}")

    def get_attr(self, node):
        self.body.append(f"{node!r}{self.typed(node)} = {attribute_text(self.root, node.target)}")

    def call_method(self, node):
        self.call(node, attribute_text(self.globals.value_text(node.args[0]), node.target), node.args[1:])

    def call_module(self, node):
        self.call(node, attribute_text(self.root, node.target), node.args)

    def call_function(self, node):
        name, text = node.target.__name__ if hasattr(node.target, "__name__") else "", self.globals.value_text
        if getattr(node.target, "__module__", None) == "_operator" and not node.kwargs:
            values = list(map(text, node.args))
            if name in MAGIC and MAGIC[name].count("{}") == len(values):
                self.body.append(f"{node!r}{self.typed(node)} = {MAGIC[name].format(*values)}")
                return
            if name in INPLACE and INPLACE[name].count("{}") == len(values):
                self.body.append(f"{INPLACE[name].format(*values)};  {node!r}{self.typed(node)} = {values[0]}")
                return
        if node.target is getattr and len(node.args) == 2 and isinstance(node.args[1], str) and not node.kwargs \
                and node.args[1].isidentifier():
            self.body.append(f"{node!r}{self.typed(node)} = {attribute_text(text(node.args[0]), node.args[1])}")
            return
        function = self.globals.add(_qualified_name(node.target), node.target)
        if node.meta.get("is_wrapped"):
            self.wrapped.setdefault(function)
        self.call(node, function, node.args)

    def output(self, node):
        if node.type is not None:
            self.returns = f" -> {self.globals.type_text(node.type)}"
        self.body.append(self.codegen.generate_output(_Source(self.globals, node.args[0])))


class _Source:
    """An argument whose repr() is its source."""

    def __init__(self, names, value):
        self.names, self.value = names, value

    def __repr__(self):
        return self.names.value_text(self.value)


class _PyTreeCodeGen(CodeGen):
    """Inputs and outputs in nested containers: taken apart at the beginning, put together at the end."""

    def __init__(self, pytree_info):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs):
        return tuple(self.pytree_info.taken_apart(inputs))

    def process_outputs(self, out):
        spec = self.pytree_info.out_spec
        if spec is None:
            return out
        return pytree.tree_unflatten(out if isinstance(out, (list, tuple)) else [out], spec)

    def additional_globals(self):
        from weft.fx import _pytree as fx_pytree  # which knows proxies, and they this file
        return [("pytree", pytree), ("fx_pytree", fx_pytree)]

    def gen_fn_def(self, free_vars, maybe_return_annotation):
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation)
        names = self.pytree_info.orig_args
        given = [name for name in names if name != "self"]
        flat = "".join(f"{v.split(':')[0].split('=')[0].strip()}, " for v in free_vars)
        inputs = ", ".join(n.split("=")[0].strip() for n in given)
        line = f"    {flat} = fx_pytree.tree_flatten_spec([{inputs}], self._in_spec)"
        head = super().gen_fn_def(list(names), maybe_return_annotation)
        return f"{head}\n{line}" if flat else head

    def generate_output(self, output_args, *, descs=None):
        if self.pytree_info is not None and self.pytree_info.out_spec is not None:
            return f"return pytree.tree_unflatten({output_args!r}, self._out_spec)"
        return super().generate_output(output_args)


