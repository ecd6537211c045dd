"""Programs that are given as text: `CompilationUnit`, `ScriptModule.define`; and the ops that a script names."""
import ast
import textwrap

from weft.jit import _language
from weft.jit._dialect import Python
from weft.jit._saved import FileFunction
from weft.jit._values import Refused

__all__ = ["CompilationUnit", "export_opnames"]


def functions_of(text, program=None):
    """The functions of a text in the language of saved programs: {name: Function}, checked."""
    program = _language.Program(Python()) if program is None else program
    try:
        for node in _language.parse(textwrap.dedent(text), "the text").body:
            if not isinstance(node, ast.FunctionDef):
                raise Refused("the text has something besides functions", node)
            program.define(node, node.name)
        program.build()
    except Refused as error:
        raise RuntimeError(f"{error.what} (line {getattr(error.node, 'lineno', 1)})") from None
    return program.functions


class CompilationUnit:
    """Functions that are defined by a text, and run without Python compiling it.

    >>> import weft
    >>> unit = weft.jit.CompilationUnit("def double(x):\\n    return torch.add(x, x)")
    >>> unit.double(weft.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, lang=None, _frames_up=0):
        self._program = _language.Program(Python())
        if lang is not None:
            self.define(lang)

    def define(self, lang, rcb=None, _frames_up=0):
        """Add the functions of a text.

        >>> import weft
        >>> unit = weft.jit.CompilationUnit()
        >>> unit.define("def one(x):\\n    return 1")
        >>> unit.one(3)
        1
        """
        functions_of(lang, self._program)

    def __getattr__(self, name):
        found = vars(self).get("_program")
        if found is None or name not in found.functions:
            raise AttributeError(f"'CompilationUnit' has no attribute '{name}'")
        return FileFunction(found.functions[name])


def export_opnames(m):
    """The ops that a script's program names.

    >>> import weft
    >>> @weft.jit.script
    ... def f(x):
    ...     return weft.relu(x) + 1
    >>> weft.jit.export_opnames(f)
    ['aten::add', 'aten::relu']
    """
    graph = m.graph
    if not hasattr(graph, "findAllNodes"):
        called = [n.target for n in graph.nodes if n.op == "call_function"]
        return sorted({f"aten::{getattr(target, '__name__', target)}" for target in called})
    found, pending = set(), graph.nodes()
    while pending:
        node = pending.pop()
        pending += [n for block in node.blocks() for n in block]
        if node.kind().startswith("aten::"):
            found.add(node.kind())
    return sorted(found)
